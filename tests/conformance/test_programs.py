"""Runs of many cases in processes: their order, and players that end."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

from ligament.conformance.player import Player
from ligament.conformance.programs import run
from ligament.conformance.suite import Entry, own_suite, read_suite
from ligament.errors import ContentError

ENTRIES = read_suite(own_suite())[:4]
CRASHES, REFUSED, LACKS, PLAYED = (str(entry.case["id"]) for entry in ENTRIES)


@dataclasses.dataclass(frozen=True)
class Faulty:
    """A player that cannot play two of the cases."""

    def __call__(self, entry: Entry, output: Path) -> None:
        if entry.case["id"] == CRASHES:
            os.abort()
        if entry.case["id"] == REFUSED:
            raise ContentError("a wheel is missing")
        Player()(entry, output)


def test_a_player_that_ends_fails_its_own_case_alone(tmp_path: Path) -> None:
    entries = [*ENTRIES]
    entries[2] = dataclasses.replace(entries[2], case={**entries[2].case, "features": ["wings"]})
    verdicts = list(run(entries, Faulty(), jobs=2, keep=tmp_path, without=["wings"]))
    assert [str(each.case["id"]) for each in verdicts] == [CRASHES, REFUSED, LACKS, PLAYED]
    assert [each.outcome for each in verdicts] == ["fail", "fail", "not run", "pass"]
    crashed, refused, lacking, _ = (each.reason for each in verdicts)
    assert crashed.startswith("the player crashed in native code (SIGABRT) at test_programs.py:")
    assert (refused, lacking) == ("a wheel is missing", "uses wings")


def test_a_run_in_processes_gives_what_one_process_gives() -> None:
    one, two = (list(run(ENTRIES, Player(), jobs=jobs)) for jobs in (1, 2))
    found = [[finding.deviation for finding in each.findings] for each in (*one, *two)]
    assert any(found)
    assert found[: len(one)] == found[len(one) :]

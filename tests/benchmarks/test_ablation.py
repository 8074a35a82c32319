"""The ablation of the Rapier engine: what is left out is left out, and the table is current."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Mapping
from typing import Any

import pytest

from benchmarks import ablation
from ligament.conformance.judge import Finding, Verdict
from ligament.conformance.player import Player
from ligament.conformance.suite import own_suite, read_suite
from ligament.physics.engines.rapier.engine import RapierEngine

ENTRIES = {str(entry.case["id"]): entry for entry in read_suite(own_suite())}
PARTS = {part.name: part for part in ablation.parts()}


@pytest.mark.parametrize(
    ("name", "case"),
    [
        ("GyroscopicTorques", "machines/gyroscope"),
        ("Corrections.edges", "machines/crate_over_tiles"),
        ("settings.reuses_contacts", "machines/rider_on_a_turntable"),
        ("Assembly._angular_limits", "limits/angular_x_whole"),
    ],
)
def test_a_part_that_is_left_out_is_not_reached(name: str, case: str, tmp_path: Any) -> None:
    part = PARTS[name]
    entry = ENTRIES.get(case) or next(e for k, e in ENTRIES.items() if k.startswith("limits/ang"))
    assert name in ablation.play(entry, tmp_path, [part]).reached
    with part.without():
        reached = ablation.play(entry, tmp_path, [part] if part.place is None else ()).reached
    assert name not in reached


def test_everything_is_in_place_again_after_a_part_was_left_out() -> None:
    make = RapierEngine._make_stages
    for part in PARTS.values():
        with contextlib.suppress(ZeroDivisionError), part.without():
            raise ZeroDivisionError
    assert RapierEngine._make_stages is make


def test_every_stage_is_a_part_or_a_service(tmp_path: Any) -> None:
    built: list[RapierEngine] = []
    bind = RapierEngine._bind
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            RapierEngine, "_bind", lambda self, world: (built.append(self), bind(self, world))
        )
        for case in ("machines/car_dropped", "machines/crate_over_tiles", "machines/puppet"):
            Player()(ENTRIES[case], tmp_path / "recording.json")
    stages = {type(stage).__name__ for engine in built for stage in engine._stages}
    assert stages <= {*ablation.SERVICES, *PARTS}


def run(tier: str, seconds: float, *deviations: float) -> ablation.Run:
    """Return the run of a case whose checks all have a tolerance of 1."""
    case: Mapping[str, Any] = {"tier": tier, "checks": [{"tolerance": 1.0} for _ in deviations]}
    findings = [Finding(off <= 1, off, "") for off in deviations]
    return ablation.Run(Verdict(case, "pass", findings), seconds)


def test_a_row_counts_misses_by_their_size() -> None:
    before = {"a": run("must", 1.0, 0.1, 0.2, 0.3, 4.0), "b": run("should", 1.0, 0.5)}
    after = {"a": run("must", 2.0, 1.5, 8.0, 20.0, 0.5), "b": run("should", 2.0, 3.0)}
    part = dataclasses.replace(PARTS["GyroscopicTorques"], lines=7)
    cells = "`GyroscopicTorques` | 7 | 2 of 2 | 1 / 1 / 1 | 1 | 1 | 2.00"
    assert ablation.row(part, before, after) == f"| {cells} |"


def test_the_table_names_every_part() -> None:
    """`python -m benchmarks.ablation` updates it."""
    text = ablation.README.read_text(encoding="utf-8")
    table = text.split(ablation.START)[1].split(ablation.END)[0]
    names = [line.split("`")[1] for line in table.splitlines() if line.startswith("| `")]
    assert names == [*PARTS]

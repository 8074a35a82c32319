"""Progress of long runs: lines in a log, a bar on a terminal, the count of inputs found."""

import time
from pathlib import Path

import pytest
from rich.console import Console

from ligament.batches import inputs
from ligament.batches.inputs import gather
from ligament.cli import run_progress
from ligament.cli.run_progress import RunProgress
from ligament.jobs.remote import Access
from tests.batches.inputs import write_many


def test_a_log_gets_a_line_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run_progress, "INTERVAL", 0.05)
    with RunProgress("check", "files", quiet=False) as progress:
        for show in (lambda: progress.found(2000), lambda: progress.advance(30, 2500)):
            show()
            time.sleep(0.2)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "check: 2000 files found after 0 s"
    assert lines[-1] == "check: 30 of 2500 files after 0 s"


def test_a_quiet_run_and_a_short_one_print_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with RunProgress("check", "files", quiet=False) as progress:
        progress.advance(1, 1)
    monkeypatch.setattr(run_progress, "INTERVAL", 0.01)
    with RunProgress("check", "files", quiet=True) as progress:
        progress.advance(1, 2)
        time.sleep(0.05)
    assert capsys.readouterr().err == ""


def test_a_terminal_gets_a_bar(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    console = Console(stderr=True, force_terminal=True, width=100)
    monkeypatch.setattr(run_progress, "messages", console)
    with RunProgress("check", "files", quiet=False) as progress:
        progress.found(2000)
        progress.advance(30, 2500)
    assert "30 of 2500 files" in capsys.readouterr().err


def test_inputs_are_counted_while_they_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inputs, "NOTE_EVERY", 10)
    write_many(tmp_path / "in", 25)
    counts: list[int] = []
    suffixes = frozenset({".gltf"})
    places = {"without": tmp_path / "out", "access": Access()}
    found = gather([tmp_path / "in"], suffixes, **places, listing=counts.append)
    assert len(found) == 25
    assert counts == [10, 20, 25]

"""A batch on a disk that fails at any moment: what runs before have written stays whole."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ligament as lg
from ligament.batches import perform, run
from ligament.errors import FileError, LigamentError, RunInterruptedError
from ligament.jobs import folders, runner
from ligament.jobs import report as records
from ligament.jobs.task import Entry, Status, Task
from tests.batches.inputs import tasks_of, write_good
from tests.disk_failures.failing_disk import Disk, failing_disk

SHORT = {"seconds": 0.1, "rate": 20.0}
COMMANDS: dict[str, dict[str, Any]] = {
    "check": {},
    "simulate": {**SHORT, "events": True},
    "bake": SHORT,
    "convert": {"to": "omi"},
}


class InThisProcess:
    """A pool whose worker shares the disk of the test."""

    workers = ()

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def run(self, tasks: list[Task]) -> Iterator[Entry]:
        yield from map(perform, tasks)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(runner, "Pool", InThisProcess)
    for index in range(2):
        write_good(tmp_path / "in" / f"ball{index}.gltf", 1.0 + index)
    return tmp_path


def batch(folder: Path, command: str, fails_at: int | None = None) -> tuple[Disk, lg.BatchReport]:
    with failing_disk(fails_at, records) as disk:
        report = lg.batch(command, folder / "in", folder / "out", **COMMANDS[command])
    return disk, report


def content(folder: Path) -> dict[str, bytes]:
    files = (path for path in (folder / "out").rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.parametrize("command", COMMANDS)
def test_outputs_of_a_run_before_stay_whenever_the_disk_fails(folder: Path, command: str) -> None:
    calls = batch(folder, command)[0].calls
    before = content(folder)
    log = before.pop("out/manifest.jsonl")
    for moment in range(1, calls + 1):
        with pytest.raises(LigamentError, match="No space left on device"):
            batch(folder, command, fails_at=moment)
        after = content(folder)
        assert after.pop("out/manifest.jsonl").startswith(log), moment
        assert after == before, moment


def test_a_file_whose_output_cannot_be_written_says_so(folder: Path) -> None:
    batch(folder, "simulate")
    before = content(folder)
    with failing_disk(1) as disk:
        task = next(iter(_tasks(folder)))
        entry = perform(task)
    assert disk.calls >= 1
    assert entry.status is Status.FAILED
    assert entry.unwritten
    assert entry.reason is not None
    assert "No space left on device" in entry.reason
    assert content(folder) == before


def test_a_disk_that_fills_up_ends_the_run_with_what_was_done(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second entry does not fit; report.json does, as its old one goes."""
    append = records.Manifest.append

    def fills_up(manifest: records.Manifest, entry: Entry) -> None:
        if entry.name == "ball1.gltf":
            raise records._cannot_write(manifest.path, OSError(errno.ENOSPC, "it is full"))
        append(manifest, entry)

    with monkeypatch.context() as patch:
        patch.setattr(records.Manifest, "append", fills_up)
        with pytest.raises(RunInterruptedError, match=r"^interrupted when 1 of 2 were finished \("):
            batch(folder, "simulate")
    report = json.loads((folder / "out" / "report.json").read_text())
    assert "it is full" in report["interruption"]
    assert [entry["name"] for entry in report["files"]] == ["ball0.gltf"]
    again = lg.batch("simulate", folder / "in", folder / "out", resume=True, **COMMANDS["simulate"])
    assert again.resumed == 1
    assert again.ok


@pytest.mark.skipif(os.name != "posix", reason="links need rights there")
def test_a_lock_that_is_a_link_is_not_written_through(folder: Path) -> None:
    precious = folder / "precious"
    precious.write_text("kept")
    (folder / "out").mkdir()
    (folder / "out" / folders.LOCK).symlink_to(precious)
    with pytest.raises(FileError, match="cannot be written"):
        batch(folder, "check")
    assert precious.read_text() == "kept"


def _tasks(folder: Path) -> list[Task]:
    plan = run.planned("simulate", COMMANDS["simulate"])
    return tasks_of(plan, folder / "in", folder / "out")

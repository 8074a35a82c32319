"""Bad files stop nothing: whatever a file does to its worker, the others are done."""

import json
import os
import signal
from pathlib import Path

import pytest

import ligament as lg
from ligament.batches import Status, perform
from ligament.batches.run import planned
from ligament.errors import FileError
from ligament.jobs.pool import Pool, Setup
from ligament.jobs.report import read_manifest
from ligament.processes import child
from tests.batches.inputs import slow_work, tasks_of, work, write_good, write_many

SOAK = bool(os.environ.get("LIGAMENT_SOAK"))
FILES = 2000 if SOAK else 40
SHORT = {"seconds": 0.2, "rate": 30.0}


def broken_files(folder: Path, count: int) -> list[Path]:
    """Write files that cannot be read, each in another way."""
    ways = [
        b"",
        b"glTF",
        b"{not json",
        b'{"asset": {"version": "2.0"}, "nodes": [{"mesh": "first"}], "scenes": 3}',
        b'{"asset": {"version": "2.0"}, "buffers": [{"uri": "../out.bin", "byteLength": 4}]}',
    ]
    paths = [folder / f"broken{i}.gltf" for i in range(count)]
    for i, path in enumerate(paths):
        path.write_bytes(ways[i % len(ways)])
    return paths


def test_every_good_file_is_done_and_every_bad_one_reported(tmp_path: Path) -> None:
    source = tmp_path / "in"
    good = write_many(source, FILES)
    broken = broken_files(source, max(5, FILES // 20))
    for name in ("hangs", "eats", "segfaults", "exits", "is_a_bug"):
        write_good(source / f"{name}.gltf", 1.0)
    report = lg.batch("simulate", source, tmp_path / "out", jobs=2, timeout=5, work=work, **SHORT)
    entries = {Path(entry.input): entry for entry in report}
    assert len(report) == len(good) + len(broken) + 5
    assert all(entries[path].ok for path in good)
    assert all((tmp_path / "out" / entries[p].outputs[0].path).is_file() for p in good)
    assert all(entries[path].status is Status.FAILED for path in broken)
    assert all(entries[path].reason for path in broken)
    reported = {path.stem: (entry.status, entry.reason) for path, entry in entries.items()}
    assert reported["hangs"] == (Status.TIMEOUT, "it took longer than 5 s")
    assert reported["eats"] == (Status.CRASHED, "it exceeds the memory limit of a worker")
    assert reported["segfaults"] == (Status.CRASHED, "its worker ended with SIGSEGV")
    assert reported["exits"] == (Status.CRASHED, "its worker ended with status 3")
    status, reason = reported["is_a_bug"]
    assert status is Status.FAILED
    assert reason is not None
    assert reason.startswith("unexpected KeyError: 'nobody thought of this' at inputs.py:")
    assert not report.ok
    assert {Path(entry.input) for entry in report.failed} == entries.keys() - set(good)
    assert report.summary.done == len(good)
    assert len(list((tmp_path / "out").rglob("*.npz"))) == len(good)
    assert list((tmp_path / "out").rglob("*.part")) == []


def test_memory_is_bounded_for_each_file(tmp_path: Path) -> None:
    write_good(tmp_path / "eats.gltf", 1.0)
    write_good(tmp_path / "fine.gltf", 1.0)
    options = {"jobs": 1, "work": work, **SHORT}
    report = lg.batch("simulate", tmp_path, tmp_path / "out", max_memory=1 << 30, **options)
    assert [entry.status for entry in report] == [Status.CRASHED, Status.DONE]


def tasks_in(folder: Path, out: Path) -> list:
    out.mkdir(exist_ok=True)
    return tasks_of(planned("simulate", SHORT), folder, out)


def test_workers_that_are_killed_one_by_one_cost_no_file(tmp_path: Path) -> None:
    count = FILES // 2
    write_many(tmp_path / "in", count)
    pool = Pool(2, Setup(work=slow_work, timeout=60.0))
    killed: set[int] = set()
    entries = []
    for entry in pool.run(tasks_in(tmp_path / "in", tmp_path / "out")):
        entries.append(entry)
        # One that has finished a file is in the middle of another, which is new to it.
        busy = [slot.child for slot in pool.processes._slots if slot.child and slot._answered]
        if len(entries) % 4 == 1 and len(killed) < 20 and busy:
            killed.add(busy[0].pid)
            os.kill(busy[0].pid, signal.SIGKILL)
    assert len(killed) >= 3
    assert all(entry.status is Status.DONE for entry in entries)
    assert len({entry.name for entry in entries}) == len(entries) == count


def test_a_worker_is_replaced_after_so_many_files(tmp_path: Path) -> None:
    write_many(tmp_path / "in", 7)
    pool = Pool(1, Setup(perform), recycle=3)
    seen: set[int] = set()
    for entry in pool.run(tasks_in(tmp_path / "in", tmp_path / "out")):
        assert entry.ok
        seen.update(pool.processes.pids)
    assert 2 <= len(seen) <= 3


def test_workers_end_when_the_caller_loses_interest(tmp_path: Path) -> None:
    write_many(tmp_path / "in", 20)
    pool = Pool(2, Setup(work=slow_work))
    entries = pool.run(tasks_in(tmp_path / "in", tmp_path / "out"))
    next(entries)
    pids = pool.processes.pids
    assert pids
    entries.close()
    assert pool.processes.pids == []
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_worker_that_cannot_start_is_reported_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_many(tmp_path / "in", 3)
    monkeypatch.setattr(child, "_PROGRAM", "raise SystemExit('no such luck')")
    with pytest.raises(FileError, match=r"cannot be started .*status 1: no such luck"):
        lg.batch("simulate", tmp_path / "in", tmp_path / "out", jobs=2, **SHORT)


def test_the_manifest_has_a_line_for_each_file_and_the_report_is_sorted(tmp_path: Path) -> None:
    write_many(tmp_path / "in", 12)
    report = lg.batch("simulate", tmp_path / "in", tmp_path / "out", jobs=2, **SHORT)
    lines = list(read_manifest(tmp_path / "out" / "manifest.jsonl"))
    assert sorted(lines, key=lambda entry: entry.name) == list(report)
    assert all(entry.seconds > 0 for entry in lines)
    stored = json.loads((tmp_path / "out" / "report.json").read_text())
    names = [each["name"] for each in stored["files"]]
    assert names == sorted(names)
    assert len(names) == 12
    assert stored["counts"]["done"] == 12
    assert stored["options"]["seconds"] == 0.2


def test_nothing_of_a_file_that_failed_stays(tmp_path: Path) -> None:
    path = write_good(tmp_path / "in" / "ball.gltf", 1.0)
    lg.batch("simulate", path, tmp_path / "out", jobs=1, **SHORT)
    assert (tmp_path / "out" / "ball.gltf.npz").is_file()
    path.write_text("{")
    lg.batch("simulate", path, tmp_path / "out", jobs=1, **SHORT)
    assert not (tmp_path / "out" / "ball.gltf.npz").exists()


def test_progress_counts_every_file(tmp_path: Path) -> None:
    write_many(tmp_path / "in", 5)
    reported: list[tuple[int, int]] = []
    lg.batch(
        "check",
        tmp_path / "in",
        tmp_path / "out",
        jobs=1,
        progress=lambda entry, finished, total: reported.append((finished, total)),
    )
    assert reported == [(i + 1, 5) for i in range(5)]


def test_a_timeout_beyond_all_clocks_is_none(tmp_path: Path) -> None:
    write_good(tmp_path / "in" / "ball.gltf", 5.0)
    report = lg.batch("simulate", tmp_path / "in", tmp_path / "out", jobs=1, timeout=1e300, **SHORT)
    assert report.ok, report.failed

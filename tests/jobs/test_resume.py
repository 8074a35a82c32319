"""A run that was stopped goes on where it was, and ends with the same bytes."""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import ligament as lg
from ligament.batches import BatchReport
from ligament.errors import FileError
from ligament.jobs import folders
from ligament.jobs.folders import clear_leftovers, locked
from ligament.jobs.report import Manifest, read_manifest
from tests.batches.inputs import content, write_good, write_many

ROOT = Path(__file__).parents[2]
SOAK = bool(os.environ.get("LIGAMENT_SOAK"))
FILES, KILLS = (2000, 20) if SOAK else (40, 3)
OPTIONS = {"seconds": 0.2, "rate": 30.0, "events": True}
PROGRAM = """
import sys
import ligament as lg
from tests.batches.inputs import slow_work
lg.batch("simulate", sys.argv[1], sys.argv[2], jobs=2, resume=True, work=slow_work,
         seconds=0.2, rate=30.0, events=True)
"""


def lines_of(folder: Path) -> int:
    path = folder / "manifest.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


@contextlib.contextmanager
def running(source: Path, out: Path) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-c", PROGRAM, str(source), str(out)]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE)
    try:
        yield process
    finally:
        process.kill()
        process.communicate(timeout=60)


def wait_for(condition, process: subprocess.Popen[bytes]) -> None:
    """Wait until something is so, or the process is over."""
    deadline = time.monotonic() + 120
    while not condition() and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.002)


def test_a_run_killed_again_and_again_ends_with_the_same_bytes(tmp_path: Path) -> None:
    source, undisturbed, disturbed = (tmp_path / name for name in ("in", "one", "many"))
    write_many(source, FILES)
    (source / "broken.glb").write_bytes(b"glTF")
    lg.batch("simulate", source, undisturbed, jobs=2, **OPTIONS)
    chance = random.Random(7)
    for _ in range(KILLS):
        with running(source, disturbed) as process:
            enough = lines_of(disturbed) + chance.randint(1, FILES // (2 * KILLS))
            wait_for(lambda enough=enough: lines_of(disturbed) >= enough, process)
            time.sleep(chance.uniform(0, 0.05))
            os.kill(process.pid, signal.SIGKILL)
        done = {entry.name for entry in read_manifest(disturbed / "manifest.jsonl") if entry.ok}
        assert all((disturbed / f"{name}.npz").is_file() for name in done)
        assert not (disturbed / "report.json").exists()
    report = lg.batch("simulate", source, disturbed, jobs=2, resume=True, **OPTIONS)
    assert report.resumed >= len(done) > 0
    assert content(disturbed) == content(undisturbed)
    assert report.summary.done == FILES


@pytest.fixture
def finished(tmp_path: Path) -> Path:
    """A folder of inputs with a buffer, and of outputs that are all there."""
    for name in ("a", "b"):
        write_good(tmp_path / "in" / f"{name}.gltf", 1.0)
    document = json.loads((tmp_path / "in" / "b.gltf").read_text())
    document["buffers"] = [{"uri": "b.bin", "byteLength": 4}]
    (tmp_path / "in" / "b.gltf").write_text(json.dumps(document))
    (tmp_path / "in" / "b.bin").write_bytes(b"1234")
    assert again(tmp_path).resumed == 0
    return tmp_path


def again(folder: Path, **options: object) -> BatchReport:
    chosen = {"seconds": 0.1, "jobs": 1, "resume": True, **options}
    return lg.batch("simulate", folder / "in", folder / "out", **chosen)


def test_unchanged_finished_tasks_are_skipped(finished: Path) -> None:
    before = content(finished / "out")
    lines = lines_of(finished / "out")
    report = again(finished)
    assert report.resumed == 2
    assert report.ok
    assert content(finished / "out") == before
    assert lines_of(finished / "out") == lines
    assert again(finished, resume=False).resumed == 0


def test_other_bytes_options_or_outputs_are_worked_on_again(
    finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_good(finished / "in" / "a.gltf", 2.0)
    assert again(finished).resumed == 1
    (finished / "in" / "b.bin").write_bytes(b"5678")
    assert again(finished).resumed == 1
    assert again(finished).resumed == 2
    assert again(finished, seconds=0.2).resumed == 0
    (finished / "out" / "a.gltf.npz").unlink()
    assert again(finished, seconds=0.2).resumed == 1
    output = finished / "out" / "a.gltf.npz"
    damaged = bytearray(output.read_bytes())
    damaged[-1] ^= 1
    output.write_bytes(damaged)
    assert again(finished, seconds=0.2).resumed == 1
    assert again(finished, seconds=0.2).resumed == 2


def test_a_torn_line_is_left_out_and_the_next_is_whole(finished: Path) -> None:
    path = finished / "out" / "manifest.jsonl"
    whole = list(read_manifest(path))
    path.write_bytes(path.read_bytes()[:-20])
    assert list(read_manifest(path)) == whole[:-1]
    with Manifest(path) as manifest:
        manifest.append(whole[-1])
    assert list(read_manifest(path)) == whole
    assert again(finished).resumed == 2


def test_two_runs_in_one_folder_are_refused(finished: Path) -> None:
    with (
        locked(finished / "out" / ".batch.lock"),
        pytest.raises(
            FileError, match=rf"another run is using this folder \(process {os.getpid()} "
        ),
    ):
        again(finished)
    assert again(finished).resumed == 2


def test_the_lock_of_a_dead_run_counts_for_nothing(
    finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = finished / "out" / ".batch.lock"
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    path.write_text(json.dumps({**json.loads(path.read_text()), "pid": dead.pid}))
    assert again(finished).resumed == 2


def test_workers_of_a_dead_run_are_waited_for(
    finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folders, "PATIENCE", 0.2)
    path = finished / "out" / ".batch.lock"
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    with locked(path):  # as if a worker of the dead process held on to it
        path.write_text(json.dumps({**json.loads(path.read_text()), "pid": dead.pid}))
        with pytest.raises(FileError, match=f"process {dead.pid} "):
            again(finished)


def test_leftovers_of_unfinished_writes_are_removed(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / ".x.npz.0123456789ab.part").write_bytes(b"half")
    (tmp_path / ".y_meshes.0123456789ab.new").mkdir()
    (tmp_path / ".y_meshes.0123456789ab.new" / "0.obj").write_bytes(b"v")
    kept = [tmp_path / "a" / "x.part", tmp_path / ".x.0123.part"]
    for path in kept:
        path.write_bytes(b"whole")
    assert clear_leftovers(tmp_path) == 2
    assert sorted(path for path in tmp_path.rglob("*") if path.is_file()) == sorted(kept)

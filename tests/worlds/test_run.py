"""Many worlds in the pool: one data set, the same bytes however it was made."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament.batches import Entry
from ligament.errors import ArgumentError, ContentError, FileError
from ligament.jobs.report import read_manifest
from ligament.worlds import run, tables, worlds
from tests.batches.inputs import write_good
from tests.play.files import BALL, node, physics_file
from tests.worlds.misbehaving import DEADLY, deadly

ROOT = Path(__file__).parents[2]
COUNT = 10
OPTIONS: dict[str, Any] = {"seconds": 0.3, "rate": 30.0}
FRAMES = 10
VARY = {
    "seed": 4,
    "vary": [
        {
            "quantity": "linear_velocity",
            "nodes": "Ball",
            "distribution": "uniform",
            "min": [-2, 0, -2],
            "max": [2, 3, 2],
        }
    ],
}


def content(path: Path) -> dict[str, bytes]:
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return {str(file.relative_to(path)): file.read_bytes() for file in files}


def arrays(path: Path) -> dict[str, np.ndarray]:
    """Read the table of worlds."""
    if path.suffix == ".zarr":
        import zarr

        group = zarr.open_group(path, mode="r")["worlds"]
        return {name: group[name][:] for name in group}
    if path.suffix == ".parquet":
        from pyarrow import parquet

        table = parquet.read_table(path / "worlds.parquet")
        columns = {name: table[name].combine_chunks() for name in table.column_names}
        return {
            name: column.to_numpy_ndarray()
            if hasattr(column, "to_numpy_ndarray")
            else column.to_numpy(zero_copy_only=False)
            for name, column in columns.items()
        }
    with np.load(path) as loaded:
        return {
            name.removeprefix("worlds/"): loaded[name]
            for name in loaded
            if name.startswith("worlds/")
        }


@pytest.mark.parametrize("suffix", [".zarr", ".parquet", ".npz"])
def test_the_same_bytes_for_any_number_of_jobs(tmp_path: Path, suffix: str) -> None:
    file = write_good(tmp_path / "ball.gltf", 2.0)
    for jobs in (1, 2):
        out = tmp_path / f"jobs{jobs}{suffix}"
        report = worlds(file, VARY, COUNT, out, jobs=jobs, contacts=True, **OPTIONS)
        assert report.ok
        assert report.count == COUNT
    one, two = (content(tmp_path / f"jobs{jobs}{suffix}") for jobs in (1, 2))
    assert one == two
    read = arrays(tmp_path / f"jobs1{suffix}")
    assert read["translation"].shape == (COUNT, FRAMES, 1, 3)
    assert read["rotation"].shape == (COUNT, FRAMES, 1, 4)
    assert read["world"].tolist() == list(range(COUNT))
    assert read["ok"].all()
    hidden = [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]
    assert hidden == []  # nothing is left beside


def test_worlds_are_those_of_single_simulations(tmp_path: Path) -> None:
    import zarr

    doc = lg.load(write_good(tmp_path / "ball.gltf", 2.0))
    worlds(doc, VARY, COUNT, tmp_path / "data.zarr", jobs=1, **OPTIONS)
    data = zarr.open_group(tmp_path / "data.zarr", mode="r")
    assert data.attrs["parameter_names"] == [f"Ball.linear_velocity.{axis}" for axis in "xyz"]
    assert data.attrs["seed"] == 4
    assert data["bodies/node"][:].tolist() == [0]
    assert data["bodies/name"][:].tolist() == ["Ball"]
    for world in (0, COUNT - 1):
        velocity = data["worlds/parameters"][world]
        doc.json["nodes"][0]["extensions"]["KHR_physics_rigid_bodies"]["motion"] = {
            "linearVelocity": velocity.tolist()
        }
        single = lg.simulate(doc, **OPTIONS)
        for name in ("translation", "rotation", "linear_velocity", "angular_velocity"):
            np.testing.assert_array_equal(data[f"worlds/{name}"][world], getattr(single, name))
        np.testing.assert_array_equal(data["frames/time"][:], single.times)


def test_numbers_of_single_precision_and_limits_and_events(tmp_path: Path) -> None:
    out = tmp_path / "data.npz"
    file = write_good(tmp_path / "ball.gltf", 0.55)
    worlds(file, VARY, 3, out, jobs=1, float32=True, contacts=True, **OPTIONS)
    read = arrays(out)
    assert read["translation"].dtype == np.float32
    assert read["limit_value"].shape == (3, FRAMES, 0)
    with np.load(out) as loaded:
        assert set(loaded["events/type"]) <= {"contact_begin", "contact_end"}
        assert loaded["events/world"].tolist() == sorted(loaded["events/world"].tolist())
        assert len(loaded["events/world"]) > 0
        assert set(loaded["events/trigger"].tolist()) == {-1}


def test_a_non_finite_world_is_reported_and_the_rest_continues(tmp_path: Path) -> None:
    doc = physics_file(node("Ball", motion={"mass": 1}, shape=BALL))
    rule = VARY["vary"][0] | {"distribution": "choice", "values": [[0, 0, 0], [1e38, 1e38, 1e38]]}
    del rule["min"], rule["max"]
    out = tmp_path / "data.npz"
    report = worlds(doc, {"vary": [rule]}, COUNT, out, jobs=1, **OPTIONS)
    read = arrays(out)
    wild = read["parameters"][:, 0] > 1
    assert 0 < wild.sum() < COUNT
    assert sorted(report.failed) == np.flatnonzero(wild).tolist()
    assert (read["ok"] == ~wild).all()
    assert np.isnan(read["translation"][wild]).all()
    assert np.isfinite(read["translation"][~wild]).all()
    assert all("'Ball' (node 0) became non-finite" in reason for reason in read["reason"][wild])
    assert set(read["reason"][~wild]) == {""}


def test_a_world_that_kills_its_process_fails_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "play_worlds", deadly)
    monkeypatch.setattr(run, "MIN_TASKS", 3)  # tasks of four worlds
    file = write_good(tmp_path / "ball.gltf", 2.0)
    report = worlds(file, VARY, COUNT, tmp_path / "data.npz", jobs=2, **OPTIONS)
    assert list(report.failed) == [DEADLY]
    assert "status 9" in report.failed[DEADLY]
    read = arrays(tmp_path / "data.npz")
    assert np.flatnonzero(~read["ok"]).tolist() == [DEADLY]
    assert read["world"].tolist() == list(range(COUNT))
    assert np.isfinite(read["parameters"]).all()


PROGRAM = """
import sys
from ligament.worlds import run, tables, worlds
from tests.worlds.misbehaving import slow
run.play_worlds = slow
worlds(sys.argv[1], sys.argv[2], 40, sys.argv[3], jobs=1, seconds=0.3, rate=30.0)
"""


def test_a_killed_run_is_resumed_with_the_same_bytes(tmp_path: Path) -> None:
    file = write_good(tmp_path / "ball.gltf", 2.0)
    (tmp_path / "vary.json").write_text(json.dumps(VARY))
    out, work = tmp_path / "data.zarr", tmp_path / ".data.zarr.work"
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(file), str(tmp_path / "vary.json"), str(out)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as process:
        deadline = time.monotonic() + 100
        while len(list(read_manifest(work / "manifest.jsonl"))) < 3:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
    done = {entry.name for entry in read_manifest(work / "manifest.jsonl")}
    assert not out.exists()
    kept = tmp_path / "kept"
    shutil.copytree(work, kept)
    reported: list[tuple[int, int]] = []
    worlds(
        file, VARY, 40, out, jobs=1, resume=True, progress=lambda *n: reported.append(n), **OPTIONS
    )
    assert reported[-1] == (40, 40)
    assert not work.exists()
    whole = tmp_path / "whole.zarr"
    worlds(file, VARY, 40, whole, jobs=1, **OPTIONS)
    assert content(out) == content(whole)
    # Finished parts are used as they are: with the folder restored, none is made again.
    kept.rename(work)
    parts = {name: (work / f"{name}.part" / "0-4.raw").stat().st_mtime_ns for name in done}
    seen: dict[str, int] = {}
    original = tables._append_worlds

    def spy(store: Any, simulator: Any, entries: Any, folder: Path) -> dict[int, str]:
        for name in done:
            seen[name] = (folder / f"{name}.part" / "0-4.raw").stat().st_mtime_ns
        return original(store, simulator, entries, folder)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "_append_worlds", spy)
        worlds(file, VARY, 40, out, jobs=1, resume=True, **OPTIONS)
    assert seen == parts


def test_another_seed_or_file_is_not_resumed_from(tmp_path: Path) -> None:
    file = write_good(tmp_path / "ball.gltf", 2.0)
    out = tmp_path / "data.npz"
    worlds(file, VARY, 2, out, jobs=1, **OPTIONS)
    first = arrays(out)
    worlds(file, VARY, 2, out, jobs=1, seed=5, resume=True, **OPTIONS)
    assert (arrays(out)["parameters"] != first["parameters"]).any()


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        ({"count": 0}, ContentError, "0 worlds"),
        ({"out": "data.h5"}, ContentError, "no data set suffix"),
        ({"out": "none/data.zarr"}, FileError, "folder must exist"),
        ({"seed": -1}, ContentError, "the seed is -1"),
        ({"seconds": -1.0}, ContentError, "the length is -1"),
        ({"rate": 0.0}, ArgumentError, "rate is 0"),
        ({"jobs": 0}, ContentError, "jobs is 0"),
    ],
)
def test_wrong_calls_touch_nothing(
    tmp_path: Path, change: dict[str, Any], kind: type[Exception], message: str
) -> None:
    file = write_good(tmp_path / "ball.gltf", 2.0)
    call = {"count": 1, "out": "data.npz", "jobs": 1, **OPTIONS, **change}
    call["out"] = tmp_path / call["out"]
    with pytest.raises(kind, match=message):
        worlds(file, VARY, **call)
    assert [path.name for path in tmp_path.iterdir()] == ["ball.gltf"]


def test_entries_are_those_of_a_batch(tmp_path: Path) -> None:
    """The manifest of a run in progress is one of a batch, which its tools read."""
    file = write_good(tmp_path / "ball.gltf", 2.0)
    seen: list[Entry] = []
    original = run.collect

    def spy(*arguments: Any) -> Any:
        seen.extend(entry for _, entry in arguments[1])
        return original(*arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "collect", spy)
        worlds(file, VARY, 2, tmp_path / "data.npz", jobs=1, **OPTIONS)
    assert [entry.name for entry in seen] == [
        "worlds/00000000-00000001",
        "worlds/00000001-00000002",
    ]
    assert all(entry.command == "worlds" and entry.sha256 for entry in seen)

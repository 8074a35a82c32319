"""Outputs in remote stores: S3 as its own server speaks it, and memory; nothing half-written."""

from __future__ import annotations

import itertools
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import ligament as lg
from ligament.batches import retarget_all
from ligament.datasets import Column, create_dataset
from ligament.demo import assets
from ligament.errors import ContentError, FileError
from ligament.jobs.datasets import dataset_place
from ligament.jobs.remote import Access
from ligament.jobs.stores import Store
from ligament.worlds import worlds
from tests.batches.inputs import write_good, write_many
from tests.sampling import sample

pytest.importorskip("s3fs")
moto = pytest.importorskip("moto.server")
fsspec = pytest.importorskip("fsspec")

pytestmark = pytest.mark.filterwarnings("ignore")  # of botocore and of the server
BUCKET = "bucket"
SHORT: dict[str, Any] = {"seconds": 0.2, "rate": 30.0}
SPIN = {
    "quantity": "angular_velocity",
    "nodes": "Door",
    "distribution": "uniform",
    "min": [0, 1, 0],
    "max": [0, 4, 0],
}
SWING: dict[str, Any] = {"seconds": 0.2, "rate": 30, "jobs": 1}


class Google(fsspec.get_filesystem_class("memory")):  # type: ignore[misc]
    """Goes the way of s3 in our code, without a server that speaks it."""

    protocol = "gs"
    store: ClassVar[dict[str, Any]] = {}
    pseudo_dirs: ClassVar[list[str]] = [""]

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return "/" + path.removeprefix("gs://").strip("/")


@pytest.fixture(scope="module")
def server() -> Iterator[dict[str, Any]]:
    """An S3 server on loopback; gives how to reach it."""
    running = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    yield {
        "key": "me",
        "secret": "secret",
        "endpoint_url": f"http://{host}:{port}",
    }
    running.stop()


@pytest.fixture
def bucket(server: dict[str, Any]) -> Any:
    """An empty bucket, as a file system."""
    files = fsspec.filesystem("s3", **server)
    if files.exists(BUCKET):
        files.rm(BUCKET, recursive=True)
    files.mkdir(BUCKET)
    return files


@pytest.fixture(params=["s3", "memory", "gs"])
def place(
    request: pytest.FixtureRequest, server: dict[str, Any]
) -> Iterator[tuple[str, Access, Any]]:
    """A folder in each kind of store: its URL, the access, the file system."""
    protocol = request.param
    if protocol == "gs":
        fsspec.register_implementation("gs", Google, clobber=True)
    settings = {"s3": server} if protocol == "s3" else {}
    files = fsspec.filesystem(protocol, **settings.get(protocol, {}))
    if protocol == "s3":
        if files.exists(BUCKET):
            files.rm(BUCKET, recursive=True)
        files.mkdir(BUCKET)
    yield f"{protocol}://{BUCKET}/run", Access(settings=settings), files
    if files.exists(f"/{BUCKET}" if protocol != "s3" else BUCKET):
        files.rm(f"/{BUCKET}" if protocol != "s3" else BUCKET, recursive=True)


def dataset(path: Path, rows: int = 3) -> Path:
    with create_dataset(path, {"by": "test"}) as made:
        table = made.table("walks", {"time": Column("f8")})
        table.append({"time": np.arange(rows)})
    return path


def names(files: Any, folder: str) -> set[str]:
    files.invalidate_cache()
    found = files.find(folder)
    return {each.rpartition(f"{BUCKET}/run/")[2] for each in found}


@pytest.mark.parametrize("suffix", [".zarr", ".parquet", ".npz"])
def test_a_data_set_in_a_store_is_the_local_one(
    place: tuple[str, Access, Any], tmp_path: Path, suffix: str
) -> None:
    url, access, files = place
    local = dataset(tmp_path / f"walks{suffix}")
    store = Store(url, access)
    for _ in range(2):  # the second one replaces the first
        store.put_dataset(local, local.name)
        back = tmp_path / "back"
        shutil.rmtree(back, ignore_errors=True)
        if local.is_file():
            assert store.get(local.name, back)
            assert back.read_bytes() == local.read_bytes()
            back.unlink()
        else:
            store.get_all(local.name, back)
            mine = {f.relative_to(local).as_posix(): f.read_bytes() for f in _files(local)}
            assert {f.relative_to(back).as_posix(): f.read_bytes() for f in _files(back)} == mine
        assert all(name.startswith(local.name) for name in names(files, f"{BUCKET}/run"))


def _files(folder: Path) -> list[Path]:
    return [file for file in folder.rglob("*") if file.is_file()]


@pytest.mark.parametrize("suffix", [".zarr", ".parquet", ".npz"])
def test_a_fault_while_sending_leaves_the_old_one(
    place: tuple[str, Access, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    suffix: str,
) -> None:
    url, access, files = place
    old, new = dataset(tmp_path / f"walks{suffix}"), dataset(tmp_path / f"new{suffix}", 7)
    store = Store(url, access)
    store.put_dataset(old, "walks" + suffix)
    before = names(files, f"{BUCKET}/run")
    sizes = {name: store.size(name) for name in before}

    def fails(file: str, path: str, **_: Any) -> None:
        if url.startswith("memory"):  # which shows a file while it is written
            files.pipe_file(path, Path(file).read_bytes()[:5])
        raise OSError("the line is dead")

    monkeypatch.setattr(store._files, "put_file", fails)
    with pytest.raises(FileError, match="the line is dead"):
        store.put_dataset(new, "walks" + suffix)
    assert names(files, f"{BUCKET}/run") == before
    assert {name: store.size(name) for name in before} == sizes


@pytest.mark.parametrize("suffix", [".zarr", ".parquet"])
def test_a_kill_between_the_copies_leaves_no_data_set(
    place: tuple[str, Access, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    suffix: str,
) -> None:
    """Neither the old one with new parts, nor half of the new one; the next run goes through."""
    url, access, files = place
    local, name = dataset(tmp_path / f"walks{suffix}"), f"walks{suffix}"
    store = Store(url, access)
    store.put_dataset(local, name)
    marker = "zarr.json" if suffix == ".zarr" else "_attributes.json"
    for count in itertools.count(1):
        with monkeypatch.context() as patch:
            patch.setattr(Store, "_rename", _killed(Store._rename, count))
            try:
                store.put_dataset(local, name)
                break
            except KeyboardInterrupt:
                assert f"{name}/{marker}" not in names(files, f"{BUCKET}/run")
    assert count > 1
    store.put_dataset(local, name)
    assert len(names(files, f"{BUCKET}/run")) == len(_files(local))


def _killed(rename: Any, count: int) -> Any:
    """Return a `_rename` that is killed in the last of some copies."""

    def killed(store: Store, *arguments: Any) -> None:
        copy, left = store._files.cp_file, iter(range(count - 1))

        def copies(*paths: str, **_: Any) -> None:
            if next(left, None) is None:
                raise KeyboardInterrupt
            copy(*paths)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(store._files, "cp_file", copies)
            rename(store, *arguments)

    return killed


def test_a_folder_of_something_else_is_never_replaced(
    place: tuple[str, Access, Any], tmp_path: Path
) -> None:
    url, access, files = place
    (tmp_path / "mine.txt").write_text("precious")
    Store(url, access).put(tmp_path / "mine.txt", "walks.zarr/mine.txt")
    with pytest.raises(FileError, match="without a data set of Ligament"):
        dataset_place(f"{url}/walks.zarr", access)
    with pytest.raises(FileError, match="without a data set of Ligament"):
        Store(url, access).put_dataset(dataset(tmp_path / "walks.zarr"), "walks.zarr")
    assert names(files, f"{BUCKET}/run") == {"walks.zarr/mine.txt"}
    with pytest.raises(ContentError, match="suffix"):
        dataset_place(f"{url}/walks.csv", access)
    with pytest.raises(ContentError, match="names no file"):
        dataset_place("s3://bucket", access)


def test_a_batch_writes_to_s3_and_resumes_there(
    tmp_path: Path, server: dict[str, Any], bucket: Any
) -> None:
    write_many(tmp_path / "in", 3)
    (tmp_path / "in" / "bad.gltf").write_text("{")
    storage = {"s3": server}
    here = lg.batch("simulate", tmp_path / "in", tmp_path / "out", jobs=1, **SHORT)
    there = lg.batch(
        "simulate", tmp_path / "in", f"s3://{BUCKET}/run", jobs=1, storage=storage, **SHORT
    )
    assert there.out_dir == f"s3://{BUCKET}/run"
    assert there.plain() == here.plain()
    local = {
        f.relative_to(tmp_path / "out").as_posix(): f.read_bytes()
        for f in _files(tmp_path / "out")
        if not f.name.startswith(".") and f.name != "manifest.jsonl"
    }
    found = names(bucket, f"{BUCKET}/run")
    assert found == {*local, "manifest.jsonl"}
    for name, content in local.items():
        assert bucket.cat_file(f"{BUCKET}/run/{name}") == content
    assert b"secret" not in bucket.cat_file(f"{BUCKET}/run/manifest.jsonl")
    lost = next(name for name in found if name.endswith(".npz"))
    bucket.rm_file(f"{BUCKET}/run/{lost}")
    again = lg.batch(
        *("simulate", tmp_path / "in", f"s3://{BUCKET}/run"),
        jobs=1,
        resume=True,
        storage=storage,
        **SHORT,
    )
    assert again.resumed == here.summary.done - 1
    assert names(bucket, f"{BUCKET}/run") == found


def test_a_batch_from_a_bucket_to_itself_leaves_out_its_outputs(
    tmp_path: Path, server: dict[str, Any], bucket: Any
) -> None:
    bucket.put_file(str(write_good(tmp_path / "ball.gltf", 5.0)), f"{BUCKET}/ball.gltf")
    for _ in range(2):
        report = lg.batch(
            *("bake", f"s3://{BUCKET}", f"s3://{BUCKET}/out"),
            jobs=1,
            storage={"s3": server},
            **SHORT,
        )
        assert report.ok, report.failed
        assert len(report) == 1
    with pytest.raises(ContentError, match="would overwrite this input"):
        lg.batch(
            *("bake", f"s3://{BUCKET}/ball.gltf", f"s3://{BUCKET}"),
            storage={"s3": server},
            format="gltf",
            **SHORT,
        )


def test_a_batch_writes_to_memory(tmp_path: Path) -> None:
    write_many(tmp_path / "in", 2)
    report = lg.batch("simulate", tmp_path / "in", "memory://kept/run", jobs=1, **SHORT)
    assert report.ok
    files = fsspec.filesystem("memory")
    found = {each.rpartition("/run/")[2] for each in files.find("/kept/run")}
    assert len(found) == 4
    assert json.loads(files.cat_file("/kept/run/report.json"))["counts"]["done"] == 2
    again = lg.batch("simulate", tmp_path / "in", "memory://kept/run", jobs=1, resume=True, **SHORT)
    assert again.resumed == 2
    assert {each.rpartition("/run/")[2] for each in files.find("/kept/run")} == found
    files.rm("/kept", recursive=True)


def test_a_store_that_cannot_be_written_is_named(tmp_path: Path, server: dict[str, Any]) -> None:
    file = write_good(tmp_path / "ball.gltf", 5.0)
    with pytest.raises(FileError, match="s3://nowhere/run"):
        lg.batch("simulate", file, "s3://nowhere/run", jobs=1, storage={"s3": server}, **SHORT)
    with pytest.raises(ContentError, match="protocol 'ftp'"):
        lg.batch("simulate", file, "ftp://host/run", jobs=1, **SHORT)
    with pytest.raises(ContentError, match="outputs cannot go there"):
        lg.batch("simulate", file, "http://127.0.0.1:9/run", jobs=1, **SHORT)


@pytest.mark.parametrize("suffix", sample([".npz", ".parquet", ".zarr"], 1))
def test_worlds_go_to_s3_and_resume_there(
    tmp_path: Path, server: dict[str, Any], bucket: Any, suffix: str
) -> None:
    door = next(file for file in assets() if file.name == "door.glb")
    here = worlds(door, {"vary": [SPIN]}, 4, tmp_path / f"door{suffix}", **SWING)
    assert here.ok
    url, storage = f"s3://{BUCKET}/sets/door{suffix}", {"s3": server}

    def interrupt(played: int, count: int) -> None:
        if played >= 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        worlds(door, {"vary": [SPIN]}, 4, url, storage=storage, progress=interrupt, **SWING)
    assert not bucket.exists(f"{BUCKET}/sets/door{suffix}")
    kept = [each for each in bucket.find(f"{BUCKET}/sets") if each.endswith("contents.json")]
    assert kept
    report = worlds(door, {"vary": [SPIN]}, 4, url, storage=storage, resume=True, **SWING)
    assert report.ok
    assert report.out == url
    bucket.invalidate_cache()
    assert not [each for each in bucket.find(f"{BUCKET}/sets") if ".work" in each]
    store = Store(f"s3://{BUCKET}/sets", Access(settings=storage))
    local = tmp_path / f"door{suffix}"
    if suffix == ".npz":
        store.get(local.name, tmp_path / "back")
        with np.load(local) as mine, np.load(tmp_path / "back") as theirs:
            for name in mine.files:
                if name != "attributes":
                    np.testing.assert_array_equal(mine[name], theirs[name])
    else:
        store.get_all(local.name, tmp_path / "back")
        assert len(_files(tmp_path / "back")) == len(_files(local))


def test_worlds_go_to_memory(tmp_path: Path) -> None:
    door = next(file for file in assets() if file.name == "door.glb")
    assert worlds(door, {"vary": [SPIN]}, 3, "memory://sets/door.npz", **SWING).ok
    files = fsspec.filesystem("memory")
    (tmp_path / "door.npz").write_bytes(files.cat_file("/sets/door.npz"))
    with np.load(tmp_path / "door.npz") as data:
        assert data["worlds/ok"].all()
    files.rm("/sets", recursive=True)


@pytest.mark.parametrize("form", [None, "npz"])
def test_motions_go_to_s3(
    tmp_path: Path, server: dict[str, Any], bucket: Any, form: str | None
) -> None:
    """The data set of all pairs, and the files of each."""
    for asset in assets():
        if asset.suffix in (".vrm", ".vrma"):
            (tmp_path / asset.suffix[1:]).mkdir(exist_ok=True)
            shutil.copy(asset, tmp_path / asset.suffix[1:])
    out = f"s3://{BUCKET}/" + ("moved" if form else "motions.parquet")
    report = retarget_all(
        *(tmp_path / "vrma", tmp_path / "vrm", out),
        format=form,
        dataset=f"s3://{BUCKET}/motions.parquet" if form else None,
        rate=10,
        jobs=1,
        storage={"s3": server},
    )
    assert report.ok, report.failed
    bucket.invalidate_cache()
    found = {each.partition("/")[2] for each in bucket.find(BUCKET)}
    assert "motions.parquet/pairs.parquet" in found
    assert "motions.parquet/_attributes.json" in found
    assert not [each for each in found if ".part/" in each or ".work" in each]
    assert ("moved/avatar.vrm/wave.vrma.npz" in found) is (form is not None)

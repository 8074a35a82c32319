"""Data sets: what is appended is what is read back, in every form, whole or not at all."""

import itertools
import json
import os
import signal
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from ligament.datasets import TEXT, Column, create_dataset
from ligament.datasets.columns import Blocks
from ligament.datasets.dataset import clear_unfinished, create_spool
from ligament.datasets.spool import SpoolReader
from ligament.errors import ContentError, FileError, MissingExtraError

COLUMNS = {
    "time": Column("f8"),
    "rotation": Column("f4", (5, 4)),
    "nothing": Column("f8", (3, 0)),
    "ok": Column("?"),
    "note": Column(TEXT),
}
COUNT = 23


def rows(first: int, last: int) -> dict[str, np.ndarray]:
    count = last - first
    numbers = np.arange(first * 20, last * 20, dtype=np.float32).reshape(count, 5, 4)
    return {
        "time": np.arange(first, last) / 30,
        "rotation": numbers,
        "nothing": np.zeros((count, 3, 0)),
        "ok": np.arange(first, last) % 3 == 0,
        "note": np.array([f"row {i} ü" for i in range(first, last)], object),
    }


def write(path: Path, pieces: list[int]) -> None:
    with create_dataset(path, {"seed": 7}) as data:
        table = data.table("a/b", COLUMNS, {"bones": ["hips"]})
        edges = np.cumsum([0, *pieces]).tolist()
        for first, last in itertools.pairwise(edges):
            table.append(rows(first, last))
        data.table("empty", {"x": Column("i8")})


def read(path: Path) -> tuple[dict[str, np.ndarray], dict, dict]:
    if path.suffix == ".zarr":
        import zarr

        root = zarr.open_group(path, mode="r")
        group = root["a/b"]
        assert root["empty/x"].shape == (0,)
        return {name: group[name][:] for name in group}, dict(root.attrs), dict(group.attrs)
    if path.suffix == ".parquet":
        from pyarrow import parquet

        table = parquet.read_table(path / "a" / "b.parquet")
        assert parquet.read_table(path / "empty.parquet").num_rows == 0
        arrays = {}
        for name in table.column_names:
            column = table[name].combine_chunks()
            is_tensor = hasattr(column, "to_numpy_ndarray")
            arrays[name] = (
                column.to_numpy_ndarray() if is_tensor else column.to_numpy(zero_copy_only=False)
            )
        about = json.loads((path / "_attributes.json").read_text())
        return arrays, about, json.loads(table.schema.metadata[b"ligament"])
    with np.load(path) as content:
        assert content["empty/x"].shape == (0,)
        about = json.loads(content["attributes"].item())
        arrays = {n.removeprefix("a/b/"): content[n] for n in content if n.startswith("a/b/")}
    return arrays, about[""], about["a/b"]


def tree(path: Path) -> dict[str, bytes]:
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return {file.relative_to(path.parent.parent).name: file.read_bytes() for file in files}


@pytest.mark.parametrize("suffix", [".zarr", ".parquet", ".npz"])
def test_appended_rows_are_read_back(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"data{suffix}"
    write(path, [1, 10, 0, 12])
    arrays, about, about_table = read(path)
    expected = rows(0, COUNT)
    if suffix == ".parquet":  # rows of no content have no place there
        del expected["nothing"]
    assert arrays.keys() == expected.keys()
    for name, values in expected.items():
        np.testing.assert_array_equal(arrays[name], values)
    assert arrays["rotation"].dtype == np.float32
    assert about["seed"] == 7
    assert "ligament" in about
    assert about_table == {"bones": ["hips"]}
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("suffix", [".zarr", ".parquet", ".npz"])
def test_bytes_do_not_depend_on_the_pieces(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ligament.datasets import parquet_store, zarr_store

    monkeypatch.setattr(zarr_store, "CHUNK_BYTES", 400)  # chunks of five rows of `rotation`
    monkeypatch.setattr(parquet_store, "GROUP_BYTES", 1000)
    for folder, pieces in (("one", [COUNT]), ("two", [3, 4, 16])):
        (tmp_path / folder).mkdir()
        write(tmp_path / folder / f"data{suffix}", pieces)
    one, two = (tree(tmp_path / name / f"data{suffix}") for name in ("one", "two"))
    assert one == two
    np.testing.assert_array_equal(
        read(tmp_path / "two" / f"data{suffix}")[0]["rotation"], rows(0, COUNT)["rotation"]
    )


@pytest.mark.parametrize("suffix", [".zarr", ".parquet", ".npz"])
def test_a_fault_leaves_the_old_data_set(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"data{suffix}"
    write(path, [COUNT])
    before = tree(path)
    with pytest.raises(ContentError), create_dataset(path) as data:
        data.table("x", {"y": Column("f8")}).append({"y": [1.0], "unknown": [2.0]})
    assert tree(path) == before
    write(path, [2])  # and a new one takes its place
    assert len(read(path)[0]["time"]) == 2
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_a_killed_writer_leaves_nothing_under_the_name(tmp_path: Path) -> None:
    program = (
        "import time\n"
        "from ligament.datasets import Column, create_dataset\n"
        "with create_dataset('data.zarr') as data:\n"
        "    table = data.table('x', {'y': Column('f8')})\n"
        "    table.append({'y': [1.0] * 200000})\n"
        "    print('ready', flush=True)\n"
        "    time.sleep(60)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == b"ready"
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert not (tmp_path / "data.zarr").exists()
    assert any(tmp_path.iterdir())
    clear_unfinished(tmp_path / "data.zarr")
    assert list(tmp_path.iterdir()) == []


def test_foreign_folders_and_wrong_names_are_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.zarr").mkdir()
    (tmp_path / "mine.zarr" / "letter.txt").write_text("dear")
    with (
        pytest.raises(FileError, match=r"mine\.zarr.*without a data set"),
        create_dataset(tmp_path / "mine.zarr"),
    ):
        pass
    (tmp_path / "mine.zarr" / "zarr.json").write_text("[" * 100_000)
    with (
        pytest.raises(FileError, match="without a data set"),
        create_dataset(tmp_path / "mine.zarr"),
    ):
        pass
    (tmp_path / "one.parquet").write_text("a table of mine")
    with pytest.raises(FileError, match="is a file"), create_dataset(tmp_path / "one.parquet"):
        pass
    assert (tmp_path / "one.parquet").read_text() == "a table of mine"
    with pytest.raises(ContentError, match=r"\.zarr, \.parquet, \.npz"), create_dataset("x.h5"):
        pass
    with pytest.raises(FileError, match="folder must exist"), create_dataset(tmp_path / "n/x.zarr"):
        pass


@pytest.mark.parametrize(("module", "suffix"), [("zarr", ".zarr"), ("pyarrow", ".parquet")])
def test_missing_packages_are_reported_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, suffix: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with (
        pytest.raises(MissingExtraError, match=r"pip install ligament\[data\]"),
        create_dataset(tmp_path / f"x{suffix}"),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


def test_rows_must_be_as_declared(tmp_path: Path) -> None:
    with create_dataset(tmp_path / "x.npz") as data:
        table = data.table("t", {"a": Column("f8", (3,)), "b": Column("i8")})
        with pytest.raises(ContentError, match=r"'a' have the shape \(2,\)"):
            table.append({"a": np.zeros((1, 2)), "b": [1]})
        with pytest.raises(ContentError, match="different lengths"):
            table.append({"a": np.zeros((1, 3)), "b": [1, 2]})
        with pytest.raises(ContentError, match="give a, b"):
            table.append({"a": np.zeros((1, 3))})


def test_blocks_regroup() -> None:
    blocks = Blocks(4)
    pieces = [np.arange(3), np.arange(3, 13), np.arange(13, 14)]
    made = [block.tolist() for piece in pieces for block in blocks.add(piece)]
    made += [block.tolist() for block in blocks.rest()]
    assert made == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12, 13]]
    assert list(blocks.rest()) == []


def test_spools_are_read_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ligament.datasets import spool

    with create_spool(tmp_path / "part", {"a": 1}) as part:
        part.table("t", COLUMNS).append(rows(0, COUNT))
    monkeypatch.setattr(spool, "PIECE_BYTES", 1000)
    reader = SpoolReader(tmp_path / "part")
    (table,) = reader.tables
    pieces = list(reader.pieces(table))
    assert len(pieces) > 2
    for name, values in rows(0, COUNT).items():
        np.testing.assert_array_equal(np.concatenate([piece[name] for piece in pieces]), values)


@pytest.mark.parametrize("suffix", [".zarr", ".parquet", ".npz"])
def test_memory_does_not_grow_with_the_rows(tmp_path: Path, suffix: str) -> None:
    """64 MiB go through; Zarr holds chunks of 1 MiB, Parquet groups of 16 MiB and their copies."""
    row = np.zeros((16, 4096))
    with create_dataset(tmp_path / f"warm{suffix}") as data:  # what is imported does not count
        data.table("t", {"x": Column("f8", (4096,))}).append({"x": row})
    tracemalloc.start()
    with create_dataset(tmp_path / f"data{suffix}") as data:
        table = data.table("t", {"x": Column("f8", (4096,))})
        for _ in range(128):
            table.append({"x": row})
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 40 << 20

"""Which files are meant, where their outputs go, and what may be read from stores."""

import json
import os
import unicodedata
from pathlib import Path

import fsspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ligament as lg
from ligament.batches import Entry, Task, perform
from ligament.batches.inputs import Input, gather, read_list
from ligament.batches.outputs import names_of
from ligament.batches.run import planned
from ligament.errors import ContentError, FileError, LigamentError, UnsafePathError
from ligament.files import safe_name
from ligament.jobs.remote import PROTOCOLS, Access, fetch, is_url, list_store, shown
from ligament.operations.bake import Bake
from ligament.operations.simulate import Simulate
from tests.batches.inputs import falling, write_good

SIMULATE = planned("simulate", {})


def places(folder: Path, *arguments: object, options=SIMULATE) -> list[str]:
    inputs = gather(
        [str(a) for a in arguments], options.suffixes, without=folder / "out", access=Access()
    )
    return names_of(inputs, options)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("a/x.glb", "b/x.glb", "b/x.gltf", "b/deep/y.vrm", "b/.git/z.glb", "out/o.glb"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "b" / "notes.txt").write_text("no")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_folders_are_mirrored_without_hidden_ones_and_outputs(tree: Path) -> None:
    assert places(tree, ".") == ["a/x.glb", "b/x.glb", "b/x.gltf", "b/deep/y.vrm"]
    assert places(tree, tree / "b") == ["x.glb", "x.gltf", "deep/y.vrm"]


def test_globs_are_mirrored_from_their_fixed_start(tree: Path) -> None:
    assert places(tree, "*/x.glb") == ["a/x.glb", "b/x.glb"]
    assert places(tree, "b/**/*.vrm") == ["deep/y.vrm"]
    assert places(tree, f"{tree}/b/*") == ["x.glb", "x.gltf"]


def test_named_files_are_mirrored_from_what_they_have_in_common(tree: Path) -> None:
    assert places(tree, "a/x.glb", "b/x.glb") == ["a/x.glb", "b/x.glb"]
    assert places(tree, "b/x.glb", "b/deep/y.vrm") == ["x.glb", "deep/y.vrm"]
    assert places(tree, "b/notes.txt") == ["notes.txt"]
    assert places(tree, "missing.glb") == ["missing.glb"]


def test_a_file_that_is_meant_twice_is_one(tree: Path) -> None:
    assert places(tree, "b", "b/x.glb", tree / "b" / "x.glb", "b/../b/x.glb") == [
        *("x.glb", "x.gltf", "deep/y.vrm")
    ]


def test_names_that_would_be_the_same_get_a_hash_each(tree: Path) -> None:
    first, *_ = names = places(tree, "a", "b")
    assert len(set(names)) == 4
    assert {name.split("-")[0] for name in names} == {"x", "x.gltf", "deep/y.vrm"}
    assert first.startswith("x-")
    assert first.endswith(".glb")
    assert places(tree, "b", "a")[-1] == first


def test_upper_and_lower_case_are_the_same_name(tree: Path) -> None:
    (tree / "a" / "X.GLB").write_bytes(b"")
    lowered = [name.lower() for name in places(tree, "a")]
    assert len(set(lowered)) == 2


def test_outputs_never_have_the_names_of_the_run_itself(tree: Path) -> None:
    (tree / "c").mkdir()
    (tree / "c" / "report").write_bytes(b"")
    (name,) = places(tree, "c/report", options=planned("simulate", {"format": "json"}))
    assert name != "report"


PARTS = st.text(min_size=1).filter(lambda text: "/" not in text and "\0" not in text)


@given(st.lists(st.lists(PARTS, min_size=1, max_size=3), min_size=1, max_size=6, unique_by=tuple))
def test_any_names_become_safe_ones_that_differ(paths: list[list[str]]) -> None:
    inputs = [Input(f"/{i}", "", ("/", *parts), 1) for i, parts in enumerate(paths)]
    plans = (planned("bake", {}), planned("check", {}), planned("convert", {"format": "xml"}))
    for plan in (SIMULATE, *plans):
        names = names_of(inputs, plan)
        assert len({name.casefold() for name in names}) == len(names)
        for name in names:
            steps = name.split("/")
            assert not {"", ".", ".."} & set(steps)
            assert not name.startswith("/")
            assert max(len(step.encode()) for step in steps) < 200
            assert all(unicodedata.category(character)[0] != "C" for character in name)
            assert not set(name) & set('<>:"\\|?*\0\n')


def test_names_of_devices_are_not_used() -> None:
    assert [safe_name(name) for name in ("con", "NUL.glb", "x.", "..", "a:b", "x\n")] == [
        *("_con", "_NUL.glb", "x_", "_", "a_b", "x_")
    ]


def test_nothing_to_read_is_an_error(tree: Path) -> None:
    (tree / "empty").mkdir()
    with pytest.raises(FileError, match=r"no readable file \(\.glb, "):
        places(tree, "empty")
    with pytest.raises(FileError, match="no readable file"):
        places(tree, "*.nothing")
    with pytest.raises(ContentError, match="no input files"):
        places(tree)


def test_lists_have_one_path_on_each_line() -> None:
    assert read_list(["a b.glb\n", "\n", "  \n", "c.glb\r\n"]) == ["a b.glb", "c.glb"]


def test_an_output_may_not_replace_an_input(tmp_path: Path) -> None:
    path = tmp_path / "x.glb"
    path.write_bytes(b"precious")
    with pytest.raises(ContentError, match="would overwrite this input"):
        lg.batch("bake", path, tmp_path)
    assert path.read_bytes() == b"precious"


def test_a_link_out_of_the_folder_of_outputs_is_not_followed(tmp_path: Path) -> None:
    write_good(tmp_path / "in" / "a" / "x.gltf", 1.0)
    write_good(tmp_path / "in" / "y.gltf", 1.0)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a").symlink_to(tmp_path / "elsewhere")
    report = lg.batch("check", tmp_path / "in", tmp_path / "out", jobs=1)
    assert [entry.ok for entry in report] == [False, True]
    assert "points outside the output folder" in (report.failed[0].reason or "")
    assert list((tmp_path / "elsewhere").iterdir()) == []


# --- options ---


@pytest.mark.parametrize(
    ("command", "values", "message"),
    [
        ("dance", {}, "unknown batch command 'dance'"),
        ("simulate", {"sconds": 1}, "simulate has no option 'sconds'"),
        ("simulate", {"rate": 0.0}, "simulate: rate is 0.0"),
        ("simulate", {"seconds": -1.0}, "simulate: seconds is -1.0"),
        ("simulate", {"seconds": 1e9}, "found 60000000001 frames"),
        ("simulate", {"format": "xlsx"}, "unknown format 'xlsx'"),
        ("simulate", {"roots": ["nowhere"]}, "is not a folder"),
        ("simulate", {"gravity": (0.0, float("nan"), 0.0)}, "gravity is"),
        ("bake", {"substeps": 0}, "substeps is 0"),
        ("check", {"ignore": ("NO_SUCH",)}, "unknown code 'NO_SUCH'"),
        ("convert", {"to": "klingon"}, "unknown target 'klingon'"),
        ("retarget", {}, "retarget: to is missing"),
        ("retarget", {"to": "missing.vrm"}, "missing.vrm"),
    ],
)
def test_wrong_options_are_reported_before_anything_is_touched(
    tmp_path: Path, command: str, values: dict, message: str
) -> None:
    with pytest.raises(LigamentError, match=message):
        lg.batch(command, tmp_path, tmp_path / "out", **values)
    assert not (tmp_path / "out").exists()


def test_bounds_must_be_bounds(tmp_path: Path) -> None:
    for bad in ({"jobs": 0}, {"timeout": 0.0}, {"timeout": float("nan")}, {"max_memory": 0}):
        with pytest.raises(ContentError):
            lg.batch("check", tmp_path, tmp_path / "out", **bad)


def test_an_operation_stands_for_its_name_and_options() -> None:
    by_name = planned("simulate", {"seconds": 2, "format": "csv", "events": True})
    assert planned(Simulate(seconds=2), {"format": "csv", "events": True}) == by_name
    assert by_name.fingerprint() == {"seconds": 2.0, "format": "csv", "events": True}
    assert planned(Bake(), {}) == planned("bake", {})


# --- stores ---


@pytest.fixture
def store() -> str:
    """A store in memory with a file that has a buffer below it."""
    files = fsspec.filesystem("memory")
    base = f"/bucket{os.getpid()}"
    write_store(files, base)
    return f"memory://{base}"


def write_store(files, base: str) -> None:
    document = falling(1.0)
    document["buffers"] = [{"uri": "data/the%20x.bin", "byteLength": 4}]
    document["images"] = [{"uri": "skin.png"}]
    files.pipe(f"{base}/a/x.gltf", json.dumps(document).encode())
    files.pipe(f"{base}/a/data/the x.bin", b"1234")
    files.pipe(f"{base}/a/skin.png", b"\x89PNG")
    files.pipe(f"{base}/b/y.gltf", json.dumps(falling(2.0)).encode())
    files.pipe(f"{base}/b/notes.txt", b"no")
    for i, uri in enumerate(("../a/skin.png", "/a/skin.png", "memory://a/skin.png", "%2e%2e/z")):
        outside = {**falling(1.0), "buffers": [{"uri": uri, "byteLength": 4}]}
        files.pipe(f"{base}/bad/{i}.gltf", json.dumps(outside).encode())


def test_a_store_is_listed_like_a_folder(store: str) -> None:
    suffixes = SIMULATE.suffixes
    assert list_store(f"{store}/b", suffixes, Access())[1] == [f"{store}/b/y.gltf"]
    root, urls = list_store(f"{store}/**/x.gltf", suffixes, Access())
    assert (root, urls) == (store, [f"{store}/a/x.gltf"])
    inputs = gather([f"{store}/a", f"{store}/b"], suffixes, without=Path("out"), access=Access())
    assert names_of(inputs, SIMULATE) == ["x.gltf", "y.gltf"]


def test_a_file_is_fetched_with_what_it_names(store: str, tmp_path: Path) -> None:
    path = fetch(f"{store}/a/x.gltf", tmp_path, Access(), with_images=True)
    document = lg.load(path)
    assert bytes(document.read_buffer(0)) == b"1234"
    assert (tmp_path / "skin.png").read_bytes() == b"\x89PNG"


@pytest.mark.parametrize("index", range(4))
def test_a_file_in_a_store_names_nothing_outside(store: str, tmp_path: Path, index: int) -> None:
    with pytest.raises(UnsafePathError, match="points outside the folder"):
        fetch(f"{store}/bad/{index}.gltf", tmp_path, Access(), with_images=True)


def test_only_stores_that_are_allowed_are_opened(store: str, tmp_path: Path) -> None:
    with pytest.raises(ContentError, match="'ftp' is not allowed"):
        fetch("ftp://host/x.glb", tmp_path, Access(), with_images=False)
    with pytest.raises(ContentError, match="'memory' is not allowed"):
        fetch(f"{store}/a/x.gltf", tmp_path, Access(PROTOCOLS - {"memory"}), with_images=False)
    with pytest.raises(ContentError, match="may not be chained"):
        fetch("s3://x/a.gltf::memory://y", tmp_path, Access(), with_images=False)
    for url in ("zip://x.gltf::s3://b/y.zip", "s3://b/y.zip::memory://x.gltf", "ssh://host/x.glb"):
        with pytest.raises(ContentError, match=r"chained|is not allowed"):
            gather([url], SIMULATE.suffixes, without=tmp_path, access=Access())
    with pytest.raises(FileError, match="cannot be read"):
        fetch(f"{store}/a/missing.gltf", tmp_path, Access(), with_images=False)


def test_secrets_of_urls_are_not_shown() -> None:
    assert shown("https://me:secret@host:1/a/x.glb?sig=secret#f") == "https://host:1/a/x.glb"
    assert is_url("s3://bucket/x.glb")
    assert not is_url("c:/x.glb")
    assert not is_url("a/b.glb")


def from_memory(task: Task) -> Entry:
    """Work as usual in a process whose memory holds the store."""
    write_store(fsspec.filesystem("memory"), "/there")
    return perform(task)


def test_files_of_a_store_are_worked_on(tmp_path: Path) -> None:
    files = fsspec.filesystem("memory")
    write_store(files, "/there")
    options = {"jobs": 1, "seconds": 0.1, "work": from_memory}
    report = lg.batch("simulate", "memory://there", tmp_path / "out", **options)
    assert {entry.name: entry.ok for entry in report} == {
        "a/x.gltf": True,
        "b/y.gltf": True,
        **{f"bad/{i}.gltf": False for i in range(4)},
    }
    assert report.entries[0].input == "memory:///there/a/x.gltf"
    local = lg.simulate(lg.load(write_good(tmp_path / "same.gltf", 2.0)), seconds=0.1)
    with np.load(tmp_path / "out" / "b" / "y.gltf.npz") as stored:
        assert np.array_equal(stored["translation"], local.translation)
    again = lg.batch("simulate", "memory://there", tmp_path / "out", resume=True, **options)
    assert again.resumed == 2

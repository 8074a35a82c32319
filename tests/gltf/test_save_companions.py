"""Files beside the output: placed under free names, removed again when the save fails."""

from pathlib import Path

import pytest

from ligament.errors import FileError
from ligament.files import all_or_nothing
from ligament.gltf.save import Companions, hashed
from ligament.gltf.storage.byte_sources import BLOCK, FileRange, Memory


@pytest.fixture
def beside(tmp_path: Path) -> Companions:
    return Companions(tmp_path / "out.gltf")


def test_a_free_name_is_taken(tmp_path: Path, beside: Companions) -> None:
    assert beside.place("sub/a%20b.bin", Memory(b"1")) == "sub/a%20b.bin"
    assert (tmp_path / "sub" / "a b.bin").read_bytes() == b"1"


def test_the_same_content_is_shared(tmp_path: Path, beside: Companions) -> None:
    large = bytes(range(256)) * (BLOCK // 128)
    (tmp_path / "a.bin").write_bytes(large)
    assert beside.place("a.bin", Memory(large)) == "a.bin"
    assert beside.place("a.bin", FileRange(tmp_path / "a.bin")) == "a.bin"
    (tmp_path / "twin.bin").write_bytes(large)
    assert beside.place("a.bin", FileRange(tmp_path / "twin.bin")) == "a.bin"
    assert beside.place("a.bin", Memory(large[:-1] + b"x")) != "a.bin"
    assert (tmp_path / "a.bin").read_bytes() == large


def test_other_content_gets_a_hashed_name(tmp_path: Path, beside: Companions) -> None:
    (tmp_path / "a.bin").write_bytes(b"1")
    name = beside.place("a.bin", Memory(b"2"))
    assert name == hashed("a.bin", Memory(b"2")) == beside.place("a.bin", Memory(b"2"))
    assert (tmp_path / name).read_bytes() == b"2"
    assert (tmp_path / "a.bin").read_bytes() == b"1"


def test_a_folder_in_the_way_is_something_else_whatever_its_size(
    tmp_path: Path, beside: Companions
) -> None:
    (tmp_path / "a.bin").mkdir()
    content = Memory(bytes((tmp_path / "a.bin").stat().st_size))
    assert beside.place("a.bin", content) == hashed("a.bin", content)


def test_where_the_hashed_name_is_taken_too_nothing_is_overwritten(
    tmp_path: Path, beside: Companions
) -> None:
    (tmp_path / "a.bin").write_bytes(b"1")
    (tmp_path / hashed("a.bin", Memory(b"2"))).write_bytes(b"tampered")
    with pytest.raises(FileError, match="in the way of the file"):
        beside.place("a.bin", Memory(b"2"))


def test_a_file_in_place_of_a_folder_is_an_error(tmp_path: Path, beside: Companions) -> None:
    (tmp_path / "sub").write_bytes(b"")
    with pytest.raises(FileError, match="cannot be created"):
        beside.place("sub/a.bin", Memory(b"1"))


@pytest.mark.parametrize(
    "uri", ["../../a.bin", "/etc/a.bin", "..\\a.bin", "C:\\a.bin", "..%2Fa.bin"]
)
def test_paths_that_point_outside_are_placed_inside(
    tmp_path: Path, beside: Companions, uri: str
) -> None:
    assert beside.place(uri, Memory(b"1")) == "a.bin"
    assert (tmp_path / "a.bin").read_bytes() == b"1"


def test_a_folder_behind_a_link_is_not_written_to(tmp_path: Path) -> None:
    out, away = tmp_path / "out", tmp_path / "away"
    out.mkdir()
    away.mkdir()
    (out / "sub").symlink_to(away)
    assert Companions(out / "a.gltf").place("sub/a.bin", Memory(b"1")) == "a.bin"
    assert not list(away.iterdir())


def test_the_output_is_not_a_free_name(tmp_path: Path, beside: Companions) -> None:
    (tmp_path / "sub").mkdir()
    for uri in ("out.gltf", "./out.gltf", "sub/../out.gltf"):
        assert beside.is_output(uri)
    assert not beside.is_output("sub/out.gltf")
    assert beside.place("out.gltf", Memory(b"1")) == hashed("out.gltf", Memory(b"1"))
    assert not (tmp_path / "out.gltf").exists()


def test_created_files_are_removed_after_a_failure(tmp_path: Path, beside: Companions) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "old.bin").write_bytes(b"1")

    def place_and_fail() -> None:
        with all_or_nothing():
            for uri in ("old.bin", "new.bin", "kept/a.bin", "deep/er/b.bin", "deep/c.bin"):
                beside.place(uri, Memory(b"1"))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        place_and_fail()
    assert sorted(str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*")) == [
        "kept",
        "old.bin",
    ]


def test_hashes_do_not_pile_up() -> None:
    once = hashed("a/mesh.bin", Memory(b"1"))
    assert once.startswith("a/mesh.")
    assert hashed(once, Memory(b"1")) == once
    assert len(hashed(once, Memory(b"2"))) == len(once)
    assert hashed(once, Memory(b"2")) != once

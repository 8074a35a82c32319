"""Folders beside an output: they agree with it at every moment."""

from pathlib import Path

import pytest

from ligament.conversion.folders import name_of, stored
from ligament.errors import FileError


def files(*contents: bytes) -> dict[str, bytes]:
    return {name_of(content, "obj"): content for content in contents}


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_new_files_come_first_and_old_ones_go_last(tmp_path: Path) -> None:
    folder = tmp_path / "meshes"
    with stored(folder, files(b"a", b"b")):
        assert names(folder) == files(b"a", b"b").keys()
    with stored(folder, files(b"b", b"c")):
        assert names(folder) == files(b"a", b"b", b"c").keys()
    assert names(folder) == files(b"b", b"c").keys()
    with stored(folder, {}):
        assert folder.is_dir()
    assert not folder.exists()


def test_a_failure_takes_back_what_was_new(tmp_path: Path) -> None:
    folder = tmp_path / "meshes"
    with pytest.raises(KeyError), stored(folder, files(b"a")):
        raise KeyError
    assert not folder.exists()
    with stored(folder, files(b"a")):
        pass
    with pytest.raises(KeyError), stored(folder, files(b"b")):
        raise KeyError
    assert names(folder) == files(b"a").keys()


def test_damaged_files_are_rewritten_and_leftovers_removed(tmp_path: Path) -> None:
    folder = tmp_path / "meshes"
    name = name_of(b"a", "obj")
    folder.mkdir()
    (folder / name).write_bytes(b"torn")
    (folder / f".{name}.0123456789ab.part").write_bytes(b"to")
    with stored(folder, files(b"a")):
        pass
    assert (folder / name).read_bytes() == b"a"
    assert names(folder) == {name}


@pytest.mark.parametrize("stranger", ["notes.txt", "1.obj", name_of(b"a", "obj") + ".bak"])
def test_a_folder_with_anything_else_is_refused(tmp_path: Path, stranger: str) -> None:
    folder = tmp_path / "meshes"
    folder.mkdir()
    (folder / stranger).write_bytes(b"mine")
    with pytest.raises(FileError, match="named after their content"), stored(folder, {}):
        pass
    assert (folder / stranger).read_bytes() == b"mine"


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "meshes").write_bytes(b"mine")
    with pytest.raises(FileError), stored(tmp_path / "meshes", files(b"a")):
        pass
    assert (tmp_path / "meshes").read_bytes() == b"mine"

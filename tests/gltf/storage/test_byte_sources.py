"""Bytes in memory, in files and in data URIs, read when they are needed."""

import base64
import gc
import os
import threading
import weakref
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ligament.errors import FileError, FormatError
from ligament.gltf.storage import byte_sources
from ligament.gltf.storage.byte_sources import DataUri, FileRange, Memory


def joined(source: byte_sources.Content) -> bytes:
    return b"".join(source.blocks())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    return path


def stamp(path: Path) -> byte_sources.Stamp:
    return byte_sources.stamp_of(path.stat())


def test_memory_is_read_only() -> None:
    source = Memory(bytearray(b"abc"))
    assert (source.size(), bytes(source.read()), joined(source)) == (3, b"abc", b"abc")
    assert source.read().readonly


@pytest.mark.parametrize(
    ("offset", "length", "expected"),
    [(0, None, b"0123456789"), (3, 4, b"3456"), (4, None, b"456789"), (10, 0, b"")],
)
def test_a_range_of_a_file(file: Path, offset: int, length: int | None, expected: bytes) -> None:
    source = FileRange(file, offset, length)
    assert source.size() == len(expected)
    assert joined(source) == expected
    assert bytes(source.read()) == expected
    assert source.read() is source.read()
    file.unlink()
    assert joined(source) == expected
    assert source.size() == len(expected)


def test_large_files_come_in_blocks(tmp_path: Path) -> None:
    path = tmp_path / "large"
    path.write_bytes(os.urandom(2 * byte_sources.BLOCK + 5))
    blocks = list(FileRange(path, 1).blocks())
    assert [len(block) for block in blocks] == [byte_sources.BLOCK, byte_sources.BLOCK, 4]
    assert b"".join(blocks) == path.read_bytes()[1:]


def test_nothing_is_opened_before_the_first_read(tmp_path: Path) -> None:
    source = FileRange(tmp_path / "missing")
    for use in (source.read, source.size, lambda: joined(source)):
        with pytest.raises(FileError, match=r"missing: cannot be read \(No such file"):
            use()


@pytest.mark.parametrize("change", ["shorter", "longer", "replaced", "touched"])
def test_a_file_that_changed_is_an_error(file: Path, change: str) -> None:
    source = FileRange(file, 2, 6, stamp=stamp(file))
    match change:
        case "shorter":
            os.truncate(file, 4)
        case "longer":
            file.write_bytes(b"0123456789abc")
        case "replaced":
            (file.parent / "new").write_bytes(b"0123456789")
            os.replace(file.parent / "new", file)
        case "touched":
            os.utime(file, ns=(1, 1))
    for use in (source.read, lambda: joined(source)):
        with pytest.raises(FileError, match="has changed since it was loaded"):
            use()


def test_a_range_beyond_the_end_is_an_error(file: Path) -> None:
    source = FileRange(file, 8, 6)
    for use in (source.read, lambda: joined(source)):
        with pytest.raises(FileError, match="shorter than when it was loaded"):
            use()


def test_folders_and_pipes_are_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        source = FileRange(path)
        for use in (source.size, source.read):
            with pytest.raises(FileError, match=r"is a folder, a device or a pipe|Is a directory"):
                use()


def test_the_working_folder_may_change(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(file.parent)
    source = FileRange(Path("file"))
    monkeypatch.chdir("/")
    assert bytes(source.read()) == b"0123456789"


def test_ranges_are_kept_before_their_file_is_replaced(file: Path) -> None:
    link = file.parent / "link"
    link.symlink_to(file)
    direct, through_link = FileRange(file, 1, 2, stamp=stamp(file)), FileRange(link)
    byte_sources.keep_before_replacing(file)
    file.write_bytes(b"new")
    assert bytes(direct.read()) == b"12"
    assert bytes(through_link.read()) == b"0123456789"


def test_a_range_that_is_lost_does_not_stop_the_others(file: Path) -> None:
    lost, kept = FileRange(file, stamp=(0, 0, 0)), FileRange(file, stamp=stamp(file))
    byte_sources.keep_before_replacing(file)
    file.unlink()
    assert bytes(kept.read()) == b"0123456789"
    with pytest.raises(FileError):
        lost.read()


def test_ranges_that_nobody_needs_are_forgotten(file: Path) -> None:
    source = FileRange(file)
    witness = weakref.ref(source)
    del source
    gc.collect()
    assert witness() is None
    assert not [left for left in byte_sources._unread if left.identity == str(file)]


def test_ranges_may_be_made_while_others_are_kept(file: Path) -> None:
    """A set that grows while it is looked through would be an error in either thread."""
    faults: list[BaseException] = []
    done = threading.Event()

    def make() -> None:
        try:
            while not done.is_set():
                FileRange(file)
        except BaseException as fault:
            faults.append(fault)

    worker = threading.Thread(target=make)
    worker.start()
    for _ in range(200):
        byte_sources.keep_before_replacing(file.parent / "another")
    done.set()
    worker.join()
    assert not faults


@given(st.binary())
def test_data_uris_carry_any_bytes(data: bytes) -> None:
    uri = byte_sources.encode_data_uri(memoryview(data), "text/x")
    source = DataUri(uri)
    assert byte_sources.is_data_uri(uri)
    assert (bytes(source.read()), joined(source), source.size()) == (data, data, len(data))


@pytest.mark.parametrize(
    ("uri", "data"),
    [
        ("data:,hello%20world%21", b"hello world!"),
        ("data:text/plain;charset=utf-8,%C3%A9", "é".encode()),
        ("DATA:x/y;BASE64,aGk=", b"hi"),
        ("data:;base64,aGk%3D", b"hi"),
        ("data:,", b""),
    ],
)
def test_spellings_of_data_uris(uri: str, data: bytes) -> None:
    assert byte_sources.is_data_uri(uri)
    assert byte_sources.decode_data_uri(uri) == data


@pytest.mark.parametrize("uri", ["data:", "data:;base64", "data:;base64,?", "data:;base64,aGk"])
def test_broken_data_uris_are_refused(uri: str) -> None:
    with pytest.raises(FormatError, match="data URI"):
        DataUri(uri).read()


def test_a_data_uri_is_decoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    decode = base64.b64decode
    monkeypatch.setattr(base64, "b64decode", lambda *a, **k: calls.append(1) or decode(*a, **k))
    source = DataUri("data:;base64,aGk=")
    assert not calls
    assert source.read() is source.read()
    assert len(calls) == 1

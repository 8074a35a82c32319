"""The outer form of files: chunks kept in order, sizes checked before they are believed."""

import os
import struct
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ligament.errors import FileError, FormatError, LimitError
from ligament.gltf.storage import container
from ligament.gltf.storage.byte_sources import Memory
from ligament.gltf.storage.container import Chunk, glb_pieces, open_container, parse_container
from ligament.limits import Limits
from tests.gltf.documents import BIN_CHUNK, glb_bytes

PARTS = st.lists(st.tuples(st.integers(1, 2**32 - 1), st.binary(max_size=9)), max_size=3)


def padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)


@given(st.none() | st.binary(max_size=9), PARTS)
def test_chunks_come_back_in_order(binary: bytes | None, chunks: list[tuple[int, bytes]]) -> None:
    if binary is None:
        chunks = [part for part in chunks if part[0] != BIN_CHUNK]
    parsed = parse_container(glb_bytes(b'{"a":1}', binary, *chunks))
    assert (parsed.form, parsed.text, parsed.ignored) == ("glb", b'{"a":1} ', 0)
    found = None if parsed.binary is None else bytes(parsed.binary.read())
    assert found == (None if binary is None else padded(binary))
    kept = [(chunk.type, bytes(chunk.data.read())) for chunk in parsed.chunks]
    assert kept == [(kind, padded(data)) for kind, data in chunks]


@given(st.binary(max_size=9), st.none() | st.binary(max_size=9), PARTS)
def test_pieces_make_the_file_that_the_format_describes(
    text: bytes, binary: bytes | None, chunks: list[tuple[int, bytes]]
) -> None:
    pieces = glb_pieces(
        text,
        None if binary is None else Memory(binary),
        [Chunk(kind, Memory(data)) for kind, data in chunks],
    )
    assert b"".join(pieces) == glb_bytes(text, binary, *chunks)


def test_a_bin_chunk_that_comes_later_is_an_unknown_chunk() -> None:
    parsed = parse_container(glb_bytes(b"{}", None, (7, b"odd!"), (BIN_CHUNK, b"late")))
    assert parsed.binary is None
    assert [chunk.type for chunk in parsed.chunks] == [7, BIN_CHUNK]


def test_text_is_text_whatever_it_says() -> None:
    for text in (b"", b"{", b"\xef\xbb\xbf{}", b"gltf", b"x" * 100):
        assert parse_container(text) == container.Container("gltf", text)


def test_chunks_stay_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "a.glb"
    path.write_bytes(glb_bytes(b"{}", b"bin!", (7, b"more")))
    parsed = open_container(path)
    with path.open("r+b") as stream:
        stream.write(b"glTF")
        os.utime(stream.fileno(), ns=(1, 1))
    assert parsed.binary is not None
    for data in (parsed.binary, parsed.chunks[0].data):
        assert data.size() == 4
        with pytest.raises(FileError, match="changed since"):
            data.read()


def test_bytes_after_the_declared_end_are_counted() -> None:
    assert parse_container(glb_bytes(b"{}") + b"rest").ignored == 4


def header(length: int, version: int = 2) -> bytes:
    return struct.pack("<4sII", b"glTF", version, length)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"glTF", "header is truncated"),
        (header(12)[:11], "header is truncated"),
        (header(12, version=1), "version is 1"),
        (header(0), "no JSON chunk"),
        (header(12), "no JSON chunk"),
        (header(100), "declares 100 bytes, the file has 12"),
        (header(2**32 - 1), "declares 4294967295 bytes"),
        (header(16) + b"1234", "chunk header at byte 12 is truncated"),
        (header(20) + struct.pack("<II", 4, 0x4E4F534A), "declares 4 bytes, 0 follow"),
        (header(24) + struct.pack("<II", 2**32 - 1, 0x4E4F534A) + b"{}  ", "declares 4294967295"),
        (
            header(24) + struct.pack("<II", 4, BIN_CHUNK) + b"{}  ",
            "first chunk has type 0x004e4942",
        ),
        (glb_bytes(b"{}", b"1234")[:-1], "the file has"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_broken_layouts_are_refused(tmp_path: Path, data: bytes, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        parse_container(data)
    path = tmp_path / "a.glb"
    path.write_bytes(data)
    with pytest.raises(FormatError, match=message) as caught:
        open_container(path)
    assert caught.value.file == str(path)


def test_json_beyond_the_limit_is_not_read() -> None:
    for data in (b" " * 200, glb_bytes(b" " * 200)):
        with pytest.raises(LimitError, match=r"found \d+ bytes of JSON text; .*text_bytes="):
            parse_container(data, limits=Limits(text_bytes=100))


def test_a_file_of_more_than_four_gigabytes_is_refused() -> None:
    class Huge:
        def size(self) -> int:
            return 2**32

        def blocks(self) -> Iterator[bytes]:
            raise AssertionError("nothing may be written")
            yield b""

    with pytest.raises(LimitError, match="do not fit into a GLB file"):
        list(glb_pieces(b"{}", Huge(), []))


@pytest.mark.parametrize("blocks", [[b"12"], [b"1234", b"5"], []])
def test_content_that_changes_while_it_is_written_is_an_error(blocks: list[bytes]) -> None:
    class Moving:
        def size(self) -> int:
            return 4

        def blocks(self) -> Iterator[bytes]:
            yield from blocks

    with pytest.raises(FileError, match="changed while it was copied"):
        list(glb_pieces(b"{}", Moving(), []))


def test_missing_files_and_folders_are_file_errors(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.glb", tmp_path, tmp_path / ("x" * 300)):
        with pytest.raises(FileError, match="cannot be read"):
            open_container(path)


def test_a_pipe_is_read_to_its_end(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    data = glb_bytes(b"{}", b"1234")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(data,))
    writer.start()
    parsed = open_container(tmp_path / "pipe")
    writer.join()
    assert parsed.binary is not None
    assert bytes(parsed.binary.read()) == b"1234"

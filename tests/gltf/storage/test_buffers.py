"""The bytes of a buffer: read late, appended to without moving anything."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ligament.errors import ContentError
from ligament.gltf.storage.byte_sources import BufferData, Memory


@given(
    st.binary(max_size=20),
    st.lists(st.tuples(st.binary(max_size=9), st.sampled_from([1, 2, 4, 8, 16])), max_size=5),
)
def test_appended_bytes_are_found_at_aligned_offsets(
    base: bytes, pieces: list[tuple[bytes, int]]
) -> None:
    buffer = BufferData(Memory(base), len(base))
    offsets = [buffer.append(data, alignment=alignment) for data, alignment in pieces]
    whole = bytes(buffer.read())
    assert whole[: len(base)] == base
    for offset, (data, alignment) in zip(offsets, pieces, strict=True):
        assert offset % alignment == 0
        assert whole[offset : offset + len(data)] == data
    assert len(whole) == buffer.length == buffer.size()
    assert b"".join(buffer.blocks()) == whole


def test_an_unchanged_buffer_keeps_bytes_beyond_its_length() -> None:
    buffer = BufferData(Memory(b"12345678"), 5)
    assert bytes(buffer.read()) == b"12345"
    assert buffer.size() == 8
    assert b"".join(buffer.blocks()) == b"12345678"
    assert buffer.append(b"new") == 8
    assert bytes(buffer.read()) == b"12345\0\0\0new"


def test_a_buffer_without_bytes_does_not_exist_until_some_are_appended() -> None:
    buffer = BufferData(None, 0)
    assert not buffer.exists
    assert buffer.append(b"1") == 0
    assert buffer.exists
    assert buffer.changed


def test_too_few_bytes_are_an_error_and_not_an_allocation() -> None:
    buffer = BufferData(Memory(b"1234"), 2**50)
    with pytest.raises(ContentError, match="declares 1125899906842624 bytes, 4 exist"):
        buffer.read()


def test_appended_bytes_are_copied() -> None:
    buffer = BufferData(None, 0)
    data = bytearray(b"1234")
    buffer.append(data)
    data[:] = b"xxxxyyyy"
    assert bytes(buffer.read()) == b"1234"


def test_a_fork_goes_its_own_way() -> None:
    buffer = BufferData(Memory(b"1234"), 4)
    buffer.append(b"ab")
    twin = buffer.fork()
    buffer.append(b"left", alignment=1)
    twin.append(b"right", alignment=1)
    assert bytes(buffer.read()) == b"1234ableft"
    assert bytes(twin.read()) == b"1234abright"


def test_reading_is_stable_until_something_is_appended() -> None:
    buffer = BufferData(Memory(b"1234"), 4)
    first = buffer.read()
    assert buffer.read() is first
    buffer.append(b"5")
    assert bytes(first) == b"1234"
    assert bytes(buffer.read()) == b"12345"

"""Decompressed data, kept as long as its document: nothing is decoded twice, nor without end."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")


class _Entry(NamedTuple):
    source: memoryview
    value: Any
    size: int


class Decoded:
    """What the compressed data of one document decoded to.

    A view that thousands of accessors share would otherwise be decoded thousands of times.
    """

    def __init__(self) -> None:
        self._entries: dict[Hashable, _Entry] = {}
        self.bytes = 0

    def once(self, key: Hashable, source: memoryview, decode: Callable[[int], tuple[T, int]]) -> T:
        """Return what `source` decodes to, as `decode` makes it the first time.

        `key` says where it stands and how it is decoded; other bytes there are decoded anew.
        `decode` takes the number of bytes that are kept already, and returns a value and its size.
        """
        known = self._entries.get(key)
        if known is not None and _is_same(known.source, source):
            value: T = known.value
            return value
        if known is not None:
            del self._entries[key]
            self.bytes -= known.size
        value, size = decode(self.bytes)
        self._entries[key] = _Entry(source, value, size)
        self.bytes += size
        return value


def _is_same(a: memoryview, b: memoryview) -> bool:
    """Tell whether two views of equal place in their buffers have the same buffer."""
    return a.obj is b.obj and len(a) == len(b)

"""Compaction of buffers: unused gaps are closed, alignment is kept."""

from __future__ import annotations

import bisect
from collections.abc import Iterable
from typing import Any, NamedTuple

from ligament.errors import EditError
from ligament.gltf import pointers
from ligament.gltf.document import Document
from ligament.gltf.references import Reference, read_index
from ligament.gltf.storage.byte_sources import BufferData

ALIGNMENT = 8
"""Modulus [bytes] that offsets keep: no component or image format needs more."""


class Block(NamedTuple):
    """A run of used bytes: its start, its end, and its start in the packed buffer."""

    start: int
    end: int
    packed: int


class Repacking:
    """New bytes for the buffers that hold dead ones. Making it reads and checks, `apply` changes.

    `views` are the references to buffers that count: each holder says buffer, byteOffset and
    byteLength (buffer views, and the compressed twins that extensions put into them).
    """

    def __init__(self, document: Document, views: Iterable[Reference]) -> None:
        self.document = document
        self._data: dict[int, BufferData] = {}
        self._offsets: list[tuple[dict[str, Any], int]] = []
        self._buffers = list(document.array("buffers"))
        by_buffer: dict[int, list[Reference]] = {}
        for view in views:
            by_buffer.setdefault(view.index, []).append(view)
        for index, group in sorted(by_buffer.items()):
            if document.buffer(index).exists:
                self._pack(index, group)

    def apply(self) -> None:
        """Set the new bytes, lengths and offsets."""
        for holder, offset in self._offsets:
            holder["byteOffset"] = offset
        if not self._data:
            return
        places = {id(raw): i for i, raw in enumerate(self.document.array("buffers"))}
        kept = [self.document.buffer(i) for i in range(len(places))]
        for index, data in self._data.items():
            raw = self._buffers[index]
            raw["byteLength"] = data.length
            kept[places[id(raw)]] = data
        self.document.set_buffers(kept)

    def _pack(self, index: int, views: list[Reference]) -> None:
        length = self.document.buffer(index).length
        ranges = {id(view.holder): _range(self.document, view, length) for view in views}
        blocks = _blocks(sorted(ranges.values()))
        in_place = all(block.start == block.packed for block in blocks)
        if in_place and length - blocks[-1].end < ALIGNMENT:
            return
        content = self.document.read_buffer(index)
        packed = BufferData(None, 0)
        for block in blocks:
            packed.append(b"\0" * (block.packed - packed.length), alignment=1)
            packed.append(content[block.start : block.end], alignment=1)
        self._data[index] = packed
        starts = [block.start for block in blocks]
        for view in views:
            start = ranges[id(view.holder)][0]
            block = blocks[bisect.bisect_right(starts, start) - 1]
            if block.packed != block.start:
                self._offsets.append((view.holder, start + block.packed - block.start))


def _range(document: Document, view: Reference, length: int) -> tuple[int, int]:
    """Read the byte range of a view, which must lie in its buffer."""
    start = read_index(view.holder.get("byteOffset", 0))
    size = read_index(view.holder.get("byteLength"))
    if start is None or not size or start + size > length:
        raise EditError(
            f"the bytes do not lie in buffer {view.index}, which has {length}",
            file=document.path,
            pointer=pointers.join("", *view.place),
            remedy="fix byteOffset and byteLength first",
        )
    return start, start + size


def _blocks(ranges: list[tuple[int, int]]) -> list[Block]:
    """Join sorted overlapping ranges, and move each block down as far as its alignment allows."""
    blocks: list[Block] = []
    for start, end in ranges:
        if blocks and start < blocks[-1].end:
            last = blocks.pop()
            blocks.append(last._replace(end=max(last.end, end)))
            continue
        free = blocks[-1].packed + blocks[-1].end - blocks[-1].start if blocks else 0
        blocks.append(Block(start, end, free + (start - free) % ALIGNMENT))
    return blocks

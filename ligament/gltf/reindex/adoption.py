"""Bytes adopted from another document: its buffers and external files."""

from __future__ import annotations

import os
from typing import Any

from ligament.errors import LigamentError
from ligament.gltf import pointers, references
from ligament.gltf.document import Document
from ligament.gltf.embed import media_type_of
from ligament.gltf.storage.byte_sources import BufferData, is_data_uri

ALIGNMENT = 16


def adopt_files(theirs: Document, ours: Document) -> bool:
    """Embed the images and sounds that `theirs` refers to in another folder into a new buffer.

    Otherwise their URIs would be resolved, perhaps successfully, next to `ours`. Return whether
    there were any.
    """
    if same_folder(theirs, ours):
        return False
    taken = BufferData(None, 0)
    buffers = [theirs.buffer(index) for index in range(len(theirs.array("buffers")))]
    for pointer, uri in list(references.files(theirs)):
        if is_data_uri(uri):
            continue
        try:
            content = theirs.external(uri).read()
        except LigamentError as fault:
            ours.warn(f"{uri!r} of {theirs.path} is not copied: {fault.message}", pointer)
            continue
        offset = taken.append(content, alignment=ALIGNMENT)
        view = {"buffer": len(buffers), "byteOffset": offset, "byteLength": len(content)}
        _use_view(theirs, pointer, view, media_type_of(content, uri))
    if not taken.length:
        return False
    theirs.growing_array("buffers").append({"byteLength": taken.length})
    theirs.set_buffers([*buffers, taken])
    return True


class Buffers:
    """Finds a place for every buffer of `theirs`; `commit` moves them there.

    `places` is old index → (index, shift of the bytes) in `ours`.
    """

    def __init__(self, ours: Document, theirs: Document) -> None:
        self.ours, self.theirs = ours, theirs
        self.places: dict[int, tuple[int, int]] = {}
        self._data = [ours.buffer(index) for index in range(len(ours.array("buffers")))]
        self._home = next((i for i, data in enumerate(self._data) if data.exists), None)
        self._forked = False
        self._new: list[dict[str, Any]] = []
        for index, raw in enumerate(theirs.array("buffers")):
            self._place(index, raw)

    def commit(self) -> None:
        """Extend the buffers of `ours`."""
        if not self.places:
            return
        raw = self.ours.growing_array("buffers")
        raw.extend(self._new)
        if self._home is not None:
            raw[self._home]["byteLength"] = self._data[self._home].length
        self.ours.set_buffers(self._data)

    def _place(self, index: int, raw: dict[str, Any]) -> None:
        data = self.theirs.buffer(index)
        in_memory = raw.get("uri") is None and data.exists
        if in_memory and self._home is not None:
            content = self.theirs.read_buffer(index)
            shift = self._forked_buffer().append(content, alignment=ALIGNMENT)
            self.places[index] = self._home, shift
            return
        self.places[index] = len(self._data), 0
        if in_memory:
            self._home, self._forked = len(self._data), True
        self._data.append(data if in_memory else self._settled(index, raw.get("uri")))
        self._new.append(raw)

    def _forked_buffer(self) -> BufferData:
        """Return a buffer to append to, leaving the document's own unchanged."""
        assert self._home is not None
        if not self._forked:
            self._data[self._home] = self._data[self._home].fork()
            self._forked = True
        return self._data[self._home]

    def _settled(self, index: int, uri: str | None) -> BufferData:
        """Return bytes that stay valid when the document is saved in its own folder."""
        data = self.theirs.buffer(index)
        if uri is None or is_data_uri(uri) or same_folder(self.theirs, self.ours):
            return data
        # Bytes that count as new are written beside the file; others are looked for there.
        settled = BufferData(None, 0)
        settled.append(self.theirs.read_buffer(index))
        return settled


def _use_view(document: Document, pointer: str, view: dict[str, int], kind: str) -> None:
    """Give the object at `pointer` its bytes in a buffer view instead of a file."""
    owner, _, member = pointer.rpartition("/")
    holder = pointers.find(document.json, owner)
    views = document.growing_array("bufferViews")
    views.append(view)
    del holder[member]
    holder["bufferView"] = len(views) - 1
    holder.setdefault("mimeType", kind)


def same_folder(document: Document, other: Document) -> bool:
    """Tell whether relative URIs mean the same files in both documents."""
    if document.folder is None or other.folder is None:
        return document.folder is other.folder
    return os.path.realpath(document.folder) == os.path.realpath(other.folder)

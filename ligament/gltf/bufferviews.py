"""The bytes of buffer views, decompressed where they are compressed."""

from __future__ import annotations

from ligament.errors import ContentError, LigamentError
from ligament.gltf import objects
from ligament.gltf.compression import decode_meshopt
from ligament.gltf.document import Document
from ligament.gltf.views import read_view

MESHOPT = ("EXT_meshopt_compression", "KHR_meshopt_compression")


def read_view_bytes(document: Document, index: int) -> memoryview:
    """Return the bytes of a buffer view, read-only."""
    view = document.view("bufferViews", index, objects.BufferView)
    pointer = f"/bufferViews/{index}"
    try:
        for name in MESHOPT:
            if name in view.extensions:
                return _decompressed(document, view, name, f"{pointer}/extensions/{name}")
        return _slice(document, view, pointer)
    except LigamentError as fault:
        raise fault.located(document.path) from fault.__cause__


def _decompressed(
    document: Document, view: objects.BufferView, name: str, pointer: str
) -> memoryview:
    extension = view.extensions[name]
    source = read_view(extension, objects.ByteRange, pointer)
    try:
        return memoryview(decode_meshopt(_slice(document, source, pointer), extension))
    except LigamentError as fault:
        fault.pointer = fault.pointer or pointer
        raise


def _slice(document: Document, span: objects.ByteRange, pointer: str) -> memoryview:
    data = document.read_buffer(span.buffer)
    end = span.byte_offset + span.byte_length
    if end > len(data):
        raise ContentError(
            f"bytes {span.byte_offset} to {end} of a buffer of {len(data)} bytes",
            pointer=pointer,
            remedy="byteOffset and byteLength must stay inside the buffer",
        )
    return data[span.byte_offset : end]

"""Buffer views: their bytes, decompressed where necessary."""

from __future__ import annotations

from typing import Any

from ligament.errors import ContentError, LigamentError
from ligament.gltf import objects
from ligament.gltf.document import Document
from ligament.gltf.jsontext import encode
from ligament.gltf.storage.compression import decode_meshopt
from ligament.gltf.views import read_view

MESHOPT = ("EXT_meshopt_compression", "KHR_meshopt_compression")


def read_view_bytes(document: Document, index: int) -> memoryview:
    """Return the bytes of a buffer view, read-only."""
    view = document.view("bufferViews", index, objects.BufferView)
    pointer = f"/bufferViews/{index}"
    try:
        for name in MESHOPT:
            if name in view.extensions:
                place = f"{pointer}/extensions/{name}"
                return _decompressed(document, view.extensions[name], index, place)
        return _slice(document, view, pointer)
    except LigamentError as fault:
        raise fault.located(document.path) from fault.__cause__


def _decompressed(document: Document, extension: Any, index: int, pointer: str) -> memoryview:
    span = read_view(extension, objects.ByteRange, pointer)

    def decode(spent: int) -> tuple[memoryview, int]:
        decoded = decode_meshopt(source, extension, limits=document.limits, spent=spent)
        return memoryview(decoded), len(decoded)

    try:
        source = _slice(document, span, pointer)
        return document.decoded.once((index, encode(extension)), source, decode)
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

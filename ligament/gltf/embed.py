"""Embedding: every buffer and image stored in the file itself."""

from __future__ import annotations

import mimetypes
from typing import Any

from ligament.errors import LigamentError
from ligament.gltf import pointers, references
from ligament.gltf.document import Document
from ligament.gltf.storage.byte_sources import BufferData, DataUri, encode_data_uri, is_data_uri
from ligament.gltf.storage.container import Form

_SIGNATURES = {
    b"\x89PNG": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"\xabKTX": "image/ktx2",
    b"RIFF": "image/webp",
}


def embedded(document: Document, form: Form) -> Document:
    """Return a copy without external files: GLB has one buffer, .gltf has data URIs."""
    copy = document.copy()
    if form == "glb":
        pack_buffers(copy)
        copy.form = "glb"
    else:
        for index, raw in enumerate(copy.array("buffers")):
            if copy.buffer(index).exists:
                raw["uri"] = encode_data_uri(copy.read_buffer(index), "application/octet-stream")
    for index, raw in enumerate(copy.array("images")):
        if isinstance(raw, dict) and isinstance(raw.get("uri"), str):
            _embed_image(copy, index, raw, form)
    return copy


def pack_buffers(document: Document) -> None:
    """Move the bytes of all buffers into buffer 0, which loses its URI.

    Buffers without bytes (fallbacks of EXT_meshopt_compression) stay unchanged.
    """
    count = len(document.array("buffers"))
    data = [document.buffer(index) for index in range(count)]
    if not any(buffer.exists for buffer in data):
        return
    packed = BufferData(None, 0)
    moved: dict[int, int] = {}
    for index, buffer in enumerate(data):
        if buffer.exists:
            moved[index] = packed.append(document.read_buffer(index), alignment=16)
    kept = [index for index in range(count) if index not in moved]
    place = dict.fromkeys(moved, 0) | {index: i + 1 for i, index in enumerate(kept)}
    for reference in list(references.references(document)):
        if reference.target == "/buffers" and reference.index in place:
            if moved.get(reference.index) and not reference.is_pointer:
                _shift(reference, moved[reference.index])
            reference.point_to(place[reference.index])
    first = {k: v for k, v in document.json["buffers"][min(moved)].items() if k != "uri"}
    first["byteLength"] = packed.length
    document.json["buffers"] = [first, *(document.json["buffers"][index] for index in kept)]
    document.set_buffers([packed, *(data[index] for index in kept)])


def _shift(reference: references.Reference, distance: int) -> None:
    """Move the range of a buffer that an object names by `distance` [bytes]."""
    holder: Any = reference.holder
    offset = holder.get("byteOffset", 0)
    if not isinstance(offset, (int, float)):
        pointer = f"{reference.pointer.rpartition('/')[0]}/byteOffset"
        raise pointers.wrong(offset, pointer, "a whole number")
    holder["byteOffset"] = offset + distance


def _embed_image(document: Document, index: int, raw: dict[str, Any], form: Form) -> None:
    uri = raw["uri"]
    if is_data_uri(uri) and form == "gltf":
        return
    try:
        content = (DataUri(uri) if is_data_uri(uri) else document.external(uri)).read()
    except LigamentError as fault:
        document.warn(f"{uri[:60]!r} is not embedded: {fault.message}", f"/images/{index}/uri")
        return
    media_type = raw.get("mimeType") or media_type_of(content, uri)
    if form == "gltf":
        raw["uri"] = encode_data_uri(content, media_type)
    else:
        del raw["uri"]
        raw["bufferView"] = document.append_view(content)
        raw["mimeType"] = media_type


def media_type_of(content: memoryview, uri: str) -> str:
    """Guess the media type of a file from its first bytes, else from its name."""
    start = bytes(content[:4])
    for signature, media_type in _SIGNATURES.items():
        if start.startswith(signature):
            return media_type
    return mimetypes.guess_type(uri)[0] or "application/octet-stream"

"""Hashes of inputs, with all that they refer to, and of outputs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from ligament.errors import FileError, LigamentError
from ligament.gltf import references
from ligament.gltf.document import Document
from ligament.gltf.storage.byte_sources import is_data_uri


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file."""
    try:
        with open(path, "rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as fault:
        reason = fault.strerror or str(fault)
        raise FileError(f"cannot be read ({reason})", file=path, remedy="name a file") from fault


def hash_document(document: Document, *, with_images: bool) -> str:
    """Return one hash of a file and of the files that it names."""
    assert document.path is not None, "a document that was loaded from a file"
    return hash_together(hash_file(document.path), hash_companions(document, with_images))


def hash_together(first: str, others: dict[str, str]) -> str:
    """Return one hash for a file and those it needs; a file that stands alone keeps its own."""
    if not others:
        return first
    total = hashlib.sha256(first.encode())
    for name, digest in sorted(others.items()):
        total.update(f"\n{digest} {name}".encode(errors="backslashreplace"))
    return total.hexdigest()


def hash_companions(document: Document, with_images: bool) -> dict[str, str]:
    """Return URI → hash of the buffers and, where they matter, of the other files it names.

    A file that cannot be had is told by a word instead: once it is there, the input has changed.
    """
    uris = [*_buffers(document)]
    if with_images:
        uris += [uri for _, uri in references.files(document) if not is_data_uri(uri)]
    return {uri: _hash_uri(document, uri) for uri in dict.fromkeys(uris)}


def _buffers(document: Document) -> Iterator[str]:
    for raw in document.array("buffers"):
        uri = raw.get("uri") if isinstance(raw, dict) else None
        if isinstance(uri, str) and not is_data_uri(uri):
            yield uri


def _hash_uri(document: Document, uri: str) -> str:
    total = hashlib.sha256()
    try:
        for block in document.external(uri).blocks():
            total.update(block)
    except LigamentError:
        return "absent"
    return total.hexdigest()

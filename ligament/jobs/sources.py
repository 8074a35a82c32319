"""Inputs of tasks: their content, and one hash over everything that the work reads."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from pathlib import Path

from ligament.errors import FileError, LigamentError
from ligament.gltf import references
from ligament.gltf.document import Document
from ligament.gltf.load import load
from ligament.gltf.storage.byte_sources import is_data_uri
from ligament.limits import Limits

opened: ContextVar[Callable[[str], None]] = ContextVar("opened", default=lambda _: None)
"""Called with the hash of an input as soon as it is known."""


class Source:
    """An input on the local disk, read once for both its hash and its content.

    `known` is its hash, as far as it could be computed; it covers the files of `settings`.
    """

    def __init__(
        self,
        path: Path,
        limits: Limits,
        *,
        reads_images: bool,
        settings: Callable[[Path], Iterable[Path]] = lambda _: (),
    ) -> None:
        self.path, self.limits, self.reads_images = path, limits, reads_images
        self._settings = settings
        self.known: str | None = None

    def sha256(self) -> str:
        """Return one hash of the file and of everything else that the work on it reads."""
        own = self.known = hash_file(self.path)
        opened.get()(own)
        others = {path.name: hash_file(path) for path in self._settings(self.path)}
        if not self.is_bvh:
            others |= hash_companions(self.document, self.reads_images)
        self.known = combine_hashes(own, others)
        return self.known

    @property
    def is_bvh(self) -> bool:
        """Whether it is BVH motion, by its suffix."""
        return self.path.suffix.lower() == ".bvh"

    @functools.cached_property
    def document(self) -> Document:
        """The content of a glTF file."""
        return load(self.path, limits=self.limits)


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file."""
    try:
        with open(path, "rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as fault:
        reason = fault.strerror or str(fault)
        raise FileError(f"cannot be read ({reason})", file=path, remedy="check the path") from fault


def hash_document(document: Document, *, with_images: bool) -> str:
    """Return one hash of a file and of the files that it references."""
    assert document.path is not None, "a document that was loaded from a file"
    return combine_hashes(hash_file(document.path), hash_companions(document, with_images))


def combine_hashes(first: str, others: dict[str, str]) -> str:
    """Return one hash for a file and those it needs; a self-contained file keeps its own."""
    if not others:
        return first
    combined = hashlib.sha256(first.encode())
    for name, digest in sorted(others.items()):
        combined.update(f"\n{digest} {name}".encode(errors="backslashreplace"))
    return combined.hexdigest()


def hash_companions(document: Document, with_images: bool) -> dict[str, str]:
    """Return URI → hash of the buffers and, where they matter, of the other referenced files.

    A missing file is marked "absent": once it exists, the input counts as changed.
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
    content = hashlib.sha256()
    try:
        for block in document.external(uri).blocks():
            content.update(block)
    except LigamentError:
        return "absent"
    return content.hexdigest()

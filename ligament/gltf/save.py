"""Saving documents: companion files first, then the file itself, each renamed into place.

Unedited content is written back unchanged: the JSON text token for token, every URI, every chunk.
An existing companion with different content (.bin, image) is never overwritten: the new content
gets a name with its hash, so that readers of the old and of the new JSON each find the matching
bytes.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from ligament.arguments import checked
from ligament.errors import ContentError, FileError, LigamentError
from ligament.files import (
    Bytes,
    all_or_nothing,
    create_atomic,
    local_path,
    make_folder,
    write_atomic,
)
from ligament.gltf import jsontext, pointers, references
from ligament.gltf.document import Document
from ligament.gltf.embed import embedded
from ligament.gltf.load import AnyDocument, as_document
from ligament.gltf.storage import uris
from ligament.gltf.storage.byte_sources import (
    BLOCK,
    Content,
    FileRange,
    encode_data_uri,
    is_data_uri,
    keep_before_replacing,
)
from ligament.gltf.storage.container import BIN_CHUNK, GLB_SUFFIXES, Form, glb_pieces
from ligament.gltf.storage.uris import quote

OCTETS = "application/octet-stream"


@checked
def save(document: AnyDocument, path: str | os.PathLike[str], *, embed: bool = False) -> None:
    """Save as .gltf, .glb, .vrm or .vrma, by the suffix of `path`; refuse other suffixes.

    The same container keeps every URI; another folder gets copies of the external files; .glb
    embeds buffer 0; .gltf from .glb writes NAME.bin. `embed` embeds all buffers and images. The
    document does not change; after a failure, an existing file is unchanged too.
    """
    document, path = as_document(document), local_path(path)
    form = form_of(path) if path.suffix and path != document.path else document.form
    if not path.parent.is_dir():
        raise FileError(
            f"the folder {path.parent} does not exist", file=path, remedy="create it first"
        )
    companions = Companions(path)
    try:
        with all_or_nothing():
            writer = _Writer(
                embedded(document, form) if embed else document, form, path, companions
            )
            pieces = writer.pieces()
            keep_before_replacing(path)
            write_atomic(path, pieces)
    except LigamentError as fault:
        raise fault.located(path) from fault.__cause__


def glb_bytes(document: Document) -> bytes:
    """Return a document as a GLB; files that it names stay where they are."""
    has_binary = document.array("buffers") and document.buffer(0).exists
    binary = document.buffer(0) if has_binary else None
    return b"".join(glb_pieces(jsontext.encode(document.json), binary, ()))


def form_of(path: Path) -> Form:
    """Return the container for a suffix; ContentError lists the known ones."""
    suffix = path.suffix.lower()
    if suffix in GLB_SUFFIXES:
        return "glb"
    if suffix == ".gltf":
        return "gltf"
    known = ", ".join((".gltf", *sorted(GLB_SUFFIXES)))
    remedy = f"use one of {known}; ligament convert writes other formats"
    raise ContentError(f"{suffix!r} is not a glTF suffix", file=path, remedy=remedy)


class _Writer:
    """Decides where the bytes of each buffer and image go, and writes the companions."""

    def __init__(self, document: Document, form: Form, path: Path, companions: Companions) -> None:
        self.document, self.form, self.path, self.companions = document, form, path, companions
        self.root = document.json
        self.binary: Content | None = None
        self.elsewhere = document.folder is None or _differ(document.folder, path.parent)

    def pieces(self) -> Iterable[Bytes]:
        """Place the companions and return the bytes of the file itself."""
        for index, raw in enumerate(self.document.array("buffers")):
            if isinstance(raw, dict):
                self._place_buffer(index, raw.get("uri"))
        for pointer, uri in list(references.files(self.document)):
            if self._moves(uri):
                self._place_file(pointer, uri)
        spare = self.document.origin.spare if self.document.origin else None
        if self.form == "gltf":
            self._warn_of_lost_chunks(spare)
            return [self._text()]
        binary = spare if self.binary is None else self.binary
        return glb_pieces(self._text(), binary, self.document.chunks)

    def _place_buffer(self, index: int, uri: Any) -> None:
        data = self.document.buffer(index)
        moves_in = uri is None or self.document.form == "gltf"
        if self.form == "glb" and index == 0 and moves_in and data.exists:
            self.binary = data
            self._set(f"/buffers/{index}", uri=None)
        elif uri is None:
            if data.exists:
                name = f"{self.path.stem}.bin" if index == 0 else f"{self.path.stem}.{index}.bin"
                self._set(f"/buffers/{index}", uri=self.companions.place(quote(name), data))
        elif is_data_uri(uri):
            if data.changed:
                self._set(f"/buffers/{index}", uri=encode_data_uri(data.read(), OCTETS))
        elif data.changed:
            self._set(f"/buffers/{index}", uri=self.companions.place(hashed(uri, data), data))
        elif self._moves(uri):
            self._set(f"/buffers/{index}", uri=self.companions.place(uri, data))

    def _moves(self, uri: str) -> bool:
        """Tell whether a file must be copied: the output is elsewhere, or takes its name."""
        return not is_data_uri(uri) and (self.elsewhere or self.companions.is_output(uri))

    def _place_file(self, pointer: str, uri: str) -> None:
        try:
            source = self.document.external(uri)
            source.size()
        except LigamentError as fault:
            self.document.warn_missing(uri, fault.message, pointer)
            return
        owner, _, member = pointer.rpartition("/")
        self._set(owner, **{member: self.companions.place(uri, source)})

    def _set(self, pointer: str, **members: Any) -> None:
        self.root = pointers.replaced(self.root, pointer, **members)

    def _text(self) -> bytes:
        """Return the JSON text; unedited, every token stays unchanged."""
        origin = self.document.origin
        same_form = self.form == self.document.form
        canonical = jsontext.encode(self.root)
        if origin is not None and jsontext.digest(canonical) == origin.digest:
            text = origin.text.removeprefix(jsontext.BOM)
            return text if same_form else jsontext.reformat(text, indent=self._indent())
        was_compact = origin is not None and same_form and b"\n" not in origin.text.strip()
        return jsontext.reformat(canonical, indent=None if was_compact else self._indent())

    def _indent(self) -> int | None:
        return 2 if self.form == "gltf" else None

    def _warn_of_lost_chunks(self, spare: Content | None) -> None:
        kinds = [chunk.type for chunk in self.document.chunks]
        kinds = kinds if spare is None else [BIN_CHUNK, *kinds]
        if kinds:
            names = ", ".join(f"{kind:#010x}" for kind in kinds)
            self.document.warn(f"the GLB chunks {names} have no place in .gltf and are left out")


def _differ(folder: Path, other: Path) -> bool:
    return os.path.realpath(folder) != os.path.realpath(other)


_HASH = re.compile(r"\.[0-9a-f]{12}$")


class Companions:
    """Companion files in the folder of `output`, never overwriting others."""

    def __init__(self, output: Path) -> None:
        self.output = output
        self.folder = output.parent

    def place(self, uri: str, content: Content) -> str:
        """Write content under `uri`, or under a hashed name if that is taken.

        Return the URI of the result.
        """
        for name in _names(self._inside(uri), content):
            target = self._target(name)
            if self.is_output(name):
                continue
            if self._create(target, content) or _same(target, content):
                return name
        raise FileError("is in the way of the file to write", file=target)

    def is_output(self, uri: str) -> bool:
        """Tell whether a URI names the file that is about to be replaced."""
        target = self._target(uri)
        if target.name != self.output.name:
            return False
        return os.path.realpath(target.parent) == os.path.realpath(self.folder)

    def _target(self, uri: str) -> Path:
        return self.folder / uris.file_name(uri)

    def _inside(self, uri: str) -> str:
        """Reduce a URI that leads outside the folder to its file name."""
        try:
            uris.resolve(uri, self.folder)
        except LigamentError:
            return uris.quote(PurePosixPath(uris.file_name(uri).replace("\\", "/")).name)
        return uri

    def _create(self, target: Path, content: Content) -> bool:
        make_folder(target.parent)
        return create_atomic(target, content.blocks())


def _names(uri: str, content: Content) -> Iterator[str]:
    yield uri
    yield hashed(uri, content)


def hashed(uri: str, content: Content) -> str:
    """Insert the hash of the content into a file name: mesh.bin → mesh.1f0c22d9a7b3.bin."""
    digest = hashlib.blake2b(digest_size=6)
    for block in content.blocks():
        digest.update(block)
    path = PurePosixPath(uri)
    stem = _HASH.sub("", path.stem)  # a name that is saved repeatedly must not grow
    return str(path.with_name(f"{stem}.{digest.hexdigest()}{path.suffix}"))


def _same(file: Path, content: Content) -> bool:
    """Tell whether a regular file (not a link) already has the content."""
    if file.is_symlink():
        return False
    try:
        if isinstance(content, FileRange) and file.samefile(content.path):
            return True
        if file.stat().st_size != content.size():
            return False
        with file.open("rb") as stream:
            theirs = iter(functools.partial(stream.read, BLOCK), b"")
            return _joined_equal(theirs, content.blocks())
    except OSError:
        return False


def _joined_equal(theirs: Iterator[Bytes], ours: Iterator[Bytes]) -> bool:
    left, right = memoryview(b""), memoryview(b"")
    while True:
        left = left or memoryview(next(theirs, b""))
        right = right or memoryview(next(ours, b""))
        count = min(len(left), len(right))
        if not count:
            return len(left) == len(right)
        if left[:count] != right[:count]:
            return False
        left, right = left[count:], right[count:]

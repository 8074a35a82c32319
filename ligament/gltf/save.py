"""Writing a document: the files beside it first, then the file itself, each renamed into place.

What was not edited is written as it was: the JSON text token for token, every URI, every chunk.
A file that stands beside the output with other content (.bin, image) is never overwritten: the
new content goes under a name that carries its hash, so that a reader of the old JSON and a reader
of the new JSON each find the bytes that belong to it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ligament.errors import FileError, LigamentError
from ligament.files import Bytes, write_atomic
from ligament.gltf import jsontext, pointers, references
from ligament.gltf.companions import Companions, hashed
from ligament.gltf.container import BIN_CHUNK, GLB_SUFFIXES, Form, glb_pieces
from ligament.gltf.document import Document
from ligament.gltf.embed import embedded
from ligament.gltf.sources import Content, encode_data_uri, is_data_uri, keep_before_replacing
from ligament.gltf.uris import quote

OCTETS = "application/octet-stream"


def save(document: Document, path: str | os.PathLike[str], *, embed: bool = False) -> None:
    """Save as .gltf, .glb, .vrm or .vrma, told by the suffix of `path`.

    The same form keeps every URI; another folder gets copies of the external files; .glb takes
    buffer 0 into itself; .gltf from .glb writes NAME.bin. `embed` takes in all buffers and images.
    The document stays as it is; after a failure, so does the file that was there.
    """
    path = Path(path)
    if not path.parent.is_dir():
        raise FileError(
            f"the folder {path.parent} does not exist", file=path, remedy="create it first"
        )
    form = form_of(path, document)
    beside = Companions(path)
    try:
        with beside.undone_on_failure():
            writer = _Writer(embedded(document, form) if embed else document, form, path, beside)
            pieces = writer.pieces()
            keep_before_replacing(path)
            write_atomic(path, pieces)
    except LigamentError as fault:
        raise fault.located(path) from fault.__cause__


def form_of(path: Path, document: Document) -> Form:
    """Tell the container from a suffix; an unknown suffix keeps the document's own."""
    suffix = path.suffix.lower()
    if suffix in GLB_SUFFIXES:
        return "glb"
    return "gltf" if suffix == ".gltf" else document.form


class _Writer:
    """Decides where the bytes of each buffer and image go, and writes those that go beside."""

    def __init__(self, document: Document, form: Form, path: Path, beside: Companions) -> None:
        self.document, self.form, self.path, self.beside = document, form, path, beside
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
                self._set(f"/buffers/{index}", uri=self.beside.place(quote(name), data))
        elif is_data_uri(uri):
            if data.changed:
                self._set(f"/buffers/{index}", uri=encode_data_uri(data.read(), OCTETS))
        elif data.changed:
            self._set(f"/buffers/{index}", uri=self.beside.place(hashed(uri, data), data))
        elif self._moves(uri):
            self._set(f"/buffers/{index}", uri=self.beside.place(uri, data))

    def _moves(self, uri: str) -> bool:
        """Tell whether a file must be copied: the output is far from it, or takes its name."""
        return not is_data_uri(uri) and (self.elsewhere or self.beside.is_output(uri))

    def _place_file(self, pointer: str, uri: str) -> None:
        try:
            source = self.document.external(uri)
            source.size()
        except LigamentError as fault:
            self.document.warn(f"{uri!r} is not copied: {fault.message}", pointer)
            return
        owner, _, member = pointer.rpartition("/")
        self._set(owner, **{member: self.beside.place(uri, source)})

    def _set(self, pointer: str, **members: Any) -> None:
        self.root = pointers.replaced(self.root, pointer, **members)

    def _text(self) -> bytes:
        """Return the JSON text; where no member was edited, every token stays as it was."""
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

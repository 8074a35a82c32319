"""Document: raw JSON as the source of truth, and the bytes that belong to it."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from ligament.arguments import checked
from ligament.errors import (
    ArgumentError,
    ContentError,
    LigamentError,
    counted,
    shortened,
    visible,
    warn,
)
from ligament.files import Bytes
from ligament.findings import NOT_PLAYED, Finding
from ligament.gltf import jsontext, objects, pointers
from ligament.gltf.objects import View, read_view
from ligament.gltf.storage import uris
from ligament.gltf.storage.byte_sources import (
    BufferData,
    DataUri,
    FileRange,
    Source,
    Stamp,
    is_data_uri,
    stamp_of,
)
from ligament.gltf.storage.compression import DecodedCache
from ligament.gltf.storage.container import Chunk, Container, Form
from ligament.limits import DEFAULT, Limits

MOST_WARNINGS = 100
"""Most findings of a reader that are issued as warnings."""

T = TypeVar("T", bound=View)
V = TypeVar("V")


@dataclasses.dataclass(frozen=True)
class Origin:
    """The source of a document, needed to write unedited text back unchanged.

    `overflows` tells whether it contained numbers too large for a double; `binary` is the BIN chunk
    of buffer 0; `spare` is a BIN chunk that no buffer uses.
    """

    text: bytes
    digest: bytes
    overflows: bool = False
    binary: Source | None = None
    spare: Source | None = None


class Document:
    """A glTF document; `json` is the raw JSON to read and edit, and all else is preserved.

    `path` is the file it was loaded from (None for a new document), `folder` the base of relative
    URIs, `form` its container, `chunks` the GLB chunks beyond JSON and BIN, `roots` the folders
    besides its own that URIs may refer to, `limits` its resource limits.
    """

    @checked
    def __init__(
        self,
        json: dict[str, Any] | None = None,
        *,
        path: Path | None = None,
        form: Form = "glb",
        chunks: Sequence[Chunk] = (),
        roots: Sequence[Path] = (),
        origin: Origin | None = None,
        limits: Limits = DEFAULT,
    ) -> None:
        self.json: dict[str, Any] = {"asset": {"version": "2.0"}} if json is None else json
        self.path = path
        # Absolute, since files are read lazily and the working folder may change before.
        self.folder = None if path is None else path.absolute().parent
        self.form: Form = form
        self.chunks = list(chunks)
        self.roots = tuple(root.absolute() for root in (*roots, *uris.named_roots()))
        self.origin = origin
        self.limits = limits
        self._buffers: dict[int, tuple[str | None, BufferData]] = {}
        self._stamps: dict[str, Stamp] = {}
        self._warned: set[str] = set()
        self._missing: set[str] = set()

    @classmethod
    def from_container(
        cls,
        container: Container,
        *,
        path: Path | None = None,
        roots: Sequence[Path] = (),
        limits: Limits = DEFAULT,
    ) -> Document:
        """Parse the JSON of a container; binary data is read later."""
        decoded = jsontext.decode(container.text, limits=limits)
        for name, value in decoded.root.items():
            if isinstance(value, list):
                limits.require("items", len(value), "elements", pointer=pointers.join("", name))
        first = pointers.find(decoded.root, "/buffers/0")
        used = isinstance(first, dict) and first.get("uri") is None
        binary, spare = (container.binary, None) if used else (None, container.binary)
        origin = Origin(container.text, decoded.digest, decoded.overflows, binary, spare)
        return cls(
            decoded.root,
            path=path,
            form=container.form,
            chunks=container.chunks,
            roots=roots,
            origin=origin,
            limits=limits,
        )

    def __repr__(self) -> str:
        """Summarize the document in one line."""
        name = self.path.name if self.path else "new document"
        singular = {"nodes": "node", "meshes": "mesh", "animations": "animation"}
        arrays = {name: self.json.get(name) for name in singular}
        counts = [
            counted(len(array) if isinstance(array, list) else 0, singular[name], name)
            for name, array in arrays.items()
        ]
        return f"<ligament.Document {name}: {', '.join(counts)}>"

    def array(self, name: str) -> list[Any]:
        """Return a top-level array unchanged (empty if the document has none).

        Its elements should be objects, but a broken file may contain anything: `views` checks them.
        """
        if not isinstance(name, str):
            raise ArgumentError(f"the name of an array is {name!r}", remedy="give a name")
        value = self.json.get(name, [])
        if not isinstance(value, list):
            raise self.error(f"found {pointers.kind_of(value)}", f"/{name}", "it must be an array")
        return value

    def growing_array(self, name: str) -> list[Any]:
        """Return a top-level array to append to, creating it if necessary."""
        array = self.array(name)
        self.json.setdefault(name, array)
        return array

    @cached_property
    def decoded(self) -> DecodedCache:
        """Compressed data decoded so far."""
        return DecodedCache()

    @checked
    def view(self, *, height: int | None = None) -> Any:
        """Show the document at rest in a notebook; `height` is in pixels.

        >>> lg.load("door.glb").view()
        """
        viewer = importlib.import_module(
            "ligament.viewer"
        )  # a higher layer, and expensive to import
        return viewer.show(self, **({} if height is None else {"height": height}))

    def element(self, name: str, index: int, kind: type[T]) -> T:
        """Read element `index` of a top-level array as a typed view."""
        items = self.array(name)
        if not (isinstance(index, int) and 0 <= index < len(items)):
            raise self.error(
                f"there is no element {index}", f"/{name}", f"the array has {len(items)} elements"
            )
        return self._read(items[index], kind, f"/{name}/{index}")

    def views(self, name: str, kind: type[T]) -> list[T]:
        """Read a whole top-level array as typed views."""
        return self._read(self.array(name), list[kind], f"/{name}")  # type: ignore[valid-type]

    @checked
    def view_at(self, pointer: str, kind: type[T]) -> T | None:
        """Read the value at a JSON pointer as a typed view; None if there is none."""
        raw = pointers.find(self.json, pointer)
        return None if raw is None else self._read(raw, kind, pointer)

    def _read(self, raw: Any, kind: type[V], pointer: str) -> V:
        try:
            return read_view(raw, kind, pointer)
        except LigamentError as fault:
            raise fault.located(self.path) from None
        except TypeError as fault:
            raise ArgumentError(f"the kind of view is {kind!r}", remedy=f"{fault}") from None

    @checked
    def extension(self, name: str) -> dict[str, Any] | None:
        """Return the root object of an extension, or None."""
        value = self.json.get("extensions")
        value = value.get(name) if isinstance(value, dict) else None
        return value if isinstance(value, dict) else None

    @checked
    def use_extension(self, name: str) -> None:
        """List an extension in `extensionsUsed`."""
        used = self.growing_array("extensionsUsed")
        if name not in used:
            used.append(name)

    @checked
    def drop_extensions(self, names: Collection[str]) -> None:
        """Remove extensions from `extensionsUsed` and `extensionsRequired`."""
        for member in ("extensionsUsed", "extensionsRequired"):
            listed = self.json.get(member)
            if isinstance(listed, list):
                kept = [name for name in listed if not (isinstance(name, str) and name in names)]
                if not kept:
                    del self.json[member]
                elif len(kept) < len(listed):
                    self.json[member] = kept

    def buffer(self, index: int) -> BufferData:
        """Return the bytes of a buffer; they are read from disk when first used."""
        declared = self.element("buffers", index, objects.Buffer)
        known = self._buffers.get(index)
        if known is not None and known[0] == declared.uri:
            return known[1]
        try:
            source = self._source(declared.uri, is_first=index == 0)
        except LigamentError as fault:
            fault.pointer = f"/buffers/{index}/uri"
            raise fault.located(self.path) from None
        data = BufferData(source, declared.byte_length)
        self._buffers[index] = (declared.uri, data)
        return data

    @checked
    def read_buffer(self, index: int) -> memoryview:
        """Return all bytes of a buffer, read-only."""
        data = self.buffer(index)
        try:
            self.limits.require("file_bytes", data.size(), "bytes in the buffer")
            return data.read()
        except LigamentError as fault:
            what = f"{fault.file} {fault.message}" if fault.file else fault.message
            raise type(fault)(
                what, file=self.path, pointer=f"/buffers/{index}", remedy=fault.remedy
            ) from fault

    def size(self) -> int:
        """Return the size [bytes] of the document when it was loaded; 0 for a new one.

        A file used by several buffers counts once.
        """
        if self.origin is None:
            return 0
        uris = {uri for raw in self.array("buffers") if (uri := _uri(raw))}
        total = len(self.origin.text)
        total += self.origin.binary.size() if self.origin.binary is not None else 0
        for uri in uris:
            with contextlib.suppress(LigamentError):  # reported where it is read
                total += 0 if is_data_uri(uri) else self.external(uri).size()
        return total

    def set_buffers(self, data: Sequence[BufferData]) -> None:
        """Assign new bytes to the buffers of the JSON, one for one, after rearranging them."""
        uris_now = [buffer.get("uri") for buffer in self.array("buffers")]
        self._buffers = dict(enumerate(zip(uris_now, data, strict=True)))

    @checked
    def append_view(self, content: Bytes, *, alignment: int = 4, **members: Any) -> int:
        """Append bytes to the first buffer as a new buffer view; return the index of the view."""
        buffers, views = self.growing_array("buffers"), self.growing_array("bufferViews")
        index = next((i for i in range(len(buffers)) if self.buffer(i).exists), len(buffers))
        data = self.buffer(index) if index < len(buffers) else BufferData(None, 0)
        offset = data.append(content, alignment=alignment)
        if index == len(buffers):
            buffers.append({})
            self._buffers[index] = (None, data)
        buffers[index]["byteLength"] = data.length
        length = data.length - offset
        views.append({"buffer": index, "byteOffset": offset, "byteLength": length, **members})
        return len(views) - 1

    @checked
    def pin(self, uri: str) -> None:
        """Record the state of a file that the JSON depends on: later changes are an error."""
        path = self.external(uri).path
        with contextlib.suppress(OSError):  # a missing file may still appear
            self._stamps[uri] = stamp_of(path.stat())

    @checked
    def external(self, uri: str) -> FileRange:
        """Return the file that a relative URI names; UnsafePathError if that is not allowed."""
        if self.folder is None:
            raise ContentError(
                f"the URI {uri!r} is relative to a file, and the document has none",
                remedy="load the document from a file",
            )
        path = uris.resolve(uri, self.folder, self.roots)
        return FileRange(path, stamp=self._stamps.get(uri))

    def copy(self) -> Document:
        """Return an independent copy; bytes are shared and never changed in place."""
        twin = Document(
            jsontext.clone(self.json),
            path=self.path,
            form=self.form,
            chunks=self.chunks,
            roots=self.roots,
            origin=self.origin,
            limits=self.limits,
        )
        twin._buffers = {i: (uri, data.fork()) for i, (uri, data) in self._buffers.items()}
        twin._stamps, twin._warned = dict(self._stamps), set(self._warned)
        twin._missing = set(self._missing)
        return twin

    def warn(self, message: str, pointer: str = "") -> None:
        """Issue a warning, once per message."""
        line = ": ".join(str(part) for part in (self.path, pointer, message) if part)
        line = shortened(visible(shortened(line)))
        if line not in self._warned:
            self._warned.add(line)
            warn(line)

    def warn_missing(self, uri: str, reason: str, pointer: str) -> None:
        """Warn about a missing or unreadable external file, once per file."""
        if uri not in self._missing:
            self._missing.add(uri)
            message = f"{uri[:60]!r} is kept by its URI, but neither read nor copied: {reason}"
            self.warn(message, pointer)

    def warn_of(self, findings: Iterable[Finding]) -> None:
        """Warn about content left out, replaced or not played; hints are for the checker.

        The first are listed individually, the rest counted.
        """
        grave = [f for f in findings if f.severity in ("error", "warning") or f.code in NOT_PLAYED]
        for finding in grave[:MOST_WARNINGS]:
            self.warn(f"{finding.message}; {finding.remedy}", finding.pointer)
        if len(grave) > MOST_WARNINGS:
            self.warn(f"{len(grave) - MOST_WARNINGS} more: run ligament check")

    def error(self, message: str, pointer: str, remedy: str) -> ContentError:
        """Return an error about a place in this document."""
        return ContentError(message, file=self.path, pointer=pointer, remedy=remedy)

    def _source(self, uri: str | None, *, is_first: bool) -> Source | None:
        if uri is None:
            return self.origin.binary if self.origin and is_first else None
        return DataUri(uri) if is_data_uri(uri) else self.external(uri)


def _uri(raw: Any) -> str | None:
    uri = raw.get("uri") if isinstance(raw, dict) else None
    return uri if isinstance(uri, str) else None

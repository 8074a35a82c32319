"""Loading documents from files or bytes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

from ligament.arguments import checked
from ligament.errors import FormatError, LigamentError
from ligament.files import local_path
from ligament.gltf.document import Document
from ligament.gltf.jsontext import BOM
from ligament.gltf.storage.byte_sources import is_data_uri
from ligament.gltf.storage.container import (
    GLB_SUFFIXES,
    MAGIC,
    Container,
    open_container,
    parse_container,
)
from ligament.limits import DEFAULT, Limits

AnyDocument: TypeAlias = Document | str | os.PathLike[str]
"""A document, or the path of one."""


@checked
def load(
    path: str | os.PathLike[str],
    *,
    roots: Sequence[str | os.PathLike[str]] = (),
    limits: Limits = DEFAULT,
) -> Document:
    """Load a .gltf, .glb, .vrm or .vrma file; the container is detected from the content.

    Only the JSON is read; buffers are read when they are used. URIs in the file may name files in
    its own folder, and below `roots` if given. `limits` bound the resources that it may use, now
    and later.

    >>> doc = load("door.glb")
    >>> doc.json["nodes"][0]["name"]
    'Frame'
    """
    path = local_path(path)
    _refuse_foreign(path)
    container = open_container(path, limits=limits)
    return _document(container, path, [Path(root) for root in roots], limits)


FOREIGN = {
    b"Kaydara FBX Binary": "FBX",
    b"; FBX": "FBX",
    b"HIERARCHY": "BVH",
    b"PXR-USDC": "USD",
    b"#usda": "USD",
    b"PK\x03\x04": "an archive (USDZ or NPZ)",
    b"<mujoco": "MJCF",
    b"<robot": "URDF",
    b"<?xml": "XML",
    b"time,node,": "a table of poses",
}
"""First bytes of formats that are often mistaken for glTF."""

REMEDIES = {
    "FBX": "export glTF instead, or convert it with Blender or FBX2glTF",
    "BVH": "it is motion: use ligament retarget, info or view, or lg.load_motion",
    "USD": "turn it into glTF first: ligament convert scene.usd scene.glb",
    "an archive (USDZ or NPZ)": "a stage becomes glTF by ligament convert; a recording is read by "
    "ligament info, compare and lg.load_recording",
    "MJCF": "it is written, but not read: keep the glTF file that it was made from",
    "URDF": "export glTF instead",
    "XML": "export glTF instead; MJCF is written, but not read",
    "a table of poses": "CSV is written, but not read: write the recording as .npz or .json",
}


def _refuse_foreign(path: Path) -> None:
    """Refuse a file of another format, and say how to proceed."""
    try:
        with open(path, "rb") as stream:
            head = stream.read(32)
    except OSError:
        return  # the caller reports it
    for magic, name in FOREIGN.items():
        if head.startswith(magic):
            raise FormatError(f"is {name}, not glTF", file=path, remedy=REMEDIES[name])
    is_named = path.suffix.lower() in ("", ".json", ".gltf", *GLB_SUFFIXES)
    if head and not is_named and not head.lstrip().startswith((b"{", BOM, MAGIC)):
        remedy = "give a .gltf, .glb, .vrm or .vrma file"
        raise FormatError("is not glTF", file=path, remedy=remedy)


def as_document(source: AnyDocument) -> Document:
    """Return the document itself, or load it from a path."""
    return source if isinstance(source, Document) else load(source)


@checked
def loads(
    data: bytes,
    *,
    path: str | os.PathLike[str] | None = None,
    roots: Sequence[str | os.PathLike[str]] = (),
    limits: Limits = DEFAULT,
) -> Document:
    """Load a document from bytes; `path` resolves relative URIs and is named in errors."""
    where = None if path is None else local_path(path)
    try:
        container = parse_container(data, limits=limits)
    except LigamentError as fault:
        raise fault.located(where) from None
    return _document(container, where, [Path(root) for root in roots], limits)


def _document(
    container: Container, path: Path | None, roots: list[Path], limits: Limits
) -> Document:
    try:
        document = Document.from_container(container, path=path, roots=roots, limits=limits)
        for pointer, uri in _external(document, "buffers"):
            _pin(document, uri, pointer)
    except LigamentError as fault:
        raise fault.located(path) from fault.__cause__
    if container.ignored:
        count = container.ignored
        document.warn(f"{count} bytes after the declared end of the GLB are left out")
    if container.text.startswith(BOM):
        document.warn("the byte order mark before the JSON is left out: glTF has none")
    for pointer, uri in _external(document, "images"):
        _warn_unreadable(document, uri, pointer)
    return document


def _external(document: Document, name: str) -> list[tuple[str, str]]:
    """List (pointer, URI) of the objects in an array that refer to a file in a known folder."""
    items: Any = document.json.get(name) if document.folder else None
    items = items if isinstance(items, list) else []
    pairs = [(f"/{name}/{i}/uri", x.get("uri")) for i, x in enumerate(items) if isinstance(x, dict)]
    return [(p, uri) for p, uri in pairs if isinstance(uri, str) and not is_data_uri(uri)]


def _pin(document: Document, uri: str, pointer: str) -> None:
    try:
        document.pin(uri)
    except LigamentError as fault:
        fault.pointer = pointer
        raise


def _warn_unreadable(document: Document, uri: str, pointer: str) -> None:
    """Warn about an unavailable image; its URI is kept, since motion never needs images."""
    try:
        file = document.external(uri)
        file.size()
        reason = None if os.access(file.path, os.R_OK) else "permission denied"
    except LigamentError as fault:
        reason = fault.message
    if reason:
        document.warn_missing(uri, reason, pointer)

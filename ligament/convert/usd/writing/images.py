"""Textures in files of their own, named after their content."""

from __future__ import annotations

from typing import Any, Final

from ligament.convert.folders import name_of
from ligament.convert.source import Source
from ligament.errors import LigamentError
from ligament.gltf.buffer_views import read_view_bytes
from ligament.gltf.references import read_index
from ligament.gltf.storage.byte_sources import DataUri, is_data_uri

_SIGNATURES: Final = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpg"}


class Images:
    """Collects the images that materials use; `files` are their contents by name."""

    def __init__(self, source: Source, folder: str) -> None:
        self.source, self.folder = source, folder
        self.files: dict[str, bytes] = {}
        self._told: set[int] = set()

    def path(self, index: int) -> str | None:
        """Return the path of an image beside the stage; None, with a loss, where it has none."""
        try:
            content = self._content(index)
        except LigamentError as fault:
            self._lose(index, fault.message)
            return None
        suffix = next((s for start, s in _SIGNATURES.items() if content.startswith(start)), None)
        if suffix is None:
            self._lose(index, "USD reads PNG and JPEG everywhere, and nothing else")
            return None
        name = name_of(content, suffix)
        self.files[name] = content
        return f"./{self.folder}/{name}"

    def _content(self, index: int) -> bytes:
        document = self.source.document
        images = document.array("images")
        raw: Any = images[index] if index < len(images) else None
        if isinstance(raw, dict):
            view, uri = read_index(raw.get("bufferView")), raw.get("uri")
            if view is not None:
                return bytes(read_view_bytes(document, view))
            if isinstance(uri, str):
                return bytes((DataUri(uri) if is_data_uri(uri) else document.external(uri)).read())
        pointer, remedy = f"/images/{index}", "an image has a uri or a bufferView"
        raise document.error("there is no image to read", pointer, remedy)

    def _lose(self, index: int, reason: str) -> None:
        if index not in self._told:
            self._told.add(index)
            effect = "surfaces have one colour instead"
            self.source.lose(f"/images/{index}", "an image", reason, effect)

"""Materials and their textures, copied from one document into another."""

from __future__ import annotations

from typing import Any

from ligament.errors import LigamentError
from ligament.gltf import jsontext, pointers
from ligament.gltf.accessors import read_view_bytes
from ligament.gltf.document import Document
from ligament.gltf.embed import media_type_of
from ligament.gltf.storage.byte_sources import DataUri, is_data_uri

SHOWN_EXTENSIONS = ("KHR_materials_",)
"""Extensions of materials that the page supports; others are dropped."""

TRANSFORM = "KHR_texture_transform"
WEBP = "EXT_texture_webp"


class MaterialCopier:
    """Copies materials into `target`, each image once; unreadable images are left out."""

    def __init__(self, source: Document, target: Document) -> None:
        self.source, self.target = source, target
        self._materials: dict[int, int | None] = {}
        self._textures: dict[int, int | None] = {}
        self._images: dict[int, int | None] = {}

    def copy(self, index: int) -> int | None:
        """Return the index of a material in the target, None if the source has none."""
        if index not in self._materials:
            raw = _element(self.source, "materials", index)
            self._materials[index] = None if raw is None else self._append_material(raw)
        return self._materials[index]

    def _append_material(self, raw: dict[str, Any]) -> int:
        copied = jsontext.clone(raw)
        self._clean(copied)
        for name in copied.get("extensions", {}):
            self.target.use_extension(name)
        materials = self.target.growing_array("materials")
        materials.append(copied)
        return len(materials) - 1

    def _clean(self, material: dict[str, Any]) -> None:
        """Renumber the textures of a material; drop whatever the page cannot show."""
        pending: list[Any] = [material]
        while pending:
            value = pending.pop()
            if isinstance(value, list):
                pending.extend(value)
            elif isinstance(value, dict):
                pending.extend(self._clean_members(value))

    def _clean_members(self, value: dict[str, Any]) -> list[Any]:
        """Clean the members of one object; return those to process next."""
        below: list[Any] = []
        for name, member in [*value.items()]:
            if name == "extras":
                del value[name]
            elif name.endswith("Texture") and isinstance(member, dict):
                texture = self._texture(member)
                if texture is None:
                    del value[name]
                else:
                    value[name] = texture
            elif name == "extensions" and isinstance(member, dict):
                value[name] = {n: m for n, m in member.items() if n.startswith(SHOWN_EXTENSIONS)}
                below.append(value[name])
            else:
                below.append(member)
        return below

    def _texture(self, info: dict[str, Any]) -> dict[str, Any] | None:
        index = info.get("index")
        copied = self._append_texture(index) if isinstance(index, int) else None
        if copied is None:
            return None
        kept: dict[str, Any] = {
            name: info[name] for name in ("texCoord", "scale", "strength") if name in info
        }
        moved = pointers.find(info, f"/extensions/{TRANSFORM}")
        if moved is not None:
            kept["extensions"] = {TRANSFORM: moved}
            self.target.use_extension(TRANSFORM)
        return {"index": copied, **kept}

    def _append_texture(self, index: int) -> int | None:
        if index not in self._textures:
            raw = _element(self.source, "textures", index) or {}
            webp = pointers.find(raw, f"/extensions/{WEBP}/source")
            image = webp if isinstance(webp, int) else raw.get("source")
            source = self._append_image(image) if isinstance(image, int) else None
            self._textures[index] = None if source is None else self._add(raw, source)
        return self._textures[index]

    def _add(self, raw: dict[str, Any], source: int) -> int:
        texture: dict[str, Any] = {"source": source}
        sampler = raw.get("sampler")
        found = _element(self.source, "samplers", sampler) if isinstance(sampler, int) else None
        if found is not None:
            samplers = self.target.growing_array("samplers")
            samplers.append(jsontext.clone(found))
            texture["sampler"] = len(samplers) - 1
        textures = self.target.growing_array("textures")
        textures.append(texture)
        return len(textures) - 1

    def _append_image(self, index: int) -> int | None:
        if index not in self._images:
            content = read_image(self.source, index)
            if content is None:
                self._images[index] = None
            else:
                view = self.target.append_view(content)
                images = self.target.growing_array("images")
                images.append({"bufferView": view, "mimeType": media_type_of(content, "")})
                self._images[index] = len(images) - 1
        return self._images[index]


def read_image(document: Document, index: int) -> memoryview | None:
    """Return the bytes of an image; None, with a warning, if they cannot be read."""
    raw = _element(document, "images", index) or {}
    uri, view = raw.get("uri"), raw.get("bufferView")
    try:
        if isinstance(view, int):
            return memoryview(read_view_bytes(document, view))
        if isinstance(uri, str):
            return (DataUri(uri) if is_data_uri(uri) else document.external(uri)).read()
    except LigamentError as fault:
        document.warn(f"an image is not shown: {fault.message}", f"/images/{index}")
    return None


def _element(document: Document, name: str, index: int) -> dict[str, Any] | None:
    items = document.array(name)
    found = items[index] if 0 <= index < len(items) else None
    return found if isinstance(found, dict) else None

"""Materials: constants of UsdPreviewSurface, and the texture of its colour."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
from pxr import Sdf, UsdGeom, UsdShade

from ligament.conversion.usd.reading.opening import readable_asset
from ligament.conversion.usd.reading.stage import NOW, Stage
from ligament.errors import LigamentError
from ligament.gltf.document import Document
from ligament.gltf.embed import media_type_of

MAX_TEXTURE = 64 << 20
"""Largest texture [bytes]."""

_WRAPS = {"clamp": 33071, "repeat": 10497, "mirror": 33648}
_IMAGES = ("image/png", "image/jpeg")


class Materials:
    """Writes materials without duplicates."""

    def __init__(self, stage: Stage, document: Document) -> None:
        self.stage, self.document = stage, document
        self._places: dict[bytes, int] = {}
        self._images: dict[str, int | None] = {}
        self._reported: set[str] = set()

    def of(self, prim: Any, owner: Any) -> int | None:
        """Return the material of a prim or a part of it; `owner` is the prim with the geometry."""
        material = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()[0]
        content = self._material(material) if material else self._display_color_material(owner)
        if self.stage.attributes.flag(owner, "doubleSided", default=False):
            content["doubleSided"] = True
        return self._place("materials", content) if content else None

    def is_bound(self, prim: Any) -> bool:
        """Tell whether a material is bound to a prim."""
        return bool(UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()[0])

    def _display_color_material(self, prim: Any) -> dict[str, Any]:
        """Return a material for the display colour of a prim, if that is constant."""
        primvar = UsdGeom.PrimvarsAPI(prim).FindPrimvarWithInheritance("displayColor")
        raw = primvar.Get(NOW) if primvar else None
        if raw is None or not hasattr(raw, "__len__") or len(raw) == 0:
            return {}
        colors = self.stage.attributes.checked_array(prim, "displayColor", raw, 3)
        if colors is None:
            return {}
        if str(primvar.GetInterpolation()) != "constant" or len(colors) != 1:
            return {}  # it varies over the points
        color = np.clip(colors[0], 0, 1).tolist()
        return {"pbrMetallicRoughness": {"baseColorFactor": [*color, 1.0], "metallicFactor": 0.0}}

    def _material(self, material: Any) -> dict[str, Any]:
        shader = material.ComputeSurfaceSource()[0]
        name = str(material.GetPrim().GetName())
        if not shader:
            return self._report_loss(material, "it has no surface", name)
        if shader.GetIdAttr().Get() != "UsdPreviewSurface":
            return self._report_loss(material, f"its shader is {shader.GetIdAttr().Get()!r}", name)
        surface = _Surface(self, shader)
        color = [*surface.color("diffuseColor", 0.18), surface.number("opacity", 1.0)]
        content: dict[str, Any] = {
            "name": name,
            "pbrMetallicRoughness": {
                "baseColorFactor": color,
                "metallicFactor": surface.number("metallic", 0.0),
                "roughnessFactor": surface.number("roughness", 0.5),
            },
        }
        texture = surface.texture("diffuseColor")
        if texture is not None:
            content["pbrMetallicRoughness"]["baseColorTexture"] = texture
            content["pbrMetallicRoughness"]["baseColorFactor"] = [1.0, 1.0, 1.0, color[3]]
        if any(emissive := surface.color("emissiveColor", 0.0)):
            content["emissiveFactor"] = emissive
        if color[3] < 1:
            content["alphaMode"] = "BLEND"
        surface.report_other_inputs()
        return content

    def _report_loss(self, material: Any, reason: str, name: str) -> dict[str, Any]:
        effect = "surfaces have the default look of glTF"
        self.stage.lose(material.GetPrim(), "a material", reason, effect)
        return {"name": name}

    def texture(self, shader: Any) -> dict[str, Any] | None:
        """Return the reference to the texture of a shader; None, with a loss, where it has none."""
        asset = shader.GetInput("file").Get(NOW) if shader.GetInput("file") else None
        if not isinstance(asset, Sdf.AssetPath):
            self._lose_texture(shader, "it names no file")
            return None
        image = self._image(shader, asset)
        if image is None:
            return None
        sampler = {
            "wrapS": self._wrap(shader, "wrapS"),
            "wrapT": self._wrap(shader, "wrapT"),
        }
        content = {"source": image, "sampler": self._place("samplers", sampler)}
        return {"index": self._place("textures", content)}

    def _image(self, shader: Any, asset: Any) -> int | None:
        path = str(asset.resolvedPath)
        if path not in self._images:
            self._images[path] = self._read_image(shader, asset, path)
        return self._images[path]

    def _read_image(self, shader: Any, asset: Any, path: str) -> int | None:
        if not path:
            self._lose_texture(shader, f"there is no file {asset.path[:60]!r}")
            return None
        try:
            content = readable_asset(path, self.stage.folders, limit=MAX_TEXTURE)
        except LigamentError as fault:
            self._lose_texture(shader, fault.message)
            return None
        kind = media_type_of(memoryview(content), "")
        if kind not in _IMAGES:
            self._lose_texture(shader, "only PNG and JPEG are read")
            return None
        view = self.document.append_view(content)
        images = self.document.growing_array("images")
        images.append({"mimeType": kind, "bufferView": view})
        return len(images) - 1

    def _lose_texture(self, shader: Any, reason: str) -> None:
        self.stage.lose(shader.GetPrim(), "a texture", reason, "the surface has one colour")

    def _wrap(self, shader: Any, name: str) -> int:
        given = shader.GetInput(name)
        return _WRAPS.get(str(given.Get(NOW)) if given else "", _WRAPS["repeat"])

    def _place(self, array: str, content: dict[str, Any]) -> int:
        key = array.encode() + msgspec.json.encode(content, order="sorted")
        if key not in self._places:
            items = self.document.growing_array(array)
            items.append(content)
            self._places[key] = len(items) - 1
        return self._places[key]

    def report_once(self, shader: Any, name: str) -> None:
        """Report an input that is not read, once."""
        path = f"{shader.GetPath()} {name}"
        if path not in self._reported:
            self._reported.add(path)
            reason = "of UsdPreviewSurface constants and the texture of diffuseColor are read"
            self.stage.lose(shader.GetPrim(), f"the input {name}", reason, "it has no effect")


_CONSTANTS = ("diffuseColor", "opacity", "metallic", "roughness", "emissiveColor")
_UNREPORTED_INPUTS = (*_CONSTANTS, "useSpecularWorkflow", "ior", "opacityThreshold", "opacityMode")


class _Surface:
    """The inputs of one UsdPreviewSurface."""

    def __init__(self, materials: Materials, shader: Any) -> None:
        self.materials, self.shader = materials, shader

    def _value(self, name: str) -> Any:
        given = self.shader.GetInput(name)
        found = UsdShade.Utils.GetValueProducingAttributes(given) if given else ()
        sources = [a for a in found if UsdShade.Utils.GetType(a.GetName()) != _OUTPUT]
        if found and not sources and name != "diffuseColor":
            self.materials.report_once(self.shader, name)
        return sources[0].Get(NOW) if sources else None

    def number(self, name: str, default: float) -> float:
        value = self._value(name)
        is_number = isinstance(value, int | float) and np.isfinite(value)
        return float(np.clip(value, 0, 1)) if is_number else default

    def color(self, name: str, default: float) -> list[float]:
        try:
            value = np.array(self._value(name), np.float64)
        except (TypeError, ValueError):
            return [default] * 3
        is_color = value.shape == (3,) and np.isfinite(value).all()
        return list(np.clip(value, 0, 1).tolist()) if is_color else [default] * 3

    def texture(self, name: str) -> dict[str, Any] | None:
        given = self.shader.GetInput(name)
        for attribute in UsdShade.Utils.GetValueProducingAttributes(given) if given else ():
            shader = UsdShade.Shader(attribute.GetPrim())
            if shader and shader.GetIdAttr().Get() == "UsdUVTexture":
                return self.materials.texture(shader)
            if UsdShade.Utils.GetType(attribute.GetName()) == _OUTPUT:
                self.materials.report_once(self.shader, name)
        return None

    def report_other_inputs(self) -> None:
        for given in self.shader.GetInputs():
            if given.GetBaseName() not in _UNREPORTED_INPUTS:
                self.materials.report_once(self.shader, given.GetBaseName())


_OUTPUT = UsdShade.AttributeType.Output

"""What surfaces look like: prims of UsdPreviewSurface with their textures."""

from __future__ import annotations

from typing import Any, Final

from pxr import Gf, Sdf, UsdShade

from ligament.convert.usd.writing.images import Images
from ligament.convert.usd.writing.looks import Layer, Look, TextureInfo, layers, read_look
from ligament.convert.usd.writing.world import World
from ligament.gltf.references import read_index

_TYPES: Final = Sdf.ValueTypeNames
_WRAPS: Final = {33071: "clamp", 33648: "mirror"}
_OUTPUTS: Final = {"rgb": _TYPES.Float3, "r": _TYPES.Float, "g": _TYPES.Float}
_INPUTS: Final = {
    "diffuseColor": _TYPES.Color3f,
    "emissiveColor": _TYPES.Color3f,
    "normal": _TYPES.Normal3f,
}


class Surfaces:
    """Makes a prim of each material, once."""

    def __init__(self, world: World, images: Images) -> None:
        self.world, self.source, self.images = world, world.source, images
        self._made: dict[int, tuple[Look, Any]] = {}

    def of(self, index: int | None) -> tuple[Look, Any]:
        """Return how a material looks and its prim; None is the default of glTF."""
        key = -1 if index is None else index
        if key not in self._made:
            look = Look() if index is None else read_look(self.source, index)
            self._made[key] = (look, self._material(look, key))
        return self._made[key]

    def _material(self, look: Look, index: int) -> Any:
        scope = self.world.scope("Materials")
        otherwise = "default" if index < 0 else f"material_{index}"
        prim = self.world.define("Material", scope, look.name, otherwise)
        material, shader = UsdShade.Material(prim), self._shader(prim, "surface", "PreviewSurface")
        material.CreateSurfaceOutput().ConnectToSource(shader.ConnectableAPI(), "surface")
        _write_factors(shader, look)
        for layer in layers(look):
            self._texture(prim, shader, layer, f"/materials/{index}/{layer.place}")
        return material

    def _shader(self, material: Any, name: str, kind: str) -> Any:
        path = self.world.names.give(str(material.GetPath()), name, name)
        shader = UsdShade.Shader.Define(self.world.stage, path)
        shader.CreateIdAttr(f"Usd{kind}")
        return shader

    def _texture(self, material: Any, surface: Any, layer: Layer, pointer: str) -> None:
        """Feed a texture into the inputs of a surface."""
        declared = self._declared(layer.info, pointer)
        path = None if declared is None else self.images.path(declared[0])
        if declared is None or path is None:
            return
        shader = self._shader(material, "texture", "UVTexture")
        shader.CreateInput("file", _TYPES.Asset).Set(Sdf.AssetPath(path))
        space = "sRGB" if layer.is_color else "raw"
        shader.CreateInput("sourceColorSpace", _TYPES.Token).Set(space)
        for name, wrap in zip(("wrapS", "wrapT"), declared[1], strict=True):
            shader.CreateInput(name, _TYPES.Token).Set(wrap)
        shader.CreateInput("scale", _TYPES.Float4).Set(Gf.Vec4f(*layer.factor))
        shader.CreateInput("bias", _TYPES.Float4).Set(Gf.Vec4f(*layer.shift))
        reader = self._shader(material, "coordinates", "PrimvarReader_float2")
        reader.CreateInput("varname", _TYPES.String).Set(coordinates(layer.info.tex_coord))
        reader.CreateOutput("result", _TYPES.Float2)
        wanted = shader.CreateInput("st", _TYPES.Float2)
        wanted.ConnectToSource(reader.ConnectableAPI(), "result")
        for channel in layer.channels:
            shader.CreateOutput(channel.output, _OUTPUTS.get(channel.output, _TYPES.Float))
            fed = surface.CreateInput(channel.name, _INPUTS.get(channel.name, _TYPES.Float))
            fed.ConnectToSource(shader.ConnectableAPI(), channel.output)

    def _declared(self, info: TextureInfo, pointer: str) -> tuple[int, tuple[str, str]] | None:
        """Return the image of a texture and how it repeats; None, with a loss, without image."""
        for name in info.extensions:
            place, effect = f"{pointer}/extensions/{name}", "the texture lies as without it"
            self.source.lose(place, "an extension of a texture", "it is not written", effect)
        textures = self.source.document.array("textures")
        raw: Any = textures[info.index] if info.index < len(textures) else None
        image = read_index(raw.get("source")) if isinstance(raw, dict) else None
        if image is None:
            effect, reason = "surfaces have one colour instead", "it has no image of PNG or JPEG"
            self.source.lose(pointer, "a texture", reason, effect)
            return None
        return image, self._wraps(read_index(raw.get("sampler")))

    def _wraps(self, sampler: int | None) -> tuple[str, str]:
        samplers = self.source.document.array("samplers")
        raw: Any = samplers[sampler] if sampler is not None and sampler < len(samplers) else None
        modes = [raw.get(name) if isinstance(raw, dict) else None for name in ("wrapS", "wrapT")]
        first, second = (_WRAPS.get(read_index(mode) or 0, "repeat") for mode in modes)
        return first, second


def coordinates(number: int) -> str:
    """Return what a set of texture coordinates is called."""
    return f"st{number or ''}"


def _write_factors(shader: Any, look: Look) -> None:
    """Write the constant inputs of a surface; textures take the place of some."""
    basis = look.pbr_metallic_roughness
    red, green, blue, alpha = basis.base_color_factor
    shader.CreateInput("useSpecularWorkflow", _TYPES.Int).Set(0)
    shader.CreateInput("diffuseColor", _TYPES.Color3f).Set(Gf.Vec3f(red, green, blue))
    shader.CreateInput("metallic", _TYPES.Float).Set(basis.metallic_factor)
    shader.CreateInput("roughness", _TYPES.Float).Set(basis.roughness_factor)
    if any(look.emissive_factor):
        shader.CreateInput("emissiveColor", _TYPES.Color3f).Set(Gf.Vec3f(*look.emissive_factor))
    if look.alpha_mode != "OPAQUE":
        shader.CreateInput("opacity", _TYPES.Float).Set(alpha)
    if look.alpha_mode == "MASK":
        shader.CreateInput("opacityThreshold", _TYPES.Float).Set(look.alpha_cutoff)

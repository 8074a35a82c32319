"""Materials as UsdPreviewSurface, with their textures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Literal, NamedTuple

import msgspec
from pxr import Gf, Sdf, UsdShade

from ligament.conversion.folders import name_of
from ligament.conversion.source import Source
from ligament.conversion.usd.writing.world import World
from ligament.errors import LigamentError
from ligament.gltf.accessors import read_view_bytes
from ligament.gltf.objects import Index, View
from ligament.gltf.references import read_index
from ligament.gltf.storage.byte_sources import DataUri, is_data_uri

_TYPES: Final = Sdf.ValueTypeNames
_WRAPS: Final = {33071: "clamp", 33648: "mirror"}
_OUTPUTS: Final = {"rgb": _TYPES.Float3, "r": _TYPES.Float, "g": _TYPES.Float}
_INPUTS: Final = {
    "diffuseColor": _TYPES.Color3f,
    "emissiveColor": _TYPES.Color3f,
    "normal": _TYPES.Normal3f,
}
Color = tuple[float, float, float]
Color4 = tuple[float, float, float, float]
_SIGNATURES: Final = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpg"}


class Materials:
    """Makes one prim of each material."""

    def __init__(self, world: World, images: Images) -> None:
        self.world, self.source, self.images = world, world.source, images
        self._made: dict[int, tuple[Look, Any]] = {}

    def of(self, index: int | None) -> tuple[Look, Any]:
        """Return a material and its prim; None is glTF's default."""
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
        """Return the image and sampler of a texture; None, with a loss, without an image."""
        for name in info.extensions:
            place, effect = f"{pointer}/extensions/{name}", "the texture is placed without it"
            self.source.lose(place, "an extension of a texture", "it is not written", effect)
        textures = self.source.document.array("textures")
        raw: Any = textures[info.index] if info.index < len(textures) else None
        image = read_index(raw.get("source")) if isinstance(raw, dict) else None
        if image is None:
            effect, reason = "surfaces have one colour instead", "it has no PNG or JPEG image"
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
    """Return the name of a set of texture coordinates."""
    return f"st{number or ''}"


def _write_factors(shader: Any, look: Look) -> None:
    """Write the constant inputs of a surface; textures replace some."""
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


class TextureInfo(View):
    """A texture and its set of coordinates."""

    index: Index
    tex_coord: Index = 0
    scale: float = 1.0
    extensions: dict[str, Any] = msgspec.field(default_factory=dict)


class MetallicRoughness(View):
    """The base colour, metalness and roughness of a surface."""

    base_color_factor: Color4 = (1.0, 1.0, 1.0, 1.0)
    base_color_texture: TextureInfo | None = None
    metallic_factor: float = 1.0
    roughness_factor: float = 1.0
    metallic_roughness_texture: TextureInfo | None = None


class Look(View):
    """A material of glTF."""

    name: str | None = None
    pbr_metallic_roughness: MetallicRoughness = msgspec.field(default_factory=MetallicRoughness)
    normal_texture: TextureInfo | None = None
    occlusion_texture: TextureInfo | None = None
    emissive_texture: TextureInfo | None = None
    emissive_factor: Color = (0.0, 0.0, 0.0)
    alpha_mode: Literal["OPAQUE", "MASK", "BLEND"] = "OPAQUE"
    alpha_cutoff: float = 0.5
    double_sided: bool = False
    extensions: dict[str, Any] = msgspec.field(default_factory=dict)


class Channel(NamedTuple):
    """An input of a surface, and the output of a texture that feeds it."""

    name: str
    output: str


class Layer(NamedTuple):
    """A texture of a material: its place in the material, and the inputs that it feeds.

    Its values are multiplied by `factor` and `shift` is added. Colours are in sRGB.
    """

    place: str
    info: TextureInfo
    channels: tuple[Channel, ...]
    factor: Color4 = (1.0, 1.0, 1.0, 1.0)
    shift: Color4 = (0.0, 0.0, 0.0, 0.0)
    is_color: bool = False


def read_look(source: Source, index: int) -> Look:
    """Read a material; an invalid one becomes the default, with a loss."""
    pointer = f"/materials/{index}"
    try:
        look = source.document.element("materials", index, Look)
    except LigamentError as fault:
        source.lose(fault.pointer or pointer, "a material", fault.message, "it is plain white")
        return Look()
    for name in look.extensions:
        place, effect = f"{pointer}/extensions/{name}", "it looks as it would without the extension"
        source.lose(place, "an extension of a material", "UsdPreviewSurface has none", effect)
    return look


def layers(look: Look) -> Iterator[Layer]:
    """Yield the textures of a material."""
    basis, inside = look.pbr_metallic_roughness, "pbrMetallicRoughness"
    if basis.base_color_texture is not None:
        channels = [Channel("diffuseColor", "rgb")]
        if look.alpha_mode != "OPAQUE":
            channels.append(Channel("opacity", "a"))
        place = f"{inside}/baseColorTexture"
        factor, info = basis.base_color_factor, basis.base_color_texture
        yield Layer(place, info, tuple(channels), factor, is_color=True)
    if basis.metallic_roughness_texture is not None:
        place, info = f"{inside}/metallicRoughnessTexture", basis.metallic_roughness_texture
        factor = (1.0, basis.roughness_factor, basis.metallic_factor, 1.0)
        yield Layer(place, info, (Channel("roughness", "g"), Channel("metallic", "b")), factor)
    if look.emissive_texture is not None:
        channel, factor = Channel("emissiveColor", "rgb"), (*look.emissive_factor, 1.0)
        yield Layer("emissiveTexture", look.emissive_texture, (channel,), factor, is_color=True)
    if look.occlusion_texture is not None:
        yield Layer("occlusionTexture", look.occlusion_texture, (Channel("occlusion", "r"),))
    if look.normal_texture is not None:
        # From bytes to directions; the scale of glTF leaves the third axis alone.
        size, channel = look.normal_texture.scale, Channel("normal", "rgb")
        factor, shift = (2 * size, 2 * size, 2.0, 1.0), (-size, -size, -1.0, 0.0)
        yield Layer("normalTexture", look.normal_texture, (channel,), factor, shift)


class Images:
    """Collects the images that materials use; `files` are their contents by name."""

    def __init__(self, source: Source, folder: str) -> None:
        self.source, self.folder = source, folder
        self.files: dict[str, bytes] = {}
        self._reported: set[int] = set()

    def path(self, index: int) -> str | None:
        """Return the path of an image relative to the stage; None, with a loss, without one."""
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
        if index not in self._reported:
            self._reported.add(index)
            effect = "surfaces have one colour instead"
            self.source.lose(f"/images/{index}", "an image", reason, effect)

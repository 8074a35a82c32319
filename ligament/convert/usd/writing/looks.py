"""Materials of glTF as far as UsdPreviewSurface says the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import msgspec

from ligament.convert.source import Source
from ligament.errors import LigamentError
from ligament.gltf.views import Index, View

Color = tuple[float, float, float]
Color4 = tuple[float, float, float, float]


class TextureInfo(View):
    """A texture, and the set of coordinates that it is laid out by."""

    index: Index
    tex_coord: Index = 0
    scale: float = 1.0
    extensions: dict[str, Any] = msgspec.field(default_factory=dict)


class MetallicRoughness(View):
    """The colour of a surface, and how it shines."""

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
    """A texture of a material: its place in the material, and what it feeds.

    Its values are multiplied by `factor` and `shift` is added. Colours are in sRGB.
    """

    place: str
    info: TextureInfo
    channels: tuple[Channel, ...]
    factor: Color4 = (1.0, 1.0, 1.0, 1.0)
    shift: Color4 = (0.0, 0.0, 0.0, 0.0)
    is_color: bool = False


def read_look(source: Source, index: int) -> Look:
    """Read a material; one that cannot be understood looks as without any, with a loss."""
    pointer = f"/materials/{index}"
    try:
        look = source.document.view("materials", index, Look)
    except LigamentError as fault:
        source.lose(fault.pointer or pointer, "a material", fault.message, "it is plain white")
        return Look()
    for name in look.extensions:
        place, effect = f"{pointer}/extensions/{name}", "it looks as without the extension"
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

"""The forms of outputs, and how their names end."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from ligament.convert.formats import MJCF_SUFFIX, USD_SUFFIXES
from ligament.gltf.storage.container import GLB_SUFFIXES


class ArrayFormat(StrEnum):
    """The forms of a recording."""

    NPZ = "npz"
    JSON = "json"
    CSV = "csv"


class Container(StrEnum):
    """The forms of a glTF output; "glb" keeps .vrm and .vrma as they are called."""

    GLB = "glb"
    GLTF = "gltf"


class ConvertFormat(StrEnum):
    """The forms that `convert` writes; "xml" is MJCF, the last three are USD."""

    GLB = "glb"
    GLTF = "gltf"
    XML = "xml"
    USDA = "usda"
    USDC = "usdc"
    USD = "usd"


class MotionFormat(StrEnum):
    """The forms of a retargeted motion; "glb" is the avatar with one animation."""

    VRMA = "vrma"
    NPZ = "npz"
    GLB = "glb"


FORMATS: dict[str, type[StrEnum]] = {
    "simulate": ArrayFormat,
    "bake": Container,
    "convert": ConvertFormat,
    "retarget": MotionFormat,
}
"""The forms that the commands write."""


def container_ending(name: str, form: str) -> str:
    """Keep a name that says the form already: x.vrm stays x.vrm, x.gltf becomes x.gltf.glb."""
    suffix = Path(name).suffix.lower()
    fits = suffix in GLB_SUFFIXES if form == Container.GLB else suffix == f".{form}"
    return "" if fits else f".{form}"


def convert_endings(name: str, form: str) -> tuple[str, ...]:
    """Return how a converted file ends, and the folder beside it that some formats need."""
    suffix = f".{form}"
    if suffix == MJCF_SUFFIX:
        return suffix, "_meshes"
    if suffix in USD_SUFFIXES:
        return suffix, "_textures"
    return (container_ending(name, form),)

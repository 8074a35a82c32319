"""Members of the objects of extensions, gathered from their tables.

`INDICES` is what the reindexer updates, `MUTABLE` what KHR_animation_pointer may animate.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Final, NamedTuple

from ligament.extensions.humanoid import vrm, vrmc_vrm, vrmc_vrm_animation
from ligament.extensions.omi.reader import OMI
from ligament.extensions.registry import (
    EXTENSIONS,
    KHR_IMPLICIT_SHAPES,
    VRM,
    VRMC_NODE_CONSTRAINT,
    VRMC_SPRING_BONE,
    VRMC_VRM,
    VRMC_VRM_ANIMATION,
)
from ligament.extensions.rigid_bodies.extension import KHR
from ligament.extensions.rigid_bodies.khr import KHR_2023
from ligament.extensions.rigid_bodies.msft import MSFT
from ligament.extensions.spring_bones import secondary_animation, vrmc_spring_bone
from ligament.extensions.tables import patterns
from ligament.extensions.tables.rows import Flag, Number
from ligament.extensions.tables.table import Table
from ligament.extensions.vrmc_node_constraint import EXTENSION
from ligament.gltf import references


class Place(NamedTuple):
    """A kind of places in files, its objects, and the extension with the arrays they count in."""

    pattern: str
    table: Table
    root: str


_AVATARS = {
    f"/nodes/*/extensions/{VRMC_NODE_CONSTRAINT}": EXTENSION,
    f"/extensions/{VRMC_SPRING_BONE}": vrmc_spring_bone.ROOT,
    f"/extensions/{VRMC_VRM}": vrmc_vrm.ROOT,
    f"/extensions/{VRMC_VRM_ANIMATION}": vrmc_vrm_animation.ROOT,
    f"/extensions/{VRM}": vrm.ROOT,
    f"/extensions/{VRM}/secondaryAnimation": secondary_animation.ROOT,
}


def _places() -> dict[str, list[Place]]:
    """Return the places of all tables by the extension that brings them."""
    places: defaultdict[str, list[Place]] = defaultdict(list)
    for entry in (KHR, KHR_2023, *MSFT.values(), *OMI):
        for pattern, table in entry.objects():
            places[_extension_of(pattern)].append(Place(pattern, table, entry.name))
    for pattern, table in _AVATARS.items():
        name = _extension_of(pattern)
        places[name].append(Place(pattern, table, name))
    return dict(places)


def _extension_of(pattern: str) -> str:
    """Return the extension in a pattern; the shapes of the core are those of an extension too."""
    return pattern.partition("extensions/")[2].partition("/")[0] or KHR_IMPLICIT_SHAPES


PLACES: Final = _places()
"""The objects of each extension; glTF 2.1 moved shapes to the core as `/shapes`."""


def _indices(name: str) -> Mapping[str, str] | None:
    stated = EXTENSIONS[name].indices
    if stated is None:
        return None
    tables = (patterns.indices(*place) for place in PLACES.get(name, ()))
    return {**stated, **{pattern: target for table in tables for pattern, target in table.items()}}


INDICES: Final = {name: _indices(name) for name in EXTENSIONS}
"""The index members of each extension by pattern; None where they are not known for certain."""

MUTABLE: Final[Mapping[tuple[str, ...], Number | Flag]] = {
    tuple(pattern.split("/")[1:]): row
    for name, places in PLACES.items()
    if EXTENSIONS[name].indices is not None
    for place in places
    for pattern, row in patterns.mutable(place.pattern, place.table).items()
}
"""The members that an animation may change, by the segments of their patterns."""


def register() -> None:
    """Register the known index members with the document layer, which knows no extension."""
    for name, indices in INDICES.items():
        if indices is not None:
            entry = EXTENSIONS[name]
            columns = {c: getattr(entry, c) for c in ("content", "parallel", "fillers")}
            references.register(name, indices, **columns)

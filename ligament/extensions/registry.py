"""Registry of extensions: name, family, dialects, places in a file, and index members.

Everything that several layers must agree on about an extension is defined here once: what `bake`
strips, what `convert` replaces, what `diff` compares by meaning, where `check` allows it. Members
are stated by the tables of their objects, which `extensions.members` gathers; here are those of
extensions without tables, as patterns of `ligament.gltf.pointers`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

from ligament.extensions import foreign
from ligament.gltf.references import POINTER

KHR_ANIMATION_POINTER: Final = "KHR_animation_pointer"
KHR_COLLISION_SHAPES: Final = "KHR_collision_shapes"
KHR_IMPLICIT_SHAPES: Final = "KHR_implicit_shapes"
KHR_INTERACTIVITY: Final = "KHR_interactivity"
KHR_PHYSICS_RIGID_BODIES: Final = "KHR_physics_rigid_bodies"
KHR_PHYSICS_RIGID_BODY: Final = "KHR_physics_rigid_body"
KHR_RIGID_BODIES: Final = "KHR_rigid_bodies"
MSFT_COLLISION_PRIMITIVES: Final = "MSFT_collision_primitives"
MSFT_COLLISION_PRIMITIVES_2022: Final = "MSFT_CollisionPrimitives"
MSFT_PHYSICS: Final = "MSFT_physics"
MSFT_RIGID_BODIES: Final = "MSFT_rigid_bodies"
MSFT_RIGID_BODIES_2022: Final = "MSFT_RigidBodies"
OMI_COLLIDER: Final = "OMI_collider"
OMI_PHYSICS_BODY: Final = "OMI_physics_body"
OMI_PHYSICS_JOINT: Final = "OMI_physics_joint"
OMI_PHYSICS_SHAPE: Final = "OMI_physics_shape"
VRM: Final = "VRM"
VRMC_NODE_CONSTRAINT: Final = "VRMC_node_constraint"
VRMC_SPRING_BONE: Final = "VRMC_springBone"
VRMC_SPRING_BONE_EXTENDED_COLLIDER: Final = "VRMC_springBone_extended_collider"
VRMC_SPRING_BONE_LIMIT: Final = "VRMC_springBone_limit"
VRMC_VRM: Final = "VRMC_vrm"
VRMC_VRM_ANIMATION: Final = "VRMC_vrm_animation"


class Dialect(StrEnum):
    """The revisions of the physics extensions, named as in `convert --to`."""

    KHR = "khr"
    """January 2026: `geometry.mesh`, KHR_implicit_shapes (or the shapes of glTF 2.1)."""

    KHR_2024_10 = "khr-2024-10"
    """October 2024: `geometry.shape` or `geometry.node`, KHR_implicit_shapes."""

    KHR_2024_06 = "khr-2024-06"
    """June 2024: `collider.shape` with shapes of type mesh in KHR_collision_shapes."""

    KHR_2024_03 = "khr-2024-03"
    """The draft of March 2024: `collider.shape` with convex and trimesh shapes."""

    KHR_2023 = "khr-2023"
    """KHR_rigid_bodies, August to November 2023."""

    MSFT_2023 = "msft-2023"
    """MSFT_rigid_bodies and MSFT_collision_primitives, and their names of 2022."""

    OMI = "omi"
    """OMI_physics_body with `motion`, OMI_physics_shape, OMI_physics_joint with `physicsJoints`."""

    OMI_2023 = "omi-2023"
    """OMI_physics_body with `type`, OMI_collider, OMI_physics_joint with `constraints`."""


class Family(StrEnum):
    """The subject of an extension."""

    RIGID_BODIES = "rigid bodies"
    COLLISION_SHAPES = "collision shapes"
    NODE_CONSTRAINTS = "node constraints"
    HUMANOIDS = "humanoids"
    SPRING_BONES = "spring bones"
    MATERIALS = "materials"
    ENCODINGS = "encodings"
    """How numbers are stored, not what they are."""

    OTHER = "other"


class Place(StrEnum):
    """The kinds of objects that the extensions of motion extend."""

    ROOT = "root"
    NODE = "node"
    SHAPE = "shape"


@dataclasses.dataclass(frozen=True)
class Extension:
    """An extension that Ligament reads, or whose index members it knows.

    `places` is empty where none is prescribed. `misspells` is the correct name of a key that one
    writer misspells. `indices` maps patterns to targets; None where the members are not known for
    certain, so that edits that would have to update them are refused; those of objects that have
    tables are in `extensions.members`. `content`, `parallel` and `fillers` are arguments of
    `gltf.references.register`.
    """

    dialects: tuple[Dialect, ...] = ()
    places: tuple[Place, ...] = ()
    misspells: str = ""
    indices: Mapping[str, str] | None = dataclasses.field(default_factory=dict)
    content: tuple[str, ...] = ()
    parallel: Mapping[str, str] = dataclasses.field(default_factory=dict)
    fillers: Mapping[str, Any] = dataclasses.field(default_factory=dict)


def _foreign(tables: Mapping[str, Mapping[str, str]]) -> dict[str, Extension]:
    return {
        name: Extension(indices=indices, content=foreign.CONTENT.get(name, ()))
        for name, indices in tables.items()
    }


_ROOT, _BOTH = (Place.ROOT,), (Place.ROOT, Place.NODE)
_KHR = (Dialect.KHR, Dialect.KHR_2024_10, Dialect.KHR_2024_06, Dialect.KHR_2024_03)
_MSFT, _OMI = (Dialect.MSFT_2023,), (Dialect.OMI, Dialect.OMI_2023)
_PROPERTIES = f"/extensions/{VRM}/materialProperties"

FAMILIES: Final[Mapping[Family, Mapping[str, Extension]]] = {
    Family.RIGID_BODIES: {
        KHR_PHYSICS_RIGID_BODIES: Extension(_KHR, (*_BOTH, Place.SHAPE)),
        KHR_PHYSICS_RIGID_BODY: Extension(_KHR, (Place.NODE,), misspells=KHR_PHYSICS_RIGID_BODIES),
        KHR_RIGID_BODIES: Extension((Dialect.KHR_2023,), _BOTH),
        MSFT_RIGID_BODIES: Extension(_MSFT, _BOTH),
        MSFT_RIGID_BODIES_2022: Extension(_MSFT, _BOTH, indices=None),
        MSFT_PHYSICS: Extension(_MSFT, _BOTH, indices=None),
        OMI_PHYSICS_BODY: Extension(_OMI, _BOTH),
        OMI_PHYSICS_JOINT: Extension(_OMI, _BOTH),
    },
    Family.COLLISION_SHAPES: {
        # A shape is removed with the mesh that it is made of, and its colliders with the shape.
        KHR_COLLISION_SHAPES: Extension(
            (Dialect.KHR_2024_06, Dialect.KHR_2024_03, Dialect.KHR_2023),
            _BOTH,
            indices={
                f"/nodes/*/extensions/{KHR_COLLISION_SHAPES}!/shape": (
                    f"/extensions/{KHR_COLLISION_SHAPES}/shapes"
                )
            },
        ),
        # Its shapes hold no index; glTF 2.1 moves the array to the core as `/shapes`.
        KHR_IMPLICIT_SHAPES: Extension((Dialect.KHR, Dialect.KHR_2024_10), _ROOT),
        MSFT_COLLISION_PRIMITIVES: Extension(
            _MSFT,
            _BOTH,
            indices={
                f"/nodes/*/extensions/{MSFT_COLLISION_PRIMITIVES}!/collider": (
                    f"/extensions/{MSFT_COLLISION_PRIMITIVES}/colliders"
                )
            },
        ),
        MSFT_COLLISION_PRIMITIVES_2022: Extension(_MSFT, _BOTH, indices=None),
        # Flat shapes in June 2023, then a sub-object per type; `hull` became `convex`.
        OMI_PHYSICS_SHAPE: Extension((Dialect.OMI,), _BOTH),
        OMI_COLLIDER: Extension((Dialect.OMI_2023,), _BOTH),
    },
    Family.NODE_CONSTRAINTS: {VRMC_NODE_CONSTRAINT: Extension(places=(Place.NODE,))},
    Family.HUMANOIDS: {
        VRMC_VRM: Extension(places=_ROOT),
        # 0.x, where -1 stands for none.
        VRM: Extension(
            places=_ROOT,
            parallel={_PROPERTIES: "/materials"},
            fillers={_PROPERTIES: foreign.PLAIN_MATERIAL_OF_VRM_0},
        ),
        VRMC_VRM_ANIMATION: Extension(places=_ROOT),
    },
    Family.SPRING_BONES: {
        VRMC_SPRING_BONE: Extension(content=(f"/extensions/{VRMC_SPRING_BONE}/springs",)),
        VRMC_SPRING_BONE_EXTENDED_COLLIDER: Extension(),
        VRMC_SPRING_BONE_LIMIT: Extension(),
    },
    Family.MATERIALS: _foreign(foreign.MATERIALS),
    Family.ENCODINGS: _foreign(foreign.ENCODINGS),
    Family.OTHER: {
        # The indices inside a pointer are references too; the channel is removed with its target.
        KHR_ANIMATION_POINTER: Extension(
            indices={
                f"/animations/*+/channels/*!/target/extensions/{KHR_ANIMATION_POINTER}/pointer": (
                    POINTER
                )
            }
        ),
        # Any integer that a graph computes may be an index, for one the [n] of a template.
        KHR_INTERACTIVITY: Extension(places=_ROOT, indices=None),
        **_foreign(foreign.OTHERS),
    },
}

EXTENSIONS: Final = {name: entry for of in FAMILIES.values() for name, entry in of.items()}
"""Every extension that the library knows, by its name."""


def places_of(name: str) -> str:
    """Say in words which objects an extension belongs in."""
    words = {Place.ROOT: "the root", Place.NODE: "a node", Place.SHAPE: "a shape"}
    return " or to ".join(words[place] for place in EXTENSIONS[name].places)


def names(*families: Family) -> tuple[str, ...]:
    """List the extensions of some families, in the order of the registry."""
    return tuple(name for family in families for name in FAMILIES[family])


BODIES: Final = names(Family.RIGID_BODIES)
"""The extensions of bodies, colliders, triggers and joints, of all dialects."""

SHAPES: Final = names(Family.COLLISION_SHAPES)
"""The extensions of shapes, of all dialects."""

PHYSICS: Final = (*BODIES, *SHAPES)

KHR_NODE_KEYS: Final = (KHR_PHYSICS_RIGID_BODIES, KHR_PHYSICS_RIGID_BODY)
"""The keys that nodes carry KHR_physics_rigid_bodies under, one of them misspelt."""

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


@dataclasses.dataclass(frozen=True, kw_only=True)
class Extension:
    """An extension that Ligament reads, or whose index members it knows.

    `places` is empty where none is prescribed. `misspells` is the correct name of a key that one
    writer misspells. `indices` maps patterns to targets; None where the members are not known for
    certain, so that edits that would have to update them are refused; those of objects that have
    tables are in `extensions.members`. `content`, `parallel` and `fillers` are arguments of
    `gltf.references.register`.
    """

    name: str
    family: Family
    dialects: tuple[Dialect, ...] = ()
    places: tuple[Place, ...] = ()
    misspells: str = ""
    indices: Mapping[str, str] | None = dataclasses.field(default_factory=dict)
    content: tuple[str, ...] = ()
    parallel: Mapping[str, str] = dataclasses.field(default_factory=dict)
    fillers: Mapping[str, Any] = dataclasses.field(default_factory=dict)


_EVERYWHERE = (Place.ROOT, Place.NODE)

_COLLISION = f"/extensions/{KHR_COLLISION_SHAPES}/shapes"
_PRIMITIVES = f"/extensions/{MSFT_COLLISION_PRIMITIVES}/colliders"

_KHR_DIALECTS = (Dialect.KHR, Dialect.KHR_2024_10, Dialect.KHR_2024_06, Dialect.KHR_2024_03)

_RIGID_BODIES = (
    Extension(
        name=KHR_PHYSICS_RIGID_BODIES,
        family=Family.RIGID_BODIES,
        dialects=_KHR_DIALECTS,
        places=(Place.ROOT, Place.NODE, Place.SHAPE),
    ),
    Extension(
        name=KHR_PHYSICS_RIGID_BODY,
        family=Family.RIGID_BODIES,
        dialects=_KHR_DIALECTS,
        places=(Place.NODE,),
        misspells=KHR_PHYSICS_RIGID_BODIES,
    ),
    Extension(
        name=KHR_RIGID_BODIES,
        family=Family.RIGID_BODIES,
        dialects=(Dialect.KHR_2023,),
        places=_EVERYWHERE,
    ),
    Extension(
        name=MSFT_RIGID_BODIES,
        family=Family.RIGID_BODIES,
        dialects=(Dialect.MSFT_2023,),
        places=_EVERYWHERE,
    ),
    *(
        Extension(
            name=name,
            family=Family.RIGID_BODIES,
            dialects=(Dialect.MSFT_2023,),
            places=_EVERYWHERE,
            indices=None,
        )
        for name in (MSFT_RIGID_BODIES_2022, MSFT_PHYSICS)
    ),
    Extension(
        name=OMI_PHYSICS_BODY,
        family=Family.RIGID_BODIES,
        dialects=(Dialect.OMI, Dialect.OMI_2023),
        places=_EVERYWHERE,
    ),
    Extension(
        name=OMI_PHYSICS_JOINT,
        family=Family.RIGID_BODIES,
        dialects=(Dialect.OMI, Dialect.OMI_2023),
        places=_EVERYWHERE,
    ),
)

_SHAPES = (
    # A shape is removed with the mesh that it is made of, and its colliders with the shape.
    Extension(
        name=KHR_COLLISION_SHAPES,
        family=Family.COLLISION_SHAPES,
        dialects=(Dialect.KHR_2024_06, Dialect.KHR_2024_03, Dialect.KHR_2023),
        places=_EVERYWHERE,
        indices={
            f"/nodes/*/extensions/{KHR_COLLISION_SHAPES}!/shape": _COLLISION,
        },
    ),
    # Its shapes hold no index; glTF 2.1 moves the array to the core as `/shapes`.
    Extension(
        name=KHR_IMPLICIT_SHAPES,
        family=Family.COLLISION_SHAPES,
        dialects=(Dialect.KHR, Dialect.KHR_2024_10),
        places=(Place.ROOT,),
    ),
    Extension(
        name=MSFT_COLLISION_PRIMITIVES,
        family=Family.COLLISION_SHAPES,
        dialects=(Dialect.MSFT_2023,),
        places=_EVERYWHERE,
        indices={
            f"/nodes/*/extensions/{MSFT_COLLISION_PRIMITIVES}!/collider": _PRIMITIVES,
        },
    ),
    Extension(
        name=MSFT_COLLISION_PRIMITIVES_2022,
        family=Family.COLLISION_SHAPES,
        dialects=(Dialect.MSFT_2023,),
        places=_EVERYWHERE,
        indices=None,
    ),
    # Flat shapes in June 2023, then a sub-object per type; `hull` became `convex`.
    Extension(
        name=OMI_PHYSICS_SHAPE,
        family=Family.COLLISION_SHAPES,
        dialects=(Dialect.OMI,),
        places=_EVERYWHERE,
    ),
    Extension(
        name=OMI_COLLIDER,
        family=Family.COLLISION_SHAPES,
        dialects=(Dialect.OMI_2023,),
        places=_EVERYWHERE,
    ),
)

_AVATARS = (
    Extension(name=VRMC_NODE_CONSTRAINT, family=Family.NODE_CONSTRAINTS, places=(Place.NODE,)),
    Extension(name=VRMC_VRM, family=Family.HUMANOIDS, places=(Place.ROOT,)),
    # 0.x, where -1 stands for none.
    Extension(
        name=VRM,
        family=Family.HUMANOIDS,
        places=(Place.ROOT,),
        parallel={f"/extensions/{VRM}/materialProperties": "/materials"},
        fillers={f"/extensions/{VRM}/materialProperties": foreign.PLAIN_MATERIAL_OF_VRM_0},
    ),
    Extension(name=VRMC_VRM_ANIMATION, family=Family.HUMANOIDS, places=(Place.ROOT,)),
    Extension(
        name=VRMC_SPRING_BONE,
        family=Family.SPRING_BONES,
        content=(f"/extensions/{VRMC_SPRING_BONE}/springs",),
    ),
    Extension(name=VRMC_SPRING_BONE_EXTENDED_COLLIDER, family=Family.SPRING_BONES),
    Extension(name=VRMC_SPRING_BONE_LIMIT, family=Family.SPRING_BONES),
)

# The indices inside a pointer are references too; the channel is removed with its target.
_POINTER = Extension(
    name=KHR_ANIMATION_POINTER,
    family=Family.OTHER,
    indices={
        f"/animations/*+/channels/*!/target/extensions/{KHR_ANIMATION_POINTER}/pointer": (POINTER)
    },
)

# Any integer that a graph computes may be an index, for one the [n] of a pointer's template.
_BEHAVIOUR = Extension(
    name=KHR_INTERACTIVITY, family=Family.OTHER, places=(Place.ROOT,), indices=None
)

_FOREIGN = tuple(
    Extension(name=name, family=family, indices=indices, content=foreign.CONTENT.get(name, ()))
    for family, tables in (
        (Family.MATERIALS, foreign.MATERIALS),
        (Family.ENCODINGS, foreign.ENCODINGS),
        (Family.OTHER, foreign.OTHERS),
    )
    for name, indices in tables.items()
)

EXTENSIONS: Final = {
    extension.name: extension
    for extension in (*_RIGID_BODIES, *_SHAPES, *_AVATARS, _POINTER, _BEHAVIOUR, *_FOREIGN)
}
"""Every extension that the library knows, by its name."""


def places_of(name: str) -> str:
    """Say in words which objects an extension belongs in."""
    words = {Place.ROOT: "the root", Place.NODE: "a node", Place.SHAPE: "a shape"}
    return " or to ".join(words[place] for place in EXTENSIONS[name].places)


def names(*families: Family) -> tuple[str, ...]:
    """List the extensions of some families, in the order of the registry."""
    return tuple(name for name, entry in EXTENSIONS.items() if entry.family in families)


BODIES: Final = names(Family.RIGID_BODIES)
"""The extensions of bodies, colliders, triggers and joints, of all dialects."""

SHAPES: Final = names(Family.COLLISION_SHAPES)
"""The extensions of shapes, of all dialects."""

PHYSICS: Final = (*BODIES, *SHAPES)

KHR_NODE_KEYS: Final = (KHR_PHYSICS_RIGID_BODIES, KHR_PHYSICS_RIGID_BODY)
"""The keys that nodes carry KHR_physics_rigid_bodies under, one of them misspelt."""

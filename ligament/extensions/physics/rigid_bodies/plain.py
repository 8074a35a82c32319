"""The fast path for nodes of KHR_physics_rigid_bodies that have nothing odd about them.

Nearly all nodes of nearly all files fit the structures below. They are taken without another look;
whatever does not fit is read again member by member, with a finding for everything that is wrong.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypeVar

import msgspec
from msgspec import Meta, Struct

from ligament.extensions.declarations import Motion, MotionKind, Quaternion
from ligament.extensions.fields import UNIT_TOLERANCE
from ligament.extensions.physics.rigid_bodies.motions import infinite_where_zero

T = TypeVar("T")

_LARGEST = sys.float_info.max
_UNTURNED = (0.0, 0.0, 0.0, 1.0)
_DYNAMIC, _KINEMATIC = MotionKind.DYNAMIC, MotionKind.KINEMATIC

Number: TypeAlias = Annotated[float, Meta(ge=-_LARGEST, le=_LARGEST)]
Size: TypeAlias = Annotated[float, Meta(ge=0, le=_LARGEST)]
Index: TypeAlias = Annotated[int, Meta(ge=0)]
Vector: TypeAlias = tuple[Number, Number, Number]

AT_ONCE = 1_000
"""How many nodes are read together: few enough to stay in the processor's cache."""

if TYPE_CHECKING:
    Maybe: TypeAlias = T | None
else:
    Maybe = Annotated[T, "absent"]
"""A member that is None where it is not there; null in its place does not fit, and is odd."""


class _Plain(Struct, rename="camel", forbid_unknown_fields=True, gc=False, kw_only=True):
    extensions: Any = None
    extras: Any = None


class PlainMotion(_Plain):
    """The motion of a node."""

    is_kinematic: bool = False
    mass: Maybe[Size] = None
    center_of_mass: Maybe[Vector] = None
    inertia_diagonal: Maybe[tuple[Size, Size, Size]] = None
    inertia_orientation: tuple[Number, Number, Number, Number] = _UNTURNED
    linear_velocity: Vector = (0.0, 0.0, 0.0)
    angular_velocity: Vector = (0.0, 0.0, 0.0)
    gravity_factor: Number = 1.0


class PlainGeometry(_Plain):
    """What a collider or trigger is made of; one of the three is there."""

    mesh: Maybe[Index] = None
    node: Maybe[Index] = None
    shape: Maybe[Index] = None
    convex_hull: bool = False


class PlainShaped(_Plain):
    """What a collider and a trigger have in common; one of the first two is there."""

    geometry: Maybe[PlainGeometry] = None
    shape: Maybe[Index] = None
    collision_filter: Maybe[Index] = None


class PlainCollider(PlainShaped):
    """The collider of a node."""

    physics_material: Maybe[Index] = None


class PlainJoint(_Plain):
    """The joint of a node."""

    connected_node: Index
    joint: Index
    enable_collision: bool = False


class PlainNode(_Plain):
    """What a node carries."""

    motion: Maybe[PlainMotion] = None
    collider: Maybe[PlainCollider] = None
    trigger: Maybe[PlainShaped] = None
    joint: Maybe[PlainJoint] = None


class OddError(Exception):
    """Something takes a closer look."""


def read_plain(contents: Sequence[Any]) -> Iterator[PlainNode | None]:
    """Read the contents of nodes, many at once; None for those that have something odd."""
    for start in range(0, len(contents), AT_ONCE):
        yield from _converted(contents[start : start + AT_ONCE])


def _converted(contents: Sequence[Any]) -> Sequence[PlainNode | None]:
    """Convert a list; one that does not fit spoils the whole, so this goes on with the halves."""
    try:
        return msgspec.convert(contents, list[PlainNode])
    except (msgspec.ValidationError, RecursionError):
        if len(contents) == 1:
            return [None]
    half = len(contents) // 2
    return [*_converted(contents[:half]), *_converted(contents[half:])]


def item_at(items: Sequence[T], index: int | None) -> T | None:
    """Return the element at an index, None where the index is absent."""
    if index is None:
        return None
    if index >= len(items) or items[index] is None:
        raise OddError
    return items[index]


def motion_of(plain: PlainMotion | None, node: int, at: str) -> Motion | None:
    """Return the body of a node whose content stands at `at`, if it has one."""
    if plain is None:
        return None
    inertia, orientation = plain.inertia_diagonal, plain.inertia_orientation
    return Motion(
        node=node,
        kind=_KINEMATIC if plain.is_kinematic else _DYNAMIC,
        mass=math.inf if plain.mass == 0 else plain.mass,
        center_of_mass=plain.center_of_mass,
        inertia_diagonal=inertia and infinite_where_zero(inertia),
        inertia_orientation=orientation if orientation is _UNTURNED else _unit(orientation),
        linear_velocity=plain.linear_velocity,
        angular_velocity=plain.angular_velocity,
        gravity_factor=plain.gravity_factor,
        pointer=f"{at}/motion",
    )


def _unit(rotation: Quaternion) -> Quaternion:
    length = math.hypot(*rotation)
    if not abs(length - 1) <= UNIT_TOLERANCE:
        raise OddError
    x, y, z, w = rotation
    return x / length, y / length, z / length, w / length

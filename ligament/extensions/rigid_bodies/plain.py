"""Nodes of KHR_physics_rigid_bodies that have nothing odd about them, read at once.

Nearly all nodes of nearly all files fit the structures below. They are taken without another look;
whatever does not fit is read again member by member, with a finding for everything that is wrong.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Annotated, Any, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from ligament.extensions.declarations import Motion, MotionKind, Quaternion
from ligament.extensions.fields import UNIT_TOLERANCE
from ligament.extensions.rigid_bodies.motions import infinite_where_zero

T = TypeVar("T")

_LARGEST = sys.float_info.max
_UNTURNED = (0.0, 0.0, 0.0, 1.0)

Number: TypeAlias = Annotated[float, Meta(ge=-_LARGEST, le=_LARGEST)]
Size: TypeAlias = Annotated[float, Meta(ge=0, le=_LARGEST)]
Index: TypeAlias = Annotated[int, Meta(ge=0)]
Vector: TypeAlias = tuple[Number, Number, Number]
Absent: TypeAlias = UnsetType


class _Plain(Struct, rename="camel", forbid_unknown_fields=True, gc=False, kw_only=True):
    extensions: Any = None
    extras: Any = None


class PlainMotion(_Plain):
    """The motion of a node."""

    is_kinematic: bool = False
    mass: Size | Absent = UNSET
    center_of_mass: Vector | Absent = UNSET
    inertia_diagonal: tuple[Size, Size, Size] | Absent = UNSET
    inertia_orientation: tuple[Number, Number, Number, Number] | Absent = UNSET
    linear_velocity: Vector = (0.0, 0.0, 0.0)
    angular_velocity: Vector = (0.0, 0.0, 0.0)
    gravity_factor: Number = 1.0


class PlainGeometry(_Plain):
    """What a collider or trigger is made of; one of the three is there."""

    mesh: Index | Absent = UNSET
    node: Index | Absent = UNSET
    shape: Index | Absent = UNSET
    convex_hull: bool = False


class PlainShaped(_Plain):
    """What a collider and a trigger have in common; one of the first two is there."""

    geometry: PlainGeometry | Absent = UNSET
    shape: Index | Absent = UNSET
    collision_filter: Index | Absent = UNSET


class PlainCollider(PlainShaped):
    """The collider of a node."""

    physics_material: Index | Absent = UNSET


class PlainJoint(_Plain):
    """The joint of a node."""

    connected_node: Index
    joint: Index
    enable_collision: bool = False


class PlainNode(_Plain):
    """What a node carries."""

    motion: PlainMotion | Absent = UNSET
    collider: PlainCollider | Absent = UNSET
    trigger: PlainShaped | Absent = UNSET
    joint: PlainJoint | Absent = UNSET


class OddError(Exception):
    """Something takes a closer look."""


def read_plain(raw: Any) -> PlainNode:
    """Read the content of a node."""
    try:
        return msgspec.convert(raw, PlainNode)
    except (msgspec.ValidationError, RecursionError) as fault:
        raise OddError from fault


def item_at(items: Sequence[T], index: int | Absent) -> T | None:
    """Return the element at an index, None where the index is absent."""
    if index is UNSET:
        return None
    if index >= len(items) or items[index] is None:
        raise OddError
    return items[index]


def made(kind: type[T], /, **members: Any) -> T:
    """Make a declaration of all its members at once.

    The constructor of a frozen dataclass sets them one by one, and takes three times as long: more
    than all else that reading a node does.
    """
    declaration = object.__new__(kind)
    declaration.__dict__.update(members)
    return declaration


def motion_of(plain: PlainMotion, node: int, pointer: str) -> Motion:
    """Return a body."""
    inertia, orientation = plain.inertia_diagonal, plain.inertia_orientation
    return made(
        Motion,
        node=node,
        kind=MotionKind.KINEMATIC if plain.is_kinematic else MotionKind.DYNAMIC,
        mass=None if plain.mass is UNSET else plain.mass or math.inf,
        center_of_mass=None if plain.center_of_mass is UNSET else plain.center_of_mass,
        inertia_diagonal=None if inertia is UNSET else infinite_where_zero(inertia),
        inertia_orientation=_UNTURNED if orientation is UNSET else _unit(orientation),
        linear_velocity=plain.linear_velocity,
        angular_velocity=plain.angular_velocity,
        gravity_factor=plain.gravity_factor,
        pointer=pointer,
    )


def _unit(rotation: Quaternion) -> Quaternion:
    length = math.hypot(*rotation)
    if not abs(length - 1) <= UNIT_TOLERANCE:
        raise OddError
    x, y, z, w = rotation
    return x / length, y / length, z / length, w / length

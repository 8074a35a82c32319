"""Mutable members: physics members that KHR_animation_pointer may animate.

Patterns of JSON pointers as in `ligament.gltf.pointers`; `registry` puts them into the extensions
that have them. What is in no table must not be animated.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from enum import StrEnum


class Kind(StrEnum):
    """The type of a member, in the words of the object model."""

    FLOAT = "float"
    FLOAT3 = "float3"
    FLOAT4 = "float4"
    BOOL = "bool"

    @property
    def width(self) -> int:
        """Components of the accessor that animates it."""
        return {Kind.FLOAT3: 3, Kind.FLOAT4: 4}.get(self, 1)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Member:
    """A member that an animation may change.

    `field` is its name in the declarations. One without a default must be present in the file.
    `least` is its least value; a shape may not have a size of 0 where `is_above` it.
    """

    field: str
    kind: Kind = Kind.FLOAT
    has_default: bool = False
    least: float | None = None
    is_above: bool = False


_MATERIAL = {
    name: Member(field=field, has_default=True, least=0.0)
    for name, field in (
        ("staticFriction", "static_friction"),
        ("dynamicFriction", "dynamic_friction"),
        ("restitution", "restitution"),
    )
}

_BOUNDS = {"min": Member(field="minimum"), "max": Member(field="maximum")}

_DRIVE = {
    "positionTarget": Member(field="position_target"),
    "velocityTarget": Member(field="velocity_target"),
    "stiffness": Member(field="stiffness", has_default=True, least=0.0),
    "damping": Member(field="damping", has_default=True, least=0.0),
    "maxForce": Member(field="max_force", least=0.0),
}

_MOTION = {
    "isKinematic": Member(field="kind", kind=Kind.BOOL, has_default=True),
    "mass": Member(field="mass", least=0.0),
    "centerOfMass": Member(field="center_of_mass", kind=Kind.FLOAT3),
    "inertiaDiagonal": Member(field="inertia_diagonal", kind=Kind.FLOAT3, least=0.0),
    "inertiaOrientation": Member(field="inertia_orientation", kind=Kind.FLOAT4, has_default=True),
    "linearVelocity": Member(field="linear_velocity", kind=Kind.FLOAT3, has_default=True),
    "angularVelocity": Member(field="angular_velocity", kind=Kind.FLOAT3, has_default=True),
    "gravityFactor": Member(field="gravity_factor", has_default=True),
}

_ROUND = {
    name: Member(field=field, has_default=True, least=0.0)
    for name, field in (
        ("height", "height"),
        ("radiusBottom", "radius_bottom"),
        ("radiusTop", "radius_top"),
    )
}

_SOLIDS: Mapping[str, Mapping[str, Member]] = {
    "sphere": {"radius": Member(field="radius", has_default=True, least=0.0)},
    "box": {"size": Member(field="size", kind=Kind.FLOAT3, has_default=True, least=0.0)},
    "capsule": _ROUND,
    "cylinder": _ROUND,
}

_PLANE: Mapping[str, Mapping[str, Member]] = {
    "plane": {
        "sizeX": Member(field="size_x", least=0.0, is_above=True),
        "sizeZ": Member(field="size_z", least=0.0, is_above=True),
        "doubleSided": Member(field="double_sided", kind=Kind.BOOL, has_default=True),
    }
}


def rigid_bodies(
    key: str,
    *,
    root: str = "",
    joints: tuple[str, ...] = ("physicsJoints",),
    spring: tuple[str, str] = ("stiffness", "damping"),
) -> dict[str, Member]:
    """Return the mutable members of an extension of bodies, by pattern.

    `key` is its name on nodes, `root` that in the file's own extensions; `joints` are its arrays
    of joints, and `spring` the names of the stiffness and damping of a limit.
    """
    top, node = f"/extensions/{root or key}", f"/nodes/*/extensions/{key}"
    stiffness, damping = spring
    limit = _BOUNDS | {
        stiffness: Member(field="stiffness", least=0.0),
        damping: Member(field="damping", has_default=True, least=0.0),
    }
    table = {f"{top}/physicsMaterials/*/{name}": member for name, member in _MATERIAL.items()}
    for array in joints:
        table |= {f"{top}/{array}/*/limits/*/{name}": member for name, member in limit.items()}
        table |= {f"{top}/{array}/*/drives/*/{name}": member for name, member in _DRIVE.items()}
    table |= {f"{node}/motion/{name}": member for name, member in _MOTION.items()}
    enabled = Member(field="enable_collision", kind=Kind.BOOL, has_default=True)
    return table | {f"{node}/joint/enableCollision": enabled}


def shapes(array: str, *, has_planes: bool = True) -> dict[str, Member]:
    """Return the mutable members of the shapes in an array, by pattern."""
    types = {**_SOLIDS, **_PLANE} if has_planes else _SOLIDS
    return {
        f"{array}/*/{kind}/{name}": member
        for kind, members in types.items()
        for name, member in members.items()
    }

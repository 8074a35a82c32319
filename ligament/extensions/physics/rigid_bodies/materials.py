"""Materials and collision filters."""

from __future__ import annotations

from collections.abc import Mapping

from ligament.extensions.declarations import CollisionFilter, Combine, Material
from ligament.extensions.fields import Fields

MATERIAL_MEMBERS = frozenset(
    {
        "name",
        "staticFriction",
        "dynamicFriction",
        "restitution",
        "frictionCombine",
        "restitutionCombine",
    }
)
FILTER_LISTS = frozenset({"collisionSystems", "collideWithSystems", "notCollideWithSystems"})
FILTER_MEMBERS = FILTER_LISTS | {"name"}

_DEFAULT = Material()


def read_material(fields: Fields, combine_modes: Mapping[str, Combine]) -> Material:
    """Read a material; a combine mode that is absent or unknown has no vote."""
    fields.only(MATERIAL_MEMBERS)
    fields.string("name", None)
    return Material(
        static_friction=fields.number("staticFriction", _DEFAULT.static_friction, minimum=0.0),
        dynamic_friction=fields.number("dynamicFriction", _DEFAULT.dynamic_friction, minimum=0.0),
        restitution=fields.number("restitution", _DEFAULT.restitution, minimum=0.0),
        friction_combine=fields.choice("frictionCombine", combine_modes, None),
        restitution_combine=fields.choice("restitutionCombine", combine_modes, None),
    )


def read_filter(fields: Fields) -> CollisionFilter:
    """Read a filter; both lists are kept where both are given, which no revision allows."""
    fields.only(FILTER_MEMBERS)
    fields.string("name", None)
    return filter_of(fields)


def filter_of(fields: Fields) -> CollisionFilter:
    """Read the three lists of a filter from among other members."""
    wanted, unwanted = fields.strings("collideWithSystems"), fields.strings("notCollideWithSystems")
    if "collideWithSystems" in fields and "notCollideWithSystems" in fields:
        fields.report(
            "KHR_RIGID_BODIES_COLLISION_FILTER_INVALID_FILTER_SET",
            "found both collideWithSystems and notCollideWithSystems",
            "use one of them",
        )
    return CollisionFilter(
        systems=frozenset(fields.strings("collisionSystems") or ()),
        collide_with=None if wanted is None else frozenset(wanted),
        not_collide_with=None if unwanted is None else frozenset(unwanted),
    )

"""Collision filters."""

import dataclasses
from typing import Annotated

from ligament.extensions.tables.rows import Words
from ligament.extensions.tables.rules import NotBoth
from ligament.extensions.tables.table import Table


@dataclasses.dataclass(frozen=True)
class CollisionFilter:
    """The collision systems that a collider belongs to, and those that it meets or avoids.

    A list of None is absent, which is not the same as empty.
    """

    systems: Annotated[
        frozenset[str],
        Words(name="collisionSystems", about="Collision systems of this filter."),
    ] = frozenset()
    collide_with: Annotated[
        frozenset[str] | None,
        Words(
            name="collideWithSystems",
            about="The only collision systems that this filter collides with.",
        ),
    ] = None
    not_collide_with: Annotated[
        frozenset[str] | None,
        Words(
            name="notCollideWithSystems",
            about="Collision systems that this filter does not collide with.",
        ),
    ] = None


FILTER = Table(
    CollisionFilter,
    NotBoth(
        "collideWithSystems",
        "notCollideWithSystems",
        "KHR_RIGID_BODIES_COLLISION_FILTER_INVALID_FILTER_SET",
    ),
    named=True,
)

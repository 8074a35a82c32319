"""Collision filters."""

import dataclasses
from typing import Annotated, TypeAlias

from ligament.extensions.tables.rows import Words
from ligament.extensions.tables.rules import NotBoth
from ligament.extensions.tables.table import Table

Systems: TypeAlias = frozenset[str] | None


@dataclasses.dataclass(frozen=True)
class CollisionFilter:
    """The collision systems that a collider belongs to, and those that it meets or avoids.

    A list of None is absent, which is not the same as empty.
    """

    systems: Annotated[
        frozenset[str], Words(name="collisionSystems", about="Collision systems of this filter.")
    ] = frozenset()
    collide_with: Annotated[
        Systems, Words(name="collideWithSystems", about="The only systems that it collides with.")
    ] = None
    not_collide_with: Annotated[
        Systems, Words(name="notCollideWithSystems", about="Systems that it does not collide with.")
    ] = None


_BOTH = ("collideWithSystems", "notCollideWithSystems")
_CODE = "KHR_RIGID_BODIES_COLLISION_FILTER_INVALID_FILTER_SET"
FILTER = Table(CollisionFilter, NotBoth(*_BOTH, _CODE), named=True)

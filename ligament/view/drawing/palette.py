"""Layers that can be shown and hidden, and the colours of their contents."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, TypeAlias

from ligament.extensions.declarations import MotionKind

Colour: TypeAlias = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""


class Layer(StrEnum):
    """Layers, under the names that the page shows."""

    MESHES = "meshes"
    COLLIDERS = "colliders"
    TRIGGERS = "triggers"
    JOINTS = "joints"
    LIMITS = "limits"
    CONTACTS = "contacts"
    MASSES = "centres of mass"
    CONSTRAINTS = "constraints"
    SKELETON = "skeleton"


HIDDEN_AT_FIRST: Final = frozenset({Layer.MASSES})

KINDS: Final[dict[MotionKind, Colour]] = {
    MotionKind.DYNAMIC: (30, 150, 70),
    MotionKind.KINEMATIC: (235, 130, 20),
    MotionKind.STATIC: (95, 110, 130),
}
TRIGGER: Final[Colour] = (140, 90, 220)
TRIGGER_LIT: Final[Colour] = (255, 196, 0)
LIMIT: Final[Colour] = (0, 120, 215)
CONTACT: Final[Colour] = (225, 30, 45)
MASS: Final[Colour] = (20, 20, 20)
CONSTRAINT: Final[Colour] = (210, 0, 130)
BONE: Final[Colour] = (245, 120, 0)
GRID: Final[Colour] = (205, 210, 218)
SECTION: Final[Colour] = (165, 172, 184)

"""Layers that can be shown and hidden, and the colours of their contents."""

from __future__ import annotations

from typing import Final, TypeAlias

from ligament.extensions.rigid_bodies import MotionKind
from ligament.options.names import Layer

Colour: TypeAlias = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""


HIDDEN_AT_FIRST: Final = frozenset({Layer.MASSES, Layer.SPRINGS})

KINDS: Final[dict[MotionKind, Colour]] = {
    MotionKind.DYNAMIC: (30, 150, 70),
    MotionKind.KINEMATIC: (235, 130, 20),
    MotionKind.STATIC: (95, 110, 130),
}
TRIGGER: Final[Colour] = (140, 90, 220)
TRIGGER_LIT: Final[Colour] = (255, 196, 0)
AXES: Final[tuple[Colour, Colour, Colour]] = ((220, 50, 50), (60, 170, 60), (50, 90, 230))
LIMIT: Final[Colour] = (0, 120, 215)
LIMIT_VALUE: Final[Colour] = (255, 140, 0)
CONTACT: Final[Colour] = (225, 30, 45)
MASS: Final[Colour] = (20, 20, 20)
CONSTRAINT: Final[Colour] = (210, 0, 130)
BONE: Final[Colour] = (245, 120, 0)
SPRING: Final[Colour] = (0, 160, 160)
SPRING_COLLIDER: Final[Colour] = (120, 130, 0)

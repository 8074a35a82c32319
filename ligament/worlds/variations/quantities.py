"""Quantities that can vary from world to world."""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple


class Quantity(StrEnum):
    """Quantities of a scene that a rule can vary."""

    LINEAR_VELOCITY = "linear_velocity"
    ANGULAR_VELOCITY = "angular_velocity"
    TRANSLATION = "translation"
    ROTATION = "rotation"
    MASS = "mass"
    FRICTION = "friction"
    STATIC_FRICTION = "static_friction"
    DYNAMIC_FRICTION = "dynamic_friction"
    RESTITUTION = "restitution"
    DRIVE_POSITION = "drive_position"
    DRIVE_VELOCITY = "drive_velocity"
    GRAVITY = "gravity"


class Operation(StrEnum):
    """Ways to apply a draw to the value in the file: replace it, add to it, or multiply it."""

    SET = "set"
    ADD = "add"
    SCALE = "scale"


class Owner(StrEnum):
    """The owner of a quantity; the value is its wording in messages."""

    MOVING = "body that moves"
    PUSHED = "dynamic body with a finite mass"
    SURFACE = "collider, or body with colliders"
    DRIVE = "joint with drives"
    WORLD = "world"


class Trait(NamedTuple):
    """Properties of a quantity: its owner, the count of its numbers and their range.

    `operations` begins with the default; values are from `least` (exclusive if `is_open`) to
    `most`, for factors too.
    """

    owner: Owner
    size: int
    unit: str
    operations: tuple[Operation, ...]
    least: float = -math.inf
    most: float = math.inf
    is_open: bool = False

    @property
    def range(self) -> str:
        """The range in words."""
        if self.is_open:
            return f"above {self.least:g}"
        if math.isinf(self.least):
            return "finite"
        return f"{self.least:g} or more" if math.isinf(self.most) else f"0 to {self.most:g}"


_ALL = (Operation.SET, Operation.ADD, Operation.SCALE)
_SET_OR_SCALE = (Operation.SET, Operation.SCALE)
_FRICTION = Trait(Owner.SURFACE, 1, "", _SET_OR_SCALE, least=0.0)

TRAITS: Mapping[Quantity, Trait] = {
    Quantity.LINEAR_VELOCITY: Trait(Owner.MOVING, 3, "m/s", _ALL),
    Quantity.ANGULAR_VELOCITY: Trait(Owner.MOVING, 3, "rad/s", _ALL),
    Quantity.TRANSLATION: Trait(Owner.MOVING, 3, "m", (Operation.ADD,)),
    Quantity.ROTATION: Trait(Owner.MOVING, 3, "rad", (Operation.ADD,)),
    Quantity.MASS: Trait(Owner.PUSHED, 1, "kg", _SET_OR_SCALE, least=0.0, is_open=True),
    Quantity.FRICTION: _FRICTION,
    Quantity.STATIC_FRICTION: _FRICTION,
    Quantity.DYNAMIC_FRICTION: _FRICTION,
    Quantity.RESTITUTION: Trait(Owner.SURFACE, 1, "", (Operation.SET,), least=0.0, most=1.0),
    Quantity.DRIVE_POSITION: Trait(Owner.DRIVE, 1, "m or rad", (Operation.SET, Operation.ADD)),
    Quantity.DRIVE_VELOCITY: Trait(Owner.DRIVE, 1, "m/s or rad/s", (Operation.SET, Operation.ADD)),
    Quantity.GRAVITY: Trait(Owner.WORLD, 3, "m/s²", _ALL),
}

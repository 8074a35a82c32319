"""Bodies that move at constant velocity: where they are at any time, without adding up steps."""

from __future__ import annotations

import dataclasses
import math

from ligament.physics.rapier.placements import (
    Placement,
    Quaternion,
    Vector,
    add,
    multiply,
    rotate,
)


@dataclasses.dataclass(frozen=True, slots=True)
class ConstantMotion:
    """A body that goes straight on and turns evenly about its centre of mass.

    `start` is its pose at step `since`; `center` [m] lies in its frame; `velocity` [m/s] is that
    of the centre, `spin` [rad/s] in the world.
    """

    start: Placement
    center: Vector
    velocity: Vector
    spin: Vector
    since: int = 0

    @property
    def is_rest(self) -> bool:
        """Tell whether it stays where it is."""
        return not any(self.velocity) and not any(self.spin)

    def at(self, time: float) -> Placement:
        """Return the pose of the body frame after a time [s] from the start."""
        rotation = multiply(_turn(self.spin, time), self.start[1])
        middle = add(self.start[0], rotate(self.start[1], self.center))
        offset = rotate(rotation, self.center)
        x, y, z = (m + v * time - o for m, v, o in zip(middle, self.velocity, offset, strict=True))
        return (x, y, z), rotation


def _turn(spin: Vector, time: float) -> Quaternion:
    """Return the rotation by `spin` [rad/s] over a time [s]."""
    rate = math.hypot(*spin)
    half = rate * time / 2
    scale = math.sin(half) / rate if rate else 0.0
    return spin[0] * scale, spin[1] * scale, spin[2] * scale, math.cos(half)

"""Gyroscopic torques of bodies that tumble fast on a joint.

The engine computes them at the start of a step and keeps their direction while the body rotates.
A body with unequal moments of inertia that rotates by a good part of a radian in a step, and is
jerked about by a joint, gains energy from them: of ninety bodies that swung on a ball joint under
ten times their weight, three gained up to a hundred times their energy. With the mean over the step
none does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
import rapier3d as rp

from ligament.arrays import Floats
from ligament.physics.engines import Vector
from ligament.physics.engines.poses import (
    Quaternion,
    add,
    conjugate,
    cross,
    multiply,
    quaternion,
    rotate,
    vector,
)
from ligament.physics.engines.rapier import linalg
from ligament.physics.engines.rapier.state.bodies import BodySource, select
from ligament.physics.engines.rapier.state.snapshots import Memory
from ligament.physics.scene import Scene

_FAST: Final = 0.15
"""Rotation [rad] in a step above which a body is fast."""

_TOO_FAR: Final = 3.0
"""Rotation [rad] in a step above which its mean torque is meaningless."""

_MOST: Final = 0.5
"""Largest gain of angular velocity in a step, as a fraction of it."""

_UNEQUAL: Final = 1.05
"""Ratio of moments of inertia above which they count as unequal."""


class GyroscopicTorques:
    """Corrects the bodies among `candidates` whose moments of inertia are unequal."""

    def __init__(self, scene: Scene, candidates: Sequence[int], step: float) -> None:
        self._step, self._fast = step, _FAST / step
        unequal = [i for i in candidates if _is_unequal(scene.bodies[i].mass.inertia)]
        self._which, self._selection = unequal, select(unequal)
        masses = [scene.bodies[i].mass for i in unequal]
        self._moments = [vector(mass.inertia) for mass in masses]
        self._frames = [quaternion(mass.orientation) for mass in masses]
        self.is_fast = np.zeros(len(unequal), dtype=bool)
        self._corrected: list[int] = []

    @property
    def memory(self) -> list[Memory]:
        """Arrays that the next step depends on."""
        return [self.is_fast]

    def bind(self, world: rp.PhysicsWorld, source: BodySource) -> None:
        """Bind to the bodies of a world."""
        self._source = source

    def before_step(self) -> None:
        """Replace the engine's gyroscopic torques of fast bodies for the coming step."""
        if not self._which:
            return
        rows = self._source.read(self._selection)
        speed = np.add.reduce(np.abs(rows[:, 10:]), axis=1)
        if np.maximum.reduce(speed) <= self._fast and not self.is_fast.any():
            return
        is_fast = (speed > self._fast) & (speed < np.inf)
        for i in linalg.indices(is_fast != self.is_fast).tolist():
            self._body(i).gyroscopic_forces_enabled = not is_fast[i]
        self.is_fast = is_fast
        self._corrected = linalg.indices(is_fast).tolist()
        for i in self._corrected:
            row = rows[i].tolist()
            frame = multiply(tuple(row[3:7]), self._frames[i])
            torque = mean_torque(frame, tuple(row[10:]), self._moments[i], self._step)
            self._body(i).add_torque(torque)

    def after_step(self, *, is_pushed: bool) -> list[int]:
        """End the torques of the step; return no bodies, since none is restored."""
        for i in self._corrected:
            self._body(i).reset_torques(False)
        self._corrected = []
        return []

    def end(self) -> None:
        """Leave all torques to the engine again."""
        for i in linalg.indices(self.is_fast).tolist():
            self._body(i).gyroscopic_forces_enabled = True

    def _body(self, index: int) -> rp.RigidBody:
        body: rp.RigidBody = self._source.bodies[self._which[index]]
        return body


def mean_torque(frame: Quaternion, velocity: Vector, moments: Vector, step: float) -> Vector:
    """Return the mean of the gyroscopic torque [N m] over a step [s] at constant velocity [rad/s].

    `frame` is the rotation of the principal axes at its start. In the body's frame, velocity and
    acceleration are constant; in the world, the acceleration rotates about the velocity.
    """
    speed, own = math.hypot(*velocity), rotate(conjugate(frame), velocity)
    axis, angle = _scaled(velocity, 1 / speed), speed * step
    torque = cross(_times(moments, own), own)
    gained = rotate(frame, (torque[0] / moments[0], torque[1] / moments[1], torque[2] / moments[2]))
    sine, cosine = math.sin(angle) / angle, (1 - math.cos(angle)) / angle
    along = _scaled(axis, (1 - sine) * sum(_times(axis, gained)))
    mean = add(add(_scaled(gained, sine), _scaled(cross(axis, gained), cosine)), along)
    part = _trust(angle, math.hypot(*mean) * step / speed)
    if not part:
        return 0.0, 0.0, 0.0
    x, y, z = _scaled(axis, math.sin(angle / 4))
    middle = multiply((x, y, z, math.cos(angle / 4)), frame)
    seen = rotate(conjugate(middle), _scaled(mean, part))
    return rotate(middle, _times(moments, seen))


def _times(a: Vector, b: Vector) -> Vector:
    return a[0] * b[0], a[1] * b[1], a[2] * b[2]


def _scaled(v: Vector, factor: float) -> Vector:
    return v[0] * factor, v[1] * factor, v[2] * factor


def _trust(angle: float, share: float) -> float:
    """Return the fraction of a torque to apply: 0 for bodies that rotate too far in a step [rad].

    `share` is the gain of angular velocity as a fraction of it.
    """
    slow = min(max((_TOO_FAR - angle) / (_TOO_FAR / 2), 0.0), 1.0)
    return slow if share < _MOST else 0.0


def _is_unequal(moments: Floats) -> bool:
    finite = bool(np.isfinite(moments).all()) and float(np.min(moments)) > 0
    return finite and float(np.max(moments) / np.min(moments)) > _UNEQUAL

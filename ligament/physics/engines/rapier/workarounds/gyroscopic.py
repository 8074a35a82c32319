"""Gyroscopic torques of bodies that tumble fast on a joint.

The engine computes them at the start of a step and keeps their direction while the body rotates.
A body with unequal moments of inertia that rotates by a good part of a radian in a step, and is
jerked about by a joint, gains energy from them: of ninety bodies that swung on a ball joint under
ten times their weight, three gained up to a hundred times their energy. With the mean over the step
none does.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

import numpy as np
import rapier3d as rp

from ligament.arrays import Floats
from ligament.physics.engines import Vector
from ligament.physics.engines.poses import (
    Quaternion,
    conjugate,
    dot,
    multiply,
    quaternion,
    rotate,
    vector,
)
from ligament.physics.engines.rapier import linalg
from ligament.physics.engines.rapier.effort.joints import acting_joints
from ligament.physics.engines.rapier.joints.plan import make_plan
from ligament.physics.engines.rapier.stage import Memory, Stage
from ligament.physics.engines.rapier.state.bodies import BodySource, select
from ligament.physics.engines.rapier.world.build import is_moving
from ligament.physics.scene import Scene

_FAST: Final = 0.15
"""Rotation [rad] in a step above which a body is fast."""

_MAX_ROTATION: Final = 3.0
"""Rotation [rad] in a step above which its mean torque is meaningless."""

_MOST: Final = 0.5
"""Largest gain of angular velocity in a step, as a fraction of it."""

_NEGLIGIBLE: Final = 1e-6
"""Gain of angular velocity in a step, as a fraction of it, below which there is no torque."""

_UNEQUAL: Final = 1.05
"""Ratio of moments of inertia above which they count as unequal."""


class GyroscopicTorques(Stage):
    """Corrects jointed bodies that may tumble, and whose moments of inertia are unequal."""

    def __init__(self, scene: Scene, step: float) -> None:
        self._step, self._fast = step, _FAST / step
        self._adopt(scene)

    def rebuild(self, scene: Scene) -> None:
        """Leave all torques to the engine again, and adopt other masses or joints."""
        for i in linalg.indices(self.is_fast).tolist():
            self._body(i).gyroscopic_forces_enabled = True
        self._adopt(scene)

    def _adopt(self, scene: Scene) -> None:
        unequal = [i for i in _tumbling(scene) if _is_unequal(scene.bodies[i].mass.inertia)]
        self._which, self._selection = unequal, select(unequal)
        masses = [scene.bodies[i].mass for i in unequal]
        self._moments = [vector(mass.inertia) for mass in masses]
        self._frames = [quaternion(mass.orientation) for mass in masses]
        self.is_fast = np.zeros(len(unequal), dtype=bool)
        self._corrected: list[rp.RigidBody] = []
        self._marked: list[int] | None = None

    @property
    def arrays(self) -> list[Memory]:
        """Which bodies are fast."""
        return [self.is_fast]

    def bind(self, world: rp.PhysicsWorld, source: BodySource) -> None:
        """Bind to the bodies of a world, whose flags are those of its own time."""
        self._source = source
        self.is_fast[:] = False
        self._marked = None

    def before_step(self, now: int) -> None:
        """Replace the engine's gyroscopic torques of fast bodies for the coming step."""
        if not self._which:
            return
        rows = self._source.read(self._selection)
        speed = np.add.reduce(np.abs(rows[:, 10:]), axis=1)
        fast = [i for i in linalg.indices(speed > self._fast).tolist() if speed[i] < np.inf]
        if fast != self._marked:
            self._mark(fast)
        for i in fast:
            row = rows[i].tolist()
            frame = multiply((row[3], row[4], row[5], row[6]), self._frames[i])
            body, velocity = self._body(i), (row[10], row[11], row[12])
            torque = mean_torque(frame, velocity, self._moments[i], self._step)
            if any(torque):
                body.add_torque(torque)
                self._corrected.append(body)

    def _mark(self, fast: list[int]) -> None:
        """Take over the torques of fast bodies, and leave those of all others to the engine."""
        before, self._marked = linalg.indices(self.is_fast).tolist(), fast
        self.is_fast[before] = False
        self.is_fast[fast] = True
        for i in {*fast} ^ {*before}:
            self._body(i).gyroscopic_forces_enabled = not self.is_fast[i]

    def after_step(self, now: int) -> Iterable[int]:
        """End the torques of the step."""
        for body in self._corrected:
            body.reset_torques(False)
        self._corrected.clear()
        return ()

    def _body(self, index: int) -> rp.RigidBody:
        body: rp.RigidBody = self._source.bodies[self._which[index]]
        return body


def _tumbling(scene: Scene) -> list[int]:
    """Return the jointed dynamic bodies that may rotate about several axes of the world.

    With a single axis, gyroscopic torques are across it, and the joint carries them.
    """
    ends = {joint: (joint.a.body, joint.b.body) for joint in acting_joints(scene)}
    pinned = {
        body
        for joint, pair in ends.items()
        if len(make_plan(tuple(joint.limits), tuple(joint.drives)).locked & {3, 4, 5}) > 1
        and not all(is_moving(scene.bodies[i]) for i in pair)
        for body in pair
    }
    jointed = {body for pair in ends.values() for body in pair}
    return sorted(i for i in jointed if scene.bodies[i].is_free and i not in pinned)


def mean_torque(frame: Quaternion, velocity: Vector, moments: Vector, step: float) -> Vector:
    """Return the mean of the gyroscopic torque [N m] over a step [s] at constant velocity [rad/s].

    `frame` is the rotation of the principal axes at its start. In that frame, velocity and
    acceleration are constant. In the world the acceleration rotates about the velocity; seen from
    the middle of the step, what it has across the velocity shrinks in the mean by sin(h) / h, h
    being half of the rotation.
    """
    i, j, k = moments
    a, b, c = rotate(conjugate(frame), velocity)
    own = x, y, z = (j - k) * b * c / i, (k - i) * c * a / j, (i - j) * a * b / k
    speed, gain = math.hypot(a, b, c), math.hypot(x, y, z)
    if gain * step < _NEGLIGIBLE * speed:
        return 0.0, 0.0, 0.0
    angle = speed * step
    sine, cosine = math.sin(angle / 4) / speed, math.cos(angle / 4)
    across = 4 * sine * speed * cosine / angle
    along = (1 - across) * dot((a, b, c), own) / speed**2
    x, y, z = x * across + a * along, y * across + b * along, z * across + c * along
    part = _torque_fraction(angle, math.hypot(x, y, z) * step / speed)
    if not part:
        return 0.0, 0.0, 0.0
    half_rotation = a * sine, b * sine, c * sine, cosine
    return rotate(frame, rotate(half_rotation, (part * i * x, part * j * y, part * k * z)))


def _torque_fraction(angle: float, share: float) -> float:
    """Return the fraction of a torque to apply: 0 for bodies that rotate too far in a step [rad].

    `share` is the gain of angular velocity as a fraction of it.
    """
    slow = min(max((_MAX_ROTATION - angle) / (_MAX_ROTATION / 2), 0.0), 1.0)
    return slow if share < _MOST else 0.0


def _is_unequal(moments: Floats) -> bool:
    finite = bool(np.isfinite(moments).all()) and float(np.min(moments)) > 0
    return finite and float(np.max(moments)) > _UNEQUAL * float(np.min(moments))

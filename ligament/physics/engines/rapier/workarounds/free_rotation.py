"""Rotation of bodies that nothing touches, as Euler's equations have it.

The engine turns a body with its velocity at the start of an iteration, and its gyroscopic torque is
that of this moment: a plate that spins at 20 rad/s about its middle axis flips over after 1.01 s
instead of 0.94 s, one at 60 rad/s after 0.48 s instead of 0.31 s, and their angular momentum, which
nothing changes, is off by 2 and 13 % after a few turns. Without a torque the angular momentum L is
known, and with it the velocity in any orientation q:

    ω(q) = I(q)⁻¹ L,    q' = ½ ω q,

which is solved in parts of a step by a method of fourth order whose steps are rotations. Bodies
that something touches, or that a joint holds, are left to the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

import numpy as np
import rapier3d as rp

from ligament.arrays import Bools, Floats, Indices
from ligament.physics.engines.rapier import linalg
from ligament.physics.engines.rapier.effort.joints import acting_joints, moved
from ligament.physics.engines.rapier.stage import Memory, Stage
from ligament.physics.engines.rapier.state.bodies import BodySource, select
from ligament.physics.scene import Scene
from ligament.transforms import to_matrix

ROTATION_MIN: Final = 0.002
"""Rotation [rad] in a step below which the engine is exact enough: to a thousandth of it."""

ROTATION_PART: Final = 0.1
"""Rotation [rad] in a part of a step: 30 turns are then off by 0.8°."""

BODIES_MAX: Final = 64
"""Most bodies at once, so that heaps that fall stay fast."""


class FreeRotations(Stage):
    """The free bodies of a scene that no joint holds.

    Those that are `untouched` (n,) spin without gyroscopic torques of the engine, so that their
    velocity stays the same in a step unless something touches them.
    """

    def __init__(self, scene: Scene, step: float) -> None:
        self._step = step
        self._handles: list[rp.RigidBody] = []
        self.untouched = np.zeros(0, bool)
        self._adopt(scene)

    def rebuild(self, scene: Scene) -> None:
        """Leave all bodies to the engine again, and adopt other masses or joints."""
        self._mark(np.zeros(len(self.untouched), bool))
        self._adopt(scene)
        self._handles = [self._source.bodies[i] for i in self._which]

    def _adopt(self, scene: Scene) -> None:
        held = {body for joint in acting_joints(scene) for body in moved(joint, scene)}
        which = [
            i
            for i, body in enumerate(scene.bodies)
            if body.is_free and i not in held and _is_finite(body.mass.inertia)
        ]
        masses = [scene.bodies[i].mass for i in which]
        self._which, self._selection = which, select(which)
        self._inertia = np.array([mass.inertia for mass in masses]).reshape(-1, 3)
        axes = to_matrix(np.array([mass.orientation for mass in masses]).reshape(-1, 4))
        self._axes = np.asarray(axes)
        self._centers = np.array([mass.center for mass in masses]).reshape(-1, 3)
        self.untouched = np.zeros(len(which), bool)

    @property
    def is_needed(self) -> bool:
        """Whether there are such bodies."""
        return bool(self._which)

    @property
    def arrays(self) -> list[Memory]:
        """Which bodies nothing touches."""
        return [self.untouched]

    def bind(self, world: rp.PhysicsWorld, source: BodySource) -> None:
        """Bind to the bodies of a world."""
        self._world, self._source = world, source
        self._handles = [source.bodies[i] for i in self._which]

    def restore(self, memory: Any) -> None:
        """Continue from a memory."""
        super().restore(memory)
        for handle, is_untouched in zip(self._handles, self.untouched.tolist(), strict=True):
            if handle.gyroscopic_forces_enabled == is_untouched:
                handle.gyroscopic_forces_enabled = not is_untouched

    def before_step(self, now: int) -> None:
        """Switch off the engine's gyroscopic torques of bodies that spin untouched."""
        self._before = self._source.read(self._selection).astype(np.float64)
        speed = linalg.length(self._before[:, 10:]) * self._step
        spins = (speed > ROTATION_MIN) & (speed < np.inf)
        if np.count_nonzero(spins) > BODIES_MAX:
            spins[:] = False
        touched = [i for i in linalg.indices(spins).tolist() if self._is_touched(i)]
        spins[touched] = False
        self._mark(spins)

    def _mark(self, untouched: Bools) -> None:
        for i in linalg.indices(untouched != self.untouched).tolist():
            self._handles[i].gyroscopic_forces_enabled = not untouched[i]
        self.untouched[:] = untouched

    def _is_touched(self, body: int) -> bool:
        """Tell whether contacts pushed a body in the last step."""
        phase = self._world.narrow_phase
        return any(
            pair.total_impulse_magnitude() > 0
            for collider in self._handles[body].colliders
            for pair in phase.contact_pairs_with(collider)
        )

    def after_step(self, now: int) -> Iterable[int]:
        """Turn bodies whose velocity shows that nothing touched them."""
        some = linalg.indices(self.untouched)
        if not len(some):
            return ()
        after = self._source.read(self._selection)[some].astype(np.float64)
        before = self._before[some]
        same = (after[:, 10:] == before[:, 10:]).all(axis=1)
        some, before, after = some[same], before[same], after[same]
        if not len(some):
            return ()
        rotation, spin = self._turned(some, before[:, 3:7], before[:, 10:])
        center = after[:, :3] + linalg.rotate(after[:, 3:7], self._centers[some])
        place = center - linalg.rotate(rotation, self._centers[some])
        columns = (some.tolist(), place.tolist(), rotation.tolist(), spin.tolist())
        for i, at, turn, speed in zip(*columns, strict=True):
            self._handles[i].position = rp.Isometry3(at, turn)
            self._handles[i].angvel = rp.Vec3(*speed)
        return [self._which[i] for i in some.tolist()]

    def _turned(self, some: Indices, rotation: Floats, spin: Floats) -> tuple[Floats, Floats]:
        """Return the rotations and velocities of some bodies after a step."""
        axes, inertia = self._axes[some], self._inertia[some]

        def principal(rotation: Floats) -> Floats:
            return np.asarray(linalg.matrices(rotation) @ axes)

        def velocity(rotation: Floats) -> Floats:
            frame = principal(rotation)
            seen = (momentum[:, None, :] @ frame)[:, 0] / inertia
            return np.asarray((frame @ seen[:, :, None])[:, :, 0])

        frame = principal(rotation)
        momentum = (frame @ (inertia * (spin[:, None, :] @ frame)[:, 0])[:, :, None])[:, :, 0]
        fastest = float(linalg.length(spin).max()) * self._step
        parts = max(1, int(np.ceil(fastest / ROTATION_PART)))
        for _ in range(parts):
            rotation = _advanced(rotation, velocity, self._step / parts)
        rotation /= linalg.length(rotation)[:, None]
        return rotation, velocity(rotation)


def _advanced(rotation: Floats, velocity: Callable[[Floats], Floats], time: float) -> Floats:
    """Return rotations (n, 4) after a time [s], by a commutator-free method of fourth order."""

    def turned(vector: Floats, rotation: Floats) -> Floats:
        return linalg.multiply(linalg.from_vector(vector), rotation)

    first = time * velocity(rotation)
    half = turned(first / 2, rotation)
    second = time * velocity(half)
    third = time * velocity(turned(second / 2, rotation))
    last = time * velocity(turned(third - first / 2, half))
    middle = 2 * second + 2 * third
    rotation = turned((3 * first + middle - last) / 12, rotation)
    return turned((3 * last + middle - first) / 12, rotation)


def _is_finite(moments: Floats) -> bool:
    return bool(np.isfinite(moments).all()) and float(np.min(moments)) > 0

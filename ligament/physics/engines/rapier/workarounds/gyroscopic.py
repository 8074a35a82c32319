"""Gyroscopic torques of bodies that tumble fast on a joint.

The engine computes them at the start of a step and keeps their direction while the body rotates on.
A body of unequal moments that rotates by a good part of a radian in that time, and is jerked about
by a joint, is driven by them: of ninety bodies that swung on a ball joint under ten times their
weight, three gained up to a hundred times their energy. With the mean over the step none does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import rapier3d as rp

from ligament.arrays import Floats, Indices
from ligament.physics.engines.rapier import linalg
from ligament.physics.engines.rapier.state.bodies import BodySource
from ligament.physics.engines.rapier.state.snapshots import Memory
from ligament.physics.scene import Scene

_FAST: Final = 0.15
"""Rotation [rad] in a step from which on a body is fast."""

_TOO_FAR: Final = 3.0
"""Rotation [rad] in a step from which on nothing can be said about the torques in it."""

_MOST: Final = 0.5
"""Part of its angular velocity that a body may gain in a step."""

_PARTS: Final = (0.125, 0.375, 0.625, 0.875)
"""Times within a step at which torques are computed."""

_UNEQUAL: Final = 1.05
"""Ratio of moments of inertia from which on they are unequal."""


class GyroscopicTorques:
    """Corrects the bodies among `candidates` whose moments of inertia are unequal."""

    def __init__(self, scene: Scene, candidates: Sequence[int], step: float) -> None:
        self._step = step
        unequal = [i for i in candidates if _is_unequal(scene.bodies[i].mass.inertia)]
        self._which: Indices = np.array(unequal, dtype=np.intp)
        masses = [scene.bodies[i].mass for i in unequal]
        self._moments: Floats = np.array([m.inertia for m in masses], float).reshape(-1, 3)
        self._frames: Floats = np.array([m.orientation for m in masses], float).reshape(-1, 4)
        self.is_fast = np.zeros(len(unequal), dtype=bool)
        self._corrected: Indices = np.array([], dtype=np.intp)

    @property
    def memory(self) -> list[Memory]:
        """Arrays that the next step depends on."""
        return [self.is_fast]

    def bind(self, world: rp.PhysicsWorld, source: BodySource) -> None:
        """Take hold of the bodies of a world."""
        self._source = source

    def before_step(self) -> None:
        """Replace the engine's gyroscopic torques of fast bodies for the coming step."""
        if not len(self._which):
            return
        rows = self._source.read(self._which)
        angle = np.abs(rows[:, 10:]).sum(axis=1) * self._step
        if angle.max() <= _FAST and not self.is_fast.any():
            return
        is_fast = (angle > _FAST) & np.isfinite(angle)
        for i in linalg.indices(is_fast != self.is_fast).tolist():
            self._body(i).gyroscopic_forces_enabled = not is_fast[i]
        self.is_fast = is_fast
        self._corrected = linalg.indices(is_fast)
        if len(self._corrected):
            fast = rows[self._corrected].astype(np.float64)
            torques = self._torques(self._corrected, fast[:, 3:7], fast[:, 10:])
            for i, torque in zip(self._corrected.tolist(), torques.tolist(), strict=True):
                self._body(i).add_torque(tuple(torque))

    def after_step(self, *, is_pushed: bool) -> list[int]:
        """End the torques of the step; no body is put back."""
        for i in self._corrected.tolist():
            self._body(i).reset_torques(False)
        self._corrected = self._corrected[:0]
        return []

    def end(self) -> None:
        """Leave all torques to the engine again."""
        for i in linalg.indices(self.is_fast).tolist():
            self._body(i).gyroscopic_forces_enabled = True

    def _body(self, index: int) -> rp.RigidBody:
        body: rp.RigidBody = self._source.bodies[self._which[index]]
        return body

    def _torques(self, some: Indices, rotation: Floats, velocity: Floats) -> Floats:
        """Return the means (n, 3) of gyroscopic torques over the step, at present velocities."""
        moments, frame = self._moments[some], linalg.multiply(rotation, self._frames[some])
        # Frames at all times within the step, and last in the middle of it.
        times = np.array([*_PARTS, 0.5])[:, None, None] * self._step
        turns = linalg.from_vector((times * velocity).reshape(-1, 3))
        frames = linalg.multiply(turns, np.tile(frame, (len(times), 1)))
        axes = linalg.matrices(frames).reshape(len(times), -1, 3, 3)
        own = (velocity[:, None] @ axes[:-1])[:, :, 0]
        wrench = linalg.cross((moments * own).reshape(-1, 3), own.reshape(-1, 3))
        gained = wrench.reshape(own.shape) / moments
        mean = (axes[:-1] @ gained[..., None])[..., 0].mean(axis=0)
        mean *= self._trust(velocity, mean)[:, None]
        middle = axes[-1]
        torque: Floats = (middle @ (moments * (mean[:, None] @ middle)[:, 0])[:, :, None])[:, :, 0]
        return torque

    def _trust(self, velocity: Floats, gained: Floats) -> Floats:
        """Return the part (n,) of torques to apply: none where bodies rotate too far in a step."""
        size = linalg.length(velocity)
        share = linalg.length(gained) * self._step / np.maximum(size, 1e-9)
        slow = linalg.bounded((_TOO_FAR - size * self._step) / (_TOO_FAR / 2), 0.0, 1.0)
        return np.where(share < _MOST, slow, 0.0)


def _is_unequal(moments: Floats) -> bool:
    finite = bool(np.isfinite(moments).all()) and float(np.min(moments)) > 0
    return finite and float(np.max(moments) / np.min(moments)) > _UNEQUAL

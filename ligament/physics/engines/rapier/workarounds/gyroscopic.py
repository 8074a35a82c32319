"""Bodies that tumble fast on a joint: their gyroscopic forces are worked out here.

The engine works them out at the start of a step, and lets them keep their direction while the body
turns on. A body of unequal moments that turns a good part of a radian in that time, and is jerked
about by a joint, is driven by them: of ninety bodies that swung on a ball under ten times their
weight, three gained up to a hundred times their energy. With the mean over the step none does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import rapier3d as rp

from ligament.arrays import Floats
from ligament.physics.engines.rapier import linalg
from ligament.physics.engines.rapier.joints.rows import Indices, Memory
from ligament.physics.engines.rapier.state.bodies import BodySource
from ligament.physics.scene import Scene

_FAST: Final = 0.15
"""Turn [rad] in a step from which on a body is fast."""

_TOO_FAR: Final = 3.0
"""Turn [rad] in a step from which on nothing can be said about the torques in it."""

_MOST: Final = 0.5
"""Part of its spin that a body may gain in a step."""

_PARTS: Final = (0.125, 0.375, 0.625, 0.875)
"""Where in a step its torques are looked at."""

_UNEQUAL: Final = 1.05
"""Ratio of moments from which on they are unequal."""


class Tumbling:
    """The bodies among `candidates` whose moments are unequal."""

    def __init__(self, scene: Scene, candidates: Sequence[int], step: float) -> None:
        self._step = step
        unequal = [i for i in candidates if _is_unequal(scene.bodies[i].mass.inertia)]
        self._which: Indices = np.array(unequal, dtype=np.intp)
        masses = [scene.bodies[i].mass for i in unequal]
        self._moments: Floats = np.array([m.inertia for m in masses], float).reshape(-1, 3)
        self._frames: Floats = np.array([m.orientation for m in masses], float).reshape(-1, 4)
        self.is_fast = np.zeros(len(unequal), dtype=bool)
        self._twisted: Indices = np.array([], dtype=np.intp)

    @property
    def memory(self) -> list[Memory]:
        """What the next step depends on."""
        return [self.is_fast]

    def bind(self, source: BodySource) -> None:
        """Take hold of the bodies of a world."""
        self._source = source

    def update(self) -> None:
        """Take over the gyroscopic forces of what turns fast, for the coming step."""
        if not len(self._which):
            return
        rows = self._source.read(self._which)
        turn = np.abs(rows[:, 10:]).sum(axis=1) * self._step
        is_fast = (turn > _FAST) & np.isfinite(turn)
        for i in linalg.indices(is_fast != self.is_fast).tolist():
            self._body(i).gyroscopic_forces_enabled = not is_fast[i]
        self.is_fast = is_fast
        self._twisted = linalg.indices(is_fast)
        if len(self._twisted):
            fast = rows[self._twisted].astype(np.float64)
            torques = self._torques(self._twisted, fast[:, 3:7], fast[:, 10:])
            for i, torque in zip(self._twisted.tolist(), torques.tolist(), strict=True):
                self._body(i).add_torque(tuple(torque))

    def after_step(self) -> None:
        """End what acted in the step."""
        for i in self._twisted.tolist():
            self._body(i).reset_torques(False)
        self._twisted = self._twisted[:0]

    def _body(self, index: int) -> rp.RigidBody:
        body: rp.RigidBody = self._source.bodies[self._which[index]]
        return body

    def _torques(self, some: Indices, rotation: Floats, spin: Floats) -> Floats:
        """Return the means (n, 3) of gyroscopic torques over the step, at present spins."""
        moments, frame = self._moments[some], linalg.multiply(rotation, self._frames[some])
        mean = np.zeros((len(some), 3))
        for part in _PARTS:
            there = linalg.multiply(linalg.turn_by(spin * part * self._step), frame)
            own = linalg.rotate(linalg.conjugate(there), spin)
            gained = linalg.cross(moments * own, own) / moments
            mean += linalg.rotate(there, gained) / len(_PARTS)
        mean *= self._trust(spin, mean)[:, None]
        middle = linalg.multiply(linalg.turn_by(spin * self._step / 2), frame)
        own = linalg.rotate(linalg.conjugate(middle), mean)
        return linalg.rotate(middle, moments * own)

    def _trust(self, spin: Floats, gained: Floats) -> Floats:
        """Return what part (n,) of torques to apply: none where bodies turn too far in a step."""
        size = np.sqrt(linalg.dot(spin, spin))
        share = np.sqrt(linalg.dot(gained, gained)) * self._step / np.maximum(size, 1e-9)
        slow = linalg.bounded((_TOO_FAR - size * self._step) / (_TOO_FAR / 2), 0.0, 1.0)
        return np.where(share < _MOST, slow, 0.0)


def _is_unequal(moments: Floats) -> bool:
    finite = bool(np.isfinite(moments).all()) and float(np.min(moments)) > 0
    return finite and float(np.max(moments) / np.min(moments)) > _UNEQUAL

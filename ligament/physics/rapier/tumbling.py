"""Bodies that tumble fast on a joint: their gyroscopic forces are left out for the while.

The engine works out gyroscopic forces once in a step. A body of unequal moments that turns a
good part of a radian in that time, and is jerked about by a joint, would be driven by them: one
in forty such bodies gained a hundred times its energy. A spinning top is not concerned: about a
principal axis there is hardly any such force.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import rapier3d as rp

from ligament.physics.rapier import batch
from ligament.physics.rapier.reading import read_rows
from ligament.physics.rapier.rows import Floats, Indices, Memory
from ligament.physics.scene import Scene

_WILD: Final = 0.15
"""Part of its spin that a body may gain from gyroscopic forces in a step."""

_EVERY: Final = 2
"""Steps between two looks."""

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
        self.is_wild = np.zeros(len(unequal), dtype=bool)

    @property
    def memory(self) -> list[Memory]:
        """What the next step depends on."""
        return [self.is_wild]

    def bind(self, bodies: Sequence[rp.RigidBody]) -> None:
        """Take hold of the bodies of a world."""
        self._bodies = [bodies[i] for i in self._which.tolist()]

    def update(self, now: int) -> None:
        """Switch gyroscopic forces off and on again where it is time."""
        if now % _EVERY or not self._bodies:
            return
        fast = _WILD / self._step
        speeds = [abs(v.x) + abs(v.y) + abs(v.z) > fast for v in (b.angvel for b in self._bodies)]
        suspects = np.flatnonzero(np.array(speeds) | self.is_wild)
        if len(suspects):
            self._switch(suspects)

    def _switch(self, some: Indices) -> None:
        rows = read_rows([self._bodies[i] for i in some.tolist()]).astype(np.float64)
        gain = self._gains(some, rows[:, 3:7], rows[:, 10:])
        wild = np.nan_to_num(gain) > _WILD
        for i, is_wild in zip(some.tolist(), wild.tolist(), strict=True):
            if is_wild != self.is_wild[i]:
                self._bodies[i].gyroscopic_forces_enabled = not is_wild
        self.is_wild[some] = wild

    def _gains(self, some: Indices, rotation: Floats, spin: Floats) -> Floats:
        """Return what part of their spin bodies gain from gyroscopic forces in a step."""
        turn = batch.multiply(rotation, self._frames[some])
        own = batch.rotate(batch.conjugate(turn), spin)
        moments = self._moments[some]
        gained = batch.cross(own, moments * own) / moments * self._step
        return np.sqrt(batch.dot(gained, gained) / np.maximum(batch.dot(own, own), 1e-12))


def _is_unequal(moments: Floats) -> bool:
    finite = bool(np.isfinite(moments).all()) and float(np.min(moments)) > 0
    return finite and float(np.max(moments) / np.min(moments)) > _UNEQUAL

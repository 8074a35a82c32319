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

from ligament.physics.rapier import batch
from ligament.physics.rapier.rows import Floats, Indices, Memory
from ligament.physics.rapier.sources import BodySource
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

    def bind(self, source: BodySource) -> None:
        """Take hold of the bodies of a world."""
        self._source = source

    def update(self, now: int) -> None:
        """Switch gyroscopic forces off and on again where it is time."""
        if now % _EVERY or not len(self._which):
            return
        rows = self._source.read(self._which)
        is_fast = np.abs(rows[:, 10:]).sum(axis=1) > _WILD / self._step
        suspects = batch.indices(is_fast | self.is_wild)
        if len(suspects):
            self._switch(suspects, rows[suspects].astype(np.float64))

    def _switch(self, some: Indices, rows: Floats) -> None:
        gain = self._gains(some, rows[:, 3:7], rows[:, 10:])
        wild = np.nan_to_num(gain) > _WILD
        changed = wild != self.is_wild[some]
        bodies = self._which[some[changed]].tolist()
        for body, is_wild in zip(bodies, wild[changed].tolist(), strict=True):
            self._source.bodies[body].gyroscopic_forces_enabled = not is_wild
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

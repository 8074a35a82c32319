"""The state of all bodies, of which only those are read that may have moved since."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
import numpy.typing as npt
import rapier3d as rp

from ligament.arrays import Floats
from ligament.physics.engine import State
from ligament.physics.rapier.sources import BodySource

FARTHEST: Final = 1e12
"""Distance [m] from the origin at which a body has run away: light takes an hour."""


def as_state(rows: Floats) -> State:
    """Return the parts of rows (B, 13), without copying them."""
    return State(rows[:, :3], rows[:, 3:7], rows[:, 7:10], rows[:, 10:])


class StateReader:
    """Keeps the state of all bodies, and renews what may have changed since it was last read.

    `state` is that of the start, `moving` the bodies that the engine may move.
    """

    def __init__(self, state: State, moving: Iterable[int]) -> None:
        self.rows: Floats = np.concatenate(state, axis=1)
        self.state = as_state(self.rows)
        self._candidates = tuple(moving)
        self._awake: frozenset[int] | None = None  # of which None means all
        self._stale: frozenset[int] | None = None

    def bind(
        self, world: rp.PhysicsWorld, source: BodySource, *, frozen: Iterable[int] = ()
    ) -> None:
        """Read from the bodies of a world from now on, all but the frozen ones the next time."""
        self._world, self._islands, self._source = world, world.islands, source
        self._awake = self._stale = None
        left_out = set(frozen)
        self._select([i for i in self._candidates if i not in left_out])

    def _select(self, moving: list[int]) -> None:
        self._moving = moving
        self._everything = np.array(moving, np.intp)

    def freeze(self, body: int) -> None:
        """Leave a body where it was last seen, at rest, and never read it again."""
        self._select([i for i in self._moving if i != body])
        self.state.velocity[body] = self.state.spin[body] = 0

    def note_step(self) -> None:
        """Note which bodies a step may have moved; those awake before it may sleep now."""
        self._source.forget()
        if len(self._islands) >= len(self._moving):
            self._awake = self._stale = None
            return
        self._awake = frozenset([handle.index for handle in self._world.active_bodies()])
        if self._stale is not None:
            self._stale |= self._awake

    def note(self, body: int) -> None:
        """Note that a body was changed from outside."""
        self._source.forget()
        if self._stale is not None:
            self._stale |= {body}

    def read(self) -> None:
        """Bring `rows` up to date."""
        if self._stale is None:
            self._renew(self._everything)
        elif self._stale:
            self._renew(np.array([i for i in self._moving if i in self._stale], np.intp))
        self._stale = self._awake

    def runaways(self) -> list[int]:
        """Return the bodies that were read further away than anything should be."""
        distance = np.abs(self.rows[self._everything, :3]).max(axis=1, initial=0.0)
        found: list[int] = self._everything[distance > FARTHEST].tolist()
        return found

    def _renew(self, which: npt.NDArray[np.intp]) -> None:
        if len(which):
            self.rows[which] = self._source.read(which)

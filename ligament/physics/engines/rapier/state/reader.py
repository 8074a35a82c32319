"""States of all bodies, read from the engine where they may have changed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np
import rapier3d as rp

from ligament.arrays import Floats
from ligament.physics.engines import State
from ligament.physics.engines.rapier.stage import Stage, fill
from ligament.physics.engines.rapier.state.bodies import BodySource, Selection, count, select

FARTHEST: Final = 1e12
"""Distance [m] from the origin at which a body counts as lost: light takes an hour."""


def as_state(rows: Floats) -> State:
    """Return the parts of rows (B, 13), without copying them."""
    return State(rows[:, :3], rows[:, 3:7], rows[:, 7:10], rows[:, 10:])


class StateReader(Stage):
    """Keeps the state of all bodies, and updates what may have changed since the last read.

    `state` is that of the start, `moving` the bodies that the engine may move. `frozen` are those
    that became non-finite, `lost` the ones among them that were not asked for yet.
    """

    def __init__(self, state: State, moving: Iterable[int]) -> None:
        self.rows: Floats = np.concatenate(state, axis=1)
        self.state = as_state(self.rows)
        self._candidates = tuple(moving)
        self.frozen: list[int] = []
        self.lost: list[int] = []
        self._awake: frozenset[int] | None = None  # of which None means all
        self._stale: frozenset[int] | None = None

    def bind(self, world: rp.PhysicsWorld, source: BodySource) -> None:
        """Read from the bodies of a world from now on, all but the frozen ones the next time."""
        self._world, self._islands, self._source = world, world.islands, source
        self._awake = self._stale = None
        self._select()

    def _select(self) -> None:
        left_out = set(self.frozen)
        self._moving = [i for i in self._candidates if i not in left_out]
        self._everything = select(self._moving)

    @property
    def memory(self) -> Any:
        """The last states, and what was frozen."""
        self.read()
        return self.rows, self.frozen, self.lost

    def restore(self, memory: Any) -> None:
        """Continue from a memory."""
        rows, self.frozen, self.lost = memory
        fill([self.rows], [rows])
        self._select()

    def freeze(self, body: int) -> None:
        """Freeze a body where it was last seen, and never read it again."""
        self.frozen.append(body)
        self.lost.append(body)
        self._select()
        self.state.linear_velocity[body] = self.state.angular_velocity[body] = 0

    def after_step(self, now: int) -> Iterable[int]:
        """Note which bodies a step may have moved; those awake before it may sleep now."""
        self._source.forget()
        if len(self._islands) >= len(self._moving):
            self._awake = self._stale = None
            return ()
        self._awake = frozenset([handle.index for handle in self._world.active_bodies()])
        if self._stale is not None:
            self._stale |= self._awake
        return ()

    def note(self, body: int) -> None:
        """Note that a body was changed from outside."""
        self._source.forget()
        if self._stale is not None:
            self._stale |= {body}

    def read(self) -> None:
        """Update `rows`."""
        if self._stale is None:
            self._renew(self._everything)
        elif self._stale:
            self._renew(np.array([i for i in self._moving if i in self._stale], np.intp))
        self._stale = self._awake

    def runaways(self) -> list[int]:
        """Return the bodies read at implausible distances."""
        if np.maximum.reduce(np.abs(self.state.translation), axis=None, initial=0.0) <= FARTHEST:
            return []
        distance = np.abs(self.rows[self._moving, :3]).max(axis=1, initial=0.0)
        return [i for i, far in zip(self._moving, distance > FARTHEST, strict=True) if far]

    def _renew(self, which: Selection) -> None:
        if count(which):
            self.rows[which] = self._source.read(which)

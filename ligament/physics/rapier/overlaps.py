"""Which colliders began and ceased to overlap, as the engine tells it.

The engine looks for overlaps at the start of a step, so that those of the present state are told
by the next one only. To know them sooner, a copy of the world takes that step.
"""

from __future__ import annotations

from collections import Counter
from typing import cast

import rapier3d as rp

from ligament.physics.engine import Overlap


class OverlapListener:
    """Collects overlaps; `known` maps the engine's index of a collider to that of the scene."""

    def __init__(self, known: list[int]) -> None:
        self._known = known
        self.waiting: list[Overlap] = []
        self.foreseen: list[Overlap] = []

    def listen(self, world: rp.PhysicsWorld) -> None:
        """Listen to a world from now on."""
        self._events = rp.ChannelEventCollector()
        world.event_handler = cast(rp.EventHandler, self._events)

    def collect(self) -> None:
        """Take over what the engine has to tell; what was foreseen is not told again."""
        told = self._drain(self._events)
        if self.foreseen:
            told, self.foreseen = _not_yet(told, self.foreseen), []
        self.waiting += told

    def take(self) -> list[Overlap]:
        """Return everything that was not returned before."""
        self.collect()
        overlaps, self.waiting = self.waiting, []
        return overlaps

    def foresee(self, copy: rp.PhysicsWorld) -> list[Overlap]:
        """Return what the next step would tell; uses up a copy of the world."""
        events = rp.ChannelEventCollector()
        copy.event_handler = cast(rp.EventHandler, events)
        copy.step()
        found, before = self._drain(events), self.foreseen
        self.foreseen = found
        return _not_yet(found, before)

    def _drain(self, events: rp.ChannelEventCollector) -> list[Overlap]:
        known = self._known
        return [
            Overlap(known[event.collider1.index], known[event.collider2.index], event.started)
            for event in events.drain_collision_events()
        ]


def _not_yet(told: list[Overlap], foreseen: list[Overlap]) -> list[Overlap]:
    """Leave out what was foreseen; take back what was, but did not come about.

    Between looking ahead and the step, a body may have been put elsewhere.
    """
    left = Counter(foreseen)
    fresh = []
    for overlap in told:
        if left[overlap]:
            left[overlap] -= 1
        else:
            fresh.append(overlap)
    return [Overlap(a, b, not started) for a, b, started in left.elements()] + fresh

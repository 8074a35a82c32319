"""Contacts, as the engine finds them.

The engine detects contacts at the start of a step: those of the current state come only with the
next one. To know them at once, a copy of the world takes that step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, cast

import numpy as np
import rapier3d as rp

from ligament.physics.engines import Contacts, Overlap
from ligament.physics.engines.rapier.stage import Stage
from ligament.physics.engines.rapier.state.bodies import BodySource


class ContactListener(Stage):
    """Collects contacts that begin or end.

    `known` maps the engine's index of a collider to that of the scene. `waiting` were found and not
    yet taken; `foreseen` were reported before the engine found them.
    """

    def __init__(self, known: list[int]) -> None:
        self._known = known
        self.waiting: list[Overlap] = []
        self.foreseen: list[Overlap] = []

    def bind(self, world: rp.PhysicsWorld, source: BodySource) -> None:
        """Listen to a world from now on."""
        self._events = rp.ChannelEventCollector()
        world.event_handler = cast(rp.EventHandler, self._events)

    @property
    def memory(self) -> Any:
        """The contacts that were not taken yet, and those foreseen."""
        return self.waiting, self.foreseen

    def restore(self, memory: Any) -> None:
        """Continue from a memory."""
        self.waiting, self.foreseen = memory

    def after_step(self, now: int) -> Iterable[int]:
        """Collect what the engine found in the state before the step."""
        found = self._drain(self._events, now - 1)
        if self.foreseen:
            found, self.foreseen = _unreported(found, self.foreseen), []
        self.waiting += found
        return ()

    def take(self, copy: rp.PhysicsWorld, step: int) -> list[Overlap]:
        """Return everything not returned before, up to the current state after so many steps.

        `copy` is a copy of the world, which is used up.
        """
        events = rp.ChannelEventCollector()
        copy.event_handler = cast(rp.EventHandler, events)
        copy.step()
        found, before = self._drain(events, step), self.foreseen
        self.foreseen = found
        reported, self.waiting = self.waiting, []
        return reported + _unreported(found, before)

    def _drain(self, events: rp.ChannelEventCollector, step: int) -> list[Overlap]:
        known = self._known
        return [
            Overlap(known[event.collider1.index], known[event.collider2.index], event.started, step)
            for event in events.drain_collision_events()
        ]


def _unreported(found: list[Overlap], foreseen: list[Overlap]) -> list[Overlap]:
    """Drop what was foreseen, and revert what was foreseen but did not occur.

    Between looking ahead and the step, a body may have been teleported.
    """
    left = Counter(foreseen)
    fresh = []
    for overlap in found:
        if left[overlap]:
            left[overlap] -= 1
        else:
            fresh.append(overlap)
    return [each._replace(started=not each.started) for each in left.elements()] + fresh


def read_contacts(world: rp.PhysicsWorld, step: float) -> Contacts:
    """Return all contacts that pushed in the last step, which took `step` [s]."""
    points, normals, forces = [], [], []
    for pair in world.narrow_phase.contact_pairs():
        place = world.colliders[pair.collider1].position
        for manifold in pair.manifolds:
            for contact in manifold.points:
                if contact.impulse > 0:
                    points.append(place.transform_point(contact.local_p1).to_tuple())
                    normals.append(manifold.data.normal.to_tuple())
                    forces.append(contact.impulse / step)
    return Contacts(
        np.array(points, np.float64).reshape(-1, 3),
        np.array(normals, np.float64).reshape(-1, 3),
        np.array(forces, np.float64),
    )

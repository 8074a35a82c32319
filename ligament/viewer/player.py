"""The player: a simulation that can be played, stepped, rewound and dragged."""

from __future__ import annotations

import bisect
import math
import time as clock
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.drawing.poses import NodePoses
from ligament.gltf.document import Document
from ligament.physics.engines import Contacts
from ligament.physics.events import Event, EventType
from ligament.play import Simulation
from ligament.viewer.drawing.poses import PoseSolver

MAX_FRAMES = 8
"""Most frames per call of `advance`: a slow scene plays slowly but stays responsive."""

MAX_SNAPSHOTS = 120
"""Most snapshots kept for rewinding."""

DRAG_FREQUENCY = 2.5
"""Natural frequency [Hz] of the critically damped spring that drags a body."""

NO_CONTACTS = Contacts(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0))


class Moment(NamedTuple):
    """Everything drawn at one time [s]: poses, occupied triggers, contacts."""

    time: float
    poses: NodePoses
    occupied: frozenset[int]
    contacts: Contacts


class _Drag(NamedTuple):
    """A body dragged at a point in its frame (3,) towards a target in the world (3,) [m]."""

    node: int
    point: Floats
    target: Floats


class Player:
    """A simulation that can be played, stepped, rewound and dragged.

    Rewinding restores the nearest earlier snapshot and plays on from there. Gravity and the targets
    of drives stay as they were set; drags since that snapshot are not repeated.
    """

    def __init__(self, document: Document, **options: Any) -> None:
        self.sim = Simulation(document, **options)
        self._solver = PoseSolver(self.sim.stage, self.sim.scene)
        self.is_playing = False
        self.speed = 1.0
        self._due = 0.0
        self._drag: _Drag | None = None
        self._targets: dict[tuple[int, int], tuple[float, float]] = {}
        self._snapshots: list[tuple[int, bytes]] = [(0, self.sim.snapshot())]
        self._spacing = max(1, round(self.sim.rate))
        self._occupants: dict[int, int] = {}
        self._counted = 0

    @property
    def time(self) -> float:
        """Time since the start [s]."""
        return self.sim.time

    # --- the clock ---

    def advance(self, elapsed: float) -> int:
        """Play for an elapsed wall-clock time [s]; return the number of frames played."""
        if not self.is_playing:
            self._due = 0.0
            return 0
        self._due += elapsed * self.speed * self.sim.rate
        frames = min(int(self._due), MAX_FRAMES)
        self._due = min(self._due - frames, 1.0)
        for _ in range(frames):
            self.step()
        return frames

    def step(self) -> None:
        """Advance by one frame."""
        self._apply_drag()
        self.sim.step()
        if self.sim.frame % self._spacing == 0 and self.sim.frame > self._snapshots[-1][0]:
            self._keep()

    def seek(self, time: float) -> None:
        """Go to a time [s], backwards or forwards."""
        frame = max(0, round(time * self.sim.rate))
        if frame < self.sim.frame:
            place = bisect.bisect_right([kept for kept, _ in self._snapshots], frame) - 1
            self._restore(self._snapshots[place][1])
        while self.sim.frame < frame:
            self.step()

    def reset(self) -> None:
        """Return to the start and drop later snapshots."""
        self.release()
        self._restore(self._snapshots[0][1])
        del self._snapshots[1:]
        self._due = 0.0

    def preview(self, *, seconds: float, patience: float) -> Iterator[Moment]:
        """Play the first seconds, yielding every moment, and return to the start.

        It ends early if that takes longer than `patience` [s].
        """
        end = clock.monotonic() + patience
        yield self.moment(contacts=False)
        while self.time < seconds and clock.monotonic() < end:
            self.step()
            yield self.moment(contacts=False)
        self.reset()

    def _restore(self, snapshot: bytes) -> None:
        gravity = self.sim.gravity
        self.sim.restore(snapshot)
        if self.sim.gravity != gravity:  # setting it wakes sleeping bodies
            self.sim.gravity = gravity
        for (joint, drive), target in self._targets.items():
            self.sim.set_drive_target(joint, position=target[0], velocity=target[1], drive=drive)
        self._occupants, self._counted = {}, 0

    def _keep(self) -> None:
        self._snapshots.append((self.sim.frame, self.sim.snapshot()))
        if (
            len(self._snapshots) > MAX_SNAPSHOTS
        ):  # drop every other one, and take the next half as often
            self._snapshots = self._snapshots[::2]
            self._spacing *= 2

    # --- interaction ---

    def set_drive_target(self, joint: int, drive: int, position: float, velocity: float) -> None:
        """Set the targets of a drive [m or rad, and per second], which rewinding keeps."""
        self._targets[joint, drive] = (position, velocity)
        self.sim.set_drive_target(joint, position=position, velocity=velocity, drive=drive)

    def drag(self, node: int, point: Floats, target: Floats) -> None:
        """Pull a body at a world point [m] towards another; the point moves with the body."""
        position, rotation = self._pose(node)
        within = tf.rotate(tf.conjugate(rotation), point - position)
        if self._drag is not None and self._drag.node == node:
            within = self._drag.point
        self._drag = _Drag(node, within, target)

    def release(self) -> None:
        """Stop dragging."""
        self._drag = None

    def _apply_drag(self) -> None:
        if self._drag is None:
            return
        row = int(np.flatnonzero(self.sim.nodes == self._drag.node)[0])
        body = next(b for b in self.sim.scene.bodies if b.node == self._drag.node)
        mass = body.mass.mass
        if not (body.is_free and math.isfinite(mass)):
            return
        position, rotation = self._pose(self._drag.node)
        arm = tf.rotate(rotation, self._drag.point)
        velocity = self.sim.linear_velocity[row] + np.cross(self.sim.angular_velocity[row], arm)
        rate = 2 * math.pi * DRAG_FREQUENCY
        pull = rate * rate * (self._drag.target - position - arm) - 2 * rate * velocity
        force = mass * (pull - np.array(self.sim.gravity))
        self.sim.apply_force(self._drag.node, force.tolist(), (position + arm).tolist())

    def _pose(self, node: int) -> tuple[Floats, Floats]:
        row = int(np.flatnonzero(self.sim.nodes == node)[0])
        return self.sim.translation[row], self.sim.rotation[row]

    # --- output ---

    def moment(self, *, contacts: bool = True) -> Moment:
        """Return everything drawn now."""
        poses = self._solver.at(self.time, self.sim.state)
        touching = self.sim.contacts() if contacts else NO_CONTACTS
        return Moment(self.time, poses, self._occupied(), touching)

    def _occupied(self) -> frozenset[int]:
        events = self.sim.events
        for event in events[self._counted :]:
            count_event(self._occupants, event)
        self._counted = len(events)
        return frozenset(self._occupants)


def count_event(occupants: dict[int, int], event: Event) -> None:
    """Update the number of occupants of each trigger; empty ones are dropped."""
    if event.trigger is None:
        return
    gain = 1 if event.type is EventType.TRIGGER_ENTER else -1
    count = occupants.get(event.trigger, 0) + gain
    if count > 0:
        occupants[event.trigger] = count
    else:
        occupants.pop(event.trigger, None)

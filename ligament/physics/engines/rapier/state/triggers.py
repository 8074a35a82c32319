"""Overlaps of triggers, tested in the state that each step leads to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ligament.arrays import Floats
from ligament.physics.collision.tracker import OverlapTracker
from ligament.physics.engines import Overlap
from ligament.physics.engines.poses import RigidPose
from ligament.physics.engines.rapier.stage import Stage
from ligament.physics.engines.rapier.world.moving import MovingColliders
from ligament.physics.scene import Collider, Scene


class Triggers(Stage):
    """The triggers of a scene; `read` returns the current states (B, 13) of all bodies.

    A state that no step led to, at the start or after a teleport, is tested when it is left.
    """

    def __init__(
        self, scene: Scene, colliders: MovingColliders, read: Callable[[], Floats]
    ) -> None:
        self._scene, self._colliders, self._read = scene, colliders, read
        left_out = {problem.collider for problem in colliders.all_problems}
        has_sensors = any(collider.is_sensor for collider in scene.colliders)
        self._tracker = OverlapTracker(scene, left_out) if has_sensors else None

    @property
    def is_needed(self) -> bool:
        """Whether the scene has triggers."""
        return self._tracker is not None

    def after_step(self, now: int) -> Iterable[int]:
        """Test the state that a step led to, and the motion to it."""
        if self._tracker is not None:
            self._tracker.update(now, self._read())
        return ()

    def teleport(self, body: int, pose: RigidPose, now: int) -> None:
        """Note that no step leads to the current state."""
        if self._tracker is not None:
            self._tracker.is_stale = True

    def track_jumps(self, now: int) -> None:
        """Test a state that no step led to."""
        if self._tracker is not None and self._tracker.is_stale:
            self._tracker.update(now, self._read(), is_jump=True)

    def set_collider(self, index: int, value: Collider, *, jumps: bool) -> None:
        """Adopt a new shape or pose of a collider."""
        if self._tracker is not None and self._is_usable(index):
            self._tracker.set_collider(index, value)
            self._tracker.is_stale = jumps

    def _is_usable(self, collider: int) -> bool:
        return all(problem.collider != collider for problem in self._colliders.all_problems)

    def take(self, now: int) -> list[Overlap]:
        """Return the changes since the last call, up to and including the current state."""
        self.track_jumps(now)
        return [] if self._tracker is None else self._tracker.take()

    @property
    def memory(self) -> Any:
        """The state of all pairs, and of the bodies when it was tested."""
        return None if self._tracker is None else self._tracker.state()

    def restore(self, memory: Any) -> None:
        """Continue from a memory, once colliders are restored."""
        if self._tracker is None:
            return
        for i, collider in enumerate(self._scene.colliders):
            if collider.changes and self._is_usable(i):
                self._tracker.set_collider(i, self._colliders[i])
        self._tracker.restore(memory, self._read())

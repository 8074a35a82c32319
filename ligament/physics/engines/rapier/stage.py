"""Stages of a step: what happens before the engine takes it, and after."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import rapier3d as rp

from ligament.arrays import Bools, Floats, Ints
from ligament.errors import SimulationError
from ligament.physics.engines.poses import RigidPose
from ligament.physics.engines.rapier.state.bodies import BodySource
from ligament.physics.scene import Scene

Memory: TypeAlias = Floats | Ints | Bools
"""An array that the next step depends on, kept in snapshots."""


class Stage:
    """A stage of every step; by itself it does nothing."""

    @property
    def is_needed(self) -> bool:
        """Whether the scene has anything for it; else it is left out."""
        return True

    def bind(self, world: rp.PhysicsWorld, source: BodySource) -> None:
        """Bind to everything in a world, new or restored."""

    def rebuild(self, scene: Scene) -> None:
        """Adopt a scene in which masses, kinds of bodies or the structure of joints differ."""

    def before_step(self, now: int) -> None:
        """Prepare the step that follows on `now` others."""

    def after_step(self, now: int) -> Iterable[int]:
        """Complete step `now`; return the bodies whose poses or velocities this has changed."""
        return ()

    def teleport(self, body: int, pose: RigidPose, now: int) -> None:
        """Note that a body was teleported after so many steps."""

    @property
    def arrays(self) -> Sequence[Memory]:
        """Arrays that the next step depends on, of a size that is fixed by the scene."""
        return ()

    @property
    def memory(self) -> Any:
        """Everything that the next step depends on, as `records` can write it."""
        return list(self.arrays)

    def restore(self, memory: Any) -> None:
        """Continue from a memory, after `bind` with the world of the same time."""
        fill(self.arrays, memory)


def fill(arrays: Sequence[Memory], memory: Sequence[Memory]) -> None:
    """Copy remembered arrays into those that they were read from."""
    if [a.shape for a in arrays] != [a.shape for a in memory]:
        raise SimulationError("the snapshot belongs to another scene")
    for array, remembered in zip(arrays, memory, strict=True):
        array[...] = remembered

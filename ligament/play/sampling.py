"""Sampling: animated poses for runs of engine steps, jumps within them, and node frames."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from ligament.arrays import Bools, Floats
from ligament.extensions.rigid_bodies import GeometrySource
from ligament.gltf.animation import Pose as TreePose
from ligament.physics.placement import Placement, relative
from ligament.physics.scene import Pose
from ligament.rig.animator import Animator

AHEAD = 64
"""Engine steps sampled at once."""


class Sampled(NamedTuple):
    """A run of steps; its first row is the step before `first`.

    `jumps` marks the nodes that jump before each row but the first, `deforms_at_once` whether
    weights do. `weights` (F, W) are the morph target weights, by node.
    """

    first: int
    pose: TreePose
    placement: Placement
    jumps: Bools
    weights: dict[int, Floats]
    deforms_at_once: Bools

    @property
    def has_jumps(self) -> bool:
        """Whether anything jumps in any of the steps."""
        return bool(self.jumps.any() or self.deforms_at_once.any())

    def row(self, row: int) -> TreePose:
        """Return the local transforms (N, …) of all nodes in one step."""
        return TreePose(*(values[row] for values in self.pose))


class Sampler:
    """Samples the animations of a document at engine steps of `step` [s].

    `free` nodes do not follow their ancestors.
    """

    def __init__(self, stage: Animator, step: float, free: Collection[int]) -> None:
        self._stage, self._step, self._free = stage, step, free
        self._sampled: Sampled | None = None

    def at(self, step: int) -> tuple[Sampled, int]:
        """Return the run of steps that contains a step, and its row there."""
        ahead = max(1, min(AHEAD, (1 << 20) // max(1, len(self._stage.tree))))
        first = step - step % ahead
        if self._sampled is None or self._sampled.first != first:
            times = np.append(max(0, first - 1), np.arange(first, first + ahead)) * self._step
            pose = self._stage.pose(times)
            self._sampled = Sampled(
                first,
                pose,
                Placement(self._stage.tree, pose),
                self._stage.jumps(times, self._free),
                self._stage.weights(times),
                self._stage.deforms_at_once(times),
            )
        return self._sampled, step - first + 1


class Placed:
    """World frames of all nodes: of one row of a placement, or of a placement without rows."""

    def __init__(self, placement: Placement, row: int | None = None) -> None:
        self._placement, self._row = placement, ... if row is None else row
        self._translation = placement.translation[self._row]
        self._rotation = placement.rotation[self._row]

    def of(self, node: int) -> Pose:
        """Return the frame of a node."""
        return Pose(self._translation[node], self._rotation[node])

    def stretch(self, node: int, source: GeometrySource | None = None) -> Floats:
        """Return the stretch (3, 3) of a node, or of a geometry on it."""
        return np.asarray(self._placement.stretch_of(source)[self._row][node])

    def within(self, node: int, holder: int) -> Pose:
        """Return the frame of a node relative to its holder's (-1: the world)."""
        return self.of(node) if holder < 0 else relative(self.of(holder), self.of(node))

"""Solver steps: constraints of one kind and level, solved together.

Steps hold constants and slots (index arrays, or slices). Rotation slots are first those read from
the given pose, then the results in order of computation; translations and scales share separate
slots.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Protocol

import numpy as np

from ligament.rig.constraints import kernels
from ligament.transforms.components import Array, epsilon


class SolverState(Protocol):
    """The pose that steps read, as arrays (slots, components, frames) or with a single frame."""

    xp: Any

    def rotations(self, slots: Array) -> Array:
        """Local rotations."""

    def translations(self, slots: Array) -> Array:
        """Local translations [m]."""

    def scales(self, slots: Array) -> Array | None:
        """Local scales, or None if all are one."""


@dataclasses.dataclass(frozen=True)
class Roll:
    """Roll constraints."""

    constants: tuple[Array, ...]
    source: Array

    def solve(self, pose: SolverState) -> Array:
        """Return the rotations of the destinations."""
        return kernels.roll(pose.xp, pose.rotations(self.source), *self.constants)


@dataclasses.dataclass(frozen=True)
class Rotation:
    """Rotation constraints on all axes."""

    constants: tuple[Array, ...]
    source: Array

    def solve(self, pose: SolverState) -> Array:
        """Return the rotations of the destinations."""
        return kernels.rotation(pose.xp, pose.rotations(self.source), *self.constants)


@dataclasses.dataclass(frozen=True)
class Freeze:
    """Draft rotation constraints; free axes keep their `current` rotation."""

    constants: tuple[Array, ...]
    source: Array
    current: Array

    def solve(self, pose: SolverState) -> Array:
        """Return the rotations of the destinations."""
        source, current = pose.rotations(self.source), pose.rotations(self.current)
        return kernels.freeze(pose.xp, source, current, *self.constants)


@dataclasses.dataclass(frozen=True)
class Aim:
    """Aim constraints.

    `points` are the translations of all sources and destinations, longest chain of ancestors first;
    `rotations` and `translations` are those of the ancestors, one row per step upwards, each
    shorter than the last. `source` and `own` index the resulting points. `inverse` are the
    rotations above the destinations alone, one row per step downwards, each longer.
    """

    constants: tuple[Array, ...]
    points: Array
    rotations: tuple[Array, ...]
    translations: tuple[Array, ...]
    source: Array
    own: Array
    inverse: tuple[Array, ...]

    def solve(self, pose: SolverState) -> Array:
        """Return the rotations of the destinations."""
        direction = self._direction(pose)
        for slots in self.inverse:
            rotations = pose.rotations(slots)
            moving = direction[: rotations.shape[0], ...]
            local = kernels.rotate(pose.xp, rotations, moving, inverse=True)
            direction = _replaced(pose.xp, direction, local)
        return kernels.aim(pose.xp, direction, *self.constants)

    def _direction(self, pose: SolverState) -> Array:
        """Return the offsets from destinations to sources, zero within rounding."""
        xp, points = pose.xp, self._points(pose)
        source, own = picked(xp, points, self.source), picked(xp, points, self.own)
        offset = source - own
        size = kernels.squares(xp, source) + kernels.squares(xp, own)
        lost = kernels.squares(xp, offset) <= (8 * epsilon(xp, offset)) ** 2 * size
        return offset if xp is np and not lost.any() else xp.where(lost[:, None, :], 0.0, offset)

    def _points(self, pose: SolverState) -> Array:
        """Return the positions in the frames in which the chains end."""
        points = pose.translations(self.points)
        for turning, placed in zip(self.rotations, self.translations, strict=True):
            rotations, scales = pose.rotations(turning), pose.scales(placed)
            moving = points[: rotations.shape[0], ...]
            moving = moving if scales is None else moving * scales
            moved = kernels.rotate(pose.xp, rotations, moving) + pose.translations(placed)
            points = _replaced(pose.xp, points, moved)
        return points


Step = Roll | Rotation | Freeze | Aim


def picked(xp: Any, values: Array, slots: Array) -> Array:
    """Return the values in the given slots, indexed along the first axis."""
    return values[slots, ...] if isinstance(slots, slice) else xp.take(values, slots, axis=0)


def _replaced(xp: Any, values: Array, first: Array) -> Array:
    """Return values with the first ones replaced; the others are repeated over the frames."""
    rest = values[first.shape[0] :, ...]
    if rest.shape[0] == 0:
        return first
    rest = xp.broadcast_to(rest, (*rest.shape[:-1], first.shape[-1]))
    return xp.concat([first, rest], axis=0)

"""The steps of a solution: constraints of one kind and one level, solved together.

Steps hold constants and slots (index arrays, or slices). The slots of rotations are first those
read from the given pose, then the results in the order of their computation; translations and
scales share slots of their own.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Protocol

import numpy as np

from ligament.rig.constraints import kernels
from ligament.transforms.namespace import Array, epsilon


class Pose(Protocol):
    """What steps read, as arrays (slots, components, frames) or with one frame for all."""

    xp: Any

    def turns(self, slots: Array) -> Array:
        """Local rotations."""

    def places(self, slots: Array) -> Array:
        """Local translations [m]."""

    def sizes(self, slots: Array) -> Array | None:
        """Local scales, or None where all are one."""


@dataclasses.dataclass(frozen=True)
class Roll:
    """Roll constraints."""

    constants: tuple[Array, ...]
    source: Array

    def solve(self, pose: Pose) -> Array:
        """Return the rotations of the destinations."""
        return kernels.roll(pose.xp, pose.turns(self.source), *self.constants)


@dataclasses.dataclass(frozen=True)
class Rotation:
    """Rotation constraints on all axes."""

    constants: tuple[Array, ...]
    source: Array

    def solve(self, pose: Pose) -> Array:
        """Return the rotations of the destinations."""
        return kernels.rotation(pose.xp, pose.turns(self.source), *self.constants)


@dataclasses.dataclass(frozen=True)
class Freeze:
    """Draft rotation constraints that leave axes free: those keep their `current` rotation."""

    constants: tuple[Array, ...]
    source: Array
    current: Array

    def solve(self, pose: Pose) -> Array:
        """Return the rotations of the destinations."""
        source, current = pose.turns(self.source), pose.turns(self.current)
        return kernels.freeze(pose.xp, source, current, *self.constants)


@dataclasses.dataclass(frozen=True)
class Aim:
    """Aim constraints.

    `points` are the places of all sources and destinations, those with the longest chain of nodes
    above them first; `turns` and `places` are the nodes above them, one row per step upwards,
    each shorter than the last. `source` and `own` pick from the points where they arrive. `back`
    are the turns above the destinations alone, one row per step downwards, each longer.
    """

    constants: tuple[Array, ...]
    points: Array
    turns: tuple[Array, ...]
    places: tuple[Array, ...]
    source: Array
    own: Array
    back: tuple[Array, ...]

    def solve(self, pose: Pose) -> Array:
        """Return the rotations of the destinations."""
        direction = self._direction(pose)
        for slots in self.back:
            turns = pose.turns(slots)
            turned = kernels.turn(pose.xp, turns, direction[: turns.shape[0], ...], back=True)
            direction = _replaced(pose.xp, direction, turned)
        return kernels.aim(pose.xp, direction, *self.constants)

    def _direction(self, pose: Pose) -> Array:
        """Return the way from destinations to sources, zero where only rounding parts them."""
        xp, points = pose.xp, self._points(pose)
        source, own = picked(xp, points, self.source), picked(xp, points, self.own)
        way = source - own
        size = kernels.squares(xp, source) + kernels.squares(xp, own)
        lost = kernels.squares(xp, way) <= (8 * epsilon(xp, way)) ** 2 * size
        return way if xp is np and not lost.any() else xp.where(lost[:, None, :], 0.0, way)

    def _points(self, pose: Pose) -> Array:
        """Return the positions in the frames in which the chains end."""
        points = pose.places(self.points)
        for turns_above, places_above in zip(self.turns, self.places, strict=True):
            turns, places = pose.turns(turns_above), pose.places(places_above)
            sizes, moving = pose.sizes(places_above), points[: turns.shape[0], ...]
            moving = moving if sizes is None else moving * sizes
            points = _replaced(pose.xp, points, kernels.turn(pose.xp, turns, moving) + places)
        return points


Step = Roll | Rotation | Freeze | Aim


def picked(xp: Any, values: Array, slots: Array) -> Array:
    """Values in these slots, of which the first axis counts."""
    return values[slots, ...] if isinstance(slots, slice) else xp.take(values, slots, axis=0)


def _replaced(xp: Any, values: Array, first: Array) -> Array:
    """Values of which the first are replaced; the others are repeated over the frames of these."""
    rest = values[first.shape[0] :, ...]
    if rest.shape[0] == 0:
        return first
    rest = xp.broadcast_to(rest, (*rest.shape[:-1], first.shape[-1]))
    return xp.concat([first, rest], axis=0)

"""Colliders and triggers as arrays: those with the same shape are examined together."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Bools, Floats, Ints
from ligament.errors import LigamentError
from ligament.extensions.rigid_bodies import (
    Collider,
    GeometrySource,
    NodeGeometry,
    Physics,
    Trigger,
)
from ligament.extensions.shapes import MeshGeometry
from ligament.physics.geometry import GeometryReader
from ligament.physics.mass import solid
from ligament.physics.placement import Placement
from ligament.physics.scene_builder import LARGEST
from ligament.physics.shapes import Shape, extents, has_extent, scaled

FLAT = 1e-6
"""Determinant, relative to the cubed size, below which a shape may be flat."""

_OF_MESHES = (MeshGeometry, NodeGeometry)


class Group(NamedTuple):
    """A shape, the items (n,) that have it, and the linear maps (n, 3, 3) that scale them."""

    shape: Shape
    items: Ints
    stretch: Floats


class Shapes:
    """Colliders, then triggers, as arrays over `items`.

    `nodes` (n,) carry them; `groups` are those with a shape to examine, `faults` says why others
    have none (unless the reader of the dialect reported it). `disabled` (n,) are scaled to zero,
    `oversized` (n,) are out of range; `usable` (n,) can collide.
    """

    def __init__(self, physics: Physics, placement: Placement, reader: GeometryReader) -> None:
        self._solid = [*physics.colliders.values()]
        self.collider_count = len(self._solid)
        self.items: list[Collider | Trigger] = [*self._solid, *physics.triggers.values()]
        self.nodes = np.array([item.node for item in self.items], np.int64)
        self.faults: dict[int, LigamentError] = {}
        self._placement = placement
        self._reader = reader
        self.groups = [*self._grouped()]
        self.disabled, self.oversized, self.usable = np.zeros((3, len(self.items)), bool)
        for group in self.groups:
            self.disabled[group.items] = _has_zero_scale(group)
            self.oversized[group.items] = _too_large(group)
            self.usable[group.items] = True
        self.usable &= ~self.disabled & ~self.oversized

    def _grouped(self) -> Iterator[Group]:
        members: dict[int, list[int]] = {}
        shapes: dict[int, Shape] = {}
        for index, source in enumerate([item.geometry for item in self.items]):
            shape = self._made(index, source) if isinstance(source, _OF_MESHES) else source
            if (key := id(shape)) in members:
                members[key].append(index)
            elif shape is not None:
                members[key], shapes[key] = [index], shape
        for key, indices in members.items():
            items = np.array(indices, np.int64)
            stretch = self._placement.stretch_of(self.items[indices[0]].geometry)
            yield Group(shapes[key], items, stretch[self.nodes[items]])

    def _made(self, index: int, source: GeometrySource) -> Shape | None:
        try:
            return self._reader.shape(source, self.items[index].node)
        except LigamentError as fault:
            self.faults[index] = fault
            return None

    @cached_property
    def volume(self) -> Floats:
        """The volume [m³] of every item (n,), 0 if it is unusable."""
        volume = np.zeros(len(self.items))
        for group in self.groups:
            factors = np.abs(tf.determinant(group.stretch))
            volume[group.items] = solid(group.shape).volume * factors
            for at in np.flatnonzero(_needs_scaling(group)).tolist():
                left = scaled(group.shape, group.stretch[at])
                volume[group.items[at]] = 0.0 if left is None else solid(left).volume
        volume[~self.usable] = 0.0
        return volume

    def solid(self, node: int) -> Shape | None:
        """Return the shape of a collider in the scale of its node, None if it is unusable."""
        found = self._solid_shapes.get(node)
        return None if found is None else scaled(*found)

    @cached_property
    def _solid_shapes(self) -> dict[int, tuple[Shape, Floats]]:
        """The unscaled shapes of all usable colliders and their stretch (3, 3), by node."""
        return {
            self.items[index].node: (group.shape, stretch)
            for group in self.groups
            for index, stretch in zip(group.items.tolist(), group.stretch, strict=True)
            if index < self.collider_count and self.usable[index]
        }

    def usable_colliders(self) -> list[Collider]:
        """List the usable colliders."""
        return self._colliders(np.flatnonzero(self.usable))

    def colliders_of(self, group: Group) -> list[Collider]:
        """List the usable colliders of a group."""
        return self._colliders(group.items[self.usable[group.items]])

    def _colliders(self, items: Ints) -> list[Collider]:
        return [self._solid[index] for index in items[items < self.collider_count].tolist()]


def _has_zero_scale(group: Group) -> Bools:
    """Return which items (n,) have a scale of 0."""
    result = _needs_scaling(group)
    for at in np.flatnonzero(result).tolist():
        result[at] = scaled(group.shape, group.stretch[at]) is None
    return result


def _too_large(group: Group) -> Bools:
    """Return which items (n,) are too large to be simulated."""
    # No side is longer than the sum of the stretched sides of the shape.
    lengths = np.linalg.norm(group.stretch, axis=1) @ np.array(extents(group.shape))
    result = np.asarray(~(lengths <= LARGEST))
    for at in np.flatnonzero(result).tolist():
        left = scaled(group.shape, group.stretch[at])
        result[at] = left is not None and not max(extents(left)) <= LARGEST
    return result


def _needs_scaling(group: Group) -> Bools:
    """Return which items (n,) must be scaled to know whether anything is left of them."""
    if not has_extent(group.shape):
        return np.ones(len(group.items), bool)
    sizes = np.sqrt(np.square(group.stretch).sum(axis=(1, 2)))
    return np.asarray(np.abs(tf.determinant(group.stretch)) <= FLAT * sizes**3)

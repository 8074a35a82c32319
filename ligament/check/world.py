"""Where everything solid is when a simulation would start, as arrays over nodes and colliders.

The scene that an engine gets is built body by body; rules look at all of them at once instead, so
that checking a file costs a small part of simulating it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cached_property
from typing import TypeAlias, TypeGuard

import numpy as np
import numpy.typing as npt

from ligament.errors import LigamentError
from ligament.extensions.declarations import GeometrySource, MotionKind, Physics
from ligament.gltf.animation import Pose
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree
from ligament.physics.geometry import GeometryReader
from ligament.physics.mass import DENSITY
from ligament.physics.placement import Placement, nearest
from ligament.physics.shapes import Box, Capsule, Cylinder, Shape, Sphere, scaled
from ligament.physics.solids import solid

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

Found: TypeAlias = Shape | LigamentError | None
"""A shape, or why there is none; None where the reader of the dialect said why."""

FLAT = 1e-6
"""A determinant below this part of the cubed size belongs to what may be flat."""


class World:
    """The start of a simulation.

    `owner` (N,) is the node of the body that every node belongs to, -1 for none; `nearest_collider`
    (N,) likewise. `driven` are the nodes that animations and constraints move.
    """

    def __init__(
        self,
        document: Document,
        physics: Physics,
        tree: NodeTree,
        pose: Pose,
        driven: Collection[int],
    ) -> None:
        self.physics, self.tree, self.driven = physics, tree, frozenset(driven)
        self.placement = Placement(tree, pose)
        self.owner = nearest(tree, physics.motions)
        self.nearest_collider = nearest(tree, physics.colliders)
        self.nearest_driven = nearest(tree, self.driven)
        self._geometry = GeometryReader(document, tree)

    def kind(self, node: int) -> MotionKind:
        """Tell how a node moves: as its body does; what an animation leads is kinematic."""
        owner = int(self.owner[node])
        if owner < 0:
            is_led = self.nearest_driven[node] >= 0
            return MotionKind.KINEMATIC if is_led else MotionKind.STATIC
        kind = self.physics.motions[owner].kind
        if kind is MotionKind.STATIC:
            return MotionKind.KINEMATIC if self.nearest_driven[owner] >= 0 else kind
        return MotionKind.KINEMATIC if owner in self.driven else kind

    @cached_property
    def dynamic(self) -> Bools:
        """Which nodes (N,) belong to a body that forces move."""
        moved = np.zeros(len(self.tree) + 1, bool)  # the last stands for no owner
        free = [n for n, m in self.physics.motions.items() if m.kind is MotionKind.DYNAMIC]
        moved[[node for node in free if node not in self.driven]] = True
        return np.asarray(moved[self.owner])

    @cached_property
    def solid_nodes(self) -> Ints:
        """The nodes (C,) of all colliders."""
        return np.fromiter(self.physics.colliders, np.int64, len(self.physics.colliders))

    @cached_property
    def base_shapes(self) -> dict[int, Found]:
        """The shapes of colliders and triggers by node, not scaled."""
        sources = {n: t.geometry for n, t in self.physics.triggers.items()}
        sources |= {n: c.geometry for n, c in self.physics.colliders.items()}
        return {node: self.base_shape(source, node) for node, source in sources.items()}

    def base_shape(self, source: GeometrySource | None, node: int) -> Found:
        """Return the shape that a source means on a node, or why there is none."""
        if source is None:
            return None
        try:
            return self._geometry.shape(source, node)
        except LigamentError as fault:
            return fault

    def stretches(self, nodes: Iterable[int]) -> Floats:
        """Return the linear maps (n, 3, 3) that scale what stands on nodes, in their own frames."""
        return np.asarray(self.placement.stretch[list(nodes)])

    def may_be_flat(self, nodes: Iterable[int]) -> Bools:
        """Tell for which nodes (n,) the scale may leave nothing of a shape."""
        stretch = self.stretches(nodes)
        sizes = np.sqrt(np.square(stretch).sum(axis=(1, 2)))
        return np.asarray(np.abs(np.linalg.det(stretch)) <= FLAT * sizes**3)

    @cached_property
    def disabled(self) -> set[int]:
        """The nodes whose shape is scaled to nothing."""
        known = {n: s for n, s in self.base_shapes.items() if is_shape(s)}
        doubtful = self.may_be_flat(known)
        return {
            node
            for (node, shape), is_doubtful in zip(known.items(), doubtful.tolist(), strict=True)
            if (is_doubtful or not has_extent(shape))
            and scaled(shape, self.placement.stretch[node]) is None
        }

    def is_usable(self, node: int) -> bool:
        """Tell whether the shape on a node can be collided with."""
        return is_shape(self.base_shapes.get(node)) and node not in self.disabled

    @cached_property
    def volumes(self) -> dict[int, float]:
        """The volume [m³] of every collider that can be used, by node."""
        nodes = [node for node in self.physics.colliders if self.is_usable(node)]
        factors = np.abs(np.linalg.det(self.stretches(nodes))).tolist()
        doubtful = self.may_be_flat(nodes).tolist()
        by_shape: dict[int, float] = {}
        result = {}
        for node, factor, is_doubtful in zip(nodes, factors, doubtful, strict=True):
            shape = self.base_shapes[node]
            assert is_shape(shape)
            if is_doubtful or not has_extent(shape):
                left = scaled(shape, self.placement.stretch[node])
                result[node] = 0.0 if left is None else solid(left).volume
                continue
            if id(shape) not in by_shape:
                by_shape[id(shape)] = solid(shape).volume
            result[node] = by_shape[id(shape)] * factor
        return result

    @cached_property
    def body_volumes(self) -> dict[int, float]:
        """The volume [m³] of the colliders of every body, by the node of the body."""
        sums = dict.fromkeys(self.physics.motions, 0.0)
        for node, volume in self.volumes.items():
            owner = int(self.owner[node])
            if owner >= 0:
                sums[owner] += volume
        return sums

    def mass(self, body: int) -> float:
        """Return the mass [kg] of a body, declared or computed; 0 where it is not known."""
        declared = self.physics.motions[body].mass
        return self.body_volumes[body] * DENSITY if declared is None else declared

    def static_holder(self, node: int) -> int:
        """Return the node of the static object that a frame belongs to, -1 for the world."""
        collider = int(self.nearest_collider[node])
        return collider if collider >= 0 and self.owner[collider] < 0 else -1

    @cached_property
    def joined(self) -> dict[int, set[int]]:
        """What joints keep from colliding: body → bodies, and the nodes of static objects."""
        result: dict[int, set[int]] = {}
        for joint in self.physics.joints.values():
            if joint.enable_collision:
                continue
            a, b = (self._held(node) for node in (joint.body_a, joint.body_b))
            result.setdefault(a, set()).add(b)
            result.setdefault(b, set()).add(a)
        return result

    def _held(self, node: int) -> int:
        owner = int(self.owner[node])
        return owner if owner >= 0 else self.static_holder(node)


def is_shape(shape: Found) -> TypeGuard[Shape]:
    """Tell whether there is a shape."""
    return shape is not None and not isinstance(shape, LigamentError)


def has_extent(shape: Shape) -> bool:
    """Tell whether the sizes that a shape declares are above 0."""
    match shape:
        case Sphere(radius):
            return radius > 0
        case Box(size):
            return min(size) > 0
        case Capsule(_, bottom, top):
            return max(bottom, top) > 0
        case Cylinder(height, bottom, top):
            return height > 0 and max(bottom, top) > 0
    return True

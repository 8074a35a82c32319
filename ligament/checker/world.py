"""Bodies, joints and poses at the start of a simulation, as arrays.

The scene that an engine gets is built body by body; rules look at all of them at once instead, so
that checking a file costs a small part of simulating it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, product
from operator import attrgetter
from typing import TypeVar

import numpy as np

from ligament.arrays import Bools, Floats, Ints
from ligament.checker.colliders import Shapes
from ligament.extensions.fields import Vector
from ligament.extensions.rigid_bodies import Joint, Motion, MotionKind, Physics
from ligament.gltf.animation import Animated, Pose
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree, below, nearest
from ligament.physics.geometry import GeometryReader
from ligament.physics.mass import DENSITY
from ligament.physics.placement import Ownership, Placement
from ligament.physics.static_sides import StaticSides

T = TypeVar("T")

_ZERO = (0.0, 0.0, 0.0)
_ENDS = attrgetter("node", "frame_a", "body_a", "frame_b", "body_b")


class Bodies:
    """The motions of a file, in their order: `motions` themselves and their `nodes` (M,)."""

    def __init__(self, motions: Mapping[int, Motion]) -> None:
        self.motions = [*motions.values()]
        self.nodes = np.fromiter(motions, np.int64, len(motions))

    @cached_property
    def is_dynamic(self) -> Bools:
        """Which of them (M,) are moved by forces."""
        dynamic = MotionKind.DYNAMIC
        kinds = (motion.kind is dynamic for motion in self.motions)
        return np.fromiter(kinds, bool, len(self.motions))

    @cached_property
    def mass(self) -> Floats:
        """The mass (M,) [kg], NaN where it is not declared."""
        return np.array([motion.mass for motion in self.motions], float)

    @cached_property
    def inertia(self) -> Floats:
        """The principal moments (M, 3) [kg m²], 0 where they are not declared."""
        return _vectors([motion.inertia_diagonal for motion in self.motions])

    @cached_property
    def velocity(self) -> Floats:
        """The linear velocity [m/s], then the angular one [rad/s], (M, 6)."""
        linear = _vectors([motion.linear_velocity for motion in self.motions])
        angular = _vectors([motion.angular_velocity for motion in self.motions])
        return np.hstack((linear, angular))

    @property
    def numbers(self) -> Iterator[Floats]:
        """Every number that is declared, parts (M, k), 0 or NaN for those that are not."""
        yield self.mass[:, None]
        yield np.array([motion.gravity_factor for motion in self.motions], float)[:, None]
        yield self.velocity
        yield _vectors([motion.center_of_mass for motion in self.motions])
        yield self.inertia


class Joints:
    """The joints of a file, in their order: `joints` themselves and the nodes (J,) they name."""

    def __init__(self, joints: Sequence[Joint]) -> None:
        self.joints = joints
        ends = chain.from_iterable(map(_ENDS, joints))
        self.ends = np.fromiter(ends, np.int64, 5 * len(joints)).reshape(-1, 5)
        self.node, self.frame_a, self.body_a, self.frame_b, self.body_b = self.ends.T

    def __len__(self) -> int:
        return len(self.joints)

    def only(self, chosen: Bools) -> Joints:
        """Return some of them."""
        if chosen.all():
            return self
        return Joints([self.joints[index] for index in np.flatnonzero(chosen).tolist()])


def alike(shared: Sequence[T]) -> Iterator[tuple[T, Ints]]:
    """Yield objects that many things share, as they first appear, and the things (n,) with each."""
    identity = np.fromiter(map(id, shared), np.int64, len(shared))
    _, first, kind = np.unique(identity, return_index=True, return_inverse=True)
    users = np.split(np.argsort(kind, kind="stable"), np.cumsum(np.bincount(kind))[:-1])
    for place in np.argsort(first).tolist():
        yield shared[int(first[place])], users[place]


def _vectors(declared: Sequence[Vector | None]) -> Floats:
    """Return vectors (n, 3), 0 where there is none."""
    first = declared[0] if declared else None
    if all(vector is first for vector in declared):  # as in most files: the default
        return np.broadcast_to(np.array(first or _ZERO, float), (len(declared), 3))
    values = chain.from_iterable(vector or _ZERO for vector in declared)
    return np.fromiter(values, float, 3 * len(declared)).reshape(-1, 3)


class World:
    """The start of a simulation.

    `owner` (N,) is the node of the body that every node belongs to, -1 for none; `driven` (N,) are
    the nodes that animations and constraints move, `resized` (N,) those at or below an animated
    scale.
    """

    def __init__(
        self,
        document: Document,
        physics: Physics,
        bodies: Bodies,
        tree: NodeTree,
        pose: Pose,
        animated: Animated,
    ) -> None:
        self.physics, self.bodies, self.tree = physics, bodies, tree
        self.driven = np.zeros(len(tree), bool)
        self.driven[[*animated.moved]] = True
        self.resized = below(tree, animated.scaled)
        self.placement, self._animated = Placement(tree, pose), animated
        self.owner = nearest(tree, physics.motions)
        self._reader = GeometryReader(document, tree, pose=pose)

    def with_unused_velocity(self) -> list[Motion]:
        """List the motions whose velocity has no effect, since an animation moves the body."""
        motions = self.physics.motions
        if not (any(self._animated) and self.bodies.velocity.any()):
            return []
        ownership = Ownership(self.placement, motions, self._animated)
        return list(filter(ownership.has_unused_velocity, motions.values()))

    @cached_property
    def shapes(self) -> Shapes:
        """The colliders and triggers."""
        return Shapes(self.physics, self.placement, self._reader)

    @cached_property
    def dynamic(self) -> Bools:
        """Which nodes (N,) belong to a body that forces move, and no animation leads."""
        return self._owned_by(self.bodies.is_dynamic & ~self.driven[self.bodies.nodes])

    @cached_property
    def can_be_moved(self) -> Bools:
        """Which nodes (N,) belong to a body that forces move while no animation leads it."""
        return self._owned_by(self.bodies.is_dynamic)

    def _owned_by(self, chosen: Bools) -> Bools:
        """Tell which nodes (N,) belong to one of the chosen (B,) bodies."""
        owners = np.zeros(len(self.tree) + 1, bool)  # the last stands for no owner
        owners[self.bodies.nodes] = chosen
        return np.asarray(owners[self.owner])

    @cached_property
    def volume(self) -> Floats:
        """The volume [m³] of the colliders of every body, at its node; 0 elsewhere (N,)."""
        solid = slice(self.shapes.collider_count)
        owner = self.owner[self.shapes.nodes[solid]]
        volumes = np.bincount(
            np.where(owner < 0, len(self.tree), owner),
            self.shapes.volume[solid],
            minlength=len(self.tree) + 1,
        )
        return np.asarray(volumes[:-1])

    @cached_property
    def mass(self) -> Floats:
        """The mass [kg] of every body, at its node, declared or computed; 0 elsewhere (N,)."""
        mass = self.volume * DENSITY
        declared = ~np.isnan(self.bodies.mass)
        mass[self.bodies.nodes[declared]] = self.bodies.mass[declared]
        return mass

    def body(self, node: int) -> int:
        """Return the node of the body that a collider belongs to; it itself, if it is static."""
        owner = int(self.owner[node])
        return owner if owner >= 0 else node

    @cached_property
    def static_sides(self) -> StaticSides:
        """The static sides of joints."""
        physics = self.physics
        return StaticSides(self.placement, self.owner, physics.colliders, self.shapes.solid)

    def sides(self, joint: Joint) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the two sides of a joint: the node of a body, or those of static colliders."""
        a, b = joint.body_a, joint.body_b
        return self._side(joint, a, b), self._side(joint, b, a)

    def _side(self, joint: Joint, node: int, other: int) -> tuple[int, ...]:
        owner = int(self.owner[node])
        return (owner,) if owner >= 0 else self.static_sides.of(joint, node, int(self.owner[other]))

    @cached_property
    def joined(self) -> dict[int, set[int]]:
        """Pairs that joints keep from colliding: body → bodies, and nodes of static colliders."""
        result: dict[int, set[int]] = {}
        for joint in self.physics.joints.values():
            for one, other in () if joint.enable_collision else product(*self.sides(joint)):
                result.setdefault(one, set()).add(other)
                result.setdefault(other, set()).add(one)
        return result

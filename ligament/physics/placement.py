"""Placement: world frames of nodes in one pose, and the body that each node belongs to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Bools, Floats, Ints
from ligament.extensions import rigid_bodies as declared
from ligament.extensions.rigid_bodies import GeometrySource, MotionKind
from ligament.extensions.shapes import ImplicitShape
from ligament.gltf.animation import Animated
from ligament.gltf.animation import Pose as TreePose
from ligament.gltf.tree import NodeTree, below, depths, nearest
from ligament.physics.mass import FIXED, MassProperties, Part, is_mass_known, mass_properties
from ligament.physics.scene import Body, Pose
from ligament.physics.shapes import SKEW

WORLD = -1
"""The node of the body for frames without a body in the file."""

EVEN = 1e-5
"""Relative deviation of a linear map from a uniform scale that is rounding."""

_STILL = np.zeros(3)
ORIGIN = Pose(np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0]))


class Ownership:
    """Creates the bodies of a scene, and knows which of them owns a node.

    `owner` (N,) is the nearest node with a motion at or above every node, -1 where there is none;
    `local` are the frames of all nodes as seen from there. `bodies` grows as static objects need
    bodies; `body_at` finds them by node. `of_unknown_mass` are the dynamic nodes that have neither
    mass nor volume. `stretched` (N,) are the nodes whose world scale or shear an animation changes.
    """

    def __init__(
        self,
        placement: Placement,
        motions: Mapping[int, declared.Motion],
        animated: Animated,
    ) -> None:
        tree = placement.tree
        self.placement, self.animated = placement, animated
        self.owner = nearest(tree, motions)
        self.local = placement.local(self.owner)
        self.nearest_driven = nearest(tree, animated.moved)
        self.stretched: Bools = below(tree, stretching(tree, placement.local_scale, animated))
        above = np.append(self.stretched, False)  # the last for the parent of roots
        self._is_stretched_above: Bools = above[tree.parents]
        self.bodies: list[Body] = []
        self.body_at: dict[int, int] = {}
        self.of_unknown_mass: list[int] = []
        # Many bodies are alike: the same shapes, scale and mass are computed once.
        self._masses: dict[tuple[object, ...], tuple[MassProperties, bool]] = {}
        self.simulated: dict[int, declared.Motion] = {}
        depth = depths(tree)
        for node in sorted(motions, key=depth.__getitem__):
            kind = motions[node].kind
            if kind is not MotionKind.STATIC and not self.is_driven(node, kind):
                self.simulated[node] = motions[node]

    def is_driven(self, node: int, kind: MotionKind) -> bool:
        """Tell whether an animation moves the body on a node.

        A dynamic body must be animated itself, in more than its scale. Others follow their
        ancestors, up to the next simulated body.
        """
        if node in self.animated.moved or kind is MotionKind.DYNAMIC:
            return node in self.animated.moved
        if self.nearest_driven[node] < 0 and not self._is_stretched_above[node]:
            return False
        for above in self.placement.tree.ancestors(node):
            if above in self.animated.moved or above in self.animated.scaled:
                return True
            if above in self.simulated:
                return False
        return False

    def has_unused_velocity(self, motion: declared.Motion) -> bool:
        """Tell whether a body has a velocity although an animation moves it."""
        has_velocity = any(motion.linear_velocity) or any(motion.angular_velocity)
        return has_velocity and self.is_driven(motion.node, motion.kind)

    def is_animated(self, node: int) -> bool:
        """Tell whether an animation moves a node that belongs to no body."""
        return self.is_driven(node, MotionKind.STATIC)

    def carried(self) -> tuple[tuple[int, int], ...]:
        """Pair driven bodies with the nearest simulated body above each, if any."""
        pairs = ((index, self.carrier(index)) for index in range(len(self.bodies)))
        return tuple((index, base) for index, base in pairs if base is not None)

    def carrier(self, index: int) -> int | None:
        """Return the nearest simulated body above a driven one, if any."""
        body = self.bodies[index]
        if not body.is_driven or body.node == WORLD:
            return None
        base = next(filter(self.simulated.__contains__, self._ancestors(body.node)), None)
        return None if base is None else self.body_at[base]

    def _ancestors(self, node: int) -> Iterator[int]:
        return self.placement.tree.ancestors(node)

    def declare(
        self, motions: Sequence[declared.Motion], parts: Mapping[int, Sequence[Part]]
    ) -> None:
        """Create the bodies that a file declares, from their solid parts by node."""
        turns = self.placement.rotation[[motion.node for motion in motions]]
        given = (
            [motion.linear_velocity for motion in motions],
            [motion.angular_velocity for motion in motions],
        )
        velocities = (tf.rotate(turns, np.array(v, float).reshape(-1, 3)) for v in given)
        for motion, linear, angular in zip(motions, *velocities, strict=True):
            mass = self._mass(motion, parts.get(motion.node, ()))
            self.body_at[motion.node] = len(self.bodies)
            self.bodies.append(self._body(motion, mass, linear, angular))

    def of_static(self, node: int) -> int:
        """Return the body of a static object: fixed, or moved by animated ancestors."""
        if node not in self.body_at:
            is_driven = node != WORLD and self.is_driven(node, MotionKind.STATIC)
            self.body_at[node] = len(self.bodies)
            self.bodies.append(
                Body(
                    node=node,
                    kind=MotionKind.KINEMATIC if is_driven else MotionKind.STATIC,
                    pose=ORIGIN if node == WORLD else self.placement.of(node),
                    mass=FIXED,
                    linear_velocity=_STILL,
                    angular_velocity=_STILL,
                    is_driven=is_driven,
                    is_declared=False,
                )
            )
        return self.body_at[node]

    def moves_within(self, node: int, holder: int) -> bool:
        """Tell whether an animation moves a node in the body of a holder at or above it.

        It does so too where it stretches or shears what is between them. A node elsewhere keeps its
        initial place in the body, whatever moves it.
        """
        is_moved = bool(self._is_stretched_above[node])
        if node == holder or not (is_moved or self.nearest_driven[node] >= 0):
            return False
        while node not in (holder, -1):
            is_moved = is_moved or node in self.animated.moved
            node = int(self.placement.tree.parents[node])
        return is_moved and node == holder != WORLD

    def follows_physics(self, node: int) -> bool:
        """Tell whether a simulated body is at or above a node."""
        above = (node, *self._ancestors(node))
        return any(at in self.simulated for at in above)

    def _body(
        self, motion: declared.Motion, mass: MassProperties, linear: Floats, angular: Floats
    ) -> Body:
        node = motion.node
        is_driven = self.is_driven(node, motion.kind)
        return Body(
            node=node,
            kind=MotionKind.KINEMATIC if is_driven else motion.kind,
            pose=self.placement.of(node),
            mass=mass,
            linear_velocity=linear,
            angular_velocity=angular,
            gravity_factor=motion.gravity_factor,
            is_driven=is_driven,
        )

    def _mass(self, motion: declared.Motion, parts: Sequence[Part]) -> MassProperties:
        stretch = self.placement.stretch[motion.node]
        key = (
            motion.mass,
            motion.center_of_mass,
            motion.inertia_diagonal,
            motion.inertia_orientation,
            stretch.tobytes(),
            *((p.shape, p.translation.tobytes(), p.rotation.tobytes()) for p in parts),
        )
        if key not in self._masses:
            known = is_mass_known(motion, parts)
            self._masses[key] = mass_properties(motion, stretch, parts), known
        mass, is_known = self._masses[key]
        if not is_known and motion.kind is MotionKind.DYNAMIC:
            self.of_unknown_mass.append(motion.node)
        return mass


class Placement:
    """World placement of all nodes in one pose of the tree.

    A node's frame is its world position and orientation (`NodeTree.world_orientations`). `stretch`
    (N, 3, 3) is the rest of the world matrix in that frame: scale, a point reflection below an odd
    number of negative scales, and shear if non-uniform scales are above rotations. `unsigned`
    (N, 3, 3) leaves out the signs of the node's own scale.
    """

    def __init__(self, tree: NodeTree, pose: TreePose) -> None:
        self.tree, self.local_scale = tree, pose.scale
        matrices = tree.world_matrices(pose.translation, pose.rotation, pose.scale)
        self.translation: Floats = matrices[..., :3, 3]
        self.rotation: Floats = tree.world_orientations(pose.rotation)
        axes = tf.to_matrix(self.rotation)
        self.stretch: Floats = np.swapaxes(axes, -1, -2) @ matrices[..., :3, :3]
        self.unsigned: Floats = self.stretch * tree.signs(pose.scale)[..., None, :]

    def of(self, node: int) -> Pose:
        """Return the world frame of a node."""
        return Pose(self.translation[node], self.rotation[node])

    def stretch_of(self, source: GeometrySource | None) -> Floats:
        """Return the linear maps (…, N, 3, 3) of all nodes that act on a geometry there.

        On shapes with parameters, a negative scale of their own node counts as its absolute value
        (KHR_implicit_shapes). Scales above carry the node, and its shape, as they are drawn.
        """
        return self.unsigned if isinstance(source, ImplicitShape) else self.stretch

    def within(self, node: int, frame: Pose) -> Pose:
        """Return the frame of a node relative to another frame."""
        return relative(frame, self.of(node))

    def local(self, owners: Ints) -> LocalPoses:
        """Return the frames of all nodes relative to their owners (N,), or (-1) to themselves."""
        own = np.arange(len(owners))
        owners = np.where(owners < 0, own, owners)
        frame = Pose(self.translation[owners], self.rotation[owners])
        seen = relative(frame, Pose(self.translation, self.rotation))
        translation, rotation = np.asarray(seen.translation), np.asarray(seen.rotation)
        translation[owners == own] = 0.0
        rotation[owners == own] = (0.0, 0.0, 0.0, 1.0)
        return LocalPoses(translation, rotation)


def is_even(stretch: Floats) -> Bools:
    """Tell which linear maps (…, 3, 3) are a rotation or reflection and a uniform scale."""
    square = np.swapaxes(stretch, -1, -2) @ stretch
    size = np.trace(square, axis1=-2, axis2=-1)[..., None, None] / 3
    return np.asarray((np.abs(square - size * np.eye(3)) <= EVEN * size).all(axis=(-2, -1)))


def stretching(tree: NodeTree, scale: Floats, animated: Animated) -> frozenset[int]:
    """Return the nodes whose animation changes the scale or shear of all that is below them.

    These are the scaled ones, and those that rotate below a non-uniform scale (N, 3).
    """
    size = np.abs(scale)
    uneven = np.flatnonzero(np.ptp(size, axis=1) > SKEW * size.max(axis=1, initial=0.0))
    is_below = np.append(below(tree, uneven), False)  # the last for the parent of roots
    return animated.scaled | {n for n in animated.rotated if is_below[tree.parents[n]]}


class LocalPoses(NamedTuple):
    """Frames of all nodes relative to their owners: (N, 3) and (N, 4)."""

    translation: Floats
    rotation: Floats

    def of(self, node: int) -> Pose:
        """Return the frame of one node."""
        return Pose(self.translation[node], self.rotation[node])


def relative(frame: Pose, pose: Pose) -> Pose:
    """Return `pose` relative to `frame`; both single or batched."""
    back = tf.conjugate(frame.rotation)
    offset = tf.rotate(back, pose.translation - frame.translation)
    return Pose(offset, tf.multiply(back, pose.rotation))

"""Node poses with bodies placed by physics."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats, Ints
from ligament.extensions.rigid_bodies import MotionKind
from ligament.gltf.animation import Pose as TreePose
from ligament.gltf.tree import NodeTree
from ligament.physics.placement import EVEN, is_even
from ligament.physics.scene import Body
from ligament.rig.animator import Animator

DEFORMATION_MIN = 1e-3
"""Smallest deformation of a node, relative to its parent's scale, that is worth a warning."""


class Bodies(NamedTuple):
    """World poses of nodes that physics moved: (K,), (F, K, 3), (F, K, 4)."""

    nodes: Ints
    translation: Floats
    rotation: Floats


def physical_pose(stage: Animator, pose: TreePose, bodies: Bodies) -> TreePose:
    """Return an animated pose (F, N, …) with bodies where physics moved them."""
    pose = placed(stage, pose, bodies)
    if stage.constraints.constraints:
        # Physics may have moved the sources of constraints, and constraints the parents of bodies.
        pose = placed(stage, stage.constrained(pose), bodies)
    return pose


def is_simulated(body: Body) -> bool:
    """Tell whether the engine, not an animation, moves a body."""
    return body.is_declared and body.kind is not MotionKind.STATIC and not body.is_driven


def placed(stage: Animator, pose: TreePose, bodies: Bodies) -> TreePose:
    """Set the local transforms that place bodies at their world poses, parents first."""
    tree = stage.tree
    family = lineage(tree, bodies.nodes)
    row = np.full(len(tree) + 1, -1, np.int64)  # the last row stands for the world above roots
    row[:-1][family] = np.arange(len(family))
    frames = len(pose.translation)
    matrices = np.broadcast_to(np.eye(4), (frames, len(family) + 1, 4, 4)).copy()
    # Orientations of unrotated children: the T of `NodeTree.world_orientations`.
    turns = np.broadcast_to([0.0, 0.0, 0.0, 1.0], (frames, len(family) + 1, 4)).copy()
    column = dict(zip(bodies.nodes.tolist(), range(len(bodies.nodes)), strict=True))
    translation, rotation = pose.translation.copy(), pose.rotation.copy()
    for level in tree.levels:
        nodes = level[row[level] >= 0]
        above = row[tree.parents[nodes]]
        here = np.array([i for i, node in enumerate(nodes.tolist()) if node in column], np.int64)
        if len(here):
            chosen = [column[node] for node in nodes[here].tolist()]
            over, turned = matrices[:, above[here]], turns[:, above[here]]
            translation[:, nodes[here]] = _seen_from(over, bodies.translation[:, chosen])
            rotation[:, nodes[here]] = _local_rotations(
                stage, nodes[here], over, turned, bodies.rotation[:, chosen]
            )
        local = tf.compose(translation[:, nodes], rotation[:, nodes], pose.scale[:, nodes])
        matrices[:, row[nodes]] = tf.multiply_matrices(matrices[:, above], local)
        turned = tf.multiply(turns[:, above], rotation[:, nodes])
        turns[:, row[nodes]] = tree.child_orientations(turned, nodes)
    return TreePose(translation, rotation, pose.scale)


def lineage(tree: NodeTree, nodes: Ints) -> Ints:
    """Return nodes and all their ancestors, ascending."""
    wanted = np.zeros(len(tree) + 1, bool)
    wanted[nodes] = True
    for level in reversed(tree.levels):
        wanted[tree.parents[level[wanted[level]]]] = True
    return np.flatnonzero(wanted[:-1])


def _seen_from(matrices: Floats, points: Floats) -> Floats:
    """Return points (F, K, 3) in spaces (F, K, 4, 4); approximate in singular ones."""
    offset = points - matrices[..., :3, 3]
    return np.asarray((np.linalg.pinv(matrices[..., :3, :3]) @ offset[..., None])[..., 0])


def _local_rotations(
    stage: Animator, nodes: Ints, matrices: Floats, turns: Floats, world: Floats
) -> Floats:
    """Return the local rotations (F, K, 4) that give nodes their world rotations.

    A body that has rotated by Q is drawn where it is if its local rotation is R = A⁻¹·Q·A·r, with
    the parent's linear part A and the rest rotation r. Where A is c·T or -c·T, that is T⁻¹·Q·T·r.
    Another scaled rotation or reflection is ±c·T·E: a negative scale is animated, or uneven scales
    cancel out. Below any other parent no rotation is exact; T⁻¹·Q·T·r is used.
    """
    local = np.asarray(tf.multiply(tf.conjugate(turns), world))
    stretch = np.swapaxes(tf.to_matrix(turns), -1, -2) @ matrices[..., :3, :3]
    factor = np.cbrt(tf.determinant(stretch))[..., None, None]
    extra = np.divide(stretch, factor, out=np.zeros_like(stretch), where=factor != 0)
    if np.abs(extra - np.eye(3)).max(initial=0.0) <= EVEN:
        return local
    rest = stage.tree.rotation[nodes]
    spin = tf.multiply(local, tf.conjugate(rest))  # T⁻¹·Q·T
    even = is_even(stretch)
    _warn_of_deformation(stage, nodes, np.where(even[..., None, None], 0.0, stretch), spin)
    is_exact = even & ~np.isin(nodes, list(stage.changed))  # animated rotations stay as they are
    turn = tf.from_matrix(np.where(is_exact[..., None, None], extra, np.eye(3)))
    seen = tf.multiply(tf.multiply(tf.conjugate(turn), spin), tf.multiply(turn, rest))
    return np.where(is_exact[..., None], seen, local)


def _warn_of_deformation(stage: Animator, nodes: Ints, stretch: Floats, spin: Floats) -> None:
    """Warn of nodes that an uneven stretch (F, K, 3, 3) above them deforms as they rotate."""
    turn = np.asarray(tf.to_matrix(spin))
    size = np.abs(stretch).max(axis=(0, 2, 3), initial=0.0)
    off = np.abs(stretch @ turn - turn @ stretch).max(axis=(0, 2, 3), initial=0.0)
    lean = np.abs(stretch * (1 - np.eye(3))).max(axis=(0, 2, 3), initial=0.0)
    for at in np.flatnonzero(off > DEFORMATION_MIN * size).tolist():
        kind = "a sheared" if lean[at] > EVEN * size[at] else "an unevenly scaled"
        message = f"{stage.tree.label(nodes[at])} is below {kind} parent: its position is exact"
        stage.document.warn(f"{message}, but it is drawn deformed", f"/nodes/{nodes[at]}")

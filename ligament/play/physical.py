"""Node poses with bodies placed by physics."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats, Ints
from ligament.extensions.declarations import MotionKind
from ligament.gltf.animation import Pose as TreePose
from ligament.gltf.tree import NodeTree
from ligament.physics.scene import Body
from ligament.rig.animator import Animator

SHEAR = 1e-5
"""Lean, relative to its scale, above which a parent counts as sheared."""


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
            _warn_of_shear(stage, nodes[here], over, turned)
            translation[:, nodes[here]] = _seen_from(over, bodies.translation[:, chosen])
            back = tf.conjugate(turned)
            rotation[:, nodes[here]] = tf.multiply(back, bodies.rotation[:, chosen])
        local = tf.compose(translation[:, nodes], rotation[:, nodes], pose.scale[:, nodes])
        matrices[:, row[nodes]] = tf.multiply_matrices(matrices[:, above], local)
        turns[:, row[nodes]] = tf.multiply(turns[:, above], rotation[:, nodes])
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


def _warn_of_shear(stage: Animator, nodes: Ints, matrices: Floats, turns: Floats) -> None:
    axes = tf.to_matrix(turns[:1])
    stretch = np.swapaxes(axes, -1, -2) @ matrices[:1, :, :3, :3]
    lean = np.abs(stretch * (1 - np.eye(3))).max(axis=(0, 2, 3))
    size = np.abs(stretch).max(axis=(0, 2, 3))
    for node in nodes[lean > SHEAR * size].tolist():
        message = f"{stage.tree.label(node)} is below a sheared parent: its position is exact"
        stage.document.warn(
            f"{message}, but its shape is sheared with the parent", f"/nodes/{node}"
        )

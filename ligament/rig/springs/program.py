"""Frame program: the steps of one pass over the nodes, for the compiled updates.

A step places a node below its parent, updates a joint, places a collider, or places a joint that is
not updated yet at its previous pose: a chain may collide with colliders that it carries.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Bools, Floats, Indices
from ligament.extensions.fields import Vector
from ligament.extensions.spring_bones import Collider
from ligament.gltf.tree import NodeTree
from ligament.rig.compiled import springs as layout
from ligament.rig.compiled.jit import each, frozen
from ligament.rig.springs.chains import Bone
from ligament.rig.springs.plan import Plan
from ligament.rig.springs.posing import Pose
from ligament.rig.springs.state import State
from ligament.transforms.components import Array

SHAPES = {"sphere": layout.SPHERE, "capsule": layout.CAPSULE, "plane": layout.PLANE}
LIMITS = {"cone": layout.CONE, "hinge": layout.HINGE, "spherical": layout.SPHERICAL}


class Program(NamedTuple):
    """Steps (n, 6): what to do, then a collider, or the row of a node and that of its parent, the
    node, its joint, -1: none, and whether anything hangs on it. `nodes` are all that take part.

    Joints have numbers (J, 4): the row of the center, -1: none, which of `met` are theirs, and the
    kind of limit; and constants (J, `layout.WIDTH`). `met` (m, 2) are colliders and their kinds.
    `reach` (m, 3) is the distance [m] that tails are kept at, −1 where that is within, else 1, and
    the square of the first with the signs of both. Colliders have their rows and whether they are
    planes (C, 2), and `points` (C, 9): offset, tail and normal. The last of the `rows` is the
    world.
    """

    steps: Indices
    numbers: Indices
    constants: Floats
    met: Indices
    reach: Floats
    carriers: Indices
    points: Floats
    rows: int
    nodes: Indices

    def run(
        self, tree: NodeTree, pose: Pose, dt: float, state: State | None, resets: Bools
    ) -> tuple[Array, State]:
        """Update all frames (avatars, frames, …) of a pose with uniform scales.

        Return rotations (avatars, frames, J, 4) and the state to continue from, as `Run` does.
        """
        kind = np.dtype(pose.rotation.dtype.name)  # of this machine's byte order
        avatars, frames = pose.rotation.shape[:2]
        joints = len(self.numbers)
        if state is None:
            parts = [np.zeros((avatars, joints, n)) for n in (3, 3, 3, 1)]
        else:
            length = np.broadcast_to(state.length, (joints, avatars))[:, None]
            given = (state.current, state.previous, state.seen, length)
            parts = [np.array(np.moveaxis(x, -1, 0), float, order="C") for x in given]
        out = np.empty((avatars, frames, joints, 4), kind)
        local = (
            tree.translation[None, None] if pose.translation is None else pose.translation,
            pose.rotation,
            tree.scale[None, None] if pose.scale is None else pose.scale,
        )
        poses = [frozen(np.asarray(part, kind)) for part in local]

        def work(part: slice) -> None:
            own = tuple(x if len(x) == 1 else x[part] for x in poses)
            layout.swing(*self[:-1], own, resets, dt, tuple(x[part] for x in parts), out[part])

        each(work, avatars)
        now, before, seen, length = (np.moveaxis(x, 0, -1).astype(kind) for x in parts)
        return out, State(now, before, seen, length[:, 0])


def make_program(
    plan: Plan, bones: Sequence[Bone], colliders: Sequence[Collider], tree: NodeTree
) -> Program:
    """Return the program of a plan."""
    own = {bone.node: bone for bone in bones}
    ordered = [own[node] for node in plan.nodes.tolist()]
    slot = {bone.node: index for index, bone in enumerate(ordered)}
    steps = list(_steps(plan, ordered, colliders, tree))
    nodes = list(dict.fromkeys(i for kind, i in steps if kind != layout.COLLIDER))
    row = {node: index for index, node in enumerate(nodes)} | {-1: len(nodes)}
    met = [(bone, index) for bone in ordered for index in bone.colliders]
    carrying = {int(tree.parents[node]) for node in nodes} | {bone.center for bone in ordered}
    carrying |= {colliders[index].node for _, index in met}
    return Program(
        steps=np.array(
            [
                (kind, i, 0, 0, 0, 0)
                if kind == layout.COLLIDER
                else (kind, row[i], row[int(tree.parents[i])], i, slot.get(i, -1), i in carrying)
                for kind, i in steps
            ],
            np.intp,
        ),
        numbers=_numbers(plan, ordered, row),
        constants=_constants(plan, tree),
        met=np.array([(i, SHAPES[colliders[i].kind]) for _, i in met], np.intp).reshape(-1, 2),
        reach=np.array([_reach(bone, colliders[i]) for bone, i in met], float).reshape(-1, 3),
        carriers=np.array(
            [(row.get(c.node, 0), c.kind == "plane") for c in colliders], np.intp
        ).reshape(-1, 2),
        points=np.array([_points(c) for c in colliders], float).reshape(-1, 9),
        rows=len(nodes) + 1,
        nodes=np.array(nodes, np.intp),
    )


def _steps(
    plan: Plan, bones: Sequence[Bone], colliders: Sequence[Collider], tree: NodeTree
) -> Iterator[tuple[int, int]]:
    """Yield steps with their nodes or colliders, level by level."""
    slot = {bone.node: index for index, bone in enumerate(bones)}
    fresh, placed = set[int](), set[int]()  # nodes and colliders that have their final pose
    for level in plan.levels:
        chosen = bones[level.first : level.last]
        used = sorted({index for bone in chosen for index in bone.colliders} - placed)
        sites = [int(tree.parents[bone.node]) for bone in chosen]
        sites += [bone.center for bone in chosen] + [colliders[index].node for index in used]
        passing = set[int]()  # at or below a joint that is not updated yet
        for site in sites:
            path, node = list[int](), site
            while node >= 0 and node not in fresh and node not in passing:
                path.append(node)
                node = int(tree.parents[node])
            is_stale = node in passing
            for node in reversed(path):
                is_stale |= node in slot
                yield layout.STALE if node in slot else layout.NODE, node
                (passing if is_stale else fresh).add(node)
        for index in used:
            yield layout.COLLIDER, index
        placed.update(index for index in used if colliders[index].node in fresh)
        for bone in chosen:
            yield layout.JOINT, bone.node
            fresh.add(bone.node)


def _numbers(plan: Plan, bones: Sequence[Bone], row: dict[int, int]) -> Indices:
    numbers = np.zeros((len(bones), 4), np.intp)
    numbers[:, 0] = [-1 if bone.center < 0 else row[bone.center] for bone in bones]
    ends = np.cumsum([len(bone.colliders) for bone in bones])
    numbers[1:, 1], numbers[:, 2] = ends[:-1], ends
    for limits in plan.limits:
        numbers[limits.slots, 3] = LIMITS[limits.kind]
    return numbers


def _constants(plan: Plan, tree: NodeTree) -> Floats:
    count = len(plan.nodes)
    angles, axes = np.zeros((count, 2)), np.zeros((count, 9))
    for limits in plan.limits:
        angles[limits.slots] = limits.angles[..., 0]
        axes[limits.slots] = limits.rotation.reshape(-1, 9)
    rest = tf.to_matrix(tf.multiply(tree.rotation[plan.nodes], plan.align))
    columns = {
        layout.KEEP: plan.keep,
        layout.PULL: plan.stiffness,
        layout.FALL: plan.gravity,
        layout.LENGTH: np.linalg.norm(plan.tail, axis=1),
        layout.REST: rest,
        layout.BACK: tf.to_matrix(tf.conjugate(plan.align)),
        layout.OUTER: plan.outer,
        layout.ANGLES: angles,
        layout.AXES: axes,
    }
    parts = [columns[at].reshape(count, -1) for at in sorted(columns)]
    return np.ascontiguousarray(np.concatenate(parts, axis=1), float)


def _reach(bone: Bone, shape: Collider) -> tuple[float, float, float]:
    side = -1.0 if shape.inside else 1.0
    reach = (0.0 if shape.kind == "plane" else shape.radius) + side * bone.joint.hit_radius
    return reach, side, side * reach * abs(reach)


def _points(shape: Collider) -> tuple[Vector, ...]:
    return shape.offset, shape.tail if shape.kind == "capsule" else shape.offset, shape.normal

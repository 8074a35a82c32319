"""The plan of a simulation: joints in slots by level, what each hangs on, and their constants.

The frame of a joint has the direction of its bone for its second axis: it is the rest rotation
followed by the shortest rotation from +Y to the bone (for −Y half a turn about X, as limits say).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ligament import transforms as tf
from ligament.arrays import Floats, Indices
from ligament.extensions.spring_bones.declarations import Collider
from ligament.gltf.tree import NodeTree, nearest
from ligament.rig.springs.chains import Bone
from ligament.rig.springs.collisions import Collisions, make_collisions
from ligament.transforms.components import Array

UP = np.array([0.0, 1.0, 0.0])


@dataclasses.dataclass(frozen=True)
class Limits:
    """Limits of one kind in a level: places of joints, angles (k, 2, 1), axes (k, 3, 3, 1)."""

    kind: str
    joints: Array
    angles: Array
    rotation: Array


@dataclasses.dataclass(frozen=True)
class Level:
    """Joints that are updated together: slots `first` to `last`, of which `free` hang on no joint.

    `anchors` are the slots that the others hang on. `late` are colliders that hang on joints which
    are updated with or after this level; `hung` those that hang on joints of this level.
    """

    first: int
    last: int
    free: int
    anchors: Array
    collisions: tuple[Collisions, ...]
    limits: tuple[Limits, ...]
    late: tuple[int, ...]
    hung: tuple[int, ...]
    centered: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class Plan:
    """All joints (J,) of a document in slots, ready to be updated.

    `nodes`, `anchor` (J,), the rotation `align` (J, 4) from +Y to the bone, its `tail` (J, 3) [m]
    seen from the head, `keep` = 1 − drag, `stiffness` (J, 1, 1), `gravity` (J, 3, 1) [m/s], and
    `outer` of `kernels.local_rotations`. Of colliders `anchored` (C,) is the slot that each hangs
    on, -1: none; of centers, nodes `centers`, likewise; `center` (J,) indexes these.
    """

    nodes: Indices
    anchor: Indices
    rest: Floats
    align: Floats
    tail: Floats
    keep: Array
    stiffness: Array
    gravity: Array
    outer: Array
    levels: tuple[Level, ...]
    anchored: Indices
    centers: Indices
    center_anchor: Indices
    center: Indices

    def converted(self, convert: Callable[[npt.NDArray[Any]], Array]) -> Plan:
        """Return the same with the arrays of the updates moved elsewhere."""
        levels = tuple(_moved_level(level, convert) for level in self.levels)
        arrays = (self.keep, self.stiffness, self.gravity, self.outer)
        keep, stiffness, gravity, outer = map(convert, arrays)
        return dataclasses.replace(
            self, keep=keep, stiffness=stiffness, gravity=gravity, outer=outer, levels=levels
        )


def _moved_level(level: Level, convert: Callable[[npt.NDArray[Any]], Array]) -> Level:
    return dataclasses.replace(
        level,
        anchors=convert(level.anchors),
        collisions=tuple(step.converted(convert) for step in level.collisions),
        limits=tuple(
            Limits(s.kind, convert(s.joints), convert(s.angles), convert(s.rotation))
            for s in level.limits
        ),
    )


def make_plan(
    bones: Sequence[Bone],
    colliders: Sequence[Collider],
    levels: Sequence[Sequence[int]],
    tree: NodeTree,
) -> Plan:
    """Put bones in slots, level by level, in each those first that hang on no other."""
    holding = nearest(tree, [bone.node for bone in bones])
    above = [int(holding[p]) if (p := int(tree.parents[b.node])) >= 0 else -1 for b in bones]
    order = [i for level in levels for i in sorted(level, key=lambda i: above[i] >= 0)]
    slots = {bones[i].node: slot for slot, i in enumerate(order)} | {-1: -1}
    ordered = [bones[i] for i in order]
    anchor = np.array([slots[above[i]] for i in order], np.intp)
    anchored = np.array([slots[int(holding[c.node])] for c in colliders], np.intp)
    centers = sorted({bone.center for bone in bones} - {-1})
    nodes = np.array([bone.node for bone in ordered], np.intp)
    rest = tree.rotation[nodes]
    tail = np.array([bone.tail for bone in ordered])
    align = _align(tail)
    column = {center: index for index, center in enumerate(centers)} | {-1: -1}
    plan = Plan(
        nodes=nodes,
        anchor=anchor,
        rest=rest,
        align=align,
        tail=tail,
        keep=_column([1 - bone.joint.drag for bone in ordered]),
        stiffness=_column([bone.joint.stiffness for bone in ordered]),
        gravity=np.array([bone.joint.gravity for bone in ordered])[..., None],
        outer=_outer(rest, align),
        levels=(),
        anchored=anchored,
        centers=np.array(centers, np.intp),
        center_anchor=np.array([slots[int(holding[c])] for c in centers], np.intp),
        center=np.array([column[bone.center] for bone in ordered], np.intp),
    )
    made, first = [], 0
    for level in levels:
        last = first + len(level)
        made.append(_level(plan, ordered, colliders, first, last))
        first = last
    return dataclasses.replace(plan, levels=tuple(made))


def _column(values: Sequence[float]) -> Floats:
    return np.array(values, float)[:, None, None]


def _align(tail: Floats) -> Floats:
    """Shortest rotations (J, 4) from +Y to directions (J, 3); for −Y half a turn about X."""
    unit = tail / np.linalg.norm(tail, axis=1, keepdims=True)
    opposite = (unit[:, 1] < 0) & (unit[:, 0] == 0) & (unit[:, 2] == 0)
    turns: Floats = np.where(opposite[:, None], [1.0, 0.0, 0.0, 0.0], tf.between(UP, unit))
    return turns


def _outer(rest: Floats, align: Floats) -> Floats:
    """Matrices (J, 4, 3) of (x, z, w) ↦ rest·align·(x, 0, z, w)·align⁻¹."""
    basis = np.array([[1.0, 0, 0, 0], [0, 0, 1.0, 0], [0, 0, 0, 1.0]])
    left, right = tf.multiply(rest, align), tf.conjugate(align)
    images = tf.multiply(left[:, None], tf.multiply(basis, right[:, None]))
    return np.swapaxes(images, 1, 2)


def _level(
    plan: Plan, ordered: Sequence[Bone], colliders: Sequence[Collider], first: int, last: int
) -> Level:
    bones = ordered[first:last]
    anchors = plan.anchor[first:last]
    used = sorted({index for bone in bones for index in bone.colliders})
    return Level(
        first=first,
        last=last,
        free=int((anchors < 0).sum()),
        anchors=anchors[anchors >= 0],
        collisions=tuple(make_collisions(bones, colliders)),
        limits=tuple(_limits(bones)),
        late=tuple(index for index in used if plan.anchored[index] >= first),
        hung=tuple(np.flatnonzero((plan.anchored >= first) & (plan.anchored < last)).tolist()),
        centered=tuple(np.flatnonzero(plan.center[first:last] >= 0).tolist()),
    )


def _limits(bones: Sequence[Bone]) -> list[Limits]:
    limits = []
    for kind in ("cone", "hinge", "spherical"):
        found = [
            (place, limit)
            for place, bone in enumerate(bones)
            if (limit := bone.joint.limit) is not None and limit.kind == kind
        ]
        if found:
            axes = np.swapaxes(tf.to_matrix(np.array([limit.rotation for _, limit in found])), 1, 2)
            angles = np.array([limit.angles for _, limit in found])[..., None]
            places = np.array([place for place, _ in found])
            limits.append(Limits(kind, places, angles, axes[..., None]))
    return limits

"""Simulation plan: joints in slots by level, their anchors, and their constants.

The frame of a joint has the direction of its bone for its second axis: it is the rest rotation
followed by the shortest rotation from +Y to the bone (for −Y half a turn about X, as limits say).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ligament import transforms as tf
from ligament.arrays import Floats, Indices
from ligament.extensions.spring_bones import Collider
from ligament.gltf.tree import NodeTree, nearest
from ligament.rig.springs.chains import Bone
from ligament.rig.springs.collisions import Collisions, make_collisions
from ligament.transforms.components import Array

UP = np.array([0.0, 1.0, 0.0])


@dataclasses.dataclass(frozen=True)
class Limits:
    """Limits of one kind: slots of joints, angles (k, 2, 1) [rad], axes (k, 3, 3, 1) as rows."""

    kind: str
    slots: Indices
    angles: Array
    rotation: Array


@dataclasses.dataclass(frozen=True)
class Level:
    """Joints updated together: slots `first` to `last`, of which `free` have no joint above.

    `late` are colliders carried by joints that are updated with or after this level; `hung` those
    carried by joints of this level. `centered` are the slots of each center.
    """

    first: int
    last: int
    free: int
    collisions: tuple[Collisions, ...]
    late: tuple[int, ...]
    hung: tuple[int, ...]
    centered: tuple[tuple[int, Indices], ...]


@dataclasses.dataclass(frozen=True)
class Plan:
    """All joints (J,) of a document in slots, ready to be updated.

    `nodes`, `anchor` (J,), the `level` of each, the rotation `align` (J, 4) from +Y to the bone,
    its `tail` (J, 3) [m] seen from the head, `keep` = 1 − drag, `stiffness` (J, 1, 1), `gravity`
    (J, 3, 1) [m/s], and `outer` of `kernels.local_rotations`. Of colliders `anchored` (C,) is the
    slot that each hangs on, -1: none; of the nodes `centers` it is `center_anchor`. The plan
    `is_regular` where every level hangs on the one before alone; `collisions` are then those of all
    levels together. Where it `is_sorted`, anchors ascend without a gap or a repetition.
    `anchors` are those of `anchor` on the device.
    """

    nodes: Indices
    anchor: Indices
    level: Indices
    align: Floats
    tail: Floats
    keep: Array
    stiffness: Array
    gravity: Array
    outer: Array
    anchors: Array
    levels: tuple[Level, ...]
    limits: tuple[Limits, ...]
    collisions: tuple[Collisions, ...]
    anchored: Indices
    centers: Indices
    center_anchor: Indices
    is_regular: bool
    is_sorted: bool

    def converted(self, convert: Callable[[npt.NDArray[Any]], Array]) -> Plan:
        """Return the same with the arrays of the updates moved elsewhere."""
        names = ("keep", "stiffness", "gravity", "outer", "anchors")
        levels = tuple(
            dataclasses.replace(level, collisions=_moved(level.collisions, convert))
            for level in self.levels
        )
        limits = tuple(
            dataclasses.replace(x, angles=convert(x.angles), rotation=convert(x.rotation))
            for x in self.limits
        )
        return dataclasses.replace(
            self,
            levels=levels,
            limits=limits,
            collisions=_moved(self.collisions, convert),
            **{name: convert(getattr(self, name)) for name in names},
        )


def _moved(
    steps: Sequence[Collisions], convert: Callable[[npt.NDArray[Any]], Array]
) -> tuple[Collisions, ...]:
    return tuple(step.converted(convert) for step in steps)


def make_plan(
    bones: Sequence[Bone],
    colliders: Sequence[Collider],
    levels: Sequence[Sequence[int]],
    tree: NodeTree,
) -> Plan:
    """Assign bones to slots, level by level, those without an anchor first in each."""
    holding = nearest(tree, [bone.node for bone in bones])
    above = [int(holding[p]) if (p := int(tree.parents[b.node])) >= 0 else -1 for b in bones]
    order, slots = list[int](), {-1: -1}
    for level in levels:
        for i in sorted(level, key=lambda i: slots[above[i]]):
            slots[bones[i].node] = len(order)
            order.append(i)
    ordered = [bones[i] for i in order]
    anchor = np.array([slots[above[i]] for i in order], np.intp)
    anchored = np.array([slots[int(holding[c.node])] for c in colliders], np.intp)
    centers = sorted({bone.center for bone in bones} - {-1})
    nodes = np.array([bone.node for bone in ordered], np.intp)
    rest = tree.rotation[nodes]
    tail = np.array([bone.tail for bone in ordered])
    align = _align(tail)
    starts = np.cumsum([0, *(len(level) for level in levels[:-1])]).tolist()
    plan = Plan(
        nodes=nodes,
        anchor=anchor,
        level=np.repeat(np.arange(len(levels)), [len(level) for level in levels]),
        align=align,
        tail=tail,
        keep=_column([1 - bone.joint.drag for bone in ordered]),
        stiffness=_column([bone.joint.stiffness for bone in ordered]),
        gravity=np.array([bone.joint.gravity for bone in ordered])[..., None],
        outer=_outer(rest, align),
        anchors=anchor,
        levels=(),
        limits=tuple(_limits(ordered)),
        collisions=tuple(make_collisions(ordered, colliders, starts)),
        anchored=anchored,
        centers=np.array(centers, np.intp),
        center_anchor=np.array([slots[int(holding[c])] for c in centers], np.intp),
        is_regular=False,
        is_sorted=bool((np.diff(anchor[anchor >= 0]) == 1).all()),
    )
    made, first = [], 0
    for level in levels:
        made.append(_level(plan, ordered, colliders, first, first + len(level)))
        first += len(level)
    return dataclasses.replace(plan, levels=tuple(made), is_regular=_is_regular(plan))


def _is_regular(plan: Plan) -> bool:
    """Tell whether levels depend on the one before alone, and colliders and centers on none."""
    before = np.where(plan.anchor >= 0, plan.level[plan.anchor], -1)
    is_independent = (plan.anchored < 0).all() and (plan.center_anchor < 0).all()
    return bool(is_independent and (before == plan.level - 1).all())


def _column(values: Sequence[float]) -> Floats:
    return np.array(values, float)[:, None, None]


def _align(tail: Floats) -> Floats:
    """Return shortest rotations (J, 4) from +Y to directions (J, 3); for −Y half a turn about X."""
    unit = tail / np.linalg.norm(tail, axis=1, keepdims=True)
    opposite = (unit[:, 1] < 0) & (unit[:, 0] == 0) & (unit[:, 2] == 0)
    turns: Floats = np.where(opposite[:, None], [1.0, 0.0, 0.0, 0.0], tf.between(UP, unit))
    return turns


def _outer(rest: Floats, align: Floats) -> Floats:
    """Return matrices (J, 4, 3) of (x, z, w) ↦ rest·align·(x, 0, z, w)·align⁻¹."""
    basis = np.array([[1.0, 0, 0, 0], [0, 0, 1.0, 0], [0, 0, 0, 1.0]])
    left, right = tf.multiply(rest, align), tf.conjugate(align)
    images = tf.multiply(left[:, None], tf.multiply(basis, right[:, None]))
    return np.swapaxes(images, 1, 2)


def _level(
    plan: Plan, ordered: Sequence[Bone], colliders: Sequence[Collider], first: int, last: int
) -> Level:
    bones = ordered[first:last]
    used = sorted({index for bone in bones for index in bone.colliders})
    at = {center: index for index, center in enumerate(plan.centers.tolist())}
    centered = [
        (at[c], first + np.flatnonzero([bone.center == c for bone in bones]))
        for c in sorted({bone.center for bone in bones} - {-1})
    ]
    return Level(
        first=first,
        last=last,
        free=int((plan.anchor[first:last] < 0).sum()),
        collisions=tuple(make_collisions(bones, colliders)),
        late=tuple(index for index in used if plan.anchored[index] >= first),
        hung=tuple(np.flatnonzero((plan.anchored >= first) & (plan.anchored < last)).tolist()),
        centered=tuple(centered),
    )


def _limits(bones: Sequence[Bone]) -> Iterator[Limits]:
    for kind in ("cone", "hinge", "spherical"):
        found = [
            (slot, limit)
            for slot, bone in enumerate(bones)
            if (limit := bone.joint.limit) is not None and limit.kind == kind
        ]
        if found:
            axes = np.swapaxes(tf.to_matrix(np.array([limit.rotation for _, limit in found])), 1, 2)
            angles = np.array([limit.angles for _, limit in found])[..., None]
            yield Limits(kind, np.array([slot for slot, _ in found]), angles, axes[..., None])

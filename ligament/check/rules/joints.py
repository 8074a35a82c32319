"""Joints: what they connect, how heavy it is, and whether their limits hold at the start."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ligament.check.codes import finding
from ligament.check.subject import Subject
from ligament.check.world import World
from ligament.extensions.declarations import Joint, Limit
from ligament.findings import Finding
from ligament.gltf.references import read_index
from ligament.gltf.tree import NodeTree
from ligament.physics.metrics import Relative, measure, nearest_turn, relative, violation

Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]

HEAVIER = 1_000.0
"""A mass ratio across a joint that solvers no longer handle well."""

BITS = 62
"""How many scenes are looked at together."""

TOLERANCE = {"m": 1e-3, "rad": math.radians(0.5)}
"""How far a limit may be broken at the start: what rounding in files and solvers amounts to."""


def joint_rules(subject: Subject) -> Iterator[Finding]:
    """Yield joints that do nothing, snap at the start, or connect what is too unlike."""
    world, joints = subject.world, [*subject.physics.joints.values()]
    if world is None or not joints:
        return
    outside = _outside_scene(subject, world.tree, joints)
    for index in np.flatnonzero(outside).tolist():
        message, remedy = "no scene holds both of its ends", "join nodes of one scene"
        yield finding("PHYSICS_JOINT_OUTSIDE_SCENE", joints[index].pointer, message, remedy)
    inside = [joints[index] for index in np.flatnonzero(~outside).tolist()]
    yield from _ends(world, inside)
    yield from _violated(world, inside)


def _ends(world: World, joints: list[Joint]) -> Iterator[Finding]:
    a, b = world.ends(joints)
    body_a, body_b = world.owner[a], world.owner[b]
    still = ~world.dynamic[a] & ~world.dynamic[b]
    same = (body_a == body_b) & ~still
    mass_a, mass_b = world.mass[body_a], world.mass[body_b]
    known = np.isfinite(mass_a) & np.isfinite(mass_b) & (mass_a > 0) & (mass_b > 0)
    both = world.dynamic[a] & world.dynamic[b] & known & ~same
    unlike = both & (np.maximum(mass_a, mass_b) > HEAVIER * np.minimum(mass_a, mass_b))
    for index in np.flatnonzero(still).tolist():
        message = "neither end can be moved by forces, so the joint does nothing"
        remedy = "give one end a motion"
        yield finding("PHYSICS_JOINT_WITHOUT_MOTION", joints[index].pointer, message, remedy)
    for index in np.flatnonzero(same).tolist():
        message = f"both ends belong to {world.tree.label(int(body_a[index]))}"
        yield finding("PHYSICS_JOINT_SAME_BODY", joints[index].pointer, message, "join two bodies")
    for index in np.flatnonzero(unlike).tolist():
        message = f"it connects {mass_a[index]:g} kg to {mass_b[index]:g} kg"
        remedy = f"keep masses within {HEAVIER:,.0f} times each other"
        yield finding("PHYSICS_MASS_RATIO", joints[index].pointer, message, remedy)


def _outside_scene(subject: Subject, tree: NodeTree, joints: list[Joint]) -> Bools:
    """Tell which joints (J,) take part in a scene without their other end."""
    scenes = subject.array("scenes")
    apart, taking_part = np.full(len(joints), bool(scenes)), np.zeros(len(joints), bool)
    for first in range(0, len(scenes), BITS):
        members = _members(scenes[first : first + BITS], tree)
        if (members == members[0]).all():  # as in most files: all nodes are in one scene
            apart &= members[0] == 0
            continue
        nodes = [(j.node, j.body_a, j.frame_a, j.body_b, j.frame_b) for j in joints]
        ends = members[np.array(nodes, np.int64)]
        taking_part |= ends[:, 0] != 0
        apart &= np.bitwise_and.reduce(ends, axis=1) == 0
    return apart & taking_part


def _members(scenes: list[Any], tree: NodeTree) -> Ints:
    """Return the scenes that every node (N,) is in, a bit for each."""
    members = np.zeros(len(tree), np.int64)
    for bit, scene in enumerate(scenes):
        listed = scene.get("nodes") if isinstance(scene, dict) else None
        found = map(read_index, listed if isinstance(listed, list) else ())
        roots = [node for node in found if node is not None and node < len(tree)]
        members[np.array(roots, np.int64)] |= 1 << bit
    for level in tree.levels[1:]:
        members[level] |= members[tree.parents[level]]
    return members


def _violated(world: World, joints: list[Joint]) -> Iterator[Finding]:
    """Measure the hard limits of all joints at the start; those of one description at once."""
    if not joints:
        return
    place, turn = world.placement.translation, world.placement.rotation
    a, b = [joint.frame_a for joint in joints], [joint.frame_b for joint in joints]
    start = relative(place[a], turn[a], place[b], turn[b])
    sharing: dict[int, list[int]] = {}
    for index, joint in enumerate(joints):
        sharing.setdefault(id(joint.limits), []).append(index)
    for users in sharing.values():
        seen = Relative(start.position[users], start.rotation[users])
        for limit in joints[users[0]].limits:
            if math.isinf(limit.stiffness):
                yield from _broken(limit, seen, (joints[user] for user in users))


def _broken(limit: Limit, start: Relative, joints: Iterable[Joint]) -> Iterator[Finding]:
    values = measure(limit, start.position, start.rotation)
    if len(limit.angular_axes) == 1:
        values = nearest_turn(values, limit.minimum, limit.maximum)
    excess = violation(values, limit.minimum, limit.maximum)
    unit = "m" if limit.linear_axes else "rad"
    if not (excess > TOLERANCE[unit]).any():
        return
    for joint, value, amount in zip(joints, values.tolist(), excess.tolist(), strict=True):
        if amount > TOLERANCE[unit]:
            bounds = f"{limit.minimum:g} to {limit.maximum:g}"
            message = f"limit {limit.index} starts {amount:.3g} {unit} out of bounds:"
            message += f" {value:.3g} is not in {bounds}"
            remedy = "the joint will snap into place: move one of its frames"
            yield finding("PHYSICS_JOINT_STARTS_VIOLATED", joint.pointer, message, remedy)

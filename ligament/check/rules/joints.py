"""Joints: what they connect, how heavy it is, and whether their limits hold at the start."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ligament.check.codes import finding
from ligament.check.subject import Subject
from ligament.check.world import World
from ligament.extensions.declarations import Joint, Limit, MotionKind
from ligament.findings import Finding
from ligament.gltf.references import read_index
from ligament.physics.metrics import Relative, measure, nearest_turn, relative, violation

Floats: TypeAlias = npt.NDArray[np.float64]

HEAVIER = 1_000.0
"""A mass ratio across a joint that solvers no longer handle well."""

TOLERANCE = {"m": 1e-3, "rad": math.radians(0.5)}
"""How far a limit may be broken at the start: what rounding in files and solvers amounts to."""


def joint_rules(subject: Subject) -> Iterator[Finding]:
    """Yield joints that do nothing, snap at the start, or connect what is too unlike."""
    world = subject.world
    if world is None or not world.physics.joints:
        return
    outside = set(_outside_scene(subject))
    for joint in world.physics.joints.values():
        if joint.node in outside:
            message, remedy = "no scene holds both of its ends", "join nodes of one scene"
            yield finding("PHYSICS_JOINT_OUTSIDE_SCENE", joint.pointer, message, remedy)
        else:
            yield from _ends(world, joint)
    yield from _violated(world, [j for j in world.physics.joints.values() if j.node not in outside])


def _ends(world: World, joint: Joint) -> Iterator[Finding]:
    bodies = [int(world.owner[node]) for node in (joint.body_a, joint.body_b)]
    kinds = [world.kind(node) for node in (joint.body_a, joint.body_b)]
    if MotionKind.DYNAMIC not in kinds:
        message = "neither end can be moved by forces, so the joint does nothing"
        yield finding(
            "PHYSICS_JOINT_WITHOUT_MOTION", joint.pointer, message, "give one end a motion"
        )
    elif bodies[0] == bodies[1]:
        message = f"both ends belong to {world.tree.label(bodies[0])}"
        yield finding("PHYSICS_JOINT_SAME_BODY", joint.pointer, message, "join two bodies")
    elif kinds == [MotionKind.DYNAMIC, MotionKind.DYNAMIC]:
        masses = [world.mass(body) for body in bodies]
        if all(0 < mass < math.inf for mass in masses) and max(masses) > HEAVIER * min(masses):
            message = f"it connects {masses[0]:g} kg to {masses[1]:g} kg"
            remedy = f"keep masses within {HEAVIER:,.0f} times each other"
            yield finding("PHYSICS_MASS_RATIO", joint.pointer, message, remedy)


def _outside_scene(subject: Subject) -> Iterator[int]:
    """Yield the nodes of joints that take part in a scene without their other end."""
    scenes = _scenes(subject)
    if scenes is None:
        return
    for joint in subject.physics.joints.values():
        taking_part = scenes[joint.node]
        for node in (joint.body_a, joint.frame_a, joint.body_b, joint.frame_b):
            taking_part &= scenes[node]
        if scenes[joint.node] and not taking_part:
            yield joint.node


def _scenes(subject: Subject) -> list[frozenset[int]] | None:
    """Return the scenes that every node is in; None where there are none: then all take part."""
    tree, listed = subject.tree, dict[int, set[int]]()
    if tree is None or not subject.array("scenes"):
        return None
    for index, scene in enumerate(subject.array("scenes")):
        roots = scene.get("nodes") if isinstance(scene, dict) else None
        for raw in roots if isinstance(roots, list) else ():
            node = read_index(raw)
            if node is not None and node < len(tree):
                listed.setdefault(node, set()).add(index)
    result: list[frozenset[int]] = [frozenset()] * len(tree)
    parents = tree.parents.tolist()
    for level in tree.levels:
        for node in level.tolist():
            above = result[parents[node]] if parents[node] >= 0 else frozenset()
            result[node] = above | listed[node] if node in listed else above
    return result


def _violated(world: World, joints: list[Joint]) -> Iterator[Finding]:
    """Measure the hard limits of all joints at the start; those of one description at once."""
    if not joints:
        return
    place, turn = world.placement.translation, world.placement.rotation
    a, b = ([getattr(joint, name) for joint in joints] for name in ("frame_a", "frame_b"))
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

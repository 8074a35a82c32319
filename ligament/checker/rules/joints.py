"""Rules about joints: their ends, their masses, and limits violated at the start."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from ligament.arrays import Bools, Ints
from ligament.checker.subject import Subject
from ligament.checker.world import Joints, World, alike
from ligament.extensions.rigid_bodies import Limit
from ligament.findings import Finding, finding, scenes
from ligament.gltf.animation import Clip, animated_nodes, sample_pose
from ligament.gltf.references import read_index
from ligament.gltf.tree import NodeTree
from ligament.physics.animated_joints import fought_joints
from ligament.physics.metrics import Relative, measure, nearest_turn, relative, violation

MAX_MASS_RATIO = 1_000.0
"""Mass ratio across a joint above which solvers lose accuracy."""

BITS = 62
"""Scenes processed together."""

TOLERANCE = {"m": 1e-3, "rad": math.radians(0.5)}
"""Violation of a limit at the start that rounding in files and solvers explains."""


def joint_rules(subject: Subject) -> Iterator[Finding]:
    """Yield joints that do nothing, snap at the start, or connect very different masses."""
    world = subject.world
    if world is None or not subject.physics.joints:
        return
    outside = _outside_scene(subject, world.tree, subject.joints)
    for index in np.flatnonzero(outside).tolist():
        message, remedy = "no scene contains both of its ends", "join nodes of one scene"
        pointer = subject.joints.joints[index].pointer
        yield finding("PHYSICS_JOINT_OUTSIDE_SCENE", pointer, message, remedy)
    inside = subject.joints.only(~outside)
    yield from _ends(world, inside)
    yield from _violated(world, inside)
    yield from _fought(subject, world)
    yield from _static_sides(world, inside)


def _ends(world: World, connected: Joints) -> Iterator[Finding]:
    joints, a, b = connected.joints, connected.body_a, connected.body_b
    body_a, body_b = world.owner[a], world.owner[b]
    # An animation that leads both ends can be left out; what the text asks for is a motion.
    still = ~world.can_be_moved[a] & ~world.can_be_moved[b]
    same = (body_a == body_b) & ~still
    mass_a, mass_b = world.mass[body_a], world.mass[body_b]
    known = np.isfinite(mass_a) & np.isfinite(mass_b) & (mass_a > 0) & (mass_b > 0)
    both = world.dynamic[a] & world.dynamic[b] & known & ~same
    unlike = both & (np.maximum(mass_a, mass_b) > MAX_MASS_RATIO * np.minimum(mass_a, mass_b))
    for index in np.flatnonzero(still).tolist():
        yield scenes.joint_without_motion(joints[index].pointer)
    for index in np.flatnonzero(same).tolist():
        body = world.tree.label(int(body_a[index]))
        yield scenes.joint_within_body(joints[index].pointer, body)
    for index in np.flatnonzero(unlike).tolist():
        message = f"it connects {mass_a[index]:g} kg to {mass_b[index]:g} kg"
        remedy = f"keep masses within {MAX_MASS_RATIO:,.0f} times each other"
        yield finding("PHYSICS_MASS_RATIO", joints[index].pointer, message, remedy)


def _static_sides(world: World, connected: Joints) -> Iterator[Finding]:
    """Name the static colliders whose contacts with a body a joint switches off."""
    movable, owner = world.can_be_moved, world.owner
    mixed = (movable[connected.body_a] & (owner[connected.body_b] < 0)) | (
        movable[connected.body_b] & (owner[connected.body_a] < 0)
    )
    for index in np.flatnonzero(mixed).tolist():
        joint = connected.joints[index]
        if joint.enable_collision:
            continue
        sides = world.sides(joint)
        body, static = sides if owner[joint.body_a] >= 0 else sides[::-1]
        if static:
            label = world.tree.label
            names = ", ".join(label(node) for node in static)
            message = (
                f"{label(body[0])} does not collide with {names}, the static side of the joint"
            )
            remedy = "set enableCollision if they should collide"
            yield finding("PHYSICS_JOINT_CONTACTS_OFF", joint.pointer, message, remedy)


def _outside_scene(subject: Subject, tree: NodeTree, joints: Joints) -> Bools:
    """Return which joints (J,) are in a scene that lacks their other end."""
    scenes = subject.array("scenes")
    separated, taking_part = np.full(len(joints), bool(scenes)), np.zeros(len(joints), bool)
    for first in range(0, len(scenes), BITS):
        members = _members(subject, range(first, min(first + BITS, len(scenes))), tree)
        if (members == members[0]).all():  # the usual case: all nodes are in one scene
            separated &= members[0] == 0
            continue
        ends = members[joints.ends]
        taking_part |= ends[:, 0] != 0
        separated &= np.bitwise_and.reduce(ends, axis=1) == 0
    return separated & taking_part


def _members(subject: Subject, scenes: range, tree: NodeTree) -> Ints:
    """Return the scenes that contain every node (N,), one bit each."""
    members = np.zeros(len(tree), np.int64)
    for bit, scene in enumerate(scenes):
        members[_roots(subject, scene, tree)] |= 1 << bit
    for level in tree.levels[1:]:
        members[level] |= members[tree.parents[level]]
    return members


def _roots(subject: Subject, index: int, tree: NodeTree) -> Ints:
    """Return the valid nodes that a scene lists."""
    scene = subject.array("scenes")[index]
    listed = scene.get("nodes") if isinstance(scene, dict) else None
    nodes = listed if isinstance(listed, list) else []
    if index not in subject.sound_scenes:
        found = map(read_index, nodes)
        nodes = [node for node in found if node is not None and node < len(tree)]
    return np.array(nodes, np.int64)


def _violated(world: World, joints: Joints) -> Iterator[Finding]:
    """Measure the hard limits of all joints at the start, batched by description."""
    place, turn = world.placement.translation, world.placement.rotation
    a, b = joints.frame_a, joints.frame_b
    start = relative(place[a], turn[a], place[b], turn[b])
    for limits, users in alike([joint.limits for joint in joints.joints]):
        seen = Relative(start.position[users], start.rotation[users])
        for limit in limits:
            if math.isinf(limit.stiffness):
                for at, message in _broken(limit, seen):
                    pointer = joints.joints[users[at]].pointer
                    remedy = "the joint will snap into place: move one of its frames"
                    yield finding("PHYSICS_JOINT_STARTS_VIOLATED", pointer, message, remedy)


def _fought(subject: Subject, world: World) -> Iterator[Finding]:
    """Find joints that an animation fights, for each animation alone."""
    for clip in subject.clips:
        if isinstance(clip, Clip):
            moved = animated_nodes([clip]).moved
            sample = partial(sample_pose, world.tree, [clip])
            yield from fought_joints(world.tree, [clip], moved, subject.physics, sample)


def _broken(limit: Limit, start: Relative) -> Iterator[tuple[int, str]]:
    """Yield the pointers of limits that are violated at the start, and by how much."""
    values = measure(limit, start.position, start.rotation)
    if len(limit.angular_axes) == 1:
        values = nearest_turn(values, limit.minimum, limit.maximum)
    excess = violation(values, limit.minimum, limit.maximum)
    unit = "m" if limit.linear_axes else "rad"
    for at in np.flatnonzero(excess > TOLERANCE[unit]).tolist():
        bounds = f"{limit.minimum:g} to {limit.maximum:g}"
        message = f"limit {limit.index} starts {excess[at]:.3g} {unit} out of bounds:"
        message += f" {values[at]:.3g} is not in {bounds}"
        yield at, message

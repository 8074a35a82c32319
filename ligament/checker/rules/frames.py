"""Rules about frames that uneven scales above them distort: bodies and joint frames."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ligament.arrays import Bools, Ints
from ligament.checker.subject import Subject
from ligament.checker.world import Joints, World
from ligament.extensions.rigid_bodies import Motion, MotionKind
from ligament.findings import Finding, finding
from ligament.physics.placement import is_even

LEAN_MAX = math.radians(0.1)
"""Angle between a drawn axis and that of a frame that rounding in files explains."""


def frame_rules(subject: Subject) -> Iterator[Finding]:
    """Yield bodies and joint frames that no local rotation draws as they are simulated."""
    if subject.world is not None:
        yield from _deformed(subject.world)
        yield from _leaning(subject.world, subject.joints)


def _deformed(world: World) -> Iterator[Finding]:
    """Find bodies that may rotate below a non-uniform scale."""
    bodies = world.bodies
    parents = world.tree.parents[bodies.nodes]
    uneven = (parents >= 0) & ~is_even(world.placement.stretch[parents])
    for index in np.flatnonzero(uneven & ~world.driven[bodies.nodes]).tolist():
        motion = bodies.motions[index]
        if _may_rotate(motion):
            label = world.tree.label(motion.node)
            message = f"{label} is below a non-uniform scale, and is drawn deformed as it rotates"
            remedy = "use a uniform scale above it, and scale its meshes and shapes instead"
            yield finding("PHYSICS_BODY_DEFORMED", motion.pointer, message, remedy)


def _may_rotate(motion: Motion) -> bool:
    moments = (0.0,) if motion.inertia_diagonal is None else motion.inertia_diagonal
    is_free = motion.kind is MotionKind.DYNAMIC and not np.isinf(moments).all()
    return is_free or (motion.kind is not MotionKind.STATIC and any(motion.angular_velocity))


def _leaning(world: World, joints: Joints) -> Iterator[Finding]:
    """Find joint frames whose axes are not at right angles as they are drawn."""
    leaning = {int(node) for node in _sheared(world, np.unique(joints.ends))}
    for joint in joints.joints if leaning else ():
        for node in dict.fromkeys((joint.frame_a, joint.frame_b)):
            if node in leaning:
                label = world.tree.label(node)
                message = f"the axes of {label} are sheared by the scales above it"
                remedy = "the joint uses them without scale: use uniform scales above its frames"
                yield finding("PHYSICS_FRAME_SHEARED", joint.pointer, message, remedy)


def _sheared(world: World, nodes: Ints) -> Ints:
    """Return the nodes whose axes, as drawn, are not those of their frames or the opposite."""
    columns = world.placement.stretch[nodes]
    lengths = np.linalg.norm(columns, axis=-2)
    along = np.abs(np.diagonal(columns, axis1=-2, axis2=-1))
    leans: Bools = (along < math.cos(LEAN_MAX) * lengths).any(axis=-1)
    return np.asarray(nodes[leans])

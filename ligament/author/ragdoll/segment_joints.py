"""Joints of a ragdoll: two frames each, and the limits between them.

Both frames coincide where the segment is in the middle of its range and untwisted, whatever the
rest pose. A rest pose outside the range widens it, so that nothing moves by itself at the
start.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.author.ragdoll.anatomy import Anatomy, Part
from ligament.author.ragdoll.anthropometry import JointRange
from ligament.author.ragdoll.segment_shapes import axis_of
from ligament.extensions.rigid_bodies import Drive, Limit
from ligament.physics.metrics import cone, relative, twist

COINCIDENT = Limit(linear_axes=(0, 1, 2), minimum=0.0, maximum=0.0)
ALONG, ACROSS = (0,), (1, 2)
"""Frames have X along the segment, or along the axis of a hinge."""

CLEAR_BEND = math.radians(8.0)
"""A limb bent by more than this at rest defines the axis of its hinge."""

ROOM = math.radians(1.0)
"""Margin [rad] added beyond the rest pose when it widens the range."""

TWIST_DAMPING = 3.0
"""Ratio of the damping of twist to that of bending: twist wrings skin and muscle, and the inertia
of a hand about its axis is so small that an impact would rotate it past its limit within a step."""

ROUNDING = 1e-4
"""A rest pose outside the range by less than this [rad] counts as inside."""


class SegmentJoint(NamedTuple):
    """A joint: the rotations (4,) of both frames in the world, at rest, and its limits."""

    rotation_a: Floats
    rotation_b: Floats
    limits: tuple[Limit, ...]
    is_widened: bool


def segment_joint(anatomy: Anatomy, part: Part, joint_range: JointRange) -> SegmentJoint:
    """Compute the joint between a part and its parent."""
    make = _hinge if joint_range.is_hinge else _cone
    first, second = make(anatomy, part, joint_range)
    turn = relative(np.zeros(3), first, np.zeros(3), second).rotation
    low, high = _opened((-math.pi, math.pi), joint_range.twist, float(twist(turn, 0)))
    around = Limit(angular_axes=ALONG, minimum=low, maximum=high)
    if joint_range.swing is None:
        stiff = Limit(angular_axes=ACROSS, minimum=0.0, maximum=0.0)
        return SegmentJoint(
            first, second, (COINCIDENT, stiff, around), _is_other(around, joint_range.twist)
        )
    _, most = _opened((0.0, math.pi), (0.0, joint_range.swing), float(cone(turn, 0)))
    swing = Limit(angular_axes=ACROSS, minimum=0.0, maximum=most)
    widened = _is_other(around, joint_range.twist) or _is_other(swing, (0.0, joint_range.swing))
    return SegmentJoint(first, second, (COINCIDENT, swing, around), widened)


def _opened(
    ends: tuple[float, float], degrees: tuple[float, float], value: float
) -> tuple[float, float]:
    """Return a range [rad] widened to include a value, within the limits of the metric."""
    low, high = (math.radians(bound) for bound in degrees)
    if value < low - ROUNDING:
        low = max(value - ROOM, ends[0])
    if value > high + ROUNDING:
        high = min(value + ROOM, ends[1])
    return low, high


def _is_other(limit: Limit, degrees: tuple[float, float]) -> bool:
    return (limit.minimum, limit.maximum) != tuple(math.radians(bound) for bound in degrees)


def damping_drives(joint_range: JointRange, damping: float) -> tuple[Drive, ...]:
    """Make the drives that damp rotation [N m s/rad], as flesh and sinews do."""
    if joint_range.is_hinge:
        return (_damper(ALONG[0], damping),)
    return _damper(ALONG[0], TWIST_DAMPING * damping), *(_damper(axis, damping) for axis in ACROSS)


def _damper(axis: int, damping: float) -> Drive:
    return Drive(type="angular", mode="force", axis=axis, damping=damping)


def _cone(anatomy: Anatomy, part: Part, joint_range: JointRange) -> tuple[Floats, Floats]:
    center, along = np.array(joint_range.center), np.array(part.segment.direction)
    middle = tf.between(np.array([1.0, 0.0, 0.0]), center / np.linalg.norm(center))
    posed = tf.multiply(tf.between(center, along), middle)
    first = tf.multiply(anatomy.frame[_parent_bone(anatomy, part)], middle)
    return np.asarray(first), np.asarray(tf.multiply(anatomy.frame[part.bone], posed))


def _hinge(anatomy: Anatomy, part: Part, joint_range: JointRange) -> tuple[Floats, Floats]:
    """Place a hinge across the limb; its angle is 0 where both segments are collinear."""
    above = anatomy.parts[part.parent or ""]
    upper, lower = (_unit(axis_of(anatomy, piece)) for piece in (above, part))
    usual = np.asarray(tf.rotate(anatomy.frame[above.bone], np.array(joint_range.center)))
    axis = _unit(usual - (usual @ upper) * upper)
    bend = np.cross(upper, lower)
    if np.linalg.norm(bend) > math.sin(CLEAR_BEND) and abs(_unit(bend) @ axis) > 0.5:
        axis = _unit(bend) * np.sign(bend @ axis)
    angle = math.atan2(float(np.cross(upper, lower) @ axis), float(upper @ lower))
    first = np.asarray(tf.between(np.array([1.0, 0.0, 0.0]), axis))
    turn = np.append(axis * math.sin(angle / 2), math.cos(angle / 2))
    return first, np.asarray(tf.multiply(turn, first))


def _parent_bone(anatomy: Anatomy, part: Part) -> str:
    return anatomy.parts[part.parent or ""].bone


def _unit(vector: Floats) -> Floats:
    return np.asarray(vector / np.linalg.norm(vector))

"""Joint limits as lines in frame A, true to the metric that they bound.

The lines bound where frame B may go. A linear limit shows the position of B's origin at its bounds:
the ends of a rod, a ring, a sphere. An angular limit shows the direction of one of B's axes at its
bounds: the spokes of a sector, a cone, and for the total rotation angle one sector about every
axis.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.drawing.geometry import chain, circle
from ligament.extensions.rigid_bodies import Limit
from ligament.physics.metrics import Relative

STEPS = 48
"""Points of a full circle."""

TICK = 0.15
"""Half the length of the cross at the end of a rod, relative to the drawn size."""

NEEDLE = 1.15
"""Length of the line that shows an angle, relative to the radius of its bounds."""

FARTHEST = 1e6
"""Bounds [m] beyond this are drawn as if there were none."""

SPOKES = 8
"""Lines from the tip of a cone to its rim."""


def boundary(limit: Limit, bound: float) -> Relative:
    """Return poses of frame B in frame A (K, …) whose metric equals a bound.

    They are those that are drawn: for a limit about all axes, rotations about single axes.
    """
    if limit.linear_axes:
        position = _linear(limit.linear_axes, bound)
        return Relative(position, np.tile([0.0, 0.0, 0.0, 1.0], (len(position), 1)))
    rotation = _angular(limit.angular_axes, bound)
    return Relative(np.zeros((len(rotation), 3)), rotation)


def limit_lines(limit: Limit, *, size: float, reach: float) -> Floats:
    """Draw a limit as lines (S, 2, 3) [m] in frame A.

    `size` [m] is the radius of angles; `reach` [m] the drawn length of an unbounded rod. A limit
    that locks its axes, or bounds nothing, has no lines.
    """
    axes = limit.linear_axes or limit.angular_axes
    if limit.linear_axes:
        lines = _rod(limit, size, reach) if len(axes) == 1 else _shells(limit)
    elif len(axes) == 1:
        lines = _sector(axes[0], limit.minimum, limit.maximum, size)
    elif len(axes) == 2:
        lines = _cones(limit, size)
    else:
        lines = _ball_sectors(limit, size)
    return np.concatenate([np.zeros((0, 2, 3)), *lines])


def joint_lines(limits: Iterable[Limit], *, size: float, reach: float) -> Floats:
    """Draw all limits of a joint (S, 2, 3) [m] in frame A."""
    drawn = [limit_lines(limit, size=size, reach=reach) for limit in limits]
    return np.concatenate([np.zeros((0, 2, 3)), *drawn])


def value_lines(limits: Iterable[Limit], *, size: float, reach: float) -> Floats:
    """Draw the values of limits (S, 2, 3) [m] in frame B: what their bounds bound.

    It is the axis of B that goes from spoke to spoke, or a cross at its origin.
    """
    lines = [np.zeros((0, 2, 3))]
    for limit in limits:
        if not len(limit_lines(limit, size=size, reach=reach)):
            continue
        if limit.linear_axes:
            arm = TICK * size * np.eye(3)
            lines.append(np.stack([-arm, arm], axis=1))
        else:
            axes = limit.angular_axes
            shown = [(axes[0] + 1) % 3] if len(axes) == 1 else [_third(axes)]
            shown = [0, 1, 2] if len(axes) == 3 else shown
            tips = NEEDLE * size * np.eye(3)[shown]
            lines.append(np.stack([np.zeros_like(tips), tips], axis=1))
    return np.concatenate(lines)


# --- poses at the bounds ---


def _linear(axes: tuple[int, ...], bound: float) -> Floats:
    if len(axes) == 1:
        return np.asarray(np.eye(3)[axes[0]][None] * bound)
    if len(axes) == 2:
        return circle(_third(axes), bound, around=STEPS)
    return np.concatenate([circle(axis, bound, around=STEPS) for axis in range(3)])


def _angular(axes: tuple[int, ...], bound: float) -> Floats:
    if len(axes) == 1:
        return _rotation(np.eye(3)[axes[0]], np.array([bound]))
    if len(axes) == 2:
        return _rotation(circle(_third(axes), 1.0, around=STEPS), np.full(STEPS, bound))
    directions = np.concatenate([np.eye(3), -np.eye(3)])
    return _rotation(directions, np.full(6, bound))


def _rotation(axis: Floats, angle: Floats) -> Floats:
    return np.asarray(tf.from_axis_angle(np.broadcast_to(axis, (len(angle), 3)), angle))


def _third(axes: tuple[int, ...]) -> int:
    return 3 - sum(axes)


# --- lines ---


def _rod(limit: Limit, size: float, reach: float) -> list[Floats]:
    axis = limit.linear_axes[0]
    bounds = (limit.minimum, limit.maximum)
    ends = [b if abs(b) < FARTHEST else math.copysign(reach, b) for b in bounds]
    if ends[0] >= ends[1]:
        return []
    places = np.eye(3)[axis] * np.array(ends)[:, None]
    lines = [chain(places)]
    for place, bound in zip(places, bounds, strict=True):
        if abs(bound) < FARTHEST:
            cross = TICK * size * np.eye(3)[[(axis + 1) % 3, (axis + 2) % 3]]
            lines.append(np.stack([place - cross, place + cross], axis=1))
    return lines


def _finite(bound: float, otherwise: float) -> float:
    return bound if math.isfinite(bound) else otherwise


def _shells(limit: Limit) -> list[Floats]:
    """Draw rings (two axes) or spheres (three) at bounds above 0."""
    bounds = {limit.minimum, limit.maximum}
    rings = [
        boundary(limit, bound).position.reshape(-1, STEPS, 3)
        for bound in sorted(bounds)
        if 0 < bound < FARTHEST
    ]
    return [chain(ring, closed=True) for shell in rings for ring in shell]


def _sector(axis: int, low: float, high: float, size: float) -> list[Floats]:
    """Draw the arc that the next axis of B may sweep about an axis of A, with its spokes."""
    bounds = [bound for bound in (low, high) if math.isfinite(bound)]
    if low >= high or not bounds:
        return []
    start, end = _finite(low, high - math.pi), _finite(high, low + math.pi)
    is_whole = end - start >= 2 * math.pi
    start, end = (-math.pi, math.pi) if is_whole else (start, end)
    angle = np.linspace(start, end, max(2, math.ceil((end - start) / (2 * math.pi) * STEPS)) + 1)
    arc = size * _swept(axis, angle)
    tips = size * _swept(axis, np.array([] if is_whole else bounds))
    return [chain(arc), np.stack([np.zeros_like(tips), tips], axis=1)]


def _swept(axis: int, angle: Floats) -> Floats:
    """Return the direction (K, 3) of the axis after `axis` under rotations about `axis`."""
    return _pointed(_rotation(np.eye(3)[axis], angle), (axis + 1) % 3)


def _pointed(rotation: Floats, axis: int) -> Floats:
    """Return the direction of an axis of B (K, 3)."""
    return np.asarray(tf.rotate(rotation, np.eye(3)[axis]))


def _cones(limit: Limit, size: float) -> list[Floats]:
    axis = _third(limit.angular_axes)
    lines = []
    for bound in sorted({limit.minimum, limit.maximum}):
        if 0 < bound < math.pi:
            rim = size * _pointed(boundary(limit, bound).rotation, axis)
            tips = rim[:: STEPS // SPOKES]
            lines += [chain(rim, closed=True), np.stack([np.zeros_like(tips), tips], axis=1)]
    return lines


def _ball_sectors(limit: Limit, size: float) -> list[Floats]:
    bound = limit.maximum
    if not 0 < bound < math.pi:
        return []
    return [line for axis in range(3) for line in _sector(axis, -bound, bound, size)]

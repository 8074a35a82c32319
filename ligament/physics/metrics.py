"""Metrics of joint limits, as KHR_physics_rigid_bodies defines them, and their gradients.

Frame B is seen from frame A: `position` (..., 3) [m] is where B's origin lies along A's axes,
`rotation` (..., 4) is q_a* q_b. Leading axes are free (frames, joints, frames and joints). One
axis gives a signed value, two give a distance from the third axis or the angle of a cone around
it, three give a distance or the angle of the whole rotation.

A gradient (..., 3) says how the value changes with the motion of B in A's axes: per metre of
displacement for linear metrics, per radian of a small further rotation δ (q → exp(δ)·q) for
angular ones. Value and gradient of every metric are exact; where there is no gradient (at the
centre of a distance or cone, at a swing of half a turn for twist) the caller's last one counts.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ligament.arrays import Bools, Floats
from ligament.transforms import conjugate, multiply, rotate

_TURN = 2 * math.pi

COUNTED: Final = 3.0
"""Bounds [rad] beyond which whole turns are counted: past π, a twist changes its sign."""

SAME_TURN: Final = 0.01
"""By how much less [rad] another turn must violate the bounds: beyond rounding in files."""

_NO_LENGTH = 1e-9
"""Distance [m] below which its direction is noise; also the sine of such an angle."""

_NO_TWIST = 1e-12
"""w² + v_i² below which the swing is half a turn and twist is undefined."""


class Axes(Protocol):
    """Axes that a metric measures: exactly one of the two lists has one to three (0 to 2)."""

    @property
    def linear_axes(self) -> tuple[int, ...]:
        """Axes of frame A along which the position counts."""

    @property
    def angular_axes(self) -> tuple[int, ...]:
        """Axes of frame A about which the rotation counts."""

    @property
    def free_axis(self) -> int | None:
        """The axis whose swing about a single axis is measured, instead of twist about that."""


class Relative(NamedTuple):
    """Frame B relative to A: position (..., 3) [m] along A's axes, rotation q_a* q_b (..., 4)."""

    position: Floats
    rotation: Floats


class Rates(NamedTuple):
    """Motion of frame B relative to frame A, (..., 3) each [m/s, rad/s]."""

    linear_velocity: Floats
    angular_velocity: Floats


def relative(
    translation_a: npt.ArrayLike,
    rotation_a: npt.ArrayLike,
    translation_b: npt.ArrayLike,
    rotation_b: npt.ArrayLike,
) -> Relative:
    """Return frame B relative to A, from world translations (..., 3) and rotations (..., 4).

    The rotation comes with w ≥ 0, so that equal poses have equal quaternions.
    """
    inverse = conjugate(np.asarray(rotation_a, dtype=np.float64))
    offset = np.subtract(translation_b, translation_a)
    return Relative(rotate(inverse, offset), shortest(multiply(inverse, rotation_b)))


def relative_rates(rotation_a: Floats, offset: Floats, moving_a: Rates, moving_b: Rates) -> Rates:
    """Return the motion of frame B in the rotating frame A, from both origins' world motions.

    `offset` (..., 3) [m] is t_b − t_a in the world: as A turns, what stands still in the world
    moves in A.
    """
    inverse = conjugate(rotation_a)
    carried = moving_a.linear_velocity + np.cross(moving_a.angular_velocity, offset)
    return Rates(
        rotate(inverse, moving_b.linear_velocity - carried),
        rotate(inverse, moving_b.angular_velocity - moving_a.angular_velocity),
    )


def shortest(rotation: npt.ArrayLike) -> Floats:
    """Return the same rotations (..., 4) with w ≥ 0."""
    q = np.asarray(rotation, dtype=np.float64)
    return np.where(q[..., 3:] < 0, -q, q)


def measure(limit: Axes, position: npt.ArrayLike, rotation: npt.ArrayLike) -> Floats:
    """Return the metric's value (...) [m or rad]; a signed twist lies in (−π, π].

    >>> from ligament.extensions.rigid_bodies import Limit
    >>> float(measure(Limit(linear_axes=(0, 2)), [3, 7, 4], [0, 0, 0, 1]))
    5.0
    """
    return measure_shortest(limit, np.asarray(position, dtype=np.float64), shortest(rotation))


def measure_shortest(limit: Axes, position: Floats, rotation: Floats) -> Floats:
    """Return the same for rotations with w ≥ 0."""
    q = rotation
    if limit.linear_axes:
        return distance(position, limit.linear_axes)
    match limit.angular_axes:
        case (axis,) if limit.free_axis is not None:
            return swing(q, axis, limit.free_axis)
        case (axis,):
            return twist(q, axis)
        case (i, j):
            return cone(q, 3 - i - j)
        case _:
            return angle(q)


def gradient(
    limit: Axes,
    position: npt.ArrayLike,
    rotation: npt.ArrayLike,
    last: npt.ArrayLike | None = None,
) -> Floats:
    """Return the metric's gradient (..., 3); where undefined, `last` (..., 3) or the first axis."""
    axes = limit.linear_axes or limit.angular_axes
    kept = np.eye(3)[axes[0]] if last is None else np.asarray(last, dtype=np.float64)
    at = np.asarray(position, dtype=np.float64)
    return gradient_shortest(limit, at, shortest(rotation), kept)


def gradient_shortest(limit: Axes, position: Floats, rotation: Floats, kept: Floats) -> Floats:
    """Return the same for rotations with w ≥ 0; `kept` (..., 3) replaces missing gradients."""
    axes, q = limit.linear_axes or limit.angular_axes, rotation
    if limit.linear_axes:
        return distance_gradient(position, axes, kept)
    match axes:
        case (axis,) if limit.free_axis is not None:
            return swing_gradient(q, axis, limit.free_axis, kept)
        case (axis,):
            return twist_gradient(q, axis, kept)
        case (i, j):
            return cone_gradient(q, 3 - i - j, kept)
        case _:
            return _direction(q[..., :3], kept)


def distance(position: Floats, axes: tuple[int, ...]) -> Floats:
    """Return the signed coordinate along one axis, or the length along several [m]."""
    if len(axes) == 1:
        return np.asarray(position[..., axes[0]])
    return _length(position[..., list(axes)])


def distance_gradient(position: Floats, axes: tuple[int, ...], last: Floats) -> Floats:
    """Return unit vectors (..., 3): the axis itself, or the direction along several axes."""
    if len(axes) == 1:
        return np.broadcast_to(np.eye(3)[axes[0]], position.shape)
    mask = np.isin(np.arange(3), axes)
    return _direction(np.where(mask, position, 0.0), last)


def twist(rotation: Floats, axis: int) -> Floats:
    """Return the signed twist [rad] in (−π, π] about an axis; rotations have w ≥ 0."""
    value = 2 * np.arctan2(rotation[..., axis], rotation[..., 3])
    return np.where(value <= -math.pi, math.pi, value)


def twist_gradient(rotation: Floats, axis: int, last: Floats) -> Floats:
    """Return the gradient of the twist: halfway between both axes, 1/cos(swing/2) long."""
    i, j, k = axis, (axis + 1) % 3, (axis + 2) % 3
    w, v = rotation[..., 3], rotation[..., :3]
    square = w * w + v[..., i] * v[..., i]
    lost = square < _NO_TWIST
    safe = np.where(lost, 1.0, square)
    slope = np.ones_like(v)
    slope[..., j] = (v[..., i] * v[..., j] + w * v[..., k]) / safe
    slope[..., k] = (v[..., i] * v[..., k] - w * v[..., j]) / safe
    return np.where(lost[..., None], last, slope)


def swing(rotation: Floats, axis: int, free: int) -> Floats:
    """Return the signed part about one axis [rad] in [−π, π] of another axis's swing.

    The swing is the shortest rotation that takes the free axis of A to that of B, whatever the
    twist about it; its part about an axis is its twist about that: 2 atan(v_i / w).
    """
    across, along = _swung(rotation, axis, free)
    return np.asarray(2 * np.arctan2(across, along))


def swing_gradient(rotation: Floats, axis: int, free: int, last: Floats) -> Floats:
    """Return the gradient of the swing, perpendicular to the free axis of B."""
    across, along = _swung(rotation, axis, free)
    basis = np.eye(3)
    swung = rotate(rotation, np.broadcast_to(basis[free], rotation[..., :3].shape))
    square = across * across + along * along
    lost = square < _NO_TWIST
    slope = along[..., None] * np.cross(swung, np.cross(basis[axis], basis[free]))
    slope = slope - across[..., None] * np.cross(swung, basis[free])
    return np.where(lost[..., None], last, 2 * slope / np.where(lost, 1.0, square)[..., None])


def _swung(rotation: Floats, axis: int, free: int) -> tuple[Floats, Floats]:
    """Return twice v_i w and w² of the swing: from where the free axis of B points in A."""
    basis = np.eye(3)
    swung = rotate(rotation, np.broadcast_to(basis[free], rotation[..., :3].shape))
    return np.asarray(swung @ np.cross(basis[axis], basis[free])), np.asarray(1 + swung[..., free])


def cone(rotation: Floats, axis: int) -> Floats:
    """Return the angle [rad] in [0, π] between the axis in A and in B."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    across = np.hypot(rotation[..., i], rotation[..., j])
    return 2 * np.arctan2(across, np.hypot(rotation[..., axis], rotation[..., 3]))


def cone_gradient(rotation: Floats, axis: int, last: Floats) -> Floats:
    """Return unit vectors (..., 3) across the axis in A and in B, about which the cone opens."""
    i, j, k = (axis + 1) % 3, (axis + 2) % 3, axis
    w, v = rotation[..., 3], rotation[..., :3]
    across = np.zeros_like(v)
    # e_k × (q e_k) without its factor 2.
    across[..., i] = w * v[..., i] - v[..., j] * v[..., k]
    across[..., j] = w * v[..., j] + v[..., i] * v[..., k]
    return _direction(across, last)


def angle(rotation: Floats) -> Floats:
    """Return the angle [rad] in [0, π] of the whole rotation; rotations have w ≥ 0."""
    return 2 * np.arctan2(_length(rotation[..., :3]), rotation[..., 3])


def unwrap(values: npt.ArrayLike, start: npt.ArrayLike | None = None) -> Floats:
    """Return angles (F, ...) over time without jumps of a whole turn.

    Each value stays within half a turn of the one before it, the first within half a turn of
    `start` (...), which is the first value itself by default.
    """
    angles = np.asarray(values, dtype=np.float64)
    if len(angles) == 0:
        return angles
    first = angles[:1] if start is None else np.broadcast_to(start, angles[:1].shape)
    steps = np.diff(angles, axis=0, prepend=first)
    steps = steps - _TURN * np.round(steps / _TURN)
    return np.asarray(first + np.cumsum(steps, axis=0))


def continued(values: npt.ArrayLike, before: npt.ArrayLike) -> Floats:
    """Return angles (...) shifted by whole turns to within half a turn of the previous ones."""
    angles = np.asarray(values, dtype=np.float64)
    return np.asarray(angles + _TURN * np.round(np.subtract(before, angles) / _TURN))


def counts_turns(minimum: npt.ArrayLike, maximum: npt.ArrayLike) -> Bools:
    """Tell which bounds (...) of an angle are so far that whole turns count."""
    return np.asarray((np.asarray(minimum) < -COUNTED) | (np.asarray(maximum) > COUNTED))


def nearest_turn(values: npt.ArrayLike, minimum: npt.ArrayLike, maximum: npt.ArrayLike) -> Floats:
    """Return angles (...) shifted by whole turns to where they violate the bounds least.

    This is the turn in which an angle starts. Values inside stay as they are, and so do all where a
    bound is open: else what stands a hair beyond the other one would be free. For the same reason
    another turn must be better by SAME_TURN: at the lower bound of a range of a whole turn, noise
    would decide at which end it starts.
    """
    angles = np.asarray(values, dtype=np.float64)
    is_closed = np.isfinite(minimum) & np.isfinite(maximum)
    above = np.maximum(np.subtract(angles, maximum), 0.0)
    below = np.maximum(np.subtract(minimum, angles), 0.0)
    if not (is_closed & ((above > 0) | (below > 0))).any():
        return np.asarray(angles + 0.0)
    candidates = [np.zeros_like(angles)]
    for excess, sign in ((above, -1.0), (below, 1.0)):
        turns = np.where(is_closed & np.isfinite(excess), excess, 0.0) / _TURN
        candidates += [sign * np.floor(turns), sign * np.ceil(turns)]
    shifted = [angles + _TURN * turns for turns in candidates]
    misses = [violation(value, minimum, maximum) for value in shifted]
    misses[0] = misses[0] - SAME_TURN
    best = np.argmin(np.stack(misses), axis=0)
    return np.asarray(np.take_along_axis(np.stack(shifted), best[None], axis=0)[0])


def followed(values: Floats, last: Floats, bounds: Floats) -> Floats:
    """Return angles (n,) over turns: continued, or at first (NaN) nearest to bounds (n, 2)."""
    is_first = np.isnan(last)
    if not is_first.any():
        return continued(values, last)
    first = nearest_turn(values, bounds[:, 0], bounds[:, 1])
    return first if is_first.all() else np.where(is_first, first, continued(values, last))


def violation(values: npt.ArrayLike, minimum: npt.ArrayLike, maximum: npt.ArrayLike) -> Floats:
    """Return the violation (...) of bounds by values; 0 inside."""
    below, above = np.subtract(minimum, values), np.subtract(values, maximum)
    return np.asarray(np.maximum(np.maximum(below, above), 0.0))


def _length(vectors: Floats) -> Floats:
    return np.asarray(np.sqrt(np.sum(vectors * vectors, axis=-1)))


def _direction(vectors: Floats, last: Floats) -> Floats:
    """Return unit vectors, or `last` where the vectors are too short to have a direction."""
    length = _length(vectors)[..., None]
    lost = length < _NO_LENGTH
    return np.where(lost, last, vectors / np.where(lost, 1.0, length))

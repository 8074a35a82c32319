"""Stance of a rest pose: the rotation that makes the body stand upright and face +Z."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.extensions.humanoid.bones import SIDES

IDENTITY = np.array([0.0, 0.0, 0.0, 1.0])
LEFT, UP = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])

FULL_LEAN = 60.0
"""Least lean of a whole body [degrees] at which it is stood up exactly."""

FADE = 0.9
"""Degrees of correction lost per degree below that: it fades to 0 at 28°. Continuous if under 1."""

JOINED_LEGS = 0.8
"""Length of the mean of both legs' directions below which the pelvis counts too (37° each)."""


def stance(places: Mapping[str, Floats], *, is_posed: bool = True) -> Floats:
    """Return the rotation (4,) that makes a body stand upright along Y and face +Z.

    The heading is that of the line from right to left, exactly. Up is +Y as long as legs or trunk
    are upright, since bodies lean, bow and sit; a lying body is stood up, exactly beyond 60°. If
    the rest pose is degenerate, the axis of the leg bones is that of the hips too, and only the
    children of the hips tell their heading.
    """
    trunk = trunk_direction(places)
    left = leftwards(places, ("UpperLeg", "UpperArm") if is_posed else ("UpperLeg",))
    if trunk is None or left is None:
        return IDENTITY
    legs = legs_direction(places)
    if legs is None:
        up = _snapped(_nearest_axis(unit(trunk)), UP, 30.0)
    else:
        up = _common_lean(legs, unit(trunk)) if is_posed else -legs
    if not np.linalg.norm(np.cross(up, left)) > 0:
        return IDENTITY
    left = left - up * float(left @ up) / float(up @ up)
    if not np.linalg.norm(left) > 0 or (np.array_equal(up, UP) and degrees(left, LEFT) < 1e-7):
        return IDENTITY
    return frame_rotation((up, left), (UP, LEFT))


def trunk_direction(places: Mapping[str, Floats]) -> Floats | None:
    """Return the direction of the whole trunk; its single bones may lean."""
    tops = ("neck", "head", "upperChest", "chest", "spine")
    top = next((places[bone] for bone in tops if bone in places), None)
    return None if top is None else top - places["hips"]


def frame_rotation(source: tuple[Floats, Floats], target: tuple[Floats, Floats]) -> Floats:
    """Return the rotation from the first vector to the first, and nearly from second to second."""
    frames = []
    for first, second in (source, target):
        a = first / np.linalg.norm(first)
        b = np.cross(a, second)
        b = b / np.linalg.norm(b)
        frames.append(np.stack([a, b, np.cross(a, b)], axis=-1))
    rotation: Floats = tf.from_matrix(frames[1] @ frames[0].T)
    return rotation


def unit(vector: Floats) -> Floats:
    """Return a vector of length 1, or about 0 if it is."""
    result: Floats = vector / max(float(np.linalg.norm(vector)), 1e-12)
    return result


def degrees(a: Floats, b: Floats) -> float:
    """Return the angle between two vectors (3,) [degrees]."""
    return math.degrees(math.atan2(float(np.linalg.norm(np.cross(a, b))), float(a @ b)))


def legs_direction(places: Mapping[str, Floats]) -> Floats | None:
    """Return the direction (3,) from the feet to the hips, None without legs.

    The further the legs are apart, the less their mean says; that of a split is 0. The direction
    from the legs to the spine takes its place.
    """
    for end in ("Foot", "LowerLeg"):
        if all(f"{side}{bone}" in places for side in SIDES for bone in ("UpperLeg", end)):
            legs = [unit(places[f"{side}UpperLeg"] - places[f"{side}{end}"]) for side in SIDES]
            mean: Floats = (legs[0] + legs[1]) / 2
            mean = mean + max(JOINED_LEGS - float(np.linalg.norm(mean)), 0.0) * _pelvis(places)
            if np.linalg.norm(mean) > 0:
                return unit(mean)
    return None


def _pelvis(places: Mapping[str, Floats]) -> Floats:
    """Return the direction (3,) from between the legs to the spine."""
    middle = (places["leftUpperLeg"] + places["rightUpperLeg"]) / 2
    trunk = ("spine", "chest", "upperChest", "neck", "head")
    above = next((places[bone] for bone in trunk if bone in places), places["hips"])
    return unit(above - middle)


def _common_lean(legs: Floats, trunk: Floats) -> Floats:
    """Return the up direction of a body: Y, leaning as far as both legs and trunk do.

    Seen from Y, two directions share half of what their distances sum up to beyond the distance
    between them (of leans to one side, the smaller). It is continuous in both: one degree of legs
    or trunk alone moves it by at most one degree, and one degree of both by less than two, so that
    the body changes by one. Only the azimuth is undetermined where legs and trunk lean to opposite
    sides by more than 180° together, that is, feet above the hips and the head below them.
    """
    of_legs, of_trunk, between = degrees(legs, UP), degrees(trunk, UP), degrees(legs, trunk)
    shared, spanned = (of_legs + of_trunk - between) / 2, (of_legs + of_trunk + between) / 2
    angle = math.radians(max(shared - FADE * max(FULL_LEAN - spanned, 0.0), 0.0))
    across = unit((legs + trunk) * [1.0, 0.0, 1.0])
    return np.array([0.0, math.cos(angle), 0.0]) + math.sin(angle) * across


def _nearest_axis(trunk: Floats) -> Floats:
    """Return the axis nearest to a trunk without legs, or its own direction between axes."""
    axis = np.zeros(3)
    nearest = int(np.argmax(np.abs(trunk)))
    axis[nearest] = np.sign(trunk[nearest])
    return _snapped(trunk, axis, 20.0)


def _snapped(direction: Floats, axis: Floats, hold: float) -> Floats:
    """Return the axis for directions within `hold` [degrees] of it, others unchanged.

    Between `hold` and twice that angle, one is blended into the other.
    """
    angle = degrees(direction, axis)
    if angle <= hold:
        return axis
    if angle >= 2 * hold:
        return direction
    swing = tf.slerp(IDENTITY, tf.between(axis, direction), 2 * (angle - hold) / angle)
    result: Floats = tf.rotate(swing, axis)
    return result


def leftwards(places: Mapping[str, Floats], ends: Sequence[str]) -> Floats | None:
    """Return the mean direction from right to left bones of hips and shoulders."""
    lines = [
        places[f"left{end}"] - places[f"right{end}"]
        for end in ends
        if f"left{end}" in places and f"right{end}" in places
    ]
    units = [line / np.linalg.norm(line) for line in lines if np.linalg.norm(line) > 0]
    if not units:
        return None
    total: Floats = np.sum(units, axis=0)
    return total

"""T-pose of VRM 1.0: deviation of a rest pose, and rotations that align it.

It faces +Z with its left at +X; arms and fingers lie along X, thumbs halfway between X and +Z, legs
hang down, feet point to +Z, the spine stands up (VRMC_vrm 1.0, tpose). The text demands a similar
posture and names no tolerance.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.rig.humanoid.bones import BONES, PARENTS, SIDES, nearest_parent

if TYPE_CHECKING:
    from ligament.rig.humanoid.skeleton import Humanoid

Vector = tuple[float, float, float]

IDENTITY = np.array([0.0, 0.0, 0.0, 1.0])


class Aim(NamedTuple):
    """Direction of a bone in a T-pose, and the deviation [degrees] below which it is kept.

    The slack is wide where bodies differ naturally: a spine bends, a collar bone slopes.
    """

    direction: Vector
    slack: float
    is_level: bool = False


def _aims() -> dict[str, Aim]:
    up, down = (0.0, 1.0, 0.0), (0.0, -1.0, 0.0)
    aims = dict.fromkeys(("spine", "chest", "upperChest", "neck"), Aim(up, 45.0))
    for side, x in zip(SIDES, (1.0, -1.0), strict=True):
        out, thumb = (x, 0.0, 0.0), (x * math.sqrt(0.5), 0.0, math.sqrt(0.5))
        for bone in (b for b in BONES if b.startswith(side)):
            if bone.endswith(("UpperLeg", "LowerLeg")):
                aims[bone] = Aim(down, 15.0)
            elif bone.endswith(("UpperArm", "LowerArm")):
                aims[bone] = Aim(out, 15.0)
            elif "Thumb" in bone:
                aims[bone] = Aim(thumb, 60.0)
            elif bone.endswith(("Proximal", "Intermediate")):
                aims[bone] = Aim(out, 45.0)
        aims[f"{side}Foot"] = Aim((0.0, 0.0, 1.0), 60.0, is_level=True)
    return aims


T_POSE: dict[str, Aim] = _aims()
"""Directions of the bones that the specification mentions."""

_LOOSE = {
    f"{side}Shoulder": Aim((x, 0.0, 0.0), 60.0) for side, x in zip(SIDES, (1, -1), strict=True)
}
_LOOSE |= {f"{side}Hand": Aim((x, 0.0, 0.0), 45.0) for side, x in zip(SIDES, (1, -1), strict=True)}
_LOOSE |= {f"{side}Foot": Aim((0.0, -0.5, math.sqrt(0.75)), 45.0) for side in SIDES}

_HINGES = {
    "leftUpperLeg": (1.0, 0.0, 0.0),
    "rightUpperLeg": (1.0, 0.0, 0.0),
    "leftUpperArm": (0.0, -1.0, 0.0),
    "rightUpperArm": (0.0, 1.0, 0.0),
}
"""Hinge axis of the joint at the end of a bone: knees bend backwards, elbows forwards."""


def tpose_deviation(humanoid: Humanoid) -> dict[str, float]:
    """Return how far each bone of a rest pose points from where a T-pose has it [degrees].

    Bones that point at no other bone (the head, toes, the last bone of a finger) are left out. Of
    feet only the heading counts, since they slope down to the toes.

    >>> max(tpose_deviation(Humanoid(load("avatar.vrm"))).values()) < 10
    """
    places = dict(zip(humanoid.bones, humanoid.world_position, strict=True))
    deviation = {}
    for bone, aim in T_POSE.items():
        offset = _pointing(bone, places)
        if offset is None:
            continue
        if humanoid.faces_back:
            offset = offset * (-1.0, 1.0, -1.0)
        if aim.is_level and np.hypot(offset[0], offset[2]) > 1e-6 * np.linalg.norm(offset):
            offset = offset * (1.0, 0.0, 1.0)
        deviation[bone] = _degrees(offset, np.array(aim.direction))
    return {bone: deviation[bone] for bone in humanoid.bones if bone in deviation}


def alignment(
    bones: Sequence[str], positions: Floats, bends: Mapping[str, Floats] | None = None
) -> Floats:
    """Return the rotations (B, 4), in world axes, that bring a rest pose into a T-pose.

    `positions` (B, 3) are those of the bones at rest, parents first. A bone that is within the
    slack of its aim follows its parent; another is swung along the shortest arc. `bends` are
    the axes (3,) about which knees and elbows bend, seen at rest, for skeletons whose rest pose is
    no pose at all: they settle how limbs are twisted.
    """
    places = dict(zip(bones, positions, strict=True))
    rotations: dict[str, Floats] = {}
    for bone in bones:
        parent = nearest_parent(bone, places)
        start = _stance(places) if parent is None else rotations[parent]
        rotations[bone] = _aligned(bone, places, start, (bends or {}).get(bone))
    if bends:
        for side, x in zip(SIDES, (1.0, -1.0), strict=True):
            _follow_arm(f"{side}Shoulder", f"{side}UpperArm", places, rotations, x)
    return np.stack([rotations[bone] for bone in bones])


def is_unposed(bones: Sequence[str], positions: Floats) -> bool:
    """Whether the legs point where the spine does, which no body can: a rest pose in name only."""
    places = dict(zip(bones, positions, strict=True))
    trunk = _trunk(places)
    legs = [_pointing(f"{side}UpperLeg", places) for side in SIDES]
    if trunk is None or any(leg is None for leg in legs):
        return False
    return all(leg is not None and _degrees(trunk, leg) < 60 for leg in legs)


def _aligned(bone: str, places: Mapping[str, Floats], start: Floats, bend: Floats | None) -> Floats:
    offset, aim = _pointing(bone, places), _LOOSE.get(bone) or T_POSE.get(bone)
    if offset is None or aim is None:
        return start
    if bend is not None:
        return _frame_rotation((offset, bend), (np.array(aim.direction), np.array(_HINGES[bone])))
    carried, direction = tf.rotate(start, offset), np.array(aim.direction)
    if _degrees(carried, direction) <= aim.slack:
        return start
    result: Floats = tf.multiply(tf.between(carried, direction), start)
    return result


def _follow_arm(
    shoulder: str, arm: str, places: Mapping[str, Floats], rotations: dict[str, Floats], x: float
) -> None:
    """Twist a shoulder as the arm that it carries, since both lie in one line at rest."""
    offset = _pointing(shoulder, places)
    if offset is not None and arm in rotations:
        swing = tf.between(tf.rotate(rotations[arm], offset), np.array([x, 0.0, 0.0]))
        rotations[shoulder] = tf.multiply(swing, rotations[arm])


def _stance(places: Mapping[str, Floats]) -> Floats:
    """Return the rotation that stands the trunk upright, facing +Z, if it is far from that."""
    up = _trunk(places)
    left = next(
        (
            places[f"left{end}"] - places[f"right{end}"]
            for end in ("UpperLeg", "Shoulder", "UpperArm")
            if f"left{end}" in places and f"right{end}" in places
        ),
        None,
    )
    y, x = np.array([0.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0])
    if up is None or left is None or not np.linalg.norm(np.cross(up, left)) > 0:
        return IDENTITY
    if _degrees(up, y) <= 45 and _degrees(left, x) <= 45:
        return IDENTITY
    return _frame_rotation((up, left), (y, x))


def _frame_rotation(source: tuple[Floats, Floats], target: tuple[Floats, Floats]) -> Floats:
    """Return the rotation of the first vector to the first, and of the second nearly so."""
    frames = []
    for first, second in (source, target):
        a = first / np.linalg.norm(first)
        b = np.cross(a, second)
        b = b / np.linalg.norm(b)
        frames.append(np.stack([a, b, np.cross(a, b)], axis=-1))
    rotation: Floats = tf.from_matrix(frames[1] @ frames[0].T)
    return rotation


def _trunk(places: Mapping[str, Floats]) -> Floats | None:
    """Return the direction of the whole trunk, whose single bones may lean."""
    tops = ("neck", "head", "upperChest", "chest", "spine")
    top = next((places[bone] for bone in tops if bone in places), None)
    return None if top is None else top - places["hips"]


def _pointing(bone: str, places: Mapping[str, Floats]) -> Floats | None:
    """Return the offset from a bone to the one that it points at, None where there is none."""
    if bone not in places:
        return None
    for end in _ENDS[bone]:
        if end in places:
            offset: Floats = places[end] - places[bone]
            return offset if np.linalg.norm(offset) > 0 else None
    return None


def _ends() -> dict[str, tuple[str, ...]]:
    """List what each bone points at: its nearest descendant along the limb."""
    trunk = ("spine", "chest", "upperChest", "neck", "head")
    ends: dict[str, tuple[str, ...]] = {"hips": trunk}
    for i, bone in enumerate(trunk):
        ends[bone] = trunk[i + 1 :]
    for bone in BONES:
        if bone not in ends:
            ends[bone] = tuple(child for child, parent in PARENTS.items() if parent == bone)
    for side in SIDES:
        fingers = ("Middle", "Index", "Ring", "Little")
        ends[f"{side}Hand"] = tuple(f"{side}{finger}Proximal" for finger in fingers)
    return ends


_ENDS = _ends()


def _degrees(a: Floats, b: Floats) -> float:
    return math.degrees(math.atan2(float(np.linalg.norm(np.cross(a, b))), float(a @ b)))

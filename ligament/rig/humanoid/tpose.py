"""The T-pose of VRM 1.0: how far a rest pose is from it, and how to get there.

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
    """Where a bone points in a T-pose, and how far off [degrees] a rest pose is left as it is.

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
"""Where bones point, as far as the specification says so."""

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
"""About what the joint at the end of a bone bends: knees backwards, elbows forwards."""


def tpose_deviation(humanoid: Humanoid) -> dict[str, float]:
    """Return how far each bone of a rest pose points from where a T-pose has it [degrees].

    Bones that point at no other bone (the head, toes, the last bone of a finger) are left out. Of
    feet only the heading counts, since they slope down to the toes.

    >>> max(tpose_deviation(Humanoid(load("avatar.vrm"))).values()) < 10
    """
    places = dict(zip(humanoid.bones, humanoid.world_position, strict=True))
    deviation = {}
    for bone, aim in T_POSE.items():
        way = _way(bone, places)
        if way is None:
            continue
        if humanoid.faces_back:
            way = way * (-1.0, 1.0, -1.0)
        if aim.is_level and np.hypot(way[0], way[2]) > 1e-6 * np.linalg.norm(way):
            way = way * (1.0, 0.0, 1.0)
        deviation[bone] = _degrees(way, np.array(aim.direction))
    return {bone: deviation[bone] for bone in humanoid.bones if bone in deviation}


def alignment(
    bones: Sequence[str], positions: Floats, bends: Mapping[str, Floats] | None = None
) -> Floats:
    """Return the rotations (B, 4), in world axes, that bring a rest pose into a T-pose.

    `positions` (B, 3) are those of the bones at rest, parents first. A bone that is within the
    slack of its aim follows its parent; another is swung the short way into place. `bends` are
    the axes (3,) about which knees and elbows bend, seen at rest, for skeletons whose rest pose is
    no pose at all: they settle how limbs are twisted.
    """
    places = dict(zip(bones, positions, strict=True))
    turns: dict[str, Floats] = {}
    for bone in bones:
        parent = nearest_parent(bone, places)
        start = _stance(places) if parent is None else turns[parent]
        turns[bone] = _aligned(bone, places, start, (bends or {}).get(bone))
    if bends:
        for side, x in zip(SIDES, (1.0, -1.0), strict=True):
            _follow_arm(f"{side}Shoulder", f"{side}UpperArm", places, turns, x)
    return np.stack([turns[bone] for bone in bones])


def is_unposed(bones: Sequence[str], positions: Floats) -> bool:
    """Whether the legs point where the spine does, which no body can: a rest pose in name only."""
    places = dict(zip(bones, positions, strict=True))
    trunk = _trunk(places)
    legs = [_way(f"{side}UpperLeg", places) for side in SIDES]
    if trunk is None or any(leg is None for leg in legs):
        return False
    return all(leg is not None and _degrees(trunk, leg) < 60 for leg in legs)


def _aligned(bone: str, places: Mapping[str, Floats], start: Floats, bend: Floats | None) -> Floats:
    way, aim = _way(bone, places), _LOOSE.get(bone) or T_POSE.get(bone)
    if way is None or aim is None:
        return start
    if bend is not None:
        return _frame_turn((way, bend), (np.array(aim.direction), np.array(_HINGES[bone])))
    carried, direction = tf.rotate(start, way), np.array(aim.direction)
    if _degrees(carried, direction) <= aim.slack:
        return start
    result: Floats = tf.multiply(tf.between(carried, direction), start)
    return result


def _follow_arm(
    shoulder: str, arm: str, places: Mapping[str, Floats], turns: dict[str, Floats], x: float
) -> None:
    """Twist a shoulder as the arm that it carries, since both lie in one line at rest."""
    way = _way(shoulder, places)
    if way is not None and arm in turns:
        swing = tf.between(tf.rotate(turns[arm], way), np.array([x, 0.0, 0.0]))
        turns[shoulder] = tf.multiply(swing, turns[arm])


def _stance(places: Mapping[str, Floats]) -> Floats:
    """Return the turn that stands the trunk up and makes it face +Z, if it is far from that."""
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
    return _frame_turn((up, left), (y, x))


def _frame_turn(source: tuple[Floats, Floats], target: tuple[Floats, Floats]) -> Floats:
    """Return the rotation of the first vector to the first, and of the second nearly so."""
    frames = []
    for first, second in (source, target):
        a = first / np.linalg.norm(first)
        b = np.cross(a, second)
        b = b / np.linalg.norm(b)
        frames.append(np.stack([a, b, np.cross(a, b)], axis=-1))
    turn: Floats = tf.from_matrix(frames[1] @ frames[0].T)
    return turn


def _trunk(places: Mapping[str, Floats]) -> Floats | None:
    """Return the way up the whole trunk, whose single bones may lean."""
    tops = ("neck", "head", "upperChest", "chest", "spine")
    top = next((places[bone] for bone in tops if bone in places), None)
    return None if top is None else top - places["hips"]


def _way(bone: str, places: Mapping[str, Floats]) -> Floats | None:
    """Return the way from a bone to the one that it points at, None where there is none."""
    if bone not in places:
        return None
    for end in _ENDS[bone]:
        if end in places:
            way: Floats = places[end] - places[bone]
            return way if np.linalg.norm(way) > 0 else None
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

"""T-pose of VRM 1.0: deviation of a rest pose, and rotations that align it.

It faces +Z with its left at +X; arms and fingers lie along X, thumbs halfway between X and +Z, legs
hang down, feet point to +Z, the spine stands up (VRMC_vrm 1.0, tpose). The text demands a similar
posture and names no tolerance.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.extensions.humanoid.bones import BONES, PARENTS, SIDES, nearest_parent
from ligament.rig.humanoid.stance import (
    IDENTITY,
    degrees,
    frame_rotation,
    stance,
    trunk_direction,
    unit,
)

if TYPE_CHECKING:
    from ligament.rig.humanoid.skeleton import Humanoid

Vector = tuple[float, float, float]

FORWARD = np.array([0.0, 0.0, 1.0])
SLOPE_OF_FEET = 1 / 3
"""Least slope (a sine) at which the direction of a foot shows its roll."""

SEGMENTS = ("Metacarpal", "Proximal", "Intermediate", "Distal")
"""Ends of the names of finger bones."""

FINGERTIP_LEAN_MAX = 44.9
"""Largest angle [degrees] between a fingertip and its phalanx; other end sites show no tip.

Just below that of an end site along an axis, which is a placeholder, on a thumb of a T-pose.
"""

PALM = 0.15
"""Least width of a row of knuckles that shows a palm, relative to their distance from the wrist."""

KNUCKLES_ASIDE = 10.0
"""Angle between a hand's axis and the middle of its knuckles that says nothing [degrees]."""


class Aim(NamedTuple):
    """Direction of a bone in a T-pose, and its natural deviation [degrees].

    The slack is wide where bodies differ: a spine bends, a collar bone slopes. Only the excess is
    corrected, so that the result depends continuously on the rest pose.
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
                aims[bone] = Aim(down, 0.0)
            elif bone.endswith(("UpperArm", "LowerArm")):
                aims[bone] = Aim(out, 0.0)
            elif "Thumb" in bone:
                aims[bone] = Aim(thumb, 0.0)
            elif bone.endswith(("Proximal", "Intermediate", "Distal")):
                aims[bone] = Aim(out, 0.0)
        aims[f"{side}Foot"] = Aim((0.0, 0.0, 1.0), 60.0, is_level=True)
    return aims


T_POSE: dict[str, Aim] = _aims()
"""Directions of the bones that the specification mentions."""

_LOOSE = {
    f"{side}Shoulder": Aim((x, 0.0, 0.0), 60.0) for side, x in zip(SIDES, (1, -1), strict=True)
}
_LOOSE |= {f"{side}Hand": Aim((x, 0.0, 0.0), 45.0) for side, x in zip(SIDES, (1, -1), strict=True)}
_LOOSE |= {f"{side}Foot": Aim((0.0, -0.5, math.sqrt(0.75)), 45.0) for side in SIDES}

_FLAT = {
    f"{side}Toes": Aim((0.0, -math.sin(math.radians(10)), math.cos(math.radians(10))), 0.0)
    for side in SIDES
}
"""Usual directions of bones that are kept, for rest poses that do not show them."""

_BACKBONE = ("hips", "spine", "chest", "upperChest", "neck", "head")

_HINGES = {
    "leftUpperLeg": (1.0, 0.0, 0.0),
    "rightUpperLeg": (1.0, 0.0, 0.0),
    "leftUpperArm": (0.0, -1.0, 0.0),
    "rightUpperArm": (0.0, 1.0, 0.0),
}
"""Hinge axis of the joint at the end of a bone: knees bend backwards, elbows forwards."""


def tpose_deviation(humanoid: Humanoid) -> dict[str, float]:
    """Return the deviation of each bone of a rest pose from the T-pose [degrees].

    Bones that point at no other bone (the head, toes, the last bone of a finger) are omitted. For
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
        deviation[bone] = degrees(offset, np.array(aim.direction))
    return {bone: deviation[bone] for bone in humanoid.bones if bone in deviation}


def alignment(
    bones: Sequence[str],
    positions: Floats,
    bends: Mapping[str, Floats] | None = None,
    *,
    tips: Mapping[str, Floats] | None = None,
    is_posed: bool | None = None,
) -> Floats:
    """Return the rotations (B, 4), in world axes, that turn a rest pose into a T-pose.

    `positions` (B, 3) are those of the bones at rest, parents first; `tips` (3,) where the last
    bones of fingers, and feet without toes, end as far as is known. A bone follows its parent and
    is swung along the shortest arc towards its aim, up to the slack. `bends` are the axes (3,)
    about which knees and elbows bend, at rest: they determine the twist of limbs. With them, and
    unless `is_posed`, the rest pose is degenerate, and nothing else shows the twist.
    """
    places = dict(zip(bones, positions, strict=True))
    is_posed = bends is None if is_posed is None else is_posed
    pose = _Rest(places, dict(tips or {}), bends or {}, is_posed=is_posed)
    for bone in bones:
        pose.align(bone)
    if not is_posed:
        for side, x in zip(SIDES, (1.0, -1.0), strict=True):
            _follow_arm(f"{side}Shoulder", f"{side}UpperArm", places, pose.rotations, x)
    return np.stack([pose.rotations[bone] for bone in bones])


def is_unposed(bones: Sequence[str], positions: Floats) -> bool:
    """Tell whether the legs point along the spine, so that the rest pose is degenerate."""
    places = dict(zip(bones, positions, strict=True))
    trunk = trunk_direction(places)
    legs = [_pointing(f"{side}UpperLeg", places) for side in SIDES]
    if trunk is None or any(leg is None for leg in legs):
        return False
    return all(leg is not None and degrees(trunk, leg) < 60 for leg in legs)


def undetermined(
    bones: Sequence[str], places: Mapping[str, Floats], known: Collection[str]
) -> list[str]:
    """Return the bones whose rotation in a T-pose a degenerate rest pose does not determine.

    `known` are those determined otherwise: limbs by hinges, feet by standing. The twist of a limb
    determines that of its lower bone, knuckles that of a hand.
    """
    result = []
    for bone in bones:
        upper = bone.replace("Lower", "Upper")
        if bone.endswith(("Leg", "Arm")):
            ends = bone.endswith("UpperLeg") or _pointing(bone, places) is not None
            is_known = upper in known and ends
        else:
            is_known = bone in _BACKBONE or _row_of_knuckles(bone, places) is not None
        if not is_known and bone not in known:
            result.append(bone)
    return result


class _Rest:
    """A rest pose being aligned, bone by bone from the hips outwards."""

    def __init__(
        self,
        places: Mapping[str, Floats],
        tips: Mapping[str, Floats],
        bends: Mapping[str, Floats],
        *,
        is_posed: bool,
    ) -> None:
        self.places, self.tips, self.bends, self.is_posed = places, tips, bends, is_posed
        self.stance = stance(places, is_posed=is_posed)
        self.rotations: dict[str, Floats] = {}

    def align(self, bone: str) -> None:
        parent = nearest_parent(bone, dict.fromkeys(self.rotations, 0))
        start = self.stance if parent is None else self.rotations[parent]
        self.rotations[bone] = self._aligned(bone, start)

    def _aligned(self, bone: str, start: Floats) -> Floats:
        offset, aim = self._pointing(bone), _LOOSE.get(bone) or T_POSE.get(bone)
        aim = _FLAT.get(bone, aim) if not self.is_posed else aim
        if offset is None or aim is None:
            return start
        direction = np.array(aim.direction)
        if bone in self.bends:
            hinge = np.array(_HINGES[bone])
            return frame_rotation((offset, self.bends[bone]), (direction, hinge))
        row = _row_of_knuckles(bone, self.places)
        if row is not None and not self.is_posed:
            middle = _middle_knuckle(bone, self.places)
            return frame_rotation((middle, row), (direction, -FORWARD))
        if bone.endswith(("Foot", "Hand")) and self.is_posed:
            start = self._end_of_limb(bone, offset, start)
        slack = aim.slack if self.is_posed or bone in _BACKBONE else 0.0
        swing = _swing(tf.rotate(start, offset), direction, slack)
        return start if swing is None else np.asarray(tf.multiply(swing, start))

    def _pointing(self, bone: str) -> Floats | None:
        offset = _pointing(bone, self.places)
        if bone.endswith("Hand"):
            offset = _knuckles(bone, self.places)
        if offset is None and bone in self.tips:
            offset = self.tips[bone] - self.places[bone]
            offset = offset if np.linalg.norm(offset) > 0 else None
            if offset is not None and bone.endswith(SEGMENTS):
                parent = nearest_parent(bone, dict.fromkeys(self.rotations, 0))
                phalanx = np.zeros(3) if parent is None else self.places[bone] - self.places[parent]
                offset = offset if degrees(phalanx, offset) <= FINGERTIP_LEAN_MAX else None
        return offset

    def _end_of_limb(self, bone: str, offset: Floats, limb: Floats) -> Floats:
        """Return the rotation of a foot or hand: its limb's or the body's, whichever aims better.

        Legs spread at rest have feet that are flat on the ground or rotated with them; the hand of
        a bent arm likewise.
        """
        if bone.endswith("Hand"):
            angle = math.degrees(tf.angle_between(limb, self.stance))
            own, body = tf.rotate(limb, offset), tf.rotate(self.stance, offset)
            share = _share_of_hand(own, body, angle)
            return limb if share == 0 else np.asarray(tf.slerp(limb, self.stance, share))
        spread = tf.multiply(self.stance, tf.conjugate(limb))
        roll = float(tf.twist_angle(spread, FORWARD))
        share = _share_of_foot(unit(tf.rotate(limb, offset)), roll)
        share *= min(2 * float(spread[2] ** 2 + spread[3] ** 2), 1.0)  # 0 where roll is undefined
        back = tf.from_axis_angle(FORWARD, share * roll)
        return limb if share == 0 else np.asarray(tf.multiply(back, limb))


def _share_of_foot(aim: Floats, roll: float) -> float:
    """Return how much of its leg's sideways rotation a foot lacks, from where it points.

    A sloping foot that is rolled points aside: `aim` (3,) if it is taken to have rotated with the
    leg, straight if rolled back. The share is that of the roll which makes it straight, in a smooth
    step from 0 to 1. A level foot shows no roll; that of legs raised beyond 90° counts less.
    """
    x, y, sine, cosine = float(aim[0]), float(aim[1]), math.sin(roll), math.cos(roll)
    aside = cosine * x - sine * y - x
    slope = max(-y, -sine * x - cosine * y, 0.0)
    usual = slope * abs(sine)
    if not abs(aside) > 1e-9 or not usual > 0:
        return 0.0
    part = min(max(-x / aside, 0.0), 1.0) * min(2 * abs(aside) / usual, 1.0)
    part *= min(slope / SLOPE_OF_FEET, 2.0 - abs(roll) / (math.pi / 2), 1.0)
    return part * part * (3.0 - 2.0 * part)


def _share_of_hand(limb: Floats, body: Floats, angle: float) -> float:
    """Return a hand's weight of the body: 0 unless the body aims clearly better.

    The middle of the knuckles is a few degrees off the axis of most hands. The weight is 1 where
    the body aims better by the whole angle [degrees] between both.
    """
    asides = [math.degrees(math.atan2(math.hypot(y, z), abs(x))) for x, y, z in (limb, body)]
    gain = asides[0] - asides[1] - KNUCKLES_ASIDE
    return min(max(gain, 0.0) / max(angle - KNUCKLES_ASIDE, KNUCKLES_ASIDE), 1.0)


def _swing(offset: Floats, direction: Floats, slack: float) -> Floats | None:
    """Return the shortest rotation towards a direction, stopping `slack` [degrees] short of it."""
    angle = degrees(offset, direction)
    if not angle > max(slack, 1e-9):
        return None
    whole: Floats = tf.between(offset, direction)
    return whole if not slack else np.asarray(tf.slerp(IDENTITY, whole, 1 - slack / angle))


def _follow_arm(
    shoulder: str, arm: str, places: Mapping[str, Floats], rotations: dict[str, Floats], x: float
) -> None:
    """Twist a shoulder like the arm it carries, since both are collinear at rest."""
    offset = _pointing(shoulder, places)
    if offset is not None and arm in rotations:
        swing = tf.between(tf.rotate(rotations[arm], offset), np.array([x, 0.0, 0.0]))
        rotations[shoulder] = tf.multiply(swing, rotations[arm])


def _pointing(bone: str, places: Mapping[str, Floats]) -> Floats | None:
    """Return the offset from a bone to the bone it points at, None if there is none."""
    if bone not in places:
        return None
    for end in _ENDS[bone]:
        if end in places:
            offset: Floats = places[end] - places[bone]
            return offset if np.linalg.norm(offset) > 0 else None
    return None


def _knuckles(hand: str, places: Mapping[str, Floats]) -> Floats | None:
    """Return the offset from a hand to the middle of its knuckles, None without fingers."""
    bases = [places[end] for end in _ENDS[hand] if end in places]
    if not bases or not np.linalg.norm(np.mean(bases, axis=0) - places[hand]) > 0:
        return None
    offset: Floats = np.mean(bases, axis=0) - places[hand]
    return offset


def _middle_knuckle(hand: str, places: Mapping[str, Floats]) -> Floats:
    """Return the offset to the knuckle in line with the forearm, or to between its neighbours."""
    side = hand.removesuffix("Hand")
    fingers = ("Middle",), ("Index", "Ring"), ("Index", "Little"), ("Ring", "Little")
    for group in fingers:
        names = [f"{side}{finger}Proximal" for finger in group]
        if all(name in places for name in names):
            offset: Floats = np.mean([places[name] for name in names], axis=0) - places[hand]
            return offset
    return np.zeros(3)


def _row_of_knuckles(bone: str, places: Mapping[str, Floats]) -> Floats | None:
    """Return the direction from the first to the last knuckle, None if it shows no palm."""
    row = [f"{bone.removesuffix('Hand')}{finger}Proximal" for finger in _ROW]
    found = [places[end] for end in row if end in places]
    if not bone.endswith("Hand") or len(found) < 2:
        return None
    across, along = found[-1] - found[0], _middle_knuckle(bone, places)
    width = np.linalg.norm(np.cross(across, unit(along)))
    return across if width > PALM * np.linalg.norm(along) > 0 else None


def _ends() -> dict[str, tuple[str, ...]]:
    """Return the bone that each bone points at: its nearest descendant along the limb."""
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


_ROW = ("Index", "Middle", "Ring", "Little")
_ENDS = _ends()

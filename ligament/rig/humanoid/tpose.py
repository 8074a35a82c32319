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
        deviation[bone] = _degrees(offset, np.array(aim.direction))
    return {bone: deviation[bone] for bone in humanoid.bones if bone in deviation}


def alignment(
    bones: Sequence[str],
    positions: Floats,
    bends: Mapping[str, Floats] | None = None,
    *,
    tips: Mapping[str, Floats] | None = None,
) -> Floats:
    """Return the rotations (B, 4), in world axes, that turn a rest pose into a T-pose.

    `positions` (B, 3) are those of the bones at rest, parents first; `tips` (3,) where the last
    bones of fingers, and feet without toes, end. A bone follows its parent and is swung along the
    shortest arc towards its aim, up to the slack. `bends` are the axes (3,) about which knees and
    elbows bend, at rest, for skeletons whose rest pose is degenerate: they determine the twist of
    limbs.
    """
    places = dict(zip(bones, positions, strict=True))
    pose = _Rest(places, dict(tips or {}), bends)
    for bone in bones:
        pose.align(bone)
    if bends is not None:
        for side, x in zip(SIDES, (1.0, -1.0), strict=True):
            _follow_arm(f"{side}Shoulder", f"{side}UpperArm", places, pose.rotations, x)
    return np.stack([pose.rotations[bone] for bone in bones])


def is_unposed(bones: Sequence[str], positions: Floats) -> bool:
    """Tell whether the legs point along the spine, so that the rest pose is degenerate."""
    places = dict(zip(bones, positions, strict=True))
    trunk = _trunk(places)
    legs = [_pointing(f"{side}UpperLeg", places) for side in SIDES]
    if trunk is None or any(leg is None for leg in legs):
        return False
    return all(leg is not None and _degrees(trunk, leg) < 60 for leg in legs)


class _Rest:
    """A rest pose being aligned, bone by bone from the hips outwards."""

    def __init__(
        self,
        places: Mapping[str, Floats],
        tips: Mapping[str, Floats],
        bends: Mapping[str, Floats] | None,
    ) -> None:
        self.places, self.tips, self.bends = places, tips, bends
        self.stance = _stance(places, is_posed=bends is None)
        self.rotations: dict[str, Floats] = {}

    def align(self, bone: str) -> None:
        parent = nearest_parent(bone, dict.fromkeys(self.rotations, 0))
        start = self.stance if parent is None else self.rotations[parent]
        self.rotations[bone] = self._aligned(bone, start)

    def _aligned(self, bone: str, start: Floats) -> Floats:
        offset, aim = self._pointing(bone), _LOOSE.get(bone) or T_POSE.get(bone)
        if offset is None or aim is None:
            return start
        direction = np.array(aim.direction)
        if self.bends is not None and bone in self.bends:
            hinge = np.array(_HINGES[bone])
            return _frame_rotation((offset, self.bends[bone]), (direction, hinge))
        if bone.endswith(("Foot", "Hand")) and self.bends is None:
            start = self._end_of_limb(bone, offset, start)
        slack = aim.slack if self.bends is None or bone in _BACKBONE else 0.0
        swing = _swing(tf.rotate(start, offset), direction, slack)
        return start if swing is None else np.asarray(tf.multiply(swing, start))

    def _pointing(self, bone: str) -> Floats | None:
        offset = _pointing(bone, self.places)
        if bone.endswith("Hand"):
            offset = _knuckles(bone, self.places)
        if offset is None and bone in self.tips:
            offset = self.tips[bone] - self.places[bone]
            offset = offset if np.linalg.norm(offset) > 0 else None
        return offset

    def _end_of_limb(self, bone: str, offset: Floats, limb: Floats) -> Floats:
        """Return the rotation of a foot or hand: its limb's or the body's, whichever aims better.

        Legs spread at rest have feet that are flat on the ground or rotated with them; the hand of
        a bent arm likewise.
        """
        aims = [tf.rotate(rotation, offset) for rotation in (limb, self.stance)]
        share = _share_of_hand(*aims) if "Hand" in bone else _share_of_foot(*aims)
        mixed: Floats = tf.slerp(limb, self.stance, share)
        return limb if share == 0 else mixed


def _share_of_foot(limb: Floats, body: Floats) -> float:
    """Return a foot's weight of the body, from how far it points aside with the leg's rotation.

    The two readings are blended steeply, so that the better one dominates.
    """
    asides = [math.atan2(x, z) ** 8 for x, _, z in (limb, body)]
    return asides[0] / sum(asides) if sum(asides) > 1e-60 else 0.0


def _share_of_hand(limb: Floats, body: Floats) -> float:
    """Return a hand's weight of the body: 0 unless the body aims clearly better.

    The middle of the knuckles is a few degrees off the axis of most hands. From 20° to 40° one
    reading is blended into the other.
    """
    asides = [math.degrees(math.atan2(math.hypot(y, z), abs(x))) for x, y, z in (limb, body)]
    gain = asides[0] - asides[1]
    return min(2.0 - 40.0 / gain, 1.0) if gain > 20.0 else 0.0


def _swing(offset: Floats, direction: Floats, slack: float) -> Floats | None:
    """Return the shortest rotation towards a direction, stopping `slack` [degrees] short of it."""
    angle = _degrees(offset, direction)
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


def _stance(places: Mapping[str, Floats], *, is_posed: bool = True) -> Floats:
    """Return the rotation that makes a body stand upright along Y and face +Z.

    The heading is that of the line from right to left, exactly. Up is +Y as long as legs or trunk
    are upright, since bodies lean, bow and sit; a lying body is stood up, exactly beyond 60°. If
    the rest pose is degenerate, the axis of the leg bones is that of the hips too, and only the
    children of the hips tell their heading.
    """
    trunk = _trunk(places)
    left = _leftwards(places, ("UpperLeg", "UpperArm") if is_posed else ("UpperLeg",))
    y, x = np.array([0.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0])
    if trunk is None or left is None:
        return IDENTITY
    legs = _legs(places)
    if legs is None:
        up = _snapped(_nearest_axis(_unit(trunk)), y, 30.0)
    else:
        up = _common_lean(legs, _unit(trunk)) if is_posed else -legs
    if not np.linalg.norm(np.cross(up, left)) > 0:
        return IDENTITY
    left = left - up * float(left @ up) / float(up @ up)
    if not np.linalg.norm(left) > 0 or (np.array_equal(up, y) and _degrees(left, x) < 1e-7):
        return IDENTITY
    return _frame_rotation((up, left), (y, x))


def _legs(places: Mapping[str, Floats]) -> Floats | None:
    """Return the direction (3,) from the feet to the hips, None without legs."""
    for end in ("Foot", "LowerLeg"):
        if all(f"{side}{bone}" in places for side in SIDES for bone in ("UpperLeg", end)):
            legs = [places[f"{side}UpperLeg"] - places[f"{side}{end}"] for side in SIDES]
            if np.linalg.norm(legs[0] + legs[1]) > 0:
                return _unit(legs[0] + legs[1])
    return None


def _common_lean(legs: Floats, trunk: Floats) -> Floats:
    """Return the up direction of a body: Y, leaning as far as both legs and trunk do.

    Up to 28° it does not lean, beyond 60° fully. One degree of legs or trunk alone moves it by at
    most one degree, and one degree of both by less than two: the body then changes by one. Legs
    raised from a lying trunk count less and less, since in the end they do not lean at all.
    """
    of_legs, of_trunk = (_degrees(part, np.array([0.0, 1.0, 0.0])) for part in (legs, trunk))
    raised = 186.0 - of_legs + 2 * max(of_trunk - 90.0, 0.0)
    leans = [_lean(legs, min(of_legs, raised)), _lean(trunk, of_trunk)]
    total = leans[0] + leans[1]
    size = float(np.linalg.norm(total))
    if not size > 0:
        return np.array([0.0, 1.0, 0.0])
    both = total / size
    least, most = sorted(float(lean @ both) for lean in leans)
    angle = math.radians(max(least - 0.9 * max(60.0 - most, 0.0), 0.0))
    return np.array([math.sin(angle) * both[0], math.cos(angle), math.sin(angle) * both[1]])


def _lean(direction: Floats, angle: float) -> Floats:
    """Return the lean of a direction from Y as a vector (2,) along X and Z."""
    across = direction[[0, 2]]
    result: Floats = angle * across / max(float(np.linalg.norm(across)), 1e-12)
    return result


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
    angle = _degrees(direction, axis)
    if angle <= hold:
        return axis
    if angle >= 2 * hold:
        return direction
    swing = tf.slerp(IDENTITY, tf.between(axis, direction), 2 * (angle - hold) / angle)
    result: Floats = tf.rotate(swing, axis)
    return result


def _leftwards(places: Mapping[str, Floats], ends: Sequence[str]) -> Floats | None:
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


def _frame_rotation(source: tuple[Floats, Floats], target: tuple[Floats, Floats]) -> Floats:
    """Return the rotation from the first vector to the first, and nearly from second to second."""
    frames = []
    for first, second in (source, target):
        a = first / np.linalg.norm(first)
        b = np.cross(a, second)
        b = b / np.linalg.norm(b)
        frames.append(np.stack([a, b, np.cross(a, b)], axis=-1))
    rotation: Floats = tf.from_matrix(frames[1] @ frames[0].T)
    return rotation


def _trunk(places: Mapping[str, Floats]) -> Floats | None:
    """Return the direction of the whole trunk; its single bones may lean."""
    tops = ("neck", "head", "upperChest", "chest", "spine")
    top = next((places[bone] for bone in tops if bone in places), None)
    return None if top is None else top - places["hips"]


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


_ENDS = _ends()


def _unit(vector: Floats) -> Floats:
    result: Floats = vector / max(float(np.linalg.norm(vector)), 1e-12)
    return result


def _degrees(a: Floats, b: Floats) -> float:
    return math.degrees(math.atan2(float(np.linalg.norm(np.cross(a, b))), float(a @ b)))

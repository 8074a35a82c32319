"""Bones found in a joint tree that declares none, by its shape and by names.

Two similar chains at the lower end of a trunk are legs, two at its upper end arms, and the chain
between the arms is neck and head. Telling names decide, and confirm the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ligament.arrays import Floats
from ligament.extensions.humanoid.bones import BONES, CONDITIONAL, SIDES, nearest_parent
from ligament.rig.motion.bone_map import BoneMap, Evidence, joints_named
from ligament.rig.motion.fingers import find_fingers
from ligament.rig.motion.joint_names import LIMB_PARTS
from ligament.rig.motion.joint_tree import LONGEST_CHAIN, JointTree, Pair
from ligament.rig.motion.limbs import Body, find_arms, find_body, trunk_of

TRUNK = ("spine", "chest", "upperChest")
_ENDS = frozenset({"end", "nub", "tip", "site", "top", "target", "ik", "roll"})
"""Words of joints above a neck that are no head."""

NEARER = 0.75
"""Relative distance from the legs at which a joint is the pelvis rather than its child."""

ABOVE_ARMS = 0.05
"""Least height of a neck above the collar bones that it bears, relative to the trunk."""

FALLING = -0.3
"""Sine of the steepest slope downwards of a neck."""

_STRUCTURAL_FLOOR = 6.0
"""Least score of a body without telling names; furniture and machines stay below it."""


def find_bones(
    tree: JointTree, *, given: Mapping[str, str | None] | None = None, posed: Floats | None = None
) -> BoneMap:
    """Return the joint of each bone; empty unless there are legs and a head or arms.

    `given` are bones named by the user. `posed` (J, 3) are positions in some frame, which tell left
    from right if neither names nor the rest pose (which may be degenerate) do.
    """
    chosen = joints_named(given or {}, tree.names)
    dropped = {bone for bone, name in (given or {}).items() if name is None}
    found = _find(tree, posed) or _find_part(tree)
    taken = set(chosen.values())
    bones = {b: j for b, j in found.items() if b not in dropped and j not in taken} | chosen
    kept = _in_order(bones, tree)
    if not chosen and not _is_body(kept) and not _is_part(kept):
        kept = {}
    evidence: dict[str, Evidence] = {
        bone: "map" if bone in chosen else _evidence(tree, bone, joint)
        for bone, joint in kept.items()
    }
    return BoneMap(kept, evidence, tree.names)


def _find(tree: JointTree, posed: Floats | None) -> dict[str, int]:
    body = find_body(tree)
    if body is None or body.legs is None:
        return {}
    head = _head(tree, body)
    ends = [head] if body.arms is None else [body.arms.parent]
    meeting = None if ends[0] is None else tree.meeting(body.legs.parent, ends[0])
    if meeting is None or not _is_recognized(tree, body, head):
        return {}
    hips = _hips(tree, body, meeting)
    bones = {"hips": hips}
    bones |= _upper(tree, body, hips, head)
    places = tree.positions
    if posed is not None and body.arms is not None and not _up(tree, body).any():
        places = posed
    for pair, sides in _sides(tree, body, hips, places):
        for start, side in zip(pair[:2], sides, strict=True):
            limb = body.limbs[start]
            bones |= {f"{side}{bone}": joint for bone, joint in limb.items()}
    for side in SIDES:
        if f"{side}Hand" in bones:
            bones |= find_fingers(tree, bones[f"{side}Hand"], side)
    return bones


def _find_part(tree: JointTree) -> dict[str, int]:
    """Find the bones of a part of a body, such as a hand, by names alone."""
    bones: dict[str, int] = {}
    for joint in tree.order:
        said = tree.said[joint]
        part = said.main_part
        bone = f"{said.side}{part}" if part in LIMB_PARTS else part
        if bone in BONES and bool(said.side) == (part in LIMB_PARTS):
            bones.setdefault(bone, joint)
    arms = find_arms(tree)
    for start, limb in zip(arms[0][:2], arms[1], strict=True) if arms else ():
        side = _named_side(tree, start)
        bones |= {f"{side}{bone}": joint for bone, joint in limb.items() if side}
    trunk = [j for j in tree.order if "trunk" in tree.said[j].parts and not tree.said[j].side]
    bones |= dict(zip(TRUNK, _spread_over_trunk(trunk), strict=False))
    if trunk and "hips" not in bones and tree.parents[trunk[0]] >= 0:
        bones["hips"] = tree.parents[trunk[0]]
    for side in SIDES:
        if f"{side}Hand" in bones:
            bones |= find_fingers(tree, bones[f"{side}Hand"], side)
    return bones


def _is_part(bones: Mapping[str, int]) -> bool:
    """Tell whether there is a hand with fingers, or an upper body with arms."""
    hands = any(bone.endswith(("IndexProximal", "MiddleProximal")) for bone in bones)
    arms = all(f"{side}LowerArm" in bones for side in SIDES)
    return hands or ("hips" in bones and arms)


def _is_recognized(tree: JointTree, body: Body, head: int | None) -> bool:
    """Tell whether names mention a body, or the shape is clearly that of one."""
    parts = [part for said in tree.said for part in said.parts]
    if len({*parts}) >= 3:
        return True
    whole = head is not None and all(
        "LowerLeg" in limb or {"UpperArm", "Hand"} <= set(limb) for limb in body.limbs.values()
    )
    return whole and body.arms is not None and body.score > _STRUCTURAL_FLOOR


def _is_body(bones: Mapping[str, int]) -> bool:
    """Tell whether there are two legs and something at the upper end of a trunk."""
    ends = ("head", "leftUpperArm", "rightUpperArm")
    legs = all(f"{side}UpperLeg" in bones for side in SIDES)
    return "hips" in bones and legs and any(end in bones for end in ends)


def _hips(tree: JointTree, body: Body, meeting: int) -> int:
    """Return the joint where legs and trunk branch, or the one above it named or shaped as hips."""
    own = tree.said[meeting].parts
    near = list(tree.above(meeting))[:2]
    if near and _is_pelvis(tree, body, near[0], meeting):
        return near[0]
    if "hips" in own or not ("trunk" in own or "pelvis" in own):
        return meeting
    return next((joint for joint in near if tree.said[joint].parts.get("hips", 0) >= 2), meeting)


def _is_pelvis(tree: JointTree, body: Body, joint: int, meeting: int) -> bool:
    """Tell whether a joint without a name is the pelvis, and its child, which bears the legs, not.

    It is clearly nearer to the legs then. (3ds Max can attach legs to the lowest spine joint.)
    """
    assert body.legs is not None
    if any(not tree.said[j].has_no_body_part for j in (joint, meeting)):
        return False
    middle = tree.positions[[*body.legs[:2]]].mean(axis=0)
    own, other = (float(np.linalg.norm(tree.positions[j] - middle)) for j in (joint, meeting))
    return own < NEARER * other


def _limb_joints(tree: JointTree, body: Body) -> set[int]:
    starts = [joint for pair in (body.legs, body.arms) if pair for joint in pair[:2]]
    return {joint for start in starts for joint in (start, *tree.below(start))}


def _trunk_joints(tree: JointTree, body: Body) -> set[int]:
    """Return all joints below the one where legs and arms meet."""
    assert body.legs is not None
    meeting: int | None = body.legs.parent
    if body.arms is not None:
        meeting = tree.meeting(body.legs.parent, body.arms.parent)
    return set() if meeting is None else {*tree.below(meeting)}


def _head(tree: JointTree, body: Body) -> int | None:
    """Return the head: the joint so named, or the last of the chain between the arms."""
    limbs = _limb_joints(tree, body)
    named = [
        joint
        for joint in tree.order
        if joint not in limbs and not tree.said[joint].side and "head" in tree.said[joint].parts
    ]
    own = _trunk_joints(tree, body)  # there may be several bodies in a file
    named = [joint for joint in named if joint in own] or named
    bearing = [joint for joint in named if tree.children[joint] or joint in tree.ends]
    if named and all("neck" in tree.said[j].parts or tree.said[j].is_axis for j in named):
        return named[-1]
    if named:
        return (bearing or named)[0]
    if body.arms is None:
        return None
    starts = [
        child
        for child in tree.children[body.arms.parent]
        if child not in limbs and not (tree.said[child].is_helper and not tree.children[child])
    ]
    if not starts:
        return None
    central = [joint for joint in starts if not _is_lateral(tree, joint, body.arms)]
    up = _up(tree, body)
    rising = [joint for joint in central if _rises(tree, joint, up)]
    able = rising or central or starts
    start = max(able, key=lambda j: (tree.reach[j] + tree.length[j], -j))
    return _last_of_neck(tree, start, up)


def _rises(tree: JointTree, joint: int, up: Floats) -> bool:
    """Tell whether a joint is not below its parent, unlike those of capes and hair."""
    offset = tree.positions[joint] - tree.positions[tree.parents[joint]]
    return float(offset @ up) >= FALLING * float(np.linalg.norm(offset) * np.linalg.norm(up))


def _is_lateral(tree: JointTree, start: int, arms: Pair) -> bool:
    """Tell whether a chain leads to one side of the plane between the arms, like a wing.

    It is followed up to where it branches: children of a head may lead anywhere.
    """
    places = tree.positions
    first, second = (places[tree.chain(joint)].mean(axis=0) for joint in arms[:2])
    chain = [start]
    while len(tree.children[chain[-1]]) == 1 and len(chain) < LONGEST_CHAIN:
        chain += tree.children[chain[-1]]
    direction = places[chain].mean(axis=0) - places[arms.parent]
    across = first - second
    size = float(np.linalg.norm(direction) * np.linalg.norm(across))
    return abs(float(direction @ across)) > 0.5 * size


def _last_of_neck(tree: JointTree, start: int, up: Floats) -> int:
    """Follow a neck up to the head: to a branch, or to the last joint that moves."""
    chain = [start]
    while True:
        children = tree.children[chain[-1]]
        able = [j for j in children if tree.children[j] or not tree.said[j].is_helper]
        if not able and "neck" in tree.said[chain[-1]].parts:  # a nose in place of a head
            able = [j for j in children if not _ENDS & {*tree.said[j].words}]
        if len(able) != 1 or len(chain) >= 4 or not _rises(tree, able[0], up):
            break
        chain.append(able[0])
    last = chain[-1]
    is_end = not tree.children[last] and not tree.reach[last] and last in tree.still
    return chain[-2] if is_end and len(chain) > 1 else last


def _upper(tree: JointTree, body: Body, hips: int, head: int | None) -> dict[str, int]:
    """Assign the joints between the hips and the head."""
    top = head if head is not None else (body.arms.first if body.arms else None)
    if top is None:
        return {}
    path = tree.between(hips, top)
    necks = [joint for joint in path if "neck" in tree.said[joint].parts]
    trunk = path
    if body.arms is not None and body.arms.parent in path:
        place = path.index(body.arms.parent) + 1
        trunk = path[:place]
        if head is not None and not necks:
            necks = path[place:]
    elif body.arms is None and head is not None and not necks and len(path) > 2:
        necks = path[-1:]
    if head is not None and not necks and _is_neck_with_arms(tree, body, path):
        necks = path[-1:]
    trunk = [joint for joint in trunk if joint not in necks]
    bones = dict(zip(TRUNK, _spread_over_trunk(trunk), strict=False))
    if necks:
        bones["neck"] = necks[0]
    if head is not None:
        bones["head"] = head
        bones |= _face(tree, head)
    return bones


def _is_neck_with_arms(tree: JointTree, body: Body, path: Sequence[int]) -> bool:
    """Tell whether the joint below the head is a neck that bears the arms, without a name.

    It is above their first joints then, and a trunk is left below it. (Half-Life and old versions
    of 3ds Max attach arms to the neck.)
    """
    if body.arms is None or len(path) < 3 or path[-1] != body.arms.parent:
        return False
    if not tree.said[path[-1]].has_no_body_part:
        return False
    up = _up(tree, body)
    size = float(np.linalg.norm(tree.positions[path[-1]] - tree.positions[path[0]]))
    below = tree.positions[[*body.arms[:2]]].mean(axis=0) - tree.positions[path[-1]]
    return float(below @ up) < -ABOVE_ARMS * size


def _spread_over_trunk(trunk: Sequence[int]) -> list[int]:
    """Choose up to three joints: the lowest, the middle one and the highest."""
    if len(trunk) <= 2:
        return list(trunk)
    return [trunk[0], trunk[len(trunk) // 2], trunk[-1]]


def _face(tree: JointTree, head: int) -> dict[str, int]:
    bones: dict[str, int] = {}
    for joint in tree.below(head):
        said = tree.said[joint]
        if said.is_helper:
            continue
        if "eye" in said.parts and said.side:
            bones.setdefault(f"{said.side}Eye", joint)
        elif "jaw" in said.parts and not said.side:
            bones.setdefault("jaw", joint)
    return bones


def _up(tree: JointTree, body: Body) -> Floats:
    """Return the direction (3,) of the trunk, 0 if there is none or the rest pose is degenerate."""
    if body.legs is None or body.arms is None:
        return np.zeros(3)
    return trunk_of(tree, body.legs, body.arms)


def _sides(
    tree: JointTree, body: Body, hips: int, places: Floats
) -> list[tuple[Pair, tuple[str, str]]]:
    """Return which chain of both pairs is left: by names, else as seen from behind."""
    result = []
    for pair in (body.legs, body.arms):
        if pair is None:
            continue
        pair_sides = _named_sides(tree, pair)
        if not any(pair_sides):
            left = _leftwards(tree, body, hips, places)
            middles = [places[tree.chain(joint)].mean(axis=0) for joint in pair[:2]]
            is_left = float((middles[0] - middles[1]) @ left) >= 0
            pair_sides = ["left", "right"] if is_left else ["right", "left"]
        first = pair_sides[0] or ("right" if pair_sides[1] == "left" else "left")
        result.append((pair, (first, "right" if first == "left" else "left")))
    return result


def _named_side(tree: JointTree, start: int) -> str:
    said = [tree.said[joint].side for joint in tree.chain(start)]
    return next((side for side in said if side), "")


def _named_sides(tree: JointTree, pair: Pair) -> list[str]:
    """Return the sides that the names of two chains tell where they first differ, else ""."""
    chains = [[tree.said[joint].side for joint in tree.chain(start)] for start in pair[:2]]
    return next(([a, b] for a, b in zip(*chains, strict=False) if a != b), ["", ""])


def _leftwards(tree: JointTree, body: Body, hips: int, places: Floats) -> Floats:
    """Return the direction to the left: upwards × forwards, as the feet point."""
    assert body.legs is not None
    upper = body.arms.parent if body.arms is not None else hips
    legs = [body.limbs[joint] for joint in body.legs[:2]]
    feet = [leg.get("Foot", leg.get("LowerLeg", leg["UpperLeg"])) for leg in legs]
    up = places[upper] - (places[feet[0]] + places[feet[1]]) / 2
    up = up / max(float(np.linalg.norm(up)), 1e-12)
    forward = np.zeros(3)
    for foot in feet:
        chain = tree.chain(foot)
        forward += places[chain[-1]] - places[foot]
        if len(chain) == 1 and foot in tree.ends and places is tree.positions:
            forward += tree.ends[foot]
    forward = forward - up * float(forward @ up)
    if np.linalg.norm(forward) < 1e-3 * float(np.linalg.norm(places[upper] - places[feet[0]])):
        return np.array([1.0, 0.0, 0.0])
    left: Floats = np.cross(up, forward)
    return left


def _evidence(tree: JointTree, bone: str, joint: int) -> Evidence:
    said = tree.said[joint]
    plain = bone.removeprefix("left").removeprefix("right")
    part = "trunk" if bone in TRUNK else "eye" if plain == "Eye" else plain
    return "name" if said.finger or part in said.parts else "place"


def _in_order(bones: Mapping[str, int], tree: JointTree) -> dict[str, int]:
    """Keep the bones that are below their humanoid parents, each joint once."""
    kept: dict[str, int] = {}
    for bone in (b for b in BONES if b in bones):
        parent = nearest_parent(bone, kept)
        lone = bone in CONDITIONAL and CONDITIONAL[bone] not in kept
        misplaced = parent is not None and kept[parent] not in tree.above(bones[bone])
        if not (lone or misplaced or bones[bone] in kept.values()):
            kept[bone] = bones[bone]
    return kept

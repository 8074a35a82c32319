"""One known motion, written as BVH or glTF in the styles of exporters: names, zero poses, axes.

A style is a list of joints in a T-pose. `@` in a name is the side, a name in (brackets) is a joint
in the chain that is no bone. Rotations are those of bones in the world, from the T-pose.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ligament import transforms as tf
from ligament.extensions.humanoid.bones import BONES, PARENTS, nearest_parent
from ligament.gltf.accessors import append_accessor
from ligament.gltf.animation import Clip, Track, append_clip
from ligament.gltf.document import Document
from ligament.rig.humanoid.skeleton import Humanoid
from ligament.rig.motion.motion import Motion
from ligament.rig.retarget import retarget
from tests.rig.skeletons import humanoid

IDENTITY = np.array([0.0, 0.0, 0.0, 1.0])
FINGERS = ("Thumb", "Index", "Middle", "Ring", "Pinky")
BONE_OF_FINGER = {**{f: f for f in FINGERS}, "Pinky": "Little"}
LEG = ("UpperLeg", "LowerLeg", "Foot", "Toes")
ARM = ("Shoulder", "UpperArm", "LowerArm", "Hand")
TRUNK = ("spine", "chest", "upperChest")


@dataclasses.dataclass
class Joint:
    name: str
    parent: int
    place: np.ndarray
    bone: str | None
    end: np.ndarray | None = None


@dataclasses.dataclass
class Style:
    """The names of an exporter, and what else is in its skeletons."""

    hips: str
    trunk: Sequence[str]
    neck: Sequence[str]
    head: str
    leg: Sequence[str]
    arm: Sequence[str]
    sides: tuple[str, str] = ("Left", "Right")
    above: Sequence[str] = ()
    pelvis: str | None = None
    fingers: Callable[[str, int], str] | None = None
    metacarpal: Callable[[str], str] | None = None
    tips: Callable[[str], str] | None = None
    extras: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def joints(self) -> list[Joint]:
        """Return the joints in a T-pose [m], parents first."""
        made = _Maker(self)
        made.body()
        return made.joints


class _Maker:
    def __init__(self, style: Style) -> None:
        self.style, self.joints = style, list[Joint]()
        self.at: dict[str, int] = {}

    def add(self, name: str, parent: int, place: Any, bone: str | None) -> int:
        is_bone = not name.startswith("(")
        name = name.strip("()")
        self.joints.append(Joint(name, parent, np.array(place, float), bone if is_bone else None))
        if is_bone and bone:
            self.at[bone] = len(self.joints) - 1
        return len(self.joints) - 1

    def body(self) -> None:
        style, parent = self.style, -1
        for name in style.above:
            parent = self.add(f"({name})", parent, [0, 0, 0], None)
        hips = self.add(style.hips, parent, [0, 1.0, 0], "hips")
        count = len(style.trunk)
        heights = np.linspace(1.08, 1.32, count)
        parent = hips
        for i, name in enumerate(style.trunk):
            bone = _trunk_bone(i, count)
            parent = self.add(name, parent, [0, heights[i], 0.015 * math.sin(3.0 * i)], bone)
        chest = parent
        for i, name in enumerate(style.neck):
            bone = "neck" if i == 0 else None
            parent = self.add(name, parent, [0, 1.48 + 0.05 * i, 0.01 + 0.01 * i], bone)
        head = self.add(style.head, parent, [0, 1.6, 0.03], "head")
        self.joints[head].end = np.array([0, 0.2, 0])
        bearing = hips if style.pelvis is None else self.add(style.pelvis, hips, [0, 0.97, 0], None)
        for side, word in zip((1.0, -1.0), style.sides, strict=True):
            self.leg(bearing, side, word)
            self.arm(chest, side, word)
        for name, on in style.extras.items():
            for side, word in zip((1.0, -1.0), style.sides, strict=True):
                if "@" not in name and side < 0:
                    continue
                owner = next(
                    j for j, x in enumerate(self.joints) if x.name == on.replace("@", word)
                )
                away = self.joints[owner].place + np.array([0.03 * side, 0.02, 0.04])
                self.add(f"({name.replace('@', word)})", owner, away, None)

    def leg(self, parent: int, side: float, word: str) -> None:
        names = [name.replace("@", word) for name in self.style.leg]
        places = _along(names, [(0.095, 0.92, 0), (0.095, 0.51, 0), (0.095, 0.1, 0)], side)
        toes = [0.095 * side, 0.03, 0.14]
        bones = iter(f"{_side(side)}{bone}" for bone in LEG)
        for name, place in zip(names, [*places, toes, [0.095 * side, 0.0, 0.2]], strict=False):
            bone = None if name.startswith("(") else next(bones)
            parent = self.add(name, parent, toes if bone and bone.endswith("Toes") else place, bone)
        self.joints[parent].end = np.array([0, -0.03, 0.06])

    def arm(self, parent: int, side: float, word: str) -> None:
        names = [name.replace("@", word) for name in self.style.arm]
        kept = [name for name in names if not name.startswith("-")]
        bones = list(ARM) if len(names) == len(kept) else list(ARM[1:])
        spots = {"Shoulder": (0.03, 1.41, 0.01), "UpperArm": (0.17, 1.43, 0.0)}
        spots |= {"LowerArm": (0.45, 1.43, 0.0), "Hand": (0.71, 1.43, 0.0)}
        named = [name for name in kept if not name.startswith("(")]
        bone_of = dict(zip(named, bones, strict=False))
        last = np.array([0.03 * side, 1.41, 0.01])
        for i, name in enumerate(kept):
            bone = bone_of.get(name)
            if bone is not None:
                last = np.array(spots[bone]) * [side, 1, 1]
            else:
                ahead = next((bone_of[n] for n in kept[i + 1 :] if n in bone_of), None)
                goal = last + np.array([0.08 * side, 0, 0])
                if ahead is not None:
                    goal = np.array(spots[ahead]) * [side, 1, 1]
                last = (last + goal) / 2 if ahead else goal
            owner = f"{_side(side)}{bone}" if bone else None
            parent = self.add(name, parent, last, owner)
        hand = self.at.get(f"{_side(side)}Hand", parent)
        self.joints[hand].end = np.array([0.1 * side, 0, 0])
        if self.style.fingers is not None:
            self.hand(hand, side, word)

    def hand(self, hand: int, side: float, word: str) -> None:
        style = self.style
        assert style.fingers is not None
        for row, finger in enumerate(FINGERS):
            parent, name = hand, BONE_OF_FINGER[finger]
            if finger != "Thumb" and style.metacarpal is not None:
                metacarpal = style.metacarpal(finger).replace("@", word)
                place = [0.735 * side, 1.43, 0.02 - 0.012 * (row - 1)]
                parent = self.add(f"({metacarpal})", parent, place, None)
            segments = ("Metacarpal", "Proximal", "Distal")
            way = np.array([math.sqrt(0.5) * side, 0, math.sqrt(0.5)])
            base = np.array([0.74 * side, 1.43, 0.025])
            if finger != "Thumb":
                segments = ("Proximal", "Intermediate", "Distal")
                way, base = (
                    np.array([side, 0.0, 0]),
                    np.array([0.8 * side, 1.43, 0.05 - 0.02 * row]),
                )
            for i, segment in enumerate(segments):
                label = style.fingers(finger, i).replace("@", word)
                bone = f"{_side(side)}{name}{segment}"
                parent = self.add(label, parent, base + 0.03 * i * way, bone)
            self.joints[parent].end = 0.02 * way
            if style.tips is not None:
                self.joints[parent].end = None
                label = style.tips(finger).replace("@", word)
                tip = self.add(f"({label})", parent, base + 0.08 * way, None)
                self.joints[tip].end = np.zeros(3)


def _side(side: float) -> str:
    return "left" if side > 0 else "right"


def _trunk_bone(i: int, count: int) -> str | None:
    if count <= 3:
        return TRUNK[i]
    return "spine" if i == 0 else "upperChest" if i == count - 1 else None


def _along(names: Sequence[str], bones: Any, side: float) -> list[list[float]]:
    """Positions for names of which those in brackets stand before or between the bones."""
    waiting, result = iter(bones), list[Any]()
    ahead = [np.array(bone) * [side, 1, 1] for bone in bones]
    count = 0
    for name in names:
        if not name.startswith("("):
            place = next(waiting, None)
            if place is None:
                break
            result.append(np.array(place) * [side, 1, 1])
            count += 1
        elif count == 0:
            result.append(np.array([0.04 * side, 0.97, 0.0]))
        elif count < len(ahead):
            result.append((result[-1] + ahead[count]) / 2)
        else:
            result.append(result[-1] + [0.0, -0.03, 0.06])
    return result


# --- the motion ---


def twists_apart(joints: Sequence[Joint], turns: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Give joints that are no bones, along a limb, the twist of the bone above them."""
    result = dict(turns)
    for joint in joints:
        above = joints[joint.parent]
        length = np.linalg.norm(joint.place - above.place)
        on_limb = joint.parent >= 0 and (above.bone or "").endswith(("Arm", "Leg"))
        if joint.bone is None and on_limb and length > 0:
            assert above.bone
            axis = (joint.place - above.place) / length
            whole = turns[above.bone]
            along = (whole[:, :3] @ axis)[:, None] * axis
            twist = tf.normalize(np.concatenate([along, whole[:, 3:]], axis=1))
            result[joint.name] = twist
            result[above.bone] = tf.multiply(whole, tf.conjugate(twist))
    return result


def motion_of_bones(frames: int = 5, seed: int = 0) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Rotations (F, 4) of all bones relative to their parents, and positions of the hips (F, 3)."""
    rng = np.random.default_rng(seed)
    turns = {bone: tf.exp(rng.uniform(-0.35, 0.35, (frames, 3))) for bone in BONES}
    for side, axis in (("left", [0, -1.0, 0]), ("right", [0, 1.0, 0])):
        elbow, knee = rng.uniform(0.1, 1.5, (2, frames))
        turns[f"{side}LowerArm"] = tf.from_axis_angle(np.array(axis), elbow)
        turns[f"{side}LowerLeg"] = tf.from_axis_angle(np.array([1.0, 0, 0]), knee)
    hips = np.array([0, 1.0, 0]) + rng.uniform(-0.2, 0.2, (frames, 3))
    return turns, hips


def world_of_joints(
    joints: Sequence[Joint], turns: Mapping[str, np.ndarray]
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """World rotations from the T-pose of all joints (F, J, 4), and of the bones that there are."""
    frames = len(next(iter(turns.values())))
    world = np.zeros((frames, len(joints), 4))
    for i, joint in enumerate(joints):
        above = world[:, joint.parent] if joint.parent >= 0 else np.tile(IDENTITY, (frames, 1))
        own = turns.get(joint.bone or joint.name, np.tile(IDENTITY, (frames, 1)))
        world[:, i] = tf.multiply(above, own)
    return world, {j.bone: world[:, i] for i, j in enumerate(joints) if j.bone}


# --- zero poses: rotations from the T-pose, in the world, of the bones and all below them ---


def swung(**swings: tuple[Any, float]) -> dict[str, np.ndarray]:
    """Rotations of a zero pose: bone → (axis, degrees), about the axes of the world."""
    return {
        bone: tf.from_axis_angle(np.array(axis, float), math.radians(degrees))
        for bone, (axis, degrees) in swings.items()
    }


def arms_down(degrees: float) -> dict[str, np.ndarray]:
    z = [0, 0, 1]
    return swung(leftUpperArm=(z, -degrees), rightUpperArm=(z, degrees))


def legs_apart(degrees: float) -> dict[str, np.ndarray]:
    z = [0, 0, 1]
    return swung(leftUpperLeg=(z, degrees), rightUpperLeg=(z, -degrees))


def zero_rotations(joints: Sequence[Joint], zero: Mapping[str, np.ndarray]) -> np.ndarray:
    """World rotations (J, 4) of a zero pose from the T-pose: each swing carries what is below."""
    result = np.tile(IDENTITY, (len(joints), 1))
    for i, joint in enumerate(joints):
        above = result[joint.parent] if joint.parent >= 0 else IDENTITY
        own = zero.get(joint.bone or "", IDENTITY)
        result[i] = tf.multiply(own, above)
    return result


# --- writing ---


def bvh_text(
    joints: Sequence[Joint],
    turns: Mapping[str, np.ndarray],
    hips: np.ndarray,
    *,
    zero: np.ndarray | None = None,
    scale: float = 1.0,
    upright: np.ndarray = IDENTITY,
    order: str = "ZXY",
) -> str:
    """Write the motion as BVH; `zero` (J, 4) is its zero pose, `upright` turns the whole world."""
    zero = np.tile(IDENTITY, (len(joints), 1)) if zero is None else zero
    world, _ = world_of_joints(joints, turns)
    world = tf.multiply(world, tf.conjugate(zero))
    world = tf.multiply(tf.multiply(upright, world), tf.conjugate(upright))
    children: dict[int, list[int]] = {}
    for i, joint in enumerate(joints):
        children.setdefault(joint.parent, []).append(i)
    lines, order_of, columns = ["HIERARCHY"], list[int](), list[np.ndarray]()

    def write(i: int, depth: int) -> None:
        joint, pad = joints[i], "  " * depth
        order_of.append(i)
        parent = joint.parent
        way = joint.place - (joints[parent].place if parent >= 0 else 0)
        turn = zero[parent] if parent >= 0 else IDENTITY
        offset = tf.rotate(upright, tf.rotate(turn, way)) * scale
        moved = joint.bone == "hips"
        names = [f"{axis}rotation" for axis in order]
        names = ["Xposition", "Yposition", "Zposition", *names] if moved else names
        lines.append(f"{pad}{'ROOT' if parent < 0 else 'JOINT'} {joint.name}")
        lines.append(f"{pad}{{")
        lines.append(f"{pad}  OFFSET {' '.join(f'{x:.7f}' for x in offset)}")
        lines.append(f"{pad}  CHANNELS {len(names)} {' '.join(names)}")
        if moved:
            columns.append(tf.rotate(upright, hips) * scale)
        above = world[:, parent] if parent >= 0 else np.tile(IDENTITY, (len(hips), 1))
        local = tf.multiply(tf.conjugate(above), world[:, i])
        columns.append(np.degrees(tf.to_euler(local, order)))  # type: ignore[arg-type]
        for child in children.get(i, []):
            write(child, depth + 1)
        if i not in children:
            end = joint.end if joint.end is not None else np.zeros(3)
            end = tf.rotate(upright, tf.rotate(zero[i], end)) * scale
            numbers = " ".join(f"{x:.7f}" for x in end)
            lines.extend(
                [f"{pad}  End Site", f"{pad}  {{", f"{pad}    OFFSET {numbers}", f"{pad}  }}"]
            )
        lines.append(f"{pad}}}")

    write(0, 0)
    rows = np.concatenate(columns, axis=1)
    lines += ["MOTION", f"Frames: {len(rows)}", "Frame Time: 0.0333333"]
    lines += [" ".join(f"{value:.6f}" for value in row) for row in rows]
    return "\n".join(lines) + "\n"


def gltf_document(
    joints: Sequence[Joint],
    turns: Mapping[str, np.ndarray],
    hips: np.ndarray,
    *,
    zero: np.ndarray | None = None,
    rest_frame: int | None = None,
    bound: bool = False,
    armature: bool = False,
    seed: int | None = None,
) -> Document:
    """Write the motion as glTF, resting in a zero pose or in a frame, with or without a skin.

    With `seed` the axes of the nodes are random; an `armature` above is turned and scaled.
    """
    zero = np.tile(IDENTITY, (len(joints), 1)) if zero is None else zero
    rng = np.random.default_rng(seed)
    axes = np.tile(IDENTITY, (len(joints), 1))
    if seed is not None:
        axes = tf.normalize(rng.standard_normal((len(joints), 4)))
    world, _ = world_of_joints(joints, turns)
    places = places_of(joints, world, hips)
    bind_turn, bind_place = (
        zero,
        places_of(joints, zero[None], np.array([j.place for j in joints if j.bone == "hips"]))[0],
    )
    turn = tf.from_axis_angle([1.0, 0, 0], -math.pi / 2) if armature else IDENTITY
    size = 0.01 if armature else 1.0
    document = Document()
    nodes: list[dict[str, Any]] = document.json.setdefault("nodes", [])
    nodes.append({"name": "Armature", "rotation": turn.tolist(), "scale": [size] * 3})
    tracks, times = list[Track](), np.arange(len(hips)) / 30.0
    rest_turn = bind_turn if rest_frame is None else world[rest_frame]
    rest_place = bind_place if rest_frame is None else places[rest_frame]
    for i, joint in enumerate(joints):
        p = joint.parent
        node: dict[str, Any] = {"name": joint.name}
        local, spot = _local(p, i, rest_turn[None], rest_place[None], axes, turn, size)
        node["rotation"], node["translation"] = local[0].tolist(), spot[0].tolist()
        nodes.append(node)
        nodes[p + 1].setdefault("children", []).append(i + 1)
        local, spot = _local(p, i, world, places, axes, turn, size)
        tracks.append(Track(i + 1, "rotation", times, local))
        if joint.bone == "hips":
            tracks.append(Track(i + 1, "translation", times, spot))
    document.json["scenes"] = [{"nodes": [0]}]
    if bound:
        turned = tf.multiply(bind_turn, axes)
        matrices = tf.compose(bind_place, turned, np.full((len(joints), 3), size))
        inverse = np.linalg.inv(matrices).astype(np.float32)
        accessor = append_accessor(document, inverse)
        skin = {"joints": list(range(1, len(joints) + 1)), "inverseBindMatrices": accessor}
        document.json["skins"] = [skin]
    append_clip(document, Clip("Take", tuple(tracks)))
    return document


def several_clips(joints: Sequence[Joint], names: Sequence[str]) -> Document:
    """Write one motion as glTF, under several names."""
    document = gltf_document(joints, *motion_of_bones())
    (clip,) = document.json["animations"]
    document.json["animations"] = [{**clip, "name": name} for name in names]
    return document


def places_of(joints: Sequence[Joint], world: np.ndarray, hips: np.ndarray) -> np.ndarray:
    """World positions (F, J, 3); joints above the hips stand where they are."""
    result = np.zeros((*world.shape[:2], 3))
    for i, joint in enumerate(joints):
        if joint.bone == "hips":
            result[:, i] = hips if len(joints) and hips.shape[0] == len(world) else joint.place
        elif joint.parent < 0:
            result[:, i] = joint.place
        else:
            p = joint.parent
            result[:, i] = result[:, p] + tf.rotate(world[:, p], joint.place - joints[p].place)
    return result


def _local(p: int, i: int, world: Any, places: Any, axes: Any, turn: Any, size: float) -> Any:
    """Local rotations (F, 4) and translations (F, 3) of a joint."""
    own = tf.multiply(world[:, i], axes[i])
    above = np.tile(turn, (len(world), 1)) if p < 0 else tf.multiply(world[:, p], axes[p])
    origin = np.zeros(3) if p < 0 else places[:, p]
    spot = tf.rotate(tf.conjugate(above), places[:, i] - origin) / size
    return tf.multiply(tf.conjugate(above), own), spot


# --- judging ---


def world_of_motion(motion: Motion) -> dict[str, np.ndarray]:
    """World rotations (F, 4) of the bones of an avatar in T-pose that has all of them."""
    avatar = Humanoid(humanoid(BONES))
    pose = retarget(motion, avatar)
    result: dict[str, np.ndarray] = {}
    for i, bone in enumerate(avatar.bones):
        own = np.asarray(pose.rotation[:, i])
        parent = PARENTS[bone]
        result[bone] = own if parent is None else tf.multiply(result[parent], own)
    return result


def errors(motion: Motion, expected: Mapping[str, np.ndarray]) -> dict[str, float]:
    """Return bone → largest angle [degrees] between a motion and what it should be."""
    mine = world_of_motion(motion)
    present = set(motion.bones)
    found = {}
    for bone, rotation in expected.items():
        if bone not in present and nearest_parent(bone, present) is not None:
            found[bone] = 999.0
        else:
            found[bone] = float(np.degrees(tf.angle_between(mine[bone], rotation)).max())
    return found

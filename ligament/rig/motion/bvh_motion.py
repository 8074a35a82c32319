"""BVH as motion: inferred bones, unit, up axis and rest pose.

BVH specifies neither bones nor units nor its zero pose: all three are inferred here. The zero pose
is aligned with a T-pose; if it is degenerate (every bone along one axis), the bending of knees and
elbows determines the twist of the limbs.
"""

from __future__ import annotations

import functools
import os
from pathlib import Path

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.errors import LigamentError
from ligament.extensions.humanoid.bones import SIDES, nearest_parent
from ligament.files import name_text
from ligament.limits import DEFAULT, Limits
from ligament.options.names import TPose
from ligament.rig.humanoid.stance import IDENTITY, UP, frame_rotation, unit
from ligament.rig.humanoid.tpose import FORWARD, SEGMENTS, alignment, is_unposed, undetermined
from ligament.rig.motion.bone_map import BoneMap, Bones, read_bones
from ligament.rig.motion.bvh import Bvh, read_bvh
from ligament.rig.motion.curves import Curves
from ligament.rig.motion.find_bones import find_bones
from ligament.rig.motion.ground import sampled_frames, sole_thickness, ups_of_feet
from ligament.rig.motion.joint_motion import JointMotion, Moves, moves_of
from ligament.rig.motion.joint_tree import JointTree
from ligament.rig.motion.motion import HipsPath, Motion
from ligament.rig.motion.neutral_pose import HINGED, LEAST_BEND, mean_rotation
from ligament.rig.motion.rest_pose import (
    Assumed,
    aligned_places,
    check_frame,
    end_of_bone,
    is_given,
    is_standing_height,
    units_of,
)
from ligament.transforms.products import apply_products, product_matrices

UP_AXES = {
    "X": tf.from_axis_angle([0.0, 0.0, 1.0], np.pi / 2),
    "Y": IDENTITY,
    "Z": tf.from_axis_angle([1.0, 0.0, 0.0], -np.pi / 2),
}
"""Rotations to a world with Y up."""


def load_bvh(
    path: str | os.PathLike[str],
    *,
    scale: float | None = None,
    bones: Bones | None = None,
    t_pose: TPose = "auto",
    limits: Limits = DEFAULT,
) -> Motion:
    """Load a BVH file; `scale` is its unit of length [m], guessed from the body's size if None.

    The unit does not affect retargeting, which scales by the height of the hips.
    """
    path = Path(path)
    try:
        bvh = read_bvh(path, limits=limits)
        return motion_of_bvh(
            bvh, name=name_text(path.stem), scale=scale, bones=bones, t_pose=t_pose
        )
    except LigamentError as fault:
        raise fault.located(path) from fault.__cause__


def bone_map_of(bvh: Bvh, bones: Bones | None = None, t_pose: TPose = "auto") -> BoneMap:
    """Find which joint of a BVH file is which bone, in the zero pose or in a frame."""
    places = bvh.pose(t_pose)[1] if isinstance(t_pose, int) else bvh.rest
    tree = JointTree(bvh.names, bvh.parents, places, ends=bvh.ends, moves=_moves(bvh))
    return find_bones(tree, given=read_bones(bones), posed=bvh.pose(0)[1])


def _moves(bvh: Bvh) -> Moves:
    """Return how the joints move."""
    turned = tf.angle_between(bvh.rotation, IDENTITY).max(axis=0)
    still = frozenset(np.flatnonzero(turned < 1e-9).tolist())
    below: list[list[Floats]] = [[] for _ in bvh.names]
    for joint, offset in (*zip(bvh.parents.tolist(), bvh.offsets, strict=True), *bvh.ends):
        if joint >= 0:
            below[joint].append(offset)
    joints = {
        joint: JointMotion(bvh.rotation[:, joint], IDENTITY, np.reshape(offsets, (-1, 3)))
        for joint, offsets in enumerate(below)
    }
    return moves_of(joints, count=len(below), still=still)


def motion_of_bvh(
    bvh: Bvh,
    *,
    name: str = "motion",
    scale: float | None = None,
    bones: Bones | None = None,
    t_pose: TPose = "auto",
) -> Motion:
    """Turn a parsed BVH file into motion."""
    check_frame(t_pose, len(bvh.rotation))
    found = bone_map_of(bvh, bones, t_pose)
    if not found.bones:
        raise found.error()
    return _Capture(bvh, found, t_pose).motion(name, scale)


class _Capture:
    """A BVH file with known bones; all values are rotated so that Y is up."""

    def __init__(self, bvh: Bvh, found: BoneMap, t_pose: TPose) -> None:
        self.bvh, self.found, self.t_pose = bvh, found, t_pose
        self.joints = joints = found.bones
        self.bones = tuple(joints)
        self.frames = sampled_frames(len(bvh.rotation))
        chains = [self._chain(bone) for bone in self.bones]
        rotations = [_product(bvh.rotation[:, chain]) for chain in chains]
        places, turned = bvh.rest, np.tile(IDENTITY, (len(bvh.names), 1))
        if isinstance(t_pose, int):
            turned, places = bvh.pose(t_pose)
        nodes = list(joints.values())
        self.up = self._up_axis(places[nodes], rotations[0])
        self.upright = UP_AXES[self.up]
        self.rest: Floats = tf.rotate(self.upright, places[nodes])
        to_y_up = product_matrices(self.upright, tf.conjugate(self.upright))
        self.reference: Floats = turned[nodes] @ to_y_up.T
        self.rotation: Floats = np.stack(rotations, axis=1) @ to_y_up.T
        self.unposed = is_unposed(self.bones, self.rest)
        self.flat: set[str] = set()
        if self.unposed and not isinstance(t_pose, int):
            self.rest = tf.rotate(self.upright, self._usual_positions(chains))

    def _usual_positions(self, chains: list[list[int]]) -> Floats:
        """Return positions (B, 3) in which joints between bones are turned as in most frames.

        In a degenerate zero pose they have axes of their own, too.
        """
        places: dict[str, Floats] = {}
        for bone, chain in zip(self.bones, chains, strict=True):
            parent = nearest_parent(bone, dict(self.joints))
            place = places.get(parent or "", np.zeros(3))
            for i, joint in enumerate(chain):
                place = place + tf.rotate(self._mean(chain[:i]), self.bvh.offsets[joint])
            places[bone] = place
        return np.stack(list(places.values()))

    def _mean(self, chain: list[int]) -> Floats:
        """Return the product (4,) of the mean rotations of joints."""
        means = [mean_rotation(self.bvh.rotation[self.frames, joint]) for joint in chain]
        return functools.reduce(tf.multiply, means, IDENTITY)

    def motion(self, name: str, scale: float | None) -> Motion:
        """Assemble the motion."""
        times: Floats = np.arange(len(self.rotation), dtype=np.float64) * self.bvh.frame_time
        to_tpose = self._alignment()
        metres = self._unit() if scale is None else scale
        is_body = "hips" in self.joints
        rest = self._hips_rest(to_tpose) * metres if is_body else np.zeros(3)
        path = self._hips_path(times, metres) if is_body else None
        return Motion(
            name=name,
            rotations=(self._curves(times, to_tpose),),
            hips_rest=rest,
            hips_height=float(rest[1]),
            hips=path if rest[1] > 0 else None,
            rest_positions=self._rest_positions(to_tpose, metres, rest),
            assumed=Assumed.of(
                self.found,
                self.t_pose,
                to_tpose,
                up=self.up,
                unit=metres,
                unposed=self.unposed,
                estimated=self._estimated(),
            ),
        )

    def _alignment(self) -> Floats:
        if is_given(self.t_pose):
            return np.tile(IDENTITY, (len(self.bones), 1))
        result = alignment(self.bones, self.rest, self._bends(), tips=self._tips())
        if self.unposed and not isinstance(self.t_pose, int):
            self._put_feet_flat(result)
        return result

    def _estimated(self) -> list[str]:
        """Return the bones whose rotation no zero pose shows, and no frame either."""
        if not self.unposed or isinstance(self.t_pose, int) or is_given(self.t_pose):
            return []
        known = self.flat | set(self._bends() or ())
        return undetermined(self.bones, dict(zip(self.bones, self.rest, strict=True)), known)

    def _put_feet_flat(self, to_tpose: Floats) -> None:
        """Rotate feet as they stand on the ground in the frames, if they do."""
        at, tips = dict(zip(self.bones, self.rest, strict=True)), self._tips()
        up = tf.rotate(tf.conjugate(self.upright), UP)
        for side in SIDES:
            foot, toes = f"{side}Foot", f"{side}Toes"
            joints = [self.joints[bone] for bone in (foot, toes) if bone in at]
            ups = ups_of_feet(self.bvh, joints, up) if foot in at else {}
            turned = IDENTITY
            for bone, end in ((foot, at.get(toes, tips.get(foot))), (toes, tips.get(toes))):
                i = self.bones.index(bone) if bone in at else -1
                own = ups.get(self.joints.get(bone, -1))
                if own is not None and end is not None:
                    source = tf.rotate(self.upright, own), end - at[bone]
                    flat = frame_rotation(source, (UP, FORWARD))
                    turned = tf.multiply(flat, tf.conjugate(to_tpose[i]))
                    to_tpose[i] = flat
                    self.flat.add(bone)
                elif i >= 0:
                    to_tpose[i] = tf.multiply(turned, to_tpose[i])

    def _tips(self) -> dict[str, Floats]:
        """Return where the last bones of limbs end: end sites, or joints that are not bones.

        The end of a leg without a foot is anywhere on that foot, but better than nothing.
        """
        last: tuple[str, ...] = (*SEGMENTS, "Foot")
        if self.unposed:
            last = (*last, "Toes", "LowerLeg", "LowerArm")
        tips: dict[str, Floats] = {}
        ends = dict(self.bvh.ends)
        taken = set(self.joints.values())
        for bone, joint in self.joints.items():
            if not bone.endswith(last):
                continue
            below = [j for j, p in enumerate(self.bvh.parents) if p == joint and j not in taken]
            offset = end_of_bone(bone, self.bvh.offsets[below])
            offset = ends.get(joint) if offset is None else offset
            if offset is not None:
                i = self.bones.index(bone)
                turned = tf.rotate(self.reference[i], tf.rotate(self.upright, offset))
                tips[bone] = self.rest[i] + turned
        return tips

    def _chain(self, bone: str) -> list[int]:
        """Return the joints from below the humanoid parent down to the bone."""
        parent = nearest_parent(bone, dict(self.joints))
        stop = -1 if parent is None else self.joints[parent]
        chain, joint = [], self.joints[bone]
        while joint != stop:
            chain.append(joint)
            joint = int(self.bvh.parents[joint])
        return chain[::-1]

    def _curves(self, times: Floats, to_tpose: Floats) -> Curves:
        """Return rotations from the T-pose: T·N·T⁻¹ with the T of humanoid parent and bone."""
        to_tpose = tf.multiply(to_tpose, self.reference)
        outer = np.stack([self._outer(bone, to_tpose) for bone in self.bones])
        matrices = product_matrices(outer, tf.conjugate(to_tpose))
        values = np.ascontiguousarray(self.rotation.transpose(1, 2, 0)).transpose(2, 0, 1)
        turned = apply_products(values, matrices).transpose(1, 2, 0)
        return Curves(self.bones, times, turned, "LINEAR", is_rotation=True)

    def _outer(self, bone: str, to_tpose: Floats) -> Floats:
        parent = nearest_parent(bone, dict(self.joints))
        return IDENTITY if parent is None else np.asarray(to_tpose[self.bones.index(parent)])

    def _up_axis(self, rest: Floats, hips: Floats) -> str:
        """Return the axis along which the body stands, in the zero pose and in most frames."""
        places = dict(zip(self.bones, rest, strict=True))
        ends = ("head", "neck", "leftUpperArm", "rightUpperArm")
        top = next((places[end] for end in ends if end in places), None)
        feet = [places[b] for b in ("leftFoot", "leftLowerLeg", "leftUpperLeg") if b in places]
        if top is None or not feet or "hips" not in places:
            return "Y"
        trunk, leg = unit(top - places["hips"]), unit(feet[0] - places["hips"])
        if isinstance(self.t_pose, int):
            return next((name for axis, name in ((2, "Z"), (0, "X")) if trunk[axis] > 0.7), "Y")
        standing = tf.rotate(hips, trunk).mean(axis=0)
        for axis, name in ((2, "Z"), (0, "X")):
            stands = trunk[axis] > 0.7 and leg[axis] < -0.7
            heaped = float(trunk @ leg) > 0.5
            if (stands and standing[axis] > standing[1]) or (heaped and standing[axis] > 0.8):
                return name
        return "Y"

    def _bends(self) -> dict[str, Floats] | None:
        """Return the axes about which knees and elbows bend, where the zero pose is ambiguous."""
        if not self.unposed or isinstance(self.t_pose, int):
            return None
        bends: dict[str, Floats] = {}
        at, tips = dict(zip(self.bones, self.rest, strict=True)), self._tips()
        for upper, lower, end in HINGED:
            tip = at.get(end, tips.get(lower))
            if upper not in at or lower not in at or tip is None:
                continue
            twist = self._mean(self._chain(lower)[:-1])
            own = tf.multiply(twist, self.bvh.rotation[:, self.joints[lower]])
            own = tf.multiply(tf.multiply(self.upright, own), tf.conjugate(self.upright))
            below = tf.rotate(own, unit(tip - at[lower]))
            axis = np.cross(unit(at[lower] - at[upper]), below).mean(axis=0)
            if np.linalg.norm(axis) > LEAST_BEND:
                bends[upper] = axis
        return bends

    def _unit(self) -> float:
        """Guess the unit [m] from the distance between head and foot."""
        size = sum(
            float(np.linalg.norm(self.bvh.offsets[joint]))
            for bone in self.bones
            if bone in _STATURE
            for joint in self._chain(bone)
        )
        return units_of(size)

    def _hips_rest(self, to_tpose: Floats) -> Floats:
        """Return the hips' position in the T-pose: their offset, if feet then reach the ground.

        Many files have an offset of zero or that of some frame. Then the hips are placed as high
        above the ground as they are above the lowest end of the legs, and that in the frames.
        """
        of_joints, height = self._heights(to_tpose)
        offset: Floats = self.rest[self.bones.index("hips")]
        if is_standing_height(float(offset[1]), height, self.bones) and not self.unposed:
            return offset
        ends = [end for bone in _LEGS for end in self._ends(bone)]
        has_feet = "leftToes" in self.joints or any(np.any(end) for end in ends)
        soles = sole_thickness(self._lowest(), height, of_joints, has_feet=has_feet)
        return np.array([0.0, height + soles, 0.0])

    def _lowest(self) -> Floats:
        """Return the height of the lowest end of the legs in some frames (F,)."""
        ends = [(bone, end) for bone in _LEGS for end in self._ends(bone)]
        poses = self.bvh.follow((self.joints[bone] for bone, _ in ends), self.frames)
        heights = []
        for bone, offset in ends:
            rotation, place = poses[self.joints[bone]]
            heights.append(tf.rotate(self.upright, place + tf.rotate(rotation, offset))[:, 1])
        return np.min(heights, axis=0) if heights else np.zeros(1)

    def _rest_positions(self, to_tpose: Floats, metres: float, hips: Floats) -> dict[str, Floats]:
        places = self._aligned(to_tpose)
        return {bone: hips + place * metres for bone, place in places.items()}

    def _aligned(self, to_tpose: Floats) -> dict[str, Floats]:
        """Return positions of the bones in the T-pose, relative to the hips."""
        places = aligned_places(self.bones, self.rest, to_tpose) - self.rest[0]
        return dict(zip(self.bones, places, strict=True))

    def _heights(self, to_tpose: Floats) -> tuple[float, float]:
        """Return the heights of the hips above the lowest bone and end of legs in the T-pose."""
        places = self._aligned(to_tpose)
        turns = tf.multiply(to_tpose, self.reference)
        ends = [
            places[bone] + tf.rotate(turns[i], tf.rotate(self.upright, offset))
            for i, bone in enumerate(self.bones)
            for offset in self._ends(bone)
        ]
        lowest = min(float(place[1]) for place in places.values())
        return -lowest, -min([lowest, *(float(end[1]) for end in ends)])

    def _ends(self, bone: str) -> list[Floats]:
        """Return offsets (3,) from a bone of a leg to itself and to end sites of no other bone."""
        if bone not in _LEGS or bone not in self.joints:
            return []
        offsets, taken = [np.zeros(3)], set(self.joints.values())
        if bone.endswith("Leg") and f"{bone[: -len('UpperLeg')]}Foot" in self.joints:
            return offsets  # skirts and holsters do not stand on the ground
        for end, offset in self.bvh.ends:
            joint, whole = end, offset
            while joint not in taken and joint >= 0:
                whole = whole + self.bvh.offsets[joint]
                joint = int(self.bvh.parents[joint])
            if joint == self.joints[bone]:
                offsets.append(whole)
        return offsets

    def _hips_path(self, times: Floats, metres: float) -> HipsPath | None:
        if not any(joint in self.bvh.moved for joint in self._chain("hips")):
            return None
        path = self._hips_places() * metres
        return HipsPath(Curves(("hips",), times, np.ascontiguousarray(path.T)[None]))

    def _hips_places(self) -> Floats:
        """Return the positions of the hips in every frame (F, 3), in the unit of the file."""
        place, rotation = np.zeros((len(self.rotation), 3)), IDENTITY
        for joint in self._chain("hips"):
            place = place + tf.rotate(rotation, self.bvh.places[:, joint])
            rotation = tf.multiply(rotation, self.bvh.rotation[:, joint])
        result: Floats = tf.rotate(self.upright, place)
        return result


_LEGS = tuple(
    f"{side}{bone}" for side in SIDES for bone in ("UpperLeg", "LowerLeg", "Foot", "Toes")
)
_STATURE = (
    *("spine", "chest", "upperChest", "neck", "head"),
    *("leftUpperLeg", "leftLowerLeg", "leftFoot"),
)


def _product(rotation: Floats) -> Floats:
    """Multiply the rotations (F, n, 4) of a chain of joints, outermost first."""
    return functools.reduce(tf.multiply, [rotation[:, i] for i in range(rotation.shape[1])])

"""BVH to motion: bones by name, unit, up axis and rest pose.

BVH names neither bones nor units, nor says what pose its zeros are: all three are inferred here.
The zero pose is aligned with a T-pose; where it is no pose at all (every bone along one axis) the
bending of knees and elbows settles how the limbs are twisted.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.errors import ContentError, FileError, LigamentError
from ligament.limits import DEFAULT, Limits
from ligament.rig.humanoid.bones import nearest_parent
from ligament.rig.humanoid.tpose import alignment, is_unposed
from ligament.rig.motion.bvh import Bvh, parse_bvh
from ligament.rig.motion.curves import Curves
from ligament.rig.motion.joint_names import find_bones
from ligament.rig.motion.motion import HipsPath, Motion
from ligament.transforms.products import apply_products, product_matrices

IDENTITY = np.array([0.0, 0.0, 0.0, 1.0])
FROM_Z_UP = tf.from_axis_angle([1.0, 0.0, 0.0], -np.pi / 2)
LEAST_BEND = 0.02
"""Least average bend (a sine) of knees or elbows that shows how a limb is twisted."""


def load_bvh(
    path: str | os.PathLike[str], *, scale: float | None = None, limits: Limits = DEFAULT
) -> Motion:
    """Load a BVH file; `scale` is its unit of length [m], guessed by the size of the body if None.

    The unit does not matter for retargeting, which goes by the height of the hips.
    """
    path = Path(path)
    try:
        with open(path, "rb") as stream:
            data = stream.read(limits.text_bytes + 1)
    except OSError as fault:
        reason = fault.strerror or str(fault)
        raise FileError(f"cannot be read ({reason})", file=path, remedy="check the path") from fault
    try:
        limits.require("text_bytes", len(data), "bytes of text or more")
        text = data.decode("utf-8-sig", errors="replace")
        return motion_of_bvh(parse_bvh(text), name=path.stem, scale=scale)
    except LigamentError as fault:
        raise fault.located(path) from fault.__cause__


def motion_of_bvh(bvh: Bvh, *, name: str = "motion", scale: float | None = None) -> Motion:
    """Turn a parsed BVH file into motion."""
    joints = find_bones(bvh.names, bvh.parents)
    if not joints:
        raise ContentError(
            f"the joints are not named like a humanoid's: {', '.join(bvh.names[:6])[:99]}, …",
            remedy="rename them as a common exporter does (Hips, Spine, LeftUpLeg, LeftArm, …)",
        )
    return _Capture(bvh, joints).motion(name, scale)


class _Capture:
    """A BVH file whose bones are known; everything below is turned so that Y is up."""

    def __init__(self, bvh: Bvh, joints: Mapping[str, int]) -> None:
        self.bvh = bvh
        self.joints = joints
        self.bones = tuple(joints)
        chains = [self._chain(bone) for bone in self.bones]
        rotations = [_product(bvh.rotation[:, chain]) for chain in chains]
        rest = bvh.rest[list(joints.values())]
        self.upright = FROM_Z_UP if self._is_z_up(rest, rotations[0]) else IDENTITY
        self.rest: Floats = tf.rotate(self.upright, rest)
        to_y_up = product_matrices(self.upright, tf.conjugate(self.upright))
        self.rotation: Floats = np.stack(rotations, axis=1) @ to_y_up.T

    def motion(self, name: str, scale: float | None) -> Motion:
        """Put the parts together."""
        times: Floats = np.arange(len(self.rotation), dtype=np.float64) * self.bvh.frame_time
        to_tpose = alignment(self.bones, self.rest, self._bends())
        metres = self._unit() if scale is None else scale
        rest = self._hips_rest(to_tpose) * metres
        path = self._hips_places() * metres
        moves = any(joint in self.bvh.moved for joint in self._chain("hips"))
        place = Curves(("hips",), times, np.ascontiguousarray(path.T)[None])
        return Motion(
            name=name,
            rotations=(self._curves(times, to_tpose),),
            hips_rest=rest,
            hips_height=float(rest[1]),
            hips=HipsPath(place) if moves else None,
        )

    def _chain(self, bone: str) -> list[int]:
        """Joints from below the humanoid parent down to the bone."""
        parent = nearest_parent(bone, dict(self.joints))
        stop = -1 if parent is None else self.joints[parent]
        chain, joint = [], self.joints[bone]
        while joint != stop:
            chain.append(joint)
            joint = int(self.bvh.parents[joint])
        return chain[::-1]

    def _curves(self, times: Floats, to_tpose: Floats) -> Curves:
        """Rotations from the T-pose: T·N·T⁻¹ with the T of the humanoid parent and of the bone."""
        outer = np.stack([self._outer(bone, to_tpose) for bone in self.bones])
        matrices = product_matrices(outer, tf.conjugate(to_tpose))
        values = np.ascontiguousarray(self.rotation.transpose(1, 2, 0)).transpose(2, 0, 1)
        turned = apply_products(values, matrices).transpose(1, 2, 0)
        return Curves(self.bones, times, turned, "LINEAR", is_rotation=True)

    def _outer(self, bone: str, to_tpose: Floats) -> Floats:
        parent = nearest_parent(bone, dict(self.joints))
        outer: Floats = IDENTITY if parent is None else to_tpose[self.bones.index(parent)]
        return outer

    def _is_z_up(self, rest: Floats, hips: Floats) -> bool:
        """Whether the body stands along Z, in the zero pose and most of the time."""
        places = dict(zip(self.bones, rest, strict=True))
        ends = ("head", "leftUpperArm", "rightUpperArm")
        trunk = _unit(next(places[end] for end in ends if end in places) - places["hips"])
        leg = _unit(places.get("leftFoot", places["leftUpperLeg"]) - places["hips"])
        standing = tf.rotate(hips, trunk).mean(axis=0)
        return bool(trunk[2] > 0.7 and leg[2] < -0.7 and standing[2] > standing[1])

    def _bends(self) -> dict[str, Floats] | None:
        """Axes about which knees and elbows bend, where the zero pose does not tell."""
        if not is_unposed(self.bones, self.rest):
            return None
        bends = {}
        for upper, lower, end in _HINGED:
            if not {upper, lower, end} <= set(self.bones):
                continue
            at = [self.bones.index(bone) for bone in (upper, lower, end)]
            first, second = _unit(self.rest[at[1]] - self.rest[at[0]]), self.rest[at[2]]
            below = tf.rotate(self.rotation[:, at[1]], _unit(second - self.rest[at[1]]))
            axis = np.cross(first, below).mean(axis=0)
            if np.linalg.norm(axis) > LEAST_BEND:
                bends[upper] = axis
        return bends

    def _unit(self) -> float:
        """Guess the unit [m] by the length from head to foot: metre, centimetre, millimetre."""
        size = sum(
            float(np.linalg.norm(self.bvh.offsets[joint]))
            for bone in self.bones
            if bone in _STATURE
            for joint in self._chain(bone)
        )
        return 1.0 if size < 10 else 0.01 if size < 1000 else 0.001

    def _hips_rest(self, to_tpose: Floats) -> Floats:
        """Return where the hips are in the T-pose: at their offset, if feet then reach the ground.

        Many files leave the offset at zero or at some frame's place. Then the hips are put as
        high above the ground as they are above the lowest end of the legs.
        """
        height = self._height(to_tpose)
        offset: Floats = self.rest[self.bones.index("hips")]
        if 0.75 * height < offset[1] < 1.5 * height and not is_unposed(self.bones, self.rest):
            return offset
        return np.array([0.0, height, 0.0])

    def _height(self, to_tpose: Floats) -> float:
        """Return how far the hips are above the lowest end of the legs in the T-pose."""
        places: dict[str, Floats] = {}
        for i, bone in enumerate(self.bones):
            parent = nearest_parent(bone, dict(self.joints))
            if parent is None:
                places[bone] = np.zeros(3)
                continue
            p = self.bones.index(parent)
            places[bone] = places[parent] + tf.rotate(to_tpose[p], self.rest[i] - self.rest[p])
        ends = [
            places[bone] + tf.rotate(to_tpose[i], tf.rotate(self.upright, offset))
            for i, bone in enumerate(self.bones)
            for joint, offset in self.bvh.ends
            if joint == self.joints[bone]
        ]
        return -min(float(place[1]) for place in (*places.values(), *ends))

    def _hips_places(self) -> Floats:
        """Return where the hips are in every frame (F, 3), in the unit of the file."""
        place, rotation = np.zeros((len(self.rotation), 3)), IDENTITY
        for joint in self._chain("hips"):
            place = place + tf.rotate(rotation, self.bvh.places[:, joint])
            rotation = tf.multiply(rotation, self.bvh.rotation[:, joint])
        result: Floats = tf.rotate(self.upright, place)
        return result


_HINGED = tuple(
    (f"{side}Upper{limb}", f"{side}Lower{limb}", f"{side}{end}")
    for side in ("left", "right")
    for limb, end in (("Leg", "Foot"), ("Arm", "Hand"))
)
_STATURE = (
    *("spine", "chest", "upperChest", "neck", "head"),
    *("leftUpperLeg", "leftLowerLeg", "leftFoot"),
)


def _product(rotation: Floats) -> Floats:
    """Multiply the rotations (F, n, 4) of a chain of joints, outermost first."""
    result = rotation[:, 0]
    for i in range(1, rotation.shape[1]):
        result = tf.multiply(result, rotation[:, i])
    return result


def _unit(vector: Floats) -> Floats:
    result: Floats = vector / max(float(np.linalg.norm(vector)), 1e-12)
    return result

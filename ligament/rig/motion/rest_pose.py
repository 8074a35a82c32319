"""Rest poses of motion files: the reference pose of motion, and assumptions."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Iterable, Sequence

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.errors import ContentError
from ligament.extensions.humanoid.bones import nearest_parent
from ligament.options.names import TPose
from ligament.rig.humanoid.stance import IDENTITY
from ligament.rig.motion.bone_map import BoneMap, listed

METRIC = (1.0, 0.01, 0.001, 0.1)
OTHER = (0.0254, 0.3048, 0.08, 0.0254 / 0.45)
"""Units of length in use [m]: inches, feet, MMD's, and that of CMU's .asf files."""

STATURE = (1.05, 2.2)
"""Smallest and largest distance from head to foot of people and characters [m]."""

TYPICAL = 1.5
"""The usual distance [m]; the head joint is where the neck ends."""


FURTHEST = 0.75
"""Least distance from the ankle of children that are toes, relative to that of the furthest."""


def end_of_bone(bone: str, offsets: Floats) -> Floats | None:
    """Return where a bone without a humanoid child ends: its only child, or a foot's single toes.

    `offsets` (n, 3) are those of its children; None if they do not show it.
    """
    if len(offsets) == 1:
        return np.asarray(offsets[0])
    lengths = np.linalg.norm(offsets, axis=-1)
    if not bone.endswith("Foot") or not lengths.any():
        return None
    toes: Floats = offsets[lengths >= FURTHEST * lengths.max()]
    return np.asarray(toes.mean(axis=0))


@dataclasses.dataclass(frozen=True)
class Assumed:
    """Assumptions about a motion file that does not state them.

    `rest` is the pose that the motion is measured from ("zero pose", "bind pose", "rest pose",
    "pose without rotations", "mean of the frames", "no pose at all", "frame 3"), `corrected` the
    rotations of bones from there to a T-pose [degrees] above a tenth; `up` the up axis, `unit` the
    unit of length [m]. `estimated` are the bones whose rotation in a T-pose the file does not
    determine: a usual one, or the mean of the frames, takes its place.
    """

    bone_map: BoneMap
    rest: str
    corrected: dict[str, float]
    up: str = "Y"
    unit: float = 1.0
    estimated: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        bone_map: BoneMap,
        t_pose: TPose,
        to_tpose: Floats,
        *,
        up: str = "Y",
        unit: float = 1.0,
        rest: str = "zero pose",
        unposed: bool = False,
        estimated: Iterable[str] = (),
    ) -> Assumed:
        """Collect the assumptions."""
        if isinstance(t_pose, int):
            rest = f"frame {t_pose}"
        elif unposed:
            rest = "no pose at all"
        corrected = _corrections(tuple(bone_map.bones), to_tpose)
        return cls(bone_map, rest, corrected, up, unit, tuple(estimated))

    def __str__(self) -> str:
        """Describe them in one line."""
        sure = f"{len(self.bone_map.bones)} bones found ({self.bone_map.confidence:.0%} sure)"
        away = sorted(self.corrected.items(), key=lambda item: -item[1])
        turned = ", ".join(f"{bone} {angle:.0f}°" for bone, angle in away[:3])
        pose = (
            f"{self.rest} turned into a T-pose ({turned})" if turned else f"{self.rest} as T-pose"
        )
        guess = f"; estimated: {listed(self.estimated)}" if self.estimated else ""
        return f"{sure}; {pose}; {self.up} up; unit {self.unit:g} m{guess}"


def _corrections(bones: Sequence[str], to_tpose: Floats) -> dict[str, float]:
    turned = np.degrees(tf.angle_between(to_tpose, IDENTITY))
    return {b: float(a) for b, a in zip(bones, turned, strict=True) if a > 0.1}


def is_given(t_pose: TPose) -> bool:
    """Tell whether the user declares the rest pose to be a T-pose."""
    return t_pose == "given"


def check_frame(t_pose: TPose, frames: int) -> None:
    """Refuse a frame that the motion does not have."""
    if isinstance(t_pose, int):
        if not 0 <= t_pose < frames:
            raise ContentError(f"there is no frame {t_pose}", remedy=f"use 0 to {frames - 1}")
    elif t_pose not in ("auto", "given"):
        raise ContentError(f"unknown T-pose {t_pose!r}", remedy="use auto, given or a frame")


def units_of(size: float) -> float:
    """Guess the unit [m] of a distance from head to foot: metric, if plausible for a person."""
    if not size > 0:
        return 1.0
    least, most = STATURE
    for units in (METRIC, OTHER):
        fitting = [unit for unit in units if least <= size * unit <= most]
        if fitting:
            return min(fitting, key=lambda unit: abs(math.log(size * unit / TYPICAL)))
    return min(METRIC, key=lambda unit: abs(math.log(size * unit / TYPICAL)))


def is_standing_height(own: float, height: float, bones: Collection[str]) -> bool:
    """Tell whether hips `own` above 0 stand there, `height` above the lowest end of the legs.

    Legs that end at the knee, since their feet are driven separately, are less reliable.
    """
    has_feet = any(bone.endswith("Foot") for bone in bones)
    return 0.75 * height < own < (1.5 if has_feet else 3.0) * height


def aligned_places(bones: tuple[str, ...], places: Floats, to_tpose: Floats) -> Floats:
    """Return positions (B, 3) of the bones after rotating each, with the hips in place."""
    result = places.copy()
    at = {bone: i for i, bone in enumerate(bones)}
    for i, bone in enumerate(bones):
        parent = nearest_parent(bone, at)
        if parent is not None:
            p = at[parent]
            result[i] = result[p] + tf.rotate(to_tpose[p], places[i] - places[p])
    return result

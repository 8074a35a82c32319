"""Skeleton summaries: which joints are bones, with what confidence, and what is missing."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np

from ligament.errors import LigamentError
from ligament.gltf.document import Document
from ligament.rig.humanoid.skeleton import find_dialect
from ligament.rig.motion import bvh_motion, gltf_motion, gltf_skeleton
from ligament.rig.motion.bone_map import CONFIDENCE, BoneMap
from ligament.rig.motion.bvh import Bvh
from ligament.rig.motion.rest_pose import Assumed
from ligament.text import Answer, Line, Table, plain

MAX_ROWS = 20
"""Most joints that are listed by name."""

MAX_MEMBERS = 5
"""Most channels and turned bones that are listed."""


class SkeletonSummary(Answer, msgspec.Struct):
    """A skeleton that was found: bone → joint, confidence, and unused joints.

    `rest` is the pose that motion is measured from, `corrected` the rotations from there to a
    T-pose [degrees], `estimated` the bones whose rotation there the file does not determine.
    """

    joints: int
    bones: dict[str, str]
    evidence: dict[str, str]
    confidence: dict[str, float]
    sure: float
    missing: list[str]
    left_over: list[str]
    rest: str = ""
    corrected: dict[str, float] = {}
    up: str = "Y"
    unit: float = 1.0
    estimated: list[str] = []

    def lines(self) -> Iterator[Line]:
        """Yield the joint of each bone, its confidence, and what is missing."""
        yield f"skeleton: joints {self.joints}, bones {len(self.bones)}, {self.sure:.0%} sure"
        if self.bones:
            rows = [
                (bone, plain(joint), self.evidence[bone], f"{self.confidence[bone]:.0%}")
                for bone, joint in self.bones.items()
            ]
            yield Table(("bone", "joint", "found by", "sure"), rows)
        yield f"missing: {', '.join(self.missing) or 'no required bone'}"
        left = [plain(name) for name in self.left_over if name]
        yield f"left over: {_first(left) or 'none'}"
        if self.rest:
            away = sorted(self.corrected.items(), key=lambda item: -item[1])[:MAX_MEMBERS]
            turned = ", ".join(f"{bone} {angle:.1f}°" for bone, angle in away) or "nothing"
            yield (
                f"measured from: {self.rest}; turned into a T-pose: {turned}; "
                f"{self.up} up, unit {self.unit:g} m"
            )
        if self.estimated:
            yield f"estimated, since the file does not show it: {_first(self.estimated)}"


class MotionSummary(Answer, msgspec.Struct):
    """Summary of a BVH file."""

    file: str | None
    container: str
    frames: int
    seconds: float
    rate: float
    channels_move: list[str]
    skeleton: SkeletonSummary
    notes: list[str]

    def lines(self) -> Iterator[Line]:
        """Yield what `ligament info` prints."""
        if self.file is not None:
            yield plain(self.file)
        yield f"{self.container}, {self.frames} frames, {self.seconds:.3f} s, {self.rate:.2f} Hz"
        moved = ", ".join(plain(name) for name in self.channels_move[:MAX_MEMBERS]) or "nothing"
        yield f"position channels: {moved}"
        yield from self.skeleton.lines()


def _first(names: list[str]) -> str:
    more = f" and {len(names) - MAX_ROWS} more" if len(names) > MAX_ROWS else ""
    return f"{', '.join(names[:MAX_ROWS])}{more}"


def skeleton_of(document: Document) -> SkeletonSummary | None:
    """Return the inferred skeleton of a glTF file that declares none, None if not found."""
    moves = document.array("skins") or document.array("animations")
    if find_dialect(document) is not None or not moves:
        return None
    try:
        assumed = _assumed_of_clip(document)
        if assumed is not None:
            return _summary(assumed.bone_map, assumed)
        found = gltf_skeleton.bone_map_of(document)
        if "hips" not in found.bones:
            skinned = bool(document.array("skins"))
            return _summary(found, None) if skinned else None
        return _summary(found, gltf_skeleton.find_skeleton(document).assumed)
    except LigamentError:
        return None


def _assumed_of_clip(document: Document) -> Assumed | None:
    """Return what loading the first animation assumes, None without one that moves a body."""
    if not document.array("animations"):
        return None
    try:
        assumed = gltf_motion.read_motion(document).assumed
    except LigamentError:
        return None
    return assumed if assumed is not None and "hips" in assumed.bone_map.bones else None


def inspect_bvh(bvh: Bvh, file: str | None = None) -> MotionSummary:
    """Summarize BVH, perhaps that of a file."""
    found = bvh_motion.bone_map_of(bvh)
    return MotionSummary(
        file=file,
        container="BVH",
        frames=len(bvh.rotation),
        seconds=float((len(bvh.rotation) - 1) * bvh.frame_time),
        rate=float(1 / bvh.frame_time),
        channels_move=[bvh.names[joint] for joint in sorted(bvh.moved)],
        skeleton=_summary(found, _assumed(bvh, found)),
        notes=list(bvh.notes),
    )


def _assumed(bvh: Bvh, found: BoneMap) -> Assumed | None:
    return bvh_motion.motion_of_bvh(bvh).assumed if "hips" in found.bones else None


def _summary(found: BoneMap, assumed: Assumed | None) -> SkeletonSummary:
    skeleton = SkeletonSummary(
        joints=len(found.names),
        bones={bone: found.names[joint] for bone, joint in found.bones.items()},
        evidence=dict(found.evidence),
        confidence={bone: CONFIDENCE[how] for bone, how in found.evidence.items()},
        sure=round(found.confidence, 3),
        missing=list(found.missing),
        left_over=list(found.left_over),
    )
    if assumed is None:
        return skeleton
    return msgspec.structs.replace(
        skeleton,
        rest=assumed.rest,
        corrected={bone: float(np.round(a, 1)) for bone, a in assumed.corrected.items()},
        up=assumed.up,
        unit=assumed.unit,
        estimated=list(assumed.estimated),
    )

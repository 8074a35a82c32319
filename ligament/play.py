"""The time line: animation, then node constraints, frame by frame into a recording."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ligament.errors import ContentError, LimitError
from ligament.gltf.animation import Clip, read_clip, sample_pose
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree
from ligament.recording import Recording
from ligament.rig import NodeConstraints

MAX_FRAMES = 1_000_000

PHYSICS = (
    "KHR_physics_rigid_bodies",
    "KHR_rigid_bodies",
    "MSFT_rigid_bodies",
    "OMI_physics_body",
    "OMI_physics_joint",
)


def simulate(
    document: Document,
    *,
    seconds: float | None = None,
    rate: float = 60.0,
    animations: Sequence[str] | None = None,
) -> Recording:
    """Play a document and record it.

    All animations start together at 0 s and hold their last pose; `animations` chooses some by
    name. `seconds` is the length [s], by default that of the chosen animations; `rate` the number
    of frames per second [Hz].

    >>> recording = simulate(load("avatar.vrm"), rate=30)
    """
    _warn_of_physics(document)
    tree = NodeTree(document)
    constraints = NodeConstraints(document)
    clips = choose_clips(document, animations)
    longest = max((clip.end for clip in clips), default=0.0)
    times = frame_times(longest if seconds is None else seconds, rate)
    pose = sample_pose(tree, clips, times)
    rotation = constraints.solve(pose.rotation, pose.translation, pose.scale)
    animated = [t.node for clip in clips for t in clip.tracks if t.path != "weights"]
    destinations = [constraint.destination for constraint in constraints.constraints]
    moved = np.unique(np.array([*animated, *destinations], np.int64))
    return Recording(
        times,
        moved,
        pose.translation[:, moved],
        np.asarray(rotation)[:, moved],
        pose.scale[:, moved],
    )


def _warn_of_physics(document: Document) -> None:
    used = document.json.get("extensionsUsed")
    found = [name for name in PHYSICS if isinstance(used, list) and name in used]
    if found:
        what = f"{', '.join(found)}: bodies and joints are not simulated yet"
        document.warn(f"{what}; only animation and constraints are played", "/extensionsUsed")


def choose_clips(document: Document, names: Sequence[str] | None) -> list[Clip]:
    """Read the animations with these names; None means all, an empty sequence none."""
    clips = [read_clip(document, i) for i in range(len(document.array("animations")))]
    if names is None:
        return clips
    known = {clip.name for clip in clips}
    for name in names:
        if name not in known:
            listed = ", ".join(sorted(map(repr, known))) or "none"
            raise ContentError(
                f"there is no animation {name!r}",
                file=document.path,
                pointer="/animations",
                remedy=f"the file has {listed}",
            )
    return [clip for clip in clips if clip.name in names]


def frame_times(seconds: float, rate: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the times [s] of frames at `rate` [Hz] from 0 to the first at or after `seconds`."""
    if not (math.isfinite(seconds) and seconds >= 0):
        raise ContentError(f"a length of {seconds} s", remedy="it must be 0 or more")
    if not (math.isfinite(rate) and rate > 0):
        raise ContentError(f"a rate of {rate} Hz", remedy="it must be above 0")
    frames = math.ceil(seconds * rate - 1e-6) + 1
    if frames > MAX_FRAMES:
        raise LimitError(f"{frames} frames", remedy=f"at most {MAX_FRAMES} are recorded at once")
    return np.arange(frames) / rate

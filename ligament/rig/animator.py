"""Animated node poses of a document: animations, then node constraints, before physics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ligament.arrays import Floats
from ligament.errors import ContentError
from ligament.gltf.animation import Clip, Pose, read_clip, sample_pose
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree
from ligament.rig.constraints import NodeConstraints

CHUNK = 1 << 20
"""About how many transforms are worked on at once, so that memory stays bounded."""


class Animator:
    """Poses of all nodes at any time.

    `driven` are the nodes that an animation or a constraint moves; `playing` are the indices of the
    animations; `duration` [s] is that of the longest one.
    """

    def __init__(
        self, document: Document, *, animations: Sequence[str] | None = None, loop: bool = False
    ) -> None:
        self.document = document
        self.tree = NodeTree(document)
        self.constraints = NodeConstraints(document)
        clips = choose_clips(document, animations)
        self.playing, self.clips = frozenset(clips), [*clips.values()]
        self.loop = loop
        self.duration = max((clip.end for clip in self.clips), default=0.0)
        self.driven = frozenset(
            [t.node for clip in self.clips for t in clip.tracks if t.path != "weights"]
            + [constraint.destination for constraint in self.constraints.constraints]
        )

    def pose(self, times: Floats) -> Pose:
        """Return the local transforms (F, N, …) of all nodes at `times` (F,) [s]."""
        pose = sample_pose(self.tree, self.clips, times, loop=self.loop)
        return self.constrained(pose)

    def start(self) -> Pose:
        """Return the local transforms (N, …) of all nodes at time 0."""
        return Pose(*(values[0] for values in self.pose(np.zeros(1))))

    def constrained(self, pose: Pose) -> Pose:
        """Return a pose after its node constraints."""
        if not self.constraints.constraints:
            return pose
        rotation = self.constraints.solve(pose.rotation, pose.translation, pose.scale)
        return pose._replace(rotation=np.asarray(rotation))

    def chunks(self, frames: int) -> Iterable[slice]:
        """Split frames into chunks of bounded size."""
        size = max(1, CHUNK // max(1, len(self.tree)))
        return (slice(start, start + size) for start in range(0, frames, size))


def choose_clips(document: Document, names: Sequence[str] | None) -> dict[int, Clip]:
    """Read the animations with these names, by index; None means all, an empty sequence none."""
    clips = {i: read_clip(document, i) for i in range(len(document.array("animations")))}
    if names is None:
        return clips
    known = {clip.name for clip in clips.values()}
    for name in names:
        if name not in known:
            listed = ", ".join(sorted(map(repr, known))) or "none"
            raise ContentError(
                f"there is no animation {name!r}",
                file=document.path,
                pointer="/animations",
                remedy=f"the file has {listed}",
            )
    return {index: clip for index, clip in clips.items() if clip.name in names}

"""Animated node poses of a document: animations, node constraints, spring bones; no physics."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cached_property, partial
from typing import get_args

import numpy as np

from ligament.arrays import Bools, Floats
from ligament.errors import ContentError, nearest
from ligament.extensions.registry import VRM, VRMC_SPRING_BONE
from ligament.gltf.animation import (
    Clip,
    Pose,
    animated_nodes,
    clip_times,
    read_clip,
    sample_pose,
    sample_weights,
)
from ligament.gltf.document import Document
from ligament.gltf.jumps import find_jumps
from ligament.gltf.skinning import mesh_weights
from ligament.gltf.tree import NodeTree
from ligament.options.names import SpringMode
from ligament.rig.constraints import NodeConstraints
from ligament.rig.springs import SpringBones
from ligament.rig.springs.track import SpringTrack

SPRING_EXTENSIONS = (VRMC_SPRING_BONE, VRM)
"""The extensions that declare spring bones."""

SPRING_MODES: tuple[SpringMode, ...] = get_args(SpringMode)

CHUNK = 1 << 20
"""Approximate number of transforms processed at once, to bound memory."""


class Animator:
    """Poses of all nodes at any time.

    `driven` are the nodes moved or rotated by an animation or a constraint; `animated` are all
    nodes that an animation changes, by property; `changed` are those whose local transform changes
    in any way. `playing` are the indices of the animations; `duration` [s] is that of the longest.
    Spring bones are simulated if a frame `rate` [Hz] and a `spring_mode` are given.
    """

    def __init__(
        self,
        document: Document,
        *,
        animations: Sequence[str] | None = None,
        loop: bool = False,
        rate: float | None = None,
        spring_mode: SpringMode = "reference",
    ) -> None:
        self.document = document
        self.tree = NodeTree(document)
        self.constraints = NodeConstraints(document, strict=False)
        clips = choose_clips(document, animations)
        self.playing, self.clips = frozenset(clips), [*clips.values()]
        self.loop = loop
        self.duration = max((clip.end for clip in self.clips), default=0.0)
        animated = animated_nodes(self.clips)
        constrained = frozenset(c.destination for c in self.constraints.constraints)
        self.springs = self._springs(rate, spring_mode)
        if self.springs is not None:
            constrained |= frozenset(self.springs.springs.nodes.tolist())
        self.animated = animated._replace(
            moved=animated.moved | constrained, rotated=animated.rotated | constrained
        )
        self.driven = self.animated.moved
        self.changed = self.driven | self.animated.scaled

    def pose(self, times: Floats) -> Pose:
        """Return the local transforms (F, N, …) of all nodes at `times` (F,) [s]."""
        pose = self.unsprung(times)
        if self.springs is not None:
            pose.rotation[:, self.springs.springs.nodes] = self.springs.rotations(times)
        return pose

    def unsprung(self, times: Floats) -> Pose:
        """Return the same pose without spring bones."""
        return self.constrained(sample_pose(self.tree, self.clips, times, loop=self.loop))

    def start(self) -> Pose:
        """Return the local transforms (N, …) of all nodes at time 0."""
        return Pose(*(values[0] for values in self.pose(np.zeros(1))))

    def constrained(self, pose: Pose) -> Pose:
        """Return a pose with node constraints solved."""
        if not self.constraints.constraints:
            return pose
        rotation = self.constraints.solve(pose.rotation, pose.translation, pose.scale)
        return pose._replace(rotation=np.asarray(rotation))

    def _springs(self, rate: float | None, mode: SpringMode) -> SpringTrack | None:
        """Return the spring bones that swing, and report what is wrong with them."""
        if mode not in SPRING_MODES:
            remedy = f"use {', '.join(SPRING_MODES)}"
            raise ContentError(f"unknown spring mode {mode!r}", remedy=remedy)
        declared = any(self.document.extension(name) is not None for name in SPRING_EXTENSIONS)
        if rate is None or mode == "none" or not declared:
            return None
        springs = SpringBones(self.document, self.tree)
        self.document.warn_of(springs.findings)
        if not springs:
            return None
        return SpringTrack(springs, rate, mode, self.unsprung, partial(self.resets, mode=mode))

    def resets(self, times: Floats, step: float, *, mode: SpringMode) -> Bools:
        """Return which spring joints (F, J) are reset at evenly spaced times [s].

        All are reset where a clip restarts; in steady mode also those below nodes whose keys jump.
        """
        nodes = np.zeros(0, np.intp) if self.springs is None else self.springs.springs.nodes
        seconds = np.append(times[0] - step, times)
        marks = np.zeros((len(times), len(nodes)), bool)
        if mode == "steady":
            above = self.tree.parents[nodes]
            jumps = self.jumps(np.maximum(seconds, 0.0))
            marks |= jumps[:, above] & (above >= 0)
        if self.loop:
            for clip in self.clips:
                at = clip_times(clip, np.maximum(seconds, 0.0), loop=True)
                marks |= (np.diff(at) < 0)[:, None]
        return marks

    def weights(self, times: Floats) -> dict[int, Floats]:
        """Return the animated weights (F, W) of morph targets, by node."""
        return sample_weights(self._weights, self.clips, times, loop=self.loop)

    @cached_property
    def _weights(self) -> dict[int, Sequence[float]]:
        """Weights at rest of the nodes whose weights are animated."""
        return {node: mesh_weights(self.document, node) for node in self.animated.weighted}

    def jumps(self, times: Floats, free: Collection[int] = ()) -> Bools:
        """Return whether nodes (F - 1, N) jump between consecutive times (F,) [s].

        Descendants jump with a node, as do nodes that follow it by a constraint; `free` nodes do
        not follow their ancestors.
        """
        jumps = find_jumps(len(self.tree), self.clips, times, loop=self.loop)
        if jumps.any():
            pairs = [(c.source, c.destination) for c in self.constraints.constraints]
            self._spread(jumps, free)
            for _ in pairs:
                for source, destination in pairs:
                    jumps[:, destination] |= jumps[:, source]
                self._spread(jumps, free)
        return jumps

    def _spread(self, jumps: Bools, free: Collection[int]) -> None:
        """Propagate jumps from parents to all descendants."""
        follows = np.ones(len(self.tree), bool)
        follows[list(free)] = False
        for level in self.tree.levels[1:]:
            jumps[:, level] |= jumps[:, self.tree.parents[level]] & follows[level]

    def deforms_at_once(self, times: Floats) -> Bools:
        """Return whether any weights jump between consecutive times (F,) [s]: (F - 1,)."""
        count, clips = len(self.tree), self.clips
        jumps = find_jumps(count, clips, times, loop=self.loop, weights=True)
        return np.asarray(jumps.any(axis=1))

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
            raise ContentError(
                f"there is no animation {name!r}",
                file=document.path,
                pointer="/animations",
                remedy=nearest(name, sorted(known)),
            )
    return {index: clip for index, clip in clips.items() if clip.name in names}

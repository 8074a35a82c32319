"""Animations as time samples of transforms, all from time 0."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.conversion.usd.writing.values import matrix, quaternion, vector
from ligament.conversion.usd.writing.world import World
from ligament.gltf.animation import Pose, Track, separate_keys
from ligament.gltf.tree import nearest

Path: TypeAlias = Literal["translation", "rotation", "scale"]

RATE: Final = 60.0
"""Time codes per second, and samples per second of what USD cannot interpolate."""

STEP: Final = 1e-6
"""Time [s] before a step at which its old value is repeated."""

MOST_FRAMES: Final = 100_000
"""Most samples of what USD cannot interpolate; longer animations are sampled more coarsely."""

_OPS: Final[dict[Path, str]] = {
    "translation": "xformOp:translate",
    "rotation": "xformOp:orient",
    "scale": "xformOp:scale",
}


class Sampled(NamedTuple):
    """A property of a node, and the times [s] (K,) at which it is written."""

    node: int
    path: Path
    times: Floats


def write_motion(world: World) -> None:
    """Write the samples of everything that an animation or a constraint moves."""
    stage = world.source.stage
    animated = sorted(world.is_animated)
    sampled = list(_sampled(world))
    if not stage.duration or not (sampled or animated):
        return
    world.stage.SetTimeCodesPerSecond(RATE)
    world.stage.SetFramesPerSecond(RATE)
    world.stage.SetStartTimeCode(0.0)
    world.stage.SetEndTimeCode(stage.duration * RATE)
    times = _grid(world)
    codes, rows = separate_keys(times, np.float32)
    for chunk in stage.chunks(len(times)):
        pose = stage.pose(times[chunk])
        for each in sampled:
            _write(world, each, times[chunk], pose)
        if animated:
            here = (chunk.start <= rows) & (rows < chunk.stop)
            part = Pose(*(values[rows[here] - chunk.start] for values in pose))
            _write_animated(world, animated, codes[here], part)


def report_animations(world: World) -> None:
    """Report losses of the document's animations."""
    source = world.source
    clips, playing = source.stage.clips, source.stage.playing
    for index in range(len(source.document.array("animations"))):
        if index not in playing:
            reason, effect = "it is switched off", "it has no effect"
            source.lose(f"/animations/{index}", "an animation", reason, effect)
    for index, clip in zip(sorted(playing), clips, strict=True):
        pointer = f"/animations/{index}"
        if any(track.path == "weights" for track in clip.tracks):
            effect, reason = "shapes keep their initial state", "only transforms are written"
            source.lose(pointer, "an animation of morph targets", reason, effect)
        for track in clip.properties:
            reason, effect = "only transforms are written", "it keeps its initial state"
            source.lose(track.place, f"the animation of {track.pointer}", reason, effect)
        if any(track.interpolation == "CUBICSPLINE" for track in clip.tracks):
            reason = "USD interpolates time samples linearly"
            effect = f"it is sampled {_rate(world):.3g} times a second"
            source.lose(pointer, "an animation along splines", reason, effect)
    if len(clips) > 1:
        effect, reason = "all play together, from time 0", "a stage has one time line"
        source.lose("/animations", "several animations", reason, effect)
    _report_scales(world)


def _report_scales(world: World) -> None:
    """Report bodies whose prims do not follow an animated scale."""
    source = world.source
    below_scaled = nearest(source.tree, source.stage.animated.scaled)
    for node in sorted((world.is_reset - world.is_animated) | world.is_rigid):
        if below_scaled[node] >= 0:
            reason, effect = "the body is placed by itself", "its size is constant"
            source.lose(source.node_pointer(node), "an animated scale", reason, effect)


def _sampled(world: World) -> Iterator[Sampled]:
    """Yield the properties to write: the last track of every property, and all constraints."""
    source, every = world.source, _grid(world)
    tracks = {(t.node, t.path): t for clip in source.stage.clips for t in clip.tracks}
    constrained = {each.destination for each in source.stage.constraints.constraints}
    for node in sorted((source.moved & source.members) - world.is_reset - world.is_rigid):
        for path in _OPS:
            track = tracks.get((node, path))
            if path == "rotation" and node in constrained:
                yield Sampled(node, path, every)
            elif track is not None:
                yield Sampled(node, path, _times(track, every))


def _grid(world: World) -> Floats:
    """Return all times (K,) [s] at which anything has a key, and those of the frames between."""
    tracks = [t for clip in world.source.stage.clips for t in clip.tracks if t.path in _OPS]
    frames = np.empty(0)
    if _is_curved(world):
        frames = np.arange(0.0, 1.0 + world.source.stage.duration * _rate(world)) / _rate(world)
    keys = [_times(track, np.empty(0)) for track in tracks]
    return np.unique(np.concatenate([np.zeros(1), frames, *keys]))


def _is_curved(world: World) -> bool:
    """Tell whether any motion is not linear between keys."""
    stage = world.source.stage
    splines = (t.interpolation == "CUBICSPLINE" for clip in stage.clips for t in clip.tracks)
    return any(splines) or bool(stage.constraints.constraints or world.is_animated)


def _rate(world: World) -> float:
    """Return the samples per second where keys do not suffice."""
    return min(RATE, MOST_FRAMES / max(world.source.stage.duration, 1.0))


def _times(track: Track, every: Floats) -> Floats:
    """Return the times at which linear interpolation reproduces a track.

    They differ in single precision, in which glTF stores them.
    """
    times, _ = separate_keys(track.times, np.float32)
    if track.interpolation == "STEP":
        single = np.nextafter(times[1:].astype(np.float32), np.float32(-np.inf))
        before = np.minimum(times[1:] - STEP, single)
        return np.unique(np.concatenate([times, before[before > times[:-1]]]))
    if track.interpolation == "CUBICSPLINE":
        within = (every > times[0]) & (every < times[-1])
        return np.unique(np.concatenate([times, every[within]]))
    return times


def _write(world: World, each: Sampled, times: Floats, pose: Pose) -> None:
    rows = np.flatnonzero(np.isin(times, each.times))
    attribute = world.nodes[each.node].GetAttribute(_OPS[each.path])
    convert = quaternion if each.path == "rotation" else vector
    for row in rows:
        value = getattr(pose, each.path)[row, each.node]
        attribute.Set(convert(value), float(times[row] * RATE))


def _write_animated(world: World, nodes: list[int], times: Floats, pose: Pose) -> None:
    """Write the matrices of bodies placed in the world and driven by animation."""
    tree = world.source.tree
    matrices = tree.world_matrices(pose.translation, pose.rotation, pose.scale)[:, nodes]
    turns = tree.world_orientations(pose.rotation)[:, nodes]
    for column, node in enumerate(nodes):
        attribute = world.nodes[node].GetAttribute("xformOp:transform")
        placed = matrices[:, column]
        if node in world.is_rigid:
            placed = np.asarray(tf.compose(placed[:, :3, 3], turns[:, column]))
        for time, columns in zip(times, world.rotation @ placed, strict=True):
            attribute.Set(matrix(columns), float(time * RATE))

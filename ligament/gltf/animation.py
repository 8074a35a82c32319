"""Animations as arrays: reading, exact sampling as glTF interpolates, appending."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from ligament import transforms as tf
from ligament.arrays import Floats, Indices, Ints
from ligament.errors import ContentError, LigamentError
from ligament.gltf import objects
from ligament.gltf.accessors import append_accessor, read_accessor
from ligament.gltf.document import Document
from ligament.gltf.objects import Interpolation
from ligament.gltf.tree import NodeTree

Path = Literal["translation", "rotation", "scale", "weights"]

COMPONENTS: dict[str, int] = {"translation": 3, "rotation": 4, "scale": 3}

NODE_POINTER = re.compile(
    r"/nodes/([0-9]{1,15})/(?:(translation|rotation|scale|weights)|weights/([0-9]{1,9}))"
)
_POINTER_EXTENSION = "KHR_animation_pointer"


@dataclasses.dataclass(frozen=True, eq=False)
class Track:
    """The keys of one property of one node.

    `times` (K,) [s] increase strictly; tracks that share their keys share the array. (Of two keys
    at one time in a file, the earlier is at the number before.) `values` are (K, C), or (K, 3, C)
    for CUBICSPLINE: in-tangent, value, out-tangent. `element` is the single weight that the keys
    animate, None for all.
    """

    node: int
    path: Path
    times: Floats
    values: Floats
    interpolation: Interpolation = "LINEAR"
    element: int | None = None


@dataclasses.dataclass(frozen=True, eq=False)
class PropertyTrack:
    """The keys of a property that a JSON pointer names, other than a node's own.

    `values` are (K, C), or (K, 3, C) for CUBICSPLINE; `width` is the number of components of the
    accessor, and `is_byte` tells whether these are unsigned bytes. `place` is the pointer of the
    channel. If the keys cannot be read, there are none and `fault` says why.
    """

    pointer: str
    place: str
    times: Floats
    values: Floats
    interpolation: Interpolation = "LINEAR"
    width: int = 1
    is_byte: bool = False
    fault: LigamentError | None = None

    def sample(self, times: npt.ArrayLike, *, is_rotation: bool = False) -> Floats:
        """Return the values (F, C) at any times [s], clamped to the ends."""
        at = np.atleast_1d(np.asarray(times, float))
        return _sample(at, self.times, self.values, self.interpolation, is_rotation=is_rotation)


@dataclasses.dataclass(frozen=True, eq=False)
class Clip:
    """One animation of a document: its node tracks, and its other properties."""

    name: str
    tracks: tuple[Track, ...]
    properties: tuple[PropertyTrack, ...] = ()

    @property
    def start(self) -> float:
        """Time of the first key [s], 0 for an empty clip."""
        return min((float(times[0]) for times in self._times), default=0.0)

    @property
    def end(self) -> float:
        """Time of the last key [s], 0 for an empty clip."""
        return max((float(times[-1]) for times in self._times), default=0.0)

    @property
    def _times(self) -> list[Floats]:
        tracks: tuple[Track | PropertyTrack, ...] = (*self.tracks, *self.properties)
        return [track.times for track in tracks if len(track.times)]


class Pose(NamedTuple):
    """Local transforms of all nodes over time: (F, N, 3), (F, N, 4), (F, N, 3)."""

    translation: Floats
    rotation: Floats
    scale: Floats


def read_clip(document: Document, index: int) -> Clip:
    """Read an animation, skipping channels that refer to no property."""
    pointer = f"/animations/{index}"
    try:
        animation = document.element("animations", index, objects.Animation)
        keys: dict[int, _Keys] = {}
        tracks, properties = [], []
        for i, channel in enumerate(animation.channels):
            target = _target(channel.target)
            place = f"{pointer}/channels/{i}"
            if target is None:
                if (named := pointer_of(channel.target)) is not None:
                    properties.append(_property(document, animation, channel, named, place))
                continue
            if channel.sampler >= len(animation.samplers):
                raise _no_such(channel.sampler, "sampler", f"{place}/sampler")
            if target[0] >= len(document.array("nodes")):
                raise _no_such(target[0], "node", f"{place}/target/node")
            sampler = animation.samplers[channel.sampler]
            place = f"{pointer}/samplers/{channel.sampler}"
            if sampler.input not in keys:
                keys[sampler.input] = _read_keys(document, sampler.input, place)
            read = keys[sampler.input]
            values = _read_values(document, sampler, target, read, place)
            node, path, element = target
            tracks.append(Track(node, path, read.times, values, sampler.interpolation, element))
    except LigamentError as fault:
        raise fault.located(document.path) from fault.__cause__
    name = animation.name or f"animation {index}"
    return Clip(name, tuple(tracks), tuple(properties))


def pointer_of(target: objects.Target) -> str | None:
    """Return the JSON pointer that a channel animates by KHR_animation_pointer, if any."""
    extension = target.extensions.get(_POINTER_EXTENSION)
    pointer = extension.get("pointer") if isinstance(extension, dict) else None
    return pointer if target.path == "pointer" and isinstance(pointer, str) else None


def _property(
    document: Document,
    animation: objects.Animation,
    channel: objects.Channel,
    pointer: str,
    place: str,
) -> PropertyTrack:
    """Read the keys of a property; faults in them affect nothing else."""
    try:
        if channel.sampler >= len(animation.samplers):
            raise _no_such(channel.sampler, "sampler", f"{place}/sampler")
        sampler = animation.samplers[channel.sampler]
        samplers = f"{place.rpartition('/channels')[0]}/samplers/{channel.sampler}"
        keys = _read_keys(document, sampler.input, samplers)
        raw = read_accessor(document, sampler.output)
        blocks = keys.total * (3 if sampler.interpolation == "CUBICSPLINE" else 1)
        if not keys.total or not len(raw) or len(raw) % blocks:
            message = f"{len(raw)} values for {keys.total} keys"
            remedy = f"{sampler.interpolation} needs {blocks} of them"
            raise ContentError(message, pointer=f"{samplers}/output", remedy=remedy)
    except LigamentError as fault:
        return PropertyTrack(pointer, place, np.zeros(0), np.zeros((0, 1)), fault=fault)
    parts = (3,) if sampler.interpolation == "CUBICSPLINE" else ()
    values = np.asarray(raw, np.float64).reshape(keys.total, *parts, -1)[keys.kept]
    width, is_byte = raw[0].size, raw.dtype == np.uint8
    return PropertyTrack(
        pointer, place, keys.times, values, sampler.interpolation, int(width), bool(is_byte)
    )


def sample(track: Track, times: npt.ArrayLike) -> Floats:
    """Return the values (F, C) of a track at any times [s], clamped to its ends (Appendix C)."""
    return _sample(
        np.atleast_1d(np.asarray(times, float)),
        track.times,
        track.values,
        track.interpolation,
        is_rotation=track.path == "rotation",
    )


def sample_pose(
    tree: NodeTree, clips: Iterable[Clip], times: npt.ArrayLike, *, loop: bool = False
) -> Pose:
    """Return the local transforms of all nodes at `times` [s]; others are at rest.

    If two channels move the same property, the later one wins. `loop` restarts every clip when it
    ends; otherwise it holds its last pose.
    """
    seconds = np.atleast_1d(np.asarray(times, float))
    rest = (tree.translation, tree.rotation, tree.scale)
    pose = Pose(*(np.repeat(values[None], len(seconds), axis=0) for values in rest))
    for clip in clips:
        at = clip_times(clip, seconds, loop=loop)
        for group in _alike(clip.tracks):
            if group[0].path == "weights":
                continue
            values = np.stack([track.values for track in group], axis=-2)
            sampled = _sample(
                at,
                group[0].times,
                values,
                group[0].interpolation,
                is_rotation=group[0].path == "rotation",
            )
            getattr(pose, group[0].path)[:, [track.node for track in group]] = sampled
    return pose


def append_clip(document: Document, clip: Clip) -> int:
    """Append an animation to the document; return its index. Shared key times are stored once."""
    if not clip.tracks and not clip.properties:
        raise ContentError("an animation without tracks cannot be stored", remedy="add a track")
    for moved in clip.tracks:
        _check_track(moved, len(document.array("nodes")))
    animations = document.growing_array("animations")
    inputs: dict[int, int] = {}
    channels: list[dict[str, Any]] = []
    samplers: list[dict[str, Any]] = []
    if clip.properties:
        document.use_extension(_POINTER_EXTENSION)
    every: tuple[Track | PropertyTrack, ...] = (*clip.tracks, *clip.properties)
    for track in every:
        if id(track.times) not in inputs:
            times = _stored_times(track.times)
            inputs[id(track.times)] = append_accessor(document, times, bounds=True)
        output = append_accessor(document, _stored(track))
        sampler: dict[str, Any] = {"input": inputs[id(track.times)], "output": output}
        if track.interpolation != "LINEAR":
            sampler["interpolation"] = track.interpolation
        channels.append({"sampler": len(samplers), "target": _written_target(track)})
        samplers.append(sampler)
    animations.append({"name": clip.name, "channels": channels, "samplers": samplers})
    return len(animations) - 1


def _written_target(track: Track | PropertyTrack) -> dict[str, Any]:
    """Return the target of a channel: a node, or a pointer (KHR_animation_pointer)."""
    if isinstance(track, Track):
        return {"node": track.node, "path": track.path}
    return {"path": "pointer", "extensions": {_POINTER_EXTENSION: {"pointer": track.pointer}}}


_Target: TypeAlias = tuple[int, Path, int | None]
"""A node, a property of it, and the element of the property (None for all)."""


def _target(target: objects.Target) -> _Target | None:
    """Return what a channel moves, including by KHR_animation_pointer."""
    if target.path == "pointer":
        match = NODE_POINTER.fullmatch(pointer_of(target) or "")
        if match is None:
            return None
        if match[3] is not None:
            return int(match[1]), "weights", int(match[3])
        return int(match[1]), match[2], None  # type: ignore[return-value]
    if target.node is None or target.path not in get_args(Path):
        return None
    return target.node, target.path, None  # type: ignore[return-value]


class _Keys(NamedTuple):
    """Key times of an accessor, and which of its `total` keys they are."""

    times: Floats
    kept: Indices
    total: int


def _read_keys(document: Document, accessor: int, pointer: str) -> _Keys:
    times = np.asarray(read_accessor(document, accessor), np.float64)
    if times.ndim != 1:
        raise ContentError("key times must be scalars", pointer=f"{pointer}/input")
    late = np.flatnonzero(np.diff(times) < 0)
    if len(late):
        raise _not_increasing(times, int(late[0]), f"{pointer}/input")
    separate, kept = separate_keys(times)
    if not np.array_equal(separate, times):
        document.warn(
            "keys of animations are at equal times: of two, the earlier counts before that time "
            "and the later from then on; ligament fix moves the earlier"
        )
    return _Keys(separate, kept, len(times))


def separate_keys(times: Floats, kind: type[np.floating[Any]] = np.float64) -> tuple[Floats, Ints]:
    """Return key times that increase strictly if stored as `kind`, and which keys (K,) they have.

    `times` do not decrease. Of keys that coincide the last stays, and the first moves to the number
    before, unless a key is there or it would be negative. The others have no effect.
    """
    stored = np.asarray(times, kind)
    first = np.flatnonzero(np.append(True, np.diff(stored) != 0)[: len(stored)])
    last = np.append(first[1:], len(stored))[: len(first)] - 1
    before = np.nextafter(stored[first], kind(-np.inf))
    moves = (first < last) & (before >= 0) & (before > np.append(-np.inf, stored[last[:-1]]))
    kept = np.concatenate([first[moves], last])
    order = np.argsort(kept, kind="stable")
    return np.concatenate([before[moves], stored[last]])[order].astype(float), kept[order]


def _check_track(track: Track, nodes: int) -> None:
    """Refuse keys that could be stored but not read back."""
    _stored_times(track.times)
    found = np.shape(track.values)
    parts = (3,) if track.interpolation == "CUBICSPLINE" else ()
    components = COMPONENTS.get(track.path, found[-1] if found else 1)
    needed = (len(track.times), *parts, components)
    if found != needed:
        raise ContentError(
            f"the {track.path} of node {track.node} has values of shape {found}",
            remedy=f"{track.interpolation} with {len(track.times)} keys needs {needed}",
        )
    if not 0 <= track.node < nodes:
        raise _no_such(track.node, "node", None)


def _stored_times(times: Floats) -> npt.NDArray[np.float32]:
    """Return key times in single precision; two that are equal there differ by one unit."""
    late = np.flatnonzero(np.diff(times) <= 0)
    if len(late):
        raise _not_increasing(times, int(late[0]), None)
    with np.errstate(over="ignore"):  # too large for float32: refused as non-finite
        single = np.asarray(times, np.float32)
        separate, kept = separate_keys(times, np.float32)
    if len(kept) < len(times):
        raise _not_increasing(single, int(np.flatnonzero(np.diff(single) <= 0)[0]), None)
    return separate.astype(np.float32)


def _not_increasing(times: npt.NDArray[Any], key: int, pointer: str | None) -> ContentError:
    return ContentError(
        f"key {key + 1} at {times[key + 1]:g} s follows a key at {times[key]:g} s",
        pointer=pointer,
        remedy="key times must increase strictly",
    )


def _read_values(
    document: Document, sampler: objects.Sampler, target: _Target, keys: _Keys, pointer: str
) -> Floats:
    _, path, element = target
    values = np.asarray(read_accessor(document, sampler.output), np.float64)
    blocks = keys.total * (3 if sampler.interpolation == "CUBICSPLINE" else 1)
    components = COMPONENTS.get(path) or max(1, len(values) // blocks)
    components = components if element is None else 1
    if values.size != blocks * components or (path != "weights" and values.ndim != 2):
        raise ContentError(
            f"{len(values)} values of {values[0].size} numbers for {keys.total} keys",
            pointer=f"{pointer}/output",
            remedy=f"{sampler.interpolation} {path} needs {blocks} of {components}",
        )
    if sampler.interpolation == "CUBICSPLINE":
        return values.reshape(keys.total, 3, components)[keys.kept]
    return values.reshape(keys.total, components)[keys.kept]


def _sample(
    at: Floats, keys: Floats, values: Floats, interpolation: Interpolation, *, is_rotation: bool
) -> Floats:
    """Sample (K, …, C) key values; CUBICSPLINE carries its tangents in axis 1."""
    cubic = interpolation == "CUBICSPLINE"
    points = values[:, 1] if cubic else values
    if is_rotation:  # keys of 8 or 16 bits are slightly off unit length
        points = tf.normalize(points)
    time = np.clip(at, keys[0], keys[-1])
    left = np.clip(np.searchsorted(keys, time, side="right") - 1, 0, len(keys) - 1)
    if interpolation == "STEP" or len(keys) == 1:
        return points[left]
    left = np.minimum(left, len(keys) - 2)
    step = keys[left + 1] - keys[left]
    share = ((time - keys[left]) / step).reshape(-1, *[1] * (points.ndim - 1))
    result: Floats
    if cubic:
        result = _hermite(values, left, step.reshape(share.shape), share)
        return tf.normalize(result) if is_rotation else result
    if is_rotation:
        result = tf.slerp(points[left], points[left + 1], share[..., 0])
        return result
    return points[left] * (1 - share) + points[left + 1] * share


def _hermite(values: Floats, left: Indices, step: Floats, t: Floats) -> Floats:
    """Evaluate the cubic of Appendix C.5: tangents are per second."""
    start, leaving = values[left, 1], values[left, 2] * step
    arriving, end = values[left + 1, 0] * step, values[left + 1, 1]
    t2, t3 = t * t, t * t * t
    result: Floats = (
        (2 * t3 - 3 * t2 + 1) * start
        + (t3 - 2 * t2 + t) * leaving
        + (3 * t2 - 2 * t3) * end
        + (t3 - t2) * arriving
    )
    return result


def _alike(tracks: Sequence[Track]) -> list[list[Track]]:
    """Group tracks that can be sampled as one array: same property, key times and interpolation."""
    latest = {(track.node, track.path, track.element): track for track in tracks}
    groups: dict[tuple[int, str, str], list[Track]] = {}
    for track in latest.values():
        key = (id(track.times), track.path, track.interpolation)
        groups.setdefault(key, []).append(track)
    return list(groups.values())


def _stored(track: Track | PropertyTrack) -> npt.NDArray[Any]:
    values = np.asarray(track.values, np.float64)
    is_flat = isinstance(track, Track) and track.path == "weights"
    return values.reshape(-1) if is_flat else values.reshape(-1, values.shape[-1])


def _no_such(index: int, what: str, pointer: str | None) -> ContentError:
    return ContentError(f"there is no {what} {index}", pointer=pointer, remedy="fix the index")


class Animated(NamedTuple):
    """Nodes that animations change: by translation or rotation, rotation, scale, weights."""

    moved: frozenset[int] = frozenset()
    rotated: frozenset[int] = frozenset()
    scaled: frozenset[int] = frozenset()
    weighted: frozenset[int] = frozenset()


NOT_ANIMATED = Animated()


def animated_nodes(clips: Iterable[Clip]) -> Animated:
    """Return the nodes that clips change."""
    by_path: dict[str, set[int]] = {"translation": set(), "rotation": set()}
    by_path |= {"scale": set(), "weights": set()}
    for clip in clips:
        for track in clip.tracks:
            by_path[track.path].add(track.node)
    moved, rotated, scaled, weighted = map(frozenset, by_path.values())
    return Animated(moved | rotated, rotated, scaled, weighted)


def sample_weights(
    start: Mapping[int, Sequence[float]],
    clips: Iterable[Clip],
    times: npt.ArrayLike,
    *,
    loop: bool = False,
) -> dict[int, Floats]:
    """Return the weights (F, W) of the morph targets of nodes, of which `start` has those at rest.

    A channel with a different number of weights than its node is ignored.
    """
    seconds = np.atleast_1d(np.asarray(times, float))
    result = {n: np.tile(np.asarray(rest, float), (len(seconds), 1)) for n, rest in start.items()}
    for clip in clips:
        at = clip_times(clip, seconds, loop=loop)
        for track in clip.tracks:
            if track.path != "weights" or track.node not in result:
                continue
            weights, values = result[track.node], sample(track, at)
            if track.element is None and values.shape == weights.shape:
                weights[:] = values
            elif track.element is not None and track.element < weights.shape[1]:
                weights[:, track.element] = values[:, 0]
    return result


def clip_times(clip: Clip, seconds: Floats, *, loop: bool) -> Floats:
    """Return the times [s] within a clip at times of the time line."""
    return seconds % clip.end if loop and clip.end > 0 else seconds

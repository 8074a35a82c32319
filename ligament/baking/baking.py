"""Baking of recordings into keyframes that every viewer plays."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from ligament import transforms as tf
from ligament.arguments import checked
from ligament.arrays import Bools, Floats, Ints
from ligament.baking.keys import Tolerance, needed_keys
from ligament.baking.overlays import add_overlays, chosen_layers
from ligament.baking.stripping import strip_extensions
from ligament.errors import LigamentError
from ligament.gltf.animation import Clip, Path, PropertyTrack, Track, append_clip, read_clip
from ligament.gltf.document import Document
from ligament.gltf.load import AnyDocument, as_document
from ligament.gltf.tree import NodeTree
from ligament.recording import Recording

TIMES_OVERHEAD = 220
"""JSON overhead of one more array of times: an accessor and its buffer view [bytes]."""


@checked
def bake(
    document: AnyDocument,
    recording: Recording,
    *,
    name: str = "Baked",
    strip: bool = False,
    tolerance: Tolerance | None = None,
    overlays: bool | Iterable[str] = False,
) -> Document:
    """Return a copy of the document with the recording as an additional animation.

    Frames between which interpolation stays within the tolerance are left out. `strip` removes
    constraints and physics, since the keyframes replace them. `overlays` adds nodes that draw what
    no mesh shows: all layers, or some of "colliders", "triggers", "joints", "limits", "contacts"
    (of a recording with `contact_points`), "centers_of_mass", "constraints", "skeleton" and
    "spring_bones".

    >>> save(bake(doc, simulate(doc)), "baked.glb")
    """
    document = as_document(document)
    baked = document.copy()
    layers = chosen_layers(overlays)
    tracks = keyframes(document, recording, tolerance=tolerance, held=_animated(document))
    tracks += add_overlays(baked, recording, layers, keeps_springs=not strip, tolerance=tolerance)
    add_clip(baked, name, tracks)
    if strip:
        strip_extensions(baked)
    return baked


def _animated(document: Document) -> set[tuple[int, str]]:
    """Return the nodes and properties that a document's animations move away from rest."""
    tree = NodeTree(document)
    rest = {"translation": tree.translation, "rotation": tree.rotation, "scale": tree.scale}
    found = set[tuple[int, str]]()
    for index in range(len(document.array("animations"))):
        with suppress(LigamentError):  # an unreadable animation is not played
            found.update(
                (track.node, track.path)
                for track in read_clip(document, index).tracks
                if track.path in rest and (track.values != rest[track.path][track.node]).any()
            )
    return found


def keyframes(
    document: Document,
    recording: Recording,
    *,
    tolerance: Tolerance | None = None,
    held: Collection[tuple[int, str]] = (),
) -> list[Track]:
    """Return the tracks that reproduce a recording; properties at rest get none.

    Those in `held` (nodes and properties) do get one, since other animations may play too.
    """
    tree = NodeTree(document)
    within = _Allowed(tolerance or Tolerance(), tree, recording)
    parts: list[tuple[Path, Floats, Floats]] = [
        ("translation", recording.local_translation, tree.translation),
        ("rotation", recording.local_rotation, tree.rotation),
        ("scale", recording.local_scale, tree.scale),
    ]
    return [
        track
        for path, values, rest in parts
        for track in _tracks(path, recording, values, rest[recording.local_nodes], within, held)
    ]


class _Allowed:
    """Allowed deviations (M,) of the tracks of recorded nodes.

    The errors of a node and of all recorded ancestors add up: those of rotations and scales times a
    lever arm, and all of them times the ancestors' scale.
    """

    def __init__(self, tolerance: Tolerance, tree: NodeTree, recording: Recording) -> None:
        nodes, count = recording.local_nodes, len(tree)
        scale, travel = np.abs(tree.scale).max(axis=1), np.linalg.norm(tree.translation, axis=1)
        scale[nodes] = np.abs(recording.local_scale).max(axis=(0, 2), initial=0.0)
        travel[nodes] = np.linalg.norm(recording.local_translation, axis=2).max(axis=0, initial=0.0)
        magnified, above, under, reach = np.ones(count + 1), *np.zeros((3, count + 1))
        own = np.zeros(count)
        own[nodes] = 1
        for level in tree.levels:  # the parent of roots is the last entry
            over = tree.parents[level]
            magnified[level] = magnified[over] * np.append(scale, 1.0)[over]
            above[level] = above[over] + own[level]
        for level in reversed(tree.levels):
            counts = under[level] + own[level]
            lever = np.where(counts > 0, travel[level] * magnified[level] + reach[level], 0.0)
            np.maximum.at(under, tree.parents[level], counts)
            np.maximum.at(reach, tree.parents[level], lever)
        share = 1 / (above + under)[nodes]
        size, lever = np.maximum(magnified[nodes], 1.0), np.maximum(reach[nodes], 1e-9)
        distance = tolerance.distance * share
        self._of = {
            "translation": distance / size,
            "rotation": np.minimum(tolerance.angle * share, distance / lever),
            "scale": distance / np.maximum(lever, 1.0),
        }

    def of(self, path: Path) -> Floats:
        """Return the allowed deviations of one property."""
        return self._of[path]


def add_clip(
    document: Document, name: str, tracks: list[Track], properties: Sequence[PropertyTrack] = ()
) -> None:
    """Add an animation to a document; matrices of animated nodes become TRS."""
    if not tracks and not properties:
        return
    tree = NodeTree(document)
    for node in {track.node for track in tracks if track.path != "weights"}:
        _use_trs(document.json["nodes"][node], tree, node)
    append_clip(document, Clip(name, tuple(tracks), tuple(properties)))


def _tracks(
    path: Path,
    recording: Recording,
    values: Floats,
    rest: Floats,
    within: _Allowed,
    held: Collection[tuple[int, str]],
) -> list[Track]:
    """Reduce the keys of one property of all nodes; properties at rest need no track."""
    is_rotation = path == "rotation"
    limit = within.of(path)
    keys = needed_keys(recording.times, values, limit, is_rotation=is_rotation)
    away = (
        tf.angle_between(values, rest) if is_rotation else np.abs(values - rest).max(axis=-1)
    ) > limit
    keys |= ~_is_smaller(keys, width=values.shape[-1])
    shared: dict[bytes, Floats] = {}
    tracks = []
    is_held = np.array([(node, path) in held for node in recording.local_nodes.tolist()], bool)
    for column in np.flatnonzero(away.any(axis=0) | is_held):
        kept = keys[:, column]
        times = shared.setdefault(kept.tobytes(), recording.times[kept])
        node = int(recording.local_nodes[column])
        tracks.append(Track(node, path, times, values[kept, column]))
    return tracks


def _is_smaller(keys: Bools, width: int) -> Bools:
    """Return which tracks (M,) are smaller with their own times than with a key per frame.

    The times of all frames are stored once and shared by the tracks that use them.
    """
    number: Ints = keys.sum(axis=0)
    smaller: Bools = number * (width + 1) + TIMES_OVERHEAD / 4 < len(keys) * width
    return smaller


def _use_trs(node: dict[str, Any], tree: NodeTree, index: int) -> None:
    """Replace a matrix with TRS: an animated node must not have one (glTF 2.0, 3.5.3)."""
    if "matrix" not in node:
        return
    del node["matrix"]
    node["translation"] = tree.translation[index].tolist()
    node["rotation"] = tree.rotation[index].tolist()
    node["scale"] = tree.scale[index].tolist()

"""Retargeted motion written out: as an animation of the avatar's own file, or as arrays."""

from __future__ import annotations

import os

import numpy as np

from ligament.bake.baking import add_clip, keyframes
from ligament.bake.bone_tracks import (
    DISTANCE,
    bone_keys,
    hips_keys,
    reduced,
    sample_times,
    track,
)
from ligament.errors import ContentError
from ligament.files import open_atomic
from ligament.gltf.animation import Track
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree
from ligament.recording import LocalTracks, Recording, frame_times
from ligament.rig import Humanoid, Motion, NodeConstraints, Pose, retarget
from ligament.rig.humanoid.expressions import morph_weights
from ligament.rig.retarget import HipsRule, applying


def add_motion(
    document: Document,
    motion: Pose | Motion,
    *,
    name: str | None = None,
    rate: float | None = None,
    hips: HipsRule = "delta",
    avatar: Humanoid | None = None,
) -> Document:
    """Return a copy of the avatar's document with a pose or a motion as one more animation.

    A pose, which `retarget` returns, is written at its own times: node constraints are solved on
    it (twist bones), and keys that interpolation restores are left out. A motion is retargeted
    first, by the rule `hips`: at a `rate` [Hz] it is written like a pose; without one its original
    keys are kept wherever a single track drives a bone. Expressions become morph target weights.
    `name` is that of the animation (default: that of the motion); `avatar` saves reading the
    humanoid of the document again.

    >>> save(add_motion(doc, pose, name="wave"), "waving.vrm")
    """
    if isinstance(motion, Pose):
        if rate is not None:
            raise ContentError("a pose has frames already", remedy="leave out `rate`")
        return _with_pose(document, motion, name or "Motion")
    avatar = avatar or Humanoid(document)
    if rate is None:
        return _with_keys(document, avatar, motion, hips, name or motion.name)
    pose = retarget(motion, avatar, frame_times(motion.duration, rate), hips=hips)
    return _with_pose(document, pose, name or motion.name)


def save_arrays(pose: Pose, path: str | os.PathLike[str]) -> None:
    """Write a pose as .npz: times (F,), bones and nodes (B,), rotation (F, B, 4), hips_translation.

    Expressions are `expression_names` (E,) and `expressions` (F, E); `look_at` (F, 2) is left out
    where the motion has none.
    """
    pose = pose.on_host()
    names, weights = list(pose.expressions), list(pose.expressions.values())
    arrays = {
        "times": pose.times,
        "bones": np.array(pose.bones),
        "nodes": pose.nodes,
        "rotation": np.ascontiguousarray(pose.rotation),
        "hips_translation": pose.hips_translation,
        "expression_names": np.array(names, dtype=np.str_),
        "expressions": np.stack(weights, 1) if weights else np.zeros((len(pose.times), 0)),
    }
    if pose.look_at is not None:
        arrays["look_at"] = pose.look_at
    with open_atomic(path) as stream:
        np.savez(stream, **arrays)


def _with_pose(document: Document, pose: Pose, name: str) -> Document:
    pose = pose.on_host()
    tracks = keyframes(document, _recorded(document, pose))
    return _appended(document, name, tracks + _weight_tracks(document, pose))


def _with_keys(
    document: Document, avatar: Humanoid, motion: Motion, hips: HipsRule, name: str
) -> Document:
    pose = retarget(motion, avatar, sample_times(motion), hips=hips).on_host()
    nodes = dict(zip(avatar.bones, avatar.nodes.tolist(), strict=True))
    tracks = [
        track(nodes[bone], "rotation", keys)
        for bone, keys in bone_keys(motion, avatar, applying(avatar), pose).items()
    ]
    keys = hips_keys(motion, avatar, hips, pose)
    if keys is not None:
        tracks.append(track(nodes["hips"], "translation", keys))
    return _appended(document, name, tracks + _weight_tracks(document, pose))


def _recorded(document: Document, pose: Pose) -> Recording:
    """Put a pose on the whole node tree and solve the constraints on it."""
    constraints, tree = NodeConstraints(document), NodeTree(document)
    if pose.nodes.max() >= len(tree):
        raise document.error(
            f"the pose has node {pose.nodes.max()}, the document {len(tree)} nodes",
            "/nodes",
            "use the document of the avatar that the motion was retargeted to",
        )
    frames = len(pose.times)
    rotation = np.repeat(tree.rotation[None], frames, axis=0)
    translation = np.repeat(tree.translation[None], frames, axis=0)
    rotation[:, pose.nodes] = pose.rotation
    translation[:, pose.nodes[pose.bones.index("hips")]] = pose.hips_translation
    rotation = np.asarray(constraints.solve(rotation, translation))
    destinations = [constraint.destination for constraint in constraints.constraints]
    moved = np.unique(np.concatenate([pose.nodes, np.array(destinations, np.int64)]))
    scale = np.repeat(tree.scale[None, moved], frames, axis=0)
    tracks = LocalTracks(moved, translation[:, moved], rotation[:, moved], scale)
    return Recording.of_locals(pose.times, tracks)


def _weight_tracks(document: Document, pose: Pose) -> list[Track]:
    weights = {name: np.asarray(weight, float) for name, weight in pose.expressions.items()}
    return [
        track(node, "weights", reduced(pose.times, values, DISTANCE))
        for node, values in morph_weights(document, weights).items()
    ]


def _appended(document: Document, name: str, tracks: list[Track]) -> Document:
    if not tracks:
        raise ContentError(
            f"the motion {name!r} moves nothing that the avatar has",
            remedy="use a motion with bones of the avatar",
        )
    copy = document.copy()
    add_clip(copy, name, tracks)
    return copy

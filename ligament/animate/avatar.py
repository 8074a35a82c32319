"""A motion as one more animation of an avatar's own file."""

from __future__ import annotations

import numpy as np

from ligament.animate.tracks import (
    DISTANCE,
    bone_keys,
    hips_keys,
    on_host,
    reduced,
    sample_times,
    track,
)
from ligament.bake import add_clip, keyframes
from ligament.errors import ContentError
from ligament.gltf.animation import Track
from ligament.gltf.document import Document
from ligament.recording import LocalTracks, Recording, frame_times
from ligament.rig import Humanoid, Motion, NodeConstraints, Pose, retarget
from ligament.rig.humanoid.expressions import morph_weights
from ligament.rig.retarget import HipsRule, applying


def add_motion(
    document: Document,
    avatar: Humanoid,
    motion: Motion,
    *,
    rate: float | None = None,
    hips: HipsRule = "delta",
) -> Document:
    """Return a copy of the avatar's document with the motion as one more animation.

    Without `rate` the original keys are kept wherever one track of the motion moves a bone. With
    a `rate` [Hz] everything is sampled, node constraints are solved on the result (twist bones),
    and keys that interpolation gives back are left out. Expressions become weights of morph
    targets.
    """
    if rate is None:
        return _with_keys(document, avatar, motion, hips)
    times = frame_times(motion.duration, rate)
    pose = host(retarget(motion, avatar, times, hips=hips))
    tracks = keyframes(document, _recorded(document, avatar, pose))
    return _appended(document, motion.name, tracks + _weight_tracks(document, pose))


def host(pose: Pose) -> Pose:
    """Bring the arrays of a pose to NumPy, from whatever device they are on."""
    return Pose(
        pose.bones,
        pose.nodes,
        pose.times,
        on_host(pose.rotation),
        on_host(pose.hips_translation),
        {name: on_host(weight) for name, weight in pose.expressions.items()},
        None if pose.look_at is None else on_host(pose.look_at),
    )


def _with_keys(document: Document, avatar: Humanoid, motion: Motion, hips: HipsRule) -> Document:
    pose = host(retarget(motion, avatar, sample_times(motion), hips=hips))
    matrices = applying(avatar)
    nodes = dict(zip(avatar.bones, avatar.nodes.tolist(), strict=True))
    tracks = [
        track(nodes[bone], "rotation", turns)
        for bone, turns in bone_keys(motion, avatar, matrices, pose).items()
    ]
    keys = hips_keys(motion, avatar, hips, pose)
    if keys is not None:
        tracks.append(track(nodes["hips"], "translation", keys))
    tracks += _weight_tracks(document, pose)
    return _appended(document, motion.name, tracks)


def _recorded(document: Document, avatar: Humanoid, pose: Pose) -> Recording:
    """Put a pose on the whole node tree and solve the constraints on it."""
    constraints = NodeConstraints(document)
    tree, frames = avatar.tree, len(pose.times)
    rotation = np.repeat(tree.rotation[None], frames, axis=0)
    translation = np.repeat(tree.translation[None], frames, axis=0)
    rotation[:, avatar.nodes] = pose.rotation
    translation[:, avatar.nodes[0]] = pose.hips_translation
    rotation = np.asarray(constraints.solve(rotation, translation))
    destinations = [constraint.destination for constraint in constraints.constraints]
    moved = np.unique(np.concatenate([avatar.nodes, np.array(destinations, np.int64)]))
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

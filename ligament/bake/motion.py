"""Retargeted motion written out: as an animation of the avatar's own file, or as arrays."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Sequence

import numpy as np

from ligament import transforms as tf
from ligament.bake.baking import add_clip, keyframes
from ligament.bake.bone_tracks import (
    DISTANCE,
    bone_keys,
    hips_keys,
    reduced,
    sample_times,
    track,
)
from ligament.bake.vrma import to_vrma
from ligament.errors import ContentError, LigamentError
from ligament.files import open_atomic
from ligament.gltf import save
from ligament.gltf.animation import Track
from ligament.gltf.document import Document
from ligament.gltf.reindex.prune import prune
from ligament.gltf.tree import NodeTree
from ligament.recording import LocalTracks, Recording, frame_times
from ligament.rig import (
    Humanoid,
    Motion,
    NodeConstraints,
    Pose,
    contacts,
    find_humanoid,
    retarget,
)
from ligament.rig.humanoid.expressions import morph_weights
from ligament.rig.humanoid.skeleton import TURNED
from ligament.rig.motion.edits import RootMotion, at_rate, resampled, split_root
from ligament.rig.retarget import HipsRule, applying


def add_motion(
    document: Document,
    motion: Pose | Motion,
    *,
    name: str | None = None,
    rate: float | None = None,
    hips: HipsRule = "delta",
    avatar: Humanoid | None = None,
    root_motion: bool = False,
    keep_contacts: bool = False,
) -> Document:
    """Return a copy of the avatar's document with a pose or a motion as one more animation.

    A pose, which `retarget` returns, is written at its own times: node constraints are solved on
    it (twist bones), and keys that interpolation restores are left out. A motion is retargeted
    first, by the rule `hips`: at a `rate` [Hz] it is written like a pose; without one its original
    keys are kept wherever a single track drives a bone. Expressions become morph target weights.
    `name` is that of the animation (default: that of the motion); `avatar` saves reading the
    humanoid of the document again. `root_motion` moves the way over the ground from the hips to the
    topmost node above them; `keep_contacts` lets feet stand still where they do in the source.

    >>> save(add_motion(doc, pose, name="wave"), "waving.vrm")
    """
    if isinstance(motion, Pose):
        if rate is not None:
            raise ContentError("a pose has frames already", remedy="leave out `rate`")
        return _with_pose(document, motion, name or "Motion")
    avatar = avatar or find_humanoid(document)
    name = name or motion.name
    if root_motion or keep_contacts:
        pose, root = posed(
            motion, avatar, rate, hips, root_motion=root_motion, keep_contacts=keep_contacts
        )
        rooted = document if root is None else _with_root(document, avatar)
        return _with_pose(rooted, pose, name, _root_tracks(rooted, avatar, root))
    if rate is None:
        return _with_keys(document, avatar, motion, hips, name)
    pose = retarget(motion, avatar, frame_times(motion.duration, rate), hips=hips)
    return _with_pose(document, pose, name)


def posed(
    motion: Motion,
    avatar: Humanoid,
    rate: float | None = None,
    hips: HipsRule = "delta",
    *,
    root_motion: bool = False,
    keep_contacts: bool = False,
) -> tuple[Pose, RootMotion | None]:
    """Retarget a motion with its contacts kept, and its way over the ground apart.

    The way comes back as positions [m] of the size of the avatar.
    """
    times = motion.times if rate is None else frame_times(motion.duration, rate)
    if not root_motion:
        pose = retarget(motion, avatar, times, hips=hips)
        return (contacts.keep_contacts(pose, motion, avatar) if keep_contacts else pose), None
    kept, root = split_root(resampled(motion, times))
    if keep_contacts:
        whole = retarget(motion, avatar, times, hips=hips)
        steady = contacts.keep_contacts(whole, motion, avatar)
        pose = _rooted(steady, retarget(kept, avatar, times, hips=hips), whole)
    else:
        pose = retarget(kept, avatar, times, hips=hips)
    ratio = avatar.hips_height / motion.hips_height if motion.hips is not None else 1.0
    facing = TURNED if avatar.faces_back else np.ones(3)
    return pose, root._replace(position=root.position * ratio * facing)


def _rooted(steady: Pose, rooted: Pose, whole: Pose) -> Pose:
    """Take legs from one pose, the hips from another; sinking is the same in both."""
    rotation = np.array(steady.rotation)
    rotation[:, rooted.bones.index("hips")] = rooted.rotation[:, rooted.bones.index("hips")]
    sunk = np.asarray(steady.hips_translation) - np.asarray(whole.hips_translation)
    place = np.asarray(rooted.hips_translation) + sunk
    return dataclasses.replace(steady, rotation=rotation, hips_translation=place)


def without_animations(document: Document) -> Document:
    """Return a copy of a document without animations, and without the bytes of their keys."""
    copy = document.copy()
    if copy.json.pop("animations", None) is not None:
        with contextlib.suppress(LigamentError):  # what unknown extensions refer to stays
            prune(copy, ["accessors", "bufferViews", "buffers"])
    return copy


def write_arrays(
    avatar: Humanoid,
    motion: Motion,
    path: str | os.PathLike[str],
    *,
    rate: float | None = None,
    hips: HipsRule = "delta",
    root_motion: bool = False,
    keep_contacts: bool = False,
) -> None:
    """Retarget a motion and write it as .npz."""
    pose, root = posed(
        motion, avatar, rate, hips, root_motion=root_motion, keep_contacts=keep_contacts
    )
    save_arrays(pose, path, root=root)


def write_motion_file(
    avatar: Humanoid,
    motion: Motion,
    path: str | os.PathLike[str],
    *,
    rate: float | None = None,
    hips: HipsRule = "delta",
) -> None:
    """Retarget a motion and write it as .vrma, sampled at a rate [Hz] or with its own keys."""
    save(to_vrma(avatar, motion if rate is None else at_rate(motion, rate), hips=hips), path)


def save_arrays(
    pose: Pose, path: str | os.PathLike[str], *, root: RootMotion | None = None
) -> None:
    """Write a pose as .npz: times (F,), bones and nodes (B,), rotation (F, B, 4), hips_translation.

    Expressions are `expression_names` (E,) and `expressions` (F, E); `look_at` (F, 2) is left out
    where the motion has none. `root` adds `root_translation` (F, 3) and `root_rotation` (F, 4).
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
    if root is not None:
        arrays |= {"root_translation": root.position, "root_rotation": root.rotation}
    with open_atomic(path) as stream:
        np.savez(stream, **arrays)


def _with_pose(document: Document, pose: Pose, name: str, more: Sequence[Track] = ()) -> Document:
    pose = pose.on_host()
    tracks = keyframes(document, _recorded(document, pose))
    return _appended(document, name, [*tracks, *more, *_weight_tracks(document, pose)])


def _with_root(document: Document, avatar: Humanoid) -> Document:
    """Return the document, or a copy with a node above hips that stand alone."""
    hips = int(avatar.nodes[0])
    if avatar.tree.parents[hips] >= 0:
        return document
    copy = document.copy()
    copy.json["nodes"].append({"name": "Root", "children": [hips]})
    for scene in copy.array("scenes"):
        roots = [len(copy.json["nodes"]) - 1 if n == hips else n for n in scene.get("nodes", [])]
        scene["nodes"] = roots
    return copy


def _root_tracks(document: Document, avatar: Humanoid, root: RootMotion | None) -> list[Track]:
    """Put the way over the ground on the topmost node above the hips."""
    if root is None:
        return []
    tree = NodeTree(document)
    top = list(tree.ancestors(int(avatar.nodes[0])))[-1]
    rotation = tf.multiply(root.rotation, tree.rotation[top])
    place = root.position + tf.rotate(root.rotation, tree.translation[top])
    return [
        Track(top, "rotation", root.times, np.asarray(rotation)),
        Track(top, "translation", root.times, np.asarray(place)),
    ]


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
    constraints, tree = NodeConstraints(document, strict=False), NodeTree(document)
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

"""Retargeted motion as output: an animation of the avatar's own file, or arrays."""

import dataclasses
import os
from collections.abc import Sequence
from typing import Annotated

import numpy as np

from ligament.arguments import checked
from ligament.arrays import Floats
from ligament.baking.baking import add_clip, keyframes
from ligament.baking.bone_tracks import (
    DISTANCE,
    bone_keys,
    hips_keys,
    reduced,
    sample_times,
    track,
)
from ligament.baking.root_motion import SPRING_RATE as SPRING_RATE
from ligament.baking.root_motion import posed, root_tracks, with_root
from ligament.errors import ContentError
from ligament.files import open_atomic
from ligament.gltf.animation import PropertyTrack, Track
from ligament.gltf.document import Document
from ligament.gltf.load import AnyDocument, as_document
from ligament.gltf.tree import NodeTree
from ligament.options.calls import function
from ligament.options.motions import Writing
from ligament.options.names import HipsRule
from ligament.options.option import Option
from ligament.recording import LocalTracks, Recording
from ligament.rig import (
    Humanoid,
    Motion,
    NodeConstraints,
    Pose,
    SpringBones,
    find_humanoid,
    retarget,
)
from ligament.rig.humanoid.expressions import (
    material_values,
    morph_weights,
    read_expressions,
    unshown,
)
from ligament.rig.humanoid.look_at import read_look_at, unshown_gaze
from ligament.rig.humanoid.material_binds import define
from ligament.rig.motion.edits import RootMotion
from ligament.rig.retarget import applying
from ligament.rig.springs.posing import Pose as SpringPose
from ligament.rig.springs.spring_bones import Mode
from ligament.rig.springs.state import State


@dataclasses.dataclass(frozen=True, kw_only=True)
class Adding(Writing):
    """How a motion becomes an animation of an avatar's file."""

    motion: Annotated[
        Pose | Motion, Option("A pose, with times of its own, or a motion, which is retargeted")
    ] = dataclasses.field(kw_only=False)
    name: Annotated[str | None, Option("The name of the animation, by default the motion's")] = None
    avatar: Annotated[
        Humanoid | None, Option("The humanoid of the document, if it has been read already")
    ] = None
    springs: Annotated[Mode | None, Option("Add the motion of spring bones, in this mode")] = None


def _add_motion(document: AnyDocument, how: Adding) -> Document:
    """Return a copy of the avatar's document with a pose or motion as an additional animation.

    A pose, which `retarget` returns, is written at its own times: node constraints are solved on it
    (twist bones), and keys that interpolation restores are left out. A motion is retargeted first,
    by the rule `hips`: at a `rate` [Hz] it is written like a pose; without one its original keys
    are kept wherever a single track drives a bone. Expressions become morph target weights, and
    colours and texture transforms by KHR_animation_pointer; tracks that the avatar cannot show are
    reported. The motion of spring bones is sampled at 60 Hz unless a `rate` is given. `root_motion`
    moves the path over the ground from the hips to the topmost node above them.

    >>> save(add_motion(doc, pose, name="wave"), "waving.vrm")
    """
    document, motion, springs = as_document(document), how.motion, how.springs
    if isinstance(motion, Pose):
        if how.rate is not None:
            raise ContentError("a pose has frames already", remedy="leave out `rate`")
        return _with_pose(document, motion, how.name or "Motion", springs)
    avatar = how.avatar or find_humanoid(document)
    name = how.name or motion.name
    if how.rate is None and springs is None and not (how.root_motion or how.keep_contacts):
        return _with_keys(document, avatar, motion, how.hips, name)
    pose, root = posed(motion, avatar, how, springs)
    rooted = document if root is None else with_root(document, avatar)
    return _with_pose(rooted, pose, name, springs, root_tracks(rooted, avatar, root))


add_motion = function(Adding, _add_motion, "add_motion")


@checked
def save_arrays(
    pose: Pose,
    path: str | os.PathLike[str],
    *,
    document: Document | None = None,
    springs: Mode | None = None,
    root: RootMotion | None = None,
) -> None:
    """Write a pose as .npz: times (F,), bones and nodes (B,), rotation (F, B, 4), hips_translation.

    Expressions are `expression_names` (E,) and `expressions` (F, E); `look_at` (F, 2) is left out
    where the motion has none. With the `document` of the avatar and a mode of `springs` there are
    `spring_nodes` (J,) and `spring_rotation` (F, J, 4). `root` adds `root_translation` (F, 3) and
    `root_rotation` (F, 4).
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
    if document is not None and springs is not None:
        nodes = SpringBones(document).nodes
        whole = recorded(document, pose, springs)
        rows = np.searchsorted(whole.local_nodes, nodes)
        arrays["spring_nodes"] = nodes
        arrays["spring_rotation"] = whole.local_rotation[:, rows]
    with open_atomic(path) as stream:
        np.savez(stream, **arrays)


def _with_pose(
    document: Document,
    pose: Pose,
    name: str,
    springs: Mode | None,
    more: Sequence[Track] = (),
) -> Document:
    pose = pose.on_host()
    tracks = keyframes(document, recorded(document, pose, springs))
    return _appended(document, name, [*tracks, *more], pose)


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
    return _appended(document, name, tracks, pose)


def recorded(document: Document, pose: Pose, springs: Mode | None) -> Recording:
    """Apply a pose to the whole node tree, solve its constraints, and let springs follow."""
    tree = NodeTree(document)
    rotation, translation, destinations = solved(document, tree, pose)
    bones = None if springs is None else SpringBones(document, tree)
    if springs is not None and bones:
        document.warn_of(bones.findings)
        rotation = bones.solve(rotation, translation, rate=_rate(pose.times), mode=springs)
        destinations += bones.nodes.tolist()
    moved = np.unique(np.concatenate([pose.nodes, np.array(destinations, np.int64)]))
    scale = np.repeat(tree.scale[None, moved], len(pose.times), axis=0)
    tracks = LocalTracks(moved, translation[:, moved], rotation[:, moved], scale)
    return Recording.of_locals(pose.times, tracks)


def solved(document: Document, tree: NodeTree, pose: Pose) -> tuple[Floats, Floats, list[int]]:
    """Return local rotations and translations (F, N, …) of a pose, and the constrained nodes."""
    constraints = NodeConstraints(document, strict=False)
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
    return rotation, translation, [c.destination for c in constraints.constraints]


class PoseSprings:
    """Spring bones that follow poses of an avatar, run by run."""

    def __init__(self, document: Document, rate: float) -> None:
        self.document, self.rate = document, rate
        self.springs = SpringBones(document)
        document.warn_of(self.springs.findings)
        self._state: State | None = None

    def follow(self, pose: Pose) -> Floats:
        """Return the rotations (F, J, 4) of the joints under the next frames of a pose."""
        if not self.springs:
            return np.zeros((len(pose.times), 0, 4))
        rotation, translation, _ = solved(self.document, self.springs.tree, pose)
        given = SpringPose(translation[None], rotation[None], None)
        swung, self._state = self.springs.advance(self._state, given, 1 / self.rate)
        return np.asarray(swung[0])


def _rate(times: Floats) -> float:
    """Return the rate [Hz] of evenly spaced frames."""
    steps = np.diff(times)
    if len(steps) and not np.allclose(steps, steps[0], rtol=1e-6):
        raise ContentError("the frames of the pose are not evenly spaced", remedy="use a rate")
    return float(1 / steps[0]) if len(steps) else SPRING_RATE


def _weight_tracks(document: Document, pose: Pose) -> list[Track]:
    return [
        track(node, "weights", reduced(pose.times, values, DISTANCE))
        for node, values in morph_weights(document, _levels(pose)).items()
    ]


def _material_tracks(document: Document, pose: Pose) -> list[PropertyTrack]:
    """Return tracks for the colours and texture transforms that expressions change."""
    tracks = []
    for pointer, values in material_values(document, _levels(pose)).items():
        keys = reduced(pose.times, values, DISTANCE)
        tracks.append(PropertyTrack(pointer, "", keys.times, keys.values, keys.interpolation))
    return tracks


def _levels(pose: Pose) -> dict[str, Floats]:
    return {name: np.asarray(weight, float) for name, weight in pose.expressions.items()}


def _warn_of_unshown(document: Document, pose: Pose) -> None:
    """Warn about tracks that the avatar cannot show."""
    gazes = pose.look_at is not None
    for message in unshown(document, pose.expressions, gazes=gazes):
        document.warn(message)
    if gazes:
        names = [expression.name for expression in read_expressions(document)]
        reason = unshown_gaze(read_look_at(document), pose.bones, names)
        if reason:
            document.warn(f"{reason}, so the gaze of the motion is left out")


def _appended(document: Document, name: str, tracks: list[Track], pose: Pose) -> Document:
    _warn_of_unshown(document, pose)
    tracks = tracks + _weight_tracks(document, pose)
    properties = _material_tracks(document, pose)
    if not tracks and not properties:
        raise ContentError(
            f"the motion {name!r} moves nothing that the avatar has",
            remedy="use a motion with bones of the avatar",
        )
    copy = document.copy()
    for entry in properties:
        define(copy, entry.pointer)
    add_clip(copy, name, tracks, properties)
    return copy

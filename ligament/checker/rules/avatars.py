"""Rules about node constraints, spring bones, humanoids and motion files (VRMC_vrm_animation).

Rules that a solver or an avatar depends on are defined with these, in `rig`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ligament import transforms as tf
from ligament.checker.subject import Subject
from ligament.errors import LigamentError
from ligament.extensions.humanoid import vrm, vrmc_vrm, vrmc_vrm_animation
from ligament.extensions.humanoid.bones import GAZE_PRESETS, PRESETS
from ligament.extensions.vrmc_node_constraint import NAME
from ligament.findings import Finding, finding
from ligament.gltf import objects, pointers
from ligament.gltf.animation import Clip
from ligament.gltf.document import Document
from ligament.rig import constraint_problems, humanoid_problems, spring_problems
from ligament.rig.humanoid.rules import (
    DIALECTS,
    above,
    bone_problems,
    hips_problems,
    index_of,
    not_a_node,
)
from ligament.rig.humanoid.skeleton import Humanoid
from ligament.rig.humanoid.stance import IDENTITY
from ligament.rig.humanoid.tpose import T_POSE, tpose_deviation

DEVIATION_MIN = 0.5
"""Deviation [degrees] of a bone from its T-pose that rounding may explain."""

ROOT_TURN_MAX = 10.0
"""Rotation [degrees] of a whole model at rest above which it is reported."""

_ROOT = f"/extensions/{vrmc_vrm_animation.NAME}"


def constraint_rules(subject: Subject) -> Iterator[Finding]:
    """Yield everything wrong with node constraints."""
    if NAME in subject.carriers:
        yield from constraint_problems(subject.document)


def spring_rules(subject: Subject) -> Iterator[Finding]:
    """Yield everything wrong with spring bones."""
    yield from spring_problems(subject.document, subject.tree)


def humanoid_rules(subject: Subject) -> Iterator[Finding]:
    """Yield everything wrong with humanoids, and deviations from a T-pose."""
    names = (vrmc_vrm.NAME, vrm.NAME, vrmc_vrm_animation.NAME)
    if any(subject.document.extension(name) is not None for name in names):
        yield from humanoid_problems(subject.document)
        yield from _tpose_problems(subject.document)


def _tpose_problems(document: Document) -> Iterator[Finding]:
    """Yield the bones that deviate from the T-pose by more than bodies vary; never raises."""
    try:
        humanoid = Humanoid(document)
    except LigamentError:
        return
    yield from _turned_root(humanoid)
    nodes = dict(zip(humanoid.bones, humanoid.nodes.tolist(), strict=True))
    for bone, degrees in tpose_deviation(humanoid).items():
        if degrees > max(T_POSE[bone].slack, DEVIATION_MIN):
            message = f"{bone} rests {degrees:.0f}\N{DEGREE SIGN} away from the T-pose"
            remedy = "motion authored on a T-pose will be off by that angle"
            yield finding("HUMANOID_TPOSE", f"/nodes/{nodes[bone]}", message, remedy)


def _turned_root(humanoid: Humanoid) -> Iterator[Finding]:
    """Yield the node above the hips that turns or mirrors a whole model."""
    root = humanoid.root
    angle = np.degrees(tf.angle_between(root.rotation, IDENTITY))
    is_mirrored = np.linalg.det(root.from_scene[:3, :3]) < 0
    if is_mirrored or angle > ROOT_TURN_MAX:
        turn = "mirrors" if is_mirrored else f"turns by {angle:.0f}\N{DEGREE SIGN}"
        message = f"{humanoid.tree.label(root.node)} {turn} the whole model at rest"
        remedy = "programs that take the scene's axes for the model's move its bones wrongly"
        yield finding("HUMANOID_TPOSE", f"/nodes/{root.node}", message, remedy)


def motion_rules(subject: Subject) -> Iterator[Finding]:
    """Yield everything wrong with a document as a motion file."""
    document = subject.document
    if document.extension(vrmc_vrm_animation.NAME) is None:
        return
    yield from _version_problems(document)
    yield from _bone_problems(subject)
    yield from _face_problems(document, 0 if subject.tree is None else len(subject.tree))
    count = len(subject.array("animations"))
    if count > 1:
        message, remedy = f"there are {count} animations", "players play the first one only"
        yield finding("VRMA_SEVERAL_ANIMATIONS", "/animations/1", message, remedy)
    for index, clip in enumerate(subject.clips):
        yield from _channel_problems(document, index)
        if isinstance(clip, Clip):
            yield from _weight_problems(document, clip)


def _version_problems(document: Document) -> Iterator[Finding]:
    version = pointers.find(document.extension(vrmc_vrm_animation.NAME), "/specVersion")
    if version == "1.0-draft":
        yield finding("VRMA_DRAFT", f"{_ROOT}/specVersion", "found 1.0-draft", "write 1.0")
    elif version != "1.0":
        message = f"found {pointers.found(version)}"
        yield finding("VRMA_SPEC_VERSION", f"{_ROOT}/specVersion", message, 'it must be "1.0"')


def _bone_problems(subject: Subject) -> Iterator[Finding]:
    document, tree = subject.document, subject.tree
    extension = document.extension(vrmc_vrm_animation.NAME)
    if pointers.find(extension, "/humanoid") is None:
        return
    entries = vrmc_vrm_animation.human_bones(document)
    yield from bone_problems(DIALECTS[-1], entries, tree, len(subject.nodes))
    for entry in entries:
        if entry.bone in ("leftEye", "rightEye"):
            message, remedy = f"{entry.bone} is mapped", "animate lookAt instead"
            yield finding("VRMA_EYE_MAPPED", entry.pointer, message, remedy)
    yield from hips_problems(entries, tree)
    for node in [] if tree is None else above(entries, tree):
        if tree is not None and np.abs(tree.scale[node] - 1).max() > 1e-5:
            message, remedy = f"{tree.label(node)} is scaled at rest", "apply the scale"
            yield finding("VRMA_REST_SCALE", f"/nodes/{node}/scale", message, remedy)


def _face_problems(document: Document, count: int) -> Iterator[Finding]:
    for entry in vrmc_vrm_animation.expressions(document):
        if index_of(entry.node, count) is None and count:
            yield not_a_node("VRMA_NODE", entry.pointer, entry.name, entry.node, count)
        if entry.is_preset and entry.name in GAZE_PRESETS:
            message, remedy = f"{entry.name} is mapped", "animate lookAt instead"
            yield finding("VRMA_GAZE_PRESET", entry.pointer, message, remedy)
        if not entry.is_preset and entry.name in PRESETS:
            message, remedy = f"{entry.name} is a preset", "choose another name for it"
            yield finding("VRMA_CUSTOM_IS_PRESET", entry.pointer, message, remedy)
    gaze = pointers.find(document.extension(vrmc_vrm_animation.NAME), "/lookAt")
    if isinstance(gaze, dict) and "node" not in gaze:
        message, remedy = "lookAt names no node", "the schema requires one"
        yield finding("VRMA_LOOK_AT_NODE", f"{_ROOT}/lookAt", message, remedy)
    elif isinstance(gaze, dict) and index_of(gaze["node"], count) is None and count:
        message, remedy = f"found {pointers.found(gaze['node'])}", f"a node, 0 to {count - 1}"
        yield finding("VRMA_NODE", f"{_ROOT}/lookAt/node", message, remedy)


def _channel_problems(document: Document, index: int) -> Iterator[Finding]:
    entries = vrmc_vrm_animation.human_bones(document)
    bones = {e.node: e.bone for e in entries if isinstance(e.node, (int, float))}
    try:
        animation = document.element("animations", index, objects.Animation)
    except LigamentError:
        return
    for i, channel in enumerate(animation.channels):
        node, path = channel.target.node, channel.target.path
        if node is None or node not in bones:
            continue
        bone, place = bones[node], f"/animations/{index}/channels/{i}/target/path"
        if path == "scale":
            yield finding("VRMA_SCALE_CHANNEL", place, f"{bone} is scaled", "bones only rotate")
        if path == "translation" and bone != "hips":
            message, remedy = f"{bone} is moved", "only the hips may be"
            yield finding("VRMA_TRANSLATION_CHANNEL", place, message, remedy)
        samplers = animation.samplers
        curve = samplers[channel.sampler].interpolation if channel.sampler < len(samplers) else ""
        if path == "rotation" and curve in ("STEP", "CUBICSPLINE"):
            place = f"/animations/{index}/samplers/{channel.sampler}/interpolation"
            message, remedy = (
                f"{bone} is keyed {curve}",
                "use LINEAR: some players show the others wrongly",
            )
            yield finding("VRMA_INTERPOLATION", place, message, remedy)


def _weight_problems(document: Document, clip: Clip) -> Iterator[Finding]:
    faces = {e.node: e for e in vrmc_vrm_animation.expressions(document) if type(e.node) is int}
    for track in clip.tracks:
        if track.path == "translation" and track.node in faces:
            keys = track.values[:, 1] if track.interpolation == "CUBICSPLINE" else track.values
            low, high = float(keys[:, 0].min()), float(keys[:, 0].max())
            if low < 0 or high > 1:
                entry = faces[track.node]
                message = f"{entry.name} has weights from {low:g} to {high:g}"
                remedy = "keep them from 0 to 1; they are clamped"
                yield finding("VRMA_WEIGHT_RANGE", entry.pointer, message, remedy)

"""What a motion file must keep to (VRMC_vrm_animation 1.0): every breach is a finding."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ligament.errors import LigamentError
from ligament.extensions import vrmc_vrm, vrmc_vrm_animation
from ligament.findings import Finding, Severity
from ligament.gltf import objects, pointers
from ligament.gltf.animation import Clip, read_clip
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree
from ligament.rig.humanoid.bones import GAZE_PRESETS, PRESETS
from ligament.rig.humanoid_rules import (
    DIALECTS,
    above,
    bone_problems,
    finding,
    hips_problems,
    index_of,
    tree_or_none,
)

SEVERITIES: dict[str, Severity] = {
    "VRMA_SPEC_VERSION": "error",
    "VRMA_DRAFT": "warning",
    "VRMA_EYE_MAPPED": "error",
    "VRMA_GAZE_PRESET": "error",
    "VRMA_CUSTOM_IS_PRESET": "error",
    "VRMA_NODE": "error",
    "VRMA_SCALE_CHANNEL": "error",
    "VRMA_TRANSLATION_CHANNEL": "error",
    "VRMA_BESIDE_VRM": "warning",
    "VRMA_REST_SCALE": "warning",
    "VRMA_WEIGHT_RANGE": "warning",
    "VRMA_SEVERAL_ANIMATIONS": "warning",
    "VRMA_INTERPOLATION": "warning",
    "VRMA_LOOK_AT_NODE": "info",
}
"""Severity of every code about motions."""

_ROOT = f"/extensions/{vrmc_vrm_animation.NAME}"


def problems(document: Document) -> Iterator[Finding]:
    """Yield everything wrong with a document as a motion file; never raises."""
    if document.extension(vrmc_vrm_animation.NAME) is None:
        return
    tree = tree_or_none(document)
    yield from _version_problems(document)
    yield from _bone_problems(document, tree)
    yield from _face_problems(document, 0 if tree is None else len(tree))
    animations = document.json.get("animations")
    count = len(animations) if isinstance(animations, list) else 0
    if count > 1:
        message, remedy = f"there are {count} animations", "players play the first one only"
        yield _finding("SEVERAL_ANIMATIONS", "/animations/1", message, remedy)
    for index in range(count):
        yield from _channel_problems(document, index)
        yield from _weight_problems(document, index)


def _finding(code: str, pointer: str, message: str, remedy: str) -> Finding:
    return finding(SEVERITIES, f"VRMA_{code}", pointer, message, remedy)


def _version_problems(document: Document) -> Iterator[Finding]:
    version = pointers.find(document.extension(vrmc_vrm_animation.NAME), "/specVersion")
    if version == "1.0-draft":
        yield _finding("DRAFT", f"{_ROOT}/specVersion", "found 1.0-draft", "write 1.0")
    elif version != "1.0":
        message = f"found {pointers.found(version)}"
        yield _finding("SPEC_VERSION", f"{_ROOT}/specVersion", message, 'it must be "1.0"')
    if document.extension(vrmc_vrm.NAME) is not None:
        message, remedy = "the file is an avatar too", "keep motion and avatar in two files"
        yield _finding("BESIDE_VRM", _ROOT, message, remedy)


def _bone_problems(document: Document, tree: NodeTree | None) -> Iterator[Finding]:
    extension = document.extension(vrmc_vrm_animation.NAME)
    if pointers.find(extension, "/humanoid") is None:
        return
    entries = vrmc_vrm_animation.human_bones(document)
    nodes = document.json.get("nodes")
    count = len(nodes) if isinstance(nodes, list) else 0
    yield from bone_problems(DIALECTS[-1], entries, tree, count)
    for entry in entries:
        if entry.bone in ("leftEye", "rightEye"):
            message, remedy = f"{entry.bone} is mapped", "animate lookAt instead"
            yield _finding("EYE_MAPPED", entry.pointer, message, remedy)
    yield from hips_problems(entries, tree)
    for node in [] if tree is None else above(entries, tree):
        if tree is not None and np.abs(tree.scale[node] - 1).max() > 1e-5:
            message, remedy = f"{tree.label(node)} is scaled at rest", "apply the scale"
            yield _finding("REST_SCALE", f"/nodes/{node}/scale", message, remedy)


def _face_problems(document: Document, count: int) -> Iterator[Finding]:
    for entry in vrmc_vrm_animation.expressions(document):
        if index_of(entry.node, count) is None and count:
            message = f"{entry.name} is mapped to {pointers.found(entry.node)}"
            remedy = f"it must be a node, 0 to {count - 1}"
            yield _finding("NODE", entry.pointer, message, remedy)
        if entry.is_preset and entry.name in GAZE_PRESETS:
            message, remedy = f"{entry.name} is mapped", "animate lookAt instead"
            yield _finding("GAZE_PRESET", entry.pointer, message, remedy)
        if not entry.is_preset and entry.name in PRESETS:
            message, remedy = f"{entry.name} is a preset", "choose another name for it"
            yield _finding("CUSTOM_IS_PRESET", entry.pointer, message, remedy)
    gaze = pointers.find(document.extension(vrmc_vrm_animation.NAME), "/lookAt")
    if isinstance(gaze, dict) and "node" not in gaze:
        message, remedy = "lookAt names no node", "the schema demands one"
        yield _finding("LOOK_AT_NODE", f"{_ROOT}/lookAt", message, remedy)
    elif isinstance(gaze, dict) and index_of(gaze["node"], count) is None and count:
        message, remedy = f"found {pointers.found(gaze['node'])}", f"a node, 0 to {count - 1}"
        yield _finding("NODE", f"{_ROOT}/lookAt/node", message, remedy)


def _channel_problems(document: Document, index: int) -> Iterator[Finding]:
    entries = vrmc_vrm_animation.human_bones(document)
    bones = {e.node: e.bone for e in entries if isinstance(e.node, (int, float))}
    try:
        animation = document.view("animations", index, objects.Animation)
    except LigamentError:
        return
    for i, channel in enumerate(animation.channels):
        node, path = channel.target.node, channel.target.path
        if node is None or node not in bones:
            continue
        bone, place = bones[node], f"/animations/{index}/channels/{i}/target/path"
        if path == "scale":
            yield _finding("SCALE_CHANNEL", place, f"{bone} is scaled", "bones only rotate")
        if path == "translation" and bone != "hips":
            message, remedy = f"{bone} is moved", "only the hips may be"
            yield _finding("TRANSLATION_CHANNEL", place, message, remedy)
        samplers = animation.samplers
        curve = samplers[channel.sampler].interpolation if channel.sampler < len(samplers) else ""
        if path == "rotation" and curve in ("STEP", "CUBICSPLINE"):
            place = f"/animations/{index}/samplers/{channel.sampler}/interpolation"
            message, remedy = f"{bone} is keyed {curve}", "some players misplay all but LINEAR"
            yield _finding("INTERPOLATION", place, message, remedy)


def _weight_problems(document: Document, index: int) -> Iterator[Finding]:
    clip = _clip_or_none(document, index)
    faces = {e.node: e for e in vrmc_vrm_animation.expressions(document) if type(e.node) is int}
    for track in () if clip is None else clip.tracks:
        if track.path == "translation" and track.node in faces:
            keys = track.values[:, 1] if track.interpolation == "CUBICSPLINE" else track.values
            low, high = float(keys[:, 0].min()), float(keys[:, 0].max())
            if low < 0 or high > 1:
                entry = faces[track.node]
                message = f"{entry.name} has weights from {low:g} to {high:g}"
                remedy = "keep them from 0 to 1; they are clamped"
                yield _finding("WEIGHT_RANGE", entry.pointer, message, remedy)


def _clip_or_none(document: Document, index: int) -> Clip | None:
    try:
        return read_clip(document, index)
    except LigamentError:
        return None

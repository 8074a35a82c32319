"""Negative scales and incomplete skins: the same body, stored in other ways, moves the same."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from ligament.gltf.accessors import append_accessor, read_accessor
from ligament.gltf.animation import Clip, Track, append_clip, read_clip
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree
from ligament.rig.motion.gltf_skeleton import find_humanoid
from ligament.rig.motion.load import load_motion
from ligament.rig.motion.motion import Motion
from ligament.rig.retarget import retarget
from tests.rig.motion.styles import (
    arms_down,
    errors,
    gltf_document,
    motion_of_bones,
    world_of_joints,
    zero_rotations,
)
from tests.rig.motion.test_unusual_skeletons import SIMPLE
from tests.sampling import sample

JOINTS = SIMPLE.joints()
AT = {joint.bone: i + 1 for i, joint in enumerate(JOINTS) if joint.bone} | {"armature": 0}
SIGNS = ((-1, 1, 1), (1, -1, 1), (1, 1, -1), (-1, -1, -1), (-1, -1, 1))
FORMS: dict[str, dict[str, Any]] = {
    "rest pose": {"seed": 2, "armature": True},
    "bind pose": {"seed": 3, "bound": True, "rest_frame": 1},
}


def document_of(form: str) -> Document:
    zero = zero_rotations(JOINTS, arms_down(45))
    return gltf_document(JOINTS, *motion_of_bones(), zero=zero, **FORMS[form])


def reflected(document: Document, node: int, signs: Sequence[float]) -> Document:
    """Scale a node by −1 along some axes, and store all below it so that it stays in place."""
    mirror, tree = np.array(signs, float), NodeTree(document)
    turned = np.append(mirror.prod() * mirror, 1.0)
    nodes = document.json["nodes"]
    below = [n for n in range(len(nodes)) if node in tree.ancestors(n)]
    nodes[node]["scale"] = (tree.scale[node] * mirror).tolist()
    for n in below:
        nodes[n]["rotation"] = (tree.rotation[n] * turned).tolist()
        nodes[n]["translation"] = (tree.translation[n] * mirror).tolist()

    def moved(track: Track) -> Track:
        factor = turned if track.path == "rotation" else mirror
        values = track.values * factor if track.node in below else track.values
        return Track(track.node, track.path, track.times, values)

    clip = read_clip(document, 0)
    document.json["animations"] = []
    append_clip(document, Clip(clip.name, tuple(map(moved, clip.tracks))))
    for skin in document.json.get("skins", ()):
        inverse = np.array(read_accessor(document, skin["inverseBindMatrices"]))
        own = [i for i, joint in enumerate(skin["joints"]) if joint in (*below, node)]
        inverse[own] = np.diag([*mirror, 1.0]) @ inverse[own]
        skin["inverseBindMatrices"] = append_accessor(document, inverse.astype(np.float32))
    return document


def places_of_target(document: Document, motion: Motion) -> np.ndarray:
    humanoid, tree = find_humanoid(document), NodeTree(document)
    pose = retarget(motion, humanoid)
    frames = len(pose.times)
    rotation, translation = (
        np.tile(part, (frames, 1, 1)) for part in (tree.rotation, tree.translation)
    )
    rotation[:, pose.nodes] = pose.rotation
    translation[:, humanoid.nodes[0]] = pose.hips_translation
    return np.asarray(tree.world_matrices(translation, rotation)[..., :3, 3])


CASES = itertools.product(FORMS, ("armature", "hips", "rightShoulder", "leftUpperLeg"), SIGNS)


@pytest.mark.parametrize(("form", "bone", "signs"), sample(CASES, 16))
def test_negative_scales_change_nothing(form: str, bone: str, signs: Sequence[float]) -> None:
    plain, mirrored = document_of(form), reflected(document_of(form), AT[bone], signs)
    places = [NodeTree(document).world_matrices()[:, :3, 3] for document in (plain, mirrored)]
    assert np.allclose(*places, atol=1e-6)
    motion = load_motion(mirrored)
    assert max(errors(motion, world_of_joints(JOINTS, motion_of_bones()[0])[1]).values()) < 1.0
    targets = [places_of_target(document, motion) for document in (plain, mirrored)]
    assert np.abs(targets[0] - targets[1]).max() < 1e-5  # single precision of keys and matrices


def test_hips_that_no_skin_binds_are_where_their_children_show() -> None:
    document = document_of("bind pose")
    (skin,) = document.json["skins"]
    inverse = np.array(read_accessor(document, skin["inverseBindMatrices"]))
    kept = [i for i, joint in enumerate(skin["joints"]) if joint != AT["hips"]]
    skin["joints"] = [skin["joints"][i] for i in kept]
    skin["inverseBindMatrices"] = append_accessor(document, inverse[kept].astype(np.float32))
    found = errors(load_motion(document), world_of_joints(JOINTS, motion_of_bones()[0])[1])
    assert max(found.values()) < 1.0

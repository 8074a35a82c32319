"""Node constraints of a normalised document do exactly what they did."""

from __future__ import annotations

import itertools
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ligament import transforms as tf
from ligament.conversion.normalize import normalize
from ligament.errors import ContentError, CycleError, LigamentWarning
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree
from ligament.rig import NodeConstraints
from tests.conversion.rigs import IDENTITY, KINDS, Rig, Seen, rotation

ANGLE = 1e-6
"""Tolerances, by how far axes may be off the coordinate axes [rad]."""


def assert_same_rotations(
    document: Document, local: np.ndarray, places: np.ndarray | None = None
) -> Document:
    """Solve poses (F, N, 4) of a document and of its normalised twin, and compare the worlds."""
    normal = normalize(document)
    before, after = NodeTree(document), NodeTree(normal)
    count, frames = len(before), len(local)
    if places is None:
        places = np.repeat(before.translation[None], frames, axis=0)
    ours, theirs = after.world_rotations(), before.world_rotations()
    own = tf.multiply(tf.conjugate(ours[:count]), theirs)
    up = [np.append(tree.parents[:count], -1)[:-1] for tree in (after, before)]
    roots = np.concatenate([ours, [IDENTITY]]), np.concatenate([theirs, [IDENTITY]])
    above = tf.multiply(tf.conjugate(roots[0][up[0]]), roots[1][up[1]])
    pose = np.repeat(after.rotation[None], frames, axis=0)
    pose[:, :count] = tf.multiply(tf.multiply(above, local), tf.conjugate(own))
    moved = np.repeat(after.translation[None], frames, axis=0)
    moved[:, :count] = tf.rotate(above, places)
    solved = NodeConstraints(document).solve(local, places)
    worlds = before.world_rotations(solved)
    turned = after.world_rotations(NodeConstraints(normal).solve(pose, moved))[:, :count]
    assert tf.angle_between(tf.multiply(worlds, tf.conjugate(own)), turned).max() < 20 * ANGLE
    return normal


def random_poses(rig: Rig, count: int = 12) -> np.ndarray:
    rest = NodeTree(rig.document).rotation
    turns = tf.normalize(rig.rng.standard_normal((count, len(rest), 4)))
    return tf.multiply(rest, turns)


def name_bones(rig: Rig, **bones: int) -> None:
    humanoid = {"humanBones": {bone: {"node": node} for bone, node in bones.items()}}
    rig.json["extensions"] = {"VRMC_vrm": {"specVersion": "1.0", "humanoid": humanoid}}
    rig.document.use_extension("VRMC_vrm")


def arm(kind: str, style: str, *, below: bool = False, **members: Any) -> Rig:
    """An upper arm, a lower arm, and a twist node that follows the lower arm."""
    rig = Rig(np.random.default_rng(11), style=style)
    top = rig.node()
    upper = rig.node(top, name="upper")
    lower = rig.node(upper, name="lower")
    twist = rig.node(lower if below else upper, name="twist")
    hand = rig.node(twist, name="hand")
    name_bones(rig, leftHand=hand)
    assert rig.constrain(twist, lower, kind, **members)
    return rig


@pytest.mark.parametrize("style", ["any", "quarter", "none"])
@pytest.mark.parametrize("below", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_twist_node_follows_as_before(kind: str, below: bool, style: str) -> None:
    rig = arm(kind, style, below=below)
    normal = assert_same_rotations(rig.document, random_poses(rig))
    tree = NodeTree(normal)
    assert (tree.rotation[[0, 1, 2, 4]] == IDENTITY).all()
    # The hand below the twist node: what that keeps of its rest rotation is undone above it.
    assert tf.angle_between(tree.world_rotations()[[0, 1, 2, 4]], IDENTITY).max() < 1e-12
    assert normalize(normal).json == normal.json


def test_axes_on_coordinate_axes_get_their_new_names() -> None:
    """With rest rotations by quarter turns, roll between siblings and aim need no help."""
    for kind, member in (("roll", "rollAxis"), ("aim", "aimAxis")):
        rig = arm(kind, "quarter")
        content = rig.nodes[3]["extensions"]["VRMC_node_constraint"]["constraint"][kind]
        normal = normalize(rig.document)
        assert len(normal.json["nodes"]) == len(rig.nodes)
        assert (NodeTree(normal).rotation == IDENTITY).all()
        new = normal.json["nodes"][3]["extensions"]["VRMC_node_constraint"]["constraint"][kind]
        old, turned = (
            (-1 if name.startswith("Negative") else 1) * np.eye(3)["XYZ".index(name[-1])]
            for name in (content[member], new[member])
        )
        world = NodeTree(rig.document).world_rotations()[3]
        expected = tf.rotate(world, old)
        if kind == "roll":
            expected, turned = np.abs(expected), np.abs(turned)
        np.testing.assert_allclose(turned, expected, atol=ANGLE)


@pytest.mark.parametrize("style", ["any", "quarter", "mixed"])
def test_chains_of_constraints(style: str) -> None:
    """A destination that is a source in turn, with a socket and a rest rotation of its own."""
    for seed in range(40):
        rig = Rig(np.random.default_rng(seed), style=style)
        for i in range(8):
            rig.node(int(rig.rng.integers(i)) if i else None)
        chain = rig.rng.permutation(8)[:5].tolist()
        for source, node in itertools.pairwise(chain):
            rig.constrain(node, source, str(rig.rng.choice(KINDS)))
        normal = assert_same_rotations(rig.document, random_poses(rig))
        assert normalize(normal).json == normal.json


def test_a_cycle_is_reported_before_anything_is_changed() -> None:
    rig = arm("rotation", "any")
    extension = {"specVersion": "1.0", "constraint": {"rotation": {"source": 3}}}
    rig.nodes[2]["extensions"] = {"VRMC_node_constraint": extension}
    with pytest.raises(CycleError, match="lower"):
        normalize(rig.document)


@pytest.mark.parametrize("kind", KINDS)
def test_a_constrained_bone_without_an_exact_form_is_refused_by_name(kind: str) -> None:
    rig = arm(kind, "any")
    name_bones(rig, leftLowerArm=3)
    with pytest.raises(ContentError, match=rf"'twist' \(node 3\) is a bone.*{kind}.*'lower'"):
        normalize(rig.document)


def test_a_constrained_bone_with_the_axes_of_its_source_stays_a_bone() -> None:
    rig = Rig(np.random.default_rng(12))
    top = rig.node()
    turn = rotation(rig.rng, "any")
    source, bone = rig.node(top, turn=turn), rig.node(top, turn=turn)
    rig.constrain(bone, source, "rotation")
    name_bones(rig, leftLowerArm=bone)
    normal = assert_same_rotations(rig.document, random_poses(rig))
    assert (NodeTree(normal).rotation == IDENTITY).all()
    assert len(normal.json["nodes"]) == 3


def draft(rig: Rig, node: int, source: int, **members: Any) -> None:
    content = {"rotation": {"source": source, **members}}
    extension = {"specVersion": "1.0-draft", "constraint": content}
    rig.nodes[node]["extensions"] = {"VRMC_node_constraint": extension}


@pytest.mark.filterwarnings("ignore::ligament.errors.LigamentWarning")
@pytest.mark.parametrize("axes", [[1, 1, 1], [1, 1, 0], [0, 1, 0], [0, 0, 0], [1, 0, 1]])
def test_free_axes_of_the_draft_keep_what_they_had(axes: list[int]) -> None:
    for seed in range(10):
        rig = Rig(np.random.default_rng(seed), style="quarter")
        top = rig.node()
        source, node = rig.node(top), rig.node(top)
        rig.node(node)
        draft(rig, node, source, freezeAxes=[bool(axis) for axis in axes], weight=0.7)
        normal = assert_same_rotations(rig.document, random_poses(rig))
        assert normalize(normal).json == normal.json


@pytest.mark.filterwarnings("ignore::ligament.errors.LigamentWarning")
def test_free_axes_that_are_no_axes_of_the_model_are_refused() -> None:
    rig = Rig(np.random.default_rng(13))
    source, node = rig.node(), rig.node()
    draft(rig, node, source, freezeAxes=[True, False, True])
    with pytest.raises(ContentError, match=r"freezeAxes.*'n1' \(node 1\)"):
        normalize(rig.document)
    draft(rig, node, source)
    assert_same_rotations(rig.document, random_poses(rig))


def test_draft_constraints_are_refused_where_axes_change() -> None:
    rig = Rig(np.random.default_rng(14))
    rig.node()
    extension = {"specVersion": "1.0-draft", "position": {"source": 0}}
    rig.nodes[0]["extensions"] = {"VRMC_node_constraint": extension}
    with pytest.raises(ContentError, match="/nodes/0/extensions/VRMC_node_constraint: the meaning"):
        normalize(rig.document)


def test_a_roll_under_a_node_of_its_own_needs_no_other() -> None:
    """A static parent with nothing else below it takes the place of an inserted one."""
    rig = arm("roll", "any", below=True)
    rig.nodes[2]["children"].remove(3)
    holder = rig.node(2)
    rig.nodes[holder]["children"] = [3]
    normal = assert_same_rotations(rig.document, random_poses(rig))
    assert normal.json["nodes"][2]["children"] == [holder]
    assert [node["name"] for node in normal.json["nodes"]][6:] == ["twist end"]


def test_reference_scenes_move_the_same(shared: Path) -> None:
    lines = (shared / "golden" / "node_constraint" / "scenes.jsonl").read_text().splitlines()
    assert lines
    for line in lines:
        scene = json.loads(line)
        document = Document(scene["gltf"])
        rest = NodeTree(document)
        local = np.repeat(rest.rotation[None], len(scene["frames"]), axis=0)
        places = np.repeat(rest.translation[None], len(scene["frames"]), axis=0)
        for frame, overrides in enumerate(scene["frames"]):
            for node, override in overrides.items():
                local[frame, int(node)] = override.get("r", local[frame, int(node)])
                places[frame, int(node)] = override.get("t", places[frame, int(node)])
        assert_same_rotations(document, local, places)


def test_a_warning_of_the_original_is_given_once() -> None:
    rig = Rig(np.random.default_rng(15))
    source, node = rig.node(), rig.node()
    draft(rig, node, source)
    with pytest.warns(LigamentWarning, match="1.0-draft"):
        normal = normalize(rig.document)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Seen(normal, nodes=2)

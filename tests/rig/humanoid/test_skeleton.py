"""Humanoids: what files say, the rest pose as it is, and poses freed from it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ligament as lg
from ligament import transforms as tf
from ligament.errors import ContentError, CycleError, LigamentWarning
from ligament.extensions.humanoid.bones import BONES, PARENTS, REQUIRED, chain, nearest_parent
from ligament.gltf.document import Document
from ligament.rig.humanoid.skeleton import Humanoid
from tests.rig import scalar
from tests.rig.skeletons import EYES, humanoid, random_rotation, some_bones

seeds = st.integers(0, 2**32 - 1)
DIALECTS = ("VRMC_vrm", "VRM", "VRMC_vrm_animation")


def degrees(a: Any, b: Any) -> float:
    return float(np.degrees(tf.angle_between(a, b)).max())


def any_humanoid(seed: int, dialect: str = "VRMC_vrm") -> Humanoid:
    """Random bones, rest rotations, nodes between them, under a turned and scaled root."""
    rng = np.random.default_rng(seed)
    bones = [b for b in some_bones(rng) if dialect != "VRMC_vrm_animation" or b not in EYES]
    size = rng.uniform(0.3, 3)
    root = {
        "translation": rng.uniform(-1, 1, 3).tolist(),
        "rotation": random_rotation(rng).tolist(),
        "scale": [size] * 3,
    }
    document = humanoid(bones, dialect=dialect, rng=rng, between=0.3, root=root)
    return Humanoid(document)


# Construction


def test_there_are_55_bones_and_parents_come_first() -> None:
    assert len(BONES) == len(set(BONES)) == 55
    assert len(REQUIRED) == 15
    for bone, parent in PARENTS.items():
        assert (parent is None) == (bone == "hips")
        assert parent is None or BONES.index(parent) < BONES.index(bone)


def test_absent_parents_are_skipped_upwards() -> None:
    present = {"hips", "spine", "head", "leftUpperArm"}
    assert nearest_parent("head", present) == "spine"
    assert nearest_parent("leftUpperArm", present) == "spine"
    assert nearest_parent("hips", present) is None
    assert chain("head", present) == ["chest", "upperChest", "neck", "head"]
    assert chain("hips", present) == ["hips"]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_gives_the_same_names_in_one_order(dialect: str) -> None:
    bones = [bone for bone in BONES if bone not in EYES]
    found = Humanoid(humanoid(reversed(bones), dialect=dialect))
    assert found.bones == tuple(bones)
    assert found.dialect == dialect
    assert [found.tree.names[node] for node in found.nodes] == bones
    assert found.faces_back == (dialect == "VRM")
    assert "Humanoid of 53 bones" in repr(found)


def test_where_a_file_speaks_two_dialects_the_newer_avatar_counts() -> None:
    document = humanoid(REQUIRED, dialect="VRMC_vrm")
    old = humanoid(REQUIRED, dialect="VRM").json["extensions"]["VRM"]
    document.json["extensions"] = {"VRM": old, **document.json["extensions"]}
    assert Humanoid(document).dialect == "VRMC_vrm"


@given(seeds)
def test_parents_are_the_nearest_bones_that_are_there(seed: int) -> None:
    avatar = any_humanoid(seed)
    for i, bone in enumerate(avatar.bones):
        parent = nearest_parent(bone, set(avatar.bones))
        assert avatar.parents[i] == (-1 if parent is None else avatar.bones.index(parent))


@given(seeds)
def test_the_rest_pose_is_that_of_the_nodes(seed: int) -> None:
    avatar = any_humanoid(seed)
    matrices = avatar.root.from_scene @ avatar.tree.world_matrices()
    world = tf.multiply(tf.conjugate(avatar.root.rotation), avatar.tree.world_rotations())
    for i, node in enumerate(avatar.nodes):
        parent = avatar.tree.parents[node]
        above = world[parent] if parent >= 0 else [0, 0, 0, 1]
        assert degrees(avatar.parent_rotation[i], above) < 1e-9
        turn = scalar.product(avatar.parent_rotation[i], avatar.rest_rotation[i])
        assert degrees(avatar.world_rotation[i], turn) < 1e-9
        np.testing.assert_allclose(avatar.world_position[i], matrices[node, :3, 3])


# Normalised poses


@given(seeds, st.sampled_from(DIALECTS))
def test_normalised_rotations_follow_the_formula(seed: int, dialect: str) -> None:
    """N = W·L⁻¹·q·W⁻¹, computed bone by bone in plain Python."""
    avatar = any_humanoid(seed, dialect)
    local = random_rotation(np.random.default_rng(seed), 3, len(avatar.bones))
    normalized = avatar.to_normalized(local)
    for frame in range(3):
        for i in range(len(avatar.bones)):
            world, rest = avatar.world_rotation[i], avatar.rest_rotation[i]
            expected = scalar.product(world, scalar.inverse(rest))
            expected = scalar.product(expected, local[frame, i])
            expected = scalar.product(expected, scalar.inverse(world))
            assert scalar.degrees_between(normalized[frame, i], expected) < 1e-9


@given(seeds)
def test_there_and_back_is_identity(seed: int) -> None:
    avatar = any_humanoid(seed)
    local = random_rotation(np.random.default_rng(seed), 4, len(avatar.bones))
    back = avatar.from_normalized(avatar.to_normalized(local)).rotation
    assert degrees(back, local) < 1e-9


def test_without_rest_rotations_a_pose_is_its_normalised_pose() -> None:
    avatar = Humanoid(humanoid(BONES))
    local = random_rotation(np.random.default_rng(3), 5, 55)
    np.testing.assert_allclose(avatar.to_normalized(local), local, atol=1e-15)
    np.testing.assert_allclose(avatar.from_normalized(local).rotation, local, atol=1e-15)


@given(seeds)
def test_hips_are_moved_in_the_space_of_the_root(seed: int) -> None:
    avatar = any_humanoid(seed)
    rng = np.random.default_rng(seed)
    offset = rng.uniform(-1, 1, (2, 3))
    rest = np.tile(tf.normalize([0, 0, 0, 1.0]), (2, len(avatar.bones), 1))
    pose = avatar.from_normalized(rest, offset)
    for frame in range(2):
        translation = avatar.tree.translation.copy()
        translation[avatar.nodes[0]] = pose.hips_translation[frame]
        place = avatar.tree.world_matrices(translation=translation)[avatar.nodes[0], :3, 3]
        place = tf.apply_matrix(avatar.root.from_scene, place)
        np.testing.assert_allclose(place, avatar.hips_rest + offset[frame], atol=1e-12)


def test_rest_hips_stay_at_rest() -> None:
    avatar = any_humanoid(7)
    pose = avatar.from_normalized(np.tile([0, 0, 0, 1.0], (len(avatar.bones), 1)))
    np.testing.assert_array_equal(pose.hips_translation, avatar.tree.translation[avatar.nodes[0]])
    assert degrees(pose.rotation, avatar.rest_rotation) < 1e-12


@pytest.mark.parametrize("shape", [(), (1,), (7,), (2, 3), (0,)])
def test_any_leading_shape_will_do(shape: tuple[int, ...]) -> None:
    avatar = any_humanoid(8)
    local = random_rotation(np.random.default_rng(8), *shape, len(avatar.bones))
    normalized = avatar.to_normalized(local)
    assert normalized.shape == local.shape
    pose = avatar.from_normalized(normalized)
    assert pose.rotation.shape == local.shape
    assert pose.hips_translation.shape == (*shape, 3)
    if local.size:
        assert degrees(pose.rotation, local) < 1e-9


def test_more_frames_than_a_block_holds() -> None:
    avatar = any_humanoid(9)
    local = random_rotation(np.random.default_rng(9), 9001, len(avatar.bones))
    for layout in (local, np.ascontiguousarray(local.transpose(1, 2, 0)).transpose(2, 0, 1)):
        result = avatar.to_normalized(layout)
        assert result.strides == layout.strides
        assert degrees(avatar.from_normalized(result).rotation, local) < 1e-9


def test_float32_is_kept() -> None:
    avatar = any_humanoid(10)
    local = random_rotation(np.random.default_rng(10), 5, len(avatar.bones)).astype(np.float32)
    pose = avatar.from_normalized(avatar.to_normalized(local), np.zeros((5, 3), np.float32))
    assert pose.rotation.dtype == pose.hips_translation.dtype == np.float32
    assert degrees(pose.rotation.astype(float), local.astype(float)) < 1e-4


@pytest.mark.parametrize("library", ["torch", "jax.numpy", "array_api_strict"])
def test_arrays_of_other_libraries_stay_what_they_are(library: str) -> None:
    xp: Any = pytest.importorskip(library)
    avatar = any_humanoid(11)
    local = random_rotation(np.random.default_rng(11), 5, len(avatar.bones)).astype(np.float32)
    offset = np.random.default_rng(12).uniform(-1, 1, (5, 3)).astype(np.float32)
    array = xp.asarray(local)
    normalized = avatar.to_normalized(array)
    pose = avatar.from_normalized(normalized, xp.asarray(offset))
    assert type(normalized) is type(pose.rotation) is type(pose.hips_translation) is type(array)
    assert normalized.dtype == pose.hips_translation.dtype == array.dtype
    expected = avatar.from_normalized(avatar.to_normalized(local), offset)
    np.testing.assert_allclose(np.asarray(pose.rotation), expected.rotation, atol=2e-6)
    np.testing.assert_allclose(
        np.asarray(pose.hips_translation), expected.hips_translation, atol=2e-6
    )


def test_measured_poses_of_another_implementation(shared: Path) -> None:
    """63 poses set on the normalised rig of three-vrm and read back from the raw one."""
    folder = shared / "golden" / "humanoid"
    lines = (folder / "normalized_pose.jsonl").read_text().splitlines()
    assert len(lines) == 63
    for line in lines:
        golden = json.loads(line)
        avatar = Humanoid(lg.load(folder / golden["vrm"]))
        assert list(avatar.bones) == list(golden["raw"])
        given_pose = golden["normalized_pose"]
        rotation = np.array(
            [given_pose.get(b, {}).get("rotation", [0, 0, 0, 1]) for b in avatar.bones], float
        )
        hips = np.array(given_pose.get("hips", {}).get("position", [0, 0, 0]), float)
        pose = avatar.from_normalized(tf.normalize(rotation), hips)
        raw = tf.normalize(np.array(list(golden["raw"].values()), float))
        assert degrees(pose.rotation, raw) < 1e-5
        np.testing.assert_allclose(pose.hips_translation, golden["hips_translation"], atol=1e-8)
        assert degrees(avatar.to_normalized(raw), tf.normalize(rotation)) < 1e-5


# Heights


def test_hips_on_the_ground_are_measured_from_the_lowest_bone() -> None:
    document = humanoid(REQUIRED, root={"translation": [0, -1, 0]})
    with pytest.warns(LigamentWarning, match="height above the lowest bone"):
        assert Humanoid(document).hips_height == pytest.approx(0.9)


def test_hips_without_any_height_are_refused_when_it_matters() -> None:
    document = humanoid(REQUIRED)
    for node in document.json["nodes"]:
        node["translation"][1] = 0
    with pytest.raises(ContentError, match="height 0"):
        _ = Humanoid(document).hips_height


# Errors


def mutated(change: Callable[[dict[str, Any], Any], None], dialect: str = "VRMC_vrm") -> Document:
    document = humanoid(BONES if dialect != "VRMC_vrm_animation" else REQUIRED, dialect=dialect)
    bones = document.json["extensions"][dialect]["humanoid"]["humanBones"]
    change(bones, document.json["nodes"])
    return document


def refused(document: Document) -> ContentError:
    with pytest.raises(ContentError) as caught:
        Humanoid(document)
    assert caught.value.pointer
    assert caught.value.remedy
    return caught.value


def test_a_file_without_a_humanoid_is_refused() -> None:
    error = refused(Document({"asset": {"version": "2.0"}, "nodes": [{}]}))
    assert "no humanoid" in error.message
    assert "VRMC_vrm_animation" in str(error.remedy)


def test_missing_bones_are_listed() -> None:
    def change(bones: dict[str, Any], _: Any) -> None:
        for bone in ("spine", "leftFoot", "rightHand"):
            del bones[bone]

    document = mutated(change)
    error = refused(document)
    assert "spine, leftFoot, rightHand" in error.message
    assert error.pointer == "/extensions/VRMC_vrm/humanoid/humanBones"
    assert "spine" not in Humanoid(document, complete=False).bones


def test_hips_are_always_needed() -> None:
    with pytest.raises(ContentError, match="no hips"):
        Humanoid(mutated(lambda bones, _: bones.pop("hips")), complete=False)


@pytest.mark.parametrize("node", [1000, -1, 1.5, "3", None, True, [], {}])
def test_a_bone_must_name_a_node(node: Any) -> None:
    error = refused(mutated(lambda bones, _: bones["head"].update(node=node)))
    assert error.pointer == "/extensions/VRMC_vrm/humanoid/humanBones/head/node"


def test_a_bone_that_is_no_object_is_refused() -> None:
    assert refused(mutated(lambda bones, _: bones.update(head="x"))).pointer is not None


def test_a_whole_number_may_be_written_as_a_fraction() -> None:
    document = mutated(lambda bones, _: bones["head"].update(node=float(bones["head"]["node"])))
    assert Humanoid(document).bones == BONES


def test_old_files_say_minus_one_for_none() -> None:
    document = humanoid(REQUIRED, dialect="VRM")
    bones = document.json["extensions"]["VRM"]["humanoid"]["humanBones"]
    bones.append({"bone": "jaw", "node": -1})
    assert "jaw" not in Humanoid(document).bones


def test_one_node_cannot_be_two_bones() -> None:
    error = refused(mutated(lambda bones, _: bones["head"].update(bones["neck"])))
    assert "neck already, and now head" in error.message


def test_bones_must_descend_from_their_parents() -> None:
    def swap(bones: dict[str, Any], _: Any) -> None:
        bones["leftLowerArm"], bones["leftUpperArm"] = bones["leftUpperArm"], bones["leftLowerArm"]

    error = refused(mutated(swap))
    assert "is not below" in error.message
    assert "leftLowerArm" in str(error.pointer)


def test_nodes_that_are_their_own_ancestors_are_refused() -> None:
    def bend(_: Any, nodes: Any) -> None:
        nodes[5].setdefault("children", []).append(0)

    with pytest.raises(CycleError):
        Humanoid(mutated(bend))


def test_hips_scaled_to_nothing_are_refused() -> None:
    document = humanoid(REQUIRED, root={"scale": [0, 0, 0]})
    assert "a scale of 0" in refused(document).message


def test_the_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "avatar.vrm"
    lg.save(mutated(lambda bones, _: bones.pop("head")), path)
    with pytest.raises(ContentError) as caught:
        Humanoid(lg.load(path))
    assert str(caught.value).startswith(str(path))


def test_names_of_expressions_are_those_of_the_newer_version() -> None:
    new = humanoid(REQUIRED)
    new.json["extensions"]["VRMC_vrm"]["expressions"] = {"preset": {"aa": {}}, "custom": {"x": {}}}
    assert Humanoid(new).expressions == ("aa", "x")
    old = humanoid(REQUIRED, dialect="VRM")
    groups = [{"presetName": "blink_l"}, {"presetName": "unknown", "name": "x"}, {}, 3]
    old.json["extensions"]["VRM"]["blendShapeMaster"] = {"blendShapeGroups": groups}
    assert Humanoid(old).expressions == ("blinkLeft", "x")
    assert Humanoid(humanoid(REQUIRED, dialect="VRMC_vrm_animation")).expressions == ()

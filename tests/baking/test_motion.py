"""Retargeted motion written out, and what other programs and we ourselves read from it."""

from pathlib import Path

import numpy as np
import pytest

import ligament as lg
from ligament import transforms as tf
from ligament.baking import add_motion, save_arrays, to_vrma
from ligament.demo import assets
from ligament.gltf.animation import Clip, Track, append_clip, read_clip, sample_pose
from ligament.gltf.tree import NodeTree
from ligament.rig import Humanoid, Motion, load_motion, retarget
from tests.judges import assert_valid, judge

FILES = {path.name: path for path in assets()}
ROUNDING = 4e-7  # keys are stored as float32


@pytest.fixture
def avatar() -> Humanoid:
    return Humanoid(lg.load(FILES["avatar.vrm"]))


@pytest.fixture
def wave() -> Motion:
    return load_motion(FILES["wave.vrma"])


def turned_avatar() -> lg.Document:
    """An avatar whose bones all have rest rotations, with a node between hips and spine."""
    doc = lg.load(FILES["avatar.vrm"]).copy()
    rng = np.random.default_rng(3)
    tree = NodeTree(doc)
    world = tree.world_matrices()[:, :3, 3]
    rotation = tf.normalize(rng.normal(size=(len(tree), 4)))
    for nodes in tree.levels:
        for node in nodes:
            parent = tree.parents[node]
            above = np.eye(4) if parent < 0 else matrices[parent]  # noqa: F821
            local = tf.apply_matrix(np.linalg.inv(above), world[node])
            doc.json["nodes"][node] |= {
                "translation": local.tolist(),
                "rotation": rotation[node].tolist(),
            }
            if parent < 0:
                matrices = np.zeros((len(tree), 4, 4))
            matrices[node] = above @ tf.compose(local, rotation[node])
    return doc


def stepping(avatar: Humanoid) -> lg.Document:
    """A motion whose tracks have their own times and every interpolation."""
    doc = to_vrma(avatar, load_motion(FILES["wave.vrma"])).copy()
    del doc.json["animations"]
    rng = np.random.default_rng(5)
    nodes = {node["name"]: i for i, node in enumerate(doc.json["nodes"])}
    turn = lambda *shape: tf.normalize(rng.normal(size=(*shape, 4)) * 0.3 + [0, 0, 0, 1])  # noqa: E731
    cubic = np.stack([rng.normal(size=(4, 4)), turn(4), rng.normal(size=(4, 4))], axis=1)
    tracks = (
        Track(nodes["spine"], "rotation", np.array([0.0, 0.4, 1.1]), turn(3), "STEP"),
        Track(nodes["chest"], "rotation", np.array([0.1, 0.5, 0.9]), turn(3), "LINEAR"),
        Track(nodes["head"], "rotation", np.array([0, 0.3, 0.7, 1.0]), cubic, "CUBICSPLINE"),
    )
    append_clip(doc, Clip("Steps", tracks))
    return doc


def poses(document: lg.Document, animation: int, avatar: Humanoid, times: np.ndarray) -> np.ndarray:
    pose = sample_pose(NodeTree(document), [read_clip(document, animation)], times)
    return pose.rotation[:, avatar.nodes]


@pytest.mark.parametrize("rate", [None, 60.0])
def test_the_avatar_gets_the_motion_as_one_more_animation(
    avatar: Humanoid, wave: Motion, rate: float | None, tmp_path: Path
) -> None:
    result = add_motion(avatar.document, wave, rate=rate)
    assert [a["name"] for a in result.json["animations"]] == ["Wave", "Wave"]
    times = np.arange(121) / 60 if rate else wave.times
    expected = retarget(wave, avatar, times)
    error = tf.angle_between(poses(result, 1, avatar, times), expected.rotation)
    assert error.max() < (np.radians(0.0101) if rate else ROUNDING)
    lg.save(result, tmp_path / "out.vrm")
    assert_valid(tmp_path / "out.vrm")


def test_original_keys_times_and_interpolations_are_kept() -> None:
    target = Humanoid(turned_avatar())
    document = stepping(target)
    motion = load_motion(document)
    result = add_motion(target.document, motion)
    tracks = {target.tree.names[t.node]: t for t in read_clip(result, 1).tracks}
    assert {name: t.interpolation for name, t in tracks.items()} == {
        "spine": "STEP",
        "chest": "LINEAR",
        "head": "CUBICSPLINE",
    }
    np.testing.assert_allclose(tracks["chest"].times, [0.1, 0.5, 0.9], atol=1e-7)
    times = np.linspace(-0.1, 1.3, 57)
    expected = retarget(motion, target, times).rotation
    assert tf.angle_between(poses(result, 1, target, times), expected).max() < 2e-6


def test_with_a_rate_the_twist_bones_follow(avatar: Humanoid, wave: Motion) -> None:
    result = add_motion(avatar.document, wave, rate=60, avatar=avatar)
    tree = NodeTree(result)
    times = np.arange(121) / 60
    pose = sample_pose(tree, [read_clip(result, 1)], times)
    solved = lg.NodeConstraints(result).solve(pose.rotation, pose.translation)
    twist = tree.names.index("leftLowerArm twist")
    assert tf.angle_between(pose.rotation[:, twist], tree.rotation[twist]).max() > 0.5
    assert tf.angle_between(pose.rotation, solved).max() < np.radians(0.03)


def test_three_vrm_shows_the_same_pose(tmp_path: Path, wave: Motion) -> None:
    target = Humanoid(turned_avatar())
    lg.save(target.document, tmp_path / "avatar.vrm")
    lg.save(to_vrma(target, wave), tmp_path / "motion.vrma")
    assert_valid(tmp_path / "avatar.vrm", tmp_path / "motion.vrma")
    times = [0.0, 0.33, 0.75, 1.5]
    seen = judge("vrma.mjs", tmp_path / "avatar.vrm", tmp_path / "motion.vrma", *times)
    pose = retarget(wave, target, np.array(times))
    for f, frame in enumerate(seen):
        for b, bone in enumerate(target.bones):
            theirs = np.array(frame[bone])
            assert tf.angle_between(theirs[:4], pose.rotation[f, b]) < np.radians(1e-3), bone
        np.testing.assert_allclose(frame["hips"][4:], pose.hips_translation[f], atol=1e-5)


def test_a_vrma_of_the_motion_is_the_motion(avatar: Humanoid, wave: Motion) -> None:
    again = load_motion(to_vrma(avatar, wave))
    times = np.linspace(0, 2, 41)
    first, second = retarget(wave, avatar, times), retarget(again, avatar, times)
    assert tf.angle_between(first.rotation, second.rotation).max() < 2e-6
    np.testing.assert_allclose(first.hips_translation, second.hips_translation, atol=1e-6)


def test_expressions_and_gaze_survive_as_vrma(tmp_path: Path, avatar: Humanoid) -> None:
    doc = to_vrma(avatar, load_motion(FILES["wave.vrma"]))
    extension = doc.json["extensions"]["VRMC_vrm_animation"]
    nodes, scene = doc.json["nodes"], doc.json["scenes"][0]["nodes"]
    start = len(nodes)
    nodes += [{"name": "happy"}, {"name": "smirk"}, {"name": "look"}]
    scene += [start, start + 1, start + 2]
    extension["expressions"] = {
        "preset": {"happy": {"node": start}},
        "custom": {"smirk": {"node": start + 1}},
    }
    extension["lookAt"] = {"node": start + 2}
    times = np.array([0.0, 1.0])
    happy = np.array([[0.0, 0, 0], [1.0, 0, 0]])
    smirk = np.array([[-1.0, 0, 0], [2.0, 0, 0]])
    gaze = tf.from_axis_angle(np.array([0, 1.0, 0]), np.array([0.0, 0.5]))
    clip = read_clip(doc, 0)
    del doc.json["animations"]
    extra = (
        Track(start, "translation", times, happy),
        Track(start + 1, "translation", times, smirk),
        Track(start + 2, "rotation", times, gaze),
    )
    append_clip(doc, Clip("Face", clip.tracks + extra))
    motion = load_motion(doc)
    again = load_motion(to_vrma(avatar, motion))
    at = np.linspace(0, 1, 11)
    pose = retarget(again, avatar, at)
    np.testing.assert_allclose(pose.expressions["happy"], at, atol=1e-6)
    np.testing.assert_allclose(pose.expressions["smirk"], np.clip(3 * at - 1, 0, 1), atol=1e-4)
    np.testing.assert_allclose(pose.look_at[:, 0], np.degrees(0.5 * at), atol=1e-3)
    out = tmp_path / "face.vrma"
    lg.save(to_vrma(avatar, motion), out)
    assert_valid(out)


def test_arrays_hold_the_pose(avatar: Humanoid, wave: Motion, tmp_path: Path) -> None:
    pose = retarget(wave, avatar)
    save_arrays(pose, tmp_path / "pose.npz")
    with np.load(tmp_path / "pose.npz", allow_pickle=False) as arrays:
        assert arrays["bones"].tolist() == list(avatar.bones)
        np.testing.assert_array_equal(arrays["nodes"], avatar.nodes)
        np.testing.assert_array_equal(arrays["rotation"], pose.rotation)
        np.testing.assert_array_equal(arrays["hips_translation"], pose.hips_translation)
        np.testing.assert_array_equal(arrays["times"], pose.times)
        assert arrays["expressions"].shape == (len(pose.times), 0)


def test_a_pose_is_written_as_it_is(avatar: Humanoid, wave: Motion) -> None:
    pose = retarget(wave, avatar, np.arange(121) / 60)
    result = lg.add_motion(avatar.document, pose, name="waving")
    sampled = lg.add_motion(avatar.document, wave, rate=60)
    assert [a["name"] for a in result.json["animations"]] == ["Wave", "waving"]
    assert lg.add_motion(avatar.document, pose).json["animations"][1]["name"] == "Motion"
    ours, theirs = read_clip(result, 1).tracks, read_clip(sampled, 1).tracks
    assert [(t.node, t.path) for t in ours] == [(t.node, t.path) for t in theirs]
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(one.times, other.times)
        np.testing.assert_array_equal(one.values, other.values)
    assert len(avatar.document.json["animations"]) == 1


def test_an_animation_can_be_named(avatar: Humanoid, wave: Motion) -> None:
    for rate in (None, 30.0):
        result = lg.add_motion(avatar.document, wave, rate=rate, name="hello")
        assert result.json["animations"][-1]["name"] == "hello"


def test_a_pose_has_its_own_frames_and_avatar(avatar: Humanoid, wave: Motion) -> None:
    pose = retarget(wave, avatar)
    with pytest.raises(lg.LigamentError, match="leave out `rate`"):
        lg.add_motion(avatar.document, pose, rate=30)
    with pytest.raises(lg.LigamentError, match=r"/nodes: the pose has node \d+, .* 1 nodes"):
        lg.add_motion(lg.Document({"asset": {"version": "2.0"}, "nodes": [{}]}), pose)

"""Playing and baking animation and constraints, and what other programs make of the result."""

import json
from pathlib import Path

import numpy as np
import pytest

import ligament as lg
from ligament import transforms as tf
from ligament.baking import Tolerance
from ligament.baking.stripping import strip_extensions
from ligament.demo import assets
from ligament.extensions.registry import PHYSICS, VRMC_NODE_CONSTRAINT
from ligament.gltf.animation import Clip, Track, append_clip, read_clip, sample_pose
from ligament.gltf.tree import NodeTree
from tests.judges import assert_valid, judge


@pytest.fixture
def avatar() -> lg.Document:
    return lg.load(next(path for path in assets() if path.name == "avatar.vrm"))


def two_nodes(
    constraint: dict[str, object], *, times: list[float], angles: list[float]
) -> lg.Document:
    """A source that turns about X, and a destination constrained by it."""
    extension = {"specVersion": "1.0", "constraint": constraint}
    nodes = [{"name": "source"}, {"extensions": {"VRMC_node_constraint": extension}}]
    doc = lg.Document(
        {
            "asset": {"version": "2.0"},
            "extensionsUsed": ["VRMC_node_constraint"],
            "scenes": [{"nodes": [0, 1]}],
            "nodes": nodes,
        }
    )
    rotation = tf.from_axis_angle(np.array([1.0, 0, 0]), np.array(angles))
    append_clip(doc, Clip("Turn", (Track(0, "rotation", np.array(times), rotation),)))
    return doc


def test_a_destination_turns_with_half_the_roll_of_its_source() -> None:
    roll = {"roll": {"source": 0, "rollAxis": "X", "weight": 0.5}}
    doc = two_nodes(roll, times=[0, 1], angles=[0, 2])
    recording = lg.simulate(doc, rate=10)
    assert recording.local_nodes.tolist() == [0, 1]
    np.testing.assert_allclose(recording.times, np.arange(11) / 10)
    angle = tf.twist_angle(recording.local_rotation, np.array([1.0, 0, 0]))
    np.testing.assert_allclose(angle[:, 0], 2 * recording.times, atol=1e-6)  # float32 keys
    np.testing.assert_allclose(angle[:, 1], recording.times, atol=1e-6)


def test_baked_keys_give_the_recording_back(avatar: lg.Document) -> None:
    tolerance = Tolerance(angle=1e-4, distance=1e-5)
    recording = lg.simulate(avatar, rate=60)
    baked = lg.bake(avatar, recording, tolerance=tolerance)
    clip = read_clip(baked, len(baked.array("animations")) - 1)
    pose = sample_pose(NodeTree(baked), [clip], recording.times)
    moved = recording.local_nodes
    rounding = 2e-7  # keys are stored as float32
    error = tf.angle_between(pose.rotation[:, moved], recording.local_rotation)
    assert error.max() <= tolerance.angle + rounding
    shift = np.abs(pose.translation[:, moved] - recording.local_translation)
    assert shift.max() <= tolerance.distance + rounding
    raw = 3 * len(moved) * len(recording.times)
    assert sum(len(track.times) for track in clip.tracks) < 0.2 * raw


def test_the_constrained_nodes_that_turn_are_baked(avatar: lg.Document) -> None:
    baked = lg.bake(avatar, lg.simulate(avatar, rate=30))
    clip = read_clip(baked, 1)
    assert clip.name == "Baked"
    names = [node["name"] for node in baked.json["nodes"]]
    turned = {names[track.node] for track in clip.tracks if track.path == "rotation"}
    assert {"leftLowerArm twist", "rightLowerArm twist", "antenna", "collar"} <= turned
    assert "leftUpperArm twist" not in turned  # the elbow bends, but does not roll


def test_baking_adds_one_animation_and_keeps_everything_else(avatar: lg.Document) -> None:
    before = avatar.copy()
    baked = lg.bake(avatar, lg.simulate(avatar, rate=30))
    assert avatar.json == before.json
    assert baked.json["animations"][:1] == avatar.json["animations"]
    assert len(baked.json["animations"]) == 2
    for member in avatar.json.keys() - {"animations", "accessors", "bufferViews", "buffers"}:
        assert baked.json[member] == avatar.json[member], member


@pytest.mark.parametrize("name", [*PHYSICS, VRMC_NODE_CONSTRAINT])
def test_strip_removes_every_extension_of_physics_and_constraints(name: str) -> None:
    kept = "KHR_materials_unlit"
    extensions = {name: {}, kept: {}}
    document = lg.Document(
        {
            "asset": {"version": "2.0"},
            "nodes": [{"extensions": dict(extensions)}, {"extensions": {name: {}}}],
            "extensions": dict(extensions),
            "extensionsUsed": [name, kept],
            "extensionsRequired": [name],
        }
    )
    strip_extensions(document)
    assert document.json == {
        "asset": {"version": "2.0"},
        "nodes": [{"extensions": {kept: {}}}, {}],
        "extensions": {kept: {}},
        "extensionsUsed": [kept],
    }


def test_a_stripped_file_has_no_body_of_2022_left() -> None:
    """MSFT_RigidBodies and its shapes are read, so what they did is in the keyframes."""
    ball = {"type": "sphere", "sphere": {"radius": 0.1}}
    document = lg.Document(
        {
            "asset": {"version": "2.0"},
            "nodes": [
                {
                    "extensions": {
                        "MSFT_RigidBodies": {"motion": {"mass": 1}, "collider": {"collider": 0}}
                    }
                }
            ],
            "extensions": {
                "MSFT_RigidBodies": {"physicsMaterials": [{}]},
                "MSFT_CollisionPrimitives": {"colliders": [ball]},
            },
            "extensionsUsed": ["MSFT_RigidBodies", "MSFT_CollisionPrimitives"],
        }
    )
    baked = lg.bake(document, lg.simulate(document, seconds=0.2), strip=True)
    assert baked.json["animations"]
    assert "MSFT_" not in json.dumps(baked.json)


def test_strip_removes_the_constraints_and_nothing_else(avatar: lg.Document) -> None:
    baked = lg.bake(avatar, lg.simulate(avatar, rate=30), strip=True)
    assert "VRMC_node_constraint" not in json.dumps(baked.json)
    assert baked.json["extensionsUsed"] == ["VRMC_vrm"]
    assert baked.json["extensions"] == avatar.json["extensions"]


def test_still_nodes_get_no_keys() -> None:
    rotation = {"rotation": {"source": 0}}
    doc = two_nodes(rotation, times=[0, 1], angles=[0, 0])
    baked = lg.bake(doc, lg.simulate(doc, rate=10))
    assert len(baked.json["animations"]) == 1


def test_a_constrained_node_with_a_matrix_gets_parts_instead() -> None:
    doc = two_nodes({"rotation": {"source": 0}}, times=[0, 1], angles=[0, 1])
    matrix = [0, 2, 0, 0, -2, 0, 0, 0, 0, 0, 2, 0, 5, 6, 7, 1]
    doc.json["nodes"][1]["matrix"] = matrix
    node = lg.bake(doc, lg.simulate(doc, rate=10)).json["nodes"][1]
    assert "matrix" not in node
    np.testing.assert_allclose(node["translation"], [5, 6, 7])
    np.testing.assert_allclose(node["scale"], [2, 2, 2])
    quarter = tf.from_axis_angle(np.array([0, 0, 1.0]), np.pi / 2)
    assert tf.angle_between(np.array(node["rotation"]), quarter) < 1e-12


def test_the_khronos_validator_and_three_agree_with_us(avatar: lg.Document, tmp_path: Path) -> None:
    out = tmp_path / "baked.glb"
    recording = lg.simulate(avatar, rate=60)
    baked = lg.bake(avatar, recording, strip=True, tolerance=Tolerance(angle=1e-5))
    lg.save(baked, out)
    assert_valid(out)
    frames = [0, 17, 60, 119]
    times = [repr(float(recording.times[frame])) for frame in frames]
    played = judge("play.mjs", out, 1, *times)
    for frame, seen in zip(frames, played, strict=True):
        for column, node in enumerate(recording.local_nodes):
            theirs = np.array(seen[str(node)]["rotation"])
            # three.js interpolates in float32
            angle = tf.angle_between(theirs, recording.local_rotation[frame, column])
            assert angle < np.radians(0.01), (frame, node)


@pytest.mark.parametrize("value", [-1e-9, float("nan"), float("inf")])
def test_tolerances_that_mean_nothing_are_refused(value: float) -> None:
    with pytest.raises(lg.LigamentError, match="use 0 or more"):
        Tolerance(angle=value)
    with pytest.raises(lg.LigamentError, match="distance"):
        Tolerance(distance=value)


def test_without_tolerance_every_frame_is_exact(avatar: lg.Document) -> None:
    recording = lg.simulate(avatar, seconds=0.5, rate=30)
    baked = lg.bake(avatar, recording, tolerance=Tolerance(angle=0, distance=0))
    pose = sample_pose(NodeTree(baked), [read_clip(baked, 1)], recording.times)
    shown = pose.rotation[:, recording.local_nodes]
    assert tf.angle_between(shown, recording.local_rotation).max() < 2e-7


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rate": 0}, "rate"),
        ({"rate": float("nan")}, "rate"),
        ({"seconds": -1}, "seconds is -1"),
        ({"seconds": 1e9}, "frames"),
        ({"animations": ["Jump"]}, "'Turn'"),
    ],
)
def test_bad_options_are_reported(options: dict[str, object], message: str) -> None:
    doc = two_nodes({"rotation": {"source": 0}}, times=[0, 1], angles=[0, 1])
    with pytest.raises(lg.LigamentError, match=message):
        lg.simulate(doc, **options)


def test_chosen_animations_and_held_ends() -> None:
    doc = two_nodes({"rotation": {"source": 0}}, times=[0.5, 1], angles=[0.3, 1])
    still = lg.simulate(doc, animations=[], seconds=1, rate=4)
    assert tf.angle_between(still.local_rotation, np.array([0, 0, 0, 1.0])).max() == 0
    held = lg.simulate(doc, seconds=2, rate=4)
    angle = tf.twist_angle(held.local_rotation[:, 1], np.array([1.0, 0, 0]))
    np.testing.assert_allclose(angle, [0.3, 0.3, 0.3, 0.65, 1, 1, 1, 1, 1], atol=1e-6)


def test_a_file_in_which_nothing_moves_is_baked_as_it_is() -> None:
    still = {"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{}]}
    document = lg.Document(still)
    baked = lg.bake(document, lg.simulate(document, seconds=0.1))
    assert "animations" not in baked.json


def test_options_of_a_simulation_are_refused_beside_a_recording() -> None:
    document = lg.load(next(path for path in assets() if path.name == "door.glb"))
    recording = lg.simulate(document, seconds=0.1)
    with pytest.raises(lg.LigamentError, match="bake: rate has no effect on a recording"):
        lg.bake(document, recording, rate=30)

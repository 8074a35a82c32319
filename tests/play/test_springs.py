"""Spring bones on the time line: after animation and constraints, on bodies, reset by loops."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament.drawing.poses import recorded_poses
from ligament.gltf.animation import Clip, Track, append_clip
from ligament.rig import SpringBones
from ligament.viewer.player import Player
from tests.play.files import KHR, SHAPES
from tests.rig.sprung import chain, degrees_apart, swaying
from tests.viewer.moments import played_moments


def rotations(recording: lg.Recording, node: int = 2) -> Any:
    return recording.local_rotation[:, list(recording.local_nodes).index(node)]


def test_simulate_swings_as_the_arrays_do() -> None:
    document = swaying(chain(3, stiffness=0.6, gravityPower=0.1))
    recording = lg.simulate(document, rate=60)
    springs = SpringBones(document)
    frames = len(recording.times)
    pose = [
        np.repeat(x[None], frames, 0) for x in (springs.tree.rotation, springs.tree.translation)
    ]
    column = list(recording.local_nodes).index(0)
    pose[1][:, 0] = recording.local_translation[:, column]
    expected = springs.swing(*pose, rate=60)
    for slot, node in enumerate(springs.nodes.tolist()):
        assert degrees_apart(rotations(recording, node), expected[:, slot]).max() < 1e-9
    assert degrees_apart(rotations(recording), [0, 0, 0, 1]).max() > 5


def test_springs_may_be_left_out() -> None:
    document = swaying(chain(2))
    assert list(lg.simulate(document, spring_mode="none").local_nodes) == [0]
    with pytest.raises(lg.LigamentError, match="spring_mode is 'loose'; use one of"):
        lg.simulate(document, spring_mode="loose")  # type: ignore[arg-type]


def test_the_steady_mode_plays_alike_at_all_rates() -> None:
    document = swaying(chain(3, stiffness=1.0, dragForce=0.3))
    played = {
        rate: lg.simulate(document, rate=rate, spring_mode="steady") for rate in (30, 60, 144)
    }
    shown = {rate: rotations(recording)[:: rate // 6] for rate, recording in played.items()}
    assert max(degrees_apart(shown[rate], shown[60]).max() for rate in (30, 144)) < 1e-6


@pytest.mark.parametrize("mode", ["reference", "steady"])
def test_a_loop_that_starts_again_puts_springs_to_rest(mode: Any) -> None:
    document = swaying(chain(3, stiffness=0.5))
    recording = lg.simulate(document, seconds=2.5, rate=60, loop=True, spring_mode=mode)
    turns = rotations(recording)
    assert degrees_apart(turns[60], [0, 0, 0, 1]) < 1e-9
    assert degrees_apart(turns[60:110], turns[:50]).max() < 1e-9
    assert degrees_apart(turns[55], [0, 0, 0, 1]) > 2


def test_a_jump_is_motion_in_the_reference_and_a_reset_in_the_steady_mode() -> None:
    document = swaying(chain(3, stiffness=0.5), interpolation="STEP")
    away = {
        mode: degrees_apart(rotations(lg.simulate(document, spring_mode=mode)), [0, 0, 0, 1])
        for mode in ("reference", "steady")
    }
    assert away["reference"].max() > 30
    assert away["steady"].max() < 1e-9


def test_constraints_come_first() -> None:
    """The chain hangs on a node that follows another by a constraint."""
    document = chain(2, stiffness=0.5)
    nodes = document.json["nodes"]
    leader = len(nodes)
    nodes.append({"name": "Leader"})
    nodes[0]["children"].append(leader)
    constraint = {"specVersion": "1.0", "constraint": {"rotation": {"source": leader}}}
    nodes[1]["extensions"] = {"VRMC_node_constraint": constraint}
    document.use_extension("VRMC_node_constraint")
    half = np.radians([0.0, 30.0])
    turns = np.stack([0 * half, 0 * half, np.sin(half), np.cos(half)], axis=-1)
    append_clip(document, Clip("turn", (Track(leader, "rotation", np.array([0, 0.3]), turns),)))
    assert degrees_apart(rotations(lg.simulate(document, seconds=0.4)), [0, 0, 0, 1]).max() > 5


def _falling() -> lg.Document:
    """Let the root fall, with hair on it, and a box below that stops it."""
    document = chain(3, stiffness=0.3)
    document.json["extensions"][SHAPES] = {
        "shapes": [{"type": "sphere", "sphere": {"radius": 0.2}}]
    }
    motion = {"motion": {"mass": 1, "angularVelocity": [0, 0, 4]}}
    motion["collider"] = {"geometry": {"shape": 0}}
    document.json["nodes"][0]["extensions"] = {KHR: motion}
    for name in (KHR, SHAPES):
        document.use_extension(name)
    return document


def test_bodies_that_physics_moves_lead_springs() -> None:
    document = _falling()
    recording = lg.simulate(document, seconds=1.0, rate=60)
    turns = rotations(recording)
    assert degrees_apart(turns, [0, 0, 0, 1]).max() > 5
    springs = SpringBones(document)
    pose = [
        np.repeat(x[None], 61, axis=0) for x in (springs.tree.rotation, springs.tree.translation)
    ]
    column = list(recording.local_nodes).index(0)
    pose[0][:, 0] = recording.local_rotation[:, column]
    pose[1][:, 0] = recording.local_translation[:, column]
    expected = springs.swing(*pose, rate=60)
    assert degrees_apart(turns, expected[:, 0]).max() < 1e-6


def test_the_viewer_shows_the_springs_of_bodies_frame_by_frame() -> None:
    recording = lg.simulate(_falling(), seconds=0.5, rate=60)
    moments = list(played_moments(Player(_falling(), rate=60), 0.5))
    expected = list(recorded_poses(SpringBones(_falling()).tree, recording))
    for moment, poses in zip(moments, expected, strict=True):
        assert degrees_apart(moment.poses.rotation, poses.rotation).max() < 1e-3


def test_a_body_below_a_joint_is_driven_by_its_spring() -> None:
    document = swaying(chain(2, stiffness=0.5))
    document.json["extensions"][SHAPES] = {
        "shapes": [{"type": "sphere", "sphere": {"radius": 0.02}}]
    }
    part = {"motion": {"isKinematic": True}, "collider": {"geometry": {"shape": 0}}}
    document.json["nodes"][4]["extensions"] = {KHR: part}
    for name in (KHR, SHAPES):
        document.use_extension(name)
    recording = lg.simulate(document, seconds=1.0, rate=60)
    plain = lg.simulate(swaying(chain(2, stiffness=0.5)), seconds=1.0, rate=60)
    assert degrees_apart(rotations(recording), rotations(plain)).max() < 1e-9
    assert np.ptp(recording.translation[:, 0, 0]) > 0.1


def test_a_body_below_a_spring_that_a_body_moves_is_reported() -> None:
    document = _falling()
    part = {"motion": {"isKinematic": True}, "collider": {"geometry": {"shape": 0}}}
    document.json["nodes"][4]["extensions"] = {KHR: part}
    with pytest.warns(
        lg.LigamentWarning, match="/nodes/4: .* is on spring bones that simulated bodies move"
    ):
        lg.Simulation(document)


@pytest.mark.filterwarnings("error")
def test_a_body_between_ends_what_hangs_on_a_spring() -> None:
    document = _falling()
    for node, kind in ((3, {"mass": 1}), (4, {"isKinematic": True})):
        part = {"motion": kind, "collider": {"geometry": {"shape": 0}}}
        document.json["nodes"][node]["extensions"] = {KHR: part}
    document.json["extensions"]["VRMC_springBone"]["springs"][0]["joints"][2:] = []
    lg.Simulation(document)


def test_a_file_without_animations_plays_for_some_seconds() -> None:
    recording = lg.simulate(chain(2, stiffness=0.2, gravityPower=1.0, gravityDir=[1, 0, 0]))
    assert recording.times[-1] == 5.0
    assert degrees_apart(rotations(recording)[-1], [0, 0, 0, 1]) > 60


def test_faults_of_springs_are_reported_once() -> None:
    document = swaying(chain(2))
    springs = document.json["extensions"]["VRMC_springBone"]["springs"]
    springs.append({"joints": [{"node": 3}, {"node": 4}]})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        lg.simulate(document)
        lg.simulate(document)
    (line,) = (str(each.message) for each in caught)
    assert line.startswith("/extensions/VRMC_springBone/springs/1/joints/0: 'Hair1' (node 3)")

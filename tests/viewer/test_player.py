"""The player: time goes forth and back to the same places, and hands pull at bodies."""

import math

import numpy as np
import pytest

import ligament as lg
from ligament.demo import assets
from ligament.drawing.poses import WORLD, Attachments, recorded_poses, rest_poses
from ligament.gltf.tree import NodeTree
from ligament.physics.events import occupied_frames
from ligament.physics.scene import Pose
from ligament.viewer.player import MAX_FRAMES, MAX_SNAPSHOTS, Player
from tests.play.files import BALL, CUBE, FLOOR, animate, node, physics_file
from tests.viewer.files import red_box
from tests.viewer.moments import played_moments

ASSETS = {path.name: path for path in assets()}


def test_a_new_player_stands_at_the_start() -> None:
    player = Player(red_box())
    assert player.advance(1.0) == 0
    assert player.time == 0
    assert player.moment().poses.translation[1].tolist() == [0, 2.5, 0]


def test_the_wall_clock_drives_frames_at_the_chosen_speed() -> None:
    player = Player(red_box(), rate=60)
    player.is_playing = True
    assert player.advance(0.1) == 6
    player.speed = 0.5
    assert player.advance(0.1) == 3
    assert player.advance(100.0) == MAX_FRAMES  # a slow machine plays slowly, and answers
    assert player.advance(0.0) <= 1


def test_going_back_and_forth_gives_the_same_poses() -> None:
    player = Player(red_box(), rate=60)
    seen = {}
    for frame in range(1, 200):
        player.step()
        seen[frame] = player.moment().poses.translation.copy()
    for frame in (150, 30, 61, 199, 60, 1):
        player.seek(frame / 60)
        assert player.sim.frame == frame
        assert (player.moment().poses.translation == seen[frame]).all()
    player.seek(-5.0)
    assert player.time == 0


def test_snapshots_stay_few() -> None:
    player = Player(red_box(), rate=2)
    for _ in range(2 * 3 * MAX_SNAPSHOTS):
        player.step()
    assert len(player._snapshots) <= MAX_SNAPSHOTS
    player.seek(0.5)
    assert player.sim.frame == 1


def test_reset_keeps_what_was_set_by_hand() -> None:
    player = Player(red_box())
    player.sim.gravity = (0, -1.0, 0)
    for _ in range(30):
        player.step()
    player.reset()
    assert player.time == 0
    assert player.sim.gravity == (0, -1.0, 0)
    player.step()
    speed = player.sim.linear_velocity[0, 1]
    assert speed == pytest.approx(-1.0 / 60, rel=1e-3)  # the engine has single precision


def test_targets_of_drives_stay_when_time_goes_back() -> None:
    player = Player(lg.load(ASSETS["door.glb"]))
    door = player.sim.stage.tree.names.index("Door")
    joint = player.sim.scene.joints[0].node
    player.set_drive_target(joint, 0, 1.0, 0.0)
    for _ in range(240):
        player.step()
    turned = player.moment().poses.rotation[door]
    player.seek(0.0)
    for _ in range(240):
        player.step()
    assert player.moment().poses.rotation[door] == pytest.approx(turned, abs=1e-6)
    assert 2 * np.arcsin(turned[1]) > 0.2  # it was pulled open, against the way it rests


def test_a_dragged_body_comes_to_the_pointer() -> None:
    player = Player(red_box())
    target = np.array([1.0, 4.0, 0.5])
    player.drag(1, np.array([0.0, 2.5, 0.0]), target)
    for _ in range(180):
        player.step()
    # A spring that carries the weight ends where it pulls to; damping leaves less than 1 mm.
    assert player.moment().poses.translation[1] == pytest.approx(target, abs=1e-3)
    player.release()
    for _ in range(30):
        player.step()
    assert player.moment().poses.translation[1, 1] < 3.5


def test_kinematic_bodies_are_not_dragged() -> None:
    document = physics_file(node("A", motion={"isKinematic": True}, shape=CUBE))
    player = Player(document)
    player.drag(0, np.zeros(3), np.ones(3))
    player.step()
    assert player.moment().poses.translation[0].tolist() == [0, 0, 0]


def test_triggers_are_occupied_while_something_is_inside() -> None:
    player = Player(lg.load(ASSETS["gate.glb"]))
    names = player.sim.stage.tree.names
    gate = names.index("Gate")
    seen = [gate in moment.occupied for moment in played_moments(player, 3.0)]
    assert not seen[0]
    assert any(seen)
    assert not seen[-1]
    player.seek(seen.index(True) / 60 + 0.05)
    assert gate in player.moment().occupied
    player.reset()
    assert player.moment().occupied == frozenset()


def test_contacts_carry_the_weight() -> None:
    player = Player(lg.load(ASSETS["stack.glb"]))
    for _ in range(240):
        player.step()
    contacts = player.moment().contacts
    on_the_floor = np.abs(contacts.points[:, 1]) < 0.05
    weight = 10 * 5 * 9.81
    assert contacts.forces[on_the_floor].sum() == pytest.approx(weight, rel=0.02)
    assert np.abs(contacts.normals[on_the_floor][:, 1]) == pytest.approx(1, abs=1e-3)
    assert len(player.moment(contacts=False).contacts.points) == 0


def test_playing_gives_the_same_as_recording() -> None:
    document = lg.load(ASSETS["gate.glb"])
    recording = lg.simulate(document, seconds=2.0, rate=60)
    played = list(played_moments(Player(document, rate=60), 2.0))
    recorded = list(recorded_poses(NodeTree(document), recording))
    assert len(played) == len(recorded) == 121
    for time, one, other in zip(recording.times, played, recorded, strict=True):
        assert one.time == time
        # Recordings turn single precision into unit quaternions of double precision.
        assert one.poses.translation == pytest.approx(other.translation, abs=1e-9)
        assert one.poses.rotation == pytest.approx(other.rotation, abs=1e-6)
    # Events of the present state are reported one frame later while playing.
    (occupied,) = occupied_frames(recording.events, recording.times).values()
    lit = [bool(moment.occupied) for moment in played]
    assert abs(lit.index(True) - int(np.argmax(occupied))) <= 1


def test_poses_follow_animation_parents_and_physics_alike() -> None:
    document = physics_file(
        node("Parent", at=(0, 5, 0), children=[1]),
        node("Body", at=(1, 0, 0), motion={"mass": 1.0}, shape=BALL, children=[2]),
        node("Child", at=(0, 0, 1), scale=[2, 2, 2]),
    )
    animate(document, 0, "translation", [0, 1], [[0, 5, 0], [0, 7, 0]])
    player = Player(document, rate=60)
    for _ in range(30):
        player.step()
    poses = player.moment().poses
    assert poses.translation[0] == pytest.approx([0, 6, 0])
    fallen = 5 - 0.5 * 9.81 * 0.25
    assert poses.translation[1] == pytest.approx([1, fallen, 0], abs=0.05)  # one step of 1/60 s
    assert poses.translation[2] - poses.translation[1] == pytest.approx([0, 0, 1], abs=1e-6)
    assert poses.scale[2].tolist() == [2, 2, 2]
    assert poses.translation[WORLD].tolist() == [0, 0, 0]


def test_attachments_turn_with_what_holds_them() -> None:
    quarter = [0.0, math.sin(math.pi / 4), 0.0, math.cos(math.pi / 4)]
    document = physics_file(node("A", at=(1, 2, 3), rotation=quarter), node("F", shape=FLOOR))
    poses = rest_poses(NodeTree(document))
    pose = Pose(np.array([1.0, 0, 0]), np.array(quarter))
    at, turn = Attachments.of([(0, pose), (WORLD, pose)]).world(poses)
    assert at == pytest.approx(np.array([[1, 2, 2], [1, 0, 0]]), abs=1e-12)
    assert turn[0] == pytest.approx([0, 1, 0, 0], abs=1e-12)


def test_recorded_poses_of_an_avatar_are_those_of_its_nodes() -> None:
    document = lg.load(ASSETS["avatar.vrm"])
    recording = lg.simulate(document, rate=10)
    tree = NodeTree(document)
    frames = list(recorded_poses(tree, recording))
    assert len(frames) == len(recording.times)
    rotation = tree.rotation.copy()
    rotation[recording.local_nodes] = recording.local_rotation[5]
    translation = tree.translation.copy()
    translation[recording.local_nodes] = recording.local_translation[5]
    world = tree.world_matrices(translation, rotation)
    assert frames[5].translation[:-1] == pytest.approx(world[:, :3, 3], abs=1e-12)

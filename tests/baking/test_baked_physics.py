"""Baked physics: the keys give the recording back, here and in other programs."""

from pathlib import Path

import numpy as np
import pytest

import ligament as lg
from ligament import transforms as tf
from ligament.author.ragdoll import add_ragdoll
from ligament.baking import Tolerance
from ligament.demo import assets
from ligament.gltf.animation import read_clip, sample_pose
from ligament.gltf.tree import NodeTree
from tests.judges import assert_valid, judge

SCENES = ("door", "rope", "stack", "ragdoll")
ROUNDING = 1e-6
"""Of keys that are stored as float32 and stay within a few metres [m, rad]."""


def scene(name: str) -> lg.Document:
    asset = "avatar" if name == "ragdoll" else name
    document = lg.load(next(path for path in assets() if path.stem == asset))
    if name == "ragdoll":
        editor = lg.Editor(document)
        add_ragdoll(editor)
        document = editor.document
    return document


@pytest.fixture(scope="module", params=SCENES)
def played(request: pytest.FixtureRequest) -> tuple[lg.Document, lg.Recording]:
    document = scene(request.param)
    # The avatar comes with a wave of its own, and animation wins over physics.
    return document, lg.simulate(document, seconds=2.0, rate=60, animations=[])


@pytest.mark.parametrize("tolerance", [Tolerance(), Tolerance(angle=0.005, distance=1e-3)])
def test_sampling_the_keys_gives_the_recording_back(
    played: tuple[lg.Document, lg.Recording], tolerance: Tolerance
) -> None:
    document, recording = played
    baked = lg.bake(document, recording, tolerance=tolerance)
    tree = NodeTree(baked)
    if not baked.array("animations"):  # a stack that rests stays within a coarse tolerance
        rest = tree.translation[recording.local_nodes]
        assert np.abs(recording.local_translation - rest).max() <= tolerance.distance
        return
    clip = read_clip(baked, len(baked.array("animations")) - 1)
    pose = sample_pose(tree, [clip], recording.times)
    moved = recording.local_nodes
    shift = np.abs(pose.translation[:, moved] - recording.local_translation)
    assert shift.max() <= tolerance.distance + ROUNDING
    turn = tf.angle_between(pose.rotation[:, moved], recording.local_rotation)
    assert turn.max() <= tolerance.angle + ROUNDING
    world = tree.world_transforms(*pose)
    # Errors of at most a dozen parents add up; an angle acts over an arm of about two metres.
    bound = 12 * (2 * tolerance.distance + 2 * tolerance.angle)
    away = np.linalg.norm(world.translation[:, recording.nodes] - recording.translation, axis=-1)
    assert away.max() <= bound
    assert sum(len(track.times) for track in clip.tracks) < 3 * len(moved) * len(recording.times)


def test_other_programs_accept_and_play_it(
    played: tuple[lg.Document, lg.Recording], tmp_path: Path
) -> None:
    document, recording = played
    out = tmp_path / "baked.glb"
    baked = lg.bake(document, recording, strip=True)
    lg.save(baked, out)
    assert_valid(out)
    frames = [0, 13, 60, 120]
    times = [repr(float(recording.times[frame])) for frame in frames]
    shown = judge("play.mjs", out, len(baked.array("animations")) - 1, *times)
    for frame, pose in zip(frames, shown, strict=True):
        theirs = [pose[str(node)] for node in recording.local_nodes]
        shift = [each["translation"] for each in theirs] - recording.local_translation[frame]
        assert np.abs(shift).max() <= Tolerance.distance + ROUNDING
        rotation = np.array([each["rotation"] for each in theirs])
        turn = tf.angle_between(rotation, recording.local_rotation[frame])
        # three.js interpolates in float32, which costs an angle of a few 1e-4 where it is small
        assert turn.max() <= Tolerance.angle + 5e-4

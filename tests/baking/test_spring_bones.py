"""Baked springs: keyframes in their place, which other programs show."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament.gltf.animation import Clip, Track, append_clip, read_clip, sample_pose
from ligament.gltf.tree import NodeTree
from tests.cli.command import ligament
from tests.judges import judge
from tests.rig.literal_springs import LiteralSprings
from tests.rig.sprung import branched, chain, degrees_apart, swaying
from tests.sampling import sample

FRAMES = 61


def _baked(file: Path, frames: int, rate: float = 60) -> Any:
    """Return the rotations of all nodes in the last animation of a file."""
    document = lg.load(file)
    clip = read_clip(document, len(document.array("animations")) - 1)
    return sample_pose(NodeTree(document), [clip], np.arange(frames) / rate).rotation


def test_stripping_takes_the_springs_away(tmp_path: Path) -> None:
    ball = {"node": 1, "shape": {"sphere": {"radius": 0.1}}}
    document = swaying(chain(2, colliders=[ball]))
    baked = lg.bake(document, lg.simulate(document), strip=True)
    assert "VRMC_springBone" not in json.dumps(baked.json)
    assert "VRMC_springBone" in lg.bake(document, lg.simulate(document)).json["extensionsUsed"]


def test_stripping_empties_the_springs_of_vrm_0(tmp_path: Path) -> None:
    document = swaying(chain(2))
    del document.json["extensions"]["VRMC_springBone"], document.json["extensionsUsed"]
    group = {"bones": [2], "stiffiness": 0.5, "colliderGroups": []}
    springs = {"boneGroups": [group], "colliderGroups": []}
    document.json["extensions"]["VRM"] = {"secondaryAnimation": springs}
    document.use_extension("VRM")
    recording = lg.simulate(document)
    assert {2, 3, 4} <= set(recording.local_nodes.tolist())  # the leaf has a tail of 7 cm
    baked = lg.bake(document, recording, strip=True)
    assert baked.json["extensions"]["VRM"]["secondaryAnimation"]["boneGroups"] == []


def test_a_joint_that_stays_at_rest_is_held_there(tmp_path: Path) -> None:
    """The animation that its spring replaces is still in the file, and may be played beside."""
    document = chain(1, center=0)
    turn = Track(2, "rotation", np.array([0.0, 1.0]), np.array([[0, 0, 0, 1.0], [0, 0, 0.6, 0.8]]))
    append_clip(document, Clip("nod", (turn,)))
    baked = lg.bake(document, lg.simulate(document, seconds=1.0), strip=True)
    clips = [read_clip(baked, i) for i in range(2)]
    shown = sample_pose(NodeTree(baked), clips, np.array([0.0, 0.5, 1.0])).rotation[:, 2]
    assert degrees_apart(shown, NodeTree(document).rotation[2]).max() < 1e-6


def test_three_vrm_shows_the_poses_that_were_baked(tmp_path: Path) -> None:
    """It loads the file with its springs plugin, and finds none to play."""
    document = swaying(chain(3, stiffness=0.5, gravityPower=0.2))
    file = tmp_path / "baked.glb"
    recording = lg.simulate(document, rate=60)
    lg.save(lg.bake(document, recording, strip=True), file)
    shown = np.array(judge("springs.mjs", file, 1, 60, FRAMES))
    assert degrees_apart(shown, _baked(file, FRAMES)).max() < 1e-3
    column = list(recording.local_nodes).index(3)
    assert degrees_apart(shown[:, 3], recording.local_rotation[:, column]).max() < 1e-3


def test_three_vrm_departs_where_it_plays_the_springs_itself(tmp_path: Path) -> None:
    """It measures bones against matrices of the frame before: docs/spring-bones.md."""
    document = swaying(chain(3, stiffness=0.5, gravityPower=0.2))
    lg.save(document, tmp_path / "springs.glb")
    shown = np.array(judge("springs.mjs", tmp_path / "springs.glb", 0, 60, FRAMES))
    recording = lg.simulate(document, rate=60)
    column = list(recording.local_nodes).index(3)
    assert degrees_apart(shown[:, 3], recording.local_rotation[:, column]).max() > 2


def test_goldens_through_the_command(shared: Path, tmp_path: Path) -> None:
    """As hidden scenes are run: bake with the rate of the scene, and look at every frame."""
    folder = shared / "golden/spring_bones"
    scenes = json.loads((folder / "index.json").read_text())["scenes"]
    for scene in sample([s for s in scenes if s.get("judged", True)], 12):
        out = tmp_path / f"{scene['id']}.glb"
        ligament("bake", folder / scene["file"], "-o", out, "--rate", scene["rate"], "--quiet")
        expected = json.loads((folder / scene["reference"]).read_text())
        shown = _baked(out, scene["frames"], scene["rate"])[:, expected["joints"]]
        assert degrees_apart(shown, expected["rotations"]).max() < 0.01, scene["id"]


@pytest.mark.parametrize(("center", "rate"), sample(product([None, 0], [24, 60, 144, 30]), 2))
def test_random_scenes_through_the_command(tmp_path: Path, rate: int, center: int | None) -> None:
    """Chains that branch, with colliders and centers, as the text has them at every frame."""
    document = swaying(branched(np.random.default_rng(rate), center=center))
    lg.save(document, tmp_path / "a.gltf", embed=True)
    run = ligament("bake", tmp_path / "a.gltf", "-o", tmp_path / "o.glb", "--rate", rate, "--strip")
    assert run.returncode == 0, run.stderr
    frames = rate + 1
    pose = sample_pose(NodeTree(document), [read_clip(document, 0)], np.arange(frames) / rate)
    literal = LiteralSprings(document.json, [2, 3, 7, 8, 4, 5])
    expected = literal.run(pose.rotation, pose.translation, 1 / rate)
    assert degrees_apart(_baked(tmp_path / "o.glb", frames, rate), expected).max() < 0.05

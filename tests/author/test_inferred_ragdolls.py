"""Ragdolls of skeletons without declared bones, in any rest pose, as exporters write them."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament import transforms as tf
from ligament.author.ragdoll import SEGMENTS, Ragdoll, add_ragdoll
from ligament.extensions.physics import read_physics
from ligament.extensions.rigid_bodies import Joint
from ligament.gltf.document import Document
from ligament.rig.motion.gltf_skeleton import find_humanoid
from tests.cli.command import ligament
from tests.rig.motion.exporters import STYLES
from tests.rig.motion.styles import (
    arms_down,
    gltf_document,
    motion_of_bones,
    zero_rotations,
)
from tests.sampling import sample

NAMES = ("Mixamo", "Vicon", "Unreal 5", "Rigify", "VRoid", "Biped", "Sketchfab numbers")
"""The names of Vicon are those of Ready Player Me: Mixamo's without a prefix."""

POSES: dict[str, dict[str, Any]] = {
    "T": {},
    "A": {"down": 45.0},
    "hanging": {"down": 80.0},
    "a frame of the motion": {"bound": True, "rest_frame": 2},
}


def document_of(style: str, *, down: float = 0.0, seed: int | None = None, **rest: Any) -> Document:
    """A skeleton below an armature in centimetres, turned from Z up."""
    joints = STYLES[style].joints()
    zero = zero_rotations(joints, arms_down(down))
    made = gltf_document(joints, *motion_of_bones(), zero=zero, armature=True, seed=seed, **rest)
    del made.json["animations"]
    return made


def limits(document: Document, doll: Ragdoll) -> dict[str, list[tuple[Any, ...]]]:
    """The limits of the joints by segment."""
    joints: dict[int, Joint] = dict(read_physics(document).joints)
    return {
        name: [(m.angular_axes, m.minimum, m.maximum) for m in joints[node].limits]
        for name, node in doll.joints.items()
    }


@pytest.mark.parametrize(("style", "pose"), sample(itertools.product(NAMES, POSES), 8))
def test_a_skeleton_of_any_exporter_becomes_a_ragdoll(style: str, pose: str) -> None:
    document = document_of(style, seed=4, **POSES[pose])
    doll = add_ragdoll(lg.Editor(document), mass=60)
    assert set(doll.bodies) == set(SEGMENTS)
    assert len(doll.joints) == len(SEGMENTS) - 1
    assert sum(doll.masses.values()) == pytest.approx(60)
    report = lg.check(document)
    assert report.ok
    assert "PHYSICS_JOINT_STARTS_VIOLATED" not in {issue.code for issue in report}


def test_joints_do_not_depend_on_the_pose_at_rest() -> None:
    """Ranges are measured from the T-pose; only one that a pose exceeds is widened."""
    plain = document_of("Mixamo")
    doll = add_ragdoll(lg.Editor(plain))
    expected = limits(plain, doll)
    for pose in ("A", "hanging", "a frame of the motion"):
        document = document_of("Mixamo", seed=4, **POSES[pose])
        found = add_ragdoll(lg.Editor(document))
        made = limits(document, found)
        assert len(found.widened) <= len(SEGMENTS) / 2
        for name in set(made) - set(found.widened) - set(doll.widened):
            assert made[name] == expected[name], (pose, name)


def test_a_raised_arm_has_the_same_room_left_from_any_rest() -> None:
    """The upper arm's cone is fixed to the chest: its axis is where the T-pose has it."""
    axes = []
    for pose in ("T", "A", "hanging"):
        document = document_of("Mixamo", **POSES[pose])
        doll = add_ragdoll(lg.Editor(document))
        nodes, joint = document.json["nodes"], read_physics(document).joints
        frame = joint[doll.joints["left upper arm"]].frame_a
        world = lg.gltf.tree.NodeTree(document).world_matrices()[frame, :3, 0]
        assert nodes[frame]
        axes.append(world / np.linalg.norm(world))
    for axis in axes[1:]:
        assert math.degrees(math.acos(min(float(axis @ axes[0]), 1.0))) < 1.0


def test_the_command_equips_and_the_body_falls(tmp_path: Path) -> None:
    path, out = tmp_path / "me.glb", tmp_path / "doll.glb"
    lg.save(document_of("Vicon", **POSES["A"]), path)
    run = ligament("equip", path, "--ragdoll", "--ground", "-o", out)
    assert run.returncode == 0, run.stderr
    assert "ragdoll: 16 bodies, 15 joints" in run.stderr
    assert "52 bones found by name and shape" in run.stderr
    recording = lg.simulate(out, seconds=1.0)
    hips = int(find_humanoid(path).nodes[0])
    place = recording.translation[:, recording.nodes.tolist().index(hips)]
    assert 0 < place[-1, 1] < place[0, 1] - 0.2
    assert tf.angle_between(recording.rotation[0], recording.rotation[-1]).max() > 0.1


def test_the_command_takes_a_bone_map_as_retarget_does(tmp_path: Path) -> None:
    document, path = document_of("Mixamo"), tmp_path / "me.glb"
    names = [node["name"] for node in document.json["nodes"]]
    found = find_humanoid(document)
    lines = [
        f'{bone} = "{names[node]}"' for bone, node in zip(found.bones, found.nodes, strict=True)
    ]
    (tmp_path / "map.toml").write_text("\n".join(lines))
    (tmp_path / "wrong.toml").write_text('hips = "Nobody"')
    lg.save(document, path)
    words = ("equip", path, "--ragdoll", "-o", tmp_path / "doll.glb", "--bones")
    run = ligament(*words, tmp_path / "wrong.toml")
    assert (run.returncode, run.stderr.count("\n")) == (2, 1)
    assert "Nobody" in run.stderr
    assert not (tmp_path / "doll.glb").exists()
    run = ligament(*words, tmp_path / "map.toml")
    assert "ragdoll: 16 bodies, 15 joints" in run.stderr

"""Styles of games, cameras and other languages, in every form of file."""

from __future__ import annotations

import dataclasses
import itertools
import math

import numpy as np
import pytest

from ligament import transforms as tf
from ligament.rig.motion.bvh import parse_bvh
from ligament.rig.motion.bvh_motion import motion_of_bvh
from ligament.rig.motion.load import load_motion
from ligament.rig.motion.motion import Motion
from tests.rig.motion.further_exporters import FURTHER_STYLES
from tests.rig.motion.styles import (
    IDENTITY,
    Joint,
    arms_down,
    bvh_text,
    errors,
    gltf_document,
    legs_apart,
    motion_of_bones,
    twists_apart,
    world_of_joints,
    zero_rotations,
)
from tests.rig.motion.test_invented_styles import shuffled, with_chains
from tests.sampling import sample

Z_UP = tf.from_axis_angle([1.0, 0, 0], math.pi / 2)
FORMS = ("T", "Z up", "numbered", "with a tail and hair", "glTF", "glTF in a frame")


def numbered(joints: list[Joint]) -> list[Joint]:
    """Return the joints with the numbers that Sketchfab adds to names."""
    return [dataclasses.replace(j, name=f"{j.name}_{i + 3:03d}") for i, j in enumerate(joints)]


def motion_in(form: str, joints: list[Joint], turns: dict[str, np.ndarray]) -> Motion:
    hips = motion_of_bones()[1]
    apart = zero_rotations(joints, arms_down(85) | legs_apart(10))
    hanging = zero_rotations(joints, {} if form == "T" else arms_down(45))
    if form == "glTF":
        return load_motion(gltf_document(joints, turns, hips, zero=hanging, seed=2, armature=True))
    if form == "glTF in a frame":
        return load_motion(
            gltf_document(joints, turns, hips, zero=apart, seed=3, rest_frame=1, bound=True)
        )
    upright, scale = (Z_UP, 1.0) if form == "Z up" else (IDENTITY, 39.37)
    return motion_of_bvh(
        parse_bvh(bvh_text(joints, turns, hips, zero=hanging, scale=scale, upright=upright))
    )


@pytest.mark.parametrize(("style", "form"), sample(itertools.product(FURTHER_STYLES, FORMS), 25))
def test_every_bone_keeps_its_world_rotation(style: str, form: str) -> None:
    joints = FURTHER_STYLES[style].joints()
    joints = with_chains(joints) if form == "with a tail and hair" else joints
    joints = numbered(joints) if form == "numbered" else joints
    joints = joints if form == "T" else shuffled(joints, seed=4)
    turns = twists_apart(joints, motion_of_bones()[0])
    found = errors(motion_in(form, joints, turns), world_of_joints(joints, turns)[1])
    assert max((angle, bone) for bone, angle in found.items()) < (1.0, "")

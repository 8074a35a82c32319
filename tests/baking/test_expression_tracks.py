"""Expressions of a motion as keyframes: weights, colours, textures; the rest is reported."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament.rig import Humanoid, Pose
from tests.rig.skeletons import posed, t_pose

TIMES = np.array([0.0, 0.5, 1.0])
PATH = "/materials/0/pbrMetallicRoughness"


def _avatar(**members: Any) -> lg.Document:
    document = posed(t_pose()).document
    document.json["materials"] = [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}]
    document.json["extensions"]["VRMC_vrm"]["expressions"] = {"preset": members}
    return document


def _pose(document: lg.Document, look_at: Any = None, **expressions: Any) -> Pose:
    avatar = Humanoid(document)
    rotation = np.repeat(avatar.rest_rotation[None], 3, axis=0)
    hips = np.repeat(avatar.hips_translation(np.zeros(3))[None], 3, axis=0)
    return Pose(avatar.bones, avatar.nodes, TIMES, rotation, hips, expressions, look_at)


def test_colours_and_textures_are_written_by_pointer() -> None:
    color = [{"material": 0, "type": "color", "targetValue": [1, 0, 0, 1]}]
    shift = [{"material": 0, "offset": [0.5, 0.25], "scale": [1, 1]}]
    document = _avatar(angry={"materialColorBinds": color, "textureTransformBinds": shift})
    moved = lg.add_motion(document, _pose(document, angry=np.array([0.0, 1.0, 0.5])))
    channels = moved.json["animations"][-1]["channels"]
    found = [c["target"]["extensions"]["KHR_animation_pointer"]["pointer"] for c in channels]
    texture = f"{PATH}/baseColorTexture/extensions/KHR_texture_transform"
    assert found == [f"{PATH}/baseColorFactor", f"{texture}/offset"]
    assert {"KHR_animation_pointer", "KHR_texture_transform"} <= {*moved.json["extensionsUsed"]}
    material = moved.json["materials"][0]["pbrMetallicRoughness"]
    assert material["baseColorFactor"] == [1.0, 1.0, 1.0, 1.0]
    assert material["baseColorTexture"]["extensions"]["KHR_texture_transform"]["offset"] == [0, 0]


def test_tracks_that_an_avatar_cannot_show_are_reported() -> None:
    document = _avatar(angry={"morphTargetBinds": []})
    pose = _pose(document, look_at=np.zeros((3, 2)), angry=TIMES, smirk=TIMES)
    pose.rotation[1:, 0] = [0.0, 1.0, 0.0, 0.0]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        lg.add_motion(document, pose)
    reported = [str(each.message) for each in caught]
    assert any("'smirk'" in line for line in reported)
    assert any("'angry'" in line and "nothing" in line for line in reported)
    assert any("gaze" in line for line in reported)


def test_a_motion_that_moves_nothing_is_refused() -> None:
    document = _avatar()
    with pytest.raises(lg.LigamentError, match="moves nothing"):
        lg.add_motion(document, _pose(document))

"""VRM 0.x becomes VRM 1.0: the same model and the same motion, and no licence made up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament.extensions.humanoid.bones import REQUIRED
from ligament.extensions.spring_bones import read_spring_bones
from ligament.gltf import Document
from ligament.gltf.accessors import append_accessor
from tests.judges import assert_valid

LICENSE = "https://vrm.dev/licenses/1.0/"


def avatar(**members: Any) -> Document:
    """An avatar of the required bones, each at 0.1 m from the one before, with a hair of three."""
    names = [*REQUIRED, "leftThumbProximal"]
    nodes: list[dict[str, Any]] = [
        {"name": name, "translation": [0, 0.1, 0.02], "children": [i + 1]}
        for i, name in enumerate(names)
    ]
    start = len(nodes)
    nodes += [
        {"name": "hair", "translation": [0, 0, 0.1], "children": [start + 1, start + 2]},
        {"name": "hair tip", "translation": [0, 0, 0.2]},
        {"name": "hair side", "translation": [0.3, 0, 0]},
    ]
    bones = [{"bone": name, "node": i} for i, name in enumerate(names)]
    extension = {"specVersion": "0.0", "humanoid": {"humanBones": bones}, **members}
    return Document(
        {
            "asset": {"version": "2.0"},
            "extensionsUsed": ["VRM"],
            "scene": 0,
            "scenes": [{"nodes": [0]}],
            "nodes": nodes,
            "extensions": {"VRM": extension},
        }
    )


def whats(document: Document) -> list[str]:
    return [loss.what for loss in lg.convert(document, "vrm-1.0").losses]


def converted(document: Document) -> dict[str, Any]:
    return lg.convert(document, "vrm-1.0").document.json["extensions"]


def test_motion_is_the_same_on_both(shared: Path) -> None:
    files = sorted((shared / "golden" / "humanoid").glob("*vrm0.vrm"))
    assert files
    for path in files:
        old = lg.load(path)
        new = lg.convert(old, "vrm-1.0", license_url=LICENSE).document
        motion = lg.load_motion(path.with_suffix(".vrma"))
        before, after = (lg.retarget(motion, lg.Humanoid(d)) for d in (old, new))
        np.testing.assert_array_equal(before.nodes, after.nodes)
        # Half a turn only changes signs: not even a digit is rounded.
        np.testing.assert_array_equal(before.rotation, after.rotation)
        np.testing.assert_array_equal(before.hips_translation, after.hips_translation)
        assert not [issue for issue in lg.check(new) if issue.severity == "error"]


def test_the_model_turns_to_face_the_other_way() -> None:
    before, after = (lg.Humanoid(d) for d in (avatar(), lg.convert(avatar(), "vrm-1.0").document))
    np.testing.assert_allclose(
        after.world_position, before.world_position * [-1, 1, -1], atol=1e-15
    )
    assert not after.faces_back
    assert "leftThumbMetacarpal" in after.bones


def test_licences_are_never_made_up() -> None:
    meta = {
        "title": "Ann",
        "author": "Bo",
        "licenseName": "CC_BY",
        "allowedUserName": "Everyone",
        "violentUssageName": "Disallow",
        "sexualUssageName": "Allow",
        "commercialUssageName": "Allow",
        "otherPermissionUrl": "https://example.org/terms",
    }
    result = lg.convert(avatar(meta=meta), "vrm-1.0")
    found = result.document.json["extensions"]["VRMC_vrm"]["meta"]
    assert found == {
        "name": "Ann",
        "authors": ["Bo"],
        "avatarPermission": "everyone",
        "allowExcessivelyViolentUsage": False,
        "allowExcessivelySexualUsage": True,
        "otherLicenseUrl": "https://example.org/terms",
    }
    names = [loss.what for loss in result.losses]
    assert names == ["commercial use", "licenseUrl", "the licence CC_BY"]
    converted = lg.convert(avatar(meta=meta), "vrm-1.0", license_url=LICENSE).document
    assert converted.json["extensions"]["VRMC_vrm"]["meta"]["licenseUrl"] == LICENSE


def test_expressions_keep_their_weights() -> None:
    document = avatar()
    points = append_accessor(document, np.eye(3), bounds=True)
    target = append_accessor(document, np.ones((3, 3)), bounds=True)
    primitive = {"attributes": {"POSITION": points}, "targets": [{"POSITION": target}]}
    document.json["meshes"] = [{"primitives": [primitive]}]
    document.json["nodes"][5]["mesh"] = 0
    binds = [{"mesh": 0, "index": 0, "weight": 40}]
    groups = [
        {"name": "Joy", "presetName": "joy", "binds": binds, "isBinary": True},
        {"name": "Wink", "presetName": "unknown", "binds": binds, "materialValues": [{}]},
    ]
    document.json["extensions"]["VRM"]["blendShapeMaster"] = {"blendShapeGroups": groups}
    expressions = converted(document)["VRMC_vrm"]["expressions"]
    bind = [{"node": 5, "index": 0, "weight": 0.4}]
    assert expressions["preset"] == {"happy": {"isBinary": True, "morphTargetBinds": bind}}
    assert expressions["custom"] == {"Wink": {"isBinary": False, "morphTargetBinds": bind}}
    assert "a material value" in whats(document)


def test_the_gaze_keeps_its_ranges() -> None:
    line = [0, 0, 0, 1, 1, 1, 1, 0]
    bent = [0, 0, 0, 0, 1, 1, 0, 0]
    person = {
        "lookAtTypeName": "BlendShape",
        "firstPersonBoneOffset": {"x": 0.1, "y": 0.2, "z": 0.3},
        "lookAtHorizontalInner": {"xRange": 60, "yRange": 0.5, "curve": line},
        "lookAtVerticalUp": {"xRange": 30, "yRange": 1, "curve": bent},
    }
    document = avatar(firstPerson=person)
    look_at = converted(document)["VRMC_vrm"]["lookAt"]
    assert look_at["type"] == "expression"
    assert look_at["offsetFromHeadBone"] == [0.1, 0.2, -0.3]
    assert look_at["rangeMapHorizontalInner"] == {"inputMaxValue": 60.0, "outputScale": 0.5}
    assert whats(document).count("a gaze curve") == 1


def test_springs_become_runs_of_first_children() -> None:
    document = avatar()
    hair = len(document.json["nodes"]) - 3
    group = {"node": 1, "colliders": [{"offset": {"x": 0, "y": 1, "z": 2}, "radius": 0.3}]}
    spring = {
        "comment": "hair",
        "stiffiness": 0.7,
        "gravityPower": 1,
        "gravityDir": {"x": 0.5, "y": -1, "z": 0.25},
        "dragForce": 0.4,
        "hitRadius": 0.02,
        "center": -1,
        "bones": [hair],
        "colliderGroups": [1],
    }
    document.json["extensions"]["VRM"]["secondaryAnimation"] = {
        "boneGroups": [spring],
        "colliderGroups": [{"node": 0, "colliders": []}, group],
    }
    result = lg.convert(document, "vrm-1.0").document
    extension = result.json["extensions"]["VRMC_springBone"]
    assert extension["colliders"][0]["shape"] == {"sphere": {"offset": [0, 1, -2], "radius": 0.3}}
    chains = [[joint["node"] for joint in s["joints"]] for s in extension["springs"]]
    assert [chain[:-1] for chain in chains] == [[hair, hair + 1], [hair + 2]]
    first = extension["springs"][0]
    assert first["colliderGroups"] == [0]
    assert first["joints"][0]["gravityDir"] == [-0.5, -1, 0.25]
    # Where the file has no tail, the old players see one 7 cm ahead.
    tail = result.json["nodes"][chains[0][-1]]
    assert tail["translation"] == pytest.approx([0, 0, 0.07])


def test_springs_without_settings_swing_as_before() -> None:
    document = avatar()
    group = {"bones": [len(document.json["nodes"]) - 3], "gravityPower": 1}
    document.json["extensions"]["VRM"]["secondaryAnimation"] = {"boneGroups": [group]}
    after = lg.convert(document, "vrm-1.0").document
    (one, *_), (other, *_) = (read_spring_bones(each).springs for each in (document, after))
    for joint in (one.joints[0], other.joints[0]):
        assert (joint.hit_radius, joint.stiffness, joint.drag) == (0.02, 1, 0.4)
        assert joint.gravity == (0, -1, 0)


def test_shaders_and_unknown_members_are_reported() -> None:
    found = whats(avatar(materialProperties=[{"shader": "VRM/MToon"}], wings=2))
    assert "the shader VRM/MToon" in found
    assert "the member wings" in found


def test_the_result_is_valid(tmp_path: Path) -> None:
    lg.save(lg.convert(avatar(), "vrm-1.0").document, tmp_path / "a.glb")
    assert_valid(tmp_path / "a.glb")

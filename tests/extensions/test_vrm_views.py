"""Views of VRM extensions, read as written: broken content is passed on, never raised."""

from __future__ import annotations

from typing import Any

import pytest

from ligament.errors import ContentError
from ligament.extensions.humanoid import vrm, vrmc_vrm, vrmc_vrm_animation
from ligament.extensions.humanoid.bones import BONES, PRESETS
from ligament.extensions.humanoid.vrmc_vrm import BoneEntry
from ligament.gltf.document import Document
from ligament.gltf.pointers import find

JUNK: list[Any] = [None, 3, "x", [], [3], {}, {"humanBones": 3}, {"humanBones": {"hips": 3}}]


def holding(name: str, content: Any) -> Document:
    return Document({"asset": {"version": "2.0"}, "extensions": {name: content}})


def test_bones_of_the_new_version_and_of_motions() -> None:
    content = {"humanoid": {"humanBones": {"hips": {"node": 4}, "a/b": {"node": "x"}, "jaw": {}}}}
    for module in (vrmc_vrm, vrmc_vrm_animation):
        document = holding(module.NAME, content)
        entries = module.human_bones(document)
        assert [(e.bone, e.node) for e in entries] == [("hips", 4), ("a/b", "x"), ("jaw", None)]
        assert [find(document.json, e.pointer) for e in entries] == [4, "x", None]


def test_bones_of_the_old_version_have_the_names_of_the_new_one() -> None:
    old = ["hips", "leftThumbProximal", "leftThumbIntermediate", "leftThumbDistal"]
    entries = [{"bone": bone, "node": i} for i, bone in enumerate(old)]
    entries += [{"bone": "jaw", "node": -1}, {"node": 3}, {"bone": 3, "node": 3}]
    document = holding(vrm.NAME, {"humanoid": {"humanBones": entries}})
    found = vrm.human_bones(document)
    assert [entry.bone for entry in found] == [
        "hips",
        "leftThumbMetacarpal",
        "leftThumbProximal",
        "leftThumbDistal",
    ]
    assert found[1] == BoneEntry(
        "leftThumbMetacarpal", 1, "/extensions/VRM/humanoid/humanBones/1/node"
    )
    assert set(vrm.BONE_NAMES.values()) <= set(BONES)
    assert set(vrm.PRESET_NAMES.values()) <= set(PRESETS)


@pytest.mark.parametrize("junk", JUNK)
def test_junk_is_no_reason_to_raise(junk: Any) -> None:
    for module in (vrm, vrmc_vrm, vrmc_vrm_animation):
        for content in (junk, {"humanoid": junk}, {"humanoid": {"humanBones": junk}}):
            assert isinstance(module.human_bones(holding(module.NAME, content)), list)
    for content in ({"expressions": junk}, {"expressions": {"preset": junk, "custom": junk}}):
        assert isinstance(vrmc_vrm.expression_names(holding(vrmc_vrm.NAME, content)), list)
        document = holding(vrmc_vrm_animation.NAME, {**content, "lookAt": junk})
        assert isinstance(vrmc_vrm_animation.expressions(document), list)
        vrmc_vrm_animation.look_at_node(document)
    groups = {"blendShapeMaster": {"blendShapeGroups": junk}}
    assert isinstance(vrm.expression_names(holding(vrm.NAME, groups)), list)


def test_expressions_of_a_motion() -> None:
    content = {
        "expressions": {"preset": {"aa": {"node": 1}}, "custom": {"x": {"node": 2}}},
        "lookAt": {"node": 3},
    }
    document = holding(vrmc_vrm_animation.NAME, content)
    entries = vrmc_vrm_animation.expressions(document)
    assert [(e.name, e.is_preset, e.node) for e in entries] == [("aa", True, 1), ("x", False, 2)]
    assert [find(document.json, e.pointer) for e in entries] == [1, 2]
    assert vrmc_vrm_animation.look_at_node(document) == 3
    assert vrmc_vrm_animation.look_at_node(Document()) is None


def test_range_maps_of_the_gaze_are_read() -> None:
    content = {"lookAt": {"rangeMapVerticalUp": {"inputMaxValue": 5, "outputScale": 2}}}
    found = vrmc_vrm.look_at(holding(vrmc_vrm.NAME, content))
    assert found is not None
    assert found.range_map_vertical_up == vrmc_vrm.RangeMap(input_max_value=5, output_scale=2)
    assert found.range_map_vertical_down == vrmc_vrm.RangeMap()
    assert found.type == "bone"
    assert vrmc_vrm.look_at(Document()) is None
    assert vrm.first_person(Document()) is None
    old = vrm.first_person(holding(vrm.NAME, {"firstPerson": {"lookAtVerticalUp": {"yRange": 3}}}))
    assert old is not None
    assert old.look_at_vertical_up.y_range == 3


def test_a_gaze_that_cannot_be_read_is_an_error_with_its_place() -> None:
    document = holding(vrmc_vrm.NAME, {"lookAt": {"rangeMapVerticalUp": {"outputScale": "x"}}})
    with pytest.raises(ContentError) as caught:
        vrmc_vrm.look_at(document)
    assert caught.value.pointer == "/extensions/VRMC_vrm/lookAt/rangeMapVerticalUp/outputScale"

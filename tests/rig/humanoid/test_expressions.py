"""Expressions become weights of morph targets, with binary ones and overrides as VRM says."""

from typing import Any

import numpy as np

import ligament as lg
from ligament.rig.humanoid.expressions import material_values, morph_weights, unshown


def face(extensions: dict[str, Any]) -> lg.Document:
    """Node 1 carries a mesh of three morph targets, the first of which is half on by default."""
    primitive = {"attributes": {"POSITION": 0}, "targets": [{"POSITION": 0}] * 3}
    return lg.Document(
        {
            "asset": {"version": "2.0"},
            "nodes": [{}, {"mesh": 0}],
            "meshes": [{"primitives": [primitive], "weights": [0.5, 0, 0]}],
            "extensions": extensions,
        }
    )


def expression(*binds: tuple[int, float], **members: object) -> dict[str, Any]:
    targets = [{"node": 1, "index": index, "weight": weight} for index, weight in binds]
    return {"morphTargetBinds": targets, **members}


def vrm_1_0(**preset: dict[str, Any]) -> lg.Document:
    return face({"VRMC_vrm": {"specVersion": "1.0", "expressions": {"preset": preset}}})


LEVEL = np.array([0.0, 0.25, 0.75, 1.0])


def test_expressions_add_up_from_zero() -> None:
    """Default weights do not count where an expression binds the target, used or not."""
    doc = vrm_1_0(happy=expression((0, 0.5), (1, 1.0)), sad=expression((1, 0.5)))
    weights = morph_weights(doc, {"happy": LEVEL, "sad": np.ones(4), "unknown": LEVEL})
    assert list(weights) == [1]
    expected = np.stack([0.5 * LEVEL, LEVEL + 0.5, 0 * LEVEL], axis=1)
    np.testing.assert_allclose(weights[1], expected)
    doc = vrm_1_0(happy=expression((1, 1.0)), angry=expression((0, 1.0)))
    np.testing.assert_array_equal(morph_weights(doc, {"happy": LEVEL})[1][:, 0], 0)


def test_a_target_that_no_expression_binds_keeps_its_default() -> None:
    doc = vrm_1_0(happy=expression((1, 1.0)))
    np.testing.assert_array_equal(morph_weights(doc, {"happy": LEVEL})[1][:, 0], 0.5)


def test_a_binary_expression_is_on_or_off() -> None:
    doc = vrm_1_0(blink=expression((2, 1.0), isBinary=True))
    weights = morph_weights(doc, {"blink": LEVEL})
    np.testing.assert_array_equal(weights[1][:, 2], [0, 0, 1, 1])


def test_overrides_hold_other_expressions_back() -> None:
    for how, left in (("block", [1, 0, 0, 0]), ("blend", 1 - LEVEL), ("none", [1, 1, 1, 1])):
        doc = vrm_1_0(happy=expression((0, 0.0), overrideMouth=how), aa=expression((1, 1.0)))
        weights = morph_weights(doc, {"happy": LEVEL, "aa": np.ones(4)})
        np.testing.assert_allclose(weights[1][:, 1], left, err_msg=how)


def test_a_binary_expression_that_is_partly_overridden_is_off() -> None:
    happy = expression((0, 0.0), overrideBlink="blend")
    doc = vrm_1_0(happy=happy, blink=expression((1, 1.0), isBinary=True))
    weights = morph_weights(doc, {"happy": LEVEL, "blink": np.ones(4)})
    np.testing.assert_array_equal(weights[1][:, 1], [1, 0, 0, 0])


def test_a_binary_expression_overrides_by_what_it_shows() -> None:
    """At 0.25 it is off and blocks nothing."""
    happy = expression((0, 0.0), overrideMouth="block", isBinary=True)
    doc = vrm_1_0(happy=happy, aa=expression((1, 1.0)))
    weights = morph_weights(doc, {"happy": LEVEL, "aa": np.ones(4)})
    np.testing.assert_array_equal(weights[1][:, 1], [1, 1, 0, 0])


def test_overrides_add_up_to_one_at_most() -> None:
    parts = {name: expression((0, 0.0), overrideMouth="blend") for name in ("happy", "sad")}
    doc = vrm_1_0(**parts, oh=expression((1, 1.0)))
    weights = morph_weights(doc, {"happy": LEVEL, "sad": LEVEL, "oh": np.ones(4)})
    np.testing.assert_allclose(weights[1][:, 1], [1, 0.5, 0, 0])


def test_an_override_of_its_own_kind_does_nothing() -> None:
    doc = vrm_1_0(blink=expression((1, 1.0), overrideBlink="block"))
    np.testing.assert_allclose(morph_weights(doc, {"blink": LEVEL})[1][:, 1], LEVEL)


def test_materials_go_from_their_own_value_to_the_target() -> None:
    binds = [{"material": 0, "type": "color", "targetValue": [1, 0, 0, 1]}]
    scale = [{"material": 0, "offset": [0.5, 0], "scale": [1, 1]}]
    doc = vrm_1_0(angry={"materialColorBinds": binds, "textureTransformBinds": scale})
    material = {"baseColorFactor": [0.5, 0.5, 0.5, 1], "baseColorTexture": {"index": 0}}
    doc.json["materials"] = [{"pbrMetallicRoughness": material}]
    values = material_values(doc, {"angry": LEVEL})
    color, offset = values.values()
    place = "/materials/0/pbrMetallicRoughness"
    transform = f"{place}/baseColorTexture/extensions/KHR_texture_transform/offset"
    assert list(values) == [f"{place}/baseColorFactor", transform]
    np.testing.assert_allclose(color[:, 0], 0.5 + 0.5 * LEVEL)
    np.testing.assert_allclose(color[:, 1], 0.5 - 0.5 * LEVEL)
    np.testing.assert_allclose(offset, np.stack([0.5 * LEVEL, 0 * LEVEL], axis=1))


def test_expressions_that_an_avatar_cannot_show_are_reported() -> None:
    rim = [{"material": 0, "type": "rimColor", "targetValue": [1, 0, 0, 1]}]
    doc = vrm_1_0(angry={"materialColorBinds": rim})
    doc.json["materials"] = [{}]
    reported = list(unshown(doc, {"angry": LEVEL, "smirk": LEVEL}, gazes=False))
    assert len(reported) == 2
    assert "rimColor" in reported[0]
    assert "'smirk'" in reported[1]


def test_version_0_counts_in_percent_and_names_meshes() -> None:
    group = {"name": "Joy", "presetName": "joy", "binds": [{"mesh": 0, "index": 1, "weight": 40}]}
    doc = face({"VRM": {"blendShapeMaster": {"blendShapeGroups": [group]}}})
    weights = morph_weights(doc, {"happy": LEVEL})
    np.testing.assert_allclose(weights[1][:, 1], 0.4 * LEVEL)


def test_binds_that_name_nothing_are_left_out() -> None:
    doc = vrm_1_0(happy={"morphTargetBinds": [{"node": 9, "index": 0}, {"node": 0, "index": 0}, 3]})
    assert morph_weights(doc, {"happy": LEVEL}) == {}
    assert morph_weights(face({}), {"happy": LEVEL}) == {}

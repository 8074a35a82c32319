"""Expressions become weights of morph targets, with binary ones and overrides as VRM says."""

from typing import Any

import numpy as np

import ligament as lg
from ligament.rig.humanoid.expressions import morph_weights


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


def test_expressions_add_up_on_the_default_weights() -> None:
    doc = vrm_1_0(happy=expression((0, 0.5), (1, 1.0)), sad=expression((1, 0.5)))
    weights = morph_weights(doc, {"happy": LEVEL, "sad": np.ones(4), "unknown": LEVEL})
    assert list(weights) == [1]
    expected = np.stack([0.5 + 0.5 * LEVEL, LEVEL + 0.5, 0 * LEVEL], axis=1)
    np.testing.assert_allclose(weights[1], expected)


def test_a_binary_expression_is_on_or_off() -> None:
    doc = vrm_1_0(blink=expression((2, 1.0), isBinary=True))
    weights = morph_weights(doc, {"blink": LEVEL})
    np.testing.assert_array_equal(weights[1][:, 2], [0, 0, 1, 1])


def test_overrides_hold_other_expressions_back() -> None:
    for how, left in (("block", [1, 0, 0, 0]), ("blend", 1 - LEVEL), ("none", [1, 1, 1, 1])):
        doc = vrm_1_0(happy=expression((0, 0.0), overrideMouth=how), aa=expression((1, 1.0)))
        weights = morph_weights(doc, {"happy": LEVEL, "aa": np.ones(4)})
        np.testing.assert_allclose(weights[1][:, 1], left, err_msg=how)


def test_version_0_counts_in_percent_and_names_meshes() -> None:
    group = {"name": "Joy", "presetName": "joy", "binds": [{"mesh": 0, "index": 1, "weight": 40}]}
    doc = face({"VRM": {"blendShapeMaster": {"blendShapeGroups": [group]}}})
    weights = morph_weights(doc, {"happy": LEVEL})
    np.testing.assert_allclose(weights[1][:, 1], 0.4 * LEVEL)


def test_binds_that_name_nothing_are_left_out() -> None:
    doc = vrm_1_0(happy={"morphTargetBinds": [{"node": 9, "index": 0}, {"node": 0, "index": 0}, 3]})
    assert morph_weights(doc, {"happy": LEVEL}) == {}
    assert morph_weights(face({}), {"happy": LEVEL}) == {}

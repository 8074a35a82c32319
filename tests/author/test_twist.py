"""Twist bones: which nodes count as helpers, and that their constraints share the roll."""

import math

import numpy as np
import pytest

import ligament as lg
from ligament import transforms as tf
from ligament.author.editor import Editor
from ligament.author.twist import LIMBS, add_twist, find_twists
from ligament.errors import EditError
from ligament.extensions.humanoid.bones import BONES
from ligament.gltf.tree import NodeTree
from ligament.rig import Humanoid, NodeConstraints
from tests.rig.skeletons import humanoid


def index_of(document, name):
    return next(i for i, node in enumerate(document.json["nodes"]) if node["name"] == name)


def helper(document, limb, place, *, name="twist", off=(0.0, 0.0, 0.0), turn=(0, 0, 0, 1)):
    """Add a child of a limb at a part of the way to the next bone; returns its index."""
    nodes = document.json["nodes"]
    parent, end = index_of(document, limb), index_of(document, LIMBS[limb])
    way = np.array(nodes[end]["translation"])
    nodes.append(
        {"name": name, "translation": (place * way + off).tolist(), "rotation": list(turn)}
    )
    nodes[parent].setdefault("children", []).append(len(nodes) - 1)
    return len(nodes) - 1


def skinned(document, *joints):
    document.json["skins"] = [{"joints": list(joints)}]


def test_helpers_share_the_roll_of_the_hand():
    """At 1/4, 1/2 and 3/4 of the forearm, the helpers take these parts of the turn of the hand."""
    document = humanoid(BONES)
    added = [
        helper(document, "leftLowerArm", part, name=f"twist{part}") for part in (0.75, 0.25, 0.5)
    ]
    found = add_twist(Editor(document))
    assert [(t.node, t.weight, t.axis) for t in found.added] == [
        (added[1], 0.25, "X"),
        (added[2], 0.5, "X"),
        (added[0], 0.75, "X"),
    ]
    assert {t.source for t in found.added} == {"leftHand"}
    tree = NodeTree(document)
    rotation = tree.rotation.copy()
    turned = tf.from_axis_angle(np.array([1.0, 0, 0]), math.radians(80))
    rotation[index_of(document, "leftHand")] = turned
    solved = np.asarray(NodeConstraints(document).solve(rotation[None], tree.translation[None]))[0]
    angles = 2 * np.degrees(np.arctan2(solved[added, 0], solved[added, 3]))
    assert np.allclose(angles, (60, 20, 40), atol=1e-9)


@pytest.mark.parametrize("limb", LIMBS)
def test_every_limb_has_a_source(limb):
    document = humanoid(BONES)
    node = helper(document, limb, 0.5)
    (twist,) = add_twist(Editor(document)).added
    assert (twist.node, twist.limb, twist.source, twist.weight) == (node, limb, LIMBS[limb], 0.5)
    assert twist.axis == ("Y" if "Leg" in limb else "X")
    assert lg.check(document).counts["error"] == 0


def test_a_turned_helper_rolls_about_its_own_axis():
    document = humanoid(BONES)
    quarter = tf.from_axis_angle(np.array([0.0, 1.0, 0.0]), math.pi / 2)
    helper(document, "leftLowerArm", 0.5, turn=quarter.tolist())
    (twist,) = find_twists(Humanoid(document)).added
    assert twist.axis == "Z"


@pytest.mark.parametrize("name", ["J_Sec_L_LowerArmTwist", "LeftForeArmRoll", "左手捩", "ねじれ.L"])
def test_helpers_are_found_by_name(name):
    document = humanoid(BONES)
    helper(document, "leftLowerArm", 0.4, name=name, off=(0, 0.03, 0))
    (twist,) = find_twists(Humanoid(document)).added
    assert twist.found_by == "name"
    assert twist.place == pytest.approx(0.4)


def test_a_skinned_leaf_on_the_line_is_a_helper_whatever_its_name():
    document = humanoid(BONES)
    node = helper(document, "leftUpperLeg", 0.5, name="bone 17")
    assert find_twists(Humanoid(document)).added == ()
    skinned(document, node)
    (twist,) = find_twists(Humanoid(document)).added
    assert (twist.node, twist.found_by) == (node, "place")


def test_sleeves_and_chains_are_left_alone():
    document = humanoid(BONES)
    sleeve = helper(document, "leftLowerArm", 0.5, name="sleeve", off=(0, 0.05, 0))
    cuff = helper(document, "leftLowerArm", 0.6, name="cuff")
    document.json["nodes"].append({"name": "cuff tip", "translation": [0.1, 0, 0]})
    document.json["nodes"][cuff]["children"] = [len(document.json["nodes"]) - 1]
    skinned(document, sleeve, cuff)
    found = find_twists(Humanoid(document))
    assert found.added == found.passed == ()


@pytest.mark.parametrize(
    ("place", "off", "turn", "reason"),
    [
        (0.5, (0, 0.2, 0), (0, 0, 0, 1), "along the limb"),
        (1.4, (0, 0, 0), (0, 0, 0, 1), "along the limb"),
        (0.0, (0, 0, 0), (0, 0, 0, 1), "start of the limb"),
        (0.5, (0, 0, 0), (0, 0, math.sin(math.pi / 8), math.cos(math.pi / 8)), "axes"),
    ],
)
def test_misnamed_helpers_are_reported(place, off, turn, reason):
    document = humanoid(BONES)
    node = helper(document, "leftLowerArm", place, off=off, turn=turn)
    found = find_twists(Humanoid(document))
    assert found.added == ()
    assert [entry.node for entry in found.passed] == [node]
    assert reason in found.passed[0].reason


def test_a_spring_bone_is_no_helper():
    document = humanoid(BONES)
    node = helper(document, "leftLowerArm", 0.5)
    springs = {"specVersion": "1.0", "springs": [{"joints": [{"node": node}]}]}
    document.json["extensions"]["VRMC_springBone"] = springs
    document.use_extension("VRMC_springBone")
    (passed,) = find_twists(Humanoid(document)).passed
    assert "spring bone" in passed.reason


def test_constraints_that_are_there_are_kept():
    document = humanoid(BONES)
    first, second = helper(document, "leftLowerArm", 0.5), helper(document, "rightLowerArm", 0.5)
    editor = Editor(document)
    editor.add_constraint(first, "roll", "leftHand", axis="X", weight=0.3)
    with pytest.raises(EditError, match="already have constraints"):
        add_twist(editor)
    assert "extensions" not in document.json["nodes"][second]


def test_a_humanoid_of_another_document_is_refused():
    with pytest.raises(EditError, match="another document"):
        add_twist(Editor(humanoid(BONES)), Humanoid(humanoid(BONES)))

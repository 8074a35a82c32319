"""Joints that animations fight: broken limits, and chains whose ends are led too far apart."""

from __future__ import annotations

import math

import pytest

from ligament.extensions.physics import read_physics
from ligament.gltf.animation import animated_nodes, read_clip, sample_pose
from ligament.gltf.tree import NodeTree
from ligament.physics.animated_joints import fought_joints
from tests.play.files import animate, node, physics_file

POINT = {"linearAxes": [0, 1, 2], "min": 0, "max": 0}
HINGE = {"angularAxes": [0, 1], "min": 0, "max": 0}
MASS = {"mass": 1, "inertiaDiagonal": [0.1, 0.1, 0.1]}


def findings(document):
    tree, clip = NodeTree(document), read_clip(document, 0)
    moved = animated_nodes([clip]).moved
    physics = read_physics(document)
    return [*fought_joints(tree, [clip], moved, physics, lambda t: sample_pose(tree, [clip], t))]


def chain(links, *limits):
    """A chain along X between a post and a hand that an animation leads; node 0 is the hand."""
    nodes = [node("Hand", at=(links, 0, 0), motion={"isKinematic": True}), node("Post")]
    nodes[1]["extensions"] = {
        "KHR_physics_rigid_bodies": {"joint": {"connectedNode": 3, "joint": 0}}
    }
    for i in range(links):
        first, after = len(nodes), len(nodes) + 4 if i < links - 1 else 0
        joint = {"connectedNode": after, "joint": 0}
        nodes += [
            node(f"Link {i}", at=(i, 0, 0), motion=MASS, children=[first + 1, first + 2]),
            node(f"Near {i}"),
            node(f"Far {i}", at=(1, 0, 0), joint=joint),
        ]
    return physics_file(*nodes, joints=[{"limits": [POINT, *limits]}])


@pytest.mark.parametrize(
    ("links", "end", "off"),
    [
        (1, 1.2, "0.2 m farther apart"),
        (1, 0.7, "0.3 m closer together"),
        (1, 1.005, None),
        (2, 2.5, "0.5 m farther apart"),
        (2, 0.1, None),
    ],
)
def test_a_chain_between_animated_ends_has_a_longest_and_a_shortest_reach(links, end, off):
    document = chain(links)
    animate(document, 0, "translation", [0, 1], [[links, 0, 0], [end, 0, 0]])
    issues = findings(document)
    assert [i.code for i in issues] == ["PHYSICS_JOINT_AGAINST_ANIMATION"] * (off is not None)
    if off is not None:
        assert "'clip 0'" in issues[0].message
        assert off in issues[0].message
        assert "at 1 s" in issues[0].message


@pytest.mark.parametrize(
    ("angle", "off"), [(0.5, "0.2 rad beyond limit 2 (-0.3 to 0.3)"), (0.3, None)]
)
def test_a_clip_breaks_the_limit_of_a_joint_between_ends_that_it_leads(angle, off):
    """Both ends follow the chest: the arm by its animation, so no force decides their angle."""
    limits = [POINT, HINGE, {"angularAxes": [2], "min": -0.3, "max": 0.3}]
    document = physics_file(
        node("Chest", motion=MASS, children=[1], joint={"connectedNode": 1, "joint": 0}),
        node("Arm", motion=MASS),
        joints=[{"limits": limits}],
    )
    turned = [0, 0, math.sin(angle / 2), math.cos(angle / 2)]
    animate(document, 1, "rotation", [0, 1], [[0, 0, 0, 1], turned])
    assert [off in issue.message for issue in findings(document)] == [True] * (off is not None)

"""Meaning of declarations: owners, static objects, frames, scales, and what is left out."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ligament.extensions.physics import read_physics
from ligament.extensions.rigid_bodies import MotionKind
from ligament.gltf.animation import Animated, Pose
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree
from ligament.physics.scene_builder import WORLD, build_scene
from tests.play.files import BALL, CUBE, FLOOR, node, physics_file

QUARTER_Y = [0, math.sqrt(0.5), 0, math.sqrt(0.5)]
LOCK = {"limits": [{"linearAxes": [0, 1, 2], "min": 0, "max": 0}]}


def build(document, **options):
    tree = NodeTree(document)
    pose = Pose(tree.translation, tree.rotation, tree.scale)
    return build_scene(document, read_physics(document), tree=tree, pose=pose, **options)


def codes(built):
    return [finding.code for finding in built.findings]


def test_the_nearest_motion_owns_a_collider():
    scene = build(
        physics_file(
            node("Outer", motion={"mass": 1}, shape=CUBE, children=[1, 3]),
            node("Inner", at=(0, 2, 0), motion={"mass": 1}, children=[2]),
            node("Of inner", at=(1, 0, 0), shape=BALL),
            node("Of outer", at=(0, 0, 3), shape=BALL),
        )
    ).scene
    owners = {c.node: scene.bodies[c.body].node for c in scene.colliders}
    assert owners == {0: 0, 2: 1, 3: 0}
    offsets = {c.node: c.pose.translation.tolist() for c in scene.colliders}
    assert offsets == {0: [0, 0, 0], 2: [1, 0, 0], 3: [0, 0, 3]}


def test_scale_goes_into_shapes_and_offsets_not_into_mass():
    scene = build(
        physics_file(
            node("Body", scale=[2, 2, 2], motion={"centerOfMass": [1, 0, 0]}, children=[1]),
            node("Shape", at=(0, 1, 0), scale=[3, 3, 3], shape=BALL),
        )
    ).scene
    (collider,) = scene.colliders
    assert collider.shape.radius == pytest.approx(3)
    assert collider.pose.translation.tolist() == [0, 2, 0]
    assert scene.bodies[0].mass.center.tolist() == [2, 0, 0]
    assert scene.bodies[0].mass.mass == pytest.approx(1000 * 4 / 3 * math.pi * 27, rel=1e-9)


def test_velocities_turn_with_the_node():
    body = build(
        physics_file(
            node("Turned", rotation=QUARTER_Y, scale=[5, 5, 5], children=[1]),
            node(
                "Body",
                motion={"mass": 1, "linearVelocity": [0, 0, 1], "angularVelocity": [1, 0, 0]},
            ),
        )
    ).scene.bodies[0]
    assert body.linear_velocity == pytest.approx([1, 0, 0])
    assert body.angular_velocity == pytest.approx([0, 0, -1])


def test_static_colliders_get_bodies_of_their_own_that_follow_animation():
    document = physics_file(
        node("Lift", children=[1]), node("Floor", shape=FLOOR), node("Wall", shape=CUBE)
    )
    scene = build(document, animated=Animated(moved=frozenset({0}))).scene
    kinds = {body.node: (body.kind, body.is_driven) for body in scene.bodies}
    assert kinds == {1: (MotionKind.KINEMATIC, True), 2: (MotionKind.STATIC, False)}
    assert not any(body.is_declared for body in scene.bodies)


def test_a_body_is_driven_by_its_own_animation_only():
    document = physics_file(
        node("Parent", children=[1]),
        node("Body", motion={"mass": 1}, children=[2]),
        node("Shape", shape=BALL),
    )
    above = build(document, animated=Animated(moved=frozenset({0}))).scene
    assert above.bodies[0].kind is MotionKind.DYNAMIC
    assert not above.colliders[0].moves
    own = build(document, animated=Animated(moved=frozenset({1}))).scene
    assert (own.bodies[0].kind, own.bodies[0].is_driven) == (MotionKind.KINEMATIC, True)
    assert not own.colliders[0].moves
    assert build(document, animated=Animated(moved=frozenset({2}))).scene.colliders[0].moves


def test_frames_hang_on_bodies_static_objects_or_the_world():
    document = physics_file(
        node("Wall", shape=CUBE, children=[1]),
        node("Shelf", at=(0, 1, 0), shape=CUBE, children=[2]),
        node("Hook", at=(1, 0, 0), joint={"joint": 0, "connectedNode": 4}),
        node("Body", motion={"mass": 1}, children=[4], shape=BALL),
        node("Handle", at=(0, 0, 1), scale=[2, 2, 2]),
        node("Nowhere", at=(7, 0, 0), joint={"joint": 0, "connectedNode": 3}),
        joints=[LOCK],
    )
    scene = build(document).scene
    hook, nowhere = scene.joints
    shelf = scene.bodies[hook.a.body]
    assert (shelf.node, hook.a.pose.translation.tolist()) == (1, [1, 0, 0])
    assert scene.bodies[hook.b.body].node == 3
    assert hook.b.pose.translation.tolist() == [0, 0, 1]
    assert scene.bodies[nowhere.a.body].node == WORLD
    assert nowhere.a.pose.translation.tolist() == [7, 0, 0]


def separated(*nodes, members=None):
    """Return the names of the bodies whose contacts the joints of a file switch off, in pairs."""
    document = physics_file(*nodes, joints=[LOCK])
    scene = build(document, members=members).scene
    names = [part.get("name") for part in document.json["nodes"]]
    pairs = [pair for joint in scene.joints for pair in joint.ignores]
    return {frozenset(names[scene.bodies[i].node] for i in pair) for pair in pairs}


HANG = {"joint": 0, "connectedNode": 0}
BODY = node("Body", motion={"mass": 1}, shape=BALL)


def test_a_joint_separates_a_body_from_the_collider_of_the_other_node_only():
    wall = node("Wall", shape=CUBE, children=[2], joint=HANG)
    shelf = node("Shelf", shape=CUBE)
    assert separated(BODY, wall, shelf) == {frozenset({"Body", "Wall"})}
    still = node("Wall", shape=CUBE, children=[2], joint={**HANG, "enableCollision": True})
    assert separated(BODY, still, shelf) == set()


def test_a_frame_without_a_collider_belongs_to_the_one_that_the_body_overlaps():
    def level(*pieces, hook, children):
        floor = node("Floor", at=(0, -9, 0), shape=FLOOR, children=children)
        return separated(BODY, floor, *pieces, node("Hook", at=hook, joint=HANG))

    ledge = node("Ledge", at=(0, 8, 0), shape=CUBE)
    beam = node("Beam", at=(0, 9.9, 0), shape=CUBE)
    post = node("Post", at=(0, 8.4, 0), shape=CUBE)
    assert level(ledge, hook=(0, 9, 0), children=[2, 3]) == set()
    assert level(beam, hook=(0, 9, 0), children=[2, 3]) == {frozenset({"Body", "Beam"})}
    for hook, nearest in ((10, "Beam"), (8, "Post")):
        off = level(beam, post, hook=(0, hook, 0), children=[2, 3, 4])
        assert off == {frozenset({"Body", nearest})}


def test_the_object_above_a_frame_comes_before_those_further_up():
    base = node("Base", shape=CUBE, children=[2])
    post = node("Post", at=(0, 0.8, 0), shape=CUBE, children=[3])
    hook = node("Hook", at=(0, -0.8, 0), joint=HANG)
    assert separated(BODY, base, post, hook) == {frozenset({"Body", "Post"})}
    far = node("Post", at=(0, 3, 0), shape=CUBE, children=[3])
    assert separated(BODY, base, far, hook) == {frozenset({"Body", "Base"})}


def test_a_body_that_stands_on_a_collider_does_not_overlap_it():
    def stands(at):
        table = node("Table", at=(0, at, 0), shape=CUBE, children=[2])
        return separated(BODY, table, node("Hook", joint=HANG))

    assert stands(-1.0) == stands(-0.995) == set()
    assert stands(-0.98) == {frozenset({"Body", "Table"})}


def test_a_body_that_touches_a_collider_at_a_locked_frame_meets_it():
    """A ball of 0.5 m under a cube of 1 m touches it at (0, 0.5, 0)."""
    body = node("Body", motion={"mass": 1}, shape=BALL)
    ceiling = node("Ceiling", at=(0, 1, 0), shape=CUBE, children=[2])
    floor = node("Floor", at=(0, -1, 0), shape=CUBE)

    def off(joint, hook):
        document = physics_file(
            body, ceiling, node("Hook", at=(0, hook, 0), joint=HANG), floor, joints=[joint]
        )
        scene = build(document).scene
        return {scene.bodies[i].node for j in scene.joints for pair in j.ignores for i in pair}

    rope = {"limits": [{"linearAxes": [0, 1, 2], "max": 1}]}
    slider = {"limits": [{"linearAxes": [0, 2], "max": 0}]}
    split = {"limits": [{"linearAxes": [axis], "min": 0, "max": 0} for axis in range(3)]}
    soft = {"limits": [{"linearAxes": [0, 1, 2], "max": 0, "stiffness": 9}]}
    assert off(LOCK, -0.5) == off(split, -0.5) == {0, 1}
    assert off(LOCK, -0.6) == set(), "the frame is in the body, not at the ceiling"
    assert off(LOCK, -0.4) == set(), "the frame is in the ceiling, not at the body"
    assert off(rope, -0.5) == off(slider, -0.5) == off(soft, -0.5) == set()


def test_a_frame_in_the_world_belongs_to_no_collider():
    assert separated(BODY, node("Cube", shape=CUBE), node("Hook", joint=HANG)) == set()


def moving_frames(document, *moved, scaled=()):
    animated = Animated(moved=frozenset(moved), scaled=frozenset(scaled))
    (joint,) = build(document, animated=animated).scene.joints
    return joint.a.moves, joint.b.moves


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_animations_of_other_nodes_do_not_move_a_frame_in_its_body(depth):
    body, joint = "OMI_physics_body", "OMI_physics_joint"
    groups = [{"children": [i + 1]} for i in range(depth)]
    nodes = [
        *groups,
        {"extensions": {joint: {"constraints": [0], "nodeA": depth + 1, "nodeB": depth + 2}}},
        {"extensions": {body: {"type": "static"}}},
        {"translation": [1, 0, 0], "extensions": {body: {"type": "rigid"}}},
    ]
    document = Document(
        {"nodes": nodes, "extensions": {joint: {"constraints": [{"linearAxes": [0, 1, 2]}]}}}
    )
    for moved in ((depth,), (0,), (0, depth), (depth + 1,), (0, depth + 1)):
        assert moving_frames(document, *moved) == (False, False)
    assert moving_frames(document, scaled=[0]) == (False, False)


def test_a_frame_moves_with_what_is_between_it_and_its_body():
    body, joint = "OMI_physics_body", "OMI_physics_joint"
    document = Document(
        {
            "nodes": [
                {"children": [1, 4]},
                {"children": [2], "extensions": {body: {"type": "kinematic"}}},
                {"children": [3]},
                {"extensions": {joint: {"constraints": [0], "nodeA": 1, "nodeB": 4}}},
                {"extensions": {body: {"type": "rigid"}}},
            ],
            "extensions": {joint: {"constraints": [{"linearAxes": [0, 1, 2]}]}},
        }
    )
    assert moving_frames(document, 0) == moving_frames(document, 1) == (False, False)
    assert moving_frames(document, 2) == moving_frames(document, 3) == (True, False)
    assert moving_frames(document, 2, 3) == (True, False)


def test_a_frame_that_animations_alone_move_has_a_body_of_its_own():
    """An anchor that moves within a body has no velocity: what it carries would lag behind."""
    document = physics_file(
        node("Wall", shape=CUBE, children=[1]),
        node("Arm", children=[2]),
        node("Hook", at=(1, 0, 0), joint=HANG | {"connectedNode": 3}),
        node("Body", motion={"mass": 1}),
        joints=[LOCK],
    )
    for moved in ({1}, {2}, {0, 1}):
        scene = build(document, animated=Animated(moved=frozenset(moved))).scene
        (joint,) = scene.joints
        body = scene.bodies[joint.a.body]
        assert (body.node, body.is_driven, joint.a.moves) == (2, True, False)
    still = build(document, animated=Animated(moved=frozenset({0}))).scene
    assert still.bodies[still.joints[0].a.body].node == 0


def test_joints_that_can_do_nothing_are_left_out_and_reported():
    document = physics_file(
        node("Body", motion={"mass": 1}, children=[1, 2]),
        node("Left", joint={"joint": 0, "connectedNode": 2}),
        node("Right"),
        node("Wall", shape=CUBE, joint={"joint": 0, "connectedNode": 4}),
        node("Floor", shape=FLOOR),
        node("Far", joint={"joint": 0, "connectedNode": 6}),
        node("Elsewhere", motion={"mass": 1}),
        joints=[LOCK],
    )
    built = build(document, members=range(6))
    assert built.scene.joints == ()
    assert codes(built) == [
        "PHYSICS_JOINT_SAME_BODY",
        "PHYSICS_JOINT_WITHOUT_MOTION",
        "PHYSICS_JOINT_OUTSIDE_SCENE",
    ]
    assert all(finding.pointer.endswith("/joint") for finding in built.findings)


def test_shapes_without_extent_are_disabled_or_refused():
    document = physics_file(
        node("Gone", scale=[0, 0, 0], shape=CUBE),
        node("No mesh", motion={"mass": 1}),
        node("Nothing", motion={}),
        meshes=[{"primitives": []}],
    )
    document.json["nodes"][1]["extensions"]["KHR_physics_rigid_bodies"]["collider"] = {
        "geometry": {"mesh": 0}
    }
    built = build(document)
    assert built.scene.colliders == ()
    assert sorted(codes(built)) == [
        "PHYSICS_MASS_UNKNOWN",
        "PHYSICS_SHAPE_DISABLED",
        "PHYSICS_SHAPE_UNUSABLE",
    ]
    assert built.scene.bodies[1].mass.mass == 1


@pytest.mark.parametrize("scale", [1e7, 1e38])
def test_shapes_beyond_all_measure_are_left_out(scale):
    built = build(physics_file(node("Huge", scale=[scale] * 3, motion={}, shape=CUBE)))
    assert built.scene.colliders == ()
    assert "PHYSICS_SHAPE_UNUSABLE" in codes(built)
    assert built.scene.bodies[0].mass.mass == 1


def test_compound_triggers_count_the_sensors_of_their_members():
    document = physics_file(
        node("All", members=[1, 2], children=[1, 2]),
        node("One", trigger=CUBE),
        node("Two", at=(3, 0, 0), trigger=BALL),
        node("Ring", members=[3]),
        node("Wrong", members=[5]),
        node("No trigger"),
    )
    built = build(document)
    sensors = {c.node: i for i, c in enumerate(built.scene.colliders)}
    triggers = {t.node: set(t.colliders) for t in built.scene.triggers}
    both = {sensors[1], sensors[2]}
    assert triggers == {0: both, 1: {sensors[1]}, 2: {sensors[2]}, 3: set(), 4: set()}


def test_nodes_outside_the_scene_are_left_out():
    document = physics_file(node("In", shape=CUBE), node("Out", shape=CUBE))
    assert [c.node for c in build(document, members=[0]).scene.colliders] == [0]


def test_many_joints_to_a_wall_of_many_pieces():
    pieces = [node(f"piece {i}", at=(i, 0, 0), shape=CUBE) for i in range(300)]
    bodies = [
        node(f"body {i}", motion={"mass": 1}, joint={"joint": 0, "connectedNode": 300})
        for i in range(50)
    ]
    wall = node("Wall", shape=CUBE, children=list(range(300)))
    scene = build(physics_file(*pieces, wall, *bodies, joints=[LOCK])).scene
    assert len(scene.joints) == 50
    assert all(len(joint.ignores) == 1 for joint in scene.joints)
    assert np.isfinite(scene.bodies[-1].pose.translation).all()

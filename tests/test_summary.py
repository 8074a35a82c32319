"""The physics of a file at a glance."""

import math

import msgspec
import pytest

from ligament.extensions.registry import Dialect
from ligament.extensions.rigid_bodies import (
    Collider,
    CollisionFilter,
    Drive,
    Joint,
    Limit,
    Material,
    Motion,
    MotionKind,
    NodeGeometry,
    Physics,
    Trigger,
)
from ligament.extensions.shapes import Box, Capsule, Cylinder, MeshGeometry, Plane, Sphere
from ligament.findings import Finding
from ligament.gltf import load
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree
from ligament.summary import summarize, summarize_physics


def tree_of(*children):
    """A tree from the children of each node."""
    nodes = [{"children": list(each)} if each else {} for each in children]
    return NodeTree(Document({"asset": {"version": "2.0"}, "nodes": nodes}))


def by_node(*items):
    return {item.node: item for item in items}


def test_bodies_show_the_mass_that_the_file_gives():
    motions = by_node(
        Motion(node=0),
        Motion(node=1, mass=2.5, kind=MotionKind.KINEMATIC),
        Motion(node=2, mass=math.inf),
    )
    summary = summarize_physics(Physics(motions=motions), tree_of((), (), ()))
    assert [(b.node, b.kind, b.mass) for b in summary.bodies] == [
        (0, "dynamic", "from shapes"),
        (1, "kinematic", 2.5),
        (2, "dynamic", "infinite"),
    ]


@pytest.mark.parametrize(
    ("geometry", "kind", "size"),
    [
        (Sphere(0.5), "sphere", "radius 0.5 m"),
        (Box((1.0, 2.0, 0.25)), "box", "1 x 2 x 0.25 m"),
        (Capsule(1.0, 0.5, 0.5), "capsule", "height 1 m, radius 0.5 m"),
        (Capsule(1.0, 0.5, 0.25), "capsule", "height 1 m, radii 0.5 and 0.25 m"),
        (Cylinder(2.0, 0.5, 0.5), "cylinder", "height 2 m, radius 0.5 m"),
        (Cylinder(2.0, 0.5, 0.0), "cone", "height 2 m, radii 0.5 and 0 m"),
        (Plane(), "plane", "endless"),
        (Plane(4.0, None), "plane", "4 x endless m"),
        (MeshGeometry(3, convex=False), "trimesh", "of mesh 3"),
        (MeshGeometry(3, convex=True), "hull", "of mesh 3"),
        (NodeGeometry(7, convex=True), "hull", "of node 7"),
        (None, "unknown", ""),
    ],
)
def test_shapes_in_words(geometry, kind, size):
    physics = Physics(
        colliders=by_node(Collider(node=0, geometry=geometry)),
        triggers=by_node(Trigger(node=0, geometry=geometry)),
    )
    summary = summarize_physics(physics, tree_of(()))
    assert [(c.shape, c.size) for c in summary.colliders] == [(kind, size)]
    assert [(t.shape, t.size) for t in summary.triggers] == [(kind, size)]


def test_the_nearest_motion_above_owns_colliders_and_triggers():
    """Node 0 has 1 and 2 below it, 1 has 3; 0 and 1 are bodies, 4 is not below any."""
    shape = Sphere(1.0)
    physics = Physics(
        motions=by_node(Motion(node=0), Motion(node=1)),
        colliders=by_node(*(Collider(node=i, geometry=shape) for i in range(5))),
        triggers=by_node(Trigger(node=2, geometry=shape), Trigger(node=4, nodes=(2, 3))),
    )
    summary = summarize_physics(physics, tree_of((1, 2), (3,), (), (), ()))
    assert [c.body for c in summary.colliders] == [0, 1, 0, 1, None]
    assert [(t.shape, t.members, t.body) for t in summary.triggers] == [
        ("sphere", [], 0),
        ("compound", [2, 3], None),
    ]


def test_joints_by_name_with_what_they_join():
    hinge = (
        Limit(linear_axes=(0, 1, 2), minimum=0, maximum=0),
        Limit(angular_axes=(0, 1), minimum=0, maximum=0),
    )
    motor = Drive(type="angular", mode="force", axis=2, damping=1.0)
    joint = Joint(node=1, frame_a=1, body_a=1, frame_b=2, body_b=2, limits=hinge, drives=(motor,))
    physics = Physics(motions=by_node(Motion(node=0)), joints=by_node(joint))
    (reported,) = summarize_physics(physics, tree_of((1,), (), ())).joints
    assert reported.name == "hinge (motor)"
    assert reported.frames == (1, 2)
    assert reported.bodies == (0, None)
    assert reported.collide is False


def test_the_bodies_of_a_joint_need_not_own_its_frames():
    """OMI joints of 2023 take both frames from the joint's own node."""
    joint = Joint(node=2, frame_a=2, body_a=0, frame_b=2, body_b=1)
    physics = Physics(motions=by_node(Motion(node=0), Motion(node=1)), joints=by_node(joint))
    (reported,) = summarize_physics(physics, tree_of((), (), ())).joints
    assert (reported.frames, reported.bodies) == ((2, 2), (0, 1))


def test_materials_and_filters_are_counted_by_content():
    ice, equal, wood = Material(0.0, 0.0), Material(0.0, 0.0), Material()
    team = CollisionFilter(frozenset({"a"}))
    physics = Physics(
        colliders=by_node(
            Collider(node=0, geometry=None, material=ice, filter=team),
            Collider(node=1, geometry=None, material=equal),
            Collider(node=2, geometry=None, material=wood),
            Collider(node=3, geometry=None),
        ),
        triggers=by_node(Trigger(node=3, filter=CollisionFilter())),
    )
    summary = summarize_physics(physics, tree_of((), (), (), ()))
    assert (summary.materials, summary.filters) == (2, 2)


def test_all_nodes_that_are_mentioned():
    joint = Joint(node=1, frame_a=1, body_a=1, frame_b=3, body_b=3)
    physics = Physics(
        motions=by_node(Motion(node=0)),
        joints=by_node(joint),
        triggers=by_node(Trigger(node=4, nodes=(5,))),
    )
    summary = summarize_physics(physics, tree_of((1,), (), (), (), (), ()))
    assert summary.nodes() == {0, 1, 3, 4, 5}


def test_dialects_and_findings():
    oddity = Finding("CODE", "warning", "/nodes/0", "odd", "make it even")
    physics = Physics(dialects=(Dialect.KHR, Dialect.OMI_2023), findings=(oddity,) * 3)
    summary = summarize_physics(physics, tree_of(()))
    assert summary.dialects == ["khr", "omi-2023"]
    assert summary.findings == 3


def test_a_file_without_physics_has_no_summary_of_it():
    assert summarize(Document({"asset": {"version": "2.0"}, "nodes": [{}]})).physics is None


def test_a_document_names_the_nodes_of_its_physics():
    body = {"motion": {"mass": 0}, "collider": {"geometry": {"shape": 0}}}
    nodes = [{"name": "Crate", "extensions": {"KHR_physics_rigid_bodies": body}}, {"name": "x"}]
    extensions = {"KHR_implicit_shapes": {"shapes": [{"type": "sphere"}]}}
    document = Document(
        {
            "asset": {"version": "2.0"},
            "extensionsUsed": ["KHR_implicit_shapes", "KHR_physics_rigid_bodies"],
            "extensions": extensions,
            "nodes": nodes,
        }
    )
    summary = summarize(document)
    assert summary.names == {0: "Crate"}
    reported = msgspec.json.decode(msgspec.json.encode(summary.physics))
    assert reported["bodies"] == [{"node": 0, "kind": "dynamic", "mass": "infinite"}]
    assert reported["colliders"] == [
        {"node": 0, "shape": "sphere", "size": "radius 0.5 m", "body": 0}
    ]


def test_names_of_the_published_joints(shared):
    """The sample shows one joint of each kind."""
    folder = shared / "corpus" / "khr_samples_2024_03" / "JointTypes"
    physics = summarize(load(folder / "JointTypes.glb")).physics
    assert [joint.name for joint in physics.joints] == [
        "ball",
        "ball",
        "hinge",
        "hinge",
        "slider (limited)",
        "six-axis (limited)",
        "fixed",
        "universal (limited)",
        "hinge (limited)",
    ]


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("hanging_rope", "pin"),
        ("pendulum_balls", "hinge"),
        ("rope_railing", "pin"),
        ("simple_joint", "pin"),
        ("slider_ball", "slider (limited)"),
        ("swing_and_slide", "pin-slot (limited)"),
        ("weld_joint", "fixed"),
    ],
)
def test_names_of_the_published_omi_joints(shared, file, name):
    """Their nodes are called PinJoint, HingeJoint, SliderJoint and WeldJoint."""
    folder = shared / "corpus" / "omi_2023_06" / "OMI_physics_joint"
    physics = summarize(load(folder / f"{file}.gltf")).physics
    assert {joint.name for joint in physics.joints} == {name}

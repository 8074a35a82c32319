"""The editor, call by call: what is written, what is refused, and what removing leaves behind."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament import transforms as tf
from ligament.errors import EditError
from ligament.extensions.humanoid.bones import BONES, PARENTS, REQUIRED
from ligament.extensions.physics import read_physics
from ligament.extensions.rigid_bodies import CollisionFilter, Drive, Limit, Material, MotionKind
from ligament.extensions.rigid_bodies.motion import MOTION
from ligament.extensions.shapes import Box, MeshGeometry, Sphere
from ligament.extensions.vrmc_node_constraint import read_constraints
from ligament.gltf import jsontext
from ligament.gltf.animation import Clip, Track, append_clip
from ligament.gltf.tree import NodeTree
from ligament.physics.naming import friendly_name
from tests.author.bare import Bare, two_boxes
from tests.rig.skeletons import humanoid

KHR, SHAPES = "KHR_physics_rigid_bodies", "KHR_implicit_shapes"


def editor_of(*names: str) -> lg.Editor:
    """An editor with boxes of one metre on nodes of these names, two metres apart."""
    bare = Bare()
    mesh = bare.box()
    for i, name in enumerate(names):
        bare.node(name, mesh=mesh, translation=[2.0 * i, 0, 0])
    return lg.Editor(bare.document)


# --- what is written ---


def test_a_body_is_written_as_it_was_given() -> None:
    editor = editor_of("A")
    editor.add_body(
        "A",
        mass=2,
        center_of_mass=(0, 0.1, 0),
        inertia_diagonal=(1, math.inf, 2.5),
        inertia_orientation=(0, 0, 0.6, 0.8),
        linear_velocity=(1, 0, 0),
        angular_velocity=(0, 0, 3),
        gravity_factor=0.5,
    )
    motion = read_physics(editor.document).motions[0]
    assert (motion.mass, motion.center_of_mass, motion.gravity_factor) == (2, (0, 0.1, 0), 0.5)
    assert motion.inertia_diagonal == (1, math.inf, 2.5)
    assert motion.inertia_orientation == pytest.approx((0, 0, 0.6, 0.8))
    assert (motion.linear_velocity, motion.angular_velocity) == ((1, 0, 0), (0, 0, 3))


def test_a_body_takes_every_member_of_a_motion() -> None:
    parameters = inspect.signature(lg.Editor.add_body).parameters
    given = {name: p.default for name, p in parameters.items() if name not in ("self", "node")}
    assert given.keys() - {row.attribute for row in MOTION.rows} == {
        *("collider", "material", "filter")
    }
    for row in MOTION.rows:
        assert given[row.attribute] in (None, row.default)


def test_kinds_of_bodies() -> None:
    editor = editor_of("A", "B", "C")
    editor.add_body("A", collider="box")
    editor.add_body("B", kind="kinematic", angular_velocity=(0, 1, 0))
    editor.add_body("C", kind="static", collider=Sphere(0.5))
    physics = read_physics(editor.document)
    kinds = {node: motion.kind for node, motion in physics.motions.items()}
    assert kinds == {0: MotionKind.DYNAMIC, 1: MotionKind.KINEMATIC}
    assert sorted(physics.colliders) == [0, 2]


def test_shapes_of_every_kind() -> None:
    bare = Bare()
    box, off = bare.box(), bare.box((0.2, 0.4, 0.6), at=(1, 0, 0))
    for i in range(6):
        bare.node(f"N{i}", mesh=off if i == 5 else box)
    editor = lg.Editor(bare.document)
    assert editor.add_collider("N0", "mesh") == 0
    assert editor.add_collider("N1", "hull") == 1
    editor.add_collider("N2", "hull", mesh=off)
    editor.add_collider("N3", off)
    editor.add_collider("N4", "box")
    carrier = editor.add_collider("N5", "box")
    found = {node: c.geometry for node, c in read_physics(editor.document).colliders.items()}
    assert found[0] == MeshGeometry(box, convex=False)
    assert found[1] == MeshGeometry(box, convex=True)
    assert found[2] == MeshGeometry(off, convex=True)
    assert found[3] == MeshGeometry(off, convex=False)
    assert found[4] == Box((1, 1, 1))
    tree = NodeTree(editor.document)
    assert carrier == 6
    assert tree.parents[6] == 5
    np.testing.assert_allclose(tree.translation[6], (1, 0, 0), atol=1e-6)
    np.testing.assert_allclose(found[6].size, (0.2, 0.4, 0.6), atol=1e-6)  # type: ignore[union-attr]


def test_equal_things_stand_in_the_file_once() -> None:
    editor = editor_of("A", "B", "C")
    rubber = editor.add_material(friction=0.9, restitution=0.5, restitution_combine="maximum")
    crates = editor.add_filter(["crates"], not_collide_with=["ghosts"])
    for name in "ABC":
        editor.add_body(name, collider=Box((1, 1, 1)), material=rubber, filter=crates, mass=1)
    for name in "BC":
        editor.hinge("A", name, axis="x", limits=(-10, 10))
    document = editor.document
    own, shapes = document.extension(KHR), document.extension(SHAPES)
    assert own is not None
    assert shapes is not None
    assert {name: len(items) for name, items in own.items()} == {
        "physicsMaterials": 1,
        "collisionFilters": 1,
        "physicsJoints": 1,
    }
    assert len(shapes["shapes"]) == 1
    assert sorted(document.json["extensionsUsed"]) == [SHAPES, KHR]
    assert {c.material for c in read_physics(document).colliders.values()} == {rubber}
    assert {c.filter for c in read_physics(document).colliders.values()} == {crates}


def test_the_door_of_the_specification() -> None:
    """A 3D linear limit of 0, a 1D angular one with the swing, a 2D angular one of 0."""
    editor = lg.Editor(two_boxes())
    editor.add_body("B", mass=25)
    node = editor.hinge("A", "B", at=(0.5, 0, 0), axis="y", limits=(-90, 100))
    assert editor.document.extension(KHR) == {
        "physicsJoints": [
            {
                "limits": [
                    {"linearAxes": [0, 1, 2], "min": 0, "max": 0},
                    {"angularAxes": [0, 2], "min": 0, "max": 0},
                    {"angularAxes": [1], "min": math.radians(-90), "max": math.radians(100)},
                ]
            }
        ]
    }
    tree = NodeTree(editor.document)
    world = tree.world_transforms()
    joint = read_physics(editor.document).joints[node]
    assert [int(tree.parents[n]) for n in (joint.frame_a, joint.frame_b)] == [0, 1]
    for frame in (joint.frame_a, joint.frame_b):
        np.testing.assert_allclose(world.translation[frame], (0.5, 0, 0), atol=1e-12)
        np.testing.assert_allclose(world.rotation[frame], (0, 0, 0, 1), atol=1e-12)


@pytest.mark.parametrize("scale", [[1, 1, 1], [2, 0.5, 3], [-1, 1, 1]])
def test_frames_lie_on_each_other_below_any_parents(scale: list[float]) -> None:
    bare = Bare()
    above = bare.node("Above", translation=[1, 2, 3], rotation=[0, 0.6, 0, 0.8], scale=scale)
    below = bare.node("Below", parent=above, rotation=[0.5, 0.5, 0.5, 0.5], scale=[0.7, 0.7, 0.7])
    matrix = np.diag([2.0, 2.0, 2.0, 1.0])
    matrix[:3, 3] = 4, 5, 6
    bare.node("Body", parent=below, matrix=matrix.T.ravel().tolist())
    bare.node("Other", rotation=[0, 0, -0.28, 0.96])
    editor = lg.Editor(bare.document)
    editor.add_body("Body", mass=1)
    axis = np.array([1.0, 2.0, -0.5])
    node = editor.hinge("Other", "Body", at=(0.1, 0.2, 0.3), axis=axis.tolist())
    joint = read_physics(editor.document).joints[node]
    world = NodeTree(editor.document).world_transforms()
    (free,) = {0, 1, 2} - {*joint.limits[1].angular_axes}
    for frame in (joint.frame_a, joint.frame_b):
        np.testing.assert_allclose(world.translation[frame], (0.1, 0.2, 0.3), atol=1e-9)
        along = tf.rotate(world.rotation[frame], np.eye(3)[free])
        np.testing.assert_allclose(along, axis / np.linalg.norm(axis), atol=1e-9)
    turn = tf.angle_between(*world.rotation[[joint.frame_a, joint.frame_b]])
    assert turn == pytest.approx(0, abs=1e-7)  # the arc cosine of nearly 1


def test_contact_is_the_middle_between_the_nearest_sides() -> None:
    editor = lg.Editor(two_boxes(gap=0.2))
    editor.add_body("B", mass=1)
    by_mesh = editor.ball("A", "B", at="contact")
    editor.add_collider("A", Sphere(0.3))
    by_shape = editor.ball("A", "B", at="contact")
    rope = editor.distance("A", "B", at="contact", max=1.0)
    physics, world = read_physics(editor.document), NodeTree(editor.document).world_transforms()

    def places(joint: int) -> np.ndarray:
        return world.translation[[physics.joints[joint].frame_a, physics.joints[joint].frame_b]]

    np.testing.assert_allclose(places(by_mesh), [[0.6, 0, 0]] * 2, atol=1e-5)
    np.testing.assert_allclose(places(by_shape), [[0.5, 0, 0]] * 2, atol=1e-5)
    np.testing.assert_allclose(places(rope), [[0.3, 0, 0], [0.7, 0, 0]], atol=1e-5)


def test_a_joint_to_the_world_is_measured_from_the_world() -> None:
    for arguments in (("A",), ("A", "world"), ("world", "A")):
        editor = editor_of("A")
        editor.add_body("A", mass=1)
        node = editor.slider(*arguments, axis="z", limits=(0, 2), name="Rail")
        joint = read_physics(editor.document).joints[node]
        tree = NodeTree(editor.document)
        assert tree.names[node] == "Rail"
        assert tree.parents[node] == -1
        assert tree.parents[joint.frame_b] == 0
        assert node in editor.document.json["scenes"][0]["nodes"]


def test_drives_are_added_to_one_joint_of_those_that_share() -> None:
    editor = editor_of("A", "B", "C")
    for name in "BC":
        editor.add_body(name, mass=1)
    first, second = editor.hinge("A", "B"), editor.hinge("A", "C")
    editor.add_drive(first, Drive(type="angular", mode="force", axis=1, damping=2.0))
    joints = read_physics(editor.document).joints
    assert [len(joints[node].drives) for node in (first, second)] == [1, 0]
    editor.add_drive(second, Drive(type="angular", mode="force", axis=1, damping=2.0))
    own = editor.document.extension(KHR)
    assert own is not None
    assert len(own["physicsJoints"]) == 1


def test_triggers_and_compounds() -> None:
    bare = Bare()
    gate = bare.node("Gate")
    for name in ("Left", "Right"):
        bare.node(name, parent=gate)
    editor = lg.Editor(bare.document)
    for name in ("Left", "Right"):
        editor.add_trigger(name, Box((1, 1, 1)))
    editor.add_trigger("Gate", nodes=["Left", "Right"])
    assert read_physics(editor.document).triggers[0].nodes == (1, 2)
    with pytest.raises(EditError, match=r"needed by 'Gate' \(node 0\)"):
        editor.remove_trigger("Left")
    editor.remove_trigger("Left", cascade=True)
    assert read_physics(editor.document).triggers[0].nodes == (2,)
    editor.remove_trigger("Right", cascade=True)
    assert "extensionsUsed" not in editor.document.json
    assert "extensions" not in editor.document.json


def test_constraints() -> None:
    editor = editor_of("A", "B", "C")
    editor.add_constraint("A", "roll", "B", axis="X", weight=0.5)
    editor.add_constraint("B", "rotation", "C")
    found = [(c.destination, c.kind, c.source, c.axis) for c in read_constraints(editor.document)]
    assert found == [(0, "roll", 1, "X"), (1, "rotation", 2, None)]
    with pytest.raises(EditError, match=r"cycle|circle"):
        editor.add_constraint("C", "rotation", "A")
    editor.remove_constraint("A")
    editor.remove_constraint("B")
    assert "extensionsUsed" not in editor.document.json


def test_a_humanoid() -> None:
    bare = Bare()
    nodes: dict[str, int] = {}
    for bone in (bone for bone in PARENTS if bone in REQUIRED):
        above = PARENTS[bone]
        while above is not None and above not in nodes:
            above = PARENTS[above]
        place = [0, 0.9, 0] if above is None else [0.01, 0.1, 0]
        parent = None if above is None else nodes[above]
        nodes[bone] = bare.node(f"J_{bone}", parent=parent, translation=place)
    editor = lg.Editor(bare.document)
    lacking = {bone: node for bone, node in nodes.items() if bone != "head"}
    with pytest.raises(EditError, match="no head"):
        editor.set_humanoid(lacking)
    with pytest.raises(EditError, match="did you mean 'leftHand'"):
        editor.set_humanoid({"leftHnd": 0})
    assert "extensions" not in editor.document.json
    editor.set_humanoid({bone: f"J_{bone}" for bone in nodes}, name="Ada", authors=["Me"])
    humanoid = lg.Humanoid(editor.document)
    assert dict(zip(humanoid.bones, humanoid.nodes.tolist(), strict=True)) == nodes
    assert not lg.check(editor.document).has("warning")


# --- what is refused ---

REFUSED: dict[str, tuple[Callable[[lg.Editor], Any], str]] = {
    "unknown node": (lambda e: e.add_body("Dor", mass=1), "did you mean 'Door'"),
    "unknown index": (lambda e: e.add_body(99, mass=1), "an index from 0 to"),
    "two bodies on one node": (lambda e: e.add_body("Body", mass=1), "has a body already"),
    "two colliders on one node": (lambda e: e.add_collider("Body", Sphere(1)), "already"),
    "joint to itself": (lambda e: e.ball("Body", "Body"), "joined to itself"),
    "joint within a body": (lambda e: e.ball("Body", "Part"), "both ends belong to"),
    "joint of nothing that moves": (lambda e: e.ball("Frame", "Door"), "add_body"),
    "joint of the world": (lambda e: e.ball("world", None), "both ends are the world"),
    "axis of zero length": (lambda e: e.hinge("Frame", "Body", axis=(0, 0, 0)), "zero length"),
    "axis of no name": (lambda e: e.hinge("Frame", "Body", axis="up"), '"x", "y", "z"'),
    "limits in the wrong order": (lambda e: e.hinge("Body", limits=(5, -5)), "swap"),
    "limits without the start": (lambda e: e.hinge("Body", limits=(5, 9)), "include 0"),
    "limits of one value": (lambda e: e.hinge("Body", limits=(0, 0)), "use fixed"),
    "limits that are none": (lambda e: e.hinge("Body", limits=(None, None)), "leave them out"),
    "a rope too short": (lambda e: e.distance("Frame", "Body", max=0.5), "but the distance is 4 m"),
    "a rope to nowhere": (lambda e: e.distance("Body", max=9), "give to as a point"),
    "a spring of no length": (lambda e: e.spring("Body", to="Body", stiffness=9), "above 0"),
    "swing beyond a turn": (lambda e: e.cone_twist("Body", swing=200), "at most 180"),
    "motor of nothing": (lambda e: e.motor("Body"), "neither a speed nor a target"),
    "motor beyond the limits": (
        lambda e: e.motor("Body", target=90, limits=(-10, 10)),
        "inside them",
    ),
    "misspelt motor": (lambda e: e.hinge("Body", motor={"sped": 3}), "did you mean 'speed'"),
    "misspelt room": (lambda e: e.six_axis("Body", x="fre"), "did you mean 'free'"),
    "empty limit": (lambda e: e.add_joint("Body", limits=[Limit()]), "one of linear_axes"),
    "axes that are a number": (
        lambda e: e.add_joint("Body", limits=[Limit(linear_axes=0)]),
        "linearAxes is 0",
    ),
    "drive of nothing": (
        lambda e: e.add_drive("Frame", Drive(type="linear", mode="force", axis=0, damping=1)),
        "has no joint",
    ),
    "mesh without triangles": (lambda e: e.add_collider("Points", "mesh"), "instead of triangles"),
    "no mesh": (lambda e: e.add_collider("Empty", "hull"), "has no mesh"),
    "no such mesh": (lambda e: e.add_collider("Empty", 9), "there is no mesh 9"),
    "flat to nothing": (lambda e: e.add_collider("Flat", "box"), "a scale of 0"),
    "misspelt shape": (lambda e: e.add_collider("Door", "bocks"), "did you mean 'box'"),
    "shape of no size": (lambda e: e.add_collider("Door", Sphere(0)), "above 0"),
    "mass unknown": (lambda e: e.add_body("Empty"), "give mass, or add a collider"),
    "mass of 0": (lambda e: e.add_body("Door", mass=0), "above 0"),
    "mass in words": (lambda e: e.add_body("Door", mass="heavy"), "give a number"),
    "static with a mass": (lambda e: e.add_body("Door", kind="static", mass=3), "no mass"),
    "static on a body": (lambda e: e.add_body("Part", kind="static"), "moves with the body"),
    "negative friction": (lambda e: e.add_material(friction=-1), "at least 0"),
    "combine mode": (lambda e: e.add_material(friction_combine="max"), "maximum"),
    "filter of both lists": (
        lambda e: e.add_filter(["a"], collide_with=["b"], not_collide_with=["c"]),
        "keep one",
    ),
    "constraint on a body": (lambda e: e.add_constraint("Body", "roll", "Door", axis="X"), "body"),
    "constraint on itself": (lambda e: e.add_constraint("Door", "rotation", "Door"), "itself"),
    "constraint axis": (lambda e: e.add_constraint("Door", "aim", "Frame", axis="X"), "axis"),
    "compound of nothing": (lambda e: e.add_trigger("Door", nodes=["Frame"]), "no trigger"),
    "trigger of nothing": (lambda e: e.add_trigger("Door"), "a shape or nodes"),
    "no body to remove": (lambda e: e.remove_body("Door"), r"there is one on 'Body'"),
    "no joint to remove": (lambda e: e.remove_joint("Door"), "there is none"),
    "mass only from this": (lambda e: e.remove_collider("Body"), "mass only from this"),
}


def workshop() -> lg.Editor:
    bare = Bare()
    mesh = bare.box()
    bare.node("Frame", mesh=mesh)
    bare.node("Door", mesh=mesh, translation=[2, 0, 0])
    body = bare.node("Body", mesh=mesh, translation=[4, 0, 0])
    bare.node("Part", parent=body)
    bare.node("Empty")
    bare.node("Points", mesh=bare.points())
    bare.node("Flat", mesh=mesh, scale=[0, 0, 0])
    editor = lg.Editor(bare.document)
    editor.add_body("Body", collider="box")
    return editor


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_one_clear_error_and_changes_nothing(case: str) -> None:
    act, words = REFUSED[case]
    editor = workshop()
    before = jsontext.encode(editor.document.json)
    with pytest.raises(EditError, match=words) as caught:
        act(editor)
    assert caught.value.remedy
    assert jsontext.encode(editor.document.json) == before


def test_names_that_several_nodes_have_are_refused() -> None:
    editor = editor_of("Wheel", "Wheel")
    with pytest.raises(EditError, match="give the index of one: 0, 1"):
        editor.add_body("Wheel", mass=1)
    editor.add_body(1, mass=1)


def test_older_physics_is_to_be_converted_first() -> None:
    document = two_boxes()
    document.json["extensions"] = {"KHR_collision_shapes": {"shapes": [{"type": "sphere"}]}}
    document.json["nodes"][0]["extensions"] = {KHR: {"collider": {"shape": 0}}}
    with pytest.raises(EditError, match=r"already has physics of khr-2024-03.*convert"):
        lg.Editor(document)


def test_animated_bodies_hold_no_joint() -> None:
    document = two_boxes()
    times, places = np.array([0.0, 1.0]), np.array([[1.0, 0, 0], [2.0, 0, 0]])
    append_clip(document, Clip("slide", (Track(1, "translation", times, places),)))
    editor = lg.Editor(document)
    editor.add_body("B", mass=1)
    with pytest.raises(EditError, match="is a dynamic body"):
        editor.ball("A", "B")


# --- what removing leaves behind ---


def test_adding_and_removing_is_as_if_nothing_had_been() -> None:
    editor = lg.Editor(two_boxes(gap=1.0))
    before = jsontext.clone(editor.document.json)
    rubber = Material(restitution=0.5)
    editor.add_body("B", collider="box", material=rubber, filter=CollisionFilter(frozenset("a")))
    editor.add_collider("A", "mesh")
    joint = editor.hinge("A", "B", motor=30)
    editor.remove_joint(joint)
    editor.remove_collider("B", cascade=True)
    editor.remove_collider("A")
    assert editor.document.json == before


def test_removing_a_body_names_its_joints_or_takes_them_along() -> None:
    editor = editor_of("A", "B")
    editor.add_body("B", mass=1)
    editor.hinge("A", "B")
    with pytest.raises(EditError, match=r"needed by 'A hinge'"):
        editor.remove_body("B")
    editor.remove_body("B", cascade=True)
    physics = read_physics(editor.document)
    assert not physics.motions
    assert not physics.joints


def test_a_drive_is_taken_off_one_joint_of_those_that_share() -> None:
    editor = editor_of("A", "B", "C")
    for name in "BC":
        editor.add_body(name, mass=1)
    first, second = (editor.hinge("A", name, axis="y", motor=30) for name in "BC")
    with pytest.raises(EditError, match="it has angular 1"):
        editor.remove_drive(first, "angular", 0)
    editor.remove_drive(first, "angular", 1)
    joints = read_physics(editor.document).joints
    assert joints[first].drives == ()
    assert len(joints[second].drives) == 1
    assert [friendly_name(joints[n].limits) for n in (first, second)] == ["hinge", "hinge"]
    assert not lg.check(editor.document).has("warning")
    with pytest.raises(EditError, match="it has none"):
        editor.remove_drive(first, "angular", 1)


def test_a_humanoid_is_taken_away_with_what_needs_it() -> None:
    document = humanoid(BONES)
    avatar = document.extension("VRMC_vrm")
    assert avatar is not None
    document.json["extensionsRequired"] = ["VRMC_vrm"]
    avatar["lookAt"] = {"type": "bone"}
    editor = lg.Editor(document)
    with pytest.raises(EditError, match="lookAt of the avatar"):
        editor.remove_humanoid()
    editor.remove_humanoid(cascade=True)
    assert "VRMC_vrm" not in jsontext.encode(document.json).decode()
    with pytest.raises(EditError, match="no humanoid"):
        editor.remove_humanoid()
    editor.set_humanoid({bone: bone for bone in BONES})
    assert set(lg.Humanoid(document).bones) == set(BONES)


def test_indices_of_nodes_never_change() -> None:
    editor = editor_of("A", "B", "C")
    for name in "BC":
        editor.add_body(name, mass=1)
    first = editor.hinge("A", "B")
    second = editor.hinge("A", "C")
    names = NodeTree(editor.document).names
    editor.remove_joint(first)
    assert NodeTree(editor.document).names == names
    assert list(read_physics(editor.document).joints) == [second]


def test_edits_by_hand_between_calls_are_seen() -> None:
    editor = editor_of("A")
    editor.document.json["nodes"].append({"name": "New", "translation": [0, 3, 0]})
    editor.document.json["scenes"][0]["nodes"].append(1)
    editor.add_body("New", mass=1, collider=Sphere(0.5))
    assert list(read_physics(editor.document).motions) == [1]

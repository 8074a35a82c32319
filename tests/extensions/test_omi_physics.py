"""Reading the OMI extensions: both eras, mixtures of them, and every way to get them wrong."""

from __future__ import annotations

import copy
import dataclasses
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ligament import transforms as tf
from ligament.extensions.omi import reader as omi_physics
from ligament.extensions.omi.joint import overridden
from ligament.extensions.registry import Dialect
from ligament.extensions.rigid_bodies import (
    Collider,
    CollisionFilter,
    Combine,
    Drive,
    Joint,
    Limit,
    Material,
    Motion,
    MotionKind,
    Physics,
    Trigger,
)
from ligament.extensions.shapes import Box, Capsule, Cylinder, MeshGeometry, Sphere
from ligament.findings import CODES, Finding
from ligament.gltf import pointers
from ligament.gltf.document import Document
from ligament.gltf.load import load

COLLIDER, SHAPE = "OMI_collider", "OMI_physics_shape"
BODY, JOINT = "OMI_physics_body", "OMI_physics_joint"
HARD = math.inf


def node(children: tuple[int, ...] = (), **extensions: Any) -> dict[str, Any]:
    return {"children": list(children), "extensions": extensions}


def old(children: tuple[int, ...] = (), **members: Any) -> dict[str, Any]:
    """A body of 2023."""
    return node(children, **{BODY: members})


def new(children: tuple[int, ...] = (), **parts: Any) -> dict[str, Any]:
    """A body of later years."""
    return node(children, **{BODY: parts})


OLD: dict[str, Any] = {
    "meshes": [{"primitives": []}],
    "extensions": {
        COLLIDER: {
            "colliders": [
                {"type": "capsule", "radius": 0.05, "height": 0.5},
                {"type": "box", "size": [1, 2, 3]},
                {"type": "sphere", "radius": 2},
                {"type": "hull", "mesh": 0, "isTrigger": True},
                {"type": "cylinder", "isTrigger": False},
            ]
        },
        JOINT: {
            "constraints": [
                {"linearAxes": [0, 1, 2]},
                {
                    "angularAxes": [0, 2],
                    "lowerLimit": -0.5,
                    "upperLimit": 0.8,
                    "stiffness": 20,
                    "damping": 2,
                },
            ]
        },
    },
    "nodes": [
        node(**{JOINT: {"constraints": [0, 1], "nodeA": 1, "nodeB": 3}}),
        old(
            (2,),
            type="rigid",
            mass=2.5,
            linearVelocity=[1, 2, 3],
            angularVelocity=[4, 5, 6],
            centerOfMass=[0, 0.5, 0],
            inertiaTensor=[1, 0, 0, 0, 2, 0, 0, 0, 3],
        ),
        node(**{COLLIDER: {"collider": 0}}),
        old((4,), type="static"),
        node(**{COLLIDER: {"collider": 1}}),
        old((6, 7, 8), type="trigger"),
        node(**{COLLIDER: {"collider": 2}}),
        node(**{COLLIDER: {"collider": 3}}),
        node(**{COLLIDER: {"collider": 4}}),
    ],
}

NEW: dict[str, Any] = {
    "meshes": [{"primitives": []}],
    "extensions": {
        SHAPE: {
            "shapes": [
                {"type": "capsule", "capsule": {"radius": 0.25, "height": 2}},
                {"type": "box", "box": {"size": [1, 2, 3]}},
                {"type": "sphere", "sphere": {"radius": 2}},
                {"type": "convex", "convex": {"mesh": 0}},
                {
                    "type": "cylinder",
                    "cylinder": {"radiusBottom": 1, "radiusTop": 0, "height": 3},
                },
            ]
        },
        BODY: {
            "physicsMaterials": [
                {
                    "staticFriction": 0.5,
                    "dynamicFriction": 0.25,
                    "restitution": 0.75,
                    "frictionCombine": "minimum",
                }
            ],
            "collisionFilters": [{"collisionSystems": ["a"], "collideWithSystems": ["b", "c"]}],
        },
        JOINT: {
            "physicsJoints": [
                {
                    "limits": [
                        {"linearAxes": [0, 1, 2], "min": 0, "max": 0},
                        {"angularAxes": [2], "min": -1, "stiffness": 30, "damping": 3},
                    ],
                    "drives": [
                        {
                            "type": "angular",
                            "mode": "force",
                            "axis": 2,
                            "maxForce": 9,
                            "positionTarget": 1,
                            "velocityTarget": 2,
                            "stiffness": 3,
                            "damping": 4,
                        }
                    ],
                }
            ]
        },
    },
    "nodes": [
        new(
            (1, 2),
            motion={
                "type": "dynamic",
                "mass": 2.5,
                "linearVelocity": [1, 2, 3],
                "angularVelocity": [4, 5, 6],
                "centerOfMass": [0, 0.5, 0],
                "inertiaDiagonal": [1, 2, 3],
                "inertiaOrientation": [0, 0, 0.6, 0.8],
                "gravityFactor": 0.5,
            },
        ),
        new(collider={"shape": 0, "physicsMaterial": 0, "collisionFilter": 0}),
        node(**{JOINT: {"joint": 0, "connectedNode": 5, "enableCollision": True}}),
        new((4, 5), collider={"shape": -1, "physicsMaterial": -1, "collisionFilter": -1}),
        new(collider={"shape": 1}),
        {},
        new((7, 9), trigger={}),
        new((8,), trigger={"shape": 2, "collisionFilter": 0}),
        new(trigger={"shape": 4}),
        new((10,), trigger={"nodes": [10]}),
        new(trigger={"shape": 3}),
    ],
}


def read(json: dict[str, Any], **options: Any) -> Physics:
    return omi_physics.read(Document(json), **options)


def codes(physics: Physics) -> list[tuple[str, str]]:
    return [(finding.code, finding.pointer) for finding in physics.findings]


def changed(json: dict[str, Any], pointer: str, value: Any) -> dict[str, Any]:
    """Return a copy with another value at a place; `...` removes it."""
    twin = copy.deepcopy(json)
    above, _, name = pointer.rpartition("/")
    owner = pointers.find(twin, above)
    key: Any = int(name) if isinstance(owner, list) else name
    if value is ...:
        del owner[key]
    else:
        owner[key] = value
    return twin


def on_node(index: int, name: str, *path: str | int) -> str:
    return pointers.join(f"/nodes/{index}/extensions/{name}", *path)


# --- what good files mean ---


def test_a_file_of_2023() -> None:
    physics = read(OLD)
    assert physics.findings == ()
    assert physics.dialects == (Dialect.OMI_2023,)
    assert physics.motions == {
        1: Motion(
            node=1,
            kind=MotionKind.DYNAMIC,
            mass=2.5,
            center_of_mass=(0.0, 0.5, 0.0),
            inertia_diagonal=(1.0, 2.0, 3.0),
            linear_velocity=(1.0, 2.0, 3.0),
            angular_velocity=(4.0, 5.0, 6.0),
            pointer=on_node(1, BODY),
        ),
        3: Motion(
            node=3,
            kind=MotionKind.STATIC,
            mass=1.0,
            center_of_mass=(0.0, 0.0, 0.0),
            pointer=on_node(3, BODY),
        ),
    }
    assert physics.colliders == {
        2: Collider(node=2, geometry=Capsule(0.4, 0.05, 0.05), pointer=on_node(2, COLLIDER)),
        4: Collider(node=4, geometry=Box((1.0, 2.0, 3.0)), pointer=on_node(4, COLLIDER)),
        8: Collider(node=8, geometry=Cylinder(2.0, 0.5, 0.5), pointer=on_node(8, COLLIDER)),
    }
    hull = MeshGeometry(0, convex=True)
    assert physics.triggers == {
        6: Trigger(node=6, geometry=Sphere(2.0), pointer=on_node(6, COLLIDER)),
        7: Trigger(node=7, geometry=hull, pointer=on_node(7, COLLIDER)),
        5: Trigger(node=5, nodes=(6, 7), pointer=on_node(5, BODY)),
    }


def test_a_joint_of_2023_is_the_frame_on_both_bodies() -> None:
    here, there = (f"/extensions/{JOINT}/constraints/{i}" for i in (0, 1))
    soft = {"minimum": -0.5, "maximum": 0.8, "stiffness": 20.0, "damping": 2.0, "index": 1}
    assert read(OLD).joints == {
        0: Joint(
            node=0,
            frame_a=0,
            body_a=1,
            frame_b=0,
            body_b=3,
            limits=(
                *(Limit(linear_axes=(i,), minimum=0, maximum=0, pointer=here) for i in range(3)),
                *(Limit(angular_axes=(i,), free_axis=1, **soft, pointer=there) for i in (0, 2)),
            ),
            enable_collision=False,
            pointer=on_node(0, JOINT),
        )
    }


def test_a_file_of_later_years() -> None:
    physics = read(NEW)
    assert physics.findings == ()
    assert physics.dialects == (Dialect.OMI,)
    assert physics.motions == {
        0: Motion(
            node=0,
            kind=MotionKind.DYNAMIC,
            mass=2.5,
            center_of_mass=(0.0, 0.5, 0.0),
            inertia_diagonal=(1.0, 2.0, 3.0),
            inertia_orientation=(0.0, 0.0, 0.6, 0.8),
            linear_velocity=(1.0, 2.0, 3.0),
            angular_velocity=(4.0, 5.0, 6.0),
            gravity_factor=0.5,
            pointer=on_node(0, BODY, "motion"),
        )
    }
    systems = CollisionFilter(frozenset("a"), frozenset("bc"))
    assert physics.colliders == {
        1: Collider(
            node=1,
            geometry=Capsule(1.5, 0.25, 0.25),
            material=Material(0.5, 0.25, 0.75, Combine.MINIMUM, Combine.AVERAGE),
            filter=systems,
            pointer=on_node(1, BODY, "collider"),
        ),
        3: Collider(node=3, geometry=None, pointer=on_node(3, BODY, "collider")),
        4: Collider(node=4, geometry=Box((1.0, 2.0, 3.0)), pointer=on_node(4, BODY, "collider")),
    }
    places = {i: on_node(i, BODY, "trigger") for i in (6, 7, 8, 9, 10)}
    assert physics.triggers == {
        6: Trigger(node=6, nodes=(7, 8, 9), pointer=places[6]),
        7: Trigger(node=7, geometry=Sphere(2.0), filter=systems, pointer=places[7]),
        8: Trigger(node=8, geometry=Cylinder(3.0, 1.0, 0.0), pointer=places[8]),
        9: Trigger(node=9, nodes=(10,), pointer=places[9]),
        10: Trigger(node=10, geometry=MeshGeometry(0, convex=True), pointer=places[10]),
    }


def test_a_joint_of_later_years_has_two_frames_and_drives() -> None:
    here = f"/extensions/{JOINT}/physicsJoints/0"
    lock = {"minimum": 0.0, "maximum": 0.0, "pointer": f"{here}/limits/0"}
    assert read(NEW).joints == {
        2: Joint(
            node=2,
            frame_a=2,
            body_a=2,
            frame_b=5,
            body_b=5,
            limits=(
                *(Limit(linear_axes=(i,), **lock) for i in range(3)),
                Limit(
                    angular_axes=(2,),
                    minimum=-1.0,
                    stiffness=30.0,
                    damping=3.0,
                    index=1,
                    pointer=f"{here}/limits/1",
                ),
            ),
            drives=(
                Drive(
                    type="angular",
                    mode="force",
                    axis=2,
                    max_force=9.0,
                    position_target=1.0,
                    velocity_target=2.0,
                    stiffness=3.0,
                    damping=4.0,
                    pointer=f"{here}/drives/0",
                ),
            ),
            enable_collision=True,
            pointer=on_node(2, JOINT),
        )
    }


def test_a_file_without_the_extensions() -> None:
    physics = read({"nodes": [{"extensions": {"KHR_physics_rigid_bodies": {"motion": {}}}}, 3]})
    assert physics == Physics()
    assert not physics


# --- bodies ---


@pytest.mark.parametrize(
    ("kind", "meaning"),
    [
        ("static", MotionKind.STATIC),
        ("kinematic", MotionKind.KINEMATIC),
        ("character", MotionKind.KINEMATIC),
        ("rigid", MotionKind.DYNAMIC),
        ("vehicle", MotionKind.DYNAMIC),
        ("dynamic", MotionKind.DYNAMIC),
    ],
)
def test_types_of_bodies(kind: str, meaning: MotionKind) -> None:
    physics = read({"nodes": [old(type=kind), new(motion={"type": kind})]})
    assert [motion.kind for motion in physics.motions.values()] == [meaning, meaning]


@pytest.mark.parametrize("motion", [{}, {"mass": 3}])
def test_a_motion_without_a_type_is_dynamic(motion: dict[str, Any]) -> None:
    physics = read({"nodes": [new(motion=motion, collider={})]})
    assert physics.motions[0].kind is MotionKind.DYNAMIC
    assert codes(physics) == [("UNDEFINED_PROPERTY", on_node(0, BODY, "motion"))]


def rotation_matrix(q: tuple[float, ...]) -> Any:
    return np.asarray(tf.to_matrix(np.array(q)))


@pytest.mark.parametrize("angle", [0.0, 1e-4, 0.7, 2.5])
def test_an_inertia_tensor_is_split_into_moments_and_axes(angle: float) -> None:
    turn = rotation_matrix(tuple(tf.from_axis_angle(np.array([0.6, 0.0, 0.8]), angle)))
    tensor = turn @ np.diag([1.0, 2.0, 4.0]) @ turn.T
    body = old(type="rigid", inertiaTensor=((tensor + tensor.T) / 2).ravel().tolist())
    motion = read({"nodes": [body]}).motions[0]
    assert motion.inertia_diagonal is not None
    axes = rotation_matrix(motion.inertia_orientation)
    rebuilt = axes @ np.diag(motion.inertia_diagonal) @ axes.T
    # Rounding of an eigenvalue decomposition of numbers of this size.
    np.testing.assert_allclose(rebuilt, tensor, atol=1e-14)


@pytest.mark.parametrize(
    ("name", "value"), [("inertiaTensor", [0] * 9), ("inertiaDiagonal", [0, 0, 0])]
)
def test_an_inertia_of_zero_is_computed(name: str, value: list[float]) -> None:
    physics = read({"nodes": [new(motion={"type": "dynamic", name: value}, collider={})]})
    assert physics.motions[0].inertia_diagonal is None
    assert physics.findings == ()


@pytest.mark.parametrize(
    "tensor",
    [
        [1, 0.5, 0, 0.4, 1, 0, 0, 0, 1],
        [1, 0, 0, 0, -1, 0, 0, 0, 1],
        [1, 0, 0, 0, 0, 0, 0, 0, 1],
        [1, 2, 0, 2, 1, 0, 0, 0, 1],
        [1.7e308, 1.7e308, 0, 1.7e308, 1.7e308, 0, 0, 0, 1.7e308],
    ],
)
def test_a_tensor_that_is_no_inertia_is_computed(tensor: list[float]) -> None:
    physics = read(changed(OLD, on_node(1, BODY, "inertiaTensor"), tensor))
    assert physics.motions[1].inertia_diagonal is None
    assert codes(physics) == [
        ("OMI_PHYSICS_BODY_INVALID_INERTIA_TENSOR", on_node(1, BODY, "inertiaTensor"))
    ]


def test_a_tensor_may_be_rounded_to_single_precision() -> None:
    tensor = [1, 0.1, 0, 0.100000001490116, 1, 0, 0, 0, 1]
    physics = read(changed(OLD, on_node(1, BODY, "inertiaTensor"), tensor))
    assert physics.findings == ()
    assert physics.motions[1].inertia_diagonal == pytest.approx((0.9, 1.0, 1.1), rel=1e-8)


def test_an_absent_combine_mode_votes_for_the_average() -> None:
    place = f"/extensions/{BODY}/physicsMaterials/0"
    material = read(changed(NEW, place, {})).colliders[1].material
    assert material == Material(0.6, 0.6, 0.0, Combine.AVERAGE, Combine.AVERAGE)


def test_a_collider_without_a_body_is_static() -> None:
    root = {COLLIDER: {"colliders": [{"type": "sphere"}]}}
    physics = read({"extensions": root, "nodes": [node(**{COLLIDER: {"collider": 0}})]})
    assert physics.motions == {}
    assert physics.colliders[0].geometry == Sphere(0.5)


# --- shapes ---


def shape_of(shape: dict[str, Any]) -> tuple[Any, list[tuple[str, str]]]:
    json = {
        "meshes": [{}, {}],
        "extensions": {SHAPE: {"shapes": [shape]}},
        "nodes": [new(collider={"shape": 0})],
    }
    physics = read(json)
    return physics.colliders[0].geometry, codes(physics)


@pytest.mark.parametrize(
    ("shape", "geometry"),
    [
        ({"type": "box"}, Box((1.0, 1.0, 1.0))),
        ({"type": "box", "size": [1, 2, 3]}, Box((1.0, 2.0, 3.0))),
        ({"type": "box", "box": {}}, Box((1.0, 1.0, 1.0))),
        ({"type": "sphere", "name": "ball"}, Sphere(0.5)),
        ({"type": "sphere", "radius": 2}, Sphere(2.0)),
        # Total with `radius` and in flat shapes, between the centres with two radii.
        ({"type": "capsule"}, Capsule(1.0, 0.5, 0.5)),
        ({"type": "capsule", "capsule": {}}, Capsule(1.0, 0.5, 0.5)),
        ({"type": "capsule", "height": 3}, Capsule(2.0, 0.5, 0.5)),
        ({"type": "capsule", "radius": 1, "height": 3}, Capsule(1.0, 1.0, 1.0)),
        ({"type": "capsule", "capsule": {"radius": 1, "height": 3}}, Capsule(1.0, 1.0, 1.0)),
        ({"type": "capsule", "capsule": {"radius": 0.25}}, Capsule(1.5, 0.25, 0.25)),
        ({"type": "capsule", "capsule": {"radiusTop": 1, "height": 3}}, Capsule(3.0, 0.5, 1.0)),
        ({"type": "capsule", "capsule": {"radiusBottom": 1}}, Capsule(1.0, 1.0, 0.5)),
        ({"type": "cylinder"}, Cylinder(2.0, 0.5, 0.5)),
        ({"type": "cylinder", "cylinder": {"radius": 1}}, Cylinder(2.0, 1.0, 1.0)),
        ({"type": "cylinder", "cylinder": {"radiusTop": 0}}, Cylinder(2.0, 0.5, 0.0)),
        ({"type": "hull", "mesh": 1}, MeshGeometry(1, convex=True)),
        ({"type": "hull", "hull": {"mesh": 1}}, MeshGeometry(1, convex=True)),
        ({"type": "convex", "convex": {"mesh": 1}}, MeshGeometry(1, convex=True)),
        ({"type": "trimesh", "trimesh": {"mesh": 1}}, MeshGeometry(1, convex=False)),
    ],
)
def test_shapes(shape: dict[str, Any], geometry: Any) -> None:
    assert shape_of(shape) == (geometry, [])


HERE = f"/extensions/{SHAPE}/shapes/0"


@pytest.mark.parametrize(
    ("shape", "geometry", "code", "below"),
    [
        ({}, None, "UNDEFINED_PROPERTY", ""),
        ({"type": "cone"}, None, "VALUE_NOT_IN_LIST", "/type"),
        ({"type": "mesh", "mesh": 0}, None, "VALUE_NOT_IN_LIST", "/type"),
        ({"type": "box", "box": 3}, None, "TYPE_MISMATCH", "/box"),
        (
            {"type": "box", "box": {"size": [1, -1, 1]}},
            Box((1, 1, 1)),
            "VALUE_NOT_IN_RANGE",
            "/box/size/1",
        ),
        ({"type": "box", "radius": 3}, Box((1, 1, 1)), "UNEXPECTED_PROPERTY", "/radius"),
        ({"type": "box", "sphere": {}}, Box((1, 1, 1)), "UNEXPECTED_PROPERTY", "/sphere"),
        (
            {"type": "sphere", "sphere": {}, "radius": 3},
            Sphere(0.5),
            "UNEXPECTED_PROPERTY",
            "/radius",
        ),
        ({"type": "convex"}, None, "UNDEFINED_PROPERTY", ""),
        ({"type": "convex", "convex": {"mesh": -1}}, None, "INVALID_INDEX", "/convex/mesh"),
        ({"type": "trimesh", "mesh": 2}, None, "UNRESOLVED_REFERENCE", "/mesh"),
        (
            {"type": "capsule", "height": 1, "radius": 0.6},
            Capsule(0.0, 0.6, 0.6),
            "OMI_COLLIDER_INVALID_CAPSULE_HEIGHT",
            "",
        ),
        (
            {"type": "capsule", "capsule": {"height": 3}},
            Capsule(3.0, 0.5, 0.5),
            "OMI_PHYSICS_SHAPE_AMBIGUOUS_HEIGHT",
            "/capsule/height",
        ),
        (
            {"type": "cylinder", "radius": 3, "radiusTop": 1},
            Cylinder(2.0, 0.5, 1.0),
            "UNEXPECTED_PROPERTY",
            "/radius",
        ),
    ],
)
def test_odd_shapes(shape: dict[str, Any], geometry: Any, code: str, below: str) -> None:
    assert shape_of(shape) == (geometry, [(code, HERE + below)])


def test_a_capsule_may_be_a_ball_in_single_precision() -> None:
    geometry, found = shape_of({"type": "capsule", "radius": 0.0500000007450581, "height": 0.1})
    assert found == []
    assert geometry == Capsule(0.0, 0.0500000007450581, 0.0500000007450581)


def test_drafts_called_a_trimesh_a_mesh() -> None:
    physics = read(changed(OLD, f"/extensions/{COLLIDER}/colliders/0", {"type": "mesh", "mesh": 0}))
    assert physics.colliders[2].geometry == MeshGeometry(0, convex=False)
    assert physics.findings == ()


# --- triggers ---


def test_the_flag_of_a_collider_wins_over_its_body() -> None:
    shapes = [
        {"type": "box"},
        {"type": "box", "isTrigger": True},
        {"type": "box", "isTrigger": False},
    ]
    named = [node(**{COLLIDER: {"collider": i}}) for i in range(3)]
    for kind, solid, noticing in (("static", {1, 3}, {2}), ("trigger", {3}, {0, 1, 2})):
        nodes = [old((1, 2, 3), type=kind), *named]
        physics = read({"extensions": {COLLIDER: {"colliders": shapes}}, "nodes": nodes})
        assert (physics.colliders.keys(), physics.triggers.keys()) == (solid, noticing)


def test_a_trigger_body_within_a_body_keeps_its_shapes() -> None:
    nodes = [
        old((1, 2), type="rigid"),
        node(**{SHAPE: {"shape": 0}}),
        node((3,), **{BODY: {"type": "trigger"}, SHAPE: {"shape": 0}}),
        node((4,)),
        node(**{SHAPE: {"shape": 0}}),
    ]
    root = {SHAPE: {"shapes": [{"type": "sphere", "radius": 1}]}}
    physics = read({"extensions": root, "nodes": nodes})
    assert physics.findings == ()
    assert physics.colliders.keys() == {1}
    here = on_node(2, SHAPE)
    assert physics.triggers == {
        2: Trigger(node=2, geometry=Sphere(1.0), nodes=(4,), pointer=here),
        4: Trigger(node=4, geometry=Sphere(1.0), pointer=on_node(4, SHAPE)),
    }


def test_a_trigger_with_nothing_in_it() -> None:
    physics = read({"nodes": [new(trigger={"shape": -1})]})
    assert physics.triggers[0] == Trigger(node=0, pointer=on_node(0, BODY, "trigger"))
    assert codes(physics) == [("ONE_OF_MISMATCH", on_node(0, BODY, "trigger"))]


@pytest.mark.parametrize("member", [9, 6, 7, 0])
def test_members_of_a_trigger_are_triggers_below_it(member: int) -> None:
    physics = read(changed(NEW, on_node(9, BODY, "trigger", "nodes"), [member, 10]))
    assert physics.triggers[9].nodes == (10,)
    place = on_node(9, BODY, "trigger", "nodes", 0)
    assert codes(physics) == [("OMI_PHYSICS_BODY_TRIGGER_NODES", place)]


def test_a_trigger_may_have_a_shape_and_nodes() -> None:
    trigger = {"shape": 2, "nodes": [10]}
    physics = read(changed(NEW, on_node(9, BODY, "trigger"), trigger))
    assert physics.findings == ()
    assert physics.triggers[9].geometry == Sphere(2.0)
    assert physics.triggers[9].nodes == (10,)


def test_a_trigger_of_a_trimesh_is_reported() -> None:
    shape = {"type": "trimesh", "mesh": 0, "isTrigger": True}
    physics = read(changed(OLD, f"/extensions/{COLLIDER}/colliders/3", shape))
    assert codes(physics) == [("OMI_COLLIDER_TRIMESH_TRIGGER", on_node(7, COLLIDER))]


# --- joints ---


def joint_of(json: dict[str, Any], **options: Any) -> Joint:
    (joint,) = read(json, **options).joints.values()
    return joint


def axes_of(joint: Joint) -> list[tuple[str, int, float, float, int]]:
    return [
        (
            "linear" if limit.linear_axes else "angular",
            *(limit.linear_axes or limit.angular_axes),
            limit.minimum,
            limit.maximum,
            limit.index,
        )
        for limit in joint.limits
    ]


CONSTRAINTS = f"/extensions/{JOINT}/constraints"


def constrained(*constraints: dict[str, Any], order: list[int] | None = None) -> dict[str, Any]:
    listed = list(range(len(constraints))) if order is None else order
    json = changed(OLD, CONSTRAINTS, list(constraints))
    return changed(json, on_node(0, JOINT, "constraints"), listed)


def test_later_constraints_override_earlier_ones_on_the_axes_they_share() -> None:
    fixed = {"linearAxes": [0, 1], "angularAxes": [2]}
    free = {"linearAxes": [1], "lowerLimit": -1, "upperLimit": 2}
    last = axes_of(joint_of(constrained(fixed, free)))
    assert last == [
        ("linear", 0, 0.0, 0.0, 0),
        ("angular", 2, 0.0, 0.0, 0),
        ("linear", 1, -1.0, 2.0, 1),
    ]
    back = axes_of(joint_of(constrained(fixed, free, order=[0, 1, 0])))
    assert back == [("linear", i, 0.0, 0.0, 2) for i in (0, 1)] + [("angular", 2, 0.0, 0.0, 2)]


def test_later_limits_override_earlier_ones() -> None:
    limits = [{"linearAxes": [0, 1], "max": 1}, {"linearAxes": [1], "angularAxes": [1], "max": 2}]
    joint = joint_of(changed(NEW, f"/extensions/{JOINT}/physicsJoints/0/limits", limits))
    low = -math.inf
    assert axes_of(joint) == [
        ("linear", 0, low, 1.0, 0),
        ("linear", 1, low, 2.0, 1),
        ("angular", 1, low, 2.0, 1),
    ]


@pytest.mark.parametrize("value", [0.3, 1, 1e-9])
def test_a_small_stiffness_of_2023_is_a_bias(value: float) -> None:
    json = changed(OLD, f"{CONSTRAINTS}/1/stiffness", value)
    physics = read(json)
    assert {limit.stiffness for limit in physics.joints[0].limits} == {HARD}
    assert {limit.damping for limit in physics.joints[0].limits} == {0.0}
    assert codes(physics) == [("OMI_STIFFNESS_IS_BIAS", f"{CONSTRAINTS}/1/stiffness")]
    literal = read(json, stiffness="literal")
    assert [limit.stiffness for limit in literal.joints[0].limits] == [HARD] * 3 + [value] * 2
    assert literal.findings == ()


@pytest.mark.parametrize("value", [1.001, 200, 1e30])
@pytest.mark.parametrize("stiffness", ["auto", "literal"])
def test_a_large_stiffness_is_taken_as_written(value: float, stiffness: str) -> None:
    physics = read(changed(OLD, f"{CONSTRAINTS}/1/stiffness", value), stiffness=stiffness)
    assert physics.joints[0].limits[-1].stiffness == value
    assert physics.findings == ()


@pytest.mark.parametrize(("value", "meaning"), [(-1, HARD), (0, 0.0), (0.3, 0.3)])
def test_stiffness_of_later_years(value: float, meaning: float) -> None:
    physics = read(changed(NEW, f"/extensions/{JOINT}/physicsJoints/0/limits/1/stiffness", value))
    assert physics.joints[2].limits[-1].stiffness == meaning
    assert physics.findings == ()


def test_defaults_of_both_eras() -> None:
    soft = {"linearAxes": [0], "stiffness": 5}
    of_2023 = joint_of(constrained(soft)).limits[0]
    newer = joint_of(changed(NEW, f"/extensions/{JOINT}/physicsJoints/0/limits", [soft])).limits[0]
    assert (of_2023.minimum, of_2023.maximum, of_2023.damping) == (0.0, 0.0, 1.0)
    assert (newer.minimum, newer.maximum, newer.damping) == (-math.inf, math.inf, 0.0)


def test_a_force_below_zero_has_no_limit() -> None:
    drives = f"/extensions/{JOINT}/physicsJoints/0/drives"
    assert joint_of(changed(NEW, f"{drives}/0/maxForce", -1)).drives[0].max_force == math.inf
    bare = {"type": "linear", "mode": "acceleration", "axis": 0}
    (drive,) = joint_of(changed(NEW, drives, [bare])).drives
    assert drive == Drive(type="linear", mode="acceleration", axis=0, pointer=f"{drives}/0")


@pytest.mark.parametrize(
    ("constraint", "code", "below"),
    [
        ({}, "OMI_PHYSICS_JOINT_CONSTRAINT_NO_AXES_CONSTRAINED", ""),
        (
            {"linearAxes": [], "angularAxes": []},
            "OMI_PHYSICS_JOINT_CONSTRAINT_NO_AXES_CONSTRAINED",
            "",
        ),
        (
            {"linearAxes": [0], "lowerLimit": 0.1},
            "OMI_PHYSICS_JOINT_CONSTRAINT_INVALID_LIMITS",
            "",
        ),
        ({"linearAxes": [3]}, "VALUE_NOT_IN_RANGE", "/linearAxes/0"),
        ({"angularAxes": {}}, "TYPE_MISMATCH", "/angularAxes"),
    ],
)
def test_a_constraint_that_constrains_nothing(
    constraint: dict[str, Any], code: str, below: str
) -> None:
    physics = read(constrained({"linearAxes": [1]}, constraint))
    assert axes_of(physics.joints[0]) == [("linear", 1, 0.0, 0.0, 0)]
    assert codes(physics) == [(code, f"{CONSTRAINTS}/1{below}")]


@pytest.mark.parametrize("axes", [[0, 0], [0, -1], [0, 3], [0, "x"]])
def test_the_other_axes_stay_constrained(axes: list[Any]) -> None:
    physics = read(constrained({"linearAxes": axes}))
    assert axes_of(physics.joints[0]) == [("linear", 0, 0.0, 0.0, 0)]
    assert [finding.pointer for finding in physics.findings] == [f"{CONSTRAINTS}/0/linearAxes/1"]


@pytest.mark.parametrize("value", ["Infinity", math.inf, 0, -5, None])
def test_a_stiffness_that_is_none_is_hard(value: Any) -> None:
    physics = read(constrained({"linearAxes": [0], "stiffness": value}))
    assert physics.joints[0].limits[0].stiffness == HARD
    assert [finding.pointer for finding in physics.findings] == [f"{CONSTRAINTS}/0/stiffness"]


OLD_JOINT, NEW_JOINT = on_node(0, JOINT), on_node(2, JOINT)
MOTION = on_node(0, BODY, "motion")


@pytest.mark.parametrize(
    ("json", "pointer", "value", "code", "below"),
    [
        (OLD, f"{OLD_JOINT}/nodeA", ..., "UNDEFINED_PROPERTY", ""),
        (OLD, f"{OLD_JOINT}/nodeB", ..., "UNDEFINED_PROPERTY", ""),
        (OLD, f"{OLD_JOINT}/constraints", ..., "UNDEFINED_PROPERTY", ""),
        (OLD, f"{OLD_JOINT}/nodeA", None, "TYPE_MISMATCH", "/nodeA"),
        (OLD, f"{OLD_JOINT}/nodeA", -1, "INVALID_INDEX", "/nodeA"),
        (OLD, f"{OLD_JOINT}/nodeB", 9, "UNRESOLVED_REFERENCE", "/nodeB"),
        (OLD, f"{OLD_JOINT}/nodeB", 1, "OMI_PHYSICS_JOINT_SAME_BODY", ""),
        (OLD, f"{OLD_JOINT}/nodeB", 4, "OMI_PHYSICS_JOINT_NOT_A_BODY", "/nodeB"),
        (OLD, f"{OLD_JOINT}/nodeB", 0, "OMI_PHYSICS_JOINT_NOT_A_BODY", "/nodeB"),
        (OLD, f"{OLD_JOINT}/nodeA", 5, "OMI_PHYSICS_JOINT_TRIGGER", "/nodeA"),
        (OLD, on_node(1, BODY, "type"), "kinematic", "OMI_PHYSICS_JOINT_NOTHING_MOVES", ""),
        (OLD, f"{OLD_JOINT}/constraints", [], "EMPTY_ENTITY", "/constraints"),
        (OLD, f"{OLD_JOINT}/constraints", [2], "UNRESOLVED_REFERENCE", "/constraints/0"),
        (OLD, f"/extensions/{JOINT}", ..., "UNSATISFIED_DEPENDENCY", ""),
        (NEW, f"{NEW_JOINT}/connectedNode", ..., "UNDEFINED_PROPERTY", ""),
        (NEW, f"{NEW_JOINT}/joint", ..., "UNDEFINED_PROPERTY", ""),
        (NEW, f"{NEW_JOINT}/joint", 1, "UNRESOLVED_REFERENCE", "/joint"),
        (NEW, f"{NEW_JOINT}/connectedNode", None, "TYPE_MISMATCH", "/connectedNode"),
        (NEW, f"{NEW_JOINT}/connectedNode", 2, "OMI_PHYSICS_JOINT_SAME_BODY", ""),
        (NEW, f"{NEW_JOINT}/connectedNode", 1, "OMI_PHYSICS_JOINT_SAME_BODY", ""),
        (NEW, f"{NEW_JOINT}/connectedNode", 8, "OMI_PHYSICS_JOINT_TRIGGER", "/connectedNode"),
        (NEW, on_node(3, BODY), {}, "OMI_PHYSICS_JOINT_NOT_A_BODY", "/connectedNode"),
        (NEW, on_node(0, BODY), {}, "OMI_PHYSICS_JOINT_NOT_A_BODY", ""),
        (NEW, f"{MOTION}/type", "static", "OMI_PHYSICS_JOINT_NOTHING_MOVES", ""),
        (NEW, f"/extensions/{JOINT}", ..., "UNSATISFIED_DEPENDENCY", ""),
    ],
)
def test_a_joint_that_cannot_hold_is_left_out(
    json: dict[str, Any], pointer: str, value: Any, code: str, below: str
) -> None:
    physics = read(changed(json, pointer, value))
    assert physics.joints == {}
    assert codes(physics) == [(code, (OLD_JOINT if json is OLD else NEW_JOINT) + below)]
    assert len(physics.triggers) == len(read(json).triggers)


def test_a_joint_under_a_static_body_still_holds() -> None:
    json = changed(NEW, "/nodes/0/children", [1])
    json = changed(json, "/nodes/3/children", [4, 2])
    physics = read(changed(json, f"{NEW_JOINT}/connectedNode", 1))
    assert physics.joints[2].body_b == 1
    assert codes(physics) == [("OMI_PHYSICS_JOINT_NOT_UNDER_DYNAMIC", NEW_JOINT)]


# --- mixtures ---


def test_constraints_between_bodies_with_motion() -> None:
    """As from September 2023 to November 2024."""
    json = changed(OLD, on_node(1, BODY), {"motion": {"type": "dynamic"}})
    physics = read(changed(json, on_node(3, BODY), {"motion": {"type": "static"}}))
    assert physics.findings == ()
    assert physics.dialects == (Dialect.OMI, Dialect.OMI_2023)
    assert (physics.joints[0].body_a, physics.joints[0].body_b) == (1, 3)


def test_constraints_may_hold_on_to_a_collider_without_motion() -> None:
    physics = read(changed(OLD, on_node(3, BODY), {"collider": {}}))
    assert physics.findings == ()
    assert physics.joints.keys() == {0}


def test_physics_joints_between_bodies_of_2023() -> None:
    json = changed(NEW, on_node(0, BODY), {"type": "vehicle"})
    physics = read(json)
    assert physics.findings == ()
    assert physics.dialects == (Dialect.OMI, Dialect.OMI_2023)
    assert physics.joints.keys() == {2}


def test_a_body_of_2023_with_a_collider_of_later_years() -> None:
    physics = read({"nodes": [old(type="rigid", collider={})]})
    assert physics.findings == ()
    assert (physics.motions.keys(), physics.colliders.keys()) == ({0}, {0})


def test_motion_wins_over_a_flat_type() -> None:
    physics = read({"nodes": [old(type="rigid", motion={"type": "static"}, collider={})]})
    assert physics.motions[0].kind is MotionKind.STATIC
    assert codes(physics) == [("UNEXPECTED_PROPERTY", on_node(0, BODY, "type"))]


def test_one_node_is_one_collider() -> None:
    json = changed(OLD, "/nodes/2/extensions", {COLLIDER: {"collider": 0}, BODY: {"collider": {}}})
    physics = read(json)
    assert physics.colliders[2].geometry is None
    assert codes(physics) == [("PHYSICS_DIALECT_CONFLICT", on_node(2, COLLIDER))]


def test_a_joint_with_the_members_of_both_eras() -> None:
    physics = read(changed(NEW, f"{NEW_JOINT}/nodeA", 0))
    assert physics.joints == read(NEW).joints
    assert codes(physics) == [("UNEXPECTED_PROPERTY", f"{NEW_JOINT}/nodeA")]


# --- every kind of bad member ---

FLAT, COLLIDER_2, COLLIDER_1 = on_node(1, BODY), on_node(2, COLLIDER), on_node(1, BODY, "collider")
COLLIDERS = f"/extensions/{COLLIDER}/colliders"
MATERIAL = f"/extensions/{BODY}/physicsMaterials/0"
FILTER = f"/extensions/{BODY}/collisionFilters/0"
BOTH_LISTS = "KHR_RIGID_BODIES_COLLISION_FILTER_INVALID_FILTER_SET"
LIMITS, DRIVES = (f"/extensions/{JOINT}/physicsJoints/0/{name}" for name in ("limits", "drives"))


@pytest.mark.parametrize(
    ("json", "base", "member", "value", "code", "below"),
    [
        (OLD, FLAT, "/type", "soft", "VALUE_NOT_IN_LIST", "/type"),
        (OLD, FLAT, "/type", ..., "UNDEFINED_PROPERTY", ""),
        (OLD, FLAT, "/mass", 0, "VALUE_NOT_IN_RANGE", "/mass"),
        (OLD, FLAT, "/linearVelocity", [1, 2], "ARRAY_LENGTH_NOT_IN_LIST", "/linearVelocity"),
        (OLD, FLAT, "/inertiaTensor", [1] * 8, "ARRAY_LENGTH_NOT_IN_LIST", "/inertiaTensor"),
        (OLD, FLAT, "/inertiaDiagonal", [1, 1, 1], "UNEXPECTED_PROPERTY", "/inertiaTensor"),
        (
            OLD,
            FLAT,
            "/inertiaOrientation",
            [0, 0, 0, 1],
            "UNEXPECTED_PROPERTY",
            "/inertiaOrientation",
        ),
        (OLD, FLAT, "/friction", 1, "UNEXPECTED_PROPERTY", "/friction"),
        (OLD, COLLIDERS, "/1/isTrigger", 1, "TYPE_MISMATCH", "/1/isTrigger"),
        (OLD, COLLIDERS, "/1", None, "TYPE_MISMATCH", "/1"),
        (OLD, COLLIDER_2, "/collider", 5, "UNRESOLVED_REFERENCE", "/collider"),
        (OLD, COLLIDER_2, "/collider", ..., "UNDEFINED_PROPERTY", ""),
        (OLD, COLLIDER_2, "/size", [1], "UNEXPECTED_PROPERTY", "/size"),
        (OLD, f"/extensions/{COLLIDER}", "/more", 1, "UNEXPECTED_PROPERTY", "/more"),
        (OLD, CONSTRAINTS, "/0/damping", -1, "VALUE_NOT_IN_RANGE", "/0/damping"),
        (OLD, CONSTRAINTS, "/0/min", -1, "UNEXPECTED_PROPERTY", "/0/min"),
        (OLD, CONSTRAINTS, "/0", [], "TYPE_MISMATCH", "/0"),
        (OLD, OLD_JOINT, "/constraints/1", 1.5, "TYPE_MISMATCH", "/constraints/1"),
        (OLD, OLD_JOINT, "/enableCollision", True, "UNEXPECTED_PROPERTY", "/enableCollision"),
        (NEW, MOTION, "/type", "trigger", "VALUE_NOT_IN_LIST", "/type"),
        (
            NEW,
            MOTION,
            "/inertiaDiagonal",
            [1, 0, 1],
            "OMI_PHYSICS_BODY_PARTIAL_INERTIA",
            "/inertiaDiagonal",
        ),
        (NEW, MOTION, "/inertiaDiagonal", [1, -1, 1], "VALUE_NOT_IN_RANGE", "/inertiaDiagonal/1"),
        (
            NEW,
            MOTION,
            "/inertiaOrientation",
            [0, 0, 0, 2],
            "ROTATION_NON_UNIT",
            "/inertiaOrientation",
        ),
        (NEW, MOTION, "/isKinematic", True, "UNEXPECTED_PROPERTY", "/isKinematic"),
        (NEW, on_node(0, BODY), "/joint", {}, "UNEXPECTED_PROPERTY", "/joint"),
        (NEW, COLLIDER_1, "/shape", 5, "UNRESOLVED_REFERENCE", "/shape"),
        (NEW, COLLIDER_1, "/shape", -2, "INVALID_INDEX", "/shape"),
        (NEW, COLLIDER_1, "/physicsMaterial", 1, "UNRESOLVED_REFERENCE", "/physicsMaterial"),
        (NEW, COLLIDER_1, "/collisionFilter", 1, "UNRESOLVED_REFERENCE", "/collisionFilter"),
        (NEW, COLLIDER_1, "/isTrigger", True, "UNEXPECTED_PROPERTY", "/isTrigger"),
        (NEW, MATERIAL, "/restitution", -1, "VALUE_NOT_IN_RANGE", "/restitution"),
        (NEW, MATERIAL, "/frictionCombine", "mean", "VALUE_NOT_IN_LIST", "/frictionCombine"),
        (NEW, FILTER, "/collisionSystems", [1], "TYPE_MISMATCH", "/collisionSystems/0"),
        (NEW, FILTER, "/notCollideWithSystems", [], BOTH_LISTS, ""),
        (NEW, LIMITS, "/0/linearAxes", [0, 4], "VALUE_NOT_IN_RANGE", "/0/linearAxes/1"),
        (NEW, LIMITS, "/1/max", -2, "OMI_PHYSICS_JOINT_CONSTRAINT_INVALID_LIMITS", "/1"),
        (NEW, LIMITS, "/1/lowerLimit", 0, "UNEXPECTED_PROPERTY", "/1/lowerLimit"),
        (NEW, DRIVES, "/0/type", "magic", "VALUE_NOT_IN_LIST", "/0/type"),
        (NEW, DRIVES, "/0/axis", ..., "UNDEFINED_PROPERTY", "/0"),
        (NEW, DRIVES, "/0/axis", 3, "VALUE_NOT_IN_RANGE", "/0/axis"),
        (NEW, DRIVES, "", [], "EMPTY_ENTITY", ""),
        (NEW, NEW_JOINT, "/enableCollision", 1, "TYPE_MISMATCH", "/enableCollision"),
    ],
)
def test_a_bad_member_has_one_finding(
    json: dict[str, Any], base: str, member: str, value: Any, code: str, below: str
) -> None:
    assert codes(read(changed(json, base + member, value))) == [(code, base + below)]


@pytest.mark.parametrize(
    ("json", "pointer", "value", "code", "place"),
    [
        (OLD, "/nodes/1/mesh", 0, "SHARES_NODE_WITH", FLAT),
        (OLD, "/nodes/2/camera", 0, "SHARES_NODE_WITH", COLLIDER_2),
        (OLD, "/nodes/0/mesh", 0, "SHARES_NODE_WITH", OLD_JOINT),
        (OLD, on_node(0, "KHR_lights_punctual"), {}, "SHARES_NODE_WITH", OLD_JOINT),
        (OLD, "/nodes/1/children", [], "OMI_PHYSICS_BODY_MISSING_COLLIDER", FLAT),
        (OLD, "/nodes/5/children", [], "OMI_PHYSICS_BODY_MISSING_COLLIDER", on_node(5, BODY)),
        (NEW, "/nodes/0/children/0", 2, "OMI_PHYSICS_BODY_MISSING_COLLIDER", MOTION),
    ],
)
def test_odd_neighbours_change_nothing(
    json: dict[str, Any], pointer: str, value: Any, code: str, place: str
) -> None:
    physics = read(changed(json, pointer, value))
    assert codes(physics) == [(code, place)]
    assert (physics.motions, physics.joints) == (read(json).motions, read(json).joints)


@pytest.mark.parametrize(
    ("name", "array"),
    [(SHAPE, "shapes"), (COLLIDER, "colliders"), (JOINT, "constraints")],
)
def test_an_extension_at_the_root_has_its_array(name: str, array: str) -> None:
    physics = read({"extensions": {name: {}}})
    assert codes(physics) == [("UNDEFINED_PROPERTY", f"/extensions/{name}")]
    assert array in physics.findings[0].message


def places_within(value: Any, pointer: str) -> Iterator[str]:
    yield pointer
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        below = pointers.join(pointer, key)
        if isinstance(item, (dict, list)):
            yield from places_within(item, below)
        else:
            yield below


def places_of(json: dict[str, Any]) -> list[str]:
    """List every place at and below the extensions of a document."""
    owners = ["", *(f"/nodes/{i}" for i in range(len(json["nodes"])))]
    return [
        place
        for owner in owners
        for name, content in pointers.find(json, f"{owner}/extensions", {}).items()
        for place in places_within(content, f"{owner}/extensions/{name}")
    ]


PLACES = [(era, place) for era, json in (("old", OLD), ("new", NEW)) for place in places_of(json)]
ERAS = {"old": OLD, "new": NEW}


@pytest.mark.parametrize(("era", "place"), PLACES)
def test_whatever_is_of_the_wrong_type_has_one_finding(era: str, place: str) -> None:
    is_object = isinstance(pointers.find(ERAS[era], place), dict)
    physics = read(changed(ERAS[era], place, "wrong" if is_object else {"wrong": 1}))
    found = [finding.code for finding in physics.findings if finding.pointer == place]
    assert found == ["TYPE_MISMATCH"]


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 12)
    | st.integers()
    | st.floats()
    | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=9)
        | st.dictionaries(
            st.sampled_from(["type", "motion", "trigger", "nodes", "shape", "mesh", "~/"]), inner
        )
    ),
    max_leaves=12,
)


@given(where=st.sampled_from(PLACES), value=JSON, children=st.lists(st.integers(-1, 11)))
def test_no_json_makes_the_reader_raise(
    where: tuple[str, str], value: Any, children: list[int]
) -> None:
    era, place = where
    json = changed(changed(ERAS[era], place, value), "/nodes/4/children", children)
    physics = read(json)
    assert len(physics.findings) == len(set(physics.findings))
    for finding in physics.findings:
        assert finding.severity == CODES[finding.code].severity
        assert pointers.find(json, finding.pointer, finding) is not finding
        assert finding.message
        assert finding.remedy
    count = len(json["nodes"])
    assert all(0 <= n < count for trigger in physics.triggers.values() for n in trigger.nodes)
    for joint in physics.joints.values():
        assert 0 <= min(joint.body_a, joint.body_b) <= max(joint.body_a, joint.body_b) < count
        assert all(limit.minimum <= limit.maximum for limit in joint.limits)


@given(json=st.dictionaries(st.sampled_from(["nodes", "extensions", "meshes"]), JSON))
def test_no_document_makes_the_reader_raise(json: dict[str, Any]) -> None:
    assert isinstance(read(json).findings, tuple)


# --- published files ---


def corpus(shared: Path, name: str) -> Physics:
    return omi_physics.read(load(shared / "corpus" / name))


def unexpected(physics: Physics) -> list[Finding]:
    return [finding for finding in physics.findings if finding.code != "OMI_STIFFNESS_IS_BIAS"]


def test_every_published_file_is_read_without_a_finding(shared: Path) -> None:
    files = sorted((shared / "corpus").glob("omi_*/**/*.gltf"))
    assert len(files) >= 26
    for file in files:
        physics = omi_physics.read(load(file))
        assert unexpected(physics) == [], file
        assert physics, file
        assert physics.dialects == (Dialect.OMI_2023,)


PUBLISHED_COLLIDERS = {
    "box_collider": Box((1.0, 1.0, 1.0)),
    "capsule_collider": Capsule(1.0, 0.5, 0.5),
    "cylinder_collider": Cylinder(2.0, 0.5, 0.5),
    "sphere_collider": Sphere(0.5),
    "hull/convex_hull": MeshGeometry(0, convex=True),
    "hull/convex_hull_only": MeshGeometry(0, convex=True),
    "trimesh/concave_trimesh": MeshGeometry(0, convex=False),
    "trimesh/concave_trimesh_only": MeshGeometry(0, convex=False),
}


@pytest.mark.parametrize("name", PUBLISHED_COLLIDERS)
def test_published_colliders(shared: Path, name: str) -> None:
    physics = corpus(shared, f"omi_2023_06/OMI_collider/{name}.gltf")
    (collider,) = physics.colliders.values()
    assert collider.geometry == PUBLISHED_COLLIDERS[name]
    assert physics.motions == {}


@pytest.mark.parametrize(
    ("name", "motions", "colliders", "triggers"),
    [
        ("basic/static_box", {0}, {1}, {}),
        ("basic/trigger_box", set(), set(), {0: (1,), 1: ()}),
        ("basic/trigger_only_body", set(), set(), {0: (1,), 1: ()}),
        ("basic/trigger_only_shape", {0}, set(), {1: ()}),
        ("complex/one_collider_trigger", {0}, {1}, {2: ()}),
        ("complex/rigid_with_velocity", {0}, {1}, {}),
        ("complex/two_boxes", {1}, {2}, {3: (4,), 4: ()}),
    ],
)
def test_published_bodies(
    shared: Path, name: str, motions: set[int], colliders: set[int], triggers: dict[int, Any]
) -> None:
    physics = corpus(shared, f"omi_2023_06/OMI_physics_body/{name}.gltf")
    assert (physics.motions.keys(), physics.colliders.keys()) == (motions, colliders)
    assert {node: trigger.nodes for node, trigger in physics.triggers.items()} == triggers


FIXED = [0.0, 0.0]
PUBLISHED_JOINTS: dict[str, tuple[int, dict[str, list[float]]]] = {
    "omi_2023_06/OMI_physics_joint/simple_joint": (0, {"x": FIXED, "y": FIXED, "z": FIXED}),
    "omi_2023_06/OMI_physics_joint/weld_joint": (4, dict.fromkeys("xyzXYZ", FIXED)),
    "omi_2023_06/OMI_physics_joint/hanging_rope": (12, dict.fromkeys("xyz", FIXED)),
    "omi_2023_06/OMI_physics_joint/pendulum_balls": (14, dict.fromkeys("xyzXY", FIXED)),
    "omi_2023_06/OMI_physics_joint/slider_ball": (
        4,
        {"x": [-1.75, 0.25], **dict.fromkeys("yzXYZ", FIXED)},
    ),
    "omi_2023_06/OMI_physics_joint/swing_and_slide": (
        4,
        {"x": [-0.25, 1.75], **dict.fromkeys("yzXY", FIXED)},
    ),
    "omi_synthetic/OmiHinge": (4, {**dict.fromkeys("xyzXY", FIXED), "Z": [-0.5, 0.8]}),
    "omi_synthetic/OmiOverride": (4, {"y": [-0.6, 0.0], **dict.fromkeys("xzXYZ", FIXED)}),
}
"""Bounds [m, rad] of one joint of each file along x, y, z and about X, Y, Z."""


@pytest.mark.parametrize("name", PUBLISHED_JOINTS)
def test_published_joints(shared: Path, name: str) -> None:
    node, bounds = PUBLISHED_JOINTS[name]
    joint = corpus(shared, f"{name}.gltf").joints[node]
    assert (joint.frame_a, joint.frame_b, joint.enable_collision) == (node, node, False)
    read_bounds = {
        ("xyz"[axis] if kind == "linear" else "XYZ"[axis]): [minimum, maximum]
        for kind, axis, minimum, maximum, _ in axes_of(joint)
    }
    assert read_bounds == bounds
    assert len(joint.limits) == len(bounds)
    assert {limit.stiffness for limit in joint.limits} == {HARD}


def test_the_ropes_of_2023_hang_on_hard_limits(shared: Path) -> None:
    rope = "omi_2023_06/OMI_physics_joint/hanging_rope.gltf"
    physics = corpus(shared, rope)
    assert [(j.body_a, j.body_b) for j in physics.joints.values()] == [(5, 1), (9, 5), (13, 9)]
    assert codes(physics) == [("OMI_STIFFNESS_IS_BIAS", f"{CONSTRAINTS}/0/stiffness")]
    literal = omi_physics.read(load(shared / "corpus" / rope), stiffness="literal")
    assert literal.joints[4].limits[0].stiffness == pytest.approx(0.3, abs=1e-7)
    assert literal.joints[4].limits[0].damping == 1.0


def test_soft_limits_are_newtons_per_metre(shared: Path) -> None:
    joints = corpus(shared, "omi_synthetic/OmiSoft.gltf").joints
    soft = [joint.limits[-1] for joint in joints.values()]
    assert [limit.stiffness for limit in soft] == [200.0, 80.0, 200.0, 20.0, 80.0]
    assert [limit.damping for limit in soft] == [20.0, 0.0, 20.0, 2.0, 1.0]
    assert (soft[2].minimum, soft[2].maximum) == (-0.5, 0.5)
    assert soft[3].angular_axes == (2,)


def test_limits_about_two_axes_measure_the_swing_of_the_third() -> None:
    """Unless both are locks, which make a hinge, or the third has a limit of its own."""

    def free(*limits: Limit) -> list[int | None]:
        return [limit.free_axis for limit in overridden(limits)]

    x, y, z = (Limit(angular_axes=(i,), minimum=-1, maximum=1, index=i) for i in range(3))
    still = [dataclasses.replace(limit, minimum=0.0, maximum=0.0) for limit in (x, y, z)]
    assert free(x, y) == [2, 2]
    assert free(x, still[2]) == [1, 1]
    assert free(x, y, z) == [None] * 3
    assert free(y) == [None]
    assert free(still[0], still[1]) == [None] * 2
    everywhere = Limit(angular_axes=(2,), index=2)
    assert free(x, y, everywhere) == [2, 2, None]


def test_a_joint_on_the_node_of_its_body_should_be_elsewhere_and_holds() -> None:
    """The text says should, not must."""
    bodies = [old(type="rigid", mass=1.0) for _ in range(2)]
    bodies[0]["extensions"][JOINT] = {"nodeA": 0, "nodeB": 1, "constraints": [0]}
    constraint = {"linearAxes": [0, 1, 2]}
    physics = read({"nodes": bodies, "extensions": {JOINT: {"constraints": [constraint]}}})
    found = {finding.code: finding.severity for finding in physics.findings}
    assert found["SHARES_NODE_WITH"] == "warning"
    assert "error" not in found.values()
    assert [*physics.joints] == [0]


def test_a_joint_of_today_on_the_node_of_its_body_should_be_elsewhere_too() -> None:
    body = {"extensions": {BODY: {"motion": {"type": "dynamic", "mass": 1.0}}}}
    joined = {"extensions": {**body["extensions"], JOINT: {"joint": 0, "connectedNode": 1}}}
    descriptions = [{"limits": [{"linearAxes": [0, 1, 2], "min": 0, "max": 0}]}]
    root = {"nodes": [joined, body], "extensions": {JOINT: {"physicsJoints": descriptions}}}
    physics = read(root)
    (found,) = (f for f in physics.findings if f.code == "SHARES_NODE_WITH")
    assert found.severity == "warning"
    assert found.pointer == "/nodes/0/extensions/OMI_physics_joint"
    assert [*physics.joints] == [0]

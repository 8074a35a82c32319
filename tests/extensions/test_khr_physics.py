"""KHR_physics_rigid_bodies of every revision: what is read, and what is found."""

from __future__ import annotations

import copy
import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ligament.extensions.physics import read_physics
from ligament.extensions.registry import Dialect
from ligament.extensions.rigid_bodies import (
    Collider,
    CollisionFilter,
    Combine,
    Drive,
    GeometrySource,
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
from ligament.findings import CODES
from ligament.gltf import load, pointers
from ligament.gltf.document import Document
from tests.extensions.reference_reports import expected

Json = dict[str, Any]

KHR = "KHR_physics_rigid_bodies"
ROOT = f"/extensions/{KHR}"
SHAPES = "KHR_implicit_shapes"
SEED_SHAPES = "KHR_collision_shapes"


def on(node: int, *path: str | int) -> str:
    return pointers.join("/nodes", node, "extensions", KHR, *path)


def file_of(*nodes: Json | None, key: str = KHR, **root: Any) -> Json:
    """A file with these contents of the extension on its nodes (None: a bare node)."""
    extended = [{} if node is None else {"extensions": {key: node}} for node in nodes]
    members = {k: v for k, v in root.items() if k in ("meshes", "skins", "shapes")}
    extensions = {k: v for k, v in root.items() if k not in members}
    return {"nodes": extended, "extensions": extensions, **members}


def read(file: Json) -> Physics:
    return read_physics(Document(file))


def found(file: Json) -> list[tuple[str, str]]:
    return [(finding.code, finding.pointer) for finding in read(file).findings]


def read_cleanly(file: Json) -> Physics:
    physics = read(file)
    assert physics.findings == ()
    return physics


def motion(**members: Any) -> Motion:
    return read_cleanly(file_of({"motion": members})).motions[0]


def shape_of(shape: Any, name: str = SHAPES, **root: Any) -> GeometrySource | None:
    array = {name: {"shapes": [shape]}} if name.startswith("KHR") else {name: [shape]}
    file = file_of({"collider": {"geometry": {"shape": 0}}}, **array, **root)
    return read_cleanly(file).colliders[0].geometry


def limit_of(limit: Json) -> Limit:
    file = file_of(
        {"joint": {"connectedNode": 0, "joint": 0}},
        **{KHR: {"physicsJoints": [{"limits": [limit]}]}},
    )
    (read_limit,) = read_cleanly(file).joints[0].limits
    return read_limit


FULL = file_of(
    {
        "motion": {
            "isKinematic": False,
            "mass": 2,
            "centerOfMass": [0, 1, 0],
            "inertiaDiagonal": [1, 2, 0],
            "inertiaOrientation": [0, 0, 1, 0],
            "linearVelocity": [1, 0, 0],
            "angularVelocity": [0, 0, 3],
            "gravityFactor": -0.5,
        },
        "collider": {
            "geometry": {"shape": 1, "convexHull": False},
            "physicsMaterial": 0,
            "collisionFilter": 0,
        },
        "joint": {"connectedNode": 1, "joint": 0, "enableCollision": True},
    },
    {"trigger": {"geometry": {"mesh": 0, "convexHull": True}, "collisionFilter": 1}},
    {"trigger": {"nodes": [1]}, "collider": {"geometry": {"node": 3}}},
    None,
    meshes=[{"primitives": []}],
    **{
        SHAPES: {
            "shapes": [
                {"type": "sphere", "sphere": {"radius": 2}},
                {"type": "box", "box": {"size": [1, 2, 3]}},
                {"type": "capsule", "capsule": {"height": 1, "radiusBottom": 2, "radiusTop": 3}},
                {"type": "cylinder", "cylinder": {"height": 1, "radiusBottom": 2, "radiusTop": 3}},
                {"type": "plane", "plane": {"doubleSided": True, "sizeX": 1, "sizeZ": 2}},
            ]
        },
        KHR: {
            "physicsMaterials": [
                {
                    "staticFriction": 1,
                    "dynamicFriction": 0.5,
                    "restitution": 0.25,
                    "frictionCombine": "multiply",
                    "restitutionCombine": "maximum",
                }
            ],
            "collisionFilters": [
                {"collisionSystems": ["a", "b"], "collideWithSystems": ["c"]},
                {"notCollideWithSystems": []},
            ],
            "physicsJoints": [
                {
                    "limits": [
                        {"linearAxes": [0, 1, 2], "min": 0, "max": 0},
                        {"angularAxes": [1], "min": -1, "max": 1, "stiffness": 9, "damping": 2},
                    ],
                    "drives": [
                        {
                            "type": "angular",
                            "mode": "acceleration",
                            "axis": 2,
                            "maxForce": 7,
                            "positionTarget": 1,
                            "velocityTarget": 2,
                            "stiffness": 3,
                            "damping": 4,
                        }
                    ],
                }
            ],
        },
    },
)


def test_everything_at_once() -> None:
    physics = read_cleanly(FULL)
    assert physics
    assert physics.dialects == (Dialect.KHR, Dialect.KHR_2024_10)
    assert physics.motions == {
        0: Motion(
            node=0,
            mass=2.0,
            center_of_mass=(0.0, 1.0, 0.0),
            inertia_diagonal=(1.0, 2.0, math.inf),
            inertia_orientation=(0.0, 0.0, 1.0, 0.0),
            linear_velocity=(1.0, 0.0, 0.0),
            angular_velocity=(0.0, 0.0, 3.0),
            gravity_factor=-0.5,
            pointer=on(0, "motion"),
        )
    }
    assert physics.colliders == {
        0: Collider(
            node=0,
            geometry=Box((1.0, 2.0, 3.0)),
            material=Material(1.0, 0.5, 0.25, Combine.MULTIPLY, Combine.MAXIMUM),
            filter=CollisionFilter(frozenset("ab"), frozenset("c"), None),
            pointer=on(0, "collider"),
        ),
        2: Collider(node=2, geometry=NodeGeometry(3, convex=False), pointer=on(2, "collider")),
    }
    assert physics.triggers == {
        1: Trigger(
            node=1,
            geometry=MeshGeometry(0, convex=True),
            filter=CollisionFilter(frozenset(), None, frozenset()),
            pointer=on(1, "trigger"),
        ),
        2: Trigger(node=2, nodes=(1,), pointer=on(2, "trigger")),
    }
    place = f"{ROOT}/physicsJoints/0"
    ball = Limit(linear_axes=(0, 1, 2), minimum=0.0, maximum=0.0, pointer=f"{place}/limits/0")
    swing = Limit(
        angular_axes=(1,),
        minimum=-1.0,
        maximum=1.0,
        stiffness=9.0,
        damping=2.0,
        index=1,
        pointer=f"{place}/limits/1",
    )
    drive = Drive(
        type="angular",
        mode="acceleration",
        axis=2,
        max_force=7.0,
        position_target=1.0,
        velocity_target=2.0,
        stiffness=3.0,
        damping=4.0,
        pointer=f"{place}/drives/0",
    )
    assert physics.joints == {
        0: Joint(
            node=0,
            frame_a=0,
            body_a=0,
            frame_b=1,
            body_b=1,
            limits=(ball, swing),
            drives=(drive,),
            enable_collision=True,
            pointer=on(0, "joint"),
        )
    }


def test_a_file_without_physics() -> None:
    assert read_physics(Document()) == Physics()
    assert not read({"nodes": [{"extensions": {KHR: {}}}]})


class TestMotions:
    def test_nothing_said_is_computed(self) -> None:
        assert motion() == Motion(node=0, pointer=on(0, "motion"))

    def test_zero_is_infinite_for_mass_and_for_each_moment_by_itself(self) -> None:
        assert motion(mass=0).mass == math.inf
        assert motion(mass=0).inertia_diagonal is None
        assert motion(inertiaDiagonal=[0, 1, 0]).inertia_diagonal == (math.inf, 1.0, math.inf)
        assert motion(inertiaDiagonal=[0, 1, 0]).mass is None

    def test_kinematic(self) -> None:
        assert motion(isKinematic=True).kind is MotionKind.KINEMATIC
        assert motion(isKinematic=False).kind is MotionKind.DYNAMIC

    def test_a_rotation_of_another_length_is_kept_as_a_rotation(self) -> None:
        physics = read(file_of({"motion": {"inertiaOrientation": [0, 0, 3, 4]}}))
        assert physics.motions[0].inertia_orientation == pytest.approx((0, 0, 0.6, 0.8))
        assert [finding.code for finding in physics.findings] == ["ROTATION_NON_UNIT"]


class TestShapes:
    @pytest.mark.parametrize("name", [SHAPES, SEED_SHAPES])
    def test_defaults_of_the_extensions(self, name: str) -> None:
        for content in ({}, {"sphere": {}}):
            assert shape_of({"type": "sphere", **content}, name) == Sphere(0.5)
        assert shape_of({"type": "box"}, name) == Box((1.0, 1.0, 1.0))
        assert shape_of({"type": "capsule"}, name) == Capsule(0.5, 0.25, 0.25)
        assert shape_of({"type": "cylinder"}, name) == Cylinder(0.5, 0.25, 0.25)

    def test_defaults_of_the_core(self) -> None:
        assert shape_of({"type": "sphere"}, "shapes") == Sphere(0.5)
        assert shape_of({"type": "box"}, "shapes") == Box((1.0, 1.0, 1.0))
        assert shape_of({"type": "capsule"}, "shapes") == Capsule(1.0, 0.5, 0.5)
        assert shape_of({"type": "cylinder"}, "shapes") == Cylinder(2.0, 0.5, 0.5)
        assert shape_of({"type": "plane"}, "shapes") == Plane()

    def test_planes(self) -> None:
        assert shape_of({"type": "plane"}) == Plane(None, None, double_sided=False)
        sized = {"type": "plane", "plane": {"sizeX": 2, "doubleSided": True}}
        assert shape_of(sized) == Plane(2.0, None, double_sided=True)

    def test_planes_of_the_core_have_one_side(self) -> None:
        plane = {"type": "plane", "plane": {"doubleSided": True}}
        file = file_of({"collider": {"geometry": {"shape": 0}}}, shapes=[plane])
        assert read(file).colliders[0].geometry == Plane()
        assert found(file) == [("UNEXPECTED_PROPERTY", "/shapes/0/plane/doubleSided")]

    def test_a_cone_is_a_cylinder_with_one_radius_of_zero(self) -> None:
        cone = {"type": "cylinder", "cylinder": {"height": 2, "radiusBottom": 1, "radiusTop": 0}}
        assert shape_of(cone) == Cylinder(2.0, 1.0, 0.0)

    def test_meshes(self) -> None:
        meshes = {"meshes": [{}, {}]}
        for kind, convex in (("convex", True), ("trimesh", False)):
            shape = {"type": kind, kind: {"mesh": 1}}
            assert shape_of(shape, SEED_SHAPES, **meshes) == MeshGeometry(1, convex=convex)

    def test_meshes_of_mid_2024(self) -> None:
        root = {"skins": [{}], "meshes": [{"primitives": [{"targets": [{}, {}]}]}]}
        mesh = {"mesh": 0, "convexHull": True, "skin": 0, "weights": [0.5, 1]}
        shape = {"type": "mesh", "mesh": mesh}
        assert shape_of(shape, SEED_SHAPES, **root) == MeshGeometry(
            0, convex=True, skin=0, weights=(0.5, 1.0)
        )
        by_node = {
            "type": "mesh",
            "mesh": {"mesh": 0, "useNodeWeights": True},
            "extensions": {KHR: {"convexHull": True}},
        }
        assert shape_of(by_node, SEED_SHAPES, **root) == MeshGeometry(
            0, convex=True, use_node_weights=True
        )

    def test_without_a_type_it_follows_from_the_parameters(self) -> None:
        file = file_of(
            {"collider": {"shape": 0}}, **{SEED_SHAPES: {"shapes": [{"sphere": {"radius": 2}}]}}
        )
        assert read(file).colliders[0].geometry == Sphere(2.0)
        assert found(file) == [("UNDEFINED_PROPERTY", f"/extensions/{SEED_SHAPES}/shapes/0")]

    @pytest.mark.parametrize(
        ("shape", "code", "below", "geometry"),
        [
            ({}, "UNDEFINED_PROPERTY", "", None),
            ({"type": "torus"}, "VALUE_NOT_IN_LIST", "/type", None),
            ({"type": 3}, "TYPE_MISMATCH", "/type", None),
            (7, "TYPE_MISMATCH", "", None),
            ({"type": "sphere", "sphere": 2}, "TYPE_MISMATCH", "/sphere", None),
            (
                {"type": "sphere", "sphere": {"radius": -1}},
                "VALUE_NOT_IN_RANGE",
                "/sphere/radius",
                Sphere(0.5),
            ),
            (
                {"type": "box", "box": {"size": [1, 1, -1]}},
                "VALUE_NOT_IN_RANGE",
                "/box/size/2",
                Box((1.0, 1.0, 1.0)),
            ),
            (
                {"type": "box", "box": {"size": [1, 1]}},
                "ARRAY_LENGTH_NOT_IN_LIST",
                "/box/size",
                Box((1.0, 1.0, 1.0)),
            ),
            (
                {"type": "box", "box": {}, "sphere": {}},
                "KHR_COLLISION_SHAPES_COMPOUND_SHAPE",
                "",
                Box((1.0, 1.0, 1.0)),
            ),
            ({"type": "box", "sphere": {}}, "UNEXPECTED_PROPERTY", "/sphere", Box((1.0, 1.0, 1.0))),
            ({"type": "sphere", "size": 1}, "UNEXPECTED_PROPERTY", "/size", Sphere(0.5)),
            ({"type": "plane"}, "VALUE_NOT_IN_LIST", "/type", None),
            ({"type": "convex"}, "UNDEFINED_PROPERTY", "", None),
            ({"type": "convex", "convex": {}}, "UNDEFINED_PROPERTY", "/convex", None),
            (
                {"type": "convex", "convex": {"mesh": 9}},
                "UNRESOLVED_REFERENCE",
                "/convex/mesh",
                None,
            ),
            ({"type": "trimesh", "trimesh": {"mesh": -1}}, "INVALID_INDEX", "/trimesh/mesh", None),
            (
                {"type": "mesh", "mesh": {"mesh": 0, "skin": 0}},
                "UNRESOLVED_REFERENCE",
                "/mesh/skin",
                MeshGeometry(0, convex=False),
            ),
            (
                {"type": "mesh", "mesh": {"mesh": 0, "weights": [1]}},
                "SHAPE_WEIGHTS_INVALID",
                "/mesh/weights",
                MeshGeometry(0, convex=False),
            ),
            (
                {"type": "mesh", "mesh": {"mesh": 0, "weights": [], "useNodeWeights": True}},
                "KHR_IMPLICIT_SHAPES_DUPLICATE_WEIGHTS",
                "/mesh",
                MeshGeometry(0, convex=False, weights=()),
            ),
        ],
    )
    def test_bad_shapes(self, shape: Any, code: str, below: str, geometry: Any) -> None:
        file = file_of(
            {"collider": {"shape": 0}}, meshes=[{}], **{SEED_SHAPES: {"shapes": [shape]}}
        )
        assert found(file) == [(code, f"/extensions/{SEED_SHAPES}/shapes/0{below}")]
        assert read(file).colliders[0].geometry == geometry

    def test_shapes_are_checked_without_bodies(self) -> None:
        file = {"extensions": {SHAPES: {"shapes": [{}], "odd": 1}}}
        assert read(file).dialects == ()
        assert found(file) == [
            ("UNEXPECTED_PROPERTY", f"/extensions/{SHAPES}/odd"),
            ("UNDEFINED_PROPERTY", f"/extensions/{SHAPES}/shapes/0"),
        ]


SPHERE = {"shapes": [{"type": "sphere"}]}
HULL = {"shapes": [{"type": "convex", "convex": {"mesh": 0}}]}
MESH = {"shapes": [{"type": "mesh", "mesh": {"mesh": 0, "convexHull": True}}]}


class TestDialects:
    @pytest.mark.parametrize(
        ("collider", "root", "dialects", "geometry"),
        [
            ({"geometry": {"mesh": 0}}, {}, ["khr"], MeshGeometry(0, convex=False)),
            ({"geometry": {"shape": 0}}, {"shapes": [{"type": "sphere"}]}, ["khr"], Sphere(0.5)),
            ({"geometry": {"shape": 0}}, {SHAPES: SPHERE}, ["khr-2024-10"], Sphere(0.5)),
            ({"geometry": {"node": 0}}, {}, ["khr-2024-10"], NodeGeometry(0, convex=False)),
            (
                {"geometry": {"node": 0, "convexHull": True}},
                {},
                ["khr-2024-10"],
                NodeGeometry(0, convex=True),
            ),
            ({"shape": 0}, {SEED_SHAPES: MESH}, ["khr-2024-06"], MeshGeometry(0, convex=True)),
            ({"shape": 0}, {SEED_SHAPES: HULL}, ["khr-2024-03"], MeshGeometry(0, convex=True)),
            ({"shape": 0}, {SEED_SHAPES: SPHERE}, ["khr-2024-03"], Sphere(0.5)),
            (
                {"shape": {"shape": 0, "useNodeWeights": True}, "convexHull": True},
                {SEED_SHAPES: {"shapes": [{"type": "mesh", "mesh": {"mesh": 0}}]}},
                ["khr-2024-06"],
                MeshGeometry(0, convex=True, use_node_weights=True),
            ),
            # The array of another revision serves where the right one is missing.
            ({"geometry": {"shape": 0}}, {SEED_SHAPES: SPHERE}, ["khr-2024-10"], Sphere(0.5)),
        ],
    )
    def test_every_revision(
        self, collider: Json, root: Json, dialects: list[str], geometry: GeometrySource
    ) -> None:
        for kind in ("collider", "trigger"):
            physics = read_cleanly(file_of({kind: collider}, meshes=[{}], **root))
            assert [*physics.dialects] == dialects
            items: Any = physics.colliders if kind == "collider" else physics.triggers
            assert items[0].geometry == geometry

    @pytest.mark.parametrize("kind", ["collider", "trigger"])
    @pytest.mark.parametrize("beside", [{}, {SEED_SHAPES: SPHERE}])
    def test_shape_beside_implicit_shapes_is_a_mixture(self, kind: str, beside: Json) -> None:
        file = file_of({kind: {"shape": 0}}, **{SHAPES: SPHERE, **beside})
        physics = read(file)
        items: Any = physics.colliders if kind == "collider" else physics.triggers
        assert items[0].geometry == Sphere(0.5)
        assert found(file) == [("PHYSICS_DIALECT_MIXED", on(0, kind) + "/shape")]

    def test_several_in_one_file(self) -> None:
        geometries = [{"geometry": {"mesh": 0}}, {"geometry": {"node": 0}}, {"shape": 0}]
        nodes = [{"collider": geometry} for geometry in geometries]
        both = {"shapes": [*HULL["shapes"], *MESH["shapes"]]}
        file = file_of(*nodes, meshes=[{}], **{SEED_SHAPES: both})
        assert read_cleanly(file).dialects == (
            Dialect.KHR,
            Dialect.KHR_2024_10,
            Dialect.KHR_2024_06,
            Dialect.KHR_2024_03,
        )

    def test_without_colliders(self) -> None:
        body = {"motion": {}}
        assert read_cleanly(file_of(body)).dialects == (Dialect.KHR,)
        assert read_cleanly(file_of(body, **{SEED_SHAPES: HULL, "meshes": [{}]})).dialects == (
            Dialect.KHR_2024_03,
        )

    def test_the_misspelt_key(self) -> None:
        file = file_of({"motion": {"mass": 3}}, key="KHR_physics_rigid_body")
        assert read_cleanly(file).motions[0].mass == 3.0
        assert read_cleanly(file).dialects == (Dialect.KHR,)

    def test_of_both_keys_the_right_one_counts(self) -> None:
        file = file_of({"motion": {"mass": 3}})
        file["nodes"][0]["extensions"]["KHR_physics_rigid_body"] = {"motion": {"mass": 4}}
        assert read(file).motions[0].mass == 3.0
        place = "/nodes/0/extensions/KHR_physics_rigid_body"
        assert found(file) == [("PHYSICS_DIALECT_CONFLICT", place)]


class TestLimits:
    def test_absent_bounds_are_none_but_distances_begin_at_zero(self) -> None:
        for member in ("linearAxes", "angularAxes"):
            line, plane, space = ({member: axes} for axes in ([1], [1, 2], [0, 1, 2]))
            assert (limit_of(line).minimum, limit_of(line).maximum) == (-math.inf, math.inf)
            assert (limit_of(plane).minimum, limit_of(plane).maximum) == (0.0, math.inf)
            assert (limit_of(space).minimum, limit_of(space).maximum) == (0.0, math.inf)
        assert limit_of({"linearAxes": [0], "max": -1}).minimum == -math.inf
        assert limit_of({"linearAxes": [0], "min": 1}).maximum == math.inf

    def test_damping_counts_only_with_stiffness(self) -> None:
        joint = {"connectedNode": 0, "joint": 0}
        limits = [{"linearAxes": [0], "damping": 3}]
        physics = read(file_of({"joint": joint}, **{KHR: {"physicsJoints": [{"limits": limits}]}}))
        (hard,) = physics.joints[0].limits
        assert (hard.stiffness, hard.damping) == (math.inf, 0.0)
        assert [finding.code for finding in physics.findings] == ["PHYSICS_DAMPING_ALONE"]
        damper = limit_of({"linearAxes": [0], "stiffness": 0, "damping": 3})
        assert (damper.stiffness, damper.damping) == (0.0, 3.0)

    @pytest.mark.parametrize(
        ("limit", "codes"),
        [
            ({"linearAxes": [0], "min": 1, "max": 0}, ["KHR_RIGID_BODIES_JOINT_INVALID_RANGE /"]),
            ({"linearAxes": [0, 1], "max": -1}, ["KHR_RIGID_BODIES_JOINT_INVALID_RANGE /"]),
            ({"linearAxes": [0], "angularAxes": [0]}, ["ONE_OF_MISMATCH /"]),
            ({}, ["ONE_OF_MISMATCH /"]),
            ({"linearAxes": []}, ["EMPTY_ENTITY /linearAxes", "ONE_OF_MISMATCH /"]),
            ({"linearAxes": [1, 1]}, ["DUPLICATE_ELEMENTS /linearAxes/1"]),
            ({"linearAxes": [0, -1]}, ["INVALID_INDEX /linearAxes/1"]),
            (
                {"angularAxes": [0, 3]},
                ["KHR_RIGID_BODIES_JOINT_LIMITS_INVALID_AXIS /angularAxes/1"],
            ),
            (
                {"angularAxes": [0, 1, 2, 0]},
                ["KHR_RIGID_BODIES_JOINT_LIMITS_INCORRECT_SIZE /angularAxes"],
            ),
            ({"linearAxes": "x"}, ["TYPE_MISMATCH /linearAxes"]),
            ({"linearAxes": ["x"]}, ["TYPE_MISMATCH /linearAxes/0"]),
            (3, ["TYPE_MISMATCH /"]),
        ],
    )
    def test_a_limit_that_makes_no_sense_is_left_out_of_its_joint(
        self, limit: Any, codes: list[str]
    ) -> None:
        good = {"linearAxes": [2], "min": 0, "max": 0}
        joints = {"physicsJoints": [{"limits": [limit, good]}]}
        file = file_of({"joint": {"connectedNode": 0, "joint": 0}}, **{KHR: joints})
        place = f"{ROOT}/physicsJoints/0/limits/0"
        assert [f"{code} {at.removeprefix(place) or '/'}" for code, at in found(file)] == codes
        (kept,) = read(file).joints[0].limits
        assert (kept.index, kept.linear_axes) == (1, (2,))

    @pytest.mark.parametrize(
        ("member", "value", "attribute", "default"),
        [
            ("stiffness", -1, "stiffness", math.inf),
            ("damping", "x", "damping", 0.0),
            ("min", None, "minimum", 0.0),
            ("max", 10**400, "maximum", math.inf),
            ("odd", 1, "maximum", math.inf),
        ],
    )
    def test_a_bad_member_takes_its_default(
        self, member: str, value: Any, attribute: str, default: float
    ) -> None:
        joints = {"physicsJoints": [{"limits": [{"linearAxes": [0, 1], member: value}]}]}
        file = file_of({"joint": {"connectedNode": 0, "joint": 0}}, **{KHR: joints})
        ((_, pointer),) = found(file)
        assert pointer == f"{ROOT}/physicsJoints/0/limits/0/{member}"
        assert getattr(read(file).joints[0].limits[0], attribute) == default

    def test_an_empty_list_is_as_good_as_none(self) -> None:
        joints = {"physicsJoints": [{"limits": [{"linearAxes": [], "angularAxes": [1]}]}]}
        file = file_of({"joint": {"connectedNode": 0, "joint": 0}}, **{KHR: joints})
        assert read(file).joints[0].limits[0].angular_axes == (1,)
        place = f"{ROOT}/physicsJoints/0/limits/0/linearAxes"
        assert found(file) == [("EMPTY_ENTITY", place)]


DRIVE = {"type": "linear", "mode": "force", "axis": 0}


class TestDrives:
    def file(self, drive: Any) -> Json:
        joints = {"physicsJoints": [{"drives": [drive]}]}
        return file_of({"joint": {"connectedNode": 0, "joint": 0}}, **{KHR: joints})

    def test_defaults(self) -> None:
        (drive,) = read_cleanly(self.file(DRIVE)).joints[0].drives
        place = f"{ROOT}/physicsJoints/0/drives/0"
        assert drive == Drive(type="linear", mode="force", axis=0, pointer=place)
        assert drive.max_force == math.inf

    @pytest.mark.parametrize(
        ("members", "code", "below"),
        [
            ({"type": "screw"}, "VALUE_NOT_IN_LIST", "/type"),
            ({"mode": "speed"}, "VALUE_NOT_IN_LIST", "/mode"),
            ({"type": 1}, "TYPE_MISMATCH", "/type"),
            ({"axis": 3}, "VALUE_NOT_IN_RANGE", "/axis"),
            ({"axis": -1}, "VALUE_NOT_IN_RANGE", "/axis"),
            ({"axis": 0.5}, "TYPE_MISMATCH", "/axis"),
        ],
    )
    def test_a_drive_of_no_known_kind_is_left_out(
        self, members: Json, code: str, below: str
    ) -> None:
        file = self.file({**DRIVE, **members})
        assert read(file).joints[0].drives == ()
        assert found(file) == [(code, f"{ROOT}/physicsJoints/0/drives/0{below}")]

    def test_missing_members_share_one_finding(self) -> None:
        file = self.file({"axis": 0})
        assert read(file).joints[0].drives == ()
        assert found(file) == [("UNDEFINED_PROPERTY", f"{ROOT}/physicsJoints/0/drives/0")]

    @pytest.mark.parametrize("member", ["maxForce", "stiffness", "damping"])
    def test_negative_gains_take_their_defaults(self, member: str) -> None:
        file = self.file({**DRIVE, member: -1})
        clean = read_cleanly(self.file(DRIVE)).joints[0].drives
        assert read(file).joints[0].drives == clean
        assert found(file) == [("VALUE_NOT_IN_RANGE", f"{ROOT}/physicsJoints/0/drives/0/{member}")]


JOINTS = {KHR: {"physicsJoints": [{"limits": [{"linearAxes": [0]}]}]}}


class TestJoints:
    @pytest.mark.parametrize(
        ("joint", "code", "below"),
        [
            ({}, "UNDEFINED_PROPERTY", ""),
            ({"joint": 0}, "UNDEFINED_PROPERTY", ""),
            ({"connectedNode": 0}, "UNDEFINED_PROPERTY", ""),
            ({"connectedNode": 9, "joint": 0}, "UNRESOLVED_REFERENCE", "/connectedNode"),
            ({"connectedNode": 0, "joint": 9}, "UNRESOLVED_REFERENCE", "/joint"),
            ({"connectedNode": -1, "joint": 0}, "INVALID_INDEX", "/connectedNode"),
            ({"connectedNode": "0", "joint": 0}, "TYPE_MISMATCH", "/connectedNode"),
            ([], "TYPE_MISMATCH", ""),
        ],
    )
    def test_a_joint_without_its_ends_is_left_out(self, joint: Any, code: str, below: str) -> None:
        file = file_of({"joint": joint}, **JOINTS)
        assert read(file).joints == {}
        assert found(file) == [(code, on(0, "joint") + below)]

    def test_a_joint_needs_the_root_extension(self) -> None:
        file = file_of({"joint": {"connectedNode": 0, "joint": 0}})
        assert read(file).joints == {}
        assert found(file) == [("UNSATISFIED_DEPENDENCY", on(0, "joint"))]

    def test_a_description_that_is_no_object_is_found_once(self) -> None:
        file = file_of({"joint": {"connectedNode": 0, "joint": 0}}, **{KHR: {"physicsJoints": [5]}})
        assert read(file).joints == {}
        assert found(file) == [("TYPE_MISMATCH", f"{ROOT}/physicsJoints/0")]

    def test_a_bad_flag_takes_its_default(self) -> None:
        joint = {"connectedNode": 0, "joint": 0, "enableCollision": 1}
        file = file_of({"joint": joint}, **JOINTS)
        assert read(file).joints[0].enable_collision is False
        assert found(file) == [("TYPE_MISMATCH", on(0, "joint", "enableCollision"))]


class TestColliders:
    @pytest.mark.parametrize(
        ("collider", "code", "below"),
        [
            ({}, "UNDEFINED_PROPERTY", ""),
            ({"geometry": {}}, "ONE_OF_MISMATCH", "/geometry"),
            ({"geometry": 0}, "TYPE_MISMATCH", "/geometry"),
            ({"geometry": {"mesh": 9}}, "UNRESOLVED_REFERENCE", "/geometry/mesh"),
            ({"geometry": {"node": 9}}, "UNRESOLVED_REFERENCE", "/geometry/node"),
            ({"geometry": {"shape": 9}}, "UNRESOLVED_REFERENCE", "/geometry/shape"),
            ({"geometry": {"shape": -1}}, "INVALID_INDEX", "/geometry/shape"),
            ({"shape": 9}, "UNRESOLVED_REFERENCE", "/shape"),
            ({"shape": {}}, "UNDEFINED_PROPERTY", "/shape"),
        ],
    )
    def test_without_geometry_it_is_kept(self, collider: Json, code: str, below: str) -> None:
        materials = {"physicsMaterials": [{"restitution": 1}]}
        file = file_of(
            {"collider": {**collider, "physicsMaterial": 0}}, **{SHAPES: SPHERE, KHR: materials}
        )
        physics = read(file)
        assert physics.colliders[0].geometry is None
        assert physics.colliders[0].material == Material(restitution=1.0)
        assert found(file) == [(code, on(0, "collider") + below)]

    def test_a_shape_needs_an_array_of_shapes(self) -> None:
        old = file_of({"collider": {"shape": 0}})
        assert found(old) == [("UNSATISFIED_DEPENDENCY", on(0, "collider"))]
        assert SEED_SHAPES in read(old).findings[0].message
        new = file_of({"collider": {"geometry": {"shape": 0}}})
        assert found(new) == [("UNSATISFIED_DEPENDENCY", on(0, "collider", "geometry"))]
        assert SHAPES in read(new).findings[0].message

    def test_of_several_geometries_the_newest_counts(self) -> None:
        file = file_of(
            {"collider": {"shape": 0, "geometry": {"node": 0, "mesh": 0}}},
            meshes=[{}],
            **{SHAPES: SPHERE},
        )
        assert read(file).colliders[0].geometry == MeshGeometry(0, convex=False)
        places = (on(0, "collider"), on(0, "collider", "geometry"))
        assert found(file) == [("ONE_OF_MISMATCH", place) for place in places]

    @pytest.mark.parametrize("member", ["physicsMaterial", "collisionFilter"])
    def test_materials_and_filters_that_lead_nowhere(self, member: str) -> None:
        collider = {"geometry": {"shape": 0}, member: 4}
        file = file_of({"collider": collider}, **{SHAPES: SPHERE, KHR: {}})
        assert (read(file).colliders[0].material, read(file).colliders[0].filter) == (None, None)
        assert found(file) == [("UNRESOLVED_REFERENCE", on(0, "collider", member))]

    def test_materials_of_files_without_a_root_object(self) -> None:
        file = file_of(
            {"collider": {"geometry": {"shape": 0}, "physicsMaterial": 4}}, **{SHAPES: SPHERE}
        )
        assert found(file) == [("UNSATISFIED_DEPENDENCY", on(0, "collider"))]


class TestTriggers:
    def test_of_shape_and_nodes_the_shape_counts(self) -> None:
        file = file_of({"trigger": {"geometry": {"shape": 0}, "nodes": [0]}}, **{SHAPES: SPHERE})
        trigger = read(file).triggers[0]
        assert (trigger.geometry, trigger.nodes) == (Sphere(0.5), ())
        assert found(file) == [("ONE_OF_MISMATCH", on(0, "trigger"))]

    def test_neither(self) -> None:
        file = file_of({"trigger": {}})
        assert read(file).triggers[0] == Trigger(node=0, pointer=on(0, "trigger"))
        assert found(file) == [("ONE_OF_MISMATCH", on(0, "trigger"))]

    def test_compounds_drop_nodes_that_are_no_triggers(self) -> None:
        simple = {"trigger": {"geometry": {"shape": 0}}}
        file = file_of(
            {"trigger": {"nodes": [1, 2, 3, 4, 9, 1]}},
            simple,
            {"trigger": {"nodes": [1]}},
            {"motion": {}},
            None,
            **{SHAPES: SPHERE},
        )
        assert read(file).triggers[0].nodes == (1, 2)
        invalid = "KHR_RIGID_BODIES_TRIGGER_NODES_INVALID"
        assert found(file) == [
            ("UNRESOLVED_REFERENCE", on(0, "trigger", "nodes", 4)),
            ("DUPLICATE_ELEMENTS", on(0, "trigger", "nodes", 5)),
            (invalid, on(0, "trigger", "nodes", 1)),
            (invalid, on(0, "trigger", "nodes", 2)),
            (invalid, on(0, "trigger", "nodes", 3)),
        ]

    def test_a_filter_beside_nodes_is_ignored(self) -> None:
        file = file_of(
            {"trigger": {"nodes": [1], "collisionFilter": 0}},
            {"trigger": {"geometry": {"shape": 0}}},
            **{SHAPES: SPHERE, KHR: {"collisionFilters": [{"collisionSystems": ["a"]}]}},
        )
        assert read(file).triggers[0].filter is None
        assert found(file) == [("UNEXPECTED_PROPERTY", on(0, "trigger", "collisionFilter"))]


class TestArrays:
    def collider(self, **root: Any) -> tuple[Collider, list[tuple[str, str]]]:
        content = {"geometry": {"shape": 0}, "physicsMaterial": 0, "collisionFilter": 0}
        arrays = {"physicsMaterials": [{}], "collisionFilters": [{}], **root}
        file = file_of({"collider": content}, **{SHAPES: SPHERE, KHR: arrays})
        return read(file).colliders[0], found(file)

    def test_defaults(self) -> None:
        collider, codes = self.collider()
        assert collider.material == Material(0.6, 0.6, 0.0, None, None)
        assert collider.filter == CollisionFilter(frozenset(), None, None)
        assert codes == []

    @pytest.mark.parametrize(
        ("member", "value", "code"),
        [
            ("staticFriction", -1, "VALUE_NOT_IN_RANGE"),
            ("dynamicFriction", "x", "TYPE_MISMATCH"),
            ("restitution", -0.5, "VALUE_NOT_IN_RANGE"),
            ("frictionCombine", "AVERAGE", "VALUE_NOT_IN_LIST"),
            ("restitutionCombine", 3, "TYPE_MISMATCH"),
            ("odd", 3, "UNEXPECTED_PROPERTY"),
        ],
    )
    def test_bad_members_of_a_material(self, member: str, value: Any, code: str) -> None:
        collider, codes = self.collider(physicsMaterials=[{member: value}])
        assert collider.material == Material()
        assert codes == [(code, f"{ROOT}/physicsMaterials/0/{member}")]

    def test_both_lists_of_a_filter_are_kept(self) -> None:
        lists = {"collideWithSystems": ["a"], "notCollideWithSystems": ["b"]}
        collider, codes = self.collider(collisionFilters=[lists])
        assert collider.filter == CollisionFilter(frozenset(), frozenset("a"), frozenset("b"))
        code = "KHR_RIGID_BODIES_COLLISION_FILTER_INVALID_FILTER_SET"
        assert codes == [(code, f"{ROOT}/collisionFilters/0")]

    def test_an_empty_list_of_a_filter_is_not_an_absent_one(self) -> None:
        collider, codes = self.collider(collisionFilters=[{"collideWithSystems": []}])
        assert collider.filter == CollisionFilter(frozenset(), frozenset(), None)
        assert codes == []

    def test_a_list_of_something_else(self) -> None:
        collider, codes = self.collider(collisionFilters=[{"collisionSystems": ["a", 1]}])
        assert collider.filter == CollisionFilter(frozenset("a"))
        assert codes == [("TYPE_MISMATCH", f"{ROOT}/collisionFilters/0/collisionSystems/1")]

    @pytest.mark.parametrize("array", ["physicsMaterials", "collisionFilters", "physicsJoints"])
    def test_arrays_must_not_be_empty(self, array: str) -> None:
        assert found({"extensions": {KHR: {array: []}}}) == [("EMPTY_ENTITY", f"{ROOT}/{array}")]
        assert found({"extensions": {KHR: {array: {}}}}) == [("TYPE_MISMATCH", f"{ROOT}/{array}")]

    def test_unknown_members(self) -> None:
        file = file_of({"odd": 1, "extras": {}, "joint": {"odd": 1}}, **{KHR: {"odd": 1}})
        assert ("UNEXPECTED_PROPERTY", f"{ROOT}/odd") in found(file)
        assert ("UNEXPECTED_PROPERTY", on(0, "odd")) in found(file)
        assert ("UNEXPECTED_PROPERTY", on(0, "joint", "odd")) in found(file)


@pytest.mark.parametrize("odd", [None, 3, "x", [], [1], {"x": 1}])
def test_odd_containers_are_no_physics(odd: Any) -> None:
    assert not read({"nodes": odd})
    assert not read({"extensions": odd})
    assert not read({"nodes": [odd]})
    assert not read({"nodes": [{"extensions": odd}]})
    assert not read({"nodes": [{"extensions": {KHR: odd}}]})
    assert not read({"extensions": {KHR: odd}})


def places(value: Any, pointer: str = "") -> list[str]:
    items = value.items() if isinstance(value, dict) else ()
    items = enumerate(value) if isinstance(value, list) else items
    return [pointer, *(p for k, v in items for p in places(v, pointers.join(pointer, k)))]


def replaced(file: Json, pointer: str, value: Any) -> Json:
    other = copy.deepcopy(file)
    parent, _, name = pointer.rpartition("/")
    owner = pointers.find(other, parent)
    owner[int(name) if isinstance(owner, list) else name] = value
    return other


def assert_sound(physics: Physics, file: Json) -> None:
    """Whatever was read, the indices lead somewhere and the codes are known."""
    count = len(file["nodes"]) if isinstance(file.get("nodes"), list) else 0
    for kind in ("motions", "colliders", "triggers", "joints"):
        for node, item in getattr(physics, kind).items():
            assert item.node == node < count
    for joint in physics.joints.values():
        assert 0 <= joint.frame_b == joint.body_b < count
        for limit in joint.limits:
            assert bool(limit.linear_axes) != bool(limit.angular_axes)
            assert limit.minimum <= limit.maximum
    for finding in physics.findings:
        assert CODES[finding.code].severity == finding.severity


MID_2024 = file_of(
    {"collider": {"shape": {"shape": 0, "useNodeWeights": True}, "convexHull": True}},
    {"collider": {"shape": 0}, "trigger": {"shape": 1}},
    meshes=[{"primitives": [{"targets": [{}]}]}],
    skins=[{}],
    **{
        SEED_SHAPES: {
            "shapes": [
                {
                    "type": "mesh",
                    "mesh": {"mesh": 0, "skin": 0, "weights": [1], "convexHull": True},
                    "extensions": {KHR: {"convexHull": True}},
                },
                {"type": "convex", "convex": {"mesh": 0}},
                {"type": "trimesh", "trimesh": {"mesh": 0}},
            ]
        }
    },
)
AWKWARD = [None, True, -1, 0.5, 10**400, 99, "x", [], {}, [[]], [-1], {"odd": {}}]


@pytest.mark.parametrize("file", [FULL, MID_2024])
@pytest.mark.parametrize("value", AWKWARD, ids=range(len(AWKWARD)))
def test_no_member_of_a_wrong_kind_makes_it_raise(file: Json, value: Any) -> None:
    for pointer in places(file)[1:]:
        other = replaced(file, pointer, value)
        assert_sound(read(other), other)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 5) | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["shape", "type", "mesh", "nodes", "joint", "limits", "extensions"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(data=st.data(), value=JSON)
def test_no_json_makes_it_raise(data: st.DataObject, value: Any) -> None:
    file = data.draw(st.sampled_from([FULL, MID_2024]))
    other = replaced(file, data.draw(st.sampled_from(places(file)[1:])), value)
    assert_sound(read(other), other)


@pytest.mark.parametrize("file", [FULL, MID_2024])
def test_whatever_is_of_a_wrong_kind_is_found(file: Json) -> None:
    """Every member at and below the extensions, made an object, or an array where it is one."""
    read_cleanly(file)
    below = [p for p in places(file) if "/extensions/" in p and not p.endswith("/extensions")]
    assert len(below) > 20
    for pointer in below:
        wrong: Any = [] if isinstance(pointers.find(file, pointer), dict) else {}
        assert found(replaced(file, pointer, wrong)), pointer


BEYOND = {
    # The validator does not ask for connectedNode.
    "joint_unresolved_joint_no_root_ext.gltf.report.json": [("UNDEFINED_PROPERTY", on(0, "joint"))],
}


def test_findings_are_those_of_the_reference_validator(shared: Path) -> None:
    """Every error and warning, with its severity, at its place; and nothing beyond them."""
    reports = sorted((shared / "corpus/khr_validator").rglob("*.report.json"))
    assert len(reports) == 65
    codes = set()
    for report in reports:
        file = json.loads(report.with_name(report.name.removesuffix(".report.json")).read_text())
        wanted = sorted(expected(report) + BEYOND.get(report.name, []))
        assert sorted(found(file)) == wanted, report.name
        codes |= {code for code, _ in wanted}
    assert codes == {
        "ARRAY_LENGTH_NOT_IN_LIST",
        "DUPLICATE_ELEMENTS",
        "EMPTY_ENTITY",
        "INVALID_INDEX",
        "KHR_RIGID_BODIES_COLLISION_FILTER_INVALID_FILTER_SET",
        "KHR_RIGID_BODIES_JOINT_INVALID_RANGE",
        "KHR_RIGID_BODIES_JOINT_LIMITS_INVALID_AXIS",
        "KHR_RIGID_BODIES_TRIGGER_NODES_INVALID",
        "ONE_OF_MISMATCH",
        "ROTATION_NON_UNIT",
        "UNDEFINED_PROPERTY",
        "UNEXPECTED_PROPERTY",
        "UNRESOLVED_REFERENCE",
        "UNSATISFIED_DEPENDENCY",
        "VALUE_NOT_IN_LIST",
        "VALUE_NOT_IN_RANGE",
    }


def test_severities_are_those_of_the_reference_validator(shared: Path) -> None:
    for report in (shared / "corpus/khr_validator").rglob("*.report.json"):
        for message in json.loads(report.read_text())["issues"]["messages"]:
            if message["severity"] <= 1:
                severity = ("error", "warning")[message["severity"]]
                assert CODES[message["code"]].severity == severity


@pytest.mark.filterwarnings("ignore::ligament.errors.LigamentWarning")
def test_published_files_are_read_whole(shared: Path) -> None:
    """Every collider has its geometry, and nothing is found: these files are right."""
    folders = ("khr_conformance", "khr_samples_2024_03", "khr_synthetic", "khr_synthetic2")
    files = [
        file for name in folders for file in sorted((shared / "corpus" / name).rglob("*.gl[tb]*"))
    ]
    assert len(files) > 60
    for file in files:
        physics = read_physics(load(file))
        assert physics.motions, file
        assert physics.findings == (), file
        assert all(collider.geometry is not None for collider in physics.colliders.values())
        assert all(joint.limits or joint.drives for joint in physics.joints.values())
        expected = {"khr_conformance": [Dialect.KHR_2024_10]}.get(file.parent.name)
        assert expected is None or [*physics.dialects] == expected


@pytest.mark.filterwarnings("ignore::ligament.errors.LigamentWarning")
def test_the_samples_say_what_is_known_of_them(shared: Path) -> None:
    samples = shared / "corpus/khr_samples_2024_03"

    def sample(name: str) -> Physics:
        return read_physics(load(samples / name / f"{name}.gltf"))

    kinds = {type(item.geometry) for item in sample("ShapeTypes").colliders.values()}
    assert kinds == {Sphere, Box, Capsule, Cylinder, MeshGeometry}
    bodies = sample("MotionProperties").motions.values()
    assert any(body.gravity_factor == -0.5 for body in bodies)
    infinite = [body for body in bodies if body.mass == math.inf]
    assert [body.inertia_diagonal for body in infinite] == [(math.inf, 1.0, math.inf)]
    assert any(trigger.nodes for trigger in sample("Triggers").triggers.values())
    assert len(sample("JointTypes").joints) == 9
    wheel = sample("WaterWheel")
    assert any(body.kind is MotionKind.KINEMATIC for body in wheel.motions.values())

"""KHR_rigid_bodies, MSFT_rigid_bodies and its older names; and files of several families."""

from __future__ import annotations

import copy
import itertools
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ligament.extensions.members import INDICES
from ligament.extensions.physics import read_physics
from ligament.extensions.registry import Dialect
from ligament.extensions.rigid_bodies import (
    Collider,
    CollisionFilter,
    Combine,
    Joint,
    Limit,
    Material,
    Motion,
    MotionKind,
    Physics,
    Trigger,
)
from ligament.extensions.shapes import Box, Capsule, Cylinder, MeshGeometry, Sphere
from ligament.gltf import load, pointers
from ligament.gltf.document import Document

Json = dict[str, Any]

KHR = "KHR_rigid_bodies"
MSFT = "MSFT_rigid_bodies"
PRIMITIVES = "MSFT_collision_primitives"
CAMEL = "MSFT_RigidBodies"
CAMEL_PRIMITIVES = "MSFT_CollisionPrimitives"
OLDEST = "MSFT_physics"


def file_of(name: str, *nodes: Json | None, **root: Any) -> Json:
    extended = [{} if node is None else {"extensions": {name: node}} for node in nodes]
    return {"nodes": extended, "meshes": [{}], "extensions": root}


def read(file: Json) -> Physics:
    return read_physics(Document(file))


def read_cleanly(file: Json) -> Physics:
    physics = read(file)
    assert physics.findings == ()
    return physics


def found(file: Json) -> list[tuple[str, str]]:
    return [(finding.code, finding.pointer) for finding in read(file).findings]


LIMITS = [
    {"linearAxes": [0, 1, 2], "min": 0, "max": 0},
    {"linearAxes": [1], "min": -1, "max": 1, "springConstant": 100, "springDamping": 10},
]


def of_2023(name: str, shapes_name: str, array: str, member: str) -> Json:
    return file_of(
        name,
        {
            "motion": {"linearVelocity": [0, 1, 0]},
            "collider": {member: 0, "physicsMaterial": 0, "collisionFilter": 0},
            "joint": {"connectedNode": 1, "jointLimits": 0, "enableCollision": True},
        },
        {"trigger": {member: 1, "collisionFilter": 0}},
        **{
            shapes_name: {
                array: [
                    {"type": "box", "box": {"size": [1, 2, 3]}},
                    {"type": "convex", "convex": {"mesh": 0}},
                    {"type": "cylinder"},
                ]
            },
            name: {
                "physicsMaterials": [
                    {
                        "restitution": 1,
                        "frictionCombine": "MINIMUM",
                        "restitutionCombine": "MULTIPLY",
                    }
                ],
                "collisionFilters": [{"collisionSystems": ["a"], "collideWithSystems": ["b"]}],
                "physicsJointLimits": [{"limits": LIMITS}],
            },
        },
    )


FROZEN = of_2023(MSFT, PRIMITIVES, "colliders", "collider")
FORMS_OF_2023 = {
    KHR: (of_2023(KHR, "KHR_collision_shapes", "shapes", "shape"), Dialect.KHR_2023),
    MSFT: (FROZEN, Dialect.MSFT_2023),
    CAMEL: (of_2023(CAMEL, CAMEL_PRIMITIVES, "colliders", "collider"), Dialect.MSFT_2023),
}


@pytest.mark.parametrize("name", FORMS_OF_2023)
def test_files_of_2023(name: str) -> None:
    file, dialect = FORMS_OF_2023[name]
    physics = read_cleanly(file)
    node = f"/nodes/0/extensions/{name}"
    chosen = CollisionFilter(frozenset("a"), frozenset("b"))
    place = f"/extensions/{name}/physicsJointLimits/0/limits"
    assert physics.dialects == (dialect,)
    assert physics.motions == {
        0: Motion(
            node=0,
            mass=1.0,
            center_of_mass=(0.0, 0.0, 0.0),
            inertia_diagonal=(1.0, 1.0, 1.0),
            linear_velocity=(0.0, 1.0, 0.0),
            pointer=f"{node}/motion",
        )
    }
    assert physics.colliders == {
        0: Collider(
            node=0,
            geometry=Box((1.0, 2.0, 3.0)),
            material=Material(
                restitution=1.0,
                friction_combine=Combine.MINIMUM,
                restitution_combine=Combine.MULTIPLY,
            ),
            filter=chosen,
            pointer=f"{node}/collider",
        )
    }
    assert physics.triggers == {
        1: Trigger(
            node=1,
            geometry=MeshGeometry(0, convex=True),
            filter=chosen,
            pointer=f"/nodes/1/extensions/{name}/trigger",
        )
    }
    ball = Limit(linear_axes=(0, 1, 2), minimum=0.0, maximum=0.0, pointer=f"{place}/0")
    spring = Limit(
        linear_axes=(1,),
        minimum=-1.0,
        maximum=1.0,
        stiffness=100.0,
        damping=10.0,
        index=1,
        pointer=f"{place}/1",
    )
    assert physics.joints == {
        0: Joint(
            node=0,
            frame_a=0,
            body_a=0,
            frame_b=1,
            body_b=1,
            limits=(ball, spring),
            enable_collision=True,
            pointer=f"{node}/joint",
        )
    }


@pytest.mark.parametrize("name", [KHR, MSFT])
class TestDefaultsOf2023:
    def motion(self, name: str, **members: Any) -> tuple[Motion, list[tuple[str, str]]]:
        file = file_of(name, {"motion": members})
        return read(file).motions[0], found(file)

    def test_given_values_win(self, name: str) -> None:
        body, codes = self.motion(name, mass=3, inertiaDiagonal=[1, 2, 3], centerOfMass=[1, 0, 0])
        assert (body.mass, body.inertia_diagonal) == (3.0, (1.0, 2.0, 3.0))
        assert body.center_of_mass == (1.0, 0.0, 0.0)
        assert codes == []

    def test_zero_is_infinite(self, name: str) -> None:
        body, codes = self.motion(name, mass=0, inertiaDiagonal=[0, 1, 1])
        assert (body.mass, body.inertia_diagonal) == (math.inf, (math.inf, 1.0, 1.0))
        assert codes == []

    def test_invalid_values_take_the_default_of_the_dialect(self, name: str) -> None:
        body, codes = self.motion(name, mass=-1)
        assert body.mass == 1.0
        assert codes == [("VALUE_NOT_IN_RANGE", f"/nodes/0/extensions/{name}/motion/mass")]

    def test_absent_bounds_are_none(self, name: str) -> None:
        limits = {
            "physicsJointLimits": [{"limits": [{"linearAxes": [0]}, {"angularAxes": [0, 1]}]}]
        }
        file = file_of(name, {"joint": {"connectedNode": 0, "jointLimits": 0}}, **{name: limits})
        line, cone = read_cleanly(file).joints[0].limits
        assert (line.minimum, line.maximum) == (-math.inf, math.inf)
        assert (cone.minimum, cone.maximum) == (0.0, math.inf)


def test_joints_of_november_2023() -> None:
    joints = {"physicsJoints": [{"limits": [{"linearAxes": [0], "stiffness": 4}]}]}
    file = file_of(KHR, {"joint": {"connectedNode": 0, "joint": 0}}, **{KHR: joints})
    (limit,) = read_cleanly(file).joints[0].limits
    assert limit.stiffness == 4.0


@pytest.mark.parametrize(
    ("node", "code", "below"),
    [
        ({"collider": {}}, "UNDEFINED_PROPERTY", "/collider"),
        ({"collider": {"collider": 9}}, "UNRESOLVED_REFERENCE", "/collider/collider"),
        ({"collider": {"collider": -1}}, "INVALID_INDEX", "/collider/collider"),
        ({"collider": {"shape": 0, "collider": 0}}, "UNEXPECTED_PROPERTY", "/collider/shape"),
        ({"collider": "x"}, "TYPE_MISMATCH", "/collider"),
        ({"trigger": {}}, "ONE_OF_MISMATCH", "/trigger"),
        ({"joint": {}}, "UNDEFINED_PROPERTY", "/joint"),
        ({"joint": {"connectedNode": 0}}, "UNDEFINED_PROPERTY", "/joint"),
        (
            {"joint": {"connectedNode": 7, "jointLimits": 0}},
            "UNRESOLVED_REFERENCE",
            "/joint/connectedNode",
        ),
        (
            {"joint": {"connectedNode": 0, "jointLimits": 7}},
            "UNRESOLVED_REFERENCE",
            "/joint/jointLimits",
        ),
        ({"odd": 1}, "UNEXPECTED_PROPERTY", "/odd"),
    ],
)
def test_bad_members(node: Json, code: str, below: str) -> None:
    file = {**FROZEN, "nodes": [{"extensions": {MSFT: node}}]}
    assert found(file) == [(code, f"/nodes/0/extensions/{MSFT}{below}")]


def test_a_shape_needs_the_extension_of_shapes() -> None:
    assert found(file_of(MSFT, {"collider": {"collider": 0}})) == [
        ("UNSATISFIED_DEPENDENCY", f"/nodes/0/extensions/{MSFT}/collider")
    ]


def test_unknown_combine_modes_have_no_vote() -> None:
    materials = {
        "physicsMaterials": [{"frictionCombine": "Average", "restitutionCombine": "average"}]
    }
    file = {**FROZEN, "extensions": {**FROZEN["extensions"], MSFT: materials}}
    file["nodes"] = [{"extensions": {MSFT: {"collider": {"collider": 0, "physicsMaterial": 0}}}}]
    material = read(file).colliders[0].material
    assert material == Material(restitution_combine=Combine.AVERAGE)
    place = f"/extensions/{MSFT}/physicsMaterials/0/frictionCombine"
    assert found(file) == [("VALUE_NOT_IN_LIST", place)]


# October 2022: shapes and limits in place, layers as bits.
OLDEST_FILE = file_of(
    OLDEST,
    {
        "rigidBody": {"mass": 2, "inertiaTensor": [1, 2, 0], "isKinematic": True},
        "collider": {
            "capsule": {"height": 2, "radius": 0.5},
            "physicsMaterial": 0,
            "collisionLayers": 5,
            "collisionMask": 2,
        },
        "joint": {"connectedNode": 1, "constraints": [{"linearAxes": [0, 1, 2]}]},
    },
    {"trigger": {"sphere": {"radius": 2}, "collisionLayers": 1}},
    **{OLDEST: {"physicsMaterials": [{"restitution": 1}]}},
)

# Spring of 2023, under the final name: shapes in an array, with filters; no material, no contact.
EARLY_FILE = file_of(
    MSFT,
    {"rigidBody": {"inverseMass": 4, "inverseInertiaTensor": [0, 1, 2]}},
    {"collider": 0, "physicsMaterial": 0},
    {"collider": 1},
    {"joint": {"connectedNode": 0, "constraints": [{"angularAxes": [0], "min": -1}]}},
    **{
        PRIMITIVES: {
            "colliders": [
                {"cylinder": {"height": 2, "radius": 1}, "collisionSystems": ["a"]},
                {"trimesh": {"mesh": 0}},
            ]
        },
        MSFT: {"physicsMaterials": [{}]},
    },
)


def test_files_of_october_2022() -> None:
    physics = read_cleanly(OLDEST_FILE)
    assert physics.dialects == (Dialect.MSFT_2023,)
    body = physics.motions[0]
    assert (body.kind, body.mass) == (MotionKind.KINEMATIC, 2.0)
    assert body.inertia_diagonal == (1.0, 2.0, math.inf)
    assert physics.colliders[0].geometry == Capsule(2.0, 0.5, 0.5)
    assert physics.colliders[0].material == Material(restitution=1.0)
    assert physics.colliders[0].filter == CollisionFilter(
        frozenset({"layer 0", "layer 2"}), frozenset({"layer 1"})
    )
    assert physics.triggers[1].geometry == Sphere(2.0)
    assert physics.triggers[1].filter == CollisionFilter(frozenset({"layer 0"}), None)
    (lock,) = physics.joints[0].limits
    assert (lock.linear_axes, lock.minimum, lock.maximum) == ((0, 1, 2), 0.0, 0.0)


def test_files_of_early_2023() -> None:
    physics = read_cleanly(EARLY_FILE)
    assert physics.motions[0].mass == 0.25
    assert physics.motions[0].inertia_diagonal == (math.inf, 1.0, 0.5)
    assert physics.colliders[1].geometry == Cylinder(2.0, 1.0, 1.0)
    assert physics.colliders[1].filter == CollisionFilter(frozenset("a"))
    assert physics.colliders[1].pointer == f"/nodes/1/extensions/{MSFT}/collider"
    assert physics.triggers[2].geometry == MeshGeometry(0, convex=False)
    assert 2 not in physics.colliders
    (limit,) = physics.joints[3].limits
    assert (limit.minimum, limit.maximum) == (-1.0, math.inf)


def test_early_shapes_have_one_object() -> None:
    file = copy.deepcopy(OLDEST_FILE)
    file["nodes"][0]["extensions"][OLDEST]["collider"] = {"box": {}, "sphere": {}}
    assert read(file).colliders[0].geometry is None
    place = f"/nodes/0/extensions/{OLDEST}/collider"
    assert found(file) == [("KHR_COLLISION_SHAPES_COMPOUND_SHAPE", place)]


def test_an_early_collider_without_a_target_is_kept() -> None:
    file = file_of(MSFT, {"collider": 3, "physicsMaterial": 0}, **EARLY_FILE["extensions"])
    assert read(file).colliders[0].geometry is None
    place = f"/nodes/0/extensions/{MSFT}/collider"
    assert found(file) == [("UNRESOLVED_REFERENCE", place)]


def test_meshes_of_shapes_in_place_are_renumbered() -> None:
    patterns = INDICES[MSFT]
    assert patterns is not None
    for part, kind in itertools.product(("collider", "trigger"), ("convex", "trimesh")):
        assert patterns[f"/nodes/*/extensions/{MSFT}/{part}!/{kind}/mesh"] == "/meshes"


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


FILES = [*(file for file, _ in FORMS_OF_2023.values()), OLDEST_FILE, EARLY_FILE]
AWKWARD = [None, True, -1, 0.5, 10**400, 99, "x", [], {}, [[]], [-1], {"odd": {}}]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 5) | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["collider", "sphere", "constraints", "rigidBody", "limits"]), inner
        )
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("value", AWKWARD, ids=range(len(AWKWARD)))
def test_no_member_of_a_wrong_kind_makes_it_raise(file: Json, value: Any) -> None:
    for pointer in places(file)[1:]:
        physics = read(replaced(file, pointer, value))
        assert all(joint.frame_b < 9 for joint in physics.joints.values())


@given(data=st.data(), value=JSON)
def test_no_json_makes_it_raise(data: st.DataObject, value: Any) -> None:
    file = data.draw(st.sampled_from(FILES))
    read(replaced(file, data.draw(st.sampled_from(places(file)[1:])), value))


@pytest.mark.parametrize("file", FILES)
def test_whatever_is_of_a_wrong_kind_is_found(file: Json) -> None:
    below = [p for p in places(file) if "/extensions/" in p and not p.endswith("/extensions")]
    assert len(below) > 10
    for pointer in below:
        wrong: Any = [] if isinstance(pointers.find(file, pointer), dict) else {}
        assert found(replaced(file, pointer, wrong)), pointer


def test_the_file_of_2023_says_what_is_known_of_it(shared: Path) -> None:
    physics = read_physics(load(shared / "corpus/khr_synthetic2/Msft2023.gltf"))
    assert physics.findings == ()
    assert physics.motions[12].inertia_diagonal == (1.0, 1.0, 1.0)
    assert physics.motions[5].inertia_diagonal == (0.1, 0.1, 0.1)
    assert physics.motions[10].gravity_factor == 0.0
    material = physics.colliders[2].material
    assert material is not None
    assert material.restitution_combine is Combine.MAXIMUM
    spring = physics.joints[9].limits[2]
    assert (spring.stiffness, spring.damping) == (100.0, 10.0)
    assert physics.joints[9].frame_b == 7

"""Bodies, masses, colliders and their surfaces."""

from __future__ import annotations

import math
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from pxr import Gf, Usd, UsdPhysics

import ligament as lg
from ligament.extensions.rigid_bodies import Combine, Material, MotionKind
from ligament.extensions.shapes import Box, MeshGeometry, Plane, Sphere
from ligament.physics.shapes import Hull
from tests.conversion.usd.texts import read

CENTIMETRES = 'metersPerUnit = 0.01\nkilogramsPerUnit = 0.001\nupAxis = "Y"'

BODY = '"PhysicsRigidBodyAPI"'
SOLID = '"PhysicsRigidBodyAPI", "PhysicsCollisionAPI"'
WEIGHED = '"PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMassAPI"'


def prim(kind: str, apis: str, members: str = "", name: str = "A") -> str:
    return f'def {kind} "{name}" (apiSchemas = [{apis}])\n{{\n{members}\n}}\n'


def test_a_body_with_everything(tmp_path: Path) -> None:
    members = """
    vector3f physics:velocity = (100, 0, -200)
    vector3f physics:angularVelocity = (0, 180, 0)
    float physics:mass = 2000
    point3f physics:centerOfMass = (0, 50, 0)
    float3 physics:diagonalInertia = (10000000, 20000000, 30000000)
    quatf physics:principalAxes = (0.5, 0.5, 0.5, 0.5)
    """
    found = read(tmp_path, prim("Xform", f'{BODY}, "PhysicsMassAPI"', members), CENTIMETRES)
    motion = found.physics.motions[0]
    assert motion.kind is MotionKind.DYNAMIC
    assert motion.mass == 2.0  # 2000 g
    np.testing.assert_allclose(motion.linear_velocity, [1, 0, -2])
    np.testing.assert_allclose(motion.angular_velocity, [0, math.pi, 0])
    np.testing.assert_allclose(motion.center_of_mass, [0, 0.5, 0])
    np.testing.assert_allclose(motion.inertia_diagonal, [1, 2, 3])  # g cm² are 1e-7 kg m²
    assert motion.inertia_orientation == (0.5, 0.5, 0.5, 0.5)
    assert not found.losses


def test_zero_means_not_set(tmp_path: Path) -> None:
    members = """
    float physics:mass = 0
    float3 physics:diagonalInertia = (0, 0, 0)
    quatf physics:principalAxes = (0, 0, 0, 0)
    point3f physics:centerOfMass = (-inf, -inf, -inf)
    """
    found = read(tmp_path, prim("Cube", WEIGHED, members))
    motion = found.physics.motions[0]
    assert motion.mass is motion.center_of_mass is motion.inertia_diagonal is None
    (body,) = found.scene.bodies
    assert body.mass.mass == pytest.approx(8000)  # both formats assume 1000 kg/m³


def test_kinematic_and_disabled_bodies(tmp_path: Path) -> None:
    body = prim("Xform", BODY, "bool physics:kinematicEnabled = 1", "Led")
    body += prim("Cube", SOLID, "bool physics:rigidBodyEnabled = 0", "Off")
    found = read(tmp_path, body)
    assert found.physics.motions[found.index("Led")].kind is MotionKind.KINEMATIC
    assert found.index("Off") not in found.physics.motions
    assert found.index("Off") in found.physics.colliders
    assert found.lost("/Off") == ["a rigid body"]


def test_features_that_glTF_bodies_lack_are_reported(tmp_path: Path) -> None:  # noqa: N802
    apis = f'{BODY}, "PhysxRigidBodyAPI"'
    members = "bool physics:startsAsleep = 1\nbool physxRigidBody:disableGravity = 1"
    found = read(tmp_path, prim("Xform", apis, members))
    assert found.lost("/A") == ["a body that starts asleep", "the schema PhysxRigidBodyAPI"]
    assert found.physics.motions[0].gravity_factor == 0


# --- densities ---


def test_the_density_of_a_body(tmp_path: Path) -> None:
    body = prim("Sphere", WEIGHED, "double radius = 100\nfloat physics:density = 0.5")
    found = read(tmp_path, body, CENTIMETRES)  # 0.5 g/cm³
    (ball,) = found.scene.bodies
    mass = 500 * 4 / 3 * math.pi
    assert ball.mass.mass == pytest.approx(mass)
    np.testing.assert_allclose(ball.mass.inertia, 0.4 * mass)


def test_masses_and_densities_of_parts(tmp_path: Path) -> None:
    light = "double size = 1\nfloat physics:mass = 3\n" + _at(-1)
    heavy = "double size = 1\nfloat physics:density = 9\n" + _at(2)
    parts = prim("Cube", '"PhysicsCollisionAPI", "PhysicsMassAPI"', light, "Light")
    parts += prim("Cube", '"PhysicsCollisionAPI", "PhysicsMassAPI"', heavy, "Heavy")
    found = read(tmp_path, prim("Xform", BODY, parts))
    (body,) = found.scene.bodies
    assert body.mass.mass == pytest.approx(12)
    np.testing.assert_allclose(body.mass.center, [(-3 + 18) / 12, 0, 0], atol=1e-12)
    # Steiner: cubes of side 1 have m/6 each, at 2.25 m and 0.75 m from the centre.
    across = 12 / 6 + 3 * 2.25**2 + 9 * 0.75**2
    np.testing.assert_allclose(sorted(body.mass.inertia), [2, across, across])


WEIGHTS = """
def Material "M" (apiSchemas = ["PhysicsMaterialAPI"]) {{ float physics:density = {2} }}
def Xform "B" (apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
{{
    float physics:density = {0}
    def Cube "C" (apiSchemas = ["PhysicsCollisionAPI", "PhysicsMassAPI", "MaterialBindingAPI"])
    {{
        double size = 1
        float physics:density = {1}
        rel material:binding:physics = </M>
    }}
}}
"""


@pytest.mark.parametrize("densities", list(product((0, 5), (0, 3), (0, 7))))
def test_which_density_goes_first_is_what_usd_says(
    tmp_path: Path, densities: tuple[float, float, float]
) -> None:
    found = read(tmp_path, WEIGHTS.format(*densities))
    (body,) = found.scene.bodies

    def cube(_: object) -> UsdPhysics.RigidBodyAPI.MassInformation:
        known = UsdPhysics.RigidBodyAPI.MassInformation()
        known.volume, known.inertia = 1.0, Gf.Matrix3f(1 / 6)
        known.centerOfMass = known.localPos = Gf.Vec3f(0)
        known.localRot = Gf.Quatf(1)
        return known

    stage = Usd.Stage.Open(str(tmp_path / "stage.usda"))
    prim = stage.GetPrimAtPath("/B")
    expected = UsdPhysics.RigidBodyAPI(prim).ComputeMassProperties(cube)[0]
    assert body.mass.mass == pytest.approx(expected)


def test_the_material_of_a_body_that_is_its_own_collider(tmp_path: Path) -> None:
    body = """
    def Material "M" (apiSchemas = ["PhysicsMaterialAPI"]) { float physics:density = 7 }
    def Cube "A" (apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "MaterialBindingAPI"])
    { rel material:binding:physics = </M> }
    """
    (cube,) = read(tmp_path, body).scene.bodies
    assert cube.mass.mass == pytest.approx(56)


def test_the_density_of_a_material_and_a_mass_above_it(tmp_path: Path) -> None:
    body = """
    def Material "Lead" (apiSchemas = ["PhysicsMaterialAPI"]) { float physics:density = 11000 }
    def Xform "Free" (apiSchemas = ["PhysicsRigidBodyAPI"])
    {
        def Cube "Part" (apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"])
        { rel material:binding:physics = </Lead> }
    }
    def Xform "Set" (apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    {
        float physics:mass = 6
        def Cube "Part2" (apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"])
        { rel material:binding:physics = </Lead> }
    }
    """
    found = read(tmp_path, body)
    masses = {body.node: body.mass for body in found.scene.bodies}
    assert masses[found.index("Free")].mass == pytest.approx(88000)
    assert masses[found.index("Set")].mass == 6
    np.testing.assert_allclose(masses[found.index("Set")].inertia, 6 * 4 / 6)


def _at(x: float) -> str:
    return (
        f"double3 xformOp:translate = ({x}, 0, 0)\n"
        'uniform token[] xformOpOrder = ["xformOp:translate"]'
    )


# --- colliders ---

TETRAHEDRON = """
point3f[] points = [(0, 0, 0), (2, 0, 0), (0, 4, 0), (0, 0, 6)]
int[] faceVertexCounts = [3, 3, 3, 3]
int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]
uniform token subdivisionScheme = "none"
"""


def tetrahedron(folder: Path, approximation: str):
    members = f'{TETRAHEDRON}\nuniform token physics:approximation = "{approximation}"'
    apis = '"PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"'
    return read(folder, prim("Mesh", apis, members))


@pytest.mark.parametrize(
    ("approximation", "convex", "is_reported"),
    [
        ("none", False, False),
        ("convexHull", True, False),
        ("convexDecomposition", True, True),
        ("meshSimplification", False, True),
        ("sdf", False, True),
    ],
)
def test_meshes_and_their_hulls(
    tmp_path: Path, approximation: str, convex: bool, is_reported: bool
) -> None:
    found = tetrahedron(tmp_path, approximation)
    assert found.physics.colliders[0].geometry == MeshGeometry(0, convex=convex)
    assert found.nodes["A"]["mesh"] == 0
    assert bool(found.losses) is is_reported


def test_boxes_and_balls_around_meshes(tmp_path: Path) -> None:
    found = tetrahedron(tmp_path, "boundingCube")
    (collider,) = found.scene.colliders
    assert collider.shape == Box((2.0, 4.0, 6.0))
    np.testing.assert_allclose(found.world("A shape")[:3, 3], [1, 2, 3])
    found = tetrahedron(tmp_path, "boundingSphere")
    (collider,) = found.scene.colliders
    assert collider.shape == Sphere(math.sqrt(1 + 4 + 9))


def test_scale_acts_on_shapes(tmp_path: Path) -> None:
    scale = 'float3 xformOp:scale = ({})\nuniform token[] xformOpOrder = ["xformOp:scale"]'
    even = prim("Sphere", '"PhysicsCollisionAPI"', scale.format("3, 3, 3"), "Even")
    uneven = prim("Sphere", '"PhysicsCollisionAPI"', scale.format("1, 2, 3"), "Uneven")
    box = prim("Cube", '"PhysicsCollisionAPI"', scale.format("1, 2, 3"), "Box")
    found = read(tmp_path, even + uneven + box)
    shapes = {c.node: c.shape for c in found.scene.colliders}
    assert shapes[found.index("Even")] == Sphere(3.0)
    assert shapes[found.index("Box")] == Box((2.0, 4.0, 6.0))
    ellipsoid = shapes[found.index("Uneven")]
    assert isinstance(ellipsoid, Hull)
    np.testing.assert_allclose(ellipsoid.points.max(axis=0), [1, 2, 3])


def test_planes_are_infinite(tmp_path: Path) -> None:
    found = read(tmp_path, prim("Plane", '"PhysicsCollisionAPI"'), CENTIMETRES)
    (collider,) = found.physics.colliders.values()
    assert collider.geometry == Plane()
    up = found.world("A shape") @ [0, 1, 0, 0]
    np.testing.assert_allclose(up, [0, 0, 1, 0], atol=1e-12)


def test_colliders_that_are_none(tmp_path: Path) -> None:
    body = prim("Xform", '"PhysicsCollisionAPI"', name="Empty")
    body += prim("Cube", '"PhysicsCollisionAPI"', "bool physics:collisionEnabled = 0", "Off")
    found = read(tmp_path, body)
    assert not found.physics.colliders
    assert found.lost("/Empty") == found.lost("/Off") == ["a collider"]


def test_surfaces_come_from_bound_materials(tmp_path: Path) -> None:
    body = """
    def Material "Ice" (apiSchemas = ["PhysicsMaterialAPI", "PhysxMaterialAPI"])
    {
        float physics:staticFriction = 0.5
        float physics:dynamicFriction = 0.25
        float physics:restitution = 0.75
        token physxMaterial:frictionCombineMode = "min"
    }
    def Xform "All" (apiSchemas = ["MaterialBindingAPI"])
    {
        rel material:binding = </Ice>
        def Cube "Inherits" (apiSchemas = ["PhysicsCollisionAPI"]) {}
    }
    def Cube "Bare" (apiSchemas = ["PhysicsCollisionAPI"]) {}
    """
    found = read(tmp_path, body)
    colliders = found.physics.colliders
    expected = Material(0.5, 0.25, 0.75, friction_combine=Combine.MINIMUM)
    assert colliders[found.index("Inherits")].material == expected
    assert colliders[found.index("Bare")].material is None


@pytest.mark.parametrize(
    "fault",
    [
        'token physics:mass = "heavy"',
        "float physics:mass = -1",
        "float physics:mass = inf",
        "float3 physics:diagonalInertia = (1, -1, 1)",
        "float physics:centerOfMass = 3",
        "quatf physics:principalAxes = (inf, 0, 0, 0)",
        'string physics:velocity = "fast"',
    ],
)
def test_values_that_mean_nothing_are_reported_and_replaced(tmp_path: Path, fault: str) -> None:
    found = read(tmp_path, prim("Cube", WEIGHED, fault))
    (body,) = found.scene.bodies
    assert body.mass.mass == pytest.approx(8000)
    assert len(found.lost("/A")) == 1


# --- the world ---

GRAVITY = 'def PhysicsScene "S" {{ {} }}'


@pytest.mark.parametrize(
    ("members", "is_reported"),
    [
        ("", False),
        ("float physics:gravityMagnitude = 981", False),
        ("vector3f physics:gravityDirection = (0, 0, -1)", False),
        ("float physics:gravityMagnitude = 162", True),
        ("float physics:gravityMagnitude = 0", True),
        ("vector3f physics:gravityDirection = (0, 1, 0)", True),
    ],
)
def test_other_gravity_is_reported(tmp_path: Path, members: str, is_reported: bool) -> None:
    body = GRAVITY.format(members) + '\ndef Xform "A" {}'
    found = read(tmp_path, body, 'metersPerUnit = 0.01\nupAxis = "Z"')
    assert bool(found.lost("/S")) is is_reported


def test_a_ball_from_usd_falls_as_galileo_says(tmp_path: Path) -> None:
    members = "double radius = 10\n" + _at(0)
    found = read(tmp_path, prim("Sphere", SOLID, members), 'metersPerUnit = 0.01\nupAxis = "Z"')
    recording = lg.simulate(found.document, seconds=1.0, rate=60)
    fallen = recording.translation[:, 0]
    # Semi-implicit steps of 1/60 s at most fall half a step's speed further: g t dt / 2.
    expected = -9.81 * recording.times**2 / 2
    assert np.abs(fallen[:, 1] - expected).max() < 9.81 / 60
    np.testing.assert_allclose(fallen[:, [0, 2]], 0, atol=1e-9)

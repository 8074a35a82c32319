"""Stages of USD: bodies, colliders, surfaces and groups as UsdPhysics itself reads them."""

from __future__ import annotations

import builtins
import math
import sys
from pathlib import Path

import numpy as np
import pytest
from pxr import Usd, UsdGeom, UsdPhysics, UsdShade

from ligament import transforms as tf
from ligament.conversion.usd import to_usd
from ligament.errors import ContentError, FileError, LimitError, MissingExtraError
from ligament.gltf import Document
from ligament.physics.filters import collide
from tests.cli.command import ligament
from tests.conversion.usd.parsed import assert_says, example, path_of, scene_of, turn, written
from tests.play.files import BALL, CUBE, FLOOR, KHR, node, physics_file

SMALL = {"mass": 1.0, "inertiaDiagonal": [0.01, 0.02, 0.03]}
QUARTER = [0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5)]


def shapes_file(shape: dict, **members: object) -> Document:
    """One static collider with a shape of its own."""
    document = physics_file(node("Only", shape=0, **members))
    document.json["extensions"]["KHR_implicit_shapes"]["shapes"] = [shape]
    return document


def only_shape(document: Document, folder: Path):
    parsed = written(document, folder)
    ((path, found),) = parsed.all("Shape").items()
    return parsed, parsed.stage.GetPrimAtPath(path), found


@pytest.mark.parametrize("up", ["y", "z"])
@pytest.mark.parametrize("name", ["door.glb", "gate.glb", "rope.glb", "stack.glb", "avatar.vrm"])
def test_the_examples_say_what_their_scenes_say(tmp_path, name, up):
    document = example(name)
    assert_says(written(document, tmp_path, up=up), scene_of(document, up=up))


@pytest.mark.parametrize(("up", "letter", "down"), [("y", "Y", 1), ("z", "Z", 2)])
def test_a_stage_is_in_metres_and_kilograms_with_gravity_down(tmp_path, up, letter, down):
    parsed = written(example("stack.glb"), tmp_path, up=up)
    stage = parsed.stage
    assert UsdGeom.GetStageUpAxis(stage) == letter
    assert UsdGeom.GetStageMetersPerUnit(stage) == 1
    assert UsdPhysics.GetStageKilogramsPerUnit(stage) == 1
    assert stage.GetDefaultPrim().GetPath() == "/World"
    (scene,) = parsed.by_type["Scene"].values()
    wanted = np.zeros(3)
    wanted[down] = -1
    assert np.allclose(scene.gravityDirection, wanted, atol=1e-7)
    assert math.isclose(scene.gravityMagnitude, 9.81, rel_tol=1e-7)


def test_without_gravity_the_magnitude_is_zero(tmp_path):
    parsed = written(example("stack.glb"), tmp_path, gravity=(0, 0, 0))
    (scene,) = parsed.by_type["Scene"].values()
    assert scene.gravityMagnitude == 0


@pytest.mark.parametrize(
    ("suffix", "start"), [(".usda", b"#usda"), (".usdc", b"PXR-USDC"), (".usd", b"PXR-USDC")]
)
def test_the_suffix_says_text_or_binary(tmp_path, suffix, start):
    document = example("door.glb")
    parsed = written(document, tmp_path, suffix=suffix)
    assert (tmp_path / f"stage{suffix}").read_bytes().startswith(start)
    assert_says(parsed, scene_of(document))


def test_other_suffixes_are_refused(tmp_path):
    with pytest.raises(ContentError, match=r"ends in \.usda, \.usdc, \.usd"):
        to_usd(example("door.glb"), tmp_path / "door.usdz")
    assert not list(tmp_path.iterdir())


def test_the_command_line_writes_by_suffix(tmp_path):
    source = path_of("gate.glb")
    out, losses = tmp_path / "gate.usdc", tmp_path / "lost.json"
    assert ligament("convert", source, out, "--losses", losses).exit_code == 0
    assert Usd.Stage.Open(str(out))
    assert "a trigger" in losses.read_text()


def test_without_the_package_one_line_says_how_to_get_it(tmp_path, monkeypatch):
    real = builtins.__import__

    def without(name, *rest):
        if name.startswith("pxr"):
            raise ImportError(name)
        return real(name, *rest)

    for name in [name for name in sys.modules if name.partition(".")[0] == "pxr"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r"pip install ligament\[usd\]"):
        to_usd(example("door.glb"), tmp_path / "door.usda")


# --- names ---


def test_names_become_identifiers_and_stay_readable(tmp_path):
    names = ["Tür links", "a/b", "1st", "", "a.b", "Größe", "../../x", "名前", "{v=1}"]
    parsed = written(physics_file(*(node(name) for name in names)), tmp_path)
    prims = parsed.nodes()
    assert len({str(prim.GetPath()) for prim in prims.values()}) == len(names)
    for index, name in enumerate(names):
        prim = prims[index]
        assert prim.GetParent().GetPath() == "/World"
        assert prim.GetName().isascii()
        assert prim.GetName().isidentifier()
        assert prim.GetDisplayName() == name
    assert prims[1].GetName() == "a_b"
    assert prims[4].GetName() == "a_b_2"
    assert prims[2].GetName() == "_1st"
    assert prims[7].GetName() == "node_7"


def test_nodes_with_the_names_of_our_own_prims_keep_apart(tmp_path):
    document = physics_file(
        node("Joints", children=[2, 3]), node("PhysicsScene", shape=CUBE), node("collider"),
        node("collider", shape=BALL),
    )  # fmt: skip
    assert_says(written(document, tmp_path), scene_of(document))


# --- the tree ---


def test_nodes_keep_their_transforms(tmp_path):
    document = physics_file(
        node("Top", at=(1, 2, 3), rotation=QUARTER, scale=[2, 2, 2], children=[1]),
        node("Below", at=(1, 0, 0), scale=[1, -2, 3]),
    )
    parsed = written(document, tmp_path)
    wanted = scene_of(document).tree.world_matrices()
    cache = UsdGeom.XformCache()
    for index in (0, 1):
        prim = parsed.node(index)
        assert np.allclose(np.array(cache.GetLocalToWorldTransform(prim)).T, wanted[index])
        names = [op.GetOpName() for op in UsdGeom.Xformable(prim).GetOrderedXformOps()]
        assert names == ["xformOp:translate", "xformOp:orient", "xformOp:scale"]


def test_a_body_within_a_body_leaves_the_transforms_above_it(tmp_path):
    document = physics_file(
        node("Outer", at=(1, 2, 3), rotation=QUARTER, motion=SMALL, shape=CUBE, children=[1]),
        node("Inner", at=(0, 2, 0), motion=SMALL, shape=BALL),
    )
    parsed = written(document, tmp_path)
    assert_says(parsed, scene_of(document))
    assert UsdGeom.Xformable(parsed.node(1)).GetResetXformStack()
    assert not UsdGeom.Xformable(parsed.node(0)).GetResetXformStack()
    found = parsed.by_type["RigidBody"][str(parsed.node(1).GetPath())]
    assert np.allclose(found.position, (-1, 2, 3), atol=1e-6)


@pytest.mark.parametrize("scale", [[1, 2, 3], [-1, 1, 1], [2, 2, -2], [0.1, 5, 0.1]])
def test_bodies_with_uneven_scales_are_rigid_and_look_the_same(tmp_path, scale):
    turned = np.asarray(tf.from_axis_angle([1.0, 2.0, 3.0], 1.0)).tolist()
    document = physics_file(
        node("Stretched", at=(1, 2, 3), rotation=turned, scale=scale, motion=SMALL, shape=CUBE,
             children=[1]),
        node("Part", at=(1, 1, 1), rotation=QUARTER, shape=CUBE),
    )  # fmt: skip
    parsed, source = written(document, tmp_path), scene_of(document)
    found = parsed.by_type["RigidBody"]["/World/Stretched"]
    assert np.allclose(found.scale, 1)
    assert abs(turn(found.rotation) @ turned) == pytest.approx(1, abs=1e-6)
    cache = UsdGeom.XformCache()
    part = np.array(cache.GetLocalToWorldTransform(parsed.node(1))).T
    assert np.allclose(part, source.tree.world_matrices()[1])


def test_bodies_of_one_scale_keep_it(tmp_path):
    mass = {"mass": 2.0, "centerOfMass": [0.5, 0, 0], "inertiaDiagonal": [1, 2, 3]}
    document = physics_file(node("Large", scale=[3, 3, 3], motion=mass, shape=CUBE))
    parsed = written(document, tmp_path)
    assert_says(parsed, scene_of(document))
    api = UsdPhysics.MassAPI(parsed.node(0))
    # In the space of the prim, which is three times as large in the world.
    assert np.allclose(api.GetCenterOfMassAttr().Get(), (0.5, 0, 0))
    weight, inertia, center, _ = UsdPhysics.RigidBodyAPI(parsed.node(0)).ComputeMassProperties(
        lambda prim: UsdPhysics.RigidBodyAPI.MassInformation()
    )
    assert weight == 2
    assert np.allclose(center, (1.5, 0, 0))
    assert np.allclose(inertia, (1, 2, 3))


# --- bodies ---


def test_velocities_are_in_the_frame_of_the_body_and_in_degrees(tmp_path):
    motion = {**SMALL, "linearVelocity": [1, 0, 0], "angularVelocity": [0, 0, math.pi]}
    parsed = written(physics_file(node("Ball", rotation=QUARTER, motion=motion)), tmp_path)
    (found,) = parsed.by_type["RigidBody"].values()
    assert np.allclose(found.linearVelocity, (1, 0, 0), atol=1e-6)
    assert np.allclose(found.angularVelocity, (0, 0, 180), atol=1e-4)


def test_kinematic_and_static_bodies(tmp_path):
    document = physics_file(
        node("Lift", motion={"isKinematic": True}, shape=CUBE), node("Floor", shape=FLOOR)
    )
    parsed = written(document, tmp_path)
    assert parsed.by_type["RigidBody"]["/World/Lift"].kinematicBody
    assert "/World/Floor" not in parsed.by_type["RigidBody"]
    assert not parsed.losses


def test_features_without_a_schema_are_reported_losses(tmp_path):
    document = physics_file(
        node("Balloon", motion={**SMALL, "gravityFactor": -0.5}, shape=BALL),
        node("Wall", motion={"mass": 0}, shape=CUBE),
        node("Belt", motion={"isKinematic": True, "linearVelocity": [3, 4, 0]}, shape=CUBE),
        node("Gate", trigger=CUBE),
        cameras=[{"type": "perspective"}],
    )
    parsed = written(document, tmp_path)
    reported = {(loss.pointer, loss.what): loss.effect for loss in parsed.losses}
    place = f"extensions/{KHR}"
    assert "-0.5" in reported[f"/nodes/0/{place}/motion", "a gravity factor"]
    assert "kinematic" in reported[f"/nodes/1/{place}/motion", "an infinite mass and inertia"]
    assert "5 m/s" in reported[f"/nodes/2/{place}/motion", "the velocity of a kinematic body"]
    assert "disabled" in reported[f"/nodes/3/{place}/trigger", "a trigger"]
    assert ("/cameras/0", "a camera") in reported
    assert parsed.node(0).GetCustomDataByKey("ligament:gravityFactor") == -0.5
    (trigger,) = [p for p in parsed.stage.Traverse() if p.GetName() == "trigger"]
    assert not UsdPhysics.CollisionAPI(trigger).GetCollisionEnabledAttr().Get()


def test_bodies_that_only_rotate_are_jointed_to_the_world(tmp_path):
    motion = {"mass": 0, "inertiaDiagonal": [1, 1, 1], "centerOfMass": [0, 0.5, 0]}
    document = physics_file(node("Wheel", at=(0, 2, 0), scale=[2, 2, 2], motion=motion, shape=BALL))
    parsed = written(document, tmp_path)
    ((_, joint),) = parsed.by_type["SphericalJoint"].items()
    assert str(joint.body1) == "/World/Wheel"
    assert np.allclose(joint.localPose0Position, (0, 3, 0))
    assert np.allclose(joint.localPose1Position, (0, 1, 0))


@pytest.mark.parametrize("seed", range(20))
def test_rounding_leaves_moments_that_solids_have(tmp_path, seed):
    width, depth = np.random.default_rng(seed).uniform(0.01, 10, 2)
    motion = {"mass": 1.0, "inertiaDiagonal": [width, width + depth, depth]}
    parsed = written(physics_file(node("Sheet", motion=motion)), tmp_path)
    small, large, other = UsdPhysics.MassAPI(parsed.node(0)).GetDiagonalInertiaAttr().Get()
    assert small + other >= large
    assert large == pytest.approx(width + depth, rel=1e-6)


# --- shapes ---


def test_boxes_are_cubes_with_a_scale(tmp_path):
    _, prim, found = only_shape(shapes_file({"type": "box", "box": {"size": [1, 2, 3]}}), tmp_path)
    assert prim.GetTypeName() == "Cube"
    assert np.allclose(found.halfExtents, (0.5, 1, 1.5))


def test_equal_capsules_and_cylinders_stand_along_y(tmp_path):
    sizes = {"height": 2, "radiusBottom": 0.3, "radiusTop": 0.3}
    for kind in ("capsule", "cylinder"):
        _, prim, found = only_shape(shapes_file({"type": kind, kind: sizes}), tmp_path)
        assert prim.GetTypeName().lower() == kind
        assert found.axis == UsdPhysics.Axis.Y
        assert (found.halfHeight, found.radius) == (1, pytest.approx(0.3))


@pytest.mark.parametrize(("bottom", "top", "direction"), [(0.5, 0, 1), (0, 0.5, -1)])
def test_cones_point_the_way_they_do_in_the_file(tmp_path, bottom, top, direction):
    sizes = {"height": 2, "radiusBottom": bottom, "radiusTop": top}
    _, prim, found = only_shape(shapes_file({"type": "cylinder", "cylinder": sizes}), tmp_path)
    assert prim.GetTypeName() == "Cone"
    assert np.allclose(tf.rotate(turn(found.localRot), [0, 1, 0]), (0, direction, 0), atol=1e-6)


@pytest.mark.parametrize("kind", ["capsule", "cylinder"])
def test_tapered_shapes_are_hulls(tmp_path, kind):
    sizes = {"height": 2, "radiusBottom": 0.3, "radiusTop": 0.6}
    _, prim, found = only_shape(shapes_file({"type": kind, kind: sizes}), tmp_path)
    assert found.approximation == "convexHull"
    points = np.array(UsdGeom.Mesh(prim).GetPointsAttr().Get())
    assert points[:, 0].max() == pytest.approx(0.6, rel=0.01)
    assert points[:, 1].max() == pytest.approx(1.6 if kind == "capsule" else 1.0, rel=0.01)


def test_colliders_are_guides_and_meshes_are_not(tmp_path):
    parsed = written(example("door.glb"), tmp_path)
    purposes = {
        prim.GetName().partition("_")[0]: UsdGeom.Imageable(prim).ComputePurpose()
        for prim in parsed.stage.Traverse()
        if prim.IsA(UsdGeom.Gprim)
    }
    assert purposes == {"collider": "guide", "mesh": "default"}


def test_endless_planes_face_up_and_others_are_boxes(tmp_path):
    parsed, prim, found = only_shape(shapes_file({"type": "plane", "plane": {}}), tmp_path)
    assert prim.GetTypeName() == "Plane"
    assert found.axis == UsdPhysics.Axis.Y
    assert not parsed.losses
    small = {"type": "plane", "plane": {"sizeX": 2, "sizeZ": 4}}
    parsed, prim, found = only_shape(shapes_file(small), tmp_path)
    assert np.allclose(np.array(found.halfExtents)[[0, 2]], (1, 2))
    assert [loss.what for loss in parsed.losses] == ["a plane of limited size"]


def test_scale_acts_on_shapes_as_in_the_scene(tmp_path):
    _, _, found = only_shape(
        shapes_file({"type": "sphere", "sphere": {"radius": 0.5}}, scale=[3, 3, 3]), tmp_path
    )
    assert found.radius == pytest.approx(1.5)


# --- surfaces and filters ---


def test_surfaces_are_bound_for_physics(tmp_path):
    surface = {"staticFriction": 0.9, "dynamicFriction": 0.4, "restitution": 0.25}
    document = physics_file(node("Ice", shape=CUBE, material=0), materials=[surface])
    parsed, prim, found = only_shape(document, tmp_path)
    (path,) = found.materials
    material = parsed.by_type["RigidBodyMaterial"][str(path)]
    assert material.staticFriction == pytest.approx(0.9)
    assert material.dynamicFriction == pytest.approx(0.4)
    assert material.restitution == pytest.approx(0.25)
    bound, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")
    assert bound.GetPath() == path
    assert not parsed.losses


def test_modes_of_combining_are_lost_with_their_size(tmp_path):
    materials = [
        {"staticFriction": 1.0, "dynamicFriction": 1.0, "frictionCombine": "minimum"},
        {"staticFriction": 0.2, "dynamicFriction": 0.2},
    ]
    document = physics_file(
        node("A", shape=CUBE, material=0), node("B", shape=CUBE, material=1), materials=materials
    )
    (loss,) = written(document, tmp_path).losses
    assert loss.what == "how its surface combines with others"
    assert "0.6" in loss.effect
    assert "0.2" in loss.effect


def test_groups_keep_apart_exactly_what_the_filters_do(tmp_path):
    filters = [
        {"collisionSystems": ["a"], "notCollideWithSystems": ["b"]},
        {"collisionSystems": ["b"]},
        {"collisionSystems": ["c"], "collideWithSystems": ["b", "c"]},
        {},
    ]
    nodes = [node(f"N{i}", shape=BALL, motion=SMALL) for i in range(4)] + [node("Free", shape=CUBE)]
    for i, each in enumerate(nodes[:4]):
        each["extensions"][KHR]["collider"]["collisionFilter"] = i
    document = physics_file(*nodes)
    document.json["extensions"][KHR] = {"collisionFilters": filters}
    parsed, source = written(document, tmp_path), scene_of(document)
    table = UsdPhysics.CollisionGroup.ComputeCollisionGroupTable(parsed.stage)
    shapes = parsed.all("Shape")
    groups = [
        [str(group) for group in shapes[f"{parsed.node(i).GetPath()}/collider"].collisionGroups]
        for i in range(5)
    ]
    for i, a in enumerate(source.scene.colliders):
        for j, b in enumerate(source.scene.colliders):
            meet = all(table.IsCollisionEnabled(x, y) for x in groups[i] for y in groups[j])
            assert meet is collide(a.filter, b.filter), (i, j)


def test_many_groups_that_meet_few_list_those(tmp_path):
    """Lists of all others would grow with the square of their number."""
    count = 80
    filters = [
        {"collisionSystems": [f"s{i}"], "collideWithSystems": [f"s{i}", f"s{(i + 1) % count}"]}
        for i in range(count)
    ]
    nodes = [node(f"N{i}", shape=BALL, motion=SMALL) for i in range(count)]
    for i, each in enumerate(nodes):
        each["extensions"][KHR]["collider"]["collisionFilter"] = i
    document = physics_file(*nodes)
    document.json["extensions"][KHR] = {"collisionFilters": filters}
    parsed, source = written(document, tmp_path), scene_of(document)
    table = UsdPhysics.CollisionGroup.ComputeCollisionGroupTable(parsed.stage)
    shapes = parsed.all("Shape")
    groups = [
        str(shapes[f"{parsed.node(i).GetPath()}/collider"].collisionGroups[0]) for i in range(count)
    ]
    listed = 0
    for i, a in enumerate(source.scene.colliders):
        group = UsdPhysics.CollisionGroup(parsed.stage.GetPrimAtPath(groups[i]))
        listed += len(group.GetFilteredGroupsRel().GetTargets())
        for j, b in enumerate(source.scene.colliders):
            meet = table.IsCollisionEnabled(groups[i], groups[j])
            assert meet is collide(a.filter, b.filter), (i, j)
    assert listed <= 3 * count


# --- files ---


def test_nothing_is_left_where_writing_fails(tmp_path):
    (tmp_path / "stage_textures").mkdir()
    (tmp_path / "stage_textures" / "mine.txt").write_text("keep")
    with pytest.raises(FileError, match="contains more than files"):
        to_usd(example("door.glb"), tmp_path / "stage.usda")
    assert [path.name for path in tmp_path.iterdir()] == ["stage_textures"]
    with pytest.raises(FileError, match="must exist"):
        to_usd(example("door.glb"), tmp_path / "absent" / "stage.usda")


def test_the_same_document_gives_the_same_bytes(tmp_path):
    for name in ("one", "two"):
        to_usd(example("rope.glb"), tmp_path / f"{name}.usda")
    assert (tmp_path / "one.usda").read_bytes() == (tmp_path / "two.usda").read_bytes()


def test_gravity_must_be_finite(tmp_path):
    with pytest.raises(ContentError, match="gravity"):
        to_usd(example("door.glb"), tmp_path / "door.usda", gravity=(0, math.nan, 0))


def test_deep_trees_are_written(tmp_path):
    nodes = [node(f"n{i}", at=(0, 0.1, 0), children=[i + 1]) for i in range(600)]
    document = physics_file(*nodes, node("Last", motion=SMALL, shape=BALL))
    parsed = written(document, tmp_path, suffix=".usdc")
    (found,) = parsed.by_type["RigidBody"].values()
    assert found.position[1] == pytest.approx(60, rel=1e-5)


def test_chains_whose_paths_would_fill_the_disk_are_refused(tmp_path):
    nodes = [node(f"n{i}", children=[i + 1]) for i in range(1500)]
    with pytest.raises(LimitError, match="nested 1501 deep; USD is written up to 1000 levels"):
        to_usd(physics_file(*nodes, node("Last")), tmp_path / "deep.usda")
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("suffix", [".usda", ".usdc"])
def test_a_disk_without_space_for_the_stage_is_one_line(tmp_path, suffix):
    resource = pytest.importorskip("resource")
    _, most = limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, most))
    try:
        with pytest.raises(FileError, match="USD cannot write the stage") as refusal:
            to_usd(example("door.glb"), tmp_path / f"door{suffix}")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert len(str(refusal.value)) < 200
    assert not [*tmp_path.iterdir()]

"""Looks in USD: meshes, materials, textures, and nodes that animations move."""

from __future__ import annotations

import base64
import re
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pxr import Usd, UsdGeom, UsdShade

from ligament import transforms as tf
from ligament.conversion.source import WORLD_ROTATIONS
from ligament.conversion.usd import to_usd
from ligament.errors import FileError
from ligament.gltf import Document
from ligament.gltf.accessors import append_accessor
from ligament.gltf.animation import Clip, Track, append_clip
from ligament.rig.animator import Animator
from tests.conversion.rigs import Rig, Seen
from tests.conversion.usd.parsed import written
from tests.play.files import BALL, CUBE, animate, node, physics_file

SMALL = {"mass": 1.0, "inertiaDiagonal": [0.01, 0.02, 0.03]}
RATE = 60


def png(red: int) -> bytes:
    """A picture of one pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixels = zlib.compress(bytes([0, red, 0, 0]))
    parts = (chunk(b"IHDR", header), chunk(b"IDAT", pixels), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def textured(**material: Any) -> Document:
    """A triangle with normals and texture coordinates, an unused vertex, and a material."""
    document = physics_file(node("Leaf", mesh=0))
    points = np.array([[9, 9, 9], [0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32)
    attributes = {
        "POSITION": append_accessor(document, points),
        "NORMAL": append_accessor(document, np.array([[0, 0, 1]] * 4, np.float32)),
        "TEXCOORD_0": append_accessor(
            document, np.array([[9, 9], [0.1, 0.2], [0.3, 0.4], [0.5, 0.6]], np.float32)
        ),
    }
    indices = append_accessor(document, np.array([1, 2, 3], np.uint16))
    primitive = {"attributes": attributes, "indices": indices, "material": 0}
    document.json["meshes"] = [{"primitives": [primitive]}]
    document.json["materials"] = [material]
    uri = "data:image/png;base64," + base64.b64encode(png(200)).decode()
    document.json["images"] = [{"uri": uri, "name": "../../evil"}]
    document.json["textures"] = [{"source": 0, "sampler": 0}]
    document.json["samplers"] = [{"wrapS": 33071, "wrapT": 33648}]
    return document


def inputs(parsed: Any, name: str) -> dict[str, Any]:
    """Return the values of the inputs of a shader."""
    shader = UsdShade.Shader(parsed.stage.GetPrimAtPath(name))
    return {each.GetBaseName(): each.Get() for each in shader.GetInputs()}


def test_meshes_keep_what_their_faces_use(tmp_path):
    parsed = written(textured(doubleSided=True), tmp_path)
    mesh = UsdGeom.Mesh(parsed.stage.GetPrimAtPath("/World/Leaf/mesh"))
    assert np.array_equal(mesh.GetPointsAttr().Get(), [[0, 0, 0], [1, 0, 0], [0, 1, 0]])
    assert list(mesh.GetFaceVertexCountsAttr().Get()) == [3]
    assert list(mesh.GetFaceVertexIndicesAttr().Get()) == [0, 1, 2]
    assert np.array_equal(mesh.GetNormalsAttr().Get(), [[0, 0, 1]] * 3)
    assert mesh.GetSubdivisionSchemeAttr().Get() == "none"
    assert mesh.GetDoubleSidedAttr().Get()
    coordinates = UsdGeom.PrimvarsAPI(mesh).GetPrimvar("st")
    # glTF counts the second coordinate downwards, USD upwards.
    assert np.allclose(coordinates.Get(), [[0.1, 0.8], [0.3, 0.6], [0.5, 0.4]])
    assert coordinates.GetInterpolation() == "vertex"


def test_factors_of_materials(tmp_path):
    parsed = written(
        textured(
            name="Glass pane",
            pbrMetallicRoughness={
                "baseColorFactor": [0.1, 0.2, 0.3, 0.4],
                "metallicFactor": 0.5,
                "roughnessFactor": 0.6,
            },
            emissiveFactor=[0.7, 0.8, 0.9],
            alphaMode="MASK",
            alphaCutoff=0.3,
        ),
        tmp_path,
    )
    found = inputs(parsed, "/World/Materials/Glass_pane/surface")
    assert np.allclose(found["diffuseColor"], (0.1, 0.2, 0.3))
    assert np.allclose(found["emissiveColor"], (0.7, 0.8, 0.9))
    given = [found[n] for n in ("metallic", "roughness", "opacity", "opacityThreshold")]
    assert np.allclose(given, (0.5, 0.6, 0.4, 0.3))
    mesh = parsed.stage.GetPrimAtPath("/World/Leaf/mesh")
    bound, _ = UsdShade.MaterialBindingAPI(mesh).ComputeBoundMaterial()
    assert str(bound.GetPath()) == "/World/Materials/Glass_pane"


def test_opaque_materials_ignore_alpha(tmp_path):
    parsed = written(textured(pbrMetallicRoughness={"baseColorFactor": [1, 1, 1, 0.2]}), tmp_path)
    assert "opacity" not in inputs(parsed, "/World/Materials/material_0/surface")


def test_textures_stand_beside_under_names_of_ours(tmp_path):
    basis = {"baseColorTexture": {"index": 0}, "baseColorFactor": [0.5, 1, 1, 1]}
    parsed = written(textured(pbrMetallicRoughness=basis), tmp_path)
    (file,) = (tmp_path / "stage_textures").iterdir()
    assert re.fullmatch(r"[0-9a-f]+\.png", file.name)
    assert file.read_bytes() == png(200)
    material = "/World/Materials/material_0"
    found = inputs(parsed, f"{material}/texture")
    assert found["file"].path == f"./stage_textures/{file.name}"
    assert Path(found["file"].resolvedPath) == file
    assert (found["wrapS"], found["wrapT"]) == ("clamp", "mirror")
    assert found["sourceColorSpace"] == "sRGB"
    assert np.allclose(found["scale"], (0.5, 1, 1, 1))
    surface = UsdShade.Shader(parsed.stage.GetPrimAtPath(f"{material}/surface"))
    (source,) = surface.GetInput("diffuseColor").GetConnectedSources()[0]
    assert (str(source.source.GetPath()), source.sourceName) == (f"{material}/texture", "rgb")
    assert inputs(parsed, f"{material}/coordinates")["varname"] == "st"
    assert not parsed.losses


def test_normal_maps_are_directions(tmp_path):
    parsed = written(textured(normalTexture={"index": 0}), tmp_path)
    found = inputs(parsed, "/World/Materials/material_0/texture")
    assert found["sourceColorSpace"] == "raw"
    assert np.allclose(found["scale"], (2, 2, 2, 1))
    assert np.allclose(found["bias"], (-1, -1, -1, 0))


def test_metal_and_roughness_share_a_picture(tmp_path):
    basis = {"metallicRoughnessTexture": {"index": 0}, "roughnessFactor": 0.5}
    parsed = written(textured(pbrMetallicRoughness=basis), tmp_path)
    surface = UsdShade.Shader(parsed.stage.GetPrimAtPath("/World/Materials/material_0/surface"))
    for name, channel in (("roughness", "g"), ("metallic", "b")):
        (source,) = surface.GetInput(name).GetConnectedSources()[0]
        assert source.sourceName == channel
    found = inputs(parsed, "/World/Materials/material_0/texture")
    assert np.allclose(found["scale"], (1, 0.5, 1, 1))


@pytest.mark.parametrize(
    "change",
    [
        lambda json: json["images"][0].update(uri="missing.png"),
        lambda json: json["images"][0].update(uri="data:image/webp;base64,UklGRg=="),
        lambda json: json["images"].clear(),
        lambda json: json["textures"].clear(),
    ],
)
def test_pictures_that_cannot_be_written_are_losses(tmp_path, change):
    document = textured(pbrMetallicRoughness={"baseColorTexture": {"index": 0}})
    change(document.json)
    parsed = written(document, tmp_path)
    (loss,) = parsed.losses
    assert loss.effect == "surfaces have one colour instead"
    assert not (tmp_path / "stage_textures").exists()


def test_materials_that_are_wrong_are_losses(tmp_path):
    (loss,) = written(textured(pbrMetallicRoughness={"metallicFactor": "shiny"}), tmp_path).losses
    assert loss.pointer == "/materials/0/pbrMetallicRoughness/metallicFactor"


def test_without_visuals_there_is_nothing_to_see(tmp_path):
    parsed = written(textured(), tmp_path, visuals=False)
    assert not [prim for prim in parsed.stage.Traverse() if prim.IsA(UsdGeom.Mesh)]


@pytest.mark.parametrize("up", ["y", "z"])
@pytest.mark.parametrize("seed", range(4))
def test_random_rigs_are_seen_where_they_are(tmp_path, seed, up):
    """Meshes, skins and morph targets at the start; nodes and constraints over time."""
    rng = np.random.default_rng(seed)
    rig = Rig(rng)
    rig.tree(8)
    mesh, skin = rig.skin([1, 3, 5])
    rig.nodes[2] |= {"mesh": mesh, "skin": skin}
    rig.nodes[4]["mesh"] = rig.mesh(morphs=2)
    rig.nodes[6]["mesh"] = rig.mesh()
    rig.constrain(7, 1, "rotation")
    rig.animate([1, 3])
    parsed = written(rig.document, tmp_path, up=up)
    turn = np.asarray(tf.compose(np.zeros(3), WORLD_ROTATIONS[up]))
    frames = np.array([0, 0.5, 0.7, 1.25, 2])
    seen = Seen(rig.document, nodes=8, times=frames)
    for row, time in enumerate(frames):
        for index in range(8):
            found = world(parsed, index, time)
            assert np.allclose(found, turn @ seen.worlds[row, index], atol=1e-7)
    cache = UsdGeom.XformCache(Usd.TimeCode(0))
    for index, wanted in seen.points.items():
        prim = parsed.node(index).GetChild("mesh")
        place = np.array(cache.GetLocalToWorldTransform(prim)).T
        points = np.array(UsdGeom.Mesh(prim).GetPointsAttr().Get(), float)
        moved = points @ place[:3, :3].T + place[:3, 3]
        assert np.allclose(moved, wanted[0] @ turn[:3, :3].T, atol=1e-5)
    reported = {loss.what for loss in parsed.losses}
    assert {"a skinned mesh", "a mesh with morph targets", "a node constraint"} <= reported


# --- animations ---


def local(parsed: Any, index: int, time: float) -> np.ndarray:
    """Return the matrix of a node in its parent at a time [s]."""
    xformable = UsdGeom.Xformable(parsed.node(index))
    return np.array(xformable.GetLocalTransformation(Usd.TimeCode(time * RATE))).T


def world(parsed: Any, index: int, time: float) -> np.ndarray:
    cache = UsdGeom.XformCache(Usd.TimeCode(time * RATE))
    return np.array(cache.GetLocalToWorldTransform(parsed.node(index))).T


def assert_plays(parsed: Any, document: Document, times: Any, *, atol: float = 1e-9) -> None:
    """Compare all nodes in the world with the time line."""
    stage = Animator(document)
    wanted = stage.tree.world_matrices(*stage.pose(np.asarray(times, float)))
    for row, time in enumerate(times):
        for index in range(len(stage.tree)):
            assert np.allclose(world(parsed, index, time), wanted[row, index], atol=atol)


def test_linear_keys_are_samples(tmp_path):
    document = physics_file(node("Arm", children=[1]), node("Hand", at=(1, 0, 0)))
    turns = tf.from_axis_angle([0.0, 0, 1], np.array([0.0, 1.0, -0.5]))
    animate(document, 0, "rotation", [0.0, 0.31, 1.0], turns)
    animate(document, 1, "scale", [0.2, 0.7], [[1, 1, 1], [2, 3, 4]])
    parsed = written(document, tmp_path)
    assert parsed.stage.GetTimeCodesPerSecond() == RATE
    assert (parsed.stage.GetStartTimeCode(), parsed.stage.GetEndTimeCode()) == (0, RATE)
    samples = parsed.node(0).GetAttribute("xformOp:orient").GetTimeSamples()
    assert np.allclose(samples, np.array([0, 0.31, 1]) * RATE)
    assert_plays(parsed, document, np.linspace(0, 1.2, 13), atol=1e-7)
    assert [loss.what for loss in parsed.losses] == ["several animations"]


@pytest.mark.parametrize("up", ["y", "z"])
def test_steps_stay_steps(tmp_path, up):
    document = physics_file(node("Lamp"))
    places = np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0]], float)
    track = Track(0, "translation", np.array([0.0, 0.5, 1.0]), places, "STEP")
    append_clip(document, Clip("steps", (track,)))
    parsed = written(document, tmp_path, up=up)
    assert [local(parsed, 0, t)[0, 3] for t in (0.25, 0.499, 0.5, 0.75, 1)] == [0, 0, 1, 1, 2]


def test_splines_are_sampled_and_reported(tmp_path):
    document = physics_file(node("Ball"))
    values = np.zeros((2, 3, 3))
    values[1, 1, 0], values[0, 2, 1] = 1.0, 4.0
    track = Track(0, "translation", np.array([0.0, 1.0]), values, "CUBICSPLINE")
    append_clip(document, Clip("spline", (track,)))
    parsed = written(document, tmp_path)
    assert_plays(parsed, document, np.arange(61) / 60)
    # Between the frames a chord of the curve: its second derivative is at most 16 m/s².
    assert_plays(parsed, document, np.linspace(0, 1, 101), atol=16 / 8 / 60**2)
    assert [loss.what for loss in parsed.losses] == ["an animation along splines"]


def test_animated_bodies_are_kinematic_and_move_in_the_world(tmp_path):
    document = physics_file(
        node("Cart", motion=SMALL, shape=CUBE, children=[1, 3]),
        node("Door", at=(1, 0, 0), motion=SMALL, shape=CUBE, scale=[1, 2, 3], children=[2]),
        node("Handle", at=(0, 1, 0)),
        node("Bell", at=(0, 3, 0), motion=SMALL, shape=BALL),
    )
    animate(document, 0, "translation", [0, 1], [[0, 0, 0], [0, 0, 5]])
    turns = tf.from_axis_angle([0.0, 1, 0], np.array([0.0, 1.0]))
    animate(document, 1, "rotation", [0, 1], turns)
    parsed = written(document, tmp_path)
    bodies = parsed.by_type["RigidBody"]
    assert [bodies[str(parsed.node(i).GetPath())].kinematicBody for i in (0, 1, 3)] == [
        True, True, False,
    ]  # fmt: skip
    stage = Animator(document)
    for frame in (0, 17, 60):
        pose = stage.pose(np.array([frame / 60]))
        wanted = stage.tree.world_matrices(*pose)[0]
        for index in (0, 2):
            assert np.allclose(world(parsed, index, frame / 60), wanted[index], atol=1e-9)
    # A node without animation stays where it starts, until physics moves it.
    assert np.allclose(world(parsed, 3, 1.0), world(parsed, 3, 0.0))


def test_bodies_with_an_animated_scale_alone_are_free_and_grow(tmp_path):
    document = physics_file(node("Balloon", at=(0, 3, 0), motion=SMALL, shape=BALL))
    animate(document, 0, "scale", [0, 1], [[1, 1, 1], [2, 2, 2]])
    parsed = written(document, tmp_path)
    assert not parsed.by_type["RigidBody"]["/World/Balloon"].kinematicBody
    assert_plays(parsed, document, [0, 0.25, 1])
    assert parsed.losses == []


@pytest.mark.parametrize("up", ["y", "z"])
def test_colliders_below_an_animated_scale_move_with_it(tmp_path, up):
    document = physics_file(
        node("Lift", children=[1]),
        node("Floor", at=(0, 1, 0), shape=CUBE, children=[2]),
        node("Crate", at=(0, 1, 0), motion=SMALL, shape=CUBE),
    )
    animate(document, 0, "scale", [0, 1], [[1, 1, 1], [1, 3, 1]])
    parsed = written(document, tmp_path, up=up)
    bodies = parsed.by_type["RigidBody"]
    assert [bodies[str(parsed.node(i).GetPath())].kinematicBody for i in (1, 2)] == [True, False]
    height = 2 if up == "z" else 1
    assert np.isclose(world(parsed, 1, 1.0)[height, 3], 3)
    assert np.allclose(world(parsed, 2, 1.0), world(parsed, 2, 0.0))
    assert [(loss.pointer, loss.what) for loss in parsed.losses] == [
        ("/nodes/2", "an animated scale")
    ]


def test_animated_scales_of_stretched_bodies_are_reported(tmp_path):
    document = physics_file(node("Bun", motion=SMALL, shape=CUBE, scale=[1, 2, 3], children=[1]))
    document.json["nodes"].append({"name": "Seed", "translation": [1, 0, 0]})
    animate(document, 0, "scale", [0, 1], [[1, 2, 3], [2, 2, 2]])
    parsed = written(document, tmp_path)
    assert [(loss.pointer, loss.what) for loss in parsed.losses] == [
        ("/nodes/0", "an animated scale")
    ]
    assert np.allclose(world(parsed, 1, 1.0), world(parsed, 1, 0.0))


def test_static_colliders_on_animated_nodes_push(tmp_path):
    document = physics_file(node("Crane", children=[1]), node("Hook", at=(0, 1, 0), shape=CUBE))
    animate(document, 0, "translation", [0, 1], [[0, 0, 0], [1, 0, 0]])
    parsed = written(document, tmp_path)
    assert parsed.by_type["RigidBody"]["/World/Crane/Hook"].kinematicBody
    assert_plays(parsed, document, [0, 0.5, 1])


def test_endless_animations_take_a_bounded_number_of_samples(tmp_path):
    document = physics_file(node("Comet"))
    values = np.zeros((2, 3, 3))
    values[1, 1, 0] = 1.0
    track = Track(0, "translation", np.array([0.0, 1e9]), values, "CUBICSPLINE")
    append_clip(document, Clip("slow", (track,)))
    parsed = written(document, tmp_path, suffix=".usdc")
    assert len(parsed.node(0).GetAttribute("xformOp:translate").GetTimeSamples()) < 100_010
    assert "0.0001 times a second" in parsed.losses[0].effect


def test_scenes_that_begin_below_the_roots(tmp_path):
    document = physics_file(
        node("Left out", at=(0, 5, 0), rotation=[0, 0.6, 0, 0.8], children=[1]),
        node("First", at=(1, 0, 0), scale=[1, 2, 3], children=[2]),
        node("Second", at=(0, 0, 1), motion=SMALL, shape=BALL),
    )
    document.json["scenes"][0]["nodes"] = [1]
    animate(document, 0, "translation", [0, 1], [[0, 5, 0], [3, 5, 0]])
    parsed = written(document, tmp_path)
    assert sorted(parsed.nodes()) == [1, 2]
    stage = Animator(document)
    for time in (0.0, 0.5, 1.0):
        wanted = stage.tree.world_matrices(*stage.pose(np.array([time])))[0]
        assert np.allclose(world(parsed, 1, time), wanted[1], atol=1e-9)


def test_animations_can_be_left_out(tmp_path):
    document = physics_file(node("Arm", motion=SMALL))
    animate(document, 0, "translation", [0, 1], [[1, 0, 0], [2, 0, 0]])
    parsed = written(document, tmp_path, animations=())
    assert not parsed.node(0).GetAttribute("xformOp:translate").GetTimeSamples()
    assert local(parsed, 0, 0)[0, 3] == 0
    assert not parsed.by_type["RigidBody"]["/World/Arm"].kinematicBody
    assert [loss.what for loss in parsed.losses] == ["an animation"]


def test_names_of_output_files_hold_no_control_characters(tmp_path):
    with pytest.raises(FileError, match="control characters"):
        to_usd(textured(), tmp_path / "a\nb.usda")
    assert not list(tmp_path.iterdir())


def test_names_of_output_files_may_hold_all_else(tmp_path):
    document = textured(pbrMetallicRoughness={"baseColorTexture": {"index": 0}})
    path = tmp_path / "Tür @ 1.usda"
    to_usd(document, path)
    stage = Usd.Stage.Open(str(path))
    shader = UsdShade.Shader(stage.GetPrimAtPath("/World/Materials/material_0/texture"))
    assert Path(shader.GetInput("file").Get().resolvedPath).is_file()

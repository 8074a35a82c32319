"""Surfaces: polygons, holes, attributes of corners, prims with parameters, materials."""

from __future__ import annotations

import math
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ligament.conversion.usd.reading.surfaces import triangulate
from ligament.gltf.accessors import read_accessor
from tests.conversion.usd.texts import Read, read

SQUARE = """
def Mesh "M"{head}
{{
    point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (2, 0, 0), (2, 1, 0)]
    int[] faceVertexCounts = [4, 4]
    int[] faceVertexIndices = [0, 1, 2, 3, 1, 4, 5, 2]
    uniform token subdivisionScheme = "none"
    {more}
}}
"""


def surface(found: Read, mesh: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Points (P, 3) and triangles (T, 3) of a mesh, all its primitives together."""
    primitives = found.json["meshes"][mesh]["primitives"]
    points = read_accessor(found.document, primitives[0]["attributes"]["POSITION"])
    triangles = [read_accessor(found.document, p["indices"]).reshape(-1, 3) for p in primitives]
    return np.asarray(points, float), np.concatenate(triangles)


def attribute(found: Read, name: str) -> np.ndarray:
    primitive = found.json["meshes"][0]["primitives"][0]
    return np.asarray(read_accessor(found.document, primitive["attributes"][name]), float)


def areas(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """The area vectors (T, 3) of triangles."""
    a, b, c = (points[triangles[:, i]] for i in range(3))
    return np.cross(b - a, c - a) / 2


def test_quads_become_triangles_on_the_same_points(tmp_path: Path) -> None:
    found = read(tmp_path, SQUARE.format(head="", more=""))
    points, triangles = surface(found)
    assert len(points) == 6
    np.testing.assert_allclose(areas(points, triangles).sum(axis=0), [0, 0, 2])
    assert (areas(points, triangles)[:, 2] == 0.5).all()
    assert not found.losses


def test_holes_are_left_open_and_left_handed_faces_turned(tmp_path: Path) -> None:
    more = 'int[] holeIndices = [1]\nuniform token orientation = "leftHanded"'
    points, triangles = surface(read(tmp_path, SQUARE.format(head="", more=more)))
    np.testing.assert_allclose(areas(points, triangles).sum(axis=0), [0, 0, -1])


def test_a_concave_polygon_is_cut_inside(tmp_path: Path) -> None:
    body = """
    def Mesh "M"
    {
        point3f[] points = [(0, 0, 0), (0, 0, 3), (3, 0, 3), (3, 0, 2), (1, 0, 2), (1, 0, 0)]
        int[] faceVertexCounts = [6]
        int[] faceVertexIndices = [0, 1, 2, 3, 4, 5]
        uniform token subdivisionScheme = "none"
    }
    """
    points, triangles = surface(read(tmp_path, body))
    cut = areas(points, triangles)
    assert len(cut) == 4
    assert (cut[:, 1] > 0).all()  # none of them turned over, so none lies outside
    np.testing.assert_allclose(cut.sum(axis=0), [0, 5, 0], atol=1e-12)


@given(
    st.lists(st.floats(0.2, 1.0), min_size=3, max_size=24),
    st.floats(-1, 1),
    st.floats(-1, 1),
)
def test_stars_are_cut_into_triangles_of_their_area(
    radii: list[float], tilt: float, lean: float
) -> None:
    """Any polygon that sees its centre: the triangles face its way and add up to it."""
    angles = np.arange(len(radii)) * math.tau / len(radii)
    flat = np.stack([np.cos(angles) * radii, np.sin(angles) * radii, np.zeros(len(radii))], axis=1)
    across = np.array([[1, 0, tilt], [0, 1, lean], [0, 0, 1]])
    points = flat @ across
    triangles, faces = triangulate(points, np.array([len(radii)]), np.arange(len(radii)))
    assert triangles.shape == (len(radii) - 2, 3)
    assert not faces.any()
    cut = areas(points, triangles)
    whole = np.cross(points, np.roll(points, -1, axis=0)).sum(axis=0) / 2
    normal = whole / np.linalg.norm(whole)
    np.testing.assert_allclose(cut.sum(axis=0), whole, atol=1e-12)
    assert (cut @ normal > -1e-12).all()


def test_normals_and_coordinates_of_corners_split_points(tmp_path: Path) -> None:
    more = """
    normal3f[] normals = [(0, 0, 2), (0, 0, -1)] (interpolation = "uniform")
    texCoord2f[] primvars:st = [(0, 0), (1, 0), (1, 1), (0, 1), (0, 0), (1, 0), (1, 1), (0, 1)] (
        interpolation = "faceVarying"
    )
    """
    found = read(tmp_path, SQUARE.format(head="", more=more))
    points, triangles = surface(found)
    assert len(points) == 8  # the two points between the faces differ
    np.testing.assert_allclose(areas(points, triangles).sum(axis=0), [0, 0, 2])
    np.testing.assert_allclose(np.linalg.norm(attribute(found, "NORMAL"), axis=1), 1)
    uvs = attribute(found, "TEXCOORD_0")
    for point, uv, normal in zip(points, uvs, attribute(found, "NORMAL"), strict=True):
        first = normal[2] > 0
        np.testing.assert_allclose(uv, [point[0] - (0 if first else 1), 1 - point[1]])


def test_indexed_coordinates_of_points(tmp_path: Path) -> None:
    more = """
    texCoord2f[] primvars:uv = [(0, 0), (0.5, 1)] (interpolation = "vertex")
    int[] primvars:uv:indices = [0, 1, 0, 1, 1, 0]
    """
    found = read(tmp_path, SQUARE.format(head="", more=more))
    uvs = attribute(found, "TEXCOORD_0")
    np.testing.assert_allclose(uvs[:, 0], [0, 0.5, 0, 0.5, 0.5, 0])
    np.testing.assert_allclose(uvs[:, 1], [1, 0, 1, 0, 0, 1])


@pytest.mark.parametrize(
    "fault",
    [
        "int[] faceVertexCounts = [4, 5]",
        "int[] faceVertexIndices = [0, 1, 2, 3, 1, 4, 5, 6]",
        "int[] faceVertexIndices = [0, 1, 2, 3, 1, 4, 5, -1]",
        "point3f[] points = [(0, 0, 0), (1, 0, 0), (1, inf, 0), (0, 1, 0), (2, 0, 0), (2, 1, 0)]",
        "point3f[] points = []",
        "int[] faceVertexCounts = []",
    ],
)
def test_broken_meshes_are_reported_and_left_out(tmp_path: Path, fault: str) -> None:
    name = fault.split()[1]
    lines = SQUARE.format(head="", more="").splitlines()
    body = "\n".join(fault if f" {name} " in line else line for line in lines)
    found = read(tmp_path, body)
    assert "mesh" not in found.nodes["M"]
    assert found.lost("/M")


def test_subdivision_is_reported(tmp_path: Path) -> None:
    body = SQUARE.format(head="", more="").replace('"none"', '"catmullClark"')
    assert read(tmp_path, body).lost("/M") == ["a catmullClark surface"]


SOLIDS = [
    ("Sphere", "double radius = 2", 4 / 3 * math.pi * 8, (2, 2, 2)),
    ("Cube", "double size = 3", 27, (1.5, 1.5, 1.5)),
    ("Capsule", 'double radius = 1\ndouble height = 3\nuniform token axis = "X"',
     math.pi * (3 + 4 / 3), (2.5, 1, 1)),
    ("Capsule_1", 'double radiusBottom = 1\ndouble radiusTop = 1\nuniform token axis = "Y"',
     math.pi * (1 + 4 / 3), (1, 1.5, 1)),
    ("Cylinder", "double radius = 1\ndouble height = 4", 4 * math.pi, (1, 1, 2)),
    ("Cone", 'double radius = 3\ndouble height = 2\nuniform token axis = "Y"', 6 * math.pi,
     (3, 1, 3)),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "members", "volume", "half"), SOLIDS)
def test_solids_are_seen_and_collide_alike(
    tmp_path: Path, kind: str, members: str, volume: float, half: tuple[float, float, float]
) -> None:
    body = f'def {kind} "A" (apiSchemas = ["PhysicsCollisionAPI"]) {{ {members} }}'
    found = read(tmp_path, body)
    points, triangles = surface(found)
    np.testing.assert_allclose(points.max(axis=0), half, rtol=1e-6)
    np.testing.assert_allclose(points.min(axis=0), np.negative(half), rtol=1e-6)
    a, b, c = (points[triangles[:, i]] for i in range(3))
    seen = (a * np.cross(b, c)).sum() / 6
    assert seen == pytest.approx(volume, rel=0.01)  # VOLUME_TOLERANCE of sampled shapes
    from ligament.physics.mass import solid

    (collider,) = found.scene.colliders
    # Tapered and round shapes are integrated exactly; sizes are written in full.
    assert solid(collider.shape).volume == pytest.approx(volume, rel=1e-9)


def test_a_cone_points_along_its_axis(tmp_path: Path) -> None:
    body = 'def Cone "A" (apiSchemas = ["PhysicsCollisionAPI"]) { uniform token axis = "X" }'
    found = read(tmp_path, body)
    points, _ = surface(found)
    assert (points[points[:, 0] > 0.999][:, 1:] == 0).all()
    top = found.world("A shape") @ [0, 1, 0, 0]
    np.testing.assert_allclose(top, [1, 0, 0, 0], atol=1e-12)
    shape = found.physics.colliders[found.index("A shape")].geometry
    assert (shape.radius_bottom, shape.radius_top) == (1.0, 0.0)


@pytest.mark.parametrize(("axis", "half"), [("X", (0, 3, 1)), ("Y", (1, 0, 3)), ("Z", (1, 3, 0))])
def test_planes_lie_across_their_axis(
    tmp_path: Path, axis: str, half: tuple[float, float, float]
) -> None:
    members = f'double width = 2\ndouble length = 6\nuniform token axis = "{axis}"'
    found = read(tmp_path, f'def Plane "A" {{ {members} }}')
    points, triangles = surface(found)
    np.testing.assert_allclose(points.max(axis=0), half, atol=1e-12)
    normal = areas(points, triangles).sum(axis=0)
    np.testing.assert_allclose(normal, np.eye(3)["XYZ".index(axis)] * 12, atol=1e-12)
    assert found.json["materials"][0]["doubleSided"] is True


def test_hidden_prims_have_no_mesh(tmp_path: Path) -> None:
    body = """
    def Xform "Group" {
        token visibility = "invisible"
        def Sphere "Hidden" {}
        def Sphere "Solid" (apiSchemas = ["PhysicsCollisionAPI"]) {}
    }
    def Sphere "Guide" { uniform token purpose = "guide" }
    def Sphere "Seen" {}
    """
    found = read(tmp_path, body)
    assert [name for name, node in found.nodes.items() if "mesh" in node] == ["Seen"]
    assert len(found.scene.colliders) == 1
    assert [loss.pointer for loss in found.losses] == ["/Group/Hidden", "/Guide"]


def test_prims_without_a_glTF_equivalent_are_reported(tmp_path: Path) -> None:  # noqa: N802
    body = 'def BasisCurves "Hair" {}\ndef Camera "Eye" {}\ndef SphereLight "Sun" {}'
    found = read(tmp_path, body)
    assert {loss.pointer for loss in found.losses} == {"/Hair", "/Eye", "/Sun"}
    assert sorted(found.nodes) == ["Eye", "Hair", "Sun"]


# --- materials ---

LOOK = """
def Material "Look"
{{
    token outputs:surface.connect = </Look/Surface.outputs:surface>
    def Shader "Surface"
    {{
        uniform token info:id = "UsdPreviewSurface"
        {inputs}
        token outputs:surface
    }}
    {more}
}}
def Sphere "Ball" (apiSchemas = ["MaterialBindingAPI"]) {{ rel material:binding = </Look> }}
"""


def test_constants_of_preview_surfaces(tmp_path: Path) -> None:
    inputs = """
        color3f inputs:diffuseColor = (0.25, 0.5, 0.75)
        float inputs:metallic = 0.125
        float inputs:roughness = 0.375
        float inputs:opacity = 0.5
        color3f inputs:emissiveColor = (1, 0, 0)
    """
    found = read(tmp_path, LOOK.format(inputs=inputs, more=""))
    assert found.json["materials"] == [
        {
            "name": "Look",
            "pbrMetallicRoughness": {
                "baseColorFactor": [0.25, 0.5, 0.75, 0.5],
                "metallicFactor": 0.125,
                "roughnessFactor": 0.375,
            },
            "emissiveFactor": [1.0, 0.0, 0.0],
            "alphaMode": "BLEND",
        }
    ]
    assert found.json["meshes"][0]["primitives"][0]["material"] == 0
    assert not found.losses


TEXTURE = """
def Shader "Image"
{{
    uniform token info:id = "UsdUVTexture"
    asset inputs:file = @{file}@
    token inputs:wrapS = "clamp"
    float3 outputs:rgb
}}
"""
CONNECTED = "color3f inputs:diffuseColor.connect = </Look/Image.outputs:rgb>"


def png() -> bytes:
    """One red pixel."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + content))
        return struct.pack(">I", len(content)) + kind + content + check

    header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixels = zlib.compress(b"\x00\xff\x00\x00")
    parts = chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


def test_the_texture_of_a_colour_is_taken_into_the_file(tmp_path: Path) -> None:
    (tmp_path / "red.png").write_bytes(png())
    more = TEXTURE.format(file="./red.png")
    found = read(tmp_path, LOOK.format(inputs=CONNECTED, more=more))
    material = found.json["materials"][0]["pbrMetallicRoughness"]
    assert material["baseColorTexture"] == {"index": 0}
    assert material["baseColorFactor"] == [1.0, 1.0, 1.0, 1.0]
    assert found.json["samplers"] == [{"wrapS": 33071, "wrapT": 10497}]
    image = found.json["images"][0]
    view = found.json["bufferViews"][image["bufferView"]]
    content = found.document.read_buffer(0)[view["byteOffset"] :][: view["byteLength"]]
    assert bytes(content) == png()
    assert not found.losses


@pytest.mark.parametrize("file", ["./none.png", "./text.png", "../outside.png", "/etc/passwd"])
def test_missing_textures_are_reported(tmp_path: Path, file: str) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "outside.png").write_bytes(png())
    (tmp_path / "in" / "text.png").write_text("no PNG or JPEG image")
    more = TEXTURE.format(file=file)
    found = read(tmp_path / "in", LOOK.format(inputs=CONNECTED, more=more))
    assert "images" not in found.json
    assert found.lost("/Look/Image") == ["a texture"]


def test_subsets_have_their_own_materials(tmp_path: Path) -> None:
    more = """
    color3f[] primvars:displayColor = [(1, 0, 0)]
    def GeomSubset "Second" (apiSchemas = ["MaterialBindingAPI"])
    {
        uniform token elementType = "face"
        uniform token familyName = "materialBind"
        int[] indices = [1]
        rel material:binding = </Look>
    }
    """
    body = SQUARE.format(head="", more=more) + LOOK.format(inputs="", more="")
    found = read(tmp_path, body)
    (mesh,) = [m for m in found.json["meshes"] if m["name"] == "M"]
    names = [found.json["materials"][p["material"]].get("name") for p in mesh["primitives"]]
    assert names == ["Look", None]
    counts = [found.json["accessors"][p["indices"]]["count"] for p in mesh["primitives"]]
    assert counts == [6, 6]
    shared = [p["attributes"]["POSITION"] for p in mesh["primitives"]]
    assert shared[0] == shared[1]


def test_colours_of_faces_are_those_of_their_points(tmp_path: Path) -> None:
    more = 'color3f[] primvars:displayColor = [(1, 0, 0), (0, 0, 1)] (interpolation = "uniform")'
    found = read(tmp_path, SQUARE.format(head="", more=more))
    points, colors = surface(found)[0], attribute(found, "COLOR_0")
    assert len(points) == 8
    for point, color in zip(points, colors, strict=True):
        if point[0] != 1:  # between the faces there is one of each
            np.testing.assert_array_equal(color, [1, 0, 0] if point[0] < 1 else [0, 0, 1])
    assert not found.losses


def test_other_shaders_are_reported(tmp_path: Path) -> None:
    body = LOOK.format(inputs="", more="").replace("UsdPreviewSurface", "SomethingElse")
    found = read(tmp_path, body)
    assert found.lost("/Look") == ["a material"]

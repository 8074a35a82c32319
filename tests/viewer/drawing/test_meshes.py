"""Meshes cut out of documents: valid by themselves, with all that shows and nothing else."""

import json
import struct
from pathlib import Path

import numpy as np
import pytest

from ligament.gltf import Document, loads
from ligament.gltf.accessors import append_accessor, read_accessor
from ligament.gltf.mesh import read_mesh
from ligament.viewer.drawing.meshes import colour_of, cut_mesh, normals_of, skinned_parts
from tests.judges import assert_valid
from tests.viewer.files import RED, add_box, png


def parsed(glb: bytes) -> dict:
    length = struct.unpack("<I", glb[12:16])[0]
    return json.loads(glb[20 : 20 + length])


def textured(image: dict, **texture: object) -> Document:
    document = Document({"asset": {"version": "2.0"}})
    mesh = add_box(document, RED)
    primitive = document.json["meshes"][mesh]["primitives"][0]
    primitive["attributes"]["TEXCOORD_0"] = append_accessor(document, np.zeros((36, 2)))
    info = {"index": 0, "texCoord": 0, **texture}
    document.json["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"] = info
    document.json |= {"textures": [{"source": 0}], "images": [image]}
    return document


def test_a_piece_is_a_valid_file_with_the_same_triangles(tmp_path: Path) -> None:
    document = Document({"asset": {"version": "2.0"}})
    add_box(document, RED)
    add_box(document, (0, 1, 0), 2.0)
    (piece,) = cut_mesh(document, 1)
    (tmp_path / "piece.glb").write_bytes(piece.glb)
    assert_valid(tmp_path / "piece.glb")
    assert piece.is_surface
    assert piece.low.tolist() == [-1] * 3
    assert piece.high.tolist() == [1] * 3
    cut = loads(piece.glb)
    before, after = read_mesh(document, 1)[0], read_mesh(cut, 0)[0]
    assert (before.points[before.triangles] == after.points[after.triangles]).all()
    factor = cut.json["materials"][0]["pbrMetallicRoughness"]["baseColorFactor"]
    assert factor == [0, 1, 0, 1.0]
    assert len(cut.json["meshes"]) == len(cut.json["materials"]) == 1


def test_each_primitive_is_a_piece_since_they_may_differ_in_attributes() -> None:
    document = Document({"asset": {"version": "2.0"}})
    mesh = add_box(document, RED)
    primitives = document.json["meshes"][mesh]["primitives"]
    bare = {"attributes": {"POSITION": primitives[0]["attributes"]["POSITION"]}, "mode": 0}
    primitives.append(bare)
    surface, points = cut_mesh(document, mesh)
    assert surface.is_surface
    assert not points.is_surface
    assert parsed(points.glb)["meshes"][0]["primitives"][0]["mode"] == 0


def test_pictures_come_along_wherever_they_are(tmp_path: Path) -> None:
    (tmp_path / "red.png").write_bytes(png(255, 0, 0))
    from_file = textured({"uri": "red.png"})
    from_file.folder = tmp_path
    in_buffer = textured({"mimeType": "image/png"})
    in_buffer.json["images"][0]["bufferView"] = in_buffer.append_view(png(255, 0, 0))
    for document in (from_file, in_buffer):
        (piece,) = cut_mesh(document, 0)
        (tmp_path / "piece.glb").write_bytes(piece.glb)
        assert_valid(tmp_path / "piece.glb")
        cut = parsed(piece.glb)
        assert cut["images"][0]["mimeType"] == "image/png"
        assert "uri" not in cut["images"][0]


def test_materials_omit_members_that_the_page_cannot_show() -> None:
    missing = textured({"uri": "gone.png"})
    missing.folder = Path("/nonexistent")
    with pytest.warns(UserWarning, match="an image is not shown"):
        (piece,) = cut_mesh(missing, 0)
    material = parsed(piece.glb)["materials"][0]
    assert "baseColorTexture" not in material["pbrMetallicRoughness"]
    foreign = textured({"uri": "data:image/png;base64,"}, extensions={"ACME_x": {}})
    foreign.json["materials"][0] |= {
        "extensions": {
            "VRMC_materials_mtoon": {"shadeMultiplyTexture": {"index": 9}},
            "KHR_materials_unlit": {},
        },
        "extras": {"note": 1},
    }
    (piece,) = cut_mesh(foreign, 0)
    cut = parsed(piece.glb)
    assert cut["extensionsUsed"] == ["KHR_materials_unlit"]
    assert list(cut["materials"][0]["extensions"]) == ["KHR_materials_unlit"]
    assert "extras" not in cut["materials"][0]


def test_transforms_of_textures_are_kept() -> None:
    moved = {"KHR_texture_transform": {"scale": [2, 2]}}
    document = textured({"mimeType": "image/png"}, extensions=moved)
    document.json["images"][0]["bufferView"] = document.append_view(png(9, 9, 9))
    (piece,) = cut_mesh(document, 0)
    cut = parsed(piece.glb)
    info = cut["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]
    assert info["extensions"] == moved
    assert cut["extensionsUsed"] == ["KHR_texture_transform"]


def test_morph_targets_are_mixed_in() -> None:
    document = Document({"asset": {"version": "2.0"}})
    mesh = add_box(document, RED)
    offset = append_accessor(document, np.tile([0.0, 3.0, 0.0], (36, 1)), bounds=True)
    document.json["meshes"][mesh]["primitives"][0]["targets"] = [{"POSITION": offset}]
    (piece,) = cut_mesh(document, mesh, weights=[0.5])
    assert piece.low[1] == pytest.approx(1.0, abs=1e-6)


def test_smooth_normals_of_a_flat_square_stand_on_it() -> None:
    points = np.array([[0, 0, 0], [1, 0, 0], [1, 0, -1], [0, 0, -1.0]])
    normals = normals_of(points, np.array([[0, 1, 2], [0, 2, 3]]))
    assert normals == pytest.approx(np.tile([0, 1, 0], (4, 1)), abs=1e-12)


def test_a_colour_stands_for_a_material_and_its_picture() -> None:
    document = textured({"mimeType": "image/png"})
    document.json["images"][0]["bufferView"] = document.append_view(png(255, 128, 0))
    document.json["materials"][0]["pbrMetallicRoughness"]["baseColorFactor"] = [1, 1, 1, 1]
    # The curve of the screen is taken as a power, which is right to 1 %.
    assert colour_of(document, 0) == pytest.approx([1, 128 / 255, 0, 1], abs=0.01)
    assert colour_of(document, None).tolist() == [1, 1, 1, 1]


def test_bound_bones_drag_points_as_the_file_means(tmp_path: Path) -> None:
    """Two bones, the second with a scale above it: points follow as joint · inverse bind says."""
    document = Document({"asset": {"version": "2.0"}})
    mesh = add_box(document, RED)
    primitive = document.json["meshes"][mesh]["primitives"][0]
    count = 36
    points = read_accessor(document, primitive["attributes"]["POSITION"])
    upper = (points[:, 1] > 0).astype(float)
    weights = np.stack([1 - upper, upper, 0 * upper, 0 * upper], axis=1)
    joints = np.tile(np.array([0, 1, 0, 0], np.uint8), (count, 1))
    primitive["attributes"] |= {
        "JOINTS_0": append_accessor(document, joints),
        "WEIGHTS_0": append_accessor(document, weights),
    }
    rest = np.tile(np.eye(4), (2, 1, 1))
    rest[1, :3, :3] *= 0.01
    rest[:, :3, 3] = [[0, 0, 0], [0, 0.5, 0]]
    binds = append_accessor(document, np.linalg.inv(rest))
    document.json["skins"] = [{"joints": [0, 1], "inverseBindMatrices": binds}]
    (part,) = skinned_parts(document, mesh, 0, rest)
    assert part.weights.sum(axis=1) == pytest.approx(1)
    assert part.bound_translation == pytest.approx(rest[:, :3, 3], abs=1e-6)
    assert part.points == pytest.approx(points, abs=1e-6)

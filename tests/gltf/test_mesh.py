"""Meshes as points and triangles."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ligament.errors import ContentError
from ligament.gltf import load, loads
from ligament.gltf.mesh import read_mesh
from tests.gltf.documents import Builder, glb_bytes, write_everything

POINTS = np.arange(18, dtype=float).reshape(6, 3)


def document(indices: Any = None, code: str = "u2", points: Any = POINTS, **members: Any) -> Any:
    b = Builder()
    kind = f"VEC{np.shape(points)[1]}" if np.ndim(points) > 1 else "SCALAR"
    attributes = {"POSITION": b.accessor(points, kind=kind)}
    primitive: dict[str, Any] = {"attributes": attributes}
    if indices is not None:
        primitive["indices"] = b.accessor(indices, code)
    primitive |= members
    root = b.root(meshes=[{"primitives": [{"attributes": attributes}, primitive]}])
    return loads(glb_bytes(root, bytes(b.data)), path="a.glb")


def triangles(indices: Any = None, **members: Any) -> list[list[int]]:
    geometry = read_mesh(document(indices, **members), 0)[1]
    assert (geometry.points == POINTS).all()
    return geometry.triangles.tolist()


def test_a_list_of_triangles() -> None:
    assert triangles([0, 1, 2, 3, 4, 5]) == [[0, 1, 2], [3, 4, 5]]
    assert triangles() == [[0, 1, 2], [3, 4, 5]]
    assert triangles([0, 1, 2, 3]) == [[0, 1, 2]]
    assert triangles([0, 1]) == []


def test_strips_and_fans_keep_their_winding() -> None:
    """3.7.2.1: p_i = {v_i, v_(i + 1 + i % 2), v_(i + 2 - i % 2)}; {v_(i + 1), v_(i + 2), v_0}."""
    assert triangles([5, 4, 3, 2, 1], mode=5) == [[5, 4, 3], [4, 2, 3], [3, 2, 1]]
    assert triangles([5, 4, 3, 2, 1], mode=6) == [[4, 3, 5], [3, 2, 5], [2, 1, 5]]
    assert triangles([5, 4, 3], mode=5) == [[5, 4, 3]]
    assert triangles([5, 4], mode=5) == triangles([5, 4], mode=6) == []


@pytest.mark.parametrize("mode", [0, 1, 2, 3])
def test_points_and_lines_have_no_triangles(mode: int) -> None:
    assert triangles([0, 1, 2], mode=mode) == []


@pytest.mark.parametrize("code", ["u1", "u2", "u4"])
def test_indices_of_every_type(code: str) -> None:
    assert triangles([0, 1, 5], code=code) == [[0, 1, 5]]


def test_corners_are_the_vertices_in_use() -> None:
    assert read_mesh(document([4, 1, 4], mode=1), 0)[1].corners.tolist() == [4, 1, 4]
    assert read_mesh(document([5, 1, 3, 0]), 0)[1].corners.tolist() == [5, 1, 3, 0]
    assert read_mesh(document(mode=0), 0)[1].corners.tolist() == [0, 1, 2, 3, 4, 5]


def test_attributes_that_are_asked_for() -> None:
    b = Builder()
    colors, texture = np.arange(24).reshape(6, 4), np.arange(12).reshape(6, 2)
    attributes = {
        "POSITION": b.accessor(POINTS, kind="VEC3"),
        "COLOR_0": b.accessor(colors, "u1", "VEC4"),
        "COLOR_1": b.accessor(colors[::-1], "u1", "VEC4"),
        "TEXCOORD_0": b.accessor(texture, kind="VEC2"),
    }
    root = b.root(meshes=[{"primitives": [{"attributes": attributes}]}])
    doc = loads(glb_bytes(root, bytes(b.data)), path="a.glb")
    assert read_mesh(doc, 0)[0].attributes == {}
    found = read_mesh(doc, 0, attributes=("COLOR_",))[0].attributes
    assert sorted(found) == ["COLOR_0", "COLOR_1"]
    assert found["COLOR_1"].tolist() == colors[::-1].tolist()
    doc.json["accessors"][1]["count"] = 5
    with pytest.raises(ContentError, match="5 elements for 6 vertices") as caught:
        read_mesh(doc, 0, attributes=("COLOR_",))
    assert caught.value.pointer == "/meshes/0/primitives/0/attributes/COLOR_0"


def test_the_sample(tmp_path: Path) -> None:
    (geometry,) = read_mesh(load(write_everything(tmp_path, "a.gltf")), 0)
    assert geometry.points.tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert geometry.triangles.tolist() == [[0, 1, 2], [0, 2, 3]]
    assert (geometry.points.dtype, geometry.triangles.dtype) == (np.float64, np.int64)


@pytest.mark.parametrize(
    ("arguments", "pointer", "message"),
    [
        ({"indices": [0, 1, 6]}, "/meshes/0/primitives/1/indices", "index 6 of 6 vertices"),
        ({"indices": [0, -1, 2], "code": "i2"}, "/meshes/0/primitives/1/indices", "unsigned"),
        ({"indices": [0, 1e30, 2], "code": "f4"}, "/meshes/0/primitives/1/indices", "unsigned"),
        ({"points": POINTS[:, :2]}, "/meshes/0/primitives/0/attributes/POSITION", "not a VEC3"),
        ({"points": POINTS[:, 0]}, "/meshes/0/primitives/0/attributes/POSITION", "not a VEC3"),
        ({"attributes": {}}, "/meshes/0/primitives/1/attributes", "no POSITION"),
        ({"attributes": {"POSITION": 7}}, "/accessors", "no element 7"),
        ({"mode": 7}, "/meshes/0/primitives/1/mode", "<= 6"),
        ({"indices": [0, 6], "mode": 1}, "/meshes/0/primitives/1/indices", "index 6 of 6"),
    ],
)
def test_faults_are_reported_with_their_place(
    arguments: dict[str, Any], pointer: str, message: str
) -> None:
    with pytest.raises(ContentError, match=message) as caught:
        read_mesh(document(**arguments), 0)
    assert (caught.value.pointer, caught.value.file) == (pointer, "a.glb")


def test_a_mesh_that_is_not_there() -> None:
    with pytest.raises(ContentError, match="no element 3"):
        read_mesh(document(), 3)

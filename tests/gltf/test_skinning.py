"""Morph targets and skins, against positions computed by hand."""

from __future__ import annotations

from typing import Any

import DracoPy
import numpy as np
import pytest

from ligament.errors import ContentError
from ligament.gltf import loads
from ligament.gltf.document import Document
from ligament.gltf.skinning import read_posed_mesh, skin_matrices
from ligament.gltf.tree import NodeTree
from tests.gltf.documents import Builder, glb_bytes

POINTS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
UP, ASIDE = [[0, 2, 0]] * 4, [[1, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]
JOINTS = [[0, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0]]
WEIGHTS = [[1, 0, 0, 0], [1, 0, 0, 0], [0.5, 0.5, 0, 0], [2, 0, 0, 0]]


def document(
    attributes: dict[str, tuple[Any, str]] | None = None, **members: Any
) -> tuple[Document, np.ndarray[Any, Any]]:
    """A mesh with two morph targets, and a skin of two nodes: at (0, 0, 5), and turned half over.

    The second joint was bound at (1, 0, 0), so that its inverse moves by (-1, 0, 0).
    """
    b = Builder()
    binds = np.tile(np.eye(4), (2, 1, 1))
    binds[1, 0, 3] = -1
    given = {"JOINTS_0": (JOINTS, "u1"), "WEIGHTS_0": (WEIGHTS, "f4")}
    given = given if attributes is None else attributes
    primitive = {
        "attributes": {
            "POSITION": b.accessor(POINTS, kind="VEC3"),
            **{name: b.accessor(v, code, "VEC4") for name, (v, code) in given.items()},
        },
        "indices": b.accessor([0, 2, 1, 0, 1, 3], "u2"),
        "targets": [
            {"POSITION": b.accessor(UP, kind="VEC3")},
            {"POSITION": b.accessor(ASIDE, kind="VEC3"), "NORMAL": 99},
            {},
        ],
    }
    skin = {
        "joints": [1, 2],
        "inverseBindMatrices": b.accessor(binds.transpose(0, 2, 1), kind="MAT4"),
    }
    nodes = [
        {"mesh": 0, "skin": 0, "translation": [100, 100, 100]},
        {"translation": [0, 0, 5], "children": [2]},
        {"rotation": [0, 0, 1, 0]},
    ]
    root = b.root(meshes=[{"primitives": [primitive], **members}], nodes=nodes, skins=[skin])
    doc = loads(glb_bytes(root, bytes(b.data)), path="a.glb")
    return doc, np.asarray(NodeTree(doc).world_matrices())


def points(doc: Document, **options: Any) -> list[list[float]]:
    (geometry,) = read_posed_mesh(doc, 0, **options)
    return geometry.points.round(12).tolist()


def test_without_anything_it_is_the_mesh() -> None:
    assert points(document()[0]) == POINTS.tolist()


def test_morph_targets_are_added_by_weight() -> None:
    doc, _ = document(weights=[0.5, 0, 0])
    assert points(doc) == (POINTS + np.array([0, 1, 0])).tolist()
    assert points(doc, weights=[0, 0, 7]) == POINTS.tolist()
    expected = [[-1, 4, 0], [1, 4, 0], [0, 5, 0], [0, 4, 1]]
    assert points(doc, weights=[2, -1, 0]) == expected


def test_a_place_moves_what_has_no_skin() -> None:
    place = np.diag([2.0, 1, 1, 1])
    place[2, 3] = 3
    assert points(document()[0], place=place) == (POINTS * [2, 1, 1] + [0, 0, 3]).tolist()


def test_joints_move_their_vertices() -> None:
    doc, world = document()
    found = points(doc, joints=skin_matrices(doc, 0, world), place=np.diag([9, 9, 9, 1.0]))
    assert found == [
        [0, 0, 5],  # joint 0 only moves
        [0, 0, 5],  # joint 1: (1, 0, 0) - (1, 0, 0), turned, moved
        [0.5, 0, 5],  # half (0, 1, 5), half (-1, 1, 0) turned: (1, -1, 5)
        [1, 0, 6],  # weights of 2 count as 1: (-1, 0, 1) turned
    ]


def test_morphing_comes_before_skinning() -> None:
    doc, world = document()
    found = points(doc, joints=skin_matrices(doc, 0, world), weights=[1, 0, 0])
    assert found == [[0, 2, 5], [0, -2, 5], [0.5, 0, 5], [1, -2, 6]]


def test_more_than_four_joints() -> None:
    nothing = [[0, 0, 0, 0]] * 4
    attributes = {
        "JOINTS_0": (nothing, "u2"),
        "WEIGHTS_0": ([[0.5, 0, 0, 0]] * 4, "f4"),
        "JOINTS_1": ([[0, 1, 0, 0]] * 4, "u2"),
        "WEIGHTS_1": ([[0, 0.5, 0, 0]] * 4, "f4"),
    }
    doc, world = document(attributes)
    found = points(doc, joints=skin_matrices(doc, 0, world))
    half = 0.5 * POINTS + 0.5 * (POINTS * [-1, -1, 1] + [1, 0, 0]) + [0, 0, 5]
    assert found == half.tolist()


def test_a_vertex_without_weights_follows_its_first_joint() -> None:
    nothing = [[0.0, 0, 0, 0]] * 4
    doc, world = document({"JOINTS_0": ([[1, 0, 0, 0]] * 4, "u1"), "WEIGHTS_0": (nothing, "f4")})
    found = points(doc, joints=skin_matrices(doc, 0, world))
    assert found == ((POINTS - [1, 0, 0]) * [-1, -1, 1] + [0, 0, 5]).tolist()


def test_weights_of_compressed_meshes_need_no_divisor() -> None:
    """Draco gives integers as they are stored; a weight counts by its share of the sum."""
    shares = np.array([[255, 0, 0, 0], [0, 255, 0, 0], [85, 170, 0, 0]], np.uint8)
    faces = np.array([[0, 1, 2]], np.uint32)
    data = DracoPy.encode(
        POINTS[:3].astype(np.float32),
        faces,
        preserve_order=True,
        quantization_bits=0,
        generic_attributes={7: shares, 8: np.tile(np.array([0, 1, 0, 0], np.uint8), (3, 1))},
    )
    b = Builder()
    ids = {"POSITION": 9, "WEIGHTS_0": 7, "JOINTS_0": 8}  # positions come last
    accessor = {"componentType": 5126, "count": 3, "type": "VEC3"}
    b.accessors.append(accessor)
    draco = {"bufferView": b.view(data), "attributes": ids}
    primitive = {
        "attributes": dict.fromkeys(ids, 0),
        "extensions": {"KHR_draco_mesh_compression": draco},
    }
    doc = loads(glb_bytes(b.root(meshes=[{"primitives": [primitive]}]), bytes(b.data)))
    joints = np.tile(np.eye(4), (2, 1, 1))
    joints[1, 2, 3] = 3
    assert points(doc, joints=joints) == [[0, 0, 0], [1, 0, 3], [0, 1, 2]]


@pytest.mark.parametrize("sign", [1, -1])
def test_mirrors_turn_triangles_over(sign: int) -> None:
    place = np.diag([sign, 1.0, 1, 1])
    order = slice(None, None, sign)
    expected = [[0, 2, 1][order], [0, 1, 3][order]]
    doc, _ = document()
    assert read_posed_mesh(doc, 0, place=place)[0].triangles.tolist() == expected
    joints = np.stack([place, place])
    assert read_posed_mesh(doc, 0, joints=joints)[0].triangles.tolist() == expected


def test_meshes_without_joints_are_not_skinned() -> None:
    doc, world = document({})
    joints = skin_matrices(doc, 0, world)
    assert points(doc, joints=joints, place=np.diag([2.0, 2, 2, 1])) == (2 * POINTS).tolist()


def test_joints_are_where_they_are_without_inverse_bind_matrices() -> None:
    doc, world = document()
    del doc.json["skins"][0]["inverseBindMatrices"]
    assert skin_matrices(doc, 0, world).tolist() == world[[1, 2]].tolist()


@pytest.mark.parametrize(
    ("attributes", "pointer", "message"),
    [
        ({"JOINTS_0": (JOINTS, "u1")}, "attributes", "no WEIGHTS_0"),
        (
            {"JOINTS_0": ([[0, 2, 0, 0]] * 4, "u1"), "WEIGHTS_0": (WEIGHTS, "f4")},
            "attributes/JOINTS_0",
            "beyond the skin",
        ),
        (
            {"JOINTS_0": (WEIGHTS, "f4"), "WEIGHTS_0": (WEIGHTS, "f4")},
            "attributes/JOINTS_0",
            "beyond the skin",
        ),
    ],
)
def test_bad_joints(attributes: dict[str, Any], pointer: str, message: str) -> None:
    doc, world = document(attributes)
    with pytest.raises(ContentError, match=message) as caught:
        read_posed_mesh(doc, 0, joints=skin_matrices(doc, 0, world))
    assert caught.value.pointer == f"/meshes/0/primitives/0/{pointer}"
    assert caught.value.file == "a.glb"


def test_bad_targets() -> None:
    doc, _ = document()
    with pytest.raises(ContentError, match="2 weights for 3 morph targets") as caught:
        read_posed_mesh(doc, 0, weights=[1, 2])
    assert caught.value.pointer == "/meshes/0/primitives/0/targets"
    doc.json["meshes"][0]["primitives"][0]["targets"][0]["POSITION"] = 1
    with pytest.raises(ContentError, match="for 4 vertices") as caught:
        read_posed_mesh(doc, 0, weights=[1, 0, 0])
    assert caught.value.pointer == "/meshes/0/primitives/0/targets/0/POSITION"


@pytest.mark.parametrize(
    ("members", "pointer", "message"),
    [
        ({"joints": [1, 9]}, "/skins/0/joints/1", "no node 9"),
        ({"joints": []}, "/skins/0/joints", "has no joints"),
        ({"joints": [0, 1, 2]}, "/skins/0/inverseBindMatrices", "for 3 joints"),
        ({"inverseBindMatrices": 0}, "/skins/0/inverseBindMatrices", "for 2 joints"),
    ],
)
def test_bad_skins(members: dict[str, Any], pointer: str, message: str) -> None:
    doc, world = document()
    doc.json["skins"][0] |= members
    with pytest.raises(ContentError, match=message) as caught:
        skin_matrices(doc, 0, world)
    assert caught.value.pointer == pointer

"""Meshes of a document as shapes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from ligament.errors import ContentError, LigamentError
from ligament.extensions.rigid_bodies import NodeGeometry
from ligament.extensions.shapes import MeshGeometry, Sphere
from ligament.gltf import load, loads
from ligament.gltf.tree import NodeTree
from ligament.physics import geometry
from ligament.physics.geometry import GeometryReader
from ligament.physics.mass import solid
from ligament.physics.shapes import Hull, Mesh, Shape, scaled
from tests.gltf.documents import Builder, glb_bytes
from tests.sampling import IS_SOAK, sample

Floats = npt.NDArray[np.float64]

TETRAHEDRON = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
FACES = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]
HALF_TURN = [0, 1, 0, 0]


class Maker(Builder):
    """Adds meshes to a document of given nodes."""

    def __init__(self) -> None:
        super().__init__()
        self.meshes: list[dict[str, Any]] = []

    def mesh(self, points: Any, indices: Any = None, mode: int = 4, **members: Any) -> int:
        self.meshes.append({"primitives": [self.primitive(points, indices, mode)], **members})
        return len(self.meshes) - 1

    def primitive(self, points: Any, indices: Any = None, mode: int = 4) -> dict[str, Any]:
        result: dict[str, Any] = {
            "attributes": {"POSITION": self.accessor(points, kind="VEC3")},
            "mode": mode,
        }
        if indices is not None:
            result["indices"] = self.accessor(indices, "u2")
        return result

    def reader(self, nodes: list[dict[str, Any]], **members: Any) -> GeometryReader:
        root = self.root(meshes=self.meshes, nodes=nodes, **members)
        document = loads(glb_bytes(root, bytes(self.data)), path="a.glb")
        return GeometryReader(document, NodeTree(document))


def corners(shape: Shape) -> list[list[float]]:
    assert isinstance(shape, Hull | Mesh)
    rounded = shape.points.round(9) + 0.0
    return sorted(rounded.tolist())


def volume(shape: Shape) -> float:
    """Positive only for a surface that faces outwards."""
    assert isinstance(shape, Hull | Mesh)
    return float(np.linalg.det(shape.points[shape.triangles]).sum() / 6)


def tetrahedron() -> Maker:
    maker = Maker()
    maker.mesh(TETRAHEDRON, FACES)
    return maker


def test_parameters_are_shapes_already() -> None:
    assert Maker().reader([{}]).shape(Sphere(2.0), 0) == Sphere(2.0)


@pytest.mark.parametrize("convex", [False, True])
def test_a_mesh_in_its_own_space(convex: bool) -> None:
    """Where the node stands and how it is scaled comes later, and once."""
    reader = tetrahedron().reader([{"translation": [7, 8, 9], "scale": [2, 2, 2]}])
    shape = reader.shape(MeshGeometry(0, convex), 0)
    assert isinstance(shape, Hull if convex else Mesh)
    assert corners(shape) == sorted(TETRAHEDRON)
    assert volume(shape) == pytest.approx(1 / 6)


def test_all_primitives_count_and_seams_are_joined() -> None:
    maker = Maker()
    maker.mesh(TETRAHEDRON, FACES[:6])
    maker.meshes[0]["primitives"].append(maker.primitive(TETRAHEDRON, FACES[6:]))
    shape = maker.reader([{}]).shape(MeshGeometry(0, convex=False), 0)
    assert isinstance(shape, Mesh)
    assert (len(shape.points), len(shape.triangles)) == (4, 4)
    assert solid(shape).volume == pytest.approx(1 / 6)


def test_points_and_lines_count_for_hulls_only() -> None:
    maker = Maker()
    maker.mesh(TETRAHEDRON, FACES)
    maker.meshes[0]["primitives"].append(maker.primitive([[5, 5, 5]], mode=0))
    maker.meshes[0]["primitives"].append(maker.primitive([[0, -5, 0], [0, -6, 0]], mode=1))
    reader = maker.reader([{}])
    assert corners(reader.shape(MeshGeometry(0, convex=False), 0)) == sorted(TETRAHEDRON)
    hull = corners(reader.shape(MeshGeometry(0, convex=True), 0))
    assert [5, 5, 5] in hull
    assert [0, -6, 0] in hull


@pytest.mark.parametrize("convex", [False, True])
@pytest.mark.parametrize("mode", [1, 4])
def test_vertices_that_are_not_used_do_not_count(convex: bool, mode: int) -> None:
    """Primitives and meshes may share one accessor of positions."""
    maker = Maker()
    indices = FACES if mode == 4 else [0, 1, 2, 3]
    maker.mesh([*TETRAHEDRON, [9, 9, 9]], indices, mode)
    if mode == 1:
        maker.meshes[0]["primitives"].append(maker.primitive(TETRAHEDRON, FACES))
    shape = maker.reader([{}]).shape(MeshGeometry(0, convex), 0)
    assert corners(shape) == sorted(TETRAHEDRON)


def test_below_a_node() -> None:
    """The own transform of the named node is left out; what is below it is placed in it."""
    nodes: list[dict[str, Any]] = [
        {"translation": [100, 0, 0]},
        {"translation": [50, 0, 0], "scale": [3, 3, 3], "mesh": 0, "children": [2, 4]},
        {"translation": [0, 10, 0], "rotation": HALF_TURN, "children": [3]},
        {"translation": [1, 0, 0], "mesh": 0},
        {"translation": [0, -10, 0], "scale": [2, 2, 2], "mesh": 0},
    ]
    shape = tetrahedron().reader(nodes).shape(NodeGeometry(1, convex=False), 0)
    own = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    turned = [[-1, 10, 0], [-2, 10, 0], [-1, 11, 0], [-1, 10, -1]]
    large = [[0, -10, 0], [2, -10, 0], [0, -8, 0], [0, -10, 2]]
    assert corners(shape) == sorted(own + turned + large)
    assert volume(shape) == pytest.approx((1 + 1 + 8) / 6)


def test_a_node_may_be_its_own_geometry() -> None:
    reader = tetrahedron().reader([{"mesh": 0, "scale": [5, 5, 5]}])
    assert corners(reader.shape(NodeGeometry(0, convex=True), 0)) == sorted(TETRAHEDRON)


def test_mirrored_meshes_still_face_outwards() -> None:
    nodes: list[dict[str, Any]] = [
        {"children": [1, 2]},
        {"scale": [-1, 1, 1], "mesh": 0, "translation": [-1, 0, 0]},
        {"scale": [1, 1, 1], "mesh": 0, "translation": [1, 0, 0]},
    ]
    reader = tetrahedron().reader(nodes)
    shape = reader.shape(NodeGeometry(0, convex=False), 0)
    assert volume(shape) == pytest.approx(2 / 6)
    mirrored = scaled(reader.shape(NodeGeometry(1, convex=False), 0), np.diag([-1, 1, 1]))
    assert mirrored is not None
    assert volume(mirrored) == pytest.approx(1 / 6)


def test_below_a_flat_node() -> None:
    nodes: list[dict[str, Any]] = [
        {"scale": [0, 1, 1], "children": [1]},
        {"translation": [1, 2, 3], "mesh": 0},
    ]
    shape = tetrahedron().reader(nodes).shape(NodeGeometry(0, convex=True), 0)
    assert corners(shape) == sorted((np.array(TETRAHEDRON) + np.array([1, 2, 3])).tolist())


def morphing() -> Maker:
    maker = tetrahedron()
    target = maker.accessor([[0, 1, 0]] * 4, kind="VEC3")
    maker.meshes[0]["primitives"][0]["targets"] = [{"POSITION": target}]
    maker.meshes[0]["weights"] = [1]
    return maker


@pytest.mark.parametrize(
    ("source", "height"),
    [
        (MeshGeometry(0, convex=False), 1),
        (MeshGeometry(0, convex=False, weights=(5.0,)), 5),
        (MeshGeometry(0, convex=False, use_node_weights=True), 3),
        (MeshGeometry(0, convex=False, weights=(5.0,), use_node_weights=True), 5),
        (NodeGeometry(0, convex=False), 3),
        (NodeGeometry(1, convex=False), 1),
    ],
)
def test_morph_weights(source: MeshGeometry | NodeGeometry, height: float) -> None:
    """Those given, else the node's, else the mesh's."""
    reader = morphing().reader([{"mesh": 0, "weights": [3]}, {"mesh": 0}])
    expected = (np.array(TETRAHEDRON) + np.array([0, height, 0])).tolist()
    assert corners(reader.shape(source, 0)) == sorted(expected)


def test_node_weights_are_those_of_the_collider() -> None:
    reader = morphing().reader([{"weights": [3]}, {"weights": [4]}, {}])
    source = MeshGeometry(0, convex=True, use_node_weights=True)
    lows = [corners(reader.shape(source, node))[0][1] for node in range(3)]
    assert lows == [3, 4, 1]


def skinned(nodes: list[dict[str, Any]]) -> GeometryReader:
    """All vertices follow node 0, which stands at (0, 0, 5)."""
    maker = tetrahedron()
    attributes = maker.meshes[0]["primitives"][0]["attributes"]
    attributes["JOINTS_0"] = maker.accessor(np.zeros((4, 4)), "u1", "VEC4")
    attributes["WEIGHTS_0"] = maker.accessor([[1, 0, 0, 0]] * 4, "f4", "VEC4")
    return maker.reader([{"translation": [0, 0, 5]}, *nodes], skins=[{"joints": [0]}])


def test_a_skin_at_rest_in_the_space_of_the_collider() -> None:
    reader = skinned(
        [
            {"translation": [0, 3, 0]},
            {"scale": [2, 2, 2]},
            {"scale": [1, 0, 1]},
            {"scale": [0, 0, 0]},
        ]
    )
    world = np.array(TETRAHEDRON) + np.array([0, 0, 5])
    source = MeshGeometry(0, convex=False, skin=0)
    assert corners(reader.shape(source, 1)) == sorted((world - [0, 3, 0]).tolist())
    assert corners(reader.shape(source, 2)) == sorted((world / 2).tolist())
    hull = MeshGeometry(0, convex=True, skin=0)
    assert corners(reader.shape(hull, 3)) == [[0, 0, 5], [0, 0, 6], [1, 0, 5]]
    with pytest.raises(ContentError, match="on one line"):
        reader.shape(hull, 4)


def test_a_skin_below_a_node() -> None:
    """A skinned mesh is where its joints are, wherever its own node is."""
    mesh = {"mesh": 0, "skin": 0, "translation": [9, 9, 9]}
    reader = skinned([{"translation": [0, 3, 0], "children": [2]}, mesh])
    expected = np.array(TETRAHEDRON) + np.array([0, -3, 5])
    assert corners(reader.shape(NodeGeometry(1, convex=True), 0)) == sorted(expected.tolist())


def test_shapes_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    reads = []
    read = geometry.read_posed_mesh

    def counted(*arguments: Any, **options: Any) -> Any:
        reads.append(arguments)
        return read(*arguments, **options)

    monkeypatch.setattr(geometry, "read_posed_mesh", counted)
    reader = tetrahedron().reader([{"mesh": 0}] * 5)
    for source in (MeshGeometry(0, convex=True), NodeGeometry(3, convex=False)):
        shapes = {id(reader.shape(source, node)) for node in range(5)}
        assert len(shapes) == 1
    assert len(reads) == 2


@pytest.mark.parametrize(
    ("points", "indices", "mode", "convex", "message"),
    [
        (TETRAHEDRON, [0, 1, 2, 3], 1, False, "no triangle with an area"),
        (TETRAHEDRON, [0, 1], 4, False, "no triangle with an area"),
        ([[0, 0, 0], [1, 1, 1], [3, 3, 3]], None, 4, False, "no triangle with an area"),
        ([[1, 1, 1]] * 3, None, 4, False, "no triangle with an area"),
        (TETRAHEDRON[:3], None, 4, True, "3 points, too few for a hull"),
        (TETRAHEDRON, [0, 1, 2], 4, True, "3 points, too few for a hull"),
        ([[0, 0, 0], [1, 1, 1], [3, 3, 3], [4, 4, 4]], None, 0, True, "on one line"),
        ([[1, 1, 1]] * 4, None, 0, True, "on one line"),
    ],
)
def test_meshes_without_a_shape(
    points: Any, indices: Any, mode: int, convex: bool, message: str
) -> None:
    maker = Maker()
    maker.mesh(points, indices, mode)
    reader = maker.reader([{"mesh": 0}])
    sources = {"/meshes/0": MeshGeometry(0, convex), "/nodes/0": NodeGeometry(0, convex)}
    for pointer, source in sources.items():
        with pytest.raises(ContentError, match=message) as caught:
            reader.shape(source, 0)
        assert (caught.value.pointer, caught.value.file) == (pointer, "a.glb")
        assert caught.value.remedy


def test_missing_geometry_is_refused() -> None:
    reader = tetrahedron().reader([{"children": [1]}, {}])
    with pytest.raises(ContentError, match="no mesh, nor") as caught:
        reader.shape(NodeGeometry(0, convex=False), 0)
    assert caught.value.pointer == "/nodes/0"
    with pytest.raises(ContentError, match="no element 7"):
        reader.shape(MeshGeometry(7, convex=False), 0)
    maker = Maker()
    maker.meshes.append({"primitives": []})
    for convex in (True, False):
        with pytest.raises(ContentError):
            maker.reader([{}]).shape(MeshGeometry(0, convex), 0)


def test_poses_out_of_range() -> None:
    maker = morphing()
    with pytest.raises(ContentError, match="not finite in its pose"):
        maker.reader([{}]).shape(MeshGeometry(0, convex=True, weights=(float("inf"),)), 0)


def test_a_flat_mesh_has_a_flat_hull() -> None:
    maker = Maker()
    maker.mesh([[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1], [0.5, 0, 0.5]], [0, 1, 2, 0, 2, 3, 4])
    shape = maker.reader([{}]).shape(MeshGeometry(0, convex=True), 0)
    assert len(corners(shape)) == 4


def readers(folder: Path) -> Iterator[tuple[GeometryReader, int]]:
    files = sorted([*folder.rglob("*.glb"), *folder.rglob("*.gltf")])
    for file in sample(files, len(files) // 4):
        with contextlib.suppress(LigamentError):  # files that are meant to be broken
            document = load(file)
            reader = GeometryReader(document, NodeTree(document))
            for mesh in range(len(document.array("meshes"))):
                yield reader, mesh


@pytest.mark.filterwarnings("ignore:.*is kept by its URI")
def test_every_mesh_of_the_samples(shared: Path) -> None:
    """As surface and as hull; the hull of what is not convex holds at least its volume."""
    count = 0
    for reader, mesh in readers(shared / "corpus"):
        surface = reader.shape(MeshGeometry(mesh, convex=False), 0)
        assert isinstance(surface, Mesh)
        if len(surface.points) < 4:
            continue
        hull = reader.shape(MeshGeometry(mesh, convex=True), 0)
        assert isinstance(hull, Hull)
        assert solid(hull).volume >= solid(surface).volume * (1 - 1e-4) > 0
        assert {*map(tuple, hull.points)} <= {*map(tuple, surface.points)}
        count += 1
    assert count > (100 if IS_SOAK else 25)


@pytest.mark.filterwarnings("ignore:.*is kept by its URI")
def test_the_hulls_and_surfaces_of_the_conformance_files(shared: Path) -> None:
    """They name a node outside of the scene that has nothing but a mesh."""
    file = shared / "corpus/khr_conformance/RigidBodies_ColliderTypeMatrix_28.gltf"
    document = load(file)
    reader = GeometryReader(document, NodeTree(document))
    by_node = reader.shape(NodeGeometry(3, convex=False), 2)
    by_mesh = reader.shape(MeshGeometry(3, convex=False), 2)
    assert corners(by_node) == corners(by_mesh)

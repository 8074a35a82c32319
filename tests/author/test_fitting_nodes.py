"""Colliders fitted to nodes, as the physics of the written document sees them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import trimesh

from ligament import transforms as tf
from ligament.author.editing.parts import append_collider_mesh
from ligament.author.fitting import (
    Fit,
    FittedCollider,
    Kind,
    NodeFit,
    fit_node,
)
from ligament.errors import ContentError
from ligament.extensions.shapes import MeshGeometry
from ligament.gltf.accessors import append_accessor
from ligament.gltf.document import Document
from ligament.gltf.mesh import read_mesh
from ligament.gltf.tree import NodeTree
from ligament.physics.geometry import GeometryReader
from ligament.physics.mass import solid
from ligament.physics.shapes import Box, Capsule, Cylinder, Hull, Mesh, Sphere
from tests.author.fitted_surfaces import BLOCK, document_of, outside, seen_by_physics

Floats = npt.NDArray[np.float64]

BODIES, SHAPES = "KHR_physics_rigid_bodies", "KHR_implicit_shapes"
SLANT = tf.normalize(np.array([0.2, -0.4, 0.3, 0.8])).tolist()
QUARTER_Z = [0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5)]

CYLINDER = trimesh.creation.cylinder(0.5, 2.0, sections=32)  # along Z
BALL = trimesh.creation.icosphere(3, 0.5)
CONE = trimesh.creation.cone(1.0, 2.0, sections=64)
CONE.vertices = (CONE.vertices - [0, 0, 1])[:, [1, 2, 0]]  # along Y


def declared(document: Document, shape: Any) -> dict[str, Any]:
    """Declare a shape; returns the `geometry` of its collider."""
    match shape:
        case Hull() | Mesh():
            mesh = append_collider_mesh(document, shape)
            return {"mesh": mesh, "convexHull": isinstance(shape, Hull)}
        case Sphere(radius):
            content: dict[str, Any] = {"type": "sphere", "sphere": {"radius": radius}}
        case Box(size):
            content = {"type": "box", "box": {"size": list(size)}}
        case Capsule(height, bottom, top) | Cylinder(height, bottom, top):
            kind = type(shape).__name__.lower()
            sizes = {"height": height, "radiusBottom": bottom, "radiusTop": top}
            content = {"type": kind, kind: sizes}
    document.use_extension(SHAPES)
    extensions = document.json.setdefault("extensions", {})
    shapes = extensions.setdefault(SHAPES, {"shapes": []})["shapes"]
    shapes.append(content)
    return {"shape": len(shapes) - 1}


def carry(document: Document, node: int, collider: FittedCollider) -> None:
    """Add the nodes that a fitted collider asks for, and the collider on the last of them."""
    nodes = document.array("nodes")
    for carrier in collider.carriers:
        members = {name: values.tolist() for name, values in carrier._asdict().items()}
        nodes.append(members)
        nodes[node].setdefault("children", []).append(len(nodes) - 1)
        node = len(nodes) - 1
    document.use_extension(BODIES)
    geometry = declared(document, collider.shape)
    nodes[node].setdefault("extensions", {})[BODIES] = {"collider": {"geometry": geometry}}


def fitted(document: Document, node: int, kind: str = "auto") -> tuple[NodeFit, list[Fit]]:
    """Fit, write, read back; all points of the node must be inside, and the volume be kept."""
    result = fit_node(document, NodeTree(document), node, kind)
    mesh = document.array("nodes")[node]["mesh"]
    points = np.concatenate([part.points for part in read_mesh(document, mesh)])
    world = tf.apply_matrix(NodeTree(document).world_matrices()[node], points)
    for collider in result.colliders:
        carry(document, node, collider)
    seen = seen_by_physics(document)
    for placed in seen:
        # Files keep hulls in single precision, and place nearly upright shapes upright.
        assert outside(placed, np.asarray(world)) < 3e-6 * np.ptp(world, axis=0).max()
    volume = sum(solid(placed.shape).volume for placed in seen)
    assert volume == pytest.approx(solid(result.fit.shape).volume, rel=1e-5)
    return result, seen


@pytest.mark.parametrize(
    ("surface", "nodes", "kind", "carriers"),
    [
        # Upright around the node's own origin: no node is needed for the collider.
        (BLOCK, [{}], Box, 0),
        (BALL, [{"scale": [3, 3, 3], "rotation": SLANT}], Sphere, 0),
        (BLOCK, [{"scale": [3, 0.5, -2], "translation": [1, 2, 3]}], Box, 0),
        (BALL, [{"scale": [-2, -2, -2]}], Sphere, 0),
        # Along another axis: one node that turns.
        (CYLINDER, [{"scale": [2, 2, 2]}], Cylinder, 1),
        (CYLINDER, [{"scale": [0.1, 0.1, 7]}], Cylinder, 1),
        # The sign of the node's own scale does not count for a cone, that of its parent does.
        (CONE, [{"scale": [1, -1, 1]}], Cylinder, 0),
        (CONE, [{"scale": [-2, -2, -2]}], Cylinder, 0),
        (CONE, [{"scale": [1, -1, 1]}, {"scale": [1, -1, 1]}], Cylinder, 0),
        # A block under an uneven scale across two rotations is still a block.
        (BLOCK, [{"scale": [1, 2, 5]}, {"rotation": QUARTER_Z}], Box, 0),
    ],
)
def test_a_collider_is_right_under_the_scale_of_its_node(
    surface: trimesh.Trimesh, nodes: list[dict[str, Any]], kind: type, carriers: int
) -> None:
    document = document_of(surface, *nodes)
    result, (seen,) = fitted(document, len(nodes) - 1)
    assert isinstance(seen.shape, kind)
    assert [len(collider.carriers) for collider in result.colliders] == [carriers]


def stretched_to(surface: trimesh.Trimesh, scale: list[float], turn: list[float]) -> Any:
    """Return what a scale turns into a turned copy of a surface."""
    twin = surface.copy()
    twin.vertices = np.asarray(tf.rotate(turn, surface.vertices)) / scale
    return twin


@pytest.mark.parametrize("scale", [[1, 2, 5], [3, -0.5, 1], [-2, 2, 2]])
@pytest.mark.parametrize(
    ("surface", "kind", "carriers"), [(BALL, Sphere, 1), (BLOCK, Box, 2), (CYLINDER, Cylinder, 2)]
)
def test_scale_is_undone_for_what_it_would_deform(
    surface: trimesh.Trimesh, kind: type, carriers: int, scale: list[float]
) -> None:
    """A block slanting to an uneven scale needs a node that undoes it, and one that turns."""
    node = {"scale": scale, "translation": [0, 3, 0], "rotation": SLANT}
    turn = [0, 0, 0, 1] if kind is Sphere else SLANT
    document = document_of(stretched_to(surface, scale, turn), {"scale": [2, 2, 2]}, node)
    result, (seen,) = fitted(document, 1)
    assert isinstance(seen.shape, kind)
    # A mirrored ball is a ball.
    expected = 0 if kind is Sphere and len({abs(s) for s in scale}) == 1 else carriers
    assert len(result.colliders[0].carriers) == expected
    ideal = solid(result.fit.shape).volume / (8 * abs(surface.volume))
    assert 1 <= ideal * (1 + 1e-6) < 1.02


def test_a_ball_within_a_turned_uneven_scale_needs_one_node() -> None:
    # Turned there and back: the scale is along axes between those of the node.
    back = np.asarray(tf.conjugate(np.array(SLANT))).tolist()
    nodes = [{"rotation": SLANT}, {"scale": [1, 2, 3]}, {"rotation": back}]
    document = document_of(BALL, *nodes)
    stretch = NodeTree(document).world_matrices()[2][:3, :3]
    round_again = BALL.copy()
    round_again.vertices = BALL.vertices @ np.linalg.inv(stretch).T
    document = document_of(round_again, *nodes)
    result, (seen,) = fitted(document, 2)
    assert isinstance(seen.shape, Sphere)
    assert seen.shape.radius == pytest.approx(0.5, rel=1e-5)
    assert len(result.colliders[0].carriers) == 1


@pytest.mark.parametrize("kind", ["auto", "box", "sphere", "hull"])
def test_sheared_nodes_get_a_hull(kind: str) -> None:
    document = document_of(BLOCK, {"scale": [1, 3, 1]}, {"rotation": SLANT}, {"scale": [1, 1, 2]})
    result, (seen,) = fitted(document, 2, kind)
    assert isinstance(seen.shape, Hull)
    assert result.fit.kind == Kind.HULL
    assert solid(seen.shape).volume == pytest.approx(6 * 3 * 2, rel=1e-5)


@pytest.mark.parametrize("scale", [[2, 3, 4], [-1, 1, 1]])
def test_a_mesh_stays_in_the_space_of_its_node(scale: list[float]) -> None:
    torus = trimesh.creation.torus(1.0, 0.3, major_sections=12, minor_sections=8)
    document = document_of(torus, {"scale": scale})
    result = fit_node(document, NodeTree(document), 0, "mesh")
    (collider,) = result.colliders
    assert collider.carriers == ()
    assert isinstance(collider.shape, Mesh)
    # Counter-clockwise from outside, in a node that mirrors too (glTF 2.0, 3.7.4).
    corners = collider.shape.points[collider.shape.triangles]
    assert np.linalg.det(corners).sum() / 6 == pytest.approx(torus.volume, rel=1e-5)


def test_meshes_below_a_node_are_included_where_asked() -> None:
    document = document_of(BLOCK, {}, {"translation": [10, 0, 0]})
    tree = NodeTree(document)
    document.array("nodes")[0]["mesh"] = 0
    alone = fit_node(document, tree, 0, "box").fit.shape
    both = fit_node(document, tree, 0, "box", below=True).fit.shape
    assert isinstance(alone, Box)
    assert isinstance(both, Box)
    assert alone.size == pytest.approx((1, 2, 3))
    assert both.size == pytest.approx((11, 2, 3))


def test_weights_of_the_node_count() -> None:
    document = document_of(BLOCK, {"weights": [1.0]})
    (primitive,) = document.array("meshes")[0]["primitives"]
    points = read_mesh(document, 0)[0].points
    target = append_accessor(document, (points * [1, 0, 0]).astype(np.float32), bounds=True)
    primitive["targets"] = [{"POSITION": target}]
    shape = fit_node(document, NodeTree(document), 0).fit.shape
    assert shape == Box((pytest.approx(2), pytest.approx(2), pytest.approx(3)))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"mesh": None}, "has no mesh"),
        ({"scale": [1, 0, 1]}, "a scale of 0"),
        ({"mesh": 5}, "no element 5"),
    ],
)
def test_nodes_that_cannot_be_fitted(change: dict[str, Any], said: str) -> None:
    document = document_of(BLOCK, {"name": "Block"})
    node = document.array("nodes")[0]
    node.update(change)
    if node["mesh"] is None:
        del node["mesh"]
    with pytest.raises(ContentError, match=said) as caught:
        fit_node(document, NodeTree(document), 0)
    assert caught.value.pointer
    assert caught.value.remedy


def test_a_mesh_without_triangles_says_what_to_do() -> None:
    document = document_of(BLOCK, {})
    document.array("meshes")[0]["primitives"][0]["mode"] = 0
    with pytest.raises(ContentError, match="triangle") as caught:
        fit_node(document, NodeTree(document), 0)
    assert caught.value.remedy


def test_a_flat_mesh_names_its_node() -> None:
    plate = trimesh.Trimesh([[0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 0, 1]], [[0, 1, 2], [1, 3, 2]])
    document = document_of(plate, {})
    with pytest.raises(ContentError, match="/nodes/0: all points are in one plane"):
        fit_node(document, NodeTree(document), 0, "box")
    assert fit_node(document, NodeTree(document), 0).fit.kind == Kind.HULL


@pytest.mark.parametrize("shape", [Hull(BALL.vertices), Mesh(BALL.vertices, BALL.faces)])
def test_meshes_that_only_physics_sees(shape: Hull | Mesh) -> None:
    document = document_of(BLOCK, {})
    unused = np.concatenate([shape.points, [[100.0, 0, 0]]])
    given = Mesh(unused, shape.triangles) if isinstance(shape, Mesh) else shape
    index = append_collider_mesh(document, given, name="Collider")
    assert document.array("meshes")[index]["name"] == "Collider"
    assert all(node["mesh"] != index for node in document.array("nodes"))
    (part,) = read_mesh(document, index)
    assert len(part.points) == len(shape.points)
    source = MeshGeometry(index, convex=isinstance(shape, Hull))
    again = GeometryReader(document, NodeTree(document)).shape(source, 0)
    assert type(again) is type(shape)
    assert solid(again).volume == pytest.approx(solid(shape).volume, rel=1e-5)


def test_shapes_without_a_surface_have_no_mesh() -> None:
    empty = Mesh(np.zeros((4, 3)), np.empty((0, 3), np.int64))
    with pytest.raises(ContentError, match="no triangles"):
        append_collider_mesh(Document(), empty)

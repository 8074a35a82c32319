"""Fitted colliders by name, as the editor writes them and as physics sees them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

import ligament as lg
from ligament import transforms as tf
from ligament.author.equipment import add_bodies
from ligament.author.fitting import MAX_POINTS, has_coacd
from ligament.author.plan import apply_plan
from ligament.errors import EditError, MissingExtraError
from ligament.extensions.physics import read_physics
from ligament.extensions.shapes import Box, MeshGeometry, Sphere
from ligament.gltf import jsontext
from ligament.gltf.accessors import append_accessor
from ligament.gltf.mesh import read_mesh
from ligament.gltf.tree import NodeTree
from ligament.physics.mass import solid
from tests.author.bare import Bare
from tests.author.fitted_surfaces import BLOCK, document_of, outside, seen_by_physics

BALL = trimesh.creation.icosphere(2, 0.5)
ROD = trimesh.creation.cylinder(0.5, 2.0, sections=16)

KINDS = ("auto", "box", "sphere", "capsule", "cylinder", "hull")
TORUS = trimesh.creation.torus(1.0, 0.3, major_sections=16, minor_sections=8)  # around Z
EGG = trimesh.creation.icosphere(3, 0.5)  # 642 corners
EGG.vertices *= (1.0, 1.3, 0.8)

NEEDS_COACD = pytest.mark.skipif(not has_coacd(), reason="coacd is not installed")

UNITS = st.floats(-1, 1, width=32)
TURNS = st.tuples(UNITS, UNITS, UNITS, st.just(1.0)).map(
    lambda q: np.asarray(tf.normalize(np.array(q))).tolist()
)
FACTORS = st.sampled_from([1.0, 1.0, 0.3, 2.5, -1.0])
SCALES = st.one_of(FACTORS.map(lambda x: [x] * 3), st.tuples(FACTORS, FACTORS, FACTORS).map(list))
LINKS = st.fixed_dictionaries({"rotation": TURNS, "scale": SCALES})


@given(
    st.sampled_from([BLOCK, BALL, ROD]),
    st.sampled_from(KINDS),
    st.lists(LINKS, min_size=1, max_size=2),
)
@settings(max_examples=settings().max_examples // 4)
def test_fitted_colliders_hold_the_mesh_under_any_scale(
    surface: trimesh.Trimesh, kind: Any, links: list[dict[str, Any]]
) -> None:
    document = document_of(surface, *links)
    node = len(links) - 1
    editor = lg.Editor(document)
    found = editor.fit(node, kind)
    editor.add_collider(node, kind)
    report = lg.check(document)
    assert not report.has("warning"), report
    world = tf.apply_matrix(NodeTree(document).world_matrices()[node], surface.vertices)
    (seen,) = seen_by_physics(document)
    # Files keep points in single precision, and shapes are straightened by at most 1e-5.
    assert outside(seen, np.asarray(world)) < 3e-5 * np.ptp(world, axis=0).max()
    assert solid(seen.shape).volume == pytest.approx(solid(found.fit.shape).volume, rel=1e-4)


def test_shapes_are_those_of_the_scaled_mesh() -> None:
    """A ball under an uneven scale is an egg, and gets a hull; a block stays a block."""
    document = document_of(BALL, {"scale": [1, 2, 1]})
    lg.Editor(document).add_collider(0)
    (collider,) = read_physics(document).colliders.values()
    assert isinstance(collider.geometry, MeshGeometry)
    document = document_of(BLOCK, {"scale": [3, 0.5, 2]})
    lg.Editor(document).add_collider(0)
    (collider,) = read_physics(document).colliders.values()
    assert collider.geometry == Box((1, 2, 3))
    assert len(document.array("nodes")) == 1


# --- hulls ---


@pytest.mark.parametrize("most", [None, 40])
def test_heavy_hulls_are_simplified_within_the_reported_error(most: int | None) -> None:
    document = document_of(EGG, {"name": "Egg", "scale": [2, 2, 2]})
    editor = lg.Editor(document)
    found = editor.fit("Egg", "hull", **({} if most is None else {"max_points": most}))
    assert found.fit.simplified
    assert editor.add_collider("Egg", "hull", max_points=most) == 0
    mesh = read_physics(document).colliders[0].geometry
    assert mesh == MeshGeometry(1, convex=True)
    assert document.json["meshes"][1]["name"] == "Egg"
    assert not any(node.get("mesh") == 1 for node in document.array("nodes"))
    points = read_mesh(document, 1)[0].points * 2
    assert len(points) == (most or MAX_POINTS)
    (seen,) = seen_by_physics(document)
    assert outside(seen, EGG.vertices * 2) < 1e-6
    # The planes of the egg's faces tell how far out a corner is; at the nearest one it is the most.
    egg = trimesh.Trimesh(EGG.vertices * 2, EGG.faces)
    out = ((points[:, None] - egg.triangles[:, 0]) * egg.face_normals).sum(axis=2).max(axis=1)
    assert out.max() <= found.error.distance + 1e-6
    assert out.max() > 0.5 * found.error.distance
    assert solid(seen.shape).volume / egg.volume - 1 == pytest.approx(found.error.excess, rel=1e-3)


def test_light_hulls_are_those_of_the_mesh_itself() -> None:
    document = document_of(BLOCK, {})
    editor = lg.Editor(document)
    assert not editor.fit(0, "hull").fit.simplified
    editor.add_collider(0, "hull")
    assert read_physics(document).colliders[0].geometry == MeshGeometry(0, convex=True)
    assert len(document.array("meshes")) == 1


def test_equal_hulls_stand_in_the_file_once_and_go_with_the_last() -> None:
    document = document_of(EGG, {})
    document.array("nodes").append({"name": "Twin", "mesh": 0, "translation": [3, 0, 0]})
    document.json["scenes"][0]["nodes"].append(1)
    before = jsontext.clone({k: v for k, v in document.json.items() if k != "buffers"})
    editor = lg.Editor(document)
    editor.add_collider(0, "hull")
    editor.add_collider(1, "hull")
    assert len(document.array("meshes")) == 2
    editor.remove_collider(0)
    assert read_physics(document).colliders[1].geometry == MeshGeometry(1, convex=True)
    editor.remove_collider(1)
    assert {k: v for k, v in document.json.items() if k != "buffers"} == before
    # Another mesh takes the index of the one that went.
    document.array("nodes")[0]["scale"] = [1, 3, 1]
    editor.add_collider(0, "hull", max_points=30)
    assert len(read_mesh(document, 1)[0].points) == 30


def test_meshes_that_were_there_stay() -> None:
    document = document_of(BLOCK, {})
    document.json["meshes"].append(dict(document.json["meshes"][0]))
    editor = lg.Editor(document)
    editor.add_collider(0, "hull", mesh=1)
    editor.remove_collider(0)
    assert len(document.array("meshes")) == 2


@pytest.mark.parametrize("kind", ["hull", "mesh"])
def test_a_posed_mesh_gets_a_surface_of_its_own(kind: Any) -> None:
    document = document_of(BLOCK, {"weights": [1.0]})
    (primitive,) = document.array("meshes")[0]["primitives"]
    points = read_mesh(document, 0)[0].points
    target = append_accessor(document, (points * [1, 0, 0]).astype(np.float32), bounds=True)
    primitive["targets"] = [{"POSITION": target}]
    editor = lg.Editor(document)
    editor.add_collider(0, kind)
    (seen,) = seen_by_physics(document)
    assert np.ptp(seen.shape.points, axis=0) == pytest.approx([2, 2, 3])  # type: ignore[union-attr]


def test_all_that_is_below_can_be_one() -> None:
    document = document_of(BLOCK, {"name": "Chair"}, {"name": "Leg", "translation": [10, 0, 0]})
    document.array("nodes")[0]["mesh"] = 0
    editor = lg.Editor(document)
    editor.add_body("Chair", collider=editor.fit("Chair", "box", below=True))
    (seen,) = seen_by_physics(document)
    assert isinstance(seen.shape, Box)
    assert sorted(seen.shape.size) == pytest.approx([2, 3, 11])
    assert not lg.check(document).has("warning")


# --- several hulls ---


def falls_through(document: lg.Document) -> bool:
    """Drop a ball into the hole of the ring, and see whether it comes out below."""
    document.array("nodes").append({"name": "Marble", "translation": [0, 1, 0]})
    document.json["scenes"][0]["nodes"].append(len(document.array("nodes")) - 1)
    lg.Editor(document).add_body("Marble", collider=Sphere(0.3), mass=1)
    recording = lg.simulate(document, seconds=1.5)
    return bool(recording.translation[-1, 0, 1] < -2)


LYING = {"name": "Ring", "rotation": [-(0.5**0.5), 0, 0, 0.5**0.5]}


@NEEDS_COACD
def test_a_decomposed_ring_keeps_its_hole() -> None:
    """A ring of 0.7 m inside lets a ball of 0.3 m through, its hull does not."""
    whole, cut = document_of(TORUS, LYING), document_of(TORUS, LYING)
    assert lg.Editor(whole).add_collider("Ring", "hull") == 0
    editor = lg.Editor(cut)
    found = editor.fit("Ring", "decomposed")
    assert editor.add_collider("Ring", found) == 0
    colliders = read_physics(cut).colliders
    assert 0 not in colliders
    assert len(colliders) == len(found.colliders) > 3
    assert not lg.check(cut).has("warning")
    assert len(cut.array("meshes")) == 1 + len(colliders)
    volume = sum(solid(seen.shape).volume for seen in seen_by_physics(cut))
    # As much as was said; a ring fills 60 % of its hull.
    hull = solid(found.fit.shape).volume
    assert volume == pytest.approx((1 + found.error.excess) * hull, rel=1e-3)
    assert volume < 0.7 * hull
    # The mesh is outside of all parts by no more than was said.
    world = tf.rotate(np.array(LYING["rotation"]), TORUS.vertices)
    depth = [max(0.0, -placed_depth(seen_by_physics(cut), point)) for point in world[::7]]
    assert max(depth) <= found.error.distance + 1e-6
    assert falls_through(cut)
    assert not falls_through(whole)


def placed_depth(pieces: list[Any], point: np.ndarray) -> float:
    """Return the depth of a point in the piece that encloses it best, below 0 outside."""
    return max(-outside(piece, point[None]) for piece in pieces)


@NEEDS_COACD
def test_decomposed_colliders_are_removed_together() -> None:
    document = document_of(TORUS, LYING)
    editor = lg.Editor(document)
    editor.add_body("Ring", collider="decomposed")
    with pytest.raises(EditError, match="has no collider"):
        editor.remove_collider("Ring")
    with pytest.raises(EditError, match="mass only from this"):
        editor.remove_collider("Ring", below=True)
    editor.remove_collider("Ring", below=True, cascade=True)
    assert "extensionsUsed" not in document.json
    assert [len(document.array(name)) for name in ("meshes", "accessors", "bufferViews")] == [
        1,
        2,
        2,
    ]
    assert not lg.check(document).has("warning")


@NEEDS_COACD
def test_a_decomposed_trigger_is_taken_as_one() -> None:
    document = document_of(TORUS, LYING)
    assert lg.Editor(document).add_trigger("Ring", "decomposed") == 0
    triggers = read_physics(document).triggers
    assert len(triggers[0].nodes) == len(triggers) - 1 > 3
    assert not lg.check(document).has("warning")


@NEEDS_COACD
def test_equip_by_itself_can_decompose() -> None:
    document = document_of(TORUS, LYING)
    (made,) = add_bodies(lg.Editor(document), decompose=True)
    assert made.node == 0
    assert len(read_physics(document).colliders) > 3


def test_masses_are_those_of_the_mesh_and_not_of_its_hull() -> None:
    document = document_of(TORUS, {"name": "Steel ring"})
    (made,) = add_bodies(lg.Editor(document))
    assert made.mass == pytest.approx(7850 * TORUS.volume, rel=1e-3)  # type: ignore[union-attr]


# --- plans ---


@pytest.mark.parametrize("kind", [*KINDS, "mesh"])
def test_plans_have_the_same_kinds(kind: Any) -> None:
    by_plan, by_hand = document_of(EGG, {"name": "Egg"}), document_of(EGG, {"name": "Egg"})
    apply_plan(lg.Editor(by_plan), {"collider": [{"node": "Egg", "shape": kind}]})
    lg.Editor(by_hand).add_collider("Egg", kind)
    assert by_plan.json == by_hand.json


def test_plans_say_how_to_fit() -> None:
    by_plan, by_hand = document_of(EGG, {"name": "Egg"}), document_of(EGG, {"name": "Egg"})
    collider = {"shape": "hull", "max_points": 50}
    apply_plan(lg.Editor(by_plan), {"body": [{"node": "Egg", "collider": collider}]})
    editor = lg.Editor(by_hand)
    editor.add_body("Egg", collider=editor.fit("Egg", "hull", max_points=50))
    assert by_plan.json == by_hand.json
    again = document_of(EGG, {"name": "Egg"})
    apply_plan(lg.Editor(again), {"collider": [{"node": "Egg", **collider}]})
    assert read_physics(again).colliders == read_physics(by_plan).colliders


@pytest.mark.parametrize(
    ("collider", "said"),
    [
        ({"shape": "hul"}, "did you mean 'hull'"),
        ({"shape": "hull", "max_point": 9}, "did you mean 'max_points'"),
        ({"shape": "hull", "max_points": 3}, "allow four or more"),
        ({"shape": "box", "size": [1, 1, 1], "tolerance": 1}, "leave one of them out"),
        ({"shape": "decomposed", "tolerance": -1}, "at least 0"),
    ],
)
def test_mistakes_in_plans_are_reported(collider: dict[str, Any], said: str) -> None:
    plan = {"body": [{"node": "Egg", "collider": collider}]}
    with pytest.raises(lg.LigamentError, match=said) as caught:
        apply_plan(lg.Editor(document_of(EGG, {"name": "Egg"})), plan, file=Path("plan.toml"))
    assert str(caught.value).startswith("plan.toml: /body/0")


# --- what is refused ---


@pytest.mark.parametrize(
    ("node", "arguments", "said"),
    [
        ("Block", {"shape": Box((1, 1, 1)), "tolerance": 0.1}, "only applies to fitted shapes"),
        ("Block", {"shape": "box", "translation": (1, 0, 0)}, "its own pose"),
        ("Block", {"shape": "box", "mesh": 0, "below": True}, "give one of the two"),
        ("Block", {"shape": "box", "mesh": 7}, "the document has 2"),
        ("Block", {"shape": "hull", "max_points": 3}, "allow four or more"),
        ("Block", {"shape": "auto", "tolerance": "tight"}, "give a number"),
        ("Points", {"shape": "box"}, "no triangle"),
        ("Points", {"shape": "decomposed"}, "no triangle"),
        ("Empty", {"shape": "hull"}, "has no mesh"),
        ("Empty", {"shape": "hull", "below": True}, "has no mesh"),
    ],
)
def test_failed_fits_leave_the_document_unchanged(
    node: str, arguments: dict[str, Any], said: str
) -> None:
    bare = Bare()
    bare.node("Block", mesh=bare.box())
    bare.node("Points", mesh=bare.points())
    bare.node("Empty")
    editor = lg.Editor(bare.document)
    before = jsontext.encode(bare.document.json)
    with pytest.raises(EditError, match=said) as caught:
        editor.add_collider(node, **arguments)
    assert caught.value.remedy
    assert jsontext.encode(bare.document.json) == before


def test_decomposing_says_which_extra_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "coacd", None)
    with pytest.raises(MissingExtraError, match=r"ligament\[decompose\]"):
        lg.Editor(document_of(BLOCK, {})).add_collider(0, "decomposed")

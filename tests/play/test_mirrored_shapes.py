"""Colliders and triggers below negative scales are where their nodes draw them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament.gltf import Document
from ligament.gltf.accessors import append_accessor
from ligament.gltf.tree import NodeTree
from ligament.physics.hulls import convex_hull
from ligament.physics.shapes import Capsule, Cylinder, sampled
from tests.play.files import BALL, node, physics_file, track_of
from tests.sampling import sample

ENGINES = ("rapier", "mujoco")
SIGNS = [[x, y, z] for x in (1, -1) for y in (1, -1) for z in (1, -1)]
SAMPLED = 0.01
"""Distance [m] between a round shape and the hull of points on it."""

TAPERED = {
    "cone": ("cylinder", Cylinder(1.4, 0.6, 0.0)),
    "cylinder": ("cylinder", Cylinder(1.0, 0.3, 0.7)),
    "capsule": ("capsule", Capsule(0.8, 0.5, 0.2)),
}


def tapered(name: str, *nodes: dict[str, Any], **part: Any) -> Document:
    """A file with a tapered shape as shape 3."""
    kind, shape = TAPERED[name]
    document = physics_file(*nodes, **part)
    sizes = {"height": shape.height, "radiusTop": shape.radius_top}
    raw = {"type": kind, kind: {**sizes, "radiusBottom": shape.radius_bottom}}
    document.json["extensions"]["KHR_implicit_shapes"]["shapes"].append(raw)
    return document


def turn(rng: np.random.Generator) -> list[float]:
    q = rng.normal(size=4)
    return (q / np.linalg.norm(q)).tolist()


def distance(points: np.ndarray, origin: np.ndarray, along: np.ndarray) -> float:
    """Return where a ray meets the convex hull of points, infinity where it misses."""
    hull = convex_hull(points)
    a, b, c = (points[hull.triangles[:, i]] for i in range(3))
    normal = np.cross(b - a, c - a)
    speed, gap = normal @ along, np.einsum("ij,ij->i", normal, a - origin)
    with np.errstate(divide="ignore", invalid="ignore"):
        times = gap / speed
    enter = times[speed < 0].max()
    return float(enter) if enter <= times[speed > 0].min() else math.inf


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", TAPERED)
@pytest.mark.parametrize("seed", sample(range(120), 8))
def test_rays_meet_tapered_shapes_where_they_are_drawn(seed: int, name: str, engine: str) -> None:
    rng = np.random.default_rng(seed)
    size = [1.0, 1.0, 1.0] if seed % 2 else rng.uniform(0.6, 1.6, 3).tolist()
    document = tapered(
        name,
        node("root", rotation=turn(rng), scale=rng.choice([-1.2, 1.2], 3).tolist(), children=[1]),
        node("above", rotation=turn(rng), scale=rng.choice([-0.8, 0.8], 3).tolist(), children=[2]),
        node("shape", at=(0.2, 0.1, 0.3), rotation=turn(rng), scale=size, shape=3),
    )
    matrix = NodeTree(document).world_matrices()[2]
    points = sampled(TAPERED[name][1]) @ matrix[:3, :3].T + matrix[:3, 3]
    sim = lg.Simulation(document, engine=engine)
    middle = points.mean(axis=0)
    for away in rng.normal(size=(20, 3)):
        origin = middle + 3 * away / np.linalg.norm(away)
        along = (middle - origin) / 3
        hit = sim.cast_ray(origin, along)
        assert hit is not None
        assert hit.distance == pytest.approx(distance(points, origin, along), abs=SAMPLED)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("own", [[-1, -1, -1], [1, -1, 1], [-1, -1, 1]])
def test_the_sign_of_a_shapes_own_scale_does_not_count(own: list[float], engine: str) -> None:
    """KHR_implicit_shapes: a negative scale counts as its absolute value."""
    document = tapered("cone", node("cone", scale=own, shape=3))
    sim = lg.Simulation(document, engine=engine)
    for height, radius in ((-0.6, 0.6 * 1.3 / 1.4), (0.6, 0.6 * 0.1 / 1.4)):
        hit = sim.cast_ray([3, height, 0.013], [-1, 0, 0])
        assert hit is not None
        assert hit.distance == pytest.approx(3 - radius, abs=SAMPLED)


def test_a_matrix_has_no_sign_to_leave_out() -> None:
    matrix = np.diag([1.0, -1.0, 1.0, 1.0]).ravel().tolist()
    raw = {**node("cone", shape=3), "matrix": matrix}
    del raw["translation"]
    sim = lg.Simulation(tapered("cone", raw))
    hit = sim.cast_ray([3, 0.6, 0], [-1, 0, 0])
    assert hit is not None
    assert hit.distance == pytest.approx(3 - 0.6 * 1.3 / 1.4, abs=1e-3)


@pytest.mark.parametrize("angle", [0, 20, 40, 50, 70, 90, 140])
@pytest.mark.parametrize("signs", SIGNS[1:])
def test_triggers_taper_as_they_are_drawn(signs: list[float], angle: float) -> None:
    """Probes at both ends of a cone, 0.25 m from its axis: only those at the base overlap."""
    half = math.radians(angle) / 2
    probes = [node(f"probe {i}", motion={"mass": 1, "gravityFactor": 0}) for i in range(4)]
    document = tapered(
        "cone",
        node("mirror", scale=signs, children=[1]),
        node("zone", rotation=[0, 0, math.sin(half), math.cos(half)], trigger=3),
        *probes,
    )
    matrix = NodeTree(document).world_matrices()[1]
    places = [[0.25, -0.5, 0], [0, -0.5, 0.25], [0.25, 0.5, 0], [0, 0.5, 0.25]]
    shapes = document.json["extensions"]["KHR_implicit_shapes"]["shapes"]
    shapes.append({"type": "sphere", "sphere": {"radius": 0.01}})
    for i, place in enumerate(places):
        raw = document.json["nodes"][2 + i]
        raw["translation"] = (matrix[:3, :3] @ place).tolist()
        raw["extensions"]["KHR_physics_rigid_bodies"]["collider"] = {"geometry": {"shape": 4}}
    recording = lg.simulate(document, seconds=0.05)
    assert {event.body for event in recording.events} == {2, 3}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("size", [{}, {"sizeX": 6, "sizeZ": 6}], ids=["infinite", "finite"])
@pytest.mark.parametrize("signs", [[-1, 1, 1], [1, 1, -1], [-1, 1, -1]])
@pytest.mark.filterwarnings("ignore:.*a plane of limited size")
def test_planes_face_up_where_they_are_drawn_so(
    signs: list[float], size: dict[str, float], engine: str
) -> None:
    half = math.radians(15)
    document = physics_file(
        node("mirror", scale=signs, children=[1]),
        node("ground", rotation=[0, 0, math.sin(half), math.cos(half)], shape=3),
        node("ball", at=(0, 0.65, 0), motion={"mass": 1}, shape=BALL),
    )
    shapes = document.json["extensions"]["KHR_implicit_shapes"]["shapes"]
    shapes.append({"type": "plane", "plane": size})
    normal = NodeTree(document).world_matrices()[1, :3, 1]
    recording = lg.simulate(document, seconds=0.5, engine=engine)
    places = track_of(recording, 2)
    assert (places @ normal).min() > 0.45
    assert places[-1, 0] * normal[0] > 0.1  # it rolls down the side that is drawn


def test_planes_that_a_mirror_reverses_face_down() -> None:
    document = physics_file(
        node("mirror", scale=[1, -1, 1], children=[1]),
        node("ceiling", at=(0, -2, 0), shape=3),
        node("ball", motion={"mass": 1, "gravityFactor": -1}, shape=BALL),
    )
    shapes = document.json["extensions"]["KHR_implicit_shapes"]["shapes"]
    shapes.append({"type": "plane", "plane": {}})
    for engine in ENGINES:
        recording = lg.simulate(document, seconds=1.5, engine=engine)
        assert track_of(recording, 2)[-1, 1] == pytest.approx(1.5, abs=0.02)


def test_hulls_and_meshes_are_mirrored_wherever_the_scale_is() -> None:
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3.0]])
    for scales in ([[-1, 1, 1], [1, 1, 1]], [[1, 1, 1], [-1, 1, 1]], [[-1, -1, 1], [1, 1, -1]]):
        document = physics_file(
            node("above", scale=scales[0], children=[1]),
            node("hull", rotation=[0, 0, 0.6, 0.8], scale=scales[1]),
        )
        position = append_accessor(document, corners, bounds=True)
        document.json["meshes"] = [{"primitives": [{"attributes": {"POSITION": position}}]}]
        geometry = {"mesh": 0, "convexHull": True}
        document.json["nodes"][1]["extensions"] = {
            "KHR_physics_rigid_bodies": {"collider": {"geometry": geometry}}
        }
        matrix = NodeTree(document).world_matrices()[1]
        points = corners @ matrix[:3, :3].T
        sim = lg.Simulation(document)
        for away in np.random.default_rng(1).normal(size=(10, 3)):
            origin = points.mean(axis=0) + 5 * away
            along = -away / np.linalg.norm(away)
            hit = sim.cast_ray(origin, along)
            assert hit is not None
            assert hit.distance == pytest.approx(distance(points, origin, along), abs=1e-3)

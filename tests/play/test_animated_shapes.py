"""Animated shapes: each parameter moves the surface that a ray meets, and what touches it."""

from __future__ import annotations

import copy
import math
from typing import Any

import pytest

import ligament as lg
from ligament.gltf import Document
from tests.play.files import (
    BALL,
    FLOOR,
    SHAPE_LIST,
    animate,
    animate_pointer,
    node,
    physics_file,
)

SHAPES = "KHR_implicit_shapes"
OWN = f"/extensions/{SHAPES}/shapes/3"
TALL = {"height": 2, "radiusBottom": 0.5, "radiusTop": 0.5}
G = 9.81
DOWN, LEFT = (0, -1, 0), (-1, 0, 0)


def with_shape(kind: str, content: dict[str, Any], *nodes: dict[str, Any]) -> Document:
    """Return a document whose shape 3 is of some type, on one node unless others are given."""
    document = physics_file(*(nodes or (node("Shape", shape=3),)))
    shapes = [*copy.deepcopy(SHAPE_LIST), {"type": kind, kind: content}]
    document.json["extensions"][SHAPES] = {"shapes": shapes}
    return document


@pytest.mark.parametrize(
    ("kind", "content", "member", "keys", "ray", "expected"),
    [
        ("sphere", {"radius": 0.5}, "radius", [0.5, 1], ((0, 5, 0), DOWN), 4),
        ("box", {"size": [1, 1, 1]}, "size", [[1, 1, 1], [1, 3, 1]], ((0, 5, 0), DOWN), 3.5),
        ("capsule", TALL, "height", [2, 4], ((0, 5, 0), DOWN), 2.5),
        ("capsule", TALL, "radiusTop", [0.5, 1], ((0, 5, 0), DOWN), 3),
        ("capsule", TALL, "radiusBottom", [0.5, 1], ((0, -5, 0), (0, 1, 0)), 3),
        ("cylinder", TALL, "height", [2, 4], ((0, 5, 0), DOWN), 3),
        ("cylinder", TALL, "radiusTop", [0.5, 1], ((5, 0.999, 0), LEFT), 4),
        ("cylinder", TALL, "radiusBottom", [0.5, 1], ((5, -0.999, 0), LEFT), 4),
        ("plane", {"sizeX": 1, "sizeZ": 9}, "sizeX", [1, 4], ((1.5, 5, 0), DOWN), 5),
        ("plane", {"sizeX": 9, "sizeZ": 1}, "sizeZ", [1, 4], ((0, 5, 1.5), DOWN), 5),
    ],
)
def test_a_ray_meets_the_surface_of_the_time(kind, content, member, keys, ray, expected):
    document = with_shape(kind, content)
    animate_pointer(document, f"{OWN}/{kind}/{member}", [0, 0.5], keys)
    sim = lg.Simulation(document)
    before = sim.cast_ray(*ray, reach=20)
    for _ in range(40):
        sim.step()
    after = sim.cast_ray(*ray, reach=20)
    assert before is None or before.distance > expected + 0.4
    assert after.distance == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize("sides", [[False, True], [True, False]])
def test_a_plane_stops_from_below_while_it_has_two_sides(sides):
    ball = {"mass": 1, "gravityFactor": 0, "linearVelocity": [0, 2, 0]}
    document = with_shape(
        "plane",
        {"sizeX": 9, "sizeZ": 9, "doubleSided": sides[0]},
        node("Plane", shape=3),
        node("Ball", at=(0, -3, 0), motion=ball, shape=BALL),
    )
    animate_pointer(document, f"{OWN}/plane/doubleSided", [0, 0.5], sides)
    height = lg.simulate(document, seconds=3).translation[-1, 0, 1]
    assert height == pytest.approx(-0.5, abs=0.05) if sides[1] else height > 2.5


def test_an_animated_shape_lifts_the_body_on_it():
    document = with_shape(
        "box",
        {"size": [4, 1, 4]},
        node("Lift", shape=3),
        node("Ball", at=(0, 1, 0), motion={"mass": 1}, shape=BALL),
    )
    animate_pointer(document, f"{OWN}/box/size", [0, 1, 3], [[4, 1, 4], [4, 1, 4], [4, 3, 4]])
    height = lg.simulate(document, seconds=4).translation[:, 0, 1]
    assert height[60] == pytest.approx(1, abs=0.01)
    assert height[120] == pytest.approx(1.5, abs=0.02)
    assert height[-1] == pytest.approx(2, abs=0.02)


@pytest.mark.parametrize("is_scaled", [False, True])
@pytest.mark.parametrize("loop", [False, True])
def test_a_shape_that_grows_at_once_throws_nothing(loop, is_scaled):
    document = with_shape(
        "box",
        {"size": [4, 1, 4]},
        node("Lift", shape=3),
        node("Ball", at=(0, 1.5 if loop else 1, 0), motion={"mass": 1}, shape=BALL),
    )
    keys = [[4, 2, 4], [4, 1, 4]] if loop else [[4, 1, 4], [4, 2, 4]]
    animate_pointer(document, f"{OWN}/box/size", [0, 1], keys, "LINEAR" if loop else "STEP")
    if is_scaled:
        animate(document, 0, "scale", [0, 1], [[1, 1, 1], [1, 1, 1.5]])
    recording = lg.simulate(document, seconds=2.9, loop=loop)
    assert abs(recording.linear_velocity).max() < 2
    assert recording.translation[:, 0, 1].max() < 1.55


def test_a_body_stands_on_its_growing_shape():
    document = with_shape(
        "sphere",
        {"radius": 0.5},
        node("Floor", at=(0, -0.5, 0), shape=FLOOR),
        node("Ball", at=(0, 0.5, 0), motion={"mass": 1}, shape=3),
    )
    animate_pointer(document, f"{OWN}/sphere/radius", [0, 1], [0.5, 1])
    recording = lg.simulate(document, seconds=2)
    assert recording.translation[-1, 0, 1] == pytest.approx(1, abs=0.02)
    assert abs(recording.linear_velocity[:, 0, 1]).max() < 1.5


@pytest.mark.parametrize(("mass", "kept"), [({}, 1 / 8), ({"mass": 500}, 1)])
def test_a_computed_mass_follows_its_shapes_and_a_given_one_stays(mass, kept):
    motion = {"gravityFactor": 0, **mass}
    document = with_shape("sphere", {"radius": 0.5}, node("Ball", motion=motion, shape=3))
    animate_pointer(document, f"{OWN}/sphere/radius", [0, 1], [0.5, 1], "STEP")
    sim = lg.Simulation(document)
    gained = []
    for _ in range(2):
        before = sim.linear_velocity[0, 0]
        for _ in range(60):
            sim.apply_force(0, (500, 0, 0))
            sim.step()
        gained.append(sim.linear_velocity[0, 0] - before)
    first = 500 / mass["mass"] if mass else 500 / (1000 * 4 / 3 * math.pi * 0.5**3)
    assert gained[0] == pytest.approx(first, rel=1e-3)
    assert gained[1] == pytest.approx(first * kept, rel=1e-3)


def test_a_shape_of_no_size_touches_nothing_until_it_has_one():
    document = with_shape(
        "box",
        {"size": [0, 1, 4]},
        node("Floor", shape=3),
        node("Ball", at=(0, 3, 0), motion={"mass": 1}, shape=BALL),
    )
    animate_pointer(document, f"{OWN}/box/size", [0, 0.1, 0.2], [[0, 1, 4], [0, 1, 4], [4, 1, 4]])
    assert lg.simulate(document, seconds=3).translation[-1, 0, 1] == pytest.approx(1, abs=0.02)


def test_triggers_grow_too():
    document = with_shape(
        "sphere",
        {"radius": 0.5},
        node("Trigger", trigger=3),
        node("Ball", at=(2, 0, 0), motion={"mass": 1, "gravityFactor": 0}, shape=BALL),
    )
    animate_pointer(document, f"{OWN}/sphere/radius", [0, 1, 2], [0.5, 2.5, 0.5])
    events = lg.simulate(document, seconds=3).events
    assert [event.type for event in events] == ["trigger_enter", "trigger_exit"]
    assert [event.time for event in events] == pytest.approx([0.5, 1.5], abs=0.05)


@pytest.mark.parametrize("key", ["KHR_collision_shapes", "KHR_implicit_shapes"])
def test_the_prefix_is_the_name_that_the_file_uses(key):
    document = with_shape("sphere", {"radius": 0.5})
    extensions = document.json["extensions"]
    extensions[key] = extensions.pop(SHAPES)
    document.json["extensionsUsed"][1] = key
    if key == "KHR_collision_shapes":
        collider = document.json["nodes"][0]["extensions"]["KHR_physics_rigid_bodies"]["collider"]
        collider.update(collider.pop("geometry"))
    animate_pointer(document, f"/extensions/{key}/shapes/3/sphere/radius", [0, 0.1], [0.5, 1])
    sim = lg.Simulation(document)
    for _ in range(12):
        sim.step()
    assert sim.cast_ray((0, 5, 0), DOWN).distance == pytest.approx(4, abs=0.01)

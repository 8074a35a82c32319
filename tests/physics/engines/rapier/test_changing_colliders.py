"""Colliders that get new shapes, poses and materials while the simulation runs."""

from __future__ import annotations

import dataclasses
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from ligament.extensions.rigid_bodies import Material
from ligament.extensions.shapes import Box, Capsule, Cylinder, Plane, Sphere
from ligament.physics.engines.rapier import RapierEngine
from ligament.physics.shapes import NOTHING, Hull, Mesh, Shape, scaled

from .scenes import KINEMATIC, STATIC, STEP, Maker, box_mass, mass, pose, run

CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-0.5, 0.5) for z in (-1, 1)], float)
TOP = np.array([[-2, 0.5, -2], [-2, 0.5, 2], [2, 0.5, 2], [2, 0.5, -2]], float)
SHAPES: dict[str, Shape] = {
    "box": Box((4, 1, 4)),
    "sphere": Sphere(0.5),
    "capsule": Capsule(0.5, 0.25, 0.25),
    "tapered capsule": Capsule(0.5, 0.3, 0.2),
    "cylinder": Cylinder(1.0, 1.0, 1.0),
    "tapered cylinder": Cylinder(1.0, 2.0, 1.0),
    "hull": Hull(CORNERS),
    "mesh": Mesh(TOP, np.array([[0, 1, 2], [0, 2, 3]])),
}
HEIGHT = {"tapered capsule": 0.45}


def top_of(name: str) -> float:
    return HEIGHT.get(name, 0.5)


def on_top(name: str, **options: Any) -> tuple[RapierEngine, Maker]:
    """A box of half a metre that cannot tip over, at rest on the top of a shape."""
    maker = Maker()
    maker.body(SHAPES[name], kind=STATIC, changes=True)
    upright = mass(1, np.full(3, np.inf))
    maker.body(Box((0.5, 0.5, 0.5)), (0, top_of(name) + 0.25, 0), weight=upright)
    engine = maker.start(**options)
    run(engine, 0.5)
    return engine, maker


def stretch(engine: RapierEngine, maker: Maker, scale: Any, **options: Any) -> None:
    value = maker.colliders[0]
    factors = np.broadcast_to(np.asarray(scale, float), 3)
    shape = scaled(value.shape, np.diag(factors)) or NOTHING
    engine.set_collider(0, dataclasses.replace(value, shape=shape), **options)


@pytest.mark.parametrize("scale", [(1, 2, 1), (2, 2, 2)], ids=["uneven", "even"])
@pytest.mark.parametrize("name", SHAPES)
def test_a_growing_shape_lifts_the_body_on_it(name, scale):
    engine, maker = on_top(name)
    lowest = highest = 0.0
    for k in range(1, 61):
        eased = (1 - np.cos(np.pi * k / 60)) / 2
        stretch(engine, maker, 1 + (np.array(scale) - 1) * eased)
        engine.step()
        gap = engine.state().translation[1, 1] - (top_of(name) * (1 + eased) + 0.25)
        lowest, highest = min(lowest, gap), max(highest, gap)
    run(engine, 0.5)
    # Half a metre in a second, eased: up to 0.8 m/s. Sampled balls are a percent smaller.
    slack = 0.02 if name in ("sphere", "capsule", "tapered capsule") else 0.006
    assert -slack < lowest
    assert highest < slack
    state = engine.state()
    assert abs(state.translation[1, 1] - (2 * top_of(name) + 0.25)) < slack
    assert np.abs(state.linear_velocity[1]).max() < 0.02


def test_a_stack_on_a_growing_floor_goes_up_as_one():
    maker = Maker()
    maker.body(Box((4, 1, 4)), kind=STATIC, changes=True)
    for i in range(5):
        maker.body(Box((0.5, 0.5, 0.5)), (0, 0.75 + i / 2, 0), weight=box_mass(1, [0.5] * 3))
    engine = maker.start()
    run(engine, 0.5)
    for k in range(1, 61):
        stretch(engine, maker, (1, 1 + 2 * (1 - np.cos(np.pi * k / 60)) / 2, 1))
        engine.step()
        heights = engine.state().translation[1:, 1]
        # As close as they are at rest: the engine lets five boxes sink by millimetres.
        assert all(abs(b - a - 0.5) < 0.01 for a, b in pairwise(heights))
    assert engine.state().translation[5, 1] == pytest.approx(1.5 + 2.25, abs=0.03)


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape_of_no_extent_is_off_and_comes_back(name):
    engine, maker = on_top(name)
    start = engine.state().translation[1, 1]
    stretch(engine, maker, 0, jumps=True)
    run(engine, 0.1)
    assert engine.state().translation[1, 1] < start - 0.03  # it falls
    engine.set_pose(1, np.array([0.0, start + 0.001, 0.0]), np.array([0.0, 0, 0, 1]))
    engine.set_velocity(1, np.zeros(3), np.zeros(3))
    stretch(engine, maker, 1, jumps=True)
    run(engine, 0.3)
    assert engine.state().translation[1, 1] == pytest.approx(start, abs=0.002)


def test_a_shape_that_jumps_throws_nothing():
    engine, maker = on_top("box")
    stretch(engine, maker, (1, 1.5, 1), jumps=True)
    highest = 0.0
    for _ in range(120):
        engine.step()
        highest = max(highest, engine.state().translation[1, 1])
    assert highest < 1.05
    assert engine.state().translation[1, 1] == pytest.approx(1.0, abs=0.01)


def test_a_shape_that_shrinks_lets_things_down():
    engine, maker = on_top("box")
    for k in range(1, 121):
        stretch(engine, maker, (1, 1 - 0.5 * k / 120, 1))
        engine.step()
    run(engine, 0.2)
    assert engine.state().translation[1, 1] == pytest.approx(0.5, abs=0.005)


@pytest.mark.parametrize("kind", [STATIC, KINEMATIC])
def test_a_collider_moved_within_a_body_carries_and_pushes(kind):
    maker = Maker()
    holder = maker.body(kind=kind)
    maker.collider(Box((4, 1, 4)), holder, (0, -0.5, 0), moves=True)
    maker.body(Box((0.5, 0.5, 0.5)), (0, 0.25, 0), weight=box_mass(1, [0.5] * 3))
    engine = maker.start()
    run(engine, 0.2)
    for k in range(1, 61):
        engine.place_collider(0, np.array([k * STEP, -0.5 + 0.5 * k * STEP, 0]), pose().rotation)
        engine.step()
        x, y, _ = engine.state().translation[1]
        assert abs(y - 0.25 - 0.5 * k * STEP) < 0.012
    # Friction has to bring it to 1 m/s first: v / μg = 0.2 s with μ = 0.6 takes 8 cm.
    assert 0.9 < x < 1.0
    assert engine.state().linear_velocity[1] == pytest.approx([1, 0.5, 0], abs=0.01)


def test_a_plane_keeps_its_place_and_changes_its_size():
    maker = Maker()
    maker.body(Plane(2.0, 2.0), kind=STATIC, changes=True)
    maker.body(Sphere(0.2), (1.5, 0.5, 0), weight=box_mass(1, [0.4] * 3))
    engine = maker.start()
    stretch(engine, maker, 2)
    run(engine, 0.5)
    assert engine.state().translation[1, 1] == pytest.approx(0.2, abs=0.002)


def test_a_new_material_counts_from_the_next_step():
    def slid(friction: float | None) -> float:
        maker = Maker()
        maker.body(Box((100, 1, 100)), (0, -0.5, 0), kind=STATIC, material=Material())
        box = box_mass(1, [0.5] * 3)
        maker.body(Box((0.5, 0.5, 0.5)), (0, 0.25, 0), weight=box, velocity=(3, 0, 0))
        engine = maker.start()
        if friction is not None:
            material = Material(static_friction=friction, dynamic_friction=friction)
            for i, collider in enumerate(maker.colliders):
                engine.set_collider(i, dataclasses.replace(collider, material=material))
        run(engine, 2)
        return float(engine.state().translation[1, 0])

    assert slid(0.3) == pytest.approx(9 / (2 * 0.3 * 9.81), rel=0.05)
    assert slid(None) == pytest.approx(9 / (2 * 0.6 * 9.81), rel=0.05)


def test_a_changed_scene_continues_from_a_snapshot_to_the_same_bits():
    engine, maker = on_top("tapered cylinder")
    floor = dataclasses.replace(maker.colliders[0], material=Material(dynamic_friction=0.1))
    engine.set_collider(0, floor)

    def go(first: int, last: int) -> list[bytes]:
        found = []
        for k in range(first, last):
            stretch(engine, maker, 1 + k / 60, jumps=k == 20)
            engine.step()
            found.append(np.concatenate(engine.state(), axis=1).tobytes())
        return found

    go(0, 10)
    saved = engine.snapshot()
    after = go(10, 40)
    engine.restore(saved)
    assert go(10, 40) == after


def test_an_unusable_shape_is_reported_and_disabled():
    engine, maker = on_top("box")
    stretch(engine, maker, 1e9)
    run(engine, 0.1)
    assert [problem.collider for problem in engine.problems] == [0]
    assert engine.state().translation[1, 1] < 0.75

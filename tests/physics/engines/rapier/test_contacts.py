"""Bodies that touch: bouncing, sliding, resting, stacking, riding."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ligament.extensions.rigid_bodies import Material
from ligament.physics.engines.rapier import RapierEngine
from ligament.physics.engines.rapier.effort.settings import choose
from tests.physics.engines.rapier.scenes import (
    CUBE,
    CUBE_TRIANGLES,
    KINEMATIC,
    STATIC,
    UPRIGHT,
    Box,
    Capsule,
    Cylinder,
    G,
    Hull,
    Maker,
    Mesh,
    Plane,
    Sphere,
    about,
    ball_mass,
    box_mass,
    mass,
    run,
)

LYING = about((0, 0, 1), math.pi / 2)
UPSIDE_DOWN = about((1, 0, 0), math.pi)


def careful(maker: Maker, **options: object) -> tuple[RapierEngine, int]:
    """Start an engine with the settings that the scene calls for; returns steps per frame too."""
    steps, settings = choose(maker.scene(), rate=60)
    return RapierEngine(maker.scene(), settings, **options), steps  # type: ignore[arg-type]


@pytest.mark.parametrize("restitution", [0.3, 0.8, 1.0])
def test_a_ball_bounces_to_its_height_by_restitution(restitution: float) -> None:
    """The rebound is e² of the height, less what a step's gain in speed g dt, and half a
    substep's on the way up, take from it."""
    surface = Material(0.5, 0.5, restitution)
    maker = Maker()
    maker.ground(material=surface)
    ball = maker.body(Sphere(0.25), (0, 2.25, 0), weight=ball_mass(1, 0.25), material=surface)
    engine, steps = careful(maker)
    heights, speeds = [], []
    for _ in range(100 * steps):
        engine.step()
        state = engine.state()
        heights.append(state.translation[ball, 1] - 0.25)
        speeds.append(state.linear_velocity[ball, 1])
    hit = int(np.argmax(np.array(speeds) > 0.1))
    impact = math.sqrt(2 * G * 2)
    lost = 3 * G / (60 * steps) / impact
    assert restitution**2 * 2 * (1 - lost) < max(heights[hit:]) < restitution**2 * 2 * 1.01


def test_no_bounce_without_restitution() -> None:
    maker = Maker()
    maker.ground()
    ball = maker.body(Sphere(0.25), (0, 2.25, 0), weight=ball_mass(1, 0.25))
    engine = maker.start()
    run(engine, 2)
    assert engine.state().translation[ball] == pytest.approx([0, 0.25, 0], abs=1e-3)


@pytest.mark.parametrize("direction", [0.0, 0.4, 0.8])
def test_a_sliding_box_stops_where_friction_says(direction: float) -> None:
    """v² / (2 μ g), in any direction, to half a percent."""
    rough = Material(0.4, 0.4)
    maker = Maker()
    maker.ground(material=rough)
    velocity = 5 * np.array([math.cos(direction), 0, math.sin(direction)])
    sledge = maker.body(
        Box((1, 0.5, 1)),
        (0, 0.25, 0),
        weight=box_mass(3, (1, 0.5, 1)),
        velocity=velocity,
        material=rough,
    )
    engine = maker.start()
    run(engine, 3)
    way = engine.state().translation[sledge, [0, 2]]
    expected = 25 / (2 * 0.4 * G)
    assert np.linalg.norm(way) == pytest.approx(expected, rel=0.005)
    assert math.atan2(way[1], way[0]) == pytest.approx(direction, abs=0.01)


def slope(tangent: float, **body: object) -> tuple[RapierEngine, int, float]:
    """A block on a slope of μs = 0.6 and μd = 0.4; returns the acceleration of sliding too."""
    angle = math.atan(tangent)
    surface = Material(0.6, 0.4)
    maker = Maker()
    maker.ground(material=surface)
    block = maker.body(
        Box((1, 0.5, 1)),
        (0, 0.25, 0),
        weight=box_mass(1, (1, 0.5, 1)),
        material=surface,
        **body,  # type: ignore[arg-type]
    )
    engine = maker.start(gravity=(G * math.sin(angle), -G * math.cos(angle), 0))
    return engine, block, G * (math.sin(angle) - 0.4 * math.cos(angle))


@pytest.mark.parametrize("tangent", [0.45, 0.58])
def test_static_friction_holds_what_rests(tangent: float) -> None:
    engine, block, _ = slope(tangent)
    run(engine, 3)
    assert abs(engine.state().translation[block, 0]) < 2e-3


@pytest.mark.parametrize("tangent", [0.45, 0.58, 0.65])
def test_dynamic_friction_slows_what_slides(tangent: float) -> None:
    """A block that slides already goes on under μd, though μs would hold it."""
    engine, block, acceleration = slope(tangent, velocity=(1, 0, 0))
    run(engine, 2)
    assert engine.state().linear_velocity[block, 0] == pytest.approx(1 + 2 * acceleration, rel=0.01)


def test_slope_beyond_static_friction() -> None:
    """It breaks loose by itself, and gathers speed under μd from 0.02 m/s on."""
    engine, block, acceleration = slope(0.65)
    run(engine, 2)
    assert engine.state().linear_velocity[block, 0] == pytest.approx(2 * acceleration, rel=0.05)


def test_sliding_slowly_is_not_sleeping() -> None:
    """Two percent above the angle of friction, a block takes its time, but goes."""
    tangent, rough = 0.51, Material(0.5, 0.5)
    angle = math.atan(tangent)
    maker = Maker()
    maker.ground(material=rough)
    block = maker.body(
        Box((1, 0.5, 1)), (0, 0.25, 0), weight=box_mass(1, (1, 0.5, 1)), material=rough
    )
    engine = maker.start(gravity=(G * math.sin(angle), -G * math.cos(angle), 0))
    run(engine, 5)
    way = G * (math.sin(angle) - 0.5 * math.cos(angle)) * 12.5
    assert engine.state().translation[block, 0] == pytest.approx(way, rel=0.01)


LIGHT = mass(1, (0.02, 0.02, 0.02))
BOTTOM_HEAVY = mass(1, (0.02, 0.02, 0.02), center=(0, -0.25, 0))
TOPS = {
    "ball": (Sphere(0.25), UPRIGHT, 0.25),
    "box": (Box((0.4, 0.3, 0.5)), UPRIGHT, 0.15),
    "standing capsule": (Capsule(0.4, 0.2, 0.2), UPRIGHT, 0.4),
    "lying capsule": (Capsule(0.4, 0.2, 0.2), LYING, 0.2),
    "tapered capsule": (Capsule(0.4, 0.25, 0.1), UPRIGHT, 0.45),
    "cylinder": (Cylinder(0.4, 0.2, 0.2), UPRIGHT, 0.2),
    "lying cylinder": (Cylinder(0.4, 0.2, 0.2), LYING, 0.2),
    "cone": (Cylinder(0.4, 0.2, 0.0), UPRIGHT, 0.2),
    "cone given upside down": (Cylinder(0.4, 0.0, 0.2), UPSIDE_DOWN, 0.2),
    "frustum": (Cylinder(0.4, 0.25, 0.1), UPRIGHT, 0.2),
    "frustum on its head": (Cylinder(0.4, 0.1, 0.25), UPRIGHT, 0.2),
    "hull": (Hull(CUBE * 0.4), UPRIGHT, 0.2),
    "mesh": (Mesh(CUBE * 0.4, CUBE_TRIANGLES), UPRIGHT, 0.2),
}
GROUNDS = {
    "box": (Box((2, 1, 2)), 0.5),
    "cylinder": (Cylinder(1, 1, 1), 0.5),
    "frustum": (Cylinder(1, 1.2, 1), 0.5),
    "hull": (Hull(CUBE * [2, 1, 2]), 0.5),
    "mesh": (Mesh(CUBE * [2, 1, 2], CUBE_TRIANGLES), 0.5),
    "plane": (Plane(), 0.0),
    "double plane": (Plane(double_sided=True), 0.0),
    "finite plane": (Plane(3, 3), 0.0),
    "finite double plane": (Plane(3, 3, double_sided=True), 0.0),
    "strip": (Plane(3, None), 0.0),
}


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("top", TOPS)
def test_shapes_rest_at_their_height(top: str, ground: str) -> None:
    shape, turned, height = TOPS[top]
    below, depth = GROUNDS[ground]
    maker = Maker()
    maker.body(below, (0, -depth, 0), kind=STATIC)
    weight = BOTTOM_HEAVY if top == "tapered capsule" else LIGHT
    body = maker.body(shape, (0.03, height + 0.005, 0.02), turned=turned, weight=weight)
    engine = maker.start()
    run(engine, 1)
    state = engine.state()
    assert state.translation[body, 1] == pytest.approx(height, abs=1e-3)
    assert abs(state.rotation[body] @ np.asarray(turned)) > 0.999
    # Where a cylinder touches the ground is less certain along triangles.
    assert np.abs(state.linear_velocity[body]).max() < (0.03 if top == "lying cylinder" else 0.01)


@pytest.mark.parametrize("place", [(0.0, 0.0), (0.6, 0.0), (0.62, 0.62)])
def test_broad_faces_carry_near_their_rim(place: tuple[float, float]) -> None:
    x, z = place
    maker = Maker()
    maker.body(Cylinder(1, 1.2, 1), (0, -0.5, 0), kind=STATIC)
    box = maker.body(Box((0.1, 0.1, 0.1)), (x, 0.051, z), weight=box_mass(1, (0.1, 0.1, 0.1)))
    engine = maker.start()
    run(engine, 1)
    assert engine.state().translation[box] == pytest.approx([x, 0.05, z], abs=2e-3)


def test_one_sided_plane_lets_pass_from_behind() -> None:
    results = []
    for plane in (Plane(4, 4), Plane(4, 4, double_sided=True)):
        maker = Maker()
        maker.body(plane, kind=STATIC)
        ball = maker.body(Sphere(0.2), (0, -1, 0), velocity=(0, 3, 0), gravity=0)
        engine = maker.start()
        run(engine, 1)
        results.append(engine.state().translation[ball, 1])
    assert results == pytest.approx([2, -0.2], abs=0.02)


def test_surfaces_are_solid_from_both_sides() -> None:
    """A mesh is a shell: what is inside a closed one stays inside."""
    maker = Maker()
    maker.body(Mesh(CUBE * 4, CUBE_TRIANGLES), kind=STATIC)
    ball = maker.body(Sphere(0.2), velocity=(3, 5, 2))
    engine = maker.start()
    run(engine, 3)
    assert np.abs(engine.state().translation[ball]).max() < 2 - 0.19


def stack(size: float, masses: list[float]) -> np.ndarray:
    """Return by how much each box of a stack is too low after 3 s, in parts of its size."""
    maker = Maker()
    maker.ground()
    for i, kilograms in enumerate(masses):
        weight = box_mass(kilograms, (size,) * 3)
        maker.body(Box((size,) * 3), (0, (i + 0.5) * size, 0), weight=weight)
    engine, steps = careful(maker)
    run(engine, 3 * steps)
    expected = (np.arange(len(masses)) + 0.5) * size
    state = engine.state()
    assert np.abs(state.translation[1:, [0, 2]]).max() < 0.15 * size
    return (expected - state.translation[1:, 1]) / size


@pytest.mark.parametrize("size", [1.0, 0.1, 0.01, 0.004])
def test_stack_of_five_stands_at_any_size(size: float) -> None:
    assert stack(size, [1000 * size**3] * 5).max() < 0.05


@pytest.mark.parametrize("ratio", [10, 100, 1000])
def test_light_bodies_carry_heavy_ones(ratio: float) -> None:
    assert stack(1.0, [1.0, ratio]).max() < 0.04


def test_stack_of_ten_stands_for_ten_seconds() -> None:
    maker = Maker()
    maker.ground()
    for i in range(10):
        maker.body(Box((1, 1, 1)), (0, i + 0.5, 0), weight=box_mass(1, (1, 1, 1)))
    engine = maker.start()
    run(engine, 10)
    state = engine.state()
    assert np.abs(state.translation[1:, [0, 2]]).max() < 0.02
    assert state.translation[-1, 1] == pytest.approx(9.5, abs=0.04)


def test_platform_carries() -> None:
    maker = Maker()
    maker.body(Box((4, 1, 4)), (0, -0.5, 0), kind=KINEMATIC, velocity=(0.5, 0.2, 0))
    crate = maker.body(Box((0.4, 0.4, 0.4)), (0, 0.2, 0), weight=box_mass(1, (0.4, 0.4, 0.4)))
    engine = maker.start()
    run(engine, 4)
    # It slips until friction has brought it to speed: v² / (2 μ g) = 2 cm.
    assert engine.state().translation[crate] == pytest.approx([2, 1, 0], abs=0.025)


def test_turntable_carries_around() -> None:
    maker = Maker()
    maker.body(Cylinder(1, 2, 2), (0, -0.5, 0), kind=KINEMATIC, spin=(0, 0.5, 0))
    crate = maker.body(Box((0.4, 0.4, 0.4)), (1, 0.2, 0), weight=box_mass(1, (0.4, 0.4, 0.4)))
    engine, steps = careful(maker)
    run(engine, 4 * steps)
    x, _, z = engine.state().translation[crate]
    # Riding along the tangent of each step takes it outwards, by ω² dt / 2 per second.
    assert math.hypot(x, z) == pytest.approx(1, abs=0.02)
    assert math.atan2(-z, x) == pytest.approx(2, abs=0.05)


def test_a_driven_body_pushes() -> None:
    maker = Maker()
    wall = maker.body(Box((0.2, 1, 1)), (-1, 0.5, 0), driven=True)
    ball = maker.body(Sphere(0.3), (0, 0.5, 0), gravity=0, weight=ball_mass(1, 0.3))
    engine = maker.start()
    for frame in range(60):
        engine.drive_body(wall, np.array([-1 + 2 * (frame + 1) / 60, 0.5, 0]), np.array(UPRIGHT))
        engine.step()
    state = engine.state()
    assert state.translation[ball, 0] == pytest.approx(1 + 0.1 + 0.3, abs=0.01)
    assert state.linear_velocity[ball, 0] == pytest.approx(2, abs=0.05)


def test_fast_bodies_do_not_pass_through_walls() -> None:
    maker = Maker()
    maker.body(Box((0.02, 10, 10)), (10, 0, 0), kind=STATIC)
    bullet = maker.body(Sphere(0.01), velocity=(300, 0, 0), gravity=0)
    engine = maker.start()
    run(engine, 1)
    assert engine.state().translation[bullet, 0] < 10


def test_a_collider_moves_within_its_body() -> None:
    maker = Maker()
    lift = maker.body(kind=STATIC)
    floor = maker.collider(Box((2, 1, 2)), lift, (0, -0.5, 0))
    ball = maker.body(Sphere(0.25), (0, 0.25, 0), weight=ball_mass(1, 0.25))
    engine = maker.start()
    run(engine, 1)
    for frame in range(60):
        engine.place_collider(floor, np.array([0, -0.5 - frame / 60, 0]), np.array(UPRIGHT))
        engine.step()
    run(engine, 1)
    assert engine.state().translation[ball, 1] == pytest.approx(0.25 - 59 / 60, abs=2e-3)

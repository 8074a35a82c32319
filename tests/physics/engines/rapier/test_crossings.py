"""Nothing goes through walls and layers of triangles, pressed or fast."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from ligament.extensions.rigid_bodies import Material
from ligament.physics.engines import make_engine
from ligament.physics.engines.rapier import RapierEngine
from ligament.physics.engines.rapier.workarounds.crossings import Crossings
from tests.physics.engines.rapier.joined import BALL, WELD, hinge, make_joint
from tests.physics.engines.rapier.scenes import (
    KINEMATIC,
    STATIC,
    UPRIGHT,
    Box,
    Capsule,
    Maker,
    Mesh,
    Plane,
    Sphere,
    about,
    ball_mass,
    box_mass,
    run,
)
from tests.physics.engines.rapier.tiled_floors import ROUGH, brick, sheet

UP = np.array(UPRIGHT)
SEEDS = (1, 10, 32)


def _small(shape: str, size: float) -> Any:
    match shape:
        case "ball":
            return Sphere(size / 2)
        case "box":
            return Box((size, size, size))
        case "capsule":
            return Capsule(size, size / 2, size / 2)
    return brick(size, size, size)


@pytest.mark.parametrize("seed", SEEDS)
def test_balls_jammed_by_a_driven_wheel_stay_on_their_floor(seed: int) -> None:
    """Balls of 9 mm, a wheel with paddles that leaves less than that, and walls around them."""
    generator, maker = np.random.default_rng(seed), Maker()
    radius, size = 0.1, 0.009
    maker.body(sheet(6, 0.6), kind=STATIC, material=ROUGH)
    for axis, side in ((0, -1), (0, 1), (2, -1), (2, 1)):
        at, wall = np.array([0, 0.4, 0.0]), np.array([0.6, 2.0, 0.6])
        at[axis], wall[axis] = side * 0.16, 0.1
        maker.body(Box((wall[0], wall[1], wall[2])), at, kind=STATIC)
    balls = []
    for i in range(6):
        x, z = generator.uniform(-0.1, 0.1), generator.uniform(-0.03, 0.03)
        weight = ball_mass(8e-4, size / 2)
        at = np.array([x, 0.01 + i / 300, z])
        balls.append(maker.body(Sphere(size / 2), at, weight=weight, material=ROUGH))
    gap, speed = generator.uniform(0.05, 0.5) * size, generator.uniform(5, 15)
    wheel = maker.body(None, (0, radius + gap, 0), kind=KINEMATIC, spin=(0, 0, speed))
    for k in range(8):
        angle = k * math.pi / 4
        at = radius / 2 * np.array([-math.sin(angle), math.cos(angle), 0])
        turned = about((0, 0, 1), angle)
        maker.collider(brick(0.02, radius, 0.1), wheel, at, turned=turned, material=ROUGH)
    engine = make_engine(maker.scene())
    run(engine, 3.0, engine.settings.step)
    assert engine.state().translation[balls, 1].min() > -1e-4


@pytest.mark.parametrize("shape", ["ball", "box", "capsule", "hull"])
@pytest.mark.parametrize("size", [0.005, 0.02])
def test_small_body_under_a_press_stays_on_its_floor(shape: str, size: float) -> None:
    """The gap under the plate becomes a fifth of the body."""
    maker = Maker()
    maker.body(sheet(8, 1.0), kind=STATIC, material=ROUGH)
    at = (0.013, size / 2, 0.007)
    weight = box_mass(1000 * size**3, (size, size, size))
    body = maker.body(_small(shape, size), at, weight=weight, material=ROUGH)
    plate = maker.body(Box((0.2, 0.02, 0.2)), (0, 3 * size + 0.01, 0), kind=KINEMATIC, driven=True)
    engine = make_engine(maker.scene())
    height, down = 3 * size, 2.0 * engine.settings.step
    for _ in range(30 * engine.substeps):
        height = max(height - down, 0.2 * size)
        engine.drive_body(plate, np.array([0, height + 0.01, 0]), UP)
        engine.step()
        place = engine.state().translation[body]
        assert place[1] > 0 or np.abs(place[[0, 2]]).max() > 0.5


TARGETS: dict[str, list[tuple[Any, Any]]] = {
    "mesh": [(sheet(8, 1.0), (0, 0, 0))],
    "two triangles": [(sheet(1, 1.0), (0, 0, 0))],
    "plane": [(Plane(1.0, 1.0, double_sided=True), (0, 0, 0))],
    "wall": [(Box((1, 0.001, 1)), (0, 0, 0))],
    "hull": [(brick(1, 0.01, 1), (0, 0, 0))],
    "tiles": [
        (Box((0.25, 0.002, 0.25)), (0.25 * i + 0.125, 0, 0.25 * j + 0.125))
        for i in range(-2, 2)
        for j in range(-2, 2)
    ],
}


def _lowest(target: str, moves: float, shape: str, size: float, speed: float) -> float:
    """Return the least height over a target of a body that was shot down at it, while over it."""
    maker = Maker()
    kind = KINEMATIC if moves else STATIC
    carrier = maker.body(None, kind=kind, velocity=(0, moves, 0))
    for form, at in TARGETS[target]:
        maker.collider(form, carrier, at)
    weight = box_mass(1000 * size**3, (size, size, size))
    velocity = (min(0.2 * speed, 4.0), -speed, min(0.1 * speed, 2.0))
    at = (-0.07, 0.37, 0.007)
    body = maker.body(_small(shape, size), at, weight=weight, velocity=velocity, spin=(3, 5, 7))
    engine = make_engine(maker.scene(), gravity=(0, 0, 0))
    heights = []
    for _ in range(10 * engine.substeps):
        engine.step()
        place = engine.state().translation[[body, carrier]]
        if np.abs(place[0, [0, 2]]).max() > 0.49:
            break
        heights.append(float(place[0, 1] - place[1, 1]))
    return min(heights, default=math.inf)


@pytest.mark.parametrize("speed", [5.0, 50.0, 200.0])
@pytest.mark.parametrize("shape", ["ball", "box", "capsule", "hull"])
@pytest.mark.parametrize("target", TARGETS)
def test_fast_body_does_not_leave_through_a_wall(target: str, shape: str, speed: float) -> None:
    for size in (0.005, 0.02, 0.1):
        assert _lowest(target, 0.0, shape, size, speed) > 0


@pytest.mark.parametrize("shape", ["ball", "hull"])
@pytest.mark.parametrize("target", ["mesh", "wall"])
def test_moving_wall_takes_along_what_it_meets(target: str, shape: str) -> None:
    for speed in (0.0, 50.0):
        assert _lowest(target, 20.0, shape, 0.01, speed) > 0


def _lowest_of_a_chain(seed: int) -> float:
    """Return the least height over a mesh of chained balls thrown at it, in their radii."""
    generator, maker = np.random.default_rng(seed), Maker()
    maker.body(sheet(8, 4.0), kind=STATIC)
    radius, count = float(generator.choice([0.01, 0.03, 0.1])), int(generator.integers(2, 5))
    along, velocity = generator.normal(size=(2, 3))
    along[1] = abs(along[1])
    half = generator.uniform(1.1, 2.5) * radius * along / np.linalg.norm(along)
    velocity *= generator.uniform(5, 100) / np.linalg.norm(velocity)
    velocity[1] = -abs(velocity[1]) - 2
    balls = [
        maker.body(
            Sphere(radius),
            (0, 0.5, 0) + 2 * i * half,
            weight=ball_mass(generator.uniform(0.1, 2), radius),
            velocity=velocity,
        )
        for i in range(count)
    ]
    for a, b in pairwise(balls):
        maker.joints.append(make_joint(a, b, BALL, at_a=half, at_b=-half))
    engine = make_engine(maker.scene())
    lowest = math.inf
    for _ in range(30 * engine.substeps):
        engine.step()
        places = engine.state().translation[balls]
        if np.abs(places[:, [0, 2]]).max() > 1.9:
            break
        lowest = min(lowest, float(places[:, 1].min()))
    return lowest / radius


@pytest.mark.parametrize("seed", [172, 599, 1420, 2543, 2946])
def test_chain_does_not_hang_through_a_mesh(seed: int) -> None:
    """Of 4,000 seeds, these are the ones with which the engine alone leaves a ball below."""
    assert _lowest_of_a_chain(seed) > 0


def _farthest_of_a_pendulum(seed: int) -> float:
    """Return how far [m] behind a mesh a heavy ball swings that hangs on a chain of light ones."""
    generator, maker = np.random.default_rng(seed), Maker()
    count, speed = int(generator.integers(1, 6)), generator.uniform(3, 60)
    side = math.pi / 2 if generator.random() < 0.5 else -math.pi / 2
    maker.body(sheet(8, 6.0), (0.5, 0, 0), kind=STATIC, turned=about((0, 0, 1), side))
    above = maker.body(None, (0, 3, 0), kind=STATIC)
    for i in range(1, count + 1):
        kilograms, radius = (generator.uniform(1, 50), 0.2) if i == count else (0.5, 0.02)
        velocity = (speed * i / count, 0, generator.uniform(-1, 1))
        at, weight = (0, 3 - 3 * i / count, 0), ball_mass(kilograms, radius)
        body = maker.body(Sphere(radius), at, weight=weight, velocity=velocity)
        maker.joints.append(make_joint(above, body, BALL, at_b=(0, 3 / count, 0)))
        above = body
    engine = make_engine(maker.scene())
    farthest = -math.inf
    for _ in range(60 * engine.substeps):
        engine.step()
        places = engine.state().translation[2:]
        before = np.abs(places[:, 1:]).max(axis=1) < 2.9
        farthest = max(farthest, places[before, 0].max(initial=-math.inf) - 0.5)
    return farthest


@pytest.mark.parametrize("seed", [78, 82, 90, 181, 381])
def test_heavy_pendulum_stops_at_a_mesh(seed: int) -> None:
    """Of 400 seeds, the engine alone lets 16 through, these among them."""
    assert _farthest_of_a_pendulum(seed) < 0


def test_flap_swings_through_the_wall_that_it_hangs_in() -> None:
    maker = Maker()
    wall = maker.body(Box((0.02, 2, 2)), kind=STATIC)
    flap = maker.body(Box((0.02, 0.3, 0.3)), (0.1, -0.3, 0), weight=box_mass(1, (0.1, 0.3, 0.3)))
    maker.joints.append(make_joint(wall, flap, hinge(2), at_b=(-0.1, 0.3, 0)))
    engine = make_engine(maker.scene())
    least = math.inf
    for _ in range(60 * engine.substeps):
        engine.step()
        least = min(least, float(engine.state().translation[flap, 0]))
    assert least == pytest.approx(-0.1, abs=0.01)


def test_moving_wall_does_not_tear_a_weld_open() -> None:
    maker = Maker()
    post = maker.body(None, (0, 1, 0), kind=STATIC)
    ball = maker.body(Sphere(0.05), (0, 1, 0), weight=ball_mass(1, 0.05))
    maker.joints.append(make_joint(post, ball, WELD))
    maker.body(Box((0.02, 1, 1)), (-0.5, 1, 0), kind=KINEMATIC, velocity=(2, 0, 0))
    engine = make_engine(maker.scene())
    run(engine, 1.0, engine.settings.step)
    assert np.abs(engine.state().translation[ball] - (0, 1, 0)).max() < 1e-3


def test_body_passes_through_a_hole() -> None:
    maker = Maker()
    whole = sheet(4, 1.0)
    middle = np.abs(whole.points[whole.triangles].mean(axis=1)[:, [0, 2]]).max(axis=1) < 0.25
    maker.body(Mesh(whole.points, whole.triangles[~middle]), kind=STATIC)
    ball = maker.body(Sphere(0.05), (0, 0.5, 0), weight=ball_mass(1, 0.05), velocity=(0, -20, 0))
    engine = make_engine(maker.scene())
    run(engine, 0.2, engine.settings.step)
    assert engine.state().translation[ball, 1] < -1


def test_teleported_body_is_on_its_new_side() -> None:
    engine, ball = _over_a_sheet()
    engine.set_pose(ball, np.array([0.1, -0.5, 0.1]), UP)
    run(engine, 0.5, engine.settings.step)
    assert engine.state().translation[ball, 1] < -1


def _over_a_sheet(**options: Any) -> tuple[RapierEngine, int]:
    maker = Maker()
    maker.body(sheet(4, 1.0), kind=STATIC, material=options.get("material"))
    options = {"weight": ball_mass(1e-4, 0.0025), "velocity": (0, -200, 0)} | options
    ball = maker.body(Sphere(0.0025), (0.1, 0.5, 0.1), **options)
    engine = make_engine(maker.scene())
    assert isinstance(engine, RapierEngine)
    return engine, ball


def test_fast_ball_bounces_as_its_material_says() -> None:
    bouncy = Material(restitution=0.5)
    engine, ball = _over_a_sheet(material=bouncy)
    run(engine, 0.05, engine.settings.step)
    assert engine.state().linear_velocity[ball, 1] == pytest.approx(100, rel=0.02)


def test_snapshot_goes_on_to_the_bit() -> None:
    engine, ball = _over_a_sheet()
    saved = engine.snapshot()
    run(engine, 0.2, engine.settings.step)
    first = engine.state().translation[ball].tobytes()
    engine.restore(saved)
    run(engine, 0.2, engine.settings.step)
    assert engine.state().translation[ball].tobytes() == first


def test_scene_without_thin_walls_is_not_followed() -> None:
    maker = Maker()
    maker.ground()
    maker.body(Box((1, 1, 1)), (0, 0.5, 0), weight=box_mass(1, (1, 1, 1)))
    engine = make_engine(maker.scene())
    assert isinstance(engine, RapierEngine)
    assert not any(isinstance(stage, Crossings) for stage in engine._stages)

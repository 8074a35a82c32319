"""Rolling without slipping on flat ground keeps its speed, however slow it is."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
import rapier3d as rp

from ligament.extensions.rigid_bodies import Limit
from ligament.extensions.shapes import Capsule, Cylinder
from ligament.physics.engines import make_engine
from ligament.physics.engines.rapier import RapierEngine
from ligament.physics.scene import Frame, Joint
from tests.physics.engines.rapier.scenes import (
    Box,
    Maker,
    about,
    ball_mass,
    box_mass,
    pose,
    run,
)

HOOK = rp.ActiveHooks.MODIFY_SOLVER_CONTACTS
RADIUS = 0.5
LYING = about((1, 0, 0), math.pi / 2)


def rolling(shape: Capsule | Cylinder, speed: float) -> tuple[RapierEngine, int]:
    """Something that lies along Z and rolls along X at a speed [m/s]."""
    maker = Maker()
    maker.ground()
    body = maker.body(
        shape,
        (0, RADIUS, 0),
        turned=LYING,
        velocity=(speed, 0, 0),
        spin=(0, 0, -speed / RADIUS),
        weight=ball_mass(10, RADIUS),
    )
    return maker.start(), body


@pytest.mark.parametrize("speed", [0.05, 0.2, 1.0, -0.2])
def test_a_capsule_keeps_its_speed(speed: float) -> None:
    """Within 1 %; contacts that stay behind would add 0.25 m/s in these five seconds."""
    engine, body = rolling(Capsule(1.0, RADIUS, RADIUS), speed)
    run(engine, 5)
    assert engine.state().linear_velocity[body, 0] == pytest.approx(speed, rel=0.01)


@pytest.mark.parametrize("speed", [0.05, 0.2, 1.0])
def test_a_cylinder_nearly_keeps_its_speed(speed: float) -> None:
    """Within 3 cm/s: the engine finds the contacts of a cylinder less exactly."""
    engine, body = rolling(Cylinder(1.0, RADIUS, RADIUS), speed)
    run(engine, 5)
    assert engine.state().linear_velocity[body, 0] == pytest.approx(speed, abs=0.03)


def test_a_snapshot_goes_on_to_the_same_bits() -> None:
    engine, _ = rolling(Cylinder(1.0, RADIUS, RADIUS), 0.1)
    run(engine, 0.55)
    saved = engine.snapshot()
    run(engine, 0.5)
    expected = np.concatenate(engine.state(), axis=1)
    engine.restore(saved)
    run(engine, 0.5)
    np.testing.assert_array_equal(np.concatenate(engine.state(), axis=1), expected)


def car(shape: Capsule | Cylinder, **chassis: Any) -> RapierEngine:
    """A tonne on four wheels about X, each on a hinge at its hub; the chassis is the first body."""
    speed, lift = chassis.get("speed", 0.0), chassis.get("lift", 0.0)
    maker = Maker()
    size, turn, radius = (1.6, 0.5, 3.6), about((0, 0, 1), math.pi / 2), shape.radius_top
    at = np.array([0, radius + 0.3 + lift, 0])
    options: Any = {"velocity": (0, 0, speed)}
    body = maker.body(Box(size), at, weight=box_mass(1000, size), **options)
    options |= {"turned": turn, "spin": (speed / radius, 0, 0)}
    for x, z in itertools.product((-1.3, 1.3), repeat=2):
        hub = np.array([x, -0.3, z])
        wheel = maker.body(shape, at + hub, weight=ball_mass(25, radius), **options)
        a, b = (
            Frame(node=0, body=body, pose=pose(hub, turn)),
            Frame(node=0, body=wheel, pose=pose()),
        )
        locks = (
            Limit(linear_axes=(0, 1, 2), minimum=0.0, maximum=0.0),
            Limit(angular_axes=(0,), minimum=0.0, maximum=0.0),
            Limit(angular_axes=(2,), minimum=0.0, maximum=0.0),
        )
        maker.joints.append(Joint(node=0, a=a, b=b, limits=locks, drives=()))
    maker.ground()
    engine = make_engine(maker.scene())
    assert isinstance(engine, RapierEngine)
    return engine


WHEELS = {"cylinder": Cylinder(0.25, 0.35, 0.35), "capsule": Capsule(0.05, 0.35, 0.35)}


@pytest.mark.parametrize("wheel", WHEELS)
@pytest.mark.parametrize("speed", [0.0, 0.5, 5.0])
def test_a_car_coasts_at_its_speed(wheel: str, speed: float) -> None:
    """Within 1 % and 5 mm/s; on contacts beside the line below the axle it sped up by 0.3 m/s."""
    engine = car(WHEELS[wheel], speed=speed)
    run(engine, 5, engine.settings.step)
    velocity = engine.state().linear_velocity[0]
    np.testing.assert_allclose(velocity, (0, 0, speed), rtol=0, atol=0.01 * speed + 0.005)


@pytest.mark.parametrize("wheel", WHEELS)
def test_a_car_that_is_dropped_stays_there(wheel: str) -> None:
    """It drove off at 0.2 m/s."""
    engine = car(WHEELS[wheel], lift=0.5)
    run(engine, 4, engine.settings.step)
    state = engine.state()
    assert np.hypot(*state.translation[0, [0, 2]]) < 0.03
    assert np.linalg.norm(state.linear_velocity[0]) < 0.02


def test_bodies_at_rest_and_limbs_have_no_hooks() -> None:
    """A hook costs as much as ten pairs: only what rolls has it, and no capsule without a hub."""
    maker = Maker()
    maker.ground()
    limbs = [maker.body(Capsule(1, 0.2, 0.2), (x, 9, 0), velocity=(0, 1, 0)) for x in (0, 5)]
    frames = [
        Frame(node=0, body=limb, pose=pose((x, 0.5, 0)))
        for limb, x in zip(limbs, (2.5, -2.5), strict=True)
    ]
    lock = Limit(linear_axes=(0, 1, 2), minimum=0.0, maximum=0.0)
    maker.joints.append(Joint(node=0, a=frames[0], b=frames[1], limits=(lock,), drives=()))
    still = maker.body(Cylinder(1, 0.2, 0.2), (20, 0.5, 0))
    rolls = maker.body(Cylinder(1, 0.2, 0.2), (30, 9, 0), spin=(0, 0.1, 0))
    engine = maker.start()
    engine.step()
    hooked = [
        engine._world.colliders[handle].active_hooks.contains(HOOK)
        for handle in engine._built.colliders
        if handle is not None
    ]
    assert [hooked[i] for i in (*limbs, still, rolls)] == [False, False, False, True]

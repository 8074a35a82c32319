from __future__ import annotations

import numpy as np

from ligament.extensions.rigid_bodies import Drive, Limit
from ligament.physics.engines.rapier.world.build import HELD_REST, NEVER, REST
from ligament.physics.scene import Frame, Joint
from tests.physics.engines.rapier.scenes import (
    STATIC,
    UPRIGHT,
    Box,
    Maker,
    box_mass,
    mass,
    pose,
    run,
)


def joint(a: int, b: int, limits: tuple[Limit, ...], drives: tuple[Drive, ...] = ()) -> Joint:
    frames = [Frame(node=0, body=body, pose=pose()) for body in (a, b)]
    return Joint(node=0, a=frames[0], b=frames[1], limits=limits, drives=drives)


def thresholds(maker: Maker, **options: object) -> np.ndarray:
    engine = maker.start(**options)  # type: ignore[arg-type]
    return np.array([body.activation.sleep_threshold for body in engine._bodies])


def test_weightless_bodies_never_sleep() -> None:
    maker = Maker()
    maker.body(weight=mass(1))
    maker.body(weight=mass(1), gravity=0)
    maker.body(weight=mass(np.inf))
    np.testing.assert_allclose(thresholds(maker), [REST, NEVER, NEVER], rtol=1e-6)
    np.testing.assert_allclose(thresholds(maker, gravity=(0, 0, 0)), NEVER)


def test_joints_keep_awake() -> None:
    """Those with springs and drives for good, the others until they hardly move."""
    lock = Limit(linear_axes=(0, 1, 2), minimum=0, maximum=0)
    spring = Limit(linear_axes=(0,), maximum=0, stiffness=10.0)
    drive = Drive(type="angular", mode="force", axis=0, velocity_target=1e-3, damping=1.0)
    maker = Maker()
    for i in range(6):
        maker.body(weight=mass(1), at=(i, 0, 0))
    maker.joints += [joint(0, 1, (lock,)), joint(1, 2, (spring,)), joint(3, 4, (lock,), (drive,))]
    expected = [HELD_REST, NEVER, NEVER, NEVER, NEVER, REST]
    np.testing.assert_allclose(thresholds(maker), expected, rtol=1e-6)


def test_pendulum_without_colliders_swings_on() -> None:
    """About its origin, at less than the 0.5 rad/s at which the engine lets such a body sleep."""
    maker = Maker()
    pivot = maker.body(kind=STATIC)
    bob = maker.body(weight=mass(1, center=(0, -1, 0)), turned=(0, 0, np.sin(0.025), np.cos(0.025)))
    maker.joints.append(joint(pivot, bob, (Limit(linear_axes=(0, 1, 2), minimum=0, maximum=0),)))
    engine = maker.start()
    angles = []
    for _ in range(10):
        run(engine, 0.5)
        angles.append(2 * engine.state().rotation[bob, 2])
    assert np.ptp(angles) > 0.09


def test_without_gravity_everything_wakes_for_good() -> None:
    maker = Maker()
    maker.ground()
    box = maker.body(Box((1, 1, 1)), (0, 0.5, 0), weight=box_mass(1, (1, 1, 1)))
    engine = maker.start()
    run(engine, 3)
    assert engine._bodies[box].is_sleeping
    engine.gravity = (0.0, 0.0, 0.0)
    engine.apply_impulse(box, np.array([0, 0.002, 0]))
    run(engine, 5)
    np.testing.assert_allclose(engine.state().linear_velocity[box, 1], 0.002, atol=5e-4)


def test_sleepers_wake_when_the_floor_goes() -> None:
    maker = Maker()
    floor = maker.body(Box((2, 1, 2)), (0, -0.5, 0), kind=STATIC)
    box = maker.body(Box((1, 1, 1)), (0, 0.5, 0), weight=box_mass(1, (1, 1, 1)))
    engine = maker.start()
    run(engine, 3)
    assert engine._bodies[box].is_sleeping
    engine.set_pose(floor, np.array([9.0, 0, 0]), np.array(UPRIGHT))
    run(engine, 1)
    assert engine.state().translation[box, 1] < -3

"""Limits about two axes leave rotation about the third alone, however far it goes (OMI)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ligament.extensions.rigid_bodies import Limit
from ligament.physics import metrics
from ligament.transforms import from_axis_angle, multiply, rotate
from tests.physics.engines.rapier.joined import BALL, STILL, Run, fixed, joined_at, make_body

BOUND = 0.5


def swings(free: int, **members: float) -> tuple[Limit, ...]:
    """Return a limit about each of the axes across a free one."""
    bounds = {"minimum": -BOUND, "maximum": BOUND, **members}
    return tuple(
        Limit(angular_axes=(axis,), free_axis=free, **bounds) for axis in range(3) if axis != free
    )


def start(free: int, lean: float, spin: float, limits: tuple[Limit, ...]) -> Run:
    """A body that leans about an axis across the free one of B, and spins about that."""
    across = np.eye(3)[(free + 1) % 3] + 0.3 * np.eye(3)[(free + 2) % 3]
    turn = from_axis_angle(across / np.linalg.norm(across), np.array(lean))
    about = rotate(turn, np.eye(3)[free]) * spin
    # Of equal moments, so that nothing but limits changes how it spins.
    body = make_body(turn=turn, spin=about, inertia=(0.1, 0.1, 0.1), gravity_factor=0.0)
    bodies = [fixed(), body]
    joint = joined_at(bodies, 0, 1, (0, 0, 0), STILL, (*BALL, *limits), (), ((0, 0, 0), turn))
    return Run(bodies, [joint])


@pytest.mark.parametrize("free", [0, 1, 2])
def test_within_the_limits_nothing_acts_at_any_twist(free: int) -> None:
    """Ten seconds at 2 rad/s, leaning by 11° of 28.6°: it was stopped in the first turn."""
    run = start(free, 0.19, 2.0, swings(free))
    before = run.engine.state().angular_velocity[1].copy()
    for _ in range(600):
        run.engine.step()
    np.testing.assert_allclose(run.engine.state().angular_velocity[1], before, atol=5e-3)


@pytest.mark.parametrize("free", [0, 1, 2])
def test_limits_hold_while_it_twists(free: int) -> None:
    limits = swings(free)
    run = start(free, 0.2, 3.0, limits)
    worst = 0.0
    for frame in range(240):
        push = np.eye(3)[(free + 1 + frame // 60) % 3] * (2.0 if frame < 120 else -2.0)
        run.engine.apply_torque(1, push - push[free] * np.eye(3)[free])
        run.engine.step()
        worst = max(worst, *(abs(run.measure(limit)) for limit in limits))
    assert 0.95 * BOUND < worst < BOUND + 0.01


def test_each_axis_has_its_own_bounds() -> None:
    """A lock about one, a range about the other: a Cardan joint that also twists."""
    lock = Limit(angular_axes=(0,), free_axis=2, minimum=0.0, maximum=0.0)
    open_ = Limit(angular_axes=(1,), free_axis=2, minimum=-0.2, maximum=0.7)
    body = make_body(spin=(0, 0, 2), inertia=(0.1, 0.1, 0.1), gravity_factor=0.0)
    bodies = [fixed(), body]
    joint = joined_at(bodies, 0, 1, (0, 0, 0), STILL, (*BALL, lock, open_), (), ((0, 0, 0), STILL))
    run = Run(bodies, [joint])
    for torque, bound in ((1.0, 0.7), (-1.0, -0.2)):
        for _ in range(180):
            run.engine.apply_torque(1, np.array([0.0, torque, 0.0]))
            run.engine.step()
            assert abs(run.measure(lock)) < 0.01
        assert run.measure(open_) == pytest.approx(bound, abs=0.01)
    assert abs(run.engine.state().angular_velocity[1, 2]) > 0.5


def test_soft_limits_push_back_only_beyond_their_bounds() -> None:
    limits = swings(1, stiffness=50.0, damping=1.0)
    inside = start(1, 0.3, 2.0, limits)
    before = inside.engine.state().angular_velocity[1].copy()
    for _ in range(300):
        inside.engine.step()
    np.testing.assert_allclose(inside.engine.state().angular_velocity[1], before, atol=5e-3)
    outside = start(1, 0.9, 2.0, limits)
    for _ in range(300):
        outside.engine.step()
    assert max(abs(outside.measure(limit)) for limit in limits) < BOUND + 0.03


def test_the_swing_is_measured_without_the_twist() -> None:
    random = np.random.default_rng(0)
    for axis, free in ((0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)):
        limit = Limit(angular_axes=(axis,), free_axis=free)
        angles, twists = random.uniform(-2.5, 2.5, 40), random.uniform(-math.pi, math.pi, 40)
        lean = from_axis_angle(np.broadcast_to(np.eye(3)[axis], (40, 3)), angles)
        twist = from_axis_angle(np.broadcast_to(np.eye(3)[free], (40, 3)), twists)
        value = metrics.measure(limit, np.zeros((40, 3)), multiply(lean, twist))
        np.testing.assert_allclose(value, angles, atol=1e-12)
        gradient = metrics.gradient(limit, np.zeros((40, 3)), multiply(lean, twist))
        # Twisting about the free axis of B changes nothing.
        own = rotate(lean, np.broadcast_to(np.eye(3)[free], (40, 3)))
        np.testing.assert_allclose(np.einsum("ij,ij->i", gradient, own), 0, atol=1e-9)

"""Soft limits: deflection under load, oscillation, and one-sided bounces, in random places."""

import math

import numpy as np
import pytest

from ligament.extensions.rigid_bodies import Limit
from ligament.physics.engines.rapier import RapierSettings
from ligament.transforms import from_axis_angle, rotate
from tests.physics.engines.rapier.joined import (
    BALL,
    STILL,
    Run,
    fixed,
    hinge,
    joined_at,
    make_body,
    make_joint,
    random_rotation,
    slider,
)
from tests.physics.engines.rapier.oscillators import damped, frequency_and_damping
from tests.sampling import sample

STEP = 1 / 60
NO_TURNING = Limit(angular_axes=(0, 1, 2), minimum=0.0, maximum=0.0)


def somewhere(seed, limits, *, centered=False, start=((0.0, 0.0, 0.0), STILL), **options):
    """A body of 2 kg on a joint to the world at a random pose; returns run and rotation."""
    rng = np.random.default_rng(seed)
    at, turn = rng.normal(size=3), random_rotation(rng)
    body = make_body(
        at=at if centered else at + 0.5 * rng.normal(size=3),
        turn=random_rotation(rng),
        mass=2.0,
        inertia=(0.2, 0.2, 0.2) if centered else (0.1, 0.15, 0.2),
        center=(0, 0, 0) if centered else 0.1 * rng.normal(size=3),
        orientation=random_rotation(rng),
    )
    bodies = [fixed(rng.normal(size=3), random_rotation(rng)), body]
    joint = joined_at(bodies, 0, 1, at, turn, limits, offset=start)
    return Run(bodies, [joint], **options), turn


@pytest.mark.parametrize("stiffness", [100.0, 1e4, 1e6])
@pytest.mark.parametrize("axes", [(0,), (1, 2), (0, 1, 2)])
@pytest.mark.parametrize("seed", sample([1, 2], 1))
def test_a_linear_spring_yields_by_force_over_stiffness(axes, stiffness, seed):
    critical = 2 * math.sqrt(2.0 * stiffness)
    limit = Limit(linear_axes=axes, maximum=0.1, stiffness=stiffness, damping=critical)
    others = tuple(axis for axis in range(3) if axis not in axes)
    locks = (Limit(linear_axes=others, minimum=0.0, maximum=0.0),) if others else ()
    direction = np.isin(np.arange(3), axes) / math.sqrt(len(axes))
    run, turn = somewhere(seed, (NO_TURNING, *locks, limit), start=(0.1 * direction, STILL))
    force = min(0.01 * stiffness, 10 * 9.81 * 2.0)
    pull = rotate(turn, force * direction)
    values = run.follow(240, limit, push=lambda run: run.engine.apply_force(1, pull))
    assert values[-1] - 0.1 == pytest.approx(force / stiffness, rel=0.01)


@pytest.mark.parametrize("stiffness", [20.0, 1e3, 1e4])
@pytest.mark.parametrize(
    ("axes", "locked"),
    [((2,), (0, 1)), ((2,), ()), ((0, 1), ()), ((0, 1, 2), ())],
    ids=["hinge", "twist", "cone", "total"],
)
@pytest.mark.parametrize("seed", sample([1, 2], 1))
def test_an_angular_spring_yields_by_torque_over_stiffness(axes, locked, stiffness, seed):
    critical = 2 * math.sqrt(0.2 * stiffness)
    limit = Limit(angular_axes=axes, maximum=0.3, stiffness=stiffness, damping=critical)
    locks = (Limit(angular_axes=locked, minimum=0.0, maximum=0.0),) if locked else ()
    run, turn = somewhere(seed, (*BALL, *locks, limit), centered=True)
    torque = min(0.05 * stiffness, 20.0)
    pull = rotate(turn, torque * np.eye(3)[axes[0]])
    values = run.follow(120, limit, push=lambda run: run.engine.apply_torque(1, pull))
    assert values[-1] - 0.3 == pytest.approx(torque / stiffness, rel=0.01)


@pytest.mark.parametrize(("stiffness", "damping"), [(20.0, 1.0), (200.0, 2.0), (700.0, 20.0)])
@pytest.mark.parametrize("seed", sample([1, 2], 1))
@pytest.mark.parametrize("iterations", [4, 16])
def test_a_linear_spring_has_its_frequency_and_damping(stiffness, damping, seed, iterations):
    limit = Limit(linear_axes=(0,), minimum=0.3, maximum=0.3, stiffness=stiffness, damping=damping)
    settings = RapierSettings(iterations=iterations)
    run, _ = somewhere(seed, (*slider(0), limit), settings=settings)
    values = run.follow(240, limit)
    frequency, ratio = frequency_and_damping(values, 0.3, STEP)
    assert frequency == pytest.approx(math.sqrt(stiffness / 2) / (2 * math.pi), rel=0.03)
    assert ratio == pytest.approx(damping / (2 * math.sqrt(stiffness * 2)), rel=0.03)


@pytest.mark.parametrize("limits", [hinge(2), BALL], ids=["hinge", "ball"])
@pytest.mark.parametrize(("stiffness", "damping"), [(5.0, 0.1), (50.0, 0.5)])
def test_a_spring_about_an_axis_has_its_frequency_and_damping(limits, stiffness, damping):
    spring = Limit(
        angular_axes=(2,), minimum=0.0, maximum=0.0, stiffness=stiffness, damping=damping
    )
    body = make_body(turn=from_axis_angle([0.0, 0.0, 1.0], 0.5), inertia=(0.3, 0.3, 0.3))
    run = Run([fixed(), body], [make_joint(0, 1, (*limits, spring))])
    values = run.follow(240, spring)
    frequency, ratio = frequency_and_damping(values, 0.0, STEP)
    assert frequency == pytest.approx(math.sqrt(stiffness / 0.3) / (2 * math.pi), rel=0.03)
    assert ratio == pytest.approx(damping / (2 * math.sqrt(stiffness * 0.3)), rel=0.03)


def test_a_spring_on_the_whole_rotation_swings_through_zero():
    axis = np.array([0.6, 0.48, 0.64])
    spring = Limit(angular_axes=(0, 1, 2), maximum=0.0, stiffness=20.0, damping=0.3)
    body = make_body(turn=from_axis_angle(axis, 0.8), inertia=(0.3, 0.3, 0.3))
    run = Run([fixed(), body], [make_joint(0, 1, (*BALL, spring))])
    values = []
    for _ in range(180):
        run.engine.step()
        rotation = run.relative().rotation
        values.append(2 * math.atan2(rotation[:3] @ axis, rotation[3]))
    time = STEP * np.arange(1, 181)
    expected = damped(time, 0.8, 0.0, stiffness=20.0, damping=0.3, mass=0.3)
    # A substep's lag in phase: 8 rad/s / 960, of the amplitude.
    np.testing.assert_allclose(values, expected, atol=0.01 * 0.8)


@pytest.mark.parametrize("seed", range(3))
def test_a_body_on_a_long_arm_swings_on_its_spring(seed):
    """A light pivot and a heavy end: the row alone sees a thousandth of the effective mass."""
    rng = np.random.default_rng(seed)
    at, turn = rng.normal(size=3), random_rotation(rng)
    end = make_body(at=at + rotate(turn, [1, 0, 0]), turn=random_rotation(rng), inertia=(1e-3,) * 3)
    spring = Limit(angular_axes=(2,), minimum=0.5, maximum=0.5, stiffness=100.0, damping=20.0)
    bodies = [fixed(), end]
    run = Run(bodies, [joined_at(bodies, 0, 1, at, turn, (*hinge(2), spring))])
    values = run.follow(120, spring)
    time = STEP * np.arange(1, 121)
    expected = damped(time, 0.0, 0.5, stiffness=100.0, damping=20.0, mass=1.001)
    np.testing.assert_allclose(values, expected, atol=0.03 * 0.5)


@pytest.mark.parametrize("stiffness", [50.0, 700.0])
@pytest.mark.parametrize("start", [0.0, 0.004, 0.011])
def test_a_bounce_keeps_its_energy(stiffness, start):
    """Up to h²k/m = 0.1 at the whole step, a contact with the bound lasts ten steps."""
    limit = Limit(linear_axes=(0,), maximum=0.2, stiffness=stiffness)
    body = make_body(at=(start, 0, 0), mass=2.0, velocity=(1.0, 0, 0))
    run = Run([fixed(), body], [make_joint(0, 1, (*slider(0), limit))])
    values = run.follow(120, limit)
    assert values.max() - 0.2 == pytest.approx(math.sqrt(2.0 / stiffness), rel=0.03)
    assert run.engine.state().linear_velocity[1][0] == pytest.approx(-1.0, rel=0.03)


def test_damping_alone_acts_beyond_the_bound_only():
    limit = Limit(linear_axes=(0,), maximum=0.5, stiffness=0.0, damping=4.0)
    body = make_body(mass=2.0, velocity=(1.0, 0, 0))
    run = Run([fixed(), body], [make_joint(0, 1, (*slider(0), limit))])
    run.follow(29, limit)
    assert run.engine.state().linear_velocity[1][0] == pytest.approx(1.0)
    values = run.follow(240, limit)
    # A body slowed by c·v goes on for m·v/c; the bound is noticed within half a step.
    assert values[-1] == pytest.approx(0.5 + 2.0 / 4.0, abs=0.01)


def test_stiff_springs_are_stable():
    """h²k/m far beyond one: no oscillation that grows, whatever the damping."""
    for stiffness in (1e5, 1e7, 1e9):
        limit = Limit(linear_axes=(0, 1, 2), maximum=0.1, stiffness=stiffness)
        body = make_body(at=(0.5, 0.2, 0), velocity=(0, 3, 1))
        run = Run([fixed(), body], [make_joint(0, 1, (limit,))], gravity=(0, -9.81, 0))
        start = 0.5 * stiffness * (math.hypot(0.5, 0.2) - 0.1) ** 2
        run.follow(300, limit)
        assert run.energy() < start + 100.0


def test_a_soft_limit_within_a_hard_one():
    soft = Limit(linear_axes=(0,), minimum=-0.1, maximum=0.1, stiffness=100.0, damping=20.0)
    run, turn = somewhere(3, (*slider(0, minimum=-0.3, maximum=0.3), soft))
    pull = rotate(turn, [1.0, 0, 0])
    gentle = run.follow(180, soft, push=lambda run: run.engine.apply_force(1, 10 * pull))
    assert gentle[-1] == pytest.approx(0.2, rel=0.01)
    strong = run.follow(180, soft, push=lambda run: run.engine.apply_force(1, 100 * pull))
    assert strong[-1] == pytest.approx(0.3, abs=1e-4)

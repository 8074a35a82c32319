"""Hard limits of every metric, on joints in random places, under ten times the body's weight."""

import numpy as np
import pytest

from ligament.extensions.rigid_bodies import Limit
from ligament.physics import metrics
from ligament.physics.engines.rapier import RapierSettings
from ligament.physics.engines.rapier.effort.settings import choose
from ligament.physics.scene import Scene
from tests.physics.engines.rapier.joined import (
    BALL,
    WELD,
    Anybody,
    Run,
    fixed,
    hinge,
    joined_at,
    make_body,
    random_rotation,
    slider,
)
from tests.sampling import seeded

SEEDS, IN_TURN = 60, 4
MILLIMETRE = 1e-3
TENTH_OF_A_DEGREE = np.radians(0.1)

ONE_ITERATION_LATE = np.radians(0.3)
"""Bodies that arrive at a bound, or slide along it, pass it by what they rotate in an iteration."""
NO_TURNING = Limit(angular_axes=(0, 1, 2), minimum=0.0, maximum=0.0)

# The load acts against the last limit of each list.
LINEAR = {
    "1D": slider(1, minimum=-0.3, maximum=0.4),
    "1D, open above": slider(0, minimum=-0.3),
    "1D, open below": slider(2, maximum=0.4),
    "1D, free to turn": (Limit(linear_axes=(0,), minimum=-0.3, maximum=0.4),),
    "1D, box": (
        NO_TURNING,
        *(Limit(linear_axes=(axis,), minimum=-0.2, maximum=0.3) for axis in range(3)),
    ),
    "2D": (
        NO_TURNING,
        Limit(linear_axes=(2,), minimum=-0.3, maximum=0.3),
        Limit(linear_axes=(0, 1), maximum=0.4),
    ),
    "3D": (Limit(linear_axes=(0, 1, 2), maximum=0.4),),
    "3D, equal bounds": (NO_TURNING, Limit(linear_axes=(0, 1, 2), minimum=0.3, maximum=0.3)),
    "2D, lower bound": (
        NO_TURNING,
        Limit(linear_axes=(0,), minimum=0.0, maximum=0.0),
        Limit(linear_axes=(1, 2), minimum=0.2, maximum=0.5),
    ),
    "locked aside": slider(1, minimum=0.25, maximum=0.25),
}
ANGULAR = {
    "1D, hinge": hinge(1, minimum=-0.5, maximum=0.7),
    "1D, hinge past half a turn": hinge(0, minimum=-1.22, maximum=4.54),
    "1D, locked aside": hinge(2, minimum=0.6, maximum=0.6),
    "1D, in a cone": (
        *BALL,
        Limit(angular_axes=(1, 2), maximum=0.6),
        Limit(angular_axes=(0,), minimum=-0.5, maximum=0.4),
    ),
    "1D, universal": (
        *BALL,
        Limit(angular_axes=(1, 2), maximum=0.7),
        Limit(angular_axes=(0,), minimum=0.0, maximum=0.0),
    ),
    "2D": (*BALL, Limit(angular_axes=(0, 2), maximum=0.5)),
    "2D, lower bound": (*BALL, Limit(angular_axes=(0, 1), minimum=0.2, maximum=0.5)),
    "3D": (*BALL, Limit(angular_axes=(0, 1, 2), maximum=0.6)),
    "weld": WELD,
}
LIMITS = {f"linear {name}": limits for name, limits in LINEAR.items()} | {
    f"angular {name}": limits for name, limits in ANGULAR.items()
}


def loaded_run(limits, seed):
    """A body on a joint to the world, frames and centre of mass anywhere, pulled somewhere."""
    rng = np.random.default_rng(seed)
    mass = rng.uniform(0.5, 5.0)
    at, turn = rng.normal(size=3), random_rotation(rng)
    inertia = mass * (0.03 + rng.uniform(0.0, 0.03, size=3))
    body = make_body(
        at=at + 0.3 * rng.normal(size=3),
        turn=random_rotation(rng),
        mass=mass,
        inertia=inertia,
        center=0.1 * rng.normal(size=3),
        orientation=random_rotation(rng),
    )
    bodies = [fixed(rng.normal(size=3), random_rotation(rng)), body]
    joint = joined_at(bodies, 0, 1, at, turn, limits)
    pull = rng.normal(size=3)
    pull *= 10 * 9.81 * mass / np.linalg.norm(pull)
    return Run(bodies, [joint], RapierSettings(iterations=16)), pull


def violation(run, limit):
    """How far a limit is broken now."""
    value = metrics.measure(limit, *run.relative())
    if len(limit.angular_axes) == 1:
        value = metrics.nearest_turn(value, limit.minimum, limit.maximum)
    return metrics.violation(value, limit.minimum, limit.maximum)


def violations(run, limits, pull, steps):
    """How far (steps, limits) each limit is broken after each step."""
    found = []
    for _ in range(steps):
        run.engine.apply_force(1, pull)
        run.engine.step()
        found.append([violation(run, limit) for limit in limits])
    return np.array(found)


def worst(found, limits):
    """The worst distance and the worst angle of violations (frames, limits)."""
    is_linear = np.array([bool(limit.linear_axes) for limit in limits])
    return found[:, is_linear].max(initial=0.0), found[:, ~is_linear].max(initial=0.0)


@seeded(4, IN_TURN, limits=LIMITS)
def test_limits_hold_within_a_millimetre_and_a_tenth_of_a_degree(limits, seed):
    run, pull = loaded_run(limits, seed)
    distance, angle = worst(violations(run, limits, pull, 150)[60:], limits)
    assert distance < MILLIMETRE
    assert angle < TENTH_OF_A_DEGREE


def chosen_run(limits, seed):
    """A body of 0.1 to 100 kg and 0.1 to 1 m under ten times its weight, as the library plays it.

    Also returns the steps of a frame.
    """
    rng = np.random.default_rng(seed)
    _, _, at, turn, body = Anybody.draw(rng)
    bodies = [fixed(rng.normal(size=3), random_rotation(rng)), body]
    joint = joined_at(bodies, 0, 1, at, turn, limits)
    steps, settings = choose(Scene(bodies=tuple(bodies), joints=(joint,)), rate=60)
    gravity = rng.normal(size=3)
    gravity *= 10 * 9.81 / np.linalg.norm(gravity)
    return Run(bodies, [joint], settings, tuple(gravity)), steps


@seeded(SEEDS, IN_TURN, limits=LIMITS)
def test_limits_hold_bodies_of_any_size_with_the_chosen_steps(limits, seed):
    run, steps = chosen_run(limits, seed)
    found = []
    for _ in range(150):
        for _ in range(steps):
            run.engine.step()
        found.append([violation(run, limit) for limit in limits])
    distance, angle = worst(np.array(found)[60:], limits)
    assert distance < MILLIMETRE
    assert angle < ONE_ITERATION_LATE


ARRIVALS = {
    "hinge": hinge(0, minimum=-0.5, maximum=0.7),
    "cone": (*BALL, Limit(angular_axes=(0, 1), maximum=0.7)),
    "twist": (*BALL, Limit(angular_axes=(0,), minimum=-0.5, maximum=0.7)),
    "whole rotation": (*BALL, Limit(angular_axes=(0, 1, 2), maximum=0.7)),
}


@seeded(SEEDS, IN_TURN, limits=ARRIVALS)
def test_a_bound_is_passed_by_at_most_the_rotation_of_an_iteration(limits, seed):
    """The engine pushes back an iteration late: at 10 rad/s, 0.3° beyond the bound."""
    spin = float(np.random.default_rng(seed).uniform(1.0, 20.0))
    body = make_body(spin=(spin, 0.0, 0.0))
    bodies, frames = [fixed(), body], ((0, 0, 0), (0, 0, 0, 1))
    joint = joined_at(bodies, 0, 1, *frames, limits)
    _, settings = choose(Scene(bodies=tuple(bodies), joints=(joint,)), rate=60)
    late = spin * settings.step / settings.iterations
    assert late < np.radians(0.6) * spin / 10
    run = Run(bodies, [joint], settings)
    beyond = np.maximum(run.follow(120) - 0.7, 0.0)
    assert beyond.max() < late + 1e-4
    assert np.count_nonzero(beyond > 1e-4) <= 2
    assert run.measure(limits[-1]) == pytest.approx(0.7, abs=1e-4)


@pytest.mark.parametrize("seed", range(3))
def test_a_snapshot_goes_on_to_the_bit(seed):
    limits = ANGULAR["1D, in a cone"]
    run, pull = loaded_run(limits, seed)
    violations(run, limits, pull, 20)
    saved = run.engine.snapshot()
    violations(run, limits, pull, 40)
    expected = run.engine.state()
    run.engine.restore(saved)
    violations(run, limits, pull, 40)
    for part, again in zip(expected, run.engine.state(), strict=True):
        np.testing.assert_array_equal(part, again)


def test_a_slider_with_one_bound_goes_far_and_rests_on_its_bound():
    limits = slider(0, minimum=-0.3)
    body = make_body(velocity=(300.0, 0.0, 0.0))
    run = Run([fixed(), body], [joined_at([fixed(), body], 0, 1, (0, 0, 0), (0, 0, 0, 1), limits)])
    assert run.follow(120)[-1] == pytest.approx(600.0, rel=1e-3)
    run.engine.set_pose(1, np.zeros(3), np.array([0, 0, 0, 1.0]))
    run.engine.set_velocity(1, np.array([-5.0, 0, 0]), np.zeros(3))
    assert run.follow(60)[-1] == pytest.approx(-0.3, abs=1e-4)

"""Solver effort for joints, and that it is enough: ropes, loops, cantilevers, springs."""

import dataclasses
import math

import numpy as np
import pytest

from ligament.extensions.rigid_bodies import Drive, Limit
from ligament.physics.engines.rapier.effort.joints import LEAST, MOST
from ligament.physics.engines.rapier.effort.settings import choose
from ligament.physics.scene import Scene
from tests.physics.engines.rapier.joined import (
    BALL,
    STILL,
    WELD,
    Run,
    fixed,
    hinge,
    joined_at,
    make_body,
    make_joint,
    slider,
)

RATE = 60.0
EARTH = (0.0, -9.81, 0.0)


def chain(links, *, limits=BALL, length=0.1, mass=0.1, end=1.0):
    """A chain along X from a fixed point, its last link `end` times heavier."""
    bodies, joints = [fixed()], []
    for i in range(links):
        weight = mass * (end if i == links - 1 else 1.0)
        moment = weight * length**2 / 12
        place = (length * (i + 0.5), 0, 0)
        bodies.append(make_body(at=place, mass=weight, inertia=(0.1 * moment, moment, moment)))
        joints.append(joined_at(bodies, i, i + 1, (length * i, 0, 0), STILL, limits))
    return bodies, joints


def chosen_run(bodies, joints, gravity=EARTH):
    scene = Scene(bodies=tuple(bodies), joints=tuple(joints))
    return Run(list(bodies), list(joints), choose(scene, rate=RATE)[1], gravity)


def worst_gap(run, seconds):
    gaps = []
    for _ in range(round(seconds / run.settings.step)):
        run.engine.step()
        gaps.append(max(np.linalg.norm(run.relative(i).position) for i in range(len(run.joints))))
    return max(gaps)


@pytest.mark.parametrize(
    ("links", "end", "seconds"), [(50, 100.0, 1.5), (50, 1.0, 1.5), (10, 100.0, 2.0)]
)
def test_a_rope_with_a_heavy_end_keeps_its_gaps_under_five_millimetres(links, end, seconds):
    run = chosen_run(*chain(links, end=end))
    assert worst_gap(run, seconds) < 5e-3


def test_a_rope_of_five_hundred_links_holds():
    run = chosen_run(*chain(500))
    for _ in range(90):
        run.engine.step()
    # A tenth of a link, while it falls from the horizontal.
    assert max(np.linalg.norm(run.relative(i).position) for i in range(500)) < 0.01


def test_welded_bodies_bend_by_less_than_half_a_degree():
    run = chosen_run(*chain(4, limits=WELD))
    run.follow(240)
    angles = [run.measure(Limit(angular_axes=(0, 1, 2)), i) for i in range(4)]
    assert max(angles) < math.radians(0.5)


def test_a_four_bar_loop_holds():
    """Two cranks and a coupler, one crank driven round: the loop closes at every step."""
    crank, coupler = 0.3, 0.8
    bodies = [
        fixed(),
        make_body(at=(0, crank / 2, 0)),
        make_body(at=(coupler / 2, crank, 0)),
        make_body(at=(coupler, crank / 2, 0)),
    ]
    motor = Drive(type="angular", mode="force", axis=2, velocity_target=3.0, damping=100.0)
    places = [(0, 1, (0, 0, 0)), (1, 2, (0, crank, 0)), (2, 3, (coupler, crank, 0))]
    joints = [joined_at(bodies, a, b, at, STILL, hinge(2)) for a, b, at in places]
    joints.append(joined_at(bodies, 0, 3, (coupler, 0, 0), STILL, hinge(2)))
    joints[0] = dataclasses.replace(joints[0], drives=(motor,))
    run = chosen_run(bodies, joints)
    assert worst_gap(run, 3.0) < 1e-3


def iterations(bodies, joints):
    """Return the iterations of each of the two steps that scenes with joints take in 1/60 s."""
    steps, settings = choose(Scene(bodies=tuple(bodies), joints=tuple(joints)), rate=RATE)
    assert steps == 2
    return settings.iterations


def test_iterations_grow_with_load_and_length():
    assert iterations(*chain(1)) == LEAST
    long, heavy = iterations(*chain(200)), iterations(*chain(100, end=100.0))
    assert min(long, heavy) > LEAST
    assert max(long, heavy) < iterations(*chain(500, end=100.0)) <= MOST


def test_a_heavy_body_near_the_anchor_is_no_load():
    bodies, joints = chain(3)
    bodies[1] = dataclasses.replace(
        bodies[1], mass=dataclasses.replace(bodies[1].mass, mass=1000.0)
    )
    assert iterations(bodies, joints) == LEAST


def test_small_links_may_open_by_less():
    light = {"length": 0.005, "mass": 0.001}
    assert iterations(*chain(40)) < iterations(*chain(40, **light))


@pytest.mark.parametrize("start", [0.0, 0.004, 0.011])
def test_a_bounce_off_a_stiff_limit_keeps_its_energy(start):
    limit = Limit(linear_axes=(0,), maximum=0.2, stiffness=1e4)
    body = make_body(at=(start, 0, 0), mass=2.0, velocity=(1.0, 0, 0))
    joints = [make_joint(0, 1, (*slider(0), limit))]
    run = chosen_run([fixed(), body], joints, gravity=(0, 0, 0))
    values = run.follow(round(1 / run.settings.step), limit)
    assert values.max() - 0.2 == pytest.approx(math.sqrt(2.0 / 1e4), rel=0.03)
    assert run.engine.state().linear_velocity[1][0] == pytest.approx(-1.0, rel=0.03)


def test_joints_that_hold_nothing_take_no_effort():
    bodies = (fixed(), fixed(), make_body())
    joints = (make_joint(0, 1, BALL), make_joint(2, 2, BALL), make_joint(0, 2))
    steps, settings = choose(Scene(bodies=bodies, joints=joints), rate=RATE)
    assert (steps, settings.iterations) == (1, 4)


def test_infinite_masses_are_no_load():
    body = make_body(at=(1, 0, 0), mass=math.inf, inertia=(math.inf,) * 3)
    bodies = [fixed(), make_body(), body]
    joints = [
        joined_at(bodies, 0, 1, (0, 0, 0), STILL, WELD),
        joined_at(bodies, 1, 2, (0.5, 0, 0), STILL, WELD),
    ]
    assert iterations(bodies, joints) == LEAST

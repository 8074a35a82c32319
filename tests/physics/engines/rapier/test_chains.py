"""Solver effort for joints, and that it is enough: ropes, loops, cantilevers, springs."""

import dataclasses
import math

import numpy as np
import pytest

from ligament.extensions.rigid_bodies import Drive, Limit
from ligament.physics.engines.rapier import RapierSettings
from ligament.physics.engines.rapier.effort.chains import LEAST, MOST, recommend
from ligament.physics.engines.rapier.effort.joint_rates import MOST_STEPS
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

STEP = 1 / 60
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


def recommended_run(bodies, joints, gravity=EARTH):
    scene = Scene(bodies=tuple(bodies), joints=tuple(joints))
    advice = recommend(scene, STEP)
    settings = RapierSettings(step=STEP / advice.substeps, iterations=advice.most_iterations)
    return Run(list(bodies), list(joints), settings, gravity), advice


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
    run, _ = recommended_run(*chain(links, end=end))
    assert worst_gap(run, seconds) < 5e-3


def test_a_rope_of_five_hundred_links_holds():
    run, _ = recommended_run(*chain(500))
    for _ in range(45):
        run.engine.step()
    # A tenth of a link, while it falls from the horizontal.
    assert max(np.linalg.norm(run.relative(i).position) for i in range(500)) < 0.01


def test_welded_bodies_bend_by_less_than_half_a_degree():
    run, advice = recommended_run(*chain(4, limits=WELD))
    run.follow(120)
    angles = [run.measure(Limit(angular_axes=(0, 1, 2)), i) for i in range(4)]
    assert max(angles) < math.radians(0.5)
    assert advice.iterations > LEAST


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
    run, _ = recommended_run(bodies, joints)
    assert worst_gap(run, 3.0) < 1e-3


def test_rounds_grow_with_load_and_length():
    def rounds(**options):
        return recommend(Scene(**as_scene(*chain(**options))), STEP).most_iterations

    assert rounds(links=1) == LEAST
    assert rounds(links=50) < rounds(links=50, end=100.0) < rounds(links=500, end=100.0) <= MOST
    assert rounds(links=5) < rounds(links=5, limits=WELD)


def as_scene(bodies, joints):
    return {"bodies": tuple(bodies), "joints": tuple(joints)}


def test_a_heavy_body_near_the_anchor_is_no_load():
    bodies, joints = chain(3)
    bodies[1] = dataclasses.replace(
        bodies[1], mass=dataclasses.replace(bodies[1].mass, mass=1000.0)
    )
    assert recommend(Scene(**as_scene(bodies, joints)), STEP).most_iterations == LEAST


def test_each_body_gets_what_its_own_joints_need():
    rope, links = chain(100, end=100.0)
    door = make_body(at=(0.5, 5, 0))
    bodies = [*rope, door, make_body(at=(0, 50, 0))]
    links.append(joined_at(bodies, 0, 101, (0, 5, 0), STILL, hinge(1)))
    advice = recommend(Scene(**as_scene(bodies, links)), STEP)
    assert advice.iterations == LEAST
    assert advice.additional[101] == advice.additional[102] == advice.additional[0] == 0
    assert advice.additional[1] == advice.additional[100] > 10


def test_springs_get_the_rounds_of_the_busiest_group():
    """Contacts may put them into one group, and their damping relies on the time of a round."""
    rope, links = chain(100, end=100.0)
    bodies = [*rope, make_body(at=(0.5, 5, 0))]
    motor = Drive(type="angular", mode="force", axis=1, stiffness=5.0)
    links.append(joined_at(bodies, 0, 101, (0, 5, 0), STILL, hinge(1), [motor]))
    advice = recommend(Scene(**as_scene(bodies, links)), STEP)
    assert len(set(advice.additional[1:])) == 1


@pytest.mark.parametrize(
    ("stiffness", "substeps"), [(100.0, 1), (700.0, 1), (1e4, 4), (1e8, MOST_STEPS // 2)]
)
def test_steps_are_divided_for_stiff_soft_limits(stiffness, substeps):
    limit = Limit(linear_axes=(0,), maximum=0.2, stiffness=stiffness)
    bodies = [fixed(), make_body(mass=2.0)]
    joints = [make_joint(0, 1, (*slider(0), limit))]
    assert recommend(Scene(**as_scene(bodies, joints)), STEP).substeps == substeps


@pytest.mark.parametrize("start", [0.0, 0.004, 0.011])
def test_a_bounce_off_a_stiff_limit_keeps_its_energy_with_the_steps_advised(start):
    limit = Limit(linear_axes=(0,), maximum=0.2, stiffness=1e4)
    body = make_body(at=(start, 0, 0), mass=2.0, velocity=(1.0, 0, 0))
    joints = [make_joint(0, 1, (*slider(0), limit))]
    run, advice = recommended_run([fixed(), body], joints, gravity=(0, 0, 0))
    values = run.follow(60 * advice.substeps, limit)
    assert values.max() - 0.2 == pytest.approx(math.sqrt(2.0 / 1e4), rel=0.03)
    assert run.engine.state().linear_velocity[1][0] == pytest.approx(-1.0, rel=0.03)


@pytest.mark.parametrize(("moments", "substeps"), [((0.1, 0.1, 0.1), 1), ((0.1, 0.1, 0.01), 6)])
def test_a_spring_about_any_axis_is_followed_about_the_easiest(moments, substeps):
    spring = Limit(angular_axes=(0, 1, 2), minimum=0.2, maximum=0.2, stiffness=100.0)
    scene = as_scene([fixed(), make_body(inertia=moments)], [make_joint(0, 1, (*BALL, spring))])
    assert recommend(Scene(**scene), STEP).substeps == substeps


def test_rounds_leave_springs_alone_whose_direction_steps_cannot_follow():
    def rounds(stiffness, axes):
        spring = Limit(linear_axes=axes, maximum=0.2, stiffness=stiffness)
        scene = as_scene([fixed(), make_body()], [make_joint(0, 1, (spring,))])
        return recommend(Scene(**scene), STEP).iterations

    assert rounds(4e5, (0,)) > rounds(4e5, (0, 1, 2)) == rounds(4e6, (0, 1, 2))


def test_small_bodies_need_more_steps_and_rounds_for_the_limits_of_their_angles():
    def advice(size):
        body = make_body(at=(size, 0, 0), inertia=(0.1 * size**2,) * 3)
        bodies = [fixed(), body]
        limits = hinge(2, minimum=-0.5, maximum=0.5)
        joints = [joined_at(bodies, 0, 1, (0, 0, 0), STILL, limits)]
        return recommend(Scene(**as_scene(bodies, joints)), STEP)

    large, small = advice(1.0), advice(0.02)
    assert (large.substeps, large.most_iterations) == (1, LEAST)
    assert small.substeps > 1
    assert small.substeps * small.most_iterations > LEAST


def test_scenes_without_joints_that_hold_need_nothing():
    advice = recommend(Scene(), STEP)
    assert advice == (1, 0, ())
    bodies = (fixed(), fixed(), make_body())
    joints = (make_joint(0, 1, BALL), make_joint(2, 2, BALL), make_joint(0, 2))
    assert recommend(Scene(bodies=bodies, joints=joints), STEP) == (1, 0, (0, 0, 0))


def test_infinite_masses_are_no_load():
    body = make_body(at=(1, 0, 0), mass=math.inf, inertia=(math.inf,) * 3)
    bodies = [fixed(), make_body(), body]
    joints = [
        joined_at(bodies, 0, 1, (0, 0, 0), STILL, WELD),
        joined_at(bodies, 1, 2, (0.5, 0, 0), STILL, WELD),
    ]
    assert recommend(Scene(**as_scene(bodies, joints)), STEP).most_iterations == LEAST

"""Joints as a whole: closing, whole turns, moving frames, contacts, composition, ragdolls."""

import dataclasses
import math
import os

import numpy as np
import pytest

from ligament.errors import SimulationError
from ligament.extensions.rigid_bodies import Drive, Limit, Material, MotionKind
from ligament.extensions.shapes import Box, Capsule
from ligament.physics import metrics
from ligament.physics.engines.rapier import RapierEngine, RapierSettings
from ligament.physics.scene import Collider, Scene
from ligament.transforms import from_axis_angle, multiply, rotate
from tests.physics.engines.rapier.joined import (
    BALL,
    ORIGIN,
    STILL,
    WELD,
    Run,
    fixed,
    hinge,
    joined_at,
    make_body,
    make_joint,
    pose,
    random_rotation,
    slider,
)

EARTH = (0.0, -9.81, 0.0)
QUARTER = math.pi / 2
LONG = bool(os.environ.get("LIGAMENT_SOAK"))

OPEN = {
    "ball, a metre": (BALL, (1.0, 0, 0), STILL),
    "weld, a metre and a quarter turn": (WELD, (0.6, 0, 0.8), from_axis_angle([0.6, 0.8, 0], 1.57)),
    "hinge, a quarter turn": (hinge(2), ORIGIN, from_axis_angle([1, 0, 0], QUARTER)),
    "hinge past its range": (
        hinge(2, minimum=-0.2, maximum=0.2),
        ORIGIN,
        from_axis_angle([0, 0, 1], 0.2 + QUARTER),
    ),
    "slider, off its axis": (slider(0), (0.3, 1.0, 0), STILL),
    "slider, turned": (slider(0), (0.3, 0, 0), from_axis_angle([0, 0.6, 0.8], QUARTER)),
    "slider past its range": (slider(0, minimum=-0.1, maximum=0.1), (1.1, 0, 0), STILL),
    "cone": (
        (*BALL, Limit(angular_axes=(0, 1), maximum=0.2)),
        ORIGIN,
        from_axis_angle([1, 0, 0], 0.2 + QUARTER),
    ),
    "total angle": (
        (*BALL, Limit(angular_axes=(0, 1, 2), maximum=0.2)),
        ORIGIN,
        from_axis_angle([0.6, 0.8, 0], 0.2 + QUARTER),
    ),
    "distance": ((Limit(linear_axes=(0, 1, 2), maximum=0.2),), (0.72, 0.96, 0), STILL),
    "least distance": ((Limit(linear_axes=(0, 1, 2), minimum=1.0),), (0.01, 0, 0), STILL),
    "one axis locked": (
        (*BALL, Limit(angular_axes=(0,), minimum=0.0, maximum=0.0)),
        ORIGIN,
        from_axis_angle([1, 0, 0], QUARTER),
    ),
}


def random_pair(seed, limits, offset, *, two):
    rng = np.random.default_rng(seed)
    at, turn = rng.normal(size=3), random_rotation(rng)
    body = make_body(
        at=at + 0.3 * rng.normal(size=3),
        turn=random_rotation(rng),
        mass=2.0,
        inertia=(0.1, 0.12, 0.15),
        center=0.1 * rng.normal(size=3),
    )
    other = fixed(rng.normal(size=3), random_rotation(rng))
    if two:
        other = make_body(at=at + 0.3 * rng.normal(size=3), turn=random_rotation(rng))
    bodies = [other, body]
    return Run(bodies, [joined_at(bodies, 0, 1, at, turn, limits, offset=offset)])


@pytest.mark.parametrize("two", [False, True], ids=["to the world", "two bodies"])
@pytest.mark.parametrize("case", OPEN.values(), ids=OPEN)
def test_a_joint_that_starts_open_closes_without_gaining_energy(case, two):
    limits, *offset = case
    run = random_pair(1, limits, offset, two=two)
    energies = []
    for _ in range(90):
        run.engine.step()
        energies.append(run.energy())
    position, rotation = run.relative()
    for limit in limits:
        value = metrics.measure(limit, position, rotation)
        assert metrics.violation(value, limit.minimum, limit.maximum) < 1e-3
    # A metre in half a second is 4 J of these 2 kg.
    assert max(energies) < 1e-6


def test_closing_goes_on_after_a_snapshot():
    run = random_pair(2, WELD, ((1.0, 0, 0), from_axis_angle([0, 1, 0], 1.0)), two=True)
    run.follow(10, WELD[0])
    saved = run.engine.snapshot()
    expected = run.follow(40, WELD[0])
    run.engine.restore(saved)
    np.testing.assert_array_equal(run.follow(40, WELD[0]), expected)
    assert expected[-1] < 1e-5


def test_a_joint_that_is_torn_open_closes_again():
    bodies = [fixed(), make_body(at=(0.5, 0, 0))]
    run = Run(bodies, [joined_at(bodies, 0, 1, ORIGIN, STILL, hinge(2, minimum=-1, maximum=1))])
    run.follow(10)
    run.engine.set_pose(1, np.array([1.5, 0.4, 0]), np.array(from_axis_angle([1, 0, 0], 1.0)))
    energies = []
    for _ in range(90):
        run.engine.step()
        energies.append(run.energy())
    assert run.measure(BALL[0]) < 1e-3
    assert run.measure(Limit(angular_axes=(0, 1))) < 1e-3
    assert max(energies) < 1e-6


def test_a_body_that_is_lost_takes_nothing_with_it():
    """Every kind of row on a body that stops being finite, and the same on one that does not."""
    limits = [
        hinge(2, minimum=-1.0, maximum=1.0),
        (*BALL, Limit(angular_axes=(0, 1, 2), maximum=0.5)),
        (*BALL, Limit(angular_axes=(0,), minimum=-0.5, maximum=0.5)),
        (Limit(linear_axes=(0, 1, 2), minimum=0.1, maximum=0.6),),
        slider(0, minimum=-1.0),
        (*BALL, Limit(angular_axes=(1, 2), maximum=0.2, stiffness=5.0)),
    ]
    motor = Drive(type="angular", mode="acceleration", axis=2, stiffness=1.0)
    bodies, joints = [fixed()], []
    for kind in limits:
        for _ in range(2):
            bodies.append(make_body(at=(0.5, 0, 0)))
            joints.append(joined_at(bodies, 0, len(bodies) - 1, ORIGIN, STILL, kind, [motor]))
    run = Run(bodies, joints, gravity=EARTH)
    for i in range(len(limits)):
        run.engine.set_velocity(1 + 2 * i, np.full(3, np.nan), np.full(3, np.nan))
    for _ in range(20):
        run.engine.step()
    assert len(run.engine.lost()) == len(limits)
    state = run.engine.state()
    assert np.isfinite(state.translation[2::2]).all()
    assert np.abs(state.linear_velocity[2::2]).max() < 10


def test_a_state_of_other_joints_is_refused():
    run = Run([fixed(), make_body()], [make_joint(0, 1, BALL)])
    with pytest.raises(SimulationError, match="another scene"):
        run.engine._joints._set.restore([np.zeros(1)])


@pytest.mark.parametrize("side", [0, 1])
def test_the_world_may_be_on_either_side(side):
    bodies = [fixed(), make_body(at=(0.5, 0, 0))]
    a, b = (0, 1) if side == 0 else (1, 0)
    limits = hinge(2, minimum=-0.5, maximum=0.3)
    run = Run(bodies, [joined_at(bodies, a, b, ORIGIN, STILL, limits)], gravity=EARTH)
    values = run.follow(240, limits[-1])
    # The body falls to the negative side as B, and frame B stays behind as A.
    assert values[-1] == pytest.approx(-0.5 if side == 0 else 0.3, abs=1e-3)


@pytest.mark.parametrize("kinds", [(MotionKind.STATIC,) * 2, (MotionKind.KINEMATIC,) * 2])
def test_joints_between_what_forces_do_not_move_are_left_out(kinds):
    bodies = [make_body(kind, at=(float(i), 0, 0)) for i, kind in enumerate(kinds)]
    motor = Drive(type="angular", mode="force", axis=0, stiffness=1.0)
    joints = [make_joint(0, 1, WELD, [motor]), make_joint(0, 0, BALL)]
    run = Run(bodies, [dataclasses.replace(joint, ignores=()) for joint in joints])
    assert len(run.engine._world.impulse_joints) == 0
    run.engine.place_frame(0, 0, np.ones(3), np.array(STILL))
    run.engine.set_drive_target(0, 0, 1.0, 0.0)
    run.engine.step()


def test_a_kinematic_body_drags_what_is_joined_to_it():
    bodies = [
        make_body(MotionKind.KINEMATIC, velocity=(1.0, 0, 0), spin=(0, 0, 1.0)),
        make_body(at=(1.0, 0, 0)),
    ]
    run = Run(bodies, [joined_at(bodies, 0, 1, (1, 0, 0), STILL, WELD)])
    run.follow(60)
    assert np.abs(run.relative().position).max() < 1e-3
    state = run.engine.state()
    expected = np.array([1.0, 0, 0]) + rotate(from_axis_angle([0, 0, 1], 1.0), [1.0, 0, 0])
    np.testing.assert_allclose(state.translation[1], expected, atol=2e-3)


@pytest.mark.parametrize("limits", [hinge(2), BALL], ids=["hinge", "ball"])
@pytest.mark.parametrize(("spin", "end"), [(6.0, 8.0), (-6.0, -10.0), (40.0, 90.0)])
def test_a_range_of_several_turns_stops_at_its_ends(limits, spin, end):
    turns = Limit(angular_axes=(2,), minimum=-10.0, maximum=max(end, 8.0))
    bodies = [fixed(), make_body(spin=(0, 0, spin))]
    run = Run(bodies, [make_joint(0, 1, (*limits, turns))])
    values = metrics.unwrap(run.follow(150, turns), 0.0)
    assert values[-1] == pytest.approx(end, abs=2e-3)
    assert np.abs(values).max() < abs(end) + 2e-3


def test_a_range_past_half_a_turn_is_entered_where_it_is():
    """An angle of −2.5 rad is one of 3.78 rad, inside [2.5, 4.0]."""
    limits = hinge(2, minimum=2.5, maximum=4.0)
    body = make_body(turn=from_axis_angle([0, 0, 1], -2.5), spin=(0, 0, 1.0))
    run = Run([fixed(), body], [make_joint(0, 1, limits)])
    values = run.follow(60, limits[-1])
    assert values[-1] % (2 * math.pi) == pytest.approx(4.0, abs=1e-3)


@pytest.mark.parametrize("start", [0.0, -1e-6, -0.02, 0.5])
@pytest.mark.parametrize("stiffness", [math.inf, 2e3])
def test_a_hinge_with_one_stop_is_stopped_there_wherever_it_starts(start, stiffness):
    limits = (*hinge(2), Limit(angular_axes=(2,), minimum=0.0, stiffness=stiffness, damping=200.0))
    body = make_body(turn=from_axis_angle([0, 0, 1], start), spin=(0, 0, -2.0))
    run = Run([fixed(), body], [make_joint(0, 1, limits)])
    values = run.follow(120, limits[-1])
    assert values.min() > -0.1
    assert values[-1] == pytest.approx(0.0, abs=1e-3)


def test_a_range_open_on_one_side_has_no_end_there():
    limits = slider(0, minimum=-1.0)
    run = Run([fixed(), make_body(velocity=(40.0, 0, 0))], [make_joint(0, 1, limits)])
    assert run.follow(120, limits[-1])[-1] == pytest.approx(80.0, rel=1e-3)
    run.engine.set_velocity(1, np.array([-40.0, 0, 0]), np.zeros(3))
    saved = run.engine.snapshot()
    values = run.follow(150, limits[-1])
    assert values[-1] == pytest.approx(-1.0, abs=1e-3)
    run.engine.restore(saved)
    np.testing.assert_array_equal(run.follow(150, limits[-1]), values)


def test_limits_on_one_axis_leave_what_they_have_in_common():
    ranges = [
        Limit(linear_axes=(0,), minimum=-1.0, maximum=0.3),
        Limit(linear_axes=(0,), minimum=-0.2, maximum=2.0),
    ]
    for speed, end in ((2.0, 0.3), (-2.0, -0.2)):
        bodies = [fixed(), make_body(velocity=(speed, 0, 0))]
        run = Run(bodies, [make_joint(0, 1, (*slider(0), *ranges))])
        assert run.follow(60, ranges[0])[-1] == pytest.approx(end, abs=1e-5)


def test_a_distance_and_a_range_hold_together():
    limits = (
        Limit(angular_axes=(0, 1, 2), minimum=0.0, maximum=0.0),
        Limit(linear_axes=(0,), minimum=-0.2, maximum=0.2),
        Limit(linear_axes=(0, 1, 2), maximum=0.5),
    )
    bodies = [fixed(), make_body(center=(0.1, 0, 0))]
    run = Run(bodies, [make_joint(0, 1, limits)], gravity=(9.81, -9.81, 0))
    run.follow(180)
    position, _ = run.relative()
    np.testing.assert_allclose(position[:2], [0.2, -math.sqrt(0.25 - 0.04)], atol=2e-3)


def test_twists_locked_at_three_angles_fix_the_rotation():
    angles = (0.4, -0.7, 1.1)
    limits = tuple(
        Limit(angular_axes=(axis,), minimum=angle, maximum=angle)
        for axis, angle in enumerate(angles)
    )
    run = Run([fixed(), make_body()], [make_joint(0, 1, (*BALL, *limits))])
    run.follow(120)
    assert [run.measure(limit) for limit in limits] == pytest.approx(angles, abs=1e-4)


def test_two_twists_locked_at_angles_leave_the_third_free():
    limits = (
        Limit(angular_axes=(0,), minimum=0.4, maximum=0.4),
        Limit(angular_axes=(2,), minimum=-0.3, maximum=-0.3),
    )
    bodies = [fixed(), make_body(spin=(0, 1.0, 0))]
    run = Run(bodies, [make_joint(0, 1, (*BALL, *limits))])
    run.follow(120)
    assert run.measure(limits[0]) == pytest.approx(0.4, abs=2e-3)
    assert run.measure(limits[1]) == pytest.approx(-0.3, abs=2e-3)


def test_a_moving_frame_carries_what_hangs_on_it():
    run = Run([fixed(), make_body()], [make_joint(0, 1, WELD)])
    for i in range(60):
        turn = from_axis_angle([0, 0, 1], (i + 1) / 60)
        run.engine.place_frame(0, 0, np.array([(i + 1) / 60, 0, 0]), turn)
        run.engine.step()
    state = run.engine.state()
    np.testing.assert_allclose(state.translation[1], [1.0, 0, 0], atol=1e-4)
    np.testing.assert_allclose(state.rotation[1], from_axis_angle([0, 0, 1], 1.0), atol=1e-4)


def test_a_moving_frame_moves_limits_and_motors():
    soft = Limit(angular_axes=(2,), minimum=-0.1, maximum=0.1, stiffness=50.0, damping=5.0)
    for limits in (hinge(2, minimum=-0.1, maximum=0.1), (*hinge(2), soft)):
        run = Run([fixed(), make_body()], [make_joint(0, 1, limits)])
        run.engine.place_frame(0, 0, np.zeros(3), from_axis_angle([0, 0, 1], 1.0))
        for _ in range(240):
            run.engine.step()
        turn = run.engine.state().rotation[1]
        assert 2 * math.atan2(turn[2], turn[3]) == pytest.approx(0.9, abs=1e-2)


def boxes(joint):
    """Two boxes, one half inside the other."""
    bodies = (make_body(), make_body(at=(0.3, 0, 0)))
    box = Box((1.0, 1.0, 1.0))
    colliders = tuple(
        Collider(node=i, body=i, shape=box, pose=pose(), material=Material()) for i in range(2)
    )
    return Scene(bodies=bodies, colliders=colliders, joints=(joint,))


@pytest.mark.parametrize("limits", [(), BALL, (Limit(linear_axes=(0, 1, 2), maximum=2.0),)])
def test_joined_bodies_ignore_each_other(limits):
    joint = make_joint(0, 1, limits, at_b=(-0.3, 0, 0))
    for ignores, apart in (((0, 1),), False), ((), True):
        scene = boxes(dataclasses.replace(joint, ignores=ignores))
        engine = RapierEngine(scene, RapierSettings(iterations=16), ORIGIN)
        for _ in range(60):
            engine.step()
        state = engine.state()
        distance = np.linalg.norm(state.translation[1] - state.translation[0])
        assert (
            (distance > 0.6 or limits == BALL)
            if apart
            else distance == pytest.approx(0.3, abs=1e-3)
        )


def test_infinite_masses_and_moments():
    bodies = [
        make_body(mass=math.inf, inertia=(math.inf,) * 3),
        make_body(at=(1, 0, 0), mass=math.inf, inertia=(0.1, 0.1, 0.1)),
        make_body(at=(2, 0, 0), inertia=(math.inf,) * 3),
    ]
    motor = Drive(type="angular", mode="acceleration", axis=2, stiffness=10.0, position_target=0.5)
    joints = [
        joined_at(bodies, 0, 1, (0.5, 0, 0), STILL, hinge(2), [motor]),
        joined_at(
            bodies, 1, 2, (1.5, 0, 0), STILL, (*BALL, Limit(angular_axes=(0, 1), maximum=0.5))
        ),
    ]
    run = Run(bodies, joints, gravity=EARTH)
    run.follow(120)
    for part in run.engine.state():
        assert np.isfinite(part).all()


# A ragdoll: where each body is, and what hangs on what, with the axis of its twist or hinge.
PLACES = {
    "chest": (0, 0, 0),
    "head": (0, 0.45, 0),
    "pelvis": (0, -0.4, 0),
    "arm.l": (-0.35, 0.2, 0),
    "hand.l": (-0.65, 0.2, 0),
    "arm.r": (0.35, 0.2, 0),
    "hand.r": (0.65, 0.2, 0),
    "thigh.l": (-0.12, -0.75, 0),
    "shin.l": (-0.12, -1.2, 0),
    "thigh.r": (0.12, -0.75, 0),
    "shin.r": (0.12, -1.2, 0),
}
BALLS = [
    ("chest", "head", (0, 0.3, 0), 1),
    ("chest", "pelvis", (0, -0.25, 0), 1),
    ("chest", "arm.l", (-0.2, 0.2, 0), 0),
    ("chest", "arm.r", (0.2, 0.2, 0), 0),
    ("pelvis", "thigh.l", (-0.12, -0.52, 0), 1),
    ("pelvis", "thigh.r", (0.12, -0.52, 0), 1),
]
HINGES = [
    ("arm.l", "hand.l", (-0.5, 0.2, 0), 1, 0.0, 2.0),
    ("arm.r", "hand.r", (0.5, 0.2, 0), 1, -2.0, 0.0),
    ("thigh.l", "shin.l", (-0.12, -0.97, 0), 0, 0.0, 2.0),
    ("thigh.r", "shin.r", (0.12, -0.97, 0), 0, 0.0, 2.0),
]


def ragdoll(height, turn):
    """Eleven bodies with six cones that twist and four hinges, above a floor."""
    names = list(PLACES)
    bodies = [
        make_body(
            at=np.add(rotate(turn, place), (0, height, 0)),
            turn=turn,
            mass=5.0,
            inertia=(0.08, 0.03, 0.08),
        )
        for place in PLACES.values()
    ]
    joints = []
    for a, b, at, axis in BALLS:
        swing = tuple(i for i in range(3) if i != axis)
        limits = (
            *BALL,
            Limit(angular_axes=swing, maximum=0.7),
            Limit(angular_axes=(axis,), minimum=-0.5, maximum=0.5),
        )
        joints.append((a, b, at, limits))
    for a, b, at, axis, minimum, maximum in HINGES:
        joints.append((a, b, at, hinge(axis, minimum=minimum, maximum=maximum)))
    made = [
        joined_at(
            bodies,
            names.index(a),
            names.index(b),
            np.add(rotate(turn, at), (0, height, 0)),
            turn,
            limits,
        )
        for a, b, at, limits in joints
    ]
    bodies.append(fixed((0, -0.5, 0)))
    capsule = Capsule(0.2, 0.08, 0.08)
    colliders = [
        Collider(node=i, body=i, shape=capsule, pose=pose(), material=Material()) for i in range(11)
    ]
    floor = Box((50.0, 1.0, 50.0))
    colliders.append(Collider(node=11, body=11, shape=floor, pose=pose(), material=Material()))
    return Scene(bodies=tuple(bodies), colliders=tuple(colliders), joints=tuple(made))


@pytest.mark.parametrize("seed", range(20 if LONG else 2))
def test_a_ragdoll_comes_to_rest_and_stays_whole(seed):
    scene = ragdoll(2.0, random_rotation(np.random.default_rng(seed)))
    engine = RapierEngine(scene, RapierSettings(iterations=16), EARTH)
    for _ in range(60 * (60 if LONG else 8)):
        engine.step()
    state = engine.state()
    for part in state:
        assert np.isfinite(part).all()
    # Friction alone stops what rolls; a few centimetres per second may be left of it.
    assert np.abs(state.linear_velocity).max() < 0.1
    assert np.abs(state.translation[:11]).max() < 10
    for joint in scene.joints:
        frames = [
            (
                state.translation[f.body] + rotate(state.rotation[f.body], f.pose.translation),
                multiply(state.rotation[f.body], f.pose.rotation),
            )
            for f in (joint.a, joint.b)
        ]
        position, rotation = metrics.relative(*frames[0], *frames[1])
        assert np.linalg.norm(position) < 1e-3
        for limit in joint.limits:
            value = metrics.measure(limit, position, rotation)
            assert metrics.violation(value, limit.minimum, limit.maximum) < math.radians(0.5)


def test_a_body_that_tumbles_on_a_rope_is_not_driven_by_its_gyroscopic_forces():
    """Unequal moments, ten times the weight: in this pose the engine alone gains 6,600 J."""
    rng = np.random.default_rng(2001)
    mass = rng.uniform(0.5, 5)
    moments = rng.uniform(0.02, 0.08, size=3) * mass
    at, turn = rng.normal(size=3), random_rotation(rng)
    body = make_body(
        at=0.3 * rng.normal(size=3) + at,
        turn=random_rotation(rng),
        mass=mass,
        inertia=np.sort(moments),
        orientation=random_rotation(rng),
        center=0.1 * rng.normal(size=3),
    )
    bodies = [fixed(rng.normal(size=3), random_rotation(rng)), body]
    rope = (Limit(linear_axes=(0, 1, 2), maximum=0.4),)
    run = Run(bodies, [joined_at(bodies, 0, 1, at, turn, rope)])
    pull = rng.normal(size=3)
    pull *= 98.1 * mass / np.linalg.norm(pull)
    energies = []
    for _ in range(180):
        run.engine.apply_force(1, pull)
        run.engine.step()
        state = run.engine.state()
        center = state.translation[1] + rotate(state.rotation[1], body.mass.center)
        energies.append(run.energy() - pull @ center)
    gains = np.array(energies) - np.minimum.accumulate(energies)
    assert gains.max() < 30.0


@pytest.mark.parametrize("links", [2, 3])
def test_a_chain_is_pulled_by_its_ends_and_not_thrown(links):
    """Ends that an animation parts too far: rods flew at 50 m/s, and rotated at 290 rad/s."""
    bodies = [make_body(MotionKind.KINEMATIC, at=(x, 1, 0), is_driven=True) for x in (0, 1)]
    for i in range(links):
        moments = (0.003, 2 / links**2 / 12, 2 / links**2 / 12)
        bodies.append(make_body(at=((i + 0.5) / links, 1, 0), mass=2.0, inertia=moments))
    order = [0, *range(2, links + 2), 1]
    joints = [
        joined_at(bodies, order[i], order[i + 1], (i / links, 1, 0), STILL, BALL)
        for i in range(links + 1)
    ]
    settings = RapierSettings(step=1 / 120, iterations=16)
    run = Run(bodies, joints, settings, gravity=(0.0, -9.81, 0.0))
    fastest = 0.0
    for step in range(1, 481):
        end = np.array([1 + 0.15 * (1 - math.cos(math.pi * step / 120)), 1.0, 0.0])
        run.engine.drive_body(0, np.array([0.0, 1.0, 0.0]), np.array(STILL))
        run.engine.drive_body(1, end, np.array(STILL))
        run.engine.step()
        fastest = max(fastest, np.abs(run.engine.state().linear_velocity[2:]).max())
    assert fastest < 2.0
    places = [body.pose.translation for body in bodies[2:]]
    assert run.engine.state().translation[2:] == pytest.approx(np.array(places), abs=0.02)

"""Springs and drives of random bodies, with the steps that the library chooses, to closed forms."""

import dataclasses
import math

import numpy as np
import pytest

from ligament.extensions.rigid_bodies import Drive, Limit
from ligament.physics import metrics
from ligament.transforms import from_axis_angle, rotate
from tests.physics.engines.rapier.joined import (
    BALL,
    ORIGIN,
    STILL,
    Anybody,
    Run,
    fixed,
    hinge,
    joined_at,
    make_body,
    pose,
    random_rotation,
    slider,
)
from tests.physics.engines.rapier.jointed_bodies import NO_TURNING, WEIGHTS, Chosen
from tests.physics.engines.rapier.oscillators import damped, frequency_and_damping
from tests.sampling import seeded

SEEDS, IN_TURN = 60, 3
FRAME = 1 / 60
# Single precision, a metre or two from the origin: positions, and angles of bodies of 10 cm.
NOISE = {True: 1e-6, False: 1e-5}


def pulled(axes, rng):
    """A direction (3,) along some axes."""
    direction = np.zeros(3)
    direction[list(axes)] = rng.uniform(0.2, 1.0, size=len(axes))
    return direction / np.linalg.norm(direction)


def resting_frames(square):
    """Frames after which a critically damped spring of k/m `square` has come to rest.

    Not many more: a couple that keeps its direction is no conservative load, and what may swing
    sideways undamped does so ever further.
    """
    return int(60 * max(14 / math.sqrt(square), 0.4))


# From one that ten weights stretch by a metre to one that is as good as hard.
SQUARES = (100.0, 1e3, 1e4, 1e5, 1e6)
AXES = {"1D": (1,), "2D": (0, 2), "3D": (0, 1, 2)}
ANGLES = {"hinge": ((2,), (0, 1)), "cone": ((0, 2), (1,)), "total": ((0, 1, 2), ())}
BOUNDS = {
    "maximum": {"maximum": 0.2},
    "both": {"minimum": 0.0, "maximum": 0.2},
    "equal": {"minimum": 0.2, "maximum": 0.2},
}


@seeded(SEEDS, IN_TURN, axes=AXES, bounds=BOUNDS)
def test_a_linear_spring_yields_by_force_over_stiffness(axes, bounds, seed):
    chosen = Chosen(seed)
    square = SQUARES[seed % len(SQUARES)] * chosen.rng.uniform(0.5, 2.0)
    stiffness = square * chosen.mass
    gains = {"stiffness": stiffness, "damping": 2 * chosen.mass * math.sqrt(square)}
    limit = Limit(linear_axes=axes, **bounds, **gains)
    others = tuple(axis for axis in range(3) if axis not in axes)
    locks = (Limit(linear_axes=others, minimum=0.0, maximum=0.0),) if others else ()
    direction = pulled(axes, chosen.rng)
    run = chosen.run((NO_TURNING, *locks, limit), start=(0.2 * direction, STILL))
    force = min(WEIGHTS * chosen.mass, 0.3 * stiffness)
    values = chosen.follow(run, resting_frames(square), limit, force * direction)
    expected = force / stiffness
    assert values[-1] - 0.2 == pytest.approx(expected, abs=0.01 * expected + NOISE[True])


@seeded(SEEDS, IN_TURN, case=ANGLES, bounds=BOUNDS)
def test_an_angular_spring_yields_by_torque_over_stiffness(case, bounds, seed):
    axes, locked = case
    chosen = Chosen(seed, principal=True)
    square = SQUARES[seed % len(SQUARES)] * chosen.rng.uniform(0.5, 2.0)
    axis = axes[0]
    inertia = chosen.inertia()[axis, axis]
    stiffness = square * inertia
    gains = {"stiffness": stiffness, "damping": 2 * inertia * math.sqrt(square)}
    limit = Limit(angular_axes=axes, **bounds, **gains)
    locks = (Limit(angular_axes=locked, minimum=0.0, maximum=0.0),) if locked else ()
    # Within: beyond a bound whose other side is open, an angle counts as a turn less.
    start = (ORIGIN, from_axis_angle(np.eye(3)[axis], 0.19))
    run = chosen.run((*BALL, *locks, limit), start=start)
    couple = min(WEIGHTS * chosen.mass * 0.5 * chosen.size, 0.5 * stiffness)
    values = chosen.follow(run, resting_frames(square), limit, couple * np.eye(3)[axis])
    expected = couple / stiffness
    assert values[-1] - 0.2 == pytest.approx(expected, abs=0.01 * expected + NOISE[False])


@seeded(SEEDS, IN_TURN, axes=AXES, bounds=BOUNDS)
def test_a_spring_between_two_bodies_yields_by_force_over_stiffness(axes, bounds, seed):
    """Pulled apart along the line between the frames, from where they should stay.

    Not for long: pulls that keep their direction for a step make a pair swing ever further.
    """
    chosen = Chosen(seed)
    other = Anybody.draw(chosen.rng)
    shift = chosen.at - other.at
    moved_pose = pose(other.body.pose.translation + shift, other.body.pose.rotation)
    chosen.bodies[1 - chosen.index] = dataclasses.replace(other.body, pose=moved_pose)
    mass = 1 / (1 / chosen.mass + 1 / other.mass)
    square = SQUARES[seed % len(SQUARES)] * chosen.rng.uniform(0.5, 2.0)
    stiffness = square * mass
    limit = Limit(
        linear_axes=axes, **bounds, stiffness=stiffness, damping=2 * mass * math.sqrt(square)
    )
    others = tuple(axis for axis in range(3) if axis not in axes)
    locks = (Limit(linear_axes=others, minimum=0.0, maximum=0.0),) if others else ()
    direction = pulled(axes, chosen.rng)
    force = min(WEIGHTS * min(chosen.mass, other.mass), 0.3 * stiffness)
    expected = force / stiffness
    start = ((0.2 + expected) * direction, STILL)
    run = chosen.run((NO_TURNING, *locks, limit), start=start)
    pull = force * rotate(chosen.turn, direction)
    for _ in range(15 * chosen.steps):
        for body, sign in ((0, -1.0), (1, 1.0)):
            run.engine.apply_force(body, sign * pull, run.frame("ab"[body])[0])
        run.engine.step()
    found = run.measure(limit) - 0.2
    assert found == pytest.approx(expected, abs=0.01 * expected + NOISE[True])


def moved(chosen, kind, axis):
    """Limits that leave one axis, what measures it, and the mass that moves along or about it."""
    if kind == "slider":
        return slider(axis), Limit(linear_axes=(axis,)), chosen.mass
    limits = hinge(axis) if kind == "hinge" else BALL
    if kind == "ball" and axis == 1:
        axis = 2  # About the middle one of its principal axes nothing turns for long.
    return limits, Limit(angular_axes=(axis,)), chosen.inertia()[axis, axis]


def make_drive(measured, mode, mass, *, stiffness=0.0, damping=0.0, **values):
    """A drive whose gains are given per mass."""
    scale = 1.0 if mode == "acceleration" else mass
    kind = "linear" if measured.linear_axes else "angular"
    (axis,) = measured.linear_axes or measured.angular_axes
    gains = {"stiffness": scale * stiffness, "damping": scale * damping}
    return Drive(type=kind, mode=mode, axis=axis, **gains, **values)


def times(values):
    return FRAME * np.arange(1, len(values) + 1)


KINDS = ("slider", "hinge", "ball")
MODES = ("force", "acceleration")


@seeded(SEEDS, IN_TURN, kind=KINDS)
def test_a_spring_swings_at_its_natural_frequency_and_damping(kind, seed):
    chosen = Chosen(seed, principal=kind == "ball")
    limits, measured, mass = moved(chosen, kind, seed % 3)
    natural = math.exp(chosen.rng.uniform(0.0, math.log(18.0)))
    ratio = (0.02, 0.1, 0.3)[seed % 3]
    gains = {"stiffness": mass * natural**2, "damping": 2 * ratio * natural * mass}
    spring = dataclasses.replace(measured, minimum=0.3, maximum=0.3, **gains)
    run = chosen.run((*limits, spring))
    assert (chosen.step * natural) ** 2 <= 0.1
    frames = int(60 * min(max(2.5 * 2 * math.pi / natural, 0.6), 5.0))
    values = chosen.follow(run, frames, measured)
    frequency, found = frequency_and_damping(values, 0.3, FRAME)
    assert 2 * math.pi * frequency == pytest.approx(natural, rel=0.03)
    assert found == pytest.approx(ratio, rel=0.03)


@seeded(SEEDS, IN_TURN, kind=KINDS, mode=MODES)
def test_a_drive_reaches_its_target_like_a_damped_oscillator(kind, mode, seed):
    chosen = Chosen(seed, principal=kind == "ball")
    limits, measured, mass = moved(chosen, kind, seed % 3)
    natural = math.exp(chosen.rng.uniform(0.0, math.log(18.0)))
    gains = {"stiffness": natural**2, "damping": 2 * (0.1, 0.7, 1.5)[seed % 3] * natural}
    target = 0.4 if kind == "slider" else (0.5, 2.0, 5.0)[seed % 3] / max(natural / 4, 1.0)
    drive = make_drive(measured, mode, mass, position_target=target, **gains)
    values = chosen.follow(chosen.run(limits, [drive]), 90, measured)
    if measured.angular_axes:
        values = metrics.unwrap(values, 0.0)
    expected = damped(times(values), 0.0, target, mass=1.0, **gains)
    np.testing.assert_allclose(values, expected, atol=0.03 * target)


@seeded(SEEDS, IN_TURN, mode=MODES)
def test_a_drive_reaches_a_target_many_turns_away(mode, seed):
    chosen = Chosen(seed)
    limits, measured, mass = moved(chosen, "hinge", seed % 3)
    natural, target = chosen.rng.uniform(3.0, 8.0), chosen.rng.choice([-20.0, -10.0, 10.0, 20.0])
    gains = {"stiffness": natural**2, "damping": 2 * (0.7, 1.0, 1.5)[seed % 3] * natural}
    drive = make_drive(measured, mode, mass, position_target=target, **gains)
    values = chosen.follow(chosen.run(limits, [drive]), 120, measured)
    expected = damped(times(values), 0.0, target, mass=1.0, **gains)
    np.testing.assert_allclose(metrics.unwrap(values, 0.0), expected, atol=0.03 * abs(target))


@seeded(SEEDS, IN_TURN, kind=KINDS, mode=MODES)
def test_a_velocity_drive_settles_where_load_and_damping_balance(kind, mode, seed):
    chosen = Chosen(seed, principal=kind == "ball")
    limits, measured, mass = moved(chosen, kind, seed % 3)
    speed, rate = chosen.rng.uniform(1.0, 4.0), math.exp(chosen.rng.uniform(1.0, 4.0))
    drive = make_drive(measured, mode, mass, velocity_target=speed, damping=rate)
    load = mass * rate * chosen.rng.uniform(-0.5, 1.0) * speed
    if kind == "ball":
        load = 0.0  # A couple that keeps its direction tips over what is free to swing.
    (axis,) = measured.linear_axes or measured.angular_axes
    frames = int(60 * max(8 / rate, 0.5)) + 30
    run = chosen.run(limits, [drive])
    values = chosen.follow(run, frames, measured, load * np.eye(3)[axis])
    if measured.angular_axes:
        values = metrics.unwrap(values, 0.0)
    expected = speed + load / (mass * rate)
    assert (values[-1] - values[-31]) / (30 * FRAME) == pytest.approx(expected, rel=0.01)


@seeded(SEEDS, IN_TURN, kind=KINDS, mode=MODES)
def test_a_drive_accelerates_by_its_greatest_force(kind, mode, seed):
    chosen = Chosen(seed, principal=kind == "ball")
    limits, measured, mass = moved(chosen, kind, seed % 3)
    faster = chosen.rng.uniform(2.0, 6.0) * (chosen.size if kind == "slider" else 1.0)
    gains = {"stiffness": 1e6, "damping": 1.0, "max_force": mass * faster}
    drive = make_drive(measured, mode, mass, position_target=3.0, **gains)
    values = chosen.follow(chosen.run(limits, [drive]), 15, measured)
    # Half of a substep's speed is added to the way, which the second term takes up.
    terms = np.stack([times(values) ** 2 / 2, times(values)], axis=1)
    found = np.linalg.lstsq(terms, values, rcond=None)[0]
    assert found[0] == pytest.approx(faster, rel=1e-3)


@seeded(SEEDS, IN_TURN, kind=KINDS)
def test_a_drive_against_a_soft_limit_rests_where_both_are_equally_strong(kind, seed):
    chosen = Chosen(seed, principal=kind == "ball")
    limits, measured, mass = moved(chosen, kind, seed % 3)
    natural = math.exp(chosen.rng.uniform(1.5, 3.0))
    share = (1.0, 10.0, 300.0)[seed % 3]
    drive = make_drive(
        measured, "force", mass, position_target=0.5, stiffness=natural**2, damping=2 * natural
    )
    stiffness = share * mass * natural**2
    damping = 2 * math.sqrt(stiffness * mass)
    bound = dataclasses.replace(
        measured, minimum=-0.1, maximum=0.2, stiffness=stiffness, damping=damping
    )
    run = chosen.run((*limits, bound), [drive])
    values = chosen.follow(run, int(60 * max(14 / natural, 1.0)), measured)
    expected = 0.3 / (1 + share)
    noise = NOISE[bool(measured.linear_axes)]
    assert values[-1] - 0.2 == pytest.approx(expected, abs=0.01 * expected + noise)


@seeded(SEEDS, IN_TURN, axes={"cone": (0, 1), "total": (0, 1, 2)})
def test_a_stiff_angle_of_zero_holds_under_ten_weights(axes, seed):
    """The rest of such an angle is smaller than the motion of a step, and has no direction."""
    chosen = Chosen(seed)
    inertia = np.trace(chosen.inertia()) / 3
    square = 10.0 ** (4 + seed % 4)
    gains = {"stiffness": square * inertia, "damping": 0.2 * inertia * math.sqrt(square)}
    limit = Limit(angular_axes=axes, maximum=0.0, **gains)
    run = chosen.run((*BALL, limit))
    run.engine.gravity = tuple(rotate(random_rotation(chosen.rng), [0.0, WEIGHTS, 0.0]))
    values = chosen.follow(run, 90, limit)
    # Twice what the weight would bend it, as for a load that comes at once, and some for the step.
    bent = WEIGHTS * chosen.mass * 1.5 * chosen.size / gains["stiffness"]
    assert values.max() < 3 * bent + 0.01


def test_a_soft_limit_without_gains_does_nothing():
    limit = Limit(linear_axes=(0,), maximum=0.1, stiffness=0.0, damping=0.0)
    body = make_body(velocity=(1.0, 0.0, 0.0))
    bodies = [fixed(), body]
    run = Run(bodies, [joined_at(bodies, 0, 1, (0, 0, 0), STILL, (*slider(0), limit))])
    assert run.follow(60, limit)[-1] == pytest.approx(1.0, rel=1e-4)

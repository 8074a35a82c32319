"""Energy out of nothing: bodies that swing and tumble on joints under ten times their weight."""

import math

import numpy as np

from ligament.extensions.rigid_bodies import Limit
from ligament.transforms import from_axis_angle, rotate
from tests.physics.engines.rapier.joined import BALL, ORIGIN, STILL, random_rotation
from tests.physics.engines.rapier.jointed_bodies import NO_TURNING, WEIGHTS, Chosen
from tests.sampling import IS_SOAK, seeded

PLANE = (Limit(linear_axes=(1,), minimum=0.0, maximum=0.0),)
KINDS = {
    "2D": (PLANE, {"linear_axes": (0, 2)}),
    "3D": ((), {"linear_axes": (0, 1, 2)}),
    "3D without turning": ((NO_TURNING,), {"linear_axes": (0, 1, 2)}),
    "cone": (BALL, {"angular_axes": (0, 1)}),
    "total": (BALL, {"angular_axes": (0, 1, 2)}),
}
BOUNDS = {
    "maximum": {"maximum": 0.3},
    "equal": {"minimum": 0.3, "maximum": 0.3},
    "zero": {"minimum": 0.0, "maximum": 0.0},
}
CASES = {
    f"{kind}, {bound}": (KINDS[kind], BOUNDS[bound])
    for i, kind in enumerate(KINDS)
    for j, bound in enumerate(BOUNDS)
    if IS_SOAK or i % len(BOUNDS) == j
}
# From springs that the steps follow to those that are as good as hard.
SQUARES = (1e4, 1e5, 1e6, 1e7, 1e8)


def energy_gained(chosen, run, frames):
    """The most that kinetic and potential energy [m g r] get above where they start."""
    pull = rotate(random_rotation(chosen.rng), [0.0, WEIGHTS, 0.0])
    run.engine.gravity = tuple(pull)
    body = chosen.body

    def energy():
        state = run.engine.state()
        turn, at = state.rotation[chosen.index], state.translation[chosen.index]
        return run.energy() - chosen.mass * pull @ (at + rotate(turn, body.mass.center))

    start, most = energy(), 0.0
    for _ in range(frames):
        for _ in range(chosen.steps):
            run.engine.step()
        most = max(most, energy() - start)
    arm = body.pose.translation + rotate(body.pose.rotation, body.mass.center) - chosen.at
    return most / (chosen.mass * WEIGHTS * (np.linalg.norm(arm) + 0.3))


@seeded(60, 1, case=CASES)
def test_stiff_springs_add_no_energy(case, seed):
    """With two passes before bodies move, one in fifteen on a plane ran away within seconds."""
    (locks, axes), bounds = case
    chosen = Chosen(seed)
    is_linear = "linear_axes" in axes
    mass = chosen.mass if is_linear else np.trace(chosen.inertia()) / 3
    square, ratio = SQUARES[seed % len(SQUARES)], (0.02, 0.1, 1.0)[seed % 3]
    gains = {"stiffness": square * mass, "damping": 2 * ratio * mass * math.sqrt(square)}
    limit = Limit(**axes, **bounds, **gains)
    first = next(iter(axes.values()))[0]
    bound = np.eye(3)[first] * limit.maximum
    start = (bound, STILL) if is_linear else (ORIGIN, from_axis_angle(np.eye(3)[first], 0.3))
    if limit.maximum == 0:
        start = (ORIGIN, STILL)
    run = chosen.run((*locks, limit), start=start)
    assert energy_gained(chosen, run, 180) < 0.2


@seeded(60, 1, limits={"ball": BALL, "rope": (Limit(linear_axes=(0, 1, 2), maximum=0.3),)})
def test_tumbling_jointed_bodies_gain_no_energy(limits, seed):
    """Gyroscopic forces that kept their direction for a step drove one in thirty on its ball."""
    chosen = Chosen(seed)
    run = chosen.run(limits)
    assert energy_gained(chosen, run, 400) < 0.01

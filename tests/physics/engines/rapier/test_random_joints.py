"""Joints of anything with anything, much of it impossible: nothing breaks, and restores agree."""

from itertools import combinations

import numpy as np
import pytest

from ligament.extensions.rigid_bodies import Drive, Limit, MotionKind
from ligament.physics.engines.rapier import RapierSettings
from tests.physics.engines.rapier.joined import (
    STILL,
    Run,
    fixed,
    joined_at,
    make_body,
    random_rotation,
)
from tests.sampling import IS_SOAK

AXES = [axes for count in (1, 2, 3) for axes in combinations(range(3), count)]
SEEDS = range(400 if IS_SOAK else 12)


def magnitude(rng, low, high, *, none=0.2):
    """A number between powers of ten, or zero."""
    return 0.0 if rng.random() < none else float(10 ** rng.uniform(low, high))


def random_bounds(rng):
    minimum, maximum = np.sort(rng.normal(size=2) * rng.choice([0.1, 1.0, 5.0]))
    return [
        (maximum, maximum),
        (0.0, 0.0),
        (-np.inf, maximum),
        (minimum, np.inf),
        (maximum, minimum),
        (minimum, maximum),
        (abs(minimum), abs(minimum) + abs(maximum)),
    ][rng.integers(7)]


def random_limit(rng):
    axes = AXES[rng.integers(7)]
    minimum, maximum = map(float, random_bounds(rng))
    options = {"minimum": minimum, "maximum": maximum}
    if rng.random() < 0.35:
        options |= {"stiffness": magnitude(rng, -1, 7), "damping": magnitude(rng, -2, 3)}
    kind = "linear_axes" if rng.random() < 0.5 else "angular_axes"
    return Limit(**{kind: axes}, **options)


def random_drive(rng):
    return Drive(
        type="linear" if rng.random() < 0.5 else "angular",
        mode="force" if rng.random() < 0.5 else "acceleration",
        axis=int(rng.integers(3)),
        position_target=float(rng.normal() * rng.choice([0.5, 5.0, 50.0])),
        velocity_target=float(rng.normal() * rng.choice([0.0, 1.0, 20.0])),
        stiffness=magnitude(rng, -1, 6),
        damping=magnitude(rng, -1, 4),
        max_force=float(rng.choice([np.inf, magnitude(rng, -1, 5)])),
    )


def random_body(rng):
    mass = np.inf if rng.random() < 0.05 else float(10 ** rng.uniform(-2, 3))
    moments = (1.0 if np.isinf(mass) else mass) * 10 ** rng.uniform(-3, 0) * rng.uniform(1, 1.5, 3)
    if rng.random() < 0.05:
        moments[0] = np.inf
    return make_body(
        MotionKind.DYNAMIC if rng.random() > 0.1 else MotionKind.KINEMATIC,
        at=rng.normal(size=3),
        turn=random_rotation(rng),
        mass=mass,
        inertia=moments,
        center=0.2 * rng.normal(size=3),
        orientation=random_rotation(rng),
        velocity=rng.normal(size=3),
        spin=3 * rng.normal(size=3),
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_no_joint_breaks_the_engine(seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 5))
    bodies = [fixed(rng.normal(size=3), random_rotation(rng))]
    bodies += [random_body(rng) for _ in range(count)]
    joints = []
    for _ in range(count):
        a, b = rng.choice(len(bodies), 2, replace=False).tolist()
        limits = [random_limit(rng) for _ in range(rng.integers(5))]
        drives = [random_drive(rng) for _ in range(rng.integers(3))]
        turn = random_rotation(rng) if rng.random() < 0.5 else STILL
        offset = (rng.normal(size=3) * rng.choice([0.0, 0.1, 1.0]), turn)
        place = rng.normal(size=3), random_rotation(rng)
        joints.append(joined_at(bodies, a, b, *place, limits, drives, offset=offset))
    iterations = int(rng.choice([4, 16]))
    run = Run(bodies, joints, RapierSettings(iterations=iterations), gravity=(0, -9.81, 0))
    for _ in range(20):
        run.engine.step()
    saved = run.engine.snapshot()
    for _ in range(40):
        run.engine.step()
    state = run.engine.state()
    assert not run.engine.lost()
    run.engine.restore(saved)
    for _ in range(40):
        run.engine.step()
    for part, again in zip(state, run.engine.state(), strict=True):
        assert np.isfinite(part).all()
        np.testing.assert_array_equal(part, again)

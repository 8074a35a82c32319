"""Bodies that spin freely, against Euler's equations and against what is conserved."""

from __future__ import annotations

import numpy as np
import pytest

from ligament.extensions.shapes import Box
from ligament.options.names import QUALITIES
from ligament.physics.engines import Request
from ligament.physics.engines.rapier.engine import make_engine
from ligament.physics.materials import DEFAULT
from ligament.physics.scene import Collider, Scene
from ligament.transforms import angle_between, conjugate, exp, multiply, rotate
from tests.physics.engines.rapier.joined import fixed, make_body, pose

STILL = np.array([0.0, 0.0, 0.0, 1.0])
MOMENTS = np.array([0.01, 0.02, 0.03])


def by_euler(rotation, spin, seconds, moments=MOMENTS, parts=20_000):
    """Rotation and velocity by Euler's equations in body axes, in small explicit steps."""
    seen, step = rotate(conjugate(rotation), spin), seconds / parts

    def slope(w):
        return np.cross(moments * w, w) / moments

    for _ in range(parts):
        half = seen + step / 2 * slope(seen)
        after = seen + step * slope(half)
        rotation = multiply(rotation, exp(step * half))
        seen = after
    return rotation / np.linalg.norm(rotation), rotate(rotation, seen)


def spun(spin, frames, quality="exact", **options):
    body = make_body(inertia=MOMENTS, spin=spin, gravity_factor=0.0, **options)
    engine = make_engine(Scene(bodies=(body,)), Request(quality=quality))
    engine.step(frames * engine.substeps)
    return engine.state()


@pytest.mark.parametrize("quality", QUALITIES)
@pytest.mark.parametrize("speed", [2.0, 20.0, 60.0])
def test_a_plate_that_spins_about_its_middle_axis_flips_in_time(speed, quality):
    """It was off by half a turn after a flip or two (T-handle in space, Dzhanibekov)."""
    spin, frames = speed * np.array([0.02, 1.0, 0.01]), round(60 * 60 / speed)
    state = spun(spin, min(frames, 360), quality)
    expected, velocity = by_euler(STILL, spin, min(frames, 360) / 60)
    assert angle_between(state.rotation[0], expected) < 0.03
    assert state.angular_velocity[0] == pytest.approx(velocity, abs=0.03 * speed)


@pytest.mark.parametrize("center", [(0.0, 0.0, 0.0), (0.1, 0.2, -0.1)])
def test_momentum_and_energy_stay_for_a_minute(center):
    """Momentum turned by 13 % within two seconds; the centre of mass stays where it is."""
    spin = np.array([3.0, 40.0, 5.0])
    state = spun(spin, 3600, center=center)
    turn = state.rotation[0]
    seen = rotate(conjugate(turn), state.angular_velocity[0])
    assert rotate(turn, MOMENTS * seen) == pytest.approx(MOMENTS * spin, abs=1e-3)
    assert MOMENTS @ seen**2 == pytest.approx(MOMENTS @ spin**2, rel=1e-3)
    assert state.translation[0] + rotate(turn, center) == pytest.approx(center, abs=1e-4)


def test_a_ball_turns_by_its_speed():
    """The engine turned it by 2 atan(w h / 2) in each iteration: 1.6 rad less in five seconds."""
    body = make_body(spin=(0.0, 0.0, 60.0), gravity_factor=0.0)
    engine = make_engine(Scene(bodies=(body,)), Request())
    engine.step(300 * engine.substeps)
    expected = exp(np.array([0.0, 0.0, 300.0]))
    assert angle_between(engine.state().rotation[0], expected) < 1e-3


def test_a_spinning_plate_that_lands_is_left_to_contacts():
    box = Collider(node=0, body=1, shape=Box((0.6, 0.2, 0.4)), pose=pose(), material=DEFAULT)
    floor = Collider(
        node=0, body=0, shape=Box((20.0, 1.0, 20.0)), pose=pose((0, -0.5, 0)), material=DEFAULT
    )
    bodies = (fixed(), make_body(at=(0, 1, 0), inertia=MOMENTS, spin=(3.0, 20.0, 5.0)))
    engine = make_engine(Scene(bodies=bodies, colliders=(floor, box)), Request())
    lowest = 1.0
    for _ in range(300):
        engine.step(engine.substeps)
        state = engine.state()
        corners = np.array(
            [[x, y, z] for x in (-0.3, 0.3) for y in (-0.1, 0.1) for z in (-0.2, 0.2)]
        )
        lowest = min(
            lowest, (state.translation[1] + rotate(state.rotation[1], corners))[:, 1].min()
        )
    assert lowest > -0.01
    assert np.abs(state.angular_velocity[1]).max() < 0.01


def test_a_snapshot_of_a_spinning_plate_continues():
    body = make_body(inertia=MOMENTS, spin=(0.1, 20.0, 0.3))
    engine = make_engine(Scene(bodies=(body,)), Request())
    engine.step(20)
    saved = engine.snapshot()
    engine.step(50)
    after = engine.state()
    engine.restore(saved)
    engine.step(50)
    for one, other in zip(after, engine.state(), strict=True):
        assert np.array_equal(one, other)

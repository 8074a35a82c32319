from __future__ import annotations

import numpy as np
import pytest

from tests.physics.rapier.scenes import G, STEP, Maker, Sphere, run

ITERATIONS = 4


def test_free_fall_is_that_of_the_integrator() -> None:
    """Velocity is exact; the way is longer by half a substep's, g t h / 2."""
    maker = Maker()
    maker.body(Sphere(0.5), velocity=(1, 2, 0))
    engine = maker.start()
    run(engine, 1)
    state = engine.state()
    substep = STEP / ITERATIONS
    assert state.velocity[0] == pytest.approx([1, 2 - G, 0], abs=1e-4)
    way = 2 - G / 2 - G * substep / 2
    assert state.translation[0] == pytest.approx([1, way, 0], abs=1e-4)


def test_gravity_factor_and_gravity() -> None:
    maker = Maker()
    for factor in (0, 0.5, -1):
        maker.body(Sphere(0.1), (factor * 10, 0, 0), gravity=factor)
    engine = maker.start(gravity=(0, 0, -2))
    run(engine, 1)
    expected = [[0, 0, 0], [0, 0, -1], [0, 0, 2]]
    np.testing.assert_allclose(engine.state().velocity, expected, atol=1e-5)

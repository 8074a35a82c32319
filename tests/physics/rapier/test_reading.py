from __future__ import annotations

import numpy as np

from ligament.physics.rapier import reading
from tests.physics.rapier.scenes import Box, Maker, Sphere, about, ball_mass, box_mass, run


def test_bytes_and_attributes_say_the_same() -> None:
    maker = Maker()
    for i in range(5):
        body = maker.body(
            Sphere(0.1), (i, 2, 3), turned=about((1, i, 2), i), velocity=(i, 1, 2), spin=(3, i, 1)
        )
        for _ in range(i):
            maker.collider(Sphere(0.1), body)
    engine = maker.start()
    run(engine, 0.5)
    bodies = engine._bodies
    assert reading.LAYOUT is not None
    read = reading.read_rows(bodies)
    np.testing.assert_array_equal(read, reading.read_rows(bodies, layout=None))
    state = engine.state()
    np.testing.assert_array_equal(read, np.concatenate(state, axis=1))


def test_states_are_right_whatever_sleeps() -> None:
    """Bodies that sleep are not read; a fresh reading of all must show the same at any time."""
    maker = Maker()
    maker.ground()
    for i in range(6):
        maker.body(Box((1, 1, 1)), (3 * i, 0.6 + i, 0), weight=box_mass(1, (1, 1, 1)))
    maker.body(Sphere(0.3), (-12, 0.3, 0), weight=ball_mass(3, 0.3), velocity=(3, 0, 0))
    engine = maker.start()
    asleep = []
    for step in range(400):
        engine.step()
        if step % 3 == 0 or step % 50 > 40:
            state = np.concatenate(engine.state(), axis=1)[1:]
            np.testing.assert_array_equal(state, reading.read_rows(engine._bodies[1:]))
            asleep.append(sum(body.is_sleeping for body in engine._bodies[1:]))
    assert max(asleep) >= 5
    assert asleep != sorted(asleep)  # the ball woke what it ran into


def test_changes_from_outside_show_at_once() -> None:
    maker = Maker()
    maker.ground()
    boxes = [
        maker.body(Box((1, 1, 1)), (3 * i, 0.5, 0), weight=box_mass(1, (1, 1, 1))) for i in range(3)
    ]
    engine = maker.start()
    run(engine, 3)
    assert all(engine._bodies[i].is_sleeping for i in boxes)
    engine.state()
    engine.set_velocity(boxes[0], np.array([1.0, 0, 0]), np.zeros(3))
    engine.apply_impulse(boxes[1], np.array([2.0, 0, 0]))
    engine.set_pose(boxes[2], np.array([9.0, 5, 0]), np.array([0, 0, 0, 1.0]))
    state = engine.state()
    np.testing.assert_allclose(state.velocity[boxes, 0], [1, 2, 0])
    np.testing.assert_allclose(state.translation[boxes[2]], [9, 5, 0])
    run(engine, 0.1)
    moved = engine.state()
    assert (moved.translation[boxes[:2], 0] > state.translation[boxes[:2], 0]).all()
    assert moved.translation[boxes[2], 1] < 5

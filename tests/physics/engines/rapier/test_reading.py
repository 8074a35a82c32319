from __future__ import annotations

import numpy as np
import rapier3d as rp

from ligament.physics.engines.rapier.state import bodies as layout
from ligament.physics.engines.rapier.state.bodies import BodySource, WholeSet
from tests.physics.engines.rapier.scenes import Box, Maker, Sphere, about, ball_mass, box_mass, run


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
    assert layout.LAYOUT is not None
    read = layout.read_rows(bodies)
    np.testing.assert_array_equal(read, layout.read_rows(bodies, layout=None))
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
            np.testing.assert_array_equal(state, layout.read_rows(engine._bodies[1:]))
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
    np.testing.assert_allclose(state.linear_velocity[boxes, 0], [1, 2, 0])
    np.testing.assert_allclose(state.translation[boxes[2]], [9, 5, 0])
    run(engine, 0.1)
    moved = engine.state()
    assert (moved.translation[boxes[:2], 0] > state.translation[boxes[:2], 0]).all()
    assert moved.translation[boxes[2], 1] < 5


def test_the_whole_set_says_what_single_bodies_say() -> None:
    """Bodies of different sizes in bytes, at rest and changed, with equal states among them."""
    maker = Maker()
    maker.ground()
    for i in range(12):
        body = maker.body(Sphere(0.1), (i, 2 + i % 3, 3), velocity=(i, 1, 2), spin=(3, i, 1))
        for _ in range(i % 3):
            maker.collider(Sphere(0.1), body)
    for _ in range(2):
        maker.body(Sphere(0.1), (0, 9, 0))
    engine = maker.start()
    whole = WholeSet(engine._world, engine._bodies)
    for step in range(20):
        if step % 5 == 4:
            engine.set_velocity(3, np.array([1.0, step, 0]), np.zeros(3))
        np.testing.assert_array_equal(whole.read(), layout.read_rows(engine._bodies))
        engine.step()
    engine._world.add_collider(rp.Collider.ball(0.1), engine._built.bodies[5])
    np.testing.assert_array_equal(whole.read(), layout.read_rows(engine._bodies))


def test_without_a_known_layout_bodies_are_read_one_by_one() -> None:
    maker = Maker()
    for i in range(12):
        maker.body(Sphere(0.1), (i, 2, 3), velocity=(i, 1, 2))
    engine = maker.start()
    run(engine, 0.1)
    assert WholeSet(engine._world, engine._bodies, None).read() is None
    elsewhere = layout.Layout(0, 100, layout.LAYOUT.columns) if layout.LAYOUT else None
    whole = WholeSet(engine._world, engine._bodies, elsewhere)
    assert whole.read() is None
    source = BodySource(engine._built.bodies)
    source.bind(engine._world)
    source._whole = whole
    everything = np.arange(12)
    np.testing.assert_array_equal(source.read(everything), layout.read_rows(engine._bodies))

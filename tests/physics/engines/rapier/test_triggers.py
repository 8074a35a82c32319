"""Triggers tell the truth: nothing passes beside, what crosses enters once and leaves once."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from ligament.physics.collision.tracker import OverlapTracker
from ligament.physics.shapes import scaled
from tests.physics.engines.rapier.scenes import (
    CUBE,
    CUBE_TRIANGLES,
    DYNAMIC,
    KINEMATIC,
    STATIC,
    STEP,
    UPRIGHT,
    Box,
    Capsule,
    Cylinder,
    Hull,
    Maker,
    Mesh,
    Shape,
    Sphere,
    about,
    run,
)

SHAPES: dict[str, Shape] = {
    "box": Box((1, 1, 1)),
    "ball": Sphere(0.5),
    "capsule": Capsule(0.5, 0.25, 0.25),
    "cone": Cylinder(1, 0.5, 0),
    "hull": Hull(CUBE),
    "mesh": Mesh(CUBE, CUBE_TRIANGLES),
    "ellipsoid": scaled(Sphere(0.5), np.diag([2, 1, 0.5])) or Sphere(1),
}


def sized(shape: Shape, size: float) -> Shape:
    found = scaled(shape, np.eye(3) * size)
    assert found is not None
    return found


def events(maker: Maker, steps: int, *, looks: bool = False) -> list[tuple[bool, int]]:
    """Run; return whether it began, and the state, of each overlap told."""
    engine, found = maker.start(), []
    for _ in range(steps):
        engine.step()
        found += engine.overlaps() if looks else []
    return [(each.started, each.step) for each in found + engine.overlaps()]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("speed", [1.0, 30.0])
def test_no_event_for_what_passes_beside(shape: str, speed: float) -> None:
    """A body of 5 cm, 2 mm and a hundredth of that beside a trigger of a metre."""
    for space in (2e-3, 2e-5):
        maker = Maker()
        maker.body(Box((1, 1, 1)), kind=STATIC, sensor=True)
        height = 0.525 + space
        body = sized(SHAPES[shape], 0.05)
        maker.body(body, (-1, height, 0.013), velocity=(speed, 0, 0), gravity=0)
        assert events(maker, int(2 / speed / STEP), looks=True) == []


MOTIONS = {
    "dynamic over static": (STATIC, DYNAMIC),
    "kinematic over static": (STATIC, KINEMATIC),
    "dynamic over kinematic": (KINEMATIC, DYNAMIC),
    "dynamic over dynamic": (DYNAMIC, DYNAMIC),
}


@pytest.mark.parametrize("motion", MOTIONS)
@pytest.mark.parametrize("size", [0.005, 0.3])
def test_one_enter_and_one_exit_for_what_crosses(motion: str, size: float) -> None:
    """At any size and speed, also wholly within one step."""
    own, other = MOTIONS[motion]
    for number, (name, shape) in enumerate(SHAPES.items()):
        for speed in (0.7 + 0.1 * number, 7.3 + number, 170.0 + 7 * number):
            maker = Maker()
            maker.body(Box((0.01, 1, 1)), kind=own, sensor=True, gravity=0)
            body, start = sized(shape, size), 2 * size + speed * STEP * 2.6
            maker.body(body, (-start, 0.1, 0), kind=other, velocity=(speed, 0, 0), gravity=0)
            found = events(maker, int(2 * start / speed / STEP) + 1)
            assert [began for began, _ in found] == [True, False], (name, speed)


def test_a_trigger_that_moves_over_static_things() -> None:
    for speed in (1.0, 10.0, 200.0):
        maker = Maker()
        maker.body(
            Box((0.1, 1, 1)), (-5, 0, 0), kind=KINEMATIC, sensor=True, velocity=(speed, 0, 0)
        )
        maker.body(Sphere(0.1), kind=STATIC)
        found = events(maker, int(10 / speed / STEP) + 2)
        assert [began for began, _ in found] == [True, False]


def test_times_are_those_of_the_first_states_that_overlap_and_do_not() -> None:
    random = np.random.default_rng(4)
    for _ in range(20):
        speed, start = random.uniform(0.5, 9), random.uniform(-2, -1)
        maker = Maker()
        maker.body(Box((1, 1, 1)), kind=STATIC, sensor=True)
        maker.body(Sphere(0.25), (start, 0, 0), kind=KINEMATIC, velocity=(speed, 0, 0))
        enter, leave = events(maker, int(4 / speed / STEP))
        ends = [np.ceil((side * 0.75 - start) / speed / STEP) for side in (-1, 1)]
        assert (enter, leave) == ((True, ends[0]), (False, ends[1]))


def test_a_bar_that_spins_through_a_trigger() -> None:
    """Half a radian per step: it is never inside when a step ends."""
    maker = Maker()
    maker.body(Sphere(0.02), (0.9 * np.cos(0.23), 0, -0.9 * np.sin(0.23)), kind=STATIC, sensor=True)
    maker.body(Box((2, 0.01, 0.01)), kind=KINEMATIC, spin=(0, 30, 0))
    found = events(maker, 3)
    assert found == [(True, 1), (False, 1)]


def test_a_body_at_rest_against_a_trigger_does_not_flicker() -> None:
    """Flush with the floor, and beside it on the floor, exactly touching."""
    maker = Maker()
    maker.body(Box((9, 1, 9)), (0, -0.5, 0), kind=STATIC)
    maker.body(Box((1, 0.1, 1)), (0, -0.05, 0), kind=STATIC, sensor=True)
    maker.body(Box((1, 1, 1)), (1, 0.5, 0), kind=STATIC, sensor=True)
    body = maker.body(Box((1, 1, 1)), (0, 0.5, 0))
    engine = maker.start()
    run(engine, 3)
    found = [(each.a, each.started) for each in engine.overlaps() if each.b == body]
    assert found in ([], [(1, True)])


def test_a_ball_that_bounces_on_a_thin_trigger_enters_each_time() -> None:
    maker = Maker()
    maker.body(Box((9, 0.02, 9)), kind=STATIC, sensor=True)
    maker.body(Sphere(0.1), (0, 1, 0), turned=about((1, 2, 3), 1))
    assert [began for began, _ in events(maker, 60)] == [True, False]


def test_a_compound_trigger_hands_over_without_a_gap() -> None:
    maker = Maker()
    zone = maker.body(kind=STATIC)
    for i in range(3):
        maker.collider(Box((1, 1, 1)), zone, (i, 0, 0), sensor=True)
    maker.body(Sphere(0.2), (-1, 0, 0), velocity=(3, 0, 0), gravity=0)
    inside = 0
    for began, _ in events(maker, 90)[:-1]:
        inside += 1 if began else -1
        assert inside >= 1


def test_a_small_trigger_is_inside_the_closed_mesh_of_a_body() -> None:
    maker = Maker()
    maker.body(Sphere(0.05), kind=STATIC, sensor=True)
    maker.body(Mesh(CUBE, CUBE_TRIANGLES), (-2, 0, 0), velocity=(3, 0, 0), gravity=0)
    assert [began for began, _ in events(maker, 90)] == [True, False]


def test_a_jump_across_a_trigger_passes_nothing() -> None:
    maker = Maker()
    maker.body(Box((1, 1, 1)), kind=STATIC, sensor=True)
    ball = maker.body(Sphere(0.25), (-3, 0, 0), gravity=0)
    engine = maker.start()
    engine.step()
    engine.set_pose(ball, np.array([3.0, 0, 0]), np.array(UPRIGHT))
    engine.step()
    assert engine.overlaps() == []


def test_a_restored_run_reports_the_same_overlaps() -> None:
    def scene() -> Maker:
        maker = Maker()
        maker.body(Box((1, 1, 1)), kind=STATIC, sensor=True)
        for i in range(6):
            body = sized(list(SHAPES.values())[i], 0.3)
            maker.body(
                body, (-1 - 0.5 * i, 0.1 * i, 0), velocity=(3, 0, 0), gravity=0, spin=(1, 2, 3)
            )
        return maker

    plain, back = scene().start(), scene().start()
    for step in range(90):
        plain.step()
        back.step()
        if step % 7 == 0:
            saved = back.snapshot()
            back.step()
            back.restore(saved)
    assert len(found := plain.overlaps()) == 12
    assert back.overlaps() == found


def animated() -> tuple[Maker, int]:
    maker = Maker()
    zone = maker.body(kind=STATIC)
    trigger = maker.collider(Box((1, 1, 1)), zone, (-3, 0, 0), sensor=True)
    maker.body(Sphere(0.2), kind=STATIC)
    return maker, trigger


def test_a_trigger_that_is_animated_within_its_body() -> None:
    """Also in a run that came back while it moved."""
    for step_back in (None, 10, 40):
        maker, trigger = animated()
        engine = maker.start()
        for step in range(60):
            if step == step_back:
                saved = engine.snapshot()
                engine.place_collider(trigger, np.array([9.0, 0, 0]), np.array(UPRIGHT))
                engine.step()
                engine.restore(saved)
            place = np.array([-2.95 + 0.1 * step, 0, 0])
            engine.place_collider(trigger, place, np.array(UPRIGHT))
            engine.step()
        # At x = -0.65 after 24 steps, at 0.65 after 37, and apart one later.
        assert [(each.started, each.step) for each in engine.overlaps()] == [
            (True, 24),
            (False, 38),
        ]


def test_triggers_that_are_switched_off_and_resized() -> None:
    maker, trigger = animated()
    scene = maker.scene()
    tracker = OverlapTracker(scene)
    value = scene.colliders[trigger]
    poses = np.array([[*b.pose.translation, *b.pose.rotation] for b in scene.bodies])
    for step, size in enumerate((1.0, 5.5, 5.7, 0.0, 5.7, 1.0)):
        tracker.set_collider(trigger, dataclasses.replace(value, shape=Box((size, 1, 1))))
        tracker.update(step, poses)
    found = [(each.started, each.step) for each in tracker.take()]
    assert found == [(True, 2), (False, 3), (True, 4), (False, 5)]

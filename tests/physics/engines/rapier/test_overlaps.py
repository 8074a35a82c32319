"""Filters, triggers and contacts: what the engine lets meet, and what it reports."""

from __future__ import annotations

import numpy as np
import pytest

from ligament.extensions.rigid_bodies import CollisionFilter, MotionKind
from ligament.physics.engines import Overlap
from ligament.physics.engines.rapier import RapierEngine
from ligament.physics.filters import collide, compile_filters
from ligament.physics.scene import Frame, Joint
from tests.physics.engines.rapier.scenes import (
    CUBE,
    CUBE_TRIANGLES,
    DYNAMIC,
    KINEMATIC,
    STATIC,
    STEP,
    UPRIGHT,
    Box,
    Cylinder,
    Hull,
    Maker,
    Mesh,
    Sphere,
    mass,
    pose,
    run,
)

NOWHERE = (0.0, 0.0, 0.0)


def overlaps_of_run(engine: RapierEngine, steps: int) -> list[tuple[int, int, int, bool]]:
    """Run, and return (steps before, lower collider, higher collider, started) in order."""
    for _ in range(steps):
        engine.step()
    return [(step, *sorted((a, b)), started) for a, b, started, step in engine.overlaps()]


def systems(*names: str, **lists: list[str]) -> CollisionFilter:
    return CollisionFilter(
        frozenset(names), **{key: frozenset(value) for key, value in lists.items()}
    )


def test_filters_decide_who_meets() -> None:
    ground = systems("ground")
    maker = Maker()
    maker.ground(filter=ground)
    meets = maker.body(Sphere(0.2), (0, 1, 0), filter=systems("a", collide_with=["ground"]))
    passes = maker.body(Sphere(0.2), (3, 1, 0), filter=systems("a", not_collide_with=["ground"]))
    stays = maker.body(Sphere(0.2), (6, 1, 0))
    engine = maker.start()
    run(engine, 1)
    height = engine.state().translation[:, 1]
    assert height[[meets, stays]] == pytest.approx([0.2, 0.2], abs=1e-3)
    assert height[passes] < -3


def scattered(count: int, seed: int) -> list[CollisionFilter]:
    """Filters with random lists over 60 systems, which fit no 32 bits."""
    random = np.random.default_rng(seed)
    names = [str(i) for i in range(60)]
    filters = [
        systems(*random.choice(names, 2), collide_with=list(random.choice(names, 25)))
        for _ in range(count)
    ]
    assert not compile_filters(filters).exact.all()
    return filters


def test_sensors_beyond_the_masks_are_asked_about() -> None:
    *filters, probe = scattered(61, seed=5)
    maker = Maker()
    for each in filters:
        maker.body(Sphere(0.5), NOWHERE, kind=STATIC, filter=each, sensor=True)
    ball = maker.body(Sphere(0.2), NOWHERE, filter=probe, gravity=0)
    noticed = {a for _, a, b, _ in overlaps_of_run(maker.start(), 2) if b == ball}
    assert noticed == {i for i, each in enumerate(filters) if collide(each, probe)}


def test_solid_pairs_beyond_the_masks_are_asked_about() -> None:
    filters = scattered(60, seed=6)
    maker = Maker()
    for i, each in enumerate(filters):
        maker.body(Box((1, 1, 1)), (3 * i, -0.5, 0), kind=STATIC, filter=each)
        maker.body(Sphere(0.3), (3 * i, 0.5, 0), filter=filters[i - 1])
    engine = maker.start()
    run(engine, 0.5)
    rests = engine.state().translation[1::2, 1] > 0.29
    assert rests.tolist() == [collide(each, filters[i - 1]) for i, each in enumerate(filters)]


KINDS = {"dynamic": DYNAMIC, "kinematic": KINEMATIC, "static": STATIC}


@pytest.mark.parametrize("own", KINDS)
@pytest.mark.parametrize("other", KINDS)
def test_triggers_notice_every_kind_of_body(own: str, other: str) -> None:
    maker = Maker()
    trigger = maker.body(Box((1, 1, 1)), kind=KINDS[own], sensor=True, gravity=0)
    body = maker.body(Sphere(0.2), (0.3, 0, 0), kind=KINDS[other], gravity=0)
    engine = maker.start()
    assert overlaps_of_run(engine, 2) == [(0, trigger, body, True)]


def test_a_driven_trigger_notices_a_driven_body() -> None:
    maker = Maker()
    maker.body(Box((1, 1, 1)), driven=True, sensor=True)
    ball = maker.body(Sphere(0.2), (2.95, 0, 0), driven=True)
    engine = maker.start()
    for step in range(60):
        engine.drive_body(ball, np.array([2.95 - 0.1 * (step + 1), 0, 0]), np.array(UPRIGHT))
        engine.step()
    # It is at x = 0.65 after 23 steps and at x = -0.65 after 36.
    assert engine.overlaps() == [Overlap(0, 1, True, 23), Overlap(0, 1, False, 37)]


def test_times_of_enter_and_exit() -> None:
    """At a touch rounding may decide either way."""
    maker = Maker()
    maker.body(Box((1, 1, 1)), kind=STATIC, sensor=True)
    maker.body(Sphere(0.25), (-2, 0, 0), velocity=(3, 0, 0), gravity=0)
    engine = maker.start()
    (enter, *_, started), (leave, *_, ended) = overlaps_of_run(engine, 120)
    assert (started, ended) == (True, False)
    assert enter * STEP == pytest.approx((2 - 0.75) / 3, abs=1.01 * STEP)
    assert leave * STEP == pytest.approx((2 + 0.75) / 3, abs=1.01 * STEP)


def test_an_overlap_at_the_start_belongs_to_step_zero() -> None:
    maker = Maker()
    maker.body(Box((1, 1, 1)), kind=STATIC, sensor=True)
    maker.body(Sphere(0.25), gravity=0)
    assert overlaps_of_run(maker.start(), 5) == [(0, 0, 1, True)]


@pytest.mark.parametrize(
    "shape",
    [
        Mesh(CUBE, CUBE_TRIANGLES),
        Mesh(CUBE, CUBE_TRIANGLES[:, ::-1]),
        Mesh(CUBE[CUBE_TRIANGLES].reshape(-1, 3), np.arange(36).reshape(-1, 3)),
        Hull(CUBE),
        Cylinder(1, 0.5, 0.4),
    ],
    ids=["mesh", "inside out", "not welded", "hull", "frustum"],
)
def test_closed_shapes_notice_what_is_inside(shape: Mesh) -> None:
    maker = Maker()
    maker.body(shape, kind=STATIC, sensor=True)
    maker.body(Sphere(0.05), gravity=0)
    maker.body(Sphere(0.05), (0.7, 0, 0), gravity=0)
    assert overlaps_of_run(maker.start(), 2) == [(0, 0, 1, True)]


def test_open_surfaces_notice_what_crosses_them() -> None:
    maker = Maker()
    maker.body(Mesh(CUBE, CUBE_TRIANGLES[:-2]), kind=STATIC, sensor=True)
    maker.body(Sphere(0.05), gravity=0)
    maker.body(Sphere(0.05), (-0.5, 0, 0), gravity=0)
    assert overlaps_of_run(maker.start(), 2) == [(0, 0, 2, True)]


def test_contacts_are_reported_on_request() -> None:
    for contacts in (False, True):
        maker = Maker()
        maker.ground()
        maker.body(Sphere(0.25), (0, 0.3, 0))
        engine = maker.start(contacts=contacts)
        found = [event[1:] for event in overlaps_of_run(engine, 60)]
        assert found == ([(0, 1, True)] if contacts else [])


def test_a_jump_out_is_an_exit() -> None:
    maker = Maker()
    maker.body(Box((1, 1, 1)), kind=STATIC, sensor=True)
    ball = maker.body(Sphere(0.25), gravity=0)
    engine = maker.start()
    engine.step()
    engine.set_pose(ball, np.array([5.0, 0, 0]), np.array(UPRIGHT))
    engine.step()
    assert engine.overlaps() == [Overlap(0, 1, True, 0), Overlap(0, 1, False, 1)]


def crossing() -> RapierEngine:
    maker = Maker()
    maker.body(Box((1, 1, 1)), kind=STATIC, sensor=True)
    for i in range(4):
        maker.body(Sphere(0.25), (-1.5 - i, 0, 0), velocity=(3, 0, 0), gravity=0)
    maker.body(Box((9, 1, 1)), (0, -1, 0), kind=STATIC)
    return maker.start(contacts=True)


def test_overlaps_are_reported_once_and_for_the_current_state() -> None:
    plain, eager = crossing(), crossing()
    found = []
    for step in range(120):
        plain.step()
        eager.step()
        if step % 3 == 0:
            new = eager.overlaps()
            assert all(step - 2 < overlap.step <= step + 1 for overlap in new)
            assert eager.overlaps() == []
            found += new
    assert sorted(found + eager.overlaps()) == sorted(plain.overlaps())
    assert len(found) >= 8
    for one, other in zip(plain.state(), eager.state(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_overlaps_that_do_not_come_about_are_taken_back() -> None:
    """An event reported in advance is withdrawn if the body is moved before the step."""
    maker = Maker()
    maker.body(Box((1, 1, 1)), kind=STATIC, sensor=True)
    ball = maker.body(Sphere(0.25), gravity=0)
    engine = maker.start()
    assert engine.overlaps() == [Overlap(0, 1, True, 0)]
    engine.set_pose(ball, np.array([5.0, 0, 0]), np.array(UPRIGHT))
    engine.step()
    assert engine.overlaps() == [Overlap(0, 1, False, 0)]


def joint(a: int, b: int, ignores: tuple[tuple[int, int], ...]) -> Joint:
    frames = [Frame(node=0, body=body, pose=pose()) for body in (a, b)]
    return Joint(node=0, a=frames[0], b=frames[1], limits=(), drives=(), ignores=ignores)


@pytest.mark.parametrize("kind", [DYNAMIC, KINEMATIC, STATIC])
def test_ignored_pairs_do_not_collide(kind: MotionKind) -> None:
    """Also where the joint that says so holds other bodies; sensors notice all the same."""
    for ignores in ((), ((1, 2),)):
        maker = Maker()
        far = maker.body(weight=mass(1), at=(0, 9, 0), gravity=0)
        block = maker.body(Box((1, 1, 1)), kind=kind, gravity=0, weight=mass(1e3))
        maker.collider(Box((1.5, 1.5, 1.5)), block, sensor=True)
        ball = maker.body(Sphere(0.2), (-2, 0.1, 0), velocity=(4, 0, 0), gravity=0)
        maker.joints.append(joint(far, ball, ignores))
        engine = maker.start()
        events = overlaps_of_run(engine, 60)
        x = engine.state().translation[ball, 0]
        assert (x > 1.9) == bool(ignores)
        assert [e[1:] for e in events][:1] == [(1, 2, True)]


def test_overlaps_within_one_body_are_not_reported() -> None:
    maker = Maker()
    body = maker.body(Sphere(0.5), gravity=0)
    maker.collider(Sphere(0.5), body, sensor=True)
    assert overlaps_of_run(maker.start(contacts=True), 3) == []


def test_many_shapes_of_one_trigger() -> None:
    maker = Maker()
    zone = maker.body(kind=STATIC)
    for i in range(3):
        maker.collider(Box((1, 1, 1)), zone, (i, 0, 0), sensor=True)
    maker.body(Sphere(0.2), (-1, 0, 0), velocity=(3, 0, 0), gravity=0)
    assert [event[1] for event in overlaps_of_run(maker.start(), 90) if event[3]] == [0, 1, 2]

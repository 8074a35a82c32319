"""Plans of joints: the engine's share, and the share of constraint rows."""

import math

import pytest

from ligament.extensions.rigid_bodies import Drive, Limit
from ligament.physics.engines.poses import IDENTITY
from ligament.physics.engines.rapier.joints.plan import OPEN_RANGE, RowKind, make_plan
from tests.physics.engines.rapier.joined import BALL, WELD, hinge, slider


def kinds(plan):
    return [row.kind for row in plan.rows]


def test_locks_stand_in_one_part():
    for limits, locked in (
        (WELD, {0, 1, 2, 3, 4, 5}),
        (BALL, {0, 1, 2}),
        (hinge(1), {0, 1, 2, 3, 5}),
    ):
        plan = make_plan(limits)
        assert [spec.locked for spec in plan.specs] == [locked]
        assert not plan.rows


def test_equal_bounds_lock_an_axis_aside():
    (spec,) = make_plan(slider(1, minimum=0.3, maximum=0.3)).specs
    assert spec.locked == {0, 1, 2, 3, 4, 5}
    assert spec.offset == (0.0, 0.3, 0.0)


def test_a_range_is_a_distance_from_its_middle():
    (spec,) = make_plan(slider(0, minimum=-0.2, maximum=0.6)).specs
    assert spec.offset == pytest.approx((0.2, 0, 0))
    assert spec.ranges == ((0, pytest.approx(-0.4), pytest.approx(0.4)),)
    assert spec.coupled == (0,)


def test_a_range_with_one_bound_gets_a_window():
    plan = make_plan(slider(0, maximum=0.5))
    assert plan.specs[0].offset == pytest.approx((0.5 - OPEN_RANGE / 2, 0, 0))
    assert not plan.rows


def test_only_one_distance_fits_a_part():
    ranges = tuple(Limit(linear_axes=(i,), minimum=-1.0, maximum=1.0) for i in range(3))
    plan = make_plan((Limit(angular_axes=(0, 1, 2), minimum=0.0, maximum=0.0), *ranges))
    assert [spec.coupled for spec in plan.specs] == [(0,), (1,), (2,)]
    assert plan.specs[0].locked == {3, 4, 5}


def test_a_distance_is_not_measured_from_a_shifted_frame():
    aside = Limit(linear_axes=(0,), minimum=0.4, maximum=0.4)
    plan = make_plan((aside, Limit(linear_axes=(0, 1, 2), maximum=1.0)))
    assert [spec.coupled for spec in plan.specs] == [(), (0, 1, 2)]
    assert plan.specs[1].offset == (0.0, 0.0, 0.0)


def test_the_angle_of_a_hinge_is_left_to_the_engine():
    plan = make_plan(hinge(2, minimum=-1.0, maximum=2.0))
    assert plan.specs[0].ranges == ((5, -1.0, 2.0),)
    assert not plan.rows


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        (Limit(angular_axes=(0,), minimum=-1.0, maximum=1.0), [RowKind.ANGLE]),
        (Limit(angular_axes=(0, 1), maximum=1.0), []),
        (Limit(angular_axes=(0, 1, 2), maximum=1.0), [RowKind.ANGLE]),
        (Limit(angular_axes=(0, 1, 2), minimum=0.5), [RowKind.ANGLE]),
        (Limit(linear_axes=(0, 1, 2), minimum=0.5, maximum=1.0), [RowKind.DISTANCE]),
        (Limit(linear_axes=(0, 1), minimum=0.5, maximum=0.5), [RowKind.DISTANCE]),
        (Limit(linear_axes=(0, 1), maximum=0.5), []),
        (Limit(linear_axes=(0,), stiffness=5.0, maximum=1.0), [RowKind.SPRING]),
        (Limit(angular_axes=(0,), stiffness=5.0, maximum=1.0), [RowKind.SPRING]),
    ],
)
def test_rows_by_kind_of_limit(limit, expected):
    assert kinds(make_plan((limit,))) == expected


def test_limits_that_nothing_can_break_are_left_out():
    endless = (
        Limit(angular_axes=(0, 1), maximum=math.pi),
        Limit(angular_axes=(0, 1, 2), maximum=4.0),
        Limit(linear_axes=(0, 1, 2), minimum=-1.0),
        Limit(linear_axes=(1,)),
        Limit(linear_axes=(1,), stiffness=3.0),
    )
    plan = make_plan(endless)
    assert not plan.rows
    assert all(not spec.locked and not spec.ranges for spec in plan.specs)


def test_locked_axes_need_no_range_spring_or_drive():
    more = (
        Limit(linear_axes=(0,), minimum=-1.0, maximum=1.0),
        Limit(linear_axes=(0, 1), maximum=1.0, stiffness=3.0),
    )
    motor = Drive(type="linear", mode="force", axis=1, stiffness=3.0)
    plan = make_plan((*WELD, *more), (motor,))
    assert not plan.rows
    assert len(plan.specs) == 1


def test_bounds_that_exclude_each_other_meet_in_the_middle():
    apart = (
        Limit(linear_axes=(0,), minimum=1.0, maximum=2.0),
        Limit(linear_axes=(0,), minimum=3.0, maximum=4.0),
    )
    (spec,) = make_plan(apart).specs
    assert spec.locked == {0}
    assert spec.offset == (2.5, 0.0, 0.0)


def test_two_twists_at_angles_have_frames_of_their_own():
    limits = (
        Limit(angular_axes=(0,), minimum=0.4, maximum=0.4),
        Limit(angular_axes=(1,), minimum=-0.4, maximum=-0.4),
    )
    base, first, second = make_plan((*BALL, *limits)).specs
    assert base.locked == {0, 1, 2}
    assert base.rotation == IDENTITY
    assert first.rotation == pytest.approx((math.sin(0.2), 0, 0, math.cos(0.2)))
    assert second.rotation == pytest.approx((0, -math.sin(0.2), 0, math.cos(0.2)))


def test_a_motor_about_a_hinge_needs_no_aim_but_one_about_a_ball_does():
    motor = Drive(type="angular", mode="force", axis=2, stiffness=3.0)
    assert make_plan(hinge(2), (motor,)).rows[0].engine_axis == 5
    assert make_plan(BALL, (motor,)).rows[0].engine_axis is None

"""What the engine is asked to do for a joint, and what is left to rows."""

import math

import pytest

from ligament.extensions.declarations import Drive, Limit
from ligament.physics.engines.rapier.joints.plan import NO_TURN, WINDOW, Role, make_plan
from tests.physics.engines.rapier.joined import BALL, WELD, hinge, slider


def roles(plan):
    return [row.role for row in plan.rows]


def test_locks_stand_in_one_part():
    for limits, locked in (
        (WELD, {0, 1, 2, 3, 4, 5}),
        (BALL, {0, 1, 2}),
        (hinge(1), {0, 1, 2, 3, 5}),
    ):
        plan = make_plan(limits)
        assert [part.locked for part in plan.parts] == [locked]
        assert not plan.rows


def test_equal_bounds_lock_an_axis_aside():
    (part,) = make_plan(slider(1, minimum=0.3, maximum=0.3)).parts
    assert part.locked == {0, 1, 2, 3, 4, 5}
    assert part.shift == (0.0, 0.3, 0.0)


def test_a_range_is_a_distance_from_its_middle():
    (part,) = make_plan(slider(0, minimum=-0.2, maximum=0.6)).parts
    assert part.shift == pytest.approx((0.2, 0, 0))
    assert part.ranges == ((0, pytest.approx(-0.4), pytest.approx(0.4)),)
    assert part.coupled == (0,)


def test_a_range_with_one_bound_gets_a_window():
    plan = make_plan(slider(0, maximum=0.5))
    assert plan.parts[0].shift == pytest.approx((0.5 - WINDOW / 2, 0, 0))
    assert roles(plan) == [Role.WINDOW]


def test_only_one_distance_fits_a_part():
    ranges = tuple(Limit(linear_axes=(i,), minimum=-1.0, maximum=1.0) for i in range(3))
    plan = make_plan((Limit(angular_axes=(0, 1, 2), minimum=0.0, maximum=0.0), *ranges))
    assert [part.coupled for part in plan.parts] == [(0,), (1,), (2,)]
    assert all(part.locked == {3, 4, 5} for part in plan.parts)


def test_a_distance_is_not_measured_from_a_shifted_frame():
    aside = Limit(linear_axes=(0,), minimum=0.4, maximum=0.4)
    plan = make_plan((aside, Limit(linear_axes=(0, 1, 2), maximum=1.0)))
    assert [part.coupled for part in plan.parts] == [(), (0, 1, 2)]
    assert plan.parts[1].shift == (0.0, 0.0, 0.0)


def test_the_angle_of_a_hinge_is_left_to_the_engine():
    plan = make_plan(hinge(2, minimum=-1.0, maximum=2.0))
    assert plan.parts[0].ranges == ((5, -1.0, 2.0),)
    assert roles(plan) == [Role.LANDING]


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        (Limit(angular_axes=(0,), minimum=-1.0, maximum=1.0), [Role.HARD]),
        (Limit(angular_axes=(0, 1), maximum=1.0), [Role.LANDING]),
        (Limit(angular_axes=(0, 1, 2), maximum=1.0), [Role.TOTAL, Role.LANDING]),
        (Limit(angular_axes=(0, 1, 2), minimum=0.5), [Role.HARD]),
        (Limit(linear_axes=(0, 1, 2), minimum=0.5, maximum=1.0), [Role.ROD]),
        (Limit(linear_axes=(0, 1), minimum=0.5, maximum=0.5), [Role.ROD]),
        (Limit(linear_axes=(0, 1), maximum=0.5), []),
        (Limit(linear_axes=(0,), stiffness=5.0, maximum=1.0), [Role.SOFT]),
        (Limit(angular_axes=(0,), stiffness=5.0, maximum=1.0), [Role.SOFT]),
    ],
)
def test_rows_by_kind_of_limit(limit, expected):
    assert roles(make_plan((limit,))) == expected


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
    assert all(not part.locked and not part.ranges for part in plan.parts)


def test_what_is_locked_needs_no_range_spring_or_drive():
    more = (
        Limit(linear_axes=(0,), minimum=-1.0, maximum=1.0),
        Limit(linear_axes=(0, 1), maximum=1.0, stiffness=3.0),
    )
    motor = Drive(type="linear", mode="force", axis=1, stiffness=3.0)
    plan = make_plan((*WELD, *more), (motor,))
    assert not plan.rows
    assert len(plan.parts) == 1


def test_bounds_that_exclude_each_other_meet_in_the_middle():
    apart = (
        Limit(linear_axes=(0,), minimum=1.0, maximum=2.0),
        Limit(linear_axes=(0,), minimum=3.0, maximum=4.0),
    )
    (part,) = make_plan(apart).parts
    assert part.locked == {0}
    assert part.shift == (2.5, 0.0, 0.0)


def test_a_cone_too_narrow_for_the_engine_is_locked():
    (part,) = make_plan((*BALL, Limit(angular_axes=(0, 1), maximum=5e-4))).parts
    assert part.locked == {0, 1, 2, 3, 4}


def test_two_twists_at_angles_have_frames_of_their_own():
    limits = (
        Limit(angular_axes=(0,), minimum=0.4, maximum=0.4),
        Limit(angular_axes=(1,), minimum=-0.4, maximum=-0.4),
    )
    base, first, second = make_plan((*BALL, *limits)).parts
    assert base.locked == {0, 1, 2}
    assert base.turn == NO_TURN
    assert first.turn == pytest.approx((math.sin(0.2), 0, 0, math.cos(0.2)))
    assert second.turn == pytest.approx((0, -math.sin(0.2), 0, math.cos(0.2)))


def test_a_motor_about_a_hinge_needs_no_aim_but_one_about_a_ball_does():
    motor = Drive(type="angular", mode="force", axis=2, stiffness=3.0)
    assert make_plan(hinge(2), (motor,)).rows[0].engine_axis == 5
    assert make_plan(BALL, (motor,)).rows[0].engine_axis is None

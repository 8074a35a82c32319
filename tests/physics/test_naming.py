"""Names of joints against those that their makers gave them."""

import dataclasses
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ligament.extensions.rigid_bodies import Drive, Limit
from ligament.physics import naming
from ligament.physics.naming import friendly_name, joint_name


def along(*axes, low=0.0, high=0.0, **more):
    return Limit(linear_axes=axes, minimum=low, maximum=high, **more)


def about(*axes, low=0.0, high=0.0, **more):
    return Limit(angular_axes=axes, minimum=low, maximum=high, **more)


def one_by_one(limits):
    """The same locks written as one limit for each axis, as OMI joints and some exporters do."""
    return [
        make(axis, low=limit.minimum, high=limit.maximum)
        for limit in limits
        for make, axes in ((along, limit.linear_axes), (about, limit.angular_axes))
        for axis in axes
    ]


HELD, WELDED = along(0, 1, 2), about(0, 1, 2)
LOCKS = [
    ("fixed", [HELD, WELDED]),
    ("hinge", [HELD, about(1, 2)]),
    ("hinge", [HELD, about(0, 1)]),
    ("universal", [HELD, about(1)]),
    ("ball", [HELD]),
    ("slider", [along(0, 2), WELDED]),
    ("cylindrical", [along(0, 2), about(0, 2)]),
    ("pin-slot", [along(0, 2), about(1, 2)]),
    ("planar", [along(1), about(0, 2)]),
    ("planar", [along(1), WELDED]),
    ("six-axis", [along(1), about(1, 2)]),
    ("six-axis", [along(0, 2)]),
    ("six-axis", [WELDED]),
    ("free", []),
]


@pytest.mark.parametrize(("name", "limits"), LOCKS)
def test_free_axes_name_the_joint(name, limits):
    assert friendly_name(limits) == name
    assert friendly_name(one_by_one(limits)) == name


@pytest.mark.parametrize(
    ("name", "limits"),
    [
        ("hinge (limited)", [HELD, about(0, 2), about(1, low=-0.5, high=1.0)]),
        ("slider (limited)", [along(0, 2), WELDED, along(1, high=0.5, low=-math.inf)]),
        ("universal (limited)", [HELD, about(1), *(about(i, low=-0.7, high=0.7) for i in (0, 2))]),
        ("ball (limited)", [HELD, about(0, 1, 2, high=0.6)]),
        ("ball (limited)", [HELD, about(1, low=-0.4, high=0.4)]),
        ("cone-twist", [HELD, about(0, 2, low=0.3, high=0.8)]),
        ("cone-twist", [HELD, about(1, low=-0.2, high=0.5), about(0, 2, high=0.7)]),
        ("cone-twist (spring)", [HELD, about(0, 2, high=0.7, stiffness=9.0)]),
        ("universal (limited)", [HELD, about(1), about(0, 2, high=0.7)]),
        ("rope", [along(0, 1, 2, high=2.0)]),
        ("rope", [along(0, 1, 2, high=2.0, low=-math.inf)]),
        ("rope (spring)", [along(0, 1, 2, high=1.0, stiffness=100.0)]),
        ("distance", [along(0, 1, 2, low=1.0, high=1.0)]),
        ("distance", [along(0, 1, 2, low=0.5, high=1.0)]),
        ("distance", [along(0, 1, 2, low=0.5, high=math.inf)]),
        ("spring", [along(0, 1, 2, low=1.0, high=1.0, stiffness=200.0)]),
        ("six-axis (limited)", [along(0, 1, 2, high=2.0), about(1, low=-1.0, high=1.0)]),
        ("six-axis (limited)", [along(i, low=-0.25, high=0.25) for i in range(3)]),
        ("six-axis (limited)", [along(0, 2, high=1.0), along(1)]),
    ],
)
def test_bounds_that_leave_room(name, limits):
    assert friendly_name(limits) == name


@pytest.mark.parametrize(
    ("name", "limits"),
    [
        ("slider (spring)", [along(0, 2), WELDED, along(1, stiffness=100.0, damping=10.0)]),
        ("slider (spring)", [along(0, 2), WELDED, along(1, low=-1, high=1, stiffness=9.0)]),
        (
            "slider (limited, spring)",
            [along(0, 2), WELDED, along(1, low=-1, high=1), along(1, stiffness=9.0)],
        ),
        ("ball (soft)", [along(0, 1, 2, stiffness=50.0)]),
        ("ball (soft)", [along(i, stiffness=0.3) for i in range(3)]),
        ("hinge (soft)", [along(0, 1, 2, stiffness=0.3), about(0, 1, stiffness=0.3)]),
        (
            "slider (spring, soft)",
            [
                along(0, low=-1.75, high=0.25, stiffness=1.0),
                along(1, 2, stiffness=1.0),
                about(0, 1, 2, stiffness=1.0),
            ],
        ),
        ("hinge", [HELD, about(0, 2), about(1, stiffness=0.0, damping=5.0)]),
    ],
)
def test_soft_limits(name, limits):
    assert friendly_name(limits) == name


def motor(kind, axis, **more):
    gains = {"damping": 2.0, **more}
    return Drive(type=kind, mode="force", axis=axis, **gains)


@pytest.mark.parametrize(
    ("name", "drive"),
    [
        ("hinge (motor)", motor("angular", 1)),
        ("hinge (motor)", motor("angular", 1, stiffness=10.0, damping=0.0)),
        ("hinge (motor)", motor("angular", 1, max_force=15.0)),
        ("hinge", motor("angular", 1, damping=0.0)),
        ("hinge", motor("angular", 1, max_force=0.0)),
        ("hinge", motor("angular", 0)),
        ("hinge", motor("linear", 1)),
    ],
)
def test_a_motor_needs_a_gain_a_force_and_a_free_axis(name, drive):
    assert friendly_name([HELD, about(0, 2)], [drive]) == name


RANGE = {"low": -0.5, "high": 0.5}
SLIDE = along(0, low=-1.0, high=1.0)


@pytest.mark.parametrize(
    ("name", "limits"),
    [
        ("slider (limited)", [SLIDE, along(1, 2), about(1, 2), about(0, **RANGE)]),
        ("slider (limited)", [along(1, 2), about(1, 2), about(0, **RANGE)]),
        ("slider (spring)", [along(1, 2), about(1, 2), about(0, **RANGE, stiffness=9.0)]),
        ("cylindrical", [along(1, 2), about(1, 2)]),
        ("cylindrical (limited)", [SLIDE, along(1, 2), about(1, 2)]),
        ("cylindrical (limited)", [along(1, 2), about(1, 2), about(0, low=0, high=math.inf)]),
        ("pin-slot (limited)", [along(1, 2), about(0, 2), about(1, **RANGE)]),
    ],
)
def test_a_slider_with_an_angular_range_is_still_a_slider(name, limits):
    """As in the chart of OMI_physics_joint; what rotates freely is cylindrical."""
    assert friendly_name(limits) == name


@pytest.mark.parametrize(
    ("khr", "omi", "limits"),
    [
        ("ball", "pin", [HELD]),
        ("ball (limited)", "pin (limited)", [HELD, *(about(i, **RANGE) for i in range(3))]),
        ("cone-twist", "pin (limited)", [HELD, about(0, 1, high=0.5)]),
        ("ball (soft)", "pin (soft)", [along(0, 1, 2, stiffness=9.0)]),
        ("hinge", "hinge", [HELD, about(1, 2)]),
        ("slider (limited)", "slider (limited)", [SLIDE, along(1, 2), WELDED]),
        ("fixed", "fixed", [HELD, WELDED]),
    ],
)
def test_a_pin_of_omi_is_still_a_pin(khr, omi, limits):
    for extension, name in (("KHR_physics_rigid_bodies", khr), ("OMI_physics_joint", omi)):
        pointer = f"/extensions/{extension}/physicsJoints/0/limits/0"
        assert joint_name([dataclasses.replace(limit, pointer=pointer) for limit in limits]) == name


def test_words_come_in_order():
    limits = [HELD, about(0, 2), about(1, low=-1.0, high=1.0)]
    assert friendly_name(limits, [motor("angular", 1)]) == "hinge (limited, motor)"


def test_a_drive_between_free_frames():
    assert friendly_name([], [motor("linear", 1)]) == "free (motor)"


def test_locks_may_have_any_value_along_one_axis():
    """The pendulum of the conformance files hangs 1 m from its axle."""
    assert friendly_name([along(0, low=1.0, high=1.0), along(1, 2), about(1, 2)]) == "hinge"


def test_two_limits_can_lock_together():
    halves = [about(1, low=0.0, high=math.inf), about(1, low=-math.inf, high=0.0)]
    assert friendly_name([HELD, about(0, 2)]) == "hinge"
    assert friendly_name([HELD, about(0, 2), *halves]) == "fixed"


@pytest.mark.parametrize(
    "limit",
    [
        along(0, low=-math.inf, high=math.inf),
        along(0, 1, 2, low=-1.0, high=math.inf),
        about(0, 1, high=math.pi),
        about(0, 1, 2, low=-math.inf, high=4.0),
        along(0, stiffness=0.0, damping=3.0),
        Limit(),
    ],
)
def test_bounds_that_hold_nothing_change_nothing(limit):
    assert friendly_name([limit]) == "free"
    assert friendly_name([HELD, about(1, 2), limit]) == "hinge"


def test_nan_limits_bound_nothing():
    assert friendly_name([along(0, low=math.nan, high=math.nan)]) == "free"


numbers = st.floats(allow_nan=False) | st.sampled_from([0.0, 1.0, -math.inf, math.inf])
axes = st.lists(st.integers(-1, 3), max_size=4).map(tuple)
limits = st.builds(
    Limit,
    linear_axes=axes,
    angular_axes=axes,
    minimum=numbers,
    maximum=numbers,
    stiffness=numbers,
    damping=numbers,
)
drives = st.builds(
    Drive,
    type=st.sampled_from(["linear", "angular"]),
    mode=st.just("force"),
    axis=st.integers(-1, 3),
    max_force=numbers,
    stiffness=numbers,
    damping=numbers,
)


@given(st.lists(limits, max_size=6), st.lists(drives, max_size=3))
def test_every_joint_has_a_name_of_the_table(limits, drives):
    name, _, words = friendly_name(limits, drives).partition(" (")
    assert f"\n| {name}" in naming.__doc__
    for word in words.removesuffix(")").split(", ") if words else []:
        assert f"\n| {word} " in naming.__doc__


@given(st.lists(limits, max_size=5), st.randoms())
def test_the_order_of_limits_does_not_matter(limits, chance):
    shuffled = chance.sample(limits, len(limits))
    assert friendly_name(shuffled) == friendly_name(limits)

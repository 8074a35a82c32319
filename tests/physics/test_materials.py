"""Pairs of materials against the table of modes, written out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ligament.extensions.rigid_bodies import Combine, Material
from ligament.physics.materials import DEFAULT, STICK_SPEED, Surface, combine, strongest

AVERAGE, MINIMUM, MAXIMUM, MULTIPLY = Combine
MODES = (*Combine, None)

# Row: mode of one, column: mode of the other. An absent mode leaves the decision to the other.
TABLE = {
    AVERAGE: (AVERAGE, AVERAGE, AVERAGE, AVERAGE, AVERAGE),
    MINIMUM: (AVERAGE, MINIMUM, MINIMUM, MINIMUM, MINIMUM),
    MAXIMUM: (AVERAGE, MINIMUM, MAXIMUM, MAXIMUM, MAXIMUM),
    MULTIPLY: (AVERAGE, MINIMUM, MAXIMUM, MULTIPLY, MULTIPLY),
    None: (AVERAGE, MINIMUM, MAXIMUM, MULTIPLY, MAXIMUM),
}

numbers = st.floats(0, 1e6)
modes = st.sampled_from(MODES)
materials = st.builds(Material, numbers, numbers, numbers, modes, modes)


@pytest.mark.parametrize("one", MODES)
def test_the_strongest_mode_present_decides(one):
    assert tuple(strongest(one, other) for other in MODES) == TABLE[one]


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        (AVERAGE, Surface(0.5, 0.375, 0.25)),
        (MINIMUM, Surface(0.25, 0.25, 0.0)),
        (MAXIMUM, Surface(0.75, 0.5, 0.5)),
        (MULTIPLY, Surface(0.1875, 0.125, 0.0)),
        (None, Surface(0.75, 0.5, 0.5)),
    ],
)
def test_each_mode_combines_like_with_like(mode, expected):
    a = Material(0.75, 0.5, 0.5, mode, mode)
    b = Material(0.25, 0.25, 0.0, mode, mode)
    # All figures are exact in binary, so that equality is fair.
    assert combine(a, b) == expected


def test_friction_and_restitution_are_decided_apart():
    a = Material(0.75, 0.5, 0.5, friction_combine=MULTIPLY, restitution_combine=AVERAGE)
    b = Material(0.25, 0.25, 0.25, friction_combine=None, restitution_combine=MULTIPLY)
    assert combine(a, b) == Surface(0.1875, 0.125, 0.375)


def test_a_floor_without_a_mode_leaves_the_choice_to_what_lies_on_it():
    """The published sample: two spheres that differ in the mode alone must roll differently."""
    floor = Material(0.5, 0.5)
    frictions = {
        mode: combine(floor, Material(0.0, 0.0, friction_combine=mode)).dynamic_friction
        for mode in Combine
    }
    assert frictions == {AVERAGE: 0.25, MINIMUM: 0.0, MAXIMUM: 0.5, MULTIPLY: 0.0}


def test_nothing_said_is_the_default_of_the_schema():
    assert combine(DEFAULT, DEFAULT) == Surface(0.6, 0.6, 0.0)


def test_static_friction_below_dynamic_stays_as_written():
    odd = Material(0.1, 0.9)
    assert combine(odd, odd) == Surface(0.1, 0.9, 0.0)


def test_friction_changes_at_the_sticking_speed():
    surface = Surface(0.9, 0.3, 0.0)
    assert surface.friction(0.0) == surface.friction(0.0199) == 0.9
    assert surface.friction(STICK_SPEED) == surface.friction(5.0) == 0.3


@given(materials, materials)
def test_the_order_of_a_pair_does_not_matter(a, b):
    assert combine(a, b) == combine(b, a)


@given(materials, materials)
def test_values_lie_between_those_of_the_pair_unless_they_are_multiplied(a, b):
    surface = combine(a, b)
    if strongest(a.friction_combine, b.friction_combine) is not MULTIPLY:
        for mixed, one, other in zip(surface[:2], _frictions(a), _frictions(b), strict=True):
            assert min(one, other) <= mixed <= max(one, other)


def _frictions(material):
    return material.static_friction, material.dynamic_friction

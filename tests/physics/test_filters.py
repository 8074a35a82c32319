"""Masks against the rule that they stand for, pair by pair."""

import itertools
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ligament.extensions.rigid_bodies import CollisionFilter
from ligament.physics.filters import collide, compile_filters


def make(systems="", only=None, but=None):
    """A filter whose systems are single letters: `only` are met, `but` are not."""
    return CollisionFilter(
        frozenset(systems),
        None if only is None else frozenset(only),
        None if but is None else frozenset(but),
    )


def by_rule(filters):
    return np.array([[collide(a, b) for b in filters] for a in filters], bool).reshape(
        len(filters), len(filters)
    )


def by_masks(masks):
    there = (masks.memberships[:, None] & masks.filters) != 0
    return there & there.T


def assert_right(filters):
    """Compile, and compare every pair; returns the masks for more questions."""
    masks, expected = compile_filters(filters), by_rule(filters)
    assert masks.memberships.dtype == masks.filters.dtype == np.uint32
    both = masks.exact[:, None] & masks.exact
    np.testing.assert_array_equal(by_masks(masks)[both], expected[both])
    # A hook can only refuse: whatever collides must come through.
    assert by_masks(masks)[expected].all()
    np.testing.assert_array_equal(
        masks.matrix[np.ix_(masks.classes, masks.classes)], expected, strict=True
    )
    return masks


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (None, None, True),
        (None, make("a", but="a"), True),
        (make("a"), make("b"), True),
        # One list: one shared system is enough.
        (make("ab"), make("b", only="b"), True),
        (make("a"), make("b", only="b"), False),
        (make("a"), make("b", only=""), False),
        # The other: one foreign system is enough.
        (make("ab"), make("c", but="a"), True),
        (make("ab"), make("c", but="ab"), False),
        (make("a"), make("b", but=""), True),
        # A collider in no system is accepted, but its own filter counts.
        (make(), make("a", only=""), True),
        (make(only="b"), make("a"), False),
        (make(but="a"), make("a"), False),
        (make(but="a"), None, True),
        # Both directions count.
        (make("a", only="b"), make("b", only="a"), True),
        (make("a", only="b"), make("b", only="c"), False),
        (make("a", only="c"), make("b", only="a"), False),
        # Both lists at once, which is not valid: both must accept.
        (make("a"), make("b", only="a", but="c"), True),
        (make("a"), make("b", only="a", but="a"), False),
        (make("ac"), make("b", only="a", but="a"), True),
        (make("c"), make("b", only="a", but="a"), False),
    ],
)
def test_a_pair_collides_by_the_rule(a, b, expected):
    assert collide(a, b) is expected
    assert collide(b, a) is expected


@given(st.frozensets(st.sampled_from("abcd")), st.frozensets(st.sampled_from("abcd"), min_size=1))
def test_one_list_is_the_inverse_of_the_other(listed, systems):
    rest = frozenset("abcd") - listed
    other = CollisionFilter(systems)
    assert collide(CollisionFilter(collide_with=listed), other) is collide(
        CollisionFilter(not_collide_with=rest), other
    )


def test_published_sample_of_a_ground_in_two_systems():
    """Taken literally (all systems must be listed) both bodies would fall through the ground."""
    ground, first, second = make("01"), make("0", only="0"), make("1", only="1")
    masks = assert_right([ground, first, second])
    assert masks.meet(0, 1)
    assert masks.meet(0, 2)
    assert not masks.meet(1, 2)


def names(count):
    return [f"s{i}" for i in range(count)]


def lists(systems):
    return st.none() | st.frozensets(st.sampled_from(systems), max_size=6)


@st.composite
def scenes(draw):
    systems = names(draw(st.integers(1, 45)))
    one = st.builds(
        CollisionFilter,
        st.frozensets(st.sampled_from(systems), max_size=4),
        lists(systems),
        lists(systems) if draw(st.booleans()) else st.none(),
    )
    return draw(st.lists(st.none() | one, max_size=70))


@given(scenes())
def test_bit_masks_decide_as_the_rule_for_random_systems(filters):
    assert_right(filters)


@pytest.mark.parametrize("seed", range(12))
def test_bit_masks_decide_as_the_rule_for_many_random_systems(seed):
    """More classes than bits, with every kind of list."""
    chance = random.Random(seed)
    systems = names(chance.choice([8, 31, 32, 64]))

    def some(most):
        return frozenset(chance.sample(systems, chance.randint(0, min(most, len(systems)))))

    filters = [
        CollisionFilter(
            some(3),
            some(20) if chance.random() < 0.5 else None,
            some(5) if chance.random() < (0.5 if seed % 2 else 0.0) else None,
        )
        for _ in range(chance.randint(33, 120))
    ]
    assert len(assert_right(filters).matrix) > 32


def own_team(i):
    return CollisionFilter(frozenset({f"t{i}"}), not_collide_with=frozenset({f"t{i}"}))


@pytest.mark.parametrize("teams", [2, 32, 33, 200])
def test_not_my_own_team(teams):
    masks = assert_right([own_team(i) for i in range(teams)])
    assert masks.exact.all()
    assert len(masks.matrix) == teams


def test_own_teams_on_a_ground_with_ghosts_among_them():
    """Colliders that meet everything or nothing do not disturb the teams."""
    ghosts = CollisionFilter(frozenset({"ghost"}), collide_with=frozenset())
    masks = assert_right([None, *(own_team(i) for i in range(100)), ghosts, None, ghosts])
    assert masks.exact.all()


def test_players_and_shots_of_many_teams():
    """Nobody meets the own team, and shots do not meet shots."""
    teams = [f"t{i}" for i in range(60)]
    players = [own_team(i) for i in range(60)]
    shots = [CollisionFilter(frozenset({"shot"}), frozenset(teams) - {team}) for team in teams]
    masks = assert_right([*players, *shots])
    assert masks.exact.all()
    assert len(masks.matrix) > 32


def test_few_systems_fit_however_many_rules_there_are():
    chance = random.Random(7)
    filters = [
        CollisionFilter(
            frozenset(chance.sample(names(31), 2)), frozenset(chance.sample(names(31), 10))
        )
        for _ in range(300)
    ]
    masks = assert_right(filters)
    assert len(masks.matrix) > 32
    assert masks.exact.all()


def test_systems_that_nothing_distinguishes_share_a_bit():
    """Of 400 systems only 8 are ever listed, in any of 2⁸ ways."""
    ways = list(itertools.product([False, True], repeat=8))
    filters = [
        CollisionFilter(
            frozenset({f"only{i}", f"s{i % 8}"}),
            frozenset(f"s{k}" for k, on in enumerate(way) if on),
        )
        for i, way in enumerate(ways)
    ]
    masks = assert_right(filters)
    assert len(masks.matrix) > 32
    assert masks.exact.all()


def scattered(count, seed=3):
    """Filters without any structure, over more systems than there are bits."""
    chance = random.Random(seed)
    systems = names(60)
    return [
        CollisionFilter(frozenset(chance.sample(systems, 2)), frozenset(chance.sample(systems, 15)))
        for _ in range(count)
    ]


def test_filters_beyond_the_masks_are_marked_and_answered_exactly():
    masks = assert_right(scattered(60))
    assert 30 <= masks.exact.sum() < 60


def test_the_filters_of_many_colliders_are_the_ones_kept():
    filters = scattered(60)
    common = filters[40:]
    masks = assert_right([*filters, *common * 30])
    assert masks.exact[40:].all()
    assert not masks.exact.all()


def test_left_out_filters_are_let_through_to_those_that_they_meet_only():
    """Something that meets nobody costs no questions, even where others do not fit."""
    ghost = CollisionFilter(frozenset({"ghost"}), collide_with=frozenset())
    masks = assert_right([*scattered(60), *[ghost] * 50])
    assert masks.exact[-1]
    assert not by_masks(masks)[-1].any()


def test_asymmetric_rules_are_symmetric_in_the_masks():
    """In a ring of 40 everybody accepts the next, but nobody is accepted by it."""
    ring = [
        CollisionFilter(frozenset({f"s{i}"}), frozenset({f"s{(i + 1) % 40}"})) for i in range(40)
    ]
    masks = assert_right(ring)
    assert not by_masks(masks).any()
    assert len(masks.matrix) == 1


def test_many_colliders_with_few_filters_are_few_classes():
    three = [None, make("a", only="b"), make("b", but="b")]
    masks = compile_filters([three[i % 3] for i in range(10_000)])
    assert masks.memberships.shape == masks.classes.shape == (10_000,)
    assert masks.matrix.shape == (3, 3)
    np.testing.assert_array_equal(masks.classes[:3], masks.classes[3:6])
    small = compile_filters(three)
    np.testing.assert_array_equal(np.tile(small.filters, 3334)[:10_000], masks.filters)


def test_equal_filters_are_one_class_whichever_object_they_are():
    masks = compile_filters([make("ab", only="c"), make("ba", only="c"), make("ab", only="c")])
    assert masks.matrix.shape == (1, 1)


def test_no_colliders_at_all():
    masks = assert_right([])
    assert masks.memberships.shape == (0,)
    assert masks.matrix.shape == (0, 0)


def test_the_same_filters_give_the_same_masks():
    one, other = compile_filters(scattered(60)), compile_filters(scattered(60))
    np.testing.assert_array_equal(one.memberships, other.memberships)
    np.testing.assert_array_equal(one.filters, other.filters)

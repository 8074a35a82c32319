"""Codes against the matrices that they stand for."""

import numpy as np
import pytest

from ligament.physics.filters import bit_per_biclique, bit_per_class, bit_per_exception


def related(code):
    there = (code.memberships[:, None] & code.filters) != 0
    return there & there.T


def random_matrix(count, density, seed=0):
    chance = np.random.default_rng(seed).random((count, count)) < density
    return np.triu(chance) | np.triu(chance).T


def assert_exact(code, matrix):
    assert code is not None
    assert code.exact.all()
    np.testing.assert_array_equal(related(code), matrix)


@pytest.mark.parametrize("count", [0, 1, 7, 32])
@pytest.mark.parametrize("density", [0.0, 0.5, 1.0])
def test_a_bit_for_each_class_takes_any_matrix(count, density):
    matrix = random_matrix(count, density)
    assert_exact(bit_per_class(matrix), matrix)


def test_a_bit_for_each_class_ends_with_the_bits():
    assert bit_per_class(random_matrix(33, 0.5)) is None


@pytest.mark.parametrize("teams", [1, 2, 3, 20, 252, 253, 1500])
@pytest.mark.parametrize("loners", [0, 5])
def test_teams_with_a_few_exceptions(teams, loners):
    """Loners meet whom they like; teams meet all other teams, and every third its own members."""
    size = teams + loners
    matrix = random_matrix(size, 0.5)
    matrix[loners:, loners:] = True
    diagonal = np.arange(loners, size)
    matrix[diagonal, diagonal] = diagonal % 3 == 0
    assert_exact(bit_per_exception(matrix), matrix)


@pytest.mark.parametrize(("teams", "bits"), [(2, 2), (6, 4), (7, 5), (252, 10), (253, 11)])
def test_teams_take_as_few_bits_as_there_can_be(teams, bits):
    """Sperner: of n bits no more than n over n/2 sets can be made, none within another."""
    code = bit_per_exception(~np.eye(teams, dtype=bool))
    assert int(np.bitwise_or.reduce(code.memberships)).bit_count() == bits


def test_exceptions_end_with_the_bits():
    """Of pairs that do not meet, one each must be an exception: 30 fit beside two bits."""
    for pairs in (30, 31):
        matrix = np.ones((2 * pairs, 2 * pairs), bool)
        odd = np.arange(0, 2 * pairs, 2)
        matrix[odd, odd + 1] = matrix[odd + 1, odd] = False
        code = bit_per_exception(matrix)
        if pairs == 30:
            assert_exact(code, matrix)
        else:
            assert code is None


def test_bicliques_cover_what_has_structure():
    """64 classes by 6 yes-or-no questions, which meet where the first or the last agrees."""
    answers = (np.arange(64)[:, None] >> np.arange(6)) & 1
    first, last = answers[:, 0], answers[:, -1]
    matrix = (first[:, None] == first) | (last[:, None] == last)
    assert_exact(bit_per_biclique(matrix, np.ones(64, int)), matrix)


@pytest.mark.parametrize("count", [40, 120, 1100])
@pytest.mark.parametrize("density", [0.02, 0.5, 0.9])
def test_colliders_without_exact_masks_are_let_through(count, density):
    matrix = random_matrix(count, density)
    code = bit_per_biclique(matrix, np.arange(count))
    both = code.exact[:, None] & code.exact
    np.testing.assert_array_equal(related(code)[both], matrix[both])
    assert related(code)[matrix].all()
    assert code.exact.sum() >= 30


def test_classes_that_meet_none_of_those_left_out_are_not_asked_about():
    matrix = random_matrix(120, 0.5)
    matrix[:10] = matrix[:, :10] = False
    code = bit_per_biclique(matrix, np.where(np.arange(120) < 10, 1000, 1))
    assert code.exact[:10].all()
    assert not related(code)[:10].any()


def test_heavy_classes_are_kept():
    matrix = random_matrix(120, 0.5)
    weights = np.where(np.arange(120) % 6 == 0, 1000, 1)
    code = bit_per_biclique(matrix, weights)
    assert code.exact[::6].all()
    assert not code.exact.all()

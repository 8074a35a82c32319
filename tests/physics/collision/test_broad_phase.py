"""The broad phase: the boxes that overlap, and no others, in linear time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ligament.physics.collision.broad_phase import overlapping


def found(low: np.ndarray, high: np.ndarray, most: int = 10**9) -> set[tuple[int, int]]:
    pairs = set()
    for a, b in overlapping(low, high, most=most):
        pairs |= {(min(p), max(p)) for p in zip(a.tolist(), b.tolist(), strict=True)}
    return pairs


def by_hand(low: np.ndarray, high: np.ndarray) -> set[tuple[int, int]]:
    meet = ((low[:, None] < high[None]) & (low[None] < high[:, None])).all(axis=2)
    return {(a, b) for a, b in np.argwhere(meet).tolist() if a < b}


@given(st.integers(0, 10**6), st.integers(1, 60), st.sampled_from([0.1, 1.0, 30.0, 1e6]))
def test_all_pairs_and_no_others(seed: int, count: int, spread: float) -> None:
    rng = np.random.default_rng(seed)
    center = rng.uniform(-spread, spread, (count, 3))
    half = 10 ** rng.uniform(-3, 1, (count, 3))
    low, high = center - half, center + half
    assert found(low, high) == by_hand(low, high)


def test_boxes_that_touch_do_not_overlap() -> None:
    low = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0]])
    assert found(low, low + 1) == set()
    assert found(low, low + 1.001) == {(0, 1), (1, 2)}


def test_a_heap_is_not_searched_to_the_end() -> None:
    """All of 2,000 boxes in one place are two million pairs."""
    low = np.zeros((2000, 3))
    seen = sum(len(a) for a, _ in overlapping(low, low + 1, most=10_000))
    assert 0 < seen < 300_000


@pytest.mark.parametrize("count", [1, 2])
def test_far_and_vast_boxes(count: int) -> None:
    low = np.full((count, 3), -1e30)
    assert found(low, -low) == by_hand(low, -low)
    low = np.full((count, 3), 1e30)
    assert found(low, low + 1e20) == by_hand(low, low + 1e20)

"""Bodies that start in one place: refused in one line instead of taking for ever."""

from __future__ import annotations

import time
from typing import Any

import pytest

import ligament as lg
from ligament.errors import LimitError
from tests.play.files import CUBE, node, physics_file


def boxes(count: int, apart: float, **collider: Any) -> lg.Document:
    side = round(count ** (1 / 3)) + 1
    places = [(i % side, i // side % side, i // side**2) for i in range(count)]
    nodes = [
        node(f"Box{i}", at=tuple(apart * x for x in place), motion={}, shape=CUBE, **collider)
        for i, place in enumerate(places)
    ]
    return physics_file(*nodes)


@pytest.mark.parametrize("count", [400, 10_000])
def test_a_crowd_in_one_place_is_refused_in_time(count: int) -> None:
    document, start = boxes(count, 0.0), time.process_time()
    with pytest.raises(LimitError, match=r"crowded_pairs=\d+"):
        lg.simulate(document, seconds=0.1)
    assert time.process_time() - start < 20


def test_boxes_side_by_side_and_small_crowds_are_no_crowd() -> None:
    lg.Simulation(boxes(1000, 1.0))
    lg.Simulation(boxes(1000, 0.7))
    lg.Simulation(boxes(200, 0.0))


def test_a_crowd_that_is_wanted_can_be_had() -> None:
    document = boxes(320, 0.0)
    roomy = lg.Document(document.json, limits=lg.Limits(crowded_pairs=100_000))
    assert lg.Simulation(roomy).nodes.size == 320

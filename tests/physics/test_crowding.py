"""Bodies that start in one place: refused in one line instead of taking for ever."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament.errors import LimitError
from ligament.physics.crowding import Crowding, count_crowds
from ligament.physics.shapes import Hull
from tests.physics.engines.rapier.scenes import Maker
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


@pytest.mark.parametrize("motion", [None, {"isKinematic": True}], ids=["static", "kinematic"])
def test_colliders_that_nothing_moves_may_share_a_place(motion: dict[str, Any] | None) -> None:
    """Of 3,000 each touched each other; that took over a minute."""
    nodes = [node(f"Box{i}", motion=motion, shape=CUBE) for i in range(3000)]
    start = time.process_time()
    lg.Simulation(physics_file(*nodes)).step()
    assert time.process_time() - start < 20
    many = physics_file(*nodes, *nodes)
    with pytest.raises(LimitError, match="overlapping_pairs=17997000"):
        lg.Simulation(many)


def test_colliders_of_one_body_do_not_push_each_other() -> None:
    spines = [node(f"Spine{i}", shape=CUBE) for i in range(400)]
    urchin = node("Urchin", motion={"mass": 1.0}, children=[*range(400)])
    assert lg.Simulation(physics_file(*spines, urchin)).nodes.size == 1


def test_meshes_are_where_their_vertices_are() -> None:
    """Fractured objects: all nodes at the origin, each chunk in the coordinates of the world."""
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    fractured, heap = Maker(), Maker()
    for i in range(400):
        fractured.body(Hull(corners + np.array([2 * i, 0, 0])))
        heap.body(Hull(corners))
    assert count_crowds(fractured.scene()) == Crowding(overlapping=0, pushing=0)
    assert count_crowds(heap.scene()) == Crowding(overlapping=79_800, pushing=79_800)

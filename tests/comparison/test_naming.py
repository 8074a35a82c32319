"""Nodes of two documents matched by name."""

from __future__ import annotations

from ligament.comparison.naming import renumbered, same_nodes
from tests.comparison.test_comparison import falling, pendulum


def test_nodes_of_one_name_are_the_same() -> None:
    assert same_nodes(["A", "B"], ["B", "A"]) == {0: 1, 1: 0}


def test_nodes_that_share_a_name_are_matched_in_their_order() -> None:
    assert same_nodes(["Bone", None, "Bone"], [None, "Bone", "Bone"]) == {0: 1, 1: 0, 2: 2}


def test_nodes_that_the_first_lacks_come_after_all_of_its_own() -> None:
    assert same_nodes(["A"], ["C", "A", "A"]) == {0: 1, 1: 0, 2: 3}


def test_bodies_limits_and_events_get_the_other_numbers() -> None:
    numbers = {node: node + 10 for node in range(5)}
    moved = renumbered(falling(), numbers)
    assert moved.nodes.tolist() == [node + 10 for node in falling().nodes.tolist()]
    (event,) = {event[2:5] for event in moved.events}
    assert event == (10, 11, 11)
    assert [limit.node for limit in renumbered(pendulum(), numbers).limits] == [13]

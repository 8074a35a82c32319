"""The order of evaluation: true cycles are named, files that merely look cyclic are solved."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ligament.errors import CycleError
from ligament.extensions.vrmc_node_constraint import Constraint
from ligament.gltf.document import Document
from ligament.rig import NodeConstraints
from ligament.rig.constraints.solver import arrange
from tests.rig.constrained import (
    ancestors_of,
    constrained,
    document_of,
    is_cyclic,
    parameters,
    parents_of,
    random_constraint,
)

FREE: dict[str, Any] = {}


def _follows(source: int, *children: int) -> dict[str, Any]:
    return {"children": [*children], "extensions": constrained("rotation", source)}


def _rolls(source: int, *children: int) -> dict[str, Any]:
    return {"children": [*children], "extensions": constrained("roll", source, rollAxis="X")}


def _aims(source: int, *children: int) -> dict[str, Any]:
    return {"children": [*children], "extensions": constrained("aim", source, aimAxis="PositiveX")}


def _holds(*children: int) -> dict[str, Any]:
    return {"children": [*children]}


CYCLES = {
    "two rotations": ([_follows(1), _follows(0)], (0, 1)),
    "two rolls": ([_rolls(1), _rolls(0)], (0, 1)),
    "two aims": ([_aims(1), _aims(0)], (0, 1)),
    "three of three kinds": ([_follows(1), _rolls(2), _aims(0), FREE], (0, 1, 2)),
    "three, and one that only follows": ([_follows(1), _rolls(2), _rolls(3), _rolls(1)], (1, 2, 3)),
    "aim at its own child": ([_aims(1, 1), FREE], (0, 1)),
    "aim at a grandchild": ([_aims(2, 1), _holds(2), FREE], (0, 2)),
    "parent driven by its aiming child": ([_follows(1, 1), _aims(2), FREE], (0, 1)),
    "grandparent driven by its aiming descendant": (
        [_rolls(2, 1), _holds(2), _aims(3), FREE],
        (0, 2),
    ),
    "ancestor of the aimed-at driven by the aiming": ([_aims(2), _follows(0, 2), FREE], (0, 2, 1)),
    "common ancestor driven by the aiming": ([_follows(1, 1, 2), _aims(2), FREE], (0, 1)),
}

LOOK_ALIKES = {
    "roll of its own child": [_rolls(1, 1), FREE],
    "rotation of its own grandchild": [_follows(2, 1), _holds(2), FREE],
    "ancestor of the source driven by the destination": [_follows(2), _follows(0, 2), FREE],
    "aim at its own parent": [_holds(1), _aims(0)],
    "aim at its own parent, which is led": [_follows(2, 1), _aims(0), FREE],
    "child of the aiming follows something": [_aims(2, 1), _follows(2), FREE],
    "two that follow each other's children": [_follows(3, 2), _follows(2, 3), FREE, FREE],
}


@pytest.mark.parametrize("name", CYCLES)
def test_cycles_are_named_in_full(name: str) -> None:
    nodes, cycle = CYCLES[name]
    named = [{**node, "name": f"bone{i}"} for i, node in enumerate(nodes)]
    with pytest.raises(CycleError) as caught:
        NodeConstraints(document_of(*named))
    assert caught.value.nodes == cycle
    assert all(f"'bone{node}' (node {node})" in str(caught.value) for node in cycle)
    pointers = [f"/nodes/{node}/extensions/VRMC_node_constraint/constraint/" for node in cycle]
    assert any(str(caught.value.pointer).startswith(pointer) for pointer in pointers)


@pytest.mark.parametrize("name", LOOK_ALIKES)
def test_apparent_cycles_are_solved(name: str) -> None:
    solver = NodeConstraints(document_of(*LOOK_ALIKES[name]))
    result = solver.solve(solver.tree.rotation)
    np.testing.assert_allclose(np.linalg.norm(result, axis=-1), 1, atol=1e-12)


def test_all_independent_cycles_are_found() -> None:
    nodes = [_follows(1), _follows(0), _rolls(3), _rolls(2), _follows(2)]
    solved = document_of(*nodes)
    found = arrange(_constraints(solved.json["nodes"]), np.full(5, -1))
    assert found.cycles == [(0, 1), (2, 3)]
    assert sorted(c.destination for level in found.levels for c in level) == [0, 1, 2, 3, 4]


def _constraints(nodes: list[dict[str, Any]]) -> list[Constraint]:
    found = ((i, parameters(node)) for i, node in enumerate(nodes))
    return [
        Constraint(i, p[1]["source"], p[0], p[1].get("aimAxis"), 1.0, (True,) * 3, "1.0", f"/{i}")
        for i, p in found
        if p is not None
    ]


@given(st.integers(0, 2**32 - 1))
def test_random_graphs_are_ordered_by_their_sources(seed: int) -> None:
    """Cycles are found exactly where following all that is read leads back, else levels hold."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 9))
    nodes: list[dict[str, Any]] = [{"children": []} for _ in range(count)]
    ranks = rng.permutation(count)
    for node in range(count):
        lower = np.flatnonzero(ranks < ranks[node])
        if len(lower) and rng.random() < 0.8:
            nodes[int(rng.choice(lower))]["children"].append(node)
        if rng.random() < 0.5:
            source = int(rng.choice([i for i in range(count) if i != node]))
            nodes[node]["extensions"] = random_constraint(rng, source, drafts=False)
    parents = parents_of(nodes)
    order = arrange(_constraints(nodes), np.array([parents.get(i, -1) for i in range(count)]))
    assert bool(order.cycles) == is_cyclic(nodes)
    if not order.cycles:
        _assert_sorted(order.levels, parents)


def _assert_sorted(levels: list[list[Constraint]], parents: dict[int, int]) -> None:
    level_of = {c.destination: i for i, level in enumerate(levels) for c in level}
    for level, members in enumerate(levels):
        for constraint in members:
            above = [
                *ancestors_of(constraint.source, parents),
                *ancestors_of(constraint.destination, parents),
            ]
            reads = [constraint.source, *(above if constraint.kind == "aim" else ())]
            before = [level_of[node] for node in reads if node in level_of]
            assert level == max(before, default=-1) + 1


@pytest.mark.parametrize("kind", ["aim", "rotation"])
def test_long_chains_take_time_with_their_length(kind: str) -> None:
    """A quadratic walk would take minutes here."""
    count = 20_000
    parents = np.arange(-1, count)
    target = {"aim": lambda _: count, "rotation": lambda i: i + 1}[kind]
    parents[count] = -1
    start = time.perf_counter()
    constraints = [
        Constraint(i, target(i), kind, None, 1.0, (True,) * 3, "1.0", "") for i in range(count)
    ]
    assert len(arrange(constraints, parents).levels) == count
    assert time.perf_counter() - start < 10


def test_a_cycle_is_raised_with_its_file(tmp_path: Any) -> None:
    document = Document(document_of(_follows(1), _follows(0)).json, path=tmp_path / "a.gltf")
    with pytest.raises(CycleError, match=r"a\.gltf: /nodes/0/.*remove one of them"):
        NodeConstraints(document)

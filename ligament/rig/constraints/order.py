"""Evaluation order of constraints: a topological sort by what each one reads.

Rotation and roll read the local rotation of their source. Aim reads world transforms: the
source, all ancestors of the source and all ancestors of the destination. A constraint waits for
another only where it reads the rotation that the other one writes, so that a file which merely
looks circular (a source below its destination, say) is solved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ligament.arrays import Ints
from ligament.extensions.vrmc_node_constraint import Constraint
from ligament.gltf.tree import around


class Fact(NamedTuple):
    """A value that constraints read or write: the local rotation or the world pose of a node."""

    node: int
    is_world: bool


class Order(NamedTuple):
    """Constraints by level: those of one level need only the levels before it.

    `cycles` names the nodes of each circle, every one of which depends on the next; where there
    are any, the levels leave out the dependency that closes the circle.
    """

    levels: list[list[Constraint]]
    cycles: list[tuple[int, ...]]


def arrange(constraints: Sequence[Constraint], parents: Ints) -> Order:
    """Sort constraints of a node tree into levels; the time grows with nodes and constraints."""
    by_node = {constraint.destination: constraint for constraint in constraints}
    needs = _needs(by_node, parents.tolist())
    depths, circles = _depths([Fact(node, False) for node in by_node], needs)
    levels: dict[int, list[Constraint]] = {}
    for constraint in constraints:
        depth = depths[Fact(constraint.destination, False)]
        levels.setdefault(depth, []).append(constraint)
    cycles = [_named(circle, by_node) for circle in circles]
    return Order([levels[depth] for depth in sorted(levels)], cycles)


def _needs(by_node: dict[int, Constraint], parents: Sequence[int]) -> Callable[[Fact], list[Fact]]:
    """Return the function that lists what a fact depends on.

    World transforms are facts of their own, each reading the next one above that a constraint
    turns: deep trees with many aims would otherwise take time with the square of their size.
    """
    above: dict[int, int] = {-1: -1}

    def nearest_constrained(node: int) -> int:
        """Find the nearest node at or above this one that a constraint turns, or -1."""
        path = []
        while node not in above and node not in by_node:
            path.append(node)
            node = parents[node]
        found = above.get(node, node)
        above.update(dict.fromkeys(path, found))
        return found

    def needs(fact: Fact) -> list[Fact]:
        node = fact.node
        if fact.is_world:
            reached = nearest_constrained(node)
            if reached != node:
                return [Fact(reached, True)] if reached >= 0 else []
            over = nearest_constrained(parents[node])
            return [Fact(node, False)] + [Fact(over, True)] * (over >= 0)
        constraint = by_node.get(node)
        if constraint is None:
            return []
        if constraint.kind != "aim":
            return [Fact(constraint.source, False)]
        beneath = [Fact(parents[node], True)] if parents[node] >= 0 else []
        return [Fact(constraint.source, True), *beneath]

    return needs


def _depths(
    roots: Sequence[Fact], needs: Callable[[Fact], list[Fact]]
) -> tuple[dict[Fact, int], list[list[Fact]]]:
    """Count the levels that come before each fact is known, by a depth-first walk.

    A dependency that leads back to the path being walked closes a circle and is ignored; of
    circles that share a fact, the first is listed.
    """
    depths: dict[Fact, int] = {}
    circles: list[list[Fact]] = []
    ringed: set[Fact] = set()
    for root in roots:
        path = [root] if root not in depths else []
        left = [needs(fact) for fact in path]
        walked = set(path)
        while path:
            fact = path[-1]
            if not left[-1]:
                before = [depths.get(needed, 0) for needed in needs(fact)]
                depths[fact] = max(before, default=0) + bool(before and not fact.is_world)
                walked.remove(path.pop())
                left.pop()
                continue
            needed = left[-1].pop()
            if needed in walked and not {needed, fact} & ringed:
                circles.append(path[path.index(needed) :])
                ringed.update(circles[-1])
            elif needed not in walked and needed not in depths:
                path.append(needed)
                left.append(needs(needed))
                walked.add(needed)
    return depths, circles


def _named(circle: Sequence[Fact], by_node: dict[int, Constraint]) -> tuple[int, ...]:
    """Name the nodes of a circle: constrained ones and the sources that they aim at."""
    nodes: list[int] = []
    for before, fact in zip([circle[-1], *circle], circle, strict=False):
        is_aimed_at = not before.is_world and by_node[before.node].source == fact.node
        if (not fact.is_world or is_aimed_at) and nodes[-1:] != [fact.node]:
            nodes.append(fact.node)
    nodes = nodes[:-1] if len(nodes) > 1 and nodes[0] == nodes[-1] else nodes
    first = nodes.index(min(nodes))
    return tuple(nodes[first:] + nodes[:first])


def describe_cycle(
    cycle: Sequence[int], constraints: Sequence[Constraint], label: Callable[[int], str]
) -> tuple[str, str, str]:
    """Return what to say about a cycle, the pointer of its first constraint, and the remedy."""
    ring = " depends on ".join(around([label(node) for node in cycle]))
    pointer = next(c.pointer for c in constraints if c.destination in cycle)
    return f"constraints go round in a circle: {ring}", pointer, "remove one of them"

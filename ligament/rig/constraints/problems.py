"""Findings about the node constraints of a document; never raises."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ligament.arrays import Ints
from ligament.errors import LigamentError
from ligament.extensions.vrmc_node_constraint import Constraint, inspect, undeclared
from ligament.findings import Finding, finding
from ligament.gltf.document import Document
from ligament.gltf.tree import Forest, NodeTree
from ligament.rig.constraints.solver import arrange, describe_cycle

COINCIDENT = 1e-6
"""Distance of two nodes, relative to their distance from the origin, below which they coincide."""

UNEVEN = 1e-4
"""Relative difference of scales along the axes above which it is not rounding."""


def constraint_problems(document: Document) -> Iterator[Finding]:
    """Yield every error and warning about node constraints; never raises on any JSON.

    An unreadable constraint is excluded from further checks; the tree is followed as far as it is
    valid; positions and scales are checked if the whole tree is sound.
    """
    constraints, findings = inspect(document)
    yield from undeclared(document)
    yield from findings
    yield from _without_weight(constraints)
    nodes = document.json.get("nodes")
    nodes = nodes if isinstance(nodes, list) else []
    parents = Forest(document).parents
    yield from _cycles(constraints, parents, nodes)
    yield from _from_below(constraints, parents)
    aims = [constraint for constraint in constraints if constraint.kind == "aim"]
    if not aims:  # only aims depend on positions
        return
    try:
        tree = NodeTree(document)
    except LigamentError:
        return
    yield from _coincident(aims, tree)
    yield from _stretched(aims, tree)


def _without_weight(constraints: Sequence[Constraint]) -> Iterator[Finding]:
    for constraint in constraints:
        if constraint.weight == 0:
            place, message = (
                f"{constraint.pointer}/weight",
                "the weight is 0, which holds the node at rest",
            )
            yield finding(
                "NODE_CONSTRAINT_WEIGHT_ZERO", place, message, "raise it, or remove the constraint"
            )


def _cycles(
    constraints: Sequence[Constraint], parents: Ints, nodes: Sequence[Any]
) -> Iterator[Finding]:
    def label(node: int) -> str:
        name = nodes[node].get("name")
        return f"{name!r} (node {node})" if isinstance(name, str) else f"node {node}"

    for cycle in arrange(constraints, parents).cycles:
        message, pointer, remedy = describe_cycle(cycle, constraints, label)
        yield finding("NODE_CONSTRAINT_CYCLE", pointer, message, remedy)


def _from_below(constraints: Sequence[Constraint], parents: Ints) -> Iterator[Finding]:
    """Find sources below their destinations; for an aim that is reported as a cycle."""
    followed = [constraint for constraint in constraints if constraint.kind != "aim"]
    sources = np.array([constraint.source for constraint in followed], np.int64)
    own = np.array([constraint.destination for constraint in followed], np.int64)
    for at in np.flatnonzero(_is_below(sources, own, parents)).tolist():
        message = "the source is below its destination, which some players refuse"
        place = f"{followed[at].pointer}/source"
        yield finding(
            "NODE_CONSTRAINT_SOURCE_BELOW", place, message, "use a source outside of its subtree"
        )


def _is_below(nodes: Ints, above: Ints, parents: Ints) -> npt.NDArray[np.bool_]:
    """Return whether `above` are ancestors of `nodes`, lifting these to the same depth."""
    ends = np.append(np.where(parents < 0, len(parents), parents), len(parents))
    steps = (ends < len(parents)).astype(np.int64)
    jumps = [ends]
    while steps[jumps[-1]].any():
        steps, jump = steps + steps[jumps[-1]], jumps[-1]
        jumps.append(jump[jump])
    rise = steps[nodes] - steps[above]
    for bit, jump in enumerate(jumps):
        nodes = np.where((rise >> bit) & 1 == 1, jump[nodes], nodes)
    below: npt.NDArray[np.bool_] = (rise > 0) & (nodes == above)
    return below


def _coincident(aims: Sequence[Constraint], tree: NodeTree) -> Iterator[Finding]:
    """Find aims whose source and destination coincide at rest."""
    position = tree.world_matrices()[:, :3, 3]
    source = position[[aim.source for aim in aims]]
    own = position[[aim.destination for aim in aims]]
    distance = np.linalg.norm(source - own, axis=1)
    for at in np.flatnonzero(distance <= COINCIDENT * np.linalg.norm(own, axis=1)).tolist():
        message = "source and destination coincide, so there is no direction"
        yield finding(
            "NODE_CONSTRAINT_AIM_COINCIDENT", f"{aims[at].pointer}/source", message, "move one"
        )


def _stretched(aims: Sequence[Constraint], tree: NodeTree) -> Iterator[Finding]:
    """Find aims below a node with a non-uniform scale, which players treat differently."""
    uneven = np.ptp(tree.scale, axis=1) > UNEVEN * np.abs(tree.scale).max(axis=1)
    beneath = np.zeros(len(tree), bool)
    for level in tree.levels[1:]:
        above = tree.parents[level]
        beneath[level] = beneath[above] | uneven[above]
    for aim in aims:
        if beneath[aim.destination]:
            message = "an ancestor of the node has a non-uniform scale"
            yield finding(
                "NODE_CONSTRAINT_SCALE", aim.pointer, message, "players differ: use a uniform scale"
            )

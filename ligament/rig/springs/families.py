"""Families: nodes with all their ancestors, and their world poses."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Indices, Ints
from ligament.gltf.tree import NodeTree
from ligament.rig.springs.devices import take
from ligament.transforms.components import Array


@dataclasses.dataclass(frozen=True)
class Family:
    """Nodes and all their ancestors, parents first, and the row of each.

    `levels` are nodes of one depth, and where in the level above their parents are.
    """

    nodes: Indices
    row: dict[int, int]
    levels: tuple[tuple[Indices, Indices], ...]


def make_family(tree: NodeTree, nodes: Sequence[int]) -> Family:
    """Return nodes and their ancestors."""
    wanted = set(nodes)
    for node in nodes:
        for above in tree.ancestors(node):
            if above in wanted:
                break
            wanted.add(above)
    levels = [[n for n in level.tolist() if n in wanted] for level in tree.levels]
    order = [node for level in levels for node in level]
    row = {node: index for index, node in enumerate(order)} | {-1: -1}
    place = {node: index for level in levels for index, node in enumerate(level)} | {-1: -1}
    pairs = tuple(
        (np.array(level), np.array([place[int(tree.parents[n])] for n in level]))
        for level in levels
        if level
    )
    return Family(np.array(order, np.intp), row, pairs)


class World(NamedTuple):
    """World matrices (…, n, 4, 4) and rotations (…, n, 4) of the nodes of a family."""

    family: Family
    matrices: Array
    rotations: Array

    def at(self, nodes: Sequence[int] | Ints) -> tuple[Array, Array]:
        """Return matrices and rotations of some nodes; -1 gives the identity."""
        xp = tf.namespace(self.matrices)
        rows = np.array([self.family.row[int(node)] for node in nodes], np.intp)
        return take(xp, self.matrices, rows, -3), take(xp, self.rotations, rows, -2)

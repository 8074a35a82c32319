"""Solver plan of a document: everything about its constraints that is independent of the pose."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np
import numpy.typing as npt

from ligament.arrays import Ints
from ligament.errors import LimitError
from ligament.extensions.vrmc_node_constraint import Constraint
from ligament.gltf.tree import NodeTree
from ligament.rig.constraints.kernels import CONSTANTS
from ligament.rig.constraints.steps import Aim, Freeze, Roll, Rotation, Step
from ligament.transforms.components import Array

Chains = tuple[list[int], list[int]]

MOST_LINKS = 10_000_000
"""Ancestors counted per aim of one level, at most; sound files have few."""


@dataclasses.dataclass(frozen=True)
class Plan:
    """Steps in order, and the nodes that the slots stand for.

    `inputs` (I,) are the nodes whose given rotation is read, `placed` (P,) those whose translation
    and scale are read, `destinations` (K,) those whose rotation is written. `translation` and
    `scale` (P, 3, 1) are rest values; `scale` is None if all are one. `merged` (N,) indexes the
    result of every node in the nodes followed by the destinations.
    """

    steps: tuple[Step, ...]
    inputs: Array
    placed: Array
    destinations: Array
    translation: Array
    scale: Array | None
    merged: Array

    def converted(self, convert: Callable[[npt.NDArray[Any]], Array]) -> Plan:
        """Return the same plan with every array converted."""
        plan: Plan = _converted(self, convert)
        return plan


def make_plan(levels: Sequence[Sequence[Constraint]], tree: NodeTree, *, rest_scale: bool) -> Plan:
    """Plan constraints by level; `rest_scale` means that scales will be those at rest."""
    builder = _Builder(tree, rest_scale=rest_scale)
    for level in levels:
        for family, members in _families(level):
            builder.add(family, members)
    return builder.plan()


def _families(level: Sequence[Constraint]) -> Iterator[tuple[str, list[Constraint]]]:
    """Group the constraints of a level by the formula that solves them."""
    groups: dict[str, list[Constraint]] = {"roll": [], "rotation": [], "freeze": [], "aim": []}
    for constraint in level:
        groups[constraint.kind if all(constraint.freeze_axes) else "freeze"].append(constraint)
    return ((family, members) for family, members in groups.items() if members)


class _Builder:
    """Allocates slots; until all inputs are known, result k has the number -1-k."""

    def __init__(self, tree: NodeTree, *, rest_scale: bool) -> None:
        self.tree = tree
        size = tree.scale[:, 0]
        even = (size > 0) & (np.ptp(tree.scale, axis=1) <= 1e-12 * size)
        self.even = set(np.flatnonzero(even).tolist()) if rest_scale else set[int]()
        self.steps: list[Step] = []
        self.inputs: list[int] = []
        self.shared: dict[int, int] = {}
        self.placed: dict[int, int] = {}
        self.solved: dict[int, int] = {}

    def add(self, family: str, members: list[Constraint]) -> None:
        """Add the step that solves the given constraints."""
        chains: list[Chains] = []
        if family == "aim":
            members, chains = self._by_depth(members)
        sources = [member.source for member in members]
        own = [member.destination for member in members]
        rest = self.tree.rotation
        constants = CONSTANTS[family](members, rest[sources], rest[own])
        if family == "roll":
            self.steps.append(Roll(constants, self._read(sources)))
        elif family == "rotation":
            self.steps.append(Rotation(constants, self._read(sources)))
        elif family == "freeze":
            self.steps.append(Freeze(constants, self._read(sources), self._given(own)))
        else:
            self.steps.append(Aim(constants, **self._aim_chains(sources + own, chains)))
        for node in own:
            self.solved[node] = -1 - len(self.solved)

    def plan(self) -> Plan:
        """Finish the plan: number the results after the inputs."""
        inputs, count = len(self.inputs), len(self.tree)
        placed = np.array(list(self.placed), np.int64)
        destinations = np.array(list(self.solved), np.int64)
        merged = np.arange(count)
        merged[destinations] = count + np.arange(len(destinations))
        scale = self.tree.scale[placed]
        return Plan(
            steps=tuple(_converted(step, lambda a: _numbered(a, inputs)) for step in self.steps),
            inputs=np.array(self.inputs, np.int64),
            placed=placed,
            destinations=destinations,
            translation=self.tree.translation[placed][:, :, None],
            scale=None if (scale == 1).all() else scale[:, :, None],
            merged=merged,
        )

    def _given(self, nodes: Sequence[int]) -> Ints:
        """Read given rotations into consecutive slots, which need no gathering."""
        start = len(self.inputs)
        self.inputs += nodes
        return np.arange(start, start + len(nodes))

    def _read(self, nodes: Sequence[int]) -> Ints:
        """Read current rotations: as given, or solved."""
        if self.solved.keys().isdisjoint(nodes):
            return self._given(nodes)
        return self._rotations(nodes)

    def _rotations(self, nodes: Sequence[int]) -> Ints:
        for node in nodes:
            if node not in self.solved and node not in self.shared:
                self.shared[node] = len(self.inputs)
                self.inputs.append(node)
        return np.array([(self.solved if n in self.solved else self.shared)[n] for n in nodes])

    def _translations(self, nodes: Sequence[int]) -> Ints:
        return np.array([self.placed.setdefault(node, len(self.placed)) for node in nodes])

    def _by_depth(self, members: list[Constraint]) -> tuple[list[Constraint], list[Chains]]:
        """Sort aims by the length of the chain above their destination, longest first."""
        chains: list[Chains] = []
        links = 0
        for member in members:
            chains.append(self._chains(member.source, member.destination))
            links += len(chains[-1][0]) + len(chains[-1][1])
            if links > MOST_LINKS:
                raise LimitError(
                    f"more than {MOST_LINKS} nodes are above the aim constraints of one level",
                    pointer=member.pointer,
                    remedy="use constraints that are less deep in the tree",
                )
        order = sorted(range(len(members)), key=lambda i: -len(chains[i][1]))
        return [members[i] for i in order], [chains[i] for i in order]

    def _aim_chains(self, nodes: list[int], pairs: Sequence[Chains]) -> dict[str, Any]:
        """Arrange the chains above sources and destinations, given in `nodes`, for `Aim`."""
        chains = [pair[0] for pair in pairs] + [pair[1] for pair in pairs]
        order = sorted(range(len(chains)), key=lambda i: -len(chains[i]))
        rows = _rows([chains[i] for i in order])
        arrived = np.argsort(order)
        return {
            "points": self._translations([nodes[i] for i in order]),
            "rotations": tuple(self._rotations(row) for row in rows),
            "translations": tuple(self._translations(row) for row in rows),
            "source": arrived[: len(pairs)],
            "own": arrived[len(pairs) :],
            "inverse": tuple(self._rotations(row) for row in reversed(_rows(chains[len(pairs) :]))),
        }

    def _chains(self, source: int, own: int) -> Chains:
        """List the nodes above source and destination that the direction depends on, upwards.

        Common ancestors rotate both alike, which the inverse above the destination cancels: they
        are left out unless one of them has a non-uniform scale.
        """
        above_source, above_own = [*self.tree.ancestors(source)], [*self.tree.ancestors(own)]
        common = set(above_source) & set(above_own)
        left_out = common if common <= self.even else set[int]()
        return (
            [node for node in above_source if node not in left_out],
            [node for node in above_own if node not in left_out],
        )


def _rows(chains: Sequence[Sequence[int]]) -> list[list[int]]:
    """Turn chains, longest first, into rows: one per step upwards, each shorter."""
    columns = (filter(lambda node: node is not None, row) for row in zip_longest(*chains))
    return [list(column) for column in columns]


def _numbered(array: npt.NDArray[Any], inputs: int) -> npt.NDArray[Any] | slice:
    """Replace provisional slot numbers with final ones; consecutive slots become a slice."""
    if array.dtype.kind != "i":
        return array
    array = np.where(array < 0, inputs - 1 - array, array)
    start = int(array[0])
    in_a_row = (array == np.arange(start, start + len(array))).all()
    return slice(start, start + len(array)) if in_a_row else array


def _converted(value: Any, convert: Callable[[npt.NDArray[Any]], Any]) -> Any:
    """Apply a function to every array in a structure of tuples and dataclasses."""
    if isinstance(value, np.ndarray):
        return convert(value)
    if isinstance(value, tuple):
        return tuple(_converted(item, convert) for item in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value)]
        changed = {name: _converted(getattr(value, name), convert) for name in names}
        return dataclasses.replace(value, **changed)
    return value

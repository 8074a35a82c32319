"""Matching of the elements of two documents."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from ligament.gltf import objects
from ligament.gltf.document import Document
from ligament.gltf.objects import View
from ligament.gltf.tree import NodeTree

K = TypeVar("K", bound=Hashable)

KINDS: dict[str, type[View]] = {
    "nodes": objects.Node,
    "scenes": objects.Scene,
    "meshes": objects.Mesh,
    "skins": objects.Skin,
    "animations": objects.Animation,
}
"""Arrays whose JSON is read directly here, and the views that validate it."""

MOST_NAMES, LONGEST_NAME = 32, 100
"""Limits on the names in a path and their characters: in chains, full paths grow quadratically."""

ARRAYS = ("meshes", "materials", "skins", "cameras", "animations", "scenes")


class Side:
    """One of the two documents, with its tree and raw nodes."""

    def __init__(self, document: Document) -> None:
        for name, kind in KINDS.items():
            document.views(name, kind)  # raises where the JSON is malformed
        self.document = document
        self.tree = NodeTree(document)
        self.raw: list[dict[str, Any]] = [_present(node) for node in document.array("nodes")]
        self.parents: list[int] = self.tree.parents.tolist()
        self.children: list[list[int]] = [[*map(int, n.get("children", ()))] for n in self.raw]
        self.roots = np.flatnonzero(self.tree.parents < 0).tolist()

    def path(self, node: int) -> str:
        """Return the path of names from the root to a node, "#3" for one without a name."""
        names, above = list[str](), node
        while above >= 0 and len(names) < MOST_NAMES:
            names.append(self.tree.names[above] or f"#{above}")
            above = self.parents[above]
        path = "/".join(reversed([name[:LONGEST_NAME] for name in names]))
        if above < 0 and all(len(name) <= LONGEST_NAME for name in names):
            return path
        return f"{'…/' if above >= 0 else ''}{path} (#{node})"  # the index keeps it unique

    def signature(self, node: int) -> tuple[object, ...]:
        """Return a key that distinguishes a node from others of the same name."""
        tree = self.tree
        local = (tree.translation[node], tree.rotation[node], tree.scale[node])
        placed = tuple(np.round(np.abs(np.concatenate(local)), 3).tolist())
        carried = frozenset(self.raw[node].keys() - {"translation", "rotation", "scale", "matrix"})
        return placed, carried, len(self.children[node])


class Matches:
    """The pairs of corresponding nodes, and of elements of other arrays.

    `nodes` and `others[array]` map indices of the first document to those of the second.
    """

    def __init__(self, a: Side, b: Side) -> None:
        self.a, self.b = a, b
        self.nodes = _Nodes(a, b).matched()
        self.back = {there: here for here, there in self.nodes.items()}
        self.others = {name: self._array(name) for name in ARRAYS}
        self._backs = {
            name: {there: here for here, there in pairs.items()}
            for name, pairs in (*self.others.items(), ("nodes", self.nodes))
        }

    def _array(self, name: str) -> dict[int, int]:
        one, other = self.a.document.array(name), self.b.document.array(name)
        member = {"meshes": "mesh", "skins": "skin", "cameras": "camera"}.get(name)
        used = [] if member is None else self._used(member)
        hints = [(x, y) for x, y in used if 0 <= x < len(one) and 0 <= y < len(other)]
        return _by_name(_names(one), _names(other), hints)

    def _used(self, member: str) -> list[tuple[int, int]]:
        """List the pairs that matched nodes refer to."""
        pairs = (
            (self.a.raw[i].get(member), self.b.raw[j].get(member)) for i, j in self.nodes.items()
        )
        return [(x, y) for x, y in pairs if isinstance(x, int) and isinstance(y, int)]

    def label(self, array: str, index: Any, side: Side) -> str:
        """Return a label for an element that is the same for both of a pair."""
        if not isinstance(index, int | float) or index != index // 1:
            return f"{index!r}, which is no index"
        index, is_first = int(index), side is self.a  # JSON may write 1 as 1.0
        pairs = self.nodes if array == "nodes" else self.others.get(array, {})
        back = self._backs.get(array, {})
        own = (index if index in pairs else None) if is_first else back.get(index)
        if own is None:
            return f"{_named(side, array, index)} (only in {'a' if is_first else 'b'})"
        return _named(self.a, array, own)


def _present(raw: dict[str, Any]) -> dict[str, Any]:
    """Return an object without its null members, which count as absent."""
    return {name: value for name, value in raw.items() if value is not None}


def _named(side: Side, array: str, index: int) -> str:
    if array == "nodes":
        return side.path(index) if 0 <= index < len(side.raw) else f"#{index}"
    items = side.document.array(array) if "/" not in array else []
    raw = items[index] if 0 <= index < len(items) else None
    name = raw.get("name") if isinstance(raw, dict) else None
    return str(name or f"#{index}")


class _Nodes:
    """Pairs nodes: by their paths, then by unique names, then by their indices."""

    def __init__(self, a: Side, b: Side) -> None:
        self.a, self.b = a, b
        self.pairs: dict[int, int] = {}
        self.taken: set[int] = set()

    def matched(self) -> dict[int, int]:
        for pair in self._namesakes(self.a.roots, self.b.roots):
            self._pair(*pair)
        for one, other in _unique_names(self._left(self.a), self._left(self.b), self.a, self.b):
            if one not in self.pairs and other not in self.taken:
                self._pair(one, other)
        for node in self._left(self.a):
            is_there = node < len(self.b.raw) and node not in self.taken
            if is_there and self._parents_match(node, node):
                self._pair(node, node)
        return dict(sorted(self.pairs.items()))

    def _left(self, side: Side) -> list[int]:
        known = self.pairs if side is self.a else self.taken
        return [node for node in range(len(side.raw)) if node not in known]

    def _pair(self, one: int, other: int) -> None:
        """Pair two nodes, and their descendants with equal paths.

        The loop is not recursive: chains of nodes may be deeper than the stack.
        """
        pending = [(one, other)]
        while pending:
            one, other = pending.pop()
            self.pairs[one] = other
            self.taken.add(other)
            pending += self._namesakes(self.a.children[one], self.b.children[other])

    def _namesakes(self, ours: Sequence[int], theirs: Sequence[int]) -> list[tuple[int, int]]:
        """List the pairs of unpaired nodes that have the same name, the most alike first."""
        named_a = _grouped((n for n in ours if n not in self.pairs), self.a)
        named_b = _grouped((n for n in theirs if n not in self.taken), self.b)
        return [
            pair
            for name, group in named_a.items()
            for pair in _paired(group, named_b.get(name, []), self.a, self.b)
        ]

    def _parents_match(self, one: int, other: int) -> bool:
        above_a, above_b = int(self.a.tree.parents[one]), int(self.b.tree.parents[other])
        return self.pairs.get(above_a, -1) == above_b


def _grouped(nodes: Iterable[int], side: Side) -> dict[str | None, list[int]]:
    groups: dict[str | None, list[int]] = {}
    for node in nodes:
        groups.setdefault(side.tree.names[node], []).append(node)
    return groups


def _paired(ours: Sequence[int], theirs: Sequence[int], a: Side, b: Side) -> list[tuple[int, int]]:
    if len(ours) == len(theirs) == 1:
        return [(ours[0], theirs[0])]
    alike: dict[tuple[object, ...], deque[int]] = {}
    for node in theirs:
        alike.setdefault(b.signature(node), deque()).append(node)
    pairs, open_, taken = [], [], set[int]()
    for node in ours:
        others = alike.get(a.signature(node))
        if others:
            pairs.append((node, others.popleft()))
            taken.add(pairs[-1][1])
        else:
            open_.append(node)
    left = (node for node in theirs if node not in taken)
    return pairs + list(zip(open_, left, strict=False))


def _unique_names(
    ours: Sequence[int], theirs: Sequence[int], a: Side, b: Side
) -> list[tuple[int, int]]:
    named_a, named_b = _grouped(ours, a), _grouped(theirs, b)
    return [
        (group[0], named_b[name][0])
        for name, group in named_a.items()
        if name is not None and len(group) == 1 and len(named_b.get(name, ())) == 1
    ]


def _names(items: Sequence[Any]) -> list[str | None]:
    found = (item.get("name") if isinstance(item, Mapping) else None for item in items)
    return [name if isinstance(name, str) else None for name in found]


def _by_name(
    ours: Sequence[str | None], theirs: Sequence[str | None], hints: Iterable[tuple[int, int]]
) -> dict[int, int]:
    """Pair elements by unique names, then by their users, then by their indices."""
    pairs: dict[int, int] = {}
    taken: set[int] = set()

    def pair(one: int, other: int) -> None:
        if one not in pairs and other not in taken:
            pairs[one] = other
            taken.add(other)

    counts, places = (Counter(ours), Counter(theirs)), {n: i for i, n in enumerate(theirs)}
    for index, name in enumerate(ours):
        if name is not None and counts[0][name] == counts[1][name] == 1:
            pair(index, places[name])
    for one, other in hints:
        if ours[one] is None or theirs[other] is None or ours[one] == theirs[other]:
            pair(one, other)
    for index in range(min(len(ours), len(theirs))):
        if ours[index] == theirs[index]:
            pair(index, index)
    return pairs

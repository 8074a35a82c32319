"""The raw nodes of a document and their tree; never raises."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from ligament.extensions.fields import Fields, Target
from ligament.findings import Finding
from ligament.gltf.document import Document
from ligament.gltf.tree import Carriers, find_carriers, find_parents


class Nodes:
    """Raw nodes and their tree; an edge that is wrong is not followed, for others to report.

    `parents` holds -1 for roots.
    """

    def __init__(
        self, document: Document, findings: list[Finding], carriers: Carriers | None = None
    ) -> None:
        raw = document.json.get("nodes")
        self.raw: list[Any] = raw if isinstance(raw, list) else []
        self.target = Target.at(document.json, "/nodes")
        self._findings = findings
        self._carriers = find_carriers(document) if carriers is None else carriers
        self._extended: dict[str, list[tuple[int, Fields]]] = {}
        parents, _ = find_parents([_children(node, len(self.raw)) for node in self.raw])
        self.parents: list[int] = parents.tolist()
        self._order = _parents_first(self.parents)
        self._place = dict(zip(self._order, range(len(self._order)), strict=True))
        self._size = [1] * len(self._order)
        for node in reversed(self._order):
            if self.parents[node] >= 0:
                self._size[self.parents[node]] += self._size[node]

    def extended(self, name: str) -> list[tuple[int, Fields]]:
        """List every node that carries an extension, with a cursor on what it carries."""
        if name not in self._extended:  # what is no object is reported once
            cursors = [
                (node, Fields.of(raw, f"/nodes/{node}/extensions/{name}", self._findings))
                for node, raw in self._carriers.get(name, ())
            ]
            self._extended[name] = [(node, found) for node, found in cursors if found is not None]
        return self._extended[name]

    def nearest(self, marked: Container[int]) -> list[int]:
        """Return, for every node, the nearest of itself and its ancestors that is marked, or -1."""
        found = [-1] * len(self._order)
        for node in self._order:
            parent = self.parents[node]
            above = found[parent] if parent >= 0 else -1
            found[node] = node if node in marked else above
        return found

    def is_below(self, node: int, ancestor: int) -> bool:
        """Tell whether one node is a descendant of another."""
        return 0 < self._place[node] - self._place[ancestor] < self._size[ancestor]


def _children(raw: Any, count: int) -> list[int]:
    children = raw.get("children") if isinstance(raw, dict) else None
    listed = children if isinstance(children, list) else []
    return [int(child) for child in listed if _is_index(child, count)]


def _is_index(raw: Any, count: int) -> bool:
    whole = isinstance(raw, int) or (isinstance(raw, float) and raw.is_integer())
    return whole and not isinstance(raw, bool) and 0 <= raw < count


def _parents_first(parents: list[int]) -> list[int]:
    """Order nodes so that every subtree stands in one piece behind its root."""
    children: list[list[int]] = [[] for _ in parents]
    for node, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(node)
    waiting = [node for node in reversed(range(len(parents))) if parents[node] < 0]
    order = []
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting.extend(reversed(children[node]))
    return order

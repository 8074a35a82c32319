"""New orders for arrays and members to cut, applied to a document in one go."""

from __future__ import annotations

import bisect
import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ligament.gltf import pointers, references
from ligament.gltf.document import Document
from ligament.gltf.pointers import Path, at
from ligament.gltf.references import Reference
from ligament.gltf.reindex.inspection import parallel_arrays


class Rearrangement:
    """`orders` gives arrays new elements (new position → old index); `cuts` names what goes.

    Making it checks what can fail; `apply` then changes the document. What refers to an element
    that is left out must be cut, or be left out itself.
    """

    def __init__(
        self,
        document: Document,
        found: Iterable[Reference],
        orders: Mapping[str, Sequence[int]],
        cuts: Iterable[Path] = (),
    ) -> None:
        self.document, self.found, self.orders, self.cuts = document, found, orders, list(cuts)
        self.arrays = references.arrays(document)
        self.parallel: dict[str, list[list[Any]]] = {}
        partners = references.partners()
        if set(partners.values()) & set(orders):
            for name, items in parallel_arrays(document).items():
                self.parallel.setdefault(partners[name], []).append(items)
        moved = orders.get("/buffers")
        self.buffers = None if moved is None else [document.buffer(index) for index in moved]

    def apply(self) -> None:
        """Change the document."""
        self._point_inside()
        self._point()
        self._cut()
        for array, order in self.orders.items():
            for items in (self.arrays[array], *self.parallel.get(array, ())):
                items[:] = [items[index] for index in order]
            if not order:
                _drop(self.document.json, pointers.split(array))
        if self.buffers is not None:
            self._tie_buffers(self.buffers)

    def _point(self) -> None:
        places = {
            array: _positions(order, len(self.arrays[array]))
            for array, order in self.orders.items()
        }
        for reference in self.found:
            place = places.get(reference.target)
            if place is not None and place[reference.index] >= 0:
                reference.point_to(place[reference.index])

    def _point_inside(self) -> None:
        """Renumber the local indices inside JSON pointers: /…/springs/0/joints/3 after a cut."""
        shortened: dict[str, list[int]] = {}
        for path in sorted((p for p in self.cuts if isinstance(p[-1], int)), key=lambda p: p[-1]):
            shortened.setdefault(pointers.join("", *path[:-1]), []).append(int(path[-1]))
        for reference in self.found if shortened else ():
            value = reference.holder[reference.key]
            if isinstance(value, str):
                reference.holder[reference.key] = _shortened(value, shortened)

    def _cut(self) -> None:
        holders: dict[int, tuple[Any, set[Any]]] = {}
        owners = [at(self.document.json, p[:-2]) for p in self.cuts if p[-2:-1] == ("extensions",)]
        for path in self.cuts:
            holder = at(self.document.json, path[:-1])
            holders.setdefault(id(holder), (holder, set()))[1].add(path[-1])
        for holder, keys in holders.values():
            if isinstance(holder, list):
                holder[:] = [item for index, item in enumerate(holder) if index not in keys]
            else:
                for key in keys:
                    del holder[key]
        for owner in owners:
            if owner.get("extensions") == {}:
                del owner["extensions"]

    def _tie_buffers(self, data: Sequence[Any]) -> None:
        self.document.set_buffers(data)
        if not data and self.document.origin is not None:
            # The next buffer 0 is a new one: it must not find the bytes of the old.
            self.document.origin = dataclasses.replace(self.document.origin, binary=None)


def _positions(order: Sequence[int], size: int) -> list[int]:
    """Invert an order: old index → new position, -1 for what is left out."""
    places = [-1] * size
    for position, index in enumerate(order):
        places[index] = position
    return places


def _shortened(pointer: str, lists: Mapping[str, list[int]]) -> str:
    old = pointer.split("/")
    new = list(old)
    for depth in range(2, len(old)):
        lost = lists.get("/".join(old[:depth]))
        if lost and old[depth].isdecimal():
            new[depth] = str(int(old[depth]) - bisect.bisect_left(lost, int(old[depth])))
    return "/".join(new)


def _drop(root: dict[str, Any], path: list[str]) -> None:
    """Remove an empty array, and the object of its extension if nothing else is in it."""
    holder = at(root, tuple(path[:-1]))
    del holder[path[-1]]
    if path[:-1] and not holder:
        _drop(root, path[:-1])

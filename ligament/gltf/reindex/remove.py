"""Removal of objects, with or without their dependents."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import NamedTuple

from ligament.errors import EditError
from ligament.gltf import pointers, references
from ligament.gltf.document import Document
from ligament.gltf.jsontext import collector_paused
from ligament.gltf.pointers import Path, at
from ligament.gltf.references import Reference
from ligament.gltf.reindex.inspection import array_pointer, inspect, listed
from ligament.gltf.reindex.rearrangement import Rearrangement


@collector_paused()
def remove(
    document: Document,
    array: str,
    indices: Iterable[int],
    *,
    cascade: bool = False,
    allow_unknown: bool = False,
) -> dict[str, list[int]]:
    """Remove elements of an array; return array → old indices of everything removed.

    Lists that merely name a removed object (scene.nodes, children) lose the entry. Anything else
    that refers to it is a refusal, or with `cascade` goes too, as the table says: a member, an
    object, an element of another array; what cannot do without stays a refusal. A node takes its
    descendants along with `cascade`; without, they must be among `indices`, since nodes that hang
    nowhere would be lost from their scene silently.
    """
    pointer = array_pointer(document, array)
    found = inspect(document, allow_unknown=allow_unknown, loose=True)
    removal = _Removal(document, found, cascade=cascade)
    wanted = sorted({operator.index(index) for index in indices})
    size = len(removal.arrays[pointer])
    for index in wanted:
        if not 0 <= index < size:
            raise EditError(
                f"there is no element {index}",
                file=document.path,
                pointer=pointer,
                remedy=f"the array has {size} elements",
            )
    removal.take([(*pointers.split(pointer), index) for index in wanted])
    removal.refuse_if_needed()
    removal.rearrangement().apply()
    return {name: sorted(gone) for name, gone in removal.gone.items()}


_Step = tuple[Path, Reference | None]
"""A removed object, and the reference that causes its removal."""


class _Obstacle(NamedTuple):
    """`reference` needs what stands at `pointer`, unless what `stays` goes too."""

    pointer: str
    reference: Reference
    stays: Path


class _Removal:
    """Follows references from removed objects until nothing more must be removed."""

    def __init__(self, document: Document, found: list[Reference], *, cascade: bool) -> None:
        self.document, self.found, self.cascade = document, found, cascade
        self.arrays = references.arrays(document)
        self.gone: dict[str, set[int]] = {}
        self._taken: set[Path] = set()
        self._cuts: list[Path] = []
        self._cut_from: dict[Path, int] = {}
        self._blocking: list[_Obstacle] = []
        self._stranded: list[int] = []
        self._referrers: dict[str, list[Reference]] = {}
        self._children: dict[int, list[int]] = {}
        for reference in found:
            if reference.rule.pattern == "/nodes/*/children/*":
                self._children.setdefault(int(reference.place[1]), []).append(reference.index)
            for pointer in _names(reference):
                self._referrers.setdefault(pointer, []).append(reference)

    def take(self, paths: Iterable[Path]) -> None:
        """Mark elements and members as removed, with everything that goes with them."""
        pending: list[_Step] = [(path, None) for path in paths]
        while pending:
            path, cause = pending.pop()
            if self._covered(path):
                continue
            self._taken.add(path)
            pointer = pointers.join("", *path)
            array = pointer.rpartition("/")[0]
            if array in self.arrays:
                pending += self._without_element(array, int(path[-1]))
            else:
                pending += self._without_member(path, cause)
            for reference in self._referrers.get(pointer, ()):
                if reference.rule.keep or not (self.cascade or reference.rule.is_membership):
                    self._blocking.append(_Obstacle(pointer, reference, reference.path))
                else:
                    pending.append((reference.path[: reference.rule.owner], reference))

    def refuse_if_needed(self) -> None:
        """Raise EditError if something that stays depends on a removed object."""
        blocking = [obstacle for obstacle in self._blocking if not self._covered(obstacle.stays)]
        stranded = sorted(set(self._stranded) - self.gone.get("/nodes", set()))
        if stranded:
            raise EditError(
                f"its children {listed(f'/nodes/{i}' for i in stranded)} would have no parent",
                file=self.document.path,
                pointer="/nodes",
                remedy="name them too, or remove them with cascade=True",
            )
        if blocking:
            raise self._refusal(blocking)

    def rearrangement(self) -> Rearrangement:
        """Convert the result into new orders and cuts."""
        orders = {
            array: [index for index in range(len(self.arrays[array])) if index not in gone]
            for array, gone in self.gone.items()
        }
        return Rearrangement(self.document, self.found, orders, self._cuts)

    def _covered(self, path: Path) -> bool:
        return any(path[:length] in self._taken for length in range(1, len(path) + 1))

    def _without_element(self, array: str, index: int) -> list[_Step]:
        self.gone.setdefault(array, set()).add(index)
        children = self._children.get(index, []) if array == "/nodes" else []
        if self.cascade:
            return [(("nodes", child), None) for child in children]
        self._stranded.extend(children)
        return []

    def _without_member(self, path: Path, cause: Reference | None) -> list[_Step]:
        """Cut a member or an element of a list; the last element removes the list too."""
        self._cuts.append(path)
        if cause is None or not isinstance(path[-1], int):
            return []
        holder = path[:-1]
        self._cut_from[holder] = self._cut_from.get(holder, 0) + 1
        if self._cut_from[holder] < len(at(self.document.json, holder)):
            return []
        emptied = cause.rule.emptied(holder)
        if not self.cascade and emptied != holder:
            pointer = f"{cause.target}/{cause.index}"
            self._blocking.append(_Obstacle(pointer, cause, emptied))
            return []
        return [(emptied, cause)]

    def _refusal(self, blocking: list[_Obstacle]) -> EditError:
        first = blocking[0]
        same = [other.reference.pointer for other in blocking if other.pointer == first.pointer]
        needed = first.reference.rule.keep
        return EditError(
            f"is still {'needed' if needed else 'referred to'} by {listed(same)}",
            file=self.document.path,
            pointer=first.pointer,
            remedy="remove or change that first" + ("" if needed else ", or use cascade=True"),
        )


def _names(reference: Reference) -> set[str]:
    """Return the pointers of everything that a reference depends on."""
    target = f"{reference.target}/{reference.index}"  # differs for pointers to parallel arrays
    value = reference.holder[reference.key]
    if not isinstance(value, str):
        return {target}
    segments = value.split("/")
    return {target, *("/".join(segments[:end]) for end in range(2, len(segments) + 1))}

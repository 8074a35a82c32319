"""Reordering of the elements of an array."""

from __future__ import annotations

from collections.abc import Iterable
from operator import index

from ligament.errors import EditError
from ligament.gltf.document import Document
from ligament.gltf.jsontext import collector_paused
from ligament.gltf.reindex.inspection import array_pointer, inspect
from ligament.gltf.reindex.rearrangement import Rearrangement


@collector_paused()
def reorder(
    document: Document, array: str, order: Iterable[int], *, allow_unknown: bool = False
) -> None:
    """Rearrange an array ("/nodes", "nodes"): `order` is new position → old index.

    Arrays that belong to it element by element follow, and the bytes of buffers.

    >>> reorder(document, "nodes", [2, 0, 1])
    """
    pointer = array_pointer(document, array)
    found = inspect(document, allow_unknown=allow_unknown)
    rearrangement = Rearrangement(document, found, {pointer: (wanted := [index(i) for i in order])})
    size = len(rearrangement.arrays[pointer])
    if sorted(wanted) != list(range(size)):
        raise EditError(
            f"the order of {len(wanted)} elements is not a permutation",
            file=document.path,
            pointer=pointer,
            remedy=f"name each of 0 to {size - 1} once",
        )
    rearrangement.apply()

"""Preconditions of reindexing: every index is known and valid."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ligament.errors import EditError
from ligament.gltf import references
from ligament.gltf.document import Document
from ligament.gltf.references import Reference


def inspect(document: Document, *, allow_unknown: bool, loose: bool = False) -> list[Reference]:
    """List every reference; raise EditError if one may be unknown or is invalid.

    `allow_unknown` means that unregistered extensions contain no indices; `loose` adds pointers to
    values outside all arrays.
    """
    unknown = {} if allow_unknown else references.unknown_extensions(document)
    for name, pointer in unknown.items():
        raise EditError(
            f"{name} may hold indices that are not known",
            file=document.path,
            pointer=pointer,
            remedy="pass allow_unknown=True if it refers to nothing by index",
        )
    found = list(references.references(document, loose=loose))
    sizes = {name: len(items) for name, items in references.arrays(document).items()}
    for reference in found:
        if reference.index >= sizes.get(reference.target, 0):
            raise _dangling(document, reference, sizes.get(reference.target, 0))
    return found


def array_pointer(document: Document, array: str) -> str:
    """Return the pointer of an array given as "/nodes" or "nodes"; EditError if there is none."""
    pointer = array if array.startswith("/") else f"/{array}"
    present = references.arrays(document)
    if pointer not in present:
        raise EditError(
            "this is not an array whose elements can be moved",
            file=document.path,
            pointer=pointer,
            remedy=f"the document has {', '.join(present) or 'none'}",
        )
    return pointer


def parallel_arrays(document: Document) -> dict[str, list[Any]]:
    """Return the arrays that follow another; EditError if the lengths differ."""
    found = references.parallel_arrays(document)
    sizes = {name: len(items) for name, items in references.arrays(document).items()}
    for name, items in found.items():
        partner = references.partners()[name]
        if len(items) != sizes.get(partner, 0):
            raise EditError(
                f"has {len(items)} elements, {partner} has {sizes.get(partner, 0)}",
                file=document.path,
                pointer=name,
                remedy="the two must be equally long",
            )
    return found


def listed(names: Iterable[str], most: int = 5) -> str:
    """Join pointers for a message, the first few of them."""
    shown: Sequence[str] = list(names)
    rest = f" and {len(shown) - most} more" if len(shown) > most else ""
    return ", ".join(shown[:most]) + rest


def _dangling(document: Document, reference: Reference, size: int) -> EditError:
    return EditError(
        f"names element {reference.index} of {reference.target}, which has {size}",
        file=document.path,
        pointer=reference.pointer,
        remedy="fix it first: an edit could make it name a wrong object",
    )

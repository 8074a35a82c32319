"""Places in a document of which something is known, and what lies at and around them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property


class Places:
    """A set of JSON pointers."""

    def __init__(self, pointers: Iterable[str]) -> None:
        self._exact = set(pointers)
        self._parents = {pointer.rpartition("/")[0] for pointer in self._exact}

    @cached_property
    def _above(self) -> set[str]:
        return {
            pointer[:end]
            for pointer in self._exact
            for end, character in enumerate(pointer)
            if character == "/"
        }

    def at_or_below(self, pointer: str) -> bool:
        """Tell whether one of the places is this one, or lies below it."""
        return pointer in self._exact or pointer in self._above

    def adjoin(self, pointer: str) -> bool:
        """Tell whether one of the places is this one, its parent or a child of it."""
        parent = pointer.rpartition("/")[0]
        return pointer in self._exact or parent in self._exact or pointer in self._parents

"""Places in a document, and whether one of them lies at, above or below another."""

from __future__ import annotations

from collections.abc import Iterable


class Places:
    """JSON pointers of which something is known."""

    def __init__(self, pointers: Iterable[str]) -> None:
        self._exact = set(pointers)
        self._above = {
            pointer[:end]
            for pointer in self._exact
            for end, character in enumerate(pointer)
            if character == "/" and end
        }

    def concern(self, pointer: str) -> bool:
        """Tell whether one of the places is this one, lies above it (but the root) or below."""
        if pointer in self._exact or pointer in self._above:
            return True
        end = pointer.rfind("/")
        while end > 0:
            if pointer[:end] in self._exact:
                return True
            end = pointer.rfind("/", 0, end)
        return False

"""Arrays of the new document that other objects count in: equal elements are written once."""

from __future__ import annotations

from typing import Any

import msgspec


class Table:
    """An array that grows by what is not in it yet."""

    def __init__(self) -> None:
        self.items: list[dict[str, Any]] = []
        self._places: dict[bytes, int] = {}

    def place(self, content: dict[str, Any]) -> int:
        """Return the index of an element with this content."""
        key = msgspec.json.encode(content, order="sorted")
        if key not in self._places:
            self._places[key] = len(self.items)
            self.items.append(content)
        return self._places[key]


def present(**members: Any) -> dict[str, Any]:
    """Return an object of the members that are not None and not empty."""
    return {name: value for name, value in members.items() if value is not None and value != []}

"""Names of nodes as a picture can show them."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence

LONGEST = 28


class Labels:
    """What nodes are called in a picture, by index.

    A name that several nodes have, or that cannot be shown as it is, is followed by the index.
    Control characters are left out; `can_draw` tells which of the others the type has.
    """

    def __init__(self, names: Sequence[str | None], can_draw: Callable[[str], bool]) -> None:
        self._names, self._can_draw = names, can_draw
        self._counts = Counter(names)

    def __call__(self, node: int) -> str:
        """Name a node."""
        name = self._names[node] if 0 <= node < len(self._names) else None
        shown = self._shown(name or "")
        if not shown:
            return f"node {node}"
        if shown != name or self._counts[name] > 1:
            return f"{shown} (node {node})"
        return shown

    def _shown(self, name: str) -> str:
        seen = "".join(c if c.isspace() else self._character(c) for c in name)
        seen = " ".join(seen.split())
        return seen if len(seen) <= LONGEST else f"{seen[: LONGEST - 1]}…"

    def _character(self, character: str) -> str:
        if unicodedata.category(character).startswith("C"):
            return ""
        return character if self._can_draw(character) else "□"

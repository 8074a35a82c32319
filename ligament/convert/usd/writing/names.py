"""Names of prims: those of the file as far as identifiers can hold them, made different."""

from __future__ import annotations

import re
from typing import Final

_OTHER: Final = re.compile(r"[^A-Za-z0-9_]")
_LONGEST: Final = 80


class Names:
    """Gives every child of a prim a name of its own, in ASCII: letters, digits, underscores."""

    def __init__(self) -> None:
        self._taken: dict[str, set[str]] = {}
        self._next: dict[tuple[str, str], int] = {}

    def give(self, parent: str, wanted: str | None, otherwise: str) -> str:
        """Return a new path below the path of a prim."""
        taken = self._taken.setdefault(parent, set())
        stem = _identifier(wanted or "") or otherwise
        name, number = stem, self._next.get((parent, stem), 2)
        while name in taken:
            name, number = f"{stem}_{number}", number + 1
        self._next[parent, stem] = number
        taken.add(name)
        return f"{parent}/{name}"


def shown(name: str) -> str:
    """Return a name as UTF-8 can hold it, for people to read."""
    return name.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def _identifier(name: str) -> str:
    """Replace what no identifier holds by underscores; empty where nothing else is left."""
    found = _OTHER.sub("_", name)[:_LONGEST]
    if not found.strip("_"):
        return ""
    return f"_{found}" if found[0].isdigit() else found

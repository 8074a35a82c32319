"""Patterns of JSON pointers from tables: animated members, indices, what turns."""

from __future__ import annotations

from ligament.extensions.tables.objects import Each, Holder, Nested
from ligament.extensions.tables.rows import Flag, Index, Indices, Number, Row
from ligament.extensions.tables.table import Table


def mutable(at: str, form: Table) -> dict[str, Number | Flag]:
    """Return the rows of members that an animation may change, by pattern."""
    found = form.walk(at)
    return {at: row for at, row in found if isinstance(row, Number | Flag) and row.animated}


def indices(at: str, form: Table, root: str) -> dict[str, str]:
    """Return the index members of the object `at`: pattern to target.

    `root` is the extension whose root object holds arrays without a slash. `!` marks the object
    that goes with the target of an essential index, `+` the one that goes with the last element of
    an essential list.
    """
    patterns, owners, lists = {}, [at], list[str]()
    for pattern, row in form.walk(at):
        if isinstance(row, Holder):
            owners += [] if isinstance(row, Nested) and row.essential else [pattern + row.below]
            lists += [pattern] if isinstance(row, Each) and row.essential else []
        elif isinstance(row, Index) and row.array:
            mark = "!" if row.essential else ""
            patterns[_marked(pattern, mark, owners, lists)] = target(row.array, root)
        elif isinstance(row, Indices) and row.array:
            mark = "+" if row.essential else ""
            patterns[f"{_marked(pattern, mark, owners, lists)}/*"] = target(row.array, root)
    return patterns


def _marked(pattern: str, mark: str, owners: list[str], lists: list[str]) -> str:
    """Mark the object that a member belongs to, and the owners of the lists that it is in."""
    owner = max((place for place in owners if pattern.startswith(f"{place}/")), key=len)
    marked = f"{owner}{mark}{pattern.removeprefix(owner)}"
    for place in lists:
        if pattern.startswith(f"{place}/*"):
            head, _, name = place.rpartition("/")
            marked = f"{head}+/{name}{marked.removeprefix(place)}"
    return marked


def target(array: str, root: str) -> str:
    """Return the pointers of the arrays that an index counts in; `root` is the extension's."""
    names = array.split(" | ")
    return " | ".join(n if n.startswith("/") else f"/extensions/{root}/{n}" for n in names)


def turning(at: str, form: Table) -> dict[str, Row]:
    """Return the vectors and rotations that turn with the axes of their node, by pattern."""
    return {
        f"{pattern}/{row.name}": row
        for pattern, below in form.objects(at)
        for row in below.rows
        if row.turns
    }

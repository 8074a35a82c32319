"""The reference page: every member of every object, in the words of the tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Any, NamedTuple

from ligament.extensions.tables.objects import Holder
from ligament.extensions.tables.rows import NOWHERE, Index, Indices, Row
from ligament.extensions.tables.table import Table
from ligament.extensions.tables.variants import Parameters
from ligament.gltf import pointers

HEAD = "| member | value | default | animated | |\n|-|-|-|-|-|"


class Section(NamedTuple):
    """One kind of object: its title, its table, and the patterns of its places."""

    title: str
    text: str
    patterns: list[str]


def sections(places: Iterable[tuple[str, Table]]) -> Iterator[Section]:
    """Yield each kind of object that has members at and below some places, by their titles."""
    found: dict[tuple[str, str], list[str]] = {}
    for place, form in places:
        for pattern, below in form.objects(place):
            about = f"{below.about}\n\n" if below.about else ""
            text = about + "\n".join([HEAD, *_lines(below)])
            found.setdefault((_title(pattern), text), []).append(pattern)
    for (title, text), patterns in sorted(found.items(), key=lambda item: item[0][0]):
        yield Section(title, text, [*dict.fromkeys(patterns)])


def _title(pattern: str) -> str:
    """Name the objects at a pattern by its last member."""
    members = [segment for segment in pointers.split(pattern) if segment != "*"]
    if "extensions" not in members[-2:]:
        return members[-1]
    return "nodes" if members[0] == "nodes" else "root"


def _lines(table: Table) -> Iterator[str]:
    """Yield the lines of the table of an object's own members."""
    for row in table.rows:
        yield from (_line(member, name) for name, member in row.members() if "/" not in name)


def _line(row: Row, name: str = "") -> str:
    names = " or ".join(f"`{each}`" for each in dict.fromkeys((name or row.name, *row.names)))
    about = row.meaning or (row.table.about if isinstance(row, Holder) else "")
    need = "required for its type" if isinstance(row, Parameters) and row.needed else ""
    cells = (
        names,
        _value(row),
        need or _default(row),
        "yes" if row.animated else "",
        _sentences(about, _revisions(row.since, row.until)),
    )
    return f"| {' | '.join(cells)} |"


def _sentences(*texts: str) -> str:
    return " ".join(f"{text.rstrip('.')}." for text in texts if text)


def _value(row: Row) -> str:
    """Describe the values that a member may have."""
    words = _described(row.content())
    array = row.array if isinstance(row, Index | Indices) else ""
    if array:
        array = array.replace(" | ", "` or `")
        words = words.replace("integers", "indices").replace("integer", "index")
        words = f"{words.removesuffix(' from 0')} in `{array}`"
    return f"{words} [{row.unit}]" if row.unit else words


def _described(schema: dict[str, Any], plural: str = "") -> str:
    """Describe JSON in a few words, from its schema."""
    if not schema:
        return "anything"
    if "enum" in schema:
        return ", ".join(f"`{word}`" for word in schema["enum"])
    kind = schema.get("type", "object")
    if kind == "array":
        least, most = schema.get("minItems"), schema.get("maxItems")
        of = _described(schema["items"], "s")
        return f"{most} {of}" if least == most is not None else f"list of {of}"
    least, above = schema.get("minimum"), schema.get("exclusiveMinimum")
    bounds = [] if least is None else [f"from {least:g}"]
    bounds += [] if above is None else [f"above {above:g}"]
    bounds += [f"to {schema['maximum']:.12g}"] if "maximum" in schema else []
    return " ".join([f"{kind}{plural}", *bounds])


def _default(row: Row) -> str:
    if row.required or not row.is_defined or row.default == ():
        return "required" if row.required else ""
    return f"`{_json(row.json(row.default, NOWHERE))}`"


def _json(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_json, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def _revisions(since: StrEnum | None, until: StrEnum | None) -> str:
    if since is not None and since == until:
        return f"Only in `{since}`"
    words = [f"since `{since}`"] if since else []
    words += [f"until `{until}`"] if until else []
    text = ", ".join(words)
    return text[:1].upper() + text[1:]

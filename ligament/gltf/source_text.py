"""JSON source text: locations of members (bytes, lines, columns), and minimal edits.

The text is valid JSON, such as `jsontext.decode` has taken; nothing here checks it again.
"""

from __future__ import annotations

import bisect
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ligament.gltf import jsontext, pointers

_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_SPACE = re.compile(rb"[ \t\r\n]*+")
_SCALAR = re.compile(_STRING + rb"|[^\s,\]}]++", re.DOTALL)
_BRACKET = re.compile(_STRING + rb"|[{}\[\]]", re.DOTALL)

_OPENING, _CLOSING = b"{[", b"}]"


class Member(NamedTuple):
    """A member of an object or an element of an array, as offsets in the text [bytes].

    `start` is that of the quoted name; an element has none and starts with its value.
    """

    name: str
    start: int
    value: int
    end: int


class Place(NamedTuple):
    """A range of text as editors count: lines and columns from 1, `end_column` is one past it."""

    line: int
    column: int
    end_line: int
    end_column: int


def root(text: bytes) -> int:
    """Return the offset of the outermost value."""
    return _after_space(text, len(jsontext.BOM) if text.startswith(jsontext.BOM) else 0)


def members(text: bytes, start: int) -> Iterator[Member]:
    """Yield the direct members of the container that opens at `start`; a scalar has none."""
    if text[start] not in _OPENING:
        return
    named = text[start] == ord("{")
    place = _after_space(text, start + 1)
    index = 0
    while text[place] not in _CLOSING:
        name, value = _name(text, place) if named else (str(index), place)
        end = end_of(text, value)
        yield Member(name, place, value, end)
        place = _after_space(text, end)
        place = _after_space(text, place + 1) if text[place] == ord(",") else place
        index += 1


def end_of(text: bytes, start: int) -> int:
    """Return the offset just past the value that starts at `start`."""
    if text[start] not in _OPENING:
        return _match(_SCALAR, text, start)
    depth = 0
    for token in _BRACKET.finditer(text, start):
        byte = text[token.start()]
        depth += (byte in _OPENING) - (byte in _CLOSING)
        if not depth:
            return token.end()
    raise AssertionError("the text is not valid JSON")


def locate(text: bytes, wanted: Iterable[str]) -> dict[str, Place]:
    """Find JSON pointers in a text; one that leads nowhere gets the place of its nearest owner.

    >>> locate(b'{"nodes": [{}]}', ["/nodes/0"])
    {'/nodes/0': Place(line=1, column=12, end_line=1, end_column=14)}
    """
    pointers_wanted = list(dict.fromkeys(wanted))
    spans = _spans(text, pointers_wanted)
    lines = _Lines(text)
    return {pointer: lines.place(*_nearest(spans, pointer)) for pointer in pointers_wanted}


def _spans(text: bytes, wanted: list[str]) -> dict[str, tuple[int, int]]:
    """Return (start, end) of the pointers that lead somewhere, and of all their owners."""
    outermost = root(text)
    spans = {"": (outermost, end_of(text, outermost))}
    pending = [("", outermost, _branches(wanted))]
    while pending:
        pointer, start, branches = pending.pop()
        for member in members(text, start) if branches else ():
            if member.name in branches:
                place = pointers.join(pointer, member.name)
                spans[place] = (member.start, member.end)
                pending.append((place, member.value, branches[member.name]))
    return spans


def _branches(wanted: list[str]) -> dict[str, Any]:
    """Sort pointers into a tree of their segments."""
    tree: dict[str, Any] = {}
    for pointer in wanted:
        branch = tree
        for segment in pointers.split(pointer):
            branch = branch.setdefault(segment, {})
    return tree


def _nearest(spans: dict[str, tuple[int, int]], pointer: str) -> tuple[int, int]:
    while pointer not in spans:
        pointer = pointer.rpartition("/")[0]
    return spans[pointer]


def _name(text: bytes, place: int) -> tuple[str, int]:
    """Return the name at `place`, and the offset of its value."""
    end = _match(_SCALAR, text, place)
    colon = _after_space(text, end)
    return json.loads(text[place:end]), _after_space(text, colon + 1)


def _after_space(text: bytes, start: int) -> int:
    return _match(_SPACE, text, start)


def _match(pattern: re.Pattern[bytes], text: bytes, start: int) -> int:
    found = pattern.match(text, start)
    assert found is not None  # valid JSON has a value here
    return found.end()


class _Lines:
    """The starts of the lines of a text, to turn offsets into lines and columns."""

    def __init__(self, text: bytes) -> None:
        self.text, self.is_ascii = text, text.isascii()
        first = len(jsontext.BOM) if text.startswith(jsontext.BOM) else 0
        self.starts = [first, *(found.end() for found in re.finditer(rb"\n", text))]

    def place(self, start: int, end: int) -> Place:
        return Place(*self._position(start), *self._position(end))

    def _position(self, offset: int) -> tuple[int, int]:
        line = bisect.bisect_right(self.starts, offset)
        start = self.starts[line - 1]
        before = offset - start if self.is_ascii else len(self.text[start:offset].decode())
        return line, before + 1


class _Edit(NamedTuple):
    """Bytes from `start` to `end` that become others."""

    start: int
    end: int
    content: bytes


def patch(text: bytes, before: dict[str, Any], after: dict[str, Any]) -> bytes:
    """Return `text`, which encodes `before`, edited to encode `after`; the rest keeps its bytes.

    >>> patch(b'{ "a" : 1.50, "b" : 2 }', {"a": 1.5, "b": 2}, {"a": 1.5, "b": 3, "c": []})
    b'{ "a" : 1.50, "b" : 3, "c" : [] }'
    """
    pieces: list[bytes] = []
    kept = 0
    for edit in sorted(_edits(text, before, after), key=lambda edit: edit.start):
        pieces += [text[kept : edit.start], edit.content]
        kept = edit.end
    return b"".join([*pieces, text[kept:]])


def _edits(text: bytes, before: Any, after: Any) -> Iterator[_Edit]:
    """Find the smallest values that differ; containers that only grew keep their members."""
    pending: list[tuple[int, Any, Any]] = [(root(text), before, after)]
    while pending:
        start, old, new = pending.pop()
        # Compared as text, for which 0.0 and -0.0, 1 and true are not the same.
        if jsontext.encode(old) == jsontext.encode(new):
            continue
        if not _grew(old, new):
            yield _Edit(start, end_of(text, start), jsontext.encode(new))
            continue
        existing = list(members(text, start))
        pending += zip([m.value for m in existing], _values(old), _values(new), strict=False)
        if isinstance(new, dict):
            yield from _renamed(text, existing, list(new))
        yield from _appended(text, start, existing, new)


def _grew(old: Any, new: Any) -> bool:
    """Return whether a container is of the same kind as before, and no shorter."""
    same = type(old) is type(new) and isinstance(old, (dict, list))
    return same and 0 < len(old) <= len(new)


def _values(container: Any) -> list[Any]:
    return list(container.values()) if isinstance(container, dict) else container


def _renamed(text: bytes, existing: list[Member], names: list[str]) -> Iterator[_Edit]:
    for member, name in zip(existing, names, strict=False):
        if member.name != name:
            end = end_of(text, member.start)
            yield _Edit(member.start, end, jsontext.encode(name))


def _appended(text: bytes, start: int, existing: list[Member], new: Any) -> Iterator[_Edit]:
    """Add new members after the last one, separated as the last two are."""
    last = existing[-1]
    gap = (
        text[existing[-2].end : last.start]
        if len(existing) > 1
        else b"," + text[start + 1 : last.start]
    )
    if isinstance(new, dict):
        colon = text[end_of(text, last.start) : last.value]
        added = [jsontext.encode(k) + colon + jsontext.encode(v) for k, v in new.items()]
    else:
        added = [jsontext.encode(value) for value in new]
    fresh = added[len(existing) :]
    if fresh:
        yield _Edit(last.end, last.end, b"".join(gap + item for item in fresh))

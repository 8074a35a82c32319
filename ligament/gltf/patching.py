"""JSON text brought up to date: what did not change keeps its bytes, white space and all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ligament.gltf import jsontext, positions
from ligament.gltf.positions import Member


class _Edit(NamedTuple):
    """Bytes from `start` to `end` that become others."""

    start: int
    end: int
    content: bytes


def patch(text: bytes, before: dict[str, Any], after: dict[str, Any]) -> bytes:
    """Return `text`, which says `before`, changed where it must be to say `after`.

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
    """Find the smallest values that differ; containers that only grew keep what they held."""
    pending: list[tuple[int, Any, Any]] = [(positions.root(text), before, after)]
    while pending:
        start, old, new = pending.pop()
        # Compared as text, for which 0.0 and -0.0, 1 and true are not the same.
        if jsontext.encode(old) == jsontext.encode(new):
            continue
        if not _grew(old, new):
            yield _Edit(start, positions.end_of(text, start), jsontext.encode(new))
            continue
        held = list(positions.members(text, start))
        pending += zip([m.value for m in held], _values(old), _values(new), strict=False)
        if isinstance(new, dict):
            yield from _renamed(text, held, list(new))
        yield from _appended(text, start, held, new)


def _grew(old: Any, new: Any) -> bool:
    """Tell whether a container is of the same kind as before, and no shorter."""
    same = type(old) is type(new) and isinstance(old, (dict, list))
    return same and 0 < len(old) <= len(new)


def _values(container: Any) -> list[Any]:
    return list(container.values()) if isinstance(container, dict) else container


def _renamed(text: bytes, held: list[Member], names: list[str]) -> Iterator[_Edit]:
    for member, name in zip(held, names, strict=False):
        if member.name != name:
            end = positions.end_of(text, member.start)
            yield _Edit(member.start, end, jsontext.encode(name))


def _appended(text: bytes, start: int, held: list[Member], new: Any) -> Iterator[_Edit]:
    """Add what is new after the last member, set apart as the last two are from each other."""
    last = held[-1]
    gap = text[held[-2].end : last.start] if len(held) > 1 else b"," + text[start + 1 : last.start]
    if isinstance(new, dict):
        colon = text[positions.end_of(text, last.start) : last.value]
        added = [jsontext.encode(k) + colon + jsontext.encode(v) for k, v in new.items()]
    else:
        added = [jsontext.encode(value) for value in new]
    fresh = added[len(held) :]
    if fresh:
        yield _Edit(last.end, last.end, b"".join(gap + item for item in fresh))

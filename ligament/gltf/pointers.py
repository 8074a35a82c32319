"""JSON pointers (RFC 6901) and the names of JSON types."""

from __future__ import annotations

import re
from typing import Any

from ligament.errors import ContentError

_INDEX = re.compile(r"0|[1-9][0-9]{0,15}")
_STEP = re.compile(r"\.(?P<name>[^.\[\]`]+)|\[(?P<index>[^\]]*)\]")
_AT = re.compile(r"^(?P<message>.*?)(?: - at `(?:key in )?\$(?P<path>[^`]*)`)?$", re.DOTALL)


def join(*parts: str | int) -> str:
    """Append segments to a pointer: join("/nodes", 3, "a/b") is "/nodes/3/a~1b"."""
    base, *rest = parts
    return str(base) + "".join(f"/{escape(str(part))}" for part in rest)


def escape(segment: str) -> str:
    """Escape one segment."""
    return segment.replace("~", "~0").replace("/", "~1")


def split(pointer: str) -> list[str]:
    """Split a pointer into unescaped segments."""
    segments = pointer.split("/")[1:]
    if "~" not in pointer:  # nearly always, and pointers are split very often
        return segments
    return [s.replace("~1", "/").replace("~0", "~") for s in segments]


def find(root: Any, pointer: str, default: Any = None) -> Any:
    """Return the value at `pointer`, or `default` where there is none."""
    if pointer and not pointer.startswith("/"):
        return default
    value = root
    for segment in split(pointer):
        if isinstance(value, dict) and segment in value:
            value = value[segment]
        elif isinstance(value, list) and _INDEX.fullmatch(segment) and int(segment) < len(value):
            value = value[int(segment)]
        else:
            return default
    return value


def replaced(root: Any, pointer: str, **members: Any) -> Any:
    """Return a copy of `root` in which the object at `pointer` has other members (None: removed).

    Only the containers on its path are copied; everything else is shared.
    """
    return _replaced(root, split(pointer), members)


def _replaced(value: Any, segments: list[str], members: dict[str, Any]) -> Any:
    if not segments:
        removed = {name for name, item in members.items() if item is None}
        return {k: v for k, v in {**value, **members}.items() if k not in removed}
    head, *rest = segments
    if isinstance(value, list):
        copy = list(value)
        copy[int(head)] = _replaced(value[int(head)], rest, members)
        return copy
    return {**value, head: _replaced(value[head], rest, members)}


def kind_of(value: Any) -> str:
    """Name the JSON type of a value, with its article, for messages."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case str():
            return "a string"
        case int() | float():
            return "a number"
        case dict():
            return "an object"
        case list() | tuple():
            return "an array"
    return type(value).__name__


def found(value: Any) -> str:
    """Show a value in a message, shortened."""
    text = repr(value) if isinstance(value, (str, int, float)) else kind_of(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def from_msgspec(text: str, base: str = "") -> tuple[str, str]:
    """Split a msgspec message into what it says and the JSON pointer of the place it names."""
    match = _AT.match(text)
    assert match is not None  # the pattern matches every text
    pointer = base
    for step in _STEP.finditer(match["path"] or ""):
        if step["index"] == "...":
            break
        pointer = join(pointer, step["name"] or step["index"])
    return match["message"], pointer


def wrong(value: Any, pointer: str, valid: str) -> ContentError:
    """Build the error for a member of the wrong type or range."""
    return ContentError(f"found {found(value)}", pointer=pointer, remedy=f"it must be {valid}")

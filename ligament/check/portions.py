"""What a validator is given at once.

It holds all that it finds at once, two kilobytes for every element that is wrong, of which a file
can have one in every two bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import jsonschema_rs

from ligament.check.schemas import Validator

Error = jsonschema_rs.ValidationError
Path = list[str | int]

MOST = 100_000
"""Elements of arrays and members of objects that are judged at once."""


class _Portion(NamedTuple):
    """A part of some content: where its array stands, and how many elements come before."""

    content: Any
    array: Path
    offset: int = 0

    def place(self, path: Path) -> Path | None:
        """Return where something is in the whole, None for what other portions tell."""
        depth = len(self.array)
        if path[:depth] != self.array or len(path) <= depth:
            return None
        return [*self.array, self.offset + int(path[depth]), *path[depth + 1 :]]


def errors(judge: Validator, content: Any) -> Iterator[tuple[Path, Error]]:
    """Yield every breach of a schema and its place.

    An element that is too large to be judged at once has one at most.
    """
    if _size(content) <= MOST:
        yield from ((error.instance_path, error) for error in _all_errors(judge, content))
        return
    if isinstance(content, dict):
        yield from _of_members(judge, content)
    for portion in _portions(content):
        for error in _errors_at_once(judge, portion.content):
            if (place := portion.place(error.instance_path)) is not None:
                yield place, error


def _of_members(judge: Validator, content: dict[str, Any]) -> Iterator[tuple[Path, Error]]:
    """Judge an object as if the arrays in it had nothing wrong in them."""
    emptied: list[Path] = [[name] for name, value in content.items() if value and _is_list(value)]
    for error in _errors_at_once(judge, _without_elements(content)):
        if error.instance_path not in emptied or error.kind.name != "minItems":
            yield error.instance_path, error


def _portions(content: Any) -> Iterator[_Portion]:
    if isinstance(content, list):
        yield from (_Portion(run, [], start) for start, run in _runs(content))
    elif isinstance(content, dict):
        rest = _without_elements(content)
        for name in filter(lambda name: _is_list(content[name]), content):
            for start, run in _runs(content[name]):
                yield _Portion({**rest, name: run}, [name], start)


def _runs(elements: list[Any]) -> Iterator[tuple[int, list[Any]]]:
    """Take a list apart: where each part starts, and its elements, one of them at least."""
    start, size = 0, 0
    for index, element in enumerate(elements):
        own = 1 + _size(element)
        if size + own > MOST // 2 and index > start:  # there is more around them
            yield start, elements[start:index]
            start, size = index, 0
        size += own
    yield start, elements[start:]


def _without_elements(content: dict[str, Any]) -> dict[str, Any]:
    return {name: [] if _is_list(value) else value for name, value in content.items()}


def _errors_at_once(judge: Validator, content: Any) -> list[Error]:
    return _all_errors(judge, content) if _size(content) <= MOST else _first_error(judge, content)


def _all_errors(judge: Validator, content: Any) -> list[Error]:
    try:
        return [*judge.iter_errors(content)]
    except (ValueError, UnicodeEncodeError):
        return []  # what JSON text cannot hold, and no file can bring along


def _first_error(judge: Validator, content: Any) -> list[Error]:
    try:
        judge.validate(content)
    except Error as error:
        return [error]
    except (ValueError, UnicodeEncodeError):
        pass
    return []


def _size(content: Any) -> int:
    """Count what is in arrays and objects, until it is too much to be judged at once."""
    total, left = 0, [content]
    while left and total <= MOST:
        value = left.pop()
        if isinstance(value, dict | list):
            total += len(value)
            if total <= MOST:
                left.extend(value.values() if isinstance(value, dict) else value)
    return total


def _is_list(value: Any) -> bool:
    return isinstance(value, list)

"""Rules about the structure of extensions, by the JSON Schemas of this project.

A validator holds all its errors in memory, two kilobytes for every invalid element, and a file can
have one in every two bytes: large content is validated in portions.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jsonschema_rs

from ligament.checker.schemas import INDEX, SHAPES, Validator, schemas, validator
from ligament.checker.subject import Subject
from ligament.findings import Finding, finding
from ligament.gltf import pointers
from ligament.gltf.jsontext import Overflow, rebuild

MOST = 100_000
"""Elements of arrays and members of objects validated at once."""

NODES = 1_000
"""Nodes validated at once."""

Error = jsonschema_rs.ValidationError

Path = list[str | int]


RANGE = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")

CODES: dict[str, str] = {
    "type": "TYPE_MISMATCH",
    **dict.fromkeys(RANGE, "VALUE_NOT_IN_RANGE"),
    "enum": "VALUE_NOT_IN_LIST",
    "const": "VALUE_NOT_IN_LIST",
    "required": "UNDEFINED_PROPERTY",
    "additionalProperties": "UNEXPECTED_PROPERTY",
    "falseSchema": "UNEXPECTED_PROPERTY",
    "minItems": "ARRAY_LENGTH_NOT_IN_LIST",
    "maxItems": "ARRAY_LENGTH_NOT_IN_LIST",
    "minLength": "UNDEFINED_PROPERTY",
    "uniqueItems": "DUPLICATE_ELEMENTS",
    "oneOf": "ONE_OF_MISMATCH",
    "anyOf": "ONE_OF_MISMATCH",
    "not": "ONE_OF_MISMATCH",
}
"""Wording of a violated keyword."""

REMEDIES = {
    "TYPE_MISMATCH": "write a value of that type",
    "VALUE_NOT_IN_RANGE": "use a number in that range",
    "VALUE_NOT_IN_LIST": "use one of them",
    "UNDEFINED_PROPERTY": "add it",
    "UNEXPECTED_PROPERTY": "move it to extras or remove it",
    "EMPTY_ENTITY": "fill or remove it",
    "ARRAY_LENGTH_NOT_IN_LIST": "give it as many elements",
    "DUPLICATE_ELEMENTS": "name every element once",
    "ONE_OF_MISMATCH": "keep exactly one of them",
}


def schema_rules(subject: Subject) -> Iterator[Finding]:
    """Yield every violation of the schemas."""
    index = schemas()[INDEX]
    extensions = subject.json.get("extensions")
    plain = _finite if subject.overflows else _same
    for name, content in extensions.items() if isinstance(extensions, dict) else ():
        if name in index["root"]:
            judge = validator(index["root"][name])
            yield from _violations(judge, plain(content), ["extensions", name])
    if "shapes" in subject.json:
        judge = validator(SHAPES)
        yield from _violations(judge, plain(subject.json["shapes"]), ["shapes"])
    for name, carried in subject.carriers.items():
        if name in index["node"]:
            yield from _of_nodes(name, validator(index["node"][name], many=True), carried, plain)


def _same(content: Any) -> Any:
    return content


def _finite(content: Any) -> Any:
    """Return a copy in which numbers too large for a double are the largest doubles."""
    return rebuild(content, _finite_number)


def _finite_number(item: Any) -> Any:
    return math.copysign(sys.float_info.max, item) if isinstance(item, Overflow) else item


def _of_nodes(
    name: str,
    judge: Validator,
    carried: list[tuple[int, Any]],
    plain: Callable[[Any], Any],
) -> Iterator[Finding]:
    """Validate many nodes at once: the overhead per call exceeds the validation."""
    for start in range(0, len(carried), NODES):
        some = carried[start : start + NODES]
        for (place, *below), error in errors(judge, plain([content for _, content in some])):
            node, _ = some[int(place)]
            yield from _findings(error, ["nodes", node, "extensions", name, *below])


def _violations(judge: Validator, content: Any, path: Path) -> Iterator[Finding]:
    for place, error in errors(judge, content):
        yield from _findings(error, [*path, *place])


def _findings(error: Error, path: Path) -> Iterator[Finding]:
    keyword = error.kind.name
    code = CODES.get(keyword, "ONE_OF_MISMATCH")
    if keyword == "minItems" and error.instance == []:
        code = "EMPTY_ENTITY"
    places: list[Path] = [path]
    if keyword == "additionalProperties":
        places = [[*path, name] for name in _member(error, "unexpected")]
    message = _MESSAGES.get(keyword, _found_message)(error)
    for place in places:
        yield finding(code, pointers.join("", *place), message, REMEDIES[code])


def _member(error: Error, name: str) -> Any:
    """Return the attribute of one kind of error; the library has no types for these."""
    return getattr(error.kind, name)


def _found_message(error: Error) -> str:
    text = error.message
    return text if len(text) <= 120 else f"{text[:117]}..."


_MESSAGES: dict[str, Callable[[Error], str]] = {
    "required": lambda error: f"{_member(error, 'property')} is missing",
    "type": lambda error: f"found {pointers.found(error.instance)}",
    "enum": lambda error: f"found {pointers.found(error.instance)}",
    "additionalProperties": lambda _: "unknown member",
    "falseSchema": lambda _: "the member has no meaning together with the others",
    "oneOf": lambda _: "none or several of these mutually exclusive members are present",
    "anyOf": lambda _: "none of the required members is present",
    "not": lambda _: "mutually exclusive members are present",
}


class _Portion(NamedTuple):
    """A portion of some content: the pointer of its array, and how many elements precede it."""

    content: Any
    array: Path
    offset: int = 0

    def place(self, path: Path) -> Path | None:
        """Return the pointer in the whole document, None for what other portions report."""
        depth = len(self.array)
        if path[:depth] != self.array or len(path) <= depth:
            return None
        return [*self.array, self.offset + int(path[depth]), *path[depth + 1 :]]


def errors(judge: Validator, content: Any) -> Iterator[tuple[Path, Error]]:
    """Yield every violation of a schema and its place.

    An element that is too large to be validated at once yields one at most.
    """
    if _is_valid(judge, content):
        return
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
    """Validate an object as if the arrays in it were valid."""
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
    """Split a list into runs of at least one element, each with its start."""
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


def _is_valid(judge: Validator, content: Any) -> bool:
    """Tell whether content is valid, in constant memory however large it is."""
    try:
        return judge.is_valid(content)
    except (ValueError, UnicodeEncodeError):
        return False


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
    """Count the contents of arrays and objects, up to the most validated at once."""
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

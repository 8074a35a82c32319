"""The structure of the extensions, by the JSON Schemas of this project."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ligament.check.portions import Error, Path, errors
from ligament.check.schemas import INDEX, Validator, schemas, validator
from ligament.check.subject import Subject
from ligament.findings import Finding, finding
from ligament.gltf import pointers

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
"""What a keyword that is not kept amounts to."""

REMEDIES = {
    "TYPE_MISMATCH": "write a value of that type",
    "VALUE_NOT_IN_RANGE": "use a number in that range",
    "VALUE_NOT_IN_LIST": "use one of them",
    "UNDEFINED_PROPERTY": "add it",
    "UNEXPECTED_PROPERTY": "move it to extras or remove it",
    "EMPTY_ENTITY": "fill or remove it",
    "ARRAY_LENGTH_NOT_IN_LIST": "give it as many elements",
    "DUPLICATE_ELEMENTS": "name every element once",
    "ONE_OF_MISMATCH": "keep exactly one of those that exclude each other",
}


def schema_rules(subject: Subject) -> Iterator[Finding]:
    """Yield every breach of the schemas."""
    index = schemas()[INDEX]
    extensions = subject.json.get("extensions")
    for name, content in extensions.items() if isinstance(extensions, dict) else ():
        if name in index["root"]:
            yield from _breaches(validator(index["root"][name]), content, ["extensions", name])
    if "shapes" in subject.json:
        yield from _breaches(validator("shapes.schema.json"), subject.json["shapes"], ["shapes"])
    for name, carried in subject.carriers.items():
        if name in index["node"]:
            yield from _of_nodes(name, validator(index["node"][name], many=True), carried)


def _of_nodes(name: str, judge: Validator, carried: list[tuple[int, Any]]) -> Iterator[Finding]:
    """Judge all nodes at once: going to and fro takes longer than judging."""
    for (place, *below), error in errors(judge, [content for _, content in carried]):
        node, _ = carried[int(place)]
        yield from _findings(error, ["nodes", node, "extensions", name, *below])


def _breaches(judge: Validator, content: Any, path: Path) -> Iterator[Finding]:
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
    message = _MESSAGES.get(keyword, _told)(error)
    for place in places:
        yield finding(code, pointers.join("", *place), message, REMEDIES[code])


def _member(error: Error, name: str) -> Any:
    """Return what an error of one kind alone knows; the library has no types for these."""
    return getattr(error.kind, name)


def _told(error: Error) -> str:
    text = error.message
    return text if len(text) <= 120 else f"{text[:117]}..."


_MESSAGES: dict[str, Callable[[Error], str]] = {
    "required": lambda error: f"{_member(error, 'property')} is missing",
    "type": lambda error: f"found {pointers.found(error.instance)}",
    "enum": lambda error: f"found {pointers.found(error.instance)}",
    "additionalProperties": lambda _: "the member is not known here",
    "falseSchema": lambda _: "the member has no meaning beside the others",
    "oneOf": lambda _: "none or several of the members that exclude each other are there",
    "anyOf": lambda _: "none of the members that are needed is there",
    "not": lambda _: "members that exclude each other are there",
}

"""The structure of the extensions, by the JSON Schemas of this project."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jsonschema_rs

from ligament.check.codes import finding
from ligament.check.schemas import schemas, validator
from ligament.check.subject import Subject
from ligament.findings import Finding
from ligament.gltf import pointers

Error = jsonschema_rs.ValidationError

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
    try:
        errors = [*validator().iter_errors(_extended(subject))]
    except (ValueError, UnicodeEncodeError):
        return  # what JSON text cannot hold, and no file can bring along
    for error in errors:
        yield from _findings(error)


def _extended(subject: Subject) -> dict[str, Any]:
    """Return the parts of a document that schemas speak of, in their places."""
    bare: dict[str, Any] = {}
    known = schemas()["index.json"]["node"]
    nodes = [
        {"extensions": _known(node, known)} if type(node) is dict and "extensions" in node else bare
        for node in subject.array("nodes")
    ]
    parts = {name: subject.json[name] for name in ("shapes",) if name in subject.json}
    root = _known(subject.json, schemas()["index.json"]["root"])
    return {**parts, "nodes": nodes, "extensions": root}


def _known(raw: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    extensions = raw.get("extensions")
    if not isinstance(extensions, dict):
        return {}
    return {name: extensions[name] for name in extensions if name in names}


def _findings(error: Error) -> Iterator[Finding]:
    keyword, path = error.kind.name, [*error.instance_path]
    code = CODES.get(keyword, "ONE_OF_MISMATCH")
    if keyword == "minItems" and error.instance == []:
        code = "EMPTY_ENTITY"
    places = [path]
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

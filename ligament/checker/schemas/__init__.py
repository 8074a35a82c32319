"""JSON Schemas (draft 2020-12) of the motion extensions, from the tables of their objects.

`index.json` maps extensions to their schemas; `gltf.schema.json` says where they apply in a file,
for editors.
`python -m ligament.checker.schemas FOLDER` writes all of them.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec

from ligament.extensions.members import PLACES
from ligament.extensions.registry import (
    KHR_COLLISION_SHAPES,
    KHR_PHYSICS_RIGID_BODIES,
    VRM,
    VRMC_NODE_CONSTRAINT,
    VRMC_SPRING_BONE,
    Dialect,
)
from ligament.extensions.tables.table import Table
from ligament.extensions.vrmc_node_constraint import Version

Validator = jsonschema_rs.Draft202012Validator
Json = dict[str, Any]

WHOLE = "gltf.schema.json"
INDEX = "index.json"
SHAPES = "shapes.schema.json"

_BASE = "file:///schemas/"
_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_PLACES = {"root": "at the root", "node": "on a node"}

REVISIONS = {
    KHR_PHYSICS_RIGID_BODIES: (
        "node",
        (Dialect.KHR, Dialect.KHR_2024_10, Dialect.KHR_2024_06, Dialect.KHR_2024_03),
    ),
    KHR_COLLISION_SHAPES: ("root", (Dialect.KHR_2024_06, Dialect.KHR_2024_03)),
    VRMC_NODE_CONSTRAINT: ("node", (Version.FINAL, Version.DRAFT)),
}
"""The revisions that have schemas of their own, for those who write one of them."""


UNCHECKED = frozenset({VRMC_SPRING_BONE, VRM})
"""Extensions without schemas: their readers leave out what they cannot use, and say so."""


@functools.cache
def schemas() -> dict[str, Json]:
    """Return all schemas by file name, and the index."""
    known: dict[str, Json] = {}
    index: Json = {"file": WHOLE, "root": {}, "node": {}, "revisions": {}}
    for name in (name for name in PLACES if name not in UNCHECKED):
        for pattern, table, _ in PLACES[name]:
            if pattern == "/shapes/*":
                each = {"type": "array", "items": table.schema(), "minItems": 1}
                known[SHAPES] = {"$schema": _DRAFT, "title": "Shapes of glTF 2.1", **each}
                continue
            place = "node" if pattern.startswith("/nodes") else "root"
            index[place][name] = _add(known, name, place, table)
            of_place, revisions = REVISIONS.get(name, ("", ()))
            for revision in revisions if place == of_place else ():
                file = _add(known, name, place, table.at(revision), revision)
                index["revisions"].setdefault(name, {}).setdefault(place, {})[revision] = file
    return {**known, INDEX: index, WHOLE: _whole(index)}


def _add(known: dict[str, Json], name: str, place: str, table: Table, revision: str = "") -> str:
    """Add the schema of a table, and return the name of its file."""
    words = (name, "node" if place == "node" else "", revision, "schema", "json")
    file = ".".join(word for word in words if word)
    title = f"{name} {_PLACES[place]}, {revision or 'any revision'}"
    known[file] = {"$schema": _DRAFT, "title": title, **table.schema()}
    return file


def _whole(index: Json) -> Json:
    """Return the schema of a file, which refers to all others."""

    def extended(place: str) -> Json:
        refs = {name: {"$ref": file} for name, file in index[place].items()}
        return {"type": "object", "properties": {"extensions": {"properties": refs}}}

    return {
        "$schema": _DRAFT,
        "title": "A glTF file with motion",
        "description": "Places of the rigid-body, node-constraint and humanoid extensions in a "
        "file; glTF has its own schemas.",
        "type": "object",
        "properties": {
            "extensions": extended("root")["properties"]["extensions"] | {"type": "object"},
            "shapes": {"$ref": SHAPES},
            "nodes": {"type": "array", "items": extended("node")},
        },
    }


@functools.cache
def validator(name: str = WHOLE, *, many: bool = False) -> Validator:
    """Return the validator of one schema, or of an array of such values."""
    schema: Json = {"$ref": f"{_BASE}{name}"}
    schema = {"type": "array", "items": schema} if many else schema
    return Validator(schema, registry=_registry(), base_uri=_BASE)


@functools.cache
def _registry() -> jsonschema_rs.Registry:
    known = schemas()
    files = [(f"{_BASE}{file}", known[file]) for file in sorted(known) if file != INDEX]
    return jsonschema_rs.Registry(files)


def write(folder: Path) -> None:
    """Write all schemas into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, schema in schemas().items():
        text = msgspec.json.format(msgspec.json.encode(schema), indent=2)
        (folder / name).write_bytes(text + b"\n")

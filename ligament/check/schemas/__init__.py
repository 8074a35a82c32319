"""JSON Schemas (draft 2020-12) of the extensions of motion, as files beside this one.

`index.json` leads from an extension to its schemas; `gltf.schema.json` says where they stand in a
file, and is what an editor is told to use.
"""

from __future__ import annotations

import functools
from importlib import resources
from typing import Any

import jsonschema_rs
import msgspec

WHOLE = "gltf.schema.json"
INDEX = "index.json"

_BASE = "file:///schemas/"


@functools.cache
def schemas() -> dict[str, Any]:
    """Return all schemas by the names of their files."""
    files = [file for file in resources.files(__name__).iterdir() if file.name.endswith(".json")]
    return {file.name: msgspec.json.decode(file.read_bytes()) for file in files}


@functools.cache
def validator(name: str = WHOLE) -> jsonschema_rs.Draft202012Validator:
    """Return the validator of one schema, ready to use."""
    known = {file: schema for file, schema in schemas().items() if file != INDEX}
    registry = jsonschema_rs.Registry([(f"{_BASE}{file}", known[file]) for file in sorted(known)])
    return jsonschema_rs.Draft202012Validator(
        {"$ref": f"{_BASE}{name}"}, registry=registry, base_uri=_BASE
    )

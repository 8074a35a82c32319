"""JSON Schemas (draft 2020-12) of the motion extensions, as files in this folder.

`index.json` maps extensions to their schemas; `gltf.schema.json` says where they apply in a file,
for editors.
"""

from __future__ import annotations

import functools
from importlib import resources
from typing import Any

import jsonschema_rs
import msgspec

Validator = jsonschema_rs.Draft202012Validator

WHOLE = "gltf.schema.json"
INDEX = "index.json"

_BASE = "file:///schemas/"


@functools.cache
def schemas() -> dict[str, Any]:
    """Return all schemas by file name."""
    files = [file for file in resources.files(__name__).iterdir() if file.name.endswith(".json")]
    return {file.name: msgspec.json.decode(file.read_bytes()) for file in files}


@functools.cache
def validator(name: str = WHOLE, *, many: bool = False) -> Validator:
    """Return the validator of one schema, or of an array of such values."""
    schema: dict[str, Any] = {"$ref": f"{_BASE}{name}"}
    schema = {"type": "array", "items": schema} if many else schema
    return Validator(schema, registry=_registry(), base_uri=_BASE)


@functools.cache
def _registry() -> jsonschema_rs.Registry:
    known = schemas()
    files = [(f"{_BASE}{file}", known[file]) for file in sorted(known) if file != INDEX]
    return jsonschema_rs.Registry(files)

"""JSON Schema of an operation's options: a form can be made from it, with units and groups."""

from typing import Any, Final

from ligament.operations.operation import Operation
from ligament.options.option import Field, fields_of

_TYPES: Final = {bool: "boolean", int: "integer", float: "number"}


def schema(kind: type[Operation[Any, Any]]) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of the options that a command takes.

    `unit` and `group` say what the words of a schema cannot.
    """
    fields = [field for field in fields_of(kind) if not field.option.for_python]
    return {
        "title": kind.command,
        "type": "object",
        "properties": {field.name: _property(field) for field in fields},
        "required": [field.name for field in fields if field.is_required],
        "additionalProperties": False,
    }


def _property(field: Field) -> dict[str, Any]:
    option, base = field.option, field.kind.base
    item: dict[str, Any] = {"type": _TYPES.get(base, "string")}
    bounds = {
        "minimum": option.least,
        "exclusiveMinimum": option.above,
        "maximum": option.most,
    }
    item |= {word: value for word, value in bounds.items() if value is not None}
    if field.kind.choices:
        words = {"enum": list(field.kind.choices)}
        item = item | words if base is str else {"anyOf": [words, item]}
    if field.kind.is_list:
        item = {"type": "array", "items": item}
        if option.length:
            item |= {"minItems": option.length, "maxItems": option.length}
        if isinstance(field.default, bool):  # a flag beside names
            item = {"anyOf": [{"type": "boolean"}, item]}
    item |= {"description": option.help, "group": field.group}
    if option.unit:
        item["unit"] = option.unit
    default = list(field.default) if isinstance(field.default, tuple) else field.default
    if isinstance(default, bool | int | float | str | list):
        item["default"] = default
    return item

"""Typed views: msgspec structs read from raw JSON and written back without touching neighbours.

The raw JSON stays the truth. A view knows the members that its struct declares; everything else
in the object stays in place and in order when the view is written back.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

import msgspec

from ligament.errors import ContentError
from ligament.gltf import pointers

T = TypeVar("T")

Index = Annotated[int, msgspec.Meta(ge=0, lt=1 << 53)]
"""A reference to an element of an array."""


class View(msgspec.Struct, rename="camel", omit_defaults=True, kw_only=True):
    """Base of all typed views: Python names in snake_case, JSON names in camelCase."""


def read_view(raw: Any, kind: type[T], pointer: str) -> T:
    """Read `raw`, which stands at `pointer`, as a struct (or a list of structs, or a number...).

    Raises ContentError with the pointer of the member that does not fit.
    """
    try:
        view: T = _convert(raw, kind)
    except msgspec.ValidationError as fault:
        message, place = pointers.from_msgspec(str(fault), pointer)
        raise ContentError(_lowered(message), pointer=place, remedy=_remedy(message)) from fault
    return view


def write_view(raw: dict[str, Any], view: View) -> None:
    """Write the members of a view that differ from `raw` back into it.

    A member that already says the same is left as it is written; one that became its default is
    removed; unknown members and the order stay.
    """
    for field in msgspec.structs.fields(view):
        value = getattr(view, field.name)
        name = field.encode_name
        present = name in raw
        if present and _says(raw[name], value, field.type):
            continue
        if _is_default(value, field):
            raw.pop(name, None)
        elif present and _can_merge(raw[name], value):
            _merge(raw[name], value)
        else:
            raw[name] = msgspec.to_builtins(value, str_keys=True)


def _convert(raw: Any, kind: Any) -> Any:
    """Convert; JSON Schema calls 1.0 an integer too, which msgspec refuses at first."""
    try:
        return msgspec.convert(raw, kind)
    except msgspec.ValidationError:
        return msgspec.convert(_integral(raw), kind)


def _integral(raw: Any) -> Any:
    match raw:
        case float() if raw.is_integer():
            return int(raw)
        case dict():
            return {name: _integral(value) for name, value in raw.items()}
        case list():
            return [_integral(value) for value in raw]
    return raw


def _says(raw: Any, value: Any, kind: Any) -> bool:
    try:
        return bool(_convert(raw, kind) == value)
    except msgspec.ValidationError:
        return False


def _is_default(value: Any, field: msgspec.structs.FieldInfo) -> bool:
    if value is msgspec.UNSET:
        return True
    if field.default is not msgspec.NODEFAULT:
        return bool(value == field.default)
    if field.default_factory is not msgspec.NODEFAULT:
        return bool(value == field.default_factory())
    return False


def _can_merge(raw: Any, value: Any) -> bool:
    if isinstance(value, View):
        return isinstance(raw, dict)
    return (
        isinstance(raw, list)
        and isinstance(value, (list, tuple))
        and len(raw) == len(value) > 0
        and all(
            isinstance(v, View) and isinstance(r, dict) for r, v in zip(raw, value, strict=True)
        )
    )


def _merge(raw: Any, value: Any) -> None:
    if isinstance(value, View):
        write_view(raw, value)
    else:
        for item, view in zip(raw, value, strict=True):
            write_view(item, view)


def _lowered(message: str) -> str:
    return message[:1].lower() + message[1:]


def _remedy(message: str) -> str | None:
    return "add it" if "missing required" in message else None

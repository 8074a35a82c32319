"""Options that several commands have, declared once: a dataclass stands for its fields."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any, TypeVar, get_type_hints

R = TypeVar("R")


def grouped(command: Callable[..., R]) -> Callable[..., R]:
    """Let each field of a parameter that is a dataclass be an option of a command.

    The command gets the dataclass; the command line shows and takes its fields.
    """
    kinds = _kinds(command)
    groups: dict[str, Any] = {
        name: kinds[name]
        for name in inspect.signature(command).parameters
        if dataclasses.is_dataclass(kinds[name])
    }

    @functools.wraps(command)
    def call(**values: Any) -> R:
        for name, kind in groups.items():
            members = {field.name: values.pop(field.name) for field in dataclasses.fields(kind)}
            values[name] = kind(**members)
        return command(**values)

    parameters = [*_parameters(command)]
    del call.__wrapped__  # whoever asks is to see the fields
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {each.name: each.annotation for each in parameters}
    return call


def _kinds(owner: Any) -> dict[str, Any]:
    return get_type_hints(owner, include_extras=True)


def _parameters(command: Callable[..., Any]) -> Iterator[inspect.Parameter]:
    """Yield the parameters of a command with fields in place of groups, each given by its name."""
    kinds = _kinds(command)
    for name, parameter in inspect.signature(command).parameters.items():
        kind = kinds[name]
        if not dataclasses.is_dataclass(kind):
            yield parameter.replace(annotation=kind, kind=inspect.Parameter.KEYWORD_ONLY)
            continue
        members = _kinds(kind)
        for field in dataclasses.fields(kind):
            yield inspect.Parameter(
                field.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=field.default,
                annotation=members[field.name],
            )

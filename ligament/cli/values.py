"""Placeholders of arguments in help texts: PATH, NAME, X Y Z."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from typer.models import ArgumentInfo, OptionInfo

VALUES = {
    Path: "PATH",
    str: "NAME",
    list[str]: "NAME",
    int: "N",
    float: "NUMBER",
    tuple[float, float]: "NUMBER NUMBER",
    tuple[float, float, float]: "X Y Z",
    tuple[Path, Path]: "PATH PATH",
}
"""Placeholder for each kind of value."""


SHOWN = "  [default: "
"""Text before a default in a help text."""


class Parameter(NamedTuple):
    """One argument or option of a command, as its function declares it."""

    name: str
    kind: Any
    info: ArgumentInfo | OptionInfo
    default: Any

    @property
    def is_argument(self) -> bool:
        """Whether it is positional."""
        return isinstance(self.info, ArgumentInfo)

    @property
    def value(self) -> str:
        """The placeholder of its value, such as PATH; empty for a flag."""
        kinds = [self.kind, *get_args(self.kind)]
        if bool in kinds:
            return ""
        if self.info.metavar:
            return self.info.metavar
        if self.is_argument:
            return self.name.upper()
        choices = [choice for kind in kinds for choice in _choices(kind)]
        return "|".join(choices) or next(VALUES[kind] for kind in kinds if kind in VALUES)


def parameters_of(command: Callable[..., Any]) -> list[Parameter]:
    """Return the parameters of a command's function, positional ones first."""
    hints = get_type_hints(command, include_extras=True)
    found = []
    for name, parameter in inspect.signature(command).parameters.items():
        kind, info = get_args(hints[name])
        found.append(Parameter(name, kind, info, parameter.default))
    return sorted(found, key=lambda each: not each.is_argument)


def in_words(value: Any) -> str:
    """Format a default as it would be typed: 0 -9.81 0."""
    parts = value if isinstance(value, tuple) else (value,)
    return " ".join(f"{part:g}" if isinstance(part, float) else str(part) for part in parts)


def name_values(command: Callable[..., Any]) -> None:
    """Show each value and default in the help of a command as it is typed."""
    # Evaluated once, so that Typer sees the same objects that are changed here.
    command.__annotations__ = get_type_hints(command, include_extras=True)
    for parameter in parameters_of(command):
        info = parameter.info
        info.metavar = parameter.value or None
        if isinstance(parameter.default, tuple) and info.show_default:
            info.show_default = False
            info.help = f"{info.help}{SHOWN}{in_words(parameter.default)}]"


def name_arguments(command: Any) -> None:
    """Show plain argument names in the help of a command: FILE, not {FILE} of the type <path>."""
    for parameter in command.params:
        if parameter.param_type_name == "argument":
            setattr(parameter, "display_type_rich", _shown_type(parameter))  # noqa: B010
            setattr(parameter, "get_usage_pieces", _shown_usage(parameter))  # noqa: B010


def _shown_type(parameter: Any) -> Callable[..., str]:
    """Return the shown values of a closed set, and no type for other arguments."""
    own = getattr(parameter, "display_type_rich", lambda **_: "")
    return lambda **options: own(**options) if "|" in own(**options) else ""


def _shown_usage(parameter: Any) -> Callable[[Any], list[str]]:
    own = parameter.get_usage_pieces
    return lambda ctx: [str(piece).replace("{", "").replace("}", "") for piece in own(ctx)]


def _choices(kind: Any) -> list[str]:
    """Return the values of a closed set."""
    if get_origin(kind) is Literal:
        return list(get_args(kind))
    return list(kind) if isinstance(kind, type) and issubclass(kind, StrEnum) else []

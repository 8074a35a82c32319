"""Options shared by several commands, and option groups: a dataclass stands for its fields."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args, get_type_hints

import typer

from ligament.limits import Limits, parse_limits
from ligament.options.option import Field, Option

R = TypeVar("R")

GIBIBYTE = 1 << 30

File = Annotated[Path, typer.Argument(help="A .gltf, .glb, .vrm or .vrma file.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No messages.")]
Jobs = Annotated[
    int | None, typer.Option(min=1, help="Number of processes; by default one per core.")
]
Contacts = Annotated[
    bool, typer.Option("--contacts", help="Record contact events besides trigger events.")
]
Limit = Annotated[
    list[str] | None,
    typer.Option(
        "--limit",
        metavar="NAME=NUMBER",
        help="Raise or lower a resource limit, such as bodies=500000 (repeatable).",
    ),
]
MaxBodies = Annotated[
    int | None, typer.Option(help="The same as --limit bodies=NUMBER.", show_default=False)
]
MaxSeconds = Annotated[
    float | None,
    typer.Option(
        "--timeout",
        "--max-seconds",
        help="Time limit for the simulation [s]; the same as --limit seconds=NUMBER.",
    ),
]


def chosen_limits(
    settings: Sequence[str] | None, *, bodies: int | None = None, seconds: float | None = None
) -> Limits:
    """Return the limits chosen on the command line; dedicated options override --limit."""
    own = {"bodies": bodies, "seconds": seconds}
    given: dict[str, Any] = {name: value for name, value in own.items() if value is not None}
    return dataclasses.replace(parse_limits(settings or ()), **given)


def grouped(command: Callable[..., R]) -> Callable[..., R]:
    """Make each field of a dataclass parameter an option of a command.

    The command receives the dataclass; the command line shows and accepts its fields.
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
    del call.__wrapped__  # introspection must see the fields
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {each.name: each.annotation for each in parameters}
    return call


def _kinds(owner: Any) -> dict[str, Any]:
    return get_type_hints(owner, include_extras=True)


def _parameters(command: Callable[..., Any]) -> Iterator[inspect.Parameter]:
    """Yield the parameters of a command, keyword-only, replacing groups with their fields."""
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
                annotation=_for_typer(field.name, members[field.name]),
            )


def _for_typer(name: str, kind: Any) -> Any:
    """Give an option of a group the form that typer reads."""
    hint, *facts = get_args(kind) or (kind,)
    option = next((each for each in facts if isinstance(each, Option)), None)
    if option is None:
        return kind
    field = Field(name, hint, option)
    about = typer.Option(*field.flags, metavar=option.metavar or None, help=f"{option.help}.")
    return Annotated[field.kind.base | None, about]

"""The option of every command that reads files: what they may ask for."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from ligament.limits import Limits, parse_limits

Limit = Annotated[
    list[str] | None,
    typer.Option(
        "--limit",
        metavar="NAME=NUMBER",
        help="What a file may ask for, such as bodies=500000 (repeatable).",
    ),
]
MaxBodies = Annotated[
    int | None, typer.Option(help="The same as --limit bodies=NUMBER.", show_default=False)
]
MaxSeconds = Annotated[
    float | None,
    typer.Option(help="How long simulating may take [s]; --limit seconds=NUMBER."),
]


def chosen_limits(
    settings: Sequence[str] | None, *, bodies: int | None = None, seconds: float | None = None
) -> Limits:
    """Turn what the command line says into limits; what has an option of its own wins."""
    own = {"bodies": bodies, "seconds": seconds}
    given: dict[str, Any] = {name: value for name, value in own.items() if value is not None}
    return dataclasses.replace(parse_limits(settings or ()), **given)

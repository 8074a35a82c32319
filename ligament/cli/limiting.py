"""The option of every command that reads files: what they may ask for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

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


def chosen_limits(settings: Sequence[str] | None) -> Limits:
    """Turn what the command line says into limits."""
    return parse_limits(settings or ())

"""`ligament diff`: differences in meaning between two files."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from ligament.author.diff import Change, Differences
from ligament.author.diff import diff as compare
from ligament.cli.console import plain, results
from ligament.cli.options import Limit, chosen_limits
from ligament.gltf import load
from ligament.gltf.jsontext import rebuild

EXAMPLE = "ligament diff door.glb gate.glb"

DIFFERENT = 1

COLOURS = {"added": "green", "removed": "red", "changed": "yellow"}


def diff(
    a: Annotated[Path, typer.Argument(help="A .gltf, .glb, .vrm or .vrma file.")],
    b: Annotated[Path, typer.Argument(help="The file to compare with it.")],
    json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
    tolerance: Annotated[
        float, typer.Option(help="Numbers that differ by less are equal.", min=0, max=1)
    ] = 1e-5,
    limit: Limit = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Print nothing where nothing changed.")
    ] = False,
) -> None:
    """Show what changed in meaning between two files.

    Not lines of JSON, but bodies, joints, bones, animations. The exit status is 0 where both files
    mean the same, 1 where they do not.
    """
    limits = chosen_limits(limit)
    found = compare(load(a, limits=limits), load(b, limits=limits), tolerance=tolerance)
    if json:
        results.print(_json_text(a, b, found))
    else:
        _print(found, quiet=quiet)
    if not found.equal:
        raise typer.Exit(DIFFERENT)


def _print(found: Differences, *, quiet: bool) -> None:
    for change in found:
        results.print(_line(change))
    if found.equal:
        if not quiet:
            results.print("no difference in meaning")
        return
    counts = ", ".join(f"{count} {what}" for what, count in found.counts.items() if count)
    plural = "s" * (len(found) != 1)
    results.print(Text(f"{len(found)} difference{plural}: {counts}", style="bold"))


def _line(change: Change) -> Text:
    line = plain(change)
    return Text.assemble(
        (line[: len(change.change)], COLOURS[change.change]), line[len(change.change) :]
    )


def _json_text(a: Path, b: Path, found: Differences) -> str:
    """Format all changes as ASCII JSON, with null for unbounded values."""
    content = {
        "a": str(a),
        "b": str(b),
        "equal": found.equal,
        "counts": found.counts,
        "changes": [_finite(_members(change)) for change in found],
    }
    return json.dumps(content, indent=2, ensure_ascii=True, allow_nan=False)


def _members(change: Change) -> dict[str, Any]:
    return {name: getattr(change, name) for name in change.__struct_fields__}


def _finite(value: Any) -> Any:
    """Replace non-finite numbers by null."""
    return rebuild(value, lambda x: None if isinstance(x, float) and not math.isfinite(x) else x)

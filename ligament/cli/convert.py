"""`ligament convert`: another container, dialect or format."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from json import dumps
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from ligament.cli.console import messages, plain, results
from ligament.cli.options import Limit, chosen_limits
from ligament.cli.playing import chosen_animations
from ligament.conversion import Loss, Target
from ligament.conversion import convert as converted
from ligament.conversion.formats import MJCF_SUFFIX, read, require_format, write
from ligament.conversion.mjcf import start_advice
from ligament.conversion.normalize import normalize as normalized
from ligament.conversion.targets import converter
from ligament.files import all_or_nothing, write_atomic

EXAMPLE = "ligament convert door.glb door.xml"

_COLUMNS = ("place", "what", "reason", "effect")


CountingAnimations = Annotated[
    list[str] | None,
    typer.Option(
        help="MJCF and USD: only this animation counts (repeatable); with 'none' the bodies that "
        "animations drive are free."
    ),
]


def convert(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="IN", help="A .gltf, .glb, .vrm, .vrma, .usda, .usdc, .usd or .usdz file."
        ),
    ],
    out: Annotated[
        Path,
        typer.Argument(
            metavar="OUT",
            help="The file to write; its suffix says how (.xml: MJCF, .usda, .usdc, .usd: USD).",
        ),
    ],
    to: Annotated[
        str | None,
        typer.Option(metavar="DIALECT", help=f"The dialect to write: {', '.join(Target)}."),
    ] = None,
    normalize: Annotated[
        bool,
        typer.Option(
            "--normalize", help="Rewrite an avatar so that all rest rotations are identity."
        ),
    ] = False,
    license_url: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="The licence URL that VRM 1.0 requires, as the avatar's owner states it.",
        ),
    ] = None,
    losses: Annotated[
        Path | None, typer.Option(help="Write the losses here, as a JSON list.")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 if anything was lost.")
    ] = False,
    embed: Annotated[
        bool, typer.Option("--embed", help="Embed all buffers and images in the file.")
    ] = False,
    animation: CountingAnimations = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print the losses as JSON for programs.")
    ] = False,
    limit: Limit = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Do not list the losses.")] = False,
) -> None:
    """Write another container, dialect or format; list losses.

    A suffix of .xml writes the physics for MuJoCo (MJCF), with meshes in a folder beside it; .usda,
    .usdc and .usd write a USD stage with UsdPhysics, with textures in a folder beside it. Stages
    are read, too, and become KHR_physics_rigid_bodies; losses are then located by prim.
    """
    require_format(out)
    if to is not None:
        converter(to)  # unknown names are refused before anything is read
    given = read(source, limits=chosen_limits(limit))
    result = converted(given.document, to, license_url=license_url)
    document = normalized(result.document) if normalize else result.document
    with all_or_nothing():
        unwritten = write(document, out, embed=embed, animations=chosen_animations(animation))
        lost = [*given.losses, *result.losses, *unwritten]
        if losses is not None:
            write_atomic(losses, [_json(lost)])
    if json:
        results.print(_json(lost).decode())
    elif not quiet:
        for line in _table(lost):
            messages.print(line)
    if not quiet:
        _advise(out)
    # The file is written anyway: it holds everything that the dialect can express.
    if strict and lost:
        raise typer.Exit(1)


def _advise(out: Path) -> None:
    """Print how to use the output, where that is not obvious."""
    advice = start_advice(out) if out.suffix.lower() == MJCF_SUFFIX else None
    if advice is not None:
        messages.print(f"{plain(out)}: {advice}")


def _json(losses: Sequence[Loss]) -> bytes:
    # ASCII, so that no text of a file reaches the terminal raw.
    content = dumps([dataclasses.asdict(loss) for loss in losses], ensure_ascii=True).encode()
    return msgspec.json.format(content, indent=1)


def _table(losses: Sequence[Loss]) -> Iterator[str]:
    """Yield the lines of a table, in columns as wide as their longest entry."""
    if not losses:
        yield "nothing was lost"
        return
    rows = [_COLUMNS, *(tuple(map(plain, dataclasses.astuple(loss))) for loss in losses)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip()
    yield f"{len(losses)} loss{'es' * (len(losses) != 1)}"

"""`ligament fix`: repair what has one right answer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ligament.cli.check import Format, check
from ligament.cli.options import Json, Limit, Quiet

EXAMPLE = "ligament fix door.glb -o fixed.glb"


def fix(
    files: Annotated[
        list[Path], typer.Argument(help=".gltf, .glb, .vrm or .vrma files, folders, globs.")
    ],
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", help="The repaired file, or a folder for several."),
    ] = None,
    in_place: Annotated[
        bool, typer.Option("--in-place", help="Overwrite the files themselves instead.")
    ] = False,
    json: Json = False,
    jobs: Annotated[int, typer.Option(min=1, help="Files to repair at the same time.")] = 1,
    limit: Limit = None,
    quiet: Quiet = False,
) -> None:
    """Repair what has one right answer, and list the rest.

    The same as `ligament check --fix`. The exit status is 1 if errors are left.
    """
    form = Format.JSON if json else Format.TEXT
    check(files, form, out, fix=True, in_place=in_place, jobs=jobs, limit=limit, quiet=quiet)

"""`ligament convert`: from one form of a file to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ligament.convert.normalize import normalize as normalized
from ligament.gltf import load, save


def convert(
    source: Annotated[
        Path, typer.Argument(metavar="IN", help="A .gltf, .glb, .vrm or .vrma file.")
    ],
    out: Annotated[
        Path, typer.Argument(metavar="OUT", help="The file to write; its suffix says how.")
    ],
    normalize: Annotated[
        bool, typer.Option("--normalize", help="Give an avatar rest rotations of identity.")
    ] = False,
    embed: Annotated[
        bool, typer.Option("--embed", help="Take all buffers and images into the file.")
    ] = False,
) -> None:
    """Write a file in another container, with identity rest rotations if asked for."""
    document = load(source)
    save(normalized(document) if normalize else document, out, embed=embed)

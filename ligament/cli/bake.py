"""`ligament bake`: play a file and write keyframes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ligament.bake import bake as bake_recording
from ligament.cli.printing import messages, plain
from ligament.gltf import load, save
from ligament.play import simulate


def bake(
    file: Annotated[Path, typer.Argument(help="A .gltf, .glb, .vrm or .vrma file.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="The file to write.")],
    seconds: Annotated[
        float | None, typer.Option(help="Length [s]; by default that of the animations.")
    ] = None,
    rate: Annotated[float, typer.Option(help="Frames per second before keys are reduced.")] = 60.0,
    animation: Annotated[
        list[str] | None,
        typer.Option(help="Play only this animation (may be repeated); 'none' plays none."),
    ] = None,
    strip: Annotated[
        bool, typer.Option("--strip", help="Remove the extensions that the keyframes replace.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No messages.")] = False,
) -> None:
    """Play a file and write its motion as keyframes that every viewer shows."""
    document = load(file)
    names = None if animation is None else [name for name in animation if name != "none"]
    recording = simulate(document, seconds=seconds, rate=rate, animations=names)
    save(bake_recording(document, recording, strip=strip), out)
    if not quiet:
        moved, frames = len(recording.local_nodes), len(recording.times)
        messages.print(f"{plain(out)}: {frames} frames of {moved} nodes baked")

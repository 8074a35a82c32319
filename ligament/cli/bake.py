"""`ligament bake`: simulate a file and write keyframes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from ligament.baking import Tolerance
from ligament.baking import bake as bake_recording
from ligament.baking.overlays import chosen_layers
from ligament.cli import playing
from ligament.cli.console import messages, plain
from ligament.cli.options import (
    File,
    Limit,
    MaxBodies,
    MaxSeconds,
    Quiet,
    chosen_limits,
    grouped,
)
from ligament.files import require_place
from ligament.gltf import load, save
from ligament.gltf.save import form_of
from ligament.options.names import LAYERS, Layer

EXAMPLE = "ligament bake door.glb -o baked.glb --seconds 3"

EVERY = "all"
"""The layers of `--overlays` without a value."""


class BakeCommand(TyperCommand):
    """A command whose `--overlays` option may omit its value."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse arguments, inserting the value of `--overlays` if it is omitted."""
        return super().parse_args(ctx, [*_with_layers(args)])


COMMAND_CLASS = BakeCommand


def _with_layers(args: list[str]) -> Iterator[str]:
    for word, after in zip(args, [*args[1:], ""], strict=True):
        yield word
        if word == "--overlays" and not re.fullmatch(r"[a-z_,]+", after):
            yield EVERY


@grouped
def bake(
    *,
    file: File,
    out: Annotated[Path, typer.Option("-o", "--out", help="The file to write.")],
    timing: playing.Timing,
    staging: playing.Staging,
    strip: playing.Strip = False,
    distance_tolerance: playing.DistanceTolerance = playing.DISTANCE_TOLERANCE,
    angle_tolerance: playing.AngleTolerance = playing.ANGLE_TOLERANCE,
    overlays: Annotated[
        str | None,
        typer.Option(
            metavar="[LAYERS]",
            help="Add nodes that draw what meshes do not show: all layers, or a list of "
            f"{', '.join(LAYERS)}.",
        ),
    ] = None,
    limit: Limit = None,
    max_bodies: MaxBodies = None,
    max_seconds: MaxSeconds = None,
    quiet: Quiet = False,
) -> None:
    """Play a file and write its motion as keyframes.

    Any viewer plays them. Frames that interpolation reproduces within both tolerances are left out.
    """
    form_of(out)
    require_place(out)
    names = [] if overlays is None else overlays.split(",")
    layers = chosen_layers(True if names == [EVERY] else names)
    document = load(file, limits=chosen_limits(limit, bodies=max_bodies, seconds=max_seconds))
    recording = playing.play(
        document,
        quiet=quiet,
        contact_points=Layer.CONTACTS in layers,
        **timing.arguments(),
        **staging.arguments(),
    )
    tolerance = Tolerance(distance=distance_tolerance, angle=math.radians(angle_tolerance))
    baked = bake_recording(document, recording, strip=strip, tolerance=tolerance, overlays=layers)
    save(baked, out)
    if not quiet:
        moved, frames = len(recording.local_nodes), len(recording.times)
        messages.print(f"{plain(out)}: baked frames {frames}, nodes {moved}")

"""`ligament bake`: simulate a file and write keyframes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer

from ligament.bake import Tolerance
from ligament.bake import bake as bake_recording
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

EXAMPLE = "ligament bake door.glb -o baked.glb --seconds 3"


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
    limit: Limit = None,
    max_bodies: MaxBodies = None,
    max_seconds: MaxSeconds = None,
    quiet: Quiet = False,
) -> None:
    """Play a file and write its motion as keyframes.

    Every viewer plays them. Frames that interpolation reproduces within both tolerances are left
    out.
    """
    form_of(out)
    require_place(out)
    document = load(file, limits=chosen_limits(limit, bodies=max_bodies, seconds=max_seconds))
    recording = playing.play(document, quiet=quiet, **timing.arguments(), **staging.arguments())
    tolerance = Tolerance(distance=distance_tolerance, angle=math.radians(angle_tolerance))
    save(bake_recording(document, recording, strip=strip, tolerance=tolerance), out)
    if not quiet:
        moved, frames = len(recording.local_nodes), len(recording.times)
        messages.print(f"{plain(out)}: {frames} frames of {moved} nodes baked")

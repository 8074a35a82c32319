"""`ligament bake`: play a file and write keyframes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer

from ligament.bake import Tolerance
from ligament.bake import bake as bake_recording
from ligament.cli import playing
from ligament.cli.contained import deadline
from ligament.cli.limiting import Limit, MaxBodies, MaxSeconds, chosen_limits
from ligament.cli.printing import messages, plain
from ligament.gltf import load, save
from ligament.play import simulate


def bake(
    file: playing.File,
    out: Annotated[Path, typer.Option("-o", "--out", help="The file to write.")],
    seconds: playing.Seconds = None,
    rate: playing.Rate = 60.0,
    substeps: playing.Substeps = None,
    gravity: playing.Gravity = playing.DEFAULT_GRAVITY,
    animation: playing.Animations = None,
    loop: playing.Loop = False,
    scene: playing.Scene = None,
    until_rest: playing.UntilRest = False,
    omi_stiffness: playing.OmiStiffness = "auto",
    strip: playing.Strip = False,
    distance_tolerance: playing.DistanceTolerance = playing.DISTANCE_TOLERANCE,
    angle_tolerance: playing.AngleTolerance = playing.ANGLE_TOLERANCE,
    limit: Limit = None,
    max_bodies: MaxBodies = None,
    max_seconds: MaxSeconds = None,
    quiet: playing.Quiet = False,
) -> None:
    """Play a file and write its motion as keyframes that every viewer shows.

    Frames that interpolation gives back within both tolerances are left out.
    """
    limits = chosen_limits(limit, bodies=max_bodies, seconds=max_seconds)
    document = load(file, limits=limits)
    with (
        playing.progress_bar("simulating", quiet=quiet) as progress,
        deadline(f"simulating {plain(file)}", limits.seconds),
    ):
        recording = simulate(
            document,
            seconds=seconds,
            rate=rate,
            substeps=substeps,
            gravity=gravity,
            animations=playing.chosen(animation),
            loop=loop,
            scene=scene,
            until_rest=until_rest,
            omi_stiffness=omi_stiffness,
            progress=progress,
        )
    tolerance = Tolerance(distance=distance_tolerance, angle=math.radians(angle_tolerance))
    save(bake_recording(document, recording, strip=strip, tolerance=tolerance), out)
    if not quiet:
        moved, frames = len(recording.local_nodes), len(recording.times)
        messages.print(f"{plain(out)}: {frames} frames of {moved} nodes baked")

"""`ligament simulate`: play a file and write what was seen."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from ligament.cli import playing
from ligament.cli.contained import deadline
from ligament.cli.limiting import Limit, MaxBodies, MaxSeconds, chosen_limits
from ligament.cli.printing import messages, plain
from ligament.errors import FileError
from ligament.gltf import load
from ligament.gltf.tree import NodeTree
from ligament.play import simulate as play
from ligament.plot import check_picture, plot_recording
from ligament.recording import check_suffix, save_events, save_recording


def simulate(
    file: playing.File,
    out: Annotated[Path, typer.Option("-o", "--out", help="The .npz, .json or .csv to write.")],
    events: Annotated[
        Path | None, typer.Option(help="Write trigger events here, as a JSON list.")
    ] = None,
    contacts: Annotated[
        bool, typer.Option("--contacts", help="Record contact events beside those of triggers.")
    ] = False,
    plot: Annotated[
        Path | None, typer.Option(help="Draw limits, energy, speeds and events: .png, .svg, .pdf.")
    ] = None,
    seconds: playing.Seconds = None,
    rate: playing.Rate = 60.0,
    substeps: playing.Substeps = None,
    gravity: playing.Gravity = playing.DEFAULT_GRAVITY,
    animation: playing.Animations = None,
    loop: playing.Loop = False,
    scene: playing.Scene = None,
    until_rest: playing.UntilRest = False,
    omi_stiffness: playing.OmiStiffness = "auto",
    limit: Limit = None,
    max_bodies: MaxBodies = None,
    max_seconds: MaxSeconds = None,
    quiet: playing.Quiet = False,
) -> None:
    """Play animation, constraints and rigid bodies and write the recording."""
    check_suffix(out)
    if plot is not None:
        check_picture(plot)
    _check_places(out, events, plot)
    limits = chosen_limits(limit, bodies=max_bodies, seconds=max_seconds)
    document = load(file, limits=limits)
    with (
        playing.progress_bar("simulating", quiet=quiet) as progress,
        deadline(f"simulating {plain(file)}", limits.seconds),
    ):
        recording = play(
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
            contacts=contacts,
            progress=progress,
        )
    if plot is not None:
        plot_recording(recording, plot, names=NodeTree(document).names)
    save_recording(recording, out)
    if events is not None:
        save_events(recording, events)
    if not quiet:
        bodies, frames = len(recording.nodes), len(recording.times)
        joints = len({limit.node for limit in recording.limits})
        messages.print(
            f"{plain(out)}: {frames} frames of {bodies} bodies and {joints} joints, "
            f"{len(recording.events)} events"
        )


def _check_places(*paths: Path | None) -> None:
    """Refuse outputs that have no place, before anything is simulated."""
    for path in paths:
        if path is None:
            continue
        if not path.parent.is_dir():
            remedy = f"the folder {path.parent} must exist"
            raise FileError("cannot be written", file=path, remedy=remedy)
        if not os.access(path.parent, os.W_OK):
            remedy = f"the folder {path.parent} must be writable"
            raise FileError("cannot be written", file=path, remedy=remedy)
        if path.is_dir():
            raise FileError("is a folder", file=path, remedy="name a file to write")

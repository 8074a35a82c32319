"""`ligament simulate`: simulate a file and write the recording."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ligament.cli import playing
from ligament.cli.console import messages, plain
from ligament.cli.options import (
    Contacts,
    File,
    Limit,
    MaxBodies,
    MaxSeconds,
    Quiet,
    chosen_limits,
    grouped,
)
from ligament.files import all_or_nothing, require_place
from ligament.gltf import load
from ligament.gltf.tree import NodeTree
from ligament.plot import check_picture, plot_recording
from ligament.recording import check_suffix, save_events, save_recording

EXAMPLE = "ligament simulate door.glb -o door.npz --seconds 3 --plot door.png"


@grouped
def simulate(
    *,
    file: File,
    out: Annotated[Path, typer.Option("-o", "--out", help="The .npz, .json or .csv to write.")],
    events: Annotated[
        Path | None, typer.Option(help="Write trigger events here, as a JSON list.")
    ] = None,
    contacts: Contacts = False,
    plot: Annotated[
        Path | None, typer.Option(help="Plot limits, energy, speeds and events: .png, .svg, .pdf.")
    ] = None,
    timing: playing.Timing,
    staging: playing.Staging,
    limit: Limit = None,
    max_bodies: MaxBodies = None,
    max_seconds: MaxSeconds = None,
    quiet: Quiet = False,
) -> None:
    """Play animations, constraints and physics into a recording."""
    check_suffix(out)
    if plot is not None:
        check_picture(plot)
    for path in filter(None, (out, events, plot)):
        require_place(path)
    document = load(file, limits=chosen_limits(limit, bodies=max_bodies, seconds=max_seconds))
    recording = playing.play(
        document, quiet=quiet, contacts=contacts, **timing.arguments(), **staging.arguments()
    )
    with all_or_nothing():
        if plot is not None:
            plot_recording(recording, plot, names=NodeTree(document).names)
        save_recording(recording, out)
        if events is not None:
            save_events(recording, events)
    if not quiet:
        bodies, frames = len(recording.nodes), len(recording.times)
        joints = len({limit.node for limit in recording.limits})
        messages.print(
            f"{plain(out)}: frames {frames}, bodies {bodies}, joints {joints}, "
            f"events {len(recording.events)}"
        )

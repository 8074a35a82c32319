"""The options of every command that plays a file."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.progress import Progress

from ligament.bake import Tolerance
from ligament.cli.contained import deadline
from ligament.cli.printing import messages, plain
from ligament.gltf import Document
from ligament.physics.engines import EARTH
from ligament.play import simulate
from ligament.recording import Recording

File = Annotated[Path, typer.Argument(help="A .gltf, .glb, .vrm or .vrma file.")]
Rate = Annotated[float, typer.Option(help="Frames per second.")]
Strip = Annotated[
    bool, typer.Option("--strip", help="Remove the extensions that the keyframes replace.")
]
DistanceTolerance = Annotated[
    float, typer.Option(min=0, help="How far keys may be from the motion, in position [m].")
]
AngleTolerance = Annotated[
    float, typer.Option(min=0, help="How far keys may be from the motion, in angle [degrees].")
]
Quiet = Annotated[bool, typer.Option("--quiet", help="No messages.")]

DISTANCE_TOLERANCE = Tolerance.distance
ANGLE_TOLERANCE = math.degrees(Tolerance.angle)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Timing:
    """How long a file is played, and how often it is looked at."""

    seconds: Annotated[
        float | None,
        typer.Option(help="Length [s]; by default that of the animations, at least 5 with bodies."),
    ] = None
    rate: Rate = 60.0
    until_rest: Annotated[
        bool, typer.Option("--until-rest", help="Stop when all bodies rest (at most 60 s).")
    ] = False

    def arguments(self) -> dict[str, Any]:
        """Return what `lg.simulate` takes."""
        return dataclasses.asdict(self)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Staging:
    """What is played, and how."""

    substeps: Annotated[
        int | None,
        typer.Option(help="Steps of the engine per frame; by default the scene decides."),
    ] = None
    gravity: Annotated[
        tuple[float, float, float], typer.Option(help="Gravity [m/s²]; files say nothing of it.")
    ] = EARTH
    animation: Annotated[
        list[str] | None,
        typer.Option(help="Play only this animation (repeatable); 'none' plays none."),
    ] = None
    loop: Annotated[bool, typer.Option("--loop", help="Start animations again when they end.")] = (
        False
    )
    scene: Annotated[
        int | None, typer.Option(help="Play this scene instead of the file's own.")
    ] = None
    omi_stiffness: Annotated[
        Literal["auto", "literal"],
        typer.Option(help="OMI joints of 2023: values up to 1 are hard limits (auto), or N/m."),
    ] = "auto"

    def arguments(self) -> dict[str, Any]:
        """Return what `lg.simulate` takes, in its names."""
        values = dataclasses.asdict(self)
        names = values.pop("animation")
        chosen = None if names is None else tuple(name for name in names if name != "none")
        return {**values, "animations": chosen}


def play(
    document: Document, timing: Timing, staging: Staging, *, quiet: bool, contacts: bool = False
) -> Recording:
    """Play a document, at most as long as its limits allow, with a bar that shows how far it is."""
    options = {**timing.arguments(), **staging.arguments()}
    with (
        progress_bar("simulating", quiet=quiet) as progress,
        deadline(f"simulating {plain(document.path)}", document.limits.seconds),
    ):
        recording = simulate(document, **options, contacts=contacts, progress=progress)
    recording.require_finite()
    return recording


@contextmanager
def progress_bar(what: str, *, quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """Show a bar on stderr, where that is a terminal."""
    if quiet or not messages.is_terminal:
        yield None
        return
    with Progress(console=messages, transient=True) as bar:
        task = bar.add_task(what)
        yield lambda frame, frames: bar.update(task, completed=frame + 1, total=frames)

"""The options of every command that plays a file."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.progress import Progress

from ligament.bake import Tolerance
from ligament.cli.printing import messages
from ligament.play.simulation import GRAVITY

File = Annotated[Path, typer.Argument(help="A .gltf, .glb, .vrm or .vrma file.")]
Seconds = Annotated[
    float | None,
    typer.Option(help="Length [s]; by default that of the animations, at least 5 with bodies."),
]
Rate = Annotated[float, typer.Option(help="Frames per second.")]
Substeps = Annotated[
    int | None, typer.Option(help="Steps of the engine per frame; by default the scene decides.")
]
Gravity = Annotated[
    tuple[float, float, float], typer.Option(help="Gravity [m/s²]; files say nothing of it.")
]
Animations = Annotated[
    list[str] | None,
    typer.Option("--animation", help="Play only this animation (repeatable); 'none' plays none."),
]
Loop = Annotated[bool, typer.Option("--loop", help="Start animations again when they end.")]
Scene = Annotated[int | None, typer.Option(help="Play this scene instead of the file's own.")]
UntilRest = Annotated[
    bool, typer.Option("--until-rest", help="Stop when all bodies rest (at most 60 s).")
]
OmiStiffness = Annotated[
    Literal["auto", "literal"],
    typer.Option(help="OMI joints of 2023: values up to 1 are hard limits (auto), or N/m."),
]
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

DEFAULT_GRAVITY = GRAVITY
DISTANCE_TOLERANCE = Tolerance.distance
ANGLE_TOLERANCE = math.degrees(Tolerance.angle)


def chosen(animations: Sequence[str] | None) -> list[str] | None:
    """Turn the names of the command line into those that `simulate` takes."""
    return None if animations is None else [name for name in animations if name != "none"]


@contextmanager
def progress_bar(what: str, *, quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """Show a bar on stderr, where that is a terminal."""
    if quiet or not messages.is_terminal:
        yield None
        return
    with Progress(console=messages, transient=True) as bar:
        task = bar.add_task(what)
        yield lambda frame, frames: bar.update(task, completed=frame + 1, total=frames)

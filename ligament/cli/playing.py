"""Options of the commands that simulate, and the simulation with its progress bar."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import typer

from ligament.baking import Tolerance
from ligament.options.names import EARTH, ENGINES, QUALITIES
from ligament.physics.engines import require_engine

Rate = Annotated[float, typer.Option(help="Frames per second.")]
Strip = Annotated[
    bool, typer.Option("--strip", help="Remove the extensions that the keyframes replace.")
]
DistanceTolerance = Annotated[
    float, typer.Option(min=0, help="Largest error of the keyframes in position [m].")
]
AngleTolerance = Annotated[
    float, typer.Option(min=0, help="Largest error of the keyframes in rotation [degrees].")
]

AnimationNames = Annotated[
    list[str] | None,
    typer.Option(help="Play only this animation (repeatable); 'none' plays none."),
]

ENGINE_HELP = f"The physics engine: {', '.join(ENGINES)}, or module:factory"
QUALITY_HELP = (
    "fast: one engine step per frame with the engine's own joints, for previews; "
    "exact: joints, limits and drives as the file defines them; balanced: in between"
)
SpringModeOption = Annotated[
    Literal["reference", "steady", "none"],
    typer.Option(
        help="Spring bones: one update per frame, as specified; 60 per second at any rate; none."
    ),
]

DISTANCE_TOLERANCE = Tolerance.distance
ANGLE_TOLERANCE = math.degrees(Tolerance.angle)


def chosen_animations(names: Sequence[str] | None) -> tuple[str, ...] | None:
    """Return the names given by --animation; None means all, the word none means none."""
    return None if names is None else tuple(name for name in names if name != "none")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Timing:
    """Length and frame rate of a simulation."""

    seconds: Annotated[
        float | None,
        typer.Option(help="Length [s]; by default that of the animations, at least 5 with bodies."),
    ] = None
    rate: Rate = 60.0
    until_rest: Annotated[
        bool, typer.Option("--until-rest", help="Stop when all bodies rest (at most 60 s).")
    ] = False

    def arguments(self) -> dict[str, Any]:
        """Return keyword arguments of `lg.simulate`."""
        return dataclasses.asdict(self)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Content:
    """Options of a simulation: what to play, and under which conditions."""

    substeps: Annotated[
        int | None,
        typer.Option(help="Engine steps per frame; by default chosen by quality and scene."),
    ] = None
    gravity: Annotated[
        tuple[float, float, float],
        typer.Option(help="Gravity [m/s²] as three numbers; files do not specify it."),
    ] = EARTH
    animation: AnimationNames = None
    loop: Annotated[bool, typer.Option("--loop", help="Restart animations when they end.")] = False
    scene: Annotated[
        int | None, typer.Option(help="Play this scene instead of the file's default.")
    ] = None
    omi_stiffness: Annotated[
        Literal["auto", "literal"],
        typer.Option(help="OMI joints of 2023: values up to 1 are hard limits (auto), or N/m."),
    ] = "auto"

    spring_mode: SpringModeOption = "reference"

    def arguments(self) -> dict[str, Any]:
        """Return keyword arguments of `lg.simulate`."""
        values = dataclasses.asdict(self)
        names = values.pop("animation")
        return {**values, "animations": chosen_animations(names)}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Staging(Content):
    """Content, engine and quality of a simulation."""

    engine: Annotated[str, typer.Option(metavar="NAME", help=f"{ENGINE_HELP}.")] = ENGINES[0]
    quality: Annotated[str, typer.Option(metavar="|".join(QUALITIES), help=f"{QUALITY_HELP}.")] = (
        "exact"
    )
    strict: Annotated[
        bool,
        typer.Option(
            "--strict", help="Refuse what the engine does not play exactly, with exit status 1."
        ),
    ] = False

    def arguments(self) -> dict[str, Any]:
        """Return keyword arguments of `lg.simulate`."""
        require_engine(self.engine, self.quality)
        return super().arguments()

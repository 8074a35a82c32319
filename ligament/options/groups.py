"""Groups of options that several operations share."""

import dataclasses
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, ClassVar, Final, Literal, TypeAlias

from ligament.limits import DEFAULT, Limits, parse_limits
from ligament.options.names import (
    EARTH,
    ENGINES,
    HIGHEST_RATE,
    LOWEST_RATE,
    MAX_SUBSTEPS,
    QUALITIES,
    Quality,
    SpringMode,
    Target,
)
from ligament.options.option import Option, Options

AnyPath: TypeAlias = str | os.PathLike[str]
"""The path of a file, which becomes a `Path`."""

ENGINE_HELP: Final = f"The physics engine: {', '.join(ENGINES)}, or module:factory"

Progress: TypeAlias = Callable[[int, int], None]
"""Called with (index, total)."""

Dialect: TypeAlias = Annotated[
    str | None, Option(f"The dialect to write: {', '.join(Target)}", metavar="DIALECT")
]
"""The dialect of a conversion; by default it stays as it is."""


def names_but_none(words: Iterable[str]) -> tuple[str, ...]:
    """Return names that were typed; the word none stands for no name at all."""
    return tuple(word for word in words if word != "none")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Limited(Options):
    """What a file may contain."""

    title: ClassVar[str] = "Files and limits"

    limits: Annotated[
        Limits,
        Option(
            "Raise or lower a resource limit, such as bodies=500000 (repeatable)",
            flags=("--limit",),
            metavar="NAME=NUMBER",
            typed=parse_limits,
        ),
    ] = DEFAULT


@dataclasses.dataclass(frozen=True, kw_only=True)
class Reading(Limited):
    """What a file may contain, and which files it may refer to."""

    title: ClassVar[str] = "Files and limits"

    roots: Annotated[
        Sequence[AnyPath],
        Option(
            "Also read files that the input names in this folder, by .. for example",
            flags=("--root",),
            metavar="FOLDER",
        ),
    ] = ()


@dataclasses.dataclass(frozen=True, kw_only=True)
class Watched(Options):
    """Who hears how far the work is."""

    progress: Annotated[Progress | None, Option("Called with (index, total)", for_python=True)] = (
        None
    )


@dataclasses.dataclass(frozen=True, kw_only=True)
class Embedding(Options):
    """Whether a written file needs others."""

    title: ClassVar[str] = "Files and limits"

    embed: Annotated[bool, Option("Embed all buffers and images in the file")] = False


@dataclasses.dataclass(frozen=True, kw_only=True)
class Several(Reading):
    """Work on several files, whose findings are printed."""

    title: ClassVar[str] = "Run"

    in_place: Annotated[bool, Option("Overwrite the files themselves with the repaired ones")] = (
        False
    )
    jobs: Annotated[int, Option("Files at the same time", least=1)] = 1
    json: Annotated[bool, Option("Print JSON", for_python=True)] = False
    quiet: Annotated[bool, Option("Print findings only", for_python=True)] = False
    progress: Annotated[Progress | None, Option("Called with (file, files)", for_python=True)] = (
        None
    )


@dataclasses.dataclass(frozen=True, kw_only=True)
class Frames(Options):
    """The frame rate."""

    title: ClassVar[str] = "Time"

    rate: Annotated[
        float, Option("Frames per second", unit="Hz", least=LOWEST_RATE, most=HIGHEST_RATE)
    ] = 60.0


@dataclasses.dataclass(frozen=True, kw_only=True)
class Length(Watched):
    """The length of a run."""

    title: ClassVar[str] = "Time"

    seconds: Annotated[
        float | None,
        Option(
            "Length; by default that of the animations, at least 5 with bodies", unit="s", least=0
        ),
    ] = None
    until_rest: Annotated[bool, Option("Stop when all bodies rest (at most 60 s)")] = False


@dataclasses.dataclass(frozen=True, kw_only=True)
class Content(Options):
    """What is played, and under which conditions."""

    title: ClassVar[str] = "Scene"

    gravity: Annotated[
        Sequence[float],
        Option("Gravity; files do not specify it", unit="m/s²", length=3, metavar="X Y Z"),
    ] = EARTH
    animations: Annotated[
        str | Sequence[str] | None,
        Option(
            "Play only this animation; 'none' plays none",
            flags=("--animation",),
            typed=names_but_none,
        ),
    ] = None
    loop: Annotated[bool, Option("Restart animations when they end")] = False
    scene: Annotated[
        int | None, Option("Play this scene instead of the file's default", least=0)
    ] = None
    omi_stiffness: Annotated[
        Literal["auto", "literal"],
        Option("OMI joints of 2023: values up to 1 are hard limits (auto), or N/m"),
    ] = "auto"
    spring_mode: Annotated[
        SpringMode,
        Option("Spring bones: one update per frame, as specified; 60 per second at any rate; none"),
    ] = "reference"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Effort(Content):
    """The effort of any engine."""

    title: ClassVar[str] = "Engine"

    substeps: Annotated[
        int | None,
        Option(
            "Engine steps per frame; by default chosen by quality and scene",
            least=1,
            most=MAX_SUBSTEPS,
        ),
    ] = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Engine(Options):
    """The engine, and how exact it is."""

    title: ClassVar[str] = "Engine"

    engine: Annotated[str, Option(ENGINE_HELP)] = ENGINES[0]
    quality: Annotated[
        Quality,
        Option(
            "fast: one engine step per frame with the engine's own joints, for previews; exact: "
            "joints, limits and drives as the file defines them; balanced: in between"
        ),
    ] = QUALITIES[-1]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Playing(Engine, Effort):
    """The engine, and what it must play."""

    title: ClassVar[str] = "Engine"

    strict: Annotated[
        bool, Option("Refuse what the engine does not play exactly, with exit status 1")
    ] = False
    settings: Annotated[
        object | None, Option("Settings of the engine, of its own type", for_python=True)
    ] = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Contacts(Options):
    """Which events are recorded."""

    contacts: Annotated[bool, Option("Record contact events besides trigger events")] = False


@dataclasses.dataclass(frozen=True, kw_only=True)
class Stepping(Frames, Contacts, Playing):
    """A simulation that is stepped."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Run(Length, Frames, Contacts, Effort):
    """A simulation that is recorded, on any engine."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Simulating(Run, Stepping):
    """A simulation that is recorded."""

    contact_points: Annotated[
        bool,
        Option("Record position and force of every contact at every frame", for_python=True),
    ] = False
    nudge: Annotated[
        float,
        Option(
            "Displace the start of every free body, to tell whether the motion is chaotic",
            unit="m",
            least=0,
            for_python=True,
        ),
    ] = 0.0

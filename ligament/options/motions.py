"""Groups of options about humanoid motion."""

import dataclasses
from collections.abc import Sequence
from typing import Annotated, ClassVar

from ligament.options.names import HIGHEST_RATE, LOWEST_RATE, HipsRule, TPose
from ligament.options.option import Option, Options, PathLike


def _t_pose(word: str) -> int | str:
    try:
        return int(word)
    except ValueError:
        return word


@dataclasses.dataclass(frozen=True, kw_only=True)
class Mapped(Options):
    """The joints of a skeleton that are bones of a humanoid."""

    bones: Annotated[
        PathLike | None,
        Option('A bone map (.toml) for bones that are not found: hips = "Joint 1"', is_read=True),
    ] = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Measuring(Mapped):
    """How motion is read from files."""

    title: ClassVar[str] = "Motion"

    animations: Annotated[
        str | Sequence[str] | None, Option("Use only this animation", flags=("--animation",))
    ] = None
    t_pose: Annotated[
        TPose,
        Option(
            "The T-pose: the rest pose, turned into one (auto) or as it is (given), or a frame",
            least=0,
            flags=("--t-pose-frame", "--t-pose"),
            metavar="auto|given|FRAME",
            typed=_t_pose,
        ),
    ] = "auto"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Edits(Options):
    """How a motion is edited, in this order."""

    title: ClassVar[str] = "Edits"

    trim: Annotated[
        Sequence[float] | None,
        Option("Keep the part between two times", unit="s", least=0, length=2, metavar="START END"),
    ] = None
    speed: Annotated[float | None, Option("Play faster (above 1) or slower", above=0)] = None
    mirror: Annotated[bool, Option("Mirror left and right")] = False
    in_place: Annotated[bool, Option("Keep the hips over one point")] = False
    loop_seam: Annotated[
        float | None, Option("Blend the last seconds into the first pose", unit="s", above=0)
    ] = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Applying(Options):
    """How a motion is applied to an avatar."""

    title: ClassVar[str] = "Edits"

    hips: Annotated[
        HipsRule, Option("Scale the hips' displacement from rest, or their absolute position")
    ] = "delta"
    keep_contacts: Annotated[bool, Option("Keep feet planted where they are in the source")] = False


@dataclasses.dataclass(frozen=True, kw_only=True)
class Retargeting(Applying, Edits):
    """How a motion is edited, and applied to an avatar."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Writing(Applying):
    """How the motion of an avatar is written."""

    rate: Annotated[
        float | None,
        Option(
            "Sample at this rate; else original keys are kept",
            unit="Hz",
            least=LOWEST_RATE,
            most=HIGHEST_RATE,
        ),
    ] = None
    root_motion: Annotated[bool, Option("Move the path over the ground to the model's root")] = (
        False
    )

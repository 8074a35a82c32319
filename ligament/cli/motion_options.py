"""Motion options: how files are read, and how motion is edited."""

from __future__ import annotations

import dataclasses
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from ligament.rig import Motion
from ligament.rig.motion import edits


class RestPose(StrEnum):
    """Treatment of rest poses."""

    AUTO = "auto"
    GIVEN = "given"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Reading:
    """How motion files are read."""

    animation: Annotated[
        list[str] | None, typer.Option(help="Use only this animation (repeatable).")
    ] = None
    bones: Annotated[
        Path | None,
        typer.Option(help='A bone map (.toml) for bones that are not found: hips = "Joint 1", …'),
    ] = None
    t_pose: Annotated[
        RestPose,
        typer.Option(help="Turn rest poses into T-poses (auto), or take them as they are (given)."),
    ] = RestPose.AUTO
    t_pose_frame: Annotated[
        int | None, typer.Option(min=0, help="Use this frame as the T-pose.")
    ] = None

    def arguments(self) -> dict[str, Any]:
        """Return keyword arguments of `load_clips`."""
        pose = self.t_pose.value if self.t_pose_frame is None else self.t_pose_frame
        return {"animations": self.animation, "bones": self.bones, "t_pose": pose}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Editing:
    """How a motion is changed before it is written."""

    trim: Annotated[
        tuple[float, float] | None,
        typer.Option(metavar="START END", help="Keep the part between two times [s]."),
    ] = None
    speed: Annotated[float | None, typer.Option(help="Play faster (above 1) or slower.")] = None
    mirror: Annotated[bool, typer.Option("--mirror", help="Mirror left and right.")] = False
    in_place: Annotated[bool, typer.Option("--in-place", help="Keep the hips over one point.")] = (
        False
    )
    loop_seam: Annotated[
        float | None, typer.Option(help="Blend the last seconds [s] into the first pose.")
    ] = None
    root_motion: Annotated[
        bool,
        typer.Option("--root-motion", help="Move the path over the ground to the model's root."),
    ] = False
    keep_contacts: Annotated[
        bool,
        typer.Option("--keep-contacts", help="Keep feet planted where they are in the source."),
    ] = False

    def edited(self, motion: Motion) -> Motion:
        """Edit a motion, in the order of the options."""
        if self.trim is not None:
            motion = edits.trimmed(motion, *self.trim)
        if self.speed is not None:
            motion = edits.at_speed(motion, self.speed)
        if self.mirror:
            motion = edits.mirrored(motion)
        if self.in_place:
            motion = edits.in_place(motion)
        if self.loop_seam is not None:
            motion = edits.looped(motion, self.loop_seam)
        return motion

    def writing(self) -> dict[str, Any]:
        """Return keyword arguments of `add_motion` and `write_arrays`."""
        return {"root_motion": self.root_motion, "keep_contacts": self.keep_contacts}

"""`ligament retarget`: motion retargeted to an avatar."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from ligament.baking import add_motion, without_animations
from ligament.baking.motion_files import write_arrays, write_motion_file
from ligament.cli.console import messages, plain
from ligament.cli.motion_options import Editing, Reading
from ligament.cli.options import Limit, Quiet, chosen_limits, grouped
from ligament.errors import ContentError, MissingExtraError
from ligament.files import all_or_nothing, local_name, make_folder
from ligament.gltf import Document, load, save
from ligament.gltf.objects import Named
from ligament.rig import Humanoid, Motion, find_humanoid
from ligament.rig.motion.clips import load_clips, numbered_names, renamed, unrepeated
from ligament.rig.springs.spring_bones import Mode as SpringMode

EXAMPLE = "ligament retarget wave.vrma --to avatar.vrm -o waving.glb"

FILES = {".glb", ".gltf", ".vrm"}
"""Suffixes of an avatar with animations."""

SINGLE = {".vrma", ".npz"}
"""Suffixes of files that hold one motion."""


class Hips(StrEnum):
    """Scaling of the hips' motion."""

    DELTA = "delta"
    SCALED = "scaled"


Springs = Annotated[
    bool, typer.Option("--springs", help="Add the motion of spring bones (at 60 Hz, or --rate).")
]
SpringModeOption = Annotated[
    Literal["reference", "steady"],
    typer.Option(help="Spring bones: one update per frame, as specified; or 60 per second."),
]


class Device(StrEnum):
    """The device of array computations."""

    CPU = "cpu"
    CUDA = "cuda"


class Form(StrEnum):
    """Files in a folder."""

    VRMA = "vrma"
    NPZ = "npz"
    GLB = "glb"


@grouped
def retarget(
    *,
    motions: Annotated[
        list[Path], typer.Argument(help="Motion: .vrma, .bvh, or glTF with an animated humanoid.")
    ],
    to: Annotated[Path, typer.Option(help="The avatar: .vrm, or glTF with a humanoid skeleton.")],
    out: Annotated[
        Path, typer.Option("-o", "--out", help=".glb, .gltf or .vrm; .vrma; .npz; or a folder.")
    ],
    format: Annotated[  # noqa: A002  (the name of the option)
        Form, typer.Option(help="The files in a folder, one for each motion.")
    ] = Form.VRMA,
    keep_animations: Annotated[
        bool, typer.Option("--keep-animations", help="Keep the avatar's own animations too.")
    ] = False,
    rate: Annotated[
        float | None, typer.Option(help="Sample at this rate [Hz]; else original keys are kept.")
    ] = None,
    hips: Annotated[
        Hips,
        typer.Option(help="Scale the hips' displacement from rest, or their absolute position."),
    ] = Hips.DELTA,
    reading: Reading,
    editing: Editing,
    springs: Springs = False,
    spring_mode: SpringModeOption = "reference",
    device: Annotated[Device, typer.Option(help="The device to compute on.")] = Device.CPU,
    limit: Limit = None,
    quiet: Quiet = False,
) -> None:
    """Retarget motion to an avatar.

    All animations of a file are taken, or those that --animation names. A .glb, .gltf or .vrm
    output is the avatar with one animation for each; with several a .vrma or .npz output is a
    folder that gets one file for each.
    """
    suffix = _kind(out)
    if springs and (suffix or f".{format.value}") == ".vrma":
        raise ContentError("a VRMA has no springs", file=out, remedy="leave out --springs")
    limits = chosen_limits(limit)
    avatar = find_humanoid(load(to, limits=limits))
    clips: list[_Clip] = []
    for path in motions:
        found = load_clips(path, limits=limits, **reading.arguments())
        several = len(found.motions) > 1
        clips += [_Clip(path, motion, several) for motion in found.motions]
        for reason in found.left_out:
            _print_message(quiet, f"{plain(path)}: {plain(reason)}; left out")
        if found.motions[0].assumed is not None:
            _print_message(quiet, f"{plain(path)}: {plain(str(found.motions[0].assumed))}")
    clips = [dataclasses.replace(c, motion=_on(device, editing.edited(c.motion))) for c in clips]
    job = _Job(avatar, rate, hips, editing, spring_mode if springs else None)
    if suffix not in FILES:  # they report by themselves what they cannot show
        _report_expressions(quiet, avatar, clips)
    if suffix in FILES:
        _write_avatar(job, clips, out, keep=keep_animations, quiet=quiet)
    elif suffix in SINGLE and len(clips) == 1:
        job.write(clips[0].motion, out, suffix)
        _print_written(quiet, clips[0].motion, out)
    else:
        _write_folder(job, clips, out, suffix or f".{format.value}", quiet=quiet)


@dataclasses.dataclass(frozen=True)
class _Clip:
    path: Path
    motion: Motion
    one_of_many: bool

    @property
    def file_name(self) -> str:
        """Name the file of a clip: after its file, and after the clip if there are several."""
        if not self.one_of_many:
            return self.path.stem
        safe = "".join(c if c.isalnum() or c in "-_ ." else "_" for c in self.motion.name)
        return local_name(f"{self.path.stem}-{safe.strip(' .') or 'motion'}")


@dataclasses.dataclass(frozen=True)
class _Job:
    avatar: Humanoid
    rate: float | None
    hips: Hips
    editing: Editing
    springs: SpringMode | None

    def write(self, motion: Motion, target: Path, suffix: str) -> None:
        options: dict[str, Any] = {"rate": self.rate, "hips": self.hips.value}
        if suffix == ".npz":
            options |= self.editing.writing()
            write_arrays(self.avatar, motion, target, springs=self.springs, **options)
        elif suffix == ".vrma":
            if self.editing.root_motion:
                raise ContentError(
                    "a .vrma file has no root that moves",
                    pointer="--root-motion",
                    remedy="write .glb or .npz",
                )
            options["keep_contacts"] = self.editing.keep_contacts
            write_motion_file(self.avatar, motion, target, **options)
        else:
            save(self.added(without_animations(self.avatar.document), motion), target)

    def added(self, document: Document, motion: Motion) -> Document:
        return add_motion(
            document,
            motion,
            rate=self.rate,
            hips=self.hips.value,
            avatar=self.avatar,
            springs=self.springs,
            **self.editing.writing(),
        )


def _kind(out: Path) -> str:
    """Return the suffix of the output, "" for a folder."""
    suffix = out.suffix.lower()
    if out.is_dir() and suffix not in SINGLE:
        return ""
    if suffix and suffix not in FILES | SINGLE:
        raise ContentError(
            f"cannot write {suffix!r}",
            file=out,
            remedy="use .glb, .gltf, .vrm, .vrma or .npz, or a folder",
        )
    return suffix


def _write_avatar(job: _Job, clips: Sequence[_Clip], out: Path, *, keep: bool, quiet: bool) -> None:
    """Write the avatar with one animation per clip."""
    document = job.avatar.document
    own = [animation.name or "" for animation in document.views("animations", Named)]
    if not keep:
        document = without_animations(document)
        if own:
            listed = ", ".join(repr(plain(name)) for name in own)
            _print_message(
                quiet,
                f"{plain(out)}: left out the avatar's own animations {listed}; "
                "--keep-animations keeps them",
            )
    elif (names := unrepeated(own)) != own:
        changed = [new for old, new in zip(own, names, strict=True) if old != new]
        listed = ", ".join(repr(plain(name)) for name in changed)
        _print_message(
            quiet, f"{plain(out)}: renamed repeated animations of the avatar to {listed}"
        )
        document, own = _renamed_animations(document, names), names
    for motion in renamed([clip.motion for clip in clips], own if keep else ()):
        document = job.added(document, motion)
        _print_written(quiet, motion, out)
    save(document, out)


def _renamed_animations(document: Document, names: Sequence[str]) -> Document:
    """Return a copy of a document whose animations have these names."""
    copy = document.copy()
    for animation, name in zip(copy.array("animations"), names, strict=True):
        if name:
            animation["name"] = name
    return copy


def _write_folder(
    job: _Job, clips: Sequence[_Clip], out: Path, suffix: str, *, quiet: bool
) -> None:
    """Write one file per clip."""
    names = numbered_names([clip.file_name for clip in clips])
    for clip, name in zip(clips, names, strict=True):
        target = out / f"{name}{suffix}"
        with all_or_nothing():
            make_folder(out)
            job.write(clip.motion, target, suffix)
        _print_written(quiet, clip.motion, target)


def _on(device: Device, motion: Motion) -> Motion:
    """Move a motion to the device."""
    if device is Device.CPU:
        return motion
    try:
        import torch
    except ImportError as fault:
        raise MissingExtraError("CUDA needs torch", remedy="pip install ligament[gpu]") from fault
    if not torch.cuda.is_available():
        raise ContentError("there is no CUDA device", remedy="leave out --device cuda")
    return motion.map(lambda array: torch.as_tensor(array, dtype=torch.float32, device="cuda"))


def _report_expressions(quiet: bool, avatar: Humanoid, clips: Sequence[_Clip]) -> None:
    moved = {name for c in clips for curves in c.motion.expressions for name in curves.names}
    lacking = sorted(moved - {*avatar.expressions})
    if lacking:
        _print_message(
            quiet, f"the avatar lacks the expressions {plain(', '.join(lacking))}; left out"
        )


def _print_message(quiet: bool, line: str) -> None:
    if not quiet:
        messages.print(line)


def _print_written(quiet: bool, motion: Motion, target: Path) -> None:
    bones = len(motion.bones)
    _print_message(
        quiet, f"{plain(target)}: {plain(motion.name)}, {motion.duration:g} s, {bones} bones"
    )

"""`ligament retarget`: motion retargeted to an avatar."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import typer

from ligament.bake import add_motion, save_arrays, to_vrma
from ligament.bake.motion import SPRING_RATE
from ligament.cli.console import messages, plain
from ligament.cli.options import Limit, Quiet, chosen_limits
from ligament.errors import ContentError, MissingExtraError
from ligament.files import make_folder
from ligament.gltf import load, save
from ligament.recording import frame_times
from ligament.rig import Humanoid, Motion, load_motion
from ligament.rig import retarget as retarget_motion
from ligament.rig.springs.spring_bones import Mode as SpringMode


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


def retarget(
    motions: Annotated[
        list[Path], typer.Argument(help="Motion: .vrma, .bvh, or glTF with an animated humanoid.")
    ],
    to: Annotated[Path, typer.Option(help="The avatar: .vrm or another humanoid glTF file.")],
    out: Annotated[
        Path, typer.Option("-o", "--out", help=".glb, .gltf or .vrm; .vrma; .npz; or a folder.")
    ],
    rate: Annotated[
        float | None, typer.Option(help="Sample at this rate [Hz]; else original keys are kept.")
    ] = None,
    hips: Annotated[
        Hips,
        typer.Option(help="Scale the hips' displacement from rest, or their absolute position."),
    ] = Hips.DELTA,
    springs: Springs = False,
    spring_mode: SpringModeOption = "reference",
    device: Annotated[Device, typer.Option(help="The device to compute on.")] = Device.CPU,
    limit: Limit = None,
    quiet: Quiet = False,
) -> None:
    """Retarget motion to an avatar.

    A .glb, .gltf or .vrm output is the avatar with one animation per motion. With several motions
    a .vrma or .npz output is a folder that gets one file per motion.
    """
    limits = chosen_limits(limit)
    mode: SpringMode | None = spring_mode if springs else None
    if springs and out.suffix.lower() == ".vrma":
        raise ContentError("a VRMA has no springs", file=out, remedy="leave out --springs")
    avatar = Humanoid(load(to, limits=limits))
    loaded = [(path, _on(device, load_motion(path, limits=limits))) for path in motions]
    suffix = out.suffix.lower()
    if suffix in {".vrma", ".npz"}:
        for path, motion in loaded:
            target = out if len(loaded) == 1 else make_folder(out) / f"{path.stem}{suffix}"
            _write(avatar, motion, target, rate, hips, mode)
            _say(quiet, motion, target)
        return
    if suffix not in {".glb", ".gltf", ".vrm"}:
        raise ContentError(
            f"cannot write {suffix or 'a file without suffix'!r}",
            file=out,
            remedy="use .glb, .gltf, .vrm, .vrma or .npz",
        )
    document = avatar.document
    for _, motion in loaded:
        document = add_motion(
            document, motion, rate=rate, hips=hips.value, avatar=avatar, springs=mode
        )
        _say(quiet, motion, out)
    save(document, out)


def _write(
    avatar: Humanoid,
    motion: Motion,
    target: Path,
    rate: float | None,
    hips: Hips,
    springs: SpringMode | None,
) -> None:
    if target.suffix.lower() == ".vrma":
        save(to_vrma(avatar, motion, hips=hips.value), target)
        return
    rate = SPRING_RATE if rate is None and springs is not None else rate
    times = None if rate is None else frame_times(motion.duration, rate)
    pose = retarget_motion(motion, avatar, times, hips=hips.value)
    save_arrays(pose, target, document=avatar.document, springs=springs)


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


def _say(quiet: bool, motion: Motion, target: Path) -> None:
    if not quiet:
        bones = len(motion.bones)
        messages.print(
            f"{plain(target)}: {plain(motion.name)}, {motion.duration:g} s, {bones} bones"
        )

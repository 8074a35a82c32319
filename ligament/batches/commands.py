"""The batch commands: check, simulate, bake, retarget or convert one file."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from ligament.baking.motion_files import write_arrays, write_motion_file
from ligament.batches.clip_files import clip_paths, write_avatar
from ligament.batches.options import (
    CheckedSource,
    CheckOptions,
    MotionFormat,
    RetargetOptions,
)
from ligament.checker.config import Settings
from ligament.checker.files import FileTask, check_loaded
from ligament.errors import ContentError
from ligament.files import write_atomic
from ligament.gltf import load
from ligament.jobs.perform import Result
from ligament.jobs.sources import Source
from ligament.jobs.task import Options
from ligament.limits import Limits
from ligament.rig import Humanoid, find_humanoid
from ligament.rig.motion.clips import load_clips
from ligament.rig.springs.spring_bones import Mode


def run_command(source: Source, paths: Sequence[Path], options: Options, *, shown: str) -> Result:
    """Run the command that the options belong to, writing to `paths` in the order of `endings`."""
    match options:
        case CheckOptions():
            return _check(source, paths[0], options, shown)
        case RetargetOptions():
            return _retarget(source, paths, options)
    raise ContentError(f"no command takes {type(options).__name__}", remedy="use those of batch")


def _check(source: Source, path: Path, options: CheckOptions, shown: str) -> Result:
    assert isinstance(source, CheckedSource)
    settings = source.config.settings_for(source.path)
    settings = settings.under(Settings(frozenset(options.ignore), options.fail_on))
    report = check_loaded(FileTask(source.path, settings), source.document).report
    _write_json({"files": [{"file": shown, **report.plain()}]}, path)
    threshold = settings.fail_on or "error"
    falls_short = threshold != "never" and report.has(threshold)
    counted = [f"{n} {kind}{'s' * (n != 1)}" for kind, n in report.counts.items() if n]
    return Result(
        ", ".join(counted) if falls_short else None, {str(k): n for k, n in report.counts.items()}
    )


def _retarget(source: Source, paths: Sequence[Path], options: RetargetOptions) -> Result:
    avatar = _avatar(options.to, options.limits)
    read = source.path if source.is_bvh else source.document
    reading: dict[str, Any] = {"bones": options.bones, "t_pose": options.t_pose}
    motions = load_clips(read, **reading, limits=options.limits)
    springs: Mode | None = "reference" if options.springs else None
    given: dict[str, Any] = {"rate": options.rate, "hips": options.hips}
    if options.format == MotionFormat.GLB:
        write_avatar(avatar, motions, paths[0], springs=springs, **given)
    else:
        for motion, path in zip(motions, clip_paths(motions, *paths), strict=True):
            if options.format == MotionFormat.VRMA:
                write_motion_file(avatar, motion, path, **given)
            else:
                write_arrays(avatar, motion, path, springs=springs, **given)
    return Result(counts={"bones": len(motions[0].bones), "clips": len(motions)})


@functools.lru_cache(maxsize=1)
def _avatar(path: Path, limits: Limits) -> Humanoid:
    """Load the avatar once for all motions that this process retargets to it."""
    return find_humanoid(load(path, limits=limits))


def _write_json(value: Any, path: Path) -> None:
    write_atomic(path, [msgspec.json.format(msgspec.json.encode(value), indent=1), b"\n"])

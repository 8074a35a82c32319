"""The batch commands: check, simulate, bake, retarget or convert one file."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from ligament.baking import Tolerance, bake
from ligament.baking.motion_files import write_arrays, write_motion_file
from ligament.batches.clip_files import clip_paths, write_avatar
from ligament.batches.options import (
    BakeOptions,
    CheckedSource,
    CheckOptions,
    ConvertOptions,
    MotionFormat,
    RetargetOptions,
    SimulateOptions,
)
from ligament.checker.config import Settings
from ligament.checker.files import FileTask, check_loaded
from ligament.conversion import convert
from ligament.conversion.formats import write
from ligament.conversion.normalize import normalize
from ligament.errors import ContentError
from ligament.files import write_atomic
from ligament.gltf import Document, load, save
from ligament.jobs.options import Options
from ligament.jobs.perform import Result, discard, run_task
from ligament.jobs.sources import Source
from ligament.jobs.task import Entry, Task
from ligament.limits import Limits
from ligament.play import simulate
from ligament.recording import save_events, save_recording
from ligament.rig import Humanoid, find_humanoid
from ligament.rig.motion.clips import load_clips
from ligament.rig.springs.spring_bones import Mode


def perform(task: Task) -> Entry:
    """Process one task of `batch`; faults of the file go into the entry."""
    return run_task(task, run_command)


def run_command(source: Source, paths: Sequence[Path], options: Options, *, shown: str) -> Result:
    """Run the command that the options belong to, writing to `paths` in the order of `endings`."""
    match options:
        case CheckOptions():
            return _check(source, paths[0], options, shown)
        case SimulateOptions():
            return _simulate(source.document, paths, options)
        case BakeOptions():
            return _bake(source.document, paths[0], options)
        case RetargetOptions():
            return _retarget(source, paths, options)
        case ConvertOptions():
            return _convert(source.document, paths, options)
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


def _simulate(document: Document, paths: Sequence[Path], options: SimulateOptions) -> Result:
    recording = simulate(document, contacts=options.contacts, **options.playing())
    recording.require_finite()
    save_recording(recording, paths[0])
    if options.events:
        save_events(recording, paths[1])
    return Result(counts={"frames": len(recording.times), "bodies": len(recording.nodes)})


def _bake(document: Document, path: Path, options: BakeOptions) -> Result:
    recording = simulate(document, **options.playing())
    recording.require_finite()
    tolerance = Tolerance(distance=options.distance_tolerance, angle=options.angle_tolerance)
    save(bake(document, recording, strip=options.strip, tolerance=tolerance), path, embed=True)
    return Result(counts={"frames": len(recording.times), "nodes": len(recording.local_nodes)})


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


def _convert(document: Document, paths: Sequence[Path], options: ConvertOptions) -> Result:
    result = convert(document, options.to, license_url=options.license_url)
    discard(path for path in paths[1:] if path.is_dir())  # left by an earlier file of this name
    changed = normalize(result.document) if options.normalize else result.document
    lost = [*result.losses, *write(changed, paths[0], embed=True, animations=options.animations)]
    if options.losses:
        _write_json([dataclasses.asdict(loss) for loss in lost], paths[-1])
    counted = f"{len(lost)} loss{'es' * (len(lost) != 1)}"
    return Result(counted if options.strict and lost else None, {"losses": len(lost)})


def _write_json(value: Any, path: Path) -> None:
    write_atomic(path, [msgspec.json.format(msgspec.json.encode(value), indent=1), b"\n"])

"""What each command does with one file."""

from __future__ import annotations

import dataclasses
import functools
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from ligament.bake import Tolerance, add_motion, bake, save_arrays, to_vrma
from ligament.batch.formats import MotionFormat
from ligament.batch.hashing import hash_companions, hash_file, hash_together
from ligament.batch.options import (
    BakeOptions,
    CheckOptions,
    ConvertOptions,
    Options,
    RetargetOptions,
    SimulateOptions,
)
from ligament.check.config import Config, Settings, find_config, read_config
from ligament.check.files import FileTask, check_loaded
from ligament.convert import convert
from ligament.convert.formats import write
from ligament.convert.normalize import normalize
from ligament.errors import ContentError
from ligament.files import write_atomic
from ligament.gltf import Document, load, save
from ligament.limits import Limits
from ligament.play import simulate
from ligament.recording import frame_times, save_events, save_recording
from ligament.rig import Humanoid, load_motion, retarget


@dataclasses.dataclass(frozen=True)
class Result:
    """What there is to tell about a file that was worked on to the end."""

    shortfall: str | None = None
    counts: dict[str, int] = dataclasses.field(default_factory=dict)


class Source:
    """An input on this machine's disk, read once for its hash and its content.

    `known` is its hash as far as it could be told.
    """

    def __init__(self, path: Path, options: Options) -> None:
        self.path, self.options = path, options
        self.known: str | None = None

    def sha256(self) -> str:
        """Return one hash of the file and of all that the work on it reads."""
        own = self.known = hash_file(self.path)
        others = dict(self._settings_hash())
        if not self.is_bvh:
            others |= hash_companions(self.document, self.options.reads_images)
        self.known = hash_together(own, others)
        return self.known

    @property
    def is_bvh(self) -> bool:
        """Whether it is motion in the form of BVH, told by the name."""
        return self.path.suffix.lower() == ".bvh"

    @functools.cached_property
    def document(self) -> Document:
        """The content of a glTF file."""
        return load(self.path, limits=self.options.limits)

    @functools.cached_property
    def config(self) -> Config:
        """The settings of the checker that count for the file."""
        chosen = self.options.config if isinstance(self.options, CheckOptions) else None
        return find_config(self.path) if chosen is None else read_config(chosen)

    def _settings_hash(self) -> dict[str, str]:
        """Return the hash of settings that were found near the file."""
        if not isinstance(self.options, CheckOptions) or self.options.config is not None:
            return {}
        path = self.config.path
        return {} if path is None else {path.name: hash_file(path)}


def run_command(source: Source, paths: Sequence[Path], options: Options, *, shown: str) -> Result:
    """Do what the type of the options says, writing to the paths in the order of `endings`."""
    match options:
        case CheckOptions():
            return _check(source, paths[0], options, shown)
        case SimulateOptions():
            return _simulate(source.document, paths, options)
        case BakeOptions():
            return _bake(source.document, paths[0], options)
        case RetargetOptions():
            return _retarget(source, paths[0], options)
        case ConvertOptions():
            return _convert(source.document, paths, options)
    raise ContentError(f"no work is known for {type(options).__name__}", remedy="use a command")


def _check(source: Source, path: Path, options: CheckOptions, shown: str) -> Result:
    settings = source.config.settings_for(source.path)
    settings = settings.under(Settings(frozenset(options.ignore), options.fail_on))
    report = check_loaded(FileTask(source.path, settings), source.document).report
    _write_json({"files": [{"file": shown, **report.plain()}]}, path)
    threshold = settings.fail_on or "error"
    falls_short = threshold != "never" and report.has(threshold)
    told = [f"{n} {kind}{'s' * (n != 1)}" for kind, n in report.counts.items() if n]
    return Result(
        ", ".join(told) if falls_short else None, {str(k): n for k, n in report.counts.items()}
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


def _retarget(source: Source, path: Path, options: RetargetOptions) -> Result:
    avatar = _avatar(options.to, options.limits)
    read = source.path if source.is_bvh else source.document
    motion = load_motion(read, limits=options.limits)
    match options.format:
        case MotionFormat.VRMA:
            save(to_vrma(avatar, motion, hips=options.hips), path)
        case MotionFormat.GLB:
            moved = add_motion(
                avatar.document, motion, rate=options.rate, hips=options.hips, avatar=avatar
            )
            save(moved, path, embed=True)
        case MotionFormat.NPZ:
            rate = options.rate
            times = None if rate is None else frame_times(motion.duration, rate)
            save_arrays(retarget(motion, avatar, times, hips=options.hips), path)
    return Result(counts={"bones": len(motion.bones)})


@functools.lru_cache(maxsize=1)
def _avatar(path: Path, limits: Limits) -> Humanoid:
    """Load the avatar once for all motions that this process moves to it."""
    return Humanoid(load(path, limits=limits))


def _convert(document: Document, paths: Sequence[Path], options: ConvertOptions) -> Result:
    result = convert(document, options.to, license_url=options.license_url)
    for path in paths[1:]:
        if path.is_dir():  # what another file of this name had beside it
            shutil.rmtree(path)
    changed = normalize(result.document) if options.normalize else result.document
    lost = [*result.losses, *write(changed, paths[0], embed=True)]
    if options.losses:
        _write_json([dataclasses.asdict(loss) for loss in lost], paths[-1])
    told = f"{len(lost)} loss{'es' * (len(lost) != 1)}"
    return Result(told if options.strict and lost else None, {"losses": len(lost)})


def _write_json(value: Any, path: Path) -> None:
    write_atomic(path, [msgspec.json.format(msgspec.json.encode(value), indent=1), b"\n"])

"""One clip on one avatar: the options of such a pair, and the work of a task."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import glob
import tempfile
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar, Self, get_args

import msgspec
import numpy as np

from ligament.arrays import Floats
from ligament.baking.motion import SPRING_RATE, PoseSprings
from ligament.baking.motion_files import write_motion_file
from ligament.batches.clip_files import clip_names, clip_paths, write_avatar
from ligament.datasets import Column, Store, check_dataset
from ligament.datasets.dataset import create_spool
from ligament.datasets.npz_store import write_flat
from ligament.datasets.spool import SpoolReader
from ligament.errors import ContentError, LigamentError, MissingExtraError
from ligament.gltf import load
from ligament.gltf.storage.container import GLB_SUFFIXES
from ligament.jobs.perform import Result, run_task
from ligament.jobs.remote import is_url
from ligament.jobs.sources import Source, hash_document, hash_file
from ligament.jobs.task import Entry, Options, Task
from ligament.limits import DEFAULT, Limits, chosen_limits
from ligament.operations.retarget import Retarget
from ligament.options.names import CHUNK, HipsRule, TPose
from ligament.recording import frame_times
from ligament.rig import Humanoid, Motion, Pose, find_humanoid, retarget
from ligament.rig.motion.bone_map import read_bones
from ligament.rig.motion.clips import load_clips

AVATAR_SUFFIXES = frozenset({".gltf", *GLB_SUFFIXES}) - {".vrma"}
"""Suffixes of avatars in a folder."""


class MotionFormat(StrEnum):
    """Formats of retargeted motion; "glb" is the avatar with all clips, others hold one each."""

    VRMA = "vrma"
    NPZ = "npz"
    GLB = "glb"


class Device(StrEnum):
    """The device of array computations."""

    CPU = "cpu"
    CUDA = "cuda"


@dataclasses.dataclass(frozen=True, kw_only=True)
class PairOptions:
    """Options of every pair: `to` is an avatar, or a folder of them before pairs are formed.

    `format` is that of the file for each pair (None: no files), `dataset` the data set of all.
    `chunk` frames are computed at once; `dtype` is the type of numbers in the data set. `springs`
    adds the rotations of spring bones, one update per frame (at 60 Hz where there is no `rate`).
    """

    command: ClassVar[str] = "retarget"
    suffixes: ClassVar[frozenset[str]] = frozenset(Retarget.reads.suffixes)
    reads_images: ClassVar[bool] = False

    to: Path
    limits: Limits = DEFAULT
    format: MotionFormat | None = None
    dataset: Path | str | None = None
    rate: float | None = None
    hips: HipsRule = "delta"
    chunk: int = CHUNK
    dtype: str = "f8"
    device: Device = Device.CPU
    bones: Path | None = None
    t_pose: TPose = "auto"
    springs: bool = False

    def prepared(self) -> Self:
        """Refuse options that no pair can be made with."""
        _require_outputs(self)
        _require_numbers(self)
        if self.device == Device.CUDA:
            require_cuda()
        if not self.to.is_dir() and not glob.has_magic(str(self.to)):
            find_humanoid(load(self.to, limits=self.limits))
        read_bones(self.bones)
        bones = None if self.bones is None else self.bones.absolute()
        dataset = self.dataset
        if dataset is not None and not is_url(str(dataset)):
            dataset = Path(dataset).absolute()
            check_dataset(dataset)
        to = Path(self.to).absolute()
        return dataclasses.replace(self, to=to, dataset=dataset, bones=bones)

    def fingerprint(self) -> dict[str, Any]:
        """Return the options with the hash of the avatar."""
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        fields["limits"] = chosen_limits(self.limits)
        plain = msgspec.json.decode(msgspec.json.encode(fields, enc_hook=str))
        bones = None if self.bones is None else hash_file(self.bones)
        own = {"to": self._avatar_hash(), "dataset": self.dataset is not None, "bones": bones}
        return {**plain, **own}

    def _avatar_hash(self) -> str:
        """Return the hash of the avatar; if it cannot be read, its pairs will report that."""
        try:
            document = load(self.to, limits=self.limits)
            return hash_document(document, with_images=self.format == MotionFormat.GLB)
        except LigamentError:
            return "unreadable"

    def endings(self, name: str) -> tuple[str, ...]:
        """Name the file of a pair, the folder of its clips and its part of the data set."""
        files = () if self.format is None else tuple(Retarget.writes[0].endings(name, self.format))
        return (*files, *([] if self.dataset is None else [".part"]))

    def source(self, path: Path) -> Source:
        """Open an input."""
        return Source(path, self.limits, reads_images=False)


def require_cuda() -> Any:
    """Return torch; ContentError without a CUDA device."""
    try:
        import torch
    except ImportError as fault:
        raise MissingExtraError("CUDA needs torch", remedy="pip install ligament[gpu]") from fault
    if not torch.cuda.is_available():
        raise ContentError("there is no CUDA device", remedy="use the device cpu")
    return torch


def _require_outputs(options: PairOptions) -> None:
    if options.format is None and options.dataset is None:
        raise ContentError("nothing would be written", remedy="give a format or a data set")
    if options.format == MotionFormat.VRMA and options.springs:
        remedy = "leave it out, or use the formats npz or glb"
        raise ContentError(
            "a VRMA file cannot store spring bones", pointer="springs", remedy=remedy
        )


def _require_numbers(options: PairOptions) -> None:
    if options.rate is not None:
        frame_times(0.0, options.rate)
    if options.chunk < 1:
        raise ContentError(f"the chunk size is {options.chunk} frames", remedy="use 1 or more")
    if options.hips not in get_args(HipsRule):
        remedy = "use delta or scaled"
        raise ContentError(f"unknown hips rule {options.hips!r}", remedy=remedy)


# --- in a worker ---


def retarget_pair(task: Task) -> Entry:
    """Retarget the clip of a task to its avatar."""
    return run_task(task, _command)


def _command(source: Source, paths: Sequence[Path], options: Options, *, shown: str) -> Result:
    assert isinstance(options, PairOptions)
    avatar = _avatar(options.to, options.limits)
    read = source.path if source.is_bvh else source.document
    reading: dict[str, Any] = {"bones": options.bones, "t_pose": options.t_pose}
    motions = load_clips(read, **reading, limits=options.limits)
    counts = {"bones": len(avatar.bones), "clips": len(motions)}
    if options.dataset is not None or options.format == MotionFormat.NPZ:
        with _spool(paths[-1] if options.dataset is not None else None) as path:
            with create_spool(path) as spool:
                counts["frames"] = sum(
                    write_motion(spool, motion, avatar, options, name)
                    for motion, name in zip(motions, clip_names(motions), strict=True)
                )
            if options.format == MotionFormat.NPZ:
                _write_npz(path, clip_paths(motions, paths[0], paths[1]))
    if options.format in (MotionFormat.VRMA, MotionFormat.GLB):
        _write_files(avatar, motions, paths, options)
    return Result(counts=counts)


@functools.lru_cache(maxsize=1)
def _avatar(path: Path, limits: Limits) -> Humanoid:
    """Load an avatar once for all clips that this process retargets to it in a row."""
    return find_humanoid(load(path, limits=limits))


@contextlib.contextmanager
def _spool(kept: Path | None) -> Iterator[Path]:
    """Give the path of a spool, a temporary one unless it is kept."""
    if kept is not None:
        yield kept
        return
    with tempfile.TemporaryDirectory(prefix="ligament-") as folder:
        yield Path(folder, "motion")


def _write_npz(spool: Path, paths: Sequence[Path]) -> None:
    """Write the arrays of each clip under the names that `ligament retarget` uses."""
    reader = SpoolReader(spool)
    names = {"time": "times", "hips": "hips_translation"}
    for table, path in zip(reader.tables, paths, strict=True):
        lists = {
            "bones": np.array(table.attributes["bones"], np.str_),
            "nodes": np.array(table.attributes["nodes"], np.int64),
            "expression_names": np.array(table.attributes["expressions"], np.str_),
        }
        if "spring_nodes" in table.attributes:
            lists["spring_nodes"] = np.array(table.attributes["spring_nodes"], np.int64)
        write_flat(path, reader, table, names, lists)


def _write_files(
    avatar: Humanoid, motions: Sequence[Motion], paths: Sequence[Path], options: PairOptions
) -> None:
    moved = [_on_device(motion, options.device) for motion in motions]
    given: dict[str, Any] = {"rate": options.rate, "hips": options.hips}
    if options.format == MotionFormat.GLB:
        springs = "reference" if options.springs else None
        write_avatar(avatar, moved, paths[0], springs=springs, **given)
        return
    for motion, path in zip(moved, clip_paths(moved, paths[0], paths[1]), strict=True):
        write_motion_file(avatar, motion, path, **given)


def _on_device(motion: Motion, device: Device) -> Motion:
    """Move the keys of a motion to a device; CUDA computes in single precision."""
    if device == Device.CPU:
        return motion
    torch = require_cuda()
    return motion.map(lambda array: torch.as_tensor(array, dtype=torch.float32, device="cuda"))


def write_motion(
    store: Store, motion: Motion, avatar: Humanoid, options: PairOptions, name: str = "motion"
) -> int:
    """Write a motion on an avatar as a table of a name; returns the number of frames.

    Memory holds the keys of the motion and one chunk of frames.
    """
    times = motion.times
    rate = SPRING_RATE if options.rate is None and options.springs else options.rate
    if rate is not None:
        times = frame_times(motion.duration, rate, limits=options.limits)
    moved = _on_device(motion, options.device)
    springs = PoseSprings(avatar.document, rate or SPRING_RATE) if options.springs else None
    table = None
    for part in _chunks(times, options.chunk):
        pose = retarget(moved, avatar, part, hips=options.hips).on_host()
        rows, columns, about = _rows(pose), _columns(pose, options.dtype), _about(pose, motion)
        if springs is not None:
            rows["spring_rotation"] = springs.follow(pose)
            columns["spring_rotation"] = Column(options.dtype, rows["spring_rotation"].shape[1:])
            about["spring_nodes"] = springs.springs.nodes.tolist()
        if table is None:
            table = store.table(name, columns, about)
        table.append(rows)
    return len(times)


def _chunks(times: Floats, size: int) -> Iterator[Floats]:
    for start in range(0, len(times), size):
        yield times[start : start + size]


def _columns(pose: Pose, dtype: str) -> dict[str, Column]:
    columns = {
        "time": Column("f8"),
        "rotation": Column(dtype, (len(pose.bones), 4)),
        "hips": Column(dtype, (3,)),
        "expressions": Column(dtype, (len(pose.expressions),)),
    }
    return columns if pose.look_at is None else columns | {"look_at": Column(dtype, (2,))}


def _about(pose: Pose, motion: Motion) -> dict[str, Any]:
    return {
        "motion": motion.name,
        "bones": list(pose.bones),
        "nodes": pose.nodes.tolist(),
        "expressions": list(pose.expressions),
    }


def _rows(pose: Pose) -> dict[str, Any]:
    weights = list(pose.expressions.values())
    rows: dict[str, Any] = {
        "time": pose.times,
        "rotation": pose.rotation,
        "hips": pose.hips_translation,
        "expressions": np.stack(weights, 1) if weights else np.zeros((len(pose.times), 0)),
    }
    return rows if pose.look_at is None else rows | {"look_at": pose.look_at}

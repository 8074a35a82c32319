"""One clip on one avatar: the options of such a pair, and the work of a task."""

from __future__ import annotations

import contextlib
import dataclasses
import glob
import tempfile
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar, Self

import msgspec
import numpy as np

from ligament.arrays import Floats
from ligament.baking.motion import SPRING_RATE, PoseSprings
from ligament.datasets import Column, Store, check_dataset
from ligament.datasets.dataset import create_spool
from ligament.datasets.npz_store import write_flat
from ligament.datasets.spool import SpoolReader
from ligament.errors import ContentError, LigamentError
from ligament.files import safe_name
from ligament.gltf import load
from ligament.gltf.storage.container import GLB_SUFFIXES
from ligament.jobs.perform import Result, discard, run_task
from ligament.jobs.remote import is_url
from ligament.jobs.sources import Source, hash_document, hash_file
from ligament.jobs.task import Entry, Options, Task
from ligament.limits import DEFAULT, Limits, chosen_limits
from ligament.operations.operation import BESIDE
from ligament.operations.retarget import Retarget
from ligament.options.motions import Edits
from ligament.options.names import CHUNK, HipsRule, TPose
from ligament.recording import frame_times
from ligament.rig import Humanoid, Motion, Pose, retarget
from ligament.rig.motion.clips import numbered_names

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
class PairOptions(Edits):
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
        if self.format is None and self.dataset is None:
            raise ContentError("nothing would be written", remedy="give a format or a data set")
        if self.chunk < 1:
            raise ContentError(f"the chunk size is {self.chunk} frames", remedy="use 1 or more")
        is_avatar = not self.to.is_dir() and not glob.has_magic(str(self.to))
        self.operation.require(f".{self.format or 'npz'}", has_avatar=is_avatar)
        bones = None if self.bones is None else self.bones.absolute()
        dataset = self.dataset
        if dataset is not None and not is_url(str(dataset)):
            dataset = Path(dataset).absolute()
            check_dataset(dataset)
        to = Path(self.to).absolute()
        return dataclasses.replace(self, to=to, dataset=dataset, bones=bones)

    @property
    def operation(self) -> Retarget:
        """The operation on a clip, of which a data set takes the poses."""
        names = ("to", "rate", "hips", "bones", "t_pose", "springs", "limits")
        own: dict[str, Any] = {name: getattr(self, name) for name in names}
        return Retarget(**own, **self.part(Edits), device=self.device.value).in_batch()

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


# --- in a worker ---


def retarget_pair(task: Task) -> Entry:
    """Retarget the clip of a task to its avatar."""
    return run_task(task, _command)


def _command(source: Source, paths: Sequence[Path], options: Options, *, shown: str) -> Result:
    assert isinstance(options, PairOptions)
    operation, outputs = options.operation, {"out": paths[0]}
    if options.format in (MotionFormat.VRMA, MotionFormat.NPZ):
        outputs[BESIDE] = paths[1]
        discard(paths[:2])
    clips = (
        operation.load([source.path])
        if source.is_bvh
        else operation.of_document(source.document, shown)
    )
    result = operation.run(clips)
    counts = {"bones": len(result.avatar.bones), "clips": len(clips)}
    if options.dataset is not None or options.format == MotionFormat.NPZ:
        names = numbered_names(safe_name(clip.motion.name) for clip in clips)
        with _spool(paths[-1] if options.dataset is not None else None) as path:
            with create_spool(path) as spool:
                counts["frames"] = sum(
                    write_motion(spool, clip.motion, result.avatar, options, name)
                    for clip, name in zip(result.clips, names, strict=True)
                )
            if options.format == MotionFormat.NPZ:
                _write_npz(path, [place for _, place in operation.places(clips, outputs)])
    if options.format in (MotionFormat.VRMA, MotionFormat.GLB):
        operation.save(clips, result, outputs)
    return Result(counts=counts)


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


def write_motion(
    store: Store, motion: Motion, avatar: Humanoid, options: PairOptions, name: str = "motion"
) -> int:
    """Write a motion on an avatar as a table of a name; return the number of frames.

    Memory holds the keys of the motion and one chunk of frames.
    """
    times = motion.times
    rate = SPRING_RATE if options.rate is None and options.springs else options.rate
    if rate is not None:
        times = frame_times(motion.duration, rate, limits=options.limits)
    springs = PoseSprings(avatar.document, rate or SPRING_RATE) if options.springs else None
    table = None
    for part in _chunks(times, options.chunk):
        pose = retarget(motion, avatar, part, hips=options.hips).on_host()
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

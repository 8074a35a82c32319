"""Every motion on every avatar, as files or as one data set."""

from __future__ import annotations

import contextlib
import dataclasses
import glob
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final, Self

import msgspec
import numpy as np

from ligament.arrays import Floats
from ligament.baking.motion import SPRING_RATE, PoseSprings
from ligament.batches.plan import Find, Plan
from ligament.datasets import TEXT, Column, Store, create_dataset
from ligament.datasets.dataset import create_spool
from ligament.datasets.npz_store import write_flat
from ligament.datasets.spool import SpoolReader
from ligament.errors import ContentError
from ligament.files import safe_name
from ligament.gltf.storage.container import GLB_SUFFIXES
from ligament.jobs.datasets import Making
from ligament.jobs.report import BatchReport
from ligament.jobs.task import Entry, Status
from ligament.operations.operation import Operation, Report
from ligament.operations.retarget import Retarget
from ligament.options.option import fields_of, make
from ligament.options.running import Pairing
from ligament.recording import frame_times
from ligament.rig import Humanoid, Motion, Pose, retarget
from ligament.rig.motion.clips import numbered_names

AVATAR_SUFFIXES: Final = frozenset({".gltf", *GLB_SUFFIXES}) - {".vrma"}
"""Suffixes of avatars in a folder."""

PART: Final = "part"
"""The name among outputs of what a pair adds to the data set."""

PAIRS, MOTIONS = "pairs", "motions"

PAIR_COLUMNS: Final = {
    "table": Column(TEXT),
    "avatar": Column(TEXT),
    "clip": Column(TEXT),
    "ok": Column("?"),
    "reason": Column(TEXT),
    "frames": Column("i8"),
}


@dataclasses.dataclass(frozen=True)
class Pairs(Plan):
    """Retargeting of each of many files to each of many avatars: `to` is a file, folder or glob.

    The `format` is that of the files, "" for none: then there is the data set alone. Arrays hold
    poses of `chunk` frames at once, and `springs` have one update per frame (at 60 Hz where there
    is no `rate`).
    """

    operation: Retarget
    pairing: Pairing = dataclasses.field(default_factory=Pairing)

    single: ClassVar[tuple[str, ...]] = ("root_motion", "keep_contacts", "spring_mode")
    """Options that need all frames of a motion at once, which arrays of pairs never have."""

    @classmethod
    def are_meant(cls, kind: type[Operation[Any, Any]], values: Mapping[str, Any]) -> bool:
        """Tell whether options are those of pairs: there may be several avatars, or a data set."""
        to = values.get("to")
        is_many = isinstance(to, str | Path) and not Path(to).is_file()
        return kind is Retarget and (is_many or not _PAIRING.isdisjoint(values))

    @classmethod
    def of(cls, kind: type[Operation[Any, Any]], values: Mapping[str, Any]) -> Self:
        """Make a plan from keywords: options of `Retarget` and `Pairing`, and a `format`."""
        own = {name: value for name, value in values.items() if name in _PAIRING}
        others = {name: value for name, value in values.items() if name not in _PAIRING}
        pairing = make(Pairing, own, kind.command)
        has_files = bool(values.get("format")) or pairing.dataset is None
        plan = super().of(kind, others)
        return dataclasses.replace(plan, pairing=pairing, format=plan.format if has_files else "")

    @property
    def dataset(self) -> str | None:
        """The data set of all pairs, if any."""
        return self.pairing.dataset

    def prepared(self) -> Self:
        """Refuse what no pair can be made with."""
        if not self.format and self.dataset is None:
            raise ContentError("nothing would be written", remedy="give a format or a data set")
        operation = self.operation
        for name in operation.given().keys() & set(self.single) if self._has_arrays else ():
            flag, remedy = f"--{name.replace('_', '-')}", "leave it out, or name one avatar"
            what = "has no effect on arrays of pairs of motions and avatars"
            raise ContentError(what, pointer=flag, remedy=f"{remedy} and no data set")
        is_avatar = not Path(operation.to).is_dir() and not glob.has_magic(str(operation.to))
        operation.require(f".{self.format or 'npz'}", has_avatar=is_avatar)
        return self.located()

    @property
    def _has_arrays(self) -> bool:
        return self.dataset is not None or self.format == "npz"

    def fingerprint(self) -> dict[str, Any]:
        """Return the options; of the data set only whether there is one."""
        pairing = {**self.pairing.given(), "dataset": self.dataset is not None}
        return {**super().fingerprint(), **pairing}

    def parts(self, find: Find) -> Iterator[tuple[str, Self]]:
        """Yield a folder for each avatar, with the plan for it."""
        for name, avatar in sorted(find([self.operation.to], AVATAR_SUFFIXES).items()):
            operation = dataclasses.replace(self.operation, to=Path(avatar.source))
            yield f"{name}/", dataclasses.replace(self, operation=operation)

    def _outputs(self, name: str) -> dict[str, str]:
        """Return the file of a pair, the folder of its clips and its part of the data set."""
        files = super()._outputs(name) if self.format else {}
        return files if self.dataset is None else {**files, PART: ".part"}

    def save(self, subject: Any, result: Any, outputs: Mapping[str, Path]) -> Report:
        """Write the files of a pair and its part of the data set."""
        counts = {"bones": len(result.avatar.bones), "clips": len(result.clips)}
        if self._has_arrays:
            names = numbered_names(safe_name(clip.motion.name) for clip in result.clips)
            with _spool(outputs.get(PART)) as path:
                with create_spool(path) as spool:
                    counts["frames"] = sum(
                        self.write(spool, clip.motion, result.avatar, name)
                        for clip, name in zip(result.clips, names, strict=True)
                    )
                if self.format == "npz":
                    places = self.operation.places(subject, outputs)
                    _write_npz(path, [place for _, place in places])
        if self.format not in ("", "npz"):
            super().save(subject, result, outputs)
        return Report(counts=counts)

    def write(self, store: Store, motion: Motion, avatar: Humanoid, name: str = "motion") -> int:
        """Write a motion on an avatar as a table of a name; return the number of frames.

        Memory holds the keys of the motion and one chunk of frames.
        """
        options, dtype = self.operation, "f4" if self.pairing.float32 else "f8"
        rate = SPRING_RATE if options.rate is None and options.springs else options.rate
        times = motion.times
        if rate is not None:
            times = frame_times(motion.duration, rate, limits=options.limits)
        springs = PoseSprings(avatar.document, rate or SPRING_RATE) if options.springs else None
        table = None
        for part in _chunks(times, self.pairing.chunk):
            pose = retarget(motion, avatar, part, hips=options.hips).on_host()
            rows, about = _rows(pose), _about(pose, motion)
            if springs is not None:
                rows["spring_rotation"] = springs.follow(pose)
                about["spring_nodes"] = springs.springs.nodes.tolist()
            if table is None:
                table = store.table(name, _columns(rows, dtype), about)
            table.append(rows)
        return len(times)


_PAIRING: Final = frozenset(field.name for field in fields_of(Pairing))


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
        about = table.attributes
        lists = {
            "bones": np.array(about["bones"], np.str_),
            "nodes": np.array(about["nodes"], np.int64),
            "expression_names": np.array(about["expressions"], np.str_),
        }
        if "spring_nodes" in about:
            lists["spring_nodes"] = np.array(about["spring_nodes"], np.int64)
        write_flat(path, reader, table, names, lists)


def _chunks(times: Floats, size: int) -> Iterator[Floats]:
    for start in range(0, len(times), size):
        yield times[start : start + size]


def _columns(rows: Mapping[str, Any], dtype: str) -> dict[str, Column]:
    """Return the columns of rows; times keep their precision."""
    return {
        name: Column("f8" if name == "time" else dtype, values.shape[1:])
        for name, values in rows.items()
    }


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


# --- the data set ---


def collect(
    plan: Plan, report: BatchReport, places: Mapping[str, tuple[str, str]], making: Making
) -> BatchReport:
    """Join the parts of pairs, name → (avatar, clip), into the data set and remove them."""
    operation: Any = plan.operation
    folders = {entry.name: making.folder / f"{entry.name}.part" for entry in report}
    if making.store is not None:
        for name, folder in folders.items():
            making.store.get_all(f"{name}.part", folder)
    about = {"kind": "motions", "rate": operation.rate, "hips": operation.hips}
    with create_dataset(making.target, about) as store:
        index = store.table(PAIRS, PAIR_COLUMNS)
        for entry in report:
            for row in _tables(store, entry, folders[entry.name], *places[entry.name]):
                cells = zip(PAIR_COLUMNS, row, strict=True)
                index.append({column: np.array([value]) for column, value in cells})
    for name, folder in folders.items():
        if making.store is not None:
            making.store.remove(f"{name}.part")
        shutil.rmtree(folder, ignore_errors=True)
        with contextlib.suppress(OSError):  # it may hold files of the pairs too
            folder.parent.rmdir()
    return dataclasses.replace(report, entries=[*_without_parts(report)])


def _tables(
    store: Store, entry: Entry, part: Path, avatar: str, clip: str
) -> Iterator[tuple[Any, ...]]:
    """Write the tables of an entry, one for each of its clips, and yield rows of the index."""
    if entry.status is not Status.DONE:
        yield "", avatar, clip, False, entry.reason or "", 0
        return
    reader = SpoolReader(part)
    for spooled in reader.tables:
        below = f"/{spooled.name}" if len(reader.tables) > 1 else ""
        name, about = f"{MOTIONS}/{entry.name}{below}", {"avatar": avatar, "clip": clip + below}
        table = store.table(name, spooled.kinds(), {**about, **spooled.attributes})
        for piece in reader.pieces(spooled):
            table.append(piece)
        table.close()
        yield name, avatar, clip + below, True, "", spooled.rows


def _without_parts(entries: Iterable[Entry]) -> Iterator[Entry]:
    for entry in entries:
        part = f"{entry.name}.part/"
        kept = tuple(output for output in entry.outputs if not output.path.startswith(part))
        yield msgspec.structs.replace(entry, outputs=kept)

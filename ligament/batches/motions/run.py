"""`retarget_all`: every clip on every avatar, in parallel, as files or as one data set."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, Unpack

import msgspec
import numpy as np

from ligament.arguments import checked
from ligament.batches.inputs import Input, Listing, gather
from ligament.batches.motions.pair import (
    AVATAR_SUFFIXES,
    Device,
    MotionFormat,
    PairOptions,
    retarget_pair,
)
from ligament.batches.outputs import names_of, refuse_overwriting
from ligament.datasets import TEXT, Column, Store, create_dataset
from ligament.datasets.dataset import STORES
from ligament.datasets.spool import Spooled, SpoolReader
from ligament.errors import ContentError
from ligament.jobs.datasets import dataset_place, dataset_target
from ligament.jobs.folders import output_place
from ligament.jobs.pool import Setup
from ligament.jobs.remote import PROTOCOLS, Access, shown
from ligament.jobs.report import BatchReport
from ligament.jobs.runner import (
    Progress,
    make_tasks,
    require_bounds,
    run_tasks,
)
from ligament.jobs.stores import Store as RemoteStore
from ligament.jobs.task import Entry, Status, Task
from ligament.limits import DEFAULT, Limits
from ligament.options.names import CHUNK, MEMORY, TIMEOUT, HipsRule
from ligament.options.running import Pairing

if TYPE_CHECKING:
    from distributed import Client

PathLike = str | os.PathLike[str]
PAIRS, MOTIONS = "pairs", "motions"

PAIR_COLUMNS = {
    "table": Column(TEXT),
    "avatar": Column(TEXT),
    "clip": Column(TEXT),
    "ok": Column("?"),
    "reason": Column(TEXT),
    "frames": Column("i8"),
}


class Running(TypedDict, total=False):
    """Options of `lg.batch` that say how the work is done."""

    jobs: int | None
    timeout: float | None
    max_memory: int | None
    resume: bool
    client: Client | None
    protocols: Iterable[str]
    hosts: Iterable[str]
    storage: Mapping[str, Mapping[str, Any]] | None
    progress: Progress | None
    listing: Listing | None


@checked
def retarget_all(
    clips: PathLike | Iterable[PathLike],
    avatars: PathLike,
    out: PathLike,
    *,
    format: str | None = None,  # noqa: A002  (the name of the option)
    dataset: PathLike | None = None,
    rate: float | None = None,
    hips: HipsRule = "delta",
    chunk: int = CHUNK,
    float32: bool = False,
    device: str = "cpu",
    springs: bool = False,
    limits: Limits = DEFAULT,
    **running: Unpack[Running],
) -> BatchReport:
    """Retarget every clip to every avatar, as files or as one data set.

    `clips` are files, folders and globs; `avatars` is a file, a folder or a glob. `out` is a data
    set (.zarr, .parquet) or a folder, which gets a file for each pair in a `format` ("npz", "vrma"
    or "glb"; with a `dataset` of its own, None writes no files). `rate` [Hz] samples the clips,
    else their own keys are kept. `chunk` frames are computed at once: memory holds the keys of a
    clip and one chunk, except for vrma and glb. `device="cuda"` computes there, in single
    precision. `springs` adds the rotations of spring bones. `running` (jobs, timeout, max_memory,
    resume, client, progress, ...) is as for `lg.batch`.

    >>> report = retarget_all("clips", "avatars", "motions.zarr", rate=30, float32=True, jobs=8)
    """
    is_dataset = Path(out).suffix.lower() in STORES
    target = None if dataset is None else os.fspath(dataset)
    if is_dataset and (target is not None or format is not None):
        raise ContentError(
            "a data set is one output; with files there are two",
            file=os.fspath(out),
            remedy="give a folder, and the data set as `dataset`",
        )
    if format is None and target is None and not is_dataset:
        format = "npz"  # noqa: A001
    options = PairOptions(
        to=Path(avatars),
        format=None if format is None else _format(format),
        dataset=os.fspath(out) if is_dataset else target,
        rate=rate,
        hips=hips,
        chunk=chunk,
        dtype="f4" if float32 else "f8",
        device=_device(device),
        springs=springs,
        limits=limits,
    )
    return retarget_pairs(options, clips, None if is_dataset else out, **running)


def retarget_pairs(
    options: PairOptions,
    clips: PathLike | Iterable[PathLike],
    out_dir: PathLike | None,
    *,
    jobs: int | None = None,
    timeout: float | None = TIMEOUT,
    max_memory: int | None = MEMORY,
    resume: bool = False,
    client: Client | None = None,
    protocols: Iterable[str] = (),
    hosts: Iterable[str] = (),
    storage: Mapping[str, Mapping[str, Any]] | None = None,
    progress: Progress | None = None,
    listing: Listing | None = None,
) -> BatchReport:
    """Do the work of `retarget_all`; without a folder, only the data set is written."""
    require_bounds(jobs, timeout, max_memory)
    chosen = options.prepared()
    on_cuda = chosen.device == Device.CUDA  # whose driver reserves address space without limit
    setup = Setup(work=retarget_pair, memory=None if on_cuda else max_memory, timeout=timeout)
    listed = [clips] if isinstance(clips, str | os.PathLike) else list(clips)
    access = Access(PROTOCOLS | set(protocols), dict(storage or {}), frozenset(hosts))

    def run(folder: Path, store: RemoteStore | None, target: Path | None) -> BatchReport:
        pairs = _Pairs(chosen, listed, folder, access, resume, store, target, listing)
        return run_tasks(
            pairs.tasks,
            folder,
            setup,
            jobs=jobs or (1 if on_cuda else None),
            client=client,
            progress=progress,
            finish=pairs.finish,
            store=store,
        )

    if out_dir is not None:
        with (
            output_place(out_dir, access) as (folder, store),
            dataset_target(chosen.dataset, access) as target,
        ):
            report = run(folder, store, target)
        return report if store is None else dataclasses.replace(report, out_dir=shown(store.url))
    assert chosen.dataset is not None
    place = dataset_place(chosen.dataset, access)
    with place.opened(resume=resume) as (folder, store, target):
        report = run(folder, store, target)
    return dataclasses.replace(report, out_dir=place.parent)


def pairs(options: Mapping[str, Any], pairing: Pairing) -> PairOptions:
    """Return the options of pairs from those of `ligament batch retarget`."""
    values = {name: value for name, value in options.items() if value is not None}
    known = {field.name for field in dataclasses.fields(PairOptions)}
    for name in values.keys() - known:
        flag = f"--{name.replace('_', '-')}"
        remedy = "leave it out, or name one avatar and no data set"
        raise ContentError(
            "has no effect on pairs of motions and avatars", pointer=flag, remedy=remedy
        )
    form = values.pop("format", "vrma" if pairing.dataset is None else None)
    return PairOptions(
        **{**values, "to": Path(values["to"]), "device": _device(values.get("device", "cpu"))},
        format=None if form is None else _format(form),
        dataset=pairing.dataset,
        chunk=pairing.chunk,
        dtype="f4" if pairing.float32 else "f8",
    )


class _Pair(NamedTuple):
    """The names of an avatar and of a clip."""

    avatar: str
    clip: str


class _Pairs:
    """All pairs of a run: their tasks, and the data set made of their parts."""

    def __init__(
        self,
        options: PairOptions,
        clips: Sequence[PathLike],
        folder: Path,
        access: Access,
        resume: bool,
        store: RemoteStore | None,
        dataset: Path | None,
        listing: Listing | None,
    ) -> None:
        self.options, self.clips, self.folder = options, clips, folder
        self.access, self.resume, self.store = access, resume, store
        self.dataset, self.listing = dataset, listing
        self._pairs: dict[str, _Pair] = {}

    def tasks(self) -> list[Task]:
        """Return one task for each pair, avatar after avatar."""
        avatars = self._named([self.options.to], AVATAR_SUFFIXES)
        clips = self._named(self.clips, self.options.suffixes)
        tasks: list[Task] = []
        for avatar_name, avatar in sorted(avatars.items()):
            options = dataclasses.replace(self.options, to=Path(avatar.source))
            tasks += self._tasks_of(avatar_name, options, clips)
        inputs = [*avatars.values(), *clips.values()]
        place = self.folder if self.store is None else self.store.url
        refuse_overwriting([task.name for task in tasks], inputs, self.options, place)
        return tasks

    def _named(self, arguments: Sequence[PathLike], suffixes: frozenset[str]) -> dict[str, Input]:
        places: dict[str, Any] = {"without": self.folder, "access": self.access}
        inputs = gather(arguments, suffixes, **places, listing=self.listing)
        return dict(zip(names_of(inputs, self.options), inputs, strict=True))

    def _tasks_of(
        self, avatar: str, options: PairOptions, clips: Mapping[str, Input]
    ) -> list[Task]:
        self._pairs |= {f"{avatar}/{clip}": _Pair(avatar, clip) for clip in clips}
        inputs = {f"{avatar}/{clip}": (each.source, each.shown) for clip, each in clips.items()}
        places: dict[str, Any] = {"access": self.access, "store": self.store}
        return make_tasks(options, inputs, self.folder, resume=self.resume, **places)

    def finish(self, report: BatchReport) -> BatchReport:
        """Join the parts into the data set and remove them."""
        if self.dataset is None:
            return report
        if self.store is not None:
            for entry in report:
                self.store.get_all(f"{entry.name}.part", self._part(entry))
        with create_dataset(self.dataset, self._attributes()) as store:
            self._write(store, report)
        for entry in report:
            if self.store is not None:
                self.store.remove(f"{entry.name}.part")
            shutil.rmtree(self._part(entry), ignore_errors=True)
            with contextlib.suppress(OSError):  # it may hold files of the pairs too
                self._part(entry).parent.rmdir()
        return dataclasses.replace(report, entries=[*map(_without_parts, report)])

    def _write(self, store: Store, report: BatchReport) -> None:
        index = store.table(PAIRS, PAIR_COLUMNS)
        for entry in report:
            for row in self._rows(store, entry):
                cells = zip(PAIR_COLUMNS, row, strict=True)
                index.append({column: np.array([value]) for column, value in cells})

    def _rows(self, store: Store, entry: Entry) -> Iterator[tuple[Any, ...]]:
        """Write the tables of an entry, one for each of its clips, and yield rows of the index."""
        avatar, clip = self._pairs[entry.name]
        if entry.status is not Status.DONE:
            yield "", avatar, clip, False, entry.reason or "", 0
            return
        reader = SpoolReader(self._part(entry))
        for spooled in reader.tables:
            below = f"/{spooled.name}" if len(reader.tables) > 1 else ""
            name, own = f"{MOTIONS}/{entry.name}{below}", clip + below
            _copy(reader, spooled, store, name, {"avatar": avatar, "clip": own})
            yield name, avatar, own, True, "", spooled.rows

    def _part(self, entry: Entry) -> Path:
        return self.folder / f"{entry.name}.part"

    def _attributes(self) -> dict[str, Any]:
        options = self.options
        return {"kind": "motions", "rate": options.rate, "hips": options.hips}


def _copy(
    reader: SpoolReader, spooled: Spooled, store: Store, name: str, about: Mapping[str, str]
) -> None:
    table = store.table(name, spooled.kinds(), {**about, **spooled.attributes})
    for piece in reader.pieces(spooled):
        table.append(piece)
    table.close()


def _without_parts(entry: Entry) -> Entry:
    part = f"{entry.name}.part/"
    kept = tuple(output for output in entry.outputs if not output.path.startswith(part))
    return msgspec.structs.replace(entry, outputs=kept)


def _format(name: str) -> MotionFormat:
    if name not in [*MotionFormat]:
        listed = ", ".join(MotionFormat)
        raise ContentError(f"unknown format {name!r}", remedy=f"use one of {listed}")
    return MotionFormat(name)


def _device(name: str) -> Device:
    if name not in [*Device]:
        raise ContentError(f"unknown device {name!r}", remedy="use cpu or cuda")
    return Device(name)

"""`batch`: one operation on many files."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from ligament.arguments import checked
from ligament.batches.inputs import Input, Listing, gather
from ligament.batches.outputs import names_of, refuse_overwriting
from ligament.batches.pairs import Pairs, collect
from ligament.batches.plan import Plan, perform
from ligament.datasets.dataset import STORES
from ligament.errors import ContentError
from ligament.jobs.datasets import Making, PathLike, opened
from ligament.jobs.pool import Setup
from ligament.jobs.remote import PROTOCOLS, Access
from ligament.jobs.report import BatchReport
from ligament.jobs.runner import Progress, make_tasks, require_bounds, run_tasks
from ligament.jobs.task import Task, Work
from ligament.limits import DEFAULT, Limits
from ligament.operations import BATCHES, operation
from ligament.operations.operation import Operation
from ligament.operations.retarget import Retarget
from ligament.options.names import CHUNK, MEMORY, TIMEOUT, HipsRule

if TYPE_CHECKING:
    from distributed import Client


@checked
def batch(
    command: str | Operation[Any, Any] | Plan,
    inputs: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    out_dir: str | os.PathLike[str] | None,
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
    work: Work = perform,
    **options: Any,
) -> BatchReport:
    """Check, simulate, bake, retarget or convert many files, several at a time.

    `inputs` are files, folders, globs and URLs. Outputs mirror their tree below `out_dir`, with
    `manifest.jsonl`, one line per file as it finishes, and `report.json`, sorted, at the end. A
    file that fails, takes longer than `timeout` [s], needs more than `max_memory` [bytes] or kills
    its worker is recorded in the report, and the others continue. `resume` skips files that an
    earlier run has processed with the same bytes, options and version. `command` is an operation or
    its name; `options` are its options, the `format` of its output, and flags of further outputs.
    To retarget to many avatars, `to` is their folder; a `dataset` of all needs no `out_dir`.

    `jobs` is the number of processes, by default one per core; with a Dask `client` its workers
    are used instead. `out_dir` may be a URL, a folder in a remote store. `protocols` are allowed
    besides the default ones, `storage` is passed to fsspec for each of them. HTTP servers may
    redirect to their own URLs and to `hosts`. `listing` is called with the number of inputs found
    so far, `progress` after each task. `work` is the function that processes each task.

    >>> report = batch("simulate", "assets", "recordings", jobs=8, seconds=2, rate=30)
    >>> for entry in report.failed:
    ...     print(entry.input, entry.fault)
    """
    require_bounds(jobs, timeout, max_memory)
    plan = planned(command, options)
    access = Access(PROTOCOLS | set(protocols), dict(storage or {}), frozenset(hosts))
    arguments = [inputs] if isinstance(inputs, str | os.PathLike) else list(inputs)
    # A CUDA driver reserves address space without limit, for each process.
    is_on_cuda = getattr(plan.operation, "device", "cpu") == "cuda"
    with opened(out_dir, plan.dataset, access, resume=resume) as making:
        search = Search(making, access, resume, listing)
        report = run_tasks(
            lambda: search.tasks(plan, arguments),
            making.folder,
            Setup(work=work, memory=None if is_on_cuda else max_memory, timeout=timeout),
            jobs=jobs or (1 if is_on_cuda else None),
            client=client,
            progress=progress,
            finish=lambda report: search.finish(plan, report),
            store=making.store,
        )
        return dataclasses.replace(report, out_dir=making.shown)


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
    if is_dataset and (dataset is not None or format is not None):
        raise ContentError(
            "a data set is one output; with files there are two",
            file=os.fspath(out),
            remedy="give a folder, and the data set as `dataset`",
        )
    target = out if is_dataset else dataset
    values: dict[str, Any] = {
        "to": avatars,
        "format": "npz" if format is None and target is None else format,
        "dataset": None if target is None else os.fspath(target),
        "rate": rate,
        "hips": hips,
        "chunk": chunk,
        "float32": float32,
        "device": device,
        "springs": springs,
        "limits": limits,
    }
    plan = Pairs.of(Retarget, values).prepared()
    return batch(plan, clips, None if is_dataset else out, **running)


def planned(command: str | Operation[Any, Any] | Plan, options: Mapping[str, Any]) -> Plan:
    """Return the plan of an operation, or of its name, with further options; refuse wrong ones."""
    if isinstance(command, Plan):
        return command
    if isinstance(command, Operation):
        kind, options = type(command), {**command.given(), **options}
    elif command in BATCHES:
        kind = operation(command)
    else:
        listed = ", ".join(BATCHES)
        raise ContentError(f"unknown batch command {command!r}", remedy=f"use one of {listed}")
    plans = Pairs if Pairs.are_meant(kind, options) else Plan
    return plans.of(kind, options).prepared()


@dataclasses.dataclass(frozen=True)
class Search:
    """The inputs of a plan, and where their outputs go.

    `parts` has the two names that the name of a task is made of: its folder's, and its input's.
    """

    making: Making
    access: Access
    resume: bool = False
    listing: Listing | None = None
    parts: dict[str, tuple[str, str]] = dataclasses.field(default_factory=dict)

    def tasks(self, plan: Plan, arguments: Sequence[PathLike]) -> list[Task]:
        """Return the tasks, sorted by name."""
        inputs: list[Input] = []

        def find(arguments: Sequence[PathLike], suffixes: frozenset[str]) -> dict[str, Input]:
            named = self._named(plan, arguments, suffixes)
            inputs.extend(named.values())
            return named

        folder, store, *_ = self.making
        tasks: list[Task] = []
        named = find(arguments, plan.suffixes)
        for place, part in plan.parts(find):
            sources = {place + name: (each.source, each.shown) for name, each in named.items()}
            self.parts.update({place + name: (place.rstrip("/"), name) for name in named})
            tasks += make_tasks(
                part, sources, folder, access=self.access, resume=self.resume, store=store
            )
        names = [task.name for task in tasks]
        refuse_overwriting(names, inputs, plan, folder if store is None else store.url)
        return tasks

    def _named(
        self, plan: Plan, arguments: Sequence[PathLike], suffixes: frozenset[str]
    ) -> dict[str, Input]:
        folder, store, *_ = self.making
        inputs = gather(
            arguments, suffixes, without=folder, access=self.access, listing=self.listing
        )
        if store is not None:
            inputs = [each for each in inputs if each.root is None or not store.holds(each.source)]
        return dict(zip(names_of(inputs, plan), inputs, strict=True))

    def finish(self, plan: Plan, report: BatchReport) -> BatchReport:
        """Make the data set of all outputs, if there is one."""
        return report if plan.dataset is None else collect(plan, report, self.parts, self.making)

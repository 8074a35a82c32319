"""`batch`: one command on many files."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ligament.arguments import checked
from ligament.batches.inputs import Listing, gather
from ligament.batches.outputs import names_of, refuse_overwriting
from ligament.batches.plan import Plan, perform
from ligament.errors import ContentError
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
from ligament.jobs.stores import Store
from ligament.jobs.task import Task, Work
from ligament.operations import BATCHES, operation
from ligament.operations.operation import Operation
from ligament.options.names import MEMORY, TIMEOUT

if TYPE_CHECKING:
    from distributed import Client


@checked
def batch(
    command: str | Operation[Any, Any] | Plan,
    inputs: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    out_dir: str | os.PathLike[str],
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
    chosen = planned(command, options)
    access = Access(PROTOCOLS | set(protocols), dict(storage or {}), frozenset(hosts))
    listed = [inputs] if isinstance(inputs, str | os.PathLike) else list(inputs)
    with output_place(out_dir, access) as (folder, store):
        report = run_tasks(
            lambda: _tasks(
                chosen, listed, folder, access, resume=resume, store=store, listing=listing
            ),
            folder,
            Setup(work=work, memory=max_memory, timeout=timeout),
            jobs=jobs,
            client=client,
            progress=progress,
            store=store,
        )
    return report if store is None else dataclasses.replace(report, out_dir=shown(store.url))


def planned(command: str | Operation[Any, Any] | Plan, options: Mapping[str, Any]) -> Plan:
    """Return the plan of an operation, or of its name, with further options; refuse wrong ones."""
    if isinstance(command, Operation):
        return Plan.of(type(command), {**command.given(), **options}).prepared()
    if isinstance(command, Plan):
        return command
    if command not in BATCHES:
        listed = ", ".join(BATCHES)
        raise ContentError(f"unknown batch command {command!r}", remedy=f"use one of {listed}")
    return Plan.of(operation(command), options).prepared()


def _tasks(
    options: Plan,
    arguments: Iterable[str | os.PathLike[str]],
    folder: Path,
    access: Access,
    *,
    resume: bool,
    store: Store | None = None,
    listing: Listing | None = None,
) -> list[Task]:
    """Return the tasks, sorted by name."""
    suffixes = options.suffixes
    inputs = gather(arguments, suffixes, without=folder, access=access, listing=listing)
    if store is not None:
        inputs = [each for each in inputs if each.root is None or not store.holds(each.source)]
    names = names_of(inputs, options)
    refuse_overwriting(names, inputs, options, folder if store is None else store.url)
    named = {name: (entry.source, entry.shown) for name, entry in zip(names, inputs, strict=True)}
    return make_tasks(options, named, folder, access=access, resume=resume, store=store)

"""Many files, one command: gather, work, write down, report."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ligament import __version__
from ligament.batch.entries import Entry, Status, Task, Work, digest_of
from ligament.batch.inputs import gather
from ligament.batch.locks import clear_leftovers, locked
from ligament.batch.manifest import Manifest, read_manifest
from ligament.batch.naming import LOCK, MANIFEST, REPORT, names_of, refuse_overwriting
from ligament.batch.options import Options, make_options
from ligament.batch.perform import discard_outputs, perform
from ligament.batch.pool import Pool
from ligament.batch.reports import BatchReport
from ligament.batch.stores import PROTOCOLS, Access, is_url
from ligament.batch.worker import Setup
from ligament.errors import ContentError, FileError
from ligament.files import make_folder

if TYPE_CHECKING:
    from distributed import Client

TIMEOUT = 300.0
MEMORY = 4 << 30

Progress = Callable[[Entry, int, int], None]
"""Called with (entry, files finished, files in all) after each file."""


def batch(
    command: str | Options,
    inputs: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    out_dir: str | os.PathLike[str],
    *,
    jobs: int | None = None,
    timeout: float | None = TIMEOUT,
    max_memory: int | None = MEMORY,
    resume: bool = False,
    client: Client | None = None,
    protocols: Iterable[str] = (),
    storage: Mapping[str, Mapping[str, Any]] | None = None,
    progress: Progress | None = None,
    work: Work = perform,
    **options: Any,
) -> BatchReport:
    """Check, simulate, bake, retarget or convert many files, several at a time.

    `inputs` are files, folders, globs and URLs. Outputs mirror their tree below `out_dir`, with
    `manifest.jsonl`, a line for every file as it is finished, and `report.json`, sorted, at the
    end. A file that fails, hangs for more than `timeout` [s], takes more than `max_memory` [bytes]
    or kills its worker is told in the report, and the rest goes on. `resume` leaves out what a run
    before has done, with the same bytes, options and version. `options` are those of the command
    (or `command` is one of `ligament.batch.SimulateOptions` and its like).

    `jobs` is the number of processes, by default one for each core; with a Dask `client` its
    workers do it. `protocols` are allowed beside the usual ones, `storage` is what fsspec is told
    for each of them. `work` is what is done with each task.

    >>> report = batch("simulate", "assets", "recordings", jobs=8, seconds=2, rate=30)
    >>> for entry in report.failed:
    ...     print(entry.input, entry.fault)
    """
    require_bounds(jobs, timeout, max_memory)
    chosen = make_options(command, options) if isinstance(command, str) else command
    chosen = chosen.prepared()
    folder = output_folder(out_dir)
    access = Access(PROTOCOLS | set(protocols), dict(storage or {}))
    return run_tasks(
        lambda: _tasks(chosen, _listed(inputs), folder, access, resume=resume),
        folder,
        Setup(work=work, memory=max_memory, timeout=timeout),
        jobs=jobs,
        client=client,
        progress=progress,
    )


def run_tasks(
    find_tasks: Callable[[], Sequence[Task]],
    folder: Path,
    setup: Setup,
    *,
    jobs: int | None = None,
    client: Client | None = None,
    progress: Progress | None = None,
    finish: Callable[[BatchReport], BatchReport] | None = None,
) -> BatchReport:
    """Work on tasks whose outputs go to one folder, which is locked before they are looked for.

    `finish` makes what it likes of all outputs before the folder is given free.
    """
    start = time.monotonic()
    with locked(folder / LOCK) as lock:
        clear_leftovers(folder)
        tasks = find_tasks()
        if client is None:
            entries = Pool(min(jobs or cores(), len(tasks)), setup, keep=[lock]).run(tasks)
        else:
            from ligament.batch.cluster import run_on_cluster

            entries = run_on_cluster(client, tasks, setup)
        done, resumed = _written_down(entries, folder, tasks, progress)
        clear_leftovers(folder)  # of workers that were ended in the middle of a file
        report = BatchReport(done, folder, resumed, round(time.monotonic() - start, 3))
        if finish is not None:
            report = finish(report)
        report.save(folder / REPORT)
    return report


def cores() -> int:
    """Return how many processes can run at once."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _tasks(
    options: Options,
    arguments: Iterable[str | os.PathLike[str]],
    folder: Path,
    access: Access,
    *,
    resume: bool,
) -> list[Task]:
    """Return what there is to do, in the order of the names."""
    inputs = gather(arguments, options.suffixes, without=folder, access=access)
    names = names_of(inputs, options)
    refuse_overwriting(names, inputs, options, folder)
    fingerprint = msgspec.to_builtins(options.fingerprint())
    digest = digest_of(options.command, fingerprint)
    known = known_entries(folder, digest) if resume else {}
    tasks = [
        Task(
            source=entry.source,
            shown=entry.shown,
            name=name,
            out_dir=str(folder),
            options=options,
            digest=digest,
            fingerprint=fingerprint,
            access=access,
            previous=known.get(name),
        )
        for entry, name in zip(inputs, names, strict=True)
    ]
    return sorted(tasks, key=lambda task: task.name)


def known_entries(folder: Path, digest: str) -> dict[str, Entry]:
    """Return what runs before have done by this command, options and version."""
    latest = {entry.name: entry for entry in read_manifest(folder / MANIFEST)}
    return {
        name: entry
        for name, entry in latest.items()
        if entry.status is Status.DONE and entry.digest == digest and entry.version == __version__
    }


def _written_down(
    entries: Generator[Entry], folder: Path, tasks: Sequence[Task], progress: Progress | None
) -> tuple[list[Entry], int]:
    """Write entries down as they come; returns them sorted, and how many were known before."""
    by_name = {task.name: task for task in tasks}
    done: list[Entry] = []
    resumed = 0
    with Manifest(folder / MANIFEST) as manifest, contextlib.closing(entries):
        for entry in entries:
            task = by_name[entry.name]
            if task.previous == entry:
                resumed += 1
            else:
                if entry.status is not Status.DONE and not entry.unwritten:
                    discard_outputs(task)
                manifest.append(entry)
            done.append(entry)
            if progress is not None:
                progress(entry, len(done), len(tasks))
    return sorted(done, key=lambda entry: entry.name), resumed


def _listed(
    inputs: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
) -> list[str | os.PathLike[str]]:
    return [inputs] if isinstance(inputs, str | os.PathLike) else list(inputs)


def output_folder(out_dir: str | os.PathLike[str]) -> Path:
    """Return the absolute path of a folder for outputs, which is there afterwards."""
    text = os.fspath(out_dir)
    if is_url(text):
        raise ContentError(
            "outputs cannot go to a remote store", file=text, remedy="name a folder, and copy it"
        )
    folder = make_folder(Path(os.path.normpath(Path(text).absolute())))
    if not os.access(folder, os.W_OK):
        raise FileError("cannot be written", file=folder, remedy="name another folder")
    return folder


def require_bounds(jobs: int | None, timeout: float | None, memory: int | None) -> None:
    """Refuse numbers of processes, seconds and bytes that make no sense."""
    if jobs is not None and jobs < 1:
        raise ContentError(f"{jobs} jobs", remedy="use 1 or more")
    if timeout is not None and not 0 < timeout < float("inf"):
        raise ContentError(f"a timeout of {timeout} s", remedy="it must be above 0")
    if memory is not None and memory < 1:
        raise ContentError(f"{memory} bytes of memory", remedy="use 1 or more")

"""The run: tasks in a locked folder, their entries recorded as they finish, then the report."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ligament import __version__
from ligament.errors import ContentError, FileError, LigamentError, RunInterruptedError
from ligament.jobs.folders import HANDSHAKE, LOCK, clear_leftovers, locked
from ligament.jobs.perform import discard_outputs
from ligament.jobs.pool import Pool, Setup
from ligament.jobs.remote import Access
from ligament.jobs.report import MANIFEST, REPORT, BatchReport, Manifest, read_manifest
from ligament.jobs.stores import Store
from ligament.jobs.task import Entry, Options, Status, Task, digest_of
from ligament.processes import cores

if TYPE_CHECKING:
    from distributed import Client

    from ligament.jobs.cluster import ClusterPool

MANIFEST_SECONDS = 5.0
"""Seconds at least between two copies of the manifest to a store."""

Progress = Callable[[Entry, int, int], None]
"""Called with (entry, files finished, files in total) after each task."""


def run_tasks(
    find_tasks: Callable[[], Sequence[Task]],
    folder: Path,
    setup: Setup,
    *,
    jobs: int | None = None,
    client: Client | None = None,
    progress: Progress | None = None,
    finish: Callable[[BatchReport], BatchReport] | None = None,
    store: Store | None = None,
) -> BatchReport:
    """Run tasks whose outputs go to one folder, which is locked before `find_tasks` is called.

    `finish` may process all outputs before the folder is unlocked. With a `store`, outputs go
    there, and the folder is for this run alone.
    """
    start = time.monotonic()
    with locked(folder / LOCK) as lock:
        clear_leftovers(folder)
        if store is not None:
            store.get(MANIFEST, folder / MANIFEST)
            store.remove(HANDSHAKE)
        tasks = find_tasks()
        if store is not None and store.is_private:
            _fetch_previous(tasks, folder, store)
        pool: Pool | ClusterPool
        if client is None:
            pool = Pool(min(jobs or cores(), len(tasks)), setup, keep=[lock])
        else:
            from ligament.jobs.cluster import ClusterPool

            pool = ClusterPool(client, setup)
        record = _Record(folder, tasks, store)

        def report(interruption: str | None = None) -> BatchReport:
            clear_leftovers(folder)  # of workers that were ended in the middle of a task
            seconds = round(time.monotonic() - start, 3)
            entries = sorted(record.done, key=lambda entry: entry.name)
            resumed = record.resumed
            return BatchReport(entries, folder, resumed, seconds, pool.workers, interruption)

        try:
            record.take(pool.run(tasks), progress)
            finished = report() if finish is None else finish(report())
            _save(finished, store)
        except (FileError, OSError) as fault:
            if len(record.done) == record.resumed:  # nothing was done
                raise
            with contextlib.suppress(LigamentError, OSError):  # on a full disk, say
                _save(report(str(fault)), store)
            raise interrupted(fault, len(record.done), len(tasks)) from fault
    return finished


def interrupted(fault: Exception, done: int, total: int) -> RunInterruptedError:
    """Return the error for a run that ends with a part of its work done."""
    reason = str(fault)
    if isinstance(fault, FileError):  # whose remedy is another
        reason = str(FileError(fault.message, file=fault.file))
    return RunInterruptedError(
        f"interrupted when {done} of {total} were finished ({reason})",
        remedy="run it again with --resume to continue",
    )


def _save(report: BatchReport, store: Store | None) -> None:
    folder = Path(report.out_dir)
    report.save(folder / REPORT)
    if store is not None:
        store.put_all(folder, [REPORT, MANIFEST])


def make_tasks(
    options: Options,
    inputs: Mapping[str, tuple[str, str]],
    folder: Path,
    *,
    access: Access | None = None,
    resume: bool,
    store: Store | None = None,
) -> list[Task]:
    """Make a task for each input, name → (source, its form for messages), sorted by name."""
    fingerprint = msgspec.to_builtins(options.fingerprint())
    digest = digest_of(options.command, fingerprint)
    known = _known_entries(folder, digest, fingerprint) if resume else {}
    remote = None if store is None or store.is_private else store.url
    return [
        Task(
            source=source,
            shown=shown,
            name=name,
            out_dir=str(folder),
            options=options,
            digest=digest,
            fingerprint=fingerprint,
            access=access or Access(),
            previous=known.get(name),
            store=remote,
        )
        for name, (source, shown) in sorted(inputs.items())
    ]


def _known_entries(folder: Path, digest: str, fingerprint: dict[str, Any]) -> dict[str, Entry]:
    """Return what earlier runs have done with these options and this version, by name."""
    latest = {entry.name: entry for entry in read_manifest(folder / MANIFEST)}
    return {
        name: msgspec.structs.replace(entry, options=fingerprint)
        for name, entry in latest.items()
        if entry.status is Status.DONE and entry.digest == digest and entry.version == __version__
    }


class _Record:
    """The entries of a run so far: `resumed` of those done are of an earlier run."""

    def __init__(self, folder: Path, tasks: Sequence[Task], store: Store | None) -> None:
        self._folder, self._store = folder, store
        self._tasks = {task.name: task for task in tasks}
        self._next_copy = 0.0
        self.done: list[Entry] = []
        self.resumed = 0

    def take(self, entries: Generator[Entry], progress: Progress | None) -> None:
        """Record entries as they come."""
        with Manifest(self._folder / MANIFEST) as manifest, contextlib.closing(entries):
            for entry in entries:
                task = self._tasks[entry.name]
                if task.previous == entry:
                    self.resumed += 1
                else:
                    self._settle(entry, task)
                    manifest.append(entry)
                    self._copy_manifest()
                self.done.append(entry)
                if progress is not None:
                    progress(entry, len(self.done), len(self._tasks))

    def _settle(self, entry: Entry, task: Task) -> None:
        """Remove outputs that no longer hold, and hand others to a store that workers lack."""
        if entry.is_about_input:
            discard_outputs(task, self._store)
        elif self._store is not None and self._store.is_private:
            self._store.put_all(self._folder, [output.path for output in entry.outputs])

    def _copy_manifest(self) -> None:
        """Send the manifest whole, now and then: nothing can be appended in a store."""
        start = time.monotonic()
        if self._store is not None and start >= self._next_copy:
            self._store.put(self._folder / MANIFEST, MANIFEST)
            end = time.monotonic()
            self._next_copy = end + max(MANIFEST_SECONDS, 20 * (end - start))


def _fetch_previous(tasks: Sequence[Task], folder: Path, store: Store) -> None:
    """Copy what earlier runs have done from a store that workers cannot reach."""
    for task in tasks:
        for output in () if task.previous is None else task.previous.outputs:
            file = folder / output.path
            if Path(os.path.normpath(file)).is_relative_to(folder):
                store.get(output.path, file)


def require_bounds(jobs: int | None, timeout: float | None, memory: int | None) -> None:
    """Refuse invalid numbers of processes, seconds and bytes."""
    if jobs is not None and jobs < 1:
        raise ContentError(f"jobs is {jobs}", remedy="use 1 or more")
    if timeout is not None and not 0 < timeout < float("inf"):
        raise ContentError(f"the timeout is {timeout} s", remedy="it must be above 0")
    if memory is not None and memory < 1:
        raise ContentError(f"the memory limit is {memory} bytes", remedy="use 1 or more")

"""Bundles of tasks on a worker of a cluster, where each run has processes of its own."""

from __future__ import annotations

import asyncio
import contextlib
import pickle
import threading
from collections.abc import Iterator
from typing import Any, TypeAlias

import msgspec

from ligament.jobs.handshake import describe
from ligament.jobs.task import Entry, Task
from ligament.jobs.worker import Attempts, DiedError, LateError, Setup, WorkerProcess, late_entry

Answer: TypeAlias = tuple[str, list[bytes], str | None]
"""A worker's address, the entries of a bundle, and why the rest of it was not done, if so."""


def run_bundle(tasks: bytes, setup: bytes, run: str) -> Answer:
    """Process tasks in a worker process of a run; faults of this worker go into the answer."""
    from distributed import get_worker

    entries: list[bytes] = []
    address = str(get_worker().address)
    try:
        with _processes_of(run, setup) as processes:
            for task in pickle.loads(tasks):
                entries.append(msgspec.msgpack.encode(processes.perform(task)))
    except Exception as fault:
        return address, entries, describe(fault)
    return address, entries, None


async def end_run(run: str) -> None:
    """End the worker processes of a run on this worker."""
    with _lock:
        processes = _runs.get(run)
    if processes is not None:
        await asyncio.to_thread(processes.end)


def assigned(
    client: str, addresses: list[str], seconds: float, dask_scheduler: Any
) -> dict[str, tuple[str | None, float]]:
    """Return bundles of a client that may be stuck, as the scheduler sees them.

    These are the ones of some workers, their results included, those that have been running for
    longer than `seconds`, and, with None in place of a worker, those whose workers have all left.
    Each comes with the time [s] that it has been running.
    """
    found: dict[str, tuple[str | None, float]] = {}
    for task in dask_scheduler.clients[client].wants_what:
        holders = [task.processing_on] if task.processing_on else list(task.who_has or ())
        running = max((worker.executing.get(task, 0.0) for worker in holders), default=0.0)
        if task.state == "no-worker":
            found[task.key] = None, 0.0
        elif holders and (running > seconds or all(w.address in addresses for w in holders)):
            found[task.key] = holders[0].address, running
    return found


class RunOverError(Exception):
    """A run ended while one of its bundles was being processed."""


class _Processes:
    """The worker processes of a run: a bundle takes one that is idle, or starts one."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._idle: list[WorkerProcess] = []
        self._busy: set[WorkerProcess] = set()
        self._lock = threading.Lock()
        self._is_over = False
        self.bundles = 0

    def perform(self, task: Task) -> Entry:
        """Process a task, again if its process dies."""
        attempts = Attempts()
        while True:
            try:
                with self._process() as process:
                    process.send(task)
                    return process.receive(self._setup.timeout)
            except LateError as fault:
                return late_entry(task, self._setup.timeout, fault)
            except DiedError as fault:
                entry = attempts.after_death(task, fault)
                if entry is not None:
                    return entry

    def end(self) -> None:
        """End all processes, and start no other."""
        with self._lock:
            self._is_over = True
            for process in self._busy:
                process.kill()
        self.reap()

    def reap(self) -> bool:
        """Forget idle processes that have ended; return whether the run has none left."""
        with self._lock:
            gone = [each for each in self._idle if self._is_over or not each.is_alive]
            self._idle = [each for each in self._idle if each not in gone]
            is_unused = not self._idle and not self.bundles
        for process in gone:
            process.end()
        return is_unused

    @contextlib.contextmanager
    def _process(self) -> Iterator[WorkerProcess]:
        """Yield a process, which is ended if the block fails."""
        with self._lock:
            process = self._idle.pop() if self._idle else None
        process = process or WorkerProcess(self._setup)
        is_kept = False
        try:
            with self._lock:
                self._busy.add(process)
                if self._is_over:
                    raise RunOverError("the run has ended")
            yield process
            is_kept = True
        finally:
            with self._lock:
                self._busy.discard(process)
                is_kept = is_kept and not self._is_over
                if is_kept:
                    self._idle.append(process)
            if not is_kept:
                process.end()


_runs: dict[str, _Processes] = {}
_lock = threading.Lock()


@contextlib.contextmanager
def _processes_of(run: str, setup: bytes) -> Iterator[_Processes]:
    """Yield the processes of a run; those of runs that are gone are forgotten."""
    with _lock:
        _forget_runs()
        if run not in _runs:
            _runs[run] = _Processes(pickle.loads(setup))
        processes = _runs[run]
        processes.bundles += 1
    try:
        yield processes
    finally:
        with _lock:
            processes.bundles -= 1


def _forget_runs() -> None:
    for run, processes in list(_runs.items()):
        if processes.reap():
            del _runs[run]

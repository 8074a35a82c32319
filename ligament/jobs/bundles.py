"""Bundles of tasks on a worker of a cluster, where each run has processes of its own."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import pickle
import threading
import time
from collections.abc import Iterator
from typing import Any, TypeAlias

import msgspec

from ligament.errors import described
from ligament.jobs.pool import entry_of
from ligament.processes import Death
from ligament.processes.pool import Pool

Answer: TypeAlias = tuple[str, list[bytes], str | None]
"""A worker's address, the entries of a bundle, and why the rest of it was not done, if so."""

IDLE = 60.0
"""Seconds that a process on the cluster waits for more tasks before it exits."""


def run_bundle(tasks: bytes, setup: bytes, run: str) -> Answer:
    """Process tasks in a worker process of a run; faults of this worker go into the answer."""
    from distributed import get_worker

    entries: list[bytes] = []
    address = str(get_worker().address)
    try:
        with _processes_of(run, setup) as processes:
            for task in pickle.loads(tasks):
                answer = processes.ask(task)
                if isinstance(answer, Death):
                    answer = msgspec.msgpack.encode(entry_of(task, answer))
                entries.append(answer)
    except Exception as fault:
        return address, entries, described(fault)
    return address, entries, None


async def end_run(run: str) -> None:
    """End the worker processes of a run on this worker."""
    with _lock:
        known = _runs.get(run)
    if known is not None:
        await asyncio.to_thread(known.processes.end)


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


@dataclasses.dataclass
class _Run:
    """A run on this worker: its processes, and how many of its bundles use them."""

    processes: Pool
    bundles: int = 0
    last: float = 0.0


_runs: dict[str, _Run] = {}
_lock = threading.Lock()


@contextlib.contextmanager
def _processes_of(run: str, setup: bytes) -> Iterator[Pool]:
    """Yield the processes of a run; those of runs that are gone are forgotten."""
    with _lock:
        _forget_runs()
        if run not in _runs:
            _runs[run] = _Run(pickle.loads(setup).processes(idle=IDLE, is_lasting=True))
        known = _runs[run]
        known.bundles += 1
    try:
        yield known.processes
    finally:
        with _lock:
            known.bundles -= 1
            known.last = time.monotonic()


def _forget_runs() -> None:
    """Forget runs whose processes have been idle for so long that they ended."""
    for name, run in list(_runs.items()):
        if not run.bundles and time.monotonic() - run.last > IDLE:
            run.processes.end()
            del _runs[name]

"""Bundles of tasks on a worker of a cluster, where each run has processes of its own."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import pickle
import threading
import time
from collections.abc import Iterator
from typing import TypeAlias

import msgspec

from ligament.errors import described
from ligament.jobs.pool import entry_of
from ligament.processes import Death
from ligament.processes.pool import Pool

Answer: TypeAlias = tuple[list[bytes], str | None]
"""The entries of a bundle, and why the rest of it was not done, if so."""

IDLE = 60.0
"""Seconds that a process on the cluster waits for more tasks before it exits."""


def run_bundle(tasks: bytes, setup: bytes, run: str) -> Answer:
    """Process tasks in a worker process of a run; faults of this worker go into the answer."""
    entries: list[bytes] = []
    try:
        with _processes_of(run, setup) as processes:
            for task in pickle.loads(tasks):
                answer = processes.ask(task)
                if isinstance(answer, Death):
                    answer = msgspec.msgpack.encode(entry_of(task, answer))
                entries.append(answer)
    except Exception as fault:
        return entries, described(fault)
    return entries, None


async def end_run(run: str) -> None:
    """End the worker processes of a run on this worker."""
    with _lock:
        known = _runs.get(run)
    if known is not None:
        await asyncio.to_thread(known.processes.end)


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

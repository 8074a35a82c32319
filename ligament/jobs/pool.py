"""Tasks in supervised processes, each of which imports once and processes one after another."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import pickle
from collections.abc import Generator, Iterable
from typing import Any

import msgspec

from ligament.jobs.perform import crash
from ligament.jobs.sources import opened
from ligament.jobs.task import Entry, Status, Task, Work
from ligament.processes import Bounds, Channel, Death
from ligament.processes.pool import Pool as Processes


@dataclasses.dataclass(frozen=True)
class Setup:
    """Settings of a worker.

    `work` processes each task, with at most `memory` [bytes] in addition to the worker's own and
    within `timeout` [s].
    """

    work: Work
    memory: int | None = None
    timeout: float | None = None

    def processes(self, *, idle: float | None = None, **options: Any) -> Processes:
        """Return processes that answer tasks."""
        bounds = Bounds(seconds=self.timeout, memory=self.memory, idle=idle)
        return Processes(functools.partial(_serve, self.work), bounds, **options)


class Pool:
    """Runs tasks in `jobs` processes; `options` are those of their pool."""

    workers = ()
    """Machines besides this one."""

    def __init__(self, jobs: int, setup: Setup, **options: Any) -> None:
        self.jobs, self.processes = jobs, setup.processes(**options)

    def run(self, tasks: Iterable[Task]) -> Generator[Entry]:
        """Yield an entry for every task as soon as it is finished."""
        listed = [*tasks]
        with contextlib.closing(self.processes.run(listed, self.jobs)) as answers:
            for number, answer in answers:
                yield entry_of(listed[number], answer)


def _serve(work: Work, channel: Channel) -> None:
    """Process one task after another; the owner hears of an input as soon as it is opened."""
    known: list[str] = []

    def note(sha256: str) -> None:
        known[:] = [sha256]
        channel.note(sha256.encode())

    opened.set(note)
    while (request := channel.receive()) is not None:
        task: Task = pickle.loads(request)
        known.clear()
        try:
            entry = work(task)
        except Exception as fault:
            entry = crash(task, fault, next(iter(known), None))
        channel.send(msgspec.msgpack.encode(entry))


def entry_of(task: Task, answer: bytes | Death) -> Entry:
    """Return the entry of a task that was answered, or that ended its processes."""
    if isinstance(answer, bytes):
        return task.adopted(msgspec.msgpack.decode(answer, type=Entry))
    sha256 = answer.note.decode() or None
    if answer.kind == "time":
        return task.entry(Status.TIMEOUT, sha256=sha256, reason=f"it {answer.text}")
    how = f"ended with {answer.signal}" if answer.signal else answer.text
    return task.entry(Status.CRASHED, sha256=sha256, reason=f"its worker {how}")

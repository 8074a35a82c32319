"""A pool of worker processes on this machine.

Each slot of the pool has a thread that manages one worker: it sends the next task while one is
being processed, so that the worker never waits, and replaces the worker if a task killed it, took
too long, or after a number of tasks, to release memory.
"""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Generator, Iterable, Sequence

from ligament.jobs.task import Entry, Task
from ligament.jobs.worker import (
    Attempts,
    DiedError,
    LateError,
    Setup,
    WorkerProcess,
    late_entry,
)

AHEAD = 2
"""Tasks that a worker has at once: the current one, and the next."""

RECYCLE = 1000
"""Tasks after which a worker is replaced."""


class Pool:
    """Runs tasks in `jobs` processes; `keep` are file descriptors that these inherit."""

    workers = ()
    """Machines besides this one."""

    def __init__(
        self, jobs: int, setup: Setup, *, keep: Sequence[int] = (), recycle: int = RECYCLE
    ) -> None:
        self.jobs, self.setup, self.keep, self.recycle = jobs, setup, keep, recycle
        self._waiting: deque[Task] = deque()
        self._finished: queue.SimpleQueue[Entry | BaseException] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._slots: list[_Slot] = []
        self._is_stopping = False

    @property
    def pids(self) -> list[int]:
        """The process ids of the running workers."""
        return [slot.worker.pid for slot in self._slots if slot.worker is not None]

    def run(self, tasks: Iterable[Task]) -> Generator[Entry]:
        """Yield an entry for every task as soon as it is finished."""
        self._waiting.extend(tasks)
        total = len(self._waiting)
        self._slots = [_Slot(self) for _ in range(min(self.jobs, total))]
        threads = [threading.Thread(target=slot.serve, daemon=True) for slot in self._slots]
        for thread in threads:
            thread.start()
        try:
            for _ in range(total):
                finished = self._finished.get()
                if isinstance(finished, BaseException):
                    raise finished
                yield finished
        finally:
            self._stop(threads)

    def next_task(self, has: int) -> Task | None:
        """Return the next task for a worker that has `has`; near the end none is sent ahead."""
        with self._lock:
            few = len(self._waiting) <= self.jobs
            if self._is_stopping or not self._waiting or (has and few):
                return None
            return self._waiting.popleft()

    def finish(self, outcome: Entry | BaseException) -> None:
        """Report a finished task, or the fault of a slot that cannot continue."""
        self._finished.put(outcome)

    def _stop(self, threads: list[threading.Thread]) -> None:
        """End the workers, even in the middle of a task, and their threads."""
        self._is_stopping = True
        for slot in self._slots:
            slot.stop()
        for thread in threads:
            thread.join()


class _Slot:
    """One slot of the pool, with its current worker."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.worker: WorkerProcess | None = None
        self._sent: deque[Task] = deque()
        self._attempts = Attempts()
        self._stopping = threading.Event()
        self._swap = threading.Lock()

    def serve(self) -> None:
        """Run until no task is left."""
        try:
            while not self._stopping.is_set() and self._fill():
                self._one()
        except BaseException as fault:
            self.pool.finish(fault)
        finally:
            self._dismiss()

    def stop(self) -> None:
        """End the worker, from another thread."""
        self._stopping.set()
        with self._swap:
            if self.worker is not None:
                self.worker.kill()

    def _fill(self) -> bool:
        """Send tasks until the worker has enough; return False if none is left."""
        while len(self._sent) < AHEAD and not self._is_spent():
            task = self.pool.next_task(len(self._sent))
            if task is None:
                break
            self._sent.append(task)
            if self.worker is not None:
                self.worker.send(task)
        return bool(self._sent)

    def _is_spent(self) -> bool:
        """Tell whether the worker has its last task."""
        done = 0 if self.worker is None else self.worker.finished
        return bool(self._sent) and done + len(self._sent) >= self.pool.recycle

    def _one(self) -> None:
        """Complete one task, or record the death of its worker."""
        task, timeout = self._sent[0], self.pool.setup.timeout
        try:
            entry = task.adopted(self._ready_worker().receive(timeout))
        except LateError as fault:
            self._dismiss()
            entry = late_entry(task, timeout, fault)
        except DiedError as fault:
            self._dismiss()
            ended = self._attempts.after_death(task, fault)
            if ended is None or self._stopping.is_set():
                return
            entry = ended
        self._sent.popleft()
        if self.worker is not None and self.worker.finished >= self.pool.recycle:
            self._dismiss()
        self.pool.finish(entry)

    def _ready_worker(self) -> WorkerProcess:
        """Return the worker; a new one gets the unfinished tasks of its predecessor."""
        if self.worker is None:
            worker = WorkerProcess(self.pool.setup, keep=self.pool.keep)
            with self._swap:
                self.worker = worker
            if self._stopping.is_set():
                raise DiedError("the run is over", None)
            for task in self._sent:
                worker.send(task)
        return self.worker

    def _dismiss(self) -> None:
        with self._swap:
            worker, self.worker = self.worker, None
        if worker is not None:
            worker.end()

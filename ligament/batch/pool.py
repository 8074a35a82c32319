"""A pool of worker processes on this machine that outlives every file.

Each place in the pool has a thread that looks after one worker: it hands over the next file while
one is worked on, so that the worker never waits, and replaces the worker when a file killed it,
took too long, or when it has done so many that its memory should start afresh.
"""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Generator, Iterable, Sequence

from ligament.batch.child import Attempts, Child, DiedError, LateError, late_entry
from ligament.batch.entries import Entry, Task
from ligament.batch.worker import Setup

AHEAD = 2
"""How many files a worker has at once: the one it works on, and the next."""

RECYCLE = 1000
"""After how many files a worker is replaced."""


class Pool:
    """Runs tasks in `jobs` processes; `keep` are file descriptors that these inherit."""

    def __init__(
        self, jobs: int, setup: Setup, *, keep: Sequence[int] = (), recycle: int = RECYCLE
    ) -> None:
        self.jobs, self.setup, self.keep, self.recycle = jobs, setup, keep, recycle
        self._waiting: deque[Task] = deque()
        self._finished: queue.SimpleQueue[Entry | BaseException] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._places: list[_Place] = []
        self._is_stopping = False

    @property
    def pids(self) -> list[int]:
        """The process ids of the workers that run now."""
        return [place.child.pid for place in self._places if place.child is not None]

    def run(self, tasks: Iterable[Task]) -> Generator[Entry]:
        """Yield an entry for every task as soon as it is finished."""
        self._waiting.extend(tasks)
        total = len(self._waiting)
        self._places = [_Place(self) for _ in range(min(self.jobs, total))]
        threads = [threading.Thread(target=place.serve, daemon=True) for place in self._places]
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
        """Return a task for a worker that has so many; near the end nobody takes one ahead."""
        with self._lock:
            few = len(self._waiting) <= self.jobs
            if self._is_stopping or not self._waiting or (has and few):
                return None
            return self._waiting.popleft()

    def finish(self, outcome: Entry | BaseException) -> None:
        """Tell what became of a task, or of a place that cannot go on."""
        self._finished.put(outcome)

    def _stop(self, threads: list[threading.Thread]) -> None:
        """End the workers, in the middle of a file if there are any left, and their threads."""
        self._is_stopping = True
        for place in self._places:
            place.stop()
        for thread in threads:
            thread.join()


class _Place:
    """One place in the pool, with the worker that has it now."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.child: Child | None = None
        self._given: deque[Task] = deque()
        self._attempts = Attempts()
        self._stopping = threading.Event()
        self._swap = threading.Lock()

    def serve(self) -> None:
        """Work until no task is left."""
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
            if self.child is not None:
                self.child.kill()

    def _fill(self) -> bool:
        """Hand over tasks until the worker has enough; False where there is none at all."""
        while len(self._given) < AHEAD and not self._is_worn():
            task = self.pool.next_task(len(self._given))
            if task is None:
                break
            self._given.append(task)
            if self.child is not None:
                self.child.send(task)
        return bool(self._given)

    def _is_worn(self) -> bool:
        """Tell whether the worker has all the files that it will ever do."""
        done = 0 if self.child is None else self.child.finished
        return bool(self._given) and done + len(self._given) >= self.pool.recycle

    def _one(self) -> None:
        """See one task to its end, or count the death of its worker."""
        task, timeout = self._given[0], self.pool.setup.timeout
        try:
            entry = task.adopted(self._ready_child().receive(timeout))
        except LateError:
            self._dismiss()
            entry = late_entry(task, timeout)
        except DiedError as fault:
            self._dismiss()
            ended = self._attempts.after_death(task, str(fault))
            if ended is None or self._stopping.is_set():
                return
            entry = ended
        self._given.popleft()
        if self.child is not None and self.child.finished >= self.pool.recycle:
            self._dismiss()
        self.pool.finish(entry)

    def _ready_child(self) -> Child:
        """Return the worker; a new one gets all that its predecessor has left."""
        if self.child is None:
            child = Child(self.pool.setup, keep=self.pool.keep)
            with self._swap:
                self.child = child
            if self._stopping.is_set():
                raise DiedError("the run is over")
            for task in self._given:
                child.send(task)
        return self.child

    def _dismiss(self) -> None:
        with self._swap:
            child, self.child = self.child, None
        if child is not None:
            child.end()

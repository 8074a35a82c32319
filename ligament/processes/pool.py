"""Several processes that do the same work; one that dies costs only its own request."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from ligament.processes.bounds import NO_BOUNDS, Bounds, Death
from ligament.processes.child import Child, DiedError
from ligament.processes.inside import Work

ATTEMPTS: Final = 2
"""Processes that a request may end: the first may have ended for another reason."""

RECYCLE: Final = 1000
"""Requests after which a process is replaced, to release memory."""


class Pool:
    """`jobs` processes that answer each pickled request with one message."""

    def __init__(
        self, jobs: int, work: Work, bounds: Bounds = NO_BOUNDS, *, recycle: int = RECYCLE
    ) -> None:
        self.jobs, self.work, self.bounds, self.recycle = jobs, work, bounds, recycle
        self._mine = threading.local()
        self._children: list[Child] = []
        self._is_stopping = False

    def map(self, requests: Iterable[object]) -> Generator[bytes | Death]:
        """Yield the answer to every request, in order, or how it ended its process."""
        threads = ThreadPoolExecutor(self.jobs)
        try:
            yield from threads.map(self._answer, requests)
        finally:
            self._is_stopping = True
            for child in [*self._children]:
                child.kill()
            threads.shutdown(cancel_futures=True)
            for child in self._children:
                child.end()

    def _answer(self, request: object) -> bytes | Death:
        for attempt in range(ATTEMPTS):
            child = self._child()
            try:
                child.send(request)
                return child.receive()
            except DiedError as fault:
                self._replace()
                death = fault.death
                if self._is_stopping or death.kind == "time" or attempt + 1 == ATTEMPTS:
                    break
        return death

    def _child(self) -> Child:
        """Return the process of this thread."""
        mine = self._mine
        if getattr(mine, "count", self.recycle) >= self.recycle:
            self._replace()
            mine.child, mine.count = Child.start(self.work, self.bounds), 0
            self._children.append(mine.child)
            if self._is_stopping:  # too late for `map` to end it
                mine.child.kill()
        mine.count += 1
        child: Child = mine.child
        return child

    def _replace(self) -> None:
        """End the process of this thread; the next request gets another one."""
        child = getattr(self._mine, "child", None)
        if child is not None:
            child.end()
            self._children.remove(child)
            self._mine.child, self._mine.count = None, self.recycle

"""Processes that do the same work; one that dies costs only its own request."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import queue
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from typing import Any, Final, TypeAlias

from ligament.processes.bounds import NO_BOUNDS, Bounds, Death
from ligament.processes.channel import NOTE
from ligament.processes.child import Child, DiedError
from ligament.processes.inside import Work
from ligament.processes.scratch import sweep

ATTEMPTS: Final = 3
"""Processes that a request may end: the first ones may have ended for another reason."""

AHEAD: Final = 2
"""Requests that a process has at once: the current one and the next, so that it never waits."""

RECYCLE: Final = 1000
"""Requests after which a process is replaced, to release memory."""

Answer: TypeAlias = bytes | Death
Request: TypeAlias = tuple[int, object]
"""A request with its number."""


class Pool:
    """Processes that answer each pickled request with notes and one message, in a single run.

    They inherit the file descriptors `keep`; lasting ones may outlive the threads that ask them.
    """

    def __init__(
        self,
        work: Work,
        bounds: Bounds = NO_BOUNDS,
        *,
        recycle: int = RECYCLE,
        keep: Sequence[int] = (),
        is_lasting: bool = False,
    ) -> None:
        self.start = functools.partial(Child.start, work, bounds, keep=keep, is_lasting=is_lasting)
        sweep()
        self.recycle, self.is_over = recycle, False
        self._slots: list[_Slot] = []
        self._idle: deque[_Slot] = deque()
        self._lock = threading.Lock()

    @property
    def pids(self) -> list[int]:
        """The ids of the running processes."""
        return [slot.child.pid for slot in [*self._slots] if slot.child is not None]

    def map(self, requests: Iterable[object], jobs: int) -> Generator[Answer]:
        """Yield the answer to every request, in order, or how it ended its process."""
        early: dict[int, Answer] = {}
        wanted = 0
        with contextlib.closing(self.run(requests, jobs)) as answers:
            for number, answer in answers:
                early[number] = answer
                while wanted in early:
                    yield early.pop(wanted)
                    wanted += 1

    def run(self, requests: Iterable[object], jobs: int) -> Generator[tuple[int, Answer]]:
        """Yield the number of each request and its answer as they come, by so many processes."""
        waiting = deque(enumerate(requests))
        total = len(waiting)
        answers: queue.SimpleQueue[tuple[int, Answer] | BaseException] = queue.SimpleQueue()
        serve = functools.partial(self._serve, waiting, jobs, answers.put)
        threads = [threading.Thread(target=serve, daemon=True) for _ in range(min(jobs, total))]
        for thread in threads:
            thread.start()
        try:
            for _ in range(total):
                answer = answers.get()
                if isinstance(answer, BaseException):
                    raise answer
                yield answer
        finally:
            self.end()
            for thread in threads:
                thread.join()

    def _serve(self, waiting: deque[Request], jobs: int, put: Callable[[Any], None]) -> None:
        slot = self._new_slot()
        try:
            while self._fill(slot, waiting, jobs):
                put(slot.answer())
        except BaseException as fault:
            put(fault)
        finally:
            slot.end()

    def _fill(self, slot: _Slot, waiting: deque[Request], jobs: int) -> bool:
        """Send requests, near the end none ahead; return False if a slot has none."""
        while slot.has_room:
            with self._lock:
                if len(waiting) <= (0 if slot.is_idle else jobs):
                    break
                number, request = waiting.popleft()
            slot.send(number, request)
        return not slot.is_idle and not self.is_over

    def ask(self, request: object) -> Answer:
        """Return the answer of an idle process or of a new one; any thread may ask."""
        try:
            slot = self._idle.pop()
        except IndexError:
            slot = self._new_slot()
        slot.send(0, request)
        try:
            return slot.answer()[1]
        finally:
            self._idle.append(slot)
            if self.is_over:  # too late for `end` to find it
                slot.end()

    def _new_slot(self) -> _Slot:
        slot = _Slot(self)
        self._slots.append(slot)
        return slot

    def end(self) -> None:
        """End all processes, even in the middle of a request, and start no other."""
        self.is_over = True
        for slot in [*self._slots]:
            if (child := slot.child) is not None:
                child.kill()
        for slot in [*self._idle]:
            slot.end()


class _Slot:
    """One process after the other, and the requests that it has."""

    def __init__(self, pool: Pool) -> None:
        self.child: Child | None = None
        self._pool, self._answered = pool, 0
        self._sent: deque[Request] = deque()

    @property
    def is_idle(self) -> bool:
        """Whether it has no request."""
        return not self._sent

    @property
    def has_room(self) -> bool:
        """Whether the process may have one more request."""
        last = self._pool.recycle - self._answered
        return self.is_idle or len(self._sent) < min(AHEAD, last)

    def send(self, number: int, request: object) -> None:
        """Send a request to the process, if there is one."""
        if self.is_idle and self.child is not None and not self.child.is_alive:
            self.end()  # it has waited for too long
        self._sent.append((number, request))
        if self.child is not None:
            self.child.send(request, is_ahead=len(self._sent) > 1)

    def answer(self) -> tuple[int, Answer]:
        """Wait for the answer to the first request."""
        try:
            for _ in range(ATTEMPTS):
                answer = self._attempt()
                if isinstance(answer, bytes) or answer.kind == "time" or self._pool.is_over:
                    break
        finally:
            number, _ = self._sent.popleft()
        if self._sent and self.child is not None:
            self.child.begin()
        return number, answer

    def _attempt(self) -> Answer:
        note = b""
        try:
            child = self._ready()
            while (content := child.receive())[:1] == NOTE:
                note = content[1:]
        except DiedError as fault:
            self.end()
            return dataclasses.replace(fault.death, note=note)
        self._answered += 1
        if self._answered >= self._pool.recycle:
            self.end()
        return content

    def _ready(self) -> Child:
        """Return the process; a new one gets the requests of its predecessor."""
        if self.child is None:
            self.child, self._answered = self._pool.start(), 0
            if self._pool.is_over:  # too late for `Pool.end` to find it
                self.child.kill()
            for index, (_, request) in enumerate(self._sent):
                self.child.send(request, is_ahead=index > 0)
        return self.child

    def end(self) -> None:
        """End the process."""
        child, self.child = self.child, None
        if child is not None:
            child.end()

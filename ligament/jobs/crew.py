"""The workers of a cluster as a run sees them: greeted, left out, silent, put aside."""

from __future__ import annotations

import asyncio
import concurrent.futures
import dataclasses
import itertools
import time
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

from ligament.errors import FileError, warn
from ligament.jobs.handshake import Facts, ask, host_of
from ligament.jobs.task import Task

if TYPE_CHECKING:
    from distributed import Client

Value = TypeVar("Value")

WATCH_INTERVAL = 2.0
"""Seconds between two looks at the scheduler's list of workers."""

EARLY_INTERVAL = 0.2
"""The same while no worker is fit."""

SILENCE = 30.0
"""Seconds without a sign of life after which a worker gets no more tasks."""

EMPTY = 30.0
"""Seconds to wait for the first worker."""

NOTICE = 3.0
"""Seconds without a worker after which that is reported."""

SICK = 3
"""Failures in a row, where others succeed, after which a worker is put aside."""


@dataclasses.dataclass(eq=False)
class Sent:
    """A bundle that a worker has begun at a time, and the workers that it should not go to again.

    `since` is None for one that waits for others.
    """

    key: str
    bundle: list[Task]
    future: Any  # Dask's own, whose methods are untyped
    worker: Worker
    avoid: frozenset[Worker]
    since: float | None = None


@dataclasses.dataclass(eq=False)
class Worker:
    """A worker: `facts` are None until it has answered, `aside` says why it gets no more tasks.

    `bundles` are those it has, first come, first served. `failures` counts what went wrong in a
    row, `last_seen` is the time of its last sign of life by the scheduler's clock, and `heard` the
    time at which that has changed, by ours.
    """

    address: str
    threads: int
    host: str
    facts: Facts | None = None
    aside: str | None = None
    failures: int = 0
    complaint: str = ""
    last_seen: float = 0.0
    heard: float = 0.0
    is_silent: bool = False
    is_late: bool = False
    unanswered: int = 0
    greeting: concurrent.futures.Future[Facts | None] | None = None
    bundles: dict[str, Sent] = dataclasses.field(default_factory=dict)

    @property
    def fault(self) -> str | None:
        """Why it gets no tasks."""
        return self.aside or (self.facts.fault if self.facts else None)

    @property
    def is_fit(self) -> bool:
        """Whether it may get tasks."""
        return self.facts is not None and self.fault is None and not self.is_unresponsive

    @property
    def is_unresponsive(self) -> bool:
        """Whether it gives no sign of life, or does not end what it has begun."""
        return self.is_silent or self.is_late

    def begin(self) -> None:
        """Note the time for bundles that it begins: the first ones, one for each thread."""
        for sent in itertools.islice(self.bundles.values(), self.threads):
            sent.since = sent.since or time.monotonic()


class Crew:
    """The workers of a cluster; `wake` is called when something has changed.

    `fit` are those that get tasks, `unfit` those whose tasks should go elsewhere, and `gone` those
    that have left.
    """

    def __init__(
        self, client: Client, invitation: dict[str, Any], wake: Callable[[], None]
    ) -> None:
        self._client, self._invitation, self._wake = client, invitation, wake
        self._workers: dict[str, Worker] = {}
        self._looking: concurrent.futures.Future[dict[str, Any]] | None = None
        self._looked = self._next_look = self._asked = time.monotonic()
        self._empty_since: float | None = None
        self._next_notice = NOTICE
        self._notices: list[str] = []
        self.fit: dict[Worker, None] = {}
        self.unfit: list[Worker] = []
        self.gone: list[Worker] = []

    def watch(self) -> None:
        """Take note of workers that come, answer, fall silent and leave; raise if none is fit."""
        self._look()
        for worker in self._workers.values():
            self._take_answer(worker)
            self._note_silence(worker)
        self._note_fitness()
        self._report()

    def responsive(self) -> list[str]:
        """Return the addresses of workers that are not silent."""
        return [worker.address for worker in self._workers.values() if not worker.is_silent]

    def close(self) -> None:
        """Ask no more."""
        for promise in (self._looking, *(each.greeting for each in self._workers.values())):
            if promise is not None:
                promise.cancel()

    def facts(self) -> list[Facts]:
        """Return what is known of all workers there were, each machine once, sorted."""
        workers = [*self._workers.values(), *self.gone]
        facts = {
            Facts(host=each.host, version=it.version, python=it.python, fault=each.fault)
            for each in workers
            if (it := each.facts) is not None
        }
        return sorted(facts, key=repr)

    # --- failures ---

    def note_lateness(self, worker: Worker, seconds: float) -> None:
        """Give no tasks to a worker until it answers."""
        if not worker.is_late:
            worker.is_late = True
            self._notices.append(
                f"{worker.host} has been busy with a file for {seconds:.0f} s; others get the rest"
            )
            self._note_fitness()

    def note_answer(self, worker: Worker) -> None:
        """Take note that a worker is alive."""
        if worker.is_late:
            worker.is_late = False
            self._note_fitness()

    def note_failure(self, worker: Worker, complaint: str) -> None:
        """Count a failure that may be the worker's."""
        worker.failures, worker.complaint = worker.failures + 1, complaint
        if worker.failures == SICK:
            self._note_fitness()

    def confirm(self, worker: Worker) -> None:
        """Put a worker aside after several failures: another has succeeded."""
        if worker.failures >= SICK and worker.aside is None:
            worker.aside = f"failed {worker.failures} times in a row ({worker.complaint})"
            self._notices.append(f"{worker.host} {worker.aside}; it is put aside")
            self._note_fitness()

    # --- the scheduler's list ---

    def start(self, call: Coroutine[Any, Any, Value]) -> concurrent.futures.Future[Value]:
        """Run a coroutine in the client's loop."""
        loop = self._client.loop.asyncio_loop
        future = asyncio.run_coroutine_threadsafe(call, loop)
        future.add_done_callback(lambda _: self._wake())
        return future

    def _look(self) -> None:
        now = time.monotonic()
        if self._looking is None:
            if now >= self._next_look:
                self._asked = now
                self._looking = self.start(_list_workers(self._client))
            return
        if not self._looking.done():
            if now - self._asked > SILENCE:
                self._notices.append(f"the scheduler has been silent for {SILENCE:.0f} s")
                self._asked = float("inf")
            return
        looking, self._looking = self._looking, None
        self._looked = now
        self._next_look = now + (WATCH_INTERVAL if self.fit else EARLY_INTERVAL)
        if looking.exception() is None:
            self._update(looking.result(), now)

    def _update(self, listed: dict[str, Any], now: float) -> None:
        for address in self._workers.keys() - listed.keys():
            self.gone.append(self._workers.pop(address))
        for address, about in listed.items():
            worker = self._workers.get(address)
            if worker is None:
                worker = Worker(address, about["nthreads"], host_of(address), heard=now)
                self._workers[address] = worker
            worker.threads = about["nthreads"]
            if about["last_seen"] != worker.last_seen:
                worker.last_seen, worker.heard = about["last_seen"], now
            if worker.facts is None and worker.greeting is None:
                worker.greeting = self.start(ask(self._client, address, self._invitation))
        self._empty_since = None if listed else self._empty_since or now

    def _take_answer(self, worker: Worker) -> None:
        if worker.greeting is None or not worker.greeting.done():
            return
        greeting, worker.greeting = worker.greeting, None
        facts = None if greeting.exception() else greeting.result()
        if facts is None:
            worker.unanswered += 1
            if worker.unanswered == 1:
                self._notices.append(f"{worker.host} does not answer; it is asked again")
            return
        worker.facts, worker.host = facts, facts.host
        if facts.fault is not None:
            self._notices.append(f"{facts.host} {facts.fault}; it is left out")

    def _note_silence(self, worker: Worker) -> None:
        silent = self._looked - worker.heard
        if worker.is_silent and silent < SILENCE:
            worker.is_silent = False
            self._notices.append(f"{worker.host} responds again")
        elif not worker.is_silent and silent >= SILENCE:
            worker.is_silent = True
            self._notices.append(
                f"{worker.host} has been silent for {silent:.0f} s; others get its files"
            )

    def _note_fitness(self) -> None:
        fit = [worker for worker in self._workers.values() if worker.is_fit]
        self.fit = dict.fromkeys([worker for worker in fit if worker.failures < SICK] or fit)
        self.unfit = [each for each in self._workers.values() if each.is_unresponsive or each.aside]

    def _report(self) -> None:
        """Warn of what has changed; raise if no worker is left."""
        workers = self._workers.values()
        faults = {f"{each.host} {each.fault}": None for each in workers if each.fault}
        if workers and all(worker.fault for worker in workers):
            raise FileError(
                f"no worker of the cluster can do the work: {'; '.join(faults)}",
                remedy="fix that, and start the run again",
            )
        is_early = any(each.facts is None and not each.unanswered for each in workers)
        if self.fit or not is_early:
            for notice in dict.fromkeys(self._notices):
                warn(notice)
            self._notices.clear()
        self._report_waiting()

    def _report_waiting(self) -> None:
        if self._empty_since is None:
            self._next_notice = NOTICE
            return
        waited = time.monotonic() - self._empty_since
        if not self.gone and waited >= EMPTY:
            remedy = "start some with `dask worker`"
            raise FileError("the cluster has no workers", remedy=remedy)
        if waited >= self._next_notice:
            warn(f"the cluster has had 0 workers for {waited:.0f} s; waiting")
            self._next_notice = max(EMPTY, 2 * self._next_notice)


async def _list_workers(client: Client) -> dict[str, Any]:
    """Return what the scheduler knows of its workers, by address."""
    identity = await client.scheduler.identity(n_workers=-1)
    workers: dict[str, Any] = identity["workers"]
    return workers

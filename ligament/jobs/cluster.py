"""Tasks on a Dask cluster: bundles of them, sent to workers that have answered the handshake."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import itertools
import pickle
import queue
import secrets
import time
from collections import deque
from collections.abc import Generator, Iterable
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from ligament.errors import FileError, described
from ligament.jobs.bundles import Answer, assigned, end_run, run_bundle
from ligament.jobs.connection import require_distributed
from ligament.jobs.crew import EARLY_INTERVAL, Crew
from ligament.jobs.handshake import Facts, invitation, require_scheduler
from ligament.jobs.pool import Setup
from ligament.jobs.task import Entry, Status, Task
from ligament.processes.child import START_SECONDS
from ligament.processes.pool import ATTEMPTS

if TYPE_CHECKING:
    from concurrent.futures import Future as Promise

    from distributed import Client

Future: TypeAlias = Any  # Dask's own, whose methods are untyped
Bundle: TypeAlias = list[Task]

PER_THREAD = 4
"""Bundles in flight for each thread of the cluster, so that none has to wait."""

BUNDLE_SECONDS = 0.5
LARGEST_BUNDLE = 32
"""Tasks go in bundles of about this length [s]: each bundle costs the scheduler milliseconds."""

RETRIES = 3

GRACE = 10.0
"""Seconds that a worker may take to end a process that is late."""

TICK = 1.0
"""Seconds between checks of workers and bundles while nothing arrives."""

LOOK_INTERVAL = 5.0
"""Seconds between questions to the scheduler about bundles that may be stuck."""

WRITERS_MAX = 4
"""Workers that try to write an output."""

LATE_MAX = 2
"""Workers on which a task may take too long without an answer."""

ENDING = 5.0
"""Seconds that workers may take to end the processes of a run."""


@dataclasses.dataclass(frozen=True)
class _Sent:
    """A bundle in flight since a time, and the workers that it should not go to again."""

    bundle: Bundle
    future: Future
    since: float
    avoid: frozenset[str]


class ClusterPool:
    """Runs tasks on a cluster as `Pool` does here; `workers` are the ones that were there.

    Only as many tasks are submitted as keep every worker busy: the scheduler's memory stays
    constant however many there are. The tasks of a worker that dies, falls silent or fails where
    others succeed are given to others; outputs are renamed when complete, so a task may run twice.
    """

    def __init__(self, client: Client, setup: Setup) -> None:
        require_distributed()
        self._client = client
        self._setup, self._pickled = setup, pickle.dumps(setup)
        self._run = secrets.token_hex(8)
        self._names = (f"run_bundle-{self._run}-{number}" for number in itertools.count())
        self._inbox: queue.SimpleQueue[tuple[str, Any] | None] = queue.SimpleQueue()
        self._in_flight: dict[str, _Sent] = {}
        self._again: deque[tuple[Bundle, frozenset[str]]] = deque()
        self._tried: dict[str, list[str]] = {}
        self._pace = _Pace()
        self._looking: Promise[Any] | None = None
        self._next_look, self._departures = 0.0, 0
        self._is_drained = False
        self.workers: list[Facts] = []

    def run(self, tasks: Iterable[Task]) -> Generator[Entry]:
        """Yield an entry for every task as soon as it is finished."""
        waiting = iter(tasks)
        first = next(waiting, None)
        if first is None:
            return
        self._waiting = itertools.chain([first], waiting)
        with invitation(first, self._setup) as question:
            self._crew = Crew(self._client, question, lambda: self._inbox.put(None))
            try:
                self._crew.start(require_scheduler(self._client)).result()
                yield from self._entries()
            finally:
                self.workers = self._crew.facts()
                self._end()

    def _entries(self) -> Generator[Entry]:
        next_watch = 0.0
        while self._in_flight or self._again or not self._is_drained:
            if time.monotonic() >= next_watch:
                self._crew.watch()
                yield from self._check_bundles()
                next_watch = time.monotonic() + self._tick
            self._launch()
            if self._is_drained and not self._in_flight and not self._again:
                return
            try:
                message = self._inbox.get(timeout=self._tick)
            except queue.Empty:
                continue
            if message is None:
                next_watch = 0.0
            else:
                yield from self._settle(*message)

    @property
    def _tick(self) -> float:
        return TICK if self._crew.fit else EARLY_INTERVAL

    # --- out ---

    def _launch(self) -> None:
        """Refill the window once it is half empty."""
        if not self._crew.fit:
            return
        again: dict[frozenset[str], list[Bundle]] = {}
        while self._again:
            bundle, avoid = self._again.popleft()
            again.setdefault(avoid, []).append(bundle)
        for avoid, bundles in again.items():
            self._submit(bundles, avoid)
        size = PER_THREAD * self._crew.threads
        room = size - len(self._in_flight)
        if 2 * room < size or self._is_drained:
            return
        taken = [[*itertools.islice(self._waiting, self._pace.size)] for _ in range(room)]
        bundles = [bundle for bundle in taken if bundle]
        self._is_drained = len(bundles) < room
        self._submit(bundles, frozenset())

    def _submit(self, bundles: list[Bundle], avoid: frozenset[str]) -> None:
        fit = self._crew.fit
        keys = list(itertools.islice(self._names, len(bundles)))
        futures: list[Future] = self._client.map(
            run_bundle,
            list(map(pickle.dumps, bundles)),
            setup=self._pickled,
            run=self._run,
            key=keys,
            workers=[address for address in fit if address not in avoid] or fit,
            retries=RETRIES,
        )
        now, loop = time.monotonic(), self._client.loop.asyncio_loop
        for key, future, bundle in zip(keys, futures, bundles, strict=True):
            self._in_flight[key] = _Sent(bundle, future, now, avoid)
            asyncio.run_coroutine_threadsafe(self._deliver(key, future), loop)

    async def _deliver(self, key: str, future: Future) -> None:
        try:
            result = await future
        except BaseException as fault:
            result = fault
        self._inbox.put((key, result))

    # --- in ---

    def _settle(self, key: str, result: Any) -> Generator[Entry]:
        """Yield the entries of a bundle, unless it was given to another worker meanwhile."""
        sent = self._in_flight.pop(key, None)
        if sent is None:
            return
        sent.future.release()
        if isinstance(result, CancelledError | asyncio.CancelledError):
            raise FileError(
                "the connection to the cluster was lost", remedy="start it again and use --resume"
            )
        if isinstance(result, BaseException):
            yield from self._fail(sent, result)
            return
        answer: Answer = result
        address, contents, fault = answer
        rest = sent.bundle[len(contents) :]
        self._crew.note_answer(address)
        if fault is not None:
            self._return(rest, sent.avoid, address, fault)
        self._launch()
        for task, content in zip(sent.bundle, contents, strict=False):
            entry = task.adopted(msgspec.msgpack.decode(content, type=Entry))
            self._pace.note(entry.seconds)
            if entry.unwritten and self._is_worth_another(task, address):
                self._return([task], sent.avoid, address, entry.fault or "")
                continue
            self._judge(task, entry, address)
            is_new = entry != task.previous
            yield msgspec.structs.replace(entry, host=self._crew.host(address)) if is_new else entry

    def _fail(self, sent: _Sent, fault: BaseException) -> Generator[Entry]:
        """Retry each task of a bundle alone; a task that no worker survives has crashed."""
        from distributed.scheduler import KilledWorker

        if len(sent.bundle) > 1:  # one of them may be the cause
            self._again.extend(([task], sent.avoid) for task in sent.bundle)
            return
        if not isinstance(fault, KilledWorker):
            raise FileError(
                f"the cluster cannot run the tasks ({described(fault)})",
                remedy="install the same packages on the scheduler and on all workers",
            )
        host = self._crew.host(fault.last_worker.address)
        reason = f"every worker of the cluster that tried it ended, {host} last"
        yield sent.bundle[0].entry(Status.CRASHED, reason=reason, host=host)

    # --- whose fault it is ---

    def _return(self, bundle: Bundle, avoid: frozenset[str], address: str, complaint: str) -> None:
        """Take back tasks that a worker could not do."""
        self._crew.note_failure(address, complaint)
        for task in bundle:
            self._tried.setdefault(task.name, []).append(address)
        self._again.append((bundle, avoid | {address}))
        if not self._others({address}):
            self._crew.confirm(address)

    def _is_worth_another(self, task: Task, address: str) -> bool:
        """Tell whether another worker may write what this one could not."""
        tried = {*self._tried.get(task.name, ()), address}
        return len(tried) < WRITERS_MAX and bool(self._others(tried))

    def _others(self, addresses: Iterable[str]) -> list[str]:
        return [each for each in self._crew.fit if each not in addresses]

    def _judge(self, task: Task, entry: Entry, address: str) -> None:
        """Learn from an entry whether earlier failures were their worker's or the task's."""
        tried = self._tried.pop(task.name, ())
        if entry.unwritten:
            if not self._others({*tried, address}):
                for worker in (*tried, address):
                    self._crew.note_success(worker)
            return
        self._crew.note_success(address)
        for worker in tried:
            if worker != address:
                self._crew.confirm(worker)

    # --- bundles that do not come back ---

    def _check_bundles(self) -> Generator[Entry]:
        """Ask the scheduler about bundles that may be stuck, and give them to others."""
        if self._looking is None:
            self._look()
        elif self._looking.done():
            looking, self._looking = self._looking, None
            if looking.exception() is None:
                yield from self._relocate(looking.result())

    def _look(self) -> None:
        now = time.monotonic()
        if now < self._next_look or not self._in_flight:
            return
        limit = self._limit([])
        oldest = next(iter(self._in_flight.values())).since
        has_left = self._crew.departures != self._departures
        if has_left or self._crew.unfit or now - oldest > limit:
            self._next_look, self._departures = now + LOOK_INTERVAL, self._crew.departures
            self._looking = self._crew.start(_ask_scheduler(self._client, self._crew.unfit, limit))

    def _limit(self, bundle: Bundle) -> float:
        """Return the time [s] after which a bundle that is running goes to another worker."""
        if self._setup.timeout is None:
            return float("inf")
        attempts = ATTEMPTS if len(bundle) == 1 else 1
        return attempts * (self._setup.timeout + GRACE) + START_SECONDS

    def _relocate(self, found: dict[str, tuple[str | None, float]]) -> Generator[Entry]:
        returned: list[Future] = []
        for key, (address, running) in found.items():
            sent = self._in_flight.get(key)
            is_stuck = sent is not None and (
                address is None
                or (address in self._crew.unfit and self._others({address}))
                or running > self._limit(sent.bundle)
            )
            if sent is None or not is_stuck:
                continue
            del self._in_flight[key]
            returned.append(sent.future)
            avoid = sent.avoid if address is None else sent.avoid | {address}
            if address is None or address in self._crew.unfit:
                self._again.append((sent.bundle, avoid))
                continue
            yield from self._take_late(sent.bundle, avoid, address, running)
        if returned:
            self._client.cancel(returned)

    def _take_late(
        self, bundle: Bundle, avoid: frozenset[str], address: str, running: float
    ) -> Generator[Entry]:
        """Take back a bundle that its worker does not end."""
        if len(bundle) == 1 and (len(avoid) >= LATE_MAX or not self._others(avoid)):
            host = self._crew.host(address)
            reason = f"{host} did not end it in {running:.0f} s"
            yield bundle[0].entry(Status.TIMEOUT, reason=reason, host=host)
        else:
            self._crew.note_lateness(address, running)
            self._again.extend(([task], avoid) for task in bundle)

    # --- the end ---

    def _end(self) -> None:
        """End what still runs, on every worker that responds."""
        self._crew.close()
        if self._client.status != "running":  # the connection is lost
            return
        futures = [sent.future for sent in self._in_flight.values()]
        ending = _end_run(self._client, self._run, self._crew.responsive())
        with contextlib.suppress(Exception):
            if futures:
                self._client.cancel(futures)
            self._crew.start(ending).result(timeout=ENDING)


async def _ask_scheduler(client: Any, addresses: list[str], seconds: float) -> Any:
    return await client.run_on_scheduler(assigned, client.id, addresses, seconds)


async def _end_run(client: Any, run: str, workers: list[str]) -> None:
    await client.run(end_run, run, workers=workers, on_error="ignore")


class _Pace:
    """The size of bundles, based on the time of earlier tasks."""

    def __init__(self) -> None:
        self._mean: float | None = None

    def note(self, seconds: float) -> None:
        """Add the time [s] of one more task to the moving average."""
        self._mean = seconds if self._mean is None else 0.9 * self._mean + 0.1 * seconds

    @property
    def size(self) -> int:
        """Number of tasks that take about half a second together; 1 until that is known."""
        if self._mean is None:
            return 1
        return int(min(max(BUNDLE_SECONDS / max(self._mean, 1e-6), 1), LARGEST_BUNDLE))

"""Tasks on a Dask cluster: bundles of them, each sent to a worker that answered the handshake."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import pickle
import queue
import secrets
import time
from collections import Counter, defaultdict, deque
from collections.abc import Collection, Generator, Iterable, Iterator
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from ligament.errors import FileError, described
from ligament.jobs.bundles import Answer, end_run, run_bundle
from ligament.jobs.connection import require_distributed
from ligament.jobs.crew import EARLY_INTERVAL, Crew, Sent, Worker
from ligament.jobs.handshake import Facts, invitation, require_scheduler
from ligament.jobs.pool import Setup
from ligament.jobs.task import Entry, Status, Task
from ligament.processes.child import START_SECONDS
from ligament.processes.pool import ATTEMPTS

if TYPE_CHECKING:
    from distributed import Client

Workers: TypeAlias = frozenset[Worker]

PER_THREAD = 2
"""Bundles in flight for each thread of a worker: the current one, and the next."""

BUNDLE_SECONDS = 0.5
LARGEST_BUNDLE = 32
"""Tasks go in bundles of about this length [s]: each bundle costs the scheduler milliseconds."""

RETRIES = 3

GRACE = 10.0
"""Seconds that a worker may take to end a process that is late."""

TICK = 1.0
"""Seconds between checks of workers and bundles while nothing arrives."""

WRITERS_MAX = 4
"""Workers that try to write an output."""

LATE_MAX = 2
"""Workers on which a task may take too long without an answer."""

DEATHS_MAX = 4
"""Workers that may end while they have a task alone."""

ENDING = 5.0
"""Seconds that workers may take to end the processes of a run."""


class ClusterPool:
    """Runs tasks on a cluster as `Pool` does here; `workers` are the ones that were there.

    Only as many tasks are submitted as keep every worker busy: the scheduler's memory stays
    constant however many there are. Which worker has which is decided here, so that the tasks of
    one that leaves, falls silent or fails where others succeed are known and given to others;
    outputs are renamed when complete, so a task may run twice.
    """

    def __init__(self, client: Client, setup: Setup) -> None:
        require_distributed()
        self._client = client
        self._setup, self._pickled = setup, pickle.dumps(setup)
        self._run = secrets.token_hex(8)
        self._names = (f"run_bundle-{self._run}-{number}" for number in itertools.count())
        self._inbox: queue.SimpleQueue[tuple[Sent, Any] | None] = queue.SimpleQueue()
        self._in_flight: dict[str, Sent] = {}
        self._again: deque[tuple[list[Task], Workers]] = deque()
        self._tried: defaultdict[str, list[Worker]] = defaultdict(list)
        self._deaths: Counter[str] = Counter()
        self._seconds: float | None = None  # of a task, on average
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
                yield from self._check()
                next_watch = time.monotonic() + self._tick
                self._launch(self._crew.fit)
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
                self._launch(self._crew.fit if self._again else ())

    @property
    def _tick(self) -> float:
        return TICK if self._crew.fit else EARLY_INTERVAL

    # --- out ---

    def _launch(self, workers: Iterable[Worker]) -> None:
        """Refill the windows of workers that are half empty."""
        for worker in workers:
            size = PER_THREAD * worker.threads
            room = size - len(worker.bundles)
            if 2 * room >= size:
                bundles = itertools.islice(iter(lambda: self._next(worker), None), room)  # noqa: B023
                self._submit(worker, [*bundles])

    def _next(self, worker: Worker) -> tuple[list[Task], Workers] | None:
        """Return what a worker gets next, and the workers that it should not go to."""
        for index, (bundle, avoid) in enumerate(self._again):
            if worker not in avoid or not self._others(avoid):
                del self._again[index]
                return bundle, avoid
        bundle = [*itertools.islice(self._waiting, self._size)]
        self._is_drained = not bundle
        if bundle:
            return bundle, frozenset()
        if len(worker.bundles) < worker.threads:  # near the end others may have one too many
            for sent in self._in_flight.values():
                if sent.since is None and worker not in (sent.worker, *sent.avoid):
                    self._recall([sent])
                    return sent.bundle, sent.avoid
        return None

    @property
    def _size(self) -> int:
        """Number of tasks that take about half a second together; 1 until that is known."""
        mean = BUNDLE_SECONDS if self._seconds is None else self._seconds
        return int(min(max(BUNDLE_SECONDS / max(mean, 1e-6), 1), LARGEST_BUNDLE))

    def _submit(self, worker: Worker, bundles: list[tuple[list[Task], Workers]]) -> None:
        if not bundles:
            return
        keys = [*itertools.islice(self._names, len(bundles))]
        futures = self._client.map(
            run_bundle,
            [pickle.dumps(bundle) for bundle, _ in bundles],
            setup=self._pickled,
            run=self._run,
            key=keys,
            workers=[worker.address],
            retries=RETRIES,
        )
        loop = self._client.loop.asyncio_loop
        for key, future, (bundle, avoid) in zip(keys, futures, bundles, strict=True):
            sent = self._in_flight[key] = Sent(key, bundle, future, worker, avoid)
            worker.bundles[key] = sent
            asyncio.run_coroutine_threadsafe(self._deliver(sent), loop)
        worker.begin()

    async def _deliver(self, sent: Sent) -> None:
        try:
            result = await sent.future
        except BaseException as fault:
            result = fault
        self._inbox.put((sent, result))

    # --- in ---

    def _settle(self, sent: Sent, result: Any) -> Generator[Entry]:
        """Yield the entries of a bundle, unless it was given to another worker meanwhile."""
        if sent.key not in self._in_flight:
            return
        self._take(sent)
        sent.future.release()
        if isinstance(result, CancelledError | asyncio.CancelledError):
            raise FileError(
                "the connection to the cluster was lost", remedy="start it again and use --resume"
            )
        if isinstance(result, BaseException):
            yield from self._fail(sent, result)
            return
        answer: Answer = result
        contents, fault = answer
        worker = sent.worker
        self._crew.note_answer(worker)
        if fault is not None:
            self._return(sent.bundle[len(contents) :], sent, fault)
        if worker in self._crew.fit:
            self._launch([worker])
        for task, content in zip(sent.bundle, contents, strict=False):
            entry = task.adopted(msgspec.msgpack.decode(content, type=Entry))
            known = entry.seconds if self._seconds is None else self._seconds
            self._seconds = 0.9 * known + 0.1 * entry.seconds
            if entry.unwritten and self._is_worth_another(task, worker):
                self._return([task], sent, entry.fault or "")
                continue
            self._judge(task, entry, worker)
            is_new = entry != task.previous
            yield msgspec.structs.replace(entry, host=worker.host) if is_new else entry

    def _take(self, *bundles: Sent) -> None:
        """Take bundles out of those in flight; the next ones of their workers begin."""
        for sent in bundles:
            del self._in_flight[sent.key], sent.worker.bundles[sent.key]
        for worker in {sent.worker for sent in bundles}:
            worker.begin()

    def _fail(self, sent: Sent, fault: BaseException) -> Generator[Entry]:
        """Retry each task of a bundle that the cluster could not run alone."""
        from distributed.scheduler import KilledWorker

        if isinstance(fault, KilledWorker):
            yield from self._lose(sent)
        elif len(sent.bundle) > 1:  # one of them may be the cause
            self._again.extend(([task], sent.avoid) for task in sent.bundle)
        else:
            raise FileError(
                f"the cluster cannot run the tasks ({described(fault)})",
                remedy="install the same packages on the scheduler and on all workers",
            )

    def _lose(self, sent: Sent) -> Generator[Entry]:
        """Retry each task of a bundle whose worker ended; alone, it may be what ends workers."""
        if len(sent.bundle) > 1 or sent.since is None:
            self._again.extend(([task], sent.avoid) for task in sent.bundle)
            return
        (task,), host = sent.bundle, sent.worker.host
        self._deaths[task.name] += 1
        if self._deaths[task.name] < DEATHS_MAX:
            self._again.append((sent.bundle, sent.avoid))
        else:
            reason = f"every worker of the cluster that tried it ended, {host} last"
            yield task.entry(Status.CRASHED, reason=reason, host=host)

    # --- whose fault it is ---

    def _return(self, bundle: list[Task], sent: Sent, complaint: str) -> None:
        """Take back tasks that a worker could not do."""
        worker = sent.worker
        self._crew.note_failure(worker, complaint)
        for task in bundle:
            self._tried[task.name].append(worker)
        self._again.append((bundle, sent.avoid | {worker}))
        if not self._others({worker}):
            self._crew.confirm(worker)

    def _is_worth_another(self, task: Task, worker: Worker) -> bool:
        """Tell whether another worker may write what this one could not."""
        tried = {*self._tried[task.name], worker}
        return len(tried) < WRITERS_MAX and self._others(tried)

    def _others(self, workers: Collection[Worker]) -> bool:
        """Tell whether there are other fit workers."""
        return any(worker not in workers for worker in self._crew.fit)

    def _judge(self, task: Task, entry: Entry, worker: Worker) -> None:
        """Learn from an entry whether earlier failures were their worker's or the task's."""
        tried = self._tried.pop(task.name, [])
        if not entry.unwritten:
            worker.failures = 0
            for each in tried:
                if each is not worker:
                    self._crew.confirm(each)
        elif not self._others({*tried, worker}):
            for each in (*tried, worker):
                each.failures = 0

    # --- bundles that do not come back ---

    def _check(self) -> Generator[Entry]:
        """Give to others what workers that are gone, unfit or late do not end."""
        for worker in self._crew.gone:
            for sent in self._recall(worker.bundles.values()):
                yield from self._lose(sent)
        for worker in self._crew.unfit:
            for sent in self._recall(worker.bundles.values()) if self._others({worker}) else ():
                self._again.append((sent.bundle, sent.avoid | {worker}))
        for sent in self._recall(self._late()) if self._inbox.empty() else ():
            yield from self._lose_late(sent)

    def _recall(self, bundles: Iterable[Sent]) -> list[Sent]:
        """Take back bundles whose answers would come too late."""
        recalled = [*bundles]
        self._take(*recalled)
        if recalled:
            self._client.cancel([sent.future for sent in recalled])
        return recalled

    def _late(self) -> Iterator[Sent]:
        """Yield the bundles that have been running for longer than they can."""
        timeout, now = self._setup.timeout, time.monotonic()
        if timeout is None:
            return
        for sent in self._in_flight.values():
            attempts = ATTEMPTS if len(sent.bundle) == 1 else 1
            if now - (sent.since or now) > attempts * (timeout + GRACE) + START_SECONDS:
                yield sent

    def _lose_late(self, sent: Sent) -> Generator[Entry]:
        """Retry each task of a bundle that its worker does not end, alone, but not forever."""
        worker, avoid = sent.worker, sent.avoid | {sent.worker}
        running = time.monotonic() - (sent.since or 0.0)
        if len(sent.bundle) == 1 and (len(avoid) >= LATE_MAX or not self._others(avoid)):
            reason = f"{worker.host} did not end it in {running:.0f} s"
            yield sent.bundle[0].entry(Status.TIMEOUT, reason=reason, host=worker.host)
        else:
            self._crew.note_lateness(worker, running)
            self._again.extend(([task], avoid) for task in sent.bundle)

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


async def _end_run(client: Any, run: str, workers: list[str]) -> None:
    await client.run(end_run, run, workers=workers, on_error="ignore")

"""The same work on a Dask cluster: each of its workers keeps a process for the files."""

from __future__ import annotations

import contextlib
import dataclasses
import threading
import time
from collections.abc import Generator, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from ligament.batch.child import Attempts, Child, DiedError, LateError, late_entry
from ligament.batch.entries import Entry, Status, Task
from ligament.batch.worker import Setup
from ligament.errors import FileError, MissingExtraError

if TYPE_CHECKING:
    from distributed import Client

Future: TypeAlias = Any  # Dask's own, whose methods have no types

PER_THREAD = 4
"""How many files are on their way for each thread of the cluster, so that none has to wait."""

CONNECT = "20s"
RETRIES = 3
IDLE = 60.0
"""How long [s] a process on the cluster waits for more files before it ends itself."""

LOOK_AGAIN = 5.0
"""How often [s] to see whether the cluster has grown or shrunk."""


# Without an address, Dask would serve its pages to everybody, also those it is told to leave out.
_LOCAL = {
    "n_workers": 1,
    "processes": False,
    "protocol": "inproc",
    "dashboard_address": "127.0.0.1:0",
    "worker_dashboard_address": "127.0.0.1:0",
    "scheduler_kwargs": {"dashboard": False},
}


@dataclasses.dataclass(frozen=True)
class Tls:
    """The files that prove to a cluster who is calling, and to the caller who answers."""

    ca: str
    cert: str
    key: str


@contextlib.contextmanager
def connected(address: str, *, jobs: int, tls: Tls | None = None) -> Iterator[Client]:
    """Give a client of the cluster at an address; "local" is one in this process alone."""
    distributed = _distributed()
    if address == "local":
        import dask

        with (
            dask.config.set({"distributed.worker.profile.enabled": False}),
            distributed.LocalCluster(threads_per_worker=jobs, **_LOCAL) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client
        return
    security = None
    if tls is not None:
        security = distributed.Security(
            tls_ca_file=tls.ca,
            tls_client_cert=tls.cert,
            tls_client_key=tls.key,
            require_encryption=True,
        )
    try:
        client = distributed.Client(address, security=security, timeout=CONNECT)
    except (OSError, TimeoutError, TypeError, ValueError, ImportError) as fault:
        raise FileError(
            "no cluster answers there",
            file=address,
            remedy="name a scheduler, such as tcp://host:8786; one behind tls:// needs the files",
        ) from fault
    with client:
        yield client


def run_on_cluster(client: Client, tasks: Iterable[Task], setup: Setup) -> Generator[Entry]:
    """Yield an entry for every task as soon as it is finished.

    Only so many are handed over that every worker is busy: the scheduler's memory stays the same
    however many files there are. What a worker did not finish before it died, another does.
    """
    distributed = _distributed()
    _wait_for_workers(client)
    setup = dataclasses.replace(setup, idle=IDLE)
    waiting, window = iter(tasks), _Window(client)
    flying: dict[str, Task] = {}

    def launch() -> list[Future]:
        """Fill the window again once it is half empty: several files cost little more than one."""
        room = window.size() - len(flying)
        if 2 * room < window.size():
            return []
        return _submit(client, [*islice(waiting, room)], setup, flying)

    sequence = distributed.as_completed(
        launch(), loop=client.loop, with_results=True, raise_errors=False
    )
    try:
        for future, result in sequence:
            entry = _outcome(future.status, result, flying.pop(future.key))
            future.release()
            for more in launch():
                sequence.add(more)
            yield entry
    finally:
        with contextlib.suppress(Exception):
            for future in list(sequence.futures):
                future.cancel()
            client.run(end_children, on_error="ignore")


def work_here(task: Task, setup: Setup) -> bytes:
    """Work on one file in the process that belongs to this thread of a cluster's worker."""
    attempts = Attempts()
    while True:
        child = _child(setup)
        child.send(task)
        try:
            entry = child.receive(setup.timeout)
        except LateError:
            _dismiss(child)
            entry = late_entry(task, setup.timeout)
        except DiedError as fault:
            _dismiss(child)
            ended = attempts.after_death(task, str(fault))
            if ended is None:
                continue
            entry = ended
        return msgspec.msgpack.encode(entry)


def end_children() -> None:
    """End the processes that worked on files here."""
    with _lock:
        children = list(_children.values())
        _children.clear()
    for _, child in children:
        child.end()


_children: dict[int, tuple[Setup, Child]] = {}
_lock = threading.Lock()


def _child(setup: Setup) -> Child:
    """Return the process of this thread, made anew for another run or after it has ended."""
    place = threading.get_ident()
    with _lock:
        known = _children.get(place)
    if known is not None and known[0] == setup and known[1].is_alive:
        return known[1]
    if known is not None:
        _dismiss(known[1])
    child = Child(setup)
    with _lock:
        _children[place] = (setup, child)
    return child


def _dismiss(child: Child) -> None:
    with _lock:
        for place, (_, known) in list(_children.items()):
            if known is child:
                del _children[place]
    child.end()


class _Window:
    """How many files may be on their way."""

    def __init__(self, client: Any) -> None:
        self._client, self._next_look, self._size = client, 0.0, PER_THREAD

    def size(self) -> int:
        """Return as many as keep all threads of the cluster busy."""
        if time.monotonic() >= self._next_look:
            threads = sum(self._client.nthreads().values())
            self._size = max(1, threads) * PER_THREAD
            self._next_look = time.monotonic() + LOOK_AGAIN
        return self._size


def _submit(client: Any, tasks: list[Task], setup: Setup, flying: dict[str, Task]) -> list[Future]:
    futures: list[Future] = client.map(work_here, tasks, setup=setup, pure=False, retries=RETRIES)
    flying.update({future.key: task for future, task in zip(futures, tasks, strict=True)})
    return futures


def _outcome(status: str, result: Any, task: Task) -> Entry:
    """Return what became of a task; a file that no worker survives has crashed them."""
    from distributed.scheduler import KilledWorker

    if status == "finished":
        return task.adopted(msgspec.msgpack.decode(result, type=Entry))
    if status != "error":
        raise FileError("the cluster is gone", remedy="start it again and use --resume")
    fault = result[1] if isinstance(result, tuple) else result
    if isinstance(fault, KilledWorker):
        return task.entry(Status.CRASHED, reason="every worker of the cluster died that had it")
    text = " ".join(f"{type(fault).__name__}: {fault}".split())[:300]
    return task.entry(Status.FAILED, reason=f"the cluster gave up on it ({text})")


def _wait_for_workers(client: Client) -> None:
    try:
        client.wait_for_workers(1, timeout=30)
    except TimeoutError as fault:
        remedy = "start some with `dask worker`"
        raise FileError("the cluster has no workers", remedy=remedy) from fault


def _distributed() -> Any:
    try:
        import distributed
    except ImportError as fault:
        remedy = "pip install ligament[cluster]"
        raise MissingExtraError("clusters need Dask", remedy=remedy) from fault
    return distributed

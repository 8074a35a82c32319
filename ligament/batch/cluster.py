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
Bundle: TypeAlias = list[Task]

PER_THREAD = 4
"""How many bundles are on their way for each thread of the cluster, so that none has to wait."""

BUNDLE_SECONDS = 0.5
LARGEST_BUNDLE = 32
"""Files go in bundles that take about so long: a scheduler takes milliseconds for each bundle."""

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
    waiting, window, pace = iter(tasks), _Window(client), _Pace()
    flying: dict[str, Bundle] = {}

    def launch() -> list[Future]:
        """Fill the window again once it is half empty."""
        room = window.size() - len(flying)
        if 2 * room < window.size():
            return []
        taken = ([*islice(waiting, pace.size)] for _ in range(room))
        return _submit(client, [bundle for bundle in taken if bundle], setup, flying)

    sequence = distributed.as_completed(
        launch(), loop=client.loop, with_results=True, raise_errors=False
    )
    try:
        for future, result in sequence:
            status, bundle = future.status, flying.pop(future.key)
            future.release()
            if status == "error" and len(bundle) > 1:  # one of them did it: each by itself
                sequence.update(_submit(client, [[task] for task in bundle], setup, flying))
                continue
            sequence.update(launch())
            for entry in _outcomes(status, result, bundle):
                pace.note(entry.seconds)
                yield entry
    finally:
        with contextlib.suppress(Exception):
            for future in list(sequence.futures):
                future.cancel()
            client.run(end_children, on_error="ignore")


def work_here(bundle: Bundle, setup: Setup) -> list[bytes]:
    """Work on files in the process that belongs to this thread of a cluster's worker."""
    return [msgspec.msgpack.encode(_work_on(task, setup)) for task in bundle]


def _work_on(task: Task, setup: Setup) -> Entry:
    attempts = Attempts()
    while True:
        child = _child(setup)
        child.send(task)
        try:
            return child.receive(setup.timeout)
        except LateError:
            _dismiss(child)
            return late_entry(task, setup.timeout)
        except DiedError as fault:
            _dismiss(child)
            ended = attempts.after_death(task, str(fault))
            if ended is not None:
                return ended


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


class _Pace:
    """How many files make up a bundle, by how long those before took."""

    def __init__(self) -> None:
        self._mean: float | None = None

    def note(self, seconds: float) -> None:
        """Take in how long [s] one more file took; what was long ago counts little."""
        self._mean = seconds if self._mean is None else 0.9 * self._mean + 0.1 * seconds

    @property
    def size(self) -> int:
        """How many files take about half a second; one alone until that is known."""
        if self._mean is None:
            return 1
        return int(min(max(BUNDLE_SECONDS / max(self._mean, 1e-6), 1), LARGEST_BUNDLE))


class _Window:
    """How many bundles may be on their way."""

    def __init__(self, client: Any) -> None:
        self._client, self._next_look, self._size = client, 0.0, PER_THREAD

    def size(self) -> int:
        """Return as many as keep all threads of the cluster busy."""
        if time.monotonic() >= self._next_look:
            threads = sum(self._client.nthreads().values())
            self._size = max(1, threads) * PER_THREAD
            self._next_look = time.monotonic() + LOOK_AGAIN
        return self._size


def _submit(
    client: Any, bundles: list[Bundle], setup: Setup, flying: dict[str, Bundle]
) -> list[Future]:
    futures: list[Future] = client.map(work_here, bundles, setup=setup, pure=False, retries=RETRIES)
    flying.update({future.key: each for future, each in zip(futures, bundles, strict=True)})
    return futures


def _outcomes(status: str, result: Any, bundle: Bundle) -> list[Entry]:
    """Return what became of files; one that no worker survives has crashed them."""
    from distributed.scheduler import KilledWorker

    if status == "finished":
        entries = (msgspec.msgpack.decode(content, type=Entry) for content in result)
        return [task.adopted(entry) for task, entry in zip(bundle, entries, strict=True)]
    if status != "error":
        raise FileError("the cluster is gone", remedy="start it again and use --resume")
    (task,) = bundle
    fault = result[1] if isinstance(result, tuple) else result
    if isinstance(fault, KilledWorker):
        reason = "every worker of the cluster died that had it"
        return [task.entry(Status.CRASHED, reason=reason)]
    text = " ".join(f"{type(fault).__name__}: {fault}".split())[:300]
    return [task.entry(Status.FAILED, reason=f"the cluster gave up on it ({text})")]


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

"""Tasks on a Dask cluster; each of its threads keeps one of our worker processes."""

from __future__ import annotations

import contextlib
import dataclasses
import threading
import time
from collections.abc import Generator, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from ligament.errors import FileError, MissingExtraError
from ligament.jobs.task import Entry, Status, Task
from ligament.jobs.worker import (
    Attempts,
    DiedError,
    LateError,
    Setup,
    WorkerProcess,
    late_entry,
)

if TYPE_CHECKING:
    from distributed import Client

Future: TypeAlias = Any  # Dask's own, whose methods are untyped
Bundle: TypeAlias = list[Task]

PER_THREAD = 4
"""Bundles in flight for each thread of the cluster, so that none has to wait."""

BUNDLE_SECONDS = 0.5
LARGEST_BUNDLE = 32
"""Tasks go in bundles of about this length [s]: each bundle costs the scheduler milliseconds."""

CONNECT = "20s"
RETRIES = 3
IDLE = 60.0
"""Seconds that a process on the cluster waits for more tasks before it exits."""

RESIZE_INTERVAL = 5.0
"""Seconds between checks of the cluster's size."""

# Without an address, Dask would serve its dashboard to everybody, even where it is disabled.
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
    """Certificate files for mutual authentication with a cluster."""

    ca: str
    cert: str
    key: str


@contextlib.contextmanager
def connected(address: str, *, jobs: int, tls: Tls | None = None) -> Iterator[Client]:
    """Yield a client of the cluster at an address; "local" starts one in this process."""
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
            "no cluster responds there",
            file=address,
            remedy="name a scheduler, such as tcp://host:8786; one behind tls:// needs the files",
        ) from fault
    with client:
        yield client


def run_on_cluster(client: Client, tasks: Iterable[Task], setup: Setup) -> Generator[Entry]:
    """Yield an entry for every task as soon as it is finished.

    Only as many are submitted as keep every worker busy: the scheduler's memory stays constant
    however many tasks there are. Unfinished tasks of a dead worker are given to another.
    """
    distributed = _distributed()
    _wait_for_workers(client)
    setup = dataclasses.replace(setup, idle=IDLE)
    waiting, window, pace = iter(tasks), _Window(client), _Pace()
    in_flight: dict[str, Bundle] = {}

    def launch() -> list[Future]:
        """Refill the window once it is half empty."""
        room = window.size() - len(in_flight)
        if 2 * room < window.size():
            return []
        taken = ([*islice(waiting, pace.size)] for _ in range(room))
        return _submit(client, [bundle for bundle in taken if bundle], setup, in_flight)

    sequence = distributed.as_completed(
        launch(), loop=client.loop, with_results=True, raise_errors=False
    )
    try:
        for future, result in sequence:
            status, bundle = future.status, in_flight.pop(future.key)
            future.release()
            if status == "error" and len(bundle) > 1:  # one of them is the cause: retry each alone
                sequence.update(_submit(client, [[task] for task in bundle], setup, in_flight))
                continue
            sequence.update(launch())
            for entry in _outcomes(status, result, bundle):
                pace.note(entry.seconds)
                yield entry
    finally:
        with contextlib.suppress(Exception):
            for future in list(sequence.futures):
                future.cancel()
            client.run(end_processes, on_error="ignore")


def run_bundle(bundle: Bundle, setup: Setup) -> list[bytes]:
    """Process tasks in the worker process of this thread of a cluster's worker."""
    return [msgspec.msgpack.encode(_run_task(task, setup)) for task in bundle]


def _run_task(task: Task, setup: Setup) -> Entry:
    attempts = Attempts()
    while True:
        process = _process(setup)
        process.send(task)
        try:
            return process.receive(setup.timeout)
        except LateError:
            _dismiss(process)
            return late_entry(task, setup.timeout)
        except DiedError as fault:
            _dismiss(process)
            ended = attempts.after_death(task, str(fault))
            if ended is not None:
                return ended


def end_processes() -> None:
    """End the worker processes of this machine."""
    with _lock:
        ended = list(_processes.values())
        _processes.clear()
    for _, process in ended:
        process.end()


_processes: dict[int, tuple[Setup, WorkerProcess]] = {}
_lock = threading.Lock()


def _process(setup: Setup) -> WorkerProcess:
    """Return the process of this thread, a new one for another run or after it has exited."""
    thread = threading.get_ident()
    with _lock:
        known = _processes.get(thread)
    if known is not None and known[0] == setup and known[1].is_alive:
        return known[1]
    if known is not None:
        _dismiss(known[1])
    process = WorkerProcess(setup)
    with _lock:
        _processes[thread] = (setup, process)
    return process


def _dismiss(process: WorkerProcess) -> None:
    with _lock:
        for thread, (_, known) in list(_processes.items()):
            if known is process:
                del _processes[thread]
    process.end()


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


class _Window:
    """The number of bundles that may be in flight."""

    def __init__(self, client: Any) -> None:
        self._client, self._next_resize, self._size = client, 0.0, PER_THREAD

    def size(self) -> int:
        """Return the number that keeps all threads of the cluster busy."""
        if time.monotonic() >= self._next_resize:
            threads = sum(self._client.nthreads().values())
            self._size = max(1, threads) * PER_THREAD
            self._next_resize = time.monotonic() + RESIZE_INTERVAL
        return self._size


def _submit(
    client: Any, bundles: list[Bundle], setup: Setup, in_flight: dict[str, Bundle]
) -> list[Future]:
    futures: list[Future] = client.map(
        run_bundle, bundles, setup=setup, pure=False, retries=RETRIES
    )
    in_flight.update({future.key: each for future, each in zip(futures, bundles, strict=True)})
    return futures


def _outcomes(status: str, result: Any, bundle: Bundle) -> list[Entry]:
    """Return the entries of a bundle; a task that no worker survives has crashed."""
    from distributed.scheduler import KilledWorker

    if status == "finished":
        entries = (msgspec.msgpack.decode(content, type=Entry) for content in result)
        return [task.adopted(entry) for task, entry in zip(bundle, entries, strict=True)]
    if status != "error":
        raise FileError(
            "the connection to the cluster was lost", remedy="start it again and use --resume"
        )
    (task,) = bundle
    fault = result[1] if isinstance(result, tuple) else result
    if isinstance(fault, KilledWorker):
        reason = "it crashed every worker of the cluster that tried it"
        return [task.entry(Status.CRASHED, reason=reason)]
    text = " ".join(f"{type(fault).__name__}: {fault}".split())[:300]
    return [task.entry(Status.FAILED, reason=f"the cluster failed to run it ({text})")]


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

"""Faults of a cluster that writes to S3, to memory or to a slow folder, or that is behind TLS."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import ligament as lg
from ligament.batches import BatchReport, Entry, Task
from ligament.errors import FileError, RunInterruptedError
from ligament.jobs import crew, runner
from ligament.jobs.connection import Tls, connected
from tests.batches.inputs import content, slow_work, write_many
from tests.jobs.dask_cluster import ROOT, Running, cluster, secured
from tests.sampling import IS_SOAK, sample

pytest.importorskip("distributed")
pytest.importorskip("s3fs")
moto = pytest.importorskip("moto.server")
fsspec = pytest.importorskip("fsspec")

pytestmark = pytest.mark.filterwarnings("ignore")  # of botocore, and of workers that fail here
in_soak = pytest.mark.skipif(not IS_SOAK, reason="`make soak` runs it")

FILES = 120 if IS_SOAK else 16
SHORT: dict[str, Any] = {"seconds": 0.1, "rate": 30.0}
BUCKET = "cluster"
DELAY = 0.1
"""Seconds that a slow folder takes for what it has to do."""


def slow_folder_work(task: Task) -> Entry:
    """Do as usual in a folder that takes its time."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("replace", "fsync", "mkdir"):
            patch.setattr(os, name, _slow(getattr(os, name)))
        return slow_work(task)


def _slow(call: Callable[..., Any]) -> Callable[..., Any]:
    def slow(*arguments: Any, **options: Any) -> Any:
        time.sleep(DELAY)
        return call(*arguments, **options)

    return slow


@dataclass(frozen=True)
class Place:
    """Where the outputs of a run go, and how its cluster is reached."""

    out: str
    files: Any
    storage: dict[str, Any] = field(default_factory=dict)
    work: Callable[[Task], Entry] = slow_work
    tls: Tls | None = None
    security: tuple[str, ...] = ()

    def run(self, running: Running, source: Path, **options: Any) -> BatchReport:
        with connected(running.url, jobs=1, tls=self.tls) as client:
            client.wait_for_workers(len(running.workers), timeout=60)
            return self.batch(source, client=client, **options)

    def batch(self, source: Path, **options: Any) -> BatchReport:
        given = {"work": self.work, "storage": self.storage, **SHORT, **options}
        return lg.batch("simulate", source, self.out, **given)

    def content(self, folder: Path) -> dict[str, bytes]:
        """Everything that lies there, less what depends on times or on a cluster's workers."""
        self.files.invalidate_cache()
        for path in self.files.find(self.out):
            file = folder / str(path).partition("out/")[2]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(self.files.cat_file(path))
        return content(folder)


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    running = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    yield running
    with contextlib.suppress(Exception):  # a test has stopped it
        running.stop()


def settings(server: Any) -> dict[str, Any]:
    host, port = server.get_host_and_port()
    access = {"key": "me", "secret": "secret", "endpoint_url": f"http://{host}:{port}"}
    return {**access, "config_kwargs": {"retries": {"max_attempts": 1}, "connect_timeout": 2}}


@pytest.fixture
def s3(server: Any) -> Place:
    return emptied(server)


def emptied(server: Any) -> Place:
    """Return an empty folder on an S3 server."""
    storage = settings(server)
    files = fsspec.filesystem("s3", **storage)
    if files.exists(BUCKET):
        files.rm(BUCKET, recursive=True)
    files.mkdir(BUCKET)
    return Place(f"s3://{BUCKET}/out", files, {"s3": storage})


@pytest.fixture(params=sample(["s3", "memory", "slow folder", "TLS"], 1))
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    local = fsspec.filesystem("file")
    out = str(tmp_path / "out")
    match request.param:
        case "s3":
            yield request.getfixturevalue("s3")
        case "memory":
            files = fsspec.filesystem("memory")
            yield Place("memory://cluster/out", files)
            if files.exists("/cluster"):
                files.rm("/cluster", recursive=True)
        case "slow folder":
            yield Place(out, local, work=slow_folder_work)
        case "TLS":
            tls, security = secured(tmp_path)
            yield Place(out, local, tls=tls, security=security)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    write_many(tmp_path / "in", FILES)
    (tmp_path / "in" / "broken.gltf").write_bytes(b"{")
    return tmp_path / "in"


@pytest.fixture
def expected(tmp_path: Path, source: Path) -> dict[str, bytes]:
    lg.batch("simulate", source, tmp_path / "here", jobs=2, **SHORT)
    return content(tmp_path / "here")


def at(count: int, act: Callable[[], object]) -> Callable[[Entry, int, int], None]:
    """Return a `progress` that does something once so many files are finished."""

    def progress(entry: Entry, finished: int, total: int) -> None:
        if finished == count:
            act()

    return progress


@pytest.fixture(autouse=True)
def _attentive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew, "WATCH_INTERVAL", 0.2)
    monkeypatch.setattr(crew, "SILENCE", 5.0)
    monkeypatch.setattr(runner, "MANIFEST_SECONDS", 0.0)


@pytest.mark.parametrize("sign", sample([signal.SIGKILL, signal.SIGSTOP], 1))
def test_a_worker_that_ends_or_stops_costs_no_file(
    tmp_path: Path, place: Place, source: Path, expected: dict[str, bytes], sign: signal.Signals
) -> None:
    with cluster(tmp_path, *place.security) as running:
        strike = at(FILES // 4, lambda: os.kill(running.workers[0].pid, sign))
        report = place.run(running, source, progress=strike)
    assert report.summary.done == FILES, report.failed
    assert place.content(tmp_path / "back") == expected


@in_soak
def test_a_run_that_loses_its_scheduler_is_resumed(
    tmp_path: Path, place: Place, source: Path, expected: dict[str, bytes]
) -> None:
    with cluster(tmp_path, *place.security) as running:
        strike = at(FILES // 4, running.scheduler.kill)
        with pytest.raises(RunInterruptedError, match="the connection to the cluster was lost"):
            place.run(running, source, progress=strike)
    with cluster(tmp_path, *place.security) as running:
        again = place.run(running, source, resume=True)
    assert again.resumed >= FILES // 4 - 1
    assert place.content(tmp_path / "back") == expected


PROGRAM = """
import json, sys
from tests.jobs.test_cluster_stores import Place, slow_work, slow_folder_work
from ligament.jobs.connection import Tls, connected
import ligament as lg
given = json.loads(sys.argv[1])
tls = Tls(*given["tls"]) if given["tls"] else None
with connected(given["url"], jobs=1, tls=tls) as client:
    options = {"storage": given["storage"], "client": client, "work": globals()[given["work"]]}
    lg.batch("simulate", given["source"], given["out"], **options, **given["short"])
"""


@in_soak
def test_a_client_that_is_killed_is_followed_by_another(
    tmp_path: Path, place: Place, source: Path, expected: dict[str, bytes]
) -> None:
    if place.out.startswith("memory"):
        pytest.skip("what is in the memory of a process ends with it")
    tls = place.tls and [place.tls.ca, place.tls.cert, place.tls.key]
    given = {"storage": place.storage, "source": str(source), "out": place.out, "short": SHORT}
    with cluster(tmp_path, *place.security) as running:
        given |= {"url": running.url, "tls": tls, "work": place.work.__name__}
        command = [sys.executable, "-c", PROGRAM, json.dumps(given)]
        client = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE)
        manifest = f"{place.out}/manifest.jsonl"
        while client.poll() is None and not _lines(place, manifest) > FILES // 4:
            time.sleep(0.2)
        assert client.poll() is None, client.communicate()
        client.kill()
        client.communicate(timeout=30)
        again = place.run(running, source, resume=True)
    assert again.resumed >= FILES // 4 - 1
    assert again.summary.done == FILES
    assert place.content(tmp_path / "back") == expected


def _lines(place: Place, path: str) -> int:
    place.files.invalidate_cache()
    try:
        return int(place.files.cat_file(path).count(b"\n"))
    except FileNotFoundError:
        return 0


# --- the store itself ---


def work_without_the_store(task: Task) -> Entry:
    """Do as usual, but on host2, where nobody answers at the store's address after a while."""
    if "HOST2" in os.environ and task.store is not None and not task.name.startswith("000"):
        task.access.settings["s3"]["endpoint_url"] = "http://127.0.0.1:9"
    return slow_work(task)


@in_soak
def test_a_worker_that_loses_the_store_is_put_aside(
    tmp_path: Path, s3: Place, source: Path, expected: dict[str, bytes]
) -> None:
    preload = {"host2": "import os; os.environ['HOST2'] = '1'"}
    with cluster(tmp_path, preload=preload) as running:
        report = s3.run(running, source, work=work_without_the_store)
    assert report.summary.done == FILES, report.failed
    faults = {each.host: each.fault for each in report.workers}
    assert "failed " in (faults["host2"] or "")
    assert "cannot be written" in (faults["host2"] or "")
    assert s3.content(tmp_path / "back") == expected


@in_soak
def test_a_store_that_goes_away_interrupts_the_run(
    tmp_path: Path, source: Path, expected: dict[str, bytes]
) -> None:
    first = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    first.start()
    host, port = first.get_host_and_port()
    place = emptied(first)
    with cluster(tmp_path) as running:
        with pytest.raises(RunInterruptedError, match=f"s3://{BUCKET}/out"):
            place.run(running, source, progress=at(FILES // 4, first.stop))
        with pytest.raises(FileError, match=f"s3://{BUCKET}/out"):
            place.run(running, source, resume=True)
        second = moto.ThreadedMotoServer(ip_address=host, port=port, verbose=False)
        second.start()  # with what the first one had: both are in this process
        again = place.run(running, source, resume=True)
    assert again.resumed > 0
    assert again.summary.done == FILES, again.failed
    assert place.content(tmp_path / "back") == expected
    second.stop()

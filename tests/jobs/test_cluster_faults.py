"""Faults of a cluster: workers that lack something, stop or fail cost no file and no output."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import pytest

import ligament as lg
from ligament.batches import BatchReport, Entry, Status, Task, perform
from ligament.errors import FileError, LigamentWarning
from ligament.jobs import bundles, crew
from ligament.jobs import cluster as clusters
from ligament.jobs.connection import connected
from tests.batches.inputs import SLOW_BATCH, content, slow_work, write_good, write_many
from tests.cli.command import ligament as run_ligament
from tests.jobs.dask_cluster import NO_LIGAMENT, OLD_LIGAMENT, ROOT, Running, cluster
from tests.sampling import IS_SOAK, sample

pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore:the cluster has had 0 workers")  # which start

Value = TypeVar("Value")
FILES = 200 if IS_SOAK else 24
SHORT: dict[str, Any] = {"seconds": 0.1, "rate": 30.0}

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="folders of one path by /proc")
in_soak = pytest.mark.skipif(not IS_SOAK, reason="`make soak` runs it")


def simulate(running: Running, source: Path | str, out: Path | str, **options: Any) -> BatchReport:
    with connected(running.url, jobs=1) as client:
        client.wait_for_workers(len(running.workers), timeout=60)
        return lg.batch("simulate", source, out, client=client, **SHORT, **options)


def warned(function: Callable[[], Value]) -> tuple[Value, list[str]]:
    """Return a result, and the lines that a user reads."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", LigamentWarning)
        result = function()
    return result, [str(each.message) for each in caught]


def files_in(folder: Path) -> set[str]:
    return {path.name for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    write_many(tmp_path / "in", FILES)
    return tmp_path / "in"


# --- the handshake ---


@pytest.fixture
def homes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """Folders in which `/proc/self/cwd` is another one for each host; the client's is host1's."""
    found = {host: tmp_path / host for host in ("host1", "host2", "host3")}
    for home in found.values():
        write_many(home / "in", FILES)
        (home / "out").mkdir()
    monkeypatch.chdir(found["host1"])
    return found


IN, OUT = "/proc/self/cwd/in", "/proc/self/cwd/out"


@on_linux
def test_workers_without_the_output_folder_are_left_out_by_name(
    tmp_path: Path, homes: dict[str, Path]
) -> None:
    preload = {"host2": "from ligament.jobs import handshake; handshake.SIGHT = 0.0"}
    with cluster(tmp_path, homes=homes, preload=preload) as running:
        report, lines = warned(lambda: simulate(running, IN, OUT))
    assert lines == [f"host2 cannot see {OUT}; it is left out"]
    assert report.summary.done == FILES
    assert {entry.host for entry in report} == {"host1"}
    assert all((homes["host1"] / "out" / f"{entry.name}.npz").is_file() for entry in report)
    assert not any(name.startswith(".handshake") for name in files_in(homes["host1"]))
    assert files_in(homes["host2"] / "out") == set()


@in_soak
@on_linux
def test_without_a_worker_that_sees_the_output_folder_nothing_is_done(
    tmp_path: Path, homes: dict[str, Path]
) -> None:
    with cluster(tmp_path, workers=("host2", "host3"), homes=homes) as running:
        start = time.monotonic()
        with pytest.raises(FileError) as caught:
            simulate(running, IN, OUT)
    line = str(caught.value)
    assert line.startswith("no worker of the cluster can do the work: host")
    assert f"cannot see {OUT}" in line
    assert time.monotonic() - start < 30
    assert files_in(homes["host1"] / "out") == {".batch.lock", "manifest.jsonl"}


@in_soak
@on_linux
def test_workers_without_the_inputs_are_left_out_by_name(
    tmp_path: Path, homes: dict[str, Path]
) -> None:
    shutil.rmtree(homes["host2"] / "in")
    with cluster(tmp_path, workers=("host1", "host2"), homes=homes) as running:
        report, lines = warned(lambda: simulate(running, IN, tmp_path / "out"))
    (line,) = lines
    assert line.startswith(f"host2 cannot read {IN}/")
    assert report.summary.done == FILES


@in_soak
def test_a_first_input_that_is_missing_for_all_is_that_file_s_fault(tmp_path: Path) -> None:
    good = write_good(tmp_path / "in" / "good.gltf", 1.0)
    with cluster(tmp_path, workers=["host1"]) as running:
        report = simulate(running, [tmp_path / "in" / "absent.gltf", good], tmp_path / "out")
    assert [entry.status for entry in report] == [Status.FAILED, Status.DONE]


def test_workers_of_another_version_and_without_ligament_are_left_out(
    tmp_path: Path, source: Path
) -> None:
    preload = {"host2": OLD_LIGAMENT, "host3": NO_LIGAMENT}
    hosts = ("host1", "host2", "host3")
    with cluster(tmp_path, workers=hosts, preload=preload) as running:
        report, lines = warned(lambda: simulate(running, source, tmp_path / "out"))
    assert sorted(lines) == [
        "127.0.0.1 has no Ligament; it is left out",
        f"host2 has Ligament 0.0.1, not {lg.__version__}; it is left out",
    ]
    assert report.summary.done == FILES
    stated = {each["host"]: each for each in report.plain()["workers"]}
    assert stated["host1"]["version"] == lg.__version__
    assert stated["host2"]["version"] == "0.0.1"
    assert stated["host2"]["fault"] == f"has Ligament 0.0.1, not {lg.__version__}"
    assert "version" not in stated["127.0.0.1"]


def test_a_cluster_without_ligament_is_one_line(tmp_path: Path, source: Path) -> None:
    with (
        cluster(tmp_path, workers=["host1"], preload={"host1": NO_LIGAMENT}) as running,
        pytest.raises(FileError, match=r"127\.0\.0\.1 has no Ligament"),
    ):
        simulate(running, source, tmp_path / "out")


@in_soak
def test_a_worker_that_comes_later_is_greeted_too(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first worker ends when the second is there, which then does the rest."""
    monkeypatch.setattr(crew, "WATCH_INTERVAL", 0.1)
    (tmp_path / "late").mkdir()
    with cluster(tmp_path) as running, connected(running.url, jobs=1) as client:
        client.wait_for_workers(2, timeout=60)
        early, late = running.workers
        os.kill(late.pid, signal.SIGSTOP)

        def swap(entry: Entry, finished: int, total: int) -> None:
            if finished == 3:
                os.kill(late.pid, signal.SIGCONT)
                early.kill()

        options = {"client": client, "work": slow_work, "progress": swap, **SHORT}
        report = lg.batch("simulate", source, tmp_path / "out", **options)
    assert report.summary.done == FILES
    assert {entry.host for entry in report} == {"host1", "host2"}


# --- the environment is not the file ---


def test_a_scheduler_without_ligament_costs_no_output_of_an_earlier_run(
    tmp_path: Path, source: Path
) -> None:
    lg.batch("simulate", source, tmp_path / "out", jobs=2, **SHORT)
    before = content(tmp_path / "out")
    with (
        cluster(tmp_path, workers=["host1"], preload={"scheduler": NO_LIGAMENT}) as running,
        pytest.raises(FileError, match="the cluster's scheduler has no Ligament"),
    ):
        simulate(running, source, tmp_path / "out")
    assert content(tmp_path / "out") == before


@in_soak
def test_a_worker_that_cannot_start_processes_is_not_the_file_s_fault(
    tmp_path: Path, source: Path
) -> None:
    lg.batch("simulate", source, tmp_path / "out", jobs=2, **SHORT)
    before = content(tmp_path / "out")
    broken = "from ligament.processes import child; child._PROGRAM = 'raise SystemExit(7)'"
    with (
        cluster(tmp_path, workers=["host1"], preload={"host1": broken}) as running,
        pytest.raises(FileError, match=r"host1 failed 3 times in a row .*status 7"),
    ):
        simulate(running, source, tmp_path / "out")
    assert content(tmp_path / "out") == before


def test_an_input_that_nobody_can_open_keeps_its_earlier_output(tmp_path: Path) -> None:
    path = write_good(tmp_path / "in" / "ball.gltf", 1.0)
    lg.batch("simulate", path, tmp_path / "out", jobs=1, **SHORT)
    path.unlink()
    report = lg.batch("simulate", path, tmp_path / "out", jobs=1, **SHORT)
    assert [entry.status for entry in report] == [Status.FAILED]
    assert (tmp_path / "out" / "ball.gltf.npz").is_file()


@pytest.mark.parametrize("name", sample(["reads_and_stalls", "stalls"], 1))
def test_a_file_that_times_out_loses_its_earlier_output_once_it_was_read(
    tmp_path: Path, name: str
) -> None:
    path = write_good(tmp_path / "in" / f"{name}.gltf", 1.0)
    lg.batch("simulate", path, tmp_path / "out", jobs=1, **SHORT)
    report = lg.batch(
        "simulate", path, tmp_path / "out", jobs=1, work=stalling_work, timeout=1.0, **SHORT
    )
    (entry,) = report
    is_read = name == "reads_and_stalls"
    assert entry.status is Status.TIMEOUT
    assert (entry.sha256 is not None) is is_read
    assert (tmp_path / "out" / f"{name}.gltf.npz").is_file() is not is_read


def stalling_work(task: Task) -> Entry:
    """Hang before or after the input is read."""
    if Path(task.name).name.startswith("reads"):
        task.options.source(Path(task.source)).sha256()
    time.sleep(3600)
    raise AssertionError


# --- several runs at once ---


def pid_work(task: Task) -> Entry:
    """Do as usual, slowly, and say in which process."""
    entry = slow_work(task)
    return msgspec.structs.replace(entry, counts={"pid": os.getpid()})


def test_the_end_of_a_run_leaves_other_runs_alone(tmp_path: Path, source: Path) -> None:
    few = tmp_path / "few"
    write_many(few, 4)
    reports: list[BatchReport] = []
    with cluster(tmp_path, workers=["host1"], threads=2) as running:

        def long_run() -> None:
            reports.append(simulate(running, source, tmp_path / "long", work=pid_work, timeout=60))

        thread = threading.Thread(target=long_run)
        thread.start()
        for number in range(3 if IS_SOAK else 1):
            short = simulate(
                running, few, tmp_path / f"short{number}", work=pid_work, timeout=50 - number
            )
            assert short.summary.done == 4
        thread.join(timeout=300)
    (report,) = reports
    assert report.summary.done == FILES, report.failed
    assert len({entry.counts["pid"] for entry in report}) <= 2, "its processes were restarted"


@in_soak
def test_processes_of_a_run_end_with_it(tmp_path: Path, source: Path) -> None:
    with connected("local", jobs=2) as client:
        options = {"client": client, "work": pid_work, **SHORT}
        report = lg.batch("simulate", source, tmp_path / "out", **options)
        for pid in {entry.counts["pid"] for entry in report}:
            with pytest.raises(ProcessLookupError):
                os.kill(pid, 0)
    assert not any(each.processes.pids for each in bundles._runs.values())


# --- workers that stop, hang or fail ---


def test_the_files_of_a_stopped_worker_go_to_others(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crew, "WATCH_INTERVAL", 0.2)
    monkeypatch.setattr(crew, "SILENCE", 3.0)
    with cluster(tmp_path) as running:

        def stop(entry: Entry, finished: int, total: int) -> None:
            if finished == 4:
                os.kill(running.workers[1].pid, signal.SIGSTOP)

        start = time.monotonic()
        report, lines = warned(
            lambda: simulate(running, source, tmp_path / "out", work=slow_work, progress=stop)
        )
    assert report.summary.done == FILES
    assert time.monotonic() - start < 60
    assert any(line.startswith("host2 has been silent for ") for line in lines)


@in_soak
def test_the_files_of_a_worker_that_hangs_go_to_others(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a disk that does not answer: the process of the file cannot even be killed."""
    for name, seconds in {"GRACE": 0.5, "START_SECONDS": 0.5, "TICK": 0.2}.items():
        monkeypatch.setattr(clusters, name, seconds)
    hangs = (
        "import time; from ligament.processes.pool import Pool\n"
        "Pool.ask = lambda *_: time.sleep(3600)"
    )
    with cluster(tmp_path, preload={"host2": hangs}) as running:
        report, lines = warned(
            lambda: simulate(running, source, tmp_path / "out", work=slow_work, timeout=2.0)
        )
    assert report.summary.done == FILES, report.failed
    assert {entry.host for entry in report} == {"host1"}
    assert any(line.startswith("host2 has been busy with a file for ") for line in lines)


def uneven_work(task: Task) -> Entry:
    """Do as usual, one file very slowly."""
    time.sleep(4.0 if task.name.startswith("a") else 0.2)
    return perform(task)


def test_near_the_end_idle_workers_take_what_waits_for_others(tmp_path: Path) -> None:
    for name in "abcd":
        write_good(tmp_path / "in" / f"{name}.gltf", 1.0)
    with cluster(tmp_path) as running:
        report = simulate(running, tmp_path / "in", tmp_path / "out", work=uneven_work)
    hosts = [entry.host for entry in report]
    assert hosts[0] not in hosts[1:], hosts


@in_soak
@on_linux
@pytest.mark.parametrize("sick", [["host2"], ["host2", "host3"]], ids="-".join)
def test_workers_that_cannot_write_are_put_aside(
    tmp_path: Path, source: Path, homes: dict[str, Path], sick: list[str]
) -> None:
    for host in sick:
        (homes[host] / "out").rmdir()
        (homes[host] / "out").symlink_to(homes["host1"] / "out")
    (tmp_path / "file").write_text("not a folder")

    def unmount(entry: Entry, finished: int, total: int) -> None:
        for host in sick if finished == 2 else ():
            (tmp_path / "link").symlink_to(tmp_path / "file")
            os.replace(tmp_path / "link", homes[host] / "out")

    with cluster(tmp_path, homes=homes, workers=("host1", *sick)) as running:
        report, lines = warned(
            lambda: simulate(running, source, OUT, work=slow_work, progress=unmount)
        )
    assert report.summary.done == FILES, report.failed
    assert sorted(line.split()[0] for line in lines) == sick
    for line in lines:
        assert " failed " in line
        assert line.endswith("; it is put aside")
        assert OUT in line


@in_soak
def test_an_output_that_no_worker_can_write_blames_none(tmp_path: Path, source: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "000").write_text("not a folder")
    with cluster(tmp_path) as running:
        report = simulate(running, source, tmp_path / "out")
    assert report.summary.failed == 10
    assert all(entry.unwritten for entry in report.failed)
    assert report.summary.done == FILES - 10


# --- what a user sees of a run ---


def test_a_cluster_without_workers_says_so_and_where_to_look(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crew, "NOTICE", 0.3)
    monkeypatch.setattr(crew, "EMPTY", 1.5)
    call = ["batch", "simulate", source, "--out-dir", tmp_path / "out", "--cluster"]
    with cluster(tmp_path, workers=(), dashboard=True) as running:
        result = run_ligament(*map(str, call), running.url)
    where, waiting, fault = result.stderr.splitlines()
    assert re.fullmatch(r"dashboard: http://127\.0\.0\.1:\d+/status", where)
    assert fault.startswith("error: the cluster has no workers; start some")
    assert waiting == "warning: the cluster has had 0 workers for 0 s; waiting"


def test_a_failure_names_its_file_and_its_host(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "bad.gltf").write_text("{")
    call = ["batch", "check", tmp_path / "in" / "bad.gltf", "--out-dir", tmp_path / "out"]
    with cluster(tmp_path, workers=["host1"]) as running:
        result = run_ligament(*map(str, call), "--cluster", running.url)
    (line,) = [line for line in result.stderr.splitlines() if "bad.gltf" in line]
    assert line.endswith("(on host1)")
    assert result.exit_code == 1


# --- a run that ends early ---


def test_a_lost_connection_is_status_3_and_resuming_continues(tmp_path: Path, source: Path) -> None:
    out = tmp_path / "out"
    call = ["batch", "simulate", source, "--out-dir", out, "--seconds", "0.1", "--rate", "30"]
    with cluster(tmp_path) as running:
        command = [sys.executable, "-c", SLOW_BATCH, *map(str, call), "--cluster", running.url]
        client = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        manifest = out / "manifest.jsonl"
        while not manifest.is_file() or manifest.read_bytes().count(b"\n") < FILES // 4:
            assert client.poll() is None, client.communicate()
            time.sleep(0.02)
        running.scheduler.kill()
        _, messages = client.communicate(timeout=120)
    assert client.returncode == 3, messages
    (line,) = [line for line in messages.splitlines() if not line.startswith("warning: ")]
    assert line.startswith("error: interrupted when ")
    assert "the connection to the cluster was lost" in line
    report = json.loads((out / "report.json").read_text())
    assert FILES // 4 <= report["counts"]["done"] < FILES
    again = lg.batch("simulate", source, out, jobs=2, resume=True, **SHORT)
    assert again.resumed >= report["counts"]["done"]
    assert again.summary.done == FILES

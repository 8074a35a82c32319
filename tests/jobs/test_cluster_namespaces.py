"""Three workers with a network and mounts of their own: cables, disks and clocks that fail."""

from __future__ import annotations

import dataclasses
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import ligament as lg
from ligament.batches import BatchReport, Entry
from ligament.jobs import crew
from ligament.jobs.connection import connected
from tests.batches.inputs import content, slow_work, write_many
from tests.jobs.dask_cluster import ROOT, Place, Running, cluster
from tests.jobs.namespaces import Network, network
from tests.sampling import IS_SOAK

pytest.importorskip("distributed")
pytestmark = [
    pytest.mark.skipif(not IS_SOAK, reason="`make soak` runs it"),
    pytest.mark.filterwarnings("ignore::ligament.errors.LigamentWarning"),
]

HOSTS = ("host1", "host2", "host3")
FILES = 200
SHORT: dict[str, Any] = {"seconds": 0.1, "rate": 30.0}


@pytest.fixture
def machines() -> Iterator[Network]:
    with network(("scheduler", *HOSTS)) as made:
        yield made


@pytest.fixture
def source(tmp_path: Path) -> Path:
    write_many(tmp_path / "in", FILES)
    (tmp_path / "in" / "broken.gltf").write_bytes(b"{")
    return tmp_path / "in"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


@pytest.fixture(autouse=True)
def _attentive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew, "WATCH_INTERVAL", 0.2)
    monkeypatch.setattr(crew, "SILENCE", 5.0)


Strike = Callable[[Running], object]


def run(
    machines: Network,
    folder: Path,
    *,
    strike: Strike | None = None,
    places: Mapping[str, Place] | None = None,
    **options: Any,
) -> BatchReport:
    """Simulate all files; `strike` happens once a quarter of them is finished."""
    with cluster(folder, workers=HOSTS, places=places or machines.places, **options) as running:

        def progress(entry: Entry, finished: int, total: int) -> None:
            if finished == FILES // 4 and strike is not None:
                strike(running)

        with connected(running.url, jobs=1) as client:
            client.wait_for_workers(len(HOSTS), timeout=60)
            given = {"client": client, "work": slow_work, "progress": progress, **SHORT}
            return lg.batch("simulate", folder / "in", folder / "out", **given)


def require_all(report: BatchReport, folder: Path) -> None:
    """Compare what a run has written with what one process writes."""
    assert report.summary.done == FILES, report.failed
    assert report.summary.failed == 1
    lg.batch("simulate", folder / "in", folder / "here", jobs=2, **SHORT)
    assert content(folder / "out") == content(folder / "here")


def faults(report: BatchReport) -> dict[str, str]:
    return {each.host: each.fault for each in report.workers if each.fault is not None}


@pytest.mark.parametrize("host", ["host2", "scheduler"])
@pytest.mark.parametrize("seconds", [2.0, 12.0])
def test_a_cable_that_is_out_for_a_while_costs_no_file(
    machines: Network, tmp_path: Path, source: Path, out: Path, host: str, seconds: float
) -> None:
    joining = threading.Timer(seconds, machines.join, [host])

    def strike(running: Running) -> None:
        machines.cut(host)
        joining.start()

    report = run(machines, tmp_path, strike=strike)
    joining.join()
    require_all(report, tmp_path)


def test_a_worker_whose_cable_stays_out_costs_no_file(
    machines: Network, tmp_path: Path, source: Path, out: Path
) -> None:
    try:
        report = run(machines, tmp_path, strike=lambda _: machines.cut("host2"))
    finally:
        machines.join("host2")
    require_all(report, tmp_path)


def test_disks_that_are_not_shared_or_full_are_named(
    machines: Network, tmp_path: Path, source: Path, out: Path
) -> None:
    for name in ("elsewhere", "tiny"):
        (tmp_path / name).mkdir()
    preload = {
        "host2": _mounted(f"-t tmpfs none {out}"),
        "host3": _mounted(f"-t tmpfs -o size=1m none {tmp_path / 'tiny'}")
        + f"; import tempfile; tempfile.tempdir = {str(tmp_path / 'tiny')!r}",
    }
    report = run(machines, tmp_path, preload=preload)
    assert faults(report) == {
        "host2": f"cannot see {out}",
        "host3": f"has only 1024 KiB of free space in {tmp_path / 'tiny'}",
    }
    require_all(report, tmp_path)


def _mounted(words: str) -> str:
    return f"import subprocess; subprocess.run('mount {words}'.split(), check=True)"


def test_a_disk_that_becomes_read_only_on_one_host_is_that_host_s_fault(
    machines: Network, tmp_path: Path, source: Path, out: Path
) -> None:
    preload = {"host2": _mounted(f"--bind {out} {out}")}

    def strike(running: Running) -> None:
        machines.mount(running.workers[1], "-o", "remount,bind,ro", str(out))

    report = run(machines, tmp_path, preload=preload, strike=strike)
    assert "Read-only file system" in faults(report)["host2"]
    require_all(report, tmp_path)


@pytest.mark.parametrize("skew", [3600.0, -86400.0])
def test_clocks_that_differ_change_nothing(
    machines: Network, tmp_path: Path, source: Path, out: Path, skew: float
) -> None:
    skewed = f"import time; clock = time.time; time.time = lambda: clock() + {skew}\n"
    (tmp_path / "clock").mkdir()
    (tmp_path / "clock" / "sitecustomize.py").write_text(skewed)  # before anything else
    place = machines.places["host2"]
    enter = (*place.enter, "env", f"PYTHONPATH={tmp_path / 'clock'}:{ROOT}")
    places = {**machines.places, "host2": dataclasses.replace(place, enter=enter)}
    report = run(machines, tmp_path, places=places)
    require_all(report, tmp_path)
    assert {entry.host for entry in report} == set(HOSTS)


def test_nobody_outside_hears_of_it(machines: Network) -> None:
    """The bridge leads nowhere: no route but to its own addresses."""
    routes = subprocess.run(
        [*machines.places["host1"].enter, "ip", "route"], capture_output=True, text=True, check=True
    )
    assert routes.stdout.split()[0] == "198.18.77.0/24"
    assert "default" not in routes.stdout

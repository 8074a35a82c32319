"""The same files on a Dask cluster: a real scheduler and workers, one of which is killed."""

import os
import signal
from pathlib import Path

import pytest

import ligament as lg
from ligament.batches import Entry, Status, perform
from ligament.batches.run import planned
from ligament.demo import assets
from ligament.errors import FileError
from ligament.jobs import cluster as clusters
from ligament.jobs import connection, crew
from ligament.jobs.cluster import PER_THREAD, ClusterPool
from ligament.jobs.connection import Tls, connected
from ligament.jobs.pool import Setup
from ligament.jobs.report import read_manifest
from tests.batches.inputs import content, slow_work, tasks_of, work, write_good, write_many
from tests.cli.command import ligament as run_ligament
from tests.jobs.dask_cluster import cluster, secured
from tests.sampling import IS_SOAK

pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore:the cluster has had 0 workers")  # which start

ROOT = Path(__file__).parents[2]
FILES = 2000 if IS_SOAK else 24
SHORT = {"seconds": 0.2, "rate": 30.0}


def test_a_worker_that_is_killed_costs_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crew, "WATCH_INTERVAL", 0.1)  # a smaller cluster is seen at once
    source = tmp_path / "in"
    write_many(source, FILES)
    (source / "broken.gltf").write_bytes(b"{")
    expected = lg.batch("simulate", source, tmp_path / "here", jobs=2, **SHORT)
    with cluster(tmp_path) as running, connected(running.url, jobs=2) as client:
        client.wait_for_workers(2, timeout=60)

        def kill_one(entry: Entry, finished: int, total: int) -> None:
            if finished == FILES // 4:
                os.kill(running.workers[0].pid, signal.SIGKILL)

        options = {"client": client, "work": slow_work, "progress": kill_one, **SHORT}
        report = lg.batch("simulate", source, tmp_path / "there", **options)
        assert len(client.nthreads()) == 1
    assert report.summary.done == FILES == expected.summary.done
    assert report.summary.failed == 1
    assert content(tmp_path / "there") == content(tmp_path / "here")
    lines = [entry.name for entry in read_manifest(tmp_path / "there" / "manifest.jsonl")]
    assert len(lines) == len(set(lines)) == FILES + 1
    again = lg.batch("simulate", source, tmp_path / "there", jobs=2, resume=True, **SHORT)
    assert again.resumed == FILES


def test_files_that_misbehave_leave_the_cluster_alone(tmp_path: Path) -> None:
    source = tmp_path / "in"
    write_many(source, 6)
    for name in ("hangs", "eats", "exits"):
        write_good(source / f"{name}.gltf", 1.0)
    with connected("local", jobs=2) as client:
        options = {"client": client, "work": work, "timeout": 4.0, **SHORT}
        report = lg.batch("simulate", source, tmp_path / "out", **options)
    reported = {Path(entry.input).stem: entry.status for entry in report.failed}
    assert reported == {
        "hangs": Status.TIMEOUT,
        "eats": Status.CRASHED,
        "exits": Status.CRASHED,
    }
    assert report.summary.done == 6


def test_a_local_cluster_listens_on_loopback_alone(tmp_path: Path) -> None:
    psutil = pytest.importorskip("psutil")
    with connected("local", jobs=1):
        sockets = psutil.Process().net_connections(kind="inet")
        listening = [each.laddr for each in sockets if each.status == psutil.CONN_LISTEN]
    assert all(address.ip in ("127.0.0.1", "::1") for address in listening)
    assert 8787 not in {address.port for address in listening}


def test_few_files_are_with_the_scheduler_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_many(tmp_path / "in", 40)
    (tmp_path / "out").mkdir()
    tasks = tasks_of(planned("simulate", SHORT), tmp_path / "in", tmp_path / "out")
    monkeypatch.setattr(clusters, "LARGEST_BUNDLE", 3)
    taken = 0

    def counted():
        nonlocal taken
        for task in tasks:
            taken += 1
            yield task

    with connected("local", jobs=2) as client:
        entries = ClusterPool(client, Setup(perform)).run(counted())
        for finished, entry in enumerate(entries, start=1):
            assert entry.ok
            # The window is refilled before the files of a bundle that is done are reported.
            assert taken <= finished + 2 + 2 * PER_THREAD * 3
    assert taken == 40


def test_a_cluster_that_does_not_respond_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "CONNECT", "1s")
    with (
        pytest.raises(FileError, match="no cluster responds there"),
        connected("tcp://127.0.0.1:9", jobs=1),
    ):
        pass


def test_a_cluster_behind_tls_answers_those_who_prove_themselves(tmp_path: Path) -> None:
    tls, security = secured(tmp_path)
    write_many(tmp_path / "in", 3)
    with cluster(tmp_path, *security, workers=["host1"]) as running:
        url = running.url
        assert url.startswith("tls://127.0.0.1:")
        call = ["batch", "simulate", tmp_path / "in", "--out-dir", tmp_path / "out"]
        call += ["--seconds", "0.1", "--cluster", url, "--tls-key", tls.key]
        call += ["--tls-ca", tls.ca, "--tls-cert", tls.cert]
        result = run_ligament(*call)
        assert result.exit_code == 0, result.output
        assert "done            3" in result.stdout
        with pytest.raises(FileError, match="no cluster responds"), connected(url, jobs=1):
            pass


def test_invalid_tls_files_are_reported(tmp_path: Path) -> None:
    (tmp_path / "x.pem").write_text("nonsense")
    path = str(tmp_path / "x.pem")
    with (
        pytest.raises(FileError, match="no cluster responds there"),
        connected("tls://127.0.0.1:9", jobs=1, tls=Tls(path, path, path)),
    ):
        pass


def test_worlds_are_shared_among_the_workers_of_a_cluster(tmp_path: Path) -> None:
    door = next(file for file in assets() if file.name == "door.glb")
    rules = tmp_path / "spin.toml"
    rules.write_text(
        '[[vary]]\nquantity = "angular_velocity"\nnodes = "Door"\ndistribution = "uniform"\n'
        "min = [0, 1, 0]\nmax = [0, 4, 0]\n"
    )
    command = ["worlds", str(door), "--vary", str(rules), "--count", "6", "--seconds", "0.2"]
    command += ["--rate", "30", "--quiet"]
    here, there = tmp_path / "here" / "door.npz", tmp_path / "there" / "door.npz"
    for path in (here, there):
        path.parent.mkdir()
    assert run_ligament(*command, "--out", str(here), "--jobs", "1").exit_code == 0
    with cluster(tmp_path) as running:
        call = [*command, "--out", str(there), "--cluster", running.url]
        result = run_ligament(*call)
    assert result.exit_code == 0, result.output
    assert there.read_bytes() == here.read_bytes()
    assert [file.name for file in there.parent.iterdir()] == ["door.npz"]

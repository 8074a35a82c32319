"""A real Dask cluster on loopback: a scheduler and workers, each on a host of its own name."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from ligament.jobs.connection import Tls

ROOT = Path(__file__).parents[2]

NO_LIGAMENT = "import sys; sys.modules['ligament'] = None"
OLD_LIGAMENT = "import ligament; ligament.__version__ = '0.0.1'"


@dataclasses.dataclass(frozen=True)
class Place:
    """Where a host runs: its address, and the words of a command that enters it."""

    address: str = "127.0.0.1"
    enter: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Running:
    """The scheduler's address, its process and those of the workers."""

    url: str
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]]


@contextlib.contextmanager
def cluster(
    folder: Path,
    *security: str,
    workers: Sequence[str] = ("host1", "host2"),
    threads: int = 1,
    preload: Mapping[str, str] | None = None,
    homes: Mapping[str, Path] | None = None,
    dashboard: bool = False,
    places: Mapping[str, Place] | None = None,
) -> Iterator[Running]:
    """Start a scheduler and a worker for each host name.

    `preload` is Python that a host runs first ("scheduler" is one, too), `homes` are the folders
    in which hosts are started, and `places` the machines.
    """
    address, preload, homes = folder / "scheduler.json", preload or {}, homes or {}
    places = places or {}
    page = ("--dashboard-address", "127.0.0.1:0") if dashboard else ("--no-dashboard",)
    shared = (*page, *security)
    address.unlink(missing_ok=True)  # of an earlier cluster
    with contextlib.ExitStack() as stack:

        def start(module: str, host: str, *arguments: str) -> subprocess.Popen[bytes]:
            script = folder / f"{host}.py"
            name = f"import socket; socket.gethostname = lambda: {host!r}"
            script.write_text(f"{name}\n{preload.get(host, '')}\n")
            place = places.get(host, Place())
            given = ("--host", place.address, *shared, *arguments, "--preload", str(script))
            log, home = folder / f"{host}.log", homes.get(host, ROOT)
            command = (*place.enter, sys.executable, "-m", f"distributed.cli.{module}", *given)
            return stack.enter_context(_process(*command, log=log, home=home))

        ports = ("--port", "0", "--scheduler-file", str(address))
        scheduler = start("dask_scheduler", "scheduler", *ports)
        url = _address(address, scheduler)
        options = (url, "--no-nanny", "--nthreads", str(threads), "--nworkers", "1")
        started = [start("dask_worker", host, *options) for host in workers]
        yield Running(url, scheduler, started)


def secured(folder: Path) -> tuple[Tls, tuple[str, ...]]:
    """Make certificates; return those of a client, and the arguments of a cluster behind them."""
    if shutil.which("openssl") is None:
        pytest.skip("certificates are made with openssl")
    key, certificate = str(folder / "key.pem"), str(folder / "cert.pem")
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"),
            *("-subj", "/CN=localhost", "-keyout", key, "-out", certificate),
        ],
        check=True,
        capture_output=True,
        timeout=60,
    )
    files = ("--tls-ca-file", certificate, "--tls-cert", certificate, "--tls-key", key)
    return Tls(certificate, certificate, key), (*files, "--protocol", "tls")


def _address(file: Path, scheduler: subprocess.Popen[bytes]) -> str:
    """Wait for the file that the scheduler writes."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and scheduler.poll() is None:
        with contextlib.suppress(OSError, ValueError):  # not there yet, or not complete
            return str(json.loads(file.read_text())["address"])
        time.sleep(0.05)
    raise AssertionError("the scheduler has not started")


@contextlib.contextmanager
def _process(*command: str, log: Path, home: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program of Dask until the block is left."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
    with open(log, "wb") as stream:
        started = subprocess.Popen(command, cwd=home, env=environment, stdout=stream, stderr=stream)
    try:
        yield started
    finally:
        started.kill()
        started.wait(timeout=30)

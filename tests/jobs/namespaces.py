"""Machines of a cluster as network namespaces, each with a link and mounts of its own."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.jobs.dask_cluster import Place

NETWORK = "198.18.77"
"""Of the addresses that are reserved for benchmarks, so that no other network has them."""


def _run(*words: str) -> None:
    subprocess.run(words, check=True, capture_output=True, text=True, timeout=30)


@dataclass(frozen=True)
class Network:
    """Namespaces by the names of hosts, joined by a bridge that has the address `client`."""

    places: dict[str, Place]
    client: str
    _links: dict[str, str]

    def cut(self, host: str) -> None:
        """Take the cable out: packets are lost, and no side gets word of it."""
        _run("ip", "link", "set", self._links[host], "down")

    def join(self, host: str) -> None:
        """Put the cable in again."""
        _run("ip", "link", "set", self._links[host], "up")

    @staticmethod
    def mount(process: subprocess.Popen[bytes], *words: str) -> None:
        """Run `mount` on the host of a process."""
        _run("nsenter", f"--mount=/proc/{process.pid}/ns/mnt", "mount", *words)


@contextlib.contextmanager
def network(hosts: Sequence[str]) -> Iterator[Network]:
    """Make a namespace for each host; skip the test where the system does not allow it."""
    tag = f"lg{os.getpid() % 100_000}"
    bridge = f"{tag}br"
    links = {host: f"{tag}v{number}" for number, host in enumerate(hosts)}
    spaces = {host: f"{tag}n{number}" for number, host in enumerate(hosts)}
    try:
        _require_tools()
        _make_bridge(bridge)
        for number, host in enumerate(hosts, start=2):
            _add_host(spaces[host], links[host], bridge, f"{NETWORK}.{number}")
    except (OSError, subprocess.SubprocessError) as fault:
        _remove([bridge, *links.values()], spaces.values())
        said = getattr(fault, "stderr", None) or fault
        pytest.skip(f"network namespaces cannot be made here: {str(said).strip()}")
    places = {
        host: Place(
            f"{NETWORK}.{number}",
            ("nsenter", f"--net=/run/netns/{spaces[host]}", "unshare", "--mount"),
        )
        for number, host in enumerate(hosts, start=2)
    }
    try:
        yield Network(places, f"{NETWORK}.1", links)
    finally:
        _remove([bridge, *links.values()], spaces.values())


def _require_tools() -> None:
    missing = [name for name in ("ip", "nsenter", "unshare", "mount") if not shutil.which(name)]
    if missing:
        raise OSError(f"there is no {', '.join(missing)}")


def _make_bridge(bridge: str) -> None:
    _run("ip", "link", "add", bridge, "type", "bridge")
    _run("ip", "address", "add", f"{NETWORK}.1/24", "dev", bridge)
    _run("ip", "link", "set", bridge, "up")


def _add_host(space: str, link: str, bridge: str, address: str) -> None:
    _run("ip", "netns", "add", space)
    peer = ("peer", "name", "eth0", "netns", space)
    _run("ip", "link", "add", link, "type", "veth", *peer)
    _run("ip", "link", "set", link, "master", bridge, "up")
    within = ("ip", "-n", space)
    _run(*within, "address", "add", f"{address}/24", "dev", "eth0")
    for name in ("eth0", "lo"):
        _run(*within, "link", "set", name, "up")


def _remove(links: Iterable[str], spaces: Iterable[str]) -> None:
    for link in links:  # which a namespace removes too, but later
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            _run("ip", "link", "delete", link)
    for space in spaces:
        if Path("/run/netns", space).exists():
            with contextlib.suppress(OSError, subprocess.SubprocessError):
                _run("ip", "netns", "delete", space)

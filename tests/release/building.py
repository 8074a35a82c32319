"""Wheels and source distributions, built as a release builds them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PLAYER = Path("ligament/viewer/static")


def source_tree(folder: Path) -> Path:
    """Copy the files that git tracks, or would track, with new times and permissions."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target)
    if (ROOT / PLAYER).is_dir():  # built once, and newer than its sources
        shutil.copytree(ROOT / PLAYER, folder / PLAYER, copy_function=shutil.copyfile)
    return folder


def build(tree: Path, target: str) -> Path:
    """Build a `wheel` or an `sdist` of a tree, and return the file."""
    out = tree / "dist" / target
    arguments = ["build", "--target", target, "--directory", str(out)]
    subprocess.run(
        [sys.executable, "-m", "hatchling", *arguments], cwd=tree, check=True, capture_output=True
    )
    (made,) = out.iterdir()
    return made

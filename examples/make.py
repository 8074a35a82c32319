"""Writes the example assets: python -m examples.make [FOLDER]."""

from __future__ import annotations

import sys
from pathlib import Path

import ligament as lg
from examples import avatar, scenes

ASSETS = {
    "door.glb": scenes.door,
    "rope.glb": scenes.rope,
    "stack.glb": scenes.stack,
    "gate.glb": scenes.gate,
    "avatar.vrm": avatar.avatar,
    "ponytail.vrm": avatar.ponytail,
    "child.vrm": avatar.child,
    "wave.vrma": avatar.motion,
    "dance.vrma": avatar.dancing,
}


def make(folder: Path) -> list[Path]:
    """Write every asset into a folder; returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name, build in ASSETS.items():
        files.append(folder / name)
        lg.save(build(), files[-1])
    return files


if __name__ == "__main__":
    target = (
        Path(sys.argv[1]) if len(sys.argv) > 1 else Path(lg.__file__).parent / "demo" / "assets"
    )
    for file in make(target):
        print(file)

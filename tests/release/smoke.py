"""A smoke test of every command, for any installed Ligament: `python -P smoke.py FOLDER`.

It needs the standard library alone, so that it runs where nothing but the wheel is installed.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

THROW = """
seed = 7

[[vary]]
quantity = "linear_velocity"
nodes = "*"
distribution = "uniform"
min = [-1.0, 0.0, -1.0]
max = [1.0, 2.0, 1.0]
"""

COMMANDS = {
    "demo": (0, "--out-dir .", "door.glb avatar.vrm wave.vrma stack.glb"),
    "info": (0, "door.glb", ""),
    "check": (0, "door.glb avatar.vrm", ""),
    "fix": (0, "door.glb -o fixed.glb", "fixed.glb"),
    "simulate": (0, "door.glb -o smoke.npz --seconds 0.5", "smoke.npz"),
    "bake": (0, "door.glb -o smoke.glb --seconds 0.5 --strip", "smoke.glb"),
    "retarget": (0, "wave.vrma --to avatar.vrm -o moving.glb", "moving.glb"),
    "convert": (0, "door.glb door.xml", "door.xml"),
    "equip": (0, "avatar.vrm -o equipped.glb --ragdoll", "equipped.glb"),
    "diff": (1, "door.glb smoke.glb", ""),
    "compare": (0, "smoke.npz smoke.npz", ""),
    "view": (0, "door.glb --html smoke.html --seconds 0.5", "smoke.html"),
    "batch": (0, "check door.glb stack.glb --out-dir checked --jobs 1", "checked"),
    "worlds": (
        0,
        "stack.glb --vary throw.toml --count 2 --seconds 0.1 --jobs 1 -o worlds.npz",
        "worlds.npz",
    ),
    "conformance": (0, "list", ""),
}
"""Command: exit status, arguments, and what it writes. `demo` makes the files of the others."""


def smoke(folder: Path, python: str = sys.executable) -> dict[str, str]:
    """Run every command in a folder, and return what went wrong, by command."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "throw.toml").write_text(THROW, encoding="utf-8")
    wrong = {}
    for command, (status, arguments, outputs) in COMMANDS.items():
        ran = subprocess.run(
            [python, "-P", "-m", "ligament", command, *arguments.split()],
            capture_output=True,
            text=True,
            cwd=folder,
            timeout=300,
            check=False,
        )
        missing = [name for name in outputs.split() if not (folder / name).exists()]
        if ran.returncode != status or missing or "Traceback" in ran.stderr:
            wrong[command] = f"status {ran.returncode}, missing {missing}: {ran.stderr}"
    return wrong


if __name__ == "__main__":
    found = smoke(Path(sys.argv[1]))
    for name, fault in found.items():
        print(f"{name}: {fault}")
    print(f"{len(COMMANDS) - len(found)} of {len(COMMANDS)} commands work")
    sys.exit(bool(found))

"""How the time of each command grows with each list of a file: `python -m benchmarks.growth`.

Every list grows tenfold, through every command, and the exponent of the time is printed where it
takes any: 1 is proportional, 2 the square. The exit status is 1 above `MOST`.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import math
import os
import resource
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.growing_files import LISTS, TEXTS
from ligament.demo import assets

MOST = 1.3
"""The largest exponent: n log n has 1.1 to 1.2 between these sizes."""

SHORT = 0.5
"""Seconds that a tenfold list must add for its exponent to mean something."""

FLOOR = 0.05
"""Least seconds for the smaller list: less is noise."""

PATIENCE = 60
"""CPU time [s] of one run."""

Arguments = Callable[[Path, Path], list[str]]


def _out(path: Path, suffix: str) -> str:
    return str(path.with_suffix(suffix))


def _avatar(path: Path) -> Path:
    """The avatar for a motion: the file itself, which grows, or the demo's for a .bvh file."""
    if path.suffix != ".bvh":
        return path
    return next(asset for asset in assets() if asset.name == "avatar.vrm")


COMMANDS: dict[str, Arguments] = {
    "info": lambda a, _: ["info", f"{a}"],
    "check": lambda a, _: ["check", f"{a}"],
    "check --fix": lambda a, o: ["check", f"{a}", "--fix", "-o", _out(o, ".gltf")],
    "simulate": lambda a, o: ["simulate", f"{a}", "--seconds", "0.05", "-o", _out(o, ".npz")],
    "bake": lambda a, o: ["bake", f"{a}", "--seconds", "0.05", "-o", _out(o, ".glb")],
    "convert": lambda a, o: ["convert", f"{a}", _out(o, ".glb")],
    "convert --to omi": lambda a, o: ["convert", f"{a}", _out(o, ".glb"), "--to", "omi"],
    "convert --to omi-2023": lambda a, o: ["convert", f"{a}", _out(o, ".glb"), "--to", "omi-2023"],
    "convert --to khr-2024-03": lambda a, o: [
        *("convert", f"{a}", _out(o, ".glb"), "--to", "khr-2024-03")
    ],
    "convert to MJCF": lambda a, o: ["convert", f"{a}", _out(o, ".xml")],
    "convert to USD": lambda a, o: ["convert", f"{a}", _out(o, ".usda")],
    "convert --normalize": lambda a, o: ["convert", f"{a}", _out(o, ".glb"), "--normalize"],
    "equip --auto": lambda a, o: ["equip", f"{a}", "--auto", "-o", _out(o, ".glb")],
    "equip --springs": lambda a, o: ["equip", f"{a}", "--springs", "-o", _out(o, ".glb")],
    "diff": lambda a, _: ["diff", f"{a}", f"{a}"],
    "diff with half": lambda a, _: ["diff", f"{a}", f"{a.with_suffix('.half.gltf')}"],
    "view": lambda a, o: ["view", f"{a}", "--html", _out(o, ".html"), "--seconds", "0.1"],
    "retarget": lambda a, o: ["retarget", f"{a}", "--to", f"{_avatar(a)}", "-o", _out(o, ".npz")],
    "compare": lambda a, _: ["compare", f"{a}", "--seconds", "0.05", "--nudge", "0"],
}


class Run(NamedTuple):
    """One run: CPU time [s], peak memory [MB], and how it ended if badly."""

    seconds: float
    megabytes: float
    fault: str = ""


def run(arguments: list[str]) -> Run:
    """Run a command in a process of its own that has everything imported."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        _perform(arguments, writing)
    os.close(writing)
    _, status, used = os.wait4(child, 0)
    with os.fdopen(reading, "rb") as stream:
        reported = stream.read().decode(errors="replace")
    if os.WIFSIGNALED(status):
        reported = f"ended by {signal.Signals(os.WTERMSIG(status)).name}"
    return Run(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, reported)


def _perform(arguments: list[str], writing: int) -> None:
    """Run the command line in this process, and end it; a traceback goes into the pipe."""
    from ligament.cli import app
    from ligament.errors import LigamentError

    resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE, PATIENCE))
    sys.argv = ["ligament", *arguments]
    silence = io.StringIO()
    try:
        with contextlib.redirect_stdout(silence), contextlib.redirect_stderr(silence):
            warnings.simplefilter("ignore")
            app.run(sys.argv[1:], is_supervised=False)
    except (SystemExit, LigamentError):
        pass
    except BaseException as fault:
        os.write(writing, f"{type(fault).__name__}: {fault}"[:200].encode(errors="replace"))
    finally:
        os._exit(0)


class Growth(NamedTuple):
    """How one command takes one list: its times at 1, n and 10 n, and what went wrong."""

    list: str
    command: str
    runs: tuple[Run, Run, Run]

    @property
    def exponent(self) -> float:
        """The power of the size that the time grows with; 0 where it takes next to none."""
        least, some, many = (each.seconds for each in self.runs)
        if many - least < SHORT:
            return 0.0
        return math.log10((many - least) / max(some - least, FLOOR))

    @property
    def fault(self) -> str:
        """How a run ended that ended badly."""
        return next((each.fault for each in self.runs if each.fault), "")


def grow(names: list[str], commands: list[str], size: int) -> Iterator[Growth]:
    """Measure lists of 1, `size` and ten times as many elements."""
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            paths = [_write(Path(folder), name, count) for count in (1, size, 10 * size)]
            for command in commands:
                found = Growth(name, command, _runs(command, paths))
                if found.exponent > MOST:  # once more, with more: little time is mostly noise
                    more = [_write(Path(folder), name, count * size) for count in (3, 30)]
                    again = Growth(name, command, _runs(command, [paths[0], *more], tries=3))
                    found = min(found, again, key=lambda growth: growth.exponent)
                yield found


def _runs(command: str, paths: Sequence[Path], tries: int = 1) -> tuple[Run, Run, Run]:
    """Run a command on three files, on the first, which takes the least time, several times."""
    first, *rest = (COMMANDS[command](path, path.with_name("out.x")) for path in paths)
    least = min((run(first) for _ in range(tries)), key=lambda each: each.seconds)
    some, many = map(run, rest)
    return least, some, many


def _write(folder: Path, name: str, count: int) -> Path:
    """Write a file, and one of half its length to compare it with."""
    stem = f"{name.replace(' ', '-')}-{count}"
    if name in TEXTS:
        suffix, make = TEXTS[name]
        path = folder / f"{stem}{suffix}"
        path.write_text(make(count))
        return path
    path = folder / f"{stem}.gltf"
    path.write_text(json.dumps(LISTS[name](count)))
    path.with_suffix(".half.gltf").write_text(json.dumps(LISTS[name](max(1, count // 2))))
    return path


def main() -> None:
    """Print the exponents of those that take time; the status is 1 where one is too large."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("--lists", nargs="*", default=[*LISTS, *TEXTS], metavar="LIST")
    parser.add_argument("--commands", nargs="*", default=[*COMMANDS], metavar="COMMAND")
    parser.add_argument("--size", type=int, default=300, help="the smaller number of elements")
    chosen = parser.parse_args()
    import_everything()
    worst = failures = total = 0.0
    for found in grow(chosen.lists, chosen.commands, chosen.size):
        total += 1
        is_bad = found.exponent > MOST or bool(found.fault)
        failures += is_bad
        worst = max(worst, found.exponent)
        if found.exponent or found.fault:
            times = " ".join(f"{each.seconds:8.3f}" for each in found.runs)
            line = f"{found.list:<30} {found.command:<26} {times} s {found.exponent:5.2f}"
            print(f"{line}{'  !' if is_bad else ''} {found.fault}".rstrip(), flush=True)
    print(f"{total:.0f} pairs, {failures:.0f} too steep, the worst exponent is {worst:.2f}")
    sys.exit(1 if failures else 0)


def import_everything() -> None:
    """Import what commands import when they run, so that no run pays for it."""
    for arguments in (["simulate", "x", "-o", "x.npz"],):
        run(arguments)
    import importlib

    names = "checker play baking conversion author author.diff viewer comparison summary repair"
    for name in names.split():
        importlib.import_module(f"ligament.{name}")
    importlib.import_module("ligament.physics.engines.rapier")


if __name__ == "__main__":
    main()

"""The engines that play a world, each in a fresh process, and the table of what they took."""

from __future__ import annotations

import dataclasses
import functools
import json
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import ligament as lg
from benchmarks import install
from benchmarks.harness import (
    ROOT,
    Answer,
    Findings,
    Ratio,
    Rounds,
    Unavailable,
    interleave,
    print_table,
    run_json,
)
from benchmarks.judging import Floats, read_poses
from benchmarks.mirror import mirror
from benchmarks.world import World
from benchmarks.world_files import write_gltf, write_plain

LIGAMENT, RAW, HAVOK, MUJOCO, BULLET = "Ligament", "rapier3d", "Havok", "MuJoCo", "PyBullet"
MOST_SUBSTEPS = 16
STARTUP = 60.0  # [s] that a process may take besides playing

RATIOS = ("time / Ligament's", "CPU time / Ligament's")

Verdict = dict[str, tuple[float, ...]]
Judge = Callable[[World, Floats], Verdict]


@dataclass(frozen=True)
class Contender:
    """An engine, and how it differs from what it does by itself, as far as it knows of that."""

    engine: str
    one_thread: bool = False
    iterations: int | None = None
    substeps: int | None = None

    @property
    def name(self) -> str:
        """Name in tables."""
        parts = [self.engine]
        if self.one_thread:
            parts.append("one thread")
        if self.iterations:
            parts.append(f"{self.iterations} iterations")
        if self.substeps:
            parts.append(f"{self.substeps} substep{'s' * (self.substeps > 1)}")
        return ", ".join(parts)


OURS = Contender(LIGAMENT)
OWN = (
    OURS,
    Contender(RAW),
    Contender(LIGAMENT, one_thread=True),
    Contender(RAW, one_thread=True),
)


@dataclass(frozen=True)
class Length:
    """How long to play: frames of 1/60 s, those before the clock runs, and a limit [s]."""

    frames: int
    skip: int = 0
    warm_up: int = 5
    limit: float = 60.0


class Course:
    """A world on disk, to be played by one engine after the other.

    `settings` tell how carefully Ligament chose to simulate it.
    """

    def __init__(self, world: World, length: Length, folder: Path) -> None:
        self.world, self.length, self.folder = world, length, folder
        self._gltf = write_gltf(world, folder / "world.gltf")
        self._plain = write_plain(world, folder / "world.json")
        simulation = lg.Simulation(lg.load(self._gltf))
        self.settings = {"substeps": simulation.substeps} | dataclasses.asdict(
            simulation.engine.settings
        )
        self._mirror = folder / "mirror.json"
        self._mirror.write_text(json.dumps(mirror(simulation)))
        self._substeps = 1

    def poses(self, name: str) -> Floats:
        """Last recording of a contender, (frames, moving bodies, 7)."""
        return read_poses(self._poses(name), self.world)

    def label(self, name: str) -> str:
        """The name of a contender for a table, with what had to be changed for it."""
        is_changed = name == MUJOCO and self._substeps > 1
        return f"{name}, {self._substeps} substeps" if is_changed else name

    def play(self, contender: Contender) -> Answer:
        """One run in a fresh process: seconds per step by clock and processor, and to build."""
        is_mujoco = contender == Contender(MUJOCO)
        answer = self._play_stably(contender) if is_mujoco else self._run(contender)
        if answer.get("resets"):
            raise Unavailable("blows up")
        if not np.isfinite(self.poses(contender.name)).all():
            raise Unavailable("its poses are not finite")
        extra = {"substeps": float(self._substeps)} if is_mujoco else {}
        step, cpu = (answer[key] / answer["frames"] for key in ("seconds", "cpu"))
        return {"step": step, "cpu": cpu, "build": answer["build"], **extra}

    def _poses(self, name: str) -> Path:
        return self.folder / f"{name}.poses"

    def _play_stably(self, contender: Contender) -> Any:
        """MuJoCo with as many substeps as it needs not to blow up."""
        while (answer := self._run(contender))["resets"]:
            if self._substeps == MOST_SUBSTEPS:
                raise Unavailable(f"blows up with {MOST_SUBSTEPS} substeps too")
            self._substeps *= 2
        return answer

    def _run(self, contender: Contender) -> Any:
        unless_said = self._substeps if contender.engine == MUJOCO else None
        request = dataclasses.asdict(self.length) | {
            "source": str(self._gltf),
            "world": str(self._plain),
            "mirror": str(self._mirror),
            "poses": str(self._poses(contender.name)),
            "iterations": contender.iterations,
            "substeps": contender.substeps or unless_said,
            "is_stiff": contender.substeps is not None,
        }
        env = {"RAYON_NUM_THREADS": "1"} if contender.one_thread else {}
        timeout = STARTUP + 3 * self.length.limit
        return run_engine(contender.engine, request, timeout=timeout, env=env)


def run_engine(
    engine: str, request: Mapping[str, Any], *, timeout: float, env: Mapping[str, str]
) -> Any:
    """The answer of an engine's program in peers/."""
    argument = json.dumps(request)
    if engine == HAVOK:
        script, home = install.LISTS / "engine_havok.mjs", install.node_peers()
        return run_json([install.node(), script, argument], timeout=timeout, cwd=home, env=env)
    command = [_interpreter(engine), install.LISTS / _SCRIPTS[engine], argument]
    env = {"PYTHONPATH": str(ROOT), **env} if engine == LIGAMENT else env
    # MuJoCo writes a log where it is.
    return run_json(command, timeout=timeout, cwd=Path(tempfile.gettempdir()), env=env)


_SCRIPTS = {
    LIGAMENT: "engine_ligament.py",
    RAW: "engine_rapier.py",
    MUJOCO: "engine_mujoco.py",
    BULLET: "engine_pybullet.py",
}


def _interpreter(engine: str) -> Path:
    if engine == MUJOCO:
        return install.mujoco()
    return install.pybullet() if engine == BULLET else Path(sys.executable)


@dataclass(frozen=True)
class Outcome:
    """Results of one world: steps per second, and the errors of each contender's poses."""

    rounds: Rounds
    verdicts: dict[str, Verdict]

    def speed(self, name: str, ours: str = OURS.name, by: str = "step") -> Ratio | None:
        """How many times the steps per second of a contender Ligament (`ours`) made.

        Counted by the clock, or by the processor (`by` "cpu"), which other programs disturb less.
        """
        own, other = (self.rounds.sample(each, by) for each in (ours, name))
        return other.over(own) if own and other else None


def compete(
    findings: Findings,
    course: Course,
    contenders: Sequence[Contender],
    judge: Judge,
    *,
    rounds: int,
) -> Outcome:
    """Has all contenders play a world, prints the table and keeps the figures."""
    title, names = course.world.name, [contender.name for contender in contenders]
    answers = interleave(
        title,
        {each.name: functools.partial(course.play, each) for each in contenders},
        rounds=rounds,
        budget=rounds * (STARTUP + course.length.limit),
    )
    verdicts = {name: judge(course.world, course.poses(name)) for name in answers.answers}
    outcome = Outcome(answers, verdicts)
    columns = list(next(iter(verdicts.values()), {}))
    headings = ["engine", "time per step", "steps/s", *RATIOS, *columns]
    print_table(_title(course), headings, [_row(course, outcome, n, columns) for n in names])
    findings.sections[title] = {
        **{name: {"runs": answers.answers[name], **verdicts[name]} for name in verdicts},
        **{name: {"missing": reason} for name, reason in answers.missing.items()},
        "settings": course.settings,
    }
    return outcome


def _title(course: Course) -> str:
    settings = course.settings
    chosen = f"{settings['substeps']} substeps of {settings['iterations']} iterations"
    return f"{course.world.name}: {course.length.frames} frames of 1/60 s (Ligament: {chosen})"


def _row(course: Course, outcome: Outcome, name: str, columns: Sequence[str]) -> list[str]:
    sample, label = outcome.rounds.sample(name, "step"), course.label(name)
    if sample is None:
        return [label, outcome.rounds.missing[name], *[""] * (1 + len(RATIOS) + len(columns))]
    ratios = [outcome.speed(name, by=by) for by in ("step", "cpu")]
    times = [ratio.text if ratio else "-" for ratio in ratios]
    figures = [_figures(outcome.verdicts[name][column]) for column in columns]
    return [label, sample.seconds, f"{1 / sample.median:,.0f}", *times, *figures]


def _figures(values: tuple[float, ...]) -> str:
    return " / ".join(f"{value:.3g}" for value in values)

"""Harness of all areas: child processes, interleaved rounds, ratios, tables, result files."""

from __future__ import annotations

import json
import math
import os
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

Answer = dict[str, float]

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent
RESULTS = FOLDER / "results"
console = Console(width=None if Console().is_terminal else 140, highlight=False)


class Unavailable(Exception):  # noqa: N818 - it names a state, not an error of the harness
    """A program could not be installed or run; the message is the one line that a table shows."""


@dataclass(frozen=True)
class Sample:
    """Repeated measurements of one quantity."""

    values: tuple[float, ...]

    @property
    def median(self) -> float:
        return median(self.values)

    def over(self, other: Sample) -> Ratio:
        """How many times the other this is, round by round: neighbours in time share its noise."""
        ratios = [mine / its for mine, its in zip(self.values, other.values, strict=False)]
        return Ratio(median(ratios), min(ratios), max(ratios))

    @property
    def seconds(self) -> str:
        """The median and the spread of a time [s], in milliseconds where it is short."""
        factor, unit = (1, "s") if self.median >= 1 else (1000, "ms")
        middle, low, high = (factor * v for v in (self.median, min(self.values), max(self.values)))
        return f"{middle:.4g} {unit} ({low:.4g} to {high:.4g}, n={len(self.values)})"


@dataclass(frozen=True)
class Ratio:
    """A ratio of two samples with its spread."""

    value: float
    low: float
    high: float

    @property
    def text(self) -> str:
        return f"{self.value:.2f}x ({self.low:.2f} to {self.high:.2f})"


@dataclass(frozen=True)
class Goal:
    """A bound that a measured figure should keep."""

    name: str
    value: float
    bound: float
    at_least: bool

    @property
    def met(self) -> bool:
        return self.value >= self.bound if self.at_least else self.value <= self.bound

    @property
    def text(self) -> str:
        sign = "at least" if self.at_least else "at most"
        verdict = "met" if self.met else "MISSED"
        return f"{verdict}: {self.name} is {self.value:.2f} ({sign} {self.bound:g})"


@dataclass
class Findings:
    """Results of one area: sections of plain JSON, and goals."""

    area: str
    sections: dict[str, Any] = field(default_factory=dict)
    goals: list[Goal] = field(default_factory=list)

    def finish(self) -> Path:
        """Prints the goals and writes everything to results/<area>.json."""
        for goal in self.goals:
            console.print(f"  {goal.text}", style="green" if goal.met else "bold red")
        RESULTS.mkdir(exist_ok=True)
        path = RESULTS / f"{self.area}.json"
        goals = [{**vars(goal), "met": goal.met} for goal in self.goals]
        path.write_text(json.dumps({**self.sections, "goals": goals}, indent=1) + "\n")
        return path


def run(
    argv: Sequence[str | Path],
    *,
    timeout: float,
    cwd: Path = ROOT,
    env: Mapping[str, str] | None = None,
) -> str:
    """Standard output of a child process, or Unavailable with the last line of what it said."""
    command = [str(part) for part in argv]
    try:
        done = subprocess.run(
            command,
            cwd=cwd,
            env={**os.environ, **(env or {})},
            timeout=timeout,
            capture_output=True,
            text=True,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Unavailable(f"no answer within {timeout:.0f} s") from None
    except OSError as error:
        raise Unavailable(str(error)) from None
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        lines = [line for line in said if "complete log" not in line] or ["no message"]
        raise Unavailable(f"status {done.returncode}, {lines[-1][:60]}")
    return done.stdout


def run_json(
    argv: Sequence[str | Path],
    *,
    timeout: float,
    cwd: Path = ROOT,
    env: Mapping[str, str] | None = None,
) -> Any:
    """The JSON on the last line of standard output; peers may print what they like before it."""
    lines = run(argv, timeout=timeout, cwd=cwd, env=env).strip().splitlines()
    try:
        return json.loads(lines[-1])
    except (IndexError, ValueError):
        raise Unavailable("the answer is not JSON") from None


@dataclass
class Rounds:
    """Answers of each contender by quantity, and why the others have none."""

    answers: dict[str, list[Answer]] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)

    def sample(self, name: str, *quantities: str) -> Sample | None:
        """The sum of the quantities in each round of one contender."""
        answers = self.answers.get(name)
        if not answers:
            return None
        return Sample(tuple(sum(answer[key] for key in quantities) for answer in answers))


def interleave(
    label: str, contenders: Mapping[str, Callable[[], Answer]], *, rounds: int, budget: float
) -> Rounds:
    """Runs the contenders in turn, so that a slow minute of the machine hits all of them.

    A contender sits out the rounds that would take it past `budget` [s], but runs at least once.
    """
    result = Rounds()
    spent = dict.fromkeys(contenders, 0.0)
    with console.status(label) as status:
        for turn in range(rounds):
            for name, measure in contenders.items():
                if name in result.missing or spent[name] * (1 + 1 / max(1, turn)) > budget:
                    continue
                status.update(f"{label}: round {turn + 1} of {rounds}, {name}")
                start = time.perf_counter()
                try:
                    result.answers.setdefault(name, []).append(measure())
                except Unavailable as reason:
                    result.missing[name] = str(reason)
                    result.answers.pop(name, None)
                spent[name] += time.perf_counter() - start
    return result


def fitted_exponent(sizes: Sequence[int], samples: Sequence[Sample | None]) -> float:
    """The power of the size that time grows with.

    The smallest size is left out, since its fixed costs would flatter the rest.
    """
    points = [(n, s.median) for n, s in zip(sizes, samples, strict=True) if s][1:]
    if len(points) < 2:
        return math.nan
    size, seconds = np.log(np.array(points)).T
    return float(np.polyfit(size, seconds, 1)[0])


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Prints a table whose first column is the name of what was measured."""
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, title_style="bold")
    for index, column in enumerate(columns):
        table.add_column(column, justify="left" if index == 0 else "right", overflow="fold")
    for row in rows:
        table.add_row(*row)
    console.print(table)

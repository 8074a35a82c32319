"""The conformance suite on several engines, as the page docs/scoreboard.md.

Usage: python -m benchmarks.scoreboard [COLUMN...]; reports of other columns are taken from the last
run, in build/scoreboard. The peer is installed from its registry the first time.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "scoreboard.md"
REPORTS = ROOT / "build" / "scoreboard"
PEERS = ROOT / "build" / "peers"
HAVOK = "1.3.14"
ADAPTER = "benchmarks/peers/conformance_havok.mjs"
NOT_RUN = "\N{EN DASH}"

Json = dict[str, Any]


@dataclass(frozen=True)
class Column:
    """A program on the board: its arguments for `ligament conformance run`, and what it lacks."""

    name: str
    title: str
    arguments: tuple[str, ...]
    without: tuple[str, ...] = ()


COLUMNS = (
    Column("rapier_exact", "Rapier, exact", ("--engine", "rapier", "--quality", "exact")),
    Column("rapier_fast", "Rapier, fast", ("--engine", "rapier", "--quality", "fast")),
    Column("mujoco_exact", "MuJoCo, exact", ("--engine", "mujoco", "--quality", "exact")),
    Column("mujoco_fast", "MuJoCo, fast", ("--engine", "mujoco", "--quality", "fast")),
    Column(
        "havok",
        f"Havok {HAVOK}",
        (
            "--command",
            f"node {ADAPTER} build/peers {{input}} {{output}} {{seconds}} {{rate}}",
        ),
        (
            "triggers",
            "animation",
            "pointers",
            "OMI_physics_body",
            "OMI_collider",
            "VRMC_node_constraint",
            "VRMC_springBone",
            "VRMC_vrm",
        ),
    ),
)

MARKS = {"pass": "pass", "fail": "**fail**", "not run": NOT_RUN}


def run(column: Column) -> None:
    """Run the suite on a column and keep its report."""
    if column.name == "havok":
        install_havok()
    left_out = [word for feature in column.without for word in ("--without", feature)]
    words = [sys.executable, "-m", "ligament", "conformance", "run", "--json", "--quiet"]
    ran = subprocess.run(
        [*words, *column.arguments, *left_out], cwd=ROOT, capture_output=True, check=False
    )
    if ran.returncode > 1:
        sys.exit(ran.stderr.decode())
    REPORTS.mkdir(parents=True, exist_ok=True)
    (REPORTS / f"{column.name}.json").write_bytes(ran.stdout)


def install_havok() -> None:
    """Install Havok's build for Node where it is not there."""
    if (PEERS / "node_modules" / "@babylonjs" / "havok").is_dir():
        return
    PEERS.mkdir(parents=True, exist_ok=True)
    package = {"private": True, "dependencies": {"@babylonjs/havok": HAVOK}}
    (PEERS / "package.json").write_text(json.dumps(package))
    npm = shutil.which("npm") or sys.exit("npm is missing")
    words = [npm, "install", "--no-audit", "--no-fund", "--silent"]
    subprocess.run(words, cwd=PEERS, check=True)


def reports() -> dict[str, dict[str, str]]:
    """Return the outcome of every case by column, for those that were run."""
    found = {}
    for column in COLUMNS:
        if not (REPORTS / f"{column.name}.json").is_file():
            continue
        report = json.loads((REPORTS / f"{column.name}.json").read_bytes())
        found[column.name] = {case["id"]: case["outcome"] for case in report["cases"]}
    return found


def cases() -> list[Json]:
    """Return all cases, in the order of the suite."""
    folder = ROOT / "conformance"
    names = json.loads((folder / "suite.json").read_bytes())["cases"]
    return [json.loads((folder / f"{name}.json").read_bytes()) for name in names]


def row(*cells: object) -> str:
    """Return a line of a table."""
    return f"| {' | '.join(map(str, cells))} |\n"


def share(outcomes: list[str]) -> str:
    """Return how many of the cases that were run pass."""
    counted = Counter(outcomes)
    judged = counted["pass"] + counted["fail"]
    return f"{counted['pass']} of {judged}" if judged else NOT_RUN


def page() -> str:
    """Return the page."""
    found, listed = reports(), cases()
    columns = [column for column in COLUMNS if column.name in found]
    titles = [column.title for column in columns]
    text = HEAD + row("", *titles) + row(*["-"] * (len(titles) + 1))
    tiers = dict.fromkeys(case["tier"] for case in listed)
    families = dict.fromkeys(case["id"].split("/")[0] for case in listed)
    groups = [(tier, [c["id"] for c in listed if c["tier"] == tier]) for tier in tiers]
    groups += [(f, [c["id"] for c in listed if c["id"].startswith(f"{f}/")]) for f in families]
    for name, ids in groups:
        shares = [share([found[column.name][i] for i in ids]) for column in columns]
        text += row(f"**{name}**" if name in tiers else name, *shares)
    text += f"\n{EXPLAINED.read_text(encoding='utf-8').strip()}\n\n## Every sentence\n\n"
    for family in families:
        text += f"### {family}\n\n" + row("sentence", *titles) + row(*["-"] * (len(titles) + 1))
        for case in (case for case in listed if case["id"].startswith(f"{family}/")):
            marks = [MARKS[found[column.name][case["id"]]] for column in columns]
            name = case["id"].split("/")[1]
            text += row(f"`{name}` {case['sentence']}", *marks)
        text += "\n"
    return text.rstrip() + "\n"


EXPLAINED = ROOT / "benchmarks" / "scoreboard.md"
"""Causes of disagreements, written by hand."""

HEAD = """\
# Scoreboard

Results of each engine for every sentence of the [conformance suite](conformance.md): cases that
pass of those that were run. Rapier and MuJoCo are played by Ligament at two qualities; Havok by a
thin adapter (`benchmarks/peers/conformance_havok.mjs`) that hands each member of a file to the
engine's nearest one, at one step per frame. Cases with
members that an adapter does not read are not run. Written by `python -m benchmarks.scoreboard`.

"""


def main(wanted: list[str]) -> None:
    """Run the columns that are wanted, or all, and write the page; "none" runs none."""
    for column in COLUMNS:
        if not wanted or column.name in wanted:
            run(column)
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])

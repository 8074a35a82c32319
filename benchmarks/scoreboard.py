"""The conformance suite on several engines, as the page docs/scoreboard.md.

Usage: python -m benchmarks.scoreboard [COLUMN | FAMILY...]; outcomes of other columns, and of other
families, stay as the page has them. Peers are installed from their registries the first time.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import install

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "scoreboard.md"
PEERS = ROOT / "build" / "peers"
HAVOK = "1.3.14"
PLAYERS = "benchmarks/peers"
PACE = "{seconds} {rate}"
UNREAD = (
    "pointers",
    "OMI_physics_body",
    "OMI_collider",
    "VRMC_node_constraint",
    "VRMC_springBone",
    "VRMC_vrm",
)
"""Features that no adapter of a peer reads."""

NOT_RUN = "\N{EN DASH}"

Json = dict[str, Any]


@dataclass(frozen=True)
class Column:
    """A program on the board: its arguments for `ligament conformance run`, and what it lacks.

    `command` installs another program and returns its command line.
    """

    name: str
    title: str
    arguments: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    command: Callable[[], str] | None = None


def havok() -> str:
    """Install Havok's build for Node; return the command that plays a case in it."""
    install_havok()
    return f"node {PLAYERS}/conformance_havok.mjs build/peers {{input}} {{output}} {PACE}"


def pybullet() -> str:
    """Install PyBullet; return the command that plays a case in it."""
    python = install.pybullet()
    return f"{python} {PLAYERS}/conformance_pybullet.py {{input}} {{output}} {PACE}"


COLUMNS = (
    Column("rapier_exact", "Rapier, exact", ("--engine", "rapier", "--quality", "exact")),
    Column("rapier_fast", "Rapier, fast", ("--engine", "rapier", "--quality", "fast")),
    Column("mujoco_exact", "MuJoCo, exact", ("--engine", "mujoco", "--quality", "exact")),
    Column("mujoco_fast", "MuJoCo, fast", ("--engine", "mujoco", "--quality", "fast")),
    Column(
        "havok",
        f"Havok {HAVOK}",
        without=(*UNREAD, "triggers", "animation"),
        command=havok,
    ),
    Column(
        "pybullet",
        "PyBullet 3.2.7",
        without=(*UNREAD, "triggers", "animation", "joints", "filters", "KHR_collision_shapes"),
        command=pybullet,
    ),
)

MARKS = {"pass": "pass", "fail": "**fail**", "not run": NOT_RUN}
ROW = re.compile(r"\| `(\w+)` .*? \| ((?:pass|\*\*fail\*\*|\u2013).*) \|$")


def run(column: Column, families: Sequence[str]) -> dict[str, str]:
    """Run the suite, or some families of it, on a column; return the outcome of every case."""
    options = [] if column.command is None else ["--command", column.command()]
    options += [word for feature in column.without for word in ("--without", feature)]
    options += [word for family in families for word in ("--only", f"{family}/")]
    words = [sys.executable, "-m", "ligament", "conformance", "run", "--json", "--quiet"]
    ran = subprocess.run(
        [*words, *column.arguments, *options], cwd=ROOT, capture_output=True, check=False
    )
    if ran.returncode > 1:
        sys.exit(ran.stderr.decode())
    return {case["id"]: case["outcome"] for case in json.loads(ran.stdout)["cases"]}


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


def marks() -> dict[str, dict[str, str]]:
    """Return the marks of every case that the page has, by its id and the titles of columns."""
    found: dict[str, dict[str, str]] = {}
    family, titles = "", [""]
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("### "):
            family = line[4:]
        elif line.startswith("| sentence |"):
            titles = line.strip("| ").split(" | ")[1:]
        elif row := ROW.match(line):
            found[f"{family}/{row[1]}"] = dict(zip(titles, row[2].split(" | "), strict=True))
    return found


def cases() -> list[Json]:
    """Return all cases, in the order of the suite."""
    folder = ROOT / "conformance"
    names = json.loads((folder / "suite.json").read_bytes())["cases"]
    return [json.loads((folder / f"{name}.json").read_bytes()) for name in names]


def row(*cells: object) -> str:
    """Return a line of a table."""
    return f"| {' | '.join(map(str, cells))} |\n"


def share(marked: Iterable[str]) -> str:
    """Return how many of the cases that were run pass."""
    counted = Counter(marked)
    judged = counted[MARKS["pass"]] + counted[MARKS["fail"]]
    return f"{counted[MARKS['pass']]} of {judged}" if judged else NOT_RUN


def page(marked: Mapping[str, Mapping[str, str]]) -> str:
    """Return the page for the marks of every case, by its id and the titles of columns."""
    listed, titles = cases(), [column.title for column in COLUMNS]
    text = HEAD + row("", *titles) + row(*["-"] * (len(titles) + 1))
    tiers = dict.fromkeys(case["tier"] for case in listed)
    families = dict.fromkeys(case["id"].split("/")[0] for case in listed)
    groups = [(tier, [c["id"] for c in listed if c["tier"] == tier]) for tier in tiers]
    groups += [(f, [c["id"] for c in listed if c["id"].startswith(f"{f}/")]) for f in families]
    for name, ids in groups:
        shares = [share(marked.get(i, {}).get(title, NOT_RUN) for i in ids) for title in titles]
        text += row(f"**{name}**" if name in tiers else name, *shares)
    text += f"\n{EXPLAINED.read_text(encoding='utf-8').strip()}\n\n## Every sentence\n\n"
    for family in families:
        text += f"### {family}\n\n" + row("sentence", *titles) + row(*["-"] * (len(titles) + 1))
        for case in (case for case in listed if case["id"].startswith(f"{family}/")):
            cells = [marked.get(case["id"], {}).get(title, NOT_RUN) for title in titles]
            text += row(f"`{case['id'].split('/')[1]}` {case['sentence']}", *cells)
        text += "\n"
    return text.rstrip() + "\n"


EXPLAINED = ROOT / "benchmarks" / "scoreboard.md"
"""Causes of disagreements, written by hand."""

HEAD = """\
# Scoreboard

Results of each engine for every sentence of the [conformance suite](conformance.md): cases that
pass of those that were run. Rapier and MuJoCo are played by Ligament at two qualities; Havok and
PyBullet by thin adapters (`benchmarks/peers/conformance_*`) that hand each member of a file to the
engine's nearest one, at one step per frame. Cases with members that an adapter does not read are
not run; PyBullet's constraints between bodies have no limits and no motors, so it runs none with
joints. Newton 1.8 has no adapter yet: it installs and runs on a processor, but compiles its solvers
for a minute at the first run, and takes seconds to start for every case.
Written by `python -m benchmarks.scoreboard`.

"""


def main(wanted: list[str]) -> None:
    """Run columns and families, by default all, and write the page; "none" runs none."""
    names = [column.name for column in COLUMNS]
    families = [word for word in wanted if word not in (*names, "none")]
    chosen = [word for word in wanted if word in (*names, "none")] or names
    marked = marks()
    for column in (column for column in COLUMNS if column.name in chosen):
        for name, outcome in run(column, families).items():
            marked.setdefault(name, {})[column.title] = MARKS[outcome]
    PAGE.write_text(page(marked), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])

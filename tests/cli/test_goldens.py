"""Outputs of every command on the tour's files: help, JSON, messages, exit statuses.

`python -m tests.cli.test_goldens` rewrites goldens.jsonl: a call on each line.
"""

from __future__ import annotations

import json
import math
import re
import shlex
import tempfile
from pathlib import Path
from typing import Any

import pytest

from ligament.demo import assets
from ligament.operations import OPERATIONS
from tests.cli.command import ligament

GOLDENS = Path(__file__).with_name("goldens.jsonl")
DIGITS = 3
"""Significant digits of numbers in JSON; they agree to 1 %: engines round as their machine does."""

VARYING = frozenset({"seconds", "digest", "sha256", "size", "version"})
"""Members of JSON that differ from run to run, from machine to machine or between releases."""

RULES = '[[vary]]\nquantity = "mass"\nnodes = "Door"\ndistribution = "constant"\nvalue = 20\n'

CALLS = (
    "--help",
    *(f"{command} --help" for command in OPERATIONS),
    *(f"info {asset.name} --json" for asset in assets()),
    f"check {' '.join(asset.name for asset in assets())} --format json",
    "check avatar.vrm --fail-on warning",
    "check avatar.vrm missing.glb --format json",
    "fix avatar.vrm -o fixed.vrm --json",
    "simulate door.glb -o one.npz --seconds 1 --events one.events.json",
    "simulate door.glb -o two.json --seconds 1 --quality fast",
    "bake rope.glb -o rope.baked.glb --seconds 1",
    "retarget wave.vrma --to avatar.vrm -o waving.vrm",
    "retarget wave.vrma --to door.glb -o waving.glb",
    "convert door.glb omi.glb --to omi --json",
    "convert rope.glb rope.xml --losses rope.json --json",
    "convert gate.glb strict.glb --to omi-2023 --strict",
    "equip child.vrm -o equipped.vrm --ragdoll --json",
    "diff door.glb gate.glb --json",
    "diff door.glb door.glb",
    "compare one.npz two.json --json",
    "batch simulate door.glb rope.glb --out-dir batch --jobs 1 --json -- --seconds 0.1",
    "batch simulate door.glb fixed.txt --out-dir batch --jobs 1 --json -- --seconds 0.1",
    "worlds door.glb --vary rules.toml --count 2 --seconds 0.1 -o worlds.npz --jobs 1 --json",
    "conformance list --only hinge",
    "info missing.glb",
    "info rules.toml",
    "simulate door.glb -o door.txt",
    "simulate door.glb -o door.npz --rate 0",
    "simulate door.glb -o door.npz --rate fast",
    "simulate door.glb -o door.npz --engine bullet",
    "convert door.glb other.glb --to khrr",
    "view door.glb --png door.txt",
    "simulat door.glb",
)
"""Calls in one folder, one after the other: some read what others wrote."""


def prepare(folder: Path) -> None:
    """Put the files of the tour into a folder."""
    for asset in assets():
        (folder / asset.name).write_bytes(asset.read_bytes())
    (folder / "rules.toml").write_text(RULES)
    (folder / "fixed.txt").write_text("not glTF")


def outcome(call: str, folder: Path) -> dict[str, Any]:
    """Run a call and return its outcome, in a form that does not depend on the width of lines."""
    run = ligament(*shlex.split(call), cwd=folder)
    try:
        out = lasting(json.loads(run.stdout))
    except ValueError:
        out = [" ".join(part.split()) for part in run.stdout.split("\n\n") if part.strip()]
    text = re.sub(r"\d+\.\d+ s\b", "… s", run.stderr.replace(f"{folder}/", ""))
    return {"call": call, "status": run.returncode, "out": out, "err": text.splitlines()}


def lasting(value: Any) -> Any:
    """Return a JSON value without what varies, its numbers rounded."""
    if isinstance(value, float) and math.isfinite(value):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, list):
        return [lasting(each) for each in value]
    if isinstance(value, dict):
        return {name: lasting(value[name]) for name in value.keys() - VARYING}
    return value


def is_alike(one: Any, other: Any) -> bool:
    """Tell whether two JSON values are equal but for the rounding of their numbers."""
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=0.01, abs_tol=1e-5)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_alike, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_alike(one[k], other[k]) for k in one)
    return bool(one == other)


@pytest.fixture(scope="module")
def goldens() -> dict[str, Any]:
    lines = GOLDENS.read_text(encoding="utf-8").splitlines()
    return {golden["call"]: golden for golden in map(json.loads, lines)}


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("goldens")
    prepare(folder)
    return {call: outcome(call, folder) for call in CALLS}


@pytest.mark.parametrize("call", CALLS)
def test_the_outcome_of_a_call_is_as_before(
    call: str, outcomes: dict[str, Any], goldens: dict[str, Any]
) -> None:
    found, golden = outcomes[call], goldens[call]
    assert is_alike(found, golden) or found == golden


def test_no_golden_is_left_over(goldens: dict[str, Any]) -> None:
    assert [*goldens] == [*CALLS]


def main() -> None:
    """Write the file of goldens."""
    with tempfile.TemporaryDirectory() as name, GOLDENS.open("w", encoding="utf-8") as stream:
        prepare(Path(name))
        for call in CALLS:
            json.dump(outcome(call, Path(name)), stream, ensure_ascii=False, sort_keys=True)
            stream.write("\n")


if __name__ == "__main__":
    main()

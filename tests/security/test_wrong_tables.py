"""A value of a wrong type at every member of every other input: read, or refused in one line."""

from __future__ import annotations

import json
import random
import tempfile
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ligament as lg
from ligament.conformance.build import all_cases, contents
from ligament.demo import assets
from ligament.errors import LigamentError, LigamentWarning
from ligament.jobs.report import read_manifest
from ligament.worlds.simulator import WorldSimulator, WorldsOptions
from ligament.worlds.variations.rules import read_variations
from tests.author.test_plan import bare_door
from tests.sampling import IS_SOAK, sample
from tests.security.wrong_types import VALUES, changed, fault_of, places

ASSET = {path.stem: str(path) for path in assets()}
JOINED = {"a": "Frame", "b": "Door", "at": [0, 1, 0]}

PLAN: dict[str, Any] = {
    "materials": {"rubber": {"friction": 0.9, "restitution": 0.6}},
    "filters": {"doors": {"systems": ["doors"], "not_collide_with": ["walls"]}},
    "node": [{"name": "Sensor", "parent": "Frame", "translation": [0, 1, 0]}],
    "collider": [
        {"node": "Frame", "shape": "box", "size": [0.1, 2.1, 0.1], "filter": "doors"},
        {"node": "Ground", "shape": "plane", "size_x": 9, "size_z": 9, "double_sided": True},
    ],
    "body": [
        {"node": "Door", "mass": 25, "collider": "box", "material": "rubber"},
        {"node": "Ball", "collider": {"shape": "sphere", "radius": 0.3}, "gravity_factor": 1},
        {"node": "Arrow", "collider": {"shape": "hull", "max_points": 8, "tolerance": 0.1}},
    ],
    "trigger": [
        {"node": "Sensor", "shape": "capsule", "height": 1, "radius_bottom": 1, "radius_top": 0.2}
    ],
    "joint": [
        {"type": "hinge", "axis": "y", "limits": [-1, 1], "motor": {"target": 0}, **JOINED},
        {"type": "distance", "a": "Ball", "at": "Ball", "to": [4, 3, 0], "max": 2.5},
        {"type": "spring", "a": "Arrow", "b": "Ball", "stiffness": 10, "damping": 1},
    ],
    "constraint": [{"node": "Arrow", "kind": "aim", "source": "Ball", "axis": "PositiveZ"}],
    "spring_collider": [{"node": "Ball", "radius": 0.1, "offset": [0, 0, 0], "group": "body"}],
    "spring": [{"joints": ["Ground"], "stiffness": 1, "groups": ["body"], "gravity": [0, -1, 0]}],
    "humanoid": {"bones": {"hips": "Frame", "spine": "Door"}},
}
RULES: dict[str, Any] = {
    "seed": 1,
    "vary": [
        {"quantity": "mass", "nodes": ["Door"], "distribution": "uniform", "min": 1, "max": 2},
        {
            "quantity": "angular_velocity",
            "nodes": "D*",
            "distribution": "normal",
            "mean": [0, 1, 0],
            "std": 0.1,
            "min": -9,
            "max": 9,
            "shared": True,
        },
        {"quantity": "friction", "nodes": [0], "distribution": "choice", "values": [0.1, 0.2]},
        {"quantity": "gravity", "distribution": "constant", "value": [0, -9, 0], "apply": "set"},
        {"quantity": "drive_velocity", "nodes": "Gate", "distribution": "constant", "value": 1},
    ],
}
TASK: dict[str, Any] = {
    "action": [{"kind": "torque", "nodes": "Door", "min": -1, "max": 1, "axes": "y"}],
    "observe": [
        {"kind": "rotation", "nodes": ["Door"], "name": "turn", "axes": "y", "min": -1, "max": 1},
        {"kind": "limit_value", "nodes": 0, "limit": 0, "hidden": True, "name": "angle"},
    ],
    "reward": "1 - abs(turn)",
    "terminated": "turn > 0.9",
    "steps": 5,
    "frames": 1,
    "vary": RULES["vary"][:1],
}
BONES = {"bones": {"hips": "Hips", "spine": "Spine", "jaw": ""}}
SETTINGS = {
    "check": {
        "ignore": ["HUMANOID_TPOSE"],
        "fail-on": "warning",
        "severity": {"VRMA_INTERPOLATION": "error"},
        "files": {"**": {"fail-on": "never", "ignore": [], "severity": {}}},
    }
}
EVENTS = [
    {"time": 0.05, "type": "trigger_enter", "trigger": 1, "collider": 0, "body": 0},
    {"time": 0.1, "type": "contact_begin", "trigger": None, "collider": 0, "body": None}
    | {"other_collider": 1, "other_body": 1},
]


def played_as_json() -> Any:
    """Return a short recording of the door as `ligament simulate -o FILE.json` writes it."""
    with tempfile.TemporaryDirectory() as folder:
        PLAYED.save(Path(folder) / "door.json")
        return json.loads((Path(folder) / "door.json").read_bytes())


PLAYED = lg.simulate(ASSET["door"], seconds=0.1, rate=20)
RECORDING = played_as_json()
CASE = all_cases()[0]
EQUIP = ("equip", "HERE/bare.glb", "--quiet")
RETARGET = ("retarget", ASSET["wave"], "--to", ASSET["avatar"], "--quiet")

Step = Callable[[Path, Any], str]


def command(*words: object, name: str = "in.json") -> Step:
    """Return a step that writes the input and runs a command on it; HERE is its folder."""

    def run(folder: Path, content: Any) -> str:
        (folder / name).write_text(json.dumps(content))
        return fault_of([str(word).replace("HERE", str(folder)) for word in words])[0]

    return run


def call(function: Callable[[Any], object]) -> Step:
    """Return a step that calls a function with the input."""

    def run(folder: Path, content: Any) -> str:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", LigamentWarning)
            try:
                function(content)
            except LigamentError as refusal:
                return "" if len(str(refusal)) <= 2000 else str(refusal)
            except Exception:
                return traceback.format_exc()
        return ""

    return run


def play_a_world(rules: Any) -> None:
    read = read_variations(rules)
    options = WorldsOptions(variations=read.plain, seed=1, seconds=0.05)
    WorldSimulator(ASSET["door"], options, read).play(0)


def act(task: Any) -> None:
    from ligament.envs import VectorEnv

    env = VectorEnv(ASSET["door"], task, 2)
    env.reset(seed=1)
    env.step(env.action_space.sample())
    env.close()


COMPARED = ["HERE/whole.npz", "HERE/in.json", "--file", ASSET["door"], "--quiet"]

INPUTS: dict[str, tuple[Any, list[Step]]] = {
    "plan": (
        PLAN,
        [command("equip", "HERE/bare.glb", "--plan", "HERE/in.json", "-o", "HERE/o.glb")],
    ),
    "rules": (RULES, [call(play_a_world)]),
    "task": (TASK, [call(act)]),
    "bones": (BONES, [command(*RETARGET, "-o", "HERE/o.npz", "--bones", "HERE/in.json")]),
    "settings": (SETTINGS, [command("check", ASSET["door"], "--config", "HERE/in.json")]),
    "recording": (
        RECORDING,
        [
            command("info", "HERE/in.json"),
            command("compare", "HERE/in.json", "HERE/whole.npz", "--json"),
            command("compare", *COMPARED, "--html", "HERE/o.html"),
            command("compare", *COMPARED, "--plot", "HERE/o.svg"),
        ],
    ),
    "events": (
        EVENTS,
        [
            command("info", "HERE/whole.npz", name="whole.events.json"),
            command("compare", "HERE/whole.npz", "HERE/other.npz", name="whole.events.json"),
            command("compare", *COMPARED, "--html", "HERE/o.html", name="whole.events.json"),
        ],
    ),
    "case": (
        CASE.to_dict(),
        [command("conformance", "run", "--suite", "HERE", "--jobs", "1", name=f"{CASE.id}.json")],
    ),
    "suite": (
        {"version": "1", "cases": [CASE.id]},
        [command("conformance", "list", "--suite", "HERE", name="suite.json")],
    ),
}

CASES = [(name, path) for name, (content, _) in INPUTS.items() for path in ((), *places(content))]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What the commands read besides the input."""
    lg.save(bare_door(), tmp_path / "bare.glb")
    for name in ("whole.npz", "other.npz"):
        PLAYED.save(tmp_path / name)
    (tmp_path / "in.json").write_text(json.dumps(RECORDING))
    for path, data in contents([CASE]):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(data)
    return tmp_path


@pytest.mark.parametrize(("name", "path"), sample(CASES, 30), ids=str)
def test_wrong_types_are_read_or_refused(
    folder: Path, name: str, path: tuple[str | int, ...]
) -> None:
    content, steps = INPUTS[name]
    order = random.Random(f"{name} {path}")
    for value in VALUES if IS_SOAK else order.sample(VALUES, 3):
        for step in steps if IS_SOAK else order.sample(steps, 1):
            fault = step(folder, changed(content, path, value) if path else value)
            place = "/".join(map(str, path))
            assert not fault, f"{value!r} at /{place} of a {name}: {fault}"


ENDED_BADLY: list[tuple[str, Any, object]] = [
    ("events", (0, "body"), 2**32),
    ("events", (1, "other_body"), 2**64),
    ("events", (0, "trigger"), -1),
    ("case", ("features", 0), {}),
    ("case", ("features",), [[]]),
    ("case", ("id",), "\0"),
    ("case", ("run", "file"), "\0"),
    ("case", ("run", "rate"), 1e-320),
    ("case", ("run", "gravity", 0), 10**400),
    ("case", ("checks", 0, "expected", 0), 10**400),
    ("case", ("checks", 0, "signal", "axis", 1), 1e308),
]
"""Values that once ended in a traceback or in a warning of NumPy."""


@pytest.mark.parametrize(("name", "path", "value"), ENDED_BADLY, ids=str)
def test_values_that_ended_in_a_traceback(
    folder: Path, name: str, path: tuple[str | int, ...], value: object
) -> None:
    content, steps = INPUTS[name]
    assert not any(step(folder, changed(content, path, value)) for step in steps)


def test_inputs_are_valid_before_they_are_changed(folder: Path) -> None:
    for name, (content, steps) in INPUTS.items():
        for step in steps:
            assert not step(folder, content), name
            assert step(folder, {"a": [1]}) == "", name


def test_lines_of_a_manifest_with_wrong_types_are_skipped(tmp_path: Path) -> None:
    asset = Path(ASSET["door"])
    assert lg.batch("check", asset, tmp_path / "out", jobs=1).ok
    manifest = tmp_path / "out" / "manifest.jsonl"
    entry = json.loads(manifest.read_bytes())
    lines = [json.dumps(changed(entry, p, v)) for p in places(entry) for v in VALUES]
    hostile = [*lines, "[" * 100_000, '"\\ud800"', "null", "\xff"]
    manifest.write_bytes("\n".join(hostile).encode("latin-1"))
    assert len(list(read_manifest(manifest))) < len(hostile)
    report = lg.batch("check", asset, tmp_path / "out", jobs=1, resume=True)
    assert [entry.reason for entry in report] == [None]

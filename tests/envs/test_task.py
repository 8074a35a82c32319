"""Tasks are read from TOML, and what is wrong with one is reported with its place."""

from __future__ import annotations

import copy
import dataclasses
import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament.envs import Action, Observation, VectorEnv, read_task
from ligament.envs.expressions import parse
from ligament.errors import ContentError, FormatError, MissingExtraError
from ligament.extensions.shapes import Box, Sphere
from tests.envs.scenes import QUICK, balance, cart, envs

TOML = """
steps = 20
reward = "1 - abs(lean) - 0.1 * abs(place)"
terminated = "abs(lean) > 0.2"

[[action]]
kind = "drive_velocity"
nodes = "Rail"
min = -3
max = 3

[[observe]]
kind = "translation"
nodes = "Cart"
axes = "x"
name = "place"

[[observe]]
kind = "linear_velocity"
nodes = "Cart"
axes = "x"

[[observe]]
kind = "rotation"
nodes = "Pole"
axes = "z"
name = "lean"

[[observe]]
kind = "angular_velocity"
nodes = "Pole"
axes = "z"

[[vary]]
quantity = "angular_velocity"
nodes = "Pole"
distribution = "uniform"
min = [0, 0, -0.5]
max = [0, 0, 0.5]
"""

PLAIN: dict[str, Any] = {
    "action": [{"kind": "drive_velocity", "nodes": "Rail", "min": -3.0, "max": 3.0}],
    "observe": [{"kind": "translation", "nodes": "Cart", "name": "place"}],
    "reward": "place[0]",
}


def test_a_task_in_toml_is_the_task_in_python(tmp_path: Path) -> None:
    (tmp_path / "balance.toml").write_text(TOML, encoding="utf-8")
    read = VectorEnv(cart(), tmp_path / "balance.toml", 2, **QUICK)
    made = envs(2)
    np.testing.assert_array_equal(read.reset(seed=1)[0], made.reset(seed=1)[0])
    for _ in range(3):
        for a, b in zip(read.step([[1], [-1]])[:4], made.step([[1], [-1]])[:4], strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("place", "value", "reported"),
    [
        ("action.0.kind", "push", r"action\[0\].kind"),
        ("action.0.min", "low", r"action\[0\].min"),
        ("action.0.min", 4, r"action\[0\]: found 4.0 to 3.0"),
        ("action.0.speed", 4, r"action\[0\].*speed"),
        ("action.0.axes", "xw", r"action\[0\].axes"),
        ("action.0.nodes", "Rial", r"action\[0\].nodes: no joint with a drive 0 .*Rail"),
        ("action.0.drive", 1, r"no joint with a drive 1"),
        ("action", [], "action"),
        ("observe.0.nodes", 99, r"observe\[0\].nodes: no body is at 99.*Cart"),
        ("observe.0.axes", "w", r"observe\[0\].axes"),
        ("observe.0.hidden", True, "see nothing"),
        ("observe.0.name", "abs", r"observe\[0\].name"),
        ("observe.0.name", "a b", r"observe\[0\].name"),
        ("observe.0.max", -float("inf"), r"observe\[0\]"),
        ("reward", "plaice", r"reward\[0\]: there is no 'plaice'.*place"),
        ("reward", "place", "reward: cannot be evaluated"),
        ("reward", "place[9]", "reward: cannot be evaluated"),
        ("terminated", "place[0] >", "terminated"),
        ("steps", 0, "steps: found 0"),
        ("frames", 0, "frames: found 0"),
        ("frames", 2**64, r"frames: found 18446744073709551616; use 1 to 1000000"),
        ("steps", 2**64, "steps: found"),
        ("vary", [{"quantity": "mess"}], r"vary\[0\].quantity"),
    ],
)
def test_faults_of_a_task_are_reported_with_their_place(
    place: str, value: Any, reported: str
) -> None:
    plain = copy.deepcopy(PLAIN)
    *path, last = place.split(".")
    target: Any = plain
    for step in path:
        target = target[int(step) if step.isdigit() else step]
    target[last] = value
    with pytest.raises(ContentError, match=reported):
        VectorEnv(cart(), plain, 4, **QUICK)


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "task.toml"
    path.write_text("steps = ", encoding="utf-8")
    with pytest.raises(FormatError, match=r"task\.toml"):
        read_task(path)
    path.write_text(TOML.replace('"Rail"', "[[]]"), encoding="utf-8")
    with pytest.raises(ContentError, match=r"task\.toml: action\[0\].nodes"):
        read_task(path)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "().__class__",
        "(lambda: 1)()",
        "[x for x in lean]",
        "open",
        "lean.real",
        "f'{lean}'",
        "'text'",
        "abs(x=lean)",
        "abs",
        "lean[lean]",
        "lean in lean",
        "lean is lean",
        "(y := 1)",
        "lean << 2",
        "9" * 2000,
        "-" * 999 + "1",
        "-" * 100 + "1",
        "+".join(["1"] * 100),
        "9" * 999,
        "(" * 400 + "1" + ")" * 400,
        "",
        "\0",
    ],
)
def test_an_expression_runs_no_python(text: str) -> None:
    with pytest.raises(ContentError, match="reward"):
        parse(text, ["lean"], place="reward")


def test_expressions_work_on_all_worlds_at_once() -> None:
    values = {"a": np.array([1.0, -2.0]), "v": np.array([[3.0, 4.0], [0.0, 1.0]])}
    for text, expected in {
        "a + 2 * abs(a) - 1": [2, 1],
        "norm(v)": [5, 1],
        "v[0] * v[1]": [12, 0],
        "0 < a < 2 and not a > 5": [True, False],
        "a > 0 or v[1] == 1": [True, True],
        "1 if a > 0 else exp(0)": [1, 1],
        "where(a > 0, a, 0)": [1, 0],
        "clip(a, -1, 0.5) ** 2": [0.25, 1],
        "min(a, 0) + max(a, 0)": [1, -2],
        "any(v > 3.5)": [True, False],
        "sum(v) - dot(v, v)": [-18, 0],
        "atan2(0, a) / pi": [0, 1],
    }.items():
        np.testing.assert_allclose(parse(text, [*values, "pi"])(values), expected, err_msg=text)


def test_nodes_go_by_globs_lists_indices_and_joints_by_the_body_they_move() -> None:
    everything = Observation(kind="translation", nodes=["C*", 1])
    drive = Action(kind="drive_velocity", nodes="Cart", min=-1, max=1)
    made = envs(
        2,
        task={"observations": [everything], "actions": [drive], "reward": "1", "terminated": None},
    )
    assert made.single_observation_space.shape == (6,)
    assert made.reset(seed=0)[0][0].tolist() == pytest.approx([0, 1, 0, 0, 1, 0])


def test_everything_that_worlds_report_can_be_observed() -> None:
    editor = lg.Editor(cart())
    editor.add_node("Ground", translation=(0, -1.1, 5))
    editor.add_body("Ground", kind="static", collider=Box((9, 0.2, 9)))
    editor.add_node("Ball", translation=(0, -0.85, 5))
    editor.add_body("Ball", mass=1, collider=Sphere(0.1))
    editor.add_node("Gate", translation=(0, -1, 5))
    editor.add_trigger("Gate", Box((1, 1, 1)))
    seen = [
        Observation(kind="touching", nodes="Ball", name="down"),
        Observation(kind="inside", nodes="Gate"),
        Observation(kind="limit_value", nodes="Hinge", limit=2),
        Observation(kind="drive_position", nodes="Rail"),
        Observation(kind="drive_velocity", nodes="Rail", min=-0.5, max=0.5),
    ]
    task = balance(observations=seen, reward="down", terminated=None, vary=None, steps=None)
    made = VectorEnv(editor.document, task, 1, **QUICK)
    made.reset(seed=0)
    rows = [made.step([[3.0]]) for _ in range(12)]
    numbers = np.concatenate([row[0] for row in rows])
    assert numbers[0, :2].tolist() == [0, 1]
    assert numbers[-1, 0] == 1
    assert rows[-1][1].tolist() == [1]
    assert numbers[-1, 2] > 0.05  # the pole stays behind
    assert numbers[-1, 3] == pytest.approx(made.worlds.translation[0, 0, 0], abs=1e-6)
    assert numbers[-1, 4] == 0.5  # clipped


def test_without_gymnasium_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("ligament.envs")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    with pytest.raises(MissingExtraError, match=r"ligament\[envs\]"):
        importlib.import_module("ligament.envs")


def test_functions_of_values_take_everything_there_is() -> None:
    def reward(now: Any) -> Any:
        assert now.action.shape == (2, 1)
        assert now.worlds.count == 2
        return now.time + now.action[:, 0]

    made = envs(2, task={"reward": reward, "vary": None, "frames": 2})
    made.reset(seed=0)
    made.step([[1], [2]])
    np.testing.assert_allclose(made.step([[1], [2]])[1], [1.08, 2.08])
    with pytest.raises(ContentError, match="reward"):
        envs(2, task={"reward": lambda now: np.zeros(5)})
    assert dataclasses.replace(balance(), reward="2").reward == "2"

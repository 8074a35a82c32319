"""Wrong arguments of environments and tasks: refused at the call, in one line."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import pytest

import ligament as lg
from ligament import envs
from tests.test_arguments import FILES, TAKEN, WRONG, fault_of

DOOR = FILES["door.glb"]
MEMBERS: dict[str, Any] = {
    "actions": [envs.Action(kind="drive_velocity", nodes="Frame hinge", min=-1, max=1)],
    "observations": [envs.Observation(kind="rotation", nodes="Door", axes="y", name="lean")],
    "reward": "1 - abs(lean)",
    "terminated": "abs(lean) > 2",
    "steps": 3,
    "frames": 1,
    "vary": None,
}
ACTION = {"kind": "force", "nodes": "Door", "min": -1.0, "max": 1.0, "axes": "xyz", "drive": 0}
OBSERVATION = {
    "kind": "rotation", "nodes": "Door", "name": "lean", "axes": "y", "drive": 0, "limit": 0,
    "hidden": False, "min": -1.0, "max": 1.0,
}  # fmt: skip


@cache
def task() -> envs.Task:
    return envs.Task(**MEMBERS)


def single() -> envs.Env:
    env = envs.Env(DOOR, task(), engine="mujoco")
    env.reset(seed=1)
    return env


def several() -> envs.VectorEnv:
    env = envs.VectorEnv(DOOR, task(), 2, engine="mujoco", jobs=1)
    env.reset(seed=1)
    return env


def with_action(**members: Any) -> envs.Task:
    return envs.Task(**{**MEMBERS, "actions": [envs.Action(**members)]})


def with_observation(**members: Any) -> envs.Task:
    seen = [envs.Observation(**members)]
    return envs.Task(**{**MEMBERS, "observations": seen, "reward": "1", "terminated": None})


def still(_: Any) -> list[float]:
    return [0.0]


CALLS: dict[str, tuple[Callable[[], Callable[..., Any]], Mapping[str, Any]]] = {
    "Task": (lambda: envs.Task, MEMBERS),
    "Action": (lambda: with_action, ACTION),
    "Observation": (lambda: with_observation, OBSERVATION),
    "read_task": (lambda: envs.read_task, {"source": task()}),
    "Env": (
        lambda: envs.Env,
        {"document": DOOR, "task": task(), "render_mode": None, "engine": "mujoco", "rate": 60.0},
    ),
    "VectorEnv": (
        lambda: envs.VectorEnv,
        {
            "document": DOOR, "task": task(), "num_envs": 1, "autoreset_mode": "NextStep",
            "render_mode": None, "engine": "mujoco", "jobs": 1,
        },
    ),
    "Env.reset": (lambda: single().reset, {"seed": 1, "options": None}),
    "Env.step": (lambda: single().step, {"action": [0.0]}),
    "VectorEnv.reset": (lambda: several().reset, {"seed": 1, "options": None}),
    "VectorEnv.step": (lambda: several().step, {"actions": [[0.0], [0.0]]}),
    "record_policy": (
        lambda: envs.record_policy,
        {"env": single(), "policy": still, "seed": 1},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_wrong_arguments_are_refused_at_the_call(name: str) -> None:
    make, given = CALLS[name]
    function, faults = make(), []
    function(**given)
    function = make()
    skipped = {"jobs", "num_envs"} if name == "VectorEnv" else set()
    for parameter in sorted(given.keys() - skipped):
        for wrong in WRONG:
            fault = fault_of(function, {**given, parameter: wrong})
            if fault == TAKEN:
                function = make()
            elif fault is not None:
                faults.append(f"{parameter}={wrong!r}: {fault}")
    assert faults == []


def test_everything_public_is_tried() -> None:
    public = {name for name in envs.__all__ if inspect.isclass(getattr(envs, name))}
    tried = {name.partition(".")[0] for name in CALLS}
    assert tried == {*public - {"Values"}, "read_task", "record_policy"}


def test_worlds_that_are_there_are_taken() -> None:
    worlds = lg.Worlds(DOOR, 3, engine="mujoco", jobs=1)
    env = envs.VectorEnv(worlds, task())
    assert env.num_envs == 3
    seen, _ = env.reset(seed=1)
    same = envs.VectorEnv(DOOR, task(), 3, engine="mujoco", jobs=1)
    assert (seen == same.reset(seed=1)[0]).all()
    for given in ({"num_envs": 2}, {"engine": "rapier"}):
        with pytest.raises(lg.LigamentError, match="give it to Worlds"):
            envs.VectorEnv(worlds, task(), **given)


def test_rules_of_a_task_need_worlds_of_their_own() -> None:
    rules = {"vary": [{"quantity": "mass", "nodes": "Door", "distribution": "uniform",
                       "min": 20, "max": 30}]}  # fmt: skip
    varied = envs.Task(**{**MEMBERS, "vary": rules})
    worlds = lg.Worlds(DOOR, 2, engine="mujoco", jobs=1)
    with pytest.raises(lg.LigamentError, match="the worlds are already sampled"):
        envs.VectorEnv(worlds, varied)

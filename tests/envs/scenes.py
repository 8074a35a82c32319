"""A cart with a pole, and the task to balance it, for tests of environments."""

from __future__ import annotations

from typing import Any

import ligament as lg
from ligament.author import Motor
from ligament.envs import Action, Observation, Task, VectorEnv
from ligament.extensions.shapes import Box

QUICK: dict[str, Any] = {"engine": "mujoco", "rate": 50, "substeps": 2, "jobs": 1}
"""Options of worlds that are quick to step."""

PUSH = {
    "quantity": "angular_velocity",
    "nodes": "Pole",
    "distribution": "uniform",
    "min": [0, 0, -0.5],
    "max": [0, 0, 0.5],
}


def cart() -> lg.Document:
    """A cart of 1 kg that a motor moves along X, and a pole of 1 m on a hinge upon it."""
    nodes = [{"name": "Cart", "translation": [0, 1, 0]}, {"name": "Pole", "translation": [0, 1, 0]}]
    content = {"asset": {"version": "2.0"}, "scenes": [{"nodes": [0, 1]}], "nodes": nodes}
    editor = lg.Editor(lg.Document(content))
    editor.add_body("Cart", mass=1, collider=Box((0.3, 0.1, 0.2)))
    inertia = (0.01, 0.001, 0.01)
    editor.add_body("Pole", mass=0.1, center_of_mass=(0, 0.5, 0), inertia_diagonal=inertia)
    motor = Motor(speed=0, damping=50, mode="force")
    editor.slider("world", "Cart", axis="x", limits=(-2, 2), motor=motor, name="Rail")
    editor.hinge("Cart", "Pole", axis="z", limits=(-170, 170), name="Hinge")
    return editor.document


def balance(**members: Any) -> Task:
    """The task to keep the pole upright."""
    standard: dict[str, Any] = {
        "actions": [Action(kind="drive_velocity", nodes="Rail", min=-3, max=3)],
        "observations": [
            Observation(kind="translation", nodes="Cart", axes="x", name="place"),
            Observation(kind="linear_velocity", nodes="Cart", axes="x"),
            Observation(kind="rotation", nodes="Pole", axes="z", name="lean"),
            Observation(kind="angular_velocity", nodes="Pole", axes="z"),
        ],
        "reward": "1 - abs(lean) - 0.1 * abs(place)",
        "terminated": "abs(lean) > 0.2",
        "steps": 20,
        "vary": {"vary": [PUSH]},
    }
    return Task(**{**standard, **members})


def envs(count: int = 3, **options: Any) -> VectorEnv:
    """Environments of that task; members of the task may be given as `task`."""
    task = balance(**options.pop("task", {}))
    return VectorEnv(cart(), task, count, **{**QUICK, **options})

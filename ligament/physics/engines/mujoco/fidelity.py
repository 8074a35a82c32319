"""Fidelity of a scene in MuJoCo: required steps and losses; does not need MuJoCo."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from ligament.arrays import Floats, Ints
from ligament.losses import Loss, in_order
from ligament.options.names import Quality
from ligament.physics.engines import Request
from ligament.physics.engines.mujoco.model import Model
from ligament.physics.scene import Body, Scene

LONGEST: Final = 1 / 300
"""The longest step [s]: a body that lands at 6.2 m/s sinks in 11 mm, 31 mm in steps of 1/240 s."""

COARSER: Final[dict[Quality, float]] = {"exact": 1.0, "balanced": 2.0, "fast": 4.0}
"""Factor of the time step that a scene needs, by quality."""


class SceneSubject:
    """A scene as the subject of a model; `losses` are the features that MuJoCo cannot express."""

    def __init__(self, scene: Scene, gravity: Floats) -> None:
        self.scene, self.gravity = scene, gravity
        self.losses: list[Loss] = []

    def name_of(self, node: int) -> str | None:
        """Return None: a running model needs no names."""
        return None

    def body_pointer(self, body: Body) -> str:
        """Return the node of a body."""
        return f"/nodes/{body.node}"

    def collider_pointer(self, node: int) -> str:
        """Return the node of a collider or sensor."""
        return f"/nodes/{node}"

    def joint_pointer(self, node: int) -> str:
        """Return the node of a joint."""
        return f"/nodes/{node}"

    def lose(self, pointer: str, what: str, reason: str, effect: str) -> None:
        """Record something that the model does not express, or only approximates."""
        self.losses.append(Loss(pointer, what, reason, effect))


def losses(scene: Scene, request: Request) -> tuple[Loss, ...]:
    """Return the parts of a scene that MuJoCo does not express, or only approximates."""
    subject = SceneSubject(scene, np.array(request.gravity))
    step = 1 / (request.rate * choose_substeps(scene, request))
    Model(subject, add_mesh=_forget, step=step, is_run=True).elements()
    return in_order(subject.losses)


def choose_substeps(scene: Scene, request: Request) -> int:
    """Return the number of steps per frame: as many as the scene needs, or as requested."""
    if request.substeps is not None:
        return request.substeps
    subject = SceneSubject(scene, np.array(request.gravity))
    step = min(Model(subject, add_mesh=_forget, is_run=True).step, LONGEST)
    step *= COARSER[request.quality]
    return max(1, math.ceil(1 / (request.rate * step) - 1e-9))


def _forget(points: Floats, triangles: Ints) -> str:
    return "mesh"

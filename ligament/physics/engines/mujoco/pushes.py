"""Forces, impulses and velocities from outside, on bodies of a running model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np

from ligament.arrays import Floats
from ligament.physics.engines.mujoco.arena import forward
from ligament.physics.engines.mujoco.compile import Compiled


def push(data: Any, body: int, force: Floats, torque: Floats, point: Floats | None) -> None:
    """Add a force [N] at the centre of mass of MuJoCo's body or a point, and a torque [N m]."""
    data.xfrc_applied[body, :3] += force
    data.xfrc_applied[body, 3:] += torque
    if point is not None:
        data.xfrc_applied[body, 3:] += np.cross(np.asarray(point) - data.xipos[body], force)


def kick(model: Any, data: Any, body: int, change: Floats) -> None:
    """Change the momentum (6,) of MuJoCo's body at its centre of mass."""
    if not model.nv or not model.body_weldid[body]:
        return
    forward(model, data)
    jacobian = np.zeros((6, model.nv))
    mujoco.mj_jacBodyCom(model, data, jacobian[:3], jacobian[3:], body)
    answer = np.zeros((6, model.nv))
    mujoco.mj_solveM(model, data, answer, jacobian)
    data.qvel += answer.T @ change


def set_velocities(
    compiled: Compiled, data: Any, rows: Floats, wanted: Mapping[int, Floats]
) -> None:
    """Give bodies velocities (6,), with the least change of others; `rows` are all states (B, 13).

    Components that joints do not allow are removed as by an impact.
    """
    model, changes = compiled.model, []
    for body, velocity in wanted.items():
        index, change = compiled.bodies[body], velocity - rows[body, 7:13]
        axes = data.ximat[index].reshape(3, 3)
        spin = axes @ (model.body_inertia[index] * (axes.T @ change[3:]))
        changes.append(np.concatenate([model.body_mass[index] * change[:3], spin]))
    for body, change in zip(wanted, changes, strict=True):
        kick(model, data, int(compiled.bodies[body]), change)

"""Targets of drives, and drives that slip at their largest force.

A drive with a largest force F that steps of h do not resolve holds by armature, as all others do
(`model.damping`), while the force f that it has at the end of a step is below F. Where it would
not be, it slips: it pushes with F, and its joint has no armature, as that would be inertia.

The force u from the velocity at the start and the armature m make it f = u - m a, where a is the
acceleration of the joint. All else accelerates it by b, as in the last step, where it was
b = a - A f for a compliance A; so f = (u - m b) / (1 + m A) in the next one.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from ligament.arrays import Bools, Floats
from ligament.physics.engines.mujoco.compile import Compiled
from ligament.physics.scene import Joint


def differs_in_targets(before: Joint, after: Joint) -> bool:
    """Tell whether two states of a joint differ in the targets of its drives at most."""
    drives = [
        [
            dataclasses.replace(each, position_target=0.0, velocity_target=0.0)
            for each in joint.drives
        ]
        for joint in (before, after)
    ]
    parts = [dataclasses.replace(joint, drives=()) for joint in (before, after)]
    return drives[0] == drives[1] and all(
        getattr(parts[0], field.name) == getattr(parts[1], field.name)
        for field in dataclasses.fields(Joint)
    )


class Drives:
    """The actuators of a model: their targets [m or rad, m/s or rad/s], and those that slip."""

    def __init__(self, compiled: Compiled, data: Any) -> None:
        self._compiled, self._model, self._data = compiled, compiled.model, data
        self._biases = compiled.model.actuator_biasprm.copy()
        self.targets: dict[tuple[int, int], tuple[float, float]] = {}
        slips, model = [slip for _, slip in compiled.slipping], compiled.model
        self._actuators = np.array([actuator for actuator, _ in compiled.slipping], np.intp)
        joints = model.actuator_trnid[self._actuators, 0]
        self._places, self._dofs = model.jnt_qposadr[joints], model.jnt_dofadr[joints]
        self._armature = np.array([slip.armature for slip in slips])
        self._damping = np.array([slip.damping for slip in slips])
        self._compliance = np.array([slip.compliance for slip in slips])
        self._most = model.actuator_forcerange[self._actuators, 1]
        self._holds: Bools = np.zeros(len(slips), bool)
        self._force: Floats = np.zeros(len(slips))
        self._hold(np.ones(len(slips), bool))

    @property
    def slip(self) -> bool:
        """Whether any drive can slip."""
        return len(self._actuators) > 0

    def set_target(self, joint: int, drive: int, position: float, velocity: float) -> None:
        """Set new targets of a drive."""
        self.targets[joint, drive] = position, velocity
        self.apply()

    def take_targets(self, joint: int, value: Joint) -> None:
        """Set the targets of all drives of a joint."""
        for index, drive in enumerate(value.drives):
            self.targets[joint, index] = drive.position_target, drive.velocity_target
        self.apply()

    def forget(self, joint: int) -> None:
        """Leave the drives of a joint to the targets of the scene."""
        self.targets = {key: each for key, each in self.targets.items() if key[0] != joint}

    def apply(self) -> None:
        """Pass the targets to the actuators."""
        biases, control = self._model.actuator_biasprm, self._data.ctrl
        for key, (position, velocity) in self.targets.items():
            actuator = self._compiled.actuators.get(key)
            if actuator is None:
                continue
            has_position = biases[actuator, 1] != 0
            control[actuator] = position if has_position else velocity
            if has_position:
                biases[actuator, 0] = -biases[actuator, 2] * velocity

    def before_step(self) -> None:
        """Let each drive hold or slip in the next step, by the force that it would have."""
        if not self.slip:
            return
        model, data, rows = self._model, self._data, self._actuators
        gain, bias = model.actuator_gainprm[rows, 0], model.actuator_biasprm[rows]
        place, speed = data.qpos[self._places], data.qvel[self._dofs]
        force = gain * data.ctrl[rows] + bias[:, 0] + bias[:, 1] * place + bias[:, 2] * speed
        acceleration = data.qacc_warmstart[self._dofs]
        slack, mass = self._compliance, self._armature
        last = np.where(self._holds, self._force - mass * acceleration, self._force)
        firm = force - self._damping * speed
        held = (firm - mass * (acceleration - slack * last)) / (1 + mass * slack)
        self._hold(np.abs(held) <= self._most)
        self._force = np.where(self._holds, firm, np.clip(force, -self._most, self._most))

    def _hold(self, holds: Bools) -> None:
        """Add armature and damping to what starts to hold, remove those of what starts to slip."""
        sign = holds.astype(float) - self._holds
        if sign.any():
            model, dofs = self._model, self._dofs
            model.dof_armature[dofs] += sign * self._armature
            model.dof_M0[dofs] += sign * self._armature
            model.dof_damping[dofs] += sign * self._damping
            model.actuator_forcelimited[self._actuators] = ~holds
        self._holds = holds

    def state(self) -> tuple[dict[tuple[int, int], tuple[float, float]], list[bool], list[float]]:
        """Return the state for `restore`."""
        return dict(self.targets), self._holds.tolist(), self._force.tolist()

    def restore(self, state: Any) -> None:
        """Return to a state, in a model of its scene."""
        self._model.actuator_biasprm[:] = self._biases
        targets, holds, force = state
        self.targets = dict(targets)
        self.apply()
        self._hold(np.array(holds, bool))
        self._force = np.array(force)

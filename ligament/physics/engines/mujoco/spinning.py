"""The integrator of each frame: RK4 while something spins fast, see `model.integrator`.

Bodies that are alone are tumbled exactly by `flight`, other than while they touch something: they
count from ten times the speed on.
"""

from __future__ import annotations

from typing import Any, Final

import mujoco
import numpy as np

from ligament.arrays import Bools
from ligament.physics.engines.mujoco.compile import Compiled
from ligament.physics.engines.mujoco.model.integrator import SPIN

ALONE: Final = 10.0
"""Factor of the speed above which bodies without joints need RK4: as they roll, or as tops."""

_ROUND: Final = 1e-9


class Spinning:
    """Chooses the integrator by the velocities of all rotations."""

    def __init__(self, compiled: Compiled, data: Any) -> None:
        model = self._model = compiled.model
        self.spins = False
        self._data, self._resting = data, int(model.opt.integrator)
        kind = mujoco.mjtIntegrator
        implicit, rk4 = int(kind.mjINT_IMPLICIT), int(kind.mjINT_RK4)
        self._spinning = implicit if compiled.needs_implicit else rk4
        fastest = np.full(model.nv, np.inf)
        moments = model.body_inertia[model.dof_bodyid]
        is_round = np.ptp(moments, axis=1) <= _ROUND * moments.max(axis=1, initial=0.0)
        alone = {compiled.free[i] for i in compiled.alone}
        driven = {address for i, address in compiled.free.items() if i in compiled.driven}
        gyroscopes = _gyroscopes(model)
        for joint in range(model.njnt):
            start = int(model.jnt_dofadr[joint])
            is_turning = gyroscopes[model.body_rootid[model.jnt_bodyid[joint]]]
            is_slide = model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_SLIDE
            if is_slide or start in driven or not is_turning:
                continue
            angular = _angular(int(model.jnt_type[joint]), start)
            if start not in alone:
                fastest[angular] = SPIN / compiled.step
            elif not is_round[start]:
                fastest[angular] = ALONE * SPIN / compiled.step
        self._dofs = np.flatnonzero(np.isfinite(fastest))
        self._fastest = fastest[self._dofs]

    def choose(self) -> None:
        """Choose the integrator for the steps until this is called again."""
        self.set(bool((np.abs(self._data.qvel[self._dofs]) > self._fastest).any()))

    def set(self, spins: bool) -> None:
        """Take the integrator for what spins, or the one for what does not."""
        self.spins = spins
        self._model.opt.integrator = self._spinning if spins else self._resting

    @property
    def corrects(self) -> bool:
        """Whether free flight needs to be corrected."""
        return not self.spins or self._spinning != int(mujoco.mjtIntegrator.mjINT_RK4)


def _gyroscopes(model: Any) -> Bools:
    """Return which root bodies have trees in which a body rotates about more than one axis."""
    kinds = mujoco.mjtJoint
    widths = {int(kinds.mjJNT_SLIDE): 0, int(kinds.mjJNT_HINGE): 1}
    turns, found = np.zeros(model.nbody, int), np.zeros(model.nbody, bool)
    for body in range(1, model.nbody):
        start = model.body_jntadr[body]
        joints = model.jnt_type[start : start + model.body_jntnum[body]] if start >= 0 else ()
        turns[body] = turns[model.body_parentid[body]] + sum(widths.get(int(k), 3) for k in joints)
        found[model.body_rootid[body]] |= turns[body] > 1
    return found


def _angular(kind: int, start: int) -> slice:
    """Return the rotations among the velocities of a joint that begin at an address."""
    if kind == mujoco.mjtJoint.mjJNT_FREE:
        return slice(start + 3, start + 6)
    return slice(start, start + (3 if kind == mujoco.mjtJoint.mjJNT_BALL else 1))

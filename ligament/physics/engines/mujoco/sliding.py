"""Steps in which sliding does not lift: a correction of MuJoCo's contacts.

MuJoCo's cones of friction are convex: what slides at v, which friction would stop at the rate c,
is pushed off the surface by µ c v as well. A box that slid at 20 m/s left its floor for 2.6 m.
Between the two halves of a step, the acceleration along the normal that a contact aims for is
lowered by the same amount.
"""

from __future__ import annotations

from typing import Any, Final

import mujoco
import numpy as np

from ligament.physics.engines.mujoco.compile import Compiled

_SLIDING: Final = 3
"""Rows of a contact with friction, but without rolling friction."""

LEAP: Final = 0.1
"""Speed [m/s] off a surface, 0.5 mm high, above which Euler's step replaces Runge-Kutta's."""


class Sliding:
    """Takes the steps of a model, and keeps its contacts from lifting what slides."""

    def __init__(self, compiled: Compiled, data: Any) -> None:
        self._model, self._data = compiled.model, data
        masks = compiled.model.geom_contype | compiled.model.geom_conaffinity
        self._can_touch = bool(masks.any() or compiled.model.npair)

    def step(self, count: int = 1) -> None:
        """Take some steps; those of Runge-Kutta, which have no halves, where nothing leaps."""
        model, data = self._model, self._data
        if not self._can_touch:
            mujoco.mj_step(model, data, nstep=count)
            return
        has_halves = model.opt.integrator != mujoco.mjtIntegrator.mjINT_RK4
        for _ in range(count):
            mujoco.mj_step1(model, data)
            leap = self._lower() if data.ncon else 0.0
            if has_halves or leap * model.opt.timestep > LEAP:
                mujoco.mj_step2(model, data)
            else:
                mujoco.mj_step(model, data)

    def _lower(self) -> float:
        """Lower what contacts aim for; return the largest change [m/s²]."""
        contact, target = self._data.contact, self._data.efc_aref
        acts = (contact.efc_address >= 0) & (contact.dim == _SLIDING)
        normal, friction = contact.efc_address[acts], contact.friction[acts]
        lift = np.hypot(*(friction[:, axis] * target[normal + 1 + axis] for axis in (0, 1)))
        target[normal] -= lift
        return float(lift.max(initial=0.0))

"""Impacts on jointed bodies: steps that throw them are repeated.

The engine warm-starts each iteration with the contact impulses of the one before, but not with
those of joints. A limb under heavier ones may be thrown up by the impulse that has just stopped
them all, the joint throws it back, and so on for the rest of the step: of 1,160 ragdolls that fell
on a floor, 7 were thrown up at 15 to 74 m/s. No impact makes a body much more than twice as fast as
the fastest one was before. If that happens, a group is restored to its state before the step, and
contacts start the next one without impulses. The result of that repeated step is accepted.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import numpy as np
import rapier3d as rp

from ligament.arrays import Floats, Indices
from ligament.physics.engines.rapier import linalg
from ligament.physics.engines.rapier.effort.joints import joined_groups
from ligament.physics.engines.rapier.state.bodies import BodySource, Rows, select
from ligament.physics.engines.rapier.state.snapshots import Memory
from ligament.physics.engines.rapier.world.build import is_moving
from ligament.physics.scene import Joint, Scene

_FASTER: Final = 2.0
"""Largest speed after an impact, as a multiple of the fastest speed before it."""

_ALLOWED: Final = 3.0
"""Speed [m/s] that is allowed in any case."""


class ImpactGuard:
    """Watches the groups of joined bodies that nothing drives and something may hit."""

    def __init__(self, scene: Scene, step: float) -> None:
        groups = list(_groups(scene))
        joined = [body for group in groups for body in group]
        self._joined: Indices = np.array(joined, dtype=np.intp)
        self._selection = select(joined)
        self._group = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
        others = {i for i, body in enumerate(scene.bodies) if is_moving(body)} - {*joined}
        self._others: Indices = np.array(sorted(others), dtype=np.intp)
        self._step = step
        self.drops_warmstart = np.zeros(1, dtype=bool)

    @property
    def memory(self) -> list[Memory]:
        """Arrays that the next step depends on."""
        return [self.drops_warmstart]

    def bind(self, world: rp.PhysicsWorld, source: BodySource) -> None:
        """Bind to the bodies of a world."""
        self._world, self._source = world, source
        self._warmstart: float | None = None
        self._seen: tuple[int, Rows, float] | None = None

    def before_step(self) -> None:
        """Record the states of all watched bodies."""
        if len(self._joined):
            self._before, fastest = self._look()
            self._fastest = max(fastest, self._fastest_other())
            coefficient = 0.0 if self.drops_warmstart[0] else 1.0
            if coefficient != self._warmstart:
                self._world.integration_parameters.warmstart_coefficient = coefficient
                self._warmstart = coefficient

    def _look(self) -> tuple[Rows, float]:
        """Return the states of the jointed bodies and their greatest speed, cached until a step."""
        if self._seen is None or self._seen[0] != self._source.version:
            rows = self._source.read(self._selection)
            self._seen = (self._source.version, rows, _fastest(rows))
        return self._seen[1:]

    def after_step(self, *, is_pushed: bool) -> list[int]:
        """Restore groups that the step has thrown; return their bodies.

        External forces (`is_pushed`) may legitimately do the same.
        """
        is_again, self.drops_warmstart[0] = bool(self.drops_warmstart[0]), False
        if is_again or is_pushed or not len(self._joined):
            return []
        rows, fastest = self._look()
        # What gravity adds needs a look at the world; nearly always there is no need for it.
        if fastest <= _FASTER * self._fastest + _ALLOWED or fastest <= self._allowed(self._fastest):
            return []
        speed = _speeds(rows)
        # Something just as fast may have hit them.
        allowed = self._allowed(max(self._fastest, self._fastest_other()))
        thrown = np.isin(self._group, self._group[speed > allowed])
        self.drops_warmstart[0] = thrown.any()
        bodies: list[int] = self._joined[thrown].tolist()
        for body, row in zip(bodies, self._before[thrown].tolist(), strict=True):
            _restore_state(self._source.bodies[body], row)
        return bodies

    def end(self) -> None:
        """Stop watching: another guard takes over."""

    def _allowed(self, fastest: float) -> float:
        fall = math.hypot(*self._world.gravity.to_tuple()) * self._step
        return _FASTER * (fastest + fall) + _ALLOWED

    def _fastest_other(self) -> float:
        return _fastest(self._source.read(self._others)) if len(self._others) else 0.0


def _restore_state(body: rp.RigidBody, row: list[float]) -> None:
    """Restore the state of a body."""
    body.position = rp.Isometry3(row[:3], row[3:7])
    body.linvel, body.angvel = rp.Vec3(*row[7:10]), rp.Vec3(*row[10:])


def _speeds(rows: Rows) -> Floats:
    velocity = rows[:, 7:10].astype(np.float64)
    # Non-finite bodies count as slow: they are frozen elsewhere.
    return np.nan_to_num(linalg.length(velocity), posinf=0.0)


def _fastest(rows: Rows) -> float:
    velocity = rows[:, 7:10]
    square = float(np.maximum.reduce(np.vecdot(velocity, velocity), initial=0.0))
    return math.sqrt(square) if math.isfinite(square) else float(_speeds(rows).max())


def _groups(scene: Scene) -> Iterator[list[int]]:
    """Yield groups of jointed bodies that can be hit and that nothing drives."""
    solid = {collider.body for collider in scene.colliders if not collider.is_sensor}
    free = {i for i, body in enumerate(scene.bodies) if body.is_free}
    holding = [j for j in scene.joints if j.a.body != j.b.body and free & {j.a.body, j.b.body}]
    for members in joined_groups(holding, scene):
        bodies = free & {body for joint in members for body in (joint.a.body, joint.b.body)}
        if len(bodies) > 1 and bodies & solid and all(map(is_passive, members)):
            yield sorted(bodies)


def is_passive(joint: Joint) -> bool:
    """Tell whether a joint only dissipates energy: no springs, and no drives but brakes."""
    brakes = all(d.stiffness == 0 and d.velocity_target == 0 for d in joint.drives)
    return brakes and all(math.isinf(limit.stiffness) for limit in joint.limits)

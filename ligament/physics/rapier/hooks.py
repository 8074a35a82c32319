"""What the engine asks Python about pairs of colliders while it steps."""

from __future__ import annotations

from typing import Final

import rapier3d as rp

from ligament.physics.filters import Masks
from ligament.physics.materials import STICK_SPEED
from ligament.physics.rapier.materials import SurfacePlan

_MEET: Final = rp.SolverFlags.COMPUTE_IMPULSES
_STICK_SPEED_SQUARED: Final = STICK_SPEED**2


class PairHooks:
    """Answers about pairs of which at least one collider is flagged.

    `known` maps the engine's index of a collider to that in the scene.
    """

    def __init__(self, plan: SurfacePlan, masks: Masks, known: list[int]) -> None:
        self._surfaces = plan.surfaces
        self._material = [plan.which[i] for i in known]
        self._class = [int(masks.classes[i]) for i in known]
        self._matrix = masks.matrix.tolist()

    def _meet(self, context: rp.PairFilterContext) -> bool:
        row = self._matrix[self._class[context.collider1.index]]
        return bool(row[self._class[context.collider2.index]])

    def filter_contact_pair(self, context: rp.PairFilterContext) -> rp.SolverFlags | None:
        """Let only those collide whose filters agree."""
        return _MEET if self._meet(context) else None

    def filter_intersection_pair(self, context: rp.PairFilterContext) -> bool:
        """Let sensors notice only what their filters name."""
        return self._meet(context)

    def modify_solver_contacts(self, context: rp.ContactModificationContext) -> None:
        """Set friction and bounce of a pair as its materials say."""
        row = self._surfaces[self._material[context.collider1.index]]
        static, dynamic, context.restitution = row[self._material[context.collider2.index]]
        if static == dynamic or not context.num_solver_contacts():
            context.friction = dynamic
        else:
            context.friction = static if _is_sticking(context) else dynamic


def _is_sticking(context: rp.ContactModificationContext) -> bool:
    """Tell whether two bodies hardly slide on each other where they touch first."""
    point = context.solver_contacts[0].point
    vx, vy, vz = _velocity(context, context.rigid_body2, point)
    ux, uy, uz = _velocity(context, context.rigid_body1, point)
    nx, ny, nz = context.normal.to_tuple()
    x, y, z = vx - ux, vy - uy, vz - uz
    along = x * nx + y * ny + z * nz
    return x * x + y * y + z * z - along * along < _STICK_SPEED_SQUARED


def _velocity(
    context: rp.ContactModificationContext, body: rp.RigidBodyHandle | None, point: rp.Point3
) -> tuple[float, float, float]:
    if body is None:
        return 0.0, 0.0, 0.0
    return context.bodies[body].velocity_at_point(point).to_tuple()

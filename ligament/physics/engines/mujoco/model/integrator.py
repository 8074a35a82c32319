"""The integrator of a model, from its dampers and from how fast its bodies spin.

MuJoCo computes gyroscopic torques at the start of a step of h. At ω h = 0.1, a gyroscope doubles
its energy in less than a second; at 0.01, a tumbling body loses 0.2 % of it in that time. With RK4,
at four times the cost, both are 1e-8.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from ligament.physics.engines.mujoco.model.links import DofKind, Link
from ligament.physics.engines.mujoco.model.skeleton import MappedJoint

SPIN: Final = 0.005
"""Rotation [rad] in a step above which gyroscopic torques need RK4."""

_ROUND: Final = 1e-9
"""Relative difference of moments of inertia below which a body has no such torques."""

_TURNS: Final[dict[DofKind, int]] = {"slide": 0, "hinge": 1, "ball": 3, "free": 3}


def choose_integrator(
    links: Sequence[Link], joints: Sequence[MappedJoint], step: float, *, needs_implicit: bool
) -> str:
    """Return the integrator for the start of a scene, by what spins, or is driven to spin.

    The implicit integrators are for dampers that `needs_implicit` says are left to them.
    """
    turning = [link for link in links if _is_gyroscope(link)]
    speeds = [float(np.linalg.norm(link.angular_velocity)) for link in turning]
    if turning:
        drives = [drive for mapped in joints for drive in mapped.freedom.drives]
        speeds += [abs(drive.velocity_target) for drive in drives if drive.type == "angular"]
    if max(speeds, default=0.0) * step > SPIN:
        return "implicit" if needs_implicit else "RK4"
    return resting_integrator(links, needs_implicit=needs_implicit)


def resting_integrator(links: Sequence[Link], *, needs_implicit: bool) -> str:
    """Return the integrator for bodies that do not spin: Euler where armature damps them."""
    has_armature = any(dof.armature for link in links for dof in link.dofs)
    return "Euler" if has_armature and not needs_implicit else "implicitfast"


def _is_gyroscope(link: Link) -> bool:
    """Tell whether a body feels gyroscopic torques: it rotates about more than one axis."""
    turns = sum(_TURNS[dof.kind] for above in link.chain for dof in above.dofs)
    if turns < 2 or not np.isfinite(moments := link.mass.inertia).all():
        return False
    is_alone = link.parent is None and not link.children
    return not (is_alone and np.ptp(moments) <= _ROUND * np.max(moments))

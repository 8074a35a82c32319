"""Springs and dampers that no step is too long for: armature in place of implicit integration.

A step of h with the force of a damper c at its end moves by (M + h c) Δv = h (F - c v). MuJoCo's
implicit integrators divide by M + h c only after its solver has found the forces of constraints
with M alone: a damper far stronger than M / h throws every loop that it is in. Armature is inertia
that only the joint feels, and that the solver knows: with h c of it, a damper computed from the
velocity at the start makes the same step, in loops too. A spring k that steps of h do not resolve
gets a damper of h k, with which it acts as from the end of the step.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from ligament.extensions.rigid_bodies import Drive, Limit
from ligament.physics.engines.mujoco.model.dynamics import Dynamics
from ligament.physics.engines.mujoco.model.links import Dof, Link
from ligament.physics.engines.mujoco.model.skeleton import MappedJoint
from ligament.physics.freedom import AXES, Key

LEAST: Final = 1e-12
"""Smallest compliance [1/kg or 1/(kg m²)]; less counts as fixed."""

RESOLVED: Final = 0.25
"""Largest k A h² and c A h, for a compliance A, that are integrated as they are."""


def joint_compliance(dynamics: Dynamics, mapped: MappedJoint, dof: Dof, link: Link) -> float:
    """Return the acceleration per unit force [1/kg] or torque [1/(kg m²)] of a joint of a link."""
    if link is mapped.carrier:
        return dynamics.welded_compliance(dof, link, mapped.b)
    return dynamics.compliance(dof, link)


def moved_link(mapped: MappedJoint, dof: Dof) -> Link:
    """Return the link that a degree of freedom moves."""
    links = (mapped.carrier, mapped.a, mapped.b)
    return next(link for link in links if link is not None and dof in link.dofs)


class Slipping(NamedTuple):
    """A drive that steps do not resolve, and that slips at its largest force.

    While it does not slip, its degree of freedom needs this armature [kg or kg m²] and this much
    more damping. `compliance` [1/kg or 1/(kg m²)] is that of the start.
    """

    dof: Dof
    joint: int
    drive: Drive
    armature: float
    damping: float
    compliance: float


def damp(
    joints: Iterable[MappedJoint], dynamics: Dynamics, step: float
) -> tuple[list[Slipping], bool]:
    """Give joints the armature of their springs and drives; return what is left.

    Those are the drives that slip, and whether there are unresolved ones about the axes of a frame,
    which have no joint.
    """
    slipping, is_covered = [], True
    for mapped in joints:
        for dof, spring in _springs(mapped):
            if dof is None:
                is_covered = False
                continue
            compliance = joint_compliance(dynamics, mapped, dof, moved_link(mapped, dof))
            mass = 1.0
            if isinstance(spring, Drive) and spring.mode == "acceleration":
                mass = 1 / max(compliance, LEAST)
            stiffness, damping = spring.stiffness * mass, spring.damping * mass
            more = step * stiffness if stiffness * compliance * step**2 > RESOLVED else 0.0
            armature = step * (damping + more)
            if not isinstance(spring, Drive) or math.isinf(spring.max_force):
                dof.damping += more
                dof.armature += armature
            elif armature * compliance > RESOLVED:
                slip = Slipping(dof, mapped.index, spring, armature, more, compliance)
                slipping.append(slip)
    return slipping, is_covered


def _springs(mapped: MappedJoint) -> Iterator[tuple[Dof | None, Limit | Drive]]:
    """Yield the soft locks and drives of a joint with the degrees of freedom that they act on."""
    by_key = {dof.key: dof for dof in mapped.dofs if dof.key is not None}
    for dof in mapped.dofs:
        if dof.spring is not None:
            yield dof, dof.spring
    for drive in mapped.freedom.drives:
        key = Key(drive.type, drive.axis)
        yield None if is_about_frame(mapped, drive) else by_key[key], drive


def is_about_frame(mapped: MappedJoint, drive: Drive) -> bool:
    """Tell whether a drive only targets the velocity about an axis of a free rotation.

    The hinges of such a joint do not stay on the axes of its frame, and a ball has no axes.
    """
    is_free = len(mapped.freedom.free("angular")) == len(AXES)
    return is_free and drive.type == "angular" and drive.stiffness <= 0

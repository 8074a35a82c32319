"""Carriers: light links that have the joint of a loop and are welded to its other side.

MuJoCo computes the forces of constraints, welds among them, without the damping that it integrates
implicitly. A carrier on which a damper c or a spring k acts therefore needs a mass of about h c and
h² k in steps of h, or the weld drives the joint to thousands of radians per second. The true mass
that the force moves is larger wherever the steps resolve the spring or damper.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Final

import numpy as np

from ligament.extensions.rigid_bodies import Drive, Limit
from ligament.physics.engines.mujoco.model.dynamics import Dynamics
from ligament.physics.engines.mujoco.model.links import Dof, Link
from ligament.physics.engines.mujoco.model.skeleton import MappedJoint, Skeleton
from ligament.physics.freedom import Key

HEAVIEST: Final = 0.2
"""Largest mass or inertia of a carrier, relative to what its joint moves."""


def joint_compliance(dynamics: Dynamics, mapped: MappedJoint, dof: Dof, link: Link) -> float:
    """Return the acceleration per unit force [1/kg] or torque [1/(kg m²)] of a joint of a link."""
    if link is mapped.carrier:
        return dynamics.welded_compliance(dof, link, mapped.b)
    return dynamics.compliance(dof, link)


def weigh_carriers(skeleton: Skeleton, dynamics: Dynamics, step: float) -> None:
    """Give carriers the mass and inertia that the springs and dampers of their joints need."""
    for mapped in skeleton.joints:
        if (carrier := mapped.carrier) is not None:
            needs = [(0.0, 0.0), *_needs(mapped, carrier, dynamics, step)]
            mass, inertia = (max(kind) for kind in zip(*needs, strict=True))
            carrier.mass = dataclasses.replace(
                carrier.mass,
                mass=max(carrier.mass.mass, mass),
                inertia=np.maximum(carrier.mass.inertia, inertia),
            )


def _needs(
    mapped: MappedJoint, carrier: Link, dynamics: Dynamics, step: float
) -> Iterator[tuple[float, float]]:
    """Yield the mass and the inertia that each spring and damper needs."""
    springs: tuple[Limit | Drive, ...] = (*mapped.freedom.bounds, *mapped.freedom.drives)
    for spring in springs:
        for dof in _moved(mapped, spring):
            compliance = dynamics.welded_compliance(dof, carrier, mapped.b)
            if compliance > 0:
                gains = step * spring.damping + step**2 * spring.stiffness
                per_mass = isinstance(spring, Drive) and spring.mode == "acceleration"
                need = min(gains if not per_mass else gains / compliance, HEAVIEST / compliance)
                yield (need, 0.0) if dof.kind == "slide" else (0.0, need)


def _moved(mapped: MappedJoint, spring: Limit | Drive) -> list[Dof]:
    """List the degrees of freedom that a spring or damper acts on."""
    if isinstance(spring, Drive):
        keys = {Key(spring.type, spring.axis)}
    elif np.isinf(spring.stiffness):
        return []
    else:
        keys = {Key("linear", axis) for axis in spring.linear_axes}
        keys |= {Key("angular", axis) for axis in spring.angular_axes}
    return [dof for dof in mapped.dofs if dof.key in keys]

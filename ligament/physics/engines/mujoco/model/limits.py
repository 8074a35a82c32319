"""Limits of joints: ranges where MuJoCo has them, tendons for distances and cones, equalities.

A soft limit is a force k x + c v beyond its bounds. MuJoCo's limits are constraints: with an
impedance d and the compliance A that the compiler computes for the start, their force is (d a + K x
+ C v) / A, where a is the acceleration without them. For K = k A, C = c A and the least impedance
it is the force that the file specifies, up to a ten-thousandth of the other forces.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Final

import numpy as np

from ligament.extensions.rigid_bodies import Limit
from ligament.physics.engines import CLOSING_SPEED
from ligament.physics.engines.mujoco.model.dynamics import Dynamics
from ligament.physics.engines.mujoco.model.elements import (
    Element,
    Names,
    Subject,
    Value,
    quaternion,
)
from ligament.physics.engines.mujoco.model.links import Dof, Link
from ligament.physics.scene import Pose

UNREACHABLE: Final = 1e6
"""A bound [m or rad] out of reach, for the open side of one-sided limits."""

SOFT: Final = (1e-4, 1e-4, 0.001)
"""The impedance of soft limits: the smallest that MuJoCo accepts."""

HARD: Final = (0.99, 0.99, 0.001)
"""The impedance of hard limits."""

CARRIED: Final = (0.9999, 0.9999, 0.001)
"""The same for what closes a loop, and on a link that only carries a joint: the largest there is.

MuJoCo softens a constraint by the compliance of the bodies that it acts on, here a thousand times
that of the body which the link is welded to: at 0.99, 20 N pushed 2 kg 0.3 m past a bound."""

PATIENCE: Final = 0.03
"""The longest time constant [s] with which such a link yields to weight by at most 1 mm."""

STOP: Final = 0.85
"""Fraction of the speed towards a bound that a step removes."""

REBOUND: Final = 0.005
"""Fraction of the speed with which a bound is left after an impact: stiffness / damping².

A rebounding part drifts away for good if nothing else holds it: a hinge that arrived at 3 rad/s was
0.17 rad off its bound after 2 s at 0.035, the value of contacts."""

STIFFEST: Final = 0.25
"""The largest stable k A h² and c A h of a soft limit with steps of h."""


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Limiter:
    """Collects the limits of joints: attributes of joint elements, tendons, equalities, sites."""

    subject: Subject
    dynamics: Dynamics
    names: Names
    step: float
    tendons: Element
    equalities: Element
    sites: dict[int, list[dict[str, Value]]]
    """The sites of every link by its identity; those of the world by 0."""
    is_run: bool
    """Whether our engine closes what starts violated."""
    bodies: Dynamics
    """The same without the armature of joints."""
    slips: bool
    """Whether our engine lets drives slip at their largest forces."""
    is_single: bool
    """Whether the model runs in single precision."""
    scales: list[float] = dataclasses.field(default_factory=list)
    """Length of each tendon per metre or radian of what it measures."""

    def hard(self, link: Link | None) -> dict[str, Value]:
        """Return the solver parameters of a hard limit of a link without bounce."""
        damping = STOP / self.step
        stiffness = REBOUND * damping**2
        return {"solreflimit": (-stiffness, -damping), "solimplimit": _impedance(link)}

    def attributes(self, link: Link, dof: Dof) -> dict[str, Value]:
        """Return the attributes of a joint element for its bounds and springs."""
        values: dict[str, Value] = {}
        if dof.bound is not None:
            bound = dof.bound
            low, high = (0.0, bound.maximum) if dof.kind == "ball" else ends(bound)
            values["range"] = (low, high)
            values |= self.solver(bound, self.dynamics.compliance(dof, link), link)
        damping = dof.damping
        if (soft := dof.spring) is not None:
            values["stiffness"] = soft.stiffness
            damping += soft.damping
            if dof.kind != "ball":
                values["springref"] = (soft.minimum + soft.maximum) / 2
        if damping > 0:
            values["damping"] = damping
        if dof.armature > 0:
            values["armature"] = dof.armature
        return values

    def tight(self, link: Link | None, gap: float) -> dict[str, Value]:
        """Return the solver parameters of equalities on a link, which close loops.

        What starts `gap` apart [m or rad] takes longer, so that it closes at CLOSING_SPEED.
        """
        shortest, settling = 2 * self.step, gap / (math.e * CLOSING_SPEED)
        if self.is_run or settling <= shortest:
            return {"solref": (shortest, 1.0), "solimp": CARRIED}
        if _impedance(link) is CARRIED:
            settling = min(settling, max(shortest, PATIENCE))
        return {"solref": (settling, 1.0), "solimp": CARRIED}

    # --- the solver ---

    def solver(self, bound: Limit, compliance: float, link: Link | None) -> dict[str, Value]:
        """Return the solver parameters of a limit on what yields by a compliance."""
        if not math.isfinite(bound.stiffness) or not math.isfinite(compliance):
            return self.hard(link)
        soft = self.stabilized(bound, compliance)
        gains = (-soft.stiffness * compliance, -soft.damping * compliance)
        return {"solreflimit": gains, "solimplimit": SOFT}

    def stabilized(self, bound: Limit, compliance: float) -> Limit:
        """Limit the stiffness and damping of a soft limit to what is stable."""
        if not math.isfinite(compliance) or compliance <= 0:
            return bound
        stiffness = min(bound.stiffness, STIFFEST / compliance / self.step**2)
        damping = min(bound.damping, STIFFEST / compliance / self.step)
        if stiffness < bound.stiffness or damping < bound.damping:
            effect = f"stiffness {stiffness:g} and damping {damping:g} are written"
            reason = f"steps of {self.step:g} s are too long for it"
            self.subject.lose(bound.pointer, "a very stiff limit", reason, effect)
        return dataclasses.replace(bound, stiffness=stiffness, damping=damping)

    def add_tendon(self, tag: str, values: dict[str, Value], scale: float) -> Element:
        """Add a tendon whose length is what a limit measures, times a scale, plus a constant."""
        self.scales.append(scale)
        return self.tendons.add(tag, values)

    @property
    def reaches_far(self) -> bool:
        """Whether a tendon ends far away from all bodies."""
        return any(scale != 1 for scale in self.scales)

    def site(self, name: str, link: Link | None, pose: Pose) -> str:
        """Add a site at a pose of the world at the start; return its name."""
        held = pose if link is None else link.within(pose)
        given = self.names.give("site", name, "site")
        place: dict[str, Value] = {"name": given, "pos": held.translation}
        if not np.array_equal(held.rotation, STRAIGHT):
            place["quat"] = quaternion(held.rotation)
        self.sites.setdefault(0 if link is None else id(link), []).append(place)
        return given


STRAIGHT: Final = np.array([0.0, 0.0, 0.0, 1.0])


def ends(bound: Limit) -> tuple[float, float]:
    """Return the range of a limit, open sides at what is out of reach."""
    return max(bound.minimum, -UNREACHABLE), min(bound.maximum, UNREACHABLE)


def _impedance(link: Link | None) -> tuple[float, float, float]:
    return CARRIED if link is not None and link.body is None else HARD

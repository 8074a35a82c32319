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

from ligament import transforms as tf
from ligament.arrays import Floats
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
from ligament.physics.engines.mujoco.model.skeleton import MappedJoint
from ligament.physics.freedom import MISFIT, Key, tilt_loss
from ligament.physics.scene import Pose

UNREACHABLE: Final = 1e6
"""A bound [m or rad] out of reach, for the open side of one-sided limits."""

SOFT: Final = (1e-4, 1e-4, 0.001)
"""The impedance of soft limits: the smallest that MuJoCo accepts."""

HARD: Final = (0.99, 0.99, 0.001)
"""The impedance of hard limits and of loops."""

CARRIED: Final = (0.9999, 0.9999, 0.001)
"""The same for a link that only carries a joint of a loop: the largest that MuJoCo accepts.

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
"""The largest stable k A h² and c A h with steps of h."""

ARM: Final = 1.0
"""Length [m] of the arms whose tips measure the angle of a cone."""

SEPARATION: Final = 1e-6
"""Least distance [m] between the ends of a tendon at the start."""


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

    def hard(self, link: Link | None) -> dict[str, Value]:
        """Return the solver parameters of a hard limit of a link without bounce."""
        damping = STOP / self.step
        stiffness = REBOUND * damping**2
        return {"solreflimit": (-stiffness, -damping), "solimplimit": _impedance(link)}

    def give(self, mapped: MappedJoint) -> None:
        """Assign the limits of a joint to its degrees of freedom, or add tendons for them."""
        by_key = {dof.key: dof for dof in mapped.dofs if dof.key is not None}
        for bound in mapped.freedom.bounds:
            axes = bound.linear_axes or bound.angular_axes
            key = Key("linear" if bound.linear_axes else "angular", axes[0])
            if len(axes) == 1:
                self._single(mapped, by_key[key], in_hinge_angles(mapped, bound))
            elif bound.linear_axes:
                self._distance(mapped, bound, by_key)
            elif len(axes) == 2:
                self._cone(mapped, bound)
            else:
                self._whole_angle(mapped, bound)
        if (tilt := mapped.freedom.tilt) is not None and mapped.freedom.hinge is None:
            self.subject.lose(tilt.pointer, *tilt_loss(tilt))
        self._report_coupled_hinges(mapped)
        self._report_tilted_hinge(mapped)

    def tie(self, mapped: MappedJoint) -> None:
        """Hold the two sides of a joint outside the trees together, by an equality constraint.

        The sites lie where the locks hold the frames, so that a misfit at the start is closed.
        """
        if mapped.is_in_tree or (mapped.freedom.is_distance and mapped.carrier is None):
            return
        tag = "connect" if mapped.freedom.is_connection and mapped.carrier is None else "weld"
        near, frame = mapped.a, mapped.held_b
        if mapped.carrier is not None:
            near, frame = mapped.carrier, mapped.carrier.pose
        sites = {
            "site1": self.site(mapped.name, near, frame),
            "site2": self.site(mapped.name, mapped.b, mapped.frame_b),
        }
        name = self.names.give("equality", mapped.name, "tie")
        solver = self.tight(mapped.carrier, mapped.freedom.misfit)
        self.equalities.add(tag, {"name": name, **sites, **solver})

    def attributes(self, link: Link, dof: Dof) -> dict[str, Value]:
        """Return the attributes of a joint element for its bounds and springs."""
        values: dict[str, Value] = {}
        if dof.bound is not None:
            bound = dof.bound
            low, high = (0.0, bound.maximum) if dof.kind == "ball" else _ends(bound)
            values["range"] = (low, high)
            values |= self._solver(bound, self.dynamics.compliance(dof, link), link)
        if dof.spring is not None:
            soft = self._stabilized(dof.spring, self.dynamics.compliance(dof, link))
            values |= {"stiffness": soft.stiffness, "damping": soft.damping}
            if dof.kind != "ball":
                values["springref"] = (soft.minimum + soft.maximum) / 2
        return values

    # --- one axis ---

    def _single(self, mapped: MappedJoint, dof: Dof, bound: Limit) -> None:
        is_soft = math.isfinite(bound.stiffness)
        if is_soft and bound.minimum == bound.maximum and dof.spring is None:
            dof.spring = bound
        elif dof.bound is None:
            dof.bound = bound
        else:
            self._fixed_tendon(mapped, dof, bound)

    def _fixed_tendon(self, mapped: MappedJoint, dof: Dof, bound: Limit) -> None:
        """Add a second limit of a degree of freedom: on a tendon whose length is its position."""
        link = mapped.carrier or _moved(mapped, dof)
        values: dict[str, Value] = {"name": self.names.give("tendon", mapped.name, "tendon")}
        compliance = self.dynamics.compliance(dof, link)
        if bound.minimum == bound.maximum:
            soft = self._stabilized(bound, compliance)
            length = soft.minimum if soft.minimum != -1 else math.nextafter(-1, 0)
            values |= {"stiffness": soft.stiffness, "damping": soft.damping}
            values["springlength"] = length
        else:
            values |= {"range": _ends(bound), **self._solver(bound, compliance, link)}
        tendon = self.tendons.add("fixed", values)
        tendon.add("joint", {"joint": dof.name, "coef": 1.0})

    # --- distances ---

    def _distance(self, mapped: MappedJoint, bound: Limit, by_key: dict[Key, Dof]) -> None:
        """Add a distance between the frames, or from an axis that nothing moves along."""
        if len(bound.linear_axes) == 2:
            along = Key("linear", 3 - sum(bound.linear_axes))
            if along not in mapped.freedom.locks:
                self._box(mapped, bound, by_key)
                return
            lifted = mapped.freedom.locks[along]
        else:
            along, lifted = Key("linear", 0), 0.0
        offset = np.eye(3)[along.axis] * lifted
        start = mapped.frame_a.translation + tf.rotate(mapped.frame_a.rotation, offset)
        self._tendon(mapped, bound, np.asarray(start), mapped.frame_b.translation)

    def _box(self, mapped: MappedJoint, bound: Limit, by_key: dict[Key, Dof]) -> None:
        """Bound each axis separately, which is equivalent for a spring towards the axis."""
        if bound.maximum > 0:
            more = bound.maximum * (math.sqrt(2) - 1)
            effect = f"each axis is limited separately, which allows up to {more:g} m more"
            if bound.minimum > 0:
                effect = f"nothing keeps it {bound.minimum:g} m away"
            reason = "MuJoCo has no limit on the distance from a line"
            self.subject.lose(bound.pointer, "a limit on the distance from an axis", reason, effect)
        if not math.isfinite(bound.maximum):
            return
        for axis in bound.linear_axes:
            dof = by_key.get(Key("linear", axis))
            if dof is not None:
                single = dataclasses.replace(bound, linear_axes=(axis,), minimum=-bound.maximum)
                self._single(mapped, dof, single)

    def _tendon(self, mapped: MappedJoint, bound: Limit, start: Floats, end: Floats) -> None:
        """Add a limit on the distance between two points, given in the world at the start."""
        far = mapped.carrier or mapped.b
        start = self._separated(mapped, start, end)
        length = float(np.linalg.norm(end - start))
        least, most = max(bound.minimum, 0.0), min(bound.maximum, UNREACHABLE)
        name = self.names.give("tendon", mapped.name, "tendon")
        values: dict[str, Value] = {"name": name}
        compliance = self.dynamics.compliance_between(mapped.a, start, far, end)
        if not math.isfinite(bound.stiffness):
            if least < most:
                values |= {"range": (least, most), **self.hard(far)}
        elif least >= most:
            soft = self._stabilized(bound, compliance)
            values |= {"stiffness": soft.stiffness, "damping": soft.damping}
            values["springlength"] = most
        else:
            values |= {"range": (least, most), **self._solver(bound, compliance, far)}
        tendon = self.tendons.add("spatial", values)
        for link, point in ((mapped.a, start), (far, end)):
            tendon.add("site", {"site": self.site(mapped.name, link, Pose(point, _STRAIGHT))})
        if not math.isfinite(bound.stiffness) and least >= most:
            polynomial = (most - length, 0.0, 0.0, 0.0, 0.0)
            rod: dict[str, Value] = {"tendon1": name, "polycoef": polynomial}
            self.equalities.add("tendon", rod | self.tight(far, abs(most - length)))

    def _separated(self, mapped: MappedJoint, start: Floats, end: Floats) -> Floats:
        """Separate the ends of a tendon of zero length along its most compliant axis.

        MuJoCo would evaluate it along X. Without compliance in that direction, its solver becomes
        unstable as soon as the limit is reached.
        """
        if np.linalg.norm(end - start) >= SEPARATION:
            return start
        far, axes = mapped.carrier or mapped.b, np.asarray(tf.to_matrix(mapped.frame_a.rotation)).T
        places: list[Floats] = [end - SEPARATION * axis for axis in axes]
        stiff = [self.dynamics.compliance_between(mapped.a, place, far, end) for place in places]
        return places[int(np.argmax([each if math.isfinite(each) else 0.0 for each in stiff]))]

    def tight(self, link: Link | None, gap: float) -> dict[str, Value]:
        """Return the solver parameters of equalities on a link, which close loops.

        What starts `gap` apart [m or rad] takes longer, so that it closes at CLOSING_SPEED.
        """
        shortest, settling = 2 * self.step, gap / (math.e * CLOSING_SPEED)
        if self.is_run or settling <= shortest:
            return {"solref": (shortest, 1.0), "solimp": _impedance(link)}
        if _impedance(link) is CARRIED:
            settling = min(settling, max(shortest, PATIENCE))
        return {"solref": (settling, 1.0), "solimp": CARRIED}

    # --- angles ---

    def _cone(self, mapped: MappedJoint, bound: Limit) -> None:
        """Add the angle between two axes as the distance between the tips of arms along them."""
        axis = 3 - sum(bound.angular_axes)
        if mapped.freedom.free("linear"):
            effect = "the angle is not bounded"
            reason = "MuJoCo has cones only about a fixed point"
            self.subject.lose(bound.pointer, "a limit on the angle of a cone", reason, effect)
            return
        tips = [
            mapped.frame_b.translation + tf.rotate(frame.rotation, ARM * np.eye(3)[axis])
            for frame in (mapped.frame_a, mapped.frame_b)
        ]
        least, most = (_chord(value) for value in (max(bound.minimum, 0.0), bound.maximum))
        chord = dataclasses.replace(bound, minimum=least, maximum=most)
        if math.isfinite(bound.stiffness):
            # At the bound, the force on the tips must have the torque of the file.
            slope = max(ARM * math.cos(min(bound.maximum, math.pi) / 2), 0.1) ** 2
            chord = dataclasses.replace(
                chord, stiffness=bound.stiffness / slope, damping=bound.damping / slope
            )
            effect = "the torque is right at the bound, and too small beyond it"
            reason = "MuJoCo applies forces at the tips of arms"
            self.subject.lose(bound.pointer, "a soft limit on the angle of a cone", reason, effect)
        self._tendon(mapped, chord, np.asarray(tips[0]), np.asarray(tips[1]))

    def _whole_angle(self, mapped: MappedJoint, bound: Limit) -> None:
        """Add the angle of a whole rotation as the range of a ball."""
        ball = next((dof for dof in mapped.dofs if dof.kind == "ball"), None)
        turn = tf.multiply(tf.conjugate(mapped.frame_a.rotation), mapped.frame_b.rotation)
        off = float(tf.angle_between(turn, _STRAIGHT))
        what, reason = "a limit on the total angle", ""
        if ball is None:
            reason, effect = "MuJoCo has it for ball joints only", "the angle is not bounded"
        elif bound.minimum > 0:
            reason, effect = "MuJoCo has no minimum angle", f"{bound.minimum:g} rad is left out"
        elif off > MISFIT:
            reason = "MuJoCo measures from the initial pose of a ball joint"
            effect = f"it is measured from a pose {off:g} rad off"
        if reason:
            self.subject.lose(bound.pointer, what, reason, effect)
        if ball is not None and math.isfinite(bound.stiffness) and bound.maximum <= 0:
            ball.spring = bound
        elif ball is not None and ball.bound is None and 0 < bound.maximum < math.pi:
            ball.bound = bound

    def _report_coupled_hinges(self, mapped: MappedJoint) -> None:
        """Report how far consecutive hinges deviate from rotation about the axes of the frame."""
        hinges = [dof for dof in mapped.dofs if dof.kind == "hinge"]
        if len(hinges) < 2:
            return
        reach = [_reach(dof) for dof in hinges[:2]]
        off = 2 * math.atan(math.prod(math.tan(angle / 2) for angle in reach))
        pointer = self.subject.joint_pointer(self.subject.scene.joints[mapped.index].node)
        self.subject.lose(
            pointer,
            f"free rotation about {len(hinges)} axes",
            "MuJoCo rotates about one axis after the other",
            f"where both have turned fully, the third axis differs by {off:.3g} rad",
        )

    def _report_tilted_hinge(self, mapped: MappedJoint) -> None:
        """Report forces about an axis next to angles that are locked at other values than 0."""
        if mapped.freedom.hinge is None or (stretch := mapped.freedom.hinge[1]) == 1:
            return
        soft = [each.pointer for each in mapped.freedom.bounds if math.isfinite(each.stiffness)]
        drives = [drive.pointer for drive in mapped.freedom.drives if drive.type == "angular"]
        for pointer in soft + drives:
            self.subject.lose(
                pointer,
                "a torque by an angle next to angles locked at other values than 0",
                "MuJoCo measures the rotation of the hinge",
                f"it is up to {stretch - 1:.2%} off",
            )

    # --- the solver ---

    def _solver(self, bound: Limit, compliance: float, link: Link | None) -> dict[str, Value]:
        if not math.isfinite(bound.stiffness) or not math.isfinite(compliance):
            return self.hard(link)
        soft = self._stabilized(bound, compliance)
        gains = (-soft.stiffness * compliance, -soft.damping * compliance)
        return {"solreflimit": gains, "solimplimit": SOFT}

    def _stabilized(self, bound: Limit, compliance: float) -> Limit:
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

    def site(self, name: str, link: Link | None, pose: Pose) -> str:
        """Add a site at a pose of the world at the start; return its name."""
        held = pose if link is None else link.within(pose)
        given = self.names.give("site", name, "site")
        place: dict[str, Value] = {"name": given, "pos": held.translation}
        if not np.array_equal(held.rotation, _STRAIGHT):
            place["quat"] = quaternion(held.rotation)
        self.sites.setdefault(0 if link is None else id(link), []).append(place)
        return given


_STRAIGHT: Final = np.array([0.0, 0.0, 0.0, 1.0])


def in_hinge_angles(mapped: MappedJoint, bound: Limit) -> Limit:
    """Return bounds of a twist as those of MuJoCo's hinge."""
    if not bound.angular_axes:
        return bound
    low, high = map(mapped.freedom.hinge_angle, (bound.minimum, bound.maximum))
    return dataclasses.replace(bound, minimum=low, maximum=high)


def _chord(angle: float) -> float:
    return 2 * ARM * math.sin(min(angle, math.pi) / 2)


def _ends(bound: Limit) -> tuple[float, float]:
    return max(bound.minimum, -UNREACHABLE), min(bound.maximum, UNREACHABLE)


def _reach(dof: Dof) -> float:
    """Return the largest angle [rad] of a hinge, a right angle where it has no bounds."""
    if dof.bound is None:
        return math.pi / 2
    return min(max(abs(dof.bound.minimum), abs(dof.bound.maximum)), math.pi / 2)


def _moved(mapped: MappedJoint, dof: Dof) -> Link:
    """Return the link that a joint of the tree moves."""
    return next(link for link in (mapped.a, mapped.b) if link is not None and dof in link.dofs)


def _impedance(link: Link | None) -> tuple[float, float, float]:
    return CARRIED if link is not None and link.body is None else HARD

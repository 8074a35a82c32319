"""Limits of joints: ranges where MuJoCo has them, tendons for distances and cones.

A soft limit is a force k x + c v beyond its bounds. MuJoCo's limits are constraints: with an
impedance d and the compliance A that the compiler works out for the start, their force is
(d a + K x + C v) / A, where a is the acceleration without them. For K = k A, C = c A and the least
impedance it is the force that the file asks for, up to a ten-thousandth of the other forces.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Final

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.convert.freedom import MISFIT, Key
from ligament.convert.mjcf.model.contacts import bounce
from ligament.convert.mjcf.model.dynamics import Dynamics
from ligament.convert.mjcf.model.elements import Element, Names, Subject, Value, quaternion
from ligament.convert.mjcf.model.links import Dof, Link
from ligament.convert.mjcf.model.skeleton import Hold
from ligament.extensions.declarations import Limit
from ligament.physics.scene import Pose

ENDLESS: Final = 1e6
"""A bound [m or rad] that nothing reaches, for the other side of limits that have one."""

SOFT: Final = (1e-4, 1e-4, 0.001)
"""The impedance of soft limits: the least that MuJoCo takes."""

HARD: Final = (0.99, 0.99, 0.001)
"""The impedance of hard limits and of loops."""

STIFFEST: Final = 0.25
"""The largest k A h² and c A h that explicit steps of h carry well."""

ARM: Final = 1.0
"""Length [m] of the arms whose tips tell the angle of a cone."""

APART: Final = 1e-6
"""Distance [m] that the ends of a tendon have at the start at least."""


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Limiter:
    """Writes the limits of joints: attributes of their own, and tendons with their sites."""

    subject: Subject
    dynamics: Dynamics
    names: Names
    step: float
    tendons: Element
    equalities: Element
    sites: dict[int, list[dict[str, Value]]]
    """The sites of every link by its identity; those of the world by 0."""

    def hard(self) -> dict[str, Value]:
        """Return the solver's parameters of a hard limit, which does not bounce."""
        stiffness, damping = bounce(0.0, self.step)
        return {"solreflimit": (-stiffness, -damping), "solimplimit": HARD}

    def give(self, hold: Hold) -> None:
        """Give the limits of a joint to its degrees of freedom, or make tendons of them."""
        by_key = {dof.key: dof for dof in hold.dofs if dof.key is not None}
        for bound in hold.freedom.bounds:
            axes = bound.linear_axes or bound.angular_axes
            key = Key("linear" if bound.linear_axes else "angular", axes[0])
            if len(axes) == 1:
                self._single(hold, by_key[key], bound)
            elif bound.linear_axes:
                self._distance(hold, bound, by_key)
            elif len(axes) == 2:
                self._cone(hold, bound)
            else:
                self._whole_angle(hold, bound)
        self._tell_turns(hold)

    def tie(self, hold: Hold) -> None:
        """Hold the two sides of a joint outside the trees together, by an equality constraint.

        The sites lie in the frames, so that a misfit at the start is pulled together.
        """
        if hold.is_in_tree or (hold.freedom.is_distance and hold.carrier is None):
            return
        tag = "connect" if hold.freedom.is_connection and hold.carrier is None else "weld"
        near = hold.a if hold.carrier is None else hold.carrier
        frame = hold.frame_a if hold.carrier is None else hold.carrier.pose
        sites = {
            "site1": self.site(hold.name, near, frame),
            "site2": self.site(hold.name, hold.b, hold.frame_b),
        }
        name = self.names.give("equality", hold.name, "tie")
        self.equalities.add(tag, {"name": name, **sites, **self.tight()})

    def attributes(self, link: Link, dof: Dof) -> dict[str, Value]:
        """Return the attributes of a joint element that say what bounds it."""
        values: dict[str, Value] = {}
        if dof.bound is not None:
            bound = dof.bound
            low, high = (0.0, bound.maximum) if dof.kind == "ball" else _ends(bound)
            values["range"] = (low, high)
            values |= self._solver(bound, self.dynamics.compliance(dof, link))
        if dof.spring is not None:
            soft = self._bearable(dof.spring, self.dynamics.compliance(dof, link))
            values |= {"stiffness": soft.stiffness, "damping": soft.damping}
            if dof.kind != "ball":
                values["springref"] = (soft.minimum + soft.maximum) / 2
        return values

    # --- one axis ---

    def _single(self, hold: Hold, dof: Dof, bound: Limit) -> None:
        is_soft = math.isfinite(bound.stiffness)
        if is_soft and bound.minimum == bound.maximum and dof.spring is None:
            dof.spring = bound
        elif dof.bound is None:
            dof.bound = bound
        else:
            self._fixed_tendon(hold, dof, bound)

    def _fixed_tendon(self, hold: Hold, dof: Dof, bound: Limit) -> None:
        """Write a second limit of a joint: of a tendon that is as long as the joint is far."""
        link = hold.carrier or _moved(hold, dof)
        values: dict[str, Value] = {"name": self.names.give("tendon", hold.name, "tendon")}
        compliance = self.dynamics.compliance(dof, link)
        if bound.minimum == bound.maximum:
            soft = self._bearable(bound, compliance)
            length = soft.minimum if soft.minimum != -1 else math.nextafter(-1, 0)
            values |= {"stiffness": soft.stiffness, "damping": soft.damping}
            values["springlength"] = length
        else:
            values |= {"range": _ends(bound), **self._solver(bound, compliance)}
        tendon = self.tendons.add("fixed", values)
        tendon.add("joint", {"joint": dof.name, "coef": 1.0})

    # --- distances ---

    def _distance(self, hold: Hold, bound: Limit, by_key: dict[Key, Dof]) -> None:
        """Write a distance between the frames, or from an axis that nothing moves along."""
        if len(bound.linear_axes) == 2:
            along = Key("linear", 3 - sum(bound.linear_axes))
            if along not in hold.freedom.locks:
                self._box(hold, bound, by_key)
                return
            lifted = hold.freedom.locks[along]
        else:
            along, lifted = Key("linear", 0), 0.0
        offset = np.eye(3)[along.axis] * lifted
        start = hold.frame_a.translation + tf.rotate(hold.frame_a.rotation, offset)
        self._tendon(hold, bound, np.asarray(start), hold.frame_b.translation)

    def _box(self, hold: Hold, bound: Limit, by_key: dict[Key, Dof]) -> None:
        """Bound each axis by itself, which for a spring towards the axis is the same."""
        if bound.maximum > 0:
            more = bound.maximum * (math.sqrt(2) - 1)
            effect = f"each axis is bounded by itself, which leaves up to {more:g} m more"
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
                self._single(hold, dof, single)

    def _tendon(self, hold: Hold, bound: Limit, start: Floats, end: Floats) -> None:
        """Write a limit on the distance of two points, given in the world at the start."""
        far = hold.carrier or hold.b
        start = self._apart(hold, start, end)
        length = float(np.linalg.norm(end - start))
        least, most = max(bound.minimum, 0.0), min(bound.maximum, ENDLESS)
        name = self.names.give("tendon", hold.name, "tendon")
        values: dict[str, Value] = {"name": name}
        compliance = self.dynamics.compliance_between(hold.a, start, far, end)
        if not math.isfinite(bound.stiffness):
            if least < most:
                values |= {"range": (least, most), **self.hard()}
        elif least >= most:
            soft = self._bearable(bound, compliance)
            values |= {"stiffness": soft.stiffness, "damping": soft.damping}
            values["springlength"] = most
        else:
            values |= {"range": (least, most), **self._solver(bound, compliance)}
        tendon = self.tendons.add("spatial", values)
        for link, point in ((hold.a, start), (far, end)):
            tendon.add("site", {"site": self.site(hold.name, link, Pose(point, _STRAIGHT))})
        if not math.isfinite(bound.stiffness) and least >= most:
            polynomial = (most - length, 0.0, 0.0, 0.0, 0.0)
            rod: dict[str, Value] = {"tendon1": name, "polycoef": polynomial}
            self.equalities.add("tendon", rod | self.tight())

    def _apart(self, hold: Hold, start: Floats, end: Floats) -> Floats:
        """Move the start of a tendon without length to where a push between its ends moves most.

        MuJoCo would ask for a push along X. Where nothing yields to that, it takes the limit for
        one without any compliance, and its solver blows up as soon as the limit is reached.
        """
        if np.linalg.norm(end - start) >= APART:
            return start
        far, axes = hold.carrier or hold.b, np.asarray(tf.to_matrix(hold.frame_a.rotation)).T
        places: list[Floats] = [end - APART * axis for axis in axes]
        stiff = [self.dynamics.compliance_between(hold.a, place, far, end) for place in places]
        return places[int(np.argmax([each if math.isfinite(each) else 0.0 for each in stiff]))]

    def tight(self) -> dict[str, Value]:
        """Return the solver's parameters of what holds a loop together."""
        return {"solref": (2 * self.step, 1.0), "solimp": HARD}

    # --- angles ---

    def _cone(self, hold: Hold, bound: Limit) -> None:
        """Write the angle between two axes as the distance of the tips of arms along them."""
        axis = 3 - sum(bound.angular_axes)
        if hold.freedom.free("linear"):
            effect = "the angle is not bounded"
            reason = "MuJoCo has cones only about a fixed point"
            self.subject.lose(bound.pointer, "a limit on the angle of a cone", reason, effect)
            return
        tips = [
            hold.frame_b.translation + tf.rotate(frame.rotation, ARM * np.eye(3)[axis])
            for frame in (hold.frame_a, hold.frame_b)
        ]
        least, most = (_chord(value) for value in (max(bound.minimum, 0.0), bound.maximum))
        chord = dataclasses.replace(bound, minimum=least, maximum=most)
        if math.isfinite(bound.stiffness):
            # At the bound the force at the tips must turn as much as the file says.
            slope = max(ARM * math.cos(min(bound.maximum, math.pi) / 2), 0.1) ** 2
            chord = dataclasses.replace(
                chord, stiffness=bound.stiffness / slope, damping=bound.damping / slope
            )
            effect = "the torque is right at the bound, and falls behind beyond it"
            reason = "MuJoCo pulls at the tips of arms"
            self.subject.lose(bound.pointer, "a soft limit on the angle of a cone", reason, effect)
        self._tendon(hold, chord, np.asarray(tips[0]), np.asarray(tips[1]))

    def _whole_angle(self, hold: Hold, bound: Limit) -> None:
        """Write the angle of a whole rotation: the range of a ball."""
        ball = next((dof for dof in hold.dofs if dof.kind == "ball"), None)
        turn = tf.multiply(tf.conjugate(hold.frame_a.rotation), hold.frame_b.rotation)
        off = float(tf.angle_between(turn, _STRAIGHT))
        what, reason = "a limit on the whole angle", ""
        if ball is None:
            reason, effect = "MuJoCo has it for balls only", "the angle is not bounded"
        elif bound.minimum > 0:
            reason, effect = "MuJoCo has no least angle", f"{bound.minimum:g} rad is left out"
        elif off > MISFIT:
            reason = "MuJoCo measures from where a ball starts"
            effect = f"it is measured from a pose that is {off:g} rad off"
        if reason:
            self.subject.lose(bound.pointer, what, reason, effect)
        if ball is not None and math.isfinite(bound.stiffness) and bound.maximum <= 0:
            ball.spring = bound
        elif ball is not None and ball.bound is None and 0 < bound.maximum < math.pi:
            ball.bound = bound

    def _tell_turns(self, hold: Hold) -> None:
        """Say how far hinges that turn one after another are from what the file means."""
        hinges = [dof for dof in hold.dofs if dof.kind == "hinge"]
        if len(hinges) < 2:
            return
        reach = [_reach(dof) for dof in hinges[:2]]
        off = 2 * math.atan(math.prod(math.tan(angle / 2) for angle in reach))
        pointer = self.subject.joint_pointer(self.subject.scene.joints[hold.index].node)
        self.subject.lose(
            pointer,
            f"free rotation about {len(hinges)} axes",
            "MuJoCo turns about one axis after the other",
            f"where both have turned fully, the third axis differs by {off:.3g} rad",
        )

    # --- the solver ---

    def _solver(self, bound: Limit, compliance: float) -> dict[str, Value]:
        if not math.isfinite(bound.stiffness) or not math.isfinite(compliance):
            return self.hard()
        soft = self._bearable(bound, compliance)
        gains = (-soft.stiffness * compliance, -soft.damping * compliance)
        return {"solreflimit": gains, "solimplimit": SOFT}

    def _bearable(self, bound: Limit, compliance: float) -> Limit:
        """Return a soft limit that steps of this length can carry."""
        if not math.isfinite(compliance) or compliance <= 0:
            return bound
        stiffness = min(bound.stiffness, STIFFEST / compliance / self.step**2)
        damping = min(bound.damping, STIFFEST / compliance / self.step)
        if stiffness < bound.stiffness or damping < bound.damping:
            effect = f"stiffness {stiffness:g} and damping {damping:g} are written"
            reason = f"steps of {self.step:g} s cannot carry it"
            self.subject.lose(bound.pointer, "a very stiff limit", reason, effect)
        return dataclasses.replace(bound, stiffness=stiffness, damping=damping)

    def site(self, name: str, link: Link | None, pose: Pose) -> str:
        """Put a site at a pose of the world at the start; returns its name."""
        held = pose if link is None else link.within(pose)
        given = self.names.give("site", name, "site")
        place: dict[str, Value] = {"name": given, "pos": held.translation}
        if not np.array_equal(held.rotation, _STRAIGHT):
            place["quat"] = quaternion(held.rotation)
        self.sites.setdefault(0 if link is None else id(link), []).append(place)
        return given


_STRAIGHT: Final = np.array([0.0, 0.0, 0.0, 1.0])


def _chord(angle: float) -> float:
    return 2 * ARM * math.sin(min(angle, math.pi) / 2)


def _ends(bound: Limit) -> tuple[float, float]:
    return max(bound.minimum, -ENDLESS), min(bound.maximum, ENDLESS)


def _reach(dof: Dof) -> float:
    """Return the largest angle [rad] of a hinge, a right angle where it has no bounds."""
    if dof.bound is None:
        return math.pi / 2
    return min(max(abs(dof.bound.minimum), abs(dof.bound.maximum)), math.pi / 2)


def _moved(hold: Hold, dof: Dof) -> Link:
    """Return the link that a joint of the tree moves."""
    return next(link for link in (hold.a, hold.b) if link is not None and dof in link.dofs)

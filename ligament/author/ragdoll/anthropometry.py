"""The tables of the human body: masses, thickness and how far joints turn.

Masses and centres are those of P. de Leva, "Adjustments to Zatsiorsky-Seluyanov's segment inertia
parameters", Journal of Biomechanics 29 (9), 1996, table 4. Its 16 segments are the bodies of a
ragdoll. Ranges of motion are rounded from the norms of the American Academy of Orthopaedic Surgeons
(1965), which a circular cone can only approximate.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Final, Literal, NamedTuple, TypeAlias

Vector: TypeAlias = tuple[float, float, float]
Side: TypeAlias = Literal["", "left", "right"]


class Build(StrEnum):
    """Whose masses: those of women, of men, or the mean of both."""

    MEAN = "mean"
    FEMALE = "female"
    MALE = "male"


class Form(StrEnum):
    """What a segment is made of."""

    CAPSULE = "capsule"
    BOX = "box"


class Turning(NamedTuple):
    """How a segment turns on the one before it, seen in a T-pose that faces +Z.

    A cone is around `center`, the direction of the segment in the middle of its range, and opens by
    `swing` [degrees] to every side; `twist` is about the segment, 0 in a T-pose. A hinge has no
    swing: it turns about `center` by `twist`, 0 where the limb is straight.
    """

    center: Vector
    swing: float | None
    twist: tuple[float, float]

    @property
    def is_hinge(self) -> bool:
        """Whether it turns about one axis alone."""
        return self.swing is None


class Segment(NamedTuple):
    """A part of the body that moves as one piece.

    `bones` are those that it can ride on, the first that is there; `parent` the segment that it
    hangs on. `female` and `male` are its mass [% of the body's]; `centers` where its centre of mass
    lies from its first joint to its last, of women and men, None where the shape says. `thickness`
    is the radius of a capsule as a part of its length. `direction` is where it points in a T-pose.
    """

    name: str
    bones: tuple[str, ...]
    parent: str | None
    form: Form
    female: float
    male: float
    centers: tuple[float, float] | None
    thickness: float
    direction: Vector
    turning: Turning | None

    def share(self, build: Build) -> float:
        """Return the part of the body's mass that it has."""
        both = {Build.FEMALE: self.female, Build.MALE: self.male}
        return both.get(build, (self.female + self.male) / 2) / 100

    def center(self, build: Build) -> float | None:
        """Return where along it the centre of mass lies, None where the shape says."""
        if self.centers is None:
            return None
        female, male = self.centers
        return {Build.FEMALE: female, Build.MALE: male}.get(build, (female + male) / 2)


_UP, _DOWN, _FORWARD = (0.0, 1.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0)


def _trunk() -> Iterator[Segment]:
    bend = Turning((0.0, 0.985, 0.174), 30.0, (-22.0, 22.0))
    nod = Turning(_UP, 45.0, (-70.0, 70.0))
    box, capsule = Form.BOX, Form.CAPSULE
    yield Segment("pelvis", ("hips",), None, box, 12.47, 11.17, None, 0, _UP, None)
    yield Segment("abdomen", ("spine",), "pelvis", box, 14.65, 16.33, None, 0, _UP, bend)
    yield Segment("thorax", ("chest",), "abdomen", box, 15.45, 15.96, None, 0, _UP, bend)
    yield Segment("head", ("neck", "head"), "thorax", capsule, 6.68, 6.94, None, 0.4, _UP, nod)


def _limbs(side: Literal["left", "right"]) -> Iterator[Segment]:
    x = 1.0 if side == "left" else -1.0
    out = (x, 0.0, 0.0)

    def limb(
        name: str,
        bone: str,
        parent: str,
        masses: tuple[float, float],
        centers: tuple[float, float] | None,
        thickness: float,
        direction: Vector,
        turning: Turning,
        form: Form = Form.CAPSULE,
    ) -> Segment:
        above = parent if parent in ("pelvis", "thorax") else f"{side} {parent}"
        bones = (f"{side}{bone}",)
        name = f"{side} {name}"
        return Segment(name, bones, above, form, *masses, centers, thickness, direction, turning)

    shoulder = Turning((0.837 * x, -0.259, 0.483), 85.0, (-80.0, 80.0))
    elbow = Turning((0.0, -x, 0.0), None, (0.0, 145.0))
    wrist = Turning(out, 50.0, (-80.0, 80.0))
    hip = Turning((0.133 * x, -0.755, 0.643), 60.0, (-40.0, 40.0))
    knee = Turning((1.0, 0.0, 0.0), None, (0.0, 140.0))
    ankle = Turning((0.0, -0.259, 0.966), 35.0, (-25.0, 25.0))
    arm, forearm, thigh, shank = "upper arm", "forearm", "thigh", "shank"
    yield limb(arm, "UpperArm", "thorax", (2.55, 2.71), (0.5754, 0.5772), 0.16, out, shoulder)
    yield limb(forearm, "LowerArm", arm, (1.38, 1.62), (0.4559, 0.4574), 0.14, out, elbow)
    yield limb("hand", "Hand", forearm, (0.56, 0.61), None, 0.20, out, wrist)
    yield limb(thigh, "UpperLeg", "pelvis", (14.78, 14.16), (0.3612, 0.4095), 0.20, _DOWN, hip)
    yield limb(shank, "LowerLeg", thigh, (4.81, 4.33), (0.4352, 0.4395), 0.11, _DOWN, knee)
    yield limb("foot", "Foot", shank, (1.29, 1.37), None, 0, _FORWARD, ankle, Form.BOX)


SEGMENTS: Final = {s.name: s for s in (*_trunk(), *_limbs("left"), *_limbs("right"))}
"""All segments by name, those that carry others first."""

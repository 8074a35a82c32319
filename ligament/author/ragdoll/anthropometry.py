"""Anthropometry: masses, thicknesses and joint ranges of the segments of the human body.

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

_UP, _DOWN, _FORWARD = (0.0, 1.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0)


class Build(StrEnum):
    """The population of the mass table: women, men, or the mean of both."""

    MEAN = "mean"
    FEMALE = "female"
    MALE = "male"


class Form(StrEnum):
    """The shape of a segment."""

    CAPSULE = "capsule"
    BOX = "box"


class JointRange(NamedTuple):
    """The range of motion of a segment on its parent, in the axes of a T-pose that faces +Z.

    A cone surrounds `center`, the direction of the segment in the middle of its range, with a half
    angle of `swing` [degrees]; `twist` is about the segment, 0 in a T-pose. A hinge has no
    swing: it rotates about `center` by `twist`, 0 where the limb is straight.
    """

    center: Vector
    swing: float | None
    twist: tuple[float, float]

    @property
    def is_hinge(self) -> bool:
        """Whether the segment rotates about one axis only."""
        return self.swing is None


class Segment(NamedTuple):
    """A part of the body that moves as one piece.

    It is attached to the first of `bones` that exists; `parent` is the segment that it is joined
    to. `female` and `male` are its mass [% of the body's]; `centers` the position of its centre of
    mass between its first joint (0) and its last (1), of women and men, None to use that of the
    shape. `thickness` is the radius of a capsule relative to its length. `direction` is where it
    points in a T-pose; `joint_range` its range of motion.
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
    joint_range: JointRange | None

    def share(self, build: Build) -> float:
        """Return the segment's fraction of the body's mass."""
        both = {Build.FEMALE: self.female, Build.MALE: self.male}
        return both.get(build, (self.female + self.male) / 2) / 100

    def center(self, build: Build) -> float | None:
        """Return the position of the centre of mass (0 to 1), None to use that of the shape."""
        if self.centers is None:
            return None
        female, male = self.centers
        return {Build.FEMALE: female, Build.MALE: male}.get(build, (female + male) / 2)


def _trunk() -> Iterator[Segment]:
    bend = JointRange((0.0, 0.985, 0.174), 30.0, (-22.0, 22.0))
    nod = JointRange(_UP, 45.0, (-70.0, 70.0))
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
        joint_range: JointRange,
        form: Form = Form.CAPSULE,
    ) -> Segment:
        above = parent if parent in ("pelvis", "thorax") else f"{side} {parent}"
        bones = (f"{side}{bone}",)
        name = f"{side} {name}"
        return Segment(
            name, bones, above, form, *masses, centers, thickness, direction, joint_range
        )

    shoulder = JointRange((0.837 * x, -0.259, 0.483), 85.0, (-80.0, 80.0))
    elbow = JointRange((0.0, -x, 0.0), None, (0.0, 145.0))
    wrist = JointRange(out, 50.0, (-80.0, 80.0))
    hip = JointRange((0.133 * x, -0.755, 0.643), 60.0, (-40.0, 40.0))
    knee = JointRange((1.0, 0.0, 0.0), None, (0.0, 140.0))
    ankle = JointRange((0.0, -0.259, 0.966), 35.0, (-25.0, 25.0))
    arm, forearm, thigh, shank = "upper arm", "forearm", "thigh", "shank"
    yield limb(arm, "UpperArm", "thorax", (2.55, 2.71), (0.5754, 0.5772), 0.16, out, shoulder)
    yield limb(forearm, "LowerArm", arm, (1.38, 1.62), (0.4559, 0.4574), 0.14, out, elbow)
    yield limb("hand", "Hand", forearm, (0.56, 0.61), None, 0.20, out, wrist)
    yield limb(thigh, "UpperLeg", "pelvis", (14.78, 14.16), (0.3612, 0.4095), 0.20, _DOWN, hip)
    yield limb(shank, "LowerLeg", thigh, (4.81, 4.33), (0.4352, 0.4395), 0.11, _DOWN, knee)
    yield limb("foot", "Foot", shank, (1.29, 1.37), None, 0, _FORWARD, ankle, Form.BOX)


SEGMENTS: Final = {s.name: s for s in (*_trunk(), *_limbs("left"), *_limbs("right"))}
"""All segments by name, parents before children."""

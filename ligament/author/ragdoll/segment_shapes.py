"""Shapes of segments from the lengths of the avatar's bones, and the gaps between them.

Capsules lie between two joints with their ends inside, so that segments with another one
between them do not touch. Boxes are aligned with the axes of the segment in a T-pose.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from itertools import combinations

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.author.proximity import Rounded, nearest
from ligament.author.ragdoll.anatomy import Anatomy, Part
from ligament.author.ragdoll.anthropometry import Form
from ligament.extensions.shapes import Box, Capsule

LEAST = 0.01
"""Bones shorter than this, relative to the height of the body, count as having no length."""

THICKEST = 0.45
"""Largest radius of a capsule relative to its length, so that some length is left."""

_LENGTHS = {"head": 0.14, "arm": 0.162, "forearm": 0.155, "hand": 0.108, "thigh": 0.2425}

_LENGTHS |= {"shank": 0.2493, "foot": 0.148, "pelvis": 0.084, "abdomen": 0.124, "thorax": 0.139}
"""Lengths relative to the height of the body (de Leva, table 4, men), for bones without any."""

GAP = 0.002
"""Least distance at rest between segments that may collide, relative to the height of the body."""

STEP = 0.93

THINNEST = 0.45
"""Least factor by which shapes are made thinner; pairs that still overlap never collide."""


@dataclasses.dataclass(frozen=True)
class Solid:
    """A shape in the world at rest: `size` (3,) [m] along its own axes, rotated by `rotation`.

    A capsule lies along Y: `size` is its diameter, its whole length and its diameter.
    """

    form: Form
    center: Floats
    rotation: Floats
    size: Floats

    def shape(self, scale: float) -> Box | Capsule:
        """Return the shape to declare below a node of world scale `scale`."""
        x, y, z = (float(extent) / scale for extent in self.size)
        if self.form is Form.BOX:
            return Box((x, y, z))
        return Capsule(y - x, x / 2, x / 2)

    def outline(self) -> Rounded:
        """Return the shape in the world as a hull of points with a radius."""
        half = self.size / 2
        if self.form is Form.CAPSULE:
            reach = half[1] - half[0]
            corners = np.array([[0.0, -reach, 0.0], [0.0, reach, 0.0]])
            return Rounded(self._placed(corners), float(half[0]))
        signs = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T
        return Rounded(self._placed(signs * half), 0.0)

    def thinner(self, factor: float) -> Solid:
        """Return the shape with its widths scaled; capsules keep their length."""
        factors = np.array([factor, 1.0 if self.form is Form.CAPSULE else factor, factor])
        return dataclasses.replace(self, size=self.size * factors)

    def _placed(self, points: Floats) -> Floats:
        return np.asarray(tf.rotate(self.rotation, points) + self.center)


def proportioned(anatomy: Anatomy, part: Part) -> Solid:
    """Make the shape of a part from the lengths of bones alone."""
    name = part.segment.name
    if name == "pelvis":
        return _pelvis(anatomy, part)
    if name in ("abdomen", "thorax"):
        return _torso(anatomy, part)
    if name == "head":
        return _head(anatomy, part)
    if name.endswith("foot"):
        return _foot(anatomy, part)
    return _limb(anatomy, part)


def axis_of(anatomy: Anatomy, part: Part) -> Floats:
    """Return the vector (3,) [m] from the first joint of a part to its other end."""
    end = anatomy.next_joint(part.segment.name)
    start = anatomy.place[part.bone]
    if end is not None and np.linalg.norm(end - start) > LEAST * anatomy.height:
        return np.asarray(end - start)
    if part.segment.name.endswith("hand"):
        return _hand(anatomy, part)
    direction = tf.rotate(anatomy.frame[part.bone], np.array(part.segment.direction))
    return np.asarray(direction * _LENGTHS.get(part.segment.name.split()[-1], 0.1) * anatomy.height)


def capsule(start: Floats, span: Floats, radius: float) -> Solid:
    """Make a capsule that spans two joints, including its end caps."""
    length = float(np.linalg.norm(span))
    width = 2 * min(radius, THICKEST * length)
    turn = np.asarray(tf.between(np.array([0.0, 1.0, 0.0]), span / length))
    size = np.array([width, length, width])
    return Solid(Form.CAPSULE, np.asarray(start + span / 2), turn, size)


def _limb(anatomy: Anatomy, part: Part) -> Solid:
    span = axis_of(anatomy, part)
    thickness = part.segment.thickness * float(np.linalg.norm(span))
    return capsule(anatomy.place[part.bone], span, thickness)


def _hand(anatomy: Anatomy, part: Part) -> Floats:
    """Return the vector along a hand to its finger tips, which lie past the last bones."""
    start, side = anatomy.place[part.bone], part.bone.removesuffix("Hand")
    tips = [f"{side}{f}Distal" for f in ("Middle", "Ring", "Index", "Little")]
    tip = next((anatomy.place[bone] for bone in tips if bone in anatomy.place), None)
    usual = _LENGTHS["hand"] * anatomy.height
    if tip is not None and np.linalg.norm(tip - start) > usual / 3:
        return np.asarray((tip - start) * 1.15)
    arm = anatomy.place[part.bone] - anatomy.place.get(f"{side}LowerArm", start)
    length = np.linalg.norm(arm) * 0.7 or usual
    direction = tf.rotate(anatomy.frame[part.bone], np.array(part.segment.direction))
    return np.asarray(direction * length)


def _head(anatomy: Anatomy, part: Part) -> Solid:
    """Make the skull above the head bone, even if the segment is attached to the neck."""
    start = anatomy.place.get("head", anatomy.place[part.bone])
    up = tf.rotate(anatomy.frame[part.bone], np.array(part.segment.direction))
    length = 0.115 * anatomy.height
    return capsule(start, np.asarray(up * length), part.segment.thickness * length)


def _pelvis(anatomy: Anatomy, part: Part) -> Solid:
    hips, frame = anatomy.place[part.bone], anatomy.frame[part.bone]
    legs = [anatomy.place[b] for b in ("leftUpperLeg", "rightUpperLeg") if b in anatomy.place]
    between = float(np.linalg.norm(legs[0] - legs[1])) if len(legs) == 2 else 0.0
    between = between or 0.1 * anatomy.height
    top = anatomy.next_joint(part.segment.name)
    ends = [_in_frame(frame, point - hips) for point in (*legs, hips if top is None else top)]
    low, high = min(e[1] for e in ends) - 0.3 * between, max(e[1] for e in ends)
    high = max(high, low + 0.6 * between)
    return _box(hips, frame, (1.6 * between, high - low, 1.1 * between), (low + high) / 2)


def _torso(anatomy: Anatomy, part: Part) -> Solid:
    start, frame = anatomy.place[part.bone], anatomy.frame[part.bone]
    length = float(np.linalg.norm(axis_of(anatomy, part)))
    arms = [anatomy.place[b] for b in ("leftUpperArm", "rightUpperArm") if b in anatomy.place]
    between = float(np.linalg.norm(arms[0] - arms[1])) if len(arms) == 2 else 0.0
    width = 0.8 * (between or 0.2 * anatomy.height)
    is_waist = part.segment.name == "abdomen" and "thorax" in anatomy.parts
    width *= 0.85 if is_waist else 1.0
    return _box(start, frame, (width, length, 0.62 * width), length / 2)


def _foot(anatomy: Anatomy, part: Part) -> Solid:
    """Make a foot that reaches from the ankle to the ground, within usual proportions."""
    ankle, side = anatomy.place[part.bone], part.bone.removesuffix("Foot")
    usual = _LENGTHS["foot"] * anatomy.height
    toes = anatomy.place.get(f"{side}Toes")
    frame = anatomy.frame[part.bone]
    reach = 0.0 if toes is None else float(np.hypot(*_in_frame(frame, toes - ankle)[[0, 2]]))
    length = min(max(reach / 0.55, 0.6 * usual), 2 * usual) if reach else usual
    sole = float(np.clip(ankle[1], 0.15 * length, 0.6 * length))
    size = (0.36 * length, sole, length)
    return _box(ankle, frame, size, -sole / 2, forward=0.25 * length)


def _box(
    start: Floats, frame: Floats, size: tuple[float, float, float], up: float, forward: float = 0.0
) -> Solid:
    """Make a box aligned with a segment, offset upward and forward from its joint."""
    center = start + tf.rotate(frame, np.array([0.0, up, forward]))
    return Solid(Form.BOX, np.asarray(center), frame, np.array(size))


def _in_frame(frame: Floats, vector: Floats) -> Floats:
    return np.asarray(tf.rotate(tf.conjugate(frame), vector))


def separated(
    solids: Mapping[str, Solid], joined: set[frozenset[str]], gap: float
) -> tuple[dict[str, Solid], set[frozenset[str]]]:
    """Make shapes thinner until all pairs that are not joined are `gap` [m] apart.

    Returns the shapes, and the pairs that remain too close at the least thickness.
    """
    result = dict(solids)
    widths = dict.fromkeys(solids, 1.0)
    crossed: set[frozenset[str]] = set()
    while pairs := [p for p in _overlapping(result, joined, gap) if p not in crossed]:
        for pair in pairs:
            thick = [name for name in pair if widths[name] * STEP >= THINNEST]
            if not thick:
                crossed.add(pair)
            for name in thick:
                widths[name] *= STEP
                result[name] = solids[name].thinner(widths[name])
    return result, crossed


def _overlapping(
    solids: Mapping[str, Solid], joined: set[frozenset[str]], gap: float
) -> Iterator[frozenset[str]]:
    for one, other in combinations(solids, 2):
        pair = frozenset((one, other))
        a, b = solids[one], solids[other]
        separation = np.linalg.norm(a.center - b.center)
        if pair in joined or separation > np.linalg.norm(a.size + b.size) / 2 + gap:
            continue
        if nearest(a.outline(), b.outline()).distance < gap:
            yield pair

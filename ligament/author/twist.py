"""Twist bones: helpers along the limbs that share the roll of the joint at the limb's end.

A hand that rotates about the forearm would wring the skin at the wrist. Helper bones spread the
twist: one at the fraction t of the distance from elbow to wrist takes the fraction t of it. In a
file that is a roll constraint on the helper, a child of the limb, with the next bone as its source
and t as its weight (VRMC_node_constraint 1.0).
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from typing import Final, Literal, TypeAlias

import numpy as np

from ligament import transforms as tf
from ligament.arguments import checked
from ligament.arrays import Floats
from ligament.author.editor import Editor
from ligament.errors import EditError
from ligament.extensions.vrmc_node_constraint import NAME as CONSTRAINT
from ligament.gltf import references
from ligament.rig import Humanoid

Axis: TypeAlias = Literal["X", "Y", "Z"]

LIMBS: Final = {
    f"{side}{limb}": f"{side}{end}"
    for side in ("left", "right")
    for limb, end in (
        ("UpperArm", "LowerArm"),
        ("LowerArm", "Hand"),
        ("UpperLeg", "LowerLeg"),
        ("LowerLeg", "Foot"),
    )
}
"""Limbs with twist bones → the bone whose roll these share."""

NAMED: Final = re.compile(r"twist|roll|捩|捻|ねじ|ひねり|ツイスト", re.IGNORECASE)
"""Names of twist helpers, in English and Japanese."""

NEAR: Final = 0.35
"""Largest distance of a helper found by name from the limb's line, relative to the limb."""

ON_LINE: Final = 0.05
"""The same for a helper found only by its position."""

ENDS: Final = 0.05
"""Within this fraction of either end, an unnamed node belongs to the joint itself."""

SQUARE: Final = np.cos(np.radians(20.0))
"""Cosine of the largest angle, 20°, between the limb and the helper's roll axis."""


@dataclasses.dataclass(frozen=True)
class Twist:
    """A helper: its node, the limb and source bones, and its place along the limb (0 to 1).

    `weight` is the weight of the roll constraint about `axis` of the helper; `found_by` is how the
    helper was recognised.
    """

    node: int
    limb: str
    source: str
    place: float
    axis: Axis
    weight: float
    found_by: Literal["name", "place"]


@dataclasses.dataclass(frozen=True)
class SkippedHelper:
    """A node named like a helper that was left alone, and why."""

    node: int
    limb: str
    reason: str


@dataclasses.dataclass(frozen=True)
class Twists:
    """Helpers found on the limbs, and nodes that were left alone."""

    added: tuple[Twist, ...]
    passed: tuple[SkippedHelper, ...]


@checked
def find_twists(humanoid: Humanoid) -> Twists:
    """Find helper bones along the limbs without changing the document."""
    finder = _Finder(humanoid)
    found = [entry for limb in LIMBS if limb in finder.nodes for entry in finder.along(limb)]
    return Twists(
        tuple(entry for entry in found if isinstance(entry, Twist)),
        tuple(entry for entry in found if isinstance(entry, SkippedHelper)),
    )


@checked
def add_twist(editor: Editor, humanoid: Humanoid | None = None) -> Twists:
    """Add roll constraints to the twist bones of an avatar; return the helpers.

    Helpers are the children of upper and lower arms and legs that are named as such and lie near
    the limb, or that lie on its line, move skin and have no other use. Raises EditError, without
    any change, if one of them has a constraint already.

    >>> add_twist(lg.Editor(lg.load("avatar.vrm"))).added[0].weight
    0.5
    """
    avatar = Humanoid(editor.document) if humanoid is None else humanoid
    if avatar.document is not editor.document:
        remedy = "read it from the editor's document"
        raise EditError("the humanoid belongs to another document", remedy=remedy)
    found = find_twists(avatar)
    _require_free(editor, avatar, found)
    nodes = dict(zip(avatar.bones, avatar.nodes.tolist(), strict=True))
    for twist in found.added:
        source = nodes[twist.source]
        editor.add_constraint(twist.node, "roll", source, axis=twist.axis, weight=twist.weight)
    return found


def _require_free(editor: Editor, avatar: Humanoid, found: Twists) -> None:
    raw = editor.document.array("nodes")
    taken = [t.node for t in found.added if CONSTRAINT in raw[t.node].get("extensions", {})]
    if taken:
        names = ", ".join(avatar.tree.label(node) for node in taken)
        raise EditError(
            f"twist bones already have constraints: {names}",
            file=editor.document.path,
            remedy="remove these constraints first, or keep them",
        )


class _Finder:
    """Finds helpers among the children of limbs."""

    def __init__(self, humanoid: Humanoid) -> None:
        self.tree = humanoid.tree
        self.raw = humanoid.document.array("nodes")
        self.nodes = dict(zip(humanoid.bones, humanoid.nodes.tolist(), strict=True))
        self.rotations = np.asarray(self.tree.world_orientations())
        self.places = np.asarray(self.tree.world_matrices())[:, :3, 3]
        self.skinned, self.used = _uses(humanoid)

    def along(self, limb: str) -> Iterator[Twist | SkippedHelper]:
        """Yield the helpers of a limb by position, then the nodes left alone."""
        source = LIMBS[limb]
        if source not in self.nodes:
            return
        start = self.places[self.nodes[limb]]
        span = self.places[self.nodes[source]] - start
        length = float(np.linalg.norm(span))
        if not length > 0:
            return
        children = np.flatnonzero(self.tree.parents == self.nodes[limb]).tolist()
        entries = [self._entry(limb, node, start, span, length) for node in children]
        found = [entry for entry in entries if entry is not None]
        yield from sorted(found, key=lambda entry: getattr(entry, "place", 2.0))

    def _entry(
        self, limb: str, node: int, start: Floats, span: Floats, length: float
    ) -> Twist | SkippedHelper | None:
        offset = self.places[node] - start
        place = float(offset @ span) / length**2
        off = float(np.linalg.norm(offset - place * span)) / length
        is_named = bool(NAMED.search(self.tree.names[node] or ""))
        if node in self.nodes.values() or not (is_named or self._is_helper(node, place, off)):
            return None
        if node in self.used:
            return SkippedHelper(
                node, limb, "it belongs to a spring bone chain, or to another part"
            )
        if off > NEAR or not -ENDS <= place <= 1 + ENDS:
            return SkippedHelper(node, limb, "it does not lie along the limb")
        if place < ENDS:
            return SkippedHelper(
                node, limb, "it lies at the start of the limb, which does not twist"
            )
        axis, straight = self._roll_axis(node, span / length)
        if straight < SQUARE:
            return SkippedHelper(node, limb, "none of its axes lies along the limb")
        weight = round(min(place, 1.0), 3)
        how: Literal["name", "place"] = "name" if is_named else "place"
        return Twist(node, limb, LIMBS[limb], place, axis, weight, how)

    def _is_helper(self, node: int, place: float, off: float) -> bool:
        """Tell whether an unnamed node can only be a helper: a skinned leaf on the line."""
        is_leaf = not self.raw[node].get("children") and "mesh" not in self.raw[node]
        is_on_line = ENDS < place < 1 - ENDS and off <= ON_LINE
        return is_leaf and is_on_line and node in self.skinned and node not in self.used

    def _roll_axis(self, node: int, direction: Floats) -> tuple[Axis, float]:
        """Return the axis of a node nearest to a direction, and the cosine of the angle."""
        local = np.abs(np.asarray(tf.rotate(tf.conjugate(self.rotations[node]), direction)))
        index = int(np.argmax(local))
        names: tuple[Axis, ...] = ("X", "Y", "Z")
        return names[index], float(local[index])


def _uses(humanoid: Humanoid) -> tuple[set[int], set[int]]:
    """Return the nodes that move skin, and those that extensions other than constraints use."""
    skinned, used = set(), set()
    for reference in references.references(humanoid.document):
        if reference.target != "/nodes":
            continue
        if reference.pointer.startswith("/skins/"):
            skinned.add(reference.index)
        elif "/extensions/" in reference.pointer and CONSTRAINT not in reference.pointer:
            used.add(reference.index)
    return skinned, used

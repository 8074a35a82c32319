"""Joints that an animation fights: it moves their ends where no body can follow.

The two ends of a joint may both be led: by animations, as seen from the world or from one simulated
body above both. Such a joint does nothing, and the animation may break its limits. Simulated bodies
between led ends are a chain, which an animation may stretch beyond the sum of its links, or push
together below the length of a single one. Engines then pull the joints open.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from ligament.arrays import Floats
from ligament.extensions.rigid_bodies import Joint, Limit, MotionKind, Physics
from ligament.findings import Finding, finding
from ligament.gltf.animation import Clip, Pose
from ligament.gltf.tree import NodeTree, nearest
from ligament.physics.metrics import measure, nearest_turn, relative, violation
from ligament.physics.placement import WORLD, Placement

TOLERANCE: Final = {"m": 0.01, "rad": np.radians(2.0)}
"""Excess that keys which follow a recorded motion may have."""

TIMES_MAX: Final = 64
"""Times at which a clip is examined; fewer where `TRANSFORMS_MAX` demands."""

TRANSFORMS_MAX: Final = 1 << 18
"""Transforms computed at once, to bound time and memory."""


class _Link(NamedTuple):
    """A joint that holds a point, from one base to another: nodes of bases and of frames."""

    joint: Joint
    bases: tuple[int, int]
    frames: tuple[int, int]


def fought_joints(
    tree: NodeTree,
    clips: Sequence[Clip],
    moved: Collection[int],
    physics: Physics,
    sample: Callable[[Floats], Pose],
) -> Iterator[Finding]:
    """Yield joints that animations break or pull apart; `moved` are the nodes that they lead.

    `sample` returns the local transforms (F, N, …) of all nodes at times (F,) [s].
    """
    if not clips or not moved or not physics.joints:
        return
    dynamic = MotionKind.DYNAMIC
    free = [n for n, m in physics.motions.items() if m.kind is dynamic and n not in moved]
    base = np.append(nearest(tree, free), WORLD)
    count = max(2, min(TIMES_MAX, TRANSFORMS_MAX // max(len(tree), 1)))
    times = np.linspace(0.0, max(clip.end for clip in clips), count)
    placement = Placement(tree, sample(times))
    names = ", ".join(f"'{clip.name}'" for clip in clips)
    story = _Story(tree, names, times, placement)
    links = list[_Link]()
    for joint in physics.joints.values():
        bases = int(base[joint.body_a]), int(base[joint.body_b])
        if bases[0] == bases[1]:
            yield from story.broken(joint)
        elif _holds_point(joint):
            links.append(_Link(joint, bases, (joint.frame_a, joint.frame_b)))
    yield from story.stretched(links)


def _holds_point(joint: Joint) -> bool:
    hard = [limit for limit in joint.limits if _is_hard(limit) and limit.minimum == limit.maximum]
    return {axis for limit in hard for axis in limit.linear_axes} == {0, 1, 2}


def _is_hard(limit: Limit) -> bool:
    return bool(np.isinf(limit.stiffness))


class _Story:
    """What animations of some names do at some times (F,) [s]."""

    def __init__(self, tree: NodeTree, names: str, times: Floats, placement: Placement) -> None:
        self._tree, self._names, self._times = tree, names, times
        self._place, self._turn = placement.translation, placement.rotation

    def broken(self, joint: Joint) -> Iterator[Finding]:
        """Yield the hard limit of a joint with led ends that is broken most."""
        a, b = joint.frame_a, joint.frame_b
        if a < 0 or b < 0:
            return
        place, turn = self._place, self._turn
        seen = relative(place[:, a], turn[:, a], place[:, b], turn[:, b])
        worst: tuple[float, int, str] | None = None
        for limit in filter(_is_hard, joint.limits):
            values = measure(limit, seen.position, seen.rotation)
            if len(limit.angular_axes) == 1:
                values = nearest_turn(values, limit.minimum, limit.maximum)
            excess = violation(values, limit.minimum, limit.maximum)
            unit = "m" if limit.linear_axes else "rad"
            at = int(np.argmax(excess))
            share = float(excess[at]) / TOLERANCE[unit]
            if share > (1.0 if worst is None else worst[0]):
                bounds = f"{limit.minimum:g} to {limit.maximum:g}"
                amount = f"{excess[at]:.3g} {unit} beyond limit {limit.index} ({bounds})"
                worst = share, at, amount
        if worst is not None:
            _, at, amount = worst
            yield self._finding(joint, at, f"moves its ends {amount}")

    def stretched(self, links: Sequence[_Link]) -> Iterator[Finding]:
        """Yield the joints that hold chains of bodies whose led ends are too far apart."""
        at_base: dict[int, list[_Link]] = defaultdict(list)
        for link in links:
            for base in link.bases:
                at_base[base].append(link)
        for first in at_base.pop(WORLD, ()):
            for last, lengths in self._chains(first, at_base):
                if links.index(first) < links.index(last):
                    yield from self._too_far(first, last, lengths)

    def _chains(
        self, first: _Link, at_base: dict[int, list[_Link]]
    ) -> Iterator[tuple[_Link, list[Floats]]]:
        """Yield the other links to the world, with the lengths (F,) of the bodies on the way."""
        waiting, passed = [(first, _other(first, WORLD), list[Floats]())], {WORLD}
        while waiting:
            link, base, lengths = waiting.pop(0)
            if base in passed:
                continue
            passed.add(base)
            for onward in at_base[base]:
                if onward is link:
                    continue
                points = _frame(link, base), _frame(onward, base)
                beyond = [*lengths, self._distance(*points)]
                if WORLD in onward.bases:
                    yield onward, beyond
                else:
                    waiting.append((onward, _other(onward, base), beyond))

    def _distance(self, a: int, b: int) -> Floats:
        return np.asarray(np.linalg.norm(self._place[:, a] - self._place[:, b], axis=1))

    def _too_far(self, first: _Link, last: _Link, lengths: list[Floats]) -> Iterator[Finding]:
        """Yield the last joint if its chain, from the first, does not fit at some time."""
        distance = self._distance(_frame(first, WORLD), _frame(last, WORLD))
        longest = np.max(lengths, axis=0)
        reach = np.sum(lengths, axis=0)
        excess = np.maximum(distance - reach, 2 * longest - reach - distance)
        at = int(np.argmax(excess))
        if excess[at] > TOLERANCE["m"]:
            other = self._tree.label(first.joint.node)
            change = "farther apart" if distance[at] > reach[at] else "closer together"
            yield self._finding(
                last.joint,
                at,
                f"moves it and the joint of {other} {excess[at]:.3g} m {change} than the bodies "
                "between them can be",
            )

    def _finding(self, joint: Joint, at: int, what: str) -> Finding:
        message = f"animation {self._names} {what}, at {self._times[at]:.3g} s"
        remedy = "change the animation or the joint; the animation wins"
        return finding("PHYSICS_JOINT_AGAINST_ANIMATION", joint.pointer, message, remedy)


def _other(link: _Link, base: int) -> int:
    a, b = link.bases
    return b if a == base else a


def _frame(link: _Link, base: int) -> int:
    """Return the node of the frame on the side of a base."""
    return link.frames[link.bases.index(base)]

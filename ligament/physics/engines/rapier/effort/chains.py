"""How carefully the joints of a scene must be simulated: rounds of the solver, and steps.

The engine settles joints one after the other. What hangs on a joint is felt by it only round by
round, and the gap that is left goes with the load and with the square of a round's time h:

    gap ≈ 10 · (mass that hangs on the joint / mass of the body that it holds) · g · h²

as measured on ropes of 2 to 500 links with ends up to a hundred times heavier (the factor is that
of a rope swung down from the horizontal). Rotations that are locked yield in the same way, with
moments of inertia about the joint in the place of masses, and g over the length of the body. What a
joint needs for its own limits and springs is told by `following`.
"""

from __future__ import annotations

import math
from collections import defaultdict, deque
from typing import Final, NamedTuple

import numpy as np

from ligament.arrays import Floats
from ligament.physics.engines.rapier.effort.joint_rates import (
    G,
    Load,
    center_of,
    finite,
    gyration,
    locked_rotations,
    moved,
    own_rates,
    pivot_of,
    steps_for,
)
from ligament.physics.scene import Joint, Scene

LEAST, MOST = 16, 96
"""Rounds in a step for a scene with joints; beyond the upper bound time is better saved."""

_GAP: Final = (3e-3, 0.03)
"""Gap [m] that is accepted, and as a part of the size of the body."""

_ANGLE: Final = 1.2e-3
"""Error of an angle [rad] that is accepted: under a tenth of a degree."""

_SWING: Final = 10.0
"""Factor of the gap in ropes that swing."""

_BEND: Final = 1.5
"""The same for locked rotations."""


class Recommendation(NamedTuple):
    """What joints need.

    `substeps` is how many parts a step should be divided into; `iterations` the rounds in each of
    them that every joint needs, `additional` (B,) the further rounds that each body needs.
    """

    substeps: int
    iterations: int
    additional: tuple[int, ...]

    @property
    def most_iterations(self) -> int:
        """Rounds with which every joint has enough."""
        return self.iterations + max(self.additional, default=0)


@np.errstate(all="ignore")  # loads may be endless, which asks for the most there is
def recommend(scene: Scene, step: float) -> Recommendation:
    """Return what the joints of a scene need in steps of a given time [s]."""
    held = [joint for joint in scene.joints if _holds(joint, scene)]
    groups = joined_groups(held, scene)
    substeps = max((steps_for(joint, scene, step) for joint in held), default=1)
    needs = [_Group(members, scene).rounds(step) for members in groups]
    most = max(needs, default=0)
    rounds = [0] * len(scene.bodies)
    for members, need in zip(groups, needs, strict=True):
        # Springs rely on a known time per round, which contacts may change to that of others.
        total = most if any(map(_has_spring, members)) else need
        for body in {body for joint in members for body in moved(joint, scene)}:
            rounds[body] = math.ceil(total / substeps)
    least = min((count for count in rounds if count), default=0)
    return Recommendation(substeps, least, tuple(max(count - least, 0) for count in rounds))


class _Group:
    """Joints that hang together, as trees that grow from what does not move."""

    def __init__(self, joints: list[Joint], scene: Scene) -> None:
        self._scene = scene
        self._at: dict[int, list[Joint]] = defaultdict(list)
        for joint in joints:
            for body in moved(joint, scene):
                self._at[body].append(joint)
        self._parents: dict[int, tuple[int, Joint]] = {}
        self._order: list[int] = []
        self._grow(joints)

    def _grow(self, joints: list[Joint]) -> None:
        """Give each body the joint that it hangs on; the heaviest floats if nothing is fixed."""
        fixed = [joint for joint in joints if len(moved(joint, self._scene)) == 1]
        queue = deque((moved(joint, self._scene)[0], -1, joint) for joint in fixed)
        if not fixed:
            root = max(self._at, key=lambda body: finite(self._scene.bodies[body].mass.mass))
            self._order.append(root)
            queue.extend((_other(joint, root), root, joint) for joint in self._at[root])
        seen = set(self._order)
        while queue:
            body, parent, joint = queue.popleft()
            if body in seen:
                continue
            seen.add(body)
            self._order.append(body)
            self._parents[body] = (parent, joint)
            for further in self._at[body]:
                if len(moved(further, self._scene)) == 2:
                    queue.append((_other(further, body), body, further))

    def rounds(self, step: float) -> int:
        """Return how many rounds in a step the joints need."""
        rates = [LEAST / step]
        for body, load in self._loads().items():
            joint = self._parents[body][1]
            rates += [self._rate_of_gap(body, load), *own_rates(joint, body, self._scene, step)]
        return math.ceil(min(MOST, max(rates) * step) - 1e-9)

    def _loads(self) -> dict[int, Load]:
        """Return for each body what hangs on its joint: itself and what is beyond it."""
        loads = {body: Load.of(self._scene.bodies[body]) for body in self._order}
        for body in reversed(self._order):
            parent = self._parents.get(body, (-1,))[0]
            if parent >= 0:
                loads[parent] = loads[parent] + loads[body]
        return {body: loads[body] for body in self._parents}

    def _rate_of_gap(self, body: int, load: Load) -> float:
        """Return the rounds per second that keep a joint closed under its load."""
        held = self._scene.bodies[body]
        if math.isinf(held.mass.mass):
            return 0.0
        pivot = pivot_of(self._parents[body][1], body, self._scene)
        size = 2 * max(gyration(held), float(np.linalg.norm(center_of(held) - pivot)))
        gap = min(_GAP[0], _GAP[1] * size)
        rate = math.sqrt(_SWING * (load.mass / held.mass.mass) * G / gap)
        return max(rate, self._rate_of_bend(body, load, pivot, size))

    def _rate_of_bend(self, body: int, load: Load, pivot: Floats, size: float) -> float:
        """Return the rounds per second that keep locked rotations stiff under a load."""
        if locked_rotations(self._parents[body][1].limits) < 2:
            return 0.0
        own = Load.of(self._scene.bodies[body]).moment(pivot)
        beyond = max(load.moment(pivot) / own - 1, 0.0) if own > 0 else 0.0
        return math.sqrt(_BEND * beyond * G / (size * _ANGLE))


def _holds(joint: Joint, scene: Scene) -> bool:
    apart = joint.a.body != joint.b.body
    return apart and bool(joint.limits or joint.drives) and bool(moved(joint, scene))


def _has_spring(joint: Joint) -> bool:
    soft = any(math.isfinite(limit.stiffness) for limit in joint.limits)
    return soft or bool(joint.drives)


def joined_groups(joints: list[Joint], scene: Scene) -> list[list[Joint]]:
    """Return joints that hang together by bodies that forces move."""
    leader = list(range(len(scene.bodies)))

    def find(body: int) -> int:
        while leader[body] != body:
            leader[body] = leader[leader[body]]
            body = leader[body]
        return body

    for joint in joints:
        first, *rest = moved(joint, scene)
        for body in rest:
            leader[find(body)] = find(first)
    groups: dict[int, list[Joint]] = defaultdict(list)
    for joint in joints:
        groups[find(moved(joint, scene)[0])].append(joint)
    return list(groups.values())


def _other(joint: Joint, body: int) -> int:
    return joint.b.body if joint.a.body == body else joint.a.body

"""Solver effort for joints: iterations and substeps.

The engine solves joints one after the other. A joint feels its load only iteration by iteration,
and the remaining gap is proportional to the load and to the square of an iteration's time h:

    gap ≈ 10 · (mass that hangs on the joint / mass of the body that it holds) · g · h²

as measured on ropes of 2 to 500 links with ends up to a hundred times heavier (the factor is that
of a rope swung down from the horizontal). Locked rotations yield in the same way, with moments of
inertia about the joint in place of masses, and g over the length of the body. What a joint
needs for its own limits and springs is in `joint_rates`.
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
"""Fewest and most iterations in a step for a scene with joints."""

_GAP: Final = (3e-3, 0.03)
"""Accepted gap [m], and relative to the size of the body."""

_ANGLE: Final = 1.2e-3
"""Accepted error of an angle [rad]: under a tenth of a degree."""

_SWING: Final = 10.0
"""Factor of the gap in ropes that swing."""

_BEND: Final = 1.5
"""The same for locked rotations."""


class Recommendation(NamedTuple):
    """Solver effort that joints need.

    `substeps` is the number of substeps of a step; `iterations` are those that every joint needs in
    each of them, `additional` (B,) the extra ones that each body needs.
    """

    substeps: float
    iterations: int
    additional: tuple[int, ...]

    @property
    def most_iterations(self) -> int:
        """Iterations that suffice for every joint."""
        return self.iterations + max(self.additional, default=0)

    def scaled(self, part: float) -> Recommendation:
        """Return the same effort with a fraction of the iterations."""
        additional = tuple(math.ceil(part * count) for count in self.additional)
        return Recommendation(self.substeps, math.ceil(part * self.iterations), additional)


@np.errstate(all="ignore")  # infinite loads get the maximum
def recommend_steps(scene: Scene, step: float) -> int:
    """Return the number of substeps that the joints of a scene need in a step [s]."""
    active = (joint for joint in scene.joints if _acts(joint, scene))
    return max((steps_for(joint, scene, step) for joint in active), default=1)


@np.errstate(all="ignore")
def recommend(scene: Scene, step: float, substeps: float | None = None) -> Recommendation:
    """Return the effort that the joints of a scene need in steps of the given length [s].

    Joints stay closed by the number of iterations in that time, however many `substeps` they are
    spread over: by default as many as joints need.
    """
    parts = recommend_steps(scene, step) if substeps is None else substeps
    active = [joint for joint in scene.joints if _acts(joint, scene)]
    groups = joined_groups(active, scene)
    needs = [_Group(members, scene).iterations(step) for members in groups]
    most = max(needs, default=0)
    iterations = [0] * len(scene.bodies)
    for members, need in zip(groups, needs, strict=True):
        # Springs rely on a known time per iteration, which contacts may change to that of others.
        total = most if any(map(_has_spring, members)) else need
        for body in {body for joint in members for body in moved(joint, scene)}:
            iterations[body] = math.ceil(total / parts - 1e-9)
    least = min((count for count in iterations if count), default=0)
    return Recommendation(parts, least, tuple(max(count - least, 0) for count in iterations))


class _Group:
    """Connected joints, as trees that grow from fixed bodies."""

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
        """Assign each body the joint that carries it; the heaviest floats if nothing is fixed."""
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

    def iterations(self, step: float) -> int:
        """Return the iterations per step that the joints need."""
        rates = [LEAST / step]
        for body, load in self._loads().items():
            joint = self._parents[body][1]
            rates += [self._rate_of_gap(body, load), *own_rates(joint, body, self._scene, step)]
        return math.ceil(min(MOST, max(rates) * step) - 1e-9)

    def _loads(self) -> dict[int, Load]:
        """Return the load on the joint of each body: itself and everything beyond it."""
        loads = {body: Load.of(self._scene.bodies[body]) for body in self._order}
        for body in reversed(self._order):
            parent = self._parents.get(body, (-1,))[0]
            if parent >= 0:
                loads[parent] = loads[parent] + loads[body]
        return {body: loads[body] for body in self._parents}

    def _rate_of_gap(self, body: int, load: Load) -> float:
        """Return the iterations per second that keep a joint closed under its load."""
        owner = self._scene.bodies[body]
        if math.isinf(owner.mass.mass):
            return 0.0
        pivot = pivot_of(self._parents[body][1], body, self._scene)
        size = 2 * max(gyration(owner), float(np.linalg.norm(owner.center - pivot)))
        gap = min(_GAP[0], _GAP[1] * size)
        rate = math.sqrt(_SWING * (load.mass / owner.mass.mass) * G / gap)
        return max(rate, self._rate_of_bend(body, load, pivot, size))

    def _rate_of_bend(self, body: int, load: Load, pivot: Floats, size: float) -> float:
        """Return the iterations per second that keep locked rotations stiff under a load."""
        if locked_rotations(self._parents[body][1].limits) < 2:
            return 0.0
        own = Load.of(self._scene.bodies[body]).moment(pivot)
        beyond = max(load.moment(pivot) / own - 1, 0.0) if own > 0 else 0.0
        return math.sqrt(_BEND * beyond * G / (size * _ANGLE))


def _acts(joint: Joint, scene: Scene) -> bool:
    is_between = joint.a.body != joint.b.body
    return is_between and bool(joint.limits or joint.drives) and bool(moved(joint, scene))


def _has_spring(joint: Joint) -> bool:
    soft = any(math.isfinite(limit.stiffness) for limit in joint.limits)
    return soft or bool(joint.drives)


def joined_groups(joints: list[Joint], scene: Scene) -> list[list[Joint]]:
    """Return groups of joints connected by dynamic bodies."""
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

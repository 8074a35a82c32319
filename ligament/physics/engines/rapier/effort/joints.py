"""Solver effort for joints: iterations that keep them closed, steps for bounces off soft limits.

The engine solves joints one after the other. A joint feels its load only iteration by iteration,
and the remaining gap is proportional to the load and to the square of an iteration's time h:

    gap ≈ 10 · (mass that hangs on the joint / mass of the body that it holds) · g · h²

as measured on ropes of 2 to 500 links with ends up to a hundred times heavier (the factor is that
of a rope swung down from the horizontal).

A soft limit is switched on and off between steps, so that a bounce must last some of them.
"""

from __future__ import annotations

import math
from collections import defaultdict, deque
from typing import Final

import numpy as np

from ligament.arrays import Floats
from ligament.extensions.rigid_bodies import Limit
from ligament.physics.scene import Body, Joint, Scene
from ligament.transforms import rotate

G: Final = 9.81
"""Gravity [m/s²] for estimating loads, whatever the scene's own is."""

LEAST, MOST = 16, 96
"""Fewest and most iterations in a step for a scene with joints."""

_GAP: Final = (3e-3, 0.03)
"""Accepted gap [m], and relative to the size of the body."""

_SWING: Final = 10.0
"""Factor of the gap in ropes that swing."""

_BOUNCE: Final = 10.0
"""Number of steps that a bounce off a soft limit should last: its speed is then kept to 3 %."""

_MOST_STEPS: Final = 8
"""Most parts of a step for the sake of bounces; beyond them, half of that does as well."""


def acting_joints(scene: Scene) -> list[Joint]:
    """Return the joints that hold or drive dynamic bodies."""
    return [
        joint
        for joint in scene.joints
        if joint.a.body != joint.b.body and (joint.limits or joint.drives) and moved(joint, scene)
    ]


def iterations_for(joints: list[Joint], scene: Scene, step: float) -> int:
    """Return the iterations that acting joints need in a step [s]; 0 without any."""
    if not joints:
        return 0
    rates = [rate for members in joined_groups(joints, scene) for rate in _rates(members, scene)]
    return math.ceil(min(MOST, max(LEAST, max(rates, default=0.0) * step)) - 1e-9)


def steps_for(joints: list[Joint], scene: Scene, step: float) -> int:
    """Return into how many parts bounces off the soft limits of joints divide a step [s]."""
    needed = (
        _BOUNCE * step * _frequency(limit, joint, scene) / math.pi - 0.1
        for joint in joints
        for limit in joint.limits
        if 0 < limit.stiffness < math.inf and limit.minimum < limit.maximum
    )
    return max([1, *(math.ceil(n) if n <= _MOST_STEPS else _MOST_STEPS // 2 for n in needed)])


def _frequency(limit: Limit, joint: Joint, scene: Scene) -> float:
    """Return about the angular frequency [rad/s] at which bodies swing on a soft limit."""
    mobility = 0.0
    for body in moved(joint, scene):
        owner = scene.bodies[body]
        arm = 1.0
        if limit.angular_axes:
            arm = math.hypot(gyration(owner), math.dist(owner.center, _pivot(joint, body, scene)))
        inertia = owner.mass.mass * arm * arm
        mobility += 1 / inertia if inertia > 0 else 0.0
    return math.sqrt(limit.stiffness * mobility)


def _rates(joints: list[Joint], scene: Scene) -> list[float]:
    """Return the iterations per second that keep each of some connected joints closed."""
    parents, order = _tree(joints, scene)
    loads = {body: finite(scene.bodies[body].mass.mass) for body in order}
    for body in reversed(order):
        if body in parents and (parent := parents[body][0]) >= 0:
            loads[parent] += loads[body]
    return [_rate(body, loads[body], joint, scene) for body, (_, joint) in parents.items()]


def _tree(joints: list[Joint], scene: Scene) -> tuple[dict[int, tuple[int, Joint]], list[int]]:
    """Return the parent (-1 if fixed) and joint that carry each body, and the bodies in order.

    Trees grow from fixed bodies; without any, the heaviest body floats.
    """
    at: dict[int, list[Joint]] = defaultdict(list)
    for joint in joints:
        for body in moved(joint, scene):
            at[body].append(joint)
    fixed = [joint for joint in joints if len(moved(joint, scene)) == 1]
    queue = deque((moved(joint, scene)[0], -1, joint) for joint in fixed)
    order: list[int] = []
    if not fixed:
        root = max(at, key=lambda body: finite(scene.bodies[body].mass.mass))
        order.append(root)
        queue.extend((_other(joint, root), root, joint) for joint in at[root])
    parents: dict[int, tuple[int, Joint]] = {}
    seen = set(order)
    while queue:
        body, parent, joint = queue.popleft()
        if body in seen:
            continue
        seen.add(body)
        order.append(body)
        parents[body] = parent, joint
        for further in at[body]:
            if len(moved(further, scene)) == 2:
                queue.append((_other(further, body), body, further))
    return parents, order


def _rate(body: int, load: float, joint: Joint, scene: Scene) -> float:
    """Return the iterations per second that keep the joint of a body closed under a load [kg]."""
    owner = scene.bodies[body]
    if math.isinf(owner.mass.mass):
        return 0.0
    pivot = _pivot(joint, body, scene)
    size = 2 * max(gyration(owner), float(np.linalg.norm(owner.center - pivot)))
    gap = min(_GAP[0], _GAP[1] * size)
    with np.errstate(all="ignore"):  # infinite loads get the maximum
        return math.sqrt(_SWING * (load / owner.mass.mass) * G / gap)


def can_land(joints: list[Joint], scene: Scene) -> bool:
    """Tell whether some of the groups of jointed bodies that nothing drives may hit something."""
    solid = {collider.body for collider in scene.colliders if not collider.is_sensor}
    for members in joined_groups(joints, scene):
        bodies = {body for joint in members for body in moved(joint, scene)}
        if len(bodies) > 1 and bodies & solid and all(map(_is_passive, members)):
            return True
    return False


def _is_passive(joint: Joint) -> bool:
    """Tell whether a joint only dissipates energy: no springs, and no drives but brakes."""
    brakes = all(d.stiffness == 0 and d.velocity_target == 0 for d in joint.drives)
    return brakes and all(math.isinf(limit.stiffness) for limit in joint.limits)


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


def moved(joint: Joint, scene: Scene) -> list[int]:
    """Return the dynamic bodies of a joint."""
    return [i for i in (joint.a.body, joint.b.body) if scene.bodies[i].is_free]


def _other(joint: Joint, body: int) -> int:
    return joint.b.body if joint.a.body == body else joint.a.body


def _pivot(joint: Joint, body: int, scene: Scene) -> Floats:
    """Return the initial world position at which a joint holds a body."""
    frame, pose = joint.a if joint.a.body == body else joint.b, scene.bodies[body].pose
    return np.asarray(pose.translation + rotate(pose.rotation, frame.pose.translation))


def finite(value: float) -> float:
    """Return a mass or moment; 0 for an infinite one, which needs no support."""
    return 0.0 if math.isinf(value) else value


def gyration(body: Body) -> float:
    """Return the largest radius of gyration [m] of a body, at least a millimetre."""
    moments = [finite(moment) for moment in body.mass.inertia]
    mass = finite(body.mass.mass)
    return max(math.sqrt(max(moments) / mass) if mass > 0 else 1.0, 1e-3)

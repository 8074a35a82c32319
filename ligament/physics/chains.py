"""How carefully the joints of a scene must be simulated: rounds of the solver, and steps.

The engine settles joints one after the other. What hangs on a joint is felt by it only round by
round, and the gap that is left goes with the load and with the square of a round's time h:

    gap ≈ 10 · (mass that hangs on the joint / mass of the body that it holds) · g · h²

as measured on ropes of 2 to 500 links with ends up to a hundred times heavier (the factor is that
of a rope swung down from the horizontal). Rotations that are locked yield in the same way, with
moments of inertia about the joint in the place of masses, and g over the length of the body.
"""

from __future__ import annotations

import dataclasses
import math
from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ligament.extensions.declarations import Drive, Limit, MotionKind
from ligament.physics.scene import Body, Frame, Joint, Scene
from ligament.transforms import multiply, rotate, to_matrix

Floats = npt.NDArray[np.float64]

LEAST, MOST = 16, 96
"""Rounds in a step for a scene with joints; beyond the upper bound time is better saved."""

MOST_STEPS: Final = 8
"""Parts into which a step is divided at most for the sake of limits."""

_GAP: Final = (3e-3, 0.03)
"""Gap [m] that is accepted, and as a part of the size of the body."""

_ANGLE: Final = 1.2e-3
"""Error of an angle [rad] that is accepted: under a tenth of a degree."""

_SWING: Final = 10.0
"""Factor of the gap in ropes that swing."""

_BEND: Final = 1.5
"""The same for locked rotations."""

_PRESS: Final = 10.0
"""Times its own weight with which a body may press on a limit of its angle."""

_PRESSED: Final = 4e-4
"""Error of an angle [rad] that such a press leaves; what slides along a bound adds to it."""

_TURN: Final = (0.1, 0.05)
"""Turn [rad] by which such a press may speed up a body in a step, on hinges and on other joints.

Bounds are foreseen once in a step, and the direction to one changes but on a hinge.
"""

_SOFT: Final = 0.1
"""h²k/m up to which a spring is as it should be."""

_FIRM: Final = 0.5
"""h²k/m, about the easiest axis, from which on a spring must follow the direction of a distance
or angle as a rod does."""

_CONTACT: Final = 10.0
"""Steps that a bounce off a soft limit should last."""

_LOST: Final = 5e-3
"""Part of its speed that a motor may lose for that."""

_LOADED: Final = 2.0
"""How much faster than its target a motor may turn under its load."""

_LASTING: Final = 0.5
"""Times [s] that motors take to reach their speed count as no more than this."""

_STIFFEST: Final = 48
"""Rounds that are spent on a spring at most; stiffer ones are as stiff as they can be."""

_G: Final = 9.81


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


def recommend(scene: Scene, step: float) -> Recommendation:
    """Return what the joints of a scene need in steps of a given time [s]."""
    held = [joint for joint in scene.joints if _holds(joint, scene)]
    groups = joined_groups(held, scene)
    substeps = max((_steps_for(joint, scene, step) for joint in held), default=1)
    needs = [_Group(members, scene).rounds(step) for members in groups]
    most = max(needs, default=0)
    rounds = [0] * len(scene.bodies)
    for members, need in zip(groups, needs, strict=True):
        # Springs rely on a known time per round, which contacts may change to that of others.
        total = most if any(map(_has_spring, members)) else need
        for body in {body for joint in members for body in _moved(joint, scene)}:
            rounds[body] = math.ceil(total / substeps)
    least = min((count for count in rounds if count), default=0)
    return Recommendation(substeps, least, tuple(max(count - least, 0) for count in rounds))


@dataclasses.dataclass(frozen=True, eq=False)
class _Load:
    """What hangs on a joint: mass [kg], its moments about the origin, and its own inertia."""

    mass: float
    first: Floats
    second: float

    @classmethod
    def of(cls, body: Body) -> _Load:
        """Return a body as a load; what is infinite needs nothing to hold it."""
        mass, center = _finite(body.mass.mass), _center(body)
        inertia = max(_finite(moment) for moment in body.mass.inertia)
        return cls(mass, mass * center, mass * float(center @ center) + inertia)

    def __add__(self, other: _Load) -> _Load:
        return _Load(self.mass + other.mass, self.first + other.first, self.second + other.second)

    def moment(self, pivot: Floats) -> float:
        """Return the moment of inertia [kg m²] about a point, as if it were all across."""
        about = self.second - 2 * float(pivot @ self.first) + self.mass * float(pivot @ pivot)
        return max(about, 0.0)


class _Group:
    """Joints that hang together, as trees that grow from what does not move."""

    def __init__(self, joints: list[Joint], scene: Scene) -> None:
        self._scene = scene
        self._at: dict[int, list[Joint]] = defaultdict(list)
        for joint in joints:
            for body in _moved(joint, scene):
                self._at[body].append(joint)
        self._parents: dict[int, tuple[int, Joint]] = {}
        self._order: list[int] = []
        self._grow(joints)

    def _grow(self, joints: list[Joint]) -> None:
        """Give each body the joint that it hangs on; the heaviest floats if nothing is fixed."""
        fixed = [joint for joint in joints if len(_moved(joint, self._scene)) == 1]
        queue = deque((_moved(joint, self._scene)[0], -1, joint) for joint in fixed)
        if not fixed:
            root = max(self._at, key=lambda body: _finite(self._scene.bodies[body].mass.mass))
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
                if len(_moved(further, self._scene)) == 2:
                    queue.append((_other(further, body), body, further))

    def rounds(self, step: float) -> int:
        """Return how many rounds in a step the joints need."""
        rates = [LEAST / step]
        for body, load in self._loads().items():
            rates += [self._rate_of_gap(body, load), *self._own_rates(body, step)]
        return math.ceil(min(MOST, max(rates) * step) - 1e-9)

    def _loads(self) -> dict[int, _Load]:
        """Return for each body what hangs on its joint: itself and what is beyond it."""
        loads = {body: _Load.of(self._scene.bodies[body]) for body in self._order}
        for body in reversed(self._order):
            parent = self._parents.get(body, (-1,))[0]
            if parent >= 0:
                loads[parent] = loads[parent] + loads[body]
        return {body: loads[body] for body in self._parents}

    def _rate_of_gap(self, body: int, load: _Load) -> float:
        """Return the rounds per second that keep a joint closed under its load."""
        held = self._scene.bodies[body]
        if math.isinf(held.mass.mass):
            return 0.0
        pivot = _pivot(self._parents[body][1], body, self._scene)
        size = 2 * max(_gyration(held), float(np.linalg.norm(_center(held) - pivot)))
        gap = min(_GAP[0], _GAP[1] * size)
        rate = math.sqrt(_SWING * (load.mass / held.mass.mass) * _G / gap)
        return max(rate, self._rate_of_bend(body, load, pivot, size))

    def _rate_of_bend(self, body: int, load: _Load, pivot: Floats, size: float) -> float:
        """Return the rounds per second that keep locked rotations stiff under a load."""
        if _locked_rotations(self._parents[body][1].limits) < 2:
            return 0.0
        own = _Load.of(self._scene.bodies[body]).moment(pivot)
        beyond = max(load.moment(pivot) / own - 1, 0.0) if own > 0 else 0.0
        return math.sqrt(_BEND * beyond * _G / (size * _ANGLE))

    def _own_rates(self, body: int, step: float) -> Iterable[float]:
        """Return the rounds per second for the limits and springs of the joint of a body."""
        joint = self._parents[body][1]
        bounds = sum(map(_is_angular_range, joint.limits))  # which disturb each other
        yield math.sqrt(bounds * pressed_acceleration(self._scene.bodies[body]) / _PRESSED)
        springs: tuple[Limit | Drive, ...] = (*joint.limits, *joint.drives)
        for spring in springs:
            frequency = math.sqrt(_square_frequency(spring, joint, self._scene))
            rate = frequency / math.sqrt(_SOFT)
            if rate * step <= _STIFFEST and not _is_too_quick(spring, frequency * step):
                yield rate
        for drive in joint.drives:
            yield min(_rate_of_turning(drive, joint, body, self._scene), _STIFFEST / step)


def pressed_acceleration(body: Body) -> float:
    """Return how fast [rad/s²] ten times its own weight turns a body, on the worst of arms."""
    return _PRESS * _G / (2 * _gyration(body))


def _steps_for(joint: Joint, scene: Scene, step: float) -> int:
    """Return into how many parts to divide a step for bounds of angles and bounces to be met."""
    return max(_steps_for_bounds(joint, scene, step), _steps_for_bounces(joint, scene, step))


def _steps_for_bounds(joint: Joint, scene: Scene, step: float) -> int:
    if not any(_is_angular_range(limit) for limit in joint.limits):
        return 1
    bodies = [scene.bodies[body] for body in _moved(joint, scene)]
    fastest = max(pressed_acceleration(body) for body in bodies)
    turn = _TURN[0] if _locked_rotations(joint.limits) == 2 else _TURN[1]
    return min(math.ceil(step * math.sqrt(fastest / turn) - 0.1), MOST_STEPS)


def _steps_for_bounces(joint: Joint, scene: Scene, step: float) -> int:
    """Return what soft limits need: to bounce off them, and to swing about what they pull to."""
    needed = 1
    for limit in joint.limits:
        bouncing = math.sqrt(_square_frequency(limit, joint, scene)) * step
        if _has_bound(limit):
            needed = max(needed, _steps_to_follow(bouncing))
        swinging = math.sqrt(_square_frequency(limit, joint, scene, _least_moment)) * step
        if _is_round(limit) and swinging**2 > _FIRM:
            needed = max(needed, _steps_to_follow(swinging))
    return needed


def _steps_to_follow(turn: float) -> int:
    """Return into how many parts to divide a step in which an oscillation goes on by `turn` [rad].

    What is too stiff to be followed gains by half of the steps as much.
    """
    steps = math.ceil(_CONTACT * turn / math.pi - 0.1)
    return steps if steps <= MOST_STEPS else MOST_STEPS // 2


def _is_too_quick(spring: Limit | Drive, turn: float) -> bool:
    """Tell whether steps do not follow what pulls to a distance or angle.

    Rounds would follow the spring, but not its direction, which is that of the step.
    """
    is_round = isinstance(spring, Limit) and _is_round(spring)
    return is_round and _CONTACT * turn / math.pi > MOST_STEPS


def _has_bound(limit: Limit) -> bool:
    return math.isfinite(limit.stiffness) and limit.minimum < limit.maximum


def _rate_of_turning(drive: Drive, joint: Joint, body: int, scene: Scene) -> float:
    """Return the rounds per second for a motor that swings a body around, at a speed or far.

    In each round of time h the engine loses ω²h²/2 of the speed ω of what is off the axis. A motor
    with damping c lets that be ω²hI/2c of it; one with a target comes late.
    """
    pivot, held = _pivot(joint, body, scene), scene.bodies[body]
    about = _full_moment(held, pivot)
    if drive.type == "linear" or about <= 0:
        return 0.0
    aside = float(_finite(held.mass.mass)) * float(np.sum((_center(held) - pivot) ** 2)) / about
    inertia = 1.0 if drive.mode == "acceleration" else about
    lasting = min(inertia / drive.damping, _LASTING) if drive.damping > 0 else 0.0
    speed, way = _LOADED * drive.velocity_target, drive.position_target
    for_speed = speed * speed * lasting / (2 * _LOST)
    # Towards a target far off at a frequency f it gets as fast as 0.37 f times the way.
    for_way = 1.5 * way * way * math.sqrt(drive.stiffness / inertia)
    return aside * max(for_speed, for_way)


def _is_round(limit: Limit) -> bool:
    """Tell whether a limit keeps a distance or angle that bodies may go around with."""
    if limit.angular_axes:
        return len(limit.angular_axes) > 1 and limit.maximum > 0
    return len(limit.linear_axes) > 1


def _full_moment(body: Body, pivot: Floats) -> float:
    """Return the moment of inertia [kg m²] of a body about a point, as if it were all across."""
    return float(_Load.of(body).moment(pivot))


def _least_moment(body: Body, pivot: Floats) -> float:
    """Return the moment of inertia [kg m²] of a body about its easiest axis through a point."""
    turn = np.asarray(to_matrix(multiply(body.pose.rotation, body.mass.orientation)))
    own = (turn * [_finite(moment) for moment in body.mass.inertia]) @ turn.T
    arm = _center(body) - pivot
    aside = float(arm @ arm) * np.eye(3) - np.outer(arm, arm)
    return float(np.linalg.eigvalsh(own + _finite(body.mass.mass) * aside)[0])


def _square_frequency(
    spring: Limit | Drive,
    joint: Joint,
    scene: Scene,
    moment: Callable[[Body, Floats], float] = _full_moment,
) -> float:
    """Return k/m [1/s²] of a spring, roughly; 0 for what is none."""
    if not 0 < spring.stiffness < math.inf:
        return 0.0
    if isinstance(spring, Drive):
        if spring.mode == "acceleration":
            return spring.stiffness
        linear = spring.type == "linear"
    else:
        linear = bool(spring.linear_axes)
    mobility = 0.0
    for body in _moved(joint, scene):
        held = scene.bodies[body]
        pivot = _pivot(joint, body, scene)
        inertia = held.mass.mass if linear else moment(held, pivot)
        mobility += 1 / inertia if inertia > 0 else 0.0
    return spring.stiffness * mobility


def _holds(joint: Joint, scene: Scene) -> bool:
    apart = joint.a.body != joint.b.body
    return apart and bool(joint.limits or joint.drives) and bool(_moved(joint, scene))


def _moved(joint: Joint, scene: Scene) -> list[int]:
    """Return the bodies of a joint that forces move."""
    return [i for i in (joint.a.body, joint.b.body) if _is_dynamic(scene.bodies[i])]


def _is_dynamic(body: Body) -> bool:
    return body.kind is MotionKind.DYNAMIC and not body.is_driven


def has_stiffness(joint: Joint) -> bool:
    """Tell whether a joint has a spring, be it a soft limit or a drive; dampers are none."""
    springs: tuple[Limit | Drive, ...] = (*joint.limits, *joint.drives)
    return any(0 < spring.stiffness < math.inf for spring in springs)


def _has_spring(joint: Joint) -> bool:
    soft = any(math.isfinite(limit.stiffness) for limit in joint.limits)
    return soft or bool(joint.drives)


def _is_angular_range(limit: Limit) -> bool:
    hard = math.isinf(limit.stiffness) and bool(limit.angular_axes)
    return hard and limit.minimum != limit.maximum and limit.maximum > 0


def _locked_rotations(limits: Iterable[Limit]) -> int:
    """Return about how many axes rotation is locked."""
    return sum(
        len(limit.angular_axes)
        for limit in limits
        if math.isinf(limit.stiffness) and max(limit.minimum, 0.0) == limit.maximum
    )


def joined_groups(joints: list[Joint], scene: Scene) -> list[list[Joint]]:
    """Return joints that hang together by bodies that forces move."""
    leader = list(range(len(scene.bodies)))

    def find(body: int) -> int:
        while leader[body] != body:
            leader[body] = leader[leader[body]]
            body = leader[body]
        return body

    for joint in joints:
        first, *rest = _moved(joint, scene)
        for body in rest:
            leader[find(body)] = find(first)
    groups: dict[int, list[Joint]] = defaultdict(list)
    for joint in joints:
        groups[find(_moved(joint, scene)[0])].append(joint)
    return list(groups.values())


def _other(joint: Joint, body: int) -> int:
    return joint.b.body if joint.a.body == body else joint.a.body


def _frame(joint: Joint, body: int) -> Frame:
    return joint.a if joint.a.body == body else joint.b


def _pivot(joint: Joint, body: int, scene: Scene) -> Floats:
    """Return where a joint holds a body at the start, in the world."""
    pose = scene.bodies[body].pose
    return np.asarray(
        pose.translation + rotate(pose.rotation, _frame(joint, body).pose.translation)
    )


def _center(body: Body) -> Floats:
    return np.asarray(body.pose.translation + rotate(body.pose.rotation, body.mass.center))


def _finite(value: float) -> float:
    return 0.0 if math.isinf(value) else value


def _gyration(body: Body) -> float:
    """Return the largest radius of gyration [m] of a body, at least a millimetre."""
    moments = [_finite(moment) for moment in body.mass.inertia]
    mass = _finite(body.mass.mass)
    return max(math.sqrt(max(moments) / mass) if mass > 0 else 1.0, 1e-3)

"""Reference motions without a closed form, in double precision, each with its step study.

Models of differential equations are integrated by the classical Runge-Kutta method of fourth
order with a fixed step and with half of it; the difference is the error that a case states.
Spring bones are a recurrence in the text itself, which is evaluated as it stands.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from ligament.conformance.rotations import (
    IDENTITY,
    Floats,
    exp,
    from_to,
    inverse,
    matrix,
    product,
    rotate,
)

STEP: Final = 1 / 480
"""Step of the integration [s]; a study also uses half of it."""

FAST_STEP: Final = 1 / 1920
"""Step [s] for models that spin fast."""

KINKED_STEP: Final = 1 / 7680
"""Step [s] for models whose force jumps: there the method is of first order."""

GRAVITY: Final = 9.81

Values = Mapping[str, Any]


class Study(NamedTuple):
    """Values at the times asked for, and how far a run at half the step is from them."""

    values: Floats
    error: float
    step: float
    method: str


Slope = Callable[[float, Floats], Floats]


class Model(NamedTuple):
    """A differential equation: start, derivative by time and state, and observed quantity."""

    start: Callable[[Values], Floats]
    slope: Callable[[Values], Slope]
    seen: Callable[[Floats, Values], Any]
    step: float = STEP


def study(model: str, times: Sequence[float], values: Values) -> Study:
    """Return a model's values at some times [s], with their error."""
    if model in RECURRENCES:
        found = np.array(RECURRENCES[model](times, values))
        return Study(found, 0.0, 1 / 60, "the recurrence of the text")
    step = MODELS[model].step
    coarse, fine = (integrate(MODELS[model], times, values, h) for h in (step, step / 2))
    return Study(fine, float(np.abs(fine - coarse).max()), step / 2, "Runge-Kutta, fourth order")


def motion(model: str, times: Sequence[float], values: Values) -> Floats:
    """Return a model's values at some times [s], without a study."""
    if model in RECURRENCES:
        return np.array(RECURRENCES[model](times, values))
    return integrate(MODELS[model], times, values, STEP)


def integrate(model: Model, times: Sequence[float], values: Values, step: float) -> Floats:
    """Return the observed values of a model at some times [s], integrated by a fixed step [s]."""
    state, now, seen = model.start(values), 0, {}
    slope = model.slope(values)
    for time in sorted(times):
        until = round(time / step)
        while now < until:
            state = _stepped(slope, now * step, state, step)
            now += 1
        seen[time] = model.seen(state, values)
    return np.array([seen[time] for time in times], float)


def _stepped(slope: Slope, t: float, y: Floats, h: float) -> Floats:
    a = slope(t, y)
    b = slope(t + h / 2, y + h / 2 * a)
    c = slope(t + h / 2, y + h / 2 * b)
    d = slope(t + h, y + h * c)
    return y + h / 6 * (a + 2 * b + 2 * c + d)


# --- a free rigid body: rotation (4,) and angular velocity (3,) in its own axes ---


def _spin_start(values: Values) -> Floats:
    return np.array([*IDENTITY, *values["angular_velocity"]], float)


def _spin_slope(values: Values) -> Slope:
    axes = matrix(values.get("inertia_orientation", IDENTITY))
    i, j, k = values["inertia"]

    def slope(_: float, state: Floats) -> Floats:
        x, y, z, w, a, b, c = state.tolist()
        p, q, r = (state[4:] @ axes).tolist()
        turn = axes @ ((j - k) * q * r / i, (k - i) * r * p / j, (i - j) * p * q / k)
        change = (
            w * a + y * c - z * b,
            w * b + z * a - x * c,
            w * c + x * b - y * a,
            -x * a - y * b - z * c,
        )
        return np.array([*(part / 2 for part in change), *turn])

    return slope


def _spin_seen(state: Floats, _: Values) -> Floats:
    found: Floats = state[:4] / np.linalg.norm(state[:4])
    return found


# --- one coordinate with forces that depend on position, speed and time ---


def _point_start(values: Values) -> Floats:
    return np.array([values.get("start", 0.0), values.get("speed", 0.0)], float)


def _place(state: Floats, _: Values) -> float:
    return float(state[0])


def _pendulum_slope(values: Values) -> Slope:
    pull = values["mass"] * values["arm"] * GRAVITY / values["inertia"]
    return lambda _, state: np.array([state[1], -pull * math.sin(state[0])])


def _offset_place(state: Floats, values: Values) -> float:
    return float(state[0]) + float(values["offset"])


def _soft_limit_slope(values: Values) -> Slope:
    low, high = values.get("low", -math.inf), values.get("high", math.inf)
    k, c, mass = values["stiffness"], values["damping"], values["mass"]
    constant = values.get("acceleration", 0.0)

    def slope(_: float, state: Floats) -> Floats:
        x, v = state.tolist()
        beyond = min(x - low, 0.0) + max(x - high, 0.0)
        push = -k * beyond - (c * v if beyond else 0.0)
        return np.array([v, push / mass + constant])

    return slope


def _drive_slope(values: Values) -> Slope:
    k, c, mass = values["stiffness"], values["damping"], values["mass"]
    most = values.get("most", math.inf)

    def slope(t: float, state: Floats) -> Floats:
        x, v = state.tolist()
        target = float(np.interp(t, values["times"], values["targets"]))
        push = k * (target - x) - c * v
        return np.array([v, min(max(push, -most), most) / mass])

    return slope


# --- a double pendulum of equal rods: both angles from hanging, and their rates ---


def _rods_start(values: Values) -> Floats:
    return np.array([*values["starts"], 0.0, 0.0], float)


def _rods_slope(values: Values) -> Slope:
    pull = GRAVITY / values["length"]

    def slope(_: float, state: Floats) -> Floats:
        first, second, u, v = state.tolist()
        share = math.cos(first - second) / 2
        bend = math.sin(first - second) / 2
        masses = np.array([[4 / 3, share], [share, 1 / 3]])
        loads = [
            -bend * v**2 - 1.5 * pull * math.sin(first),
            bend * u**2 - 0.5 * pull * math.sin(second),
        ]
        return np.array([u, v, *np.linalg.solve(masses, loads)])

    return slope


def _rods_seen(state: Floats, values: Values) -> float:
    index = values["seen"]
    return float(state[index] - values["starts"][index])


# --- a top about a fixed point: its rotation, and its angular velocity in its own axes ---


def _top_start(values: Values) -> Floats:
    return np.array([*values.get("rotation", IDENTITY), *values["angular_velocity"]], float)


def _top_slope(values: Values) -> Slope:
    inertia = np.asarray(values["inertia"], float)
    arm = np.asarray(values["arm"], float)
    weight = np.array([0.0, -values["mass"] * GRAVITY, 0.0])

    def slope(_: float, state: Floats) -> Floats:
        turn, rate = state[:4], state[4:]
        torque = np.cross(arm, rotate(inverse(turn), weight))
        change = (torque - np.cross(rate, inertia * rate)) / inertia
        return np.concatenate([product(turn, [*rate, 0.0]) / 2, change])

    return slope


def _top_seen(state: Floats, values: Values) -> float:
    turn = state[:4] / np.linalg.norm(state[:4])
    return float(rotate(turn, values["arm"]) @ np.asarray(values["axis"], float))


MODELS: Final = {
    "free rotation": Model(_spin_start, _spin_slope, _spin_seen),
    "pendulum": Model(_point_start, _pendulum_slope, _place),
    "pendulum with offset": Model(_point_start, _pendulum_slope, _offset_place),
    "soft limit": Model(_point_start, _soft_limit_slope, _place, KINKED_STEP),
    "drive": Model(_point_start, _drive_slope, _place),
    "double rod": Model(_rods_start, _rods_slope, _rods_seen),
    "heavy top": Model(_top_start, _top_slope, _top_seen, FAST_STEP),
}
"""Models by name; their values have the units kg, m, s, rad."""


# --- spring bones: the recurrence of VRMC_springBone, once per frame ---


class _Bone:
    """The state of one moving joint: tails of this and the last frame [m], and its constants."""

    def __init__(self, joint: Values, head: Floats, frame: Floats) -> None:
        self.offset = np.asarray(joint["tail"], float)
        self.axis = self.offset / np.linalg.norm(self.offset)
        self.length = float(np.linalg.norm(self.offset))
        self.rest = np.asarray(joint.get("rest", IDENTITY), float)
        self.stiffness, self.drag = joint.get("stiffness", 1.0), joint.get("drag", 0.5)
        self.pull = joint.get("gravity_power", 0.0) * np.asarray(
            joint.get("gravity_direction", (0, -1, 0)), float
        )
        self.radius = joint.get("hit_radius", 0.0)
        self.tail = self.before = head + rotate(product(frame, self.rest), self.offset)
        self.rotation = self.rest

    def update(self, head: Floats, frame: Floats, dt: float, colliders: Sequence[Values]) -> None:
        """Advance by one frame, given the parent's rotation and the position [m] of the head."""
        rest = rotate(product(frame, self.rest), self.axis)
        inertia = (self.tail - self.before) * (1 - self.drag)
        following = self.tail + inertia + dt * (self.stiffness * rest + self.pull)
        following = self._at_length(head, following)
        for collider in colliders:
            depth, displacement = _contact(collider, following, self.radius)
            if depth < 0:
                following = self._at_length(head, following - depth * displacement)
        self.before, self.tail = self.tail, following
        seen = rotate(inverse(product(frame, self.rest)), following - head)
        self.rotation = product(self.rest, from_to(self.axis, seen))

    def _at_length(self, head: Floats, tail: Floats) -> Floats:
        displacement = tail - head
        found: Floats = head + self.length * displacement / np.linalg.norm(displacement)
        return found


def _contact(collider: Values, tail: Floats, radius: float) -> tuple[float, Floats]:
    """Return the distance [m] of a tail from a collider, and the direction out of it."""
    displacement = tail - np.asarray(collider["offset"], float)
    if "normal" in collider:
        normal = np.asarray(collider["normal"], float)
        return float(displacement @ normal) - radius, normal
    if "tail" in collider:
        line = np.asarray(collider["tail"], float) - np.asarray(collider["offset"], float)
        displacement = displacement - line * min(
            max(float(displacement @ line) / float(line @ line), 0.0), 1.0
        )
    far = float(np.linalg.norm(displacement))
    if collider.get("inside"):
        return collider["radius"] - radius - far, -displacement / far
    return far - collider["radius"] - radius, displacement / far


def _root(time: float, values: Values) -> tuple[Floats, Floats]:
    """Return the position [m] and rotation of the node above the chain."""
    keys = values.get("keys", [0.0])
    places = np.asarray(values.get("places", [(0, 0, 0)] * len(keys)), float)
    place = np.array([np.interp(time, keys, places[:, i]) for i in range(3)])
    turn = np.interp(time, keys, values.get("turns", [0.0] * len(keys)))
    return place, exp(turn * np.asarray(values.get("turn_axis", (0, 0, 1)), float))


def spring_chain(times: Sequence[float], values: Values) -> list[Floats]:
    """Return the local rotation of joint `seen` of a chain at some times."""
    rate = values.get("rate", 60)
    head, frame = _root(0.0, values)
    bones = []
    for joint in values["joints"]:
        bones.append(_Bone(joint, head, frame))
        head, frame = bones[-1].tail, product(frame, bones[-1].rest)
    seen = {0: bones[values.get("seen", 0)].rotation}
    for index in range(1, round(max(times) * rate) + 1):
        head, frame = _root(index / rate, values)
        for bone in bones:
            bone.update(head, frame, 1 / rate, values.get("colliders", ()))
            frame = product(frame, bone.rotation)
            head = head + rotate(frame, bone.offset)
        seen[index] = bones[values.get("seen", 0)].rotation
    return [seen[round(time * rate)] for time in times]


RECURRENCES: Final[dict[str, Callable[[Sequence[float], Values], list[Floats]]]] = {
    "spring bones": spring_chain
}

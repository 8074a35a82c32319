"""A second way to each expected value: other quaternions, other equations, another integrator."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from ligament import transforms as tf

Json = dict[str, Any]
G = 9.81


def _rotation_of(vector: Any) -> Any:
    angle = np.linalg.norm(vector)
    return tf.from_axis_angle(np.asarray(vector) / angle, angle) if angle else np.eye(4)[3]


def _product(*factors: Any) -> Any:
    total = np.asarray(factors[0], float)
    for factor in factors[1:]:
        total = tf.multiply(total, np.asarray(factor, float))
    return total


def _slerp(a: Any, b: Any, weight: float) -> Any:
    p, q = np.asarray(a, float), np.asarray(b, float)
    q = q if p @ q >= 0 else -q
    angle = math.atan2(np.linalg.norm(q - p * (p @ q)), p @ q)
    if angle < 1e-12:
        return p
    return (math.sin((1 - weight) * angle) * p + math.sin(weight * angle) * q) / math.sin(angle)


def _from_to(a: Any, b: Any) -> Any:
    u, v = (np.asarray(x, float) / np.linalg.norm(x) for x in (a, b))
    axis, angle = np.cross(u, v), math.atan2(np.linalg.norm(np.cross(u, v)), u @ v)
    return _rotation_of(axis / np.linalg.norm(axis) * angle if angle else np.zeros(3))


def _vector(q: Any) -> Any:
    q = np.asarray(q, float) * (1 if q[3] >= 0 else -1)
    length = float(np.linalg.norm(q[:3]))
    return q[:3] / length * 2 * math.asin(min(length, 1.0)) if length else np.zeros(3)


NAMES: Json = {
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "sqrt": math.sqrt, "exp": math.exp,
    "asin": math.asin, "acos": math.acos, "atan2": math.atan2,
    "log": math.log, "abs": abs, "min": min, "max": max, "pi": math.pi, "g": G,
    "product": _product, "inverse": lambda q: np.asarray(q, float) * [-1, -1, -1, 1],
    "rotate": lambda q, v: tf.rotate(np.asarray(q, float), np.asarray(v, float)),
    "about": lambda axis, angle: _rotation_of(np.asarray(axis, float) * angle),
    "slerp": _slerp, "from_to": _from_to, "rotation_vector": _vector,
    "rotation_of": _rotation_of,
}  # fmt: skip


class _Vector(list):  # type: ignore[type-arg]
    """A list that adds and multiplies as a vector does."""

    def __add__(self, other: Any) -> Any:
        return np.asarray(self, float) + np.asarray(other, float)

    def __radd__(self, other: Any) -> Any:
        return self + other

    def __mul__(self, other: Any) -> Any:
        return np.asarray(self, float) * np.asarray(other, float)

    __rmul__ = __mul__


def evaluate(text: str, values: Json, time: float | None = None) -> Any:
    """Return the value of a closed form, by Python's own evaluation of its text."""
    known = {k: _Vector(v) if isinstance(v, list) else v for k, v in values.items()}
    if time is not None:
        known["t"] = time
    return eval(text, {"__builtins__": {}}, {**NAMES, **known})


# --- differential equations, written once more ---

Slope = Callable[[float, Any], Any]


def _free_rotation(values: Json) -> tuple[Any, Slope, Callable[[Any], Any]]:
    """Angular momentum is constant in the world: only the rotation matrix is integrated."""
    axes = tf.to_matrix(np.asarray(values.get("inertia_orientation", (0, 0, 0, 1)), float))
    inertia = axes @ np.diag(values["inertia"]) @ axes.T
    inverse, momentum = np.linalg.inv(inertia), inertia @ values["angular_velocity"]

    def slope(_: float, flat: Any) -> Any:
        turn = flat.reshape(3, 3)
        x, y, z = turn @ inverse @ turn.T @ momentum
        return (np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]) @ turn).ravel()

    return np.eye(3).ravel(), slope, lambda flat: flat.reshape(3, 3)


def _point(values: Json, force: Callable[[float, float, float], float]) -> Any:
    start = np.array([values.get("start", 0.0), values.get("speed", 0.0)])
    return start, lambda t, y: np.array([y[1], force(t, *y)]), lambda y: y[0]


def _pendulum(values: Json) -> Any:
    weight = values["mass"] * G * values["arm"] / values["inertia"]
    start, slope, seen = _point(values, lambda t, x, v: -weight * math.sin(x))
    return start, slope, lambda y: seen(y) + values.get("offset", 0.0)


def _soft_limit(values: Json) -> Any:
    def force(_: float, x: float, v: float) -> float:
        inside = min(max(x, values.get("low", -math.inf)), values.get("high", math.inf))
        spring = values["stiffness"] * (inside - x) - values["damping"] * v * (x != inside)
        return spring / values["mass"] + values.get("acceleration", 0.0)

    return _point(values, force)


def _drive(values: Json) -> Any:
    def force(t: float, x: float, v: float) -> float:
        target = np.interp(t, values["times"], values["targets"])
        whole = values["stiffness"] * (target - x) - values["damping"] * v
        most = values.get("most", math.inf)
        return float(np.clip(whole, -most, most)) / values["mass"]

    return _point(values, force)


def _double_rod(values: Json) -> Any:
    """D'Alembert's principle: no turn of either rod does work against what is left over."""
    length = values["length"]

    def left_over(angles: Any, rates: Any, turns: Any) -> Any:
        along = np.stack([np.sin(angles), -np.cos(angles)], axis=1) * length
        aside = np.stack([np.cos(angles), np.sin(angles)], axis=1) * length
        pulls = turns[:, None] * aside - rates[:, None] ** 2 * along
        loads = [(0, -G) - pulls[0] / 2, (0, -G) - pulls[0] - pulls[1] / 2]
        first = (loads[0] / 2 + loads[1]) @ aside[0]
        second = loads[1] / 2 @ aside[1]
        return np.array([first, second]) - length**2 / 12 * turns

    def slope(_: float, state: Any) -> Any:
        angles, rates = state[:2], state[2:]
        still = left_over(angles, rates, np.zeros(2))
        columns = [left_over(angles, rates, turns) - still for turns in np.eye(2)]
        return np.concatenate([rates, np.linalg.solve(-np.stack(columns, axis=1), still)])

    seen = values["seen"]
    start = np.array([*values["starts"], 0.0, 0.0])
    return start, slope, lambda state: state[seen] - values["starts"][seen]


def _heavy_top(values: Json) -> Any:
    """The torque changes the angular momentum in the world; the rotation is a matrix."""
    inverse = np.diag(1 / np.asarray(values["inertia"], float))
    arm = np.asarray(values["arm"], float)
    turn = tf.to_matrix(np.asarray(values.get("rotation", (0, 0, 0, 1)), float))
    momentum = turn @ (np.asarray(values["inertia"]) * values["angular_velocity"])

    def slope(_: float, flat: Any) -> Any:
        turn = flat[:9].reshape(3, 3)
        x, y, z = turn @ inverse @ turn.T @ flat[9:]
        torque = np.cross(turn @ arm, (0, -values["mass"] * G, 0))
        change = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]) @ turn
        return np.concatenate([change.ravel(), torque])

    start = np.concatenate([turn.ravel(), momentum])
    return start, slope, lambda flat: float(flat[:9].reshape(3, 3) @ arm @ values["axis"])


MODELS = {
    "free rotation": _free_rotation,
    "pendulum": _pendulum,
    "pendulum with offset": _pendulum,
    "soft limit": _soft_limit,
    "drive": _drive,
    "double rod": _double_rod,
    "heavy top": _heavy_top,
}


def integrate(model: str, values: Json, times: Sequence[float]) -> list[Any]:
    """Integrate by the midpoint rule and extrapolate once; more finely where a force jumps."""
    steps = 12000 if model in ("soft limit", "heavy top") else 1200
    coarse, fine = (_midpoint(model, values, times, n) for n in (steps, 2 * steps))
    return [b + (b - a) / 3 for a, b in zip(coarse, fine, strict=True)]


def _midpoint(model: str, values: Json, times: Sequence[float], steps: int) -> list[Any]:
    state, slope, seen = MODELS[model](values)
    h, now, found = 1 / steps, 0, []
    for time in times:
        while now < round(time * steps):
            middle = state + h / 2 * slope(now * h, state)
            state = state + h * slope((now + 0.5) * h, middle)
            now += 1
        found.append(seen(state))
    return found


# --- the error of an integrator of first order ---

POINTS = ("pendulum", "pendulum with offset", "soft limit", "drive")
"""Models of one coordinate."""

FRAME = 1 / 60


def is_timed(how: Json) -> bool:
    """Whether a derivation is a closed form of time."""
    text = how.get("expression", "")
    return bool(re.search(r"\bt\b", text))


def first_order_error(check: Json) -> float:
    """Return how far the semi-implicit Euler method at 1/60 s is off at the times of a check."""
    how = check["derivation"]
    if how["kind"] == "reference integration":
        return _euler_error(how, check)
    # Its leading term, h/2 (x'(t) - x'(start)), is the whole error of a constant acceleration.
    start = max((_number(c) for c in re.findall(r"t - ([\d./]+)", how["expression"])), default=0.0)
    first = _rate(how, start + 1e-4)
    return max(FRAME / 2 * abs(_rate(how, time) - first) for time in check["times"])


def _number(text: str) -> float:
    return float(Fraction(text))


def _rate(how: Json, time: float) -> float:
    early, late = (evaluate(how["expression"], how["values"], time + d) for d in (-1e-4, 0.0))
    return float(late - early) / 1e-4


def _euler_error(how: Json, check: Json) -> float:
    (place, speed), slope, seen = MODELS[how["model"]](how["values"])
    frames = {0: seen((place, speed))}
    for k in range(round(max(check["times"]) / FRAME)):
        speed = speed + FRAME * slope(k * FRAME, (place, speed))[1]
        place = place + FRAME * speed
        frames[k + 1] = seen((place, speed))
    pairs = zip(check["times"], check["expected"], strict=True)
    return max(abs(frames[round(time / FRAME)] - value) for time, value in pairs)


# --- spring bones, in matrices ---


def _turn(a: Any, b: Any) -> Any:
    return tf.to_matrix(_from_to(a, b))


def spring_chain(values: Json, times: Sequence[float]) -> list[Any]:
    """Return the local rotation matrix of a joint of a chain at some times."""
    frames = {0: _chain_start(values)}
    for k in range(1, round(max(times) * 60) + 1):
        frames[k] = _chain_step(values, k, frames[k - 1])
    return [frames[round(time * 60)][values.get("seen", 0)][2] for time in times]


def _root(values: Json, time: float) -> tuple[Any, Any]:
    keys = values.get("keys", [0.0])
    places = np.asarray(values.get("places", np.zeros((len(keys), 3))), float)
    angle = np.interp(time, keys, values.get("turns", np.zeros(len(keys))))
    axis = np.asarray(values.get("turn_axis", (0, 0, 1)), float)
    place = np.array([np.interp(time, keys, places[:, i]) for i in range(3)])
    return place, tf.to_matrix(_rotation_of(axis * angle))


def _rest(joint: Json) -> Any:
    return tf.to_matrix(np.asarray(joint.get("rest", (0, 0, 0, 1)), float))


def _chain_start(values: Json) -> list[Any]:
    head, turn = _root(values, 0.0)
    found = []
    for joint in values["joints"]:
        turn = turn @ _rest(joint)
        head = head + turn @ np.asarray(joint["tail"], float)
        found.append((head, head, _rest(joint)))
    return found


def _chain_step(values: Json, k: int, before: list[Any]) -> list[Any]:
    head, turn = _root(values, k / 60)
    found = []
    for joint, (tail, older, _) in zip(values["joints"], before, strict=True):
        offset = np.asarray(joint["tail"], float)
        length, rest = float(np.linalg.norm(offset)), turn @ _rest(joint)
        pull = np.asarray(joint.get("gravity_direction", (0, -1, 0)), float)
        way = tail + (1 - joint.get("drag", 0.5)) * (tail - older)
        way = way + joint.get("stiffness", 1.0) / 60 * (rest @ offset / length)
        way = way + joint.get("gravity_power", 0.0) / 60 * pull
        way = head + length * (way - head) / np.linalg.norm(way - head)
        for shape in values.get("colliders", ()):
            pushed = way + _push(shape, way, joint.get("hit_radius", 0.0))
            way = head + length * (pushed - head) / np.linalg.norm(pushed - head)
        local = _rest(joint) @ _turn(offset, rest.T @ (way - head))
        found.append((way, tail, local))
        turn = turn @ local
        head = head + turn @ offset
    return found


def _push(shape: Json, point: Any, radius: float) -> Any:
    away = point - np.asarray(shape["offset"], float)
    if "normal" in shape:
        normal = np.asarray(shape["normal"], float)
        return max(0.0, radius - away @ normal) * normal
    if "tail" in shape:
        line = np.asarray(shape["tail"], float) - np.asarray(shape["offset"], float)
        away = away - line * np.clip(away @ line / (line @ line), 0, 1)
    far = float(np.linalg.norm(away))
    if shape.get("inside"):
        return -max(0.0, far - (shape["radius"] - radius)) * away / far
    return max(0.0, shape["radius"] + radius - far) * away / far

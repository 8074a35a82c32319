"""Limits: the metric of each kind, on every axis, hard and soft (Joints, Appendix)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from ligament.conformance.assets import Asset
from ligament.conformance.case import Case, Check, at, within
from ligament.conformance.cases.parts import AXES, QUARTER, an, floating, scaled
from ligament.conformance.cases.sources import JOINTS, METRICS
from ligament.conformance.rotations import about
from ligament.conformance.signals import X, Y, angle, angular, linear, position

case = partial(Case, family="limits", source=METRICS)

NAMES = tuple(AXES)
LOW, HIGH = -0.3, 0.5


def cases() -> Iterator[Case]:
    """Yield the cases of this family."""
    yield from one_linear_axis()
    yield from two_linear_axes()
    yield from three_linear_axes()
    yield from one_angular_axis()
    yield from two_angular_axes()
    yield from three_angular_axes()
    yield from absent_bounds()
    yield from wide_bounds()
    yield from offset_locks()
    yield from frames()


def held(
    a: Asset, *limits: dict[str, Any], place: Sequence[float] | None = None, **motion: Any
) -> tuple[int, int]:
    """Add a body that limits hold to a fixed node; return both nodes."""
    anchor = a.node("anchor")
    node = a.node("body", place, motion=floating(**motion))
    a.link(anchor, node, a.joint(limits))
    return anchor, node


def bounded(signal: dict[str, Any], low: float | None, high: float | None) -> Check:
    """Expect a limit's metric to stay between its bounds."""
    bounds = {"least": low, "most": high}
    texts = {name: f"{value:g}" for name, value in bounds.items() if value is not None}
    return within(signal, (0, 1), 0.02, **texts)


def one_linear_axis() -> Iterator[Case]:
    """Yield cases of a signed distance from a plane."""
    for index, (name, axis) in enumerate(AXES.items()):
        for sign, bound in ((1, HIGH), (-1, LOW)):
            a = Asset()
            limit = {"linearAxes": [index], "min": LOW, "max": HIGH}
            other = AXES[NAMES[(index + 1) % 3]]
            velocity = [sign * p + 0.5 * q for p, q in zip(axis, other, strict=True)]
            anchor, node = held(a, limit, linearVelocity=velocity)
            near = abs(bound) - 0.1
            yield case(
                name=f"linear_{name}_{'max' if sign > 0 else 'min'}",
                sentence=f"A 1D linear limit bounds the signed distance along {name}, here by its "
                f"{'max' if sign > 0 else 'min'}, and leaves the other axes free.",
                asset=a,
                checks=[
                    at(linear(anchor, node, index), near, "s*t", 0.02, s=float(sign)),
                    bounded(linear(anchor, node, index), LOW, HIGH),
                    at(position(node, other), (0.5, 1), "t/2", 0.02),
                ],
            )
        a = Asset()
        limit = {"linearAxes": [index], "min": 0.0, "max": 0.0}
        other = AXES[NAMES[(index + 2) % 3]]
        velocity = [p + q for p, q in zip(axis, other, strict=True)]
        anchor, node = held(a, limit, linearVelocity=velocity)
        yield case(
            name=f"linear_{name}_locked",
            sentence=f"A 1D linear limit with equal bounds locks {name} alone.",
            asset=a,
            checks=[
                bounded(linear(anchor, node, index), 0, 0),
                at(position(node, other), (0.5, 1), "t", 0.02),
            ],
        )
    a = Asset()
    limit = {"linearAxes": [1], "min": -0.4, "max": 0.0}
    anchor, node = held(a, limit, gravityFactor=1.0)
    yield case(
        name="hangs_at_min",
        sentence="A hard limit holds a body: it hangs at the lower bound.",
        source=JOINTS,
        asset=a,
        checks=[
            bounded(linear(anchor, node, 1), -0.4, 0),
            at(position(node, Y), (0.9, 1), "-0.4", 0.02),
        ],
    )


def pairs() -> Iterator[tuple[int, int, int]]:
    """Yield two axes and the remaining one."""
    for first, second in itertools.combinations(range(3), 2):
        yield first, second, 3 - first - second


def two_linear_axes() -> Iterator[Case]:
    """Yield cases of a distance from a line."""
    for first, second, rest in pairs():
        line = NAMES[rest]
        word = f"{NAMES[first]}{NAMES[second]}"
        unit = [0.0 if i == rest else math.sqrt(0.5) for i in range(3)]
        free = AXES[line]
        velocity = [p + 0.5 * q for p, q in zip(unit, free, strict=True)]
        a = Asset()
        limit = {"linearAxes": [first, second], "min": 0.0, "max": HIGH}
        anchor, node = held(a, limit, linearVelocity=velocity)
        signal = linear(anchor, node, first, second)
        yield case(
            name=f"linear_{word}_radius",
            sentence=f"A 2D linear limit bounds the distance from the line along {line}, not each "
            "axis separately.",
            asset=a,
            checks=[
                at(signal, 0.4, "t", 0.02),
                bounded(signal, 0, HIGH),
                at(position(node, free), (0.5, 1), "t/2", 0.02),
            ],
        )
        a = Asset()
        limit = {"linearAxes": [first, second], "min": 0.0, "max": 0.0}
        anchor, node = held(a, limit, linearVelocity=velocity)
        yield case(
            name=f"linear_{word}_locked",
            sentence=f"A 2D linear limit of zero leaves a line along {line}.",
            asset=a,
            checks=[
                bounded(linear(anchor, node, first, second), 0, 0),
                at(position(node, free), (0.5, 1), "t/2", 0.02),
            ],
        )
        a = Asset()
        limit = {"linearAxes": [first, second], "min": 0.3, "max": 2.0}
        start = [0.6 if i == first else 0.0 for i in range(3)]
        anchor, node = held(a, limit, place=start, linearVelocity=[-p for p in start])
        signal = linear(anchor, node, first, second)
        yield case(
            name=f"linear_{word}_min",
            sentence=f"The min of a 2D linear limit keeps away from the line along {line}.",
            asset=a,
            checks=[at(signal, 0.4, "0.6 - 0.6*t", 0.02), bounded(signal, 0.3, 2)],
        )


def three_linear_axes() -> Iterator[Case]:
    """Yield cases of a distance from a point."""
    every = [0, 1, 2]
    a = Asset()
    unit = math.sqrt(1 / 3)
    limit = {"linearAxes": every, "min": 0.0, "max": HIGH}
    anchor, node = held(a, limit, linearVelocity=[unit, unit, unit])
    signal = linear(anchor, node, *every)
    yield case(
        name="linear_distance_max",
        sentence="A 3D linear limit bounds the distance of the frames, not each axis separately.",
        asset=a,
        checks=[at(signal, 0.4, "t", 0.02), bounded(signal, 0, HIGH)],
    )
    a = Asset()
    limit = {"linearAxes": every, "min": 0.3, "max": 2.0}
    anchor, node = held(a, limit, place=(0, 0.6, 0), linearVelocity=[0, -1.0, 0])
    signal = linear(anchor, node, *every)
    yield case(
        name="linear_distance_min",
        sentence="The min of a 3D linear limit keeps the frames apart.",
        asset=a,
        checks=[at(signal, 0.2, "0.6 - t", 0.02), bounded(signal, 0.3, 2)],
    )
    a = Asset()
    limit = {"linearAxes": every, "min": 0.0, "max": 0.0}
    anchor, node = held(a, limit, linearVelocity=[1.0, 1.0, 1.0], angularVelocity=[0, 1.0, 0])
    yield case(
        name="linear_distance_zero",
        sentence="A 3D linear limit of zero is a ball joint: no translation, any rotation.",
        asset=a,
        checks=[
            bounded(linear(anchor, node, *every), 0, 0),
            at(angle(node, Y), (0.5, 1), "t", 0.02),
        ],
    )
    a = Asset()
    limit = {"linearAxes": every, "min": 0.5, "max": 0.5}
    motion = {"linearVelocity": [0, 1.0, 0]}
    anchor, node = held(a, limit, place=(0.5, 0, 0), **motion)
    why = "uniform circular motion: the angle is v t/r"
    yield case(
        name="linear_distance_equal",
        sentence="Equal bounds that are not zero hold the frames at that distance: a rod.",
        asset=a,
        checks=[
            within(linear(anchor, node, *every), (0, 1), 0.02, least="0.5", most="0.5"),
            at(position(node, X), (0.4, 0.8), "0.5*cos(2*t)", 0.04, why),
            at(position(node, Y), (0.4, 0.8), "0.5*sin(2*t)", 0.04, why),
        ],
    )


def one_angular_axis() -> Iterator[Case]:
    """Yield cases of a signed twist."""
    for index, (name, axis) in enumerate(AXES.items()):
        for sign, bound in ((1, HIGH), (-1, LOW)):
            a = Asset()
            limit = {"angularAxes": [index], "min": LOW, "max": HIGH}
            anchor, node = held(a, limit, angularVelocity=scaled(axis, sign))
            signal = angular(anchor, node, index)
            near = abs(bound) - 0.1
            yield case(
                name=f"angular_{name}_{'max' if sign > 0 else 'min'}",
                sentence=f"A 1D angular limit bounds the signed rotation about {name}, here by its "
                f"{'max' if sign > 0 else 'min'}.",
                asset=a,
                checks=[at(signal, near, "s*t", 0.02, s=float(sign)), bounded(signal, LOW, HIGH)],
            )
        a = Asset()
        limit = {"angularAxes": [index], "min": 0.0, "max": 0.0}
        anchor, node = held(a, limit, angularVelocity=scaled(axis, 1.0))
        yield case(
            name=f"angular_{name}_locked",
            sentence=f"A 1D angular limit with equal bounds locks the rotation about {name}.",
            asset=a,
            checks=[bounded(angular(anchor, node, index), 0, 0)],
        )
        a = Asset()
        other = AXES[NAMES[(index + 1) % 3]]
        limit = {"angularAxes": [index], "min": 0.0, "max": 0.0}
        anchor, node = held(a, limit, angularVelocity=scaled(other, 1.0))
        yield case(
            name=f"angular_{name}_leaves_others",
            sentence=f"A 1D angular limit about {name} leaves the rotation about another axis "
            "free, as in a universal joint.",
            source=JOINTS,
            asset=a,
            checks=[at(angle(node, other), (0.5, 1), "t", 0.02)],
        )


def two_angular_axes() -> Iterator[Case]:
    """Yield cases of a cone."""
    for first, second, rest in pairs():
        word, axis = f"{NAMES[first]}{NAMES[second]}", NAMES[rest]
        a = Asset()
        limit = {"angularAxes": [first, second], "min": 0.0, "max": HIGH}
        spin = [0.0 if i == rest else math.sqrt(0.5) for i in range(3)]
        anchor, node = held(a, limit, angularVelocity=spin)
        signal = angular(anchor, node, first, second)
        yield case(
            name=f"angular_{word}_cone",
            sentence=f"A 2D angular limit is a cone about {axis}: oblique rotations have the same "
            "bound.",
            asset=a,
            checks=[at(signal, 0.4, "t", 0.02), bounded(signal, 0, HIGH)],
        )
        a = Asset()
        limit = {"angularAxes": [first, second], "min": 0.0, "max": 0.0}
        free = AXES[axis]
        anchor, node = held(a, limit, angularVelocity=scaled(free, 1.0))
        yield case(
            name=f"angular_{word}_hinge",
            sentence=f"A cone of zero leaves the rotation about {axis} free: a hinge.",
            asset=a,
            checks=[
                at(angle(node, free), (0.5, 1), "t", 0.02),
                bounded(angular(anchor, node, first, second), 0, 0),
            ],
        )
        a = Asset()
        anchor, node = held(a, limit, angularVelocity=scaled(AXES[NAMES[first]], 1.0))
        yield case(
            name=f"angular_{word}_locked",
            sentence=f"A cone of zero keeps {axis} from tilting.",
            asset=a,
            checks=[bounded(angular(anchor, node, first, second), 0, 0)],
        )


def three_angular_axes() -> Iterator[Case]:
    """Yield cases of the angle of the whole rotation."""
    every = [0, 1, 2]
    for word, spin in {
        "oblique": [math.sqrt(1 / 3)] * 3,
        "x": [1.0, 0.0, 0.0],
        "y": [0.0, -1.0, 0.0],
        "z": [0.0, 0.0, 1.0],
    }.items():
        a = Asset()
        limit = {"angularAxes": every, "min": 0.0, "max": HIGH}
        anchor, node = held(a, limit, angularVelocity=spin)
        signal = angular(anchor, node, *every)
        yield case(
            name=f"angular_whole_{word}",
            sentence="A 3D angular limit bounds the angle of the whole rotation, here "
            + ("about an oblique axis." if word == "oblique" else f"about {word}."),
            asset=a,
            checks=[at(signal, 0.4, "t", 0.02), bounded(signal, 0, HIGH)],
        )
    a = Asset()
    limit = {"angularAxes": every, "min": 0.0, "max": 0.0}
    anchor, node = held(a, limit, angularVelocity=[1.0, 1.0, 1.0], linearVelocity=[1.0, 0, 0])
    yield case(
        name="angular_whole_locked",
        sentence="A 3D angular limit of zero locks every rotation and no translation.",
        asset=a,
        checks=[
            bounded(angular(anchor, node, *every), 0, 0),
            at(position(node, X), (0.5, 1), "t", 0.02),
        ],
    )


def absent_bounds() -> Iterator[Case]:
    """Yield cases of absent bounds, which do not limit anything."""
    for kind, velocity, signal in (
        ("linear", "linearVelocity", position),
        ("angular", "angularVelocity", angle),
    ):
        for present, sign in (("min", 1.0), ("max", -1.0)):
            a = Asset()
            limit = {f"{kind}Axes": [0], present: -0.2 * sign}
            _, node = held(a, limit, **{velocity: [sign, 0, 0]})
            absent = "max" if present == "min" else "min"
            yield case(
                name=f"{kind}_without_{absent}",
                sentence=f"{an(kind).capitalize()} limit without {absent} is open on that side.",
                source=JOINTS,
                asset=a,
                checks=[at(signal(node, X), (0.5, 1), "s*t", 0.02, s=sign)],
            )
    a = Asset()
    _, node = held(a, {"linearAxes": [0, 1], "min": 0.0}, linearVelocity=[0.6, 0.8, 0])
    yield case(
        name="radius_without_max",
        sentence="A 2D linear limit without max is open.",
        source=JOINTS,
        asset=a,
        checks=[at(position(node, Y), (0.5, 1), "0.8*t", 0.02)],
    )
    a = Asset()
    anchor = a.node("anchor")
    node = a.node("body", motion=floating(linearVelocity=[1.0, 0, 0]))
    a.link(anchor, node, a.joint(drives=[{"type": "linear", "mode": "force", "axis": 1}]))
    yield case(
        name="no_limits",
        sentence="A joint without limits leaves everything free.",
        source=JOINTS,
        asset=a,
        checks=[at(position(node, X), (0.5, 1), "t", 0.02)],
    )


WIDE = {
    "half_turn": (-math.pi, math.pi),
    "whole_turn": (0.0, 2 * math.pi),
    "turns": (-9.0, 7.0),
    "one_sided": (None, 7.0),
}
"""Bounds [rad] of an angle that reach half a turn and more."""


def wide_bounds() -> Iterator[Case]:
    """Yield cases of angles that are bounded at half a turn and beyond."""
    for (index, axis), (word, (low, high)) in itertools.product(
        enumerate(AXES.values()), WIDE.items()
    ):
        for sign, bound in ((1, high), (-1, low)):
            if bound is None:
                continue
            a, spin = Asset(), sign * max(2 * abs(bound), 2.0)
            others = [i for i in range(3) if i != index]
            bounds = {"max": high} if low is None else {"min": low, "max": high}
            _, node = held(
                a,
                {"linearAxes": [0, 1, 2], "min": 0.0, "max": 0.0},
                {"angularAxes": others, "min": 0.0, "max": 0.0},
                {"angularAxes": [index], **bounds},
                angularVelocity=scaled(axis, spin),
            )
            before = (0.25, 0.4) if bound else ()
            yield case(
                name=f"angular_{NAMES[index]}_{word}_{'max' if sign > 0 else 'min'}",
                sentence=f"The bounds of an angle hold at any width: about {NAMES[index]} it stops "
                f"at {bound:.4g} rad, counted over whole turns.",
                asset=a,
                checks=[
                    *([at(angle(node, axis), before, "w*t", 0.05, w=spin)] if before else []),
                    at(angle(node, axis), (0.8, 1), f"{bound!r}", 0.05),
                ],
            )


def offset_locks() -> Iterator[Case]:
    """Yield cases of axes that are locked at other values than zero."""
    for index, (name, axis) in enumerate(AXES.items()):
        others = [i for i in range(3) if i != index]
        a = Asset()
        anchor, node = held(
            a,
            {"linearAxes": [index], "min": 0.4, "max": 0.4},
            {"linearAxes": others, "min": 0.0, "max": 0.0},
            {"angularAxes": [0, 1, 2], "min": 0.0, "max": 0.0},
        )
        yield case(
            name=f"linear_{name}_locked_off_zero",
            sentence=f"Equal bounds lock {name} at their value: a fixed joint that starts at 0 "
            "settles at 0.4 m.",
            asset=a,
            checks=[
                at(position(node, axis), (0.8, 1), "0.4", 0.02),
                at(linear(anchor, node, *others), (0.8, 1), "0", 0.02),
            ],
        )
        a = Asset()
        anchor = a.node("anchor")
        node = a.node("body", rotation=about(axis, 0.35), motion=floating(angularVelocity=[2] * 3))
        point = {"linearAxes": [0, 1, 2], "min": 0.0, "max": 0.0}
        straight = {"angularAxes": others, "min": 0.0, "max": 0.0}
        turned = {"angularAxes": [index], "min": 0.35, "max": 0.35}
        a.link(anchor, node, a.joint((point, straight, turned)))
        yield case(
            name=f"angular_{name}_locked_off_zero",
            sentence=f"Equal bounds lock an angle about {name} at their value: 0.35 rad.",
            asset=a,
            checks=[
                at(angular(anchor, node, index), (0.5, 1), "0.35", 0.02),
                at(angle(node, axis), (0.5, 1), "0", 0.02),
            ],
        )


def frames() -> Iterator[Case]:
    """Yield cases of rotated frames: the axes are those of the joint's node."""
    for name, axis in AXES.items():
        index = NAMES.index(name)
        first, second = (index + 1) % 3, (index + 2) % 3
        for kind, velocity, signal in (
            ("linear", "linearVelocity", linear),
            ("angular", "angularVelocity", angular),
        ):
            a = Asset()
            anchor = a.node("anchor", rotation=about(axis, QUARTER))
            world = AXES[NAMES[second]]
            node = a.node("body", motion=floating(**{velocity: scaled(world, 1.0)}))
            tip = a.node("frame", parent=node, rotation=about(axis, QUARTER))
            limit = {f"{kind}Axes": [first], "min": LOW, "max": HIGH}
            a.link(anchor, tip, a.joint([limit]))
            seen = signal(anchor, tip, first)
            yield case(
                name=f"{kind}_axes_turned_about_{name}",
                sentence=f"The axes of {an(kind)} limit are those of the attachment frames, here "
                f"turned by 90° about {name}.",
                source=JOINTS,
                asset=a,
                checks=[at(seen, 0.4, "t", 0.02), bounded(seen, LOW, HIGH)],
            )
    for kind, velocity, seen_as in (
        ("linear", "linearVelocity", position),
        ("angular", "angularVelocity", angle),
    ):
        a = Asset()
        anchor = a.node("anchor")
        node = a.node("body", motion=floating(**{velocity: [-1.0, 0, 0]}))
        a.link(node, anchor, a.joint([{f"{kind}Axes": [0], "min": LOW, "max": HIGH}]))
        yield case(
            name=f"{kind}_sides_exchanged",
            sentence=f"{an(kind).capitalize()} limit measures the connected node from the joint's "
            "node: with the joint on the body, the signs flip.",
            asset=a,
            checks=[
                at(seen_as(node, X), 0.4, "-t", 0.02),
                within(seen_as(node, X), (0, 1), 0.02, least="-0.5", most="0.3"),
            ],
        )

"""Linkages and levers: bars whose places follow from lengths alone."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ligament.conformance.assets import Asset
from ligament.conformance.case import Case, at, integrated, within
from ligament.conformance.cases.drives import drive
from ligament.conformance.cases.joints import hinge
from ligament.conformance.cases.machine_parts import (
    AXLE,
    KINEMATICS,
    SLIDE,
    SLOT,
    STATICS,
    bar,
    block,
    crank,
    join,
    machine,
    meeting,
    weld,
)
from ligament.conformance.cases.parts import floating
from ligament.conformance.rotations import about
from ligament.conformance.signals import X, Y, Z, angle, distance, position, tilt

NEAR = 0.01
"""Tolerance [m] of places on a linkage: a hundredth of its bars."""


def cases() -> Iterator[Case]:
    """Yield the cases of linkages."""
    yield from loops()
    yield from straight_lines()
    yield from shafts()
    yield from swings()
    yield from levers()


def loops() -> Iterator[Case]:
    """Yield a four-bar linkage and a slider-crank.

    The tip of the rocker is where the circle of the coupler about the crank's tip meets that of the
    rocker about its pivot: with e from the pivot to the crank's tip, its angle is that of e less
    acos((e² + c² - b²)/(2 e c)). The piston of a slider-crank is at r cos + sqrt(l² - r² sin²).
    """
    a = Asset()
    r, b, c, d, w = 0.4, 1.0, 0.8, 1.0, 2.0
    knee = meeting((0, r), b, (d, 0), c)
    wheel, coupler = crank(a, w), bar(a, "coupler", (0, r), knee)
    rocker = bar(a, "rocker", (d, 0), knee)
    join(a, wheel, coupler, (0, r))
    join(a, coupler, rocker, knee)
    join(a, None, rocker, (d, 0))
    e = "(d**2 + r**2 + 2*d*r*sin(w*t))"
    turn = f"(pi - atan2(r*cos(w*t), d + r*sin(w*t)) - acos(({e} + c**2 - b**2)/(2*c*sqrt({e}))))"
    tip, values = (c / 2, 0, 0), {"r": r, "b": b, "c": c, "d": d, "w": w}
    yield machine(
        name="four_bar",
        sentence="In a four-bar linkage the crank's angle sets that of the rocker.",
        source=KINEMATICS,
        asset=a,
        seconds=3.0,
        checks=[
            at(position(rocker, X, tip), (0.5, 1, 2, 3), f"d + c*cos{turn}", 2 * NEAR, **values),
            at(position(rocker, Y, tip), (0.5, 1, 2, 3), f"c*sin{turn}", 2 * NEAR, **values),
            within(tilt(rocker, Z, Z), (0, 3), 0.01, most="0", why="it moves in a plane"),
        ],
    )
    a = Asset()
    r, length, w = 0.3, 1.0, 4.0
    wheel, rod = crank(a, w), bar(a, "rod", (r, 0), (r + length, 0))
    piston = a.node("piston", (r + length, 0, 0), motion=block(1.0, (0.2, 0.2, 0.2)))
    join(a, wheel, rod, (r, 0))
    join(a, rod, piston, (r + length, 0))
    join(a, None, piston, (r + length, 0), SLIDE)
    place = "r*cos(w*t) + sqrt(l**2 - r**2*sin(w*t)**2)"
    yield machine(
        name="slider_crank",
        sentence="The piston of a slider-crank is at r cos φ + √(l² - r² sin² φ).",
        source=KINEMATICS,
        asset=a,
        seconds=3.0,
        checks=[
            at(position(piston, X), (0.3, 0.9, 2, 3), place, 2 * NEAR, r=r, l=length, w=w),
            within(position(piston, Y), (0, 3), 0.005, least="0", most="0"),
            within(position(piston, X), (0, 3), NEAR, least="l - r", most="l + r", l=length, r=r),
        ],
    )


def straight_lines() -> Iterator[Case]:
    """Yield linkages that draw lines and copies: Peaucellier's, Watt's, a pantograph.

    In Peaucellier's cell OP · OR = l² - s² with the long bars l and the rhombus s. P runs on a
    circle of radius q through O, so R runs on the line at (l² - s²)/(2 q), at the height of its
    angle φ/2. In Watt's, both arms turn from the level by nearly opposite angles; the middle of
    the coupler leaves its line by 0.5 mm up to a quarter of an arm. A pantograph doubles places.
    """
    a = Asset()
    q, long, side, w = 0.5, 1.2, 0.5, 0.5
    p, r = (2 * q, 0.0), ((long**2 - side**2) / (2 * q), 0.0)
    up = meeting((0, 0), long, p, side)
    down = (up[0], -up[1])
    wheel, ends = crank(a, w, (q, 0, 0)), []
    for corner in (up, down):
        arm = bar(a, "arm", (0, 0), corner)
        inner, outer = bar(a, "inner", corner, p), bar(a, "outer", corner, r)
        join(a, None, arm, (0, 0))
        join(a, arm, inner, corner)
        join(a, arm, outer, corner)
        join(a, wheel, inner, p)
        ends.append(outer)
    join(a, ends[0], ends[1], r)
    values: dict[str, Any] = {"l": long, "s": side, "q": q}
    tip = (side / 2, 0, 0)
    yield machine(
        name="peaucellier",
        sentence="Peaucellier's seven bars draw a straight line.",
        source=KINEMATICS,
        asset=a,
        seconds=2.0,
        checks=[
            within(
                position(ends[0], X, tip),
                (0, 2),
                NEAR,
                least="(l**2 - s**2)/(2*q)",
                most="(l**2 - s**2)/(2*q)",
                **values,
            ),
            at(
                position(ends[0], Y, tip),
                (1, 2),
                "(l**2 - s**2)/(2*q)*tan(w*t/2)",
                NEAR,
                w=w,
                **values,
            ),
        ],
    )
    a = Asset()
    long, c, w = 1.0, 0.5, 0.25
    wheel = crank(a, w, (-long, c / 2, 0))
    coupler = bar(a, "coupler", (0, c / 2), (0, -c / 2))
    other = bar(a, "arm", (0, -c / 2), (long, -c / 2))
    join(a, wheel, coupler, (0, c / 2))
    join(a, coupler, other, (0, -c / 2))
    join(a, None, other, (long, -c / 2))
    yield machine(
        name="watt",
        sentence="Watt's linkage guides the middle of its coupler along a line.",
        source=KINEMATICS,
        asset=a,
        seconds=1.0,
        checks=[
            within(position(coupler, X), (0, 1), 0.005, least="0", most="0"),
            at(position(coupler, Y), (0.5, 1), "a*sin(w*t)", 0.005, a=long, w=w),
        ],
    )
    a = Asset()
    start, rate = (1.6, 0.0), (-0.3, 0.2)
    mid = meeting((0, 0), 1.0, start, 1.0)
    top, end = (2 * mid[0], 2 * mid[1]), (2 * start[0], 2 * start[1])
    half = (top[0] + end[0]) / 2, (top[1] + end[1]) / 2
    pen = a.node("stylus", (*start, 0), motion={"isKinematic": True, "linearVelocity": [*rate, 0]})
    first, second = bar(a, "first", (0, 0), top), bar(a, "second", top, end)
    inner, outer = bar(a, "inner", mid, start), bar(a, "outer", half, start)
    join(a, None, first, (0, 0))
    join(a, first, second, top)
    join(a, first, inner, mid)
    join(a, second, outer, half)
    join(a, inner, outer, start)
    join(a, pen, inner, start)
    checks = [
        at(position(second, axis, (1.0, 0, 0)), (1, 2), "2*(p + v*t)", NEAR, p=p, v=v)
        for axis, p, v in zip((X, Y), start, rate, strict=True)
    ]
    yield machine(
        name="pantograph",
        sentence="A pantograph's pen is at twice the place of its stylus.",
        source=KINEMATICS,
        asset=a,
        seconds=2.0,
        checks=checks,
    )


def shafts() -> Iterator[Case]:
    """Yield Hooke's joint: with the shafts at β, tan φ₂ = cos β tan φ₁ from this start."""
    for degrees in (20, 40):
        a, bend, w = Asset(), math.radians(degrees), 3.0
        out, across = (math.cos(bend), 0, math.sin(bend)), about(Y, -bend)
        inward = crank(a, w, axis=X)
        cross = a.node("cross", motion=floating(inertiaDiagonal=[0.02] * 3))
        shaft = a.node("shaft", motion=floating())
        join(a, inward, cross, (0, 0), hinge(1))
        join(a, cross, shaft, (0, 0), AXLE, turn=across)
        join(a, None, shaft, (0, 0), hinge(0), turn=across)
        yield machine(
            name=f"universal_joint_{degrees}",
            sentence="Hooke's joint passes a turn on by tan φ₂ = cos β tan φ₁, "
            f"here at {degrees}°.",
            source=KINEMATICS,
            asset=a,
            checks=[
                at(
                    angle(shaft, out),
                    (0.25, 0.5, 0.75, 1),
                    "atan2(cos(b)*sin(w*t), cos(w*t))",
                    0.03,
                    b=bend,
                    w=w,
                ),
            ],
        )


def swings() -> Iterator[Case]:
    """Yield a parallelogram that swings as a pendulum, and its coupler, which stays level.

    Two bars m and a coupler M at the length l: the weight (m + M) g l sin φ turns 2 m l²/3 + M l².
    """
    a, start, length, small, big = Asset(), 0.5, 1.0, 1.0, 2.0
    dx, dy = length * math.sin(start), -length * math.cos(start)
    bars = [bar(a, "bar", (x, 0), (x + dx, dy), small) for x in (0.0, 1.0)]
    coupler = bar(a, "coupler", (dx, dy), (1 + dx, dy), big)
    for x, arm in zip((0.0, 1.0), bars, strict=True):
        join(a, None, arm, (x, 0))
        join(a, arm, coupler, (x + dx, dy))
    whole = {"mass": small + big, "arm": length, "start": start, "offset": -start}
    inertia = 2 * small * length**2 / 3 + big * length**2
    yield machine(
        name="parallelogram",
        sentence="A parallelogram swings as a pendulum, and its coupler stays level.",
        source=KINEMATICS,
        asset=a,
        seconds=3.0,
        checks=[
            integrated(
                angle(bars[0], Z),
                (0.5, 1, 2, 3),
                "pendulum with offset",
                0.05,
                inertia=inertia,
                **whole,
            ),
            within(tilt(coupler, X, X), (0, 3), 0.01, most="0"),
            within(distance(*bars), (0, 3), 0.005, least="1", most="1"),
        ],
    )


def levers() -> Iterator[Case]:
    """Yield beams with weights at their ends: m₁ l₁ = m₂ l₂ balances, and a scissor lift.

    Out of balance the beam is a pendulum from the horizontal, of the difference of the moments. A
    lift of bars l stands at the height y = √(l² - x²), where the pull at its foot is W x/y: the
    platform and half of both bars weigh on it.
    """
    for mass in (3.0, 4.0):
        a = Asset()
        beam = bar(a, "beam", (-2, 0), (2, 0), 2.0)
        join(a, None, beam, (0, 0))
        for place, weight in ((-1.0, mass), (2.0, 1.5)):
            motion = {"mass": weight, "inertiaDiagonal": [0.02] * 3}
            weld(a, beam, a.node("weight", (place, 0, 0), motion=motion), (place, 0))
        inertia = 2.0 * 16 / 12 + mass + 1.5 * 4 + 0.04
        if mass == 3.0:
            check = within(angle(beam, Z), (0, 5), 0.01, least="0", most="0")
            sentence = "A lever balances where the moments of both weights are equal."
        else:
            values = {"mass": 1.0, "arm": 1.0, "start": -math.pi / 2, "offset": math.pi / 2}
            check = integrated(
                angle(beam, Z), (0.5, 1), "pendulum with offset", 0.03, inertia=inertia, **values
            )
            sentence = "A lever out of balance turns by the difference of the moments."
        yield machine(
            name=f"lever_{mass:g}_to_1_5",
            sentence=sentence,
            source=STATICS,
            asset=a,
            seconds=5.0 if mass == 3.0 else 1.0,
            checks=[check],
        )
    a = Asset()
    x, y, rest, stiffness, load = 0.7, math.sqrt(0.51), 0.6, 2000.0, 12.0
    pull = load * 9.81 * rest / 0.8
    first, second = bar(a, "first", (0, 0), (x, y), 2.0), bar(a, "second", (x, 0), (0, y), 2.0)
    top = a.node("platform", (x / 2, y, 0), motion=block(10.0, (1, 0.1, 0.5)))
    join(a, None, first, (0, 0))
    join(a, first, second, (x / 2, y / 2))
    gains = {"stiffness": stiffness, "damping": 400.0}
    part = drive("linear", 0, positionTarget=rest - x - pull / stiffness, **gains)
    join(a, None, second, (x, 0), SLOT, [part])
    join(a, top, second, (0, y))
    join(a, top, first, (x, y), SLOT)
    yield machine(
        name="scissor_lift",
        sentence="A scissor lift rests where the drive at its foot carries W x/y.",
        source=STATICS,
        asset=a,
        seconds=4.0,
        checks=[
            at(position(top, Y), (3.5, 4), "sqrt(l**2 - x**2)", 0.005, l=1.0, x=rest),
            at(position(second, X), (4,), "x/2", 0.005, x=rest),
            within(tilt(top, Y, Y), (0, 4), 0.01, most="0"),
        ],
    )

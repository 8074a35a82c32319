"""Machines whose drives and brakes carry weights: at rest a drive is off by F/k."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ligament.conformance.assets import Asset
from ligament.conformance.case import Case, at, within
from ligament.conformance.cases.drives import drive
from ligament.conformance.cases.joints import BALL, hinge
from ligament.conformance.cases.machine_parts import (
    AXLE,
    KINEMATICS,
    SLIDE,
    STATICS,
    bar,
    block,
    join,
    machine,
    weld,
)
from ligament.conformance.cases.sources import JOINTS
from ligament.conformance.rotations import about
from ligament.conformance.signals import X, Y, Z, angle, position, tilt

G = 9.81
SAG = 0.005
"""Tolerance [m] of a load at rest: an engine that sags by a tenth more is outside."""
UPRIGHT = (
    {"linearAxes": [0, 2], "min": 0.0, "max": 0.0},
    {"angularAxes": [0, 1, 2], "min": 0.0, "max": 0.0},
)
"""Limits of a slide along y."""


def cases() -> Iterator[Case]:
    """Yield the cases of drives under load."""
    yield from booms()
    yield from arms()
    yield from brakes()
    yield from motors()
    yield from frames_that_stand()


def booms() -> Iterator[Case]:
    """Yield booms that a drive holds: at the hinge, by a strut, at a corner of a parallelogram.

    All come to rest level. There the moment m g l/2 of the boom is k times what the drive is short
    of its target at the hinge; the strut, whose line passes the hinge at h, carries m g l/(2 h).
    """
    a, length, mass, droop = Asset(), 2.0, 5.0, 0.2
    inertia, stiffness = mass * length**2 / 3, 800.0
    boom = bar(a, "boom", (0, 0), (2 * math.cos(droop), -2 * math.sin(droop)), mass)
    target = droop + mass * G * length / 2 / stiffness
    gains = {"stiffness": stiffness, "damping": 2 * math.sqrt(stiffness * inertia)}
    join(a, None, boom, (0, 0), AXLE, [drive("angular", 2, positionTarget=target, **gains)])
    tip = (length / 2, 0, 0)
    values = {"p": target - droop, "m": mass, "l": length, "k": stiffness}
    yield machine(
        name="boom",
        sentence="A boom rests where the torque of its drive is the moment of its weight.",
        source=STATICS,
        asset=a,
        seconds=4.0,
        checks=[at(position(boom, Y, tip), (3.5, 4), "l*(p - m*g*l/(2*k))", SAG, **values)],
    )
    a, droop, mass, stiffness = Asset(), 0.1, 10.0, 5000.0
    boom = bar(a, "boom", (0, 0), (2 * math.cos(droop), -2 * math.sin(droop)), mass)
    knee = (math.cos(droop), -math.sin(droop))
    middle = (knee[0] / 2, (knee[1] - 1) / 2)
    light = {"mass": 0.2, "gravityFactor": 0.0}
    sleeve, rod = bar(a, "sleeve", (0, -1), middle, **light), bar(a, "rod", middle, knee, **light)
    join(a, None, boom, (0, 0))
    join(a, None, sleeve, (0, -1))
    join(a, boom, rod, knee)
    short = math.sqrt(2) - math.hypot(knee[0], knee[1] + 1)
    target = short + mass * G * math.sqrt(2) / stiffness
    part = drive("linear", 0, positionTarget=target, stiffness=stiffness, damping=800.0)
    join(a, sleeve, rod, middle, SLIDE, [part], about(Z, math.atan2(knee[1] + 1, knee[0])))
    values = {"s": target - short, "m": mass, "k": stiffness}
    yield machine(
        name="boom_on_strut",
        sentence="A boom on a strut rests where the strut's drive carries its moment.",
        source=STATICS,
        asset=a,
        seconds=4.0,
        checks=[
            at(
                position(boom, Y, (1, 0, 0)),
                (3.5, 4),
                "2*sqrt(2)*(s - m*g*sqrt(2)/k)",
                SAG,
                "for a small error of the strut's length the tip is 2 √2 times as far off",
                **values,
            ),
            at(angle(boom, Z), (4,), "d", SAG, d=droop),
        ],
    )
    a, droop, small, big, stiffness = Asset(), 0.3, 1.0, 4.0, 600.0
    dx, dy = math.cos(droop), -math.sin(droop)
    bars = [bar(a, "bar", (0, y), (dx, y + dy), small) for y in (0.0, -0.5)]
    coupler = bar(a, "coupler", (dx, dy), (dx, dy - 0.5), big)
    target = droop + (small + big) * G / stiffness
    part = drive("angular", 2, positionTarget=target, stiffness=stiffness, damping=110.0)
    for y, arm, drives in zip((0.0, -0.5), bars, ([part], []), strict=True):
        join(a, None, arm, (0, y), AXLE, drives)
        join(a, arm, coupler, (dx, y + dy))
    values = {"p": target - droop, "m": small, "c": big, "k": stiffness}
    yield machine(
        name="boom_of_parallel_bars",
        sentence="A drive at one corner of a parallelogram carries the moment of all its bars.",
        source=STATICS,
        asset=a,
        seconds=4.0,
        checks=[
            at(position(bars[0], Y, (0.5, 0, 0)), (3.5, 4), "p - (m + c)*g/k", SAG, **values),
            within(tilt(coupler, X, (0, -1, 0)), (0, 4), 0.01, most="0"),
        ],
    )


def arm(
    a: Asset, axes: Sequence[int], droops: Sequence[float], length: float, mass: float, gain: float
) -> list[int]:
    """Add an arm whose drives hold it level; it is drawn with some of its hinges turned down."""
    end, fall, total, count, links = (0.0, 0.0), 0.0, 0.0, len(axes), []
    for index, (axis, droop) in enumerate(zip(axes, droops, strict=True)):
        fall += droop
        base, total = end, length * (count - index)
        end = (base[0] + length * math.cos(fall), base[1] - length * math.sin(fall))
        links.append(bar(a, "link", base, end, mass))
        moment = mass / length * G * total**2 / 2 if axis == 2 else 0.0
        inertia = mass / length * total**3 / 3 if axis == 2 else 1.0
        part = drive(
            "angular",
            axis,
            positionTarget=droop + moment / gain,
            stiffness=gain,
            damping=2 * math.sqrt(gain * inertia),
        )
        before = links[-2] if index else None
        join(a, before, links[-1], base, hinge(axis), [part], about(Z, -fall))
    return links


def arms() -> Iterator[Case]:
    """Yield arms of several links m, l, whose drives hold them level.

    The drive of a hinge carries the moment of all beyond it, m g n² l/2 for n links.
    """
    for name, axes, droops, mass in (
        ("two", (2, 2), (0.2, 0.3), 2.0),
        ("six", (2, 2, 0, 2, 0, 2), (0.1, 0.1, 0, 0.2, 0, 0.1), 2.0),
    ):
        a, length, gain = Asset(), 3.0 / len(axes), 4000.0
        links = arm(a, axes, droops, length, mass, gain)
        tip = (length / 2, 0, 0)
        yield machine(
            name=f"arm_of_{name}",
            sentence=f"The drives of an arm of {name} links hold the moments of all beyond them.",
            source=STATICS,
            asset=a,
            seconds=6.0,
            checks=[
                at(position(links[-1], Y, tip), (5.5, 6), "0", SAG, "moments balance level"),
                at(position(links[-1], X, tip), (5.5, 6), "n*l", SAG, n=len(axes), l=length),
                within(position(links[-1], Z, tip), (5, 6), SAG, least="0", most="0"),
            ],
        )
    for rate in (3.0, 10.0):
        a, bound = Asset(), 0.5
        node = a.node(
            "link",
            motion={
                "mass": 1.0,
                "inertiaDiagonal": [0.1] * 3,
                "gravityFactor": 0.0,
                "angularVelocity": [0, 0, rate],
            },
        )
        join(a, None, node, (0, 0), (*AXLE, {"angularAxes": [2], "min": -bound, "max": bound}))
        yield machine(
            name=f"stop_at_{rate:g}",
            sentence=f"A hard limit holds at {rate:g} rad/s: a joint passes it by less than it "
            "turns in a frame.",
            source=JOINTS,
            asset=a,
            checks=[
                within(
                    angle(node, Z),
                    (0, 1),
                    rate / 60,
                    least="-b",
                    most="b",
                    why="an engine that sees the limit one frame late passes by w/60",
                    b=bound,
                )
            ],
        )


def brakes() -> Iterator[Case]:
    """Yield brakes: drives with a velocityTarget of zero, with and without a bound.

    A brake of 1e8 N·m·s/rad under 500 N·m creeps by 5e-6 rad/s. A bounded one lets a load slip with
    g - F/m.
    """
    a, count, length, mass = Asset(), 4, 0.5, 2.0
    links: list[int] = []
    for index in range(count):
        base, end = (length * index, 0.0), (length * (index + 1), 0.0)
        links.append(bar(a, "link", base, end, mass))
        part = drive("angular", 2, velocityTarget=0.0, damping=1e8)
        join(a, links[-2] if index else None, links[-1], base, AXLE, [part])
    yield machine(
        name="braked_chain",
        sentence="Brakes of 1e8 N·m·s/rad hold a chain outstretched.",
        source=STATICS,
        asset=a,
        seconds=5.0,
        checks=[within(position(links[-1], Y), (0, 5), 0.002, least="0", most="0")],
    )
    for force in (30.0, 60.0):
        a, mass = Asset(), 5.0
        load = a.node("load", motion=block(mass, (0.3, 0.3, 0.3)))
        part = drive("linear", 1, velocityTarget=0.0, damping=1e6, maxForce=force)
        join(a, None, load, (0, 0), UPRIGHT, [part])
        holds = force > mass * G
        values = {} if holds else {"f": force, "m": mass}
        text = "0" if holds else "-(g - f/m)*t**2/2"
        yield machine(
            name=f"brake_of_{force:g}",
            sentence=f"A brake bounded to {force:g} N "
            f"{'holds' if holds else 'slips under'} a load of 5 kg.",
            source=STATICS if holds else JOINTS,
            asset=a,
            checks=[
                at(position(load, Y), (0.5, 1), text, 0.002 if holds else 0.04, **values),
                within(position(load, X), (0, 1), 0.002, least="0", most="0"),
            ],
        )


def motors() -> Iterator[Case]:
    """Yield motors: one that lifts with its greatest force, one that turns a crank under load."""
    a, mass, force = Asset(), 2.0, 30.0
    load = a.node("load", motion=block(mass, (0.3, 0.3, 0.3)))
    part = drive("linear", 1, velocityTarget=50.0, damping=1e5, maxForce=force)
    join(a, None, load, (0, 0), UPRIGHT, [part])
    yield machine(
        name="hoist",
        sentence="A motor with a bounded force lifts its load with F/m - g.",
        source=JOINTS,
        asset=a,
        checks=[at(position(load, Y), (0.5, 1), "(f/m - g)*t**2/2", 0.05, f=force, m=mass)],
    )
    a, r, length, rate = Asset(), 0.3, 1.0, 6.0
    wheel = a.node("wheel", motion={"mass": 5.0, "inertiaDiagonal": [0.5, 0.5, 1.0]})
    rod = bar(a, "rod", (r, 0), (r + length, 0))
    piston = a.node("piston", (r + length, 0, 0), motion=block(1.0, (0.2, 0.2, 0.2)))
    part = drive("angular", 2, velocityTarget=rate, damping=1e4)
    join(a, None, wheel, (0, 0), AXLE, [part])
    join(a, wheel, rod, (r, 0))
    join(a, rod, piston, (r + length, 0))
    join(a, None, piston, (r + length, 0), SLIDE)
    yield machine(
        name="crank_with_motor",
        sentence="A strong motor turns a crank at its speed, whatever the piston asks.",
        source=KINEMATICS,
        asset=a,
        seconds=3.0,
        checks=[
            at(angle(wheel, Z), (1, 2, 3), "w*t", 0.06, w=rate),
            within(position(piston, X), (0, 3), 0.01, least="l - r", most="l + r", l=length, r=r),
            within(position(piston, X), (1, 3), 0.01, most="l + r", l=length, r=r),
        ],
    )


def frames_that_stand() -> Iterator[Case]:
    """Yield a welded table under a load, and a platform on six legs with drives.

    Each leg of length l carries W l/(6 h) at the height h, and is that short of its target.
    """
    a = Asset()
    a.floor()
    top = a.node(
        "top",
        (0, 1.05, 0),
        motion=block(20.0, (2, 0.1, 1)),
        collider={"geometry": a.box(2, 0.1, 1)},
    )
    leg = a.box(0.1, 1.0, 0.1)
    for x in (-0.9, 0.9):
        for z in (-0.4, 0.4):
            motion = block(2.0, (0.1, 1.0, 0.1))
            foot = a.node("leg", (x, 0.5, z), motion=motion, collider={"geometry": leg})
            weld(a, top, foot, (x, 1.0, z))
    load = a.node(
        "load",
        (0.2, 1.35, 0),
        motion=block(200.0, (0.5, 0.5, 0.5)),
        collider={"geometry": a.box(0.5, 0.5, 0.5)},
    )
    yield machine(
        name="welded_table",
        sentence="A table with welded legs stands under ten times its weight.",
        source=STATICS,
        asset=a,
        seconds=10.0,
        checks=[
            within(position(top, Y), (0, 10), SAG, least="1.05", most="1.05"),
            within(position(load, Y), (0, 10), SAG, least="1.35", most="1.35"),
            within(position(load, X), (0, 10), SAG, least="0.2", most="0.2"),
        ],
    )
    a, drawn, height, mass, stiffness = Asset(), 0.9, 1.0, 60.0, 20000.0
    top = a.node("platform", (0, drawn, 0), motion=block(mass, (1, 0.1, 1)))
    for index in range(6):
        corner, spread = index // 2 * 2 * math.pi / 3, (0.15, -0.15)[index % 2]
        low, high = corner + spread, corner + math.copysign(math.pi / 3, spread) - spread
        start = (math.cos(low), 0, math.sin(low))
        end = (0.6 * math.cos(high), drawn, 0.6 * math.sin(high))
        aside = math.hypot(end[0] - start[0], end[2] - start[2])
        ready = math.hypot(aside, height)
        middle = tuple((p + q) / 2 for p, q in zip(start, end, strict=True))
        light = {"mass": 0.5, "gravityFactor": 0.0}
        sleeve, rod = bar(a, "sleeve", start, middle, **light), bar(a, "rod", middle, end, **light)
        join(a, None, sleeve, start, BALL)
        join(a, top, rod, end, BALL)
        target = ready - math.hypot(aside, drawn) + mass * G * ready / (6 * height) / stiffness
        part = drive("linear", 0, positionTarget=target, stiffness=stiffness, damping=1500.0)
        join(a, sleeve, rod, middle, SLIDE, [part], a.nodes[sleeve]["rotation"])
    yield machine(
        name="platform_on_six_legs",
        sentence="Six legs with drives lift a platform to where each is short by its load.",
        source=STATICS,
        asset=a,
        seconds=4.0,
        checks=[
            at(position(top, Y), (3.5, 4), "h", SAG, h=height),
            within(tilt(top, Y, Y), (0, 4), 0.01, most="0"),
            within(angle(top, Y), (0, 4), 0.01, least="0", most="0"),
        ],
    )

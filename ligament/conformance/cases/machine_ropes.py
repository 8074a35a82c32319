"""Ropes, chains and cradles."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from ligament.conformance.assets import Asset
from ligament.conformance.case import Case, Tier, at, within
from ligament.conformance.cases.joints import BALL
from ligament.conformance.cases.machine_parts import (
    AXLE,
    IMPACTS,
    OSCILLATIONS,
    STATICS,
    bar,
    block,
    join,
    machine,
)
from ligament.conformance.rotations import about
from ligament.conformance.signals import X, Y, Z, angle, distance, position, tilt

ROPE = ({"linearAxes": [0, 1, 2], "min": 0.0, "max": 1.0},)
"""Limits of a rope of 1 m."""


def cases() -> Iterator[Case]:
    """Yield the cases of ropes."""
    yield from ropes()
    yield from chains()
    yield from cradles()


def ropes() -> Iterator[Case]:
    """Yield weights on ropes: distances with a greatest value.

    A bar on two ropes of l at ±d twists with w² = m g d²/(I l) for small angles.
    """
    a, start = Asset(), 0.1
    place = (math.sin(start), -math.cos(start))
    load = a.node("load", (*place, 0), motion={"mass": 2.0, "inertiaDiagonal": [0.02] * 3})
    hook = a.node("hook")
    a.link(hook, load, a.joint(ROPE))
    yield machine(
        name="weight_on_a_rope",
        sentence="A weight on a taut rope swings as a pendulum.",
        source=OSCILLATIONS,
        asset=a,
        seconds=4.0,
        checks=[
            at(position(load, X), (0.5, 1, 2, 4), "sin(p)*cos(sqrt(g)*t)", 0.01, p=start),
            within(distance(hook, load), (0, 4), 0.01, least="1", most="1"),
        ],
    )
    a, half, start, mass = Asset(), 0.5, 0.15, 2.0
    drop, x, z = (
        -math.sqrt(1 - (2 * half * math.sin(start / 2)) ** 2),
        math.cos(start),
        math.sin(start),
    )
    beam = bar(a, "beam", (-x, drop, z), (x, drop, -z), mass)
    for side in (-half, half):
        hook = a.node("hook", (side, 0, 0))
        end = a.node("end", (side, 0, 0), parent=beam)
        a.link(hook, end, a.joint(ROPE))
    yield machine(
        name="bifilar_pendulum",
        sentence="A bar on two ropes twists with w² = m g d²/(I l).",
        source=OSCILLATIONS,
        asset=a,
        seconds=4.0,
        checks=[
            at(
                angle(beam, Y),
                (0.5, 1, 2, 4),
                "-p*(1 - cos(sqrt(g*d**2/(l**2/3))*t))",
                0.02,
                "I = m (2 l)²/12 for a bar from -l to l; the ropes are 1 m long",
                p=start,
                d=half,
                l=1.0,
            ),
        ],
    )
    a = Asset()
    stone = a.node("stone", motion={"mass": 1.0, "inertiaDiagonal": [0.01] * 3})
    hook = a.node("hook", (0, 0.5, 0))
    a.link(hook, stone, a.joint(ROPE))
    yield machine(
        name="rope_catches",
        sentence="A rope is slack until it is straight, and then lets nothing fall further.",
        source=OSCILLATIONS,
        asset=a,
        seconds=3.0,
        checks=[
            at(position(stone, Y), (0.2,), "-g*t**2/2", 0.02),
            within(position(stone, Y), (0, 3), 0.03, least="-l + h", l=1.0, h=0.5),
        ],
    )


def chains() -> Iterator[Case]:
    """Yield chains: a light one with a heavy end, and one that hangs between two posts.

    In a chain of equal links at rest the link i from the lowest, level one leans by tan φ = i W/H,
    with the weight W of a link and the pull H, which sets the span.
    """
    for load in (10.0, 1000.0):
        a, count, length = Asset(), 20, 0.1
        before, links = None, []
        for index in range(count):
            top, end = (0, -length * index), (0, -length * (index + 1))
            links.append(bar(a, "link", top, end, 1.0))
            join(a, before, links[-1], top, BALL)
            before = links[-1]
        low = -length * count
        weight = a.node("weight", (0, low, 0), motion=block(load, (0.5, 0.5, 0.5)))
        join(a, before, weight, (0, low), BALL)
        yield machine(
            name=f"chain_with_{load:g}_kg",
            sentence=f"A chain of links of 1 kg carries {load:g} kg without stretching.",
            source=STATICS,
            asset=a,
            seconds=5.0,
            checks=[
                within(position(weight, Y), (0, 5), 0.01, least="-l", most="-l", l=-low),
                within(position(links[9], Y), (0, 5), 0.01, least="-p", most="-p", p=0.95),
                within(position(weight, X), (0, 5), 0.01, least="0", most="0"),
            ],
        )
    a, side, length, pull = Asset(), 6, 0.3, 3.0
    leans = [math.atan(index / pull) for index in range(-side, side + 1)]
    span = length * sum(math.cos(lean) for lean in leans)
    corner, corners = (-span / 2, 0.0), [(-span / 2, 0.0)]
    for lean in leans:
        x, y = length * math.cos(lean), length * math.sin(lean)
        corner = (corner[0] + x, round(corner[1] + y, 9))
        corners.append(corner)
    before, links = None, []
    for first, last in pairwise(corners):
        links.append(bar(a, "link", first, last, 0.5))
        join(a, before, links[-1], first)
        before = links[-1]
    join(a, None, links[-1], corners[-1])
    depth = " + ".join(f"{i}/sqrt(h**2 + {i**2})" for i in range(1, side + 1))
    yield machine(
        name="catenary",
        sentence="A chain between two posts hangs where each link's lean is in balance.",
        source=STATICS,
        asset=a,
        seconds=5.0,
        checks=[
            within(
                position(links[side], Y),
                (0, 5),
                0.005,
                least=f"-l*({depth})",
                most=f"-l*({depth})",
                l=length,
                h=pull,
            ),
            within(position(links[side], X), (0, 5), 0.005, least="0", most="0"),
            within(
                tilt(links[0], X, X),
                (0, 5),
                0.02,
                least="atan2(n, h)",
                most="atan2(n, h)",
                n=float(side),
                h=pull,
            ),
        ],
    )


def cradles() -> Iterator[Case]:
    """Yield Newton's cradle: equal balls hand their speed on, one to the next, across small gaps.

    The first falls from b with cos b; the last rises to it.
    """
    kinds: tuple[tuple[int, Tier], ...] = ((2, "must"), (5, "should"))
    for count, tier in kinds:
        a, radius, gap, start = Asset(), 0.1, 0.002, 0.5
        bounce = a.material(
            restitution=1.0, staticFriction=0.0, dynamicFriction=0.0, restitutionCombine="maximum"
        )
        balls = []
        for index in range(count):
            x = index * (2 * radius + gap)
            turn = about(Z, -start) if index == 0 else None
            hook = a.node("hook", (x, 1, 0))
            arm = a.node(
                "ball",
                (x, 1, 0),
                rotation=turn,
                motion={
                    "mass": 1.0,
                    "inertiaDiagonal": [0.004] * 3,
                    "centerOfMass": [0, -1.0, 0],
                },
            )
            geometry = a.sphere(radius)
            collider = {"geometry": geometry, "physicsMaterial": bounce}
            a.node("shape", (0, -1, 0), parent=arm, collider=collider)
            a.link(hook, arm, a.joint(AXLE))
            balls.append(arm)
        yield machine(
            name=f"cradle_of_{count}",
            sentence=f"In a cradle of {count} balls the last takes the whole speed of the first.",
            source=IMPACTS,
            tier=tier,
            asset=a,
            seconds=1.05,
            checks=[
                at(angle(balls[-1], Z), (1.0166,), "p", 0.05, "its highest point", p=start),
                at(angle(balls[0], Z), (1.0166,), "p", 0.05, "it hangs at rest", p=start),
                *(
                    within(angle(node, Z), (0, 1.0166), 0.05, least="0", most="0")
                    for node in balls[1:-1]
                ),
            ],
        )

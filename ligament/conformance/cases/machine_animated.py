"""Bodies that hang from animated ones, and bodies far from the origin."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ligament.conformance.assets import Asset
from ligament.conformance.case import Case, at, integrated, within
from ligament.conformance.cases.joints import BALL
from ligament.conformance.cases.machine_oscillations import bob
from ligament.conformance.cases.machine_parts import (
    KINEMATICS,
    OSCILLATIONS,
    STATICS,
    bar,
    block,
    join,
    machine,
)
from ligament.conformance.cases.parts import floating
from ligament.conformance.cases.sources import JOINTS
from ligament.conformance.signals import X, Y, Z, angle, distance, position, speed


def cases() -> Iterator[Case]:
    """Yield the cases of animated and of distant machines."""
    yield from cranes()
    yield from puppets()
    yield from far_away()


def driven_body(a: Asset, name: str, place: tuple[float, float, float]) -> int:
    """Add a body that animations drive."""
    return a.node(name, place, motion={"isKinematic": True})


def cranes() -> Iterator[Case]:
    """Yield a load below a trolley: it swings about atan(a/g) in a pull of sqrt(g² + a²)."""
    a, pull, seconds = Asset(), 1.5, 3.0
    trolley = driven_body(a, "trolley", (0, 0, 0))
    still, end = [0.0] * 3, [pull * seconds**2 / 2, 0.0, 0.0]
    rows = [still, still, still, [pull * seconds, 0.0, 0.0], end, still]
    a.animate(trolley, "translation", (0.0, seconds), rows, "CUBICSPLINE")
    load = bob(a, 0.0)
    join(a, trolley, load, (0, 0))
    lean = math.atan2(pull, 9.81)
    yield machine(
        name="crane_trolley",
        sentence="A load swings about a lean of atan(a/g) below a trolley that speeds up with a.",
        source=OSCILLATIONS,
        asset=a,
        seconds=2.9,
        checks=[
            integrated(
                angle(load, Z),
                (0.5, 1, 2, 2.9),
                "pendulum with offset",
                0.03,
                mass=math.hypot(1.0, pull / 9.81),
                arm=1.0,
                inertia=1.01,
                start=lean,
                offset=-lean,
            ),
            at(position(load, X), (1, 2, 2.9), "a*t**2/2", 0.1, a=pull),
        ],
    )


def puppets() -> Iterator[Case]:
    """Yield a chain that an animated hand drives, and a bar that two hands pull at.

    A chain of n links of l is never longer than n l. A joint that cannot be met is pulled at, and a
    pull does not throw.
    """
    a, count, length = Asset(), 4, 0.25
    hand = driven_body(a, "hand", (0, 0, 0))
    keys = [index / 8 for index in range(25)]
    ring = [
        (0.4 * math.sin(math.pi * key), 0.0, 0.4 * (1 - math.cos(math.pi * key))) for key in keys
    ]
    a.animate(hand, "translation", keys, ring)
    before, links = hand, []
    for index in range(count):
        top, end = (0.0, -length * index), (0.0, -length * (index + 1))
        links.append(bar(a, "link", top, end, 0.5))
        join(a, before, links[-1], top, BALL)
        before = links[-1]
    tip = a.node("tip", (length / 2, 0, 0), parent=links[-1])
    yield machine(
        name="puppet",
        sentence="What an animated hand drives on a chain stays within the chain's reach.",
        source=JOINTS,
        asset=a,
        seconds=3.0,
        checks=[
            within(distance(hand, tip), (0, 3), 0.02, most="n*l", n=count, l=length),
            within(distance(hand, links[0]), (0, 3), 0.01, least="l/2", most="l/2", l=length),
        ],
    )
    for chain in (1, 3):
        a, half = Asset(), 0.5
        left, right = driven_body(a, "left", (-half, 0, 0)), driven_body(a, "right", (half, 0, 0))
        rows = [(half, 0, 0), (2 * half, 0, 0), (2 * half, 0, 0), (half, 0, 0)]
        a.animate(right, "translation", (0.0, 1.0, 2.0, 3.0), rows)
        before, links = left, []
        for index in range(chain):
            start, end = (index / chain - half, 0.0), ((index + 1) / chain - half, 0.0)
            links.append(bar(a, "link", start, end, 1.0))
            join(a, before, links[-1], start, BALL)
            before = links[-1]
        join(a, right, links[-1], (half, 0), BALL)
        middle = links[chain // 2]
        yield machine(
            name=f"torn_between_hands_{chain}",
            sentence=f"A joint that animations pull open does not throw {chain} "
            f"{'body' if chain == 1 else 'bodies'} between them.",
            source=JOINTS,
            tier="decision",
            decision="Joints that cannot be met pull: what they hold stays between them, and goes "
            "back to its place when they can be met again.",
            asset=a,
            seconds=5.0,
            checks=[
                within(speed(middle), (0, 5), 0.0, most="3", why="six times that of the hand"),
                within(position(middle, X), (0, 5), 0.1, least="-h/2", most="h", h=half),
                within(position(middle, Y), (4, 5), 0.02, least="0", most="0"),
                within(position(middle, X), (4, 5), 0.02, least="0", most="0"),
            ],
        )


def far_away() -> Iterator[Case]:
    """Yield what moves slowly, swings a little and rests at 10 km from the origin.

    There single precision has steps of 1 mm, more than the path of 0.02 m/s in a frame.
    """
    far = 1e4
    a = Asset()
    node = a.node("body", (far, 0, 0), motion=floating(linearVelocity=[0.02, 0, 0]))
    yield machine(
        name="drift_far_away",
        sentence="A slow body moves at 10 km from the origin as anywhere.",
        source=KINEMATICS,
        tier="should",
        asset=a,
        seconds=5.0,
        checks=[at(position(node, X), (2.5, 5), "f + v*t", 0.01, f=far, v=0.02)],
    )
    a, start = Asset(), 0.2
    node = bob(a, start, (far, 0, far))
    join(a, None, node, (far, 0, far))
    yield machine(
        name="swing_far_away",
        sentence="A small swing goes on at 10 km from the origin.",
        source=OSCILLATIONS,
        tier="should",
        asset=a,
        seconds=10.0,
        checks=[
            integrated(
                angle(node, Z),
                (1, 3, 5, 10),
                "pendulum with offset",
                0.05,
                mass=1.0,
                arm=1.0,
                inertia=1.01,
                start=start,
                offset=-start,
            )
        ],
    )
    a = Asset()
    a.node("ground", (far, -0.5, far), collider={"geometry": a.box(20, 1, 20)})
    cube = {"geometry": a.box(0.5, 0.5, 0.5)}
    boxes = [
        a.node(
            "box",
            (far, 0.25 + 0.5 * index, far),
            motion=block(50.0, (0.5, 0.5, 0.5)),
            collider=cube,
        )
        for index in range(3)
    ]
    yield machine(
        name="stack_far_away",
        sentence="Three boxes stand on each other at 10 km from the origin.",
        source=STATICS,
        tier="should",
        asset=a,
        seconds=10.0,
        checks=[
            within(position(boxes[2], Y), (0, 10), 0.01, least="1.25", most="1.25"),
            within(position(boxes[2], X), (0, 10), 0.01, least="f", most="f", f=far),
        ],
    )

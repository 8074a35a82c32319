"""Things that swing: pendulums, coupled oscillators, what goes round."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ligament.conformance.assets import Asset
from ligament.conformance.case import Case, at, integrated, within
from ligament.conformance.cases.drives import drive
from ligament.conformance.cases.joints import BALL
from ligament.conformance.cases.machine_parts import (
    AXLE,
    OSCILLATIONS,
    SLIDE,
    bar,
    block,
    join,
    machine,
)
from ligament.conformance.rotations import about
from ligament.conformance.signals import X, Y, Z, angle, position, tilt


def cases() -> Iterator[Case]:
    """Yield the cases of oscillations."""
    yield from pendulums()
    yield from two_at_once()
    yield from round_swings()


def bob(a: Asset, start: float, place: tuple[float, ...] = (0, 0, 0), **motion: Any) -> int:
    """Add a bob of 1 kg and 0.01 kg·m², 1 m below a pivot, turned by an angle [rad] about z."""
    hang = {"mass": 1.0, "inertiaDiagonal": [0.01] * 3, "centerOfMass": [0, -1.0, 0]}
    return a.node("bob", place, rotation=about(Z, start), motion=hang | motion)


def pendulums() -> Iterator[Case]:
    """Yield pendulums: small, wide and nearly upright, a rod, one far away, one on a spring.

    All follow θ″ = -m g l/I sin θ. Held by a spring k > m g l, an upright rod swings with
    w² = (k - m g l)/I for small angles. A torsion pendulum has w² = k/I.
    """
    kinds = ((0.1, 10.0, 0.0), (1.5, 5.0, 0.0), (2.5, 4.0, 0.0), (0.5, 4.0, 1e4))
    for start, seconds, far in kinds:
        a = Asset()
        node = bob(a, start, (far, 0, far))
        join(a, None, node, (far, 0, far))
        name = f"pendulum_{str(start).replace('.', '_')}"
        where = f"{far / 1000:g} km from the origin" if far else f"for {seconds:g} s"
        yield machine(
            name=f"{name}_far_away" if far else name,
            sentence=f"A pendulum from {start:g} rad keeps its time {where}.",
            source=OSCILLATIONS,
            tier="should" if start > 2 else "must",
            asset=a,
            seconds=seconds,
            checks=[
                integrated(
                    angle(node, Z),
                    (seconds / 4, seconds / 2, seconds),
                    "pendulum with offset",
                    0.08 if start < 1 else 0.15,
                    mass=1.0,
                    arm=1.0,
                    inertia=1.01,
                    start=start,
                    offset=-start,
                ),
                within(tilt(node, Z, Z), (0, seconds), 0.01, most="0"),
            ],
        )
    a, start, mass = Asset(), 1.0, 3.0
    tip = (math.sin(start), -math.cos(start))
    rod = bar(a, "rod", (0, 0), tip, mass)
    join(a, None, rod, (0, 0))
    yield machine(
        name="rod",
        sentence="A rod on its end swings as a pendulum of two thirds of its length.",
        source=OSCILLATIONS,
        asset=a,
        seconds=5.0,
        checks=[
            integrated(
                angle(rod, Z),
                (1, 2, 3, 5),
                "pendulum with offset",
                0.08,
                mass=1.0,
                arm=1.0,
                inertia=2 / 3,
                start=start,
                offset=-start,
            ),
        ],
    )
    a, mass, stiffness, kick = Asset(), 2.0, 30.0, 0.2
    about_its_end = {"angularVelocity": [0, 0, kick], "linearVelocity": [0, kick / 2, 0]}
    rod = bar(a, "rod", (0, 0), (0, 1), mass, **about_its_end)
    part = drive("angular", 2, positionTarget=0.0, stiffness=stiffness)
    join(a, None, rod, (0, 0), AXLE, [part])
    yield machine(
        name="metronome",
        sentence="A spring stiffer than m g l lets an upright rod swing slowly.",
        source=OSCILLATIONS,
        asset=a,
        seconds=3.0,
        checks=[
            at(
                angle(rod, Z),
                (0.5, 1, 2, 3),
                "v/sqrt((k - m*g/2)/(m/3))*sin(sqrt((k - m*g/2)/(m/3))*t)",
                0.004,
                "sin θ is θ to a part in two thousand",
                v=kick,
                k=stiffness,
                m=mass,
            ),
        ],
    )
    a, inertia, stiffness, start = Asset(), 0.4, 10.0, 0.5
    wheel = a.node("wheel", motion={"mass": 5.0, "inertiaDiagonal": [inertia] * 3})
    part = drive("angular", 1, positionTarget=start, stiffness=stiffness)
    join(
        a,
        None,
        wheel,
        (0, 0),
        (BALL[0], {"angularAxes": [0, 2], "min": 0.0, "max": 0.0}),
        [part],
    )
    yield machine(
        name="torsion_pendulum",
        sentence="A wheel on a twisted wire swings with w² = k/I.",
        source=OSCILLATIONS,
        asset=a,
        seconds=4.0,
        checks=[
            at(
                angle(wheel, Y),
                (0.5, 1, 2, 4),
                "p*(1 - cos(sqrt(k/i)*t))",
                0.03,
                p=start,
                k=stiffness,
                i=inertia,
            ),
        ],
    )


def two_at_once() -> Iterator[Case]:
    """Yield two oscillators of m, k with a weak spring q between them, and a double pendulum.

    The sum of both swings with w² = k/m, their difference with v² = (k + 2 q)/m: the motion passes
    over to the second one and back.
    """
    a, k, q, start = Asset(), 40.0, 8.0, 0.2
    nodes = [a.node("mass", (x, 0, 0), motion=block(1.0, (0.2, 0.2, 0.2))) for x in (start, 1.0)]
    for node, rest in zip(nodes, (0.0, 1.0), strict=True):
        at_rest = a.node("rest", (rest, 0, 0))
        a.link(at_rest, node, a.joint(SLIDE, [drive("linear", 0, stiffness=k, positionTarget=0.0)]))
    hook = a.node("hook", (-1, 0, 0), parent=nodes[1])
    a.link(nodes[0], hook, a.joint(drives=[drive("linear", 0, stiffness=q, positionTarget=0.0)]))
    text = "p/2*(cos(sqrt(k)*t) {} cos(sqrt(k + 2*q)*t))"
    yield machine(
        name="beat",
        sentence="Of two coupled oscillators the first hands its swing over to the second.",
        source=OSCILLATIONS,
        asset=a,
        seconds=5.0,
        checks=[
            at(
                position(nodes[0], X),
                (0.5, 1, 2.5, 4, 5),
                text.format("+"),
                0.02,
                p=start,
                k=k,
                q=q,
            ),
            at(
                position(nodes[1], X),
                (0.5, 1, 2.5, 4, 5),
                "1 + " + text.format("-"),
                0.02,
                p=start,
                k=k,
                q=q,
            ),
        ],
    )
    a, first, second = Asset(), 1.2, 2.0
    knee = (math.sin(first), -math.cos(first))
    end = (knee[0] + math.sin(second), knee[1] - math.cos(second))
    upper, lower = bar(a, "upper", (0, 0), knee), bar(a, "lower", knee, end)
    join(a, None, upper, (0, 0))
    join(a, upper, lower, knee)
    values = {"length": 1.0, "starts": [first, second]}
    yield machine(
        name="double_pendulum",
        sentence="A double pendulum of two rods follows Lagrange's equations.",
        source=OSCILLATIONS,
        asset=a,
        seconds=2.5,
        checks=[
            integrated(angle(upper, Z), (0.5, 1, 1.5), "double rod", 0.1, seen=0, **values),
            integrated(angle(lower, Z), (0.5, 1, 1.5), "double rod", 0.15, seen=1, **values),
        ],
    )


def round_swings() -> Iterator[Case]:
    """Yield pendulums about a point: a conical one, and one that stays in its plane.

    At a tilt b a body of equal moments goes round with w² = g/(l cos b). A carousel that turns at w
    holds its seats at the b with w² (r + l sin b) = g tan b.
    """
    a, lean, arm = Asset(), 0.6, 1.0
    rate = math.sqrt(9.81 / (arm * math.cos(lean)))
    node = bob(
        a,
        lean,
        angularVelocity=[rate * math.sin(lean), rate * math.cos(lean), 0],
        linearVelocity=[0, 0, -rate * math.sin(lean)],
    )
    join(a, None, node, (0, 0), BALL)
    yield machine(
        name="conical_pendulum",
        sentence="A conical pendulum goes round level, with w² = g/(l cos b).",
        source=OSCILLATIONS,
        asset=a,
        seconds=5.0,
        checks=[
            within(
                position(node, Y, (0, -1, 0)),
                (0, 5),
                0.02,
                least="-l*cos(b)",
                most="-l*cos(b)",
                l=arm,
                b=lean,
            ),
            at(
                position(node, X, (0, -1, 0)),
                (1, 2, 5),
                "l*sin(b)*cos(sqrt(g/(l*cos(b)))*t)",
                0.06,
                l=arm,
                b=lean,
            ),
        ],
    )
    a = Asset()
    node = bob(a, 0.5)
    join(a, None, node, (0, 0), BALL)
    yield machine(
        name="plane_of_swing",
        sentence="A pendulum on a ball joint keeps the plane in which it was let go.",
        source=OSCILLATIONS,
        asset=a,
        seconds=20.0,
        checks=[
            within(position(node, Z, (0, -1, 0)), (0, 20), 0.005, least="0", most="0"),
            within(position(node, X, (0, -1, 0)), (18, 20), 0.02, most="sin(p)", p=0.5),
            within(position(node, Y, (0, -1, 0)), (18, 20), 0.02, most="-cos(p)", p=0.5),
        ],
    )
    a, radius, lean = Asset(), 1.0, 0.5
    rate = math.sqrt(9.81 * math.tan(lean) / (radius + math.sin(lean)))
    hub = a.node("hub", motion={"isKinematic": True, "angularVelocity": [0, rate, 0]})
    # The seat turns with the carousel: about y, seen in its own frame, which leans about z.
    seat = bob(
        a,
        lean,
        (radius, 0, 0),
        angularVelocity=[rate * math.sin(lean), rate * math.cos(lean), 0],
        linearVelocity=[0, 0, -rate * (radius + math.sin(lean))],
    )
    join(a, hub, seat, (radius, 0))
    yield machine(
        name="carousel",
        sentence="The seats of a carousel hang at w² (r + l sin b) = g tan b.",
        source=OSCILLATIONS,
        asset=a,
        seconds=4.0,
        checks=[
            within(
                position(seat, Y, (0, -1, 0)),
                (0, 4),
                0.03,
                least="-cos(b)",
                most="-cos(b)",
                b=lean,
            ),
            at(
                position(seat, X, (0, -1, 0)),
                (1, 2, 4),
                "(r + sin(b))*cos(w*t)",
                0.05,
                r=radius,
                b=lean,
                w=rate,
            ),
        ],
    )

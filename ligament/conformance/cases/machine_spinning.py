"""Things that spin: gyroscopes, tops, tumbling bodies, and what turns against each other."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ligament.conformance.assets import Asset
from ligament.conformance.case import Case, Tier, at, integrated, within
from ligament.conformance.cases.drives import drive
from ligament.conformance.cases.joints import BALL, hinge
from ligament.conformance.cases.machine_parts import RIGID_BODY, ROLLING, SLIDE, join, machine
from ligament.conformance.cases.parts import floating
from ligament.conformance.rotations import about, rotate
from ligament.conformance.signals import X, Y, Z, angle, distance, position, rotation, speed, tilt

G = 9.81


def cases() -> Iterator[Case]:
    """Yield the cases of spinning bodies."""
    yield from gyroscopes()
    yield from tops()
    yield from free_bodies()
    yield from against_each_other()
    yield from coins()


def gyroscopes() -> Iterator[Case]:
    """Yield gyroscopes whose axis is level: they precess at m g r/(I s), without approximation.

    The torque m g r is at a right angle to the axis, and so is the rate of the precession: its
    share of the angular momentum stays upright. Let go at rest instead, the axis nods. An
    integrator of first order at 1/60 s nods by 0.2 m on its own.
    """
    mass, arm, spin, inertia = 1.0, 0.5, 60.0, [0.1, 0.06, 0.06]
    turn = mass * G * arm / (inertia[0] * spin)
    motion: dict[str, Any] = {"mass": mass, "inertiaDiagonal": inertia, "centerOfMass": [arm, 0, 0]}
    tiers: tuple[tuple[str, Tier, float, float, str], ...] = (
        ("gyroscope", "must", 0.1, 0.2, "A level gyroscope precesses at m g r/(I s)."),
        ("gyroscope_to_1_percent", "should", 0.015, 0.01, "A gyroscope precesses level to 1 %."),
    )
    for name, tier, tolerance, nod, sentence in tiers:
        a = Asset()
        start = {"angularVelocity": [spin, turn, 0], "linearVelocity": [0, 0, -arm * turn]}
        wheel = a.node("wheel", motion=motion | start)
        join(a, None, wheel, (0, 0), BALL)
        values: dict[str, Any] = {"r": arm, "w": turn}
        yield machine(
            name=name,
            sentence=sentence,
            source=RIGID_BODY,
            tier=tier,
            asset=a,
            seconds=4.0,
            checks=[
                at(position(wheel, X, (arm, 0, 0)), (1, 2, 4), "r*cos(w*t)", tolerance, **values),
                at(position(wheel, Z, (arm, 0, 0)), (1, 2, 4), "-r*sin(w*t)", tolerance, **values),
                within(position(wheel, Y, (arm, 0, 0)), (0, 4), nod, least="0", most="0"),
            ],
        )
    a = Asset()
    wheel = a.node("wheel", motion=motion | {"angularVelocity": [spin, 0, 0]})
    join(a, None, wheel, (0, 0), BALL)
    about_pivot = [inertia[0], *(part + mass * arm**2 for part in inertia[1:])]
    top: dict[str, Any] = {"mass": mass, "arm": [arm, 0.0, 0.0], "inertia": about_pivot}
    spun: dict[str, Any] = {"angular_velocity": [spin, 0.0, 0.0], **top}
    yield machine(
        name="nutation",
        sentence="A gyroscope that is let go at rest nods as it starts to precess.",
        source=RIGID_BODY,
        tier="should",
        asset=a,
        seconds=2.0,
        checks=[
            integrated(
                position(wheel, axis, (arm, 0, 0)),
                (0.1, 0.2, 0.5, 1, 2),
                "heavy top",
                0.015,
                axis=[float(part) for part in axis],
                **spun,
            )
            for axis in (X, Y, Z)
        ],
    )
    a, rim, frame = Asset(), 0.1, 0.5
    turn = (mass + frame) * G * arm / (rim * spin)
    disc = {"mass": mass, "inertiaDiagonal": [rim, 0.06, 0.06]}
    wheel = a.node(
        "wheel",
        (arm, 0, 0),
        motion=disc | {"angularVelocity": [spin, turn, 0], "linearVelocity": [0, 0, -arm * turn]},
    )
    ring = a.node(
        "ring",
        (arm, 0, 0),
        motion={
            "mass": frame,
            "inertiaDiagonal": [0.02, 0.02, 0.02],
            "angularVelocity": [0, turn, 0],
            "linearVelocity": [0, 0, -arm * turn],
        },
    )
    join(a, ring, wheel, (arm, 0), hinge(0))
    join(a, None, ring, (0, 0), BALL)
    values = {"r": arm, "w": turn}
    yield machine(
        name="gyroscope_in_a_ring",
        sentence="A wheel on an axle carries its ring around as one gyroscope.",
        source=RIGID_BODY,
        asset=a,
        seconds=3.0,
        checks=[
            at(position(ring, X), (1, 2, 3), "r*cos(w*t)", 0.1, **values),
            at(position(ring, Z), (1, 2, 3), "-r*sin(w*t)", 0.1, **values),
            within(position(ring, Y), (0, 3), 0.2, least="0", most="0"),
        ],
    )


def tops() -> Iterator[Case]:
    """Yield tops: a steady one, one that sleeps, one that is too slow.

    Leaning by b a top precesses steadily at w where its spin is (m g l + J w² cos b)/(I w), with J
    across its axis, about its tip. Upright it is stable where (I s)² > 4 m g l J.
    """
    mass, arm, along, across = 1.0, 0.4, 0.05, 0.03
    whole = across + mass * arm**2
    motion: dict[str, Any] = {
        "mass": mass,
        "inertiaDiagonal": [across, along, across],
        "centerOfMass": [0, arm, 0],
    }
    a, lean, turn = Asset(), math.pi / 6, 2.0
    spin = (mass * G * arm + whole * turn**2 * math.cos(lean)) / (along * turn)
    start = {
        "angularVelocity": [-turn * math.sin(lean), spin, 0],
        "linearVelocity": [0, 0, -turn * arm * math.sin(lean)],
    }
    top = a.node("top", rotation=about(Z, -lean), motion=motion | start)
    join(a, None, top, (0, 0), BALL)
    values: dict[str, Any] = {"l": arm, "b": lean, "w": turn}
    yield machine(
        name="top",
        sentence="A leaning top precesses at a steady rate, without rising or falling.",
        source=RIGID_BODY,
        tier="should",
        asset=a,
        seconds=3.0,
        checks=[
            at(position(top, X, (0, arm, 0)), (0.5, 1, 2), "l*sin(b)*cos(w*t)", 0.03, **values),
            at(position(top, Z, (0, arm, 0)), (0.5, 1, 2), "-l*sin(b)*sin(w*t)", 0.03, **values),
            within(tilt(top, Y, Y), (0, 3), 0.06, least="b", most="b", b=lean),
        ],
    )
    for spin, word in ((50.0, "sleeps upright"), (15.0, "that is too slow falls")):
        a, lean = Asset(), 0.05
        top = a.node(
            "top",
            rotation=about(Z, -lean),
            motion=motion | {"angularVelocity": [0, spin, 0]},
        )
        join(a, None, top, (0, 0), BALL)
        model: dict[str, Any] = {
            "mass": mass,
            "arm": [0.0, arm, 0.0],
            "inertia": [whole, along, whole],
            "rotation": about(Z, -lean),
            "angular_velocity": [0.0, spin, 0.0],
            "axis": [0.0, 1.0, 0.0],
        }
        height = integrated(position(top, Y, (0, arm, 0)), (0.5, 1), "heavy top", 0.04, **model)
        stays = within(tilt(top, Y, Y), (0, 5), 0.03, most="2*b", why="it nods about b", b=lean)
        yield machine(
            name=f"top_at_{spin:g}",
            sentence=f"A top {word}, here at {spin:g} rad/s.",
            source=RIGID_BODY,
            tier="should",
            asset=a,
            seconds=5.0 if spin > 40 else 1.0,
            checks=[stays if spin > 40 else height],
        )


def free_bodies() -> Iterator[Case]:
    """Yield bodies that nothing holds: a symmetric one, and the three axes of one that is not.

    With J across its axis and the momentum L, a symmetric body turns at L/J about L, and about its
    own axis at its share of L times 1/I - 1/J.
    """
    along, across, rate = 0.5, 0.2, [1.0, 4.0, 0.0]
    whole = np.array([across, along, across]) * rate
    size = float(np.linalg.norm(whole))
    moments = {"angularVelocity": rate, "inertiaDiagonal": [across, along, across]}
    a = Asset()
    body = a.node("body", motion=floating(**moments))
    yield machine(
        name="symmetric_body",
        sentence="A free symmetric body turns about its axis while that circles its momentum.",
        source=RIGID_BODY,
        asset=a,
        checks=[
            at(
                rotation(body),
                (0.25, 0.5, 1),
                "product(about(n, l/j*t), about(y, m*(1/i - 1/j)*t))",
                0.2,
                n=whole / size,
                l=size,
                m=float(whole[1]),
                y=Y,
                i=along,
                j=across,
            )
        ],
    )
    a = Asset()
    body = a.node("body", motion=floating(**moments))
    cone = within(
        tilt(body, Y, (whole / size).tolist()),
        (0, 10),
        0.01,
        least="atan2(p, q)",
        most="atan2(p, q)",
        p=float(whole[0]),
        q=float(whole[1]),
    )
    yield machine(
        name="cone_of_a_symmetric_body",
        sentence="The axis of a free symmetric body stays on its cone.",
        source=RIGID_BODY,
        tier="should",
        asset=a,
        seconds=10.0,
        checks=[cone],
    )
    inertia = [0.05, 0.1, 0.15]
    nudged = {"smallest": [5.0, 0.1, 0.1], "largest": [0.1, 0.1, 5.0]}
    for name, rate in nudged.items():
        a = Asset()
        axis = X if rate[0] == 5.0 else Z
        body = a.node("body", motion=floating(inertiaDiagonal=inertia, angularVelocity=rate))
        yield machine(
            name=f"spin_about_{name}",
            sentence=f"A free body spins steadily about the axis of its {name} moment.",
            source=RIGID_BODY,
            asset=a,
            seconds=20.0,
            checks=[
                within(
                    tilt(body, axis, axis),
                    (0, 20),
                    0.05,
                    most="0.152" if name == "smallest" else "0.028",
                    why="the highest tilt by Euler's equations; no energy is lost",
                )
            ],
        )
    spans: tuple[tuple[str, Tier, tuple[float, ...], str], ...] = (
        ("flip", "must", (0.5, 1, 2, 3), "Spin about the middle moment of inertia flips over."),
        ("flips", "should", (4, 6, 8, 10), "A body flips over and back in its own time, again."),
    )
    for name, tier, times, sentence in spans:
        a, rate = Asset(), [0.1, 3.0, 0.1]
        body = a.node("body", motion=floating(inertiaDiagonal=inertia, angularVelocity=rate))
        yield machine(
            name=name,
            sentence=sentence,
            source=RIGID_BODY,
            tier=tier,
            asset=a,
            seconds=max(times),
            checks=[
                integrated(
                    rotation(body),
                    times,
                    "free rotation",
                    0.2,
                    inertia=inertia,
                    angular_velocity=rate,
                )
            ],
        )


def against_each_other() -> Iterator[Case]:
    """Yield a skater who pulls in weights, and a body that turns against its wheel.

    The angular momentum stays: I w, and I w + J u = 0.
    """
    a, mass, far, near, inertia, own, rate = Asset(), 2.0, 1.0, 0.4, 0.5, 0.02, 1.0
    hub = a.node(
        "hub", motion=floating(inertiaDiagonal=[inertia] * 3, angularVelocity=[0, rate, 0])
    )
    ends = []
    for side in (1, -1):
        motion = floating(
            mass=mass,
            inertiaDiagonal=[own] * 3,
            angularVelocity=[0, rate, 0],
            linearVelocity=[0, 0, -side * far * rate],
        )
        ends.append(a.node("weight", (side * far, 0, 0), motion=motion))
        pull = side * (near - far)
        part = drive("linear", 0, positionTarget=pull, stiffness=20000.0, damping=800.0)
        join(a, hub, ends[-1], (side * far, 0), SLIDE, [part])
    share = "(i + 2*j + 2*m*f**2)/(i + 2*j + 2*m*n**2)*w"
    values: dict[str, Any] = {"i": inertia, "j": own, "m": mass, "f": far, "n": near, "w": rate}
    yield machine(
        name="skater",
        sentence="Weights that are pulled in speed a turn up: its angular momentum stays.",
        source=RIGID_BODY,
        asset=a,
        seconds=3.0,
        checks=[
            at(speed(end), (2, 2.9), f"n*{share}", 0.05, "pulled in within a second", **values)
            for end in ends
        ]
        + [within(speed(hub), (0.5, 2.9), 0.02, most="0")],
    )
    a, inertia, rim, gain = Asset(), 0.4, 0.1, 0.2
    body = a.node("body", motion=floating(inertiaDiagonal=[inertia] * 3))
    wheel = a.node("wheel", motion=floating(inertiaDiagonal=[rim] * 3))
    part = drive("angular", 1, velocityTarget=8.0, damping=gain)
    join(a, body, wheel, (0, 0), hinge(1), [part])
    relative = "v*(t - s*(1 - exp(-t/s)))"
    values = {"v": 8.0, "s": inertia * rim / (inertia + rim) / gain, "i": inertia, "j": rim}
    yield machine(
        name="reaction_wheel",
        sentence="A body turns against the wheel that its motor spins up.",
        source=RIGID_BODY,
        asset=a,
        seconds=2.0,
        checks=[
            at(angle(body, Y), (0.5, 1, 2), f"-j/(i + j)*{relative}", 0.05, **values),
            at(angle(wheel, Y), (0.5, 1, 2), f"i/(i + j)*{relative}", 0.06, **values),
        ],
    )


def coins() -> Iterator[Case]:
    """Yield a coin that rolls in a circle.

    Its axis leans by b from upright and circles at w. With the torque of its weight and of the
    force that keeps it on its circle, its rate about its axis is
    u = cos b (J w² sin b - m g r)/((I + m r²) w sin b), and its centre circles at r |u|/w.
    """
    a, radius, thick, lean, turn, mass = Asset(), 0.2, 0.004, math.pi / 3, 3.0, 1.0
    along, across = mass * radius**2 / 2, mass * radius**2 / 4
    u = math.cos(lean) * (across * turn**2 * math.sin(lean) - mass * G * radius)
    u /= (along + mass * radius**2) * turn * math.sin(lean)
    ring = radius * abs(u) / turn
    rough = a.material(staticFriction=1.0, dynamicFriction=1.0)
    a.floor(physicsMaterial=rough)
    height = radius * math.sin(lean) + thick / 2 * math.cos(lean)
    axis = np.array([math.sin(lean), math.cos(lean), 0])
    uphill = np.array([-math.cos(lean), math.sin(lean), 0])
    back = about(Z, lean)
    first = np.cross(uphill, axis)
    spin = turn * math.sin(lean) * uphill + u * axis
    forward = -radius * u * first
    middle = np.cross(np.array([0, 1, 0]), forward) / turn
    coin = a.node(
        "coin",
        (0, height, 0),
        rotation=about(Z, -lean),
        motion={
            "mass": mass,
            "inertiaDiagonal": [across, along, across],
            "angularVelocity": rotate(back, spin).tolist(),
            "linearVelocity": rotate(back, forward).tolist(),
        },
        collider={
            "geometry": {
                "shape": a.shape("cylinder", height=thick, radiusBottom=radius, radiusTop=radius)
            },
            "physicsMaterial": rough,
        },
    )
    centre = a.node("centre", (middle[0], height, middle[2]))
    yield machine(
        name="coin_that_circles",
        sentence="A coin that leans rolls in a circle.",
        source=ROLLING,
        tier="should",
        asset=a,
        seconds=2.0,
        checks=[
            within(distance(coin, centre), (0, 2), 0.04, least="r", most="r", r=ring),
            within(tilt(coin, Y, Y), (0, 2), 0.1, least="b", most="b", b=lean),
        ],
    )

"""Wheels: bodies that roll and slide, on ramps and turntables."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ligament.conformance.assets import Asset, Json
from ligament.conformance.case import Case, at, within
from ligament.conformance.cases.machine_parts import FRICTION, ROLLING, block, machine
from ligament.conformance.cases.parts import QUARTER
from ligament.conformance.rotations import about, rotate
from ligament.conformance.signals import X, Z, angle, position

G = 9.81


def cases() -> Iterator[Case]:
    """Yield the cases of wheels."""
    yield from inclines()
    yield from balls()
    yield from turntables()


def round_(a: Asset, kind: str, radius: float) -> Json:
    """Return the geometry of a ball, or of a cylinder as long as its radius."""
    if kind == "ball":
        return a.sphere(radius)
    members = {"height": radius, "radiusBottom": radius, "radiusTop": radius}
    return {"shape": a.shape("cylinder", **members)}


def ramp(a: Asset, slope: float, friction: float) -> int:
    """Add a ramp that falls along x by an angle [rad], its surface through the origin."""
    material = a.material(staticFriction=friction, dynamicFriction=friction)
    below = rotate(about(Z, -slope), (0, -0.5, 0))
    collider = {"geometry": a.box(40, 1, 20), "physicsMaterial": material}
    a.node("ramp", below, rotation=about(Z, -slope), collider=collider)
    return material


def inclines() -> Iterator[Case]:
    """Yield bodies that roll or slide down a ramp.

    With I = i m r² a body rolls with g sin b/(1 + i) where tan b < µ (1 + 1/i). Steeper it slides
    with g (sin b - µ cos b), and its spin grows by µ g cos b/(i r).
    """
    radius, slope = 0.25, 0.3
    down = (math.cos(slope), -math.sin(slope), 0)
    kinds = (
        ("ball", "solid ball", 2 / 5),
        ("ball", "hollow ball", 2 / 3),
        ("cylinder", "solid cylinder", 1 / 2),
        ("cylinder", "thin tube", 1.0),
    )
    for kind, name, share in kinds:
        a = Asset()
        material = ramp(a, slope, 1.0)
        inertia = [share * radius**2 * 2.0] * 3
        node = a.node(
            "roller",
            rotate(about(Z, -slope), (0, radius, 0)),
            motion={"mass": 2.0, "inertiaDiagonal": inertia},
        )
        collider = {"geometry": round_(a, kind, radius), "physicsMaterial": material}
        lying = about(X, QUARTER) if kind == "cylinder" else None
        a.node("shape", rotation=lying, parent=node, collider=collider)
        values: dict[str, Any] = {"b": slope, "i": share, "r": radius}
        yield machine(
            name=name.replace(" ", "_"),
            sentence=f"A {name} rolls down a ramp with g sin b/(1 + I/(m r²)).",
            source=ROLLING,
            asset=a,
            seconds=1.5,
            checks=[
                at(
                    position(node, down), (0.5, 1, 1.5), "g*sin(b)*t**2/(2*(1 + i))", 0.05, **values
                ),
                at(angle(node, Z), (1.0, 1.5), "-g*sin(b)*t**2/(2*(1 + i)*r)", 0.2, **values),
                within(position(node, Z), (0, 1.5), 0.01, least="0", most="0"),
            ],
        )
    for friction in (0.2, 0.8):
        a, slope, share = Asset(), 0.8, 2 / 5
        down = (math.cos(slope), -math.sin(slope), 0)
        material = ramp(a, slope, friction)
        node = a.node(
            "ball",
            rotate(about(Z, -slope), (0, radius, 0)),
            motion={"mass": 2.0, "inertiaDiagonal": [share * radius**2 * 2.0] * 3},
            collider={"geometry": a.sphere(radius), "physicsMaterial": material},
        )
        values = {"b": slope, "u": friction, "i": share, "r": radius}
        if math.tan(slope) > friction * (1 + 1 / share):
            pull, spin = "g*(sin(b) - u*cos(b))", "u*g*cos(b)/(i*r)"
            sentence = "On a steep ramp a ball slides while it rolls."
        else:
            pull, spin = "g*sin(b)/(1 + i)", "g*sin(b)/((1 + i)*r)"
            sentence = "On a steep and rough ramp a ball rolls without slip."
        yield machine(
            name=f"steep_ramp_{str(friction).replace('.', '_')}",
            sentence=sentence,
            source=ROLLING,
            asset=a,
            checks=[
                at(position(node, down), (0.5, 1), f"{pull}*t**2/2", 0.06, **values),
                at(angle(node, Z), (0.5, 1), f"-{spin}*t**2/2", 0.25, **values),
            ],
        )


def balls() -> Iterator[Case]:
    """Yield balls that start with another spin than that of rolling, on a level floor.

    A solid ball that starts at v with the spin w (w r = v would roll) slides until
    s = 2 |v - w r|/(7 µ g), and then rolls on at (5 v + 2 w r)/7.
    """
    friction, radius = 0.2, 0.1
    kinds = ((4.0, 0.0, "bowled without a spin"), (2.0, -100.0, "with back spin"))
    for index, (start, spin, words) in enumerate(kinds):
        a = Asset()
        material = a.material(staticFriction=friction, dynamicFriction=friction)
        a.floor(physicsMaterial=material)
        node = a.node(
            "ball",
            (-4, radius, 0),
            motion={
                "mass": 3.0,
                "inertiaDiagonal": [0.4 * 3.0 * radius**2] * 3,
                "linearVelocity": [start, 0, 0],
                "angularVelocity": [0, 0, -spin],
            },
            collider={"geometry": a.sphere(radius), "physicsMaterial": material},
        )
        slip = 2 * (start - spin * radius) / (7 * friction * G)
        late = "-4 + v*s - u*g*s**2/2 + (5*v + 2*w*r)/7*(t - s)"
        values: dict[str, Any] = {"v": start, "w": spin, "r": radius, "u": friction}
        times = tuple(time for time in (0.5, 1.0, 2.0, 3.0, 4.0) if time > slip)[:2]
        yield machine(
            name=("bowling_ball", "ball_with_back_spin")[index],
            sentence=f"A ball {words} slides until it rolls at (5 v + 2 w r)/7.",
            source=ROLLING,
            asset=a,
            seconds=max(times),
            checks=[
                at(
                    position(node, X),
                    (0.25, 0.5),
                    "-4 + v*t - u*g*t**2/2",
                    0.05,
                    v=start,
                    u=friction,
                ),
                at(position(node, X), times, late, 0.1, s=slip, **values),
                within(position(node, Z), (0, max(times)), 0.01, least="0", most="0"),
            ],
        )


def turntables() -> Iterator[Case]:
    """Yield a rider on a turntable, and a ball that rolls on one.

    The ball's velocity turns at 2/7 of the rate of the table, so it rolls in a circle.
    """
    a, rate, out = Asset(), 2.0, 0.6
    rough = a.material(staticFriction=0.6, dynamicFriction=0.6)
    a.node(
        "table",
        (0, -0.25, 0),
        motion={"isKinematic": True, "angularVelocity": [0, rate, 0]},
        collider={"geometry": a.box(4, 0.5, 4), "physicsMaterial": rough},
    )
    start = {"linearVelocity": [0, 0, -rate * out], "angularVelocity": [0, rate, 0]}
    rider = a.node(
        "rider",
        (out, 0.1, 0),
        motion=block(1.0, (0.2, 0.2, 0.2)) | start,
        collider={"geometry": a.box(0.2, 0.2, 0.2), "physicsMaterial": rough},
    )
    yield machine(
        name="rider_on_a_turntable",
        sentence="Friction takes a rider around on a turntable, where w² r < µ g.",
        source=FRICTION,
        tier="should",
        asset=a,
        seconds=4.0,
        checks=[
            at(position(rider, X), (1, 2, 4), "r*cos(w*t)", 0.05, r=out, w=rate),
            at(position(rider, Z), (1, 2, 4), "-r*sin(w*t)", 0.05, r=out, w=rate),
        ],
    )
    a, rate, radius, speed, x, z = Asset(), 2.0, 0.1, 0.5, -0.4, 0.4
    rough = a.material(staticFriction=1.0, dynamicFriction=1.0)
    a.node(
        "table",
        (0, -0.25, 0),
        motion={"isKinematic": True, "angularVelocity": [0, rate, 0]},
        collider={"geometry": a.box(6, 0.5, 6), "physicsMaterial": rough},
    )
    # Rolling: the lowest point moves as the table does there, (rate z, 0, -rate x).
    spin = [rate * x / radius, 0.0, (rate * z - speed) / radius]
    ball = a.node(
        "ball",
        (x, radius, z),
        motion={
            "mass": 1.0,
            "inertiaDiagonal": [0.4 * radius**2] * 3,
            "linearVelocity": [speed, 0, 0],
            "angularVelocity": spin,
        },
        collider={"geometry": a.sphere(radius), "physicsMaterial": rough},
    )
    values: dict[str, Any] = {"v": speed, "w": rate}
    yield machine(
        name="ball_on_a_turntable",
        sentence="A ball that rolls on a turntable circles at 2/7 of its rate.",
        source=ROLLING,
        tier="should",
        asset=a,
        seconds=3.0,
        checks=[
            at(position(ball, X), (1, 2, 3), "x + v/(2*w/7)*sin(2*w/7*t)", 0.05, x=x, **values),
            at(
                position(ball, Z),
                (1, 2, 3),
                "z - v/(2*w/7)*(1 - cos(2*w/7*t))",
                0.05,
                z=z,
                **values,
            ),
        ],
    )

"""Springs that carry weights, and doors."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ligament.conformance.assets import Asset
from ligament.conformance.case import Case, at, integrated, within
from ligament.conformance.cases.drives import drive
from ligament.conformance.cases.joints import hinge
from ligament.conformance.cases.machine_drives import SAG, UPRIGHT
from ligament.conformance.cases.machine_parts import (
    OSCILLATIONS,
    STATICS,
    block,
    join,
    machine,
)
from ligament.conformance.rotations import about
from ligament.conformance.signals import Y, Z, angle, position


def cases() -> Iterator[Case]:
    """Yield the cases of springs and doors."""
    yield from springs()
    yield from doors()


def springs() -> Iterator[Case]:
    """Yield springs of k and q: in series a load sags by W/k + W/q, in parallel by W/(k + q).

    In parallel the load swings with w² = (k + q)/m about its place of rest, in series with
    1/w² = m (1/k + 1/q), as the body between them is light.
    """
    k, q, mass = 400.0, 200.0, 4.0
    a = Asset()
    middle = a.node("middle", (0, -1, 0), motion={**block(0.05, (1, 1, 1)), "gravityFactor": 0.0})
    load = a.node("load", (0, -2, 0), motion=block(mass, (0.3, 0.3, 0.3)))
    for first, second, place, stiffness in (
        (None, middle, (0, -1), k),
        (middle, load, (0, -2), q),
    ):
        part = drive("linear", 1, positionTarget=0.0, stiffness=stiffness, damping=stiffness / 10)
        join(a, first, second, place, UPRIGHT, [part])
    yield machine(
        name="springs_in_series",
        sentence="Under a weight, springs in series sag by the sum of their own sags.",
        source=STATICS,
        asset=a,
        seconds=4.0,
        checks=[
            at(position(load, Y), (3.5, 4), "-2 - m*g*(1/k + 1/q)", SAG, m=mass, k=k, q=q),
            at(position(middle, Y), (4,), "-1 - m*g/k", SAG, m=mass, k=k),
        ],
    )
    a = Asset()
    load = a.node("load", motion=block(mass, (0.3, 0.3, 0.3)))
    for stiffness in (k, q):
        part = drive("linear", 1, positionTarget=0.0, stiffness=stiffness)
        join(a, None, load, (0, 0), UPRIGHT, [part])
    yield machine(
        name="springs_in_parallel",
        sentence="Under a weight, springs in parallel swing with the sum of their stiffness.",
        source=OSCILLATIONS,
        asset=a,
        seconds=2.0,
        checks=[
            at(
                position(load, Y),
                (0.25, 0.5, 1, 2),
                "-m*g/(k + q)*(1 - cos(sqrt((k + q)/m)*t))",
                0.012,
                m=mass,
                k=k,
                q=q,
            )
        ],
    )


def doors() -> Iterator[Case]:
    """Yield doors: a closer that is overdamped, and a hinge that leans.

    About a hinge that leans by b a door is a pendulum in g sin b.
    """
    mass, width = 20.0, 0.9
    motion = block(mass, (width, 2.0, 0.04)) | {"centerOfMass": [width / 2, 0, 0]}
    inertia = motion["inertiaDiagonal"][1] + mass * width**2 / 4
    a = Asset()
    door = a.node("door", motion=motion)
    slow, fast, shut = 1.5, 6.0, -1.2
    gains = {"stiffness": inertia * slow * fast, "damping": inertia * (slow + fast)}
    join(a, None, door, (0, 0), hinge(1), [drive("angular", 1, positionTarget=shut, **gains)])
    yield machine(
        name="door_closer",
        sentence="A door with an overdamped closer shuts without passing its frame.",
        source=OSCILLATIONS,
        asset=a,
        seconds=3.0,
        checks=[
            at(
                angle(door, Y),
                (0.5, 1, 2, 3),
                "p*(1 - (b*exp(-a*t) - a*exp(-b*t))/(b - a))",
                0.03,
                p=shut,
                a=slow,
                b=fast,
            ),
            within(position(door, Y), (0, 3), 0.002, least="0", most="0"),
            within(angle(door, Y), (0, 3), 0.002, least="p", p=shut),
        ],
    )
    a, lean, start = Asset(), 0.2, 1.0
    turn = about(Z, lean)
    hang = block(mass, (width, 2.0, 0.04)) | {"centerOfMass": [-width / 2, 0, 0]}
    upright = a.node("frame", rotation=turn)
    door = a.node("door", rotation=about(Y, start), parent=upright, motion=hang)
    a.link(upright, door, a.joint(hinge(1)))
    axis = (-math.sin(lean), math.cos(lean), 0)
    yield machine(
        name="leaning_door",
        sentence="A door on a leaning hinge swings about its lowest place.",
        source=OSCILLATIONS,
        asset=a,
        seconds=3.0,
        checks=[
            integrated(
                angle(door, axis),
                (0.5, 1, 2, 3),
                "pendulum with offset",
                0.05,
                mass=mass,
                arm=width / 2 * math.sin(lean),
                inertia=inertia,
                start=start,
                offset=-start,
            ),
            within(position(door, Y), (0, 3), 0.002, least="0", most="0"),
        ],
    )

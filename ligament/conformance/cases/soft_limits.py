"""Soft limits: springs and dampers beyond the bounds; what the text leaves open (Joints)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

from ligament.conformance.assets import Asset
from ligament.conformance.case import Case, at, integrated, within
from ligament.conformance.cases.limits import bounded, held
from ligament.conformance.cases.parts import AXES, scaled
from ligament.conformance.cases.sources import JOINTS, METRICS
from ligament.conformance.signals import X, Y, Z, angle, angular, linear, position

case = partial(Case, family="limits", source=METRICS)


def cases() -> Iterator[Case]:
    """Yield the cases of this part of the family."""
    yield from soft_linear()
    yield from soft_angular()
    yield from decisions()


def soft_linear() -> Iterator[Case]:
    """Yield cases of linear springs."""
    for stiffness in (50.0, 100.0, 400.0):
        a = Asset()
        damping = 2 * math.sqrt(stiffness)
        limit = {"linearAxes": [1], "min": 0.0, "max": 0.0}
        _, node = held(a, {**limit, "stiffness": stiffness, "damping": damping}, gravityFactor=1.0)
        why = "a critically damped spring under a constant force"
        yield case(
            name=f"soft_sag_{stiffness:g}",
            sentence=f"A limit with a stiffness is a spring: 1 kg sags at {stiffness:g} N/m.",
            source=JOINTS,
            asset=a,
            checks=[
                at(
                    position(node, Y),
                    (0.2, 0.4, 1),
                    "-m*g/k*(1 - (1 + sqrt(k/m)*t)*exp(-sqrt(k/m)*t))",
                    0.03 * min(1.0, 100 / stiffness) + 0.002,
                    why,
                    m=1.0,
                    k=stiffness,
                )
            ],
        )
    for index, (name, axis) in enumerate(AXES.items()):
        a = Asset()
        limit = {"linearAxes": [index], "min": 0.0, "max": 0.0, "stiffness": 40.0, "damping": 0.0}
        _, node = held(a, limit, linearVelocity=scaled(axis, 1.0))
        yield case(
            name=f"soft_swing_{name}",
            sentence=f"A soft limit along {name} without damping swings.",
            source=JOINTS,
            asset=a,
            checks=[
                at(
                    position(node, axis),
                    (0.2, 0.5, 0.8),
                    "v*sqrt(m/k)*sin(sqrt(k/m)*t)",
                    0.03,
                    "a harmonic oscillator",
                    v=1.0,
                    m=1.0,
                    k=40.0,
                )
            ],
        )
    a = Asset()
    limit = {"linearAxes": [1], "min": -0.2, "max": 0.2, "stiffness": 200.0, "damping": 10.0}
    _, node = held(a, limit, gravityFactor=1.0)
    yield case(
        name="soft_beyond_range",
        sentence="A soft limit acts beyond its bounds: a body falls freely to it, then springs.",
        source=JOINTS,
        asset=a,
        checks=[
            integrated(
                position(node, Y),
                (0.15, 0.3, 0.5, 0.8),
                "soft limit",
                0.04,
                mass=1.0,
                stiffness=200.0,
                damping=10.0,
                low=-0.2,
                high=0.2,
                acceleration=-9.81,
            )
        ],
    )
    a = Asset()
    limit = {"linearAxes": [0], "min": -1.0, "max": 1.0, "stiffness": 200.0, "damping": 50.0}
    _, node = held(a, limit, linearVelocity=[0.8, 0, 0])
    yield case(
        name="soft_within_range",
        sentence="Within its range a limit applies no force, whatever its stiffness and damping.",
        source=JOINTS,
        asset=a,
        checks=[at(position(node, X), (0.5, 1), "v*t", 0.02, v=0.8)],
    )
    for word, axes in (("radius", [0, 1]), ("distance", [0, 1, 2])):
        a = Asset()
        damping = 2 * math.sqrt(100.0)
        limit = {"linearAxes": axes, "min": 0.0, "max": 0.5, "stiffness": 100.0, "damping": damping}
        _, node = held(a, limit, place=(0, -0.5, 0), gravityFactor=1.0)
        yield case(
            name=f"soft_{word}",
            sentence=f"A soft limit of a {word} is one spring along the line between the frames.",
            source=JOINTS,
            asset=a,
            checks=[
                at(
                    position(node, Y),
                    (0.2, 0.4, 1),
                    "-0.5 - g/k*(1 - (1 + w*t)*exp(-w*t))",
                    0.02,
                    k=100.0,
                    w=10.0,
                )
            ],
        )
    for mass in (0.5, 4.0):
        a = Asset()
        limit = {"linearAxes": [0], "min": 0.0, "max": 0.0, "stiffness": 40.0, "damping": 2.0}
        _, node = held(a, limit, mass=mass, linearVelocity=[1.0, 0, 0])
        rate = math.sqrt(40.0 / mass - (1.0 / mass) ** 2)
        yield case(
            name=f"soft_damped_{str(mass).replace('.', '_')}",
            sentence=f"damping opposes the speed beyond the bounds, here of {mass:g} kg.",
            source=JOINTS,
            asset=a,
            checks=[
                at(
                    position(node, X),
                    (0.2, 0.5, 0.8),
                    "v/w*exp(-c*t/(2*m))*sin(w*t)",
                    0.03,
                    "a damped oscillator",
                    v=1.0,
                    c=2.0,
                    m=mass,
                    w=rate,
                )
            ],
        )


def soft_angular() -> Iterator[Case]:
    """Yield cases of torsion springs."""
    for index, (name, axis) in enumerate(AXES.items()):
        a = Asset()
        limit = {"angularAxes": [index], "min": 0.0, "max": 0.0, "stiffness": 4.0, "damping": 0.0}
        _, node = held(a, limit, angularVelocity=scaled(axis, 2.0))
        yield case(
            name=f"soft_twist_{name}",
            sentence=f"A soft angular limit is a torsion spring, here about {name}.",
            source=JOINTS,
            asset=a,
            checks=[
                at(
                    angle(node, axis),
                    (0.2, 0.5, 0.8),
                    "w*sqrt(i/k)*sin(sqrt(k/i)*t)",
                    0.05,
                    "a harmonic oscillator",
                    w=2.0,
                    i=0.1,
                    k=4.0,
                )
            ],
        )
    for word, axes, spin in (
        ("cone", [0, 1], [0.6, 0.8, 0.0]),
        ("whole", [0, 1, 2], [0.6, 0.0, 0.8]),
    ):
        a = Asset()
        limit = {"angularAxes": axes, "min": 0.0, "max": 0.0, "stiffness": 4.0, "damping": 0.0}
        anchor, node = held(a, limit, angularVelocity=scaled(spin, 2.0))
        yield case(
            name=f"soft_{word}",
            sentence=f"A soft angular limit of {len(axes)} axes is one spring of the {word} angle.",
            source=JOINTS,
            asset=a,
            checks=[
                at(
                    angular(anchor, node, *axes),
                    (0.1, 0.25, 0.4),
                    "w*sqrt(i/k)*sin(sqrt(k/i)*t)",
                    0.05,
                    "a harmonic oscillator",
                    w=2.0,
                    i=0.1,
                    k=4.0,
                )
            ],
        )
    a = Asset()
    limit = {"angularAxes": [2], "min": 0.0, "max": 0.0, "stiffness": 4.0, "damping": 0.4}
    _, node = held(a, limit, angularVelocity=[0, 0, 2.0])
    rate = math.sqrt(4.0 / 0.1 - (0.4 / 0.2) ** 2)
    yield case(
        name="soft_twist_damped",
        sentence="The damping of an angular limit opposes the angular speed beyond its bounds.",
        source=JOINTS,
        asset=a,
        checks=[
            at(
                angle(node, Z),
                (0.2, 0.5, 0.8),
                "v/w*exp(-c*t/(2*i))*sin(w*t)",
                0.04,
                "a damped oscillator",
                v=2.0,
                c=0.4,
                i=0.1,
                w=rate,
            )
        ],
    )


def decisions() -> Iterator[Case]:
    """Yield cases about points that the text leaves open."""
    a = Asset()
    limit = {"angularAxes": [2], "min": -0.5, "max": 4.0}
    anchor, node = held(a, limit, angularVelocity=[0, 0, 5.0])
    signal = angular(anchor, node, 2)
    yield case(
        name="beyond_half_a_turn",
        sentence="The range of an angular limit reaches beyond π.",
        tier="decision",
        decision="The angle is followed over time, so that such a range is honoured.",
        asset=a,
        checks=[
            at(signal, (0.5, 0.75), "5*t", 0.06),
            within(signal, (0, 1), 0.06, least="-0.5", most="4"),
        ],
    )
    a = Asset()
    limit = {"linearAxes": [0], "min": 0.0, "max": 0.0, "damping": 5.0}
    anchor, node = held(a, limit, linearVelocity=[1.0, 0, 0])
    yield case(
        name="damping_without_stiffness",
        sentence="A limit has damping and no stiffness.",
        tier="decision",
        decision="Without a stiffness the limit is hard, and damping means nothing.",
        source=JOINTS,
        asset=a,
        checks=[bounded(linear(anchor, node, 0), 0, 0)],
    )
    a = Asset()
    limit = {"linearAxes": [0], "min": 0.0, "max": 0.0, "stiffness": 0.0, "damping": 2.0}
    anchor, node = held(a, limit, linearVelocity=[1.0, 0, 0])
    yield case(
        name="stiffness_zero",
        sentence="A limit has a stiffness of zero, and damping.",
        tier="decision",
        decision="It is a damper beyond the bounds.",
        source=JOINTS,
        asset=a,
        checks=[
            at(position(node, X), (0.5, 1), "v*m/c*(1 - exp(-c*t/m))", 0.03, v=1.0, m=1.0, c=2.0)
        ],
    )

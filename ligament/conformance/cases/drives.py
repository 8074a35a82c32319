"""Drives: forced, damped springs between attachment frames (Joints)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from ligament.conformance.assets import Asset
from ligament.conformance.case import Case, at, integrated, within
from ligament.conformance.cases.joints import hinge
from ligament.conformance.cases.parts import AXES, QUARTER, an, floating
from ligament.conformance.cases.sources import JOINTS
from ligament.conformance.rotations import about
from ligament.conformance.signals import X, Y, Z, angle, linear, position

case = partial(Case, family="drives", source=JOINTS)

CRITICAL = "p*(1 - (1 + w*t)*exp(-w*t))"
WHY_CRITICAL = "a critically damped spring: w² = k/m, c = 2 m w"
APPROACH = "v*(t - s*(1 - exp(-t/s)))"
WHY_APPROACH = "the speed approaches its target in the time s = m/c"
INERTIA = 0.1


def cases() -> Iterator[Case]:
    """Yield the cases of this family."""
    for kind in ("linear", "angular"):
        yield from positions(kind)
        yield from velocities(kind)
        yield from forces(kind)
    yield from masses()
    yield from loads()
    yield from frames()
    yield from together()
    yield from decisions()


def driven(
    a: Asset, *drives: dict[str, Any], limits: Sequence[Any] = (), **motion: Any
) -> tuple[int, int]:
    """Add a body that drives move relative to a fixed node; return both nodes."""
    anchor = a.node("anchor")
    node = a.node("body", motion=floating(**motion))
    a.link(anchor, node, a.joint(limits, drives))
    return anchor, node


def drive(kind: str, axis: int, mode: str = "force", /, **members: Any) -> dict[str, Any]:
    """Return a drive."""
    return {"type": kind, "mode": mode, "axis": axis, **members}


def signal_of(kind: str) -> Any:
    """Return the signal that a kind of drive moves."""
    return position if kind == "linear" else angle


def effective(kind: str, mode: str, mass: float) -> float:
    """Return the mass or inertia that a drive's gains act on, 1 in acceleration mode."""
    if mode == "acceleration":
        return 1.0
    return mass if kind == "linear" else INERTIA


def positions(kind: str) -> Iterator[Case]:
    """Yield cases of position targets, critically damped, in both modes, on all axes."""
    for index, (name, axis) in enumerate(AXES.items()):
        for mode in ("force", "acceleration"):
            a = Asset()
            load, rate = effective(kind, mode, 4.0), 6.0
            gains = {"stiffness": load * rate**2, "damping": 2 * load * rate}
            part = drive(kind, index, mode, positionTarget=0.5, **gains)
            _, node = driven(a, part, mass=4.0)
            yield case(
                name=f"{kind}_position_{mode}_{name}",
                sentence=f"{an(kind).capitalize()} drive in {mode} mode pulls to its "
                f"positionTarget, here {'along' if kind == 'linear' else 'about'} {name}.",
                asset=a,
                checks=[
                    at(
                        signal_of(kind)(node, axis),
                        (0.2, 0.4, 1),
                        CRITICAL,
                        0.03,
                        WHY_CRITICAL,
                        p=0.5,
                        w=rate,
                    )
                ],
            )
    a = Asset()
    part = drive(kind, 0, positionTarget=-0.4, stiffness=36.0 * effective(kind, "force", 1.0))
    _, node = driven(a, part)
    yield case(
        name=f"{kind}_position_undamped",
        sentence=f"{an(kind).capitalize()} drive without damping swings about its target.",
        asset=a,
        checks=[
            at(signal_of(kind)(node, X), (0.2, 0.5, 0.8), "p*(1 - cos(w*t))", 0.05, p=-0.4, w=6.0)
        ],
    )


def velocities(kind: str) -> Iterator[Case]:
    """Yield cases of velocity targets, in both modes, on all axes."""
    for index, (name, axis) in enumerate(AXES.items()):
        for mode in ("force", "acceleration"):
            a = Asset()
            load = effective(kind, mode, 4.0)
            part = drive(kind, index, mode, velocityTarget=1.0, damping=5.0 * load)
            _, node = driven(a, part, mass=4.0)
            yield case(
                name=f"{kind}_velocity_{mode}_{name}",
                sentence=f"{an(kind).capitalize()} drive in {mode} mode accelerates to its "
                f"velocityTarget, here {'along' if kind == 'linear' else 'about'} {name}.",
                asset=a,
                checks=[
                    at(
                        signal_of(kind)(node, axis),
                        (0.25, 0.5, 1),
                        APPROACH,
                        0.03,
                        WHY_APPROACH,
                        v=1.0,
                        s=0.2,
                    )
                ],
            )
    a = Asset()
    part = drive(kind, 0, velocityTarget=0.0, damping=5.0 * effective(kind, "force", 1.0))
    _, node = driven(a, part, **{f"{kind}Velocity": [1.0, 0, 0]})
    yield case(
        name=f"{kind}_brake",
        sentence=f"{an(kind).capitalize()} drive with a velocityTarget of zero is a brake.",
        asset=a,
        checks=[
            at(signal_of(kind)(node, X), (0.25, 0.5, 1), "v/c*(1 - exp(-c*t))", 0.03, v=1.0, c=5.0)
        ],
    )


def forces(kind: str) -> Iterator[Case]:
    """Yield cases of maxForce."""
    load = effective(kind, "force", 1.0)
    word = "force" if kind == "linear" else "torque"
    for most in (1.0, 3.0):
        a = Asset()
        part = drive(kind, 1, velocityTarget=50.0, damping=1000.0 * load, maxForce=most * load)
        _, node = driven(a, part)
        yield case(
            name=f"{kind}_max_force_{most:g}",
            sentence=f"maxForce bounds the {word} of a drive: the acceleration is {most:g}/s².",
            asset=a,
            checks=[
                at(
                    signal_of(kind)(node, Y),
                    (0.5, 1),
                    "f/m*t**2/2",
                    0.05,
                    "constant acceleration",
                    f=most * load,
                    m=load,
                )
            ],
        )
    a = Asset()
    part = drive(kind, 0, positionTarget=0.5, stiffness=50 * load, damping=5 * load, maxForce=0.0)
    _, node = driven(a, part)
    yield case(
        name=f"{kind}_max_force_0",
        sentence=f"A maxForce of zero leaves {an(kind)} drive without a {word}.",
        asset=a,
        checks=[at(signal_of(kind)(node, X), (0.5, 1), "0", 0.01)],
    )
    a = Asset()
    values = {"stiffness": 60.0 * load, "damping": 8.0 * load}
    part = drive(kind, 0, positionTarget=1.0, maxForce=4.0 * load, **values)
    _, node = driven(a, part)
    yield case(
        name=f"{kind}_max_force_on_the_way",
        sentence=f"maxForce bounds {an(kind)} drive far from its target, and lets it settle.",
        asset=a,
        seconds=1.5,
        checks=[
            integrated(
                signal_of(kind)(node, X),
                (0.3, 0.6, 1, 1.5),
                "drive",
                0.04,
                mass=load,
                most=4.0 * load,
                times=[0.0],
                targets=[1.0],
                **values,
            )
        ],
    )


def masses() -> Iterator[Case]:
    """Yield cases of both modes on bodies of different masses."""
    for mass in (0.5, 10.0):
        a = Asset()
        part = drive("linear", 0, "acceleration", positionTarget=0.5, stiffness=36.0, damping=12.0)
        _, node = driven(a, part, mass=mass)
        yield case(
            name=f"acceleration_of_mass_{str(mass).replace('.', '_')}",
            sentence=f"Acceleration mode is scaled by the mass: {mass:g} kg moves as any.",
            asset=a,
            checks=[
                at(position(node, X), (0.2, 0.4, 1), CRITICAL, 0.03, WHY_CRITICAL, p=0.5, w=6.0)
            ],
        )
        a = Asset()
        part = drive("linear", 0, "force", positionTarget=0.5, stiffness=36.0)
        _, node = driven(a, part, mass=mass)
        rate = math.sqrt(36.0 / mass)
        yield case(
            name=f"force_on_mass_{str(mass).replace('.', '_')}",
            sentence=f"Force mode is in newtons: a mass of {mass:g} kg sets the acceleration.",
            asset=a,
            checks=[at(position(node, X), (0.2, 0.4), "p*(1 - cos(w*t))", 0.05, p=0.5, w=rate)],
        )
        a = Asset()
        inertia = 0.05 * mass
        part = drive("angular", 2, "acceleration", positionTarget=0.5, stiffness=36.0, damping=12.0)
        _, node = driven(a, part, inertiaDiagonal=[inertia] * 3)
        yield case(
            name=f"angular_acceleration_of_inertia_{str(inertia).replace('.', '_')}",
            sentence="Acceleration mode of an angular drive is scaled by the effective inertia, "
            f"here {inertia:g} kg·m².",
            asset=a,
            checks=[at(angle(node, Z), (0.2, 0.4, 1), CRITICAL, 0.03, WHY_CRITICAL, p=0.5, w=6.0)],
        )
    for mode in ("force", "acceleration"):
        a = Asset()
        first = a.node("first", motion=floating(mass=1.0))
        second = a.node("second", motion=floating(mass=3.0))
        reduced = 0.75 if mode == "force" else 1.0
        part = drive(
            "linear", 0, mode, positionTarget=0.5, stiffness=36.0 * reduced, damping=12.0 * reduced
        )
        a.link(first, second, a.joint(drives=[part]))
        why = "a critically damped spring of the reduced mass"
        yield case(
            name=f"two_bodies_{mode}",
            sentence=f"A drive in {mode} mode acts on both bodies, and on their relative position.",
            asset=a,
            checks=[
                at(linear(first, second, 0), (0.2, 0.4, 1), CRITICAL, 0.03, why, p=0.5, w=6.0),
                at(
                    position(first, X),
                    (1,),
                    f"-b/(a + b)*({CRITICAL})",
                    0.03,
                    "the centre of mass stays",
                    p=0.5,
                    w=6.0,
                    a=1.0,
                    b=3.0,
                ),
            ],
        )


def loads() -> Iterator[Case]:
    """Yield cases of drives against gravity."""
    for stiffness in (100.0, 300.0):
        a = Asset()
        part = drive(
            "linear", 1, positionTarget=0.0, stiffness=stiffness, damping=2 * math.sqrt(stiffness)
        )
        _, node = driven(a, part, gravityFactor=1.0)
        yield case(
            name=f"sag_{stiffness:g}",
            sentence=f"A drive of {stiffness:g} N/m sags under 1 kg as a spring does.",
            asset=a,
            checks=[
                at(
                    position(node, Y),
                    (0.8, 1),
                    "-m*g/k*(1 - (1 + w*t)*exp(-w*t))",
                    0.006,
                    m=1.0,
                    k=stiffness,
                    w=math.sqrt(stiffness),
                )
            ],
        )
    a = Asset()
    part = drive("linear", 1, "acceleration", positionTarget=0.0, stiffness=100.0, damping=20.0)
    _, node = driven(a, part, gravityFactor=1.0, mass=7.0)
    yield case(
        name="sag_in_acceleration_mode",
        sentence="In acceleration mode a body sags by g/k, whatever its mass.",
        asset=a,
        checks=[
            at(
                position(node, Y),
                (0.8, 1),
                "-g/k*(1 - (1 + w*t)*exp(-w*t))",
                0.006,
                k=100.0,
                w=10.0,
            )
        ],
    )
    a = Asset()
    post = a.node("post")
    motion = {"mass": 2.0, "inertiaDiagonal": [0.1] * 3, "centerOfMass": [0.5, 0, 0]}
    node = a.node("arm", motion=motion)
    stiffness = 40.0
    part = drive(
        "angular", 2, positionTarget=2.0 * 9.81 * 0.5 / stiffness, stiffness=stiffness, damping=8.0
    )
    a.link(post, node, a.joint(hinge(2), [part]))
    why = "the torque k p balances the weight m g d at the horizontal"
    yield case(
        name="holds_an_arm",
        sentence="An angular drive on a hinge holds an arm where its torque balances the weight.",
        asset=a,
        checks=[
            at(
                angle(node, Z),
                (0.3, 0.6, 1),
                "p - m*g*d/k",
                0.02,
                why,
                p=2.0 * 9.81 * 0.5 / stiffness,
                m=2.0,
                d=0.5,
                k=stiffness,
            )
        ],
    )


def frames() -> Iterator[Case]:
    """Yield cases about the frame and the sign of a drive's axes."""
    for kind in ("linear", "angular"):
        gains = {
            "stiffness": 36.0 * effective(kind, "force", 1.0),
            "damping": 12.0 * effective(kind, "force", 1.0),
        }
        a = Asset()
        anchor = a.node("anchor", rotation=about(Z, QUARTER))
        node = a.node("body", motion=floating())
        tip = a.node("tip", parent=node, rotation=about(Z, QUARTER))
        a.link(anchor, tip, a.joint(drives=[drive(kind, 0, positionTarget=0.5, **gains)]))
        yield case(
            name=f"{kind}_in_turned_frame",
            sentence=f"The axis of {an(kind)} drive is one of the attachment frame, here turned.",
            asset=a,
            checks=[
                at(signal_of(kind)(node, Y), (0.4, 1), CRITICAL, 0.03, WHY_CRITICAL, p=0.5, w=6.0)
            ],
        )
        a = Asset()
        anchor = a.node("anchor")
        node = a.node("body", motion=floating())
        a.link(node, anchor, a.joint(drives=[drive(kind, 0, positionTarget=0.5, **gains)]))
        yield case(
            name=f"{kind}_sides_exchanged",
            sentence=f"{an(kind).capitalize()} drive moves the connected node relative to the "
            "joint's: with the joint on the body it moves the other way.",
            asset=a,
            checks=[
                at(
                    signal_of(kind)(node, X),
                    (0.4, 1),
                    f"-({CRITICAL})",
                    0.03,
                    WHY_CRITICAL,
                    p=0.5,
                    w=6.0,
                )
            ],
        )


def together() -> Iterator[Case]:
    """Yield cases of several drives, drives with limits, and both targets."""
    a = Asset()
    gains = {"stiffness": 36.0, "damping": 12.0}
    parts = [
        drive("linear", 0, positionTarget=0.5, **gains),
        drive("linear", 2, positionTarget=-0.3, **gains),
    ]
    _, node = driven(a, *parts)
    yield case(
        name="two_drives",
        sentence="Each drive acts on its own axis.",
        asset=a,
        checks=[
            at(position(node, X), (0.4, 1), CRITICAL, 0.03, WHY_CRITICAL, p=0.5, w=6.0),
            at(position(node, Z), (0.4, 1), CRITICAL, 0.03, WHY_CRITICAL, p=-0.3, w=6.0),
            at(position(node, Y), (0.4, 1), "0", 0.01),
        ],
    )
    a = Asset()
    limit = {"linearAxes": [0], "min": -0.2, "max": 0.2}
    anchor, node = driven(a, drive("linear", 0, positionTarget=0.5, **gains), limits=[limit])
    yield case(
        name="stopped_by_limit",
        sentence="A limit stops what a drive pulls beyond it.",
        asset=a,
        checks=[
            within(linear(anchor, node, 0), (0, 1), 0.02, most="0.2"),
            at(position(node, X), (0.9, 1), "0.2", 0.02),
        ],
    )
    a = Asset()
    part = drive("linear", 0, positionTarget=0.5, velocityTarget=0.6, **gains)
    _, node = driven(a, part)
    why = "the force is zero at p + c v/k"
    yield case(
        name="both_targets",
        sentence="With both targets the force is stiffness times one error plus damping times the "
        "other.",
        asset=a,
        seconds=1.5,
        checks=[
            at(
                position(node, X),
                (0.4, 1.5),
                CRITICAL.replace("p*", "(q + c*v/k)*"),
                0.03,
                why,
                q=0.5,
                c=12.0,
                v=0.6,
                k=36.0,
                w=6.0,
            )
        ],
    )
    a = Asset()
    post = a.node("post")
    node = a.node("wheel", motion=floating())
    part = drive("angular", 1, "acceleration", velocityTarget=4.0, damping=5.0)
    a.link(post, node, a.joint(hinge(1), [part]))
    yield case(
        name="motor",
        sentence="A velocity drive on a hinge is a motor.",
        asset=a,
        checks=[at(angle(node, Y), (0.5, 1), APPROACH, 0.06, WHY_APPROACH, v=4.0, s=0.2)],
    )


def decisions() -> Iterator[Case]:
    """Yield cases about points that the text leaves open."""
    a = Asset()
    _, node = driven(
        a, drive("linear", 0, stiffness=36.0, damping=12.0), linearVelocity=[1.0, 0, 0]
    )
    why = "a critically damped spring, started with a speed"
    yield case(
        name="absent_targets",
        sentence="A drive has gains and no targets.",
        tier="decision",
        decision="An absent target is zero.",
        asset=a,
        checks=[at(position(node, X), (0.2, 0.5, 1), "v*t*exp(-w*t)", 0.02, why, v=1.0, w=6.0)],
    )
    a = Asset()
    part = drive("angular", 2, "acceleration", positionTarget=5.0, stiffness=36.0, damping=12.0)
    _, node = driven(a, part)
    yield case(
        name="beyond_half_a_turn",
        sentence="The positionTarget of an angular drive is beyond π.",
        tier="decision",
        decision="The angle is followed over time: 5 rad is further than 5 - 2π.",
        asset=a,
        seconds=1.5,
        checks=[at(angle(node, Z), (0.4, 1.5), CRITICAL, 0.15, WHY_CRITICAL, p=5.0, w=6.0)],
    )

"""Negative scales above bodies, colliders, triggers and joint frames."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from ligament.conformance.assets import Asset
from ligament.conformance.case import Case, Source, at, reports, within
from ligament.conformance.cases.parts import ball, floating
from ligament.conformance.cases.sources import COLLIDERS, JOINTS, MOTIONS, TRIGGERS, shapes
from ligament.conformance.rotations import about
from ligament.conformance.signals import X, Y, Z, distance, position

case = partial(Case, family="mirrors")

TRANSFORMATIONS: Final = Source("glTF 2.0", "3.5.3 Transformations")
ACROSS_X: Final = (-1, 1, 1)
HALF_TURN_Z: Final = (-1, -1, 1)
SLACK: Final = 0.035
"""How late an event may be [s]: two frames."""

PIN: Final = [{"linearAxes": [0, 1, 2], "min": 0, "max": 0}]
HINGE: Final = [*PIN, {"angularAxes": [1, 2], "min": 0, "max": 0}]


def cases() -> Iterator[Case]:
    """Yield the cases of this family."""
    yield from bodies()
    yield from animated()
    yield from hinges()
    yield from tapered()
    yield from planes()


def bodies() -> Iterator[Case]:
    """Yield cases of what a body below a mirrored node carries."""
    for name, scale, words in (
        ("across_x", ACROSS_X, "mirrored along X"),
        ("point", (-1, -1, -1), "mirrored along all axes"),
        ("half_turn", HALF_TURN_Z, "mirrored along X and Y"),
    ):
        a = Asset()
        a.floor(-0.4)
        above = a.node("above", scale=scale)
        pin = a.node("pin", parent=above)
        arm = a.node("arm", parent=above, rotation=about(Y, 0.5), motion={"mass": 1.0})
        geometry = a.sphere(0.1)
        tip = a.node("tip", (1, 0, 0), parent=arm, collider={"geometry": geometry})
        a.link(pin, arm, a.joint(PIN))
        yield case(
            name=f"carried_{name}",
            sentence=f"Below a node that is {words}, a body carries its children: the end of an "
            "arm falls to the floor.",
            source=TRANSFORMATIONS,
            asset=a,
            seconds=2.0,
            checks=[
                at(position(tip, Y), (1.5, 2.0), "h + r", 0.02, h=-0.4, r=0.1),
                at(distance(tip, pin), (0.2, 0.4, 2.0), "1", 0.01),
            ],
        )
    a = Asset()
    above = a.node("above", scale=HALF_TURN_Z)
    node = a.node("body", parent=above, motion=floating(linearVelocity=[1.0, 0, 0.5]))
    yield case(
        name="velocity_half_turn",
        sentence="A scale of [-1, -1, 1] is half a turn about Z: initial velocities turn with it.",
        source=MOTIONS,
        tier="decision",
        decision="World rotations include what negative scales above a node rotate.",
        asset=a,
        checks=[
            at(position(node, X), (0.5, 1.0), "-v*t", 0.02, v=1.0),
            at(position(node, Z), (0.5, 1.0), "v*t", 0.02, v=0.5),
        ],
    )


def animated() -> Iterator[Case]:
    """Yield cases of colliders that are animated below a mirrored node."""
    for name, motion in (("static", None), ("kinematic", {"isKinematic": True})):
        a = Asset()
        above = a.node("above", scale=ACROSS_X)
        physics: dict[str, Any] = {"collider": {"geometry": a.box(6, 0.2, 6)}}
        physics |= {} if motion is None else {"motion": motion}
        plate = a.node("plate", parent=above, **physics)
        a.animate(plate, "rotation", [0, 1], [about(Z, 0.0), about(Z, 0.5)])
        node = ball(a, (0, 0.35, 0))
        yield case(
            name=f"animated_{name}",
            sentence=f"{'An animated static' if motion is None else 'A kinematic'} collider below "
            "a mirrored node tilts as it is drawn: what lies on it slides down that side.",
            source=COLLIDERS if motion is None else MOTIONS,
            asset=a,
            seconds=2.0,
            checks=[within(position(node, X), (1.9, 2.0), 0.0, least="1")],
        )


def hinges() -> Iterator[Case]:
    """Yield cases of joint frames below mirrored nodes."""
    for name, scale in (("across_x", ACROSS_X), ("half_turn", (-1, 1, -1))):
        a = Asset()
        above = a.node("above", scale=scale)
        frame = a.node("frame", parent=above, rotation=about(Z, 0.5))
        motion = {"mass": 1.0, "inertiaDiagonal": [0.01] * 3}
        node = a.node("door", (0, 0, 0.5), parent=above, motion=motion)
        grip = a.node("grip", (0, 0, -0.5), rotation=about(Z, 0.5), parent=node)
        a.link(frame, grip, a.joint(HINGE))
        axis = [-math.cos(0.5), math.sin(0.5), 0.0]
        why = "the axis that the node draws is square to the arm"
        yield case(
            name=f"hinge_{name}",
            sentence="A hinge below a node scaled by "
            f"[{', '.join(map(str, scale))}] turns about the axis that its node draws.",
            source=JOINTS,
            asset=a,
            checks=[
                at(position(node, axis), (0.25, 0.5, 1.0), "0", 0.01, why),
                within(position(node, Y), (0.2, 0.6), 0.0, most="-0.05", why="it falls"),
            ],
        )


def tapered() -> Iterator[Case]:
    """Yield cases of cones below a mirrored node, turned by less and by more than 45°."""
    for kind, sizes in (
        ("cylinder", {"height": 2.0, "radiusTop": 0.0, "radiusBottom": 0.6}),
        ("capsule", {"height": 2.0, "radiusTop": 0.1, "radiusBottom": 0.5}),
    ):
        for degrees in (40, 50):
            a = Asset()
            above = a.node("above", scale=ACROSS_X)
            geometry = {"shape": a.shape(kind, **sizes)}
            turn = about(Z, math.radians(degrees))
            zone = a.node("zone", parent=above, rotation=turn, trigger={"geometry": geometry})
            events = []
            for height in (-0.6, 0.6):
                x, y = (height * f(math.radians(degrees)) for f in (math.sin, math.cos))
                motion = floating(linearVelocity=[0, 0, 1.0])
                probe = {"geometry": a.sphere(0.01)}
                node = a.node("probe", (x, y, -1), motion=motion, collider=probe)
                half = f"({_HALF_CHORDS[kind]})".replace("h", f"({height})")
                events += [
                    ("enter", zone, node, f"1 - {half}"),
                    ("exit", zone, node, f"1 + {half}"),
                ]
            yield case(
                name=f"{kind}_{degrees}",
                sentence=f"A tapered {kind} that is turned by {degrees}° below a mirrored node has "
                "its wide end where it is drawn.",
                source=TRIGGERS if kind == "cylinder" else shapes("Shapes"),
                asset=a,
                seconds=1.8,
                checks=[reports(events, SLACK, "half the width at that height, and the probe")],
            )


_HALF_CHORDS: Final = {
    # The slope of a cone lengthens the probe's radius; that of a capsule is tan a, sin a = 0.2.
    "cylinder": "0.3 - 0.3*h + 0.01*(1 + 0.09)**0.5",
    "capsule": "(0.3 - 0.2*h + 0.01)/(1 - 0.04)**0.5",
}


def planes() -> Iterator[Case]:
    """Yield a case of a plane below a mirrored node."""
    a = Asset()
    above = a.node("above", scale=ACROSS_X)
    a.node("ground", parent=above, collider={"geometry": {"shape": a.shape("plane")}})
    node = ball(a, (0, 0.5, 0))
    yield case(
        name="plane",
        sentence="A plane below a node that is mirrored along it still faces up.",
        source=shapes("Shapes"),
        asset=a,
        seconds=1.0,
        checks=[at(position(node, Y), (0.8, 1.0), "r", 0.02, r=0.25)],
    )

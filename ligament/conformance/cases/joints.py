"""Joints: attachment frames, joints to the world and between bodies, collision (Joints)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Final

from ligament.conformance.assets import Asset
from ligament.conformance.case import Case, at, integrated, within
from ligament.conformance.cases.parts import AXES, floating, scaled
from ligament.conformance.cases.sources import JOINTS
from ligament.conformance.rotations import about
from ligament.conformance.signals import (
    X,
    Y,
    Z,
    angle,
    angular,
    distance,
    linear,
    position,
    rotation,
)

case = partial(Case, family="joints", source=JOINTS)

NAMES = tuple(AXES)
BALL: Final = ({"linearAxes": [0, 1, 2], "min": 0.0, "max": 0.0},)
FIXED: Final = (*BALL, {"angularAxes": [0, 1, 2], "min": 0.0, "max": 0.0})


def cases() -> Iterator[Case]:
    """Yield the cases of this family."""
    yield from pendulums()
    yield from hinges()
    yield from sliders()
    yield from fixed()
    yield from between_bodies()
    yield from frames()


def hinge(axis: int) -> tuple[dict[str, object], ...]:
    """Return the limits of a hinge about an axis."""
    others = [index for index in range(3) if index != axis]
    return (*BALL, {"angularAxes": others, "min": 0.0, "max": 0.0})


def pendulums() -> Iterator[Case]:
    """Yield cases of a body below a fixed point."""
    for start in (0.4, 1.5, -1.0):
        for on_body in (False, True):
            a = Asset()
            hook = a.node("hook")
            place = (math.sin(start), -math.cos(start), 0)
            motion = {"mass": 2.0, "inertiaDiagonal": [0.2] * 3}
            node = a.node("bob", place, rotation=about(Z, start), motion=motion)
            tip = a.node("tip", (0, 1, 0), parent=node)
            joint = a.joint(BALL)
            a.link(*((tip, hook) if on_body else (hook, tip)), joint)
            side = "body" if on_body else "world"
            yield case(
                name=f"pendulum_{str(start).replace('.', '_').replace('-', 'minus_')}_{side}",
                sentence="A joint to a node without a motion holds a body to the world: a "
                f"pendulum from {start:g} rad, with the joint on the {side}.",
                asset=a,
                checks=[
                    integrated(
                        angular(hook, tip, 2),
                        (0.4, 0.8),
                        "pendulum",
                        0.06,
                        mass=2.0,
                        arm=1.0,
                        inertia=2.2,
                        start=start,
                    ),
                    within(distance(hook, tip), (0, 1), 0.02, most="0"),
                ],
            )


def hinges() -> Iterator[Case]:
    """Yield cases of one free rotation."""
    for index, (name, axis) in enumerate(AXES.items()):
        a = Asset()
        post = a.node("post")
        node = a.node("door", motion=floating(angularVelocity=scaled(axis, 1.5)))
        a.link(post, node, a.joint(hinge(index)))
        yield case(
            name=f"hinge_{name}_turns",
            sentence=f"Limits compose: a hinge about {name} turns freely about it.",
            asset=a,
            checks=[at(angle(node, axis), (0.5, 1), "w*t", 0.02, w=1.5)],
        )
        a = Asset()
        post = a.node("post")
        spin = [0.0 if i == index else 1.0 for i in range(3)]
        node = a.node("door", motion=floating(angularVelocity=spin, linearVelocity=[1.0, 1.0, 1.0]))
        a.link(post, node, a.joint(hinge(index)))
        yield case(
            name=f"hinge_{name}_holds",
            sentence=f"A hinge about {name} lets nothing else move.",
            asset=a,
            checks=[
                within(linear(post, node, 0, 1, 2), (0, 1), 0.02, most="0"),
                within(angular(post, node, 0, 1, 2), (0, 1), 0.03, most="0"),
            ],
        )
    a = Asset()
    post = a.node("post")
    node = a.node(
        "door", (1, 0, 0), motion=floating(angularVelocity=[0, 1.0, 0], linearVelocity=[0, 0, -1.0])
    )
    edge = a.node("edge", (-1, 0, 0), parent=node)
    a.link(post, edge, a.joint(hinge(1)))
    yield case(
        name="door",
        sentence="A door turns about its edge, where the attachment frames are.",
        asset=a,
        checks=[
            at(position(node, X), (0.5, 1), "cos(t)", 0.03),
            at(position(node, Z), (0.5, 1), "-sin(t)", 0.03),
        ],
    )


def sliders() -> Iterator[Case]:
    """Yield cases of one free translation."""
    for index, (name, axis) in enumerate(AXES.items()):
        others = [i for i in range(3) if i != index]
        limits = (
            {"linearAxes": others, "min": 0.0, "max": 0.0},
            {"angularAxes": [0, 1, 2], "min": 0.0, "max": 0.0},
        )
        a = Asset()
        rail = a.node("rail")
        node = a.node(
            "slider",
            motion=floating(linearVelocity=[1.0, 1.0, 1.0], angularVelocity=[1.0, 1.0, 1.0]),
        )
        a.link(rail, node, a.joint(limits))
        yield case(
            name=f"slider_{name}",
            sentence=f"Limits compose: a slider moves along {name} alone.",
            asset=a,
            checks=[
                at(position(node, axis), (0.5, 1), "t", 0.02),
                within(linear(rail, node, *others), (0, 1), 0.02, most="0"),
                within(angular(rail, node, 0, 1, 2), (0, 1), 0.03, most="0"),
            ],
        )


def fixed() -> Iterator[Case]:
    """Yield cases with no free axis."""
    a = Asset()
    wall = a.node("wall")
    motion = {"mass": 5.0, "inertiaDiagonal": [1, 1, 1], "centerOfMass": [0.5, 0, 0]}
    node = a.node("shelf", motion=motion)
    a.link(wall, node, a.joint(FIXED))
    yield case(
        name="fixed_to_world",
        sentence="A joint that locks all degrees of freedom holds a body against gravity.",
        asset=a,
        checks=[
            at(position(node, Y), (0.5, 1), "0", 0.01),
            at(rotation(node), (0.5, 1), "[0, 0, 0, 1]", 0.02),
        ],
    )
    a = Asset()
    cart = a.node("cart", motion={"isKinematic": True, "linearVelocity": [1.0, 0, 0]})
    node = a.node("load", (0, 1, 0), motion={"mass": 1.0, "inertiaDiagonal": [0.1] * 3})
    frame = a.node("frame", (0, -1, 0), parent=node)
    a.link(cart, frame, a.joint(FIXED))
    yield case(
        name="fixed_to_kinematic",
        sentence="A joint to a kinematic body carries the other along.",
        asset=a,
        seconds=1.5,
        checks=[
            within(distance(cart, frame), (0.3, 1.5), 0.03, most="0"),
            at(position(node, X), (1, 1.5), "t", 0.05),
        ],
    )
    a = Asset()
    wall = a.node("wall")
    node = a.node("shelf", (0.1, 0, 0), rotation=about(Z, 0.2), motion=floating())
    a.link(wall, node, a.joint(FIXED))
    yield case(
        name="fixed_aligns",
        sentence="If everything is locked, the bodies are moved until the frames are aligned.",
        tier="should",
        asset=a,
        seconds=2.0,
        checks=[
            at(position(node, X), (2.0,), "0", 0.01),
            at(rotation(node), (2.0,), "[0, 0, 0, 1]", 0.02),
        ],
    )
    a = Asset()
    rail = a.node("rail")
    a.animate(rail, "translation", [0, 1], [(0, 0, 0), (1, 0, 0)])
    node = a.node("load", motion={"mass": 1.0, "inertiaDiagonal": [0.1] * 3})
    a.link(rail, node, a.joint(FIXED))
    yield case(
        name="fixed_to_animated_node",
        sentence="An attachment frame on an animated node moves with it.",
        tier="should",
        asset=a,
        checks=[at(position(node, X), (0.5, 0.9), "t", 0.05)],
    )


def between_bodies() -> Iterator[Case]:
    """Yield cases in which both bodies move."""
    a = Asset()
    first = a.node("first", (-0.5, 0, 0), motion=floating(mass=1.0, linearVelocity=[3.0, 0, 0]))
    second = a.node("second", (0.5, 0, 0), motion=floating(mass=2.0))
    grip = a.node("grip", (-1, 0, 0), parent=second)
    a.link(first, grip, a.joint(FIXED))
    why = "the momentum of both is shared"
    yield case(
        name="fixed_bodies",
        sentence="Two bodies that a joint holds together move as one.",
        asset=a,
        checks=[
            at(
                position(first, X), (0.5, 1), "-0.5 + v*a/(a + b)*t", 0.04, why, v=3.0, a=1.0, b=2.0
            ),
            at(
                position(second, X), (0.5, 1), "0.5 + v*a/(a + b)*t", 0.04, why, v=3.0, a=1.0, b=2.0
            ),
        ],
    )
    for a_mass, b_mass in ((1.0, 1.0), (1.0, 3.0)):
        a = Asset()
        first = a.node("first", motion=floating(mass=a_mass, linearVelocity=[-1.0 / a_mass, 0, 0]))
        second = a.node("second", motion=floating(mass=b_mass, linearVelocity=[1.0 / b_mass, 0, 0]))
        limit = {"linearAxes": [0], "min": 0.0, "max": 0.0, "stiffness": 20.0, "damping": 0.0}
        a.link(first, second, a.joint([limit]))
        yield case(
            name=f"spring_between_{a_mass:g}_and_{b_mass:g}",
            sentence="A spring acts on both bodies: they swing as their reduced mass.",
            asset=a,
            checks=[
                at(
                    linear(first, second, 0),
                    (0.2, 0.5, 0.8),
                    "v/w*sin(w*t)",
                    0.05,
                    "a harmonic oscillator of the reduced mass",
                    v=1.0 / a_mass + 1.0 / b_mass,
                    w=math.sqrt(20.0 * (1.0 / a_mass + 1.0 / b_mass)),
                )
            ],
        )
    a = Asset()
    hook = a.node("hook")
    links = []
    above = hook
    joint = a.joint(BALL)
    for index in range(3):
        node = a.node(
            f"link {index}",
            (0, -0.25 - 0.5 * index, 0),
            motion={"mass": 1.0, "inertiaDiagonal": [0.02] * 3},
        )
        top = a.node(f"top {index}", (0, 0.25, 0), parent=node)
        a.link(above, top, joint)
        above = a.node(f"bottom {index}", (0, -0.25, 0), parent=node)
        links.append(node)
    yield case(
        name="chain",
        sentence="Joints may share one description: a chain of three links hangs.",
        asset=a,
        checks=[
            at(position(node, Y), (0.5, 1), "y", 0.02, y=-0.25 - 0.5 * index)
            for index, node in enumerate(links)
        ],
    )
    a = Asset()
    upper = a.node("upper", motion=floating(mass=1.0, linearVelocity=[0, 0, 1.0]))
    lower = a.node("lower", (0, -1, 0), parent=upper, motion=floating(mass=1.0))
    tip = a.node("tip", (0, 1, 0), parent=lower)
    limits = [
        {"linearAxes": [2], "min": 0.0, "max": 0.0},
        {"angularAxes": [0, 1, 2], "min": 0.0, "max": 0.0},
    ]
    a.link(upper, tip, a.joint(limits))
    yield case(
        name="joint_to_descendant_body",
        sentence="A joint may join a body to one below it in the tree.",
        asset=a,
        checks=[within(linear(upper, tip, 2), (0, 1), 0.02, least="0", most="0")],
    )


def frames() -> Iterator[Case]:
    """Yield cases about the poses of attachment frames."""
    a = Asset()
    hook = a.node("hook", (0, 2, 0))
    node = a.node("lamp", (0, 1, 0), motion={"mass": 1.0, "inertiaDiagonal": [0.1] * 3})
    arm = a.node("arm", parent=node, rotation=about(Z, math.pi / 2))
    tip = a.node("tip", (1, 0, 0), parent=arm)
    a.link(hook, tip, a.joint(BALL))
    yield case(
        name="frame_below_turned_node",
        sentence="An attachment frame is where its node is, turned with the nodes above it.",
        asset=a,
        checks=[
            at(position(node, Y), (0.5, 1), "1", 0.02),
            at(position(node, X), (0.5, 1), "0", 0.02),
        ],
    )
    a = Asset()
    hook = a.node("hook", (0, 2, 0))
    node = a.node(
        "lamp", (0, 1, 0), scale=(2, 2, 2), motion={"mass": 1.0, "inertiaDiagonal": [0.1] * 3}
    )
    tip = a.node("tip", (0, 0.5, 0), parent=node)
    a.link(hook, tip, a.joint(BALL))
    yield case(
        name="frame_below_scaled_node",
        sentence="An attachment frame is below a scaled node.",
        tier="decision",
        decision="Its position is scaled, its axes and the lengths of limits are not.",
        asset=a,
        checks=[at(position(node, Y), (0.5, 1), "1", 0.02)],
    )
    a = Asset()
    frame = a.node("frame", scale=(2, 2, 2))
    node = a.node("body", motion=floating(linearVelocity=[1.0, 0, 0]))
    a.link(frame, node, a.joint([{"linearAxes": [0], "min": -0.5, "max": 0.5}]))
    yield case(
        name="limit_under_scale",
        sentence="A limit is in metres, below a scaled node as well.",
        tier="decision",
        decision="Its position is scaled, its axes and the lengths of limits are not.",
        asset=a,
        checks=[
            at(position(node, X), 0.4, "t", 0.02),
            within(position(node, X), (0, 1), 0.02, most="0.5"),
        ],
    )

"""Contacts of joined bodies: enableCollision, and the static side of a joint (Joints)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ligament.conformance.assets import Asset
from ligament.conformance.case import Case, at
from ligament.conformance.cases.parts import floating
from ligament.conformance.cases.sources import JOINTS
from ligament.conformance.signals import X, Y, position

case = partial(Case, family="joints", source=JOINTS)


def cases() -> Iterator[Case]:
    """Yield the cases of this part of the family."""
    yield from collision()
    yield from static_sides()


def collision() -> Iterator[Case]:
    """Yield cases of enableCollision."""
    for enabled in (None, False, True):
        a = Asset()
        geometry = a.sphere(0.25)
        first = a.node(
            "first",
            (-1, 0, 0),
            motion=floating(linearVelocity=[2.0, 0, 0]),
            collider={"geometry": geometry},
        )
        second = a.node("second", motion=floating(), collider={"geometry": geometry})
        limit = {"linearAxes": [0, 1, 2], "min": 0.0, "max": 10.0}
        members = {} if enabled is None else {"enableCollision": enabled}
        a.link(first, second, a.joint([limit]), **members)
        word = {None: "absent", False: "false", True: "true"}[enabled]
        passes = [at(position(second, X), (0.5, 1), "0", 0.02)]
        why = "the momentum of both is shared"
        hits = [at(position(second, X), (0.75, 1), "v/2*(t - 1/4)", 0.06, why, v=2.0)]
        yield case(
            name=f"enable_collision_{word}",
            sentence="Joined bodies collide only with enableCollision, which is "
            + {"absent": "false by default.", "false": "false here.", "true": "true here."}[word],
            asset=a,
            checks=hits if enabled else passes,
        )


def static_sides() -> Iterator[Case]:
    """Yield cases of the static collider that a joint keeps from colliding with a body."""
    one_collider = partial(
        case,
        tier="decision",
        decision="The static side of a joint is the collider on the node of its frame, or else "
        "the nearest one that the body overlaps at the start or touches where the joint holds it, "
        "and no other.",
        seconds=2.0,
    )
    rope = {"linearAxes": [0, 1, 2], "max": 10.0}
    motion = {"mass": 1.0, "inertiaDiagonal": [0.1] * 3}
    a = Asset()
    shelf = a.node("shelf", collider={"geometry": a.box(4.0, 0.2, 4.0)})
    a.node("floor", (0, -2.5, 0), parent=shelf, collider={"geometry": a.box(4.0, 1.0, 4.0)})
    node = a.node("lamp", (0, 1, 0), motion=motion, collider={"geometry": a.sphere(0.25)})
    a.link(shelf, node, a.joint([rope]))
    yield one_collider(
        name="static_side_own_collider",
        sentence="A joint to a node with a static collider switches off contacts with it, and not "
        "with those below it.",
        asset=a,
        checks=[
            at(position(node, Y), (0.5, 0.7), "1 - g*t**2/2", 0.07, "the shelf lets it through"),
            at(position(node, Y), (1.8, 2), "-1.75", 0.02, "the floor does not"),
        ],
    )
    a = Asset()
    level = a.floor(-1.0)
    a.node("ledge", (0, 0.4, 0), parent=level, collider={"geometry": a.box(4.0, 0.2, 4.0)})
    hook = a.node("hook", (0, 4, 0), parent=level)
    node = a.node("lamp", (0, 1, 0), motion=motion, collider={"geometry": a.sphere(0.25)})
    a.link(hook, node, a.joint([rope]))
    yield one_collider(
        name="static_side_nothing",
        sentence="A joint to a node below a level switches off no contacts with the level.",
        asset=a,
        checks=[at(position(node, Y), (1.5, 2), "-0.75", 0.02, "it rests on the ledge")],
    )
    a = Asset()
    block = a.node("block", collider={"geometry": a.box(1.0, 1.0, 1.0)})
    edge = a.node("edge", (0.5, -0.5, 0), parent=block)
    flap = a.node(
        "flap",
        (0, -1, 0),
        motion={"mass": 1.0, "inertiaDiagonal": [1 / 6] * 3},
        collider={"geometry": a.box(1.0, 1.0, 1.0)},
    )
    hinge = [{"linearAxes": [0, 1, 2], "max": 0.0}, {"angularAxes": [0, 1], "max": 0.0}]
    corner = a.node("corner", (0.5, 0.5, 0), parent=flap)
    a.link(edge, corner, a.joint(hinge))
    yield one_collider(
        name="static_side_touched",
        sentence="A joint that hinges a body to an edge that it touches switches off contacts with "
        "the collider there: the body swings to the other side.",
        asset=a,
        checks=[at(position(flap, X), 1.013, "1", 0.05, "half of a period of 2.026 s")],
    )
    a = Asset()
    wall = a.node("wall", collider={"geometry": a.box(1.0, 1.0, 1.0)})
    hinge_node = a.node("hinge", (0.5, 0, 0), parent=wall)
    geometry = a.box(1.0, 0.2, 0.2)
    node = a.node(
        "bolt",
        (0.6, 0, 0),
        motion=floating(linearVelocity=[-1.0, 0, 0]),
        collider={"geometry": geometry},
    )
    a.link(hinge_node, node, a.joint([rope]))
    yield one_collider(
        name="static_side_overlapped",
        sentence="A joint to a node below a collider that the body starts in switches off contacts "
        "with it.",
        asset=a,
        checks=[at(position(node, X), (0.5, 1, 2), "0.6 - t", 0.03)],
    )

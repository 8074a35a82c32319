"""Triggers: volumes that report overlaps and push nothing (Triggers)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ligament.conformance.assets import Asset
from ligament.conformance.case import Case, at, reports, silent
from ligament.conformance.cases.parts import ball, floating
from ligament.conformance.cases.sources import TRIGGERS
from ligament.conformance.signals import X, position

case = partial(Case, family="triggers", source=TRIGGERS)

SLACK = 0.035
"""How late an event may be [s]: two frames."""

NEAR, FAR = "(2 - h - r)/v", "(2 + h + r)/v"


def cases() -> Iterator[Case]:
    """Yield the cases of this family."""
    yield from shapes()
    yield from movers()
    yield from compound()
    yield from filters()
    yield from silence()


def passing(a: Asset, speed: float = 3.0) -> int:
    """Add a ball that comes along x from -2 m."""
    motion = floating(linearVelocity=[speed, 0, 0])
    return a.node("ball", (-2, 0, 0), motion=motion, collider={"geometry": a.sphere(0.2)})


def shapes() -> Iterator[Case]:
    """Yield cases of a ball that passes through each kind of shape."""
    for kind, members, half in (
        ("box", {"size": [1.0, 2.0, 2.0]}, 0.5),
        ("sphere", {"radius": 0.6}, 0.6),
        ("capsule", {"height": 1.0, "radiusBottom": 0.4, "radiusTop": 0.4}, 0.4),
        ("cylinder", {"height": 1.0, "radiusBottom": 0.7, "radiusTop": 0.7}, 0.7),
    ):
        a = Asset()
        geometry = {"shape": a.shape(kind, **members)}
        trigger = a.node("gate", trigger={"geometry": geometry})
        node = passing(a)
        events = [("enter", trigger, node, NEAR), ("exit", trigger, node, FAR)]
        yield case(
            name=f"{kind}_tells",
            sentence=f"A trigger with a {kind} reports when a body begins and ends an overlap.",
            asset=a,
            seconds=1.2,
            checks=[reports(events, SLACK, h=half, r=0.2, v=3.0)],
        )
        yield case(
            name=f"{kind}_does_not_push",
            sentence=f"A trigger generates no impulses: a body passes through its {kind}.",
            asset=a,
            seconds=1.2,
            checks=[at(position(node, X), (0.6, 1.2), "-2 + v*t", 0.02, v=3.0)],
        )
    a = Asset()
    trigger = a.node("gate", trigger={"geometry": a.box(1, 1, 1)})
    node = a.node("ball", motion=floating(), collider={"geometry": a.sphere(0.2)})
    yield case(
        name="overlap_at_start",
        sentence="An overlap at the start is reported.",
        tier="decision",
        decision="An overlap at the start is an enter at time 0.",
        asset=a,
        seconds=0.5,
        checks=[reports([("enter", trigger, node, "0")], SLACK)],
    )
    a = Asset()
    trigger = a.node("gate", (0, 0, 3), trigger={"geometry": a.box(1, 1, 1)})
    passing(a)
    yield case(
        name="miss",
        sentence="A body that does not overlap a trigger is not reported.",
        asset=a,
        seconds=1.2,
        checks=[silent([trigger])],
    )
    a = Asset()
    trigger = a.node("gate", scale=(2, 2, 2), trigger={"geometry": a.box(0.5, 1, 1)})
    node = passing(a)
    events = [("enter", trigger, node, NEAR), ("exit", trigger, node, FAR)]
    yield case(
        name="scaled",
        sentence="The shape of a trigger takes the scale of its node.",
        asset=a,
        seconds=1.2,
        checks=[reports(events, SLACK, h=0.5, r=0.2, v=3.0)],
    )


def movers() -> Iterator[Case]:
    """Yield cases about which node moves and which one is reported."""
    a = Asset()
    trigger = a.node("gate", trigger={"geometry": a.box(1, 2, 2)})
    motion = {"isKinematic": True, "linearVelocity": [3.0, 0, 0]}
    node = a.node("lift", (-2, 0, 0), motion=motion, collider={"geometry": a.sphere(0.2)})
    events = [("enter", trigger, node, NEAR), ("exit", trigger, node, FAR)]
    yield case(
        name="kinematic_body",
        sentence="Kinematic bodies are reported too.",
        asset=a,
        seconds=1.2,
        checks=[reports(events, SLACK, h=0.5, r=0.2, v=3.0)],
    )
    a = Asset()
    carrier = a.node("carrier", (-2, 0, 0), motion=floating(linearVelocity=[3.0, 0, 0]))
    trigger = a.node("feeler", parent=carrier, trigger={"geometry": a.sphere(0.2)})
    node = a.node("ball", motion=floating(), collider={"geometry": a.sphere(0.5)})
    events = [("enter", trigger, node, NEAR), ("exit", trigger, node, FAR)]
    yield case(
        name="moving_trigger",
        sentence="A trigger below a body moves with it, and reports what it meets.",
        asset=a,
        seconds=1.2,
        checks=[
            reports(events, SLACK, h=0.5, r=0.2, v=3.0),
            at(position(node, X), (1.2,), "0", 0.01),
        ],
    )
    a = Asset()
    carrier = a.node("carrier", (-2, 0, 0), motion=floating(linearVelocity=[3.0, 0, 0]))
    trigger = a.node("feeler", parent=carrier, trigger={"geometry": a.sphere(0.2)})
    wall = a.node("wall", collider={"geometry": a.box(1, 2, 2)})
    events = [("enter", trigger, wall, NEAR), ("exit", trigger, wall, FAR)]
    yield case(
        name="static_collider",
        sentence="A moving trigger reports static colliders.",
        tier="should",
        asset=a,
        seconds=1.2,
        checks=[reports(events, SLACK, h=0.5, r=0.2, v=3.0)],
    )
    a = Asset()
    trigger = a.node("gate", trigger={"geometry": a.box(1, 2, 2)})
    node = a.node("pair", (-2, 0, 0), motion=floating(linearVelocity=[3.0, 0, 0]))
    for y in (-0.4, 0.4):
        a.node("part", (0, y, 0), parent=node, collider={"geometry": a.sphere(0.2)})
    events = [("enter", trigger, node, NEAR), ("exit", trigger, node, FAR)]
    yield case(
        name="body_of_two_colliders",
        sentence="A body with several colliders enters a trigger.",
        tier="decision",
        decision="One event per trigger and body: it enters once and leaves once.",
        asset=a,
        seconds=1.2,
        checks=[reports(events, SLACK, h=0.5, r=0.2, v=3.0)],
    )
    a = Asset()
    trigger = a.node("gate", trigger={"geometry": a.box(1, 2, 2)})
    first = passing(a)
    second = a.node(
        "other",
        (0, 0.6, 2),
        motion=floating(linearVelocity=[0, 0, -2.0]),
        collider={"geometry": a.sphere(0.2)},
    )
    events = [
        ("enter", trigger, first, NEAR),
        ("exit", trigger, first, FAR),
        ("enter", trigger, second, "(2 - 1 - r)/2"),
    ]
    yield case(
        name="two_bodies",
        sentence="A trigger reports each body separately.",
        asset=a,
        seconds=1.2,
        checks=[reports(events, SLACK, h=0.5, r=0.2, v=3.0)],
    )
    a = Asset()
    trigger = a.node("gate", trigger={"geometry": a.box(1, 2, 2)})
    node = a.node("walker", (-2, 0, 0), motion={"mass": 1.0}, collider={"geometry": a.sphere(0.2)})
    a.animate(node, "translation", [0, 1.2], [(-2, 0, 0), (1.6, 0, 0)])
    events = [("enter", trigger, node, NEAR), ("exit", trigger, node, FAR)]
    yield case(
        name="animated_body",
        sentence="Animated bodies are reported too.",
        asset=a,
        seconds=1.2,
        checks=[reports(events, SLACK, h=0.5, r=0.2, v=3.0)],
    )
    a = Asset()
    trigger = a.node("gate", (-2, 0, 0), trigger={"geometry": a.sphere(0.2)})
    a.animate(trigger, "translation", [0, 1.2], [(-2, 0, 0), (1.6, 0, 0)])
    node = a.node("ball", motion=floating(), collider={"geometry": a.sphere(0.5)})
    events = [("enter", trigger, node, NEAR), ("exit", trigger, node, FAR)]
    yield case(
        name="animated_trigger",
        sentence="A trigger follows the animation of its node.",
        asset=a,
        seconds=1.2,
        checks=[reports(events, SLACK, h=0.5, r=0.2, v=3.0)],
    )


def compound() -> Iterator[Case]:
    """Yield cases of triggers made of others."""
    a = Asset()
    whole = a.node("whole")
    parts = [
        a.node(f"part {i}", (x, 0, 0), parent=whole, trigger={"geometry": a.box(0.5, 1, 1)})
        for i, x in enumerate((-0.25, 0.25))
    ]
    a.extend(whole, "KHR_physics_rigid_bodies", {"trigger": {"nodes": parts}})
    node = passing(a)
    events = [("enter", whole, node, NEAR), ("exit", whole, node, FAR)]
    yield case(
        name="compound",
        sentence="A trigger of several nodes is one volume: a body enters and leaves it once.",
        asset=a,
        seconds=1.2,
        checks=[reports(events, SLACK, h=0.5, r=0.2, v=3.0)],
    )
    a = Asset()
    whole = a.node("whole")
    parts = [
        a.node(f"part {i}", (x, 0, 0), parent=whole, trigger={"geometry": a.box(0.4, 1, 1)})
        for i, x in enumerate((-0.6, 0.6))
    ]
    a.extend(whole, "KHR_physics_rigid_bodies", {"trigger": {"nodes": parts}})
    node = passing(a)
    events = [
        ("enter", whole, node, "(2 - 0.8 - r)/v"),
        ("exit", whole, node, "(2 - 0.4 + r)/v"),
        ("enter", whole, node, "(2 + 0.4 - r)/v"),
        ("exit", whole, node, "(2 + 0.8 + r)/v"),
    ]
    yield case(
        name="compound_with_gap",
        sentence="Between the parts of a compound trigger there is no volume.",
        asset=a,
        seconds=1.2,
        checks=[reports(events, SLACK, r=0.2, v=3.0)],
    )


def filters() -> Iterator[Case]:
    """Yield cases of filters of triggers, which work like those of colliders."""
    for accepted in (True, False):
        a = Asset()
        system = "ball" if accepted else "other"
        chosen = a.filter(collideWithSystems=[system])
        gate = {"geometry": a.box(1, 2, 2), "collisionFilter": chosen}
        trigger = a.node("gate", trigger=gate)
        mine = a.filter(collisionSystems=["ball"])
        collider = {"geometry": a.sphere(0.2), "collisionFilter": mine}
        motion = floating(linearVelocity=[3.0, 0, 0])
        node = a.node("ball", (-2, 0, 0), motion=motion, collider=collider)
        events = [("enter", trigger, node, NEAR), ("exit", trigger, node, FAR)]
        yield case(
            name="filter_accepts" if accepted else "filter_refuses",
            sentence="The collisionFilter of a trigger has the meaning of a collider's: "
            + ("it reports the system that it lists." if accepted else "others are not reported."),
            asset=a,
            seconds=1.2,
            checks=[reports(events, SLACK, h=0.5, r=0.2, v=3.0) if accepted else silent([trigger])],
        )


def silence() -> Iterator[Case]:
    """Yield cases of overlaps that triggers do not report."""
    a = Asset()
    first = a.node("gate", trigger={"geometry": a.box(1, 1, 1)})
    carrier = a.node("carrier", (-2, 0, 0), motion=floating(linearVelocity=[3.0, 0, 0]))
    second = a.node("feeler", parent=carrier, trigger={"geometry": a.sphere(0.2)})
    yield case(
        name="not_of_triggers",
        sentence="Two triggers overlap.",
        tier="decision",
        decision="Triggers do not report triggers.",
        asset=a,
        seconds=1.2,
        checks=[silent([first, second])],
    )
    a = Asset()
    node = a.node("body", motion=floating(), collider={"geometry": a.box(1, 1, 1)})
    trigger = a.node("aura", parent=node, trigger={"geometry": a.sphere(1.0)})
    yield case(
        name="not_of_own_body",
        sentence="A trigger overlaps a collider of the body that carries it.",
        tier="decision",
        decision="Triggers do not report colliders of their own body.",
        asset=a,
        seconds=0.5,
        checks=[silent([trigger])],
    )
    a = Asset()
    a.node("gate", (0, 1, 0), trigger={"geometry": a.box(4, 1, 4)})
    node = ball(a, (0, 2, 0))
    yield case(
        name="does_not_hold",
        sentence="A body falls through a trigger as if it were not there.",
        asset=a,
        seconds=0.6,
        checks=[at(position(node, (0, 1, 0)), (0.3, 0.6), "2 - g*t**2/2", 0.06)],
    )

"""OMI joints of 2023 whose node is animated, or a node above it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ligament.conformance.assets import Asset
from ligament.conformance.case import Case, at, within
from ligament.conformance.cases.omi import BODY, EVERY, NODES, body, join, wall
from ligament.conformance.signals import X, Y, distance, position


def cases() -> Iterator[Case]:
    """Yield the cases of this part of the family."""
    initial = partial(
        Case,
        family="omi",
        source=NODES,
        tier="decision",
        decision="The frame of a joint keeps its initial place in a body, unless an animation "
        "moves it from below that body.",
    )
    for depth in (0, 1, 3):
        a = Asset()
        anchor = wall(a)
        node = body(a, "bob", (1, 0, 0), mass=2.0)
        group = a.node("group")
        above = group
        for _ in range(depth):
            above = a.node("deeper", parent=above)
        joint = join(a, anchor, node, {"linearAxes": EVERY}, parent=above)
        moved = group if depth else joint
        a.animate(moved, "translation", [0, 1], [(0, 0, 0), (0.5, 0, 0)])
        yield initial(
            name=f"frame_{depth}_below_animated_node",
            sentence="The initial place of a joint counts, not an animation of "
            + ("its node." if not depth else f"a node {depth} above it."),
            asset=a,
            checks=[within(distance(anchor, node), (0, 1), 0.02, least="1", most="1")],
        )
    a = Asset()
    group = a.node("group")
    first = a.node("first", parent=group)
    a.extend(first, BODY, {"type": "kinematic"})
    second = body(a, "second", (1, 0, 0))
    join(a, first, second, {"linearAxes": EVERY, "angularAxes": EVERY}, parent=first)
    a.animate(first, "translation", [0, 1], [(0, 0, 0), (0, 1, 0)])
    yield initial(
        name="frame_below_animated_body",
        sentence="What is joined to an animated body follows it.",
        asset=a,
        checks=[
            at(position(second, Y), (0.5, 1), "t", 0.03),
            at(position(second, X), (0.5, 1), "1", 0.03),
        ],
    )
    a = Asset()
    first = body(a, "first", kind="kinematic")
    slide = a.node("slide", parent=first)
    second = body(a, "second", (1, 0, 0))
    join(a, first, second, {"linearAxes": EVERY, "angularAxes": EVERY}, parent=slide)
    a.animate(slide, "translation", [0, 1], [(0, 0, 0), (0, 1, 0)])
    yield initial(
        name="frame_animated_below_body",
        sentence="A joint on an animated node below a body moves in that body.",
        asset=a,
        checks=[at(position(second, Y), (0.5, 1), "t", 0.03)],
    )

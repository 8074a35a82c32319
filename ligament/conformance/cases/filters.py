"""Filters: which pairs of colliders interact (Collision Filtering)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from ligament.conformance.assets import Asset
from ligament.conformance.case import Case, Check, at
from ligament.conformance.cases.parts import floating
from ligament.conformance.cases.sources import FILTERS
from ligament.conformance.signals import X, Y, position

case = partial(Case, family="filters", source=FILTERS)

Filter = Mapping[str, Any] | None

ANY = (
    "A filter accepts what belongs to at least one system of collideWithSystems, or to at least "
    "one that is not in notCollideWithSystems: the one reading in which the lists are inverse."
)
NONE = "A collider in no system is accepted by every filter."


class Pair(NamedTuple):
    """Filters of a ball and of the floor below it, and whether they collide."""

    name: str
    sentence: str
    ball: Filter
    floor: Filter
    collide: bool
    decision: str | None = None


def systems(*names: str, **lists: list[str]) -> dict[str, Any]:
    """Return a filter."""
    return ({"collisionSystems": [*names]} if names else {}) | lists


PAIRS = (
    Pair("none", "Without filters colliders collide.", None, None, True),
    Pair(
        "systems_only",
        "Belonging to systems changes nothing by itself.",
        systems("a"),
        systems("b"),
        True,
    ),
    Pair(
        "collide_with_listed",
        "collideWithSystems lets a system that it lists collide.",
        systems(collideWithSystems=["floor"]),
        systems("floor"),
        True,
    ),
    Pair(
        "collide_with_others",
        "collideWithSystems keeps away every system that it does not list.",
        systems(collideWithSystems=["other"]),
        systems("floor"),
        False,
    ),
    Pair(
        "not_collide_with_listed",
        "notCollideWithSystems keeps away a system that it lists.",
        systems(notCollideWithSystems=["floor"]),
        systems("floor"),
        False,
    ),
    Pair(
        "not_collide_with_others",
        "notCollideWithSystems lets every system collide that it does not list.",
        systems(notCollideWithSystems=["other"]),
        systems("floor"),
        True,
    ),
    Pair(
        "floor_collides_with_listed",
        "The filter of the second collider counts in the same way: it lists the first.",
        systems("ball"),
        systems(collideWithSystems=["ball"]),
        True,
    ),
    Pair(
        "floor_collides_with_others",
        "The filter of the second collider counts in the same way: it does not list the first.",
        systems("ball"),
        systems(collideWithSystems=["other"]),
        False,
    ),
    Pair(
        "floor_not_with_listed",
        "The filter of the second collider may opt out of the first.",
        systems("ball"),
        systems(notCollideWithSystems=["ball"]),
        False,
    ),
    Pair(
        "both_accept",
        "Both directions are tested: here both accept.",
        systems("ball", collideWithSystems=["floor"]),
        systems("floor", collideWithSystems=["ball"]),
        True,
    ),
    Pair(
        "first_refuses",
        "No collision if either test is false: the first collider refuses.",
        systems("ball", collideWithSystems=["other"]),
        systems("floor", collideWithSystems=["ball"]),
        False,
    ),
    Pair(
        "second_refuses",
        "No collision if either test is false: the second collider refuses.",
        systems("ball", collideWithSystems=["floor"]),
        systems("floor", notCollideWithSystems=["ball"]),
        False,
    ),
    Pair(
        "several_listed",
        "collideWithSystems may list several systems.",
        systems(collideWithSystems=["one", "floor", "two"]),
        systems("floor"),
        True,
    ),
    Pair(
        "several_opted_out",
        "notCollideWithSystems may list several systems.",
        systems(notCollideWithSystems=["one", "floor", "two"]),
        systems("floor"),
        False,
    ),
    Pair(
        "same_system",
        "A system may opt out of itself.",
        systems("crowd", notCollideWithSystems=["crowd"]),
        systems("crowd", notCollideWithSystems=["crowd"]),
        False,
    ),
    Pair(
        "same_system_only",
        "A system may collide with itself only.",
        systems("crowd", collideWithSystems=["crowd"]),
        systems("crowd", collideWithSystems=["crowd"]),
        True,
    ),
    Pair(
        "one_of_two_systems",
        "A collider in two systems meets one that lists a single one of them.",
        systems(collideWithSystems=["floor"]),
        systems("floor", "stone"),
        True,
        ANY,
    ),
    Pair(
        "opted_out_of_one_of_two",
        "A collider in two systems meets one that opts out of a single one of them.",
        systems(notCollideWithSystems=["floor"]),
        systems("floor", "stone"),
        True,
        ANY,
    ),
    Pair(
        "opted_out_of_both",
        "A collider in two systems meets one that opts out of both.",
        systems(notCollideWithSystems=["floor", "stone"]),
        systems("floor", "stone"),
        False,
    ),
    Pair(
        "two_systems_neither_listed",
        "A collider in two systems meets one that lists neither.",
        systems(collideWithSystems=["other"]),
        systems("floor", "stone"),
        False,
    ),
    Pair(
        "no_systems_and_collide_with",
        "A collider without systems meets a collideWithSystems.",
        systems(collideWithSystems=["other"]),
        None,
        True,
        NONE,
    ),
    Pair(
        "no_systems_and_not_collide_with",
        "A collider without systems meets a notCollideWithSystems.",
        systems(notCollideWithSystems=["other"]),
        None,
        True,
    ),
    Pair(
        "many_systems",
        "There is no bound on the number of systems: the fortieth counts.",
        systems(notCollideWithSystems=["s39"]),
        systems("s39"),
        False,
    ),
    Pair(
        "names_are_exact",
        "Systems are arbitrary strings: case and spaces count.",
        systems(notCollideWithSystems=["Floor", " floor"]),
        systems("floor"),
        True,
    ),
)


def cases() -> Iterator[Case]:
    """Yield the cases of this family."""
    for pair in PAIRS:
        a = Asset()
        floor = {} if pair.floor is None else {"collisionFilter": a.filter(**pair.floor)}
        a.floor(**floor)
        collider: dict[str, Any] = {"geometry": a.sphere(0.25)}
        if pair.ball is not None:
            collider["collisionFilter"] = a.filter(**pair.ball)
        if pair.name == "many_systems":
            for index in range(39):
                a.filter(collisionSystems=[f"s{index}"])
        node = a.node("ball", (0, 0.5, 0), motion={"mass": 1.0}, collider=collider)
        yield case(
            name=pair.name,
            sentence=pair.sentence,
            tier="decision" if pair.decision else "must",
            decision=pair.decision,
            asset=a,
            seconds=0.6,
            checks=[collides(node) if pair.collide else passes(node)],
        )
    yield from between_bodies()


def collides(node: int) -> Check:
    """Expect the ball to lie on the floor."""
    return at(position(node, Y), (0.5, 0.6), "r", 0.03, r=0.25)


def passes(node: int) -> Check:
    """Expect the ball to fall through the floor."""
    return at(position(node, Y), (0.4, 0.5), "y - g*t**2/2", 0.06, "free fall", y=0.5)


def between_bodies() -> Iterator[Case]:
    """Yield cases of filters between two bodies, and on single colliders of a body."""
    for refused in (True, False):
        a = Asset()
        group = a.filter(**systems("crowd", notCollideWithSystems=["crowd" if refused else "x"]))
        collider = {"geometry": a.sphere(0.25), "collisionFilter": group}
        mover = floating(linearVelocity=[2.0, 0, 0])
        first = a.node("first", (-1, 0, 0), motion=mover, collider=collider)
        second = a.node("second", motion=floating(), collider=collider)
        still = at(position(second, X), (0.5, 1), "0", 0.01)
        goes = at(position(first, X), (0.5, 1), "x + v*t", 0.02, x=-1.0, v=2.0)
        why = "the momentum of both is shared"
        hit = at(position(second, X), (0.75, 1), "v/2*(t - 1/4)", 0.06, why, v=2.0)
        yield case(
            name="bodies_pass" if refused else "bodies_collide",
            sentence="Filters hold between two moving bodies: "
            + ("they pass through each other." if refused else "these collide."),
            asset=a,
            checks=[still, goes] if refused else [hit],
        )
    a = Asset()
    ghost = a.filter(collideWithSystems=["nothing"], collisionSystems=["ghost"])
    a.floor(collisionFilter=a.filter(collisionSystems=["floor"]))
    node = a.node("body", (0, 1, 0), motion={"mass": 1.0})
    low = {"geometry": a.box(0.5, 0.2, 0.5), "collisionFilter": ghost}
    a.node("low", (0, -0.5, 0), parent=node, collider=low)
    a.node("high", parent=node, collider={"geometry": a.box(0.5, 0.2, 0.5)})
    yield case(
        name="each_collider_its_own",
        sentence="Filters belong to colliders, not bodies: the lower passes, the upper lies.",
        asset=a,
        seconds=0.9,
        checks=[at(position(node, Y), (0.8, 0.9), "0.1", 0.03)],
    )

"""Node constraints: rotation, roll and aim, weights, rest rotations, order (1.0)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from ligament.conformance.assets import Asset
from ligament.conformance.case import Case, at
from ligament.conformance.cases.parts import AXES, QUARTER
from ligament.conformance.cases.sources import node_constraint
from ligament.conformance.rotations import Numbers, about, product
from ligament.conformance.signals import X, Y, Z, local_rotation

ROTATION: Final = node_constraint("Rotation Constraint")
ROLL: Final = node_constraint("Roll Constraint")
AIM: Final = node_constraint("Aim Constraint")
ORDER: Final = node_constraint("Dependency resolution between constraints")

case = partial(Case, family="constraints", seconds=0.5)

EXACT = 1e-4
"""Tolerance [rad]: constraints are algebra, and only keyframes are rounded."""

TIMES = (0.25, 0.5)
POSE: Final = product(about(Z, 0.7), about(X, 0.4), about(Y, -0.5))
"""A rotation of a source, without any symmetry."""

REST_A: Final = product(about(X, 0.5), about(Y, 0.8))
REST_B: Final = product(about(Z, -0.6), about(X, 0.9))


def cases() -> Iterator[Case]:
    """Yield the cases of this family."""
    yield from rotations()
    yield from rolls()
    yield from aims()
    yield from order()


def turn(a: Asset, node: int, start: Numbers, stop: Numbers) -> None:
    """Animate a node's rotation, which arrives at 0.25 s and stays."""
    a.animate(node, "rotation", [0, 0.25], [list(start), list(stop)])


def constrain(a: Asset, node: int, kind: str, **members: Any) -> None:
    """Give a node a constraint."""
    content = {"specVersion": "1.0", "constraint": {kind: members}}
    a.extend(node, "VRMC_node_constraint", content)


def rounded(q: Numbers) -> list[float]:
    """Return a rotation as it is written in a file."""
    return [float(f"{part:.9g}") for part in q]


def pair(rest_s: Numbers | None = None, rest_d: Numbers | None = None) -> tuple[Asset, int, int]:
    """Return an asset with a source and a destination beside it."""
    a = Asset()
    source = a.node("source", rotation=None if rest_s is None else rounded(rest_s))
    target = a.node("target", (1, 0, 0), rotation=None if rest_d is None else rounded(rest_d))
    return a, source, target


RESTS: Final = {
    "plain": (None, None, "with no rest rotations"),
    "source_rest": (REST_A, None, "relative to the source's rest rotation"),
    "target_rest": (None, REST_B, "on top of the destination's rest rotation"),
    "both_rests": (REST_A, REST_B, "relative to both rest rotations"),
}
IDENTITY = (0.0, 0.0, 0.0, 1.0)


def rotations() -> Iterator[Case]:
    """Yield cases of the rotation constraint."""
    text = "slerp(d, product(d, inverse(s), q), w)"
    for name, (source_rest, target_rest, words) in RESTS.items():
        a, source, target = pair(source_rest, target_rest)
        start = IDENTITY if source_rest is None else source_rest
        turn(a, source, start, product(start, POSE))
        constrain(a, target, "rotation", source=source)
        values = {
            "s": start,
            "d": IDENTITY if target_rest is None else target_rest,
            "q": product(start, POSE),
        }
        yield case(
            name=f"rotation_{name}",
            sentence=f"A rotation constraint copies the source's rotation {words}.",
            source=ROTATION,
            asset=a,
            checks=[at(local_rotation(target), TIMES, text, EXACT, w=1.0, **values)],
        )
    for weight in (0.0, 0.25, 0.5, 0.75):
        a, source, target = pair(REST_A, REST_B)
        turn(a, source, REST_A, product(REST_A, POSE))
        constrain(a, target, "rotation", source=source, weight=weight)
        values = {"s": REST_A, "d": REST_B, "q": product(REST_A, POSE)}
        yield case(
            name=f"rotation_weight_{str(weight).replace('.', '_')}",
            sentence=f"The weight interpolates from rest to the full rotation, here {weight:g}.",
            source=ROTATION,
            asset=a,
            checks=[at(local_rotation(target), TIMES, text, EXACT, w=weight, **values)],
        )
    a = Asset()
    upper = a.node("upper", rotation=rounded(about(Y, 1.0)))
    source = a.node("source", parent=upper)
    other = a.node("other", rotation=rounded(about(X, 0.7)))
    target = a.node("target", parent=other)
    turn(a, source, IDENTITY, POSE)
    constrain(a, target, "rotation", source=source)
    yield case(
        name="rotation_is_local",
        sentence="Rotations are local: parents that are turned differently change nothing.",
        source=ROTATION,
        asset=a,
        checks=[at(local_rotation(target), TIMES, "q", EXACT, q=POSE)],
    )
    a, source, target = pair(REST_A, REST_B)
    constrain(a, target, "rotation", source=source)
    turn(a, a.node("clock"), IDENTITY, about(Z, 0.1))
    yield case(
        name="rotation_at_rest",
        sentence="At rest a rotation constraint changes nothing.",
        source=ROTATION,
        asset=a,
        checks=[at(local_rotation(target), TIMES, "d", EXACT, d=REST_B)],
    )
    a, source, target = pair()
    turn(a, source, IDENTITY, about(Z, 2.8))
    a.animate(target, "rotation", [0, 0.5], [list(IDENTITY), list(about(X, 1.0))])
    constrain(a, target, "rotation", source=source)
    yield case(
        name="rotation_over_animation",
        sentence="A constraint decides the rotation of its node, whatever animates it.",
        source=ROTATION,
        asset=a,
        checks=[at(local_rotation(target), TIMES, "about([0, 0, 1], 2.8)", EXACT)],
    )


def rolls() -> Iterator[Case]:
    """Yield cases of the roll constraint."""
    delta = "product(inverse(d), q, inverse(s), d)"
    text = f"slerp(d, product(d, inverse(from_to(a, rotate({delta}, a))), {delta}), w)"
    for name, axis in AXES.items():
        for word, (source_rest, target_rest, words) in RESTS.items():
            a, source, target = pair(source_rest, target_rest)
            start = IDENTITY if source_rest is None else source_rest
            turn(a, source, start, product(start, POSE))
            constrain(a, target, "roll", source=source, rollAxis=name.upper())
            values = {
                "s": start,
                "d": IDENTITY if target_rest is None else target_rest,
                "q": product(start, POSE),
                "a": list(axis),
            }
            yield case(
                name=f"roll_{name}_{word}",
                sentence=f"A roll copies only the rotation about {name.upper()}, {words}.",
                source=ROLL,
                asset=a,
                checks=[at(local_rotation(target), TIMES, text, EXACT, w=1.0, **values)],
            )
        a, source, target = pair()
        turn(a, source, IDENTITY, about(axis, 1.2))
        constrain(a, target, "roll", source=source, rollAxis=name.upper(), weight=0.5)
        yield case(
            name=f"roll_{name}_half",
            sentence=f"A roll about {name.upper()} with a weight of 0.5 is half the angle.",
            source=ROLL,
            asset=a,
            checks=[at(local_rotation(target), TIMES, "about(a, 1.2/2)", EXACT, a=list(axis))],
        )
        a, source, target = pair()
        across = AXES["xyz"[("xyz".index(name) + 1) % 3]]
        turn(a, source, IDENTITY, about(across, 1.0))
        constrain(a, target, "roll", source=source, rollAxis=name.upper())
        yield case(
            name=f"roll_{name}_ignores_swing",
            sentence=f"A roll about {name.upper()} ignores rotations across it.",
            source=ROLL,
            asset=a,
            checks=[at(local_rotation(target), TIMES, "[0, 0, 0, 1]", EXACT)],
        )


AIMS: Final = {
    "PositiveX": X,
    "NegativeX": (-1, 0, 0),
    "PositiveY": Y,
    "NegativeY": (0, -1, 0),
    "PositiveZ": Z,
    "NegativeZ": (0, 0, -1),
}


def aims() -> Iterator[Case]:
    """Yield cases of the aim constraint."""
    text = "slerp(d, product(inverse(p), from_to(rotate(product(p, d), a), e), p, d), w)"
    place, target_place = (0.8, 1.1, 0.5), (0.2, -0.3, 0.1)
    direction = [x - y for x, y in zip(place, target_place, strict=True)]
    for name, axis in AIMS.items():
        for rest, words in ((None, ""), (REST_B, ", from its rest rotation")):
            a = Asset()
            source = a.node("source", (3, 0, 0))
            a.animate(source, "translation", [0, 0.25], [(3, 0, 0), place])
            target = a.node(
                "target", target_place, rotation=None if rest is None else rounded(rest)
            )
            constrain(a, target, "aim", source=source, aimAxis=name)
            values = {
                "p": IDENTITY,
                "d": IDENTITY if rest is None else rest,
                "a": list(axis),
                "e": direction,
            }
            yield case(
                name=f"aim_{name}" + ("" if rest is None else "_rest"),
                sentence=f"An aim constraint points {name} of its node at the source{words}.",
                source=AIM,
                asset=a,
                checks=[at(local_rotation(target), TIMES, text, EXACT, w=1.0, **values)],
            )
    for weight in (0.0, 0.3):
        a = Asset()
        source = a.node("source", (3, 0, 0))
        a.animate(source, "translation", [0, 0.25], [(3, 0, 0), place])
        target = a.node("target", target_place)
        constrain(a, target, "aim", source=source, aimAxis="PositiveZ", weight=weight)
        values = {"p": IDENTITY, "d": IDENTITY, "a": [0, 0, 1], "e": direction}
        yield case(
            name=f"aim_weight_{str(weight).replace('.', '_')}",
            sentence=f"The weight of an aim constraint interpolates from rest, here {weight:g}.",
            source=AIM,
            asset=a,
            checks=[at(local_rotation(target), TIMES, text, EXACT, w=weight, **values)],
        )
    a = Asset()
    source = a.node("source", (3, 0, 0))
    a.animate(source, "translation", [0, 0.25], [(3, 0, 0), place])
    parent = a.node("parent", rotation=rounded(REST_A))
    target = a.node("target", parent=parent, rotation=rounded(REST_B))
    constrain(a, target, "aim", source=source, aimAxis="PositiveY")
    values = {"p": REST_A, "d": REST_B, "a": [0, 1, 0], "e": list(place)}
    yield case(
        name="aim_below_turned_parent",
        sentence="An aim constraint works in the world: the parent's rotation is taken out.",
        source=AIM,
        asset=a,
        checks=[at(local_rotation(target), TIMES, text, EXACT, w=1.0, **values)],
    )
    a = Asset()
    parent = a.node("parent")
    turn(a, parent, IDENTITY, about(Y, QUARTER))
    source = a.node("source", (1, 0, 0), parent=parent)
    target = a.node("target")
    constrain(a, target, "aim", source=source, aimAxis="PositiveX")
    yield case(
        name="aim_at_carried_source",
        sentence="An aim constraint follows a source that its parent carries.",
        source=AIM,
        asset=a,
        checks=[at(local_rotation(target), TIMES, "about([0, 1, 0], pi/2)", EXACT)],
    )
    a = Asset()
    source = a.node("source", (0, 0, 2))
    parent = a.node("parent")
    turn(a, parent, IDENTITY, about(Y, 0.8))
    target = a.node("target", parent=parent)
    constrain(a, target, "aim", source=source, aimAxis="PositiveZ")
    yield case(
        name="aim_below_moving_parent",
        sentence="A destination keeps aiming while its parent turns.",
        source=AIM,
        asset=a,
        checks=[at(local_rotation(target), TIMES, "about([0, 1, 0], -0.8)", EXACT)],
    )


def order() -> Iterator[Case]:
    """Yield cases of constraints that depend on each other."""
    for name, reverse in (("forward", False), ("backward", True)):
        a = Asset()
        nodes = [a.node(f"node {index}", (index, 0, 0)) for index in range(4)]
        chain = nodes[::-1] if reverse else nodes
        turn(a, chain[0], IDENTITY, POSE)
        for before, after in itertools.pairwise(chain):
            constrain(a, after, "rotation", source=before)
        yield case(
            name=f"chain_{name}",
            sentence="A constraint whose source is constrained runs after it, here in a chain "
            + ("against the order of the nodes." if reverse else "in the order of the nodes."),
            source=ORDER,
            asset=a,
            checks=[at(local_rotation(chain[-1]), TIMES, "q", EXACT, q=POSE)],
        )
    a = Asset()
    target = a.node("target", (2, 0, 0))
    arm = a.node("arm")
    hand = a.node("hand", (1, 0, 0), parent=arm)
    driver = a.node("driver", (0, 0, 3))
    turn(a, driver, IDENTITY, about(Z, QUARTER))
    constrain(a, target, "aim", source=hand, aimAxis="PositiveX")
    constrain(a, arm, "rotation", source=driver)
    why = "the hand is at (0, 1, 0), seen from (2, 0, 0)"
    yield case(
        name="aim_after_ancestor_of_source",
        sentence="An aim constraint runs after constraints on the ancestors of its source.",
        source=ORDER,
        asset=a,
        checks=[at(local_rotation(target), TIMES, "from_to([1, 0, 0], [-2, 1, 0])", EXACT, why)],
    )
    a = Asset()
    eye_parent = a.node("head")
    eye = a.node("eye", parent=eye_parent)
    mark = a.node("mark", (0, 0, 2))
    driver = a.node("driver", (3, 0, 0))
    turn(a, driver, IDENTITY, about(Y, 0.6))
    constrain(a, eye, "aim", source=mark, aimAxis="PositiveZ")
    constrain(a, eye_parent, "rotation", source=driver)
    yield case(
        name="aim_after_ancestor_of_destination",
        sentence="An aim constraint runs after constraints on the ancestors of its destination.",
        source=ORDER,
        asset=a,
        checks=[at(local_rotation(eye), TIMES, "about([0, 1, 0], -0.6)", EXACT)],
    )
    a = Asset()
    last = a.node("last", (3, 0, 0))
    middle = a.node("middle", (2, 0, 0))
    first = a.node("first", (1, 0, 0))
    turn(a, first, IDENTITY, about(X, 1.0))
    constrain(a, last, "rotation", source=middle, weight=0.5)
    constrain(a, middle, "roll", source=first, rollAxis="X", weight=0.5)
    yield case(
        name="chain_of_kinds",
        sentence="Constraints of different kinds form one order.",
        source=ORDER,
        asset=a,
        checks=[at(local_rotation(last), TIMES, "about([1, 0, 0], 1/4)", EXACT)],
    )
    a, source, target = pair()
    turn(a, source, IDENTITY, about(Z, math.pi / 3))
    for name in ("b", "c"):
        other = a.node(name, (2, 0, 0))
        constrain(a, other, "rotation", source=source, weight=0.5 if name == "c" else 1.0)
    constrain(a, target, "roll", source=source, rollAxis="Z")
    yield case(
        name="one_source",
        sentence="One source may serve several destinations.",
        source=ORDER,
        asset=a,
        checks=[
            at(local_rotation(target), TIMES, "about([0, 0, 1], pi/3)", EXACT),
            at(local_rotation(3), TIMES, "about([0, 0, 1], pi/6)", EXACT),
        ],
    )

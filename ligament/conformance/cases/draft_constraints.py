"""Node constraints of the draft: rotation with freezeAxes and weight (1.0-draft)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial
from typing import Any

from ligament.conformance.assets import Asset
from ligament.conformance.case import Case, Source, at
from ligament.conformance.cases.constraints import (
    EXACT,
    IDENTITY,
    POSE,
    REST_A,
    REST_B,
    RESTS,
    TIMES,
    pair,
    turn,
)
from ligament.conformance.rotations import about, product
from ligament.conformance.signals import X, Z, local_rotation

Json = dict[str, Any]
DRAFT = partial(Source, "VRMC_node_constraint-1.0-draft")
case = partial(Case, family="draft_constraints", source=DRAFT("Rotation Constraint"), seconds=0.5)

AXES_TEXT = "product(d, rotation_of(w*m*rotation_vector(product(inverse(s), q))))"
FROZEN = (
    "True constrains an axis: these components of the rotation vector come from the source, times "
    "the weight; the others are left to the destination."
)


def cases() -> Iterator[Case]:
    """Yield the cases of this family."""
    for name, (source_rest, target_rest, words) in RESTS.items():
        a, source, target = pair(source_rest, target_rest)
        start = IDENTITY if source_rest is None else source_rest
        turn(a, source, start, product(start, POSE))
        constrain(a, target, source=source)
        values: Json = {
            "s": start,
            "d": IDENTITY if target_rest is None else target_rest,
            "q": product(start, POSE),
        }
        yield case(
            name=f"rotation_{name}",
            sentence=f"A rotation is evaluated relative to the initial ones, {words}.",
            asset=a,
            checks=[
                at(local_rotation(target), TIMES, "product(d, inverse(s), q)", EXACT, **values)
            ],
        )
    for weight in (0.0, 0.3, 0.6):
        a, source, target = pair(REST_A, REST_B)
        turn(a, source, REST_A, product(REST_A, POSE))
        constrain(a, target, source=source, weight=weight)
        values = {"s": REST_A, "d": REST_B, "q": product(REST_A, POSE), "w": weight}
        text = "product(d, slerp([0, 0, 0, 1], product(inverse(s), q), w))"
        yield case(
            name=f"weight_{str(weight).replace('.', '_')}",
            sentence=f"The weight slerps from identity to the source's offset, here {weight:g}.",
            source=DRAFT("Weight"),
            asset=a,
            checks=[at(local_rotation(target), TIMES, text, EXACT, **values)],
        )
    yield from frozen()
    yield from order()


def constrain(a: Asset, node: int, *, at_root: bool = False, **members: object) -> None:
    """Give a node a constraint of the draft."""
    rotation = {"rotation": members}
    body = rotation if at_root else {"constraint": rotation}
    a.extend(node, "VRMC_node_constraint", {"specVersion": "1.0-draft", **body})


def frozen() -> Iterator[Case]:
    """Yield cases of freezeAxes."""
    for mask in itertools.product((True, False), repeat=3):
        letters = "".join(letter for letter, is_on in zip("xyz", mask, strict=True) if is_on)
        a, source, target = pair(REST_A, REST_B)
        turn(a, source, REST_A, product(REST_A, POSE))
        constrain(a, target, source=source, freezeAxes=[*mask])
        values = {"s": REST_A, "d": REST_B, "q": product(REST_A, POSE), "w": 1.0}
        plain = len(letters) in (0, 3)
        yield case(
            name=f"freeze_{letters or 'none'}",
            sentence=f"freezeAxes constrains {', '.join(letters) or 'no axis'}"
            + (" and leaves the others." if 0 < len(letters) < 3 else "."),
            source=DRAFT("Freeze Axes"),
            tier="must" if plain else "decision",
            decision=None if plain else FROZEN,
            asset=a,
            checks=[
                at(
                    local_rotation(target),
                    TIMES,
                    AXES_TEXT,
                    EXACT,
                    m=[float(b) for b in mask],
                    **values,
                )
            ],
        )
    a, source, target = pair()
    turn(a, source, IDENTITY, about(X, 1.0))
    constrain(a, target, source=source, freezeAxes=[True, False, False])
    yield case(
        name="freeze_own_axis",
        sentence="A frozen axis follows the source that turns about it.",
        source=DRAFT("Freeze Axes"),
        asset=a,
        checks=[at(local_rotation(target), TIMES, "about([1, 0, 0], 1)", EXACT)],
    )
    a, source, target = pair()
    turn(a, source, IDENTITY, about(Z, 1.0))
    constrain(a, target, source=source, freezeAxes=[True, True, False])
    yield case(
        name="freeze_other_axes",
        sentence="An axis that is not frozen does not follow the source.",
        source=DRAFT("Freeze Axes"),
        asset=a,
        checks=[at(local_rotation(target), TIMES, "[0, 0, 0, 1]", EXACT)],
    )
    a, source, target = pair()
    turn(a, source, IDENTITY, POSE)
    constrain(a, target, at_root=True, source=source)
    yield case(
        name="rotation_at_root",
        sentence="The table of the draft has rotation at the root of the extension.",
        tier="decision",
        decision="It is read there and inside constraint, as in the draft's example.",
        source=DRAFT("constraints"),
        asset=a,
        checks=[at(local_rotation(target), TIMES, "q", EXACT, q=POSE)],
    )


def order() -> Iterator[Case]:
    """Yield cases of constraints that depend on each other."""
    a = Asset()
    nodes = [a.node(f"node {index}", (index, 0, 0)) for index in range(4)]
    turn(a, nodes[3], IDENTITY, POSE)
    for after, before in itertools.pairwise(nodes):
        constrain(a, after, source=before)
    yield case(
        name="chain_backward",
        sentence="Constraints are updated in the order of their dependencies.",
        source=DRAFT("Dependency resolution between constraints"),
        tier="should",
        asset=a,
        checks=[at(local_rotation(nodes[0]), TIMES, "q", EXACT, q=POSE)],
    )

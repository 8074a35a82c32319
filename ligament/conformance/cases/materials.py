"""Materials: friction, restitution, and how two values combine (Physics Materials)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

from ligament.conformance.assets import Asset
from ligament.conformance.case import Case, Check, at, within
from ligament.conformance.cases.sources import MATERIALS
from ligament.conformance.expressions import evaluate
from ligament.conformance.rotations import about
from ligament.conformance.signals import X, Y, Z, position

case = partial(Case, family="materials", source=MATERIALS)

MODES: Final = ("average", "minimum", "maximum", "multiply")
"""Combine modes, strongest first."""

COMBINED: Final = {
    "average": "(a + b)/2",
    "minimum": "min(a, b)",
    "maximum": "max(a, b)",
    "multiply": "a*b",
}

Json = Mapping[str, Any]


def cases() -> Iterator[Case]:
    """Yield the cases of this family."""
    yield from friction()
    yield from slopes()
    yield from restitution()
    yield from modes()
    yield from priorities()
    yield from decisions()


def slide(a: Asset, floor: Json | None, slider: Json | None, speed: float = 2.0) -> int:
    """Add a flat box that slides along x on a floor."""
    a.floor(**({} if floor is None else {"physicsMaterial": a.material(**floor)}))
    collider: dict[str, Any] = {"geometry": a.box(0.6, 0.1, 0.6)}
    if slider is not None:
        collider["physicsMaterial"] = a.material(**slider)
    motion = {"mass": 1.0, "linearVelocity": [speed, 0, 0]}
    return a.node("slider", (0, 0.05, 0), motion=motion, collider=collider)


def stops(node: int, friction: str, *, speed: float = 2.0, **values: float) -> list[Check]:
    """Expect a slider to stop where the work of friction has used up its energy."""
    why = "v²/(2 µ g): kinetic energy against the work of friction"
    path = f"v**2/(2*({friction})*g)"
    return [at(position(node, X), (2.4,), path, 0.09, why, v=speed, **values)]


def drop(a: Asset, floor: Json | None, ball: Json | None, height: float = 1.0) -> int:
    """Add a ball whose lowest point is at a height [m] above a floor."""
    a.floor(**({} if floor is None else {"physicsMaterial": a.material(**floor)}))
    collider: dict[str, Any] = {"geometry": a.sphere(0.25)}
    if ball is not None:
        collider["physicsMaterial"] = a.material(**ball)
    return a.node("ball", (0, height + 0.25, 0), motion={"mass": 1.0}, collider=collider)


def rebounds(node: int, restitution: str, **values: float) -> list[Check]:
    """Expect a dropped ball to rise to the height that restitution leaves it.

    A step of 1/60 s adds or removes 0.16 m/s at an impact, 4 % of its speed.
    """
    apex = f"h*({restitution})**2"
    bounce = float(evaluate(restitution, dict(values)))
    after = round((math.sqrt(2 / 9.81) * (1 + bounce) - 0.06) * 60) / 60
    why = "the speed after an impact is e times that before: the height e² h"
    return [
        within(
            position(node, Y),
            (after, after + 0.12),
            round(0.03 + 0.2 * bounce**2, 3),
            least=f"{apex} + r",
            most=f"{apex} + r",
            why=why,
            h=1.0,
            r=0.25,
            **values,
        )
    ]


def friction() -> Iterator[Case]:
    """Yield cases of a box that slides to a stop."""
    for value in (0.15, 0.3, 0.6):
        a = Asset()
        rough = {"staticFriction": value, "dynamicFriction": value}
        node = slide(a, rough, rough)
        yield case(
            name=f"dynamic_friction_{str(value).replace('.', '_')}",
            sentence=f"Friction is Coulomb's: a box slides to a stop at µ = {value:g}.",
            asset=a,
            seconds=2.4,
            checks=stops(node, "m", m=value),
        )
    a = Asset()
    smooth = {"staticFriction": 0.0, "dynamicFriction": 0.0}
    node = slide(a, smooth, smooth)
    yield case(
        name="no_friction",
        sentence="Without friction a box slides on.",
        asset=a,
        checks=[at(position(node, X), (0.5, 1), "v*t", 0.03, v=2.0)],
    )
    a = Asset()
    mixed = {"staticFriction": 1.0, "dynamicFriction": 0.2}
    node = slide(a, mixed, mixed)
    yield case(
        name="dynamic_while_moving",
        sentence="While surfaces slide, dynamicFriction is used, not staticFriction.",
        asset=a,
        seconds=2.4,
        checks=stops(node, "m", m=0.2),
    )
    for mass in (0.1, 100.0):
        a = Asset()
        rough = {"staticFriction": 0.3, "dynamicFriction": 0.3}
        node = slide(a, rough, rough)
        motion = a.nodes[node]["extensions"]["KHR_physics_rigid_bodies"]["motion"]
        motion["mass"] = mass
        yield case(
            name=f"friction_of_mass_{str(mass).replace('.', '_')}",
            sentence=f"Friction grows with the load: {mass:g} kg slides as far as any other mass.",
            asset=a,
            seconds=2.4,
            checks=stops(node, "m", m=0.3),
        )
    a = Asset()
    rough = {"staticFriction": 0.4, "dynamicFriction": 0.4}
    node = slide(a, rough, rough)
    a.nodes[node]["extensions"]["KHR_physics_rigid_bodies"]["motion"]["linearVelocity"] = [
        1.2,
        0,
        1.6,
    ]
    yield case(
        name="friction_is_isotropic",
        sentence="Coulomb friction opposes the motion in any direction, here between x and z.",
        asset=a,
        seconds=2.4,
        checks=[
            at(position(node, X), (2.4,), "0.6*v**2/(2*m*g)", 0.06, v=2.0, m=0.4),
            at(position(node, Z), (2.4,), "0.8*v**2/(2*m*g)", 0.06, v=2.0, m=0.4),
        ],
    )


def slopes() -> Iterator[Case]:
    """Yield cases of a box on a slope that holds or slides down."""
    slope = math.atan(0.5)
    for name, still, moving, sentence in (
        ("holds", 0.7, 0.7, "Static friction above the slope's tangent holds a box."),
        ("holds_by_static", 0.7, 0.2, "A box that lies still is held by staticFriction alone."),
        ("slides", 0.3, 0.3, "Friction below the slope's tangent lets a box slide down."),
        ("slides_freely", 0.0, 0.0, "Without friction a box slides down as by gravity alone."),
    ):
        a = Asset()
        turn = about(Z, slope)
        material = a.material(staticFriction=still, dynamicFriction=moving)
        place = (0.5 * math.sin(slope), -0.5 * math.cos(slope), 0)
        collider = {"geometry": a.box(20, 1, 20), "physicsMaterial": material}
        a.node("slope", place, rotation=turn, collider=collider)
        collider = {"geometry": a.box(0.6, 0.1, 0.6), "physicsMaterial": material}
        place = (-0.05 * math.sin(slope), 0.05 * math.cos(slope), 0)
        node = a.node("box", place, rotation=turn, motion={"mass": 1.0}, collider=collider)
        direction = (-math.cos(slope), -math.sin(slope), 0.0)
        signal = position(node, direction)
        held = at(signal, (0.5, 1), "0", 0.02, "µ is above the tangent of the slope")
        down = at(
            signal,
            (0.5, 1),
            "g*(sin(s) - m*cos(s))*t**2/2",
            0.08,
            "the pull along the slope less friction",
            s=slope,
            m=moving,
        )
        yield case(
            name=f"slope_{name}",
            sentence=sentence,
            asset=a,
            checks=[held if still > 0.5 else down],
        )


def restitution() -> Iterator[Case]:
    """Yield cases of a ball that bounces."""
    for value in (0.3, 0.5, 0.7, 0.9, 1.0):
        a = Asset()
        bouncy = {"restitution": value}
        node = drop(a, bouncy, bouncy)
        yield case(
            name=f"restitution_{str(value).replace('.', '_')}",
            sentence=f"A coefficient of restitution of {value:g} returns that part of the speed.",
            asset=a,
            seconds=1.2,
            checks=rebounds(node, "e", e=value),
        )
    a = Asset()
    node = drop(a, {"restitution": 0.0}, {"restitution": 0.0})
    yield case(
        name="restitution_0",
        sentence="Without restitution a ball does not bounce.",
        asset=a,
        seconds=1.2,
        checks=[within(position(node, Y), (0.55, 1.2), 0.03, least="0.25", most="0.25")],
    )
    for first, second in ((1.0, 1.0), (1.0, 3.0), (4.0, 1.0)):
        a = Asset()
        material = a.material(restitution=1.0, staticFriction=0.0, dynamicFriction=0.0)
        collider = {"geometry": a.sphere(0.25), "physicsMaterial": material}
        free = {"gravityFactor": 0.0, "inertiaDiagonal": [0.1] * 3}
        one = a.node(
            "a",
            (-1, 0, 0),
            motion={**free, "mass": first, "linearVelocity": [3.0, 0, 0]},
            collider=collider,
        )
        two = a.node("b", motion={**free, "mass": second}, collider=collider)
        values = {"a": first, "b": second, "v": 3.0}
        why = "momentum and energy are kept"
        yield case(
            name=f"elastic_{first:g}_to_{second:g}",
            sentence=f"With a restitution of 1 an impact of {first:g} kg on {second:g} kg is "
            "elastic.",
            asset=a,
            checks=[
                at(
                    position(one, X),
                    (0.6, 1),
                    "-0.5 + v*(a - b)/(a + b)*(t - 1/6)",
                    0.2,
                    why,
                    **values,
                ),
                at(position(two, X), (0.6, 1), "2*a*v/(a + b)*(t - 1/6)", 0.2, why, **values),
            ],
        )


def modes() -> Iterator[Case]:
    """Yield cases of each combine mode, on both materials."""
    for mode, text in COMBINED.items():
        a = Asset()
        node = slide(a, _rough(0.2, mode), _rough(0.6, mode))
        yield case(
            name=f"friction_{mode}",
            sentence=f"frictionCombine {mode!r} combines the values of both materials.",
            asset=a,
            seconds=2.4,
            checks=stops(node, text, a=0.2, b=0.6),
        )
        a = Asset()
        node = drop(a, _bouncy(0.4, mode), _bouncy(0.9, mode))
        yield case(
            name=f"restitution_{mode}",
            sentence=f"restitutionCombine {mode!r} combines the values of both materials.",
            asset=a,
            seconds=1.2,
            checks=rebounds(node, text, a=0.4, b=0.9),
        )


def priorities() -> Iterator[Case]:
    """Yield cases of two different modes: the stronger counts, whichever side it is on."""
    for index, (strong, weak) in enumerate(itertools.combinations(MODES, 2)):
        a = Asset()
        pair = (strong, weak) if index % 2 else (weak, strong)
        node = slide(a, _rough(0.2, pair[0]), _rough(0.6, pair[1]))
        yield case(
            name=f"friction_{strong}_over_{weak}",
            sentence=f"If either uses {strong!r} it counts, before {weak!r}, for friction.",
            asset=a,
            seconds=2.4,
            checks=stops(node, COMBINED[strong], a=0.2, b=0.6),
        )
        a = Asset()
        node = drop(a, _bouncy(0.4, pair[1]), _bouncy(0.9, pair[0]))
        yield case(
            name=f"restitution_{strong}_over_{weak}",
            sentence=f"If either uses {strong!r} it counts, before {weak!r}, for restitution.",
            asset=a,
            seconds=1.2,
            checks=rebounds(node, COMBINED[strong], a=0.4, b=0.9),
        )


def _rough(value: float, mode: str | None = None) -> dict[str, Any]:
    chosen = {} if mode is None else {"frictionCombine": mode}
    return {"staticFriction": value, "dynamicFriction": value, **chosen}


def _bouncy(value: float, mode: str | None = None) -> dict[str, Any]:
    return {"restitution": value} | ({} if mode is None else {"restitutionCombine": mode})


def decisions() -> Iterator[Case]:
    """Yield cases about points that the text leaves open."""
    silent = "A material without a mode has no vote; with no mode at all, the larger value counts."
    for mode in MODES:
        a = Asset()
        node = slide(a, _rough(0.2), _rough(0.6, mode))
        yield case(
            name=f"friction_absent_and_{mode}",
            sentence=f"One material has no frictionCombine, the other {mode!r}.",
            tier="decision",
            decision=silent,
            asset=a,
            seconds=2.4,
            checks=stops(node, COMBINED[mode], a=0.2, b=0.6),
        )
    a = Asset()
    node = slide(a, _rough(0.2), _rough(0.6))
    yield case(
        name="friction_absent_modes",
        sentence="Neither material has a frictionCombine.",
        tier="decision",
        decision=silent,
        asset=a,
        seconds=2.4,
        checks=stops(node, "max(a, b)", a=0.2, b=0.6),
    )
    a = Asset()
    node = drop(a, _bouncy(0.4), _bouncy(0.9))
    yield case(
        name="restitution_absent_modes",
        sentence="Neither material has a restitutionCombine.",
        tier="decision",
        decision=silent,
        asset=a,
        seconds=1.2,
        checks=rebounds(node, "max(a, b)", a=0.4, b=0.9),
    )
    default = "Friction 0.6, restitution 0: the defaults of a material without members."
    a = Asset()
    node = slide(a, None, None)
    yield case(
        name="friction_without_material",
        sentence="Without a material the engine chooses a friction.",
        tier="decision",
        decision=default,
        asset=a,
        seconds=2.4,
        checks=stops(node, "m", m=0.6),
    )
    a = Asset()
    node = slide(a, {}, {})
    yield case(
        name="friction_default",
        sentence="The friction of a material is 0.6 unless it says otherwise.",
        asset=a,
        seconds=2.4,
        checks=stops(node, "m", m=0.6),
    )
    a = Asset()
    node = drop(a, {}, {})
    yield case(
        name="restitution_default",
        sentence="The restitution of a material is 0 unless it says otherwise.",
        asset=a,
        seconds=1.2,
        checks=[within(position(node, Y), (0.55, 1.2), 0.03, least="0.25", most="0.25")],
    )

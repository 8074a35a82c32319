"""Who touches whom, and how: masks, excluded pairs of bodies, pairs of geoms with surfaces."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations, combinations_with_replacement, islice, product
from typing import Final, NamedTuple
from xml.etree.ElementTree import Element

import numpy as np

from ligament.convert.mjcf.links import Link
from ligament.convert.mjcf.markup import Value, add
from ligament.convert.source import Source
from ligament.extensions.declarations import Material
from ligament.physics.filters import bit_per_biclique, bit_per_class, compile_filters
from ligament.physics.materials import combine

MOST_PAIRS: Final = 20_000
"""Pairs of geoms that are written one by one; beyond that MuJoCo's own rules must do."""

STEPS: Final = 16
"""Steps that a bounce takes: with fewer, the depth at which a step finds the contact adds speed;
with more, it sinks deeper."""

STILL: Final = (0.15, 0.8)
"""Frequency and damping of contacts without bounce, in parts of those that a step can take."""

_MOST_DAMPED: Final = 2.0
"""A damping ratio at which 5 % of the speed are given back."""

IMPEDANCE: Final = (0.98, 0.98, 0.001)


class Grip(NamedTuple):
    """How two geoms rub and bounce in MuJoCo."""

    friction: float
    restitution: float

    def attributes(self, step: float) -> dict[str, Value]:
        """Return the parameters of the solver, with steps of `step` [s].

        Friction must not bounce: it keeps the damping of contacts that do not.
        """
        stiffness, damping = bounce(self.restitution, step)
        values: dict[str, Value] = {"solref": (-stiffness, -damping), "solimp": IMPEDANCE}
        if self.restitution > 0:
            stiffness, damping = bounce(0.0, step)
            values["solreffriction"] = (-stiffness, -damping)
        return values


class Contacts:
    """Works out the masks of all geoms, and which pairs need words of their own.

    Sensors touch nothing. MuJoCo's masks ask whether *one* of two geoms accepts the other: a bit
    for each class of filters says the same as the file, up to 32 classes, and a bit for each set
    of classes that meet each other beyond that. What no bits can say is written as pairs.
    """

    def __init__(self, source: Source, link_of: Sequence[Link | None], step: float) -> None:
        self.source, self.link_of, self.step = source, link_of, step
        self.colliders = source.scene.colliders
        self.solid = [i for i, each in enumerate(self.colliders) if not each.is_sensor]
        masks = compile_filters([each.filter for each in self.colliders])
        self._meet = masks.meet
        code = bit_per_class(masks.matrix) or bit_per_biclique(
            masks.matrix, np.bincount(masks.classes)
        )
        self.is_masked = code.exact[masks.classes]
        signed = (code.memberships.view(np.int32), code.filters.view(np.int32))
        self.types, self.affinities = (each[masks.classes].astype(int) for each in signed)
        self._ignored = {frozenset(pair) for joint in source.scene.joints for pair in joint.ignores}

    def attributes(self, index: int) -> dict[str, Value]:
        """Return the masks and the surface of the geom of a collider."""
        if self.colliders[index].is_sensor:
            return {"contype": 0, "conaffinity": 0}
        grip = Grip(self.colliders[index].material.dynamic_friction, 0.0)
        masks = (int(self.types[index]), int(self.affinities[index]))
        contype, conaffinity = masks if self.is_masked[index] else (0, 0)
        return {
            "contype": contype,
            "conaffinity": conaffinity,
            "friction": (grip.friction, 0.005, 0.0001),
            **grip.attributes(self.step),
        }

    def write(self, contact: Element, geoms: Sequence[str]) -> None:
        """Write excluded pairs of bodies, and the pairs of geoms that MuJoCo would get wrong."""
        for a, b in sorted(sorted(pair) for pair in self._ignored):
            first, second = self.link_of[a], self.link_of[b]
            if first is not None and second is not None:
                add(contact, "exclude", {"body1": first.name, "body2": second.name})
        pairs = list(islice(self._special(), MOST_PAIRS + 1))
        if len(pairs) > MOST_PAIRS:
            reason = f"MuJoCo has one rule, and more than {MOST_PAIRS} pairs of geoms need others"
            effect = "the larger friction counts, and nothing bounces"
            self.source.lose("/nodes", "how surfaces combine", reason, effect)
            return
        for one, other, grip in pairs:
            friction = (grip.friction, grip.friction, 0.005, 0.0001, 0.0001)
            names = {"geom1": geoms[one], "geom2": geoms[other]}
            add(contact, "pair", {**names, "friction": friction, **grip.attributes(self.step)})

    def _special(self) -> Iterator[tuple[int, int, Grip]]:
        """Yield the pairs of colliders that meet otherwise than MuJoCo would have it."""
        groups: dict[Material, list[int]] = {}
        for index in self.solid:
            groups.setdefault(self.colliders[index].material, []).append(index)
        for first, second in combinations_with_replacement(groups, 2):
            grip = _wanted(first, second)
            is_usual = grip == _usual(first, second)
            if is_usual and self.is_masked.all():
                continue
            inside = combinations(groups[first], 2)
            pairs = inside if first == second else product(groups[first], groups[second])
            for one, other in pairs:
                is_known = is_usual and self.is_masked[one] and self.is_masked[other]
                if not is_known and self._touch(one, other):
                    yield one, other, grip

    def _touch(self, one: int, other: int) -> bool:
        """Tell whether two solid colliders can meet at all."""
        a, b = self.colliders[one].body, self.colliders[other].body
        if a == b or frozenset((a, b)) in self._ignored or not self._meet(one, other):
            return False
        return any(_moves(self.link_of[body]) for body in (a, b))

    def tell(self) -> None:
        """Say what is lost about surfaces and sensors."""
        for collider in self.colliders:
            pointer = self.source.collider_pointer(collider.node)
            material = collider.material
            if collider.is_sensor:
                effect = "it is a geom of group 4 that touches nothing"
                self.source.lose(pointer, "a trigger", "MuJoCo reports no overlaps", effect)
            elif material.static_friction != material.dynamic_friction:
                effect = f"{material.dynamic_friction:g} counts, not {material.static_friction:g}"
                self.source.lose(pointer, "static friction", "MuJoCo has one friction", effect)
            if not collider.is_sensor and material.restitution > 0:
                self._tell_bounce(pointer, material.restitution)
            if collider.moves:
                effect = "it stays where it is at the start"
                reason = "MuJoCo's geoms are fixed to their bodies"
                self.source.lose(pointer, "a collider that an animation moves", reason, effect)

    def _tell_bounce(self, pointer: str, restitution: float) -> None:
        stiffness, _ = bounce(restitution, self.step)
        rate = math.sqrt(stiffness)
        effect = (
            f"contacts are springs of {math.pi / rate:.3g} s that sink {1 / rate:.3g} m per m/s"
            + ("; more than 1 is 1" if restitution > 1 else "")
        )
        self.source.lose(pointer, "restitution", "MuJoCo has none", effect)


def _moves(link: Link | None) -> bool:
    return link is not None and any(above.dofs for above in link.chain)


def _wanted(a: Material, b: Material) -> Grip:
    surface = combine(a, b)
    return Grip(surface.dynamic_friction, surface.restitution)


def _usual(a: Material, b: Material) -> Grip:
    """Return what MuJoCo makes of two geoms: the larger friction, and no bounce."""
    return Grip(max(a.dynamic_friction, b.dynamic_friction), 0.0)


def bounce(restitution: float, step: float) -> tuple[float, float]:
    """Return stiffness [1/s²] and damping [1/s] of a contact that gives back part of the speed.

    The contact is a spring and damper that never pulls, and lasts STEPS steps. A step takes the
    part `damping · step` of the speed at once; what is written makes up for that.
    """
    if restitution <= 0:
        return (STILL[0] / step) ** 2, STILL[1] / step
    rate = math.pi / (STEPS * step)
    damping = 2 * damping_ratio(min(restitution, 1.0)) * rate
    return rate * rate, -math.expm1(-damping * step) / step


def damping_ratio(restitution: float) -> float:
    """Return the damping ratio at which a spring that never pulls gives back part of the speed.

    From 0 to the greatest that a step resolves.
    """
    low, high = 0.0, _MOST_DAMPED
    if restitution <= given_back(high):
        return high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if given_back(middle) > restitution else (low, middle)
    return (low + high) / 2


def given_back(ratio: float) -> float:
    """Return the part of the speed left when the force of a spring and damper ends (ratio ≥ 0).

    The force k x + c v of the damped oscillation from x = 0 first vanishes there.
    """
    if ratio == 1:
        return math.exp(-2.0)
    if ratio > 1:
        root = math.sqrt(ratio * ratio - 1)
        return math.exp(-ratio / root * math.log((ratio + root) / (ratio - root)))
    root = math.sqrt(1 - ratio * ratio)
    # atan2 takes the branch that the two cases of the closed form write apart.
    return math.exp(-ratio / root * (math.pi - math.atan2(2 * ratio * root, 1 - 2 * ratio * ratio)))

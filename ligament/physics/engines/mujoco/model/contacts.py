"""Contacts: collision masks, excluded pairs of bodies, pairs of geoms with their own surfaces."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import combinations, islice, product
from typing import Final, NamedTuple

import numpy as np

from ligament.arrays import Indices
from ligament.extensions.rigid_bodies import Combine, Material
from ligament.physics.engines.mujoco.model.elements import Element, Subject, Value
from ligament.physics.engines.mujoco.model.links import Link
from ligament.physics.filters import bit_per_biclique, bit_per_class, compile_filters
from ligament.physics.materials import MaterialTable, strongest
from ligament.physics.scene import Collider
from ligament.physics.shapes import Sphere

MOST_PAIRS: Final = 20_000
"""Most pairs of geoms that are written one by one; beyond that MuJoCo's own rules apply."""

STEPS: Final = 16
"""Steps that a bounce takes: with fewer, the depth at which a contact is found adds speed; with
more, bodies sink in deeper."""

STILL: Final = (0.15, 0.8)
"""Frequency and damping of contacts without bounce, times the step."""

_MOST_DAMPED: Final = 2.0
"""A damping ratio at which 5 % of the speed is restored."""

_FEW: Final = 16

_FAR: Final = 10.0
"""Depth [m] at which even a sensor would push."""

IMPEDANCE: Final = (0.98, 0.98, 0.001)


class Grip(NamedTuple):
    """Friction and restitution of a contact between two geoms."""

    friction: float
    restitution: float

    def attributes(self, step: float) -> dict[str, Value]:
        """Return the solver parameters for steps of `step` [s].

        Friction must not bounce: it keeps the damping of contacts that do not.
        """
        stiffness, damping = bounce(self.restitution, step)
        values: dict[str, Value] = {"solref": (-stiffness, -damping), "solimp": IMPEDANCE}
        if self.restitution > 0:
            stiffness, damping = bounce(0.0, step)
            values["solreffriction"] = (-stiffness, -damping)
        return values


class Contacts:
    """Collision masks of all geoms, and the pairs that need a separate element.

    Sensors have no contacts. In MuJoCo, two geoms collide if *one* of them accepts the other. Up to
    32 classes of filters, one bit per class is exact; beyond that, one bit per set of classes that
    collide with each other. Collisions that bits cannot express are written as pairs, and so are
    those of the `paired` colliders, whose surfaces will change. With `senses`, sensors have
    contacts that do not push.
    """

    def __init__(
        self,
        subject: Subject,
        link_of: Sequence[Link | None],
        step: float,
        *,
        paired: frozenset[int] = frozenset(),
        senses: bool = False,
    ) -> None:
        self.subject, self.link_of, self.step = subject, link_of, step
        self._paired, self._senses = paired, senses
        self.colliders = subject.scene.colliders
        self.solid = [i for i, each in enumerate(self.colliders) if not each.is_sensor]
        masks = compile_filters([each.filter for each in self.colliders])
        self._masks, self._meet = masks, masks.meet
        code = bit_per_class(masks.matrix) or bit_per_biclique(
            masks.matrix, np.bincount(masks.classes)
        )
        self.is_masked = code.exact[masks.classes]
        signed = (code.memberships.view(np.int32), code.filters.view(np.int32))
        self.types, self.affinities = (each[masks.classes].astype(int) for each in signed)
        self._ignored = {
            frozenset(pair) for joint in subject.scene.joints for pair in joint.ignores
        }
        self._ignored |= {frozenset(pair) for pair in subject.scene.carried}
        self._ignored |= self._driven_pairs()

    def _driven_pairs(self) -> set[frozenset[int]]:
        """Return the pairs of heavy bodies that could touch: nothing else gives way to them.

        Their forces, of 1e9 N, leave the solver no digits for those of all other bodies.
        """
        bodies, meet = self.subject.scene.bodies, self._meet
        solid = [i for i in self.solid if not bodies[self.colliders[i].body].is_free]
        driven = [i for i in solid if _moves(self.link_of[self.colliders[i].body])]
        met = ((a, b) for a, b in combinations(driven, 2) if meet(a, b))
        pairs = (frozenset((self.colliders[a].body, self.colliders[b].body)) for a, b in met)
        return set(islice((pair for pair in pairs if len(pair) > 1), MOST_PAIRS))

    def attributes(self, index: int) -> dict[str, Value]:
        """Return the masks and the surface of a collider's geom."""
        if self.colliders[index].is_sensor and not self._senses:
            return {"contype": 0, "conaffinity": 0}
        grip = Grip(self.colliders[index].material.dynamic_friction, 0.0)
        masks = (int(self.types[index]), int(self.affinities[index]))
        contype, conaffinity = masks if self.is_masked[index] else (0, 0)
        if self.colliders[index].is_sensor:
            # Forces act only below the margin; contacts are detected below margin plus gap.
            found = {"margin": -_FAR, "gap": _FAR}
            return {"contype": contype, "conaffinity": conaffinity, **found}
        return {
            "contype": contype,
            "conaffinity": conaffinity,
            "friction": (grip.friction, 0.005, 0.0001),
            **grip.attributes(self.step),
        }

    def write(self, contact: Element, geoms: Sequence[Sequence[str]]) -> None:
        """Add excluded pairs of bodies, and pairs of geoms for which MuJoCo's rules are wrong."""
        for a, b in sorted(sorted(pair) for pair in self._ignored):
            first, second = self.link_of[a], self.link_of[b]
            if first is not None and second is not None:
                contact.add("exclude", {"body1": first.name, "body2": second.name})
        pairs = list(islice(self._special(), MOST_PAIRS + 1))
        if len(pairs) > MOST_PAIRS:
            reason = f"MuJoCo has one rule, and more than {MOST_PAIRS} pairs of geoms need others"
            effect = "the larger friction is used, and nothing bounces"
            self.subject.lose("/nodes", "how surfaces combine", reason, effect)
            return
        for one, other, grip in pairs:
            friction = (grip.friction, grip.friction, 0.005, 0.0001, 0.0001)
            for geom1, geom2 in product(geoms[one], geoms[other]):
                names = {"geom1": geom1, "geom2": geom2}
                contact.add("pair", {**names, "friction": friction, **grip.attributes(self.step)})

    def _special(self) -> Iterator[tuple[int, int, Grip]]:
        """Yield the pairs of colliders for which MuJoCo's own rules are wrong."""
        groups: dict[Material, list[int]] = {}
        for index in self.solid:
            groups.setdefault(self.colliders[index].material, []).append(index)
        materials = [*groups]
        moves = [any(self._is_moving(i) for i in groups[each]) for each in materials]
        needs_all = bool(self._paired) or not self.is_masked.all()
        for i, j, grip in _grips(materials, moves, needs_all=needs_all):
            first, second = materials[i], materials[j]
            is_usual = grip == _default_grip(first, second)
            for place, one in enumerate(groups[first]):
                others = groups[second][place + 1 :] if i == j else groups[second]
                for other in (
                    self._unmasked(one, others) if is_usual else self._colliding(one, others)
                ):
                    if self._touch(one, other):
                        yield one, other, grip

    def _colliding(self, one: int, others: list[int]) -> list[int]:
        """Return the colliders that a collider meets by their filters."""
        if len(others) < _FEW:
            return others
        row = self._masks.matrix[self._masks.classes[one], self._masks.classes[others]]
        return [others[place] for place in np.flatnonzero(row)]

    def _unmasked(self, one: int, others: list[int]) -> list[int]:
        """Return the colliders that one meets without masks, or whose surfaces will change."""
        if self.is_masked[one] and one not in self._paired:
            is_open = self._paired.__contains__
            others = [each for each in others if not self.is_masked[each] or is_open(each)]
        return self._colliding(one, others)

    def _touch(self, one: int, other: int) -> bool:
        """Tell whether two solid colliders can collide at all."""
        a, b = self.colliders[one].body, self.colliders[other].body
        if a == b or frozenset((a, b)) in self._ignored or not self._meet(one, other):
            return False
        return self._is_moving(one) or self._is_moving(other)

    def _is_moving(self, collider: int) -> bool:
        return _moves(self.link_of[self.colliders[collider].body])

    def report_losses(self, *, is_run: bool) -> None:
        """Report the losses of surfaces and sensors."""
        for collider in self.colliders:
            pointer = self.subject.collider_pointer(collider.node)
            material = collider.material
            if collider.is_sensor and not is_run:
                effect = "it is a geom of group 4 that touches nothing"
                self.subject.lose(pointer, "a trigger", "MuJoCo reports no overlaps", effect)
            elif not collider.is_sensor and (material.static_friction != material.dynamic_friction):
                effect = f"{material.dynamic_friction:g} is used, not {material.static_friction:g}"
                self.subject.lose(
                    pointer, "static friction", "MuJoCo has one friction coefficient", effect
                )
            is_sprung = not is_run or self._senses or self._bounces_flat(collider)
            if not collider.is_sensor and material.restitution > 0 and is_sprung:
                self._report_bounce(pointer, material.restitution)
            if collider.moves and not collider.is_sensor:
                effect = "it keeps its initial pose"
                if is_run:
                    effect = "its surface has no velocity, so that what it lifts or drags lags"
                reason = "MuJoCo's geoms are fixed to their bodies"
                self.subject.lose(pointer, "a collider that an animation moves", reason, effect)

    def _bounces_flat(self, collider: Collider) -> bool:
        """Tell whether a collider can bounce off another at more than a point; spheres cannot."""
        if _is_sphere(collider):
            return False
        is_moving = _moves(self.link_of[collider.body])
        if all(self.colliders[i].body == collider.body for i in self.solid):
            return True  # with whatever it may meet
        return any(
            body != collider.body and (is_moving or moves) for body, moves in self._flat.items()
        )

    @cached_property
    def _flat(self) -> dict[int, bool]:
        """The bodies with other shapes than spheres, and whether they move."""
        flat = {self.colliders[i].body for i in self.solid if not _is_sphere(self.colliders[i])}
        return {body: _moves(self.link_of[body]) for body in flat}

    def _report_bounce(self, pointer: str, restitution: float) -> None:
        stiffness, _ = bounce(restitution, self.step)
        rate = math.sqrt(stiffness)
        effect = (
            f"contacts are springs of {math.pi / rate:.3g} s that sink {1 / rate:.3g} m per m/s"
            + ("; more than 1 is 1" if restitution > 1 else "")
        )
        self.subject.lose(pointer, "restitution", "MuJoCo has none", effect)


def _is_sphere(collider: Collider) -> bool:
    return isinstance(collider.shape, Sphere)


def _moves(link: Link | None) -> bool:
    return link is not None and any(above.dofs for above in link.chain)


class _Sort(NamedTuple):
    """Materials that combine alike: their rules, whether they bounce, whether anything moves."""

    friction: Combine | None
    restitution: Combine | None
    bounces: bool
    moves: bool

    def is_usual_with(self, other: _Sort) -> bool:
        """Tell whether all such pairs combine as in MuJoCo, or none of them can collide."""
        if not (self.moves or other.moves):
            return True
        if strongest(self.friction, other.friction) is not Combine.MAXIMUM:
            return False
        rule = strongest(self.restitution, other.restitution)
        counts = any if rule in (Combine.MAXIMUM, Combine.AVERAGE) else all
        return not counts((self.bounces, other.bounces))


def _grips(
    materials: Sequence[Material], moves: Sequence[bool], *, needs_all: bool
) -> Iterator[tuple[int, int, Grip]]:
    """Yield the contacts of pairs of materials; usual ones only if they are needed.

    `moves` says of which materials any collider can move.
    """
    table = MaterialTable(materials)
    friction = np.array([material.dynamic_friction for material in materials])
    sorts = [
        _Sort(each.friction_combine, each.restitution_combine, each.restitution != 0, is_moving)
        for each, is_moving in zip(materials, moves, strict=True)
    ]
    members: dict[_Sort, list[int]] = {}
    for i, sort in enumerate(sorts):
        members.setdefault(sort, []).append(i)
    met: dict[_Sort, Indices] = {}
    for one in members:
        parts = [m for other, m in members.items() if needs_all or not one.is_usual_with(other)]
        met[one] = np.sort(np.array([i for part in parts for i in part], np.intp))
    for i, sort in enumerate(sorts):
        others = met[sort][np.searchsorted(met[sort], i) :]
        if not others.size:
            continue
        row = table.combined(slice(i, i + 1), others)[0, :, 1:]
        is_needed = (row[:, 0] != np.maximum(friction[others], friction[i])) | (row[:, 1] != 0)
        for place in np.flatnonzero(is_needed | needs_all).tolist():
            yield i, int(others[place]), Grip(*row[place].tolist())


def _default_grip(a: Material, b: Material) -> Grip:
    """Return MuJoCo's own combination: the larger friction, and no restitution."""
    return Grip(max(a.dynamic_friction, b.dynamic_friction), 0.0)


def bounce(restitution: float, step: float) -> tuple[float, float]:
    """Return the stiffness [1/s²] and damping [1/s] of a contact with a restitution.

    The contact is a spring and damper that never pulls, and lasts STEPS steps. A step removes the
    part `damping · step` of the speed at once, which the result compensates.
    """
    if restitution <= 0:
        return (STILL[0] / step) ** 2, STILL[1] / step
    rate = math.pi / (STEPS * step)
    damping = 2 * damping_ratio(min(restitution, 1.0)) * rate
    return rate * rate, -math.expm1(-damping * step) / step


def damping_ratio(restitution: float) -> float:
    """Return the damping ratio at which a spring that never pulls restores part of the speed.

    It lies between 0 and the largest that a step resolves.
    """
    low, high = 0.0, _MOST_DAMPED
    if restitution <= given_back(high):
        return high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if given_back(middle) > restitution else (low, middle)
    return (low + high) / 2


def given_back(ratio: float) -> float:
    """Return the part of the speed that a spring and damper of a ratio ≥ 0 restores.

    Contact ends where the force k x + c v of the damped oscillation from x = 0 first vanishes.
    """
    if ratio == 1:
        return math.exp(-2.0)
    if ratio > 1:
        root = math.sqrt(ratio * ratio - 1)
        return math.exp(-ratio / root * math.log((ratio + root) / (ratio - root)))
    root = math.sqrt(1 - ratio * ratio)
    # atan2 selects the branch that the closed form writes as two cases.
    return math.exp(-ratio / root * (math.pi - math.atan2(2 * ratio * root, 1 - 2 * ratio * ratio)))

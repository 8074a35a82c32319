"""Friction, restitution and contacts: the engine's own where they are right, a hook elsewhere.

The engine has one coefficient of friction, and ranks the combine modes in another order. A hook
into Python costs as much as solving a pair ten times over, so only colliders that may meet one for
which the engine would be wrong have a hook.

Filters, surfaces, tiles and shapes make up the plan of colliders, which similar scenes share.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import rapier3d as rp

from ligament.arrays import Bools, Floats, Indices
from ligament.extensions.rigid_bodies import Combine, Material
from ligament.extensions.shapes import Cylinder
from ligament.physics.engines.rapier.effort.settings import RapierSettings
from ligament.physics.engines.rapier.stage import Stage
from ligament.physics.engines.rapier.state.bodies import BodySource
from ligament.physics.engines.rapier.workarounds.inner_edges import InnerEdges
from ligament.physics.engines.rapier.workarounds.lying import LyingContacts
from ligament.physics.engines.rapier.workarounds.round_contacts import RoundContacts, round_shape
from ligament.physics.engines.rapier.workarounds.spinning import RoundShape, SpinningContacts
from ligament.physics.engines.rapier.world.shapes import ShapeBuilder
from ligament.physics.engines.rapier.world.tiles import MakeTile, find_layers, find_tiles
from ligament.physics.filters import Masks, compile_filters
from ligament.physics.materials import STICK_SPEED, MaterialTable, Surface, combine
from ligament.physics.scene import Body, Collider, Scene
from ligament.physics.shapes import Box, Capsule, Hull, Sphere

_COMPUTE_IMPULSES: Final = rp.SolverFlags.COMPUTE_IMPULSES
_STICK_SPEED_SQUARED: Final = STICK_SPEED**2


@dataclasses.dataclass
class Corrections(Stage):
    """Corrections of contacts in the order in which they are made; None for those not needed.

    `curved` are the solids with faces that may meet meshes, by the index in the scene.
    """

    edges: InnerEdges | None = None
    lying: LyingContacts | None = None
    rounds: RoundContacts | None = None
    spins: SpinningContacts | None = None
    curved: frozenset[int] = frozenset()

    @property
    def is_needed(self) -> bool:
        """Whether any contact may need a correction."""
        return any((self.edges, self.lying, self.rounds, self.spins, self.curved))

    def bind(self, world: rp.PhysicsWorld, source: BodySource) -> None:
        """Bind to a world, whose gravity pulls on the bodies."""
        self._world = world

    def before_step(self, now: int) -> None:
        """Prepare for the contacts of the next step."""
        if self.edges is not None:
            self.edges.before_step(self._world.gravity.to_tuple())

    def correct(self, context: rp.ContactModificationContext, first: int, second: int) -> None:
        """Correct the contacts between two colliders, given by the engine's indices."""
        if self.edges is not None:
            self.edges.correct(context, first, second)
        if self.lying is not None:
            self.lying.correct(context)
        if self.rounds is not None:
            self.rounds.correct(context)
        if self.spins is not None:
            self.spins.correct(context)


def find_curved(scene: Scene) -> frozenset[int]:
    """Return the free solids with faces, whose contacts on meshes the engine gets wrong."""
    return frozenset(
        i
        for i, each in enumerate(scene.colliders)
        if isinstance(each.shape, Box | Cylinder | Hull)
        and not may_be_round(each)
        and scene.bodies[each.body].is_free
        and not (each.is_sensor or each.moves or each.changes)
    )


def make_corrections(
    scene: Scene,
    indices: Sequence[int],
    tiles: Mapping[int, MakeTile],
    curved: frozenset[int],
    bodies: Sequence[rp.RigidBodyHandle],
    settings: RapierSettings,
) -> Corrections:
    """Return the corrections for a scene.

    `indices` maps the engine's index of a collider to that of the scene; `tiles`, and the `curved`
    colliders that may meet some of them, are given by the latter.
    """
    colliders = [scene.colliders[index] for index in indices]
    edges = _edges(scene, indices, tiles, bodies, settings.step)
    spins = _spins(colliders, settings)
    lying = LyingContacts(colliders) if edges is not None or spins is not None else None
    if lying is not None and not lying.is_needed:
        lying = None
    return Corrections(edges, lying, _rounds(colliders, settings.step), spins, curved)


def _edges(
    scene: Scene,
    indices: Sequence[int],
    tiles: Mapping[int, MakeTile],
    bodies: Sequence[rp.RigidBodyHandle],
    step: float,
) -> InnerEdges | None:
    if not tiles:
        return None
    number = {index: i for i, index in enumerate(indices)}
    by_number = {number[i]: tile for i, tile in tiles.items() if i in number}
    rollers = {
        number[i]: max(collider.shape.radius_bottom, collider.shape.radius_top)
        for i, collider in enumerate(scene.colliders)
        if i in number and isinstance(collider.shape, Cylinder) and not collider.changes
    }
    return InnerEdges(by_number, bodies, scene, rollers, step) if by_number else None


def _rounds(colliders: Sequence[Collider], step: float) -> RoundContacts | None:
    if not any(may_be_round(collider) for collider in colliders):
        return None
    found = RoundContacts(step)
    for i, collider in enumerate(colliders):
        found.set(i, collider.shape)
    return found


def _spins(colliders: Sequence[Collider], settings: RapierSettings) -> SpinningContacts | None:
    if settings.native or not any(isinstance(c.shape, RoundShape) for c in colliders):
        return None
    return SpinningContacts(colliders, settings.step)


def may_be_round(collider: Collider) -> bool:
    """Tell whether a collider is, or may become, an unevenly scaled ball or capsule."""
    shape = collider.shape
    if collider.is_sensor:
        return False
    if isinstance(shape, Hull):
        return collider.changes or round_shape(shape) is not None
    return collider.changes and isinstance(shape, Sphere | Capsule)


class PairHooks:
    """Hooks for pairs of which at least one collider is flagged.

    `known` maps the engine's index of a collider to that in the scene.
    """

    def __init__(
        self,
        plan: SurfacePlan,
        masks: Masks,
        known: list[int],
        corrections: Corrections | None = None,
    ) -> None:
        self._surfaces = plan.surfaces
        self._corrections = corrections
        self._material = [plan.which[i] for i in known]
        self._is_hooked = [plan.is_hooked(i) for i in known]
        self._class = [int(masks.classes[i]) for i in known]
        is_small = len(masks.matrix) <= _MOST_LISTED
        self._matrix = masks.matrix.tolist() if is_small else masks.matrix

    def is_asked(self, collider: int) -> bool:
        """Tell whether pairs of a collider need the hook, however it moves."""
        return self._is_hooked[collider]

    def _meet(self, context: rp.PairFilterContext) -> bool:
        row = self._matrix[self._class[context.collider1.index]]
        return bool(row[self._class[context.collider2.index]])

    def filter_contact_pair(self, context: rp.PairFilterContext) -> rp.SolverFlags | None:
        """Allow collisions only if both filters agree."""
        return _COMPUTE_IMPULSES if self._meet(context) else None

    def filter_intersection_pair(self, context: rp.PairFilterContext) -> bool:
        """Apply the filters to sensors, as the engine's protocol requires; the world has none."""
        return self._meet(context)

    def modify_solver_contacts(self, context: rp.ContactModificationContext) -> None:
        """Set the friction and restitution of a pair by its materials, on their true surfaces."""
        if not context.num_solver_contacts():
            return
        a, b = context.collider1.index, context.collider2.index
        if self._corrections is not None:
            self._corrections.correct(context, a, b)
        if not (self._is_hooked[a] or self._is_hooked[b]):
            return
        row = self._surfaces[self._material[a]]
        static, dynamic, context.restitution = row[self._material[b]]
        if static == dynamic or not context.num_solver_contacts():  # all may have been dropped
            context.friction = dynamic
        else:
            context.friction = static if _is_sticking(context) else dynamic


def _is_sticking(context: rp.ContactModificationContext) -> bool:
    """Tell whether two bodies hardly slide at their first contact."""
    point = context.solver_contacts[0].point
    vx, vy, vz = _velocity(context, context.rigid_body2, point)
    ux, uy, uz = _velocity(context, context.rigid_body1, point)
    nx, ny, nz = context.normal.to_tuple()
    x, y, z = vx - ux, vy - uy, vz - uz
    along = x * nx + y * ny + z * nz
    return x * x + y * y + z * z - along * along < _STICK_SPEED_SQUARED


def _velocity(
    context: rp.ContactModificationContext, body: rp.RigidBodyHandle | None, point: rp.Point3
) -> tuple[float, float, float]:
    if body is None:
        return 0.0, 0.0, 0.0
    return context.bodies[body].velocity_at_point(point).to_tuple()


_Rule: Final = rp.CoefficientCombineRule
RULES: Final = (_Rule.AVERAGE, _Rule.MIN, _Rule.MULTIPLY, _Rule.MAX)
"""The engine's rules; of two colliders, the rule later in this list counts."""

_FIRST_CHOICE: Final[dict[Combine | None, int]] = {
    Combine.AVERAGE: 0,
    Combine.MINIMUM: 1,
    Combine.MULTIPLY: 2,
    Combine.MAXIMUM: 3,
    None: 3,
}
_TOLERANCE: Final = 1e-6
_ROUNDS: Final = 4

MOST_PLANNED: Final = 512
"""Most materials for which rules are chosen; with more, every pair uses the hook."""

_MOST_LISTED: Final = 1000
_MOST_GROUPS: Final = 5000


@dataclasses.dataclass(frozen=True, eq=False)
class SurfacePlan:
    """Materials for the engine.

    `which` holds the material of each collider, `hooked` (M,) whether its pairs need the
    hook, and `surfaces[a][b]` the combination of two materials. The rules are indices into
    RULES.
    """

    materials: tuple[Material, ...]
    which: tuple[int, ...]
    friction_rules: tuple[int, ...]
    restitution_rules: tuple[int, ...]
    hooked: tuple[bool, ...]
    surfaces: tuple[Mapping[int, Surface], ...]

    def is_hooked(self, collider: int) -> bool:
        """Tell whether contacts of a collider need the hook."""
        return self.hooked[self.which[collider]]

    def apply(self, builder: rp.ColliderBuilder, collider: int) -> rp.ColliderBuilder:
        """Give a collider its surface."""
        own = self.which[collider]
        material = self.materials[own]
        return (
            builder.friction(material.dynamic_friction)
            .friction_combine_rule(RULES[self.friction_rules[own]])
            .restitution(material.restitution)
            .restitution_combine_rule(RULES[self.restitution_rules[own]])
        )


class _Surfaces(dict[int, Surface]):
    """Combinations of a material with others, by index, computed on demand."""

    def __init__(self, own: Material, others: Sequence[Material]) -> None:
        super().__init__()
        self._own, self._others = own, others

    def __missing__(self, other: int) -> Surface:
        self[other] = found = combine(self._own, self._others[other])
        return found


def plan_surfaces(scene: Scene, masks: Masks) -> SurfacePlan:
    """Choose rules under which the engine is right for most pairs; hook the rest."""
    number = {each: i for i, each in enumerate(dict.fromkeys(c.material for c in scene.colliders))}
    materials = tuple(number)
    which = tuple(number[c.material] for c in scene.colliders)
    surfaces = tuple(_Surfaces(each, materials) for each in materials)
    if len(materials) > MOST_PLANNED:
        rules = (
            tuple(_FIRST_CHOICE[material.friction_combine] for material in materials),
            tuple(_FIRST_CHOICE[material.restitution_combine] for material in materials),
        )
        hooked = (True,) * len(materials)
        return SurfacePlan(materials, which, *rules, hooked, surfaces)
    meets = _meetings(scene, masks, np.array(which, np.intp), len(materials))
    exact = MaterialTable(materials).combined(slice(None))
    friction_rules, wrong_friction = _choose_rules(
        [m.dynamic_friction for m in materials],
        [m.friction_combine for m in materials],
        exact[..., 1],
        meets,
    )
    restitution_rules, wrong_restitution = _choose_rules(
        [m.restitution for m in materials],
        [m.restitution_combine for m in materials],
        exact[..., 2],
        meets,
    )
    sticky = meets & (exact[..., 0] != exact[..., 1])
    counts = np.bincount(np.array(which, np.intp), minlength=len(materials))
    hooked = _cover(sticky | wrong_friction | wrong_restitution, counts)
    return SurfacePlan(materials, which, friction_rules, restitution_rules, hooked, surfaces)


def _meetings(scene: Scene, masks: Masks, which: Indices, count: int) -> Bools:
    """Return (M, M) which materials may touch, given their filters and that one must move."""
    groups: dict[tuple[int, int, bool], set[int]] = {}
    for index, collider in enumerate(scene.colliders):
        if not collider.is_sensor:
            key = (
                int(which[index]),
                int(masks.classes[index]),
                scene.bodies[collider.body].is_free,
            )
            groups.setdefault(key, set()).add(collider.body)
    if len(groups) > _MOST_GROUPS:
        return np.ones((count, count), bool)
    result = np.zeros((count, count), bool)
    keys = np.array([*groups], np.intp).reshape(-1, 3)
    materials, classes, free = keys[:, 0], keys[:, 1], keys[:, 2] != 0
    for i, bodies in enumerate(groups.values()):
        touched = (free | free[i]) & masks.matrix[classes[i], classes]
        touched[i] &= len(bodies) > 1
        result[materials[i], materials[touched]] = True
    return result | result.T


def _choose_rules(
    values: Sequence[float], modes: Sequence[Combine | None], exact: Floats, meets: Bools
) -> tuple[tuple[int, ...], Bools]:
    """Return a rule for each material, and (M, M) which pairs get wrong values from it.

    Start from the mode of each, and change one at a time as long as that helps.
    """
    a = np.asarray(values, float)
    results = [(a[:, None] + a) / 2, np.minimum.outer(a, a), np.outer(a, a), np.maximum.outer(a, a)]
    wrong = np.stack([meets & (np.abs(r - exact) > _TOLERANCE * (1 + exact)) for r in results])
    rules = np.array([_FIRST_CHOICE[mode] for mode in modes], np.intp)
    everybody = np.arange(len(rules))
    for _ in range(_ROUNDS):
        before = rules.copy()
        for own in everybody:
            faults = [wrong[np.maximum(rules, r), own, everybody].sum() for r in range(len(RULES))]
            if faults[rules[own]] > min(faults):
                rules[own] = int(np.argmin(faults))
        if (rules == before).all():
            break
    pairs = np.maximum.outer(rules, rules)
    return tuple(rules.tolist()), wrong[pairs, everybody[:, None], everybody]


def _cover(wrong: Bools, counts: Indices) -> tuple[bool, ...]:
    """Choose materials that cover every wrong pair, those of few colliders first."""
    hooked = wrong.diagonal().copy()
    rest = wrong & ~hooked[:, None] & ~hooked
    while rest.any():
        gain = (rest * counts).sum(axis=1) / np.maximum(counts, 1)
        best = int(gain.argmax())
        hooked[best] = True
        rest[best] = rest[:, best] = False
    return tuple(hooked.tolist())


@dataclasses.dataclass(frozen=True, eq=False)
class ColliderPlan:
    """Filters, surfaces, tiles and shapes of the colliders of a scene.

    Worlds whose scenes differ in other parts share one.
    """

    scene: Scene
    masks: Masks
    surfaces: SurfacePlan
    tiles: dict[int, MakeTile]
    layers: dict[int, MakeTile]
    curved: frozenset[int]
    shapes: ShapeBuilder


def plan_colliders(scene: Scene, like: ColliderPlan | None = None) -> ColliderPlan:
    """Return the plan of a scene; what is the same in another scene is taken from its plan."""
    if like is None or not _has_same_geometry(scene, like.scene):
        masks = compile_filters([c.filter for c in scene.colliders])
        surfaces, tiles = plan_surfaces(scene, masks), find_tiles(scene, masks)
        curved = find_curved(scene)
        layers = find_layers(scene, tiles) if curved else {}
        if not layers:
            curved = frozenset()
        return ColliderPlan(scene, masks, surfaces, tiles, layers, curved, ShapeBuilder())
    pairs = zip(scene.colliders, like.scene.colliders, strict=True)
    if all(a.material is b.material for a, b in pairs):
        return like
    surfaces = plan_surfaces(scene, like.masks)
    return dataclasses.replace(like, scene=scene, surfaces=surfaces)


def _has_same_geometry(scene: Scene, other: Scene) -> bool:
    """Tell whether two scenes differ at most in materials and in bodies that forces move."""
    if len(scene.bodies) != len(other.bodies) or len(scene.colliders) != len(other.colliders):
        return False
    bodies = zip(scene.bodies, other.bodies, strict=True)
    colliders = zip(scene.colliders, other.colliders, strict=True)
    return all(_is_same_body(a, b) for a, b in bodies) and (
        scene.colliders is other.colliders or all(_is_same_shape(a, b) for a, b in colliders)
    )


def _is_same_body(a: Body, b: Body) -> bool:
    return a is b or (a.is_free and b.is_free)


def _is_same_shape(a: Collider, b: Collider) -> bool:
    if a is b:
        return True
    is_same = a.shape is b.shape and a.pose is b.pose and a.filter is b.filter
    flags = (a.body, a.is_sensor, a.moves, a.changes)
    return is_same and flags == (b.body, b.is_sensor, b.moves, b.changes)

"""The corrections of contacts that a scene needs, all made in the hook of a pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import rapier3d as rp

from ligament.extensions.declarations import Cylinder
from ligament.physics.engines import Vector
from ligament.physics.engines.rapier.effort.settings import RapierSettings
from ligament.physics.engines.rapier.workarounds.inner_edges import InnerEdges
from ligament.physics.engines.rapier.workarounds.lying import LyingContacts
from ligament.physics.engines.rapier.workarounds.round_contacts import RoundContacts, round_shape
from ligament.physics.engines.rapier.workarounds.spinning import RoundShape, SpinningContacts
from ligament.physics.engines.rapier.world.tiles import MakeTile
from ligament.physics.scene import Collider, Scene
from ligament.physics.shapes import Capsule, Hull, Sphere


class Corrections(NamedTuple):
    """Corrections of contacts in the order in which they are made; None for those not needed.

    `curved` are cylinders and cones that may meet meshes, by the index in the scene.
    """

    edges: InnerEdges | None = None
    lying: LyingContacts | None = None
    rounds: RoundContacts | None = None
    spins: SpinningContacts | None = None
    curved: frozenset[int] = frozenset()

    def set_gravity(self, gravity: Vector) -> None:
        """Set the gravity [m/s²]."""
        if self.edges is not None:
            self.edges.set_gravity(gravity)

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
    """Return the free cylinders and cones, whose contacts on meshes the engine gets wrong."""
    return frozenset(
        i
        for i, each in enumerate(scene.colliders)
        if isinstance(each.shape, Cylinder)
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

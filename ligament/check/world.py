"""Where everything is when a simulation would start, as arrays over nodes.

The scene that an engine gets is built body by body; rules look at all of them at once instead, so
that checking a file costs a small part of simulating it.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property

import numpy as np

from ligament.arrays import Bools, Floats
from ligament.check.columns import Bodies, Joints
from ligament.check.shapes import Shapes
from ligament.extensions.declarations import Physics
from ligament.gltf.animation import Pose
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree, nearest
from ligament.physics.geometry import GeometryReader
from ligament.physics.mass import DENSITY
from ligament.physics.placement import Placement


class World:
    """The start of a simulation.

    `owner` (N,) is the node of the body that every node belongs to, -1 for none; `driven` (N,) are
    the nodes that animations and constraints move.
    """

    def __init__(
        self,
        document: Document,
        physics: Physics,
        bodies: Bodies,
        tree: NodeTree,
        pose: Pose,
        driven: Collection[int],
    ) -> None:
        self.physics, self.bodies, self.tree = physics, bodies, tree
        self.driven = np.zeros(len(tree), bool)
        self.driven[[*driven]] = True
        self.placement = Placement(tree, pose)
        self.owner = nearest(tree, physics.motions)
        self._reader = GeometryReader(document, tree)

    @cached_property
    def shapes(self) -> Shapes:
        """What can be touched."""
        return Shapes(self.physics, self.placement, self._reader)

    @cached_property
    def dynamic(self) -> Bools:
        """Which nodes (N,) belong to a body that forces move, and no animation leads."""
        return self._owned_by(self.bodies.is_dynamic & ~self.driven[self.bodies.nodes])

    @cached_property
    def can_be_moved(self) -> Bools:
        """Which nodes (N,) belong to a body that forces move while no animation leads it."""
        return self._owned_by(self.bodies.is_dynamic)

    def _owned_by(self, chosen: Bools) -> Bools:
        """Tell which nodes (N,) belong to one of the chosen (B,) bodies."""
        owners = np.zeros(len(self.tree) + 1, bool)  # the last stands for no owner
        owners[self.bodies.nodes] = chosen
        return np.asarray(owners[self.owner])

    @cached_property
    def volume(self) -> Floats:
        """The volume [m³] of the colliders of every body, at its node; 0 elsewhere (N,)."""
        solid = slice(self.shapes.collider_count)
        owner = self.owner[self.shapes.nodes[solid]]
        volumes = np.bincount(
            np.where(owner < 0, len(self.tree), owner),
            self.shapes.volume[solid],
            minlength=len(self.tree) + 1,
        )
        return np.asarray(volumes[:-1])

    @cached_property
    def mass(self) -> Floats:
        """The mass [kg] of every body, at its node, declared or computed; 0 elsewhere (N,)."""
        mass = self.volume * DENSITY
        declared = ~np.isnan(self.bodies.mass)
        mass[self.bodies.nodes[declared]] = self.bodies.mass[declared]
        return mass

    def body(self, node: int) -> int:
        """Return the node of the body that a collider belongs to; it itself, if it is static."""
        owner = int(self.owner[node])
        return owner if owner >= 0 else node

    @cached_property
    def joined(self) -> dict[int, set[int]]:
        """What joints keep from colliding: body → bodies, and the nodes of static objects."""
        joints = Joints([j for j in self.physics.joints.values() if not j.enable_collision])
        nearest_collider = nearest(self.tree, self.physics.colliders)
        # A frame without a body belongs to the static object around it.
        held = np.where(self.owner >= 0, self.owner, nearest_collider)
        result: dict[int, set[int]] = {}
        pairs = held[np.column_stack((joints.body_a, joints.body_b))]
        for ends in pairs.tolist():
            for one, other in (ends, ends[::-1]):
                result.setdefault(one, set()).add(other)
        return result

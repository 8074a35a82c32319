"""Bodies: nodes that move as one piece."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ligament.author import values
from ligament.author.bodies import WORLD
from ligament.author.colliding import ColliderWriter, Solid
from ligament.author.nodes import NodeRef
from ligament.author.objects import Object, motion_object
from ligament.author.shaping import AnyShape
from ligament.errors import EditError
from ligament.extensions.declarations import CollisionFilter, Material, MotionKind


class BodyWriter(ColliderWriter):
    """Adds bodies to a document."""

    def add_body(
        self,
        node: NodeRef,
        *,
        kind: MotionKind | Literal["dynamic", "kinematic", "static"] = "dynamic",
        mass: float | None = None,
        center_of_mass: Sequence[float] | None = None,
        inertia_diagonal: Sequence[float] | None = None,
        inertia_orientation: Sequence[float] | None = None,
        linear_velocity: Sequence[float] | None = None,
        angular_velocity: Sequence[float] | None = None,
        gravity_factor: float = 1.0,
        collider: AnyShape | None = None,
        material: Material | None = None,
        filter: CollisionFilter | None = None,  # noqa: A002  (the name that files have for it)
    ) -> int:
        """Make a node a body, with everything below it that is no body of its own.

        A dynamic body is moved by forces, a kinematic one by its velocity or an animation, a
        static one not at all (files have no word for it: it is what has a collider and no motion).
        Mass [kg], centre [m] and moments of inertia [kg m²] follow from the colliders where they
        are not given; `math.inf` is allowed. Velocities [m/s, rad/s] are in node space.
        `collider`, with its material and filter, is added first, as `add_collider` does.
        """
        index = self._nodes.find(node)
        if self._parts.on(index, "motion") is not None:
            message = f"{self._nodes.label(index)} has a body already"
            raise self._nodes.error(message, "remove it first (remove_body)")
        moves = values.choice(kind, "the kind of the body", tuple(MotionKind))
        motion = motion_object(
            kinematic=moves is MotionKind.KINEMATIC,
            mass=mass,
            center_of_mass=center_of_mass,
            inertia_diagonal=inertia_diagonal,
            inertia_orientation=inertia_orientation,
            linear_velocity=linear_velocity,
            angular_velocity=angular_velocity,
            gravity_factor=gravity_factor,
        )
        solid = self._own_solid(index, collider, material, filter)
        if moves is MotionKind.STATIC:
            self._require_static(index, motion)
        else:
            self._require_movable(index, motion, solid)
        if solid is not None:
            self._write_collider(index, solid)
        if moves is not MotionKind.STATIC:
            self._parts.put(index, "motion", motion)
        return index

    def _own_solid(
        self,
        node: int,
        collider: AnyShape | None,
        material: Material | None,
        collision_filter: CollisionFilter | None,
    ) -> Solid | None:
        if collider is not None:
            return self._solid(node, collider, material, collision_filter)
        if material is not None or collision_filter is not None:
            raise EditError("a material or filter without a collider", remedy="give a collider")
        return None

    def _require_static(self, node: int, motion: Object) -> None:
        if motion:
            message = f"a static body has no {', '.join(motion)}"
            raise EditError(message, remedy='leave it out, or use kind="kinematic"')
        owner = self._bodies.owner(node)
        if owner != WORLD:
            message = f"{self._nodes.label(node)} moves with the body on {self._nodes.label(owner)}"
            raise self._nodes.error(message, "move it out from below that node")

    def _require_movable(self, node: int, motion: Object, solid: Solid | None) -> None:
        is_dynamic = "isKinematic" not in motion
        if is_dynamic and self._bodies.is_constrained(node):
            message = f"{self._nodes.label(node)} follows another node by a constraint"
            raise self._nodes.error(message, 'use kind="kinematic", or remove the constraint')
        is_open = is_dynamic and "mass" not in motion
        if is_open and not self._has_volume(node, solid):
            message = (
                f"{self._nodes.label(node)} has no mass, and no solid shape to compute it from"
            )
            raise self._nodes.error(message, "give mass, or add a collider first")
        self._require_mass_above(node)
        self._require_joints_hold(node, motion)

    def _has_volume(self, node: int, solid: Solid | None) -> bool:
        """Tell whether the colliders of a body, with the new one, give it a mass."""
        if solid is not None and any(piece.volume > 0 for piece in solid.pieces):
            return True
        return self._bodies.volume(node) > 0

    def _require_mass_above(self, node: int) -> None:
        """Refuse to take the last volume of a body above that needs it for its mass."""
        owner = self._bodies.owner(node)
        if not self._bodies.lives_by_volume(owner):
            return
        own = self._bodies.volume(node)
        if own > 0 and self._bodies.volume(owner) <= own:
            message = f"the body on {self._nodes.label(owner)} has its mass from this alone"
            raise self._nodes.error(message, "give that body a mass first")

    def _require_joints_hold(self, node: int, motion: Object) -> None:
        """Refuse a body that would leave a joint below it with nothing to do."""
        if not (self._nodes.raw[node].get("children") or self._parts.on(node, "joint")):
            return
        before = set(self._bodies.useless_joints())
        self._parts.put(node, "motion", motion)
        idle = [n for n in self._bodies.useless_joints() if n not in before]
        self._parts.take(node, "motion")
        if idle:
            shown = ", ".join(self._nodes.label(n) for n in idle)
            raise self._nodes.error(f"{shown} would hold nothing any more", "remove it first")

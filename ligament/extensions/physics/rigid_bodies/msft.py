"""MSFT_rigid_bodies, frozen in August 2023, and the names and forms that it had in 2022.

MSFT_physics (October 2022) said `rigidBody`, and wrote shapes and limits in place. After it,
MSFT_RigidBodies moved the shapes to an array; a collider without a material was a trigger there.
"""

from __future__ import annotations

import dataclasses
import math

from msgspec import structs

from ligament.extensions.declarations import (
    Collider,
    CollisionFilter,
    Dialect,
    Motion,
    Physics,
    Trigger,
)
from ligament.extensions.fields import Catalogue, Fields
from ligament.extensions.physics.rigid_bodies.joints import JointDescription, read_limits
from ligament.extensions.physics.rigid_bodies.materials import FILTER_LISTS, filter_of
from ligament.extensions.physics.rigid_bodies.motions import MEMBERS, infinite_where_zero, motion_of
from ligament.extensions.physics.rigid_bodies.reader import (
    NODE_MEMBERS,
    BodyReader,
    ShapesByIndex,
    is_used,
)
from ligament.extensions.physics.rigid_bodies.shapes import (
    MSFT_FORM,
    ShapeForm,
    ShapeReader,
    read_shapes,
)
from ligament.extensions.physics.rigid_bodies.vocabulary import WORDS_OF_2023, Vocabulary
from ligament.extensions.registry import (
    MSFT_COLLISION_PRIMITIVES_2022,
    MSFT_PHYSICS,
    MSFT_RIGID_BODIES,
    MSFT_RIGID_BODIES_2022,
)
from ligament.findings import Finding
from ligament.gltf import pointers
from ligament.gltf.document import Document
from ligament.gltf.tree import Carriers

BODY_MEMBERS = MEMBERS | {"inverseMass", "inertiaTensor", "inverseInertiaTensor"}
INLINE_MEMBERS = frozenset({"physicsMaterial", "collisionLayers", "collisionMask"})
LAYERS = 32


class EarlyReader(BodyReader):
    """Reads nodes in the frozen form, and what is in an earlier one, which its form tells."""

    def __init__(
        self,
        document: Document,
        carriers: Carriers,
        vocabulary: Vocabulary,
        form: ShapeForm,
        findings: list[Finding],
    ) -> None:
        self._form = form
        self._shapes = read_shapes(document, form, findings)
        self._shape_filters = _read_filters(document, form, findings)
        inline = dataclasses.replace(form, other_members=INLINE_MEMBERS)
        self._inline = ShapeReader(document, inline)
        self._locking = dataclasses.replace(vocabulary, locks_without_bounds=True)
        geometries = ShapesByIndex("collider", self._shapes)
        super().__init__(document, carriers, vocabulary, geometries, findings)

    def read_node(self, fields: Fields, node: int) -> None:
        """Read what the extension says of one node."""
        fields.only(NODE_MEMBERS | {"rigidBody", "physicsMaterial"})
        member = fields.first_of(("rigidBody", "motion"))
        if (body := fields.object(member)) is not None and member == "rigidBody":
            self.motions[node] = self._body(body, node)
        elif body is not None:
            self.read_motion(body, node)
        if isinstance(fields.raw.get("collider"), (int, float)):
            self._read_indexed(fields, node)
        elif (collider := fields.object("collider")) is not None:
            self.read_collider(collider, node)
        if (trigger := fields.object("trigger")) is not None:
            self.read_trigger(trigger, node)
        if (joint := fields.object("joint")) is not None:
            self.read_joint(joint, node)

    def _body(self, fields: Fields, node: int) -> Motion:
        """Read a body, whose mass and inertia may be given as what they divide by."""
        fields.only(BODY_MEMBERS)
        motion = motion_of(fields, node, self.vocabulary)
        mass = fields.number("inverseMass", None, minimum=0.0)
        tensor = fields.vector("inertiaTensor", 3, None, minimum=0.0)
        inverse = fields.vector("inverseInertiaTensor", 3, None, minimum=0.0)
        if mass is not None:
            motion = structs.replace(motion, mass=_inverse(mass))
        if tensor is not None:
            motion = structs.replace(motion, inertia_diagonal=infinite_where_zero(tensor))
        if inverse is not None:
            x, y, z = (_inverse(moment) for moment in inverse)
            motion = structs.replace(motion, inertia_diagonal=(x, y, z))
        return motion

    def _read_indexed(self, fields: Fields, node: int) -> None:
        """Read `collider: 3` with the material beside it; without one it is a trigger."""
        index, pointer = fields.index("collider", self._shapes.target), f"{fields.pointer}/collider"
        geometry = None if index is None else self._shapes.items[index]
        chosen = None if index is None else self._shape_filters.items[index]
        if "physicsMaterial" in fields:
            material = self.materials.pick(fields, "physicsMaterial")
            self.colliders[node] = Collider(
                node=node, geometry=geometry, material=material, filter=chosen, pointer=pointer
            )
        else:
            self.triggers[node] = Trigger(
                node=node, geometry=geometry, filter=chosen, pointer=pointer
            )

    def read_collider(self, fields: Fields, node: int) -> None:
        """Read a collider, whose shape may stand in place."""
        if not self._is_inline(fields):
            super().read_collider(fields, node)
            return
        self.colliders[node] = Collider(
            node=node,
            geometry=self._inline.read(fields),
            material=self.materials.pick(fields, "physicsMaterial"),
            filter=_layers(fields),
            pointer=fields.pointer,
        )

    def read_trigger(self, fields: Fields, node: int) -> None:
        """Read a trigger, whose shape may stand in place."""
        if not self._is_inline(fields):
            super().read_trigger(fields, node)
            return
        geometry, chosen = self._inline.read(fields), _layers(fields)
        self.triggers[node] = Trigger(
            node=node, geometry=geometry, filter=chosen, pointer=fields.pointer
        )

    def _is_inline(self, fields: Fields) -> bool:
        return "collider" not in fields and any(kind in fields for kind in self._form.types)

    def read_joint(self, fields: Fields, node: int) -> None:
        """Read a joint, whose limits may stand in place; without bounds they are locks."""
        if "constraints" not in fields:
            super().read_joint(fields, node)
            return
        fields.only({"connectedNode", "enableCollision", "constraints"})
        fields.required("connectedNode")
        limits = read_limits(fields, "constraints", self._locking)
        self.add_joint(fields, node, JointDescription(limits, ()))


def _read_filters(
    document: Document, form: ShapeForm, findings: list[Finding]
) -> Catalogue[CollisionFilter]:
    """Read the filters that stood in shapes before they had an array."""
    owner, _, _ = form.pointer.rpartition("/")
    raw = pointers.find(document.json, owner)
    fields = Fields(raw, owner, findings) if isinstance(raw, dict) else None
    return Catalogue[CollisionFilter].read(fields, form.pointer, _shape_filter)


def _shape_filter(fields: Fields) -> CollisionFilter | None:
    return filter_of(fields) if any(name in fields for name in FILTER_LISTS) else None


def _layers(fields: Fields) -> CollisionFilter | None:
    """Read bit fields: the layers that something is in, and those that it meets."""
    everything = 2**LAYERS - 1
    layers = fields.integer("collisionLayers", None, minimum=0, maximum=everything)
    mask = fields.integer("collisionMask", None, minimum=0, maximum=everything)
    if layers is None and mask is None:
        return None
    return CollisionFilter(_systems(layers or 0), None if mask is None else _systems(mask))


def _systems(bits: int) -> frozenset[str]:
    return frozenset(f"layer {bit}" for bit in range(LAYERS) if bits >> bit & 1)


def _inverse(value: float) -> float:
    return 1 / value if value else math.inf


_CAMEL_CASE = dataclasses.replace(
    MSFT_FORM, pointer=f"/extensions/{MSFT_COLLISION_PRIMITIVES_2022}/colliders"
)

SHAPES_OF: dict[str, ShapeForm] = {
    MSFT_RIGID_BODIES: MSFT_FORM,
    MSFT_RIGID_BODIES_2022: _CAMEL_CASE,
    MSFT_PHYSICS: _CAMEL_CASE,
}
"""The extensions of bodies, and where the shapes that they count in stand.

MSFT_physics writes its shapes in place; it stands here under the shapes that followed it.
"""


def read(document: Document, carriers: Carriers) -> list[Physics]:
    """Read bodies, colliders, triggers and joints, in one part for each name; never raises."""
    words = {name: _vocabulary(name) for name in SHAPES_OF}
    used = [name for name in SHAPES_OF if is_used(document, carriers, words[name])]
    parts = [_read(document, carriers, name, words[name]) for name in used]
    read_forms = [SHAPES_OF[name].pointer for name in used]
    left = [form for form in (MSFT_FORM, _CAMEL_CASE) if form.pointer not in read_forms]
    return [*parts, *(_read_shapes_alone(document, form) for form in left)]


def _vocabulary(name: str) -> Vocabulary:
    """Return the words of one name; in 2022 a limit without bounds was how to write a lock."""
    return dataclasses.replace(
        WORDS_OF_2023, name=name, node_keys=(name,), locks_without_bounds=name != MSFT_RIGID_BODIES
    )


def _read_shapes_alone(document: Document, form: ShapeForm) -> Physics:
    """Look for faults in shapes that nothing can use."""
    findings: list[Finding] = []
    read_shapes(document, form, findings)
    return Physics(findings=tuple(findings))


def _read(document: Document, carriers: Carriers, name: str, vocabulary: Vocabulary) -> Physics:
    """Read the extension of one name."""
    findings: list[Finding] = []
    physics = EarlyReader(document, carriers, vocabulary, SHAPES_OF[name], findings).read()
    return dataclasses.replace(physics, dialects=(Dialect.MSFT_2023,), findings=tuple(findings))

"""MSFT_rigid_bodies, frozen in August 2023, and the names and forms that it had in 2022.

MSFT_physics (October 2022) said `rigidBody`, and wrote shapes and limits in place. After it,
MSFT_RigidBodies moved the shapes to an array; a collider without a material was a trigger there.
"""

from __future__ import annotations

import math
from typing import Any

from ligament.extensions import registry
from ligament.extensions import shapes as solids
from ligament.extensions.fields import Catalogue, Fields
from ligament.extensions.rigid_bodies import joint as joints
from ligament.extensions.rigid_bodies.collider import Collider, Trigger
from ligament.extensions.rigid_bodies.extension import NODE, Extension, Node, Reader
from ligament.extensions.rigid_bodies.filter import FILTER, CollisionFilter
from ligament.extensions.rigid_bodies.khr import collider_with, joint_with, root_with, trigger_with
from ligament.extensions.rigid_bodies.motion import MOTION_2023
from ligament.extensions.rigid_bodies.physics import Physics
from ligament.extensions.tables.arrays import Arrays
from ligament.extensions.tables.objects import Each, Nested
from ligament.extensions.tables.rows import Element, Integer, Json, Number, Numbers
from ligament.extensions.tables.rules import Excludes, Says, Values
from ligament.extensions.tables.table import Table
from ligament.extensions.tables.variants import Either, Variant
from ligament.findings import Finding
from ligament.gltf.document import Document
from ligament.gltf.tree import Carriers

LAYERS = 32

# --- shapes ---


_SHAPES: Any = {
    **solids.SOLIDS,
    "capsule": solids.with_radius(solids.CAPSULE),
    "cylinder": solids.with_radius(solids.CYLINDER),
    "convex": solids.CONVEX,
    "trimesh": solids.TRIMESH,
}
_UNTYPED: Any = {
    "about": "A shape.",
    "compound_code": "KHR_COLLISION_SHAPES_COMPOUND_SHAPE",
    "needed": ("convex", "trimesh"),
    "is_typed": False,
}
PRIMITIVE = Variant(_SHAPES, **_UNTYPED, others=FILTER.rows, rules=FILTER.rules)
"""Of August 2023; before, there were no types, one radius, and a filter in every shape."""

_LAYERS = Integer(name="collisionLayers", most=2**LAYERS - 1)
_MASK = Integer(name="collisionMask", most=2**LAYERS - 1)
_MATERIAL = Element(name="physicsMaterial", array="physicsMaterials")


class InPlace(Variant):
    """A collider or trigger by its shape, in 2022, with the material and the layers beside it."""

    def read(self, fields: Fields, arrays: Arrays, index: int = 0) -> Any:
        geometry, filters = super().read(fields, arrays, index), _layers(fields, arrays)
        if fields.pointer.endswith("/trigger"):
            return Trigger(index, fields.pointer, geometry=geometry, filter=filters)
        material, place = _MATERIAL.read(fields, arrays), (index, fields.pointer)
        return Collider(*place, geometry=geometry, material=material, filter=filters)


_FIXED = {kind: table.fixed() for kind, table in _SHAPES.items()}
IN_PLACE = InPlace(_FIXED, **_UNTYPED, others=(_MATERIAL, _LAYERS, _MASK))


def _or_in_place(table: Table) -> Either:
    """Return the form of a collider or trigger that names its shape, or has it in place."""
    shapes = [{"required": [kind]} for kind in _SHAPES]
    return Either(IN_PLACE, table, {"not": {"required": ["collider"]}, "anyOf": shapes})


def _filter_in(shape: Fields, arrays: Arrays) -> Any:
    """Read the filter of a shape, None where it has none."""
    members = {name: shape.raw[name] for name in FILTER.names - {"name"} if name in shape}
    return FILTER.read(Fields(members, shape.pointer, shape.findings), arrays) if members else None


def _layers(fields: Fields, arrays: Arrays) -> CollisionFilter | None:
    """Read bit fields: the layers that something is in, and those that it meets."""
    layers, mask = _LAYERS.read(fields, arrays), _MASK.read(fields, arrays)
    systems = None if mask is None else _systems(mask)
    nothing = layers is None and mask is None
    return None if nothing else CollisionFilter(_systems(layers or 0), systems)


def _systems(bits: int) -> frozenset[str]:
    return frozenset(f"layer {bit}" for bit in range(LAYERS) if bits >> bit & 1)


# --- bodies ---


def _divided(fields: Fields, values: Values) -> None:
    """Take mass and inertia from what they divide by, where that is given."""
    mass, tensor = values.pop("inverse_mass"), values.pop("inverse_inertia_tensor")
    direct = values.pop("inertia_tensor")
    if mass is not None:
        values["mass"] = _inverse(mass)
    if tensor is not None or direct is not None:
        values["inertia_diagonal"] = direct if tensor is None else tuple(map(_inverse, tensor))


def _inverse(value: float) -> float:
    return 1 / value if value else math.inf


BODY_2022 = MOTION_2023.changed(
    *MOTION_2023.rules,
    Says(_divided),
    about="A body as of 2022.",
    inverse_mass=Number(unit="1/kg", least=0.0),
    inertia_tensor=Numbers(unit="kg m²", least=0.0, zero=math.inf),
    inverse_inertia_tensor=Numbers(unit="1/(kg m²)", least=0.0),
).fixed()


# --- colliders and triggers ---

FILTERS_OF_SHAPES = "/filters of shapes"
"""The filters in shapes, as an array of their own."""


class Indexed(Nested, frozen=True, kw_only=True):
    """A collider, or the index of a shape with a material beside it; without one a trigger."""

    array: str

    @property
    def names(self) -> tuple[str, ...]:
        return ("collider", "physicsMaterial")

    def read_at(self, fields: Fields, arrays: Arrays, index: int) -> Any:
        if not isinstance(fields.raw.get("collider"), (int, float)):
            return super().read_at(fields, arrays, index)
        place, pointer = fields.index("collider", arrays.target(self.array)), fields.pointer
        values: dict[str, Any] = {"geometry": None, "filter": None}
        if place is not None:
            values["geometry"] = arrays.catalogue(self.array).items[place]
            values["filter"] = arrays.catalogue(FILTERS_OF_SHAPES).items[place]
        if "physicsMaterial" not in fields:
            return Trigger(index, f"{pointer}/collider", **values)
        values["material"] = _MATERIAL.read(fields, arrays)
        return Collider(index, f"{pointer}/collider", **values)

    def schema(self) -> dict[str, Json]:
        index: Json = {"type": "integer", "minimum": 0}
        collider = {"if": {"type": "number"}, "then": index, "else": self.content()}
        return {"collider": collider, "physicsMaterial": index}


# --- joints ---


def _between(
    node: int, pointer: str, *, constraints: tuple[joints.Limit, ...], **values: Any
) -> joints.Joint:
    return joints.between(node, pointer, description=joints.Description(constraints), **values)


JOINT_2022 = joints.JOINT.changed(
    build=_between,
    about="A joint with its limits, as of 2022.",
    description=None,
    constraints=Each(table=joints.LIMIT_2022.fixed(), default=()),
)
"""A limit without bounds was how to write a lock."""


# --- the extension under its three names ---


def _node(
    node: int, pointer: str, *, motion: Any, rigid_body: Any, collider: Any, **parts: Any
) -> Node:
    if isinstance(collider, Trigger):
        parts["trigger"], collider = parts["trigger"] or collider, None
    motion = motion if rigid_body is None else rigid_body
    return Node(node, pointer, motion=motion, collider=collider, **parts)


def _extension(name: str, shapes: str) -> Extension:
    limits = joints.LIMIT_2023 if name == registry.MSFT_RIGID_BODIES else joints.LIMIT_2022
    root = root_with(joints.LIMITS_2023, joints.DESCRIPTION_2023.changed(limits=limits))
    collider = _or_in_place(collider_with("collider", shapes))
    trigger = _or_in_place(trigger_with("collider", shapes))
    by_limits = joint_with(joints.LIMITS_2023)
    joint = Either(JOINT_2022, by_limits, {"required": ["constraints"]})
    node = NODE.changed(
        Excludes("rigidBody", motion="rigidBody already sets it"),
        build=_node,
        motion=MOTION_2023,
        rigid_body=Nested(table=BODY_2022),
        collider=Indexed(table=collider, array=shapes),
        trigger=trigger,
        joint=joint,
    )
    return Extension(name=name, keys=(name,), root=root, node=node, shapes={shapes: PRIMITIVE})


MSFT = {
    name: _extension(name, shapes)
    for name, shapes in (
        (registry.MSFT_RIGID_BODIES, solids.PRIMITIVES),
        (registry.MSFT_RIGID_BODIES_2022, solids.PRIMITIVES_2022),
        (registry.MSFT_PHYSICS, solids.PRIMITIVES_2022),
    )
}
"""MSFT_physics writes its shapes in place; it stands here with the shapes that followed it."""


class EarlyReader(Reader):
    """Reads files of 2022 too, in which filters stood in shapes."""

    def _read_arrays(self, file: Fields) -> None:
        super()._read_arrays(file)
        (pointer,) = self.extension.shapes
        owner = file.extension(pointer.split("/")[2])
        filters = Catalogue[Any].read(owner, pointer, lambda s: _filter_in(s, self.arrays))
        self.arrays.add(FILTERS_OF_SHAPES, filters)


def read(document: Document, carriers: Carriers) -> list[Physics]:
    """Read bodies, colliders, triggers and joints, in one part for each name; never raises."""
    used = [entry for entry in MSFT.values() if entry.is_used(document, carriers)]
    readers = [EarlyReader(document, carriers, entry) for entry in used]
    parts = [reader.read(registry.Dialect.MSFT_2023) for reader in readers]
    known = {pointer for entry in used for pointer in entry.shapes}
    alone = [
        pointer for pointer in (solids.PRIMITIVES, solids.PRIMITIVES_2022) if pointer not in known
    ]
    return [*parts, *(_read_shapes_alone(document, pointer) for pointer in alone)]


def _read_shapes_alone(document: Document, pointer: str) -> Physics:
    """Look for faults in shapes that nothing can use."""
    findings: list[Finding] = []
    solids.read_shapes(Arrays(document), pointer, PRIMITIVE, findings)
    return Physics(findings=tuple(findings))

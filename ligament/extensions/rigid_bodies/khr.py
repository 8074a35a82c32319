"""KHR_physics_rigid_bodies of every revision, and KHR_rigid_bodies of 2023."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ligament.extensions.registry import KHR_RIGID_BODIES, Dialect
from ligament.extensions.rigid_bodies import joint as joints
from ligament.extensions.rigid_bodies.collider import COLLIDER, FILTER_MEMBERS, TRIGGER
from ligament.extensions.rigid_bodies.extension import KHR, NODE, ROOT, Extension, Reader
from ligament.extensions.rigid_bodies.geometry import BY_ARRAY, BY_SHAPES
from ligament.extensions.rigid_bodies.material import MATERIAL_2023
from ligament.extensions.rigid_bodies.motion import MOTION_2023
from ligament.extensions.rigid_bodies.physics import Physics
from ligament.extensions.shapes import COLLISION, COLLISION_SHAPE, CORE, IMPLICIT
from ligament.extensions.tables.arrays import Arrays
from ligament.extensions.tables.objects import Each
from ligament.extensions.tables.rows import Element
from ligament.extensions.tables.rules import Excludes, FirstOf, OneOf
from ligament.extensions.tables.table import Table
from ligament.gltf.document import Document
from ligament.gltf.tree import Carriers


def collider_with(member: str, shapes: str) -> Table:
    """Return the table of colliders that name an element of one array of shapes."""
    row = Element(name=member, array=shapes, essential=True)
    return COLLIDER.changed(OneOf(member, first_is_required=True), geometry=row)


def trigger_with(member: str, shapes: str) -> Table:
    """Return the table of triggers that name an element of one array of shapes."""
    row = Element(name=member, array=shapes, essential=True)
    rules = (OneOf(member, "nodes"), Excludes("nodes", collisionFilter=FILTER_MEMBERS))
    return TRIGGER.changed(*rules, geometry=row)


def joint_with(members: Mapping[str, str]) -> Table:
    """Return the table of joints that name their description by one of some members."""
    name, array = next(iter(members.items()))
    row = joints.DescriptionOf2023(name=name, array=array, arrays=members, required=True)
    return joints.JOINT.changed(FirstOf(*members), description=row)


def root_with(members: Mapping[str, str], descriptions: Table = joints.DESCRIPTION_2023) -> Table:
    """Return the table of the arrays, with one of descriptions for each of some members."""
    rows: dict[str, Any] = {
        member: Each(name=array, table=descriptions) for member, array in members.items()
    }
    return ROOT.changed(**rows, physics_materials=MATERIAL_2023, physics_joints=None)


KHR_2023 = Extension(
    name=KHR_RIGID_BODIES,
    keys=(KHR_RIGID_BODIES,),
    root=root_with(joints.DESCRIPTIONS_2023),
    node=NODE.changed(
        motion=MOTION_2023,
        collider=collider_with("shape", COLLISION),
        trigger=trigger_with("shape", COLLISION),
        joint=joint_with(joints.DESCRIPTIONS_2023),
    ),
    shapes={COLLISION: COLLISION_SHAPE},
)


def read(document: Document, carriers: Carriers) -> Physics:
    """Read bodies, colliders, triggers and joints of every revision; never raises."""
    reader = Reader(document, carriers, KHR)
    physics = reader.read()
    dialects = _dialects(reader.arrays) if KHR.is_used(document, carriers) else ()
    return dataclasses.replace(physics, dialects=dialects)


def read_2023(document: Document, carriers: Carriers) -> Physics:
    """Read KHR_rigid_bodies; never raises."""
    if not KHR_2023.is_used(document, carriers):
        return Physics()
    return Reader(document, carriers, KHR_2023).read(Dialect.KHR_2023)


def _dialects(arrays: Arrays) -> tuple[Dialect, ...]:
    """Name the revisions that the file shows signs of, newest first."""
    seen = {dialect for dialect in Dialect if dialect in arrays.signs}
    if BY_SHAPES in arrays.signs:
        seen |= _dialects_of_shapes(arrays)
    if BY_ARRAY in arrays.signs and Dialect.KHR not in seen:
        is_core = arrays.catalogue(f"{IMPLICIT} | {CORE}").target.pointer == CORE
        seen.add(Dialect.KHR if is_core else Dialect.KHR_2024_10)
    if not seen and arrays.catalogue(COLLISION).target.length is not None:
        seen = _dialects_of_shapes(arrays)
    return tuple(dialect for dialect in Dialect if dialect in (seen or {Dialect.KHR}))


def _dialects_of_shapes(arrays: Arrays) -> set[Dialect]:
    """Tell mid-2024, which had meshes, from the draft before it, with hulls and trimeshes."""
    raw: Any = arrays.find(COLLISION)
    shapes = raw if isinstance(raw, list) else []
    types = {str(shape.get("type")) for shape in shapes if isinstance(shape, dict)}
    if "mesh" not in types:
        return {Dialect.KHR_2024_03}
    seed = {Dialect.KHR_2024_03} if types & {"convex", "trimesh"} else set()
    return {Dialect.KHR_2024_06} | seed

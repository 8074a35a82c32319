"""KHR_physics_rigid_bodies, from the draft of March 2024 to January 2026, and KHR_rigid_bodies.

What changed is how a collider names its geometry: `shape` (March and June 2024), then
`geometry.shape` and `geometry.node` (October 2024), then `geometry.mesh` (January 2026).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from ligament.extensions.declarations import (
    Collider,
    Dialect,
    GeometrySource,
    Joint,
    MeshGeometry,
    NodeGeometry,
    Physics,
    Trigger,
)
from ligament.extensions.fields import Catalogue, Fields, Target
from ligament.extensions.physics.rigid_bodies.reader import (
    BodyReader,
    IrregularContentError,
    PlainCollider,
    PlainGeometry,
    PlainJoint,
    PlainNode,
    PlainShaped,
    ShapesByIndex,
    is_used,
    motion_of,
    read_plain,
)
from ligament.extensions.physics.rigid_bodies.shapes import (
    COLLISION_FORM,
    CORE_FORM,
    IMPLICIT_FORM,
    read_shapes,
)
from ligament.extensions.physics.rigid_bodies.vocabulary import (
    COMBINE_MODES,
    WORDS_OF_2023,
    Vocabulary,
)
from ligament.extensions.registry import KHR_NODE_KEYS, KHR_PHYSICS_RIGID_BODIES, KHR_RIGID_BODIES
from ligament.findings import Finding
from ligament.gltf import pointers
from ligament.gltf.document import Document
from ligament.gltf.tree import Carriers

VOCABULARY = Vocabulary(
    name=KHR_PHYSICS_RIGID_BODIES,
    node_keys=KHR_NODE_KEYS,
    joint_arrays={"joint": "physicsJoints"},
    combine_modes=COMBINE_MODES,
)


def read(document: Document, carriers: Carriers) -> Physics:
    """Read bodies, colliders, triggers and joints of every revision; never raises."""
    findings: list[Finding] = []
    geometries = _Geometries(document, findings)
    physics = _Reader(document, carriers, geometries, findings).read()
    dialects = geometries.dialects() if is_used(document, carriers, VOCABULARY) else ()
    return dataclasses.replace(physics, dialects=dialects, findings=tuple(findings))


class _Reader(BodyReader):
    """Reads nodes, most of them at once."""

    def __init__(
        self,
        document: Document,
        carriers: Carriers,
        geometries: _Geometries,
        findings: list[Finding],
    ) -> None:
        super().__init__(document, carriers, VOCABULARY, geometries, findings)
        self._find_geometry = geometries.of_plain
        self._joints = self.descriptions["joint"].by_index()
        self._materials = self.materials.by_index()
        self._filters = self.filters.by_index()
        self._node_count = self.node_target.length or 0

    def plain(self, contents: list[Any]) -> Iterator[PlainNode | None]:
        """Read the contents of all nodes, many at once."""
        return read_plain(contents)

    def reads(self, content: PlainNode, node: int, pointer: str) -> bool:
        """Read a node that has nothing odd about it; nothing of it counts if any part does not."""
        motion = collider = trigger = joint = None
        try:
            if content.motion is not None:
                motion = motion_of(content.motion, node, pointer)
            if content.collider is not None:
                collider = self._plain_collider(content.collider, node, pointer)
            if content.trigger is not None:
                trigger = self._plain_trigger(content.trigger, node, pointer)
            if content.joint is not None:
                joint = self._plain_joint(content.joint, node, pointer)
        except (IrregularContentError, KeyError):
            return False
        if motion is not None:
            self.motions[node] = motion
        if collider is not None:
            self.colliders[node] = collider
        if trigger is not None:
            self.triggers[node] = trigger
        if joint is not None:
            self.joints[node] = joint
        return True

    def _plain_collider(self, plain: PlainCollider, node: int, at: str) -> Collider:
        return Collider(
            node=node,
            geometry=self._find_geometry(plain),
            material=self._materials[plain.physics_material],
            filter=self._filters[plain.collision_filter],
            pointer=f"{at}/collider",
        )

    def _plain_trigger(self, plain: PlainShaped, node: int, at: str) -> Trigger:
        return Trigger(
            node=node,
            geometry=self._find_geometry(plain),
            nodes=(),
            filter=self._filters[plain.collision_filter],
            pointer=f"{at}/trigger",
        )

    def _plain_joint(self, plain: PlainJoint, node: int, at: str) -> Joint:
        connected, description = plain.connected_node, self._joints[plain.joint]
        if connected >= self._node_count or description is None:
            raise IrregularContentError
        return description.between(
            node, connected, enable_collision=plain.enable_collision, pointer=f"{at}/joint"
        )


_IMPLICIT = "KHR_implicit_shapes, which geometry.shape came with"


class _Geometries:
    """Geometries of all revisions, and which revisions those that were read belong to."""

    names: tuple[str, ...] = ("geometry", "shape")
    members = frozenset({"geometry", "shape", "convexHull"})

    def __init__(self, document: Document, findings: list[Finding]) -> None:
        self._nodes = Target.at(document.json, "/nodes")
        self._meshes = Target.at(document.json, "/meshes")
        self._implicit = read_shapes(document, IMPLICIT_FORM, findings)
        self._core = read_shapes(document, CORE_FORM, findings)
        self._collision = read_shapes(document, COLLISION_FORM, findings)
        self._newer = _first_there(self._implicit, self._core, self._collision)
        self._older = _first_there(self._collision, self._implicit, self._core)
        self._newer_shapes = self._newer.by_index()
        self._older_shapes = self._older.by_index()
        self._is_mixed = self._implicit.target.length is not None
        self._raw_shapes = pointers.find(document.json, COLLISION_FORM.pointer)
        self._seen: set[Dialect] = set()
        self._names_shapes = False

    def read(self, fields: Fields, name: str) -> GeometrySource | None:
        """Read `geometry`, or the `shape` that stood in its place until October 2024."""
        if name == "shape":
            shape = self._shape(fields)
            if self._is_mixed and shape is not None:
                message = (
                    f"shape refers to {self._older.target.pointer}, in a file with {_IMPLICIT}"
                )
                fields.report("PHYSICS_DIALECT_MIXED", message, "write geometry.shape", "shape")
            return shape
        geometry = fields.object("geometry")
        fields.misplaced("convexHull", "move it into geometry")
        return None if geometry is None else self._geometry(geometry)

    def of_plain(self, plain: PlainShaped) -> GeometrySource:
        """Find the geometry of a collider or trigger that has nothing odd about it."""
        geometry = plain.geometry
        if (geometry is None) == (plain.shape is None):
            raise IrregularContentError
        source = self._plain_shape(plain) if geometry is None else self._plain_geometry(geometry)
        if source is None:
            raise IrregularContentError
        return source

    def _plain_shape(self, plain: PlainShaped) -> GeometrySource | None:
        if self._is_mixed:
            raise IrregularContentError
        self._seen |= self._dialects_of_shapes
        return self._older_shapes[plain.shape]

    def _plain_geometry(self, plain: PlainGeometry) -> GeometrySource | None:
        mesh, node, shape = plain.mesh, plain.node, plain.shape
        if (mesh is None) + (node is None) + (shape is None) != 2:
            raise IrregularContentError
        if shape is not None:
            self._names_shapes = True
            source = self._newer_shapes[shape]
            return _hulled(source, is_hull=True) if plain.convex_hull else source
        if mesh is not None and mesh < (self._meshes.length or 0):
            self._seen.add(Dialect.KHR)
            return MeshGeometry(mesh, plain.convex_hull)
        if node is not None and node < (self._nodes.length or 0):
            self._seen.add(Dialect.KHR_2024_10)
            return NodeGeometry(node, plain.convex_hull)
        raise IrregularContentError

    def _geometry(self, fields: Fields) -> GeometrySource | None:
        fields.only(("mesh", "node", "shape", "convexHull"))
        is_hull = fields.boolean("convexHull", False)
        match fields.one_of("mesh", "node", "shape"):
            case "mesh":
                self._seen.add(Dialect.KHR)
                mesh = fields.index("mesh", self._meshes)
                return None if mesh is None else MeshGeometry(mesh, convex=is_hull)
            case "node":
                self._seen.add(Dialect.KHR_2024_10)
                node = fields.index("node", self._nodes)
                return None if node is None else NodeGeometry(node, convex=is_hull)
            case "shape":
                self._names_shapes = True
                return _hulled(self._newer.pick(fields, "shape"), is_hull)
        return None

    def _shape(self, fields: Fields) -> GeometrySource | None:
        """Read an index, or the object around it that was tried in the summer of 2024."""
        self._seen |= self._dialects_of_shapes
        is_hull = fields.boolean("convexHull", False)
        shapes = self._older
        if not isinstance(fields.raw["shape"], dict):
            return _hulled(shapes.pick(fields, "shape"), is_hull)
        reference = Fields(fields.raw["shape"], f"{fields.pointer}/shape", fields.findings)
        reference.only(("shape", "useNodeWeights"))
        reference.required("shape")
        geometry = _hulled(shapes.pick(reference, "shape"), is_hull)
        by_node = reference.boolean("useNodeWeights", False)
        if isinstance(geometry, MeshGeometry) and by_node:
            return dataclasses.replace(geometry, use_node_weights=True)
        return geometry

    def dialects(self) -> tuple[Dialect, ...]:
        """Name the revisions that the file shows signs of, newest first."""
        seen = set(self._seen)
        if self._names_shapes and Dialect.KHR not in seen:
            is_core = _first_there(self._implicit, self._core) is self._core
            seen.add(Dialect.KHR if is_core else Dialect.KHR_2024_10)
        if not seen and self._collision.target.length is not None:
            seen = self._dialects_of_shapes
        return tuple(dialect for dialect in Dialect if dialect in (seen or {Dialect.KHR}))

    @cached_property
    def _dialects_of_shapes(self) -> set[Dialect]:
        """Tell mid-2024, which had meshes, from the draft before it, with hulls and trimeshes."""
        shapes = self._raw_shapes if isinstance(self._raw_shapes, list) else []
        types = {str(shape.get("type")) for shape in shapes if isinstance(shape, dict)}
        if "mesh" not in types:
            return {Dialect.KHR_2024_03}
        seed = {Dialect.KHR_2024_03} if types & {"convex", "trimesh"} else set()
        return {Dialect.KHR_2024_06} | seed


def _first_there(*catalogues: Catalogue[GeometrySource]) -> Catalogue[GeometrySource]:
    """Return the first array that the file has; the first of all if it has none."""
    there = (catalogue for catalogue in catalogues if catalogue.target.length is not None)
    return next(there, catalogues[0])


def _hulled(geometry: GeometrySource | None, is_hull: bool) -> GeometrySource | None:
    """Make a mesh a hull; for shapes that are convex anyway the flag says nothing."""
    if is_hull and isinstance(geometry, MeshGeometry):
        return dataclasses.replace(geometry, convex=True)
    return geometry


_VOCABULARY_OF_2023 = dataclasses.replace(
    WORDS_OF_2023,
    name=KHR_RIGID_BODIES,
    node_keys=(KHR_RIGID_BODIES,),
    joint_arrays={"jointLimits": "physicsJointLimits", "joint": "physicsJoints"},
)


def read_2023(document: Document, carriers: Carriers) -> Physics:
    """Read KHR_rigid_bodies: the words of MSFT_rigid_bodies, and KHR shapes; never raises."""
    if not is_used(document, carriers, _VOCABULARY_OF_2023):
        return Physics()
    findings: list[Finding] = []
    shapes = ShapesByIndex("shape", read_shapes(document, COLLISION_FORM, findings))
    physics = BodyReader(document, carriers, _VOCABULARY_OF_2023, shapes, findings).read()
    return dataclasses.replace(physics, dialects=(Dialect.KHR_2023,), findings=tuple(findings))

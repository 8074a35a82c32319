"""KHR_physics_rigid_bodies: bodies, colliders, triggers, joints, materials and filters.

Seed draft of March 2024 (`collider.shape`), October 2024 (`collider.geometry.shape` or `.node`)
and January 2026 (`collider.geometry.mesh`). One writer spells the node's key
`KHR_physics_rigid_body`; what it holds counts in the arrays of the right name.
"""

from __future__ import annotations

import dataclasses

from ligament.extensions import core_shapes, khr_collision_shapes, khr_implicit_shapes
from ligament.extensions.catalogue import Catalogue
from ligament.extensions.declarations import (
    Dialect,
    GeometrySource,
    MeshGeometry,
    NodeGeometry,
    Physics,
)
from ligament.extensions.fields import Fields, Target
from ligament.extensions.rigid_bodies.reader import BodyReader, extended
from ligament.extensions.rigid_bodies.shapes import read_shapes
from ligament.extensions.rigid_bodies.vocabulary import Vocabulary
from ligament.findings import Finding
from ligament.gltf import pointers, references
from ligament.gltf.document import Document

NAME = "KHR_physics_rigid_bodies"
NODE_KEYS = (NAME, "KHR_physics_rigid_body")

_ROOT = f"/extensions/{NAME}"
_COLLISION = "/extensions/KHR_collision_shapes/shapes"
_IMPLICIT = "/extensions/KHR_implicit_shapes/shapes"
_SEED_SHAPES = f"{_COLLISION} | {_IMPLICIT} | /shapes"
_SHAPES = f"{_IMPLICIT} | /shapes | {_COLLISION}"


def _node_table(key: str) -> dict[str, str]:
    node = f"/nodes/*/extensions/{key}"
    return {
        f"{node}/collider!/shape": _SEED_SHAPES,
        f"{node}/collider!/shape/shape": _SEED_SHAPES,
        f"{node}/collider!/geometry/shape": _SHAPES,
        f"{node}/collider!/geometry/node": "/nodes",
        f"{node}/collider!/geometry/mesh": "/meshes",
        f"{node}/collider/physicsMaterial": f"{_ROOT}/physicsMaterials",
        f"{node}/collider/collisionFilter": f"{_ROOT}/collisionFilters",
        f"{node}/trigger!/shape": _SEED_SHAPES,
        f"{node}/trigger!/shape/shape": _SEED_SHAPES,
        f"{node}/trigger!/geometry/shape": _SHAPES,
        f"{node}/trigger!/geometry/node": "/nodes",
        f"{node}/trigger!/geometry/mesh": "/meshes",
        f"{node}/trigger+/nodes/*": "/nodes",
        f"{node}/trigger/collisionFilter": f"{_ROOT}/collisionFilters",
        f"{node}/joint!/connectedNode": "/nodes",
        f"{node}/joint!/joint": f"{_ROOT}/physicsJoints",
    }


for _key in NODE_KEYS:
    references.register(_key, _node_table(_key))

VOCABULARY = Vocabulary(name=NAME, node_keys=NODE_KEYS, joint_arrays={"joint": "physicsJoints"})


def read(document: Document) -> Physics:
    """Read bodies, colliders, triggers and joints of every revision; never raises."""
    findings: list[Finding] = []
    geometries = _Geometries(document, findings)
    physics = BodyReader(document, VOCABULARY, geometries, findings).read()
    dialects = geometries.dialects() if _is_used(document) else ()
    return dataclasses.replace(physics, dialects=dialects, findings=tuple(findings))


def _is_used(document: Document) -> bool:
    """Tell whether the file has the extension anywhere, as more than a name."""
    if document.extension(NAME) is not None:
        return True
    return any(True for _ in extended(document.json.get("nodes"), NODE_KEYS))


class _Geometries:
    """Geometries of all revisions, and which revisions those that were read belong to."""

    names: tuple[str, ...] = ("geometry", "shape")
    members = frozenset({"geometry", "shape", "convexHull"})

    def __init__(self, document: Document, findings: list[Finding]) -> None:
        self._nodes = Target.at(document.json, "/nodes")
        self._meshes = Target.at(document.json, "/meshes")
        self._implicit = read_shapes(document, khr_implicit_shapes.FORM, findings)
        self._core = read_shapes(document, core_shapes.FORM, findings)
        self._collision = read_shapes(document, khr_collision_shapes.FORM, findings)
        self._raw_shapes = pointers.find(document.json, khr_collision_shapes.FORM.pointer)
        self._seen: set[Dialect] = set()
        self._names_shapes = False

    def read(self, fields: Fields, name: str) -> GeometrySource | None:
        """Read `geometry`, or the `shape` that stood in its place until October 2024."""
        if name == "shape":
            return self._shape(fields)
        geometry = fields.object("geometry")
        fields.misplaced("convexHull", "move it into geometry")
        return None if geometry is None else self._geometry(geometry)

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
                shapes = _first_there(self._implicit, self._core, self._collision)
                return _hulled(shapes.pick(fields, "shape"), is_hull)
        return None

    def _shape(self, fields: Fields) -> GeometrySource | None:
        """Read an index, or the object around it that was tried in the summer of 2024."""
        self._seen |= self._dialects_of_shapes()
        is_hull = fields.boolean("convexHull", False)
        shapes = _first_there(self._collision, self._implicit, self._core)
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
            seen = self._dialects_of_shapes()
        return tuple(dialect for dialect in Dialect if dialect in (seen or {Dialect.KHR}))

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
    if isinstance(geometry, MeshGeometry) and is_hull:
        return dataclasses.replace(geometry, convex=True)
    return geometry

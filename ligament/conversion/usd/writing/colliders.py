"""Colliders as separate prims below the nodes, with shapes, surfaces and groups."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from pxr import Usd, UsdGeom, UsdPhysics, UsdShade

from ligament import transforms as tf
from ligament.arrays import Floats, Indices
from ligament.conversion.source import Source
from ligament.conversion.usd.writing.values import extent, indices, place_by_matrix, points
from ligament.conversion.usd.writing.world import Placed, World, is_singular, relationship
from ligament.extensions.rigid_bodies import Material, MotionKind
from ligament.extensions.shapes import Box, Capsule, Cylinder, Plane, Sphere
from ligament.physics.filters import compile_filters
from ligament.physics.mass import SHEET, solid_hull
from ligament.physics.materials import MaterialTable, Surface
from ligament.physics.scene import Collider
from ligament.physics.shapes import Hull, Mesh, sampled

PHYSICS_PURPOSE: Final = "physics"
_SAME: Final = 1e-12
REACH: Final = 1e3
"""Half the side [m] of a slab that replaces an infinite plane."""

_MOST_LISTED: Final = 64
"""Groups that one lists as filtered; of more, it lists those that it meets, if these are fewer."""

_UPSIDE_DOWN: Final = np.diag([1.0, -1.0, -1.0, 1.0])


class Colliders:
    """Writes the colliders of a scene; `paths` are those of their prims, in the same order."""

    def __init__(self, world: World) -> None:
        self.world, self.source = world, world.source
        self.colliders = world.source.scene.colliders
        self.paths: list[str] = []
        self._surfaces: dict[Material, Any] = {}

    def write(self) -> None:
        """Write all colliders, their surfaces and groups."""
        self._write_surfaces()
        for collider in self.colliders:
            self.paths.append(self._collider(collider))
        self._write_groups()
        self._report_combining()

    def of_body(self, body: int) -> list[str]:
        """Return the paths of the solid colliders of a body."""
        pairs = zip(self.colliders, self.paths, strict=True)
        return [path for each, path in pairs if each.body == body and not each.is_sensor]

    def _collider(self, collider: Collider) -> str:
        is_fixed = self.source.scene.bodies[collider.body].kind is MotionKind.STATIC
        form = form_of(self.source, collider, is_fixed=is_fixed)
        holder = self._holder(collider)
        name = "trigger" if collider.is_sensor else "collider"
        prim = self.world.define(form.kind, holder.path, name, name)
        form.fill(prim)
        wanted = self.world.rigid(collider.node) @ form.offset
        within = np.asarray(np.linalg.solve(holder.matrix, wanted), np.float64)
        if np.abs(within - np.eye(4)).max() > _SAME:
            place_by_matrix(prim, within)
        UsdGeom.Imageable(prim).CreatePurposeAttr(UsdGeom.Tokens.guide)
        api = UsdPhysics.CollisionAPI.Apply(prim)
        form.collide(prim)
        if collider.is_sensor:
            api.CreateCollisionEnabledAttr(False)
            prim.SetCustomDataByKey("ligament", {"trigger": True})
        else:
            self._bind(prim, collider.material)
        self._report_losses(collider)
        return str(prim.GetPath())

    def _holder(self, collider: Collider) -> Placed:
        """Return the prim of a node, or of its body where the node's own scale is 0."""
        holder = self.world.holders[collider.node]
        if not is_singular(holder.matrix[:3, :3]):
            return holder
        return self.world.bodies[self.source.scene.bodies[collider.body].node]

    def _report_losses(self, collider: Collider) -> None:
        pointer = self.source.collider_pointer(collider.node)
        if collider.is_sensor:
            effect = "its shape is written, but disabled, and reports nothing"
            self.source.lose(pointer, "a trigger", "UsdPhysics has none", effect)
        elif collider.moves:
            reason = "engines read the pose of a collider in its body once"
            effect = "it moves visibly, but collides at its initial pose"
            self.source.lose(pointer, "a collider that an animation moves", reason, effect)

    # --- surfaces ---

    def _write_surfaces(self) -> None:
        """Write a material for every different surface."""
        materials = [*{each.material: None for each in self.colliders if not each.is_sensor}]
        if not materials:
            return
        scope = self.world.scope("PhysicsMaterials")
        paths = [self.world.names.give(scope, "surface", "surface") for _ in materials]
        prims = self.world.define_all(dict.fromkeys(paths, "Material"))
        for material, prim in zip(materials, prims, strict=True):
            api = UsdPhysics.MaterialAPI.Apply(prim)
            api.CreateStaticFrictionAttr(material.static_friction)
            api.CreateDynamicFrictionAttr(material.dynamic_friction)
            api.CreateRestitutionAttr(material.restitution)
            self._surfaces[material] = UsdShade.Material(prim)

    def _bind(self, prim: Any, material: Material) -> None:
        UsdShade.MaterialBindingAPI.Apply(prim).Bind(
            self._surfaces[material],
            UsdShade.Tokens.weakerThanDescendants,
            PHYSICS_PURPOSE,
        )

    def _report_combining(self) -> None:
        """Report pairs of surfaces whose combination is not the mean."""
        first: dict[Material, Collider] = {}
        for collider in self.colliders:
            if not collider.is_sensor:
                first.setdefault(collider.material, collider)
        materials = [*first]
        table = MaterialTable(materials)
        for index, (material, others) in enumerate(zip(materials, _worst(materials), strict=True)):
            wanted_of = table.combined(slice(index, index + 1), others)[0]
            mean_of = table.means(index, others)
            misses = np.abs(wanted_of - mean_of).max(axis=1)
            worst = int(misses.argmax())
            if not misses[worst] > 0:
                continue
            wanted, mean = Surface(*wanted_of[worst]), Surface(*mean_of[worst])
            self.source.lose(
                self.source.collider_pointer(first[material].node),
                "how its surface combines with others",
                "UsdPhysics has no modes, and engines take the mean",
                f"{_surface_text(mean)} instead of {_surface_text(wanted)} at worst",
            )

    # --- groups ---

    def _write_groups(self) -> None:
        """Write a group for every class of filters that excludes others."""
        masks = compile_filters([None if c.is_sensor else c.filter for c in self.colliders])
        picky = [int(k) for k in np.flatnonzero(~masks.matrix.all(axis=1))]
        if not picky:
            return
        scope = self.world.scope("CollisionGroups")
        paths = {k: self.world.names.give(scope, "group", "") for k in picky}
        prims = self.world.define_all(dict.fromkeys(paths.values(), "PhysicsCollisionGroup"))
        members: dict[int, list[str]] = {}
        for path, of, each in zip(self.paths, masks.classes, self.colliders, strict=True):
            if not each.is_sensor:
                members.setdefault(int(of), []).append(path)
        are_all_groups = len(picky) == len(masks.matrix)
        for k, prim in zip(picky, prims, strict=True):
            group, meets = UsdPhysics.CollisionGroup(prim), masks.matrix[k]
            separate, met = np.flatnonzero(~meets), np.flatnonzero(meets)
            if are_all_groups and len(separate) > max(_MOST_LISTED, len(met)):
                group.CreateInvertFilteredGroupsAttr(True)
                separate = met
            listed = [paths[int(other)] for other in separate]
            relationship(prim, group.CreateFilteredGroupsRel().GetName(), listed)
            included = Usd.CollectionAPI(prim, "colliders").CreateIncludesRel()
            relationship(prim, included.GetName(), members.get(k, []))


def _worst(materials: Sequence[Material]) -> list[Indices]:
    """Return, for each material, those from it on among which is the worst to combine it with.

    How far a rule is from the mean is a convex function of each value, so that among materials with
    the same rules the least and the largest values suffice.
    """
    result: list[Indices] = []
    ends: dict[tuple[object, int, int], tuple[float, int]] = {}
    for index in reversed(range(len(materials))):
        each = materials[index]
        rules = (each.friction_combine, each.restitution_combine)
        values = (each.static_friction, each.dynamic_friction, each.restitution)
        for place, value in enumerate(values):
            for sign in (-1, 1):
                end = ends.get((rules, place, sign))
                if end is None or sign * value > end[0]:
                    ends[rules, place, sign] = (sign * value, index)
        later = {other for _, other in ends.values()} - {index}
        result.append(np.array([*sorted(later), index]))
    return result[::-1]


def _surface_text(surface: Surface) -> str:
    friction = f"friction {surface.static_friction:g}"
    if surface.dynamic_friction != surface.static_friction:
        friction += f" and {surface.dynamic_friction:g}"
    return f"{friction}, restitution {surface.restitution:g}"


# --- shapes ---


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Form:
    """A prim for a shape: its type, its attributes, and where it lies in the shape's frame.

    `half` (3,) [m] are the half extents of its bounding box. A `mesh` has points and triangles, and
    `approximation` says how it collides.
    """

    kind: str
    half: Floats
    attributes: Mapping[str, float] = dataclasses.field(default_factory=dict)
    offset: Floats = dataclasses.field(default_factory=lambda: np.eye(4))
    mesh: tuple[Floats, npt.NDArray[np.int64]] | None = None
    approximation: str | None = None

    def fill(self, prim: Any) -> None:
        """Write the attributes of a prim of this kind."""
        for name, value in self.attributes.items():
            prim.GetAttribute(name).Set(value)
        if self.kind in ("Capsule", "Cylinder", "Cone", "Plane"):
            prim.GetAttribute("axis").Set("Y")
        if self.mesh is not None:
            _fill_mesh(prim, *self.mesh)
        else:
            prim.GetAttribute("extent").Set(points(np.stack([-self.half, self.half])))

    def collide(self, prim: Any) -> None:
        """Write the collision approximation of a mesh."""
        if self.approximation is not None:
            UsdPhysics.MeshCollisionAPI.Apply(prim).CreateApproximationAttr(self.approximation)


def form_of(source: Source, collider: Collider, *, is_fixed: bool) -> Form:
    """Return the prim for the shape of a collider, on a body that is fixed or moves."""
    match collider.shape:
        case Sphere(radius):
            return _ball(radius)
        case Box(size):
            return _box(np.array(size))
        case Capsule() as shape:
            return _capsule(shape)
        case Cylinder() as shape:
            return _cylinder(shape)
        case Plane() as shape:
            return _plane(source, source.collider_pointer(collider.node), shape, is_fixed=is_fixed)
        case Hull(corners):
            return _hull(corners)
        case Mesh() as shape:
            return _mesh(shape.points, shape.triangles, "none")


def _ball(radius: float, height: float = 0.0) -> Form:
    offset = _lifted(height)
    return Form(
        kind="Sphere", half=np.full(3, radius), attributes={"radius": radius}, offset=offset
    )


def _box(size: Floats, height: float = 0.0) -> Form:
    """Return a cube of 1 m, scaled."""
    offset = _lifted(height) @ np.diag([*size, 1.0])
    return Form(kind="Cube", half=np.full(3, 0.5), attributes={"size": 1.0}, offset=offset)


def _capsule(shape: Capsule) -> Form:
    """Return a capsule; a ball where one end contains the other, a hull where it is tapered."""
    height, bottom, top = shape.height, shape.radius_bottom, shape.radius_top
    if abs(bottom - top) >= height:
        return _ball(max(bottom, top), height / 2 if top > bottom else -height / 2)
    if bottom != top:
        return _hull(sampled(shape))
    half = np.array([top, top + height / 2, top])
    return Form(kind="Capsule", half=half, attributes={"height": height, "radius": top})


def _cylinder(shape: Cylinder) -> Form:
    """Return a cylinder or a cone; a hull where it is tapered otherwise."""
    height, bottom, top = shape.height, shape.radius_bottom, shape.radius_top
    radius = max(bottom, top)
    half, attributes = np.array([radius, height / 2, radius]), {"height": height, "radius": radius}
    if bottom == top:
        return Form(kind="Cylinder", half=half, attributes=attributes)
    if min(bottom, top) > 0:
        return _hull(sampled(shape))
    offset = np.eye(4) if top == 0 else _UPSIDE_DOWN
    return Form(kind="Cone", half=half, attributes=attributes, offset=offset)


def _plane(source: Source, pointer: str, shape: Plane, *, is_fixed: bool) -> Form:
    if is_fixed and shape.size_x is None and shape.size_z is None:
        if shape.double_sided:
            effect = "engines may push what is below it up through it"
            source.lose(pointer, "a plane with two sides", "UsdPhysics does not specify it", effect)
        sides = {"width": 2 * REACH, "length": 2 * REACH}
        offset = _UPSIDE_DOWN if shape.side < 0 else np.eye(4)
        half = np.array([REACH, 0.0, REACH])
        return Form(kind="Plane", half=half, attributes=sides, offset=offset)
    if shape.size_x is None or shape.size_z is None:
        reason = "the planes of UsdPhysics are fixed and infinite"
        source.lose(pointer, "an infinite plane", reason, f"it ends {REACH:g} m from its middle")
    effect = f"it is a box {SHEET:g} m thick, solid from all sides"
    source.lose(pointer, "a plane of limited size", "engines treat planes as infinite", effect)
    x, z = (2 * REACH if size is None else size for size in (shape.size_x, shape.size_z))
    middle = 0.0 if shape.double_sided else -shape.side * SHEET / 2
    return _box(np.array([x, SHEET, z]), middle)


def _hull(corners: Floats) -> Form:
    return _mesh(*solid_hull(corners), "convexHull")


def _mesh(corners: Floats, triangles: npt.NDArray[np.int64], approximation: str) -> Form:
    half = np.abs(corners).max(axis=0)
    mesh = (corners, triangles)
    return Form(kind="Mesh", half=half, mesh=mesh, approximation=approximation)


def _lifted(height: float) -> Floats:
    return np.asarray(tf.compose(np.array([0.0, height, 0.0]), np.array([0.0, 0.0, 0.0, 1.0])))


def _fill_mesh(prim: Any, corners: Floats, triangles: npt.NDArray[np.int64]) -> None:
    mesh = UsdGeom.Mesh(prim)
    mesh.CreatePointsAttr(points(corners))
    mesh.CreateFaceVertexCountsAttr(indices(np.full(len(triangles), 3)))
    mesh.CreateFaceVertexIndicesAttr(indices(triangles))
    mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
    mesh.CreateExtentAttr(extent(corners))

"""Shapes: `{"type": "sphere", "sphere": {...}}`, in every extension of KHR and MSFT."""

import dataclasses
from collections.abc import Collection
from typing import Annotated, Any, TypeAlias

from ligament.extensions.fields import Catalogue, Fields, Vector
from ligament.extensions.registry import (
    KHR_COLLISION_SHAPES,
    KHR_IMPLICIT_SHAPES,
    KHR_PHYSICS_RIGID_BODIES,
    MSFT_COLLISION_PRIMITIVES,
    MSFT_COLLISION_PRIMITIVES_2022,
    Dialect,
)
from ligament.extensions.tables.arrays import Arrays
from ligament.extensions.tables.objects import Each, Extending
from ligament.extensions.tables.rows import Flag, Index, Json, Number, Numbers, Places
from ligament.extensions.tables.rules import Default, Rule, Says, Values
from ligament.extensions.tables.table import Table
from ligament.extensions.tables.variants import Variant
from ligament.findings import Finding

IMPLICIT = f"/extensions/{KHR_IMPLICIT_SHAPES}/shapes"
CORE = "/shapes"
COLLISION = f"/extensions/{KHR_COLLISION_SHAPES}/shapes"
PRIMITIVES = f"/extensions/{MSFT_COLLISION_PRIMITIVES}/colliders"
PRIMITIVES_2022 = f"/extensions/{MSFT_COLLISION_PRIMITIVES_2022}/colliders"
"""The arrays of shapes."""

_SIZE: Any = {"unit": "m", "least": 0.0, "is_written": True}
_SIDE: Any = {"unit": "m", "least": 0.0, "is_above": True, "overflow": None}

_NOTHING: Any = object()


@dataclasses.dataclass(frozen=True)
class Sphere:
    """A ball around the origin."""

    radius: Annotated[float, Number(**_SIZE)] = 0.5


@dataclasses.dataclass(frozen=True)
class Box:
    """A box around the origin."""

    size: Annotated[Vector, Numbers(**_SIZE, about="Full extents.")] = (1.0, 1.0, 1.0)


@dataclasses.dataclass(frozen=True)
class Capsule:
    """The hull of two balls on the Y axis."""

    height: Annotated[float, Number(**_SIZE, about="Distance of the balls' centres.")] = 0.5
    radius_bottom: Annotated[float, Number(**_SIZE)] = 0.25
    radius_top: Annotated[float, Number(**_SIZE)] = 0.25


@dataclasses.dataclass(frozen=True)
class Cylinder:
    """The hull of two discs across the Y axis; one radius of 0 is a cone."""

    height: Annotated[float, Number(**_SIZE, about="Distance of the discs.")] = 0.5
    radius_bottom: Annotated[float, Number(**_SIZE)] = 0.25
    radius_top: Annotated[float, Number(**_SIZE)] = 0.25


@dataclasses.dataclass(frozen=True)
class Plane:
    """A part of the XZ plane, infinite where a size is absent.

    It faces +Y as declared; `side` is -1 where a mirror above its node makes it face -Y.
    """

    size_x: Annotated[float | None, Number(**_SIDE)] = None
    size_z: Annotated[float | None, Number(**_SIDE)] = None
    double_sided: Annotated[bool, Flag(about="It has a side that faces -Y too.")] = False
    side: int = 1


@dataclasses.dataclass(frozen=True)
class MeshGeometry:
    """The surface of a mesh, or its convex hull; `weights`, if given, morph it."""

    mesh: Annotated[int, Index(array="/meshes", required=True, essential=True)]
    convex: Annotated[bool, Flag(name="convexHull", animated=False)]
    skin: Annotated[int | None, Index(array="/skins")] = None
    weights: Annotated[tuple[float, ...] | None, Numbers(count=None, animated=False)] = None
    use_node_weights: Annotated[bool, Flag(animated=False)] = False


ImplicitShape: TypeAlias = Sphere | Box | Capsule | Cylinder | Plane


class MorphWeights(Rule):
    """Weights, one for each morph target, or those of the node."""

    def after(
        self, fields: Fields, values: Values, faulty: Collection[str], arrays: Arrays
    ) -> bool:
        weights, mesh = values["weights"], values["mesh"]
        if weights is not None and values["use_node_weights"]:
            message = "found both weights and useNodeWeights"
            fields.report("KHR_IMPLICIT_SHAPES_DUPLICATE_WEIGHTS", message, "use one of them")
        if weights is not None and (mesh is None or not _fit(fields, weights, mesh, arrays)):
            values["weights"] = None
        values["use_node_weights"] &= values["weights"] is None
        return True

    def odd(self, names: Collection[str], default: Default) -> str:
        return "plain.weights is not None"

    def schema(self, names: Collection[str]) -> list[Json]:
        by_node = {"useNodeWeights": {"const": True}}
        return [{"not": {"required": ["weights", "useNodeWeights"], "properties": by_node}}]


def _fit(fields: Fields, weights: tuple[float, ...], mesh: int, arrays: Arrays) -> bool:
    targets = arrays.find(f"/meshes/{mesh}/primitives/0/targets", ())
    count = len(targets) if isinstance(targets, list) else 0
    if len(weights) != count:
        message = f"found {len(weights)} weights for {count} morph targets"
        fields.report(
            "SHAPE_WEIGHTS_INVALID", message, "give each morph target a weight", "weights"
        )
    return len(weights) == count


SPHERE, BOX, PLANE, CAPSULE, CYLINDER = map(Table, (Sphere, Box, Plane, Capsule, Cylinder))
MESH = Table(MeshGeometry, MorphWeights(), about="A mesh, as in mid-2024.")
BARE_MESH = Table(MeshGeometry, about="A mesh.", rows=[MESH.row("mesh")])
CONVEX = BARE_MESH.changed(
    build=lambda *_, mesh: MeshGeometry(mesh, convex=True), about="The convex hull of a mesh."
)
TRIMESH = BARE_MESH.changed(
    build=lambda *_, mesh: MeshGeometry(mesh, convex=False), about="The surface of a mesh."
)


ENDS = {"radiusBottom": "radius_bottom", "radiusTop": "radius_top"}
"""The radii of both ends: members and attributes."""


def with_radius(table: Table, *rules: Rule, **columns: Any) -> Table:
    """Return the table of round shapes of another dialect: one `radius` sets the ends not given."""
    radius = Number(unit="m", least=0.0, animated=False, about="Of both ends.")
    result = table.changed(radius=radius, **columns)
    absent = {name: result.row(name).default for name in ENDS.values()}

    def set_ends(fields: Fields, values: Values) -> None:
        radius = values.pop("radius")
        for name, default in absent.items():
            if radius is not None and values[name] is default:
                values[name] = radius

    return result.changed(*rules, Says(set_ends))


SOLIDS = {"sphere": SPHERE, "box": BOX, "capsule": CAPSULE, "cylinder": CYLINDER}


HULL = Table(MeshGeometry, about="Whether a mesh is a hull.", rows=[MESH.row("convex")])


class MeshVariant(Variant):
    """Shapes that may be of meshes.

    The hull flag of mid-2024 moved to an extension of the shape.
    """

    def kind(self, value: Any) -> str:
        if not isinstance(value, MeshGeometry):
            return super().kind(value)
        return "convex" if value.convex else "trimesh"

    def write(self, value: Any, places: Places) -> Json:
        if not isinstance(value, MeshGeometry):
            return super().write(value, places)
        return {"type": self.kind(value), self.kind(value): {"mesh": value.mesh}}

    def finish(self, value: Any, fields: Fields) -> Any:
        extension = fields.extension(KHR_PHYSICS_RIGID_BODIES)
        if extension is None or "mesh" not in self.tables:
            return value
        if not isinstance(value, MeshGeometry) or fields.raw.get("type") != "mesh":
            return value
        extension.only(HULL.names)
        return dataclasses.replace(value, convex=extension.boolean("convexHull", value.convex))


@dataclasses.dataclass(frozen=True)
class Shapes:
    """An array of shapes."""


IMPLICIT_SHAPE = Variant(
    {**SOLIDS, "plane": PLANE}, about="A shape.", compound_code="KHR_IMPLICIT_SHAPES_COMPOUND_SHAPE"
)

_WIDE: Any = {"radius_bottom": {"default": 0.5}, "radius_top": {"default": 0.5}}
CORE_SHAPE = dataclasses.replace(
    IMPLICIT_SHAPE,
    tables={
        **SOLIDS,
        "capsule": CAPSULE.changed(height={"default": 1.0}, **_WIDE),
        "cylinder": CYLINDER.changed(height={"default": 2.0}, **_WIDE),
        "plane": PLANE.changed(double_sided=None),
    },
)
"""glTF 2.1 (a draft); planes have one side there."""

COLLISION_SHAPE = MeshVariant(
    {**SOLIDS, "convex": CONVEX, "trimesh": TRIMESH, "mesh": MESH},
    about="A shape.",
    compound_code="KHR_COLLISION_SHAPES_COMPOUND_SHAPE",
    needed=("convex", "trimesh", "mesh"),
    eras={
        "convex": Dialect.KHR_2024_03,
        "trimesh": Dialect.KHR_2024_03,
        "mesh": Dialect.KHR_2024_06,
    },
    others=[
        Extending(
            name=KHR_PHYSICS_RIGID_BODIES,
            table=HULL,
            since=Dialect.KHR_2024_06,
            until=Dialect.KHR_2024_06,
        )
    ],
)


def array_of(member: str, shape: Variant) -> Table:
    """Return the table of the object that holds an array of shapes."""
    row = Each(attribute=member, name=member, table=shape)
    return Table(Shapes, about="Shapes by index.", rows=[row])


def read_shapes(
    arrays: Arrays, pointer: str, shape: Variant, findings: list[Finding]
) -> Catalogue[Any]:
    """Read the array of shapes at a pointer; without it, no index into it is valid."""
    owner_pointer, _, member = pointer.rpartition("/")
    raw = arrays.find(owner_pointer, _NOTHING)
    is_there = raw is not _NOTHING and (owner_pointer != "" or member in raw)
    owner = Fields.of(raw, owner_pointer, findings) if is_there else None
    if owner is not None and owner_pointer:
        owner.only((member,))
    return arrays.read(owner, pointer, shape)

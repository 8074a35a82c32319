"""Shapes: OMI_collider and OMI_physics_shape, flat or with an object per type.

The height of a capsule changed its meaning in January 2025, together with the names of the radii:
beside `radius` it is total, from tip to tip; beside `radiusBottom` and `radiusTop` it lies between
the centres, as it does in the common form.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, NamedTuple

from msgspec import Struct

from ligament.extensions import shapes as solids
from ligament.extensions.fields import Fields
from ligament.extensions.registry import OMI_COLLIDER, OMI_PHYSICS_SHAPE
from ligament.extensions.tables.arrays import Arrays
from ligament.extensions.tables.rows import Element, Flag, Index, Json, Row
from ligament.extensions.tables.rules import Excludes, Rule, Says, Values
from ligament.extensions.tables.table import ANYTHING, NAME, Table
from ligament.extensions.tables.variants import Variant

SHAPES = f"/extensions/{OMI_PHYSICS_SHAPE}/shapes"
COLLIDERS = f"/extensions/{OMI_COLLIDER}/colliders"
"""The arrays of shapes."""

RADIUS = 0.5
HEIGHT, TOTAL_HEIGHT = 1.0, 2.0
"""Defaults of a capsule, between the centres and from tip to tip."""

ROUNDING = 1e-6
"""Part of its size by which a capsule may be too short: twice a radius in single precision."""


def _total_height(*, is_flat: bool) -> Says:
    """Return the rule of a capsule of one radius, whose height is total."""

    def say(fields: Fields, values: Values) -> None:
        is_new = any(values[end] is not RADIUS for end in solids.ENDS.values())
        if is_new or any(name in fields for name in solids.ENDS):
            return
        has_height = values["height"] is not HEIGHT
        if is_flat or "radius" in fields:
            radius = RADIUS if values["radius"] is None else values["radius"]
            total = values["height"] if has_height else TOTAL_HEIGHT
            if total < 2 * radius * (1 - ROUNDING):
                message = f"a height of {total:g} is less than twice the radius of {radius:g}"
                remedy = "the height is total; a sphere of that radius is used"
                fields.report("OMI_COLLIDER_INVALID_CAPSULE_HEIGHT", message, remedy)
            values["height"] = max(total - 2 * radius, 0.0)
        elif has_height:
            message = "a height without radii was total until 2025; "
            message += "it is read as that between the centres"
            code, remedy = "OMI_PHYSICS_SHAPE_AMBIGUOUS_HEIGHT", "give radiusBottom and radiusTop"
            fields.report(code, message, remedy, "height")

    return Says(say)


def _round(table: Table, *rules: Rule, height: float, about: str) -> Table:
    beside = Excludes(*solids.ENDS, radius="use it, or radiusBottom and radiusTop")
    columns: Any = {"height": {"default": height, "about": about}}
    columns |= {end: {"default": RADIUS} for end in solids.ENDS.values()}
    return solids.with_radius(table, beside, *rules, **columns).fixed()


def _capsule(*, is_flat: bool) -> Table:
    about = "Distance of the balls' centres; from tip to tip beside `radius`."
    return _round(solids.CAPSULE, _total_height(is_flat=is_flat), height=HEIGHT, about=about)


_SIZES = {
    "box": solids.BOX.fixed(),
    "sphere": solids.SPHERE.fixed(),
    "capsule": _capsule(is_flat=False),
    "cylinder": _round(solids.CYLINDER, height=TOTAL_HEIGHT, about="Distance of the discs."),
    "hull": solids.CONVEX,
    "convex": solids.CONVEX,
    "trimesh": solids.TRIMESH,
}
_FLAT = {**_SIZES, "capsule": _capsule(is_flat=True)}


def _sizes_of(tables: Mapping[str, Table]) -> Iterator[Row]:
    """Yield the rows of all types, each with the types that have it."""
    rows = {row.name: row for table in tables.values() for row in table.rows}
    for name, row in rows.items():
        kinds = [kind for kind, table in tables.items() if name in table.names]
        yield row.changed(required=False, has_default=False, about=f"Of {', '.join(kinds)}.")


class Shape(Variant):
    """Shapes whose sizes stand beside the type, or in an object of its name."""

    def __init__(
        self, flat: Mapping[str, Table], nested: Mapping[str, Table], *beside: Row
    ) -> None:
        about = "A shape, whose sizes may stand beside the type."
        others = (*beside, *_sizes_of(flat))
        super().__init__(nested, about=about, compound_code="", others=others, kinds=flat)
        self.flat, self._beside = flat, beside
        self._own = {"type", "name", *(row.name for row in beside)}

    def read(self, fields: Fields, arrays: Arrays, index: int = 0) -> Any:
        fields.string("name", None)
        for row in self._beside:
            row.read(fields, arrays)
        fields.required("type")
        flat: Table | None = fields.choice("type", self.flat, None)
        if flat is None:
            return None
        kind = fields.raw["type"]
        if kind in fields and kind in self.tables:
            fields.only(("type", "name", kind))
            sizes = fields.object(kind)
            return None if sizes is None else self.tables[kind].read(sizes, arrays)
        rest = {name: value for name, value in fields.raw.items() if name not in self._own}
        return flat.read(Fields(rest, fields.pointer, fields.findings), arrays)

    def schema(self) -> Json:
        return {
            "description": self.about,
            "type": "object",
            "properties": {"type": {"enum": [*self.flat]}},
            "required": ["type"],
            "allOf": [
                {"if": {"properties": {"type": {"const": kind}}, "required": ["type"]}, "then": of}
                for kind, of in ((kind, self._schema_of(kind)) for kind in self.flat)
            ],
        }

    def _schema_of(self, kind: str) -> Json:
        beside: Json = {"type": True, **NAME.schema()}
        for row in self._beside:
            beside |= row.schema()
        flat = self.flat[kind].schema()
        flat["properties"] = beside | flat["properties"]
        if kind not in self.tables:
            return flat
        nested = {**beside, kind: self.tables[kind].schema(), **ANYTHING}
        closed = {"properties": nested, "additionalProperties": False}
        return {"if": {"required": [kind]}, "then": closed, "else": flat}


SHAPE = Shape(_FLAT, _SIZES)

_IS_TRIGGER = Flag(name="isTrigger", animated=False, about="It detects overlaps.")


class ColliderShape(NamedTuple):
    """An element of OMI_collider; where `is_trigger` is None the body decides."""

    geometry: Any
    is_trigger: bool | None


class TriggerShape(Shape):
    """Shapes that may say whether they are triggers."""

    def read(self, fields: Fields, arrays: Arrays, index: int = 0) -> ColliderShape:
        is_trigger = fields.raw.get(_IS_TRIGGER.name)
        geometry = super().read(fields, arrays, index)
        return ColliderShape(geometry, is_trigger if isinstance(is_trigger, bool) else None)


COLLIDER_SHAPE = TriggerShape({**_FLAT, "mesh": solids.TRIMESH}, {}, _IS_TRIGGER)
"""`mesh` is what drafts of OMI_collider called a trimesh."""


class Shaped(Struct, frozen=True):
    """A node that is given a shape."""

    shape: Annotated[Any, Element(array=SHAPES, required=True, essential=True)]


SHAPED = Table(Shaped, build=lambda *_, shape: shape)
COLLIDED = Table(
    Shaped,
    build=SHAPED.build,
    rows=SHAPED.changed(shape={"name": "collider", "array": COLLIDERS}).rows,
    unread=[Index(name="mesh", array="/meshes", essential=True)],
)
"""Drafts named a mesh in place."""

SHAPES_ROOT = solids.array_of("shapes", SHAPE).changed(shapes={"required": True})
COLLIDERS_ROOT = solids.array_of("colliders", COLLIDER_SHAPE).changed(colliders={"required": True})

"""Bodies, colliders and triggers of OMI_physics_body, and the nodes that other extensions shape.

In 2023 the object on a node is a body, one of whose types is `trigger`, and other extensions give
nodes at and below it a shape. Later it holds `motion`, `collider` and `trigger`. -1 stands for no
shape, material or filter.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

from ligament.extensions.fields import Fields
from ligament.extensions.omi.motion import MOTION, build_motion
from ligament.extensions.omi.nodes import Nodes
from ligament.extensions.omi.shape import COLLIDED, SHAPED, SHAPES, ColliderShape
from ligament.extensions.registry import OMI_COLLIDER, OMI_PHYSICS_BODY, OMI_PHYSICS_SHAPE
from ligament.extensions.rigid_bodies.collider import COLLIDER as KHR_COLLIDER
from ligament.extensions.rigid_bodies.collider import TRIGGER as KHR_TRIGGER
from ligament.extensions.rigid_bodies.collider import Collider, Trigger
from ligament.extensions.rigid_bodies.extension import NODE as KHR_NODE
from ligament.extensions.rigid_bodies.extension import ROOT as KHR_ROOT
from ligament.extensions.rigid_bodies.extension import Node
from ligament.extensions.rigid_bodies.geometry import GeometrySource
from ligament.extensions.rigid_bodies.material import MATERIAL, Combine
from ligament.extensions.rigid_bodies.motion import Motion
from ligament.extensions.tables.arrays import Arrays
from ligament.extensions.tables.objects import Nested
from ligament.extensions.tables.regular import read_all
from ligament.extensions.tables.rows import Anything, Element, Indices, Json, Plain
from ligament.extensions.tables.table import Table
from ligament.extensions.tables.variants import Either

NONE = -1


class Members(Indices, frozen=True, kw_only=True):
    """The triggers that make up a compound one, which are read when all triggers are known."""

    def plain(self) -> list[Plain]:
        return []

    def read(self, fields: Fields, arrays: Arrays) -> tuple[int, ...]:
        return ()

    def content(self) -> Json:
        return {name: rule for name, rule in super().content().items() if name != "minItems"}


_NONE: Mapping[str, Any] = {"none": NONE, "about": "-1 is none."}
_SHAPE = Element(name="shape", array=SHAPES, essential=True, none=NONE, about="-1 is none.")

COLLIDER = Table(
    Collider,
    about="A collider; one without a shape holds together those below it.",
    rows=KHR_COLLIDER.changed(geometry=_SHAPE, material=_NONE, filter=_NONE).rows,
)
TRIGGER = Table(
    Trigger,
    about="A trigger; one without shape and nodes consists of all those below it.",
    rows=KHR_TRIGGER.changed(
        geometry=_SHAPE,
        nodes=Members(array="/nodes", essential=True, about="Triggers below it."),
        filter=_NONE,
    ).rows,
)

NODE = KHR_NODE.changed(
    motion={"table": MOTION},
    collider={"table": COLLIDER},
    trigger={"table": TRIGGER},
    joint=None,
    about="The physics of a node.",
)


def _flat(node: int, pointer: str, *, collider: Any, trigger: Any, **values: Any) -> Node:
    motion = build_motion(node, pointer, **values)
    return Node(node, pointer, motion=motion, collider=collider, trigger=trigger)


def _trigger(node: int, pointer: str, *, collider: Any, trigger: Any, **_: None) -> Node:
    return Node(node, pointer, collider=collider, trigger=trigger)


_PARTS: Mapping[str, Any] = {
    "collider": Nested(table=COLLIDER),
    "trigger": Nested(table=TRIGGER),
}
_MEANINGLESS: Mapping[str, Any] = {row.attribute: Anything() for row in MOTION.rows}
FLAT = MOTION.changed(build=_flat, about="A body of 2023.", **_PARTS)
FLAT_TRIGGER = Table(
    FLAT.view,
    about="A trigger of 2023, whose `type` is `trigger`.",
    build=_trigger,
    rows=MOTION.changed(**_MEANINGLESS, **_PARTS).rows,
)


def is_flat(raw: Mapping[str, Any]) -> bool:
    """Tell whether an object on a node is a body of 2023, with or without its type."""
    return "motion" not in raw and not MOTION.names.isdisjoint(raw)


def _is_trigger(raw: Mapping[str, Any]) -> bool:
    return raw.get("type") == "trigger"


BODY = Either(
    Either(
        FLAT_TRIGGER,
        FLAT,
        is_older=_is_trigger,
        condition={"properties": {"type": {"const": "trigger"}}, "required": ["type"]},
    ),
    NODE,
    is_older=is_flat,
    condition={
        "not": {"required": ["motion"]},
        "anyOf": [{"required": [name]} for row in MOTION.rows for name in row.names],
    },
)

_AVERAGING: Mapping[str, Any] = {"default": Combine.AVERAGE}
ROOT = KHR_ROOT.changed(
    physics_materials={
        "table": MATERIAL.changed(
            friction_combine=_AVERAGING, restitution_combine=_AVERAGING
        ).fixed()
    },
    physics_joints=None,
)
"""A combine mode that is absent votes for the average."""


# --- reading ---


@dataclasses.dataclass
class Bodies:
    """All that was read from nodes, by node index.

    `trigger_bodies` are bodies of 2023 that are triggers, `compounds` triggers without a shape of
    their own or with other triggers beside it, both with a cursor on what the file says;
    `named` are all nodes that carry OMI_physics_body with any content.
    """

    motions: dict[int, Motion] = dataclasses.field(default_factory=dict)
    colliders: dict[int, Collider] = dataclasses.field(default_factory=dict)
    triggers: dict[int, Trigger] = dataclasses.field(default_factory=dict)
    trigger_bodies: dict[int, Fields] = dataclasses.field(default_factory=dict)
    compounds: dict[int, Fields] = dataclasses.field(default_factory=dict)
    named: set[int] = dataclasses.field(default_factory=set)

    def owners(self, nodes: Nodes) -> list[int]:
        """Return, for every node, the nearest body at or above it, triggers of 2023 too, or -1."""
        return nodes.nearest(self.motions.keys() | self.trigger_bodies.keys())

    def add(self, table: Table, fields: Fields, view: Node) -> None:
        """Add what a node carries under OMI_physics_body, read by a table."""
        node, raw = view.node, fields.raw
        if table is FLAT_TRIGGER:
            self.trigger_bodies[node] = fields
        if view.motion is not None:
            self.motions[node] = view.motion
        if view.collider is not None:
            self.colliders[node] = view.collider
        if view.trigger is not None:
            self.triggers[node] = view.trigger
            content = raw["trigger"]
            if content.get("shape", NONE) == NONE or content.get("nodes", []) != []:
                self.compounds[node] = Fields(content, view.trigger.pointer, fields.findings)
        if table is not NODE or not NODE.names.isdisjoint(raw):
            self.named.add(node)

    def add_shaped(
        self, node: int, fields: Fields, geometry: GeometrySource | None, *, is_trigger: bool
    ) -> None:
        """Add a node that another extension gives a shape."""
        if node in (self.triggers if is_trigger else self.colliders):
            noun = "trigger" if is_trigger else "collider"
            message = f"the node is a {noun} by another extension too, so this is ignored"
            fields.report("PHYSICS_DIALECT_CONFLICT", message, "remove one of them")
        elif is_trigger:
            self.triggers[node] = Trigger(node=node, geometry=geometry, pointer=fields.pointer)
        else:
            self.colliders[node] = Collider(node=node, geometry=geometry, pointer=fields.pointer)


def read_bodies(nodes: Nodes, arrays: Arrays) -> Bodies:
    """Read bodies, colliders and triggers of both eras."""
    bodies = Bodies()
    carried = [(BODY.table(f.raw), f, node) for node, f in nodes.extended(OMI_PHYSICS_BODY)]
    for (table, fields, _), view in zip(carried, read_all(carried, arrays), strict=True):
        bodies.add(table, fields, view)
    owners = bodies.owners(nodes)
    for name, table in ((OMI_PHYSICS_SHAPE, SHAPED), (OMI_COLLIDER, COLLIDED)):
        carried = [(table, fields, node) for node, fields in nodes.extended(name)]
        for (_, fields, node), shape in zip(carried, read_all(carried, arrays), strict=True):
            is_trigger, geometry = owners[node] in bodies.trigger_bodies, shape
            if isinstance(shape, ColliderShape):
                geometry = shape.geometry
                is_trigger = is_trigger if shape.is_trigger is None else shape.is_trigger
            bodies.add_shaped(node, fields, geometry, is_trigger=is_trigger)
    return bodies

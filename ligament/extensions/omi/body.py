"""Bodies, colliders and triggers of OMI_physics_body, and the nodes that other extensions shape.

In 2023 the object on a node is a body, one of whose types is `trigger`, and other extensions give
nodes at and below it a shape. Later it holds `motion`, `collider` and `trigger`. -1 stands for no
shape, material or filter.
"""

from collections.abc import Mapping
from typing import Any

from ligament.extensions.omi.motion import MOTION, build_motion
from ligament.extensions.omi.shape import SHAPES
from ligament.extensions.rigid_bodies.collider import COLLIDER as KHR_COLLIDER
from ligament.extensions.rigid_bodies.collider import TRIGGER as KHR_TRIGGER
from ligament.extensions.rigid_bodies.collider import Collider, Trigger
from ligament.extensions.rigid_bodies.extension import NODE as KHR_NODE
from ligament.extensions.rigid_bodies.extension import ROOT as KHR_ROOT
from ligament.extensions.rigid_bodies.extension import Node
from ligament.extensions.rigid_bodies.material import MATERIAL, Combine
from ligament.extensions.tables.objects import Nested
from ligament.extensions.tables.rows import Anything, Element, Indices
from ligament.extensions.tables.table import Table
from ligament.extensions.tables.variants import Either

NONE = -1


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
        nodes=Indices(array="/nodes", essential=True, least=0, about="Triggers below it."),
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


_PARTS: Mapping[str, Any] = {"collider": Nested(table=COLLIDER), "trigger": Nested(table=TRIGGER)}
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

"""Bodies, colliders and triggers of OMI_physics_body, and the nodes that other extensions shape.

In 2023 the object on a node is a body, one of whose types is `trigger`, and other extensions give
nodes at and below it a shape. Later it holds `motion`, `collider` and `trigger`. -1 stands for no
shape, material or filter. Motions have a `type`, a mass above 0, and inertia, of which 0 is to be
computed.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ligament import transforms as tf
from ligament.extensions.fields import Fields, Quaternion, Vector
from ligament.extensions.omi.shape import SHAPES
from ligament.extensions.rigid_bodies.collider import COLLIDER as KHR_COLLIDER
from ligament.extensions.rigid_bodies.collider import TRIGGER as KHR_TRIGGER
from ligament.extensions.rigid_bodies.collider import Collider, Trigger
from ligament.extensions.rigid_bodies.extension import NODE as KHR_NODE
from ligament.extensions.rigid_bodies.extension import ROOT as KHR_ROOT
from ligament.extensions.rigid_bodies.extension import Node
from ligament.extensions.rigid_bodies.material import MATERIAL, Combine
from ligament.extensions.rigid_bodies.motion import MOMENTS, UNTURNED, ZERO, Motion, MotionKind
from ligament.extensions.rigid_bodies.motion import MOTION as KHR_MOTION
from ligament.extensions.tables.objects import Nested
from ligament.extensions.tables.rows import Anything, Choice, Element, Indices, Numbers
from ligament.extensions.tables.rules import Excludes, Says, Values
from ligament.extensions.tables.table import Table
from ligament.extensions.tables.variants import Either

# --- motion ---

KINDS: dict[str, MotionKind] = {
    "static": MotionKind.STATIC,
    "kinematic": MotionKind.KINEMATIC,
    "character": MotionKind.KINEMATIC,
    "dynamic": MotionKind.DYNAMIC,
    "rigid": MotionKind.DYNAMIC,
    "vehicle": MotionKind.DYNAMIC,
}
"""Motion types of all revisions; `rigid` became `dynamic` before bodies were split."""

SYMMETRY_TOLERANCE = 1e-6
"""Largest asymmetry of an inertia tensor, relative to its largest element: single precision."""

SMALLEST_MOMENT = 1e-9
"""The least principal moment, of the largest element, that is more than rounding."""


class Inertia(NamedTuple):
    """Principal moments [kg m²], None where they follow from the shapes, and their axes."""

    diagonal: Vector | None = None
    orientation: Quaternion = UNTURNED


def _split(elements: tuple[float, ...]) -> Inertia | None:
    """Split a tensor, nine numbers [kg m²], into moments and axes; None if it is no inertia.

    Zeros mean that it is to be computed.
    """
    return _principal(np.reshape(elements, (3, 3))) if any(elements) else Inertia()


def _principal(tensor: npt.NDArray[np.float64]) -> Inertia | None:
    largest = float(np.abs(tensor).max())
    unit = tensor / largest
    if np.abs(unit - unit.T).max() > SYMMETRY_TOLERANCE:
        return None
    moments, axes = np.diagonal(unit), np.eye(3)
    if np.count_nonzero(unit) > np.count_nonzero(moments):
        moments, axes = np.linalg.eigh((unit + unit.T) / 2)
        axes[:, 0] *= np.sign(tf.determinant(axes))
    # Python's floats: an overflow is infinite without a warning.
    x, y, z = (float(moment) * largest for moment in moments)
    if moments.min() <= SMALLEST_MOMENT or not 0 < min(x, y, z) <= max(x, y, z) < float("inf"):
        return None
    qx, qy, qz, qw = (float(component) for component in tf.from_matrix(axes))
    return Inertia((x, y, z), (qx, qy, qz, qw))


def _inertia(fields: Fields, values: Values) -> None:
    """Take principal moments from a tensor; moments of 0 mean that they are computed."""
    tensor, diagonal = values.pop("inertia_tensor"), values["inertia_diagonal"]
    if tensor is not None:
        inertia = _split(tensor)
        if inertia is None:
            code = "OMI_PHYSICS_BODY_INVALID_INERTIA_TENSOR"
            message = "it is not symmetric with moments above 0, so the inertia is computed"
            remedy = "write a symmetric, positive definite 3x3 matrix"
            fields.report(code, message, remedy, "inertiaTensor")
        values["inertia_diagonal"], values["inertia_orientation"] = inertia or Inertia()
    elif diagonal is not None and not all(diagonal):
        if any(diagonal):
            code, remedy = "OMI_PHYSICS_BODY_PARTIAL_INERTIA", "give all three moments or none"
            message = "found a moment of 0 (to be computed) together with others, "
            message += "so all are computed"
            fields.report(code, message, remedy, "inertiaDiagonal")
        values["inertia_diagonal"] = None


_NEWER = "inertiaDiagonal and inertiaOrientation replace it"

MOTION = KHR_MOTION.changed(
    MOMENTS,
    Excludes("inertiaDiagonal", inertiaTensor=_NEWER),
    Excludes("inertiaTensor", inertiaOrientation="inertiaTensor already sets it"),
    Says(_inertia),
    about="A body; without a type, as in a published sample, it is dynamic.",
    kind=Choice(name="type", choices=KINDS, required=True, about="How it moves."),
    mass={"default": 1.0, "is_above": True, "zero": None, "about": ""},
    center_of_mass={"default": ZERO},
    inertia_diagonal={"zero": None, "about": "Principal moments of inertia; 0: to be computed."},
    inertia_tensor=Numbers(
        count=9, unit="kg m²", turns=True, about="Of 2023, instead of both others."
    ),
).fixed()


# --- bodies ---

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

NODE = KHR_NODE.changed(motion=MOTION, collider=COLLIDER, trigger=TRIGGER, joint=None)


def _flat(node: int, pointer: str, *, collider: Any, trigger: Any, **values: Any) -> Node:
    motion = Motion(node, pointer, **values)
    return Node(node, pointer, motion=motion, collider=collider, trigger=trigger)


_PARTS: Mapping[str, Any] = {"collider": Nested(table=COLLIDER), "trigger": Nested(table=TRIGGER)}
_MEANINGLESS: Mapping[str, Any] = {row.attribute: Anything() for row in MOTION.rows}
FLAT = MOTION.changed(build=_flat, about="A body of 2023.", **_PARTS)
FLAT_TRIGGER = Table(
    FLAT.view,
    about="A trigger of 2023, whose `type` is `trigger`.",
    build=lambda node, pointer, collider, trigger, **_: Node(
        node, pointer, collider=collider, trigger=trigger
    ),
    rows=MOTION.changed(**_MEANINGLESS, **_PARTS).rows,
)


BODY = Either(
    Either(
        FLAT_TRIGGER,
        FLAT,
        {"properties": {"type": {"const": "trigger"}}, "required": ["type"]},
    ),
    NODE,
    {
        "not": {"required": ["motion"]},
        "anyOf": [{"required": [name]} for row in MOTION.rows for name in row.names],
    },
)
"""Bodies of 2023, with or without their type, have no `motion`."""

_AVERAGE: Any = {"default": Combine.AVERAGE}
_MATERIAL = MATERIAL.changed(friction_combine=_AVERAGE, restitution_combine=_AVERAGE).fixed()
ROOT = KHR_ROOT.changed(physics_materials=_MATERIAL, physics_joints=None)
"""A combine mode that is absent votes for the average."""

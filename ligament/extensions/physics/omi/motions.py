"""Motions of OMI bodies: `type`, mass, inertia, velocities; flat in 2023, an object later."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ligament import transforms as tf
from ligament.extensions.fields import Fields, Quaternion, Vector
from ligament.extensions.rigid_bodies import Motion, MotionKind
from ligament.extensions.rigid_bodies.motion import MOMENTS, UNTURNED

MEMBERS = frozenset(
    {
        "type",
        "mass",
        "centerOfMass",
        "inertiaTensor",
        "inertiaDiagonal",
        "inertiaOrientation",
        "linearVelocity",
        "angularVelocity",
        "gravityFactor",
    }
)

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
"""How far an inertia tensor may be from symmetric, of its largest element: single precision."""

SMALLEST_MOMENT = 1e-9
"""The least principal moment, of the largest element, that is more than rounding."""

_ZERO = (0.0, 0.0, 0.0)


class Inertia(NamedTuple):
    """Principal moments [kg m²], None where they follow from the shapes, and their axes."""

    diagonal: Vector | None = None
    orientation: Quaternion = (0.0, 0.0, 0.0, 1.0)


def is_flat(fields: Fields) -> bool:
    """Tell whether an object on a node is a body of 2023, with or without its type."""
    return "motion" not in fields and not MEMBERS.isdisjoint(fields.raw)


def read_motion(fields: Fields, node: int) -> Motion:
    """Read a body; without a type, as in a published sample, it is dynamic."""
    fields.required("type")
    inertia = _inertia(fields)
    return Motion(
        node=node,
        kind=fields.choice("type", KINDS, MotionKind.DYNAMIC),
        mass=fields.number("mass", 1.0, minimum=0.0, exclusive=True, infinite=True),
        center_of_mass=fields.vector("centerOfMass", 3, _ZERO),
        inertia_diagonal=inertia.diagonal,
        inertia_orientation=inertia.orientation,
        linear_velocity=fields.vector("linearVelocity", 3, _ZERO),
        angular_velocity=fields.vector("angularVelocity", 3, _ZERO),
        gravity_factor=fields.number("gravityFactor", 1.0),
        pointer=fields.pointer,
    )


def _inertia(fields: Fields) -> Inertia:
    """Read the tensor of 2023, or the principal moments that took its place."""
    if "inertiaTensor" in fields and "inertiaDiagonal" not in fields:
        fields.misplaced("inertiaOrientation", "inertiaTensor already sets it")
        return _of_tensor(fields)
    fields.misplaced("inertiaTensor", "inertiaDiagonal and inertiaOrientation replace it")
    diagonal = fields.vector("inertiaDiagonal", 3, None, minimum=0.0, infinite=True)
    before = len(fields.findings)
    orientation = fields.rotation("inertiaOrientation", UNTURNED)
    faulty = () if len(fields.findings) == before else ("inertiaOrientation",)
    MOMENTS.report(fields, faulty)
    if diagonal is not None and any(diagonal) and not all(diagonal):
        message = "found a moment of 0 (to be computed) together with others, so all are computed"
        remedy = "give all three moments or none"
        fields.report("OMI_PHYSICS_BODY_PARTIAL_INERTIA", message, remedy, "inertiaDiagonal")
    return Inertia(diagonal if diagonal is not None and all(diagonal) else None, orientation)


def _of_tensor(fields: Fields) -> Inertia:
    """Read nine numbers of a symmetric matrix; zeros mean that it is to be computed."""
    elements = fields.vector("inertiaTensor", 9, None)
    if elements is None or not any(elements):
        return Inertia()
    inertia = _principal(np.reshape(elements, (3, 3)))
    if inertia is None:
        message = "it is not symmetric with moments above 0, so the inertia is computed"
        remedy = "write a symmetric, positive definite 3x3 matrix"
        fields.report("OMI_PHYSICS_BODY_INVALID_INERTIA_TENSOR", message, remedy, "inertiaTensor")
    return inertia or Inertia()


def _principal(tensor: npt.NDArray[np.float64]) -> Inertia | None:
    """Split a tensor (3, 3) [kg m²] into moments and axes; None if it is no inertia."""
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

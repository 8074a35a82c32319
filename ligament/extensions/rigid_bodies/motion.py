"""The motion of a node: mass, inertia, velocities."""

import math
from enum import StrEnum
from typing import Annotated, Any

from ligament.extensions.fields import Quaternion, Vector
from ligament.extensions.tables.rows import Flag, Number, Numbers, Rotation
from ligament.extensions.tables.rules import Needs
from ligament.extensions.tables.table import Part, Table

ZERO: Vector = (0.0, 0.0, 0.0)
ONE: Vector = (1.0, 1.0, 1.0)
UNTURNED: Quaternion = (0.0, 0.0, 0.0, 1.0)


class MotionKind(StrEnum):
    """How a body moves: by forces, by a constant velocity or an animation, or not at all."""

    DYNAMIC = "dynamic"
    KINEMATIC = "kinematic"
    STATIC = "static"


_KINDS: Any = {"yes": MotionKind.KINEMATIC, "no": MotionKind.DYNAMIC}
_INFINITE: Any = {"least": 0.0, "zero": math.inf, "overflow": math.inf}
_INITIAL: Any = {"turns": True, "about": "Initial, in the space of the node."}


class Motion(Part, frozen=True, kw_only=True, gc=False):
    """A rigid body on a node.

    `mass` is None if derived from the shapes, `inf` if declared infinite; likewise each of
    `inertia_diagonal`. The centre of mass and the velocities (linear: of the centre of mass) are in
    node space.
    """

    kind: Annotated[
        MotionKind,
        Flag(name="isKinematic", **_KINDS, about="Forces have no effect on its velocity."),
    ] = MotionKind.DYNAMIC
    mass: Annotated[float | None, Number(unit="kg", **_INFINITE)] = None
    center_of_mass: Annotated[
        Vector | None,
        Numbers(unit="m", turns=True, about="In the space of the node.", words="centre of mass"),
    ] = None
    inertia_diagonal: Annotated[
        Vector | None,
        Numbers(unit="kg m²", **_INFINITE, about="Principal moments of inertia.", words="inertia"),
    ] = None
    inertia_orientation: Annotated[
        Quaternion, Rotation(turns=True, about="Rotation of the principal axes, xyzw.")
    ] = UNTURNED
    linear_velocity: Annotated[Vector, Numbers(unit="m/s", **_INITIAL, words="velocity")] = ZERO
    angular_velocity: Annotated[Vector, Numbers(unit="rad/s", **_INITIAL)] = ZERO
    gravity_factor: Annotated[float, Number(about="Factor of gravity.")] = 1.0


MOMENTS = Needs(
    "inertiaOrientation",
    "inertiaDiagonal",
    code="PHYSICS_INERTIA_ORIENTATION_ALONE",
    message="it rotates no moments of inertia: none are given",
    remedy="give inertiaDiagonal",
)

MOTION = Table(Motion, MOMENTS)

MOTION_2023 = MOTION.changed(
    mass={"default": 1.0}, center_of_mass={"default": ZERO}, inertia_diagonal={"default": ONE}
)
"""In 2023 nothing was computed."""

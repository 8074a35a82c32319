"""Physics declarations: one form for all dialects.

The readers of the dialects translate names, defaults and changed meanings, so that nothing above
them needs to know where a value came from: zero mass that means infinity is `inf` here, a value to
be computed is None, angles are radians, lengths are in the space of the node that carries them.
Indices of nodes are valid; materials, filters and shapes are the objects themselves.

Types that a file can have a hundred thousand of are structs, which cost far less than dataclasses;
`msgspec.structs.replace` makes changed copies of them.
"""

from __future__ import annotations

import dataclasses
import math
from enum import StrEnum
from typing import Literal, TypeAlias

from msgspec import Struct

from ligament.findings import Finding

Vector: TypeAlias = tuple[float, float, float]
Quaternion: TypeAlias = tuple[float, float, float, float]


class Dialect(StrEnum):
    """The revisions of the physics extensions, named as in `convert --to`."""

    KHR = "khr"
    """January 2026: `geometry.mesh`, KHR_implicit_shapes (or the shapes of glTF 2.1)."""

    KHR_2024_10 = "khr-2024-10"
    """October 2024: `geometry.shape` or `geometry.node`, KHR_implicit_shapes."""

    KHR_2024_06 = "khr-2024-06"
    """June 2024: `collider.shape` with shapes of type mesh in KHR_collision_shapes."""

    KHR_2024_03 = "khr-2024-03"
    """The draft of March 2024: `collider.shape` with convex and trimesh shapes."""

    KHR_2023 = "khr-2023"
    """KHR_rigid_bodies, August to November 2023."""

    MSFT_2023 = "msft-2023"
    """MSFT_rigid_bodies and MSFT_collision_primitives, and their names of 2022."""

    OMI = "omi"
    """OMI_physics_body with `motion`, OMI_physics_shape, OMI_physics_joint with `physicsJoints`."""

    OMI_2023 = "omi-2023"
    """OMI_physics_body with `type`, OMI_collider, OMI_physics_joint with `constraints`."""


class MotionKind(StrEnum):
    """How a body moves: by forces, by a constant velocity or an animation, or not at all."""

    DYNAMIC = "dynamic"
    KINEMATIC = "kinematic"
    STATIC = "static"


class Motion(Struct, frozen=True, kw_only=True, gc=False):
    """A rigid body on a node.

    `mass` [kg] is None if derived from the shapes, `inf` if declared infinite; likewise each of
    `inertia_diagonal` [kg m²], principal moments in the frame rotated by `inertia_orientation`.
    `center_of_mass` [m], `linear_velocity` [m/s] (of the centre of mass) and `angular_velocity`
    [rad/s] are in node space.
    """

    node: int
    kind: MotionKind = MotionKind.DYNAMIC
    mass: float | None = None
    center_of_mass: Vector | None = None
    inertia_diagonal: Vector | None = None
    inertia_orientation: Quaternion = (0.0, 0.0, 0.0, 1.0)
    linear_velocity: Vector = (0.0, 0.0, 0.0)
    angular_velocity: Vector = (0.0, 0.0, 0.0)
    gravity_factor: float = 1.0
    pointer: str = ""


@dataclasses.dataclass(frozen=True)
class Sphere:
    """A ball around the origin; radius [m]."""

    radius: float


@dataclasses.dataclass(frozen=True)
class Box:
    """A box around the origin; `size` holds its full extents [m]."""

    size: Vector


@dataclasses.dataclass(frozen=True)
class Capsule:
    """The hull of two balls on the Y axis; `height` [m] is the distance of their centres."""

    height: float
    radius_bottom: float
    radius_top: float


@dataclasses.dataclass(frozen=True)
class Cylinder:
    """The hull of two discs across the Y axis, `height` [m] apart; one radius of 0 is a cone."""

    height: float
    radius_bottom: float
    radius_top: float


@dataclasses.dataclass(frozen=True)
class Plane:
    """A part of the XZ plane; a size [m] of None is infinite.

    It faces +Y as declared; `side` is -1 where a mirror above its node makes it face -Y.
    """

    size_x: float | None = None
    size_z: float | None = None
    double_sided: bool = False
    side: int = 1


@dataclasses.dataclass(frozen=True)
class MeshGeometry:
    """The surface of a mesh, or its convex hull; `weights`, if given, morph it."""

    mesh: int
    convex: bool
    skin: int | None = None
    weights: tuple[float, ...] | None = None
    use_node_weights: bool = False


@dataclasses.dataclass(frozen=True)
class NodeGeometry:
    """The surfaces of all meshes at and below a node, or their convex hull."""

    node: int
    convex: bool


ImplicitShape: TypeAlias = Sphere | Box | Capsule | Cylinder | Plane
GeometrySource: TypeAlias = ImplicitShape | MeshGeometry | NodeGeometry


class Combine(StrEnum):
    """How the values of two touching materials become one, strongest first."""

    AVERAGE = "average"
    MINIMUM = "minimum"
    MAXIMUM = "maximum"
    MULTIPLY = "multiply"


@dataclasses.dataclass(frozen=True)
class Material:
    """A surface material; a combine mode of None has no vote."""

    static_friction: float = 0.6
    dynamic_friction: float = 0.6
    restitution: float = 0.0
    friction_combine: Combine | None = None
    restitution_combine: Combine | None = None


@dataclasses.dataclass(frozen=True)
class CollisionFilter:
    """The collision systems that a collider belongs to, and those that it meets or avoids.

    A list of None is absent, which is not the same as empty.
    """

    systems: frozenset[str] = frozenset()
    collide_with: frozenset[str] | None = None
    not_collide_with: frozenset[str] | None = None


class Collider(Struct, frozen=True, kw_only=True, gc=False):
    """A solid shape on a node; `geometry` is None if it could not be understood."""

    node: int
    geometry: GeometrySource | None
    material: Material | None = None
    filter: CollisionFilter | None = None
    pointer: str = ""


class Trigger(Struct, frozen=True, kw_only=True, gc=False):
    """A shape that detects overlaps, or (`nodes`) several triggers combined."""

    node: int
    geometry: GeometrySource | None = None
    nodes: tuple[int, ...] = ()
    filter: CollisionFilter | None = None
    pointer: str = ""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Limit:
    """Bounds on the pose of frame B relative to A, along or about some of A's axes.

    Exactly one of the two lists has axes. One axis: signed; two and three: radial distance, cone,
    distance, total angle. `stiffness` [N/m or N m/rad] of `inf` is hard; `damping` counts with a
    finite stiffness only. `index` is the place in the file's list.

    A limit about one axis measures the twist about it, unless `free_axis` names another one: then
    it measures how far that axis has swung about this one, however much B has twisted about it.
    """

    linear_axes: tuple[int, ...] = ()
    angular_axes: tuple[int, ...] = ()
    minimum: float = -math.inf
    maximum: float = math.inf
    stiffness: float = math.inf
    damping: float = 0.0
    free_axis: int | None = None
    index: int = 0
    pointer: str = ""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Drive:
    """A spring and damper, or motor, along or about one axis of frame A."""

    type: Literal["linear", "angular"]
    mode: Literal["force", "acceleration"]
    axis: int
    max_force: float = math.inf
    position_target: float = 0.0
    velocity_target: float = 0.0
    stiffness: float = 0.0
    damping: float = 0.0
    index: int = 0
    pointer: str = ""


class Joint(Struct, frozen=True, kw_only=True, gc=False):
    """Two frames and the limits and drives between them.

    The poses of nodes `frame_a` and `frame_b` are the frames; the bodies that they are fixed to
    are those that own the nodes `body_a` and `body_b`. In most dialects these are the same nodes;
    OMI_physics_joint of 2023 takes both frames from the joint's own node and names the bodies.
    """

    node: int
    frame_a: int
    body_a: int
    frame_b: int
    body_b: int
    limits: tuple[Limit, ...] = ()
    drives: tuple[Drive, ...] = ()
    enable_collision: bool = False
    pointer: str = ""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Physics:
    """Everything that a file declares, by node index, and findings about it.

    `findings` lists everything that was replaced by a default or left out.
    """

    dialects: tuple[Dialect, ...] = ()
    motions: dict[int, Motion] = dataclasses.field(default_factory=dict)
    colliders: dict[int, Collider] = dataclasses.field(default_factory=dict)
    triggers: dict[int, Trigger] = dataclasses.field(default_factory=dict)
    joints: dict[int, Joint] = dataclasses.field(default_factory=dict)
    findings: tuple[Finding, ...] = ()

    def __bool__(self) -> bool:
        """Tell whether there is anything to simulate."""
        return bool(self.motions or self.colliders or self.triggers or self.joints)

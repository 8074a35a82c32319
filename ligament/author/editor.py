"""The editor: physics, joints, constraints and humanoids for any document."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Literal

from ligament.arguments import checked
from ligament.author import arguments
from ligament.author.editing import joint_recipes as recipes
from ligament.author.editing.colliders import Colliders
from ligament.author.editing.geometry import AnyShape, Geometry, ShapeName, offset_carriers
from ligament.author.editing.joint_recipes import IDENTITY, Bounds, Motor, Recipe, Room, Rotation
from ligament.author.editing.joints import At, Joints
from ligament.author.editing.motions import Motions
from ligament.author.editing.nodes import NodeRef, Nodes
from ligament.author.editing.removal import Removal
from ligament.author.editing.rigging import LICENSE, Rigging
from ligament.author.editing.serialization import motion_object
from ligament.author.editing.springs import Springs
from ligament.author.editing.workspace import Workspace
from ligament.author.fitting import MAX_POINTS, TOLERANCE, NodeFit
from ligament.errors import counted
from ligament.extensions.rigid_bodies import (
    CollisionFilter,
    Combine,
    Drive,
    Limit,
    Material,
    MotionKind,
)
from ligament.extensions.rigid_bodies.joint import DriveType
from ligament.gltf.document import Document
from ligament.gltf.load import AnyDocument, as_document


class Editor:
    """Adds bodies, colliders, triggers, joints, constraints and humanoid bones to a document.

        editor = Editor(load("door.glb"))
        editor.add_collider("Frame", "box")
        editor.add_body("Door", mass=25, collider="box")
        editor.hinge("Frame", "Door", at="contact", axis="y", limits=(-100, 100))
        save(editor.document, "swinging.glb")

    Nodes are given by name or index; positions [m] and directions are in world space at rest. Every
    call checks its arguments; a refused call (EditError, with the remedy) leaves the document
    unchanged. Equal shapes, materials, filters and joint descriptions are written once, and
    `extensionsUsed` is kept up to date. The document uses the newest revision of
    KHR_physics_rigid_bodies; `ligament convert --to` converts it to others.

    The methods for named joints return the node that carries the joint. Their `at` is a world point
    [m], a node, or "contact", the point midway between the closest points of the two bodies; the
    default is the position of the second body. `b` may be None or "world". `axis` is a direction in
    the world: three numbers, or "x", "-y" and so on. Angles are in degrees unless `degrees` is
    false. Joined bodies do not collide with each other unless `enable_collision` is true.
    """

    @checked
    def __init__(self, document: AnyDocument) -> None:
        self._workspace = Workspace(as_document(document))
        self._nodes = self._workspace.nodes
        self._geometry = Geometry(self._workspace)
        self._colliders = Colliders(self._workspace, self._geometry)
        self._motions = Motions(self._workspace)
        self._joints = Joints(self._workspace)
        self._rigging = Rigging(self._workspace)
        self._springs = Springs(self._workspace)
        self._removal = Removal(self._workspace)

    def _settled(self) -> AbstractContextManager[Nodes]:
        """Cache world poses within a block that edits the document only through this editor."""
        return self._nodes.settled()

    def __repr__(self) -> str:
        parts = self._workspace.parts
        bodies, joints = (len([*parts.nodes_with(part)]) for part in ("motion", "joint"))
        counts = f"{counted(bodies, 'body', 'bodies')}, {counted(joints, 'joint')}"
        return f"<ligament.Editor of {self.document!r}: {counts}>"

    @property
    def document(self) -> Document:
        """The document, which every call changes in place; its JSON may also be edited directly."""
        return self._workspace.document

    def add_node(
        self,
        name: str,
        *,
        parent: NodeRef | None = None,
        translation: Sequence[float] = (0.0, 0.0, 0.0),
        rotation: Sequence[float] = IDENTITY,
    ) -> int:
        """Add an empty node below another one, or to the scene; return its index.

        `translation` [m] and `rotation` xyzw are local.
        """
        return self._workspace.add_node(name, parent, translation, rotation)

    def add_body(
        self,
        node: NodeRef,
        *,
        kind: MotionKind | Literal["dynamic", "kinematic", "static"] = "dynamic",
        mass: float | None = None,
        center_of_mass: Sequence[float] | None = None,
        inertia_diagonal: Sequence[float] | None = None,
        inertia_orientation: Sequence[float] | None = None,
        linear_velocity: Sequence[float] | None = None,
        angular_velocity: Sequence[float] | None = None,
        gravity_factor: float = 1.0,
        collider: AnyShape | None = None,
        material: Material | None = None,
        filter: CollisionFilter | None = None,  # noqa: A002  (the name that files have for it)
    ) -> int:
        """Make a node a rigid body, including everything below it that is not a separate body.

        A dynamic body is moved by forces, a kinematic one by its velocity or an animation, a static
        one not at all (in files it is a collider without a motion). Mass [kg], centre of mass [m]
        and moments of inertia [kg m²] are derived from the colliders by default; `math.inf` is
        allowed. Velocities [m/s, rad/s] are in node space. `collider`, with its material and
        filter, is added first, as `add_collider` does.
        """
        index = self._motions.free_node(node)
        moves = arguments.choice(kind, "the kind of the body", tuple(MotionKind))
        motion = motion_object(
            MotionKind.KINEMATIC if moves is MotionKind.KINEMATIC else MotionKind.DYNAMIC,
            mass=mass,
            center_of_mass=center_of_mass,
            inertia_diagonal=inertia_diagonal,
            inertia_orientation=inertia_orientation,
            linear_velocity=linear_velocity,
            angular_velocity=angular_velocity,
            gravity_factor=arguments.number(gravity_factor, "gravity_factor"),
        )
        solid = self._colliders.optional_solid(index, collider, material, filter)
        self._motions.require_allowed(index, moves, motion, solid)
        if solid is not None:
            self._colliders.write(index, solid)
        if moves is not MotionKind.STATIC:
            self._workspace.parts.put(index, "motion", motion)
        return index

    def fit(
        self,
        node: NodeRef,
        kind: ShapeName = "auto",
        *,
        mesh: int | None = None,
        below: bool = False,
        tolerance: float = TOLERANCE,
        max_points: int = MAX_POINTS,
    ) -> NodeFit:
        """Fit a shape to the mesh of a node and measure its error, without editing anything.

        `mesh` selects another mesh, and `below` combines all meshes at and below the node. "auto"
        is the simplest shape whose volume is no more than `tolerance` above that of the hull, else
        the hull. Hulls with more than `max_points` corners are simplified. `add_collider` and
        `add_body` accept the result as a shape; its `error` has the excess volume, the distance [m]
        and the hollow fraction (`fitting.Misfit`).
        """
        return self._geometry.fit(
            node, kind, mesh, below=below, tolerance=tolerance, max_points=max_points
        )

    def add_collider(
        self,
        node: NodeRef,
        shape: AnyShape = "auto",
        *,
        mesh: int | None = None,
        translation: Sequence[float] | None = None,
        rotation: Sequence[float] | None = None,
        below: bool = False,
        tolerance: float | None = None,
        max_points: int | None = None,
        material: Material | None = None,
        filter: CollisionFilter | None = None,  # noqa: A002
    ) -> int:
        """Add a solid shape to a node; return the node that carries it.

        The shape is one of the declarations (`Sphere`, `Box`, `Capsule`, `Cylinder`, `Plane`,
        `MeshGeometry`), or the name of one to be fitted around the node's own mesh, or around mesh
        `mesh`: "sphere", "box", "capsule", "cylinder", "hull"; "auto", the simplest of them that
        fits; "decomposed", several hulls that follow concavities (extra `decompose`); or "mesh",
        the surface itself. `below`, `tolerance` and `max_points` are those of `fit`, whose result
        is accepted too.

        A shape with an offset from the node, by `translation` [m] or `rotation` xyzw or by the fit,
        is carried by a new child node. So is each part of a decomposed shape; the node itself is
        then returned.
        """
        index, below = self._nodes.find(node), arguments.flag(below, "below")
        fitted = self._geometry.fit_with(
            index,
            shape,
            mesh,
            below=below or None,
            tolerance=tolerance,
            max_points=max_points,
        )
        carriers = offset_carriers(translation, rotation)
        if fitted is None:
            solid = self._colliders.solid(
                index, shape, material, filter, mesh=mesh, carriers=carriers
            )
        else:
            solid = self._colliders.solid(index, fitted, material, filter, carriers=carriers)
        return self._colliders.write(index, solid)

    def add_trigger(
        self,
        node: NodeRef,
        shape: AnyShape | None = None,
        *,
        nodes: Iterable[NodeRef] = (),
        mesh: int | None = None,
        filter: CollisionFilter | None = None,  # noqa: A002
    ) -> int:
        """Make a node report overlaps with its shape, or with the triggers `nodes` below it.

        Shapes are those of `add_collider`; the triggers `nodes` count as one. Return the node that
        carries the trigger.
        """
        members = arguments.listed(nodes, "the nodes of a trigger")
        return self._colliders.add_trigger(node, shape, members, mesh, filter)

    def add_material(
        self,
        *,
        friction: float | None = None,
        static_friction: float | None = None,
        dynamic_friction: float | None = None,
        restitution: float = 0.0,
        friction_combine: Combine | str | None = None,
        restitution_combine: Combine | str | None = None,
    ) -> Material:
        """Add a material for `add_collider` and return it; `friction` sets both kinds."""
        default = Material().dynamic_friction if friction is None else friction
        material = Material(
            static_friction=default if static_friction is None else static_friction,
            dynamic_friction=default if dynamic_friction is None else dynamic_friction,
            restitution=restitution,
        )
        return self._colliders.share_material(material, friction_combine, restitution_combine)

    def add_filter(
        self,
        systems: Iterable[str] | None = None,
        *,
        collide_with: Iterable[str] | None = None,
        not_collide_with: Iterable[str] | None = None,
    ) -> CollisionFilter:
        """Add a collision filter for `add_collider` and return it.

        It lists the systems that a collider belongs to, and those that it does or does not collide
        with.
        """
        return self._colliders.share_filter(systems, collide_with, not_collide_with)

    def add_joint(
        self,
        a: NodeRef,
        b: NodeRef | None = None,
        *,
        limits: Sequence[Limit] = (),
        drives: Sequence[Drive] = (),
        at: At = None,
        to: At = None,
        rotation: Rotation = IDENTITY,
        to_rotation: Rotation | None = None,
        name: str | None = None,
        enable_collision: bool = False,
        animated: bool = False,
    ) -> int:
        """Join two bodies by custom limits and drives; return the node of the joint.

        Both frames are at `at` with the world rotation `rotation` xyzw; the frame on the second
        body is at `to` with `to_rotation` if given, so that the joint need not start at 0. Joints
        have no effect on animated bodies; `animated` joins them anyway, for players that ignore the
        animations.
        """
        connection = self._joints.frames.connect(
            a,
            b,
            at=at,
            to=to,
            rotation=rotation,
            to_rotation=to_rotation,
            animated=arguments.flag(animated, "animated"),
        )
        limits, drives = arguments.listed(limits, "limits"), arguments.listed(drives, "drives")
        recipe = Recipe("joint", limits, drives)
        return self._joints.join(connection, recipe, name=name, enable_collision=enable_collision)

    def add_drive(self, joint: NodeRef, drive: Drive) -> None:
        """Add a drive to a joint; other joints with the same description keep theirs."""
        self._joints.add_drive(joint, drive)

    def fixed(
        self,
        a: NodeRef,
        b: NodeRef | None = None,
        *,
        at: At = None,
        name: str | None = None,
        enable_collision: bool = False,
    ) -> int:
        """Weld two bodies together in their current pose."""
        return self._join(a, b, recipes.fixed(), at, name, enable_collision)

    def ball(
        self,
        a: NodeRef,
        b: NodeRef | None = None,
        *,
        at: At = None,
        limit: float | None = None,
        degrees: bool = True,
        name: str | None = None,
        enable_collision: bool = False,
    ) -> int:
        """Hold two bodies together at a point, free to rotate up to an angle of `limit`."""
        return self._join(a, b, recipes.ball(limit, degrees), at, name, enable_collision)

    def hinge(
        self,
        a: NodeRef,
        b: NodeRef | None = None,
        *,
        at: At = None,
        axis: Sequence[float] | str = "y",
        limits: Bounds | None = None,
        stiffness: float = math.inf,
        damping: float = 0.0,
        motor: Motor | float | None = None,
        degrees: bool = True,
        name: str | None = None,
        enable_collision: bool = False,
    ) -> int:
        """Let a body rotate about one axis, like a door; bounds with a stiffness are soft."""
        recipe = recipes.hinge(axis, limits, stiffness, damping, motor, degrees)
        return self._join(a, b, recipe, at, name, enable_collision)

    def slider(
        self,
        a: NodeRef,
        b: NodeRef | None = None,
        *,
        at: At = None,
        axis: Sequence[float] | str = "x",
        limits: Bounds | None = None,
        stiffness: float = math.inf,
        damping: float = 0.0,
        motor: Motor | float | None = None,
        name: str | None = None,
        enable_collision: bool = False,
    ) -> int:
        """Let a body slide along one axis without rotating, like a drawer; bounds are in [m]."""
        recipe = recipes.slider(axis, limits, stiffness, damping, motor)
        return self._join(a, b, recipe, at, name, enable_collision)

    def universal(
        self,
        a: NodeRef,
        b: NodeRef | None = None,
        *,
        at: At = None,
        axis: Sequence[float] | str = "y",
        swing: float | None = None,
        degrees: bool = True,
        name: str | None = None,
        enable_collision: bool = False,
    ) -> int:
        """Let a shaft along `axis` bend in any direction, up to `swing`, but not twist."""
        recipe = recipes.universal(axis, swing, degrees)
        return self._join(a, b, recipe, at, name, enable_collision)

    def cone_twist(
        self,
        a: NodeRef,
        b: NodeRef | None = None,
        *,
        swing: float,
        twist: Bounds | None = None,
        at: At = None,
        axis: Sequence[float] | str = "y",
        degrees: bool = True,
        name: str | None = None,
        enable_collision: bool = False,
    ) -> int:
        """Keep `axis` within a cone of angle `swing`, and the twist about it within bounds."""
        recipe = recipes.cone_twist(axis, swing, twist, degrees)
        return self._join(a, b, recipe, at, name, enable_collision)

    def distance(
        self,
        a: NodeRef,
        b: NodeRef | None = None,
        *,
        at: At = None,
        to: At = None,
        min: float | None = None,  # noqa: A002  (the name that files have for it)
        max: float | None = None,  # noqa: A002
        name: str | None = None,
        enable_collision: bool = False,
    ) -> int:
        """Keep a point of one body, `at`, within bounds [m] of a point of the other, `to`.

        With only `max` it is a rope, with `min` equal to `max` a rod. The points default to the
        positions of the bodies; "contact" is that body's closest point to the other.
        """
        recipe = recipes.distance(min, max)
        tied = self._joints.frames.tie(a, b, at, to)
        recipes.require_distance(recipe, tied.distance)
        return self._joints.join(tied, recipe, name=name, enable_collision=enable_collision)

    def spring(
        self,
        a: NodeRef,
        b: NodeRef | None = None,
        *,
        stiffness: float,
        damping: float = 0.0,
        length: float | None = None,
        at: At = None,
        to: At = None,
        name: str | None = None,
        enable_collision: bool = False,
    ) -> int:
        """Pull and push two points to a `length` [m], by default their initial distance.

        `stiffness` is N/m, `damping` N s/m; `at` and `to` are as in `distance`.
        """
        tied = self._joints.frames.tie(a, b, at, to)
        recipe = recipes.spring(tied.distance, length, stiffness, damping)
        return self._joints.join(tied, recipe, name=name, enable_collision=enable_collision)

    def six_axis(
        self,
        a: NodeRef,
        b: NodeRef | None = None,
        *,
        x: Room = "locked",
        y: Room = "locked",
        z: Room = "locked",
        turn_x: Room = "locked",
        turn_y: Room = "locked",
        turn_z: Room = "locked",
        at: At = None,
        rotation: Sequence[float] = IDENTITY,
        degrees: bool = True,
        name: str | None = None,
        enable_collision: bool = False,
    ) -> int:
        """Set each degree of freedom separately: "free", "locked", or bounds.

        The axes are those of the world, rotated by `rotation` xyzw.
        """
        linear = {"x": x, "y": y, "z": z}
        angular = {"turn_x": turn_x, "turn_y": turn_y, "turn_z": turn_z}
        recipe = recipes.six_axis(linear, angular, rotation, degrees)
        return self._join(a, b, recipe, at, name, enable_collision)

    def motor(
        self,
        a: NodeRef,
        b: NodeRef | None = None,
        *,
        on: Literal["hinge", "slider"] = "hinge",
        speed: float | None = None,
        target: float | None = None,
        max_force: float = math.inf,
        stiffness: float | None = None,
        damping: float | None = None,
        at: At = None,
        axis: Sequence[float] | str = "y",
        limits: Bounds | None = None,
        degrees: bool = True,
        name: str | None = None,
        enable_collision: bool = False,
    ) -> int:
        """Drive a hinge or a slider at a `speed`, or to a `target`; see `Motor`."""
        motor = Motor(
            speed=speed, target=target, max_force=max_force, stiffness=stiffness, damping=damping
        )
        if arguments.choice(on, "what the motor is on", ("hinge", "slider")) == "slider":
            recipe = recipes.slider(axis, limits, math.inf, 0.0, motor)
        else:
            recipe = recipes.hinge(axis, limits, math.inf, 0.0, motor, degrees)
        return self._join(a, b, recipe, at, name, enable_collision)

    def _join(
        self,
        a: NodeRef,
        b: NodeRef | None,
        recipe: Recipe,
        at: At,
        name: str | None,
        enable_collision: bool,
    ) -> int:
        connection = self._joints.frames.connect(a, b, at=at, rotation=recipe.rotation)
        return self._joints.join(connection, recipe, name=name, enable_collision=enable_collision)

    def add_constraint(
        self,
        node: NodeRef,
        kind: Literal["roll", "aim", "rotation"],
        source: NodeRef,
        *,
        axis: str | None = None,
        weight: float = 1.0,
    ) -> int:
        """Make a node follow the rotation of another (VRMC_node_constraint 1.0).

        `axis` is "X", "Y" or "Z" for roll and "PositiveX" to "NegativeZ" for aim.
        """
        return self._rigging.add_constraint(node, kind, source, axis, weight)

    def set_humanoid(
        self,
        bones: Mapping[str, NodeRef],
        *,
        name: str = "Avatar",
        authors: Sequence[str] = ("unknown",),
        license_url: str = LICENSE,
    ) -> None:
        """Map bones, by the 55 names of VRM 1.0, to nodes (VRMC_vrm).

        All other avatar data of the file stays; the name, authors and licence that VRM requires are
        added if missing.
        """
        self._rigging.set_humanoid(bones, name, authors, license_url)

    @checked
    def add_spring(
        self,
        joints: NodeRef | Sequence[NodeRef],
        *,
        stiffness: float = 1.0,
        drag: float = 0.4,
        gravity: Sequence[float] = (0.0, 0.0, 0.0),
        radius: float = 0.02,
        groups: Iterable[str] = (),
        center: NodeRef | None = None,
        name: str | None = None,
    ) -> int:
        """Make a chain of nodes swing (VRMC_springBone 1.0); return its index.

        `joints` are its nodes from root to tip, or only the first, followed by first children; a
        single node gets a tip 7 cm further on. `stiffness` and `gravity` [m/s] pull the tails back
        to rest and along gravity; `drag` is the fraction of motion lost in every update. `radius`
        [m] is the distance kept from the colliders of the `groups`. Inertia is measured in the
        space of `center`.
        """
        settings = {"hitRadius": radius, "stiffness": stiffness, "dragForce": drag}
        return self._springs.add(joints, settings, gravity, groups, center, name)

    def add_spring_collider(
        self,
        node: NodeRef,
        *,
        radius: float = 0.0,
        offset: Sequence[float] = (0.0, 0.0, 0.0),
        tail: Sequence[float] | None = None,
        normal: Sequence[float] | None = None,
        inside: bool = False,
        group: str = "Body",
    ) -> int:
        """Keep the tails of springs out of a sphere; return the index of the collider.

        With a `tail` it is a capsule, with a `normal` a plane; `inside` keeps the tails inside.
        `offset` and `tail` [m] are in the space of the node. It belongs to the collider `group`.
        """
        return self._springs.add_collider(node, radius, offset, tail, normal, inside, group)

    @checked
    def remove_body(self, node: NodeRef, *, cascade: bool = False) -> None:
        """Merge a body into the one above it, or make it static; `cascade` removes its joints too.

        Removal changes no node index; shared materials, shapes and the like are removed with their
        last use. If another part depends on the removed one, EditError names it.
        """
        self._removal.body(node, cascade=cascade)

    @checked
    def remove_collider(self, node: NodeRef, *, below: bool = False, cascade: bool = False) -> None:
        """Remove a solid shape, or with `below` all at and below a node (a decomposed shape).

        `cascade` also removes a body whose mass comes only from them.
        """
        self._removal.collider(node, below=below, cascade=cascade)

    @checked
    def remove_trigger(self, node: NodeRef, *, cascade: bool = False) -> None:
        """Remove a trigger; `cascade` also removes it from the compounds that name it."""
        self._removal.trigger(node, cascade=cascade)

    @checked
    def remove_joint(self, node: NodeRef) -> None:
        """Remove a joint; its frames stay as empty nodes unless they are the last ones."""
        self._removal.joint(node)

    @checked
    def remove_drive(
        self,
        joint: NodeRef,
        type: DriveType,  # noqa: A002  (the name that files have for it)
        axis: Literal[0, 1, 2],
    ) -> None:
        """Remove a drive of a joint; other joints with the same description keep theirs."""
        self._removal.drive(joint, type, axis)

    @checked
    def remove_humanoid(self, *, cascade: bool = False) -> None:
        """Remove the bones of the humanoid; `cascade` removes the rest of VRMC_vrm too."""
        self._removal.humanoid(cascade=cascade)

    @checked
    def remove_constraint(self, node: NodeRef) -> None:
        """Stop a node from following another."""
        self._removal.constraint(node)

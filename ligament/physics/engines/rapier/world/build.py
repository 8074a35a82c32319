"""The engine's world of a scene: bodies, colliders, sleeping, and forks of the process.

A sleeping body costs nothing, but is stopped. By default the engine stops whatever moves slower
than 5 cm/s for half a second, even in empty space; here bodies sleep only if nothing but rest
explains why they hardly move.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
import os
import weakref
from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from typing import Final, TypeAlias

import numpy as np
import rapier3d as rp

from ligament.extensions.rigid_bodies import MotionKind
from ligament.physics.engines import CLOSING_SPEED, Problem, Vector
from ligament.physics.engines.poses import (
    AT_ORIGIN,
    RigidPose,
    as_pose,
    compose,
    quaternion,
    vector,
)
from ligament.physics.engines.rapier.effort.settings import RapierSettings
from ligament.physics.engines.rapier.world.shapes import EngineShape, Role, UnusableShapeError
from ligament.physics.engines.rapier.world.surfaces import (
    ColliderPlan,
    Corrections,
    PairHooks,
    SurfacePlan,
    make_corrections,
    may_be_round,
    plan_colliders,
)
from ligament.physics.filters import Masks
from ligament.physics.mass import MassProperties
from ligament.physics.scene import Body, Collider, Joint, Scene
from ligament.physics.shapes import extents, has_extent

REST: Final = 0.01
"""Speed [m/s] below which a supported body may sleep: a settled pile has half of it.
The engine multiplies it by the length of its settings."""

HELD_REST: Final = 0.001
"""The same for jointed bodies, which may swing slowly."""

NEVER: Final = -1.0


def rest_speeds(scene: Scene) -> list[float]:
    """Return the speed [m/s] below which each body may sleep where gravity pulls it."""
    speeds = [REST] * len(scene.bodies)
    for joint in scene.joints:
        for body in _ends(joint):
            speeds[body] = min(NEVER if _pulls(joint) else HELD_REST, speeds[body])
    return speeds


def set_rest_speed(handle: rp.RigidBody, body: Body, speed: float, gravity: Vector) -> None:
    """Let a body sleep below a speed [m/s], unless it floats.

    Of bodies without colliders the engine knows no extent, and judges rotation by its velocity
    alone: at its default of 0.5 rad/s a pendulum of 0.1 rad stopped in the middle of its swing.
    """
    threshold = NEVER if _floats(body, gravity) else speed
    activation = handle.activation
    if activation.sleep_threshold != threshold:
        activation.sleep_threshold = threshold
        activation.angular_threshold = threshold  # [rad/s], as if a metre away
        handle.activation = activation


def _ends(joint: Joint) -> Iterator[int]:
    yield joint.a.body
    yield joint.b.body


def _pulls(joint: Joint) -> bool:
    """Tell whether a joint may move bodies arbitrarily slowly."""
    return bool(joint.drives) or any(math.isfinite(limit.stiffness) for limit in joint.limits)


def _floats(body: Body, gravity: Vector) -> bool:
    """Tell whether nothing pulls a body down, so that it may move slowly forever."""
    return math.isinf(body.mass.mass) or body.gravity_factor == 0 or not any(gravity)


PREDICTION: Final = 10.0
"""Distance [m] over which the engine predicts contacts of fast bodies."""

FASTEST: Final = 1e18
"""Speeds [m/s, rad/s] and positions [m] beyond this overflow when the engine squares them."""


def is_usable(body: Body) -> bool:
    """Tell whether single precision can represent a body's initial pose and velocity."""
    values = np.concatenate(
        [
            body.pose.translation,
            body.pose.rotation,
            body.linear_velocity,
            body.angular_velocity,
            body.mass.center,
        ]
    )
    return bool((np.abs(values) < FASTEST).all())


def is_constant(body: Body) -> bool:
    """Tell whether a body keeps its velocity, whatever it meets."""
    return body.kind is MotionKind.KINEMATIC and not body.is_driven


def is_moving(body: Body) -> bool:
    """Tell whether the engine may move a body."""
    return body.is_driven or body.kind is not MotionKind.STATIC


def build_body(body: Body) -> rp.RigidBodyBuilder:
    """Return the builder of a body.

    Driven and kinematic bodies move by exact poses, where the engine would accumulate steps.
    """
    if not is_usable(body):
        return rp.RigidBody.fixed().enabled(False)
    start = as_pose(body.pose.translation, body.pose.rotation)
    if body.is_driven or body.kind is MotionKind.KINEMATIC:
        return _with_mass(rp.RigidBody.kinematic_position_based(), body.mass).position(start)
    if body.kind is MotionKind.STATIC:
        return rp.RigidBody.fixed().position(start)
    return (
        _with_mass(rp.RigidBody.dynamic(), body.mass)
        .position(start)
        .linvel(vector(body.linear_velocity))
        .angvel(vector(body.angular_velocity))
        .gravity_scale(body.gravity_factor)
        .allow_fast_rotation(True)
        .soft_ccd_prediction(PREDICTION)
    )


def set_free(body: rp.RigidBody) -> None:
    """Let forces move a body that was kinematic."""
    body.body_type = rp.RigidBodyType.DYNAMIC
    body.allow_fast_rotation = True
    body.soft_ccd_prediction = PREDICTION


def _with_mass(builder: rp.RigidBodyBuilder, mass: MassProperties) -> rp.RigidBodyBuilder:
    return builder.additional_mass_properties(engine_mass(mass))


def engine_mass(mass: MassProperties) -> rp.MassProperties:
    """Return a mass for the engine, to which a mass or moment of zero is infinite."""
    x, y, z = (_zero_if_infinite(moment) for moment in mass.inertia)
    moments: Vector = (x, y, z)
    return rp.MassProperties(
        vector(mass.center), _zero_if_infinite(mass.mass), moments, quaternion(mass.orientation)
    )


def _zero_if_infinite(value: float) -> float:
    return 0.0 if math.isinf(value) else float(value)


SKIN: Final = 1e-6
"""Distance that a free body keeps from others, relative to its largest extent.

At rest, the engine looks for contacts only of bodies that overlap. Boxes placed on each other may
be a rounding error apart, and would fall for a step first.
"""

UNLIMITED: Final = 3e38
"""Close to the largest number in single precision."""


@dataclasses.dataclass(eq=False)
class BuiltWorld:
    """A world, and the indices of the scene's parts in it.

    `colliders` holds None for those left out; `collider_indices` maps the engine's index of a
    collider to that of the scene; `offsets` are the poses of engine shapes in those of the scene.
    `tiles` are colliders that lie flush with others; `carriers` are the separate bodies of
    animated colliders (see `world.moving`).
    """

    world: rp.PhysicsWorld
    bodies: list[rp.RigidBodyHandle]
    colliders: list[rp.ColliderHandle | None]
    offsets: list[RigidPose]
    collider_indices: list[int]
    carriers: dict[int, rp.RigidBodyHandle]
    plan: ColliderPlan
    corrections: Corrections
    hooks: PairHooks | None
    tiles: frozenset[int]
    problems: tuple[Problem, ...]
    lost: tuple[int, ...]

    @property
    def masks(self) -> Masks:
        """The filters of the colliders."""
        return self.plan.masks


def build_world(
    scene: Scene,
    settings: RapierSettings,
    gravity: Vector,
    *,
    contacts: bool = False,
    mobile_scene: Scene | None = None,
    like: ColliderPlan | None = None,
) -> BuiltWorld:
    """Build bodies and colliders; `contacts` requests events of solid colliders too.

    `mobile_scene` has every body free that ever becomes free; colliders are built for it,
    with the plan of a world `like` it as far as that applies.
    """
    world = rp.PhysicsWorld(gravity=gravity)
    _apply_settings(world.integration_parameters, settings)
    bodies = [world.add_body(build_body(body)) for body in scene.bodies]
    if scene.joints:
        # What is outside of its bounds returns to them at this speed, and keeps none of it.
        speed = CLOSING_SPEED / settings.length
        world.integration_parameters.normalized_max_corrective_velocity = speed
    shaped = mobile_scene or scene
    plan = plan_colliders(shaped, like)
    colliders = _Colliders(shaped, plan, contacts=contacts)
    colliders.add_to(world, bodies)
    for body, handle in zip(scene.bodies, bodies, strict=True):
        if is_moving(body):
            # Otherwise a body has no mass until the first step, and impulses are lost.
            world.rigid_bodies[handle].recompute_mass_properties_from_colliders(world.colliders)
    return BuiltWorld(
        world,
        bodies,
        colliders.handles,
        colliders.offsets,
        colliders.indices,
        colliders.carriers,
        plan,
        corrections := make_corrections(
            shaped,
            colliders.indices,
            plan.tiles | plan.layers,
            plan.curved,
            bodies,
            settings,
        ),
        make_hooks(plan.surfaces, plan.masks, colliders.indices, corrections),
        frozenset(colliders.tiles),
        tuple(colliders.problems),
        tuple(i for i, body in enumerate(scene.bodies) if not is_usable(body)),
    )


Separators: TypeAlias = defaultdict[tuple[int, int], list[rp.ImpulseJointHandle]]
"""Engine joints that constrain nothing, by the bodies between which they prevent contacts."""


def separate(world: rp.PhysicsWorld, built: BuiltWorld, scene: Scene, present: Separators) -> None:
    """Disable contacts between bodies that a joint says do not collide.

    The engine ignores contacts between bodies that a joint holds. Where the joint itself is
    between others, one that constrains nothing does the same; `present` are the existing ones.
    """
    wanted = {pair for joint in scene.joints for pair in joint.ignores} | set(scene.carried)
    for pair, handles in present.items():
        for handle in handles:
            world.impulse_joints[handle].data.contacts_enabled = pair not in wanted
    pieces = [[handle] for handle in built.bodies]
    for collider, carrier in built.carriers.items():
        pieces[scene.colliders[collider].body].append(carrier)
    separated = {
        frozenset((joint.body1, joint.body2))
        for _, joint in world.impulse_joints
        if not joint.data.contacts_enabled
    }
    for a, b in sorted(wanted - present.keys()):
        for one, other in product(pieces[a], pieces[b]):
            ends = frozenset((one, other))
            if len(ends) == 2 and ends not in separated and _may_meet(scene, a, b):
                nothing = rp.GenericJointBuilder(rp.JointAxesMask.empty()).contacts_enabled(False)
                present[a, b].append(world.impulse_joints.insert(one, other, nothing.build()))
                separated.add(ends)


def _may_meet(scene: Scene, a: int, b: int) -> bool:
    return is_moving(scene.bodies[a]) or is_moving(scene.bodies[b])


def _apply_settings(parameters: rp.IntegrationParameters, settings: RapierSettings) -> None:
    parameters.dt = settings.step
    parameters.num_solver_iterations = settings.iterations
    parameters.num_internal_pgs_iterations = settings.passes
    parameters.num_internal_stabilization_iterations = settings.stabilization
    # Continuous detection stops a body for the step at the first shape at rest that it meets: on a
    # floor of triangles or tiles, the side of the next one. Predicted contacts hold fast bodies.
    parameters.max_ccd_substeps = 0
    parameters.length_unit = settings.length
    parameters.contact_recycling = settings.reuses_contacts
    parameters.warmstart_coefficient = settings.warmstart
    parameters.warmstart_joints = settings.warmstart < 1
    parameters.contact_clustering = False  # meshes sink into each other with it
    parameters.normalized_max_linear_velocity = UNLIMITED / max(settings.length, 1.0)
    damping = parameters.contact_softness.damping_ratio
    frequency = settings.contact_frequency
    parameters.contact_softness = rp.SpringCoefficients(frequency, damping)
    parameters.static_contact_softness = rp.SpringCoefficients(2 * frequency, damping)


class _Colliders:
    """Builds the colliders of a scene, and records them."""

    def __init__(self, scene: Scene, plan: ColliderPlan, *, contacts: bool) -> None:
        self._scene, self.plan, self._contacts = scene, plan, contacts
        self.masks, self.surfaces, self.tiles = plan.masks, plan.surfaces, plan.tiles
        self.handles: list[rp.ColliderHandle | None] = []
        self.offsets: list[RigidPose] = []
        self.indices: list[int] = []
        self.carriers: dict[int, rp.RigidBodyHandle] = {}
        self.problems: list[Problem] = []

    def add_to(self, world: rp.PhysicsWorld, bodies: list[rp.RigidBodyHandle]) -> None:
        """Attach every usable collider to its body."""
        for index, collider in enumerate(self._scene.colliders):
            shape = self._shape(index, collider)
            if shape is None:
                self.handles.append(None)
                self.offsets.append(AT_ORIGIN)
                continue
            builder = self._builder(index, collider, shape)
            parent = bodies[collider.body]
            if _is_carried(self._scene, collider):
                start = compose(_frame(self._scene.bodies[collider.body]), _frame(collider))
                carrier = rp.RigidBody.kinematic_position_based().position(start)
                parent = self.carriers[index] = world.add_body(carrier)
                builder = builder.position(shape.offset)
            self.handles.append(world.add_collider(builder, parent))
            self.offsets.append(shape.offset)
            self.indices.append(index)

    def _shape(self, index: int, collider: Collider) -> EngineShape | None:
        """Return the engine's shape of a collider; sensors are left to the tracker of overlaps."""
        if collider.changes and not has_extent(collider.shape):
            shape = EngineShape(rp.SharedShape.ball(SWITCHED_OFF))
            return None if collider.is_sensor else shape
        try:
            shape = self.plan.shapes.build(collider.shape, role(self._scene, collider))
        except UnusableShapeError as error:
            self.problems.append(Problem(index, str(error)))
            return None
        return None if collider.is_sensor else shape

    def _builder(self, index: int, collider: Collider, shape: EngineShape) -> rp.ColliderBuilder:
        placed = _frame(collider)
        groups = rp.InteractionGroups(
            rp.Group(int(self.masks.memberships[index])), rp.Group(int(self.masks.filters[index]))
        )
        builder = (
            rp.Collider.new(shape.shape)
            .position(compose(placed, shape.offset))
            .density(0.0)  # the mass is set on the body
            .collision_groups(groups)
            .contact_skin(self._skin(collider))
            .active_hooks(self._active_hooks(index, collider))
            .enabled(has_extent(collider.shape))
        )
        if self._contacts:
            builder = builder.active_events(rp.ActiveEvents.COLLISION_EVENTS)
        return self.surfaces.apply(builder, index)

    def _skin(self, collider: Collider) -> float:
        """Return the distance [m] that a free body keeps from others."""
        return (
            SKIN * max(extents(collider.shape))
            if self._scene.bodies[collider.body].is_free
            else 0.0
        )

    def _active_hooks(self, index: int, collider: Collider) -> rp.ActiveHooks:
        """Return the hooks that the engine must call for a collider."""
        hooks = rp.ActiveHooks.empty()
        if not self.masks.exact[index]:
            hooks = rp.ActiveHooks.FILTER_CONTACT_PAIRS
        if self.surfaces.is_hooked(index) or index in self.tiles or may_be_round(collider):
            hooks = hooks | rp.ActiveHooks.MODIFY_SOLVER_CONTACTS
        return hooks


SWITCHED_OFF: Final = 1e-3
"""Radius [m] of the ball that stands for a shape of no extent; it is disabled."""


def role(scene: Scene, collider: Collider) -> Role:
    """Return the purpose of a collider's shape."""
    if not scene.bodies[collider.body].is_free:
        return Role.GROUND
    others = (c for c in scene.colliders if c.body != collider.body and not c.is_sensor)
    is_lone = not any(scene.bodies[other.body].is_free for other in others)
    return Role.LONE if is_lone else Role.MOVING


def make_hooks(
    plan: SurfacePlan,
    masks: Masks,
    indices: list[int],
    corrections: Corrections,
) -> PairHooks | None:
    """Return the hooks for the engine, None if it needs none."""
    if not any(plan.hooked) and masks.exact.all() and not corrections.is_needed:
        return None
    return PairHooks(plan, masks, indices, corrections)


def _is_carried(scene: Scene, collider: Collider) -> bool:
    """Tell whether a collider pushes on its own: it moves on a body that no force moves."""
    body = scene.bodies[collider.body]
    is_animated = collider.moves or collider.changes
    return is_animated and not collider.is_sensor and not body.is_free and is_usable(body)


def _frame(part: Body | Collider) -> RigidPose:
    return as_pose(part.pose.translation, part.pose.rotation)


# --- forks ---


class _Worlds:
    """The worlds in use by what steps them, and whether their process has the engine's threads.

    A forked process does not have them: a worker of `multiprocessing`, forked from a process that
    had stepped a rope, never returned.
    """

    def __init__(self) -> None:
        self.current: weakref.WeakKeyDictionary[object, rp.PhysicsWorld]
        self.current = weakref.WeakKeyDictionary()
        self.has_started = self.has_lost_threads = False
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(
                before=self.release_pools,
                after_in_parent=self.take_pools,
                after_in_child=self.leave_threads,
            )

    def leave_threads(self) -> None:
        """Step all worlds on one thread of this process from now on."""
        self.has_lost_threads = self.has_started
        self.take_pools()

    def release_pools(self) -> None:
        """Let go of pools before a fork of a fork: there, they would wait for lost threads."""
        self._choose(None)

    def take_pools(self) -> None:
        """Give every world a pool of one thread, in a process without those of the engine."""
        self._choose(1)

    def _choose(self, threads: int | None) -> None:
        for world in list(self.current.values()) if self.has_lost_threads else ():
            with contextlib.suppress(RuntimeError):  # another thread was stepping it
                world.set_num_threads(threads)


_WORLDS: Final = _Worlds()


def survive_forks(owner: object, world: rp.PhysicsWorld) -> None:
    """Let a world go on in forks of this process; `owner` is what steps it."""
    _WORLDS.has_started = True
    _WORLDS.current[owner] = world
    if _WORLDS.has_lost_threads:
        world.set_num_threads(1)

"""Reactions: the forces of joints, computed before each step and applied as external forces.

The engine solves joints one after the other, and starts each iteration from nothing: it applies the
impulses of the last one row by row, each right before it solves that row again. Forces that reach a
body through several joints therefore arrive only in part, and a drive that holds their load gives
way by what is missing: an arm of six drives sagged by twice its load / stiffness.

So the accelerations of joined bodies and the forces f of their locks, springs and drives are
computed together, for the end of a step h:

    a = M⁻¹ (external + Jᵀ f),    J a + J̇ v = 0 for locks, and for springs and drives
    f = k error − (h k + c) u + c goal − (h² k + h c) (J a + J̇ v),  where u = J v.

What the engine then finds is the difference, which is nothing at rest. A lock holds whatever else
acts on it. A spring or drive aims at a speed that takes back what it was given, so that its law and
its largest force remain those of the file.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
import rapier3d as rp

from ligament.arrays import Floats, Indices
from ligament.physics import metrics
from ligament.physics.engines.rapier import linalg
from ligament.physics.engines.rapier.effort.joints import joined_groups, moved
from ligament.physics.engines.rapier.joints.assembly import JointInstance
from ligament.physics.engines.rapier.joints.plan import JointSpec
from ligament.physics.engines.rapier.joints.rows import BodyStates
from ligament.physics.engines.rapier.joints.springs import Law, Springs
from ligament.physics.engines.rapier.state.bodies import BodySource
from ligament.physics.scene import Scene
from ligament.transforms import from_matrix, to_matrix

ROWS_MAX: Final = 150
"""Most rows of joined bodies: the time of a solution grows with the cube of their number."""

ROTATION_MAX: Final = 0.05
"""Rotation [rad] of a body in a step beyond which reactions, which do not turn, are not applied.

At 0.06, a system that turned lost 1 % of its angular momentum in a second.
"""

SOFTNESS: Final = 1e-9
"""Fraction of their own response by which locks give way, some of which are redundant in loops."""


class Group(NamedTuple):
    """Joints and free bodies of the scene, and springs by their position among all."""

    joints: tuple[int, ...]
    bodies: tuple[int, ...]
    springs: tuple[int, ...]


def groups_of(scene: Scene, joints: Mapping[int, JointInstance], springs: Springs) -> list[Group]:
    """Return the groups in which springs or drives depend on other joints."""
    at_joint: dict[int, list[int]] = defaultdict(list)
    for i in linalg.indices(springs.always_acts).tolist():
        at_joint[springs.joint_of(i)].append(i)
    is_stiff, groups = springs.is_stiff(), []
    index_of = {id(instance.joint): index for index, instance in joints.items()}
    for members in joined_groups([instance.joint for instance in joints.values()], scene):
        indices = [index_of[id(joint)] for joint in members]
        some = [i for index in indices for i in at_joint.get(index, ())]
        count = len(some) + sum(len(joints[index].plan.locked) for index in indices)
        if len(indices) > 1 and count <= ROWS_MAX and any(is_stiff[some]):
            bodies = dict.fromkeys(body for joint in members for body in moved(joint, scene))
            groups.append(Group(tuple(indices), tuple(bodies), tuple(some)))
    return groups


class _Batch(NamedTuple):
    """G groups of one size: their rows (G, m) and free bodies (G, n).

    `ends` (2, G, m) is where in the bodies the ends of the rows are, n where no force moves them;
    `place` are the indices (G, 1) and (1, m).
    """

    rows: Indices
    bodies: Indices
    ends: Indices
    place: tuple[Indices, Indices]


class _Bodies(NamedTuple):
    """Bodies (B, …) in the middle of the coming step, but velocities at its start."""

    center: Floats
    axes: Floats
    velocity: Floats
    spin: Floats


class _Rows(NamedTuple):
    """Rows J (2, R, 6) on the bodies of ends A and B, J v (R,) and J̇ v (R,)."""

    jacobian: Floats
    speed: Floats
    bias: Floats


class Reactions:
    """The reactions of some groups. Rows are the locks of all groups, then springs and drives.

    `joints` gives the ends, frames and plan of each joint of the scene; `applied` (B, 6) are the
    forces [N] and torques [N m] that free bodies are under. Rows of one joint that act
    at one point share a pivot: the locks of an engine joint do, and the springs and drives.
    """

    def __init__(
        self,
        scene: Scene,
        joints: Mapping[int, JointInstance],
        springs: Springs,
        bodies: BodyStates,
        groups: Sequence[Group],
        step: float,
    ) -> None:
        self._springs, self._states, self._step = springs, bodies, step
        free = [body for group in groups for body in group.bodies]
        indices = [index for group in groups for index in group.joints]
        self._joints = [joints[index] for index in indices]
        ends = np.array([joint.ends for joint in self._joints], np.intp).T
        fixed = np.setdiff1d(ends, free).tolist()
        self._free, self._read = free, np.array([*free, *fixed], np.intp)
        slot = np.zeros(len(bodies.rows), np.intp)
        slot[self._read] = np.arange(len(self._read))
        self._ends = slot[ends]
        self._make_rows(groups, {index: place for place, index in enumerate(indices)}, slot)
        self.applied = np.zeros((len(free), 6))
        self.revise(scene)
        self.place()

    def _make_rows(self, groups: Sequence[Group], places: Mapping[int, int], slot: Indices) -> None:
        pivots: dict[tuple[int, int], JointSpec] = {}
        locks, springs = list[tuple[int, int, int, bool]](), list[tuple[int, int]]()
        for number, group in enumerate(groups):
            for index in group.joints:
                place = places[index]
                for key, spec in enumerate(self._joints[place].plan.specs):
                    pivots[place, key] = spec
                    alone = len(spec.locked & {3, 4, 5}) == 1
                    pivot = len(pivots) - 1
                    locks += [
                        (number, pivot, axis, alone and axis > 2) for axis in sorted(spec.locked)
                    ]
            springs += [(number, i) for i in group.springs]
        count = len(pivots)
        of_spring = {place: count + i for i, place in enumerate(range(len(self._joints)))}
        self._pivot_joint = np.array([place for place, _ in pivots] + [*of_spring], np.intp)
        self._locks = [*pivots]
        specs = [*pivots.values(), *[JointSpec()] * len(of_spring)]
        held = [[i in spec.locked for i in range(3)] for spec in specs]
        self._is_held = np.array(held, float)
        self._which = np.array([i for _, i in springs], np.intp)
        self._spring_joint = np.array(
            [places[self._springs.joint_of(i)] for _, i in springs], np.intp
        )
        rows = [p for _, p, *_ in locks] + [of_spring[j] for j in self._spring_joint.tolist()]
        self._pivot, self._count = np.array(rows, np.intp), len(locks)
        axis = np.array([axis for *_, axis, _ in locks], np.intp)
        self._axis = axis % 3
        self._lonely = linalg.indices(np.array([alone for *_, alone in locks], bool))
        is_linear = self._springs.is_linear[self._which]
        self._is_linear = np.append(axis < 3, is_linear).astype(bool)[:, None]
        owner = np.array([number for number, *_ in (*locks, *springs)], np.intp)
        self._batches = self._make_batches(groups, owner, slot)

    def _make_batches(self, groups: Sequence[Group], owner: Indices, slot: Indices) -> list[_Batch]:
        """Sort groups by size; `owner` (R,) are those of the rows."""
        sizes: dict[tuple[int, int], list[tuple[Indices, Indices]]] = defaultdict(list)
        for number, group in enumerate(groups):
            rows, bodies = np.flatnonzero(owner == number), slot[[*group.bodies]]
            sizes[len(rows), len(bodies)].append((rows, bodies))
        batches = []
        for systems in sizes.values():
            rows, bodies = (np.array(part) for part in zip(*systems, strict=True))
            local = np.full(len(self._read), bodies.shape[1], np.intp)
            local[bodies] = np.arange(bodies.shape[1])
            ends = local[self._ends[:, self._pivot_joint[self._pivot[rows]]]]
            place = np.arange(len(rows))[:, None], np.arange(len(rows[0]))[None]
            batches.append(_Batch(rows, bodies, ends, place))
        return batches

    def revise(self, scene: Scene) -> None:
        """Adopt the masses of the bodies."""
        masses = [scene.bodies[body].mass for body in self._free]
        self._inverse_mass = _inverse(np.array([mass.mass for mass in masses]))
        inertia = np.array([mass.inertia for mass in masses])
        self._inverse_inertia = _inverse(inertia)
        self._inertia = np.where(self._inverse_inertia > 0, inertia, 0.0)
        self._principal = np.array([to_matrix(mass.orientation) for mass in masses])
        factors = [scene.bodies[body].gravity_factor for body in self._free]
        self._gravity_factor = np.array(factors)[:, None]
        self._centers = self._states.centers[self._read]

    def place(self) -> None:
        """Adopt the poses of the frames of all joints in their bodies."""
        frames = [[joint.frames[i] for joint in self._joints] for i in range(2)]
        self._place = np.array([[frame.translation for frame in side] for side in frames])
        turned = np.array([[frame.rotation for frame in side] for side in frames])
        self._frame = np.asarray(to_matrix(turned))
        specs = [self._joints[place].plan.specs[key] for place, key in self._locks]
        specs += [JointSpec()] * (len(self._pivot_joint) - len(specs))
        offset = np.array([spec.offset for spec in specs])
        self._home = np.asarray(to_matrix(np.array([spec.rotation for spec in specs])))
        first = self._frame[0][self._pivot_joint]
        base = self._place[0][self._pivot_joint]
        self._pivot_place = base + (first @ offset[:, :, None])[:, :, 0]
        self._pivot_frame = first @ self._home

    def bind(self, world: rp.PhysicsWorld, source: BodySource) -> None:
        """Bind to the bodies of a world."""
        self._world, self._handles = world, [source.bodies[body] for body in self._free]

    @np.errstate(all="ignore")
    def before_step(self) -> None:
        """Compute the reactions for the coming step, and apply them."""
        if all(handle.is_sleeping for handle in self._handles):
            return
        self._states.read(self._read)
        force = self._forces()
        for handle, change in zip(self._handles, (force - self.applied).tolist(), strict=True):
            handle.add_force(change[:3], False)
            handle.add_torque(change[3:], False)
        self.applied[:] = force

    def after_step(self) -> None:
        """End the forces of the step, but not those that the caller applies.

        What has fallen asleep keeps them: they hold it when something wakes it.
        """
        for i, handle in enumerate(self._handles):
            if not handle.is_sleeping:
                self._end(i)

    def end(self) -> None:
        """End all forces."""
        for i in range(len(self._handles)):
            self._end(i)

    def _end(self, body: int) -> None:
        force = (-self.applied[body]).tolist()
        self._handles[body].add_force(force[:3], False)
        self._handles[body].add_torque(force[3:], False)
        self.applied[body] = 0.0

    # --- the equations ---

    def _forces(self) -> Floats:
        """Return the forces and torques (B, 6) of the coming step; note those of springs."""
        gradient, law = self._springs.law(self._which, self._states)
        bodies = self._bodies()
        rows = self._rows(bodies, gradient)
        soft, drive, most = self._laws(law, rows.speed[self._count :])
        response, acceleration = self._free_motion(bodies)
        total = np.zeros((len(self._read), 6))
        for batch in self._batches:
            system = self._system(batch, rows, soft, drive, response, acceleration)
            force = _solution(*system, most[batch.rows]) * self._share(batch, bodies)[:, None]
            is_spring = batch.rows >= self._count
            some = self._which[batch.rows[is_spring] - self._count]
            force[is_spring] = self._springs.give(some, force[is_spring])
            slots = self._ends[:, self._pivot_joint[self._pivot[batch.rows]]]
            np.add.at(total, slots, rows.jacobian[:, batch.rows] * force[:, :, None])
        return total[: len(self._free)]

    def _bodies(self) -> _Bodies:
        states, half = self._states.rows[self._read].astype(float), self._step / 2
        turn, velocity, spin = states[:, 3:7], states[:, 7:10], states[:, 10:]
        center = states[:, :3] + linalg.rotate(turn, self._centers) + half * velocity
        axes = linalg.matrices(linalg.multiply(linalg.from_vector(half * spin), turn))
        return _Bodies(center, axes, velocity, spin)

    def _rows(self, bodies: _Bodies, gradient: Floats) -> _Rows:
        """Return all rows; `gradient` are those of springs in frames A.

        Locks act on A where frame B would be with all locked axes closed, springs at frame B.
        """
        joint, pivot = self._pivot_joint, self._pivot
        (one, other), linear = self._ends[:, joint], self._is_linear
        arm_a = (bodies.axes[one] @ (self._pivot_place - self._centers[one])[:, :, None])[:, :, 0]
        local_b = self._place[1][joint] - self._centers[other]
        arm_b = (bodies.axes[other] @ local_b[:, :, None])[:, :, 0]
        offset = bodies.center[other] + arm_b - bodies.center[one]
        axes = bodies.axes[one] @ self._pivot_frame
        closed = ((offset - arm_a)[:, None, :] @ axes)[:, 0] * self._is_held
        arm_a = offset - (axes @ closed[:, :, None])[:, :, 0]
        along = axes[pivot, :, np.append(self._axis, np.zeros(len(gradient), np.intp))]
        along[self._count :] = (axes[pivot[self._count :]] @ gradient[:, :, None])[:, :, 0]
        if len(self._lonely):
            along[self._lonely] = self._twists(bodies, axes)
        arms, ends = np.stack((arm_a, arm_b)), np.stack((one, other))
        velocity, spin = bodies.velocity[ends], bodies.spin[ends]
        skew = linalg.skew(spin.reshape(-1, 3)).reshape(2, -1, 3, 3)
        moving = (skew @ arms[..., None])[..., 0]
        swing = (skew @ moving[..., None])[..., 0]
        (point_a, point_b), (first, _) = velocity + moving, skew
        speed = point_b - point_a, spin[1] - spin[0]
        bias = swing[1] - swing[0] - 2 * (first @ speed[0][:, :, None])[:, :, 0]
        turning = (first @ speed[1][:, :, None])[:, :, 0]
        jacobian = np.empty((2, len(pivot), 6))
        lever = linalg.skew(arms[:, pivot].reshape(-1, 3)).reshape(2, -1, 3, 3)
        jacobian[..., :3] = np.where(linear, along, 0.0)
        jacobian[..., 3:] = np.where(linear, (lever @ along[..., None])[..., 0], along)
        jacobian[0] *= -1
        return _Rows(
            jacobian,
            linalg.dot(along, np.where(linear, speed[0][pivot], speed[1][pivot])),
            linalg.dot(along, np.where(linear, bias[pivot], turning[pivot])),
        )

    def _twists(self, bodies: _Bodies, axes: Floats) -> Floats:
        """Return the gradients of locked twists next to a free swing."""
        rows = self._lonely
        pivot = self._pivot[rows]
        joint = self._pivot_joint[pivot]
        frame_b = bodies.axes[self._ends[1, joint]] @ self._frame[1][joint]
        rotation = metrics.shortest(from_matrix(axes[pivot].transpose(0, 2, 1) @ frame_b))
        units, gradient = np.eye(3), np.empty((len(rows), 3))
        for i, axis in enumerate(self._axis[rows].tolist()):
            gradient[i] = metrics.twist_gradient(rotation[i], axis, units[axis])
        return (axes[pivot] @ gradient[:, :, None])[:, :, 0]

    def _laws(self, law: Law, speed: Floats) -> tuple[Floats, Floats, Floats]:
        """Return (R,) softness, softness times the force without acceleration, and most force."""
        damping = self._step * law.stiffness + law.damping
        force = law.stiffness * law.error + law.damping * law.goal - damping * speed
        locks = np.zeros(self._count)
        soft = np.append(locks, 1 / np.maximum(self._step * damping, 1e-30))
        return soft, soft * np.append(locks, force), np.append(locks + np.inf, law.most)

    def _free_motion(self, bodies: _Bodies) -> tuple[Floats, Floats]:
        """Return the response (B, 6, 6) of free bodies, and how they would accelerate (B, 6)."""
        count = len(self._free)
        axes, spin = bodies.axes[:count] @ self._principal, bodies.spin[:count]
        turned = axes.transpose(0, 2, 1)
        response = np.zeros((count, 6, 6))
        response[:, :3, :3] = self._inverse_mass[:, None, None] * np.eye(3)
        response[:, 3:, 3:] = (axes * self._inverse_inertia[:, None, :]) @ turned
        momentum = (axes @ (self._inertia * (spin[:, None, :] @ axes)[:, 0])[:, :, None])[:, :, 0]
        outer = [(*h.user_force.to_tuple(), *h.user_torque.to_tuple()) for h in self._handles]
        wrench = np.array(outer) - self.applied
        wrench[:, 3:] -= linalg.cross(spin, momentum)
        acceleration = (response @ wrench[:, :, None])[:, :, 0]
        gravity = np.array(self._world.gravity.to_tuple())
        acceleration[:, :3] += self._gravity_factor * gravity
        return response, acceleration

    def _system(
        self,
        batch: _Batch,
        rows: _Rows,
        soft: Floats,
        drive: Floats,
        response: Floats,
        acceleration: Floats,
    ) -> tuple[Floats, Floats]:
        """Return the matrix (G, m, m) and the right side (G, m) of the equations of a batch."""
        (groups, count), size = batch.rows.shape, batch.bodies.shape[1]
        jacobian = np.zeros((groups, count, size + 1, 6))
        jacobian[*batch.place, batch.ends[0]] = rows.jacobian[0][batch.rows]
        jacobian[*batch.place, batch.ends[1]] += rows.jacobian[1][batch.rows]
        by_body = jacobian[:, :, :-1].transpose(0, 2, 1, 3)
        moved = (by_body @ response[batch.bodies]).transpose(0, 2, 1, 3)
        flat = jacobian[:, :, :-1].reshape(groups, count, -1)
        matrix = moved.reshape(groups, count, -1) @ flat.transpose(0, 2, 1)
        free = (flat @ acceleration[batch.bodies].reshape(groups, -1, 1))[:, :, 0]
        diagonal = np.einsum("gii->gi", matrix)
        diagonal += soft[batch.rows] + SOFTNESS * diagonal + 1e-30
        return matrix, drive[batch.rows] - free - rows.bias[batch.rows]

    def _share(self, batch: _Batch, bodies: _Bodies) -> Floats:
        """Return the fraction (G,) of the forces that is applied, all unless bodies turn fast."""
        turn = self._step * np.abs(bodies.spin[batch.bodies]).max(axis=(1, 2)) / ROTATION_MAX
        return linalg.bounded(2 - 2 * turn, 0.0, 1.0)


def _solution(matrix: Floats, wanted: Floats, most: Floats) -> Floats:
    """Return the forces (G, m) of rows, some of which can apply only so much."""
    force = np.linalg.solve(matrix, wanted[:, :, None])[:, :, 0]
    is_over = np.abs(force) > most
    if is_over.any():  # these have a given force, and the rest is solved again
        matrix[is_over] = 0.0
        np.einsum("gii->gi", matrix)[is_over] = 1.0
        wanted[is_over] = np.clip(force, -most, most)[is_over]
        force = np.linalg.solve(matrix, wanted[:, :, None])[:, :, 0]
    return np.asarray(np.clip(np.nan_to_num(force), -most, most))


def _inverse(values: Floats) -> Floats:
    """Return 1/x; 0 for 0 and infinity, which stand for infinite masses and moments."""
    usable = np.isfinite(values) & (values > 0)
    return np.where(usable, 1 / np.where(usable, values, 1.0), 0.0)

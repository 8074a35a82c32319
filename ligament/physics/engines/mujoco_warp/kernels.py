"""Kernels of worlds in MuJoCo Warp: poses, joints, contacts, failures and free flight.

Quaternions of MuJoCo Warp are wxyz in the slots of `wp.quat`; those of our arrays, and in the
functions here, are xyzw. Every kernel has one thread per world and part.
"""

# Warp reads the annotations of a kernel itself: they can neither be postponed nor be checked.
# mypy: ignore-errors

from typing import Final

import warp as wp

wp.set_module_options({"enable_backward": False})  # nothing here is differentiated

LINEAR_ONE: Final = wp.constant(0)
LINEAR_MORE: Final = wp.constant(1)
TWIST: Final = wp.constant(2)
SWING: Final = wp.constant(3)
CONE: Final = wp.constant(4)
ANGLE: Final = wp.constant(5)

_FARTHEST: Final = wp.constant(1.0e10)
"""Positions [m] above which MuJoCo gives up."""

_PI: Final = wp.constant(wp.pi)

Bias = wp.types.vector(length=10, dtype=float)
"""Parameters of an actuator's bias, as MuJoCo Warp keeps them."""

Friction = wp.types.vector(length=5, dtype=float)
"""Coefficients of a contact's friction, as MuJoCo Warp keeps them."""


@wp.func
def xyzw(q: wp.quat) -> wp.quat:
    """Convert a quaternion of MuJoCo Warp to ours."""
    return wp.quat(q[1], q[2], q[3], q[0])


@wp.func
def wxyz(q: wp.quat) -> wp.quat:
    """Convert one of our quaternions to MuJoCo Warp's."""
    return wp.quat(q[3], q[0], q[1], q[2])


@wp.func
def center_velocity(
    world: int,
    body: int,
    cvel: wp.array2d[wp.spatial_vector],
    xipos: wp.array2d[wp.vec3],
    subtree_com: wp.array2d[wp.vec3],
    body_rootid: wp.array[int],
) -> wp.vec3:
    """Return the velocity of a body's centre of mass."""
    arm = xipos[world, body] - subtree_com[world, body_rootid[body]]
    twist = cvel[world, body]
    return wp.spatial_bottom(twist) + wp.cross(wp.spatial_top(twist), arm)


@wp.kernel
def gather_poses(
    bodies: wp.array[int],
    body_rootid: wp.array[int],
    failed: wp.array[wp.bool],
    xpos: wp.array2d[wp.vec3],
    xquat: wp.array2d[wp.quat],
    xipos: wp.array2d[wp.vec3],
    subtree_com: wp.array2d[wp.vec3],
    cvel: wp.array2d[wp.spatial_vector],
    translation: wp.array2d[wp.vec3],
    rotation: wp.array2d[wp.quat],
    linear_velocity: wp.array2d[wp.vec3],
    angular_velocity: wp.array2d[wp.vec3],
):
    """Write the states of bodies; those of failed worlds stay unchanged."""
    world, place = wp.tid()
    if failed[world]:
        return
    body = bodies[place]
    translation[world, place] = xpos[world, body]
    rotation[world, place] = xyzw(xquat[world, body])
    linear_velocity[world, place] = center_velocity(
        world, body, cvel, xipos, subtree_com, body_rootid
    )
    angular_velocity[world, place] = wp.spatial_top(cvel[world, body])


@wp.kernel
def find_failed(
    qpos: wp.array2d[float],
    qvel: wp.array2d[float],
    start: wp.array2d[float],
    failed: wp.array[wp.bool],
):
    """Mark worlds that are no longer finite, and reset them to a harmless state."""
    world = wp.tid()
    total = float(0.0)
    for i in range(qpos.shape[1]):
        total += wp.abs(qpos[world, i])
    for i in range(qvel.shape[1]):
        total += wp.abs(qvel[world, i])
    if total < _FARTHEST:
        return
    failed[world] = True
    for i in range(qpos.shape[1]):
        qpos[world, i] = start[world, i]
    for i in range(qvel.shape[1]):
        qvel[world, i] = 0.0


@wp.kernel
def put_back(
    chosen: wp.array[wp.bool],
    start_qpos: wp.array2d[float],
    start_qvel: wp.array2d[float],
    start_positions: wp.array2d[float],
    start_velocities: wp.array2d[float],
    qpos: wp.array2d[float],
    qvel: wp.array2d[float],
    positions: wp.array2d[float],
    velocities: wp.array2d[float],
    qacc_warmstart: wp.array2d[float],
    failed: wp.array[wp.bool],
):
    """Reset chosen worlds to their start, with the targets of drives."""
    world = wp.tid()
    if not chosen[world]:
        return
    failed[world] = False
    for i in range(qpos.shape[1]):
        qpos[world, i] = start_qpos[world, i]
    for i in range(qvel.shape[1]):
        qvel[world, i] = start_qvel[world, i]
        qacc_warmstart[world, i] = 0.0
    for i in range(positions.shape[1]):
        positions[world, i] = start_positions[world, i]
        velocities[world, i] = start_velocities[world, i]


@wp.kernel
def add_vectors(given: wp.array2d[wp.vec3], total: wp.array2d[wp.vec3]):
    """Add the given vectors to each body."""
    world, place = wp.tid()
    total[world, place] += given[world, place]


@wp.kernel
def push_bodies(
    bodies: wp.array[int],
    force: wp.array2d[wp.vec3],
    torque: wp.array2d[wp.vec3],
    impulse: wp.array2d[wp.vec3],
    angular: wp.array2d[wp.vec3],
    rate: float,
    xfrc_applied: wp.array2d[wp.spatial_vector],
):
    """Apply forces, and impulses as forces of a single step of 1 / `rate` seconds."""
    world, place = wp.tid()
    push = force[world, place] + rate * impulse[world, place]
    turn = torque[world, place] + rate * angular[world, place]
    xfrc_applied[world, bodies[place]] = wp.spatial_vector(push, turn)


@wp.kernel
def mark_touched(
    nacon: wp.array[int],
    geom: wp.array[wp.vec2i],
    worldid: wp.array[int],
    dist: wp.array[float],
    geom_bodyid: wp.array[int],
    colliders: wp.array[int],
    is_sensor: wp.array[wp.bool],
    touched: wp.array2d[wp.bool],
    sensed: wp.array2d[wp.bool],
):
    """Mark bodies (worlds, bodies of the model) in contact, and sensors that detect something."""
    i = wp.tid()
    if i >= nacon[0] or dist[i] > 0.0:
        return
    pair = geom[i]
    if is_sensor[pair[0]] or is_sensor[pair[1]]:
        if not (is_sensor[pair[0]] and is_sensor[pair[1]]):
            for k in range(2):
                if is_sensor[pair[k]]:
                    sensed[worldid[i], colliders[pair[k]]] = True
        return
    touched[worldid[i], geom_bodyid[pair[0]]] = True
    touched[worldid[i], geom_bodyid[pair[1]]] = True


@wp.kernel
def choose_touched(
    bodies: wp.array[int],
    failed: wp.array[wp.bool],
    touched: wp.array2d[wp.bool],
    chosen: wp.array2d[wp.bool],
):
    """Copy the marks of some bodies; those of failed worlds stay unchanged."""
    world, place = wp.tid()
    if failed[world]:
        return
    chosen[world, place] = touched[world, bodies[place]]


@wp.kernel
def choose_sensed(
    starts: wp.array[int],
    colliders: wp.array[int],
    failed: wp.array[wp.bool],
    sensed: wp.array2d[wp.bool],
    inside: wp.array2d[wp.bool],
):
    """Return which triggers detect something: trigger t has the colliders from starts[t] on.

    Those of failed worlds stay unchanged.
    """
    world, trigger = wp.tid()
    if failed[world]:
        return
    found = bool(False)
    for i in range(starts[trigger], starts[trigger + 1]):
        found = found or sensed[world, colliders[i]]
    inside[world, trigger] = found


@wp.kernel
def record_overflow(overflow: wp.array[int], kinds: int, lacking: wp.array[wp.bool]):
    """Record whether contacts or constraints of some kinds were dropped for lack of room."""
    if overflow[wp.tid()] & kinds:
        lacking[0] = True


@wp.func
def angular_acceleration(angular: wp.vec3, inertia: wp.mat33, inverse: wp.mat33) -> wp.vec3:
    """Return the torque-free angular acceleration of a body, in its own axes."""
    return -(inverse * wp.cross(angular, inertia * angular))


@wp.func
def exponential(v: wp.vec3) -> wp.quat:
    """Return the rotation by a vector [rad]."""
    angle = wp.length(v)
    if angle < 1.0e-12:
        return wp.quat(0.5 * v[0], 0.5 * v[1], 0.5 * v[2], 1.0)
    return wp.quat_from_axis_angle(v / angle, angle)


@wp.kernel
def correct_flight(
    dofs: wp.array[int],
    places: wp.array[int],
    bodies: wp.array[int],
    factors: wp.array[float],
    is_round: wp.array[wp.bool],
    axes: wp.array[wp.mat33],
    slow: float,
    step: float,
    gravity: wp.array[wp.vec3],
    body_mass: wp.array2d[float],
    body_inertia: wp.array2d[wp.vec3],
    touched: wp.array2d[wp.bool],
    before: wp.array2d[float],
    xfrc_applied: wp.array2d[wp.spatial_vector],
    qpos: wp.array2d[float],
    qvel: wp.array2d[float],
):
    """Correct bodies in free flight, as `ligament.physics.engines.mujoco.flight` does."""
    world, row = wp.tid()
    body, place, dof = bodies[row], places[row], dofs[row]
    if touched[world, body]:
        return
    pushed = xfrc_applied[world, body]
    mass = body_mass[world % body_mass.shape[0], body]
    pull = gravity[world % gravity.shape[0]] * factors[row] + wp.spatial_top(pushed) / mass
    for i in range(3):
        qpos[world, place + i] -= 0.5 * step * step * pull[i]
    start = wp.vec3(before[world, dof + 3], before[world, dof + 4], before[world, dof + 5])
    if is_round[row] or wp.max(wp.abs(start)) * step <= slow:
        return
    moments = body_inertia[world % body_inertia.shape[0], body]
    inertia = axes[row] * wp.diag(moments) * wp.transpose(axes[row])
    inverse = axes[row] * wp.diag(wp.cw_div(wp.vec3(1.0), moments)) * wp.transpose(axes[row])
    a = angular_acceleration(start, inertia, inverse)
    b = angular_acceleration(start + 0.5 * step * a, inertia, inverse)
    c = angular_acceleration(start + 0.5 * step * b, inertia, inverse)
    d = angular_acceleration(start + step * c, inertia, inverse)
    q = wp.vec3(qpos[world, place + 4], qpos[world, place + 5], qpos[world, place + 6])
    rotation = wp.quat(q, qpos[world, place + 3])
    torque = wp.quat_rotate_inv(rotation, wp.spatial_bottom(pushed))
    end = start + step / 6.0 * (a + 2.0 * b + 2.0 * c + d) + step * (inverse * torque)
    used = wp.vec3(qvel[world, dof + 3], qvel[world, dof + 4], qvel[world, dof + 5])
    turned = wp.normalize(rotation * exponential(0.5 * step * (start + end) - step * used))
    qpos[world, place + 3] = turned[3]
    for i in range(3):
        qpos[world, place + 4 + i] = turned[i]
        qvel[world, dof + 3 + i] = end[i]


@wp.struct
class Ends:
    """Both frames of a joint: bodies of the model and poses in them."""

    body_a: int
    body_b: int
    translation_a: wp.vec3
    translation_b: wp.vec3
    rotation_a: wp.quat
    rotation_b: wp.quat


@wp.struct
class Between:
    """Frame B in frame A: pose and velocities."""

    position: wp.vec3
    rotation: wp.quat
    linear: wp.vec3
    angular: wp.vec3


@wp.func
def between(
    ends: Ends,
    world: int,
    body_rootid: wp.array[int],
    xpos: wp.array2d[wp.vec3],
    xquat: wp.array2d[wp.quat],
    xipos: wp.array2d[wp.vec3],
    subtree_com: wp.array2d[wp.vec3],
    cvel: wp.array2d[wp.spatial_vector],
) -> Between:
    """Return frame B relative to frame A; its rotation has w ≥ 0."""
    a, b = ends.body_a, ends.body_b
    rotation_a, rotation_b = xyzw(xquat[world, a]), xyzw(xquat[world, b])
    place_a = xpos[world, a] + wp.quat_rotate(rotation_a, ends.translation_a)
    place_b = xpos[world, b] + wp.quat_rotate(rotation_b, ends.translation_b)
    angular_a, angular_b = wp.spatial_top(cvel[world, a]), wp.spatial_top(cvel[world, b])
    linear_a = center_velocity(world, a, cvel, xipos, subtree_com, body_rootid)
    linear_b = center_velocity(world, b, cvel, xipos, subtree_com, body_rootid)
    linear_a += wp.cross(angular_a, place_a - xipos[world, a])
    linear_b += wp.cross(angular_b, place_b - xipos[world, b])
    back = wp.quat_inverse(rotation_a * ends.rotation_a)
    offset = place_b - place_a
    found = Between()
    found.position = wp.quat_rotate(back, offset)
    found.rotation = back * rotation_b * ends.rotation_b
    if found.rotation[3] < 0.0:
        found.rotation = -found.rotation
    found.linear = wp.quat_rotate(back, linear_b - linear_a - wp.cross(angular_a, offset))
    found.angular = wp.quat_rotate(back, angular_b - angular_a)
    return found


@wp.func
def axis_vector(axis: int) -> wp.vec3:
    """Return a unit vector."""
    v = wp.vec3(0.0)
    v[axis] = 1.0
    return v


@wp.func
def twist_about(q: wp.quat, axis: int) -> float:
    """Return the signed twist in (−π, π]."""
    value = 2.0 * wp.atan2(q[axis], q[3])
    if value <= -_PI:
        return _PI
    return value


@wp.func
def metric(found: Between, kind: int, axes: wp.vec3i, free: int) -> float:
    """Return a metric; `axes` are 1 where an axis counts, `free` is the first or the free one."""
    p, q = found.position, found.rotation
    if kind == LINEAR_ONE:
        return p[free]
    if kind == LINEAR_MORE:
        return wp.length(
            wp.vec3(p[0] * float(axes[0]), p[1] * float(axes[1]), p[2] * float(axes[2]))
        )
    if kind == TWIST:
        return twist_about(q, free)
    if kind == SWING:
        axis = 0
        for i in range(3):
            if axes[i] == 1:
                axis = i
        swung = wp.quat_rotate(q, axis_vector(free))
        across = wp.dot(swung, wp.cross(axis_vector(axis), axis_vector(free)))
        return 2.0 * wp.atan2(across, 1.0 + swung[free])
    if kind == CONE:
        i, j = (free + 1) % 3, (free + 2) % 3
        across = wp.sqrt(q[i] * q[i] + q[j] * q[j])
        return 2.0 * wp.atan2(across, wp.sqrt(q[3] * q[3] + q[free] * q[free]))
    return 2.0 * wp.atan2(wp.length(wp.vec3(q[0], q[1], q[2])), q[3])


@wp.kernel
def measure_limits(
    ends: wp.array[Ends],
    kinds: wp.array[int],
    axes: wp.array[wp.vec3i],
    free: wp.array[int],
    failed: wp.array[wp.bool],
    body_rootid: wp.array[int],
    xpos: wp.array2d[wp.vec3],
    xquat: wp.array2d[wp.quat],
    xipos: wp.array2d[wp.vec3],
    subtree_com: wp.array2d[wp.vec3],
    cvel: wp.array2d[wp.spatial_vector],
    values: wp.array2d[float],
):
    """Measure limits; those of failed worlds stay unchanged."""
    world, row = wp.tid()
    if failed[world]:
        return
    found = between(ends[row], world, body_rootid, xpos, xquat, xipos, subtree_com, cvel)
    values[world, row] = metric(found, kinds[row], axes[row], free[row])


@wp.kernel
def measure_drives(
    ends: wp.array[Ends],
    kinds: wp.array[int],
    axes: wp.array[int],
    failed: wp.array[wp.bool],
    body_rootid: wp.array[int],
    xpos: wp.array2d[wp.vec3],
    xquat: wp.array2d[wp.quat],
    xipos: wp.array2d[wp.vec3],
    subtree_com: wp.array2d[wp.vec3],
    cvel: wp.array2d[wp.spatial_vector],
    positions: wp.array2d[float],
    velocities: wp.array2d[float],
):
    """Measure positions and velocities of drives; those of failed worlds stay unchanged."""
    world, row = wp.tid()
    if failed[world]:
        return
    found = between(ends[row], world, body_rootid, xpos, xquat, xipos, subtree_com, cvel)
    axis = axes[row]
    if kinds[row] == LINEAR_ONE:
        positions[world, row] = found.position[axis]
        velocities[world, row] = found.linear[axis]
    else:
        positions[world, row] = twist_about(found.rotation, axis)
        velocities[world, row] = found.angular[axis]


@wp.kernel
def set_controls(
    actuators: wp.array[int],
    has_position: wp.array[wp.bool],
    damping: wp.array[float],
    positions: wp.array2d[float],
    velocities: wp.array2d[float],
    ctrl: wp.array2d[float],
    actuator_biasprm: wp.array2d[Bias],
):
    """Set the targets of drives on actuators; those without stiffness take a velocity."""
    world, row = wp.tid()
    actuator = actuators[row]
    if actuator < 0:
        return
    if has_position[row]:
        ctrl[world, actuator] = positions[world, row]
        actuator_biasprm[world, actuator][0] = damping[row] * velocities[world, row]
    else:
        ctrl[world, actuator] = velocities[world, row]


@wp.kernel
def lower_targets(
    count: wp.array(dtype=int),
    rows: wp.array2d(dtype=int),
    size: wp.array(dtype=int),
    worlds: wp.array(dtype=int),
    friction: wp.array(dtype=Friction),
    targets: wp.array2d(dtype=float),
):
    """Keep contacts from lifting what slides, as `sliding` of the engine for single worlds does."""
    contact = wp.tid()
    if contact >= count[0] or size[contact] != 3:
        return
    world, normal = worlds[contact], rows[contact, 0]
    if normal < 0:
        return
    first = friction[contact][0] * targets[world, rows[contact, 1]]
    second = friction[contact][1] * targets[world, rows[contact, 2]]
    targets[world, normal] = targets[world, normal] - wp.sqrt(first * first + second * second)

"""Tracks derived from the recorded poses of bodies: local transforms, joint limits, energies."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats, Ints
from ligament.extensions.rigid_bodies import Drive, Limit, MotionKind
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree
from ligament.physics import metrics
from ligament.physics.engines import State
from ligament.physics.mass import FIXED, MassProperties
from ligament.physics.placement import Placement, relative
from ligament.physics.scene import Body, Frame, Joint, Pose, Scene
from ligament.play.physical import Bodies, physical_pose
from ligament.play.sprung import PhysicalSprings, moves_springs, sprung_pose
from ligament.recording import Energies, LimitTrack, LocalTracks, Recording
from ligament.rig.animator import Animator


def attached(recording: Recording, document: Document) -> Recording:
    """Attach a recording that was read from a file to its document."""
    stage = Animator(document)
    node, count = max(_nodes_of(recording), default=-1), len(stage.tree)
    if node >= count:
        remedy = "name the file that was simulated"
        raise document.error(f"the recording has node {node}, the file {count}", "/nodes", remedy)
    bodies = Bodies(recording.nodes, recording.translation, recording.rotation)
    return dataclasses.replace(
        recording,
        document=document,
        find_locals=partial(local_tracks, stage, recording.times, bodies),
    )


def _nodes_of(recording: Recording) -> Iterator[int]:
    """Yield all nodes that a recording names: bodies, those of limits, and those of events."""
    yield from recording.nodes.tolist()
    yield from (limit.node for limit in recording.limits)
    for _, _, *nodes in recording.events:
        yield from (node for node in nodes if node is not None)


def local_tracks(stage: Animator, times: Floats, bodies: Bodies) -> LocalTracks:
    """Return the local transforms of every node that animation, constraints or physics moved.

    A body keeps its scale. Where a sheared parent makes the exact transform impossible as
    translation, rotation and scale, the origin is exact and the rotation is that of the body.
    """
    moved = np.union1d(np.array(sorted(stage.changed), np.int64), bodies.nodes)
    if stage.springs is not None and moves_springs(stage, bodies.nodes):
        pose = PhysicalSprings(stage).poses(times, bodies)
        return LocalTracks(moved, *(values[:, moved] for values in pose))
    if not len(stage.changed) and (stage.tree.parents[bodies.nodes] < 0).all():
        return _roots(stage.tree, bodies)
    pieces = [
        _piece(stage, times[part], Bodies(bodies.nodes, *(x[part] for x in bodies[1:])), moved)
        for part in stage.chunks(len(times))
    ]
    return LocalTracks(moved, *(np.concatenate(parts) for parts in zip(*pieces, strict=True)))


def _roots(tree: NodeTree, bodies: Bodies) -> LocalTracks:
    """Return the tracks of bodies without parents, whose local pose is their world pose."""
    scale = np.broadcast_to(tree.scale[bodies.nodes], bodies.translation.shape)
    return LocalTracks(bodies.nodes, bodies.translation, bodies.rotation, scale)


def _piece(stage: Animator, times: Floats, bodies: Bodies, moved: Ints) -> tuple[Floats, ...]:
    if stage.springs is None:
        pose = physical_pose(stage, stage.unsprung(times), bodies)
    else:
        pose = sprung_pose(stage, stage.unsprung(times), bodies, stage.springs.rotations(times))
    return tuple(values[:, moved] for values in pose)


class BodyTracks(NamedTuple):
    """World poses of some bodies of a scene: (F, K, 3), (F, K, 4), and their columns by index."""

    columns: Mapping[int, int]
    translation: Floats
    rotation: Floats


Bounds: TypeAlias = Mapping[tuple[int, int], tuple[Floats, Floats]]
"""Bounds (F,) of limits that an animation moves, by joint and limit."""


def limit_tracks(
    scene: Scene, stage: Animator, times: Floats, tracks: BodyTracks, moving_bounds: Bounds
) -> tuple[LimitTrack, ...]:
    """Measure every limit of every joint at every frame."""
    measured = []
    for index, between in _between(scene, stage, times, tracks, lambda joint: bool(joint.limits)):
        joint = scene.joints[index]
        measured += [
            _track(joint, limit, between, moving_bounds.get((index, place)))
            for place, limit in enumerate(joint.limits)
        ]
    return tuple(measured)


def spring_energies(
    scene: Scene, stage: Animator, times: Floats, tracks: BodyTracks, moving_bounds: Bounds
) -> Floats:
    """Return the energy (F, J) [J] in the springs of every joint: soft limits and drives.

    A drive's force is capped at its maximum. Drives in acceleration mode count as 0: their energy
    depends on the mass that they happen to move.
    """
    energy = np.zeros((len(times), len(scene.joints)))
    for index, between in _between(scene, stage, times, tracks, _is_sprung):
        joint = scene.joints[index]
        for place, limit in enumerate(joint.limits):
            if np.isfinite(limit.stiffness):
                track = _track(joint, limit, between, moving_bounds.get((index, place)))
                energy[:, index] += 0.5 * limit.stiffness * track.violation**2
        for drive in filter(_is_spring, joint.drives):
            value = metrics.measure(_axis(drive), between.position, between.rotation)
            stretch = np.abs(value - drive.position_target)
            elastic = np.minimum(stretch, drive.max_force / drive.stiffness)
            energy[:, index] += drive.stiffness * elastic * (stretch - 0.5 * elastic)
    return energy


def _axis(drive: Drive) -> Limit:
    """Return the quantity that a drive measures, in the form of a limit."""
    if drive.type == "linear":
        return Limit(linear_axes=(drive.axis,))
    return Limit(angular_axes=(drive.axis,))


def _is_sprung(joint: Joint) -> bool:
    soft = any(np.isfinite(limit.stiffness) for limit in joint.limits)
    return soft or any(map(_is_spring, joint.drives))


def _is_spring(drive: Drive) -> bool:
    return drive.mode == "force" and drive.stiffness > 0


def _between(
    scene: Scene,
    stage: Animator,
    times: Floats,
    tracks: BodyTracks,
    is_measured: Callable[[Joint], bool],
) -> Iterator[tuple[int, metrics.Relative]]:
    """Yield the index of each measured joint, and the relative pose of its frames."""
    chosen = [index for index, joint in enumerate(scene.joints) if is_measured(joint)]
    joints = [scene.joints[index] for index in chosen]
    moving = {f.node for joint in joints for f in (joint.a, joint.b) if f.moves}
    holders = {scene.bodies[f.body].node for j in joints for f in (j.a, j.b) if f.moves}
    animated = animated_poses(stage, times, sorted(moving | holders))
    for index, joint in zip(chosen, joints, strict=True):
        a, b = (_world(scene, frame, tracks, animated) for frame in (joint.a, joint.b))
        yield index, metrics.relative(a.translation, a.rotation, b.translation, b.rotation)


def _track(
    joint: Joint,
    limit: Limit,
    between: metrics.Relative,
    bounds: tuple[Floats, Floats] | None,
) -> LimitTrack:
    low, high = (None, None) if bounds is None else bounds
    if low is not None and high is not None:
        limit = dataclasses.replace(limit, minimum=float(low.min()), maximum=float(high.max()))
    value = metrics.measure(limit, between.position, between.rotation)
    if len(limit.angular_axes) == 1 and (limit.minimum < -np.pi or limit.maximum > np.pi):
        start = metrics.nearest_turn(value[0], limit.minimum, limit.maximum)
        value = metrics.unwrap(value, start)
    return LimitTrack(
        node=joint.node,
        index=limit.index,
        kind="linear" if limit.linear_axes else "angular",
        axes=limit.linear_axes or limit.angular_axes,
        minimum=limit.minimum,
        maximum=limit.maximum,
        is_hard=bool(np.isinf(limit.stiffness)),
        value=value,
        moving_minimum=low,
        moving_maximum=high,
    )


def _world(scene: Scene, frame: Frame, tracks: BodyTracks, animated: Mapping[int, Pose]) -> Pose:
    """Return an attachment frame over time (F, …) in the world."""
    column = tracks.columns[frame.body]
    body = Pose(tracks.translation[:, column], tracks.rotation[:, column])
    within = frame_in_body(scene, frame, animated)
    offset = tf.rotate(body.rotation, within.translation)
    return Pose(body.translation + offset, tf.multiply(body.rotation, within.rotation))


def frame_in_body(scene: Scene, frame: Frame, animated: Mapping[int, Pose]) -> Pose:
    """Return the pose of a frame in its body, over time (F, …) if it is animated."""
    if not frame.moves:
        return frame.pose
    holder = scene.bodies[frame.body].node
    within = animated[frame.node]
    return relative(animated[holder], within) if holder >= 0 else within


def animated_poses(stage: Animator, times: Floats, nodes: Sequence[int]) -> dict[int, Pose]:
    """Return the world poses of animated nodes (F, …), before physics."""
    nodes = [node for node in nodes if node >= 0]
    if not nodes:
        return {}
    placed = [Placement(stage.tree, stage.pose(times[p])) for p in stage.chunks(len(times))]
    translation = np.concatenate([p.translation[:, nodes] for p in placed])
    rotation = np.concatenate([p.rotation[:, nodes] for p in placed])
    return {node: Pose(translation[:, i], rotation[:, i]) for i, node in enumerate(nodes)}


def body_energies(
    bodies: Sequence[Sequence[Body]], gravity: Sequence[float], tracks: State
) -> Energies:
    """Return the energies (F, N) [J] of bodies whose `tracks` are (F, N, …).

    `bodies` are those of each frame, or one set for all frames. Kinetic: ½ m v² of the centre of
    mass and ½ ω·Iω about it. Potential: -m f g·x with the gravity factor f and the centre of mass
    at x.
    """
    shape = (len(bodies), len(bodies[0]))
    masses = [_pushed(body) for frame in bodies for body in frame]
    mass = _finite([m.mass for m in masses], *shape)
    inertia = _finite([m.inertia for m in masses], *shape, 3)
    center = _finite([m.center for m in masses], *shape, 3)
    factor = _finite([body.gravity_factor for frame in bodies for body in frame], *shape)
    axes = _finite([m.orientation for m in masses], *shape, 4)
    axes = tf.multiply(tracks.rotation, axes)
    angular = tf.rotate(tf.conjugate(axes), tracks.angular_velocity)
    place = tracks.translation + tf.rotate(tracks.rotation, center)
    moving = mass * np.einsum("fni,fni->fn", tracks.linear_velocity, tracks.linear_velocity)
    turning = (inertia * angular**2).sum(axis=-1)
    return Energies(0.5 * (moving + turning), -mass * factor * (place @ np.asarray(gravity)))


def _pushed(body: Body) -> MassProperties:
    """Return a body's resistance to forces; infinite if forces do not move it."""
    return body.mass if body.kind is MotionKind.DYNAMIC and not body.is_driven else FIXED


def _finite(values: Sequence[float | Floats], *shape: int) -> Floats:
    """Stack the values of all bodies (F, N, …), replacing infinite ones with 0."""
    array = np.array(values, np.float64).reshape(shape)
    return np.where(np.isfinite(array), array, 0.0)

"""The value of every joint limit, from the poses that were recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.extensions.declarations import Limit
from ligament.physics import metrics
from ligament.physics.placement import Placement, relative
from ligament.physics.scene import Frame, Joint, Pose, Scene
from ligament.recording import LimitTrack
from ligament.rig.animator import Animator


class BodyTracks(NamedTuple):
    """World poses of some bodies of a scene: (F, K, 3), (F, K, 4), and their columns by index."""

    columns: Mapping[int, int]
    translation: Floats
    rotation: Floats


def limit_tracks(
    scene: Scene, stage: Animator, times: Floats, tracks: BodyTracks
) -> tuple[LimitTrack, ...]:
    """Measure every limit of every joint at every frame."""
    moving = {f.node for joint in scene.joints for f in (joint.a, joint.b) if f.moves}
    holders = {scene.bodies[f.body].node for j in scene.joints for f in (j.a, j.b) if f.moves}
    animated = _animated(stage, times, sorted(moving | holders))
    measured = []
    for joint in scene.joints:
        if joint.limits:
            a, b = (_world(scene, frame, tracks, animated) for frame in (joint.a, joint.b))
            between = metrics.relative(a.translation, a.rotation, b.translation, b.rotation)
            measured += [_track(joint, limit, between) for limit in joint.limits]
    return tuple(measured)


def _track(joint: Joint, limit: Limit, between: metrics.Relative) -> LimitTrack:
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
    )


def _world(scene: Scene, frame: Frame, tracks: BodyTracks, animated: Mapping[int, Pose]) -> Pose:
    """Return an attachment frame over time (F, …) in the world."""
    column = tracks.columns[frame.body]
    body = Pose(tracks.translation[:, column], tracks.rotation[:, column])
    within = frame.pose
    if frame.moves:
        holder = scene.bodies[frame.body].node
        within = animated[frame.node]
        within = relative(animated[holder], within) if holder >= 0 else within
    offset = tf.rotate(body.rotation, within.translation)
    return Pose(body.translation + offset, tf.multiply(body.rotation, within.rotation))


def _animated(stage: Animator, times: Floats, nodes: Sequence[int]) -> dict[int, Pose]:
    """Return the world poses of animated nodes (F, …), before physics."""
    nodes = [node for node in nodes if node >= 0]
    if not nodes:
        return {}
    placed = [Placement(stage.tree, stage.pose(times[p])) for p in stage.chunks(len(times))]
    translation = np.concatenate([p.translation[:, nodes] for p in placed])
    rotation = np.concatenate([p.rotation[:, nodes] for p in placed])
    return {node: Pose(translation[:, i], rotation[:, i]) for i, node in enumerate(nodes)}

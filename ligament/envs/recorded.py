"""Recordings of a policy, for a page, an animation or a figure."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ligament.arguments import checked
from ligament.envs.env import Env
from ligament.physics.engines import State
from ligament.play.physical import Bodies
from ligament.play.timeline import is_moved_by_engine
from ligament.play.tracks import body_energies, local_tracks
from ligament.recording import Recording
from ligament.rig.animator import Animator

Policy = Callable[[Any], Any]
"""Observation (O,) → action (A,)."""

_POSES = ("translation", "rotation", "linear_velocity", "angular_velocity")


@checked
def record_policy(env: Env, policy: Policy, *, seed: int | None = None) -> Recording:
    """Play one episode with a policy and record it, one frame per step.

    >>> recording = record_policy(env, lambda seen: weights @ seen, seed=1)
    >>> save_page(lg.bake(document, recording, strip=True), "balanced.html")
    """
    worlds = env.worlds
    seen, _ = env.reset(seed=seed)
    frames = [_state(env)]
    is_over = False
    while not is_over:
        seen, _, ended, cut, _ = env.step(policy(seen))
        frames.append(_state(env))
        is_over = ended or cut
    tracks = State(*(np.stack(each) for each in zip(*frames, strict=True)))
    times = np.arange(len(frames), dtype=np.float64) * (env.task.frames / worlds.rate)
    bodies = [worlds.layout.scene.bodies[i] for i in worlds.layout.bodies]
    moved = [i for i, body in enumerate(bodies) if is_moved_by_engine(body)]
    placed = Bodies(worlds.nodes[moved], tracks.translation[:, moved], tracks.rotation[:, moved])
    stage = Animator(worlds.document, animations=worlds.animations)
    return Recording(
        times=times,
        nodes=worlds.nodes,
        translation=tracks.translation,
        rotation=tracks.rotation,
        linear_velocity=tracks.linear_velocity,
        angular_velocity=tracks.angular_velocity,
        find_locals=partial(local_tracks, stage, times, placed),
        find_energies=partial(body_energies, bodies, worlds.gravity, tracks),
        document=worlds.document,
    )


def _state(env: Env) -> tuple[Any, ...]:
    """Return the current poses and velocities (B, …)."""
    return tuple(np.array(getattr(env.worlds, name)[0]) for name in _POSES)

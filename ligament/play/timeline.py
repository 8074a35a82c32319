"""The time line: animation, constraints, rigid bodies, constraints, recorded frame by frame."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from ligament.arrays import Floats
from ligament.errors import LigamentError
from ligament.extensions.rigid_bodies import MotionKind
from ligament.gltf.document import Document
from ligament.gltf.load import AnyDocument, as_document
from ligament.options import calls
from ligament.options.groups import Simulating, Stepping
from ligament.physics.engines import Contacts, State
from ligament.physics.scene import Body
from ligament.play.nudge import nudged_scene
from ligament.play.physical import Bodies
from ligament.play.simulation import Simulation
from ligament.play.tracks import (
    BodyTracks,
    body_energies,
    limit_tracks,
    local_tracks,
    spring_energies,
)
from ligament.recording import Recording, frame_times

DEFAULT_SECONDS = 5.0
"""Length [s] of files with physics or springs if neither the caller nor an animation sets one."""

LONGEST_WAIT = 60.0
"""Longest time [s] to wait for rest by default."""

REST_SPEED, REST_SECONDS = 0.01, 0.5
"""Bodies are at rest when all stay below these speeds [m/s, rad/s] for this long [s]."""


def play(document: AnyDocument, options: Simulating) -> Recording:
    """Play a document and record it.

    All animations start together at 0 s and hold their last pose, or restart. The engine takes
    `substeps` steps in each frame, by default as many as the scene needs at the requested quality.

    >>> recording = simulate(load("door.glb"), seconds=5, rate=60)
    """
    document = as_document(document)
    sim = Simulation(document, **options.part(Stepping))
    if options.nudge:
        sim = sim.with_scene(nudged_scene(sim.scene, options.nudge, options.engine))
    seconds = options.seconds
    length = _length(sim, options.until_rest) if seconds is None else seconds
    times = _times(document, length, options.rate)
    if not sim.scene.bodies:
        tracks = local_tracks(sim.stage, times, _no_bodies(len(times)))
        return Recording.of_locals(times, tracks, document)
    return record(
        sim,
        times,
        until_rest=options.until_rest,
        contact_points=options.contact_points,
        progress=options.progress,
    )


simulate = calls.function(Simulating, play, "simulate")


def _times(document: Document, seconds: float, rate: float) -> Floats:
    try:
        return frame_times(seconds, rate, limits=document.limits)
    except LigamentError as fault:
        raise fault.located(document.path) from None


def _length(sim: Simulation, until_rest: bool) -> float:
    """Return the default length to play [s]."""
    if not sim.scene.bodies:
        swings = sim.stage.springs is not None and not sim.stage.duration
        return DEFAULT_SECONDS if swings else sim.stage.duration
    return max(LONGEST_WAIT if until_rest else DEFAULT_SECONDS, sim.stage.duration)


def _require(document: Document, name: str, found: float, what: str) -> None:
    try:
        document.limits.require(name, found, what)
    except LigamentError as fault:
        raise fault.located(document.path) from None


def record(
    sim: Simulation,
    times: Floats,
    *,
    until_rest: bool = False,
    contact_points: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Recording:
    """Step through all frames, recording the bodies that are visible or connected by joints.

    The simulation is at its start, and `times` (F,) [s] are those of `frame_times` at its rate.
    """
    kept = _kept(sim)
    chosen = _stretch(kept.tolist())
    document, start = sim.document, time.monotonic()
    longest = document.limits.seconds
    numbers = len(times) * len(kept) * 13
    _require(document, "recorded_numbers", numbers, "numbers in the recording")
    tracks = State(*(np.empty((len(times), len(kept), size)) for size in (3, 4, 3, 3)))
    present: list[Sequence[Body]] = []
    touching: list[Contacts] = []
    resting, frames = 0, len(times)
    for frame in range(len(times)):
        if frame:
            sim.step()
            if (worked := time.monotonic() - start) > longest:
                what = f"seconds of work after {frame} of {len(times)} frames"
                _require(document, "seconds", math.ceil(worked * 100) / 100, what)
        for track, values in zip(tracks, sim.state, strict=True):
            if isinstance(chosen, slice):
                track[frame] = values[chosen]
            else:  # a quarter of the time of other ways
                values.take(kept, 0, track[frame], "clip")
        present.append(sim.scene_bodies)
        if contact_points:
            touching.append(sim.contacts())
        if progress is not None:
            progress(frame, len(times))
        resting = resting + 1 if until_rest and _rests(sim) else 0
        if resting >= REST_SECONDS * sim.rate and sim.time >= sim.stage.duration:
            frames = frame + 1
            break
    else:
        if until_rest:
            _warn_of_motion(sim)
    seen = State(*(t[:frames] for t in tracks))
    recording = _recording(sim, times[:frames], kept, seen, present)
    return dataclasses.replace(recording, contacts=tuple(touching)) if touching else recording


def _kept(sim: Simulation) -> npt.NDArray[np.int64]:
    joined = {frame.body for joint in sim.scene.joints for frame in (joint.a, joint.b)}
    declared = {i for i, body in enumerate(sim.scene.bodies) if body.is_declared}
    return np.array(sorted(declared | joined), np.int64)


def _rests(sim: Simulation) -> bool:
    fast = (np.abs(sim.linear_velocity) > REST_SPEED) | (np.abs(sim.angular_velocity) > REST_SPEED)
    return not fast.any()


def _warn_of_motion(sim: Simulation) -> None:
    """Warn that bodies still move at the end, and name the fastest."""
    speeds = np.linalg.norm(sim.linear_velocity, axis=1)
    turning = np.linalg.norm(sim.angular_velocity, axis=1)
    fastest = int(np.argmax(np.maximum(speeds, turning)))
    node = int(sim.nodes[fastest])
    message = f"the bodies have not come to rest after {sim.time:g} s"
    speed_text = f"{speeds[fastest]:.2g} m/s and {turning[fastest]:.2g} rad/s"
    label = sim.stage.tree.label(node)
    sim.document.warn(
        f"{message}: {label} moves at {speed_text}; give more seconds", f"/nodes/{node}"
    )


def _recording(
    sim: Simulation,
    times: Floats,
    kept: npt.NDArray[np.int64],
    tracks: State,
    present: Sequence[Sequence[Body]],
) -> Recording:
    # The engine uses single precision; normalize its quaternions to double precision here.
    np.divide(tracks.rotation, _lengths(tracks.rotation), out=tracks.rotation)
    bodies = [sim.scene.bodies[i] for i in kept]
    shown = np.flatnonzero([body.is_declared for body in bodies])
    nodes = np.array([bodies[i].node for i in shown], np.int64)
    shown = shown[np.argsort(nodes, kind="stable")]
    by_forces = [i for i in shown.tolist() if is_moved_by_engine(bodies[i])]
    moved = Bodies(
        np.array([bodies[i].node for i in by_forces], np.int64),
        _columns(tracks.translation, by_forces),
        _columns(tracks.rotation, by_forces),
    )
    columns = {int(body): column for column, body in enumerate(kept)}
    body_tracks = BodyTracks(columns, tracks.translation, tracks.rotation)
    joined = (sim.scene, sim.stage, times, body_tracks, sim.moving_bounds(times))
    seen = State(*(_columns(track, shown.tolist()) for track in tracks))
    if all(frame is present[0] for frame in present):
        present = present[:1]
    masses = [[frame[i] for i in kept[shown].tolist()] for frame in present]
    return Recording(
        times=times,
        nodes=np.sort(nodes),
        translation=seen.translation,
        rotation=seen.rotation,
        linear_velocity=seen.linear_velocity,
        angular_velocity=seen.angular_velocity,
        events=sim.events,
        find_locals=partial(local_tracks, sim.stage, times, moved),
        find_limits=partial(limit_tracks, *joined),
        find_springs=partial(spring_energies, *joined),
        find_energies=partial(body_energies, masses, sim.gravity, seen),
        document=sim.document,
        lost=tuple(sim.lost),
        scene=sim.scene,
        find_unscaled=sim.unscaled_shapes,
    )


def _columns(track: Floats, chosen: list[int]) -> Floats:
    """Return some columns of a track, without a copy if they are contiguous."""
    return track[:, _stretch(chosen)]


def _stretch(chosen: list[int]) -> slice | list[int]:
    """Return a slice instead of contiguous indices."""
    if chosen and chosen == list(range(chosen[0], chosen[-1] + 1)):
        return slice(chosen[0], chosen[-1] + 1)
    return chosen


def _lengths(rotation: Floats) -> Floats:
    return np.asarray(np.sqrt(np.einsum("...i,...i->...", rotation, rotation)))[..., None]


def is_moved_by_engine(body: Body) -> bool:
    """Tell whether the engine, not an animation, moves a body."""
    return body.kind is not MotionKind.STATIC and not body.is_driven


def _no_bodies(frames: int) -> Bodies:
    return Bodies(np.zeros(0, np.int64), np.zeros((frames, 0, 3)), np.zeros((frames, 0, 4)))

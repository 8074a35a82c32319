"""Evaluation of a plan: on NumPy in cached blocks and threads, elsewhere traceably.

On NumPy, blocks of frames fit in the cache and are shared among cores. Arrays of other libraries
are never modified, so that the solution can be traced and differentiated.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Semaphore
from typing import Any

import numpy as np
import numpy.typing as npt

from ligament.processes import cores
from ligament.rig.constraints.plan import Plan
from ligament.rig.constraints.steps import picked
from ligament.transforms.components import Array

NumpyArray = npt.NDArray[Any]

BLOCK = 65536
"""Constraints times frames per block: with fewer, NumPy's call overhead dominates."""

PARALLEL = 4 * BLOCK
"""Constraints times frames above which threads pay off."""

MOST_THREADS = 4


def solve_blocks(
    plan: Plan,
    out: NumpyArray,
    rotation: NumpyArray,
    translation: NumpyArray | None,
    scale: NumpyArray | None,
) -> None:
    """Solve a pose (frames, nodes, …); write the rotations of all nodes to `out`.

    Half of the threads compute while the others move data: the calls are so short that threads
    which all compute would mostly wait for the GIL.
    """
    frames, count = len(rotation), len(plan.destinations)
    size = max(1, min(frames, BLOCK // max(1, count)))
    starts = range(0, frames, size)
    workers = min(cores(), MOST_THREADS, len(starts)) if frames * count >= PARALLEL else 1
    computing = Semaphore(max(1, workers // 2))

    def work(first: int) -> None:
        state = np.empty((len(plan.inputs) + count, 4, size), rotation.dtype)
        for start in starts[first::workers]:
            part = slice(start, start + size)
            pose = (_frames(values, part) for values in (rotation, translation, scale))
            block = _Block(plan, state, *pose)
            if out is not rotation:
                out[part] = rotation[part]
            with computing:
                block.solve()
            block.write(out[part])

    if workers == 1:
        work(0)
    else:
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(work, range(workers)))


def _frames(values: Any, block: slice) -> Any:
    """Return the frames of a block; a single frame for all stays unchanged."""
    return values if values is None or len(values) == 1 else values[block]


class _Block:
    """The pose of a block of frames: rotations in `state` (slots, 4, frames)."""

    xp: Any = np

    def __init__(
        self, plan: Plan, state: NumpyArray, rotation: Any, translation: Any, scale: Any
    ) -> None:
        self.plan = plan
        self.state = state[:, :, : len(rotation)]
        self.state[: len(plan.inputs)] = _slots(rotation, plan.inputs)
        self.translation, self.scale = plan.translation, plan.scale
        if translation is not None:
            self.translation = np.ascontiguousarray(_slots(translation, plan.placed))
        if scale is not None:
            self.scale = np.ascontiguousarray(_slots(scale, plan.placed))

    def solve(self) -> None:
        """Run all steps; their results go to the slots after the inputs."""
        filled = len(self.plan.inputs)
        for step in self.plan.steps:
            rotations = step.solve(self)
            self.state[filled : filled + len(rotations)] = rotations
            filled += len(rotations)

    def write(self, out: NumpyArray) -> None:
        """Write the results to the rotations (frames, nodes, 4) of all nodes."""
        results = self.state[len(self.plan.inputs) :]
        out[:, self.plan.destinations] = results.transpose(2, 0, 1)

    def rotations(self, slots: Any) -> Any:
        return self.state[slots]

    def translations(self, slots: Any) -> Any:
        return self.translation[slots]

    def scales(self, slots: Any) -> Any:
        return None if self.scale is None else self.scale[slots]


def _slots(values: NumpyArray, nodes: Any) -> Any:
    """Return values (frames, nodes, n) of some nodes as (slots, n, frames)."""
    return np.take(values, nodes, axis=1).transpose(1, 2, 0)


def solve_traced(
    xp: Any, plan: Plan, rotation: Array, translation: Array | None, scale: Array | None
) -> Array:
    """Solve a pose (frames, nodes, …) at once; return the rotations of all nodes."""
    pose = _TracedPose(xp, plan, rotation, translation, scale)
    for step in plan.steps:
        pose.add(step.solve(pose))
    solved = xp.permute_dims(pose.rotation[plan.inputs.shape[0] :, ...], (2, 0, 1))
    return xp.take(xp.concat([rotation, solved], axis=1), plan.merged, axis=1)


class _TracedPose:
    """Arrays (slots, components, frames) to which results are appended."""

    def __init__(
        self, xp: Any, plan: Plan, rotation: Array, translation: Array | None, scale: Array | None
    ) -> None:
        self.xp = xp
        self.rotation = _gathered(xp, rotation, plan.inputs)
        self.translation, self.scale = plan.translation, plan.scale
        if translation is not None:
            self.translation = _gathered(xp, translation, plan.placed)
        if scale is not None:
            self.scale = _gathered(xp, scale, plan.placed)

    def rotations(self, slots: Array) -> Array:
        return picked(self.xp, self.rotation, slots)

    def translations(self, slots: Array) -> Array:
        return picked(self.xp, self.translation, slots)

    def scales(self, slots: Array) -> Array | None:
        return None if self.scale is None else picked(self.xp, self.scale, slots)

    def add(self, rotations: Array) -> None:
        frames = self.rotation.shape[-1]
        rotations = self.xp.broadcast_to(rotations, (*rotations.shape[:-1], frames))
        self.rotation = self.xp.concat([self.rotation, rotations], axis=0)


def _gathered(xp: Any, values: Array, nodes: Array) -> Array:
    """Return values (frames, nodes, n) of some nodes as (slots, n, frames)."""
    return xp.permute_dims(xp.take(values, nodes, axis=1), (1, 2, 0))

"""One clip moved to one avatar, a chunk of frames at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ligament.arrays import Floats
from ligament.batch.datasets import Column, Store
from ligament.batch.motions.options import Device, PairOptions, require_cuda
from ligament.recording import frame_times
from ligament.rig import Humanoid, Motion, Pose, retarget

MOTION = "motion"
"""The only table of a part."""


def on_device(motion: Motion, device: Device) -> Motion:
    """Move the keys of a motion to where they are worked on; on CUDA in single precision."""
    if device == Device.CPU:
        return motion
    torch = require_cuda()
    return motion.map(lambda array: torch.as_tensor(array, dtype=torch.float32, device="cuda"))


def write_motion(store: Store, motion: Motion, avatar: Humanoid, options: PairOptions) -> int:
    """Write a motion on an avatar as a table; returns the number of frames.

    Beside the keys of the motion, memory holds one chunk.
    """
    times = motion.times
    if options.rate is not None:
        times = frame_times(motion.duration, options.rate, limits=options.limits)
    moved = on_device(motion, options.device)
    table = None
    for part in _chunks(times, options.chunk):
        pose = retarget(moved, avatar, part, hips=options.hips).on_host()
        if table is None:
            table = store.table(MOTION, _columns(pose, options.dtype), _about(pose, motion))
        table.append(_rows(pose))
    return len(times)


def _chunks(times: Floats, size: int) -> Iterator[Floats]:
    for start in range(0, len(times), size):
        yield times[start : start + size]


def _columns(pose: Pose, dtype: str) -> dict[str, Column]:
    columns = {
        "time": Column("f8"),
        "rotation": Column(dtype, (len(pose.bones), 4)),
        "hips": Column(dtype, (3,)),
        "expressions": Column(dtype, (len(pose.expressions),)),
    }
    return columns if pose.look_at is None else columns | {"look_at": Column(dtype, (2,))}


def _about(pose: Pose, motion: Motion) -> dict[str, Any]:
    return {
        "motion": motion.name,
        "bones": list(pose.bones),
        "nodes": pose.nodes.tolist(),
        "expressions": list(pose.expressions),
    }


def _rows(pose: Pose) -> dict[str, Any]:
    weights = list(pose.expressions.values())
    rows: dict[str, Any] = {
        "time": pose.times,
        "rotation": pose.rotation,
        "hips": pose.hips_translation,
        "expressions": np.stack(weights, 1) if weights else np.zeros((len(pose.times), 0)),
    }
    return rows if pose.look_at is None else rows | {"look_at": pose.look_at}

"""Worlds of a task, stepped together on a device, as rows of the data set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ligament.datasets import Column
from ligament.worlds.simulator import WorldSimulator, WorldsOptions
from ligament.worlds.stepping import Worlds

_POSES = ("translation", "rotation", "linear_velocity", "angular_velocity")


def play_together(
    simulator: WorldSimulator, options: WorldsOptions, columns: Mapping[str, Column]
) -> dict[str, Any]:
    """Play the worlds of a task; return their rows.

    A failed world has its reason, and NaN throughout.
    """
    count = options.last - options.first
    worlds = Worlds(
        simulator.document,
        count,
        engine=options.engine,
        device=options.device,
        vary=options.variations,
        seed=options.seed,
        rate=options.rate,
        substeps=options.substeps,
        quality=options.quality,
        gravity=options.gravity,
        animations=options.animations,
        scene=options.scene,
        contact_room=options.contact_room,
        first=options.first,
    )
    rows: dict[str, Any] = {
        name: np.empty((count, *column.shape), column.dtype)
        for name, column in columns.items()
        if name in (*_POSES, "limit_value")
    }
    failed_at = np.full(count, -1)
    for frame in range(len(simulator.times)):
        if frame:
            worlds.step()
        for name in _POSES:
            rows[name][:, frame] = _on_host(getattr(worlds, name))
        rows["limit_value"][:, frame] = _on_host(worlds.joint_values.limits)
        failed_at[worlds.failed & (failed_at < 0)] = frame
    for values in rows.values():
        values[failed_at >= 0] = np.nan
    times = simulator.times
    reasons = [f"not finite at {times[frame]:g} s" if frame >= 0 else "" for frame in failed_at]
    return {
        "world": np.arange(options.first, options.last),
        "ok": failed_at < 0,
        "reason": reasons,
        "parameters": worlds.parameters,
        **rows,
    }


def _on_host(array: Any) -> Any:
    """Return a device array as a NumPy array."""
    return array.numpy() if hasattr(array, "numpy") else array

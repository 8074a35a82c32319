"""A retargeted motion as arrays in a .npz file."""

from __future__ import annotations

import os

import numpy as np

from ligament.files import open_atomic
from ligament.rig import Pose


def save_arrays(pose: Pose, path: str | os.PathLike[str]) -> None:
    """Write a pose: times (F,), bones and nodes (B,), rotation (F, B, 4), hips_translation (F, 3).

    Expressions are `expression_names` (E,) and `expressions` (F, E); `look_at` (F, 2) is left out
    where the motion has none.
    """
    names = list(pose.expressions)
    weights = [np.asarray(pose.expressions[name]) for name in names]
    arrays = {
        "times": pose.times,
        "bones": np.array(pose.bones),
        "nodes": pose.nodes,
        "rotation": np.ascontiguousarray(pose.rotation),
        "hips_translation": np.asarray(pose.hips_translation),
        "expression_names": np.array(names, dtype=np.str_),
        "expressions": np.stack(weights, 1) if weights else np.zeros((len(pose.times), 0)),
    }
    if pose.look_at is not None:
        arrays["look_at"] = np.asarray(pose.look_at)
    with open_atomic(path) as stream:
        np.savez(stream, **arrays)  # type: ignore[arg-type]

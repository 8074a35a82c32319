"""Runs of our MJCF in MuJoCo, next to our own simulation."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import mujoco
import numpy as np

import ligament as lg
from ligament.conversion.mjcf import GRAVITY, to_mjcf
from ligament.gltf.document import Document
from ligament.losses import Loss


class Run(NamedTuple):
    """Times (F,), and positions (F, N, 3) [m] and rotations (F, N, 4) xyzw of the body nodes."""

    times: np.ndarray
    translation: np.ndarray
    rotation: np.ndarray
    losses: list[Loss]
    model: Any


def compiled(document: Document, folder: Path, **options: Any) -> tuple[Any, Any, list[Loss]]:
    """Write a document and let MuJoCo read it; the data are at the start."""
    path = folder / "model.xml"
    losses = to_mjcf(document, path, **options)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    return model, data, losses


def both(
    document: Document,
    folder: Path,
    *,
    seconds: float,
    gravity: tuple[float, float, float] = GRAVITY,
) -> tuple[Run, lg.Recording]:
    """Play a document in MuJoCo and here, Y up in both, 60 frames a second."""
    model, data, losses = compiled(document, folder, up="y", visuals=False, gravity=gravity)
    recording = lg.simulate(document, seconds=seconds, rate=60, gravity=gravity)
    names = [document.json["nodes"][node]["name"] for node in recording.nodes]
    ids = [model.body(name).id for name in names]
    translation, rotation = [data.xpos[ids].copy()], [data.xquat[ids].copy()]
    for time in recording.times[1:]:
        while data.time < time - model.opt.timestep / 2:
            mujoco.mj_step(model, data)
            # MuJoCo starts again at time 0 after a warning.
            assert not any(warning.number for warning in data.warning)
        mujoco.mj_kinematics(model, data)
        translation.append(data.xpos[ids].copy())
        rotation.append(data.xquat[ids].copy())
    turned = np.roll(np.array(rotation), -1, axis=-1)
    return Run(recording.times, np.array(translation), turned, losses, model), recording


def deviation(run: Run, recording: lg.Recording) -> float:
    """Return the largest distance [m] between the two at any time."""
    return float(np.linalg.norm(run.translation - recording.translation, axis=-1).max())


def period(times: np.ndarray, values: np.ndarray) -> float:
    """Return the mean time [s] between upward passes through the mean."""
    level = values - (values.max() + values.min()) / 2
    rising = np.flatnonzero((level[:-1] < 0) & (level[1:] >= 0))
    at = times[rising] - level[rising] * np.diff(times)[rising] / np.diff(level)[rising]
    return float(np.diff(at).mean())

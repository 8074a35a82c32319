"""Joints at random: MuJoCo reads whatever is written, and starts where we start."""

from __future__ import annotations

import math
import tempfile
import warnings
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from hypothesis import given

from ligament.errors import LigamentWarning
from tests.conversion.mujoco_runs import compiled
from tests.conversion.random_joints import (
    documents,
)


@given(documents())
def test_whatever_the_joints_mujoco_starts_where_we_start(document: Any) -> None:
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", LigamentWarning)
        model, data, losses = compiled(document, Path(folder), up="y")
    assert all(loss.effect for loss in losses)
    for i in range(3):
        place, turn = (document.json["nodes"][i][k] for k in ("translation", "rotation"))
        body = data.body(f"Body{i}")
        assert np.allclose(body.xpos, place, atol=1e-6)
        dot = abs(float(np.dot(np.roll(body.xquat, -1), turn)))
        assert math.isclose(dot, 1.0, abs_tol=1e-9)
    mujoco.mj_step(model, data)
    assert np.isfinite(data.qacc).all()

"""Every test of spring bones runs on arrays and, where Numba is installed, compiled."""

from __future__ import annotations

import math

import pytest

from ligament.rig.springs import spring_bones


@pytest.fixture(autouse=True, params=["arrays", "compiled"])
def path(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Choose how NumPy arrays are updated, whatever the work."""
    if request.param == "compiled":
        pytest.importorskip("numba")
    monkeypatch.setattr(
        spring_bones, "COMPILE_THRESHOLD", 0.0 if request.param == "compiled" else math.inf
    )
    return str(request.param)

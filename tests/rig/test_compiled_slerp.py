"""Compiled interpolation: the bits of the arrays, and when it is loaded."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ligament.extensions.humanoid.bones import BONES
from ligament.rig import compiled
from ligament.rig.compiled import DeferredLoops
from ligament.rig.humanoid.skeleton import Humanoid
from ligament.rig.motion import slerp
from ligament.rig.motion.curves import Curves
from ligament.rig.retarget import retarget, retarget_many
from tests.rig.skeletons import humanoid, random_rotation, some_bones
from tests.rig.test_retarget import simple_motion

pytest.importorskip("numba")

REPOSITORY = Path(__file__).parents[2]
NEVER, ALWAYS = DeferredLoops("slerp", math.inf), DeferredLoops("slerp", 0.0)
DTYPES = (np.float32, np.float64)
seeds = st.integers(0, 2**32 - 1)


def _both(work: Any) -> tuple[Any, Any]:
    """Do some work on arrays and compiled."""
    results = []
    with pytest.MonkeyPatch.context() as patch:
        for loops in (NEVER, ALWAYS):
            patch.setattr(slerp, "LOOPS", loops)
            results.append(work())
    return results[0], results[1]


def _require_equal_bits(work: Any) -> None:
    arrays, loops = _both(work)
    assert arrays.dtype == loops.dtype
    assert np.ascontiguousarray(arrays).tobytes() == np.ascontiguousarray(loops).tobytes()


def _keys(rng: np.random.Generator, tracks: int, count: int, angle: float, dtype: Any) -> Any:
    """Return unit quaternions (T, 4, K) that turn by up to an angle from key to key."""
    axes = rng.standard_normal((tracks, count, 3))
    axes /= np.linalg.norm(axes, axis=-1, keepdims=True)
    halves = rng.uniform(0, angle / 2, (tracks, count, 1))
    steps = np.concatenate([np.sin(halves) * axes, np.cos(halves)], axis=-1)
    keys = np.empty((tracks, count, 4))
    keys[:, 0] = random_rotation(rng, tracks)
    for i in range(1, count):
        ax, ay, az, aw = keys[:, i - 1].T
        bx, by, bz, bw = steps[:, i].T
        keys[:, i] = np.stack(
            [
                aw * bx + ax * bw + ay * bz - az * by,
                aw * by - ax * bz + ay * bw + az * bx,
                aw * bz + ax * by - ay * bx + az * bw,
                aw * bw - ax * bx - ay * by - az * bz,
            ],
            axis=-1,
        )
    return keys.transpose(0, 2, 1).astype(dtype)


def _sampled(values: Any, at: Any) -> Any:
    """Sample a rotation at times counted in keys; other curves each time, as they are prepared."""
    names = tuple(map(str, range(len(values))))
    times = np.arange(values.shape[2], dtype=float)
    return Curves(names, times, values, is_rotation=True).sample(at)


@given(
    seed=seeds,
    tracks=st.integers(1, 70),
    count=st.integers(2, 12),
    angle=st.sampled_from([0.0, 1e-9, 0.01, 0.3, 0.7, 1.5, 3.0, math.pi, 6.2]),
    dtype=st.sampled_from(DTYPES),
    small=st.booleans(),
)
def test_bits_are_those_of_arrays(
    seed: int, tracks: int, count: int, angle: float, dtype: Any, small: bool
) -> None:
    """Any angles and signs of keys, times in any order and beyond the ends, blocks of any size."""
    rng = np.random.default_rng(seed)
    values = _keys(rng, tracks, count, angle, dtype)
    values *= rng.choice([-1, 1], (tracks, 1, count)).astype(dtype)
    at = rng.uniform(-1, count, 40)
    at[:5] = rng.integers(0, count, 5)
    with pytest.MonkeyPatch.context() as patch:
        if small:
            patch.setattr(slerp, "BLOCK", int(rng.integers(1, 40 * tracks * 8)))
        _require_equal_bits(lambda: _sampled(values, at))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("away", [0.0, 1e-16, 1e-12, 1e-8, 1e-4, 1e-2])
@pytest.mark.parametrize("turn", [0.0, math.pi / 2, math.pi, 2 * math.pi])
def test_equal_opposite_and_perpendicular_keys(turn: float, away: float, dtype: Any) -> None:
    """Quaternions that are equal, perpendicular (a half turn), antipodal, and nearly so."""
    half = np.array([0.0, turn, turn + away, turn - away, 2 * turn + away]) / 2
    still = np.zeros_like(half)
    values = np.stack([still, np.sin(half), still, np.cos(half)])[None].astype(dtype)
    values = np.concatenate([values, -values[:, ::-1], np.roll(values, 1, axis=2)])
    _require_equal_bits(lambda: _sampled(values, np.linspace(-0.5, 4.5, 101)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("has_all", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_retargeted_motion_has_the_same_bits(seed: int, has_all: bool, dtype: Any) -> None:
    rng = np.random.default_rng(seed)
    motion = simple_motion(some_bones(rng), seed=seed).map(lambda a: a.astype(dtype))
    bones = motion.bones if has_all else BONES
    avatars = [Humanoid(humanoid(bones, rng=rng, between=0.3)) for _ in range(2)]
    at = np.sort(rng.uniform(-0.1, 0.3, 60))
    _require_equal_bits(lambda: retarget(motion.map(np.copy), avatars[0], at).rotation)
    for i in range(2):
        _require_equal_bits(
            lambda i=i: retarget_many([motion.map(np.copy)], avatars, at)[0][i].rotation
        )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_non_finite_keys_spread_no_further_than_on_arrays(bad: float, dtype: Any) -> None:
    values = _keys(np.random.default_rng(0), 9, 8, 0.3, dtype)
    values[4, 2, 3] = bad
    with np.errstate(invalid="ignore"):
        arrays, loops = _both(lambda: _sampled(values, np.linspace(0, 7, 57)))
    np.testing.assert_array_equal(np.isfinite(loops), np.isfinite(arrays))
    others = np.delete(loops, 4, axis=0)
    assert np.isfinite(others).all()
    np.testing.assert_array_equal(others, np.delete(arrays, 4, axis=0))


def test_keys_that_may_not_be_written_are_read() -> None:
    """A single track is contiguous as it is, so that its keys are not copied."""
    values = _keys(np.random.default_rng(1), 1, 6, 0.3, np.float64)
    values = np.ascontiguousarray(values)
    values.flags.writeable = False
    _require_equal_bits(lambda: _sampled(values, np.linspace(0, 5, 21)))


@pytest.mark.parametrize("dtype", ["float16", "longdouble", np.dtype(float).newbyteorder()])
def test_other_dtypes_stay_on_arrays(dtype: Any) -> None:
    values = _keys(np.random.default_rng(2), 3, 6, 0.3, np.float64).astype(dtype)
    _require_equal_bits(lambda: _sampled(values, np.linspace(0, 5, 21)))


# --- when they are loaded ---


def test_loops_are_loaded_when_work_has_added_up() -> None:
    loops = DeferredLoops("slerp", 1.0)
    assert [loops.after(0.4) is not None for _ in range(4)] == [False, False, True, True]
    assert loops.after(0.0) is loops.load()


def test_long_work_is_done_in_compiled_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    values = _keys(np.random.default_rng(3), 20, 50, 0.1, np.float64)
    at = np.linspace(0, 49, 1000)
    loops = DeferredLoops("slerp", 2.5 * 1000 * 20 * 4 * 8 * slerp.BYTE_SECONDS)
    monkeypatch.setattr(slerp, "LOOPS", loops)
    _sampled(values, at)
    assert loops._loops is None
    _sampled(values, at)
    _sampled(values, at)
    assert loops._loops is not None


def test_without_numba_arrays_do_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "works", lambda: False)
    assert DeferredLoops("slerp", 0.0).after(1.0) is None


def test_a_numba_that_cannot_be_imported_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tries = []

    def fail(name: str) -> Any:
        tries.append(name)
        raise ImportError("Numba needs NumPy 2.1 or less")

    monkeypatch.setattr(compiled, "import_module", fail)
    monkeypatch.setattr(compiled, "works", cache(compiled.works.__wrapped__))
    loops = DeferredLoops("slerp", 0.0)
    assert loops.after(1.0) is loops.after(1.0) is None
    assert tries == ["numba"]


SCRIPT = """
import sys
import numpy as np
from ligament.extensions.humanoid.bones import REQUIRED
from ligament.rig.humanoid.skeleton import Humanoid
from ligament.rig.motion import slerp
from ligament.rig.motion.load import load_motion
from ligament.rig.retarget import retarget
from tests.rig.motions import motion
from tests.rig.skeletons import humanoid
retarget(load_motion(motion()), Humanoid(humanoid(REQUIRED)), np.linspace(0, 1, 1000))
print("numba" in sys.modules, slerp.LOOPS.after(1.0) is not None)
"""


@pytest.mark.parametrize(("setting", "is_used"), [("0", True), ("1", False)])
def test_only_long_motions_load_numba(setting: str, is_used: bool) -> None:
    """And none do where `NUMBA_DISABLE_JIT` has it interpret, which would take minutes."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), "NUMBA_DISABLE_JIT": setting},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["False", str(is_used)]

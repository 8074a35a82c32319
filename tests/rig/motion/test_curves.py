"""Curves: sampled exactly as glTF says, many at once, at any times."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ligament import transforms as tf
from ligament.gltf.animation import Track, sample
from ligament.rig.motion import slerp
from ligament.rig.motion.curves import Curves, Keys, grouped, union
from tests.rig.skeletons import random_rotation, wiggle

seeds = st.integers(0, 2**32 - 1)
KINDS = ("LINEAR", "STEP", "CUBICSPLINE")


def degrees(a: Any, b: Any) -> float:
    return float(np.degrees(tf.angle_between(a, b)).max())


def of_track(track: Track, name: str = "x") -> Keys:
    return Keys(name, track.times, track.values, track.interpolation)


@given(seeds, st.sampled_from(KINDS), st.integers(1, 6))
def test_rotations_are_those_of_gltf(seed: int, kind: Any, keys: int) -> None:
    rng = np.random.default_rng(seed)
    times = np.cumsum(rng.uniform(0.01, 1, keys))
    tracks = [wiggle(rng, 0, times, interpolation=kind) for _ in range(3)]
    (curves,) = grouped([of_track(t, str(i)) for i, t in enumerate(tracks)], is_rotation=True)
    at = np.concatenate([rng.uniform(-1, times[-1] + 1, 20), times])
    values = curves.sample(at)
    assert values.shape == (3, 4, len(at))
    for row, track in zip(values, tracks, strict=True):
        assert degrees(row.T, tf.normalize(sample(track, at))) < 1e-9


@given(seeds, st.sampled_from(KINDS), st.integers(1, 6))
def test_places_are_those_of_gltf(seed: int, kind: Any, keys: int) -> None:
    rng = np.random.default_rng(seed)
    times = np.cumsum(rng.uniform(0.01, 1, keys))
    shape = (keys, 3, 3) if kind == "CUBICSPLINE" else (keys, 3)
    track = Track(0, "translation", times, rng.standard_normal(shape), kind)
    (curves,) = grouped([of_track(track)], is_rotation=False)
    at = rng.uniform(-1, times[-1] + 1, 20)
    np.testing.assert_allclose(curves.sample(at)[0].T, sample(track, at), atol=1e-12)
    np.testing.assert_array_equal(curves.sample(times)[0].T, sample(track, times))


@given(seeds)
def test_rotation_keys_are_slerp(seed: int) -> None:
    """Also between keys that are equal, opposite in sign, close, or half a turn apart."""
    rng = np.random.default_rng(seed)
    a = random_rotation(rng)
    close = tf.normalize(a + 1e-9 * rng.standard_normal(4))
    half = tf.multiply(a, [1.0, 0, 0, 0])
    keys = np.stack([a, a, -a, close, half, random_rotation(rng)])
    share = rng.uniform(0, 1, 5)
    # In float32 it is left to rounding which way half a turn goes.
    for dtype, tolerance, count in ((np.float64, 2e-15, 5), (np.float32, 1e-6, 3)):
        values = np.ascontiguousarray(keys.T[None]).astype(dtype)
        made = slerp.prepare(values)
        result = slerp.interpolate(made, np.arange(5), share)[..., 0].T
        assert result.dtype == dtype
        expected = tf.slerp(keys[:-1], keys[1:], share)
        np.testing.assert_allclose(result[:count], expected[:count], atol=tolerance)
        start = slerp.interpolate(made, np.arange(5), np.zeros(5))[..., 0].T
        np.testing.assert_array_equal(start, values[0].T[:-1])


def test_exactly_half_a_turn_goes_towards_the_key_as_given() -> None:
    keys = np.array([[0, 0, 0, -1.0], [1, 0, 0, 0], [-0.0, -1, 0, -0.0]])
    values = np.ascontiguousarray(keys.T[None])
    result = slerp.interpolate(slerp.prepare(values), np.arange(2), np.array([0.5, 0.5]))
    np.testing.assert_allclose(result[..., 0].T, tf.slerp(keys[:-1], keys[1:], 0.5), atol=1e-15)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("largest", [1e-9, 0.01, 0.1, 0.5, np.pi / 2])
def test_angles_of_any_size_are_followed_to_rounding(dtype: Any, largest: float) -> None:
    """About one axis the rotation is known: few powers for a small angle are as good as many."""
    turn, share = np.linspace(0, largest, 50), np.linspace(0, 1, 7)
    keys = np.zeros((50, 4, 2), dtype)
    keys[:, 3, 0] = 1
    keys[:, 0, 1], keys[:, 3, 1] = np.sin(turn), np.cos(turn)
    result = slerp.interpolate(slerp.prepare(keys), np.zeros(7, int), share)
    exact = np.outer(share, turn)
    tolerance = 4 * np.finfo(dtype).eps  # keys, weights and products are all rounded
    np.testing.assert_allclose(result[3], np.cos(exact), atol=tolerance)
    np.testing.assert_allclose(result[0], np.sin(exact), atol=tolerance)
    np.testing.assert_array_equal(result[1:3], 0)


def test_a_track_that_is_not_a_number_spoils_no_other() -> None:
    keys = random_rotation(np.random.default_rng(0), 3, 5).transpose(0, 2, 1)
    left, share = np.arange(4), np.full(4, 0.3)
    whole = slerp.interpolate(slerp.prepare(keys), left, share)
    keys[1] = np.nan
    spoilt = slerp.interpolate(slerp.prepare(keys), left, share)
    assert np.isnan(spoilt[..., 1]).all()
    np.testing.assert_allclose(spoilt[..., [0, 2]], whole[..., [0, 2]], atol=1e-15)


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = random_rotation(np.random.default_rng(0), 40, 300).transpose(0, 2, 1)
    at = np.linspace(0, 1, 777)
    curves = Curves(tuple(map(str, range(40))), np.linspace(0, 1, 300), keys, is_rotation=True)
    whole = curves.sample(at)
    monkeypatch.setattr(slerp, "BLOCK", 1000)
    np.testing.assert_allclose(curves.map(np.copy).sample(at), whole, atol=1e-15)


def test_keys_that_are_not_quite_unit_are_made_so() -> None:
    keys = Keys("x", np.array([0.0, 1.0]), np.array([[0, 0, 0, 2.0], [0, 0, 0.9, 0]]), "LINEAR")
    (curves,) = grouped([keys], is_rotation=True)
    np.testing.assert_allclose(np.linalg.norm(curves.values, axis=1), 1)


def test_tracks_are_joined_by_their_keys() -> None:
    rng = np.random.default_rng(0)
    a, b = np.array([0.0, 1.0]), np.array([0.0, 2.0])
    tracks = [wiggle(rng, 0, times) for times in (a, b, a.copy())]
    tracks.append(wiggle(rng, 0, a, interpolation="STEP"))
    joined = grouped([of_track(t, str(i)) for i, t in enumerate(tracks)], is_rotation=True)
    assert [curves.names for curves in joined] == [("0", "2"), ("1",), ("3",)]
    np.testing.assert_array_equal(union(joined), [0, 1, 2])
    assert union(joined[:1]) is joined[0].times
    np.testing.assert_array_equal(union([]), [0])


@pytest.mark.parametrize("kind", KINDS)
def test_keys_come_back_as_they_were(kind: Any) -> None:
    track = wiggle(np.random.default_rng(1), 0, np.array([0.0, 1.0, 3.0]), interpolation=kind)
    (curves,) = grouped([of_track(track, "x")], is_rotation=True)
    keys = curves.keys("x")
    np.testing.assert_allclose(keys.values, track.values, atol=1e-15)
    assert keys.interpolation == kind

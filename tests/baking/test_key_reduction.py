"""Key reduction keeps every frame within the tolerance and no key that is not needed."""

import numpy as np
import pytest

from ligament import transforms as tf
from ligament.baking.keys import needed_keys
from ligament.gltf.animation import Track, sample

TIMES = np.arange(241) / 60


def smooth(rng: np.random.Generator, components: int, tracks: int) -> np.ndarray:
    """Sums of slow sines: motion such as bodies make."""
    frequency = rng.uniform(0.2, 2, (3, tracks, components))
    phase = rng.uniform(0, 6, (3, tracks, components))
    waves = np.sin(TIMES[:, None, None, None] * frequency + phase)
    return waves.sum(axis=1)


@pytest.mark.parametrize("tolerance", [1e-1, 1e-3, 1e-6])
def test_sampling_the_keys_gives_every_frame_back(tolerance: float) -> None:
    values = smooth(np.random.default_rng(1), 3, 20)
    keys = needed_keys(TIMES, values, tolerance)
    for track in range(20):
        kept = keys[:, track]
        back = sample(Track(0, "translation", TIMES[kept], values[kept, track]), TIMES)
        assert np.linalg.norm(back - values[:, track], axis=1).max() <= tolerance * (1 + 1e-9)
    assert keys.mean() < {1e-1: 0.1, 1e-3: 0.6, 1e-6: 1.01}[tolerance]


def test_rotations_are_judged_by_angle_and_sampled_by_slerp() -> None:
    values = tf.exp(smooth(np.random.default_rng(2), 3, 10) * 2)
    keys = needed_keys(TIMES, values, 1e-3, is_rotation=True)
    for track in range(10):
        kept = keys[:, track]
        back = sample(Track(0, "rotation", TIMES[kept], values[kept, track]), TIMES)
        assert tf.angle_between(back, values[:, track]).max() <= 1e-3 * (1 + 1e-9)
    assert keys.mean() < 0.8


def test_straight_motion_needs_its_ends_and_still_motion_one_key() -> None:
    line = TIMES[:, None] * np.array([1.0, -2.0, 0.5])
    still = np.broadcast_to([1.0, 2.0, 3.0], line.shape)
    keys = needed_keys(TIMES, np.stack([line, still], axis=1), 1e-9)
    assert np.flatnonzero(keys[:, 0]).tolist() == [0, 240]
    assert np.flatnonzero(keys[:, 1]).tolist() == [0]


def test_a_corner_is_found() -> None:
    bent = np.maximum(TIMES - 2.0, 0)[:, None, None] * np.ones(3)
    keys = needed_keys(TIMES, bent, 1e-9)
    assert np.flatnonzero(keys[:, 0]).tolist() == [0, 120, 240]


def test_motion_that_returns_to_its_start_is_kept() -> None:
    bump = np.zeros((241, 1, 3))
    bump[100, 0, 1] = 1
    keys = needed_keys(TIMES, bump, 1e-3)
    assert np.flatnonzero(keys[:, 0]).tolist() == [0, 99, 100, 101, 240]


def test_one_frame() -> None:
    assert needed_keys(TIMES[:1], np.ones((1, 4, 3)), 1e-3).all()


def test_no_tracks() -> None:
    assert needed_keys(TIMES, np.ones((241, 0, 3)), 1e-3).shape == (241, 0)

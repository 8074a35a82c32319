"""Arrays of other libraries, many avatars at a time, and resets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ligament.rig import SpringBones
from ligament.transforms.components import on_host
from tests.rig.sprung import chain, degrees_apart, held, moved

BALL = {"node": 1, "shape": {"sphere": {"offset": [0.02, -0.15, 0.02], "radius": 0.05}}}
ROD = {"node": 0, "shape": {"capsule": {"offset": [0, 0, 0], "tail": [0, 1, 0], "radius": 0.04}}}


def _springs(**more: Any) -> SpringBones:
    settings = {"stiffness": 0.8, "gravityPower": 0.3, "hitRadius": 0.01}
    return SpringBones(chain(4, colliders=[BALL, ROD], **settings, **more))


@pytest.mark.parametrize("center", [None, 0, 2])
@pytest.mark.parametrize(
    ("library", "dtype"), [("torch", "float64"), ("torch", "float32"), ("jax", "")]
)
def test_every_library_swings_alike(library: str, dtype: str, center: int | None) -> None:
    xp = pytest.importorskip("torch" if library == "torch" else "jax.numpy")
    springs = _springs(center=center)
    pose = moved(springs, 12 if library == "jax" else 40)
    expected = springs.swing(*pose)
    kind = {"dtype": getattr(xp, dtype)} if dtype else {}
    rotation = springs.swing(*(xp.asarray(part, **kind) for part in pose))
    assert type(rotation).__module__.split(".")[0] != "numpy"
    tolerance = 1e-6 if dtype == "float64" else 0.05
    assert degrees_apart(on_host(rotation).astype(float), expected).max() < tolerance


@pytest.mark.parametrize("center", [None, 0])
def test_many_avatars_swing_as_each_does(center: int | None) -> None:
    springs = _springs(center=center)
    rotation, translation = moved(springs, 50)
    shifts = range(0, 40, 2)
    many = [(np.roll(rotation, s, axis=0), np.roll(translation, s, axis=0)) for s in shifts]
    rotations, translations = (
        np.stack(part).reshape(4, 5, *part[0].shape) for part in zip(*many, strict=True)
    )
    together = springs.swing(rotations, translations)
    assert together.shape == (4, 5, 50, 4, 4)
    for own, (turns, places) in zip(together.reshape(20, 50, 4, 4), many, strict=True):
        assert degrees_apart(own, springs.swing(turns, places)).max() < 1e-9


def test_a_run_in_parts_is_the_run() -> None:
    springs = _springs()
    rotation, translation = moved(springs, 50)
    from ligament.rig.springs.posing import Pose

    whole = springs.swing(rotation, translation)
    state, parts = None, []
    for part in (slice(0, 1), slice(1, 20), slice(20, 50)):
        own = Pose(translation[None, part], rotation[None, part], None)
        swung, state = springs.advance(state, own, 1 / 60)
        parts.append(swung[0])
    assert degrees_apart(np.concatenate(parts), whole).max() < 1e-9


@pytest.mark.parametrize("center", [None, 0, 2])
def test_a_reset_starts_anew(center: int | None) -> None:
    """From the frame that is marked on, all is as if it were the first."""
    springs = _springs(center=center)
    rotation, translation = moved(springs, 60)
    swung = springs.swing(rotation, translation, resets=np.arange(60) == 25)
    fresh = springs.swing(rotation[25:], translation[25:])
    assert degrees_apart(swung[25:], fresh).max() < 1e-9


def test_float32_is_kept() -> None:
    springs = _springs()
    pose = [part.astype(np.float32) for part in moved(springs, 30)]
    assert springs.swing(*pose).dtype == np.float32
    assert springs.solve(*pose).dtype == np.float32


def test_arrays_of_another_document_are_refused() -> None:
    springs = _springs()
    rotation, translation = held(springs, 3)
    with pytest.raises(ValueError, match="nodes|shape"):
        springs.swing(rotation[:, :3], translation[:, :3])

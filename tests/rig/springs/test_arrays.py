"""Arrays of other libraries, many avatars at a time, and resets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks.growing_files.avatars import springs_with_own_colliders
from ligament.gltf.document import Document
from ligament.rig import SpringBones
from ligament.rig.springs import collisions
from ligament.rig.springs.posing import Pose
from ligament.transforms.components import on_host
from tests.rig.sprung import chain, degrees_apart, held, moved

BALL = {"node": 1, "shape": {"sphere": {"offset": [0.02, -0.15, 0.02], "radius": 0.05}}}
ROD = {"node": 0, "shape": {"capsule": {"offset": [0, 0, 0], "tail": [0, 1, 0], "radius": 0.04}}}


def _springs(**more: Any) -> SpringBones:
    settings = {"stiffness": 0.8, "gravityPower": 0.3, "hitRadius": 0.01}
    return SpringBones(chain(4, colliders=[BALL, ROD], **settings, **more))


@pytest.mark.parametrize("center", [None, 0, 2])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_torch_swings_alike(dtype: str, center: int | None) -> None:
    torch = pytest.importorskip("torch")
    springs = _springs(center=center)
    pose = moved(springs, 30)
    given = (torch.asarray(part, dtype=getattr(torch, dtype)) for part in pose)
    rotation = springs.swing(*given)
    assert rotation.dtype == getattr(torch, dtype)
    tolerance = 1e-6 if dtype == "float64" else 0.05
    assert degrees_apart(on_host(rotation).astype(float), springs.swing(*pose)).max() < tolerance


def test_jax_traces_the_swing() -> None:
    jax = pytest.importorskip("jax")
    springs = SpringBones(chain(2, colliders=[ROD], stiffness=0.8, gravityPower=0.3))
    pose = moved(springs, 2)
    rotation = jax.jit(springs.swing)(*map(jax.numpy.asarray, pose))
    assert degrees_apart(np.asarray(rotation, float), springs.swing(*pose)).max() < 0.05


@pytest.mark.parametrize("center", [None, 0])
def test_many_avatars_swing_as_each_does(center: int | None) -> None:
    springs = _springs(center=center)
    turns, places = (
        np.stack([np.roll(part, 5 * i, axis=0) for i in range(6)]) for part in moved(springs, 30)
    )
    whole = (part.reshape(2, 3, *part.shape[1:]) for part in (turns, places))
    together = springs.swing(*whole)
    assert together.shape == (2, 3, 30, 4, 4)
    for i, own in enumerate(together.reshape(6, 30, 4, 4)):
        assert degrees_apart(own, springs.swing(turns[i], places[i])).max() < 1e-9


def test_a_run_in_parts_is_the_run() -> None:
    springs = _springs()
    rotation, translation = moved(springs, 50)
    whole = springs.swing(rotation, translation)
    state, parts = None, []
    for part in (slice(0, 1), slice(1, 20), slice(20, 50)):
        own = Pose(translation[None, part], rotation[None, part], None)
        swung, state = springs.advance(state, own, 1 / 60)
        parts.append(swung[0])
    assert degrees_apart(np.concatenate(parts), whole).max() < 1e-9


@pytest.mark.parametrize("center", [None, 0, 2])
def test_a_reset_starts_again(center: int | None) -> None:
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
    with pytest.raises(ValueError, match="it must be"):
        springs.swing(rotation[:, :3], translation[:, :3])


def test_springs_with_colliders_of_their_own_are_asked_in_blocks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Tables of joints and colliders do not grow with the square, and nothing swings otherwise."""
    root = springs_with_own_colliders(300)
    poses, swung = None, []
    for most in (16, 256, 10_000):
        monkeypatch.setattr(collisions, "MOST", most)
        springs = SpringBones(Document(root))
        poses = poses or moved(springs, 4)
        swung.append(springs.swing(*poses))
        steps = springs._plan.collisions
        assert max(step.reach.shape[1] for step in steps) == min(most, 300)
        assert sum(step.reach.size for step in steps) <= 300 * most
        assert sorted(joint for step in steps for joint in step.joints) == [*range(300)]
    assert degrees_apart(swung[0][-1], springs.tree.rotation[springs.nodes]).max() > 1
    np.testing.assert_array_equal(swung[0], swung[2])
    np.testing.assert_array_equal(swung[1], swung[2])

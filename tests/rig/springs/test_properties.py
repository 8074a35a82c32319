"""Properties of all spring bones: rest, lengths, energy, rates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ligament import transforms as tf
from ligament.gltf.document import Document
from ligament.rig import SpringBones
from ligament.rig.springs import chains
from tests.rig.sprung import chain, degrees_apart, ends, held, moved

BALL = {"node": 1, "shape": {"sphere": {"offset": [0.0, -0.15, 0.02], "radius": 0.04}}}


@pytest.mark.parametrize("drag", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("stiffness", [0.0, 1.0, 4.0])
def test_rest_stays_rest(stiffness: float, drag: float) -> None:
    document = chain(6, step=(0.03, -0.09, 0.02), stiffness=stiffness, dragForce=drag)
    springs = SpringBones(document)
    rotation, translation = held(springs, 600)
    rotation = springs.solve(rotation, translation)
    assert np.abs(rotation - springs.tree.rotation).max() < 1e-9


def test_rest_stays_rest_in_a_pose_that_is_held() -> None:
    springs = SpringBones(chain(5, stiffness=1.0, dragForce=0.2))
    rotation, translation = held(springs, 200)
    rotation[:, 1] = tf.from_axis_angle([1.0, 2.0, 3.0], 1.2)
    translation[:, 0] = [5.0, -3.0, 2.0]
    swung = springs.solve(rotation, translation)
    assert np.abs(swung - rotation).max() < 1e-9


@pytest.mark.parametrize("colliders", [None, [BALL]])
def test_bones_keep_their_lengths(colliders: list[dict[str, Any]] | None) -> None:
    """Heads are where the tails of the bones above them are, at the distances of rest."""
    springs = SpringBones(
        chain(5, stiffness=0.5, gravityPower=0.3, hitRadius=0.02, colliders=colliders)
    )
    rotation, translation = moved(springs, 120)
    rotation = springs.solve(rotation, translation)
    assert degrees_apart(rotation[:, 2], springs.tree.rotation[2]).max() > 5
    place = ends(springs, rotation, translation)[:, 2:]
    lengths = np.linalg.norm(np.diff(place, axis=1), axis=-1)
    assert np.abs(lengths - 0.1).max() < 1e-12
    assert np.abs(np.linalg.norm(rotation, axis=-1) - 1).max() < 1e-12


def test_energy_never_grows_with_drag() -> None:
    """Of a bone on a still head, after a push: half of v² less what pulls times the tail."""
    rng = np.random.default_rng(3)
    for drag in (0.01, 0.1, 0.4, 0.9, 1.0):
        stiffness, power = rng.uniform(0, 4, 2)
        springs = SpringBones(
            chain(
                1,
                stiffness=stiffness,
                gravityPower=power,
                gravityDir=[0.8, -0.6, 0],
                dragForce=drag,
            )
        )
        rotation, translation = held(springs, 200)
        push = np.linspace(0, 2, 10)
        rotation[:10, 1] = tf.from_axis_angle(rng.standard_normal(3), push)
        translation[10:] = translation[10]
        rotation[10:] = rotation[9]
        swung = springs.solve(rotation, translation)
        tail = ends(springs, swung, translation)[10:, 3]
        rest = tf.rotate(rotation[9, 1], np.array([0.0, -1.0, 0.0]))
        pull = (stiffness * rest + power * np.array([0.8, -0.6, 0.0])) / 60
        step = np.diff(tail, axis=0)
        energy = 0.5 * (step**2).sum(axis=-1) - tail[1:] @ pull
        assert np.diff(energy).max() < 1e-15


def _rates(document: Document, mode: str, seconds: float = 3.0) -> dict[int, Any]:
    springs = SpringBones(document)
    found = {}
    for rate in (30, 60, 144):
        rotation, translation = moved(springs, round(seconds * rate) + 1, rate)
        swung = springs.swing(rotation, translation, rate=rate, mode=mode)  # type: ignore[arg-type]
        found[rate] = swung[:: rate // 6]
    return found


@pytest.mark.parametrize("colliders", [None, [BALL]])
def test_the_steady_mode_is_the_same_at_all_rates(colliders: list[dict[str, Any]] | None) -> None:
    document = chain(
        4, stiffness=1.2, gravityPower=0.2, dragForce=0.3, hitRadius=0.02, colliders=colliders
    )
    steady = _rates(document, "steady")
    assert max(degrees_apart(steady[r], steady[60]).max() for r in (30, 144)) < 1.0
    reference = _rates(document, "reference")
    assert max(degrees_apart(reference[r], reference[60]).max() for r in (30, 144)) > 3.0


def test_the_steady_mode_is_the_reference_at_60_frames() -> None:
    springs = SpringBones(chain(4, stiffness=1.0))
    pose = moved(springs, 100)
    same = springs.swing(*pose, mode="steady") == springs.swing(*pose)
    assert same.all()


@pytest.mark.parametrize("frames", [0, 1, 3, 12, 13])
def test_frames_do_not_depend_on_how_many_follow(frames: int) -> None:
    """Levels are updated in waves: fewer frames than the 12 levels of the chain, or more."""
    springs = SpringBones(chain(12, stiffness=0.5, gravityPower=0.3), compiled=False)
    pose = moved(springs, 40)
    whole, some = springs.solve(*pose), springs.solve(*(part[:frames] for part in pose))
    assert degrees_apart(whole[:, 13], springs.tree.rotation[13]).max() > 1
    assert np.array_equal(some, whole[:frames])


def test_springs_that_share_nodes_are_followed_up_to_a_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    document = chain(8)
    springs = document.json["extensions"]["VRMC_springBone"]["springs"]
    springs[:] = [{"joints": [{"node": a}, {"node": b}]} for a, b in ((4, 5), (2, 9), (3, 9))]
    shared = [finding.message for finding in SpringBones(document).findings]
    assert (
        shared == ["'Hair2' (node 4) belongs to /extensions/VRMC_springBone/springs/0 already"] * 2
    )
    monkeypatch.setattr(chains, "MOST_SHARED", 6)
    found = SpringBones(document)
    assert [finding.code for finding in found.findings] == ["SPRING_BONE_SHARED"] * 2
    assert found.findings[0].message == shared[0]
    assert (
        found.findings[1].message == "springs share more than 6 nodes, so this bone stays at rest"
    )
    assert found.nodes.tolist() == [4]

"""Single updates and rest poses by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from ligament import transforms as tf
from ligament.rig import SpringBones
from tests.rig.sprung import chain, ends, held

DOWN = np.array([0.0, -1.0, 0.0])


def _tail(document: Any, rotation: Any = None, translation: Any = None, frames: int = 2) -> Any:
    """Return where the tail of the first bone is in the last frame, seen from its head."""
    springs = SpringBones(document)
    still = held(springs, frames)
    rotation = still[0] if rotation is None else rotation
    translation = still[1] if translation is None else translation
    place = ends(springs, springs.solve(rotation, translation), translation)
    return place[-1, 3] - place[-1, 2]


def test_one_update_under_gravity() -> None:
    """From rest: n = L·unit(L·down + dt·(stiffness·down + gravity))."""
    tail = _tail(chain(1, stiffness=2.0, gravityPower=3.0, gravityDir=[1, 0, 0]))
    free = 0.1 * DOWN + (2.0 * DOWN + 3.0 * np.array([1.0, 0, 0])) / 60
    assert np.abs(tail - 0.1 * free / np.linalg.norm(free)).max() < 1e-15


@pytest.mark.parametrize("rate", [30, 60, 240])
def test_it_comes_to_rest_between_stiffness_and_gravity(rate: float) -> None:
    springs = SpringBones(chain(1, stiffness=0.5, gravityPower=1.0, gravityDir=[1, 0, 0]))
    rotation = springs.swing(*held(springs, 40 * rate), rate=rate)
    angle = tf.angle_between(rotation[-1, 0], np.array([0, 0, 0, 1.0]))
    assert math.degrees(angle) == pytest.approx(math.degrees(math.atan2(1.0, 0.5)), abs=1e-6)


def test_a_dragged_head_leaves_its_tail_behind() -> None:
    """Without stiffness, and with all motion lost, the tail goes no further than it is pulled."""
    springs = SpringBones(chain(1, stiffness=0.0, dragForce=1.0))
    rotation, translation = held(springs, 2)
    translation[1, 0] = [0.05, 0.0, 0.0]
    tail = _tail(chain(1, stiffness=0.0, dragForce=1.0), rotation, translation)
    free = np.array([-0.05, -0.1, 0.0])
    assert np.abs(tail - 0.1 * free / np.linalg.norm(free)).max() < 1e-15


def test_with_a_center_its_motion_makes_no_inertia() -> None:
    """The avatar that carries the center moves; the tail moves along as if nothing had happened."""
    document = chain(3, stiffness=1.0, dragForce=0.0, center=0)
    springs = SpringBones(document)
    rotation, translation = held(springs, 100)
    translation[:, 0, 0] = np.sin(np.arange(100))
    swung = springs.solve(rotation, translation)
    assert np.abs(swung - rotation).max() < 1e-9


def _extended(shape: dict[str, Any]) -> dict[str, Any]:
    plain = {"sphere": {"offset": [0, -10000, 0], "radius": 0}}
    extension = {"VRMC_springBone_extended_collider": {"specVersion": "1.0", "shape": shape}}
    return {"node": 1, "shape": plain, "extensions": extension}


FALLING = {"step": (0.1, 0, 0), "stiffness": 0.1, "gravityPower": 4.0, "hitRadius": 0.01}
FALLEN = np.array([0.1 + 0.1 / 60, -4.0 / 60, 0.0])
"""Where the tail of a level bone would be after one update, had it no length."""


def _at_length(point: Any) -> Any:
    return 0.1 * point / np.linalg.norm(point)


def test_a_plane_pushes_along_its_normal() -> None:
    """Out by as much as the tail is in, its radius included; then the length is restored."""
    collider = _extended({"plane": {"offset": [0, -0.03, 0], "normal": [0, 1, 0]}})
    tail = _at_length(FALLEN)
    tail[1] = -0.03 + 0.01
    assert np.abs(_tail(chain(1, colliders=[collider], **FALLING)) - _at_length(tail)).max() < 1e-15


def test_a_sphere_may_hold_the_tail_inside() -> None:
    """Its radius counts from the inside."""
    center = np.array([0.05, 0.02, 0.0])
    shape = {"sphere": {"offset": center.tolist(), "radius": 0.07, "inside": True}}
    offset = _at_length(FALLEN) - center
    tail = center + (0.07 - 0.01) * offset / np.linalg.norm(offset)
    document = chain(1, colliders=[_extended(shape)], **FALLING)
    assert np.abs(_tail(document) - _at_length(tail)).max() < 1e-15


@pytest.mark.parametrize("kind", ["sphere", "capsule"])
def test_a_sphere_or_a_capsule_pushes_the_tail_out(kind: str) -> None:
    """Both radii together; a capsule pushes from the nearest point of its axis."""
    center = np.array([0.07, -0.09, 0.0])
    shape: dict[str, Any] = {"sphere": {"offset": center.tolist(), "radius": 0.05}}
    if kind == "capsule":
        start, end = (center + np.array([0.0, 0.0, z]) for z in (-1.0, 1.0))
        ends_ = {"offset": start.tolist(), "tail": end.tolist()}
        shape = {"capsule": {**ends_, "radius": 0.05}}
    offset = _at_length(FALLEN) - center
    tail = center + (0.05 + 0.01) * offset / np.linalg.norm(offset)
    document = chain(1, colliders=[{"node": 1, "shape": shape}], **FALLING)
    assert np.abs(_tail(document) - _at_length(tail)).max() < 1e-15


def test_a_tail_in_the_centre_of_a_sphere_is_not_pushed() -> None:
    collider = {"node": 1, "shape": {"sphere": {"offset": [0.0, -0.1, 0.0], "radius": 0.05}}}
    assert np.abs(_tail(chain(1, colliders=[collider]), frames=50) - 0.1 * DOWN).max() < 1e-12


def test_colliders_push_in_the_order_of_the_file() -> None:
    """One pass: what the second pushes back into the first stays there."""
    first = {"node": 1, "shape": {"sphere": {"offset": [-0.02, -0.1, 0.0], "radius": 0.06}}}
    second = {"node": 1, "shape": {"sphere": {"offset": [0.06, -0.08, 0.0], "radius": 0.06}}}
    places = [
        _tail(chain(1, colliders=list(order))) for order in ((first, second), (second, first))
    ]
    assert np.linalg.norm(places[0] - places[1]) > 0.01
    for place, last in zip(places, (second, first), strict=True):
        offset = last["shape"]["sphere"]["offset"]  # type: ignore[index]
        assert np.linalg.norm(place - offset) > 0.05


@pytest.mark.parametrize(
    ("limit", "most"),
    [
        ({"cone": {"angle": 0.3}}, 0.3),
        ({"hinge": {"angle": 0.2}}, 0.2),
        ({"spherical": {"pitch": 0.4, "yaw": 0.1}}, 0.4),
    ],
)
def test_limits_bound_the_swing(limit: dict[str, Any], most: float) -> None:
    document = chain(1, stiffness=0.1, gravityPower=3.0, gravityDir=[0, 0, 1])
    joint = document.json["extensions"]["VRMC_springBone"]["springs"][0]["joints"][0]
    joint["extensions"] = {"VRMC_springBone_limit": {"specVersion": "1.0-draft", "limit": limit}}
    springs = SpringBones(document)
    assert {found.code for found in springs.findings} == {"SPRING_BONE_LIMIT_DRAFT"}
    rotation = springs.swing(*held(springs, 200))
    angles = tf.angle_between(rotation[:, 0], np.array([0, 0, 0, 1.0]))
    assert angles.max() == pytest.approx(most, abs=1e-9)


def test_a_bone_is_as_long_as_its_scale_makes_it_when_it_is_reset() -> None:
    springs = SpringBones(chain(1, stiffness=0.5, gravityPower=1.0))
    rotation, translation = held(springs, 30)
    scale = np.ones_like(translation)
    scale[10:, 0] = 2.0
    resets = np.arange(30) == 10
    swung = springs.solve(rotation, translation, scale, resets=resets)
    assert np.abs(swung - rotation).max() < 1e-9

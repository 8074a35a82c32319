"""Feet that stand still in the source stand still on avatars of other proportions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from ligament import transforms as tf
from ligament.errors import ContentError
from ligament.extensions.humanoid.bones import BONES
from ligament.gltf.animation import Track
from ligament.rig.contacts import find_stances, keep_contacts
from ligament.rig.humanoid.skeleton import Humanoid
from ligament.rig.motion.load import load_motion
from ligament.rig.motion.motion import Motion
from ligament.rig.retarget import Pose, retarget
from tests.rig.skeletons import animate, humanoid, posed, t_pose
from tests.sampling import sample

RATE, STRIDE, PERIOD, STAND = 60.0, 0.9, 1.1, 0.6
"""Frames per second; length [m] and time [s] of a double step; share in which a foot stands."""

BODY = [bone for bone in BONES if not bone.endswith(("Eye", "jaw")) and "Thumb" not in bone]
BODY = [b for b in BODY if not b.endswith(("Proximal", "Intermediate", "Distal"))]


def about_x(angle: Any) -> np.ndarray:
    return tf.from_axis_angle(np.array([1.0, 0, 0]), np.asarray(angle, float))


def ankle_path(times: np.ndarray, phase: float) -> np.ndarray:
    """Positions (F, 2) along the way and upwards of an ankle that stands and swings."""
    turn = times / PERIOD + phase
    round_, share = np.floor(turn), turn % 1.0
    swing = np.clip((share - STAND) / (1 - STAND), 0, 1)
    eased = swing * swing * (3 - 2 * swing)
    along = (round_ + eased - phase + STAND / 2) * STRIDE
    return np.stack([along, 0.1 + 0.12 * np.sin(np.pi * swing) ** 2], axis=1)


def walk() -> Motion:
    """A walk whose ankles stand exactly still, with legs solved in the plane."""
    document = humanoid(BODY, dialect="VRMC_vrm_animation")
    nodes = {b: i for i, b in enumerate(b for b in BONES if b in set(BODY))}
    places = t_pose()
    times = np.arange(0, 2.5 * PERIOD, 1 / RATE)
    hips = np.zeros((len(times), 3))
    hips[:, 1] = 0.93 + 0.015 * np.cos(4 * np.pi * times / PERIOD)
    hips[:, 2] = STRIDE * times / PERIOD
    tracks = [Track(0, "translation", times, hips)]
    for side, phase in (("left", 0.0), ("right", 0.5)):
        upper = hips[:, [2, 1]] - [0, 0.05]
        way = ankle_path(times, phase) - upper
        thigh = places[f"{side}UpperLeg"][1] - places[f"{side}LowerLeg"][1]
        shin = places[f"{side}LowerLeg"][1] - places[f"{side}Foot"][1]
        far = np.hypot(*way.T)
        assert far.max() < thigh + shin
        lean = np.arctan2(-way[:, 0], -way[:, 1])
        inner = np.arccos((thigh**2 + far**2 - shin**2) / (2 * thigh * far))
        knee = math.pi - np.arccos((thigh**2 + shin**2 - far**2) / (2 * thigh * shin))
        for bone, angle in (
            ("UpperLeg", lean - inner),
            ("LowerLeg", knee),
            ("Foot", -(lean - inner) - knee),
        ):
            tracks.append(Track(nodes[f"{side}{bone}"], "rotation", times, about_x(angle)))
    return load_motion(animate(document, tracks, name="walk"))


def avatars() -> list[Humanoid]:
    """Twenty bodies: short and long legs, thighs and shins of other shares, wide and narrow."""
    rng = np.random.default_rng(4)
    result = []
    for _ in range(20):
        places = {bone: place.copy() for bone, place in t_pose().items() if bone in BODY}
        thigh, shin, width = rng.uniform(0.55, 1.6), rng.uniform(0.55, 1.6), rng.uniform(0.6, 1.8)
        rise = 0.45 * thigh + 0.4 * shin - 0.85
        for bone, place in places.items():
            if bone.endswith(("UpperLeg", "LowerLeg", "Foot", "Toes")):
                place[0] *= width
            if bone.endswith("LowerLeg"):
                place[1] = 0.1 + 0.4 * shin
            elif not bone.endswith(("Foot", "Toes")):
                place[1] += rise
        size = rng.uniform(0.5, 1.4)
        result.append(posed({bone: place * size for bone, place in places.items()}))
    return result


def positions(pose: Pose, avatar: Humanoid) -> dict[str, np.ndarray]:
    """World positions (F, 3) of the bones."""
    frames = len(pose.times)
    rotation = np.repeat(avatar.tree.rotation[None], frames, axis=0)
    translation = np.repeat(avatar.tree.translation[None], frames, axis=0)
    rotation[:, pose.nodes] = pose.rotation
    translation[:, pose.nodes[0]] = pose.hips_translation
    world = avatar.tree.world_matrices(translation, rotation)[..., :3, 3]
    return {bone: world[:, node] for bone, node in zip(pose.bones, pose.nodes, strict=True)}


def sliding(pose: Pose, avatar: Humanoid, motion: Motion) -> float:
    """The furthest that a foot goes within a stance [m]."""
    places = positions(pose, avatar)
    return max(
        float(np.linalg.norm(np.ptp(places[f"{side}Foot"][start:stop], axis=0)))
        for side, stances in find_stances(motion, pose.times).items()
        for start, stop, _ in stances
    )


def speeds(pose: Pose, avatar: Humanoid) -> dict[str, float]:
    """The largest angular speed of each joint [rad/s]."""
    turned = np.asarray(avatar.to_normalized(pose.rotation))
    change = tf.angle_between(turned[1:], turned[:-1]) * RATE
    return dict(zip(pose.bones, change.max(axis=0).tolist(), strict=True))


WALK = walk()
FOLK = avatars()


def test_stances_are_found() -> None:
    stances = find_stances(WALK, WALK.times)
    assert {len(found) for found in stances.values()} == {3}
    longest = max(stop - start for found in stances.values() for start, stop, _ in found) / RATE
    assert longest == pytest.approx(STAND * PERIOD, abs=0.12)


@pytest.mark.parametrize("who", sample(range(20), 6))
def test_feet_that_stand_still_stand_still_on_the_target(who: int) -> None:
    """Under 5 mm over a stance, and no joint twice as fast as in the source."""
    avatar = FOLK[who]
    plain = retarget(WALK, avatar)
    kept = keep_contacts(plain, WALK, avatar)
    assert sliding(kept, avatar, WALK) < 0.005
    source = speeds(retarget(WALK, Humanoid(humanoid(BODY))), Humanoid(humanoid(BODY)))
    for bone, speed in speeds(kept, avatar).items():
        assert speed <= 2 * max(source[bone], 0.5), bone


def test_without_it_they_slide() -> None:
    assert max(sliding(retarget(WALK, a), a, WALK) for a in FOLK) > 0.02


def test_planted_feet_are_left_unchanged() -> None:
    avatar = Humanoid(humanoid(BODY))
    plain = retarget(WALK, avatar)
    kept = keep_contacts(plain, WALK, avatar)
    assert tf.angle_between(np.asarray(plain.rotation), np.asarray(kept.rotation)).max() < 1e-3


def test_the_rest_of_the_body_and_the_soles_keep_their_rotation() -> None:
    avatar = FOLK[3]
    plain, kept = retarget(WALK, avatar), None
    kept = keep_contacts(plain, WALK, avatar)
    for i, bone in enumerate(avatar.bones):
        if "Leg" not in bone and "Foot" not in bone:
            np.testing.assert_allclose(kept.rotation[:, i], plain.rotation[:, i], atol=1e-9)


def test_a_motion_without_a_path_has_no_contacts() -> None:
    motion = Motion(name="x", rotations=WALK.rotations, hips_rest=np.zeros(3), hips_height=1.0)
    with pytest.raises(ContentError, match="no path"):
        find_stances(motion, WALK.times)

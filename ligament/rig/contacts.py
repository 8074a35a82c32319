"""Foot contacts: feet planted in the source stay planted on the target.

Contacts are detected in the source from the speed of ankles and toes. On the target each stance
gets one fixed position, the correction is blended smoothly between stances, and the legs follow by
two-bone inverse kinematics; where a leg is too short the hips sink.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Bools, Floats
from ligament.errors import ContentError
from ligament.extensions.humanoid.bones import SIDES, nearest_parent
from ligament.rig.humanoid.skeleton import TURNED, Humanoid
from ligament.rig.motion.curves import Curves
from ligament.rig.motion.edits import resampled
from ligament.rig.motion.motion import HipsPath, Motion
from ligament.rig.retarget import Pose
from ligament.transforms.components import on_host

STILL = 0.2
"""Speed below which a foot counts as planted [hip heights per second]."""

PLANTED_HEIGHT = 0.12
"""Height above its lowest position up to which a foot can be planted [hip heights]."""

SHORTEST = 0.1
"""Shortest stance [s]."""

REACH = 0.9995
"""Largest fraction of its length to which a leg is stretched."""

SINKING = 0.25
"""Time over which the hips sink before a leg would be too short [s]."""


class Stance(NamedTuple):
    """Frames from `start` up to `stop` in which a foot is planted, by toes or ankle."""

    start: int
    stop: int
    point: str


def find_stances(motion: Motion, times: Floats) -> dict[str, list[Stance]]:
    """Return side → stances of a motion at times (F,)."""
    if not motion.rest_positions or motion.hips is None:
        raise ContentError(
            f"the motion {motion.name!r} has no skeleton or no path to find contacts in",
            remedy="leave out keep_contacts",
        )
    places = _source_places(motion, times)
    height = motion.hips_height
    return {side: _stances_of(side, places, times, height) for side in SIDES}


def _source_places(motion: Motion, times: Floats) -> dict[str, Floats]:
    """Return positions (F, 3) of the bones on the source skeleton."""
    plain = resampled(motion, times)
    assert plain.hips is not None
    rotations = {bone: on_host(plain.keys(bone).values) for bone in plain.bones}
    rest = motion.rest_positions
    still = np.tile([0.0, 0.0, 0.0, 1.0], (len(times), 1))
    world: dict[str, Floats] = {}
    places: dict[str, Floats] = {}
    for bone in rest:
        parent = nearest_parent(bone, set(world))
        own = rotations.get(bone, still)
        if parent is None:
            world[bone], places[bone] = own, on_host(plain.hips.sample(times))
            continue
        world[bone] = tf.multiply(world[parent], own)
        places[bone] = places[parent] + tf.rotate(world[parent], rest[bone] - rest[parent])
    return places


def _stances_of(
    side: str, places: Mapping[str, Floats], times: Floats, height: float
) -> list[Stance]:
    points = [f"{side}{end}" for end in ("Toes", "Foot") if f"{side}{end}" in places]
    if not points or len(times) < 3:
        return []
    still = {}
    for point in points:
        place = places[point]
        speed = np.linalg.norm(np.gradient(place, times, axis=0), axis=1)
        low = place[:, 1] - place[:, 1].min() < PLANTED_HEIGHT * height
        still[point] = (speed < STILL * height) & low
    stances = []
    for start, stop in _runs(np.logical_or.reduce(list(still.values()))):
        if times[stop - 1] - times[start] < SHORTEST:
            continue
        shares = {point: float(still[point][start:stop].mean()) for point in points}
        stances.append(Stance(start, stop, max(points, key=lambda point: shares[point])))
    return stances


def _runs(flags: Bools) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(int), [0]])))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def keep_contacts(pose: Pose, motion: Motion, avatar: Humanoid) -> Pose:
    """Return a pose whose feet are planted where those of the motion are."""
    stances = find_stances(motion, pose.times)
    legs = _Legs(pose.on_host(), avatar)
    for side, found in stances.items():
        legs.plan(side, found)
    return legs.solved()


def motion_of_pose(pose: Pose, avatar: Humanoid, motion: Motion) -> Motion:
    """Return an avatar's pose as a motion, with the expressions and gaze of another."""
    pose = pose.on_host()
    legs = _Legs(pose, avatar)
    facing = TURNED if avatar.faces_back else np.ones(3)
    rotation = legs.normalized * np.append(facing, 1.0)
    values = np.ascontiguousarray(rotation.transpose(1, 2, 0))
    places = np.ascontiguousarray((legs.places["hips"] * facing).T)[None]
    return dataclasses.replace(
        resampled(motion, pose.times),
        rotations=(Curves(avatar.bones, pose.times, values, "LINEAR", is_rotation=True),),
        hips=HipsPath(Curves(("hips",), pose.times, places)),
        hips_rest=avatar.hips_rest * facing,
        hips_height=avatar.hips_height,
    )


class _Legs:
    """The legs of an avatar in all frames: actual and target positions."""

    def __init__(self, pose: Pose, avatar: Humanoid) -> None:
        self.pose, self.avatar = pose, avatar
        self.at = {bone: i for i, bone in enumerate(avatar.bones)}
        self.normalized: Floats = np.array(avatar.to_normalized(np.asarray(pose.rotation)))
        self.world: dict[str, Floats] = {}
        self.places: dict[str, Floats] = {}
        shift = np.linalg.inv(avatar.hips_matrix)
        for i, bone in enumerate(avatar.bones):
            parent = int(avatar.parents[i])
            if parent < 0:
                self.world[bone] = self.normalized[:, i]
                offset = tf.apply_matrix(shift, np.asarray(pose.hips_translation))
                self.places[bone] = avatar.hips_rest + offset
                continue
            above = avatar.bones[parent]
            displacement = avatar.world_position[i] - avatar.world_position[parent]
            self.world[bone] = tf.multiply(self.world[above], self.normalized[:, i])
            self.places[bone] = self.places[above] + tf.rotate(self.world[above], displacement)
        self.moved: dict[str, Floats] = {}

    def plan(self, side: str, stances: list[Stance]) -> None:
        """Compute the displacement of a side's ankle in every frame (F, 3)."""
        bones = [f"{side}{bone}" for bone in ("UpperLeg", "LowerLeg", "Foot")]
        if not stances or not all(bone in self.at for bone in bones):
            return
        offset = np.zeros((len(self.pose.times), 3))
        known = np.zeros(len(offset), bool)
        for start, stop, point in stances:
            name = point if point in self.places else f"{side}Foot"
            place = self.places[name][start:stop]
            offset[start:stop] = place.mean(axis=0) - place
            known[start:stop] = True
        frames, times = np.flatnonzero(known), self.pose.times
        for before, after in itertools.pairwise(frames.tolist()):
            if after - before > 1:
                gap = slice(before + 1, after)
                share = (times[gap] - times[before]) / (times[after] - times[before])
                share = (share * share * (3 - 2 * share))[:, None]
                offset[gap] = (1 - share) * offset[before] + share * offset[after]
        offset[: frames[0]], offset[frames[-1] + 1 :] = offset[frames[0]], offset[frames[-1]]
        self.moved[side] = offset

    def solved(self) -> Pose:
        """Bend the legs to their targets."""
        if not self.moved:
            return self.pose
        sink = self._sinking()
        down = np.zeros((len(sink), 3))
        down[:, 1] = -sink
        for side, offset in self.moved.items():
            self._bend(side, self.places[f"{side}Foot"] + offset, down)
        for side in SIDES:
            if side not in self.moved and sink.any() and f"{side}Foot" in self.at:
                self._bend(side, self.places[f"{side}Foot"], down)
        local = self.avatar.from_normalized(self.normalized).rotation
        shift = down @ self.avatar.hips_matrix[:3, :3].T
        translation = np.asarray(self.pose.hips_translation) + shift
        return dataclasses.replace(self.pose, rotation=local, hips_translation=translation)

    def _sinking(self) -> Floats:
        """Return how far the hips must sink (F,) [m] for all legs to reach, smoothed."""
        need = np.zeros(len(self.pose.times))
        for side, offset in self.moved.items():
            hip, knee, foot = (
                self.places[f"{side}{bone}"] for bone in ("UpperLeg", "LowerLeg", "Foot")
            )
            reach = REACH * (_length(knee - hip) + _length(foot - knee))
            displacement = hip - (foot + offset)
            level = displacement[:, 0] ** 2 + displacement[:, 2] ** 2
            high = np.sqrt(np.maximum(reach**2 - level, 0.0))
            # A leg that was already as stretched does not make the hips sink.
            before = np.maximum(_length(foot - hip) - reach, 0.0)
            need = np.maximum(need, np.maximum(displacement[:, 1] - high - before, 0.0))
        if not need.any():
            return need
        step = float(np.median(np.diff(self.pose.times))) if len(need) > 1 else 1.0
        width = max(round(SINKING / max(step, 1e-6)), 1)
        padded = np.pad(need, 2 * width, mode="edge")
        highest = np.lib.stride_tricks.sliding_window_view(padded, 2 * width + 1).max(axis=1)
        window = np.hanning(2 * width + 3)[1:-1]
        smooth: Floats = np.convolve(highest, window / window.sum(), mode="valid")
        return smooth

    def _bend(self, side: str, goal: Floats, down: Floats) -> None:
        upper, lower, foot = (f"{side}{bone}" for bone in ("UpperLeg", "LowerLeg", "Foot"))
        hip, knee, ankle = (self.places[bone] for bone in (upper, lower, foot))
        thigh, shin = _length(knee - hip), _length(ankle - knee)
        start = hip + down
        displacement = goal - start
        far = np.maximum(_length(displacement), 1e-9)
        along = displacement / far[:, None]
        most = np.maximum(thigh + shin, 1e-9) * (1 - 1e-9)
        far = np.clip(far, np.abs(thigh - shin) + 1e-9, most)
        cosine = np.clip((thigh**2 + far**2 - shin**2) / (2 * thigh * far), -1.0, 1.0)
        sine = np.sqrt(1 - cosine**2)
        pole = self._pole(upper, knee - hip, ankle - hip)
        pole = pole - along * (pole * along).sum(axis=1, keepdims=True)
        pole /= np.maximum(_length(pole), 1e-12)[:, None]
        bent = start + thigh[:, None] * (cosine[:, None] * along + sine[:, None] * pole)
        ends = start + far[:, None] * along
        self._turn(upper, knee - hip, bent - start)
        self._turn(lower, ankle - knee, ends - bent)
        self._keep(foot)

    def _pole(self, upper: str, thigh: Floats, leg: Floats) -> Floats:
        """Return the direction of the knee off the hip–ankle line; forwards if there is none."""
        along = leg / np.maximum(_length(leg), 1e-12)[:, None]
        aside: Floats = thigh - along * (thigh * along).sum(axis=1, keepdims=True)
        forward = np.array([0.0, 0.0, -1.0 if self.avatar.faces_back else 1.0])
        least = 0.01 * _length(thigh)
        share = np.maximum(least - _length(aside), 0.0)[:, None]
        pole: Floats = aside + share * tf.rotate(self.world[upper], forward)
        return pole

    def _turn(self, bone: str, before: Floats, after: Floats) -> None:
        self.world[bone] = tf.multiply(tf.between(before, after), self.world[bone])
        self._keep(bone)

    def _keep(self, bone: str) -> None:
        """Compute the local rotation of a bone from its world rotation and its parent's."""
        parent = self.avatar.bones[int(self.avatar.parents[self.at[bone]])]
        own = tf.multiply(tf.conjugate(self.world[parent]), self.world[bone])
        self.normalized[:, self.at[bone]] = own


def _length(vectors: Floats) -> Floats:
    length: Floats = np.linalg.norm(vectors, axis=-1)
    return length

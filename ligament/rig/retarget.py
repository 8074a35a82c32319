"""Retargeting: motion applied to an avatar, by rotations from rest in world axes.

The rotation of a bone that the avatar lacks is folded into its humanoid descendants, which thus
keep their world direction; a bone that the motion lacks stays at rest.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Self

import numpy as np

from ligament import transforms as tf
from ligament.arguments import checked
from ligament.arrays import Floats, Ints
from ligament.errors import ContentError
from ligament.extensions.humanoid.bones import chain
from ligament.gltf.load import AnyDocument, as_document
from ligament.options.calls import function
from ligament.options.motions import Retargeting
from ligament.options.names import HipsRule
from ligament.options.option import Option
from ligament.rig.humanoid.look_at import eye_rotations, look_weights, read_look_at
from ligament.rig.humanoid.skeleton import TURNED, Humanoid
from ligament.rig.motion import slerp
from ligament.rig.motion.curves import place
from ligament.rig.motion.edits import edited
from ligament.rig.motion.gltf_skeleton import find_humanoid
from ligament.rig.motion.load import load_motion
from ligament.rig.motion.motion import Motion, Samples
from ligament.transforms import Array
from ligament.transforms.components import cast_like, on_host
from ligament.transforms.products import apply_products


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Pose:
    """The pose of an avatar over time.

    `bones` are its bones and `nodes` (B,) their nodes; at `times` (F,) [s] they have the local
    `rotation` (F, B, 4), and the hips the local `hips_translation` (F, 3). `expressions` are
    weights (F,) in [0, 1] by name, `look_at` is yaw to the left and pitch downwards (F, 2)
    [degrees], or None. The effect of look-at on the eyes is already included in `rotation` or
    `expressions`, as the avatar defines it. In memory `rotation` is laid out by component, not by
    quaternion.
    """

    bones: tuple[str, ...]
    nodes: Ints
    times: Floats
    rotation: Array
    hips_translation: Array
    expressions: Mapping[str, Array]
    look_at: Array | None

    def __repr__(self) -> str:
        frames, bones = len(self.times), len(self.bones)
        length = f"{self.times[-1]:g} s, " if frames else ""
        extra = f", {len(self.expressions)} expressions" if self.expressions else ""
        return f"<ligament.Pose: {frames} frames, {length}{bones} bones{extra}>"

    def on_host(self) -> Self:
        """Return the same pose in NumPy arrays on the host."""
        return dataclasses.replace(
            self,
            rotation=on_host(self.rotation),
            hips_translation=on_host(self.hips_translation),
            expressions={name: on_host(weight) for name, weight in self.expressions.items()},
            look_at=None if self.look_at is None else on_host(self.look_at),
        )


@dataclasses.dataclass(frozen=True, kw_only=True)
class Posing(Retargeting):
    """How, and at which times, an avatar is posed."""

    avatar: Annotated[
        Humanoid | AnyDocument, Option("The avatar; a file as `find_humanoid` reads it")
    ] = dataclasses.field(kw_only=False)
    times: Annotated[
        Array | None,
        Option("Times (F,), by default all key times of the edited motion", unit="s"),
    ] = dataclasses.field(default=None, kw_only=False)


def _posed(motion: Motion | AnyDocument, how: Posing) -> Pose:
    """Retarget a motion to an avatar, and return its pose over time.

    Documents and paths are read by `load_motion` and `find_humanoid`. Arrays of any library are
    computed where they are. The ratio of hip heights scales the hips' displacement from rest
    ("delta"), so that rest stays rest, or their absolute position ("scaled").

    >>> pose = retarget(load_motion("dance.vrma"), Humanoid(load("avatar.vrm")), speed=0.5)
    >>> pose.rotation.shape
    (25, 21, 4)
    """
    from ligament.rig.contacts import keep_contacts

    motion = edited(motion if isinstance(motion, Motion) else load_motion(motion), how)
    avatar = how.avatar
    avatar = avatar if isinstance(avatar, Humanoid) else find_humanoid(as_document(avatar))
    pose = retarget_many([motion], [avatar], how.times, hips=how.hips)[0][0]
    return keep_contacts(pose, motion, avatar) if how.keep_contacts else pose


retarget = function(Posing, _posed, "retarget")


@checked
def retarget_many(
    motions: Sequence[Motion],
    avatars: Sequence[Humanoid],
    times: Array | None = None,
    *,
    hips: HipsRule = "delta",
) -> list[list[Pose]]:
    """Retarget every motion to every avatar: result[motion][avatar]; each is sampled once."""
    at = None if times is None else _host(times)
    if at is not None and len(avatars) == 1:
        return [[_single(motion, avatars[0], at, hips)] for motion in motions]
    poses = []
    for motion in motions:
        samples = motion.sample(motion.times if at is None else at)
        poses.append([_pose(motion, samples, avatar, hips) for avatar in avatars])
    return poses


def _single(motion: Motion, avatar: Humanoid, at: Floats, rule: HipsRule) -> Pose:
    """Return the pose of the only avatar."""
    if _can_transform_keys(motion, avatar, at):
        samples = motion.sample(at, rotations=False)
        return _pose(motion, samples, avatar, rule, _sampled_keys(motion, avatar, at))
    return _pose(motion, motion.sample(at), avatar, rule)


def _can_transform_keys(motion: Motion, avatar: Humanoid, at: Floats) -> bool:
    """Tell whether keys can be transformed before sampling and are no more than the frames.

    Spherical interpolation commutes with constant factors, not with products of tracks.
    """
    if len(motion.rotations) != 1 or motion.look_at is not None:
        return False
    (curves,) = motion.rotations
    return (
        curves.interpolation == "LINEAR"
        and tf.namespace(curves.values) is np
        and 2 <= len(curves.times) <= len(at)
        and not np.array_equal(curves.times, at)
        and bool((np.diff(at) >= 0).all())
        and max(map(len, contributions(motion, avatar))) == 1
    )


def _sampled_keys(motion: Motion, avatar: Humanoid, at: Floats) -> Array:
    """Transform the keys to the avatar's bones, then sample them (F, B, 4), block by block.

    Intermediate results stay in cache and take very little memory.
    """
    (curves,) = motion.rotations
    source = [
        curves.names.index(names[0]) if names else None for names in contributions(motion, avatar)
    ]
    matrices = applying(avatar)
    left, share, _ = place(curves.times, at)
    left = np.minimum(left, len(curves.times) - 2)
    out = np.empty((4, len(at), len(source)), curves.values.dtype)
    for frames in slerp.blocks(out):
        first, last = left[frames][0], left[frames][-1] + 2
        keys = _of_bones(curves.values[..., first:last], source)
        turned = apply_products(_frames_first(keys), matrices)
        prepared = slerp.prepare(np.moveaxis(turned, 0, -1))
        slerp.interpolate(prepared, left[frames] - first, share[frames], out, frames.start)
    return out.transpose(1, 2, 0)


def _of_bones(tracks: Array, source: list[int | None]) -> Array:
    """Return the tracks (B, 4, K) of bones, at rest if they have none; a view if possible."""
    if source == list(range(len(tracks))):
        return tracks
    keys = np.zeros((len(source), *tracks.shape[1:]), tracks.dtype)
    keys[:, 3] = 1
    moved = [bone for bone, track in enumerate(source) if track is not None]
    keys[moved] = tracks[[track for track in source if track is not None]]
    return keys


def _host(times: Array) -> Floats:
    """Move query times to the host, where key times are searched."""
    if tf.namespace(times) is not np:
        from array_api_compat import is_cupy_array, is_torch_array, to_device

        on_device = is_torch_array(times) or is_cupy_array(times)
        times = to_device(times, "cpu") if on_device else times
    at = np.atleast_1d(np.asarray(times, np.float64))
    if at.ndim != 1 or not np.isfinite(at).all():
        raise ContentError("the times are not a list of finite numbers", remedy="use seconds")
    return at


def _pose(
    motion: Motion,
    samples: Samples,
    avatar: Humanoid,
    rule: HipsRule,
    rotation: Array | None = None,
) -> Pose:
    """Return the pose of one avatar from samples, unless its rotations are given."""
    expressions, eyes = dict(samples.expressions), dict[str, Array]()
    gaze = None if samples.look_at is None else read_look_at(avatar.document)
    if gaze is not None and gaze.kind == "bone":
        rotations = eye_rotations(gaze, samples.look_at)
        eyes = {eye: rotations[eye] for eye in rotations if eye in avatar.bones}
    elif gaze is not None:
        expressions |= look_weights(gaze, samples.look_at)
    if rotation is None:
        rotation = _rotation(motion, samples, avatar, eyes)
    return Pose(
        avatar.bones,
        avatar.nodes,
        samples.times,
        rotation,
        _hips_translation(motion, samples, avatar, rule, rotation),
        expressions,
        samples.look_at,
    )


def _rotation(
    motion: Motion, samples: Samples, avatar: Humanoid, eyes: Mapping[str, Array]
) -> Array:
    """Return the local rotations (F, B, 4) of the avatar's bones."""
    normalized = _normalized(motion, samples, avatar, eyes)
    in_place = not _is_part(normalized, samples.joined)
    return apply_products(normalized, applying(avatar), in_place=in_place)


def _is_part(array: Array, whole: Array | None) -> bool:
    """Tell whether a NumPy array is a view of another; others are never modified."""
    return isinstance(whole, np.ndarray) and np.may_share_memory(array, whole)


def applying(avatar: Humanoid) -> Floats:
    """Return matrices (B, 4, 4) from normalised rotations to local ones, facing −Z if needed."""
    return avatar.applying * np.append(TURNED, 1.0) if avatar.faces_back else avatar.applying


def contributions(motion: Motion, avatar: Humanoid) -> list[list[str]]:
    """Return the tracks whose product rotates each bone of an avatar, outermost first.

    Usually that is the track of its own name; a bone that the avatar lacks adds its track to
    those below it, and a bone that the motion lacks has none.
    """
    present = frozenset(avatar.bones)
    known = {name for curves in motion.rotations for name in curves.names}
    return [
        [
            name
            for bone in chain(own, present)
            for name in motion.factors.get(bone, (bone,))
            if name in known
        ]
        for own in avatar.bones
    ]


def _normalized(
    motion: Motion, samples: Samples, avatar: Humanoid, eyes: Mapping[str, Array]
) -> Array:
    """Return the normalised rotations (F, B, 4) of the avatar's bones."""
    tracks = [
        [name for name in names if name in samples.rotations]
        for names in contributions(motion, avatar)
    ]
    joined = samples.joined
    if joined is not None and not eyes and tracks == [[n] for n in samples.rotations]:
        return _frames_first(joined)
    xp = tf.namespace(*samples.rotations.values(), *eyes.values())
    still = _still(xp, samples, eyes)
    rows = []
    for bone, names in zip(avatar.bones, tracks, strict=True):
        if bone in eyes:
            rows.append(xp.moveaxis(eyes[bone], -1, 0))
        else:
            rows.append(_product([samples.rotations[name] for name in names], still))
    return _frames_first(xp.stack(rows))


def _product(factors: list[Array], still: Array) -> Array:
    """Multiply rotations (4, F), outermost first; an empty product is the identity."""
    if len(factors) < 2:
        return factors[0] if factors else still
    xp = tf.namespace(factors[0])
    result = xp.moveaxis(factors[0], 0, -1)
    for factor in factors[1:]:
        result = tf.multiply(result, xp.moveaxis(factor, 0, -1))
    return xp.moveaxis(result, -1, 0)


def _still(xp: Any, samples: Samples, eyes: Mapping[str, Array]) -> Array:
    """Return identity rotations (4, F) in the dtype and on the device of others."""
    like = next(iter(samples.rotations.values()), None)
    if like is None:
        like = xp.moveaxis(next(iter(eyes.values())), -1, 0) if eyes else None
    if like is None:
        return np.repeat([[0.0], [0.0], [0.0], [1.0]], len(samples.times), axis=1)
    zero = xp.zeros_like(like[0, ...])
    return xp.stack([zero, zero, zero, xp.ones_like(zero)])


def _frames_first(rotation: Array) -> Array:
    """Convert (B, 4, F) to (F, B, 4), in NumPy and torch without copying."""
    return tf.namespace(rotation).moveaxis(rotation, -1, 0)


def _hips_translation(
    motion: Motion, samples: Samples, avatar: Humanoid, rule: HipsRule, like: Array
) -> Array:
    """Return the local translation (F, 3) of the hips, at rest if the motion has none."""
    place = samples.hips
    if place is None:
        return avatar.hips_translation(tf.namespace(like).zeros_like(like[:, 0, :3]))
    return tf.apply_matrix(cast_like(place, hips_matrix(motion, avatar, rule)), place)


def hips_matrix(motion: Motion, avatar: Humanoid, rule: HipsRule) -> Floats:
    """Return the matrix (4, 4) from the motion's hip positions to the avatar's translation."""
    ratio = avatar.hips_height / motion.hips_height
    facing = TURNED if avatar.faces_back else np.ones(3)
    before = -motion.hips_rest if rule == "delta" else np.zeros(3)
    after = np.zeros(3) if rule == "delta" else -avatar.hips_rest
    offset = np.eye(4)
    offset[:3, :3] = np.diag(facing * ratio)
    offset[:3, 3] = facing * ratio * before + after
    matrix: Floats = avatar.hips_matrix @ offset
    return matrix

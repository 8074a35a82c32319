"""Retargeting: reference data, and what must hold between any two skeletons."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ligament as lg
from ligament import transforms as tf
from ligament.errors import ArgumentError, ContentError, LigamentWarning
from ligament.extensions.humanoid.bones import BONES, REQUIRED, nearest_parent
from ligament.gltf.animation import Track
from ligament.gltf.document import Document
from ligament.rig.humanoid.skeleton import Humanoid
from ligament.rig.motion import slerp
from ligament.rig.motion.load import load_motion
from ligament.rig.motion.motion import Motion
from ligament.rig.retarget import retarget, retarget_many
from ligament.transforms.products import apply_products, product_matrices
from tests.rig import scalar
from tests.rig.skeletons import (
    EYES,
    animate,
    humanoid,
    random_rotation,
    some_bones,
    wiggle,
)
from tests.rig.world_rotations import turns_in_the_model, turns_of_pose
from tests.sampling import IS_SOAK

seeds = st.integers(0, 2**32 - 1)
DEGREES = 1e-7
"""Of a rotation after some forty products in float64, with a wide margin."""

GOLDEN_DEGREES = 1e-3
"""Reference rotations come from float32 keys, and near rest from an interpolation that is not
quite spherical."""

GOLDEN_METRES = 1e-5


def degrees(a: Any, b: Any) -> Any:
    return np.degrees(tf.angle_between(a, b))


# Reference data


def goldens(shared: Path) -> list[dict[str, Any]]:
    folder = shared / "golden" / "humanoid"
    names = json.loads((folder / "index.json").read_text())
    assert len(names) == 48
    return [json.loads((folder / f"{name}.json").read_text()) for name in names]


def load_pair(shared: Path, golden: dict[str, Any]) -> tuple[Motion, Humanoid]:
    folder = shared / "golden" / "humanoid"
    return load_motion(folder / golden["vrma"]), Humanoid(lg.load(folder / golden["vrm"]))


def expected_rotations(golden: dict[str, Any]) -> Any:
    """Return three-vrm's result where it follows the text, else the result of the text."""
    follows = golden["three_vrm_matches_spec_rotations"]
    source = golden["three_vrm"] if follows else golden["spec"]
    return tf.normalize(np.array(source["rotations"], float))


def test_rotations_of_all_reference_pairs(shared: Path) -> None:
    for golden in goldens(shared):
        motion, avatar = load_pair(shared, golden)
        pose = retarget(motion, avatar, golden["times"])
        assert list(pose.bones) == golden["three_vrm"]["bones"]
        # The gaze moves the eyes there, and three-vrm takes its vertical range maps crosswise.
        gazing = golden["category"] in ("face", "overshoot", "constraints")
        kept = [i for i, bone in enumerate(pose.bones) if not (gazing and bone in EYES)]
        error = degrees(pose.rotation, expected_rotations(golden))[:, kept]
        assert error.max() < GOLDEN_DEGREES, golden["id"]


def test_hips_of_all_reference_pairs_by_both_rules(shared: Path) -> None:
    for golden in goldens(shared):
        motion, avatar = load_pair(shared, golden)
        delta = retarget(motion, avatar, golden["times"]).hips_translation
        scaled = retarget(motion, avatar, golden["times"], hips="scaled").hips_translation
        expected = golden["spec"]["hips_translation_delta"]
        np.testing.assert_allclose(delta, expected, atol=GOLDEN_METRES)
        expected = golden["three_vrm"]["hips_translation"]
        np.testing.assert_allclose(scaled, expected, atol=GOLDEN_METRES)


def test_expressions_and_gaze_of_the_reference_pairs(shared: Path) -> None:
    checked = 0
    for golden in goldens(shared):
        measured = golden["three_vrm"]
        if "expressions" not in measured:
            continue
        motion, avatar = load_pair(shared, golden)
        pose = retarget(motion, avatar, golden["times"])
        weights = np.clip(np.array(measured["expression_weights"]), 0, 1)
        assert set(pose.expressions) <= set(measured["expressions"]) == set(avatar.expressions)
        for column, name in enumerate(measured["expressions"]):
            mine = pose.expressions.get(name, np.zeros(len(pose.times)))
            np.testing.assert_allclose(mine, weights[:, column], atol=1e-6)
        np.testing.assert_allclose(pose.look_at, measured["lookat_yaw_pitch_deg"], atol=2e-5)
        checked += 1
    assert checked == 9


def test_eyes_are_as_measured_once_the_range_maps_are_crossed(shared: Path) -> None:
    checked = 0
    for golden in goldens(shared):
        motion, avatar = load_pair(shared, golden)
        if motion.look_at is None:
            continue
        document = avatar.document.copy()
        look = document.json["extensions"]["VRMC_vrm"]["lookAt"]
        up, down = look["rangeMapVerticalUp"], look["rangeMapVerticalDown"]
        look["rangeMapVerticalUp"], look["rangeMapVerticalDown"] = down, up
        pose = retarget(motion, Humanoid(document), golden["times"])
        eyes = [i for i, bone in enumerate(pose.bones) if bone in EYES]
        if look["type"] == "bone" and eyes:
            error = degrees(pose.rotation, expected_rotations(golden))[:, eyes]
            assert error.max() < GOLDEN_DEGREES, golden["id"]
            checked += 1
    assert checked > 0


# Any two skeletons


def any_source(seed: int, *, share: float = 0.6) -> Document:
    """Random bones and rest pose; every node, helpers and root too, may turn, in any way."""
    rng = np.random.default_rng(seed)
    dialect = "VRMC_vrm_animation"
    bones = [bone for bone in some_bones(rng, share=share) if bone not in EYES]
    root = {
        "translation": rng.uniform(-0.2, 0.2, 3).tolist(),
        "rotation": tf.from_axis_angle([0, 1, 0], rng.uniform(-3, 3)).tolist(),
        "scale": [rng.uniform(0.5, 2)] * 3,
    }
    document = humanoid(bones, dialect=dialect, rng=rng, between=0.3, root=root)
    shared_times = np.sort(rng.uniform(0, 2, 5))
    tracks = []
    for node in range(len(document.json["nodes"])):
        times = shared_times if rng.random() < 0.6 else np.sort(rng.uniform(0, 2, 4))
        kind = rng.choice(["LINEAR", "STEP", "CUBICSPLINE"], p=[0.6, 0.2, 0.2])
        if rng.random() < 0.7:
            tracks.append(wiggle(rng, node, times, interpolation=str(kind)))
    hips = document.json["extensions"][dialect]["humanoid"]["humanBones"]["hips"]["node"]
    tracks.append(Track(hips, "translation", shared_times, rng.uniform(-1, 1, (5, 3))))
    if rng.random() < 0.3:
        tracks.append(Track(0, "translation", shared_times, rng.uniform(-1, 1, (5, 3))))
    return animate(document, tracks)


def any_avatar(seed: int, *, dialect: str = "VRMC_vrm") -> Humanoid:
    rng = np.random.default_rng(seed)
    root = {
        "translation": rng.uniform(-0.2, 0.2, 3).tolist(),
        "rotation": tf.from_axis_angle([0, 1, 0], rng.uniform(-3, 3)).tolist(),
        "scale": [rng.uniform(0.5, 2)] * 3,
    }
    bones = some_bones(rng)
    return Humanoid(
        humanoid(bones, dialect=dialect, rng=rng, between=0.3, root=root, size=rng.uniform(0.3, 2))
    )


@given(seeds, seeds, st.sampled_from(["VRMC_vrm", "VRM"]))
def test_every_bone_keeps_its_turn_in_the_world(first: int, second: int, dialect: str) -> None:
    """Whatever lies between: rest poses, bones that one of them lacks, moving helpers and roots.

    A bone that the source lacks moves with the nearest one above that it has.
    """
    document, avatar = any_source(first), any_avatar(second, dialect=dialect)
    times = np.random.default_rng(first).uniform(-0.2, 2.2, 7)
    pose = retarget(load_motion(document), avatar, times)
    source, hips = turns_in_the_model(document, times)
    target, places = turns_of_pose(pose, avatar)
    flip = np.array([-1, 1, -1, 1]) if dialect == "VRM" else 1
    for bone in avatar.bones:
        known = bone if bone in source else nearest_parent(bone, set(source))
        assert known is not None
        assert degrees(target[bone], source[known] * flip).max() < DEGREES, bone
    start = Humanoid(document).hips_rest
    ratio = avatar.hips_rest[1] / start[1]
    moved = (hips - start) * ratio * (flip[:3] if dialect == "VRM" else 1)
    np.testing.assert_allclose(places, avatar.hips_rest + moved, atol=1e-9)


@given(seeds)
def test_onto_itself_is_identity(seed: int) -> None:
    rng = np.random.default_rng(seed)
    document = humanoid(some_bones(rng), rng=rng, between=0.3)
    avatar = Humanoid(document)
    times = np.sort(rng.uniform(0, 1, 4))
    local = random_rotation(rng, 4, len(avatar.bones))
    places = rng.uniform(-1, 1, (4, 3))
    tracks = [Track(int(n), "rotation", times, local[:, i]) for i, n in enumerate(avatar.nodes)]
    animate(document, [*tracks, Track(int(avatar.nodes[0]), "translation", times, places)])
    pose = retarget(load_motion(document), avatar)
    stored = np.asarray(times, np.float32).astype(float)
    np.testing.assert_array_equal(pose.times, stored)
    # The file holds float32.
    assert degrees(pose.rotation, local).max() < 1e-4
    np.testing.assert_allclose(pose.hips_translation, places, atol=1e-6)


@given(seeds, seeds)
def test_there_and_back_is_identity(first: int, second: int) -> None:
    rng = np.random.default_rng(first)
    bones = some_bones(rng)
    a = Humanoid(humanoid(bones, rng=rng, between=0.3))
    b = Humanoid(humanoid(bones, rng=np.random.default_rng(second), between=0.3, size=0.4))
    normalized = a.to_normalized(random_rotation(rng, 3, len(bones)))
    on_b = b.from_normalized(normalized).rotation
    back = a.from_normalized(b.to_normalized(on_b)).rotation
    assert degrees(back, a.from_normalized(normalized).rotation).max() < DEGREES


def test_folding_by_hand() -> None:
    """The source turns chest, upperChest and neck; the avatar has neither chest nor upperChest."""
    rng = np.random.default_rng(5)
    document = humanoid([*REQUIRED, "chest", "upperChest", "neck"], dialect="VRMC_vrm_animation")
    found = Humanoid(document)
    turns = {bone: random_rotation(rng) for bone in ("spine", "chest", "upperChest", "neck")}
    times = np.array([0.0])
    nodes = dict(zip(found.bones, found.nodes, strict=True))
    tracks = [Track(int(nodes[b]), "rotation", times, q[None]) for b, q in turns.items()]
    pose = retarget(load_motion(animate(document, tracks)), Humanoid(humanoid([*REQUIRED, "neck"])))
    result = dict(zip(pose.bones, pose.rotation[0], strict=True))
    above = scalar.product(turns["chest"], turns["upperChest"])
    assert scalar.degrees_between(result["neck"], scalar.product(above, turns["neck"])) < 1e-4
    assert scalar.degrees_between(result["leftUpperArm"], above) < 1e-4
    assert scalar.degrees_between(result["spine"], turns["spine"]) < 1e-4
    assert scalar.degrees_between(result["head"], [0, 0, 0, 1]) < 1e-4


def simple_motion(bones: Any = BONES, keys: int = 6, seed: int = 1) -> Motion:
    rng = np.random.default_rng(seed)
    kept = [bone for bone in bones if bone not in EYES]
    document = humanoid(kept, dialect="VRMC_vrm_animation", rng=rng)
    source = Humanoid(document)
    times = np.arange(keys) / 30
    tracks = [wiggle(rng, int(node), times) for node in source.nodes]
    hips = Track(int(source.nodes[0]), "translation", times, rng.uniform(0, 1, (keys, 3)))
    return load_motion(animate(document, [*tracks, hips]))


def test_without_times_all_key_times_are_used() -> None:
    rng = np.random.default_rng(0)
    document = humanoid(REQUIRED, dialect="VRMC_vrm_animation")
    early, late = np.array([0.0, 1.0]), np.array([0.25, 0.5, 1.5])
    animate(document, [wiggle(rng, 1, early), wiggle(rng, 2, late)])
    pose = retarget(load_motion(document), Humanoid(humanoid(REQUIRED)))
    np.testing.assert_array_equal(pose.times, [0, 0.25, 0.5, 1, 1.5])
    assert pose.rotation.shape == (5, 15, 4)


def test_shared_keys_are_not_interpolated() -> None:
    motion, avatar = simple_motion(), any_avatar(3)
    (curves,) = motion.rotations
    assert motion.times is curves.times
    assert curves.sample(motion.times) is curves.values
    again = retarget(motion, avatar, motion.times.copy())
    np.testing.assert_array_equal(again.rotation, retarget(motion, avatar).rotation)


@given(seeds, st.booleans())
def test_turning_the_keys_first_gives_the_same(seed: int, has_all: bool) -> None:
    """Bones that the motion has or lacks, times beyond the keys, stretches of a few frames."""
    rng = np.random.default_rng(seed)
    motion = simple_motion(some_bones(rng), seed=seed)
    bones = motion.bones if has_all else BONES
    avatar = Humanoid(humanoid(bones, rng=rng, between=0.3))
    at = np.sort(rng.uniform(-0.1, 0.3, 40))
    module = importlib.import_module("ligament.rig.retarget")
    assert module._can_transform_keys(motion, avatar, at)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slerp, "BLOCK", 5 * 8 * len(avatar.bones))
        pose = retarget(motion, avatar, at)
    order = rng.permutation(40)  # which has to be sampled first
    mixed = retarget(motion, avatar, at[order])
    assert degrees(pose.rotation[order], mixed.rotation).max() < DEGREES
    np.testing.assert_allclose(pose.hips_translation[order], mixed.hips_translation, atol=1e-12)


def test_a_motion_is_never_changed_by_its_use() -> None:
    """Samples are turned in place only where they are nobody else's."""
    motion = simple_motion()
    before = motion.rotations[0].values.copy()
    same, other = Humanoid(humanoid(motion.bones, rng=np.random.default_rng(1))), any_avatar(3)
    at = np.linspace(0, 0.1, 5)
    for times in (None, motion.times, motion.times.copy(), at):
        for avatars in ([same], [other], [same, same], [same, other, same]):
            (row,) = retarget_many([motion], avatars, times)
            for avatar, pose in zip(avatars, row, strict=True):
                single = retarget(motion, avatar, times)
                assert degrees(pose.rotation, single.rotation).max() < DEGREES
                assert not np.may_share_memory(pose.rotation, single.rotation)
    np.testing.assert_array_equal(motion.rotations[0].values, before)


def test_many_to_many_is_each_to_each() -> None:
    motions = [simple_motion(seed=seed) for seed in (1, 2)]
    avatars = [any_avatar(seed) for seed in (3, 4, 5)]
    times = np.linspace(0, 0.2, 9)
    for motion, row in zip(motions, retarget_many(motions, avatars, times), strict=True):
        for avatar, pose in zip(avatars, row, strict=True):
            single = retarget(motion, avatar, times)
            assert degrees(pose.rotation, single.rotation).max() < DEGREES
            np.testing.assert_array_equal(pose.hips_translation, single.hips_translation)


def test_a_motion_that_does_not_move_the_hips_leaves_them_at_rest() -> None:
    document = humanoid(REQUIRED, dialect="VRMC_vrm_animation")
    animate(document, [wiggle(np.random.default_rng(0), 1, np.array([0.0, 1.0]))])
    avatar = any_avatar(6)
    rules: Any
    for rules in ("delta", "scaled"):
        pose = retarget(load_motion(document), avatar, hips=rules)
        expected = avatar.tree.translation[avatar.nodes[0]]
        np.testing.assert_array_equal(pose.hips_translation, [expected, expected])


def test_an_unknown_rule_for_the_hips_is_refused() -> None:
    wrong: Any = "none"
    with pytest.raises(ArgumentError, match="use one of 'delta', 'scaled'"):
        retarget(simple_motion(), any_avatar(1), hips=wrong)


@pytest.mark.parametrize("times", [[0.0, np.nan], [[0.0]]])
def test_times_must_be_a_list_of_numbers(times: Any) -> None:
    with pytest.raises(ContentError, match="times"):
        retarget(simple_motion(), any_avatar(1), times)


def test_one_time_is_a_pose_of_one_frame() -> None:
    pose = retarget(simple_motion(), any_avatar(1), 0.05)
    assert pose.times.shape == (1,)
    assert pose.hips_translation.shape == (1, 3)


def test_an_avatar_on_the_ground_is_scaled_by_its_legs() -> None:
    low = Humanoid(humanoid(REQUIRED, root={"translation": [0, -1, 0]}))
    with pytest.warns(LigamentWarning, match="lowest bone"):
        pose = retarget(simple_motion(), low)
    assert np.isfinite(pose.hips_translation).all()


# Arrays


def test_float32_is_kept() -> None:
    motion = simple_motion().map(lambda array: array.astype(np.float32))
    avatar, times = any_avatar(3), np.linspace(0, 0.2, 11)
    for at in (None, times):
        pose, exact = retarget(motion, avatar, at), retarget(simple_motion(), avatar, at)
        assert pose.rotation.dtype == pose.hips_translation.dtype == np.float32
        assert degrees(pose.rotation.astype(float), exact.rotation).max() < 2e-4
        np.testing.assert_allclose(pose.hips_translation, exact.hips_translation, atol=3e-6)


@pytest.mark.parametrize(
    ("library", "seed", "share"),
    [
        ("torch", 11, 0.6),
        ("torch", 12, 0.6),
        ("array_api_strict", 11, 0.6),
        ("array_api_strict", 12, 0.6),
        *([("jax.numpy", 13, 0.0)] if IS_SOAK else ()),  # which compiles every operation
    ],
)
def test_motion_of_other_libraries_gives_poses_of_theirs(
    library: str, seed: int, share: float
) -> None:
    xp: Any = pytest.importorskip(library)
    motion, avatar = load_motion(any_source(seed, share=share)), any_avatar(seed)
    single = motion.map(lambda array: array.astype(np.float32))
    foreign = single.map(xp.asarray)
    kind = type(xp.asarray(single.rotations[0].values))
    for at in (None, np.linspace(0, 2, 9), xp.asarray([0.5, 1.0])):
        pose = retarget(foreign, avatar, at)
        expected = retarget(single, avatar, None if at is None else np.asarray(at))
        assert type(pose.rotation) is type(pose.hips_translation) is kind
        mine = tf.normalize(np.asarray(pose.rotation, dtype=np.float64))
        assert degrees(mine, tf.normalize(expected.rotation.astype(float))).max() < 1e-3
        np.testing.assert_allclose(
            np.asarray(pose.hips_translation), expected.hips_translation, atol=1e-4
        )


def test_gradients_flow_through_a_retargeted_motion() -> None:
    torch = pytest.importorskip("torch")
    motion = simple_motion(REQUIRED).map(lambda array: torch.tensor(array, requires_grad=True))
    pose = retarget(motion, any_avatar(2), np.linspace(0, 0.1, 5))
    pose.rotation.square().sum().backward()
    gradient = motion.rotations[0].values.grad
    assert gradient is not None
    assert bool(torch.isfinite(gradient).all())


@given(seeds, st.booleans())
def test_transfer_is_a_product_on_both_sides(seed: int, frames_innermost: bool) -> None:
    rng = np.random.default_rng(seed)
    left, right = random_rotation(rng, 4), random_rotation(rng, 4)
    rotation = random_rotation(rng, 5, 4)
    if frames_innermost:
        rotation = np.ascontiguousarray(rotation.transpose(1, 2, 0)).transpose(2, 0, 1)
    moved = apply_products(rotation, product_matrices(left, right))
    for frame in range(5):
        for bone in range(4):
            expected = scalar.product(left[bone], rotation[frame, bone])
            expected = scalar.product(expected, right[bone])
            np.testing.assert_allclose(moved[frame, bone], expected, atol=1e-14)


@pytest.mark.parametrize("frames_innermost", [True, False])
@pytest.mark.parametrize("count", [1, 1024, 3000])
def test_transfer_in_place_gives_the_same(frames_innermost: bool, count: int) -> None:
    rng = np.random.default_rng(0)
    rotation = random_rotation(rng, count, 3)
    if frames_innermost:
        rotation = np.ascontiguousarray(rotation.transpose(1, 2, 0)).transpose(2, 0, 1)
    matrices = product_matrices(random_rotation(rng, 3), random_rotation(rng, 3))
    expected = apply_products(rotation, matrices)
    result = apply_products(rotation, matrices, in_place=True)
    assert result is rotation
    np.testing.assert_allclose(result, expected, atol=1e-15)


def test_transfer_takes_whole_numbers_and_passes_nan_on_to_nobody() -> None:
    matrices = product_matrices([[0, 0, 0, 1.0]], [[0, 0, 0, 1.0]])
    assert apply_products(np.array([[[0, 0, 0, 1]]]), matrices).tolist() == [[[0, 0, 0, 1]]]
    rotation = np.tile([0, 0, 0, 1.0], (9, 1, 1))
    rotation[4] = np.nan
    assert np.isnan(apply_products(rotation, matrices)).any(axis=(1, 2)).tolist() == [
        frame == 4 for frame in range(9)
    ]


def test_motion_on_a_cuda_device_stays_there() -> None:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("there is no CUDA device")
    motion, avatar = simple_motion(), any_avatar(3)
    moved = motion.map(lambda a: torch.as_tensor(a, dtype=torch.float32, device="cuda"))
    for at in (None, np.linspace(0, 0.2, 777), torch.linspace(0, 0.2, 9, device="cuda")):
        pose = retarget(moved, avatar, at)
        exact = retarget(motion, avatar, at.cpu().numpy() if torch.is_tensor(at) else at)
        assert pose.rotation.is_cuda
        assert pose.hips_translation.is_cuda
        mine = tf.normalize(pose.rotation.cpu().numpy().astype(float))
        assert degrees(mine, exact.rotation).max() < 1e-3

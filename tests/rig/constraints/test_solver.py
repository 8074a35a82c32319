"""Solving node constraints: against a plain solver, by its properties, on every array library."""

from __future__ import annotations

import json
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ligament import transforms as tf
from ligament.errors import LimitError
from ligament.rig import NodeConstraints
from ligament.rig.constraints import evaluation, plan
from tests.rig.constrained import (
    AIM_AXES,
    ROLL_AXES,
    Scene,
    axis_of,
    constrained,
    degrees_apart,
    document_of,
    plainly_solved,
    random_rotation,
    random_scene,
    turned,
    vector_of,
)
from tests.sampling import IS_SOAK

pytestmark = pytest.mark.filterwarnings("ignore:.*1.0-draft:ligament.errors.LigamentWarning")

ROUNDING = 1e-9
"""In degrees, where all is computed in float64."""

seeds = st.integers(0, 2**32 - 1)


def _scene(seed: int, **options: Any) -> Scene:
    return random_scene(np.random.default_rng(seed), **options)


def _solved(scene: Scene) -> Any:
    return NodeConstraints(scene.document).solve(scene.rotation, scene.translation)


def _moved_source(kind: str, source_rotation: Any, rest: Any = (0, 0, 0, 1), **members: Any) -> Any:
    """Solve one constraint on node 0, whose sibling 1 turns from rest; returns its rotation."""
    document = document_of(
        {"rotation": [*map(float, rest)], "extensions": constrained(kind, 1, **members)},
        {"translation": [0.0, 0.0, 1.0]},
    )
    solver = NodeConstraints(document)
    rotation = solver.tree.rotation.copy()
    rotation[1] = source_rotation
    return solver.solve(rotation)[0]


@given(seeds, st.sampled_from(["none", "even", "uneven"]))
def test_agrees_with_a_plain_solver(seed: int, scales: str) -> None:
    """Chains, hierarchies, scaled parents, all kinds: with scales at rest, and with given ones."""
    scene = _scene(seed, scales=scales)
    solver = NodeConstraints(scene.document)
    result = solver.solve(scene.rotation, scene.translation)
    assert degrees_apart(result, plainly_solved(scene)).max() < ROUNDING
    result = solver.solve(scene.rotation, scene.translation, scene.scale)
    assert degrees_apart(result, plainly_solved(scene, scaled=True)).max() < ROUNDING


@given(seeds)
def test_translation_defaults_to_rest(seed: int) -> None:
    scene = _scene(seed)
    solver = NodeConstraints(scene.document)
    rest = np.broadcast_to(solver.tree.translation, scene.translation.shape)
    expected = solver.solve(scene.rotation, rest)
    np.testing.assert_allclose(solver.solve(scene.rotation), expected, atol=1e-12)
    np.testing.assert_allclose(
        solver.solve(scene.rotation, solver.tree.translation), expected, atol=1e-12
    )


@given(seeds)
def test_input_is_kept_and_free_nodes_are_untouched(seed: int) -> None:
    scene = _scene(seed)
    before = scene.rotation.copy()
    result = _solved(scene)
    np.testing.assert_array_equal(scene.rotation, before)
    free = [i for i in range(before.shape[1]) if i not in scene.destinations]
    np.testing.assert_array_equal(result[:, free], before[:, free])


@given(seeds, st.floats(0.01, 100))
def test_results_are_unit_whatever_the_length_of_the_input(seed: int, length: float) -> None:
    """All rotations are scaled alike; what comes out for destinations is the same as without."""
    scene = _scene(seed)
    solver = NodeConstraints(scene.document)
    expected = solver.solve(scene.rotation, scene.translation)[:, scene.destinations]
    result = solver.solve(length * scene.rotation, scene.translation)[:, scene.destinations]
    np.testing.assert_allclose(np.linalg.norm(result, axis=-1), 1, atol=1e-14)
    if scene.destinations:
        assert degrees_apart(result, expected).max() < ROUNDING


@given(seeds)
def test_signs_of_the_input_do_not_matter(seed: int) -> None:
    """q and −q are one rotation."""
    scene = _scene(seed)
    solver = NodeConstraints(scene.document)
    rng = np.random.default_rng(seed)
    signs = rng.choice([-1.0, 1.0], scene.rotation.shape[:2])[..., None]
    one, other = (
        solver.solve(q, scene.translation) for q in (scene.rotation, signs * scene.rotation)
    )
    assert degrees_apart(one, other).max() < ROUNDING


@given(seeds)
def test_rest_is_a_fixed_point_of_roll_and_rotation(seed: int) -> None:
    scene = _scene(seed)
    for node in scene.json["nodes"]:
        if "aim" in node.get("extensions", {}).get("VRMC_node_constraint", {}).get(
            "constraint", {}
        ):
            del node["extensions"]
    solver = NodeConstraints(scene.document)
    result = solver.solve(solver.tree.rotation)
    assert degrees_apart(result, solver.tree.rotation).max() < ROUNDING


@given(seeds, st.sampled_from(["roll", "aim", "rotation"]))
def test_no_weight_means_rest(seed: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    rest, source = random_rotation(rng, 2)
    members = {"roll": {"rollAxis": "Y"}, "aim": {"aimAxis": "NegativeZ"}, "rotation": {}}[kind]
    result = _moved_source(kind, source, rest, weight=0, **members)
    assert degrees_apart(result, rest) < ROUNDING


@given(seeds, st.tuples(*[st.booleans()] * 3), st.floats(0, 1))
def test_draft_axes_that_are_not_frozen_keep_their_rotation(
    seed: int, freeze: tuple[bool, ...], weight: float
) -> None:
    rng = np.random.default_rng(seed)
    rest, own, source = random_rotation(rng, 3)
    document = document_of(
        {
            "rotation": rest.tolist(),
            "extensions": constrained(
                "rotation", 1, version="1.0-draft", freezeAxes=list(freeze), weight=weight
            ),
        },
        {},
    )
    result = NodeConstraints(document).solve(np.array([own, source]))[0]
    own_vector = vector_of(tf.multiply(tf.conjugate(rest), own))
    driven = weight * vector_of(source)
    mixed = np.where(freeze, driven, own_vector)
    # Past half a turn the same rotation has another, shorter vector: compare rotations then.
    assert degrees_apart(result, tf.multiply(rest, tf.exp(mixed))) < ROUNDING
    if np.linalg.norm(mixed) < 3:
        kept = vector_of(tf.multiply(tf.conjugate(rest), result))
        np.testing.assert_allclose(
            kept[~np.array(freeze)], own_vector[~np.array(freeze)], atol=1e-9
        )


def test_draft_weight_extrapolates() -> None:
    half = tf.from_axis_angle([0, 0, 1], 0.5)
    document = document_of(
        {"extensions": constrained("rotation", 1, version="1.0-draft", weight=-1.5)}, {}
    )
    with pytest.warns(match="extrapolated"):
        solver = NodeConstraints(document)
    result = solver.solve(np.array([[0, 0, 0, 1.0], half]))[0]
    assert degrees_apart(result, tf.from_axis_angle([0, 0, 1], -0.75)) < ROUNDING


@given(seeds)
def test_order_of_nodes_in_the_file_does_not_matter(seed: int) -> None:
    scene = _scene(seed)
    rng = np.random.default_rng(seed)
    at = rng.permutation(len(scene.json["nodes"]))
    nodes = [scene.json["nodes"][old] for old in np.argsort(at).tolist()]
    moved = json.loads(json.dumps({**scene.json, "nodes": nodes}))
    for node in moved["nodes"]:
        node["children"] = [int(at[child]) for child in node["children"]]
        for content in node.get("extensions", {}).values():
            for members in content["constraint"].values():
                members["source"] = int(at[members["source"]])
    other = np.argsort(at)
    shuffled = Scene(moved, scene.rotation[:, other], scene.translation[:, other], None)
    assert degrees_apart(_solved(shuffled)[:, at], _solved(scene)).max() < ROUNDING


@given(seeds)
def test_batched_equals_one_frame_at_a_time(seed: int) -> None:
    scene = _scene(seed, frames=5)
    solver = NodeConstraints(scene.document)
    batch = solver.solve(scene.rotation, scene.translation, scene.scale)
    poses = zip(scene.rotation, scene.translation, scene.scale, strict=True)
    frames = np.array([solver.solve(*pose) for pose in poses])
    assert frames.shape == batch.shape
    assert degrees_apart(batch, frames).max() < ROUNDING


def test_blocks_and_threads_do_not_change_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = _scene(8, frames=1000)
    solver = NodeConstraints(scene.document)
    assert len(solver.constraints) > 4
    whole = solver.solve(scene.rotation, scene.translation, scene.scale)
    monkeypatch.setattr(evaluation, "BLOCK", 300)
    monkeypatch.setattr(evaluation, "PARALLEL", 1)
    monkeypatch.setattr(evaluation, "cores", lambda: 3)
    split = solver.solve(scene.rotation, scene.translation, scene.scale)
    assert degrees_apart(whole, split).max() < ROUNDING


def test_float32_is_kept_and_close() -> None:
    scene = _scene(5, frames=50)
    solver = NodeConstraints(scene.document)
    exact = solver.solve(scene.rotation, scene.translation)
    single = solver.solve(scene.rotation.astype(np.float32), scene.translation)
    assert single.dtype == np.float32
    assert degrees_apart(exact, single.astype(float)).max() < 1e-2


def test_without_constraints_the_pose_is_copied() -> None:
    solver = NodeConstraints(document_of({}, {}))
    rotation = random_rotation(np.random.default_rng(0), 3, 2)
    result = solver.solve(rotation)
    np.testing.assert_array_equal(result, rotation)
    assert not np.shares_memory(result, rotation)
    assert (solver.order, solver.levels, solver.constraints) == ((), [], ())


@pytest.mark.parametrize("single", [False, True])
def test_results_go_where_they_are_wanted(single: bool) -> None:
    scene = _scene(8)
    solver = NodeConstraints(scene.document)
    rotation = scene.rotation[0] if single else scene.rotation
    expected = solver.solve(rotation)
    out = np.full_like(rotation, np.nan)
    assert solver.solve(rotation, out=out) is out
    np.testing.assert_array_equal(out, expected)
    assert solver.solve(rotation, out=rotation) is rotation
    np.testing.assert_array_equal(rotation, expected)


def test_out_must_fit() -> None:
    scene = _scene(8)
    solver = NodeConstraints(scene.document)
    for out in (scene.rotation[0], scene.rotation.astype(np.float32)):
        with pytest.raises(ValueError, match="found `out` of shape"):
            solver.solve(scene.rotation, out=out)
    torch = pytest.importorskip("torch")
    with pytest.raises(ValueError, match="needs NumPy arrays"):
        solver.solve(torch.tensor(scene.rotation), out=np.empty_like(scene.rotation))


def test_no_frames_give_no_frames() -> None:
    scene = _scene(3)
    assert _solved(Scene(scene.json, scene.rotation[:0], scene.translation[:0], None)).shape[0] == 0


@pytest.mark.parametrize(
    "shapes",
    [
        [(4,)],
        [(3, 4)],
        [(2, 3)],
        [(1, 2, 2, 4)],
        [(5, 2, 4), (5, 2, 4)],
        [(5, 2, 4), (4, 2, 3)],
        [(2, 4), (5, 2, 3)],
    ],
)
def test_wrong_shapes_are_refused(shapes: list[tuple[int, ...]]) -> None:
    solver = NodeConstraints(document_of({"extensions": constrained("rotation", 1)}, {}))
    with pytest.raises(ValueError, match=r"must be \(frames, 2, "):
        solver.solve(*(np.ones(shape) for shape in shapes))


@pytest.mark.parametrize("axis", ROLL_AXES)
@pytest.mark.parametrize("weight", [0.3, 1.0])
def test_roll_takes_the_twist_alone(axis: str, weight: float) -> None:
    vector = axis_of(axis)
    across = np.roll(vector, 1)
    twist, swing = tf.from_axis_angle(vector, 0.8), tf.from_axis_angle(across, 1.1)
    result = _moved_source("roll", tf.multiply(swing, twist), rollAxis=axis, weight=weight)
    assert degrees_apart(result, tf.from_axis_angle(vector, 0.8 * weight)) < ROUNDING


@pytest.mark.parametrize("axis", ROLL_AXES)
def test_half_a_turn_of_swing_leaves_the_rest_rotation(axis: str) -> None:
    rest = random_rotation(np.random.default_rng(1))
    across = np.roll(axis_of(axis), 1)
    swing = tf.multiply(rest, tf.multiply([*across, 0.0], tf.conjugate(rest)))
    result = _moved_source("roll", swing, rest, rollAxis=axis)
    assert degrees_apart(result, rest) < ROUNDING


@pytest.mark.parametrize("kind", ["roll", "rotation"])
def test_a_source_of_no_length_counts_as_at_rest(kind: str) -> None:
    rest = random_rotation(np.random.default_rng(1))
    members = {"rollAxis": "X"} if kind == "roll" else {}
    result = _moved_source(kind, np.zeros(4), rest, **members)
    assert degrees_apart(result, rest) < ROUNDING


def _aimed(at: Any, axis: str, **members: Any) -> Any:
    """Return the rotation of a node at (1, 2, 3) that aims at a point, in a turned parent."""
    parent = random_rotation(np.random.default_rng(4))
    extensions = constrained("aim", 2, aimAxis=axis, **members)
    document = document_of(
        {"rotation": parent.tolist(), "children": [1, 2]},
        {"translation": [1.0, 2.0, 3.0], "extensions": extensions},
        {"translation": [float(x) for x in at]},
    )
    solver = NodeConstraints(document)
    return solver.solve(solver.tree.rotation)[1]


@pytest.mark.parametrize("axis", AIM_AXES)
def test_aim_points_the_axis_at_the_source(axis: str) -> None:
    result = _aimed((4, 1, 5), axis)
    direction = np.array([3, -1, 2]) / np.sqrt(14)
    np.testing.assert_allclose(turned(result, axis_of(axis)), direction, atol=1e-14)


@pytest.mark.parametrize("axis", AIM_AXES)
def test_opposite_aim_is_half_a_turn_about_a_fixed_axis(axis: str) -> None:
    vector = axis_of(axis)
    result = _aimed(np.array([1, 2, 3]) - vector, axis)
    np.testing.assert_allclose(turned(result, vector), -vector, atol=1e-14)
    assert degrees_apart(result, tf.between(vector, -vector)) < ROUNDING
    half = _aimed(np.array([1, 2, 3]) - vector, axis, weight=0.5)
    assert abs(degrees_apart(half, [0, 0, 0, 1]) - 90) < ROUNDING


@pytest.mark.parametrize("exponent", range(-16, 0))
def test_nearly_opposite_aim_still_points_at_the_source(exponent: int) -> None:
    """Across the place where one formula hands over to the other."""
    away = np.array([1, 2, 3]) + np.array([10.0**exponent, -1, 0])
    result = _aimed(away, "PositiveY")
    direction = (away - [1, 2, 3]) / np.linalg.norm(away - [1, 2, 3])
    np.testing.assert_allclose(turned(result, [0, 1, 0]), direction, atol=1e-10)


def test_aim_at_its_own_place_gives_rest() -> None:
    assert degrees_apart(_aimed((1, 2, 3), "PositiveX"), [0, 0, 0, 1]) < ROUNDING


def test_aim_at_a_place_that_only_rounding_parts_gives_rest() -> None:
    """The source stands on the destination, but its place is summed up along another way."""
    document = document_of(
        {"translation": [0.3, 0.0, 0.0], "extensions": constrained("aim", 2, aimAxis="PositiveY")},
        {"translation": [0.1, 0.0, 0.0], "children": [2]},
        {"translation": [0.2, 0.0, 0.0]},
    )
    solver = NodeConstraints(document)
    assert 0.1 + 0.2 != 0.3
    assert degrees_apart(solver.solve(solver.tree.rotation)[0], [0, 0, 0, 1]) < ROUNDING


def test_too_many_nodes_above_aims_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The solver walks up from each of them, which a hostile file could make very long."""
    depth, aims = 30, 10
    chain = [{"children": [i + 1]} for i in range(depth)]
    ends = [{"extensions": constrained("aim", depth, aimAxis="PositiveX")} for _ in range(aims)]
    solver = NodeConstraints(document_of(*chain, {}, *ends))
    monkeypatch.setattr(plan, "MOST_LINKS", depth * aims - 1)
    with pytest.raises(LimitError, match="more than 299 nodes are above"):
        solver.solve(solver.tree.rotation)
    monkeypatch.setattr(plan, "MOST_LINKS", depth * aims)
    assert solver.solve(solver.tree.rotation).shape == solver.tree.rotation.shape


def test_levels_hold_what_can_be_solved_together() -> None:
    document = document_of(
        {"extensions": constrained("rotation", 1)},
        {"extensions": constrained("rotation", 2)},
        {"extensions": constrained("roll", 4, rollAxis="X")},
        {"extensions": constrained("roll", 4, rollAxis="Z")},
        {},
    )
    solver = NodeConstraints(document)
    assert solver.levels == [(2, 3), (1,), (0,)]
    assert solver.order == (2, 3, 1, 0)
    assert [constraint.destination for constraint in solver.constraints] == [0, 1, 2, 3]


def _arrays(name: str) -> tuple[Any, Any]:
    """Return the function that makes arrays of a library, and a context in which it has float64."""
    module = pytest.importorskip(name)
    if name == "jax":
        return module.numpy.asarray, module.enable_x64(True)
    return module.asarray, nullcontext()


@pytest.mark.parametrize(
    ("library", "seed"),
    [
        *((name, seed) for name in ("torch", "array_api_strict") for seed in range(3)),
        *(("jax", seed) for seed in range(3) if IS_SOAK),  # which compiles every operation
    ],
)
def test_other_libraries_agree_with_numpy(library: str, seed: int) -> None:
    scene = _scene(seed, frames=7, scales=["none", "even", "uneven"][seed % 3])
    solver = NodeConstraints(scene.document)
    make, context = _arrays(library)
    with context:
        pose = [make(values) for values in (scene.rotation, scene.translation, scene.scale)]
        for given_pose in (pose[:1], pose[:2], pose):
            host = [scene.rotation, scene.translation, scene.scale][: len(given_pose)]
            result = solver.solve(*given_pose)
            assert type(result) is type(pose[0])
            assert result.dtype == pose[0].dtype
            assert degrees_apart(np.asarray(result), solver.solve(*host)).max() < ROUNDING


@pytest.mark.parametrize("library", ["torch", "jax"] if IS_SOAK else ["torch"])
def test_single_frames_and_float32_of_other_libraries(library: str) -> None:
    scene = _scene(8)
    solver = NodeConstraints(scene.document)
    make, _ = _arrays(library)
    frame = make(scene.rotation[0].astype(np.float32))
    result = solver.solve(frame, scene.translation[0])
    assert result.dtype == frame.dtype
    assert result.shape == frame.shape
    exact = solver.solve(scene.rotation[0], scene.translation[0])
    assert degrees_apart(np.asarray(result).astype(float), exact).max() < 1e-2


@pytest.mark.parametrize("library", ["torch", "jax", "array_api_strict"])
def test_nothing_to_solve_in_other_libraries(library: str) -> None:
    make, context = _arrays(library)
    rotation = random_rotation(np.random.default_rng(0), 3, 2)
    with context:
        result = NodeConstraints(document_of({}, {})).solve(make(rotation))
        np.testing.assert_array_equal(np.asarray(result), rotation)
        solver = NodeConstraints(document_of({"extensions": constrained("rotation", 1)}, {}))
        assert solver.solve(make(rotation[:0])).shape == (0, 2, 4)


def test_jax_compiles_the_solution() -> None:
    jax = pytest.importorskip("jax")
    scene = _scene(8, frames=4)
    solver = NodeConstraints(scene.document)
    with jax.enable_x64(True):
        compiled = jax.jit(solver.solve)
        pose = jax.numpy.asarray(scene.rotation), jax.numpy.asarray(scene.translation)
        results = [compiled(*pose), compiled(*pose)]
        if IS_SOAK:  # which compiles every operation by itself
            results.append(solver.solve(*pose))
    expected = solver.solve(scene.rotation, scene.translation)
    for result in results:
        assert degrees_apart(np.asarray(result), expected).max() < ROUNDING


def test_torch_differentiates_the_solution_at_rest() -> None:
    torch = pytest.importorskip("torch")
    scene = _scene(8)
    solver = NodeConstraints(scene.document)
    rotation = torch.tensor(solver.tree.rotation, requires_grad=True)
    solver.solve(rotation).square().sum().backward()
    assert torch.isfinite(rotation.grad).all()

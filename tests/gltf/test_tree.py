"""The node tree against a recursive walk with matrices written out element by element."""

import math
import random
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ligament import transforms as tf
from ligament.errors import ContentError, CycleError
from ligament.gltf import Document
from ligament.gltf.tree import Branches, NodeTree, find_parents


def local_matrix(node: dict[str, Any]) -> np.ndarray[Any, Any]:
    """T · R · S of one node, from the formulae of glTF 2.0, 3.5.3."""
    if "matrix" in node:
        return np.array(node["matrix"], float).reshape(4, 4).T
    x, y, z, w = node.get("rotation", [0, 0, 0, 1])
    length = math.sqrt(x * x + y * y + z * z + w * w)
    x, y, z, w = x / length, y / length, z / length, w / length
    rotation = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    scale, translation = node.get("scale", [1, 1, 1]), node.get("translation", [0, 0, 0])
    result = np.eye(4)
    for row in range(3):
        for column in range(3):
            result[row, column] = rotation[row][column] * scale[column]
        result[row, 3] = translation[row]
    return result


def naive_world(nodes: list[dict[str, Any]]) -> list[np.ndarray[Any, Any]]:
    """World matrices by recursion from the roots."""
    world: list[Any] = [None] * len(nodes)
    below = {child for node in nodes for child in node.get("children", [])}

    def descend(index: int, above: np.ndarray[Any, Any]) -> None:
        world[index] = above @ local_matrix(nodes[index])
        for child in nodes[index].get("children", []):
            descend(child, world[index])

    for root in set(range(len(nodes))) - below:
        descend(root, np.eye(4))
    return world


NUMBERS = st.floats(-10, 10).map(lambda value: round(value, 3))
SCALES = st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0, 3.0])
MEMBERS = st.fixed_dictionaries(
    {},
    optional={
        "translation": st.tuples(NUMBERS, NUMBERS, NUMBERS).map(list),
        "rotation": st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS)
        .filter(lambda q: math.hypot(*q) > 0.1)
        .map(list),
        "scale": st.tuples(SCALES, SCALES, SCALES).map(list),
    },
)


@st.composite
def forests(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Nodes in any order, each below another one or a root; some with matrices."""
    count = draw(st.integers(0, 8))
    nodes: list[dict[str, Any]] = [dict(draw(MEMBERS)) for _ in range(count)]
    order = draw(st.permutations(range(count)))
    for place, index in enumerate(order):
        above = draw(st.sampled_from([None, *order[:place]]))
        if above is not None:
            nodes[above].setdefault("children", []).append(index)
    for node in nodes:
        if draw(st.booleans()):
            matrix = local_matrix(node).T.ravel().tolist()
            for name in ("translation", "rotation", "scale"):
                node.pop(name, None)
            node["matrix"] = matrix
    return nodes


@given(forests())
def test_world_matrices_are_those_of_the_recursion(nodes: list[dict[str, Any]]) -> None:
    tree = NodeTree(Document({"nodes": nodes}))
    assert len(tree) == len(nodes)
    expected = np.array(naive_world(nodes)).reshape(-1, 4, 4)
    limit = 1e-9 * (1 + np.abs(expected).max(initial=0))
    np.testing.assert_allclose(tree.world_matrices(), expected, rtol=0, atol=limit)


@given(forests())
def test_branches_are_the_nodes_with_an_ancestor(nodes: list[dict[str, Any]]) -> None:
    tree = NodeTree(Document({"nodes": nodes}))
    branches, every = Branches(tree), range(len(tree))
    found = {(node, other) for node in every for other in every if branches.is_below(node, other)}
    assert found == {(node, above) for node in every for above in tree.ancestors(node)}


@given(forests())
def test_parents_and_levels_describe_the_same_forest(nodes: list[dict[str, Any]]) -> None:
    tree = NodeTree(Document({"nodes": nodes}))
    for index, node in enumerate(nodes):
        for child in node.get("children", []):
            assert tree.parents[child] == index
    assert (tree.parents >= 0).sum() == sum(len(node.get("children", [])) for node in nodes)
    assert sorted(np.concatenate([*tree.levels, []]).astype(int)) == list(range(len(nodes)))
    for depth, level in enumerate(tree.levels):
        assert list(level) == sorted(level)
        for node in level:
            assert len(list(tree.ancestors(node))) == depth


@given(forests())
def test_world_rotations_are_products_of_local_ones(nodes: list[dict[str, Any]]) -> None:
    tree = NodeTree(Document({"nodes": nodes}))
    unscaled = tree.world_matrices(np.zeros_like(tree.translation), None, np.ones_like(tree.scale))
    expected = tree.world_matrices(
        np.zeros_like(tree.translation), tree.world_rotations(), np.ones_like(tree.scale)
    )
    for node in range(len(tree)):
        top = [local(tree, n) for n in (*reversed(list(tree.ancestors(node))), node)]
        product = np.linalg.multi_dot([np.eye(3), *top, np.eye(3)])
        np.testing.assert_allclose(unscaled[node, :3, :3], product, atol=1e-9)
        np.testing.assert_allclose(
            local_matrix({"rotation": tree.world_rotations()[node]})[:3, :3], product, atol=1e-9
        )
    assert expected.shape == unscaled.shape


@given(forests(), st.randoms())
def test_orientations_are_the_axes_that_scales_of_any_sign_draw(
    nodes: list[dict[str, Any]], dice: random.Random
) -> None:
    """Where scales are uniform up to their signs; the point reflection may remain."""
    nodes = [{k: v for k, v in node.items() if k != "matrix"} for node in nodes]
    for raw in nodes:
        size = dice.uniform(0.5, 2)
        raw["scale"] = [dice.choice([-1, 1]) * size for _ in range(3)]
    tree = NodeTree(Document({"nodes": nodes}))
    orientation, matrices = tree.world_orientations(), tree.world_matrices()
    facing = tree.child_orientations(orientation)
    for node, parent in enumerate(tree.parents.tolist()):
        axes = local_matrix({"rotation": orientation[node]})[:3, :3] * np.sign(tree.scale[node])
        drawn = matrices[node, :3, :3] / np.cbrt(abs(np.linalg.det(matrices[node, :3, :3])))
        np.testing.assert_allclose(drawn, axes * np.sign((drawn * axes).sum()), atol=1e-9)
        if parent >= 0:
            product = tf.multiply(facing[parent], tree.rotation[node])
            assert tf.angle_between(product, orientation[node]) < 1e-7


def local(tree: NodeTree, node: int) -> np.ndarray[Any, Any]:
    return local_matrix({"rotation": tree.rotation[node]})[:3, :3]


SCENE: list[dict[str, Any]] = [
    {"children": [3], "translation": [1, 2, 3], "rotation": [0, 0.6, 0, 0.8]},
    {"scale": [-1, 2, 0.5], "children": [0, 2]},
    {"matrix": [0, 2, 0, 0, -2, 0, 0, 0, 0, 0, 2, 0, 5, 6, 7, 1]},
    {"name": "hand", "rotation": [0, 0, 3, 4]},
]


def test_a_matrix_is_decomposed() -> None:
    tree = NodeTree(Document({"nodes": SCENE}))
    assert tree.translation[2].tolist() == [5, 6, 7]
    assert np.allclose(tree.rotation[2], [0, 0, math.sqrt(0.5), math.sqrt(0.5)])
    assert tree.scale[2].tolist() == [2, 2, 2]
    assert np.allclose(tree.rotation[3], [0, 0, 0.6, 0.8])


def test_a_matrix_that_mirrors_or_flattens_keeps_its_effect() -> None:
    for scale in ([-1, 1, 1], [-1, -2, -3], [1, 0, 1], [0, 0, 0], [0, 2, 0]):
        node = {"rotation": [0.1, 0.2, 0.3, 0.9], "scale": scale, "translation": [1, 2, 3]}
        matrix = local_matrix(node)
        tree = NodeTree(Document({"nodes": [{"matrix": matrix.T.ravel().tolist()}]}))
        assert np.allclose(tree.world_matrices()[0], matrix, atol=1e-12)


def test_a_zero_quaternion_is_no_rotation() -> None:
    tree = NodeTree(Document({"nodes": [{"rotation": [0, 0, 0, 0]}]}))
    assert tree.rotation.tolist() == [[0, 0, 0, 1]]


def pose(frames: int) -> tuple[Any, Any, Any]:
    dice = np.random.default_rng(5)
    rotation = dice.normal(size=(frames, 4, 4))
    rotation /= np.linalg.norm(rotation, axis=-1, keepdims=True)
    return dice.normal(size=(frames, 4, 3)), rotation, dice.normal(size=(frames, 4, 3))


def test_frames_are_each_a_pose_of_their_own() -> None:
    tree = NodeTree(Document({"nodes": SCENE}))
    translation, rotation, scale = pose(5)
    world = tree.world_matrices(translation, rotation, scale)
    assert world.shape == (5, 4, 4, 4)
    assert tree.world_rotations(rotation).shape == (5, 4, 4)
    for frame in range(5):
        nodes = [
            {
                "children": node.get("children", []),
                "translation": translation[frame, i],
                "rotation": rotation[frame, i],
                "scale": scale[frame, i],
            }
            for i, node in enumerate(SCENE)
        ]
        assert np.allclose(world[frame], naive_world(nodes))


def test_missing_components_are_those_at_rest() -> None:
    tree = NodeTree(Document({"nodes": SCENE}))
    translation, rotation, scale = pose(3)
    full = tree.world_matrices(translation, tree.rotation, tree.scale)
    assert np.allclose(tree.world_matrices(translation), full)
    for arguments in ((translation,), (None, rotation), (None, None, scale)):
        assert tree.world_matrices(*arguments).shape == (3, 4, 4, 4)


@pytest.mark.parametrize("library", ["torch", "jax"])
def test_other_array_libraries_stay_their_own(library: str) -> None:
    if library == "torch":
        import torch

        make: Any = lambda values: torch.asarray(values, dtype=torch.float32)  # noqa: E731
        kind: Any = torch.Tensor
    else:
        import jax

        make, kind = (lambda values: jax.numpy.asarray(values, dtype="float32")), jax.Array
    tree = NodeTree(Document({"nodes": SCENE}))
    translation, rotation, scale = pose(3)
    world = tree.world_matrices(make(translation), make(rotation), make(scale))
    turned = tree.world_rotations(make(rotation))
    partly = tree.world_matrices(rotation=make(rotation))
    for found, expected in (
        (world, tree.world_matrices(translation, rotation, scale)),
        (turned, tree.world_rotations(rotation)),
        (partly, tree.world_matrices(rotation=rotation)),
    ):
        assert isinstance(found, kind)
        assert np.allclose(np.asarray(found), expected, atol=1e-4)


def test_an_empty_document_has_an_empty_tree() -> None:
    tree = NodeTree(Document())
    assert (len(tree), tree.levels) == (0, [])
    assert tree.world_matrices().shape == (0, 4, 4)
    assert tree.world_rotations().shape == (0, 4)


def test_nodes_are_named_for_people() -> None:
    tree = NodeTree(Document({"nodes": SCENE}))
    assert tree.label(3) == "'hand' (node 3)"
    assert tree.label(0) == "node 0"


# Faults


def test_a_missing_node_is_reported_and_not_followed() -> None:
    parents, problems = find_parents([[1, 5], [], [2**52]])
    assert parents.tolist() == [-1, 0, -1]
    found = [(problem.pointer, problem.message) for problem in problems]
    assert found == [
        ("/nodes/0/children/1", "there is no node 5"),
        ("/nodes/2/children/0", f"there is no node {2**52}"),
    ]


def test_a_second_parent_is_reported_and_not_followed() -> None:
    parents, problems = find_parents([[2], [3, 2, 3], [], []])
    assert parents.tolist() == [-1, -1, 0, 1]
    assert [(p.pointer, p.nodes) for p in problems] == [
        ("/nodes/1/children/1", (0, 1)),
        ("/nodes/1/children/2", (1, 1)),
    ]


@pytest.mark.parametrize(
    ("children", "cycles"),
    [
        ([[0]], [{0}]),
        ([[1], [0]], [{0, 1}]),
        ([[1], [2], [0], [4], []], [{0, 1, 2}]),
        ([[0], [2], [1], [4], [5], [3]], [{0}, {1, 2}, {3, 4, 5}]),
    ],
)
def test_cycles_are_reported_whole_and_cut(
    children: list[list[int]], cycles: list[set[int]]
) -> None:
    parents, problems = find_parents(children)
    assert [set(problem.nodes) for problem in problems] == cycles
    for problem in problems:
        ring = problem.nodes
        for above, below in zip(ring, (*ring[1:], ring[0]), strict=True):
            assert below in children[above]
            assert parents[below] == -1
    with pytest.raises(CycleError):
        NodeTree(Document({"nodes": [{"children": row} for row in children]}))


def test_a_cycle_error_names_its_nodes() -> None:
    nodes = [{"children": [1]}, {"children": [2]}, {"children": [1]}]
    with pytest.raises(ContentError, match="is a child of node 0 already"):
        NodeTree(Document({"nodes": nodes}))
    with pytest.raises(CycleError, match="2 > 1 > 2") as caught:
        NodeTree(Document({"nodes": [{}, *nodes[1:]]}))
    assert caught.value.nodes == (2, 1)
    assert caught.value.pointer == "/nodes/2/children"


@given(st.lists(st.lists(st.integers(0, 7), max_size=3), max_size=6))
def test_parents_always_form_a_forest(children: list[list[int]]) -> None:
    parents, problems = find_parents(children)
    for start in range(len(children)):
        node, steps = start, 0
        while node >= 0:
            node, steps = int(parents[node]), steps + 1
            assert steps <= len(children)
    edges = [(above, child) for above, row in enumerate(children) for child in row]
    followed = [(int(above), child) for child, above in enumerate(parents) if above >= 0]
    assert set(followed) <= set(edges)
    assert bool(problems) == (len(followed) != len(edges))


def test_many_cycles_take_no_longer_than_many_nodes() -> None:
    count = 50_000
    start = time.perf_counter()
    _, problems = find_parents([[i] for i in range(count)])
    assert len(problems) == count
    assert time.perf_counter() - start < 5


def test_a_long_chain_is_no_recursion() -> None:
    nodes: list[dict[str, Any]] = [{"children": [i + 1]} for i in range(4999)]
    nodes.append({"translation": [1, 2, 3]})
    tree = NodeTree(Document({"nodes": nodes}))
    assert len(tree.levels) == 5000
    assert tree.world_matrices()[-1, :3, 3].tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("node", "pointer"),
    [
        ({"translation": [0, 1e39, 0]}, "/nodes/1/translation"),
        ({"rotation": [1e308] * 4}, "/nodes/1/rotation"),
        ({"scale": [-1e300, 1, 1]}, "/nodes/1/scale"),
        ({"matrix": [1e200] * 16}, "/nodes/1/matrix"),
        ({"translation": [math.nan, 0, 0]}, "/nodes/1/translation"),
        ({"scale": [math.inf, 0, 0]}, "/nodes/1/scale"),
        ({"matrix": [0] * 15}, "/nodes/1/matrix"),
        ({"rotation": [0, 0, 1]}, "/nodes/1/rotation"),
        ({"children": [0.5]}, "/nodes/1/children/0"),
        ({"children": [-1]}, "/nodes/1/children/0"),
        ({"children": "x"}, "/nodes/1/children"),
        (None, "/nodes/1"),
    ],
)
def test_faults_are_reported_with_their_place(node: Any, pointer: str) -> None:
    with pytest.raises(ContentError) as caught:
        NodeTree(Document({"nodes": [{}, node]}))
    assert caught.value.pointer == pointer


def test_world_transforms_that_overflow_are_an_error() -> None:
    nodes: list[dict[str, Any]] = [{"scale": [1e38] * 3, "children": [i + 1]} for i in range(10)]
    tree = NodeTree(Document({"nodes": [*nodes, {}]}))
    with pytest.raises(ContentError, match="not finite"):
        tree.world_matrices()


def test_world_transforms_compose_to_the_world_matrices() -> None:
    rng = np.random.default_rng(8)
    nodes = [
        {
            "translation": rng.normal(size=3).tolist(),
            "rotation": tf.normalize(rng.normal(size=4)).tolist(),
            "scale": [float(rng.choice([-2.0, 0.5, 3.0]))] * 3,
            **({"children": [i + 1]} if i < 5 else {}),
        }
        for i in range(6)
    ]
    nodes[5]["scale"] = [1.0, -2.0, 0.5]  # uneven only at the end: nothing shears
    tree = NodeTree(Document({"asset": {"version": "2.0"}, "nodes": nodes}))
    frames = tf.normalize(rng.normal(size=(7, 6, 4)))
    for rotation in (None, frames):
        world = tree.world_transforms(rotation=rotation)
        matrices = tree.world_matrices(rotation=rotation)
        np.testing.assert_allclose(tf.compose(*world), matrices, atol=1e-12)
    product = np.prod([node["scale"] for node in nodes], axis=0)
    np.testing.assert_allclose(tree.world_transforms().scale[5], product, rtol=1e-12)

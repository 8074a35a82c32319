"""The model's root: an avatar moves the same however a node above it turns or mirrors it."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament import transforms as tf
from ligament.author.ragdoll import add_ragdoll
from ligament.baking import to_vrma
from ligament.errors import LigamentWarning
from ligament.extensions.humanoid.bones import BONES
from ligament.gltf.animation import Track, read_clip, sample_pose
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree
from ligament.rig.humanoid.skeleton import Humanoid
from ligament.rig.motion.load import load_motion
from ligament.rig.motion.motion import Motion
from ligament.rig.retarget import Pose, retarget
from tests.rig.skeletons import animate, humanoid, random_rotation
from tests.sampling import sample

BODY = [bone for bone in BONES if not bone.endswith("Eye")]
TIMES = np.linspace(0, 1, 5)
Y90 = tf.from_axis_angle([0.0, 1, 0], np.pi / 2).tolist()

ROOTS: dict[str, dict[str, Any]] = {
    "turned by 90": {"rotation": Y90},
    "turned by -20": {"rotation": tf.from_axis_angle([0.0, 1, 0], -np.pi / 9).tolist()},
    "turned to the back": {"rotation": [0, 1, 0, 0]},
    "lying": {"rotation": tf.from_axis_angle([1.0, 0, 0], -np.pi / 2).tolist()},
    "upside down": {"rotation": [0, 0, 1, 0]},
    "anyhow": {"rotation": random_rotation(np.random.default_rng(3)).tolist()},
    "mirrored": {"scale": [-1, 1, 1]},
    "mirrored from front to back": {"scale": [1, 1, -1]},
    "mirrored and turned": {"scale": [-2, 2, 2], "rotation": Y90},
    "mirrored in a point": {"scale": [-1, -1, -1]},
    "turned by two mirrors": {"scale": [-1, 1, -1]},
    "in centimetres": {"scale": [0.01] * 3, "rotation": Y90},
}
CASES = sample(itertools.product(ROOTS, ("VRMC_vrm", "VRM", "VRMC_vrm_animation")), 18)


def model(dialect: str = "VRMC_vrm", seed: int = 1, **root: Any) -> Document:
    """A body with random axes and helpers, below a node."""
    return humanoid(BODY, dialect=dialect, rng=np.random.default_rng(seed), between=0.3, root=root)


def moving(dialect: str = "VRMC_vrm_animation", **root: Any) -> Document:
    """The same, animated; in metres of the model, whatever its root."""
    document, rng = model(dialect, **root), np.random.default_rng(5)
    found = Humanoid(document)
    turns = tf.multiply(found.rest_rotation, tf.exp(rng.uniform(-0.5, 0.5, (5, len(BODY), 3))))
    tracks = [Track(int(n), "rotation", TIMES, turns[:, i]) for i, n in enumerate(found.nodes)]
    hips = int(found.nodes[0])
    path = found.tree.translation[hips] + rng.uniform(-0.3, 0.3, (5, 3))
    return animate(document, [*tracks, Track(hips, "translation", TIMES, path)])


def assert_same(a: Pose, b: Pose) -> None:
    assert np.degrees(tf.angle_between(a.rotation, b.rotation)).max() < 1e-4
    np.testing.assert_allclose(a.hips_translation, b.hips_translation, atol=1e-5)


@pytest.mark.parametrize(("root", "dialect"), CASES)
def test_an_avatar_moves_the_same_below_any_root(root: str, dialect: str) -> None:
    motion = load_motion(moving())
    plain, turned = Humanoid(model(dialect)), Humanoid(model(dialect, **ROOTS[root]))
    assert (plain.root.node, turned.root.node) == (-1, 0)
    assert turned.root.deviation < 1e-4
    assert_same(retarget(motion, turned), retarget(motion, plain))
    rotation = random_rotation(np.random.default_rng(2), 3, len(BODY))
    normalized = plain.to_normalized(rotation)
    np.testing.assert_allclose(turned.to_normalized(rotation), normalized, atol=1e-6)


@pytest.mark.parametrize(("root", "dialect"), CASES)
def test_a_motion_is_the_same_below_any_root(root: str, dialect: str) -> None:
    avatar = Humanoid(model(seed=7))
    plain, turned = load_motion(moving(dialect)), load_motion(moving(dialect, **ROOTS[root]))
    assert_same(retarget(turned, avatar), retarget(plain, avatar))


def test_motion_of_the_root_is_that_of_the_hips_in_its_axes() -> None:
    """A body that nods as a whole, once the root is turned too."""

    def nodding(**root: Any) -> Motion:
        document = model("VRMC_vrm_animation", **root)
        rest = root.get("rotation", [0, 0, 0, 1.0])
        nod = tf.from_axis_angle([1.0, 0, 0], np.linspace(0, 0.5, 5))
        return load_motion(
            animate(document, [Track(0, "rotation", TIMES, np.asarray(tf.multiply(rest, nod)))])
        )

    avatar = Humanoid(model(seed=7))
    assert_same(retarget(nodding(rotation=Y90), avatar), retarget(nodding(), avatar))


def test_a_node_that_the_body_compensates_is_not_its_root() -> None:
    document = model()
    nodes, tree = document.json["nodes"], NodeTree(document)
    nodes[0]["rotation"] = Y90
    for child in nodes[0]["children"]:
        back = tf.conjugate(np.array(Y90))
        nodes[child]["rotation"] = tf.multiply(back, tree.rotation[child]).tolist()
        nodes[child]["translation"] = tf.rotate(back, tree.translation[child]).tolist()
    found = Humanoid(document)
    assert found.root.node == -1
    np.testing.assert_allclose(found.world_position, Humanoid(model()).world_position, atol=1e-9)


@pytest.mark.parametrize("root", [{}, ROOTS["turned by 90"], ROOTS["mirrored"]])
def test_a_partial_body_shows_no_heading(root: dict[str, Any]) -> None:
    hand = [bone for bone in BODY if bone in ("hips", "spine") or bone.startswith("leftIndex")]
    document = humanoid(hand, dialect="VRMC_vrm_animation", root=root)
    found = Humanoid(document, complete=False)
    assert (found.root.node, found.root.deviation) == (-1, 0)


def test_a_body_that_no_root_turns_is_reported_when_it_is_moved() -> None:
    document = humanoid(BODY, root={})
    document.json["nodes"][1]["rotation"] = Y90
    avatar = Humanoid(document)
    assert (avatar.root.node, round(avatar.root.deviation)) == (-1, 90)
    with pytest.warns(LigamentWarning, match="/nodes/1: the body is turned by 90"):
        retarget(load_motion(moving()), avatar)


@pytest.mark.parametrize("root", sample(ROOTS, 6))
def test_files_hold_the_motion_of_a_turned_avatar(root: str) -> None:
    motion, document = load_motion(moving()), model(**ROOTS[root])
    avatar = Humanoid(document)
    made = load_motion(to_vrma(avatar, motion))
    assert_same(retarget(made, avatar, TIMES), retarget(motion, avatar, TIMES))


def places(document: Document) -> np.ndarray:
    """World positions (F, N, 3) of the nodes while the only animation plays."""
    tree = NodeTree(document)
    pose = sample_pose(tree, [read_clip(document, 0)], TIMES)
    matrices = tree.world_matrices(pose.translation, pose.rotation, pose.scale)
    return np.asarray(matrices[..., :3, 3])


@pytest.mark.parametrize("root", sample(ROOTS, 8))
@pytest.mark.parametrize("options", [{"root_motion": True}, {"keep_contacts": True}], ids=str)
def test_root_motion_and_contacts_follow_the_turned_model(
    root: str, options: dict[str, bool]
) -> None:
    motion, node = load_motion(moving()), ROOTS[root]
    plain = places(lg.add_motion(model(), motion, rate=30, **options))
    turned = places(lg.add_motion(model(**node), motion, rate=30, **options))
    matrix = tf.compose(
        np.zeros(3),
        np.array(node.get("rotation", [0, 0, 0, 1.0])),
        np.array(node.get("scale", [1.0] * 3)),
    )
    size = abs(node.get("scale", [1.0])[0])
    scaled = plain.copy()
    np.testing.assert_allclose(turned, tf.apply_matrix(matrix, scaled), atol=2e-5 * size + 1e-7)


def test_a_ragdoll_is_fitted_where_the_nodes_are() -> None:
    """A body of a turned model falls as the plain one, turned."""
    falls = []
    for root in ({}, ROOTS["turned by 90"]):
        editor = lg.Editor(humanoid(BODY, root=root))
        add_ragdoll(editor, mass=60)
        falls.append(lg.simulate(editor.document, seconds=0.3).translation)
    assert np.abs(falls[0][-1] - falls[0][0]).max() > 0.3
    np.testing.assert_allclose(falls[1], tf.rotate(np.array(Y90), falls[0]), atol=1e-3)


@pytest.mark.parametrize("root", ["turned by 90", "lying", "anyhow"])
def test_normalizing_keeps_the_turned_root(root: str) -> None:
    document = model(**ROOTS[root])
    normal = Humanoid(lg.normalize(document))
    assert normal.root.node == 0
    np.testing.assert_allclose(normal.rest_rotation, np.tile([0, 0, 0, 1.0], (len(BODY), 1)))
    rotation = random_rotation(np.random.default_rng(2), 3, len(BODY))
    np.testing.assert_allclose(normal.to_normalized(rotation), rotation, atol=1e-6)
    before = NodeTree(document).world_matrices()[: len(document.json["nodes"]), :3, 3]
    after = normal.tree.world_matrices()[: len(before), :3, 3]
    np.testing.assert_allclose(after, before, atol=1e-6)


@pytest.mark.parametrize("root", ["turned by 90", "mirrored"])
def test_the_checker_names_the_root(root: str) -> None:
    found = [issue for issue in lg.check(model(**ROOTS[root])) if issue.code == "HUMANOID_TPOSE"]
    assert [issue.pointer for issue in found] == ["/nodes/0"]
    assert "the whole model" in found[0].message

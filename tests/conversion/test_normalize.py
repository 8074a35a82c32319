"""A normalised document looks and moves like the original, and has no rest rotations."""

from __future__ import annotations

import contextlib
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ligament as lg
from ligament import transforms as tf
from ligament.conversion.normalize import normalize
from ligament.demo import assets
from ligament.errors import ContentError
from ligament.gltf.accessors import append_accessor, read_accessor
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree
from ligament.rig.humanoid.skeleton import Humanoid
from ligament.rig.motion.load import load_motion
from ligament.rig.retarget import retarget
from tests.conversion.rigs import IDENTITY, KINDS, Rig, Seen, holder
from tests.rig.skeletons import humanoid, some_bones

ROOT = Path(__file__).parents[2]

STYLES = ("any", "quarter", "mixed", "none")

# Keys, vertices and bind matrices are stored in single precision, 6e-8 of their size, and rounded
# again; a chain of a dozen nodes adds that up. Of 1500 random rigs none was off by more than 2e-7
# of its size. What is not stored in accessors is exact to double precision.
SINGLE = 2e-6
DOUBLE = 1e-9


def random_rig(rng: np.random.Generator, style: str, *, roots: bool = True) -> Rig:
    """A rig with all that moves: animation, constraints in chains, skins, shared meshes."""
    rig = Rig(rng, style=style)
    count = int(rng.integers(2, 13))
    rig.tree(count, roots=roots)
    shared = [rig.mesh(morphs=2), rig.mesh()]
    joints = rng.permutation(count)[: rng.integers(1, count + 1)].tolist()
    mesh, skin = rig.skin(joints, bound=bool(rng.random() < 0.8))
    for node in rng.permutation(count)[: rng.integers(1, count + 1)].tolist():
        rig.nodes[node]["mesh"] = int(rng.choice(shared))
    rig.nodes[int(rng.integers(count))] |= {"mesh": mesh, "skin": skin}
    rig.nodes[int(rng.integers(count))]["camera"] = 0
    rig.append("cameras", {"type": "perspective", "perspective": {"yfov": 1, "znear": 0.1}})
    moved = rng.permutation(count)[: rng.integers(1, count + 1)].tolist()
    rig.animate([node for node in moved if "matrix" not in rig.nodes[node]] or [rig.node()])
    for node in range(count):
        source = int(rng.integers(count))
        if source != node and rng.random() < 0.4:
            rig.constrain(node, source, str(rng.choice(KINDS)))
    return rig


def assert_same_world(before: Seen, after: Seen) -> None:
    size = 1 + np.abs(before.places).max()
    np.testing.assert_allclose(after.places, before.places, rtol=0, atol=SINGLE * size)
    for name in ("points", "normals", "tangents"):
        ours, theirs = getattr(after, name), getattr(before, name)
        assert ours.keys() == theirs.keys()
        for node, values in theirs.items():
            atol = SINGLE * (1 + np.abs(values).max() + size)
            np.testing.assert_allclose(ours[node], values, rtol=0, atol=atol)


@given(st.integers(0, 2**32), st.sampled_from(STYLES))
def test_every_vertex_is_where_it_was_at_all_times(seed: int, style: str) -> None:
    rig = random_rig(np.random.default_rng(seed), style)
    count = len(rig.nodes)
    before = Seen(rig.document, nodes=count)
    normal = normalize(rig.document)
    after = Seen(normal, nodes=count)
    assert_same_world(before, after)
    camera = next(i for i, node in enumerate(rig.nodes) if "camera" in node)
    view = after.worlds[:, holder(normal, count, camera, "/camera")]
    size = np.abs(before.worlds).max()
    np.testing.assert_allclose(view, before.worlds[:, camera], rtol=0, atol=SINGLE * (1 + size))


@given(st.integers(0, 2**32), st.sampled_from(STYLES))
def test_no_node_has_a_rest_rotation_but_those_that_need_it(seed: int, style: str) -> None:
    rig = random_rig(np.random.default_rng(seed), style)
    count = len(rig.nodes)
    tree = NodeTree(normalize(rig.document))
    children = [node.get("children") for node in rig.nodes]
    turned = np.abs(tree.rotation[:count] - IDENTITY).max(axis=1) > 1e-12  # rounding is no turn
    for node in np.flatnonzero(turned).tolist():
        raw = rig.nodes[node]
        parents = [p for p in range(count) if children[p] and node in children[p]]
        is_constrained = any("extensions" in rig.nodes[n] for n in (node, *parents))
        is_constrained |= any("extensions" in rig.nodes[n] for n in children[node] or ())
        assert is_constrained or ("camera" in raw and not children[node]), node


@given(st.integers(0, 2**32), st.sampled_from(STYLES))
def test_the_original_stays_and_a_second_time_changes_nothing(seed: int, style: str) -> None:
    rig = random_rig(np.random.default_rng(seed), style)
    text = json.dumps(rig.json)
    data = bytes(rig.document.read_buffer(0))
    normal = normalize(rig.document)
    assert json.dumps(rig.json) == text
    assert bytes(rig.document.read_buffer(0)) == data
    again = normalize(normal)
    assert again.json == normal.json
    assert bytes(again.read_buffer(0)) == bytes(normal.read_buffer(0))


def test_the_rest_pose_is_kept_to_double_precision() -> None:
    rig = Rig(np.random.default_rng(1))
    rig.tree(40)
    before, after = NodeTree(rig.document), NodeTree(normalize(rig.document))
    places = [tree.world_matrices()[:, :3, 3] for tree in (before, after)]
    np.testing.assert_allclose(places[1], places[0], rtol=DOUBLE, atol=DOUBLE)
    assert (after.rotation == IDENTITY).all()
    assert not any(
        "rotation" in node or "matrix" in node for node in normalize(rig.document).json["nodes"]
    )


def test_data_that_nothing_uses_any_more_goes_and_the_rest_stays() -> None:
    rig = Rig(np.random.default_rng(2))
    rig.node(mesh=rig.mesh())
    unused = rig.vectors(100)
    length = rig.json["buffers"][0]["byteLength"]
    normal = normalize(rig.document)
    assert len(normal.json["accessors"]) == len(rig.json["accessors"])
    assert normal.json["buffers"][0]["byteLength"] <= length
    kept = [read_accessor(normal, i) for i in range(len(normal.json["accessors"]))]
    lost = read_accessor(rig.document, unused)
    assert any(len(values) == 100 and (values == lost).all() for values in kept)


def test_nodes_with_equal_rotations_share_a_mesh_and_others_get_copies() -> None:
    rig = Rig(np.random.default_rng(3))
    turn = tf.normalize(rig.rng.standard_normal(4))
    mesh = rig.mesh()
    for rotation in (turn, -turn, turn, IDENTITY, IDENTITY, tf.conjugate(turn)):
        rig.node(turn=rotation, mesh=mesh)
    nodes = normalize(rig.document).json["nodes"]
    meshes = [node["mesh"] for node in nodes]
    assert meshes[0] == meshes[1] == meshes[2] != mesh == meshes[3] == meshes[4]
    assert len(set(meshes)) == 3


def test_compressed_numbers_are_decoded() -> None:
    """Normalised bytes and sparse accessors become floats; bounds are those of the new points."""
    rig = Rig(np.random.default_rng(4))
    mesh = rig.mesh(morphs=1)
    primitive = rig.json["meshes"][mesh]["primitives"][0]
    units = np.asarray(read_accessor(rig.document, primitive["attributes"]["NORMAL"]))
    primitive["attributes"]["NORMAL"] = append_accessor(
        rig.document, np.round(units * 127).astype(np.int8), normalized=True
    )
    indices = append_accessor(rig.document, np.array([1, 4], np.uint8))
    values = rig.vectors(2)
    views = [rig.json["accessors"][index]["bufferView"] for index in (indices, values)]
    sparse = {
        "count": 2,
        "indices": {"bufferView": views[0], "componentType": 5121},
        "values": {"bufferView": views[1]},
    }
    target = rig.json["accessors"][primitive["targets"][0]["POSITION"]]
    del target["bufferView"]
    target |= {"sparse": sparse, "min": [-1, -1, -1], "max": [1, 1, 1]}
    node = rig.node(mesh=mesh)
    normal = normalize(rig.document)
    before, after = (Seen(document, nodes=1) for document in (rig.document, normal))
    assert_same_world(before, after)
    turned = normal.json["meshes"][normal.json["nodes"][node]["mesh"]]["primitives"][0]
    accessor = normal.json["accessors"][turned["attributes"]["POSITION"]]
    points = read_accessor(normal, turned["attributes"]["POSITION"])
    assert accessor["min"] == points.min(axis=0).tolist()
    assert accessor["max"] == points.max(axis=0).tolist()


def test_scales_follow_axes_that_are_exchanged() -> None:
    rig = Rig(np.random.default_rng(5), style="quarter")
    top = rig.node()
    node = rig.node(top, scale=[1.0, 2.0, -3.0], mesh=rig.mesh())
    rig.node(node, mesh=rig.mesh())
    rig.animate([top, node])
    scales = np.array([[1.0, 2.0, 3.0], [3.0, -2.0, 1.0]])
    times = rig.json["animations"][0]["samplers"][0]["input"]
    keys = np.repeat(scales, 2, axis=0)
    sampler = {"input": times, "output": append_accessor(rig.document, keys)}
    rig.json["animations"][0]["samplers"].append(sampler)
    count = len(rig.json["animations"][0]["samplers"])
    channel = {"sampler": count - 1, "target": {"node": node, "path": "scale"}}
    rig.json["animations"][0]["channels"].append(channel)
    before = Seen(rig.document, nodes=3)
    assert_same_world(before, Seen(normalize(rig.document), nodes=3))


@pytest.mark.parametrize("animated", [False, True])
def test_a_scale_that_would_shear_is_refused_by_name(animated: bool) -> None:
    rig = Rig(np.random.default_rng(6))
    uneven = [1.0, 2.0, 3.0]
    node = rig.node(name="arm", **({} if animated else {"scale": uneven}))
    rig.node(node)
    if animated:
        rig.animate([node])
        rotation = rig.json["animations"][0]["samplers"][0]
        keys = append_accessor(rig.document, np.array([[1.0, 1, 1]] * 3 + [uneven]))
        rig.json["animations"][0]["samplers"].append({"input": rotation["input"], "output": keys})
        channel = {
            "sampler": len(rig.json["animations"][0]["samplers"]) - 1,
            "target": {"node": node, "path": "scale"},
        }
        rig.json["animations"][0]["channels"].append(channel)
    with pytest.raises(ContentError, match=r"'arm' \(node 0\).*shear"):
        normalize(rig.document)


def test_a_leaf_whose_scale_would_shear_keeps_its_rotation() -> None:
    rig = Rig(np.random.default_rng(7))
    top = rig.node()
    leaf = rig.node(top, scale=[1.0, 2.0, 3.0], mesh=rig.mesh())
    normal = normalize(rig.document)
    assert_same_world(Seen(rig.document, nodes=2), Seen(normal, nodes=2))
    assert len(normal.json["nodes"]) == 2
    assert normal.json["nodes"][leaf]["scale"] == [1, 2, 3]


def test_a_matrix_that_shears_is_refused() -> None:
    rig = Rig(np.random.default_rng(8))
    matrix = np.eye(4)
    matrix[0, 1] = 0.5
    rig.node(matrix=matrix.T.reshape(-1).tolist())
    del rig.nodes[0]["translation"]
    with pytest.raises(ContentError, match=r"/nodes/0/matrix.*shears"):
        normalize(rig.document)


def test_single_precision_noise_counts_as_no_rotation() -> None:
    rig = Rig(np.random.default_rng(9), style="none")
    node = rig.node(turn=[1e-7, -1e-7, 0, 1], mesh=rig.mesh())
    before = dict(rig.nodes[node])
    normal = normalize(rig.document)
    del before["rotation"]
    assert normal.json["nodes"][node] == before
    assert normal.json["meshes"] == rig.json["meshes"]


def judged(*files: Path) -> Any:
    """Reports of the Khronos validator."""
    node, script = ROOT / ".venv" / "bin" / "node", ROOT / "tests" / "judges" / "validate.mjs"
    command = [node, script, *map(str, files)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return json.loads(run.stdout)


def test_the_khronos_validator_finds_nothing_new_and_no_errors(tmp_path: Path) -> None:
    originals, files = [], []
    for seed, style in enumerate(STYLES * 3):
        rig = random_rig(np.random.default_rng(seed), style, roots=False)  # skins need a common one
        originals.append(tmp_path / f"{seed}.glb")
        files.append(tmp_path / f"{seed}.normal.glb")
        lg.save(rig.document, originals[-1])
        lg.save(normalize(rig.document), files[-1])
    reports = judged(*originals, *files)
    for original, file in zip(originals, files, strict=True):
        assert all(message["severity"] > 0 for message in reports[str(file)]), reports[str(file)]
        codes = [{message["code"] for message in reports[str(f)]} for f in (original, file)]
        assert codes[1] <= codes[0]


def avatar_files(folder: Path | None) -> list[Path]:
    own = [path for path in assets() if path.suffix == ".vrm"]
    return own if folder is None else sorted((folder / "golden" / "humanoid").glob("*.vrm"))


def assert_normal_humanoid(document: Document) -> None:
    """Same places, no rest rotations, and the same world under any motion."""
    normal = normalize(document)
    before, after = Humanoid(document), Humanoid(normal)
    assert before.bones == after.bones
    assert (before.nodes == after.nodes).all()
    assert (after.rest_rotation == IDENTITY).all()
    assert tf.angle_between(after.world_rotation, IDENTITY).max() < DOUBLE  # in the root's axes
    size = np.abs(before.world_position).max()
    np.testing.assert_allclose(
        after.world_position, before.world_position, rtol=0, atol=1e-6 * size
    )
    assert normalize(normal).json == normal.json


def assert_same_motion(document: Document, motion: Any) -> None:
    """Retargeted to both avatars, a motion gives the same worlds, constraints included."""
    worlds = []
    for one in (document, normalize(document)):
        avatar = Humanoid(one)
        pose = retarget(motion, avatar)
        tree = NodeTree(one)
        local = np.repeat(tree.rotation[None], len(pose.times), axis=0)
        places = np.repeat(tree.translation[None], len(pose.times), axis=0)
        local[:, pose.nodes] = pose.rotation
        places[:, pose.nodes[0]] = pose.hips_translation
        solved = lg.NodeConstraints(one).solve(local, places)
        worlds.append((tree.world_matrices(places, solved), tree.world_rotations(solved)))
    count = worlds[0][0].shape[1]
    (before, turns), (after, normal) = worlds
    # Nothing here is stored in single precision but the motion, and both read the same motion.
    np.testing.assert_allclose(after[:, :count, :3, 3], before[:, :, :3, 3], rtol=0, atol=1e-6)
    rest = [tree.world_rotations() for tree in (NodeTree(document), NodeTree(normalize(document)))]
    from_rest = tf.multiply(turns, tf.conjugate(rest[0]))
    ours = tf.multiply(normal, tf.conjugate(rest[1]))[:, :count]
    assert tf.angle_between(from_rest, ours).max() < 3e-6


def test_our_own_avatar_is_normal_already() -> None:
    for path in avatar_files(None):
        document = lg.load(path)
        assert normalize(document).json == document.json
        assert_normal_humanoid(document)


@given(st.integers(0, 2**32))
def test_retargeting_to_the_normalised_avatar_gives_the_same_poses(seed: int) -> None:
    rng = np.random.default_rng(seed)
    turn = tf.from_axis_angle([0, 1, 0], rng.uniform(-np.pi, np.pi))
    root = {"rotation": turn.tolist(), "scale": [0.5] * 3}
    document = humanoid(some_bones(rng), rng=rng, between=0.3, root=root)
    assert_normal_humanoid(document)
    motion = load_motion(next(path for path in assets() if path.suffix == ".vrma"))
    assert_same_motion(document, motion)
    pose = retarget(motion, Humanoid(normalize(document)))
    normalised = Humanoid(document).to_normalized(retarget(motion, Humanoid(document)).rotation)
    assert tf.angle_between(pose.rotation, normalised).max() < DOUBLE


def test_reference_avatars_move_the_same(shared: Path) -> None:
    files = avatar_files(shared)
    assert files
    for path in files:
        document = lg.load(path)
        assert_normal_humanoid(document)
        assert_same_motion(document, load_motion(path.with_suffix(".vrma")))


JUNK = (None, -1, 3, 10**9, 1.5, "x", [], {}, [1], {"a": 1}, True, 1e300)


@given(st.integers(0, 2**32))
def test_a_broken_document_is_an_error_and_never_a_traceback(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rig = random_rig(rng, "any")
    places = [(holder, key) for holder in walk(rig.json) for key in keys(holder)]
    for place in rng.integers(len(places), size=2).tolist():
        target, key = places[place]
        target[key] = JUNK[int(rng.integers(len(JUNK)))]
    with contextlib.suppress(lg.LigamentError):
        assert isinstance(normalize(rig.document), Document)


def walk(value: Any) -> Iterator[Any]:
    if isinstance(value, (dict, list)):
        yield value
        for key in keys(value):
            yield from walk(value[key])


def keys(value: Any) -> list[Any]:
    return list(value) if isinstance(value, dict) else list(range(len(value)))

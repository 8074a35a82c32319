"""Motion from glTF: which tracks it is made of, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament import transforms as tf
from ligament.errors import ContentError, FileError, FormatError, LigamentError, LigamentWarning
from ligament.extensions.humanoid.bones import BONES, REQUIRED
from ligament.gltf.accessors import append_accessor
from ligament.gltf.animation import Clip, Track, append_clip
from ligament.gltf.document import Document
from ligament.rig.humanoid.skeleton import Humanoid
from ligament.rig.motion.load import load_motion
from ligament.rig.motion.motion import Motion
from ligament.rig.retarget import retarget
from tests.rig import scalar
from tests.rig.motions import motion as full_motion
from tests.rig.skeletons import IDENTITY, animate, humanoid, random_rotation, wiggle
from tests.rig.world_rotations import turns_in_the_model, turns_of_pose

TIMES = np.array([0.0, 0.5, 1.0])
VRMA = "VRMC_vrm_animation"


def degrees(a: Any, b: Any) -> float:
    return float(np.degrees(tf.angle_between(a, b)).max())


def source(**options: Any) -> Document:
    return humanoid(REQUIRED, dialect=VRMA, **options)


def nodes_of(document: Document) -> dict[str, int]:
    found = Humanoid(document, complete=False)
    return {bone: int(node) for bone, node in zip(found.bones, found.nodes, strict=True)}


# Construction


@pytest.mark.parametrize("kind", ["STEP", "LINEAR", "CUBICSPLINE"])
def test_keys_are_normalised_and_otherwise_as_they_were(kind: Any) -> None:
    rng = np.random.default_rng(1)
    document = source(rng=rng)
    found = Humanoid(document)
    head = found.bones.index("head")
    track = wiggle(rng, int(found.nodes[head]), TIMES, interpolation=kind)
    keys = load_motion(animate(document, [track])).keys("head")
    np.testing.assert_array_equal(keys.times, TIMES)
    assert keys.interpolation == kind
    stored = track.values.astype(np.float32).astype(float)
    for mine, theirs in zip(keys.values.reshape(-1, 4), stored.reshape(-1, 4), strict=True):
        left = scalar.product(found.parent_rotation[head], theirs)
        expected = scalar.product(left, scalar.inverse(found.world_rotation[head]))
        np.testing.assert_allclose(mine, expected, atol=1e-6)


def test_every_track_keeps_its_own_keys() -> None:
    rng = np.random.default_rng(2)
    document = source()
    nodes = nodes_of(document)
    late = np.array([0.25, 2.0])
    tracks = [wiggle(rng, nodes["head"], TIMES), wiggle(rng, nodes["leftHand"], late)]
    motion = load_motion(animate(document, tracks, name="Nod"))
    assert motion.name == "Nod"
    assert motion.bones == ("head", "leftHand")
    assert motion.duration == 2.0
    np.testing.assert_array_equal(motion.keys("leftHand").times, late)
    np.testing.assert_array_equal(motion.times, [0, 0.25, 0.5, 1, 2])
    with pytest.raises(LigamentError, match="use one of 'head', 'leftHand'"):
        motion.keys("jaw")


def test_nodes_between_bones_are_factors_of_the_bone_below() -> None:
    rng = np.random.default_rng(3)
    document = source(rng=rng, between=1.0)
    nodes = nodes_of(document)
    holder = nodes["head"] - 1
    assert document.json["nodes"][holder]["name"] == "head holder"
    tracks = [wiggle(rng, holder, TIMES, interpolation="STEP"), wiggle(rng, nodes["head"], TIMES)]
    motion = load_motion(animate(document, tracks))
    assert motion.factors == {"head": (f"node {holder}", "head")}
    assert motion.bones == ("head",)
    assert motion.keys(f"node {holder}").interpolation == "STEP"


def test_one_node_above_several_bones_is_one_track() -> None:
    """A twisting pelvis node that is no bone carries spine and legs."""
    document = source()
    json = document.json
    nodes = nodes_of(document)
    pelvis = len(json["nodes"])
    hips = json["nodes"][nodes["hips"]]
    json["nodes"].append({"name": "pelvis", "children": hips["children"]})
    hips["children"] = [pelvis]
    motion = load_motion(animate(document, [wiggle(np.random.default_rng(0), pelvis, TIMES)]))
    assert len(motion.rotations) == 1
    assert motion.rotations[0].names == (f"node {pelvis}",)
    assert set(motion.factors) == {"spine", "leftUpperLeg", "rightUpperLeg"}
    assert motion.bones == ("spine", "leftUpperLeg", "rightUpperLeg")


def test_everything_above_the_hips_moves_them() -> None:
    """Translation, rotation and scale of two nodes above, and of the hips themselves."""
    rng = np.random.default_rng(4)
    document = source(rng=rng, between=1.0, root={"translation": [0.1, 0.2, 0.3]})
    nodes = nodes_of(document)
    holder = nodes["hips"] - 1
    other = np.array([0.1, 0.9])
    tracks = [
        Track(0, "translation", TIMES, rng.uniform(-1, 1, (3, 3))),
        wiggle(rng, 0, other),
        Track(0, "scale", TIMES, np.repeat(rng.uniform(0.5, 2, (3, 1)), 3, axis=1)),
        wiggle(rng, holder, TIMES, interpolation="CUBICSPLINE"),
        Track(nodes["hips"], "translation", other, rng.uniform(-1, 1, (2, 3)), "STEP"),
    ]
    motion = load_motion(animate(document, tracks))
    assert motion.hips is not None
    assert len(motion.hips.above) == 2
    at = np.linspace(-0.1, 1.1, 13)
    _, places = turns_in_the_model(document, at)
    np.testing.assert_allclose(motion.hips.sample(at), places, atol=1e-6)


def test_hips_without_a_track_move_with_what_is_above() -> None:
    rng = np.random.default_rng(5)
    document = source(root={})
    motion = load_motion(animate(document, [wiggle(rng, 0, TIMES)]))
    assert motion.hips is not None
    _, places = turns_in_the_model(document, TIMES)
    np.testing.assert_allclose(motion.hips.sample(TIMES), places, atol=1e-6)
    assert motion.factors == {"hips": ("node 0",)}


def test_an_avatar_of_the_old_version_is_turned_to_the_front() -> None:
    """Its motion, moved to itself, is what it was, and +Z is forward in between."""
    rng = np.random.default_rng(6)
    document = humanoid(REQUIRED, dialect="VRM", rng=rng, root={"translation": [0.1, 0, 0.2]})
    nodes = nodes_of(document)
    tracks = [wiggle(rng, node, TIMES) for node in nodes.values()]
    tracks.append(Track(nodes["hips"], "translation", TIMES, rng.uniform(-1, 1, (3, 3))))
    motion = load_motion(animate(document, tracks))
    turns, places = turns_in_the_model(document, TIMES)
    assert motion.hips is not None
    np.testing.assert_allclose(motion.hips.sample(TIMES), places * [-1, 1, -1], atol=1e-6)
    np.testing.assert_allclose(motion.hips_rest, Humanoid(document).hips_rest * [-1, 1, -1])
    assert degrees(motion.keys("hips").values, turns["hips"] * [-1, 1, -1, 1]) < 1e-4
    pose = retarget(motion, Humanoid(document))
    again, where = turns_of_pose(pose, Humanoid(document))
    np.testing.assert_allclose(where, places, atol=1e-6)
    assert max(degrees(again[bone], turns[bone]) for bone in turns) < 1e-4


def test_expressions_and_gaze() -> None:
    motion = load_motion(full_motion())
    (curves,) = motion.expressions
    assert curves.names == ("happy",)
    np.testing.assert_array_equal(motion.keys("happy").values, [[0], [1]])
    assert motion.look_at is not None


def test_weights_are_clamped_when_sampled() -> None:
    document = full_motion()
    face = document.json["extensions"][VRMA]["expressions"]["preset"]["happy"]["node"]
    document.json["animations"].clear()
    values = np.array([[-1.0, 9, 9], [0.5, 9, 9], [2, 9, 9]])
    animate(document, [Track(face, "translation", TIMES, values)])
    pose = retarget(load_motion(document), Humanoid(humanoid(REQUIRED)), [0, 0.25, 0.5, 0.75, 1])
    np.testing.assert_allclose(pose.expressions["happy"], [0, 0, 0.5, 1, 1])


def test_a_face_alone_is_a_motion() -> None:
    document = full_motion()
    del document.json["extensions"][VRMA]["humanoid"]
    motion = load_motion(document)
    assert motion.bones == ()
    assert motion.rotations == ()
    avatar = Humanoid(humanoid(BONES, rng=np.random.default_rng(0)))
    pose = retarget(motion, avatar)
    assert degrees(pose.rotation, avatar.rest_rotation) < 1e-9
    assert pose.expressions["happy"].tolist() == [0, 1]


def test_one_key_is_a_constant() -> None:
    document = source()
    turn = random_rotation(np.random.default_rng(8))
    nodes = nodes_of(document)
    animate(document, [Track(nodes["head"], "rotation", np.array([0.7]), turn[None])])
    motion = load_motion(document)
    assert motion.duration == pytest.approx(0.7)
    pose = retarget(motion, Humanoid(humanoid(REQUIRED)), [-1, 0.7, 5])
    assert degrees(pose.rotation[:, pose.bones.index("head")], turn) < 1e-4


# Where it comes from


def test_files_and_documents_and_avatars_with_animations(tmp_path: Path) -> None:
    document = humanoid(REQUIRED)
    animate(document, [wiggle(np.random.default_rng(0), 1, TIMES)], name="A")
    animate(document, [wiggle(np.random.default_rng(1), 2, TIMES)], name="B")
    path = tmp_path / "avatar.vrm"
    lg.save(document, path)
    for where in (path, str(path), lg.load(path)):
        assert load_motion(where).name == "A"
        assert load_motion(where, animation="B").bones == ("head",)
        assert load_motion(where, animation=1).name == "B"


@pytest.mark.parametrize(
    "prefix", ["mixamorig", "mixamorig:", "mixamorig1:", "Armature|mixamorig:"]
)
def test_mixamo_names(prefix: str) -> None:
    """A skeleton that only its names tell; turned rest poses and a root scaled to centimetres."""
    names = {
        "hips": "Hips",
        "spine": "Spine",
        "chest": "Spine1",
        "upperChest": "Spine2",
        "neck": "Neck",
        "head": "Head",
    }
    for side, word in (("left", "Left"), ("right", "Right")):
        names |= {
            f"{side}Shoulder": f"{word}Shoulder",
            f"{side}UpperArm": f"{word}Arm",
            f"{side}LowerArm": f"{word}ForeArm",
            f"{side}Hand": f"{word}Hand",
            f"{side}UpperLeg": f"{word}UpLeg",
            f"{side}LowerLeg": f"{word}Leg",
            f"{side}Foot": f"{word}Foot",
            f"{side}Toes": f"{word}ToeBase",
        }
        for new, old in (("Metacarpal", 1), ("Proximal", 2), ("Distal", 3)):
            names[f"{side}Thumb{new}"] = f"{word}HandThumb{old}"
        for finger, spoken in (("Index", "Index"), ("Little", "Pinky")):
            for i, segment in enumerate(("Proximal", "Intermediate", "Distal"), 1):
                names[f"{side}{finger}{segment}"] = f"{word}Hand{spoken}{i}"
    rng = np.random.default_rng(9)
    document = humanoid(names, rng=rng, root={"scale": [0.01] * 3}, size=100.0)
    twin = document.copy()
    for node in document.json["nodes"]:
        node["name"] = prefix + names.get(node["name"], node["name"])
    del document.json["extensions"]
    found = Humanoid(twin)
    tracks = [wiggle(rng, int(node), TIMES) for node in found.nodes]
    tracks.append(Track(int(found.nodes[0]), "translation", TIMES, rng.uniform(0, 99, (3, 3))))
    mine, theirs = load_motion(animate(document, tracks)), load_motion(animate(twin, tracks))
    assert set(mine.bones) == set(names)
    for bone in names:
        assert degrees(mine.keys(bone).values, theirs.keys(bone).values) < 1e-6
    assert mine.hips is not None
    assert theirs.hips is not None
    np.testing.assert_allclose(mine.hips.sample(TIMES), theirs.hips.sample(TIMES))
    assert mine.hips_height == pytest.approx(1.0)


def test_a_named_skeleton_that_rests_with_its_arms_down_is_aligned() -> None:
    """At rest its arms hang; what is moved to an avatar must hang too, also without a track."""
    document = humanoid(REQUIRED)
    nodes = document.json["nodes"]
    by_name = {node["name"]: node for node in nodes}
    for side, x in (("left", 1.0), ("right", -1.0)):
        # Lower arm and hand below the upper arm instead of beside it.
        for bone in ("LowerArm", "Hand"):
            length = abs(by_name[f"{side}{bone}"]["translation"][0])
            by_name[f"{side}{bone}"]["translation"] = [0, -length, 0]
        assert by_name[f"{side}UpperArm"]["translation"][0] * x > 0
    del document.json["extensions"]
    head = nodes.index(by_name["head"])
    tracks = [Track(head, "rotation", TIMES, np.tile(IDENTITY, (3, 1)))]
    motion = load_motion(animate(document, tracks))
    assert {"leftUpperArm", "rightUpperArm", "head"} == set(motion.bones)
    avatar = Humanoid(humanoid(REQUIRED))
    pose = retarget(motion, avatar, [0.0])
    rotation = avatar.tree.rotation.copy()
    rotation[pose.nodes] = pose.rotation[0]
    places = avatar.tree.world_matrices(rotation=rotation)[:, :3, 3]
    at = dict(zip(avatar.bones, avatar.nodes, strict=True))
    for side in ("left", "right"):
        way = places[at[f"{side}Hand"]] - places[at[f"{side}UpperArm"]]
        np.testing.assert_allclose(way / np.linalg.norm(way), [0, -1, 0], atol=1e-12)


# Errors


def refused(document: Any, kind: type[LigamentError] = ContentError, **options: Any) -> Any:
    with pytest.raises(kind) as caught:
        load_motion(document, **options)
    assert caught.value.remedy
    return caught.value


def test_a_file_without_a_humanoid() -> None:
    document = Document({"asset": {"version": "2.0"}, "nodes": [{"name": "a"}, {"name": "b"}]})
    animate(document, [wiggle(np.random.default_rng(0), 0, TIMES)])
    assert "no humanoid" in refused(document).message


def test_a_file_without_an_animation() -> None:
    error = refused(source())
    assert "no animation" in error.message
    assert error.pointer == "/animations"


@pytest.mark.parametrize("animation", ["C", 1, -1])
def test_an_animation_that_is_not_there(animation: Any) -> None:
    document = animate(source(), [wiggle(np.random.default_rng(0), 1, TIMES)], name="A")
    error = refused(document, animation=animation)
    assert "'A'" in str(error.remedy)


def test_an_animation_of_something_else() -> None:
    document = source()
    document.json["nodes"].append({"name": "lamp"})
    animate(document, [wiggle(np.random.default_rng(0), 15, TIMES)])
    assert "moves no bone" in refused(document).message


def test_an_animation_without_channels() -> None:
    document = source()
    document.json["animations"] = [{"channels": [], "samplers": []}]
    assert "moves no bone" in refused(document).message


def test_keys_out_of_order() -> None:
    document = animate(source(), [wiggle(np.random.default_rng(0), 1, TIMES[:2])])
    sampler = document.json["animations"][0]["samplers"][0]
    sampler["input"] = append_accessor(document, np.array([1.0, 0.0]))
    assert "strictly" in str(refused(document).remedy)


def test_keys_that_are_not_finite(tmp_path: Path) -> None:
    track = wiggle(np.random.default_rng(0), 1, TIMES)
    path = tmp_path / "motion.vrma"
    lg.save(animate(source(), [track]), path)
    key, nan = (np.float32(value).tobytes() for value in (track.values[1, 2], np.nan))
    data = path.read_bytes()
    assert data.count(key) == 1
    path.write_bytes(data.replace(key, nan))
    assert "not finite" in refused(path).message


def test_hips_at_height_zero_are_measured_from_the_lowest_bone() -> None:
    document = source(root={"translation": [0, -1, 0]})
    places = np.tile([0.0, 1, 0], (3, 1))
    animate(document, [Track(1, "translation", TIMES, places)])
    with pytest.warns(LigamentWarning, match="lowest bone"):
        assert load_motion(document).hips_height == pytest.approx(0.9)


def test_hips_at_height_zero_do_not_matter_when_they_stay() -> None:
    document = source(root={"translation": [0, -1, 0]})
    animate(document, [wiggle(np.random.default_rng(0), 2, TIMES)])
    assert load_motion(document).hips is None


def test_a_motion_whose_hips_have_no_height_is_refused() -> None:
    path = load_motion(
        animate(source(), [Track(0, "translation", TIMES, np.tile([0.0, 1, 0], (3, 1)))])
    ).hips
    with pytest.raises(ContentError, match="height of 0 m"):
        Motion(name="x", rotations=(), hips_rest=np.zeros(3), hips_height=0.0, hips=path)


def test_a_motion_may_lack_required_bones() -> None:
    document = source()
    bones = document.json["extensions"][VRMA]["humanoid"]["humanBones"]
    nodes = nodes_of(document)
    for bone in list(bones):
        if bone not in ("hips", "spine", "head"):
            del bones[bone]
    animate(document, [wiggle(np.random.default_rng(0), nodes["head"], TIMES)])
    assert load_motion(document).bones == ("head",)


def test_files_that_are_not_there_or_no_motion(tmp_path: Path) -> None:
    refused(tmp_path / "absent.vrma", FileError)
    refused(tmp_path, FileError)
    path = tmp_path / "text.vrma"
    path.write_text("hello")
    error = refused(path, FormatError)
    assert str(path) in str(error)


def test_a_clip_can_be_appended_after_loading_without_touching_the_motion() -> None:
    document = animate(source(), [wiggle(np.random.default_rng(0), 1, TIMES)])
    motion = load_motion(document)
    before = motion.rotations[0].values.copy()
    append_clip(document, Clip("B", (wiggle(np.random.default_rng(1), 1, TIMES),)))
    np.testing.assert_array_equal(motion.rotations[0].values, before)

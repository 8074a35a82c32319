"""Contents of nodes keep their place and direction, and references still find them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament import transforms as tf
from ligament.conversion.normalize import normalize
from ligament.errors import ContentError, LigamentWarning
from ligament.gltf import pointers
from ligament.gltf.accessors import append_accessor, read_accessor
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree
from tests.conversion import rigs
from tests.conversion.rigs import Rig, Seen

CLOSE = 1e-9
KHR = "KHR_physics_rigid_bodies"
BODIES = (
    KHR,
    "KHR_physics_rigid_body",
    "KHR_rigid_bodies",
    "MSFT_rigid_bodies",
    "OMI_physics_body",
)


def limb(seed: int, **members: Any) -> Rig:
    """A root, a bone below it that is animated, with these members, and a child of that."""
    rig = Rig(np.random.default_rng(seed))
    root = rig.node()
    bone = rig.node(root, name="bone", **members)
    rig.node(bone)
    rig.animate([bone])
    return rig


def worlds(document: Document) -> tuple[np.ndarray, np.ndarray]:
    """World matrices (N, 4, 4) and rotations (N, 4) at rest."""
    tree = NodeTree(document)
    return tree.world_matrices(), tree.world_rotations()


def holder(document: Document, pointer: str) -> int:
    """The only node that has something."""
    nodes = document.json["nodes"]
    (found,) = [i for i, node in enumerate(nodes) if pointers.find(node, pointer) is not None]
    return found


def mesh_points(document: Document, node: int) -> np.ndarray:
    """The points (V, 3) of the mesh of a node as they are stored."""
    mesh = document.json["meshes"][document.json["nodes"][node]["mesh"]]
    accessor = mesh["primitives"][0]["attributes"]["POSITION"]
    return np.asarray(read_accessor(document, accessor), float)


def assert_same_place(before: Document, after: Document, pointer: str) -> None:
    """Compare the world matrices of the nodes that have something, over time."""
    count = len(before.json["nodes"])
    ours, theirs = Seen(after, nodes=count), Seen(before, nodes=count)
    np.testing.assert_allclose(
        ours.worlds[:, holder(after, pointer)],
        theirs.worlds[:, holder(before, pointer)],
        rtol=0,
        atol=2e-6 * (1 + np.abs(theirs.worlds).max()),  # keys are stored in single precision
    )


@pytest.mark.parametrize(
    ("member", "content"),
    [
        ("/camera", 0),
        ("/extensions/KHR_lights_punctual", {"light": 0}),
        ("/extensions/OMI_collider", {"collider": 0}),
        ("/extensions/MSFT_collision_primitives", {"collider": 0}),
        ("/extensions/KHR_audio_emitter", {"emitter": 0}),
        ("/extensions/EXAMPLE_unheard_of", {"along": [0, 0, 1]}),
        *[(f"/extensions/{name}/collider", {"shape": 0}) for name in BODIES],
        *[(f"/extensions/{name}/trigger", {"shape": 0}) for name in BODIES],
        *[(f"/extensions/{name}/joint", {"joint": 0}) for name in BODIES[:4]],
        ("/extensions/OMI_physics_joint", {"nodeA": 0, "nodeB": 1, "constraints": [0]}),
    ],
)
def test_contents_that_cannot_be_rotated_move_to_a_child(member: str, content: Any) -> None:
    name, *rest = pointers.split(member)
    for inner in reversed(rest):
        content = {inner: content}
    rig = limb(1, **{name: content})
    normal = normalize(rig.document)
    assert holder(normal, member) == len(rig.nodes)
    assert normal.json["nodes"][-1]["name"] == "bone content"
    assert normal.json["nodes"][1].keys() == {"name", "translation", "children"}
    assert_same_place(rig.document, normal, member)
    assert normalize(normal).json == normal.json


@pytest.mark.parametrize(
    "extension",
    [
        {"KHR_node_visibility": {"visible": False}},
        {KHR: {"trigger": {"nodes": [2]}}},
        {"OMI_physics_body": {"collider": {"shape": -1}, "trigger": {}}},
        {"OMI_physics_body": {"type": "kinematic"}},
    ],
)
def test_contents_without_axes_stay(extension: dict[str, Any]) -> None:
    rig = limb(2, extensions=extension)
    normal = normalize(rig.document)
    assert len(normal.json["nodes"]) == 3
    assert normal.json["nodes"][1]["extensions"] == extension


def test_a_leaf_that_nothing_poses_keeps_its_rotation() -> None:
    rig = limb(3)
    leaf = rig.node(2, camera=0, mesh=rig.mesh())
    rig.append("cameras", {"type": "perspective", "perspective": {"yfov": 1, "znear": 0.1}})
    normal = normalize(rig.document)
    assert len(normal.json["nodes"]) == len(rig.nodes)
    assert (mesh_points(normal, leaf) == mesh_points(rig.document, leaf)).all()
    turn = worlds(rig.document)[1][leaf]
    assert tf.angle_between(np.array(normal.json["nodes"][leaf]["rotation"]), turn) < CLOSE
    assert_same_place(rig.document, normal, "/camera")


def test_references_follow_what_they_meant() -> None:
    """Joints mean frames, compound triggers mean triggers, bodies stay the nodes that they are."""
    rig = limb(4)
    rig.nodes[0]["extensions"] = {KHR: {"trigger": {"nodes": [1]}, "motion": {}}}
    shape = {"geometry": {"shape": 0}}
    rig.nodes[1]["extensions"] = {KHR: {"motion": {}, "collider": shape, "trigger": shape}}
    rig.nodes[2]["extensions"] = {
        KHR: {"joint": {"connectedNode": 1, "joint": 0}},
        "OMI_physics_joint": {"nodeA": 1, "nodeB": 0, "constraints": [0]},
    }
    normal = normalize(rig.document)
    nodes = normal.json["nodes"]
    carrier = holder(normal, f"/extensions/{KHR}/collider")
    assert carrier >= 3
    assert nodes[carrier]["extensions"] == {KHR: {"collider": shape, "trigger": shape}}
    assert nodes[1]["extensions"] == {KHR: {"motion": {}}}
    assert nodes[0]["extensions"][KHR]["trigger"]["nodes"] == [carrier]
    joint = nodes[2]["extensions"]  # a leaf: it keeps its rotation, and the joint
    assert joint[KHR]["joint"]["connectedNode"] == carrier
    assert (joint["OMI_physics_joint"]["nodeA"], joint["OMI_physics_joint"]["nodeB"]) == (1, 0)
    for pointer in (f"/extensions/{KHR}/joint", f"/extensions/{KHR}/collider"):
        assert_same_place(rig.document, normal, pointer)
    assert normalize(normal).json == normal.json


def test_a_joint_finds_the_frame_of_a_node_that_carries_nothing_else() -> None:
    rig = limb(5)
    rig.node(extensions={KHR: {"joint": {"connectedNode": 1, "joint": 0}}})
    normal = normalize(rig.document)
    frame = normal.json["nodes"][3]["extensions"][KHR]["joint"]["connectedNode"]
    assert frame == 4
    before, after = worlds(rig.document)[0], worlds(normal)[0]
    np.testing.assert_allclose(after[frame], before[1], atol=CLOSE)
    np.testing.assert_allclose(after[3], before[3], atol=CLOSE)
    assert normalize(normal).json == normal.json


@pytest.mark.parametrize("source", [1, 0])
def test_a_collider_made_of_the_meshes_of_a_node_turns_with_them(source: int) -> None:
    rig = limb(6, extensions={KHR: {"collider": {"geometry": {"node": source}}}})
    rig.nodes[0]["mesh"], rig.nodes[1]["mesh"], rig.nodes[2]["mesh"] = (rig.mesh() for _ in "abc")
    normal = normalize(rig.document)

    def points(document: Document) -> np.ndarray:
        """Points of the collider: those of the meshes below, as seen from there, put here."""
        place = holder(document, f"/extensions/{KHR}/collider")
        matrices = worlds(document)[0]
        shapes = []
        for node in (0, 1, 2)[source:]:
            local = np.linalg.inv(matrices[source]) @ matrices[node]
            shapes.append(tf.apply_matrix(matrices[place] @ local, mesh_points(document, node)))
        return np.concatenate(shapes)

    np.testing.assert_allclose(points(normal), points(rig.document), rtol=0, atol=1e-6)
    assert (holder(normal, f"/extensions/{KHR}/collider") == 1) == (source == 1)


@pytest.mark.parametrize("camera", [False, True])
def test_a_leaf_whose_shape_turns_does_not_keep_its_rotation(camera: bool) -> None:
    shape = {KHR: {"collider": {"geometry": {"node": 1}}}}
    rig = limb(21, mesh=0)
    rig.mesh()
    leaf = rig.node(0, extensions=shape, **({"camera": 0} if camera else {}))
    normal = normalize(rig.document)
    assert "rotation" not in normal.json["nodes"][leaf]
    place = holder(normal, f"/extensions/{KHR}/collider")
    turned, own = mesh_points(normal, 1), mesh_points(rig.document, 1)
    ours = tf.apply_matrix(worlds(normal)[0][place], turned)
    theirs = tf.apply_matrix(worlds(rig.document)[0][leaf], own)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-6)
    if camera:
        assert_same_place(rig.document, normal, "/camera")
    assert normalize(normal).json == normal.json


def test_shapes_made_of_one_another_settle() -> None:
    rig = limb(22, mesh=0)
    mesh = rig.mesh()
    below = rig.node(0, mesh=mesh, extensions={KHR: {"collider": {"geometry": {"node": 1}}}})
    rig.node(0, extensions={KHR: {"collider": {"geometry": {"node": below}}}})
    normal = normalize(rig.document)
    assert not any("rotation" in node for node in normal.json["nodes"][: len(rig.nodes)])
    assert normalize(normal).json == normal.json


@pytest.mark.parametrize("name", [*BODIES, "flat"])
def test_mass_and_velocity_stay_the_same_in_the_world(name: str) -> None:
    flat, name = name == "flat", name.replace("flat", "OMI_physics_body")
    rng = np.random.default_rng(7)
    vectors = {m: rng.standard_normal(3).tolist() for m in ("linearVelocity", "angularVelocity")}
    motion: dict[str, Any] = {"centerOfMass": [0.1, 0.2, 0.3], "mass": 2, **vectors}
    if flat:
        half = rng.standard_normal((3, 3))
        motion |= {"type": "rigid", "inertiaTensor": (half @ half.T).reshape(-1).tolist()}
    else:
        motion["inertiaDiagonal"] = [1.0, 2.0, 3.0]
        if name != "OMI_physics_body":
            motion["inertiaOrientation"] = tf.normalize(rng.standard_normal(4)).tolist()
    rig = limb(8, extensions={name: motion if flat else {"motion": motion}})

    def world(document: Document) -> list[np.ndarray]:
        body = document.json["nodes"][1]["extensions"][name]
        body = body if flat else body["motion"]
        matrices, rotations = worlds(document)
        turn = tf.to_matrix(rotations[1])
        if flat:
            inertia = np.array(body["inertiaTensor"]).reshape(3, 3)
        else:
            axes = tf.to_matrix(np.array(body.get("inertiaOrientation", [0, 0, 0, 1.0])))
            inertia = axes @ np.diag(body["inertiaDiagonal"]) @ axes.T
        turned = [turn @ body[member] for member in vectors]
        centre = tf.apply_matrix(matrices[1], np.array(body["centerOfMass"]))
        return [centre, *turned, turn @ inertia @ turn.T]

    for ours, theirs in zip(world(normalize(rig.document)), world(rig.document), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=CLOSE)


def test_spring_bone_colliders_stay_where_they_were() -> None:
    rig = limb(9)
    shapes = [
        {"sphere": {"offset": [0.1, 0.2, 0.3], "radius": 1}},
        {"capsule": {"offset": [0.1, 0, 0], "radius": 1, "tail": [0, 0, 0.4]}},
    ]
    extended = {"specVersion": "1.0", "shape": {"plane": {"offset": [1, 0, 0]}}}
    colliders: list[dict[str, Any]] = [{"node": 1, "shape": shape} for shape in shapes]
    colliders[0]["extensions"] = {"VRMC_springBone_extended_collider": extended}
    spring = {"specVersion": "1.0", "colliders": colliders}
    rig.json["extensions"] = {"VRMC_springBone": spring}
    normal = normalize(rig.document)

    def world(document: Document) -> list[np.ndarray]:
        matrices, rotations = worlds(document)
        first, second = document.json["extensions"]["VRMC_springBone"]["colliders"]
        plane = first["extensions"]["VRMC_springBone_extended_collider"]["shape"]["plane"]
        capsule = second["shape"]["capsule"]
        places = (first["shape"]["sphere"]["offset"], capsule["offset"], capsule["tail"])
        normal = np.array(plane.get("normal", [0.0, 0.0, 1.0]))
        return [
            *(tf.apply_matrix(matrices[1], np.array(p, float)) for p in (*places, plane["offset"])),
            tf.rotate(rotations[1], normal),
        ]

    for ours, theirs in zip(world(normal), world(rig.document), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=CLOSE)


def test_the_gaze_starts_where_it_did() -> None:
    rig = limb(10)
    bones = {"head": {"node": 1}}
    look_at = {"offsetFromHeadBone": [0.0, 0.1, 0.2]}
    rig.json["extensions"] = {"VRMC_vrm": {"humanoid": {"humanBones": bones}, "lookAt": look_at}}
    normal = normalize(rig.document)
    eyes = [
        tf.apply_matrix(
            worlds(d)[0][1],
            np.array(d.json["extensions"]["VRMC_vrm"]["lookAt"]["offsetFromHeadBone"]),
        )
        for d in (normal, rig.document)
    ]
    np.testing.assert_allclose(eyes[0], eyes[1], atol=CLOSE)


def test_vectors_of_vrm_0_have_their_z_the_other_way() -> None:
    rig = limb(11)
    first = {"firstPersonBone": 1, "firstPersonBoneOffset": {"x": 0.1, "y": 0.2, "z": 0.3}}
    groups = [{"node": 1, "colliders": [{"offset": {"x": 0.3, "z": -0.1}, "radius": 1}]}]
    rig.json["extensions"] = {
        "VRM": {"firstPerson": first, "secondaryAnimation": {"colliderGroups": groups}}
    }

    def world(document: Document) -> list[np.ndarray]:
        root = document.json["extensions"]["VRM"]
        group = root["secondaryAnimation"]["colliderGroups"][0]
        offsets = (root["firstPerson"]["firstPersonBoneOffset"], group["colliders"][0]["offset"])
        vectors = [np.array([o["x"], o.get("y", 0.0), -o["z"]]) for o in offsets]
        return [tf.apply_matrix(worlds(document)[0][1], vector) for vector in vectors]

    for ours, theirs in zip(world(normalize(rig.document)), world(rig.document), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=CLOSE)


def _unknown_compression(rig: Rig, mesh: int) -> None:
    primitive = rig.json["meshes"][mesh]["primitives"][0]
    primitive["extensions"] = {"EXAMPLE_compression": {}}


def _own_attribute(rig: Rig, mesh: int) -> None:
    rig.json["meshes"][mesh]["primitives"][0]["attributes"]["_WIND"] = rig.vectors(6)


def _shape(rig: Rig, mesh: int) -> None:
    shapes = [{"type": "convex", "convex": {"mesh": mesh}}]
    rig.json["extensions"] = {"KHR_collision_shapes": {"shapes": shapes}}


def _bound_and_shared(rig: Rig, mesh: int) -> None:
    group = {"binds": [{"mesh": mesh, "index": 0, "weight": 100}]}
    rig.json["extensions"] = {"VRM": {"blendShapeMaster": {"blendShapeGroups": [group]}}}
    rig.node(mesh=mesh)


@pytest.mark.parametrize("fix", [_unknown_compression, _own_attribute, _shape, _bound_and_shared])
def test_a_mesh_that_cannot_be_turned_goes_to_a_child_with_its_weights(fix: Any) -> None:
    rig = limb(12)
    mesh = rig.mesh(morphs=2)
    rig.nodes[1] |= {"mesh": mesh, "weights": [0.3, 0.6]}
    fix(rig, mesh)
    animation = rig.json["animations"][0]
    keys = append_accessor(rig.document, np.linspace(0, 1, 8))
    animation["samplers"].append({"input": animation["samplers"][0]["input"], "output": keys})
    target = {"node": 1, "path": "weights"}
    animation["channels"].append({"sampler": len(animation["samplers"]) - 1, "target": target})
    bind = {"node": 1, "index": 0, "weight": 1.0}
    annotation = {"node": 1, "type": "both"}
    rig.json.setdefault("extensions", {})["VRMC_vrm"] = {
        "expressions": {"preset": {"happy": {"morphTargetBinds": [bind]}}},
        "firstPerson": {"meshAnnotations": [annotation]},
    }
    count = len(rig.nodes)
    normal = normalize(rig.document)
    carrier = holder(normal, "/weights")
    assert carrier >= count
    assert (mesh_points(normal, carrier) == mesh_points(rig.document, 1)).all()
    before, after = Seen(rig.document, nodes=count), Seen(normal, nodes=count)
    for node, points in before.points.items():
        np.testing.assert_allclose(after.points[node], points, rtol=0, atol=2e-5)
    avatar = normal.json["extensions"]["VRMC_vrm"]
    assert avatar["expressions"]["preset"]["happy"]["morphTargetBinds"][0]["node"] == carrier
    assert avatar["firstPerson"]["meshAnnotations"][0]["node"] == carrier
    assert normal.json["animations"][0]["channels"][-1]["target"]["node"] == carrier
    assert normalize(normal).json == normal.json


def test_instances_stay_where_they_were() -> None:
    rig = limb(13)
    attributes = {"TRANSLATION": rig.vectors(3)}
    rig.nodes[1]["mesh"] = rig.mesh()
    rig.nodes[1]["extensions"] = {"EXT_mesh_gpu_instancing": {"attributes": attributes}}
    normal = normalize(rig.document)
    assert_same_place(rig.document, normal, "/extensions/EXT_mesh_gpu_instancing")
    assert holder(normal, "/mesh") == holder(normal, "/extensions/EXT_mesh_gpu_instancing") == 3


def test_a_mesh_named_by_an_avatar_is_turned_in_its_place() -> None:
    rig = limb(14)
    rig.nodes[1]["mesh"] = rig.mesh()
    annotations = [{"mesh": 0, "firstPersonFlag": "Auto"}]
    rig.json["extensions"] = {"VRM": {"firstPerson": {"meshAnnotations": annotations}}}
    normal = normalize(rig.document)
    assert len(normal.json["meshes"]) == 1
    assert len(normal.json["nodes"]) == 3
    ours, theirs = (Seen(document, nodes=3).points[1] for document in (normal, rig.document))
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=2e-5)


def pointed(rig: Rig, pointer: str) -> dict[str, Any]:
    """Let the first channel animate a JSON pointer; returns where that stands."""
    target = rig.json["animations"][0]["channels"][0]["target"]
    extension = {"pointer": pointer}
    target.clear()
    target |= {"path": "pointer", "extensions": {"KHR_animation_pointer": extension}}
    return extension


def test_pointers_move_nodes_and_follow_what_they_name() -> None:
    rig = limb(15)
    pointed(rig, "/nodes/1/rotation")
    before = Seen(rig.document, nodes=3)
    after = Seen(normalize(rig.document), nodes=3)
    np.testing.assert_allclose(after.places, before.places, rtol=0, atol=2e-5)
    light = {"KHR_lights_punctual": {"light": 0}, KHR: {"collider": {"shape": 0}, "motion": {}}}
    for member, index in (
        ("weights", 1),  # nothing moved
        ("extensions/KHR_lights_punctual/light", 3),
        (f"extensions/{KHR}/collider/shape", 3),
        (f"extensions/{KHR}/motion/mass", 1),
    ):
        rig = limb(16, extensions=light)
        pointed(rig, f"/nodes/1/{member}")
        target = normalize(rig.document).json["animations"][0]["channels"][0]["target"]
        extension = target["extensions"]["KHR_animation_pointer"]
        assert extension["pointer"] == f"/nodes/{index}/{member}"


def _animated_velocity(rig: Rig) -> None:
    rig.nodes[1]["extensions"] = {KHR: {"motion": {}}}
    pointed(rig, f"/nodes/1/extensions/{KHR}/motion/linearVelocity")


def _limit(rig: Rig) -> None:
    limit = {"limit": {"hinge": {"angle": 1.0}}}
    joint = {"node": 1, "extensions": {"VRMC_springBone_limit": limit}}
    rig.json["extensions"] = {"VRMC_springBone": {"springs": [{"joints": [joint]}]}}


def _articulation(rig: Rig) -> None:
    rig.nodes[1]["extensions"] = {"AGI_articulations": {"articulationName": "lid"}}


def _levels_of_detail(rig: Rig) -> None:
    rig.nodes[1]["extensions"] = {"MSFT_lod": {"ids": [2]}}


def _expression(rig: Rig) -> None:
    preset = {"preset": {"happy": {"node": 2}}}
    rig.json["extensions"] = {"VRMC_vrm_animation": {"expressions": preset}}


def _short_vector(rig: Rig) -> None:
    rig.nodes[1]["extensions"] = {KHR: {"motion": {"centerOfMass": [1, 2]}}}


def _no_vector(rig: Rig) -> None:
    rig.nodes[1]["extensions"] = {KHR: {"motion": {"centerOfMass": ["x", 2, 3]}}}


def _dangling(rig: Rig) -> None:
    rig.nodes[1]["mesh"] = 7


def _no_extensions(rig: Rig) -> None:
    rig.nodes[1]["extensions"] = []


def _few_binds(rig: Rig) -> None:
    rig.json["skins"] = [
        {"joints": [1, 2], "inverseBindMatrices": append_accessor(rig.document, np.eye(4)[None])}
    ]


def _no_keys(rig: Rig) -> None:
    rig.json["animations"][0]["samplers"][0]["output"] = rig.vectors(4)


@pytest.mark.parametrize(
    ("break_it", "message"),
    [
        (_animated_velocity, "/animations/0/channels/0/target/.*animates a vector"),
        (_limit, "/joints/0/extensions/VRMC_springBone_limit/limit/hinge.*'bone'"),
        (_articulation, "AGI_articulations depends on the axes of 'bone'"),
        (_levels_of_detail, "MSFT_lod depends"),
        (_expression, "'n2' .node 2. is a value"),
        (_short_vector, "/motion/centerOfMass.*2 numbers"),
        (_no_vector, "/motion/centerOfMass/0"),
        (_dangling, "/nodes/1/mesh: there is no element 7"),
        (_no_extensions, "/nodes/1/extensions"),
        (_few_binds, "/skins/0/inverseBindMatrices: 1 inverse bind matrices for 2"),
        (_no_keys, "/animations/0/samplers/0/output: is not a rotation"),
    ],
)
def test_contents_without_an_equivalent_are_refused_with_their_place(
    break_it: Any, message: str
) -> None:
    rig = limb(17)
    break_it(rig)
    with pytest.raises(ContentError, match=message):
        normalize(rig.document)


def test_a_cone_about_the_bone_may_limit_a_spring() -> None:
    rig = limb(18)
    limit = {"limit": {"cone": {"angle": 1.0}}}
    joint = {"node": 1, "extensions": {"VRMC_springBone_limit": limit}}
    rig.json["extensions"] = {"VRMC_springBone": {"springs": [{"joints": [joint]}]}}
    assert normalize(rig.document).json["extensions"] == rig.json["extensions"]


def test_weights_and_gaze_of_a_motion_are_values_that_stay() -> None:
    rig = limb(19)
    face, gaze = rig.node(), rig.node()
    rig.json["extensions"] = {
        "VRMC_vrm_animation": {
            "expressions": {"preset": {"happy": {"node": face}}},
            "lookAt": {"node": gaze},
        }
    }
    normal = normalize(rig.document)
    assert normal.json["nodes"][face] == rig.nodes[face]
    assert normal.json["nodes"][gaze] == rig.nodes[gaze]


def test_an_unknown_extension_of_the_document_is_kept_with_a_warning() -> None:
    rig = limb(20)
    rig.json["extensions"] = {"EXAMPLE_unheard_of": {"node": 1, "along": [0, 0, 1]}}
    with pytest.warns(LigamentWarning, match="EXAMPLE_unheard_of may refer to axes"):
        normal = normalize(rig.document)
    assert normal.json["extensions"] == rig.json["extensions"]


@pytest.mark.filterwarnings("ignore:.*is kept by its URI:ligament.errors.LigamentWarning")
@pytest.mark.filterwarnings("ignore:.*KHR_interactivity may refer:ligament.errors.LigamentWarning")
def test_physics_of_the_reference_files_is_where_it_was(shared: Path) -> None:
    """Shapes, joints and triggers of every dialect keep their world frames."""
    refused = []
    files = sorted((shared / "corpus").rglob("*.gltf"))
    files = [file for file in files if "khr_validator" not in file.parts]
    assert files
    for file in files:
        document = lg.load(file)
        try:
            normal = normalize(document)
        except ContentError as fault:
            refused.append(str(fault))
            continue
        count = len(document.json["nodes"])
        before, after = worlds(document)[0], worlds(normal)[0]
        np.testing.assert_allclose(after[:count, :3, 3], before[:, :3, 3], atol=1e-5)
        for node, raw in enumerate(document.json["nodes"]):
            for name, extension in raw.get("extensions", {}).items():
                for part in ("collider", "joint", "trigger"):
                    if part in extension and not pointers.find(extension, f"/{part}/geometry/node"):
                        place = rigs.holder(normal, count, node, f"/extensions/{name}/{part}")
                        np.testing.assert_allclose(after[place], before[node], atol=1e-5)
        assert normalize(normal).json == normal.json
    assert len(refused) < len(files) / 10, refused

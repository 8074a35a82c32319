"""Differences in meaning: every kind of change is differences, and how a file is written is not."""

import contextlib
import dataclasses
import math

import numpy as np
import pytest

import ligament as lg
from ligament import transforms as tf
from ligament.author.diff import diff
from ligament.author.editor import Editor
from ligament.conversion import convert
from ligament.errors import ArgumentError, LigamentError
from ligament.extensions.humanoid.bones import BONES, REQUIRED
from ligament.extensions.rigid_bodies import CollisionFilter, Material
from ligament.extensions.shapes import Box, Sphere
from ligament.gltf.accessors import append_accessor
from ligament.gltf.animation import Clip, Track, append_clip
from ligament.gltf.document import Document
from ligament.gltf.reindex import reorder
from tests.rig.skeletons import humanoid

TRIANGLE = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32)


def scene():
    """A door with a hinge, a ball that is thrown, a pane to look at, and a clip."""
    document = Document(
        {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": []}], "nodes": []}
    )
    editor = Editor(document)
    frame = editor.add_node("Frame")
    editor.add_collider(frame, Box((0.2, 2.0, 0.2)))
    door = editor.add_node("Door", translation=(0.6, 0, 0))
    editor.add_body(door, mass=20.0, collider=Box((1.0, 2.0, 0.1)), material=Material(0.5, 0.4))
    editor.hinge(frame, door, at=(0.1, 0, 0), axis="y", limits=(-90, 90), name="Hinge")
    ball = editor.add_node("Ball", translation=(0, 3, 0))
    editor.add_body(ball, mass=2.0, collider=Sphere(0.3), linear_velocity=(1, 0, 0))
    pane = editor.add_node("Pane", translation=(0, 0, 2))
    points = append_accessor(document, TRIANGLE)
    document.json["materials"] = [{"name": "glass", "pbrMetallicRoughness": {"metallicFactor": 1}}]
    primitive = {"attributes": {"POSITION": points}, "material": 0}
    document.json["meshes"] = [{"name": "pane", "primitives": [primitive]}]
    document.json["nodes"][pane]["mesh"] = 0
    follower = editor.add_node("Follower", translation=(1, 1, 1))
    editor.add_constraint(follower, "roll", pane, axis="X", weight=0.5)
    times = np.array([0.0, 1.0])
    append_clip(document, Clip("Slide", (Track(pane, "translation", times, np.eye(3)[:2] * 2.0),)))
    return document


def index_of(document, name):
    return next(i for i, node in enumerate(document.json["nodes"]) if node.get("name") == name)


def differences(change, before=None):
    """Return the changes differences for one edit of the scene."""
    a = scene() if before is None else before
    b = a.copy()
    change(b)
    return [str(c) for c in diff(a, b)]


def test_nothing_changed():
    assert diff(scene(), scene()).equal
    assert not diff(scene(), scene()).changes


# --- how it is written ---


def test_the_order_of_nodes_and_accessors_does_not_count():
    a, b = scene(), scene()
    count = len(b.json["nodes"])
    append_accessor(b, np.zeros(3, np.float32))
    reorder(b, "/nodes", list(reversed(range(count))))
    reorder(b, "/accessors", list(reversed(range(len(b.json["accessors"])))))
    for scene_ in b.json["scenes"]:
        scene_["nodes"].reverse()
    assert [str(c) for c in diff(a, b)] == []


@pytest.mark.parametrize("suffix", [".gltf", ".glb"])
def test_containers_do_not_count(tmp_path, suffix):
    a = scene()
    lg.save(a, tmp_path / f"b{suffix}")
    assert diff(a, lg.load(tmp_path / f"b{suffix}")).equal


@pytest.mark.parametrize("dialect", ["khr-2024-10", "khr-2024-03", "omi", "omi-2023"])
@pytest.mark.filterwarnings("ignore::ligament.LigamentWarning")
def test_dialects_do_not_count(dialect):
    """Nodes that a dialect needs for itself are not differences either."""
    a = scene()
    extensions(a, "Door")["collider"].pop("physicsMaterial")  # the oldest one has no materials
    converted = convert(a, dialect)
    names = set(converted.document.json["extensionsUsed"])
    assert ("KHR_physics_rigid_bodies" in names) is dialect.startswith("khr")
    assert dialect == "khr-2024-10" or converted.document.json != a.json
    assert [str(c) for c in diff(a, converted.document)] == []


def test_matrices_and_signs_of_quaternions_do_not_count():
    def rewrite(document):
        node = document.json["nodes"][index_of(document, "Pane")]
        turn = tf.from_axis_angle(np.array([0.0, 1.0, 0.0]), 0.7)
        matrix = tf.compose(np.array([0.0, 0, 2]), turn, np.ones(3))
        del node["translation"]
        node["matrix"] = np.asarray(matrix).T.reshape(-1).tolist()

    a = scene()
    turn = tf.from_axis_angle(np.array([0.0, 1.0, 0.0]), 0.7)
    a.json["nodes"][index_of(a, "Pane")]["rotation"] = (-np.asarray(turn)).tolist()
    b = scene()
    rewrite(b)
    assert diff(a, b).equal


def test_defaults_of_materials_do_not_count():
    def say(document):
        document.json["materials"][0] |= {"doubleSided": False, "alphaMode": "OPAQUE"}
        document.json["materials"][0]["pbrMetallicRoughness"] = {"roughnessFactor": 1.0}

    assert differences(say) == []


def test_keys_that_say_the_same_do_not_count():
    def densify(document):
        document.json["animations"].clear()
        pane = index_of(document, "Pane")
        values = np.linspace([2.0, 0, 0], [0, 2.0, 0], 5)
        append_clip(
            document, Clip("Slide", (Track(pane, "translation", np.linspace(0, 1, 5), values),))
        )

    assert differences(densify) == []


def test_numbers_within_the_tolerance_are_equal():
    def nudge(document):
        document.json["nodes"][index_of(document, "Pane")]["translation"] = [0, 0, 2 + 1e-6]

    assert differences(nudge) == []
    b = scene()
    nudge(b)
    assert len(diff(scene(), b, tolerance=1e-8)) == 1
    with pytest.raises(ArgumentError, match="diff: tolerance is 2"):
        lg.diff(scene(), scene(), tolerance=2)


# --- what it means ---


def set_on(node, **members):
    return lambda document: document.json["nodes"][index_of(document, node)].update(members)


def test_nodes():
    assert differences(set_on("Pane", translation=[0, 1, 2])) == [
        "changed node Pane: translation (0, 0, 2) → (0, 1, 2)"
    ]
    assert differences(set_on("Pane", name="Window"))[0] == "changed node Pane: name Pane → Window"
    roots, lamp = differences(lambda d: Editor(d).add_node("Lamp"))
    assert roots.endswith("→ (Ball, Door, Follower, Frame, Lamp (only in b), Pane)")
    assert lamp == "added   node Lamp"


def test_a_node_that_moves_to_another_parent():
    def move(document):
        nodes, pane = document.json["nodes"], index_of(document, "Pane")
        document.json["scenes"][0]["nodes"].remove(pane)
        nodes[index_of(document, "Ball")].setdefault("children", []).append(pane)

    assert "changed node Pane: parent none → Ball" in differences(move)


def test_bodies():
    def heavier(document):
        motion(document, "Door")["mass"] = 25.0

    def faster(document):
        motion(document, "Ball")["linearVelocity"] = [2, 0, 0]

    assert differences(heavier) == ["changed body Door: mass [kg] 20 → 25"]
    assert differences(faster) == ["changed body Ball: velocity [m/s] (1, 0, 0) → (2, 0, 0)"]
    lines = differences(lambda d: extensions(d, "Ball").pop("motion"))
    assert lines == [
        "removed body Ball: dynamic, 2 kg",
        "changed collider Ball: body Ball → the world",
    ]


def extensions(document, name):
    return document.json["nodes"][index_of(document, name)]["extensions"][
        "KHR_physics_rigid_bodies"
    ]


def motion(document, name):
    return extensions(document, name)["motion"]


def test_colliders_materials_and_filters():
    def larger(document):
        document.json["extensions"]["KHR_implicit_shapes"]["shapes"][2]["sphere"]["radius"] = 0.4

    def slippery(document):
        bodies = document.json["extensions"]["KHR_physics_rigid_bodies"]
        bodies["physicsMaterials"][0]["dynamicFriction"] = 0.1

    assert differences(larger) == [
        "changed collider Ball: shape sphere, radius 0.3 m → sphere, radius 0.4 m"
    ]
    assert differences(slippery) == ["changed collider Door: dynamic friction 0.4 → 0.1"]

    def filtered(document):
        editor = Editor(document)
        node = editor.add_node("Wall", translation=(0, 0, 9))
        editor.add_collider(node, Box((1, 1, 1)), filter=CollisionFilter(frozenset({"walls"})))

    before = scene()
    filtered(before)

    def renamed(document):
        bodies = document.json["extensions"]["KHR_physics_rigid_bodies"]
        bodies["collisionFilters"][0]["collisionSystems"] = ["doors"]

    assert differences(renamed, before) == [
        "changed collider Wall: filter: systems (walls) → (doors)"
    ]


def joint(document):
    return document.json["extensions"]["KHR_physics_rigid_bodies"]["physicsJoints"][0]


def test_joints():
    def narrower(document):
        limit = next(x for x in joint(document)["limits"] if x.get("angularAxes") == [1])
        limit["max"] = math.radians(45)

    def freed(document):
        joint(document)["limits"] = joint(document)["limits"][:1]

    assert differences(narrower) == [
        "changed joint Frame/Hinge: angular limit y -90 to 90° → -90 to 45°"
    ]
    assert "changed joint Frame/Hinge: kind hinge (limited) → ball" in differences(freed)

    def driven(document):
        drive = {"type": "angular", "mode": "force", "axis": 1, "damping": 2}
        joint(document)["drives"] = [drive | {"velocityTarget": 1}]

    lines = differences(driven)
    assert lines[0] == "changed joint Frame/Hinge: kind hinge (limited) → hinge (limited, motor)"
    assert "damping 2" in lines[1]


def test_locks_of_several_axes_are_locks_of_each():
    def split(document):
        limits = joint(document)["limits"]
        held = next(x for x in limits if x.get("linearAxes") == [0, 1, 2])
        limits.remove(held)
        limits += [{"linearAxes": [axis], "min": 0, "max": 0} for axis in range(3)]

    assert differences(split) == []


def test_constraints():
    def weaker(document):
        node = document.json["nodes"][index_of(document, "Follower")]
        node["extensions"]["VRMC_node_constraint"]["constraint"]["roll"]["weight"] = 0.25

    assert differences(weaker) == ["changed constraint Follower: weight 0.5 → 0.25"]
    assert differences(lambda d: Editor(d).remove_constraint("Follower")) == [
        "removed constraint Follower: roll X of Pane, weight 0.5"
    ]


def test_animations():
    def longer(document):
        document.json["animations"].clear()
        track = Track(
            index_of(document, "Pane"), "translation", np.array([0.0, 2.0]), np.eye(3)[:2] * 2.0
        )
        append_clip(document, Clip("Slide", (track,)))

    assert differences(longer)[0] == "changed animation Slide: length [s] 1 → 2"
    assert differences(lambda d: d.json.pop("animations")) == [
        "removed animation Slide: 1 s, moves 1 node"
    ]

    def other(document):
        document.json["animations"][0]["channels"][0]["target"]["path"] = "scale"

    assert sorted(differences(other)) == [
        "changed animation Slide: Pane scale still → moves",
        "changed animation Slide: Pane translation moves → still",
    ]


def test_meshes_and_materials():
    def taller(document):
        points = append_accessor(document, TRIANGLE * np.float32([1, 2, 1]))
        document.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = points

    def rough(document):
        document.json["materials"][0]["pbrMetallicRoughness"]["roughnessFactor"] = 0.5

    assert [line.split(":")[0] for line in differences(taller)] == ["changed mesh pane"]
    assert differences(rough) == [
        "changed material glass: pbrMetallicRoughness.roughnessFactor none → 0.5"
    ]


def test_humanoids():
    a, b = humanoid(BONES), humanoid(REQUIRED)
    gone = {c.name for c in diff(a, b) if c.part == "humanoid" and c.change == "removed"}
    assert gone == set(BONES) - set(REQUIRED)
    turned = humanoid(REQUIRED)
    bones = turned.json["extensions"]["VRMC_vrm"]["humanoid"]["humanBones"]
    bones["leftHand"], bones["rightHand"] = bones["rightHand"], bones["leftHand"]
    assert {c.name for c in diff(b, turned)} == {"leftHand", "rightHand"}


def test_extensions_are_compared_by_what_they_name():
    def lit(document):
        document.json["extensions"]["ACME_lights"] = {"lights": [{"power": 3}]}
        document.use_extension("ACME_lights")

    assert differences(lit) == ["added   extension ACME_lights"]
    a, b = humanoid(REQUIRED), humanoid(REQUIRED)
    b.json["extensions"]["VRMC_vrm"]["meta"]["name"] = "other"
    assert [str(c) for c in diff(a, b)] == ["changed extension VRMC_vrm: meta.name n → other"]


def test_chains_deeper_than_the_stack_are_compared():
    count = 1500
    nodes = [{"name": f"Link {i}", "children": [i + 1]} for i in range(count - 1)]
    chain = {"scenes": [{"nodes": [0]}], "nodes": [*nodes, {"name": "End"}]}
    one = Document({"asset": {"version": "2.0"}, **chain})
    other = one.copy()
    other.json["nodes"][-1]["translation"] = [0, 1, 0]
    (change,) = diff(one, other)
    assert change.detail == "translation"
    assert change.name.endswith(f"/Link {count - 2}/End (#{count - 1})")


def test_changes_are_data():
    b = scene()
    motion(b, "Door")["mass"] = 25.0
    (change,) = diff(scene(), b)
    assert (change.part, change.name, change.detail) == ("body", "Door", "mass [kg]")
    assert (change.before, change.after) == (20.0, 25.0)
    assert diff(scene(), b).counts == {"added": 0, "removed": 0, "changed": 1}
    assert not dataclasses.is_dataclass(change)


@pytest.mark.parametrize("name", ["h002_model_mid", "h011_constraints", "h044_vrm0"])
@pytest.mark.filterwarnings("ignore::ligament.LigamentWarning")
def test_avatars_equal_themselves_in_any_order(shared, name):
    a = lg.load(shared / "golden" / "humanoid" / f"{name}.vrm")
    b = a.copy()
    order = np.random.default_rng(1).permutation(len(b.json["nodes"])).tolist()
    reorder(b, "/nodes", order)
    assert [str(c) for c in diff(a, b)] == []


def test_lights_are_identified_by_content():
    def lit(order):
        document = scene()
        kinds = [{"type": "point", "intensity": 5}, {"type": "spot", "intensity": 2}]
        document.json["extensions"]["KHR_lights_punctual"] = {"lights": [kinds[i] for i in order]}
        document.use_extension("KHR_lights_punctual")
        pane = document.json["nodes"][index_of(document, "Pane")]
        pane["extensions"] = {"KHR_lights_punctual": {"light": order.index(1)}}
        return document

    assert diff(lit([0, 1]), lit([1, 0])).equal
    other = lit([0, 1])
    other.json["extensions"]["KHR_lights_punctual"]["lights"][1]["intensity"] = 3
    assert {c.part for c in diff(lit([0, 1]), other)} == {"extension"}


JUNK = (None, -1, "x", [], {}, True, [1], {"a": 1}, 10**6)


def places(value, path=()):
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        yield (*path, key)
        if isinstance(item, dict | list):
            yield from places(item, (*path, key))


@pytest.mark.parametrize("seed", range(150))
@pytest.mark.filterwarnings("ignore::ligament.LigamentWarning")
def test_broken_files_are_compared_or_refused(seed):
    """Nothing in the JSON makes it fail in any other way than by a LigamentError."""
    rng = np.random.default_rng(seed)
    a, b = scene(), scene()
    paths = list(places(b.json))
    path = paths[rng.integers(len(paths))]
    holder = b.json
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = JUNK[rng.integers(len(JUNK))]
    with contextlib.suppress(LigamentError):
        assert diff(a, b).equal in (True, False)


@pytest.mark.parametrize("name", ["Triggers", "WaterWheel"])
@pytest.mark.filterwarnings("ignore::ligament.LigamentWarning")
def test_samples_equal_themselves_in_the_newest_dialect(shared, name):
    a = lg.load(shared / "corpus" / "khr_samples_2024_03" / name / f"{name}.gltf")
    assert [str(c) for c in diff(a, convert(a, "khr").document)] == []


def test_indices_written_as_floats_are_indices():
    root = {"asset": {"version": "2.0"}, "nodes": [{"name": "A"}, {"name": "B", "children": [2.0]}]}
    root |= {"scenes": [{"nodes": [0.0, 1.0]}]}
    root["nodes"].append({"name": "C"})
    whole = {**root, "scenes": [{"nodes": [0, 1]}]}
    for a, b in ((root, whole), (whole, root), (root, root)):
        assert not diff(Document(a), Document(b))
    assert diff(Document(root), Document({**root, "scenes": [{"nodes": [1.0]}]}))

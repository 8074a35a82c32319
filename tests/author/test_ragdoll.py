"""Ragdolls: masses, shapes and joints of any humanoid, and that they lie down and stay whole."""

import math
import re
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import ligament as lg
from ligament import transforms as tf
from ligament.author.editor import Editor
from ligament.author.ragdoll import SEGMENTS, Build, add_ragdoll
from ligament.errors import EditError
from ligament.extensions.humanoid.bones import BONES, REQUIRED
from ligament.extensions.physics import read_physics
from ligament.extensions.shapes import Box, Capsule
from ligament.gltf import Document
from ligament.gltf.accessors import append_accessor
from ligament.gltf.tree import NodeTree
from ligament.physics.metrics import cone, relative, twist
from ligament.physics.naming import friendly_name
from ligament.rig import Humanoid
from tests.rig.skeletons import humanoid
from tests.sampling import IS_SOAK, sample

SECONDS = 60.0 if IS_SOAK else 5.0
SAMPLE = sample(("h009_scales", "h000_plain", "h012_vrm0"), 1)

STEPS = 4
"""Steps of 1/240 s: the hands are light beside what they are jammed against."""

GAP = 5e-3
"""Largest distance [m] of the two frames of a joint."""

OVER = math.radians(2.0)
"""Largest violation of joint limits."""

AT_IMPACT = math.radians(6)
"""By how much [rad] a limit may be passed for a moment when a limb hits the floor."""

STILL = 0.05
"""Largest speed [m/s] at rest."""


def ragdoll_of(document, **options):
    editor = Editor(document)
    return editor, add_ragdoll(editor, **options)


def on_the_ground(editor, *, drop=0.1):
    """Put a floor below the feet."""
    document = editor.document
    lowest = float(NodeTree(document).world_matrices()[:, 1, 3].min()) - 0.05 - drop
    floor = editor.add_node("floor", translation=(0, lowest - 0.5, 0))
    editor.add_collider(floor, Box((100.0, 1.0, 100.0)))
    return lowest


def in_world(document):
    tree = NodeTree(document)
    return np.asarray(tree.world_matrices()), np.asarray(tree.world_rotations())


# --- the table ---


def test_the_table_adds_up_to_a_whole_body():
    # The published percentages of women add up to 99.99, by rounding.
    assert sum(s.male for s in SEGMENTS.values()) == pytest.approx(100.0, abs=1e-9)
    assert sum(s.female for s in SEGMENTS.values()) == pytest.approx(99.99, abs=1e-9)
    assert len(SEGMENTS) == 16


def test_left_and_right_are_mirrored():
    for name, segment in SEGMENTS.items():
        if name.startswith("left"):
            other = SEGMENTS[name.replace("left", "right")]
            assert segment[4:8] == other[4:8]
            mirror = (-1, 1, 1) if not segment.joint_range.is_hinge else (1, -1, 1)
            both = np.array(segment.joint_range.center), np.array(other.joint_range.center)
            if not name.endswith("shank"):
                assert np.allclose(both[0] * mirror, both[1])


# --- what is written ---


@pytest.mark.parametrize("build", list(Build))
def test_masses_sum_up_to_the_whole(build):
    _, ragdoll = ragdoll_of(humanoid(BONES), mass=64.0, build=build)
    assert sum(ragdoll.masses.values()) == pytest.approx(64.0)
    share = {Build.MALE: 14.16, Build.FEMALE: 14.78, Build.MEAN: 14.47}[build]
    whole = 99.99 if build is Build.FEMALE else (100.0 if build is Build.MALE else 99.995)
    assert ragdoll.masses["left thigh"] == pytest.approx(64 * share / whole)


def test_bodies_ride_on_bones_and_carry_shapes():
    document = humanoid(BONES)
    _, ragdoll = ragdoll_of(document)
    nodes = {document.json["nodes"][n]["name"] for n in ragdoll.bodies.values()}
    limbs = ("UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot")
    sides = {f"{side}{limb}" for side in ("left", "right") for limb in limbs}
    assert nodes == {"hips", "spine", "chest", "neck"} | sides
    physics = read_physics(document)
    assert set(physics.motions) == set(ragdoll.bodies.values())
    forms = {n: type(physics.colliders[c].geometry) for n, c in ragdoll.colliders.items()}
    assert {n for n, form in forms.items() if form is Box} == {
        "pelvis",
        "abdomen",
        "thorax",
        "left foot",
        "right foot",
    }
    assert set(forms.values()) == {Box, Capsule}


def test_segments_of_missing_bones_join_their_parents():
    document = humanoid(REQUIRED)
    _, ragdoll = ragdoll_of(document, mass=100.0, build="male")
    assert "thorax" not in ragdoll.bodies
    assert ragdoll.masses["abdomen"] == pytest.approx(16.33 + 15.96)
    assert document.json["nodes"][ragdoll.bodies["head"]]["name"] == "head"
    joints = read_physics(document).joints
    owner = joints[ragdoll.joints["left upper arm"]].body_a
    above = document.json["nodes"][ragdoll.bodies["abdomen"]]["children"]
    assert owner in above


def test_joints_have_the_names_that_people_know():
    document = humanoid(BONES)
    _, ragdoll = ragdoll_of(document)
    joints = read_physics(document).joints
    names = {n: friendly_name(joints[j].limits) for n, j in ragdoll.joints.items()}
    hinges = {name for name, kind in names.items() if kind.startswith("hinge")}
    assert hinges == {f"{s} {limb}" for s in ("left", "right") for limb in ("forearm", "shank")}
    assert {kind for n, kind in names.items() if n not in hinges} == {"cone-twist"}


def test_centres_of_limbs_are_those_of_the_table():
    document = humanoid(BONES)
    _, ragdoll = ragdoll_of(document, build="male")
    world, _ = in_world(document)
    motion = read_physics(document).motions[ragdoll.bodies["left thigh"]]
    center = (world[motion.node] @ [*motion.center_of_mass, 1])[:3]
    # From (0.1, 0.95, 0) to (0.1, 0.5, 0), of which 40.95 % are 0.184 m.
    assert np.allclose(center, (0.1, 0.95 - 0.4095 * 0.45, 0), atol=1e-9)


def angles_at_rest(document, joint):
    _, turns = in_world(document)
    turn = relative(np.zeros(3), turns[joint.frame_a], np.zeros(3), turns[joint.frame_b]).rotation
    return math.degrees(float(cone(turn, 0))), math.degrees(float(twist(turn, 0)))


@pytest.mark.parametrize("seed", range(4))
def test_rest_rotations_and_the_root_do_not_matter(seed):
    """Angles of joints are those of the body, however its nodes are turned."""
    rng = np.random.default_rng(seed)
    turn = tf.from_axis_angle(np.array([0.0, 1.0, 0.0]), float(rng.uniform(-3, 3))).tolist()
    turned = humanoid(BONES, rng=rng, between=0.3, root={"rotation": turn, "scale": [0.5] * 3})
    plain = humanoid(BONES)
    found = []
    for document in (plain, turned):
        _, ragdoll = ragdoll_of(document)
        joints = read_physics(document).joints
        found.append([angles_at_rest(document, joints[j]) for j in ragdoll.joints.values()])
        assert not ragdoll.widened
    # Single steps of decomposition and re-composition: far below a hundredth of a degree.
    assert np.allclose(found[0], found[1], atol=1e-3)


@pytest.mark.parametrize("dialect", ["VRMC_vrm", "VRM"])
def test_sizes_follow_the_avatar(dialect):
    """Twice the size is twice the shape, at any scale of the nodes; VRM 0.x faces the other way."""
    sizes = []
    for size, scale in ((1.0, 1.0), (2.0, 1.0), (1.0, 2.0)):
        root = {"scale": [scale] * 3}
        document = humanoid(BONES, dialect=dialect, size=size, root=root)
        _, ragdoll = ragdoll_of(document)
        world, _ = in_world(document)
        node = ragdoll.colliders["left thigh"]
        shape = read_physics(document).colliders[node].geometry
        sizes.append(shape.radius_top * np.linalg.norm(world[node][:3, 0]))
    assert sizes[1] == pytest.approx(2 * sizes[0])
    assert sizes[2] == pytest.approx(2 * sizes[0])


def bent(document, bone, axis, degrees):
    node = next(n for n in document.json["nodes"] if n["name"] == bone)
    turn = tf.from_axis_angle(np.array(axis, float), math.radians(degrees))
    node["rotation"] = np.asarray(tf.multiply(node["rotation"], turn)).tolist()
    return document


def test_a_rest_pose_with_bent_limbs_starts_bent():
    document = bent(humanoid(BONES), "leftLowerLeg", (1, 0, 0), 40)
    document = bent(document, "leftUpperArm", (0, 0, 1), -60)
    _, ragdoll = ragdoll_of(document)
    joints = read_physics(document).joints
    knee = angles_at_rest(document, joints[ragdoll.joints["left shank"]])
    assert knee == pytest.approx((0.0, 40.0), abs=1e-6)
    assert not ragdoll.widened


def test_a_rest_pose_beyond_the_range_widens_it():
    document = bent(humanoid(BONES), "leftLowerLeg", (1, 0, 0), -30)
    _, ragdoll = ragdoll_of(document)
    assert ragdoll.widened == ("left shank",)
    limits = read_physics(document).joints[ragdoll.joints["left shank"]].limits
    assert math.degrees(limits[2].minimum) == pytest.approx(-31)


def test_shapes_that_may_touch_are_apart_at_rest():
    """Arms that hang along the body leave less room than a T-pose."""
    document = humanoid(BONES)
    for side, x in (("left", 1), ("right", -1)):
        bent(document, f"{side}UpperArm", (0, 0, 1), -85 * x)
    editor, ragdoll = ragdoll_of(document)
    assert not ragdoll.touching
    on_the_ground(editor, drop=1.0)
    sim = lg.Simulation(document, contacts=True, gravity=(0, 0, 0))
    sim.step()
    assert sim.events == ()


def test_parts_that_lie_in_each_other_never_collide():
    document = humanoid(BONES)
    foot = next(n for n in document.json["nodes"] if n["name"] == "rightUpperLeg")
    foot["translation"] = [0.1, -0.05, 0]  # both legs at one place
    _, ragdoll = ragdoll_of(document)
    assert ("left thigh", "right thigh") in ragdoll.touching
    filters = [read_physics(document).colliders[c].filter for c in ragdoll.colliders.values()]
    assert any(f is not None and "ragdoll left thigh" in f.not_collide_with for f in filters if f)


def test_radii_come_from_the_skin():
    """A tube of 7 cm around the left thigh, moved by it, gives a capsule of 7 cm."""
    document = humanoid(BONES)
    names = [node["name"] for node in document.json["nodes"]]
    tube(
        document, names.index("leftUpperLeg"), start=(0.1, 0.95, 0), end=(0.1, 0.5, 0), radius=0.07
    )
    _, ragdoll = ragdoll_of(document)
    assert ragdoll.measured == ("left thigh",)
    shape = read_physics(document).colliders[ragdoll.colliders["left thigh"]].geometry
    assert shape.radius_top == pytest.approx(0.07, rel=1e-5)
    _, plain = ragdoll_of(humanoid(BONES))
    assert plain.measured == ()


def tube(document, joint, *, start, end, radius):
    """Skin a ring of points around a line to one joint."""
    angles = np.linspace(0, 2 * np.pi, 16, endpoint=False)
    ring = np.stack([np.cos(angles), 0 * angles, np.sin(angles)], axis=1) * radius
    line = np.linspace(start, end, 8)
    points = (line[:, None] + ring[None]).reshape(-1, 3).astype(np.float32)
    matrix = np.linalg.inv(in_world(document)[0][joint]).astype(np.float32)
    attributes = {
        "POSITION": append_accessor(document, points),
        "JOINTS_0": append_accessor(document, np.zeros((len(points), 4), np.uint8)),
        "WEIGHTS_0": append_accessor(document, np.tile(np.float32([1, 0, 0, 0]), (len(points), 1))),
    }
    document.json["meshes"] = [{"primitives": [{"attributes": attributes, "mode": 0}]}]
    binds = append_accessor(document, matrix[None])
    document.json["skins"] = [{"joints": [joint], "inverseBindMatrices": binds}]
    document.json["nodes"].append({"name": "skin", "mesh": 0, "skin": 0})


def test_a_kinematic_one_has_no_joints():
    document = humanoid(BONES)
    _, ragdoll = ragdoll_of(document, kind="kinematic")
    assert ragdoll.joints == {}
    assert {str(m.kind) for m in read_physics(document).motions.values()} == {"kinematic"}


def test_animated_segments_are_reported(demo_avatar):
    """They win over forces, also over joints: the checker warns of those between two such."""
    _, ragdoll = ragdoll_of(demo_avatar)
    arms = {f"{side} {part}" for side in ("left", "right") for part in ("upper arm", "hand")}
    assert set(ragdoll.animated) == {"pelvis", "abdomen", "left forearm"} | arms
    assert lg.check(demo_avatar).ok
    del demo_avatar.json["animations"]
    assert not lg.check(demo_avatar).has("warning")
    assert ragdoll_of(humanoid(BONES))[1].animated == ()


def test_ragdolls_have_no_findings(shared):
    for file in sorted((shared / "golden" / "humanoid").glob("*.vrm"))[:: 1 if IS_SOAK else 6]:
        document = lg.load(file)
        ragdoll_of(document)
        assert not lg.check(document).has("warning"), file


def test_invalid_ragdolls_are_refused():
    document = humanoid(BONES)
    editor = Editor(document)
    with pytest.raises(EditError, match="mass of the ragdoll"):
        add_ragdoll(editor, mass=0)
    with pytest.raises(EditError, match="another document"):
        add_ragdoll(editor, Humanoid(humanoid(BONES)))
    add_ragdoll(editor)
    with pytest.raises(EditError, match="is a body already"):
        add_ragdoll(editor)


# --- falling ---


def fall(document, seconds):
    editor, ragdoll = ragdoll_of(document)
    floor = on_the_ground(editor)
    recording = lg.simulate(document, seconds=seconds, animations=[], substeps=STEPS)
    for values in (recording.translation, recording.rotation, recording.linear_velocity):
        assert np.isfinite(values).all()
    landed = recording.times > seconds / 2
    for limit in recording.limits:
        is_gap = limit.kind == "linear"
        assert limit.violation.max() < (GAP if is_gap else AT_IMPACT), (limit.node, limit.axes)
        assert limit.violation[landed].max() < (GAP if is_gap else OVER), (limit.node, limit.axes)
    last = recording.times > seconds - 0.5
    assert np.abs(recording.linear_velocity[last]).max() < STILL
    assert recording.translation[-1, :, 1].min() > floor - 0.02
    assert len(recording.limits) == 3 * len(ragdoll.joints)


@pytest.mark.parametrize("name", SAMPLE)
def test_avatars_fall_and_come_to_rest(shared, name):
    if IS_SOAK:
        pytest.skip("the soak test has all of them")
    fall(lg.load(shared / "golden" / "humanoid" / f"{name}.vrm"), SECONDS)


@pytest.mark.skipif(not IS_SOAK, reason="`make soak` drops all avatars, for a minute each")
@pytest.mark.soak
@pytest.mark.parametrize("eighth", range(8))
def test_every_avatar_falls_and_comes_to_rest(shared, eighth):
    avatars = sorted((shared / "golden" / "humanoid").glob("*.vrm"))
    assert len(avatars) == 48
    for file in avatars[eighth::8]:
        fall(lg.load(file), SECONDS)


def test_the_avatar_of_the_demo_falls(demo_avatar):
    fall(demo_avatar, max(SECONDS, 8.0))  # rounding decides whether 5 s are enough


@pytest.fixture
def demo_avatar():
    return lg.load(str(files("ligament.demo") / "assets" / "avatar.vrm"))


def test_the_skin_follows_when_baked(demo_avatar):
    document = demo_avatar
    editor, ragdoll = ragdoll_of(document)
    on_the_ground(editor)
    recording = lg.simulate(document, seconds=0.5, animations=[])
    baked = lg.bake(document, recording)
    assert isinstance(baked, Document)
    moved = {c["target"]["node"] for c in baked.json["animations"][-1]["channels"]}
    assert set(ragdoll.bodies.values()) <= moved


def test_the_page_has_the_numbers_of_the_table():
    page = (Path(__file__).parents[2] / "docs" / "ragdolls.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines()]
    masses = {row[0]: row for row in rows if len(row) == 8}
    joints = {name: row for row in rows if len(row) == 6 for name in row[0].split(", ")}
    for name, segment in SEGMENTS.items():
        row = masses[name.removeprefix("left ").removeprefix("right ")]
        centers = [str(center) for center in segment.centers or ("", "")]
        thickness = str(segment.thickness or "")
        assert row[2:] == [
            f"{segment.female}",
            f"{segment.male}",
            *centers,
            segment.form,
            thickness,
        ]
        if segment.joint_range is not None:
            row = joints[name.removeprefix("left ").removeprefix("right ")]
            low, high = segment.joint_range.twist
            swing = segment.joint_range.swing
            assert row[1] == ("hinge" if segment.joint_range.is_hinge else "cone-twist")
            assert row[3] == ("" if swing is None else f"{swing:g}°")
            assert row[4] == (f"±{high:g}°" if low == -high else f"{low:g} to {high:g}°")


def test_the_python_of_the_page_runs(tmp_path, monkeypatch, capsys):
    """The avatar of the demo lies down; its twist bones follow already, which is reported."""
    page = (Path(__file__).parents[2] / "docs" / "ragdolls.md").read_text(encoding="utf-8")
    falling, twisting = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    asset = files("ligament.demo") / "assets" / "avatar.vrm"
    for name in ("avatar.vrm", "plain.vrm"):
        (tmp_path / name).write_bytes(asset.read_bytes())
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(compile(falling.replace("seconds=5", "seconds=0.2"), "ragdolls.md", "exec"), names)
    assert lg.load("fallen.glb").json["animations"][-1]["name"] == "Baked"
    with pytest.raises(EditError, match="already have constraints"):
        exec(compile(twisting, "ragdolls.md", "exec"), names)


def test_an_animation_that_drives_bones_is_no_fault_unless_it_breaks_a_joint(demo_avatar):
    editor, _ = ragdoll_of(demo_avatar)
    assert editor.document.array("animations")
    serious = [i for i in lg.check(editor.document) if i.severity in ("error", "warning")]
    (issue,) = serious  # the wave turns a hinge of the elbow by a radian across its axis
    assert issue.code == "PHYSICS_JOINT_AGAINST_ANIMATION"
    assert "animation 'Wave' moves its ends 1.03 rad beyond" in issue.message

"""MJCF as MuJoCo reads it: the corpus, frames and masses, contacts, names, folders."""

from __future__ import annotations

import itertools
import math
import random
import re
import warnings
from hashlib import sha256
from pathlib import Path

import mujoco
import numpy as np
import pytest

import ligament as lg
from ligament import transforms as tf
from ligament.conversion.mjcf import to_mjcf
from ligament.conversion.source import read_source
from ligament.demo import assets
from ligament.errors import ContentError, FileError, LigamentError, LigamentWarning
from ligament.extensions.rigid_bodies import CollisionFilter
from ligament.gltf.accessors import append_accessor
from ligament.physics.engines.mujoco.model import Model
from ligament.physics.engines.mujoco.model.contacts import damping_ratio, given_back
from ligament.physics.engines.mujoco.model.links import Role, role_of
from ligament.physics.filters import collide
from tests.cli.command import ligament
from tests.conversion.mujoco_runs import compiled
from tests.play.files import BALL, CUBE, FLOOR, KHR, node, physics_file
from tests.sampling import IS_SOAK, sample

CORPUS = (
    "khr_samples_2024_03",
    "khr_conformance",
    "khr_synthetic",
    "khr_synthetic2",
    "khr_validator",
    "omi_2023_06",
    "omi_synthetic",
)
SMALL = {"mass": 1.0, "inertiaDiagonal": [0.01, 0.01, 0.01]}
POINT = {"linearAxes": [0, 1, 2], "min": 0, "max": 0}


@pytest.mark.parametrize("folder", CORPUS)
def test_the_corpus_compiles_and_runs_in_silence(shared, tmp_path, capfd, folder):
    files = sorted((shared / "corpus" / folder).rglob("*.gl[tb]*"))
    if not IS_SOAK:  # the others are the same in another container
        files = [f for f in files if f.suffix != ".glb" or f.with_suffix(".gltf") not in files]
    assert files
    for file in sample(files, len(files) // 4 + 1):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LigamentWarning)
            try:
                document = lg.load(file)
            except LigamentError:  # some files of the validator cannot be loaded at all
                continue
            model, data, losses = compiled(document, tmp_path)
        for _ in range(10):
            mujoco.mj_step(model, data)
        assert not any(warning.number for warning in data.warning), file
        assert np.isfinite(data.qpos).all(), file
        assert all(loss.pointer.startswith("/") and loss.effect for loss in losses), file
        printed = "".join(capfd.readouterr()).splitlines()
        # A server that an earlier test has left may end meanwhile.
        assert not [line for line in printed if not line.startswith("(viser)")], file
        check_bodies(document, model, data)


def check_bodies(document, model, data):
    """Compare frames, masses and inertias with those of the scene, to 1e-6."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LigamentWarning)
        source = read_source(
            document, scene=None, gravity=(0, -9.81, 0), up="z", omi_stiffness="auto"
        )
    mujoco.mj_resetData(model, data)
    mujoco.mj_kinematics(model, data)
    links = Model(source, step=0.001, add_mesh=lambda points, triangles: "mesh").skeleton.link_of
    for body, link in zip(source.scene.bodies, links, strict=True):
        if link is None:
            continue
        index = model.body(link.name).id
        assert data.xpos[index] == pytest.approx(body.pose.translation, rel=1e-6, abs=1e-6)
        turn = np.roll(data.xquat[index], -1)
        assert float(tf.angle_between(turn, body.pose.rotation)) < 1e-6
        is_finite = math.isfinite(body.mass.mass) and np.isfinite(body.mass.inertia).all()
        if role_of(body) is Role.FREE and is_finite and possible(body.mass.inertia):
            assert model.body_mass[index] == pytest.approx(body.mass.mass, rel=1e-6)
            center = model.body_ipos[index]
            assert center == pytest.approx(body.mass.center, rel=1e-6, abs=1e-6)
            found = tensor(np.roll(model.body_iquat[index], -1), model.body_inertia[index])
            wanted = tensor(body.mass.orientation, body.mass.inertia)
            assert found == pytest.approx(wanted, rel=1e-6, abs=1e-6 * wanted.max())


def possible(inertia):
    return inertia.max() <= inertia.sum() / 2 * (1 + 1e-6)


def tensor(orientation, moments):
    axes = np.asarray(tf.to_matrix(orientation))
    return axes @ np.diag(moments) @ axes.T


def pendulum_pair(**rest):
    """Two arms, one hung on the world and one on the other, both tilted."""
    tilted = [0, 0, math.sin(0.2), math.cos(0.2)]
    return physics_file(
        node("Hook", at=(1, 2, 3), joint={"joint": 0, "connectedNode": 2}),
        node("Upper", at=(1, 1, 3), motion={**SMALL, "mass": 2.0}, children=[2, 3]),
        node("UpperTop", at=(0, 1, 0)),
        node("UpperEnd", at=(0, -0.5, 0), joint={"joint": 0, "connectedNode": 5}),
        node("Lower", at=(1, 0, 3), rotation=tilted, motion=SMALL, children=[5]),
        node("LowerTop", at=(0.2, 0.45, 0)),
        joints=[{"limits": [POINT]}],
        **rest,
    )


def test_compliance_is_that_of_mujoco(tmp_path):
    """The soft limits rest on it: MuJoCo scales them by the inverse inertia of its own start."""
    limits = [
        {"limits": [{"linearAxes": [0, 1, 2], "max": 3, "stiffness": 5, "damping": 1}]},
        {
            "limits": [
                {"linearAxes": [0, 1, 2], "min": 0, "max": 0},
                {"angularAxes": [1, 2], "max": 0},
            ]
        },
    ]
    doc = physics_file(
        node("Hook", joint={"joint": 1, "connectedNode": 2}),
        node("Arm", at=(0, -1, 0), motion={**SMALL, "centerOfMass": [0.1, 0, 0]}, children=[2, 3]),
        node("ArmTop", at=(0, 1, 0)),
        node("ArmEnd", at=(0.3, -0.5, 0.2), joint={"joint": 0, "connectedNode": 4}),
        node("Free", at=(1, -2, 0.5), motion={**SMALL, "mass": 3.0}),
        joints=limits,
    )
    model, _, losses = compiled(doc, tmp_path)
    assert losses == []
    assert model.ntendon == 1
    stiffness, damping = -model.tendon_solref_lim[0]
    assert stiffness == pytest.approx(5 * model.tendon_invweight0[0], rel=1e-6)
    assert damping == pytest.approx(1 * model.tendon_invweight0[0], rel=1e-6)


def test_ball_with_a_soft_angle_has_the_mean_compliance(tmp_path):
    soft = {"angularAxes": [0, 1, 2], "max": 0.3, "stiffness": 4.0}
    doc = physics_file(
        node("Hook", joint={"joint": 0, "connectedNode": 2}),
        node("Arm", at=(0.2, -1, 0), motion=SMALL, children=[2]),
        node("ArmTop", at=(-0.2, 1, 0)),
        joints=[{"limits": [POINT, soft]}],
    )
    model, _, losses = compiled(doc, tmp_path)
    assert losses == []
    assert -model.jnt_solref[0, 0] == pytest.approx(4 * model.dof_invweight0[0], rel=1e-6)


def test_z_is_up_unless_asked_otherwise(tmp_path):
    doc = pendulum_pair()
    model, data, _ = compiled(doc, tmp_path)
    assert model.opt.gravity == pytest.approx([0, 0, -9.81])
    assert data.body("Upper").xpos == pytest.approx([1, -3, 1])
    model, data, _ = compiled(doc, tmp_path, up="y", gravity=(0, -1.6, 0))
    assert model.opt.gravity == pytest.approx([0, -1.6, 0])
    assert data.body("Upper").xpos == pytest.approx([1, 1, 3])


def test_initial_velocities_are_a_keyframe(tmp_path):
    quarter = [0, math.sqrt(0.5), 0, math.sqrt(0.5)]
    motion = {
        **SMALL,
        "centerOfMass": [0.5, 0, 0],
        "linearVelocity": [1, 2, 3],
        "angularVelocity": [0, 0, 4],
    }
    doc = physics_file(node("Body", rotation=quarter, motion=motion))
    _, data, losses = compiled(doc, tmp_path, up="y")
    assert losses == []
    # A quarter turn about Y takes Z to X and X to −Z; the centre of mass has the velocity.
    spin, velocity = np.array([4.0, 0, 0]), np.array([3.0, 2, -1])
    center = np.array([0, 0, -0.5])
    assert data.qvel[:3] == pytest.approx(velocity - np.cross(spin, center), abs=1e-9)
    assert data.qvel[3:] == pytest.approx([0, 0, 4], abs=1e-9)


def test_velocities_that_joints_forbid_become_what_an_impact_leaves(tmp_path):
    doc = physics_file(
        node("Hook", joint={"joint": 0, "connectedNode": 2}),
        node("Bob", at=(0, -1, 0), motion={**SMALL, "linearVelocity": [2, 5, 0]}, children=[2]),
        node("Top", at=(0, 1, 0)),
        joints=[{"limits": [POINT, {"angularAxes": [0, 1], "max": 0}]}],
    )
    _, data, _ = compiled(doc, tmp_path)
    # Angular momentum about the hook: m v l = (m l² + I) ω.
    assert data.qvel == pytest.approx([2 / 1.01], rel=1e-9)


HOSTILE = [
    '"/><body>',
    "&amp;<!--",
    "a\x00b\x1f",
    "../../etc/passwd",
    "\ud800",
    "world",
    "",
    "ü 名",
]


def test_names_break_neither_the_xml_nor_the_paths(tmp_path):
    nodes = [
        node(name, at=(2 * i, 0, 0), motion={"mass": 1}, shape=BALL)
        for i, name in enumerate([*HOSTILE, *HOSTILE, "x" * 5000])
    ]
    model, _, _ = compiled(physics_file(*nodes), tmp_path)
    names = [model.body(i).name for i in range(1, model.nbody)]
    assert len(set(names)) == len(nodes)
    assert "ü 名" in names
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.xml"]


def filtered(*filters):
    own = {"collisionFilters": [{k: sorted(v) for k, v in each.items()} for each in filters]}
    nodes = []
    for i in range(len(filters)):
        ball = node(f"Ball{i}", at=(3 * i, 0, 0), motion={"mass": 1}, shape=BALL)
        ball["extensions"][KHR]["collider"]["collisionFilter"] = i
        nodes.append(ball)
    doc = physics_file(*nodes)
    doc.json["extensions"][KHR] = own
    return doc


def may_touch(model):
    """Return the pairs of geoms, by name, that MuJoCo would let touch."""
    names = [model.geom(i).name for i in range(model.ngeom)]
    given = zip(model.pair_geom1, model.pair_geom2, strict=True)
    pairs = {frozenset((names[a], names[b])) for a, b in given}
    for a, b in itertools.combinations(range(model.ngeom), 2):
        types, affinities = model.geom_contype, model.geom_conaffinity
        if types[a] & affinities[b] or types[b] & affinities[a]:
            pairs.add(frozenset((names[a], names[b])))
    return pairs


@pytest.mark.parametrize("count", [5, 32, 60])
def test_filters_are_kept_however_many(tmp_path, count):
    chance = random.Random(count)
    systems = [f"s{i}" for i in range(count)]
    filters = [
        {
            "collisionSystems": {systems[i]},
            "collideWithSystems": set(chance.sample(systems, count // 2)),
        }
        for i in range(count)
    ]
    model, _, losses = compiled(filtered(*filters), tmp_path)
    assert losses == []
    meant = [
        CollisionFilter(frozenset(f["collisionSystems"]), frozenset(f["collideWithSystems"]))
        for f in filters
    ]
    wanted = {
        frozenset((f"Ball{a}", f"Ball{b}"))
        for a, b in itertools.combinations(range(count), 2)
        if collide(meant[a], meant[b])
    }
    assert may_touch(model) == wanted


def test_joined_bodies_do_not_touch_unless_they_may(tmp_path):
    for may in (False, True):
        doc = physics_file(
            node("A", motion={"mass": 1}, shape=CUBE, children=[1]),
            node("JointA", joint={"joint": 0, "connectedNode": 2, "enableCollision": may}),
            node("B", at=(0, 0, 0), motion={"mass": 1}, shape=CUBE),
            joints=[{"limits": [POINT]}],
        )
        _, data, _ = compiled(doc, tmp_path)
        assert bool(data.ncon) is may


@pytest.mark.parametrize(
    ("first", "second", "friction"),
    [
        ({"dynamicFriction": 0.2}, {"dynamicFriction": 0.8}, 0.8),
        ({"dynamicFriction": 0.2, "frictionCombine": "average"}, {"dynamicFriction": 0.8}, 0.5),
        ({"dynamicFriction": 0.2, "frictionCombine": "minimum"}, {"dynamicFriction": 0.8}, 0.2),
        ({"dynamicFriction": 0.2, "frictionCombine": "multiply"}, {"dynamicFriction": 0.8}, 0.16),
    ],
)
def test_surfaces_combine_as_their_modes_say(tmp_path, first, second, friction):
    doc = physics_file(
        node("Floor", at=(0, -0.5, 0), shape=FLOOR, material=0),
        node("Box", at=(0, 0.49, 0), motion={"mass": 1}, shape=CUBE, material=1),
        materials=[first, second],
    )
    _, data, _ = compiled(doc, tmp_path)
    assert data.ncon > 0
    assert {round(float(contact.friction[0]), 9) for contact in data.contact} == {friction}


def test_losses_name_place_and_size(tmp_path):
    doc = physics_file(
        node("Floor", shape=FLOOR, material=0),
        node("Sensor", trigger=BALL),
        materials=[{"staticFriction": 0.9, "dynamicFriction": 0.4, "restitution": 0.5}],
    )
    losses = to_mjcf(doc, tmp_path / "a.xml")
    assert [(loss.pointer, loss.what) for loss in losses] == [
        (f"/nodes/0/extensions/{KHR}/collider", "static friction"),
        (f"/nodes/0/extensions/{KHR}/collider", "restitution"),
        (f"/nodes/1/extensions/{KHR}/trigger", "a trigger"),
    ]
    assert "0.4 is used, not 0.9" in losses[0].effect


def test_impossible_inertia_is_reported_and_lowered(tmp_path):
    doc = physics_file(node("Body", motion={"mass": 1, "inertiaDiagonal": [5, 1, 1]}))
    model, _, losses = compiled(doc, tmp_path)
    assert model.body_inertia[1] == pytest.approx([2, 1, 1])
    assert [loss.what for loss in losses] == ["a moment of inertia of 5 kg m²"]


def test_chains_deeper_than_the_reader_takes_are_cut(tmp_path):
    count = 210
    nodes = []
    for i in range(count):
        joint = {"joint": 0, "connectedNode": i + 1} if i < count - 1 else None
        nodes.append(node(f"Link{i}", motion=SMALL, joint=joint))
    model, _, _ = compiled(physics_file(*nodes, joints=[{"limits": [POINT]}]), tmp_path)
    assert model.nbody == count + 1
    assert model.neq == 1


def test_kinematic_bodies_that_stand_are_mocap_bodies(tmp_path):
    doc = physics_file(node("Hand", at=(0, 1, 0), motion={"isKinematic": True}, shape=BALL))
    model, _, losses = compiled(doc, tmp_path)
    assert losses == []
    assert model.nmocap == 1


def test_timestep_and_gravity_are_checked(tmp_path):
    doc = physics_file(node("Ball", motion={"mass": 1}, shape=BALL))
    model, _, _ = compiled(doc, tmp_path, timestep=0.004)
    assert model.opt.timestep == 0.004
    with pytest.raises(ContentError):
        to_mjcf(doc, tmp_path / "a.xml", timestep=0)
    with pytest.raises(ContentError):
        to_mjcf(doc, tmp_path / "a.xml", gravity=(0, math.inf, 0))


@pytest.fixture
def with_mesh():
    """A tetrahedron that falls, seen in green, and a bent sheet that is a surface."""
    doc = physics_file(
        node("Falling", at=(0, 3, 0), motion={"mass": 1}, mesh=0),
        node("Ground", mesh=1),
        materials=[{"dynamicFriction": 0.3}],
    )
    corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    bent = [[-2, 0, -2], [0, 1, -2], [2, 0, -2], [-2, 0, 2], [0, 1, 2], [2, 0, 2]]
    faces = (
        [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
        [[0, 3, 1], [1, 3, 4], [1, 4, 2], [2, 4, 5]],
    )
    meshes = []
    for points, triangles in zip((corners, bent), faces, strict=True):
        position = append_accessor(doc, np.array(points, np.float32), bounds=True)
        indices = append_accessor(doc, np.array(triangles, np.uint32).ravel())
        primitive = {"attributes": {"POSITION": position}, "indices": indices, "material": 0}
        meshes.append({"primitives": [primitive]})
    doc.json["meshes"] = meshes
    green = {"pbrMetallicRoughness": {"baseColorFactor": [0, 1, 0, 0.5]}}
    doc.json["materials"] = [green]
    for index, hull in ((0, True), (1, False)):
        collider = {"geometry": {"mesh": index, "convexHull": hull}}
        doc.json["nodes"][index].setdefault("extensions", {}).setdefault(KHR, {})["collider"] = (
            collider
        )
    return doc


def test_meshes_are_hulls_to_touch_and_surfaces_to_see(with_mesh, tmp_path):
    model, data, losses = compiled(with_mesh, tmp_path)
    assert [loss.what for loss in losses] == ["a surface that is not convex"]
    seen = [i for i in range(model.ngeom) if model.geom_group[i] == 2]
    assert len(seen) == 2
    assert model.geom_rgba[seen[0]] == pytest.approx([0, 1, 0, 0.5])
    assert not model.geom_contype[seen].any()
    for _ in range(1000):
        mujoco.mj_step(model, data)
    assert data.ncon > 0


def test_meshes_are_named_after_their_content(with_mesh, tmp_path):
    model, _, _ = compiled(with_mesh, tmp_path)
    files = [*(tmp_path / "model_meshes").iterdir()]
    assert len(files) == model.nmesh
    assert all(sha256(f.read_bytes()).hexdigest().startswith(f.stem) for f in files)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.xml", "model_meshes"]


def test_a_second_run_replaces_the_first_as_a_whole(with_mesh, tmp_path):
    compiled(with_mesh, tmp_path)
    before = len(list((tmp_path / "model_meshes").iterdir()))
    model, _, _ = compiled(with_mesh, tmp_path, visuals=False)
    after = list((tmp_path / "model_meshes").iterdir())
    assert len(after) == model.nmesh < before


def test_folders_with_other_files_are_left_alone(with_mesh, tmp_path):
    (tmp_path / "model_meshes").mkdir()
    precious = tmp_path / "model_meshes" / "notes.txt"
    precious.write_text("mine")
    with pytest.raises(FileError, match="named after their content"):
        compiled(with_mesh, tmp_path)
    assert precious.read_text() == "mine"
    assert not (tmp_path / "model.xml").exists()


def test_failed_writes_keep_the_old_files(with_mesh, tmp_path):
    compiled(with_mesh, tmp_path)
    meshes = {path: path.read_bytes() for path in (tmp_path / "model_meshes").iterdir()}
    (tmp_path / "model.xml").unlink()
    (tmp_path / "model.xml").mkdir()
    with pytest.raises(FileError):
        to_mjcf(with_mesh, tmp_path / "model.xml", visuals=False)
    assert {path: path.read_bytes() for path in (tmp_path / "model_meshes").iterdir()} == meshes
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.xml", "model_meshes"]


def test_the_damping_of_a_bounce():
    assert given_back(0.0) == 1.0
    assert given_back(1.0) == pytest.approx(math.exp(-2))
    # The three branches of the closed form meet.
    assert given_back(1 - 1e-7) == pytest.approx(given_back(1 + 1e-7), rel=1e-3)
    for restitution in (0.06, 0.3, 0.9, 1.0):
        assert given_back(damping_ratio(restitution)) == pytest.approx(restitution, abs=1e-9)


def integrated(ratio: float) -> float:
    """Return the speed at which a damped spring stops pushing, by small steps."""
    x, v, h = 0.0, -1.0, 1e-5
    while True:
        force = -x - 2 * ratio * v
        if force < 0:
            return v
        v += h * force
        x += h * v


@pytest.mark.parametrize("ratio", [0.1, 0.6, 0.9, 1.4])
def test_the_damping_of_a_bounce_by_integration(ratio):
    assert given_back(ratio) == pytest.approx(integrated(ratio), abs=1e-3)


def test_files_stand_alone(with_mesh, tmp_path):
    """The folder is named relative to the file, so that both can be moved."""
    compiled(with_mesh, tmp_path)
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    for name in ("model.xml", "model_meshes"):
        (tmp_path / name).rename(moved / name)
    assert mujoco.MjModel.from_xml_path(str(Path(moved) / "model.xml")).nmesh > 0


def test_the_command_writes_it_by_its_suffix(tmp_path):
    lg.save(physics_file(node("Ball", motion={"mass": 1}, trigger=BALL)), tmp_path / "a.glb")
    done = ligament("convert", tmp_path / "a.glb", tmp_path / "a.xml", "--strict")
    assert done.exit_code == 1
    assert "a trigger" in done.stderr
    assert mujoco.MjModel.from_xml_path(str(tmp_path / "a.xml")).nbody == 2


def test_the_python_of_the_page_runs(tmp_path, monkeypatch):
    door = next(asset for asset in assets() if asset.name == "door.glb")
    (tmp_path / "door.glb").write_bytes(door.read_bytes())
    monkeypatch.chdir(tmp_path)
    page = Path(__file__).parents[2] / "docs" / "mjcf.md"
    (code,) = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    names = {}
    exec(compile(code, "mjcf.md", "exec"), names)
    assert names["losses"] == []
    assert mujoco.MjModel.from_xml_path("door.xml").njnt == 1


@pytest.mark.parametrize(("off", "count"), [(0.0, 0), (0.5, 1)])
def test_joints_that_start_violated_are_reported(off, count, tmp_path):
    doc = physics_file(
        node("frame", joint={"joint": 0, "connectedNode": 1}),
        node("body", at=(off, 0, 0), motion=SMALL),
    )
    doc.json["extensions"][KHR] = {"physicsJoints": [{"limits": [POINT]}]}
    losses = compiled(doc, tmp_path)[2]
    assert [loss.what for loss in losses] == ["a joint that starts violated"] * count


@pytest.mark.parametrize("name", ["KHR_interactivity", "OMI_physics_gravity"])
def test_extensions_that_move_things_and_have_no_place_are_losses(name, tmp_path):
    doc = physics_file(node("ball", motion=SMALL))
    doc.json["extensions"][name] = {}
    doc.json["extensionsRequired"] = ["EXT_unknown"]
    losses = compiled(doc, tmp_path)[2]
    assert [loss.pointer for loss in losses] == [f"/extensions/{name}", "/extensionsRequired/0"]
    assert losses[0].reason.startswith(f"{name} is not played")

"""Many documents as USD: the corpus, scenes made at random, and a reader that is not ours."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ligament as lg
from ligament import transforms as tf
from ligament.author.ragdoll import add_ragdoll
from ligament.conversion.usd import to_usd
from ligament.errors import LigamentError, LigamentWarning
from ligament.extensions.shapes import Box, Capsule, Cylinder, Sphere
from ligament.gltf import Document
from tests.conversion.random_joints import documents
from tests.conversion.usd.parsed import assert_says, example, scene_of, written
from tests.play.files import node, physics_file
from tests.sampling import IS_SOAK, examples, sample

CORPUS = (
    "khr_samples_2024_03",
    "khr_conformance",
    "khr_synthetic",
    "khr_synthetic2",
    "khr_validator",
    "omi_2023_06",
    "omi_synthetic",
)
SCALES = [None, [2, 2, 2], [1, 2, 3], [-1, 1, 1], [0.5, -0.5, 2], [0, 1, 1]]
SHAPES = [Sphere(0.2), Box((0.2, 0.3, 0.4)), Capsule(0.4, 0.1, 0.1), Cylinder(0.4, 0.1, 0.2)]


@pytest.mark.parametrize("folder", CORPUS)
def test_the_corpus_says_what_its_scenes_say(shared, tmp_path, folder):
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
        parsed = written(document, tmp_path)
        assert_says(parsed, scene_of(document))
        assert all(loss.what and loss.reason and loss.effect for loss in parsed.losses)


@examples(20)
@given(documents(), st.lists(st.sampled_from(SCALES), min_size=3, max_size=3), st.booleans())
def test_whatever_the_joints_and_scales_usd_says_what_the_scene_says(
    document: Document, scales: list[list[float] | None], is_nested: bool
) -> None:
    for i, scale in enumerate(scales):
        if scale is not None:
            document.json["nodes"][i]["scale"] = scale
    if is_nested:
        document.json["nodes"][0].setdefault("children", []).append(1)
        document.json["scenes"][0]["nodes"].remove(1)
    up = "z" if scales[0] is None else "y"
    with tempfile.TemporaryDirectory() as folder:
        assert_says(written(document, Path(folder), up=up), scene_of(document, up=up))


def made_up(rng: np.random.Generator) -> Document:
    """A chain of bodies in a tree of nodes, joined in all ways that the editor has names for."""
    editor = lg.Editor(Document({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{}]}))
    for i in range(6):
        parent = None if i == 0 or rng.random() < 0.5 else f"N{int(rng.integers(i))}"
        turn = np.asarray(tf.normalize(rng.standard_normal(4))).tolist()
        place = rng.uniform(-1, 1, 3).tolist()
        editor.add_node(f"N{i}", parent=parent, translation=place, rotation=turn)
        shape = SHAPES[int(rng.integers(len(SHAPES)))]
        editor.add_body(
            f"N{i}",
            mass=float(rng.uniform(0.1, 10)),
            collider=shape,
            linear_velocity=rng.uniform(-1, 1, 3).tolist(),
            angular_velocity=rng.uniform(-5, 5, 3).tolist(),
            material=editor.add_material(friction=0.5, restitution=float(rng.uniform(0, 1))),
        )
    ways = [
        editor.fixed,
        editor.ball,
        lambda a, b: editor.hinge(a, b, axis=rng.standard_normal(3).tolist(), limits=(-40, 70)),
        lambda a, b: editor.slider(a, b, axis="z", limits=(-0.5, 0.25), motor=0.5),
        lambda a, b: editor.distance(a, b, max=3.0, to=None if b else (0.0, 1.0, 0.0)),
        lambda a, b: editor.cone_twist(a, b, swing=30, twist=(-20, 20)),
        lambda a, b: editor.six_axis(a, b, x=(-1, 1), turn_y=(-30, 60)),
    ]
    for i in range(6):
        end: Any = None if i == 0 else f"N{i - 1}"
        ways[int(rng.integers(len(ways)))](f"N{i}", end)
    return editor.document


@pytest.mark.parametrize("seed", range(10))
def test_scenes_of_the_editor_say_the_same_in_usd(tmp_path, seed):
    document = made_up(np.random.default_rng(seed))
    parsed = written(document, tmp_path, suffix=".usdc")
    assert_says(parsed, scene_of(document))
    assert len(parsed.by_type["RigidBody"]) == 6


def ragdoll() -> Document:
    editor = lg.Editor(example("avatar.vrm"))
    add_ragdoll(editor, lg.Humanoid(editor.document))
    return editor.document


def test_ragdolls_are_one_articulation(tmp_path):
    document = ragdoll()
    parsed = written(document, tmp_path, animations=())
    assert_says(parsed, scene_of(document, animations=()))
    ((path, found),) = parsed.by_type["Articulation"].items()
    assert path == "/World/hips"
    joints = parsed.all("Joint")
    assert len(found.articulatedJoints) == len(joints) == len(parsed.by_type["RigidBody"]) - 1


def driven(drive: dict[str, Any]) -> Document:
    """An arm on a post that is fixed to the world, driven about a slanted hinge."""
    slanted = np.asarray(tf.from_axis_angle([0.0, 0.0, 1.0], 0.4)).tolist()
    still = {"mass": 2.0, "inertiaDiagonal": [0.2, 0.2, 0.3]}
    point = {"linearAxes": [0, 1, 2], "min": 0, "max": 0}
    return physics_file(
        node("Post", at=(0.3, 1, 0), rotation=slanted, motion=still, children=[2]),
        node("Arm", at=(1, 1.2, 0.1), rotation=slanted, motion=still, children=[3]),
        node("Hinge", joint={"connectedNode": 3, "joint": 0}),
        node("End", at=np.asarray(tf.rotate(tf.conjugate(slanted), [-0.7, -0.2, -0.1])).tolist()),
        node(
            "Anchor",
            at=(0.3, 1, 0),
            rotation=slanted,
            joint={"connectedNode": 0, "joint": 1},
        ),
        joints=[
            {"limits": [point, {"angularAxes": [0, 2], "min": 0, "max": 0}], "drives": [drive]},
            {"limits": [point, {"angularAxes": [0, 1, 2], "min": 0, "max": 0}]},
        ],
    )


@pytest.mark.parametrize(
    "drive",
    [
        {"stiffness": 20.0, "damping": 6.0, "positionTarget": 0.8},
        {"damping": 50.0, "velocityTarget": -1.0},
    ],
)
def test_drives_do_the_same_in_newton(tmp_path, drive):
    """Gains, targets and signs: an arm that is driven for a second ends at the same place."""
    newton = pytest.importorskip("newton")
    document = driven({"type": "angular", "mode": "force", "axis": 1, **drive})
    recording = lg.simulate(document, seconds=1.0)
    wanted = recording.translation[-1, list(recording.nodes).index(1)]
    to_usd(document, tmp_path / "arm.usda")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        builder = newton.ModelBuilder(up_axis=newton.Axis.Y)
        builder.add_usd(str(tmp_path / "arm.usda"))
        model = builder.finalize(device="cpu")
        solver, state, other = newton.solvers.SolverMuJoCo(model), model.state(), model.state()
        newton.eval_fk(model, model.joint_q, model.joint_qd, state)
        for _ in range(240):
            state.clear_forces()
            solver.step(state, other, model.control(), None, 1 / 240)
            state, other = other, state
    found = state.body_q.numpy()[builder.body_label.index("/World/Arm")][:3]
    # Two engines with steps of 4 ms and less, over a path of about a metre.
    assert np.linalg.norm(wanted - recording.translation[0, 1]) > 0.3
    assert np.allclose(found, wanted, atol=2e-3)


@pytest.mark.parametrize("name", ["door.glb", "rope.glb", "stack.glb", "ragdoll"])
def test_newton_imports_the_examples(tmp_path, name):
    newton = pytest.importorskip("newton")
    document = ragdoll() if name == "ragdoll" else example(name)
    scene = scene_of(document, animations=()).scene
    path = tmp_path / "stage.usda"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        to_usd(document, path, animations=())
        builder = newton.ModelBuilder()
        builder.add_usd(str(path))
        model = builder.finalize(device="cpu")
    moving = [body for body in scene.bodies if body.kind == "dynamic"]
    assert builder.body_count == len(moving)
    masses = sorted(model.body_mass.numpy().tolist())
    assert np.allclose(masses, sorted(body.mass.mass for body in moving), rtol=1e-5)
    assert builder.joint_count >= len(scene.joints)

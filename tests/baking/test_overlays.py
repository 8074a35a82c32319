"""Overlays as glTF: ordinary nodes in layers, valid, and where the recording has what they show."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament.demo import assets
from ligament.gltf import Document
from ligament.gltf.animation import read_clip, sample_pose
from ligament.gltf.mesh import read_mesh
from ligament.gltf.tree import NodeTree
from ligament.options.names import LAYERS
from ligament.physics.shapes import Cylinder, sampled
from tests.cli.command import ligament
from tests.judges import assert_valid
from tests.play.files import BALL, CUBE, FLOOR, animate, node, physics_file

ASSETS = {path.name: path for path in assets()}


def baked(document: Document, *, overlays: object = True, **options: object) -> tuple:
    recording = lg.simulate(document, seconds=1, rate=30, contact_points=True)
    return recording, lg.bake(document, recording, overlays=overlays, **options)  # type: ignore[arg-type]


def overlays_of(document: Document, layer: str, of: int | None = None) -> list[int]:
    """Return the nodes of a layer that show something of a node, or of any."""
    found = []
    for index, raw in enumerate(document.json["nodes"]):
        mark = raw.get("extras", {}).get("ligament", {})
        if mark.get("layer") == layer and "mesh" in raw and of in (None, mark["of"]):
            found.append(index)
    return found


def world(document: Document, times: np.ndarray) -> np.ndarray:
    """Return the world matrices (F, N, 4, 4) of the last animation."""
    tree, clip = NodeTree(document), read_clip(document, len(document.json["animations"]) - 1)
    just_after = times + 1e-5  # keys are in single precision
    return np.asarray(tree.world_matrices(*sample_pose(tree, [clip], just_after)))


def extent(document: Document, index: int, matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the corners of a node's mesh in the world."""
    parts = read_mesh(document, document.json["nodes"][index]["mesh"])
    points = np.concatenate([part.points for part in parts]) @ matrix[:3, :3].T + matrix[:3, 3]
    return points.min(axis=0), points.max(axis=0)


def test_nothing_of_the_original_is_changed_or_renumbered() -> None:
    document = lg.load(ASSETS["door.glb"])
    recording, drawn = baked(document)
    plain = lg.bake(document, recording)
    count = len(plain.json["nodes"])
    for before, after in zip(plain.json["nodes"], drawn.json["nodes"], strict=False):
        kept = [c for c in after.get("children", []) if c < count]
        assert {**after, "children": kept} == {"children": [], **before}
    for name in ("meshes", "materials", "accessors"):
        assert drawn.json[name][: len(document.json[name])] == document.json[name]
    assert all("ligament" in raw["extras"] for raw in drawn.json["nodes"][count:])


def test_every_layer_of_the_examples_is_valid_and_opens_elsewhere(tmp_path: Path) -> None:
    seen, files = set(), []
    for name in ("door.glb", "gate.glb", "ponytail.vrm"):
        _, drawn = baked(lg.load(ASSETS[name]))
        files.append(tmp_path / f"{name}.glb")
        lg.save(drawn, files[-1])
        seen |= {n["extras"]["ligament"]["layer"] for n in drawn.json["nodes"] if "extras" in n}
    assert seen == set(LAYERS)
    assert_valid(*files)
    trimesh, pygltflib = pytest.importorskip("trimesh"), pytest.importorskip("pygltflib")
    for file in files:
        assert len(trimesh.load(file).geometry) > 3
        assert pygltflib.GLTF2().load(str(file)).nodes


@pytest.mark.parametrize("scale", [[1, 1, 1], [2, 2, 2], [1, 3, 2], [0.5, -1, 1]])
def test_colliders_are_where_the_bodies_are_in_their_own_size(scale: list[float]) -> None:
    ball = node("Ball", at=(0, 3, 0), motion={"mass": 1}, shape=CUBE, scale=scale)
    recording, drawn = baked(physics_file(node("Floor", at=(0, -0.5, 0), shape=FLOOR), ball))
    (shown,) = overlays_of(drawn, "colliders", of=1)
    matrices = world(drawn, recording.times)
    for frame in (0, 10, 30):
        low, high = extent(drawn, shown, matrices[frame, shown])
        assert (low + high) / 2 == pytest.approx(recording.translation[frame, 0], abs=1e-3)
        assert high - low == pytest.approx(np.abs(scale), rel=0.05)


@pytest.mark.parametrize("motion", [None, {"mass": 1, "angularVelocity": [1, 2, 3]}])
@pytest.mark.parametrize("scale", [[-1, 1, 1], [1, -2, 1], [-1, -1, 1], [-2, -2, -2]])
def test_colliders_below_mirrors_are_where_they_are_drawn(scale: list[float], motion: Any) -> None:
    document = physics_file(
        node("Mirror", rotation=[0, 0, 0.6, 0.8], scale=np.sign(scale).tolist(), children=[1]),
        node("Cone", at=(0.3, 0, 0), rotation=[0, 0.8, 0, 0.6], motion=motion, children=[2]),
        node("Part", rotation=[0, 0, 0.28, 0.96], scale=np.abs(scale).tolist(), shape=3),
        node("Ball", at=(0, 9, 0), motion={"mass": 1}, shape=BALL),
    )
    cone = {"type": "cylinder", "cylinder": {"height": 2, "radiusTop": 0, "radiusBottom": 0.5}}
    document.json["extensions"]["KHR_implicit_shapes"]["shapes"].append(cone)
    recording, drawn = baked(document)
    (shown,) = overlays_of(drawn, "colliders", of=2)
    matrices = world(drawn, recording.times)
    for frame in (0, 30):
        low, high = extent(drawn, shown, matrices[frame, shown])
        matrix = matrices[frame, 2]
        points = sampled(Cylinder(2, 0.5, 0)) @ matrix[:3, :3].T + matrix[:3, 3]
        assert low == pytest.approx(points.min(axis=0), abs=0.06)  # lines have a thickness
        assert high == pytest.approx(points.max(axis=0), abs=0.06)


def test_a_collider_that_an_animation_resizes_grows() -> None:
    document = physics_file(node("Grows", shape=CUBE, scale=[1, 1, 1]))
    animate(document, 0, "scale", [0, 1], [[1, 1, 1], [4, 3, 2]])
    recording, drawn = baked(document)
    (shown,) = overlays_of(drawn, "colliders", of=0)
    low, high = extent(drawn, shown, world(drawn, recording.times)[-1, shown])
    assert high - low == pytest.approx([4, 3, 2], rel=0.05)


def test_overlays_of_fixed_size_keep_it_on_a_growing_node() -> None:
    moving = node("Grows", at=(1, 0, 0), motion={"isKinematic": True}, shape=CUBE)
    document = physics_file(moving)
    animate(document, 0, "scale", [0, 1], [[1, 1, 1], [4, 3, 2]])
    animate(document, 0, "translation", [0, 1], [[1, 0, 0], [2, 0, 0]])
    recording, drawn = baked(document)
    (dot,) = overlays_of(drawn, "centers_of_mass", of=0)
    first, last = (extent(drawn, dot, world(drawn, recording.times)[f, dot]) for f in (0, -1))
    assert last[1] - last[0] == pytest.approx(first[1] - first[0], rel=1e-4)
    assert (last[0] + last[1]) / 2 == pytest.approx([2, 0, 0], abs=1e-4)


def test_contacts_appear_and_vanish() -> None:
    bouncy = node("Ball", at=(0, 1.0, 0), motion={"mass": 1}, shape=BALL)
    recording, drawn = baked(physics_file(node("F", at=(0, -0.5, 0), shape=FLOOR), bouncy))
    arrows = overlays_of(drawn, "contacts")
    assert arrows
    shown = np.abs(world(drawn, recording.times)[:, arrows][..., :3, 1]).max(axis=2) > 1e-6
    touching = [int((each.forces > 0).sum()) for each in recording.contacts]
    assert shown.sum(axis=1).tolist() == touching
    assert 0 in touching
    assert 1 in touching


def test_triggers_are_lit_while_something_is_inside() -> None:
    document = physics_file(
        node("T", trigger=CUBE), node("B", at=(0, 2, 0), motion={"mass": 1}, shape=BALL)
    )
    recording, drawn = baked(document)
    dim, bright = overlays_of(drawn, "triggers", of=0)
    sizes = np.linalg.norm(world(drawn, recording.times)[:, [dim, bright]][..., :3, 0], axis=2)
    assert ((sizes > 0).sum(axis=1) == 1).all()
    enter = next(e.time for e in recording.events)
    assert (sizes[recording.times < enter, 1] == 0).all()
    assert sizes[np.searchsorted(recording.times, enter) + 1, 1] == 1


def test_arrows_and_bones_end_at_their_nodes() -> None:
    document = lg.load(ASSETS["avatar.vrm"])
    recording, drawn = baked(document)
    matrices = world(drawn, recording.times)
    humanoid = lg.Humanoid(document)
    hand = humanoid.nodes[humanoid.bones.index("leftHand")]
    elbow = humanoid.nodes[humanoid.bones.index("leftLowerArm")]
    (bone,) = overlays_of(drawn, "skeleton", of=int(elbow))
    tip = matrices[:, bone] @ [0, 1, 0, 1]
    assert tip[:, :3] == pytest.approx(matrices[:, hand, :3, 3], abs=1e-4)
    for arrow in overlays_of(drawn, "constraints"):
        of = drawn.json["nodes"][arrow]["extras"]["ligament"]["of"]
        tip = matrices[:, arrow] @ [0, 1, 0, 1]
        assert tip[:, :3] == pytest.approx(matrices[:, of, :3, 3], abs=1e-4)


def test_layers_are_chosen_by_name_on_the_command_line(tmp_path: Path) -> None:
    door, out = ASSETS["door.glb"], tmp_path / "out.glb"

    def layers(*arguments: object) -> set[str]:
        result = ligament("bake", "-o", out, "--seconds", 0.2, *arguments)
        assert result.returncode == 0, result.stderr
        nodes = lg.load(out).json["nodes"]
        return {n["extras"]["ligament"]["layer"] for n in nodes if "extras" in n}

    assert layers(door) == set()
    assert layers(door, "--overlays", "colliders,limits") == {"colliders", "limits"}
    assert layers("--overlays", door) == {"colliders", "limits", "joints", "centers_of_mass"}
    wrong = ligament("bake", door, "-o", out, "--overlays", "coliders")
    assert wrong.returncode == 2
    assert "unknown layer 'coliders'" in wrong.stderr


def test_files_without_overlays_stay_as_they_were() -> None:
    document = lg.load(ASSETS["door.glb"])
    recording, drawn = baked(document, overlays=False)
    assert drawn.json == lg.bake(document, recording).json


def test_a_vrm_0_avatar_that_keeps_its_springs_has_nothing_hung_on_them() -> None:
    """All children of its spring bones swing."""
    old = Document(
        {
            "asset": {"version": "2.0"},
            "scene": 0,
            "scenes": [{"nodes": [0]}],
            "nodes": [
                {"name": "Head", "children": [1]},
                {"name": "Hair", "translation": [0, 0.1, 0], "children": [2]},
                {"name": "Tip", "translation": [0, 0.1, 0]},
            ],
            "extensionsUsed": ["VRM"],
            "extensions": {
                "VRM": {
                    "secondaryAnimation": {
                        "boneGroups": [{"bones": [1], "stiffiness": 1, "hitRadius": 0.02}],
                        "colliderGroups": [],
                    }
                }
            },
        }
    )
    recording = lg.simulate(old, seconds=0.2)
    kept = lg.bake(old, recording, overlays=["spring_bones"])
    assert overlays_of(kept, "spring_bones")
    assert [raw.get("children") for raw in kept.json["nodes"][:3]] == [[1], [2], None]
    stripped = lg.bake(old, recording, overlays=["spring_bones"], strip=True)
    assert len(stripped.json["nodes"][1]["children"]) == 2

"""Where prims lie: units, axes, ops, the stack of transforms, composition, time."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from ligament import transforms as tf
from ligament.conversion.usd.reading import animations
from ligament.conversion.usd.reading.nodes import without_shear
from ligament.gltf.animation import read_clip, sample_pose
from ligament.gltf.tree import NodeTree
from tests.conversion.usd.texts import Read, read, usda

TURN = math.sqrt(0.5)
ORDER = "uniform token[] xformOpOrder"

PLACED = """
def Xform "A"
{{
    {ops}
    uniform token[] xformOpOrder = [{order}]
}}
"""


def place(folder: Path, *ops: tuple[str, str, str], metadata: str | None = None) -> Read:
    """Read a prim with some ops, each given as type, name and value."""
    text = PLACED.format(
        ops="\n".join(f"{kind} xformOp:{name} = {value}" for kind, name, value in ops),
        order=", ".join(f'"xformOp:{name}"' for _, name, _ in ops),
    )
    return read(folder, text) if metadata is None else read(folder, text, metadata)


def test_units_and_axis_are_worked_into_all_places(tmp_path: Path) -> None:
    body = """
    def Xform "Top"
    {
        double3 xformOp:translate = (100, 200, 300)
        uniform token[] xformOpOrder = ["xformOp:translate"]
        def Xform "Below"
        {
            double3 xformOp:translate = (0, 0, 50)
            uniform token[] xformOpOrder = ["xformOp:translate"]
        }
    }
    """
    found = read(tmp_path, body, 'upAxis = "Z"')  # USD's own unit is a centimetre
    np.testing.assert_allclose(found.world("Top")[:3, 3], [1, 3, -2], atol=1e-15)
    np.testing.assert_allclose(found.world("Below")[:3, 3], [1, 3.5, -2], atol=1e-15)
    assert not found.losses


@pytest.mark.parametrize("value", ["0", "-1", "inf"])
def test_units_that_mean_nothing_are_refused(tmp_path: Path, value: str) -> None:
    from ligament.errors import LigamentError

    with pytest.raises(LigamentError, match=r"stage\.usda"):
        read(tmp_path, 'def Xform "A" {}', f"metersPerUnit = {value}")


def test_ops_apply_from_the_last_to_the_first(tmp_path: Path) -> None:
    found = place(
        tmp_path,
        ("double3", "translate", "(1, 2, 3)"),
        ("float3", "rotateXYZ", "(30, 40, 50)"),
        ("float3", "scale", "(1, 2, 4)"),
    )
    x, y, z = (
        tf.from_axis_angle(np.eye(3)[i], math.radians(a)) for i, a in enumerate((30, 40, 50))
    )
    turn = tf.multiply(z, tf.multiply(y, x))  # about X first
    expected = tf.compose(np.array([1.0, 2, 3]), turn, np.array([1.0, 2, 4]))
    # The angles are float32 in the file, but whole: what is left is the rounding of doubles.
    np.testing.assert_allclose(found.world("A"), expected, atol=1e-12)


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        ("quatf", "orient", f"({TURN}, 0, {TURN}, 0)"),
        ("float", "rotateY", "90"),
        ("float3", "rotateZYX", "(0, 90, 0)"),
        ("matrix4d", "transform", "((0,0,-1,0),(0,1,0,0),(1,0,0,0),(0,0,0,1))"),
    ],
)
def test_a_quarter_turn_in_every_way(tmp_path: Path, kind: str, name: str, value: str) -> None:
    found = place(tmp_path, (kind, name, value))
    forward = found.world("A") @ [0, 0, 1, 0]
    # float32 holds the square root of a half to 6e-8.
    np.testing.assert_allclose(forward, [1, 0, 0, 0], atol=1e-7)


def test_pivots_and_inverted_ops(tmp_path: Path) -> None:
    text = """
    def Xform "A"
    {
        double3 xformOp:translate:pivot = (1, 0, 0)
        float xformOp:rotateZ = 90
        uniform token[] xformOpOrder = ["xformOp:translate:pivot", "xformOp:rotateZ",
                                        "!invert!xformOp:translate:pivot"]
    }
    """
    found = read(tmp_path, text)
    np.testing.assert_allclose(found.world("A") @ [0, 0, 0, 1], [1, -1, 0, 1], atol=1e-12)


def test_shear_is_reported_and_left_out(tmp_path: Path) -> None:
    matrix = "((1,0,0,0),(0.5,1,0,0),(0,0,1,0),(0,0,0,1))"
    found = place(tmp_path, ("matrix4d", "transform", matrix))
    assert found.lost("/A") == ["the shear of a transform"]
    axes = found.world("A")[:3, :3]
    across = axes.T @ axes
    np.testing.assert_allclose(across - np.diag(np.diag(across)), 0, atol=1e-12)


STACK = """
def Xform "Parent"{parent}
{{
    double3 xformOp:translate = (5, 0, 0)
    float3 xformOp:scale = (2, 2, 2)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]
    def Xform "Child"{child}
    {{
        double3 xformOp:translate = (0, 7, 0)
        uniform token[] xformOpOrder = ["!resetXformStack!", "xformOp:translate"]
    }}
}}
"""
BODY = ' (apiSchemas = ["PhysicsRigidBodyAPI"])'


def test_prims_that_reset_the_stack_are_placed_in_the_world(tmp_path: Path) -> None:
    found = read(tmp_path, STACK.format(parent="", child=""))
    np.testing.assert_allclose(found.world("Child"), tf.compose([0, 7, 0], [0, 0, 0, 1]))
    assert found.index("Child") in found.json["scenes"][0]["nodes"]


def test_a_body_below_a_body_stays_below_it(tmp_path: Path) -> None:
    found = read(tmp_path, STACK.format(parent=BODY, child=BODY))
    np.testing.assert_allclose(found.world("Child"), tf.compose([0, 7, 0], [0, 0, 0, 1]))
    assert found.nodes["Parent"]["children"] == [found.index("Child")]
    assert set(found.physics.motions) == {0, 1}


def test_descriptive_prims_are_no_nodes(tmp_path: Path) -> None:
    body = """
    def Scope "Looks" { def Material "M" { def Shader "S" {} } }
    def PhysicsScene "scene" {}
    def Scope "Things" { def Xform "A" {} }
    class Xform "Pattern" {}
    over "Nothing" { def Xform "B" {} }
    def Xform "Off" (active = false) {}
    """
    found = read(tmp_path, body)
    assert list(found.nodes) == ["Things", "A"]


def test_references_payloads_sublayers_and_variants_are_composed(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    ball = usda('def Sphere "Ball" { double radius = 3 }', 'defaultPrim = "Ball"')
    (tmp_path / "parts" / "ball.usda").write_text(ball)
    (tmp_path / "more.usda").write_text(usda('def Xform "Sub" {}'))
    body = """
    def Xform "Main" (
        variants = { string size = "large" }
        variantSets = "size"
    )
    {
        def "Referenced" (references = @./parts/ball.usda@) {}
        def "Loaded" (payload = @parts/ball.usda@) { double radius = 4 }
        variantSet "size" = {
            "large" { def Cube "Large" {} }
            "small" { def Cube "Small" {} }
        }
    }
    """
    metadata = 'metersPerUnit = 1\nupAxis = "Y"\nsubLayers = [@./more.usda@]'
    found = read(tmp_path, body, metadata)
    assert sorted(found.nodes) == ["Large", "Loaded", "Main", "Referenced", "Sub"]
    sizes = [max(found.json["accessors"][a]["max"]) for a in _positions(found)]
    assert sorted(sizes) == [1, 3, 4]
    assert not found.losses


def _positions(found: Read) -> list[int]:
    meshes = found.json["meshes"]
    return [mesh["primitives"][0]["attributes"]["POSITION"] for mesh in meshes]


def test_instances_are_nodes_that_share_meshes(tmp_path: Path) -> None:
    body = """
    class Xform "Pattern" { def Sphere "Ball" (apiSchemas = ["PhysicsCollisionAPI"]) {} }
    def "One" (inherits = </Pattern>
        instanceable = true) {}
    def "Two" (inherits = </Pattern>
        instanceable = true) {
        double3 xformOp:translate = (3, 0, 0)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
    """
    found = read(tmp_path, body)
    assert [node["name"] for node in found.json["nodes"]] == ["One", "Ball", "Two", "Ball"]
    assert len(found.json["meshes"]) == 1
    assert len(found.scene.colliders) == 2


def test_a_missing_reference_is_a_loss(tmp_path: Path) -> None:
    found = read(tmp_path, 'def Xform "A" (references = @./nowhere.usda@) {}')
    (loss,) = found.losses
    assert loss.pointer == "/A"
    assert "nowhere.usda" in loss.reason
    assert list(found.nodes) == ["A"]


# --- time ---

SPIN = """
def Xform "A"
{
    double3 xformOp:translate.timeSamples = { 0: (0, 0, 0), 12: (2, 0, 0), 24: (2, 4, 0) }
    float3 xformOp:rotateXYZ.timeSamples = { 0: (0, 0, 0), 24: (0, 360, 0) }
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateXYZ"]
}
"""


def poses(found: Read, times: list[float]) -> np.ndarray:
    tree = NodeTree(found.document)
    pose = sample_pose(tree, [read_clip(found.document, 0)], np.array(times))
    return np.asarray(tree.world_matrices(pose.translation, pose.rotation, pose.scale))[:, 0]


def test_samples_become_an_animation_in_seconds(tmp_path: Path) -> None:
    found = read(tmp_path, SPIN, 'metersPerUnit = 1\nupAxis = "Y"\ntimeCodesPerSecond = 24')
    seen = poses(found, [0, 0.25, 0.75, 1])
    # Keys are float32: times to 6e-8 s, where the node moves at 4 m/s.
    places = [[0, 0, 0], [1, 0, 0], [2, 2, 0], [2, 4, 0]]
    np.testing.assert_allclose(seen[:, :3, 3], places, atol=1e-6)


def test_a_whole_turn_between_two_samples_is_a_whole_turn(tmp_path: Path) -> None:
    found = read(tmp_path, SPIN, 'metersPerUnit = 1\nupAxis = "Y"\ntimeCodesPerSecond = 24')
    times = np.linspace(0, 1, 41)
    seen = poses(found, times.tolist())
    expected = np.stack([np.cos(times * math.tau), np.sin(times * math.tau)], axis=1)
    # CLOSE in the reader: 1e-4 at the middle of two keys, where the error of a chord is largest.
    np.testing.assert_allclose(seen[:, 0, [0, 2]] * [1, 1], expected, atol=2e-4)


def test_samples_of_a_prim_are_read_as_one_array(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stages with many samples took half a millisecond for each."""
    sizes = []

    def counted(matrices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        sizes.append(len(matrices))
        return without_shear(matrices)

    monkeypatch.setattr(animations, "without_shear", counted)
    turns = ", ".join(f"{code}: (0, {90 * code}, 0)" for code in range(100))
    arm = "double3 xformOp:translate = (5, 0, 0)"
    spin = f"float3 xformOp:rotateXYZ.timeSamples = {{ {turns} }}"
    order = f'{ORDER} = ["xformOp:rotateXYZ", "xformOp:translate"]'
    found = read(tmp_path, f'def Xform "A" {{\n{spin}\n{arm}\n{order}\n}}')
    assert len(sizes) < 10
    clip = read_clip(found.document, 0)
    assert len(clip.tracks[0].times) == 99 * 32 + 1  # arcs of 90° in 32 chords


def test_time_starts_where_the_stage_does(tmp_path: Path) -> None:
    metadata = 'metersPerUnit = 0.01\nupAxis = "Z"\nstartTimeCode = -24\nendTimeCode = 24'
    found = read(tmp_path, SPIN, metadata)
    clip = read_clip(found.document, 0)
    assert (clip.start, clip.end) == (1.0, 2.0)
    np.testing.assert_allclose(poses(found, [2.0])[0, :3, 3], [0.02, 0, -0.04], atol=1e-8)


def test_a_stage_without_samples_has_no_animation(tmp_path: Path) -> None:
    assert "animations" not in read(tmp_path, 'def Xform "A" {}').json

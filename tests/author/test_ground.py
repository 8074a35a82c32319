"""A floor to fall on, and the command that shows the fall."""

import re
import shlex
from pathlib import Path

import numpy as np
import pytest

import ligament as lg
from ligament.author.ground import add_ground
from ligament.demo import assets
from tests.cli.command import ligament
from tests.play.files import CUBE, node, physics_file
from tests.viewer.files import RED, add_box

ASSETS = {path.name: path for path in assets()}


@pytest.mark.parametrize("size", [0.01, 1.0, 500.0])
def test_the_floor_is_just_below_whatever_its_size(size: float) -> None:
    document = physics_file(node("Box", at=(0, 7 * size, 0), scale=[size] * 3, shape=CUBE))
    document.json["nodes"][0]["mesh"] = add_box(document, RED)
    ground = add_ground(lg.Editor(document))
    (mesh,) = lg.gltf.mesh.read_mesh(document, document.json["nodes"][ground]["mesh"])
    top = document.json["nodes"][ground]["translation"][1] + mesh.points[:, 1].max()
    assert 6.4 * size < top < 6.5 * size
    assert np.ptp(mesh.points[:, 0]) > 5 * size


def test_the_command_that_equip_prints_shows_a_fall_onto_the_floor(tmp_path: Path) -> None:
    out = tmp_path / "doll of mine.glb"
    done = ligament("equip", ASSETS["avatar.vrm"], "--ragdoll", "--ground", "-o", out)
    assert done.returncode == 0, done.stderr
    printed = re.search(r"view it with: (ligament view .*)", done.stderr)
    assert printed is not None
    words = shlex.split(printed[1])
    assert words == ["ligament", "view", str(out), "--animation", "none"]
    document = lg.load(out)
    fallen = lg.simulate(document, seconds=2, rate=30, animations=[])
    names = [raw.get("name") for raw in document.json["nodes"]]
    head = fallen.nodes.tolist().index(names.index("neck" if "neck" in names else "head"))
    heights = fallen.translation[:, head, 1]
    assert heights[0] > 1.2
    assert 0 < heights[-1] < 0.6
    assert fallen.translation[-1, :, 1].min() > -0.05  # on the floor, not through it


def test_without_a_floor_it_is_advised(tmp_path: Path) -> None:
    done = ligament("equip", ASSETS["avatar.vrm"], "--ragdoll", "-o", tmp_path / "doll.glb")
    assert "add --ground" in done.stderr

"""The live viewer draws every file of the specification's authors, round hulls too."""

import warnings
from pathlib import Path

import numpy as np
import pytest

import ligament as lg
from ligament.errors import LigamentError, LigamentWarning
from ligament.gltf.accessors import append_accessor
from ligament.options.names import Layer
from ligament.viewer.drawing.picture import draw
from ligament.viewer.player import Player
from tests.play.files import KHR, node, physics_file
from tests.sampling import sample
from tests.viewer.test_corpus_pages import FILES


@pytest.mark.parametrize("file", sample(FILES, 8), ids=lambda path: path.stem)
def test_every_file_is_drawn(file: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LigamentWarning)
        try:
            player = Player(lg.load(file))
            moments = list(player.preview(seconds=0.1, patience=5.0))
        except LigamentError:
            return  # refused in one line
        picture = draw(player.sim, [moment.poses for moment in moments])
    assert np.isfinite([*picture.framing.center, *picture.framing.half_size]).all()
    assert (picture.framing.half_size > 0).all()


def test_a_round_hull_without_a_single_sharp_edge_is_drawn() -> None:
    """The official sample MotionProperties has one."""
    steps = np.linspace(0, np.pi, 24)
    around = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    ring = np.stack([np.cos(around), np.zeros(48), np.sin(around)], axis=1)
    points = np.concatenate([np.sin(s) * ring + [0, np.cos(s), 0] for s in steps])
    document = physics_file(node("Round", motion={"mass": 1}))
    index = append_accessor(document, points, bounds=True)
    document.json["meshes"] = [{"primitives": [{"attributes": {"POSITION": index}, "mode": 0}]}]
    geometry = {"convexHull": True, "mesh": 0}
    document.json["nodes"][0]["extensions"][KHR]["collider"] = {"geometry": geometry}
    picture = draw(Player(document).sim)
    (hull,) = [i for i in picture.overlays.instances if i.layer is Layer.COLLIDERS]
    assert len(hull.parts[0].surface.triangles) > 100
    assert picture.overlays.grain == pytest.approx(2 * 3**0.5, rel=0.05)

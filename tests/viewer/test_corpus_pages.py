"""Pages of the specification authors' files: all can be made, and a browser opens them."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import ligament as lg
from ligament.demo import assets
from ligament.errors import LigamentWarning
from ligament.viewer.page import page_of
from tests.browser import Page
from tests.sampling import sample
from tests.viewer.pages import ask, open_player, outside, picture_of

SUFFIXES = (".glb", ".gltf", ".vrm")
CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus"
"""Files of others, beside the project; without them those of the package have to do."""

FILES = sorted(path for path in CORPUS.rglob("*") if path.suffix in SUFFIXES) or [
    path for path in assets() if path.suffix in SUFFIXES
]

MOMENTS = (0, 0.05, 0.1, 0.2, 0.4, 1)
"""When pictures are taken, of the length: what falls is soon at rest, or gone."""

MOVED = 5e-4
"""Part of the picture's middle that must change while something moves there."""


def written(file: Path, folder: Path, seconds: float | None = None) -> tuple[Path, lg.Recording]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LigamentWarning)
        document = lg.load(file)
        recording = lg.simulate(document, seconds=seconds, rate=20)
        page = folder / "page.html"
        page.write_text(page_of(document, recording), encoding="utf-8")
    return page, recording


@pytest.mark.parametrize("file", sample(FILES, 6), ids=lambda path: path.stem)
def test_every_file_becomes_a_page(file: Path, tmp_path: Path) -> None:
    page, _ = written(file, tmp_path, 0.2)
    assert page.stat().st_size > 500_000


@pytest.mark.parametrize("file", sample(FILES, 2), ids=lambda path: path.stem)
def test_a_browser_shows_it_where_it_moves(file: Path, page: Page, tmp_path: Path) -> None:
    path, recording = written(file, tmp_path)
    open_player(page, path)
    pictures = []
    last = len(recording.times) - 1
    for frame in np.unique(np.round(np.multiply(MOMENTS, last)).astype(int)):
        ask(page, f"(player.seek({recording.times[frame]}), player.draw())")
        pictures.append(picture_of(page))
        for column in range(0, len(recording.nodes), 5):
            pose = ask(page, f"player.worldPose({recording.nodes[column]})")
            place = recording.translation[frame, column]
            scale = max(1.0, float(np.abs(place).max()))  # single precision, far away
            assert pose["translation"] == pytest.approx(place, abs=5e-5 * scale)
    assert page.complaints == []
    assert outside(page) == []
    if len(recording.nodes) and moves(recording):
        assert changed(pictures) > MOVED


def moves(recording: lg.Recording) -> bool:
    """Tell whether anything that has a shape moves by more than a hair's breadth."""
    has_shape = recording.document.array("meshes") or recording.scene.colliders
    return bool(has_shape and np.ptp(recording.translation, axis=0).max(initial=0.0) > 0.01)


def changed(pictures: list[np.ndarray]) -> float:
    """Return which part of the middle half of some pictures, each way, is not always the same."""
    stack = np.stack(pictures)
    height, width = stack.shape[1:3]
    middle = stack[:, height // 4 : 3 * height // 4, width // 4 : 3 * width // 4]
    return float((np.ptp(middle, axis=0).max(axis=-1) > 6).mean())

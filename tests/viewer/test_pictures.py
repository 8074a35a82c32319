"""Pictures and films that the player's page is the model of, without a window."""

from pathlib import Path

import pytest
from PIL import Image

import ligament as lg
from ligament.errors import ContentError, MissingExtraError
from ligament.viewer import browser, bundle, pictures
from ligament.viewer.pictures import save_film, save_picture
from tests.browser import find_browser
from tests.cli.command import ligament
from tests.viewer.files import red_box

SMALL = (240, 160)


@pytest.fixture(autouse=True)
def _browser(monkeypatch: pytest.MonkeyPatch) -> None:
    program = find_browser()
    if program is None or not bundle.has_bundle():
        pytest.skip("there is no browser, or no player's script")
    monkeypatch.setenv(browser.VARIABLE, program)


def redness(picture: Image.Image) -> tuple[float, float]:
    """Return the share of red pixels, and how far down their middle is, from 0 to 1."""
    rows = []
    width, height = picture.size
    pixels = picture.convert("RGB").load()
    assert pixels is not None
    for y in range(height):
        for x in range(width):
            red, green, blue = pixels[x, y]  # type: ignore[misc]
            if red > 60 and red > max(green, blue) + 50:
                rows.append(y / height)
    return len(rows) / (width * height), sum(rows) / max(1, len(rows))


def test_a_picture_shows_the_box_at_its_time_and_size(tmp_path: Path) -> None:
    file, out = tmp_path / "box.glb", tmp_path / "start.png"
    lg.save(red_box(), file)
    done = ligament("view", file, "--png", out, "--size", "240x160")
    assert done.returncode == 0, done.stderr
    save_picture(lg.load(file), tmp_path / "end.png", time=1.5, size=SMALL)
    with Image.open(out) as start, Image.open(tmp_path / "end.png") as end:
        assert start.size == end.size == SMALL
        (much, top), (also, bottom) = redness(start), redness(end)
    assert much > 0.02
    assert also > 0.02
    assert bottom > top + 0.2  # it has fallen


def test_a_film_moves(tmp_path: Path) -> None:
    out = tmp_path / "box.gif"
    assert save_film(red_box(), out, size=(120, 80), seconds=0.6) == 13
    with Image.open(out) as film:
        assert film.n_frames > 5  # frames that are alike are one
        first = redness(film)[1]
        film.seek(film.n_frames - 1)
        assert redness(film)[1] > first


def test_pictures_that_cannot_be_written_give_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ContentError, match=r"ends in \.png"):
        save_picture(red_box(), tmp_path / "a.jpg")
    with pytest.raises(ContentError, match="use 1 to"):
        save_picture(red_box(), tmp_path / "a.png", size=(0, 5))
    monkeypatch.setattr(pictures.shutil, "which", lambda name: None)
    with pytest.raises(MissingExtraError, match="Chromium, Chrome or Edge"):
        save_picture(red_box(), tmp_path / "a.png")


def test_a_film_without_an_encoder_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = pictures.shutil.which
    monkeypatch.setattr(
        pictures.shutil, "which", lambda name: None if name == "ffmpeg" else found(name)
    )
    with pytest.raises(MissingExtraError, match="ffmpeg"):
        save_film(red_box(), tmp_path / "a.mp4")


def test_a_size_is_width_by_height(tmp_path: Path) -> None:
    file = tmp_path / "box.glb"
    lg.save(red_box(), file)
    done = ligament("view", file, "--png", tmp_path / "a.png", "--size", "big")
    assert done.returncode == 2
    assert "one like 1280x720" in done.stderr

"""Players as parts of pages: curves beside them, room for other things, and windows that change."""

from pathlib import Path

import numpy as np
import pytest

import ligament as lg
from ligament.viewer.comparison import save_comparison_page
from ligament.viewer.page import page_of, player_of, player_scripts
from ligament.viewer.takes import Curve, Take, energy_curves
from tests.browser import Page
from tests.viewer.files import red_box
from tests.viewer.looking import mask, middle_of
from tests.viewer.pages import ask, open_player, outside, picture_of, unpacked


@pytest.fixture(scope="module")
def take() -> Take:
    document = red_box()
    return Take(document, lg.simulate(document, seconds=1.0, rate=30), "a box")


def embedded(take: Take, path: Path, style: str = "") -> Path:
    """Write a page that has a player of a take and the height of the box beside it."""
    height = take.recording.translation[:, 0, 1]
    curves = [Curve("Height [m]", "box", "m", height, minimum=np.full(len(height), 0.5))]
    path.write_text(
        f"<style>ligament-player {{ height: 400px; {style} }}</style>"
        f"{player_of([take], name='box', curves=curves, still=True)}"
        f'<ligament-curves for="box"></ligament-curves>{player_scripts([take])}',
        encoding="utf-8",
    )
    return path


def test_curves_stand_beside_a_player_and_move_with_it(
    page: Page, take: Take, tmp_path: Path
) -> None:
    open_player(page, embedded(take, tmp_path / "page.html"))
    beside = page.page.locator("ligament-curves figure")
    assert "Height [m]" in beside.inner_text()
    ask(page, "(player.seek(0), player.draw())")
    assert "2.5" in beside.inner_text()
    ask(page, "(player.seek(1), player.draw())")
    assert "0.5" in beside.inner_text()
    box = beside.locator("canvas").bounding_box()
    beside.locator("canvas").click(position={"x": box["width"] / 2, "y": 40})
    assert 0.3 < ask(page, "player.time") < 0.7
    assert not page.page.locator(".panel").is_visible()  # its curves are there already
    assert page.complaints == []
    assert outside(page) == []


def test_a_click_on_a_body_opens_the_panel(page: Page, take: Take, tmp_path: Path) -> None:
    open_player(page, embedded(take, tmp_path / "page.html"))
    ask(page, "(player.seek(0), player.draw())")
    corner = page.page.locator("canvas.scene").bounding_box()
    x, y = middle_of(picture_of(page), "red")
    page.page.mouse.click(corner["x"] + x, corner["y"] + y)
    panel = page.page.locator(".panel")
    assert panel.is_visible()
    assert "2 kg" in panel.inner_text()
    assert page.page.locator(".labels .chosen").inner_text() == "Red <b>box</b>"


def test_margins_of_the_page_stay_free(page: Page, take: Take, tmp_path: Path) -> None:
    open_player(page, embedded(take, tmp_path / "page.html", "--free: 0.5"))
    ask(page, "(player.seek(0), player.draw())")
    picture = picture_of(page)
    assert np.nonzero(mask(picture, "red"))[1].min() > picture.shape[1] / 2


def test_a_window_of_another_size_is_filled_again_unless_somebody_chose_the_view(
    page: Page, take: Take, tmp_path: Path
) -> None:
    out = tmp_path / "page.html"
    out.write_text(page_of(take.document, take.recording), encoding="utf-8")
    page.page.set_viewport_size({"width": 800, "height": 500})
    open_player(page, out)
    first = ask(page, "player.stage.view")
    page.page.set_viewport_size({"width": 400, "height": 700})
    page.wait_for("another view", lambda: ask(page, "player.stage.view") != first)
    box = page.page.locator("canvas.scene").bounding_box()
    page.page.mouse.move(box["x"] + 50, box["y"] + 300)
    page.page.mouse.down()
    page.page.mouse.move(box["x"] + 90, box["y"] + 300, steps=3)
    page.page.mouse.up()
    chosen = ask(page, "player.stage.view")
    page.page.set_viewport_size({"width": 800, "height": 500})
    page.page.wait_for_timeout(300)
    assert ask(page, "player.stage.view") == pytest.approx(chosen)


def test_two_recordings_are_striped_where_they_agree(
    page: Page, take: Take, tmp_path: Path
) -> None:
    save_comparison_page(tmp_path / "two.html", take, take._replace(title="the same"))
    open_player(page, tmp_path / "two.html", "t=0")
    picture = picture_of(page)
    orange = (picture[..., 0] > picture[..., 2] + 60) & (picture[..., 1] > picture[..., 2] + 20)
    blue, orange_share = mask(picture, "blue").mean(), orange.mean()
    assert min(blue, orange_share) > 0.3 * (blue + orange_share) > 0
    assert page.complaints == []


def test_curves_are_packed_with_their_bounds(take: Take) -> None:
    curves = [*energy_curves(take.recording), Curve("Height [m]", "box", "m", np.ones(31))]
    page = unpacked(player_of([take], curves=curves))
    packed = page.data["curves"]
    assert [each["name"] for each in packed] == ["kinetic", "potential", "total", "box"]
    assert page.values(packed[-1]["values"]) == pytest.approx(np.ones(31))
    assert packed[-1]["minimum"] is None

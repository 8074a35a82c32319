"""The page that plays by itself, opened from disk in a real browser."""

from pathlib import Path

from ligament.view import save_page
from tests.browser import Page
from tests.view.files import red_box
from tests.view.looking import middle_of, share, shot


def time_of(page: Page) -> float:
    return float(page.page.locator("input").first.input_value())


def scrub(page: Page, time: float) -> None:
    box = page.page.locator("input").first
    box.fill(f"{time}")
    box.press("Enter")


def test_it_plays_pauses_and_scrubs_without_asking_anybody(page: Page, tmp_path: Path) -> None:
    out = tmp_path / "box.html"
    save_page(red_box(), out, seconds=1.0, rate=30)
    page.open(out.as_uri())
    page.wait_for("a red box", lambda: share(shot(page), "red") > 0.01)
    seen = {time_of(page)}
    page.wait_for("time to pass", lambda: len(seen.add(time_of(page)) or seen) > 2)
    page.page.keyboard.press("Space")
    page.page.wait_for_timeout(300)
    paused = time_of(page)
    page.page.wait_for_timeout(500)
    assert time_of(page) == paused
    scrub(page, 0.6)
    page.wait_for("the box low", lambda: is_at(page, low=True))
    scrub(page, 0.0)
    page.wait_for("the box high", lambda: is_at(page, low=False))
    page.page.get_by_label("Show scene tree").click()
    tree = page.page.locator("[data-playback-scene-tree]")
    tree.wait_for()
    shown = tree.inner_text()
    assert all(layer in shown for layer in ("meshes", "colliders", "contacts", "grid"))
    assert page.complaints == []
    assert [url for url in page.requests if not url.startswith(("file:", "blob:", "data:"))] == []


def is_at(page: Page, *, low: bool) -> bool:
    """Tell whether the box is below or above the middle of the way that it falls."""
    picture = shot(page)
    return share(picture, "red") > 0.01 and (middle_of(picture, "red")[1] > 190) is low

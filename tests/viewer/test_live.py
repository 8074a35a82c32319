"""The live page in a real browser: what is seen, and what the buttons do."""

from collections.abc import Iterator
from typing import Any

import pytest

from ligament.gltf import Document
from ligament.viewer import Viewer
from tests.browser import HEIGHT, WIDTH, Page
from tests.sampling import IS_SOAK
from tests.viewer.files import BLUE, add_box, red_box
from tests.viewer.looking import is_red, middle_of, share, shot


class Show:
    """A viewer and the page that shows it, for all tests of this file."""

    def __init__(self, viewer: Viewer, page: Page) -> None:
        self.viewer, self.page = viewer, page
        page.open(viewer.url)
        page.page.get_by_role("button", name="Play").wait_for()

    def press(self, name: str) -> None:
        self.page.page.get_by_role("button", name=name, exact=True).click()

    def open_tab(self, name: str) -> None:
        self.page.page.get_by_role("tab", name=name).click()

    @property
    def height(self) -> float:
        """The height of the box [m]."""
        return float(self.viewer.player.sim.translation[0, 1])


@pytest.fixture(scope="module")
def running(browser: Any) -> Iterator[Show]:
    with Viewer(red_box()) as viewer:
        viewer.start()
        tab = browser.new_page()
        yield Show(viewer, Page(tab))
        tab.close()  # it would go on drawing


@pytest.fixture
def show(running: Show) -> Iterator[Show]:
    """Start every test at the start, with all to be seen."""
    running.viewer.set_gravity((0, -9.81, 0))
    running.viewer.reset()
    running.open_tab("Play")
    running.page.wait_for("the start", lambda: running.viewer.player.sim.frame == 0)
    running.page.wait_for("a red box", lambda: share(shot(running.page), "red") > 0.02)
    yield running
    assert running.page.complaints == []
    assert running.page.outside() == []


def test_a_red_box_stands_in_the_middle_and_falls_while_it_plays(show: Show) -> None:
    page, player = show.page, show.viewer.player
    x, y = middle_of(shot(page), "red")
    assert x == pytest.approx(WIDTH / 2, abs=30)
    assert y == pytest.approx(0.27 * HEIGHT, abs=30)
    assert is_red(shot(page)[int(y) - 20 : int(y) + 20, int(x) - 20 : int(x) + 20])
    assert 0.02 < share(shot(page), "red") < 0.12
    show.press("Play")
    page.wait_for("the fall", lambda: player.time > 0.7)
    show.press("Pause")
    page.wait_for("the pause", lambda: not player.is_playing)
    stopped = player.time
    page.wait_for("the box lower", lambda: middle_of(shot(page), "red")[1] > y + 40)
    assert player.time == stopped


def test_step_the_time_bar_and_reset(show: Show) -> None:
    page, player = show.page, show.viewer.player
    for frame in (1, 2, 3):
        show.press("Step")
        page.wait_for(f"frame {frame}", lambda frame=frame: player.sim.frame == frame)
    bar = page.page.get_by_role("textbox").first
    bar.fill("0.5")
    bar.press("Enter")
    page.wait_for("the time of the bar", lambda: player.sim.frame == 30)
    # Half a second of fall, except for the step of the engine, which is 1/60 s or shorter.
    assert show.height == pytest.approx(2.5 - 0.5 * 9.81 * 0.25, abs=0.05)
    show.press("Reset")
    page.wait_for("the start", lambda: player.sim.frame == 0)
    assert show.height == 2.5


def test_a_body_is_dragged_with_the_pointer(show: Show) -> None:
    page, player = show.page, show.viewer.player
    show.viewer.set_gravity((0, 0, 0))
    x, y = middle_of(shot(page), "red")
    show.press("Play")
    mouse = page.page.mouse
    mouse.move(x, y)
    page.page.wait_for_timeout(300)
    mouse.down()
    for i in range(1, 9):
        mouse.move(x - 10 * i, y)
        page.page.wait_for_timeout(60)
    page.wait_for("the box beside its place", lambda: player.sim.translation[0, 0] < -0.2)
    mouse.up()
    page.wait_for("the release", lambda: player._drag is None)


def test_a_click_describes_an_object_in_plain_text(show: Show) -> None:
    page = show.page
    show.open_tab("Object")
    page.page.mouse.move(10, 490)
    page.click(*middle_of(shot(page), "red"))
    table = page.page.locator("table").first
    page.wait_for("the table", lambda: "box, 1 x 1 x 1 m" in table.inner_text())
    assert "Red <b>box</b>" in table.inner_text()
    for tab in ("Play", "Forces", "Layers", "Plots"):
        show.open_tab(tab)
    assert page.page.locator("b").count() == 0


def test_layers_are_hidden_and_shown(show: Show) -> None:
    page = show.page
    show.open_tab("Layers")
    box = page.page.get_by_role("checkbox", name="Meshes")
    box.click()
    page.wait_for("no red box", lambda: share(shot(page), "red") < 0.001)
    box.click()
    page.wait_for("the box again", lambda: share(shot(page), "red") > 0.02)


def test_gravity_is_changed_and_curves_are_drawn(show: Show) -> None:
    page = show.page
    show.open_tab("Forces")
    upward = page.page.get_by_role("textbox").nth(1)
    upward.fill("2")
    upward.press("Enter")
    page.wait_for("gravity", lambda: show.viewer.player.sim.gravity[1] == 2)
    show.viewer.play()
    page.wait_for("a rise", lambda: show.height > 2.6)
    show.viewer.pause()
    show.open_tab("Plots")
    page.page.locator(".uplot canvas").wait_for()


@pytest.mark.skipif(not IS_SOAK, reason="`make soak` opens this page too")
def test_a_file_without_physics_or_constraints_is_shown(page: Page) -> None:
    document = Document({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}]})
    document.json["nodes"] = [{"mesh": add_box(document, BLUE)}]
    with Viewer(document) as viewer:
        viewer.start()
        Show(viewer, page)
        page.wait_for("a blue box", lambda: share(shot(page), "blue") > 0.02)
    assert page.complaints == []

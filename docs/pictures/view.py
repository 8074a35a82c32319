"""Takes docs/images/view-*.png: the viewer at work, in a real browser.

python -m docs.pictures.view
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import ligament as lg
from ligament.demo import assets
from ligament.drawing.palette import Layer
from ligament.viewer import Viewer
from tests.browser import Page, find_browser, open_browser

IMAGES = Path(__file__).parents[1] / "images"
WINDOW = {"width": 1000, "height": 640}


def settled(page: Page) -> bytes:
    """Return the picture of a page once it no longer changes."""
    before = b""
    while True:
        page.page.wait_for_timeout(1500)
        now: bytes = page.page.screenshot()
        if now == before:
            return now
        before = now


def take(page: Page, viewer: Viewer, name: str, tab: str) -> None:
    """Take one picture, with a tab of the panel open."""
    page.page.set_viewport_size(WINDOW)
    page.page.goto(viewer.url)
    page.page.get_by_role("tab", name=tab).click()
    notice = page.page.get_by_text("Software WebGL rendering detected")
    notice.wait_for(timeout=60_000)
    page.page.locator(".mantine-Notification-closeButton").first.click()
    out = IMAGES / f"view-{name}.png"
    out.write_bytes(settled(page))
    page.page.close()
    print(out)


def main() -> None:
    """Take the door with its limits, the gate with its lit trigger, and the avatar's skeleton."""
    examples = {path.stem: path for path in assets()}
    program = find_browser()
    if program is None:
        raise SystemExit("install chromium first")
    with tempfile.TemporaryDirectory() as folder, open_browser(program, Path(folder)) as browser:
        for name, time, tab, chosen in (
            ("door", 0.25, "Object", "Frame hinge"),
            ("gate", 1.3, "Play", None),
            ("stack", 1.0, "Layers", None),
            ("avatar", 1.0, "Layers", None),
        ):
            with Viewer(lg.load(examples[name])) as viewer:
                if chosen is not None:
                    viewer.select(viewer.player.sim.stage.tree.names.index(chosen))
                if name == "avatar":
                    viewer.set_visible(Layer.MESHES, False)
                viewer.seek(time)
                viewer.start()
                take(Page(browser.new_page()), viewer, name, tab)


if __name__ == "__main__":
    main()

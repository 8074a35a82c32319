"""A real browser for tests: where it is, how it is started, and what it must not do."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.browser.get import on_path

ROOT = Path(__file__).parents[2]
NOTE = ROOT / ".venv" / ".browser"
"""Holds the path of the browser that `make test` found or installed."""

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

WIDTH, HEIGHT = 800, 500
"""Size of the window [pixels]: small, because pages are drawn in software."""

HARMLESS = "Unable to preventDefault inside passive event listener"
"""Message of viser's client at the start of a drag, which works all the same."""

PATIENCE = 60.0
"""How long [s] to wait for a page that is drawn in software."""


def find_browser() -> str | None:
    """Return the program of a browser: the one of the set-up, else one on the PATH."""
    if NOTE.is_file():
        found = NOTE.read_text(encoding="utf-8").strip()
        if Path(found).is_file():
            return found
    return on_path()


class Page:
    """A page with what it asked for and what it complained about."""

    def __init__(self, page: Any) -> None:
        self.page = page
        page.set_default_timeout(1000 * PATIENCE)
        self.requests: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("websocket", lambda socket: self.requests.append(socket.url))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", self._note)

    def _note(self, message: Any) -> None:
        if message.type == "error" and HARMLESS not in message.text:
            self.complaints.append(message.text)

    def outside(self) -> list[str]:
        """Return the requests that left this machine."""
        local = {"127.0.0.1", "localhost"}
        return [
            url
            for url in self.requests
            if urlsplit(url).scheme not in ("blob", "data", "file")
            and urlsplit(url).hostname not in local
        ]

    def open(self, url: str) -> None:
        """Go to a page of viser, drawn in half as many pixels each way."""
        self.page.goto(f"{url}?fixedDpr=0.5")

    def click(self, x: float, y: float) -> None:
        """Click on the scene like a person: there first, then down, then up."""
        mouse = self.page.mouse
        mouse.move(x, y)
        self.page.wait_for_timeout(200)
        mouse.down()
        self.page.wait_for_timeout(50)
        mouse.up()

    def wait_for(self, what: str, is_so: Callable[[], bool]) -> None:
        """Wait until something is so, while the page goes on."""
        end = time.monotonic() + PATIENCE
        while not is_so():
            assert time.monotonic() < end, f"waited in vain for {what}"
            self.page.wait_for_timeout(100)


@contextlib.contextmanager
def open_browser(program: str, profile: Path) -> Iterator[Any]:
    """Start a browser with a profile of its own; leaving closes it."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            str(profile),
            executable_path=program,
            args=list(FLAGS),
            locale="en-US",
            viewport={"width": WIDTH, "height": HEIGHT},
        )
        try:
            yield context
        finally:
            context.close()

"""A headless browser on this machine: opens a page from a file and takes pictures of it.

It is controlled by the DevTools protocol, over a loopback web socket that lives as long as the
browser, with a temporary profile.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import shutil
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from ligament.errors import LigamentError, MissingExtraError
from ligament.processes.programs import Program, running

NAMES: Final = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
    "msedge",
    "chrome",
)
PLACES: Final = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
)
VARIABLE: Final = "LIGAMENT_BROWSER"
"""The environment variable that names a browser."""

FLAGS: Final = (
    "--headless=new",
    "--use-angle=swiftshader",  # rendered in software: the same picture on every machine
    "--enable-unsafe-swiftshader",
    "--hide-scrollbars",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--mute-audio",
    "--remote-debugging-port=0",
)

PATIENCE: Final = 120.0
"""Time [s] to wait for an answer: pages are rendered in software."""


def find_browser() -> str:
    """Return the path of a browser; MissingExtraError if there is none."""
    named = os.environ.get(VARIABLE)
    found = named or next(filter(None, map(shutil.which, NAMES)), None)
    found = found or next((place for place in PLACES if Path(place).is_file()), None)
    if found is None or shutil.which(found) is None:
        what = f"the browser {named!r} does not exist" if named else "no browser was found"
        raise MissingExtraError(
            f"pictures need Chromium, Chrome or Edge, but {what}",
            remedy=f"install one of them, or name its program in {VARIABLE}",
        )
    return found


@contextlib.contextmanager
def open_page(page: Path, size: tuple[int, int]) -> Iterator[BrowserPage]:
    """Open a page from a file in a hidden window of a size [pixels]; leaving closes it."""
    from websockets.sync.client import connect

    program = find_browser()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        sandbox = ["--no-sandbox"] if getattr(os, "geteuid", lambda: 1)() == 0 else []
        words = [program, *FLAGS, *sandbox, f"--user-data-dir={profile}", "about:blank"]
        with running(words) as browser:
            address = _address(browser, Path(profile))
            with connect(address, max_size=None, origin=None, proxy=None) as socket:
                shown = BrowserPage(socket)
                shown.open(page, size)
                yield shown


def _address(browser: Program, profile: Path) -> str:
    """Return the socket of the browser's first page, once it exists."""
    note, end = profile / "DevToolsActivePort", time.monotonic() + PATIENCE
    while browser.poll() is None and time.monotonic() < end:
        with contextlib.suppress(OSError, ValueError, IndexError):
            port = int(note.read_text().splitlines()[0])
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            with opener.open(f"http://127.0.0.1:{port}/json/list", timeout=5) as answer:
                pages = [each for each in json.load(answer) if each["type"] == "page"]
            return str(pages[0]["webSocketDebuggerUrl"])
        time.sleep(0.05)
    raise LigamentError("the browser did not start", remedy=f"name another one in {VARIABLE}")


class BrowserPage:
    """A page in a browser, controlled by the DevTools protocol."""

    def __init__(self, socket: Any) -> None:
        self._socket, self._count = socket, 0

    def open(self, page: Path, size: tuple[int, int]) -> None:
        """Open a page from a file, and wait until its player has rendered."""
        width, height = size
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._ask("Emulation.setDeviceMetricsOverride", **metrics)
        self._ask("Page.navigate", url=page.resolve().as_uri())
        end = time.monotonic() + PATIENCE
        while self.evaluate("typeof window.ligament") != "object":
            if time.monotonic() > end:
                raise LigamentError("the page did not open in the browser")
            time.sleep(0.05)
        self.evaluate("window.ligament.ready.then(() => true)")

    def show(self, seconds: float) -> None:
        """Draw the page at a time [s]."""
        self.evaluate(f"window.ligament.player.seek({seconds!r}), window.ligament.player.draw(), 1")

    def png(self) -> bytes:
        """Return a picture of the page."""
        return base64.b64decode(self._ask("Page.captureScreenshot", format="png")["data"])

    def evaluate(self, script: str) -> Any:
        """Return the value of a script, or of its promise."""
        answer = self._ask(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in answer:
            description = (
                answer["exceptionDetails"].get("exception", {}).get("description", "no reason")
            )
            raise LigamentError(f"the page cannot be shown: {description.splitlines()[0]}")
        return answer["result"].get("value")

    def _ask(self, method: str, **parameters: Any) -> Any:
        self._count += 1
        request = {"id": self._count, "method": method, "params": parameters}
        self._socket.send(json.dumps(request))
        while True:
            answer = json.loads(self._socket.recv(timeout=PATIENCE))
            if answer.get("id") == self._count:
                if "error" in answer:
                    raise LigamentError(f"the browser refuses {method}: {answer['error']}")
                return answer["result"]

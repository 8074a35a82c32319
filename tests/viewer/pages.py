"""The content of pages: unpacked in Python, and read from the player in a browser."""

from __future__ import annotations

import base64
import gzip
import io
import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image

from ligament.viewer.page_data import Span
from tests.browser import PATIENCE, Page
from tests.viewer.looking import Picture

_PACKED = re.compile(r'<script type="([^"]+)\+gzip">([^<]*)</script>')


class Unpacked(NamedTuple):
    """The data of a page, its floats, and its GLB files."""

    data: dict[str, Any]
    floats: npt.NDArray[np.float32]
    models: list[bytes]

    def values(self, span: Span) -> npt.NDArray[np.float32]:
        """Return the values of a span."""
        return self.floats[span[0] : span[0] + span[1]]

    def object(self, name: str, take: int = 0) -> dict[str, Any]:
        """Return the description of an object."""
        return next(o for o in self.data["takes"][take]["objects"] if o["name"] == name)


def unpacked(page: str) -> Unpacked:
    """Return what a page of one player holds."""
    parts = [
        (kind, gzip.decompress(base64.b64decode(text))) for kind, text in _PACKED.findall(page)
    ]
    data = next(content for kind, content in parts if kind == "application/json")
    floats = next(content for kind, content in parts if kind == "application/octet-stream")
    models = [content for kind, content in parts if kind == "model/gltf-binary"]
    return Unpacked(json.loads(data), np.frombuffer(floats, "<f4"), models)


def open_player(page: Page, path: Path, link: str = "t=0") -> None:
    """Open a page from disk at a link, and wait until its picture is there."""
    page.page.goto("about:blank")
    page.page.goto(f"{path.as_uri()}#{link}")
    page.page.wait_for_function("window.ligament?.player", timeout=1000 * PATIENCE)
    page.page.evaluate("window.ligament.ready.then(() => 0)")


def ask(page: Page, expression: str) -> Any:
    """Return what an expression about `player` gives in a page."""
    return page.page.evaluate(
        f"(() => {{ const player = ligament.player; return {expression} }})()"
    )


def picture_of(page: Page) -> Picture:
    """Take a picture (height, width, 3) of the scene, without the panel and the time line."""
    box = page.page.locator("canvas.scene").bounding_box()
    image = Image.open(io.BytesIO(page.page.screenshot(clip=box)))
    return np.asarray(image.convert("RGB"), np.int16)


def outside(page: Page) -> list[str]:
    """Return the requests that left the page."""
    return [
        url for url in page.requests if not url.startswith(("file:", "blob:", "data:", "about:"))
    ]

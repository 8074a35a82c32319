"""The viewer: how often the server renews a picture of many bodies, and how pages load and play.

A client on the web socket takes everything that is sent, as a browser would; what the browser does
with it is not measured. The goal is 30 updates per second of 1,000 bodies, playing in real time.
Pages are opened from disk in a browser, which draws in software where there is no graphics
processor: its name stands with the figures.
"""

from __future__ import annotations

import io
import os
import platform
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import viser
from PIL import Image
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from benchmarks.harness import Findings, Goal, Sample, Unavailable, console, print_table
from examples.building import Scene
from ligament.author import Editor
from ligament.demo import assets
from ligament.extensions.shapes import Box, Sphere
from ligament.gltf import load
from ligament.viewer import Viewer, save_page
from tests.browser import find_browser, open_browser

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from ligament.gltf import Document

GOAL = 30.0
ACROSS = 10


@dataclass(frozen=True)
class Extent:
    """How much to measure."""

    bodies: tuple[int, ...]
    updates: int


FULL = Extent((100, 1000, 3000), 90)
QUICK = Extent((1000,), 30)


def pile(bodies: int) -> Document:
    """Boxes and balls that fall onto a floor, half of each, with their meshes."""
    scene = Scene()
    floor = scene.node("Floor")
    box = scene.solid("box", (0.8, 0.2, 0.1), 0.4, 0.4, 0.4)
    ball = scene.solid("ball", (0.1, 0.3, 0.8), 0.2)
    nodes = []
    for i in range(bodies):
        layer, place = divmod(i, ACROSS * ACROSS)
        x, z = divmod(place, ACROSS)
        translation = [x - ACROSS / 2, 1 + 0.8 * layer, z - ACROSS / 2]
        mesh = (box, ball)[i % 2]
        nodes.append(scene.node(f"Body {i}", translation=translation, mesh=mesh))
    editor = Editor(scene.document)
    editor.add_collider(floor, Box((40, 1, 40)))
    for i, node in enumerate(nodes):
        editor.add_body(node, mass=1.0, collider=Sphere(0.2) if i % 2 else Box((0.4, 0.4, 0.4)))
    return scene.document


class Listener:
    """A client that takes all that the server sends, and counts it."""

    def __init__(self, url: str) -> None:
        origin, _, path = url.removeprefix("http://").partition("/")
        protocol = f"viser-v{viser.__version__}"
        self._socket = connect(
            f"ws://{origin}/{path}",
            origin=f"http://{origin}",  # type: ignore[arg-type]
            subprotocols=[protocol],  # type: ignore[list-item]
            max_size=None,
            compression=None,
        )
        self.received = 0
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        try:
            for message in self._socket:
                self.received += len(message)
        except ConnectionClosed:
            pass

    def close(self) -> None:
        self._socket.close()
        self._thread.join(timeout=5)


def measure(*, quick: bool) -> Findings:
    """Measures the whole area and prints its table."""
    extent = QUICK if quick else FULL
    findings = Findings("view")
    findings.sections["machine"] = {
        "cores": str(os.cpu_count()),
        "Python": platform.python_version(),
        "viser": viser.__version__,
    }
    rows = []
    for bodies in extent.bodies:
        sample, drawing, megabytes = _updates(bodies, extent.updates)
        rate = 1 / sample.median
        costs = [sample.seconds, drawing.seconds, f"{megabytes:.2f}"]
        rows.append([f"{bodies:,}", f"{rate:.1f}", *costs])
        findings.sections[f"{bodies} bodies"] = {
            "update [s]": list(sample.values),
            "of which drawing [s]": list(drawing.values),
            "sent per update [MB]": megabytes,
        }
        if bodies == 1000:
            findings.goals.append(Goal("updates per second of 1,000 bodies", rate, GOAL, True))
    columns = ["bodies", "updates per second", "one update", "of which drawing", "MB sent"]
    print_table("Server of the live page, playing in real time", columns, rows)
    try:
        findings.sections["pages"] = _pages()
    except Unavailable as reason:
        console.print(f"  pages: {reason}")
    return findings


def avatar(megabytes: float) -> Document:
    """An avatar that waves, with a picture of noise that fills a file of a size."""
    document = load(next(path for path in assets() if path.name == "avatar.vrm"))
    side = int((megabytes * 1e6 / 3) ** 0.5)
    noise = np.random.default_rng(1).integers(0, 256, (side, side, 3), np.uint8)
    stream = io.BytesIO()
    Image.fromarray(noise).save(stream, "PNG")
    view = document.append_view(stream.getvalue())
    images = document.growing_array("images")
    images.append({"bufferView": view, "mimeType": "image/png"})
    textures = document.growing_array("textures")
    textures.append({"source": len(images) - 1})
    for material in document.array("materials"):
        look = material.setdefault("pbrMetallicRoughness", {})
        look["baseColorTexture"] = {"index": len(textures) - 1}
    return document


def _pages() -> dict[str, dict[str, Any]]:
    """Write pages, and have a browser load and play them."""
    program = find_browser()
    if program is None:
        raise Unavailable("there is no browser")
    subjects = {
        "avatar of 20 MB": (avatar(20), {"seconds": 2.0}),
        "1,000 bodies": (pile(1000), {"seconds": 3.0}),
    }
    rows, found = [], {}
    with tempfile.TemporaryDirectory() as folder, _open(program, folder) as context:
        for name, (document, options) in subjects.items():
            path = Path(folder, "page.html")
            start = time.perf_counter()
            save_page(document, path, **options)
            made = time.perf_counter() - start
            measured = _played(context, path)
            found[name] = {"made [s]": made, "size [MB]": path.stat().st_size / 1e6, **measured}
            frames = Sample(tuple(measured["frames [s]"]))
            rows.append(
                [
                    name,
                    f"{made:.2f} s",
                    f"{found[name]['size [MB]']:.1f}",
                    f"{measured['load [s]']:.2f} s",
                    frames.seconds,
                    str(measured["draw calls"]),
                ]
            )
            device = measured["drawn by"]
    columns = ["page", "made", "MB", "loaded", "one frame", "draw calls"]
    print_table(f"Pages, drawn by {device}", columns, rows)
    return found


def _open(program: str, folder: str) -> AbstractContextManager[Any]:
    return open_browser(program, Path(folder, "profile"))


def _played(context: Any, path: Path) -> dict[str, Any]:
    """Load a page, play it for some seconds, and tell how long all took."""
    tab = context.new_page()
    tab.set_default_timeout(300_000)
    tab.goto(path.as_uri())
    tab.wait_for_function("window.ligament?.player")
    tab.evaluate("ligament.ready.then(() => 0)")
    tab.wait_for_timeout(5000)
    measured = tab.evaluate(
        """(() => {
            const { player, elements } = ligament;
            const gl = player.stage.renderer.getContext();
            const info = gl.getExtension("WEBGL_debug_renderer_info");
            return {
                "load [s]": elements[0].loadSeconds,
                "frames [s]": player.frameSeconds,
                "draw calls": player.drawCalls,
                "drawn by": info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : "unknown",
            };
        })()"""
    )
    tab.close()
    return dict(measured)


def _updates(bodies: int, updates: int) -> tuple[Sample, Sample, float]:
    """Time updates that each play 1/30 s: two frames of 60 Hz, drawn and sent."""
    with Viewer(pile(bodies)) as viewer:
        listener = Listener(viewer.url)
        try:
            viewer.player.is_playing = True
            for _ in range(5):
                viewer.update(1 / GOAL)
            time.sleep(0.5)
            before, times, drawing = listener.received, [], []
            for _ in range(updates):
                start = time.perf_counter()
                viewer.update(1 / GOAL)
                times.append(time.perf_counter() - start)
                drawing.append(_drawing(viewer))
            time.sleep(0.5)
            sent = (listener.received - before) / updates
        finally:
            listener.close()
    return Sample(tuple(times)), Sample(tuple(drawing)), sent / 1e6


def _drawing(viewer: Viewer) -> float:
    """Time one more drawing of the same state."""
    start = time.perf_counter()
    viewer.canvas.show(viewer.player.moment())
    return time.perf_counter() - start


if __name__ == "__main__":
    measure(quick=True).finish()

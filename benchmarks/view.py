"""The viewer: how often the server renews a picture of many bodies, and what that costs.

A client on the web socket takes everything that is sent, as a browser would; what the browser does
with it is not measured. The goal is 30 updates per second of 1,000 bodies, playing in real time.
"""

from __future__ import annotations

import os
import platform
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import viser
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from benchmarks.harness import Findings, Goal, Sample, print_table
from examples.building import Scene
from ligament.author import Editor
from ligament.extensions.declarations import Box, Sphere
from ligament.view import Viewer

if TYPE_CHECKING:
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
    return findings


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

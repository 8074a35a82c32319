"""Draws docs/images/gallery-*.png: every example at a few moments, from left to right.

python -m docs.pictures.gallery
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from PIL import Image

import ligament as lg
from docs.pictures.renderer import PAPER, Camera, render
from docs.pictures.staging import Staging
from ligament.author.ragdoll import add_ragdoll
from ligament.demo import assets
from ligament.extensions.declarations import Box

IMAGES = Path(__file__).parents[1] / "images"
HEIGHT = 300
FILES = {path.name: path for path in assets()}


class Strip(NamedTuple):
    """What is drawn, when [s], from where, how large [m] limits are, and how wide [pixels]."""

    document: lg.Document
    times: Sequence[float]
    camera: Camera
    limits: float = 0.0
    width: int = 240


def strips() -> dict[str, Strip]:
    """Return one strip for each example, by its name."""
    person = Camera(eye=(1.6, 1.5, 6.2), target=(0, 1.0, 0), zoom=5.0)
    return {
        "door": Strip(
            lg.load(FILES["door.glb"]),
            (0, 0.6, 1.2, 3.5),
            Camera(eye=(2.2, 3.4, 5.6), target=(-0.3, 0.95, 0.1), zoom=4.0),
            limits=0.8,
        ),
        "rope": Strip(
            lg.load(FILES["rope.glb"]),
            (0, 0.3, 0.6, 0.9),
            Camera(eye=(0.8, 2.2, 9), target=(1.1, 1.62, 0), zoom=4.3),
        ),
        "stack": Strip(
            lg.load(FILES["stack.glb"]),
            (0, 5),
            Camera(eye=(4.5, 4.2, 12), target=(0, 2.45, 0), zoom=4.6),
        ),
        "gate": Strip(
            lg.load(FILES["gate.glb"]),
            (0, 0.8, 1.3, 1.9),
            Camera(eye=(2.6, 2.6, 6.5), target=(-0.45, 0.3, 0), zoom=3.4),
        ),
        "avatar": Strip(lg.load(FILES["avatar.vrm"]), (0, 0.5, 0.8, 1.1), person),
        "ponytail": Strip(
            lg.load(FILES["ponytail.vrm"]),
            (0, 0.5, 1.2, 1.7, 2.3),
            Camera(eye=(-4.6, 1.8, -3.4), target=(0, 1.35, -0.1), zoom=8.5),
        ),
        "wave": Strip(_waving(), (0, 0.55, 0.85, 1.15), person._replace(eye=(-2.2, 1.5, 6.0))),
        "ragdoll": Strip(
            _ragdoll(),
            (0, 0.35, 0.7, 2.0),
            Camera(eye=(3.0, 1.9, 6.2), target=(0, 0.85, 0.1), zoom=5.4),
            limits=0.14,
        ),
    }


def _waving() -> lg.Document:
    """Return an avatar without animations of its own that waves as the motion file says."""
    plain = lg.load(FILES["avatar.vrm"])
    del plain.json["animations"]
    return lg.add_motion(plain, lg.load_motion(FILES["wave.vrma"]))


def _ragdoll() -> lg.Document:
    """Return the avatar as a ragdoll above a floor."""
    document = lg.load(FILES["avatar.vrm"])
    del document.json["animations"]
    editor = lg.Editor(document)
    add_ragdoll(editor, mass=62)
    floor = editor.add_node("floor", translation=(0, -0.5, 0))
    editor.add_collider(floor, Box((20, 1, 20)))
    return document


def draw(strip: Strip) -> Image.Image:
    """Play a document and draw it at the times of a strip."""
    sim = lg.Simulation(strip.document, rate=60)
    staging = Staging(sim, hidden=("Ground",))
    sheet = Image.new("RGB", (strip.width * len(strip.times), HEIGHT), PAPER)
    for i, time in enumerate(strip.times):
        while sim.time < time - 1e-9:
            sim.step()
        solids = staging.solids(sizes={"": strip.limits}, thick=0.008)
        picture = render(solids, strip.camera, width=strip.width, height=HEIGHT)
        sheet.paste(picture, (i * strip.width, 0))
    return sheet


def main() -> None:
    """Draw all strips."""
    for name, strip in strips().items():
        out = IMAGES / f"gallery-{name}.png"
        draw(strip).quantize(128, dither=Image.Dither.NONE).save(out, optimize=True)
        print(out)


if __name__ == "__main__":
    main()

"""Takes docs/images/gallery-*.png: every example at a few moments, from left to right.

python -m docs.pictures.gallery
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from PIL import Image

import ligament as lg
from ligament.author.ground import add_ground
from ligament.author.ragdoll import add_ragdoll
from ligament.baking import without_animations
from ligament.demo import assets
from ligament.viewer.browser import open_page
from ligament.viewer.page import page_of_takes
from ligament.viewer.takes import Take

IMAGES = Path(__file__).parents[1] / "images"
SIZE = (300, 380)
"""Width and height of each picture of a strip [pixels]."""

GAP = 6
"""Pixels between two pictures."""

FILES = {path.name: path for path in assets()}


class Strip(NamedTuple):
    """What is shown, when [s], with which layers, and from which side."""

    document: lg.Document
    times: Sequence[float]
    layers: tuple[str, ...] = ()
    direction: tuple[float, float, float] | None = None


def strips() -> dict[str, Strip]:
    """Return one strip for each example, by its name."""
    behind = (-1.0, 0.35, -0.9)
    return {
        "door": Strip(lg.load(FILES["door.glb"]), (0, 0.6, 1.2, 3.5), ("limits",)),
        "rope": Strip(lg.load(FILES["rope.glb"]), (0, 0.3, 0.6, 0.9)),
        "stack": Strip(lg.load(FILES["stack.glb"]), (0, 5), ("contacts",)),
        "gate": Strip(lg.load(FILES["gate.glb"]), (0, 0.8, 1.3, 1.9)),
        "avatar": Strip(lg.load(FILES["avatar.vrm"]), (0, 0.5, 0.8, 1.1)),
        "ponytail": Strip(lg.load(FILES["ponytail.vrm"]), (0, 0.5, 1.2, 1.7), direction=behind),
        "wave": Strip(_waving(), (0, 0.55, 0.85, 1.15)),
        "ragdoll": Strip(_ragdoll(), (0, 0.7, 1.0, 2.5), ("limits",)),
    }


def _waving() -> lg.Document:
    """Return an avatar without animations of its own that waves as the motion file says."""
    plain = without_animations(lg.load(FILES["avatar.vrm"]))
    return lg.add_motion(plain, lg.load_motion(FILES["wave.vrma"]))


def _ragdoll() -> lg.Document:
    """Return the avatar as a ragdoll on a floor."""
    editor = lg.Editor(without_animations(lg.load(FILES["avatar.vrm"])))
    add_ragdoll(editor, mass=62)
    add_ground(editor)
    return editor.document


def draw(strip: Strip) -> Image.Image:
    """Play a document and take pictures of its page at the times of a strip."""
    seconds = max(strip.times)
    recording = lg.simulate(strip.document, seconds=seconds, rate=30, contact_points=True)
    page = page_of_takes([Take(strip.document, recording, "", layers=strip.layers)], plain=True)
    width, height = SIZE
    sheet = Image.new("RGB", ((width + GAP) * len(strip.times) - GAP, height), "white")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "page.html"
        file.write_text(page, encoding="utf-8")
        with open_page(file, SIZE) as opened:
            if strip.direction is not None:
                side = list(strip.direction)
                opened.evaluate(f"ligament.player.stage.frameFrom({side}), 1")
            for i, time in enumerate(strip.times):
                opened.show(time)
                shown = Image.open(io.BytesIO(opened.png())).convert("RGB")
                sheet.paste(shown, (i * (width + GAP), 0))
    return sheet


def main() -> None:
    """Take all strips."""
    for name, strip in strips().items():
        out = IMAGES / f"gallery-{name}.png"
        draw(strip).quantize(256).save(out, optimize=True)
        print(out)


if __name__ == "__main__":
    main()

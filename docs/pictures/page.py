"""Takes docs/images/page-*.png: the player's page, by the browser that takes all pictures.

python -m docs.pictures.page
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import ligament as lg
from ligament.author.ground import add_ground
from ligament.author.ragdoll import add_ragdoll
from ligament.baking import without_animations
from ligament.demo import assets
from ligament.viewer.browser import open_page
from ligament.viewer.page import page_of_takes
from ligament.viewer.takes import Take

IMAGES = Path(__file__).parents[1] / "images"
FILES = {path.name: path for path in assets()}


def take(name: str, shown: Take, size: tuple[int, int], time: float, script: str = "") -> None:
    """Take one picture of a page at a time [s], after a script with the player as `p`."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        page.write_text(page_of_takes([shown]), encoding="utf-8")
        with open_page(page, size) as opened:
            opened.evaluate(f"window.ligament.ready.then((p) => {{ p.pause(); {script} }})")
            opened.show(time)
            out = IMAGES / f"page-{name}.png"
            out.write_bytes(opened.png())
            print(out)


def main() -> None:
    """Take the door with its hinge selected, and a ragdoll with its colliders and contacts."""
    door = lg.load(FILES["door.glb"])
    hinge = [node.get("name") for node in door.json["nodes"]].index("Frame hinge")
    recording = lg.simulate(door, seconds=4, rate=30)
    take("door", Take(door, recording, "door.glb"), (1100, 640), 0.4, f"p.select({hinge});")
    editor = lg.Editor(without_animations(lg.load(FILES["avatar.vrm"])))
    add_ragdoll(editor)
    add_ground(editor)
    fall = lg.simulate(editor.document, seconds=3, rate=30, contact_points=True)
    layers = "for (const name of ['colliders', 'contacts']) p.setLayer(name, true);"
    take("ragdoll", Take(editor.document, fall, "ragdoll.glb"), (1100, 640), 1.1, layers)


if __name__ == "__main__":
    main()

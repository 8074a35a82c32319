"""Draws docs/images/readme.gif: a ball on a rope, a door on a hinge, and a ragdoll.

python -m docs.pictures.readme
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from PIL import Image

import ligament as lg
from docs.pictures.renderer import Camera, Solid, render
from docs.pictures.staging import Staging
from examples.avatar import avatar
from examples.building import Scene
from ligament.author import Motor
from ligament.author.ragdoll import add_ragdoll
from ligament.extensions.shapes import Box, Capsule, Sphere
from ligament.gltf import reindex

WOOD, STEEL = (0.50, 0.30, 0.14), (0.42, 0.46, 0.52)
RED, HEMP = (0.75, 0.12, 0.08), (0.62, 0.5, 0.32)
PANEL, POST, BEAM = (0.05, 2.0, 0.9), (0.1, 3.0, 0.1), (0.3, 0.1, 0.75)
HINGE = (0.0, 0.05, -0.5)
LINK, THIN, LINKS, HEAVY = 0.18, 0.025, 10, 0.15
ANCHOR = (-0.2, 2.95, 0.1)
STANDS = 0.6
"""How far behind the door [m] the avatar stands."""

SECONDS, RATE, FRAME = 3.4, 60, 3
"""Three steps of the simulation make one picture: 20 per second."""

PAUSE = 1500
"""How long [ms] the last picture stays."""

CAMERA = Camera(eye=(-3.6, 2.3, 8.2), target=(-0.32, 1.46, 0.0), zoom=5.0)
WIDTH, HEIGHT = 640, 440


def scene() -> tuple[lg.Document, list[int]]:
    """Return the scene, and the bodies of the ragdoll in it."""
    built = Scene()
    editor = lg.Editor(built.document)
    built.node("Ground", translation=[0, -0.1, 0])
    editor.add_body("Ground", kind="static", collider=Box((30, 0.2, 30)))
    _door(built, editor)
    _rope(built, editor)
    reindex.merge(built.document, _standing())
    scenes = built.json["scenes"]
    scenes[0]["nodes"] += scenes.pop()["nodes"]
    ragdoll = add_ragdoll(editor, mass=60)
    return built.document, list(ragdoll.bodies.values())


def _door(built: Scene, editor: lg.Editor) -> None:
    x, y, z = HINGE
    post, arm = built.solid("box", STEEL, *POST), built.solid("box", STEEL, *BEAM)
    built.node("Post", translation=[x, POST[1] / 2, z - 0.05], mesh=post)
    built.node("Beam", translation=[x - 0.12, POST[1], z + 0.28], mesh=arm)
    built.node("Door", translation=[x, y + 1.0, z + 0.5], mesh=built.solid("box", WOOD, *PANEL))
    editor.add_body("Post", kind="static", collider=Box(POST))
    editor.add_body("Beam", kind="static", collider=Box(BEAM))
    editor.add_body("Door", mass=14, collider=Box(PANEL))
    closer = Motor(target=0, stiffness=8, damping=3, mode="force")
    editor.hinge("Post", "Door", at=HINGE, axis="y", limits=(-100, 100), motor=closer)


def _rope(built: Scene, editor: lg.Editor) -> None:
    x, y, z = ANCHOR
    rod = Capsule(LINK - 2 * THIN, THIN, THIN)
    level = [0, 0, math.sin(math.pi / 4), math.cos(math.pi / 4)]
    held = "Beam"
    for i in range(LINKS):
        name = f"Link {i + 1}"
        mesh = built.solid("rod", HEMP, THIN, rod.height)
        built.node(name, translation=[x - (i + 0.5) * LINK, y, z], rotation=level, mesh=mesh)
        editor.add_body(name, mass=0.4, collider=rod)
        editor.ball(held, name, at=(x - i * LINK, y, z))
        held = name
    end = x - LINKS * LINK
    built.node("Ball", translation=[end - HEAVY, y, z], mesh=built.solid("ball", RED, HEAVY))
    editor.add_body("Ball", mass=22, collider=Sphere(HEAVY))
    editor.ball(held, "Ball", at=(end, y, z))


def _standing() -> lg.Document:
    """Return the avatar of the examples, arms down, before the door."""
    document = avatar()
    del document.json["animations"]
    nodes = document.json["nodes"]
    for side, turn in (("left", -1), ("right", 1)):
        arm = next(node for node in nodes if node["name"] == f"{side}UpperArm")
        half = math.radians(72) / 2 * turn
        arm["rotation"] = [0, 0, math.sin(half), math.cos(half)]
    turned = [0, -math.sin(math.pi / 4), 0, math.cos(math.pi / 4)]
    roots = document.json["scenes"][0]["nodes"]
    nodes.append({"name": "Avatar", "translation": [STANDS, 0, 0.12], "rotation": turned})
    nodes[-1]["children"] = list(roots)
    document.json["scenes"][0]["nodes"] = [len(nodes) - 1]
    return document


def played() -> Iterator[list[Solid]]:
    """Yield what is to be seen: the avatar stands until the door moves, then physics decides."""
    document, ragdoll = scene()
    sim = lg.Simulation(document, rate=RATE, substeps=4)
    staging = Staging(sim)
    door = list(sim.nodes).index(sim.stage.tree.names.index("Door"))
    rows = [list(sim.nodes).index(node) for node in ragdoll]
    start = [(sim.translation[row].copy(), sim.rotation[row].copy()) for row in rows]
    moved = False
    for step in range(int(SECONDS * RATE)):
        if step % FRAME == 0:
            yield staging.solids(sizes={"Post hinge": 0.9, "": 0.12}, thick=0.007)
        moved = moved or abs(sim.angular_velocity[door, 1]) > 0.5
        if not moved:
            for node, pose in zip(ragdoll, start, strict=True):
                sim.set_pose(int(node), *pose)
                sim.set_velocity(int(node))
        sim.step()


def main() -> None:
    """Play the scene and write it as a picture that moves."""
    frames = [render(solids, CAMERA, width=WIDTH, height=HEIGHT) for solids in played()]
    colours = _palette(frames)
    drawn = [frame.quantize(palette=colours, dither=Image.Dither.NONE) for frame in frames]
    times = [1000 * FRAME // RATE] * len(drawn)
    times[-1] = PAUSE
    out = Path(__file__).parents[1] / "images" / "readme.gif"
    drawn[0].save(out, save_all=True, append_images=drawn[1:], duration=times, loop=0)
    print(out)


def _palette(frames: list[Image.Image]) -> Image.Image:
    """Return a picture with the 256 colours that suit some of the frames best."""
    some = frames[:: max(1, len(frames) // 8)]
    sheet = Image.new("RGB", (WIDTH, HEIGHT * len(some)))
    for i, frame in enumerate(some):
        sheet.paste(frame, (0, HEIGHT * i))
    return sheet.quantize(256)


if __name__ == "__main__":
    main()

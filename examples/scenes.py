"""The physics examples, made with the editor: a hinged door, a rope, a stack, a trigger gate."""

from __future__ import annotations

import math

import ligament as lg
from examples.building import Scene, Solid
from ligament.author import Motor
from ligament.extensions.shapes import Box, Capsule, Sphere

WOOD, DARK_WOOD, STEEL, STONE, RED, BLUE = (
    (0.5, 0.28, 0.13),
    (0.4, 0.21, 0.09),
    (0.55, 0.58, 0.62),
    (0.55, 0.54, 0.52),
    (0.75, 0.12, 0.08),
    (0.08, 0.25, 0.65),
)


def grounded(size: float = 8.0) -> tuple[Scene, lg.Editor]:
    """A scene with a static floor whose top is at Y = 0, and its editor."""
    scene = Scene()
    scene.node("Ground", translation=[0, -0.1, 0], mesh=scene.solid("box", STONE, size, 0.2, size))
    editor = lg.Editor(scene.document)
    editor.add_body("Ground", kind="static", collider=Box((size, 0.2, size)))
    return scene, editor


def door() -> lg.Document:
    """A door that was pushed: it swings on a hinge with stops and a spring that closes it."""
    scene, editor = grounded()
    frame, panel = (0.1, 2.1, 0.1), (1.0, 2.0, 0.04)
    scene.node("Frame", translation=[-0.55, 1.05, 0], mesh=scene.solid("pad", STEEL, *frame, 0.012))
    fillings = [
        Solid("pad", DARK_WOOD, (0.62, 0.76, 0.05, 0.012), (0, y, 0)) for y in (-0.45, 0.45)
    ]
    knobs = [Solid("ball", STEEL, (0.035,), (0.38, 0, z)) for z in (-0.06, 0.06)]
    leaf = scene.mesh(Solid("pad", WOOD, (*panel, 0.01)), *fillings, *knobs)
    scene.node("Door", translation=[0, 1.05, 0], mesh=leaf)
    editor.add_body("Frame", kind="static", collider=Box(frame))
    # Turning about the hinge, 0.5 m from the middle: else the hinge takes most of the push away.
    editor.add_body(
        "Door",
        mass=25,
        linear_velocity=(0, 0, -1.25),
        angular_velocity=(0, 2.5, 0),
        collider=Box(panel),
    )
    closer = Motor(target=0, stiffness=12, damping=3, mode="force")
    editor.hinge("Frame", "Door", at=(-0.5, 1.05, 0), axis="y", limits=(-100, 100), motor=closer)
    return editor.document


def rope(links: int = 12) -> lg.Document:
    """A rope of rods, hung from the world, with a ball at its end; it starts out level."""
    scene = Scene()
    editor = lg.Editor(scene.document)
    height, length, radius = 3.0, 0.2, 0.03
    scene.node("Anchor", translation=[0, height, 0], mesh=scene.solid("ball", STEEL, 0.05))
    rod = Capsule(length - 2 * radius, radius, radius)
    sideways = [0, 0, math.sin(math.pi / 4), math.cos(math.pi / 4)]
    held = "Anchor"
    for i in range(links):
        scene.node(
            f"Link {i + 1}",
            translation=[(i + 0.5) * length, height, 0],
            rotation=sideways,
            mesh=scene.solid("rod", WOOD, radius, rod.height),
        )
        editor.add_body(f"Link {i + 1}", mass=0.1, collider=rod)
        editor.ball(held, f"Link {i + 1}", at=(i * length, height, 0))
        held = f"Link {i + 1}"
    end = links * length
    scene.node("Weight", translation=[end + 0.12, height, 0], mesh=scene.solid("ball", RED, 0.12))
    editor.add_body("Weight", mass=2, collider=Sphere(0.12))
    editor.ball(held, "Weight", at=(end, height, 0))
    return editor.document


def stack(boxes: int = 10) -> lg.Document:
    """Ten boxes, one upon the other, that must stay where they are."""
    scene, editor = grounded()
    for i in range(boxes):
        scene.node(
            f"Box {i + 1}",
            translation=[0, 0.25 + 0.5 * i, 0],
            mesh=scene.solid("pad", BLUE if i % 2 else RED, 0.5, 0.5, 0.5, 0.03),
        )
        editor.add_body(f"Box {i + 1}", mass=5, collider=Box((0.5, 0.5, 0.5)))
    return editor.document


def gate() -> lg.Document:
    """A ball that rolls through a trigger: it enters once and leaves once."""
    scene, editor = grounded()
    scene.node("Gate", translation=[0, 0.5, 0])
    for side in (-0.55, 0.55):
        scene.node("Post", translation=[0, 0.5, side], mesh=scene.solid("rod", STEEL, 0.04, 0.92))
    scene.node("Ball", translation=[-2, 0.2, 0], mesh=scene.solid("ball", RED, 0.2))
    editor.add_trigger("Gate", Box((0.6, 1.0, 1.0)))
    editor.add_body(
        "Ball",
        mass=1,
        linear_velocity=(1.5, 0, 0),
        angular_velocity=(0, 0, -7.5),
        collider=Sphere(0.2),
    )
    return editor.document

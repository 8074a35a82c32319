"""The physics examples: a hinged door, a rope, a stack, a trigger gate."""

from __future__ import annotations

import math

from examples.building import Scene

WOOD, STEEL, STONE, RED, BLUE = (
    (0.55, 0.36, 0.2),
    (0.6, 0.62, 0.66),
    (0.5, 0.5, 0.48),
    (0.8, 0.2, 0.15),
    (0.2, 0.35, 0.8),
)


def ground(scene: Scene, size: float = 8.0) -> None:
    """A static floor whose top is at Y = 0."""
    scene.node(
        "Ground",
        translation=[0, -0.1, 0],
        mesh=scene.solid("box", STONE, size, 0.2, size),
        physics={"collider": scene.collider("box", size=[size, 0.2, size])},
    )


def door() -> Scene:
    """A door that was pushed: it swings on a hinge with stops and a spring that closes it."""
    scene = Scene()
    ground(scene)
    frame = scene.node(
        "Frame",
        translation=[-0.55, 1.05, 0],
        mesh=scene.solid("box", STEEL, 0.1, 2.1, 0.1),
        physics={"collider": scene.collider("box", size=[0.1, 2.1, 0.1])},
    )
    panel = scene.node(
        "Door",
        translation=[0, 1.05, 0],
        mesh=scene.solid("box", WOOD, 0.9, 2.0, 0.04),
        physics={
            "motion": {"mass": 25, "angularVelocity": [0, 2.5, 0]},
            "collider": scene.collider("box", size=[0.9, 2.0, 0.04]),
        },
    )
    hinge = scene.joint(
        [
            {"linearAxes": [0, 1, 2], "min": 0, "max": 0},
            {"angularAxes": [0, 2], "min": 0, "max": 0},
            {"angularAxes": [1], "min": math.radians(-100), "max": math.radians(100)},
        ],
        [
            {
                "type": "angular",
                "mode": "force",
                "axis": 1,
                "positionTarget": 0,
                "stiffness": 12,
                "velocityTarget": 0,
                "damping": 3,
            }
        ],
    )
    edge = scene.node("Door hinge", parent=panel, translation=[-0.5, 0, 0])
    joint = {"joint": hinge, "connectedNode": edge}
    scene.node("Frame hinge", parent=frame, translation=[0.05, 0, 0], physics={"joint": joint})
    return scene


def rope(links: int = 12) -> Scene:
    """A rope of rods, hung from the world, with a ball at its end; it starts out level."""
    scene = Scene()
    length, radius = 0.2, 0.03
    ball_joint = scene.joint([{"linearAxes": [0, 1, 2], "min": 0, "max": 0}])
    anchor = scene.node("Anchor", translation=[0, 3, 0], mesh=scene.solid("ball", STEEL, 0.05))
    sideways = [0, 0, math.sin(math.pi / 4), math.cos(math.pi / 4)]
    for i in range(links):
        link = scene.node(
            f"Link {i + 1}",
            translation=[(i + 0.5) * length, 3, 0],
            rotation=sideways,
            mesh=scene.solid("rod", WOOD, radius, length - 2 * radius),
            physics={
                "motion": {"mass": 0.1},
                "collider": scene.collider(
                    "capsule", height=length - 2 * radius, radiusBottom=radius, radiusTop=radius
                ),
            },
        )
        start = scene.node(f"Link {i + 1} start", parent=link, translation=[0, length / 2, 0])
        scene.json["nodes"][anchor].setdefault("extensions", {}).setdefault(
            "KHR_physics_rigid_bodies", {}
        )["joint"] = {"joint": ball_joint, "connectedNode": start}
        anchor = scene.node(f"Link {i + 1} end", parent=link, translation=[0, -length / 2, 0])
    weight = scene.node(
        "Weight",
        translation=[links * length + 0.12, 3, 0],
        mesh=scene.solid("ball", RED, 0.12),
        physics={"motion": {"mass": 2}, "collider": scene.collider("sphere", radius=0.12)},
    )
    hook = scene.node("Hook", parent=weight, translation=[-0.12, 0, 0])
    scene.json["nodes"][anchor]["extensions"] = {
        "KHR_physics_rigid_bodies": {"joint": {"joint": ball_joint, "connectedNode": hook}}
    }
    return scene


def stack(boxes: int = 10) -> Scene:
    """Ten boxes, one upon the other, that must stay where they are."""
    scene = Scene()
    ground(scene)
    for i in range(boxes):
        scene.node(
            f"Box {i + 1}",
            translation=[0, 0.25 + 0.5 * i, 0],
            mesh=scene.solid("box", BLUE if i % 2 else RED, 0.5, 0.5, 0.5),
            physics={
                "motion": {"mass": 5},
                "collider": scene.collider("box", size=[0.5, 0.5, 0.5]),
            },
        )
    return scene


def gate() -> Scene:
    """A ball that rolls through a trigger: it enters once and leaves once."""
    scene = Scene()
    ground(scene)
    scene.node(
        "Gate",
        translation=[0, 0.5, 0],
        physics={"trigger": scene.collider("box", size=[0.6, 1.0, 1.0])},
    )
    for side in (-0.55, 0.55):
        scene.node("Post", translation=[0, 0.5, side], mesh=scene.solid("rod", STEEL, 0.04, 0.92))
    scene.node(
        "Ball",
        translation=[-2, 0.2, 0],
        mesh=scene.solid("ball", RED, 0.2),
        physics={
            "motion": {"mass": 1, "linearVelocity": [1.5, 0, 0], "angularVelocity": [0, 0, -7.5]},
            "collider": scene.collider("sphere", radius=0.2),
        },
    )
    return scene

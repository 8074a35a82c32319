"""Draws docs/images/simulating.png: a ball that knocks a spring door open and rolls through.

python docs/pictures/simulating.py
"""

from __future__ import annotations

from pathlib import Path

import ligament as lg
from ligament.demo import assets
from ligament.gltf.tree import NodeTree
from ligament.plot import plot_recording

KHR, SHAPES = "KHR_physics_rigid_bodies", "KHR_implicit_shapes"


def spring_door() -> lg.Document:
    """The door of the demo at rest, with soft bounds, a ball before it and a trigger behind it."""
    doc = lg.load(next(path for path in assets() if path.name == "door.glb"))
    nodes, own = doc.json["nodes"], doc.json["extensions"][KHR]
    door = next(node for node in nodes if node["name"] == "Door")
    door["extensions"][KHR]["motion"] = {"mass": 12}
    joint = own["physicsJoints"][0]
    del joint["drives"]
    joint["limits"][2] |= {"min": -0.35, "max": 0.35, "stiffness": 25, "damping": 1.5}
    shapes = doc.json["extensions"][SHAPES]["shapes"]
    shapes += [
        {"type": "sphere", "sphere": {"radius": 0.25}},
        {"type": "box", "box": {"size": [1, 2, 0.5]}},
    ]
    ball, room = len(shapes) - 2, len(shapes) - 1
    motion = {"mass": 6, "linearVelocity": [0, 0, -3.5]}
    roots = doc.json["scenes"][doc.json.get("scene", 0)]["nodes"]
    for name, place, parts in (
        ("Ball", [0.2, 0.25, 2], {"motion": motion, "collider": {"geometry": {"shape": ball}}}),
        ("Room", [0, 1, -1.2], {"trigger": {"geometry": {"shape": room}}}),
    ):
        roots.append(len(nodes))
        nodes.append({"name": name, "translation": place, "extensions": {KHR: parts}})
    return doc


def main() -> None:
    """Play the scene and draw it."""
    doc = spring_door()
    recording = lg.simulate(doc, seconds=3, contacts=True)
    out = Path(__file__).parents[1] / "images" / "simulating.png"
    plot_recording(recording, out, names=NodeTree(doc).names)
    print(out)


if __name__ == "__main__":
    main()

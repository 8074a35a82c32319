"""The humanoid examples: an avatar with constraints, one with springs, and a motion clip."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

import ligament as lg
from examples.building import Scene, Solid
from ligament import transforms as tf
from ligament.gltf.animation import Clip, Track, append_clip

SKIN, SHIRT, TROUSERS = (0.83, 0.58, 0.42), (0.08, 0.32, 0.62), (0.1, 0.11, 0.16)
SHOES, EYES, HAIR = (0.85, 0.85, 0.83), (0.03, 0.03, 0.04), (0.22, 0.08, 0.03)
ROUND: Final = 0.45
"""Radius of the edges of a piece, relative to its shortest side."""

# bone: (parent, position in the world [m]); a T-pose that faces +Z, its left at +X.
SKELETON: dict[str, tuple[str | None, tuple[float, float, float]]] = {
    "hips": (None, (0, 0.95, 0)),
    "spine": ("hips", (0, 1.05, 0)),
    "chest": ("spine", (0, 1.2, 0)),
    "neck": ("chest", (0, 1.45, 0)),
    "head": ("neck", (0, 1.55, 0)),
}
for side, x in (("left", 1.0), ("right", -1.0)):
    SKELETON |= {
        f"{side}Shoulder": ("chest", (0.04 * x, 1.4, 0)),
        f"{side}UpperArm": (f"{side}Shoulder", (0.17 * x, 1.4, 0)),
        f"{side}LowerArm": (f"{side}UpperArm", (0.45 * x, 1.4, 0)),
        f"{side}Hand": (f"{side}LowerArm", (0.7 * x, 1.4, 0)),
        f"{side}UpperLeg": ("hips", (0.1 * x, 0.9, 0)),
        f"{side}LowerLeg": (f"{side}UpperLeg", (0.1 * x, 0.5, 0)),
        f"{side}Foot": (f"{side}LowerLeg", (0.1 * x, 0.08, 0)),
        f"{side}Toes": (f"{side}Foot", (0.1 * x, 0.02, 0.12)),
    }

# bone: (colour, centre of its piece relative to the bone, size) [m]
BODY: dict[str, tuple[Any, tuple[float, float, float], tuple[float, float, float]]] = {
    "hips": (TROUSERS, (0, 0, 0), (0.3, 0.16, 0.18)),
    "spine": (SHIRT, (0, 0.07, 0), (0.27, 0.19, 0.17)),
    "chest": (SHIRT, (0, 0.12, 0), (0.34, 0.24, 0.2)),
    "neck": (SKIN, (0, 0.04, 0), (0.09, 0.15, 0.09)),
    "head": (SKIN, (0, 0.12, 0.01), (0.18, 0.24, 0.2)),
}
for side, x in (("left", 1.0), ("right", -1.0)):
    BODY |= {
        f"{side}UpperArm": (SHIRT, (0.09 * x, 0, 0), (0.16, 0.1, 0.1)),
        f"{side}LowerArm": (SKIN, (0.06 * x, 0, 0), (0.17, 0.08, 0.08)),
        f"{side}Hand": (SKIN, (0.08 * x, 0, 0.01), (0.16, 0.035, 0.09)),
        f"{side}UpperLeg": (TROUSERS, (0, -0.2, 0), (0.15, 0.46, 0.16)),
        f"{side}LowerLeg": (TROUSERS, (0, -0.2, 0), (0.12, 0.44, 0.13)),
        f"{side}Foot": (SHOES, (0, -0.04, 0.05), (0.09, 0.07, 0.2)),
        f"{side}Toes": (SHOES, (0, 0, 0.04), (0.09, 0.04, 0.08)),
    }


CHILD: Final = 0.6
"""Size of the child's bones relative to those of the others."""


def skeleton(scene: Scene, size: float = 1.0) -> dict[str, int]:
    """Add the bones; returns bone → node."""
    bones: dict[str, int] = {}
    for bone, (parent, position) in SKELETON.items():
        origin = np.array(SKELETON[parent][1]) if parent else np.zeros(3)
        local = np.round(size * (np.array(position) - origin), 6).tolist()
        bones[bone] = scene.node(bone, parent=bones.get(parent or ""), translation=local)
    return bones


def avatar() -> lg.Document:
    """A VRM 1.0 avatar whose sleeves and forearms follow the arms by node constraints."""
    scene = Scene()
    bones = skeleton(scene)
    for bone, (colour, centre, size) in BODY.items():
        scene.node(
            f"{bone} mesh",
            parent=bones[bone],
            translation=list(centre),
            mesh=scene.mesh(*_solids(bone, colour, size)),
        )
    editor = lg.Editor(scene.document)
    for side, x in (("left", 1.0), ("right", -1.0)):
        for bone, source, place, colour, size in (
            ("LowerArm", "Hand", 0.17, SKIN, (0.16, 0.075, 0.075)),
            ("UpperArm", "LowerArm", 0.19, SHIRT, (0.18, 0.095, 0.095)),
        ):
            # Half of the source's roll about the arm, so that the skin does not wring like a sweet.
            limb, at = f"{side}{bone}", (place * x, 0, 0)
            twist = _piece(scene, f"{limb} twist", limb, at, colour, size)
            editor.add_constraint(twist, "roll", f"{side}{source}", axis="X", weight=0.5)
    antenna = _piece(scene, "antenna", "head", (0, 0.28, 0), (0.8, 0.2, 0.15), (0.02, 0.02, 0.3))
    editor.add_constraint(antenna, "aim", "leftHand", axis="PositiveZ")
    collar = _piece(scene, "collar", "chest", (0, 0.24, 0), TROUSERS, (0.16, 0.03, 0.14))
    editor.add_constraint(collar, "rotation", "head", weight=0.5)
    editor.set_humanoid(bones, name="Example avatar", authors=["The Ligament authors"])
    append_clip(scene.document, wave(bones, "Wave"))
    return scene.document


def child() -> lg.Document:
    """A VRM 1.0 avatar of other proportions: small, with a large head."""
    scene = Scene()
    bones = skeleton(scene, CHILD)
    colours = {SHIRT: (0.85, 0.55, 0.1), TROUSERS: (0.15, 0.4, 0.3)}
    for bone, (colour, centre, size) in BODY.items():
        wide = 1.3 if bone == "head" else 0.8
        place = [round(CHILD * value, 6) for value in centre]
        long = 1.5 if bone.endswith("Arm") else 1.0  # its sleeves have no pieces of their own
        place[0] = round(long * place[0], 6)
        large = (long * wide * size[0], wide * size[1], wide * size[2])
        mesh = scene.mesh(*_solids(bone, colours.get(colour, colour), large))
        scene.node(f"{bone} mesh", parent=bones[bone], translation=place, mesh=mesh)
    editor = lg.Editor(scene.document)
    editor.set_humanoid(bones, name="Example child", authors=["The Ligament authors"])
    return scene.document


def ponytail() -> lg.Document:
    """The avatar with a ponytail of spring bones, jogging on the spot and looking around."""
    document = avatar()
    scene = Scene(document)
    nodes = {node["name"]: i for i, node in enumerate(scene.json["nodes"])}
    parent, hair = nodes["head"], list[int]()
    for joint in range(7):
        place = [0, 0.2, -0.11] if joint == 0 else [0, -0.055, -0.035]
        width = 0.052 - 0.004 * joint
        mesh = {} if joint == 6 else {"mesh": scene.solid("ball", HAIR, width)}
        parent = scene.node(f"ponytail{joint}", parent=parent, translation=place, **mesh)
        hair.append(parent)
    editor = lg.Editor(document)
    editor.add_spring_collider("head", radius=0.12, offset=(0, 0.12, 0))
    editor.add_spring_collider("chest", radius=0.11, offset=(0, 0.05, 0), tail=(0, 0.2, 0))
    editor.add_spring(
        hair,
        stiffness=0.5,
        gravity=(0, -0.25, 0),
        drag=0.25,
        radius=0.03,
        groups=["Body"],
        name="Ponytail",
    )
    del scene.json["animations"]
    append_clip(document, jog(nodes, "Jog"))
    return document


def jog(bones: dict[str, int], name: str) -> Clip:
    """Bounce on the spot with swinging arms, and look to both sides."""
    times = np.linspace(0, 4, 121)
    stride = 2 * np.pi * 1.5 * times
    look = 0.8 * np.sin(2 * np.pi * times / 2)
    down = np.full_like(times, 1.2)
    turns = {
        "head": [(0, 1, 0, look)],
        "leftUpperLeg": [(1, 0, 0, -0.5 * np.sin(stride))],
        "rightUpperLeg": [(1, 0, 0, 0.5 * np.sin(stride))],
        "leftLowerLeg": [(1, 0, 0, 0.5 - 0.5 * np.cos(stride))],
        "rightLowerLeg": [(1, 0, 0, 0.5 + 0.5 * np.cos(stride))],
        "leftUpperArm": [(1, 0, 0, 0.5 * np.sin(stride)), (0, 0, 1, -down)],
        "rightUpperArm": [(1, 0, 0, -0.5 * np.sin(stride)), (0, 0, 1, down)],
    }
    tracks = [_turned(bones[bone], times, parts) for bone, parts in turns.items()]
    bounce = np.stack([0 * times, 0.95 + 0.04 * np.cos(2 * stride), 0 * times], axis=1)
    tracks.append(Track(bones["hips"], "translation", times, bounce))
    return Clip(name, tuple(tracks))


def motion() -> lg.Document:
    """A VRM animation: the same wave on a bare skeleton, for any avatar."""
    return _clip_alone(wave)


def dancing() -> lg.Document:
    """A VRM animation: a dance, for any avatar."""
    return _clip_alone(dance)


def _clip_alone(make: Callable[[dict[str, int], str], Clip]) -> lg.Document:
    """Return a VRM animation of a clip on a bare skeleton."""
    scene = Scene()
    bones = skeleton(scene)
    scene.document.use_extension("VRMC_vrm_animation")
    scene.json.setdefault("extensions", {})["VRMC_vrm_animation"] = {
        "specVersion": "1.0",
        "humanoid": {"humanBones": {bone: {"node": node} for bone, node in bones.items()}},
    }
    append_clip(scene.document, make(bones, make.__name__.capitalize()))
    return scene.document


def dance(bones: dict[str, int], name: str) -> Clip:
    """Step from side to side with bending knees, swinging arms and a spin in the middle."""
    times = np.linspace(0, 6, 121)
    beat = 2 * np.pi * times  # one step per second
    dip = 0.5 - 0.5 * np.cos(2 * beat)
    sway = np.sin(beat)
    lift, other = np.maximum(sway, 0.0), np.maximum(-sway, 0.0)
    share = np.clip((times - 2.5) / 1.0, 0.0, 1.0)
    spin = 2 * np.pi * (share * share * (3 - 2 * share))
    turns = {
        "hips": [(0, 1, 0, spin + 0.25 * sway)],
        "spine": [(0, 0, 1, -0.12 * sway), (0, 1, 0, -0.3 * sway)],
        "chest": [(0, 0, 1, -0.1 * sway)],
        "head": [(0, 0, 1, 0.15 * sway), (1, 0, 0, 0.12 * np.cos(2 * beat))],
        "leftUpperArm": [(0, 0, 1, -0.5 + 1.2 * lift), (0, 1, 0, -0.5 * sway)],
        "rightUpperArm": [(0, 0, 1, 0.5 - 1.2 * np.roll(lift, 10)), (0, 1, 0, -0.5 * sway)],
        "leftLowerArm": [(0, 1, 0, -0.9 - 0.5 * sway)],
        "rightLowerArm": [(0, 1, 0, 0.9 - 0.5 * sway)],
        "leftUpperLeg": [(1, 0, 0, -0.35 * dip - 0.5 * lift), (0, 0, 1, 0.1 * sway)],
        "rightUpperLeg": [
            (1, 0, 0, -0.35 * dip - 0.5 * np.maximum(-sway, 0)),
            (0, 0, 1, 0.1 * sway),
        ],
        "leftLowerLeg": [(1, 0, 0, 0.7 * dip + 0.9 * lift)],
        "rightLowerLeg": [(1, 0, 0, 0.7 * dip + 0.9 * other)],
    }
    tracks = [_turned(bones[bone], times, parts) for bone, parts in turns.items()]
    path = np.stack([0.12 * sway, 0.95 - 0.05 * dip, 0 * times], axis=1)
    tracks.append(Track(bones["hips"], "translation", times, path))
    return Clip(name, tuple(tracks))


def _turned(node: int, times: Any, parts: list[tuple[int, int, int, Any]]) -> Track:
    """Return the rotation of a node by angles about axes, one after the other."""
    rotation = np.array([0.0, 0.0, 0.0, 1.0])
    for x, y, z, angle in parts:
        rotation = tf.multiply(rotation, tf.from_axis_angle(np.array([x, y, z]), angle))
    return Track(node, "rotation", times, rotation)


def wave(bones: dict[str, int], name: str) -> Clip:
    """Raise the left arm and wave with a turning hand, while the hips sway."""
    times = np.linspace(0, 2, 25)
    phase = times * np.pi
    raised = np.sin(phase / 2) ** 2
    turns = {
        "leftUpperArm": (0, 0, 1, 0.9 * raised),
        "leftLowerArm": (0, 0, 1, 0.8 * raised + 0.3 * np.sin(4 * phase) * raised),
        "leftHand": (1, 0, 0, 1.4 * np.sin(2 * phase)),
        "rightUpperArm": (0, 0, 1, 1.2 * raised),
        "rightHand": (1, 0, 0, -0.9 * raised),
        "spine": (0, 0, 1, 0.08 * np.sin(phase)),
        "head": (0, 1, 0, 0.4 * np.sin(phase)),
    }
    tracks = [
        Track(bones[bone], "rotation", times, tf.from_axis_angle(np.array([x, y, z]), angle))
        for bone, (x, y, z, angle) in turns.items()
    ]
    sway = np.stack([0.04 * np.sin(phase), 0.95 - 0.01 * raised, 0 * phase], axis=1)
    tracks.append(Track(bones["hips"], "translation", times, sway))
    return Clip(name, tuple(tracks))


def _piece(
    scene: Scene,
    name: str,
    bone: str,
    place: tuple[float, float, float],
    colour: tuple[float, float, float],
    size: tuple[float, float, float],
) -> int:
    """Add a piece on a node of its own below a bone."""
    return scene.node(
        name,
        parent=next(i for i, node in enumerate(scene.json["nodes"]) if node["name"] == bone),
        translation=list(place),
        mesh=scene.mesh(*_solids(name, colour, size)),
    )


def _solids(
    bone: str, colour: tuple[float, float, float], size: tuple[float, float, float]
) -> list[Solid]:
    """Return what a bone looks like: a piece with round edges; a head has eyes and hair."""
    x, y, z = size
    piece = Solid("pad", colour, (*size, ROUND * min(size)))
    if bone != "head":
        return [piece]
    eyes = [
        Solid("ball", EYES, (0.08 * x,), (side * 0.22 * x, 0.05 * y, 0.47 * z)) for side in (-1, 1)
    ]
    hair = (1.06 * x, 0.42 * y, 0.96 * z)
    return [piece, *eyes, Solid("pad", HAIR, (*hair, ROUND * min(hair)), (0, 0.33 * y, -0.08 * z))]

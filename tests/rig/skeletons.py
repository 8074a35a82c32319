"""Humanoids made for tests: any bones, any rest rotations, nodes between bones, any root."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ligament import transforms as tf
from ligament.extensions.humanoid.bones import BONES, CONDITIONAL, REQUIRED, nearest_parent
from ligament.gltf.animation import Clip, Track, append_clip
from ligament.gltf.document import Document
from ligament.rig.humanoid.skeleton import TURNED, Humanoid

EYES = ("leftEye", "rightEye")


def t_pose() -> dict[str, np.ndarray]:
    """Places of all bones [m] in a T-pose that faces +Z, its left at +X."""
    places: dict[str, tuple[float, float, float]] = {
        "hips": (0, 1, 0),
        "spine": (0, 1.1, 0),
        "chest": (0, 1.2, 0),
        "upperChest": (0, 1.3, 0),
        "neck": (0, 1.5, 0),
        "head": (0, 1.6, 0),
        "leftEye": (0.03, 1.7, 0.08),
        "rightEye": (-0.03, 1.7, 0.08),
        "jaw": (0, 1.62, 0.05),
    }
    for side, x in (("left", 1.0), ("right", -1.0)):
        places |= {
            f"{side}UpperLeg": (0.1 * x, 0.95, 0),
            f"{side}LowerLeg": (0.1 * x, 0.5, 0),
            f"{side}Foot": (0.1 * x, 0.1, 0),
            f"{side}Toes": (0.1 * x, 0.02, 0.12),
            f"{side}Shoulder": (0.05 * x, 1.42, 0),
            f"{side}UpperArm": (0.18 * x, 1.42, 0),
            f"{side}LowerArm": (0.45 * x, 1.42, 0),
            f"{side}Hand": (0.7 * x, 1.42, 0),
        }
        for finger, z in (("Index", 0.03), ("Middle", 0.01), ("Ring", -0.01), ("Little", -0.03)):
            for i, segment in enumerate(("Proximal", "Intermediate", "Distal")):
                places[f"{side}{finger}{segment}"] = ((0.78 + 0.03 * i) * x, 1.42, z)
        for i, segment in enumerate(("Metacarpal", "Proximal", "Distal")):
            places[f"{side}Thumb{segment}"] = ((0.72 + 0.02 * i) * x, 1.42, 0.03 + 0.02 * i)
    return {bone: np.array(place, float) for bone, place in places.items()}


def some_bones(rng: np.random.Generator, *, share: float = 0.6) -> list[str]:
    """All required bones and some of the others, none without the bone that it needs."""
    bones: list[str] = []
    for bone in BONES:
        needed = CONDITIONAL.get(bone)
        if bone in REQUIRED or (rng.random() < share and (needed is None or needed in bones)):
            bones.append(bone)
    return bones


def random_rotation(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Rotations (…, 4) spread evenly."""
    return tf.normalize(rng.standard_normal((*shape, 4)))


def humanoid(
    bones: Iterable[str],
    *,
    dialect: str = "VRMC_vrm",
    rng: np.random.Generator | None = None,
    between: float = 0.0,
    root: Mapping[str, Any] | None = None,
    size: float = 1.0,
) -> Document:
    """A document with a skeleton in T-pose, which faces -Z in VRM 0.x.

    With `rng`, rest rotations are random, and each bone has with probability `between` a node
    above it that is no bone. `root` is the transform of a node above everything.
    """
    wanted = set(bones)
    present = [bone for bone in BONES if bone in wanted]
    facing = TURNED if dialect == "VRM" else np.ones(3)
    places = {bone: place * facing * size for bone, place in t_pose().items()}
    document = Document()
    nodes: list[dict[str, Any]] = document.json.setdefault("nodes", [])
    world: dict[int, tuple[np.ndarray, np.ndarray]] = {}

    def add(name: str, parent: int | None, place: np.ndarray, turn: np.ndarray) -> int:
        """Add a node whose world place and rotation, except for the root's, are these."""
        above_place, above_turn = world[parent] if parent is not None else (np.zeros(3), IDENTITY)
        back = tf.conjugate(above_turn)
        local = tf.rotate(back, place - above_place)
        rotation = tf.multiply(back, turn)
        node = {"name": name, "translation": local.tolist(), "rotation": rotation.tolist()}
        nodes.append(node)
        index = len(nodes) - 1
        world[index] = (place, turn)
        if parent is not None:
            nodes[parent].setdefault("children", []).append(index)
        return index

    top = None
    if root is not None:
        nodes.append({"name": "root", **root})
        world[0] = (np.zeros(3), IDENTITY)
        top = 0
    found: dict[str, int] = {}
    for bone in present:
        above = nearest_parent(bone, found)
        parent = top if above is None else found[above]
        if rng is not None and rng.random() < between:
            middle = places[bone] * 0.5 + (world[parent][0] if parent is not None else 0) * 0.5
            parent = add(f"{bone} holder", parent, middle, random_rotation(rng))
        turn = IDENTITY if rng is None else random_rotation(rng)
        found[bone] = add(bone, parent, places[bone], turn)
    name_bones(document, found, dialect)
    return document


IDENTITY = np.array([0.0, 0.0, 0.0, 1.0])


def name_bones(document: Document, nodes: Mapping[str, int], dialect: str) -> None:
    """Say which node is which bone, in one of the dialects."""
    content: dict[str, Any]
    entries: Any = {bone: {"node": node} for bone, node in nodes.items()}
    if dialect == "VRM":
        old = {"Metacarpal": "Proximal", "Proximal": "Intermediate", "Distal": "Distal"}
        entries = [
            {
                "bone": _old_thumb(bone, old) if "Thumb" in bone else bone,
                "node": node,
            }
            for bone, node in nodes.items()
        ]
        content = {"humanoid": {"humanBones": entries}}
    else:
        content = {"specVersion": "1.0", "humanoid": {"humanBones": entries}}
    if dialect == "VRMC_vrm":
        content["meta"] = {"name": "n", "authors": ["a"], "licenseUrl": "l"}
    document.json["extensions"] = {dialect: content}
    document.use_extension(dialect)


def _old_thumb(bone: str, old: Mapping[str, str]) -> str:
    for new, name in old.items():
        if bone.endswith(new):
            return bone.removesuffix(new) + name
    return bone


def animate(document: Document, tracks: Iterable[Track], *, name: str = "Motion") -> Document:
    """Add an animation."""
    append_clip(document, Clip(name, tuple(tracks)))
    return document


def wiggle(rng: np.random.Generator, node: int, times: np.ndarray, **options: Any) -> Track:
    """A rotation track with random keys."""
    cubic = options.get("interpolation") == "CUBICSPLINE"
    values = random_rotation(rng, len(times))
    if cubic:
        tangents = rng.standard_normal((2, len(times), 4))
        values = np.stack([tangents[0], values, tangents[1]], axis=1)
    return Track(node, "rotation", times, values, **options)


def posed(places: dict[str, np.ndarray], dialect: str = "VRMC_vrm") -> Humanoid:
    """A humanoid that rests with its bones at these places."""
    document = humanoid(places, dialect=dialect)
    found = Humanoid(document)
    for i, bone in enumerate(found.bones):
        parent = found.parents[i]
        origin = np.zeros(3) if parent < 0 else places[found.bones[parent]]
        document.json["nodes"][found.nodes[i]]["translation"] = (places[bone] - origin).tolist()
    return Humanoid(document)

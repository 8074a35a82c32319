"""A value of a wrong type at every member of a document: read, or refused in one line."""

from __future__ import annotations

import importlib.util
import json
import random
from pathlib import Path

import pytest

from ligament.demo import assets
from tests.sampling import IS_SOAK, sample
from tests.security import wrong_types
from tests.security.documents import documents
from tests.security.wrong_types import VALUES, changed, distinct_places, fault_of

ASSET = {path.stem: str(path) for path in assets()}
SHORT = ["--seconds", "0.05", "--quiet"]

COMMANDS: dict[str, list[str]] = {
    "info": ["info", "IN"],
    "info as JSON": ["info", "IN", "--json"],
    "check": ["check", "IN"],
    "check as SARIF": ["check", "IN", "--format", "sarif"],
    "fix": ["fix", "IN", "-o", "OUT.gltf"],
    "simulate": ["simulate", "IN", "-o", "OUT.npz", "--events", "OUT.json", *SHORT],
    "simulate with MuJoCo": ["simulate", "IN", "-o", "OUT.npz", "--engine", "mujoco", *SHORT],
    "bake": ["bake", "IN", "-o", "OUT.glb", "--strip", *SHORT],
    "bake with overlays": ["bake", "IN", "-o", "OUT.glb", "--overlays", *SHORT],
    "retarget to it": ["retarget", ASSET["wave"], "--to", "IN", "-o", "OUT.glb", "--springs"],
    "retarget it": ["retarget", "IN", "--to", ASSET["avatar"], "-o", "OUT.glb"],
    "retarget it to a motion": ["retarget", "IN", "--to", ASSET["avatar"], "-o", "OUT.vrma"],
    "convert to OMI": ["convert", "IN", "OUT.glb", "--to", "omi"],
    "convert to KHR": ["convert", "IN", "OUT.gltf", "--to", "khr", "--embed"],
    "convert to VRM 1.0": ["convert", "IN", "OUT.vrm", "--to", "vrm-1.0"],
    "normalize": ["convert", "IN", "OUT.vrm", "--normalize"],
    "convert to MJCF": ["convert", "IN", "OUT.xml"],
    "convert to USD": ["convert", "IN", "OUT.usda"],
    "equip with bodies": ["equip", "IN", "-o", "OUT.glb", "--auto", "--ground"],
    "equip with a ragdoll": ["equip", "IN", "-o", "OUT.glb", "--ragdoll"],
    "equip with twist": ["equip", "IN", "-o", "OUT.glb", "--twist"],
    "equip with springs": ["equip", "IN", "-o", "OUT.glb", "--springs"],
    "equip with jointed springs": ["equip", "IN", "-o", "OUT.glb", "--springs-to-bodies"],
    "diff": ["diff", "IN", "WHOLE"],
    "diff of the whole": ["diff", "WHOLE", "IN"],
    "compare": ["compare", "WHOLE", "IN", *SHORT],
    "view": ["view", "IN", "--html", "OUT.html", *SHORT],
}
NEEDS = {"simulate with MuJoCo": "mujoco", "convert to USD": "pxr"}

CASES = distinct_places(documents())

TAIL = ("extensions", "VRMC_springBone", "colliders", 1, "shape", "capsule", "tail")
ENDED_BADLY: list[tuple[str, str, wrong_types.Path, object]] = [
    ("info", "two textures", ("images", 1, "uri"), [[]]),
    ("diff", "two textures", ("textures", 1, "sampler"), {}),
    ("diff", "two materials", ("materials", 0, "name"), [[]]),
    ("diff", "two cameras", ("nodes", 0, "camera"), {}),
    ("bake", "bodies", ("extensionsUsed",), [{}]),
    ("view", "bodies", ("extensionsUsed",), [{}]),
    ("view", "bodies", ("scene",), {}),
    ("retarget to it", "avatar.vrm", ("animations",), [0]),
    *(
        ("check", "OMI of 2023", ("extensions", "OMI_physics_joint", "constraints", 0, name), 1e308)
        for name in ("lowerLimit", "upperLimit")
    ),
    (
        *("bake with overlays", "first KHR"),
        ("extensions", "KHR_rigid_bodies", "physicsJointLimits", 0, "limits", 0, "min"),
        -1e308,
    ),
    (
        *("convert to USD", "camel case MSFT"),
        ("extensions", "MSFT_RigidBodies", "physicsMaterials", 0, "restitution"),
        1e308,
    ),
    (
        *("diff", "KHR_IMPLICIT_SHAPES_DUPLICATE_WEIGHTS.passing.gltf"),
        ("extensions", "KHR_collision_shapes", "shapes", 0, "mesh", "weights", 1),
        -1e308,
    ),
    (
        *("convert to MJCF", "OMI"),
        ("nodes", 0, "extensions", "OMI_physics_body", "motion", "linearVelocity", 2),
        1e308,
    ),
    (
        *("convert to MJCF", "early MSFT"),
        ("nodes", 0, "extensions", "MSFT_physics", "rigidBody", "centerOfMass", 1),
        1e160,
    ),
    (
        *("simulate", "ARRAY_LENGTH_NOT_IN_LIST.passing.gltf"),
        ("nodes", 0, "extensions", "KHR_physics_rigid_bodies", "motion", "centerOfMass", 2),
        1e308,
    ),
    ("bake", "ponytail.vrm", (*TAIL, 1), 1e308),
    ("convert to KHR", "OMI of 2023", ("nodes", 1, "extensions"), 1),
    ("equip with springs", "ponytail.vrm", ("extensions", "VRMC_springBone", "springs"), 1),
]
"""Commands and values that once ended in a traceback."""


@pytest.mark.parametrize(
    ("name", "path"), sample(CASES, 16), ids=lambda each: str(each).replace("/", "|")
)
def test_wrong_types_are_read_or_refused(tmp_path: Path, name: str, path: wrong_types.Path) -> None:
    order = random.Random(f"{name} {path}")
    for command in COMMANDS:
        if importlib.util.find_spec(NEEDS.get(command, "json")):
            for value in order.sample(VALUES, 4 if IS_SOAK else 1):
                require_an_end(tmp_path, command, name, path, value)


@pytest.mark.parametrize("case", ENDED_BADLY, ids=str)
def test_values_that_ended_in_a_traceback(
    tmp_path: Path, case: tuple[str, str, wrong_types.Path, object]
) -> None:
    require_an_end(tmp_path, *case)


def require_an_end(
    folder: Path, command: str, name: str, path: wrong_types.Path, value: object
) -> None:
    """Fail unless a command reads a changed document, or refuses it and leaves nothing."""
    names = {"IN": "in.gltf", "WHOLE": "whole.gltf"}
    (folder / names["WHOLE"]).write_text(json.dumps(documents()[name]))
    (folder / names["IN"]).write_text(json.dumps(changed(documents()[name], path, value)))
    words = [
        str(folder / names.get(word, word.replace("OUT", "out")))
        if word in names or word.startswith("OUT")
        else word
        for word in COMMANDS[command]
    ]
    fault, is_refused = fault_of(words)
    place = "/".join(map(str, path))
    assert not fault, f"{command}: {value!r} at {place} of {name}: {fault}"
    outputs = [each for each in folder.iterdir() if each.name not in names.values()]
    assert not (is_refused and outputs), f"{command}: {value!r} at {place} of {name}: {outputs}"
    for each in outputs:
        each.unlink() if each.is_file() else [*map(Path.unlink, each.iterdir()), each.rmdir()]

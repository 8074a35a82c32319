"""Numbers too large for a double, as some exporters write infinity, are infinity with a warning."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import ligament as lg
from ligament.extensions.physics import read_physics
from ligament.extensions.rigid_bodies import Physics
from ligament.extensions.shapes import Plane
from ligament.gltf.document import Document
from ligament.gltf.load import loads

Json = dict[str, Any]
KHR, SHAPES = "KHR_physics_rigid_bodies", "KHR_implicit_shapes"
BODY, JOINT = "OMI_physics_body", "OMI_physics_joint"
INF, MINUS = "1e99999", "-1e99999"


def text_of(file: Json) -> bytes:
    """Write JSON, with the two strings above as numbers."""
    text = json.dumps({"asset": {"version": "2.0"}, **file})
    return text.replace(f'"{INF}"', INF).replace(f'"{MINUS}"', MINUS).encode()


def khr(limit: Json | None = None, *, motion: Any = None, drive: Any = None, plane: Any = None):
    limits = [{"linearAxes": [0], **(limit or {"min": 0, "max": 0})}]
    push = {"type": "linear", "mode": "force", "axis": 1, "damping": 1, **(drive or {})}
    own = {"motion": {"mass": 1, **(motion or {})}, "collider": {"geometry": {"shape": 1}}}
    shapes = [{"type": "plane", "plane": plane or {}}, {"type": "sphere"}]
    return {
        "extensionsUsed": [KHR, SHAPES],
        "nodes": [
            {"extensions": {KHR: {**own, "joint": {"connectedNode": 1, "joint": 0}}}},
            {"extensions": {KHR: {"collider": {"geometry": {"shape": 0}}}}},
        ],
        "extensions": {
            SHAPES: {"shapes": shapes},
            KHR: {"physicsJoints": [{"limits": limits, "drives": [push]}]},
        },
    }


def omi(limit: Json, drive: Json | None = None) -> Json:
    limits = [{"linearAxes": [0], **limit}]
    push = {"type": "linear", "mode": "force", "axis": 1, "damping": 1, **(drive or {})}
    return {
        "extensionsUsed": [BODY, JOINT],
        "nodes": [
            {
                "children": [2],
                "extensions": {BODY: {"motion": {"type": "dynamic"}}},
            },
            {"extensions": {BODY: {"motion": {"type": "dynamic"}}}},
            {"extensions": {JOINT: {"joint": 0, "connectedNode": 1}}},
        ],
        "extensions": {JOINT: {"physicsJoints": [{"limits": limits, "drives": [push]}]}},
    }


def omi_2023(constraint: Json) -> Json:
    joint = {"nodeA": 0, "nodeB": 1, "constraints": [0]}
    return {
        "extensionsUsed": [BODY, JOINT],
        "nodes": [
            {"extensions": {BODY: {"type": "rigid"}}},
            {"extensions": {BODY: {"type": "rigid"}}},
            {"extensions": {JOINT: joint}},
        ],
        "extensions": {JOINT: {"constraints": [{"linearAxes": [0], **constraint}]}},
    }


def limit_of(physics: Physics) -> Any:
    (joint,) = physics.joints.values()
    return joint.limits[0]


def drive_of(physics: Physics) -> Any:
    (joint,) = physics.joints.values()
    return joint.drives[0]


LIMIT = f"/extensions/{KHR}/physicsJoints/0/limits/0"
MOTION = f"/nodes/0/extensions/{KHR}/motion"
PLANE = f"/extensions/{SHAPES}/shapes/0/plane"
OMI_LIMIT = f"/extensions/{JOINT}/physicsJoints/0/limits/0"
CONSTRAINT = f"/extensions/{JOINT}/constraints/0"

INFINITE = [
    (khr({"min": MINUS, "max": 1}), f"{LIMIT}/min", lambda p: limit_of(p).minimum, -math.inf),
    (khr({"min": 1, "max": INF}), f"{LIMIT}/max", lambda p: limit_of(p).maximum, math.inf),
    (
        khr({"min": 0, "max": 1, "stiffness": INF}),
        f"{LIMIT}/stiffness",
        lambda p: limit_of(p).stiffness,
        math.inf,
    ),
    (
        khr(drive={"maxForce": INF}),
        f"/extensions/{KHR}/physicsJoints/0/drives/0/maxForce",
        lambda p: drive_of(p).max_force,
        math.inf,
    ),
    (khr(motion={"mass": INF}), f"{MOTION}/mass", lambda p: p.motions[0].mass, math.inf),
    (
        khr(motion={"inertiaDiagonal": [1, INF, 1]}),
        f"{MOTION}/inertiaDiagonal/1",
        lambda p: p.motions[0].inertia_diagonal,
        (1, math.inf, 1),
    ),
    (
        khr(plane={"sizeX": INF, "sizeZ": 2}),
        f"{PLANE}/sizeX",
        lambda p: p.colliders[1].geometry,
        Plane(None, 2.0),
    ),
    (omi({"min": MINUS}), f"{OMI_LIMIT}/min", lambda p: limit_of(p).minimum, -math.inf),
    (omi({"max": INF}), f"{OMI_LIMIT}/max", lambda p: limit_of(p).maximum, math.inf),
    (
        omi({"min": 0, "max": 0, "stiffness": MINUS}),
        f"{OMI_LIMIT}/stiffness",
        lambda p: limit_of(p).stiffness,
        math.inf,
    ),
    (
        omi_2023({"stiffness": INF}),
        f"{CONSTRAINT}/stiffness",
        lambda p: limit_of(p).stiffness,
        math.inf,
    ),
    (
        omi_2023({"upperLimit": INF}),
        f"{CONSTRAINT}/upperLimit",
        lambda p: limit_of(p).maximum,
        math.inf,
    ),
]


@pytest.mark.parametrize(("file", "place", "value", "expected"), INFINITE)
def test_where_a_number_may_be_infinite_it_is(
    file: Json, place: str, value: Any, expected: Any
) -> None:
    document = loads(text_of(file))
    physics = read_physics(document)
    assert value(physics) == expected
    reported = [(issue.code, issue.pointer) for issue in lg.check(document)]
    assert ("NUMBER_INFINITE", place) in reported
    assert lg.check(document).ok
    with pytest.warns(lg.LigamentWarning, match=f"{place}: .* read as infinity"):
        lg.simulate(document, seconds=0.05)


@pytest.mark.parametrize(
    ("file", "place"),
    [
        (khr(drive={"stiffness": INF}), f"/extensions/{KHR}/physicsJoints/0/drives/0/stiffness"),
        (khr(motion={"linearVelocity": [INF, 0, 0]}), f"{MOTION}/linearVelocity/0"),
        (khr({"min": INF, "max": 1}), f"{LIMIT}/min"),
        (khr({"min": 0, "max": MINUS}), f"{LIMIT}/max"),
        (khr(motion={"mass": MINUS}), f"{MOTION}/mass"),
    ],
)
def test_where_it_may_not_that_is_an_error_with_its_place(file: Json, place: str) -> None:
    document = loads(text_of(file))
    (error,) = [i for i in lg.check(document) if i.severity == "error"]
    assert (error.code, error.pointer) == ("VALUE_NOT_IN_RANGE", place)
    assert "1e99999" in error.message
    assert "NUMBER_INFINITE" not in {issue.code for issue in lg.check(document)}


def test_a_node_cannot_be_at_infinity() -> None:
    document = loads(text_of({"nodes": [{"translation": [0, INF, 0]}]}))
    (issue,) = lg.check(document)
    assert (issue.severity, issue.pointer) == ("error", "/nodes/0/translation/1")
    with pytest.raises(lg.LigamentError, match=r"/nodes/0/translation: .* single precision"):
        lg.simulate(document)


def test_infinite_numbers_in_extras_are_reported_and_kept() -> None:
    document = loads(text_of({"nodes": [{"extras": {"far": INF}}], "extras": [MINUS]}))
    places = [(i.code, i.severity, i.pointer) for i in lg.check(document)]
    assert places == [
        ("NUMBER_INFINITE", "warning", "/extras/0"),
        ("NUMBER_INFINITE", "warning", "/nodes/0/extras/far"),
    ]


@pytest.mark.parametrize("suffix", [".gltf", ".glb"])
def test_the_spelling_survives_a_save_and_an_edit(suffix: str, tmp_path: Path) -> None:
    text = text_of(khr({"min": "-1e99999", "max": INF}))
    path = tmp_path / f"bounds{suffix}"
    lg.save(loads(text), path)
    assert path.suffix == ".glb" or path.read_bytes() == text
    document: Document = lg.load(path).copy()
    document.json["nodes"][0]["name"] = "edited"
    lg.save(document, path)
    assert path.read_bytes().count(b"1e99999") == 2
    assert limit_of(read_physics(lg.load(path))).maximum == math.inf


def test_other_faults_beside_it_are_still_found() -> None:
    """By the schemas, too, which cannot judge such a number."""
    file = khr({"min": 0, "max": INF})
    file["extensions"][SHAPES]["shapes"][1]["odd"] = 1
    file["extensions"]["VRMC_vrm"] = {"specVersion": 1, "extras": INF}
    file["extensionsUsed"].append("VRMC_vrm")
    found = {(issue.code, issue.pointer) for issue in lg.check(loads(text_of(file)))}
    assert ("UNEXPECTED_PROPERTY", f"/extensions/{SHAPES}/shapes/1/odd") in found
    assert ("TYPE_MISMATCH", "/extensions/VRMC_vrm/specVersion") in found


def test_editing_and_converting_such_a_file() -> None:
    document = loads(text_of(khr({"min": 0, "max": INF})))
    editor = lg.Editor(document.copy())
    editor.add_body(1, mass=1.0)
    editor.ball(0, 1)
    converted = lg.convert(document, to="khr-2024-10")
    assert [loss.what for loss in converted.losses] == []
    assert limit_of(read_physics(converted.document)).maximum == math.inf

"""Plans: every section does what the editor's calls do, and every mistake is one clear error."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

import ligament as lg
from ligament.author.plan import JOINTS, apply_plan, read_plan
from ligament.errors import ContentError, EditError, FileError, FormatError, LigamentError
from ligament.extensions.physics import read_physics
from ligament.extensions.shapes import Box, Capsule, Plane, Sphere
from ligament.extensions.vrmc_node_constraint import read_constraints
from ligament.physics.naming import friendly_name
from tests.author.bare import Bare

WHOLE = """
[materials.rubber]
friction = 0.9
restitution = 0.6

[filters.doors]
systems = ["doors"]
not_collide_with = ["walls"]

[[node]]
name = "Sensor"
parent = "Frame"
translation = [0, 1, 0]

[[collider]]
node = "Frame"
shape = "box"
size = [0.1, 2.1, 0.1]
filter = "doors"

[[collider]]
node = "Ground"
shape = "plane"

[[body]]
node = "Door"
mass = 25
collider = "box"
material = "rubber"
angular_velocity = [0, 2.5, 0]

[[body]]
node = "Ball"
collider = { shape = "sphere", radius = 0.3 }

[[trigger]]
node = "Sensor"
shape = "capsule"
height = 1
radius = 0.2

[[joint]]
type = "hinge"
a = "Frame"
b = "Door"
at = [-0.5, 1, 0]
axis = "y"
limits = [-100, 100]
motor = { target = 0, stiffness = 12, damping = 3, mode = "force" }

[[joint]]
type = "distance"
a = "Ball"
at = "Ball"
to = [4, 3, 0]
max = 2.5

[[constraint]]
node = "Arrow"
kind = "aim"
source = "Ball"
axis = "PositiveZ"
"""


def bare_door() -> lg.Document:
    bare = Bare()
    mesh = bare.box()
    for i, name in enumerate(("Ground", "Frame", "Door", "Ball", "Arrow")):
        bare.node(name, mesh=mesh, translation=[2.0 * i - 2, 1, 0])
    bare.node("Ghost", mesh=bare.points())
    return bare.document


def applied(text: str) -> lg.Document:
    editor = lg.Editor(bare_door())
    apply_plan(editor, tomllib.loads(text), file=Path("plan.toml"))
    return editor.document


def test_a_plan_with_everything() -> None:
    document = applied(WHOLE)
    assert not lg.check(document).has("warning")
    physics = read_physics(document)
    shapes = {node: collider.geometry for node, collider in physics.colliders.items()}
    assert shapes == {0: Plane(), 1: Box((0.1, 2.1, 0.1)), 2: Box((1, 1, 1)), 3: Sphere(0.3)}
    assert physics.motions[2].angular_velocity == (0, 2.5, 0)
    rubber = physics.colliders[2].material
    assert rubber is not None
    assert (rubber.static_friction, rubber.restitution) == (0.9, 0.6)
    doors = physics.colliders[1].filter
    assert doors is not None
    assert doors.not_collide_with == {"walls"}
    assert physics.triggers[6].geometry == Capsule(1, 0.2, 0.2)
    names = [friendly_name(joint.limits, joint.drives) for joint in physics.joints.values()]
    assert names == ["hinge (limited, motor)", "rope"]
    assert [c.destination for c in read_constraints(document)] == [4]


@pytest.mark.parametrize("kind", JOINTS)
def test_every_joint_is_a_call_of_the_editor(kind: str) -> None:
    options: dict[str, dict[str, Any]] = {
        "cone_twist": {"swing": 30},
        "distance": {"max": 9.0},
        "spring": {"stiffness": 10},
        "motor": {"speed": 10},
    }
    plan = {
        "body": [{"node": "Door", "mass": 1}],
        "joint": [{"type": kind, "a": "Frame", "b": "Door", **options.get(kind, {})}],
    }
    editor, by_hand = lg.Editor(bare_door()), lg.Editor(bare_door())
    apply_plan(editor, plan)
    by_hand.add_body("Door", mass=1)
    getattr(by_hand, kind)("Frame", "Door", **options.get(kind, {}))
    assert editor.document.json == by_hand.document.json


WRONG = {
    "section": ("[[bodies]]\nnode = 1", "/bodies: a plan has no 'bodies'; did you mean 'body'?"),
    "key": (
        '[[body]]\nnode = "Door"\nmas = 1',
        "/body/0/mas: body has no 'mas'; did you mean 'mass'",
    ),
    "joint key": (
        '[[joint]]\ntype = "hinge"\na = "Frame"\naxs = "y"',
        "/joint/0/axs: joint has no 'axs'; did you mean 'axis'",
    ),
    "joint type": ('[[joint]]\ntype = "hing"\na = "Door"', "did you mean 'hinge'"),
    "no joint type": ('[[joint]]\na = "Door"', "the type is missing; use one of fixed"),
    "no node": ("[[body]]\nmass = 1", "/body/0: node is missing; give node"),
    "node": ('[[body]]\nnode = "Dor"\nmass = 1', "/body/0: there is no node with the name 'Dor'"),
    "material": (
        '[materials.rubber]\n[[collider]]\nnode = "Door"\nmaterial = "ruber"',
        "/collider/0/material: unknown material 'ruber'; did you mean 'rubber'",
    ),
    "measure": (
        '[[collider]]\nnode = "Door"\nshape = "box"\nradius = 1',
        "a box has no 'radius'",
    ),
    "missing measure": (
        '[[collider]]\nnode = "Door"\nshape = "capsule"\nradius = 1',
        "the capsule has no height; give height",
    ),
    "mesh without triangles": (
        '[[collider]]\nnode = "Ghost"\nshape = "mesh"',
        "/collider/0: the mesh has points or lines",
    ),
    "not a table": ("body = 3", "write [[body]]"),
    "no table in it": ("body = [3]", "it must be a table"),
    "motor key": (
        'body = [{node = "Door", mass = 1}]\njoint = [{type = "hinge", a = 2, motor = {sped = 1}}]',
        "did you mean 'speed'",
    ),
    "bone": ('[humanoid.bones]\nhip = "Door"', "did you mean 'hips'"),
}


@pytest.mark.parametrize("case", WRONG)
def test_mistakes_are_reported_with_their_place(case: str) -> None:
    text, words = WRONG[case]
    with pytest.raises((ContentError, EditError)) as caught:
        applied(text)
    assert words in str(caught.value)
    assert str(caught.value).startswith("plan.toml: /")


def test_files_that_are_no_plans(tmp_path: Path) -> None:
    def fault_of(content: bytes | None) -> LigamentError:
        path = tmp_path / "plan.toml"
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(LigamentError) as caught:
            read_plan(path)
        return caught.value

    assert isinstance(fault_of(None), FileError)
    assert isinstance(fault_of(b"\xff\xfe"), FormatError)
    assert "line 1" in str(fault_of(b"[[body]"))

"""Properties in the panel: complete, and nothing in a file becomes markup."""

import math

import ligament as lg
from ligament.checker import Issue
from ligament.demo import assets
from ligament.extensions.rigid_bodies import Limit
from ligament.physics.shapes import Box, Capsule, Cylinder, Plane, Sphere
from ligament.play import Simulation
from ligament.viewer.properties import as_html, limit_name, node_of, properties, shape_name
from tests.viewer.files import red_box

ASSETS = {path.name: path for path in assets()}
EVIL = "</td><script>alert(1)</script>{alert(2)}<img src=x onerror=alert(3)>"


def test_a_body_shows_its_mass_and_shape() -> None:
    rows = dict(properties(Simulation(red_box()), 1))
    assert rows["node"] == "1"
    assert rows["name"] == "Red <b>box</b>"
    assert rows["body"] == "dynamic"
    assert rows["mass"] == "2 kg"
    assert rows["collider"] == "box, 1 x 1 x 1 m"
    assert rows["friction"] == "0.6, sliding 0.6"


def test_a_joint_shows_its_friendly_name_and_its_ends() -> None:
    sim = Simulation(lg.load(ASSETS["door.glb"]))
    rows = properties(sim, sim.scene.joints[0].node)
    assert ("joint", "hinge (limited, motor)") in rows
    door = sim.stage.tree.names.index("Door")
    assert ("with", f"'Door' (node {door})") in rows
    assert ("limit", "about Y: -100° to 100°") in rows
    assert ("drive", "about Y") in rows


def test_a_constraint_shows_what_it_follows() -> None:
    sim = Simulation(lg.load(ASSETS["avatar.vrm"]))
    constraint = sim.stage.constraints.constraints[0]
    rows = dict(properties(sim, constraint.destination))
    assert rows["constraint"].startswith(constraint.kind)
    assert rows["follows"] == sim.stage.tree.label(constraint.source)


def test_findings_of_the_checker_stand_with_their_node() -> None:
    sim = Simulation(red_box())
    issues = [
        Issue("ONE", "error", "/nodes/1/extensions/X", "bad"),
        Issue("OTHER", "error", "/nodes/10", "elsewhere"),
        Issue("WHOLE", "warning", "/nodes/1", "odd"),
    ]
    rows = properties(sim, 1, issues)
    assert rows[-2:] == [("error", "ONE: bad"), ("warning", "WHOLE: odd")]
    assert node_of(issues[1]) == 10
    assert node_of(Issue("FILE", "error", "/asset", "odd")) is None


def test_names_never_become_markup() -> None:
    document = red_box()
    document.json["nodes"][1]["name"] = EVIL
    page = as_html(properties(Simulation(document), 1))
    assert "<script" not in page
    assert "<img" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert as_html([(EVIL, "")]).count("<td") == 2


def test_limits_and_shapes_are_described_in_words() -> None:
    assert limit_name(Limit(linear_axes=(0,), minimum=0.0)) == "along X: 0 m to infinity"
    soft = Limit(angular_axes=(0, 1), minimum=0.0, maximum=math.pi / 2, stiffness=5.0)
    assert limit_name(soft) == "about XY: 0° to 90°, spring 5"
    assert shape_name(Sphere(0.5)) == "ball, radius 0.5 m"
    assert shape_name(Box((1, 2, 3))) == "box, 1 x 2 x 3 m"
    assert shape_name(Capsule(1, 0.2, 0.3)).startswith("capsule")
    assert shape_name(Cylinder(1, 0.2, 0.3)).startswith("cylinder")
    assert shape_name(Plane()) == "plane"

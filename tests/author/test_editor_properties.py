"""Random sequences of calls: what is refused changes nothing, what is written is right."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import ligament as lg
from ligament.author.diff import diff
from ligament.errors import ArgumentError, EditError
from ligament.extensions.physics import read_physics
from ligament.extensions.rigid_bodies import CollisionFilter, Drive, Limit, Material
from ligament.extensions.shapes import Box, Capsule, Cylinder, Plane, Sphere
from ligament.gltf import jsontext, references
from ligament.physics.naming import friendly_name
from tests.author.bare import Bare

NODES = 8

SIZES = st.sampled_from([0.1, 0.25, 0.5, 1.0])
POINTS = st.tuples(*[st.sampled_from([-1.0, -0.3, 0.0, 0.4, 2.0])] * 3)
AXES = st.sampled_from(["x", "y", "-z", (1, 1, 0), (0.2, -0.5, 0.4), "X", (0, 0, 0), "w"])
NAMES = st.sampled_from([f"N{i}" for i in range(NODES)])
ODD = st.one_of(st.integers(-1, NODES + 6), st.sampled_from(["Nowhere", None, 1.5]))
ADDED = st.integers(NODES, NODES + 9)
"""Nodes that calls before have added: the frames of joints, mostly."""

REFS = st.one_of(NAMES, NAMES, NAMES, NAMES, NAMES, ODD)
SHAPES = st.one_of(
    st.builds(Sphere, SIZES),
    st.builds(Box, st.tuples(SIZES, SIZES, SIZES)),
    st.builds(Capsule, SIZES, SIZES, SIZES),
    st.builds(Cylinder, SIZES, SIZES, st.sampled_from([0.0, 0.3])),
    st.builds(Plane, st.none(), st.sampled_from([None, 2.0])),
    st.sampled_from(
        [
            "mesh",
            "hull",
            "box",
            "sphere",
            "capsule",
            "cylinder",
            "auto",
            "blob",
            Sphere(0.0),
            Box((1, 1, -1)),
        ]
    ),
)
MATERIALS = st.one_of(
    st.none(),
    st.builds(Material, st.sampled_from([0.1, 0.9]), st.just(0.4), st.sampled_from([0.0, 0.5])),
    st.just(Material(-1.0)),
)
FILTERS = st.one_of(
    st.none(),
    st.just(CollisionFilter(frozenset({"a"}))),
    st.just(CollisionFilter(frozenset({"b"}), not_collide_with=frozenset({"a"}))),
    st.just(CollisionFilter(frozenset({"b"}), frozenset({"a"}), frozenset({"b"}))),
)
BOUNDS = st.sampled_from(
    [None, None, (-30, 45), (0, 90), (-0.5, 0.5), (None, 60), (10, 20), (5, -5), (0, 0), "wide"]
)
ATS = st.one_of(st.none(), POINTS, st.just("contact"), NAMES)
OTHERS = st.one_of(st.sampled_from([None, "world"]), NAMES, NAMES, REFS)


def call(method: str, *arguments: Any, **options: Any) -> st.SearchStrategy[Any]:
    def build(drawn: tuple[Any, ...]) -> tuple[str, tuple[Any, ...], dict[str, Any]]:
        chosen = dict(zip(options, drawn[len(arguments) :], strict=True))
        return method, drawn[: len(arguments)], chosen

    return st.tuples(*arguments, *options.values()).map(build)


JOINING = {"at": ATS, "enable_collision": st.booleans()}
CALLS = st.one_of(
    call(
        "add_body",
        REFS,
        kind=st.sampled_from(["dynamic", "dynamic", "kinematic", "static", "solid"]),
        mass=st.sampled_from([None, 1.0, 20.0, math.inf, 0.0]),
        linear_velocity=st.one_of(st.none(), POINTS),
        center_of_mass=st.one_of(st.none(), POINTS),
        collider=st.one_of(st.none(), SHAPES),
    ),
    call("add_collider", REFS, SHAPES, material=MATERIALS, filter=FILTERS),
    call("add_collider", REFS, SHAPES, translation=POINTS),
    call("add_trigger", REFS, SHAPES, filter=FILTERS),
    call("add_trigger", REFS, nodes=st.lists(REFS, min_size=1, max_size=2)),
    call("add_material", friction=st.sampled_from([0.2, -1.0])),
    call("add_filter", st.sampled_from([["a"], [], "ab"])),
    call("fixed", REFS, OTHERS, **JOINING),
    call("ball", REFS, OTHERS, limit=st.sampled_from([None, 30, 200]), **JOINING),
    call("hinge", REFS, OTHERS, axis=AXES, limits=BOUNDS, **JOINING),
    call("slider", REFS, OTHERS, axis=AXES, limits=BOUNDS, **JOINING),
    call("universal", REFS, OTHERS, axis=AXES, swing=st.sampled_from([None, 20, 0]), **JOINING),
    call("cone_twist", REFS, OTHERS, axis=AXES, swing=st.just(30), twist=BOUNDS, **JOINING),
    call("distance", REFS, OTHERS, at=ATS, to=ATS, max=st.sampled_from([None, 1.0, 9.0])),
    call("spring", REFS, OTHERS, at=ATS, to=ATS, stiffness=st.sampled_from([50.0, 0.0])),
    call("six_axis", REFS, OTHERS, x=st.sampled_from(["free", "locked", "loose"]), turn_z=BOUNDS),
    call("motor", REFS, OTHERS, speed=st.sampled_from([30, None]), axis=AXES, at=ATS),
    call(
        "add_joint",
        REFS,
        OTHERS,
        limits=st.sampled_from(
            [[], [Limit(linear_axes=(0, 1))], [Limit()], [Limit(angular_axes=(2,), maximum=1.0)]]
        ),
    ),
    call(
        "add_drive",
        ADDED,
        st.sampled_from(
            [
                Drive(type="angular", mode="force", axis=1, damping=1.0),
                Drive(type="linear", mode="acceleration", axis=0, stiffness=5.0, max_force=3.0),
                Drive(type="linear", mode="force", axis=0),
            ]
        ),
    ),
    call(
        "add_constraint",
        REFS,
        st.sampled_from(["roll", "aim", "rotation"]),
        REFS,
        axis=st.sampled_from([None, "X", "PositiveZ"]),
        weight=st.sampled_from([1.0, 0.5, 0.0]),
    ),
    call("add_constraint", NAMES, st.just("rotation"), NAMES),
    call("remove_body", REFS, cascade=st.booleans()),
    call("remove_collider", REFS, below=st.booleans(), cascade=st.booleans()),
    call("remove_trigger", REFS, cascade=st.booleans()),
    call("remove_joint", ADDED),
    call("remove_drive", ADDED, st.sampled_from(["angular", "linear"]), st.integers(0, 2)),
    call("remove_constraint", NAMES),
    call("add_node", st.sampled_from(["Extra", ""]), parent=st.one_of(st.none(), REFS)),
)

TURNS = st.sampled_from([[0, 0, 0, 1], [0.6, 0, 0, 0.8], [0, -0.28, 0, 0.96], [0.5, 0.5, 0.5, 0.5]])
SCALES = st.sampled_from([[1, 1, 1], [1, 1, 1], [2, 2, 2], [0.5, 1.5, 1], [-1, 1, 1]])


@st.composite
def documents(draw: Callable[..., Any]) -> lg.Document:
    """Nodes in a random tree, turned and scaled, most of them with a mesh."""
    bare = Bare()
    meshes = [bare.box(), bare.box((0.4, 0.2, 0.1), (0.3, 0, 0)), bare.points()]
    for i in range(NODES):
        members: dict[str, Any] = {
            "translation": list(draw(POINTS)),
            "rotation": draw(TURNS),
            "scale": draw(SCALES),
        }
        mesh = draw(st.sampled_from([*meshes, meshes[0], None]))
        if mesh is not None:
            members["mesh"] = mesh
        parent = draw(st.sampled_from([None, None, *range(i)]))
        bare.node(f"N{i}", parent=parent, **members)
    return bare.document


@given(documents(), st.sets(NAMES), st.lists(CALLS, min_size=1, max_size=25))
def test_any_sequence_of_calls(document: lg.Document, bodies: set[str], calls: list[Any]) -> None:
    editor = edited(document, bodies)
    for method, arguments, options in calls:
        before = jsontext.clone(document.json)
        fault = refusal(editor, method, arguments, options)
        if fault is not None:
            assert fault.remedy
            assert document.json == before, (method, arguments, options)
    assert_sound(document)


def refusal(
    editor: lg.Editor, method: str, arguments: Any, options: Any
) -> EditError | ArgumentError | None:
    try:
        getattr(editor, method)(*arguments, **options)
    except (EditError, ArgumentError) as fault:
        return fault
    return None


def edited(document: lg.Document, bodies: set[str]) -> lg.Editor:
    """An editor whose document has some bodies already, so that joints find something to hold."""
    editor = lg.Editor(document)
    for name in sorted(bodies):
        editor.add_body(name, mass=2.0)
    return editor


def assert_sound(document: lg.Document) -> None:
    """Assert that nothing is wrong but the scales that the document had before."""
    report = lg.check(document)
    wrong = {issue.code for issue in report if issue.severity in ("error", "warning")}
    assert wrong <= {"PHYSICS_BODY_DEFORMED", "PHYSICS_FRAME_SHEARED"}, report
    physics = read_physics(document)
    assert physics.findings == ()
    assert references.unknown_extensions(document) == {}
    for kind, used in (("physicsJoints", physics.joints), ("shapes", physics.colliders)):
        assert used or not arrays_of(document, kind) or physics.triggers
    sim = lg.Simulation(document)
    for _ in range(3):
        sim.step()
    assert np.isfinite(sim.translation).all()


def arrays_of(document: lg.Document, kind: str) -> list[Any]:
    owners = (
        document.extension(name) or {}
        for name in ("KHR_physics_rigid_bodies", "KHR_implicit_shapes")
    )
    return [element for owner in owners for element in owner.get(kind, [])]


def test_edited_documents_load_as_the_same_scene(tmp_path: Path) -> None:
    @given(documents(), st.sets(NAMES), st.lists(CALLS, min_size=5, max_size=25))
    def run(document: lg.Document, bodies: set[str], calls: list[Any]) -> None:
        editor = edited(document, bodies)
        for method, arguments, options in calls:
            refusal(editor, method, arguments, options)
        physics = read_physics(document)
        lg.save(document, tmp_path / "written.glb")
        again = lg.load(tmp_path / "written.glb")
        assert read_physics(again) == physics
        assert diff(document, again).equal
        for name in ("KHR_physics_rigid_bodies", "KHR_implicit_shapes", "VRMC_node_constraint"):
            listed = name in again.json.get("extensionsUsed", [])
            assert listed == (f'"{name}":' in jsontext.encode(again.json).decode())

    run()


# --- joints do what their names say, wherever they are ---

DIRECTIONS = st.sampled_from(["x", "y", "-z", (1, 1, 0), (0.2, -0.5, 0.4)])
RANGES = st.sampled_from([None, (-30, 45), (0, 90), (-0.5, 0.5), (None, 60)])
WAYS: dict[str, tuple[st.SearchStrategy[dict[str, Any]], str]] = {
    "fixed": (st.just({}), "fixed"),
    "ball": (st.fixed_dictionaries({"limit": st.sampled_from([None, 30, 90])}), "ball"),
    "hinge": (st.fixed_dictionaries({"axis": DIRECTIONS, "limits": RANGES}), "hinge"),
    "slider": (st.fixed_dictionaries({"axis": DIRECTIONS, "limits": RANGES}), "slider"),
    "universal": (st.fixed_dictionaries({"axis": DIRECTIONS}), "universal"),
    "cone_twist": (
        st.fixed_dictionaries({"axis": DIRECTIONS, "swing": st.just(40), "twist": RANGES}),
        "cone-twist",
    ),
    "distance": (st.fixed_dictionaries({"max": st.just(9.0), "to": POINTS}), "rope"),
    "spring": (st.fixed_dictionaries({"stiffness": st.just(200.0), "to": POINTS}), "spring"),
    "six_axis": (
        st.fixed_dictionaries({"turn_y": st.sampled_from(["free", (-30, 45)])}),
        "",
    ),
    "motor": (st.fixed_dictionaries({"speed": st.sampled_from([30, -90])}), "hinge (motor"),
}
HELD = 2e-3
"""Largest violation [m, rad] of rigid limits by bodies thrown at some metres a second."""


@given(
    documents(),
    st.sampled_from(sorted(WAYS)).flatmap(lambda w: st.tuples(st.just(w), WAYS[w][0])),
    st.tuples(NAMES, st.one_of(st.sampled_from([None, "world"]), NAMES, NAMES)),
    st.one_of(st.none(), POINTS, NAMES),
    POINTS,
)
def test_a_joint_holds_as_its_name_says(
    document: lg.Document,
    joint: tuple[str, dict[str, Any]],
    ends: tuple[str, Any],
    at: Any,
    push: tuple[float, float, float],
) -> None:
    (kind, options), (a, b) = joint, ends
    editor = lg.Editor(document)
    moments = {"mass": 2.0, "inertia_diagonal": (0.3, 0.4, 0.5)}
    for name in {a, b} & {f"N{i}" for i in range(NODES)}:
        editor.add_body(name, **moments, linear_velocity=push, angular_velocity=push[::-1])
    if refusal(editor, kind, (a, b), options | {"at": at}) is not None:
        return
    ((node, written),) = read_physics(document).joints.items()
    named = friendly_name(written.limits, written.drives)
    assert named.startswith(WAYS[kind][1]), (node, named)
    recording = lg.simulate(document, seconds=0.5, gravity=(0, 0, 0), substeps=4)
    assert np.isfinite(recording.translation).all()
    for limit in recording.limits:
        if math.isinf(written.limits[limit.index].stiffness):
            assert limit.violation.max() < HELD, (limit.axes, named)

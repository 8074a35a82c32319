"""Joints by name, pushed in every direction: free ways move as without a joint, others do not.

All pushes are constant and act at the place of the joint, without gravity, on a cube of 1 kg and
1 m (moment of inertia 1/6 kg m²): after t seconds it has moved by F t² / 2 m and turned by
T t² / 2 I where it is free.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament import transforms as tf
from ligament.extensions.physics import read_physics
from ligament.extensions.shapes import Box
from ligament.physics.naming import friendly_name
from tests.author.bare import Bare
from tests.sampling import sample

SECONDS, RATE = 0.5, 60
FORCE, TORQUE = 1.0, 0.1
FREE_MOVE = FORCE * SECONDS**2 / 2
FREE_TURN = TORQUE * SECONDS**2 / 2 * 6

LOCKED = 1e-3
"""Largest motion of a locked axis [m, rad]: a hundredth of its free motion."""

WITHIN = 0.05
"""Free motion is that of the closed form but for the first step and the coupling of axes."""

PLACE = np.array([0.3, 1.2, -0.4])
TURNS = {
    "straight": np.array([0.0, 0.0, 0.0, 1.0]),
    "slanted": np.asarray(tf.normalize(np.array([0.3, -0.2, 0.5, 0.8]))),
}

Join = Callable[[lg.Editor, dict[str, Any]], int]
CASES: dict[str, tuple[Join, str, set[int], set[int]]] = {
    "fixed": (lambda e, o: e.fixed("Base", "Cube", at=o["at"]), "fixed", set(), set()),
    "ball": (lambda e, o: e.ball("Base", "Cube", at=o["at"]), "ball", set(), {0, 1, 2}),
    "hinge": (lambda e, o: e.hinge("Base", "Cube", **o), "hinge", set(), {1}),
    "hinge with limits": (
        lambda e, o: e.hinge("Base", "Cube", limits=(-45, 45), **o),
        "hinge (limited)",
        set(),
        {1},
    ),
    "slider": (lambda e, o: e.slider("Base", "Cube", **o), "slider", {1}, set()),
    "universal": (lambda e, o: e.universal("Base", "Cube", **o), "universal", set(), {0, 2}),
    "cone_twist": (
        lambda e, o: e.cone_twist("Base", "Cube", swing=40, twist=(-30, 30), **o),
        "cone-twist",
        set(),
        {0, 1, 2},
    ),
    "six_axis": (
        lambda e, o: e.six_axis(
            "Base",
            "Cube",
            at=o["at"],
            y="free",
            turn_y=(-60, 60),
            turn_z="free",
            rotation=o["turn"],
        ),
        "six-axis (limited)",
        {1},
        {1, 2},
    ),
}


UNEVEN = {"PHYSICS_FRAME_SHEARED"}
"""What `check` says of a joint frame below the stand of `bench`."""


def bench(turn: np.ndarray, *, offset: float = 0.0) -> lg.Document:
    """A base below a turned and unevenly scaled node, and a cube below a scaled one."""
    bare = Bare()
    stand = bare.node("Stand", translation=[0, 1, 0], rotation=[0, 0.6, 0, 0.8], scale=[2, 1, 0.5])
    bare.node("Base", parent=stand, translation=[0.2, 0.1, 0.3], rotation=[0.6, 0, 0, 0.8])
    holder = bare.node("Holder", scale=[2, 2, 2])
    place = PLACE + np.asarray(tf.rotate(turn, np.array([0.0, offset, 0.0])))
    bare.node("Cube", parent=holder, translation=(place / 2).tolist(), rotation=turn.tolist())
    return bare.document


def prepared(turn: np.ndarray, *, offset: float = 0.0) -> lg.Editor:
    editor = lg.Editor(bench(turn, offset=offset))
    editor.add_body("Cube", mass=1, inertia_diagonal=(1 / 6, 1 / 6, 1 / 6))
    editor.add_collider("Cube", Box((0.1, 0.1, 0.1)))
    return editor


def remarks(document: lg.Document) -> set[str]:
    """Return the codes of errors and warnings."""
    return {issue.code for issue in lg.check(document) if issue.severity in ("error", "warning")}


def moved(
    document: lg.Document,
    turn: np.ndarray,
    *,
    force: np.ndarray | None = None,
    torque: np.ndarray | None = None,
    seconds: float = SECONDS,
) -> tuple[np.ndarray, np.ndarray]:
    """Push along the axes of the joint; returns how far the cube moved and turned along them."""
    sim = lg.Simulation(document, rate=RATE, gravity=(0, 0, 0))
    start = sim.translation[0], sim.rotation[0]
    for _ in range(round(seconds * RATE)):
        if force is not None:
            sim.apply_force("Cube", tf.rotate(turn, force))
        if torque is not None:
            sim.apply_torque("Cube", tf.rotate(turn, torque))
        sim.step()
    back = tf.conjugate(turn)
    far = tf.multiply(sim.rotation[0], tf.conjugate(start[1]))
    return (
        np.asarray(tf.rotate(back, sim.translation[0] - start[0])),
        np.asarray(tf.rotate(back, tf.log(far))),
    )


@pytest.mark.parametrize("turn", TURNS.values(), ids=TURNS)
@pytest.mark.parametrize("case", CASES)
def test_six_degrees_of_freedom(case: str, turn: np.ndarray) -> None:
    join, name, moves, turns = CASES[case]
    editor = prepared(turn)
    axis = tf.rotate(turn, np.array([0.0, 1.0, 0.0])).tolist()
    options = {"at": PLACE.tolist(), "axis": axis}
    if case == "six_axis":
        options["turn"] = turn.tolist()
    node = join(editor, options)
    joint = read_physics(editor.document).joints[node]
    assert friendly_name(joint.limits, joint.drives) == name
    assert remarks(editor.document) == UNEVEN
    for index in range(3):
        for sign in (1.0, -1.0):
            along = sign * np.eye(3)[index]
            shift, _ = moved(editor.document, turn, force=FORCE * along)
            assert_moves(shift, sign * FREE_MOVE * np.eye(3)[index], index in moves)
            _, twist = moved(editor.document, turn, torque=TORQUE * along)
            assert_moves(twist, sign * FREE_TURN * np.eye(3)[index], index in turns)


def assert_moves(found: np.ndarray, expected: np.ndarray, is_free: bool) -> None:
    if is_free:
        np.testing.assert_allclose(found, expected, atol=WITHIN * np.abs(expected).max())
    else:
        np.testing.assert_allclose(found, 0, atol=LOCKED)


def tied(turn: np.ndarray, tie: Callable[[lg.Editor, dict[str, Any]], int]) -> lg.Document:
    """A cube one metre from PLACE along the second axis of `turn`, tied to that point."""
    editor = prepared(turn, offset=1.0)
    tie(editor, {"at": PLACE.tolist(), "to": "Cube"})
    assert remarks(editor.document) == UNEVEN
    return editor.document


@pytest.mark.parametrize("turn", TURNS.values(), ids=TURNS)
@pytest.mark.parametrize(
    ("least", "pulls", "name"), [(None, {1}, "rope"), (1.0, {1, -1}, "distance")]
)
def test_ropes_hold_one_way_and_rods_both(
    turn: np.ndarray, least: float | None, pulls: set[int], name: str
) -> None:
    document = tied(turn, lambda e, o: e.distance("Base", "Cube", min=least, max=1.0, **o))
    (joint,) = read_physics(document).joints.values()
    assert friendly_name(joint.limits) == name
    for index in range(3):
        for sign in (1, -1):
            along = sign * np.eye(3)[index]
            shift, _ = moved(document, turn, force=FORCE * along)
            length = np.linalg.norm(shift + np.eye(3)[1])
            assert length <= 1 + LOCKED
            if index == 1:
                assert_moves(shift, FREE_MOVE * along, sign not in pulls)
            else:  # sideways it goes around PLACE, as freely as a straight way is near the arc
                assert shift[index] == pytest.approx(sign * FREE_MOVE, rel=WITHIN)
            _, twist = moved(document, turn, torque=TORQUE * along)
            assert_moves(twist, FREE_TURN * along, is_free=True)


@pytest.mark.parametrize("turn", TURNS.values(), ids=TURNS)
def test_springs_give_by_force_over_stiffness(turn: np.ndarray) -> None:
    def tie(editor: lg.Editor, options: dict[str, Any]) -> int:
        return editor.spring("Base", "Cube", stiffness=100, damping=20, **options)

    document = tied(turn, tie)
    (joint,) = read_physics(document).joints.values()
    assert friendly_name(joint.limits) == "spring"
    for index in range(3):
        for sign in (1.0, -1.0):
            along = sign * np.eye(3)[index]
            if index == 1:  # along the spring it comes to rest where both forces are equal
                shift, _ = moved(document, turn, force=FORCE * along, seconds=2.0)
                np.testing.assert_allclose(shift, FORCE * along / 100, atol=2e-4)
            else:  # sideways it goes around PLACE
                shift, _ = moved(document, turn, force=FORCE * along)
                assert shift[index] == pytest.approx(sign * FREE_MOVE, rel=WITHIN)
            _, twist = moved(document, turn, torque=TORQUE * along)
            assert_moves(twist, FREE_TURN * along, is_free=True)


@pytest.mark.parametrize("turn", sample(TURNS.values(), 1), ids=sample(TURNS, 1))
def test_motors_reach_their_speed_and_hold_their_target(turn: np.ndarray) -> None:
    options = {"at": PLACE.tolist(), "axis": tf.rotate(turn, np.array([0.0, 1.0, 0.0])).tolist()}
    cases: list[tuple[dict[str, Any], str, int, float]] = [
        # A motor lags behind by its speed over the rate of its gain, 20 / s.
        ({"speed": 90}, "hinge (motor)", 1, np.radians(90 * (1 - 1 / 20))),
        ({"target": -30}, "hinge (motor)", 1, np.radians(-30)),
        ({"target": 30, "limits": (-40, 40)}, "hinge (limited, motor)", 1, np.radians(30)),
        ({"on": "slider", "speed": -0.5}, "slider (motor)", 0, -0.5 * (1 - 1 / 20)),
        ({"on": "slider", "target": 0.2}, "slider (motor)", 0, 0.2),
    ]
    for motor, name, kind, value in cases:
        editor = prepared(turn)
        node = editor.motor("Base", "Cube", **motor, **options)
        joint = read_physics(editor.document).joints[node]
        assert friendly_name(joint.limits, joint.drives) == name
        for index in range(3):
            push = 0.01 * np.eye(3)[index]  # too weak to turn the motor away from its aim
            found = moved(editor.document, turn, force=push, torque=push, seconds=1.0)
            expected = np.zeros((2, 3))
            expected[kind, 1] = value
            np.testing.assert_allclose(found, expected, atol=0.01)


@pytest.mark.parametrize("turn", TURNS.values(), ids=TURNS)
def test_bounds_stop_where_they_say(turn: np.ndarray) -> None:
    options = {"at": PLACE.tolist(), "axis": tf.rotate(turn, np.array([0.0, 1.0, 0.0])).tolist()}
    up, across, slant = np.eye(3)[1], np.array([0.6, 0, 0.8]), np.array([0.48, 0.6, 0.64])
    cases: list[tuple[Callable[[lg.Editor], int], np.ndarray, float]] = [
        (lambda e: e.hinge("Base", "Cube", limits=(-10, 20), **options), up, 20),
        (lambda e: e.hinge("Base", "Cube", limits=(-10, 20), **options), -up, 10),
        (lambda e: e.hinge("Cube", limits=(-10, 20), **options), up, 20),
        (lambda e: e.hinge("Cube", "world", limits=(-10, 20), **options), -up, 10),
        (lambda e: e.universal("Base", "Cube", swing=15, **options), across, 15),
        (lambda e: e.cone_twist("Base", "Cube", swing=15, twist=(-5, 9), **options), up, 9),
        (lambda e: e.cone_twist("Base", "Cube", swing=15, **options), -across, 15),
        (lambda e: e.ball("Base", "Cube", at=options["at"], limit=25), slant, 25),
    ]
    for join, along, degrees in cases:
        editor = prepared(turn)
        join(editor)
        shift, twist = moved(editor.document, turn, torque=TORQUE * along, seconds=3.0)
        # The engine keeps hard limits to a tenth of a degree under this torque.
        np.testing.assert_allclose(twist, np.radians(degrees) * along, atol=np.radians(0.1))
        np.testing.assert_allclose(shift, 0, atol=LOCKED)
    for limits, sign, value in (((-0.1, 0.2), 1, 0.2), ((-0.1, 0.2), -1, -0.1)):
        editor = prepared(turn)
        editor.slider("Base", "Cube", limits=limits, **options)
        shift, _ = moved(editor.document, turn, force=sign * np.eye(3)[1], seconds=2.0)
        np.testing.assert_allclose(shift, value * np.eye(3)[1], atol=LOCKED)

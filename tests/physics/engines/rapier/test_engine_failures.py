"""Failures inside the engine stay inside: errors, frozen bodies, left-out colliders."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ligament.errors import SimulationError
from ligament.physics.engines.rapier import RapierEngine
from tests.physics.engines.rapier.scenes import (
    CUBE,
    KINEMATIC,
    STATIC,
    Box,
    Capsule,
    Cylinder,
    Hull,
    Maker,
    Mesh,
    Plane,
    Sphere,
    run,
)

TRIANGLE = np.array([[0, 1, 2]])
FAULTY = {
    "no points": Hull(np.zeros((0, 3))),
    "one point": Hull(np.zeros((5, 3))),
    "a line": Hull(np.outer(np.arange(5), [1.0, 2.0, 3.0])),
    "a point that is not a number": Hull(np.concatenate([CUBE, [[math.nan, 0, 0]]])),
    "a point at infinity": Hull(np.concatenate([CUBE, [[math.inf, 0, 0]]])),
    "a point far beyond single precision": Hull(CUBE * 1e30),
    "no triangles": Mesh(CUBE, np.zeros((0, 3), int)),
    "no points for triangles": Mesh(np.zeros((0, 3)), TRIANGLE),
    "a triangle without its points": Mesh(CUBE, TRIANGLE + 7),
    "a negative index": Mesh(CUBE, TRIANGLE - 1),
    "a mesh that is not a number": Mesh(CUBE * math.nan, TRIANGLE),
    "no radius": Sphere(0.0),
    "a negative radius": Sphere(-1.0),
    "a radius that is not a number": Sphere(math.nan),
    "an endless box": Box((1.0, math.inf, 1.0)),
    "a capsule without radius": Capsule(1.0, 0.0, 0.0),
    "a cylinder without radius": Cylinder(1.0, 0.0, 0.0),
    "a negative height": Cylinder(-1.0, 1.0, 1.0),
    "a plane without size": Plane(0.0, 1.0),
    "a plane that is not a number": Plane(math.nan, None),
}


@pytest.mark.parametrize("sensor", [False, True])
@pytest.mark.parametrize("fault", FAULTY)
def test_faulty_shapes_are_left_out(fault: str, sensor: bool) -> None:
    maker = Maker()
    maker.ground()
    bad = maker.body(FAULTY[fault], (0, 1, 0), sensor=sensor)
    good = maker.body(Sphere(0.2), (5, 0.3, 0))
    engine = maker.start()
    ((collider, message),) = engine.problems
    assert collider == 1
    assert message
    run(engine, 1)
    height = engine.state().translation[:, 1]
    assert height[good] == pytest.approx(0.2, abs=1e-3)
    assert height[bad] < -3
    engine.place_collider(1, np.zeros(3), np.array([0, 0, 0, 1.0]))
    hit = engine.cast_ray(np.array([5, 9.0, 0]), np.array([0, -1.0, 0]), 99.0)
    assert hit is not None
    assert hit.collider == 2


ODD = {
    "flat hull": Hull(np.array([[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1], [0.5, 0, (1.3).real]])),
    "flat box": Box((1.0, 0.0, 1.0)),
    "triangle without area": Mesh(np.zeros((3, 3)), TRIANGLE),
    "capsule without height": Capsule(0.0, 0.3, 0.3),
    "capsule inside its own end": Capsule(0.1, 0.5, 0.2),
    "disc": Cylinder(0.0, 0.5, 0.5),
    "pointed capsule": Capsule(1.0, 0.3, 0.0),
}


@pytest.mark.parametrize("shape", ODD)
def test_odd_shapes_are_used(shape: str) -> None:
    maker = Maker()
    maker.ground()
    body = maker.body(ODD[shape], (0, 1, 0))
    engine = maker.start()
    assert engine.problems == ()
    run(engine, 1)
    assert np.isfinite(engine.state().translation[body]).all()


BEYOND = {
    "velocity": {"velocity": (math.nan, 0, 0)},
    "endless velocity": {"velocity": (math.inf, 0, 0)},
    "velocity beyond single precision": {"velocity": (1e39, 0, 0)},
    "velocity whose square is": {"velocity": (1e20, 0, 0)},
    "spin": {"spin": (0, math.nan, 0)},
    "place": {"at": (math.nan, 0, 0)},
    "far place": {"at": (1e30, 0, 0)},
    "rotation": {"turned": (math.nan, 0, 0, 1)},
}


@pytest.mark.parametrize("kind", ["dynamic", "kinematic"])
@pytest.mark.parametrize("fault", BEYOND)
def test_bodies_that_are_not_finite_stay_where_they_were(fault: str, kind: str) -> None:
    maker = Maker()
    maker.ground()
    odd = {"at": (0, 1, 0), **BEYOND[fault]}
    options = {"kind": KINEMATIC} if kind == "kinematic" else {}
    bad = maker.body(Sphere(0.2), **odd, **options)  # type: ignore[arg-type]
    good = maker.body(Sphere(0.2), (5, 0.3, 0))
    engine = maker.start()
    run(engine, 1)
    assert engine.lost() == [bad]
    assert engine.lost() == []
    state = engine.state()
    assert state.translation[good, 1] == pytest.approx(0.2, abs=1e-3)
    np.testing.assert_array_equal(state.translation[bad], np.array(odd["at"], float))
    np.testing.assert_array_equal(state.linear_velocity[bad], 0)


def test_a_body_that_stops_being_finite_is_frozen() -> None:
    maker = Maker()
    bad, good = maker.body(Sphere(0.2)), maker.body(Sphere(0.2), (5, 0, 0))
    engine = maker.start(gravity=(0, -1, 0))
    run(engine, 1)
    before = engine.state()
    engine.apply_force(bad, np.array([math.nan, 0, 0]))
    run(engine, 1)
    state = engine.state()
    assert engine.lost() == [bad]
    np.testing.assert_allclose(state.translation[bad], before.translation[bad], atol=0.02)
    np.testing.assert_array_equal(state.linear_velocity[bad], 0)
    assert state.linear_velocity[good, 1] == pytest.approx(-2, abs=1e-4)
    snapshot = engine.snapshot()
    engine.restore(snapshot)
    run(engine, 0.1)
    assert engine.lost() == []
    np.testing.assert_array_equal(engine.state().translation[bad], state.translation[bad])


class PanicException(BaseException):
    """Named as what the engine raises."""


class Panicking:
    """A world that gives up."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def step(self) -> None:
        raise self.error


def started() -> RapierEngine:
    maker = Maker()
    maker.body(Box((1, 1, 1)), kind=STATIC, sensor=True)
    maker.body(Sphere(0.2))
    return maker.start()


def test_panics_are_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = started()
    run(engine, 0.1)
    snapshot = engine.snapshot()
    with monkeypatch.context() as patch:
        patch.setattr(engine, "_world", Panicking(PanicException("index out of bounds")))
        with pytest.raises(SimulationError, match=r"step 7.*index out of bounds"):
            engine.step()
    with pytest.raises(SimulationError, match="failed earlier"):
        engine.step()
    engine.restore(snapshot)
    run(engine, 0.1)


def test_interrupts_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = started()
    with monkeypatch.context() as patch:
        patch.setattr(engine, "_world", Panicking(KeyboardInterrupt()))
        with pytest.raises(KeyboardInterrupt):
            engine.step()
    run(engine, 0.1)


def test_panics_while_building_are_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    def panic(*_: object, **__: object) -> None:
        raise PanicException("no such thing")

    monkeypatch.setattr("ligament.physics.engines.rapier.engine.build_world", panic)
    with pytest.raises(SimulationError, match=r"at the start.*no such thing"):
        started()

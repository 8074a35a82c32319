"""rapier3d alone is given exactly what Ligament gives it, so that the two can be compared."""

import importlib
import json
import sys

import numpy as np
import pytest

import ligament as lg
from benchmarks import install, jointed_worlds, worlds
from benchmarks.engines import Course, Length

CASES = [worlds.pile(8), worlds.balls(8), worlds.compounds(3), jointed_worlds.ragdolls(1)]

each_case = pytest.mark.parametrize("world", CASES, ids=[world.name for world in CASES])


@pytest.fixture
def rapier(monkeypatch):
    """The program that plays a world in rapier3d alone."""
    monkeypatch.syspath_prepend(str(install.LISTS))
    yield importlib.import_module("engine_rapier")
    for name in ("engine_rapier", "engine_loop"):
        sys.modules.pop(name, None)


@pytest.fixture
def both(rapier, world, tmp_path):
    """The engine's world as Ligament builds it, and as the program does."""
    course = Course(world, Length(1), tmp_path)
    content = json.loads((tmp_path / "world.json").read_text())
    ours = lg.Simulation(lg.load(tmp_path / "world.gltf"))
    theirs = rapier.Rapier(content, {"settings": course.settings})
    return ours._engine._world, theirs.world


@each_case
def test_parameters_of_the_engine_are_the_same_to_the_byte(both):
    ours, theirs = both
    assert ours.integration_parameters.to_bytes() == theirs.integration_parameters.to_bytes()


@each_case
def test_bodies_have_the_same_mass_and_options(both):
    ours, theirs = ([b for _, b in each.rigid_bodies if b.is_dynamic] for each in both)
    for each in both:
        each.step()  # masses of colliders count from the first step on
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs, strict=True):
        # Single precision, summed in another order.
        assert a.mass == pytest.approx(b.mass, rel=1e-4)
        assert _inertia(a) == pytest.approx(_inertia(b), rel=1e-4)
        for name in ("soft_ccd_prediction", "additional_solver_iterations", "gravity_scale"):
            assert getattr(a, name) == getattr(b, name)


@each_case
def test_colliders_have_the_same_surface(both):
    ours, theirs = ([c for _, c in each.colliders] for each in both)
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs, strict=True):
        for name in ("friction", "restitution", "friction_combine_rule"):
            assert getattr(a, name) == getattr(b, name)


def _inertia(body):
    moments = body.mass_properties.principal_inertia
    return np.sort([moments.x, moments.y, moments.z])

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
    Course(world, Length(1), tmp_path)
    content = json.loads((tmp_path / "world.json").read_text())
    ours = lg.Simulation(lg.load(tmp_path / "world.gltf"))
    theirs = rapier.Rapier(
        content, {"mirror": tmp_path / "mirror.json", "iterations": None, "substeps": None}
    )
    return ours.engine._world, theirs.world


@each_case
def test_parameters_of_the_engine_are_the_same(both):
    ours, theirs = (plain_values(each.integration_parameters) for each in both)
    assert ours == theirs


@each_case
def test_bodies_have_the_same_options(both):
    ours, theirs = ([b for _, b in each.rigid_bodies if b.is_dynamic] for each in both)
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs, strict=True):
        assert plain_values(a, without=WORKED_OUT) == plain_values(b, without=WORKED_OUT)


@each_case
def test_bodies_have_the_same_mass(both):
    ours, theirs = ([b for _, b in each.rigid_bodies if b.is_dynamic] for each in both)
    for each in both:
        each.step()  # masses of colliders count from the first step on
    for a, b in zip(ours, theirs, strict=True):
        # Single precision: the engine adds up the shapes of a body, Ligament has done so itself.
        assert a.mass == pytest.approx(b.mass, rel=1e-4)
        assert inertia(a) == pytest.approx(inertia(b), rel=1e-4)


@each_case
def test_colliders_have_the_same_surface(both):
    ours, theirs = ([c for _, c in each.colliders] for each in both)
    assert sorted(c.contact_skin for c in ours) == sorted(c.contact_skin for c in theirs)
    for a, b in zip(ours, theirs, strict=True):
        for name in ("friction", "restitution", "friction_combine_rule"):
            assert getattr(a, name) == getattr(b, name)


# Values that follow from the colliders, whose order may differ.
WORKED_OUT = {
    "colliders",
    "mass",
    "inv_mass",
    "mass_properties",
    "center_of_mass",
    "local_center_of_mass",
}


def plain_values(thing, *, without=frozenset()):
    """All attributes of something of the engine that read as values."""
    values = {
        name: getattr(thing, name)
        for name in dir(thing)
        if not name.startswith("_") and name not in without
    }
    shown = {name: repr(value) for name, value in values.items() if not callable(value)}
    return {name: text for name, text in shown.items() if " at 0x" not in text}


def inertia(body):
    """The principal moments, in the order of their size."""
    moments = body.mass_properties.principal_inertia
    return np.sort([moments.x, moments.y, moments.z])

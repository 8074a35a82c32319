"""Materials: which rules the engine is given, where it asks, and what comes of it."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ligament.extensions.rigid_bodies import CollisionFilter, Combine, Material
from ligament.physics.engines.rapier.world.surfaces import SurfacePlan, plan_surfaces
from ligament.physics.filters import compile_filters
from ligament.physics.materials import combine
from tests.physics.engines.rapier.scenes import (
    STATIC,
    Box,
    G,
    Maker,
    Sphere,
    ball_mass,
    box_mass,
    run,
)

MODES = [None, *Combine]
PAIRS = list(itertools.combinations_with_replacement(MODES, 2))


def plan(maker: Maker) -> SurfacePlan:
    scene = maker.scene()
    return plan_surfaces(scene, compile_filters([c.filter for c in scene.colliders]))


def native(values: tuple[float, float], rules: tuple[int, int]) -> float:
    """The engine's combination of two values: the later rule of its list counts."""
    a, b = values
    return [(a + b) / 2, min(a, b), a * b, max(a, b)][max(rules)]


def balls(materials: list[Material]) -> Maker:
    maker = Maker()
    for i, material in enumerate(materials):
        maker.body(Sphere(0.1), (i, 0, 0), material=material)
    return maker


def test_one_material_needs_no_questions() -> None:
    assert not any(plan(balls([Material()] * 5)).hooked)


def test_different_static_friction_asks_about_the_fewest() -> None:
    """Either side of a pair will do: it is the ground that is asked about, not the pile."""
    maker = balls([Material(0.5, 0.5)] * 9)
    maker.ground(material=Material(0.9, 0.5))
    surfaces = plan(maker)
    assert [surfaces.is_hooked(i) for i in range(10)] == [False] * 9 + [True]


def test_surfaces_that_never_meet_need_no_hook() -> None:
    """Static surfaces do not meet each other, nor what filters keep away from them."""
    walls = CollisionFilter(frozenset(["walls"]))
    ghost = CollisionFilter(not_collide_with=frozenset(["walls"]))
    hooked = []
    for own in (ghost, None):
        maker = Maker()
        for _ in range(2):
            maker.body(Sphere(0.1), kind=STATIC, material=Material(0.9, 0.5), filter=walls)
        maker.body(Sphere(0.1), filter=own)
        hooked.append(any(plan(maker).hooked))
    assert hooked == [False, True]


materials = st.builds(
    Material,
    static_friction=st.sampled_from([0.2, 0.5, 1.0]),
    dynamic_friction=st.sampled_from([0.2, 0.5, 1.0]),
    restitution=st.sampled_from([0.0, 0.4, 1.0]),
    friction_combine=st.sampled_from(MODES),
    restitution_combine=st.sampled_from(MODES),
)


@given(st.lists(materials, min_size=1, max_size=6))
def test_pairs_are_right_or_asked_about(used: list[Material]) -> None:
    surfaces = plan(balls(used))
    for a, b in itertools.combinations(range(len(used)), 2):
        if surfaces.is_hooked(a) or surfaces.is_hooked(b):
            continue
        exact = combine(used[a], used[b])
        i, j = surfaces.which[a], surfaces.which[b]
        rub = surfaces.friction_rules[i], surfaces.friction_rules[j]
        bounce = surfaces.restitution_rules[i], surfaces.restitution_rules[j]
        values = used[a].dynamic_friction, used[b].dynamic_friction
        assert exact.static_friction == exact.dynamic_friction
        assert native(values, rub) == pytest.approx(exact.dynamic_friction, abs=1e-6)
        values = used[a].restitution, used[b].restitution
        assert native(values, bounce) == pytest.approx(exact.restitution, abs=1e-6)


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_combined_friction_stops_a_sledge(one: Combine | None, other: Combine | None) -> None:
    ice, rough = (
        Material(0.2, 0.2, friction_combine=one),
        Material(0.8, 0.8, friction_combine=other),
    )
    maker = Maker()
    maker.ground(material=rough)
    sledge = maker.body(
        Box((1, 0.4, 1)),
        (0, 0.2, 0),
        weight=box_mass(1, (1, 0.4, 1)),
        velocity=(3, 0, 0),
        material=ice,
    )
    engine = maker.start()
    run(engine, 0.5)
    slowed = combine(ice, rough).dynamic_friction * G * 0.5
    assert engine.state().linear_velocity[sledge, 0] == pytest.approx(max(3 - slowed, 0), abs=0.03)


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_combined_restitution(one: Combine | None, other: Combine | None) -> None:
    soft = Material(0, 0, 0.3, restitution_combine=one)
    hard = Material(0, 0, 0.9, restitution_combine=other)
    maker = Maker()
    maker.body(Box((2, 2, 2)), (0, -1, 0), kind=STATIC, material=hard)
    ball = maker.body(
        Sphere(0.2),
        (0, 1, 0),
        weight=ball_mass(1, 0.2),
        velocity=(0, -2, 0),
        gravity=0,
        material=soft,
    )
    engine = maker.start()
    run(engine, 1)
    rebound = 2 * combine(soft, hard).restitution
    assert engine.state().linear_velocity[ball, 1] == pytest.approx(rebound, abs=1e-3)


def test_static_friction_of_a_pair_in_motion_counts_where_they_touch() -> None:
    """A rolling ball touches the ground at rest, so that static friction turns it."""
    grip = Material(0.5, 0.0)
    maker = Maker()
    maker.ground(material=grip)
    ball = maker.body(
        Sphere(0.5),
        (0, 0.5, 0),
        weight=ball_mass(1, 0.5),
        velocity=(1, 0, 0),
        spin=(0, 0, -2),
        material=grip,
    )
    engine = maker.start(gravity=(1, -G, 0))
    run(engine, 2)
    # A ball that rolls gains 5/7 of what it would gain sliding.
    velocity, spin = (
        engine.state().linear_velocity[ball, 0],
        engine.state().angular_velocity[ball, 2],
    )
    assert velocity == pytest.approx(1 + 2 * 5 / 7, abs=0.03)
    assert spin == pytest.approx(-2 * velocity, abs=0.06)


def test_sensors_have_no_surface() -> None:
    """The odd material of a sensor makes the engine ask about nothing."""
    maker = balls([Material()] * 3)
    maker.body(Sphere(1), sensor=True, material=Material(0.9, 0.1))
    surfaces = plan(maker)
    assert not any(surfaces.is_hooked(i) for i in range(4))

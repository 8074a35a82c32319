"""An engine takes from one of a similar scene what stays the same, and plays as if it had not."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament.physics.engines import make_engine
from ligament.physics.engines.rapier import RapierEngine
from ligament.physics.engines.rapier.world.surfaces import plan_colliders
from ligament.physics.scene import Body, Collider, Scene
from tests.physics.engines.rapier.scenes import STATIC, Box, Maker, Mesh, Sphere, box_mass
from tests.physics.engines.rapier.tiled_floors import ROUGH, Floor, sheet
from tests.play.files import BALL, FLOOR, node, physics_file


def crate_on_tiles() -> Scene:
    """Return a crate (the last body) that slides over flush tiles, past a ball on a mesh."""
    maker = Maker()
    Floor("boxes", reach=2.0).add_to(maker)
    maker.body(Mesh(sheet(2, 2.0).points, sheet(2, 2.0).triangles), (4, 0, 0), kind=STATIC)
    maker.body(Sphere(0.2), (4, 0.3, 0))
    weight = box_mass(125, (0.5, 0.5, 0.5))
    maker.body(
        Box((0.5, 0.5, 0.5)), (-1.2, 0.26, 0.1), weight=weight, velocity=(3, 0, 0), material=ROUGH
    )
    return maker.scene()


def with_body(scene: Scene, index: int, **values: Any) -> Scene:
    bodies: list[Body] = list(scene.bodies)
    bodies[index] = dataclasses.replace(bodies[index], **values)
    return dataclasses.replace(scene, bodies=tuple(bodies))


def with_colliders(scene: Scene, index: int, **values: Any) -> Scene:
    colliders: list[Collider] = list(scene.colliders)
    colliders[index] = dataclasses.replace(colliders[index], **values)
    return dataclasses.replace(scene, colliders=tuple(colliders))


def heavier(scene: Scene) -> Scene:
    return with_body(scene, -1, mass=box_mass(300, (0.5, 0.5, 0.5)))


def slippery(scene: Scene) -> Scene:
    return with_colliders(
        scene, -1, material=dataclasses.replace(ROUGH, static_friction=0.1, dynamic_friction=0.1)
    )


def lower_tile(scene: Scene) -> Scene:
    pose = scene.bodies[5].pose
    lower = dataclasses.replace(pose, translation=pose.translation - [0, 0.05, 0])
    return with_body(scene, 5, pose=lower)


@pytest.mark.parametrize("change", [heavier, slippery, lower_tile])
def test_it_plays_the_same_bits(change: Any) -> None:
    scene = crate_on_tiles()
    before = make_engine(scene)
    before.step(30)  # what it has taken on the way is not shared
    other = change(scene)
    alone, shared = make_engine(other), make_engine(other, like=before)
    for _ in range(60):
        alone.step(alone.substeps)
        shared.step(shared.substeps)
        for one, two in zip(alone.state(), shared.state(), strict=True):
            assert one.tobytes() == two.tobytes()


def test_plans_are_shared_as_far_as_they_apply() -> None:
    scene = crate_on_tiles()
    plan = plan_colliders(scene)
    assert plan.tiles
    assert plan_colliders(heavier(scene), plan) is plan
    same_shapes = plan_colliders(slippery(scene), plan)
    assert same_shapes.tiles is plan.tiles
    assert same_shapes.shapes is plan.shapes
    assert same_shapes.surfaces is not plan.surfaces
    for other in (lower_tile(scene), with_colliders(scene, 3, shape=Box((1.0, 0.3, 1.0)))):
        rebuilt = plan_colliders(other, plan)
        assert rebuilt.tiles is not plan.tiles
        assert rebuilt.shapes is not plan.shapes
    fewer = dataclasses.replace(scene, colliders=scene.colliders[:-1])
    assert plan_colliders(fewer, plan).masks is not plan.masks


def test_an_engine_of_another_kind_is_no_help() -> None:
    scene = crate_on_tiles()
    like: Any = object()
    assert isinstance(make_engine(scene, like=like), RapierEngine)


def test_simulations_of_other_scenes_share_plans() -> None:
    ball = node("Ball", at=(0, 2, 0), motion={"mass": 2}, shape=BALL)
    sim = lg.Simulation(physics_file(ball, node("Floor", shape=FLOOR)))
    body = sim.scene.bodies[0]
    mass = dataclasses.replace(body.mass, mass=3.0)
    other = sim.with_scene(with_body(sim.scene, 0, mass=mass))
    assert other.engine._built.plan is sim.engine._built.plan  # type: ignore[attr-defined]
    assert not np.shares_memory(other.translation, sim.translation)

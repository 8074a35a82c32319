"""A world is what the document, edited by hand, would do."""

import copy
import math
from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament.demo import assets
from ligament.errors import ContentError
from ligament.worlds.simulator import WorldSimulator, WorldsOptions
from ligament.worlds.tables import world_columns, world_row
from ligament.worlds.variations.sampler import Sampler
from tests.play.files import BALL, CUBE, FLOOR, KHR, node, physics_file

SECONDS, RATE = 0.5, 60.0
TRACKS = ("translation", "rotation", "linear_velocity", "angular_velocity")


def simulator(
    document: lg.Document, *rules: dict[str, Any], seed: int = 1, **options: Any
) -> WorldSimulator:
    variations = {"vary": list(rules)}
    made = WorldsOptions(variations=variations, seed=seed, seconds=SECONDS, rate=RATE, **options)
    return WorldSimulator(document, made)


def edited(document: lg.Document, change: Any) -> lg.Recording:
    """Play a copy of a document that was changed by hand."""
    json = copy.deepcopy(document.json)
    change(json["nodes"], json)
    return lg.simulate(lg.Document(json), seconds=SECONDS, rate=RATE)


def assert_same(one: lg.Recording, two: lg.Recording, error: float = 0.0) -> None:
    for name in TRACKS:
        np.testing.assert_allclose(getattr(one, name), getattr(two, name), rtol=0, atol=error)


def bowling() -> lg.Document:
    """A ball that rolls into a crate on a floor."""
    return physics_file(
        node("Ball", at=(-2, 1, 0), motion={"mass": 2, "linearVelocity": [6, 0, 0]}, shape=BALL),
        node("Crate", at=(0, 1, 0), motion={"mass": 1}, shape=CUBE, material=0),
        node("Floor", shape=FLOOR),
        materials=[{"staticFriction": 0.4, "dynamicFriction": 0.3, "restitution": 0.0}],
    )


def uniform(quantity: str, low: Any, high: Any, **rest: Any) -> dict[str, Any]:
    return {"quantity": quantity, "distribution": "uniform", "min": low, "max": high, **rest}


def test_free_fall_with_drawn_velocities_is_that_of_the_textbook() -> None:
    doc = physics_file(node("Ball", motion={"mass": 1}, shape=BALL))
    made = simulator(doc, uniform("linear_velocity", [-3, 0, -3], [3, 8, 3], nodes="Ball"))
    assert made.reuses_engine
    for world in (0, 1, 99):
        velocity = made.sampler.draw(1, world)
        recording = made.play(world)
        t = recording.times[:, None]
        exact = velocity * t + 0.5 * np.array([0, -9.81, 0]) * t**2
        # Semi-implicit steps of h = 1/60 s are off by g h t / 2 at most: 0.04 m after 0.5 s.
        error = 0.5 * 9.81 / RATE * SECONDS + 1e-4
        np.testing.assert_allclose(recording.translation[:, 0], exact, rtol=0, atol=error)
        same = edited(doc, lambda nodes, _, v=velocity: _motion(nodes[0], linearVelocity=v))
        assert_same(recording, same)


def _motion(item: dict[str, Any], **members: Any) -> None:
    plain = {name: np.asarray(value).tolist() for name, value in members.items()}
    item["extensions"][KHR]["motion"].update(plain)


@pytest.mark.parametrize("world", [0, 5])
def test_velocities_in_a_scene_with_contacts(world: int) -> None:
    doc = bowling()
    rules = [
        uniform("linear_velocity", [4, 0, -1], [8, 0, 1], nodes="Ball"),
        uniform("angular_velocity", -5, 5, nodes=["Ball", "Crate"]),
    ]
    made = simulator(doc, *rules)
    drawn = made.sampler.draw(1, world)

    def change(nodes: list[Any], _: Any) -> None:
        _motion(nodes[0], linearVelocity=drawn[:3], angularVelocity=drawn[3:6])
        _motion(nodes[1], angularVelocity=drawn[6:9])

    assert made.reuses_engine
    assert_same(made.play(world), edited(doc, change))


def test_masses_scale_the_inertia_too() -> None:
    doc = bowling()
    made = simulator(doc, uniform("mass", 0.5, 5, nodes="Crate"))
    drawn = made.sampler.draw(1, 3)
    assert not made.reuses_engine
    same = edited(doc, lambda nodes, _: _motion(nodes[1], mass=drawn[0]))
    # The moments of inertia are rounded otherwise, and the engine has single precision.
    assert_same(made.play(3), same, 1e-4)
    factor = simulator(doc, uniform("mass", 0.5, 5, nodes="Crate", apply="scale"))
    assert_same(factor.play(3), same, 1e-4)  # the crate has 1 kg
    assert np.abs(made.play(3).translation - edited(doc, lambda *_: None).translation).max() > 0.01


def test_surfaces() -> None:
    doc = bowling()
    made = simulator(
        doc,
        uniform("friction", 0.0, 0.2, nodes="Crate"),
        uniform("restitution", 0.5, 1.0, nodes="Crate"),
    )
    drawn = made.sampler.draw(1, 2)

    def change(_: Any, json: dict[str, Any]) -> None:
        json["extensions"][KHR]["physicsMaterials"][0].update(
            staticFriction=drawn[0], dynamicFriction=drawn[0], restitution=drawn[1]
        )

    assert_same(made.play(2), edited(doc, change))


def test_places_are_shifted_and_turned() -> None:
    doc = bowling()
    made = simulator(
        doc,
        uniform("translation", [-0.5, 0, -0.2], [0.5, 1, 0.2], nodes="Crate"),
        uniform("rotation", [0, -1, 0], [0, 1, 0], nodes="Crate"),
    )
    drawn = made.sampler.draw(1, 4)

    def change(nodes: list[Any], _: Any) -> None:
        nodes[1]["translation"] = (np.array([0, 1, 0]) + drawn[:3]).tolist()
        half = drawn[4] / 2
        nodes[1]["rotation"] = [0, math.sin(half), 0, math.cos(half)]

    assert_same(made.play(4), edited(doc, change), 1e-5)


def test_gravity() -> None:
    doc = bowling()
    made = simulator(doc, uniform("gravity", [0, -20, 0], [0, -1, 0]))
    drawn = made.sampler.draw(1, 0)
    same = lg.simulate(doc, seconds=SECONDS, rate=RATE, gravity=drawn)
    assert_same(made.play(0), same)
    scaled = simulator(doc, uniform("gravity", 0.5, 0.5, apply="scale"))
    same = lg.simulate(doc, seconds=SECONDS, rate=RATE, gravity=(0, -9.81 / 2, 0))
    assert_same(scaled.play(0), same)


def motor() -> lg.Document:
    """A wheel on a fixed axle with a motor."""
    drive = {
        "type": "angular",
        "mode": "acceleration",
        "axis": 0,
        "velocityTarget": 1.0,
        "damping": 20.0,
    }
    limits = [{"linearAxes": [0, 1, 2], "min": 0, "max": 0}]
    limits += [{"angularAxes": [1, 2], "min": 0, "max": 0}]
    joint = {"limits": limits, "drives": [drive]}
    return physics_file(
        node("Axle", children=[2]),
        node("Wheel", motion={"mass": 1}, shape=CUBE),
        node("Joint", joint={"connectedNode": 1, "joint": 0}),
        joints=[joint],
    )


def test_drive_targets() -> None:
    doc = motor()
    made = simulator(doc, uniform("drive_velocity", 3, 9, nodes="Joint"))
    assert made.reuses_engine
    speeds = []
    for world in (0, 1, 0):
        (drawn,) = made.sampler.draw(1, world)

        def change(_: Any, json: dict[str, Any], target: float = drawn) -> None:
            json["extensions"][KHR]["physicsJoints"][0]["drives"][0]["velocityTarget"] = target

        recording = made.play(world)
        same = edited(doc, change)
        assert_same(recording, same, 1e-6)
        speeds.append(np.linalg.norm(recording.angular_velocity[-1, 0]))
        # 20 / s of damping: e⁻¹⁰ of the way is left after half a second.
        assert speeds[-1] == pytest.approx(drawn, rel=0.02)
        assert recording.limits[0].value.shape == recording.times.shape
    assert speeds[0] == speeds[2]


def test_a_used_engine_is_as_good_as_a_new_one() -> None:
    doc = bowling()
    rules = [uniform("linear_velocity", [4, 0, -1], [8, 0, 1], nodes="Ball")]
    rules += [uniform("gravity", [0, -20, 0], [0, -1, 0])]
    used = simulator(doc, *rules)
    for world in range(4):
        used.play(world)
    assert_same(used.play(2), simulator(doc, *rules).play(2))


def test_worlds_with_varied_kinematic_bodies_rebuild_the_engine() -> None:
    doc = physics_file(
        node("Table", motion={"isKinematic": True}, shape=FLOOR),
        node("Ball", at=(0, 2, 0), motion={"mass": 1}, shape=BALL),
    )
    made = simulator(doc, uniform("angular_velocity", [0, 1, 0], [0, 2, 0], nodes="Table"))
    assert not made.reuses_engine
    drawn = made.sampler.draw(1, 0)
    same = edited(doc, lambda nodes, _: _motion(nodes[0], angularVelocity=drawn))
    assert_same(made.play(0), same)


def test_documents_without_bodies_are_refused() -> None:
    with pytest.raises(ContentError, match="no rigid bodies"):
        simulator(physics_file(node("Nothing")), uniform("gravity", 0, 1))


@pytest.mark.parametrize("name", ["door", "rope", "stack"])
def test_a_reset_engine_plays_the_bits_of_a_new_one(name: str) -> None:
    (path,) = (path for path in assets() if path.stem == name)
    spin = uniform("angular_velocity", [-1] * 3, [1] * 3, nodes="*")
    made = simulator(lg.load(path), spin)
    assert made.reuses_engine
    reset = [made.play(world) for world in (4, 5, 4)]
    made.reuses_engine = False
    for world, recording in zip((4, 5, 4), reset, strict=True):
        assert_same(made.play(world), recording)


def test_an_engine_that_starts_out_of_range_is_not_reset() -> None:
    motion = {"mass": 1, "linearVelocity": [1e7, 0, 0]}
    doc = physics_file(node("Ball", motion=motion, shape=BALL))
    slow = uniform("linear_velocity", [0, 0, 0], [1, 1, 1], nodes="Ball")
    made = simulator(doc, slow)
    assert not made.reuses_engine
    velocity = made.parameters(2)
    assert np.abs(made.play(2).translation[-1, 0] - SECONDS * velocity).max() < 2


def test_parameters_are_drawn_once_per_world(monkeypatch: pytest.MonkeyPatch) -> None:
    doc = physics_file(node("Ball", motion={"mass": 1}, shape=BALL))
    made = simulator(doc, uniform("linear_velocity", [0, 0, 0], [1, 1, 1], nodes="Ball"))
    drawn = [made.sampler.draw(1, world) for world in (1, 2)]
    calls: list[int] = []

    def draw(sampler: Sampler, seed: int, world: int, find: Any = Sampler.draw) -> Any:
        calls.append(world)
        return find(sampler, seed, world)

    monkeypatch.setattr(Sampler, "draw", draw)
    for world in (1, 2):
        row = world_row(made, world_columns(made), world, made.play(world))
        assert (row["parameters"][0] == drawn[world - 1]).all()
    assert calls == [1, 2]

from __future__ import annotations

import math

import numpy as np
import pytest

from ligament.extensions.rigid_bodies import Limit, Material
from ligament.physics.engines.rapier.effort.joints import LEAST
from ligament.physics.engines.rapier.effort.settings import (
    PASSES,
    SMALLEST_LENGTH,
    SPRING_PASSES,
    STIFFEST,
    choose,
)
from ligament.physics.scene import Frame, Joint
from tests.physics.engines.rapier.scenes import (
    CUBE,
    KINEMATIC,
    STATIC,
    Box,
    Capsule,
    Cylinder,
    Hull,
    Maker,
    Plane,
    Sphere,
    box_mass,
    mass,
    pose,
)


def boxes(size: float, masses: list[float]) -> Maker:
    maker = Maker()
    maker.ground()
    for kilograms in masses:
        maker.body(Box((size,) * 3), weight=box_mass(kilograms, (size,) * 3))
    return maker


@pytest.mark.parametrize(("rate", "steps"), [(60, 1), (30, 2), (24, 3), (1, 60), (120, 1), (59, 2)])
def test_steps_are_short_at_any_rate(rate: float, steps: int) -> None:
    chosen, settings = choose(boxes(1, [1]).scene(), rate=rate)
    assert chosen == steps
    assert settings.step == pytest.approx(1 / (rate * steps))
    assert settings.iterations == 4
    assert settings.contact_frequency == 30
    assert settings.length == 1


def rounds(maker: Maker) -> float:
    steps, settings = choose(maker.scene(), rate=60)
    return steps * settings.iterations


def test_small_things_take_more_rounds() -> None:
    """The smaller, the more; below 3 mm no more is to be had."""
    sizes = [1.0, 0.3, 0.1, 0.03, 0.01, 0.003]
    counts = [rounds(boxes(size, [1, 1])) for size in sizes]
    assert counts == sorted(counts)
    assert counts[:3] == [8, 8, 8]
    assert counts[4] >= 40
    assert all(
        choose(boxes(s, [1, 1]).scene(), rate=60)[1].contact_frequency <= STIFFEST for s in sizes
    )
    _, settings = choose(boxes(0.001, [1, 1]).scene(), rate=60)
    assert settings.length == SMALLEST_LENGTH


def test_one_small_thing_is_no_stack() -> None:
    assert rounds(boxes(0.01, [1])) == 4


def test_balls_do_not_stack() -> None:
    maker = Maker()
    for _ in range(9):
        maker.body(Sphere(0.005))
    steps, settings = choose(maker.scene(), rate=60)
    assert (steps, settings.iterations) == (1, 4)
    assert settings.length == pytest.approx(0.1)


def test_contacts_are_as_stiff_as_iterations_allow() -> None:
    """A third of their number in a second; alone on the ground a body needs no stiff contacts."""
    for size in (1.0, 0.1, 0.03):
        for quality in ("exact", "balanced"):
            _, settings = choose(boxes(size, [1, 1]).scene(), rate=60, quality=quality)
            rate = settings.iterations / settings.step
            assert rate / 3.6 < settings.contact_frequency <= rate / 3 * (1 + 1e-9)
    assert choose(boxes(1, [1]).scene(), rate=60)[1].contact_frequency == 30


def test_heavy_on_light_takes_stiffer_contacts() -> None:
    """Overlap of load · g / (2π f)² within 2 % of the size, and 1.2 mm."""
    for size, ratio in ((1.0, 200), (1.0, 1000), (0.02, 300)):
        _, settings = choose(boxes(size, [1, ratio]).scene(), rate=60)
        overlap = ratio * 9.81 / (2 * math.pi * settings.contact_frequency) ** 2
        assert overlap < min(0.02 * size, 0.0012)
    _, settings = choose(boxes(1, [1, 3000]).scene(), rate=60)
    assert settings.contact_frequency == STIFFEST
    assert rounds(boxes(1, [1, math.inf])) == rounds(boxes(1, [1, 1]))


def test_bouncy_scenes_halve_the_step() -> None:
    maker = boxes(1, [1])
    maker.body(Sphere(0.5), material=Material(restitution=0.5))
    assert choose(maker.scene(), rate=60)[0] == 2


def test_joints_take_more_rounds() -> None:
    maker = boxes(1, [1, 1])
    frames = [Frame(node=0, body=body, pose=pose()) for body in (1, 2)]
    lock = Limit(linear_axes=(0, 1, 2), minimum=0.0, maximum=0.0)
    maker.joints.append(Joint(node=0, a=frames[0], b=frames[1], limits=(lock,), drives=()))
    steps, settings = choose(maker.scene(), rate=60)
    assert (steps, settings.iterations) == (2, LEAST)


@pytest.mark.parametrize(("stiffness", "passes"), [(math.inf, PASSES), (10.0, SPRING_PASSES)])
def test_springs_take_more_passes_before_bodies_move(
    stiffness: float, passes: tuple[int, int]
) -> None:
    maker = boxes(1, [1, 1])
    frames = [Frame(node=0, body=body, pose=pose()) for body in (1, 2)]
    limit = Limit(linear_axes=(0, 1, 2), maximum=1.0, stiffness=stiffness)
    maker.joints.append(Joint(node=0, a=frames[0], b=frames[1], limits=(limit,), drives=()))
    settings = choose(maker.scene(), rate=60)[1]
    assert (settings.passes, settings.stabilization) == passes


def test_contacts_on_turning_bodies_are_not_reused() -> None:
    turning = [
        {"kind": KINEMATIC, "spin": (0, 1, 0)},
        {"driven": True},
        {"weight": mass(math.inf), "spin": (0, 1, 0)},
    ]
    still = [{"kind": KINEMATIC, "velocity": (1, 0, 0)}, {"kind": STATIC}, {"spin": (0, 1, 0)}]
    for options in turning + still:
        maker = Maker()
        maker.body(Box((1, 1, 1)), **options)  # type: ignore[arg-type]
        assert choose(maker.scene(), rate=60)[1].reuses_contacts == (options in still)


@pytest.mark.parametrize(
    "shape",
    [
        Capsule(0.02, 0.01, 0.005),
        Cylinder(0.02, 0.01, 0.0),
        Hull(CUBE * 0.02),
        Hull(np.zeros((0, 3))),
        Plane(),
    ],
)
def test_every_shape_has_a_size(shape: Hull) -> None:
    maker = Maker()
    for _ in range(2):
        maker.body(shape)
    steps, settings = choose(maker.scene(), rate=60)
    small = isinstance(shape, Capsule | Cylinder) or (isinstance(shape, Hull) and len(shape.points))
    assert (steps * settings.iterations > 20) == bool(small)


def test_an_empty_scene() -> None:
    assert choose(Maker().scene(), rate=60)[0] == 1

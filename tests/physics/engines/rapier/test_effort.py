from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

import ligament as lg
from ligament.arrays import Floats
from ligament.author.ragdoll import add_ragdoll
from ligament.demo import assets
from ligament.extensions.rigid_bodies import Drive, Limit, Material
from ligament.physics.engines.rapier.effort.chains import LEAST
from ligament.physics.engines.rapier.effort.settings import (
    BOUNDED_CHAIN_ITERATIONS,
    BOUNDED_CHAIN_PASSES,
    CHAIN_ITERATIONS,
    CHAIN_PASSES,
    PASSES,
    SMALLEST_LENGTH,
    SPRING_PASSES,
    STIFFEST,
    RapierSettings,
    choose,
)
from ligament.physics.scene import Frame, Joint
from ligament.play.timeline import record
from ligament.recording import frame_times
from ligament.transforms import rotate
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
    chosen, settings = choose(boxes(1, [1, 1]).scene(), rate=rate)
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
    assert counts[:2] == [4, 4]
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


def test_heavy_on_light_takes_stiffer_contacts() -> None:
    """Overlap of load · g / (2π f)² within 2 % of the size."""
    for ratio in (100, 1000, 3000):
        _, settings = choose(boxes(1, [1, ratio]).scene(), rate=60)
        overlap = ratio * 9.81 / (2 * math.pi * settings.contact_frequency) ** 2
        assert overlap == pytest.approx(0.02, rel=0.01)
    assert rounds(boxes(1, [1, math.inf])) == 4


def test_bouncy_scenes_halve_the_step() -> None:
    maker = boxes(1, [1])
    maker.body(Sphere(0.5), material=Material(restitution=0.5))
    assert choose(maker.scene(), rate=60)[0] == 2


def test_joints_take_more_rounds() -> None:
    maker = boxes(1, [1, 1])
    frames = [Frame(node=0, body=body, pose=pose()) for body in (1, 2)]
    lock = Limit(linear_axes=(0, 1, 2), minimum=0.0, maximum=0.0)
    maker.joints.append(Joint(node=0, a=frames[0], b=frames[1], limits=(lock,), drives=()))
    assert choose(maker.scene(), rate=60)[1].iterations >= LEAST


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


def rope(*, lands: bool) -> Maker:
    """Ten capsules in a row, each joined to the next, over a floor or over nothing."""
    maker = Maker()
    if lands:
        maker.ground()
    first = len(maker.bodies)
    for i in range(10):
        maker.body(Capsule(0.1, 0.03, 0.03), at=(0.2 * i, 3.0, 0.0))
    lock = Limit(linear_axes=(0, 1, 2), minimum=0.0, maximum=0.0)
    for i in range(first, first + 9):
        ends = [Frame(node=0, body=i + side, pose=pose()) for side in (0, 1)]
        maker.joints.append(Joint(node=0, a=ends[0], b=ends[1], limits=(lock,), drives=()))
    return maker


def test_chains_that_land_on_nothing_make_their_rounds_in_one_step() -> None:
    """Iterations and passes keep a joint closed; an impact needs steps."""
    falling, landing = (choose(rope(lands=lands).scene(), rate=60) for lands in (False, True))
    assert (falling[0], landing[0]) == (1, 2)
    assert falling[1].iterations == math.ceil(CHAIN_ITERATIONS * 2 * landing[1].iterations)
    passes, stabilization = (getattr(falling[1], name) for name in ("passes", "stabilization"))
    assert (passes, stabilization) == CHAIN_PASSES


def gaps(simulation: lg.Simulation, frames: int) -> Floats:
    """Return the gaps (frames, joints) [m] of a simulation with ball joints."""
    found = []
    joints = simulation.scene.joints
    for _ in range(frames):
        simulation.step()
        state, ends = simulation.state, []
        for side in ("a", "b"):
            frames_there = [getattr(joint, side) for joint in joints]
            bodies = [frame.body for frame in frames_there]
            local = np.array([frame.pose.translation for frame in frames_there])
            ends.append(state.translation[bodies] + rotate(state.rotation[bodies], local))
        found.append(np.linalg.norm(ends[0] - ends[1], axis=1))
    return np.array(found)


def with_usual_passes(chosen: RapierSettings, part: float) -> RapierSettings:
    """Return settings with the usual passes, and the iterations of which `part` was chosen."""
    passes, stabilization = PASSES
    return dataclasses.replace(
        chosen,
        iterations=round(chosen.iterations / part),
        passes=passes,
        stabilization=stabilization,
    )


def test_a_rope_has_smaller_gaps_with_passes_than_with_iterations() -> None:
    """Root mean square and worst, as it swings down for two seconds."""
    rope = next(path for path in assets() if path.stem == "rope")
    simulation = lg.Simulation(rope)
    chosen = simulation.engine.settings  # type: ignore[attr-defined]
    assert (chosen.passes, chosen.stabilization) == CHAIN_PASSES
    usual = with_usual_passes(chosen, CHAIN_ITERATIONS)
    now, before = gaps(simulation, 120), gaps(lg.Simulation(rope, settings=usual), 120)
    assert now.max() < before.max()
    assert np.sqrt(np.mean(now**2)) < 0.9 * np.sqrt(np.mean(before**2))


def test_motors_in_chains_keep_their_iterations() -> None:
    """Passes do not bring a motor closer to its speed."""
    maker = rope(lands=False)
    motor = Drive(type="angular", mode="force", axis=0, damping=1.0, velocity_target=2.0)
    maker.joints[0] = dataclasses.replace(maker.joints[0], drives=(motor,))
    _, settings = choose(maker.scene(), rate=60)
    assert (settings.passes, settings.stabilization) == PASSES


@pytest.mark.filterwarnings("ignore:.*neither end can be moved")
def test_a_ragdoll_in_the_air_holds_as_well_with_passes_as_with_iterations() -> None:
    """Gaps and angles beyond bounds, root mean square, as it falls and kicks for a second."""
    avatar = next(path for path in assets() if path.stem == "avatar")
    editor = lg.Editor(lg.load(avatar))
    add_ragdoll(editor)
    simulation = lg.Simulation(editor.document, animations=[])
    chosen = simulation.engine.settings  # type: ignore[attr-defined]
    assert (chosen.passes, chosen.stabilization) == BOUNDED_CHAIN_PASSES
    usual = with_usual_passes(chosen, BOUNDED_CHAIN_ITERATIONS)
    now = kicked(simulation)
    steps = simulation.substeps
    before = kicked(lg.Simulation(editor.document, animations=[], settings=usual, substeps=steps))
    assert now[0] < before[0]
    assert now[1] < max(before[1], 1e-5)


def kicked(simulation: lg.Simulation) -> Floats:
    """Return the errors (2,) [m, rad] of a ragdoll whose bodies all get a spin of their own."""
    rng = np.random.default_rng(3)
    scene = simulation.scene
    bodies = [dataclasses.replace(b, angular_velocity=rng.normal(size=3) * 8) for b in scene.bodies]
    thrown = simulation.with_scene(dataclasses.replace(scene, bodies=tuple(bodies)))
    errors: dict[bool, list[Floats]] = {True: [], False: []}
    for limit in record(thrown, frame_times(1.0, 60.0)).limits:
        value = np.asarray(limit.value)
        beyond = np.maximum(np.maximum(limit.min - value, value - limit.max), 0.0)
        errors["linear" in str(limit.kind)].append(beyond)
    return np.array([np.sqrt(np.mean(np.square(errors[kind]))) for kind in (True, False)])

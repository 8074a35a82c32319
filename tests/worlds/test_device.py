"""The engine of many worlds: what it refuses, and how it says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament import envs
from ligament.jobs.task import Entry, Task
from ligament.worlds import worlds
from ligament.worlds.run import play_worlds
from tests.play.files import CUBE, FLOOR, node, physics_file
from tests.worlds.test_stepping import SUBSTEPS, rule, scene

pytestmark = pytest.mark.usefixtures("quick_kernels")


def test_a_device_engine_plays_no_single_world() -> None:
    with pytest.raises(lg.LigamentError, match=r"many worlds at once; use lg\.Worlds"):
        lg.simulate(scene(), engine="mujoco-warp")
    with pytest.raises(lg.LigamentError, match="use engine="):
        lg.Worlds(scene(), 2, engine="mujoco", device="cuda")


def test_an_unknown_engine_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    out, rules = tmp_path / "balls.npz", {"vary": [rule("mass", "uniform", "Ball", min=1, max=2)]}
    for call in (
        lambda: lg.Worlds(scene(), 2, engine="havok"),
        lambda: worlds(scene(), rules, 2, out, seconds=0.1, engine="havok"),
    ):
        with pytest.raises(lg.LigamentError, match="use one of rapier, mujoco, mujoco-warp, or"):
            call()


@pytest.mark.parametrize(("name", "least"), [("jobs", 1), ("contact_room", 1), ("first", 0)])
def test_numbers_that_are_too_small_are_refused(name: str, least: int) -> None:
    with pytest.raises(lg.LigamentError, match=f"{name} is {least - 1}; use {least} or more"):
        lg.Worlds(scene(), 2, **{name: least - 1})


def test_a_data_set_of_another_engine_takes_no_device(tmp_path: Path) -> None:
    out, rules = tmp_path / "balls.npz", {"vary": [rule("mass", "uniform", "Ball", min=1, max=2)]}
    for option in ({"device": "cuda"}, {"contact_room": 8}):
        with pytest.raises(lg.LigamentError, match="use it with engine mujoco-warp"):
            worlds(scene(), rules, 2, out, seconds=0.1, **option)


def test_scenes_and_variations_beyond_the_device_are_refused() -> None:
    moving = physics_file(node("A", motion={"isKinematic": True, "linearVelocity": [1, 0, 0]}))
    with pytest.raises(lg.LigamentError, match="kinematic body that moves"):
        lg.Worlds(moving, 2, engine="mujoco-warp", device="cpu")
    places = {"vary": [rule("translation", "uniform", "Wheel", min=-1, max=1)]}
    with pytest.raises(lg.LigamentError, match="of a jointed body"):
        lg.Worlds(scene(), 2, engine="mujoco-warp", device="cpu", vary=places)
    with pytest.raises(lg.LigamentError, match="unknown device 'tpu'"):
        lg.Worlds(scene(), 2, engine="mujoco-warp", device="tpu")


def doubled(height: float) -> lg.Document:
    """The scene of the other tests, so that its kernels serve here too, with a second floor.

    Its ball, at some height [m], makes a contact with each of them.
    """
    document = scene()
    document.json["nodes"][1]["translation"][1] = height
    document.json["nodes"].append(document.json["nodes"][0] | {"name": "Second floor"})
    document.json["scenes"][0]["nodes"].append(len(document.json["nodes"]) - 1)
    return document


def test_too_small_a_contact_capacity_is_reported() -> None:
    with pytest.raises(
        lg.LigamentError, match=r"more contacts than its capacity of 1; use contact_room=4"
    ):
        lg.Worlds(doubled(0.4), 2, engine="mujoco-warp", device="cpu", contact_room=1)


def test_a_contact_overflow_during_steps_is_reported() -> None:
    options = {"engine": "mujoco-warp", "device": "cpu", "substeps": SUBSTEPS["mujoco-warp"]}
    made = lg.Worlds(doubled(0.51), 2, contact_room=1, **options)
    made.step(6)
    with pytest.raises(
        lg.LigamentError, match=r"more contacts than its capacity of 1; use contact_room=4"
    ):
        made.reset()


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Play tasks here, with the kernels of the other tests."""

    def run_tasks(find: Callable[[], list[Task]], *_: Any, **__: Any) -> list[Entry]:
        return [play_worlds(task) for task in find()]

    monkeypatch.setattr("ligament.worlds.run.run_tasks", run_tasks)


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.filterwarnings("ignore:.*records no events")
def test_a_data_set_reports_the_capacity_it_needs_and_resumes_with_it(tmp_path: Path) -> None:
    rules = {"vary": [rule("linear_velocity", "normal", "Ball", mean=0, std=1)]}
    options = {"engine": "mujoco-warp", "device": "cpu", "substeps": SUBSTEPS["mujoco-warp"]}
    out = tmp_path / "balls.npz"
    message = r"more contacts than its capacity of 1; use contact_room=4 \(--contact-room\)"
    with pytest.raises(lg.LigamentError, match=message):
        worlds(doubled(0.51), rules, 2, out, seconds=0.1, contact_room=1, **options)
    assert not out.exists()
    report = worlds(
        doubled(0.51), rules, 2, out, seconds=0.1, contact_room=4, resume=True, **options
    )
    assert report.ok
    with np.load(out) as data:
        assert data["worlds/translation"].shape == (2, 7, 2, 3)


def test_a_device_that_is_full_says_so_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    import mujoco_warp

    def fill(*_: Any, **__: Any) -> None:
        raise RuntimeError("Failed to allocate 64 bytes on device 'cuda:0'\nmore\nlines")

    monkeypatch.setattr(mujoco_warp, "put_data", fill)
    with pytest.raises(lg.LigamentError, match=r"cuda:0'; use fewer worlds at once.*") as caught:
        lg.Worlds(scene(), 2, engine="mujoco-warp", device="cpu")
    assert "\n" not in str(caught.value)


@pytest.mark.filterwarnings("ignore:.*trigger")
def test_environments_on_a_device_are_those_on_the_host() -> None:
    """Through the end of an episode and the start of the next, where contacts are recreated."""
    task = envs.Task(
        actions=[
            envs.Action(kind="drive_position", nodes="Frame", min=-1, max=1),
            envs.Action(kind="force", nodes="Ball", axes="x", min=-5, max=5),
        ],
        observations=[
            envs.Observation(kind="translation", nodes="Ball", axes="xy", name="ball"),
            envs.Observation(kind="rotation", nodes="Wheel", axes="y", name="turn"),
            envs.Observation(kind="angular_velocity", nodes="Wheel", axes="y"),
        ],
        reward="1 - abs(turn)",
        terminated="abs(turn) > 3",
        steps=4,
        frames=3,
    )
    made = [
        envs.VectorEnv(scene(), task, 2, engine=engine, substeps=SUBSTEPS[engine], **options)
        for engine, options in (("mujoco-warp", {"device": "cpu"}), ("mujoco", {"jobs": 1}))
    ]
    actions = np.random.default_rng(0).uniform(-1, 1, (7, 2, 2)).astype(np.float32)
    seen = [env.reset(seed=1)[0] for env in made]
    np.testing.assert_allclose(*seen, atol=1e-6)
    ends = []
    for action in actions:
        (a, reward, *given, _), (b, other, *expected, _) = (env.step(action) for env in made)
        np.testing.assert_allclose(a, b, atol=5e-4)
        np.testing.assert_allclose(reward, other, atol=5e-4)
        assert a.dtype == np.float32
        np.testing.assert_array_equal(given, expected)
        ends.append(given[1].all())
    assert np.flatnonzero(ends).tolist() == [3]
    for env in made:
        env.close()


def test_warp_keeps_the_standard_output_free() -> None:
    import warp

    lg.Worlds(scene(), 1, engine="mujoco-warp", device="cpu", substeps=SUBSTEPS["mujoco-warp"])
    assert warp.config.log_level >= warp.LOG_WARNING


def test_boxes_touch_as_they_do_in_mujoco() -> None:
    tilted = [0.1, 0.2, 0.3, 0.927]
    pile = physics_file(
        node("Floor", at=(0, -0.5, 0), shape=FLOOR),
        node("Lower", at=(0, 0.51, 0), motion={}, shape=CUBE),
        node("Upper", at=(0.1, 1.75, 0.05), rotation=tilted, motion={}, shape=CUBE),
    )
    on_device, on_host = (
        lg.Worlds(pile, 1, engine=engine, device=device, contacts=True)
        for engine, device in (("mujoco-warp", "cpu"), ("mujoco", None))
    )
    for made in (on_device, on_host):
        made.step(15)
    assert np.any(on_host.touching)
    off = np.abs(on_device.translation.numpy() - on_host.translation)
    assert off.max() < 5e-6

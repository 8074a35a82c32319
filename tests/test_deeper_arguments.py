"""Wrong arguments of the functions below the root that the manual lists: refused at the call.

The table "Deeper" of docs/api.md says which they are; the sweep is that of the root names.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import ligament as lg
from ligament import recording as recordings
from ligament.author import Motor
from ligament.author.ragdoll import add_ragdoll
from ligament.author.twist import add_twist, find_twists
from ligament.baking import Tolerance, save_arrays, to_vrma
from ligament.batches import retarget_all
from ligament.batches.run import Running
from ligament.conversion.mjcf import to_mjcf
from ligament.conversion.usd import from_usd, to_usd
from ligament.datasets import create_dataset
from ligament.gltf.tree import NodeTree
from ligament.plot import draw_recording, plot_comparison, plot_recording
from ligament.repair import repair
from ligament.rig import find_humanoid, retarget_many
from ligament.viewer import save_comparison_page, save_page, show
from ligament.viewer.takes import Take
from ligament.worlds import read_variations, worlds
from ligament.worlds.run import Playing
from tests.sampling import IS_SOAK
from tests.test_arguments import FILES, WRONG, fault_of

API = Path(__file__).parents[1] / "docs" / "api.md"
UNTRIED = {
    "ligament.transforms": "arrays in, arrays out, millions of times: they are taken as they are",
    "ligament.envs": "tests/envs/test_arguments.py",
    "ligament.extensions.shapes": "plain values, checked by the editor that takes them",
    "ligament.extensions.rigid_bodies": "plain values, checked by the editor that takes them",
    "ligament.physics.engines.rapier": "plain values, checked by the engine that takes them",
}
"""Modules that are swept elsewhere, or not, and why."""

WAVE, AVATAR = FILES["wave.vrma"], FILES["avatar.vrm"]
MASS = {"quantity": "mass", "nodes": "Door", "distribution": "uniform", "min": 1.0, "max": 2.0}
RULES = {"vary": [MASS]}
OPTIONS: dict[Callable[..., Any], Mapping[str, Any]] = {
    worlds: Playing.__annotations__,
    retarget_all: Running.__annotations__,
}
"""Functions with further options, and these."""


def calls(folder: Path) -> dict[str, tuple[Callable[..., Any], Mapping[str, Any]]]:
    """Return each function with a call that works."""
    door, avatar = lg.load(FILES["door.glb"]), lg.Humanoid(FILES["avatar.vrm"])
    played = lg.simulate(door, seconds=0.05)
    motion = lg.load_motion(FILES["wave.vrma"])
    pose = lg.retarget(motion, avatar)
    compared, take = lg.compare(played, played), Take(door, played, "door")
    editor = lg.Editor(lg.load(FILES["avatar.vrm"]))
    recordings.save_events(played, folder / "events.json")
    to_usd(door, folder / "door.usda")
    found: list[tuple[Callable[..., Any], dict[str, Any]]] = [
        (recordings.save_recording, {"recording": played, "path": folder / "a.npz"}),
        (recordings.load_recording, {"path": folder / "a.npz"}),
        (recordings.save_events, {"recording": played, "path": folder / "b.json"}),
        (recordings.load_events, {"path": folder / "events.json"}),
        (recordings.frame_times, {"seconds": 1.0, "rate": 60.0}),
        (to_vrma, {"avatar": avatar, "motion": motion}),
        (save_arrays, {"pose": pose, "path": folder / "pose.npz"}),
        (Tolerance, {}),
        (plot_recording, {"recording": played, "path": folder / "p.png"}),
        (draw_recording, {"recording": played}),
        (plot_comparison, {"comparison": compared, "path": folder / "q.png"}),
        (save_page, {"document": door, "path": folder / "p.html", "seconds": 0.02}),
        (show, {"document": door}),
        (add_ragdoll, {"editor": editor}),
        (add_twist, {"editor": editor}),
        (find_twists, {"humanoid": avatar}),
        (to_mjcf, {"document": door, "path": folder / "d.xml"}),
        (to_usd, {"document": door, "path": folder / "d.usda"}),
        (from_usd, {"path": folder / "door.usda"}),
        (read_variations, {"source": {"vary": []}}),
        (retarget_many, {"motions": [motion], "avatars": [avatar]}),
        (find_humanoid, {"document": avatar.document}),
        (repair, {"document": door}),
        (NodeTree, {"document": door}),
        (Motor, {"speed": 1.0}),
        (empty_dataset, {"path": folder / "d.npz"}),
        (save_comparison_page, {"path": folder / "c.html", "first": take, "second": take}),
        (retarget_all, {"clips": WAVE, "avatars": AVATAR, "out": folder / "pairs", "jobs": 1}),
        (worlds, {"document": door, "variations": RULES, "count": 1, "out": folder / "w.npz",
                  "seconds": 0.02, "jobs": 1}),
    ]  # fmt: skip
    return {f"{call.__module__}.{call.__name__}": (call, given) for call, given in found}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return calls(tmp_path_factory.mktemp("deeper"))


@functools.wraps(create_dataset)
def empty_dataset(*args: Any, **given: Any) -> None:
    """Create a data set, and end it."""
    with create_dataset(*args, **given):
        pass


def parameters_of(call: Callable[..., Any]) -> list[str]:
    """Return the names that a call takes; those of further options too, where they are listed."""
    parameters = inspect.signature(call).parameters.values()
    named = [p.name for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    return [*named, *OPTIONS.get(call, {})]


def start_nothing(find_tasks: Callable[[], Any], *_: Any, **__: Any) -> Any:
    """Find the tasks, and end where processes would be started."""
    find_tasks()
    raise lg.LigamentError("nothing is started here")


def listed() -> set[str]:
    """Return the functions and classes of the table that are called by users."""
    text = API.read_text(encoding="utf-8").partition("## Deeper")[2]
    found = set()
    for line in text.splitlines():
        if not (row := re.match(r"\| `([\w.]+)` \| (.*?) \|", line)) or row[1] in UNTRIED:
            continue
        for name in re.findall(r"`(\w+)`", row[2]):
            thing = getattr(importlib.import_module(row[1]), name)
            if inspect.isroutine(thing) or name in ("NodeTree", "Tolerance", "Motor"):
                found.add(f"{thing.__module__}.{thing.__name__}")
    return found


def test_the_sweep_knows_everything_that_the_manual_lists(table: Any) -> None:
    assert listed() == set(table)


def test_wrong_arguments_are_refused_at_the_call(
    table: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for module in ("ligament.batches.run", "ligament.worlds.run"):
        monkeypatch.setattr(f"{module}.run_tasks", start_nothing)
    faults = []
    for name, (call, given) in table.items():
        assert fault_of(call, given) in (None, "taken"), name
        for place, parameter in enumerate(parameters_of(call)):
            for wrong in WRONG if IS_SOAK else WRONG[place % 3 :: 3]:
                fault = fault_of(call, {**given, parameter: wrong})
                if fault not in (None, "taken"):
                    faults.append(f"{name}({parameter}={wrong!r}): {fault}")
    capsys.readouterr()
    assert not faults, "\n".join(faults[:40])


def test_paths_are_taken_wherever_a_document_is(tmp_path: Path) -> None:
    door, avatar = str(FILES["door.glb"]), FILES["avatar.vrm"]
    assert len(NodeTree(door)) == 5
    assert find_humanoid(avatar).bones[0] == "hips"
    assert show(door).document.path == Path(door)
    assert save_page(door, tmp_path / "door.html", seconds=0.1) > 1


def test_findings_and_tracks_refuse_wrong_names() -> None:
    report, motion = lg.check(FILES["door.glb"]), lg.load_motion(FILES["wave.vrma"])
    for call, reported in [
        (lambda: report.has("eror"), "did you mean 'error'"),
        (lambda: report.without("PORTABILITY_WORLD_JOINT"), "give a list of names"),
        (lambda: report.with_severities(3), "give a mapping"),  # type: ignore[arg-type]
        (lambda: motion.keys("Spine"), "did you mean 'spine'"),
        (lambda: motion.sample(0.5), "give them as \\(F,\\)"),
    ]:
        with pytest.raises(lg.LigamentError, match=reported):
            call()


def test_further_options_are_checked_by_their_own_annotations(tmp_path: Path) -> None:
    many = {"document": FILES["door.glb"], "variations": RULES, "count": 1, "seconds": 0.02}
    pairs = {"clips": WAVE, "avatars": AVATAR, "out": tmp_path / "pairs"}
    for call, given, reported in [
        (worlds, {**many, "loop": 1}, "worlds: loop is 1; give True or False"),
        (worlds, {**many, "animations": "Foo"}, "there is no animation 'Foo'"),
        (retarget_all, {**pairs, "jobs": "2"}, "retarget_all: jobs is '2'; give a whole number"),
        (
            retarget_all,
            {**pairs, "client": 3},
            "retarget_all: client is 3; give a Client or None",
        ),
    ]:
        with pytest.raises(lg.LigamentError, match=reported):
            call(**{"out": tmp_path / "w.npz", **given})  # type: ignore[operator]

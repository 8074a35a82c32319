"""Wrong arguments: every public call refuses them by itself, in one line that says what is valid.

The sweep calls every root name, and every public method of its classes, with each argument replaced
by values of wrong types and shapes, NaN, empty input, and strings for lists. A call may
take such a value; what it must never do is fail somewhere inside.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import ligament as lg
from ligament import arguments
from ligament.arguments import checked, names_of
from ligament.demo import assets
from ligament.errors import ArgumentError, nearest
from ligament.extensions.rigid_bodies import Drive
from ligament.gltf.objects import Node
from tests.sampling import IS_SOAK

FILES = {asset.name: asset for asset in assets()}

WRONG: tuple[Any, ...] = (
    None,
    3,
    -1,
    1e300,
    1.5,
    math.nan,
    math.inf,
    True,
    "",
    "nothing",
    b"bytes",
    object(),
    [],
    {},
    ["a", "b"],
    [1.0, 2.0],
    [math.nan, math.nan, math.nan],
    [[1.0], [2.0, 3.0]],
    np.zeros(0),
    np.zeros((2, 2)),
    np.full((1, 3, 4), math.nan),
    np.array(["x"]),
    print,
)

TAKEN = "taken"

INTERNAL = {
    "Document": {
        "from_container",
        "set_buffers",
        "warn",
        "warn_of",
        "warn_missing",
        "error",
        "decoded",
    },
    "Simulation": {"with_scene", "moving_bounds", "unscaled_shapes"},
    "Recording": {"of_locals", "find_locals", "find_energies", "find_limits", "find_unscaled"},
    "Limits": {"require"},
    "SpringBones": {"advance"},
    "Humanoid": {"measured_from", "warn_of_heading"},
}
"""Methods that the layers above use, with types of their own."""


@dataclasses.dataclass
class Call:
    """A call that works; `make` returns the function on a fresh object."""

    make: Callable[[], Callable[..., Any]]
    given: Mapping[str, Any]
    tried: Sequence[str] | None = None


def _calls(folder: Path) -> Iterator[tuple[str, Call]]:
    """Yield the name and a working call of everything public."""
    door, avatar = FILES["door.glb"], FILES["avatar.vrm"]
    document, humanoid = lg.load(door), lg.Humanoid(avatar)
    ponytail = FILES["ponytail.vrm"]
    played = lg.simulate(document, seconds=0.05)
    motion = lg.load_motion(FILES["wave.vrma"])
    played.save(folder / "recording.npz")

    def of(name: str, call: Callable[..., Any], *tried: str, **given: Any) -> tuple[str, Call]:
        return name, Call(lambda: call, given, tried or None)

    quick = {"seconds": 0.02}
    yield of("load", lg.load, path=door)
    yield of("save", lg.save, document=document, path=folder / "saved.glb")
    yield of("info", lg.info, document=document)
    yield of("diff", lg.diff, a=document, b=document)
    yield of("check", lg.check, document=document)
    yield of("fix", lg.fix, document=document)
    yield of("simulate", lg.simulate, document=document, **quick)
    yield of("Simulation", lg.Simulation, document=document)
    yield of("bake", lg.bake, document=document, recording=played)
    yield of("add_motion", lg.add_motion, document=humanoid.document, motion=motion)
    yield of("convert", lg.convert, document=document, to="omi")
    yield of("equip", lg.equip, document=door, ground=True)
    yield of("compare", lg.compare, a=played, b=played)
    # Engines that do not exist: a live page would wait for its end.
    sizes = ["document", "rate", "size", "port", "animations", "gravity", "limits"]
    yield of("view", lg.view, *sizes, document=document, engine="none")
    yield of("load_motion", lg.load_motion, source=FILES["wave.vrma"])
    yield of("load_recording", lg.load_recording, path=folder / "recording.npz")
    yield of("normalize", lg.normalize, document=humanoid.document)
    yield of("retarget", lg.retarget, motion=motion, avatar=humanoid)
    yield of("NodeConstraints", lg.NodeConstraints, document=humanoid.document)
    yield of("Humanoid", lg.Humanoid, document=humanoid.document)
    yield of("SpringBones", lg.SpringBones, document=ponytail)
    yield of("Editor", lg.Editor, document=document)
    yield of("Document", lg.Document)
    yield of("Limits", lg.Limits)
    members = {field.name: getattr(played, field.name) for field in dataclasses.fields(played)}
    yield of("Recording", lg.Recording, **members)
    # Work in processes is not started here: names and folders are refused before.
    names = "command inputs jobs timeout max_memory resume client protocols storage progress"
    options = names.split()
    yield of("batch", lg.batch, *options, command="x", inputs=[], out_dir=folder / "out", jobs=1)
    yield of("Worlds", lg.Worlds, document=document, count=1, engine="mujoco", jobs=1)
    yield from _methods(document, humanoid, ponytail, played)


def _methods(
    document: lg.Document, humanoid: lg.Humanoid, ponytail: Path, played: lg.Recording
) -> Iterator[tuple[str, Call]]:
    """Yield the methods of all classes, each on an object of its own."""
    pose = np.broadcast_to([0.0, 0.0, 0.0, 1.0], (2, len(humanoid.tree), 4)).copy()
    bones = {bone: int(node) for bone, node in zip(humanoid.bones, humanoid.nodes, strict=True)}
    solver = lg.NodeConstraints(humanoid.document)
    springs = lg.SpringBones(ponytail)
    hair = np.broadcast_to([0.0, 0.0, 0.0, 1.0], (2, len(springs.tree), 4)).copy()
    still = humanoid.rest_rotation
    first, force = {"node": "Door"}, (0.0, 0.0, 1.0)
    sim = {
        "apply_force": {**first, "force": force, "point": force},
        "apply_torque": {**first, "torque": force},
        "apply_impulse": {**first, "impulse": force},
        "set_pose": {**first, "translation": force, "rotation": (0, 0, 0, 1)},
        "set_velocity": first,
        "set_drive_target": {"joint": "Frame hinge", "position": 0.1},
        "cast_ray": {"origin": force, "direction": force},
        "restore": {"snapshot": lg.Simulation(document).snapshot()},
        "step": {},
        "snapshot": {},
        "contacts": {},
    }
    drive = Drive(type="angular", axis=0, mode="force", damping=1.0)
    joined = {"a": "Frame", "b": "Door"}
    ends = {**joined, "at": "Door"}
    editor: dict[str, dict[str, Any]] = {
        "add_node": {"name": "New", "parent": "Frame"},
        "add_body": {"node": "Frame", "mass": 2.0},
        "fit": {"node": "Door panel"},
        "add_collider": {"node": "Frame", "shape": "box", "mesh": 0},
        "add_trigger": {"node": "Frame", "shape": "box", "mesh": 0},
        "add_material": {"friction": 0.5},
        "add_filter": {"systems": ["a"], "collide_with": ["b"]},
        "add_joint": ends,
        "add_drive": {"joint": "Frame hinge", "drive": drive},
        "add_constraint": {"node": "Frame", "kind": "rotation", "source": "Door"},
        "set_humanoid": {"bones": {}},
        "add_spring": {"joints": "Frame"},
        "add_spring_collider": {"node": "Frame"},
        "remove_body": first,
        "remove_collider": {"node": "Frame"},
        "remove_trigger": {"node": "Frame"},
        "remove_joint": {"node": "Frame hinge"},
        "remove_drive": {"joint": "Frame hinge", "type": "angular", "axis": 0},
        "remove_humanoid": {},
        "remove_constraint": {"node": "Frame"},
        **dict.fromkeys(("fixed", "ball", "hinge", "slider", "universal", "six_axis"), ends),
        "cone_twist": {**ends, "swing": 30.0},
        "distance": {**ends, "max": 1.0},
        "spring": {**ends, "stiffness": 10.0},
        "motor": {**ends, "speed": 1.0},
    }
    on_document: dict[str, dict[str, Any]] = {
        "size": {},
        "array": {"name": "nodes"},
        "growing_array": {"name": "nodes"},
        "element": {"name": "nodes", "index": 0, "kind": Node},
        "views": {"name": "nodes", "kind": Node},
        "view_at": {"pointer": "/nodes/0", "kind": Node},
        "extension": {"name": "KHR_x"},
        "use_extension": {"name": "KHR_x"},
        "drop_extensions": {"names": ["KHR_x"]},
        "buffer": {"index": 0},
        "read_buffer": {"index": 0},
        "append_view": {"content": b"1234"},
        "pin": {"uri": "x.bin"},
        "external": {"uri": "x.bin"},
        "copy": {},
        "view": {},
    }
    worlds = {
        "step": {"frames": 1},
        "reset": {},
        "set_drive_target": {"joint": "Frame hinge", "position": [1.0]},
        "set_drive_targets": {"velocities": [[1.0]]},
        "apply_forces": {"forces": np.zeros((1, 1, 3))},
        "apply_impulses": {"impulses": np.zeros((1, 1, 3))},
        "close": {},
    }
    many = lg.Worlds(document, 1, engine="mujoco", jobs=1)
    tables: list[tuple[str, Callable[[], Any], dict[str, dict[str, Any]]]] = [
        ("Simulation", partial(lg.Simulation, document), sim),
        ("Editor", lambda: lg.Editor(document.copy()), editor),
        ("Document", document.copy, on_document),
        ("Worlds", lambda: many, worlds),
        ("NodeConstraints", lambda: solver, {"solve": {"rotation": pose}}),
        (
            "SpringBones",
            lambda: springs,
            {"solve": {"rotation": hair}, "swing": {"rotation": hair, "rate": 30.0}},
        ),
        (
            "Humanoid",
            lambda: humanoid,
            {
                "from_bones": {"document": humanoid.document, "bones": bones},
                "to_normalized": {"rotation": still},
                "from_normalized": {"rotation": still, "hips": [0.0, 0.0, 0.0]},
                "hips_translation": {"offset": [0.0, 0.0, 0.0]},
            },
        ),
        (
            "Recording",
            lambda: played,
            {
                "save": {"path": "recording.csv"},
                "frames": {"kept": np.ones(len(played.times), bool)},
                "columns": {},
                "to_dataframe": {},
                "plot": {},
                "view": {},
                "require_finite": {},
            },
        ),
    ]
    for owner, make, methods in tables:
        for name, given in methods.items():
            yield f"{owner}.{name}", Call(partial(_bound, make, name), given)


def _bound(make: Callable[[], Any], name: str) -> Callable[..., Any]:
    return getattr(make(), name)  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Call]:
    return dict(_calls(tmp_path_factory.mktemp("calls")))


def test_the_sweep_knows_everything_public(calls: dict[str, Call]) -> None:
    expected = set(_names())
    for name in _names():
        thing = getattr(lg, name)
        if inspect.isclass(thing):
            for method, member in inspect.getmembers(thing, callable):
                if not method.startswith("_") and method not in INTERNAL.get(name, ()):
                    expected.add(f"{name}.{method}")
                    assert callable(member)
    assert expected == set(calls)


def test_the_calls_of_root_functions_work(calls: dict[str, Call]) -> None:
    for name in _names():
        if calls[name].tried is None:
            assert fault_of(calls[name].make(), calls[name].given) == TAKEN, name


def _parameters(call: Callable[..., Any]) -> list[str]:
    return [
        name
        for name, parameter in inspect.signature(call).parameters.items()
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]


def _names() -> list[str]:
    """Return root names but exceptions, which are raised, not called."""
    return [name for name in lg.__all__ if not name.startswith("Ligament")]


@pytest.mark.parametrize("name", _names())
def test_wrong_arguments_are_refused_at_the_call(
    name: str, calls: dict[str, Call], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    faults = []
    for label, call in calls.items():
        if label.partition(".")[0] == name:
            faults += [f"{label}({what}" for what in _sweep(call)]
    assert not faults, "\n".join(faults[:40])


def _sweep(call: Call) -> Iterator[str]:
    """Yield the wrong arguments that a call answers badly, and how."""
    function = call.make()
    for place, parameter in enumerate(call.tried or _parameters(function)):
        for wrong in WRONG if IS_SOAK else WRONG[place % 3 :: 3]:
            fault = fault_of(function, {**call.given, parameter: wrong})
            if fault == TAKEN:  # and may have changed something
                function = call.make()
            elif fault is not None:
                yield f"{parameter}={wrong!r}): {fault}"


def _of_kind(function: Callable[..., Any], kind: str) -> list[str]:
    parameters = inspect.signature(function).parameters.values()
    return [parameter.name for parameter in parameters if parameter.kind.name == kind]


def fault_of(function: Callable[..., Any], given: Mapping[str, Any]) -> str | None:
    """Return what is wrong about the answer to a wrong argument, None for a clear refusal."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first = [name for name in _of_kind(function, "POSITIONAL_ONLY") if name in given]
        rest = {name: value for name, value in given.items() if name not in first}
        try:
            function(*(given[name] for name in first), **rest)
        except lg.LigamentError as fault:
            return None if str(fault) and "\n" not in str(fault) else "a message of several lines"
        except TypeError as fault:
            last = traceback.extract_tb(fault.__traceback__)[-1]
            return None if last.filename in (__file__, arguments.__file__) else repr(fault)
        except Exception as fault:
            last = traceback.extract_tb(fault.__traceback__)[-1]
            return f"{fault!r} in {Path(last.filename).name}:{last.lineno}"
    return TAKEN


@checked
def take(
    number: float = 0.0,
    *,
    flag: bool = False,
    word: Literal["near", "far"] = "near",
    point: Sequence[float] = (0.0, 0.0, 0.0),
    names: str | Sequence[str] | None = None,
) -> tuple[Any, ...]:
    return number, flag, word, point, names


@pytest.mark.parametrize(
    ("given", "reported"),
    [
        ({"number": "fast"}, "take: number is 'fast'; give a number"),
        ({"number": True}, "take: number is True; give a number"),
        ({"flag": 1}, "take: flag is 1; give True or False"),
        ({"word": "near "}, "take: word is 'near '; did you mean 'near'?"),
        ({"word": 3}, "take: word is 3; give one of 'near', 'far'"),
        ({"point": "xyz"}, "take: point is 'xyz'; give a list of numbers"),
        ({"point": (0, "x", 1)}, "take: point is (0, 'x', 1); give a list of numbers"),
        ({"names": 3}, "take: names is 3; give a name, a list of names or None"),
    ],
)
def test_a_refusal_says_what_was_found_and_what_is_valid(given: Any, reported: str) -> None:
    with pytest.raises(ArgumentError) as refused:
        take(**given)
    assert str(refused.value) == reported


def test_equivalent_types_are_accepted() -> None:
    point = np.zeros(3, np.float32)
    assert take(np.float32(2), flag=np.True_, point=point, names=("a",))[0] == 2
    assert take(1, names="one")[4] == "one"


def test_a_call_that_does_not_fit_the_signature_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'numbr'"):
        take(numbr=1)  # type: ignore[call-arg]


def test_one_name_is_one_name() -> None:
    assert names_of("Foo") == ("Foo",)
    assert names_of(["a", "b"]) == ("a", "b")
    assert names_of(None) is None
    with pytest.raises(lg.LigamentError, match="there is no animation 'wave'; did you mean 'Wave'"):
        lg.simulate(_waving(), animations="wave")


def _waving() -> lg.Document:
    document = lg.load(FILES["avatar.vrm"])
    document.json["animations"][0]["name"] = "Wave"
    return document


@pytest.mark.parametrize(
    ("word", "known", "reported"),
    [
        ("door", ["Door", "Frame"], "did you mean 'Door'?"),
        ("DOOR", ["Door", "Frame"], "did you mean 'Door'?"),
        ("Dor", ["Door", "Frame"], "did you mean 'Door'?"),
        ("zzz", ["Door", "Frame"], "use one of 'Door', 'Frame'"),
        ("zzz", [], "there is none to choose from"),
    ],
)
def test_near_names_are_suggested(word: str, known: list[str], reported: str) -> None:
    assert nearest(word, known) == reported


def test_paths_are_taken_wherever_a_document_is() -> None:
    door, avatar = str(FILES["door.glb"]), FILES["avatar.vrm"]
    assert lg.check(door).ok
    assert len(lg.simulate(door, seconds=0.1).nodes) == 1
    assert lg.Simulation(door).nodes.tolist() == [2]
    assert lg.Editor(door).document.path == Path(door)
    assert lg.convert(door, "omi").document.json
    assert lg.Humanoid(avatar).bones[0] == "hips"
    assert lg.NodeConstraints(avatar).constraints
    assert lg.SpringBones(FILES["ponytail.vrm"])
    assert lg.retarget(FILES["wave.vrma"], avatar).bones[0] == "hips"


def test_simulation_and_editor_suggest_near_names() -> None:
    sim, editor = lg.Simulation(FILES["door.glb"]), lg.Editor(FILES["door.glb"])
    calls = [
        lambda: sim.apply_force("door", (0, 0, 1)),
        lambda: sim.bodies["door"],
        lambda: sim.joints["frame hing"],
        lambda: editor.add_body("door"),
    ]
    for call in calls:
        with pytest.raises(lg.LigamentError, match=r"did you mean '(Door|Frame hinge)'"):
            call()

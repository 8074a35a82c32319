"""The shape of the code: no import cycles, a short way for a door, engines named in one place."""

from __future__ import annotations

import ast
import re
import runpy
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ligament.demo import assets

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "ligament"
MOST_MODULES = 100

STARTS = {
    *("subprocess", "multiprocessing", "ProcessPoolExecutor"),
    *("os.fork", "os.posix_spawn", "resource.setrlimit", "resource.prlimit", "signal.setitimer"),
}
"""Names of what starts processes or limits what they use."""

JOURNEY = """
import sys

import ligament as lg

used = set()


def is_import(frame):
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def note(frame, event, _):
    name = frame.f_globals.get("__name__", "")
    if event == "call" and name.startswith("ligament") and name not in used:
        if frame.f_code.co_name != "<module>" and not is_import(frame.f_back):
            used.add(name)


sys.setprofile(note)
recording = lg.simulate(lg.load(sys.argv[1]), seconds=1)
recording.limits, recording.events, recording.local_translation
sys.setprofile(None)
print(*sorted(used), sep="\\n")
"""


def test_a_door_goes_through_simulate_in_few_modules() -> None:
    door = next(path for path in assets() if path.name == "door.glb")
    ran = [sys.executable, "-c", JOURNEY, str(door)]
    used = subprocess.run(ran, capture_output=True, text=True, check=True, timeout=60, cwd=ROOT)
    modules = used.stdout.split()
    assert "ligament.physics.engines.rapier.joints.joint_set" in modules
    assert len(modules) <= MOST_MODULES, used.stdout


def modules() -> dict[str, Path]:
    """Return the files of all modules by name."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(path: Path, known: dict[str, Path]) -> Iterator[str]:
    """Yield the modules that a module imports when it is imported itself."""
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.ImportFrom) and statement.module in known:
            for alias in statement.names:
                inner = f"{statement.module}.{alias.name}"
                yield inner if inner in known else statement.module
        elif isinstance(statement, ast.Import):
            yield from (alias.name for alias in statement.names if alias.name in known)


def test_there_is_no_import_cycle() -> None:
    known = modules()
    waiting = {name: set(imports(path, known)) - {name} for name, path in known.items()}
    while free := {name for name, needed in waiting.items() if not needed & waiting.keys()}:
        for name in free:
            del waiting[name]
    assert not waiting, sorted(waiting)


def names(path: Path) -> Iterator[str]:
    """Yield the names that a module imports and the attributes that it uses."""
    for part in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(part, ast.Import | ast.ImportFrom):
            yield getattr(part, "module", None) or ""
            yield from (alias.name for alias in part.names)
        elif isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
            yield f"{part.value.id}.{part.attr}"


def test_processes_are_started_and_limited_in_one_layer() -> None:
    others = [path for path in PACKAGE.rglob("*.py") if path.parent.name != "processes"]
    found = {path.relative_to(PACKAGE).as_posix() for path in others if STARTS & {*names(path)}}
    assert found == set()


def test_large_folders_describe_themselves() -> None:
    for folder in [PACKAGE, *(path for path in PACKAGE.rglob("*") if path.is_dir())]:
        count = len([path for path in folder.glob("*.py") if path.name != "__init__.py"])
        assert count <= 10 or (folder / "README.md").exists(), folder


def test_the_architecture_names_modules_that_exist() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    known = {name.removeprefix("ligament.") for name in modules()}
    full = [n for n in re.findall(r"`([a-z_]+(?:\.[a-z_]+)+)`", text) if not n.startswith("lg.")]
    assert len(full) > 40
    for name in full:
        assert any(each == name or each.endswith(f".{name}") for each in known), name


def test_words_are_those_of_the_field() -> None:
    """No docstring of a module begins with "What", and the list of docs/writing.md is kept."""
    script = runpy.run_path(str(ROOT / "docs" / "check_words.py"))
    assert list(script["faults"]()) == []
    assert script["avoided"]()[0].search(" ".join(["bodies", "led", "by", "animation"]))
    assert len(list(script["files"]())) > 500


@pytest.mark.parametrize(
    ("file", "code", "found"),
    [
        ("ligament/a.py", "def tell_all(): pass", "tell"),
        ("ligament/a.py", "class LedSprings: pass", "led"),
        ("ligament/a.py", "file.tell()", None),
        ("tests/test_a.py", "def test_faults_are_told(): pass", "told"),
        ("tests/test_a.py", "def test_one_way(): pass", None),
        ("tests/test_a.py", "told = 1", None),
        ("tests/rig/motion/test_a.py", "def test_a_led_body(): pass", "led"),
        ("tests/test_a.py", "def test_what_is_odd(): pass", "test_what_is_odd"),
        ("tests/test_a.py", "def test_how_far_it_goes(): pass", "test_how_far_it_goes"),
        ("tests/test_a.py", "def test_odd_files_show_what_is_wrong(): pass", None),
        ("ligament/worlds/a.py", "way = 1", "way"),
    ],
)
def test_words_to_avoid_are_found_in_names(file: str, code: str, found: str | None) -> None:
    script = runpy.run_path(str(ROOT / "docs" / "check_words.py"))
    faults = list(script["_names"](file, code, script["avoided"]()[1]))
    assert [repr(found) in fault for fault in faults] == ([] if found is None else [True])

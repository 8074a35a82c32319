"""Files checked one by one or by several processes."""

from __future__ import annotations

import functools
import os
from pathlib import Path
from typing import Any

import pytest

from ligament.checker import Issue
from ligament.checker.config import Settings
from ligament.checker.files import FileTask, Owner, check_file, in_processes, owner_of
from ligament.errors import LigamentError
from tests.processes import works

BETA = """{"asset": {"version": "2.0"}, "extensionsUsed": ["VRMC_node_constraint"],
"scene": 0, "scenes": [{"nodes": [0, 1]}], "nodes": [{"name": "A", "extensions":
{"VRMC_node_constraint": {"specVersion": "1.0-beta", "constraint": {"rotation": {"source": 1}}}}},
{"name": "B"}]}"""
POINTER = "/nodes/0/extensions/VRMC_node_constraint/specVersion"


def test_settings_and_places_and_owners(tmp_path: Path) -> None:
    file = tmp_path / "a.gltf"
    file.write_text(BETA)
    plain = check_file(FileTask(file))
    assert [(issue.code, issue.severity) for issue in plain.report] == [
        ("NODE_CONSTRAINT_BETA", "warning")
    ]
    assert plain.owners == {POINTER: Owner("node", 0, "A")}
    assert plain.places == {}
    placed = check_file(FileTask(file, with_places=True))
    assert [place.line for place in placed.places.values()] == [3]
    ignoring = FileTask(file, Settings(frozenset({"NODE_CONSTRAINT_BETA"})))
    assert check_file(ignoring).report.issues == []
    weighing = FileTask(file, Settings(severity={"NODE_CONSTRAINT_BETA": "hint"}))
    assert check_file(weighing).report.counts["hint"] == 1


def test_an_unreadable_file_says_where_and_why(tmp_path: Path) -> None:
    file = tmp_path / "a.gltf"
    file.write_text('{"asset": {}, "buffers": [{"uri": "../b.bin", "byteLength": 4}]}')
    checked = check_file(FileTask(file))
    assert not checked.is_readable
    (issue,) = checked.report
    assert issue.pointer == "/buffers/0/uri"
    assert issue.severity == "error"
    assert str(file) not in issue.message
    assert isinstance(issue, Issue)


def died(task: object, fault: LigamentError) -> int:
    raise fault


def test_processes_keep_the_order_and_their_faults() -> None:
    assert list(in_processes(abs, [-3, 2, -1], int, died=died, jobs=2)) == [3, 2, 1]
    assert list(in_processes(abs, [-3, 2, -1], int, died=died, jobs=1)) == [3, 2, 1]
    with pytest.raises(RuntimeError, match="TypeError: bad operand"):
        list(in_processes(abs, [1, "two"], int, died=died, jobs=2))  # type: ignore[list-item]


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_a_process_that_dies_costs_its_own_file(tmp_path: Path) -> None:
    faults = []

    def explain(task: int, fault: LigamentError) -> int:
        faults.append(str(fault))
        return 100

    work = functools.partial(works.die_of, folder=tmp_path)
    assert list(in_processes(work, [0, 1, 2], int, died=explain, jobs=2)) == [0, 100, -2]
    (fault,) = faults
    assert fault.startswith("checking it crashed in native code (SIGSEGV)")
    assert fault.endswith("; check it alone, or use fewer --jobs")


ROOT: dict[str, Any] = {
    "nodes": [{"name": "Hips"}, {"name": ""}, {"name": 7}, 5],
    "animations": [{"name": "Wave"}],
    "meshes": {"0": {"name": "odd"}, "x": {}},
    "extensions": {"nodes": [{"name": "not a node"}]},
}


@pytest.mark.parametrize(
    ("pointer", "words"),
    [
        ("/nodes/0", 'node 0 "Hips"'),
        ("/nodes/0/extensions/X/a~1b", 'node 0 "Hips"'),
        ("/nodes/1/scale", "node 1"),
        ("/nodes/2", "node 2"),
        ("/animations/0/channels/3", 'animation 0 "Wave"'),
    ],
)
def test_pointers_into_an_object_name_it(pointer: str, words: str) -> None:
    assert str(owner_of(ROOT, pointer)) == words


@pytest.mark.parametrize(
    "pointer",
    [
        *("", "odd", "/nodes", "/nodes/3", "/nodes/4/x", "/nodes/x", "/nodes/00"),
        *("/meshes/0", "/meshes/x", "/skins/0", "/extensions/nodes/0"),
    ],
)
def test_other_pointers_name_nothing(pointer: str) -> None:
    assert owner_of(ROOT, pointer) is None


def test_an_owner_is_known_by_kind_index_and_name() -> None:
    assert owner_of(ROOT, "/nodes/0/mesh") == Owner("node", 0, "Hips")

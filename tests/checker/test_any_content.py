"""Any content gives a report, never an exception; and a file without errors runs."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ligament as lg
from ligament.checker import Report
from ligament.extensions.registry import PHYSICS, Family, names
from ligament.findings import CODES
from ligament.gltf.document import Document
from tests.checker.changed_files import JSON, mutants
from tests.checker.playable import PLAYABLE, Json

NAMES = sorted((*PHYSICS, *names(Family.NODE_CONSTRAINTS, Family.HUMANOIDS)))


def report_on(file: Json) -> Report:
    report = lg.check(Document(file))
    for issue in report:
        assert CODES[issue.code].severity == issue.severity
        assert issue.pointer == "" or issue.pointer.startswith("/")
        assert issue.message
    return report


@given(st.dictionaries(st.sampled_from(NAMES), JSON), st.dictionaries(st.sampled_from(NAMES), JSON))
def test_any_json_in_any_extension_gives_a_report(root: Json, node: Json) -> None:
    file = {"extensionsUsed": NAMES, "extensions": root, "nodes": [{"extensions": node}, {}]}
    report_on(file)


@given(JSON, JSON, JSON)
def test_any_json_at_the_root_gives_a_report(nodes: Any, extensions: Any, animations: Any) -> None:
    report_on({"nodes": nodes, "extensions": extensions, "animations": animations, "scenes": nodes})


@pytest.mark.filterwarnings("ignore::ligament.errors.LigamentWarning")
@settings(max_examples=3 * settings().max_examples)
@given(mutants())
def test_files_without_errors_simulate(file: Json) -> None:
    if report_on(file).ok:
        lg.simulate(Document(file), seconds=0.1)


@pytest.mark.filterwarnings("ignore::ligament.errors.LigamentWarning")
@pytest.mark.parametrize("name", PLAYABLE)
def test_the_files_that_mutants_are_made_of_have_no_errors(name: str) -> None:
    assert report_on(PLAYABLE[name]).ok
    lg.simulate(Document(PLAYABLE[name]), seconds=0.1)


def test_nothing_is_edited() -> None:
    for file in PLAYABLE.values():
        before = copy.deepcopy(file)
        lg.check(Document(file))
        assert file == before

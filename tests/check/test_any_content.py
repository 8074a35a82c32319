"""Whatever stands in a file: a report, never an exception; and what has no errors runs."""

from __future__ import annotations

import copy
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ligament as lg
from ligament.check import Report
from ligament.findings import CODES
from ligament.gltf import pointers
from ligament.gltf.document import Document
from ligament.gltf.jsontext import walk
from tests.check.playable import PLAYABLE, Json

NAMES = sorted(
    {
        *("KHR_physics_rigid_bodies", "KHR_collision_shapes", "KHR_implicit_shapes"),
        *("KHR_rigid_bodies", "MSFT_rigid_bodies", "MSFT_collision_primitives", "MSFT_physics"),
        *("OMI_collider", "OMI_physics_body", "OMI_physics_shape", "OMI_physics_joint"),
        *("VRMC_node_constraint", "VRMC_vrm", "VRMC_vrm_animation", "VRM"),
    }
)
MEMBERS = sorted({k for f in PLAYABLE.values() for _, v in walk(f) if type(v) is dict for k in v})
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 5)
    | st.floats(-10, 10, width=16)
    | st.sampled_from([1e30, -1e300, 1e308, 1e-300, 2**70, 0.5, math.pi])
    | st.sampled_from(["", "box", "linear", "force", "dynamic", "1.0", "1.0-draft", "X", "\x00/~"])
)
JSON = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from([*MEMBERS, "unknown"]), inner, max_size=4)
    ),
    max_leaves=25,
)


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


@st.composite
def mutants(draw: st.DrawFn) -> Json:
    """A playable file with one to four changes anywhere in it."""
    file = copy.deepcopy(PLAYABLE[draw(st.sampled_from(sorted(PLAYABLE)))])
    for _ in range(draw(st.integers(1, 4))):
        places = [p for p, _ in walk(file) if p and not p.startswith(("/buffers", "/asset"))]
        pointer = draw(st.sampled_from(places or [""]))
        owner, _, key = pointer.rpartition("/")
        holder, item = pointers.find(file, owner), pointers.find(file, pointer)
        if isinstance(item, dict) and draw(st.booleans()):
            item[draw(st.sampled_from(MEMBERS))] = draw(SCALARS | JSON)
        elif isinstance(holder, dict) and draw(st.booleans()):
            del holder[key]
        elif holder is not None:
            holder[key if isinstance(holder, dict) else int(key)] = draw(SCALARS | JSON)
    return file


@pytest.mark.filterwarnings("ignore::ligament.errors.LigamentWarning")
@settings(max_examples=3 * settings().max_examples)
@given(mutants())
def test_what_has_no_errors_loads_and_simulates(file: Json) -> None:
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

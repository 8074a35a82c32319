"""Reading VRMC_node_constraint: three flavours, and every way to get it wrong."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import pytest

from ligament.errors import ContentError, LigamentWarning
from ligament.extensions.vrmc_node_constraint import Constraint, read_constraints
from ligament.gltf.document import Document

NAME = "VRMC_node_constraint"
unsettled = pytest.mark.filterwarnings(
    "ignore:.*players implement 1.0-draft:ligament.errors.LigamentWarning"
)
HERE = f"/nodes/0/extensions/{NAME}"


def _document(content: Any, nodes: int = 3, path: Path | None = None) -> Document:
    """Return a document whose node 0 carries the extension."""
    first = {"extensions": {NAME: content}}
    return Document({"nodes": [first, *({} for _ in range(nodes - 1))]}, path=path)


def _final(constraint: Any, version: str = "1.0") -> dict[str, Any]:
    return {"specVersion": version, "constraint": constraint}


def _quietly(document: Document) -> list[Constraint]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LigamentWarning)
        return read_constraints(document)


@pytest.mark.parametrize(
    ("kind", "members", "axis", "weight"),
    [
        ("roll", {"rollAxis": "Y", "weight": 0.25}, "Y", 0.25),
        ("aim", {"aimAxis": "NegativeZ"}, "NegativeZ", 1.0),
        ("rotation", {"weight": 0}, None, 0.0),
        ("rotation", {"weight": 1}, None, 1.0),
    ],
)
def test_final(kind: str, members: dict[str, Any], axis: str | None, weight: float) -> None:
    content = _final({kind: {"source": 2, **members}})
    (constraint,) = read_constraints(_document(content))
    assert constraint == Constraint(
        destination=0,
        source=2,
        kind=kind,  # type: ignore[arg-type]
        axis=axis,
        weight=weight,
        freeze_axes=(True, True, True),
        flavour="1.0",
        pointer=f"{HERE}/constraint/{kind}",
    )


def test_final_ignores_what_belongs_to_the_draft() -> None:
    content = _final({"rotation": {"source": 1, "freezeAxes": [False, False, False]}})
    assert read_constraints(_document(content))[0].freeze_axes == (True, True, True)


def test_an_integer_may_be_written_as_a_float() -> None:
    (constraint,) = read_constraints(_document(_final({"rotation": {"source": 2.0}})))
    assert constraint.source == 2
    assert isinstance(constraint.source, int)


def test_beta_is_read_as_final_with_a_warning() -> None:
    document = _document(_final({"rotation": {"source": 1}}, "1.0-beta"))
    with pytest.warns(LigamentWarning, match=f"{HERE}/specVersion: 1.0-beta is read as 1.0"):
        (constraint,) = read_constraints(document)
    assert constraint.flavour == "1.0-beta"


def test_every_draft_is_warned_of() -> None:
    document = _document(_final({"rotation": {"source": 1}}, "1.0-draft"))
    with pytest.warns(LigamentWarning, match="players implement 1.0-draft differently"):
        (constraint,) = read_constraints(document)
    assert constraint.flavour == "1.0-draft"


def test_a_warning_is_given_once_for_all_nodes() -> None:
    node = {"extensions": {NAME: _final({"rotation": {"source": 3}}, "1.0-draft")}}
    document = Document({"nodes": [node, node, node, {}]})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert len(read_constraints(document)) == 3
    assert [str(w.message).partition(":")[0] for w in caught] == [f"{HERE}/specVersion"]


@pytest.mark.parametrize("member", ["freezeAxes", "axes"])
@pytest.mark.parametrize("at_root", [False, True])
def test_draft_rotation_in_both_places_and_both_spellings(member: str, at_root: bool) -> None:
    rotation = {"rotation": {"source": 1, member: [True, False, True]}}
    inside = rotation if at_root else {"constraint": rotation}
    (constraint,) = _quietly(_document({"specVersion": "1.0-draft", **inside}))
    assert constraint.freeze_axes == (True, False, True)
    assert constraint.pointer == f"{HERE}{'' if at_root else '/constraint'}/rotation"


def test_draft_defaults() -> None:
    (constraint,) = _quietly(_document(_final({"rotation": {"source": 1}}, "1.0-draft")))
    assert (constraint.freeze_axes, constraint.weight) == ((True, True, True), 1.0)


@pytest.mark.parametrize(
    "content", [{}, {"constraint": {}}, {"constraint": {"roll": {"source": 1, "rollAxis": "X"}}}]
)
@unsettled
def test_draft_without_rotation_does_nothing(content: dict[str, Any]) -> None:
    document = _document({"specVersion": "1.0-draft", **content})
    with pytest.warns(
        LigamentWarning, match="there is no rotation, so the constraint does nothing"
    ):
        assert read_constraints(document) == []


@pytest.mark.parametrize("weight", [-0.5, 1.5])
@unsettled
def test_draft_weight_outside_its_range_is_kept(weight: float) -> None:
    document = _document(_final({"rotation": {"source": 1, "weight": weight}}, "1.0-draft"))
    with pytest.warns(LigamentWarning, match=f"found {weight}, outside 0 to 1"):
        assert read_constraints(document)[0].weight == weight


def _rotation(**members: Any) -> dict[str, Any]:
    return _final({"rotation": {"source": 1, **members}})


def _draft(**members: Any) -> dict[str, Any]:
    return _final({"rotation": {"source": 1, **members}}, "1.0-draft")


FAULTS = {
    "no object": ([], "", "found an array; it must be an object"),
    "null": (None, "", "found null"),
    "no version": (
        {"constraint": {}},
        "",
        "specVersion is missing; it must be one of 1.0, 1.0-beta",
    ),
    "unknown version": (_final({}, "2.0"), "/specVersion", "found '2.0'"),
    "version a number": (_final({}, 1.0), "/specVersion", "found 1.0"),  # type: ignore[arg-type]
    "no constraint": ({"specVersion": "1.0"}, "", "constraint is missing"),
    "constraint no object": (_final(7), "/constraint", "found 7; it must be an object"),
    "no kind": (_final({}), "/constraint", "found none of roll, aim and rotation"),
    "two kinds": (_final({"roll": {}, "aim": {}}), "/constraint", "found roll and aim of"),
    "kind no object": (_final({"aim": "no"}), "/constraint/aim", "found 'no'"),
    "no source": (_final({"rotation": {}}), "/constraint/rotation", "source is missing"),
    "negative source": (_rotation(source=-1), "/constraint/rotation/source", "found -1"),
    "fractional source": (_rotation(source=1.5), "/constraint/rotation/source", "found 1.5"),
    "source too large": (
        _rotation(source=3),
        "/constraint/rotation/source",
        "found 3; it must be a node, 0 to 2",
    ),
    "source a string": (_rotation(source="1"), "/constraint/rotation/source", "found '1'"),
    "source a boolean": (_rotation(source=True), "/constraint/rotation/source", "found True"),
    "source huge": (_rotation(source=10**400), "/constraint/rotation/source", "found 1000"),
    "source itself": (_rotation(source=0), "/constraint/rotation/source", "cannot follow itself"),
    "no roll axis": (_final({"roll": {"source": 1}}), "/constraint/roll", "rollAxis is missing"),
    "lower-case roll axis": (
        _final({"roll": {"source": 1, "rollAxis": "x"}}),
        "/constraint/roll/rollAxis",
        "found 'x'; it must be one of X, Y, Z",
    ),
    "no aim axis": (_final({"aim": {"source": 1}}), "/constraint/aim", "aimAxis is missing"),
    "early aim axis": (
        _final({"aim": {"source": 1, "aimAxis": "+X"}}),
        "/constraint/aim/aimAxis",
        "found '+X'; it must be one of PositiveX, ",
    ),
    "axis a list": (
        _final({"aim": {"source": 1, "aimAxis": []}}),
        "/constraint/aim/aimAxis",
        "found an array",
    ),
    "weight above": (_rotation(weight=1.5), "/constraint/rotation/weight", "found 1.5"),
    "weight below": (_rotation(weight=-0.1), "/constraint/rotation/weight", "found -0.1"),
    "weight null": (_rotation(weight=None), "/constraint/rotation/weight", "found null"),
    "weight not a number": (_rotation(weight=math.nan), "/constraint/rotation/weight", "nan"),
    "weight a string": (_rotation(weight="1"), "/constraint/rotation/weight", "found '1'"),
    "draft weight infinite": (_draft(weight=math.inf), "/constraint/rotation/weight", "found inf"),
    "two axes": (_draft(freezeAxes=[True, True]), "/constraint/rotation/freezeAxes", "an array"),
    "axes as numbers": (_draft(axes=[1, 0, 1]), "/constraint/rotation/axes", "three booleans"),
    "axes no array": (_draft(freezeAxes=True), "/constraint/rotation/freezeAxes", "found True"),
    "draft constraint no object": (
        {"specVersion": "1.0-draft", "constraint": None},
        "/constraint",
        "found null",
    ),
    "draft rotation no object": (
        {"specVersion": "1.0-draft", "rotation": 5},
        "/rotation",
        "found 5",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_named_with_their_place(name: str) -> None:
    content, place, message = FAULTS[name]
    with pytest.raises(ContentError) as caught:
        read_constraints(_document(content, path=Path("avatar.vrm")))
    assert caught.value.pointer == HERE + place
    assert caught.value.file == "avatar.vrm"
    assert message in str(caught.value)
    assert caught.value.remedy


def test_nodes_must_be_an_array() -> None:
    with pytest.raises(ContentError, match="/nodes: found an object"):
        read_constraints(Document({"nodes": {}}))


def test_nodes_without_the_extension_are_skipped() -> None:
    nodes = [{}, {"extensions": {"OTHER": 1}}, {"extensions": None}, None, 4]
    assert read_constraints(Document({"nodes": nodes})) == []
    assert read_constraints(Document({})) == []

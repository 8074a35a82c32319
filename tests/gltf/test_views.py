"""Typed views: read with exact places in errors, written back without touching neighbours."""

from typing import Annotated, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ligament.errors import ContentError
from ligament.gltf import jsontext, objects
from ligament.gltf.objects import Index, View, read_view, write_view
from tests.gltf.documents import everything
from tests.gltf.json_values import OBJECTS, same


class Part(View):
    """A nested object."""

    size: float = 1.0
    label: str | None = None


class Thing(View):
    """One member of every kind."""

    whole: Index
    real_number: float = 0.5
    point: tuple[float, float, float] | None = None
    part: Part | None = None
    parts: list[Part] = []  # noqa: RUF012  (msgspec copies empty defaults)
    named: dict[str, Part] = {}  # noqa: RUF012
    anything: dict[str, Any] = {}  # noqa: RUF012
    bounded: Annotated[int, msgspec.Meta(ge=1, le=4)] = 2


RAW: dict[str, Any] = {
    "unknown": {"a": [1, 1.0, None]},
    "whole": 3,
    "realNumber": 1,
    "point": [1, 2.0, 3],
    "part": {"x": 1, "size": 2, "y": 2},
    "parts": [{"label": "a", "x": 1}, {"label": "b", "x": 2}, {"label": "c", "x": 3}],
    "named": {"p": {"size": 1.0, "x": 1}, "q": {"label": "q", "x": 2}},
    "anything": {"f": 1.0, "n": None, "deep": {"list": [1, 2.0]}},
    "extras": True,
}


def read() -> tuple[dict[str, Any], Thing]:
    raw = jsontext.clone(RAW)
    return raw, read_view(raw, Thing, "/things/0")


def test_reading_gives_python_names_and_types() -> None:
    _, view = read()
    assert (view.whole, view.real_number, view.point) == (3, 1.0, (1.0, 2.0, 3.0))
    assert view.part == Part(size=2.0)
    assert [part.label for part in view.parts] == ["a", "b", "c"]
    assert view.bounded == 2


def test_writing_an_unedited_view_changes_nothing() -> None:
    raw, view = read()
    write_view(raw, view)
    assert same(raw, RAW)


@pytest.mark.parametrize("name", ["nodes", "meshes", "accessors", "bufferViews", "animations"])
def test_core_objects_survive_their_views(name: str) -> None:
    kinds = {
        "nodes": objects.Node,
        "meshes": objects.Mesh,
        "accessors": objects.Accessor,
        "bufferViews": objects.BufferView,
        "animations": objects.Animation,
    }
    for item in everything()[0][name]:
        raw = jsontext.clone(item)
        write_view(raw, read_view(raw, kinds[name], ""))
        assert same(raw, item)


def edited(change: Any) -> dict[str, Any]:
    raw, view = read()
    change(view)
    write_view(raw, view)
    return raw


def assign(**members: Any) -> Any:
    def change(view: Thing) -> None:
        for name, value in members.items():
            setattr(view, name, value)

    return change


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (assign(real_number=2.5), {"realNumber": 2.5}),
        (assign(bounded=4), {"bounded": 4}),
        (assign(point=(1.0, 5.0, 3.0)), {"point": [1, 5.0, 3]}),
        (assign(part=Part(size=9.0)), {"part": {"x": 1, "size": 9.0, "y": 2}}),
        (assign(part=Part(size=1.0)), {"part": {"x": 1, "y": 2}}),
        (
            assign(parts=[Part(label="a"), Part(label="z"), Part(label="c")]),
            {"parts": [{"label": "a", "x": 1}, {"label": "z", "x": 2}, {"label": "c", "x": 3}]},
        ),
        (
            lambda view: view.parts.append(Part(label="d")),
            {"parts": [*RAW["parts"], {"label": "d"}]},
        ),
        (lambda view: view.parts.insert(0, Part()), {"parts": [{}, *RAW["parts"]]}),
        (lambda view: view.parts.pop(0), {"parts": RAW["parts"][1:]}),
        (lambda view: view.parts.reverse(), {"parts": RAW["parts"][::-1]}),
        (
            lambda view: view.parts.append(view.parts.pop(0)),
            {"parts": [*RAW["parts"][1:], RAW["parts"][0]]},
        ),
        (
            lambda view: view.named.update(p=Part(size=3.0), r=Part(label="r")),
            {
                "named": {
                    "p": {"size": 3.0, "x": 1},
                    "q": {"label": "q", "x": 2},
                    "r": {"label": "r"},
                }
            },
        ),
        (lambda view: view.named.pop("p"), {"named": {"q": {"label": "q", "x": 2}}}),
        (
            lambda view: view.anything.update(new=1),
            {"anything": {"f": 1.0, "n": None, "deep": {"list": [1, 2.0]}, "new": 1}},
        ),
    ],
)
def test_only_what_was_edited_changes(change: Any, expected: dict[str, Any]) -> None:
    assert same(edited(change), {**RAW, **expected})


def test_a_member_that_becomes_its_default_is_removed() -> None:
    raw = edited(assign(real_number=0.5, point=None, parts=[]))
    gone = {"realNumber", "point", "parts"}
    assert same(raw, {name: value for name, value in RAW.items() if name not in gone})


def test_a_default_that_is_written_out_stays() -> None:
    raw = {"whole": 1, "realNumber": 0.5, "point": None, "parts": []}
    view = read_view(raw, Thing, "")
    write_view(raw, view)
    assert same(raw, {"whole": 1, "realNumber": 0.5, "point": None, "parts": []})


def test_a_view_can_be_written_where_nothing_or_nonsense_stood() -> None:
    view = Thing(whole=1, parts=[Part(label="a")], named={"p": Part()}, point=(1.0, 2.0, 3.0))
    expected = {"whole": 1, "parts": [{"label": "a"}], "named": {"p": {}}, "point": [1.0, 2.0, 3.0]}
    for raw in ({}, {"whole": "x", "parts": 5, "named": [], "point": [None]}):
        write_view(raw, view)
        assert raw == expected


def test_integers_may_be_written_as_floats() -> None:
    """JSON Schema, which glTF uses, calls 4.0 an integer; its spelling stays."""
    raw: dict[str, Any] = {"whole": 4.0, "anything": {"f": 1.0}}
    view = read_view(raw, Thing, "")
    assert view.whole == 4
    view.anything["g"] = 2
    write_view(raw, view)
    assert same(raw, {"whole": 4.0, "anything": {"f": 1.0, "g": 2}})


@given(OBJECTS, st.integers(0, 9))
def test_unknown_members_survive_any_edit(unknown: dict[str, Any], whole: int) -> None:
    unknown = {f"u{name}": value for name, value in unknown.items()}
    raw = {**unknown, "whole": 1}
    view = read_view(raw, Thing, "")
    view.whole = whole
    write_view(raw, view)
    assert same(raw, {**unknown, "whole": whole})


@pytest.mark.parametrize(
    ("raw", "pointer", "message"),
    [
        ({}, "/things/0", "missing required field `whole`"),
        ({"whole": "x"}, "/things/0/whole", "expected `int`, got `str`"),
        ({"whole": True}, "/things/0/whole", "expected `int`, got `bool`"),
        ({"whole": 1.5}, "/things/0/whole", "expected `int`, got `float`"),
        ({"whole": -1}, "/things/0/whole", ">= 0"),
        ({"whole": 2**53}, "/things/0/whole", "<= 9007199254740991"),
        ({"whole": 1e300}, "/things/0/whole", "<= 9007199254740991"),
        ({"whole": 1, "point": [1, 2]}, "/things/0/point", "length 3"),
        ({"whole": 1, "parts": [{}, {"size": []}]}, "/things/0/parts/1/size", "got `array`"),
        ({"whole": 1, "bounded": 5}, "/things/0/bounded", "<= 4"),
        ([], "/things/0", "expected `object`, got `array`"),
        (None, "/things/0", "expected `object`, got `null`"),
    ],
)
def test_wrong_members_are_reported_with_their_place(raw: Any, pointer: str, message: str) -> None:
    with pytest.raises(ContentError, match=message) as caught:
        read_view(raw, Thing, "/things/0")
    assert caught.value.pointer == pointer
    assert (caught.value.remedy == "add it") == ("missing" in message)


def test_nesting_too_deep_to_look_at_is_refused() -> None:
    raw: Any = {"whole": []}
    for _ in range(5000):
        raw["whole"] = [raw["whole"]]
    with pytest.raises(ContentError):
        read_view(raw, Thing, "")

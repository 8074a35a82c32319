"""Tables: what follows from the rows of a toy extension, which no library module knows."""

from __future__ import annotations

import dataclasses
import math
from enum import StrEnum
from itertools import combinations
from typing import Annotated, Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from ligament.extensions.fields import Fields
from ligament.extensions.tables.arrays import Arrays
from ligament.extensions.tables.changes import Difference, differences
from ligament.extensions.tables.objects import Each, Extending, Map, Nested
from ligament.extensions.tables.page import sections
from ligament.extensions.tables.patterns import indices, mutable, turning
from ligament.extensions.tables.regular import read_all
from ligament.extensions.tables.rows import (
    NOWHERE,
    Anything,
    Choice,
    Element,
    Flag,
    Index,
    Indices,
    Integer,
    Number,
    Numbers,
    Rotation,
    Row,
    Text,
    Words,
)
from ligament.extensions.tables.rules import (
    Excludes,
    FirstOf,
    Needs,
    NotBoth,
    OneOf,
    Rule,
    Says,
    translate,
)
from ligament.extensions.tables.table import Item, Part, Table
from ligament.extensions.tables.variants import Either, Variant
from ligament.findings import Finding
from ligament.gltf.document import Document

Json = dict[str, Any]


class Era(StrEnum):
    """Newest first."""

    NEW = "new"
    OLD = "old"


class Paint(Struct, frozen=True):
    """A coat of paint."""

    gloss: Annotated[float, Number(least=0.0, most=1.0, about="Share of light.")] = 0.5


@dataclasses.dataclass(frozen=True)
class Wheel(Item):
    """A wheel."""

    radius: Annotated[float, Number(unit="m", least=0.0, is_above=True)] = 0.3
    axle: Annotated[int | None, Index(array="/nodes", essential=True)] = None


class Cart(Part, frozen=True, kw_only=True):
    """A cart."""

    mass: Annotated[
        float | None,
        Number(unit="kg", least=0.0, zero=math.inf, overflow=math.inf, about="With wheels."),
    ] = None
    is_braked: Annotated[bool, Flag(name="braked")] = False
    size: Annotated[tuple[float, float, float], Numbers(unit="m", turns=True)] = (1.0, 1.0, 1.0)
    load: Annotated[tuple[float, ...], Numbers(count=None, animated=False, since=Era.NEW)] = ()
    turn: Annotated[tuple[float, ...], Rotation(turns=True)] = (0.0, 0.0, 0.0, 1.0)
    seats: Annotated[int, Integer(most=4)] = 1
    kind: Annotated[str, Choice(choices={"hand": "hand", "ox": "ox"}, words="sort")] = "hand"
    label: Annotated[str | None, Text(until=Era.OLD)] = None
    tags: Annotated[frozenset[str] | None, Words()] = None
    paint: Annotated[Paint | None, Element(array="paints")] = None
    wheels: Annotated[tuple[Wheel, ...], Each(table=Table(Wheel), essential=True)] = ()
    path: Annotated[int | None, Index(array="/nodes", essential=True)] = None
    rail: Annotated[int | None, Index(array="/nodes", none=-1, essential=True)] = None


CART = Table(
    Cart,
    OneOf("path", "rail"),
    Needs("turn", "size", code="VALUE_NOT_IN_RANGE", message="it turns nothing", remedy="give it"),
    NotBoth("tags", "label", "ONE_OF_MISMATCH"),
    Excludes("rail", seats="carts on rails have one"),
    named=True,
)
PAINT = Table(Paint)
FILE: Json = {"nodes": [{}, {}], "extensions": {"TOY_cart": {"paints": [{"gloss": 0.25}, {}]}}}


def arrays() -> Arrays:
    toy = Arrays(Document(FILE), "TOY_cart")
    root = Fields(FILE, "", []).extension("TOY_cart")
    toy.read(root, "paints", PAINT)
    return toy


def read(raw: Json, table: Any = CART, *, carefully: bool = False) -> tuple[Any, list[Finding]]:
    findings: list[Finding] = []
    fields = Fields(raw, "/cart", findings)
    reader = table.read_carefully if carefully else table.read
    return reader(fields, arrays(), 7), findings


def found(raw: Json, table: Any = CART) -> list[tuple[str, str]]:
    return [(f.code, f.pointer) for f in read(raw, table)[1]]


FULL: Json = {
    "mass": 2.0,
    "braked": True,
    "size": [1.0, 2.0, 3.0],
    "load": [1.0, 2.0],
    "turn": [0.0, 0.6, 0.0, 0.8],
    "seats": 3,
    "kind": "ox",
    "tags": ["a", "b"],
    "paint": 0,
    "wheels": [{"radius": 0.5, "axle": 0}, {"radius": 0.25}],
    "path": 1,
}


def test_an_object_becomes_a_view() -> None:
    view, findings = read(FULL)
    assert findings == []
    assert view == Cart(
        7,
        "/cart",
        mass=2.0,
        is_braked=True,
        size=(1.0, 2.0, 3.0),
        load=(1.0, 2.0),
        turn=(0.0, 0.6, 0.0, 0.8),
        seats=3,
        kind="ox",
        tags=frozenset("ab"),
        paint=Paint(0.25),
        wheels=(Wheel(0, "/cart/wheels/0", 0.5, 0), Wheel(1, "/cart/wheels/1", 0.25)),
        path=1,
    )


def test_absent_members_have_their_defaults() -> None:
    assert read({"path": 0})[0] == Cart(7, "/cart", path=0)


def test_written_views_are_read_as_they_were() -> None:
    view, _ = read(FULL)
    written = CART.write(view, arrays_of(view))
    assert written == FULL | {"wheels": [{"radius": 0.5, "axle": 0}, {"radius": 0.25}]}
    assert [*written] == [*FULL]


def arrays_of(view: Cart) -> Any:
    class Places:
        def place(self, array: str, element: Any) -> int:
            assert (array, element) == ("paints", view.paint)
            return 0

    return Places()


def test_zero_and_numbers_beyond_doubles_mean_infinity() -> None:
    assert read({"path": 0, "mass": 0})[0].mass == math.inf
    view, findings = read({"path": 0, "mass": 10**400})
    assert view.mass == math.inf
    assert [f.code for f in findings] == ["NUMBER_INFINITE"]
    assert CART.write(view, NOWHERE) == {"mass": 0.0, "path": 0}


def test_members_that_no_row_understands_are_kept_aside() -> None:
    raw = {"mass": 1, "name": "n", "gloss": 1, "extras": {}, "extensions": {}}
    assert CART.unknown(raw) == {"name": "n", "gloss": 1, "extras": {}, "extensions": {}}


@pytest.mark.parametrize(
    ("change", "codes"),
    [
        ({"gloss": 1}, [("UNEXPECTED_PROPERTY", "/cart/gloss")]),
        ({"mass": -1}, [("VALUE_NOT_IN_RANGE", "/cart/mass")]),
        ({"mass": None}, [("TYPE_MISMATCH", "/cart/mass")]),
        ({"seats": 5}, [("VALUE_NOT_IN_RANGE", "/cart/seats")]),
        ({"kind": "dog"}, [("VALUE_NOT_IN_LIST", "/cart/kind")]),
        ({"paint": 2}, [("UNRESOLVED_REFERENCE", "/cart/paint")]),
        ({"wheels": []}, [("EMPTY_ENTITY", "/cart/wheels")]),
        ({"wheels": [{"radius": 0}]}, [("VALUE_NOT_IN_RANGE", "/cart/wheels/0/radius")]),
        ({"turn": [0, 0, 0, 2]}, [("ROTATION_NON_UNIT", "/cart/turn")]),
        ({"name": 1}, [("TYPE_MISMATCH", "/cart/name")]),
        ({"rail": 0}, [("ONE_OF_MISMATCH", "/cart")]),
        ({"label": "x"}, [("ONE_OF_MISMATCH", "/cart")]),
    ],
)
def test_findings(change: Json, codes: list[tuple[str, str]]) -> None:
    assert sorted(found({**FULL, **change})) == sorted(codes)


def test_a_member_that_needs_another_is_reported_alone() -> None:
    assert found({"path": 0, "turn": [0, 0, 0, 1]}) == [("VALUE_NOT_IN_RANGE", "/cart/turn")]
    assert found({"path": 0, "turn": [0, 0, 0, 2]}) == [("ROTATION_NON_UNIT", "/cart/turn")]


def test_a_member_may_have_no_meaning_beside_another() -> None:
    view, (finding,) = read({"rail": 0, "seats": 2})
    assert (finding.code, finding.pointer) == ("UNEXPECTED_PROPERTY", "/cart/seats")
    assert (view.rail, view.seats) == (0, 1)


def test_an_index_may_stand_for_none() -> None:
    assert read({"rail": -1}) == (Cart(7, "/cart"), [])
    assert found({"rail": -2}) == [("INVALID_INDEX", "/cart/rail")]


def test_the_index_of_an_element_may_stand_for_none() -> None:
    bare = CART.changed(paint={"none": -1})
    for carefully in (False, True):
        view, findings = read({"path": 0, "paint": -1}, bare, carefully=carefully)
        assert (view.paint, findings) == (None, [])
        assert read({"path": 0, "paint": 0}, bare, carefully=carefully)[0].paint == Paint(0.25)
    assert found({"path": 0, "paint": -2}, bare) == [("INVALID_INDEX", "/cart/paint")]
    assert bare.schema()["properties"]["paint"]["minimum"] == -1


def test_a_member_may_have_no_meaning_beside_any_of_others() -> None:
    table = CART.changed(Excludes("mass", "label", seats="count people"))
    for carefully in (False, True):
        view, (finding,) = read({"seats": 2, "label": "a"}, table, carefully=carefully)
        assert (finding.code, finding.pointer) == ("UNEXPECTED_PROPERTY", "/cart/seats")
        assert (view.seats, view.label) == (1, "a")
        assert read({"seats": 2, "tags": []}, table, carefully=carefully)[1] == []
    validator = jsonschema_rs.Draft202012Validator(table.schema())
    assert validator.is_valid({"seats": 2})
    assert not validator.is_valid({"seats": 2, "mass": 1})


def test_a_dialect_may_animate_nothing() -> None:
    fixed = Table(Cart).fixed()
    assert [*mutable("", fixed)] == ["/wheels/*/radius"]
    assert read(FULL, fixed) == read(FULL, Table(Cart))


def test_objects_without_a_required_member_are_of_no_use() -> None:
    strict = CART.changed(kind={"required": True}, label={"required": True})
    view, findings = read({"path": 0}, strict)
    assert view is None
    assert [f.message for f in findings] == ["kind and label are missing"]


@pytest.mark.parametrize(
    ("raw", "pointer", "message"),
    [
        ({"mass": -1}, "/cart/mass", "found -1"),
        ({"mass": "x"}, "/cart/mass", "found 'x'"),
        ({}, "/cart", "mass is missing"),
    ],
)
def test_rows_may_have_a_code_of_their_own(raw: Json, pointer: str, message: str) -> None:
    change = {"code": "SHARES_NODE_WITH", "valid": "some mass", "required": True}
    _, (finding,) = read({"path": 0, **raw}, CART.changed(mass=change))
    assert (finding.code, finding.pointer) == ("SHARES_NODE_WITH", pointer)
    assert (finding.message, finding.remedy) == (message, "it must be some mass")
    assert finding.severity == "warning"


def test_open_tables_take_any_member_without_a_finding() -> None:
    open_wheel = Table(CART.view, is_open=True, rows=CART.rows)
    view, findings = read({"path": 0, "unknown": 1}, open_wheel)
    assert (view is None, findings) == (False, [])
    assert "additionalProperties" not in open_wheel.schema()
    assert read({"path": 0, "unknown": 1})[1]


def test_lists_may_be_empty_where_nothing_is_the_least() -> None:
    rows = [Indices(attribute="nodes", name="nodes", array="/nodes", least=0)]
    table = Table(Paint, build=lambda _index, _pointer, nodes: nodes, rows=rows)
    for raw, expected in (({"nodes": []}, ()), ({}, ()), ({"nodes": [0, 1]}, (0, 1))):
        assert read(raw, table) == (expected, [])
        fields = Fields(raw, "/cart", [])
        assert table.read_carefully(fields, Arrays(Document({"nodes": [{}, {}]}))) == expected
    assert read({"nodes": [0, 0]}, table)[1][0].code == "DUPLICATE_ELEMENTS"


def test_an_object_of_another_extension_is_read_below_extensions() -> None:
    paint = Extending(attribute="paint", name="EXT_paint", table=Table(Paint))
    table = Table(Paint, build=lambda _index, _pointer, paint: paint, rows=[paint])
    view, findings = read({"extensions": {"EXT_paint": {"unknown": 1}, "OTHER": 3}}, table)
    assert isinstance(view, Paint)
    assert [f.pointer for f in findings] == ["/cart/extensions/EXT_paint/unknown"]
    assert read({"extensions": {}}, table) == (None, [])
    assert [at for at, _ in table.objects("/cart")] == ["/cart", "/cart/extensions/EXT_paint"]


def test_the_indices_of_unread_members_are_known() -> None:
    table = CART.changed()
    table.unread = (Index(name="early", array="/nodes"),)
    assert indices("/at", table, "TOY")["/at/early"] == "/nodes"
    assert "early" not in table.names
    assert "early" not in table.schema()["properties"]


VALUES: list[Any] = [
    *(None, True, -1, 0, 1, 2, 5, 0.5, 1e400, -1e400, 10**400, math.nan, "", "ox", [], {}),
    *([0, 0, 0, 1], [0, 0, 0, 2], [1, 2, 3], [0], ["a"], [{}], [{"radius": 1}], [{"x": 1}]),
]
CONTENT = st.dictionaries(
    st.sampled_from(sorted(CART.names | {"extras", "other"})), st.sampled_from(VALUES), max_size=5
)


@given(raw=CONTENT, is_full=st.booleans())
def test_the_quick_reader_sees_what_the_careful_one_sees(raw: Json, is_full: bool) -> None:
    content = {**FULL, **raw} if is_full else raw
    assert repr(read(content)) == repr(read(content, carefully=True))


BY_READERS_ALONE = {"UNRESOLVED_REFERENCE", "ROTATION_NON_UNIT", "NUMBER_INFINITE"}
VALIDATOR = jsonschema_rs.Draft202012Validator(CART.schema())


@given(raw=CONTENT, is_full=st.booleans())
def test_the_schema_accepts_what_the_reader_does(raw: Json, is_full: bool) -> None:
    content = {**FULL, **raw} if is_full else raw
    text = repr(content)
    if any(word in text for word in ("inf", "nan", str(10**400))):
        return  # what JSON cannot hold
    findings = [
        f
        for f in read(content, carefully=True)[1]
        if f.code not in BY_READERS_ALONE and f.message != "it turns nothing"
    ]
    assert VALIDATOR.is_valid(content) is not bool(findings), findings


def test_regular_objects_take_the_quick_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Table, "read_carefully", None)
    assert read(FULL)[0].mass == 2.0
    with pytest.raises(TypeError):
        read({**FULL, "other": 1})


def test_a_dialect_is_a_difference() -> None:
    def build(index: int, pointer: str, *, load: float, **rest: Any) -> Cart:
        return Cart(index, pointer, load=(load,), **rest)

    older = CART.changed(
        OneOf("path", "rail"),
        build=build,
        mass={"name": "weight", "others": ("mass",), "default": 1.0},
        load=Number(name="loaded", default=3.0),
        wheels=None,
    )
    assert read({"path": 0}, older)[0] == Cart(7, "/cart", mass=1.0, load=(3.0,), path=0)
    assert read({"path": 0, "mass": 2, "loaded": 4}, older)[0].mass == 2.0
    both = {"path": 0, "weight": 2, "mass": 3}
    assert found(both, older) == [("UNEXPECTED_PROPERTY", "/cart/mass")]
    assert found({"path": 0, "wheels": [{}]}, older) == [("UNEXPECTED_PROPERTY", "/cart/wheels")]
    assert read({"path": 0}, CART)[0].mass is None


def test_a_dialect_may_have_rows_of_its_own() -> None:
    class Longer(Cart, frozen=True, kw_only=True):
        beam: float = 0.0

    longer = CART.changed(build=Longer, beam=Number(default=0.0))
    assert read({"path": 0, "beam": 2}, longer)[0].beam == 2.0
    with pytest.raises(TypeError, match="beam"):
        CART.changed(beam={"least": 0.0})


def test_a_revision_has_some_of_the_rows() -> None:
    new, old = CART.at(Era.NEW), CART.at(Era.OLD)
    assert CART.names - new.names == {"label"}
    assert CART.names - old.names == {"load"}
    only = CART.changed(rail={"until": Era.OLD}, path={"since": Era.NEW})
    assert only.at(Era.OLD).schema()["required"] == ["rail"]


def test_lists_follow_the_revision() -> None:
    class Train(Part, frozen=True):
        """Carts."""

        carts: Annotated[tuple[Cart, ...], Each(table=CART)] = ()

    train = Table(Train).at(Era.OLD)
    assert "load" not in train.schema()["properties"]["carts"]["items"]["properties"]


def test_synonyms_exclude_each_other_in_the_schema() -> None:
    older = CART.changed(NotBoth("weight", "mass"), mass={"name": "weight", "others": ("mass",)})
    valid = jsonschema_rs.Draft202012Validator(older.schema())
    assert valid.is_valid({"weight": 1})
    assert valid.is_valid({"mass": 1})
    assert not valid.is_valid({"weight": 1, "mass": 1})


class Reference(Part, frozen=True):
    """A row of two names, in the form of an older member."""

    of: Annotated[int | None, Index(name="new", others=("old",), array="/nodes")] = None


def test_the_first_of_several_names_counts() -> None:
    table = Table(Reference, FirstOf("new", "old"))
    assert found({}, table) == []
    assert found({"new": 0, "old": 1}, table) == [("UNEXPECTED_PROPERTY", "/cart/old")]
    schema = jsonschema_rs.Draft202012Validator(table.schema())
    assert [schema.is_valid(x) for x in ({}, {"new": 0}, {"old": 0}, {"new": 0, "old": 0})] == [
        *(False, True, True, False)
    ]


def test_animated_members_have_their_kind_and_bounds() -> None:
    members: Any = mutable("/carts/*", CART)
    mass = members["/carts/*/mass"]
    assert (mass.attribute, mass.is_defined, mass.least, mass.is_above) == ("mass", False, 0, False)
    assert members["/carts/*/wheels/*/radius"].is_above
    assert isinstance(members["/carts/*/braked"], Flag)
    assert (members["/carts/*/size"].width, members["/carts/*/turn"].width) == (3, 4)
    assert not {"/carts/*/load", "/carts/*/path", "/carts/*/seats"} & members.keys()


def test_indices_say_what_goes_with_their_targets() -> None:
    assert indices("/nodes/*/extensions/TOY_cart", CART, "TOY_cart") == {
        "/nodes/*/extensions/TOY_cart/paint": "/extensions/TOY_cart/paints",
        "/nodes/*/extensions/TOY_cart+/wheels/*!/axle": "/nodes",
        "/nodes/*/extensions/TOY_cart!/path": "/nodes",
        "/nodes/*/extensions/TOY_cart!/rail": "/nodes",
    }


def test_lists_of_indices_have_a_pattern_for_each() -> None:
    class Group(Part, frozen=True):
        """Nodes."""

        nodes: Annotated[tuple[int, ...], Indices(array="/nodes", essential=True)] = ()

    assert indices("/groups/*", Table(Group), "") == {"/groups/*+/nodes/*": "/nodes"}
    assert found({"nodes": [0, 0]}, Table(Group)) == [("DUPLICATE_ELEMENTS", "/cart/nodes/1")]


def test_vectors_that_turn() -> None:
    assert [*turning("/carts/*", CART)] == ["/carts/*/size", "/carts/*/turn"]


def test_differences_are_in_the_words_of_the_rows() -> None:
    one = Cart(0, kind="ox", mass=1.0, size=(1.0, 2.0, 3.0))
    other = Cart(1, kind="hand", mass=2.0, size=(1.0, 2.0, 3.1), tags=frozenset("ba"))
    assert [*differences(CART, one, other)] == [
        Difference("mass [kg]", 1.0, 2.0),
        Difference("size [m]", [1.0, 2.0, 3.0], [1.0, 2.0, 3.1]),
        Difference("sort", "ox", "hand"),
        Difference("tags", None, ["a", "b"]),
    ]
    assert [*differences(CART, one, other, lambda *_: True)] == []
    assert [*differences(PAINT, None, Paint(0.25))] == [Difference("gloss", None, 0.25)]


def test_the_page_has_a_table_for_each_kind_of_object() -> None:
    places = [("/carts/*", CART), ("/more/*/cart", CART), ("/shapes/*", SHAPE)]
    found = {section.title: section for section in sections(places)}
    assert [*found] == ["ball", "box", "cart", "carts", "shapes", "wheels"]
    cart = found["cart"].text
    assert cart.startswith("A cart.\n\n| member |")
    assert "| `mass` | number from 0 [kg] |  | yes | With wheels. 0 means infinite. |" in cart
    assert "| `braked` | boolean | `false` | yes |  |" in cart
    assert "| `size` | 3 numbers [m] | `[1, 1, 1]` | yes |  |" in cart
    assert "| `load` | list of numbers |  |  | Since `new`. |" in cart
    assert "| `kind` | `hand`, `ox` | `hand` |  |  |" in cart
    assert "| `wheels` | list of objects |  |  | A wheel. |" in cart
    assert "| `path` | index in `/nodes` |  |  |  |" in cart
    assert "| `radius` | number above 0 [m] | `0.3` | yes |  |" in found["wheels"].text
    assert found["wheels"].patterns == ["/carts/*/wheels/*", "/more/*/cart/wheels/*"]
    shape = found["shapes"].text
    assert "| `ball` | object | required for its type |  | A ball. Only in `new`. |" in shape


class Box(Struct, frozen=True):
    """A box."""

    size: Annotated[float, Number(least=0.0)] = 1.0


class Ball(Struct, frozen=True):
    """A ball."""

    radius: Annotated[float, Number(least=0.0)] = 0.5


SHAPE = Variant(
    {"box": Table(Box), "ball": Table(Ball)},
    about="A shape.",
    compound_code="KHR_IMPLICIT_SHAPES_COMPOUND_SHAPE",
    needed=("ball",),
    eras={"ball": Era.NEW},
)


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ({"type": "box", "box": {"size": 2}}, Box(2.0)),
        ({"type": "box"}, Box()),
        ({"type": "ball", "ball": {}, "name": "b", "extras": 1}, Ball()),
    ],
)
def test_an_object_of_several_types(raw: Json, value: Any) -> None:
    assert read(raw, SHAPE) == (value, [])
    assert SHAPE.names == {"type", "name", "box", "ball"}
    assert read(SHAPE.write(value, NOWHERE) | {SHAPE.kind(value): {}}, SHAPE)[1] == []


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ({}, "UNDEFINED_PROPERTY"),
        ({"type": "cone"}, "VALUE_NOT_IN_LIST"),
        ({"type": "ball"}, "UNDEFINED_PROPERTY"),
        ({"type": "box", "ball": {}}, "UNEXPECTED_PROPERTY"),
        ({"type": "box", "box": {}, "ball": {}}, "KHR_IMPLICIT_SHAPES_COMPOUND_SHAPE"),
        ({"type": "cone", "box": {"size": -1}}, "VALUE_NOT_IN_RANGE"),
        ({"type": "box", "box": {"size": -1}}, "VALUE_NOT_IN_RANGE"),
        ({"type": "box", "other": 1}, "UNEXPECTED_PROPERTY"),
    ],
)
def test_findings_of_objects_of_several_types(raw: Json, code: str) -> None:
    assert code in [code for code, _ in found(raw, SHAPE)]
    assert not jsonschema_rs.Draft202012Validator(SHAPE.schema()).is_valid(raw)


def test_a_revision_has_some_of_the_types() -> None:
    assert [*SHAPE.at(Era.OLD).tables] == ["box"]
    assert [*SHAPE.at(Era.NEW).tables] == ["box", "ball"]


def test_the_only_parameters_imply_the_type() -> None:
    loose = dataclasses.replace(SHAPE, is_typed=False)
    assert read({"ball": {"radius": 2}}, loose) == (Ball(2.0), [])
    assert mutable("/shapes/*", loose).keys() == {"/shapes/*/box/size", "/shapes/*/ball/radius"}


class Sledge(Part, frozen=True):
    """A sledge, as carts once were."""

    runners: Annotated[int, Integer(most=4, animated=False)] = 2
    seats: Annotated[None, Anything()] = None


SLEDGE = Table(Sledge)
VEHICLE = Either(SLEDGE, CART, {"required": ["runners"]})


def test_an_object_has_an_older_or_a_newer_form() -> None:
    assert read({"runners": 3, "seats": "two"}, VEHICLE) == (Sledge(7, "/cart", 3), [])
    assert read({"path": 1}, VEHICLE)[0] == Cart(7, "/cart", path=1)
    assert found({"runners": 3, "path": 1}, VEHICLE) == [("UNEXPECTED_PROPERTY", "/cart/path")]
    assert VEHICLE.names == SLEDGE.names | CART.names
    assert indices("/cart", VEHICLE, "TOY_cart") == indices("/cart", CART, "TOY_cart")
    assert VEHICLE.write(Cart(0, path=1), arrays()) == {"path": 1}
    assert "load" not in VEHICLE.at(Era.OLD).names
    texts = {section.text.partition("\n")[0] for section in sections([("/cart", VEHICLE)])}
    assert {"A cart.", "A sledge, as carts once were."} < texts


@pytest.mark.parametrize(
    ("raw", "is_valid"),
    [
        ({"runners": 3, "seats": {}}, True),
        ({"path": 1}, True),
        ({"runners": 3, "path": 1}, False),
        ({"seats": {}, "path": 1}, False),
    ],
)
def test_the_schema_distinguishes_the_forms(raw: Json, is_valid: bool) -> None:
    assert jsonschema_rs.Draft202012Validator(VEHICLE.schema()).is_valid(raw) is is_valid


CONDITIONS: list[Json] = [
    *OneOf("a", "b", "c").schema("abc"),
    *Excludes("a", "b", c="remove it").schema("abc"),
    *Excludes("a", b="remove it", c="remove it").schema("abc"),
    *NotBoth("a", "b").schema("ab"),
    {"not": {"required": ["a"]}, "anyOf": [{"required": [name]} for name in "bc"]},
    {"not": {"anyOf": [{"required": [name]} for name in "ab"]}},
    {"properties": {"a": {"const": "x"}}, "required": ["a"]},
]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_translated_condition_says_what_the_schema_says(condition: Json) -> None:
    valid = jsonschema_rs.Draft202012Validator(condition)
    test = eval(f"lambda raw: {translate(condition, lambda name: f'{name!r} in raw', 'raw')}")
    present = [names for count in range(4) for names in combinations("abc", count)]
    raws = [dict.fromkeys(names, word) for names in present for word in "xy"]
    verdicts = [valid.is_valid(raw) for raw in raws]
    assert [test(raw) for raw in raws] == verdicts
    assert len({*verdicts}) == 2


def test_objects_of_several_tables_are_read_in_order() -> None:
    findings: list[Finding] = []
    raws: list[Json] = [{"runners": 1}, {"path": 0}, {"runners": 5}, {"path": 1, "rail": 0}]
    cursors = [Fields(raw, f"/carts/{at}", findings) for at, raw in enumerate(raws)]
    objects = [(VEHICLE.table(fields.raw), fields, at) for at, fields in enumerate(cursors)]
    views = [*read_all(objects, arrays())]
    assert [view.pointer for view in views] == [f"/carts/{at}" for at in range(4)]
    assert [type(view) for view in views] == [Sledge, Cart, Sledge, Cart]
    assert [f.pointer for f in findings] == ["/carts/2/runners", "/carts/3"]


def test_objects_by_name() -> None:
    class Shop(Part, frozen=True):
        """Paints."""

        paints: Annotated[dict[str, Paint] | None, Map(table=PAINT)] = None
        first: Annotated[Paint | None, Nested(table=PAINT)] = None

    shop = Table(Shop)
    assert mutable("/shop", shop).keys() == {"/shop/paints/*/gloss", "/shop/first/gloss"}
    assert shop.schema()["properties"]["paints"]["additionalProperties"] == PAINT.schema()


def test_a_nested_object_is_read_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    class Shop(Part, frozen=True):
        """A paint."""

        first: Annotated[Paint | None, Nested(table=PAINT)] = None

    monkeypatch.setattr(Table, "read_carefully", None)
    assert read({"first": {"gloss": 0}}, Table(Shop))[0].first == Paint(0.0)
    assert read({}, Table(Shop))[0] == Shop(7, "/cart")


def test_a_function_of_the_values_serves_both_readers() -> None:
    def halve(fields: Any, values: dict[str, Any]) -> bool:
        if values["width"] > 10:
            fields.report("VALUE_NOT_IN_RANGE", "it is too wide", "make it narrow", "width")
            return False
        values["width"] /= 2
        return True

    class Door(Part, frozen=True):
        width: Annotated[float, Number()] = 1.0

    table = Table(Door, Says(halve))
    arrays = Arrays(Document({}))
    for raw, width in (({"width": 4}, 2.0), ({}, 0.5)):
        quick = read_all([(table, Fields(raw, "/0", []), 0)], arrays)
        assert [view.width for view in quick] == [width]
        assert table.read_carefully(Fields(raw, "/0", []), arrays).width == width
    wide = Fields({"width": 11}, "/0", [])
    assert table.read(wide, arrays) is None
    assert [(found.code, found.pointer) for found in wide.findings] == [
        ("VALUE_NOT_IN_RANGE", "/0/width")
    ]


def test_a_rule_says_when_regular_objects_are_odd() -> None:
    class Forgetful(Rule):
        """A rule without the aspect of regular objects."""

    with pytest.raises(TypeError, match="odd"):
        Forgetful()  # type: ignore[abstract]


def test_a_row_is_one_line() -> None:
    """A member that is added to a class is in everything that follows from it."""

    class Longer(Cart, frozen=True, kw_only=True):
        """A cart with a beam."""

        beam: Annotated[float, Number(unit="m", least=0.0, about="Its length.")] = 1.0

    table = Table(Longer)
    view, findings = read({"path": 0, "beam": 2}, table)
    assert (view.beam, findings) == (2.0, [])
    assert table.write(view, NOWHERE) == {"path": 0, "beam": 2.0}
    assert table.schema()["properties"]["beam"] == {
        "description": "Its length. [m]",
        "type": "number",
        "minimum": 0.0,
    }
    assert mutable("", table)["/beam"].attribute == "beam"
    assert [d.what for d in differences(table, view, read({"path": 0}, table)[0])] == ["beam [m]"]
    (page,) = (section.text for section in sections([("/cart", table)]) if section.title == "cart")
    assert "| `beam` | number from 0 [m] | `1` | yes | Its length. |" in page


def test_kinds_of_rows_answer_every_question() -> None:
    row = Row(name="x")
    for question in (row.plain, row.content, lambda: row.read(Fields({}, "", []), arrays())):
        with pytest.raises(NotImplementedError):
            question()

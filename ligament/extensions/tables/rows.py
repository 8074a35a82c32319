"""Rows: the kinds of members that objects have, and how each is read, written and described.

A row stands in the annotation of an attribute, which gives its name, type and default. Every kind
answers four questions: the type of its regular JSON (`kind`, from which its schema follows), how
that becomes the attribute (`expression`), how to read any JSON with findings (`read`), and its JSON
(`json`).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Protocol, Self, get_args

from msgspec import Meta, Struct, structs

from ligament.extensions.fields import UNIT_TOLERANCE, Bounds, Fields, Target
from ligament.gltf import pointers

if TYPE_CHECKING:
    from ligament.extensions.tables.arrays import Arrays
    from ligament.extensions.tables.table import Table

LARGEST = sys.float_info.max
"""A bound that refuses infinity only."""

AXES = Target("the axes", 3)

Json = dict[str, Any]
Plain = tuple[str, Any, Any]
"""JSON name, type and default of a member of a regular object."""

Bind = Callable[[Any], str]
"""Gives a value a name in the code of an expression."""

REFUSED: Any = object()


class IrregularError(Exception):
    """A value that only the careful reader understands."""


def refuse(*_: Any) -> Any:
    """Leave an object to the careful reader."""
    raise IrregularError


class Places(Protocol):
    """Finds the indices of elements when views are written."""

    def place(self, array: str, element: Any) -> int:
        """Return the index of an element in an array, or raise LookupError."""
        raise LookupError(array)


class Nowhere(Places):
    """Places of elements that no view names."""


NOWHERE = Nowhere()


class Row(Struct, frozen=True, kw_only=True):
    """A member of an object.

    `name` is its JSON name, in camel case like the attribute unless given; `others` are older
    names. `since` and `until` are the first and the last revision that has it, members of an enum
    that lists the newest first. `animated` members may be the target of an animation pointer;
    `has_default` is False where the format names no default. `turns` marks vectors and rotations
    that turn with the axes of the node. An `is_written` member is written even where it is the
    default, as is one `beside` an attribute that is not 0. A missing `required` one is a finding,
    and the object of no use. All faults of the member have the code `code`, if there is one, with
    `valid` as what it must be; `words` name the member where its attribute does not.

    The table sets `attribute` and `default`.
    """

    name: str = ""
    others: tuple[str, ...] = ()
    about: str = ""
    unit: str = ""
    required: bool = False
    animated: bool = False
    has_default: bool | None = None
    turns: bool = False
    is_written: bool = False
    beside: str = ""
    since: StrEnum | None = None
    until: StrEnum | None = None
    code: str = ""
    valid: str = ""
    words: str = ""
    attribute: str = ""
    default: Any = None

    @property
    def names(self) -> tuple[str, ...]:
        """All JSON names that belong to the row."""
        return (self.name, *self.others)

    def present(self, fields: Fields) -> str:
        """Return the first name that is present, else the first of all."""
        return next((name for name in self.names if name in fields), self.names[0])

    def kind(self) -> Any:
        """Return the type of regular JSON, with its bounds."""
        raise NotImplementedError

    @property
    def absent(self) -> Any:
        """What a regular object has where the member is absent."""
        return self.default

    def plain(self) -> list[Plain] | None:
        """Return the members of regular JSON: none if they are absent there.

        None: all objects with such a row take the careful reader.
        """
        return [(self.name, self.kind(), self.absent)]

    def expression(self, value: str, arrays: Arrays, bind: Bind) -> str:
        """Return the Python expression that turns a regular value into the attribute.

        `value` is the code of the member, or of the whole object if the row has several members.
        """
        return value

    def read(self, fields: Fields, arrays: Arrays) -> Any:
        """Read the member from any JSON, with findings."""
        raise NotImplementedError

    def read_at(self, fields: Fields, arrays: Arrays, index: int) -> Any:
        """Read the member of the object at a place, with the code of the row in findings."""
        if not self.code:
            return self.read(fields, arrays)
        before = len(fields.findings)
        value = self.read(fields, arrays)
        if len(fields.findings) > before:
            del fields.findings[before:]
            name = self.present(fields)
            found = f"found {pointers.found(fields.raw[name])}"
            fields.report(self.code, found, self.remedy(arrays), name)
        elif self.required and (name := self.present(fields)) not in fields:
            fields.report(self.code, f"{name} is missing", self.remedy(arrays))
        return value

    def remedy(self, arrays: Arrays) -> str:
        """Say what the member must be, where the row has a code."""
        return f"it must be {self.valid}"

    def json(self, value: Any, places: Places) -> Any:
        """Return the JSON of a value that is not None; None for one that JSON cannot hold."""
        return value

    def content(self) -> Json:
        """Return the JSON Schema of the member's value."""
        return schema_of(self.kind())

    def schema(self) -> dict[str, Json]:
        """Return the JSON Schemas of the row's members."""
        unit = f" [{self.unit}]" if self.unit else ""
        text = {"description": f"{self.meaning}{unit}"} if self.meaning else {}
        return {name: {**text, **self.content()} for name in self.names}

    @property
    def meaning(self) -> str:
        """The description without the unit."""
        return self.about

    def at(self, revision: StrEnum) -> Row | None:
        """Return the row as one revision has it; None if it has not."""
        age = [*type(revision)].index
        is_new = self.since is not None and age(revision) > age(self.since)
        is_old = self.until is not None and age(revision) < age(self.until)
        return None if is_new or is_old else self

    def members(self) -> Iterator[tuple[str, Row]]:
        """Yield name and row of each member; only indices are followed under older names too."""
        yield self.name, self

    def objects(self, at: str) -> Iterator[tuple[str, Table]]:
        """Yield pattern and table of the objects below the member of the object `at`."""
        yield from ()

    @property
    def is_defined(self) -> bool:
        """Tell whether the member has a value where the file does not write it."""
        if self.has_default is None:
            return self.default not in (None, math.inf, -math.inf)
        return self.has_default

    def changed(self, **columns: Any) -> Self:
        """Return the row with some columns changed."""
        return structs.replace(self, **columns)


class Number(Row, frozen=True, kw_only=True):
    """A number from `least` to `most`; `is_above`: without the least itself.

    `zero` is the meaning of 0, if it has another one; `overflow` that of numbers too large for a
    double, which are refused unless it is given.
    """

    least: float | None = None
    most: float | None = None
    is_above: bool = False
    zero: float | None = None
    overflow: Any = REFUSED
    animated: bool = True

    @property
    def meaning(self) -> str:
        return f"{self.about} 0 means infinite.".strip() if self.zero == math.inf else self.about

    def kind(self) -> Any:
        least = -LARGEST if self.least is None else max(self.least, -LARGEST)
        most = LARGEST if self.most is None else min(self.most, LARGEST)
        bounds = Meta(gt=least, le=most) if self.is_above else Meta(ge=least, le=most)
        return Annotated[float, bounds]

    @property
    def width(self) -> int:
        """Components of the accessor that animates it."""
        return 1

    def bounds(self) -> Bounds:
        """Return the bounds as the getters of `Fields` take them."""
        bounds: Bounds = {"exclusive": self.is_above, "infinite": self.overflow is not REFUSED}
        if self.least is not None:
            bounds["minimum"] = self.least
        if self.most is not None:
            bounds["maximum"] = self.most
        return bounds

    def expression(self, value: str, arrays: Arrays, bind: Bind) -> str:
        return value if self.zero is None else f"{bind(self.zero)} if {value} == 0 else {value}"

    def read(self, fields: Fields, arrays: Arrays) -> Any:
        name = fields.first_of(self.names) if self.others else self.name
        value = fields.number(name, self.default, **self.bounds())
        if value == 0 and self.zero is not None:
            return self.zero
        is_large = value == math.inf and self.overflow is not REFUSED
        return self.overflow if is_large and value != self.default else value

    def json(self, value: Any, places: Places) -> Any:
        if value == self.zero:
            return 0.0
        return value if math.isfinite(value) else None


class Numbers(Number, frozen=True, kw_only=True):
    """`count` numbers, as an array; None: any count."""

    count: int | None = 3

    def kind(self) -> Any:
        one = super().kind()
        return tuple.__class_getitem__((one, ...) if self.count is None else (one,) * self.count)

    @property
    def width(self) -> int:
        return self.count or 1

    def expression(self, value: str, arrays: Arrays, bind: Bind) -> str:
        if self.zero is None:
            return value
        return f"{value} if {value} is None or 0 not in {value} else {bind(self._meant)}({value})"

    def _meant(self, values: tuple[float, ...]) -> tuple[Any, ...]:
        return tuple(self.zero if value == 0 else value for value in values)

    def read(self, fields: Fields, arrays: Arrays) -> Any:
        values = fields.vector(self.name, self.count, self.default, **self.bounds())
        return values if values is None or self.zero is None else self._meant(values)

    def json(self, value: Any, places: Places) -> Any:
        return [0.0 if number == self.zero else number for number in value]


class Rotation(Numbers, frozen=True, kw_only=True):
    """A unit quaternion xyzw; any other is normalized, with a finding."""

    count: int | None = 4

    def expression(self, value: str, arrays: Arrays, bind: Bind) -> str:
        return f"{value} if {value} is {bind(self.default)} else {bind(_unit)}({value})"

    def read(self, fields: Fields, arrays: Arrays) -> Any:
        return fields.rotation(self.name, self.default)


def _unit(rotation: tuple[float, float, float, float]) -> tuple[float, ...]:
    length = math.hypot(*rotation)
    if not abs(length - 1) <= UNIT_TOLERANCE:
        raise IrregularError
    x, y, z, w = rotation
    return x / length, y / length, z / length, w / length


class Anything(Row, frozen=True, kw_only=True):
    """A member whose value means nothing in an object of this kind."""

    has_default: bool | None = False

    def kind(self) -> Any:
        return Any

    def expression(self, value: str, arrays: Arrays, bind: Bind) -> str:
        return "None"

    def read(self, fields: Fields, arrays: Arrays) -> None:
        return None


class Integer(Row, frozen=True, kw_only=True):
    """A whole number from `least` to `most`."""

    least: int = 0
    most: int = 2**31

    def kind(self) -> Any:
        return Annotated[int, Meta(ge=self.least, le=self.most)]

    def read(self, fields: Fields, arrays: Arrays) -> Any:
        return fields.integer(self.name, self.default, minimum=self.least, maximum=self.most)


class Flag(Row, frozen=True, kw_only=True):
    """True or false, or the two values that they stand for."""

    yes: Any = True
    no: Any = False
    animated: bool = True
    has_default: bool | None = True

    def kind(self) -> Any:
        return bool

    @property
    def absent(self) -> bool:
        return bool(self.default == self.yes)

    def expression(self, value: str, arrays: Arrays, bind: Bind) -> str:
        return value if self.yes is True else f"{bind(self.yes)} if {value} else {bind(self.no)}"

    def read(self, fields: Fields, arrays: Arrays) -> Any:
        return self.yes if fields.boolean(self.name, self.absent) else self.no

    def json(self, value: Any, places: Places) -> Any:
        return value == self.yes


class Choice(Row, frozen=True, kw_only=True):
    """One of a closed set of words, each with its meaning; the first word of one is written."""

    choices: Mapping[str, Any] = {}

    absent: ClassVar = None

    @classmethod
    def of(cls, *words: str, **columns: Any) -> Self:
        """Return the choice of words that mean themselves."""
        return cls(choices=dict(zip(words, words, strict=True)), **columns)

    def kind(self) -> Any:
        return str

    def content(self) -> Json:
        return {"enum": [*self.choices]}

    def expression(self, value: str, arrays: Arrays, bind: Bind) -> str:
        return f"{bind({None: self.default, **self.choices})}[{value}]"

    def read(self, fields: Fields, arrays: Arrays) -> Any:
        return fields.choice(self.name, self.choices, self.default)

    def json(self, value: Any, places: Places) -> Any:
        return next(word for word, meaning in self.choices.items() if meaning == value)


class Text(Row, frozen=True, kw_only=True):
    """A string; schemas ask for `least` characters."""

    least: int = 0

    def kind(self) -> Any:
        return Annotated[str, Meta(min_length=self.least)]

    def read(self, fields: Fields, arrays: Arrays) -> Any:
        return fields.string(self.name, self.default)


class Words(Row, frozen=True, kw_only=True):
    """A set of strings; absent is not the same as empty unless the default is the empty set.

    Schemas ask for `least` of them.
    """

    least: int = 0
    absent: ClassVar = None

    def kind(self) -> Any:
        return Annotated[list[str], Meta(min_length=self.least)]

    def expression(self, value: str, arrays: Arrays, bind: Bind) -> str:
        return f"{bind(self.default)} if {value} is None else frozenset({value})"

    def read(self, fields: Fields, arrays: Arrays) -> Any:
        words = fields.strings(self.name)
        return self.default if words is None else frozenset(words)

    def json(self, value: Any, places: Places) -> Any:
        return sorted(value)


class Index(Row, frozen=True, kw_only=True):
    """An index in `array`: "A | B" is the first of these that the file has.

    Names of arrays without a slash are those of the extension's object at the root. An `essential`
    index takes its object along when its target is removed. `none` is an index that stands for
    none, as -1 in VRM 0.x.
    """

    array: str = ""
    essential: bool = False
    none: int | None = None

    absent: ClassVar = None

    def kind(self) -> Any:
        return Annotated[int, Meta(ge=min(self.none or 0, 0))]

    def expression(self, value: str, arrays: Arrays, bind: Bind) -> str:
        count = bind(arrays.target(self.array).length or 0)
        known = f"{value} if {value} is None or 0 <= {value} < {count} else {bind(refuse)}()"
        return known if self.none is None else f"None if {value} == {self.none} else {known}"

    def read(self, fields: Fields, arrays: Arrays) -> Any:
        is_none = self.none is not None and fields.raw.get(self.name) == self.none
        return None if is_none else self.pick(fields, arrays)

    def pick(self, fields: Fields, arrays: Arrays) -> Any:
        """Read an index that does not stand for none."""
        return fields.index(self.name, arrays.target(self.array))

    def remedy(self, arrays: Arrays) -> str:
        return f"it must be {self.valid}, 0 to {(arrays.target(self.array).length or 0) - 1}"

    def members(self) -> Iterator[tuple[str, Row]]:
        for name in self.names:
            yield name, self


class Element(Index, frozen=True, kw_only=True):
    """An index that stands for the element itself, read before into `arrays`."""

    def expression(self, value: str, arrays: Arrays, bind: Bind) -> str:
        known = {**arrays.catalogue(self.array).by_index(), self.none: None}
        if self.required:
            del known[None]
        return f"{bind(known)}[{value}]"

    def pick(self, fields: Fields, arrays: Arrays) -> Any:
        return arrays.catalogue(self.array).pick(fields, self.name)

    def json(self, value: Any, places: Places) -> Any:
        return places.place(self.array, value)


class Indices(Row, frozen=True, kw_only=True):
    """Distinct indices in `array`, at least `least`; `beyond` is the code of those past its end.

    An `essential` list takes its object along when its last index is removed.
    """

    array: str = ""
    essential: bool = False
    beyond: str = "UNRESOLVED_REFERENCE"
    least: int = 1

    absent: ClassVar = ()

    def kind(self) -> Any:
        distinct = Meta(min_length=self.least, extra_json_schema={"uniqueItems": True})
        return Annotated[list[Annotated[int, Meta(ge=0)]], distinct]

    def expression(self, value: str, arrays: Arrays, bind: Bind) -> str:
        count = arrays.target(self.array).length or 0

        def distinct(indices: Collection[int]) -> tuple[int, ...]:
            if len({*indices}) < len(indices) or max(indices) >= count:
                raise IrregularError
            return tuple(indices)

        return f"{bind(distinct)}({value}) if {value} else ()"

    def read(self, fields: Fields, arrays: Arrays) -> Any:
        if self.least == 0 and fields.raw.get(self.name) == []:
            return ()
        return fields.indices(self.name, arrays.target(self.array), beyond=self.beyond)

    def json(self, value: Any, places: Places) -> Any:
        return [*value]


_TYPES = {float: "number", int: "integer", bool: "boolean", str: "string"}
_SIZES = ("minItems", "maxItems")


def schema_of(kind: Any) -> Json:
    """Return the JSON Schema of a type, with whole bounds as integers: validators are faster."""
    if kind is Any or kind in _TYPES:
        return {} if kind is Any else {"type": _TYPES[kind]}
    if not hasattr(kind, "__metadata__"):
        of, *others = get_args(kind)
        sizes = {} if others in ([], [...]) else dict.fromkeys(_SIZES, 1 + len(others))
        return {"type": "array", "items": schema_of(of), **sizes}
    schema, meta = schema_of(kind.__origin__), kind.__metadata__[0]
    size = "Length" if schema["type"] == "string" else "Items"
    bounds = {"minimum": meta.ge, "exclusiveMinimum": meta.gt, "maximum": meta.le}
    lengths = {f"min{size}": meta.min_length or None, f"max{size}": meta.max_length}
    for keyword, bound in {**bounds, **lengths}.items():
        if bound not in (None, LARGEST, -LARGEST):
            schema[keyword] = int(bound) if bound == int(bound) else bound
    return schema | (meta.extra_json_schema or {})

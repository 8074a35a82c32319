"""Cursors over raw JSON whose typed getters never raise: faults become findings.

A getter returns its default if a member is absent or invalid, in the latter case with a finding
that says what was found and what would be valid. The codes are those of the glTF validator.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import (
    Any,
    Generic,
    Literal,
    NamedTuple,
    TypeAlias,
    TypedDict,
    TypeVar,
    Unpack,
    overload,
)

from ligament.findings import Finding, finding
from ligament.gltf import pointers

Vector: TypeAlias = tuple[float, float, float]
Quaternion: TypeAlias = tuple[float, float, float, float]

T = TypeVar("T")
C = TypeVar("C")

ANYWHERE = frozenset({"extensions", "extras"})
"""Members that every object of glTF may have."""

UNIT_TOLERANCE = 0.00769
"""Largest deviation of a quaternion's length from 1: the validator's tolerance for bytes."""


MANY, ALTERNATING = 10_000, 8
"""Findings in an array after which each code is reported once; codes may alternate."""


class Target(NamedTuple):
    """An array that indices refer to: its pointer and length, None if its owner is absent."""

    pointer: str
    length: int | None

    @classmethod
    def at(cls, root: Any, pointer: str) -> Target:
        """Measure the array at `pointer`; one that is missing from its owner has no elements."""
        owner, _, name = pointer.rpartition("/")
        found = pointers.find(root, owner)
        array = found.get(name) if isinstance(found, dict) else None
        length = len(array) if isinstance(array, list) else 0
        return cls(pointer, length if isinstance(found, dict) else None)


class Bounds(TypedDict, total=False):
    """The range of a number, both ends included; `exclusive`: without its minimum.

    `infinite` numbers, which JSON writes as numbers too large for a double, are taken as they are.
    """

    minimum: float
    maximum: float
    exclusive: bool
    infinite: bool


class Fields:
    """One JSON object, its pointer, and the list of findings."""

    __slots__ = ("findings", "pointer", "raw")

    def __init__(self, raw: dict[str, Any], pointer: str, findings: list[Finding]) -> None:
        self.raw = raw
        self.pointer = pointer
        self.findings = findings

    @classmethod
    def of(cls, raw: Any, pointer: str, findings: list[Finding]) -> Fields | None:
        """Return a cursor on `raw`, or None with a finding if it is not an object."""
        if isinstance(raw, dict):
            return cls(raw, pointer, findings)
        cls({}, pointer, findings)._wrong("TYPE_MISMATCH", raw, pointer, "an object")
        return None

    def __contains__(self, name: str) -> bool:
        """Tell whether the member is present, whatever its value."""
        return name in self.raw

    def first_of(self, names: Sequence[str]) -> str:
        """Return the first present one of several names of a member, else the first name."""
        present = [name for name in names if name in self.raw]
        for other in present[1:]:
            self.misplaced(other, f"{present[0]} already sets it")
        return present[0] if present else names[0]

    def report(self, code: str, message: str, remedy: str, *path: str | int) -> None:
        """Add a finding about this object, or about the value at `path` below it."""
        self._add(finding(code, pointers.join(self.pointer, *path), message, remedy))

    def only(self, names: Collection[str]) -> None:
        """Report every member that is neither in `names` nor allowed everywhere."""
        for name in self.raw:
            if name not in names and name not in ANYWHERE:
                message = f"the member {pointers.found(name)} is unknown"
                self.report("UNEXPECTED_PROPERTY", message, "move it to extras or remove it", name)

    def misplaced(self, name: str, remedy: str) -> None:
        """Report a present member as one that does not belong with the others."""
        if name in self.raw:
            message = f"{name} has no meaning here and is ignored"
            self.report("UNEXPECTED_PROPERTY", message, remedy, name)

    def required(self, *names: str) -> bool:
        """Tell whether all members are present; one finding lists the missing ones."""
        missing = [name for name in names if name not in self.raw]
        if missing:
            verb = "is" if len(missing) == 1 else "are"
            message = f"{' and '.join(missing)} {verb} missing"
            self.report("UNDEFINED_PROPERTY", message, f"add {' and '.join(missing)}")
        return not missing

    def one_of(self, *names: str) -> str | None:
        """Return the first of the members that is present, and report it if there are several."""
        present = [name for name in names if name in self.raw]
        if len(present) != 1:
            message = f"found {' and '.join(present) or 'none'} of {', '.join(names)}"
            self.report("ONE_OF_MISMATCH", message, "exactly one of them must be present")
        return present[0] if present else None

    def number(self, name: str, default: T, **bounds: Unpack[Bounds]) -> float | T:
        """Read a number within bounds."""
        if name not in self.raw:
            return default
        value = self._number(self.raw[name], f"{self.pointer}/{name}", bounds)
        return default if value is None else value

    def integer(self, name: str, default: T, **bounds: Unpack[Bounds]) -> int | T:
        """Read a whole number within bounds."""
        if name not in self.raw:
            return default
        place = f"{self.pointer}/{name}"
        value = self._integer(self.raw[name], place)
        if value is None or _hold(bounds, value):
            return default if value is None else value
        self._wrong("VALUE_NOT_IN_RANGE", value, place, _words("an integer", bounds))
        return default

    def boolean(self, name: str, default: T) -> bool | T:
        """Read true or false."""
        value = self._typed(name, bool, "a boolean")
        return default if value is None else value

    def string(self, name: str, default: T) -> str | T:
        """Read a string."""
        value = self._typed(name, str, "a string")
        return default if value is None else value

    @overload
    def choice(self, name: str, choices: Mapping[str, C], default: T) -> C | T: ...
    @overload
    def choice(self, name: str, choices: Iterable[C], default: T) -> C | T: ...
    def choice(self, name: str, choices: Any, default: Any) -> Any:
        """Read one of a closed set of strings: a StrEnum, a list, or what each of them means."""
        value = self._typed(name, str, "a string")
        if value is None:
            return default
        meanings = choices if isinstance(choices, Mapping) else {str(c): c for c in choices}
        if value not in meanings:
            valid = f"one of {', '.join(meanings)}"
            self._wrong("VALUE_NOT_IN_LIST", value, f"{self.pointer}/{name}", valid)
        return meanings.get(value, default)

    @overload
    def vector(
        self, name: str, length: Literal[3], default: T, **bounds: Unpack[Bounds]
    ) -> Vector | T: ...
    @overload
    def vector(
        self, name: str, length: int | None, default: T, **bounds: Unpack[Bounds]
    ) -> tuple[float, ...] | T: ...
    def vector(self, name: str, length: int | None, default: Any, **bounds: Unpack[Bounds]) -> Any:
        """Read `length` numbers (None: any count); the default if any of them is invalid."""
        raw = self._typed(name, list, "an array of numbers")
        if raw is None:
            return default
        if length is not None and len(raw) != length:
            message, remedy = f"found {len(raw)} elements", f"there must be {length} numbers"
            self.report("ARRAY_LENGTH_NOT_IN_LIST", message, remedy, name)
            return default
        place = f"{self.pointer}/{name}"
        values = tuple(self._number(v, f"{place}/{i}", bounds) for i, v in enumerate(raw))
        return default if None in values else values

    def rotation(self, name: str, default: T) -> Quaternion | T:
        """Read a quaternion xyzw and normalize it, with a finding if it was not a unit one."""
        value = self.vector(name, 4, None)
        if value is None:
            return default
        length = math.hypot(*value)
        if not abs(length - 1) <= UNIT_TOLERANCE:
            self._add(non_unit(f"{self.pointer}/{name}", length))
        if not 0 < length < math.inf:
            return default
        x, y, z, w = (component / length for component in value)
        return x, y, z, w

    def index(self, name: str, target: Target) -> int | None:
        """Read an index in `target`; None if it is absent or out of range."""
        if name not in self.raw:
            return None
        if target.length is None:
            owner = target.pointer.rpartition("/")[0]
            remedy = f"add {owner} or remove {name}"
            self.report("UNSATISFIED_DEPENDENCY", f"{name} needs {owner}, which is missing", remedy)
            return None
        return self._index(self.raw[name], f"{self.pointer}/{name}", target, "UNRESOLVED_REFERENCE")

    def indices(
        self, name: str, target: Target, *, beyond: str = "UNRESOLVED_REFERENCE"
    ) -> tuple[int, ...]:
        """Read distinct indices, at least one if the array is present, skipping invalid ones.

        `beyond` is the code for those past the end of the target.
        """
        return tuple(self.places(name, target, beyond=beyond))

    def places(
        self, name: str, target: Target, *, beyond: str = "UNRESOLVED_REFERENCE"
    ) -> dict[int, int]:
        """Read indices like `indices`, each with its position in the array."""
        places: dict[int, int] = {}
        for place, (pointer, raw) in enumerate(self._elements(name, "an array of indices")):
            index = self._index(raw, pointer, target, beyond)
            if index in places:
                message = f"{index} is listed twice"
                remedy = "name each element once"
                self._add(finding("DUPLICATE_ELEMENTS", pointer, message, remedy))
            elif index is not None:
                places[index] = place
        return places

    def strings(self, name: str) -> tuple[str, ...] | None:
        """Read an array of strings, which may be empty, skipping invalid ones."""
        raw = self._typed(name, list, "an array of strings")
        if raw is None:
            return None
        for index, value in enumerate(raw):
            if not isinstance(value, str):
                place = f"{self.pointer}/{name}/{index}"
                self._wrong("TYPE_MISMATCH", value, place, "a string")
        return tuple(value for value in raw if isinstance(value, str))

    def object(self, name: str) -> Fields | None:
        """Return a cursor on a member that is an object."""
        if name not in self.raw:
            return None
        return Fields.of(self.raw[name], f"{self.pointer}/{name}", self.findings)

    def objects(self, name: str) -> list[Fields | None]:
        """Return a cursor on every object of an array, in place; None for invalid elements."""
        found = self._elements(name, "an array of objects")
        return [Fields.of(raw, place, self.findings) for place, raw in found]

    def extension(self, name: str) -> Fields | None:
        """Return a cursor on the object of an extension, ignoring faults in others."""
        extensions = self.raw.get("extensions")
        if not isinstance(extensions, dict) or name not in extensions:
            return None
        return Fields.of(extensions[name], f"{self.pointer}/extensions/{name}", self.findings)

    def _elements(self, name: str, valid: str) -> Iterator[tuple[str, Any]]:
        """Yield (pointer, element) of an array that must not be empty."""
        raw = self._typed(name, list, valid)
        if raw == []:
            self._add(empty_array(self.pointer, name))
        for index, element in enumerate(raw or ()):
            yield f"{self.pointer}/{name}/{index}", element

    def _typed(self, name: str, kind: type[T], valid: str) -> T | None:
        if name not in self.raw:
            return None
        value = self.raw[name]
        if isinstance(value, kind):
            return value
        self._wrong("TYPE_MISMATCH", value, f"{self.pointer}/{name}", valid)
        return None

    def _number(self, raw: Any, pointer: str, bounds: Bounds) -> float | None:
        if isinstance(raw, bool) or not isinstance(raw, (int, float)):
            self._wrong("TYPE_MISMATCH", raw, pointer, "a number")
            return None
        try:
            value = float(raw)
        except OverflowError:
            value = math.inf
        if math.isfinite(value) and _hold(bounds, value):
            return value
        if math.isinf(value) and bounds.get("infinite") and _hold(bounds, value):
            self._add(overflow(pointer))
            return value
        self._wrong("VALUE_NOT_IN_RANGE", raw, pointer, _words("a finite number", bounds))
        return None

    def _integer(self, raw: Any, pointer: str) -> int | None:
        whole = isinstance(raw, int) or (isinstance(raw, float) and raw.is_integer())
        if whole and not isinstance(raw, bool):
            return int(raw)
        self._wrong("TYPE_MISMATCH", raw, pointer, "an integer")
        return None

    def _index(self, raw: Any, pointer: str, target: Target, beyond: str) -> int | None:
        index, count = self._integer(raw, pointer), target.length or 0
        if index is None or 0 <= index < count:
            return index
        if index < 0:
            self._wrong("INVALID_INDEX", index, pointer, "an integer of at least 0")
        else:
            self._add(unresolved(pointer, index, target.pointer, count, beyond))
        return None

    def _wrong(self, code: str, value: Any, pointer: str, valid: str) -> None:
        self._add(finding(code, pointer, f"found {_shown(value)}", f"it must be {valid}"))

    def _add(self, found: Finding) -> None:
        if len(self.findings) < MANY or not self._is_counted(found):
            self.findings.append(found)

    def _is_counted(self, found: Finding) -> bool:
        """Count a finding with one of the last that tells the same of another array element."""
        array, _, place = found.pointer.rpartition("/")
        for at in range(-ALTERNATING, 0) if place.isdigit() else ():
            known = self.findings[at]
            if known.code == found.code and known.pointer.rpartition("/")[0] == array:
                self.findings[at] = known._replace(times=known.times + 1)
                return True
        return False


def overflow(pointer: str) -> Finding:
    """Report a number too large for a double."""
    message = "the number is too large for a double, so it is read as infinity"
    remedy = "leave it out where that means the same"
    return finding("NUMBER_INFINITE", pointer, message, remedy)


def non_unit(pointer: str, length: float) -> Finding:
    """Report a quaternion that has another length than 1."""
    valid = "a quaternion must have length 1"
    return finding("ROTATION_NON_UNIT", pointer, f"found a length of {length:.6g}", valid)


def empty_array(owner: str, name: str) -> Finding:
    """Report a member of the object at `owner` that is an array without elements."""
    remedy = f"fill or remove {name}"
    return finding("EMPTY_ENTITY", f"{owner}/{name}", "found an empty array", remedy)


def unresolved(
    pointer: str, index: int, target: str, count: int, code: str = "UNRESOLVED_REFERENCE"
) -> Finding:
    """Report an index past the end of the array `target`, which has `count` elements."""
    remedy = f"use 0 to {count - 1}" if count else "remove it"
    return finding(code, pointer, f"{target} has no element {_shown(index)}", remedy)


def _hold(bounds: Bounds, value: float) -> bool:
    if value > bounds.get("maximum", math.inf):
        return False
    minimum = bounds.get("minimum", -math.inf)
    return value > minimum if bounds.get("exclusive") else value >= minimum


def _words(kind: str, bounds: Bounds) -> str:
    """Say what would be valid: "a finite number of at least 0 and at most 2"."""
    least = "above" if bounds.get("exclusive") else "of at least"
    parts = [f"{least} {bounds['minimum']:g}"] if "minimum" in bounds else []
    parts += [f"at most {bounds['maximum']:g}"] if "maximum" in bounds else []
    return f"{kind} {' and '.join(parts)}".rstrip()


def _shown(value: Any) -> str:
    """Show a value; Python refuses to print integers of thousands of digits."""
    vast = isinstance(value, int) and value.bit_length() > 1000
    return "a huge number" if vast else pointers.found(value)


class Catalogue(NamedTuple, Generic[T]):
    """Parsed elements of an array, in order; None for invalid ones."""

    target: Target
    items: Sequence[T | None]

    def by_index(self) -> dict[int | None, T | None]:
        """Return valid elements by index, and None for an absent index."""
        return {None: None, **{i: item for i, item in enumerate(self.items) if item is not None}}

    @classmethod
    def read(
        cls, owner: Fields | None, pointer: str, read: Callable[[Fields], T | None]
    ) -> Catalogue[T]:
        """Read every object of the array at `pointer`, a member of `owner` (None: absent)."""
        if owner is None:
            return cls(Target(pointer, None), ())
        elements = owner.objects(pointer.rpartition("/")[2])
        items = [None if element is None else read(element) for element in elements]
        return cls(Target(pointer, len(items)), items)

    def pick(self, fields: Fields, member: str) -> T | None:
        """Return the element that an index refers to; None if absent or out of range."""
        index = fields.index(member, self.target)
        return None if index is None else self.items[index]

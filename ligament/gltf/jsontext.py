"""JSON text, decoded and encoded strictly: nothing is dropped or changed silently.

msgspec does the work. What it would accept silently (duplicate member names, NaN written as
null) is caught here, at the cost of one re-encoding that also serves as the document's fingerprint.

A number too large for a double, such as 1e99999, which some exporters write for infinity, is valid
JSON and is read as an infinite `Overflow`, which is written back as it was spelled.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import itertools
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, NoReturn

import msgspec
import numpy as np

from ligament.errors import ContentError, FormatError
from ligament.gltf import pointers
from ligament.limits import DEFAULT, Limits

MANY = 50_000
"""New objects above which a garbage collection takes noticeable time, a few milliseconds."""

EVERY = 16
"""Number of pauses with many new objects after which one ends in a full collection."""

_promotions = itertools.count(1)


@contextlib.contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the garbage collector, which would walk all objects after every few new ones.

    Decoded JSON and lists of references are many objects without cycles: there is nothing to
    collect, and creating them takes half the time.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        _promote_new_objects()
        gc.enable()


def _promote_new_objects() -> None:
    """Move very many new objects to the oldest generation, as if they had survived collections.

    Otherwise the collector would walk all of them at once, for nothing. Freezing and unfreezing
    moves whole lists; objects that the program itself has frozen stay so. Garbage of the program
    ages along, so that now and then a full collection is due.
    """
    if gc.get_count()[0] < MANY or gc.get_freeze_count():
        return
    if next(_promotions) % EVERY:
        gc.freeze()
        gc.unfreeze()
    else:
        gc.collect()


BOM = b"\xef\xbb\xbf"


class Overflow(float):
    """A number too large for a double: infinite, but spelled as in its source text."""

    __slots__ = ("spelling",)

    spelling: str

    def __new__(cls, spelling: str) -> Overflow:
        """Read a literal that overflows, such as -1e99999."""
        self = super().__new__(cls, spelling)
        self.spelling = spelling
        return self

    def __repr__(self) -> str:
        return self.spelling

    def __getnewargs__(self) -> tuple[str]:  # type: ignore[override]
        return (self.spelling,)


class Decoded(NamedTuple):
    """The root object of a JSON text, and the digest of its canonical encoding.

    `overflows` tells whether there is an `Overflow` in it.
    """

    root: dict[str, Any]
    digest: bytes
    overflows: bool = False


def decode(text: bytes, *, limits: Limits = DEFAULT) -> Decoded:
    """Parse UTF-8 JSON text (with or without a byte order mark) whose root is an object."""
    text = text.removeprefix(BOM)
    overflows = False
    try:
        with collector_paused():
            root = msgspec.json.decode(text)
    except RecursionError as fault:
        require_nesting(text, limits)
        raise _too_deep() from fault
    except (msgspec.DecodeError, UnicodeDecodeError) as fault:
        root, overflows = _with_overflows(text), True
        if root is None:
            raise _diagnosis(text, fault) from fault
    require_nesting(text, limits)
    if not isinstance(root, dict):
        raise FormatError(
            f"the JSON root is {pointers.kind_of(root)}", pointer="", remedy="it must be an object"
        )
    canonical = _encode(root)
    # Every member has one structural colon and re-encoding keeps the colons inside strings, so the
    # counts differ exactly when a duplicate was dropped (an escaped colon is the one exception).
    if text.count(b":") != canonical.count(b":") or b"\\u003" in text:
        _refuse_duplicates(text)
    return Decoded(root, digest(canonical), overflows)


def encode(value: Any) -> bytes:
    """Write compact UTF-8 JSON in member order; a number that JSON cannot represent is an error."""
    text = _encode(value)
    # msgspec writes NaN and infinities as null: only a text with a null in it can hide one.
    if b"null" in text and _any_non_finite(value):
        raise _non_finite(value)
    return text


def key(value: Any) -> bytes:
    """Return text that is equal for equivalent JSON data, whatever the member order."""
    return msgspec.json.encode(value, enc_hook=_plain, order="sorted")


def reformat(text: bytes, *, indent: int | None) -> bytes:
    """Change only the white space of valid JSON text (None: the most compact)."""
    return msgspec.json.format(text, indent=-1 if indent is None else indent)


def digest(canonical: bytes) -> bytes:
    """Fingerprint a canonical encoding."""
    return hashlib.sha256(canonical).digest()


def clone(value: Any) -> Any:
    """Copy deeply into plain JSON data: tuples become lists, typed views objects."""
    text = encode(value)
    with collector_paused():
        try:
            return msgspec.json.decode(text)
        except msgspec.ValidationError:  # encoded data can only fail because of its size
            return _with_overflows(text)


def walk(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield (JSON pointer, value) for everything in `value`, without recursion, in text order."""
    pending: list[tuple[str, Any]] = [("", value)]
    while pending:
        pointer, item = pending.pop()
        yield pointer, item
        if isinstance(item, dict):
            pending.extend((pointers.join(pointer, k), v) for k, v in reversed(item.items()))
        elif isinstance(item, (list, tuple)):
            pending.extend((f"{pointer}/{i}", item[i]) for i in range(len(item) - 1, -1, -1))


def rebuild(
    value: Any,
    leaf: Callable[[Any], Any] = lambda item: item,
    members: Callable[[dict[str, Any]], dict[str, Any]] = lambda item: item,
) -> Any:
    """Copy JSON data without recursion: leaves through `leaf`, arrays as lists.

    `members` converts each object, from the innermost outwards.
    """
    top: list[Any] = [value]
    copies: list[tuple[Any, Any]] = []
    pending: list[tuple[Any, Any]] = [(top, 0)]
    while pending:
        holder, place = pending.pop()
        item = holder[place]
        if isinstance(item, dict):
            holder[place] = copy = dict(item)
            copies.append((holder, place))
            pending.extend((copy, name) for name in copy)
        elif isinstance(item, (list, tuple)):
            holder[place] = copy = list(item)  # type: ignore[assignment]
            pending.extend((copy, index) for index in range(len(copy)))
        else:
            holder[place] = leaf(item)
    for holder, place in reversed(copies):
        holder[place] = members(holder[place])
    return top[0]


def _plain(value: Any) -> Any:
    if isinstance(value, Overflow):
        return msgspec.Raw(value.spelling.encode())
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is not a JSON type")


def _encode(value: Any) -> bytes:
    try:
        return msgspec.json.encode(value, enc_hook=_plain)
    except (TypeError, ValueError, OverflowError, RecursionError) as fault:
        raise ContentError(
            f"cannot be written as JSON ({fault})",
            remedy="use objects, arrays, strings, numbers, booleans and null, nested less deeply",
        ) from fault


def _any_non_finite(value: Any) -> bool:
    """Look for NaN and infinities as fast as Python can: many honest documents contain a null."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            pending.extend(item.values())
        elif isinstance(item, (list, tuple)):
            pending.extend(item)
        elif _is_non_finite(item):
            return True
    return False


def _is_non_finite(item: Any) -> bool:
    if isinstance(item, float):
        return not math.isfinite(item) and not isinstance(item, Overflow)
    return isinstance(item, (np.floating, np.ndarray)) and not np.isfinite(item).all()


def _non_finite(value: Any) -> ContentError:
    pointer, item = next((p, item) for p, item in walk(value) if _is_non_finite(item))
    return ContentError(
        f"found {item}, which JSON cannot represent", pointer=pointer, remedy="use a finite number"
    )


def _refuse_duplicates(text: bytes) -> None:
    try:
        parsed = _parse_slowly(text)
    except RecursionError as fault:
        raise _too_deep() from fault
    for pointer, item in walk(parsed):
        if isinstance(item, _Object) and item.repeated is not None:
            raise FormatError(
                "the member name appears twice in one object",
                pointer=pointers.join(pointer, item.repeated),
                remedy="keep one of the two",
            )


class _Object(dict[str, Any]):
    repeated: str | None = None


def _pairs(pairs: list[tuple[str, Any]]) -> _Object:
    result = _Object(pairs)
    if len(result) != len(pairs):
        counts = Counter(name for name, _ in pairs)
        result.repeated = next(name for name, count in counts.items() if count > 1)
    return result


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _parse_slowly(text: bytes) -> Any:
    """Parse with the standard library, which reports faults in more detail than msgspec.

    Whole numbers become floats, infinite where they are too long to be a number at all.
    """
    return json.loads(
        text.decode(), object_pairs_hook=_pairs, parse_constant=_refuse_constant, parse_int=float
    )


def _with_overflows(text: bytes) -> Any:
    """Parse JSON text with numbers that are too large; None if that is not the fault."""
    try:
        parsed = json.loads(
            text.decode(), parse_constant=_refuse_constant, parse_float=_float, parse_int=_int
        )
    except (ValueError, RecursionError):
        return None
    found = False
    for _, item in walk(parsed):
        if _unrepresentable(item):
            return None
        found = found or isinstance(item, Overflow)
    return parsed if found else None


def _float(spelling: str) -> float:
    value = float(spelling)
    return value if math.isfinite(value) else Overflow(spelling)


def _int(spelling: str) -> int | float:
    try:
        return int(spelling)
    except ValueError:  # more digits than Python reads
        return Overflow(spelling)


def _diagnosis(text: bytes, fault: Exception) -> FormatError:
    """Describe the fault of text that msgspec refused, and its position."""
    try:
        parsed = _parse_slowly(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        return FormatError(f"not valid JSON: {error.msg} ({where})", remedy="fix the JSON text")
    except UnicodeDecodeError as error:
        return FormatError(f"not UTF-8: {error.reason} at byte {error.start}", remedy="use UTF-8")
    except RecursionError:
        return _too_deep()
    except ValueError as error:
        return FormatError(f"not valid JSON: {error}", remedy="fix the JSON text")
    for pointer, item in walk(parsed):
        wrong = _unrepresentable(item)
        if wrong is not None:
            message, remedy = wrong
            return FormatError(message, pointer=pointer, remedy=remedy)
    _refuse_duplicates(text)
    return FormatError(f"not valid JSON: {fault}", remedy="fix the JSON text")


def _unrepresentable(item: Any) -> tuple[str, str] | None:
    """Describe a value that JSON text can spell but nothing can represent."""
    if isinstance(item, str) and _has_surrogate(item):
        return "a string contains half of a surrogate pair", "use UTF-8 text"
    if isinstance(item, dict) and any(map(_has_surrogate, item)):
        return "a member name contains half of a surrogate pair", "use UTF-8 text"
    return None


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


def _too_deep() -> FormatError:
    return FormatError("the JSON is nested too deeply", remedy="nest it less deeply")


_OPENING, _CLOSING = b"[{", b"]}"
_IS_OPENING = np.uint8(2)
"""The bit of a character that opening brackets have and closing ones have not."""

_OTHERS = bytes({*range(256)} - {*(_OPENING + _CLOSING + b'"')})
_BLOCK = 1 << 20


def require_nesting(text: bytes, limits: Limits) -> None:
    """Refuse valid JSON text with more levels than the limits allow."""
    # The start of a large text says as a rule that there are more than enough to look closer.
    if any(_openings(text, end) > limits.nesting for end in (_BLOCK, len(text))):
        limits.require("nesting", depth(text), "levels of nesting")


def _openings(text: bytes, end: int) -> int:
    return text.count(b"[", 0, end) + text.count(b"{", 0, end)


def depth(text: bytes) -> int:
    """Return how deeply arrays and objects are nested in valid JSON text.

    >>> depth(b'{"a": [1, "]"]}')
    2
    """
    if b"\\" in text:
        text = re.sub(rb"\\.", b"", text, flags=re.DOTALL)
    # Two quotes are left of a string; pairs can go, whichever strings they belong to.
    marks = text.translate(None, _OTHERS).replace(b'""', b"")
    marks = re.sub(rb'"[^"]*"', b"", marks)
    deepest = level = 0
    for start in range(0, len(marks), _BLOCK):
        block = np.frombuffer(marks[start : start + _BLOCK], np.uint8)
        steps = (block & _IS_OPENING).view(np.int8) - np.int8(1)
        levels = np.cumsum(steps, dtype=np.int32)
        deepest, level = max(deepest, level + int(levels.max())), level + int(levels[-1])
    return deepest

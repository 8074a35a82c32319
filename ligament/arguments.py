"""Argument checks at the boundary: every call is checked against its annotations.

`checked` reads the annotations of a public function once and checks the arguments of every call. A
wrong one raises an ArgumentError that names the parameter, the value found and what would be valid,
instead of failing somewhere deep inside.
"""

from __future__ import annotations

import builtins
import functools
import inspect
import os
import re
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from numbers import Integral, Real
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin

from ligament.errors import ArgumentError, nearest, visible

F = TypeVar("F", bound=Callable[..., Any])

ARRAY = "array"
"""Marker of annotations that accept arrays of any library."""

LONGEST_FOUND = 60
"""Most characters of a refused argument that a message shows."""


_FIELD_RULES: dict[type, dict[str, Rule]] = {}
"""Rules for the fields of classes, cached at first use."""


class Rule(NamedTuple):
    """The test for one kind of argument, and a description of what is valid.

    Valid are values of the type `base`, several of them (`is_list`), or `choices`.
    """

    accepts: Callable[[Any], bool]
    expected: str
    choices: tuple[str, ...] = ()
    base: type = object
    is_list: bool = False


def checked(function: F, owner: str = "") -> F:
    """Check the arguments of every call of a function against its annotations.

    `owner` is what messages call it, by default its name.

    >>> checked(simulate)(3)
    ArgumentError: simulate: document is 3; give a Document or a path
    """
    positional = [
        name
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]
    rules: dict[str, Rule] = {}
    where = owner or _name_of(function)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not rules:  # at the first call, when all names used in annotations are defined
            rules.update(_rules(function))
        for name, value in (*zip(positional, args, strict=False), *kwargs.items()):
            rule = rules.get(name)
            if rule is not None and not rule.accepts(value):
                raise _refusal(where, name, value, rule)
        return function(*args, **kwargs)

    return typing.cast("F", call)


def require_fields(instance: Any) -> None:
    """Check the fields of a dataclass or struct against the annotations of its class."""
    kind = type(instance)
    if kind not in _FIELD_RULES:
        _FIELD_RULES[kind] = _rules(kind)
    for name, rule in _FIELD_RULES[kind].items():
        value = getattr(instance, name)
        if not rule.accepts(value):
            raise _refusal(_name_of(kind), name, value, rule)


def names_of(names: str | Iterable[str] | None) -> tuple[str, ...] | None:
    """Return names as a tuple: a string is one name, not a sequence of letters."""
    return (names,) if isinstance(names, str) else None if names is None else tuple(names)


def _name_of(function: Callable[..., Any]) -> str:
    return function.__qualname__.removesuffix(".__init__")


def _refusal(where: str, name: str, value: Any, rule: Rule) -> ArgumentError:
    found = shown(value)
    is_name = rule.choices and isinstance(value, str)
    remedy = nearest(value, rule.choices) if is_name else f"give {rule.expected}"
    return ArgumentError(f"{where}: {name} is {found}", remedy=remedy)


def shown(value: Any) -> str:
    """Describe an argument in a few words: large values by type and shape."""
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and shape:
        return f"an array of {value.dtype} with shape {shape}"
    try:
        text = visible(repr(value))
    except Exception:  # the caller's object may raise anything
        text = ""
    if not text or len(text) > LONGEST_FOUND:
        return f"{text[: LONGEST_FOUND // 2]}… of type {type(value).__name__}"
    return text


def _rules(function: Callable[..., Any]) -> dict[str, Rule]:
    found: dict[str, Rule | None] = {}
    for name, hint in _hints(function).items():
        if get_origin(hint) is typing.Unpack:  # the keywords that `**options` lists
            found |= {key: rule_of(kind) for key, kind in _hints(get_args(hint)[0]).items()}
        elif name != "return":
            found[name] = rule_of(hint)
    return {name: rule for name, rule in found.items() if rule is not None}


class _Named:
    """A type that only type checkers import, known by its name."""

    def __class_getitem__(cls, _: Any) -> type:
        return cls


def named(name: str) -> Any:
    """Return a stand-in for a class that is expensive to import: its name alone is checked."""
    return type(name, (_Named,), {})


def _hints(thing: Any) -> dict[str, Any]:
    """Return the annotations of a function or class; `_Named` types stand for unknown ones."""
    owners = thing.__mro__ if isinstance(thing, type) else [inspect.unwrap(thing)]
    unknown: dict[str, Any] = {}
    for owner in owners:
        hints = inspect.get_annotations(owner).values()
        written = [getattr(hint, "__forward_arg__", hint) for hint in hints]
        texts = [text for text in written if isinstance(text, str)]
        known = {*dir(builtins), *vars(inspect.getmodule(owner))} if texts else set()
        for word in {word for text in texts for word in re.findall(r"[^\W\d]\w*", text)} - known:
            unknown[word] = named(word)
    return typing.get_type_hints(thing, localns=unknown or None, include_extras=True)


def rule_of(hint: Any) -> Rule | None:
    """Return the rule of an annotation; None if any value is allowed."""
    if hint in _PLAIN:
        return _PLAIN[hint]
    hint = _resolved(hint)
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _ARRAY if ARRAY in parts else rule_of(parts[0])
    if origin in (Union, types.UnionType):
        return _any_of([rule_of(part) for part in parts])
    if origin is Literal:
        return _one_of(parts)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return _one_of([str(word) for word in hint])
    if origin in (Sequence, Iterable, list, tuple):
        return _list_of(rule_of(parts[0]) if parts else None)
    if origin in (Mapping, dict):
        return Rule(lambda value: isinstance(value, Mapping), "a mapping")
    if origin is os.PathLike:
        return _PATH
    if origin is Callable:
        return Rule(callable, "a function")
    kind = origin if isinstance(origin, type) else hint
    if not isinstance(kind, type) or kind is object:
        return None
    return _with_members(kind) if getattr(kind, "_is_protocol", False) else _instance_of(kind)


def _resolved(hint: Any) -> Any:
    """Return what an alias stands for: `type X = …`, as newer versions of NumPy declare NDArray."""
    alias = get_origin(hint) or hint
    return alias.__value__ if type(alias).__name__ == "TypeAliasType" else hint


def _instance_of(kind: type) -> Rule:
    """Return the rule of a class, which may be known by its name alone."""
    name = kind.__name__
    expected = f"{'an' if name[:1] in 'AEIOU' else 'a'} {name}"
    if issubclass(kind, _Named):
        accepts = lambda value: name in [base.__name__ for base in type(value).__mro__]  # noqa: E731
        return Rule(accepts, expected, base=kind)
    return Rule(lambda value: isinstance(value, kind), expected, base=kind)


def _with_members(protocol: type) -> Rule:
    """Return the rule of a protocol: the value must have all its public members."""
    spaces = [vars(base) for base in protocol.__mro__ if getattr(base, "_is_protocol", False)]
    named = {name for space in spaces for name in (*space, *space.get("__annotations__", {}))}
    members = sorted(name for name in named if not name.startswith("_"))
    expected = f"something with {', '.join(members)}"
    return Rule(lambda value: all(hasattr(value, name) for name in members), expected)


def _any_of(rules: Sequence[Rule | None]) -> Rule | None:
    known = [rule for rule in rules if rule is not None]
    if len(known) < len(rules):
        return None
    tests = [rule.accepts for rule in known]
    words = [*dict.fromkeys(rule.expected for rule in known)]
    if _PATH.expected in words and _NAME.expected in words:
        words.remove(_NAME.expected)  # a string is the usual form of a path
    expected = " or ".join([", ".join(words[:-1]), words[-1]] if words[:-1] else words)
    choices = tuple(dict.fromkeys(choice for rule in known for choice in rule.choices))
    lists = [rule for rule in known if rule.is_list]  # `str | Sequence[str]` may be given as one
    bases = [
        rule.base for rule in lists or known if lists or (not rule.choices and rule is not _NONE)
    ]
    base = Path if Path in bases else next(iter(bases), str)  # a string may name a path
    return Rule(
        lambda value: any(test(value) for test in tests), expected, choices, base, bool(lists)
    )


def _one_of(words: Sequence[Any]) -> Rule:
    known = tuple(words)
    listed = ", ".join(repr(word) for word in known)
    return Rule(
        lambda value: isinstance(value, str | int) and value in known,
        f"one of {listed}",
        tuple(str(word) for word in known),
        str,
    )


def _list_of(element: Rule | None) -> Rule:
    of = "" if element is None else f" of {_PLURALS.get(element.expected, element.expected)}"

    def accepts(value: Any) -> bool:
        if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
            return False
        kind = getattr(getattr(value, "dtype", None), "kind", None)  # of an array of NumPy
        if kind is not None and element is _NUMBER:
            return kind in "iuf"
        if element is None or iter(value) is value:  # an iterator can be read only once
            return True
        return all(map(element.accepts, value))

    choices, base = ((), object) if element is None else (element.choices, element.base)
    return Rule(accepts, f"a list{of}", choices, base, is_list=True)


def _is_number(value: Any) -> bool:
    if type(value) is float:
        return True
    if getattr(value, "shape", None) == ():  # an array of one number
        value = value[()]
    return isinstance(value, Real) and not _is_flag(value)


def _is_flag(value: Any) -> bool:
    kind = type(value)
    return kind is bool or (kind.__module__ == "numpy" and kind.__name__ in ("bool", "bool_"))


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _is_array(value: Any) -> bool:
    """Tell whether a value is a number, a nested list of numbers or an array of any library."""
    import numpy as np

    if isinstance(value, list | tuple):
        try:
            value = np.asarray(value)
        except (ValueError, TypeError, OverflowError):
            return False
    if isinstance(value, np.ndarray | np.generic):
        return value.dtype.kind in "iufb"
    return isinstance(value, int | float) or hasattr(value, "shape")


_ARRAY = Rule(_is_array, "an array of numbers")
_NUMBER = Rule(_is_number, "a number", base=float)
_NAME = Rule(lambda value: isinstance(value, str), "a name", base=str)
_PATH = Rule(lambda value: isinstance(value, os.PathLike), "a path", base=Path)
_NONE = Rule(lambda value: value is None, "None")

_PLAIN: dict[Any, Rule | None] = {
    Any: None,
    object: None,
    None: _NONE,
    type(None): _NONE,
    bool: Rule(_is_flag, "True or False", base=bool),
    int: Rule(_is_whole, "a whole number", base=int),
    float: _NUMBER,
    str: _NAME,
    os.PathLike: _PATH,
    bytes: Rule(lambda value: isinstance(value, bytes | bytearray | memoryview), "bytes"),
}

_PLURALS = {"a number": "numbers", "a whole number": "whole numbers", "a name": "names"}

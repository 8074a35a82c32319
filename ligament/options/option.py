"""Options: each is declared once, as an annotated field of a frozen dataclass.

>>> seconds: Annotated[float | None, Option("Length", unit="s", least=0)] = None

The annotations are evaluated with the class, so modules of options leave out
`from __future__ import annotations` and name no types that only checkers import.
"""

import dataclasses
import functools
import inspect
import math
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import (
    Any,
    ClassVar,
    TypeAlias,
    TypeVar,
    get_args,
)

from ligament.arguments import Rule, rule_of, shown
from ligament.errors import ArgumentError, nearest

T = TypeVar("T")

NO_DEFAULT = dataclasses.MISSING

PathLike: TypeAlias = os.PathLike[str] | str
"""A file or folder, kept as a `Path`."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Option:
    """What an option means and which values it takes.

    `least` and `most` are valid themselves, `above` is not; `length` is the number of values.
    `flags` are spellings that do not follow from the name. `typed` makes the value from the words
    of a command line, `bare` are those of a flag without a value. `is_positional` options have no
    flag, those that are `for_python` are not on the command line at all. Where a value of an option
    has an `answer`, its lines are printed and nothing is done. Of the files that
    `is_read` options name the content counts, not the name.
    """

    help: str = dataclasses.field(kw_only=False)
    unit: str = ""
    least: float | None = None
    above: float | None = None
    most: float | None = None
    length: int | None = None
    flags: tuple[str, ...] = ()
    metavar: str = ""
    typed: Callable[[Any], Any] | None = None
    bare: str = ""
    is_positional: bool = False
    is_read: bool = False
    answer: Callable[[str], Iterable[str]] | None = None
    for_python: bool = False

    @property
    def range(self) -> str:
        """The bounds in words: 0 to 1, above 0; "" without any."""
        if self.above is not None:
            return f"above {self.above:g}{'' if self.most is None else f', at most {self.most:g}'}"
        if self.least is None:
            return "" if self.most is None else f"at most {self.most:g}"
        return f"{self.least:g} {'or more' if self.most is None else f'to {self.most:g}'}"

    def contains(self, number: float) -> bool:
        """Tell whether a number is within the bounds, and finite."""
        return (
            math.isfinite(number)
            and (self.least is None or number >= self.least)
            and (self.above is None or number > self.above)
            and (self.most is None or number <= self.most)
        )


_ANYTHING = Rule(lambda value: True, "anything")
_PLACEHOLDERS = {int: "N", float: "NUMBER", str: "NAME", Path: "PATH"}
_NOUNS = {int: "whole number", float: "number", str: "name", Path: "path"}


@dataclasses.dataclass(frozen=True)
class Field:
    """One option of a class, with its name, its annotation and its group."""

    name: str
    hint: Any
    option: Option
    default: Any = None
    group: str = ""

    @functools.cached_property
    def kind(self) -> Rule:
        """The type of its values."""
        return rule_of(self.hint) or _ANYTHING

    @property
    def is_required(self) -> bool:
        """Whether there is no default."""
        return self.default is NO_DEFAULT

    def is_default(self, value: Any) -> bool:
        """Tell whether a value, which may be an array, is the default."""
        return value is self.default or (self.default is not None and value == self.default)

    @property
    def flags(self) -> tuple[str, ...]:
        """Its spellings on the command line, the usual one last."""
        if self.option.is_positional:
            return (self.name,)
        return self.option.flags or (f"--{self.name.replace('_', '-')}",)

    @property
    def placeholder(self) -> str:
        """What stands for its value: NUMBER, fast|exact; "" for a flag."""
        if self.kind.base is bool:
            return ""
        word = self.option.metavar or "|".join(self.kind.choices)
        if not word:
            word = _PLACEHOLDERS.get(self.kind.base, "VALUE")
            word = " ".join([word] * (self.option.length or 1))
        return word

    @property
    def facts(self) -> str:
        """Unit, bounds and default in words: s, 0 or more, default 60."""
        repeatable = self.kind.is_list and not self.option.length and not self.option.is_positional
        default = in_words(self.default)
        return ", ".join(
            fact
            for fact in (
                "required" if self.is_required and not self.option.is_positional else "",
                self.option.unit,
                self.option.range,
                "repeatable" if repeatable else "",
                f"default {default}" if default else "",
            )
            if fact
        )

    def valid(self, value: Any) -> Any:
        """Return a value in the type of the option; ArgumentError says what would be valid."""
        rule = self.kind
        if not rule.accepts(value):
            is_name = rule.choices and isinstance(value, str)
            remedy = nearest(value, rule.choices) if is_name else f"give {self._expected()}"
            raise self._refusal(value, remedy)
        if value is None or rule.base is object:
            return value
        if not rule.is_list:
            return self._exact(value, value)
        if not isinstance(value, str | os.PathLike | Iterable):  # a flag beside names
            return value
        values = [value] if isinstance(value, str | os.PathLike) else list(value)
        if self.option.length not in (None, len(values)):
            raise self._refusal(value, f"give {self._in_words()}")
        return tuple(self._exact(each, value) for each in values)

    def _exact(self, item: Any, value: Any) -> Any:
        """Return an item in the type of the option, within its bounds."""
        base: Any = self.kind.base
        if base not in (int, float) or isinstance(item, str):  # a word beside numbers: auto
            is_path = base is Path and isinstance(item, str | os.PathLike)  # not a document
            return Path(item) if is_path else str(item) if base is str else item
        try:
            number = base(item)
        except (TypeError, ValueError, OverflowError):  # of an iterator, which is read only once
            number = math.nan
        if not self.option.contains(number):
            raise self._refusal(value, f"give {self._in_words()}")
        return number

    def of_words(self, words: Any, flag: str = "") -> Any:
        """Return the value that was typed: a word, or several for a list."""
        base, option = self.kind.base, self.option
        convert: Any = base if base in (int, float) else str
        try:
            if option.typed is not None:
                value = option.typed(words)
            else:
                value = [convert(w) for w in words] if self.kind.is_list else convert(words)
        except (ValueError, OverflowError):
            value = words
        try:
            return self.valid(value)
        except ArgumentError as fault:
            text = words if isinstance(words, str) else " ".join(words)
            fault.message = f"{flag or self.flags[-1]} is {shown(text)}"
            raise

    def _expected(self) -> str:
        return self._in_words() if self.kind.base in (int, float) else self.kind.expected

    def _in_words(self) -> str:
        """Describe valid numbers: 3 finite numbers (m/s²)."""
        noun = _NOUNS.get(self.kind.base, self.kind.base.__name__)
        about = ", ".join(filter(None, (self.option.range, self.option.unit)))
        if self.option.length:
            noun = f"{self.option.length} finite {noun}s"
        elif self.kind.is_list:
            noun = f"finite {noun}s"
        else:
            noun = f"a {noun}" if self.option.range else f"a finite {noun}"
        return f"{noun} ({about})" if about else noun

    def _refusal(self, value: Any, remedy: str) -> ArgumentError:
        return ArgumentError(f"{self.name} is {shown(value)}", remedy=remedy)


class Options:
    """A frozen dataclass of options, whose values are checked when it is made.

    `title` heads the options of a class in help and documentation.
    """

    title: ClassVar[str] = "Options"

    def __post_init__(self) -> None:
        for field in fields_of(type(self)):
            value = getattr(self, field.name)
            if value is not field.default:
                object.__setattr__(self, field.name, field.valid(value))

    def part(self, group: "type[Options]") -> dict[str, Any]:
        """Return the options of one group, as keywords."""
        return {field.name: getattr(self, field.name) for field in fields_of(group)}

    def files(self) -> list[Path]:
        """Return the files that options name."""
        read = [getattr(self, each.name) for each in fields_of(type(self)) if each.option.is_read]
        return [Path(value) for value in read if isinstance(value, str | os.PathLike)]

    def given(self) -> dict[str, Any]:
        """Return the options that are not at their defaults."""
        values = ((field, getattr(self, field.name)) for field in fields_of(type(self)))
        return {field.name: value for field, value in values if not field.is_default(value)}


O = TypeVar("O", bound=Options)  # noqa: E741


_FIELDS: dict[Any, tuple[Field, ...]] = {}
"""The options of each class, read once."""


def fields_of(kind: Any) -> tuple[Field, ...]:
    """Return the options of a class: its own, then those of its groups, in their order."""
    if kind not in _FIELDS:
        _FIELDS[kind] = tuple(_read(kind))
    return _FIELDS[kind]


def _read(kind: Any) -> Iterable[Field]:
    defaults = {field.name: field.default for field in dataclasses.fields(kind)}
    fields: dict[str, Field] = {}
    for base in kind.__mro__:
        for name, hint in inspect.get_annotations(base).items():
            option = next((o for o in get_args(hint)[1:] if isinstance(o, Option)), None)
            if option is not None and name not in fields:
                title = vars(base).get("title", Options.title)
                fields[name] = Field(name, get_args(hint)[0], option, defaults[name], title)
    return sorted(fields.values(), key=lambda field: field.option.for_python)


def make(kind: Callable[..., O], given: dict[str, Any], owner: str) -> O:
    """Make options from keywords; ArgumentError names a wrong or missing one."""
    fields = {field.name: field for field in fields_of(kind)}
    for name in given:
        if name not in fields:
            raise ArgumentError(f"{owner} has no option {name!r}", remedy=nearest(name, fields))
    for field in fields.values():
        if field.is_required and field.name not in given:
            raise ArgumentError(f"{owner}: {field.name} is missing", remedy=field.option.help)
    try:
        return kind(**given)
    except ArgumentError as fault:
        fault.message = f"{owner}: {fault.message}"
        raise


def in_words(value: Any) -> str:
    """Format a default as it would be typed: 0 -9.81 0; "" where there is nothing to say."""
    parts = value if isinstance(value, tuple) else (value,)
    if value is NO_DEFAULT or not all(isinstance(part, int | float | str | Path) for part in parts):
        return ""
    if any(isinstance(part, bool) for part in parts):
        return ""
    return " ".join(f"{part:g}" if isinstance(part, float) else str(part) for part in parts)


def paragraphs(text: str | None) -> Iterator[str]:
    """Yield the paragraphs of a docstring, each as one line."""
    for part in inspect.cleandoc(text or "").split("\n\n"):
        yield " ".join(part.split())

"""Functions whose keywords are the options of a class."""

import contextlib
import dataclasses
import functools
import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any, Concatenate, ParamSpec, TypeVar

from ligament.arguments import checked
from ligament.errors import ArgumentError, LigamentError
from ligament.options.option import NO_DEFAULT, Field, Options, fields_of, make

P = ParamSpec("P")
S = TypeVar("S")
R = TypeVar("R")
O = TypeVar("O", bound=Options)  # noqa: E741


def function(
    kind: Callable[P, O], work: Callable[[S, O], R], name: str, first: str = ""
) -> Callable[Concatenate[S, P], R]:
    """Return a function of what `work` takes first, and of the options as keywords.

    Type checkers take the keywords from the class; so do `help`, `inspect.signature` and the pages
    of the documentation. The text is that of `work`, or else of the class; `first` is what the
    subject is called, by default as in `work`.
    """
    first = first or next(iter(inspect.signature(work).parameters))
    careful: Any = checked(work, name)

    def call(*args: Any, **kwargs: Any) -> Any:
        subject, given = _split(kind, name, first, args, kwargs)
        with speaking_python(kind):
            return careful(subject, make(kind, given, name))

    source = work if work.__doc__ else kind
    call.__name__ = call.__qualname__ = name
    call.__module__ = source.__module__
    call.__doc__ = _docstring(inspect.cleandoc(source.__doc__ or ""), fields_of(kind))
    call.__signature__ = _signature(kind, first)  # type: ignore[attr-defined]
    return call


@contextlib.contextmanager
def speaking_python(kind: Any) -> Iterator[None]:
    """Name options in errors as keywords: those of commands are written --fail-on.

    Errors about limits name both.
    """
    try:
        yield
    except LigamentError as fault:
        keywords = {
            flag: field.name
            for field in fields_of(kind)
            if field.name != "limits"
            for flag in field.flags
        }

        def keyword(flag: re.Match[str]) -> str:
            return keywords.get(flag[0], flag[0])

        for part in ("message", "pointer", "remedy"):
            text = getattr(fault, part)
            setattr(fault, part, text and re.sub(r"(?<!\S)--[a-z][a-z-]*", keyword, text))
        raise


def taking(
    kind: Callable[P, O],
) -> Callable[[Callable[[Any, S, O], None]], Callable[Concatenate[Any, S, P], None]]:
    """Let an `__init__` that takes a subject and options take the options as keywords."""

    def decorate(work: Callable[[Any, S, O], None]) -> Callable[Concatenate[Any, S, P], None]:
        own, first, _ = inspect.signature(work).parameters
        owner = work.__qualname__.partition(".")[0]
        careful: Any = checked(work, owner)

        def call(self: Any, /, *args: Any, **kwargs: Any) -> None:
            subject, given = _split(kind, owner, first, args, kwargs)
            careful(self, subject, make(kind, given, owner))

        functools.update_wrapper(call, work)
        call.__signature__ = _signature(kind, own, first)  # type: ignore[attr-defined]
        return call

    return decorate


def _split(
    kind: Any, owner: str, first: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, dict[str, Any]]:
    """Return the subject of a call, and its options by name."""
    if not args:
        fault = "is given by name" if first in kwargs else "is missing"
        raise ArgumentError(f"{owner}: {first} {fault}", remedy="give it first, without a name")
    names = _positional(kind)
    if len(args) > 1 + len(names):
        remedy = "give the options by name"
        raise ArgumentError(f"{owner}: too many arguments ({len(args)})", remedy=remedy)
    placed = dict(zip(names, args[1:], strict=False))
    for name in placed.keys() & kwargs.keys():
        raise ArgumentError(f"{owner}: {name} is given twice", remedy="give it once")
    return args[0], {**placed, **kwargs}


def _positional(kind: Any) -> list[str]:
    return [field.name for field in dataclasses.fields(kind) if field.init and not field.kw_only]


def _signature(kind: Any, *first: str) -> inspect.Signature:
    subjects = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY) for name in first]
    options = [_parameter(kind, field) for field in fields_of(kind)]
    return inspect.Signature(sorted([*subjects, *options], key=lambda each: each.kind))


def _parameter(kind: Any, field: Field) -> inspect.Parameter:
    is_named = field.name not in _positional(kind)
    default = inspect.Parameter.empty if field.default is NO_DEFAULT else field.default
    how = inspect.Parameter.KEYWORD_ONLY if is_named else inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Parameter(field.name, how, default=default, annotation=field.hint)


def _docstring(text: str, fields: tuple[Field, ...]) -> str:
    lines = [
        f"    {field.name}: {field.option.help}{f' [{field.facts}]' if field.facts else ''}."
        for field in fields
    ]
    return "\n".join([text, "", "Parameters:", *lines])

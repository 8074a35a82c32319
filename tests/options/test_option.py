"""Options: declared once; values are checked, and refused in the same words everywhere."""

import dataclasses
import inspect
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pytest

import ligament as lg
from ligament.demo import assets
from ligament.errors import ArgumentError
from ligament.operations import OPERATIONS, operation
from ligament.options import calls, groups
from ligament.options.option import NO_DEFAULT, Option, Options, fields_of, in_words

DOOR = next(asset for asset in assets() if asset.name == "door.glb")


def inner_words(text: str) -> list[str]:
    return text.split("+")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Paint(Options):
    """Paint it."""

    colour: Annotated[str, Option("Which colour")] = dataclasses.field(kw_only=False)
    width: Annotated[float, Option("How wide", unit="m", above=0, most=9)] = 1.0
    layers: Annotated[int | None, Option("How many", least=1)] = None
    mixed: Annotated[Sequence[float], Option("Parts", length=3, unit="l")] = (1.0, 0.0, 0.5)
    brush: Annotated[str | os.PathLike[str] | None, Option("The brush", is_read=True)] = None
    names: Annotated[str | Sequence[str] | None, Option("Names", typed=inner_words)] = None
    gloss: Annotated[Literal["matt", "silk"], Option("How it shines")] = "matt"
    wet: Annotated[bool, Option("Whether it is wet")] = False


FIELDS = {field.name: field for field in fields_of(Paint)}


def paint(wall: str, options: Paint) -> Paint:
    return options


on = calls.function(Paint, paint, "paint")


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"width": 3}, ("width", 3.0)),
        ({"width": 9}, ("width", 9.0)),
        ({"width": np.float32(0.5)}, ("width", 0.5)),
        ({"layers": np.int64(2)}, ("layers", 2)),
        ({"mixed": np.zeros(3)}, ("mixed", (0.0, 0.0, 0.0))),
        ({"brush": "a.png"}, ("brush", Path("a.png"))),
        ({"names": "red"}, ("names", ("red",))),
        ({"names": ["a", "b"]}, ("names", ("a", "b"))),
        ({"wet": True}, ("wet", True)),
    ],
)
def test_values_are_kept_in_the_type_of_the_option(given: Any, kept: tuple[str, Any]) -> None:
    value = getattr(on("wall", "red", **given), kept[0])
    assert value == kept[1]
    assert type(value) is type(kept[1])


@pytest.mark.parametrize(
    ("given", "reported"),
    [
        ({"width": 0}, "paint: width is 0; give a number (above 0, at most 9, m)"),
        ({"width": math.nan}, "width is nan; give a number (above 0, at most 9, m)"),
        ({"width": "wide"}, "width is 'wide'; give a number (above 0, at most 9, m)"),
        ({"width": None}, "width is None; give a number"),
        ({"layers": 0}, "layers is 0; give a whole number (1 or more)"),
        ({"layers": 1.5}, "layers is 1.5; give a whole number (1 or more)"),
        ({"mixed": (1, 2)}, "mixed is (1, 2); give 3 finite numbers (l)"),
        ({"mixed": (1, 2, math.inf)}, "give 3 finite numbers (l)"),
        ({"gloss": "mat"}, "gloss is 'mat'; did you mean 'matt'?"),
        ({"wet": 1}, "wet is 1; give True or False"),
        ({"names": 3}, "names is 3; give a name, a list of names or None"),
        ({"witdh": 3}, "paint has no option 'witdh'; did you mean 'width'?"),
        ({"colour": "blue"}, "paint: colour is given twice; give it once"),
    ],
)
def test_wrong_values_are_refused_in_one_line(given: Any, reported: str) -> None:
    with pytest.raises(ArgumentError) as fault:
        on("wall", "red", **given)
    assert reported in str(fault.value)


def test_a_missing_option_is_named() -> None:
    with pytest.raises(ArgumentError, match="paint: colour is missing; Which colour"):
        on("wall")
    with pytest.raises(ArgumentError, match="paint: wall is missing"):
        on(colour="red")
    with pytest.raises(ArgumentError, match=r"paint: too many arguments \(3\)"):
        on("wall", "red", 3)
    with pytest.raises(ArgumentError, match="paint: wall is 3; give a name"):
        on(3, "red")


@pytest.mark.parametrize(
    ("name", "words", "value"),
    [
        ("width", "2.5", 2.5),
        ("layers", "2", 2),
        ("mixed", ("1", "2", "3"), (1.0, 2.0, 3.0)),
        ("names", "a+b", ("a", "b")),
        ("brush", "a.png", Path("a.png")),
    ],
)
def test_words_become_values(name: str, words: Any, value: Any) -> None:
    assert FIELDS[name].of_words(words) == value


def test_words_are_refused_as_they_were_typed() -> None:
    with pytest.raises(ArgumentError, match=r"--mixed is '1 2 x'; give 3 finite numbers \(l\)"):
        FIELDS["mixed"].of_words(("1", "2", "x"))


def test_functions_show_their_options() -> None:
    signature = inspect.signature(on)
    assert [*signature.parameters] == ["wall", *FIELDS]
    assert signature.parameters["wall"].kind is inspect.Parameter.POSITIONAL_ONLY
    assert signature.parameters["colour"].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    assert signature.parameters["width"].default == 1.0
    assert "width: How wide [m, above 0, at most 9, default 1]." in (on.__doc__ or "")
    assert in_words((0.0, -9.81, 0.0)) == "0 -9.81 0"
    assert in_words(NO_DEFAULT) == ""


def test_only_what_differs_from_the_defaults_is_given() -> None:
    assert on("wall", "red", width=1.0, layers=2).given() == {"colour": "red", "layers": 2}


def test_a_subject_is_given_first_without_a_name() -> None:
    for call in (lambda: lg.simulate(document="door.glb"), lambda: lg.Simulation(document=None)):  # type: ignore[call-arg]
        with pytest.raises(ArgumentError, match="is given by name; give it first, without a name"):
            call()


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("check", {"ignore": ["NOPE"]}, "ignore: unknown code 'NOPE'"),
        ("equip", {"static": ["Frame"], "ground": True}, "static has no effect; add auto"),
        ("info", {"roots": ["missing"]}, "missing: is not a folder; name one with roots"),
        ("compare", {"events": ["a", "b"]}, "leave events out"),
    ],
)
def test_errors_of_functions_name_keywords(name: str, options: dict[str, Any], words: str) -> None:
    with pytest.raises(lg.LigamentError, match=words) as refused:
        getattr(lg, name)(DOOR, **options)
    assert "--" not in str(refused.value).partition("; ligament")[0]


def test_limits_are_those_that_a_document_was_loaded_with() -> None:
    document = lg.load(DOOR, limits=lg.Limits(frames=10))
    with pytest.raises(lg.LigamentError, match="at most 10 are allowed"):
        lg.simulate(document, seconds=1)
    for name in ("simulate", "check", "info", "convert"):
        with pytest.raises(ArgumentError, match="limits have no effect on what is loaded; load it"):
            getattr(lg, name)(document, limits=lg.Limits(frames=100))
    frames = lg.Limits().frames + 1
    more = lg.load(DOOR, limits=lg.Limits(frames=2 * frames))
    operation("simulate")(seconds=frames / 60).under_limits_of(more).prepared()
    assert lg.diff(more, DOOR, limits=lg.Limits(frames=100)).equal  # they count for the other file


# --- all operations ---


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_option_has_help_and_a_valid_default(name: str) -> None:
    for field in fields_of(operation(name)):
        text = field.option.help
        assert text, field.name
        assert not text.endswith("."), field.name
        if not field.is_required:
            assert field.valid(field.default) == field.default, field.name


def test_an_option_is_declared_in_one_group_only() -> None:
    declared: dict[str, set[type]] = {}
    for name in OPERATIONS:
        for base in operation(name).__mro__:
            if issubclass(base, Options) and base.__module__ == groups.__name__:
                for option in inspect.get_annotations(base):
                    declared.setdefault(option, set()).add(base)
    shared = {option: bases for option, bases in declared.items() if len(bases) > 1}
    assert {*shared} <= {"title"}


def test_a_flag_means_the_same_in_every_operation() -> None:
    meanings: dict[str, set[Any]] = {}
    for name in OPERATIONS:
        for field in fields_of(operation(name)):
            if field.group != Options.title and not field.option.for_python:
                for flag in field.flags:
                    meanings.setdefault(flag, set()).add((field.name, field.option.unit))
    assert [flag for flag, ones in meanings.items() if len(ones) > 1] == []


OF_OBJECTS = {"retarget", "batch"}
"""Operations whose function takes objects of Python where the command takes words; see
docs/decisions.md."""


@pytest.mark.parametrize("name", sorted((set(OPERATIONS) & set(lg.__all__)) - OF_OBJECTS))
def test_the_function_has_the_options_of_the_command(name: str) -> None:
    options = {field.name for field in fields_of(operation(name))}
    assert options <= {*inspect.signature(getattr(lg, name)).parameters}

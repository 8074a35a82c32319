"""Errors say the file, the place, the fault and the remedy in one line."""

import pickle
import re

import pytest

from ligament.cli.console import plain
from ligament.errors import (
    MOST_DESCRIBED,
    ContentError,
    CycleError,
    EditError,
    FileError,
    FormatError,
    LigamentError,
    LigamentWarning,
    LimitError,
    MissingExtraError,
    UnsafePathError,
    described,
)
from ligament.findings import finding
from ligament.gltf.document import Document

KINDS = [
    LigamentError,
    FileError,
    FormatError,
    ContentError,
    UnsafePathError,
    LimitError,
    CycleError,
    EditError,
    MissingExtraError,
]


@pytest.mark.parametrize("kind", KINDS)
def test_every_error_is_a_ligament_error_reported_in_one_line(kind: type[LigamentError]) -> None:
    fault = kind("is\n  wrong", file="a.glb", pointer="/nodes/1", remedy="fix it")
    assert isinstance(fault, LigamentError)
    assert str(fault) == "a.glb: /nodes/1: is wrong; fix it"


def test_unknown_parts_are_left_out() -> None:
    assert str(LigamentError("wrong")) == "wrong"
    assert str(LigamentError("wrong", pointer="/x")) == "/x: wrong"
    assert str(LigamentError("wrong", pointer="")) == "wrong"


def test_located_names_the_file_only_where_none_is_known() -> None:
    fault = FileError("wrong")
    assert fault.located("a.glb") is fault
    assert fault.located("b.glb").file == "a.glb"
    assert ContentError("wrong").located(None).file is None


def test_errors_travel_between_processes() -> None:
    fault = CycleError("round", nodes=[1, 2], file="a.glb", pointer="/nodes", remedy="cut it")
    twin = pickle.loads(pickle.dumps(fault))
    assert (str(twin), twin.nodes, type(twin)) == (str(fault), (1, 2), CycleError)


def test_the_warning_can_be_filtered_by_its_class() -> None:
    assert issubclass(LigamentWarning, UserWarning)


def test_messages_have_at_most_2000_characters_and_keep_the_remedy() -> None:
    for name in ("x" * 10_000, "\x1b" * 10_000, "\n " * 10_000):
        error = ContentError(f"found {name}", file=name, pointer=name, remedy="use another one")
        assert len(str(error)) <= 2000
        assert str(error).endswith("use another one")
        assert "\n" not in str(error)
        document = Document()
        with pytest.warns(LigamentWarning) as reported:
            document.warn(f"found {name}")
        assert len(str(reported[0].message)) <= 2000
        assert len(finding("UNEXPECTED_PROPERTY", "", f"found {name}", "").message) <= 2000
        assert len(plain(name)) <= 2000


def raised(fault: Exception) -> Exception:
    try:
        raise fault
    except Exception as caught:
        return caught


def test_errors_of_other_libraries_have_their_kind_and_place() -> None:
    fault = raised(ValueError("one\n  two"))
    assert described(fault) == "ValueError: one two"
    assert re.fullmatch(
        r"ValueError: one two at test_errors\.py:\d+", described(fault, with_place=True)
    )
    assert described(ValueError(), with_place=True) == "ValueError"
    assert len(described(ValueError("x" * 10_000))) == MOST_DESCRIBED
    own = raised(ContentError("is wrong", file="a.glb"))
    assert described(own, with_place=True) == "a.glb: is wrong"

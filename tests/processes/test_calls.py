"""Calls in other processes: typed results, errors as they were raised, and hostile answers."""

from __future__ import annotations

import functools
import os
import pickle
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from ligament.errors import ContentError, LigamentError
from ligament.processes import Child, DiedError
from ligament.processes.calls import answer, call, result
from tests.processes import works


def test_results_arrive_as_they_were() -> None:
    found = call(works.find, Path("a.glb"), kind=works.Found)
    assert found.path == Path("a.glb")
    assert found.counts == {7: ["a"]}
    np.testing.assert_array_equal(found.values, np.arange(6).reshape(2, 3))
    assert found.values.dtype == np.float32
    assert found.inner is not None
    assert os.fsencode(found.inner.path) == b"\xff"
    assert found.inner.values.shape == (0, 3)


def test_errors_arrive_as_they_were() -> None:
    with pytest.raises(ContentError) as refused:
        call(works.refuse, Path("a.glb"), kind=int)
    assert str(refused.value) == "a.glb: /nodes: is wrong; change it"


def test_a_bug_arrives_with_its_traceback() -> None:
    with pytest.raises(RuntimeError, match=r"(?s)abs\(\*?.*TypeError: bad operand|TypeError: bad"):
        call(abs, "two", kind=int)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"", int),
        (b"?", int),
        (answer(lambda: "text"), int),
        (b"+" + msgspec.msgpack.encode(["|O", [1], b"\0" * 8]), np.ndarray),
        (b"+" + msgspec.msgpack.encode(["<f8", [2, 2], b"\0" * 8]), np.ndarray),
        (b"-" + msgspec.msgpack.encode(["sys"]), int),
    ],
)
def test_an_answer_of_another_type_is_refused(content: bytes, kind: Any) -> None:
    with pytest.raises(DiedError, match="sent an answer that is none"):
        result(content, kind)


def test_a_hijacked_process_runs_nothing_in_its_owner(tmp_path: Path) -> None:
    trap = pickle.dumps(works.Trap(tmp_path / "made"))
    for content in (trap, b"+" + trap, b"-" + trap):
        work = functools.partial(works.answer_with, content)
        with Child.start(work) as child, pytest.raises(DiedError):
            result(child.receive(), works.Found)
    assert not (tmp_path / "made").exists()


def test_an_error_of_a_made_up_kind_is_a_bug() -> None:
    content = b"-" + msgspec.msgpack.encode(["warn", b"no error", None, None, None])
    with pytest.raises(RuntimeError, match="no error"):
        result(content, int)


def test_errors_name_files_that_no_encoding_has() -> None:
    def fail() -> int:
        raise LigamentError("is damaged", file="T\udcfcr.glb", remedy="check T\udcfcr.glb")

    with pytest.raises(LigamentError) as caught:
        result(answer(fail), int)
    assert (caught.value.file, caught.value.remedy) == ("T\udcfcr.glb", "check T\udcfcr.glb")

"""Pools: answers in order, deaths that cost one request, processes that are replaced."""

from __future__ import annotations

import functools
import time
from pathlib import Path

import pytest

from ligament.processes import Bounds, Death
from ligament.processes.calls import calls, result
from ligament.processes.pool import Pool
from tests.processes import works
from tests.processes.test_child import ends, posix


@posix
def test_a_process_that_dies_costs_its_own_request(tmp_path: Path) -> None:
    """The second attempt at 3 goes well; 1 and 5 end two processes each."""
    pool = Pool(2, calls(functools.partial(works.die_of, folder=tmp_path)))
    answers = [*pool.map((number,) for number in range(6))]
    good = [each if isinstance(each, Death) else result(each, int) for each in answers]
    assert [each for each in good if not isinstance(each, Death)] == [0, -2, -3, -4]
    assert [each.kind for each in good if isinstance(each, Death)] == ["crash", "crash"]
    assert good[2] == -2


def test_processes_are_replaced_after_some_requests() -> None:
    answers = [*Pool(1, calls(works.pid), recycle=2).map([()] * 5)]
    pids = [result(each, int) for each in answers if isinstance(each, bytes)]
    assert len(pids) == 5
    assert len(set(pids)) == 3
    assert pids[0] == pids[1] != pids[2] == pids[3] != pids[4]
    assert all(map(ends, pids))


def test_who_leaves_early_ends_the_processes() -> None:
    begin = time.monotonic()
    answers = Pool(2, calls(works.die_or_sleep)).map([(0,), (60,), (60,)])
    first = next(answers)
    assert isinstance(first, bytes)
    answers.close()
    assert ends(result(first, int))
    assert time.monotonic() - begin < 30


def test_a_late_request_is_not_repeated() -> None:
    begin = time.monotonic()
    (death,) = Pool(1, calls(works.sleep), Bounds(seconds=0.5)).map([()])
    assert isinstance(death, Death)
    assert death.text == "took longer than 0.5 s"
    assert time.monotonic() - begin < 30


def test_a_request_that_cannot_be_sent_is_raised() -> None:
    with pytest.raises((TypeError, AttributeError), match="pickle"):
        list(Pool(1, calls(works.pid)).map([(lambda: 1,)]))

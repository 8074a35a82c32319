"""Pools: answers in order, deaths that cost one request, processes that are replaced."""

from __future__ import annotations

import functools
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ligament.processes import Bounds, Death
from ligament.processes.calls import calls, result
from ligament.processes.pool import Pool
from tests.processes import works
from tests.processes.test_child import ends, posix


@posix
def test_a_process_that_dies_costs_its_own_request(tmp_path: Path) -> None:
    """The second attempt at 3 goes well; 1 and 5 end all processes that try them."""
    pool = Pool(calls(functools.partial(works.die_of, folder=tmp_path)))
    answers = [*pool.map([(number,) for number in range(6)], jobs=2)]
    good = [each if isinstance(each, Death) else result(each, int) for each in answers]
    assert [each for each in good if not isinstance(each, Death)] == [0, -2, -3, -4]
    assert [each.kind for each in good if isinstance(each, Death)] == ["crash", "crash"]
    assert good[2] == -2


def test_processes_are_replaced_after_some_requests() -> None:
    answers = [*Pool(calls(works.pid), recycle=2).map([()] * 5, jobs=1)]
    pids = [result(each, int) for each in answers if isinstance(each, bytes)]
    assert len(pids) == 5
    assert len(set(pids)) == 3
    assert pids[0] == pids[1] != pids[2] == pids[3] != pids[4]
    assert all(map(ends, pids))


def test_who_leaves_early_ends_the_processes() -> None:
    begin = time.monotonic()
    answers = Pool(calls(works.die_or_sleep)).map([(0,), (60,), (60,)], jobs=2)
    first = next(answers)
    assert isinstance(first, bytes)
    answers.close()
    assert ends(result(first, int))
    assert time.monotonic() - begin < 30


def test_a_late_request_is_not_repeated() -> None:
    begin = time.monotonic()
    (death,) = Pool(calls(works.sleep), Bounds(seconds=0.5)).map([()], jobs=1)
    assert isinstance(death, Death)
    assert death.text == "took longer than 0.5 s"
    assert time.monotonic() - begin < 30


def test_a_request_that_cannot_be_sent_is_raised() -> None:
    with pytest.raises((TypeError, AttributeError), match="pickle"):
        list(Pool(calls(works.pid)).map([(lambda: 1,)], jobs=1))


def test_answers_come_as_they_are_ready_with_the_numbers_of_their_requests() -> None:
    answers = Pool(calls(works.die_or_sleep)).run([(2,), (0,), (0,)], jobs=2)
    assert [number for number, _ in answers] == [1, 2, 0]


def test_the_last_note_of_a_process_comes_with_its_death() -> None:
    answers = [*Pool(works.note_and_die).map([7, 0, 8], jobs=1)]
    assert answers == [b"done", Death("ended", "ended with status 3", note=b"0"), b"done"]


def test_time_of_a_request_that_is_sent_ahead_begins_when_its_turn_comes() -> None:
    pool = Pool(calls(works.die_or_sleep), Bounds(seconds=1.5))
    assert all(isinstance(each, bytes) for each in pool.map([(0.5,)] * 6, jobs=1))


def test_processes_that_are_idle_are_asked_again() -> None:
    pool = Pool(calls(works.pid), is_lasting=True)
    first = pool.ask(())
    assert pool.ask(()) == first
    (pid,) = pool.pids
    pool.end()
    assert pool.pids == []
    assert ends(pid)
    assert isinstance(pool.ask(()), Death)


def test_a_process_that_was_idle_for_too_long_ends_and_is_replaced() -> None:
    pool = Pool(calls(works.pid), Bounds(idle=0.2), is_lasting=True)
    first = result(pool.ask(()), int)
    assert ends(first)
    assert result(pool.ask(()), int) != first
    pool.end()


def test_the_end_of_a_pool_ends_a_process_that_is_busy() -> None:
    pool = Pool(calls(works.sleep), is_lasting=True)
    with ThreadPoolExecutor(1) as thread:
        asked = thread.submit(pool.ask, ())
        while not pool.pids:
            time.sleep(0.01)
        pool.end()
        assert isinstance(asked.result(timeout=30), Death)

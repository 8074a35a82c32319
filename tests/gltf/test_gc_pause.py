"""Python's garbage collector after many objects were made."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from ligament.gltf.jsontext import EVERY, MANY, collector_paused


class Ring:
    """An object that only the collector can free."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    gc.collect()
    yield
    gc.enable()
    gc.unfreeze()


def make_many() -> list[list[int]]:
    with collector_paused():
        return [[] for _ in range(2 * MANY)]


def test_the_collector_runs_again() -> None:
    make_many()
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    make_many()
    assert not gc.isenabled()


def test_many_new_objects_are_old_at_once() -> None:
    many = make_many()
    assert gc.get_count()[0] < MANY
    assert gc.get_freeze_count() == 0
    assert any(item is many[0] for item in gc.get_objects(generation=2))


def test_frozen_objects_stay_frozen() -> None:
    gc.freeze()
    frozen = gc.get_freeze_count()
    make_many()
    assert gc.get_freeze_count() == frozen


def test_rings_that_have_aged_are_freed_in_the_end() -> None:
    ring = Ring()
    known = weakref.ref(ring)
    del ring
    for _ in range(EVERY):
        make_many()
    assert known() is None

"""A fixed sample of what the fuzzer tries: every target, and the tools that it is made of."""

import copy
import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fuzz import trees
from fuzz.containers import put_together, take_apart
from fuzz.judging import judge
from fuzz.targets import NAMES, find_target
from ligament.errors import ContentError, FormatError

EXAMPLES = {
    "simulate": 200,
    "convert": 120,
    "compare": 200,
    "rig": 300,
    "usd": 150,
    "snapshots": 60,
}
"""How many inputs of the slower targets are tried; of the others 400."""


@pytest.mark.parametrize("name", NAMES)
def test_honest_files_are_read(name: str) -> None:
    seeds = find_target(name).seeds()
    assert seeds
    for data in seeds[:: max(1, len(seeds) // 8)]:
        find_target(name).run(data)


@pytest.mark.parametrize("name", NAMES)
def test_broken_files_are_read_or_refused(name: str) -> None:
    target = find_target(name)
    seeds = target.seeds()

    @settings(max_examples=settings.default.max_examples * EXAMPLES.get(name, 400) // 90)
    @given(st.integers(0, len(seeds) - 1), st.integers(0, 2**32 - 1), st.integers(1, 3))
    def run(seed: int, number: int, times: int) -> None:
        dice, data = random.Random(number), seeds[seed]
        for _ in range(times):
            data = target.mutate(data, dice)
        fault = judge(target.run, data)
        assert fault is None, fault.text

    run()


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    for name in ("container", "bvh"):
        fault = judge(find_target(name).run, data)
        assert fault is None, fault.text


def test_a_seed_taken_apart_and_put_together_means_the_same() -> None:
    for data in find_target("accessors").seeds():
        parts = take_apart(data)
        assert parts is not None
        again = take_apart(put_together(parts))
        assert again is not None
        assert again.root == parts.root
        assert (again.binary or b"")[: len(parts.binary or b"")] == parts.binary


def test_mutations_are_the_same_for_the_same_dice() -> None:
    for target in map(find_target, NAMES):
        data = target.seeds()[0]
        first = [target.mutate(data, random.Random(number)) for number in range(20)]
        assert first == [target.mutate(data, random.Random(number)) for number in range(20)]
        assert len({*first, data}) > 10


def test_mutations_change_single_members_most_of_the_time() -> None:
    data = find_target("extensions").seeds()[0]
    changed = [find_target("extensions").mutate(data, random.Random(n)) for n in range(100)]
    assert sum(_is_json(text) for text in changed) > 80


def test_repeats_inside_repeats_do_not_multiply(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trees, "_CHANGES", (trees._repeat,))
    seed = {"extensions": {f"x{n}": {"items": [{"name": "x" * 40}] * 9} for n in range(99)}}
    longest = 0
    for number in range(100):
        dice, root = random.Random(number), copy.deepcopy(seed)
        for _ in range(8):
            trees.change(root, dice)
        longest = max(longest, len(json.dumps(root)))
    assert trees.MOST_REPEATED < longest < len(json.dumps(seed)) + 8 * trees.MOST_REPEATED


def _is_json(text: bytes) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def test_refusals_are_no_faults_and_other_exceptions_are() -> None:
    def refuse(_: bytes) -> None:
        raise ContentError("no")

    def crash(_: bytes) -> None:
        raise KeyError("no")

    class BabblingError(FormatError):
        def __str__(self) -> str:
            return "no " * 2000

    def babble(_: bytes) -> None:
        raise BabblingError("no")

    assert judge(refuse, b"") is None
    fault = judge(crash, b"")
    assert fault is not None
    assert fault.name.startswith("KeyError-")
    fault = judge(babble, b"")
    assert fault is not None
    assert fault.name.startswith("reported-BabblingError-")

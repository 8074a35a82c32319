"""Every member of every list with a value of a wrong type: read, or refused in one line."""

from __future__ import annotations

import copy
import json
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import ligament as lg
from benchmarks.growing_files import LISTS
from ligament.author.diff import diff
from ligament.check import check
from ligament.convert import convert
from ligament.errors import LigamentError, LigamentWarning
from ligament.gltf import Document, loads
from ligament.repair import repair
from ligament.summary import summarize
from tests.sampling import IS_SOAK, sample

VALUES: list[Any] = [
    *(None, True, 0, -1, 1.5, 2**70, "x", "", "\0", [], [None], [[]], {}, {"a": {}}),
]

STEPS: dict[str, Callable[[Document], object]] = {
    "info": summarize,
    "check": check,
    "repair": repair,
    "diff": lambda document: diff(document, document.copy()),
    "convert": lambda document: convert(document, "omi"),
    "simulate": lambda document: lg.simulate(document, seconds=0.02),
}

Path = tuple[str | int, ...]


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield where something stands in JSON, of each array in its first two elements."""
    names: list[str | int] = [*value] if isinstance(value, dict) else []
    if isinstance(value, list):
        names = [*range(min(len(value), 2))]
    for name in names:
        yield (*path, name)
        yield from places(value[name], (*path, name))


def plain(name: str) -> Any:
    return json.loads(json.dumps(LISTS[name](2)))


CASES = [(name, path) for name in LISTS for path in places(plain(name))]


FOUND: list[tuple[str, Path]] = [
    ("textures", ("images", 1, "uri")),
    ("textures", ("textures", 1, "sampler")),
    ("materials", ("materials", 0, "name")),
    ("cameras", ("nodes", 0, "camera")),
]
"""Values that once ended in a traceback."""


@pytest.mark.parametrize(
    ("name", "path"),
    [*sample(CASES, 12), *FOUND],
    ids=str,
)
def test_wrong_types_are_read_or_refused(name: str, path: Path) -> None:
    for value in VALUES:
        root = plain(name)
        holder = root
        for step in path[:-1]:
            holder = holder[step]
        holder[path[-1]] = copy.deepcopy(value)
        data = json.dumps(root).encode()
        for step in STEPS if IS_SOAK else ("check", "diff", "simulate"):
            assert len(reported(STEPS[step], data)) <= 2000


def reported(step: Callable[[Document], object], data: bytes) -> str:
    """Return the error of a step, "" for none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LigamentWarning)
        try:
            step(loads(data))
        except LigamentError as refusal:
            return str(refusal)
    return ""

"""Limits: what they take, what they refuse, and how a refusal reads."""

import dataclasses
import re
from pathlib import Path

import pytest

from ligament.errors import ContentError, LimitError
from ligament.gltf.load import load, loads
from ligament.limits import DEFAULT, Limits, parse_limits
from tests.gltf.documents import glb_bytes, text_of

NAMES = [field.name for field in dataclasses.fields(Limits)]


@pytest.mark.parametrize("name", NAMES)
def test_values_above_a_limit_name_the_option_that_raises_it(name: str) -> None:
    limits = Limits(**{name: 10})
    limits.require(name, 10, "things")
    with pytest.raises(LimitError) as caught:
        limits.require(name, 10.5, "things", pointer="/here")
    line = str(caught.value)
    assert line.startswith("/here: found 10.5 things; at most 10 are allowed")
    assert f"--limit {name}=11" in line
    assert f"Limits({name}=11)" in line
    assert parse_limits([f"{name}=11"]) == Limits(**{name: 11})


def test_limits_are_read_as_they_are_written() -> None:
    assert parse_limits([]) == DEFAULT
    assert parse_limits(["bodies=1e6", "seconds=0.5"]) == Limits(bodies=1_000_000, seconds=0.5)


@pytest.mark.parametrize(
    "setting", ["", "bodies", "bodies=", "bodies=x", "bodies=inf", "=1", "no=1"]
)
def test_other_words_are_refused(setting: str) -> None:
    with pytest.raises(ContentError):
        parse_limits([setting])


@pytest.mark.parametrize("value", [-1, float("nan"), True, "1", None])
def test_limits_are_numbers(value: object) -> None:
    with pytest.raises(ContentError, match="bodies"):
        Limits(bodies=value)  # type: ignore[arg-type]


def test_a_document_keeps_its_limits() -> None:
    limits = Limits(bodies=3)
    document = loads(text_of({"asset": {"version": "2.0"}}), limits=limits)
    assert document.limits is limits
    assert document.copy().limits is limits


@pytest.mark.parametrize(
    ("limits", "pointer"),
    [
        (Limits(file_bytes=100), None),
        (Limits(text_bytes=50), None),
        (Limits(items=2), "/nodes"),
    ],
)
def test_files_are_weighed_before_they_are_read(
    tmp_path: Path, limits: Limits, pointer: str
) -> None:
    path = tmp_path / "a.glb"
    path.write_bytes(glb_bytes({"asset": {"version": "2.0"}, "nodes": [{}] * 3}, bytes(100)))
    with pytest.raises(LimitError) as caught:
        load(path, limits=limits)
    assert caught.value.file == str(path)
    assert caught.value.pointer == pointer


@pytest.mark.parametrize("name", NAMES)
def test_the_page_on_reliability_lists_every_limit(name: str) -> None:
    page = (Path(__file__).parents[1] / "docs" / "reliability.md").read_text(encoding="utf-8")
    assert f"| `{name}` | {getattr(DEFAULT, name):,.0f} |" in page


def test_every_test_that_the_page_on_reliability_names_is_there() -> None:
    root = Path(__file__).parents[1]
    page = (root / "docs" / "reliability.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:tests|fuzz)/[\w/.]+)`", page))
    assert len(named) > 10
    assert all((root / name).exists() for name in named)


def test_only_changed_limits_are_shown() -> None:
    assert repr(Limits()) == "Limits()"
    assert repr(Limits(bodies=3, seconds=1.5)) == "Limits(bodies=3, seconds=1.5)"

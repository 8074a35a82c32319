"""Variation rules: draws follow their distributions, and bad files are reported key by key."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament.errors import ContentError, FileError, FormatError
from ligament.worlds.variations.distributions import uniform_numbers
from ligament.worlds.variations.rules import read_variations
from ligament.worlds.variations.sampler import Sampler, bind
from tests.play.files import BALL, FLOOR, node, physics_file

COUNT = 2000
MASS = {"quantity": "mass", "nodes": "Ball"}


def document() -> lg.Document:
    return physics_file(
        node("Ball", at=(0, 3, 0), motion={"mass": 1}, shape=BALL),
        node("Crate.1", at=(3, 3, 0), motion={"mass": 1}, shape=BALL),
        node("Crate.2", at=(6, 3, 0), motion={"mass": 1}, shape=BALL),
        node("Floor", shape=FLOOR),
        node("Twin", at=(9, 3, 0), motion={"mass": 1}, shape=BALL),
        node("Twin", at=(12, 3, 0), motion={"mass": 1}, shape=BALL),
    )


def sampler(*rules: dict[str, Any]) -> Sampler:
    sim = lg.Simulation(document())
    return bind(read_variations({"vary": list(rules)}), sim.scene, sim.stage.tree)


def draws(rule: dict[str, Any], seed: int = 3) -> np.ndarray:
    made = sampler(rule)
    return np.array([made.draw(seed, world) for world in range(COUNT)])


def test_uniform_draws_fill_their_range() -> None:
    low, high = np.array([-1.0, 0.0, 5.0]), np.array([1.0, 0.0, 6.0])
    drawn = draws(
        {
            "quantity": "linear_velocity",
            "nodes": "Ball",
            "distribution": "uniform",
            "min": low.tolist(),
            "max": high.tolist(),
        }
    )
    assert drawn.shape == (COUNT, 3)
    assert (drawn >= low).all()
    assert (drawn <= high).all()
    # The mean of n draws has a deviation of width / √(12 n); five of them are never seen.
    error = 5 * (high - low) / math.sqrt(12 * COUNT)
    assert (np.abs(drawn.mean(0) - (low + high) / 2) <= error + 1e-12).all()
    assert abs(np.corrcoef(drawn[:, 0], drawn[:, 2])[0, 1]) < 5 / math.sqrt(COUNT)


def test_normal_draws_have_their_mean_and_deviation() -> None:
    drawn = draws(
        {"quantity": "gravity", "distribution": "normal", "mean": [0, -9.8, 0], "std": [0, 2, 1]}
    )
    assert (drawn[:, 0] == 0).all()
    for column, mean, deviation in ((1, -9.8, 2.0), (2, 0.0, 1.0)):
        error = 5 * deviation / math.sqrt(COUNT)
        assert drawn[:, column].mean() == pytest.approx(mean, abs=error)
        assert drawn[:, column].std() == pytest.approx(deviation, abs=error)


def test_normal_draws_can_be_cut_off() -> None:
    spread = {"distribution": "normal", "mean": 1.0, "std": 1.0, "min": 0.5, "max": 1.5}
    drawn = draws(MASS | spread)
    assert drawn.min() >= 0.5
    assert drawn.max() <= 1.5
    # Cut off, not pushed to the ends: few lie on either.
    assert ((drawn == 0.5) | (drawn == 1.5)).mean() < 0.01
    assert drawn.mean() == pytest.approx(1.0, abs=5 * 0.29 / math.sqrt(COUNT))


def test_log_uniform_draws_are_even_in_their_logarithm() -> None:
    drawn = draws(MASS | {"distribution": "log-uniform", "min": 0.01, "max": 100.0})
    assert drawn.min() >= 0.01
    assert drawn.max() <= 100.0
    logs = np.log10(drawn)
    assert logs.mean() == pytest.approx(0.0, abs=5 * 4 / math.sqrt(12 * COUNT))


def test_choices_are_as_frequent_as_each_other() -> None:
    drawn = draws(MASS | {"distribution": "choice", "values": [1, 2, 5]})[:, 0]
    values, counts = np.unique(drawn, return_counts=True)
    assert values.tolist() == [1, 2, 5]
    share = COUNT / 3
    assert (np.abs(counts - share) < 5 * math.sqrt(share * 2 / 3)).all()


def test_constants_are_what_they_are() -> None:
    assert (draws(MASS | {"distribution": "constant", "value": 4}) == 4).all()


def test_a_world_depends_on_the_seed_and_its_number_alone() -> None:
    rule = MASS | {"distribution": "uniform", "min": 1, "max": 2}
    one, two = sampler(rule), sampler(rule | {"max": 2})
    assert one.draw(5, 17) == two.draw(5, 17)
    assert one.draw(5, 17) != one.draw(5, 18)
    assert one.draw(5, 17) != one.draw(6, 17)
    # A rule that is added behind, or another range, does not disturb those before.
    more = sampler(rule, {"quantity": "gravity", "distribution": "constant", "value": [0, -1, 0]})
    assert more.draw(5, 17)[0] == one.draw(5, 17)[0]


def test_uniform_numbers_numbers_are_those_of_ever() -> None:
    """These come from bits alone: a change would make old seeds worthless."""
    expected = [0.7739560485559633, 0.4388784397520523, 0.8585979199113825]
    assert uniform_numbers(42, 0, 0, 2).shape == (2,)
    source = np.random.PCG64(np.random.SeedSequence(42, spawn_key=(0, 0)))
    bits = [int(source.random_raw()) >> 12 for _ in range(3)]
    assert uniform_numbers(42, 0, 0, 3).tolist() == [(b + 0.5) / 2**52 for b in bits]
    # NumPy's own doubles from the seed 42 alone: the generator underneath is the documented one.
    plain = np.random.Generator(np.random.PCG64(42)).random(3)
    assert plain.tolist() == expected


def test_nodes_by_name_glob_and_index() -> None:
    one = {"distribution": "constant", "value": 2}
    mass = {"quantity": "mass", **one}
    assert sampler(mass | {"nodes": ["Crate*", 0]}).bound[0].nodes == (0, 1, 2)
    assert sampler(mass | {"nodes": "Crate.2"}).names == ("Crate.2.mass",)
    assert sampler(mass | {"nodes": "Twin"}).names == ("Twin#4.mass", "Twin#5.mass")
    assert sampler(mass | {"nodes": "Crate*", "shared": True}).names == ("Crate*.mass",)
    assert sampler({"quantity": "friction", "nodes": "Floor", **one}).bound[0].nodes == (3,)
    turned = sampler({"quantity": "rotation", "nodes": 0, "distribution": "constant", "value": 0})
    assert turned.names == ("Ball.rotation.x", "Ball.rotation.y", "Ball.rotation.z")


def test_toml_and_json_say_the_same(tmp_path: Path) -> None:
    content = {"seed": 9, "vary": [MASS | {"distribution": "uniform", "min": 1, "max": 2.5}]}
    (tmp_path / "a.json").write_text(json.dumps(content))
    (tmp_path / "a.toml").write_text(
        "seed = 9\n[[vary]]\nquantity = 'mass'\nnodes = 'Ball'\n"
        "distribution = 'uniform'\nmin = 1\nmax = 2.5\n"
    )
    one, two = (read_variations(tmp_path / name) for name in ("a.json", "a.toml"))
    assert one.plain == two.plain == content
    assert one.seed == 9


GOOD = MASS | {"distribution": "uniform", "min": 1.0, "max": 2.0}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"vary": []}, "vary: there are no rules"),
        ({"vary": [GOOD], "sead": 1}, "sead: is not a known key; did you mean seed?"),
        ({"vary": [GOOD], "seed": -1}, "seed: found -1"),
        ({"vary": ["mass"]}, r"vary\[0\]: found 'mass'"),
        ({"vary": [GOOD, GOOD | {"quantity": "weight"}]}, r"vary\[1\]\.quantity.*use one of"),
        ({"vary": [GOOD | {"distribution": "flat"}]}, r"distribution: found 'flat'.*log-uniform"),
        ({"vary": [GOOD | {"minimum": 1}]}, r"vary\[0\]\.minimum: is not a known key.*min"),
        ({"vary": [MASS | {"distribution": "uniform", "min": 1}]}, r"max: is missing"),
        ({"vary": [GOOD | {"min": 3.0}]}, r"vary\[0\]\.min: 3 is above 2"),
        ({"vary": [GOOD | {"min": -1.0}]}, r"min: mass could be -1 kg; it must be above 0"),
        ({"vary": [GOOD | {"min": 0}]}, "mass could be 0 kg"),
        ({"vary": [GOOD | {"min": [1, 2]}]}, r"min: found \[1, 2\]; give a number"),
        ({"vary": [GOOD | {"min": "1"}]}, "min: found '1'"),
        ({"vary": [GOOD | {"max": math.inf}]}, "max: found inf; it must be finite"),
        ({"vary": [GOOD | {"nodes": None}]}, "nodes: is missing"),
        ({"vary": [GOOD | {"nodes": [1.5]}]}, r"nodes: found \[1.5\]"),
        ({"vary": [GOOD | {"apply": "add"}]}, "apply: mass cannot be used to add; use set or"),
        ({"vary": [GOOD | {"shared": 1}]}, "shared: found 1; use true or false"),
        ({"vary": [GOOD | {"drive": -1}]}, "drive: found -1"),
        (
            {"vary": [MASS | {"distribution": "normal", "mean": 1, "std": 1}]},
            "min: mass could be any value; it must be above 0",
        ),
        (
            {"vary": [MASS | {"distribution": "normal", "mean": 1, "std": -1, "min": 1}]},
            "std: found -1",
        ),
        ({"vary": [MASS | {"distribution": "choice", "values": [1, -2]}]}, "values: mass could be"),
        ({"vary": [MASS | {"distribution": "choice", "values": []}]}, "values: found"),
        (
            {"vary": [GOOD | {"quantity": "restitution", "max": 2}]},
            "restitution could be 2; it must be 0 to 1",
        ),
        (
            {"vary": [GOOD | {"quantity": "gravity"}]},
            "nodes: gravity has no nodes; leave it out",
        ),
        (
            {"vary": [GOOD | {"distribution": "log-uniform", "quantity": "friction", "min": 0}]},
            "log-uniform needs it above 0",
        ),
    ],
)
def test_invalid_rules_are_reported_with_file_and_key(
    tmp_path: Path, content: Any, message: str
) -> None:
    path = tmp_path / "vary.json"
    path.write_text(json.dumps(content))
    with pytest.raises(ContentError, match=message) as caught:
        read_variations(path)
    assert str(path) in str(caught.value)


def test_rules_of_python_may_hold_arrays_and_tuples() -> None:
    rule = {"quantity": "gravity", "distribution": "uniform", "min": np.zeros(3), "max": (1, 2, 3)}
    made = read_variations({"seed": np.int64(3), "vary": (rule,)})
    assert made.plain["vary"][0] | {"min": 0, "max": 0} == rule | {"min": 0, "max": 0}
    assert made.plain["vary"][0]["min"] == [0.0, 0.0, 0.0]
    assert made.rules[0].distribution.maximum.tolist() == [1, 2, 3]
    json.dumps(made.plain)


@pytest.mark.parametrize("key", ["vary", "nodes", "min", "quantity"])
def test_rules_of_python_may_not_be_nested_without_a_bound(key: str) -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    rule = {"quantity": "mass", "nodes": "Crate", "distribution": "uniform", "min": 1, "max": 2}
    rules = {"vary": deep} if key == "vary" else {"vary": [{**rule, key: deep}]}
    with pytest.raises(FormatError, match="nested more than 256 levels deep"):
        read_variations(rules)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be read"):
        read_variations(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_text("vary = [")
    with pytest.raises(FormatError, match="is not TOML"):
        read_variations(tmp_path / "bad.toml")


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (GOOD | {"nodes": "Bal"}, r"vary\[0\]\.nodes: no dynamic body.*'Bal'.*'Ball' \(node 0\)"),
        (GOOD | {"nodes": ["Ball", 77]}, "at 77"),
        (GOOD | {"nodes": "Floor"}, "no dynamic body with a finite mass is at 'Floor'"),
        (GOOD | {"quantity": "drive_position"}, "no joint with drives.*the file has none"),
    ],
)
def test_unknown_nodes_are_reported_with_the_known_ones(rule: dict[str, Any], message: str) -> None:
    with pytest.raises(ContentError, match=message):
        sampler(rule)

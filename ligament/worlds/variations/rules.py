"""Variation rules: read from TOML or JSON and checked key by key."""

from __future__ import annotations

import dataclasses
import difflib
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import numpy as np

from ligament.arguments import checked
from ligament.arrays import Floats
from ligament.errors import ContentError
from ligament.tables import read_table, require_shallow
from ligament.worlds.variations.distributions import KEYS, Distribution, Form
from ligament.worlds.variations.quantities import TRAITS, Operation, Owner, Quantity, Trait

E = TypeVar("E", Form, Quantity, Operation)

TOP_KEYS = ("seed", "vary")
RULE_KEYS = ("quantity", "nodes", "distribution", "apply", "shared", "drive")


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Rule:
    """One quantity of some nodes, and its distribution.

    `nodes` are names, globs and indices. `shared` means one draw for all of them. `drive` is the
    index of the drive in its joint. `place` locates the rule in its file, for messages.
    """

    quantity: Quantity
    distribution: Distribution
    nodes: tuple[str | int, ...] = ()
    operation: Operation = Operation.SET
    shared: bool = False
    drive: int = 0
    file: str | None = None
    place: str = ""

    @property
    def trait(self) -> Trait:
        """The properties of the quantity."""
        return TRAITS[self.quantity]

    def error(self, key: str, message: str, remedy: str) -> ContentError:
        """Make an error about a key of the rule."""
        return ContentError(message, file=self.file, pointer=f"{self.place}.{key}", remedy=remedy)


@dataclasses.dataclass(frozen=True, eq=False)
class Variations:
    """All rules; `plain` is their source, as JSON."""

    rules: tuple[Rule, ...]
    seed: int | None
    plain: dict[str, Any]


Rules = str | os.PathLike[str] | Mapping[str, Any] | Variations
"""A .toml or .json file, or rules already read."""


@checked
def read_variations(source: Rules) -> Variations:
    """Read rules from a .toml or .json file, or from a mapping of the same form.

    >>> rule = {"quantity": "mass", "nodes": "Crate*", "distribution": "uniform"}
    >>> read_variations({"seed": 1, "vary": [rule | {"min": 1.0, "max": 5.0}]})
    """
    if isinstance(source, Variations):
        return source
    if isinstance(source, Mapping):
        require_shallow(source)
        return _Reader(None).variations(_plain(source))
    path = Path(source)
    return _Reader(str(path)).variations(read_table(path))


def _plain(value: Any) -> Any:
    """Return a Python value as plain JSON: arrays and tuples become lists."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


class _Reader:
    """Turns plain values into rules; `file` is named in errors."""

    def __init__(self, file: str | None) -> None:
        self.file = file

    def variations(self, content: Any) -> Variations:
        if not isinstance(content, dict):
            self._fail("", "found no keys", f"it has {' and '.join(TOP_KEYS)}")
        self._known(content, TOP_KEYS, "")
        seed, rules = content.get("seed"), content.get("vary")
        if seed is not None and (not isinstance(seed, int) or isinstance(seed, bool) or seed < 0):
            self._fail("seed", f"found {seed!r}", "it must be a whole number of 0 or more")
        if not isinstance(rules, list) or not rules:
            self._fail("vary", "there are no rules", "give a list: [[vary]] in TOML")
        read = tuple(self.rule(rule, f"vary[{i}]") for i, rule in enumerate(rules))
        return Variations(read, seed, content)

    def rule(self, raw: Any, place: str) -> Rule:
        if not isinstance(raw, dict):
            self._fail(place, f"found {raw!r}", f"a rule has {', '.join(RULE_KEYS)}")
        quantity = self._one_of(raw, "quantity", Quantity, place)
        form = self._one_of(raw, "distribution", Form, place)
        keys = KEYS[form]
        self._known(raw, (*RULE_KEYS, *keys.needed, *keys.optional), place)
        for key in keys.needed:
            if key not in raw:
                self._fail(f"{place}.{key}", "is missing", f"{form} needs {', '.join(keys.needed)}")
        trait = TRAITS[quantity]
        operation = trait.operations[0]
        if "apply" in raw:
            operation = self._one_of(raw, "apply", Operation, place)
        if operation not in trait.operations:
            listed = " or ".join(trait.operations)
            message = f"{quantity} cannot be used to {operation}"
            self._fail(f"{place}.apply", message, f"use {listed}")
        rule = Rule(
            quantity=quantity,
            distribution=self._distribution(raw, form, trait.size, place),
            nodes=self._nodes(raw, trait, place),
            operation=operation,
            shared=self._typed(raw, "shared", bool, False, place),
            drive=self._typed(raw, "drive", int, 0, place),
            file=self.file,
            place=place,
        )
        _require_range(rule)
        return rule

    def _nodes(self, raw: dict[str, Any], trait: Trait, place: str) -> tuple[str | int, ...]:
        if trait.owner is Owner.WORLD:
            if "nodes" in raw:
                self._fail(f"{place}.nodes", "gravity has no nodes", "leave it out")
            return ()
        nodes = raw.get("nodes")
        listed = nodes if isinstance(nodes, list) else [nodes]
        if not listed or not all(type(node) in (str, int) for node in listed):
            found = "is missing" if nodes is None else f"found {nodes!r}"
            self._fail(f"{place}.nodes", found, "give names, globs or indices of nodes")
        return tuple(listed)

    def _distribution(self, raw: dict[str, Any], form: Form, size: int, place: str) -> Distribution:
        if form in (Form.CHOICE, Form.CONSTANT):
            values = self._values(raw, form, size, place)
            return Distribution(form, values.min(0), values.max(0), values=values)
        low = self._vector(raw.get("min", -math.inf), size, f"{place}.min", "min" in raw)
        high = self._vector(raw.get("max", math.inf), size, f"{place}.max", "max" in raw)
        if (low > high).any():
            self._fail(
                f"{place}.min",
                f"{_worded(low)} is above {_worded(high)}",
                "min must not exceed max",
            )
        if form is Form.LOG_UNIFORM and (low <= 0).any():
            self._fail(f"{place}.min", f"found {_worded(low)}", "log-uniform needs it above 0")
        if form is not Form.NORMAL:
            return Distribution(form, low, high)
        mean = self._vector(raw["mean"], size, f"{place}.mean")
        deviation = self._vector(raw["std"], size, f"{place}.std")
        if (deviation < 0).any():
            self._fail(f"{place}.std", f"found {_worded(deviation)}", "it must be 0 or more")
        return Distribution(form, low, high, mean, deviation)

    def _values(self, raw: dict[str, Any], form: Form, size: int, place: str) -> Floats:
        key = KEYS[form].needed[0]
        listed = raw[key] if form is Form.CHOICE else [raw[key]]
        if not isinstance(listed, list) or not listed:
            self._fail(f"{place}.{key}", f"found {listed!r}", "give a list of values")
        return np.array([self._vector(value, size, f"{place}.{key}") for value in listed])

    def _vector(self, value: Any, size: int, place: str, is_given: bool = True) -> Floats:
        """Read `size` numbers; a single number stands for all of them."""
        listed = value if isinstance(value, list) else [value] * size
        valid = "a number" if size == 1 else f"a number, or {size}"
        is_numbers = all(type(each) in (int, float) for each in listed)
        if len(listed) != size or not is_numbers:
            self._fail(place, f"found {value!r}", f"give {valid}")
        try:
            numbers = np.array(listed, np.float64)
        except OverflowError:  # whole numbers have any length
            self._fail(place, f"found {value!r:.60}", "it must be finite")
        if is_given and not np.isfinite(numbers).all():
            self._fail(place, f"found {value!r}", "it must be finite")
        return numbers

    def _one_of(self, raw: dict[str, Any], key: str, kind: type[E], place: str) -> E:
        value: Any = raw.get(key)
        try:
            return kind(value)
        except ValueError:
            found = f"found {value!r}" if key in raw else "is missing"
            self._fail(f"{place}.{key}", found, f"use one of {', '.join(kind)}")

    def _typed(
        self, raw: dict[str, Any], key: str, kind: type[bool | int], default: Any, place: str
    ) -> Any:
        value: Any = raw.get(key, default)
        if type(value) is not kind or (kind is int and value < 0):
            valid = "true or false" if kind is bool else "a whole number of 0 or more"
            self._fail(f"{place}.{key}", f"found {value!r}", f"use {valid}")
        return value

    def _known(self, raw: dict[str, Any], known: Sequence[str], place: str) -> None:
        for key in raw:
            if key not in known:
                close = difflib.get_close_matches(str(key), known, 1)
                guess = f"did you mean {close[0]}? " if close else ""
                where = f"{place}.{key}" if place else str(key)
                self._fail(where, "is not a known key", f"{guess}there are {', '.join(known)}")

    def _fail(self, place: str, message: str, remedy: str) -> NoReturn:
        raise ContentError(message, file=self.file, pointer=place or None, remedy=remedy)


def _require_range(rule: Rule) -> None:
    """Refuse distributions that can give invalid values of the quantity."""
    trait, spread = rule.trait, rule.distribution
    low, high = float(spread.minimum.min()), float(spread.maximum.max())
    is_low = low < trait.least or (trait.is_open and low <= trait.least)
    if not is_low and high <= trait.most:
        return
    bound = "min" if is_low else "max"
    key = bound if spread.values is None else KEYS[spread.form].needed[0]
    found = low if is_low else high
    reach = "any value" if math.isinf(found) else f"{found:g} {trait.unit}".strip()
    raise rule.error(key, f"{rule.quantity} could be {reach}", f"it must be {trait.range}")


def _worded(values: Floats) -> str:
    numbers = [f"{value:g}" for value in values.tolist()]
    return numbers[0] if len(numbers) == 1 else f"[{', '.join(numbers)}]"

"""JSON documents changed at random places: the structure stays, one thing in it is wrong."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from typing import Any

from fuzz.values import near, wrong_value

Holder = dict[str, Any] | list[Any]
Place = tuple[Holder, Any]
"""A member: the object or array that holds it, and its name or index there."""

STOP = 0.25
"""How likely the way down a document ends at each level."""

MOST_REPEATS = 60

MOST_REPEATED = 1 << 16
"""How long [bytes] the text of all repeats may be: inputs are cut at the same length."""


def change(root: dict[str, Any], dice: random.Random) -> None:
    """Change a document in one place, or connect two of its places."""
    place = _place(root, dice)
    if place is not None:
        dice.choice(_CHANGES)(root, *place, dice)


def _place(root: dict[str, Any], dice: random.Random) -> Place | None:
    """Walk down at random; half of the time the way starts at an extension."""
    starts: list[Holder] = _extension_objects(root) if dice.random() < 0.5 else []
    holder: Holder = dice.choice(starts) if starts else root
    while holder:
        key = dice.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
        value = holder[key]
        if not isinstance(value, (dict, list)) or not value or dice.random() < STOP:
            return holder, key
        holder = value
    return None


def _extension_objects(root: dict[str, Any]) -> list[Holder]:
    found: list[Holder] = []
    pending: list[Any] = [root]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            own = item.get("extensions")
            found += [own] if isinstance(own, dict) and own else []
            pending += item.values()
        elif isinstance(item, list) and not _is_flat(item):
            pending += item
    return found


def _is_flat(items: list[Any]) -> bool:
    return bool(items) and isinstance(items[0], (int, float, str))


def _replace(_: Any, holder: Any, key: Any, dice: random.Random) -> None:
    holder[key] = wrong_value(dice)


def _shift(root: Any, holder: Any, key: Any, dice: random.Random) -> None:
    """Move a number a little or far; in an array of numbers, one of them."""
    value = holder[key]
    if isinstance(value, list) and value and _is_flat(value):
        holder, key = value, dice.randrange(len(value))
        value = holder[key]
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        _replace(root, holder, key, dice)
    else:
        holder[key] = near(value, dice)


def _remove(_: Any, holder: Any, key: Any, __: random.Random) -> None:
    del holder[key]


def _rename(_: Any, holder: Any, key: Any, dice: random.Random) -> None:
    if isinstance(holder, dict):
        names = (key.upper(), key + "s", key[:-1], "extras", "type", "name", "node")
        holder[dice.choice(names)] = holder.pop(key)


def _repeat(_: Any, holder: Any, key: Any, dice: random.Random) -> None:
    """Put the same thing many times into an array."""
    value = holder[key]
    repeated = dice.choice(value) if isinstance(value, list) and value else value
    times = dice.randrange(min(MOST_REPEATS, 1 + MOST_REPEATED // len(json.dumps(repeated))))
    copies = [copy.deepcopy(repeated) for _ in range(times)]
    holder[key] = value + copies if isinstance(value, list) else copies


def _shorten(_: Any, holder: Any, key: Any, dice: random.Random) -> None:
    if isinstance(holder[key], list) and holder[key]:
        del holder[key][dice.randrange(len(holder[key])) :]


def _transplant(root: Any, holder: Any, key: Any, dice: random.Random) -> None:
    """Copy what stands at one place to another."""
    other = _place(root, dice)
    if other is not None:
        holder[key] = copy.deepcopy(other[0][other[1]])


def _tie(root: Any, _: Any, __: Any, dice: random.Random) -> None:
    """Make a node the child of any node, itself too."""
    nodes = root.get("nodes")
    if isinstance(nodes, list) and nodes and isinstance(node := dice.choice(nodes), dict):
        children = node.get("children")
        more = [dice.randrange(len(nodes) + 1)]
        node["children"] = (children if isinstance(children, list) else []) + more


_CHANGES: tuple[Callable[[Any, Any, Any, random.Random], None], ...] = (
    _replace, _replace, _shift, _shift, _shift, _remove, _rename, _repeat, _shorten, _transplant,
    _transplant, _tie,
)  # fmt: skip

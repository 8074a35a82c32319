"""Densities of materials, by words in their names."""

from __future__ import annotations

import re
from collections.abc import Iterable

DENSITIES: dict[str, float] = {
    "aluminium": 2700,
    "aluminum": 2700,
    "brass": 8500,
    "brick": 1900,
    "bronze": 8800,
    "cardboard": 700,
    "ceramic": 2400,
    "cloth": 300,
    "concrete": 2400,
    "copper": 8960,
    "cork": 240,
    "fabric": 300,
    "foam": 50,
    "glass": 2500,
    "gold": 19300,
    "granite": 2700,
    "ice": 917,
    "iron": 7870,
    "lead": 11340,
    "leather": 860,
    "marble": 2700,
    "metal": 7850,
    "oak": 750,
    "paper": 800,
    "pine": 500,
    "plastic": 1000,
    "plywood": 600,
    "porcelain": 2400,
    "rock": 2600,
    "rubber": 1200,
    "silver": 10490,
    "steel": 7850,
    "stone": 2600,
    "wax": 900,
    "wood": 700,
}
"""Density [kg/m³] of materials, rounded from engineering tables."""

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def density_of(names: Iterable[str]) -> float | None:
    """Return the density [kg/m³] for the first name that contains a known word.

    >>> density_of(["M_OldWood.001"])
    700
    """
    for name in names:
        for word in _WORD.findall(name):
            for form in (word.lower(), word.lower().removesuffix("en")):
                if form in DENSITIES:
                    return DENSITIES[form]
    return None

"""Values that no member of a document expects."""

from __future__ import annotations

import math
import random
from typing import Any

NUMBERS: tuple[Any, ...] = (
    0, -0.0, 1, -1, 0.5, 1e-320, 1e-30, 1e-7, 1e6, 1e10, 1e19, 1e30, 3.4e38, 1e39, 1e300, -1e300,
    127, 255, 256, 65535, 2**31 - 1, 2**31, 2**32, 2**52, 2**53, 2**63, 2**64, 10**30,
    math.nan, math.inf, -math.inf,
)  # fmt: skip

STRINGS = (
    "", "x", " ", "\0", "../../x", "[red]", "\x1b]0;x\x07", "=1+1", "<script>", "\u202ex",
    "é" * 300,    "X", "angular", "dynamic", "box", "hips", "translation", "STEP", "MAT4", "data:,",
    "file:///x",    "/nodes/0/translation", "/nodes/99/rotation", "/extensions", "1.0",
)  # fmt: skip

DEPTHS = (3, 40, 300, 800)


def wrong_value(dice: random.Random) -> Any:
    """Return a value of any kind."""
    match dice.randrange(10):
        case 0 | 1 | 2 | 3:
            return dice.choice(NUMBERS)
        case 4:
            return dice.choice(STRINGS)
        case 5:
            return [dice.choice(NUMBERS) for _ in range(dice.choice((0, 1, 2, 3, 4, 9, 16)))]
        case 6:
            return dice.choice((None, True, False, {}, [], [[]], [{}], [None]))
        case 7:
            return {dice.choice(STRINGS): dice.choice(NUMBERS)}
        case 8:
            return nested(dice.choice(DEPTHS), in_arrays=dice.random() < 0.5)
        case _:
            return dice.randrange(12)


def near(number: float, dice: random.Random) -> Any:
    """Return a number that is a little or far off."""
    choices = (number + 1, number - 1, -number, number * 1e-9, number * 1e9, number + 0.5)
    return dice.choice((*choices, dice.choice(NUMBERS)))


def nested(depth: int, *, in_arrays: bool) -> Any:
    """Return a value inside many others."""
    value: Any = 1
    for _ in range(depth):
        value = [value] if in_arrays else {"extensions": value}
    return value

"""How deeply JSON text is nested, told from the text at the speed of a search."""

from __future__ import annotations

import re

import numpy as np

from ligament.limits import Limits

_OPENING, _CLOSING = b"[{", b"]}"
_OTHERS = bytes({*range(256)} - {*(_OPENING + _CLOSING + b'"')})
_BLOCK = 1 << 20


def require_nesting(text: bytes, limits: Limits) -> None:
    """Refuse valid JSON text with more levels than the limits allow."""
    if text.count(b"[") + text.count(b"{") > limits.nesting:
        limits.require("nesting", depth(text), "levels of nesting")


def depth(text: bytes) -> int:
    """Return how many arrays and objects stand within each other in valid JSON text.

    >>> depth(b'{"a": [1, "]"]}')
    2
    """
    if b"\\" in text:
        text = re.sub(rb"\\.", b"", text, flags=re.DOTALL)
    # What is left of a string is two quotes; pairs can go, whichever strings they belong to.
    marks = text.translate(None, _OTHERS).replace(b'""', b"")
    marks = re.sub(rb'"[^"]*"', b"", marks)
    deepest = level = 0
    for start in range(0, len(marks), _BLOCK):
        block = np.frombuffer(marks[start : start + _BLOCK], np.uint8)
        steps = np.where((block == _OPENING[0]) | (block == _OPENING[1]), 1, -1)
        levels = level + np.cumsum(steps)
        deepest, level = max(deepest, int(levels.max())), int(levels[-1])
    return deepest

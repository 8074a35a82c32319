"""XML text of a MuJoCo model."""

from __future__ import annotations

import math
from typing import Final
from xml.sax.saxutils import escape

import numpy as np

from ligament.errors import ContentError
from ligament.physics.engines.mujoco.model.elements import Element, Value

_NOTHING: Final = 2e-15

_ESCAPED: Final = {'"': "&quot;", "\r": "&#13;", "\n": "&#10;", "\t": "&#09;"}


def xml(root: Element) -> bytes:
    """Return an element and all below it as a file.

    It does not recurse: chains of bodies may be deeper than the stack.
    """
    lines = ["<?xml version='1.0' encoding='utf-8'?>"]
    pending: list[tuple[int, Element | str]] = [(0, root)]
    while pending:
        level, item = pending.pop()
        indent = "  " * level
        if isinstance(item, str):
            lines.append(f"{indent}</{item}>")
            continue
        written = (f" {name}={_quoted(value)}" for name, value in item.attributes.items())
        start = f"{indent}<{item.tag}{''.join(written)}"
        lines.append(f"{start}>" if item.children else f"{start} />")
        if item.children:
            pending.append((level, item.tag))
            pending.extend((level + 1, child) for child in reversed(item.children))
    return "\n".join([*lines, ""]).encode()


def _quoted(value: Value) -> str:
    return f'"{escape(_text(value), _ESCAPED)}"'


def _text(value: Value) -> str:
    """Format a value: strings unchanged, numbers as short as possible."""
    if isinstance(value, str):
        return value
    return " ".join(map(_number, np.asarray(value, np.float64).ravel().tolist()))


def _number(value: float) -> str:
    """Write a finite number to 15 digits; rounding residues become 0."""
    if not math.isfinite(value):
        remedy = "use smaller masses, sizes and velocities; ligament check names the largest"
        raise ContentError(f"a number of MuJoCo's model overflows ({value})", remedy=remedy)
    return "0" if abs(value) < _NOTHING else f"{value:.15g}"

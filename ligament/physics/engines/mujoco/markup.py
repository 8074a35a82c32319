"""XML text of a MuJoCo model."""

from __future__ import annotations

import math
from typing import Final
from xml.etree import ElementTree

import numpy as np

from ligament.physics.engines.mujoco.model.elements import Element, Value

_NOTHING: Final = 2e-15


def xml(root: Element) -> bytes:
    """Return an element and all below it as a file."""
    tree = _node(root)
    ElementTree.indent(tree)
    return bytes(ElementTree.tostring(tree, encoding="utf-8", xml_declaration=True)) + b"\n"


def _node(element: Element) -> ElementTree.Element:
    attributes = {name: _text(value) for name, value in element.attributes.items()}
    node = ElementTree.Element(element.tag, attributes)
    node.extend(map(_node, element.children))
    return node


def _text(value: Value) -> str:
    """Format a value: strings unchanged, numbers as short as possible."""
    if isinstance(value, str):
        return value
    return " ".join(map(_number, np.asarray(value, np.float64).ravel().tolist()))


def _number(value: float) -> str:
    """Write a finite number to 15 digits; rounding residues become 0."""
    if not math.isfinite(value):
        raise ValueError(f"{value} cannot be written")
    return "0" if abs(value) < _NOTHING else f"{value:.15g}"

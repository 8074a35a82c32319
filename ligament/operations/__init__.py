"""The operations, each imported only when it is used."""

import importlib
from typing import Any, Final

from ligament.operations.operation import Operation

OPERATIONS: Final = {
    "info": "Show what a file contains.",
    "check": "Report what is wrong with files, where, and how to fix it.",
    "fix": "Repair what has one right answer, and list the rest.",
    "simulate": "Play animations, constraints and physics into a recording.",
    "bake": "Play a file and write its motion as keyframes.",
    "retarget": "Retarget motion to an avatar.",
    "convert": "Write another container, dialect or format; list losses.",
    "equip": "Add physics or springs to a file, and check the result.",
    "diff": "Show what changed in meaning between two files.",
    "compare": "Show where, when and how far two runs diverge.",
    "view": "Show a file in the browser, or write a page or pictures.",
    "batch": "Check, simulate, bake, retarget or convert many files.",
    "worlds": "Simulate many variations of a file into one data set.",
    "conformance": "Play the conformance suite and judge what moved.",
    "demo": "Show what Ligament does, on its own examples.",
}
"""Names, in the order of the help, and the first lines of their docstrings."""

BATCHES: Final = ("check", "simulate", "bake", "retarget", "convert")
"""Operations that run on many files."""


def operation(name: str) -> type[Operation[Any, Any]]:
    """Return the class of an operation."""
    module = importlib.import_module(f"ligament.operations.{name}")
    kind: type[Operation[Any, Any]] = getattr(module, name.capitalize())
    return kind

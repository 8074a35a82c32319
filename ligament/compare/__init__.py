"""Comparison of recordings: two engines, two versions, two runs of one scene."""

from ligament.callable_module import make_callable
from ligament.compare.comparison import Comparison, Tolerance, compare
from ligament.compare.differences import (
    BodyDifference,
    EventDifference,
    LimitDifference,
)

__all__ = [
    "BodyDifference",
    "Comparison",
    "EventDifference",
    "LimitDifference",
    "Tolerance",
    "compare",
]

make_callable(__name__, compare)

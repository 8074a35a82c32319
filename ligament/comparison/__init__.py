"""Comparison of recordings: two engines, two versions, two runs of one scene."""

from ligament.comparison.comparison import Comparison, Tolerance, compare
from ligament.comparison.differences import (
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

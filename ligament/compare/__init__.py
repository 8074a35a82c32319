"""Recordings compared: two engines, two versions, two runs of one scene."""

from ligament.callable_module import make_callable
from ligament.compare.comparison import (
    BodyDifference,
    Comparison,
    EventDifference,
    LimitDifference,
    compare,
)

__all__ = ["BodyDifference", "Comparison", "EventDifference", "LimitDifference", "compare"]

make_callable(__name__, compare)

"""Any JSON value, for Hypothesis, and equality that tells types, order and signs apart."""

import math
from typing import Any

from hypothesis import strategies as st

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
)

NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)

VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4)
)

OBJECTS = st.dictionaries(NAMES, VALUES, max_size=5)


def same(a: Any, b: Any) -> bool:
    """Equal with types, signs of zero and member order: unlike `==`."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float):
        return a == b and math.copysign(1, a) == math.copysign(1, b)
    return bool(a == b)

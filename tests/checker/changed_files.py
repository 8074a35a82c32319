"""Playable files with changes anywhere in them."""

from __future__ import annotations

import copy
import math

from hypothesis import strategies as st

from ligament.gltf import pointers
from ligament.gltf.jsontext import walk
from tests.checker.playable import PLAYABLE, Json

MEMBERS = sorted({k for f in PLAYABLE.values() for _, v in walk(f) if type(v) is dict for k in v})

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 5)
    | st.floats(-10, 10, width=16)
    | st.sampled_from([1e30, -1e300, 1e308, 1e-300, 2**70, 0.5, math.pi])
    | st.sampled_from(["", "box", "linear", "force", "dynamic", "1.0", "1.0-draft", "X", "\x00/~"])
)

JSON = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from([*MEMBERS, "unknown"]), inner, max_size=4)
    ),
    max_leaves=25,
)


@st.composite
def mutants(draw: st.DrawFn) -> Json:
    """A playable file with one to four changes anywhere in it."""
    file = copy.deepcopy(PLAYABLE[draw(st.sampled_from(sorted(PLAYABLE)))])
    for _ in range(draw(st.integers(1, 4))):
        places = [p for p, _ in walk(file) if p and not p.startswith(("/buffers", "/asset"))]
        pointer = draw(st.sampled_from(places or [""]))
        owner, _, key = pointer.rpartition("/")
        holder, item = pointers.find(file, owner), pointers.find(file, pointer)
        if isinstance(item, dict) and draw(st.booleans()):
            item[draw(st.sampled_from(MEMBERS))] = draw(SCALARS | JSON)
        elif isinstance(holder, dict) and draw(st.booleans()):
            del holder[key]
        elif holder is not None:
            holder[key if isinstance(holder, dict) else int(key)] = draw(SCALARS | JSON)
    return file

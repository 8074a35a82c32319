"""Valid files in which members of extensions were changed, added or taken away."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st

from ligament.gltf import pointers
from ligament.gltf.jsontext import walk
from tests.checker.valid import CONSTRAINED, PHYSICS, Json

VALID = {**PHYSICS, **CONSTRAINED}

VALUES: list[Any] = [
    *(None, True, -1, -2, 0, 1, 1.0, 1.5, 2, 3, 4, 1e30, -0.5),
    *("", "box", "sphere", "trigger", "rigid", "1.0-draft", "X"),
    *([], [0], [0, 0], [0, 1, 2], [0, 1, 2, 3], [1, 1, 1, 1], ["a"], [{}], {}, {"mesh": 0}),
]

MEMBERS = sorted(
    {
        "unknown",
        *(k for file in VALID.values() for _, v in walk(file) if type(v) is dict for k in v),
    }
)


def places(file: Json) -> list[str]:
    """Everything at and below the objects of extensions, and the shapes of glTF 2.1."""
    found = [pointer for pointer, _ in walk(file)]
    return [p for p in found if "/extensions/" in p or p.startswith("/shapes")]


@st.composite
def mutants(draw: st.DrawFn, files: dict[str, Json] = VALID) -> Json:
    """A valid file in which one to three members have another value, are new, or are gone."""
    file = copy.deepcopy(files[draw(st.sampled_from(sorted(files)))])
    for _ in range(draw(st.integers(1, 3))):
        if not (there := places(file)):
            break
        pointer = draw(st.sampled_from(there))
        owner, _, key = pointer.rpartition("/")
        holder, item = pointers.find(file, owner), pointers.find(file, pointer)
        if isinstance(item, dict) and draw(st.booleans()):
            item[draw(st.sampled_from(MEMBERS))] = copy.deepcopy(draw(st.sampled_from(VALUES)))
        elif isinstance(holder, dict) and draw(st.booleans()):
            del holder[key]
        elif holder is not None:
            at = key if isinstance(holder, dict) else int(key)
            holder[at] = copy.deepcopy(draw(st.sampled_from(VALUES)))
    return file

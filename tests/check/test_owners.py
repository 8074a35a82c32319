"""The objects that people know places by."""

from typing import Any

import pytest

from ligament.check.files import Owner, owner_of

ROOT: dict[str, Any] = {
    "nodes": [{"name": "Hips"}, {"name": ""}, {"name": 7}, 5],
    "animations": [{"name": "Wave"}],
    "meshes": {"0": {"name": "odd"}, "x": {}},
    "extensions": {"nodes": [{"name": "not a node"}]},
}


@pytest.mark.parametrize(
    ("pointer", "words"),
    [
        ("/nodes/0", 'node 0 "Hips"'),
        ("/nodes/0/extensions/X/a~1b", 'node 0 "Hips"'),
        ("/nodes/1/scale", "node 1"),
        ("/nodes/2", "node 2"),
        ("/animations/0/channels/3", 'animation 0 "Wave"'),
    ],
)
def test_pointers_into_an_object_name_it(pointer: str, words: str) -> None:
    assert str(owner_of(ROOT, pointer)) == words


@pytest.mark.parametrize(
    "pointer",
    [
        *("", "odd", "/nodes", "/nodes/3", "/nodes/4/x", "/nodes/x", "/nodes/00"),
        *("/meshes/0", "/meshes/x", "/skins/0", "/extensions/nodes/0"),
    ],
)
def test_other_pointers_name_nothing(pointer: str) -> None:
    assert owner_of(ROOT, pointer) is None


def test_an_owner_is_known_by_kind_index_and_name() -> None:
    assert owner_of(ROOT, "/nodes/0/mesh") == Owner("node", 0, "Hips")

"""The table of indices: how a line is read, and what it finds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ligament.extensions  # noqa: F401  (fills the table)
from ligament.gltf import references
from ligament.gltf.document import Document
from ligament.gltf.pointers import Branch, Match, Rule


def found(json: dict[str, Any]) -> dict[str, tuple[str, int]]:
    return {r.pointer: (r.target, r.index) for r in references.references(Document(json))}


def test_a_line_is_taken_apart() -> None:
    rule = Rule.parse("/a/*+/b/*!/c", "/x | /y keep")
    assert rule.segments == ("a", "*", "b", "*", "c")
    assert rule.targets == ("/x", "/y")
    assert rule.keep
    assert rule.owner == 4
    assert rule.emptied(("a", 3, "b")) == ("a", 3)


def test_without_marks_only_the_reference_and_its_list_go() -> None:
    rule = Rule.parse("/a/*/b/*", "/x")
    assert rule.owner == 4
    assert rule.emptied(("a", 3, "b")) == ("a", 3, "b")
    assert rule.is_membership
    assert not Rule.parse("/a/*/b", "/x").is_membership
    assert not Rule.parse("/a/*/b/*", "/x keep").is_membership


def test_a_plus_counts_for_the_next_array_only() -> None:
    rule = Rule.parse("/a+/b/*+/c/*", "/x")
    assert rule.emptied(("a", "b", 0, "c")) == ("a", "b", 0)
    assert rule.emptied(("a", "b")) == ("a",)


def test_a_star_goes_through_lists_and_objects() -> None:
    tree = Branch(Match)
    tree.add(Rule.parse("/a/*/b", "/x"))
    matches = tree.matches({"a": {"m": {"b": 1}, "n": {"c": 2}}})
    assert [match.pointer for match in matches] == ["/a/m/b"]
    matches = tree.matches({"a": [{"b": 1}, 7, {"b": 2}]})
    assert [match.pointer for match in matches] == ["/a/0/b", "/a/2/b"]


def test_matches_come_in_the_order_of_the_document() -> None:
    json = {"nodes": [{"skin": 0, "mesh": 0, "children": [2, 1]}], "scene": 0}
    assert list(found(json)) == [
        "/nodes/0/skin",
        "/nodes/0/mesh",
        "/nodes/0/children/0",
        "/nodes/0/children/1",
        "/scene",
    ]


@pytest.mark.parametrize("value", [-1, None, "0", True, 1.5, [], {}])
def test_values_that_are_no_index_are_no_reference(value: Any) -> None:
    assert found({"nodes": [{"mesh": value}]}) == {}


@pytest.mark.parametrize("value", [2, 2.0, np.int32(2), np.uint8(2)])
def test_an_index_may_be_written_in_other_ways(value: Any) -> None:
    assert found({"nodes": [{"mesh": value}]}) == {"/nodes/0/mesh": ("/meshes", 2)}


@pytest.mark.parametrize("children", [(1, 2), np.array([1, 2])])
def test_other_sequences_become_lists_that_can_be_changed(children: Any) -> None:
    document = Document({"nodes": [{"children": children}]})
    for reference in references.references(document):
        reference.point_to(reference.index + 5)
    assert document.json == {"nodes": [{"children": [6, 7]}]}


def test_alternatives_mean_the_first_array_that_is_there() -> None:
    node = {"extensions": {"KHR_physics_rigid_bodies": {"collider": {"geometry": {"shape": 0}}}}}
    pointer = "/nodes/0/extensions/KHR_physics_rigid_bodies/collider/geometry/shape"
    implicit = {"KHR_implicit_shapes": {"shapes": [{}]}}
    assert found({"nodes": [node], "shapes": [{}]})[pointer] == ("/shapes", 0)
    both = found({"nodes": [node], "shapes": [{}], "extensions": implicit})
    assert both[pointer] == ("/extensions/KHR_implicit_shapes/shapes", 0)
    none = found({"nodes": [node]})
    assert none[pointer] == ("/extensions/KHR_implicit_shapes/shapes", 0)


def animated(pointer: str) -> dict[str, Any]:
    extension = {"KHR_animation_pointer": {"pointer": pointer}}
    return {"animations": [{"channels": [{"target": {"extensions": extension}}]}]}


def test_the_index_inside_a_pointer_is_a_reference() -> None:
    document = Document(animated("/nodes/12/weights/3"))
    (reference,) = references.references(document)
    assert (reference.target, reference.index, reference.is_pointer) == ("/nodes", 12, True)
    reference.point_to(7)
    assert document.json == animated("/nodes/7/weights/3")


def test_a_pointer_into_a_parallel_array_counts_in_the_array_that_it_follows() -> None:
    document = Document(animated("/extensions/VRM/materialProperties/2/name"))
    (reference,) = references.references(document)
    assert (reference.target, reference.index) == ("/materials", 2)
    reference.point_to(0)
    assert document.json == animated("/extensions/VRM/materialProperties/0/name")


def test_a_pointer_outside_of_all_arrays_is_found_on_demand() -> None:
    document = Document(animated("/extensions/VRMC_vrm/expressions/preset/happy/isBinary"))
    assert not list(references.references(document))
    (reference,) = references.references(document, loose=True)
    assert (reference.target, reference.index) == ("", -1)


def test_an_unknown_extension_is_named_with_its_place() -> None:
    json = {
        "materials": [{"extensions": {"ACME_a/b": {"texture": 3}}}],
        "nodes": [{"extensions": {"ACME_weights": {"weights": [0.5, -1, True, "x"]}}}],
    }
    assert references.unknown_extensions(Document(json)) == {
        "ACME_a/b": "/materials/0/extensions/ACME_a~1b"
    }


def test_an_unknown_extension_may_hold_pointers() -> None:
    document = Document({"extensions": {"ACME_behaviour": {"set": "/nodes/3/translation"}}})
    assert references.unknown_extensions(document) == {
        "ACME_behaviour": "/extensions/ACME_behaviour"
    }


def test_an_unknown_extension_inside_a_known_one_is_found() -> None:
    shape = {"type": "x", "extensions": {"ACME_shape": {"mesh": 0}}}
    document = Document({"extensions": {"KHR_implicit_shapes": {"shapes": [shape]}}})
    assert list(references.unknown_extensions(document)) == ["ACME_shape"]


def test_no_two_lines_fit_one_place() -> None:
    """A reference that is found twice would be moved twice."""
    patterns = [rule.segments for rule in references.rules()]
    for i, one in enumerate(patterns):
        for other in patterns[i + 1 :]:
            same_length = len(one) == len(other)
            overlap = all(a == b or "*" in (a, b) for a, b in zip(one, other, strict=False))
            assert not (same_length and overlap), (one, other)


def test_every_target_is_an_array_a_pointer_or_a_file() -> None:
    for rule in references.rules():
        for target in rule.targets:
            assert target.startswith("/") or target in (references.POINTER, references.FILE)
            assert "*" not in target

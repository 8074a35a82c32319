"""Collision groups and filtered pairs: who meets whom, against UsdPhysics' own rules."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ligament.physics.filters import collide
from tests.conversion.usd.texts import Read, read

BALL = 'def Sphere "{}" (apiSchemas = ["PhysicsCollisionAPI"{}]) {{ {} }}\n'


def balls(*names: str) -> str:
    return "".join(BALL.format(name, "", "") for name in names)


def group(name: str, members: str, more: str = "") -> str:
    targets = ", ".join(f"</{member}>" for member in members)
    return (
        f'def PhysicsCollisionGroup "{name}" (apiSchemas = ["CollectionAPI:colliders"])\n'
        f"{{\nrel collection:colliders:includes = [{targets}]\n{more}\n}}\n"
    )


def meetings(found: Read) -> set[str]:
    """The pairs that meet, as two letters each, or one letter for what meets its own kind."""
    colliders = found.physics.colliders.values()
    names = {c.node: found.json["nodes"][c.node]["name"] for c in colliders}
    return {
        "".join(sorted({names[a.node], names[b.node]}))
        for a, b in product(colliders, repeat=2)
        if collide(a.filter, b.filter)
    }


def test_groups_that_do_not_meet(tmp_path: Path) -> None:
    body = balls("A", "B", "C", "D") + group("G", "AB", "rel physics:filteredGroups = </H>")
    body += group("H", "C")
    found = read(tmp_path, body)
    assert meetings(found) == {"A", "B", "C", "D", "AB", "AD", "BD", "CD"}
    assert found.physics.colliders[found.index("D")].filter is None
    assert found.physics.colliders[found.index("A")].filter.systems == {"G"}


def test_a_group_that_does_not_meet_itself(tmp_path: Path) -> None:
    body = balls("A", "B", "C") + group("G", "AB", "rel physics:filteredGroups = </G>")
    assert meetings(read(tmp_path, body)) == {"C", "AC", "BC"}


def test_inverted_groups_meet_only_what_they_name(tmp_path: Path) -> None:
    more = "rel physics:filteredGroups = </H>\nbool physics:invertFilteredGroups = 1"
    body = balls("A", "B", "C") + group("G", "A", more) + group("H", "B") + group("I", "C")
    assert meetings(read(tmp_path, body)) == {"B", "C", "AB", "BC"}


def test_merged_groups_count_as_one(tmp_path: Path) -> None:
    merged = 'string physics:mergeGroup = "all"'
    body = balls("A", "B", "C") + group("G", "A", merged) + group("H", "B", merged)
    body += group("I", "C", "rel physics:filteredGroups = </G>")
    assert meetings(read(tmp_path, body)) == {"A", "B", "C", "AB"}


def test_collections_hold_what_is_below(tmp_path: Path) -> None:
    body = f'def Xform "X" {{ {balls("A")}\n{balls("B")} }}\n' + balls("C")
    body += group("G", "X", "rel physics:filteredGroups = </H>") + group("H", "C")
    assert meetings(read(tmp_path, body)) == {"A", "B", "C", "AB"}


def test_filtered_pairs(tmp_path: Path) -> None:
    api, pairs = ', "PhysicsFilteredPairsAPI"', "rel physics:filteredPairs = [</B>, </X>]"
    body = BALL.format("A", api, pairs) + balls("B", "C")
    body += f'def Xform "X" (apiSchemas = ["PhysicsRigidBodyAPI"]) {{ {balls("D")} }}'
    assert meetings(read(tmp_path, body)) == {"A", "B", "C", "D", "AC", "BC", "BD", "CD"}


GROUPS = "GHI"


@settings(max_examples=25)
@given(
    st.lists(st.sets(st.sampled_from(GROUPS)), min_size=2, max_size=4),
    st.dictionaries(
        st.sampled_from(GROUPS), st.tuples(st.sets(st.sampled_from(GROUPS)), st.booleans())
    ),
)
def test_random_groups_meet_as_the_table_of_usd_says(
    tmp_path_factory: pytest.TempPathFactory,
    memberships: list[set[str]],
    rules: dict[str, tuple[set[str], bool]],
) -> None:
    names = "ABCD"[: len(memberships)]
    body = balls(*names)
    for name in GROUPS:
        filtered, inverted = rules.get(name, (set(), False))
        more = f"bool physics:invertFilteredGroups = {int(inverted)}\n"
        targets = ", ".join(f"</{each}>" for each in sorted(filtered))
        more += f"rel physics:filteredGroups = [{targets}]" if filtered else ""
        members = [n for n, own in zip(names, memberships, strict=True) if name in own]
        body += group(name, "".join(members), more)
    folder = tmp_path_factory.mktemp("groups")
    found = read(folder, body)
    seen = meetings(found)
    from pxr import Usd, UsdPhysics

    table = UsdPhysics.CollisionGroup.ComputeCollisionGroupTable(
        Usd.Stage.Open(str(folder / "stage.usda"))
    )
    for (a, groups_a), (b, groups_b) in product(zip(names, memberships, strict=True), repeat=2):
        allowed = all(
            table.IsCollisionEnabled(f"/{x}", f"/{y}") for x, y in product(groups_a, groups_b)
        )
        assert ("".join(sorted({a, b})) in seen) is allowed

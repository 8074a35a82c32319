"""Compound triggers of OMI_physics_body, and the triggers that they are made of."""

from __future__ import annotations

from msgspec import structs

from ligament.extensions.fields import Fields
from ligament.extensions.omi.body import Bodies
from ligament.extensions.omi.nodes import Nodes
from ligament.extensions.rigid_bodies.collider import Trigger


def join_triggers(bodies: Bodies, nodes: Nodes) -> None:
    """Give every compound trigger its members, so that it is entered once and left once.

    A body of 2023 becomes a compound of the triggers that belong to it. `nodes` came in February
    2024; a trigger with neither shape nor nodes consists of all triggers below it.
    """
    _join_bodies(bodies, nodes)
    below = _below_compounds(bodies, nodes)
    for node, fields in bodies.compounds.items():
        if fields.raw.get("nodes", []) != []:
            members = _listed(bodies, nodes, node, fields)
        else:
            members = tuple(below.get(node, ()))
            if not members:
                message = "found neither shape nor nodes, nor a trigger below"
                fields.report("ONE_OF_MISMATCH", message, "give it a shape or nodes")
        _set_members(bodies, node, members, fields.pointer)


def _join_bodies(bodies: Bodies, nodes: Nodes) -> None:
    owners = bodies.owners(nodes)
    members: dict[int, list[int]] = {}
    for node in sorted(bodies.triggers):
        if owners[node] != node:
            members.setdefault(owners[node], []).append(node)
    for node, fields in bodies.trigger_bodies.items():
        _set_members(bodies, node, tuple(members.get(node, ())), fields.pointer)


def _below_compounds(bodies: Bodies, nodes: Nodes) -> dict[int, list[int]]:
    """List, for every compound, the triggers below it that are not in one further down."""
    nearest = nodes.nearest(bodies.compounds)
    members: dict[int, list[int]] = {}
    for node in sorted(bodies.triggers):
        parent = nodes.parents[node]
        if parent >= 0:
            members.setdefault(nearest[parent], []).append(node)
    return members


def _listed(bodies: Bodies, nodes: Nodes, node: int, fields: Fields) -> tuple[int, ...]:
    """Read the members that a trigger names, leaving out those that cannot be."""
    members = []
    for member, place in fields.places("nodes", nodes.target).items():
        if member in bodies.triggers and nodes.is_below(member, node):
            members.append(member)
            continue
        lack = "is not below it" if member in bodies.triggers else "is not a trigger"
        message = f"node {member} {lack}, so it is left out"
        remedy = "name triggers on descendants of the node"
        fields.report("OMI_PHYSICS_BODY_TRIGGER_NODES", message, remedy, "nodes", place)
    return tuple(members)


def _set_members(bodies: Bodies, node: int, members: tuple[int, ...], pointer: str) -> None:
    trigger = bodies.triggers.get(node, Trigger(node=node, pointer=pointer))
    bodies.triggers[node] = structs.replace(trigger, nodes=members)

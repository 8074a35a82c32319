"""Rules about the node tree and the scenes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ligament.checker.subject import Subject
from ligament.errors import LigamentError
from ligament.extensions.fields import UNIT_TOLERANCE, Fields, Target, empty_array, non_unit
from ligament.findings import Finding, finding
from ligament.gltf.references import read_index
from ligament.gltf.tree import Problem, find_parents

TRANSFORMS = {"translation": 3, "rotation": 4, "scale": 3, "matrix": 16}


def node_rules(subject: Subject) -> Iterator[Finding]:
    """Yield everything wrong with nodes, their tree and the scenes."""
    for name in ("nodes", "scenes"):
        yield from _array_problems(subject, name)
    is_explained = False
    for problem in _tree_problems(subject):
        is_explained = is_explained or problem.severity == "error"
        yield problem
    if isinstance(subject.tree_or_fault, LigamentError) and not is_explained:
        yield unreadable(subject.tree_or_fault, "/nodes")
    yield from _scene_problems(subject)


def _tree_problems(subject: Subject) -> Iterator[Finding]:
    yield from _transform_problems(subject)
    if subject.tree is None:
        yield from _node_problems(subject)
        yield from map(_tree_finding, find_parents(_children(subject))[1])


def any_error(findings: Iterable[Finding]) -> bool:
    """Tell whether any finding explains why something cannot be read."""
    return any(finding.severity == "error" for finding in findings)


def unreadable(fault: LigamentError, pointer: str) -> Finding:
    """Turn an error into a finding at its place, or at `pointer`."""
    remedy = fault.remedy or "fix it"
    return finding("CONTENT_UNREADABLE", fault.pointer or pointer, fault.message, remedy)


def _array_problems(subject: Subject, name: str) -> Iterator[Finding]:
    findings: list[Finding] = []
    raw = subject.json.get(name, [{}])
    if not isinstance(raw, list) or {*map(type, raw)} != {dict}:
        Fields(subject.json, "", findings).objects(name)
    yield from findings


def _transform_problems(subject: Subject) -> Iterator[Finding]:
    """Find faults that do not prevent reading the tree: odd rotations, matrices next to TRS."""
    for index in subject.nodes_with("matrix"):
        if not TRANSFORMS.keys() & subject.nodes[index].keys() <= {"matrix"}:
            message = "the node has both a matrix and translation, rotation or scale"
            yield finding("NODE_MATRIX_TRS", f"/nodes/{index}", message, "keep one of the two")
    for index in subject.nodes_with("children"):
        if subject.nodes[index]["children"] == []:
            yield empty_array(f"/nodes/{index}", "children")
    if subject.tree is not None:
        yield from _rotation_problems(subject)


def _rotation_problems(subject: Subject) -> Iterator[Finding]:
    having = ((index, subject.nodes[index]["rotation"]) for index in subject.nodes_with("rotation"))
    turned = {index: rotation for index, rotation in having if rotation is not None}
    nodes = [*turned]
    lengths = np.linalg.norm(np.array([*turned.values()], float).reshape(-1, 4), axis=1)
    for at in np.flatnonzero(np.abs(lengths - 1) > UNIT_TOLERANCE).tolist():
        yield non_unit(f"/nodes/{nodes[at]}/rotation", float(lengths[at]))


def _node_problems(subject: Subject) -> list[Finding]:
    """Check every member of every node that the tree depends on."""
    findings: list[Finding] = []
    targets = {name: Target.at(subject.json, f"/{name}") for name in ("meshes", "skins", "nodes")}
    for index, node in enumerate(subject.array("nodes")):
        if not isinstance(node, dict):
            continue
        fields = Fields(node, f"/nodes/{index}", findings)
        fields.string("name", None)
        fields.index("mesh", targets["meshes"])
        fields.index("skin", targets["skins"])
        fields.vector("weights", None, None)
        fields.rotation("rotation", None)
        for name in ("translation", "scale", "matrix"):
            fields.vector(name, TRANSFORMS[name], None)
        if node.get("children") != []:
            fields.indices("children", targets["nodes"])
    return findings


def _children(subject: Subject) -> list[list[int]]:
    """Return the valid children; invalid ones are reported elsewhere."""
    count = len(subject.nodes)
    return [_indices(node.get("children"), count) for node in subject.nodes]


def _indices(raw: Any, count: int) -> list[int]:
    found = map(read_index, raw if isinstance(raw, list) else [])
    return list(dict.fromkeys(index for index in found if index is not None and index < count))


def _tree_finding(problem: Problem) -> Finding:
    code = "NODE_LOOP" if problem.pointer.endswith("/children") else "NODE_PARENT_OVERRIDE"
    return finding(code, problem.pointer, problem.message, problem.remedy)


def _scene_problems(subject: Subject) -> Iterator[Finding]:
    findings: list[Finding] = []
    root = Fields(subject.json, "", findings)
    root.index("scene", Target.at(subject.json, "/scenes"))
    for index, scene in enumerate(subject.array("scenes")):
        if isinstance(scene, dict) and index not in subject.sound_scenes:
            _check_scene_nodes(subject, Fields(scene, f"/scenes/{index}", findings))
    yield from findings


def _check_scene_nodes(subject: Subject, scene: Fields) -> None:
    for node, place in scene.places("nodes", Target.at(subject.json, "/nodes")).items():
        if subject.tree is not None and subject.tree.parents[node] >= 0:
            message = f"node {node} is a child of node {subject.tree.parents[node]}"
            pointer, remedy = f"{scene.pointer}/nodes/{place}", "name the root above it"
            scene.findings.append(finding("SCENE_NON_ROOT_NODE", pointer, message, remedy))

"""No recursion over what a file holds: its chains may be deeper than Python's stack."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

OWN = "conformance/"
"""Cases that come with the library, and no file of anybody else."""

BOUNDED = {
    "arguments.py": {"rule_of": "the annotations of the library's own functions"},
    "author/diff/changes.py": {
        "shown": "to as many levels as fit in a line",
        "_differing": "into one of two arrays, the other of which holds no objects",
        "_equal": "into one of two arrays, the other of which holds no objects",
    },
    "author/diff/contents.py": {
        "_Labels.label": "from a texture to its image and sampler",
        "_Labels._label": "from a texture to its image and sampler",
        "_Labels._texture": "from a texture to its image and sampler",
    },
    "author/editing/parts.py": {"ColliderMeshes._remove_unused": "from accessors to views"},
    "author/editing/serialization.py": {"plain": "the depth of the table"},
    "batches/plan.py": {"_absolute": "the value of an option"},
    "conversion/dialects/geometry.py": {"Meshes.of_node": "once more without the skin"},
    "conversion/normalize/contents.py": {"_transplant": "along a path that the code names"},
    "conversion/normalize/vectors.py": {"_Rotator._rotate_all": "the segments of a pattern"},
    "conversion/usd/reading/opening.py": {
        "_Gathering._look": "MAX_PACKAGES",
        "_Gathering._look_into_package": "MAX_PACKAGES",
        "Census._count": "MAX_DEPTH",
    },
    "envs/expressions.py": dict.fromkeys(
        ("_Reader.read", "_Reader._read", "_Reader._compare", "_Reader._function"), "DEEPEST"
    ),
    "extensions/tables/page.py": {
        "_described": "the depth of a schema of the library's own",
        "_json": "the default of a row",
    },
    "extensions/tables/regular.py": {"_converted": "halves a list"},
    "extensions/tables/rules.py": {"translate": "the conditions of the library's own tables"},
    "extensions/tables/rows.py": {"schema_of": "the types of the rows"},
    "gltf/objects.py": {
        "write_view": "the types of the views; `nesting` below them",
        "_merged": "the types of the views; `nesting` below them",
    },
    "gltf/pointers.py": {"_replaced": "the segments of a pointer, at most `nesting`"},
    "gltf/references.py": {"read_index": "once more as an integer"},
    "gltf/reindex/merge.py": {"_Merger._unite": "the depth of the table of arrays"},
    "gltf/reindex/rearrangement.py": {"_drop": "the depth of the table of arrays"},
    "physics/collision/convex.py": {
        "convex": "a stretched shape is of no stretched one",
        "_stretched": "a stretched shape is of no stretched one",
    },
    "physics/engines/mujoco/engine.py": dict.fromkeys(
        (
            "MujocoEngine._read",
            "MujocoEngine._set_wanted_velocities",
        ),
        "each takes its work off the list before it asks the next",
    ),
    "physics/engines/records.py": dict.fromkeys(
        ("_Writer.plain", "_Writer._record", "_Reader.value", "_Reader._record"),
        "the types of a scene; bytes that nest more are refused",
    ),
    "physics/engines/rapier/world/hulls.py": {"_covering_arc": "thirds of a ring"},
    "physics/mass.py": {
        "solid": "a stretched shape is of no stretched one",
        "_enclosed": "a stretched shape is of no stretched one",
    },
    "rig/constraints/plan.py": {"_converted": "the types of a plan"},
    "drawing/geometry.py": {"outline": "a stretched shape is of no stretched one"},
    "drawing/instances.py": {"_key": "a stretched shape is of no stretched one"},
    "worlds/run.py": dict.fromkeys(
        ("worlds", "play_worlds", "_command"), "no call: a name and an option of it"
    ),
    "worlds/variations/rules.py": {"_plain": "rules that the caller wrote in Python"},
}
"""Functions that reach themselves, and what bounds them, whatever the file."""


class _Functions(ast.NodeVisitor):
    """The functions of a module by qualified name, each with those of the module it names."""

    def __init__(self, tree: ast.Module) -> None:
        self.found: dict[str, tuple[ast.AST, str]] = {}
        self._collect(tree, "", "")
        self.named = {name: {*self._named(name)} for name in self.found}

    def _collect(self, node: ast.AST, prefix: str, owner: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                self.found[prefix + child.name] = child, owner
                self._collect(child, f"{prefix}{child.name}.", owner)
            elif isinstance(child, ast.ClassDef):
                self._collect(child, f"{prefix}{child.name}.", prefix + child.name)
            else:
                self._collect(child, prefix, owner)

    def _named(self, name: str) -> Iterator[str]:
        function, owner = self.found[name]
        for node in ast.walk(function):
            match node:
                case ast.Name(id=known, ctx=ast.Load()):
                    yield from self._in_scope(name, known)
                case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=method):
                    yield from {f"{owner}.{method}"} & self.found.keys()

    def _in_scope(self, name: str, known: str) -> Iterator[str]:
        scopes = [*name.split(".")]
        while scopes:
            inner = ".".join([*scopes, known])
            if ".".join(scopes) in self.found and inner in self.found:
                yield inner
                return
            scopes.pop()
        if known in self.found:
            yield known

    def recursive(self) -> set[str]:
        return {name for name in self.found if name in self._reached(name)}

    def _reached(self, name: str) -> set[str]:
        seen: set[str] = set()
        pending = [*self.named[name]]
        while pending:
            one = pending.pop()
            if one not in seen:
                seen.add(one)
                pending += self.named[one]
        return seen


def test_functions_that_reach_themselves_are_bounded() -> None:
    found = {}
    for path in sorted((ROOT / "ligament").rglob("*.py")):
        recursive = _Functions(ast.parse(path.read_text(encoding="utf-8"))).recursive()
        name = path.relative_to(ROOT / "ligament").as_posix()
        if recursive and not name.startswith(OWN):
            found[name] = recursive
    assert found == {module: {*functions} for module, functions in BOUNDED.items()}

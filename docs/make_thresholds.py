"""Writes the table of thresholds in the README of the Rapier engine, from the code itself.

Usage: python docs/make_thresholds.py
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "ligament/physics/engines/rapier"
README = FOLDER / "README.md"
START, END = "<!-- thresholds -->", "<!-- end of thresholds -->"

MEASURED_BY = {
    "effort/joints.py": "test_joint_effort.py",
    "effort/settings.py": "test_effort.py, test_touching.py",
    "joints/angular_limits.py": "test_hard_limits.py",
    "joints/assembly.py": "test_joints.py",
    "joints/dampers.py": "test_dampers.py",
    "joints/effective_mass.py": "test_effective_mass.py, test_springs.py",
    "joints/engine_joints.py": "test_joints.py",
    "joints/joint_set.py": "test_joints.py",
    "joints/rods.py": "test_hard_limits.py",
    "joints/motors.py": "test_springs.py, test_closed_forms.py, test_drives.py",
    "joints/plan.py": "test_joint_plans.py",
    "joints/reactions.py": "test_reactions.py",
    "joints/rows.py": "test_hard_limits.py",
    "joints/scene_joints.py": "tests/play/test_animated_joints.py",
    "joints/springs.py": "test_springs.py, test_drives.py, test_reactions.py",
    "linalg.py": "test_joints.py",
    "state/bodies.py": "test_reading.py",
    "state/reader.py": "test_engine_failures.py",
    "workarounds/closing.py": "tests/physics/engines/test_bounds.py",
    "workarounds/crossings.py": "test_crossings.py",
    "workarounds/free_rotation.py": "test_free_rotation.py",
    "workarounds/gyroscopic.py": "test_energy.py",
    "workarounds/inner_edges.py": "test_tiles.py, test_mesh_edges.py",
    "workarounds/lying.py": "test_lying.py, test_rolling.py",
    "workarounds/round_contacts.py": "test_uneven_scale.py",
    "workarounds/sliding.py": "test_tiles.py",
    "workarounds/spinning.py": "test_spinning.py, test_lying.py, test_rolling.py",
    "world/build.py": "test_motion.py, test_engine_failures.py, test_sleeping.py, test_touching.py",
    "world/facets.py": "test_tiles.py, test_mesh_edges.py",
    "world/hulls.py": "test_hulls.py, test_touching.py",
    "world/moving.py": "test_changing_colliders.py",
    "world/origin.py": "test_origin.py",
    "world/pushing.py": "tests/play/test_animated_parents.py",
    "world/shapes.py": "test_contacts.py, test_touching.py",
    "world/surfaces.py": "test_surfaces.py",
    "world/tiles.py": "test_tiles.py",
}
"""The tests that the thresholds of each module were measured with."""


class Threshold(NamedTuple):
    """A constant of a module: its name, value as written, and first sentence."""

    name: str
    value: str
    meaning: str


def thresholds(path: Path) -> Iterator[Threshold]:
    """Yield the numeric constants of a module that have a docstring."""
    body = ast.parse(path.read_text()).body
    for statement, after in pairwise(body):
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            names = statement.target.id
        elif isinstance(statement, ast.Assign):
            names = ast.unparse(statement.targets[0]).strip("()")
        else:
            continue
        if statement.value is None or not _is_number(statement.value):
            continue
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            text = " ".join(str(after.value.value).split("\n\n")[0].split())
            yield Threshold(names, ast.unparse(statement.value), text.rstrip("."))


def _is_number(value: ast.expr) -> bool:
    if isinstance(value, ast.Tuple):
        return all(map(_is_number, value.elts))
    if isinstance(value, ast.BinOp):
        return _is_number(value.left) and _is_number(value.right)
    if isinstance(value, ast.UnaryOp):
        return _is_number(value.operand)
    if isinstance(value, ast.Call):
        return ast.unparse(value.func).startswith("math.")
    return isinstance(value, ast.Constant) and isinstance(value.value, int | float)


def table() -> str:
    """Return the tables of all modules, in Markdown."""
    parts = []
    for path in sorted(FOLDER.rglob("*.py")):
        found = list(thresholds(path))
        if found:
            name = path.relative_to(FOLDER).as_posix()
            rows = [f"| `{t.name}` | {t.value} | {t.meaning} |" for t in found]
            heading = f"**{name}**, measured by {MEASURED_BY[name]}"
            parts.append(
                "\n".join([heading, "", "| threshold | value | meaning |", "|-|-|-|", *rows])
            )
    return "\n\n".join(parts)


def page() -> str:
    """Return the README with its table renewed."""
    before, rest = README.read_text().split(START)
    _, after = rest.split(END)
    return f"{before}{START}\n\n{table()}\n\n{END}{after}"


if __name__ == "__main__":
    README.write_text(page())

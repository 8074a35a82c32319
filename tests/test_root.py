"""The root: few names, cheap to import, and packages that can be called."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import ligament as lg
from ligament.demo import assets

ROOT = Path(lg.__file__).parent
FILES = {path.name: path for path in assets()}


def test_there_are_at_most_30_names_and_each_exists() -> None:
    assert len(lg.__all__) <= 30
    assert [name for name in lg.__all__ if not callable(getattr(lg, name))] == []
    with pytest.raises(AttributeError, match="no attribute 'chekc'"):
        lg.chekc  # type: ignore[attr-defined]  # noqa: B018


def test_type_checkers_see_what_is_there() -> None:
    tree = ast.parse((ROOT / "__init__.py").read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    typed = {
        alias.name: importlib.import_module(str(node.module))
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert sorted(typed) == sorted(lg.__all__)
    for name, home in typed.items():
        assert getattr(home, name) is getattr(lg, name)


def test_no_package_hides_a_function() -> None:
    for name in lg.__all__:
        assert importlib.util.find_spec(f"ligament.{name}") is None, name


def test_the_import_loads_nothing_heavy() -> None:
    code = """
import sys
before = set(sys.modules)
import ligament
heavy = {name.partition(".")[0] for name in set(sys.modules) - before} - {"ligament"}
print(*sorted(heavy - set(sys.stdlib_module_names)))
"""
    run = subprocess.run(
        [sys.executable, "-c", code], check=True, cwd=ROOT.parent, capture_output=True, text=True
    )
    assert run.stdout.strip() == ""

"""The root: few names, cheap to import, and packages that can be called."""

import ast
import importlib
import inspect
import pickle
import pydoc
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import ligament as lg
from ligament.demo import assets

ROOT = Path(lg.__file__).parent
CALLABLE = [name for name, home in lg._HOMES.items() if home == f"ligament.{name}"]
FILES = {path.name: path for path in assets()}


def function_of(name: str) -> Any:
    return getattr(lg, name).__wrapped__


def test_there_are_at_most_25_names_and_each_exists() -> None:
    assert len(lg.__all__) <= 25
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
        value = getattr(lg, name)
        assert getattr(home, name) is (function_of(name) if name in CALLABLE else value)


def test_the_packages_that_can_be_called() -> None:
    assert set(CALLABLE) >= {"bake", "batch", "check", "convert"}


@pytest.mark.parametrize("name", CALLABLE)
def test_a_callable_package_is_a_module(name: str) -> None:
    module = importlib.import_module(f"ligament.{name}")
    assert isinstance(module, ModuleType)
    assert getattr(lg, name) is module is sys.modules[f"ligament.{name}"]
    for member in module.__all__:
        assert getattr(getattr(lg, name), member) is not None


@pytest.mark.parametrize("name", CALLABLE)
def test_a_callable_package_shows_its_function(name: str) -> None:
    module, function = getattr(lg, name), function_of(name)
    assert inspect.signature(module) == inspect.signature(function)
    assert module.__doc__ == function.__doc__
    assert function.__doc__.splitlines()[0] in pydoc.render_doc(module, renderer=pydoc.plaintext)


@pytest.mark.parametrize("name", CALLABLE)
def test_callable_packages_and_their_functions_reach_other_processes(name: str) -> None:
    for thing in (getattr(lg, name), function_of(name)):
        assert pickle.loads(pickle.dumps(thing)) is thing


def test_a_call_calls_the_function() -> None:
    document = lg.load(FILES["door.glb"])
    assert isinstance(lg.check(document), importlib.import_module("ligament.check").Report)
    assert list(lg.check(document)) == list(function_of("check")(document))


@pytest.mark.parametrize("first", ["import ligament.check", "from ligament.check import Report"])
def test_the_order_of_imports_does_not_matter(first: str) -> None:
    code = f"""
{first}
import types, ligament as lg, ligament.check as module
assert isinstance(module, types.ModuleType) and lg.check is module and callable(lg.check)
assert lg.bake.Tolerance and lg.check.Report is module.Report
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT.parent)


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

"""Shows functions that are made of options with their signatures; a Griffe extension."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable
from typing import Any

from griffe import Docstring, Extension, Function, Module, Parameter, ParameterKind, Parameters

KINDS = {
    inspect.Parameter.POSITIONAL_ONLY: ParameterKind.positional_only,
    inspect.Parameter.POSITIONAL_OR_KEYWORD: ParameterKind.positional_or_keyword,
    inspect.Parameter.KEYWORD_ONLY: ParameterKind.keyword_only,
}


class MadeFunctions(Extension):  # type: ignore[misc, unused-ignore]
    """Replaces `simulate = function(Simulate)` by a function, and completes `taking` methods."""

    def on_package(self, *, pkg: Module, **_: Any) -> None:
        """Look through all modules of a package."""
        for module in _modules(pkg):
            for name, member in _own(module):
                if member.is_attribute and "function(" in str(getattr(member, "value", "")):
                    module.set_member(name, _function(module, name))
                elif member.is_class and "__init__" in member.members:
                    method = member.members["__init__"]
                    if any("taking(" in str(each.value) for each in method.decorators):
                        kind = getattr(importlib.import_module(module.path), name)
                        method.parameters = _parameters(kind.__init__)


def _own(module: Module) -> list[tuple[str, Any]]:
    return [(name, each) for name, each in module.members.items() if not each.is_alias]


def _modules(module: Module) -> list[Module]:
    inner = [each for _, each in _own(module) if each.is_module]
    return [module, *(found for each in inner for found in _modules(each))]


def _function(module: Module, name: str) -> Function:
    made = getattr(importlib.import_module(module.path), name)
    parameters = _parameters(made)
    return Function(name, parameters=parameters, docstring=Docstring(inspect.getdoc(made) or ""))


def _parameters(made: Callable[..., Any]) -> Parameters:
    parameters = Parameters()
    for each in inspect.signature(made).parameters.values():
        has = {"default": None if each.default is each.empty else repr(each.default)}
        if each.annotation is not each.empty:
            text = inspect.formatannotation(each.annotation)
            has["annotation"] = re.sub(r"\b[a-z_.]+\.(?=[A-Z])", "", text)
        parameters.add(Parameter(each.name, kind=KINDS[each.kind], **has))
    return parameters

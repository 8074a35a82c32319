"""Callable packages: `lg.check(doc)` works alongside `import ligament.check`."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any


class CallableModule(ModuleType):
    """A module that can be called like the function it is named after."""

    __wrapped__: Callable[..., Any]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function of the same name."""
        return self.__wrapped__(*args, **kwargs)

    def __reduce__(self) -> tuple[Callable[[str], ModuleType], tuple[str]]:
        """Pickle by name, as functions do, so that the module can be sent to other processes."""
        return importlib.import_module, (self.__name__,)


def make_callable(name: str, function: Callable[..., Any]) -> None:
    """Make the package `name` callable like `function`, with its signature and help.

    >>> make_callable(__name__, check)
    """
    module = sys.modules[name]
    module.__class__ = CallableModule
    for attribute in ("__module__", "__qualname__", "__doc__"):
        setattr(module, attribute, getattr(function, attribute))
    vars(module)["__wrapped__"] = function  # for `inspect.signature` and editors

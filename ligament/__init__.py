"""glTF that moves: node constraints, joints, rigid bodies and humanoid motion.

>>> import ligament as lg
>>> doc = lg.load("avatar.vrm")
>>> lg.save(lg.bake(doc, lg.simulate(doc)), "avatar.baked.glb")
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ligament.author import Editor as Editor
    from ligament.bake import bake as bake
    from ligament.batch import batch as batch
    from ligament.check.check import check as check
    from ligament.convert.normalize import normalize as normalize
    from ligament.convert.targets import convert as convert
    from ligament.errors import LigamentError as LigamentError
    from ligament.errors import LigamentWarning as LigamentWarning
    from ligament.gltf.document import Document as Document
    from ligament.gltf.load import load as load
    from ligament.gltf.save import save as save
    from ligament.limits import Limits as Limits
    from ligament.play import Simulation as Simulation
    from ligament.play import simulate as simulate
    from ligament.recording import Recording as Recording
    from ligament.rig import Humanoid as Humanoid
    from ligament.rig import NodeConstraints as NodeConstraints
    from ligament.rig import load_motion as load_motion
    from ligament.rig.retarget import retarget as retarget

__version__ = "0.1.0"

# Each name is imported when it is first used, so that `import ligament` costs next to nothing.
_HOMES = {
    "Document": "ligament.gltf.document",
    "Editor": "ligament.author",
    "Humanoid": "ligament.rig",
    "LigamentError": "ligament.errors",
    "LigamentWarning": "ligament.errors",
    "Limits": "ligament.limits",
    "NodeConstraints": "ligament.rig",
    "Recording": "ligament.recording",
    "Simulation": "ligament.play",
    "bake": "ligament.bake",
    "batch": "ligament.batch",
    "check": "ligament.check",
    "convert": "ligament.convert",
    "load": "ligament.gltf.load",
    "load_motion": "ligament.rig",
    "normalize": "ligament.convert.normalize",
    "retarget": "ligament.rig",
    "save": "ligament.gltf.save",
    "simulate": "ligament.play",
}

__all__ = [  # noqa: PLE0604  (the names of the table, for `import *` and for tools)
    *_HOMES,
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'ligament' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})


class _Package(ModuleType):
    """Keeps `lg.bake` the function, also after the module `ligament.bake` was imported."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package

if "IPython" in sys.modules:
    importlib.import_module("ligament.view.display").register()

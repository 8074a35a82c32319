"""glTF that moves: node constraints, joints, rigid bodies and humanoid motion.

>>> import ligament as lg
>>> doc = lg.load("avatar.vrm")
>>> lg.save(lg.bake(doc, lg.simulate(doc)), "avatar.baked.glb")
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ligament.author import Editor as Editor
    from ligament.baking.motion import add_motion as add_motion
    from ligament.batches.run import batch as batch
    from ligament.conversion.normalize import normalize as normalize
    from ligament.errors import LigamentError as LigamentError
    from ligament.errors import LigamentWarning as LigamentWarning
    from ligament.gltf.document import Document as Document
    from ligament.gltf.load import load as load
    from ligament.gltf.save import save as save
    from ligament.limits import Limits as Limits
    from ligament.operations.bake import bake as bake
    from ligament.operations.check import check as check
    from ligament.operations.compare import compare as compare
    from ligament.operations.convert import convert as convert
    from ligament.operations.diff import diff as diff
    from ligament.operations.equip import equip as equip
    from ligament.operations.fix import fix as fix
    from ligament.operations.info import info as info
    from ligament.operations.simulate import simulate as simulate
    from ligament.operations.view import view as view
    from ligament.play import Simulation as Simulation
    from ligament.recording import Recording as Recording
    from ligament.recording import load_recording as load_recording
    from ligament.rig import Humanoid as Humanoid
    from ligament.rig import NodeConstraints as NodeConstraints
    from ligament.rig import SpringBones as SpringBones
    from ligament.rig import load_motion as load_motion
    from ligament.rig.retarget import retarget as retarget
    from ligament.worlds import Worlds as Worlds

__version__ = "0.2.0"

# Each name is imported when it is first used, so that `import ligament` costs next to nothing.
# Static tools learn the names from the imports above and from `__all__`; a test compares all three.
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
    "SpringBones": "ligament.rig",
    "Worlds": "ligament.worlds",
    "add_motion": "ligament.baking",
    "bake": "ligament.operations.bake",
    "batch": "ligament.batches",
    "check": "ligament.operations.check",
    "compare": "ligament.operations.compare",
    "convert": "ligament.operations.convert",
    "diff": "ligament.operations.diff",
    "equip": "ligament.operations.equip",
    "fix": "ligament.operations.fix",
    "info": "ligament.operations.info",
    "load": "ligament.gltf.load",
    "load_motion": "ligament.rig",
    "load_recording": "ligament.recording",
    "normalize": "ligament.conversion.normalize",
    "retarget": "ligament.rig",
    "save": "ligament.gltf.save",
    "simulate": "ligament.operations.simulate",
    "view": "ligament.operations.view",
}

__all__ = [
    "Document",
    "Editor",
    "Humanoid",
    "LigamentError",
    "LigamentWarning",
    "Limits",
    "NodeConstraints",
    "Recording",
    "Simulation",
    "SpringBones",
    "Worlds",
    "add_motion",
    "bake",
    "batch",
    "check",
    "compare",
    "convert",
    "diff",
    "equip",
    "fix",
    "info",
    "load",
    "load_motion",
    "load_recording",
    "normalize",
    "retarget",
    "save",
    "simulate",
    "view",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'ligament' has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


if "IPython" in sys.modules:
    importlib.import_module("ligament.viewer.notebook").register()

"""Physics from any dialect into any other, one writer per family of extensions.

The readers of all dialects give one form (`ligament.extensions.declarations`). A writer first
changes that until its dialect can say it, which is where things are lost, and then writes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ligament.convert.dialects.animations import mend_pointers
from ligament.convert.dialects.draft import Draft
from ligament.convert.dialects.extensions import remove_physics, rename_used
from ligament.convert.dialects.khr import write_khr
from ligament.convert.dialects.omi import write_omi
from ligament.convert.dialects.omi_2023 import write_omi_2023
from ligament.convert.losses import Converted, in_order
from ligament.errors import LigamentError
from ligament.extensions.declarations import Dialect
from ligament.extensions.physics import read_physics
from ligament.extensions.physics.omi import StiffnessUnit
from ligament.gltf.document import Document

__all__ = ["WRITERS", "convert_physics"]

WRITERS: Mapping[Dialect, Callable[[Draft], None]] = {
    Dialect.KHR: lambda draft: write_khr(draft, Dialect.KHR),
    Dialect.KHR_2024_10: lambda draft: write_khr(draft, Dialect.KHR_2024_10),
    Dialect.KHR_2024_03: lambda draft: write_khr(draft, Dialect.KHR_2024_03),
    Dialect.OMI: write_omi,
    Dialect.OMI_2023: write_omi_2023,
}
"""The dialects that can be written."""


def convert_physics(
    document: Document, to: Dialect, *, omi_stiffness: StiffnessUnit = "auto"
) -> Converted:
    """Write the physics of a document in another dialect; all else stays as it is.

    A document that is in this dialect and no other comes back as it is. Nodes keep their indices;
    new ones follow them. Raises ContentError where the nodes form no tree.
    """
    physics = read_physics(document, omi_stiffness=omi_stiffness)
    if physics.dialects in ((), (to,)):
        return Converted(document.copy())
    try:
        draft = Draft(document, physics)
        remove_physics(draft.document)
        WRITERS[to](draft)
    except LigamentError as fault:
        raise fault.located(document.path) from fault.__cause__
    rename_used(draft.document)
    mend_pointers(draft)
    return Converted(draft.document, in_order([*draft.losses, *draft.leftovers.losses()]))

"""The repairs, in order, on a copy of a document."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

from ligament.arguments import checked
from ligament.gltf import jsontext
from ligament.gltf.document import Document
from ligament.gltf.load import AnyDocument, as_document
from ligament.gltf.source_text import patch
from ligament.repair.changes import Change
from ligament.repair.extensions import list_used_extensions, rename_misspelt_keys
from ligament.repair.keys import separate_equal_keys
from ligament.repair.values import (
    drop_signs_of_zero,
    name_axes_once,
    name_systems_once,
    scale_rotations_to_unit,
)

REPAIRS = (
    rename_misspelt_keys,  # first, so that the right names are listed
    list_used_extensions,
    scale_rotations_to_unit,
    drop_signs_of_zero,
    name_axes_once,
    name_systems_once,
)


class Repaired(NamedTuple):
    """The repaired copy of a document, and the changes made."""

    document: Document
    changes: list[Change]


@checked
def repair(document: AnyDocument) -> Repaired:
    """Repair what has exactly one right answer, in a copy; `document` is unchanged.

    When saved, the copy has the original's text everywhere except at the changes.

    >>> document, changes = repair(load("door.glb"))
    >>> save(document, "door.repaired.glb")
    """
    twin = as_document(document).copy()
    changes = [change for fix in REPAIRS for change in fix(twin.json)]
    changes += separate_equal_keys(twin)
    if changes and twin.origin is not None:
        before = jsontext.decode(twin.origin.text, limits=twin.limits).root
        text = patch(twin.origin.text, before, twin.json)
        digest = jsontext.digest(jsontext.encode(twin.json))
        twin.origin = dataclasses.replace(twin.origin, text=text, digest=digest)
    return Repaired(twin, changes)

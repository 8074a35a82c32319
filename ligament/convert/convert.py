"""From one form of a document to another, and what that costs."""

from __future__ import annotations

from ligament.convert.losses import Converted
from ligament.convert.targets import converter
from ligament.gltf.document import Document
from ligament.gltf.gc_pause import collector_paused


def convert(
    document: Document, to: str | None = None, *, license_url: str | None = None
) -> Converted:
    """Return a copy of a document in another dialect, and a list of what was lost on the way.

    `to` is one of `ligament.convert.Target`; without it the copy is as the document was. What is
    not concerned stays in place, what is not understood goes along, and what the dialect cannot say
    is a `Loss`. `license_url` is the licence that the owner of an avatar chooses for "vrm-1.0".

    >>> result = convert(load("door.glb"), to="omi")
    >>> for loss in result.losses:
    ...     print(loss)
    """
    with collector_paused():
        if to is None:
            return Converted(document.copy())
        return converter(to, license_url=license_url)(document)

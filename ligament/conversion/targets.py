"""The conversion of a document to a target by name."""

from __future__ import annotations

from collections.abc import Callable

from ligament.errors import ContentError, nearest
from ligament.gltf.document import Document
from ligament.gltf.jsontext import collector_paused
from ligament.losses import Converted
from ligament.options.names import Target


def converter(to: str, *, license_url: str | None = None) -> Callable[[Document], Converted]:
    """Return the function that converts to a target; ContentError lists the known ones.

    `license_url` only concerns avatars.
    """
    if to not in [*Target]:
        near = nearest(to, Target)
        meant = f"{near} " if near.startswith("did") else ""
        remedy = f"{meant}use one of {', '.join(Target)}"
        raise ContentError(f"unknown target {to!r}", remedy=remedy)
    target = Target(to)
    # Imported here: normalising an avatar needs none of them.
    if target is Target.VRMC_1_0:
        from ligament.conversion.node_constraints import convert_constraints

        return convert_constraints
    if target is Target.VRM_1_0:
        from ligament.conversion.vrm import convert_avatar

        return lambda document: convert_avatar(document, license_url=license_url)
    from ligament.conversion.dialects import convert_physics
    from ligament.extensions.registry import Dialect

    return lambda document: convert_physics(document, Dialect(target))


def convert(
    document: Document, to: str | None = None, *, license_url: str | None = None
) -> Converted:
    """Return a copy of a document in another dialect, and a list of losses.

    `to` is one of `Target`; without it the copy is unchanged. `license_url` is the licence that the
    owner of an avatar chooses for "vrm-1.0".
    """
    with collector_paused():
        if to is None:
            return Converted(document.copy())
        return converter(to, license_url=license_url)(document)

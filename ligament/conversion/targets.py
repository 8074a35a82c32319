"""Conversion targets of a document, and the conversion by name."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from ligament.arguments import checked
from ligament.errors import ContentError, nearest
from ligament.gltf.document import Document
from ligament.gltf.jsontext import collector_paused
from ligament.gltf.load import AnyDocument, as_document
from ligament.losses import Converted


class Target(StrEnum):
    """Values of `convert --to`."""

    KHR = "khr"
    """KHR_physics_rigid_bodies of January 2026."""

    KHR_2024_10 = "khr-2024-10"
    """KHR_physics_rigid_bodies of October 2024."""

    KHR_2024_03 = "khr-2024-03"
    """KHR_physics_rigid_bodies of March 2024, with KHR_collision_shapes."""

    OMI = "omi"
    """The OMI extensions of physics as they are today."""

    OMI_2023 = "omi-2023"
    """The OMI extensions of physics of the spring of 2023."""

    VRMC_1_0 = "vrmc-1.0"
    """Node constraints of VRMC_node_constraint 1.0."""

    VRM_1_0 = "vrm-1.0"
    """Avatars of VRM 1.0."""


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


@checked
def convert(
    document: AnyDocument, to: str | None = None, *, license_url: str | None = None
) -> Converted:
    """Return a copy of a document in another dialect, and a list of losses.

    `to` is one of `ligament.conversion.Target`; without it the copy is unchanged. Unrelated content
    stays in place, unknown members are kept, and content that the dialect cannot express is listed
    as a `Loss`. `license_url` is the licence that the owner of an avatar chooses for "vrm-1.0".

    >>> result = convert(load("door.glb"), to="omi")
    >>> for loss in result.losses:
    ...     print(loss)
    """
    document = as_document(document)
    with collector_paused():
        if to is None:
            return Converted(document.copy())
        return converter(to, license_url=license_url)(document)

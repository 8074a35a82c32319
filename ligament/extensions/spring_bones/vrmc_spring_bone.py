"""VRMC_springBone 1.0 and its beta, with VRMC_springBone_extended_collider and _limit."""

import itertools
from typing import Annotated, Any, Final

from ligament.extensions import registry
from ligament.extensions.fields import Catalogue, Fields
from ligament.extensions.spring_bones.collider import COLLIDER
from ligament.extensions.spring_bones.spring import KEPT, SPRING, SpringBones
from ligament.extensions.tables.arrays import Arrays
from ligament.extensions.tables.objects import Each
from ligament.extensions.tables.rows import Choice, Index, Indices
from ligament.extensions.tables.table import Table
from ligament.findings import Finding
from ligament.gltf import pointers
from ligament.gltf.document import Document
from ligament.gltf.objects import View

NAME: Final = registry.VRMC_SPRING_BONE
EXTENDED: Final = registry.VRMC_SPRING_BONE_EXTENDED_COLLIDER

BETA = "1.0-beta"

_ROOT = f"/extensions/{NAME}"


class ColliderGroup(View):
    """The colliders of a group."""

    name: str | None = None
    colliders: Annotated[list[int], Indices(array="colliders", required=True, essential=True)] = []


def _group(_index: int, _pointer: str, *, colliders: tuple[int, ...]) -> tuple[int, ...]:
    return colliders


GROUP = Table(
    ColliderGroup,
    build=_group,
    is_open=True,
    unread=[Index(name="node", array="/nodes", essential=True)],
)


class Lists(View):
    """The lists of the extension, as far as they are extended."""

    colliders: Annotated[list[dict[str, Any]], Each(table=COLLIDER)] = []
    collider_groups: Annotated[list[ColliderGroup], Each(table=GROUP)] = []
    springs: Annotated[list[dict[str, Any]], Each(table=SPRING)] = []


VERSION = Choice(
    attribute="version", name="specVersion", choices={"1.0": "1.0", BETA: "1.0"}, required=True
)

ROOT = Table(
    Lists,
    about="Springs and their colliders.",
    is_open=True,
    rows=[VERSION, *Table(Lists).rows],
)


def read_lists(document: Document) -> Lists:
    """Read the lists; ContentError if one of them has another type."""
    return document.view_at(_ROOT, Lists) or Lists()


def read(document: Document) -> SpringBones | None:
    """Read the extension and all findings about it; None where the document lacks it."""
    extensions = document.json.get("extensions")
    if not isinstance(extensions, dict) or NAME not in extensions:
        return None
    findings: list[Finding] = []
    root = Fields.of(extensions[NAME], _ROOT, findings)
    if root is None or not _is_known(root):
        return SpringBones(NAME, findings=tuple(findings))
    arrays = Arrays(document, NAME)
    found = arrays.read(root, "colliders", COLLIDER)
    places = itertools.count()
    kept = [None if collider is None else next(places) for collider in found.items]
    arrays.add(KEPT, Catalogue(found.target, kept))
    arrays.read(root, "colliderGroups", GROUP)
    springs = arrays.read(root, "springs", SPRING)
    return SpringBones(
        NAME,
        tuple(collider for collider in found.items if collider is not None),
        tuple(spring for spring in springs.items if spring is not None and spring.joints),
        tuple(findings),
    )


def _is_known(root: Fields) -> bool:
    """Tell whether the version can be read; report any version other than 1.0."""
    version = root.raw.get("specVersion")
    if version == BETA:
        root.report("SPRING_BONE_BETA", "1.0-beta is read as 1.0", "write 1.0", "specVersion")
    elif version != "1.0":
        found = f"found {pointers.found(version)}" if "specVersion" in root else "it is missing"
        message = f"{found}, so no spring is read"
        root.report("SPRING_BONE_SPEC_VERSION", message, 'it must be "1.0"', "specVersion")
    return version in ("1.0", BETA)

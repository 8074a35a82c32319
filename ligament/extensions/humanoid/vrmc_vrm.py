"""VRMC_vrm: the avatar of VRM 1.0, its beta and its drafts (a list of expressions, mesh binds)."""

from collections.abc import Iterator
from typing import Annotated, Any, Final, Literal, NamedTuple

from msgspec import field

from ligament.extensions import registry
from ligament.extensions.fields import Vector
from ligament.extensions.humanoid.bones import BONES, REQUIRED
from ligament.extensions.tables.objects import Each, Map, Nested
from ligament.extensions.tables.rows import Choice, Index, Number, Numbers, Row, Text, Words
from ligament.extensions.tables.table import Table
from ligament.gltf import pointers
from ligament.gltf.document import Document
from ligament.gltf.objects import View

NAME: Final = registry.VRMC_VRM

ORIGIN: Vector = (0.0, 0.0, 0.0)

_ROOT = f"/extensions/{NAME}"


class BoneEntry(NamedTuple):
    """A bone as a file declares it: its 1.0 name, the node as written, and its pointer."""

    bone: str
    node: Any
    pointer: str


class HumanBone(View):
    """The node that is a bone."""

    node: Annotated[int, Index(array="/nodes", required=True, essential=True)]


BONE = Table(HumanBone, is_open=True)


class Humanoid(View):
    """The nodes of the bones, by their names."""

    human_bones: Annotated[
        dict[str, HumanBone], Map(table=BONE, known=BONES, needed=REQUIRED, required=True)
    ]


class Meta(View):
    """Who made the avatar, and what it may be used for."""

    name: Annotated[str, Text(required=True, least=1)]
    authors: Annotated[list[str], Words(required=True, least=1)]
    license_url: Annotated[str, Text(required=True, least=1)]


class RangeMap(View):
    """Range of the eyes: `output_scale` at an input of `input_max_value` [degrees] and more."""

    input_max_value: Annotated[float, Number(unit="°", least=0, most=180, animated=False)] = 90.0
    output_scale: Annotated[float | None, Number(animated=False)] = None


_RANGE_MAP = "How far the eyes turn: `outputScale` at an input of `inputMaxValue` and more."
_RANGE = Nested(table=Table(RangeMap, about=_RANGE_MAP, is_open=True))


class LookAt(View):
    """How the gaze moves the eyes: bones rotate by degrees, expressions get weights."""

    type: Annotated[
        Literal["bone", "expression"],
        Choice(choices={"bone": "bone", "expression": "expression"}),
    ] = "bone"
    offset_from_head_bone: Annotated[Vector, Numbers(unit="m", animated=False)] = ORIGIN
    range_map_horizontal_inner: Annotated[RangeMap, _RANGE] = field(default_factory=RangeMap)
    range_map_horizontal_outer: Annotated[RangeMap, _RANGE] = field(default_factory=RangeMap)
    range_map_vertical_down: Annotated[RangeMap, _RANGE] = field(default_factory=RangeMap)
    range_map_vertical_up: Annotated[RangeMap, _RANGE] = field(default_factory=RangeMap)


HUMANOID = Table(Humanoid, is_open=True)
LOOK_AT = Table(LookAt, is_open=True)


class Avatar(View):
    """An avatar."""

    spec_version: Annotated[str, Text(required=True)]
    meta: Annotated[
        Meta,
        Nested(
            table=Table(Meta, is_open=True, unread=[Index(name="thumbnailImage", array="/images")]),
            required=True,
        ),
    ]
    humanoid: Annotated[Humanoid, Nested(table=HUMANOID, required=True)]
    look_at: Annotated[LookAt | None, Nested(table=LOOK_AT)] = None


def indexed(*rows: Row) -> Table:
    """Return the table of an object of which only indices are known."""
    return Table(Avatar, about="", is_open=True, rows=(), unread=rows)


_NODE, _MESH, _MATERIAL = (
    Index(name=name, array=f"/{array}", essential=True)
    for name, array in (("node", "nodes"), ("mesh", "meshes"), ("material", "materials"))
)
_BINDS = indexed(
    Each(name="morphTargetBinds", table=indexed(_NODE, _MESH)),
    Each(name="materialColorBinds", table=indexed(_MATERIAL)),
    Each(name="textureTransformBinds", table=indexed(_MATERIAL)),
)
_MAPS = [Map(name=name, table=_BINDS) for name in ("preset", "custom")]
_FIRST_PERSON = indexed(Each(name="meshAnnotations", table=indexed(_NODE, _MESH)))

ROOT = Table(
    Avatar,
    is_open=True,
    unread=[
        Nested(name="firstPerson", table=_FIRST_PERSON),
        Nested(name="expressions", table=indexed(*_MAPS)),
        Each(name="expressions", table=_BINDS),
    ],
)
"""Drafts have a list of expressions, and binds to meshes."""


def human_bones(document: Document) -> list[BoneEntry]:
    """List the bones in file order; never raises."""
    return list(named_nodes(document, f"{_ROOT}/humanoid/humanBones"))


def named_nodes(document: Document, place: str) -> Iterator[BoneEntry]:
    """Yield the entries of the object at a pointer, name → {node}."""
    found = pointers.find(document.json, place)
    for name, entry in found.items() if isinstance(found, dict) else ():
        node = entry.get("node") if isinstance(entry, dict) else entry
        yield BoneEntry(name, node, pointers.join(place, name, "node"))


def expression_names(document: Document) -> list[str]:
    """List the avatar's expressions, presets first; never raises."""
    extension = document.extension(NAME)
    groups = [pointers.find(extension, f"/expressions/{kind}") for kind in ("preset", "custom")]
    return [name for group in groups if isinstance(group, dict) for name in group]


def look_at(document: Document) -> LookAt | None:
    """Read how the gaze moves the eyes, None if the file does not say."""
    return document.view_at(f"{_ROOT}/lookAt", LookAt)

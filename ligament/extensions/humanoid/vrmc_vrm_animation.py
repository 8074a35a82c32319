"""VRMC_vrm_animation: the nodes of bones, expression weights and the gaze."""

from typing import Annotated, Any, Final, NamedTuple

from ligament.extensions import registry
from ligament.extensions.fields import Vector
from ligament.extensions.humanoid import vrmc_vrm
from ligament.extensions.humanoid.bones import BONES, GAZE_PRESETS, PRESETS
from ligament.extensions.tables.objects import Map, Nested
from ligament.extensions.tables.rows import Choice, Index, Numbers
from ligament.extensions.tables.table import Table
from ligament.gltf import pointers
from ligament.gltf.document import Document
from ligament.gltf.objects import View

NAME: Final = registry.VRMC_VRM_ANIMATION

_ROOT = f"/extensions/{NAME}"


_EYES = ("leftEye", "rightEye")
_BONES = tuple(bone for bone in BONES if bone not in _EYES)
_PRESETS = tuple(preset for preset in PRESETS if preset not in GAZE_PRESETS)
"""The gaze moves the other bones and presets."""

_EXPRESSION = vrmc_vrm.BONE.changed(about="The node whose translation along X is the weight.")


class Expressions(View):
    """The nodes of expressions, by their names."""

    preset: Annotated[dict[str, vrmc_vrm.HumanBone], Map(table=_EXPRESSION, known=_PRESETS)] = {}
    custom: Annotated[dict[str, vrmc_vrm.HumanBone], Map(table=_EXPRESSION)] = {}


class Gaze(View):
    """The node whose rotation is the gaze."""

    node: Annotated[int | None, Index(array="/nodes", essential=True)] = None
    offset_from_head_bone: Annotated[Vector, Numbers(unit="m", animated=False)] = vrmc_vrm.ORIGIN


class Motion(View):
    """The motion of an avatar."""

    spec_version: Annotated[
        str, Choice(choices={"1.0": "1.0", "1.0-draft": "1.0-draft"}, required=True)
    ]
    humanoid: Annotated[
        vrmc_vrm.Humanoid | None,
        Nested(table=vrmc_vrm.HUMANOID.changed(human_bones={"known": _BONES})),
    ] = None
    expressions: Annotated[Expressions | None, Nested(table=Table(Expressions, is_open=True))] = (
        None
    )
    look_at: Annotated[Gaze | None, Nested(table=Table(Gaze, is_open=True))] = None


ROOT = Table(Motion, is_open=True)


class ExpressionEntry(NamedTuple):
    """An expression as a file declares it: the x of its node's translation is the weight."""

    name: str
    is_preset: bool
    node: Any
    pointer: str


def human_bones(document: Document) -> list[vrmc_vrm.BoneEntry]:
    """List the bones in file order; never raises."""
    return list(vrmc_vrm.named_nodes(document, f"{_ROOT}/humanoid/humanBones"))


def expressions(document: Document) -> list[ExpressionEntry]:
    """List the expressions, presets first, in file order; never raises."""
    return [
        ExpressionEntry(name, kind == "preset", node, pointer)
        for kind in ("preset", "custom")
        for name, node, pointer in vrmc_vrm.named_nodes(document, f"{_ROOT}/expressions/{kind}")
    ]


def look_at_node(document: Document) -> Any:
    """Return the node whose rotation is the gaze, as written; None if there is none."""
    return pointers.find(document.extension(NAME), "/lookAt/node")

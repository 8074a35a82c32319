"""Joints of OMI_physics_joint: the bodies that are joined, and their frames.

In 2023 a joint is a node of its own that names both bodies, and its pose is the frame on either;
later it belongs to the body above it, and `connectedNode` is the frame on the other.
"""

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any

from msgspec import Meta

from ligament.extensions.fields import Fields
from ligament.extensions.omi.limit import CONSTRAINT, CONSTRAINT_LITERAL, DESCRIPTION, overridden
from ligament.extensions.registry import OMI_PHYSICS_JOINT
from ligament.extensions.rigid_bodies.joint import JOINT as KHR_JOINT
from ligament.extensions.rigid_bodies.joint import Description, Joint, Limit, connection
from ligament.extensions.tables.arrays import Arrays
from ligament.extensions.tables.objects import Each
from ligament.extensions.tables.rows import Bind, Index, Indices, Json, Plain
from ligament.extensions.tables.rules import Default, Rule
from ligament.extensions.tables.table import Part, Table
from ligament.extensions.tables.variants import Either

_HERE = f"/extensions/{OMI_PHYSICS_JOINT}"
CONSTRAINTS, DESCRIPTIONS = f"{_HERE}/constraints", f"{_HERE}/physicsJoints"
"""The arrays of both eras."""


# --- tables ---


class EitherArray(Rule):
    """An array of one era or of both; where there is none, that of 2023 is missing."""

    def before(self, fields: Fields) -> Collection[str]:
        if "physicsJoints" not in fields:
            fields.required("constraints")
        return ()

    def odd(self, names: Collection[str], default: Default) -> str:
        return "plain.constraints == () and plain.physicsJoints == ()"

    def schema(self, names: Collection[str]) -> list[Json]:
        return [{"anyOf": [{"required": ["constraints"]}, {"required": ["physicsJoints"]}]}]


@dataclasses.dataclass(frozen=True)
class Root:
    """What joints share: constraints of 2023, descriptions later."""

    constraints: Annotated[tuple[tuple[Limit, ...], ...], Each(table=CONSTRAINT)] = ()
    physics_joints: Annotated[tuple[Description, ...], Each(table=DESCRIPTION)] = ()


ROOT = Table(Root, EitherArray())
ROOT_LITERAL = ROOT.changed(constraints={"table": CONSTRAINT_LITERAL})


class Constraints(Indices, frozen=True, kw_only=True):
    """Limits by the indices of constraints; one may come again, to override others.

    None if there is not one that exists.
    """

    def plain(self) -> list[Plain]:
        indices = Annotated[list[Annotated[int, Meta(ge=0)]], Meta(min_length=1)]
        return [(self.name, indices, None)]

    def expression(self, value: str, arrays: Arrays, bind: Bind) -> str:
        return f"{bind(_listed)}({bind(arrays.catalogue(self.array).items)}, {value})"

    def read(self, fields: Fields, arrays: Arrays) -> tuple[Limit, ...] | None:
        indices = self._indices(fields, arrays)
        if all(index is None for index in indices):
            return None
        return _listed(arrays.catalogue(self.array).items, indices)

    def _indices(self, fields: Fields, arrays: Arrays) -> list[int | None]:
        """Read the indices of constraints, in place."""
        listed, target = fields.raw.get(self.name), arrays.catalogue(self.array).target
        if target.length is None:
            return [fields.index(self.name, target)]
        if not isinstance(listed, list) or not listed:
            return [*fields.indices(self.name, target)]
        elements = {str(place): index for place, index in enumerate(listed)}
        cursor = Fields(elements, f"{fields.pointer}/{self.name}", fields.findings)
        return [cursor.index(place, target) for place in elements]

    def content(self) -> Json:
        return {name: rule for name, rule in super().content().items() if name != "uniqueItems"}


def _listed(items: Sequence[Any], indices: Sequence[int | None]) -> tuple[Limit, ...]:
    """Return the limits that are listed, each with its place in the list."""
    return overridden(
        [
            dataclasses.replace(limit, index=place)
            for place, index in enumerate(indices)
            if index is not None
            for limit in items[index] or ()
        ]
    )


class JointOf2023(Part, frozen=True, kw_only=True, gc=False):
    """A joint between two bodies, which do not collide."""

    limits: Annotated[
        tuple[Limit, ...],
        Constraints(name="constraints", array=CONSTRAINTS, required=True, essential=True),
    ]
    node_a: Annotated[int, Index(array="/nodes", required=True, essential=True)]
    node_b: Annotated[int, Index(array="/nodes", required=True, essential=True)]


def _joint(
    node: int, pointer: str, *, limits: tuple[Limit, ...], node_a: int, node_b: int
) -> Joint:
    return Joint(
        node=node,
        frame_a=node,
        body_a=node_a,
        frame_b=node,
        body_b=node_b,
        limits=limits,
        pointer=pointer,
    )


JOINT_2023 = Table(JointOf2023, build=_joint)

_NEWER = KHR_JOINT.changed(description={"array": DESCRIPTIONS}).fixed()
JOINT = Table(
    _NEWER.view,
    about="A joint between the bodies above its node and above another.",
    build=_NEWER.build,
    split=connection,
    rows=[_NEWER.row(name) for name in ("description", "connected_node", "enable_collision")],
)


def _is_of_2023(raw: Mapping[str, Any]) -> bool:
    return "joint" not in raw and "connectedNode" not in raw


JOINT_OF_ANY_ERA = Either(
    JOINT_2023,
    JOINT,
    is_older=_is_of_2023,
    condition={"not": {"anyOf": [{"required": [name]} for name in JOINT.required]}},
)

"""Extensions of rigid bodies: their tables, and the reader that they share."""

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated

from msgspec import Struct

from ligament.extensions import shapes as solids
from ligament.extensions.fields import Fields
from ligament.extensions.registry import KHR_NODE_KEYS, KHR_PHYSICS_RIGID_BODIES, Dialect
from ligament.extensions.rigid_bodies.collider import COLLIDER, TRIGGER, Collider, Trigger
from ligament.extensions.rigid_bodies.filter import FILTER, CollisionFilter
from ligament.extensions.rigid_bodies.joint import DESCRIPTION, JOINT, Description, Joint
from ligament.extensions.rigid_bodies.material import MATERIAL, Material
from ligament.extensions.rigid_bodies.motion import MOTION, Motion
from ligament.extensions.rigid_bodies.physics import Physics
from ligament.extensions.tables.arrays import Arrays
from ligament.extensions.tables.objects import Each, Nested
from ligament.extensions.tables.regular import ODD, compile_reader, convert_all
from ligament.extensions.tables.table import Part, Table
from ligament.extensions.tables.variants import Variant
from ligament.findings import Finding
from ligament.gltf.document import Document
from ligament.gltf.tree import Carriers, carrying


class Root(Struct, frozen=True):
    """What nodes share."""

    physics_materials: Annotated[tuple[Material, ...], Each(table=MATERIAL)] = ()
    collision_filters: Annotated[tuple[CollisionFilter, ...], Each(table=FILTER)] = ()
    physics_joints: Annotated[tuple[Description, ...], Each(table=DESCRIPTION)] = ()


class Node(Part, frozen=True, kw_only=True, gc=False):
    """The physics of a node."""

    motion: Annotated[Motion | None, Nested(table=MOTION)] = None
    collider: Annotated[Collider | None, Nested(table=COLLIDER)] = None
    trigger: Annotated[Trigger | None, Nested(table=TRIGGER)] = None
    joint: Annotated[Joint | None, Nested(table=JOINT)] = None


ROOT, NODE = Table(Root), Table(Node)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Extension:
    """One extension of bodies: its name at the root, its keys on nodes, its tables.

    `shapes` are by the pointer of their array.
    """

    name: str
    keys: tuple[str, ...]
    root: Table
    node: Table
    shapes: Mapping[str, Variant] = dataclasses.field(default_factory=dict)

    def objects(self) -> Iterator[tuple[str, Table]]:
        """Yield the form of every place: of the root object, of nodes, of elements of shapes."""
        yield f"/extensions/{self.name}", self.root
        for key in self.keys:
            yield f"/nodes/*/extensions/{key}", self.node
        for array, shape in self.shapes.items():
            owner, _, member = array.rpartition("/")
            yield (owner, solids.array_of(member, shape)) if owner else (f"{array}/*", shape)

    def is_used(self, document: Document, carriers: Carriers) -> bool:
        """Tell whether the file has the extension, be it broken, at its root or on any node."""
        extensions = document.json.get("extensions")
        at_root = isinstance(extensions, dict) and self.name in extensions
        return at_root or any(key in carriers for key in self.keys)


KHR = Extension(
    name=KHR_PHYSICS_RIGID_BODIES,
    keys=KHR_NODE_KEYS,
    root=ROOT,
    node=NODE,
    shapes={
        solids.IMPLICIT: solids.IMPLICIT_SHAPE,
        solids.CORE: solids.CORE_SHAPE,
        solids.COLLISION: solids.COLLISION_SHAPE,
    },
)


def read_root(file: Fields, name: str, table: Table, arrays: Arrays) -> None:
    """Read the arrays of an extension."""
    root = file.extension(name)
    if root is not None:
        root.only(table.names)
        root.required(*table.required)
        for rule in table.rules:
            rule.before(root)
    for row in table.rows:
        assert isinstance(row, Each)
        arrays.read(root, f"/extensions/{name}/{row.name}", row.table)


class Reader:
    """Reads the objects of one extension in one document."""

    def __init__(self, document: Document, carriers: Carriers, extension: Extension) -> None:
        self.extension, self.findings = extension, list[Finding]()
        self.entries = carrying(carriers, extension.keys)
        self.arrays = Arrays(document, extension.name, self.entries)
        self._read_arrays(Fields(document.json, "", self.findings))

    def _read_arrays(self, file: Fields) -> None:
        for pointer, shape in self.extension.shapes.items():
            solids.read_shapes(self.arrays, pointer, shape, self.findings)
        read_root(file, self.extension.name, self.extension.root, self.arrays)

    def read(self, *dialects: Dialect) -> Physics:
        """Read all nodes; where two keys are on one node, the first counts."""
        physics, seen, table = Physics(dialects=dialects), set[int](), self.extension.node
        add = adder(physics)
        plains = convert_all([content for _, _, content in self.entries], table.plain)
        quick = compile_reader(table, self.arrays, add)
        for (node, key, raw), plain in zip(self.entries, plains, strict=True):
            pointer = f"/nodes/{node}/extensions/{key}"
            if plain is not None and node not in seen:
                try:
                    quick(plain, node, pointer)
                except ODD:
                    pass
                else:
                    seen.add(node)
                    continue
            fields = Fields.of(raw, pointer, self.findings)
            if fields is not None and node in seen:
                message = f"the node has {self.extension.name} too, so this is ignored"
                fields.report("PHYSICS_DIALECT_CONFLICT", message, "remove one of them")
            elif fields is not None:
                seen.add(node)
                parts = table.read_carefully(fields, self.arrays, node)
                add(node, pointer, parts.motion, parts.collider, parts.trigger, parts.joint)
        return dataclasses.replace(physics, findings=tuple(self.findings))


def adder(physics: Physics) -> Callable[..., None]:
    """Return the function that adds the parts of a node."""
    motions, colliders = physics.motions, physics.colliders
    triggers, joints = physics.triggers, physics.joints

    def add(
        node: int,
        _pointer: str,
        motion: Motion | None,
        collider: Collider | None,
        trigger: Trigger | None,
        joint: Joint | None,
        rigid_body: Motion | None = None,  # what MSFT called a motion in 2022
    ) -> None:
        motion = motion if rigid_body is None else rigid_body
        if motion is not None:
            motions[node] = motion
        if collider is not None:
            colliders[node] = collider
        if trigger is not None:
            triggers[node] = trigger
        if joint is not None:
            joints[node] = joint

    return add

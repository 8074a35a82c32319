"""VRMC_node_constraint: 1.0, 1.0-beta and 1.0-draft, read into one list of constraints.

The draft puts `rotation` at the root of the extension or inside `constraint`; earlier drafts had
`position` too, which is kept but not read. A constraint is removed with its source.

`inspect` returns all findings about constraints; `read_constraints` raises the first error among
them and warns about the rest.
"""

import contextlib
import dataclasses
from collections.abc import Collection, Iterator
from enum import StrEnum
from typing import Annotated, Any, Final, Literal

from ligament.extensions import registry
from ligament.extensions.fields import Fields
from ligament.extensions.tables.arrays import Arrays
from ligament.extensions.tables.objects import Form, Nested
from ligament.extensions.tables.regular import ODD, convert_all
from ligament.extensions.tables.rows import Bind, Choice, Index, Json, Number, Plain, Row, refuse
from ligament.extensions.tables.rules import Default, OneOf, Rule
from ligament.extensions.tables.table import Table
from ligament.findings import Finding, finding
from ligament.gltf import pointers
from ligament.gltf.document import Document

NAME: Final = registry.VRMC_NODE_CONSTRAINT

Kind = Literal["roll", "aim", "rotation"]

KINDS: tuple[Kind, ...] = ("roll", "aim", "rotation")
AXES: dict[str, tuple[str, ...]] = {
    "roll": ("X", "Y", "Z"),
    "aim": ("PositiveX", "NegativeX", "PositiveY", "NegativeY", "PositiveZ", "NegativeZ"),
}


class Version(StrEnum):
    """What `specVersion` may be; the beta is read as 1.0."""

    FINAL = "1.0"
    BETA = "1.0-beta"
    DRAFT = "1.0-draft"


class Source(Index, frozen=True, kw_only=True):
    """The node that is followed, which is another one."""

    def expression(self, value: str, arrays: Arrays, bind: Bind) -> str:
        known = super().expression(value, arrays, bind)
        return f"{bind(refuse)}() if {value} == index else {known}"

    def read_at(self, fields: Fields, arrays: Arrays, index: int) -> Any:
        source = super().read_at(fields, arrays, index)
        if source == index:
            message, remedy = "a node cannot follow itself", "the source must be another node"
            fields.report("NODE_CONSTRAINT_SELF", message, remedy, self.name)
        return source

    def remedy(self, arrays: Arrays) -> str:
        return f"it must be a node, 0 to {(arrays.target(self.array).length or 0) - 1}"


class Weight(Number, frozen=True, kw_only=True):
    """The share of the rotation; the draft names no range."""

    animated: bool = False

    def expression(self, value: str, arrays: Arrays, bind: Bind) -> str:
        return f"{value} if 0 <= {value} <= 1 else {bind(refuse)}()"

    def read(self, fields: Fields, arrays: Arrays) -> Any:
        return fields.number(self.name, self.default)

    def read_at(self, fields: Fields, arrays: Arrays, index: int) -> Any:
        weight = super().read_at(fields, arrays, index)
        if not 0 <= weight <= 1:
            code, message = self.code, f"found {pointers.found(fields.raw[self.name])}"
            remedy = "it must be from 0 to 1"
            if self.most is None:
                code, remedy = "NODE_CONSTRAINT_DRAFT_WEIGHT", "use a number from 0 to 1"
                message += ", outside 0 to 1, so the rotation is extrapolated"
            fields.report(code, message, remedy, self.name)
        return weight


class FreezeAxes(Row, frozen=True, kw_only=True):
    """Whether the rotation about each axis is followed: `freezeAxes`, or `axes` for a time."""

    @property
    def names(self) -> tuple[str, ...]:
        return ("freezeAxes", "axes")

    def plain(self) -> list[Plain]:
        return [(self.name, tuple[bool, bool, bool], self.default)]

    def read(self, fields: Fields, arrays: Arrays) -> Any:
        axes = fields.raw.get(self.present(fields), [*EVERY])
        if isinstance(axes, list) and [type(axis) for axis in axes] == [bool] * 3:
            return tuple(axes)
        fields.report(self.code, "", "")
        return self.default

    def content(self) -> Json:
        return {"type": "array", "items": {"type": "boolean"}, "minItems": 3, "maxItems": 3}

    def schema(self) -> dict[str, Json]:
        return {self.name: self.content()}


EVERY = (True, True, True)


@dataclasses.dataclass(frozen=True)
class Constraint:
    """The rotation of a node follows another node.

    Node `destination` follows node `source`. `axis` is "X" for roll, "PositiveX" for aim, None for
    rotation. `freeze_axes` says which axes of the draft are constrained; in 1.0 all are. `pointer`
    is the place it was read from.
    """

    destination: int
    source: Annotated[
        int, Source(array="/nodes", required=True, essential=True, code="NODE_CONSTRAINT_SOURCE")
    ]
    kind: Kind
    axis: Annotated[str | None, Choice(required=True, code="NODE_CONSTRAINT_AXIS")] = None
    weight: Annotated[
        float, Weight(least=0, most=1, code="NODE_CONSTRAINT_WEIGHT", valid="a finite number")
    ] = 1.0
    freeze_axes: Annotated[
        tuple[bool, bool, bool],
        FreezeAxes(code="NODE_CONSTRAINT_FREEZE_AXES", valid="three booleans, for X, Y and Z"),
    ] = EVERY
    flavour: str = Version.FINAL
    pointer: str = ""


class OldAxes(Rule):
    """`axes` counts where `freezeAxes` is absent."""

    def odd(self, names: Collection[str], default: Default) -> str:
        """Never: `axes` is no regular member."""
        return ""

    def schema(self, names: Collection[str]) -> list[Json]:
        axes = {"properties": {"axes": FreezeAxes().content()}}
        return [{"if": {"not": {"required": ["freezeAxes"]}}, "then": axes}]


class FirstRotation(Rule):
    """A draft's rotation: in `constraint` (as in its example), else beside it (as in its table).

    The table calls it required, the text below the table does not: without it nothing happens.
    """

    def before(self, fields: Fields) -> Collection[str]:
        inner = fields.raw.get("constraint", {})
        if not isinstance(inner, dict) or "rotation" in inner:
            return ("rotation",)
        if "rotation" not in fields:
            message = "there is no rotation, so the constraint does nothing"
            fields.report("NODE_CONSTRAINT_DRAFT_EMPTY", message, "add one")
        return ()

    def odd(self, names: Collection[str], default: Default) -> str:
        inside = "plain.constraint is not None and plain.constraint.rotation is not None"
        return f"plain.rotation is not None or not ({inside})"

    def schema(self, names: Collection[str]) -> list[Json]:
        holds = {"required": ["rotation"]}
        inside = {"required": ["constraint"], "properties": {"constraint": holds}}
        beside = {"properties": {"rotation": DRAFT_ROTATION.schema()}}
        return [{"if": {"not": inside}, "then": beside}]


class Beside(Nested, frozen=True, kw_only=True):
    """The rotation beside `constraint`, whose schema applies if there is none inside."""

    def schema(self) -> dict[str, Json]:
        return {}


class OneKind(OneOf):
    """Exactly one constraint; of several, none is read."""

    def before(self, fields: Fields) -> Collection[str]:
        present = [name for name in self.names if name in fields]
        if len(present) == 1:
            return ()
        message = f"found {' and '.join(present) or 'none'} of roll, aim and rotation"
        fields.report("NODE_CONSTRAINT_KIND", message, "it must hold exactly one")
        return present


# --- tables ---


def _kind(kind: Kind, *rules: Rule, flavour: str = Version.FINAL, **rows: Any) -> Table:
    """Return the table of one kind of constraint."""

    def build(node: int, pointer: str, **values: Any) -> Constraint:
        return Constraint(node, kind=kind, flavour=flavour, pointer=pointer, **values)

    choices = {axis: axis for axis in AXES.get(kind, ())}
    axis = {"name": f"{kind}Axis", "choices": choices, "valid": f"one of {', '.join(choices)}"}
    rows |= {"axis": axis if choices else None}
    return Table(Constraint, *rules, build=build, is_open=True).changed(**rows)


def _holder(*rules: Rule, **rows: Row) -> Table:
    """Return the table of an object that holds one constraint, and maybe its version."""
    named = [row.changed(attribute=name, name=row.name or name) for name, row in rows.items()]
    return Table(Constraint, *rules, build=_held, is_open=True, rows=named)


def _held(
    _node: int, _pointer: str, *, version: str = "", **found: Constraint | None
) -> Constraint | None:
    constraint = next((each for each in found.values() if each is not None), None)
    if constraint is None or version != Version.BETA:
        return constraint
    return dataclasses.replace(constraint, flavour=version)


def _version(*versions: Version) -> Choice:
    return Choice(
        name="specVersion",
        choices={str(version): str(version) for version in versions},
        required=True,
        code="NODE_CONSTRAINT_SPEC_VERSION",
        valid=f"one of {', '.join(Version)}",
    )


_OBJECT: Any = {"essential": True, "code": "NODE_CONSTRAINT_TYPE", "valid": "an object"}

TABLES = {kind: _kind(kind, freeze_axes=None) for kind in KINDS}
"""Those of 1.0."""

_ONE = _holder(OneKind(*KINDS), **{k: Nested(table=t, **_OBJECT) for k, t in TABLES.items()})
_FINAL = _holder(
    version=_version(Version.FINAL, Version.BETA),
    constraint=Nested(table=_ONE, required=True, **_OBJECT),
)

DRAFT_ROTATION = _kind(
    "rotation", OldAxes(), flavour=Version.DRAFT, weight={"least": None, "most": None}
)
DRAFT = _holder(
    FirstRotation(),
    version=_version(Version.DRAFT),
    constraint=Nested(table=_holder(rotation=Nested(table=DRAFT_ROTATION, **_OBJECT)), **_OBJECT),
    rotation=Beside(table=DRAFT_ROTATION, **_OBJECT),
)

_SOURCE = Table(Constraint, rows=[DRAFT_ROTATION.row("source")])
_EARLY = [Nested(name=kind, table=_SOURCE, essential=True) for kind in (*KINDS, "position")]

_WARNED: dict[str, tuple[str, str, str]] = {
    Version.BETA: ("NODE_CONSTRAINT_BETA", "1.0-beta is read as 1.0", "write 1.0"),
    Version.DRAFT: (
        "NODE_CONSTRAINT_DRAFT",
        "players implement 1.0-draft differently",
        "convert it to 1.0",
    ),
}


def _warn(fields: Fields, version: str) -> None:
    if version in _WARNED:
        fields.report(*_WARNED[version], "specVersion")


class Extension(Table):
    """The object on a node, whose version tells its table."""

    def read(self, fields: Fields, arrays: Arrays, index: int = 0) -> Any:
        version = _version(*Version).read_at(fields, arrays, index)
        if version is None:
            return None
        _warn(fields, version)
        if version != Version.DRAFT and "constraint" not in fields:
            message, remedy = "constraint is missing", "add roll, aim or rotation"
            fields.report("NODE_CONSTRAINT_MISSING", message, remedy)
            return None
        return self.at(version).read_carefully(fields, arrays, index)

    def schema(self) -> Json:
        version = {"properties": _version(*Version).schema(), "required": ["specVersion"]}
        drafts = {"properties": _version(Version.DRAFT).schema()}
        others = {"properties": _version(Version.FINAL, Version.BETA).schema()}
        final = {"if": others, "then": _FINAL.schema()}
        return {"type": "object", **version, "if": drafts, "then": DRAFT.schema(), "else": final}

    def objects(self, at: str = "") -> Iterator[tuple[str, Form]]:
        for table in (_FINAL, DRAFT):
            yield from table.objects(at)

    def at(self, revision: StrEnum) -> Any:
        return DRAFT if revision == Version.DRAFT else _FINAL


EXTENSION = Extension(
    Constraint,
    rows=_FINAL.rows,
    unread=[
        *_EARLY,
        Nested(name="constraint", table=Table(Constraint, rows=_EARLY), essential=True),
    ],
)
"""Early drafts put all kinds into both places."""

_ON_NODE = Nested(name=NAME, table=EXTENSION, **_OBJECT)


# --- documents ---


def read_constraints(document: Document, *, strict: bool = True) -> list[Constraint]:
    """Read all constraints in the order of their destinations.

    Raise ContentError for the first that cannot be understood; if not `strict`, warn about each and
    leave it out. Warn, once each and at the first place, about 1.0-beta, 1.0-draft (whose players
    never agreed), a draft without a rotation, which has no effect, and a draft's weight outside
    [0, 1], which extrapolates.
    """
    document.array("nodes")
    constraints, findings = inspect(document)
    for found in findings:
        if found.severity == "error":
            if strict:
                raise document.error(found.message, found.pointer, found.remedy)
            document.warn(f"{found.message}; {found.remedy}; not played", found.pointer)
    odd = [found for found in findings if found.severity != "error"]
    first_of_each = {found.code: found for found in reversed(odd)}
    for found in reversed(first_of_each.values()):
        document.warn(f"{found.message}; {found.remedy}", found.pointer)
    return constraints


def inspect(document: Document) -> tuple[list[Constraint], list[Finding]]:
    """Return the constraints that can be understood, and all findings; never raises."""
    constraints, findings = list[Constraint](), list[Finding]()
    arrays, carriers = Arrays(document, NAME), [*_carriers(document)]
    contents: dict[Any, list[Any]] = {version: [] for version in Version}
    for _, extensions in carriers:
        contents.get(_version_of(extensions[NAME]), []).append(extensions[NAME])
    plains = {v: convert_all(found, EXTENSION.at(v).plain) for v, found in contents.items()}
    for node, extensions in carriers:
        owner, before = f"/nodes/{node}/extensions", len(findings)
        version = _version_of(extensions[NAME])
        if version in plains and (plain := next(plains[version])) is not None:
            with contextlib.suppress(*ODD):
                quick = arrays.quick(EXTENSION.at(version))
                constraints.append(quick(plain, node, f"{owner}/{NAME}"))
                _warn(Fields({}, f"{owner}/{NAME}", findings), version)
                continue
        found = _ON_NODE.read_at(Fields(extensions, owner, findings), arrays, node)
        if found is not None and all(f.severity != "error" for f in findings[before:]):
            constraints.append(found)
    return constraints, findings


def _version_of(raw: Any) -> Any:
    version = raw.get("specVersion") if isinstance(raw, dict) else None
    return version if isinstance(version, str) else None


def undeclared(document: Document) -> Iterator[Finding]:
    """Yield a finding if nodes carry the extension but `extensionsUsed` does not list it."""
    used = document.json.get("extensionsUsed")
    node = next((node for node, _ in _carriers(document)), None)
    if node is not None and not (isinstance(used, list) and NAME in used):
        message, remedy = f"{NAME} is not listed in extensionsUsed", "list every extension in use"
        pointer = f"/nodes/{node}/extensions/{NAME}"
        yield finding("NODE_CONSTRAINT_NOT_USED", pointer, message, remedy)


def _carriers(document: Document) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (node, extensions) of every node that carries the extension."""
    nodes = document.json.get("nodes")
    for node, raw in enumerate(nodes if isinstance(nodes, list) else ()):
        extensions = raw.get("extensions") if isinstance(raw, dict) else None
        if isinstance(extensions, dict) and NAME in extensions:
            yield node, extensions

"""VRMC_node_constraint: 1.0, 1.0-beta and 1.0-draft, read into one list of constraints.

The draft puts `rotation` at the root of the extension or inside `constraint`; earlier drafts had
`position` too, which is kept but not read. A constraint is removed with its source.

`inspect` returns all findings about constraints; `read_constraints` raises the first error among
them and warns about the rest.
"""

import dataclasses
from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Final, Literal

from ligament.extensions import registry
from ligament.extensions.fields import Fields
from ligament.extensions.tables.arrays import Arrays
from ligament.extensions.tables.objects import Nested
from ligament.extensions.tables.regular import read_all
from ligament.extensions.tables.rows import Choice, Index, Json, Number, Row, refuse
from ligament.extensions.tables.rules import Default, Names, OneOf, Rule, Says, Values
from ligament.extensions.tables.table import Table
from ligament.extensions.tables.variants import Either
from ligament.findings import Finding, finding
from ligament.gltf import pointers
from ligament.gltf.document import Document
from ligament.gltf.tree import find_carriers

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


EVERY = (True, True, True)

_NODE: Any = {"array": "/nodes", "required": True, "essential": True}
_SHARE: Any = {"least": 0, "most": 1, "animated": False, "valid": "a number from 0 to 1"}


class FreezeAxes(Row, frozen=True, kw_only=True):
    """Whether the rotation about each axis is followed: `freezeAxes`, or `axes` for a time."""

    names: ClassVar = ("freezeAxes", "axes")

    def kind(self) -> Any:
        return tuple[bool, bool, bool]

    def read(self, fields: Fields, arrays: Arrays) -> Any:
        axes = fields.raw.get(self.present(fields), [*EVERY])
        if isinstance(axes, list) and [type(axis) for axis in axes] == [bool] * 3:
            return tuple(axes)
        fields.report(self.code, "", "")
        return self.default

    def schema(self) -> dict[str, Json]:
        return {self.name: self.content()}


@dataclasses.dataclass(frozen=True)
class Constraint:
    """The rotation of a node follows another node.

    Node `destination` follows node `source`. `axis` is "X" for roll, "PositiveX" for aim, None for
    rotation. `freeze_axes` says which axes of the draft are constrained; in 1.0 all are. `pointer`
    is the place it was read from.
    """

    destination: int
    source: Annotated[int, Index(**_NODE, code="NODE_CONSTRAINT_SOURCE", valid="a node")]
    kind: Kind
    axis: Annotated[str | None, Choice(required=True, code="NODE_CONSTRAINT_AXIS")] = None
    weight: Annotated[float, Number(**_SHARE, code="NODE_CONSTRAINT_WEIGHT")] = 1.0
    freeze_axes: Annotated[
        tuple[bool, bool, bool],
        FreezeAxes(code="NODE_CONSTRAINT_FREEZE_AXES", valid="three booleans, for X, Y and Z"),
    ] = EVERY
    flavour: str = Version.FINAL
    pointer: str = ""


class AnotherSource(Rule):
    """A node does not follow itself."""

    def before(self, fields: Fields) -> Names:
        source = fields.raw.get("source")
        if not isinstance(source, bool) and source == int(fields.pointer.split("/")[2]):
            message, remedy = "a node cannot follow itself", "the source must be another node"
            fields.report("NODE_CONSTRAINT_SELF", message, remedy, "source")
        return ()

    def odd(self, names: Names, default: Default) -> str:
        return "plain.source == index"


def _extrapolated(fields: Fields, values: Values) -> None:
    """Say that a draft's weight extrapolates: any has a meaning."""
    if not 0 <= values["weight"] <= 1:
        found = pointers.found(fields.raw["weight"])
        message = f"found {found}, outside 0 to 1, so the rotation is extrapolated"
        remedy = "use a number from 0 to 1"
        fields.report("NODE_CONSTRAINT_DRAFT_WEIGHT", message, remedy, "weight")


_AXES = {"properties": {"axes": FreezeAxes().content()}}
AS_DRAFT = Says(_extrapolated, {"if": {"not": {"required": ["freezeAxes"]}}, "then": _AXES})
"""`axes` counts where `freezeAxes` is absent."""


class FirstRotation(Rule):
    """A draft's rotation: in `constraint` (as in its example), else beside it (as in its table).

    The table calls it required, the text below the table does not: without it nothing happens.
    """

    def before(self, fields: Fields) -> Names:
        inner = fields.raw.get("constraint", {})
        if not isinstance(inner, dict) or "rotation" in inner:
            return ("rotation",)
        if "rotation" not in fields:
            message = "there is no rotation, so the constraint does nothing"
            fields.report("NODE_CONSTRAINT_DRAFT_EMPTY", message, "add one")
        return ()

    def odd(self, names: Names, default: Default) -> str:
        inside = "plain.constraint is not None and plain.constraint.rotation is not None"
        return f"plain.rotation is not None or not ({inside})"

    def schema(self, names: Names) -> list[Json]:
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

    def before(self, fields: Fields) -> Names:
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
    rows["axis"] = axis if choices else None
    return Table(Constraint, AnotherSource(), *rules, build=build, is_open=True).changed(**rows)


def _held(_node: int, _pointer: str, *, version: str = "", **found: Any) -> Any:
    """Return the only constraint; the beta is for the careful reader."""
    if version == Version.BETA:
        refuse()
    return next((each for each in found.values() if each is not None), None)


def _version(*versions: Version) -> Choice:
    code, valid = "NODE_CONSTRAINT_SPEC_VERSION", f"one of {', '.join(Version)}"
    said: Any = {"name": "specVersion", "required": True, "code": code, "valid": valid}
    return Choice.of(*map(str, versions), **said)


_OBJECT: Any = {"essential": True, "code": "NODE_CONSTRAINT_TYPE", "valid": "an object"}
_HOLDER = Table(Constraint, build=_held, is_open=True, rows=())

_ANY = {"weight": {"least": None, "most": None, "valid": "a finite number"}}
DRAFT_ROTATION = _kind("rotation", AS_DRAFT, flavour=Version.DRAFT, **_ANY)
_ROTATION = Nested(table=DRAFT_ROTATION, **_OBJECT)
DRAFT = _HOLDER.changed(
    FirstRotation(),
    version=_version(Version.DRAFT),
    constraint=Nested(table=_HOLDER.changed(rotation=_ROTATION), **_OBJECT),
    rotation=Beside(table=DRAFT_ROTATION, **_OBJECT),
)


class Released(Table):
    """The object of 1.0 or its beta; of any other version nothing is read."""

    def read_carefully(self, fields: Fields, arrays: Arrays, index: int = 0) -> Any:
        raw: Any = fields.raw
        if not isinstance(raw, dict):
            found = f"found {pointers.found(raw)}"
            fields.report("NODE_CONSTRAINT_TYPE", found, "it must be an object")
            return None
        version = _version(*Version).read_at(fields, arrays, index)
        if version == Version.BETA:
            message = "1.0-beta is read as 1.0"
            fields.report("NODE_CONSTRAINT_BETA", message, "write 1.0", "specVersion")
            fields = Fields({**raw, "specVersion": "1.0"}, fields.pointer, fields.findings)
        if version is None or "constraint" in fields:
            view = None if version is None else super().read_carefully(fields, arrays, index)
            return view and dataclasses.replace(view, flavour=version)
        message, remedy = "constraint is missing", "add roll, aim or rotation"
        fields.report("NODE_CONSTRAINT_MISSING", message, remedy)
        return None


class Extension(Either):
    """The object on a node, whose version tells its table."""

    def at(self, revision: StrEnum) -> Any:
        return DRAFT if revision == Version.DRAFT else FINAL

    def schema(self) -> Json:
        version = {"properties": _version(*Version).schema(), "required": ["specVersion"]}
        final = {"if": {"properties": FINAL.row("version").schema()}, "then": FINAL.schema()}
        return {"type": "object", **version, "if": _IS_DRAFT, "then": DRAFT.schema(), "else": final}


_KINDS: Any = {kind: Nested(table=_kind(kind, freeze_axes=None), **_OBJECT) for kind in KINDS}
_SOURCE = Table(Constraint, rows=[DRAFT_ROTATION.row("source")])
_EARLY = [Nested(name=kind, table=_SOURCE, essential=True) for kind in (*KINDS, "position")]
"""Early drafts put all kinds into both places."""

_ONE = _HOLDER.changed(OneKind(*KINDS), **_KINDS)
_STATED = _HOLDER.changed(
    version=_version(Version.FINAL, Version.BETA),
    constraint=Nested(table=_ONE, required=True, **_OBJECT),
)
_INSIDE = Nested(name="constraint", table=Table(Constraint, rows=_EARLY), essential=True)
_UNREAD = [*_EARLY, _INSIDE]
FINAL = Released(Constraint, build=_held, is_open=True, rows=_STATED.rows, unread=_UNREAD)


_DRAFT: Json = {"specVersion": {"const": Version.DRAFT.value}}
_IS_DRAFT: Json = {"properties": _DRAFT, "required": ["specVersion"]}
EXTENSION = Extension(DRAFT, FINAL, _IS_DRAFT)


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
    objects = [
        (EXTENSION.table(raw), Fields(raw, f"/nodes/{node}/extensions/{NAME}", findings), node)
        for node, raw in find_carriers(document).get(NAME, ())
    ]
    views = read_all(objects, Arrays(document, NAME))
    for table, fields, _ in objects:
        before = len(findings)
        if table is DRAFT:
            message = "players implement 1.0-draft differently"
            fields.report("NODE_CONSTRAINT_DRAFT", message, "convert it to 1.0", "specVersion")
        found = next(views)
        if found is not None and all(f.severity != "error" for f in findings[before:]):
            constraints.append(found)
    return constraints, findings


def undeclared(document: Document) -> Iterator[Finding]:
    """Yield a finding if nodes carry the extension but `extensionsUsed` does not list it."""
    used = document.json.get("extensionsUsed")
    carriers = find_carriers(document).get(NAME)
    if carriers and not (isinstance(used, list) and NAME in used):
        message, remedy = f"{NAME} is not listed in extensionsUsed", "list every extension in use"
        pointer = f"/nodes/{carriers[0][0]}/extensions/{NAME}"
        yield finding("NODE_CONSTRAINT_NOT_USED", pointer, message, remedy)

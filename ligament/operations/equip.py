"""Equip: bodies, colliders, joints, constraints and springs for a file."""

import dataclasses
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Self

from ligament.errors import ContentError, counted
from ligament.operations.cost import Cost
from ligament.operations.operation import GLTF, Operation, Reads, Report, Writes, function
from ligament.options.groups import Dialect, Reading, Watched
from ligament.options.motions import Mapped
from ligament.options.option import Option, PathLike
from ligament.text import Answer, Line, plain

if TYPE_CHECKING:
    from ligament.author.editor import Editor
    from ligament.author.ragdoll import Ragdoll
    from ligament.checker import Report as Findings
    from ligament.extensions.rigid_bodies import Physics
    from ligament.gltf.document import Document
    from ligament.gltf.load import AnyDocument

MAX_SHOWN: Final = 20
"""Most findings that are listed; `ligament check` shows the rest."""

WAYS: Final = ("auto", "plan", "ragdoll", "ground", "twist", "springs", "springs_to_bodies")
"""Options that add something."""

_DEPENDENT: Final = {"static": "auto", "decompose": "auto", "bones": "ragdoll"}
"""Options that have no effect without another."""

_PLURALS: Final = {
    "body": "bodies",
    "collider": "colliders",
    "trigger": "triggers",
    "joint": "joints",
}


@dataclasses.dataclass(frozen=True, repr=False)
class Equipment(Answer):
    """A document with what was added to it; prints as `ligament equip` does.

    `added` has a line for each part, `parts` counts all bodies, colliders, triggers and joints, and
    `joints` has the names of their kinds. `report` has the findings that the document did not have
    before, `source` those that it had.
    """

    document: "Document"
    added: tuple[str, ...]
    parts: Mapping[str, int]
    joints: tuple[str, ...]
    report: "Findings"
    source: "Findings"
    is_loose: bool = False
    """Whether there is a ragdoll without a floor."""

    is_moved: bool = False
    """Whether animations move the ragdoll."""

    def __repr__(self) -> str:
        return f"<ligament.Equipment: {len(self.added)} added, {self._counts()}>"

    def lines(self, file: Path | None = None) -> Iterator[Line]:
        """Yield what was added, what there is, and what is wrong; `file` is where it went."""
        from ligament.checker.report import summary

        yield from map(plain, self.added)
        yield plain(f"{file}: {self._counts()}" if file else self._counts())
        relevant = [issue for issue in self.report if issue.severity != "hint"]
        for issue in relevant[:MAX_SHOWN]:
            yield plain(f"{issue.severity}: {issue.pointer}: {issue.message}")
        if len(relevant) > MAX_SHOWN:
            yield plain(f"and {len(relevant) - MAX_SHOWN} more: ligament check {file or 'FILE'}")
        if any((self.source.counts | {"hint": 0}).values()):
            path = self.document.path
            had = f"{path or 'the document'} had {summary(self.source.counts)} before"
            yield plain(f"{had}: ligament check {shlex.quote(str(path))}" if path else had)

    def _counts(self) -> str:
        kinds = f" ({', '.join(self.joints)})" if self.joints else ""
        words = [counted(count, word, _PLURALS[word]) for word, count in self.parts.items()]
        return ", ".join(words) + kinds


@dataclasses.dataclass(frozen=True, kw_only=True)
class Equip(Mapped, Reading, Watched, Operation["AnyDocument", "Equipment"]):
    """Add physics or springs to a file, and check the result.

    Bodies and colliders for every object (--auto), for the bones of an avatar (--ragdoll), or as a
    plan says (--plan); constraints for twist bones; spring bones for hair by name. The exit
    status is 1 if the checker finds errors in the result that the file did not have before.
    """

    command = "equip"
    example = "ligament equip avatar.vrm -o ragdoll.glb --ragdoll"
    reads = Reads("file", "A .gltf, .glb or .vrm file")
    writes = (Writes("out", "The file to write", GLTF, keeps_suffix=True),)
    cost: ClassVar[Cost] = Cost()

    auto: Annotated[bool, Option("A body and colliders for every separate object")] = False
    static: Annotated[
        Sequence[str | int],
        Option("With --auto: a node that does not move, by name or index", metavar="NODE"),
    ] = ()
    decompose: Annotated[
        bool, Option("With --auto: several convex hulls for concave objects that move")
    ] = False
    plan: Annotated[
        PathLike | None,
        Option("A TOML file of what to add; see the documentation", is_read=True),
    ] = None
    ragdoll: Annotated[
        bool, Option("Bodies and joints for the bones of a humanoid; --bones helps to find them")
    ] = False
    ground: Annotated[bool, Option("A static floor below everything, to fall on")] = False
    twist: Annotated[bool, Option("Constraints for the twist bones of a humanoid")] = False
    springs: Annotated[bool, Option("Spring bones for hair, skirts, ears and tails by name")] = (
        False
    )
    springs_to_bodies: Annotated[bool, Option("Replace spring bones by jointed bodies")] = False
    to: Dialect = None

    def prepared(self, outputs: Mapping[str, Path] | None = None) -> Self:
        """Refuse a call that adds nothing, options without effect, and faults of the plan."""
        from ligament.author.plan import read_plan
        from ligament.conversion.targets import converter

        if not any(getattr(self, name) for name in WAYS):
            *others, last = (f"--{name.replace('_', '-')}" for name in WAYS)
            remedy = f"use {', '.join(others)} or {last}"
            raise ContentError("there is nothing to add", remedy=remedy)
        for name, other in _DEPENDENT.items():
            if getattr(self, name) and not getattr(self, other):
                raise ContentError(f"--{name} has no effect", remedy=f"add --{other}")
        if self.to is not None:
            converter(self.to)
        if self.plan is not None:
            read_plan(Path(self.plan))
        return self

    def run(self, subject: "AnyDocument") -> Equipment:
        """Return a copy of a document with physics or springs, and what the checker finds in it.

        >>> equipment = equip("avatar.vrm", ragdoll=True, ground=True)
        >>> print(equipment)
        ragdoll: 16 bodies, 15 joints
        >>> lg.save(equipment.document, "ragdoll.glb")
        """
        from ligament.author.editor import Editor
        from ligament.checker import check
        from ligament.conversion import convert
        from ligament.extensions.physics import read_physics
        from ligament.extensions.registry import Dialect as Dialects
        from ligament.gltf.load import as_document

        given = as_document(subject)
        source = check(given)
        document, is_translated = given.copy(), self.to not in (None, Dialects.KHR)
        was = check(convert(given, self.to).document) if is_translated else source
        editor = Editor(document)
        added, doll = self._planned(editor), None
        if self.ragdoll:
            doll, lines = self._ragdoll(editor)
            added += lines
        added += self._others(editor)
        physics = read_physics(document)
        if is_translated:
            converted = convert(document, self.to)
            document = converted.document
            added += [f"lost: {loss}" for loss in converted.losses]
        return Equipment(
            document,
            tuple(added),
            *_parts(physics),
            report=check(document).beyond(source).beyond(was),
            source=source,
            is_loose=doll is not None and not self.ground,
            is_moved=doll is not None and bool(doll.animated),
        )

    def save(self, subject: Any, result: Any, outputs: Mapping[str, Path]) -> Report:
        """Write the file, and say how to look at it."""
        from ligament.checker.report import summary
        from ligament.gltf.save import save

        out = outputs["out"]
        save(result.document, out)
        text = [*result.lines(out)]
        if result.is_loose:
            text.append("it falls out of the world unless there is a floor: add --ground")
        still = " --animation none" if result.is_moved else ""
        text.append(plain(f"view it with: ligament view {shlex.quote(str(out))}{still}"))
        counts = {_PLURALS[word]: count for word, count in result.parts.items()}
        added = {"kinds": [*result.joints], "added": [*result.added]}
        findings = {**result.report.plain(), "source": result.source.plain()}
        return Report(
            text=text,
            counts=counts,
            shortfall=None if result.report.ok else summary(result.report.counts),
            data={"file": str(out), **counts, **added, **findings},
        )

    def _planned(self, editor: "Editor") -> list[str]:
        """Apply the plan, then give bodies to what has none; return a line for each object."""
        from ligament.author.equipment import Equipped, Skipped, add_bodies
        from ligament.author.plan import apply_plan, read_plan
        from ligament.gltf.tree import NodeTree

        if self.plan is not None:
            plan = Path(self.plan)
            apply_plan(editor, read_plan(plan), file=plan)
        if not self.auto:
            return []
        static = [int(name) if f"{name}".isdecimal() else name for name in self.static]
        options: Any = {"decompose": self.decompose, "progress": self.progress}
        made = add_bodies(editor, static=static, **options)
        tree, lines = NodeTree(editor.document), list[str]()
        for entry in made:
            label = tree.label(entry.node)
            if isinstance(entry, Skipped):
                lines.append(f"{label}: left out, {entry.reason}")
                continue
            mass = "" if entry.mass is None else f", {entry.mass:g} kg"
            hulls = f" ({counted(entry.hulls, 'hull')} of concave meshes)" if entry.hulls else ""
            colliders = counted(entry.colliders, "collider")
            lines.append(f"{label}: {entry.kind}, {colliders}{hulls}{mass}")
        if self.decompose:
            hulls_of = [each.hulls for each in made if isinstance(each, Equipped) and each.hulls]
            objects, hulls = counted(len(hulls_of), "object"), counted(sum(hulls_of), "hull")
            nothing = "nothing, since no object that moves is concave"
            lines.append(f"decomposed: {f'{objects} into {hulls}' if hulls_of else nothing}")
        return lines

    def _ragdoll(self, editor: "Editor") -> "tuple[Ragdoll, list[str]]":
        from ligament.author.ragdoll import add_ragdoll
        from ligament.rig import find_humanoid

        avatar = find_humanoid(editor.document, bones=self.bones)
        doll = add_ragdoll(editor, avatar)
        lines = [f"ragdoll: {_jointed(doll)}"]
        if avatar.is_measured:
            found = counted(len(avatar.bones), "bone")
            lines.append(f"{found} found by name and shape; ligament info lists them")
        if doll.animated:
            moved = ", ".join(doll.animated)
            lines.append(f"animations move {moved}; play it with --animation none to let it fall")
        return doll, lines

    def _others(self, editor: "Editor") -> Iterator[str]:
        """Add twist constraints, springs and ground, in this order."""
        from ligament.author.ground import add_ground
        from ligament.author.spring_bodies import springs_to_bodies
        from ligament.author.spring_chains import add_springs
        from ligament.author.twist import add_twist
        from ligament.gltf.tree import NodeTree
        from ligament.rig import Humanoid

        if self.twist:
            made = add_twist(editor, Humanoid(editor.document)).added
            yield f"twist: {counted(len(made), 'constraint')}"
        if self.springs:
            chains = add_springs(editor)
            tree = NodeTree(editor.document)
            yield from (f"{tree.label(each.node)}: swings as {each.style}" for each in chains)
            yield f"springs: {counted(len(chains), 'chain')}"
        if self.springs_to_bodies:
            jointed = springs_to_bodies(editor)
            yield f"springs: {_jointed(jointed)}"
            yield from (f"lost: {loss}" for loss in jointed.losses)
        if self.ground:
            node = add_ground(editor)
            yield f"{NodeTree(editor.document).label(node)}: static floor"


def _jointed(made: Any) -> str:
    bodies = counted(len(made.bodies), "body", _PLURALS["body"])
    return f"{bodies}, {counted(len(made.joints), 'joint')}"


def _parts(physics: "Physics") -> tuple[dict[str, int], tuple[str, ...]]:
    """Count the parts of a document, and name its joints."""
    from ligament.physics.naming import joint_name

    kinds = {joint_name(joint.limits, joint.drives) for joint in physics.joints.values()}
    counts = {
        "body": len(physics.motions),
        "collider": len(physics.colliders),
        "trigger": len(physics.triggers),
        "joint": len(physics.joints),
    }
    return counts, tuple(sorted(kinds))


equip = function(Equip)

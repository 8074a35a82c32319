"""`ligament equip`: give a file bodies, colliders, joints and constraints."""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Sequence
from json import dumps
from pathlib import Path
from typing import Annotated, Any

import typer

from ligament.author.editor import Editor
from ligament.author.equipment import Equipped, Skipped, add_bodies
from ligament.author.ground import add_ground
from ligament.author.plan import apply_plan, read_plan
from ligament.author.ragdoll import Ragdoll, add_ragdoll
from ligament.checker import Report, check
from ligament.checker.report import summary
from ligament.cli.console import messages, plain, progress_bar, results
from ligament.cli.options import Limit, chosen_limits
from ligament.conversion import convert
from ligament.conversion.targets import converter
from ligament.errors import ContentError, LigamentWarning
from ligament.extensions.physics import read_physics
from ligament.extensions.registry import Dialect
from ligament.extensions.rigid_bodies import Physics
from ligament.gltf import Document, load, save
from ligament.gltf.save import form_of
from ligament.gltf.tree import NodeTree
from ligament.limits import Limits
from ligament.physics.naming import joint_name
from ligament.rig import Humanoid, find_humanoid

EXAMPLE = "ligament equip avatar.vrm -o ragdoll.glb --ragdoll"

MAX_SHOWN = 20
"""Most findings that are listed; `ligament check` shows the rest."""


def equip(
    file: Annotated[Path, typer.Argument(help="A .gltf, .glb or .vrm file.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="The file to write.")],
    auto: Annotated[
        bool, typer.Option("--auto", help="A body and colliders for every separate object.")
    ] = False,
    static: Annotated[
        list[str] | None,
        typer.Option(metavar="NODE", help="With --auto: a node that does not move (repeatable)."),
    ] = None,
    decompose: Annotated[
        bool,
        typer.Option(
            "--decompose", help="With --auto: several convex hulls for concave objects that move."
        ),
    ] = False,
    plan: Annotated[
        Path | None, typer.Option(help="A TOML file of what to add; see the documentation.")
    ] = None,
    ragdoll: Annotated[
        bool, typer.Option("--ragdoll", help="Bodies and joints for the bones of a humanoid.")
    ] = False,
    bones: Annotated[
        Path | None,
        typer.Option(
            help='With --ragdoll: a bone map (.toml) for bones that are not found: hips = "Joint 1"'
        ),
    ] = None,
    ground: Annotated[
        bool, typer.Option("--ground", help="A static floor below everything, to fall on.")
    ] = False,
    twist: Annotated[
        bool, typer.Option("--twist", help="Constraints for the twist bones of a humanoid.")
    ] = False,
    springs: Annotated[
        bool,
        typer.Option("--springs", help="Spring bones for hair, skirts, ears and tails by name."),
    ] = False,
    springs_to_bodies: Annotated[
        bool,
        typer.Option("--springs-to-bodies", help="Replace spring bones by jointed bodies."),
    ] = False,
    to: Annotated[
        str | None,
        typer.Option(metavar="DIALECT", help="The dialect to write; by default the newest."),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print what was added as JSON for programs.")
    ] = False,
    limit: Limit = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Do not list what was added.")] = False,
) -> None:
    """Add physics or springs to a file, and check the result.

    Bodies and colliders for every object (--auto), for the bones of an avatar (--ragdoll), or as a
    plan says (--plan); constraints for twist bones; spring bones for hair by name. The exit
    status is 1 if the checker finds errors in the result that the file did not have before.
    """
    if not (auto or plan or ragdoll or ground or twist or springs or springs_to_bodies):
        message = "there is nothing to add"
        remedy = (
            "use --auto, --plan, --ragdoll, --ground, --twist, --springs or --springs-to-bodies"
        )
        raise ContentError(message, file=plain(file), remedy=remedy)
    if static and not auto:
        raise ContentError("--static has no effect", file=plain(file), remedy="add --auto")
    if decompose and not auto:
        raise ContentError("--decompose has no effect", file=plain(file), remedy="add --auto")
    if bones and not ragdoll:
        raise ContentError("--bones has no effect", file=plain(file), remedy="add --ragdoll")
    form_of(out)
    if to is not None:
        converter(to)  # unknown names are refused before anything is read
    wishes = None if plan is None else read_plan(plan)
    document = load(file, limits=chosen_limits(limit))
    before, is_translated = check(document), to not in (None, Dialect.KHR)
    translated = check(convert(document, to).document) if is_translated else before
    editor = Editor(document)
    if wishes is not None:
        apply_plan(editor, wishes, file=plan)
    lines = _auto(editor, static or [], decompose=decompose, quiet=quiet) if auto else []
    avatar = find_humanoid(document, bones=bones) if ragdoll else None
    doll = None if avatar is None else add_ragdoll(editor, avatar)
    lines += [] if doll is None or avatar is None else _ragdoll(doll, avatar)
    lines += [_twist(editor)] if twist else []
    lines += _springs(editor) if springs else []
    lines += _springs_to_bodies(editor) if springs_to_bodies else []
    lines += [_ground(editor)] if ground else []
    lines += _converted(document, to, out)
    report = _checked(out, document.limits).beyond(before).beyond(translated)
    if json:
        answer = _plain(document, out, lines, report) | {"source": before.plain()}
        results.print(dumps(answer, indent=2, ensure_ascii=True))
    elif not quiet:
        _print_result(document, out, lines, report)
        _print_source(file, before)
        _advise(out, doll, has_ground=ground)
    if not report.ok:
        raise typer.Exit(1)


def _auto(editor: Editor, static: list[str], *, decompose: bool, quiet: bool) -> list[str]:
    nodes = [int(name) if name.isdecimal() else name for name in static]
    with progress_bar("fitting", quiet=quiet) as progress:
        made = add_bodies(editor, static=nodes, decompose=decompose, progress=progress)
    tree = NodeTree(editor.document)
    lines = []
    for entry in made:
        label = tree.label(entry.node)
        if isinstance(entry, Skipped):
            lines.append(f"{label}: left out, {entry.reason}")
            continue
        mass = "" if entry.mass is None else f", {entry.mass:g} kg"
        colliders = _counted("collider", entry.colliders)
        hulls = f" ({_counted('hull', entry.hulls)} of concave meshes)" if entry.hulls else ""
        lines.append(f"{label}: {entry.kind}, {colliders}{hulls}{mass}")
    return [*lines, _decomposed(made)] if decompose else lines


def _decomposed(made: Sequence[Equipped | Skipped]) -> str:
    hulls = [entry.hulls for entry in made if isinstance(entry, Equipped) and entry.hulls]
    if not hulls:
        return "decomposed: nothing, since no object that moves is concave"
    return f"decomposed: {_counted('object', len(hulls))} into {_counted('hull', sum(hulls))}"


def _ragdoll(ragdoll: Ragdoll, avatar: Humanoid) -> list[str]:
    counts = (("body", len(ragdoll.bodies)), ("joint", len(ragdoll.joints)))
    lines = ["ragdoll: " + ", ".join(_counted(word, count) for word, count in counts)]
    if avatar.is_measured:
        found = _counted("bone", len(avatar.bones))
        lines.append(f"{found} found by name and shape; ligament info lists them")
    if ragdoll.animated:
        moved = ", ".join(ragdoll.animated)
        lines.append(f"animations move {moved}; play it with --animation none to let it fall")
    return lines


def _ground(editor: Editor) -> str:
    node = add_ground(editor)
    return f"{NodeTree(editor.document).label(node)}: static floor"


def _twist(editor: Editor) -> str:
    from ligament.author.twist import add_twist

    count = len(add_twist(editor, Humanoid(editor.document)).added)
    return f"twist: {_counted('constraint', count)}"


def _springs(editor: Editor) -> list[str]:
    from ligament.author.spring_chains import add_springs

    chains = add_springs(editor)
    tree = NodeTree(editor.document)
    lines = [f"{tree.label(chain.node)}: swings as {chain.style}" for chain in chains]
    return [*lines, f"springs: {_counted('chain', len(chains))}"]


def _springs_to_bodies(editor: Editor) -> list[str]:
    from ligament.author.spring_bodies import springs_to_bodies

    made = springs_to_bodies(editor)
    counts = (("body", len(made.bodies)), ("joint", len(made.joints)))
    lines = ["springs: " + ", ".join(_counted(word, count) for word, count in counts)]
    return [*lines, *(f"lost: {loss}" for loss in made.losses)]


def _converted(document: Document, to: str | None, out: Path) -> list[str]:
    """Write the file, in another dialect if requested; return the losses."""
    if to is None or to == Dialect.KHR:
        save(document, out)
        return []
    result = convert(document, to)
    save(result.document, out)
    return [f"lost: {loss}" for loss in result.losses]


def _counted(word: str, count: int) -> str:
    plural = "bodies" if word == "body" else f"{word}s"
    return f"{count} {word if count == 1 else plural}"


def _checked(out: Path, limits: Limits) -> Report:
    """Check the output, ignoring loader warnings that were reported for the source."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LigamentWarning)
        return check(load(out, limits=limits))


def _parts(physics: Physics) -> tuple[dict[str, int], list[str]]:
    """Count the parts of a document, and name its joints."""
    joints = [joint_name(joint.limits, joint.drives) for joint in physics.joints.values()]
    counts = {
        "body": len(physics.motions),
        "collider": len(physics.colliders),
        "trigger": len(physics.triggers),
        "joint": len(joints),
    }
    return counts, sorted(set(joints))


def _plain(document: Document, out: Path, lines: list[str], report: Report) -> dict[str, Any]:
    counts, joints = _parts(read_physics(document))
    plural = {_counted(word, 2).partition(" ")[2]: count for word, count in counts.items()}
    return {"file": str(out), **plural, "kinds": joints, "added": lines, **report.plain()}


def _print_result(document: Document, out: Path, lines: list[str], report: Report) -> None:
    for line in lines:
        messages.print(plain(line))
    counts, joints = _parts(read_physics(document))
    named = f" ({', '.join(joints)})" if joints else ""
    counted = ", ".join(_counted(word, count) for word, count in counts.items()) + named
    messages.print(plain(f"{out}: {counted}"))
    relevant = [issue for issue in report if issue.severity != "hint"]
    for issue in relevant[:MAX_SHOWN]:
        messages.print(plain(f"{issue.severity}: {issue.pointer}: {issue.message}"))
    if len(relevant) > MAX_SHOWN:
        messages.print(plain(f"and {len(relevant) - MAX_SHOWN} more: ligament check {out}"))


def _print_source(file: Path, before: Report) -> None:
    """Report what is wrong with the source, apart from what was added."""
    counts = before.counts | {"hint": 0}
    if any(counts.values()):
        found = f"{file} had {summary(counts)} before: ligament check {shlex.quote(str(file))}"
        messages.print(plain(found))


def _advise(out: Path, ragdoll: Ragdoll | None, *, has_ground: bool) -> None:
    """Print the command that shows the result."""
    if ragdoll is not None and not has_ground:
        messages.print("it falls out of the world unless there is a floor: add --ground")
    still = " --animation none" if ragdoll is not None and ragdoll.animated else ""
    messages.print(f"view it with: ligament view {plain(shlex.quote(str(out)))}{still}")

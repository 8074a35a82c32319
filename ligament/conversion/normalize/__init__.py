"""Avatar normalization: an equivalent model whose rest rotations are identity."""

from __future__ import annotations

from typing import Any

from ligament.arguments import checked
from ligament.conversion.normalize.accessors import rotate_animations, rotate_meshes, rotate_skins
from ligament.conversion.normalize.constraints import fit_constraints
from ligament.conversion.normalize.contents import Carriers, Contents
from ligament.conversion.normalize.frames import IDENTITY, Frames, near, refuse_shear, write_nodes
from ligament.conversion.normalize.vectors import rotate_vectors
from ligament.errors import EditError, LigamentError
from ligament.extensions.humanoid import vrm, vrmc_vrm, vrmc_vrm_animation
from ligament.gltf import objects, references
from ligament.gltf.document import Document
from ligament.gltf.load import AnyDocument, as_document
from ligament.gltf.objects import View
from ligament.gltf.reindex import prune, remove
from ligament.gltf.tree import NodeTree
from ligament.rig.humanoid.skeleton import Humanoid, find_dialect

__all__ = ["normalize"]


class _Extended(View):
    """An object that may have extensions."""

    extensions: dict[str, Any] = {}  # noqa: RUF012  (msgspec copies it for every struct)


@checked
def normalize(document: AnyDocument) -> Document:
    """Return a copy that looks and moves the same, in which no bone has a rest rotation.

    Nodes keep their indices and positions; meshes, skins, animations, colliders, bodies and
    constraints are rewritten. Content that cannot be rotated as data (a camera, a light, a shape)
    moves to a static child, or stays on a leaf that keeps its rotation. So does a node above the
    hips that turns the whole avatar. A constrained node that is
    not a bone keeps the rest rotation that its constraint depends on. ContentError names what has
    no exact equivalent: a non-uniform scale that would shear, a constrained bone whose axes differ
    from those of its source.

    >>> save(normalize(load("avatar.vrm")), "normalized.vrm")
    """
    document = as_document(document)
    twin = document.copy()
    try:
        _check(twin)
        frames = Frames(NodeTree(twin), _model_root(twin))
        contents = Contents(twin)
        _choose(twin, frames, contents)
        refuse_shear(twin, frames)
        _warn(twin, frames)
        rotate_vectors(twin, frames)
        write_nodes(twin, frames)
        Carriers(twin, frames).carry(contents)
        rotate_meshes(twin, frames, document)
        rotate_skins(twin, frames, document)
        rotate_animations(twin, frames, document)
    except LigamentError as fault:
        raise fault.located(document.path) from fault.__cause__
    _discard(twin, document)
    return twin


def _model_root(document: Document) -> int:
    """Return the node that turns a whole humanoid, -1 if there is none."""
    dialect = find_dialect(document)
    if dialect is None or all(entry.bone != "hips" for entry in dialect.entries(document)):
        return -1
    return Humanoid(document, complete=False).root.node


def _check(document: Document) -> None:
    """Raise ContentError for invalid glTF, so that the raw JSON can be used."""
    for name, kind in (
        ("nodes", _Extended),
        ("meshes", objects.Mesh),
        ("skins", objects.Skin),
        ("scenes", objects.Scene),
        ("animations", objects.Animation),
    ):
        document.views(name, kind)
    for node in document.array("nodes"):
        for name in [name for name, value in node.items() if value is None]:
            del node[name]  # views treat null as absent
    sizes = {name: len(items) for name, items in references.arrays(document).items()}
    for reference in references.references(document):
        if not reference.is_pointer:
            reference.point_to(reference.index)  # 1.0 is an index too, but not in Python
        is_used = reference.target in ("/nodes", "/meshes", "/accessors", "/skins")
        if is_used and reference.index >= sizes.get(reference.target, 0):
            raise document.error(
                f"there is no element {reference.index} of {reference.target}",
                reference.pointer,
                "fix the index",
            )


def _choose(document: Document, frames: Frames, contents: Contents) -> None:
    """Choose the frames that differ from the rest rotations."""
    kept, loose = contents.kept(frames), contents.loose()
    frames.own[sorted(kept)] = IDENTITY
    for node, pointer in _valued_nodes(document):
        if not near(frames.above[node], IDENTITY):
            raise document.error(
                f"the transform of {frames.tree.label(node)} is a value, under rotated parents",
                pointer,
                "make it a root of the scene",
            )
        frames.own[node] = IDENTITY
    modules = (vrmc_vrm, vrm, vrmc_vrm_animation)
    entries = [entry for module in modules for entry in module.human_bones(document)]
    indices = (references.read_index(entry.node) for entry in entries)
    bones = {node for node in indices if node is not None}
    reused = fit_constraints(document, frames, bones=bones, loose=loose)
    frames.part_children(loose | kept, reused)


def _valued_nodes(document: Document) -> list[tuple[int, str]]:
    """List the nodes of a motion whose transform encodes a weight or a gaze, with pointers."""
    entries = [(entry.node, entry.pointer) for entry in vrmc_vrm_animation.expressions(document)]
    gaze = vrmc_vrm_animation.look_at_node(document)
    entries.append((gaze, f"/extensions/{vrmc_vrm_animation.NAME}/lookAt/node"))
    indices = [(references.read_index(node), pointer) for node, pointer in entries]
    count = len(document.array("nodes"))
    return [(node, pointer) for node, pointer in indices if node is not None and node < count]


def _warn(document: Document, frames: Frames) -> None:
    """Warn about extensions not understood that may refer to the space of a node."""
    if near(frames.own, IDENTITY).all():
        return
    for name, pointer in references.unknown_extensions(document).items():
        if not pointer.startswith("/nodes/"):
            document.warn(f"{name} may refer to axes of nodes, and is left as it is", pointer)


def _discard(document: Document, original: Document) -> None:
    """Remove data that is no longer used."""
    try:
        for array in ("/accessors", "/bufferViews"):
            unused = _used(original, array) - _used(document, array)
            if not unused:
                return
            remove(document, array, unused)
        prune(document, ["/buffers"])
    except EditError:
        return  # Something cannot be renumbered safely; unused data does no harm.


def _used(document: Document, array: str) -> set[int]:
    return {r.index for r in references.references(document) if r.target == array}

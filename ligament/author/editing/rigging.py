"""Node constraints and humanoid bones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ligament.author import arguments
from ligament.author.editing.nodes import NodeRef
from ligament.author.editing.workspace import Workspace
from ligament.errors import EditError
from ligament.extensions.humanoid import vrmc_vrm
from ligament.extensions.humanoid.bones import BONES
from ligament.extensions.rigid_bodies import MotionKind
from ligament.extensions.vrmc_node_constraint import AXES, KINDS
from ligament.extensions.vrmc_node_constraint import NAME as CONSTRAINT
from ligament.findings import Finding
from ligament.gltf.document import Document
from ligament.rig import constraint_problems, humanoid_problems

LICENSE = "https://vrm.dev/licenses/1.0/"
"""The licence URL that VRM 1.0 prescribes."""

Rule = Callable[[Document], Iterable[Finding]]


class Rigging:
    """Writes node constraints and the bones of humanoids."""

    def __init__(self, workspace: Workspace) -> None:
        self.document = workspace.document
        self.nodes, self.bodies = workspace.nodes, workspace.bodies

    def add_constraint(
        self, node: NodeRef, kind: str, source: NodeRef, axis: str | None, weight: float
    ) -> int:
        """Make a node follow the rotation of another (VRMC_node_constraint 1.0)."""
        index = self.nodes.find(node)
        raw = self.nodes.raw[index]
        if self.bodies.is_constrained(index):
            message = f"{self.nodes.label(index)} has a constraint already"
            raise self.nodes.error(message, "remove that constraint first (remove_constraint)")
        if self.bodies.kind(index) is MotionKind.DYNAMIC:
            message = f"{self.nodes.label(index)} is a dynamic body"
            raise self.nodes.error(message, "constrain a node below it, or make it kinematic")
        constraint: dict[str, Any] = {"source": self.nodes.find(source, "source")}
        chosen = arguments.choice(kind, "the kind of the constraint", KINDS)
        if chosen == "rotation" and axis is not None:
            raise EditError("a rotation constraint has no axis", remedy="leave axis out")
        if chosen != "rotation":
            named = arguments.choice(axis, f"the axis of the {chosen}", AXES[chosen])
            constraint[f"{chosen}Axis"] = named
        share = arguments.number(weight, "the weight", above=0)
        if share > 1:
            raise arguments.refused("the weight", share, "give a number above 0, at most 1")
        if share != 1:
            constraint["weight"] = share
        content = {"specVersion": "1.0", "constraint": {chosen: constraint}}
        self._try(raw, CONSTRAINT, content, constraint_problems)
        self.document.use_extension(CONSTRAINT)
        return index

    def set_humanoid(
        self, bones: Mapping[str, NodeRef], name: str, authors: Sequence[str], license_url: str
    ) -> None:
        """Map the bones of VRM 1.0 to nodes (VRMC_vrm), keeping all other data of the avatar."""
        if not isinstance(bones, Mapping):
            raise arguments.refused("the bones", bones, "give a mapping of bones to nodes")
        mapped = {}
        for bone, node in bones.items():
            word = arguments.choice(bone, "a bone", BONES)
            mapped[word] = {"node": self.nodes.find(node, f"node for {word}")}
        root = self.document.json
        before = self.document.extension(vrmc_vrm.NAME) or {"specVersion": "1.0"}
        meta = {
            "name": name,
            "authors": arguments.words(authors, "authors"),
            "licenseUrl": license_url,
        }
        humanoid = before.get("humanoid", {}) | {"humanBones": mapped}
        content = before | {"meta": meta | before.get("meta", {}), "humanoid": humanoid}
        self._try(root, vrmc_vrm.NAME, content, humanoid_problems)
        self.document.use_extension(vrmc_vrm.NAME)

    def _try(
        self, owner: dict[str, Any], extension: str, content: dict[str, Any], rule: Rule
    ) -> None:
        """Write an extension; undo the change and raise EditError if a rule has new findings."""
        before = {_key(finding) for finding in rule(self.document)}
        had = "extensions" in owner
        extensions = owner.setdefault("extensions", {})
        old = extensions.get(extension)
        extensions[extension] = content
        for finding in rule(self.document):
            is_bad = finding.severity in ("error", "warning")
            if is_bad and _key(finding) not in before and not finding.code.endswith("_NOT_USED"):
                if old is None:
                    del extensions[extension]
                else:
                    extensions[extension] = old
                if not had:
                    del owner["extensions"]
                raise EditError(
                    finding.message,
                    file=self.document.path,
                    pointer=finding.pointer,
                    remedy=finding.remedy,
                )


def _key(finding: Finding) -> tuple[str, str]:
    return finding.code, finding.pointer

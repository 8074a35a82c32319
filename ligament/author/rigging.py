"""Node constraints and humanoids of a document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from ligament.author import values
from ligament.author.nodes import NodeRef
from ligament.author.workspace import Workspace
from ligament.errors import EditError
from ligament.extensions import vrmc_vrm
from ligament.extensions.declarations import MotionKind
from ligament.extensions.vrmc_node_constraint import AXES, KINDS
from ligament.extensions.vrmc_node_constraint import NAME as CONSTRAINT
from ligament.findings import Finding
from ligament.gltf.document import Document
from ligament.rig import constraint_problems, humanoid_problems
from ligament.rig.humanoid.bones import BONES

LICENSE = "https://vrm.dev/licenses/1.0/"
"""The licence that VRM 1.0 gives as the one to name."""

Rule = Callable[[Document], Iterable[Finding]]


class RigWriter(Workspace):
    """Adds what moves nodes by other nodes, and what says which of them are bones."""

    def add_constraint(
        self,
        node: NodeRef,
        kind: Literal["roll", "aim", "rotation"],
        source: NodeRef,
        *,
        axis: str | None = None,
        weight: float = 1.0,
    ) -> int:
        """Let a node follow the rotation of another (VRMC_node_constraint 1.0).

        `axis` is "X", "Y" or "Z" for roll and "PositiveX" to "NegativeZ" for aim.
        """
        index = self._nodes.find(node)
        raw = self._nodes.raw[index]
        if self._bodies.is_constrained(index):
            message = f"{self._nodes.label(index)} follows another node already"
            raise self._nodes.error(message, "remove that constraint first (remove_constraint)")
        if self._bodies.kind(index) is MotionKind.DYNAMIC:
            message = f"{self._nodes.label(index)} is a body that forces move"
            raise self._nodes.error(message, "constrain a node below it, or make it kinematic")
        constraint: dict[str, Any] = {"source": self._nodes.find(source, "source")}
        chosen = values.choice(kind, "the kind of the constraint", KINDS)
        if chosen == "rotation" and axis is not None:
            raise EditError("a rotation has no axis", remedy="leave axis out")
        if chosen != "rotation":
            named = values.choice(axis, f"the axis of the {chosen}", AXES[chosen])
            constraint[f"{chosen}Axis"] = named
        share = values.number(weight, "the weight", above=0)
        if share > 1:
            raise values.refused("the weight", share, "give a number above 0, at most 1")
        if share != 1:
            constraint["weight"] = share
        content = {"specVersion": "1.0", "constraint": {chosen: constraint}}
        self._try(raw, CONSTRAINT, content, constraint_problems)
        self._document.use_extension(CONSTRAINT)
        return index

    def set_humanoid(
        self,
        bones: Mapping[str, NodeRef],
        *,
        name: str = "Avatar",
        authors: Sequence[str] = ("unknown",),
        license_url: str = LICENSE,
    ) -> None:
        """Say which node is which bone, by the 55 names of VRM 1.0 (VRMC_vrm).

        What the file says of an avatar beyond its bones stays; the name, authors and licence that
        VRM demands are written where there are none.
        """
        mapped = {}
        for bone, node in bones.items():
            word = values.choice(bone, "a bone", BONES)
            mapped[word] = {"node": self._nodes.find(node, f"node for {word}")}
        root = self._document.json
        before = self._document.extension(vrmc_vrm.NAME) or {"specVersion": "1.0"}
        meta = {
            "name": name,
            "authors": values.words(authors, "authors"),
            "licenseUrl": license_url,
        }
        humanoid = before.get("humanoid", {}) | {"humanBones": mapped}
        content = before | {"meta": meta | before.get("meta", {}), "humanoid": humanoid}
        self._try(root, vrmc_vrm.NAME, content, humanoid_problems)
        self._document.use_extension(vrmc_vrm.NAME)

    def _try(
        self, owner: dict[str, Any], extension: str, content: dict[str, Any], rule: Rule
    ) -> None:
        """Write an extension, and take it back if a rule finds something that was not there."""
        before = {_key(finding) for finding in rule(self._document)}
        had = "extensions" in owner
        held = owner.setdefault("extensions", {})
        old = held.get(extension)
        held[extension] = content
        for finding in rule(self._document):
            is_bad = finding.severity in ("error", "warning")
            if is_bad and _key(finding) not in before and not finding.code.endswith("_NOT_USED"):
                if old is None:
                    del held[extension]
                else:
                    held[extension] = old
                if not had:
                    del owner["extensions"]
                raise EditError(
                    finding.message,
                    file=self._document.path,
                    pointer=finding.pointer,
                    remedy=finding.remedy,
                )


def _key(finding: Finding) -> tuple[str, str]:
    return finding.code, finding.pointer

"""Rest poses that are far from the T-pose of VRM 1.0."""

from __future__ import annotations

from collections.abc import Iterator

from ligament.errors import LigamentError
from ligament.findings import Finding
from ligament.gltf.document import Document
from ligament.rig.humanoid.skeleton import Humanoid
from ligament.rig.humanoid.tpose import T_POSE, tpose_deviation


def tpose_problems(document: Document) -> Iterator[Finding]:
    """Yield the bones that point further from the T-pose than bodies differ; never raises."""
    try:
        humanoid = Humanoid(document)
    except LigamentError:
        return
    nodes = dict(zip(humanoid.bones, humanoid.nodes.tolist(), strict=True))
    for bone, degrees in tpose_deviation(humanoid).items():
        if degrees > T_POSE[bone].slack:
            message = f"{bone} rests {degrees:.0f}\N{DEGREE SIGN} away from the T-pose"
            remedy = "motion made on a T-pose will look bent by that much"
            yield Finding("HUMANOID_TPOSE", "hint", f"/nodes/{nodes[bone]}", message, remedy)

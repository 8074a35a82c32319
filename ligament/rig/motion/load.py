"""Motion from files: VRMA, other humanoid glTF, BVH."""

from __future__ import annotations

import re
from pathlib import Path

from ligament.arguments import checked
from ligament.errors import FileError
from ligament.gltf.document import Document
from ligament.gltf.load import AnyDocument, load
from ligament.limits import DEFAULT, Limits
from ligament.options.names import TPose
from ligament.rig.motion.bone_map import Bones
from ligament.rig.motion.bvh_motion import load_bvh
from ligament.rig.motion.gltf_motion import read_motion
from ligament.rig.motion.motion import Motion

_COMMENTS = re.compile(rb"^\s*(?:#|//).*$", re.MULTILINE)


@checked
def load_motion(
    source: AnyDocument,
    *,
    animation: int | str = 0,
    bones: Bones | None = None,
    t_pose: TPose = "auto",
    limits: Limits = DEFAULT,
) -> Motion:
    """Load humanoid motion from a .vrma, a .bvh, or a glTF file with an animated humanoid.

    A glTF file declares its bones by VRMC_vrm_animation, VRMC_vrm or VRM; otherwise, as in BVH,
    they are inferred from the shape of the skeleton and the names of its joints, and `bones` adds
    those not found: bone → joint, or a TOML file of such lines. `t_pose` is the pose that motion is
    measured from: "auto" the bind or rest pose, aligned with a T-pose; "given" the rest pose
    unchanged; or a frame number. `motion.assumed` says what was inferred. `animation` selects one
    by index or name; `limits` are resource limits.

    >>> motion = load_motion("dance.vrma")
    >>> motion.bones[:2], motion.duration
    (('hips', 'spine'), 2.0)
    """
    if isinstance(source, Document):
        return read_motion(source, animation, bones=bones, t_pose=t_pose)
    path = Path(source)
    if is_bvh(path):
        return load_bvh(path, bones=bones, t_pose=t_pose, limits=limits)
    document = load(path, limits=limits)
    return read_motion(document, animation, bones=bones, t_pose=t_pose)


def is_bvh(path: Path) -> bool:
    """Tell whether the first word is that of BVH, whatever the file's name."""
    try:
        with open(path, "rb") as stream:
            head = stream.read(256)
    except OSError as fault:
        reason = fault.strerror or str(fault)
        raise FileError(f"cannot be read ({reason})", file=path, remedy="check the path") from fault
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        head = head.decode("utf-16", errors="replace").encode()
    words = _COMMENTS.sub(b"", head.removeprefix(b"\xef\xbb\xbf"))
    return words.lstrip().upper().startswith(b"HIERARCHY")

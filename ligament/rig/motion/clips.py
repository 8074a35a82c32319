"""All clips of a motion file, and unique names for them."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from ligament.arguments import names_of
from ligament.errors import ContentError, LigamentError
from ligament.gltf.document import Document
from ligament.gltf.load import load
from ligament.limits import DEFAULT, Limits
from ligament.options.names import TPose
from ligament.rig.motion.bone_map import Bones
from ligament.rig.motion.gltf_motion import read_motion
from ligament.rig.motion.load import is_bvh, load_motion
from ligament.rig.motion.motion import Motion


def load_clips(
    source: str | os.PathLike[str] | Document,
    *,
    animations: str | Iterable[str] | None = None,
    bones: Bones | None = None,
    t_pose: TPose = "auto",
    limits: Limits = DEFAULT,
) -> tuple[Motion, ...]:
    """Load all animations of a file that move a humanoid, or those with the given names.

    A file without any such animation is an error, as for `load_motion`; others are warned of.
    """
    animations = names_of(animations)
    if not isinstance(source, Document) and is_bvh(path := Path(source)):
        motion = load_motion(path, bones=bones, t_pose=t_pose, limits=limits)
        _require_named(animations, [motion.name], path)
        return (motion,)
    document = source if isinstance(source, Document) else load(source, limits=limits)
    count = len(document.array("animations"))
    chosen: list[int | str] = list(range(count)) if animations is None else list(animations)
    found: list[Motion] = []
    left_out: list[str] = []
    for animation in chosen or [0]:
        try:
            found.append(read_motion(document, animation, bones=bones, t_pose=t_pose))
        except LigamentError as fault:
            if animations is not None or count < 2 or "moves no bone" not in str(fault):
                raise
            left_out.append(fault.message)
    if not found:
        raise document.error(left_out[0], "/animations", "animate the nodes of the humanoid")
    for reason in left_out:
        document.warn(f"{reason}; left out", "/animations")
    return tuple(found)


def _require_named(animations: Iterable[str] | None, names: list[str], path: Path) -> None:
    for name in animations or ():
        if name not in names:
            raise ContentError(
                f"there is no animation {name!r}", file=path, remedy=f"it has {', '.join(names)}"
            )


def renamed(motions: Sequence[Motion], taken: Iterable[str] = ()) -> list[Motion]:
    """Return the motions under unique names."""
    names = numbered_names([motion.name for motion in motions], taken)
    return [dataclasses.replace(m, name=name) for m, name in zip(motions, names, strict=True)]


def numbered_names(names: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """Number repeated names: walk, walk 2, walk 3; case is ignored."""
    used = {name.lower() for name in taken}
    result = []
    for name in names:
        own, number = name, 1
        while own.lower() in used:
            number += 1
            own = f"{name} {number}"
        used.add(own.lower())
        result.append(own)
    return result


def unrepeated(names: Sequence[str]) -> list[str]:
    """Number names that occurred before, as `numbered_names` does; keep others, and empty ones."""
    result: list[str] = []
    for name in names:
        is_repeated = bool(name) and name in result
        result.append(numbered_names([name], [*names, *result])[0] if is_repeated else name)
    return result

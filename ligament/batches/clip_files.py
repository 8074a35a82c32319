"""Files of the clips of one input: its own for a single clip, a folder for several."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ligament.baking import add_motion, without_animations
from ligament.files import make_folder, safe_name
from ligament.gltf import save
from ligament.jobs.perform import discard
from ligament.rig import Humanoid, Motion
from ligament.rig.motion.clips import numbered_names, renamed


def clip_names(motions: Iterable[Motion]) -> list[str]:
    """Name clips so that they are path segments on every system, and all different."""
    return numbered_names(safe_name(motion.name) for motion in motions)


def clip_paths(motions: Sequence[Motion], file: Path, folder: Path) -> list[Path]:
    """Return where each clip goes: to `file` if it is the only one, else into `folder`.

    Leftovers of an earlier input at the other path are removed.
    """
    if len(motions) == 1:
        discard([folder])
        return [file]
    discard([file, folder])
    make_folder(folder)
    return [folder / f"{name}{file.suffix}" for name in clip_names(motions)]


def write_avatar(avatar: Humanoid, motions: Sequence[Motion], path: Path, **options: Any) -> None:
    """Write the avatar with an animation for each clip; options are those of `add_motion`."""
    made = without_animations(avatar.document)
    for motion in renamed(motions):
        made = add_motion(made, motion, avatar=avatar, **options)
    save(made, path, embed=True)

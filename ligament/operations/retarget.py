"""Retarget: the motion of files on an avatar."""

import dataclasses
import functools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, NamedTuple, Self

from ligament.errors import ContentError, MissingExtraError, warn
from ligament.limits import Limits
from ligament.operations.cost import Cost
from ligament.operations.operation import BESIDE, Operation, Reads, Report, Writes
from ligament.options.groups import Embedding, Reading
from ligament.options.motions import Measuring, Retargeting, Writing
from ligament.options.option import Option, PathLike
from ligament.text import plain

if TYPE_CHECKING:
    from ligament.gltf.document import Document
    from ligament.rig import Humanoid, Motion

AVATARS: Final = (".glb", ".gltf", ".vrm")
"""Suffixes of files that hold the avatar with all motions."""

SINGLE: Final = (".vrma", ".npz")
"""Suffixes of files that hold one motion."""


class Clip(NamedTuple):
    """A motion, and its file, which may hold several."""

    motion: "Motion"
    path: Path
    is_one_of_many: bool


class Retargeted(NamedTuple):
    """Edited motions, and the avatar that they are for."""

    avatar: "Humanoid"
    clips: list[Clip]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Retarget(
    Writing, Measuring, Retargeting, Embedding, Reading, Operation["Sequence[Clip]", "Retargeted"]
):
    """Retarget motion to an avatar.

    All animations of a file are taken, or those that --animation names. A .glb, .gltf or .vrm
    output is the avatar with one animation for each; with several a .vrma or .npz output is a
    folder that gets one file for each.
    """

    command = "retarget"
    example = "ligament retarget wave.vrma --to avatar.vrm -o waving.glb"
    reads = Reads(
        "motions",
        "Motion: .vrma, .bvh, or glTF with an animated humanoid",
        (".vrma", ".bvh", ".gltf", ".glb"),
        files="all",
    )
    writes = (
        Writes(
            "out",
            "Motion, arrays, or the avatar with animations",
            (*SINGLE, *AVATARS),
            may_be_folder=True,
            beside=dict.fromkeys(SINGLE, "_clips"),
        ),
    )
    cost: ClassVar[Cost] = Cost()

    to: Annotated[PathLike, Option("The avatar: .vrm, or any humanoid glTF file", is_read=True)]
    format: Annotated[
        Literal["vrma", "npz", "glb"], Option("The files in a folder, one for each motion")
    ] = "vrma"
    keep_animations: Annotated[bool, Option("Keep the avatar's own animations too")] = False
    springs: Annotated[bool, Option("Add the motion of spring bones (at 60 Hz, or --rate)")] = False
    spring_mode: Annotated[
        Literal["reference", "steady"],
        Option("Spring bones: one update per frame, as specified; or 60 per second"),
    ] = "reference"
    device: Annotated[
        Literal["cpu", "cuda"], Option("The device to compute on; cuda in single precision")
    ] = "cpu"

    def prepared(self, outputs: Mapping[str, Path] | None = None) -> Self:
        """Refuse what the output cannot hold, a device that is not there, and what is no avatar."""
        out = outputs["out"] if outputs else Path()
        self.require(self._suffix(out), file=out)
        return self

    def require(self, suffix: str, *, file: Path | None = None, has_avatar: bool = True) -> None:
        """Refuse options that no file of a suffix can be made with."""
        from ligament.rig.motion.bone_map import read_bones

        if suffix == ".vrma":
            for name, lacking in (("springs", "springs"), ("root_motion", "root that moves")):
                if getattr(self, name):
                    remedy = f"leave out --{name.replace('_', '-')}, or write .glb or .npz"
                    raise ContentError(f"a VRMA has no {lacking}", file=file, remedy=remedy)
        if self.device == "cuda":
            require_cuda()
        read_bones(self.bones)
        if has_avatar:
            self.avatar()

    def avatar(self) -> "Humanoid":
        """Read the avatar."""
        path = Path(self.to)
        return _avatar(path, path.stat().st_mtime_ns if path.exists() else 0, self.limits)

    def load(self, sources: Sequence[Path]) -> list[Clip]:
        """Read the motions of all files."""
        return [clip for path in sources for clip in self._clips(path, path)]

    def of_document(self, document: Any, shown: str) -> list[Clip]:
        """Read the motions of a document."""
        return self._clips(document, Path(shown))

    def _clips(self, source: "Document | Path", path: Path) -> list[Clip]:
        from ligament.rig.motion.clips import load_clips

        motions = load_clips(source, limits=self.limits, **self.part(Measuring))
        return [Clip(motion, path, len(motions) > 1) for motion in motions]

    def run(self, subject: Sequence[Clip]) -> Retargeted:
        """Edit the motions, on the device."""
        from ligament.rig.motion.edits import edited

        return Retargeted(
            self.avatar(),
            [clip._replace(motion=self._moved(edited(clip.motion, self))) for clip in subject],
        )

    def save(self, subject: Sequence[Clip], result: Any, outputs: Mapping[str, Path]) -> Report:
        """Write the avatar with one animation for each motion, or one file for each."""
        out, (avatar, clips) = outputs["out"], result
        lines = [*_assumptions(clips)]
        if self._suffix(out) in AVATARS and not _is_folder(out):
            lines += self._save_avatar(avatar, clips, out)
        else:
            _warn_of_expressions(avatar, clips)
            for clip, path in self.places(clips, outputs):
                self._save_motion(avatar, clip.motion, path)
                lines.append(_summary(clip.motion, path))
        counts = {"bones": len(clips[0].motion.bones), "clips": len(clips)}
        return Report(text=[*map(plain, lines)], counts=counts)

    def _moved(self, motion: "Motion") -> "Motion":
        """Move a motion to the device."""
        if self.device == "cpu":
            return motion
        torch = require_cuda()
        return motion.map(lambda array: torch.as_tensor(array, dtype=torch.float32, device="cuda"))

    def _suffix(self, out: Path) -> str:
        """Return the suffix of the files that are written; .vrma and .npz may be a folder's."""
        suffix = out.suffix.lower()
        return f".{self.format}" if suffix in ("", *AVATARS) and _is_folder(out) else suffix

    def _save_avatar(self, avatar: "Humanoid", clips: list[Clip], out: Path) -> Iterator[str]:
        """Write the avatar with an animation for each motion; say what becomes of its own."""
        from ligament.baking import without_animations
        from ligament.gltf.objects import Named
        from ligament.gltf.save import save
        from ligament.rig.motion.clips import renamed, unrepeated

        document = avatar.document
        own = [animation.name or "" for animation in document.views("animations", Named)]
        names = unrepeated(own)
        if not self.keep_animations:
            document = without_animations(document)
            if own:
                left = f"left out the avatar's own animations {', '.join(map(repr, own))}"
                yield f"{out}: {left}; --keep-animations keeps them"
        elif names != own:
            changed = [repr(new) for old, new in zip(own, names, strict=True) if old != new]
            yield f"{out}: renamed repeated animations of the avatar to {', '.join(changed)}"
            document = _renamed_animations(document, names)
        taken = names if self.keep_animations else ()
        for motion in renamed([clip.motion for clip in clips], taken):
            document = self._added(document, avatar, motion)
            yield _summary(motion, out)
        save(document, out, embed=self.embed)

    def places(self, clips: Sequence[Clip], outputs: Mapping[str, Path]) -> list[tuple[Clip, Path]]:
        """Return where motions go, one file for each; in a batch to the folder beside `out`."""
        from ligament.files import local_name, make_folder, safe_name
        from ligament.rig.motion.clips import numbered_names

        out, beside = outputs["out"], outputs.get(BESIDE)
        suffix = self._suffix(out)
        if len(clips) == 1 and out.suffix.lower() in SINGLE:
            return [(clips[0], out)]
        names = [
            clip.motion.name
            if beside is not None
            else f"{clip.path.stem}-{clip.motion.name or 'motion'}"
            if clip.is_one_of_many
            else clip.path.stem
            for clip in clips
        ]
        folder, names = make_folder(beside or out), numbered_names(map(safe_name, names))
        paths = [folder / local_name(f"{name}{suffix}") for name in names]
        return [*zip(clips, paths, strict=True)]

    def _save_motion(self, avatar: "Humanoid", motion: "Motion", path: Path) -> None:
        """Write one motion to a file of its own."""
        from ligament.baking import without_animations
        from ligament.baking.motion_files import write_arrays, write_motion_file
        from ligament.gltf.save import save

        if path.suffix == ".npz":
            write_arrays(avatar, motion, path, self, springs=self._springs)
        elif path.suffix == ".vrma":
            write_motion_file(avatar, motion, path, self)
        else:
            document = self._added(without_animations(avatar.document), avatar, motion)
            save(document, path, embed=self.embed)

    def _added(self, document: "Document", avatar: "Humanoid", motion: "Motion") -> "Document":
        from ligament.baking import add_motion

        more: dict[str, Any] = {"avatar": avatar, "springs": self._springs}
        return add_motion(document, motion, **more, **self.part(Writing))

    @property
    def _springs(self) -> Literal["reference", "steady"] | None:
        return self.spring_mode if self.springs else None


@functools.lru_cache(maxsize=1)
def _avatar(path: Path, changed: int, limits: Limits) -> "Humanoid":
    """Read an avatar once for all the motions that a process retargets to it."""
    from ligament.gltf.load import load
    from ligament.rig import find_humanoid

    return find_humanoid(load(path, limits=limits))


def require_cuda() -> Any:
    """Return torch; refuse a machine without a CUDA device."""
    try:
        import torch
    except ImportError as fault:
        raise MissingExtraError("CUDA needs torch", remedy="pip install ligament[gpu]") from fault
    if not torch.cuda.is_available():
        raise ContentError("there is no CUDA device", remedy="use the device cpu")
    return torch


def _is_folder(out: Path) -> bool:
    return not out.suffix or out.is_dir()


def _renamed_animations(document: "Document", names: Sequence[str]) -> "Document":
    """Return a copy of a document whose animations have these names."""
    copy = document.copy()
    for animation, name in zip(copy.array("animations"), names, strict=True):
        if name:
            animation["name"] = name
    return copy


def _assumptions(clips: Sequence[Clip]) -> Iterator[str]:
    """Say of each file what was inferred to read it."""
    firsts = {clip.path: clip.motion for clip in reversed(clips)}
    for path in dict.fromkeys(clip.path for clip in clips):
        if firsts[path].assumed is not None:
            yield f"{path}: {firsts[path].assumed}"


def _warn_of_expressions(avatar: "Humanoid", clips: Sequence[Clip]) -> None:
    """Warn of what the avatar lacks; a file with the avatar warns of what it cannot show."""
    moved = {name for clip in clips for curves in clip.motion.expressions for name in curves.names}
    lacking = sorted(moved - {*avatar.expressions})
    if lacking:
        warn(f"the avatar lacks the expressions {', '.join(lacking)}; left out")


def _summary(motion: "Motion", path: Path) -> str:
    return f"{path}: {motion.name}, {motion.duration:g} s, {len(motion.bones)} bones"

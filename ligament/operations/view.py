"""View: a live page in the browser, a self-contained page, or pictures."""

import contextlib
import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Self

from ligament.errors import ArgumentError
from ligament.operations.operation import GLTF, Operation, Reads, Report, Writes, function
from ligament.operations.playing import Played
from ligament.options.groups import Length, Playing
from ligament.options.names import HIGHEST_RATE, LOWEST_RATE
from ligament.options.option import Option

if TYPE_CHECKING:
    from ligament.gltf.document import Document
    from ligament.gltf.load import AnyDocument
    from ligament.rig.motion.bone_map import BoneMap
    from ligament.viewer.notebook import EmbeddedPlayer

LIVE_RATE, PAGE_RATE = 60.0, 30.0


class Shown(NamedTuple):
    """A document that can be seen, and which bones it seems to have."""

    document: "Document"
    bones: "BoneMap | None" = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class View(Length, Played, Operation["AnyDocument", "EmbeddedPlayer | None"]):
    """Show a file in the browser, or write a page or pictures.

    The live page is for this machine only; --html writes one self-contained file; --png, --gif and
    --mp4 write pictures.
    """

    command = "view"
    example = "ligament view door.glb --html door.html --seconds 3"
    reads = Reads("file", "A .gltf, .glb, .vrm or .vrma file, or motion (.bvh)", (*GLTF, ".bvh"))
    writes = (
        Writes("html", "A self-contained page", (".html", ".htm"), "", True),
        Writes("png", "A picture, which needs Chromium, Chrome or Edge", (".png",), "", True),
        Writes("gif", "A video", (".gif",), "", True),
        Writes("mp4", "A video, which needs ffmpeg", (".mp4",), "", True),
    )
    runs = 4

    rate: Annotated[
        float | None,
        Option(
            f"Frames per second; by default {LIVE_RATE:g} live, {PAGE_RATE:g} in a page",
            unit="Hz",
            least=LOWEST_RATE,
            most=HIGHEST_RATE,
        ),
    ] = None
    time: Annotated[float, Option("Time of the picture", unit="s", least=0)] = 0.0
    size: Annotated[str, Option("Size of pictures", unit="pixels", metavar="WxH")] = "1280x720"
    port: Annotated[
        int, Option("Port of the live page; 0 is any free one", least=0, most=65535)
    ] = 0
    no_open: Annotated[bool, Option("Print the address without opening a browser")] = False

    def prepared(self, outputs: Mapping[str, Path] | None = None) -> Self:
        """Refuse an engine that is not there, and a size that is none."""
        self._pixels()
        return self.with_engine()

    def is_live(self, outputs: Mapping[str, Path]) -> bool:
        """Tell whether the page is live: nothing is written."""
        return not outputs

    def load(self, sources: Sequence[Path]) -> Any:
        """Read a file; motion becomes a stick figure."""
        from ligament.files import name_text
        from ligament.gltf.load import load
        from ligament.rig.motion.bvh import read_bvh
        from ligament.rig.motion.bvh_motion import bone_map_of, motion_of_bvh
        from ligament.rig.motion.load import is_bvh
        from ligament.rig.motion.stick_figure import bvh_document, with_sticks

        file = sources[0]
        if not is_bvh(file):
            return load(file, limits=self.limits)
        bvh = read_bvh(file, limits=self.limits)
        found = bone_map_of(bvh)
        assumed = motion_of_bvh(bvh).assumed if found.bones else None
        unit = 1.0 if assumed is None else assumed.unit
        document = bvh_document(bvh, name=name_text(file.stem), unit=unit)
        return Shown(with_sticks(document, found), found)

    def run(self, subject: "AnyDocument") -> "EmbeddedPlayer | None":
        """Open a live page until it is interrupted; in a notebook, return a player.

        >>> view("door.glb", engine="mujoco")
        """
        from ligament.play.timeline import simulate
        from ligament.viewer.notebook import is_notebook, show

        if is_notebook():
            document = self.work(subject).document
            playing = {**self.part(Playing), **self.part(Length)}
            return show(document, simulate(document, rate=self.rate or PAGE_RATE, **playing))
        with contextlib.suppress(KeyboardInterrupt):
            for report in self.live(subject):
                print(*report.text)
        return None

    def live(self, subject: "AnyDocument") -> Iterator[Report]:
        """Open a live page, yield its address, and serve it until it is interrupted."""
        import webbrowser

        from ligament.viewer import Viewer  # the lookup raises MissingExtraError

        shown, rate = self.work(subject), self.rate or LIVE_RATE
        options = self.part(Playing)
        with Viewer(shown.document, port=self.port, rate=rate, **options) as viewer:
            yield Report(
                line="only this machine can open the page; stop with Ctrl+C",
                notes=_notes(shown),
                text=[viewer.url],
                data={"url": viewer.url},
            )
            if not self.no_open:
                webbrowser.open(viewer.url)
            viewer.run()

    def work(self, subject: Any) -> Shown:
        """Make visible what has no meshes but bones."""
        from ligament.gltf.load import as_document
        from ligament.rig.motion.gltf_skeleton import bone_map_of
        from ligament.rig.motion.stick_figure import with_sticks

        if isinstance(subject, Shown):
            return subject
        document = as_document(subject)
        if not (document.array("animations") or document.array("skins")):
            return Shown(document)
        found = bone_map_of(document)
        if not found.bones:
            return Shown(document)
        return Shown(document if document.array("meshes") else with_sticks(document, found), found)

    def save(self, subject: Any, result: Any, outputs: Mapping[str, Path]) -> Report:
        """Write a page and pictures."""
        from ligament import viewer  # the lookups of some names raise MissingExtraError

        document, notes, counts = result.document, _notes(result), {}
        options = {**self.part(Playing), **self.part(Length)}
        for name, path in outputs.items():
            if name == "html":
                rate = self.rate or PAGE_RATE
                counts["frames"] = viewer.save_page(document, path, rate=rate, **options)
                about = f"{counts['frames']} frames, opens in any browser"
            elif name == "png":
                viewer.save_picture(document, path, time=self.time, size=self._pixels(), **options)
                about = f"{self.size}, at {self.time:g} s"
            else:
                counts["frames"] = viewer.save_film(document, path, size=self._pixels(), **options)
                about = f"{counts['frames']} frames of {self.size}"
            notes.append(f"{path}: {about}")
        return Report(notes=notes, counts=counts)

    def _pixels(self) -> tuple[int, int]:
        """Return width and height of pictures."""
        found = re.fullmatch(r"([0-9]{1,5})x([0-9]{1,5})", self.size)
        if found is None:
            raise ArgumentError(f"size is {self.size[:40]!r}", remedy="give one like 1280x720")
        return int(found[1]), int(found[2])


def _notes(shown: Shown) -> list[str]:
    """Say which bones were found where the file does not."""
    from ligament.extensions.humanoid import vrm, vrmc_vrm

    declared = (vrmc_vrm.NAME, vrm.NAME)
    is_declared = any(shown.document.extension(name) is not None for name in declared)
    return [] if shown.bones is None or is_declared else [str(shown.bones)]


view = function(View)

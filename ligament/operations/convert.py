"""Convert: another container, dialect or format."""

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

from ligament.errors import StrictError, counted
from ligament.operations.operation import (
    GLB_ALIASES,
    GLTF,
    Operation,
    Reads,
    Report,
    Writes,
    function,
)
from ligament.options.groups import Dialect, Embedding, Reading, names_but_none
from ligament.options.names import MJCF_SUFFIX, USD_PACKAGE, USD_SUFFIXES
from ligament.options.option import Option

if TYPE_CHECKING:
    from ligament.gltf.load import AnyDocument
    from ligament.losses import Converted


@dataclasses.dataclass(frozen=True, kw_only=True)
class Convert(Embedding, Reading, Operation["AnyDocument", "Converted"]):
    """Write another container, dialect or format; list losses.

    A suffix of .xml writes the physics for MuJoCo (MJCF), with meshes in a folder beside it; .usda,
    .usdc and .usd write a USD stage with UsdPhysics, with textures in a folder beside it. Stages
    are read, too, and become KHR_physics_rigid_bodies; losses are then located by prim.
    """

    command = "convert"
    example = "ligament convert door.glb door.xml"
    reads = Reads(
        "in",
        "A .gltf, .glb, .vrm, .vrma, .usda, .usdc, .usd or .usdz file",
        (*GLTF, *USD_SUFFIXES, USD_PACKAGE),
    )
    writes = (
        Writes(
            "out",
            "The file to write, in the format of its suffix",
            (".glb", ".gltf", *GLB_ALIASES, MJCF_SUFFIX, *USD_SUFFIXES),
            is_positional=True,
            keeps_suffix=True,
            beside={MJCF_SUFFIX: "_meshes", **dict.fromkeys(USD_SUFFIXES, "_textures")},
        ),
        Writes("losses", "The losses, as a JSON list", (".json",), ".losses.json", True),
    )

    to: Dialect = dataclasses.field(default=None, kw_only=False)
    normalize: Annotated[
        bool, Option("Rewrite an avatar so that all rest rotations are identity")
    ] = False
    license_url: Annotated[
        str | None,
        Option(
            "The licence URL that VRM 1.0 requires, as the avatar's owner states it", metavar="URL"
        ),
    ] = None
    strict: Annotated[bool, Option("Fail if anything is lost, with exit status 1")] = False
    animations: Annotated[
        str | Sequence[str] | None,
        Option(
            "MJCF and USD: only this animation counts; with 'none' the bodies that animations "
            "drive are free",
            flags=("--animation",),
            typed=names_but_none,
        ),
    ] = None

    def prepared(self, outputs: Mapping[str, Path] | None = None) -> Self:
        """Refuse a dialect that does not exist."""
        from ligament.conversion.targets import converter

        if self.to is not None:
            converter(self.to)
        return self

    def load(self, sources: Sequence[Path]) -> Any:
        """Read glTF, or a USD stage, which has losses of its own."""
        from ligament.conversion.formats import read

        return read(sources[0], limits=self.limits)

    def run(self, subject: "AnyDocument") -> "Converted":
        """Return a copy of a document in another dialect, and its losses.

        Unrelated content stays in place, unknown members are kept, and content that the dialect
        cannot express is listed as a `Loss`.

        >>> result = convert(load("door.glb"), to="omi")
        >>> for loss in result.losses:
        ...     print(loss)
        """
        result = self.work(subject)
        if self.strict and result.losses:
            lost = counted(len(result.losses), "loss", "losses")
            raise StrictError(
                f"the conversion has {lost}: {result.losses[0]}", losses=result.losses
            )
        return result

    def work(self, subject: Any) -> "Converted":
        """Convert a document; what it lost when it was read comes first."""
        from ligament.conversion.normalize import normalize
        from ligament.conversion.targets import convert as converted
        from ligament.gltf.load import as_document
        from ligament.losses import Converted

        given = subject if isinstance(subject, Converted) else Converted(as_document(subject))
        result = converted(given.document, self.to, license_url=self.license_url)
        document = normalize(result.document) if self.normalize else result.document
        return Converted(document, (*given.losses, *result.losses))

    def save(self, subject: Any, result: Any, outputs: Mapping[str, Path]) -> Report:
        """Write the file in the format of its suffix: all that the dialect can express."""
        from json import dumps

        from ligament.conversion.formats import write
        from ligament.files import write_atomic
        from ligament.losses import lines_of

        out = outputs["out"]
        unwritten = write(result.document, out, embed=self.embed, animations=self.animations)
        lost = (*result.losses, *unwritten)
        losses = [dataclasses.asdict(loss) for loss in lost]
        if "losses" in outputs:
            write_atomic(outputs["losses"], [dumps(losses, indent=1).encode()])
        fault = counted(len(losses), "loss", "losses")
        return Report(
            line=_advice(out),
            counts={"losses": len(losses)},
            shortfall=fault if self.strict and losses else None,
            text=[*lines_of(lost)],
            data=losses,
        )


def _advice(out: Path) -> str:
    """Say how to use an output where that is not obvious."""
    if out.suffix.lower() != MJCF_SUFFIX:
        return ""
    from ligament.conversion.mjcf import start_advice

    return start_advice(out) or ""


convert = function(Convert)

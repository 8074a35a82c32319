"""Opening a stage from a stranger: which files it may name, how deep and how large it may be."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from pxr import Ar, Sdf, Tf, Usd

from ligament.convert.usd.reading.census import MAX_DEPTH, Census
from ligament.errors import ContentError, FileError, FormatError, LimitError
from ligament.gltf.storage import uris
from ligament.limits import Limits

SUFFIXES = (".usd", ".usda", ".usdc", ".usdz")

MAX_LAYERS = 10_000
"""How many files a stage may be made of."""

_SESSION = re.compile(r",@anon:[^@]*@")
_FOLDERS = re.compile(r"@/[^@]*/(?=[^@/]*@)")
_PLACE = re.compile(r"In <(?P<path>/[^>]*)>: (?P<said>.*)")
_TUPLE = re.compile(rb"""\([^()\[\]{}"'@#]*\)""")
_TOKEN = re.compile(
    rb'"""(?:\\.|[^\\])*?"""|\'\'\'(?:\\.|[^\\])*?\'\'\'|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    rb"|@@@.*?@@@|@[^@\n]*@|#[^\n]*|[\[({]|[\])}]",
    re.DOTALL,
)


class BinaryLayerError(Exception):
    """A layer is not text, and its reader is not to be trusted in this process."""


def open_stage(path: Path, folders: Sequence[Path], limits: Limits, *, binary: bool) -> Any:
    """Open a stage of which every layer lies in some folders, the first of which is its own.

    All layers are looked at before USD composes them. Raises LigamentError for what it cannot be,
    and BinaryLayerError where a layer is `binary` and may not be.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise FormatError(
            f"{path.suffix!r} is no suffix of USD", remedy=f"use {', '.join(SUFFIXES)}"
        )
    gathering = _Gathering(folders, limits, binary=binary)
    root = gathering.gather(path)
    Census(gathering.layers).check(root, limits)
    return Usd.Stage.Open(root, None, Usd.Stage.LoadAll)


def readable_asset(resolved: str, allowed: Sequence[Path], *, limit: int) -> bytes:
    """Return the bytes of a file, or of a file in a package, below allowed folders."""
    outer = Ar.SplitPackageRelativePathOuter(resolved)[0]
    path = uris.resolve(outer, allowed[0], allowed)
    if not os.path.isfile(path):  # noqa: PTH113  (unlike Path.is_file, also of names too long)
        raise FileError("there is no such file", file=path, remedy="check the path")
    if path.stat().st_size == 0:
        raise FormatError("the file is empty", file=path, remedy="check where it comes from")
    asset = Ar.GetResolver().OpenAsset(Ar.ResolvedPath(resolved))
    if asset is None:
        raise FileError("it cannot be opened", file=path, remedy="check its permissions")
    if asset.GetSize() > limit:
        raise LimitError(
            f"the file has {asset.GetSize()} bytes", file=path, remedy=f"up to {limit} are read"
        )
    return bytes(asset.GetBuffer() or b"")


class _Gathering:
    """Opens layers one by one, each of them after a look at its bytes."""

    def __init__(self, allowed: Sequence[Path], limits: Limits, *, binary: bool) -> None:
        self.allowed, self.limits, self.binary = allowed, limits, binary
        self.layers: dict[tuple[str, str], Any] = {}
        self._opened: dict[str, Any] = {}

    def gather(self, path: Path) -> Any:
        """Open a layer and all that it is made of."""
        root = self._open(os.path.realpath(path))
        waiting, done = [root], {root.identifier}
        while waiting:
            layer = waiting.pop()
            for asset in layer.GetCompositionAssetDependencies():
                found = self._named(layer, asset)
                if found is None:
                    continue
                self.layers[layer.identifier, asset] = found
                if found.identifier not in done:
                    done.add(found.identifier)
                    waiting.append(found)
        return root

    def _named(self, layer: Any, asset: str) -> Any:
        """Open what a layer names; None where there is nothing, of which USD tells itself."""
        if asset.startswith("`") or ":SDF_FORMAT_ARGS:" in asset:
            raise ContentError(
                f"the asset path {asset[:60]!r} is worked out by USD",
                file=layer.realPath,
                remedy="flatten the stage (usdcat --flatten)",
            )
        outer, inner = Ar.SplitPackageRelativePathOuter(layer.realPath)
        if not inner:
            uris.resolve(asset, Path(outer).parent, self.allowed)
        resolved = str(Ar.GetResolver().Resolve(layer.ComputeAbsolutePath(asset)))
        if not resolved or Path(resolved.rstrip("]")).suffix.lower() not in SUFFIXES:
            return None
        return self._open(resolved)

    def _open(self, resolved: str) -> Any:
        if resolved not in self._opened:
            if len(self._opened) >= MAX_LAYERS:
                raise LimitError(
                    f"the stage has over {MAX_LAYERS} layers", remedy="flatten the stage"
                )
            self._look(resolved)
            layer = Sdf.Layer.FindOrOpen(resolved)
            if layer is None:
                raise FormatError("it is no layer of USD", file=resolved, remedy="check the file")
            layer.Reload()
            self._opened[resolved] = layer
        return self._opened[resolved]

    def _look(self, resolved: str) -> None:
        content = readable_asset(resolved, self.allowed, limit=self.limits.file_bytes)
        try:
            is_package = content.startswith(b"PK\x03\x04")
            if not self.binary and (is_package or content.startswith(b"PXR-USDC")):
                raise BinaryLayerError(resolved)
            if is_package:
                self._look_into_package(resolved)
            elif not content.startswith(b"PXR-USDC"):
                self.limits.require("text_bytes", len(content), "bytes of text")
                _refuse_depth(content)
        except LimitError as fault:
            raise fault.located(resolved) from None

    def _look_into_package(self, resolved: str) -> None:
        package = Sdf.ZipFile.Open(resolved)
        for name in package.GetFileNames() if package else ():
            if Path(name).suffix.lower() in (".usd", ".usda"):
                self._look(Ar.JoinPackageRelativePath(resolved, name))


def _refuse_depth(text: bytes) -> None:
    """Raise LimitError where brackets nest deeper than the parser of USD has stack for."""
    depth = 0
    for match in _TOKEN.finditer(_TUPLE.sub(b"", text)):
        token = match.group()
        if token in b"[({":
            depth += 1
        elif token in b"])}":
            depth = max(depth - 1, 0)
        if depth > MAX_DEPTH:
            raise LimitError(
                f"brackets nest over {MAX_DEPTH} deep", remedy=f"up to {MAX_DEPTH} are read"
            )


def _readable(say: Callable[[], object]) -> str:
    """Return what USD says; it quotes bytes of the file that may be no text at all."""
    try:
        return str(say())
    except UnicodeDecodeError:
        return "it holds bytes that are no UTF-8 text"


def first_line(fault: Tf.ErrorException | str) -> str:
    """Return what an error of USD says, without the places in its own source."""
    said = _readable(lambda: fault).splitlines()
    lines = [line.partition(" : ")[2] or line for line in said if line.strip()]
    text = " ".join(" ".join(lines[:1]).strip(" '").split())
    return text if len(text) <= 200 else f"{text[:120]} ... {text[-60:]}"


def told(diagnostics: Iterable[Any]) -> list[tuple[str, str]]:
    """Return the paths of prims that USD warned of, and what it said, each once."""
    found: dict[tuple[str, str], None] = {}
    for each in diagnostics:
        said = _readable(partial(getattr, each, "commentary"))
        text = " ".join(said.partition(" (instantiating stage")[0].split())
        text = _FOLDERS.sub("@", _SESSION.sub("", text))
        match = _PLACE.match(text)
        place, said = (match["path"], match["said"]) if match else ("/", text)
        found[place, first_line(said)] = None
    return list(found)

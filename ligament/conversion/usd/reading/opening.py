"""Opening of untrusted stages: allowed files, limits of depth and size.

Prims are counted before USD composes them, since references multiply: ten layers that each name
the next one ten times are ten thousand million prims.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pxr import Ar, Sdf, Usd

from ligament.errors import ContentError, FileError, FormatError, LimitError
from ligament.gltf.storage import uris
from ligament.limits import Limits

SUFFIXES = (".usd", ".usda", ".usdc", ".usdz")

MAX_LAYERS = 10_000
"""Most files of a stage."""

_TUPLE = re.compile(rb"""\([^()\[\]{}"'@#]*\)""")
_TOKEN = re.compile(
    rb'"""(?:\\.|[^\\])*?"""|\'\'\'(?:\\.|[^\\])*?\'\'\'|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    rb"|@@@.*?@@@|@[^@\n]*@|#[^\n]*|[\[({]|[\])}]",
    re.DOTALL,
)
MAX_DEPTH = 200
"""Deepest nesting of prims and references."""

MAX_PACKAGES = 8
"""Deepest nesting of packages."""

Layers = Mapping[tuple[str, str], Any]
"""The layer behind every asset path, by the layer that names it (its identifier) and that path."""


class BinaryLayerError(Exception):
    """A layer is binary, and its parser could crash this process."""


def open_stage(path: Path, folders: Sequence[Path], limits: Limits, *, binary: bool) -> Any:
    """Open a stage whose layers all lie in given folders, the first of which is its own.

    All layers are inspected before USD composes them. Raises LigamentError for invalid layers, and
    BinaryLayerError for a binary one unless `binary` layers are allowed.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise FormatError(
            f"{path.suffix!r} is not a suffix of USD", remedy=f"use {', '.join(SUFFIXES)}"
        )
    try:
        os.path.realpath(path).encode()
    except UnicodeEncodeError:
        encoding = sys.getfilesystemencoding()
        message = f"USD reads paths in UTF-8 only, and this one is not text in {encoding}"
        remedy = "set PYTHONUTF8=1, or move it to a path in ASCII"
        raise FileError(message, file=path, remedy=remedy) from None
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
    """Opens layers one by one, after inspecting their bytes."""

    def __init__(self, allowed: Sequence[Path], limits: Limits, *, binary: bool) -> None:
        self.allowed, self.limits, self.binary = allowed, limits, binary
        self.layers: dict[tuple[str, str], Any] = {}
        self._opened: dict[str, Any] = {}

    def gather(self, path: Path) -> Any:
        """Open a layer and all layers that it depends on."""
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
        """Open an asset of a layer; None where it is missing, which USD reports itself."""
        if asset.startswith("`") or ":SDF_FORMAT_ARGS:" in asset:
            raise ContentError(
                f"the asset path {asset[:60]!r} is computed by USD",
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
                raise FormatError("it is not a USD layer", file=resolved, remedy="check the file")
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
        if resolved.count("[") >= MAX_PACKAGES:
            raise LimitError("packages are nested", remedy=f"up to {MAX_PACKAGES} levels are read")
        package = Sdf.ZipFile.Open(resolved)
        for name in package.GetFileNames() if package else ():
            if Path(name).suffix.lower() in (".usd", ".usda"):
                self._look(Ar.JoinPackageRelativePath(resolved, name))


def _refuse_depth(text: bytes) -> None:
    """Raise LimitError where brackets nest too deep for the stack of USD's parser."""
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


# --- the count of prims ---


class Census:
    """Counts prims, including those of references, payloads, inherits and variants."""

    def __init__(self, layers: Layers) -> None:
        self._layers = layers
        self._known: dict[tuple[str, str], int] = {}
        self._stacks: dict[str, list[Any]] = {}

    def check(self, root: Any, limits: Limits) -> None:
        """Raise LimitError where the stage of a root layer would be too large to compose."""
        count = self._count(root, Sdf.Path.absoluteRootPath, 0)
        limits.require("prims", count, "prims, with those that references bring")

    def _count(self, root: Any, path: Any, depth: int) -> int:
        """Return an upper bound on the prims at and below a path of a layer stack."""
        key = (root.identifier, str(path))
        if key in self._known:
            return self._known[key]
        if depth > MAX_DEPTH:
            raise LimitError(
                f"prims and references are nested {depth} deep",
                pointer=str(path)[:80],
                remedy=f"up to {MAX_DEPTH} levels are read",
            )
        self._known[key] = 0  # cycles of references, which USD breaks, count as nothing
        specs = [spec for layer in self._stack(root) if (spec := layer.GetPrimAtPath(path))]
        names = dict.fromkeys(name for spec in specs for name in _children(spec))
        total = 1 + sum(self._count(root, _below(path, name), depth + 1) for name in names)
        for target_root, target in self._arcs(root, specs):
            total += self._count(target_root, target, depth + 1)
        self._known[key] = total
        return total

    def _arcs(self, root: Any, specs: list[Any]) -> Iterator[tuple[Any, Any]]:
        """Yield the layer and path of every composition arc."""
        for spec in specs:
            if spec.HasInfo("clips"):
                raise ContentError(
                    "value clips are not read",
                    pointer=str(spec.path),
                    remedy="flatten the stage (usdcat --flatten) to include them",
                )
            for item in (*_items(spec.referenceList), *_items(spec.payloadList)):
                target = root
                if item.assetPath:
                    target = self._layers.get((spec.layer.identifier, item.assetPath))
                if target is not None:
                    yield target, self._existing(target, item.primPath or _default(target))
            for other in (*_items(spec.inheritPathList), *_items(spec.specializesList)):
                yield root, self._existing(root, other)

    def _existing(self, root: Any, path: Any) -> Any:
        """Return a path, or its nearest ancestor that a layer describes."""
        while path != Sdf.Path.absoluteRootPath and not any(
            layer.GetPrimAtPath(path) for layer in self._stack(root)
        ):
            path = path.GetParentPath() if path else Sdf.Path.absoluteRootPath
        return path

    def _stack(self, root: Any) -> list[Any]:
        """Return a layer and all its sublayers, without duplicates."""
        if root.identifier not in self._stacks:
            found, waiting = {root.identifier: root}, [root]
            while waiting:
                layer = waiting.pop()
                for name in layer.subLayerPaths:
                    below = self._layers.get((layer.identifier, name))
                    if below is not None and below.identifier not in found:
                        found[below.identifier] = below
                        waiting.append(below)
            self._stacks[root.identifier] = list(found.values())
        return self._stacks[root.identifier]


def _children(spec: Any) -> Iterator[str]:
    """Yield the names of children; those of a variant with the variant in front."""
    yield from (child.name for child in spec.nameChildren)
    for set_name, variants in spec.variantSets.items():
        yield from (f"{{{set_name}={variant}}}" for variant, _ in variants.variants.items())


def _below(path: Any, name: str) -> Any:
    if name.startswith("{"):
        set_name, _, variant = name[1:-1].partition("=")
        return path.AppendVariantSelection(set_name, variant)
    return path.AppendChild(name)


def _items(listed: Any) -> list[Any]:
    return list(listed.GetAddedOrExplicitItems())


def _default(layer: Any) -> Any:
    name = layer.defaultPrim
    return Sdf.Path(f"/{name}" if name and not name.startswith("/") else name or "/")

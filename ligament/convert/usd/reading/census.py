"""How many prims a stage will have, counted before USD composes it.

References multiply: ten layers that each name the next one ten times are ten thousand million
prims, which no count of the composed stage would live to tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pxr import Sdf

from ligament.errors import ContentError, LimitError
from ligament.limits import Limits

MAX_DEPTH = 200
"""How deep prims and references may stand in one another."""

Layers = Mapping[tuple[str, str], Any]
"""The layer behind every asset path, by the layer that names it (its identifier) and that path."""


class Census:
    """Counts prims, with those that references, payloads, inherits and variants bring."""

    def __init__(self, layers: Layers) -> None:
        self._layers = layers
        self._known: dict[tuple[str, str], int] = {}
        self._stacks: dict[str, list[Any]] = {}

    def check(self, root: Any, limits: Limits) -> None:
        """Raise LimitError where the stage of a root layer would be too large to compose."""
        count = self._count(root, Sdf.Path.absoluteRootPath, 0)
        limits.require("prims", count, "prims, with those that references bring")

    def _count(self, root: Any, path: Any, depth: int) -> int:
        """Return how many prims are at and below a path of a layer stack, at most."""
        key = (root.identifier, str(path))
        if key in self._known:
            return self._known[key]
        if depth > MAX_DEPTH:
            raise LimitError(
                f"prims and references stand {depth} deep in one another",
                pointer=str(path)[:80],
                remedy=f"up to {MAX_DEPTH} levels are read",
            )
        self._known[key] = 0  # a circle of references, which USD cuts, counts for nothing
        specs = [spec for layer in self._stack(root) if (spec := layer.GetPrimAtPath(path))]
        names = dict.fromkeys(name for spec in specs for name in _children(spec))
        total = 1 + sum(self._count(root, _below(path, name), depth + 1) for name in names)
        for target_root, target in self._arcs(root, specs):
            total += self._count(target_root, target, depth + 1)
        self._known[key] = total
        return total

    def _arcs(self, root: Any, specs: list[Any]) -> Iterator[tuple[Any, Any]]:
        """Yield the layer and path of everything that opinions bring in from elsewhere."""
        for spec in specs:
            if spec.HasInfo("clips"):
                raise ContentError(
                    "value clips are not read",
                    pointer=str(spec.path),
                    remedy="flatten the stage (usdcat --flatten) to take them in",
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
        """Return a path, or the nearest above it that a layer itself describes."""
        while path != Sdf.Path.absoluteRootPath and not any(
            layer.GetPrimAtPath(path) for layer in self._stack(root)
        ):
            path = path.GetParentPath() if path else Sdf.Path.absoluteRootPath
        return path

    def _stack(self, root: Any) -> list[Any]:
        """Return a layer and all its sublayers, each once."""
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

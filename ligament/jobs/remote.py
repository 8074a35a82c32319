"""Remote stores through fsspec: allowed protocols, listing, fetching."""

from __future__ import annotations

import contextlib
import dataclasses
import posixpath
import re
import urllib.parse
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from ligament.errors import (
    ContentError,
    FileError,
    LigamentError,
    LimitError,
    MissingExtraError,
    UnsafePathError,
    described,
)
from ligament.gltf.jsontext import decode
from ligament.gltf.references import read_index
from ligament.gltf.storage.byte_sources import BLOCK, is_data_uri
from ligament.gltf.storage.container import parse_container
from ligament.jobs.redirects import Redirects
from ligament.limits import DEFAULT, Limits

PROTOCOLS = frozenset(
    {
        *("file", "memory", "http", "https"),
        *("s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "adl"),
    }
)
"""Protocols allowed by default."""

PADDING_MAX = 1 << 24
"""Bytes by which a remote buffer may exceed twice its declared length."""

_URL = re.compile(r"^([a-zA-Z][a-zA-Z0-9+.-]+)://")
_SCHEME = re.compile(r"^[a-zA-Z][a-zA-Z0-9+.-]*:")


@dataclasses.dataclass(frozen=True)
class Access:
    """Protocols that may be read; `settings` are passed to fsspec for each (credentials).

    HTTP servers may redirect to their own URLs, and to `hosts`.
    """

    protocols: frozenset[str] = PROTOCOLS
    settings: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict, repr=False)
    hosts: frozenset[str] = frozenset()


def is_url(text: str) -> bool:
    """Tell a URL from a path; one letter before the colon is a drive."""
    return _URL.match(text) is not None


def shown(url: str) -> str:
    """Return a URL without its possible secrets: user, password, query, fragment."""
    parts = urllib.parse.urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}"


def url_parts(url: str) -> tuple[str, ...]:
    """Return the protocol, the host and the path segments of a URL."""
    parts = urllib.parse.urlsplit(shown(url))
    steps = urllib.parse.unquote(f"{parts.netloc}/{parts.path}").split("/")
    return (parts.scheme, *(step for step in steps if step))


def list_store(url: str, suffixes: frozenset[str], access: Access) -> tuple[str, list[str]]:
    """Return the root of a URL that names a folder or a pattern, and the files it expands to.

    A URL that names a file stands for itself; its existence is not checked here.
    """
    _require_allowed(url, access)
    if not _is_pattern(url) and Path(urllib.parse.urlsplit(url).path).suffix.lower() in suffixes:
        return url.rpartition("/")[0], [url]
    store, path = open_store(url, access)
    with store_errors(url):
        found = store.glob(path) if _is_pattern(url) else store.find(path)
        urls = [str(store.unstrip_protocol(name)) for name in found]
    root = url[: _first_magic(url)].rpartition("/")[0] if _is_pattern(url) else url.rstrip("/")
    return root, sorted(each for each in urls if Path(each).suffix.lower() in suffixes)


def fetch(
    url: str, folder: Path, access: Access, *, with_images: bool, limits: Limits = DEFAULT
) -> Path:
    """Copy a file into a folder, with the buffers and images that it references.

    Companions come from the folder of the file. `limits` bound what is copied.
    """
    name = url_parts(url)[-1]
    target = folder / name
    left = limits.fetched_bytes
    left -= _copy(url, target, access, min(left, limits.file_bytes))
    for uri, declared in _companions(target, with_images, limits).items():
        most = left if declared is None else min(left, 2 * declared + PADDING_MAX)
        left -= _fetch_companion(url, uri, folder, access, min(most, limits.file_bytes))
    return target


def _require_allowed(url: str, access: Access) -> str:
    """Return the protocol of a URL; ContentError unless it is allowed."""
    match = _URL.match(url)
    protocol = match[1].lower() if match else ""
    if "::" in url:
        raise ContentError("URLs may not be chained", file=shown(url), remedy="name one store")
    if protocol not in access.protocols:
        raise ContentError(
            f"the protocol {protocol!r} is not allowed",
            file=shown(url),
            remedy=f"allow it, or use one of {', '.join(sorted(access.protocols))}",
        )
    return protocol


def open_store(url: str, access: Access, *, base: str | None = None) -> tuple[Any, str]:
    """Return the file system of a URL and the path in it.

    HTTP servers may redirect to URLs below `base`, by default to all of their own.
    """
    protocol = _require_allowed(url, access)
    try:
        from fsspec.core import url_to_fs  # type: ignore[import-untyped]
    except ImportError as fault:
        remedy = "pip install ligament[remote]"
        raise MissingExtraError("remote stores need fsspec", remedy=remedy) from fault
    settings = dict(access.settings.get(protocol, {}))
    if _is_web(url):
        redirects = Redirects(base or urllib.parse.urljoin(url, "/"), access.hosts)
        settings.setdefault("get_client", redirects.make_client)
    with store_errors(url):
        store, path = url_to_fs(url, **settings)
    return store, path


@contextlib.contextmanager
def store_errors(
    url: str, what: str = "cannot be read", remedy: str = "check the URL"
) -> Iterator[None]:
    """Turn whatever a store raises into an error that names the URL."""
    try:
        yield
    except (LigamentError, MemoryError):
        raise
    except ImportError as fault:
        raise MissingExtraError(str(fault), file=shown(url)) from fault
    except Exception as fault:
        if isinstance(fault.__cause__, LigamentError):  # fsspec calls it a missing file
            raise fault.__cause__ from None
        raise FileError(f"{what} ({described(fault)})", file=shown(url), remedy=remedy) from fault


def _copy(url: str, target: Path, access: Access, most: int, base: str | None = None) -> int:
    """Copy a remote file of at most `most` bytes, whatever its server says; return how many."""
    store, path = open_store(url, access, base=base)
    target.parent.mkdir(parents=True, exist_ok=True)
    # A stream: in blocks, fsspec takes the answer to each as a whole, however long it is.
    options = {"block_size": 0} if _is_web(url) else {}
    with store_errors(url), store.open(path, "rb", **options) as source, open(target, "wb") as copy:
        for block in _blocks(source):
            if copy.tell() + len(block) > most:
                raise LimitError(
                    f"has more than {most} bytes",
                    file=shown(url),
                    remedy="if you trust it, raise --limit fetched_bytes=N (buffers: byteLength)",
                )
            copy.write(block)
        return copy.tell()


def _blocks(stream: IO[bytes]) -> Iterator[bytes]:
    while block := stream.read(BLOCK):
        yield block


def _companions(path: Path, with_images: bool, limits: Limits) -> dict[str, int | None]:
    """Return URI → declared bytes of the buffers and images of a glTF file; None: not declared.

    There are none for any other file, which its reader will report.
    """
    try:
        root = decode(parse_container(path.read_bytes(), limits=limits).text, limits=limits).root
    except LigamentError:
        return {}
    found: dict[str, int | None] = {}
    for name in ("images", "buffers") if with_images else ("buffers",):
        array = root.get(name)
        for raw in array if isinstance(array, list) else ():
            uri = raw.get("uri") if isinstance(raw, dict) else None
            if isinstance(uri, str) and not is_data_uri(uri):
                length = read_index(raw.get("byteLength")) if name == "buffers" else None
                found[uri] = None if length is None else max(length, found.get(uri) or 0)
    return found


def _fetch_companion(url: str, uri: str, folder: Path, access: Access, most: int) -> int:
    """Copy a referenced file; one that is missing is left for the reader to report."""
    place = _relative(uri)
    # Over HTTP the URI stays quoted; the query (a signature, say) belongs to the main file alone.
    base, name = (url.partition("?")[0], uri) if _is_web(url) else (url, place)
    home = base.rpartition("/")[0]
    try:
        return _copy(f"{home}/{name}", folder / place, access, most, home)
    except FileError:
        (folder / place).unlink(missing_ok=True)
        return 0


def _relative(uri: str) -> str:
    """Return the relative path of a URI, which may not leave the folder of its file."""
    path = urllib.parse.unquote(uri)
    steps = posixpath.normpath(path.replace("\\", "/"))
    leaves = steps.startswith(("/", "../")) or steps in ("..", ".")
    if leaves or _SCHEME.match(uri) or _SCHEME.match(path) or set(path) & set("\0?#"):
        raise UnsafePathError(
            f"the URI {uri[:60]!r} points outside the folder of the file",
            remedy="use a relative path below the file's folder",
        )
    return steps


def _is_pattern(url: str) -> bool:
    """Tell whether a URL is a glob; over HTTP a ? starts a query."""
    return any(sign in url for sign in ("*[" if _is_web(url) else "*?["))


def _is_web(url: str) -> bool:
    return url.partition(":")[0].lower() in ("http", "https")


def _first_magic(url: str) -> int:
    return min(place for sign in "*?[" if (place := url.find(sign)) >= 0)

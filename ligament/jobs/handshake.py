"""The handshake with each worker of a cluster, before its first task.

A worker takes part if it has the client's version of Ligament, sees the file that the client wrote
to the output folder, and can read the first input. Only plain values are exchanged, because
versions may differ; the task itself is unpickled only where they are equal.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
import platform
import secrets
import shutil
import socket
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ligament import __version__
from ligament.errors import FileError, LigamentError, described
from ligament.files import write_atomic
from ligament.jobs.folders import HANDSHAKE
from ligament.jobs.pool import Setup
from ligament.jobs.remote import is_url, open_store, shown
from ligament.jobs.stores import Store
from ligament.jobs.task import Task

if TYPE_CHECKING:
    from distributed import Client

PATIENCE = 15.0
"""Seconds that a worker may take to answer."""

SIGHT = 2.0
"""Seconds that a shared disk may take to show a new file."""

FREE_MIN = 1 << 24
"""Bytes that must be free on the disks of a worker."""


class Facts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A worker of a cluster; `fault` says why it takes no task.

    `free` is the space [bytes] on its fullest disk, of the output folder or of temporary files.
    """

    host: str
    version: str | None = None
    python: str | None = None
    free: int | None = None
    fault: str | None = None


@contextlib.contextmanager
def invitation(task: Task, setup: Setup) -> Iterator[dict[str, Any]]:
    """Yield the client's part of the handshake; a file in the output folder lasts as long.

    If the run is killed, the next one in this folder removes it as a leftover.
    """
    nonce = secrets.token_bytes(16)
    store = None if task.store is None else Store(task.store, task.access)
    file = Path(task.out_dir, HANDSHAKE)
    try:
        write_atomic(file, [nonce])
        if store is not None:
            store.put(file, HANDSHAKE)
        payload = pickle.dumps((task, setup))
        yield {
            "version": __version__,
            "nonce": nonce,
            "payload": payload,
            "reads": _reading_fault(task) is None,
        }
    finally:
        file.unlink(missing_ok=True)
        if store is not None:
            with contextlib.suppress(LigamentError):
                store.remove(HANDSHAKE)


async def ask(client: Client, address: str, question: dict[str, Any]) -> Facts | None:
    """Return the facts of a worker; None if it does not answer."""
    host = host_of(address)
    calling = client.run(greet, question, workers=[address], on_error="return")
    try:
        answer = (await asyncio.wait_for(calling, PATIENCE))[address]
    except (TimeoutError, OSError, KeyError):  # it is stopped, or has left
        return None
    if isinstance(answer, dict):
        return msgspec.convert(answer, Facts, strict=False)
    if isinstance(answer, OSError):
        return None
    reason = described(answer)  # Dask turns some exceptions into text
    if "ModuleNotFoundError" in reason:
        return Facts(host=host, fault="has no Ligament")
    return Facts(host=host, fault=f"has another Ligament than {__version__} ({reason})")


async def require_scheduler(client: Client) -> None:
    """Refuse a scheduler that cannot unpickle tasks."""
    remedy = f"install Ligament {__version__} where the scheduler runs, too"
    try:
        version = await client.run_on_scheduler(_version)
    except (ImportError, AttributeError) as fault:
        raise FileError("the cluster's scheduler has no Ligament", remedy=remedy) from fault
    if version != __version__:
        raise FileError(f"the cluster's scheduler has Ligament {version}", remedy=remedy)


def host_of(address: str) -> str:
    """Return the host of a worker's address."""
    return address.rpartition("://")[2].rpartition(":")[0] or address


# --- on a worker, or on the scheduler ---


async def greet(question: dict[str, Any]) -> dict[str, Any]:
    """Answer a client; disks that hang do not hold up the worker."""
    return await asyncio.to_thread(_answer, question)


def _version() -> str:
    return __version__


def _answer(question: dict[str, Any]) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "host": socket.gethostname(),
        "version": __version__,
        "python": platform.python_version(),
    }
    if question["version"] != __version__:
        fault = f"has Ligament {__version__}, not {question['version']}"
        return {**facts, "fault": fault}
    try:
        task, _ = pickle.loads(question["payload"])
    except Exception as fault:  # an import that fails may raise anything
        return {**facts, "fault": f"cannot load the work ({described(fault)})"}
    free = {folder: _free(folder) for folder in (task.out_dir, tempfile.gettempdir())}
    known = [count for count in free.values() if count is not None]
    return {**facts, "free": min(known, default=None), "fault": _fault(task, question, free)}


def _fault(task: Task, question: dict[str, Any], free: dict[str, int | None]) -> str | None:
    """Return why a worker cannot do the work."""
    try:
        if not _sees(task, question["nonce"]):
            return f"cannot see {task.out_dir if task.store is None else shown(task.store)}"
    except LigamentError as fault:
        return f"cannot see {fault}"
    if task.store is None and not os.access(task.out_dir, os.W_OK):
        return f"cannot write to {task.out_dir}"
    reason = _reading_fault(task) if question["reads"] else None
    if reason is not None:
        return f"cannot read {task.shown} ({reason})"
    for folder, count in free.items():
        if count is not None and count < FREE_MIN:
            return f"has only {count >> 10} KiB of free space in {folder}"
    return None


def _sees(task: Task, nonce: bytes) -> bool:
    """Tell whether the client's file is in the output folder."""
    deadline = time.monotonic() + SIGHT
    while _note(task) != nonce:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


def _note(task: Task) -> bytes | None:
    """Return the content of the client's file, None if there is none."""
    if task.store is not None:
        return Store(task.store, task.access).read(HANDSHAKE)
    try:
        return Path(task.out_dir, HANDSHAKE).read_bytes()
    except OSError:
        return None


def _reading_fault(task: Task) -> str | None:
    """Return why the first byte of an input cannot be read."""
    try:
        if is_url(task.source):
            store, path = open_store(task.source, task.access)
            store.info(path)
        else:
            with open(task.source, "rb") as stream:
                stream.read(1)
    except OSError as fault:
        return fault.strerror or type(fault).__name__
    except Exception as fault:  # a store may raise anything
        return described(fault)
    return None


def _free(folder: str) -> int | None:
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None

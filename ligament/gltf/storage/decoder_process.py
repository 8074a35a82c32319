"""Decoder process: a standalone program, which imports nothing from this library.

`python decoder_process.py PATH...` reads requests from stdin and answers on stdout, as messages of
`ligament.processes.channel`: a JSON object, then data or arrays. On Linux, once the decoders are
imported, the process keeps only its pipes and its memory: it can open no file or socket, and start
no process.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import platform
import struct
import sys
from collections.abc import Sequence
from typing import Any, BinaryIO

LENGTH = struct.Struct(">Q")

PACKAGES = {"meshopt": "meshopt", "draco": "DracoPy"}

# The numbers of the allowed calls on x86-64 and ARM: read, write, close, fstat, lseek, mmap,
# mprotect, munmap, brk, sigaction, sigprocmask, sigreturn, mremap, madvise, exit, futex,
# exit_group, clock_gettime, getrandom, sched_yield, gettid.
_CALLS = {
    "x86_64": (
        0xC000003E,
        (0, 1, 3, 5, 8, 9, 10, 11, 12, 13, 14, 15, 25, 28, 60, 202, 231, 228, 318, 24, 186),
    ),
    "aarch64": (
        0xC00000B7,
        (
            *(63, 64, 57, 80, 62, 222, 226, 215, 214, 134, 135, 139, 216, 233),
            *(93, 98, 94, 113, 278, 124, 178),
        ),
    ),
}
_LOAD, _JUMP_EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050001
_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2


def confine() -> bool:
    """Restrict this process to the listed system calls; return whether that is possible."""
    if sys.platform != "linux" or platform.machine() not in _CALLS:
        return False
    import ctypes

    architecture, calls = _CALLS[platform.machine()]
    # Each line is an operation, the jumps if equal and if not, and a value.
    lines = [(_LOAD, 0, 0, 4), (_JUMP_EQUAL, 1, 0, architecture), (_RETURN, 0, 0, _REFUSE)]
    lines.append((_LOAD, 0, 0, 0))
    for number in calls:
        lines += [(_JUMP_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ALLOW)]
    lines.append((_RETURN, 0, 0, _REFUSE))
    code = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *line) for line in lines))
    program = struct.pack("@HP", len(lines), ctypes.addressof(code))
    system = ctypes.CDLL(None)
    return bool(
        system.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0
        and system.prctl(_SECCOMP, _FILTER, ctypes.c_char_p(program), 0, 0) == 0
    )


def serve(stream: BinaryIO, out: BinaryIO) -> None:
    """Answer requests until the input ends."""
    found = {}
    for kind, name in PACKAGES.items():
        with contextlib.suppress(ImportError):
            found[kind] = importlib.import_module(name)
    importlib.import_module("numpy")
    _write(out, {"is_confined": confine()}, ())
    while head := stream.read(LENGTH.size):
        request = json.loads(stream.read(LENGTH.unpack(head)[0]))
        data = stream.read(LENGTH.unpack(stream.read(LENGTH.size))[0])
        try:
            answer, arrays = DECODERS[request["kind"]](found[request["kind"]], data, request)
        except MemoryError:
            answer, arrays = {"fault": "memory"}, ()
        except Exception as fault:  # each kind of C++ exception arrives as a different Python one
            kind = "memory" if "alloc" in str(fault) else "data"
            answer, arrays = {"fault": kind, "message": str(fault)[:200]}, ()
        _write(out, answer, arrays)


def _write(out: BinaryIO, answer: dict[str, Any], arrays: Sequence[Any]) -> None:
    forms = [[array.dtype.str, list(array.shape)] for array in arrays]
    text = json.dumps({**answer, "arrays": forms}).encode()
    out.write(LENGTH.pack(len(text)) + text)
    for array in arrays:
        out.write(LENGTH.pack(array.nbytes))
        out.write(memoryview(array).cast("B") if array.size else b"")
    out.flush()


def _meshopt(package: Any, data: bytes, request: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    layout = (request[name] for name in ("count", "stride", "mode", "filter"))
    return {}, [package.decode_gltf_buffer(data, *layout)]


def _draco(package: Any, data: bytes, request: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    import numpy as np

    mesh = package.decode(data)
    # DracoPy calls a mesh without triangles a point cloud, which has no faces.
    faces = np.ascontiguousarray(getattr(mesh, "faces", ()), dtype=np.uint32).reshape(-1)
    total = faces.nbytes + sum(each["data"].nbytes for each in mesh.attributes if _is_full(each))
    known = {each["unique_id"]: each for each in mesh.attributes}
    chosen = [known[number] for number in request["ids"] if number in known]
    full = [each for each in chosen if _is_full(each)]
    answer = {
        "total": total,
        "known": [*known][:100],
        "empty": [each["unique_id"] for each in chosen if not _is_full(each)],
        "types": {each["unique_id"]: each["data_type"] for each in full},
    }
    return answer, [faces, *(np.ascontiguousarray(each["data"]) for each in full)]


def _is_full(attribute: dict[str, Any]) -> bool:
    return attribute["data"] is not None


DECODERS = {"meshopt": _meshopt, "draco": _draco}


if __name__ == "__main__":
    sys.path[:] = sys.argv[1:]
    serve(sys.stdin.buffer, sys.stdout.buffer)

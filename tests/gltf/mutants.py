"""Files that are wrong in every way that could be thought of, the same ones in every run."""

from __future__ import annotations

import copy
import itertools
import random
import struct
from collections.abc import Iterator
from typing import Any

from tests.gltf.documents import PNG, data_uri, everything, glb_bytes, text_of

Mutant = tuple[str, bytes]
"""A file name and its content."""

WRONG_VALUES: list[Any] = [
    None, True, -1, 0, 1, 1.5, 7.0, 1e300, -1e39, 2**31, 2**53, 2**63, 10**30, "", "x", "../x",
    [], {}, [None], {"a": 1}, [[]], [1e300] * 16, [-1] * 4, [0] * 4, [[[0]]] * 3,
]  # fmt: skip

HOSTILE_URIS = [
    "..", "../x.bin", "a/../../x.bin", "/etc/passwd", "//host/share/x", "file:///etc/passwd",
    "file:x", "http://127.0.0.1/x.bin", "https://[", "file://[", "C:\\x.bin", "c:/x.bin",
    "C%3A/x", "..\\x.bin", "a\\..\\..\\x.bin", "\\\\host\\share", "%2e%2e/x.bin",
    "%2e%2e%2fx.bin", "..%5cx.bin", "%2Fetc%2Fpasswd", "a\0b", "a%00b", "", ".", "./", "~/x",
    "x" * 300, "x/" * 3000, "data:", "data:,", "data:;base64,", "data:;base64,?",
    "data:;base64,QQ", "data:x,%zz%", "DATA:,a", "CON", "\n", "é\U0001f600", "ftp:x",
    "javascript:x", "file:///", "/proc/self/mem", "/dev/zero",
]  # fmt: skip


def mutants(*, complete: bool) -> Iterator[Mutant]:
    """All mutants; unless `complete`, one wrong value for every third member."""
    root, binary = everything()
    for group, files in {
        "cut": _truncated(root, binary),
        "flip": _flipped(root, binary, count=2000 if complete else 30),
        "type": _wrong_types(root, binary, complete=complete),
        "gone": _without_member(root, binary, complete=complete),
        "uri": _hostile_uris(root, binary),
        "shape": _misshapen(),
    }.items():
        for number, (suffix, content) in enumerate(files):
            yield f"{group}-{number:05}{suffix}", content


def _truncated(root: Any, binary: bytes) -> Iterator[Mutant]:
    whole = glb_bytes(root, binary, (0x12345678, b"unknown!"))
    text = len(text_of(root))
    text += -text % 4
    ends = {20 + text, 20 + text + 8, len(whole) - 16}
    places = {0, 1, 3, 4, 8, 11, 12, 16, 19, 20, 21, len(whole) - 1, len(whole) - 5}
    places |= {end + step for end in ends for step in (-1, 0, 1, 4)}
    places |= set(range(40, len(whole), len(whole) // 17))
    for place in sorted(places):
        yield ".glb", whole[:place]
        if place > 12:  # a header that agrees with the cut, so that the chunks are at fault
            yield ".glb", whole[:8] + struct.pack("<I", place) + whole[12:place]
    plain = text_of(root)
    for place in range(0, len(plain), len(plain) // 40):
        yield ".gltf", plain[:place]


def _flipped(root: Any, binary: bytes, count: int) -> Iterator[Mutant]:
    dice = random.Random(20)
    for suffix, whole in ((".glb", glb_bytes(root, binary)), (".gltf", text_of(root))):
        for _ in range(count):
            damaged = bytearray(whole)
            for _ in range(dice.choice((1, 1, 2, 8))):
                place = dice.choice((dice.randrange(len(whole)), dice.randrange(32)))
                damaged[place] ^= 1 << dice.randrange(8)
            yield suffix, bytes(damaged)


def _wrong_types(root: Any, binary: bytes, *, complete: bool) -> Iterator[Mutant]:
    """Every member of the document replaced by values of every kind."""
    values = itertools.cycle(WRONG_VALUES)
    for path in _members(root, complete=complete):
        for value in itertools.islice(values, len(WRONG_VALUES) if complete else 1):
            yield ".glb", glb_bytes(_replaced(root, path, value), binary)


def _without_member(root: Any, binary: bytes, *, complete: bool) -> Iterator[Mutant]:
    for path in _members(root, complete=complete):
        changed = copy.deepcopy(root)
        del _holder(changed, path)[path[-1]]
        yield ".glb", glb_bytes(changed, binary)


def _hostile_uris(root: Any, binary: bytes) -> Iterator[Mutant]:
    for uri in HOSTILE_URIS:
        yield ".gltf", text_of(_replaced(root, ("buffers", 0, "uri"), uri))
        yield ".gltf", text_of(_replaced(root, ("buffers", 1, "uri"), uri))
        yield ".glb", glb_bytes(_replaced(root, ("images", 1, "uri"), uri), binary)


def _misshapen() -> Iterator[Mutant]:
    """Nesting, numbers of things, cycles, zeros that no bytes back, odd containers."""
    head = b'{"asset":{"version":"2.0"},'
    for depth in (300, 700, 940, 1200, 100_000):
        yield ".gltf", head + b'"extras":' + b"[" * depth + b"]" * depth + b"}"
        yield (
            ".gltf",
            head + b'"nodes":[{"extras":' + b'{"a":' * depth + b"1" + b"}" * depth + b"}]}",
        )
        yield ".gltf", head + b'"nodes":[{"children":' + b"[" * depth + b"]" * depth + b"}]}"
        yield ".gltf", head + b'"extras":' + b"[" * depth
    yield ".gltf", text_of({"nodes": [{"children": [i + 1]} for i in range(3000)] + [{}]})
    yield ".gltf", text_of({"nodes": [{"children": [i]} for i in range(30_000)]})
    yield ".gltf", text_of({"nodes": [{"children": [i ^ 1]} for i in range(30_000)]})
    yield ".gltf", text_of({"nodes": [{"children": [0] * 30_000}, {}]})
    yield (
        ".gltf",
        text_of({"nodes": [{"scale": [1e38] * 3, "children": [i + 1]} for i in range(99)]}),
    )
    yield (
        ".gltf",
        text_of({"nodes": [{"matrix": [1e200] * 16}, {"rotation": [1e200, 1e-320, 0, 0]}]}),
    )
    for count, kind, code in itertools.product(
        (1, 10**6, 5 * 10**6, 10**7, 2**31, 2**52), ("SCALAR", "MAT4"), (5120, 5126)
    ):
        yield ".gltf", text_of(_unbacked(count, kind, code))
    for length in (0, 1, 2**31, 2**52, 2**53, 2**64):
        yield (
            ".glb",
            glb_bytes(_one_view({"byteLength": length}, {"buffer": 0, "byteLength": 4}), PNG),
        )
        for name in ("byteLength", "byteOffset", "byteStride"):
            view = {"buffer": 0, "byteLength": 16, name: length}
            yield ".glb", glb_bytes(_one_view({"byteLength": len(PNG)}, view), PNG)
    yield ".gltf", text_of(_not_finite())
    yield ".gltf", b"\xef\xbb\xbf" + text_of({"asset": {"version": "2.0"}})
    yield ".gltf", '{"asset":{}}'.encode("utf-16")
    yield ".gltf", b'{"a":1,"a":2}'
    yield ".gltf", b'{"a":"\\ud800"}'
    yield ".gltf", b'{"a":"\xed\xa0\x80"}'
    yield ".gltf", b'{"a":' + b"9" * 6000 + b"}"
    yield ".gltf", b'{"a":1e999,"b":NaN}'
    yield ".gltf", b"[]"
    yield ".gltf", b""
    yield ".glb", glb_bytes({}, b"", (0x004E4942, b"again"), (1, b""))
    yield ".glb", glb_bytes({"buffers": [{"byteLength": 4}]}, b"") + b"trailing"
    yield ".glb", struct.pack("<4sII", b"glTF", 1, 12)
    yield ".glb", struct.pack("<4sII", b"glTF", 2, 0)


def _unbacked(count: int, kind: str, code: int) -> dict[str, Any]:
    """Zeros without a byte behind them, used by everything that reads an accessor."""
    zeros = {"count": count, "type": kind, "componentType": code, "normalized": code != 5126}
    points = zeros | {"type": "VEC3"}
    sparse = {
        "count": 1,
        "indices": {"bufferView": 0, "componentType": 5121},
        "values": {"bufferView": 0},
    }
    sampler = {"input": 0, "output": 0}
    return {
        "buffers": [{"byteLength": 64, "uri": data_uri(bytes(64))}],
        "bufferViews": [{"buffer": 0, "byteLength": 64}],
        "accessors": [zeros, points, zeros | {"sparse": sparse}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 1}}]}],
        "nodes": [{}],
        "animations": [
            {
                "samplers": [sampler],
                "channels": [{"sampler": 0, "target": {"node": 0, "path": "weights"}}],
            }
        ],
    }


def _one_view(buffer: dict[str, Any], view: dict[str, Any]) -> dict[str, Any]:
    accessor = {"bufferView": 0, "componentType": 5121, "count": 4, "type": "SCALAR"}
    return {"buffers": [buffer], "bufferViews": [view], "accessors": [accessor]}


def _not_finite() -> dict[str, Any]:
    numbers = struct.pack("<4f", 1, float("nan"), float("inf"), 1)
    root = _one_view({"byteLength": 16, "uri": data_uri(numbers)}, {"buffer": 0, "byteLength": 16})
    root["accessors"][0]["componentType"] = 5126
    return root


def _members(root: Any, *, complete: bool) -> Iterator[tuple[Any, ...]]:
    return itertools.islice(_paths(root), 0, None, 1 if complete else 3)


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        yield (*path, key)
        if isinstance(item, (dict, list)):
            yield from _paths(item, (*path, key))


def _holder(root: Any, path: tuple[Any, ...]) -> Any:
    for key in path[:-1]:
        root = root[key]
    return root


def _replaced(root: Any, path: tuple[Any, ...], value: Any) -> Any:
    changed = copy.deepcopy(root)
    _holder(changed, path)[path[-1]] = value
    return changed

"""Compressed data against its originals, against vectors put together by hand, and against harm.

meshopt and DracoPy encode the data for the round trips. Since an encoder and its own decoder can
agree and both be wrong, the meshopt streams below are also written out byte by byte from
Appendices A and B of KHR_meshopt_compression.
"""

from __future__ import annotations

import json
import struct
import sys
from types import SimpleNamespace
from typing import Any

import DracoPy
import meshopt
import numpy as np
import numpy.typing as npt
import pytest

from ligament.errors import ContentError, FormatError, LigamentError, LimitError, MissingExtraError
from ligament.gltf.storage import compression, decoder_process
from ligament.gltf.storage.compression import decode_draco, decode_meshopt
from ligament.gltf.storage.decoders import Decoded

Array = npt.NDArray[Any]

SIGNED_DRACO = bytes.fromhex(
    "445241434f020201000000020401000102020103010500090300000401030001040302000204040400030202040004"
    "00010101010000000000000000000000000000803f0000000000000000000000000000803f000000000000803f0000"
    "803f0000000000010100090b011003011007012003002890fd000a51ef130c182681ffffff7f00000000010100110f"
    "01102b013003002882fdff0000f5fffeff0700f9ffb40180ffffff7f000000010100110301100b0110270120030"
    "0dc8f010000000a00feff040004000300f5ffd031f500000000ffff000000010100090301100b0110070120030"
    "0dc8f01000afe040403f5d031f500000000ff000000"
)
"""Two triangles by the encoder of the npm package draco3d: DracoPy encodes no signed integers.

Sequential encoding at speed 10: id 0 float32 positions, then by AddInt8Attribute,
AddInt16Attribute and AddUInt16Attribute the arrays that the test names, and uint8 colours.
"""


def layout(mode: str, count: int, stride: int, *, filter_: str = "NONE") -> dict[str, Any]:
    return {"buffer": 0, "count": count, "byteStride": stride, "mode": mode, "filter": filter_}


def decode(data: bytes, extension: dict[str, Any], dtype: str) -> Array:
    rows = np.frombuffer(decode_meshopt(memoryview(data), extension), dtype)
    return rows.reshape(extension["count"], -1)


def walk(rng: np.random.Generator, count: int, stride: int) -> Array:
    """Rows of bytes whose neighbours are alike, as those of a mesh are."""
    steps = rng.integers(-9, 10, (count, stride // 2)).astype(np.int16)
    return np.cumsum(steps, axis=0, dtype=np.int16)


def grid(side: int) -> tuple[Array, Array]:
    """A wavy square: (side², 3) positions and (2 · (side - 1)², 3) triangles."""
    x, y = np.meshgrid(np.arange(side), np.arange(side))
    positions = np.stack([x, y, np.sin(x * 0.3) * np.cos(y * 0.2)], -1).reshape(-1, 3)
    corner = (np.arange(side - 1)[:, None] * side + np.arange(side - 1)).reshape(-1, 1)
    faces = corner + np.array([0, 1, side, 1, side + 1, side])
    return positions.astype(np.float32), faces.reshape(-1, 3).astype(np.uint32)


def one_element(element: bytes) -> bytes:
    """A version 0 attribute stream of one element: no deltas, and the element as the baseline."""
    return b"\xa0" + bytes(len(element)) + element.rjust(32, b"\0")


# --- meshopt: what the appendices say -----------------------------------------------------------


def test_attributes_decode_the_deltas_that_the_specification_prints() -> None:
    sentinels = bytes.fromhex("175ff0bc77a9210034b5")
    deltas = [-1, -4, -3, 26, -91, 0, -6, 6, -4, -4, 5, -5, 1, -1, 0, 0]
    stream = b"\xa0" + b"\x02" + sentinels + bytes(3) + bytes([7, 8, 9, 10]).rjust(32, b"\0")
    decoded = decode(stream, layout("ATTRIBUTES", 16, 4), "u1")
    assert np.array_equal(decoded[:, 0], (7 + np.cumsum(deltas)) % 256)
    assert np.array_equal(decoded[:, 1:], np.tile([8, 9, 10], (16, 1)))


def test_version_1_decodes_literal_two_byte_and_rotated_deltas() -> None:
    """Stride 8: channel 0 in 2-byte deltas, channel 1 in 4-byte XOR rotated by 8 bits."""
    control = bytes([0b10_10_11_11, 0b10_10_10_11])
    stream = b"\xa1" + control + bytes([3, 2]) + bytes([0, 1]) + bytes([0, 0x55])
    stream += (struct.pack("<HHI", 1000, 7, 0x01020304) + bytes([1, 0x82])).rjust(24, b"\0")
    decoded = decode(stream, layout("ATTRIBUTES", 2, 8), "<u2")
    # Zigzag 3 is -2 and 0x0102 is +129; the encoder's rotation to the left by 8 is undone.
    assert decoded[:, 0].tolist() == [998, 998 + 129]
    assert decoded[:, 1].tolist() == [7, 7]
    xor = decode(stream, layout("ATTRIBUTES", 2, 8), "<u4")[:, 1]
    assert xor[0] == 0x01020304
    assert xor[0] ^ xor[1] == 0x55000000


def test_triangles_follow_the_codes() -> None:
    codes = bytes([0xF0, 0x00, 0x12])
    decoded = decode(b"\xe1" + codes + bytes(16), layout("TRIANGLES", 9, 2), "<u2")
    assert decoded.reshape(3, 3).tolist() == [[0, 1, 2], [0, 2, 3], [3, 2, 1]]


def test_indices_keep_two_baselines() -> None:
    deltas = bytes([4 << 2, 0x81 | 0x80, 0x04, (2 << 2 | 2)])
    decoded = decode(b"\xd1" + deltas + bytes(4), layout("INDICES", 3, 4), "<u4")
    assert decoded.reshape(-1).tolist() == [4, 128, 1]


@pytest.mark.parametrize(
    ("filter_", "kind", "stored", "expected"),
    [
        ("OCTAHEDRAL", "<i2", (0, 0, 2047, -5), (0, 0, 32767, -5)),
        ("OCTAHEDRAL", "<i2", (2047, 0, 2047, 9), (32767, 0, 0, 9)),
        ("OCTAHEDRAL", "<i1", (127, 127, 127, 1), (0, 0, -127, 1)),
        ("QUATERNION", "<i2", (0, 0, 0, 2044 | 3), (0, 0, 0, 32767)),
        ("QUATERNION", "<i2", (2047, 0, 0, 2044 | 1), (0, 23170, 23170, 0)),
        ("COLOR", "<u1", (255, 0, 0, 255), (255, 255, 255, 255)),
        ("COLOR", "<u2", (3, 0, 0, 7), (28087, 28087, 28087, 65535)),
    ],
)
def test_filters_follow_appendix_b(
    filter_: str, kind: str, stored: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    """Within one unit, as the appendix allows."""
    element = np.array(stored, kind).tobytes()
    decoded = decode(
        one_element(element), layout("ATTRIBUTES", 1, len(element), filter_=filter_), kind
    )
    assert np.abs(decoded[0].astype(int) - expected).max() <= 1
    assert decoded[0, 3] == expected[3] or filter_ != "OCTAHEDRAL"


def test_exponential_filter_is_exact() -> None:
    stored = [(-3, 5), (10, -7), (-100, 1), (0, 1 << 22)]
    element = b"".join(struct.pack("<I", (e & 0xFF) << 24 | m & 0xFFFFFF) for e, m in stored)
    extension = layout("ATTRIBUTES", 1, 16, filter_="EXPONENTIAL")
    decoded = decode(one_element(element), extension, "<f4")
    assert decoded[0].tolist() == [2.0**e * m for e, m in stored]


# --- meshopt: there and back --------------------------------------------------------------------


@pytest.mark.parametrize("version", [0, 1])
@pytest.mark.parametrize("stride", [4, 12, 64, 256])
@pytest.mark.parametrize("count", [1, 16, 777])
def test_attributes_are_lossless(count: int, stride: int, version: int) -> None:
    original = walk(np.random.default_rng(count * stride), count, stride)
    data = meshopt.encode_gltf_buffer(original, "ATTRIBUTES", version)
    assert data[0] == 0xA0 | version
    assert np.array_equal(decode(data, layout("ATTRIBUTES", count, stride), "<i2"), original)


@pytest.mark.parametrize("stride", [2, 4])
def test_indices_are_lossless(stride: int) -> None:
    faces, _, _ = meshopt.reorder_mesh(grid(20)[1].reshape(-1), triangles=True, optsize=False)
    for mode in ("INDICES", "TRIANGLES"):
        data = meshopt.encode_gltf_buffer(faces, mode)
        decoded = decode(data, layout(mode, len(faces), stride), f"<u{stride}").reshape(-1)
        expected, found = faces.reshape(-1, 3), decoded.reshape(-1, 3)
        if mode == "TRIANGLES":  # the codec may begin a triangle at another of its corners
            expected, found = (_from_lowest(corners) for corners in (expected, found))
        assert np.array_equal(found, expected)


def _from_lowest(triangles: Array) -> Array:
    start = triangles.argmin(axis=1)[:, None]
    return np.take_along_axis(triangles, (start + np.arange(3)) % 3, axis=1)


@pytest.mark.parametrize("version", [0, 1])
def test_filters_stay_within_their_quantisation(version: int) -> None:
    rng = np.random.default_rng(3)
    unit = rng.normal(size=(500, 4))
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    normal = np.c_[unit[:, :3] / np.linalg.norm(unit[:, :3], axis=1, keepdims=True), np.ones(500)]

    def back(stored: Array, filter_: str, kind: str) -> Array:
        data = meshopt.encode_gltf_buffer(stored, "ATTRIBUTES", version)
        extension = layout("ATTRIBUTES", len(stored), stored.shape[1], filter_=filter_)
        return decode(data, extension, kind).astype(np.float64)

    oct_ = back(meshopt.encode_filter_oct(normal, 8, 12), "OCTAHEDRAL", "<i2") / 32767
    assert np.abs(oct_ - normal).max() < 2 / 2**11
    quat = back(meshopt.encode_filter_quat(unit, 8, 12), "QUATERNION", "<i2") / 32767
    same_sign = np.sign((quat * unit).sum(axis=1, keepdims=True))
    assert np.abs(quat * same_sign - unit).max() < 2 / 2**11
    exp = back(meshopt.encode_filter_exp(unit, 15, "Separate"), "EXPONENTIAL", "<f4")
    assert np.abs(exp / unit - 1).max() < 2**-13
    colour = rng.random((500, 4))
    colour_back = back(meshopt.encode_filter_color(colour, 8, 12), "COLOR", "<u2") / 65535
    assert np.abs(colour_back - colour).max() < 4 / 2**12


# --- meshopt: what is wrong ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        {"mode": "POINTS"},
        {"mode": None},
        {"mode": ["ATTRIBUTES"]},
        {"filter": "GAUSS"},
        {"filter": "QUATERNION"},
        {"mode": "TRIANGLES"},
        {"mode": "INDICES", "byteStride": 4, "filter": "COLOR"},
        {"mode": "TRIANGLES", "byteStride": 4, "count": 4},
        {"byteStride": 6},
        {"byteStride": 260},
        {"byteStride": "12"},
        {"count": 0},
        {"count": -3},
        {"count": 2.5},
        {"count": True},
        {"count": float("nan")},
        {"count": float("inf")},
    ],
)
def test_members_that_the_specification_forbids_are_refused(change: dict[str, Any]) -> None:
    data = meshopt.encode_gltf_buffer(np.zeros((3, 3), np.float32), "ATTRIBUTES")
    extension = layout("ATTRIBUTES", 3, 12)
    assert len(decode_meshopt(memoryview(data), extension)) == 36
    with pytest.raises(ContentError, match="it must be"):
        decode_meshopt(memoryview(data), extension | change)


def test_whole_numbers_written_as_floats_are_integers() -> None:
    data = meshopt.encode_gltf_buffer(np.arange(3, dtype=np.float32)[:, None], "ATTRIBUTES")
    extension = {"count": 3.0, "byteStride": 4.0, "mode": "ATTRIBUTES"}
    assert np.frombuffer(decode_meshopt(memoryview(data), extension), "<f4").tolist() == [0, 1, 2]


def test_declared_sizes_are_refused_before_they_are_allocated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(compression, "decode", lambda *_, **__: pytest.fail("decoded"))
    with pytest.raises(LimitError):
        decode_meshopt(memoryview(bytes(100)), layout("ATTRIBUTES", (1 << 29) + 1, 4))
    with pytest.raises(FormatError, match="cannot hold"):
        decode_meshopt(memoryview(bytes(100)), layout("ATTRIBUTES", 1 << 28, 4))
    with pytest.raises(FormatError, match="cannot hold"):
        decode_meshopt(memoryview(bytes(100)), layout("TRIANGLES", 3000, 4))


def test_the_most_compressible_data_is_not_refused() -> None:
    """Constant rows reach the bound: 256 rows of 4 bytes in a control byte."""
    original = np.full((1 << 20, 1), 7, np.uint32)
    data = meshopt.encode_vertex_buffer_level(original, 3, 1)
    assert original.nbytes / len(data) > 1000
    assert np.array_equal(decode(data, layout("ATTRIBUTES", 1 << 20, 4), "<u4"), original)


def meshopt_streams() -> list[tuple[bytes, dict[str, Any]]]:
    rng = np.random.default_rng(5)
    faces = grid(8)[1].reshape(-1)
    streams = [
        (meshopt.encode_gltf_buffer(faces, mode), layout(mode, len(faces), stride))
        for mode in ("TRIANGLES", "INDICES")
        for stride in (2, 4)
    ]
    for filter_ in ("NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL", "COLOR"):
        for version in (0, 1):
            data = meshopt.encode_gltf_buffer(walk(rng, 70, 8), "ATTRIBUTES", version)
            streams.append((data, layout("ATTRIBUTES", 70, 8, filter_=filter_)))
    return streams


def test_truncated_meshopt_data_is_an_error() -> None:
    for data, extension in meshopt_streams():
        for length in range(len(data)):
            with pytest.raises(FormatError):
                decode_meshopt(memoryview(data)[:length], extension)


def test_flipped_bits_give_an_error_or_the_declared_size() -> None:
    rng = np.random.default_rng(6)
    refused = 0
    for data, extension in meshopt_streams():
        for _ in range(200):
            hostile = bytearray(data)
            for _ in range(rng.integers(1, 4)):
                hostile[rng.integers(len(hostile))] ^= 1 << rng.integers(8)
            try:
                decoded = decode_meshopt(memoryview(hostile), extension)
            except FormatError:
                refused += 1
            else:
                assert len(decoded) == extension["count"] * extension["byteStride"]
    assert refused > 0


# --- Draco --------------------------------------------------------------------------------------


def test_draco_keeps_attributes_by_unique_id() -> None:
    """Only positions are quantised, to 14 bits of the largest extent."""
    rng = np.random.default_rng(1)
    positions, faces = grid(9)
    points = len(positions)
    uv, colour = rng.random((points, 2)), rng.integers(0, 256, (points, 4)).astype(np.uint8)
    joints = rng.integers(0, 60000, (points, 4)).astype(np.uint16)
    weights = rng.random((points, 4)).astype(np.float32)
    batch = rng.integers(0, 1 << 20, (points, 1)).astype(np.uint32)
    data = DracoPy.encode(
        positions,
        faces,
        preserve_order=True,
        quantization_bits=14,
        tex_coord=uv,
        colors=colour,
        generic_attributes={3: joints, 7: weights, 5: batch},
    )
    ids = {a["attribute_type"]: a["unique_id"] for a in DracoPy.decode(data).attributes}
    names = {
        "POSITION": ids[DracoPy.AttributeType.POSITION],
        "TEXCOORD_0": ids[DracoPy.AttributeType.TEX_COORD],
        "COLOR_0": ids[DracoPy.AttributeType.COLOR],
        "JOINTS_0": 3,
        "WEIGHTS_0": 7,
        "_BATCH": 5,
    }
    arrays, indices = decode_draco(memoryview(data), names)
    assert list(arrays) == list(names)
    assert np.array_equal(indices, faces.reshape(-1))
    assert indices.dtype == np.uint32
    assert np.abs(arrays["POSITION"] - positions).max() <= 8 / (2**14 - 1)
    exact = {"TEXCOORD_0": uv.astype(np.float32), "COLOR_0": colour, "JOINTS_0": joints}
    for name, original in (exact | {"WEIGHTS_0": weights, "_BATCH": batch}).items():
        assert arrays[name].dtype == original.dtype
        assert np.array_equal(arrays[name], original)


@pytest.mark.parametrize("level", [1, 7, 10])
def test_draco_edgebreaker_keeps_the_surface(level: int) -> None:
    """The traversal renumbers points and triangles; each triangle is found again by its corners."""
    positions, faces = grid(15)
    data = DracoPy.encode(positions, faces, quantization_bits=16, compression_level=level)
    position = DracoPy.decode(data).attributes[0]["unique_id"]
    arrays, indices = decode_draco(memoryview(data), {"POSITION": position})
    centres = arrays["POSITION"][indices].reshape(-1, 3, 3).mean(axis=1)
    expected = positions[faces].mean(axis=1)
    distances = np.linalg.norm(centres[:, None] - expected[None], axis=2)
    assert distances.min(axis=1).max() < 1e-3
    assert np.array_equal(np.sort(distances.argmin(axis=1)), np.arange(len(faces)))


def test_draco_metadata_is_stepped_over() -> None:
    positions, faces = grid(4)
    named = {"weights": positions, "more": positions}
    data = DracoPy.encode(
        positions, faces, create_metadata=True, generic_attributes=named, preserve_order=True
    )
    assert data[10] & 0x80, "the stream has no metadata"
    weights = DracoPy.decode(data).get_attribute_by_name("weights")["unique_id"]
    arrays, _ = decode_draco(memoryview(data), {"_WEIGHTS": weights})
    assert np.array_equal(arrays["_WEIGHTS"], positions)


@pytest.mark.parametrize("normalised", [False, True])
def test_draco_integers_keep_their_type(normalised: bool) -> None:
    """A descriptor is type, data type, components, normalised, id: the fourth byte is the flag."""
    data = bytearray(SIGNED_DRACO)
    for descriptor in ([4, 1, 3, 0, 1], [4, 3, 2, 0, 2], [4, 4, 4, 0, 3]):
        assert data.count(bytes(descriptor)) == 1
        data[data.index(bytes(descriptor)) + 3] = normalised
    names = {"INT8": 1, "INT16": 2, "UINT16": 3, "UINT8": 4}
    arrays, indices = decode_draco(memoryview(data), names)
    assert indices.tolist() == [0, 1, 2, 2, 1, 3]
    expected = {
        "INT8": [[-127, 0, 5], [127, 1, 2], [3, -4, 5], [9, 8, 7]],
        "INT16": [[-32767, 0], [5, 32767], [1, 2], [3, -4]],
        "UINT16": [[65535, 0, 5, 32767], [1, 2, 3, 4], [9] * 4, [8] * 4],
        "UINT8": [[255, 0, 5, 127], [1, 2, 3, 4], [9] * 4, [8] * 4],
    }
    for name, values in expected.items():
        assert arrays[name].dtype == name.lower()
        assert arrays[name].tolist() == values


def test_draco_ids_that_the_data_lacks_are_refused() -> None:
    with pytest.raises(ContentError, match=r"NORMAL with id 9.*\(0, 1, 2, 3, 4\)"):
        decode_draco(memoryview(SIGNED_DRACO), {"NORMAL": 9})
    with pytest.raises(ContentError, match="no attributes"):
        decode_draco(memoryview(SIGNED_DRACO), {})


def leb128(value: int) -> bytes:
    low, rest = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + leb128(rest) if rest else bytes([low])


def draco_header(*, faces: int, points: int, metadata: bytes = b"", method: int = 1) -> bytes:
    flags = 0x8000 if metadata else 0
    start = b"DRACO" + struct.pack("<BBBBH", 2, 2, 1, method, flags) + metadata
    counts = [b"\0", leb128(points), leb128(faces)] if method else [leb128(faces), leb128(points)]
    return start + b"".join(counts)


NESTED_METADATA = (
    leb128(1) + leb128(0) + leb128(1) + b"\x04name" + leb128(2) + b"ab" + leb128(0)  # attribute
    + leb128(0) + leb128(2)  # geometry, with two inside
    + b"\x01x" + leb128(0) + leb128(1) + b"\x01z" + leb128(0) + leb128(0)
    + b"\x01y" + leb128(1) + b"\x01k" + leb128(1) + b"v" + leb128(0)
)  # fmt: skip


@pytest.mark.parametrize("metadata", [b"", NESTED_METADATA])
@pytest.mark.parametrize("method", [0, 1])
def test_draco_sizes_are_refused_before_they_are_allocated(
    monkeypatch: pytest.MonkeyPatch, metadata: bytes, method: int
) -> None:
    monkeypatch.setattr(compression, "decode", lambda *_, **__: pytest.fail("decoded"))
    for faces, points in ((1, 1_234_567), (1_234_567, 1)):
        data = draco_header(faces=faces, points=points, metadata=metadata, method=method)
        with pytest.raises(FormatError, match="1234567"):
            decode_draco(memoryview(data), {"POSITION": 0})
    data = draco_header(faces=1 << 30, points=1 << 30, metadata=metadata, method=method)
    with pytest.raises(LimitError, match=str(1 << 30)):
        decode_draco(memoryview(data), {"POSITION": 0})


@pytest.mark.parametrize(
    ("place", "value", "found"),
    [(0, ord("G"), "GRACO"), (6, 1, "version 2.1"), (7, 0, "geometry type 0")],
)
def test_draco_that_is_no_mesh_of_version_2_2_is_refused(
    place: int, value: int, found: str
) -> None:
    data = bytearray(SIGNED_DRACO)
    data[place] = value
    with pytest.raises(FormatError, match=found):
        decode_draco(memoryview(data), {"POSITION": 0})


def test_draco_headers_that_end_early_or_hold_long_numbers_are_refused() -> None:
    for length in range(13):
        with pytest.raises(FormatError, match="ends within its header"):
            decode_draco(memoryview(SIGNED_DRACO)[:length], {"POSITION": 0})
    long_number = draco_header(faces=0, points=0)[:12] + b"\xff" * 9
    with pytest.raises(FormatError, match="more than 32 bits"):
        decode_draco(memoryview(long_number), {"POSITION": 0})


@pytest.mark.parametrize("values", [None, np.zeros((3, 1), np.float32)])
def test_draco_attributes_that_were_decoded_in_part_are_refused(
    monkeypatch: pytest.MonkeyPatch, values: Array | None
) -> None:
    """DracoPy leaves out values that it cannot convert; no stream is known that makes it do so."""
    whole = DracoPy.decode(SIGNED_DRACO)
    whole.attributes[1]["data"] = values
    package = SimpleNamespace(decode=lambda _: whole)
    answer, arrays = decoder_process._draco(package, SIGNED_DRACO, {"ids": [0, 1]})
    reported = Decoded(json.loads(json.dumps(answer)), [*arrays])
    monkeypatch.setattr(compression, "decode", lambda *_, **__: reported)
    with pytest.raises(FormatError, match=r"no values|differ in their number"):
        decode_draco(memoryview(SIGNED_DRACO), {"POSITION": 0, "_PART": 1})


def test_draco_corners_beyond_the_points_are_refused() -> None:
    """The four points are numbered in plain bytes: the last corner becomes a fifth point."""
    start = SIGNED_DRACO.index(bytes([0, 1, 2, 2, 1, 3]))
    data = bytearray(SIGNED_DRACO)
    data[start + 5] = 4
    with pytest.raises(FormatError, match="not a point"):
        decode_draco(memoryview(data), {"POSITION": 0})


def test_damaged_draco_data_gives_an_error_or_arrays_that_fit() -> None:
    rng = np.random.default_rng(2)
    positions, faces = grid(8)
    outcomes = {"refused": 0, "decoded": 0}
    for level in (0, 1, 7, 10):
        data = DracoPy.encode(positions, faces, compression_level=level)
        position = DracoPy.decode(data).attributes[0]["unique_id"]
        for trial in range(400):
            hostile = bytearray(data[: rng.integers(len(data))] if trial % 4 == 0 else data)
            for _ in range(rng.integers(1, 4) if hostile else 0):
                hostile[rng.integers(len(hostile))] ^= 1 << rng.integers(8)
            try:
                arrays, indices = decode_draco(memoryview(hostile), {"POSITION": position})
            except LigamentError:
                outcomes["refused"] += 1
            else:
                outcomes["decoded"] += 1
                assert indices.max() < len(arrays["POSITION"])
    assert min(outcomes.values()) > 0


# --- without the packages -----------------------------------------------------------------------


def test_without_meshopt_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "meshopt", None)
    with pytest.raises(MissingExtraError, match=r"meshopt .*; pip install ligament\[compress\]"):
        decode_meshopt(memoryview(one_element(bytes(4))), layout("ATTRIBUTES", 1, 4))


def test_without_dracopy_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "DracoPy", None)
    with pytest.raises(MissingExtraError, match=r"DracoPy .*; pip install ligament\[compress\]"):
        decode_draco(memoryview(SIGNED_DRACO), {"POSITION": 0})

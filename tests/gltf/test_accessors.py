"""Accessors against a reader that follows the text of glTF 2.0, 3.6.2, one number at a time."""

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ligament.errors import ContentError, LimitError
from ligament.gltf import Document, load, loads, save
from ligament.gltf.accessors import (
    ARRAY_BUFFER,
    ELEMENT_ARRAY_BUFFER,
    append_accessor,
    read_accessor,
)
from tests.gltf.documents import Builder, glb_bytes, write_everything

FORMATS = {5120: "b", 5121: "B", 5122: "h", 5123: "H", 5125: "I", 5126: "f"}
SIZES = {"SCALAR": (1, 1), "VEC2": (1, 2), "VEC3": (1, 3), "VEC4": (1, 4)} | {
    f"MAT{n}": (n, n) for n in (2, 3, 4)
}
"""Columns and rows."""


def offsets(kind: str, component_type: int) -> list[int]:
    """Where the components of one element lie (3.6.2.4: columns start at multiples of 4 bytes)."""
    size = struct.calcsize(FORMATS[component_type])
    columns, rows = SIZES[kind]
    step = rows * size if columns == 1 else -(-rows * size // 4) * 4
    return [column * step + row * size for column in range(columns) for row in range(rows)]


def tight_stride(kind: str, component_type: int) -> int:
    """Distance of elements without byteStride: their size, with whole columns in matrices."""
    used = offsets(kind, component_type)[-1] + struct.calcsize(FORMATS[component_type])
    return used if SIZES[kind][0] == 1 else -(-used // 4) * 4


def naive(root: dict[str, Any], data: bytes, index: int) -> list[list[float]]:
    """Read an accessor as the text says, component by component in storage order."""
    accessor = root["accessors"][index]
    code, kind = accessor["componentType"], accessor["type"]
    places, tight = offsets(kind, code), tight_stride(kind, code)

    def elements(view: dict[str, Any], start: int, count: int, stride: int) -> list[list[float]]:
        base = view.get("byteOffset", 0) + start
        return [
            [
                struct.unpack_from(f"<{FORMATS[code]}", data, base + i * stride + p)[0]
                for p in places
            ]
            for i in range(count)
        ]

    values: list[list[float]] = [[0] * len(places) for _ in range(accessor["count"])]
    if "bufferView" in accessor:
        view = root["bufferViews"][accessor["bufferView"]]
        stride = view.get("byteStride", tight)
        values = elements(view, accessor.get("byteOffset", 0), accessor["count"], stride)
    if "sparse" in accessor:
        sparse = accessor["sparse"]
        view = root["bufferViews"][sparse["values"]["bufferView"]]
        deviations = elements(view, sparse["values"].get("byteOffset", 0), sparse["count"], tight)
        where = sparse["indices"]
        base = root["bufferViews"][where["bufferView"]].get("byteOffset", 0)
        base += where.get("byteOffset", 0)
        size = struct.calcsize(FORMATS[where["componentType"]])
        for i, deviation in enumerate(deviations):
            form = f"<{FORMATS[where['componentType']]}"
            values[struct.unpack_from(form, data, base + i * size)[0]] = deviation
    if accessor.get("normalized"):
        top = {5120: 127, 5121: 255, 5122: 32767, 5123: 65535}[code]
        values = [[max(number / top, -1.0) for number in element] for element in values]
    return values


def storage_order(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Flatten elements in the order in which glTF stores them: matrices by columns."""
    array = array.swapaxes(1, 2) if array.ndim == 3 else array
    return array.reshape(len(array), -1)


@st.composite
def files(draw: st.DrawFn) -> tuple[dict[str, Any], bytes]:
    """A document with one accessor of any layout over random bytes."""
    code = draw(st.sampled_from(list(FORMATS)))
    kind = draw(st.sampled_from(list(SIZES)))
    count = draw(st.integers(1, 5))
    used = offsets(kind, code)[-1] + struct.calcsize(FORMATS[code])
    tight = tight_stride(kind, code)
    accessor: dict[str, Any] = {"componentType": code, "type": kind, "count": count}
    if code not in (5125, 5126):
        accessor["normalized"] = draw(st.booleans())
    dice = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))

    def noise(length: int) -> bytes:
        if code == 5126:
            return dice.normal(size=length // 4 + 1).astype("<f4").tobytes()[:length]
        return dice.bytes(length)

    b = Builder()
    b.data += draw(st.binary(max_size=3))
    if draw(st.booleans()):
        start = draw(st.sampled_from([0, 4, 8]))
        members: dict[str, Any] = {}
        stride = tight
        if draw(st.booleans()):
            stride = max(4, -(-used // 4) * 4) + draw(st.sampled_from([0, 4, 12]))
            members = {"byteStride": stride}
        length = start + stride * (count - 1) + used
        accessor |= {"bufferView": b.view(noise(length), **members)}
        accessor |= {"byteOffset": start} if start else {}
    if draw(st.booleans()):
        places = sorted(draw(st.sets(st.integers(0, count - 1), min_size=1)))
        form = draw(st.sampled_from([5121, 5123, 5125]))
        packed = b"".join(struct.pack(f"<{FORMATS[form]}", place) for place in places)
        skip = draw(st.sampled_from([0, 4]))
        accessor["sparse"] = {
            "count": len(places),
            "indices": {
                "bufferView": b.view(bytes(skip) + packed),
                "byteOffset": skip,
                "componentType": form,
            },
            "values": {"bufferView": b.view(noise(skip + tight * len(places))), "byteOffset": skip},
        }
    b.accessors.append(accessor)
    return b.root(), bytes(b.data)


@given(files())
def test_every_layout_reads_as_the_text_says(file: tuple[dict[str, Any], bytes]) -> None:
    root, data = file
    document = loads(glb_bytes(root, data))
    found = read_accessor(document, 0)
    expected = np.array(naive(root, data, 0))
    np.testing.assert_allclose(storage_order(found), expected, rtol=1e-6, atol=0)
    accessor = root["accessors"][0]
    if accessor.get("normalized"):
        assert found.dtype == np.float32
    else:
        assert found.dtype == np.dtype(f"<{np.dtype(FORMATS[accessor['componentType']]).str[1:]}")
    rows = SIZES[accessor["type"]][1]
    shape = {"S": (), "V": (rows,), "M": (rows, rows)}[accessor["type"][0]]
    assert found.shape == (accessor["count"], *shape)
    assert not found.flags.writeable


def test_the_sample_reads_as_the_text_says(tmp_path: Path) -> None:
    document = load(write_everything(tmp_path, "a.glb"))
    data = bytes(document.read_buffer(0))
    for index, accessor in enumerate(document.json["accessors"][:-1]):
        expected = naive(document.json, data, index)
        assert np.allclose(storage_order(read_accessor(document, index)), expected), accessor
    assert read_accessor(document, len(document.json["accessors"]) - 1).tolist() == [2, 4]


@pytest.mark.parametrize(
    ("code", "low", "high"),
    [("i1", -128, 127), ("u1", 0, 255), ("i2", -32768, 32767), ("u2", 0, 65535)],
)
def test_normalised_integers_reach_exactly_one(code: str, low: int, high: int) -> None:
    b = Builder()
    b.accessor([low, 0, high], code, normalized=True)
    values = read_accessor(loads(glb_bytes(b.root(), bytes(b.data))), 0)
    assert values.tolist() == [-1.0 if low else 0.0, 0.0, 1.0]


@pytest.mark.parametrize("code", ["u4", "f4"])
def test_numbers_of_32_bits_are_never_normalised(code: str) -> None:
    b = Builder()
    b.accessor([0, 1, 5], code, normalized=True)
    values = read_accessor(loads(glb_bytes(b.root(), bytes(b.data))), 0)
    assert (values.tolist(), values.dtype) == ([0, 1, 5], np.dtype(code))


def test_reading_does_not_copy_where_it_need_not() -> None:
    b = Builder()
    b.accessor(np.zeros((4, 3)), kind="VEC3")
    document = loads(glb_bytes(b.root(), bytes(b.data)))
    assert np.shares_memory(read_accessor(document, 0), read_accessor(document, 0))


# Appending

SHAPES = st.one_of(
    st.tuples(st.integers(1, 5)),
    st.tuples(st.integers(1, 5), st.integers(2, 4)),
    st.integers(2, 4).flatmap(lambda n: st.tuples(st.integers(1, 5), st.just(n), st.just(n))),
)
DTYPES = ["i1", "u1", "<i2", ">i2", "<u2", ">u2", "<u4", ">u4", "<f4", ">f4", "<f8", "<f2"]


@st.composite
def arrays(draw: st.DrawFn) -> np.ndarray[Any, Any]:
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    elements = None
    if dtype.kind == "f":
        width = min(32, dtype.itemsize * 8)
        elements = st.floats(allow_nan=False, allow_infinity=False, width=width)  # type: ignore[arg-type]
    return draw(hnp.arrays(dtype, draw(SHAPES), elements=elements))


@given(st.lists(st.tuples(arrays(), st.sampled_from([None, ARRAY_BUFFER])), min_size=1, max_size=3))
def test_appended_arrays_come_back(parts: list[tuple[np.ndarray[Any, Any], int | None]]) -> None:
    document = Document()
    indices = [append_accessor(document, a, target=t, bounds=True) for a, t in parts]
    data = bytes(document.read_buffer(0))
    assert document.json["buffers"][0]["byteLength"] == len(data)
    for index, (array, target) in zip(indices, parts, strict=True):
        found = read_accessor(document, index)
        assert found.shape == array.shape
        kept = "<f4" if array.dtype.kind == "f" else array.dtype.newbyteorder("<")
        assert found.dtype == kept
        assert (found == array).all()
        # An independent reader finds the same, so that the layout is glTF's and not our own.
        assert (storage_order(found) == np.array(naive(document.json, data, index))).all()
        accessor = document.json["accessors"][index]
        view = document.json["bufferViews"][accessor["bufferView"]]
        assert view["byteOffset"] % 4 == 0
        assert view.get("target") == target
        assert accessor["min"] == storage_order(found).min(axis=0).tolist()
        assert accessor["max"] == storage_order(found).max(axis=0).tolist()
        if target == ARRAY_BUFFER:
            tight = tight_stride(accessor["type"], accessor["componentType"])
            assert view.get("byteStride", tight) % 4 == 0


def test_appended_arrays_survive_saving(tmp_path: Path) -> None:
    document = load(write_everything(tmp_path, "a.gltf"))
    index = append_accessor(document, np.eye(3)[None], name="one", normalized=False)
    for name in ("b.gltf", "b.glb"):
        save(document, tmp_path / name)
        again = load(tmp_path / name)
        assert (read_accessor(again, index) == np.eye(3)).all()
        assert again.json["accessors"][index]["name"] == "one"
        assert again.json["accessors"][:index] == document.json["accessors"][:index]


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ([0, 255], 5121),
        ([0, 256], 5123),
        ([0, 65536], 5125),
        ([-1, 1], 5120),
        ([-129, 1], 5122),
        ([True, False], 5121),
        (np.array([-1], np.int8), 5120),
        (np.array([1], np.int8), 5120),
        (np.array([1], np.uint32), 5125),
        (np.array([1], np.int32), 5121),
        ([0.5], 5126),
    ],
)
def test_the_smallest_type_that_holds_the_values(values: Any, code: int) -> None:
    document = Document()
    append_accessor(document, values)
    assert document.json["accessors"][0]["componentType"] == code
    assert read_accessor(document, 0).tolist() == np.asarray(values).tolist()


def test_normalised_values_are_read_back_as_fractions() -> None:
    document = Document()
    append_accessor(document, np.array([0, 51, 255], np.uint8), normalized=True, bounds=True)
    assert document.json["accessors"][0]["normalized"] is True
    assert document.json["accessors"][0]["max"] == [255]
    assert np.allclose(read_accessor(document, 0), [0, 0.2, 1])


def test_indices_are_stored_tightly() -> None:
    document = Document()
    append_accessor(document, np.arange(6, dtype=np.uint16), target=ELEMENT_ARRAY_BUFFER)
    view = document.json["bufferViews"][0]
    assert view == {"buffer": 0, "byteOffset": 0, "byteLength": 12, "target": ELEMENT_ARRAY_BUFFER}


@pytest.mark.parametrize(
    "values",
    [
        [],
        5.0,
        np.zeros((0, 3)),
        np.zeros((2, 5)),
        np.zeros((2, 1)),
        np.zeros((2, 2, 3)),
        np.zeros((2, 5, 5)),
        np.zeros((2, 1, 1)),
        np.zeros((1, 1, 1, 1)),
        [2**32],
        [-32769],
        ["x"],
        [1j],
        [np.nan],
        [np.inf],
        [1e300],
    ],
    ids=repr,
)
def test_values_that_no_accessor_can_hold_are_refused_without_a_trace(values: Any) -> None:
    document = Document()
    with pytest.raises(ContentError):
        append_accessor(document, values)
    assert document.json == {"asset": {"version": "2.0"}}


# Faults


def broken(change: Any, *, component: int = 5126) -> Document:
    """Sixteen bytes, a view of them and an accessor, one of which is changed."""
    root: dict[str, Any] = {
        "buffers": [{"byteLength": 16}],
        "bufferViews": [{"buffer": 0, "byteLength": 16}],
        "accessors": [{"bufferView": 0, "componentType": component, "count": 4, "type": "SCALAR"}],
    }
    change(root)
    return loads(glb_bytes(root, np.arange(4, dtype="<f4").tobytes()), path="a.glb")


def member(array: str, **members: Any) -> Any:
    return lambda root: root[array][0].update(members)


def sparse(**members: Any) -> Any:
    def change(root: dict[str, Any]) -> None:
        found: dict[str, Any] = {
            "count": 1,
            "indices": {"bufferView": 0, "componentType": 5121},
            "values": {"bufferView": 0},
        }
        for name, value in members.items():
            holder, _, key = name.rpartition("_")
            (found[holder] if holder else found)[key] = value
        root["accessors"][0]["sparse"] = found

    return change


@pytest.mark.parametrize(
    ("change", "pointer", "message"),
    [
        (member("accessors", count=5), "/accessors/0", "stay inside its buffer view"),
        (member("accessors", byteOffset=4), "/accessors/0", "stay inside its buffer view"),
        (member("accessors", count=2**52), "/accessors/0", "stay inside its buffer view"),
        (member("accessors", count=0), "/accessors/0/count", ">= 1"),
        (member("accessors", count=-1), "/accessors/0/count", ">= 1"),
        (member("accessors", type="VEC5"), "/accessors/0/type", "Invalid enum|invalid enum"),
        (member("accessors", componentType=5124), "/accessors/0/componentType", "5120, 5121"),
        (member("accessors", bufferView=1), "/bufferViews", "no element 1"),
        (member("accessors", bufferView=-1), "/accessors/0/bufferView", ">= 0"),
        (member("bufferViews", byteStride=2), "/bufferViews/0/byteStride", ">= 4"),
        (member("bufferViews", byteStride=256), "/bufferViews/0/byteStride", "<= 252"),
        (member("bufferViews", byteLength=17), "/bufferViews/0", "stay inside the buffer"),
        (member("bufferViews", byteOffset=1), "/bufferViews/0", "stay inside the buffer"),
        (member("bufferViews", buffer=1), "/buffers", "no element 1"),
        (member("buffers", byteLength=17), "/buffers/0", "declares 17 bytes, 16 exist"),
        (sparse(count=17), "/accessors/0/sparse/indices", "stay inside its buffer view"),
        (sparse(count=0), "/accessors/0/sparse/count", ">= 1"),
        (sparse(indices_byteOffset=7), "/accessors/0/sparse/indices", "an index below 4"),
        (sparse(indices_byteOffset=16), "/accessors/0/sparse/indices", "stay inside"),
        (sparse(values_byteOffset=13), "/accessors/0/sparse/values", "stay inside"),
        (
            sparse(indices_componentType=5120),
            "/accessors/0/sparse/indices/componentType",
            "unsigned",
        ),
        (
            sparse(indices_componentType=1),
            "/accessors/0/sparse/indices/componentType",
            "5120, 5121",
        ),
    ],
)
def test_faults_are_reported_with_place_and_file(change: Any, pointer: str, message: str) -> None:
    document = broken(change)
    with pytest.raises(ContentError, match=message) as caught:
        read_accessor(document, 0)
    assert (caught.value.pointer, caught.value.file) == (pointer, "a.glb")


def test_a_stride_smaller_than_the_element_is_refused() -> None:
    document = broken(
        lambda root: (
            root["accessors"][0].update(type="VEC2", count=2),
            root["bufferViews"][0].update(byteStride=4),
        )
    )
    with pytest.raises(ContentError, match="one element has 8 bytes"):
        read_accessor(document, 0)


def test_the_last_element_may_end_with_the_view() -> None:
    """3.6.2.4: the padding behind the last element need not be there."""
    document = broken(
        lambda root: (
            root["accessors"][0].update(type="MAT2", count=2, componentType=5121, byteOffset=2),
            root["bufferViews"][0].update(byteLength=16),
        )
    )
    assert read_accessor(document, 0).shape == (2, 2, 2)


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [0, 3])
def test_numbers_that_are_not_finite_are_refused(number: float, place: int) -> None:
    values = np.zeros(4, "<f4")
    values[place] = number
    b = Builder()
    b.accessor(values)
    with pytest.raises(ContentError, match=f"element {place} contains") as caught:
        read_accessor(loads(glb_bytes(b.root(), bytes(b.data))), 0)
    assert caught.value.pointer == "/accessors/0"


@pytest.mark.parametrize("count", [1 << 27, 2**52])
def test_zeros_that_no_byte_backs_have_a_limit(count: int) -> None:
    document = broken(
        lambda root: (
            root["accessors"][0].pop("bufferView"),
            root["accessors"][0].update(count=count, type="VEC2"),
        )
    )
    with pytest.raises(LimitError, match="zeros") as caught:
        read_accessor(document, 0)
    assert caught.value.pointer == "/accessors/0/count"

"""Accessors as arrays: SCALAR (count,), VECn (count, n), MATn (count, n, n) with rows first.

Their bytes come from buffer views, decompressed where necessary.
"""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ligament.errors import ContentError, LigamentError, LimitError
from ligament.gltf import objects
from ligament.gltf.document import Document
from ligament.gltf.jsontext import encode
from ligament.gltf.objects import read_view
from ligament.gltf.pointers import wrong
from ligament.gltf.storage.compression import decode_meshopt
from ligament.limits import Limits

MESHOPT = ("EXT_meshopt_compression", "KHR_meshopt_compression")


def read_view_bytes(document: Document, index: int) -> memoryview:
    """Return the bytes of a buffer view, read-only."""
    view = document.element("bufferViews", index, objects.BufferView)
    pointer = f"/bufferViews/{index}"
    try:
        for name in MESHOPT:
            if name in view.extensions:
                place = f"{pointer}/extensions/{name}"
                return _decompressed(document, view.extensions[name], index, place)
        return _slice(document, view, pointer)
    except LigamentError as fault:
        raise fault.located(document.path) from fault.__cause__


def _decompressed(document: Document, extension: Any, index: int, pointer: str) -> memoryview:
    span = read_view(extension, objects.ByteRange, pointer)

    def decode(spent: int) -> tuple[memoryview, int]:
        decoded = decode_meshopt(source, extension, limits=document.limits, spent=spent)
        return memoryview(decoded), len(decoded)

    try:
        source = _slice(document, span, pointer)
        return document.decoded.once((index, encode(extension)), source, decode)
    except LigamentError as fault:
        fault.pointer = fault.pointer or pointer
        raise


def _slice(document: Document, span: objects.ByteRange, pointer: str) -> memoryview:
    data = document.read_buffer(span.buffer)
    end = span.byte_offset + span.byte_length
    if end > len(data):
        raise ContentError(
            f"bytes {span.byte_offset} to {end} of a buffer of {len(data)} bytes",
            pointer=pointer,
            remedy="byteOffset and byteLength must stay inside the buffer",
        )
    return data[span.byte_offset : end]


Array = npt.NDArray[Any]

COMPONENT_TYPES = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
ARRAY_BUFFER = 34962
ELEMENT_ARRAY_BUFFER = 34963


class _Layout(NamedTuple):
    """Memory layout of one element: columns start at multiples of 4 bytes in matrices."""

    dtype: np.dtype[Any]
    columns: int
    rows: int
    column_stride: int

    @property
    def size(self) -> int:
        return self.columns * self.column_stride


def read_accessor(document: Document, index: int) -> Array:
    """Read an accessor; normalised integers become float32 (glTF 2.0, 3.6.2.2).

    The result is a read-only view of the buffer if no conversion is needed. Non-finite floats are
    an error, since glTF forbids them.
    """
    pointer = f"/accessors/{index}"
    try:
        refuse_amplified(document)
        accessor = document.element("accessors", index, objects.Accessor)
        layout = _layout(accessor.component_type, accessor.type, f"{pointer}/componentType")
        elements = _base(document, accessor, layout, pointer)
        if accessor.sparse is not None:
            elements = _with_sparse(document, accessor, layout, elements, pointer)
        values = _denormalised(elements) if accessor.normalized else elements
        _refuse_non_finite(values, pointer)
    except LigamentError as fault:
        raise fault.located(document.path) from fault.__cause__
    return _shaped(values, accessor.type)


def append_accessor(
    document: Document,
    values: npt.ArrayLike,
    *,
    normalized: bool = False,
    target: int | None = None,
    bounds: bool = False,
    name: str | None = None,
) -> int:
    """Append an array to the document's first buffer; return the index of the new accessor.

    The shape determines the type, (count, n, n) being matrices; float64 becomes float32, int32 and
    int64 the smallest type that holds the values. `bounds` writes min and max, which glTF demands
    of POSITION and of animation times. `target` is ARRAY_BUFFER or ELEMENT_ARRAY_BUFFER.
    """
    array = np.asarray(values)
    kind = _type_of(array)
    stored = np.ascontiguousarray(_storable(array))
    _refuse_non_finite(stored, None)
    component_type = next(c for c, code in COMPONENT_TYPES.items() if stored.dtype == code)
    layout = _layout(component_type, kind, "")
    packed, stride = _packed(stored, layout, pad_elements=target == ARRAY_BUFFER)
    accessors = document.growing_array("accessors")
    members = {"byteStride": stride} if stride else {}
    members |= {"target": target} if target else {}
    view = document.append_view(packed.data, alignment=4, **members)
    accessor: dict[str, Any] = {
        "bufferView": view,
        "componentType": component_type,
        "count": len(stored),
        "type": kind,
    }
    if normalized:
        accessor["normalized"] = True
    if bounds:
        flat = _column_major(stored).reshape(len(stored), -1)
        accessor |= {"min": flat.min(axis=0).tolist(), "max": flat.max(axis=0).tolist()}
    if name is not None:
        accessor["name"] = name
    accessors.append(accessor)
    return len(accessors) - 1


def _layout(component_type: int, kind: str, pointer: str) -> _Layout:
    if component_type not in COMPONENT_TYPES:
        raise wrong(component_type, pointer, f"one of {', '.join(map(str, COMPONENT_TYPES))}")
    dtype = np.dtype(COMPONENT_TYPES[component_type])
    if not kind.startswith("MAT"):
        count = COMPONENTS[kind]
        return _Layout(dtype, 1, count, count * dtype.itemsize)
    order = int(kind[3])
    column = order * dtype.itemsize
    return _Layout(dtype, order, order, column + -column % 4)


def _base(document: Document, accessor: objects.Accessor, layout: _Layout, pointer: str) -> Array:
    if accessor.buffer_view is None:
        # Checked again for edited documents: a single number could allocate any amount of memory.
        zeros, place = accessor.count * COMPONENTS[accessor.type], f"{pointer}/count"
        document.limits.require("unbacked_numbers", zeros, UNBACKED, pointer=place)
        return np.zeros((accessor.count, layout.columns, layout.rows), layout.dtype)
    data = read_view_bytes(document, accessor.buffer_view)
    view = document.element("bufferViews", accessor.buffer_view, objects.BufferView)
    stride = view.byte_stride or layout.size
    return _strided(data, accessor.byte_offset, accessor.count, stride, layout, pointer)


def _strided(
    data: memoryview, offset: int, count: int, stride: int, layout: _Layout, pointer: str
) -> Array:
    """View `count` elements as (count, columns, rows) without copying."""
    used = layout.size - layout.column_stride + layout.rows * layout.dtype.itemsize
    if stride < used:
        raise ContentError(
            f"a byteStride of {stride}", pointer=pointer, remedy=f"one element has {used} bytes"
        )
    if offset + stride * (count - 1) + used > len(data):
        raise ContentError(
            f"{count} elements of {stride} bytes from byte {offset} in a view of {len(data)}",
            pointer=pointer,
            remedy="the accessor must stay inside its buffer view",
        )
    shape = (count, layout.columns, layout.rows)
    strides = (stride, layout.column_stride, layout.dtype.itemsize)
    return np.ndarray(shape, layout.dtype, data, offset, strides)


def _with_sparse(
    document: Document, accessor: objects.Accessor, layout: _Layout, base: Array, pointer: str
) -> Array:
    sparse = accessor.sparse
    assert sparse is not None
    where = f"{pointer}/sparse"
    counter = _layout(sparse.indices.component_type, "SCALAR", f"{where}/indices/componentType")
    if counter.dtype.kind != "u":
        raise wrong(sparse.indices.component_type, f"{where}/indices/componentType", "unsigned")
    places = _strided(
        read_view_bytes(document, sparse.indices.buffer_view),
        sparse.indices.byte_offset,
        sparse.count,
        counter.size,
        counter,
        f"{where}/indices",
    ).ravel()
    values = _strided(
        read_view_bytes(document, sparse.values.buffer_view),
        sparse.values.byte_offset,
        sparse.count,
        layout.size,
        layout,
        f"{where}/values",
    )
    if places.max() >= accessor.count:
        raise wrong(int(places.max()), f"{where}/indices", f"an index below {accessor.count}")
    result = np.array(base)
    result[places] = values
    return result


def _denormalised(elements: Array) -> Array:
    if elements.dtype.kind == "f" or elements.dtype.itemsize == 4:
        return elements
    values = elements.astype(np.float32)
    values /= np.float32(np.iinfo(elements.dtype).max)
    return np.maximum(values, np.float32(-1), out=values)


def _refuse_non_finite(values: Array, pointer: str | None) -> None:
    if values.dtype.kind != "f":
        return
    finite = np.isfinite(values)
    if not finite.all():
        place = int(np.argmin(finite.reshape(len(values), -1).all(axis=1)))
        raise ContentError(
            f"element {place} contains a number that is not finite",
            pointer=pointer,
            remedy="glTF allows finite numbers only",
        )


def _shaped(elements: Array, kind: str) -> Array:
    """Convert (count, columns, rows) to the shape that users expect, read-only."""
    if kind.startswith("MAT"):
        result = elements.transpose(0, 2, 1)
    else:
        result = elements[:, 0, 0] if kind == "SCALAR" else elements[:, 0, :]
    result.flags.writeable = False
    return result


def _type_of(array: Array) -> str:
    match array.shape:
        case (count,) if count:
            return "SCALAR"
        case (count, n) if count and 2 <= n <= 4:
            return f"VEC{n}"
        case (count, n, m) if count and n == m and 2 <= n <= 4:
            return f"MAT{n}"
    raise ContentError(
        f"an array of shape {array.shape} cannot be an accessor",
        remedy="use (count,), (count, 2..4) or (count, n, n), with at least one element",
    )


def _storable(array: Array) -> Array:
    if array.dtype.kind == "f":
        with np.errstate(over="ignore"):  # too large for float32: refused as non-finite
            return array.astype("<f4")
    if array.dtype.kind in "iub":
        own = array.dtype.newbyteorder("<")
        dtypes = [np.dtype(code) for code in ("<u1", "<u2", "<u4", "<i1", "<i2")]
        fitting = [own] if own in dtypes else [dtype for dtype in dtypes if _fits(array, dtype)]
        if fitting:
            return array.astype(fitting[0])
    raise ContentError(
        f"an array of {array.dtype} cannot be stored in an accessor",
        remedy="use floats, integers from 0 to 4294967295 or from -32768 to 32767",
    )


def _fits(array: Array, dtype: np.dtype[Any]) -> bool:
    limits = np.iinfo(dtype)
    return bool(limits.min <= array.min() and array.max() <= limits.max)


def _column_major(stored: Array) -> Array:
    return stored.transpose(0, 2, 1) if stored.ndim == 3 else stored


def _packed(stored: Array, layout: _Layout, *, pad_elements: bool) -> tuple[Array, int | None]:
    """Return contiguous bytes and the stride, if elements must be padded to 4 bytes."""
    stride = layout.size + (-layout.size % 4 if pad_elements else 0)
    if stride == stored.dtype.itemsize * layout.columns * layout.rows:
        return np.ascontiguousarray(_column_major(stored)).view(np.uint8).reshape(-1), None
    block = np.zeros((len(stored), stride), np.uint8)
    _strided(block.data.cast("B"), 0, len(stored), stride, layout, "")[...] = _column_major(
        stored
    ).reshape(len(stored), layout.columns, layout.rows)
    return block.reshape(-1), stride if stride != layout.size else None


COMPONENTS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
UNBACKED = "zeros that are not stored in a buffer"
FREE_ZEROS = 1 << 22
"""Numbers without a buffer that are allowed whatever the size of the file."""

_verdicts: weakref.WeakKeyDictionary[Document, LimitError | None] = weakref.WeakKeyDictionary()


def refuse_amplified(document: Document) -> None:
    """Raise LimitError if accessors or animations exceed the limits in total.

    Accessors may share their bytes, channels their accessors: by repeating itself, a small file can
    declare more numbers than fit into any memory. The document is inspected once, as it was
    loaded; what is appended later was in memory before.
    """
    if document not in _verdicts:
        _verdicts[document] = _verdict(document)
    verdict = _verdicts[document]
    if verdict is not None:
        raise LimitError(verdict.message, pointer=verdict.pointer, remedy=verdict.remedy)


def _verdict(document: Document) -> LimitError | None:
    json, limits = document.json, document.limits
    accessors, views = _objects(json.get("accessors")), _objects(json.get("bufferViews"))
    sizes = [_numbers(accessor, views, limits) for accessor in accessors]
    uses = Counter(_read_by_primitives(_objects(json.get("meshes"))))
    unbacked = sum(
        size * max(1, uses[index])
        for index, (size, raw) in enumerate(zip(sizes, accessors, strict=True))
        if "bufferView" not in raw
    )
    keys = sum(_keys(animation, sizes) for animation in _objects(json.get("animations")))
    try:
        limits.require("unbacked_numbers", unbacked, UNBACKED, pointer="/accessors")
        if unbacked > FREE_ZEROS and (size := document.size()):
            ratio = (unbacked - FREE_ZEROS) / size
            what = f"{UNBACKED}, for each byte of the file"
            limits.require("unbacked_per_byte", ratio, what, pointer="/accessors")
        limits.require("accessor_numbers", sum(sizes), "numbers in total", pointer="/accessors")
        limits.require("key_numbers", keys, "numbers in all keys", pointer="/animations")
    except LimitError as fault:
        return fault
    return None


def declared_count(document: Document, index: int | None) -> int:
    """Return how many elements an accessor declares, 0 for none and for an invalid one."""
    accessor = _at(document.array("accessors"), index)
    return _whole(accessor.get("count")) if isinstance(accessor, dict) else 0


def _numbers(accessor: dict[str, Any], views: list[dict[str, Any]], limits: Limits) -> int:
    """Return how many numbers an accessor yields, 0 for an invalid one."""
    numbers = _whole(accessor.get("count")) * COMPONENTS.get(str(accessor.get("type")), 0)
    if "bufferView" not in accessor:
        return numbers if numbers <= limits.unbacked_numbers else 0
    view = _at(views, accessor["bufferView"]) or {}
    return min(numbers, _whole(view.get("byteLength")))  # a number has at least one byte


def _read_by_primitives(meshes: list[dict[str, Any]]) -> Iterator[int]:
    """Yield the accessors of indices and attributes, once for each primitive that reads them."""
    for mesh in meshes:
        for primitive in _objects(mesh.get("primitives")):
            attributes = primitive.get("attributes")
            named = attributes.values() if isinstance(attributes, dict) else ()
            for accessor in (primitive.get("indices"), *named):
                if isinstance(accessor, int | float) and accessor == _whole(accessor):
                    yield int(accessor)


def _keys(animation: dict[str, Any], sizes: list[int]) -> int:
    """Return how many numbers the keys of all channels have."""
    samplers, channels = _objects(animation.get("samplers")), _objects(animation.get("channels"))
    used = [_at(samplers, channel.get("sampler")) or {} for channel in channels]
    ends = [sampler.get(name) for sampler in used for name in ("input", "output")]
    return sum(_at(sizes, accessor) or 0 for accessor in ends)


def _objects(value: Any) -> list[dict[str, Any]]:
    """Return the elements of an array, with an empty object for each invalid one."""
    items = value if isinstance(value, list) else []
    return [item if isinstance(item, dict) else {} for item in items]


def _whole(value: Any) -> int:
    """Return a number as an integer; anything else, or one out of range, is 0."""
    return int(value) if isinstance(value, int | float) and 0 <= value < 2**63 else 0


def _at(items: list[Any], index: Any) -> Any:
    is_index = isinstance(index, int) and not isinstance(index, bool)
    return items[index] if is_index and 0 <= index < len(items) else None

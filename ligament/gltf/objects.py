"""Typed views of glTF objects: msgspec structs, read from raw JSON and written back into it.

The raw JSON stays the source of truth. A view knows the members that its struct declares;
everything else in the object stays in place and in order when the view is written back.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta

from ligament.errors import ContentError
from ligament.gltf import jsontext, pointers

T = TypeVar("T")

Index = Annotated[int, msgspec.Meta(ge=0, lt=1 << 53)]
"""A reference to an element of an array."""


class View(msgspec.Struct, rename="camel", omit_defaults=True, kw_only=True):
    """Base of all typed views: Python names in snake_case, JSON names in camelCase."""


def read_view(raw: Any, kind: type[T], pointer: str) -> T:
    """Read `raw`, which is at `pointer`, as a struct (or a list of structs, or a number...).

    Raise ContentError with the pointer of the member that does not fit.
    """
    try:
        view: T = _convert(raw, kind)
    except msgspec.ValidationError as fault:
        message, place = pointers.from_msgspec(str(fault), pointer)
        raise ContentError(_lowered(message), pointer=place, remedy=_remedy(message)) from fault
    except RecursionError as fault:
        raise ContentError("nested too deeply", pointer=pointer) from fault
    return view


def write_view(raw: dict[str, Any], view: View) -> None:
    """Write the members of a view that differ from `raw` back into it.

    An equivalent member is left as written; one that became its default is removed; unknown members
    and the order are kept, also in nested objects and arrays.
    """
    for field in msgspec.structs.fields(view):
        value = getattr(view, field.name)
        name = field.encode_name
        if name in raw and _is_equivalent(raw[name], value, field.type):
            continue
        if _is_default(value, field):
            raw.pop(name, None)
        else:
            raw[name] = _merged(raw.get(name), value)


def _convert(raw: Any, kind: Any) -> Any:
    """Convert; JSON Schema calls 1.0 an integer too, which msgspec refuses at first.

    So does it refuse what is a kind of float, for numbers that are too large for one.
    """
    try:
        return msgspec.convert(raw, kind)
    except msgspec.ValidationError:
        return msgspec.convert(_integral(raw), kind)


def _integral(raw: Any) -> Any:
    return jsontext.rebuild(raw, _integral_number)


def _integral_number(item: Any) -> Any:
    if isinstance(item, float):
        return int(item) if item.is_integer() else float(item)
    return item


def _is_equivalent(raw: Any, value: Any, kind: Any) -> bool:
    try:
        return bool(_convert(raw, kind) == value)
    except msgspec.ValidationError:
        return False


def _is_default(value: Any, field: msgspec.structs.FieldInfo) -> bool:
    if field.default is not msgspec.NODEFAULT:
        return bool(value == field.default)
    if field.default_factory is not msgspec.NODEFAULT:
        return bool(value == field.default_factory())
    return False


def _merged(raw: Any, value: Any) -> Any:
    """Return `value` as plain JSON that keeps details that only `raw`, which it replaces, has."""
    if isinstance(value, View) and isinstance(raw, dict):
        write_view(raw, value)
        return raw
    if isinstance(value, dict) and isinstance(raw, dict):
        return {name: _merged(raw.get(name), item) for name, item in value.items()}
    if isinstance(value, (list, tuple)) and isinstance(raw, list):
        return [_merged(old, item) for old, item in zip(_partners(raw, value), value, strict=True)]
    if {type(raw), type(value)} <= {int, float} and raw == value:
        return raw
    return jsontext.clone(value)


def _partners(raw: list[Any], values: Sequence[Any]) -> list[Any]:
    """Find the raw item behind each value: an equivalent one, else the one at its position."""
    unused = dict(enumerate(raw))
    partners: dict[int, Any] = {}
    for i, value in enumerate(values):
        for place in itertools.chain((i,), unused):
            if place in unused and _is_equivalent(unused[place], value, type(value)):
                partners[i] = unused.pop(place)
                break
    in_place = unused if len(raw) == len(values) else {}
    return [partners.get(i, in_place.get(i)) for i in range(len(values))]


def _lowered(message: str) -> str:
    return message[:1].lower() + message[1:]


def _remedy(message: str) -> str | None:
    return "add it" if "missing required" in message else None


Vec3 = tuple[float, float, float]
Vec4 = tuple[float, float, float, float]
Count = Annotated[int, Meta(ge=1, lt=1 << 53)]

AccessorType = Literal["SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT3", "MAT4"]
Interpolation = Literal["STEP", "LINEAR", "CUBICSPLINE"]


class Buffer(View):
    """A block of bytes."""

    byte_length: Index
    uri: str | None = None
    extensions: dict[str, Any] = {}


class ByteRange(View):
    """A range of a buffer."""

    buffer: Index
    byte_length: Count
    byte_offset: Index = 0


class BufferView(ByteRange):
    """A range of a buffer that accessors and images can name."""

    byte_stride: Annotated[int, Meta(ge=4, le=252)] | None = None
    extensions: dict[str, Any] = {}


class SparseIndices(View):
    """The indices of a sparse accessor's deviations."""

    buffer_view: Index
    component_type: int
    byte_offset: Index = 0


class SparseValues(View):
    """The values of a sparse accessor's deviations."""

    buffer_view: Index
    byte_offset: Index = 0


class Sparse(View):
    """The deviations of a sparse accessor."""

    count: Count
    indices: SparseIndices
    values: SparseValues


class Accessor(View):
    """A typed array in a buffer view."""

    component_type: int
    count: Count
    type: AccessorType
    buffer_view: Index | None = None
    byte_offset: Index = 0
    normalized: bool = False
    sparse: Sparse | None = None


class Node(View):
    """A node of the scene tree."""

    name: str | None = None
    children: list[Index] = []
    translation: Vec3 | None = None
    rotation: Vec4 | None = None
    scale: Vec3 | None = None
    matrix: Annotated[list[float], Meta(min_length=16, max_length=16)] | None = None
    mesh: Index | None = None
    skin: Index | None = None
    weights: list[float] | None = None


class Primitive(View):
    """Part of a mesh."""

    attributes: dict[str, Index]
    indices: Index | None = None
    material: Index | None = None
    mode: Annotated[int, Meta(ge=0, le=6)] = 4
    targets: list[dict[str, Index]] = []
    extensions: dict[str, Any] = {}


class DracoPrimitive(View):
    """KHR_draco_mesh_compression: the view of a primitive, and the ids of its attributes."""

    buffer_view: Index
    attributes: dict[str, Index]


class Mesh(View):
    """A set of primitives."""

    primitives: list[Primitive]
    weights: list[float] | None = None
    name: str | None = None


class Skin(View):
    """The joints that deform a mesh."""

    joints: list[Index]
    inverse_bind_matrices: Index | None = None
    skeleton: Index | None = None


class Scene(View):
    """The root nodes of one scene."""

    nodes: list[Index] = []
    name: str | None = None


class Target(View):
    """The property that a channel animates."""

    path: str
    node: Index | None = None
    extensions: dict[str, Any] = {}


class Channel(View):
    """A sampler applied to a target."""

    sampler: Index
    target: Target


class Sampler(View):
    """Key times and key values."""

    input: Index
    output: Index
    interpolation: Interpolation = "LINEAR"


class Named(View):
    """The name of any object."""

    name: str | None = None


class Animation(View):
    """A set of channels."""

    channels: list[Channel]
    samplers: list[Sampler]
    name: str | None = None

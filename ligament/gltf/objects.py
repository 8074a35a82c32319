"""Typed views of the core glTF 2.0 objects, as far as Ligament reads them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from ligament.gltf.views import Index, View

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
    """KHR_draco_mesh_compression: where a primitive is, and the ids of its attributes there."""

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


class Animation(View):
    """A set of channels."""

    channels: list[Channel]
    samplers: list[Sampler]
    name: str | None = None

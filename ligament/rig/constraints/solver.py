"""Node constraint solver, for any number of frames.

The evaluation order is a topological sort of constraints by what they read.

Rotation and roll read the local rotation of their source. Aim reads world transforms: the source,
all ancestors of the source and all ancestors of the destination. A constraint depends on another
only if it reads the rotation that the other writes, so that a file which merely looks circular (a
source below its destination, say) is solved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ligament.arguments import checked
from ligament.arrays import Ints
from ligament.errors import ArgumentError, CycleError, counted
from ligament.extensions.vrmc_node_constraint import Constraint, read_constraints
from ligament.gltf.load import AnyDocument, as_document
from ligament.gltf.tree import NodeTree, around
from ligament.rig.constraints.evaluation import solve_blocks, solve_traced
from ligament.rig.constraints.plan import Plan, make_plan
from ligament.transforms.components import Array, floats, namespace


class Fact(NamedTuple):
    """A value that constraints read or write: the local rotation or the world pose of a node."""

    node: int
    is_world: bool


class Order(NamedTuple):
    """Constraints by level: each level depends only on earlier ones.

    `cycles` lists the nodes of each cycle, each depending on the next; the levels then ignore the
    dependency that closes the cycle.
    """

    levels: list[list[Constraint]]
    cycles: list[tuple[int, ...]]


def arrange(constraints: Sequence[Constraint], parents: Ints) -> Order:
    """Sort the constraints of a node tree into levels, in linear time."""
    by_node = {constraint.destination: constraint for constraint in constraints}
    needs = _needs(by_node, parents.tolist())
    depths, circles = _depths([Fact(node, False) for node in by_node], needs)
    levels: dict[int, list[Constraint]] = {}
    for constraint in constraints:
        depth = depths[Fact(constraint.destination, False)]
        levels.setdefault(depth, []).append(constraint)
    cycles = [_named(circle, by_node) for circle in circles]
    return Order([levels[depth] for depth in sorted(levels)], cycles)


def _needs(by_node: dict[int, Constraint], parents: Sequence[int]) -> Callable[[Fact], list[Fact]]:
    """Return the function that lists the dependencies of a fact.

    World transforms are separate facts, each reading the nearest constrained ancestor: otherwise
    deep trees with many aims would take quadratic time.
    """
    above: dict[int, int] = {-1: -1}

    def nearest_constrained(node: int) -> int:
        """Find the nearest constrained node at or above this one, or -1."""
        path = []
        while node not in above and node not in by_node:
            path.append(node)
            node = parents[node]
        found = above.get(node, node)
        above.update(dict.fromkeys(path, found))
        return found

    def needs(fact: Fact) -> list[Fact]:
        node = fact.node
        if fact.is_world:
            reached = nearest_constrained(node)
            if reached != node:
                return [Fact(reached, True)] if reached >= 0 else []
            over = nearest_constrained(parents[node])
            return [Fact(node, False)] + [Fact(over, True)] * (over >= 0)
        constraint = by_node.get(node)
        if constraint is None:
            return []
        if constraint.kind != "aim":
            return [Fact(constraint.source, False)]
        beneath = [Fact(parents[node], True)] if parents[node] >= 0 else []
        return [Fact(constraint.source, True), *beneath]

    return needs


def _depths(
    roots: Sequence[Fact], needs: Callable[[Fact], list[Fact]]
) -> tuple[dict[Fact, int], list[list[Fact]]]:
    """Count the levels before each fact is known, by depth-first search.

    A dependency that leads back to the current path closes a cycle and is ignored; of cycles that
    share a fact, the first is listed.
    """
    depths: dict[Fact, int] = {}
    circles: list[list[Fact]] = []
    ringed: set[Fact] = set()
    for root in roots:
        path = [root] if root not in depths else []
        left = [needs(fact) for fact in path]
        walked = set(path)
        while path:
            fact = path[-1]
            if not left[-1]:
                before = [depths.get(needed, 0) for needed in needs(fact)]
                depths[fact] = max(before, default=0) + bool(before and not fact.is_world)
                walked.remove(path.pop())
                left.pop()
                continue
            needed = left[-1].pop()
            if needed in walked and not {needed, fact} & ringed:
                circles.append(path[path.index(needed) :])
                ringed.update(circles[-1])
            elif needed not in walked and needed not in depths:
                path.append(needed)
                left.append(needs(needed))
                walked.add(needed)
    return depths, circles


def _named(circle: Sequence[Fact], by_node: dict[int, Constraint]) -> tuple[int, ...]:
    """List the nodes of a cycle: constrained ones and the sources that they aim at."""
    nodes: list[int] = []
    for before, fact in zip([circle[-1], *circle], circle, strict=False):
        is_aimed_at = not before.is_world and by_node[before.node].source == fact.node
        if (not fact.is_world or is_aimed_at) and nodes[-1:] != [fact.node]:
            nodes.append(fact.node)
    nodes = nodes[:-1] if len(nodes) > 1 and nodes[0] == nodes[-1] else nodes
    first = nodes.index(min(nodes))
    return tuple(nodes[first:] + nodes[:first])


def describe_cycle(
    cycle: Sequence[int], constraints: Sequence[Constraint], label: Callable[[int], str]
) -> tuple[str, str, str]:
    """Return a description of a cycle, the pointer of its first constraint, and the remedy."""
    ring = " depends on ".join(around([label(node) for node in cycle]))
    pointer = next(c.pointer for c in constraints if c.destination in cycle)
    return f"constraints form a cycle: {ring}", pointer, "remove one of them"


NumpyArray = npt.NDArray[Any]


class NodeConstraints:
    """Solver for the node constraints of a document (VRMC_node_constraint).

        solver = NodeConstraints(document)
        rotation = solver.solve(rotation, translation)

    `constraints` are in file order; `levels` are their destinations, grouped so that each level
    depends only on earlier ones; `order` lists them in evaluation order. The rest pose is that of
    the document at construction.

    Where the specification is silent: an aim at its own position gives the rest rotation, an aim in
    the opposite direction half a turn about the axis that `transforms.between` chooses. A roll
    whose source swings by half a turn has no twist and gives the rest rotation. A draft constraint
    rotates its frozen axes by weight·log(rS⁻¹·qS) and leaves the others unchanged.
    """

    @checked
    def __init__(self, document: AnyDocument, *, strict: bool = True) -> None:
        """Read and sort constraints; raise ContentError, or CycleError with the nodes of a cycle.

        Unless `strict`, an unreadable constraint is skipped with a warning.
        """
        document = as_document(document)
        read = read_constraints(document, strict=strict)
        self.constraints: tuple[Constraint, ...] = tuple(read)
        self.tree = NodeTree(document)
        self._arranged = arrange(self.constraints, self.tree.parents)
        if self._arranged.cycles:
            cycle = self._arranged.cycles[0]
            message, pointer, remedy = describe_cycle(cycle, self.constraints, self.tree.label)
            raise CycleError(
                message, nodes=cycle, file=document.path, pointer=pointer, remedy=remedy
            )
        self.levels = [
            tuple(constraint.destination for constraint in level) for level in self._arranged.levels
        ]
        self.order = tuple(node for level in self.levels for node in level)
        self._plans: dict[Any, Plan] = {}

    def __repr__(self) -> str:
        count, levels = len(self.constraints), counted(len(self.levels), "level")
        nodes = counted(len(self.tree), "node")
        return f"<ligament.NodeConstraints: {count} on {nodes}, in {levels}>"

    @checked
    def solve(
        self,
        rotation: Array,
        translation: Array | None = None,
        scale: Array | None = None,
        *,
        out: NumpyArray | None = None,
    ) -> Array:
        """Return the local rotations of all nodes with constraints solved.

        `rotation` (frames, nodes, 4), `translation` [m] and `scale` (frames, nodes, 3) are local; a
        single frame may omit the first axis, and omitted arrays default to rest. Arrays of any
        library stay on their device; the result is a new array with the dtype of `rotation`, or for
        NumPy `out`, which may be `rotation` itself. Rotations of destinations are normalized,
        whatever the length of the input.
        """
        given = [values for values in (rotation, translation, scale) if values is not None]
        xp, arrays = floats(*given)
        dtype = floats(rotation)[1][0].dtype if namespace(rotation) is xp else arrays[0].dtype
        arrays = [xp.astype(values, dtype, copy=False) for values in arrays]
        self._require_shapes(arrays)
        frames = iter([values if values.ndim == 3 else values[None, ...] for values in arrays])
        pose: list[Any] = [
            None if values is None else next(frames) for values in (rotation, translation, scale)
        ]
        plan = self._plan(xp, arrays[0], rest_scale=scale is None)
        if xp is np:
            return _into(out, plan, arrays[0], pose)
        if out is not None:
            raise ArgumentError("`out` needs NumPy arrays", remedy="leave it out")
        result = solve_traced(xp, plan, *pose)
        return result if arrays[0].ndim == 3 else result[0, ...]

    def _require_shapes(self, pose: Sequence[Array]) -> None:
        """Raise ArgumentError unless the arrays fit this document and their frames match."""
        nodes, frames = len(self.tree), tuple(pose[0].shape[:-2])
        for values, size in zip(pose, (4, 3, 3), strict=False):
            shape = tuple(values.shape)
            if (
                shape[-2:] != (nodes, size)
                or shape[:-2] not in {(), (1,), frames}
                or len(shape) > 3
            ):
                raise ArgumentError(
                    f"found an array of shape {shape}",
                    remedy=f"it must be (frames, {nodes}, {size}) or ({nodes}, {size}), and "
                    "translation and scale have the frames of rotation",
                )

    def _plan(self, xp: Any, like: Array, *, rest_scale: bool) -> Plan:
        """Return the plan with arrays on the pose's device; built once per device and dtype."""
        place = _device(xp, like)
        key = (xp.__name__, str(like.dtype), str(place), rest_scale)
        if key not in self._plans:
            plan = make_plan(self._arranged.levels, self.tree, rest_scale=rest_scale)
            self._plans[key] = plan.converted(lambda array: _placed(xp, array, like.dtype, place))
        return self._plans[key]


def _into(out: NumpyArray | None, plan: Plan, rotation: NumpyArray, pose: list[Any]) -> NumpyArray:
    """Solve a pose of NumPy arrays into `out`, or into a new array."""
    if out is None:
        out = np.empty(rotation.shape, rotation.dtype)
    if out.shape != rotation.shape or out.dtype != rotation.dtype:
        raise ArgumentError(
            f"found `out` of shape {out.shape} and {out.dtype}",
            remedy=f"it must be of shape {rotation.shape} and {rotation.dtype}",
        )
    frames = out if out.ndim == 3 else out[None]
    solve_blocks(plan, pose[0] if out is rotation else frames, *pose)
    return out


def _device(xp: Any, like: Array) -> Any:
    """Return the device of an array; None for NumPy and JAX, whose traced arrays have none."""
    if xp is np:
        return None
    from array_api_compat import device, is_jax_namespace

    return None if is_jax_namespace(xp) else device(like)


def _placed(xp: Any, array: npt.NDArray[Any], dtype: Any, place: Any) -> Array:
    """Move a constant to a device; NumPy and JAX need no move."""
    is_index = array.dtype.kind != "f"
    if place is None:
        return array if is_index else array.astype(dtype)
    return xp.asarray(array, device=place, **({} if is_index else {"dtype": dtype}))

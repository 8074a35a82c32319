"""Node constraint solver, for any number of frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ligament.errors import CycleError
from ligament.extensions.vrmc_node_constraint import Constraint, read_constraints
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree
from ligament.rig.constraints.evaluation import solve_blocks, solve_traced
from ligament.rig.constraints.order import arrange, describe_cycle
from ligament.rig.constraints.plan import Plan, make_plan
from ligament.transforms.components import Array, floats, namespace

NumpyArray = npt.NDArray[Any]


class NodeConstraints:
    """The constraints of a document (VRMC_node_constraint), ready to be solved.

        solver = NodeConstraints(document)
        rotation = solver.solve(rotation, translation)

    `constraints` are in the order of the file; `levels` are their destinations, grouped so that
    each level needs only those before it; `order` are the same in the order of evaluation. The
    rest pose is that of the document when this was made.

    Of what the specification leaves open: an aim at its own position gives the rest rotation, one
    in the opposite direction half a turn about the axis that `transforms.between` chooses. A roll
    whose source swings by half a turn has no twist and gives the rest rotation. A draft constraint
    turns its frozen axes by weight·log(rS⁻¹·qS) and leaves the others as they are.
    """

    def __init__(self, document: Document) -> None:
        """Read and sort; raises ContentError, or CycleError naming every node of a cycle."""
        self.constraints: tuple[Constraint, ...] = tuple(read_constraints(document))
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

    def solve(
        self,
        rotation: Array,
        translation: Array | None = None,
        scale: Array | None = None,
        *,
        out: NumpyArray | None = None,
    ) -> Array:
        """Return the local rotations of all nodes after the constraints.

        `rotation` (frames, nodes, 4), `translation` [m] and `scale` (frames, nodes, 3) are local;
        a single frame may lack the first axis, and what is not given is at rest. Arrays of any
        library stay on their device; the result is a new array with the dtype of `rotation`, or
        for NumPy `out`, which may be `rotation` itself. The rotations of destinations come out
        with length one, whatever the length of what is given.
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
            raise ValueError("found `out` beside arrays that are not NumPy's; leave it out")
        result = solve_traced(xp, plan, *pose)
        return result if arrays[0].ndim == 3 else result[0, ...]

    def _require_shapes(self, pose: Sequence[Array]) -> None:
        """Raise ValueError unless the arrays are of this document and of equally many frames."""
        nodes, frames = len(self.tree), tuple(pose[0].shape[:-2])
        for values, size in zip(pose, (4, 3, 3), strict=False):
            shape = tuple(values.shape)
            if (
                shape[-2:] != (nodes, size)
                or shape[:-2] not in {(), (1,), frames}
                or len(shape) > 3
            ):
                raise ValueError(
                    f"found an array of shape {shape}; it must be (frames, {nodes}, {size}) or "
                    f"({nodes}, {size}), and translation and scale have the frames of rotation"
                )

    def _plan(self, xp: Any, like: Array, *, rest_scale: bool) -> Plan:
        """Return the plan with its arrays where the pose is; made once per device and dtype."""
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
        raise ValueError(
            f"found `out` of shape {out.shape} and {out.dtype}; "
            f"it must be of shape {rotation.shape} and {rotation.dtype}"
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
    """Move a constant to a device; NumPy and JAX take it as it is."""
    is_index = array.dtype.kind != "f"
    if place is None:
        return array if is_index else array.astype(dtype)
    return xp.asarray(array, device=place, **({} if is_index else {"dtype": dtype}))

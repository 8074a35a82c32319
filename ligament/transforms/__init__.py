"""Batched rotations and transforms on the arrays of any library: NumPy, torch, CuPy, JAX.

Quaternions are xyzw in the last axis, right-handed, angles in radians; leading axes broadcast.
The floating dtype and the device of the input are kept, integers become float64, no input is
modified, and nothing is copied to the host. Plain lists and NumPy constants take the dtype and
device of an array of another library.

    >>> from ligament import transforms as tf
    >>> turn = tf.from_axis_angle([0, 1, 0], 0.5)
    >>> tf.rotate(tf.slerp([0, 0, 0, 1], turn, 0.5), [0, 0, 1]).round(3).tolist()
    [0.247, 0.0, 0.969]
"""

from ligament.transforms.components import Array, namespace
from ligament.transforms.directions import between, swing_twist, twist_angle
from ligament.transforms.euler import EulerOrder, from_euler, to_euler
from ligament.transforms.matrix import (
    apply_matrix,
    compose,
    decompose,
    determinant,
    from_matrix,
    multiply_matrices,
    to_matrix,
)
from ligament.transforms.quaternion import (
    angle_between,
    conjugate,
    dot,
    exp,
    from_axis_angle,
    inverse,
    log,
    multiply,
    normalize,
    power,
    rotate,
    slerp,
)

__all__ = [
    "Array",
    "EulerOrder",
    "angle_between",
    "apply_matrix",
    "between",
    "compose",
    "conjugate",
    "decompose",
    "determinant",
    "dot",
    "exp",
    "from_axis_angle",
    "from_euler",
    "from_matrix",
    "inverse",
    "log",
    "multiply",
    "multiply_matrices",
    "namespace",
    "normalize",
    "power",
    "rotate",
    "slerp",
    "swing_twist",
    "to_euler",
    "to_matrix",
    "twist_angle",
]

"""Keys that lie on a device are brought home before they are written."""

import numpy as np
import pytest

from ligament.transforms.components import on_host


class OnDevice:
    """An array as torch has it on a GPU: NumPy may not take it, `cpu` gives it."""

    def __init__(self, values: np.ndarray) -> None:
        self.values = values

    def cpu(self) -> np.ndarray:
        return self.values

    def __array__(self, *_: object, **__: object) -> np.ndarray:
        raise TypeError("can't convert device type tensor to numpy")


def test_arrays_come_home_from_a_device() -> None:
    values = np.arange(6.0).reshape(2, 3)
    with pytest.raises(TypeError):
        np.asarray(OnDevice(values))
    np.testing.assert_array_equal(on_host(OnDevice(values)), values)
    np.testing.assert_array_equal(on_host(values.tolist()), values)

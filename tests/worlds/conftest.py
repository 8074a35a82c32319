"""Settings of the tests of many worlds."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def quick_kernels() -> None:
    """Have Warp compile kernels without optimization: in half of the time, and once for all tests.

    Kernels of another level are other kernels, and are compiled again.
    """
    import warp

    warp.config.optimization_level = 0

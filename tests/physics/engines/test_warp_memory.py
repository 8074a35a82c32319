"""Memory of a device that runs out while worlds are made: one line, with a remedy."""

from __future__ import annotations

import re
from typing import Any

import pytest

import ligament as lg
from tests.play.files import CUBE, node, physics_file

warp = pytest.importorskip("warp")


@pytest.mark.parametrize(
    "message",
    [
        "Failed to allocate 21889024 bytes on device 'cuda:0'",
        "Failed to acquire primary context for device cuda:0",
    ],
)
def test_no_memory_on_the_device_is_one_line(message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second is what a process gets where another one holds all memory."""

    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError(message)

    monkeypatch.setattr(warp, "ScopedDevice", fail)
    document = physics_file(node("Box", motion={}, shape=CUBE))
    with pytest.raises(lg.LigamentError, match=re.escape(message)) as caught:
        lg.Worlds(document, 2, engine="mujoco-warp", device="cpu")
    assert "use fewer worlds at once" in str(caught.value)
    assert "\n" not in str(caught.value)

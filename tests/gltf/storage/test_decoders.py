"""The process that decodes: its limits, what it may do, and what is left when it dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import DracoPy
import meshopt
import numpy as np
import pytest

from ligament.errors import FormatError, LimitError
from ligament.gltf.storage import decoder_process, decoders
from ligament.gltf.storage.compression import decode_draco
from ligament.limits import DEFAULT, Limits

ROWS = np.arange(64, dtype=np.float32).reshape(16, 4)
LAYOUT = {"count": 16, "stride": 16, "mode": "ATTRIBUTES", "filter": "NONE"}


def packed() -> memoryview:
    return memoryview(bytes(meshopt.encode_gltf_buffer(ROWS.view(np.uint8), "ATTRIBUTES")))


def decoded() -> np.ndarray:
    _, (values,) = decoders.decode("meshopt", packed(), DEFAULT, **LAYOUT)
    return values.view(np.float32).reshape(ROWS.shape)


def test_one_process_serves_all() -> None:
    np.testing.assert_array_equal(decoded(), ROWS)
    first = decoders._process()
    np.testing.assert_array_equal(decoded(), ROWS)
    assert decoders._process() is first


def test_threads_take_turns() -> None:
    found: list[np.ndarray] = []
    threads = [threading.Thread(target=lambda: found.append(decoded())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(values, ROWS) for values in found)
    assert len(found) == 8


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_a_decoder_that_crashes_is_reported_and_replaced() -> None:
    decoded()
    process = decoders._process()
    os.kill(process.child.pid, signal.SIGSTOP)
    killer = threading.Timer(0.2, os.kill, (process.child.pid, signal.SIGKILL))
    killer.start()
    with pytest.raises(FormatError, match="the decoder was ended by SIGKILL"):
        decoded()
    np.testing.assert_array_equal(decoded(), ROWS)


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_a_decoder_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoders, "SECONDS", 0.2)
    decoders._process().end()
    decoded()
    os.kill(decoders._process().child.pid, signal.SIGSTOP)
    with pytest.raises(LimitError, match=r"longer than 0\.2 s"):
        decoded()


def many_attributes() -> bytes:
    """A grid whose points have forty more attributes, all 0, which compress to next to nothing."""
    side = np.linspace(0, 1, 200, dtype=np.float32)
    x, y = map(np.ravel, np.meshgrid(side, side))
    points = np.stack([x, y, np.zeros_like(x)], axis=1)
    first = (np.arange(199)[:, None] * 200 + np.arange(199)).ravel()
    corners = ((0, 1, 200), (1, 201, 200))
    faces = np.concatenate([np.stack([first + i for i in each], 1) for each in corners])
    more = {f"_{i}": np.zeros((len(points), 4), np.uint8) for i in range(40)}
    return bytes(DracoPy.encode(points, faces.astype(np.uint32), generic_attributes=more))


def test_every_attribute_of_draco_data_counts() -> None:
    data = many_attributes()
    assert len(data) < 200_000
    # Points and triangles alone take 1.5 MB, all of it 7.7.
    with pytest.raises(LimitError, match="decoded_bytes"):
        decode_draco(memoryview(data), {"POSITION": 0}, limits=Limits(decoded_bytes=5_000_000))
    decode_draco(memoryview(data), {"POSITION": 0}, limits=Limits(decoded_bytes=20_000_000))


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is set from outside there")
def test_a_decoder_that_takes_too_much_memory_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoders, "MEMORY_PER_BYTE", 0)
    tight = Limits(decoder_bytes=1_000_000)
    with pytest.raises(LimitError, match="decoder_bytes=4000000"):
        decode_draco(memoryview(many_attributes()), {"POSITION": 0}, limits=tight)
    np.testing.assert_array_equal(decoded(), ROWS)


@pytest.mark.skipif(sys.platform != "linux", reason="seccomp is Linux")
def test_a_confined_process_opens_no_file_socket_or_process(tmp_path: Path) -> None:
    assert decoders._process().is_confined
    program = """
import sys, os, socket
sys.path.insert(0, sys.argv[1])
import decoder_process
path = sys.argv[2]
assert decoder_process.confine()
for attempt in (lambda: open(path), lambda: open(path, "w"), socket.socket, os.fork):
    try:
        attempt()
    except OSError:
        continue
    sys.exit(1)
sys.stdout.write("held")
"""
    secret = tmp_path / "secret"
    secret.write_text("secret")
    folder = Path(decoder_process.__file__).parent
    done = subprocess.run(
        [sys.executable, "-c", program, str(folder), str(secret)], capture_output=True, check=False
    )
    assert done.stdout == b"held", done.stderr
    assert secret.read_text() == "secret"

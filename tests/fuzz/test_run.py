"""Inputs that end the fuzzer's process are kept."""

from pathlib import Path

import pytest

from fuzz import run

OUT_OF_MEMORY = "#512\tNEW cov: 40\nSUMMARY: libFuzzer: out-of-memory\n"
KILLED = "#1024\tNEW cov: 50\n"
DONE = "#4096\tDONE cov: 45\n"


def test_each_is_kept_by_its_reason_and_the_search_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = iter([(b"large", OUT_OF_MEMORY), (b"", KILLED), (b"well", DONE)])

    def search(_: str, folder: Path, __: int) -> str:
        data, log = next(ends)
        (folder / "crashes").mkdir(exist_ok=True)
        (folder / "last").write_bytes(data)
        return log

    monkeypatch.setattr(run, "_search", search)
    result = run.fuzz("bvh", tmp_path, 60)
    assert (result.runs, result.coverage) == (512 + 1024 + 4096, 50)
    kept = {path.name.rpartition("-")[0]: path for path in result.crashes}
    assert {name: path.read_bytes() for name, path in kept.items()} == {
        "out-of-memory": b"large",
        "ended": b"",
    }
    assert kept["out-of-memory"].with_suffix(".txt").read_text() == OUT_OF_MEMORY

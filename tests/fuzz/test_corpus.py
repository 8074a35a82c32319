"""A fixed sample of changed real files; `make soak` tries out 10,000."""

from pathlib import Path

import pytest

from fuzz.corpus import gather, mutants, try_out

SHARED = Path(__file__).resolve().parents[3] / "shared"
FOLDERS = [SHARED / name for name in ("corpus", "golden") if (SHARED / name).is_dir()]
"""Reference files beside the project; the demo's are always there."""

SHARES, FILES = 6, 25


@pytest.mark.parametrize("share", range(SHARES))
def test_changed_files_are_checked_summed_up_and_played(share: int) -> None:
    files = gather(FOLDERS)
    for mutant in mutants(files, range(share * FILES, (share + 1) * FILES)):
        fault = try_out(mutant)
        assert fault is None, f"{mutant.path.name} changed by {mutant.number}: {fault.text}"


def test_the_same_number_makes_the_same_file() -> None:
    files = gather([])
    first, second = (list(mutants(files, range(5))) for _ in range(2))
    assert first == second
    assert len({mutant.data for mutant in first}) == 5

"""Fixtures for all tests, the number of random examples, and the order of work."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from xdist.scheduler.loadscope import LoadScopeScheduling

from tests.sampling import EXAMPLES, IS_SOAK

# Matrices here are small: threads of BLAS would only wait for each other, and for other workers.
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

TOGETHER = {
    "tests/conversion/test_mjcf_ragdoll.py": "hung ragdoll",
    "tests/play/test_hour_long_run.py": "hour",
    "tests/security/test_oversized_files.py": "oversized",
    "tests/viewer/test_corpus_pages.py": "browser",
    "tests/viewer/test_conformance_page.py": "browser",
    "tests/viewer/test_embedded.py": "browser",
    "tests/viewer/test_html.py": "browser",
    "tests/viewer/test_live.py": "browser",
    "tests/viewer/test_notebook.py": "browser",
    "tests/viewer/test_reloads.py": "browser",
    "tests/worlds/test_device.py": "warp",
    "tests/worlds/test_stepping.py": "warp",
}
"""Modules whose tests one worker runs, one after the other: they share what takes long to make."""

settings.register_profile(
    "ligament",
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=EXAMPLES,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("ligament")
if not IS_SOAK:
    # Constants of modules that happen to be imported would make examples depend on which tests a
    # worker ran before: the same examples in every run, or a failure tells nothing.
    providers._get_local_constants = lambda: providers._local_constants


class ByFunction(LoadScopeScheduling):
    """Hands out tests function by function, those with the most cases first.

    The long sweeps then start early, and no worker is left with one at the end. Marks of groups
    do not reach the scheduler of xdist 3.8 with pytest 9.2.
    """

    def _split_scope(self, nodeid):
        return TOGETHER.get(nodeid.partition("::")[0], nodeid.partition("[")[0])

    def mark_test_complete(self, node, item_index, duration=0):
        """Forget what is done: the scheduler looks through all that it has handed out."""
        super().mark_test_complete(node, item_index, duration)
        scope = self._split_scope(self.registered_collections[node][item_index])
        if all(self.assigned_work[node][scope].values()):
            del self.assigned_work[node][scope]


def pytest_xdist_make_scheduler(config, log):
    """Tell xdist who hands out tests."""
    return ByFunction(config, log)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference data beside the project, which a fresh clone does not have."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not folder.is_dir():
        pytest.skip("the reference data beside the project is absent")
    return folder

"""A module whose import takes CPU time."""

from tests.operations.works import spend

spend(0.5)
